"""The number of original values that a released value may stand for: granularity and ambiguity."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from operator import add
from typing import Any

import numpy as np

from PETWorks.counting.counts import ClassCodes
from PETWorks.counting.questions import Question
from PETWorks.counting.view import View
from PETWorks.measures.catalogue import CELL_BY_CELL, ColumnNumber, metric
from PETWorks.measures.parameters import AtLeast
from PETWorks.measures.result import LazyDetails, Result, no_less_than, normalise_loss


@metric(
    family="utility",
    better="higher",
    needs=("hierarchies",),
    treats=CELL_BY_CELL,
    unit="ratio",
    if_it_fails="refine",
    worse_by_suppression=True,
    by_column=ColumnNumber("granularity"),
)
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
    return {column: len(hierarchy.leaves) for column, hierarchy in view.generalised_hierarchies("granularity").items()}


def _scale(leaves: Mapping[str, int], records: int) -> tuple[int, int, int]:
    """A common multiple to scale shares of leaves by, and the scaled loss of an untouched and a suppressed table."""
    scale = math.lcm(*leaves.values())
    return scale, records * sum(scale // number for number in leaves.values()), records * scale * len(leaves)


def _leaf_shares_lost(view: View, column: str, scale: int) -> int:
    """The scaled sum of the shares of leaves that the cells of a column may stand for."""
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
    return view.fold_codes("stood for", partial(_count_combinations, weights, exact), add, every_record=True)


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
    if_it_fails="refine",
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
