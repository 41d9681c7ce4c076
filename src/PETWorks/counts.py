"""Equivalence classes as arrays: what the engines count and the measures compute on."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Marginal:
    """The distinct values of a column (None is the missing one) and how many records have each."""

    values: list[str | None]
    counts: Integers

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.counts.sum())


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

    def summary(self) -> dict[str, int | None]:
        """Records, classes, smallest and largest class, for the details of a result."""
        return {
            "records_in_classes": self.records,
            "classes": self.number,
            "smallest_class": int(self.sizes[0]) if self.number else None,
            "largest_class": int(self.sizes[-1]) if self.number else None,
        }


@dataclass(frozen=True)
class ClassValues:
    """A batch of complete equivalence classes with the counts of a sensitive attribute inside each.

    Class i has `sizes[i]` records. Its cells stand from `starts[i]` up to the next class's start: a value (its
    position in the column's marginal, ascending within the class) and the number of records that have it.
    """

    sizes: Integers
    starts: Integers
    values: Integers
    counts: Integers

    @cached_property
    def cell_classes(self) -> Integers:
        """The class of each cell."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.starts, append=len(self.values)))

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


@dataclass(frozen=True)
class ClassPairs:
    """A batch of complete classes over two tables: how often each class occurs in the one and in the other."""

    released: Integers
    background: Integers


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
    near = np.flatnonzero(ratios >= largest - abs(largest) * 2.0**-50)
    pairs = set(zip(numerators[near].tolist(), denominators[near].tolist(), strict=True))
    return max(((Fraction(n, d), d) for n, d in pairs), key=lambda pair: (pair[0], -pair[1]))
