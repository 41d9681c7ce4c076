"""Class means: records show the mean or median of their class for a number or a date, instead of a label.

All records of a class show the same, so that classes stay as they are, except where two classes that differ in this
column only show the same: these look like one class, and are judged as one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.about.hierarchies.dates import date_writer, read_date, spelling_of
from PETWorks.about.hierarchies.intervals import number_range
from PETWorks.about.hierarchies.scheme import exact_decimal
from PETWorks.about.protection import format_scaled
from PETWorks.about.treatment import APART, INTERVAL, MEAN, MEDIAN
from PETWorks.anonymizer.data_cube import DataCube
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.local.sweep import visible_classes
from PETWorks.anonymizer.problem import Problem, check_show_words
from PETWorks.anonymizer.recoding import NOT_RELEASED, ClassLabels, Recoder, view_after
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import Field, Packed, pack
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.microaggregation import MAX_DIGITS, divide
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError
from PETWorks.measures.classes import Mask
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED

if TYPE_CHECKING:
    import pyarrow as pa

NUMBERS = ("width", "cuts", "quantiles")  # kinds of declared hierarchies
DATES = "dates"
# Needs of measures that compare the labels of quasi-identifiers with hierarchies or with another table.
ABOUT_LABELS = {"hierarchies", "a population table", "the original table"}
STAR = 0  # the code of `*` in the labels of a recoder
LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """A release that shows means or medians.

    recoder    the mapping to what is shown
    columns    by column, "mean" or "median"
    kept       number of classes that keep their labels, as they would look like others and break a rule
    rules      names of the rules for which all labels stay
    """

    recoder: Recoder
    columns: Mapping[str, str] = field(default_factory=dict)
    kept: int = 0
    rules: tuple[str, ...] = ()


def usual_show(release: Release) -> dict[str, str]:
    """The statistic that columns can show: the mean of numbers, the median of dates, by the declared hierarchies."""
    found = {column: _usual(release.declared.get(column)) for column in release.quasi_identifiers}
    return {column: way for column, way in found.items() if way is not None}


def _usual(words: Any) -> str | None:
    if not isinstance(words, Mapping):
        return None
    return MEDIAN if DATES in words else MEAN if any(kind in words for kind in NUMBERS) else None


def check_show(show: Mapping[str, str] | str | None, release: Release, *, usual: bool = False) -> dict[str, str]:
    """The statistic that each column shows; raise if that is not possible.

    show    by column, or `interval` for all
    usual   whether columns that are not named show the mean or the median
    """
    check_show_words(show)
    possible = usual_show(release)
    given = dict.fromkeys(possible, INTERVAL) if isinstance(show, str) else show or {}
    for column, way in given.items():
        if column not in possible and way != INTERVAL:
            raise ParameterError(
                "show {column!r}: the column is no quasi-identifier"
                if release.roles.get(column) != QUASI_IDENTIFIER
                else "show {column!r}: its hierarchy is not declared by width, cuts, quantiles or dates, so its values "
                "may be codes, which have no mean",
                column=column,
                what=f"show.{column}",
            )
    wanted = {**(possible if usual else {}), **given}
    return {column: way for column, way in wanted.items() if way != INTERVAL}


def rules_about_labels(rules: Sequence[Rule]) -> tuple[str, ...]:
    """The names of the rules about labels of quasi-identifiers, which a mean is not."""
    return tuple(rule.name for rule in rules if isinstance(rule, MeasureRule) and ABOUT_LABELS & {*rule.metric.needs})


def show_in_classes(recoder: Recoder, problem: Problem, show: Mapping[str, str]) -> ClassMeans:
    """The release with means or medians of its classes."""
    cube, rules = problem.cube, problem.rules
    if not show or any(cube.base.levels.values()):
        return ClassMeans(recoder)
    about_labels = rules_about_labels(rules)
    if about_labels:
        return ClassMeans(recoder, rules=about_labels)
    classes = _Classes.of(recoder, cube)
    shown = {}
    for column, way in show.items():
        labels = classes.shown_labels(column, way, problem.original.declared[column])
        if labels is not None:
            shown[column] = labels
    if not shown:
        return ClassMeans(recoder)
    keeping = np.zeros(classes.number, np.bool_)
    found, groups = classes.recoder(shown, keeping)
    is_merged = np.bincount(groups)[groups] > 1
    if is_merged.any():
        failing = _failing(found, problem, classes)
        keeping = is_merged & np.isin(groups, groups[failing])
        if keeping.any():
            found, groups = classes.recoder(shown, keeping)
    if is_merged.any() or any(rule.is_about_the_table for rule in rules):
        view = view_after(cube, found)
        broken = tuple(rule.name for rule in rules if not rule.holds(view))
        if broken:
            return ClassMeans(recoder, rules=broken)
    return ClassMeans(found, {column: show[column] for column in shown}, int(np.count_nonzero(keeping)))


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of a release on its levels.

    before      the mapping to the labels of levels
    rows        the indices of the distinct rows that are released
    of_row      the class of each of them
    weights     the number of records of each
    persons     the person of each, if people are counted
    least       the size of the smallest class that rules judge, in records or people
    codes       by column, the code of the label of each class
    is_label    by column, whether the cells of a class are labels of a higher level than the values; `*` is one
                unless nothing else is left of the column
    """

    before: Recoder
    cube: DataCube
    rows: Integers
    of_row: Integers
    weights: Integers
    persons: Integers | None
    least: int
    codes: Mapping[str, Integers]
    is_label: Mapping[str, Mask]

    @classmethod
    def of(cls, recoder: Recoder, cube: DataCube) -> "_Classes":
        """Group the distinct rows by their labels."""
        table = cube.base.rows
        assert table.weights is not None
        values = [table.columns[name].codes for name in recoder.columns]
        nodes = np.broadcast_to(recoder.nodes_of(values), len(table.weights))
        by_column = [column.recode(codes, nodes) for column, codes in zip(recoder.by_column, values, strict=True)]
        rows = np.flatnonzero((nodes != NOT_RELEASED) & np.logical_or.reduce([codes != STAR for codes in by_column]))
        keys = _packed(recoder, [codes[rows] for codes in by_column]).keys
        _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
        codes = {
            name: column_codes[rows][first].astype(np.int64)
            for name, column_codes in zip(recoder.columns, by_column, strict=True)
        }
        is_label = {}
        for name, column, value_codes in zip(recoder.columns, recoder.by_column, values, strict=True):
            code_of = {label: code for code, label in enumerate(column.labels.to_pylist())}
            unchanged = np.array([code_of.get(value, -1) for value in column.values.to_pylist()], np.int64)
            is_unchanged = unchanged[value_codes[rows]] == codes[name][of_row]
            is_star = codes[name] == STAR
            is_label[name] = (np.bincount(of_row, is_unchanged, len(first)) == 0) & (~is_star | (not is_star.all()))
        weights = table.weights[rows]
        persons = None if table.unit is None else table.columns[table.unit].codes[rows].astype(np.int64)
        sizes = _Piles.of(of_row, np.zeros(len(rows), np.int64), weights, persons).sizes
        judged = np.ones(len(first), np.bool_)
        if cube.view.treatment["missing"] == APART:
            for name, column in zip(recoder.columns, recoder.by_column, strict=True):
                labels = column.labels.to_pylist()
                judged &= codes[name] != (labels.index(None) if None in labels else -1)
        least = int(sizes[judged].min(initial=LARGEST))
        return cls(recoder, cube, rows, of_row, weights, persons, least, codes, is_label)

    @property
    def number(self) -> int:
        """The number of classes."""
        return len(self.codes[self.before.columns[0]])

    def shown_labels(self, column: str, way: str, words: Mapping[str, Any]) -> "_Shown | None":
        """The value of a column that each class shows; None if the values of the column have no mean."""
        recoder = self.before.by_column[self.before.columns.index(column)]
        scale = _Scale.of(recoder.values.to_pylist(), words)
        if scale is None:
            return None
        values = self.cube.base.rows.columns[column].codes[self.rows]
        is_known = scale.known[values]
        blocked = np.bincount(self.of_row, ~is_known & ~scale.missing[values], self.number) > 0
        records = np.bincount(self.of_row, is_known * self.weights, self.number).astype(np.int64)
        means = self.is_label[column] & ~blocked & (records > 0)
        used = np.flatnonzero(means[self.of_row] & is_known)
        if not len(used) or scale.largest * int(self.weights.sum()) >= LARGEST:
            return None
        shown = np.flatnonzero(means)
        statistic = _means if way == MEAN else _medians
        sums, numbers = statistic(self.of_row[used], scale.numbers[values[used]], self.weights[used])
        # Nothing limits a number behind `*`: where one is alone, or more than all others, the class keeps `*`. So do
        # classes with an open end where people have several records: counting less, their mean might not be in it.
        is_star = self.codes[column][shown] == STAR
        labels = recoder.labels.to_pylist()
        ends = [
            (True, True) if star else _open_ends(labels[code])
            for star, code in zip(is_star.tolist(), self.codes[column][shown].tolist(), strict=True)
        ]
        persons = None if self.persons is None else self.persons[used]
        classes = np.searchsorted(shown, self.of_row[used])
        piles = _Piles.of(classes, scale.numbers[values[used]], self.weights[used], persons)
        is_unlimited = is_star
        if persons is not None:
            is_unlimited = np.array(ends, np.bool_).any(axis=1)
        elif way == MEAN:
            sums = sums + piles.change_of_extremes(ends)
        is_shown = ~(is_unlimited & piles.stand_out()) & (piles.sizes >= self.least)
        if not is_shown.any():
            return None
        texts = [scale.write(number) for number in divide(sums[is_shown], numbers[is_shown], scale.unit).tolist()]
        return _Shown(shown[is_shown], texts)

    def recoder(self, shown: Mapping[str, "_Shown"], keeping: Mask) -> tuple[Recoder, Integers]:
        """The mapping to means and medians, except in classes that keep their labels; and the group of each class.

        Classes of one group have the same cells.
        """
        before = self.before
        labels: dict[str, pa.Array] = {}
        codes = dict(self.codes)
        for name, column in shown.items():
            recoder = before.by_column[before.columns.index(name)]
            code_of = {label: code for code, label in enumerate(recoder.labels.to_pylist())}
            new_codes = np.array([code_of.setdefault(text, len(code_of)) for text in column.texts], np.int64)
            is_new = ~keeping[column.classes]
            codes[name] = codes[name].copy()
            codes[name][column.classes[is_new]] = new_codes[is_new]
            labels[name] = strings(list(code_of))
        packed = _packed(before, list(self.codes.values()))
        order = np.argsort(packed.keys, kind="stable")
        class_labels = ClassLabels(
            packed.layout, packed.keys[order], labels, {name: codes[name][order].astype(np.uint32) for name in shown}
        )
        sizes = [
            len(labels.get(name, column.labels)) for name, column in zip(before.columns, before.by_column, strict=True)
        ]
        cells = pack(
            [
                Field(codes[name].astype(np.uint64), (size - 1).bit_length())
                for name, size in zip(before.columns, sizes, strict=True)
            ]
        )
        return replace(before, class_labels=class_labels), np.unique(cells.keys, return_inverse=True)[1]


@dataclass(frozen=True, eq=False)
class _Shown:
    """The classes that show a mean, and its text for each."""

    classes: Integers
    texts: Sequence[str]


def _packed(recoder: Recoder, codes: Sequence[Any]) -> Packed:
    """The keys of rows by the codes of their labels."""
    fields = zip(codes, recoder.by_column, strict=True)
    return pack([Field(part.astype(np.uint64), (len(column.labels) - 1).bit_length()) for part, column in fields])


@dataclass(frozen=True, eq=False)
class _Scale:
    """The values of a column as whole numbers.

    numbers   for each value; 0 if it is not known
    known     mask of the values that are numbers or dates
    missing   mask of the missing value
    unit      numbers are rounded to its multiples
    write     the text for a number of units
    """

    numbers: Integers
    known: Mask
    missing: Mask
    unit: int
    write: Callable[[int], str]

    @classmethod
    def of(cls, values: Sequence[str | None], words: Mapping[str, Any]) -> "_Scale | None":
        """Read the values, as the declaration of their hierarchy does; None if there are none."""
        missing = np.array([value is None for value in values], np.bool_)
        if DATES in words:
            spelling = spelling_of(words)
            dates = [None if value is None else read_date(value, **spelling) for value in values]
            days = [None if found is None or found[1] != "day" else found[0] for found in dates]
            known = np.array([day is not None for day in days], np.bool_)
            if not known.any():
                return None
            texts = [value for value, day in zip(values, days, strict=True) if value is not None and day is not None]
            write_date = date_writer(texts, **spelling)
            ordinals = np.array([0 if day is None else day.toordinal() for day in days], np.int64)
            return cls(ordinals, known, missing, 1, lambda number: write_date(date.fromordinal(number)))
        numbers = [None if value is None or value == SUPPRESSED else exact_decimal(value) for value in values]
        found = [number for number in numbers if number is not None]
        if not found:
            return None
        written = [max(0, -int(number.as_tuple().exponent)) for number in found]
        needed = [max(0, -int(number.normalize().as_tuple().exponent)) for number in found]
        decimals = max(min(written), *needed)
        scaled = [0 if number is None else int(number.scaleb(decimals)) for number in numbers]
        largest = max(map(abs, scaled))
        if largest >= LARGEST:
            return None
        dropped = min(decimals, max(0, len(str(largest)) - MAX_DIGITS))
        known = np.array([number is not None for number in numbers], np.bool_)
        return cls(
            np.array(scaled, np.int64),
            known,
            missing,
            10**dropped,
            lambda number: format_scaled(number, decimals - dropped),
        )

    @property
    def largest(self) -> int:
        """The largest absolute number."""
        return int(np.abs(self.numbers).max())


def _means(classes: Integers, numbers: Integers, weights: Integers) -> tuple[Integers, Integers]:
    """The sum of each class, in ascending order of classes, and the number of its records."""
    order = np.argsort(classes, kind="stable")
    starts = run_starts(classes[order])
    return np.add.reduceat((numbers * weights)[order], starts), np.add.reduceat(weights[order], starts)


def _open_ends(label: str) -> tuple[bool, bool]:
    """Whether a label stands for numbers without a lower and without an upper end."""
    numbers = number_range(label)
    return (False, False) if numbers is None else (numbers.low is None, numbers.high is None)


@dataclass(frozen=True, eq=False)
class _Piles:
    """The numbers of each person in a class or, where records are counted, each number.

    classes      the index of the class of each
    sums         the sum of its numbers
    magnitudes   the sum of its absolute numbers
    times        how many records have the number; 1 for a person
    others       the sum of the absolute numbers of all others in the class
    sizes        for each class the number of its people, or records
    """

    classes: Integers
    sums: Integers
    magnitudes: Integers
    times: Integers

    @classmethod
    def of(cls, classes: Integers, numbers: Integers, weights: Integers, persons: Integers | None) -> "_Piles":
        """Those of rows with the class, number, number of records and person of each."""
        if persons is None or not len(classes):
            return cls(classes, numbers, np.abs(numbers), weights)
        order = np.lexsort((persons, classes))
        classes, persons, weighted = classes[order], persons[order], (numbers * weights)[order]
        is_first = np.append(True, (classes[1:] != classes[:-1]) | (persons[1:] != persons[:-1]))
        starts = np.flatnonzero(is_first)
        sums, magnitudes = np.add.reduceat(weighted, starts), np.add.reduceat(np.abs(weighted), starts)
        return cls(classes[starts], sums, magnitudes, np.ones(len(starts), np.int64))

    @cached_property
    def others(self) -> Integers:
        total = np.zeros(len(self.sizes), np.int64)
        np.add.at(total, self.classes, self.magnitudes * self.times)
        return np.asarray(total[self.classes] - self.magnitudes)

    @cached_property
    def sizes(self) -> Integers:
        return np.bincount(self.classes, self.times).astype(np.int64)

    def stand_out(self) -> Mask:
        """Mask of the classes with a single pile, or with one that is more than all others."""
        dominated = np.bincount(self.classes, np.abs(self.sums) > self.others) > 0
        return np.asarray(dominated | (self.sizes < 2))

    def change_of_extremes(self, ends: Sequence[tuple[bool, bool]]) -> Integers:
        """The number to add to the sum of each class, so that its mean does not reveal a number beyond an open end.

        Such a pile that is more than all others counts as these, as in groups. Of two it would be the number of the
        other one, so their mean stays.
        """
        is_open = np.array(ends, np.bool_).reshape(-1, 2) & (self.sizes > 2)[:, np.newaxis]
        change = np.zeros(len(self.sizes), np.int64)
        for sign, opened in ((-1, is_open[:, 0]), (1, is_open[:, 1])):
            excess = sign * self.sums - self.others
            found = opened[self.classes] & (excess > 0)
            change[self.classes[found]] -= sign * excess[found]
        return change


def _medians(classes: Integers, numbers: Integers, weights: Integers) -> tuple[Integers, Integers]:
    """The sum of the two numbers in the middle of each class, or twice the one in the middle; and 2."""
    order = np.lexsort((numbers, classes))
    classes, numbers, weights = classes[order], numbers[order], weights[order]
    starts = run_starts(classes)
    ends = np.cumsum(weights)
    before = np.concatenate([[0], ends])[starts]
    sizes = np.add.reduceat(weights, starts)
    low, high = (numbers[np.searchsorted(ends, before + rank, side="right")] for rank in ((sizes - 1) // 2, sizes // 2))
    return low + high, np.full(len(starts), 2, np.int64)


def _failing(recoder: Recoder, problem: Problem, classes: _Classes) -> Integers:
    """The indices of the classes with the same cells as a class that fails a rule."""
    cube = problem.cube
    table = cube.base.rows
    codes = [table.columns[name].codes for name in recoder.columns]
    released = WeightedRows({**table.columns, **recoder.recode(codes)}, table.unit, table.weights, whole=False)
    judge = Judge(cube, problem.rules, cube.records, problem.objective)
    visible, of_row = visible_classes(cube, cube.lattice.low, released.take(classes.rows))
    failing, _ = judge.failing(visible)
    return np.unique(classes.of_row[failing[of_row]])
