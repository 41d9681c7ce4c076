"""The default engine: columns as integer codes in memory, classes counted by sorting packed keys."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counts import ClassPairs, ClassSizes, ClassValues, Integers, Marginal, run_starts
from PETWorks.engines.codes import Codes, Column, Encoder, strings
from PETWorks.engines.keys import count, pack, size_histogram
from PETWorks.errors import InputError
from PETWorks.files import Source
from PETWorks.values import SUPPRESSED

Summary = TypeVar("Summary")

CELLS_PER_BATCH = 1 << 17  # what a kernel works on stays in the cache
THREADS = min(os.cpu_count() or 1, 8)


class Table:
    """Columns in memory and the counts that measures ask for."""

    def __init__(self, columns: Mapping[str, Column], rows: int) -> None:
        self.columns = dict(columns)
        self.rows = rows
        self._class_values: dict[tuple[tuple[str, ...], str], tuple[ClassValues, int | None]] = {}
        self._sizes: dict[tuple[str, ...], tuple[Integers, int | None]] = {}

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

    def suppressed_rows(self, columns: Sequence[str]) -> int:
        """Number of rows in which each of the columns is suppressed."""
        mask = self._suppressed(columns)
        return 0 if mask is None else int(np.count_nonzero(mask))

    def count_values(self, columns: Sequence[str], sensitive: str) -> None:
        """Count a sensitive attribute within the classes now, so that later questions share the work."""
        self._values_by_class(tuple(columns), sensitive)

    def class_sizes(self, columns: Sequence[str], *, suppressed_apart: bool) -> ClassSizes:
        """How many classes have how many records."""
        sizes, suppressed = self._class_sizes(tuple(columns))
        return size_histogram(_without(sizes, suppressed if suppressed_apart else None))

    def fold(
        self,
        columns: Sequence[str],
        sensitive: str,
        kernel: Callable[[ClassValues], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        suppressed_apart: bool,
    ) -> Summary:
        """Run a kernel over batches of complete classes and merge what it returns. There is always one batch."""
        classes, suppressed = self._values_by_class(tuple(columns), sensitive)
        batches = _batches(classes, suppressed if suppressed_apart else None)
        if len(classes.values) <= CELLS_PER_BATCH:
            return reduce(merge, map(kernel, batches))
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(THREADS) as pool:
            return reduce(merge, pool.map(kernel, batches))

    def fold_pairs(
        self,
        columns: Sequence[str],
        background: "Table",
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        suppressed_apart: bool,
    ) -> Summary:
        """Run a kernel over the classes of this table and of another one."""
        together = _concatenated(self, background, columns)
        keys, _ = pack([together.columns[name] for name in columns])
        mask = self._suppressed(columns) if suppressed_apart else None
        released = count(keys[: self.rows] if mask is None else keys[: self.rows][~mask])
        known = count(keys[self.rows :])
        all_keys = np.union1d(released.keys, known.keys)
        batches = np.split(all_keys, range(CELLS_PER_BATCH, len(all_keys), CELLS_PER_BATCH))
        return reduce(merge, (kernel(ClassPairs(released.of(batch), known.of(batch))) for batch in batches))

    def record_class_sizes(self, columns: Sequence[str]) -> Integers:
        """For each row, in the order of the rows, the size of its class."""
        order, sizes = self._rows_by_class(columns)
        return _spread(sizes, sizes, order)

    def record_class_modes(self, columns: Sequence[str], sensitive: str) -> tuple[Integers, Integers]:
        """For each row, in the order of the rows, the size of its class and the count of the commonest value in it."""
        order, sizes = self._rows_by_class(columns)
        classes, _ = self._values_by_class(tuple(columns), sensitive)
        modes = np.maximum.reduceat(classes.counts, classes.starts)
        return _spread(sizes, sizes, order), _spread(modes, sizes, order)

    def _rows_by_class(self, columns: Sequence[str]) -> tuple[Integers, Integers]:
        """The rows, those of a class together and classes in key order; and the sizes of the classes."""
        keys, _ = pack([self.columns[name] for name in columns])
        order = np.argsort(keys)
        return order, np.diff(run_starts(keys[order]), append=len(keys))

    def _class_sizes(self, columns: tuple[str, ...]) -> tuple[Integers, int | None]:
        """Sizes of all classes in key order, and which of them is the suppressed one."""
        for (counted_columns, _), (classes, suppressed) in self._class_values.items():
            if counted_columns == columns:
                return classes.sizes, suppressed
        if columns not in self._sizes:
            keys, bits = pack([self.columns[name] for name in columns])
            suppressed_key = self._suppressed_key(columns, keys)
            counted = count(keys, bits)
            self._sizes[columns] = counted.counts, _position(counted.keys, suppressed_key)
        return self._sizes[columns]

    def _values_by_class(self, columns: tuple[str, ...], sensitive: str) -> tuple[ClassValues, int | None]:
        """All classes with the counts of a sensitive attribute, and which class is the suppressed one."""
        if (columns, sensitive) not in self._class_values:
            value_column = self._settled(sensitive)
            keys, bits = pack([self.columns[name] for name in columns], room=value_column.bits)
            suppressed_key = self._suppressed_key(columns, keys)
            shift = value_column.bits
            keys <<= keys.dtype.type(shift)
            keys |= value_column.codes
            counted = count(keys, bits + shift)
            del keys
            class_keys = counted.keys >> counted.keys.dtype.type(shift)
            starts = run_starts(class_keys)
            values = (counted.keys & counted.keys.dtype.type((1 << shift) - 1)).astype(np.int64)
            sizes = np.add.reduceat(counted.counts, starts)
            suppressed = _position(class_keys[starts], suppressed_key)
            self._class_values[columns, sensitive] = ClassValues(sizes, starts, values, counted.counts), suppressed
        return self._class_values[columns, sensitive]

    def _settled(self, name: str) -> Column:
        """A column whose labels all occur; from then on its codes mean the positions in its marginal."""
        self.columns[name] = self.columns[name].without_unused_labels()
        return self.columns[name]

    def _suppressed(self, columns: Sequence[str]) -> NDArray[np.bool_] | None:
        """Which rows are suppressed in all of the columns; None when some column has no suppressed cell."""
        stars = [self.columns[name].code(SUPPRESSED) for name in columns]
        if not stars or None in stars:
            return None
        mask = np.ones(self.rows, np.bool_)
        for name, star in zip(columns, stars, strict=True):
            mask &= self.columns[name].codes == star
        return mask

    def _suppressed_key(self, columns: Sequence[str], keys: Codes) -> int | None:
        mask = self._suppressed(columns)
        return int(keys[np.argmax(mask)]) if mask is not None and mask.any() else None


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


def _batches(classes: ClassValues, left_out: int | None) -> Iterator[ClassValues]:
    """Cut the classes into batches of whole classes, leaving one of them out if asked to."""
    parts = [(0, len(classes.sizes))] if left_out is None else [(0, left_out), (left_out + 1, len(classes.sizes))]
    cell_ends = np.append(classes.starts, len(classes.values))
    for first, last in parts:
        while first < last:
            end = int(np.searchsorted(cell_ends, cell_ends[first] + CELLS_PER_BATCH, side="right")) - 1
            end = min(max(end, first + 1), last)
            cells = slice(cell_ends[first], cell_ends[end])
            yield ClassValues(
                classes.sizes[first:end],
                classes.starts[first:end] - cell_ends[first],
                classes.values[cells],
                classes.counts[cells],
            )
            first = end
    if all(first == last for first, last in parts):
        nothing = np.empty(0, np.int64)
        yield ClassValues(nothing, nothing, nothing, nothing)


def _spread(per_class: Integers, sizes: Integers, order: Integers) -> Integers:
    """A number per class as one per row."""
    per_row = np.empty(len(order), np.int64)
    per_row[order] = np.repeat(per_class, sizes)
    return per_row


def _without(sizes: Integers, position: int | None) -> Integers:
    return sizes if position is None else np.delete(sizes, position)


def _position(keys: Codes, key: int | None) -> int | None:
    return None if key is None else int(np.searchsorted(keys, keys.dtype.type(key)))


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
