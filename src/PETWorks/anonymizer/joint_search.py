"""The search for several thresholds of a rule and several limits of suppression at once.

For each threshold it is the search of `searching.py`, as exact as that. A node is counted once, and what it says is
told to every threshold for which it may matter.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np

from PETWorks.anonymizer.choosing import Chooser
from PETWorks.anonymizer.column_objectives import ByColumn
from PETWorks.anonymizer.ground import Ground
from PETWorks.anonymizer.judging import Judge, Outcome
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.objectives import Objective
from PETWorks.anonymizer.raising import Raising, RaisingArrays, RaisingLoop, Said
from PETWorks.anonymizer.searching import Progress, Solution, margin, rounding_of
from PETWorks.anonymizer.size_judging import SizeJudge
from PETWorks.counting.counts import Integers


class JointSearch:
    """Searches for several thresholds, each with a judge of its own, and for several limits.

    limits    how many records may be suppressed, ascending
    bests     for each threshold and each limit, the best solution
    checked   how many nodes were counted
    """

    def __init__(self, ground: Ground, objective: Objective, judges: Sequence[Judge], limits: Sequence[int]) -> None:
        self.lattice, self.objective, self.judges, self.limits = ground.lattice, objective, judges, limits
        self.bests: list[list[Solution | None]] = [[None] * len(limits) for _ in judges]
        self.checked = 0
        bounds = objective.bounds()
        self._rounding = rounding_of(objective, bounds)
        self._bounds = np.repeat(bounds[np.newaxis], len(judges), axis=0)
        # For each node the place of the smallest limit within which it may keep the rules; beyond the last: closed.
        self._within = np.zeros(self._bounds.shape, np.int8)
        # For each limit, what a node may lose at least to be looked at; if it is closed, nothing will do.
        self._most_lost = np.full((len(judges), len(limits) + 1), np.inf)
        self._most_lost[:, -1] = -np.inf
        # Places of nodes that may be looked at; they only become fewer.
        self._open = [np.arange(self.lattice.nodes)] * len(judges)
        self._choosers = [Chooser(self.lattice) for _ in judges]
        self._by_size = SizeJudge.of(ground, judges, objective)
        self._raise_finer: Raising = RaisingArrays(self.lattice, objective, self._bounds, self._within)
        if self._by_size is not None and isinstance(objective, ByColumn):
            self._raise_finer = RaisingLoop(self.lattice, objective, self._bounds, self._within, len(limits))

    def run(self, thresholds: Sequence[int], progress: Callable[[Progress], None] | None = None) -> None:
        """Look at nodes until the best ones are known, for one threshold after the other, by their places.

        With the strictest first, the others have a solution from the beginning: what keeps stricter rules keeps theirs.
        """
        for threshold in thresholds:
            while (node := self._next_node(threshold)) is not None:
                self._look_at(node)
                if progress is not None and self.checked % 16 == 0:
                    progress(self._progress(threshold))

    def _progress(self, threshold: int) -> Progress:
        found = [best.loss for best in self.bests[threshold] if best is not None]
        bounds = self._bounds[threshold][self._within[threshold] < len(self.limits)]
        least = float(bounds.min()) if bounds.size else np.inf
        return Progress(self.checked, min(found, default=None), min([least, *found]))

    def _next_node(self, threshold: int) -> Node | None:
        """The node to look at next; None if the best ones are known."""
        bounds, within = self._bounds[threshold].reshape(-1), self._within[threshold].reshape(-1)
        places = self._open[threshold]
        open_ = bounds[places] <= self._most_lost[threshold].take(within[places])
        places = self._open[threshold] = places[open_]
        if len(places) == 0:
            return None
        has_solution = self.bests[threshold][-1] is not None
        if has_solution or self.judges[threshold].may_rule_out:
            chosen = self._choosers[threshold](places, bounds[places], has_solution=has_solution)
            return self.lattice.node(chosen)
        return self.lattice.node(int(places[np.argmin(bounds[places])]))

    def _look_at(self, node: Node) -> None:
        """Count a node, judge it for every threshold for which it may matter, and draw the conclusions."""
        place = self.lattice.place(node)
        each = np.arange(len(self.judges))
        bounds = self._bounds.reshape(len(each), -1)[:, place]
        within = self._within.reshape(len(each), -1)[:, place]
        concerned = np.flatnonzero(bounds <= self._most_lost[each, within])
        outcomes = self._outcomes(node, concerned)
        said: list[Said] = []  # about finer nodes
        for threshold, outcome in zip(concerned.tolist(), outcomes, strict=True):
            self._solved(threshold, node, outcome)
            if outcome.given_up_at is not None:
                bounds = self._bounds[threshold].reshape(-1)
                bounds[place] = max(bounds[place], outcome.given_up_at)
            else:
                self._within[threshold].reshape(-1)[place] = len(self.limits)
            least = bisect_left(self.limits, outcome.lasting)
            added = outcome.added if least < len(self.limits) else None
            if least or added is not None:
                said.append((threshold, least, added))
            if outcome.coarser is not None:
                here = self._bounds[threshold][self.lattice.coarser(node)]
                np.maximum(here, outcome.coarser, out=here)
        if said:
            self._raise_finer(node, said)
        self.checked += 1

    def _outcomes(self, node: Node, concerned: Integers) -> list[Outcome]:
        if self._by_size is not None:
            return self._by_size.outcomes(node, concerned)
        most = self._most_lost.max(axis=1)
        return [self.judges[threshold].outcome(node, most[threshold]) for threshold in concerned.tolist()]

    def _solved(self, threshold: int, node: Node, outcome: Outcome) -> None:
        """Keep a node as the best solution of those limits for which it is."""
        if outcome.records is None or outcome.loss is None:
            return
        solution = Solution(node, outcome.loss, outcome.records, self._rounding)
        bests = self.bests[threshold]
        for place in range(bisect_left(self.limits, outcome.records), len(self.limits)):
            best = bests[place]
            if best is None or solution < best:
                bests[place] = solution
                self._most_lost[threshold, place] = solution.loss + margin(solution.loss, self._rounding)
