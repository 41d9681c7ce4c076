"""Local recoding: one value may be released on several levels, so that far less is lost.

The sweep visits the nodes by what they lose, and releases on each every class of the remaining records that keeps the
rules. What is left in the end is suppressed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.column_objectives import ByColumn
from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.recoding import in_classes
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import Field, pack
from PETWorks.counting.packed_rows import PackedRows
from PETWorks.counting.rolling import RolledUp
from PETWorks.counting.view import View
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.measures.class_tests import Mask
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED

LEFT = -1  # of a row: on no node, so it is suppressed
STAR = 0  # the code of `*` in each column of a sweep


@dataclass(frozen=True, eq=False)
class Sweep:
    """On which node each distinct row is released.

    nodes     those that release something, in the order of the sweep
    on_node   for each distinct row a place in `nodes`, or LEFT
    """

    ground: Ground
    nodes: tuple[Node, ...]
    on_node: Integers

    @classmethod
    def on_one_node(cls, classes: NodeClasses, suppressed: Mask) -> "Sweep":
        """Every row on one node, some of its classes suppressed."""
        ground = classes.ground
        columns = zip(ground.lattice.columns, classes.node, strict=True)
        rows = ground.base.rows.columns
        codes = [ground.codes_on_level(name, level)[rows[name].codes] for name, level in columns]
        return cls(ground, (classes.node,), np.where(in_classes(classes, suppressed, codes), LEFT, 0))

    @cached_property
    def rows(self) -> WeightedRows:
        """The distinct rows."""
        return self.ground.base.rows

    @cached_property
    def suppressed(self) -> int:
        """How many records are suppressed."""
        assert self.rows.weights is not None
        return int(self.rows.weights[self.on_node == LEFT].sum())

    def levels(self, place: int) -> Integers:
        """For each row the level of a column; LEFT where the row is suppressed."""
        return np.array([*(node[place] for node in self.nodes), LEFT])[self.on_node]

    @cached_property
    def by_level(self) -> list[dict[int, Integers]]:
        """For each column and each level in use, LEFT too, how many records of each original value are on it."""
        assert self.rows.weights is not None
        counted = []
        for place, name in enumerate(self.ground.lattice.columns):
            column, levels = self.rows.columns[name], self.levels(place) - LEFT
            values, height = len(column.labels), int(levels.max()) + 1
            counts = np.bincount(levels * values + column.codes, self.rows.weights, height * values)
            by_level = counts.astype(np.int64).reshape(height, values)
            counted.append({row + LEFT: own for row, own in enumerate(by_level) if own.any()})
        return counted

    def loss(self, objective: ByColumn) -> float:
        """What is lost: of each column, all that there is less what the rows that are released still tell."""
        parts = []
        for place, name in enumerate(self.ground.lattice.columns):
            kept = sum(
                float(objective.by_value[place][level][self.ground.codes_on_level(name, level)] @ records)
                for level, records in self.by_level[place].items()
                if level != LEFT
            )
            parts.append(np.array([objective.all_lost(place) - kept]))
        return float(objective.combined(parts).item())

    def recoded(self) -> WeightedRows:
        """The distinct rows as they look in the release."""
        columns = dict(self.rows.columns)
        for place, name in enumerate(self.ground.lattice.columns):
            columns[name] = self._column(place, name)
        return WeightedRows(columns, self.rows.unit, self.rows.weights, whole=False)

    def view(self) -> View:
        """The release as measures see it."""
        view = self.ground.view
        table: WeightedRows = view.table  # type: ignore[assignment]
        return replace(view, table=WeightedRows({**table.columns, **self.in_order()}, table.unit, table.weights))

    def in_order(self) -> dict[str, Column]:
        """The quasi-identifiers of all records as they look in the release, in the order of the input."""
        table: WeightedRows = self.ground.view.table  # type: ignore[assignment]
        names = tuple(self.rows.columns)
        columns = [table.columns[name] for name in names]
        both = [
            np.concatenate([one.codes, self.rows.columns[name].codes]) for one, name in zip(columns, names, strict=True)
        ]
        keys = pack([Field(codes, int(codes.max()).bit_length()) for codes in both]).keys
        records, rows = keys[: len(keys) - len(self.on_node)], keys[len(keys) - len(self.on_node) :]
        order = np.argsort(rows, kind="stable")
        place = np.minimum(np.searchsorted(rows[order], records), len(rows) - 1)
        row = order[place]
        was_suppressed = rows[row] != records
        released = self.recoded().columns
        recoded = {name: released[name] for name in self.ground.lattice.columns}
        return {
            name: Column(own.labels, np.where(was_suppressed, STAR, own.codes[row]).astype(np.uint32))
            for name, own in recoded.items()
        }

    def changed(self) -> dict[str, Column]:
        """Those of them that are not as they were."""
        levels = zip(*self.nodes, strict=True) if self.nodes else ((1,) for _ in self.ground.lattice.columns)
        is_other = [bool(self.suppressed) or any(used) for used in levels]
        columns = zip(self.in_order().items(), is_other, strict=True)
        return {name: column for (name, column), other in columns if other}

    def _column(self, place: int, name: str) -> Column:
        """A column whose values are on several levels; equal labels are one value, and `*` is the first."""
        codes, levels = self.rows.columns[name].codes, self.levels(place)
        labels: dict[str | None, int] = {SUPPRESSED: STAR}
        new = np.full(len(codes), STAR, np.uint32)
        for level in [level for level in self.by_level[place] if level != LEFT]:
            there = levels == level
            own = [labels.setdefault(value, len(labels)) for value in self.ground.on_level(name, level).values]
            new[there] = np.array(own, np.uint32)[self.ground.codes_on_level(name, level)[codes[there]]]
        return Column(strings(list(labels)), new)


def sweep(
    ground: Ground, judge: Judge, bounds: NDArray[np.float64], report: Callable[[int], None] | None = None
) -> Sweep:
    """Release every class on the first node, by ascending loss, on which it keeps the rules."""
    order = np.argsort(bounds.reshape(-1), kind="stable")
    return sweep_over(ground, judge, map(ground.lattice.node, order.tolist()), report)


def sweep_over(
    ground: Ground, judge: Judge, nodes: Iterable[Node], report: Callable[[int], None] | None = None
) -> Sweep:
    """Release every class on the first of some nodes on which it keeps the rules."""
    rest = _Rest(ground, ground.base.rows)
    on_node = np.full(len(rest.places), LEFT, np.int64)
    used: list[Node] = []
    for number, node in enumerate(nodes):
        released = rest.released(node, judge)
        if released is not None:
            on_node[rest.places[released]] = len(used)
            used.append(node)
            rest = rest.without(released)
            if not len(rest.places):
                break
        if report is not None:
            report(number)
    return _settled(Sweep(ground, tuple(used), on_node), judge)


class _Rest:
    """The rows that are not released yet, on every level of every column."""

    def __init__(self, ground: Ground, rows: WeightedRows, places: Integers | None = None) -> None:
        self._ground, self._rows = ground, rows
        self.places = np.arange(len(rows.weights)) if places is None else places  # type: ignore[arg-type]

    def without(self, released: Mask) -> "_Rest":
        """The rest of the rest."""
        kept = np.flatnonzero(~released)
        return _Rest(self._ground, self._rows.taken(kept), self.places[kept])

    def released(self, node: Node, judge: Judge) -> Mask | None:
        """Which rows are in classes of a node that keep the rules; None if there is no such class."""
        quick = self._quick
        if quick is not None:
            keys = quick.keys(node)
            ordered, sizes = quick.sizes(keys)
            passing = ~judge.too_small(sizes)
            if not passing.any():
                return None
            if judge.only_sizes:
                return np.isin(keys >> quick.shift, ordered[passing])
        columns = dict(self._rows.columns)
        for name, level in zip(self._ground.lattice.columns, node, strict=True):
            codes = self._ground.codes_on_level(name, level)[columns[name].codes]
            columns[name] = Column(self._ground.on_level(name, level).labels, codes.astype(np.uint32))
        found = kept(self._ground, judge, node, WeightedRows(columns, self._rows.unit, self._rows.weights, whole=False))
        return found if found.any() else None

    @cached_property
    def _quick(self) -> "_Keys | None":
        """Keys of the rows, if they fit into integers and count records."""
        return _Keys(self._ground, self._rows) if isinstance(self._rows, PackedRows) and not self._rows.unit else None


class _Keys:
    """Packed rows, the part of each column on each level ready to be added."""

    def __init__(self, ground: Ground, rows: PackedRows) -> None:
        names = ground.lattice.columns
        self.shift = np.uint64(rows.lowest(names))
        self._low = np.uint64((1 << rows.weight_bits) - 1)
        self._rest = rows.beyond(names)
        self._ground, self._rows, self._names = ground, rows, names
        self._parts: dict[tuple[int, int], NDArray[np.uint64]] = {}

    def keys(self, node: Node) -> NDArray[np.uint64]:
        """The rows on a node: classes in the highest bits, weights in the lowest."""
        keys = self._rest.copy()
        for place, level in enumerate(node):
            if (place, level) not in self._parts:
                codes = self._ground.codes_on_level(self._names[place], level).astype(np.uint64)
                self._parts[place, level] = self._rows.placed(self._names[place], codes)
            keys += self._parts[place, level]
        return keys

    def sizes(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Integers]:
        """The classes in ascending order, and how many records each has."""
        ordered = np.sort(keys)
        classes = ordered >> self.shift
        last = np.ones(len(classes), np.bool_)
        np.not_equal(classes[1:], classes[:-1], out=last[:-1])
        ends = np.flatnonzero(last)
        ordered &= self._low
        totals = np.cumsum(ordered, out=ordered).view(np.int64)[ends]
        totals[1:] -= totals[:-1].copy()
        return classes[ends], totals


def kept(ground: Ground, judge: Judge, node: Node, rows: WeightedRows) -> Mask:
    """Which rows are in classes that keep the rules."""
    classes = NodeClasses(ground, node, RolledUp(ground.base.lattice, rows, ground.lattice.levels(node)))
    failing, _ = judge.failing(classes)
    keys = rows._packed(ground.lattice.columns).keys
    return np.asarray(~failing[np.searchsorted(rows._classes(ground.lattice.columns).keys, keys)])


def _settled(found: Sweep, judge: Judge) -> Sweep:
    """The same without classes that fail as they look: equal labels of several nodes make one class."""
    while True:
        passing = kept(found.ground, judge, found.ground.lattice.low, found.recoded())
        if passing[found.on_node != LEFT].all():
            return found
        found = replace(found, on_node=np.where(passing, found.on_node, LEFT))
