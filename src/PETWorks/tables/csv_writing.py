"""CSV that is written: a file again with some of its columns changed or left out, or any table as a new file.

A file that is written again keeps its dialect, and every field that does not change keeps its bytes. New texts are
quoted where they must be. What a record consists of (runs of fields that stay as they are, new texts, line ends) lies
in Arrow arrays of bytes, of which one call takes the parts of many records in the order in which they are written.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from PETWorks.errors import InputError, Phrase
from PETWorks.tables.arrays import arrow_integers, byte_strings, strings
from PETWorks.tables.changes import Changes, Feed
from PETWorks.tables.csv_cells import (
    Cells,
    Column,
    Dialect,
    Integers,
    encoded_texts,
    quoted_texts,
    rows_at_a_time,
    unencodable,
    written_cells,
)
from PETWorks.tables.csv_fields import Records, records_of, written_encoding
from PETWorks.tables.csvfile import CSV, SEPARATORS

ROWS = 1 << 16  # that are written at a time, at most
EMPTY = b'""'  # a line with an empty cell alone would be no record for many readers

Write = Callable[[BinaryIO], None]
Read = tuple[Records | bytes, Mapping[int, Cells]]  # records with their new cells, or bytes that stand before them


def rewritten_csv(
    source: CSV,
    *,
    drop: Collection[str] = (),
    changed: "Mapping[str, Column] | Changes | None" = None,
    order: Integers | None = None,
) -> Write:
    """What writes a CSV file again, without some columns and with new texts in others.

    changed   for each column its new cells, as many as the file has records; a null one is an empty cell. Or what
              makes them as the file is read again, if they must not be in memory all at once
    order     which records are written, in this order; all as they stand if it is None
    """
    kept = [place for place, name in enumerate(source.names) if name not in drop]
    assert source.separator is not None
    dialect = Dialect(source.separator, written_encoding(source), alone=len(kept) == 1)
    given = changed if isinstance(changed, Mapping) else {} if changed is None else changed.labels
    new = {source.names.index(name): column for name, column in given.items() if name not in drop}
    cells = {
        place: written_cells(
            column, source.names[place], source.name, dialect, before=source.separator if place != kept[0] else ""
        )
        for place, column in new.items()
    }
    # Then a line may be empty that was not, or stand at the end without a line end.
    quotes_empty = dialect.alone and (len(source.names) > 1 or order is not None)
    names = _clear_names(source, kept, dialect) if len(kept) < len(source.names) else {}
    header, body = _Plan(kept, names, quotes_empty=quotes_empty), _Plan(kept, cells, quotes_empty=quotes_empty)
    changes = None if isinstance(changed, Mapping) or not given else changed

    def write(file: BinaryIO) -> None:
        new = _Given(source, cells) if changes is None else _Made(source, cells, changes)
        read = _with_header(source, header, body, new)
        pieces = _in_order(read, body) if order is None else _reordered(read, body, source, order)
        for octets in pieces:
            file.write(dialect.encoded(octets))

    return write


def _clear_names(source: CSV, kept: list[int], dialect: Dialect) -> dict[int, Cells]:
    """Quoted names, where readers could see another separator in one: with fewer columns it might seem the better."""
    cells = {}
    for place in kept:
        name = source.names[place]
        if any(sign in name for sign in SEPARATORS):
            before = dialect.separator if place != kept[0] else ""
            written = strings([f'{before}"{name.replace(chr(34), chr(34) * 2)}"'])
            cells[place] = Cells(encoded_texts(written, dialect), np.zeros(1, np.int64))
    return cells


class _Plan:
    """How a record is put together: runs of fields that are copied, and new cells, column by column."""

    def __init__(self, kept: list[int], cells: Mapping[int, Cells], *, quotes_empty: bool) -> None:
        self.parts: list[tuple[int, int] | int] = []  # the first and last of some fields, or a column of new cells
        self.cells = cells
        self.quotes_empty = quotes_empty
        self.rows = rows_at_a_time((column.longest for column in cells.values()), ROWS)
        for place in kept:
            last = self.parts[-1] if self.parts else None
            if place in cells:
                self.parts.append(place)
            elif isinstance(last, tuple) and last[1] == place - 1:
                self.parts[-1] = (last[0], place)
            else:
                self.parts.append((place, place))

    def composed(self, records: Records, cells: Mapping[int, Cells], *, with_line_ends: bool = True) -> pa.Array:
        """The parts of these records, of each as many; `cells` are their new cells."""
        rows = len(records)
        spans: list[tuple[Integers, Integers]] = []
        sources: list[int | Cells] = []  # the number of a span, or cells
        for number, part in enumerate(self.parts):
            if isinstance(part, int):
                sources.append(cells[part])
            else:
                # With the separator before it, unless it is the first.
                begin = records.ends[:, part[0] - 1] if number else records.starts[:, part[0]]
                sources.append(len(spans))
                spans.append((begin, records.ends[:, part[1]]))
        if with_line_ends:
            line_end = records.line_ends if self.quotes_empty else records.nexts
            sources.append(len(spans))
            spans.append((records.ends[:, -1], line_end))
        pool = [_spans(records.octets, spans), byte_strings([EMPTY])]
        indices = np.empty((rows, len(sources)), np.int64)
        for number, taken in enumerate(sources):
            if isinstance(taken, Cells):
                indices[:, number] = _pooled(taken, pool)
            else:
                indices[:, number] = np.arange(rows) * (2 * len(spans)) + 2 * taken
                if self.quotes_empty and number == 0:
                    begin, end = spans[taken]
                    indices[begin == end, number] = len(pool[0])
        return pa.concat_arrays(pool).take(arrow_integers(indices.ravel()))


class _Given:
    """The new cells of all records, in their order."""

    def __init__(self, source: CSV, cells: Mapping[int, Cells]) -> None:
        self._source, self._cells, self._taken = source, cells, 0

    def take(self, rows: int) -> dict[int, Cells]:
        """Those of the next records."""
        part = slice(self._taken, self._taken + rows)
        self._taken += rows
        self._check()
        return {place: Cells(own.labels, own.codes[part]) for place, own in self._cells.items()}

    def end(self) -> None:
        """An error if there are more new cells than records."""
        self._check(final=True)

    def _check(self, *, final: bool = False) -> None:
        for place, column in self._cells.items():
            if len(column.codes) < self._taken or (final and len(column.codes) > self._taken):
                at_least = Phrase("at least {records}", records=self._taken)
                raise InputError(
                    "{table}: column {column!r} has {cells} new cells, but the file has {records} records",
                    table=self._source.name,
                    column=self._source.names[place],
                    cells=len(column.codes),
                    records=self._taken if final else at_least,
                )


class _Made:
    """The new cells of all records, made as the file is read; `cells` has one of each text that there may be."""

    def __init__(self, source: CSV, cells: Mapping[int, Cells], changes: Changes) -> None:
        self._source, self._cells, self._feed = source, cells, Feed(source, changes)

    def take(self, rows: int) -> dict[int, Cells]:
        """Those of the next records."""
        codes = self._feed.take(rows)
        own = self._cells.items()
        return {place: Cells(cells.labels, cells.codes[codes[self._source.names[place]]]) for place, cells in own}

    def end(self) -> None:
        """An error if the file has become longer."""
        self._feed.end()


def _spans(octets: bytes, spans: list[tuple[Integers, Integers]]) -> pa.Array:
    """Some spans of bytes per record, each followed by what lies between it and the next."""
    bounds = np.stack([bound for span in spans for bound in span], axis=1).ravel() if spans else np.empty(0, np.int64)
    return pa.Array.from_buffers(
        pa.large_binary(), max(len(bounds) - 1, 0), [None, pa.py_buffer(bounds), pa.py_buffer(octets)]
    )


def _pooled(cells: Cells, pool: list[pa.Array]) -> Integers:
    """Where in the pool cells are, after they were put there."""
    before, codes = sum(map(len, pool)), cells.codes
    if len(cells.labels) <= len(codes):
        pool.append(cells.labels)
        return codes + before
    pool.append(cells.labels.take(arrow_integers(codes)))
    return np.arange(before, before + len(codes))


def _joined(array: pa.Array) -> memoryview:
    """The bytes of an array that was just made, one element after the other."""
    _, offsets, data = array.buffers()
    end = int(np.frombuffer(offsets, np.int64)[len(array)]) if len(array) else 0
    return memoryview(data)[:end] if end else memoryview(b"")


def _in_order(read: Iterator[Read], body: _Plan) -> Iterator[bytes | memoryview]:
    """The bytes of a file, block by block."""
    for records, cells in read:
        if isinstance(records, bytes):
            yield records
        else:
            yield b"" if body.quotes_empty else records.before
            yield _joined(body.composed(records, cells))


def _reordered(read: Iterator[Read], body: _Plan, source: CSV, order: Integers) -> Iterator[bytes | memoryview]:
    """The bytes of a file with its records in another order, without blank lines; line ends stay where they are."""
    from pyarrow import compute as pc

    rows: list[pa.Array] = []
    line_ends: list[pa.Array] = []
    for records, cells in read:
        if isinstance(records, bytes):
            yield records
        else:
            rows.append(_merged(body.composed(records, cells, with_line_ends=False), len(body.parts)))
            ends = _spans(records.octets, [(records.ends[:, -1], records.line_ends)])
            line_ends.append(ends.take(arrow_integers(np.arange(len(records)) * 2)))
    every_row, every_end = pa.concat_arrays(rows), pa.concat_arrays(line_ends)
    check_order(order, len(every_row), source.name)
    # The last line of the file may have no line end.
    ended_by = np.append(np.arange(len(order) - 1), len(every_row) - 1)
    nothing = byte_strings([b""])[0]
    for first in range(0, len(order), body.rows):
        written = slice(first, first + body.rows)
        chosen = every_row.take(arrow_integers(order[written])), every_end.take(arrow_integers(ended_by[written]))
        yield _joined(pc.binary_join_element_wise(*chosen, nothing))


def _with_header(source: CSV, header: _Plan, body: _Plan, new: _Given | _Made) -> Iterator[Read]:
    """The bytes up to the end of the header; then records, with their new cells."""
    for number, block in enumerate(records_of(source)):
        records = block
        if number == 0:
            line, records = block.divided()
            yield line.before + _joined(header.composed(line, header.cells)), {}
        for piece in records.pieces(body.rows):
            yield piece, new.take(len(piece))
    new.end()


def _merged(array: pa.Array, size: int) -> pa.Array:
    """An array that was just made, so many elements as one."""
    _, offsets, data = array.buffers()
    bounds = np.frombuffer(offsets, np.int64)[: len(array) + 1][::size] if len(array) else np.zeros(1, np.int64)
    buffers = [None, pa.py_buffer(np.ascontiguousarray(bounds)), data]
    return pa.Array.from_buffers(pa.large_binary(), len(array) // size, buffers)


def check_order(order: Integers, rows: int, name: str) -> None:
    """An error unless it names records of the table, each at most once."""
    if not len(order) or order.min() < 0 or order.max() >= rows or np.bincount(order).max() > 1:
        raise InputError(
            "{name}: the order of the records must name each of {rows} records at most once", name=name, rows=rows
        )


def new_csv(table: pa.Table, name: str, dialect: Dialect, order: Integers | None = None) -> Write:
    """What writes a table as a CSV file that is nobody's copy, with line feeds; `name` is what messages call it."""
    if order is not None:
        check_order(order, table.num_rows, name)
    header = _header(table.column_names, name, dialect)
    columns = _columns(table, name, dialect)
    if order is not None:
        columns = [Cells(cells.labels, cells.codes[order]) for cells in columns]

    def write(file: BinaryIO) -> None:
        file.write(header)
        for octets in _lines(columns, dialect):
            file.write(octets)

    return write


def new_csv_of_pieces(pieces: Callable[[], Iterator[pa.Table]], names: list[str], name: str, dialect: Dialect) -> Write:
    """The same for a table that comes in pieces."""
    header = _header(names, name, dialect)

    def write(file: BinaryIO) -> None:
        file.write(header)
        for piece in pieces():
            for octets in _lines(_columns(piece, name, dialect), dialect):
                file.write(octets)

    return write


def _header(names: list[str], name: str, dialect: Dialect) -> bytes | memoryview:
    """The line with the names of the columns, and what precedes it."""
    written = quoted_texts(strings(names), dialect).to_pylist()
    mark = "\ufeff" if dialect.marked else ""
    header = encoded_texts(strings([mark + dialect.separator.join(written) + "\n"]), dialect)
    if header is None:
        raise unencodable(name, Phrase("the header has"), dialect)
    return dialect.encoded(_joined(header))


def _columns(table: pa.Table, name: str, dialect: Dialect) -> list[Cells]:
    """The columns of a table as they are written, separators and line ends with them."""
    last = table.num_columns - 1
    return [
        written_cells(
            column,
            table.column_names[place],
            name,
            dialect,
            before=dialect.separator if place else "",
            after="\n" if place == last else "",
        )
        for place, column in enumerate(table.columns)
    ]


def _lines(columns: list[Cells], dialect: Dialect) -> Iterator[bytes | memoryview]:
    """The lines of a table, many at a time."""
    step = rows_at_a_time((cells.longest for cells in columns), ROWS)
    for first in range(0, len(columns[0].codes), step):
        pool = [byte_strings([])]
        some = [Cells(cells.labels, cells.codes[first : first + step]) for cells in columns]
        indices = np.stack([_pooled(cells, pool) for cells in some], axis=1)
        yield dialect.encoded(_joined(pa.concat_arrays(pool).take(arrow_integers(indices.ravel()))))
