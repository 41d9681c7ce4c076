"""Top-down splitting: classes are divided by one column and one level at a time, as long as all parts keep the rules.

All classes of a round are divided together. No node of the lattice is enumerated, and rules are tested only on classes
that would be released, so that any rule about classes will do.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local.sweep import Levels, Sweep
from PETWorks.anonymizer.objectives import TINY, ByColumn, Reals
from PETWorks.anonymizer.recoding import NOT_RELEASED
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers, weighted_sum
from PETWorks.counting.keys import Field, pack, rank_keys
from PETWorks.counting.memory.distinct_rows import RolledUpRows
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.measures.classes import Mask
from PETWorks.tables.arrays import arrow_integers

# Classes are divided where the gain per square root of the bits that this takes is largest: what is divided into many
# parts, or into equal ones, cannot be divided as often afterwards. On wide tables
# the gain alone loses more, and so does that per bit.
FEWEST_BITS = 0.05


@dataclass(frozen=True, eq=False)
class Partition:
    """Distinct rows in classes.

    of_row   for each distinct row its class, or NOT_RELEASED
    levels   for each class (row) the level of each column
    sweep    the release with these classes, if one was made, so that they keep the rules as they look
    """

    of_row: Integers
    levels: Levels
    sweep: Sweep | None = None

    @property
    def left(self) -> Integers:
        """The rows in no class."""
        return np.flatnonzero(self.of_row == NOT_RELEASED)

    def join(self, other: "Partition") -> "Partition":
        """The classes of both, which have no row in common."""
        moved = np.where(other.of_row == NOT_RELEASED, NOT_RELEASED, other.of_row + len(self.levels))
        return Partition(
            np.where(self.of_row == NOT_RELEASED, moved, self.of_row), np.concatenate([self.levels, other.levels])
        )


class ClassRules:
    """The rules about classes, for any groups of rows that would be released as classes."""

    def __init__(self, cube: DataCube, judge: Judge, least: int) -> None:
        self.cube, self.judge, self.least = cube, judge, least
        rows = cube.base.rows
        assert rows.weights is not None
        self.weights = rows.weights
        self.only_sizes = judge.only_sizes and rows.unit is None
        self._columns = {name: rows.columns[name] for name in rows.domains}
        self._missing = self._missing_values() if cube.view.grouping().incomplete_apart else None

    def _missing_values(self) -> list[NDArray[np.bool_]]:
        """For each column, level and value, whether it is missing there."""
        lattice = self.cube.lattice
        return [
            np.stack(
                [
                    self.cube.codes_on_level(name, level) == self.cube.on_level(name, level).code(None)
                    for level in range(high + 1)
                ]
            )
            for name, high in zip(lattice.columns, lattice.high, strict=True)
        ]

    def sizes(self, rows: Integers, group_of: Integers, groups: int) -> Integers:
        """The number of records in each group."""
        return np.bincount(group_of, self.weights[rows], groups).astype(np.int64)

    def passing(self, rows: Integers, group_of: Integers, sizes: Integers, levels: Callable[[], Levels]) -> Mask:
        """Mask of the groups that keep the rules; `levels`: those of each group. No group is empty."""
        passing = (sizes >= self.least) & ~self.judge.too_small(sizes) if self.only_sizes else sizes >= self.least
        if self.only_sizes or not passing.any():
            return passing
        if self._missing is not None:
            passing |= self._incomplete(rows, group_of, levels())
        tested = passing[group_of]
        if not tested.all():
            rows, group_of = rows[tested], (np.cumsum(passing) - 1)[group_of[tested]]
        passing[passing] = self._keep_rules(rows, group_of, int(np.count_nonzero(passing)))
        if self._missing is not None:
            passing |= self._incomplete(rows, group_of, levels())
        return passing

    def _incomplete(self, rows: Integers, group_of: Integers, levels: Levels) -> Mask:
        """Mask of the groups with a missing value, which no rule tests."""
        assert self._missing is not None
        some_row = np.zeros(len(levels), np.int64)
        some_row[group_of] = rows
        incomplete = np.zeros(len(levels), np.bool_)
        for index, (name, missing) in enumerate(zip(self.cube.lattice.columns, self._missing, strict=True)):
            incomplete |= missing[levels[:, index], self._columns[name].codes[some_row]]
        return incomplete

    def _keep_rules(self, rows: Integers, group_of: Integers, groups: int) -> Mask:
        """Mask of the groups that keep the rules: a table in which the first quasi-identifier is the group."""
        cube = self.cube
        first, *others = cube.lattice.columns
        same = Column(arrow_integers(np.zeros(1, np.int64)), np.zeros(len(rows), np.uint8))
        columns = {first: Column(arrow_integers(np.arange(groups)), group_of.astype(np.uint32))}
        columns |= dict.fromkeys(others, same)
        columns |= {name: column.take(rows) for name, column in self._columns.items() if name not in columns}
        table = WeightedRows(columns, cube.base.rows.unit, self.weights[rows], whole=False)
        low = cube.lattice.low
        classes = NodeClasses(cube, low, RolledUpRows(cube.base.lattice, table, cube.lattice.levels(low)))
        return ~self.judge.failing(classes)[0]


class Splitter:
    """Divides classes as long as less is lost and all parts keep the rules."""

    def __init__(
        self,
        cube: DataCube,
        judge: Judge,
        objective: ByColumn,
        least: int,
        report: Callable[[], None],
        lowest: Node | None = None,
    ) -> None:
        self.cube, self.objective, self._report = cube, objective, report
        self.rules = ClassRules(cube, judge, least)
        lattice, rows = cube.lattice, cube.base.rows
        self.weights = self.rules.weights
        self._codes = [rows.columns[name].codes.astype(np.int64) for name in lattice.columns]
        self._low = np.array(lattice.low if lowest is None else lowest, np.int64)
        levels = [range(high + 1) for high in lattice.high]
        # For each column, level and value of the table: its code there, and the information that a record retains.
        self._lifted = [
            np.stack([cube.codes_on_level(name, level) for level in column_levels])
            for name, column_levels in zip(lattice.columns, levels, strict=True)
        ]
        self._retained = [
            np.stack([of_level[level][lifted[level]] for level in column_levels])
            for of_level, lifted, column_levels in zip(objective.by_value, self._lifted, levels, strict=True)
        ]

    def groups_on(self, rows: Integers, node: Node, within: Integers | None = None) -> tuple[Integers, int]:
        """The group of each row by its labels on a node, and the number of groups; `within`: groups to divide."""
        fields = [] if within is None else [_field(within)]
        for codes, lifted, level in zip(self._codes, self._lifted, node, strict=True):
            fields.append(_field(lifted[level][codes[rows]]))
        return rank_keys(pack(fields).keys)

    def partition_of(self, swept: Sweep) -> Partition:
        """The classes of a sweep."""
        rows = np.flatnonzero(swept.on_node != NOT_RELEASED)
        levels_of_node = np.array(swept.nodes, np.int64).reshape(len(swept.nodes), len(self._codes))
        on_node = swept.on_node[rows]
        fields = [_field(on_node)]
        for index, (codes, lifted) in enumerate(zip(self._codes, self._lifted, strict=True)):
            fields.append(_field(lifted[levels_of_node[on_node, index], codes[rows]]))
        class_of, classes = rank_keys(pack(fields).keys)
        node_of_class = np.zeros(classes, np.int64)
        node_of_class[class_of] = on_node
        of_row = np.full(len(self.weights), NOT_RELEASED, np.int64)
        of_row[rows] = class_of
        return Partition(of_row, levels_of_node[node_of_class], swept)

    def sweep_of(self, partition: Partition) -> Sweep:
        """The release on these classes; the nodes that lose least come first."""
        levels, of_row = partition.levels, partition.of_row
        if partition.sweep is not None:
            levels = np.array(partition.sweep.nodes, np.int64).reshape(-1, len(self._codes))
            of_row = partition.sweep.on_node
        nodes, number = np.unique(levels, axis=0, return_inverse=True)
        lost = [lost[levels] for lost, levels in zip(self.objective.lost, nodes.T, strict=True)]
        order = np.argsort(self.objective.of_nodes(lost), kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        on_node = np.append(place[number.reshape(-1)], NOT_RELEASED)[of_row]
        listed = tuple(tuple(node) for node in nodes[order].tolist())
        return Sweep(self.cube, listed, on_node, self.rules.least).without_unused()

    def start(self, rows: Integers, most: int) -> Partition | None:
        """The coarsest classes with which at most `most` records of these rows remain in none; None if there are none.

        If nothing is left of a record on the highest levels, one column starts lower, all of its values together.
        """
        of_row = np.full(len(self.weights), NOT_RELEASED, np.int64)
        high = self.cube.lattice.high
        nodes = [high]
        if self.cube.is_all_stars(high):
            nodes = [
                (*high[:index], level, *high[index + 1 :])
                for index in range(len(high))
                for level in range(int(self._low[index]), high[index])
            ]
        best, most_retained = None, -np.inf
        importance = self.objective.importance(self.lost(Partition(of_row, np.zeros((0, len(high)), np.int64))))
        for node in nodes:
            changed = [index for index, level in enumerate(node) if level != high[index]]
            if changed:
                group_of, groups = rank_keys(self._lifted[changed[0]][node[changed[0]]][self._codes[changed[0]][rows]])
            else:
                group_of, groups = self.groups_on(rows, node)
            sizes = self.rules.sizes(rows, group_of, groups)
            levels = np.tile(np.array(node, np.int64), (groups, 1))
            passing = self.rules.passing(rows, group_of, sizes, lambda levels=levels: levels)  # type: ignore[misc]
            if not passing.any() or int(sizes[~passing].sum()) > most:
                continue
            kept = rows[passing[group_of]]
            retained = sum(
                weighted_sum(self._retained[index][node[index]][self._codes[index][kept]], self.weights[kept])
                * importance[index]
                for index in changed
            )
            if retained > most_retained:
                own = of_row.copy()
                own[rows] = np.where(passing, np.cumsum(passing) - 1, NOT_RELEASED)[group_of]
                best, most_retained = Partition(own, levels[: int(np.count_nonzero(passing))]), retained
        return best

    def lost(self, partition: Partition) -> Reals:
        """The loss of each column."""
        released = np.flatnonzero(partition.of_row != NOT_RELEASED)
        levels, weights = partition.levels[partition.of_row[released]], self.weights[released]
        return np.array(
            [
                self.objective.all_lost(index) - weighted_sum(retained[levels[:, index], codes[released]], weights)
                for index, (retained, codes) in enumerate(zip(self._retained, self._codes, strict=True))
            ]
        )

    def split(self, partition: Partition, until: int = 0) -> Partition:
        """Divide classes; those with fewer than `until` records stay as they are."""
        of_row, levels = partition.of_row.copy(), partition.levels
        lost = self.lost(partition)
        is_open = np.ones(len(levels), np.bool_)
        while True:
            self._report()
            rows = np.flatnonzero(np.append(is_open, False)[of_row])
            if not len(rows):
                is_same = len(levels) == len(partition.levels)
                return partition if is_same else without_empty_classes(Partition(of_row, levels))
            classes, class_of = np.unique(of_row[rows], return_inverse=True)
            own = levels[classes]
            if until:
                sizes = self.rules.sizes(rows, class_of, len(classes))
                own = np.where((sizes < until)[:, np.newaxis], self._low, own)  # nothing to divide by
            chosen, parts = self._best_parts(rows, class_of, own, self.objective.importance(lost))
            is_open[classes[chosen < 0]] = False
            new_levels = [levels]
            for column, (part_rows, part_of, part_class, leaving, gained) in parts.items():
                leaving = leaving & (chosen[part_class] == column)
                numbers = np.cumsum(leaving) - 1 + sum(map(len, new_levels))
                moving = leaving[part_of]
                of_row[part_rows[moving]] = numbers[part_of[moving]]
                below = own[part_class[leaving]]
                below[:, column] -= 1
                new_levels.append(below)
                lost[column] -= gained[leaving].sum()
            levels = np.concatenate(new_levels)
            is_open = np.append(is_open, np.ones(len(levels) - len(is_open), np.bool_))

    def _best_parts(
        self, rows: Integers, class_of: Integers, levels: Levels, importance: Reals
    ) -> tuple[Integers, dict[int, tuple[Integers, Integers, Integers, Mask, Reals]]]:
        """The column by which each class is divided, or -1, and the parts of all classes by each column.

        Parts are given by their rows, the part of each row, the class of each part, a mask of the parts that leave
        their class, and what is lost less in the column.
        """
        best, chosen = np.zeros(len(levels)), np.full(len(levels), -1, np.int64)
        parts: dict[int, tuple[Integers, Integers, Integers, Mask, Reals]] = {}
        for column in range(len(self._codes)):
            can = levels[:, column] > self._low[column]
            if not can.any():
                continue
            part_rows, classes = rows, class_of
            if not can.all():
                is_in = can[class_of]
                part_rows, classes = rows[is_in], class_of[is_in]
            level, codes = levels[classes, column] - 1, self._codes[column][part_rows]
            lifted, retained = self._lifted[column], self._retained[column]
            part_of, number = rank_keys(classes * (int(lifted.max()) + 1) + lifted[level, codes])
            part_class = np.zeros(number, np.int64)
            part_class[part_of] = classes
            sizes = self.rules.sizes(part_rows, part_of, number)
            leaving = self._leaving(part_rows, part_of, part_class, sizes, levels, column)
            saved = (retained[level, codes] - retained[level + 1, codes]) * self.weights[part_rows]
            gained = np.bincount(part_of, saved, number).astype(np.float64)
            gain = np.bincount(part_class, np.where(leaving, gained, 0.0), len(levels)) * importance[column]
            whole = np.bincount(part_class, minlength=len(levels)) == 1
            whole &= np.bincount(part_class, leaving, len(levels)) == 1
            gain = np.where(whole, np.maximum(gain, TINY), gain)
            gain /= np.sqrt(np.maximum(_bits(sizes, part_class, leaving, len(levels)), FEWEST_BITS))
            better = gain > best
            if better.any():
                best[better], chosen[better] = gain[better], column
                parts[column] = part_rows, part_of, part_class, leaving, gained
        return chosen, parts

    def leaving_homes(self, homes: Partition, rows: Integers, node: Node) -> tuple[Integers, Integers, int] | None:
        """The rows that leave their homes as classes of a node, the class of each, and the number of classes.

        What remains of each home keeps the rules; `rows` are those that have not left. None if no class can leave.
        """
        home_of = homes.of_row[rows]
        part_of, parts = self.groups_on(rows, node, home_of)
        sizes = self.rules.sizes(rows, part_of, parts)
        home = np.zeros(parts, np.int64)
        home[part_of] = home_of
        leaving = self.rules.passing(rows, part_of, sizes, lambda: np.tile(np.array(node), (parts, 1)))
        if not leaving.any():
            return None
        affected = np.bincount(home, leaving, len(homes.levels)) > 0
        is_in = affected[home]
        # Only homes that any class may leave are examined further.
        left = is_in[part_of]
        number = np.cumsum(is_in) - 1
        homes_left = np.cumsum(affected) - 1
        leaving = self.remainders_kept(
            rows[left],
            number[part_of[left]],
            homes_left[home[is_in]],
            sizes[is_in],
            leaving[is_in],
            homes.levels[affected],
        )
        if not leaving.any():
            return None
        moving = leaving[number[part_of[left]]]
        classes = np.cumsum(leaving) - 1
        return rows[left][moving], classes[number[part_of[left]][moving]], int(np.count_nonzero(leaving))

    def _leaving(
        self,
        rows: Integers,
        part_of: Integers,
        part_class: Integers,
        sizes: Integers,
        levels: Levels,
        column: int,
    ) -> Mask:
        """Mask of the parts that leave their classes: they keep the rules, and so does what remains of each class.

        If what remains does not, the smallest parts return to it, one, three, seven and so on.
        """

        def levels_of_parts() -> Levels:
            of_parts = levels[part_class]
            of_parts[:, column] -= 1
            return of_parts

        leaving = self.rules.passing(rows, part_of, sizes, levels_of_parts)
        return self.remainders_kept(rows, part_of, part_class, sizes, leaving, levels)

    def remainders_kept(
        self,
        rows: Integers,
        part_of: Integers,
        part_class: Integers,
        sizes: Integers,
        leaving: Mask,
        levels: Levels,
    ) -> Mask:
        """The parts that leave without those that must stay for what remains of a class to keep the rules."""
        classes = len(levels)
        returned = np.zeros(classes, np.int64)  # for each class, how many parts have to stay
        rank = None
        while True:
            leaves = np.bincount(part_class, leaving, classes) > 0
            staying = ~leaving & leaves[part_class]  # parts of classes that are divided
            if not staying.any():
                return leaving
            remaining = np.flatnonzero(np.bincount(part_class, staying, classes))
            number = np.zeros(classes, np.int64)
            number[remaining] = np.arange(len(remaining))
            size = np.bincount(part_class[staying], sizes[staying], classes).astype(np.int64)[remaining]
            if self.rules.only_sizes:
                kept = self.rules.passing(rows[:0], rows[:0], size, lambda: levels)
            else:
                is_in = staying[part_of]
                kept = self.rules.passing(
                    rows[is_in],
                    number[part_class[part_of[is_in]]],
                    size,
                    lambda remaining=remaining: levels[remaining],  # type: ignore[misc]
                )
            if kept.all():
                return leaving
            if rank is None:  # of the parts that leave each class, the smallest first
                order = np.lexsort((sizes, ~leaving, part_class))
                first = np.searchsorted(part_class[order], np.arange(classes))
                rank = np.empty(len(order), np.int64)
                rank[order] = np.arange(len(order)) - first[part_class[order]]
            broken = remaining[~kept]
            returned[broken] = 2 * returned[broken] + 1
            leaving = leaving & (rank >= returned[part_class])


def _bits(sizes: Integers, part_class: Integers, leaving: Mask, classes: int) -> Reals:
    """For each class, the entropy of its division into the parts that leave it and the rest."""

    def total(numbers: Integers | Reals) -> Reals:
        return np.asarray(np.bincount(part_class, numbers, classes), np.float64)

    def weighted_logarithm(numbers: Integers | Reals) -> Reals:
        return np.asarray(numbers * np.log2(np.maximum(numbers, 1)))

    records, left = np.maximum(total(sizes), 1), np.where(leaving, sizes, 0)
    rest = weighted_logarithm(records - total(left))
    return np.asarray((weighted_logarithm(records) - total(weighted_logarithm(left)) - rest) / records)


def _field(codes: Integers) -> Field:
    return Field(codes.astype(np.uint64), int(codes.max(initial=0)).bit_length())


def without_empty_classes(partition: Partition) -> Partition:
    """The partition without classes that have no rows."""
    used, of_row = np.unique(partition.of_row, return_inverse=True)
    if len(used) and used[0] == NOT_RELEASED:
        return Partition(of_row.reshape(-1) - 1, partition.levels[used[1:]])
    return replace(partition, of_row=of_row.reshape(-1), levels=partition.levels[used])
