"""Tables that a reader delivers as Python objects: cells become the displayed texts, columns are read whole."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.formats.csv import dictionary_array
from PETWorks.tables.source import PIECE_ROWS

LARGEST_EXACT = 1 << 53  # larger whole numbers are not all distinct as 64-bit floats
BOOLEANS = {True: "true", False: "false"}

_MILLISECOND = timedelta(milliseconds=1)


class InexactError(Exception):
    """A whole number has more digits than its file can store."""


def display_texts(cells: Sequence[Any], number: Callable[[float], str] | None = None) -> pa.DictionaryArray:
    """Cells as texts: `5` for 5.0, `2024-05-01` for a date; an empty text for missing cells.

    All date-times of a column have the same format: with the time of day if any of them has one.

    number   formats a number that is not whole; by default with up to 15 digits, as in spreadsheets
    """
    kinds = set(map(type, cells))
    if bool in kinds:  # True would equal the number 1
        cells = [BOOLEANS[cell] if type(cell) is bool else cell for cell in cells]
    if kinds <= {str, bool}:
        return dictionary_array(cells)
    moments = _MomentFormat(dict.fromkeys(cells) if kinds & {date, datetime, time} else ())
    return dictionary_array(cells, lambda cell: _text(cell, number or _fifteen_digits, moments))


def _text(cell: Any, number: Callable[[float], str], moments: "_MomentFormat") -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float):
        whole = isinstance(cell, int) or cell.is_integer()
        if whole and abs(cell) > LARGEST_EXACT and isinstance(cell, float):
            raise InexactError
        return str(int(cell)) if whole else number(cell)
    return moments.text(cell)


def _fifteen_digits(number: float) -> str:
    return format(number, ".15g")


class _MomentFormat:
    """The common format of the date-times of a column."""

    def __init__(self, cells: Iterable[Any]) -> None:
        timed = [_round_to_milliseconds(cell) for cell in cells if isinstance(cell, datetime | time)]
        self._with_time = any(isinstance(moment, datetime) for moment in timed)
        self._precision = "milliseconds" if any(moment.microsecond for moment in timed) else "seconds"

    def text(self, moment: Any) -> str:
        if isinstance(moment, timedelta):
            return _format_duration(moment)
        if isinstance(moment, datetime):
            return str(_round_to_milliseconds(moment).isoformat(" ", self._precision))
        if isinstance(moment, time):
            return str(_round_to_milliseconds(moment).isoformat(self._precision))
        if self._with_time:
            return datetime.combine(moment, time()).isoformat(" ", self._precision)
        return str(moment.isoformat())


def _round_to_milliseconds(moment: Any) -> Any:
    """A date-time or time rounded to milliseconds: files store it as a number that is seldom exact."""
    if moment.microsecond % 1000 == 0:
        return moment
    if isinstance(moment, datetime):
        with suppress(OverflowError):  # the last possible moment
            moment = moment + _MILLISECOND / 2
    else:
        moment = moment.replace(microsecond=min(moment.microsecond + 500, 999_000))
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _format_duration(length: timedelta) -> str:
    """Hours, minutes and seconds, as in spreadsheets: `30:00:00`."""
    milliseconds = round(abs(length) / _MILLISECOND)
    seconds, rest = divmod(milliseconds, 1000)
    sign = "-" if length < timedelta() else ""
    clock = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{clock}.{rest:03}" if rest else clock


WORKBOOK = "workbook"


class TextTable:
    """A table of texts in memory.

    has_header_row    whether its column names are cells, which could also be data
    file              the file that it is a part of, if any
    corner            the row and the column of the sheet, from 0, in which the table begins
    """

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(
        self,
        name: str,
        path: Path | None,
        kind: str,
        names: Sequence[str],
        columns: Sequence[pa.DictionaryArray | InputError],
        rows: int,
        *,
        has_header_row: bool = False,
        file: Path | None = None,
        corner: tuple[int, int] = (0, 0),
    ) -> None:
        self.file, self.corner = file, corner
        self.name, self.path, self.kind, self.has_header_row = name, path, kind, has_header_row
        self.names = tuple(names)
        self.rows: int | None = rows
        self._columns: Mapping[str, pa.DictionaryArray | InputError] = dict(zip(names, columns, strict=True))
        if rows == 0:
            raise InputError("{table}: the table has columns but no records", table=name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order."""
        wanted = [self._columns[column] for column in columns]
        for column in wanted:
            if isinstance(column, InputError):
                raise column
        table = pa.Table.from_arrays(wanted, list(columns))
        step = PIECE_ROWS if in_pieces else table.num_rows
        for first in range(0, table.num_rows, step):
            yield table.slice(first, step)


def text_column(
    table: str, column: str, cells: Sequence[Any], number: Callable[[float], str] | None = None
) -> pa.DictionaryArray | InputError:
    """The cells of a column as texts, or an error to raise when the column is read."""
    try:
        return display_texts(cells, number)
    except InexactError:
        return InputError(
            "{table}: column {column!r} has whole numbers beyond {most:,}, of which such a file does not keep all "
            "digits; store them as text",
            table=table,
            column=column,
            most=LARGEST_EXACT,
        )
    except UnicodeEncodeError:
        return InputError("{table}: column {column!r} has cells that are not valid Unicode", table=table, column=column)
