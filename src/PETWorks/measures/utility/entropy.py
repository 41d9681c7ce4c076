"""The information, in bits, that each column lost by generalisation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.hierarchy import Hierarchy, misfit
from PETWorks.counting.counts import Integers, PairCounts
from PETWorks.counting.view import View
from PETWorks.errors import NotApplicable, Phrase
from PETWorks.measures.catalogue import CELL_BY_CELL, ColumnNumber, metric
from PETWorks.measures.parameters import AtLeast
from PETWorks.measures.result import Result, no_less_than, normalise_loss
from PETWorks.tables.cells import SUPPRESSED


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
    if_it_fails="refine",
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
