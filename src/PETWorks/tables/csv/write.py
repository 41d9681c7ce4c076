"""Writing CSV: texts are quoted only where necessary, and all lines have the same line end.

The parts of records are in Arrow arrays of bytes; one call takes the parts of many records in the order in which they
are written.
"""

import codecs
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError, Phrase
from PETWorks.tables.arrays import arrow_integers, byte_strings, numpy_integers, strings, texts, unreadable_column
from PETWorks.tables.csv.read import CSV, LONGEST_LINE, SEPARATORS, UTF8, converting_os_errors

ROWS = 1 << 16  # most rows written at a time
PIECE_BYTES = 1 << 26  # written at a time: a few long texts may occur in many rows

# Encodings of files that begin with a byte-order mark, and the encodings for the rest.
UNMARKED = {"utf-8-sig": UTF8, "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
MARK = "\ufeff"

Integers = NDArray[np.int64]
Column: TypeAlias = "pa.Array | pa.ChunkedArray"
Write = Callable[[BinaryIO], None]


@dataclass(frozen=True)
class Dialect:
    """The dialect of a CSV file; `marked`: it begins with a byte-order mark."""

    separator: str
    encoding: str = UTF8
    marked: bool = False
    line_end: str = "\n"

    @classmethod
    def of(cls, source: CSV) -> "Dialect":
        """The dialect of a file: its separator, encoding, byte-order mark if any, and first line end."""
        assert source.separator is not None
        with converting_os_errors(source.content.path), source.content.open() as file:
            start = file.read(LONGEST_LINE)
        encoding = source.encoding or UTF8
        if encoding in ("utf-16", "utf-32"):
            big_endian = start.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
            encoding = f"{encoding}-{'be' if big_endian else 'le'}"
        encoding = UNMARKED.get(encoding, encoding)
        text = codecs.getincrementaldecoder(encoding)("ignore").decode(start)
        is_marked = encoding.startswith("utf") and text.startswith(MARK)
        return cls(source.separator, encoding, is_marked, "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n")


@dataclass(frozen=True, eq=False)
class Cells:
    """A column as written: record i has the bytes `labels[codes[i]]`."""

    labels: pa.Array
    codes: Integers

    @cached_property
    def longest(self) -> int:
        """Length of the longest text."""
        return longest_text(self.labels)


def rows_at_a_time(longest: Iterable[int], most: int) -> int:
    """The number of rows to write at a time, for texts of at most these lengths."""
    return max(min(most, PIECE_BYTES // (sum(longest) + 1)), 1)


def longest_text(labels: pa.Array) -> int:
    """Length of the longest text, in bytes."""
    from pyarrow import compute as pc

    return pc.max(pc.binary_length(labels)).as_py() or 0


def new_csv(table: pa.Table, name: str, dialect: Dialect, order: Integers | None = None) -> Write:
    """A function that writes a table as a CSV file; `name` is its name in messages.

    order   indices of the records to write, in this order; None for all in their order
    """
    if order is not None:
        check_order(order, table.num_rows, name)
    lines = _Lines(table.column_names, name, dialect)
    columns = lines.columns(table)
    if order is not None:
        columns = [Cells(cells.labels, cells.codes[order]) for cells in columns]

    def write(file: BinaryIO) -> None:
        file.write(lines.header())
        for octets in lines.written(columns):
            file.write(octets)

    return write


def new_csv_of_pieces(pieces: Callable[[], Iterator[pa.Table]], names: list[str], name: str, dialect: Dialect) -> Write:
    """A function that writes a table that comes in pieces as a CSV file."""
    lines = _Lines(names, name, dialect)

    def write(file: BinaryIO) -> None:
        file.write(lines.header())
        for piece in pieces():
            for octets in lines.written(lines.columns(piece)):
                file.write(octets)

    return write


def check_order(order: Integers, rows: int, name: str) -> None:
    """Raise unless the order names records of the table, each at most once."""
    if not len(order) or order.min() < 0 or order.max() >= rows or np.bincount(order).max() > 1:
        raise InputError(
            "{name}: the order of the records must name each of {rows} records at most once", name=name, rows=rows
        )


class _Lines:
    """The lines of a CSV file with these columns; `table` is its name in messages."""

    def __init__(self, names: list[str], table: str, dialect: Dialect) -> None:
        self._names, self._table, self._dialect = names, table, dialect
        # Readers detect the separator in the header or, if there is only one column, in any line.
        self._only = len(names) == 1

    def header(self) -> bytes | memoryview:
        """The line with the column names, after the byte-order mark if any."""
        written = _quote(strings(self._names), (*SEPARATORS, self._dialect.separator), quotes_empty=self._only)
        mark = MARK if self._dialect.marked else ""
        line = mark + self._dialect.separator.join(written.to_pylist()) + self._dialect.line_end
        return self._encode(memoryview(line.encode()), Phrase("the header has"))

    def columns(self, table: pa.Table) -> list[Cells]:
        """The columns of a table as written, in UTF-8, including separators and line ends."""
        last = table.num_columns - 1
        return [
            self._cells(
                column,
                table.column_names[index],
                before=self._dialect.separator if index else "",
                after=self._dialect.line_end if index == last else "",
            )
            for index, column in enumerate(table.columns)
        ]

    def written(self, columns: list[Cells]) -> Iterator[bytes | memoryview]:
        """The bytes of many lines at a time."""
        step = rows_at_a_time((cells.longest for cells in columns), ROWS)
        for first in range(0, len(columns[0].codes), step):
            pool = [byte_strings([])]
            cells_of_step = [Cells(cells.labels, cells.codes[first : first + step]) for cells in columns]
            indices = np.stack([_add_to_pool(cells, pool) for cells in cells_of_step], axis=1)
            yield self._encode(
                _all_bytes(pa.concat_arrays(pool).take(arrow_integers(indices.ravel()))), Phrase("it has cells")
            )

    def _cells(self, column: Column, name: str, *, before: str, after: str) -> Cells:
        """Cells as written, with the text before and after each."""
        from pyarrow import compute as pc

        labels, codes = _labels_and_codes(column, name, self._table)
        if pc.any(pc.match_substring(labels, "\0")).as_py():
            raise InputError(
                "{table}: column {column!r} has cells with a NUL character, which CSV cannot have",
                table=self._table,
                column=name,
            )
        separators = SEPARATORS if self._only else (self._dialect.separator,)
        around = strings([before, after, ""])
        written = pc.binary_join_element_wise(
            around[0], _quote(labels, separators, quotes_empty=self._only), around[1], around[2]
        )
        octets = written.cast(pa.large_binary())
        self._encode(_all_bytes(octets), Phrase("column {column!r} has cells", column=name))
        return Cells(octets, codes)

    def _encode(self, octets: bytes | memoryview, what: Phrase) -> bytes | memoryview:
        """Bytes converted to the encoding of the file; raise if it lacks a character."""
        if self._dialect.encoding == UTF8:
            return octets
        try:
            return str(octets, UTF8).encode(self._dialect.encoding)
        except UnicodeEncodeError:
            raise InputError(
                "{table}: {cells} with characters that its encoding {encoding} does not have; "
                "save the table as UTF-8, or write Parquet",
                table=self._table,
                cells=what,
                encoding=self._dialect.encoding,
            ) from None


def _quote(labels: pa.Array, separators: Iterable[str], *, quotes_empty: bool) -> pa.Array:
    """Texts as fields: quoted if they have a separator, a quote, a line end, or surrounding blanks.

    For many readers, an empty line is not a record, so a single empty cell is quoted.
    """
    from pyarrow import compute as pc

    blank = r"[\s\v\p{Z}\x{feff}]"
    signs = "".join(rf"\x{{{ord(sign):x}}}" for sign in separators)
    needed = pc.match_substring_regex(labels, rf'["\r\n{signs}]|^{blank}|{blank}$' + ("|^$" if quotes_empty else ""))
    quote = strings(['"', ""])
    doubled = pc.replace_substring(labels, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise(quote[0], doubled, quote[0], quote[1]), labels)


def _labels_and_codes(column: Column, name: str, table: str) -> tuple[pa.Array, Integers]:
    """The texts of a column, and the index of the text of each row; the last text is for null cells."""
    dictionaries: list[pa.Array] = []
    codes: list[Integers] = []
    size = 0
    try:
        for piece in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            dictionary, indices = _dictionary(piece)
            if not dictionaries or not dictionary.equals(dictionaries[-1]) or pa.types.is_floating(dictionary.type):
                size += len(dictionary)
                dictionaries.append(dictionary)
            codes.append(np.where(indices < 0, -1, indices + (size - len(dictionary))))
        labels = pa.concat_arrays([*(texts(dictionary) for dictionary in dictionaries), strings([""])])
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable_column(table, name, column.type) from None
    every_code = np.concatenate([np.empty(0, np.int64), *codes])
    every_code[every_code < 0] = size
    return _without_nulls(labels), every_code


def _dictionary(piece: pa.Array) -> tuple[pa.Array, Integers]:
    """The distinct cells of a piece, and the index of each row's cell; -1 for nulls."""
    from pyarrow import compute as pc

    if pa.types.is_string_view(piece.type):
        piece = piece.cast(pa.large_string())
    if not pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_encode()
    indices = piece.indices.cast(pa.int64())
    return piece.dictionary, numpy_integers(pc.fill_null(indices, arrow_integers(np.array([-1]))[0])).astype(np.int64)


def _without_nulls(labels: pa.Array) -> pa.Array:
    """Labels with nulls replaced by empty texts."""
    from pyarrow import compute as pc

    return pc.fill_null(labels, strings([""])[0]) if labels.null_count else labels


def _add_to_pool(cells: Cells, pool: list[pa.Array]) -> Integers:
    """Add cells to the pool; return their indices there."""
    before, codes = sum(map(len, pool)), cells.codes
    if len(cells.labels) <= len(codes):
        pool.append(cells.labels)
        return codes + before
    pool.append(cells.labels.take(arrow_integers(codes)))
    return np.arange(before, before + len(codes))


def _all_bytes(array: pa.Array) -> memoryview:
    """The concatenated bytes of an array that was just made."""
    _, offsets, data = array.buffers()
    end = int(np.frombuffer(offsets, np.int64)[len(array)]) if len(array) else 0
    return memoryview(data)[:end] if end else memoryview(b"")
