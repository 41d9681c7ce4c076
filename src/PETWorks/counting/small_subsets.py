"""Counts for subsets of the columns of a small table: its records are sorted anew for each subset.

That takes less time than loading the compiler, whose loops (`subset_kernels`) are several times as fast.
"""

import sys
from collections.abc import Iterable, Sequence

import numpy as np

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import Field, pack
from PETWorks.counting.subset_families import CountsBySubset, Subset, SubsetCounts, Worths
from PETWorks.counting.subset_keys import NO_VALUE, Rows

COMPILED_FROM = 1 << 25  # records times subsets


def is_small(records: int, subsets: int) -> bool:
    """Whether so many subsets of so many records are counted faster without the compiler."""
    return records * subsets < COMPILED_FROM and "PETWorks.counting.subset_kernels" not in sys.modules


def count_small(rows: Rows, subsets: Iterable[Subset], sensitive: Sequence[str], worths: Worths) -> CountsBySubset:
    """The counts of these subsets."""
    records = rows
    if rows.weights.max() > 1:
        records = rows.taken(tuple(rows.fields), np.repeat(np.arange(len(rows)), rows.weights))
    values = [(records.fields[name], worths.get(name)) for name in sensitive]
    return {subset: _counts([records.fields[name] for name in sorted(subset)], values) for subset in subsets}


def _counts(known: Sequence[Field], values: Sequence[tuple[Field, Integers | None]]) -> SubsetCounts:
    """The counts of one subset, whose columns these are."""
    keys = pack(known, room=max((value.bits for value, _ in values), default=0)).keys
    by_value = [_classes(keys, *value) for value in values or ((NO_VALUE, None),)]
    sizes, *_ = by_value[0]
    right_guesses = tuple(int(commonest.sum()) for _, commonest, _ in by_value) if values else ()
    gains = tuple(gain for *_, own in by_value for gain in own)
    return SubsetCounts(len(sizes), int(np.count_nonzero(sizes == 1)), int(sizes.min()), right_guesses, gains)


def _classes(keys: Codes, value: Field, worth: Integers | None) -> tuple[Integers, Integers, list[int]]:
    """The size of each class, how many of its records have its most frequent value, and what the best guesses gain."""
    worths: Iterable[Integers] = [] if worth is None else worth
    bits = keys.dtype.type(value.bits)
    keys = keys << bits
    if value.bits:
        keys |= value.codes
    keys.sort()
    cells = run_starts(keys)
    if not bits:
        sizes = _lengths(cells, len(keys))
        return sizes, sizes, [int(sizes.sum() * own[0]) for own in worths]
    distinct = keys[cells]
    classes, lengths = run_starts(distinct >> bits), _lengths(cells, len(keys))
    values = (distinct & keys.dtype.type((1 << value.bits) - 1)).astype(np.int64)
    gains = [int(np.maximum.reduceat(lengths * own[values], classes).sum()) for own in worths]
    return _lengths(cells[classes], len(keys)), np.maximum.reduceat(lengths, classes), gains


def _lengths(starts: Integers, end: int) -> Integers:
    """The length of each run."""
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = end - starts[-1:]
    return lengths
