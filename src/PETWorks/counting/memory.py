"""The default engine: columns as integer codes in memory, classes counted by sorting packed keys."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.batches import CELLS_PER_BATCH, THREADS, batches_of, folded
from PETWorks.counting.codes import Codes, Column, Domain, Encoder, fingerprint_of, strings
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
from PETWorks.counting.keys import Layout, Packed, count, pack, size_histogram
from PETWorks.errors import InputError
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.column_errors import naming
from PETWorks.tables.source import Source

Summary = TypeVar("Summary")


class MemoryTable:
    """Columns in memory; see `Table` for what may be asked.

    weights   how many records each row stands for, if not one: in a part of a larger table, whose labels need not
              all occur in it
    persons   for each row how many people its class has, if that is not told by the weights
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        rows: int,
        unit: str | None = None,
        weights: Integers | None = None,
        persons: Integers | None = None,
    ) -> None:
        self.columns = dict(columns)
        self.rows = rows
        self.unit = unit
        self._weights, self._persons = weights, persons
        self.origin: Integers | None = None
        self._by_columns: dict[tuple[str, ...], _Classes] = {}
        self._values: dict[tuple[tuple[str, ...], str], ClassValues] = {}
        self._histograms: dict[Grouping, ClassSizes] = {}
        self._kept_classes: dict[Grouping, NDArray[np.bool_] | None] = {}

    @classmethod
    def load(cls, source: Source, columns: Sequence[str], unit: str | None = None) -> "MemoryTable":
        """Read the named columns of a source, and the one that names people."""
        from concurrent.futures import ThreadPoolExecutor

        columns = columns if unit is None else [*columns, unit]
        encoders = {name: Encoder(spaced_quotes=source.separator is not None) for name in columns}
        types: dict[str, object] = {}
        rows = 0
        for table in source.read(tuple(columns)):
            rows += table.num_rows
            types = dict(zip(columns, table.schema.types, strict=True))
            for name, chunks in zip(columns, table.columns, strict=True):
                with naming(name, types, source):
                    for piece in chunks.chunks:
                        encoders[name].add(piece)
        if rows == 0:
            raise InputError(f"{source.name}: the table has columns but no records")

        def finish(name: str) -> Column:
            with naming(name, types, source):
                return encoders[name].finish()

        with ThreadPoolExecutor(THREADS) as pool:
            return cls(dict(zip(encoders, pool.map(finish, encoders), strict=True)), rows, unit)

    def marginal(self, column: str) -> Marginal:
        """Values of a column and their counts."""
        settled = self._settled(column)
        return Marginal(settled.values, settled.counts)

    def generalised(self, levels: Mapping[str, Mapping[str | None, str | None]]) -> "MemoryTable":
        """The table with each value of the named columns replaced as the mapping says."""
        columns = dict(self.columns)
        for name, mapping in levels.items():
            column = self._settled(name)
            new_values = [mapping[value] for value in column.values]
            labels = list(dict.fromkeys(new_values))
            codes = {label: code for code, label in enumerate(labels)}
            columns[name] = column.recoded(strings(labels), np.array([codes[value] for value in new_values], np.int64))
        return MemoryTable(columns, self.rows, self.unit)

    def people(self) -> int:
        """Number of people that the unit names."""
        return len(self._settled(str(self.unit)).labels)

    def unit_is_missing(self) -> bool:
        """Whether some record does not say whose it is."""
        return bool(self._settled(str(self.unit)).labels.null_count)

    def per_person(self, columns: Sequence[str]) -> "MemoryTable":
        """Of each person one record for each combination of values that these columns have."""
        keys = pack([self._settled(name) for name in (*columns, str(self.unit))]).keys
        rows = np.sort(np.unique(keys, return_index=True)[1])
        table = MemoryTable({name: self.columns[name].taken(rows) for name in columns}, len(rows))
        table.origin = rows
        return table

    def rows_aside(self, grouping: Grouping) -> int:
        """Number of rows that stand aside from the classes."""
        out = aside(grouping, self.columns, lambda: self._row_codes(grouping.known))
        return 0 if out is None else int(np.sum(out if self._weights is None else self._weights[out]))

    def count_values(self, columns: Sequence[str], sensitive: str) -> None:
        """Count a sensitive attribute within the classes now, so that later questions share the work."""
        self._values_by_class(tuple(columns), sensitive)

    def class_sizes(self, grouping: Grouping) -> ClassSizes:
        """How many classes have how many records."""
        if grouping not in self._histograms:
            sizes, kept = self._classes(grouping.columns).sizes, self._kept(grouping)
            self._histograms[grouping] = size_histogram(sizes if kept is None else sizes[kept])
        return self._histograms[grouping]

    def fold(
        self,
        grouping: Grouping,
        sensitive: str,
        kernel: Callable[[ClassValues], Summary],
        merge: Callable[[Summary, Summary], Summary],
        people: "MemoryTable | None" = None,
    ) -> Summary:
        """Run a kernel over classes with the counts of a sensitive attribute."""
        classes, kept = self._values_by_class(grouping.columns, sensitive), self._kept(grouping)
        if people is not None:
            classes = replace(classes, people=people._classes(grouping.columns).sizes)
        elif self._persons is not None:
            classes = replace(classes, people=self._persons[classes.starts])
        if kept is not None:
            classes = classes.only(kept)
        return folded(kernel, merge, batches_of(classes), len(classes.values))

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

        def batches() -> Iterator[ClassCodes]:
            for first in range(0, max(len(keys), 1), CELLS_PER_BATCH):
                part = slice(first, first + CELLS_PER_BATCH)
                codes = classes.layout.codes(keys[part])
                yield ClassCodes(sizes[part], dict(zip(grouping.columns, codes, strict=True)))

        return folded(kernel, merge, batches(), len(keys))

    def fold_pairs(
        self,
        grouping: Grouping,
        background: "MemoryTable",
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over the classes of this table and of another one."""
        joined = _concatenated(self, background, grouping.columns)
        keys = pack([joined.columns[name] for name in grouping.columns]).keys
        out = aside(grouping, self.columns, lambda: self._row_codes(grouping.known))
        released = count(keys[: self.rows] if out is None else keys[: self.rows][~out])
        incomplete = replace(grouping, suppressed_apart=False)
        out = aside(incomplete, background.columns, lambda: background._row_codes(grouping.known))
        known = count(keys[self.rows :] if out is None else keys[self.rows :][~out])
        all_keys = np.union1d(released.keys, known.keys)
        batches = np.split(all_keys, range(CELLS_PER_BATCH, len(all_keys), CELLS_PER_BATCH))
        return reduce(merge, (kernel(ClassPairs(released.of(batch), known.of(batch))) for batch in batches))

    def pair_counts(self, pairs: Sequence[tuple[str, str]]) -> list[PairCounts]:
        """For each pair of columns, how often they have which values together."""
        from concurrent.futures import ThreadPoolExecutor

        columns = {name: self._settled(name) for pair in pairs for name in pair}
        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(lambda pair: self._pairs(columns[pair[0]], columns[pair[1]]), pairs))

    def pair_in_order(self, column: str, other: "MemoryTable") -> PairCounts:
        """How often a column has which value here and in the same row of another table."""
        return self._pairs(self._settled(column), other._settled(column))

    def _pairs(self, one: Column, other: Column) -> PairCounts:
        keys, bits, layout = pack([one, other])
        counted = count(keys, bits, self._weights)
        ones, others = layout.codes(counted.keys)
        return PairCounts(ones.astype(np.int64), others.astype(np.int64), counted.counts)

    def count_subsets(
        self,
        known: Sequence[str],
        sensitive: Sequence[str],
        sizes: Sequence[int],
        memory: int,
        finished: Callable[[frozenset[str]], bool],
    ) -> Iterator[dict[frozenset[str], tuple[int, ...]]]:
        """The counts of all subsets of the known columns that have one of the sizes, a family at a time."""
        from PETWorks.counting.subset_counts import count_subsets

        settled = {name: self._settled(name) for name in (*known, *sensitive)}
        return count_subsets(settled, known, sensitive, sizes, memory, finished)

    def fingerprint(self, columns: Sequence[str]) -> str:
        """A text that is another one for every other table."""
        return fingerprint_of(self.columns, columns, *(self.columns[name].codes for name in columns))

    def record_class_sizes(self, columns: Sequence[str], people: "MemoryTable | None" = None) -> Integers:
        """For each row, in the order of the rows, the size of its class; `people` are its rows that count."""
        if people is not None:
            keys = self._packed(columns).keys
            return count(keys[people.origin]).of(keys)
        order, sizes = self._rows_by_class(columns)
        return _spread(sizes, sizes, order)

    def record_class_modes(
        self, columns: Sequence[str], sensitive: str, people: "MemoryTable | None" = None
    ) -> tuple[Integers, Integers]:
        """For each row, in the order of the rows, the size of its class and the count of the commonest value in it.

        `people` are its rows that count for the values.
        """
        classes = (people or self)._values_by_class(tuple(columns), sensitive)
        modes = np.maximum.reduceat(classes.counts, classes.starts)
        if people is not None:
            keys = self._packed(columns).keys
            place = np.searchsorted(np.unique(keys), keys)
            return classes.sizes[place], modes[place]
        order, sizes = self._rows_by_class(columns)
        return _spread(sizes, sizes, order), _spread(modes, sizes, order)

    def _packed(self, columns: Sequence[str], room: int = 0) -> Packed:
        return pack([self._settled(name) for name in columns], room)

    def _rows_by_class(self, columns: Sequence[str]) -> tuple[Integers, Integers]:
        """The rows, those of a class together and classes in key order; and the sizes of the classes."""
        keys = self._packed(columns).keys
        order = np.argsort(keys)
        return order, np.diff(run_starts(keys[order]), append=len(keys))

    def _classes(self, columns: tuple[str, ...]) -> "_Classes":
        """All classes in key order."""
        if columns not in self._by_columns:
            keys, bits, layout = self._packed(columns)
            counted = count(keys, bits, self._weights)
            self._by_columns[columns] = _Classes(counted.counts, counted.keys, layout)
        return self._by_columns[columns]

    def _values_by_class(self, columns: tuple[str, ...], sensitive: str) -> ClassValues:
        """All classes in key order, with the counts of a sensitive attribute."""
        if (columns, sensitive) not in self._values:
            value_column = self._settled(sensitive)
            shift = value_column.bits
            keys, bits, layout = self._packed(columns, room=shift)
            keys <<= keys.dtype.type(shift)
            keys |= value_column.codes
            counted = count(keys, bits + shift, self._weights)
            del keys
            class_keys = counted.keys >> counted.keys.dtype.type(shift)
            starts = run_starts(class_keys)
            values = (counted.keys & counted.keys.dtype.type((1 << shift) - 1)).astype(np.int64)
            sizes = np.add.reduceat(counted.counts, starts)
            self._by_columns.setdefault(columns, _Classes(sizes, class_keys[starts], layout))
            self._values[columns, sensitive] = ClassValues(sizes, starts, values, counted.counts)
        return self._values[columns, sensitive]

    def _settled(self, name: str) -> Column:
        """A column whose labels all occur; from then on its codes mean the positions in its marginal."""
        if self._weights is None:
            self.columns[name] = self.columns[name].without_unused_labels()
        return self.columns[name]

    def _kept(self, grouping: Grouping) -> NDArray[np.bool_] | None:
        """Which classes do not stand aside; None when all stay."""
        if grouping not in self._kept_classes:
            classes = self._classes(grouping.columns)
            out = aside(grouping, self.columns, lambda: classes.layout.codes(classes.keys)[: len(grouping.known)])
            self._kept_classes[grouping] = None if out is None else ~out
        return self._kept_classes[grouping]

    def _row_codes(self, columns: Sequence[str]) -> list[Codes]:
        return [self._settled(name).codes for name in columns]


@dataclass(frozen=True)
class _Classes:
    """All classes in key order: sizes, keys, and how to get the codes from a key."""

    sizes: Integers
    keys: Codes
    layout: Layout


def aside(
    grouping: Grouping, columns: Mapping[str, Domain], codes: Callable[[], Sequence[NDArray[np.integer]]]
) -> NDArray[np.bool_] | None:
    """Of rows or classes, given by the codes of the known columns, those that stand aside; None for none."""
    found = None
    stars = [columns[name].code(SUPPRESSED) for name in grouping.known if grouping.suppressed_apart]
    if stars and None not in stars:
        found = np.logical_and.reduce([own == star for own, star in zip(codes(), stars, strict=True)])
    blanks = [columns[name].code(None) for name in grouping.known if grouping.incomplete_apart]
    for own, blank in zip(codes(), blanks, strict=True) if set(blanks) - {None} else ():
        if blank is not None:
            found = own == blank if found is None else found | (own == blank)
    return found


def _spread(per_class: Integers, sizes: Integers, order: Integers) -> Integers:
    """A number per class as one per row."""
    per_row = np.empty(len(order), np.int64)
    per_row[order] = np.repeat(per_class, sizes)
    return per_row


def _concatenated(first: MemoryTable, second: MemoryTable, columns: Sequence[str]) -> MemoryTable:
    """The rows of two tables, one below the other, in one coding."""
    joined = {}
    for name in columns:
        one, other = first.columns[name], second.columns[name]
        values = dict.fromkeys(chain(one.values, other.values))
        codes = {value: code for code, value in enumerate(values)}
        labels = strings(list(values))
        parts = [part.recoded(labels, np.array([codes[v] for v in part.values], np.int64)) for part in (one, other)]
        joined[name] = Column(labels, np.concatenate([part.codes for part in parts]))
    return MemoryTable(joined, first.rows + second.rows)
