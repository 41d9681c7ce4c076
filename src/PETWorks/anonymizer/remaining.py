"""The records that a sweep has not released yet, and those of their classes on a node that are large enough.

Most nodes have no class that is large enough, so many of them are ruled out at once. For that, each value is a random
number, and a record on a node is the sum of the numbers of its values. Records of one class have the same sum. Should
other records have it too, the node is not ruled out and is counted exactly.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.ground import Ground
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import Field, count, pack
from PETWorks.measures.class_tests import Mask

Sums = NDArray[np.uint32]

SHRUNK = 0.8  # once so much of the records is left, those that were released are dropped
TABLE = 1 << 20  # sums that are kept of several columns together
MANY = 16  # records that rarely have the same first bits by chance
TOGETHER = 1 << 17  # sums of several nodes that are looked at together: they stay in the cache


class Remaining:
    """Records that are not released yet; `least` of them are enough for a class."""

    def __init__(self, ground: Ground, least: int, places: Integers | None = None) -> None:
        rows, lattice = ground.base.rows, ground.lattice
        assert rows.weights is not None
        self._ground, self._least, self._weights = ground, least, rows.weights
        self._codes = [rows.columns[name].codes for name in lattice.columns]
        places = np.arange(len(rows.weights)) if places is None else places
        self.records = int(rows.weights[places].sum())
        self._keep(places)

    @property
    def rows(self) -> Integers:
        """The places of their distinct rows."""
        return self._rows[self._there]

    def release(self, rows: Integers) -> bool:
        """Take out distinct rows, by their places; whether these are so many that the others are looked at anew."""
        self._there[np.searchsorted(self._rows, rows)] = False
        self.records -= int(self._weights[rows].sum())
        if self.records > SHRUNK * self._before:
            return False
        if self.records >= self._least:
            self._keep(self.rows)
        return True

    def _keep(self, rows: Integers) -> None:
        self._rows, self._before = rows, self.records
        self._there = np.ones(len(rows), np.bool_)
        # Each record counts, but no more of a row than are enough for a class.
        times = np.minimum(self._weights[rows], self._least)
        self._first, self._counted = np.cumsum(times) - times, int(times.sum())
        self._sums = self._tables(np.repeat(rows, times))

    @cached_property
    def _numbers(self) -> list[Sums]:
        """For each column a random number for each code; on higher levels there are no more of them."""
        random = np.random.default_rng(1)
        return [
            random.integers(0, 1 << 32, len(self._ground.codes_on_level(name, 0)), np.uint32, endpoint=False)
            for name in self._ground.lattice.columns
        ]

    def _tables(self, rows: Integers) -> list[Sums]:
        """For each node of some columns, and each row, the sum; together the tables have all columns, in order."""
        lattice = self._ground.lattice
        tables: list[Sums] = []
        for name, low, high, codes, numbers in zip(
            lattice.columns, lattice.low, lattice.high, self._codes, self._numbers, strict=True
        ):
            own = codes[rows]
            levels = [numbers[self._ground.codes_on_level(name, level)][own] for level in range(low, high + 1)]
            table = np.stack(levels)
            if tables and len(tables[-1]) * table.size <= TABLE:
                table = (tables.pop()[:, np.newaxis] + table).reshape(-1, len(own))
            tables.append(table)
        return tables

    def _summed(self, places: Integers) -> Sums:
        """For each of some nodes, and each record, the sum."""
        rest, parts = places, []
        for table in reversed(self._sums):
            rest, own = np.divmod(rest, len(table))
            parts.append(table[own])
        total = parts[0]
        for part in parts[1:]:
            total += part
        return total

    @property
    def together(self) -> int:
        """How many nodes are best looked at together."""
        return max(1, TOGETHER // max(1, self._counted))

    def promising(self, places: Integers) -> Mask:
        """Which of some nodes may have a class that is large enough."""
        if self._least == 1 or self.together == 1:  # to count exactly takes no longer
            return np.ones(len(places), np.bool_)
        sums = self._summed(places)
        hopeful = self._crowded(sums)
        sums = sums[hopeful]
        sums.sort(axis=1)
        hopeful[hopeful] = (sums[:, self._least - 1 :] == sums[:, : 1 - self._least]).any(axis=1)
        return hopeful

    def _crowded(self, sums: Sums) -> Mask:
        """Which nodes have enough records whose sums begin with the same bits: quicker than to sort, but rougher."""
        if self._least < MANY:
            return np.ones(len(sums), np.bool_)
        bits = max(1, sums.shape[1].bit_length() - 1)
        bins = sums >> (32 - bits)
        bins += (np.arange(len(sums), dtype=np.uint32) << bits)[:, np.newaxis]
        counts = np.bincount(bins.reshape(-1), minlength=len(sums) << bits).reshape(len(sums), -1)
        return np.asarray(counts.max(axis=1) >= self._least)

    def large(self, place: int) -> tuple[Integers, Integers] | None:
        """Of a node: the distinct rows in classes that are large enough, and the size of the class of each."""
        there = self._there.nonzero()[0]
        # Too many may have the same first bits, but never too few.
        bits = min(32, len(there).bit_length() + 1)
        bins = self._summed(np.array([place]))[0][self._first[there]] >> (32 - bits)
        several = np.bincount(bins, self._weights[self._rows[there]])[bins] >= self._least
        rows = self._rows[there[several]]
        if not len(rows):
            return None
        sizes = self._sizes(place, rows)
        enough = sizes >= self._least
        return (rows[enough], sizes[enough]) if enough.any() else None

    def _sizes(self, place: int, rows: Integers) -> Integers:
        """For each of some rows, how many records of these rows are in its class."""
        lattice = self._ground.lattice
        fields = []
        for name, level, codes in zip(lattice.columns, lattice.node(place), self._codes, strict=True):
            on_level = self._ground.codes_on_level(name, level)
            fields.append(Field(on_level[codes[rows]].astype(np.uint64), int(on_level.max()).bit_length()))
        keys = pack(fields).keys
        return count(keys, weights=self._weights[rows]).of(keys)
