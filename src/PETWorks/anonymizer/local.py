"""Local recoding: one value may be released on several levels, so that far less is lost."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.class_objectives import Ambiguity
from PETWorks.anonymizer.column_objectives import ByColumn, PublisherPayout
from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.objectives import Objective
from PETWorks.anonymizer.recoder import LEFT, STEP, Recoder
from PETWorks.anonymizer.recoding import view_after
from PETWorks.counting.codes import Column, narrowest
from PETWorks.counting.counts import Integers
from PETWorks.counting.rolling import RolledUp
from PETWorks.counting.view import View
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.measures.class_tests import Mask
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED

STAR = 0  # the code of `*` in each column of a sweep


@dataclass(frozen=True, eq=False)
class Sweep:
    """On which node each distinct row is released.

    nodes     those that release something, in the order of the sweep
    on_node   for each distinct row a place in `nodes`, or LEFT
    least     how many records each class was asked to have
    """

    ground: Ground
    nodes: tuple[Node, ...]
    on_node: Integers
    least: int = 1

    @classmethod
    def on_one_node(cls, classes: NodeClasses, suppressed: Mask) -> "Sweep":
        """Every row on one node, some of its classes suppressed."""
        ground = classes.ground
        recoder, rows = Recoder.on_one_node(classes, suppressed), ground.base.rows
        assert rows.weights is not None
        codes = [rows.columns[name].codes for name in ground.lattice.columns]
        on_node = np.zeros(len(rows.weights), np.int64)
        for first in range(0, len(on_node), STEP):
            on_node[first : first + STEP] = recoder.nodes_of([own[first : first + STEP] for own in codes])
        return cls(ground, (classes.node,), on_node)

    @cached_property
    def rows(self) -> WeightedRows:
        """The distinct rows."""
        return self.ground.base.rows

    @cached_property
    def suppressed(self) -> int:
        """How many records are suppressed."""
        assert self.rows.weights is not None
        return int(self.rows.weights[self.on_node == LEFT].sum())

    def without_unused(self) -> "Sweep":
        """The same without nodes that no row is on."""
        used, on_node = np.unique(self.on_node[self.on_node != LEFT], return_inverse=True)
        places = self.on_node.copy()
        places[places != LEFT] = on_node
        return replace(self, nodes=tuple(self.nodes[place] for place in used.tolist()), on_node=places)

    def levels(self, place: int) -> NDArray[np.int16]:
        """For each row the level of a column; LEFT where the row is suppressed."""
        return np.array([*(node[place] for node in self.nodes), LEFT], np.int16)[self.on_node]

    @cached_property
    def by_level(self) -> list[dict[int, Integers]]:
        """For each column and each level in use, LEFT too, how many records of each original value are on it."""
        assert self.rows.weights is not None
        counted = []
        for place, name in enumerate(self.ground.lattice.columns):
            column, levels = self.rows.columns[name], self.levels(place).astype(np.int64) - LEFT
            values, height = len(column.labels), int(levels.max()) + 1
            counts = np.bincount(levels * values + column.codes, self.rows.weights, height * values)
            by_level = counts.astype(np.int64).reshape(height, values)
            counted.append({row + LEFT: own for row, own in enumerate(by_level) if own.any()})
        return counted

    def loss(self, objective: Objective) -> float:
        """What is lost; classes are what looks equal."""
        if isinstance(objective, Ambiguity):
            return self._ambiguity(objective)
        if not isinstance(objective, ByColumn):
            return objective.loss(*self._looks)
        attacked = objective.of_classes(*self._looks) if isinstance(objective, PublisherPayout) else 0.0
        return self._by_column(objective) + attacked

    def _by_column(self, objective: ByColumn) -> float:
        """Of each column, all that there is less what the rows that are released still tell."""
        parts = []
        for place, name in enumerate(self.ground.lattice.columns):
            kept = sum(
                float(objective.by_value[place][level][self.ground.codes_on_level(name, level)] @ records)
                for level, records in self.by_level[place].items()
                if level != LEFT
            )
            parts.append(np.array([objective.all_lost(place) - kept]))
        return float(objective.combined(parts).item())

    def _ambiguity(self, objective: Ambiguity) -> float:
        """For how many combinations of original values all records may stand."""
        assert self.rows.weights is not None
        products = self.rows.weights.astype(np.float64)
        for place, leaves in enumerate(objective.leaves):
            for level, there, codes in self._on_levels(place):
                products[there] *= leaves[level][codes]
        released = self.on_node != LEFT
        out = self.ground.records - int(self.rows.weights[released].sum())
        return float(products[released].sum()) + objective.all_values() * out

    def _on_levels(self, place: int) -> Iterator[tuple[int, Mask, Integers]]:
        """Each level that is used of a column, which rows are on it, and their codes there."""
        name, levels = self.ground.lattice.columns[place], self.levels(place)
        for level in np.flatnonzero(np.bincount(levels[levels != LEFT])).tolist():
            there = levels == level
            yield level, there, self.ground.codes_on_level(name, level)[self.rows.columns[name].codes[there]]

    @cached_property
    def _looks(self) -> tuple[NodeClasses, Mask]:
        """The classes as they look in the release, and which of them have suppressed records."""
        rows = self.recoded()
        classes, of_row = looking(self.ground, self.ground.lattice.low, rows)
        suppressed = np.zeros(len(classes.records), np.bool_)
        suppressed[of_row[(self.on_node == LEFT) | ~self.says_something(rows)]] = True
        return classes, suppressed

    def says_something(self, rows: WeightedRows) -> Mask:
        """Which rows have a cell that is not `*`."""
        said: Mask = np.logical_or.reduce([rows.columns[name].codes != STAR for name in self.ground.lattice.columns])
        return said

    def recoded(self) -> WeightedRows:
        """The distinct rows as they look in the release."""
        columns = dict(self.rows.columns)
        for place, name in enumerate(self.ground.lattice.columns):
            columns[name] = self._column(place, name)
        return WeightedRows(columns, self.rows.unit, self.rows.weights, whole=False)

    def view(self) -> View:
        """The release as measures see it."""
        return view_after(self.ground, self.recoder)

    @cached_property
    def recoder(self) -> Recoder:
        """How the quasi-identifiers of any record become those of the release."""
        return Recoder.on_nodes(self.ground, self.nodes, self.on_node)

    def _column(self, place: int, name: str) -> Column:
        """A column whose values are on several levels; equal labels are one value, and `*` is the first."""
        labels: dict[str | None, int] = {SUPPRESSED: STAR}
        new = np.full(len(self.on_node), STAR, np.uint32)
        for level, there, codes in self._on_levels(place):
            own = [labels.setdefault(value, len(labels)) for value in self.ground.on_level(name, level).values]
            new[there] = np.array(own, np.uint32)[codes]
        return Column(strings(list(labels)), new.astype(narrowest(len(labels))))


def looking(ground: Ground, node: Node, rows: WeightedRows) -> tuple[NodeClasses, Integers]:
    """The classes of rows as they look, and which of them each row is in; the levels are those of a node."""
    classes = NodeClasses(ground, node, RolledUp(ground.base.lattice, rows, ground.lattice.levels(node)))
    keys = rows._packed(ground.lattice.columns).keys
    return classes, np.searchsorted(rows._classes(ground.lattice.columns).keys, keys)


def kept(ground: Ground, judge: Judge, node: Node, rows: WeightedRows) -> Mask:
    """Which rows are in classes that keep the rules."""
    classes, of_row = looking(ground, node, rows)
    failing, _ = judge.failing(classes)
    return np.asarray(~failing[of_row])


def settled(found: Sweep, judge: Judge) -> Sweep:
    """The same without classes that fail as they look: equal labels of several nodes make one class.

    A record of which every value is `*` is suppressed, on whichever node it is.
    """
    while True:
        rows = found.recoded()
        passing = kept(found.ground, judge, found.ground.lattice.low, rows)
        passing &= found.says_something(rows)
        if passing[found.on_node != LEFT].all():
            return found.without_unused()
        found = replace(found, on_node=np.where(passing, found.on_node, LEFT))
