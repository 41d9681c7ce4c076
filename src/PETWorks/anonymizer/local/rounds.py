"""Rounds of local recoding: the tree, sweeps over the nodes that its classes use, and the tree again for the rest."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import numpy as np

from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local.sweep import (
    Levels,
    LocalSteps,
    NodeQueue,
    NodesInOrder,
    RemainingRecords,
    Sweep,
    drop_failing_classes,
    merge_leftover_rows,
    smallest_size,
    sweep,
    sweep_over,
)
from PETWorks.anonymizer.local.tree import Partition, Splitter, without_empty_classes
from PETWorks.anonymizer.objectives import LINEAR, ByColumn, Granularity, SumOfPowers
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.recoding import NOT_RELEASED

FULL_SWEEP = 1 << 30  # most nodes times distinct rows for a sweep over all nodes
FULL_SWEEP_OF_VALUES = 1 << 22  # the same if rules are about sensitive values
SWEEP = 3 << 28  # the same for a sweep over the nodes of classes and those above
SWEEP_OF_VALUES = 1 << 22
ROUNDS = 5  # most sweeps over the nodes of the release before
ENOUGH = 0.998  # rounds end once the loss falls by less than this factor
HOMES_DIVIDED_BY = 4  # sizes of homes are the records of the table, divided by powers of this

Tell = Callable[[int], None]


def local_releases(
    problem: Problem,
    judge: Judge,
    least: int,
    allowed: int,
    fallback: Sweep,
    report: Tell,
    power: int | None = None,
) -> Iterator[Sweep]:
    """Releases by local recoding whose classes keep the rules, with at most `allowed` suppressed records.

    least       the minimum number of records per class
    fallback    a release that keeps the rules: where the tree starts if no coarse one does
    power       of the losses of the columns, which are added up to order nodes and choose columns
    """
    rounds = _Rounds(problem, judge, least, allowed, report, power)
    if rounds.can_sweep_all:
        found = yield from rounds.sweep_all()
        if found and rounds.only_sizes:
            return
    yield from rounds.from_the_tree(fallback)


def recode_again(problem: Problem, judge: Judge, steps: LocalSteps, allowed: int) -> Sweep:
    """The release that the same steps make of a table, whatever is suppressed."""
    if steps.lowest is None:
        return sweep_over(problem.cube, judge, steps.nodes, steps.least)
    least = max(steps.least, smallest_size(judge))
    rounds = _Rounds(problem, judge, least, allowed, lambda _visited: None, steps.power, steps.lowest)
    return rounds.repeat(steps)


def sorting_objective(problem: Problem, power: int | None = None) -> ByColumn:
    """The objective that orders nodes: the one of the problem if it is a sum over records, else granularity.

    power   of the losses of the columns, which are added up; the higher it is, the more count columns that lose much
    """
    if power is not None:
        weights = [problem.weights.get(name, 1.0) for name in problem.lattice.columns]
        granularity = Granularity.of(problem.cube, weights, "sum")
        return SumOfPowers(problem.cube, granularity.lost, granularity.by_value, weights, "sum", power=power)
    if problem.objective_name in LINEAR and isinstance(problem.objective, ByColumn):
        return problem.objective
    return Granularity.of(problem.cube, [1.0] * len(problem.lattice.columns), "geometric")


class _Rounds:
    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        least: int,
        allowed: int,
        report: Tell,
        power: int | None = None,
        lowest: Node | None = None,
    ) -> None:
        cube, objective = problem.cube, sorting_objective(problem, power)
        self._cube, self._judge, self._objective = cube, judge, objective
        self._least, self._allowed, self._power = least, allowed, power
        self._visited, self._report_nodes = 0, report
        self._splitter = Splitter(cube, judge, objective, least, self._report, lowest)
        self._rows = len(self._splitter.weights)
        self.only_sizes = self._splitter.rules.only_sizes

    def _report(self, visited: int = 0) -> None:
        self._report_nodes(self._visited + visited)

    @property
    def can_sweep_all(self) -> bool:
        """Whether a sweep over all nodes takes little time."""
        most = FULL_SWEEP if self.only_sizes else FULL_SWEEP_OF_VALUES
        return self._cube.lattice.nodes * self._rows <= most

    def sweep_all(self) -> Generator[Sweep, None, bool]:
        """A sweep over all nodes; return whether it makes a release."""
        swept = self._sweep(None)
        if swept is None:
            return False
        yield from self._release(self._complete(swept), swept.steps)
        return True

    def from_the_tree(self, fallback: Sweep) -> Iterator[Sweep]:
        """The tree, sweeps over its nodes, and sweeps over the nodes of these."""
        start = self._splitter.start(np.arange(self._rows), self._allowed)
        tree = yield from self._tree(fallback.nodes if start is None else (tuple(start.levels[0].tolist()),))
        if start is not None and self._loss(self._splitter.partition_of(fallback)) < self._loss(tree):
            yield from self._tree(fallback.nodes)
        if not self.only_sizes and start is not None:
            yield from self._within_homes(start, tree)
        found, loss = tree, self._loss(tree)
        for _ in range(ROUNDS):
            again = self._sweep(self._nodes_to_sweep(found))
            if again is None:
                return
            found, before = self._complete(again), loss
            yield from self._release(found, again.steps)
            loss = self._loss(found)
            if loss > before * ENOUGH:
                return

    def _nodes_to_sweep(self, found: Partition) -> Levels:
        """The nodes of the classes and, of those with the most records, the nodes one level above, if time allows."""
        nodes, node_of_class = np.unique(found.levels, axis=0, return_inverse=True)
        released = np.flatnonzero(found.of_row != NOT_RELEASED)
        node_of_row = node_of_class.reshape(-1)[found.of_row[released]]
        records = np.bincount(node_of_row, self._splitter.weights[released], len(nodes))
        more = max(0, (SWEEP if self.only_sizes else SWEEP_OF_VALUES) // self._rows - len(nodes))
        largest = nodes[np.argsort(-records, kind="stable")[: more // nodes.shape[1]]]
        above = (largest[:, np.newaxis] + np.eye(nodes.shape[1], dtype=np.int64)).reshape(-1, nodes.shape[1])
        above = above[(above <= np.array(self._cube.lattice.high)).all(axis=1)]
        return np.unique(np.concatenate([nodes, above]), axis=0)

    def _tree(self, nodes: tuple[Node, ...]) -> Generator[Sweep, None, Partition]:
        """The tree from the classes of these nodes on."""
        swept = sweep_over(self._cube, self._judge, nodes, self._least)
        tree = self._complete(swept)
        yield from self._release(tree, swept.steps)
        return tree

    def repeat(self, steps: LocalSteps) -> Sweep:
        """The release that the same steps make, whatever is suppressed."""
        start = None if steps.homes is None else self._splitter.start(np.arange(self._rows), self._allowed)
        if steps.homes is None or start is None:
            found = self._complete(sweep_over(self._cube, self._judge, steps.nodes, self._least))
        else:
            homes = self._splitter.split(start, steps.homes)
            found = self._splitter.split(self._sweep_within(homes, NodesInOrder(steps.nodes))[0])
        return self._drop_failing(found, steps)

    def _sweep(self, nodes: Levels | None) -> Sweep | None:
        """A sweep over nodes, or over all; what it leaves can go through the tree or be suppressed."""
        swept = sweep(self._cube, self._judge, self._objective, self._least, self._report, nodes)
        self._visited += self._cube.lattice.nodes if nodes is None else len(nodes)
        if swept.suppressed > self._allowed:
            left = np.flatnonzero(swept.on_node == NOT_RELEASED)
            if self._splitter.start(left, self._allowed) is None:
                return merge_leftover_rows(swept, self._judge, self._objective, self._allowed, nodes)
        return swept

    def _complete(self, swept: Sweep) -> Partition:
        """The classes of a sweep; what it leaves goes through the tree, and all classes are divided further."""
        found = self._splitter.partition_of(swept)
        if len(found.left):
            rest = self._splitter.start(found.left, self._allowed)
            found = found if rest is None else found.join(rest)
        return self._splitter.split(found)

    def _within_homes(self, start: Partition, tree: Partition) -> Iterator[Sweep]:
        """Sweeps over the nodes of the tree that leave each of its larger classes, the homes, able to stay."""
        nodes = np.unique(tree.levels, axis=0)
        best, size = self._loss(tree), self._cube.records
        while size > HOMES_DIVIDED_BY * self._least:
            homes = self._splitter.split(start, size)
            queue = NodeQueue(self._cube, self._objective, nodes)
            swept, used = self._sweep_within(homes, queue)
            self._visited += len(nodes)
            found = self._splitter.split(swept)
            loss = self._loss(found)
            if used and loss < best:
                best = loss
                yield from self._release(found, LocalSteps(used, self._least, homes=size))
            size //= HOMES_DIVIDED_BY

    def _sweep_within(self, homes: Partition, queue: NodeQueue | NodesInOrder) -> tuple[Partition, tuple[Node, ...]]:
        """Release classes of the rows of each home as long as what stays there keeps the rules; and the nodes used."""
        of_row, levels, used = homes.of_row.copy(), [homes.levels], []
        number = len(homes.levels)
        remaining = RemainingRecords(self._cube, self._least, np.flatnonzero(of_row != NOT_RELEASED))
        while remaining.records >= self._least:
            queue.renew(remaining.rows)
            for node in queue.promising(remaining):
                self._report(queue.visited)
                leaving = self._splitter.leaving_homes(homes, remaining.rows, node)
                if leaving is None:
                    continue
                rows, class_of, classes = leaving
                of_row[rows] = number + class_of
                number += classes
                levels.append(np.tile(np.array(node, np.int64), (classes, 1)))
                used.append(node)
                queue.release(node, rows)
                if remaining.release(rows):
                    break
            else:
                break
        return without_empty_classes(Partition(of_row, np.concatenate(levels))), tuple(used)

    def _release(self, partition: Partition, steps: LocalSteps) -> Iterator[Sweep]:
        """The release on these classes, if enough records remain when classes are what looks equal."""
        if len(partition.levels):
            lowest = tuple(partition.levels.min(axis=0).tolist())
            swept = self._drop_failing(partition, replace(steps, lowest=lowest, power=self._power))
            if swept.nodes and swept.suppressed <= self._allowed:
                yield swept

    def _drop_failing(self, partition: Partition, steps: LocalSteps) -> Sweep:
        """The release on these classes without those that fail as they look."""
        swept = self._splitter.sweep_of(partition)
        kept = swept if partition.sweep is not None else drop_failing_classes(swept, self._judge)
        return replace(kept, made_by=steps)

    def _loss(self, partition: Partition) -> float:
        """The loss by the objective that chooses columns."""
        lost = [np.array([part]) for part in self._splitter.lost(partition)]
        return float(self._objective.of_nodes(lost).item())
