"""Keys that name people, as codes. Most are numbers: these are told apart without a text of each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.codes import Column, Encoder, in_one_coding, narrowest
from PETWorks.counting.counts import Integers
from PETWorks.tables.arrays import Numbers, are_integers, arrow_integers, numpy_integers, texts, whole_numbers

if TYPE_CHECKING:
    import pyarrow as pa

SPREAD = 4  # so many times as many numbers as keys between the smallest and the largest key are few
FEW = 1 << 20


class KeyEncoder:
    """A column of codes from pieces of a key; its labels are integers if all keys are.

    A text of decimal digits without zeros in front is the same key as the integer.
    """

    def __init__(self, *, spaced_quotes: bool = False) -> None:
        self._numbers: list[Numbers] | None = []
        self._encoder = Encoder(spaced_quotes=spaced_quotes)
        self._number_bytes = 0

    @property
    def label_bytes(self) -> int:
        """What the distinct keys take."""
        return self._number_bytes if self._numbers is not None else self._encoder.label_bytes

    def add(self, piece: "pa.Array") -> None:
        """Take the next rows."""
        if self._numbers is not None:
            numbers = whole_numbers(piece)
            if numbers is not None:
                self._numbers.append(numbers)
                self._number_bytes += numbers.nbytes
                return
            for earlier in self._numbers:
                self._encoder.add(arrow_integers(earlier))
            self._numbers = None
        self._encoder.add(piece)

    def finish(self) -> Column:
        """The column."""
        if self._numbers is None:
            return self._encoder.finish()
        numbers = np.concatenate(self._numbers)
        (codes,), labels = _coded([numbers])
        return Column(arrow_integers(labels), codes.astype(narrowest(len(labels))))


def keys_in_one_coding(several: Sequence["pa.Array"]) -> tuple[list[Integers], int]:
    """For each of several arrays of keys the code of every key, the same for equal ones; and how many there are."""
    if not all(are_integers(keys) for keys in several):
        return in_one_coding([texts(keys) if are_integers(keys) else keys for keys in several])
    codes, labels = _coded([numpy_integers(keys).astype(np.int64, copy=False) for keys in several])
    return codes, len(labels)


def _coded(several: Sequence[Numbers]) -> tuple[list[Integers], Numbers]:
    """For each of several arrays of numbers the place of every number among the different ones; and these, ascending.

    If few numbers lie between the smallest and the largest one, nothing is sorted.
    """
    low, high = (min(int(own.min()) for own in several), max(int(own.max()) for own in several))
    span = high - low + 1
    if span > max(FEW, SPREAD * sum(map(len, several))):
        labels, codes = np.unique(np.concatenate(several), return_inverse=True)
        return np.split(codes, np.cumsum([len(own) for own in several])[:-1]), labels
    occurs = np.zeros(span, np.bool_)
    for own in several:
        occurs[own - low] = True
    labels = np.flatnonzero(occurs) + low
    if len(labels) == span:
        return [own - low for own in several], labels
    places = np.cumsum(occurs) - 1
    return [places[own - low] for own in several], labels
