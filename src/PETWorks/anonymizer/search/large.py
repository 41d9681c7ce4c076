"""The search of a lattice too large for a bound per node: boxes of nodes, those with the least bound first.

A box is all nodes between two. Columns are divided into groups with few combinations of levels. A node of a group,
with all other columns as coarse as the box allows, that fails the rules rules out all finer nodes of the box; the least
losses of the remaining nodes of each group, combined, are a lower bound for the box. Boxes are divided until none may
contain a better node, or until the search is stopped: then the least bound of all boxes is the proved bound.
"""

import heapq
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import MOST_AXES, Lattice, Node
from PETWorks.anonymizer.lost_columns import ColumnsOnNodes
from PETWorks.anonymizer.objectives import ByColumn, Reals
from PETWorks.anonymizer.search.exact import SAME, NodeSearch, Required, margin
from PETWorks.counting.counts import Integers
from PETWorks.measures.classes import Mask

GROUP_NODES = 1 << 15  # most combinations of levels of a group of columns
TRIES = 40  # nodes of a group that are ruled out for a box in one round
ROUNDS = 10  # before the box is divided
DESCENTS = 8  # descents from coarse nodes before the first box is divided
BOXES_PER_DESCENT = 32
WORTH_CROSSING = 1_000_000  # nodes; fewer are soon divided
POPULATION = 100  # nodes that are crossed with each other, where the rules hold nearly everywhere
TRIED = 8  # random nodes that show whether they do
IMPROVED = 2  # of these, column by column, in each generation
CHANGED = 1.5  # levels that are changed in a crossed node, on average
MIXED_IN = 0.2  # share of the crossed nodes that are kept although they cannot lose less than the best one
CROSSED_PER_BOX = 100
GENERATIONS = 4  # without a better node, before other nodes are crossed


@dataclass(frozen=True)
class Box:
    """All nodes between two.

    left     for each group of columns, a packed mask of its nodes that are not ruled out
    bound    lower bound on the loss of each node
    rounds   rounds of ruling out nodes of the groups; ROUNDS if nothing more can be ruled out
    """

    low: Node
    high: Node
    left: tuple[NDArray[np.uint8], ...]
    bound: float
    rounds: int = 0

    def __lt__(self, other: "Box") -> bool:
        """Whether it may lose less; among equal ones, whether it has finer nodes."""
        return (self.bound, self.low, self.high) < (other.bound, other.low, other.high)


class _Group:
    """Some columns, and the loss of each combination of their levels."""

    def __init__(self, lattice: Lattice, objective: ByColumn, indices: Sequence[int]) -> None:
        self.indices, self._lattice = indices, lattice
        self.shape = tuple(lattice.shape[index] for index in indices)
        lost = [
            objective.apply_weight(index, objective.lost[index][lattice.low[index] : lattice.high[index] + 1])
            for index in indices
        ]
        self.costs: Reals = reduce(lambda done, losses: objective.of_two(done[..., np.newaxis], losses), lost)
        self._levels = reduce(np.add.outer, [np.arange(number) for number in self.shape])
        self._same = SAME * float(np.abs(self.costs).max())

    def may_do(self, required: Required, columns: ColumnsOnNodes | None) -> Mask:
        """Mask of the nodes that do not lose more columns than is required, whatever is suppressed."""
        if columns is None:
            return np.ones(self.shape, np.bool_)

        def always_lost(counting: int) -> Integers:
            lattice = self._lattice
            numbers = [
                [
                    counting >> index & 1 and columns.is_always_lost(index, level)
                    for level in range(lattice.low[index], lattice.high[index] + 1)
                ]
                for index in self.indices
            ]
            return reduce(np.add.outer, [np.array(of_column, np.int64) for of_column in numbers])

        may_do: Mask = (always_lost(required.demanded) == 0) & (always_lost(required.wanted) <= required.most_lost)
        return may_do

    def within(self, low: Node, high: Node, left: Mask) -> Mask:
        """Mask of the nodes that are left in a box."""
        inside = np.zeros(self.shape, np.bool_)
        box = tuple(
            slice(low[index] - self._lattice.low[index], high[index] - self._lattice.low[index] + 1)
            for index in self.indices
        )
        inside[box] = left[box]
        return inside

    def best(self, left: Mask) -> tuple[float, Node] | None:
        """The least loss and its levels; among equal ones the lowest levels, then by the order of the columns."""
        costs = np.where(left, self.costs, np.inf)
        least = float(costs.min())
        if least == np.inf:
            return None
        ties = costs <= least + self._same
        flat_index = int(np.argmin(np.where(ties, self._levels, self._levels.max() + 1)))
        indices = np.unravel_index(flat_index, self.shape)
        return least, tuple(
            int(index) + self._lattice.low[place] for index, place in zip(indices, self.indices, strict=True)
        )

    def finer(self, node: Node) -> tuple[slice, ...]:
        """The nodes that are coarser in none of these columns."""
        return tuple(slice(0, node[index] - self._lattice.low[index] + 1) for index in self.indices)


class BoxSearch(NodeSearch):
    """The search of a large lattice; the objective must add up column losses."""

    objective: ByColumn

    def __init__(self, lattice: Lattice, objective: ByColumn, judge: Judge) -> None:
        super().__init__(lattice, objective, judge)
        self.takes_bounds = False
        self._order = _columns_by_entropy(judge, lattice)
        self._groups = [_Group(lattice, objective, indices) for indices in _group_columns(lattice, self._order)]
        highest = [np.array([losses.max()]) for losses in objective.lost]
        self._rounding = SAME * float(objective.of_nodes(highest).item())
        self._boxes = [self._whole(self.required)]
        self._divided = np.inf  # the bound of the box that is being replaced by its parts
        self._random = np.random.default_rng(0)
        self._looked_at: set[Node] = set()

    def require(self, required: Required) -> None:
        """From now on, solutions are as required. Boxes without better solutions may have these: begin with all."""
        if required != self.required:
            self._boxes, self._divided = [self._whole(required)], np.inf
        super().require(required)

    def _whole(self, required: Required) -> Box:
        """The box of all nodes, without those of a group that lose too many columns whatever is suppressed."""
        left = tuple(np.packbits(group.may_do(required, self.judge.columns)) for group in self._groups)
        return Box(self.lattice.low, self.lattice.high, left, -np.inf)

    def _least_bound(self) -> float:
        least = min(self._boxes[0].bound if self._boxes else np.inf, self._divided)
        return self._initial_bound if least == -np.inf else least

    @property
    def _initial_bound(self) -> float:
        """Lower bound on the loss of any node, from the frequencies of single columns."""
        levels = zip(self.objective.lost, self.lattice.low, self.lattice.high, strict=True)
        least = [lost[low : high + 1].min(keepdims=True) for lost, low, high in levels]
        return float(self.objective.of_nodes(least).item())

    def _steps(self, wanted: int) -> Iterator[None]:
        self._look(self.lattice.high)
        for node in self._highest_nodes():  # often solutions, from which descents can begin
            if self.best is not None:
                break
            self._look(node)
            yield
        crossing = None
        if not self._is_ruled_out(self.lattice.high):
            if self.lattice.nodes > WORTH_CROSSING and (
                yield from self._holds_often()
            ):  # descents would only end on the lowest levels
                crossing = self._cross()
            else:
                for _ in range(DESCENTS):
                    yield from self._descent()
        number = 0
        while self._boxes and self._boxes[0].bound <= self.limit(wanted):
            yield from self._divide()
            number += 1
            if crossing is not None:
                yield from islice(crossing, CROSSED_PER_BOX)
            elif self.best is not None and number % BOXES_PER_DESCENT == 0:
                yield from self._descent()

    def _look(self, node: Node) -> None:
        """Test a node, unless that was done before."""
        if node not in self._looked_at:
            self.look_at(node)
            self._looked_at.add(node)

    def _is_ruled_out(self, node: Node) -> bool:
        """Whether a node and all finer ones cannot satisfy the rules."""
        self._look(node)
        return self.known[node].lasting > self.max_suppressed

    def _divide(self) -> Iterator[None]:
        """Divide the first box, or find that it contains nothing better."""
        box = self._boxes[0]
        parts: list[Box] = []
        for part in self._parts(box):
            bounded = yield from self._compute_bound(part)
            if bounded is not None and bounded.bound <= self.limit():
                parts.append(bounded)
        self._divided = box.bound  # only now: a search that is stopped before continues with the whole box
        heapq.heappop(self._boxes)
        for part in parts:
            heapq.heappush(self._boxes, part)
        self._divided = np.inf

    def _parts(self, box: Box) -> list[Box]:
        """The box itself if more can be ruled out; otherwise its two halves, or nothing if it has one node."""
        if box.rounds < ROUNDS:
            return [box]
        column = next((index for index in self._order if box.low[index] < box.high[index]), None)
        if column is None:
            return []
        level = min(self._promising(box)[column], box.high[column] - 1)
        below, above = _set_level(box.high, column, level), _set_level(box.low, column, level + 1)
        return [Box(box.low, below, box.left, box.bound), Box(above, box.high, box.left, box.bound)]

    def _promising(self, box: Box) -> Node:
        """The node with the least loss if each group could be chosen independently."""
        node = list(box.high)
        for group, packed in zip(self._groups, box.left, strict=True):
            best = group.best(group.within(box.low, box.high, _unpack_mask(packed, group.shape)))
            assert best is not None
            for index, level in zip(group.indices, best[1], strict=True):
                node[index] = level
        return tuple(node)

    def _compute_bound(self, box: Box) -> Generator[None, None, Box | None]:
        """The box with its bound; None if it contains nothing better than the known solutions."""
        if self._is_ruled_out(box.high):
            return None
        left, losses, node, settled = [], [], list(box.high), True
        for group, packed in zip(self._groups, box.left, strict=True):
            open_ = group.within(box.low, box.high, _unpack_mask(packed, group.shape))
            tries = 0
            while True:
                best = group.best(open_)
                if best is None:
                    return None
                with_group = _set_levels(box.high, group.indices, best[1])
                yield
                if not self._is_ruled_out(with_group):
                    break
                if tries == TRIES:
                    settled = False
                    break
                tries += 1
                open_[group.finer(self._coarsest_ruled_out(with_group, group.indices, box.high))] = False
            left.append(np.packbits(open_))
            losses.append(best[0])
            for index, level in zip(group.indices, best[1], strict=True):
                node[index] = level
        bound = float(self.objective.of_all(reduce(self.objective.of_two, losses)).item())
        if settled:
            self._look(tuple(node))
            outcome = self.known[tuple(node)]
            if (
                outcome.records == 0
                and outcome.loss is not None
                and outcome.loss <= bound + margin(bound, self._rounding)
                and self.required.loses_no_more(outcome.lost)
            ):
                return None  # nothing else in the box is better
        return Box(box.low, box.high, tuple(left), max(bound, box.bound), ROUNDS if settled else box.rounds + 1)

    def _coarsest_ruled_out(self, node: Node, indices: Sequence[int], high: Node) -> Node:
        """A node that is ruled out and coarser in some of the columns, within a box."""
        for index in self._random.permutation(indices).tolist():
            for level in range(high[index], node[index], -1):
                coarser = _set_level(node, index, level)
                if self._is_ruled_out(coarser):
                    node = coarser
                    break
        return node

    def _descent(self) -> Iterator[None]:
        """Descend from a coarse node, or from the best one with some columns raised, while the rules hold."""
        node = self.lattice.high
        if self.best is not None and self.best.node != self.lattice.high:
            node = self._raise_at_random(self.best.node)
        self._look(node)
        while True:
            gains = {}
            for index in self._order:
                if node[index] > self.lattice.low[index]:
                    finer = _set_level(node, index, node[index] - 1)
                    self._look(finer)
                    yield
                    if self._holds(finer):
                        gains[finer] = self._gain(node, finer)
            if not gains:
                return
            node = max(gains, key=lambda finer: gains[finer])

    def _cross(self) -> Iterator[None]:
        """Cross good nodes with each other, change a level or so, and improve the best ones; endless.

        Nodes whose loss without suppression is above the best loss are not looked at. Once the best one stays the same
        and no exchange of levels improves it, other nodes are crossed.
        """
        nodes: list[Node] = [self.lattice.high]
        improved: set[Node] = set()
        unchanged, best_before = 0, None
        while True:
            nodes += [self._any_node() for _ in range(POPULATION - len(nodes))]
            for node in nodes:
                self._look(node)
                yield
            ranked = self._rank(nodes)
            for node in ranked[:IMPROVED]:
                if node not in improved:
                    improved.add(node)
                    ranked.append((yield from self._improve(node)))
            best = self._rank(ranked)[0]
            unchanged = unchanged + 1 if best == best_before else 0
            if unchanged == 1:
                best = yield from self._improve(best, exchange=True)
                ranked.append(best)
            best_before = best
            ranked = self._rank(ranked)
            if unchanged == GENERATIONS:
                nodes, unchanged, best_before = [], 0, None
                continue
            nodes = ranked[: POPULATION // 5]
            while len(nodes) < POPULATION:
                parents = [ranked[int(self._random.integers(0, len(ranked), 3).min())] for _ in range(2)]
                child = tuple(int(self._random.choice(levels)) for levels in zip(*parents, strict=True))
                child = tuple(
                    min(max(level + int(self._random.integers(-1, 2)), low), high)
                    if self._random.random() < CHANGED / len(child)
                    else level
                    for level, low, high in zip(child, self.lattice.low, self.lattice.high, strict=True)
                )
                is_hopeful = self._cost(child) < self._loss(ranked[0])
                nodes.append(child if is_hopeful or self._random.random() < MIXED_IN else self._any_node())

    def _rank(self, nodes: Iterable[Node]) -> list[Node]:
        """The distinct nodes that were tested, those that lose least first."""
        return sorted(set(nodes), key=lambda node: (self._loss(node), node))

    def _improve(self, node: Node, *, exchange: bool = False) -> Generator[None, None, Node]:
        """Move to neighbours that lose less, until there is none.

        exchange   whether neighbours are also one level higher in one column and one level lower in another
        """
        moves = [((index, step),) for index in range(len(node)) for step in (-1, 1)]
        if exchange:
            steps = product(range(len(node)), repeat=2)
            moves += [((lower, -1), (higher, 1)) for lower, higher in steps if lower != higher]  # type: ignore[misc]
        order = [moves[index] for index in self._random.permutation(len(moves)).tolist()]
        at, unchanged = 0, 0
        while unchanged < len(order):
            neighbour = self._move(node, order[at % len(order)])
            at, unchanged = at + 1, unchanged + 1
            if neighbour is not None and self._cost(neighbour) < self._loss(node):
                self._look(neighbour)
                yield
                if self._loss(neighbour) < self._loss(node):
                    node, unchanged = neighbour, 0
        return node

    def _move(self, node: Node, move: Sequence[tuple[int, int]]) -> Node | None:
        """A node with the levels of some columns changed; None if it is outside the lattice."""
        for index, step in move:
            level = node[index] + step
            if not self.lattice.low[index] <= level <= self.lattice.high[index]:
                return None
            node = _set_level(node, index, level)
        return node

    def _holds_often(self) -> Generator[None, None, bool]:
        """Whether the rules hold on most of some random nodes."""
        holding = 0
        for _ in range(TRIED):
            node = self._any_node()
            self._look(node)
            yield
            holding += self._holds(node)
        return 2 * holding > TRIED

    def _any_node(self) -> Node:
        """A random node."""
        levels = zip(self.lattice.low, self.lattice.high, strict=True)
        return tuple(int(self._random.integers(low, high + 1)) for low, high in levels)

    def _loss(self, node: Node) -> float:
        """The loss of a node that was tested; infinite if it fails."""
        outcome = self.known.get(node)
        return float("inf") if outcome is None or outcome.loss is None else outcome.loss

    def _holds(self, node: Node) -> bool:
        records = self.known[node].records
        return records is not None and records <= self.max_suppressed

    def _raise_at_random(self, node: Node) -> Node:
        """A node with a few columns raised at random."""
        raisable = [index for index, high in enumerate(self.lattice.high) if node[index] < high]
        number = min(len(raisable), int(self._random.integers(1, 5)))
        for index in self._random.choice(raisable, number, replace=False).tolist():
            node = _set_level(node, index, int(self._random.integers(node[index] + 1, self.lattice.high[index] + 1)))
        return node

    def _gain(self, node: Node, finer: Node) -> float:
        """The loss saved by a finer node for each additional suppressed record, with random noise."""
        before, after = (self.known[each].records or 0 for each in (node, finer))
        gained = self._cost(node) - self._cost(finer)
        noise = float(np.exp(0.3 * self._random.normal()))
        return gained / (max(after - before, 0) + 1 + self.judge.cube.records / 1000) * noise

    def _cost(self, node: Node) -> float:
        levels = zip(self.objective.lost, node, strict=True)
        return float(self.objective.of_nodes([lost[level : level + 1] for lost, level in levels]).item())


def _columns_by_entropy(judge: Judge, lattice: Lattice) -> list[int]:
    """The columns in ascending order of entropy: those with the least information are the easiest to retain."""
    bits = []
    for column in lattice.columns:
        counts = judge.cube.on_level(column, 0).counts
        shares = counts[counts > 0] / counts.sum()
        bits.append(float(-(shares * np.log2(shares)).sum()))
    return sorted(range(len(bits)), key=lambda index: bits[index])


def _group_columns(lattice: Lattice, order: Sequence[int]) -> list[list[int]]:
    """Neighbouring columns in groups with few combinations of levels."""
    groups: list[list[int]] = []
    nodes = GROUP_NODES + 1
    for index in order:
        nodes *= lattice.shape[index]
        if nodes > GROUP_NODES or len(groups[-1]) == MOST_AXES:
            groups.append([])
            nodes = lattice.shape[index]
        groups[-1].append(index)
    return [sorted(group) for group in groups]


def _unpack_mask(packed: NDArray[np.uint8], shape: tuple[int, ...]) -> Mask:
    return np.unpackbits(packed, count=int(np.prod(shape))).astype(np.bool_).reshape(shape)


def _set_level(node: Node, index: int, level: int) -> Node:
    return (*node[:index], level, *node[index + 1 :])


def _set_levels(node: Node, indices: Sequence[int], levels: Sequence[int]) -> Node:
    changed = list(node)
    for index, level in zip(indices, levels, strict=True):
        changed[index] = level
    return tuple(changed)
