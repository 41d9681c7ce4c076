"""The targets among the people of several tables, as a table that is counted elsewhere."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from PETWorks.counting.codes import Known, labels_and, nameless
from PETWorks.counting.counts import Integers
from PETWorks.counting.packed_words import Words
from PETWorks.counting.part_tasks import Part, counts_in
from PETWorks.counting.partitioned import PartitionedTable, Store
from PETWorks.counting.people import NOT_IN, Brought, column_name


def joined_columns(brought: Sequence[Brought]) -> dict[str, Any]:
    """The labels of each column of each table; the first is that of people who are not in the table."""
    return {
        column_name(one.name, name): labels_and(one.table.columns[name].labels, NOT_IN, first=True)
        for one in brought
        for name in one.known
    }


def joined_table(store: Store, brought: Sequence[Brought], place: int, numbers: Mapping[str, int]) -> PartitionedTable:
    """The targets, whose rows a store has: by columns of the tables and their own values, how often each occurs."""
    labels = joined_columns(brought) | {name: nameless(number) for name, number in numbers.items()}
    columns = {name: Known(own, np.zeros(len(own), np.int64)) for name, own in labels.items()}
    table = PartitionedTable(store, columns, brought[place].table.rows)
    cells = table.cells(tuple(labels))
    sizes = {name: len(own) for name, own in labels.items()}
    counts = cells.run(partial(_counts, cells.words, sizes), _added, len(brought[0].known))
    table.columns = {name: Known(own, counts[name]) for name, own in labels.items()}
    table.domains = table.columns
    return table


def _counts(words: Words, sizes: Mapping[str, int], part: Part) -> dict[str, Integers]:
    return {name: counts_in(words, name, size, part) for name, size in sizes.items()}


def _added(one: dict[str, Integers], other: dict[str, Integers]) -> dict[str, Integers]:
    return {name: counts + other[name] for name, counts in one.items()}
