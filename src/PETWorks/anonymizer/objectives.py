"""Objectives: the loss of a node, by column or by class sizes, and bounds on it that need no counting."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.lattice import Node
from PETWorks.counting.counts import Integers
from PETWorks.errors import ParameterError, quoted, unknown
from PETWorks.measures.catalogue import find_measure
from PETWorks.measures.classes import Mask
from PETWorks.measures.parameters import parse_number
from PETWorks.measures.result import below
from PETWorks.tables.cells import SUPPRESSED

Reals = NDArray[np.float64]

TINY = 1e-300  # less than any loss
STEEPNESS = 8  # how much more a column counts that loses more, if the largest loss of a column is the loss

# How the losses of the columns become one number: combine two, then finish for all columns.
Combination = tuple[np.ufunc, Callable[[Any, int], Any]]
AGGREGATES: Mapping[str, Combination] = {
    "geometric": (np.multiply, lambda product, columns: product ** (1 / columns) - 1),
    "arithmetic": (np.add, lambda total, columns: total / columns),
    "sum": (np.add, lambda total, _columns: total),
    "maximum": (np.maximum, lambda largest, _columns: largest),
}


def _level_and_next(cube: DataCube, numbers: Sequence[Sequence[NDArray[Any]]]) -> Iterator[tuple[Any, Any]]:
    """The numbers of the values of each column on a level and on the next coarser one, for each value of the table."""
    for column, by_level in zip(cube.lattice.columns, numbers, strict=False):
        yield from pairwise(of_value[cube.codes_on_level(column, level)] for level, of_value in enumerate(by_level))


@dataclass(frozen=True, eq=False)
class ByColumn:
    """An objective that adds up the losses of the columns.

    lost        the loss of each column on each level, with nothing suppressed
    by_value    for each column, level and value, the loss added by suppressing one record with that value
    weights     the importance of each column
    aggregate   how the losses of the columns are combined
    """

    is_weighted: ClassVar[bool] = True  # columns may have weights
    is_linear: ClassVar[bool] = False  # the loss of a column is a sum of one loss per record

    cube: DataCube
    lost: list[Reals]
    by_value: list[list[Reals]]
    weights: list[float]
    aggregate: str
    suppression_costs: bool = True
    is_rounded: bool = True

    def bounds(self) -> Reals:
        """Lower bounds on the loss of every node of the lattice."""
        lattice = self.cube.lattice
        return self.combine(
            [lost[low : high + 1] for lost, low, high in zip(self.lost, lattice.low, lattice.high, strict=True)]
        )

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The loss of a node with some of its classes suppressed."""
        (lost,) = self.losses(classes.node, [self._added(classes, suppressed)])
        return float(lost) + self.of_classes(classes, suppressed)

    def losses(self, node: Node, added: Sequence[Sequence[float]] | Reals) -> Reals:
        """The combined loss of the columns of a node, for each row of losses added to the columns."""
        lost = np.array([lost[level] for lost, level in self._on(node)]) + np.array(added)
        return self.of_all(AGGREGATES[self.aggregate][0].reduce(self._offset + np.array(self.weights) * lost, axis=1))

    def tie(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The tie-breaker of nodes with the same loss: with the aggregate maximum, the sum of the columns' losses."""
        return float(self.ties(classes.node, [self._added(classes, suppressed)])[0])

    def ties(self, node: Node, added: Sequence[Sequence[float]] | Reals) -> Reals:
        """The tie-breakers of nodes with the same loss, for each row of losses added to the columns."""
        if self.aggregate != "maximum":
            return np.zeros(len(added))
        lost = np.array([lost[level] for lost, level in self._on(node)]) + np.array(added)
        return np.asarray(lost @ np.array(self.weights))

    def weighted_levels(self, lost: Reals) -> Reals:
        """The losses of each column (row) on each level (column), ready to be combined."""
        return np.asarray(self._offset + np.array(self.weights)[:, np.newaxis] * lost)

    @property
    def _offset(self) -> float:
        """The constant added to the loss of each column before they are combined."""
        return 1.0 if self.aggregate == "geometric" else 0.0

    def _on(self, node: Node) -> Iterator[tuple[Reals, int]]:
        return zip(self.lost, node, strict=True)

    def added_below(self, classes: NodeClasses, suppressed: Mask) -> tuple[float, ...] | None:
        """Lower bounds on the loss that suppressing these classes adds to each column on every finer node."""
        return tuple(self._added(classes, suppressed)) if self.adds_more_below else None

    def finer_bounds(self, node: Node, added: Sequence[Sequence[float]]) -> Reals:
        """Lower bounds on the loss of each finer node, for each row of losses added to the columns."""
        more, low = np.array(added), self.cube.lattice.low
        return self.combine(
            [
                lost[low[index] : level + 1] + more[:, index, np.newaxis]
                for index, (lost, level) in enumerate(self._on(node))
            ]
        )

    @cached_property
    def adds_more_below(self) -> bool:
        """Whether suppressing a record adds no less loss on a finer level.

        True if levels nest; but levels of a hierarchy need not nest for values that the table lacks.
        """
        return not any((coarser > finer).any() for finer, coarser in _level_and_next(self.cube, self.by_value))

    def coarser_bound(self, _classes: NodeClasses) -> float | None:
        """None: the levels already imply the best known bound."""
        return None

    def of_classes(self, _classes: NodeClasses, _suppressed: Mask) -> float:
        """The part of the loss that depends on class sizes."""
        return 0.0

    def _added(self, classes: NodeClasses, suppressed: Mask) -> list[float]:
        """The loss that suppressing some classes adds to each column."""
        if not suppressed.any():
            return [0.0] * len(self.lost)
        key = self, suppressed.tobytes()
        if key not in classes.added:  # often needed again for a bound on finer nodes
            records = classes.records[suppressed]
            codes = enumerate(classes.codes(suppressed))
            classes.added[key] = [
                self.added(index, classes.node[index], column_codes, records) for index, column_codes in codes
            ]
        return classes.added[key]

    def added(self, index: int, level: int, codes: Integers, records: Integers) -> float:
        """The loss that suppressing records with these values adds to a column."""
        values = self.by_value[index][level]
        return float(np.bincount(codes, records, len(values)) @ values)

    def all_lost(self, index: int) -> float:
        """The loss of a column if every record is suppressed."""
        counts = self.cube.on_level(self.cube.lattice.columns[index], 0).counts
        return float(self.lost[index][0] + self.by_value[index][0] @ counts)

    def importance(self, lost: Reals) -> Reals:
        """The weight of the loss of each column: the derivative of the combined loss, except for a factor."""
        weights = np.array(self.weights)
        weighted = weights * np.maximum(lost, 0)
        if self.aggregate == "geometric":
            return np.asarray(weights / (1 + weighted))
        if self.aggregate == "maximum":
            return np.asarray(weights * (weighted / max(float(weighted.max()), TINY)) ** STEEPNESS)
        return weights

    def combine(self, parts: Sequence[Reals]) -> Reals:
        """The combined loss for every combination of levels; parts with two axes hold several alternatives."""
        weighted = [self.apply_weight(index, part) for index, part in enumerate(parts)]

        def together(done: Reals, part: Reals) -> Reals:
            new_axes = (1,) * (done.ndim - part.ndim + 1)
            return np.asarray(
                self.of_two(done[..., np.newaxis], part.reshape(*part.shape[:-1], *new_axes, part.shape[-1]))
            )

        return self.of_all(reduce(together, weighted))

    def of_nodes(self, lost: Sequence[Reals]) -> Reals:
        """The loss of several nodes, given the loss of each column on each of them."""
        return self.of_all(reduce(self.of_two, [self.apply_weight(index, part) for index, part in enumerate(lost)]))

    def apply_weight(self, index: int, lost: Reals) -> Reals:
        """The loss of a column, ready to be combined with others."""
        return np.asarray(self._offset + self.weights[index] * lost, np.float64)

    def of_two(self, left: Any, right: Any) -> Any:
        """The combined loss of two columns, or of two groups of columns."""
        return AGGREGATES[self.aggregate][0](left, right)

    def of_all(self, together: Any) -> Reals:
        """The final loss, once all columns are combined."""
        return np.asarray(AGGREGATES[self.aggregate][1](together, len(self.weights)), np.float64)


class Granularity(ByColumn):
    """The share of all values that the cells may stand for."""

    is_linear = True

    @classmethod
    def of(cls, cube: DataCube, weights: list[float], aggregate: str) -> "Granularity":
        """Build the objective for these rows."""
        lost, by_value = [], []
        for column in cube.lattice.columns:
            hierarchy = cube.view.hierarchies[column]
            leaves = len(hierarchy.leaves)
            unit = 1 / (cube.records - cube.records / leaves) if leaves > 1 else 0.0
            shares = [leaves_below(cube, column, level) / leaves for level in range(hierarchy.height + 1)]
            totals = [
                level_shares @ cube.on_level(column, level).counts + cube.aside
                for level, level_shares in enumerate(shares)
            ]
            lost.append((np.array(totals) - cube.records / leaves) * unit)
            by_value.append([(1 - level_shares) * unit for level_shares in shares])
        return cls(cube, lost, by_value, weights, aggregate)

    def of_each(self, classes: NodeClasses, which: Mask) -> Reals:
        """For each of the selected classes, the loss added by suppressing one of its records, over all columns."""
        added = np.zeros(int(np.count_nonzero(which)))
        for index, codes in enumerate(classes.codes(which)):
            added += self.by_value[index][classes.node[index]][codes]
        return added


@dataclass(frozen=True, eq=False)
class SumOfPowers(ByColumn):
    """The losses of the columns to some power, added up: columns that lose much count more."""

    power: int = field(kw_only=True)

    def of_nodes(self, lost: Sequence[Reals]) -> Reals:
        """The loss of several nodes, given the loss of each column on each of them."""
        return self.of_all(reduce(self.of_two, [self.apply_weight(index, part) for index, part in enumerate(lost)]))

    def apply_weight(self, index: int, lost: Reals) -> Reals:
        """The loss of a column, ready to be combined with others."""
        return np.asarray(np.maximum(super().apply_weight(index, lost), 0) ** self.power)

    def importance(self, lost: Reals) -> Reals:
        """The weight of the loss of each column."""
        weights = np.array(self.weights)
        return np.asarray(weights * (weights * np.maximum(lost, 0)) ** (self.power - 1))


def leaves_below(cube: DataCube, column: str, level: int) -> Integers:
    """For each value on a level, the number of leaves below it; missing values and `*` stand for all."""
    hierarchy = cube.view.hierarchies[column]
    labels = hierarchy.levels[level]
    numbers: dict[str | None, int] = {}
    for label in labels:
        numbers[label] = numbers.get(label, 0) + 1
    everything = len(hierarchy.leaves)
    # A value that is generalised in the input stands for the leaves below it on its level.
    return np.array(
        [
            everything if value is None or value == SUPPRESSED else numbers.get(value) or hierarchy.leaves_below[value]
            for value in cube.on_level(column, level).values
        ],
        np.int64,
    )


class Precision(ByColumn):
    """The share of its hierarchy that a cell has been raised."""

    is_linear = True

    @classmethod
    def of(cls, cube: DataCube, weights: list[float]) -> "Precision":
        """Build the objective for these rows."""
        lost, by_value = [], []
        for column in cube.lattice.columns:
            height = cube.view.hierarchies[column].height
            lifted = np.arange(height + 1) / height
            lost.append((lifted * (cube.records - cube.aside) + cube.aside) / cube.records)
            by_value.append(
                [
                    np.full(len(cube.on_level(column, level).labels), (1 - share) / cube.records)
                    for level, share in enumerate(lifted.tolist())
                ]
            )
        return cls(cube, lost, by_value, weights, "arithmetic")


class Missings(ByColumn):
    """The share of the cells without information."""

    is_linear = True

    @classmethod
    def of(cls, cube: DataCube, weights: list[float]) -> "Missings":
        """Build the objective for these rows."""
        lost, by_value = [], []
        for column in cube.lattice.columns:
            hierarchy = cube.view.hierarchies[column]
            kept = []
            for level in range(hierarchy.height + 1):
                values, everything = cube.on_level(column, level).values, len(hierarchy.leaves)
                below = leaves_below(cube, column, level).tolist()  # a leaf may have the label of the top on this level
                is_informative = [
                    not (value is None or value == SUPPRESSED or (value == hierarchy.top and leaves == everything))
                    for value, leaves in zip(values, below, strict=True)
                ]
                kept.append(np.array(is_informative, np.float64))
            informative = np.array(
                [has_value @ cube.on_level(column, level).counts for level, has_value in enumerate(kept)]
            )
            lost.append(1 - informative / cube.records)
            by_value.append([has_value / cube.records for has_value in kept])
        return cls(cube, lost, by_value, weights, "arithmetic")


class NonUniformEntropy(ByColumn):
    """The number of bits needed to guess the original values."""

    @classmethod
    def of(cls, cube: DataCube, weights: list[float]) -> "NonUniformEntropy":
        """Build the objective for these rows."""
        lost = []
        for column in cube.lattice.columns:
            height = cube.view.hierarchies[column].height
            before = _bits(cube.on_level(column, 0).counts)
            bits = [_bits(cube.on_level(column, level).counts) - before for level in range(height + 1)]
            lost.append(np.maximum(np.array(bits), 0))
        return cls(cube, lost, [], weights, "sum")

    def added(self, index: int, level: int, codes: Integers, records: Integers) -> float:  # noqa: ARG002
        """The bits of the suppressed records alone."""
        counts = np.bincount(codes, records)
        return float(max(records.sum() * np.log2(records.sum()) - _bits(counts), 0.0))


def _bits(counts: NDArray[Any]) -> float:
    """The sum over records of log2 of the number of records with the same value."""
    positive = counts[counts > 0]
    return float(np.sum(positive * np.log2(positive)))


@dataclass(frozen=True, eq=False)
class PublisherPayout(ByColumn):
    """The payout that a publisher loses: the benefit of lost information, and the losses by attacks."""

    is_weighted: ClassVar[bool] = False

    suppression_costs: bool = False
    adversary_cost: float = 0
    adversary_gain: float = 0
    publisher_loss: float = 0

    @classmethod
    def of(cls, cube: DataCube, amounts: Mapping[str, float]) -> "PublisherPayout":
        """Build the objective for these rows."""
        hierarchies = [cube.view.hierarchies[column] for column in cube.lattice.columns]
        everything = math.fsum(math.log(len(hierarchy.leaves)) for hierarchy in hierarchies)
        lost, by_value = [], []
        benefit = amounts["publisher_benefit"]
        for column, hierarchy in zip(cube.lattice.columns, hierarchies, strict=True):
            leaves = len(hierarchy.leaves)
            information = []
            for level in range(hierarchy.height + 1):
                level_information = -np.log(leaves_below(cube, column, level) / leaves)
                information.append(
                    level_information / everything
                    if everything
                    else np.full(len(level_information), 1 / len(hierarchies))
                )
            all_information = math.log(leaves) / everything if everything else 1 / len(hierarchies)
            totals = [
                level_information @ cube.on_level(column, level).counts
                for level, level_information in enumerate(information)
            ]
            lost.append(benefit * (all_information * cube.records - np.array(totals)))
            by_value.append([benefit * level_information for level_information in information])
        return cls(
            cube,
            lost,
            by_value,
            [1.0] * len(lost),
            "sum",
            adversary_cost=amounts["adversary_cost"],
            adversary_gain=amounts["adversary_gain"],
            publisher_loss=amounts["publisher_loss"],
        )

    def of_classes(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The publisher's loss by attacks on classes that are worth attacking."""
        sizes = classes.sizes[~suppressed]
        return self.publisher_loss * int(np.count_nonzero(below(self.adversary_cost, self.adversary_gain / sizes)))

    def added_below(self, classes: NodeClasses, suppressed: Mask) -> tuple[float, ...] | None:  # noqa: ARG002
        """None: on a finer level other classes are attacked, and suppressing them may pay off."""
        return None


CLASSES_AT_A_TIME = 1 << 18  # number of classes whose values are unpacked together


@dataclass(frozen=True, eq=False)
class ByClass(ABC):
    """An objective that depends on the classes; a coarser node loses no less."""

    is_weighted: ClassVar[bool] = False
    is_linear: ClassVar[bool] = False

    cube: DataCube
    suppression_costs: bool = True
    is_rounded: bool = False

    def added_below(self, _classes: NodeClasses, _suppressed: Mask) -> tuple[float, ...] | None:
        """None: no bound is known."""
        return None

    def tie(self, _classes: NodeClasses, _suppressed: Mask) -> float:
        """Zero: nothing but the order of nodes decides between those with the same loss."""
        return 0.0

    def finer_bounds(self, _node: Node, _added: Sequence[Sequence[float]]) -> Reals:
        """Zero: no bound is known."""
        return np.zeros(())

    def coarser_bound(self, classes: NodeClasses) -> float | None:
        """The loss of this node with nothing suppressed."""
        return self.loss(classes, np.zeros(len(classes.records), np.bool_))

    @abstractmethod
    def bounds(self) -> Reals:
        """Lower bounds on the loss of every node of the lattice."""

    @abstractmethod
    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The loss of a node with some of its classes suppressed."""

    def _most_classes(self) -> Reals:
        """An upper bound on the number of classes of every node, from the number of values per column."""
        lattice = self.cube.lattice
        values = [
            np.array([len(self.cube.on_level(column, level).labels) for level in range(low, high + 1)], np.float64)
            for column, low, high in zip(lattice.columns, lattice.low, lattice.high, strict=True)
        ]
        product = reduce(lambda done, numbers: done[..., np.newaxis] * numbers, values[1:], values[0])
        return np.minimum(product, self.cube.records)


class Discernibility(ByClass):
    """The sum of the squared class sizes, plus the number of all records for each suppressed record."""

    def bounds(self) -> Reals:
        """Lower bounds: classes of equal size have the smallest sum of squares."""
        in_rows = self.cube.records - self.cube.aside
        return in_rows**2 / self._most_classes() + self.cube.records * self.cube.aside

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The loss of a node with some of its classes suppressed."""
        kept = classes.records[~suppressed].astype(np.float64)
        return float(np.sum(kept * kept)) + float(self.cube.records) * (self.cube.records - float(kept.sum()))


class AverageClassSize(ByClass):
    """Records per class; the suppressed records form one class."""

    def bounds(self) -> Reals:
        """Lower bounds, from the largest number of classes that the columns can form."""
        return self.cube.records / (self._most_classes() + (self.cube.aside > 0))

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The loss of a node with some of its classes suppressed."""
        assert len(suppressed) == len(classes.records)
        has_suppressed = bool(self.cube.aside or suppressed.any())
        return self.cube.records / (int(np.count_nonzero(~suppressed)) + has_suppressed)


class Ambiguity(ByClass):
    """The number of combinations of original values that all records may stand for."""

    def bounds(self) -> Reals:
        """Lower bounds: the sum of products is no less than with the geometric mean of each column."""
        lattice, cube = self.cube.lattice, self.cube
        in_rows = cube.records - cube.aside
        logs = [
            np.array(
                [
                    np.log(numbers) @ cube.on_level(column, level).counts / in_rows
                    for level, numbers in enumerate(leaves)
                ]
            )
            for column, leaves in zip(lattice.columns, self.leaves, strict=True)
        ]
        allowed = [
            column_logs[low : high + 1] for column_logs, low, high in zip(logs, lattice.low, lattice.high, strict=True)
        ]
        total = reduce(lambda done, column_logs: done[..., np.newaxis] + column_logs, allowed[1:], allowed[0])
        # The logarithms are rounded.
        return np.asarray(in_rows * np.exp(total) * (1 - 1e-9) + self.all_values() * cube.aside, np.float64)

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The loss of a node with some of its classes suppressed."""
        leaves = [by_level[level] for by_level, level in zip(self.leaves, classes.node, strict=True)]
        kept, total = np.flatnonzero(~suppressed), 0.0
        for first in range(0, len(kept), CLASSES_AT_A_TIME):
            which = kept[first : first + CLASSES_AT_A_TIME]
            products = classes.records[which].astype(np.float64)
            for numbers, codes in zip(leaves, classes.codes(which), strict=True):
                products *= numbers[codes]
            total += float(products.sum())
        return total + self.all_values() * (self.cube.records - int(classes.records[kept].sum()))

    def coarser_bound(self, classes: NodeClasses) -> float | None:
        """The loss of this node with nothing suppressed, if no value stands for less on a coarser level."""
        return super().coarser_bound(classes) if self._grows else None

    @cached_property
    def _grows(self) -> bool:
        """Whether no value stands for less on a coarser level.

        True if levels nest; but levels of a hierarchy need not nest for values that the table lacks.
        """
        return not any((finer > coarser).any() for finer, coarser in _level_and_next(self.cube, self.leaves))

    @cached_property
    def leaves(self) -> list[list[Integers]]:
        """For each column, level and value, the number of leaves below it on that level."""
        hierarchies = self.cube.view.hierarchies
        return [
            [leaves_below(self.cube, column, level) for level in range(hierarchies[column].height + 1)]
            for column in self.cube.lattice.columns
        ]

    def all_values(self) -> float:
        """The number of combinations that a suppressed record may stand for."""
        hierarchies = self.cube.view.hierarchies
        return float(math.prod(len(hierarchies[column].leaves) for column in self.cube.lattice.columns))


class Objective(Protocol):
    """A loss that a search minimises."""

    @property
    def suppression_costs(self) -> bool:
        """Whether suppressing more records can only increase the loss."""

    @property
    def is_rounded(self) -> bool:
        """Whether it is a sum of rounded numbers, so that small losses are rounded as much as large ones."""

    def bounds(self) -> Reals:
        """Lower bounds on the loss of every node of the lattice."""

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The loss of a node with some of its classes suppressed."""

    def tie(self, classes: NodeClasses, suppressed: Mask) -> float:
        """The tie-breaker of nodes with the same loss; the smaller one is better."""

    def added_below(self, classes: NodeClasses, suppressed: Mask) -> tuple[float, ...] | None:
        """Lower bounds on the loss that suppressing these classes adds to each column on finer nodes, if known."""

    def finer_bounds(self, node: Node, added: Sequence[Sequence[float]]) -> Reals:
        """Lower bounds on the loss of each finer node, for each row of losses added to the columns."""

    def coarser_bound(self, classes: NodeClasses) -> float | None:
        """Lower bound on the loss of each coarser node; None if nothing better than its own bound is known."""


CLASSES: Mapping[str, type[ByColumn | ByClass]] = {
    "granularity": Granularity,
    "precision": Precision,
    "non-uniform-entropy": NonUniformEntropy,
    "discernibility": Discernibility,
    "aecs": AverageClassSize,
    "ambiguity": Ambiguity,
    "missings": Missings,
    "publisher-payout": PublisherPayout,
}
OBJECTIVES = tuple(CLASSES)
BY_CLASS = tuple(name for name, objective in CLASSES.items() if issubclass(objective, ByClass))
LINEAR = tuple(name for name, objective in CLASSES.items() if objective.is_linear)
WEIGHTED = tuple(name for name, objective in CLASSES.items() if objective.is_weighted)
LARGEST_WEIGHT = 1_000_000
NOT_LOCAL = "non-uniform-entropy"  # it counts the records per label, which needs one level per column


def check_objective(
    name: str, aggregate: str | None, weights: Mapping[str, float] | None, columns: Sequence[str]
) -> tuple[str, str, list[float]]:
    """Check an objective; return its name, the aggregate, and the weight of each column."""
    if name not in OBJECTIVES:
        raise unknown("objective", str(name), OBJECTIVES, what="objective")
    if aggregate is not None and name != "granularity":
        raise ParameterError(
            "only granularity takes an aggregate; the objective is {objective}", objective=name, what="aggregate"
        )
    if aggregate is not None and aggregate not in AGGREGATES:
        raise unknown("aggregate", str(aggregate), AGGREGATES, what="aggregate")
    weight_of = dict(weights or {})
    for column in weight_of:
        if column not in columns:
            raise unknown("quasi-identifier", str(column), columns, what="weights")
    if weight_of and name not in WEIGHTED:
        raise ParameterError(
            "weights are for {weighted}; the objective is {objective}",
            weighted=quoted(WEIGHTED),
            objective=name,
            what="weights",
        )
    checked = [parse_number(weight_of.get(column, 1)) for column in columns]
    if any(weight is None or not 0 <= weight <= LARGEST_WEIGHT for weight in checked):
        raise ParameterError(
            "expected weights that are numbers, 0 to {largest:,}", largest=LARGEST_WEIGHT, what="weights"
        )
    return name, aggregate or "geometric", [float(weight) for weight in checked if weight is not None]


def make_objective(
    cube: DataCube, name: str, aggregate: str, weights: list[float], amounts: Mapping[str, float] | None = None
) -> Objective:
    """The objective for these rows; `amounts` are the parameters of profitability for a payout."""
    objective = CLASSES[name]
    if issubclass(objective, ByClass):
        return objective(cube)
    if objective is Granularity:
        return Granularity.of(cube, weights, aggregate)
    if objective is PublisherPayout:
        return PublisherPayout.of(cube, amounts or find_measure("profitability").check({}))
    return objective.of(cube, weights)  # type: ignore[attr-defined, no-any-return]
