"""Rows as integer codes, each with the number of records it stands for; all counts in this package come from them.

A table loaded into memory, a part of the cells of another engine, and the distinct rows that a search merges all have
this form. Classes are counted by sorting packed keys. Records keep the order of their file: they have numbers of their
own, such as the size of their class.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting import questions as counting_questions
from PETWorks.counting.codes import (
    Codes,
    Column,
    Domain,
    common_coding,
    fingerprint_of,
    recode_labels,
    with_same_people,
)
from PETWorks.counting.counts import (
    ClassCodes,
    ClassPairs,
    ClassSizes,
    ClassValues,
    Grouping,
    Integers,
    Marginal,
    PairCounts,
    run_starts,
)
from PETWorks.counting.keys import BINCOUNT_BITS, Layout, Packed, count_keys, pack, size_histogram
from PETWorks.counting.questions import THREADS, Question, fold_batches, split_into_batches
from PETWorks.counting.stacked import Columns
from PETWorks.counting.subsets.subset_counts import CountsBySubset, Worths
from PETWorks.tables.cells import SUPPRESSED

Summary = TypeVar("Summary")


class WeightedRows:
    """Columns of codes in memory; see `Table` for the methods.

    weights   the number of records each row stands for; None: one each, in the order of the input
    persons   for each row the number of people in its class, if that is not the sum of the weights
    whole     whether to drop labels that do not occur; in a part of a larger table, codes keep their meaning
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        unit: str | None = None,
        weights: Integers | None = None,
        persons: Integers | None = None,
        *,
        whole: bool = True,
    ) -> None:
        self.columns: Mapping[str, Column] = (
            {name: column.without_unused_labels() for name, column in columns.items()} if whole else columns
        )
        self.unit, self.weights, self.whole = unit, weights, whole
        self._persons = persons
        self.origin: Integers | None = None  # the rows of the table that these rows were taken from
        self._by_columns: dict[tuple[str, ...], Classes] = {}
        self._values: dict[tuple[tuple[str, ...], str], ClassValues] = {}
        self._kept_classes: dict[Grouping, NDArray[np.bool_] | None] = {}

    @property
    def domains(self) -> Mapping[str, Domain]:
        """The values of each column."""
        return self.columns

    @cached_property
    def rows(self) -> int:
        """The number of records."""
        return len(next(iter(self.columns.values())).codes) if self.weights is None else int(self.weights.sum())

    def marginal(self, column: str) -> Marginal:
        """The values of a column and their counts."""
        coded = self.columns[column]
        if self.weights is None:
            return Marginal(coded.values, coded.counts)
        counts = np.zeros(len(coded.labels), np.int64)
        np.add.at(counts, coded.codes, self.weights)
        return Marginal(coded.values, counts)

    def generalise(self, levels: Mapping[str, Mapping[str | None, str | None]]) -> "WeightedRows":
        """The rows with the values of the named columns replaced by these mappings."""
        columns = dict(self.columns)
        for name, mapping in levels.items():
            labels, new_codes = recode_labels(self.columns[name].values, mapping)
            columns[name] = self.columns[name].recode(labels, new_codes)
        return WeightedRows(columns, self.unit, self.weights, whole=self.whole)

    def with_same_people(self) -> "WeightedRows":
        """The rows with one name or number for each person, however it is spelt."""
        if self.unit is None:
            return self
        columns = {**self.columns, self.unit: with_same_people(self.columns[self.unit])}
        return WeightedRows(columns, self.unit, self.weights, whole=self.whole)

    def distinct(self, columns: Sequence[str] | None = None) -> "WeightedRows":
        """The records with equal rows merged, in ascending order of their codes."""
        names = tuple(self.columns if columns is None else columns)
        classes = self._classes(names)
        codes = classes.layout.codes(classes.keys)
        merged = {
            name: Column(self.columns[name].labels, column.astype(self.columns[name].codes.dtype))
            for name, column in zip(names, codes, strict=True)
        }
        return WeightedRows(merged, self.unit, classes.sizes, whole=self.whole)

    def in_label_order(self) -> "WeightedRows":
        """The rows with the values of each column coded in ascending order."""
        columns = {name: column.in_label_order() for name, column in self.columns.items()}
        return WeightedRows(columns, self.unit, self.weights, whole=self.whole)

    def take(self, rows: Integers) -> "WeightedRows":
        """Some of the rows."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return WeightedRows(columns, self.unit, None if self.weights is None else self.weights[rows], whole=False)

    @cached_property
    def merged_rows(self) -> "WeightedRows | None":
        """The rows with equal ones merged, if that is cheap and leaves far fewer; otherwise None.

        None instead of the rows themselves, because a cached reference to itself would keep the table alive.
        """
        if self.weights is not None or self.unit is not None or len(self.columns) < 2:
            return None
        bits = sum(column.bits for column in self.columns.values())
        return self.distinct() if bits <= BINCOUNT_BITS and 4 << bits <= self.rows else None

    def people(self) -> int:
        """The number of different people."""
        return len(self.columns[str(self.unit)].labels)

    def unit_is_missing(self) -> bool:
        """Whether the person of some record is missing."""
        return bool(self.columns[str(self.unit)].labels.null_count)

    def per_person(self, columns: Sequence[str], required: str | None = None) -> "WeightedRows":
        """The table with one record for each person and combination of values of these columns.

        required   a column; records where it is missing do not count
        """
        keys = self._packed((*columns, str(self.unit))).keys
        missing = None if required is None else self.columns[required].code(None)
        if required is None or missing is None:
            rows = np.sort(np.unique(keys, return_index=True)[1])
        else:
            present = np.flatnonzero(self.columns[required].codes != missing)
            rows = np.sort(present[np.unique(keys[present], return_index=True)[1]])
        counted = WeightedRows({name: self.columns[name].take(rows) for name in columns}, whole=self.whole)
        counted.origin = rows
        return counted

    def ask(self, questions: Sequence[Question[Any]]) -> list[Any]:
        """Answer questions about classes."""
        rows = self.merged_rows or self
        return [question.of_part(rows, question.people) for question in questions]

    def rows_aside(self, grouping: Grouping) -> int:
        """The number of records that are set aside from the classes."""
        out = mask_set_aside(grouping, self.domains, lambda: self._row_codes(grouping.known))
        return 0 if out is None else int(np.sum(out if self.weights is None else self.weights[out]))

    def class_sizes(self, grouping: Grouping) -> ClassSizes:
        """The histogram of class sizes.

        Only the classes of the first grouping are kept for further questions: there may be as many as records, and
        those of many groupings would not fit into memory.
        """
        are_kept = not self._by_columns or grouping.columns in self._by_columns
        sizes, kept = self._sizes(grouping.columns), self._kept(grouping)
        if not are_kept:
            self._by_columns.pop(grouping.columns, None)
            self._kept_classes.pop(grouping)
        return size_histogram(sizes if kept is None else sizes[kept])

    def smallest_class(self, grouping: Grouping) -> int | None:
        """The size of the smallest class."""
        sizes, kept = self._sizes(grouping.columns), self._kept(grouping)
        sizes = sizes if kept is None else sizes[kept]
        return int(sizes.min()) if len(sizes) else None

    def fold(
        self,
        grouping: Grouping,
        sensitive: str,
        kernel: Callable[[ClassValues], Summary],
        merge: Callable[[Summary, Summary], Summary],
        people: "WeightedRows | None" = None,
    ) -> Summary:
        """Run a kernel over classes with the counts of a sensitive attribute.

        people   rows that count the people of a class, if records of one person count once
        """
        classes, kept = self.values_by_class(grouping.columns, sensitive), self._kept(grouping)
        if people is not None:
            classes = replace(classes, people=people._sizes(grouping.columns))
        elif self._persons is not None:
            classes = replace(classes, people=self._persons[classes.starts])
        if kept is not None:
            classes = classes.only(kept)
        return fold_batches(kernel, merge, split_into_batches(classes), len(classes.values))

    def fold_codes(
        self,
        grouping: Grouping,
        kernel: Callable[[ClassCodes], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over classes with their values."""
        classes, kept = self._classes(grouping.columns), self._kept(grouping)
        sizes = classes.sizes if kept is None else classes.sizes[kept]
        keys = classes.keys if kept is None else classes.keys[kept]

        def parts() -> Iterator[ClassCodes]:
            for first in range(0, max(len(keys), 1), counting_questions.CELLS_PER_BATCH):
                part = slice(first, first + counting_questions.CELLS_PER_BATCH)
                codes = classes.layout.codes(keys[part])
                yield ClassCodes(sizes[part], dict(zip(grouping.columns, codes, strict=True)))

        return fold_batches(kernel, merge, parts(), len(keys))

    def fold_pairs(
        self,
        grouping: Grouping,
        background: "WeightedRows",
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over the classes of these rows and of a background table."""
        joined = [common_coding(self.columns[name], background.columns[name]) for name in grouping.columns]
        keys, bits, _ = pack(joined)
        rows_here = len(keys) - len(next(iter(background.columns.values())).codes)
        released = self._count_keys(keys[:rows_here], bits, grouping)
        known = background._count_keys(keys[rows_here:], bits, replace(grouping, suppressed_apart=False))
        all_keys = np.concatenate([released.keys, known.keys])
        all_keys.sort(kind="stable")  # merges two sorted parts, which is faster than np.union1d
        all_keys = all_keys[run_starts(all_keys)]
        cuts = range(counting_questions.CELLS_PER_BATCH, len(all_keys), counting_questions.CELLS_PER_BATCH)
        pairs = (ClassPairs(released.of(part), known.of(part)) for part in np.split(all_keys, cuts))
        return reduce(merge, map(kernel, pairs))

    def _count_keys(self, keys: Codes, bits: int, grouping: Grouping) -> Any:
        """Count records by their keys, which have this many bits, without those set aside."""
        out = mask_set_aside(grouping, self.domains, lambda: self._row_codes(grouping.known))
        if out is None:
            return count_keys(keys, bits, self.weights)
        return count_keys(keys[~out], bits, None if self.weights is None else self.weights[~out])

    def pair_counts(self, pairs: Sequence[tuple[str, str]]) -> list[PairCounts]:
        """Count the pairs of values of each pair of columns."""
        from concurrent.futures import ThreadPoolExecutor

        rows = self.merged_rows or self
        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(lambda pair: rows._pairs(rows.columns[pair[0]], rows.columns[pair[1]]), pairs))

    def pair_in_order(self, column: str, other: "WeightedRows") -> PairCounts:
        """Count the pairs of values of a column here and in the same row of another table."""
        merged = self.weights is not None or other.weights is not None
        assert not merged or np.array_equal(self.weights, other.weights), "merged rows have no order"  # type: ignore[arg-type]
        return self._pairs(self.columns[column], other.columns[column])

    def _pairs(self, first: Column, second: Column) -> PairCounts:
        if first.bits + second.bits <= BINCOUNT_BITS and 1 << first.bits + second.bits <= 2 * len(first.codes):
            return self._few_pairs(first, second)
        keys, bits, layout = pack([first, second])
        counted = count_keys(keys, bits, self.weights)
        firsts, seconds = layout.codes(counted.keys)
        return PairCounts(firsts.astype(np.int64), seconds.astype(np.int64), counted.counts)

    def _few_pairs(self, left: Column, right: Column) -> PairCounts:
        """Count few possible pairs with an array of bins, block by block, which needs little memory."""
        counts = np.zeros(1 << left.bits + right.bits, np.int64)
        for first in range(0, len(left.codes), counting_questions.CELLS_PER_BATCH):
            rows = slice(first, first + counting_questions.CELLS_PER_BATCH)
            keys = left.codes[rows].astype(np.int64) << right.bits | right.codes[rows]
            counted = np.bincount(keys, None if self.weights is None else self.weights[rows], len(counts))
            counts += counted.astype(np.int64)  # floats, exact up to 2**53 records
        pairs = np.flatnonzero(counts)
        return PairCounts(pairs >> right.bits, pairs & (1 << right.bits) - 1, counts[pairs])

    def stack(self, others: "Sequence[WeightedRows]", columns: Columns) -> "WeightedRows":
        """Return these rows with others below them; each column says how its codes are made."""
        tables = (self, *others)
        made = {}
        for name, column in columns.items():
            labels = column.known.labels
            parts = [
                table.columns[column.source].recode(labels, codes).codes
                for table, codes in zip(tables, column.new_codes, strict=True)
            ]
            made[name] = Column(labels, np.concatenate(parts))
        weights = None
        if any(table.weights is not None for table in tables):
            ones = [np.ones(table.rows, np.int64) if table.weights is None else table.weights for table in tables]
            weights = np.concatenate(ones)
        return WeightedRows(made, None, weights, whole=False)

    def count_subsets(
        self,
        known: Sequence[str],
        sensitive: Sequence[str],
        sizes: Sequence[int],
        memory: int,
        finished: Callable[[frozenset[str]], bool],
        worths: Worths | None = None,
        only: Collection[frozenset[str]] | None = None,
    ) -> Iterator[CountsBySubset]:
        """Count all subsets of the known columns of the given sizes, a family at a time."""
        from PETWorks.counting.subsets.subset_counts import count_subsets

        rows = self.merged_rows or self
        columns = {name: rows.columns[name] for name in (*known, *sensitive)}
        return count_subsets(columns, known, sensitive, sizes, memory, finished, rows.weights, worths, only)

    def fingerprint(self, columns: Sequence[str]) -> str:
        """A fingerprint of these columns of the table."""
        weights = [] if self.weights is None else [self.weights]
        return fingerprint_of(self.columns, columns, *(self.columns[name].codes for name in columns), *weights)

    def _packed(self, columns: Sequence[str], room: int = 0) -> Packed:
        return pack([self.columns[name] for name in columns], room)

    def _sizes(self, columns: tuple[str, ...]) -> Integers:
        """The sizes of all classes in key order."""
        return self._classes(columns).sizes

    def _classes(self, columns: tuple[str, ...]) -> "Classes":
        """All classes in key order."""
        if columns not in self._by_columns:
            keys, bits, layout = self._packed(columns)
            counted = count_keys(keys, bits, self.weights)
            self._by_columns[columns] = Classes(counted.counts, counted.keys, layout)
        return self._by_columns[columns]

    def one_smallest_class(self, columns: tuple[str, ...]) -> tuple[list[str | None], int] | None:
        """The values of the first of the smallest classes, and its size; None if there is no class."""
        classes = self._classes(columns)
        if not len(classes.sizes):
            return None
        place = int(classes.sizes.argmin())
        codes = classes.layout.codes(classes.keys[place : place + 1])
        values = [self.columns[name].values[int(code[0])] for name, code in zip(columns, codes, strict=True)]
        return values, int(classes.sizes[place])

    def values_by_class(self, columns: tuple[str, ...], sensitive: str) -> ClassValues:
        """All classes in key order, with the counts of a sensitive attribute."""
        if (columns, sensitive) not in self._values:
            value_column = self.columns[sensitive]
            shift = value_column.bits
            keys, bits, layout = self._packed(columns, room=shift)
            keys <<= keys.dtype.type(shift)
            keys |= value_column.codes
            counted = count_keys(keys, bits + shift, self.weights)
            del keys
            class_keys = counted.keys >> counted.keys.dtype.type(shift)
            starts = run_starts(class_keys)
            values = (counted.keys & counted.keys.dtype.type((1 << shift) - 1)).astype(np.int64)
            sizes = np.add.reduceat(counted.counts, starts) if len(starts) else counted.counts
            self._by_columns.setdefault(columns, Classes(sizes, class_keys[starts], layout))
            self._values[columns, sensitive] = ClassValues(sizes, starts, values, counted.counts)
        return self._values[columns, sensitive]

    def _kept(self, grouping: Grouping) -> NDArray[np.bool_] | None:
        """A mask of the classes that are not set aside; None if none is."""
        if grouping not in self._kept_classes:

            def codes() -> Sequence[Codes]:
                classes = self._classes(grouping.columns)
                return classes.layout.codes(classes.keys)[: len(grouping.known)]

            out = mask_set_aside(grouping, self.domains, codes)
            self._kept_classes[grouping] = None if out is None else ~out
        return self._kept_classes[grouping]

    def _row_codes(self, columns: Sequence[str]) -> list[Codes]:
        return [self.columns[name].codes for name in columns]


@dataclass(frozen=True)
class Classes:
    """All classes in key order: sizes, keys, and the layout that restores codes from keys."""

    sizes: Integers
    keys: Codes
    layout: Layout


def mask_set_aside(
    grouping: Grouping, columns: Mapping[str, Domain], codes: Callable[[], Sequence[NDArray[np.integer]]]
) -> NDArray[np.bool_] | None:
    """A mask of the rows or classes, given by the codes of the known columns, that are set aside; None for none."""
    out = None
    stars = [columns[name].code(SUPPRESSED) for name in grouping.known if grouping.suppressed_apart]
    if stars and None not in stars:
        out = np.logical_and.reduce([column_codes == star for column_codes, star in zip(codes(), stars, strict=True)])
    blanks = [columns[name].code(None) for name in grouping.known if grouping.incomplete_apart]
    for column_codes, blank in zip(codes(), blanks, strict=True) if set(blanks) - {None} else ():
        if blank is not None:
            out = column_codes == blank if out is None else out | (column_codes == blank)
    return out


def record_class_sizes(rows: WeightedRows, columns: Sequence[str], people: WeightedRows | None = None) -> Integers:
    """The class size of each record; `people` are the records that count, if not all do."""
    assert rows.weights is None, "merged rows have no order"
    keys = pack([rows.columns[name] for name in columns]).keys
    if people is not None:
        assert people.origin is not None
        return count_keys(keys[people.origin]).of(keys)
    order = np.argsort(keys)
    sizes = np.diff(run_starts(keys[order]), append=len(keys))
    return _spread(sizes, sizes, order)


def record_class_modes(
    rows: WeightedRows, columns: Sequence[str], sensitive: str, people: WeightedRows | None = None
) -> Integers:
    """For each record, the count of the commonest sensitive value in its class."""
    assert rows.weights is None, "merged rows have no order"
    classes = (people or rows).values_by_class(tuple(columns), sensitive)
    modes = np.maximum.reduceat(classes.counts, classes.starts)
    keys = pack([rows.columns[name] for name in columns]).keys
    if people is not None:
        return np.asarray(modes[np.searchsorted(np.unique(keys), keys)], np.int64)
    order = np.argsort(keys)
    return _spread(modes, np.diff(run_starts(keys[order]), append=len(keys)), order)


def known_class_modes(
    rows: WeightedRows, columns: Sequence[str], sensitive: str, people: WeightedRows | None, once: WeightedRows | None
) -> tuple[Integers, Integers]:
    """For each record, the number of records in its class with a sensitive value, and the count of the commonest.

    people, once   if not all records count: one per person, class and value; and one per person and class
    """
    assert rows.weights is None, "merged rows have no order"
    keys = pack([rows.columns[name] for name in columns]).keys
    with_value = np.flatnonzero(rows.columns[sensitive].codes != rows.columns[sensitive].code(None))
    counted, persons = (with_value if table is None else table.origin for table in (people, once))
    assert counted is not None
    assert persons is not None
    by_value = rows.take(counted).values_by_class(tuple(columns), sensitive)
    modes = np.zeros(len(by_value.starts) + 1, np.int64)  # the last is for classes without a value
    if len(by_value.starts):
        modes[:-1] = np.maximum.reduceat(by_value.counts, by_value.starts)
    present = np.unique(keys[counted])
    indices = np.searchsorted(present, keys)
    known = np.append(present, present[-1:])[indices] == keys if len(present) else np.zeros(len(keys), np.bool_)
    return count_keys(keys[persons]).of(keys), modes[np.where(known, indices, len(present))]


def _spread(per_class: Integers, sizes: Integers, order: Integers) -> Integers:
    """Copy a number per class to each of its records."""
    per_record = np.empty(len(order), np.int64)
    per_record[order] = np.repeat(per_class, sizes)
    return per_record


def shuffled_order(seed: int, records: int) -> Integers:
    """The index of each record in shuffled order.

    NumPy guarantees that the numbers of a bit generator stay the same in later versions, but not its permutations.

    >>> shuffled_order(7, 5).tolist()
    [3, 4, 0, 2, 1]
    """
    return np.argsort(np.random.PCG64(seed).random_raw(records), kind="stable")
