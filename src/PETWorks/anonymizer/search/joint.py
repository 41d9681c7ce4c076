"""One search for several thresholds of a rule and several limits on suppression: the points of a frontier."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.data_cube import FAR, KEPT_ROWS, MUCH_SMALLER, DataCube
from PETWorks.anonymizer.judge import Judge, Outcome
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.lost_columns import Keeping
from PETWorks.anonymizer.objectives import AGGREGATES, ByColumn, Granularity, Missings, Objective, Precision
from PETWorks.anonymizer.search.exact import Chooser, Progress, Solution, cheap, margin, rounding_of
from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers
from PETWorks.counting.memory.distinct_rows import PackedRows
from PETWorks.counting.subsets.kernels import compile_lazily

Reals = NDArray[np.float64]
FinerBound = tuple[int, int, Sequence[float] | None]  # index of the threshold, index of the least limit, added losses


class RaiseFinerBounds(Protocol):
    """Raises the lower bounds of finer nodes, and the least limit within which they may satisfy the rules."""

    def __call__(self, node: Node, conclusions: Sequence[FinerBound]) -> None:
        """Raise the bounds for each threshold that the outcome of a node allows conclusions about."""


class RaiseByArrays:
    """Raises bounds of whole boxes of nodes, for any objective."""

    def __init__(self, lattice: Lattice, objective: Objective, bounds: Reals, within: NDArray[np.int8]) -> None:
        self._lattice, self._objective, self._bounds, self._within = lattice, objective, bounds, within

    def __call__(self, node: Node, conclusions: Sequence[FinerBound]) -> None:
        """Raise the bounds of a node and all finer ones."""
        finer = self._lattice.finer(node)
        for threshold, least, _ in conclusions:
            here = self._within[threshold][finer]
            np.maximum(here, least, out=here)
        added = [(threshold, losses) for threshold, _, losses in conclusions if losses is not None]
        if added:
            raised = self._objective.finer_bounds(node, [losses for _, losses in added])
            for (threshold, _), finer_bounds in zip(added, raised, strict=True):
                here = self._bounds[threshold][finer]
                np.maximum(here, finer_bounds, out=here)


class RaiseByLoop:
    """Raises bounds in a compiled loop that skips closed nodes, for objectives that add up column losses."""

    def __init__(
        self, lattice: Lattice, objective: ByColumn, bounds: Reals, within: NDArray[np.int8], closed: int
    ) -> None:
        self._bounds, self._within = bounds.reshape(len(bounds), -1), within.reshape(len(within), -1)
        self._closed = closed
        self._low = np.array(lattice.low)
        self._strides = np.array(lattice.strides)
        self._lost = np.zeros((len(lattice.shape), max(lattice.shape)))
        for index, (lost, low, high) in enumerate(zip(objective.lost, lattice.low, lattice.high, strict=True)):
            self._lost[index, : high - low + 1] = lost[low : high + 1]
        self._objective, self._aggregate = objective, list(AGGREGATES).index(objective.aggregate)
        self._nothing = [0.0] * len(lattice.shape)

    def __call__(self, node: Node, conclusions: Sequence[FinerBound]) -> None:
        """Raise the bounds of a node and all finer ones."""
        added = np.array([self._nothing if losses is None else losses for _, _, losses in conclusions])
        raise_finer(
            self._bounds,
            self._within,
            self._closed,
            self._strides,
            np.array(node) - self._low,
            np.array([threshold for threshold, _, _ in conclusions]),
            np.array([least for _, least, _ in conclusions]),
            self._objective.weighted_levels(self._lost + added[:, :, np.newaxis]),
            np.array([losses is not None for _, _, losses in conclusions]),
            self._aggregate,
        )


WORTH_COMPILING = 1000  # nodes; for fewer, loading the compiler takes longer than it saves

Classes = tuple[Codes, Integers]  # keys, and the number of records of each


class SizeJudge:
    """Tests nodes for thresholds that each only need classes of some minimum size.

    It gives the same outcomes as `judges`, in their order.
    """

    def __init__(
        self, cube: DataCube, judges: Sequence[Judge], objective: Granularity | Precision | Missings, rows: PackedRows
    ) -> None:
        assert rows.weights is not None
        self._cube, self._objective, self._columns = cube, objective, judges[0].columns
        self._most = max(judge.max_suppressed for judge in judges)
        self._least = min(judge.smallest_limit for judge in judges)
        sizes = [_needed_size(judge, cube.records) for judge in judges]
        self._needed = np.array(sorted(set(sizes)), np.int64)
        self._size_index = np.searchsorted(self._needed, sizes)
        columns = cube.lattice.columns
        fields = [rows.field(name) for name in columns]
        self._shifts = np.array([field.shift for field in fields], np.uint64)
        self._masks = np.array([field.mask for field in fields], np.uint64)
        self._all_bits = np.bitwise_or.reduce(self._masks << self._shifts)
        self._lifts, self._lift_starts = self._make_lifts()
        self._values, self._value_starts = self._make_values()
        self._slots = np.zeros(1 << _slot_bits(len(rows.weights)), np.int32)
        low = np.array(cube.lattice.low)
        base = np.array([cube.base.levels[name] for name in columns])
        start = self._count_from((rows.packed_keys, rows.weights), base, low)
        self._starts = [start]
        # Levels and numbers of rows of the starts, with spare entries at the end.
        self._levels, self._rows = low[np.newaxis], np.array([len(start[0])])
        self._cached_rows = 0

    @classmethod
    def of(cls, cube: DataCube, judges: Sequence[Judge], objective: Objective) -> "SizeJudge | None":
        """Build it for these judges; None if more than class sizes matters, or if it is not worth compiling."""
        rows = cube.base.rows
        if cube.lattice.nodes < WORTH_COMPILING or not isinstance(rows, PackedRows) or rows.unit is not None:
            return None
        if not isinstance(objective, Granularity | Precision | Missings):
            return None
        if cube.removes and cube.has_stars_below_the_top:
            return None
        return cls(cube, judges, objective, rows) if all(judge.needs_a_size for judge in judges) else None

    def outcomes(self, node: Node, which: Integers) -> list[Outcome]:
        """The facts about a node that searches for the selected thresholds need."""
        keys, weights = self._classes(np.array(node))
        suppressed = np.zeros(len(self._needed), np.int64)
        added = np.zeros((len(self._needed), len(node)))
        starts = self._value_starts[np.arange(len(node)), node]
        judge_sizes(keys, weights, self._shifts, self._masks, self._values, starts, self._needed, suppressed, added)
        indices = self._size_index[which]
        records, added = suppressed[indices], added[indices]
        lost = [0 if self._columns is None else self._lost(node, keys, weights, size) for size in indices.tolist()]
        losses = np.full(len(indices), np.inf)
        within = records <= self._most
        if within.any():
            losses[within] = self._objective.losses(node, added[within])
        if self._cube.removes:  # something must be left
            is_empty = self._cube.is_all_stars(node)
            is_left = [not is_empty and number < int(weights.sum()) for number in records.tolist()]
            losses[~np.array(is_left, np.bool_)] = np.inf
        ties = self._objective.ties(node, added).tolist()
        columns = zip(records.tolist(), losses.tolist(), added.tolist(), lost, ties, strict=True)
        return [self._outcome(*numbers) for numbers in columns]

    def _lost(self, node: Node, keys: Codes, weights: Integers, size: int) -> int:
        """The columns that are lost where classes smaller than a needed size, given by index, are suppressed."""
        assert self._columns is not None
        small = weights < self._needed[size]
        records = weights[small]

        def suppressed_of(index: int) -> Integers:
            codes = (keys[small] >> self._shifts[index] & self._masks[index]).astype(np.int64)
            values = len(self._cube.on_level(self._cube.lattice.columns[index], node[index]).labels)
            return np.bincount(codes, records, values).astype(np.int64)

        return self._columns.lost_without(node, int(records.sum()), suppressed_of)

    def _outcome(self, records: int, loss: float, added: list[float], lost: int, tie: float) -> Outcome:
        """The outcome of a node for a threshold, equal to that of `Judge`."""
        lasting = records if records > self._least else 0
        if records > self._most:
            return Outcome(None, None, lasting, None, None)
        is_bound = records and self._objective.adds_more_below
        below = tuple(added) if is_bound else None
        if loss == np.inf:
            return Outcome(None, None, lasting, below, None)
        return Outcome(records, loss, lasting, below, None, lost=lost, tie=tie)

    def _classes(self, node: Integers) -> Classes:
        """The classes of a node, counted from the smallest finer one in the cache."""
        nearest = nearest_start(self._levels, self._rows, len(self._starts), node)
        start, low = self._starts[nearest], self._levels[nearest]
        classes = self._count_from(start, low, node)
        if len(classes[0]) * FAR < len(start[0]):  # cheaper to count nearby nodes from here
            below = np.maximum(node - 1, low)
            self._cache(below, self._count_from(start, low, below), start)
        self._cache(node, classes, start)
        return classes

    def _cache(self, node: Integers, classes: Classes, start: Classes) -> None:
        """Cache the classes of a node as a start for others, if clearly fewer than those they were counted from."""
        rows = len(classes[0])
        if self._cached_rows + rows <= KEPT_ROWS and rows < MUCH_SMALLER * len(start[0]):
            self._cached_rows += rows
            index = len(self._starts)
            if index == len(self._rows):
                self._levels, self._rows = np.repeat(self._levels, 2, axis=0), np.repeat(self._rows, 2)
            self._starts.append(classes)
            self._levels[index], self._rows[index] = node, rows

    def _count_from(self, start: Classes, low: Integers, high: Integers) -> Classes:
        """The classes of a node, counted from those of a finer one."""
        keys, weights = np.empty_like(start[0]), np.empty_like(start[1])
        lifted = np.flatnonzero(low != high)
        shifts, masks = self._shifts[lifted], self._masks[lifted]
        kept = self._all_bits & ~np.bitwise_or.reduce(masks << shifts)
        starts = self._lift_starts[lifted, low[lifted], high[lifted]]
        bits = _slot_bits(len(keys))
        number = count_classes(*start, kept, shifts, masks, self._lifts, starts, bits, self._slots, keys, weights)
        return keys[:number].copy(), weights[:number].copy()

    def _make_lifts(self) -> tuple[Codes, Integers]:
        """The new codes of each column from each level to each higher one, and the index where each begins."""
        columns, lattice = self._cube.lattice.columns, self._cube.base.lattice
        heights = [self._cube.view.hierarchies[name].height for name in columns]
        starts = np.zeros((len(columns), max(heights) + 1, max(heights) + 1), np.int64)
        tables, length = [], 0
        for index, name in enumerate(columns):
            for low in range(self._cube.base.levels[name], heights[index] + 1):
                for high in range(low, heights[index] + 1):
                    lift = lattice.lift(name, low, high)
                    assert lift is not None
                    starts[index, low, high] = length
                    tables.append(lift.new_codes)
                    length += len(lift.new_codes)
        return np.concatenate(tables), starts

    def _make_values(self) -> tuple[NDArray[np.float64], Integers]:
        """The loss added by suppressing a record, by column, level and code, and the index where each begins."""
        by_value = self._objective.by_value
        starts = np.zeros((len(by_value), max(map(len, by_value))), np.int64)
        length = 0
        for index, levels in enumerate(by_value):
            for level, values in enumerate(levels):
                starts[index, level] = length
                length += len(values)
        return np.concatenate([values for levels in by_value for values in levels]), starts


def _needed_size(judge: Judge, records: int) -> int:
    """The smallest class size that passes all tests; if a size fails, all smaller ones do."""
    low, high = 1, records + 1
    while low < high:
        middle = (low + high) // 2
        if judge.too_small(np.array([middle]))[0]:
            low = middle + 1
        else:
            high = middle
    return low


def _slot_bits(keys: int) -> int:
    """The bits of a slot number in a hash table for this many keys."""
    return max(4, (2 * keys - 1).bit_length())


class JointSearch:
    """A search for several thresholds, each with its own judge, and for several limits.

    limits    the numbers of records that may be suppressed, ascending
    bests     for each threshold and each limit, the best solution
    found     for each threshold, all nodes that satisfy the rules
    checked   the number of nodes counted
    """

    def __init__(
        self,
        cube: DataCube,
        objective: Objective,
        judges: Sequence[Judge],
        limits: Sequence[int],
        keeping: Keeping | None = None,
    ) -> None:
        self._keeping, self._records = keeping or Keeping(), cube.records
        self.found: list[list[Solution]] = [[] for _ in judges]
        self.lattice, self.objective, self.judges, self.limits = cube.lattice, objective, judges, limits
        self.bests: list[list[Solution | None]] = [[None] * len(limits) for _ in judges]
        self.checked = 0
        bounds = objective.bounds()
        self._rounding = rounding_of(objective, bounds)
        self._bounds = np.repeat(bounds[np.newaxis], len(judges), axis=0)
        # For each node the index of the smallest limit within which it may satisfy the rules; closed beyond the last.
        self._within = np.zeros(self._bounds.shape, np.int8)
        # For each limit, the largest lower bound of nodes worth testing; none for closed nodes.
        self._most_lost = np.full((len(judges), len(limits) + 1), np.inf)
        self._most_lost[:, -1] = -np.inf
        # Indices of nodes that may still be tested.
        self._open = [np.arange(self.lattice.nodes)] * len(judges)
        self._choosers = [Chooser(self.lattice) for _ in judges]
        self._by_size = SizeJudge.of(cube, judges, objective)
        self._raise_finer: RaiseFinerBounds = RaiseByArrays(self.lattice, objective, self._bounds, self._within)
        if self._by_size is not None and isinstance(objective, ByColumn):
            self._raise_finer = RaiseByLoop(self.lattice, objective, self._bounds, self._within, len(limits))

    def run(self, thresholds: Sequence[int], progress: Callable[[Progress], None] | None = None) -> None:
        """Test nodes until the best ones are known, for one threshold after the other, given by index.

        With the strictest first, the others start with a solution: nodes that satisfy stricter rules satisfy theirs.
        """
        for threshold in thresholds:
            while (node := self._next_node(threshold)) is not None:
                self._look_at(node)
                if progress is not None and self.checked % 16 == 0:
                    progress(self._progress(threshold))
        for threshold in thresholds if self._keeping.wanted else []:
            for limit, best in enumerate(self.bests[threshold]):
                if best is not None and best.losing(self._keeping.wanted):
                    self.bests[threshold][limit] = self._keep_columns(threshold, limit, best)

    def _keep_columns(self, threshold: int, limit: int, best: Solution) -> Solution:
        """The choice that costs little more than the best solution for a limit and loses the fewest columns."""
        columns, keeping = self.judges[threshold].columns, self._keeping
        assert columns is not None
        within = cheap(best, keeping, self._records)
        losing = columns.always_lost(self.lattice, keeping.wanted)
        losing[columns.always_lost(self.lattice, keeping.demanded) > 0] = len(self.lattice.columns) + 1
        for most_lost in range(within.most_lost):
            required = replace(
                within, most_lost=most_lost, most_suppressed=min(within.most_suppressed, self.limits[limit])
            )
            indices = np.flatnonzero(losing.reshape(-1) <= most_lost)
            while True:
                admitted = min(filter(required.admits, self.found[threshold]), default=None)
                most = within.most_loss
                if admitted is not None:
                    most = min(most, admitted.loss + margin(admitted.loss, self._rounding))
                bounds = self._bounds[threshold].reshape(-1)
                is_open = self._within[threshold].reshape(-1)[indices] <= limit
                indices = indices[is_open & (bounds[indices] <= most)]
                if not len(indices):
                    break
                has_solution = admitted is not None
                chosen = self._choosers[threshold](indices, bounds[indices], has_solution=has_solution)
                self._look_at(self.lattice.node_at(chosen), threshold, most)
            if admitted is not None:
                return admitted
        return best

    def _progress(self, threshold: int) -> Progress:
        found = [best.loss for best in self.bests[threshold] if best is not None]
        bounds = self._bounds[threshold][self._within[threshold] < len(self.limits)]
        least = float(bounds.min()) if bounds.size else np.inf
        return Progress(self.checked, min(found, default=None), min([least, *found]))

    def _next_node(self, threshold: int) -> Node | None:
        """The node to test next; None if the best ones are known."""
        bounds, within = self._bounds[threshold].reshape(-1), self._within[threshold].reshape(-1)
        indices = self._open[threshold]
        is_open = bounds[indices] <= self._most_lost[threshold].take(within[indices])
        indices = self._open[threshold] = indices[is_open]
        if len(indices) == 0:
            return None
        has_solution = self.bests[threshold][-1] is not None
        if has_solution or self.judges[threshold].may_rule_out:
            chosen = self._choosers[threshold](indices, bounds[indices], has_solution=has_solution)
            return self.lattice.node_at(chosen)
        return self.lattice.node_at(int(indices[np.argmin(bounds[indices])]))

    def _look_at(self, node: Node, wanted: int | None = None, most: float = -np.inf) -> None:
        """Count a node, test it for every threshold for which it may matter, and draw conclusions.

        wanted   a threshold for which it matters in any case, if its loss is at most `most`
        """
        index = self.lattice.index_of(node)
        all_thresholds = np.arange(len(self.judges))
        bounds = self._bounds.reshape(len(all_thresholds), -1)[:, index]
        within = self._within.reshape(len(all_thresholds), -1)[:, index]
        concerned = np.flatnonzero((bounds <= self._most_lost[all_thresholds, within]) | (all_thresholds == wanted))
        outcomes = self._outcomes(node, concerned, most)
        conclusions: list[FinerBound] = []  # about finer nodes
        for threshold, outcome in zip(concerned.tolist(), outcomes, strict=True):
            self._keep_best(threshold, node, outcome)
            if outcome.given_up_at is not None:
                bounds = self._bounds[threshold].reshape(-1)
                bounds[index] = max(bounds[index], outcome.given_up_at)
            else:
                self._within[threshold].reshape(-1)[index] = len(self.limits)
            least = bisect_left(self.limits, outcome.lasting)
            added = outcome.added if least < len(self.limits) else None
            if least or added is not None:
                conclusions.append((threshold, least, added))
            if outcome.coarser is not None:
                here = self._bounds[threshold][self.lattice.coarser(node)]
                np.maximum(here, outcome.coarser, out=here)
        if conclusions:
            self._raise_finer(node, conclusions)
        self.checked += 1

    def _outcomes(self, node: Node, concerned: Integers, most_loss: float) -> list[Outcome]:
        if self._by_size is not None:
            return self._by_size.outcomes(node, concerned)
        most = np.maximum(self._most_lost.max(axis=1), most_loss)
        return [self.judges[threshold].outcome(node, most[threshold]) for threshold in concerned.tolist()]

    def _keep_best(self, threshold: int, node: Node, outcome: Outcome) -> None:
        """Record a node as the best solution for those limits for which it is."""
        if outcome.records is None or outcome.loss is None:
            return
        solution = Solution(node, outcome.loss, outcome.records, self._rounding, outcome.lost, outcome.tie)
        if solution.lost & self._keeping.demanded:
            return
        self.found[threshold].append(solution)
        bests = self.bests[threshold]
        for index in range(bisect_left(self.limits, outcome.records), len(self.limits)):
            best = bests[index]
            if best is None or solution < best:
                bests[index] = solution
                self._most_lost[threshold, index] = solution.loss + margin(solution.loss, self._rounding)


GEOMETRIC, ARITHMETIC, SUM, MAXIMUM = range(4)  # how the losses of columns become one number
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, and its multiples are far apart


@compile_lazily
def nearest_start(levels: Integers, rows: Integers, number: int, node: Integers) -> int:
    """The index of the smallest of the first `number` starts that are coarser than a node in no column."""
    nearest = np.int64(0)
    for start in range(1, number):
        if rows[start] < rows[nearest]:
            column = 0
            while column < len(node) and levels[start, column] <= node[column]:
                column += 1
            if column == len(node):
                nearest = start
    return nearest


@compile_lazily
def count_classes(
    keys: Codes,
    weights: Integers,
    kept: int,
    shifts: Codes,
    masks: Codes,
    lifts: Codes,
    lift_starts: Integers,
    slot_bits: int,
    slots: Codes,
    new_keys: Codes,
    new_weights: Integers,
) -> int:
    """Lift some columns of keys (given by shift, mask and new codes), and merge equal keys.

    `kept` has the bits of the unchanged columns; `slots` is the memory for a hash table with at least twice as many
    slots as there are keys. Returns the number of keys left.
    """
    size = np.int64(1) << np.int64(slot_bits)
    last = np.uint64(size - 1)
    down = np.uint64(64 - slot_bits)
    for slot in range(size):
        slots[slot] = 0
    number = np.int64(0)
    for row in range(len(keys)):
        key = keys[row] & kept
        for column in range(len(shifts)):
            code = np.int64(keys[row] >> shifts[column] & masks[column])
            key |= lifts[lift_starts[column] + code] << shifts[column]
        slot = key * HASH_FACTOR >> down
        while slots[slot] and new_keys[slots[slot] - 1] != key:
            slot = slot + np.uint64(1) & last
        if slots[slot]:
            new_weights[slots[slot] - 1] += weights[row]
        else:
            new_keys[number], new_weights[number] = key, weights[row]
            number += 1
            slots[slot] = number
    return number


@compile_lazily
def judge_sizes(
    keys: Codes,
    weights: Integers,
    shifts: Codes,
    masks: Codes,
    values: NDArray[np.float64],
    value_starts: Integers,
    needed: Integers,
    suppressed: Integers,
    added: NDArray[np.float64],
) -> None:
    """Add, for each needed size, ascending, the number of records in smaller classes and the loss of suppressing them.

    `values` is the loss added by suppressing a record, by column and code; `added` is by size and column.
    """
    for row in range(len(keys)):
        weight = weights[row]
        if weight >= needed[-1]:
            continue
        first = 0
        while weight >= needed[first]:
            first += 1
        suppressed[first] += weight
        for column in range(len(shifts)):
            code = np.int64(keys[row] >> shifts[column] & masks[column])
            added[first, column] += weight * values[value_starts[column] + code]
    for size in range(1, len(needed)):
        suppressed[size] += suppressed[size - 1]
        for column in range(len(shifts)):
            added[size, column] += added[size - 1, column]


@compile_lazily
def raise_finer(
    bounds: NDArray[np.float64],
    within: NDArray[np.int8],
    closed: int,
    strides: Integers,
    levels: Integers,
    thresholds: Integers,
    least: Integers,
    parts: NDArray[np.float64],
    is_known: NDArray[np.bool_],
    aggregate: int,
) -> None:
    """Raise, for some thresholds, the bounds of a node and all finer ones, and the indices of their least limits.

    Bounds and indices are by threshold and node; closed nodes are skipped. `levels` are those of the node relative to
    the lowest ones. `parts` is the lower bound on the loss of each column on each level, for the thresholds where it
    `is_known`. The index of a node is the sum of its levels, each times the stride of its column.
    """
    last = len(levels) - 1
    level = np.zeros(len(levels), np.int64)
    combined = np.zeros(len(levels))  # the loss of the columns before each one
    if aggregate == GEOMETRIC:
        combined[0] = 1.0
    elif aggregate == MAXIMUM:
        combined[0] = -np.inf
    for number in range(len(thresholds)):
        threshold = thresholds[number]
        raises = is_known[number]
        level[:] = 0
        first, column = np.int64(0), 0
        while column >= 0:
            while column < last:
                part = parts[number, column, level[column]]
                if aggregate == GEOMETRIC:
                    combined[column + 1] = combined[column] * part
                elif aggregate == MAXIMUM:
                    combined[column + 1] = max(combined[column], part)
                else:
                    combined[column + 1] = combined[column] + part
                column += 1
            for last_level in range(levels[last] + 1):
                node = first + last_level
                if within[threshold, node] >= closed:
                    continue
                if within[threshold, node] < least[number]:
                    within[threshold, node] = least[number]
                if raises:
                    part = parts[number, last, last_level]
                    if aggregate == GEOMETRIC:
                        loss = (combined[last] * part) ** (1 / len(levels)) - 1
                    elif aggregate == MAXIMUM:
                        loss = max(combined[last], part)
                    else:
                        loss = combined[last] + part
                        if aggregate == ARITHMETIC:
                            loss = loss / len(levels)
                    if loss > bounds[threshold, node]:
                        bounds[threshold, node] = loss
            column = last - 1
            while column >= 0 and level[column] == levels[column]:
                first -= level[column] * strides[column]
                level[column] = 0
                column -= 1
            if column >= 0:
                level[column] += 1
                first += strides[column]
