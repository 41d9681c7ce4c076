"""CSV tables: separator and encoding found by looking, every cell kept as text, no row lost."""

import codecs
import csv
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from PETWorks.encoding import BIG5, UTF8, Big5Evidence, undecodable
from PETWorks.errors import InputError, ParameterError, quoted

SEPARATORS = (";", ",", "\t", "|")
LONGEST_LINE = 1 << 22
SCAN_BLOCK = 1 << 20


class CSV:
    """A CSV file with a header; use it where a path would do, to name its separator or encoding.

    >>> CSV("data/delta.csv", separator=";").names
    ('zip', 'age', 'nationality', 'salary-class')
    """

    def __init__(self, path: str | os.PathLike[str], separator: str | None = None, encoding: str | None = None) -> None:
        self._file = Path(path)
        self.path: Path | None = self._file
        self.name = self._file.name
        if separator is not None and (len(separator) != 1 or not separator.isascii() or separator in '"\r\n'):
            raise ParameterError(
                f"a separator is one ASCII character other than a quote or a line end, got {separator!r}"
            )
        with reading(self._file), self._file.open("rb") as file:
            head = file.read(LONGEST_LINE)
        if not head.strip(b"\r\n\t ;,|\xef\xbb\xbf"):
            raise InputError(f"{self.name}: the file is empty")
        found, (lines, blank_lines) = _find_encoding(self._file, encoding)
        self.encoding: str | None = found
        sample = codecs.getincrementaldecoder(found)().decode(head).removeprefix("\ufeff")
        with _long_cells():
            found_separator = separator or _find_separator(sample)
            self.separator: str | None = found_separator
            self.names, self._header_lines = _header(sample, found_separator, self.name)
        # In a table of one column an empty line is a missing cell, also at the end.
        self._lines = lines if len(self.names) == 1 else lines - blank_lines
        if self._lines <= self._header_lines:
            raise InputError(f"{self.name}: a header but no records")

    def read(self, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """The columns, dictionary-encoded, cells as they stand in the file."""
        table = self._parse(columns, line_ends_in_cells=False) if self._header_lines == 1 else None
        if table is None or table.num_rows != self._lines - self._header_lines:
            # Cells with line ends, blank lines, or rows that are not right: look at each row, slowly.
            rows = self._check_rows()
            table = self._parse(columns, line_ends_in_cells=True)
            if table is None or table.num_rows != rows:
                raise InputError(f"{self.name}: quotes or line ends that two readers understand differently")
        yield table

    def _parse(self, columns: tuple[str, ...], *, line_ends_in_cells: bool) -> pa.Table | None:
        """The table as PyArrow reads it; None where it finds fault with the rows."""
        from pyarrow import csv as arrow_csv

        positions = [str(position) for position in range(len(self.names))]
        wanted = [positions[self.names.index(name)] for name in columns] or positions[:1]
        try:
            return arrow_csv.read_csv(
                self._file,
                arrow_csv.ReadOptions(
                    column_names=positions, skip_rows_after_names=1, block_size=LONGEST_LINE, encoding=self.encoding
                ),
                arrow_csv.ParseOptions(
                    delimiter=self.separator,
                    newlines_in_values=line_ends_in_cells,
                    ignore_empty_lines=len(self.names) > 1,
                ),
                arrow_csv.ConvertOptions(
                    column_types={position: pa.dictionary(pa.int32(), pa.string()) for position in wanted},
                    include_columns=wanted,
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            # PyArrow's own message quotes the row.
            return None

    def _check_rows(self) -> int:
        """Number of records; an error that names the first line that is not right."""
        width, rows, line = len(self.names), 0, 1
        with _long_cells(), self._file.open(encoding=self.encoding, newline="") as file:
            reader = csv.reader(file, delimiter=self.separator or SEPARATORS[0], strict=True)
            try:
                for row in reader:
                    if row and len(row) != width:
                        cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
                        raise InputError(f"{self.name}, line {line}: {cells} where the header has {width}")
                    rows += bool(row) or width == 1
                    line = reader.line_num + 1
            except csv.Error:
                raise InputError(f"{self.name}, line {line}: a quote that does not close where it should") from None
        return rows - 1


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the system's errors about a file into ours."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"no such file: {str(path)!r}") from None
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from None


def _find_encoding(path: Path, encoding: str | None) -> tuple[str, tuple[int, int]]:
    """The encoding that fits the whole file, the number of its lines and of blank ones at its end."""
    if encoding is not None:
        try:
            "a".encode(encoding)
            encoding = codecs.lookup(encoding).name
        except (LookupError, ValueError):
            raise ParameterError(f"no encoding is called {quoted([encoding])}; for example 'utf-8', 'big5'") from None
        try:
            return encoding, _scan(path, encoding)
        except UnicodeDecodeError as error:
            raise InputError(f"{path.name}, line {error.start}: bytes that are not {encoding}") from None
    try:
        return UTF8, _scan(path, UTF8)
    except UnicodeDecodeError as error:
        failure = undecodable(path.name, error.start, "name its encoding")
    try:
        return BIG5, _scan(path, BIG5)
    except UnicodeDecodeError:
        raise failure from None


def _scan(path: Path, encoding: str) -> tuple[int, int]:
    """Look at the whole file once: its lines, how many of them are blank at the end; or what is wrong with it.

    A UnicodeDecodeError leaves this function with the *line* as its start.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    ascii_is_itself = encoding in (UTF8, BIG5)
    evidence = Big5Evidence()
    lines, line_length, blank_end, more = 0, 0, 0, True
    with path.open("rb", buffering=0) as file:
        while more:
            block = file.read(SCAN_BLOCK)
            more = bool(block)
            if not (ascii_is_itself and more and block.isascii() and not decoder.getstate()[0]):
                try:
                    text = decoder.decode(block, final=not more)
                except UnicodeDecodeError as error:
                    line = lines + block.count(b"\n", 0, error.start) + 1
                    raise UnicodeDecodeError(encoding, b"", line, line, "undecodable") from None
                if encoding == BIG5:
                    evidence.add(text)
                if not ascii_is_itself:
                    block = text.encode("utf-8", "surrogatepass")
            if b"\0" in block:
                line = lines + block.count(b"\n", 0, block.index(b"\0")) + 1
                raise InputError(f"{path.name}, line {line}: a NUL byte; this is not a CSV file, or a broken one")
            lines += int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
            line_end = block.rfind(b"\n")
            line_length = len(block) - line_end - 1 if line_end >= 0 else line_length + len(block)
            if line_length > LONGEST_LINE:
                raise InputError(f"{path.name}, line {lines + 1}: longer than {LONGEST_LINE >> 20} MiB")
            if block:
                blank_end = block[len(block.rstrip(b"\r\n")) :].count(b"\n")
    if not evidence.plausible:
        raise UnicodeDecodeError(encoding, b"", 1, 1, "Western text")
    return lines + (line_length > 0), max(blank_end - 1, 0)


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
            rows = [row for row in islice(csv.reader(io.StringIO(sample, newline=""), delimiter=separator), 20) if row]
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
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        names = tuple(cell.strip() for cell in next(reader))
    except (csv.Error, StopIteration):
        raise InputError(f"{name}, line 1: not a header of column names") from None
    if not names:
        raise InputError(f"{name}, line 1: an empty line where the column names should be")
    return names, reader.line_num
