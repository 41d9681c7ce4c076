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
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from PETWorks.errors import Hint, InputError, ParameterError, Phrase, system_reason
from PETWorks.tables.arrays import byte_strings
from PETWorks.tables.csv_layout import LONGEST_LINE, find_encoding
from PETWorks.tables.encoding import UTF8
from PETWorks.tables.headers import repeated_names
from PETWorks.tables.packed import Content
from PETWorks.tables.quotes import are_regular
from PETWorks.tables.regular_files import no_such_file

SEPARATORS = (";", ",", "\t", "|")
LARGE_BLOCK = 1 << 23
SHORT_SAMPLE = 1 << 16  # characters, which usually have enough lines to find the separator in
SAMPLED_ROWS = 1000
SLOW_ROWS = 1 << 16  # rows per piece of a table that Python reads
PIECE_BYTES = 1 << 25  # of a file that is read in pieces

_SPACED_QUOTES = re.compile(r'\s+"((?:[^"]|"")*)"\s*', re.DOTALL)


class CSV:
    """A CSV file with a header, packed or not; use it where a path would do, to name its separator or encoding.

    >>> CSV("data/delta.csv", separator=";").names
    ('zip', 'age', 'nationality', 'salary-class')
    """

    engine: str | None = None
    ordered = True

    def __init__(self, path: str | os.PathLike[str], separator: str | None = None, encoding: str | None = None) -> None:
        self._file = Path(path)
        self.path: Path | None = self._file
        self.name = self._file.name
        check_separator(separator)
        with reading(self._file):
            self.content = Content(self._file)
            with self.content.open() as file:
                head = file.read(LONGEST_LINE)
            if not head.strip(b"\r\n\t ;,|\xef\xbb\xbf"):
                raise InputError("{table}: the file is empty", table=self.name)
            self._encoding, self._layout = find_encoding(self.content, encoding)
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
            raise InputError("{table}: the file has a header but no records", table=self.name)
        self.rows: int | None = self._lines - self._header_lines
        self.line_ends_in_cells = self._layout.line_ends_in_cells
        self.has_quotes = self._layout.has_quotes
        # Every line is a record then.
        self.is_plain = self._header_lines == 1 and not self.line_ends_in_cells
        self.is_plain &= self._layout.blank_lines == self._layout.blank_end

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The columns, dictionary-encoded, cells as they stand in the file; at once, or so many rows at a time."""
        with reading(self._file):
            is_plain = self.is_plain and (
                not self._layout.has_quotes or are_regular(self.content, self._encoding, self._separator)
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
        with reading(self._file), self.content.open() as file:
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
            return arrow_csv.read_csv(self.content.for_arrow(), *self._options(columns, self._block_bytes))
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
            with arrow_csv.open_csv(self.content.for_arrow(), *self._options(columns, PIECE_BYTES)) as reader:
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
                "{table}: the file cannot be read in pieces; use the engine 'memory'",
                Hint.ENGINE_IN_MEMORY,
                table=self.name,
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
        with _long_cells(), self.content.text(encoding) as file:
            reader = csv.reader(file, delimiter=self._separator, strict=True)
            try:
                for row in reader:
                    if row and len(row) != width:
                        cells = Phrase("1 cell") if len(row) == 1 else Phrase("{number} cells", number=len(row))
                        raise InputError(
                            "{table}, line {line}: {cells}, but the header has {width}",
                            table=self.name,
                            line=line,
                            cells=cells,
                            width=width,
                        )
                    if row or width == 1:
                        yield row or [""]
                    line = reader.line_num + 1
            except csv.Error as error:
                # There is no other way to learn it; the text has no cell in it, and is not shown.
                if "expected after" in str(error):
                    raise InputError(
                        "{table}, line {line}: text follows a closing quote", table=self.name, line=line
                    ) from None
                raise InputError("{table}, line {line}: a quote is not closed", table=self.name, line=line) from None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the system's errors about a file into ours."""
    try:
        yield
    except FileNotFoundError:
        raise no_such_file(path) from None
    except OSError as error:
        raise InputError("cannot read {path!r}: {reason}", path=str(path), reason=system_reason(error)) from None


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's CSV reader take cells as long as a line may be."""
    usual = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def check_separator(separator: str | None) -> None:
    """An error for what cannot separate cells."""
    if separator is not None and (len(separator) != 1 or not separator.isascii() or separator in '"\r\n'):
        raise ParameterError(
            "expected a separator of one ASCII character other than a quote or a line end, got {separator!r}",
            separator=separator,
            what="separator",
        )


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
        raise InputError("{name}, line 1: expected a header of column names", name=name) from None
    if not cells:
        raise InputError("{name}, line 1: expected the column names, got an empty line", name=name)
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


def dictionary_array(cells: Sequence[Any], text: Callable[[Any], str] = str) -> pa.DictionaryArray:
    """Cells as an Arrow array of texts, made from buffers: PyArrow's way from lists imports pandas.

    text   what makes a text of a cell; cells that are equal have the same one
    """
    codes: defaultdict[Any, int] = defaultdict()
    codes.default_factory = codes.__len__  # the next code
    indices = np.fromiter(map(codes.__getitem__, cells), np.int32, len(cells))
    texts = dict.fromkeys(map(text, codes))
    if len(texts) < len(codes):  # cells that differ have the same text
        places = {own: place for place, own in enumerate(texts)}
        indices = np.array([places[text(cell)] for cell in codes], np.int32)[indices]
    labels = byte_strings([own.encode() for own in texts]).view(pa.large_string())
    return pa.DictionaryArray.from_arrays(
        pa.Array.from_buffers(pa.int32(), len(cells), [None, pa.py_buffer(indices)]), labels
    )
