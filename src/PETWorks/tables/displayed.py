"""Cells that a reader hands over as Python objects, as the texts that a person sees in the program they come from."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any

import pyarrow as pa

from PETWorks.tables.csvfile import dictionary_array

LARGEST_EXACT = 1 << 53  # whole numbers beyond it are not all kept apart in 64 bits
BOOLEANS = {True: "true", False: "false"}

_MILLISECOND = timedelta(milliseconds=1)


class InexactError(Exception):
    """A whole number has more digits than its file can keep."""


def displayed(cells: Sequence[Any], number: Callable[[float], str] | None = None) -> pa.DictionaryArray:
    """Cells as texts: `5` for 5.0, `2024-05-01` for a date; an empty text for what is missing.

    Moments of a column are all written alike: with the time of day if any of them has one.

    number   how a number that is not whole is written; with up to 15 digits, as spreadsheets do, if it is None
    """
    kinds = set(map(type, cells))
    if bool in kinds:  # or the number 1 would be equal to it
        cells = [BOOLEANS[cell] if type(cell) is bool else cell for cell in cells]
    if kinds <= {str, bool}:
        return dictionary_array(cells)
    clock = _Clock(dict.fromkeys(cells) if kinds & {date, datetime, time} else ())
    return dictionary_array(cells, lambda cell: _text(cell, number or _fifteen_digits, clock))


def _text(cell: Any, number: Callable[[float], str], clock: "_Clock") -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float):
        whole = isinstance(cell, int) or cell.is_integer()
        if whole and abs(cell) > LARGEST_EXACT and isinstance(cell, float):
            raise InexactError
        return str(int(cell)) if whole else number(cell)
    return clock.text(cell)


def _fifteen_digits(number: float) -> str:
    return format(number, ".15g")


class _Clock:
    """How the moments of a column are written."""

    def __init__(self, cells: Iterable[Any]) -> None:
        timed = [_rounded(cell) for cell in cells if isinstance(cell, datetime | time)]
        self._with_time = any(isinstance(moment, datetime) for moment in timed)
        self._precision = "milliseconds" if any(moment.microsecond for moment in timed) else "seconds"

    def text(self, moment: Any) -> str:
        if isinstance(moment, timedelta):
            return _duration(moment)
        if isinstance(moment, datetime):
            return str(_rounded(moment).isoformat(" ", self._precision))
        if isinstance(moment, time):
            return str(_rounded(moment).isoformat(self._precision))
        if self._with_time:
            return datetime.combine(moment, time()).isoformat(" ", self._precision)
        return str(moment.isoformat())


def _rounded(moment: Any) -> Any:
    """A moment to the millisecond: files keep it as a number that is seldom exact."""
    if moment.microsecond % 1000 == 0:
        return moment
    if isinstance(moment, datetime):
        with suppress(OverflowError):  # the end of time
            moment = moment + _MILLISECOND / 2
    else:
        moment = moment.replace(microsecond=min(moment.microsecond + 500, 999_000))
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _duration(length: timedelta) -> str:
    """Hours, minutes and seconds, as spreadsheets show them: `30:00:00`."""
    milliseconds = round(abs(length) / _MILLISECOND)
    seconds, rest = divmod(milliseconds, 1000)
    sign = "-" if length < timedelta() else ""
    clock = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{clock}.{rest:03}" if rest else clock
