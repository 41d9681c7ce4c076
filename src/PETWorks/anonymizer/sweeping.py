"""The sweep: visit nodes, the cheapest first, and release on each every class of the remaining records that passes.

What a node costs is what the whole release would lose if all records that remain were on it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from PETWorks.anonymizer.column_objectives import ByColumn, Reals
from PETWorks.anonymizer.ground import Ground
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local import Sweep, kept, settled
from PETWorks.anonymizer.recoder import LEFT
from PETWorks.anonymizer.remaining import Remaining
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.weighted_rows import WeightedRows


def sweep(
    ground: Ground, judge: Judge, objective: ByColumn, least: int = 1, report: Callable[[int], None] | None = None
) -> Sweep:
    """Release every class on the first node on which it keeps the rules and has at least so many records."""
    least = max(least, smallest_size(judge))
    remaining = Remaining(ground, least)
    order = _Order(ground, objective)
    on_node = np.full(len(order.weights), LEFT, np.int64)
    used: list[Node] = []
    while remaining.records >= least:
        order.renew(remaining.rows)
        for place in order.promising(remaining):
            if report is not None:
                report(order.visited)
            released = _passing(ground, judge, remaining, place)
            if released is None:
                continue
            node = ground.lattice.node(place)
            on_node[released] = len(used)
            used.append(node)
            order.release(node, released)
            if remaining.release(released):
                break
        else:
            break
    return settled(Sweep(ground, tuple(used), on_node, least), judge)


def sweep_over(ground: Ground, judge: Judge, nodes: Iterable[Node], least: int = 1) -> Sweep:
    """Release every class on the first of some nodes on which it keeps the rules and has at least so many records."""
    least = max(least, smallest_size(judge))
    remaining = Remaining(ground, least)
    assert ground.base.rows.weights is not None
    on_node = np.full(len(ground.base.rows.weights), LEFT, np.int64)
    used: list[Node] = []
    for node in nodes:
        if remaining.records < least:
            break
        released = _passing(ground, judge, remaining, ground.lattice.place(node))
        if released is not None:
            on_node[released] = len(used)
            used.append(node)
            remaining.release(released)
    return settled(Sweep(ground, tuple(used), on_node, least), judge)


def joined(found: Sweep, judge: Judge, objective: ByColumn, most: int) -> Sweep | None:
    """The same with at most so many records suppressed: what is left is released together with the last records.

    The last records are those of the last node that released any or, if they do not keep the rules on the highest
    nodes, of the last two, four and so on. They share the cheapest node on which they do. None if there is none.
    """
    last = 1
    while last < len(found.nodes):
        rows = np.flatnonzero((found.on_node == LEFT) | (found.on_node >= len(found.nodes) - last))
        together = _together(found, judge, objective, most, rows)
        if together is not None:
            return together
        last *= 2
    return None


def _together(found: Sweep, judge: Judge, objective: ByColumn, most: int, rows: Integers) -> Sweep | None:
    """The same with some rows on the cheapest node on which they keep the rules; None if they do not on the highest.

    The highest are the top, where often nothing is left of a record, and the nodes one level below it.
    """
    ground = found.ground
    remaining, order = Remaining(ground, found.least, rows), _Order(ground, objective)

    def on(place: int) -> Sweep | None:
        released = _passing(ground, judge, remaining, place)
        if released is None or remaining.records - int(order.weights[released].sum()) > most:
            return None
        on_node = found.on_node.copy()
        on_node[rows], on_node[released] = LEFT, len(found.nodes)
        together = settled(Sweep(ground, (*found.nodes, ground.lattice.node(place)), on_node, found.least), judge)
        return together if together.suppressed <= most else None

    top = np.array(ground.lattice.high)
    steps = np.flatnonzero(top > np.array(ground.lattice.low))
    below = [tuple((top - (np.arange(len(top)) == step)).tolist()) for step in steps]
    highest = next((made for node in (ground.lattice.high, *below) if (made := on(ground.lattice.place(node)))), None)
    if highest is None:
        return None
    order.renew(rows)
    return next((made for place in order.promising(remaining) if (made := on(place)) is not None), highest)


def smallest_size(judge: Judge) -> int:
    """How many records a class needs at least to keep the rules; more than there are if no size is enough."""
    view = judge.ground.view
    if view.grouping().incomplete_apart:  # incomplete records are in no class that is judged
        return 1
    sizes = range(1, judge.ground.records + 1)
    return 1 + bisect_left(sizes, True, key=lambda size: not judge.too_small(np.array([size]))[0])


def _passing(ground: Ground, judge: Judge, remaining: Remaining, place: int) -> Integers | None:
    """The rows in classes of a node that keep the rules; None if there are none."""
    found = remaining.large(place)
    if found is None:
        return None
    rows, sizes = found
    if judge.only_sizes and ground.base.rows.unit is None:
        passing = ~judge.too_small(sizes)
    else:
        passing = kept(ground, judge, ground.lattice.node(place), _on_node(ground, ground.lattice.node(place), rows))
    return rows[passing] if passing.any() else None


def _on_node(ground: Ground, node: Node, rows: Integers) -> WeightedRows:
    """Some of the distinct rows on a node."""
    taken = ground.base.rows.taken(rows)
    columns = dict(taken.columns)
    for name, level in zip(ground.lattice.columns, node, strict=True):
        codes = ground.codes_on_level(name, level)[columns[name].codes]
        columns[name] = Column(ground.on_level(name, level).labels, codes.astype(np.uint32))
    return WeightedRows(columns, taken.unit, taken.weights, whole=False)


class _Order:
    """The nodes that were not visited, by what the whole release would lose if all that remains were on the node.

    visited   how many were visited, or ruled out
    """

    def __init__(self, ground: Ground, objective: ByColumn) -> None:
        self._ground, self._objective = ground, objective
        rows, lattice = ground.base.rows, ground.lattice
        assert rows.weights is not None
        self.weights = rows.weights
        self._codes = [rows.columns[name].codes for name in lattice.columns]
        # For each column and level, what a record of each value still tells.
        self._told: list[list[Reals]] = [
            [by_level[level][ground.codes_on_level(name, level)] for level in range(low, high + 1)]
            for name, by_level, low, high in zip(
                lattice.columns, objective.by_value, lattice.low, lattice.high, strict=True
            )
        ]
        self._lost = [objective.all_lost(place) for place in range(len(self._codes))]
        self._open = np.ones(lattice.nodes, np.bool_)
        self._places: Integers = np.arange(0)
        self.visited = 0

    def renew(self, rows: Integers) -> None:
        """Put the nodes in order for the rows that remain."""
        weights = self.weights[rows]
        losses = []
        for codes, by_level, lost in zip(self._codes, self._told, self._lost, strict=True):
            counts = np.bincount(codes[rows], weights, len(by_level[0]))
            losses.append(lost - np.array([told @ counts for told in by_level]))
        total = self._objective.combined(losses).reshape(-1)
        left = np.flatnonzero(self._open)
        self._places = left[np.argsort(total[left], kind="stable")]

    def promising(self, remaining: Remaining) -> Iterator[int]:
        """The nodes in this order that may have classes which are large enough."""
        for start in range(0, len(self._places), remaining.together):
            places = self._places[start : start + remaining.together]
            hopeful = remaining.promising(places)
            self._open[places[~hopeful]] = False
            self.visited += int(np.count_nonzero(~hopeful))
            for place in places[hopeful].tolist():
                self._open[place] = False
                self.visited += 1
                yield place

    def release(self, node: Node, rows: Integers) -> None:
        """Rows are on a node."""
        weights = self.weights[rows]
        columns = zip(self._codes, self._told, node, self._ground.lattice.low, strict=True)
        for place, (codes, by_level, level, low) in enumerate(columns):
            self._lost[place] -= float(np.sum(by_level[level - low][codes[rows]] * weights))
