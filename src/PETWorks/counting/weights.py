"""Sampling weights as numbers, and their sums, which are the same in whatever order and by whatever engine they are added.

A weight is read as the nearest floating-point number. For sums it becomes a multiple of a power of two, in two parts that
are added as integers, so that the sum of a class is exact. The power is the finest with which no sum can overflow: for a
billion records with weights up to a million it is 2**-42, for a million records 2**-62.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.about.population import LARGEST
from PETWorks.counting.counts import ClassValues, Integers
from PETWorks.errors import InputError, Phrase
from PETWorks.tables.arrays import numpy_reals

Reals = NDArray[np.float64]

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$"
SUM_BITS = 62  # of a sum of the high parts, so that it fits into 64 bits


@dataclass(frozen=True, eq=False)
class Weights:
    """The sampling weights of a column, by code.

    numbers     the weight of each code
    high, low   the weight as high * 2**-exponent + low * 2**-(exponent + bits)
    """

    numbers: Reals
    high: Integers
    low: Integers
    exponent: int
    bits: int

    @classmethod
    def of(cls, numbers: Reals, records: int) -> "Weights":
        """Prepare positive numbers for sums over at most this many records."""
        bits = SUM_BITS - records.bit_length()
        exponent = bits - int(np.frexp(numbers.max(initial=1.0))[1])
        scaled = np.ldexp(numbers, exponent)
        high = np.floor(scaled)
        low = np.rint(np.ldexp(scaled - high, bits))
        return cls(numbers, high.astype(np.int64), low.astype(np.int64), exponent, bits)

    @cached_property
    def _has_low(self) -> bool:
        return bool(self.low.any())

    def sums(self, classes: ClassValues) -> Reals:
        """The sum of the weights of each class."""
        sums = np.ldexp(self._added(self.high, classes).astype(np.float64), -self.exponent)
        if not self._has_low:
            return sums
        return sums + np.ldexp(self._added(self.low, classes).astype(np.float64), -self.exponent - self.bits)

    def _added(self, parts: Integers, classes: ClassValues) -> Integers:
        added: Integers = classes.sum_by_class(parts[classes.values] * classes.counts)
        return added

    def total(self, counts: Integers) -> float:
        """The sum of all weights, from the number of records with each."""
        high, low = int(self.high @ counts), int(self.low @ counts)
        return math.ldexp((high << self.bits) + low, -self.exponent - self.bits)


def read_weights(labels: pa.Array, counts: Integers, column: str) -> Reals:
    """The weight that each label stands for; raise unless all are positive and finite.

    counts   the number of records with each label, for the message
    """
    from pyarrow import compute as pc

    is_missing = np.asarray(labels.is_null())
    is_read = np.asarray(pc.fill_null(pc.match_substring_regex(labels, NUMBER), False))
    numbers = np.zeros(len(labels))
    numbers[is_read] = numpy_reals(labels.filter(pa.array(is_read)).cast(pa.float64()))
    problems = (
        (is_missing, Phrase("is missing")),
        (~is_read & ~is_missing, Phrase("is not a number")),
        (is_read & ~(numbers > 0), Phrase("is not positive")),
        (numbers > LARGEST, Phrase("is larger than any population")),
    )
    for mask, problem in problems:
        if mask.any():
            raise InputError(
                "sampling weight {column!r}: it {problem} in {n:,} of {records:,} records; every record needs the "
                "number of people that it stands for",
                column=column,
                problem=problem,
                n=int(counts[mask].sum()),
                records=int(counts.sum()),
                what="sampling_weight",
            )
    return numbers
