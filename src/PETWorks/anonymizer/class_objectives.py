"""Objectives that look at the sizes of classes. A coarser node loses no less, if nothing is suppressed."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise

import numpy as np

from PETWorks.anonymizer.column_objectives import Reals, leaves_below
from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.lattice import Node
from PETWorks.counting.counts import Integers
from PETWorks.measures.class_tests import Mask

CLASSES_AT_A_TIME = 1 << 18  # whose values are unpacked together


@dataclass(frozen=True, eq=False)
class ByClass(ABC):
    """An objective that looks at the classes; a coarser node loses no less."""

    ground: Ground
    suppression_costs: bool = True
    is_rounded: bool = False

    def added_below(self, _classes: NodeClasses, _suppressed: Mask) -> tuple[float, ...] | None:
        """Nothing is known."""
        return None

    def finer_bounds(self, _node: Node, _added: Sequence[Sequence[float]]) -> Reals:
        """Nothing is known."""
        return np.zeros(())

    def coarser_bound(self, classes: NodeClasses) -> float | None:
        """What this node loses with nothing suppressed."""
        return self.loss(classes, np.zeros(len(classes.records), np.bool_))

    @abstractmethod
    def bounds(self) -> Reals:
        """For every node of the lattice, what it loses at least."""

    @abstractmethod
    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """What a node loses if some of its classes are suppressed."""

    def _most_classes(self) -> Reals:
        """For every node, the most classes that it can have: by the numbers of values of its columns."""
        lattice = self.ground.lattice
        values = [
            np.array([len(self.ground.on_level(column, level).labels) for level in range(low, high + 1)], np.float64)
            for column, low, high in zip(lattice.columns, lattice.low, lattice.high, strict=True)
        ]
        product = reduce(lambda done, own: done[..., np.newaxis] * own, values[1:], values[0])
        return np.minimum(product, self.ground.records)


class Discernibility(ByClass):
    """The squares of the class sizes, and all records for each that is suppressed."""

    def bounds(self) -> Reals:
        """Classes of equal size have the smallest sum of squares."""
        in_rows = self.ground.records - self.ground.aside
        return in_rows**2 / self._most_classes() + self.ground.records * self.ground.aside

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """What a node loses if some of its classes are suppressed."""
        kept = classes.records[~suppressed].astype(np.float64)
        return float(np.sum(kept * kept)) + float(self.ground.records) * (self.ground.records - float(kept.sum()))


class AverageClassSize(ByClass):
    """Records per class; the suppressed ones are a class."""

    def bounds(self) -> Reals:
        """The most classes that the columns can make."""
        return self.ground.records / (self._most_classes() + (self.ground.aside > 0))

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """What a node loses if some of its classes are suppressed."""
        assert len(suppressed) == len(classes.records)
        some = bool(self.ground.aside or suppressed.any())
        return self.ground.records / (int(np.count_nonzero(~suppressed)) + some)


class Ambiguity(ByClass):
    """For how many combinations of original values all records may stand."""

    def bounds(self) -> Reals:
        """The sum of products is no less than with the geometric mean of each column."""
        lattice, ground = self.ground.lattice, self.ground
        in_rows = ground.records - ground.aside
        logs = [
            np.array(
                [np.log(own) @ ground.on_level(column, level).counts / in_rows for level, own in enumerate(leaves)]
            )
            for column, leaves in zip(lattice.columns, self.leaves, strict=True)
        ]
        allowed = [own[low : high + 1] for own, low, high in zip(logs, lattice.low, lattice.high, strict=True)]
        total = reduce(lambda done, own: done[..., np.newaxis] + own, allowed[1:], allowed[0])
        # The logarithms are rounded.
        return np.asarray(in_rows * np.exp(total) * (1 - 1e-9) + self.all_values() * ground.aside, np.float64)

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """What a node loses if some of its classes are suppressed."""
        leaves = [by_level[level] for by_level, level in zip(self.leaves, classes.node, strict=True)]
        kept, total = np.flatnonzero(~suppressed), 0.0
        for first in range(0, len(kept), CLASSES_AT_A_TIME):
            which = kept[first : first + CLASSES_AT_A_TIME]
            products = classes.records[which].astype(np.float64)
            for own, codes in zip(leaves, classes.codes(which), strict=True):
                products *= own[codes]
            total += float(products.sum())
        return total + self.all_values() * (self.ground.records - int(classes.records[kept].sum()))

    def coarser_bound(self, classes: NodeClasses) -> float | None:
        """What this node loses with nothing suppressed, if no value stands for less on a coarser level."""
        return super().coarser_bound(classes) if self._grows else None

    @cached_property
    def _grows(self) -> bool:
        """Whether no value stands for less on a coarser level.

        That is so if levels nest; but those of a hierarchy may not, for values that the table does not have.
        """
        for column, by_level in zip(self.ground.lattice.columns, self.leaves, strict=True):
            below = [own[self.ground.codes_on_level(column, level)] for level, own in enumerate(by_level)]
            if any((finer > coarser).any() for finer, coarser in pairwise(below)):
                return False
        return True

    @cached_property
    def leaves(self) -> list[list[Integers]]:
        """For each column, level and value, how many leaves are below it on that level."""
        hierarchies = self.ground.view.hierarchies
        return [
            [leaves_below(self.ground, column, level) for level in range(hierarchies[column].height + 1)]
            for column in self.ground.lattice.columns
        ]

    def all_values(self) -> float:
        """For how many combinations a suppressed record may stand."""
        hierarchies = self.ground.view.hierarchies
        return float(math.prod(len(hierarchies[column].leaves) for column in self.ground.lattice.columns))
