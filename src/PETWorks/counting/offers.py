"""What a table offers to people who are known to be in it: the values that their class has."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers
from PETWorks.errors import Hint, NotApplicable

Words = NDArray[np.uint64]

BITS = 60  # values in a word: engines have signed integers of 64 bits
MOST_VALUES = 100 * BITS  # of a sensitive attribute, where each word is a column of an engine


class Offer(NamedTuple):
    """What one table offers to some people.

    inside   whether they are in it
    values   the value that they have; of those who are not in it, any
    words    the values that their class has, as bits, `BITS` in a word; of those who are not in it, none
    sizes    how many values their class has, if the bits do not say so
    places   the bit of their own value, if it is not the value; -1 if it has none
    """

    inside: NDArray[np.bool_]
    values: Integers
    words: list[Words]
    sizes: Integers | None = None
    places: Integers | None = None


def check_values(numbers: Mapping[str, int]) -> None:
    """An error if sensitive attributes have more values than an engine can have words for."""
    for name, number in numbers.items():
        if number > MOST_VALUES:
            raise NotApplicable(
                "{column!r} has {number:,} values in all releases; out of core or in a cluster, at "
                "most {most:,} can be intersected; generalise it, or join the releases in "
                "memory",
                Hint.ENGINE_IN_MEMORY,
                column=name,
                number=number,
                most=MOST_VALUES,
                what="sensitive",
            )


def number_of_words(values: int) -> int:
    """How many words it takes to say which of so many values there are."""
    return -(-values // BITS)
