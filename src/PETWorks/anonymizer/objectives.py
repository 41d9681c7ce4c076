"""What a node loses, and the bounds on it that need no counting."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from PETWorks.anonymizer.class_objectives import Ambiguity, AverageClassSize, Discernibility
from PETWorks.anonymizer.column_objectives import (
    AGGREGATES,
    Granularity,
    Missings,
    NonUniformEntropy,
    Precision,
    PublisherPayout,
    Reals,
)
from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.lattice import Node
from PETWorks.errors import ParameterError, quoted, unknown
from PETWorks.measures.catalogue import find
from PETWorks.measures.class_tests import Mask
from PETWorks.measures.parameters import number_given


class Objective(Protocol):
    """What is to be as small as possible."""

    @property
    def suppression_costs(self) -> bool:
        """Whether suppressing more can only make it larger."""

    @property
    def is_rounded(self) -> bool:
        """Whether it is a sum of rounded numbers, so that small losses are rounded as much as large ones."""

    def bounds(self) -> Reals:
        """For every node of the lattice, what it loses at least."""

    def loss(self, classes: NodeClasses, suppressed: Mask) -> float:
        """What a node loses if some of its classes are suppressed."""

    def added_below(self, classes: NodeClasses, suppressed: Mask) -> tuple[float, ...] | None:
        """What suppressing the records of these classes adds at least to each column on every finer node, if known."""

    def finer_bounds(self, node: Node, added: Sequence[Sequence[float]]) -> Reals:
        """What each finer node loses at least, each time that so much is added to each column."""

    def coarser_bound(self, classes: NodeClasses) -> float | None:
        """What each coarser node loses at least; None if nothing better than its own bound is known."""


OBJECTIVES = (
    "granularity",
    "precision",
    "non-uniform-entropy",
    "discernibility",
    "aecs",
    "ambiguity",
    "missings",
    "publisher-payout",
)
BY_CLASS: Mapping[str, type[Discernibility | AverageClassSize | Ambiguity]] = {
    "discernibility": Discernibility,
    "aecs": AverageClassSize,
    "ambiguity": Ambiguity,
}
LARGEST_WEIGHT = 1_000_000
LINEAR = ("granularity", "precision", "missings")  # of which each record loses its own part
NOT_LOCAL = "non-uniform-entropy"  # it counts how many records a label stands for, which needs one level per column
WEIGHTED = ("granularity", "precision", "non-uniform-entropy", "missings")


def checked_objective(
    name: str, aggregate: str | None, weights: Mapping[str, float] | None, columns: Sequence[str]
) -> tuple[str, str, list[float]]:
    """The objective, how columns are put together, and the weight of each column."""
    if name not in OBJECTIVES:
        raise unknown("objective", str(name), OBJECTIVES, what="objective")
    if aggregate is not None and name != "granularity":
        raise ParameterError(
            "only granularity takes an aggregate; the objective is {objective}", objective=name, what="aggregate"
        )
    if aggregate is not None and aggregate not in AGGREGATES:
        raise unknown("aggregate", str(aggregate), AGGREGATES, what="aggregate")
    given = dict(weights or {})
    for column in given:
        if column not in columns:
            raise unknown("quasi-identifier", str(column), columns, what="weights")
    if given and name not in WEIGHTED:
        raise ParameterError(
            "weights are for {weighted}; the objective is {objective}",
            weighted=quoted(WEIGHTED),
            objective=name,
            what="weights",
        )
    checked = [number_given(given.get(column, 1)) for column in columns]
    if any(weight is None or not 0 <= weight <= LARGEST_WEIGHT for weight in checked):
        raise ParameterError(
            "expected weights that are numbers, 0 to {largest:,}", largest=LARGEST_WEIGHT, what="weights"
        )
    return name, aggregate or "geometric", [float(weight) for weight in checked if weight is not None]


def make_objective(
    ground: Ground, name: str, aggregate: str, weights: list[float], amounts: Mapping[str, float] | None = None
) -> Objective:
    """An objective for some rows; `amounts` are the parameters of profitability that a payout is counted with."""
    if name == "granularity":
        return Granularity.of(ground, weights, aggregate)
    if name == "publisher-payout":
        return PublisherPayout.of(ground, amounts or find("profitability").check({}))
    by_column = {"precision": Precision, "missings": Missings, "non-uniform-entropy": NonUniformEntropy}
    if name in by_column:
        return by_column[name].of(ground, weights)  # type: ignore[attr-defined, no-any-return]
    return BY_CLASS[name](ground)
