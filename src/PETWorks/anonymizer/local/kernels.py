"""Loops over the rows of a node, compiled at first use."""

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers
from PETWorks.counting.subsets.kernels import compile_lazily
from PETWorks.measures.classes import Mask


@compile_lazily
def rows_in_full_bins(
    tables: NDArray[np.uint32],
    taken: Integers,
    first: Integers,
    is_left: Mask,
    weights: Integers,
    least: int,
    sums: NDArray[np.uint32],
    bins: NDArray[np.uint32],
    found: Integers,
) -> int:
    """Find the rows whose hash sum falls into bins with at least `least` records, by its first and last bits.

    Return their number.

    tables   hash sums to add up, of which the rows `taken` count
    first    for each row its column in the tables
    is_left  mask of the rows that count
    sums     overwritten by the hash sum of each row
    bins     zero on entry and on return; their number is a power of two
    found    overwritten by the rows found
    """
    bits = 0
    while np.int64(1) << np.int64(bits) < len(bins):
        bits += 1
    shift = np.uint32(32 - bits)
    for row in range(len(first)):
        sums[row] = np.uint32(0)
    for table in taken:
        for row in range(len(first)):
            sums[row] += tables[table, first[row]]
    for row in range(len(first)):
        if is_left[row]:
            bins[sums[row] >> shift] += np.uint32(weights[row])
    by_first_bits = 0
    for row in range(len(first)):
        if is_left[row] and bins[sums[row] >> shift] >= least:
            found[by_first_bits] = row
            by_first_bits += 1
    for row in range(len(first)):
        if is_left[row]:
            bins[sums[row] >> shift] = np.uint32(0)
    # The last bits of the sums of these rows tell most of those apart that have the same first bits by chance.
    last = np.uint32(len(bins) - 1)
    for row in found[:by_first_bits]:
        bins[sums[row] & last] += np.uint32(weights[row])
    number = 0
    for index in range(by_first_bits):
        row = found[index]
        if bins[sums[row] & last] >= least:
            found[number] = row
            number += 1
        else:  # counted no more, so that its bin is empty on return
            bins[sums[row] & last] = np.uint32(0)
    for index in range(number):
        bins[sums[found[index]] & last] = np.uint32(0)
    return number


def few_rows_in_full_bins(
    tables: NDArray[np.uint32],
    taken: Integers,
    first: Integers,
    is_left: Mask,
    weights: Integers,
    least: int,
    _sums: NDArray[np.uint32],
    bins: NDArray[np.uint32],
    found: Integers,
) -> int:
    """Find the same rows without the compiler."""
    shift = np.uint32(32 - (len(bins) - 1).bit_length())
    sums = tables[taken][:, first].sum(axis=0, dtype=np.uint32)
    rows = np.flatnonzero(is_left)
    for bin_of_row in (sums >> shift, sums & np.uint32(len(bins) - 1)):
        counts = np.bincount(bin_of_row[rows], weights[rows], minlength=len(bins))
        rows = rows[counts[bin_of_row[rows]] >= least]
    found[: len(rows)] = rows
    return len(rows)
