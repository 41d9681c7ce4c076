"""The default engine: columns as integer codes in memory, classes counted by sorting packed keys."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counts import (
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
from PETWorks.engines.codes import Codes, Column, Encoder, strings
from PETWorks.engines.keys import Layout, Packed, count, pack, size_histogram
from PETWorks.errors import InputError
from PETWorks.files import Source
from PETWorks.values import SUPPRESSED

Summary = TypeVar("Summary")
Batch = TypeVar("Batch")

CELLS_PER_BATCH = 1 << 17  # what a kernel works on stays in the cache
THREADS = min(os.cpu_count() or 1, 8)


class Table:
    """Columns in memory and the counts that measures ask for."""

    def __init__(self, columns: Mapping[str, Column], rows: int) -> None:
        self.columns = dict(columns)
        self.rows = rows
        self.origin: Integers | None = None
        self._by_columns: dict[tuple[str, ...], _Classes] = {}
        self._values: dict[tuple[tuple[str, ...], str], ClassValues] = {}
        self._histograms: dict[Grouping, ClassSizes] = {}
        self._kept_classes: dict[Grouping, NDArray[np.bool_] | None] = {}

    @classmethod
    def load(cls, source: Source, columns: Sequence[str]) -> "Table":
        """Read the named columns of a source."""
        from concurrent.futures import ThreadPoolExecutor

        encoders = {name: Encoder(spaced_quotes=source.separator is not None) for name in columns}
        types: dict[str, object] = {}
        rows = 0
        for table in source.read(tuple(columns)):
            rows += table.num_rows
            types = dict(zip(columns, table.schema.types, strict=True))
            for name, chunks in zip(columns, table.columns, strict=True):
                with _naming(name, types, source):
                    for piece in chunks.chunks:
                        encoders[name].add(piece)
        if rows == 0:
            raise InputError(f"{source.name}: columns but no records")

        def finish(name: str) -> Column:
            with _naming(name, types, source):
                return encoders[name].finish()

        with ThreadPoolExecutor(THREADS) as pool:
            return cls(dict(zip(encoders, pool.map(finish, encoders), strict=True)), rows)

    def marginal(self, column: str) -> Marginal:
        """Values of a column and their counts."""
        settled = self._settled(column)
        return Marginal(settled.values, settled.counts)

    def generalised(self, levels: Mapping[str, Mapping[str | None, str | None]]) -> "Table":
        """The table with each value of the named columns replaced as the mapping says."""
        columns = dict(self.columns)
        for name, mapping in levels.items():
            column = self._settled(name)
            new_values = [mapping[value] for value in column.values]
            labels = list(dict.fromkeys(new_values))
            codes = {label: code for code, label in enumerate(labels)}
            columns[name] = column.recoded(strings(labels), np.array([codes[value] for value in new_values], np.int64))
        return Table(columns, self.rows)

    def distinct(self, columns: Sequence[str]) -> "Table":
        """One row for each combination of values that these columns have."""
        keys = pack([self._settled(name) for name in columns]).keys
        rows = np.sort(np.unique(keys, return_index=True)[1])
        table = Table({name: self.columns[name].taken(rows) for name in columns}, len(rows))
        table.origin = rows
        return table

    def rows_aside(self, grouping: Grouping) -> int:
        """Number of rows that stand aside from the classes."""
        aside = self._aside(grouping, lambda: self._row_codes(grouping.known))
        return 0 if aside is None else int(np.count_nonzero(aside))

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
        people: "Table | None" = None,
    ) -> Summary:
        """Run a kernel over batches of complete classes and merge what it returns. There is always one batch.

        How many people a class has is told by `people`, if given: a table with the same classes.
        """
        classes, kept = self._values_by_class(grouping.columns, sensitive), self._kept(grouping)
        if people is not None:
            classes = replace(classes, people=people._classes(grouping.columns).sizes)
        if kept is not None:
            classes = classes.only(kept)
        return _folded(kernel, merge, _batches(classes), len(classes.values))

    def fold_codes(
        self,
        grouping: Grouping,
        kernel: Callable[[ClassCodes], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over batches of complete classes with their values. There is always one batch."""
        classes, kept = self._classes(grouping.columns), self._kept(grouping)
        sizes = classes.sizes if kept is None else classes.sizes[kept]
        keys = classes.keys if kept is None else classes.keys[kept]

        def batches() -> Iterator[ClassCodes]:
            for first in range(0, max(len(keys), 1), CELLS_PER_BATCH):
                part = slice(first, first + CELLS_PER_BATCH)
                codes = classes.layout.codes(keys[part])
                yield ClassCodes(sizes[part], dict(zip(grouping.columns, codes, strict=True)))

        return _folded(kernel, merge, batches(), len(keys))

    def fold_pairs(
        self,
        grouping: Grouping,
        background: "Table",
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over the classes of this table and of another one."""
        joined = _concatenated(self, background, grouping.columns)
        keys = pack([joined.columns[name] for name in grouping.columns]).keys
        aside = self._aside(grouping, lambda: self._row_codes(grouping.known))
        released = count(keys[: self.rows] if aside is None else keys[: self.rows][~aside])
        incomplete = replace(grouping, suppressed_apart=False)
        aside = background._aside(incomplete, lambda: background._row_codes(grouping.known))
        known = count(keys[self.rows :] if aside is None else keys[self.rows :][~aside])
        all_keys = np.union1d(released.keys, known.keys)
        batches = np.split(all_keys, range(CELLS_PER_BATCH, len(all_keys), CELLS_PER_BATCH))
        return reduce(merge, (kernel(ClassPairs(released.of(batch), known.of(batch))) for batch in batches))

    def pair_counts(self, one: str, other: str, aligned: "Table | None" = None) -> PairCounts:
        """How often two columns have which values together; the second one may be of a table with the same rows."""
        first, second = self._settled(one), (aligned or self)._settled(other)
        keys, bits, layout = pack([first, second])
        counted = count(keys, bits)
        ones, others = layout.codes(counted.keys)
        return PairCounts(ones.astype(np.int64), others.astype(np.int64), counted.counts)

    def record_class_sizes(self, columns: Sequence[str], people: "Table | None" = None) -> Integers:
        """For each row, in the order of the rows, the size of its class; `people` are its rows that count."""
        if people is not None:
            keys = self._packed(columns).keys
            return count(keys[people.origin]).of(keys)
        order, sizes = self._rows_by_class(columns)
        return _spread(sizes, sizes, order)

    def record_class_modes(
        self, columns: Sequence[str], sensitive: str, people: "Table | None" = None
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
            counted = count(keys, bits)
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
            counted = count(keys, bits + shift)
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
        self.columns[name] = self.columns[name].without_unused_labels()
        return self.columns[name]

    def _kept(self, grouping: Grouping) -> NDArray[np.bool_] | None:
        """Which classes do not stand aside; None when all stay."""
        if grouping not in self._kept_classes:
            classes = self._classes(grouping.columns)
            aside = self._aside(grouping, lambda: classes.layout.codes(classes.keys)[: len(grouping.known)])
            self._kept_classes[grouping] = None if aside is None else ~aside
        return self._kept_classes[grouping]

    def _aside(self, grouping: Grouping, codes: Callable[[], Sequence[Codes]]) -> NDArray[np.bool_] | None:
        """Of rows or classes, given by the codes of the known columns, those that stand aside; None for none."""
        aside = None
        stars = [self.columns[name].code(SUPPRESSED) for name in grouping.known if grouping.suppressed_apart]
        if stars and None not in stars:
            aside = np.logical_and.reduce([own == star for own, star in zip(codes(), stars, strict=True)])
        blanks = [self.columns[name].code(None) for name in grouping.known if grouping.incomplete_apart]
        for own, blank in zip(codes(), blanks, strict=True) if set(blanks) - {None} else ():
            if blank is not None:
                aside = own == blank if aside is None else aside | (own == blank)
        return aside

    def _row_codes(self, columns: Sequence[str]) -> list[Codes]:
        return [self._settled(name).codes for name in columns]


@dataclass(frozen=True)
class _Classes:
    """All classes in key order: sizes, keys, and how to get the codes from a key."""

    sizes: Integers
    keys: Codes
    layout: Layout


def _folded(
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


@contextmanager
def _naming(column: str, types: Mapping[str, object], source: Source) -> Iterator[None]:
    """Name the column whose cells cannot be read as text; what Arrow says might quote one."""
    from pyarrow import ArrowException

    try:
        yield
    except MemoryError:
        raise
    except (ArrowException, UnicodeDecodeError):
        raise InputError(
            f"{source.name}: column {column!r} has cells of type {types[column]}, not all of them text"
        ) from None


def _batches(classes: ClassValues) -> Iterator[ClassValues]:
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


def _spread(per_class: Integers, sizes: Integers, order: Integers) -> Integers:
    """A number per class as one per row."""
    per_row = np.empty(len(order), np.int64)
    per_row[order] = np.repeat(per_class, sizes)
    return per_row


def _concatenated(first: Table, second: Table, columns: Sequence[str]) -> Table:
    """The rows of two tables, one below the other, in one coding."""
    joined = {}
    for name in columns:
        one, other = first.columns[name], second.columns[name]
        values = dict.fromkeys(chain(one.values, other.values))
        codes = {value: code for code, value in enumerate(values)}
        labels = strings(list(values))
        parts = [part.recoded(labels, np.array([codes[v] for v in part.values], np.int64)) for part in (one, other)]
        joined[name] = Column(labels, np.concatenate([part.codes for part in parts]))
    return Table(joined, first.rows + second.rows)
