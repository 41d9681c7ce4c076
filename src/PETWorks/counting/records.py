"""Numbers for single records: class sizes in input order, and a random order determined by a seed."""

from collections.abc import Sequence

import numpy as np

from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import count_keys, pack
from PETWorks.counting.memory.weighted_rows import WeightedRows


def record_class_sizes(rows: WeightedRows, columns: Sequence[str], people: WeightedRows | None = None) -> Integers:
    """The class size of each record; `people` are the records that count, if not all do."""
    assert rows.weights is None, "merged rows have no order"
    keys = pack([rows.columns[name] for name in columns]).keys
    if people is not None:
        assert people.origin is not None
        return count_keys(keys[people.origin]).of(keys)
    order = np.argsort(keys)
    sizes = np.diff(run_starts(keys[order]), append=len(keys))
    return _spread(sizes, sizes, order)


def record_class_modes(
    rows: WeightedRows, columns: Sequence[str], sensitive: str, people: WeightedRows | None = None
) -> Integers:
    """For each record, the count of the commonest sensitive value in its class."""
    assert rows.weights is None, "merged rows have no order"
    classes = (people or rows).values_by_class(tuple(columns), sensitive)
    modes = np.maximum.reduceat(classes.counts, classes.starts)
    keys = pack([rows.columns[name] for name in columns]).keys
    if people is not None:
        return np.asarray(modes[np.searchsorted(np.unique(keys), keys)], np.int64)
    order = np.argsort(keys)
    return _spread(modes, np.diff(run_starts(keys[order]), append=len(keys)), order)


def known_class_modes(
    rows: WeightedRows, columns: Sequence[str], sensitive: str, people: WeightedRows | None, once: WeightedRows | None
) -> tuple[Integers, Integers]:
    """For each record, the number of records in its class with a sensitive value, and the count of the commonest.

    people, once   if not all records count: one per person, class and value; and one per person and class
    """
    assert rows.weights is None, "merged rows have no order"
    keys = pack([rows.columns[name] for name in columns]).keys
    with_value = np.flatnonzero(rows.columns[sensitive].codes != rows.columns[sensitive].code(None))
    counted, persons = (with_value if table is None else table.origin for table in (people, once))
    assert counted is not None
    assert persons is not None
    by_value = rows.taken(counted).values_by_class(tuple(columns), sensitive)
    modes = np.zeros(len(by_value.starts) + 1, np.int64)  # the last is for classes without a value
    if len(by_value.starts):
        modes[:-1] = np.maximum.reduceat(by_value.counts, by_value.starts)
    present = np.unique(keys[counted])
    indices = np.searchsorted(present, keys)
    known = np.append(present, present[-1:])[indices] == keys if len(present) else np.zeros(len(keys), np.bool_)
    return count_keys(keys[persons]).of(keys), modes[np.where(known, indices, len(present))]


def _spread(per_class: Integers, sizes: Integers, order: Integers) -> Integers:
    """Copy a number per class to each of its records."""
    per_record = np.empty(len(order), np.int64)
    per_record[order] = np.repeat(per_class, sizes)
    return per_record


def shuffled_order(seed: int, records: int) -> Integers:
    """The index of each record in shuffled order.

    NumPy guarantees that the numbers of a bit generator stay the same in later versions, but not its permutations.

    >>> shuffled_order(7, 5).tolist()
    [3, 4, 0, 2, 1]
    """
    return np.argsort(np.random.PCG64(seed).random_raw(records), kind="stable")
