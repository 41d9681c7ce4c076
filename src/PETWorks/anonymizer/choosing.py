"""Which node a search looks at next. Any order leads to the same solution; a good one looks at fewer nodes."""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.lattice import Lattice
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
