"""Subsets of columns, the counts of each, and the order in which they are counted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np

FREE = 6  # a family has up to 64 subsets

Subset = frozenset[str]


class SubsetCounts(NamedTuple):
    """The counts of one subset of the columns.

    uniques          classes with one record
    smallest_class   the size of the smallest class
    right_guesses    for each sensitive attribute, the number of records with the most frequent value of their class
    gains            for each worth of each sensitive attribute, the units that the best guesses gain
    """

    classes: int
    uniques: int
    smallest_class: int
    right_guesses: tuple[int, ...] = ()
    gains: tuple[int, ...] = ()

    def merged(self, other: Self) -> "SubsetCounts":
        """Add the counts of two parts of a table that have no class in common."""
        return SubsetCounts(
            self.classes + other.classes,
            self.uniques + other.uniques,
            min(self.smallest_class, other.smallest_class),
            tuple(mine + more for mine, more in zip(self.right_guesses, other.right_guesses, strict=True)),
            tuple(mine + more for mine, more in zip(self.gains, other.gains, strict=True)),
        )


CountsBySubset = dict[Subset, SubsetCounts]
Worths = Mapping[str, Any]  # for some sensitive attributes, rows with the worth of each code, in integer units


def merge_counts(first: CountsBySubset | None, second: CountsBySubset) -> CountsBySubset:
    """Add the counts of the same subsets in two parts of a table that have no class in common."""
    if first is None:
        return second
    return {subset: first[subset].merged(counts) for subset, counts in second.items()}


@dataclass(frozen=True)
class Family:
    """The subsets with all of the fixed columns and any of the free ones."""

    fixed: tuple[str, ...]
    free: tuple[str, ...]

    def subsets(self, sizes: Sequence[int]) -> list[Subset]:
        """The subsets of the given sizes."""
        return [
            frozenset((*self.fixed, *chosen))
            for size in range(len(self.free) + 1)
            if len(self.fixed) + size in sizes
            for chosen in combinations(self.free, size)
        ]


def families(lead: str, later: Sequence[str], sizes: Sequence[int]) -> Iterator[Family]:
    """The families of all subsets of these sizes that contain the lead."""
    middle = max(0, len(later) - FREE)
    for fixed in range(1, middle + 2):
        if any(fixed <= size <= fixed + len(later) - middle for size in sizes):
            for chosen in combinations(later[:middle], fixed - 1):
                yield Family((lead, *chosen), tuple(later[middle:]))


def order_columns(columns: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """The known columns, with the one that divides the records most evenly first."""
    return sorted(known, key=lambda name: float((columns[name].counts.astype(np.float64) ** 2).sum()))


def leads(
    columns: Mapping[str, Any], known: Sequence[str], sizes: Sequence[int], finished: Callable[[Subset], bool]
) -> Iterator[tuple[str, list[str], list[Family]]]:
    """Each lead that has unfinished families, with the columns after it, and these families."""
    order = order_columns(columns, known)
    for index, lead in enumerate(order):
        later = order[index + 1 :]
        unfinished = [
            family for family in families(lead, later, sizes) if not all(map(finished, family.subsets(sizes)))
        ]
        if unfinished:
            yield lead, later, unfinished
