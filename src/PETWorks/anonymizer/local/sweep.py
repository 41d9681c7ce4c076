"""Local recoding: nodes are visited in order of loss, and each releases the classes that satisfy the rules."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.objectives import Ambiguity, ByColumn, Objective, PublisherPayout, Reals
from PETWorks.anonymizer.recoding import NOT_RELEASED, Recoder, view_after
from PETWorks.counting.codes import Column, narrowest_type
from PETWorks.counting.counts import Integers, weighted_sum
from PETWorks.counting.keys import Field, pack, rank_keys
from PETWorks.counting.memory.distinct_rows import RolledUpRows
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.subsets.kernels import compile_lazily
from PETWorks.counting.view import View
from PETWorks.measures.classes import Mask
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED

STAR = 0  # the code of `*` in each column of a sweep


@dataclass(frozen=True)
class LocalSteps:
    """The steps that make a release by local recoding again, from the same table or from another one.

    nodes     the nodes to sweep over, in this order
    least     the minimum number of records per class
    lowest    the lowest level of each column in classes that are divided after the sweep; None if none is
    homes     classes are taken out of larger ones, the homes, which must keep the rules without them; the table is
              divided into homes until they have fewer records than this. None if there are no homes
    power     if columns that lose much count more, so that none is lost: the power of the losses that are added up
    """

    nodes: tuple[Node, ...]
    least: int
    lowest: Node | None = None
    homes: int | None = None
    power: int | None = None


@dataclass(frozen=True, eq=False)
class Sweep:
    """The node on which each distinct row is released.

    nodes     the nodes that release rows, in the order of the sweep
    on_node   for each distinct row its index in `nodes`, or NOT_RELEASED
    least     the minimum number of records per class
    made_by   how it is made again; by default by the same sweep
    """

    cube: DataCube
    nodes: tuple[Node, ...]
    on_node: Integers
    least: int = 1
    made_by: LocalSteps | None = None

    @property
    def steps(self) -> LocalSteps:
        """The steps that make the same release again."""
        return self.made_by or LocalSteps(self.nodes, self.least)

    @classmethod
    def on_one_node(cls, classes: NodeClasses, suppressed: Mask) -> "Sweep":
        """Build a sweep with every row on one node, except those of the suppressed classes."""
        cube = classes.cube
        recoder, rows = Recoder.on_one_node(classes, suppressed), cube.base.rows
        assert rows.weights is not None
        codes = [rows.columns[name].codes for name in cube.lattice.columns]
        on_node = np.zeros(len(rows.weights), np.int64)
        on_node[:] = recoder.all_nodes_of(codes)
        return cls(cube, (classes.node,), on_node)

    @cached_property
    def rows(self) -> WeightedRows:
        """The distinct rows."""
        return self.cube.base.rows

    @cached_property
    def suppressed(self) -> int:
        """The number of suppressed records."""
        assert self.rows.weights is not None
        return int(self.rows.weights[self.on_node == NOT_RELEASED].sum())

    def without_unused(self) -> "Sweep":
        """The sweep without nodes that have no rows."""
        used, used_indices = np.unique(self.on_node[self.on_node != NOT_RELEASED], return_inverse=True)
        indices = self.on_node.copy()
        indices[indices != NOT_RELEASED] = used_indices
        return replace(self, nodes=tuple(self.nodes[index] for index in used.tolist()), on_node=indices)

    def levels(self, index: int) -> NDArray[np.int16]:
        """The level of a column for each row; NOT_RELEASED where the row is suppressed."""
        return np.array([*(node[index] for node in self.nodes), NOT_RELEASED], np.int16)[self.on_node]

    @cached_property
    def by_level(self) -> list[dict[int, Integers]]:
        """For each column and each level in use (also NOT_RELEASED), the number of records with each original value."""
        assert self.rows.weights is not None
        counted = []
        for index, name in enumerate(self.cube.lattice.columns):
            column, levels = self.rows.columns[name], self.levels(index).astype(np.int64) - NOT_RELEASED
            values, height = len(column.labels), int(levels.max()) + 1
            counts = np.bincount(levels * values + column.codes, self.rows.weights, height * values)
            by_level = counts.astype(np.int64).reshape(height, values)
            counted.append(
                {row + NOT_RELEASED: level_counts for row, level_counts in enumerate(by_level) if level_counts.any()}
            )
        return counted

    def loss(self, objective: Objective) -> float:
        """The loss by an objective; classes are the records that look equal."""
        if isinstance(objective, Ambiguity):
            return self._ambiguity(objective)
        if not isinstance(objective, ByColumn):
            return objective.loss(*self._visible_classes)
        attack_loss = objective.of_classes(*self._visible_classes) if isinstance(objective, PublisherPayout) else 0.0
        return self._by_column(objective) + attack_loss

    def _by_column(self, objective: ByColumn) -> float:
        """The loss of each column if all is suppressed, less what the released rows retain; combined."""
        parts = []
        for index, name in enumerate(self.cube.lattice.columns):
            retained = sum(
                float(objective.by_value[index][level][self.cube.codes_on_level(name, level)] @ records)
                for level, records in self.by_level[index].items()
                if level != NOT_RELEASED
            )
            parts.append(np.array([objective.all_lost(index) - retained]))
        return float(objective.of_nodes(parts).item())

    def _ambiguity(self, objective: Ambiguity) -> float:
        """The number of combinations of original values that all records may stand for."""
        assert self.rows.weights is not None
        products = self.rows.weights.astype(np.float64)
        for index, leaves in enumerate(objective.leaves):
            for level, is_on_level, codes in self._on_levels(index):
                products[is_on_level] *= leaves[level][codes]
        released = self.on_node != NOT_RELEASED
        suppressed = self.cube.records - int(self.rows.weights[released].sum())
        return float(products[released].sum()) + objective.all_values() * suppressed

    def _on_levels(self, index: int) -> Iterator[tuple[int, Mask, Integers]]:
        """Each level that is used for a column, a mask of the rows on it, and their codes there."""
        name, levels = self.cube.lattice.columns[index], self.levels(index)
        for level in np.flatnonzero(np.bincount(levels[levels != NOT_RELEASED])).tolist():
            is_on_level = levels == level
            yield (
                level,
                is_on_level,
                self.cube.codes_on_level(name, level)[self.rows.columns[name].codes[is_on_level]],
            )

    @cached_property
    def _visible_classes(self) -> tuple[NodeClasses, Mask]:
        """The classes of records that look equal in the release, and a mask of those with suppressed records."""
        rows = self.recode()
        classes, of_row = visible_classes(self.cube, self.cube.lattice.low, rows)
        suppressed = np.zeros(len(classes.records), np.bool_)
        suppressed[of_row[(self.on_node == NOT_RELEASED) | ~self.has_values(rows)]] = True
        return classes, suppressed

    def has_values(self, rows: WeightedRows) -> Mask:
        """Mask of the rows with a cell that is not `*`."""
        has_value: Mask = np.logical_or.reduce([rows.columns[name].codes != STAR for name in self.cube.lattice.columns])
        return has_value

    def recode(self) -> WeightedRows:
        """The distinct rows as they appear in the release."""
        columns = dict(self.rows.columns)
        for index, name in enumerate(self.cube.lattice.columns):
            columns[name] = self._column(index, name)
        return WeightedRows(columns, self.rows.unit, self.rows.weights, whole=False)

    def view(self) -> View:
        """The release as a view for measures."""
        return view_after(self.cube, self.recoder)

    @cached_property
    def recoder(self) -> Recoder:
        """The mapping from the quasi-identifiers of any record to those of the release."""
        return Recoder.on_nodes(self.cube, self.nodes, self.on_node)

    def _column(self, index: int, name: str) -> Column:
        """A column with values on several levels; equal labels are one value, and `*` comes first."""
        labels: dict[str | None, int] = {SUPPRESSED: STAR}
        column, height = self.rows.columns[name], self.cube.lattice.high[index] + 1
        codes = np.full((height + 1, len(column.labels)), STAR, np.uint32)  # the last row is NOT_RELEASED
        for level in sorted({node[index] for node in self.nodes}):
            on_level = [labels.setdefault(value, len(labels)) for value in self.cube.on_level(name, level).values]
            codes[level] = np.array(on_level, np.uint32)[self.cube.codes_on_level(name, level)]
        codes_of_rows = codes.astype(narrowest_type(len(labels)))[self.levels(index), column.codes]
        return Column(strings(list(labels)), codes_of_rows)


def visible_classes(cube: DataCube, node: Node, rows: WeightedRows) -> tuple[NodeClasses, Integers]:
    """The classes of rows that look equal, and the class of each row; the levels are those of a node."""
    classes = NodeClasses(cube, node, RolledUpRows(cube.base.lattice, rows, cube.lattice.levels(node)))
    keys = rows._packed(cube.lattice.columns).keys
    return classes, np.searchsorted(rows._classes(cube.lattice.columns).keys, keys)


def passing_rows(cube: DataCube, judge: Judge, node: Node, rows: WeightedRows) -> Mask:
    """Mask of the rows in classes that satisfy the rules."""
    classes, of_row = visible_classes(cube, node, rows)
    failing, _ = judge.failing(classes)
    return np.asarray(~failing[of_row])


def drop_failing_classes(found: Sweep, judge: Judge) -> Sweep:
    """The sweep without classes that fail as they appear: equal labels on several nodes form one class.

    A record whose values are all `*` counts as suppressed, on any node.
    """
    while True:
        rows = found.recode()
        passing = passing_rows(found.cube, judge, found.cube.lattice.low, rows)
        passing &= found.has_values(rows)
        if passing[found.on_node != NOT_RELEASED].all():
            return found.without_unused()
        found = replace(found, on_node=np.where(passing, found.on_node, NOT_RELEASED))


Sums = NDArray[np.uint32]
Levels = NDArray[np.int64]  # the levels of nodes (rows)

COMPACT_BELOW = 0.8  # once at most this share of the records remains, released records are dropped from the arrays
MAX_TABLE_SUMS = 1 << 17  # most sums in a table that combines several columns
COMPILED_FROM = 25_000  # distinct rows; fewer are counted without loading the compiler
MIN_HASHED_CLASS = 16  # this many records rarely have the same first bits by chance
SORTED_TOGETHER = 1 << 9  # nodes that are sorted first: most are not visited before the order changes
SUMS_PER_BATCH = 1 << 17  # sums of several nodes that are processed together: they fit into the CPU cache


class RemainingRecords:
    """The records that are not released yet; `least` of them are enough for a class."""

    def __init__(self, cube: DataCube, least: int, indices: Integers | None = None) -> None:
        rows, lattice = cube.base.rows, cube.lattice
        assert rows.weights is not None
        self._cube, self._least, self._weights = cube, least, rows.weights
        self._codes = [rows.columns[name].codes for name in lattice.columns]
        indices = np.arange(len(rows.weights)) if indices is None else indices
        self.records = int(rows.weights[indices].sum())
        self._keep(indices)

    @property
    def rows(self) -> Integers:
        """The indices of the remaining distinct rows."""
        return self._rows[self._is_left]

    def release(self, rows: Integers) -> bool:
        """Remove distinct rows, given by index; return whether so few remain that the order of nodes is outdated."""
        self._is_left[np.searchsorted(self._rows, rows)] = False
        self.records -= int(self._weights[rows].sum())
        if self.records > COMPACT_BELOW * self._before:
            return False
        if self.records >= self._least:
            self._keep(self.rows)
        return True

    def _keep(self, rows: Integers) -> None:
        self._rows, self._before = rows, self.records
        self._is_left = np.ones(len(rows), np.bool_)
        # Each record counts, but of equal ones no more than are enough for a class.
        times = np.minimum(self._weights[rows], self._least)
        self._first, self._counted = np.cumsum(times) - times, int(times.sum())
        self._own_weights = self._weights[rows]
        tables = self._tables(np.repeat(rows, times))
        self._begins, self._strides = self._places([columns for columns, _ in tables])
        self._sums = np.concatenate([table for _, table in tables])
        # Space that is used again for each node.
        self._bin_of_row, self._found = np.empty(len(rows), np.uint32), np.empty(len(rows), np.int64)
        self._bins = np.zeros(1 << min(31, max(1, len(rows).bit_length())), np.uint32)

    @cached_property
    def _lifted(self) -> list[tuple[list[NDArray[np.uint64]], list[int]]]:
        """For each column and level, the code of each value of the table there, and the bits that codes need."""
        lifted = []
        for name, high in zip(self._cube.lattice.columns, self._cube.lattice.high, strict=True):
            levels = [self._cube.codes_on_level(name, level) for level in range(high + 1)]
            bits = [int(codes.max(initial=0)).bit_length() for codes in levels]
            lifted.append(([codes.astype(np.uint64) for codes in levels], bits))
        return lifted

    @cached_property
    def _numbers(self) -> list[Sums]:
        """For each column, a random number for each code; higher levels have no more codes."""
        random = np.random.default_rng(1)
        return [
            random.integers(0, 1 << 32, len(self._cube.codes_on_level(name, 0)), np.uint32, endpoint=False)
            for name in self._cube.lattice.columns
        ]

    def _tables(self, rows: Integers) -> list[tuple[slice, Sums]]:
        """For each combination of levels of some neighbouring columns, the hash sum of each row.

        Together the tables cover all columns, in order.
        """
        lattice = self._cube.lattice
        tables: list[tuple[slice, Sums]] = []
        for index, (name, low, high, codes, numbers) in enumerate(
            zip(lattice.columns, lattice.low, lattice.high, self._codes, self._numbers, strict=True)
        ):
            row_codes = codes[rows]
            levels = [numbers[self._cube.codes_on_level(name, level)][row_codes] for level in range(low, high + 1)]
            first, table = index, np.stack(levels)
            if tables and len(tables[-1][1]) * table.size <= MAX_TABLE_SUMS:
                columns, before = tables.pop()
                first, table = (
                    columns.start,
                    (before[:, np.newaxis] + table).reshape(len(before) * len(table), len(row_codes)),
                )
            tables.append((slice(first, index + 1), table))
        return tables

    def _places(self, tables: Sequence[slice]) -> tuple[Integers, Integers]:
        """The start of each table, before its lowest node, and the stride of a level, by column (row) and table."""
        lattice = self._cube.lattice
        strides, sizes = np.zeros((len(lattice.shape), len(tables)), np.int64), [0]
        for number, columns in enumerate(tables):
            shape = lattice.shape[columns]
            strides[columns, number] = [math.prod(shape[index + 1 :]) for index in range(len(shape))]
            sizes.append(math.prod(shape))
        return np.cumsum(sizes)[:-1] - np.array(lattice.low) @ strides, strides

    def _taken(self, nodes: Levels) -> Integers:
        """For each node the rows of the tables that add up to its hash sums."""
        return self._begins + nodes @ self._strides

    def _hash_sums(self, nodes: Levels) -> Sums:
        """The hash sum of each record on each of some nodes."""
        first, *others = self._taken(nodes).T
        total: Sums = self._sums[first]
        for taken in others:
            total += self._sums[taken]
        return total

    @property
    def together(self) -> int:
        """The number of nodes to process together."""
        return max(1, SUMS_PER_BATCH // max(1, self._counted))

    def promising(self, nodes: Levels) -> Mask:
        """Mask of the nodes that may have a class that is large enough."""
        if self._least == 1 or self.together == 1:  # an exact count is as fast
            return np.ones(len(nodes), np.bool_)
        sums = self._hash_sums(nodes)
        hopeful = self._may_have_large_class(sums)
        sums = sums[hopeful]
        sums.sort(axis=1)
        hopeful[hopeful] = (sums[:, self._least - 1 :] == sums[:, : 1 - self._least]).any(axis=1)
        return hopeful

    def _may_have_large_class(self, sums: Sums) -> Mask:
        """Mask of the nodes with enough records whose sums begin with the same bits.

        This is faster than sorting but less precise: too many may pass, never too few.
        """
        if self._least < MIN_HASHED_CLASS:
            return np.ones(len(sums), np.bool_)
        bits = max(1, sums.shape[1].bit_length() - 1)
        bins = sums >> (32 - bits)
        bins += (np.arange(len(sums), dtype=np.uint32) << bits)[:, np.newaxis]
        counts = np.bincount(bins.reshape(-1), minlength=len(sums) << bits).reshape(len(sums), -1)
        return np.asarray(counts.max(axis=1) >= self._least)

    def large(self, node: Node) -> tuple[Integers, Integers] | None:
        """The distinct rows of a node in classes that are large enough, and the class size of each."""
        # By their first bits too many rows may pass, but never too few.
        (taken,) = self._taken(np.array([node]))
        find = few_rows_in_full_bins if len(self._weights) < COMPILED_FROM else rows_in_full_bins
        number = find(
            self._sums,
            taken,
            self._first,
            self._is_left,
            self._own_weights,
            self._least,
            self._bin_of_row,
            self._bins,
            self._found,
        )
        if not number:
            return None
        rows = self._rows[self._found[:number]]
        sizes = self._sizes(node, rows)
        enough = sizes >= self._least
        return (rows[enough], sizes[enough]) if enough.any() else None

    def _sizes(self, node: Node, rows: Integers) -> Integers:
        """For each of some rows, the number of records of these rows in its class."""
        fields = [
            Field(lifted[level][codes[rows]], bits[level])
            for (lifted, bits), level, codes in zip(self._lifted, node, self._codes, strict=True)
            if bits[level]
        ]
        if not fields:
            return np.full(len(rows), self._weights[rows].sum())
        class_of, classes = rank_keys(pack(fields).keys)
        return np.bincount(class_of, self._weights[rows], classes).astype(np.int64)[class_of]


def sweep(
    cube: DataCube,
    judge: Judge,
    objective: ByColumn,
    least: int = 1,
    report: Callable[[int], None] | None = None,
    nodes: Levels | None = None,
) -> Sweep:
    """Release every class on the first node on which it satisfies the rules and has at least `least` records.

    nodes   the levels of the nodes to visit; all of the lattice by default
    """
    return _sweep(cube, judge, NodeQueue(cube, objective, nodes), least, report)


def sweep_over(cube: DataCube, judge: Judge, nodes: Sequence[Node], least: int = 1) -> Sweep:
    """Release every class on the first of these nodes on which it satisfies the rules and is large enough."""
    return _sweep(cube, judge, NodesInOrder(nodes), least, None)


def _sweep(
    cube: DataCube,
    judge: Judge,
    queue: "NodeQueue | NodesInOrder",
    least: int,
    report: Callable[[int], None] | None,
) -> Sweep:
    least = max(least, smallest_size(judge))
    remaining = RemainingRecords(cube, least)
    assert cube.base.rows.weights is not None
    on_node = np.full(len(cube.base.rows.weights), NOT_RELEASED, np.int64)
    used: list[Node] = []
    while remaining.records >= least:
        queue.renew(remaining.rows)
        for node in queue.promising(remaining):
            if report is not None:
                report(queue.visited)
            released = _passing_rows_of_node(cube, judge, remaining, node)
            if released is None:
                continue
            on_node[released] = len(used)
            used.append(node)
            queue.release(node, released)
            if remaining.release(released):
                break
        else:
            break
    return drop_failing_classes(Sweep(cube, tuple(used), on_node, least), judge)


def merge_leftover_rows(
    found: Sweep, judge: Judge, objective: ByColumn, most: int, nodes: Levels | None = None
) -> Sweep | None:
    """Suppress at most `most` records by releasing the rows left over together with the last records.

    The last records are those of the last node that released any or, if they fail the rules on the highest nodes, of
    the last two, four and so on. They share the cheapest node on which they satisfy them. None if there is none.

    nodes   the levels of the nodes to choose from; all of the lattice by default
    """
    last = 1
    while last < len(found.nodes):
        rows = np.flatnonzero((found.on_node == NOT_RELEASED) | (found.on_node >= len(found.nodes) - last))
        together = _move_to_cheapest_node(found, judge, objective, most, rows, nodes)
        if together is not None:
            return together
        last *= 2
    return None


def _move_to_cheapest_node(
    found: Sweep, judge: Judge, objective: ByColumn, most: int, rows: Integers, nodes: Levels | None
) -> Sweep | None:
    """The sweep with some rows on the cheapest node on which they satisfy the rules; None if the highest fail.

    The highest nodes are the top, which often retains nothing of a record, and the nodes one level below it.
    """
    cube = found.cube
    remaining, order = RemainingRecords(cube, found.least, rows), NodeQueue(cube, objective, nodes)

    def with_rows_on(node: Node) -> Sweep | None:
        released = _passing_rows_of_node(cube, judge, remaining, node)
        if released is None or remaining.records - int(order.weights[released].sum()) > most:
            return None
        on_node = found.on_node.copy()
        on_node[rows], on_node[released] = NOT_RELEASED, len(found.nodes)
        together = drop_failing_classes(Sweep(cube, (*found.nodes, node), on_node, found.least), judge)
        return together if together.suppressed <= most else None

    top = np.array(cube.lattice.high)
    steps = np.flatnonzero(top > np.array(cube.lattice.low))
    below = [tuple((top - (np.arange(len(top)) == step)).tolist()) for step in steps]
    highest = next(
        (candidate for node in (cube.lattice.high, *below) if (candidate := with_rows_on(node))),
        None,
    )
    if highest is None:
        return None
    order.renew(rows)
    return next(
        (candidate for node in order.promising(remaining) if (candidate := with_rows_on(node)) is not None), highest
    )


def smallest_size(judge: Judge) -> int:
    """The minimum number of records for a class to satisfy the rules; more than there are if none is enough."""
    view = judge.cube.view
    if view.grouping().incomplete_apart:  # incomplete records are in no class that is tested
        return 1
    sizes = range(1, judge.cube.records + 1)
    return 1 + bisect_left(sizes, True, key=lambda size: not judge.too_small(np.array([size]))[0])


def _passing_rows_of_node(cube: DataCube, judge: Judge, remaining: RemainingRecords, node: Node) -> Integers | None:
    """The rows in classes of a node that satisfy the rules; None if there are none."""
    found = remaining.large(node)
    if found is None:
        return None
    rows, sizes = found
    if judge.only_sizes and cube.base.rows.unit is None:
        passing = ~judge.too_small(sizes)
    else:
        passing = passing_rows(cube, judge, node, _rows_on_node(cube, node, rows))
    return rows[passing] if passing.any() else None


def _rows_on_node(cube: DataCube, node: Node, rows: Integers) -> WeightedRows:
    """Some of the distinct rows on a node."""
    taken = cube.base.rows.take(rows)
    columns = dict(taken.columns)
    for name, level in zip(cube.lattice.columns, node, strict=True):
        codes = cube.codes_on_level(name, level)[columns[name].codes]
        columns[name] = Column(cube.on_level(name, level).labels, codes.astype(np.uint32))
    return WeightedRows(columns, taken.unit, taken.weights, whole=False)


class NodeQueue:
    """The nodes not yet visited, ordered by the loss of the release if all remaining rows were on the node.

    nodes     the levels of these nodes; all nodes of the lattice by default
    visited   number of nodes visited or ruled out
    """

    def __init__(self, cube: DataCube, objective: ByColumn, nodes: Levels | None = None) -> None:
        self._cube, self._objective, self._nodes = cube, objective, nodes
        rows, lattice = cube.base.rows, cube.lattice
        assert rows.weights is not None
        self.weights = rows.weights
        self._codes = [rows.columns[name].codes for name in lattice.columns]
        # For each column and level, the information that a record with each value retains.
        self._retained: list[list[Reals]] = [
            [by_level[level][cube.codes_on_level(name, level)] for level in range(low, high + 1)]
            for name, by_level, low, high in zip(
                lattice.columns, objective.by_value, lattice.low, lattice.high, strict=True
            )
        ]
        self._lost = [objective.all_lost(index) for index in range(len(self._codes))]
        self._released: list[tuple[Node, Integers]] = []  # not yet subtracted from the losses
        self._open = np.ones(lattice.nodes if nodes is None else len(nodes), np.bool_)
        self._left, self._losses = np.arange(0), np.zeros(0)  # the open nodes and their losses
        self.visited = 0

    def renew(self, rows: Integers) -> None:
        """Compute the losses of the nodes for the rows that remain."""
        self._subtract_released()
        weights = self.weights[rows]
        losses = []
        for codes, by_level, lost in zip(self._codes, self._retained, self._lost, strict=True):
            counts = np.bincount(codes[rows], weights, len(by_level[0]))
            losses.append(lost - np.array([retained @ counts for retained in by_level]))
        if self._nodes is None:
            total = self._objective.combine(losses).reshape(-1)
        else:
            levels = (self._nodes - np.array(self._cube.lattice.low)).T
            total = self._objective.of_nodes([lost[level] for lost, level in zip(losses, levels, strict=True)])
        self._left = np.flatnonzero(self._open)
        self._losses = total[self._left]

    def promising(self, remaining: RemainingRecords) -> Iterator[Node]:
        """Iterate over the nodes, in order, that may have classes that are large enough."""
        for indices in self._batches(remaining.together):
            nodes = self._levels(indices)
            hopeful = remaining.promising(nodes)
            self._open[indices[~hopeful]] = False
            self.visited += int(np.count_nonzero(~hopeful))
            for index, node in zip(indices[hopeful].tolist(), nodes[hopeful].tolist(), strict=True):
                self._open[index] = False
                self.visited += 1
                yield tuple(node)

    def _batches(self, size: int) -> Iterator[Integers]:
        """The open nodes by ascending loss, some at a time."""
        left, losses, number = self._left, self._losses, SORTED_TOGETHER
        while len(left):
            later = losses > (np.partition(losses, number)[number] if number < len(losses) else np.inf)
            ordered = left[~later][np.argsort(losses[~later], kind="stable")]
            for start in range(0, len(ordered), size):
                yield ordered[start : start + size]
            left, losses, number = left[later], losses[later], 2 * number

    def _levels(self, indices: Integers) -> Levels:
        if self._nodes is not None:
            return self._nodes[indices]
        lattice = self._cube.lattice
        levels: Levels = np.stack(np.unravel_index(indices, lattice.shape), axis=1) + np.array(lattice.low)
        return levels

    def release(self, node: Node, rows: Integers) -> None:
        """Update the losses for rows that are released on a node."""
        self._released.append((node, rows))

    def _subtract_released(self) -> None:
        if not self._released:
            return
        nodes, of_node = zip(*self._released, strict=True)
        rows = np.concatenate(of_node)
        levels = np.repeat(np.array(nodes), [len(some) for some in of_node], axis=0) - np.array(self._cube.lattice.low)
        for index, (codes, by_level) in enumerate(zip(self._codes, self._retained, strict=True)):
            self._lost[index] -= weighted_sum(np.stack(by_level)[levels[:, index], codes[rows]], self.weights[rows])
        self._released = []


class NodesInOrder:
    """Nodes in a given order."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes, self.visited = nodes, 0

    def renew(self, _rows: Integers) -> None:
        """Keep the order."""

    def promising(self, _remaining: RemainingRecords) -> Iterator[Node]:
        """Iterate over the nodes not yet visited."""
        while self.visited < len(self._nodes):
            self.visited += 1
            yield self._nodes[self.visited - 1]

    def release(self, _node: Node, _rows: Integers) -> None:
        """Keep the order."""


@compile_lazily
def rows_in_full_bins(
    tables: NDArray[np.uint32],
    taken: Integers,
    first: Integers,
    is_left: Mask,
    weights: Integers,
    least: int,
    sums: NDArray[np.uint32],
    bins: NDArray[np.uint32],
    found: Integers,
) -> int:
    """Find the rows whose hash sum falls into bins with at least `least` records, by its first and last bits.

    Return their number.

    tables   hash sums to add up, of which the rows `taken` count
    first    for each row its column in the tables
    is_left  mask of the rows that count
    sums     overwritten by the hash sum of each row
    bins     zero on entry and on return; their number is a power of two
    found    overwritten by the rows found
    """
    bits = 0
    while np.int64(1) << np.int64(bits) < len(bins):
        bits += 1
    shift = np.uint32(32 - bits)
    for row in range(len(first)):
        sums[row] = np.uint32(0)
    for table in taken:
        for row in range(len(first)):
            sums[row] += tables[table, first[row]]
    for row in range(len(first)):
        if is_left[row]:
            bins[sums[row] >> shift] += np.uint32(weights[row])
    by_first_bits = 0
    for row in range(len(first)):
        if is_left[row] and bins[sums[row] >> shift] >= least:
            found[by_first_bits] = row
            by_first_bits += 1
    for row in range(len(first)):
        if is_left[row]:
            bins[sums[row] >> shift] = np.uint32(0)
    # The last bits of their sums distinguish most of the rows that have the same first bits by chance.
    last = np.uint32(len(bins) - 1)
    for row in found[:by_first_bits]:
        bins[sums[row] & last] += np.uint32(weights[row])
    number = 0
    for index in range(by_first_bits):
        row = found[index]
        if bins[sums[row] & last] >= least:
            found[number] = row
            number += 1
        else:  # counted no more, so that its bin is empty on return
            bins[sums[row] & last] = np.uint32(0)
    for index in range(number):
        bins[sums[found[index]] & last] = np.uint32(0)
    return number


def few_rows_in_full_bins(
    tables: NDArray[np.uint32],
    taken: Integers,
    first: Integers,
    is_left: Mask,
    weights: Integers,
    least: int,
    _sums: NDArray[np.uint32],
    bins: NDArray[np.uint32],
    found: Integers,
) -> int:
    """Find the same rows without the compiler."""
    shift = np.uint32(32 - (len(bins) - 1).bit_length())
    rows = np.flatnonzero(is_left)
    sums = tables[taken].sum(axis=0, dtype=np.uint32)[first[rows]]
    for by_first_bits in (True, False):
        own = sums >> shift if by_first_bits else sums & np.uint32(len(bins) - 1)
        enough = np.bincount(own, weights[rows], minlength=len(bins))[own] >= least
        rows, sums = rows[enough], sums[enough]
    found[: len(rows)] = rows
    return len(rows)
