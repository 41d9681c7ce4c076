"""Lost columns: quasi-identifiers with next to no information left in a release."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import compress, product
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.recoding import NOT_RELEASED
from PETWorks.counting.counts import Integers
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.release import Release
from PETWorks.measures.classes import Mask
from PETWorks.tables.cells import SUPPRESSED

MAX_COARSE_NODES = 500
MOST_ON_TOP = 9  # of 10 kept records: a column is lost if more of them have the top label of its hierarchy


def tells_a_value(labels: Iterable[str | None], top: str | None) -> Mask:
    """Mask of the labels with information: those that are neither missing nor `*` nor the top of the hierarchy."""
    return np.array([label not in (None, SUPPRESSED, top) for label in labels], np.bool_)


def is_lost(records: Integers, tells: Mask, on_top: int) -> bool:
    """Whether a column is lost: at most one value is left, or more than 90 % of the kept records have the top label.

    records   the number of kept records with each label; equal labels of several levels are one
    tells     mask of the labels that tell a value
    on_top    the number of kept records with the top label
    """
    values = int(np.count_nonzero(records[tells]))
    return values <= 1 or 10 * on_top > MOST_ON_TOP * int(records.sum())


def lost_columns(cube: DataCube, kept: Sequence[dict[str | None, int]]) -> tuple[str, ...]:
    """The quasi-identifiers that are lost; those with a single value in the input do not count.

    kept   for each quasi-identifier its labels and the number of kept records with each
    """
    lost = []
    for name, by_label in zip(cube.lattice.columns, kept, strict=True):
        if name in varying_columns(cube) and _is_lost(by_label, cube.view.hierarchies[name].levels[-1][0]):
            lost.append(name)
    return tuple(lost)


def _is_lost(by_label: dict[str | None, int], top: str | None) -> bool:
    on_top = sum(by_label.get(label, 0) for label in {top, SUPPRESSED} - {None})
    return is_lost(np.array([*by_label.values()], np.int64), tells_a_value(by_label, top), on_top)


def varying_columns(cube: DataCube) -> tuple[str, ...]:
    """The quasi-identifiers with more than one value in the input; missing and `*` are none."""
    columns = zip(cube.lattice.columns, cube.base.levels.values(), strict=True)
    return tuple(name for name, level in columns if _number_of_values(cube.on_level(name, level).values) > 1)


def _number_of_values(values: Collection[str | None]) -> int:
    return len(set(values) - {None, SUPPRESSED})


def lost_on_node(classes: NodeClasses, suppressed: Mask) -> tuple[str, ...]:
    """The columns that are lost on a node, with some classes suppressed."""
    kept = ~suppressed
    records = classes.records[kept]
    by_column: list[dict[str | None, int]] = []
    for name, level, codes in zip(classes.columns, classes.node, classes.codes(kept), strict=True):
        values = classes.cube.on_level(name, level).values
        by_column.append(_by_label(values, np.bincount(codes, records, len(values))))
    return lost_columns(classes.cube, by_column)


class RowsOnLevels(Protocol):
    """Distinct rows, each on its own levels.

    by_level   for each column and each level that is used, or NOT_RELEASED, the number of records with each value
    """

    @property
    def cube(self) -> DataCube:
        """The rows."""

    @property
    def rows(self) -> WeightedRows:
        """The distinct rows with their original values."""

    @property
    def by_level(self) -> list[dict[int, Integers]]:
        """The records with each value, by column and level."""


def lost_in_sweep(sweep: RowsOnLevels) -> tuple[str, ...]:
    """The columns that are lost if each distinct row is on its own node."""
    cube = sweep.cube
    by_column: list[dict[str | None, int]] = []
    for name, by_level in zip(cube.lattice.columns, sweep.by_level, strict=True):
        by_label: dict[str | None, int] = {}
        for level, records in by_level.items():
            if level != NOT_RELEASED:
                values = cube.on_level(name, level).values
                on_level = np.bincount(cube.codes_on_level(name, level), records, len(values))
                for label, number in _by_label(values, on_level).items():
                    by_label[label] = by_label.get(label, 0) + number
        by_column.append(by_label)
    return lost_columns(cube, by_column)


def unchanged_in_sweep(sweep: RowsOnLevels) -> tuple[str, ...]:
    """The columns in which every released cell is unchanged."""
    cube = sweep.cube
    unchanged = []
    for name, by_level in zip(cube.lattice.columns, sweep.by_level, strict=True):
        before = sweep.rows.columns[name].values
        is_changed = False
        for level, records in by_level.items():
            if level == NOT_RELEASED or is_changed:
                continue
            values = cube.on_level(name, level).values
            codes = cube.codes_on_level(name, level).tolist()
            is_changed = any(
                number and values[code] != value
                for number, code, value in zip(records.tolist(), codes, before, strict=True)
            )
        if not is_changed:
            unchanged.append(name)
    return tuple(unchanged)


def _by_label(values: Sequence[str | None], records: Integers) -> dict[str | None, int]:
    return {label: int(number) for label, number in zip(values, records.tolist(), strict=True) if number}


def lost_in_release(release: Release, columns: Iterable[str] | None = None) -> tuple[str, ...]:
    """The quasi-identifiers, or those of `columns`, that are lost in a written release.

    Without the original, columns whose labels are all the same count only if that label tells nothing.
    """
    suppressed = release.suppressed_records
    lost = []
    for name in release.quasi_identifiers if columns is None else columns:
        marginal = release.marginal(name)
        by_label = marginal.by_value
        if suppressed:  # records of all `*` are not kept
            by_label[SUPPRESSED] = by_label.get(SUPPRESSED, 0) - suppressed
            by_label = {label: number for label, number in by_label.items() if number}
        top = release.hierarchies[name].levels[-1][0] if name in release.hierarchies else None
        if release.has_original:
            varies = _number_of_values(release.original.marginal(name).values) > 1
        else:
            varies = len(by_label) != 1 or not tells_a_value(by_label, top).all()
        if varies and _is_lost(by_label, top):
            lost.append(name)
    return tuple(lost)


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
    tells         mask of those that tell something
    is_on_top     mask of those with the top label or `*`
    kept_up_to    the largest number of suppressed records with which the column is certainly not lost; -1 if none is
    always_lost   whether it is lost whatever records are suppressed, within the limit
    """

    counts: Integers
    tells: Mask
    is_on_top: Mask
    kept_up_to: int
    always_lost: bool

    @classmethod
    def of(cls, cube: DataCube, column: str, level: int, most: int) -> "_LevelCounts":
        """Count the values of a column on a level; at most `most` records may be suppressed."""
        known, top = cube.on_level(column, level), cube.view.hierarchies[column].top
        counts = np.asarray(known.counts, np.int64)
        tells = tells_a_value(known.values, top)
        is_on_top = ~tells & np.array([value is not None for value in known.values], np.bool_)
        records, with_value, below = int(counts.sum()), counts[tells], int(counts[~is_on_top].sum())
        other_values = int(with_value.sum()) - int(with_value.max(initial=0))
        # With s records suppressed, at worst none of those on the top: 10 (below - s) >= records - s must hold.
        kept_up_to = max(-1, min(other_values - 1, (10 * below - records) // MOST_ON_TOP))
        always_lost = np.count_nonzero(with_value) <= 1 or 10 * below < records - min(most, records)
        return cls(counts, tells, is_on_top, kept_up_to, bool(always_lost))

    def is_lost_without(self, suppressed: Integers) -> bool:
        """Whether the column is lost if this many records of each value are suppressed."""
        left = self.counts - suppressed
        return is_lost(left, self.tells, int(left[self.is_on_top].sum()))


class ColumnsOnNodes:
    """Tells which columns the nodes of a lattice lose, as sets of columns: numbers with a bit for each.

    all   the columns that count: those with more than one value in the input
    """

    def __init__(self, cube: DataCube, most: int) -> None:
        self._cube = cube
        columns = cube.lattice.columns
        self._levels = [
            [_LevelCounts.of(cube, name, level, most) for level in range(cube.view.hierarchies[name].height + 1)]
            for name in columns
        ]
        self.all = self.set_of(varying_columns(cube))

    def names(self, columns: int) -> tuple[str, ...]:
        """The names of a set of columns."""
        return tuple(compress(self._cube.lattice.columns, _bits(columns, len(self._levels))))

    def set_of(self, names: Iterable[str]) -> int:
        """The set of columns with these names."""
        columns = self._cube.lattice.columns
        return sum(1 << columns.index(name) for name in set(names))

    def lost(self, classes: NodeClasses, suppressed: Mask) -> int:
        """The columns that are lost on a node with some of its classes suppressed."""
        records = classes.records[suppressed]
        codes: list[Integers] = []

        def suppressed_of(index: int) -> Integers:
            if not codes:
                codes.extend(classes.codes(suppressed))
            values = len(self._levels[index][classes.node[index]].counts)
            return np.bincount(codes[index], records, values).astype(np.int64)

        return self.lost_without(classes.node, int(records.sum()), suppressed_of)

    def lost_without(self, node: Node, records: int, suppressed_of: Callable[[int], Integers]) -> int:
        """The columns that are lost on a node with this many records suppressed.

        suppressed_of   the number of suppressed records with each value of a column, given by index; only called where
                        the values of the column alone do not decide
        """
        lost = 0
        for index, level in enumerate(node):
            counts = self._levels[index][level]
            if self.all >> index & 1 and records > counts.kept_up_to:
                lost |= int(counts.is_lost_without(suppressed_of(index))) << index
        return lost

    def always_lost(self, lattice: Lattice, columns: int) -> NDArray[np.uint8]:
        """For each node, how many of these columns it loses whatever is suppressed."""
        by_column = [
            np.array([self.is_always_lost(index, level) and columns >> index & 1 for level in range(low, high + 1)])
            for index, (low, high) in enumerate(zip(lattice.low, lattice.high, strict=True))
        ]
        return reduce(np.add.outer, [numbers.astype(np.uint8) for numbers in by_column])

    def coarse_nodes(self, lattice: Lattice, kept: int) -> list[Node]:
        """The nodes, coarsest first, where these columns may be kept and all others are on their highest level.

        Where there are too many of them, only the coarsest one.
        """
        allowed = [
            [level for level in range(high, low - 1, -1) if not self.is_always_lost(index, level)]
            if kept >> index & 1
            else [high]
            for index, (low, high) in enumerate(zip(lattice.low, lattice.high, strict=True))
        ]
        if prod(map(len, allowed)) > MAX_COARSE_NODES:
            allowed = [levels[:1] for levels in allowed]
        return sorted(product(*allowed), key=sum, reverse=True)

    def is_always_lost(self, index: int, level: int) -> bool:
        """Whether a column, given by index, is lost on a level whatever is suppressed."""
        return bool(self.all >> index & 1) and self._levels[index][level].always_lost


def _bits(columns: int, number: int) -> list[bool]:
    return [bool(columns >> index & 1) for index in range(number)]
