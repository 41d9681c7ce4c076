"""Rows as integer keys: packing the codes of several columns into one integer, and counting equal keys."""

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
BINS_PER_KEY = 4  # up to this many, counting into bins is faster than sorting


@dataclass(frozen=True)
class CountedKeys:
    """Distinct keys in ascending order and the number of rows with each."""

    keys: Codes
    counts: Integers

    def of(self, keys: Codes) -> Integers:
        """The count of each of the given keys; 0 for keys that do not occur."""
        if len(self.keys) == 0:
            return np.zeros(len(keys), np.int64)
        position = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[position] == keys, self.counts[position], 0)


@dataclass(frozen=True)
class Field:
    """The codes of a column and the number of bits they need."""

    codes: Codes
    bits: int


@dataclass(frozen=True)
class Layout:
    """The steps by which keys were packed, to restore the codes.

    A step is the number of bits of a column, or the distinct keys that were replaced by their ranks.
    """

    steps: tuple[int | Codes, ...]

    def codes(self, keys: Codes) -> list[Codes]:
        """The codes of each column that the keys were packed from."""
        codes: list[Codes] = []
        for step in reversed(self.steps):
            if isinstance(step, int):
                codes.append(keys & keys.dtype.type((1 << step) - 1))
                keys = keys >> keys.dtype.type(step)
            else:
                keys = step[keys]
        return codes[::-1]

    def packed(self, codes: Sequence[NDArray[np.integer]], dtype: Any) -> tuple[Codes, NDArray[np.bool_]]:
        """Pack other rows in the same way; also return which of them may be among the rows packed before."""
        keys: Codes = np.zeros(len(codes[0]), dtype)
        known = np.ones(len(keys), np.bool_)
        columns = iter(codes)
        for step in self.steps:
            if isinstance(step, int):
                keys = keys << keys.dtype.type(step) | next(columns).astype(dtype)
            else:
                index = np.minimum(np.searchsorted(step, keys), len(step) - 1)
                known &= step[index] == keys
                keys = index.astype(dtype)
        return keys, known


class Packed(NamedTuple):
    """One integer per row, its number of bits, and how it was packed."""

    keys: Codes
    bits: int
    layout: Layout


def pack(columns: Sequence[Column | Field], room: int = 0) -> Packed:
    """One integer per row, equal if and only if all columns are equal, leaving `room` of its 64 bits free.

    Each column gets bits of its own. If they do not fit, the keys packed so far are replaced by their ranks among the
    distinct keys, which loses nothing.
    """
    rows = len(columns[0].codes)
    widths = [column.bits for column in columns]
    keys: Codes = np.zeros(rows, np.uint32 if sum(widths) + room <= 32 else np.uint64)
    bits = 0
    steps: list[int | Codes] = []
    for column, width in zip(columns, widths, strict=True):
        if bits + width > KEY_BITS:
            keys, bits = _rank(keys, steps)
        if width:
            keys <<= keys.dtype.type(width)
            keys |= column.codes
            bits += width
        steps.append(width)
    if bits + room > KEY_BITS:
        keys, bits = _rank(keys, steps)
    return Packed(keys, bits, Layout(tuple(steps)))


def _rank(keys: Codes, steps: list[int | Codes]) -> tuple[Codes, int]:
    """The rank of each key among the distinct ones, and the number of bits that a rank needs, at most 32."""
    distinct, ranks = np.unique(keys, return_inverse=True)
    steps.append(distinct)
    return ranks.astype(np.uint64), (len(distinct) - 1).bit_length()


def count_keys(keys: Codes, bits: int = KEY_BITS, weights: Integers | None = None) -> CountedKeys:
    """Count the distinct keys, or add up their positive weights; may sort the keys in place."""
    few_bins = bits <= BINCOUNT_BITS and 1 << bits <= 2 * len(keys)  # cheaper than sorting
    if weights is not None:
        if np.any(keys[1:] < keys[:-1]):
            if few_bins:
                added = np.bincount(keys.astype(np.int64), weights)  # floats, exact up to 2**53 records
                distinct = np.flatnonzero(added)
                return CountedKeys(distinct.astype(keys.dtype), added[distinct].astype(np.int64))
            order = np.argsort(keys, kind="stable")
            keys, weights = keys[order], weights[order]
        starts = run_starts(keys)
        return CountedKeys(keys[starts], np.add.reduceat(weights, starts) if len(starts) else weights)
    if few_bins:
        bins = np.bincount(keys.astype(np.int64), minlength=1)
        distinct = np.flatnonzero(bins)
        return CountedKeys(distinct.astype(keys.dtype), bins[distinct])
    keys.sort()
    starts = run_starts(keys)
    return CountedKeys(keys[starts], np.diff(starts, append=len(keys)))


def rank_keys(keys: NDArray[np.integer]) -> tuple[Integers, int]:
    """The rank of each key among the distinct keys, and the number of distinct keys."""
    if len(keys) and int(keys.max()) < BINS_PER_KEY * len(keys):  # no need to sort
        present = np.bincount(keys.astype(np.int64)) > 0
        indices = np.cumsum(present) - 1
        return indices[keys.astype(np.int64)], int(indices[-1]) + 1
    order = sorting_order(keys)
    ordered = keys[order]
    ranks = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))[: len(keys)]
    codes = np.empty(len(keys), np.int64)
    codes[order] = ranks
    return codes, int(ranks[-1]) + 1 if len(keys) else 0


def sorting_order(keys: NDArray[np.integer]) -> Integers:
    """The indices that sort keys that are not negative; equal keys keep their order."""
    bits = max(len(keys) - 1, 0).bit_length()
    if not len(keys) or int(keys.max()).bit_length() + bits > KEY_BITS:
        return np.argsort(keys, kind="stable")
    # Sorting keys that carry their index in the lowest bits is much faster than an indirect sort.
    carried = keys.astype(np.uint64) << np.uint64(bits) | np.arange(len(keys), dtype=np.uint64)
    carried.sort()
    return (carried & np.uint64((1 << bits) - 1)).astype(np.int64)


def size_histogram(sizes: Integers) -> ClassSizes:
    """The number of classes of each size."""
    if len(sizes) == 0 or sizes.max() < SMALL_CLASS:
        bins = np.bincount(sizes)
        present = np.flatnonzero(bins)
        return ClassSizes(present, bins[present])
    small = sizes < SMALL_CLASS
    bins = np.bincount(sizes[small])
    large, large_classes = np.unique(sizes[~small], return_counts=True)
    present = np.flatnonzero(bins)
    return ClassSizes(np.concatenate([present, large]), np.concatenate([bins[present], large_classes]))
