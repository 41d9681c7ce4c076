"""Sampling weights as numbers, and their sums, which do not depend on the order or the engine that adds them.

A weight is read as the nearest floating-point number. For sums it becomes a multiple of a power of two, in two parts
that are added as integers, so that the sum of a class is exact. The power is the finest with which no sum can overflow:
for a billion records with weights up to a million it is 2**-42, for a million records 2**-62.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from PETWorks.about.population import LARGEST
from PETWorks.counting.counts import ClassValues, Integers, Reals
from PETWorks.errors import InputError, Phrase
from PETWorks.tables.arrays import numbers_of_texts

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

    def sums_by(self, groups: Integers, codes: Any, number: int) -> Reals:
        """The sum of the weights of each group, from the group and the code of each record; `number`: of groups."""
        high, low = np.zeros(number, np.int64), np.zeros(number, np.int64)
        np.add.at(high, groups, self.high[codes])
        np.add.at(low, groups, self.low[codes])
        sums = np.ldexp(high.astype(np.float64), -self.exponent)
        return np.asarray(sums + np.ldexp(low.astype(np.float64), -self.exponent - self.bits))

    def total(self, counts: Integers) -> float:
        """The sum of all weights, from the number of records with each."""
        high, low = int(self.high @ counts), int(self.low @ counts)
        return math.ldexp((high << self.bits) + low, -self.exponent - self.bits)


def read_weights(labels: Any, counts: Integers, column: str) -> Reals:
    """The weight that each label stands for; raise unless all are positive and finite.

    labels   an Arrow array of texts
    counts   the number of records with each label, for the message
    """
    numbers, missing = numbers_of_texts(labels)
    problems = (
        (missing, Phrase("is missing")),
        (np.isnan(numbers) & ~missing, Phrase("is not a number")),
        (numbers <= 0, Phrase("is not positive")),
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
