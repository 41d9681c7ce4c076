"""The detail that generalisation left in each column: precision, granularity and ambiguity, bits; and missing cells."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.hierarchy import Hierarchy, misfit
from PETWorks.counting.counts import ClassCodes, Integers, PairCounts
from PETWorks.counting.questions import Question
from PETWorks.counting.view import ReplacedLabels, View
from PETWorks.errors import NotApplicable, Phrase
from PETWorks.measures.catalogue import CELL_BY_CELL, ColumnNumber, metric
from PETWorks.measures.parameters import AtLeast, AtMost
from PETWorks.measures.result import LazyDetails, Result, no_less_than, no_more_than, normalise_loss
from PETWorks.tables.cells import SUPPRESSED

# Measures of the detail that cells have left.
OF_CELLS: dict[str, Any] = {
    "family": "utility",
    "better": "higher",
    "needs": ("hierarchies",),
    "treats": CELL_BY_CELL,
    "unit": "ratio",
    "worse_by_suppression": True,
}


@metric(by_column=ColumnNumber("precision"), **OF_CELLS)
def precision(view: View, *, at_least: AtLeast = None) -> Result:
    """One minus the mean share of its hierarchy that a cell has been lifted.

    A cell on level l of a hierarchy of height h has lost l/h of its detail; suppressed and missing cells have
    lost all. 1 means that nothing was generalised, 0 that everything was.

    Sweeney (2002), *Achieving k-Anonymity Privacy Protection Using Generalization and Suppression*.

    >>> from PETWorks import Release
    >>> release = Release("data/delta_anonymized.csv")
    >>> precision(release).value
    0.33333333333333337
    """
    hierarchies = view.generalised_places("precision")
    lost: dict[str, Fraction] = {}
    ambiguous: dict[str, int] = {}
    for column, hierarchy in hierarchies.items():
        if isinstance(hierarchy, ReplacedLabels):
            lost[column], ambiguous[column] = Fraction(hierarchy.levels_lost(view.records), hierarchy.height), 0
        else:
            lost[column], ambiguous[column] = _detail_lost(view, column, hierarchy)
    # As in the paper, the mean distortion is computed first, then one minus that, each rounded once.
    distortion = sum(lost.values(), Fraction(0)) / (view.records * len(hierarchies))
    per_column: dict[str, Any] = {
        column: {
            "precision": 1 - float(lost[column] / view.records),
            "height": hierarchy.height,
            "ambiguous_cells": ambiguous[column],
        }
        for column, hierarchy in hierarchies.items()
    }
    return Result(
        "precision",
        1 - float(distortion),
        no_less_than(1 - float(distortion), at_least),
        {"at_least": at_least},
        {
            "exact": str(1 - distortion),
            "raw": float(distortion),
            "min": 0.0,
            "max": 1.0,
            "columns": per_column,
            "records": view.records,
        },
    )


def _detail_lost(view: View, column: str, hierarchy: Hierarchy) -> tuple[Fraction, int]:
    """The detail lost in a column, added up over its cells, and the number of cells with a value on several levels."""
    marginal = view.marginal(column)
    levels = [hierarchy.level(value) for value in marginal.values]
    unknown = levels.count(None)
    if unknown:
        present = sum(value not in (None, SUPPRESSED) for value in marginal.values)
        raise misfit(column, hierarchy, unknown, present, Phrase("released values are not on any level of"))
    counts = marginal.counts.tolist()
    lifted = sum(level * count for level, count in zip(levels, counts, strict=True) if level)
    ambiguous = sum(
        count
        for value, count in zip(marginal.values, counts, strict=True)
        if value is not None and value != SUPPRESSED and len(hierarchy.levels_of[value]) > 1
    )
    return Fraction(lifted, hierarchy.height), ambiguous


@metric(
    family="utility",
    better="lower",
    treats=CELL_BY_CELL,
    unit="share",
    worse_by_suppression=True,
    sees="suppression",
    by_column=ColumnNumber("share", called="missing", better="lower"),
)
def missings(view: View, *, at_most: AtMost = None) -> Result:
    """Share of cells that are suppressed, missing, or the top value of their hierarchy.

    Meyerson and Williams (2004), *On the Complexity of Optimal K-Anonymity*, count the same cells.

    >>> from PETWorks import Release
    >>> missings(Release("data/delta_anonymized.csv")).value
    0.3333333333333333
    """
    columns: dict[str, dict[str, Any]] = {}
    for column in view.quasi_identifiers:
        marginal, hierarchy = view.marginal(column), view.hierarchies.get(column)
        lost_values = {None, SUPPRESSED} if hierarchy is None else {None, SUPPRESSED, hierarchy.top}
        cells = sum(
            count
            for value, count in zip(marginal.values, marginal.counts.tolist(), strict=True)
            if value in lost_values
        )
        columns[column] = {"cells": cells, "share": cells / view.records}
    lost = sum(column["cells"] for column in columns.values())
    value = lost / (view.records * len(columns))
    return Result(
        "missings",
        value,
        no_more_than(value, at_most),
        {"at_most": at_most},
        {
            "cells": lost,
            "raw": value,
            "min": 0.0,
            "max": 1.0,
            "normalised": 1 - value,
            "columns": columns,
            "records": view.records,
        },
    )


@metric(by_column=ColumnNumber("granularity"), **OF_CELLS)
def granularity(view: View, *, at_least: AtLeast = None) -> Result:
    """How far cells are from standing for everything: one minus the mean share of leaves below a value.

    A cell loses (leaves below its value)/(all leaves) of its column; a suppressed or missing cell loses all. The
    shares are averaged over cells and columns and set between what an untouched and a wholly suppressed table lose.

    Iyengar (2002), *Transforming Data to Satisfy Privacy Constraints*.

    >>> from PETWorks import Release
    >>> granularity(Release("data/delta_anonymized.csv")).value
    0.37317073170731707
    """
    leaves = view.for_all_levels("leaves", lambda: _leaves(view))
    # Exact integers over a common denominator, because a search computes this again and again.
    scale, least, most = view.for_all_levels("scale of granularity", lambda: _scale(leaves, view.records))
    lost = sum([view.by_level("lost", column, partial(_leaf_shares_lost, view, column, scale)) for column in leaves])
    value = 1.0 if most <= least and lost <= least else min(max((most - lost) / max(most - least, 1), 0.0), 1.0)

    def details() -> dict[str, Any]:
        columns = {}
        raw, smallest = Fraction(lost, most), Fraction(least, most)
        for column, number in leaves.items():
            share = Fraction(
                view.by_level("lost", column, partial(_leaf_shares_lost, view, column, scale)), most // len(leaves)
            )
            columns[column] = {
                "granularity": normalise_loss(share, Fraction(1, number), 1),
                "raw": float(share),
                "min": 1 / number,
                "max": 1.0,
            }
        return {"raw": float(raw), "min": float(smallest), "max": 1.0, "columns": columns, "records": view.records}

    return Result("granularity", value, no_less_than(value, at_least), {"at_least": at_least}, LazyDetails(details))


def _leaves(view: View) -> dict[str, int]:
    """The number of leaves in the hierarchy of each column."""
    return {
        column: place.leaves if isinstance(place, ReplacedLabels) else len(place.leaves)
        for column, place in view.generalised_places("granularity").items()
    }


def _scale(leaves: Mapping[str, int], records: int) -> tuple[int, int, int]:
    """A common multiple to scale shares of leaves by, and the scaled loss of an untouched and a suppressed table."""
    scale = math.lcm(*leaves.values())
    return scale, records * sum(scale // number for number in leaves.values()), records * scale * len(leaves)


def _leaf_shares_lost(view: View, column: str, scale: int) -> int:
    """The scaled sum of the shares of leaves that the cells of a column may stand for."""
    placed = view.replaced_labels.get(column)
    if placed is not None:
        return placed.leaves_below(view.records) * (scale // placed.leaves)
    marginal, hierarchy = view.marginal(column), view.hierarchies[column]
    below = int(hierarchy.leaf_counts(marginal.values, column) @ marginal.counts)
    return below * (scale // len(hierarchy.leaves))


def _fits(combinations: int, records: int) -> bool:
    """Whether the sum fits into 64 bits; if not, shares of all combinations are added up, which cannot overflow."""
    return combinations * records < 2**62


def _combinations_question(view: View) -> Question[float]:
    """Ask how many combinations of original values all records may stand for."""
    hierarchies = view.generalised_hierarchies("ambiguity")
    exact = _fits(math.prod(len(hierarchy.leaves) for hierarchy in hierarchies.values()), view.records)
    weights = {}
    for column, hierarchy in hierarchies.items():
        leaves = hierarchy.leaf_counts(view.marginal(column).values, column)
        weights[column] = leaves if exact else leaves / len(hierarchy.leaves)
    return view.fold_codes_question("stood for", partial(_count_combinations, weights, exact), add, every_record=True)


def _count_combinations(weights: Mapping[str, Any], exact: bool, classes: ClassCodes) -> Any:
    products = classes.sizes.astype(np.int64 if exact else np.float64)
    for column, codes in classes.codes.items():
        products *= weights[column][codes]
    return products.sum().item()


def _asks(view: View, **_limits: float | None) -> list[Question[float]]:
    return [_combinations_question(view)]


@metric(
    asks=_asks,
    family="utility",
    better="higher",
    needs=("quasi-identifiers", "hierarchies"),
    treats=CELL_BY_CELL,
    unit="ratio",
    worse_by_suppression=True,
)
def ambiguity(view: View, *, at_least: AtLeast = None) -> Result:
    """How few combinations of original values a record may stand for, between one and all.

    A record may stand for as many combinations as the product of the leaves below its values; these are added up over
    the records. A value that is a leaf and a value of a higher level stands for all leaves below the latter.

    Goldberger and Tassa (2010), *Efficient Anonymizations with Enhanced Utility*.

    >>> from PETWorks import Release
    >>> ambiguity(Release("data/delta_anonymized.csv")).value > 0.7
    True
    """
    hierarchies = view.generalised_hierarchies("ambiguity")
    combinations = math.prod(len(hierarchy.leaves) for hierarchy in hierarchies.values())
    exact = _fits(combinations, view.records)
    total = Fraction(view.answer(_combinations_question(view)))
    raw = total if exact else max(total * combinations, Fraction(view.records))
    least, most = view.records, view.records * combinations
    value = normalise_loss(raw, least, most)
    return Result(
        "ambiguity",
        value,
        no_less_than(value, at_least),
        {"at_least": at_least},
        {"raw": int(raw) if exact else _round(raw), "min": least, "max": most, "records": view.records},
    )


def _round(number: Fraction) -> float | None:
    """A number as a float; None if it is too large."""
    return float(number) if number < 1e300 else None


@metric(
    family="utility",
    better="higher",
    needs=(
        "the original table",
        "hierarchies",
        "records in the order of the input",
        "records in the order of the original",
    ),
    treats=CELL_BY_CELL,
    unit="ratio",
    worse_by_suppression=True,
    by_column=ColumnNumber("non_uniform_entropy"),
)
def non_uniform_entropy(view: View, *, at_least: AtLeast = None) -> Result:
    """One minus the share of bits lost when the original values can only be guessed from the released ones.

    A cell that is lifted loses log2 of how much more common its new value is than its old one. Lifting goes level by
    level, and on each level only the records that were lifted at least so far are counted. Rows of release and
    original are compared in their order.

    Gionis and Tassa (2009), *k-Anonymization with Minimal Loss of Information*; De Waal and Willenborg (1999),
    *Information Loss through Global Recoding and Local Suppression*; Prasser, Bild and Kuhn (2016), *A Generic Method
    for Assessing the Quality of De-Identified Health Data*.

    >>> from PETWorks import Release
    >>> release = Release("data/adult_anonymized.csv", original="data/adult.csv")
    >>> 0 < non_uniform_entropy(release).value < 1
    True
    """
    hierarchies = view.generalised_hierarchies("non-uniform-entropy")
    if view.records != view.background.original.rows:
        raise NotApplicable(
            "compares row by row: the release has {records} records, the original {rows}",
            records=view.records,
            rows=view.background.original.rows,
        )
    columns: dict[str, dict[str, Any]] = {}
    for column, hierarchy in hierarchies.items():
        released, original = view.marginal(column).values, view.background.original.marginal(column).values
        pairs = view.table.pair_in_order(column, view.background.original)
        levels = _levels(released, hierarchy, column)
        lifted = _lift_values(original, hierarchy, column)
        lost = _bits_lost(pairs, levels, lifted)
        most = _bits(np.bincount(pairs.second, pairs.counts), view.records)
        columns[column] = {
            "non_uniform_entropy": normalise_loss(lost, 0, most),
            "raw": lost,
            "min": 0.0,
            "max": most,
            "cells_not_from_their_original": _count_strange(pairs, released, original, hierarchy, levels),
        }
    raw, most = (sum(column[name] for column in columns.values()) for name in ("raw", "max"))
    value = normalise_loss(raw, 0, most)
    return Result(
        "non-uniform-entropy",
        value,
        no_less_than(value, at_least),
        {"at_least": at_least},
        {"raw": raw, "min": 0.0, "max": most, "columns": columns, "records": view.records},
    )


def _levels(values: list[str | None], hierarchy: Hierarchy, column: str) -> Integers:
    """The level of each released value."""
    levels = [hierarchy.level(value) for value in values]
    strange = levels.count(None)
    if strange:
        present = sum(value not in (None, SUPPRESSED) for value in values)
        raise misfit(column, hierarchy, strange, present, Phrase("released values are not on any level of"))
    return np.array(levels, np.int64)


def _lift_values(values: list[str | None], hierarchy: Hierarchy, column: str) -> list[Integers]:
    """For each level, a code of each original value lifted to it; missing and `*` stay themselves below the top."""
    leaves = {leaf: index for index, leaf in enumerate(hierarchy.leaves)}
    known = [value in leaves for value in values]
    strange = sum(not is_leaf and value not in (None, SUPPRESSED) for value, is_leaf in zip(values, known, strict=True))
    if strange:
        present = sum(value not in (None, SUPPRESSED) for value in values)
        raise misfit(column, hierarchy, strange, present, Phrase("original values are not leaves of"))
    both = list(zip(values, known, strict=True))
    by_level = []
    for level, labels in enumerate(hierarchy.levels):
        # A value that is not a leaf (missing or `*`) stays a value of its own.
        lifted = [(labels[leaves[value]], True) if is_leaf else (value, False) for value, is_leaf in both]  # type: ignore[index]
        numbers = {label: number for number, label in enumerate(dict.fromkeys(lifted))}
        top = level == hierarchy.height
        by_level.append(np.array([0 if top else numbers[label] for label in lifted], np.int64))
    return by_level


def _bits_lost(pairs: PairCounts, levels: Integers, lifted: list[Integers]) -> float:
    """The bits that a column has lost, added up over its cells."""
    level_of = levels[pairs.first]
    lost, before = 0.0, np.arange(int(pairs.second.max()) + 1)
    for level in np.unique(level_of[level_of > 0]).tolist():
        is_lifted = level_of >= level
        values, counts = pairs.second[is_lifted], pairs.counts[is_lifted]
        lost += _self_information(lifted[level][values], counts) - _self_information(before[values], counts)
        before = lifted[level]
    return lost


def _self_information(values: Integers, counts: Integers) -> float:
    """The sum over cells of log2 of the number of cells with the same value."""
    records = np.bincount(values, counts)
    records = records[records > 0]
    return float(np.sum(records * np.log2(records)))


def _bits(counts: NDArray[Any], records: int) -> float:
    """The bits of a column, which are lost if all cells become equal."""
    positive = counts[counts > 0]
    return float(max(np.sum(positive * (np.log2(records) - np.log2(positive))), 0.0))


def _count_strange(
    pairs: PairCounts, released: list[str | None], original: list[str | None], hierarchy: Hierarchy, levels: Integers
) -> int:
    """The number of cells whose released value is not a generalisation of their original value."""
    codes = {value: code for code, value in enumerate(released)}
    made = levels[pairs.first] == hierarchy.height
    for level in range(hierarchy.height + 1):
        labels = hierarchy.to_level(level)
        expected = np.array([codes.get(labels.get(value), -1) for value in original])  # type: ignore[arg-type]
        made |= expected[pairs.second] == pairs.first
    return int(pairs.counts[~made].sum())
