"""The exact search: nodes by their lower bound, until none is left that could lose less than the best one found."""

from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from functools import reduce
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.judging import Judge, Outcome
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.objectives import Objective
from PETWorks.counting.counts import Integers

Reals = NDArray[np.float64]

FIRST = 20  # nodes among the rather coarse ones, which may well be solutions
RATHER_COARSE = 0.75
TURNS = 10  # after so many nodes another way has its turn
MEMORY = 0.9  # how much of what a way achieved earlier still counts


class Chooser:
    """Chooses among open nodes in the way that closed most of them lately.

    coarsest   the node that has most finer ones: if it fails, all these do
    middle     the node with the middle bound: it closes the half above it or below it, if things go well
    cheapest   the node with the lowest bound: the best one if coarse nodes rule nothing out
    """

    def __init__(self, lattice: Lattice) -> None:
        levels = [np.arange(1.0, number + 1) for number in lattice.shape]
        self._finer = reduce(np.multiply.outer, levels).reshape(-1)
        self._ways = (self._coarsest, self._cheapest, self._middle)
        self._closed = [np.inf] * len(self._ways)
        self._turn = 0
        self._way: int | None = None
        self._open = 0

    def __call__(self, places: Integers, bounds: Reals, has_solution: bool) -> int:
        """One of the places of open nodes, whose bounds are given, too."""
        self._learn(self._open - len(places))
        self._open = len(places)
        self._turn += 1
        if not has_solution or self._turn <= FIRST:
            self._way = None
            return int(places[_ranked(bounds, RATHER_COARSE)])
        self._way = int(np.argmax(self._closed))
        if self._turn % TURNS == 0:
            self._way = self._turn // TURNS % len(self._ways)
        return int(places[self._ways[self._way](places, bounds)])

    def _learn(self, closed: int) -> None:
        if self._way is not None:
            before = self._closed[self._way]
            self._closed[self._way] = closed if before == np.inf else MEMORY * before + (1 - MEMORY) * closed

    def _coarsest(self, places: Integers, _bounds: Reals) -> int:
        return int(np.argmax(self._finer[places]))

    def _cheapest(self, _places: Integers, bounds: Reals) -> int:
        return int(np.argmin(bounds))

    def _middle(self, _places: Integers, bounds: Reals) -> int:
        return _ranked(bounds, 0.5)


def _ranked(bounds: Reals, share: float) -> int:
    """Where the bound is that has this share of all below it."""
    rank = int(share * len(bounds))
    return int(np.argpartition(bounds, rank)[rank])


SAME = 1e-12  # losses that differ by rounding alone

Stop = Callable[[], bool]


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


Report = Callable[[Progress], None]


def never() -> bool:
    """A search that is not to stop before its end."""
    return False


class Searching(ABC):
    """A search: the solutions so far, the best one first, and what was found on nodes.

    most             how many records may be suppressed
    known            outcomes of nodes, by which a search that was stopped is continued
    takes_bounds     whether bounds on the loss of other nodes are used
    seconds          how long it took
    improved_after   after how many of them the best solution was found
    """

    def __init__(self, lattice: Lattice, objective: Objective, judge: Judge) -> None:
        self.lattice, self.objective, self.judge = lattice, objective, judge
        self.most = judge.most
        self.solutions: list[Solution] = []
        self.checked = 0
        self.known: MutableMapping[Node, Outcome] = {}
        self.takes_bounds = True
        self.seconds = 0.0
        self.improved_after = 0.0
        self._rounding = 0.0

    @property
    def best(self) -> Solution | None:
        """The best solution so far."""
        return self.solutions[0] if self.solutions else None

    @property
    def bound(self) -> float:
        """What any node loses at least that could still be better; the best loss once that is proved."""
        least = self._least_bound()
        return least if self.best is None else min(least, self.best.loss)

    @property
    def is_finished(self) -> bool:
        """Whether it is proved that there is nothing better."""
        least = self._least_bound()
        return least == np.inf or least > self.limit()

    def limit(self, wanted: int = 1) -> float:
        """Nodes that lose more than this at least need not be looked at if so many solutions are wanted."""
        if len(self.solutions) < wanted:
            return np.inf
        loss = self.solutions[wanted - 1].loss
        return loss + margin(loss, self._rounding)

    def run(self, wanted: int = 1, report: Report | None = None, stop: Stop = never) -> None:
        """Look at nodes until the best so many are known, or until it is to stop and there is a solution."""
        started, best = monotonic() - self.seconds, self.best
        for number, _ in enumerate(self._steps(wanted), 1):
            self.seconds = monotonic() - started
            if self.best is not best:
                best, self.improved_after = self.best, self.seconds
            if report is not None and number % 16 == 0:
                report(Progress(self.checked, None if self.best is None else self.best.loss, self.bound))
            if self.best is not None and stop():
                return

    def has_any(self) -> bool:
        """Whether any node keeps the rules."""
        if self.best is None:
            self.run(stop=lambda: True)
        return self.best is not None

    def look_at(self, node: Node, limit: float = np.inf) -> Outcome:
        """Judge a node and draw the conclusions."""
        outcome = self.known.get(node)
        if outcome is None or (outcome.given_up_at is not None and outcome.given_up_at <= limit):
            outcome = self.judge.outcome(node, limit, bounds=self.takes_bounds)
            self.known[node] = outcome
        self.learn(node, outcome)
        return outcome

    def learn(self, node: Node, outcome: Outcome) -> None:
        """Draw the conclusions of what was found on a node."""
        if outcome.records is not None and outcome.records <= self.most:
            assert outcome.loss is not None
            insort(self.solutions, Solution(node, outcome.loss, outcome.records, self._rounding))
        self.checked += 1

    @abstractmethod
    def _least_bound(self) -> float:
        """What any open node loses at least; infinite if none is open."""

    @abstractmethod
    def _steps(self, wanted: int) -> Iterator[None]:
        """Look at nodes, one at a time or a few, until the best so many are known."""


class Search(Searching):
    """The search of a lattice of which every node has a bound in memory."""

    def __init__(self, lattice: Lattice, objective: Objective, judge: Judge) -> None:
        super().__init__(lattice, objective, judge)
        self.bounds: NDArray[np.float64] = objective.bounds()
        self._rounding = rounding_of(objective, self.bounds)
        self.open = np.ones(lattice.shape, np.bool_)  # which nodes may keep the rules and were not looked at
        self._chooser = Chooser(lattice)

    def _least_bound(self) -> float:
        left = self.bounds[self.open]
        return float(left.min()) if left.size else np.inf

    def _steps(self, wanted: int) -> Iterator[None]:
        if self.checked == 0 and not self.judge.may_rule_out:
            self.look_at(self.lattice.high)  # often a solution: whoever stops the search early has at least that
        while (node := self._next_node(wanted)) is not None:
            self.look_at(node, self.limit(wanted))
            yield

    def _next_node(self, wanted: int) -> Node | None:
        """The node to look at next; None if the best so many are known."""
        places = np.flatnonzero((self.open & (self.bounds <= self.limit(wanted))).reshape(-1))
        if len(places) == 0:
            return None
        bounds = self.bounds.reshape(-1)[places]
        if self.judge.may_rule_out or self.best is not None:
            return self.lattice.node(self._chooser(places, bounds, has_solution=len(self.solutions) >= wanted))
        return self.lattice.node(int(places[np.argmin(bounds)]))

    def learn(self, node: Node, outcome: Outcome) -> None:
        """Draw the conclusions of what was found on a node."""
        super().learn(node, outcome)
        place = self.lattice.place(node)
        if outcome.given_up_at is not None:  # it stays open, should more be wanted later
            self.bounds.flat[place] = max(self.bounds.flat[place], outcome.given_up_at)
        else:  # Only now: if Ctrl-C comes before, the node is still one that may be better.
            self.open.flat[place] = False
        finer = self.lattice.finer(node)
        if outcome.lasting > self.most:
            self.open[finer] = False
        elif outcome.added is not None:
            (bounds,) = self.objective.finer_bounds(node, [outcome.added])
            np.maximum(self.bounds[finer], bounds, out=self.bounds[finer])
        if outcome.coarser is not None:
            coarser = self.lattice.coarser(node)
            np.maximum(self.bounds[coarser], outcome.coarser, out=self.bounds[coarser])


def rounding_of(objective: Objective, bounds: NDArray[np.float64]) -> float:
    """How far a loss may be rounded, given those of all nodes."""
    return SAME * float(bounds.max()) if objective.is_rounded else 0.0
