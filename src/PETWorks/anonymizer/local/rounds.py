"""Rounds of local recoding: the tree, sweeps over the nodes that its classes use, and the tree again for the rest."""

from collections.abc import Callable, Generator, Iterator

import numpy as np

from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.local.sweep import (
    Levels,
    NodeQueue,
    RemainingRecords,
    Sweep,
    drop_failing_classes,
    merge_leftover_rows,
    sweep,
)
from PETWorks.anonymizer.local.tree import Partition, Splitter, without_empty_classes
from PETWorks.anonymizer.objectives import ByColumn
from PETWorks.anonymizer.recoding import NOT_RELEASED
from PETWorks.anonymizer.rows import Ground

FULL_SWEEP = 1 << 30  # most nodes times distinct rows for a sweep over all nodes
FULL_SWEEP_OF_VALUES = 1 << 22  # the same if rules are about sensitive values
ROUNDS = 6  # most sweeps over the nodes of the release before
ENOUGH = 0.997  # rounds end once the loss falls by less than this factor
HOMES_DIVIDED_BY = 4  # sizes of homes are the records of the table, divided by powers of this

Tell = Callable[[int], None]


def local_releases(
    ground: Ground,
    judge: Judge,
    objective: ByColumn,
    least: int,
    allowed: int,
    fallback: Sweep,
    report: Tell,
) -> Iterator[Sweep]:
    """Releases by local recoding whose classes keep the rules, with at most `allowed` suppressed records.

    objective   a sum over records, which orders nodes and chooses columns
    least       the minimum number of records per class
    fallback    a release that keeps the rules: where the tree starts if no coarse one does
    """
    rounds = _Rounds(ground, judge, objective, least, allowed, report)
    if rounds.can_sweep_all:
        found = yield from rounds.swept_further(None)
        if found and judge.only_sizes and ground.base.rows.unit is None:
            return
    yield from rounds.from_the_tree(fallback)


class _Rounds:
    def __init__(
        self, ground: Ground, judge: Judge, objective: ByColumn, least: int, allowed: int, report: Tell
    ) -> None:
        self._ground, self._judge, self._objective = ground, judge, objective
        self._least, self._allowed = least, allowed
        self._visited, self._report_nodes = 0, report
        self._splitter = Splitter(ground, judge, objective, least, self._report)
        self._rows = len(self._splitter.weights)

    def _report(self, visited: int = 0) -> None:
        self._report_nodes(self._visited + visited)

    @property
    def can_sweep_all(self) -> bool:
        """Whether a sweep over all nodes takes little time."""
        most = FULL_SWEEP if self._splitter.rules.only_sizes else FULL_SWEEP_OF_VALUES
        return self._ground.lattice.nodes * self._rows <= most

    def from_the_tree(self, fallback: Sweep) -> Iterator[Sweep]:
        """The tree, and sweeps over its nodes."""
        splitter = self._splitter
        start = splitter.start(np.arange(self._rows), self._allowed) or splitter.partition_of(fallback)
        tree = splitter.split(start)
        yield from self._released(tree)
        if not splitter.rules.only_sizes:
            yield from self._within_homes(start, tree)
        yield from self._rounds(tree)

    def _rounds(self, found: Partition) -> Iterator[Sweep]:
        """Sweeps over the nodes of the classes, again and again."""
        loss = self._loss(found)
        for _ in range(ROUNDS):
            nodes = np.unique(found.levels, axis=0)
            swept = self._swept(nodes)
            if swept is None:
                return
            yield from self._released(swept)
            found, before = swept, loss
            loss = self._loss(found)
            if loss > before * ENOUGH:
                return

    def swept_further(self, nodes: Levels | None) -> Generator[Sweep, None, bool]:
        """A sweep, its classes divided further; return whether it is a release."""
        swept = self._swept(nodes)
        if swept is None:
            return False
        yield from self._released(swept)
        return True

    def _swept(self, nodes: Levels | None) -> Partition | None:
        """A sweep over nodes, or over all; what it leaves goes through the tree; all classes are divided further."""
        swept = sweep(self._ground, self._judge, self._objective, self._least, self._report, nodes)
        self._visited += self._ground.lattice.nodes if nodes is None else len(nodes)
        found = self._splitter.partition_of(swept)
        left = found.left
        if len(left):
            rest = self._splitter.start(left, self._allowed)
            if rest is not None:
                found = found.joined(rest)
            elif swept.suppressed > self._allowed:
                merged = merge_leftover_rows(swept, self._judge, self._objective, self._allowed, nodes)
                if merged is None:
                    return None
                found = self._splitter.partition_of(merged)
        return self._splitter.split(found)

    def _within_homes(self, start: Partition, tree: Partition) -> Iterator[Sweep]:
        """Sweeps over the nodes of the tree that leave each of its larger classes, the homes, able to stay."""
        nodes = np.unique(tree.levels, axis=0)
        best, size = self._loss(tree), self._ground.records
        while size > HOMES_DIVIDED_BY * self._least:
            homes = self._splitter.split(start, size)
            swept = self._splitter.split(self._sweep_within(homes, nodes))
            loss = self._loss(swept)
            if loss < best:
                best = loss
                yield from self._released(swept)
            size //= HOMES_DIVIDED_BY

    def _sweep_within(self, homes: Partition, nodes: Levels) -> Partition:
        """Release classes of the remaining rows of each home as long as what stays there keeps the rules."""
        splitter = self._splitter
        of_row, levels = homes.of_row.copy(), [homes.levels]
        number = len(homes.levels)
        remaining = RemainingRecords(self._ground, self._least, np.flatnonzero(of_row != NOT_RELEASED))
        order = NodeQueue(self._ground, self._objective, nodes)
        while remaining.records >= self._least:
            order.renew(remaining.rows)
            for node in order.promising(remaining):
                self._report(order.visited)
                leaving = splitter.leaving_homes(homes, remaining.rows, node)
                if leaving is None:
                    continue
                rows, class_of, classes = leaving
                of_row[rows] = number + class_of
                number += classes
                levels.append(np.tile(np.array(node, np.int64), (classes, 1)))
                order.release(node, rows)
                if remaining.release(rows):
                    break
            else:
                break
        self._visited += len(nodes)
        return without_empty_classes(Partition(of_row, np.concatenate(levels)))

    def _released(self, partition: Partition) -> Iterator[Sweep]:
        """The release on these classes, if enough records remain when classes are what looks equal."""
        swept = drop_failing_classes(self._splitter.sweep_of(partition), self._judge)
        if swept.nodes and swept.suppressed <= self._allowed:
            yield swept

    def _loss(self, partition: Partition) -> float:
        """The loss by the objective that chooses columns."""
        lost = [np.array([part]) for part in self._splitter.lost(partition)]
        return float(self._objective.combined(lost).item())
