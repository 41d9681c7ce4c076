"""How many different people's values a released value may stand for: granularity and ambiguity."""

import math
from fractions import Fraction
from operator import add
from typing import Any

import numpy as np

from PETWorks.counting.counts import ClassCodes
from PETWorks.counting.release import Release
from PETWorks.measures.catalogue import CELL_BY_CELL, ByColumn, metric
from PETWorks.measures.parameters import AtLeast
from PETWorks.measures.result import Result, no_less_than, normalised


@metric(
    family="utility",
    better="higher",
    needs=("hierarchies",),
    treats=CELL_BY_CELL,
    unit="ratio",
    if_it_fails="refine",
    by_column=ByColumn("granularity"),
)
def granularity(release: Release, *, at_least: AtLeast = None) -> Result:
    """How far cells are from standing for everything: one minus the mean share of leaves below a value.

    A cell loses (leaves below its value)/(all leaves) of its column; a suppressed or missing cell loses all. The
    shares are averaged over cells and columns and set between what an untouched and a wholly suppressed table lose.

    Iyengar (2002), *Transforming Data to Satisfy Privacy Constraints*.

    >>> granularity(Release("data/delta_anonymized.csv")).value
    0.37317073170731707
    """
    columns: dict[str, dict[str, Any]] = {}
    raw, least = Fraction(0), Fraction(0)
    hierarchies = release.generalised_hierarchies("granularity")
    for column, hierarchy in hierarchies.items():
        marginal, leaves = release.marginal(column), len(hierarchy.leaves)
        below = int(hierarchy.leaf_counts(marginal.values, column) @ marginal.counts)
        lost = Fraction(below, marginal.records * leaves)
        raw, least = raw + lost, least + Fraction(1, leaves)
        columns[column] = {
            "granularity": normalised(lost, Fraction(1, leaves), 1),
            "raw": float(lost),
            "min": 1 / leaves,
            "max": 1.0,
        }
    raw, least = raw / len(hierarchies), least / len(hierarchies)
    value = normalised(raw, least, 1)
    return Result(
        "granularity",
        value,
        no_less_than(value, at_least),
        {"at_least": at_least},
        {"raw": float(raw), "min": float(least), "max": 1.0, "columns": columns, "records": release.records},
    )


@metric(
    family="utility",
    better="higher",
    needs=("quasi-identifiers", "hierarchies"),
    treats=CELL_BY_CELL,
    unit="ratio",
    if_it_fails="refine",
)
def ambiguity(release: Release, *, at_least: AtLeast = None) -> Result:
    """How few combinations of original values a record may stand for, between one and all.

    A record may stand for as many combinations as the product of the leaves below its values; these are added up over
    the records.

    Goldberger and Tassa (2010), *Efficient Anonymizations with Enhanced Utility*.

    >>> ambiguity(Release("data/delta_anonymized.csv")).value > 0.7
    True
    """
    hierarchies = release.generalised_hierarchies("ambiguity")
    leaves = {
        column: hierarchy.leaf_counts(release.marginal(column).values, column)
        for column, hierarchy in hierarchies.items()
    }
    combinations = math.prod(len(hierarchy.leaves) for hierarchy in hierarchies.values())
    # Integers as long as the sum fits into 64 bits; otherwise shares of all combinations, which cannot overflow.
    exact = combinations * release.records < 2**62
    weights = {column: own if exact else own / len(hierarchies[column].leaves) for column, own in leaves.items()}

    def stood_for(classes: ClassCodes) -> Any:
        products = classes.sizes.astype(np.int64 if exact else np.float64)
        for column, codes in classes.codes.items():
            products *= weights[column][codes]
        return products.sum().item()

    found = Fraction(release.fold_codes(stood_for, add, every_record=True))
    raw = found if exact else max(found * combinations, Fraction(release.records))
    least, most = release.records, release.records * combinations
    value = normalised(raw, least, most)
    return Result(
        "ambiguity",
        value,
        no_less_than(value, at_least),
        {"at_least": at_least},
        {"raw": int(raw) if exact else _rounded(raw), "min": least, "max": most, "records": release.records},
    )


def _rounded(number: Fraction) -> float | None:
    """A number as far as it can be told; None beyond that."""
    return float(number) if number < 1e300 else None
