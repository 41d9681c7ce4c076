"""Writing Excel workbooks: one sheet of plain cells, in which every cell is read again as it was."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from PETWorks.errors import Counted, InputError
from PETWorks.tables.formats.csv import labels_and_codes
from PETWorks.tables.formats.text_tables import display_texts
from PETWorks.tables.formats.workbooks import WIDEST

MOST_ROWS = 1 << 20  # of a sheet, with the header
LONGEST_TEXT = 32_767  # of a cell, in units of UTF-16
ROWS_AT_A_TIME = 1 << 14
CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same in all files, so that equal tables are equal files
SHEET = "release"

# A number with at most 15 digits, as a spreadsheet shows it: no zeros before it, or at the end of its decimals.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?", re.ASCII)
MOST_DIGITS = 15
# What a workbook writes as _x001F_; an underscore too where such letters follow.
_ESCAPED = re.compile(r"[\x00-\x08\x0b-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")
_IMPOSSIBLE = re.compile("[\ufffe\uffff]")

Pieces = Callable[[], Iterable[pa.Table]]


def new_workbook(pieces: Pieces, names: Sequence[str], table: str) -> Callable[[BinaryIO], None]:
    """A function that writes a table that comes in pieces as an Excel workbook.

    Every cell is a text, formulas and dates too; a column of nothing but numbers that a spreadsheet holds exactly has
    numbers. So the pieces are read twice.

    table   its name in messages
    """
    check_installed(table)
    _check_names(names, table)

    def write(file: BinaryIO) -> None:
        _write_sheet(file, pieces(), names, _number_columns(pieces(), names, table), table)

    return write


def check_installed(file: str) -> None:
    """Raise if the package that writes workbooks is missing."""
    if find_spec("xlsxwriter") is None:
        raise InputError("{file}: a workbook needs a package: pip install 'petworks[files]'", file=file)


def _check_names(names: Sequence[str], table: str) -> None:
    if len(names) > WIDEST:
        raise InputError(
            "{table}: the table has {number} columns, but a sheet has at most {most:,}; write CSV or Parquet",
            table=table,
            number=len(names),
            most=WIDEST,
        )
    for name in names:
        if not 0 < _length(name) <= LONGEST_TEXT or _IMPOSSIBLE.search(name):
            raise InputError(
                "{table}: a sheet cannot have a column named {column!r}: a name has from 1 to {most:,} "
                "characters, none of them U+FFFE or U+FFFF",
                table=table,
                column=name[:80],
                most=LONGEST_TEXT,
            )


def _number_columns(pieces: Iterable[pa.Table], names: Sequence[str], table: str) -> frozenset[int]:
    """The places of the columns that have numbers; raise if a sheet cannot hold the table."""
    numbers, rows = set(range(len(names))), 0
    for piece in pieces:
        rows += piece.num_rows
        filled = np.zeros(piece.num_rows, np.bool_)
        for place, (name, column) in enumerate(zip(names, piece.columns, strict=True)):
            labels, codes = labels_and_codes(column, name, table)
            texts = labels.to_pylist()
            is_empty = np.array([not text for text in texts], np.bool_)
            filled |= ~is_empty[codes]
            used = [texts[code] for code in np.unique(codes).tolist() if texts[code]]
            if any(_length(text) > LONGEST_TEXT for text in used):
                raise InputError(
                    "{table}: column {column!r} has texts of more than {most:,} characters, the most that a cell of a "
                    "workbook holds; write CSV or Parquet",
                    table=table,
                    column=name,
                    most=LONGEST_TEXT,
                )
            if any(map(_IMPOSSIBLE.search, used)):
                raise InputError(
                    "{table}: column {column!r} has the signs U+FFFE or U+FFFF, which a workbook cannot have; write "
                    "CSV or Parquet",
                    table=table,
                    column=name,
                )
            is_number = _is_number_type(column.type)
            if place in numbers and not all(_is_exact(text, is_text=not is_number) for text in used):
                numbers.discard(place)
        if not filled.all():
            raise InputError(
                "{table}: {records} without a value in any column, which a sheet does not keep; write CSV or Parquet",
                table=table,
                records=Counted("{n:,} record is", "{n:,} records are", n=int(np.count_nonzero(~filled))),
            )
    if rows >= MOST_ROWS:
        raise InputError(
            "{table}: the table has {rows:,} records, but a sheet has room for {most:,}; write CSV or Parquet",
            table=table,
            rows=rows,
            most=MOST_ROWS - 1,
        )
    return frozenset(numbers)


def _is_number_type(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_exact(text: str, *, is_text: bool) -> bool:
    """Whether a spreadsheet holds a number exactly.

    is_text   whether it is a text, which must also be read again as it is: "1.50" stays a text
    """
    if _NUMBER.fullmatch(text) is None:
        return False
    number = Decimal(text)
    if len(number.normalize().as_tuple().digits) > MOST_DIGITS or (
        number and not -99 < number.adjusted() < MOST_DIGITS
    ):
        return False
    shown = str(display_texts([float(text)]).dictionary[0])
    return shown == text if is_text else Decimal(shown) == number


def _length(text: str) -> int:
    """The length of a text as Excel counts: in units of UTF-16."""
    return len(text) + sum(sign > "\uffff" for sign in text) if len(text) > LONGEST_TEXT // 2 else len(text)


def _write_sheet(
    file: BinaryIO, pieces: Iterable[pa.Table], names: Sequence[str], numbers: frozenset[int], table: str
) -> None:
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError
    from xlsxwriter.worksheet import Worksheet

    class PlainSheet(Worksheet):  # type: ignore[misc]
        """A sheet in which texts that look like formatted texts or escapes are texts like others."""

        @staticmethod
        def _escape_control_characters(text: str) -> str:
            return _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)

        def _xml_rich_inline_string(self, string: str, attributes: Any) -> None:
            self._xml_inline_string(string, False, attributes)

    with TemporaryDirectory(prefix="petworks-") as folder:
        book = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        book.use_zip64()
        book.set_properties({"created": CREATED})
        sheet = book.add_worksheet(SHEET, PlainSheet)
        sheet.freeze_panes(1, 0)
        with closing(sheet.row_data_fh):  # the rows, in the folder
            for place, name in enumerate(names):
                sheet.write_string(0, place, name)
            writers = [sheet.write_number if place in numbers else sheet.write_string for place in range(len(names))]
            for row, cells in enumerate(_rows(pieces, names, numbers, table), 1):
                for place, cell in enumerate(cells):
                    if cell is not None:
                        writers[place](row, place, cell)
            try:
                book.close()
            except FileCreateError as error:
                raise (error.__context__ or error) from None


def _rows(
    pieces: Iterable[pa.Table], names: Sequence[str], numbers: frozenset[int], table: str
) -> Iterator[tuple[float | str | None, ...]]:
    """The cells of each record: a number, a text, or None."""
    for piece in pieces:
        columns = []
        for place, (name, column) in enumerate(zip(names, piece.columns, strict=True)):
            labels, codes = labels_and_codes(column, name, table)
            made = float if place in numbers else str
            columns.append(([made(text) if text else None for text in labels.to_pylist()], codes))
        for first in range(0, piece.num_rows, ROWS_AT_A_TIME):
            yield from zip(
                *([cells[code] for code in codes[first : first + ROWS_AT_A_TIME].tolist()] for cells, codes in columns),
                strict=True,
            )
