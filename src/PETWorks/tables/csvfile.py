"""CSV tables: separator and encoding found by looking, every cell kept as text, no row lost.

PyArrow reads fast, in blocks that it cuts at line ends. It does so here when no cell can contain a line end: then
the number of rows must be the number of lines; and when quotes can be read in one way only. Any other file is read,
slowly, by Python's own reader.
"""

import codecs
import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from PETWorks.errors import Hint, InputError, ParameterError, quoted
from PETWorks.tables.encoding import BIG5, UTF8, Big5Evidence, undecodable
from PETWorks.tables.headers import repeated_names
from PETWorks.tables.line_ends import LineEnds
from PETWorks.tables.quotes import are_regular

SEPARATORS = (";", ",", "\t", "|")
LONGEST_LINE = 1 << 22
LARGE_BLOCK = 1 << 23
SHORT_SAMPLE = 1 << 16  # characters, which usually have enough lines to find the separator in
SCAN_BLOCK = 1 << 18  # stays in the cache of a core
SAMPLED_ROWS = 1000
SLOW_ROWS = 1 << 16  # rows per piece of a table that Python reads
PIECE_BYTES = 1 << 25  # of a file that is read in pieces

_SPACED_QUOTES = re.compile(r'\s+"((?:[^"]|"")*)"\s*', re.DOTALL)


class CSV:
    """A CSV file with a header; use it where a path would do, to name its separator or encoding.

    >>> CSV("data/delta.csv", separator=";").names
    ('zip', 'age', 'nationality', 'salary-class')
    """

    engine: str | None = None
    ordered = True

    def __init__(self, path: str | os.PathLike[str], separator: str | None = None, encoding: str | None = None) -> None:
        self._file = Path(path)
        self.path: Path | None = self._file
        self.name = self._file.name
        if separator is not None and (len(separator) != 1 or not separator.isascii() or separator in '"\r\n'):
            raise ParameterError(
                f"expected a separator of one ASCII character other than a quote or a line end, got {separator!r}",
                what="separator",
            )
        with reading(self._file):
            with self._file.open("rb") as file:
                head = file.read(LONGEST_LINE)
            if not head.strip(b"\r\n\t ;,|\xef\xbb\xbf"):
                raise InputError(f"{self.name}: the file is empty")
            self._encoding, self._layout = _find_encoding(self._file, encoding)
        self.encoding: str | None = self._encoding
        sample = codecs.getincrementaldecoder(self._encoding)("ignore").decode(head).removeprefix("\ufeff")
        with _long_cells():
            self._separator = separator or _find_separator(sample)
            self.names, self._header_lines = _header(sample, self._separator, self.name)
            self.repeated_names = repeated_names(self.names, _sampled(sample, self._separator))
        self.separator: str | None = self._separator
        # In a table of one column an empty line is a missing cell, also at the end.
        self._lines = self._layout.lines - (self._layout.blank_end if len(self.names) > 1 else 0)
        if self._lines <= self._header_lines:
            raise InputError(f"{self.name}: the file has a header but no records")
        self.rows: int | None = self._lines - self._header_lines
        self.line_ends_in_cells = self._layout.line_ends_in_cells
        # Every line is a record then.
        self.is_plain = self._header_lines == 1 and not self.line_ends_in_cells
        self.is_plain &= self._layout.blank_lines == self._layout.blank_end

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The columns, dictionary-encoded, cells as they stand in the file; at once, or so many rows at a time."""
        with reading(self._file):
            is_plain = self.is_plain and (
                not self._layout.has_quotes or are_regular(self._file, self._encoding, self._separator)
            )
        if in_pieces and is_plain:
            yield from self._stream(columns)
            return
        table = self._parse(columns) if is_plain and not in_pieces else None
        if table is not None and table.num_rows == self.rows:
            yield table
        else:
            with reading(self._file):
                yield from self._parse_slowly(columns)

    def beginning(self, rows: int) -> list[list[str]]:
        """The cells of so many first records, without reading on; fewer if quotes keep them from being read alone."""
        with reading(self._file), self._file.open("rb") as file:
            head = file.read(LONGEST_LINE)
        sample = codecs.getincrementaldecoder(self._encoding)("ignore").decode(head).removeprefix("\ufeff")
        try:
            with _long_cells():
                return [row for row, _ in _first_rows(sample, self._separator, rows + 1)][1:]
        except csv.Error:
            return []

    def _parse(self, columns: tuple[str, ...]) -> pa.Table | None:
        """The table as PyArrow reads it; None where it finds fault with the rows."""
        from pyarrow import csv as arrow_csv

        try:
            return arrow_csv.read_csv(self._file, *self._options(columns, self._block_bytes))
        except (pa.ArrowInvalid, UnicodeError, OSError):
            # PyArrow's own message quotes the row; and it takes a file named .gz for one.
            return None

    @property
    def _block_bytes(self) -> int:
        """How much PyArrow parses at a time: more of a large file, of which every core still gets its part."""
        return LARGE_BLOCK if self._file.stat().st_size > 16 * LARGE_BLOCK else LONGEST_LINE

    def _stream(self, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """The table as PyArrow reads it, piece by piece."""
        from pyarrow import csv as arrow_csv

        rows = 0
        try:
            with arrow_csv.open_csv(self._file, *self._options(columns, PIECE_BYTES)) as reader:
                for batch in reader:
                    rows += batch.num_rows
                    yield pa.Table.from_batches([batch])
        except (pa.ArrowInvalid, UnicodeError, OSError):
            rows = -1
        if rows != self.rows:
            with reading(self._file):
                for _ in self._parse_slowly(columns):
                    pass  # until the line that is not right
            raise InputError(
                f"{self.name}: the file cannot be read in pieces; use the engine 'memory'", Hint.ENGINE_IN_MEMORY
            )

    def _options(self, columns: tuple[str, ...], block_size: int) -> tuple[Any, Any, Any]:
        """How PyArrow is to read the file."""
        from pyarrow import csv as arrow_csv

        positions = [str(position) for position in range(len(self.names))]
        wanted = [positions[place] for place in self._places(columns)]
        return (
            arrow_csv.ReadOptions(
                column_names=positions, skip_rows_after_names=1, block_size=block_size, encoding=self._encoding
            ),
            arrow_csv.ParseOptions(delimiter=self._separator, ignore_empty_lines=len(self.names) > 1),
            arrow_csv.ConvertOptions(
                column_types={position: pa.dictionary(pa.int32(), pa.string()) for position in wanted},
                include_columns=wanted,
                strings_can_be_null=False,
            ),
        )

    def _parse_slowly(self, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """The table as Python's reader has it; an error that names the first line that is not right."""
        wanted = self._places(columns)
        rows = self._rows()
        next(rows)
        while piece := list(islice(rows, SLOW_ROWS)):
            yield pa.Table.from_arrays([dictionary_array([row[at] for row in piece]) for at in wanted], list(columns))

    def _places(self, columns: tuple[str, ...]) -> list[int]:
        places = {name: place for place, name in enumerate(self.names)}
        return [places[name] for name in columns]

    def _rows(self) -> Iterator[list[str]]:
        width, line = len(self.names), 1
        encoding = "utf-8-sig" if self._encoding == UTF8 else self._encoding
        with _long_cells(), self._file.open(encoding=encoding, newline="") as file:
            reader = csv.reader(file, delimiter=self._separator, strict=True)
            try:
                for row in reader:
                    if row and len(row) != width:
                        cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
                        raise InputError(f"{self.name}, line {line}: {cells}, but the header has {width}")
                    if row or width == 1:
                        yield row or [""]
                    line = reader.line_num + 1
            except csv.Error as error:
                # There is no other way to learn it; the text has no cell in it, and is not shown.
                what = "text follows a closing quote" if "expected after" in str(error) else "a quote is not closed"
                raise InputError(f"{self.name}, line {line}: {what}") from None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the system's errors about a file into ours."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"no such file: {str(path)!r}") from None
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from None


@dataclass(frozen=True)
class _Layout:
    """Lines of a file, blank ones in all and at its end, whether a cell may contain a line end, and any quotes."""

    lines: int
    blank_lines: int
    blank_end: int
    line_ends_in_cells: bool
    has_quotes: bool


def _find_encoding(path: Path, encoding: str | None) -> tuple[str, _Layout]:
    """The encoding that fits the whole file, and how the file is laid out."""
    if encoding is not None:
        try:
            "a".encode(encoding)
            encoding = codecs.lookup(encoding).name
        except (LookupError, ValueError):
            raise ParameterError(
                f"no encoding is called {quoted([encoding])}; expected one like 'utf-8' or 'big5'", what="encoding"
            ) from None
        try:
            return encoding, _scan(path, encoding)
        except _UndecodableError as error:
            raise InputError(f"{path.name}, line {error.line}: the bytes are not {encoding}") from None
    try:
        return UTF8, _scan(path, UTF8)
    except _UndecodableError as error:
        failure = undecodable(path.name, error.line, "name its encoding")
    try:
        return BIG5, _scan(path, BIG5)
    except _UndecodableError:
        raise failure from None


class _UndecodableError(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


def _scan(path: Path, encoding: str) -> _Layout:
    """Look at the whole file once: how it is laid out, or what is wrong with it."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    ascii_is_itself = encoding in (UTF8, BIG5)
    evidence, line_ends = Big5Evidence(), LineEnds()
    blank_end, more = 0, True
    with path.open("rb", buffering=0) as file:
        while more:
            block = file.read(SCAN_BLOCK)
            more = bool(block)
            if not (ascii_is_itself and more and block.isascii() and not decoder.getstate()[0]):
                try:
                    text = decoder.decode(block, final=not more)
                    recoded = block if ascii_is_itself else text.encode()
                except UnicodeError as error:
                    start = getattr(error, "start", 0)
                    raise _UndecodableError(line_ends.lines + block.count(b"\n", 0, start) + 1) from None
                if encoding == BIG5:
                    evidence.add(text)
                block = recoded
            if b"\0" in block:
                line = line_ends.lines + block.count(b"\n", 0, block.index(b"\0")) + 1
                raise InputError(f"{path.name}, line {line}: contains a NUL byte; the file is damaged or not CSV")
            line_ends.add(block)
            if line_ends.open_line > LONGEST_LINE:
                raise InputError(
                    f"{path.name}, line {line_ends.lines + 1}: the line is longer than {LONGEST_LINE >> 20} MiB"
                )
            if block:
                blank_end = block[len(block.rstrip(b"\r\n")) :].count(b"\n")
    if not evidence.plausible:
        raise _UndecodableError(1)
    lines = line_ends.lines + (line_ends.open_line > 0)
    return _Layout(lines, line_ends.blank_lines, max(blank_end - 1, 0), line_ends.in_cells, line_ends.has_quotes)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's CSV reader take cells as long as a line may be."""
    usual = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _find_separator(sample: str) -> str:
    """The separator that cuts the first lines into the most columns, the same number in each."""
    best, best_score = SEPARATORS[0], (False, 1)
    for separator in SEPARATORS:
        try:
            rows = [row for row, _ in _first_rows(sample, separator, 20) if row]
        except csv.Error:
            continue
        width = len(rows[0]) if rows else 1
        if width > 1:
            score = (all(len(row) == width for row in rows), width)
            if score > best_score:
                best, best_score = separator, score
    return best


def _header(sample: str, separator: str, name: str) -> tuple[tuple[str, ...], int]:
    """Column names, and how many lines they take."""
    try:
        [(cells, lines)] = _first_rows(sample, separator, 1)
    except (csv.Error, ValueError):
        raise InputError(f"{name}, line 1: expected a header of column names") from None
    if not cells:
        raise InputError(f"{name}, line 1: expected the column names, got an empty line")
    # A blank before a quote keeps readers from seeing it as one.
    spaced = [_SPACED_QUOTES.fullmatch(cell) for cell in cells]
    names = [match[1].replace('""', '"') if match else cell for cell, match in zip(cells, spaced, strict=True)]
    return tuple(name.strip() for name in names), lines


def _first_rows(sample: str, separator: str, number: int) -> list[tuple[list[str], int]]:
    """So many rows, each with the number of lines up to its end; a short part of the sample is tried first."""
    for text in (sample[:SHORT_SAMPLE], sample):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        rows = [(row, reader.line_num) for row in islice(reader, number + 1)]
        if len(rows) > number:  # the last one may be cut off
            break
    return rows[:number]


def _sampled(sample: str, separator: str) -> list[list[str]]:
    """Some records, if the quotes in front of them let them be read."""
    try:
        return [row for row, _ in _first_rows(sample[:SHORT_SAMPLE], separator, SAMPLED_ROWS)][1:]
    except csv.Error:
        return []


def dictionary_array(cells: list[str]) -> pa.DictionaryArray:
    """Cells as an Arrow array, made from buffers: PyArrow's way from lists imports pandas."""
    codes: dict[str, int] = {}
    indices = np.array([codes.setdefault(cell, len(codes)) for cell in cells], np.int32)
    texts = [text.encode() for text in codes]
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    labels = pa.Array.from_buffers(pa.large_string(), len(texts), buffers)
    return pa.DictionaryArray.from_arrays(
        pa.Array.from_buffers(pa.int32(), len(cells), [None, pa.py_buffer(indices)]), labels
    )
