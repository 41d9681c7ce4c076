"""A release with the records that left it, as if they had stayed with `*` in every quasi-identifier."""

from dataclasses import replace
from typing import Any

import numpy as np

from PETWorks.about.treatment import APART
from PETWorks.counting.codes import Column, narrowest, suppress_cells
from PETWorks.counting.counts import Integers
from PETWorks.counting.partitioned import PartitionedTable
from PETWorks.counting.view import View
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.errors import Hint, NotApplicable
from PETWorks.tables.arrays import strings


def with_removed(view: View, removed: Integers | None) -> View:
    """The view of all records of the original: those that left the release are suppressed, and in no class.

    Their other cells are those of the original, if it was given and has the same records, and missing otherwise.

    removed   their places in the table that the release was made from; None if they are not known
    """
    table, given = view.table, view.background
    in_memory = isinstance(table, WeightedRows) and table.weights is None
    if removed is None or not (in_memory or (isinstance(table, PartitionedTable) and given.in_order)):
        raise NotApplicable(
            "suppressed records left the table, and what is lost by that is measured only where records have an order",
            Hint.ENGINE_IN_MEMORY,
        )
    treatment = {**view.treatment, "suppressed": APART}
    original: Any = given.original if given.has_original else None
    if original is not None and original.rows != table.rows + len(removed):
        original = None  # it has other records besides, so their places there are not known
    if isinstance(table, PartitionedTable):
        from PETWorks.counting.duckdb_removed import with_removed_rows

        whole = with_removed_rows(table, view.quasi_identifiers, original, removed, in_order=given.same_order)
        return replace(view, table=whole, treatment=treatment, with_removed=None)
    assert isinstance(table, WeightedRows)
    places = np.concatenate([np.arange(table.rows), np.full(len(removed), -1)])
    if given.same_order:
        left = np.delete(np.arange(len(places)), removed)
        places[left], places[removed] = np.arange(table.rows), -1
    gone = places < 0
    columns = {}
    for name, column in table.columns.items():
        if name == table.unit:
            own = strings([f"removed {place}" for place in range(len(removed))])  # each as if of a person of its own
            columns[name] = _with(column, places, Column(own, np.arange(len(removed), dtype=np.uint32)))
        elif name in view.quasi_identifiers or not isinstance(original, WeightedRows) or name not in original.columns:
            nothing = Column(strings([None]), np.zeros(len(removed), np.uint8))
            columns[name] = _with(column, places, nothing)
        else:
            columns[name] = _with(column, places, original.columns[name].taken(removed))
        if name in view.quasi_identifiers:
            columns[name] = suppress_cells(columns[name], gone)
    return replace(view, table=WeightedRows(columns, table.unit), treatment=treatment, with_removed=None)


def _with(column: Column, places: Integers, others: Column) -> Column:
    """A column in this order, the cells of others where the place is negative."""
    codes = {value: code for code, value in enumerate(column.values)}
    theirs = np.array([codes.setdefault(value, len(codes)) for value in others.values], np.int64)
    new = column.codes.astype(np.int64)[np.maximum(places, 0)] if len(column.codes) else np.zeros(len(places), np.int64)
    new[places < 0] = theirs[others.codes]
    return Column(strings(list(codes)), new.astype(narrowest(len(codes))))
