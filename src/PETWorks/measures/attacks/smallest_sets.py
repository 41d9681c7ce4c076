"""By which few attributes records stand out: the smallest set whose group is too small, or breaks a rule."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import pack
from PETWorks.counting.release import Release
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.errors import ParameterError
from PETWorks.measures.attacks.records import record_class_sizes, table_in_memory

Mask = NDArray[np.bool_]

MOST_WORK = 1 << 27  # rows that are looked at: a minute or two
EACH_PASS = 1 << 12  # rows that could be looked at in the time that a pass takes in any case
NONE = -1


@dataclass(frozen=True, eq=False)
class SmallestSets:
    """For each item a place in `sets`, NONE where no set was found; a set is some of the columns."""

    sets: tuple[tuple[str, ...], ...]
    places: Integers


def smallest_sets(
    columns: Sequence[str], items: int, rows: int, stands_out: Callable[[tuple[str, ...], Integers], Mask]
) -> SmallestSets:
    """For each item the smallest set of columns by which it stands out; of several, the first in their order.

    Sets of one column come first, then those of two, as many as there is time for: each set takes a pass over the rows.

    stands_out   told a set and some items: which of these stand out by it
    """
    found, left = np.full(items, NONE, np.int64), np.arange(items)
    sets: list[tuple[str, ...]] = []
    for size in range(1, largest_size(len(columns), rows) + 1):
        for chosen in combinations(columns, size):
            if not len(left):
                break
            hit = stands_out(chosen, left)
            if hit.any():
                found[left[hit]] = len(sets)
                sets.append(chosen)
                left = left[~hit]
    return SmallestSets(tuple(sets), found)


def largest_size(columns: int, rows: int) -> int:
    """How many columns a set can have so that there is time for all sets up to that size; at least one."""
    passes = columns
    for size in range(2, columns + 1):
        passes += comb(columns, size)
        if not is_affordable(passes, rows):
            return size - 1
    return columns


def is_affordable(passes: int, rows: int) -> bool:
    """Whether there is time for so many passes over the rows."""
    return passes * (rows + EACH_PASS) <= MOST_WORK


def checked_below(below: int) -> int:
    """A number of records that classes may have fewer of."""
    if type(below) is not int or below < 2:
        raise ParameterError(
            "expected below as a number of records, 2 or more; got {below!r}", below=below, what="below"
        )
    return below


def in_groups_below(release: Release, below: int) -> SmallestSets:
    """For each record, in the order of the input, the smallest set by which it shares its values with too few.

    Records of classes of `below` records or more have none. No record stands aside, as to an adversary.

    >>> roles = dict.fromkeys(["age", "sex"], "quasi_identifier")
    >>> found = in_groups_below(Release({"age": [20, 30, 30, 30], "sex": ["f", "f", "m", "m"]}, roles), 2)
    >>> [found.sets[place] if place >= 0 else None for place in found.places.tolist()]
    [('age',), ('age', 'sex'), None, None]
    """
    table, columns = table_in_memory(release), release.quasi_identifiers
    names = columns if table.unit is None else (*columns, table.unit)
    rows = WeightedRows({name: table.columns[name] for name in names}, table.unit).distinct()
    distinct, first = np.unique(rows._packed(columns).keys, return_index=True)
    own = np.searchsorted(distinct, pack([table.columns[name] for name in columns]).keys)
    small = np.zeros(len(distinct), np.bool_)
    small[own] = record_class_sizes(release) < checked_below(below)
    of_small = first[small]

    def is_in_few(chosen: tuple[str, ...], items: Integers) -> Mask:
        kept = chosen if rows.unit is None else (*chosen, rows.unit)
        some = WeightedRows({name: rows.columns[name] for name in kept}, rows.unit, rows.weights, whole=False)
        counted = some if rows.unit is None else some.per_person(chosen)
        keys = some._packed(chosen).keys
        groups = np.searchsorted(np.unique(keys), keys[of_small[items]])
        return np.asarray(counted._sizes(chosen)[groups] < below)

    found = smallest_sets(columns, len(of_small), len(first), is_in_few)
    places = np.full(len(distinct), NONE, np.int64)
    places[small] = found.places
    return SmallestSets(found.sets, places[own])
