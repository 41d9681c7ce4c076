"""Subsets of columns, what is counted for each of them, and the order in which they are counted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np

FREE = 6  # a family has up to 64 subsets

Subset = frozenset[str]


class SubsetCounts(NamedTuple):
    """What is counted for one subset of the columns.

    uniques          classes with one record
    smallest_class   the size of the smallest class
    right_guesses    for each sensitive attribute, how many records have the most frequent value of their class
    gains            for each worth of the values of each of them, the units that the best guesses gain
    """

    classes: int
    uniques: int
    smallest_class: int
    right_guesses: tuple[int, ...] = ()
    gains: tuple[int, ...] = ()

    def merged(self, other: Self) -> "SubsetCounts":
        """The counts of two parts of a table together; the parts have no class in common."""
        return SubsetCounts(
            self.classes + other.classes,
            self.uniques + other.uniques,
            min(self.smallest_class, other.smallest_class),
            tuple(one + more for one, more in zip(self.right_guesses, other.right_guesses, strict=True)),
            tuple(one + more for one, more in zip(self.gains, other.gains, strict=True)),
        )


CountsBySubset = dict[Subset, SubsetCounts]
Worths = Mapping[str, Any]  # for some sensitive attributes one or several worths of each code, in whole units: by rows


def merged_counts(one: CountsBySubset | None, other: CountsBySubset) -> CountsBySubset:
    """The counts of the same subsets in two parts of a table; the parts have no class in common."""
    if one is None:
        return other
    return {subset: one[subset].merged(counts) for subset, counts in other.items()}


@dataclass(frozen=True)
class Family:
    """Subsets that have all of the fixed columns and any of the free ones."""

    fixed: tuple[str, ...]
    free: tuple[str, ...]

    def subsets(self, sizes: Sequence[int]) -> list[Subset]:
        """The subsets that have one of the sizes."""
        return [
            frozenset((*self.fixed, *chosen))
            for size in range(len(self.free) + 1)
            if len(self.fixed) + size in sizes
            for chosen in combinations(self.free, size)
        ]


def families(lead: str, others: Sequence[str], sizes: Sequence[int]) -> Iterator[Family]:
    """All subsets of these sizes that contain the lead, in families."""
    middle = max(0, len(others) - FREE)
    for fixed in range(1, middle + 2):
        if any(fixed <= size <= fixed + len(others) - middle for size in sizes):
            for chosen in combinations(others[:middle], fixed - 1):
                yield Family((lead, *chosen), tuple(others[middle:]))


def in_order(columns: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """The known columns, the one that divides the records best first."""
    return sorted(known, key=lambda name: float((columns[name].counts.astype(np.float64) ** 2).sum()))


def leads(
    columns: Mapping[str, Any], known: Sequence[str], sizes: Sequence[int], finished: Callable[[Subset], bool]
) -> Iterator[tuple[str, list[str], list[Family]]]:
    """Each lead with unfinished families: the lead, the columns that come after it, and these families."""
    order = in_order(columns, known)
    for place, lead in enumerate(order):
        others = order[place + 1 :]
        unfinished = [
            family for family in families(lead, others, sizes) if not all(map(finished, family.subsets(sizes)))
        ]
        if unfinished:
            yield lead, others, unfinished
