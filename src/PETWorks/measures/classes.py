"""Equivalence classes for measures: tests of single classes, shares of sensitive values, and the population."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.treatment import AS_CLASS
from PETWorks.counting.counts import (
    ClassPairs,
    ClassSizes,
    ClassValues,
    Grouping,
    Integers,
    LinkedSizes,
    Marginal,
    Reals,
)
from PETWorks.counting.questions import Question, class_sizes_question
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.counting.weights import Weights
from PETWorks.errors import NotApplicable
from PETWorks.measures.result import at_most

Mask = NDArray[np.bool_]


class Monotone(Enum):
    """The implications of a test of classes for coarser or finer levels."""

    ALWAYS = "a record whose class fails is in a failing class on every finer level, whatever was suppressed"
    UNSUPPRESSED = "where no class fails, none fails on any coarser level"
    NEVER = "nothing"


@dataclass(frozen=True)
class ClassTest:
    """A rule for single classes.

    fails        whether each class breaks the rule; called with the sizes of classes, with `ClassValues` if the rule
                 is about a sensitive attribute, or with `ClassPairs` if it is about another table
    sensitive    the attribute
    background   the other table: "population" or "original"
    all_present  whether every class of the other table must be in the release
    compares     whether a class is compared with the values of the whole table
    lasting      for each class, a lower bound of the number of its records that are in failing classes on every finer
                 level; called like `fails`. The default is all of a failing class (ALWAYS), one (UNSUPPRESSED) or
                 none (NEVER)
    """

    fails: Callable[[Any], Mask]
    monotone: Monotone
    sensitive: str | None = None
    background: str | None = None
    all_present: bool = False
    compares: bool = False
    lasting: Callable[[Any], Integers] | None = None


def round_up_count(records: NDArray[np.float64]) -> Integers:
    """The least number of records that satisfies a lower bound, which may have rounding errors.

    >>> round_up_count(np.array([-3.0, 0.0, 1.2, 2.0000000001]))
    array([0, 0, 2, 2])
    """
    return np.ceil(np.maximum(records, 0) * (1 - 1e-9) - 1e-9).astype(np.int64)


SuppressionTest = Callable[[Integers], Mask]
"""For ascending class sizes: whether a rule holds after none, one, two… of the smallest were suppressed."""


def remaining_after_suppression(sizes: Integers) -> tuple[Integers, Integers]:
    """The number of classes, and of records in them, left after none, one, two… of the smallest were suppressed.

    >>> remaining_after_suppression(np.array([1, 2, 5]))
    (array([3, 2, 1, 0]), array([8, 7, 5, 0]))
    """
    classes = np.arange(len(sizes), -1, -1)
    return classes, int(sizes.sum()) - np.concatenate([[0], np.cumsum(sizes)])


Test = Callable[[Reals, Reals], NDArray[np.bool_]]  # called with shares in a class and in the table; compared by value


class MaximalShare(ABC):
    """A test that a share in a class fails if it is above a limit, which depends on the share in the table."""

    @abstractmethod
    def limit(self, overall: Reals) -> Reals:
        """The largest share that passes."""

    def __call__(self, share: Reals, overall: Reals) -> Mask:
        """Whether each share fails."""
        return ~at_most(share, self.limit(overall))


class Extreme(NamedTuple):
    """For each value, the class where its share is extreme: its records there, and the class size; 0 and 0 if none."""

    counts: Integers
    sizes: Integers


class Shares(NamedTuple):
    """A sensitive attribute in the whole table, and for each of its values the largest and smallest share in a class.

    Shares are of people: a person with several records counts if any of them has the value. In the whole table, too, a
    person counts once for each class, so that the share there is the mean of the shares of classes.

    The smallest share is among the classes that have the value at all.
    """

    overall: Marginal
    most: Extreme
    least: Extreme

    def largest(self, value: str | None = None) -> tuple[Fraction, int] | None:
        """The largest share of any value, or of the given one, and the size of that class; None if no class has it."""
        indices = np.flatnonzero(self.most.sizes)
        if value is not None:
            indices = np.array([index for index in indices.tolist() if self.overall.values[index] == value], np.int64)
        if len(indices) == 0:
            return None
        counts, sizes = self.most.counts[indices], self.most.sizes[indices]
        best = int(np.lexsort((sizes, -(counts / sizes)))[0])
        return Fraction(int(counts[best]), int(sizes[best])), int(sizes[best])

    def highest_lift(self) -> tuple[Fraction, int] | None:
        """The highest share of a value over its share in the whole table, and the size of that class."""
        return self._lift(self.most, 1)

    def lowest_lift(self) -> tuple[Fraction, int] | None:
        """The lowest share of a value over its share in the whole table, and the size of that class."""
        return self._lift(self.least, -1)

    def _lift(self, extreme: Extreme, sign: int) -> tuple[Fraction, int] | None:
        present = np.flatnonzero(extreme.sizes)
        if len(present) == 0:
            return None
        counts, sizes, overall = extreme.counts[present], extreme.sizes[present], self.overall.counts[present]
        lifts = sign * (counts / sizes) / overall
        near = np.flatnonzero(lifts >= lifts.max() - abs(lifts.max()) * 2.0**-49)
        triples = set(zip(*(numbers[near].tolist() for numbers in (counts, sizes, overall)), strict=True))
        people = self.overall.people or self.overall.records
        exact = ((Fraction(count * people, size * other), size) for count, size, other in triples)
        return max(exact, key=lambda pair: (sign * pair[0], -pair[1]))


def compute_shares(view: View, column: str) -> Shares:
    """The shares of a sensitive attribute in the table and in its classes."""
    most, least = view.answer(shares_question(view, column))
    return Shares(view.overall(column), most, least)


def shares_question(view: View, column: str) -> Question[tuple[Extreme, Extreme]]:
    """Ask in which class each value has its largest and its smallest share."""
    values = len(view.overall(column).values)
    return view.fold_question("shares", column, partial(_extremes, values), _merge_extremes)


def count_failing_classes(view: View, column: str, test: Test, limit: str, value: str | None = None) -> dict[str, int]:
    """The number of classes with a value whose share fails a test, and of the people in them."""
    numbers = view.answer(failing_classes_question(view, column, test, limit, value))
    return {f"classes_beyond_{limit}": int(numbers[0]), f"records_beyond_{limit}": int(numbers[1])}


def failing_classes_question(
    view: View, column: str, test: Test, limit: str, value: str | None = None
) -> Question[Integers]:
    """Ask how many classes have a value whose share fails a test, and how many people are in them."""
    overall = view.overall(column)
    fails = partial(_failing, overall.shares, test, _places(overall, value))
    return view.fold_question(("beyond", limit, test, value), column, partial(_count_failing, fails), add)


def share_test(view: View, column: str, test: Test, value: str | None = None, *, compares: bool = True) -> ClassTest:
    """The rule that no value, or the given value, has a share in a class that fails the test."""
    overall = view.overall(column)
    only = _places(overall, value)
    fails = partial(_failing, overall.shares, test, only)
    if not isinstance(test, MaximalShare):
        return ClassTest(fails, Monotone.NEVER, sensitive=column, compares=compares)
    lasting = partial(_min_records_failing_when_refined, overall.shares, test, only)
    return ClassTest(fails, Monotone.UNSUPPRESSED, sensitive=column, compares=compares, lasting=lasting)


def _places(overall: Marginal, value: str | None) -> list[int] | None:
    """The index of the value, as a list; None for all values."""
    return None if value is None else [index for index, other in enumerate(overall.values) if other == value]


def _failing(overall: Reals, test: Test, only: list[int] | None, classes: ClassValues) -> Mask:
    """Whether each class has a value whose share fails."""
    with np.errstate(over="ignore"):
        bad = test(classes.counts / classes.cell_persons, overall[classes.values])
    if only is not None:
        bad &= np.isin(classes.values, only)
    return np.asarray(classes.sum_by_class(bad.astype(np.int64)) > 0)


def _min_records_failing_when_refined(
    overall: Reals, test: MaximalShare, only: list[int] | None, classes: ClassValues
) -> Integers:
    """A lower bound of the number f of records of each class that are in failing classes on every finer level.

    Consider the values that are too common. Passing finer classes, with n - f of the n records, have at most the share
    `limits` of them, and failing ones have at most f records: count <= limits * (n - f) + f.
    """
    limits = test.limit(overall[classes.values])
    too_common = classes.counts > limits * classes.cell_sizes
    if only is not None:
        too_common &= np.isin(classes.values, only)
    counts = classes.sum_by_class(np.where(too_common, classes.counts, 0))
    shares = classes.sum_by_class(
        np.where(too_common, limits, 0)
    )  # below 1, because the counts add up to at most the size
    return round_up_count((counts - shares * classes.sizes) / (1 - shares))


def _count_failing(fails: Callable[[ClassValues], Mask], classes: ClassValues) -> Integers:
    """The number of classes that fail, and of people in them."""
    failed = fails(classes)
    return np.array([failed.sum(), classes.persons[failed].sum()])


def _extremes(values: int, classes: ClassValues) -> tuple[Extreme, Extreme]:
    sizes = classes.cell_persons
    class_shares = classes.counts / sizes
    most, least = np.zeros(values), np.full(values, np.inf)
    np.maximum.at(most, classes.values, class_shares)
    np.minimum.at(least, classes.values, class_shares)
    return (
        _at_extremes(class_shares == most[classes.values], classes, sizes, values),
        _at_extremes(class_shares == least[classes.values], classes, sizes, values),
    )


def _at_extremes(is_extreme: NDArray[np.bool_], classes: ClassValues, sizes: Integers, values: int) -> Extreme:
    """For each value a class that has the extreme share; of several, the smallest."""
    values_there = classes.values[is_extreme]
    smallest = np.full(values, np.iinfo(np.int64).max)
    np.minimum.at(smallest, values_there, sizes[is_extreme])
    extreme = Extreme(np.zeros(values, np.int64), np.zeros(values, np.int64))
    cells = np.flatnonzero(is_extreme)[sizes[is_extreme] == smallest[values_there]]
    extreme.counts[classes.values[cells]] = classes.counts[cells]
    extreme.sizes[classes.values[cells]] = sizes[cells]
    return extreme


def _merge_extremes(first: tuple[Extreme, Extreme], second: tuple[Extreme, Extreme]) -> tuple[Extreme, Extreme]:
    return _more_extreme(first[0], second[0], 1), _more_extreme(first[1], second[1], -1)


def _more_extreme(first: Extreme, second: Extreme, sign: int) -> Extreme:
    """For each value the more extreme of two shares, compared as integers; of equal ones the smaller class."""
    difference = sign * (second.counts * first.sizes - first.counts * second.sizes)
    better = (difference > 0) | ((difference == 0) & (second.sizes < first.sizes))
    takes = (second.sizes > 0) & ((first.sizes == 0) | better)
    return Extreme(np.where(takes, second.counts, first.counts), np.where(takes, second.sizes, first.sizes))


def own_sizes(view: View) -> LinkedSizes:
    """The classes of the release by their own size."""
    sizes = view.class_sizes()
    return LinkedSizes(sizes.sizes, sizes.classes, sizes.sizes * sizes.classes)


def linked_sizes(view: View) -> LinkedSizes:
    """The classes of the release by the size of their class in the population.

    It is counted in a table of the population, or else estimated from sampling weights; without both, it is their own.
    """
    return view.cached("linked sizes", lambda: _count_linked(view))


def population_class_sizes(view: View) -> ClassSizes:
    """The histogram of class sizes of the population, on the levels of the release."""
    known = view.quasi_identifiers
    return view.answer(class_sizes_question(_population(view), Grouping(known, known)))


def _population(view: View) -> Table:
    table = view.background.population_table
    return view.cached("population as released", lambda: view.as_released(table, "population"))


def _count_linked(view: View) -> LinkedSizes:
    if view.links_weights:
        return _estimate_linked(view)
    if not view.background.has_population_table:
        return own_sizes(view)
    linked = view.fold_with(_population(view), _link_sizes, LinkedSizes.merge, suppressed_apart=True)
    if view.treatment["suppressed"] == AS_CLASS and view.suppressed_records:
        linked = linked.merge(_suppressed_class(view, int(linked.records.sum())))
    if linked.sizes.size and linked.sizes[0] == 0:
        raise NotApplicable(
            "released records whose class the population does not have: {records}; the release was not drawn from it",
            records=int(linked.records[0]),
        )
    if linked.too_many:
        raise NotApplicable(
            "released records beyond those the population has of their kind: {too_many}; the "
            "release was not drawn from it",
            too_many=linked.too_many,
        )
    return linked


def view_weights(view: View) -> Weights:
    """The sampling weights of the records that count in the classes of a view."""
    column = str(view.sample.weight)
    return view.weights(view.counted(*view.grouping(column).columns, column))


def estimate_people(weights: Weights, classes: ClassValues) -> Reals:
    """The number of people of the population in each class, by sampling weights; at least those in the release."""
    return np.maximum(weights.sums(classes), classes.persons)


def linked_question(view: View) -> Question[list[LinkedSizes]]:
    """Ask for the classes by the number of people that they stand for by sampling weights, part by part."""
    kernel = partial(_estimate_sizes, view_weights(view))
    return view.fold_question("estimated sizes", str(view.sample.weight), kernel, list.__add__)


def _estimate_linked(view: View) -> LinkedSizes:
    """The classes of the release by the size of their class in the population as sampling weights estimate it."""
    parts = view.answer(linked_question(view))
    check_one_weight(sum(part.too_many for part in parts))
    sizes, inverse = np.unique(np.concatenate([part.sizes for part in parts]), return_inverse=True)
    classes, records = (
        np.bincount(inverse, np.concatenate([getattr(part, name) for part in parts]), len(sizes)).astype(np.int64)
        for name in ("classes", "records")
    )
    return LinkedSizes(sizes, classes, records)


def _estimate_sizes(weights: Weights, classes: ClassValues) -> list[LinkedSizes]:
    people = estimate_people(weights, classes)
    return [
        LinkedSizes(
            people, np.ones(len(people), np.int64), classes.persons, int((classes.sizes - classes.persons).sum())
        )
    ]


def check_one_weight(more: int) -> None:
    """Raise if people have several weights in one class: `more` records beyond one for each person."""
    if more:
        raise NotApplicable(
            "{records} records of people who have several sampling weights in one class; each person needs one",
            records=more,
        )


def _suppressed_class(view: View, others: int) -> LinkedSizes:
    """The class of suppressed records: each of them may be anybody of the population."""
    people, records = view.population_size, view.class_sizes().records - others
    return LinkedSizes(np.array([people], np.int64), np.ones(1, np.int64), np.array([records], np.int64))


def _link_sizes(classes: ClassPairs) -> LinkedSizes:
    """Released classes by their size in the population."""
    in_release = classes.released > 0
    released, population = classes.released[in_release], classes.background[in_release]
    sizes, inverse = np.unique(population, return_inverse=True)
    records = np.zeros(len(sizes), np.int64)
    np.add.at(records, inverse, released)
    too_many = int(np.maximum(released - population, 0)[population > 0].sum())
    return LinkedSizes(sizes, np.bincount(inverse, minlength=len(sizes)), records, too_many)
