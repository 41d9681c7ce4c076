"""The detail that generalisation has left, and the share of missing cells."""

from fractions import Fraction
from typing import Any

from PETWorks.about.hierarchies.hierarchy import Hierarchy, misfit
from PETWorks.counting.view import View
from PETWorks.errors import Phrase
from PETWorks.measures.catalogue import CELL_BY_CELL, ColumnNumber, metric
from PETWorks.measures.parameters import AtLeast, AtMost
from PETWorks.measures.result import Result, no_less_than, no_more_than
from PETWorks.tables.cells import SUPPRESSED


@metric(
    family="utility",
    better="higher",
    needs=("hierarchies",),
    treats=CELL_BY_CELL,
    unit="ratio",
    if_it_fails="refine",
    worse_by_suppression=True,
    by_column=ColumnNumber("precision"),
)
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
    hierarchies = view.generalised_hierarchies("precision")
    lost: dict[str, Fraction] = {}
    ambiguous: dict[str, int] = {}
    for column, hierarchy in hierarchies.items():
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
    if_it_fails="refine",
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
