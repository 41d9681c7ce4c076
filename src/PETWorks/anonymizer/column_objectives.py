"""Objectives that add up what each column loses.

What a column loses with nothing suppressed depends on its level alone, so the bounds of the whole lattice are one array
operation. Suppressing a record adds at least as much on a finer level as on a coarser one; so what a rule suppresses on
a node bounds all finer nodes as well.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.lattice import Node
from PETWorks.counting.counts import Integers
from PETWorks.measures.class_tests import Mask
from PETWorks.measures.result import below
from PETWorks.tables.cells import SUPPRESSED

Reals = NDArray[np.float64]

# How the losses of the columns become one number: of two columns, and then of all.
Combination = tuple[np.ufunc, Callable[[Any, int], Any]]
AGGREGATES: Mapping[str, Combination] = {
    "geometric": (np.multiply, lambda product, columns: product ** (1 / columns) - 1),
    "arithmetic": (np.add, lambda total, columns: total / columns),
    "sum": (np.add, lambda total, _columns: total),
    "maximum": (np.maximum, lambda largest, _columns: largest),
}


@dataclass(frozen=True, eq=False)
class ByColumn:
    """An objective that adds up what columns lose.

    lost        for each column and level, what it loses with nothing suppressed
    by_value    for each column, level and value, what suppressing one record with that value adds
    weights     the importance of each column
    aggregate   how the columns are put together
    """

    ground: Ground
    lost: list[Reals]
    by_value: list[list[Reals]]
    weights: list[float]
    aggregate: str
    suppression_costs: bool = True
    is_rounded: bool = True

    def bounds(self) -> Reals:
        """For every node of the lattice, what it loses at least."""
        lattice = self.ground.lattice
        return self.combined(
            [lost[low : high + 1] for lost, low, high in zip(self.lost, lattice.low, lattice.high, strict=True)]
        )

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """What a node loses if some of its classes are suppressed."""
        (lost,) = self.losses(classes.node, [self._added(classes, suppressed)])
        return float(lost) + self.of_classes(classes, suppressed)

    def losses(self, node: Node, added: Sequence[Sequence[float]] | Reals) -> Reals:
        """What the columns of a node lose together, each time that so much is added to each."""
        lost = np.array([lost[level] for lost, level in self._on(node)]) + np.array(added)
        return self.of_all(AGGREGATES[self.aggregate][0].reduce(self._first + np.array(self.weights) * lost, axis=1))

    def weighted_levels(self, lost: Reals) -> Reals:
        """What each column (row) loses on each level (column), ready to be put together with others."""
        return np.asarray(self._first + np.array(self.weights)[:, np.newaxis] * lost)

    @property
    def _first(self) -> float:
        """What is added to the loss of each column before they are put together."""
        return 1.0 if self.aggregate == "geometric" else 0.0

    def _on(self, node: Node) -> Iterator[tuple[Reals, int]]:
        return zip(self.lost, node, strict=True)

    def added_below(self, classes: NodeClasses, suppressed: Mask) -> tuple[float, ...] | None:
        """What suppressing the records of these classes adds at least to each column on every finer node."""
        return tuple(self._added(classes, suppressed)) if self.adds_more_below else None

    def finer_bounds(self, node: Node, added: Sequence[Sequence[float]]) -> Reals:
        """What each finer node loses at least, each time that so much is added to each column."""
        more, low = np.array(added), self.ground.lattice.low
        return self.combined(
            [
                lost[low[place] : level + 1] + more[:, place, np.newaxis]
                for place, (lost, level) in enumerate(self._on(node))
            ]
        )

    @cached_property
    def adds_more_below(self) -> bool:
        """Whether suppressing a record adds no less on a finer level.

        That is so if levels nest; but those of a hierarchy may not, for values that the table does not have.
        """
        for column, by_level in zip(self.ground.lattice.columns, self.by_value, strict=False):
            added = [own[self.ground.codes_on_level(column, level)] for level, own in enumerate(by_level)]
            if any((coarser > finer).any() for finer, coarser in pairwise(added)):
                return False
        return True

    def coarser_bound(self, _classes: NodeClasses) -> float | None:
        """Nothing that the levels do not tell."""
        return None

    def of_classes(self, _classes: NodeClasses, _suppressed: Mask) -> float:
        """What is lost by the sizes of classes."""
        return 0.0

    def _added(self, classes: NodeClasses, suppressed: Mask) -> list[float]:
        """What suppressing some classes adds to the loss of each column."""
        if not suppressed.any():
            return [0.0] * len(self.lost)
        which = self, suppressed.tobytes()
        if which not in classes.added:  # a bound on finer nodes often asks for the same
            records = classes.records[suppressed]
            codes = enumerate(classes.codes(suppressed))
            classes.added[which] = [self.added(place, classes.node[place], own, records) for place, own in codes]
        return classes.added[which]

    def added(self, place: int, level: int, codes: Integers, records: Integers) -> float:
        """What suppressing records with these values adds to the loss of a column."""
        values = self.by_value[place][level]
        return float(np.bincount(codes, records, len(values)) @ values)

    def all_lost(self, place: int) -> float:
        """What a column loses if every record is suppressed."""
        counts = self.ground.on_level(self.ground.lattice.columns[place], 0).counts
        return float(self.lost[place][0] + self.by_value[place][0] @ counts)

    def combined(self, parts: Sequence[Reals]) -> Reals:
        """For every combination of levels, the loss of all columns together; several times, if parts have two axes."""
        weighted = [self.weighted(place, part) for place, part in enumerate(parts)]

        def together(done: Reals, part: Reals) -> Reals:
            between = (1,) * (done.ndim - part.ndim + 1)
            return np.asarray(
                self.of_two(done[..., np.newaxis], part.reshape(*part.shape[:-1], *between, part.shape[-1]))
            )

        return self.of_all(reduce(together, weighted))

    def weighted(self, place: int, lost: Reals) -> Reals:
        """What a column loses, ready to be put together with others."""
        return np.asarray(self._first + self.weights[place] * lost, np.float64)

    def of_two(self, one: Any, other: Any) -> Any:
        """What two columns, or two groups of columns, lose together."""
        return AGGREGATES[self.aggregate][0](one, other)

    def of_all(self, together: Any) -> Reals:
        """The loss, once all columns were put together."""
        return np.asarray(AGGREGATES[self.aggregate][1](together, len(self.weights)), np.float64)


class Granularity(ByColumn):
    """Which share of all values the cells may stand for."""

    @classmethod
    def of(cls, ground: Ground, weights: list[float], aggregate: str) -> "Granularity":
        """The objective for some rows."""
        lost, by_value = [], []
        for column in ground.lattice.columns:
            hierarchy = ground.view.hierarchies[column]
            leaves = len(hierarchy.leaves)
            unit = 1 / (ground.records - ground.records / leaves) if leaves > 1 else 0.0
            shares = [leaves_below(ground, column, level) / leaves for level in range(hierarchy.height + 1)]
            totals = [own @ ground.on_level(column, level).counts + ground.aside for level, own in enumerate(shares)]
            lost.append((np.array(totals) - ground.records / leaves) * unit)
            by_value.append([(1 - own) * unit for own in shares])
        return cls(ground, lost, by_value, weights, aggregate)

    def of_each(self, classes: NodeClasses, which: Mask) -> Reals:
        """For each of some classes, what suppressing one of its records adds to all columns."""
        added = np.zeros(int(np.count_nonzero(which)))
        for place, codes in enumerate(classes.codes(which)):
            added += self.by_value[place][classes.node[place]][codes]
        return added


def leaves_below(ground: Ground, column: str, level: int) -> Integers:
    """For each value on a level, how many leaves are below it there; missing and `*` stand for all."""
    hierarchy = ground.view.hierarchies[column]
    labels = hierarchy.levels[level]
    numbers: dict[str | None, int] = {}
    for label in labels:
        numbers[label] = numbers.get(label, 0) + 1
    everything = len(hierarchy.leaves)
    # A value that was generalised before stands for what is below it on its own level.
    return np.array(
        [
            everything if value is None or value == SUPPRESSED else numbers.get(value) or hierarchy.leaves_below[value]
            for value in ground.on_level(column, level).values
        ],
        np.int64,
    )


class Precision(ByColumn):
    """Which share of its hierarchy a cell has been lifted."""

    @classmethod
    def of(cls, ground: Ground, weights: list[float]) -> "Precision":
        """The objective for some rows."""
        lost, by_value = [], []
        for column in ground.lattice.columns:
            height = ground.view.hierarchies[column].height
            lifted = np.arange(height + 1) / height
            lost.append((lifted * (ground.records - ground.aside) + ground.aside) / ground.records)
            by_value.append(
                [
                    np.full(len(ground.on_level(column, level).labels), (1 - own) / ground.records)
                    for level, own in enumerate(lifted.tolist())
                ]
            )
        return cls(ground, lost, by_value, weights, "arithmetic")


class Missings(ByColumn):
    """Which share of the cells says nothing any more."""

    @classmethod
    def of(cls, ground: Ground, weights: list[float]) -> "Missings":
        """The objective for some rows."""
        lost, by_value = [], []
        for column in ground.lattice.columns:
            hierarchy = ground.view.hierarchies[column]
            kept = []
            for level in range(hierarchy.height + 1):
                values, everything = ground.on_level(column, level).values, len(hierarchy.leaves)
                below = leaves_below(
                    ground, column, level
                ).tolist()  # on this level a leaf may have the label of the top
                told = [
                    not (value is None or value == SUPPRESSED or (value == hierarchy.top and leaves == everything))
                    for value, leaves in zip(values, below, strict=True)
                ]
                kept.append(np.array(told, np.float64))
            tell = np.array([own @ ground.on_level(column, level).counts for level, own in enumerate(kept)])
            lost.append(1 - tell / ground.records)
            by_value.append([own / ground.records for own in kept])
        return cls(ground, lost, by_value, weights, "arithmetic")


class NonUniformEntropy(ByColumn):
    """How many bits it takes to guess the original values."""

    @classmethod
    def of(cls, ground: Ground, weights: list[float]) -> "NonUniformEntropy":
        """The objective for some rows."""
        lost = []
        for column in ground.lattice.columns:
            height = ground.view.hierarchies[column].height
            before = _bits(ground.on_level(column, 0).counts)
            bits = [_bits(ground.on_level(column, level).counts) - before for level in range(height + 1)]
            lost.append(np.maximum(np.array(bits), 0))
        return cls(ground, lost, [], weights, "sum")

    def added(self, place: int, level: int, codes: Integers, records: Integers) -> float:  # noqa: ARG002
        """The bits of the suppressed records alone."""
        counts = np.bincount(codes, records)
        return float(max(records.sum() * np.log2(records.sum()) - _bits(counts), 0.0))


def _bits(counts: NDArray[Any]) -> float:
    """The sum over records of log2 of how many have the same value."""
    some = counts[counts > 0]
    return float(np.sum(some * np.log2(some)))


@dataclass(frozen=True, eq=False)
class PublisherPayout(ByColumn):
    """What a publisher does not earn: the benefit of what records no longer tell, and the losses by attacks."""

    suppression_costs: bool = False
    adversary_cost: float = 0
    adversary_gain: float = 0
    publisher_loss: float = 0

    @classmethod
    def of(cls, ground: Ground, amounts: Mapping[str, float]) -> "PublisherPayout":
        """The objective for some rows."""
        hierarchies = [ground.view.hierarchies[column] for column in ground.lattice.columns]
        everything = math.fsum(math.log(len(hierarchy.leaves)) for hierarchy in hierarchies)
        lost, by_value = [], []
        benefit = amounts["publisher_benefit"]
        for column, hierarchy in zip(ground.lattice.columns, hierarchies, strict=True):
            leaves = len(hierarchy.leaves)
            told = []
            for level in range(hierarchy.height + 1):
                own = -np.log(leaves_below(ground, column, level) / leaves)
                told.append(own / everything if everything else np.full(len(own), 1 / len(hierarchies)))
            all_told = math.log(leaves) / everything if everything else 1 / len(hierarchies)
            totals = [own @ ground.on_level(column, level).counts for level, own in enumerate(told)]
            lost.append(benefit * (all_told * ground.records - np.array(totals)))
            by_value.append([benefit * own for own in told])
        return cls(
            ground,
            lost,
            by_value,
            [1.0] * len(lost),
            "sum",
            adversary_cost=amounts["adversary_cost"],
            adversary_gain=amounts["adversary_gain"],
            publisher_loss=amounts["publisher_loss"],
        )

    def of_classes(self, classes: NodeClasses, suppressed: Mask) -> float:
        """What attacks cost."""
        sizes = classes.sizes[~suppressed]
        return self.publisher_loss * int(np.count_nonzero(below(self.adversary_cost, self.adversary_gain / sizes)))

    def added_below(self, classes: NodeClasses, suppressed: Mask) -> tuple[float, ...] | None:  # noqa: ARG002
        """Nothing is known: on a finer level other classes are attacked, and suppressing them may pay."""
        return None
