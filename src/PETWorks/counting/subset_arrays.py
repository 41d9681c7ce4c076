"""The loops of `subset_kernels` as NumPy calls: two to four times slower, but ready without loading a compiler.

For small tables, whose subsets are counted in less time than it takes to load Numba. The functions have the
arguments and results of those in `subset_kernels`, which explains keys and entries.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers, run_starts

WEIGHT = np.uint32  # no table has more records


def entries_needed(weights: Codes, weight_bits: int) -> int:
    """How many entries these weights take."""
    most = max(1, (1 << weight_bits) - 1)
    return int(_pieces(weights, most).sum())


def _pieces(weights: Codes, most: int) -> Integers:
    """How many entries each weight takes, if one entry holds at most so many records."""
    return -(-weights.astype(np.int64) // most)


def project(keys: Codes, weights: Codes, lows: Integers, widths: Integers, weight_bits: int, entries: Codes) -> None:
    """Take columns out of keys, the leftmost first (`lows` and `widths`: their bits), and write them as entries."""
    number = entries.dtype.type if keys.dtype.itemsize <= entries.dtype.itemsize else keys.dtype.type
    rest: Codes = keys.astype(number)
    for low, width in zip(lows.tolist(), widths.tolist(), strict=True):
        above = rest >> number(low + width) << number(low)
        rest &= number((1 << low) - 1)
        rest |= above
    most = max(1, (1 << weight_bits) - 1)
    if len(entries) == len(keys):
        np.left_shift(rest, number(weight_bits), out=entries, casting="unsafe")
        if weight_bits:
            entries |= weights.astype(entries.dtype)
        return
    pieces = _pieces(weights, most)
    entries[:] = np.repeat(rest, pieces).astype(entries.dtype) << entries.dtype.type(weight_bits)
    if weight_bits:
        parts = np.full(len(entries), most, np.int64)
        parts[np.cumsum(pieces) - 1] = weights - (pieces - 1) * most
        entries |= parts.astype(entries.dtype)


def fold(entries: Codes, value_bits: int, weight_bits: int, weights: Codes) -> tuple[int, int, int, int, int, int]:
    """Turn sorted entries into distinct keys, in place, with their weights apart; and count.

    Returns the number of distinct keys and the weight of the heaviest; then the number of classes and of those with
    one record, the size of the smallest, and how many records have the most frequent value of their class.
    """
    number = entries.dtype.type
    keys: Codes = entries >> number(weight_bits) if weight_bits else entries
    starts = run_starts(keys)
    distinct: Codes = keys[starts]
    if weight_bits:
        own = _summed((entries & number((1 << weight_bits) - 1)).astype(WEIGHT, copy=False), starts)
    else:
        own = _steps(starts, len(entries)).astype(WEIGHT)
    entries[: len(distinct)] = distinct
    weights[: len(distinct)] = own
    sizes = commonest = own
    if value_bits:
        first = run_starts(distinct >> number(value_bits))
        sizes, commonest = _summed(own, first), np.maximum.reduceat(own, first)
    uniques = np.count_nonzero(sizes == 1)
    return len(distinct), int(own.max()), len(sizes), int(uniques), int(sizes.min()), int(commonest.sum())


def _summed(numbers: Codes, starts: Integers) -> Codes:
    """The sum of each run. Differences of running sums are faster than `reduceat`, and right if those overflow."""
    before = np.empty(len(numbers) + 1, WEIGHT)
    before[0] = 0
    np.cumsum(numbers, out=before[1:])
    return _steps(before[starts], before[-1])


def _steps(ascending: NDArray[Any], end: int) -> NDArray[Any]:
    """The difference between each number and the next, the end being the last."""
    steps = np.empty_like(ascending)
    np.subtract(ascending[1:], ascending[:-1], out=steps[:-1])
    steps[-1:] = end - ascending[-1:]
    return steps
