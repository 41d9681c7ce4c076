"""Rows as integer keys: packing the codes of several columns into one, and counting equal keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import Codes, Column
from PETWorks.counting.counts import ClassSizes, Integers, run_starts

KEY_BITS = 64
BINCOUNT_BITS = 20  # counting into 2**20 bins stays in the cache and beats sorting
SMALL_CLASS = 1 << 16
BINS_PER_KEY = 4  # up to so many, counting into bins is faster than sorting


@dataclass(frozen=True)
class Counted:
    """Distinct keys in ascending order and how many rows have each."""

    keys: Codes
    counts: Integers

    def of(self, keys: Codes) -> Integers:
        """How often each of the given keys was counted; 0 for those that were not."""
        if len(self.keys) == 0:
            return np.zeros(len(keys), np.int64)
        position = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[position] == keys, self.counts[position], 0)


@dataclass(frozen=True)
class Field:
    """Codes and how many bits they need."""

    codes: Codes
    bits: int


@dataclass(frozen=True)
class Layout:
    """How keys were packed, to get the codes back: bits of a column, or the distinct keys that ranks stand for."""

    steps: tuple[int | Codes, ...]

    def codes(self, keys: Codes) -> list[Codes]:
        """For each column in its order, the codes that the keys were packed from."""
        codes: list[Codes] = []
        for step in reversed(self.steps):
            if isinstance(step, int):
                codes.append(keys & keys.dtype.type((1 << step) - 1))
                keys = keys >> keys.dtype.type(step)
            else:
                keys = step[keys]
        return codes[::-1]

    def packed(self, codes: Sequence[NDArray[np.integer]], dtype: Any) -> tuple[Codes, NDArray[np.bool_]]:
        """The keys of other rows; and which of them may be among those that were packed."""
        keys: Codes = np.zeros(len(codes[0]), dtype)
        known = np.ones(len(keys), np.bool_)
        columns = iter(codes)
        for step in self.steps:
            if isinstance(step, int):
                keys = keys << keys.dtype.type(step) | next(columns).astype(dtype)
            else:
                place = np.minimum(np.searchsorted(step, keys), len(step) - 1)
                known &= step[place] == keys
                keys = place.astype(dtype)
        return keys, known


class Packed(NamedTuple):
    """One integer per row, how many bits it has, and how it was made."""

    keys: Codes
    bits: int
    layout: Layout


def pack(columns: Sequence[Column | Field], room: int = 0) -> Packed:
    """One integer per row, equal where all the columns are equal, leaving `room` of its 64 bits.

    Each column gets bits of its own. Where they are too many, what is packed so far is replaced by its rank
    among the distinct combinations, exactly.
    """
    rows = len(columns[0].codes)
    total = sum(column.bits for column in columns) + room
    keys: Codes = np.zeros(rows, np.uint32 if total <= 32 else np.uint64)
    bits = 0
    steps: list[int | Codes] = []
    for column in columns:
        if bits + column.bits > KEY_BITS:
            keys, bits = _ranked(keys, steps)
        if column.bits:
            keys <<= keys.dtype.type(column.bits)
            keys |= column.codes
            bits += column.bits
        steps.append(column.bits)
    if bits + room > KEY_BITS:
        keys, bits = _ranked(keys, steps)
    return Packed(keys, bits, Layout(tuple(steps)))


def _ranked(keys: Codes, steps: list[int | Codes]) -> tuple[Codes, int]:
    """Each key's rank among the distinct ones, and the bits that a rank needs: at most 32."""
    distinct, ranks = np.unique(keys, return_inverse=True)
    steps.append(distinct)
    return ranks.astype(np.uint64), (len(distinct) - 1).bit_length()


def count(keys: Codes, bits: int = KEY_BITS, weights: Integers | None = None) -> Counted:
    """Distinct keys and their counts, or added weights, none of which is 0. The keys are sorted in place."""
    few_bins = bits <= BINCOUNT_BITS and 1 << bits <= 2 * len(keys)  # fewer than it would take to sort
    if weights is not None:
        if np.any(keys[1:] < keys[:-1]):
            if few_bins:
                added = np.bincount(keys.astype(np.int64), weights)  # floats, exact up to 2**53 records
                distinct = np.flatnonzero(added)
                return Counted(distinct.astype(keys.dtype), added[distinct].astype(np.int64))
            order = np.argsort(keys, kind="stable")
            keys, weights = keys[order], weights[order]
        starts = run_starts(keys)
        return Counted(keys[starts], np.add.reduceat(weights, starts) if len(starts) else weights)
    if few_bins:
        bins = np.bincount(keys.astype(np.int64), minlength=1)
        distinct = np.flatnonzero(bins)
        return Counted(distinct.astype(keys.dtype), bins[distinct])
    keys.sort()
    starts = run_starts(keys)
    return Counted(keys[starts], np.diff(starts, append=len(keys)))


def numbered(keys: NDArray[np.integer]) -> tuple[Integers, int]:
    """For each key its number among the distinct ones, in their order; and how many there are."""
    if len(keys) and int(keys.max()) < BINS_PER_KEY * len(keys):  # no need to sort
        present = np.bincount(keys.astype(np.int64)) > 0
        places = np.cumsum(present) - 1
        return places[keys.astype(np.int64)], int(places[-1]) + 1
    order = in_order(keys)
    ordered = keys[order]
    ranks = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))[: len(keys)]
    codes = np.empty(len(keys), np.int64)
    codes[order] = ranks
    return codes, int(ranks[-1]) + 1 if len(keys) else 0


def in_order(keys: NDArray[np.integer]) -> Integers:
    """The places of keys, ascending; those of equal keys as they stand. No key is negative."""
    bits = max(len(keys) - 1, 0).bit_length()
    if not len(keys) or int(keys.max()).bit_length() + bits > KEY_BITS:
        return np.argsort(keys, kind="stable")
    # Numbers that carry their places are sorted much faster than places are.
    carried = keys.astype(np.uint64) << np.uint64(bits) | np.arange(len(keys), dtype=np.uint64)
    carried.sort()
    return (carried & np.uint64((1 << bits) - 1)).astype(np.int64)


def size_histogram(sizes: Integers) -> ClassSizes:
    """How many classes have each size."""
    if len(sizes) == 0 or sizes.max() < SMALL_CLASS:
        bins = np.bincount(sizes)
        present = np.flatnonzero(bins)
        return ClassSizes(present, bins[present])
    small = sizes < SMALL_CLASS
    bins = np.bincount(sizes[small])
    large, large_classes = np.unique(sizes[~small], return_counts=True)
    present = np.flatnonzero(bins)
    return ClassSizes(np.concatenate([present, large]), np.concatenate([bins[present], large_classes]))
