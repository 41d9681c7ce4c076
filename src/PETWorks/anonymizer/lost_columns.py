"""Columns that a release loses: at most one value is left, or more than 90 % of the kept records have the top label."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import compress, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.rows import Ground, NodeClasses
from PETWorks.counting.counts import Integers
from PETWorks.measures.classes import Mask
from PETWorks.tables.cells import SUPPRESSED

MOST_ON_TOP = 9  # of 10 kept records


def is_lost(values: int, on_top: int, records: int) -> bool:
    """Whether a column is lost, given the number of its values, missing and `*` being none, in these kept records.

    on_top   the number of the kept records with the top label or `*`
    """
    return values <= 1 or 10 * on_top > MOST_ON_TOP * records


@dataclass(frozen=True)
class Keeping:
    """The columns that a release keeps, as sets of columns.

    demanded   those that it may not lose
    wanted     those that it keeps if that costs little
    """

    demanded: int = 0
    wanted: int = 0


@dataclass(frozen=True, eq=False)
class _LevelCounts:
    """The values of a column on a level.

    counts        the number of records of each
    is_value      mask of those that are neither missing nor `*`
    is_on_top     mask of those with the top label or `*`
    kept_up_to    the largest number of suppressed records with which the column is certainly not lost; -1 if none is
    always_lost   whether it is lost whatever records are suppressed, within the limit
    """

    counts: Integers
    is_value: Mask
    is_on_top: Mask
    kept_up_to: int
    always_lost: bool

    @classmethod
    def of(cls, ground: Ground, column: str, level: int, most: int) -> "_LevelCounts":
        """Count the values of a column on a level; at most `most` records may be suppressed."""
        known, top = ground.on_level(column, level), ground.view.hierarchies[column].top
        counts = np.asarray(known.counts, np.int64)
        is_value = np.array([value not in (None, SUPPRESSED) for value in known.values], np.bool_)
        is_on_top = np.array([value in (top, SUPPRESSED) for value in known.values], np.bool_)
        records, with_value, below = int(counts.sum()), counts[is_value], int(counts[~is_on_top].sum())
        other_values = int(with_value.sum()) - int(with_value.max(initial=0))
        # With s records suppressed, at worst none of those on the top: 10 (below - s) >= records - s must hold.
        kept_up_to = max(-1, min(other_values - 1, (10 * below - records) // MOST_ON_TOP))
        always_lost = np.count_nonzero(with_value) <= 1 or 10 * below < records - min(most, records)
        return cls(counts, is_value, is_on_top, kept_up_to, bool(always_lost))

    def is_lost_without(self, suppressed: Integers) -> bool:
        """Whether the column is lost if this many records of each value are suppressed."""
        left = self.counts - suppressed
        return is_lost(
            int(np.count_nonzero(left[self.is_value])), int(left[self.is_on_top].sum()), int(left.sum())
        )


class ColumnsOnNodes:
    """Tells which columns the nodes of a lattice lose, as sets of columns: numbers with a bit for each.

    all   the columns that count: those that are not lost in the input already
    """

    def __init__(self, ground: Ground, most: int) -> None:
        self._ground = ground
        columns = ground.lattice.columns
        self._levels = [
            [_LevelCounts.of(ground, name, level, most) for level in range(ground.view.hierarchies[name].height + 1)]
            for name in columns
        ]
        self.all = 0
        for index, levels in enumerate(self._levels):
            if not levels[0].is_lost_without(np.zeros_like(levels[0].counts)):
                self.all |= 1 << index

    def names(self, columns: int) -> tuple[str, ...]:
        """The names of a set of columns."""
        return tuple(compress(self._ground.lattice.columns, _bits(columns, len(self._levels))))

    def set_of(self, names: Iterable[str]) -> int:
        """The set of columns with these names."""
        columns = self._ground.lattice.columns
        return sum(1 << columns.index(name) for name in set(names))

    def lost(self, classes: NodeClasses, suppressed: Mask) -> int:
        """The columns that are lost on a node with some of its classes suppressed."""
        is_any = bool(suppressed.any())
        records = classes.records[suppressed] if is_any else None
        number = 0 if records is None else int(records.sum())
        lost, codes = 0, None
        for index, level in enumerate(classes.node):
            counts = self._levels[index][level]
            if number <= counts.kept_up_to or not self.all >> index & 1:
                continue
            if records is None:
                gone = np.zeros_like(counts.counts)
            else:
                codes = classes.codes(suppressed) if codes is None else codes
                gone = np.bincount(codes[index], records, len(counts.counts)).astype(np.int64)
            lost |= int(counts.is_lost_without(gone)) << index
        return lost

    def always_lost(self, lattice: Lattice, columns: int) -> NDArray[np.uint8]:
        """For each node, how many of these columns it loses whatever is suppressed."""
        by_column = [
            np.array([self.is_always_lost(index, level) and columns >> index & 1 for level in range(low, high + 1)])
            for index, (low, high) in enumerate(zip(lattice.low, lattice.high, strict=True))
        ]
        return reduce(np.add.outer, [numbers.astype(np.uint8) for numbers in by_column])

    def is_always_lost(self, index: int, level: int) -> bool:
        """Whether a column, given by index, is lost on a level whatever is suppressed."""
        return bool(self.all >> index & 1) and self._levels[index][level].always_lost


MAX_TRIED = 500  # combinations of levels of the columns to keep


def largest_classes(ground: Ground, columns: ColumnsOnNodes, kept: int, most: int) -> int | None:
    """The largest size that every class can have where these columns are kept; None if they cannot be kept.

    All other columns are on their highest level, and at most `most` records are suppressed.
    """
    lattice = ground.lattice
    allowed = [
        [level for level in range(low, high + 1) if not columns.is_always_lost(index, level)]
        if kept >> index & 1
        else [high]
        for index, (low, high) in enumerate(zip(lattice.low, lattice.high, strict=True))
    ]
    if prod(map(len, allowed)) > MAX_TRIED:
        allowed = [levels[-1:] for levels in allowed]
    sizes = [_largest_size(ground.at(node), columns, kept, most) for node in product(*allowed)]
    return max((size for size in sizes if size is not None), default=None)


def _largest_size(classes: NodeClasses, columns: ColumnsOnNodes, kept: int, most: int) -> int | None:
    for size in np.unique(classes.sizes)[::-1].tolist():
        suppressed = classes.sizes < size
        if classes.records[suppressed].sum() <= most and not columns.lost(classes, suppressed) & kept:
            return int(size)
    return None


def _bits(columns: int, number: int) -> list[bool]:
    return [bool(columns >> index & 1) for index in range(number)]
