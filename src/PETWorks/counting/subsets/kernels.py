"""Loops over keys, compiled at first use; they release the GIL, so that other threads can run.

A key has bits for each column, those of a sensitive one last. An entry is a key followed by the number of its records;
without bits for that number, it is one record. A key with too many records for these bits has several entries.

Types are spelt out, because mixing signed and unsigned integers would give floats.
"""

from collections.abc import Callable
from functools import cache
from pickle import PickleError
from typing import Any

import numpy as np

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers

# Errors that Numba raises if its cache is damaged or cannot be written.
CACHE_ERRORS = (OSError, EOFError, ValueError, LookupError, AttributeError, ImportError, RuntimeError, PickleError)


def compile_lazily(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function at first use, and cache the result for other processes if the cache works."""

    @cache
    def compiled() -> tuple[Callable[..., Any], Callable[..., Any]]:
        """The function as the cache keeps it, and as it is compiled without a cache."""
        from numba import njit  # takes as long as a whole command

        plain = njit(nogil=True)(function)
        if plain is function:  # NUMBA_DISABLE_JIT
            return _interpret(function), _interpret(function)
        try:
            return njit(nogil=True, cache=True)(function), plain
        except CACHE_ERRORS:
            return plain, plain

    def call(*arguments: Any) -> Any:
        kept, plain = compiled()
        try:
            return kept(*arguments)
        except CACHE_ERRORS:
            return plain(*arguments)

    return call


def _interpret(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run a function without compiling it, and convert its results to Python numbers, as compiled functions do."""

    def call(*arguments: Any) -> Any:
        numbers = function(*arguments)
        if numbers is None:
            return None
        return tuple(map(int, numbers)) if isinstance(numbers, tuple) else int(numbers)

    return call


@compile_lazily
def entries_needed(weights: Codes, weight_bits: int) -> int:
    """The number of entries that these weights take."""
    most = max(1, (1 << weight_bits) - 1)
    needed = 0
    for weight in weights:
        needed += 1 if weight <= most else -(-np.int64(weight) // most)
    return needed


@compile_lazily
def project(keys: Codes, weights: Codes, lows: Integers, widths: Integers, weight_bits: int, entries: Codes) -> None:
    """Remove columns from keys, the leftmost first (`lows` and `widths`: their bits), and write the keys as entries."""
    most = max(1, (1 << weight_bits) - 1)
    row = 0
    for position in range(len(keys)):
        key = np.uint64(keys[position])
        for column in range(len(lows)):
            low, width = np.uint64(lows[column]), np.uint64(widths[column])
            key = (key >> low >> width << low) | (key & ((np.uint64(1) << low) - np.uint64(1)))
        key <<= np.uint64(weight_bits)
        weight = np.int64(weights[position])
        while weight > 0:
            part = weight if weight < most else most
            entries[row] = key if weight_bits == 0 else key | np.uint64(part)
            weight -= part
            row += 1


@compile_lazily
def sum_gains(keys: Codes, weights: Codes, value_bits: int, worth: Integers) -> int:
    """The sum over classes of the units that the best guess gains; keys are distinct and sorted."""
    mask = (np.uint64(1) << np.uint64(value_bits)) - np.uint64(1)
    total, best = 0, 0
    previous = np.uint64(0)
    for row in range(len(keys)):
        key = np.uint64(keys[row])
        class_key = key >> np.uint64(value_bits)
        if row > 0 and class_key != previous:
            total += best
            best = 0
        previous = class_key
        best = max(best, np.int64(weights[row]) * worth[np.int64(key & mask)])
    return total + best


@compile_lazily
def look_up(
    keys: Codes,
    weights: Codes,
    value_bits: int,
    modes: Codes,
    mode_count: int,
    numbers: Integers,
    by_size: Integers,
    by_ties: Integers,
    large: Integers,
) -> int:
    """Look the people of a first and a third table up in a second one; see `Lookups`. Keys are distinct and sorted.

    modes      whether each value is among the `mode_count` most frequent ones of the second table
    numbers    gets the counts: found (first and third table), replicated, certain (both), certain in both
    by_size    gets a row for each size of a class in the second table: products of counts, of both tables
    by_ties    the same for each number of most frequent values: their counts
    large      gets a row for each class that is too large for `by_size`: its size, and the products of both tables

    Codes of values are `value * 4 + table`. Returns the number of rows of `large`.
    """
    mask = (np.uint64(1) << np.uint64(value_bits)) - np.uint64(1)
    start, rows, large_rows = 0, len(keys), 0
    while start < rows:
        class_key = np.uint64(keys[start]) >> np.uint64(value_bits)
        end, first_size, second_size, third_size, highest, ties = start, 0, 0, 0, 0, 0
        while end < rows and np.uint64(keys[end]) >> np.uint64(value_bits) == class_key:
            table = np.int64(np.uint64(keys[end]) & np.uint64(3))
            weight = np.int64(weights[end])
            if table == 0:
                first_size += weight
            elif table == 2:
                third_size += weight
            else:
                second_size += weight
                if weight > highest:
                    highest, ties = weight, 1
                elif weight == highest:
                    ties += 1
            end += 1
        if second_size > 0:
            numbers[0] += first_size
            numbers[1] += third_size
            numbers[2] += first_size == 1 and second_size == 1
        product_first, product_third, row = 0, 0, start
        while row < end:
            value = np.int64((np.uint64(keys[row]) & mask) >> np.uint64(2))
            first, second, third = 0, 0, 0
            while row < end:
                code = np.int64(np.uint64(keys[row]) & mask)
                if code >> 2 != value:
                    break
                if code & 3 == 0:
                    first = np.int64(weights[row])
                elif code & 3 == 1:
                    second = np.int64(weights[row])
                else:
                    third = np.int64(weights[row])
                row += 1
            if second_size == 0:
                if modes[value]:
                    by_ties[mode_count, 0] += first
                    by_ties[mode_count, 1] += third
                continue
            if second == 0:
                continue
            product_first += first * second
            product_third += third * second
            if second == highest:
                by_ties[ties, 0] += first
                by_ties[ties, 1] += third
            if second == second_size:
                numbers[3] += first
                numbers[4] += third
                if first == first_size:
                    numbers[5] += first
        if product_first > 0 or product_third > 0:
            if second_size < len(by_size):
                by_size[second_size, 0] += product_first
                by_size[second_size, 1] += product_third
            else:
                large[large_rows, 0] = second_size
                large[large_rows, 1] = product_first
                large[large_rows, 2] = product_third
                large_rows += 1
        start = end
    return large_rows


@compile_lazily
def fold(entries: Codes, value_bits: int, weight_bits: int, weights: Codes) -> tuple[int, int, int, int, int, int]:
    """Merge sorted entries into distinct keys, in place, with their weights in a separate array, and count classes.

    Returns the number of distinct keys and the weight of the heaviest; then the number of classes and of those with
    one record, the size of the smallest, and the number of records with the commonest value of their class.
    """
    mask = (np.uint64(1) << np.uint64(weight_bits)) - np.uint64(1)
    distinct, heaviest, classes, uniques, smallest, hits = 0, 0, 0, 0, 1 << 62, 0
    size, commonest, weight = 0, 0, 0
    key = np.uint64(entries[0]) >> np.uint64(weight_bits)
    for row in range(len(entries) + 1):
        ended = row == len(entries)
        entry = np.uint64(0) if ended else np.uint64(entries[row])
        following = entry >> np.uint64(weight_bits)
        if ended or following != key:
            entries[distinct] = key
            weights[distinct] = weight
            distinct += 1
            heaviest = max(heaviest, weight)
            size += weight
            commonest = max(commonest, weight)
            weight = 0
            if ended or following >> np.uint64(value_bits) != key >> np.uint64(value_bits):
                classes += 1
                uniques += size == 1
                smallest = min(smallest, size)
                hits += commonest
                size, commonest = 0, 0
            key = following
        weight += 1 if weight_bits == 0 else np.int64(entry & mask)
    return distinct, heaviest, classes, uniques, smallest, hits
