"""The search: nodes by what they lose at least, until none is left that could lose less than the best one found.

It is exact for every rule. The bound of a node is what it loses if nothing is suppressed, so a node whose bound is
above the best loss cannot be better. Rules say how many of the records that fail on a node fail on all finer ones too;
if these are more than may be suppressed, no finer node need be looked at.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.choosing import Chooser
from PETWorks.anonymizer.judging import Judge, Judged
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.objectives import Objective

SAME = 1e-12  # losses that differ by rounding alone


@dataclass(frozen=True)
class Solution:
    """A node that keeps the rules: its loss, how many records are suppressed, and how far the loss may be rounded."""

    node: Node
    loss: float
    suppressed: int
    rounding: float = 0.0

    def __lt__(self, other: "Solution") -> bool:
        """Better: less loss, then fewer suppressed records, then lower levels, then by the order of the columns."""
        if abs(self.loss - other.loss) > margin(other.loss, self.rounding):
            return self.loss < other.loss
        return self._rank < other._rank

    @property
    def _rank(self) -> tuple[int, int, Node]:
        return self.suppressed, sum(self.node), self.node


def margin(loss: float, rounding: float) -> float:
    """How far another loss may be away and differ by rounding alone."""
    return max(SAME * abs(loss), rounding)


@dataclass(frozen=True)
class Progress:
    """How far a search is: nodes looked at, the best loss, and what any better node loses at least."""

    checked: int
    best: float | None
    bound: float


class Search:
    """The nodes that are still open, and the solutions so far, the best one first."""

    def __init__(self, lattice: Lattice, objective: Objective, judge: Judge) -> None:
        self.lattice, self.objective, self.judge = lattice, objective, judge
        self.bounds: NDArray[np.float64] = objective.bounds()
        self._rounding = SAME * float(self.bounds.max()) if objective.is_rounded else 0.0
        self.open = np.ones(lattice.shape, np.bool_)
        self._chooser = Chooser(lattice)
        self.solutions: list[Solution] = []
        self.checked = 0

    @property
    def best(self) -> Solution | None:
        """The best solution so far."""
        return self.solutions[0] if self.solutions else None

    @property
    def bound(self) -> float:
        """What any node loses at least that could still be better; the best loss once that is proved."""
        left = self.bounds[self.open]
        least = float(left.min()) if left.size else np.inf
        return least if self.best is None else min(least, self.best.loss)

    def run(self, wanted: int = 1, report: Callable[[Progress], None] | None = None) -> None:
        """Look at nodes until the best so many are known."""
        if self.checked == 0 and not self.judge.may_rule_out:
            self.look_at(self.lattice.high)  # often a solution: whoever stops the search early has at least that
        choose = self._chosen if self.judge.may_rule_out or self.best is not None else self._cheapest
        while (place := choose(self._limit(wanted))) is not None:
            self.look_at(self.lattice.node(place), self._limit(wanted))
            if report is not None and self.checked % 16 == 0:
                report(Progress(self.checked, None if self.best is None else self.best.loss, self.bound))

    def has_any(self) -> bool:
        """Whether any node keeps the rules."""
        while self.best is None and (place := self._cheapest(np.inf)) is not None:
            self.look_at(self.lattice.node(place))
        return self.best is not None

    def _limit(self, wanted: int) -> float:
        """Nodes that lose more than this at least need not be looked at."""
        if len(self.solutions) < wanted:
            return np.inf
        loss = self.solutions[wanted - 1].loss
        return loss + margin(loss, self._rounding)

    def look_at(self, node: Node, limit: float = np.inf) -> Judged:
        """Judge a node and draw the conclusions."""
        classes = self.judge.ground.at(node)
        judged = self.judge(classes, limit)
        place = self.lattice.place(node)
        if judged.suppressed is not None:
            loss = self.objective.loss(classes, judged.suppressed)
            insort(self.solutions, Solution(node, loss, judged.records, self._rounding))
        self.checked += 1
        if judged.given_up_at is not None:  # it stays open, should more be wanted later
            self.bounds.flat[place] = max(self.bounds.flat[place], judged.given_up_at)
        else:  # Only now: if Ctrl-C comes before, the node is still one that may be better.
            self.open.flat[place] = False
        if judged.rules_out:
            self.open[self.lattice.finer(node)] = False
        elif judged.sure.any():
            self._raise(self.lattice.finer(node), self.objective.finer_bounds(classes, judged.sure))
        self._raise(self.lattice.coarser(node), self.objective.coarser_bound(classes))
        return judged

    def _raise(self, where: tuple[slice, ...], bounds: "NDArray[np.float64] | float | None") -> None:
        if bounds is not None:
            np.maximum(self.bounds[where], bounds, out=self.bounds[where])

    def _cheapest(self, limit: float) -> int | None:
        """The open node that loses least at least."""
        bounds = np.where(self.open, self.bounds, np.inf).reshape(-1)
        place = int(np.argmin(bounds))
        return place if self.open.reshape(-1)[place] and bounds[place] <= limit else None

    def _chosen(self, limit: float) -> int | None:
        """An open node that may be better, or whose failing may rule out others that may be."""
        places = np.flatnonzero((self.open & (self.bounds <= limit)).reshape(-1))
        if len(places) == 0:
            return None
        return self._chooser(places, self.bounds.reshape(-1)[places], has_solution=limit < np.inf)
