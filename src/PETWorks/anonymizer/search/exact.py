"""The exact search: nodes by lower bound, until no other node can lose less than the best one found.

Then, if the best one loses columns, the same for nodes that lose fewer, as long as these cost little more.
"""

from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.judge import Judge, Outcome
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.lost_columns import Keeping
from PETWorks.anonymizer.objectives import Objective
from PETWorks.counting.counts import Integers

Reals = NDArray[np.float64]

FIRST = 20  # the first nodes are rather coarse ones, which are likely to be solutions
RATHER_COARSE = 0.75  # rank by bound
TURNS = 10  # nodes after which each strategy is tried again
MEMORY = 0.9  # weight of earlier successes of a strategy


class Chooser:
    """Chooses among open nodes by the strategy that recently closed the most nodes.

    coarsest   the node with the most finer nodes: if it fails, they all do
    middle     the node with the median bound: at best it closes the half above or below it
    cheapest   the node with the lowest bound: the best choice if coarse nodes rule nothing out
    """

    def __init__(self, lattice: Lattice) -> None:
        levels = [np.arange(1.0, number + 1) for number in lattice.shape]
        self._finer = reduce(np.multiply.outer, levels).reshape(-1)
        self._strategies = (self._coarsest, self._cheapest, self._middle)
        self._closed = [np.inf] * len(self._strategies)
        self._turn = 0
        self._strategy: int | None = None
        self._open = 0

    def __call__(self, indices: Integers, bounds: Reals, has_solution: bool) -> int:
        """One of the open nodes, given by their indices and bounds."""
        self._learn(self._open - len(indices))
        self._open = len(indices)
        self._turn += 1
        if not has_solution or self._turn <= FIRST:
            self._strategy = None
            return int(indices[_index_at_rank(bounds, RATHER_COARSE)])
        self._strategy = int(np.argmax(self._closed))
        if self._turn % TURNS == 0:
            self._strategy = self._turn // TURNS % len(self._strategies)
        return int(indices[self._strategies[self._strategy](indices, bounds)])

    def _learn(self, closed: int) -> None:
        if self._strategy is not None:
            before = self._closed[self._strategy]
            self._closed[self._strategy] = closed if before == np.inf else MEMORY * before + (1 - MEMORY) * closed

    def _coarsest(self, indices: Integers, _bounds: Reals) -> int:
        return int(np.argmax(self._finer[indices]))

    def _cheapest(self, _places: Integers, bounds: Reals) -> int:
        return int(np.argmin(bounds))

    def _middle(self, _places: Integers, bounds: Reals) -> int:
        return _index_at_rank(bounds, 0.5)


def _index_at_rank(bounds: Reals, share: float) -> int:
    """The index of the bound that exceeds this share of all bounds."""
    rank = int(share * len(bounds))
    return int(np.argpartition(bounds, rank)[rank])


SAME = 1e-12  # relative difference of losses that are equal except for rounding

Stop = Callable[[], bool]


MOST_COST = 1.25  # loss of a release that keeps columns, as a multiple of the least loss
ONE_IN = 20  # one in this many records may be suppressed in addition, to keep columns


@dataclass(frozen=True)
class Solution:
    """A node that satisfies the rules: its loss, the number of suppressed records, and the rounding of the loss.

    lost   the set of columns that it loses
    tie    what decides between nodes with the same loss
    """

    node: Node
    loss: float
    suppressed: int
    rounding: float = 0.0
    lost: int = 0
    tie: float = 0.0

    def losing(self, columns: int) -> int:
        """The number of these columns that it loses."""
        return (self.lost & columns).bit_count()

    def __lt__(self, other: "Solution") -> bool:
        """Whether it is better: less loss, `tie`, suppressed records, levels, the order of the columns."""
        if abs(self.loss - other.loss) > margin(other.loss, self.rounding):
            return self.loss < other.loss
        if abs(self.tie - other.tie) > margin(other.tie, self.rounding):
            return self.tie < other.tie
        return self._rank < other._rank

    @property
    def _rank(self) -> tuple[int, int, Node]:
        return self.suppressed, sum(self.node), self.node


def margin(loss: float, rounding: float) -> float:
    """The largest difference from a loss that may be due to rounding alone."""
    return max(SAME * abs(loss), rounding)


@dataclass(frozen=True)
class Required:
    """Requirements for a node besides the rules.

    demanded          the columns that it may not lose
    wanted            the columns of which it may lose only a few: at most `most_lost`
    most_suppressed   the number of records that may be suppressed
    most_loss         its largest loss
    """

    demanded: int = 0
    wanted: int = 0
    most_lost: int = 0
    most_suppressed: float = np.inf
    most_loss: float = np.inf

    def admits(self, solution: Solution) -> bool:
        """Whether a solution is as required."""
        costs_little = solution.suppressed <= self.most_suppressed and solution.loss <= self.most_loss
        return costs_little and self.loses_no_more(solution.lost)

    def loses_no_more(self, lost: int) -> bool:
        """Whether a set of lost columns is as required."""
        return not lost & self.demanded and (lost & self.wanted).bit_count() <= self.most_lost


def best_keeping(solutions: Sequence[Solution], keeping: Keeping, records: int) -> Solution | None:
    """The solution that loses the fewest columns among those that cost little more than the least loss."""
    allowed = [solution for solution in solutions if not solution.lost & keeping.demanded]
    if not allowed:
        return None
    within = cheap(min(allowed), keeping, records)
    near = [solution for solution in allowed if within.admits(solution)]
    fewest = min(solution.losing(keeping.wanted) for solution in near)
    return min(solution for solution in near if solution.losing(keeping.wanted) == fewest)


def cheap(best: Solution, keeping: Keeping, records: int) -> Required:
    """The requirements for releases that cost little more than the one with the least loss."""
    most_loss = MOST_COST * best.loss
    return Required(
        keeping.demanded,
        keeping.wanted,
        best.losing(keeping.wanted),
        best.suppressed + records // ONE_IN,
        most_loss + margin(most_loss, best.rounding),
    )


@dataclass(frozen=True)
class Progress:
    """The progress of a search: nodes tested, the best loss, and a lower bound on any better loss."""

    checked: int
    best: float | None
    bound: float


Report = Callable[[Progress], None]


def never_stop() -> bool:
    """Never stop a search before its end."""
    return False


class NodeSearch(ABC):
    """A search: the solutions so far, best first, and the outcomes of nodes.

    found            all nodes that satisfy the rules, best first; `solutions` are those that are as required
    required         what is required beside the rules
    free             the node with the least loss among those that keep the demanded columns, once explored
    is_explored      whether it is proved that no other node is a better choice
    most             the number of records that may be suppressed
    known            outcomes of nodes, from which a stopped search can continue
    takes_bounds     whether it uses bounds on the loss of other nodes
    seconds          its duration
    improved_after   the seconds until the best solution was found
    """

    def __init__(self, lattice: Lattice, objective: Objective, judge: Judge) -> None:
        self.lattice, self.objective, self.judge = lattice, objective, judge
        self.max_suppressed = judge.max_suppressed
        self.found: list[Solution] = []
        self.solutions: list[Solution] = []
        self.required = Required()
        self.free: Solution | None = None
        self.is_explored = False
        self.checked = 0
        self.known: MutableMapping[Node, Outcome] = {}
        self.takes_bounds = True
        self.seconds = 0.0
        self.improved_after = 0.0
        self._rounding = 0.0
        self._free_bound: float | None = None

    @property
    def best(self) -> Solution | None:
        """The best solution so far."""
        return self.solutions[0] if self.solutions else None

    @property
    def bound(self) -> float:
        """Lower bound on the loss of any node that may still be better; the best loss once that is proved.

        Once that is proved, and nodes are searched that lose fewer columns, it stays the least loss of all nodes.
        """
        if self._free_bound is not None:
            return self._free_bound
        least = self._least_bound()
        return least if self.best is None else min(least, self.best.loss)

    @property
    def is_finished(self) -> bool:
        """Whether it is proved that no better node exists."""
        least = self._least_bound()
        return least == np.inf or least > self.limit()

    def limit(self, wanted: int = 1) -> float:
        """Nodes with a larger lower bound need not be tested if this many solutions are wanted."""
        if len(self.solutions) < wanted:
            return self.required.most_loss
        loss = self.solutions[wanted - 1].loss
        return min(loss + margin(loss, self._rounding), self.required.most_loss)

    def run(self, wanted: int = 1, report: Report | None = None, stop: Stop = never_stop) -> None:
        """Test nodes until this many best ones are known, or until `stop` holds and there is a release."""
        started, best = monotonic() - self.seconds, self.best
        for number, _ in enumerate(self._steps(wanted), 1):
            self.seconds = monotonic() - started
            if self.best is not best:
                best, self.improved_after = self.best, self.seconds
            if report is not None and number % 16 == 0:
                report(Progress(self.checked, None if self.best is None else self.best.loss, self.bound))
            if (self.best is not None or self._free_bound is not None) and stop():
                return

    def require(self, required: Required) -> None:
        """From now on, solutions are nodes that satisfy the rules and are as required."""
        self.required = required
        self.solutions = [solution for solution in self.found if required.admits(solution)]

    def explore(self, keeping: Keeping, report: Report | None = None, stop: Stop = never_stop) -> None:
        """Find the node with the least loss, and if it loses columns, the choice that costs little and loses fewer.

        Afterwards solutions lose no more columns than the choice, which is the best of them.
        """
        self._free_bound, self.is_explored = None, False
        try:
            self.is_explored = self._explore(keeping, report, stop)
        finally:
            if self._free_bound is None:
                self.require(Required(keeping.demanded))
                self._free_bound = self.bound
            chosen = self.choice(keeping)
            self.free = None
            if chosen is not None:
                self.free = min(solution for solution in self.found if not solution.lost & keeping.demanded)
                within = cheap(self.free, keeping, self.judge.cube.records)
                fewest = chosen.losing(keeping.wanted)
                required = replace(within, most_lost=fewest, most_loss=np.inf)
                self.require(required if keeping.wanted else Required(keeping.demanded))

    def choice(self, keeping: Keeping) -> Solution | None:
        """The best choice among the solutions found so far."""
        return best_keeping(self.found, keeping, self.judge.cube.records)

    def explore_beside(self, keeping: Keeping) -> Solution | None:
        """The choice if other columns are kept; requirements stay as they are."""
        before = self.required, self.free, self._free_bound, self.is_explored
        self.explore(keeping)
        required, self.free, self._free_bound, self.is_explored = before
        chosen = self.best
        self.require(required)
        return chosen

    def _explore(self, keeping: Keeping, report: Report | None, stop: Stop) -> bool:
        """Search until the choice is proved, or until `stop` holds; return whether it is proved."""
        self.require(Required(keeping.demanded))
        self.run(1, report, stop)
        free, self._free_bound = self.best, self.bound
        if not self.is_finished or free is None:
            return self.is_finished
        within = cheap(free, keeping, self.judge.cube.records)
        for most_lost in range(within.most_lost):
            self.require(replace(within, most_lost=most_lost))
            self.run(1, report, stop)
            if not self.is_finished:
                return False
            if self.best is not None:
                break
        return True

    def has_any(self) -> bool:
        """Whether any node satisfies the rules."""
        if self.best is None:
            self.run(stop=lambda: True)
        return self.best is not None

    def look_at(self, node: Node, limit: float = np.inf) -> Outcome:
        """Test a node and draw conclusions about other nodes."""
        outcome = self.known.get(node)
        if outcome is None or (outcome.given_up_at is not None and outcome.given_up_at <= limit):
            outcome = self.judge.outcome(node, limit, bounds=self.takes_bounds)
            self.known[node] = outcome
        self.learn(node, outcome)
        return outcome

    def learn(self, node: Node, outcome: Outcome) -> None:
        """Draw conclusions from the outcome of a node."""
        if outcome.records is not None and outcome.records <= self.max_suppressed:
            assert outcome.loss is not None
            solution = Solution(node, outcome.loss, outcome.records, self._rounding, outcome.lost, outcome.tie)
            insort(self.found, solution)
            if self.required.admits(solution):
                insort(self.solutions, solution)
        self.checked += 1

    def _highest_nodes(self) -> list[Node]:
        """The highest node; if columns are demanded, the nodes that may keep them, with all others as high."""
        if self.required.demanded and self.judge.columns is not None:
            return self.judge.columns.coarse_nodes(self.lattice, self.required.demanded)
        return [self.lattice.high]

    @abstractmethod
    def _least_bound(self) -> float:
        """The least lower bound on the loss of the open nodes; infinite if none is open."""

    @abstractmethod
    def _steps(self, wanted: int) -> Iterator[None]:
        """Test nodes, one or a few at a time, until this many best ones are known."""


class Search(NodeSearch):
    """The search of a lattice with a bound in memory for every node."""

    def __init__(self, lattice: Lattice, objective: Objective, judge: Judge) -> None:
        super().__init__(lattice, objective, judge)
        self.bounds: NDArray[np.float64] = objective.bounds()
        self._rounding = rounding_of(objective, self.bounds)
        self.open = np.ones(
            lattice.shape, np.bool_
        )  # mask of the nodes that may satisfy the rules and are not tested yet
        self._chooser = Chooser(lattice)
        self._may_do: NDArray[np.bool_] | None = None  # mask of the nodes that may be as required; None for all

    def require(self, required: Required) -> None:
        """From now on, solutions are nodes that satisfy the rules and are as required."""
        super().require(required)
        columns, self._may_do = self.judge.columns, None
        if columns is not None and (required.demanded or required.wanted):
            self._may_do = columns.always_lost(self.lattice, required.wanted) <= required.most_lost
            if required.demanded:
                self._may_do &= columns.always_lost(self.lattice, required.demanded) == 0

    @property
    def _open_now(self) -> NDArray[np.bool_]:
        """Mask of the open nodes that may be as required."""
        return self.open if self._may_do is None else self.open & self._may_do

    def _least_bound(self) -> float:
        left = self.bounds[self._open_now]
        return float(left.min()) if left.size else np.inf

    def _steps(self, wanted: int) -> Iterator[None]:
        if self.checked == 0 and (self.lattice.has_many_nodes or not self.judge.may_rule_out):
            yield from self._look_at_coarse_nodes()
        while (node := self._next_node(wanted)) is not None:
            self.look_at(node, self.limit(wanted))
            yield

    def _look_at_coarse_nodes(self) -> Iterator[None]:
        """Test coarse nodes until one is a solution, which they often are, for searches that are stopped early."""
        for node in self._coarse_nodes():
            self.look_at(node)
            yield
            if self.best is not None:
                break

    def _coarse_nodes(self) -> Iterator[Node]:
        """The highest nodes, and those with one column on lower levels."""
        low, high = self.lattice.low, self.lattice.high
        yield from self._highest_nodes()
        for index in range(len(high)):
            for level in range(high[index] - 1, low[index] - 1, -1):
                yield (*high[:index], level, *high[index + 1 :])

    def _next_node(self, wanted: int) -> Node | None:
        """The node to test next; None if this many best ones are known."""
        indices = np.flatnonzero((self._open_now & (self.bounds <= self.limit(wanted))).reshape(-1))
        if len(indices) == 0:
            return None
        bounds = self.bounds.reshape(-1)[indices]
        if self.judge.may_rule_out or self.best is not None:
            return self.lattice.node_at(self._chooser(indices, bounds, has_solution=len(self.solutions) >= wanted))
        return self.lattice.node_at(int(indices[np.argmin(bounds)]))

    def learn(self, node: Node, outcome: Outcome) -> None:
        """Draw conclusions from the outcome of a node about finer and coarser ones."""
        super().learn(node, outcome)
        index = self.lattice.index_of(node)
        if outcome.given_up_at is not None:  # it stays open, in case more solutions are wanted later
            self.bounds.flat[index] = max(self.bounds.flat[index], outcome.given_up_at)
        else:  # only now: after Ctrl-C before this line, the node must still count as open
            self.open.flat[index] = False
        finer = self.lattice.finer(node)
        if outcome.lasting > self.max_suppressed:
            self.open[finer] = False
        elif outcome.added is not None:
            (bounds,) = self.objective.finer_bounds(node, [outcome.added])
            np.maximum(self.bounds[finer], bounds, out=self.bounds[finer])
        if outcome.coarser is not None:
            coarser = self.lattice.coarser(node)
            np.maximum(self.bounds[coarser], outcome.coarser, out=self.bounds[coarser])


def rounding_of(objective: Objective, bounds: NDArray[np.float64]) -> float:
    """The rounding error of a loss, given the bounds of all nodes."""
    return SAME * float(bounds.max()) if objective.is_rounded else 0.0
