"""Classes of people: who looks alike to an adversary, and what is counted in such classes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import count

BINS_PER_KEY = 4  # up to so many, counting into bins is faster than sorting


class Classes(NamedTuple):
    """For each person the number of the class, from 0 on; and how many classes there are."""

    codes: Integers
    number: int

    @property
    def sizes(self) -> Integers:
        """How many people each class has."""
        return np.bincount(self.codes, minlength=self.number)


class Cells(NamedTuple):
    """The different values in each class: ordered by class, then by value, with the number of people who have each."""

    classes: Integers
    values: Integers
    counts: Integers

    @property
    def starts(self) -> Integers:
        """Where the cells of each class begin."""
        return run_starts(self.classes)

    @property
    def per_class(self) -> Integers:
        """How many values each class has."""
        return np.diff(self.starts, append=len(self.classes))


def numbered(keys: NDArray[np.integer]) -> Classes:
    """The classes of those who have equal keys, in the order of the keys."""
    if len(keys) and int(keys.max()) < BINS_PER_KEY * len(keys):  # no need to sort
        present = np.bincount(keys.astype(np.int64)) > 0
        places = np.cumsum(present) - 1
        return Classes(places[keys.astype(np.int64)], int(places[-1]) + 1)
    distinct, codes = np.unique(keys, return_inverse=True)
    return Classes(codes.astype(np.int64), len(distinct))


def everyone(people: int) -> Classes:
    """One class: nothing is known about anyone."""
    return Classes(np.zeros(people, np.int64), 1)


def refined(one: Classes, other: Classes) -> Classes:
    """The classes of those who are in one class in both."""
    if one.number == len(one.codes) or other.number == 1:
        return one
    return numbered(one.codes * other.number + other.codes)


def cells_of(classes: Classes, values: Integers, number_of_values: int) -> Cells:
    """The values that occur in each class."""
    span = np.uint64(number_of_values)
    keys = classes.codes.astype(np.uint64) * span + values.astype(np.uint64)
    counted = count(keys, (classes.number * number_of_values - 1).bit_length())
    codes, own = np.divmod(counted.keys, span)
    return Cells(codes.astype(np.int64), own.astype(np.int64), counted.counts)


def right_guesses(cells: Cells) -> int:
    """How many people have the commonest value of their class."""
    return int(np.maximum.reduceat(cells.counts, cells.starts).sum()) if len(cells.counts) else 0
