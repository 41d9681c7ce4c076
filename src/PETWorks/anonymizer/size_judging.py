"""Nodes judged for several class sizes at once, where nothing but the sizes of classes matters.

A frontier over class sizes looks at thousands of nodes, most of them with few classes, and what NumPy needs for each
call is most of the time there. Compiled loops need less.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.column_objectives import Granularity, Missings, Precision
from PETWorks.anonymizer.ground import FAR, KEPT_ROWS, MUCH_SMALLER, Ground
from PETWorks.anonymizer.judging import Judge, Outcome
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.objectives import Objective
from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers
from PETWorks.counting.packed_rows import PackedRows

WORTH_COMPILING = 1000  # nodes; with fewer, loading the compiler takes longer than it saves

Classes = tuple[Codes, Integers]  # keys, and how many records each has


class SizeJudge:
    """Judges nodes for thresholds that each need classes of a size.

    It stands for `judges`, whose order its outcomes have.
    """

    def __init__(
        self, ground: Ground, judges: Sequence[Judge], objective: Granularity | Precision | Missings, rows: PackedRows
    ) -> None:
        assert rows.weights is not None
        self._ground, self._objective = ground, objective
        self._most = max(judge.most for judge in judges)
        self._least = min(judge.least for judge in judges)
        sizes = [_needed_size(judge, ground.records) for judge in judges]
        self._needed = np.array(sorted(set(sizes)), np.int64)
        self._place_of = np.searchsorted(self._needed, sizes)
        columns = ground.lattice.columns
        fields = [rows.field(name) for name in columns]
        self._shifts = np.array([field.shift for field in fields], np.uint64)
        self._masks = np.array([field.mask for field in fields], np.uint64)
        self._all_bits = np.bitwise_or.reduce(self._masks << self._shifts)
        self._lifts, self._lift_starts = self._all_lifts()
        self._values, self._value_starts = self._all_values()
        self._slots = np.zeros(1 << _slot_bits(len(rows.weights)), np.int32)
        low = np.array(ground.lattice.low)
        base = np.array([ground.base.levels[name] for name in columns])
        start = self._counted((rows.packed_keys, rows.weights), base, low)
        self._starts = [start]
        self._levels, self._rows = low[np.newaxis], np.array([len(start[0])])  # of the starts, with room for more
        self._kept = 0

    @classmethod
    def of(cls, ground: Ground, judges: Sequence[Judge], objective: Objective) -> "SizeJudge | None":
        """For such judges; None if more than the sizes of classes matters, or if it is not worth it."""
        rows = ground.base.rows
        if ground.lattice.nodes < WORTH_COMPILING or not isinstance(rows, PackedRows) or rows.unit is not None:
            return None
        if not isinstance(objective, Granularity | Precision | Missings):
            return None
        if ground.removes and ground.has_stars_below_the_top:
            return None
        return cls(ground, judges, objective, rows) if all(judge.needs_a_size for judge in judges) else None

    def outcomes(self, node: Node, which: Integers) -> list[Outcome]:
        """What searches for some of the thresholds have to know of a node."""
        from PETWorks.anonymizer.size_kernels import judge_sizes

        keys, weights = self._classes(np.array(node))
        suppressed = np.zeros(len(self._needed), np.int64)
        added = np.zeros((len(self._needed), len(node)))
        starts = self._value_starts[np.arange(len(node)), node]
        judge_sizes(keys, weights, self._shifts, self._masks, self._values, starts, self._needed, suppressed, added)
        places = self._place_of[which]
        records, added = suppressed[places], added[places]
        losses = np.full(len(places), np.inf)
        within = records <= self._most
        if within.any():
            losses[within] = self._objective.losses(node, added[within])
        if self._ground.removes:  # something must be left
            nothing = self._ground.is_all_stars(node)
            is_left = [not nothing and number < int(weights.sum()) for number in records.tolist()]
            losses[~np.array(is_left, np.bool_)] = np.inf
        each = zip(records.tolist(), losses.tolist(), added.tolist(), strict=True)
        return [self._outcome(*of_one) for of_one in each]

    def _outcome(self, records: int, loss: float, added: list[float]) -> Outcome:
        """As `Judge` would say it."""
        lasting = records if records > self._least else 0
        if records > self._most:
            return Outcome(None, None, lasting, None, None)
        is_bound = records and self._objective.adds_more_below
        below = tuple(added) if is_bound else None
        if loss == np.inf:
            return Outcome(None, None, lasting, below, None)
        return Outcome(records, loss, lasting, below, None)

    def _classes(self, node: Integers) -> Classes:
        """The classes of a node, counted from the smallest finer one that was kept."""
        from PETWorks.anonymizer.size_kernels import nearest_start

        nearest = nearest_start(self._levels, self._rows, len(self._starts), node)
        start, low = self._starts[nearest], self._levels[nearest]
        classes = self._counted(start, low, node)
        if len(classes[0]) * FAR < len(start[0]):  # nodes nearby have a shorter way from here
            below = np.maximum(node - 1, low)
            self._keep(below, self._counted(start, low, below), start)
        self._keep(node, classes, start)
        return classes

    def _keep(self, node: Integers, classes: Classes, start: Classes) -> None:
        """Keep the classes of a node as a start for others, if clearly fewer than what they were counted from."""
        rows = len(classes[0])
        if self._kept + rows <= KEPT_ROWS and rows < MUCH_SMALLER * len(start[0]):
            self._kept += rows
            place = len(self._starts)
            if place == len(self._rows):
                self._levels, self._rows = np.repeat(self._levels, 2, axis=0), np.repeat(self._rows, 2)
            self._starts.append(classes)
            self._levels[place], self._rows[place] = node, rows

    def _counted(self, start: Classes, low: Integers, high: Integers) -> Classes:
        """Classes of a node, from those of a finer one."""
        from PETWorks.anonymizer.size_kernels import count_classes

        keys, weights = np.empty_like(start[0]), np.empty_like(start[1])
        lifted = np.flatnonzero(low != high)
        shifts, masks = self._shifts[lifted], self._masks[lifted]
        kept = self._all_bits & ~np.bitwise_or.reduce(masks << shifts)
        starts = self._lift_starts[lifted, low[lifted], high[lifted]]
        bits = _slot_bits(len(keys))
        number = count_classes(*start, kept, shifts, masks, self._lifts, starts, bits, self._slots, keys, weights)
        return keys[:number].copy(), weights[:number].copy()

    def _all_lifts(self) -> tuple[Codes, Integers]:
        """The new codes of each column from each level to each higher one, and where these begin."""
        columns, lattice = self._ground.lattice.columns, self._ground.base.lattice
        heights = [self._ground.view.hierarchies[name].height for name in columns]
        starts = np.zeros((len(columns), max(heights) + 1, max(heights) + 1), np.int64)
        tables, length = [], 0
        for place, name in enumerate(columns):
            for low in range(self._ground.base.levels[name], heights[place] + 1):
                for high in range(low, heights[place] + 1):
                    lift = lattice.lift(name, low, high)
                    assert lift is not None
                    starts[place, low, high] = length
                    tables.append(lift.new_codes)
                    length += len(lift.new_codes)
        return np.concatenate(tables), starts

    def _all_values(self) -> tuple[NDArray[np.float64], Integers]:
        """What suppressing a record adds, by column, level and code, and where these begin."""
        by_value = self._objective.by_value
        starts = np.zeros((len(by_value), max(map(len, by_value))), np.int64)
        length = 0
        for place, levels in enumerate(by_value):
            for level, values in enumerate(levels):
                starts[place, level] = length
                length += len(values)
        return np.concatenate([values for levels in by_value for values in levels]), starts


def _needed_size(judge: Judge, records: int) -> int:
    """The smallest size of a class that fails no test. Smaller ones than a class that fails do, too."""
    low, high = 1, records + 1
    while low < high:
        middle = (low + high) // 2
        if judge.too_small(np.array([middle]))[0]:
            low = middle + 1
        else:
            high = middle
    return low


def _slot_bits(keys: int) -> int:
    """Bits of the number of places in a hash table of so many keys."""
    return max(4, (2 * keys - 1).bit_length())
