"""What a node says about all finer ones, raised for them at once: with NumPy, or by a compiled loop."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.column_objectives import AGGREGATES, ByColumn
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.objectives import Objective

Reals = NDArray[np.float64]
Said = tuple[int, int, Sequence[float] | None]  # the threshold, the place of the least limit, and what is added


class Raising(Protocol):
    """Raises what finer nodes lose at least, and the smallest limit within which they may keep the rules."""

    def __call__(self, node: Node, said: Sequence[Said]) -> None:
        """For each threshold that a node says something about."""


class RaisingArrays:
    """Whole boxes of nodes, for any objective."""

    def __init__(self, lattice: Lattice, objective: Objective, bounds: Reals, within: NDArray[np.int8]) -> None:
        self._lattice, self._objective, self._bounds, self._within = lattice, objective, bounds, within

    def __call__(self, node: Node, said: Sequence[Said]) -> None:
        """Raise them."""
        finer = self._lattice.finer(node)
        for threshold, least, _ in said:
            here = self._within[threshold][finer]
            np.maximum(here, least, out=here)
        added = [(threshold, own) for threshold, _, own in said if own is not None]
        if added:
            raised = self._objective.finer_bounds(node, [own for _, own in added])
            for (threshold, _), own in zip(added, raised, strict=True):
                here = self._bounds[threshold][finer]
                np.maximum(here, own, out=here)


class RaisingLoop:
    """A compiled loop that passes over closed nodes, for objectives that add up what columns lose."""

    def __init__(
        self, lattice: Lattice, objective: ByColumn, bounds: Reals, within: NDArray[np.int8], closed: int
    ) -> None:
        self._bounds, self._within = bounds.reshape(len(bounds), -1), within.reshape(len(within), -1)
        self._closed = closed
        self._low = np.array(lattice.low)
        self._strides = np.array(lattice.strides)
        self._lost = np.zeros((len(lattice.shape), max(lattice.shape)))
        for place, (lost, low, high) in enumerate(zip(objective.lost, lattice.low, lattice.high, strict=True)):
            self._lost[place, : high - low + 1] = lost[low : high + 1]
        self._objective, self._aggregate = objective, list(AGGREGATES).index(objective.aggregate)
        self._nothing = [0.0] * len(lattice.shape)

    def __call__(self, node: Node, said: Sequence[Said]) -> None:
        """Raise them."""
        from PETWorks.anonymizer.size_kernels import raise_finer

        added = np.array([self._nothing if own is None else own for _, _, own in said])
        raise_finer(
            self._bounds,
            self._within,
            self._closed,
            self._strides,
            np.array(node) - self._low,
            np.array([threshold for threshold, _, _ in said]),
            np.array([least for _, least, _ in said]),
            self._objective.weighted_levels(self._lost + added[:, :, np.newaxis]),
            np.array([own is not None for _, _, own in said]),
            self._aggregate,
        )
