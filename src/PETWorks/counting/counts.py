"""Equivalence classes as arrays: what the engines count and the measures compute on."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Marginal:
    """The distinct values of a column (None is the missing one) and how many records have each."""

    values: list[str | None]
    counts: Integers
    people: int | None = None

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value: of the records, or of the people, of whom one may have several values."""
        return self.counts / max(self.people or self.records, 1)

    def told(self) -> "Marginal":
        """The values without the missing one."""
        if None not in self.values:
            return self
        place = self.values.index(None)
        values = [*self.values[:place], *self.values[place + 1 :]]
        return Marginal(values, np.delete(self.counts, place), self.people)


@dataclass(frozen=True)
class Grouping:
    """Which columns make the equivalence classes, and which records stand aside from them.

    The first of the columns are the `known` ones, the quasi-identifiers: they decide whether a record is suppressed
    (`*` in all of them) or incomplete (missing in one of them).
    """

    columns: tuple[str, ...]
    known: tuple[str, ...]
    suppressed_apart: bool = False
    incomplete_apart: bool = False


@dataclass(frozen=True)
class ClassSizes:
    """How many equivalence classes have how many records: `classes[i]` of them have `sizes[i]`, ascending."""

    sizes: Integers
    classes: Integers

    @property
    def records(self) -> int:
        """Number of records in all classes."""
        return int(self.sizes @ self.classes)

    @cached_property
    def number(self) -> int:
        """Number of classes."""
        return int(self.classes.sum())

    @property
    def smallest(self) -> int | None:
        """Size of the smallest class."""
        return int(self.sizes[0]) if len(self.sizes) else None

    def merged(self, other: "ClassSizes") -> "ClassSizes":
        """These classes and those."""
        sizes, place = np.unique(np.concatenate([self.sizes, other.sizes]), return_inverse=True)
        classes = np.zeros(len(sizes), np.int64)
        np.add.at(classes, place, np.concatenate([self.classes, other.classes]))
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
    """Classes of a release by the size of their class in a population: `classes[i]` of `sizes[i]`, ascending.

    Together they have `records[i]` released records; `too_many` are more than their population class has people.
    """

    sizes: Integers
    classes: Integers
    records: Integers
    too_many: int = 0

    def merged(self, other: "LinkedSizes") -> "LinkedSizes":
        """These classes and those."""
        sizes, place = np.unique(np.concatenate([self.sizes, other.sizes]), return_inverse=True)
        classes, records = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
        np.add.at(classes, place, np.concatenate([self.classes, other.classes]))
        np.add.at(records, place, np.concatenate([self.records, other.records]))
        return LinkedSizes(sizes, classes, records, self.too_many + other.too_many)


@dataclass(frozen=True)
class ClassValues:
    """A batch of complete equivalence classes with the counts of a sensitive attribute inside each.

    Class i has `sizes[i]` records, of `people[i]` people where that is not the same. Its cells stand from
    `starts[i]` up to the next class's start: a value (its position in the column's marginal, ascending within the
    class) and the number of records that have it.
    """

    sizes: Integers
    starts: Integers
    values: Integers
    counts: Integers
    people: Integers | None = None

    @property
    def persons(self) -> Integers:
        """How many people each class has: where one may have several values, that is less than its size."""
        return self.sizes if self.people is None else self.people

    @cached_property
    def cell_classes(self) -> Integers:
        """The class of each cell."""
        return np.repeat(np.arange(len(self.sizes)), self.cells_per_class)

    @property
    def cells_per_class(self) -> Integers:
        """How many different values each class has."""
        return np.diff(self.starts, append=len(self.values))

    @property
    def cell_sizes(self) -> Integers:
        """The size of each cell's class."""
        return np.repeat(self.sizes, self.cells_per_class)

    @property
    def cell_persons(self) -> Integers:
        """The people in each cell's class."""
        return np.repeat(self.persons, self.cells_per_class)

    def only(self, kept: NDArray[np.bool_]) -> "ClassValues":
        """Some of the classes."""
        cells = np.repeat(kept, self.cells_per_class)
        numbers = self.cells_per_class[kept]
        people = None if self.people is None else self.people[kept]
        return ClassValues(
            self.sizes[kept], np.cumsum(numbers) - numbers, self.values[cells], self.counts[cells], people
        )

    def told(self, missing: int) -> tuple["ClassValues", NDArray[np.bool_] | None]:
        """The classes without the missing value, whose code this is, and which of them have another; None for all.

        Codes are then those of the values without the missing one, as of `Marginal.told`.
        """
        there = self.values != missing
        codes = self.values - (self.values > missing)
        if there.all():
            return ClassValues(self.sizes, self.starts, codes, self.counts, self.people), None
        numbers = self.sum_by_class(there.astype(np.int64))
        kept = numbers > 0
        sizes = self.sum_by_class(np.where(there, self.counts, 0))[kept]
        people = None if self.people is None else self.people[kept]
        starts = np.cumsum(numbers[kept]) - numbers[kept]
        return ClassValues(sizes, starts, codes[there], self.counts[there], people), kept

    def sum_by_class(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Add up a number per cell within each class."""
        return np.add.reduceat(cells, self.starts) if len(self.starts) else cells[:0]

    def relabelled(self, labels: Integers) -> "ClassValues":
        """The same classes with value v called labels[v]; cells of one class with the same label become one."""
        span = int(labels.max()) + 1
        keys = self.cell_classes * span + labels[self.values]
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], self.counts[order]
        first = run_starts(keys)
        classes, values = np.divmod(keys[first], span)
        return ClassValues(
            self.sizes, run_starts(classes), values, np.add.reduceat(counts, first) if len(first) else counts
        )


class ClassCodes(NamedTuple):
    """A batch of complete equivalence classes with their values: positions in the marginal of each column."""

    sizes: Integers
    codes: Mapping[str, NDArray[np.unsignedinteger]]


class PairCounts(NamedTuple):
    """How often two columns have which values together: positions in the marginal of each, and the count."""

    one: Integers
    other: Integers
    counts: Integers

    def merged(self, other: "PairCounts") -> "PairCounts":
        """Counts of two parts of a table, added up."""
        one, another, counts = (np.concatenate(both) for both in zip(self, other, strict=True))
        order = np.lexsort((another, one))
        one, another = one[order], another[order]
        starts = np.union1d(run_starts(one), run_starts(another))
        return PairCounts(one[starts], another[starts], np.add.reduceat(counts[order], starts))


class ClassPairs(NamedTuple):
    """A batch of complete classes over two tables: how often each class occurs in the one and in the other."""

    released: Integers
    background: Integers


class Worst(NamedTuple):
    """The worst class: a fraction and the size of that class; and how many classes and records are beyond a limit."""

    extreme: tuple[Fraction, int] | None
    classes: int = 0
    records: int = 0

    def merged(self, other: "Worst") -> "Worst":
        """The worse of two, of equally bad ones the smallest; what is beyond adds up."""
        both = [one.extreme for one in (self, other) if one.extreme is not None]
        largest = max(both, key=lambda extreme: (extreme[0], -extreme[1]), default=None)
        return Worst(largest, self.classes + other.classes, self.records + other.records)


def run_starts(ordered: NDArray[Any]) -> Integers:
    """Positions at which a run of equal neighbours begins."""
    if len(ordered) == 0:
        return np.empty(0, np.int64)
    changes = np.empty(len(ordered), np.bool_)
    changes[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def largest_ratio(numerators: NDArray[Any], denominators: NDArray[Any]) -> tuple[Fraction, int] | None:
    """The largest of many fractions, exactly, and the smallest denominator that has it; None when there are none."""
    if len(numerators) == 0:
        return None
    ratios = numerators.astype(np.float64) / denominators.astype(np.float64)
    largest = ratios.max()
    if int(numerators.max()) * int(denominators.max()) < 2**52:
        # Fractions of numbers this small are equal when their quotients are.
        smallest = int(denominators[ratios == largest].min())
        return Fraction(round(largest * smallest), smallest), smallest
    near = np.flatnonzero(ratios >= largest - abs(largest) * 2.0**-50)
    pairs = set(zip(numerators[near].tolist(), denominators[near].tolist(), strict=True))
    return max(((Fraction(n, d), d) for n, d in pairs), key=lambda pair: (pair[0], -pair[1]))
