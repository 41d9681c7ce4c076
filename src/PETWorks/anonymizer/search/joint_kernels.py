"""Loops over the classes of a node and over finer nodes, compiled at first use.

They count classes, add up the loss of suppressing the small ones, and raise the lower bounds of finer nodes.

Types are explicit: signed and unsigned numbers together would become floats.
"""

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers
from PETWorks.counting.subsets.kernels import compile_lazily

GEOMETRIC, ARITHMETIC, SUM, MAXIMUM = range(4)  # how the losses of columns become one number
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, and its multiples are far apart


@compile_lazily
def nearest_start(levels: Integers, rows: Integers, number: int, node: Integers) -> int:
    """The index of the smallest of the first `number` starts that are coarser than a node in no column."""
    nearest = np.int64(0)
    for start in range(1, number):
        if rows[start] < rows[nearest]:
            column = 0
            while column < len(node) and levels[start, column] <= node[column]:
                column += 1
            if column == len(node):
                nearest = start
    return nearest


@compile_lazily
def count_classes(
    keys: Codes,
    weights: Integers,
    kept: int,
    shifts: Codes,
    masks: Codes,
    lifts: Codes,
    lift_starts: Integers,
    slot_bits: int,
    slots: Codes,
    new_keys: Codes,
    new_weights: Integers,
) -> int:
    """Lift some columns of keys (given by shift, mask and new codes), and merge equal keys.

    `kept` has the bits of the unchanged columns; `slots` is the memory for a hash table with at least twice as many
    slots as there are keys. Returns the number of keys left.
    """
    size = np.int64(1) << np.int64(slot_bits)
    last = np.uint64(size - 1)
    down = np.uint64(64 - slot_bits)
    for slot in range(size):
        slots[slot] = 0
    number = np.int64(0)
    for row in range(len(keys)):
        key = keys[row] & kept
        for column in range(len(shifts)):
            code = np.int64(keys[row] >> shifts[column] & masks[column])
            key |= lifts[lift_starts[column] + code] << shifts[column]
        slot = key * HASH_FACTOR >> down
        while slots[slot] and new_keys[slots[slot] - 1] != key:
            slot = slot + np.uint64(1) & last
        if slots[slot]:
            new_weights[slots[slot] - 1] += weights[row]
        else:
            new_keys[number], new_weights[number] = key, weights[row]
            number += 1
            slots[slot] = number
    return number


@compile_lazily
def judge_sizes(
    keys: Codes,
    weights: Integers,
    shifts: Codes,
    masks: Codes,
    values: NDArray[np.float64],
    value_starts: Integers,
    needed: Integers,
    suppressed: Integers,
    added: NDArray[np.float64],
) -> None:
    """Add, for each needed size, ascending, the number of records in smaller classes and the loss of suppressing them.

    `values` is the loss added by suppressing a record, by column and code; `added` is by size and column.
    """
    for row in range(len(keys)):
        weight = weights[row]
        if weight >= needed[-1]:
            continue
        first = 0
        while weight >= needed[first]:
            first += 1
        suppressed[first] += weight
        for column in range(len(shifts)):
            code = np.int64(keys[row] >> shifts[column] & masks[column])
            added[first, column] += weight * values[value_starts[column] + code]
    for size in range(1, len(needed)):
        suppressed[size] += suppressed[size - 1]
        for column in range(len(shifts)):
            added[size, column] += added[size - 1, column]


@compile_lazily
def raise_finer(
    bounds: NDArray[np.float64],
    within: NDArray[np.int8],
    closed: int,
    strides: Integers,
    levels: Integers,
    thresholds: Integers,
    least: Integers,
    parts: NDArray[np.float64],
    is_known: NDArray[np.bool_],
    aggregate: int,
) -> None:
    """Raise, for some thresholds, the bounds of a node and all finer ones, and the indices of their least limits.

    Bounds and indices are by threshold and node; closed nodes are skipped. `levels` are those of the node relative to
    the lowest ones. `parts` is the lower bound on the loss of each column on each level, for the thresholds where it
    `is_known`. The index of a node is the sum of its levels, each times the stride of its column.
    """
    last = len(levels) - 1
    level = np.zeros(len(levels), np.int64)
    combined = np.zeros(len(levels))  # the loss of the columns before each one
    if aggregate == GEOMETRIC:
        combined[0] = 1.0
    elif aggregate == MAXIMUM:
        combined[0] = -np.inf
    for number in range(len(thresholds)):
        threshold = thresholds[number]
        raises = is_known[number]
        level[:] = 0
        first, column = np.int64(0), 0
        while column >= 0:
            while column < last:
                part = parts[number, column, level[column]]
                if aggregate == GEOMETRIC:
                    combined[column + 1] = combined[column] * part
                elif aggregate == MAXIMUM:
                    combined[column + 1] = max(combined[column], part)
                else:
                    combined[column + 1] = combined[column] + part
                column += 1
            for last_level in range(levels[last] + 1):
                node = first + last_level
                if within[threshold, node] >= closed:
                    continue
                if within[threshold, node] < least[number]:
                    within[threshold, node] = least[number]
                if raises:
                    part = parts[number, last, last_level]
                    if aggregate == GEOMETRIC:
                        loss = (combined[last] * part) ** (1 / len(levels)) - 1
                    elif aggregate == MAXIMUM:
                        loss = max(combined[last], part)
                    else:
                        loss = combined[last] + part
                        if aggregate == ARITHMETIC:
                            loss = loss / len(levels)
                    if loss > bounds[threshold, node]:
                        bounds[threshold, node] = loss
            column = last - 1
            while column >= 0 and level[column] == levels[column]:
                first -= level[column] * strides[column]
                level[column] = 0
                column -= 1
            if column >= 0:
                level[column] += 1
                first += strides[column]
