"""Batches of whole classes, and a kernel run over them."""

import os
from collections.abc import Callable, Iterator
from functools import reduce
from typing import TypeVar

import numpy as np

from PETWorks.counting.counts import ClassValues

Summary = TypeVar("Summary")
Batch = TypeVar("Batch")

CELLS_PER_BATCH = 1 << 17  # what a kernel works on stays in the cache
THREADS = min(os.cpu_count() or 1, 8)


def folded(
    kernel: Callable[[Batch], Summary],
    merge: Callable[[Summary, Summary], Summary],
    batches: Iterator[Batch],
    cells: int,
) -> Summary:
    """What the kernel returns for all batches, merged; on several threads where there are several."""
    if cells <= CELLS_PER_BATCH:
        return reduce(merge, map(kernel, batches))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(THREADS) as pool:
        return reduce(merge, pool.map(kernel, batches))


def batches_of(classes: ClassValues) -> Iterator[ClassValues]:
    """Cut the classes into batches of whole classes."""
    cell_ends = np.append(classes.starts, len(classes.values))
    first, last = 0, len(classes.sizes)
    while first < last or last == 0:
        end = int(np.searchsorted(cell_ends, cell_ends[first] + CELLS_PER_BATCH, side="right")) - 1
        end = min(max(end, first + 1), last)
        cells = slice(cell_ends[first], cell_ends[end])
        yield ClassValues(
            classes.sizes[first:end],
            classes.starts[first:end] - cell_ends[first],
            classes.values[cells],
            classes.counts[cells],
            None if classes.people is None else classes.people[first:end],
        )
        if last == 0:
            return
        first = end
