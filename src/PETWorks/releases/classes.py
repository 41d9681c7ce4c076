"""Classes of people: who looks alike to an adversary, and what is counted in such classes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import count, numbered


class Classes(NamedTuple):
    """For each row the number of the class, from 0 on; and how many classes there are."""

    codes: NDArray[np.int32]
    number: int

    @classmethod
    def of(cls, keys: NDArray[np.integer]) -> "Classes":
        """Rows are in one class if their keys are equal."""
        codes, number = numbered(keys)
        return cls(codes.astype(np.int32), number)


class Cells(NamedTuple):
    """The different values in each class: ordered by class, then by value, with the number of people who have each."""

    classes: Integers
    values: Integers
    counts: Integers

    @property
    def starts(self) -> Integers:
        """Where the cells of each class begin."""
        return run_starts(self.classes)


def refined(one: Classes, other: Classes) -> Classes:
    """The classes of those who are in one class in both."""
    if one.number == len(one.codes) or other.number == 1:
        return one
    return Classes.of(np.multiply(one.codes, other.number, dtype=np.int64) + other.codes)


def cells_of(classes: Classes, values: Integers, number_of_values: int, weights: Integers | None = None) -> Cells:
    """The values that occur in each class; a row stands for so many people as its weight says, or one."""
    span = np.uint64(number_of_values)
    keys = classes.codes.astype(np.uint64) * span + values.astype(np.uint64)
    counted = count(keys, (classes.number * number_of_values - 1).bit_length(), weights)
    codes, own = np.divmod(counted.keys, span)
    return Cells(codes.astype(np.int64), own.astype(np.int64), counted.counts)
