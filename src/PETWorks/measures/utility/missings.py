"""How many cells say nothing any more."""

from typing import Any

from PETWorks.counting.view import View
from PETWorks.measures.catalogue import CELL_BY_CELL, ByColumn, metric
from PETWorks.measures.parameters import AtMost
from PETWorks.measures.result import Result, no_more_than
from PETWorks.tables.cells import SUPPRESSED


@metric(
    family="utility",
    better="lower",
    treats=CELL_BY_CELL,
    unit="share",
    if_it_fails="refine",
    worse_by_suppression=True,
    sees="suppression",
    by_column=ByColumn("share", called="missing", better="lower"),
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
        nothing = {None, SUPPRESSED} if hierarchy is None else {None, SUPPRESSED, hierarchy.top}
        cells = sum(
            count for value, count in zip(marginal.values, marginal.counts.tolist(), strict=True) if value in nothing
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
