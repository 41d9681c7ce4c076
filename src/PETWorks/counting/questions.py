"""Questions about the classes of a table, as data, so that an engine can answer many of them in one pass."""

import os
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

import numpy as np

from PETWorks.counting.counts import ClassCodes, ClassSizes, ClassValues, Grouping

Summary = TypeVar("Summary")
Batch = TypeVar("Batch")
Merge = Callable[[Summary, Summary], Summary]

CELLS_PER_BATCH = 1 << 17  # so that the data of a kernel stays in the CPU cache
THREADS = min(os.cpu_count() or 1, 8)


def fold_batches(
    kernel: Callable[[Batch], Summary],
    merge: Merge[Summary],
    batches: Iterator[Batch],
    cells: int,
) -> Summary:
    """Run a kernel over all batches and merge the answers; on several threads if there are many cells."""
    if cells <= CELLS_PER_BATCH:
        return reduce(merge, map(kernel, batches))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(THREADS) as pool:
        return reduce(merge, pool.map(kernel, batches))


def fold_parts(kernel: Callable[[Batch], Summary], merge: Merge[Summary], parts: Iterator[Batch]) -> Summary:
    """Run a kernel over parts on several threads and merge the answers; few parts are in memory at any time."""
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[Summary]] = deque()
    answers: list[Summary] = []
    with ThreadPoolExecutor(THREADS) as pool:
        for part in parts:
            waiting.append(pool.submit(kernel, part))
            if len(waiting) > THREADS:
                answers = [reduce(merge, [*answers, waiting.popleft().result()])]
        return reduce(merge, [*answers, *(future.result() for future in waiting)])


def split_into_batches(classes: ClassValues) -> Iterator[ClassValues]:
    """Cut the classes into batches of whole classes."""
    cell_ends = np.append(classes.starts, len(classes.values))
    first, last = 0, len(classes.sizes)
    if last == 0:
        yield classes
    while first < last:
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
        first = end


@dataclass(frozen=True, eq=False)
class Question(Generic[Summary]):
    """A question about classes that can be answered part by part, each with complete classes.

    key        equal for equal questions
    table      the table that the question is about
    grouping   the columns that define the classes
    of_part    computes the answer of a part: called with `WeightedRows`, and with those that count people if the
               table is in memory
    merge      merges the answers of two parts
    sensitive  the column whose values are counted in each class
    people     a table with the same classes that counts people, if records of one person count once
    limit      a threshold; it only adds the number of classes and records beyond it to the answer
    others     further columns that are counted with the classes
    once       whether no other question needs these columns, so that their counts need not be kept
    """

    key: Hashable
    table: Any
    grouping: Grouping
    of_part: Callable[[Any, Any], Summary]
    merge: Merge[Summary]
    sensitive: str | None = None
    people: Any = None
    limit: Hashable = None
    others: tuple[str, ...] = ()
    once: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to count, with those of the classes first."""
        return (*self.grouping.columns, *self.others, *(() if self.sensitive is None else (self.sensitive,)))


def class_sizes_question(table: Any, grouping: Grouping) -> Question[ClassSizes]:
    """Ask for the histogram of class sizes."""
    key = ("class sizes", id(table), grouping)
    return Question(key, table, grouping, lambda rows, _: rows.class_sizes(grouping), ClassSizes.merge)


def smallest_class_question(table: Any, grouping: Grouping) -> Question[int | None]:
    """Ask for the size of the smallest class."""
    key = ("smallest class", id(table), grouping)
    return Question(key, table, grouping, lambda rows, _: rows.smallest_class(grouping), _smaller)


def set_aside_question(table: Any, grouping: Grouping) -> Question[int]:
    """Ask for the number of records that are set aside from the classes."""
    key = ("rows aside", id(table), grouping)
    return Question(key, table, grouping, lambda rows, _: rows.rows_aside(grouping), int.__add__)


def fold_question(
    name: Hashable,
    table: Any,
    grouping: Grouping,
    sensitive: str,
    kernel: Callable[[ClassValues], Summary],
    merge: Merge[Summary],
    *,
    people: Any = None,
    limit: Hashable = None,
) -> Question[Summary]:
    """Ask for the answer of a kernel to the classes, with the counts of a sensitive attribute in each."""
    return Question(
        (name, id(table), grouping, sensitive),
        table,
        grouping,
        lambda rows, counted: rows.fold(grouping, sensitive, kernel, merge, counted),
        merge,
        sensitive,
        people,
        limit,
    )


def fold_codes_question(
    name: Hashable,
    table: Any,
    grouping: Grouping,
    kernel: Callable[[ClassCodes], Summary],
    merge: Merge[Summary],
) -> Question[Summary]:
    """Ask for the answer of a kernel to the classes, with the values of each."""
    key = (name, id(table), grouping)
    return Question(key, table, grouping, lambda rows, _: rows.fold_codes(grouping, kernel, merge), merge)


def _smaller(first: int | None, second: int | None) -> int | None:
    return min((size for size in (first, second) if size is not None), default=None)
