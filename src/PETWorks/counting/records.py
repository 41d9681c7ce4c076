"""Single records: class sizes in the order of the input, and a random order determined by a seed."""

from collections.abc import Sequence

import numpy as np

from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import count, pack
from PETWorks.counting.memory.weighted_rows import WeightedRows


def record_class_sizes(rows: WeightedRows, columns: Sequence[str], people: WeightedRows | None = None) -> Integers:
    """For each record the size of its class; `people` are the records that count, if not all do."""
    assert rows.weights is None, "merged rows have no order"
    keys = pack([rows.columns[name] for name in columns]).keys
    if people is not None:
        assert people.origin is not None
        return count(keys[people.origin]).of(keys)
    order = np.argsort(keys)
    sizes = np.diff(run_starts(keys[order]), append=len(keys))
    return _spread(sizes, sizes, order)


def record_class_modes(
    rows: WeightedRows, columns: Sequence[str], sensitive: str, people: WeightedRows | None = None
) -> Integers:
    """For each record, how often the commonest sensitive value of its class occurs there."""
    assert rows.weights is None, "merged rows have no order"
    classes = (people or rows).values_by_class(tuple(columns), sensitive)
    modes = np.maximum.reduceat(classes.counts, classes.starts)
    keys = pack([rows.columns[name] for name in columns]).keys
    if people is not None:
        return np.asarray(modes[np.searchsorted(np.unique(keys), keys)], np.int64)
    order = np.argsort(keys)
    return _spread(modes, np.diff(run_starts(keys[order]), append=len(keys)), order)


def told_class_modes(
    rows: WeightedRows, columns: Sequence[str], sensitive: str, people: WeightedRows | None, once: WeightedRows | None
) -> tuple[Integers, Integers]:
    """For each record, how many of its class tell the sensitive value, and how often the commonest occurs.

    people, once   if not all records count: those of each person in a class by value, and once for each person
    """
    assert rows.weights is None, "merged rows have no order"
    keys = pack([rows.columns[name] for name in columns]).keys
    told = np.flatnonzero(rows.columns[sensitive].codes != rows.columns[sensitive].code(None))
    counted, persons = (told if one is None else one.origin for one in (people, once))
    assert counted is not None
    assert persons is not None
    by_value = rows.taken(counted).values_by_class(tuple(columns), sensitive)
    modes = np.zeros(len(by_value.starts) + 1, np.int64)  # the last is of classes that tell nothing
    if len(by_value.starts):
        modes[:-1] = np.maximum.reduceat(by_value.counts, by_value.starts)
    there = np.unique(keys[counted])
    places = np.searchsorted(there, keys)
    known = np.append(there, there[-1:])[places] == keys if len(there) else np.zeros(len(keys), np.bool_)
    return count(keys[persons]).of(keys), modes[np.where(known, places, len(there))]


def _spread(per_class: Integers, sizes: Integers, order: Integers) -> Integers:
    """A number per class as one per record."""
    per_record = np.empty(len(order), np.int64)
    per_record[order] = np.repeat(per_class, sizes)
    return per_record


def shuffled_places(seed: int, records: int) -> Integers:
    """Which record comes where.

    The numbers of a bit generator are promised to stay the same; what makes permutations of them is not.

    >>> shuffled_places(7, 5).tolist()
    [3, 4, 0, 2, 1]
    """
    return np.argsort(np.random.PCG64(seed).random_raw(records), kind="stable")
