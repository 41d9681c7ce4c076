"""Equivalence classes as arrays, which engines count and measures compute on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


def weighted_sum(values: Reals, weights: Integers) -> float:
    """The sum of the values, each times its weight.

    Of many values, `@` would be computed by several threads: waking them takes longer than the sum, and the last
    digits would depend on their number.
    """
    return float((values * weights).sum())


@dataclass(frozen=True)
class Marginal:
    """The distinct values of a column (None is the missing one) and the number of records with each."""

    values: list[str | None]
    counts: Integers
    people: int | None = None

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def by_value(self) -> dict[str | None, int]:
        """The number of records with each value."""
        return dict(zip(self.values, self.counts.tolist(), strict=True))

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value among the records, or among the people, who may have several values each."""
        return self.counts / max(self.people or self.records, 1)

    def without_missing(self) -> "Marginal":
        """The values without the missing one."""
        if None not in self.values:
            return self
        index = self.values.index(None)
        values = [*self.values[:index], *self.values[index + 1 :]]
        return Marginal(values, np.delete(self.counts, index), self.people)


@dataclass(frozen=True)
class Grouping:
    """The columns that define the equivalence classes, and whether some records are set aside from them.

    The first columns are the `known` ones, the quasi-identifiers: they decide whether a record is suppressed
    (`*` in all of them) or incomplete (missing in at least one of them).
    """

    columns: tuple[str, ...]
    known: tuple[str, ...]
    suppressed_apart: bool = False
    incomplete_apart: bool = False


@dataclass(frozen=True)
class ClassSizes:
    """A histogram of class sizes: `classes[i]` equivalence classes have `sizes[i]` records each, ascending."""

    sizes: Integers
    classes: Integers

    @property
    def records(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes @ self.classes)

    @cached_property
    def number(self) -> int:
        """The number of classes."""
        return int(self.classes.sum())

    @property
    def smallest(self) -> int | None:
        """The size of the smallest class, or None if there are no classes."""
        return int(self.sizes[0]) if len(self.sizes) else None

    def merge(self, other: "ClassSizes") -> "ClassSizes":
        """The histogram of the classes of both."""
        sizes, inverse = np.unique(np.concatenate([self.sizes, other.sizes]), return_inverse=True)
        classes = np.zeros(len(sizes), np.int64)
        np.add.at(classes, inverse, np.concatenate([self.classes, other.classes]))
        return ClassSizes(sizes, classes)

    def summary(self) -> dict[str, int | None]:
        """Records, classes, smallest and largest class, for the details of a result."""
        return {
            "records_in_classes": self.records,
            "classes": self.number,
            "smallest_class": self.smallest,
            "largest_class": int(self.sizes[-1]) if self.number else None,
        }


class LinkedSizes(NamedTuple):
    """Classes of a release by the size of their class in the population: `classes[i]` of size `sizes[i]`, ascending.

    Together they have `records[i]` released records; `too_many` records exceed the people of their population class.
    Sizes are whole numbers if they were counted, and not if sampling weights estimate them.
    """

    sizes: NDArray[Any]
    classes: Integers
    records: Integers
    too_many: int = 0

    def merge(self, other: "LinkedSizes") -> "LinkedSizes":
        """The classes of both."""
        sizes, inverse = np.unique(np.concatenate([self.sizes, other.sizes]), return_inverse=True)
        classes, records = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
        np.add.at(classes, inverse, np.concatenate([self.classes, other.classes]))
        np.add.at(records, inverse, np.concatenate([self.records, other.records]))
        return LinkedSizes(sizes, classes, records, self.too_many + other.too_many)


@dataclass(frozen=True)
class ClassValues:
    """A batch of complete equivalence classes with the counts of a sensitive attribute inside each.

    Class i has `sizes[i]` records, of `people[i]` people if that number differs. Its cells run from `starts[i]` up to
    the start of the next class: a value (its index in the column's marginal, ascending within the class) and the
    number of records that have it.
    """

    sizes: Integers
    starts: Integers
    values: Integers
    counts: Integers
    people: Integers | None = None

    @property
    def persons(self) -> Integers:
        """The number of people in each class, which is less than its size if a person has several values."""
        return self.sizes if self.people is None else self.people

    @cached_property
    def cell_classes(self) -> Integers:
        """The class of each cell."""
        return np.repeat(np.arange(len(self.sizes)), self.cells_per_class)

    @property
    def cells_per_class(self) -> Integers:
        """The number of different values in each class."""
        return np.diff(self.starts, append=len(self.values))

    @property
    def cell_sizes(self) -> Integers:
        """The size of each cell's class."""
        return np.repeat(self.sizes, self.cells_per_class)

    @property
    def cell_persons(self) -> Integers:
        """The number of people in each cell's class."""
        return np.repeat(self.persons, self.cells_per_class)

    def only(self, kept: NDArray[np.bool_]) -> "ClassValues":
        """The classes selected by a mask."""
        cells = np.repeat(kept, self.cells_per_class)
        numbers = self.cells_per_class[kept]
        people = None if self.people is None else self.people[kept]
        return ClassValues(
            self.sizes[kept], np.cumsum(numbers) - numbers, self.values[cells], self.counts[cells], people
        )

    def without_missing(self, missing: int) -> tuple["ClassValues", NDArray[np.bool_] | None]:
        """The classes without the missing value, and a mask of the classes that have another value, or None for all.

        missing   the code of the missing value

        The codes become those of the values without the missing one, as in `Marginal.without_missing`.
        """
        present = self.values != missing
        codes = self.values - (self.values > missing)
        if present.all():
            return ClassValues(self.sizes, self.starts, codes, self.counts, self.people), None
        numbers = self.sum_by_class(present.astype(np.int64))
        kept = numbers > 0
        sizes = self.sum_by_class(np.where(present, self.counts, 0))[kept]
        people = None if self.people is None else self.people[kept]
        starts = np.cumsum(numbers[kept]) - numbers[kept]
        return ClassValues(sizes, starts, codes[present], self.counts[present], people), kept

    def sum_by_class(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Add up a number per cell within each class."""
        return np.add.reduceat(cells, self.starts) if len(self.starts) else cells[:0]

    def relabel(self, labels: Integers) -> "ClassValues":
        """The classes with value v replaced by `labels[v]`; cells of a class with the same label are merged."""
        span = int(labels.max()) + 1
        keys = self.cell_classes * span + labels[self.values]
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], self.counts[order]
        first = run_starts(keys)
        classes, values = np.divmod(keys[first], span)
        summed = np.add.reduceat(counts, first) if len(first) else counts
        return replace(self, starts=run_starts(classes), values=values, counts=summed)


class ClassCodes(NamedTuple):
    """A batch of complete equivalence classes with their values, as indices into the marginal of each column."""

    sizes: Integers
    codes: Mapping[str, NDArray[np.unsignedinteger]]


class PairCounts(NamedTuple):
    """The count of each pair of values of two columns; values are indices into the marginal of each."""

    first: Integers
    second: Integers
    counts: Integers

    def merge(self, other: "PairCounts") -> "PairCounts":
        """Add up the counts of two parts of a table."""
        first, second, counts = (np.concatenate(both) for both in zip(self, other, strict=True))
        order = np.lexsort((second, first))
        first, second = first[order], second[order]
        starts = np.union1d(run_starts(first), run_starts(second))
        return PairCounts(first[starts], second[starts], np.add.reduceat(counts[order], starts))


class ClassPairs(NamedTuple):
    """A batch of complete classes over two tables, with the count of each class in the release and the background."""

    released: Integers
    background: Integers


class WorstClass(NamedTuple):
    """The worst class, as a fraction and its size, and the number of classes and records beyond a limit."""

    extreme: tuple[Fraction, int] | None
    classes: int = 0
    records: int = 0

    def merge(self, other: "WorstClass") -> "WorstClass":
        """The worse of two classes, and of equally bad ones the smaller; the numbers beyond the limit add up."""
        both = [worst.extreme for worst in (self, other) if worst.extreme is not None]
        largest = max(both, key=lambda extreme: (extreme[0], -extreme[1]), default=None)
        return WorstClass(largest, self.classes + other.classes, self.records + other.records)


def run_starts(ordered: NDArray[Any]) -> Integers:
    """The indices at which a run of equal neighbours begins."""
    if len(ordered) == 0:
        return np.empty(0, np.int64)
    changes = np.empty(len(ordered), np.bool_)
    changes[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def largest_ratio(numerators: NDArray[Any], denominators: NDArray[Any]) -> tuple[Fraction, int] | None:
    """The largest of many fractions, exactly, and the smallest denominator it occurs with; None if there are none."""
    if len(numerators) == 0:
        return None
    ratios = numerators.astype(np.float64) / denominators.astype(np.float64)
    largest = ratios.max()
    if int(numerators.max()) * int(denominators.max()) < 2**52:
        # Fractions of numbers this small are equal if and only if their floating-point quotients are.
        smallest = int(denominators[ratios == largest].min())
        return Fraction(round(largest * smallest), smallest), smallest
    near = np.flatnonzero(ratios >= largest - abs(largest) * 2.0**-50)
    pairs = set(zip(numerators[near].tolist(), denominators[near].tolist(), strict=True))
    return max(((Fraction(n, d), d) for n, d in pairs), key=lambda pair: (pair[0], -pair[1]))
