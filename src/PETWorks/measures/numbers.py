"""Formatting of numbers for people; the number of figures shown is decided here only."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from PETWorks.errors import printable

RESULT = 6  # significant figures of a result
REPORT = 4  # significant figures of a number in a report


def number(value: float, figures: int = RESULT) -> str:
    """Format a number with the given number of significant figures.

    >>> number(8 / 27), number(3.0), number(8 / 27, REPORT)
    ('0.296296', '3', '0.2963')
    """
    return f"{value:.{figures}g}"


def count(value: int) -> str:
    """Format a count, with thousands separated.

    >>> count(1200)
    '1,200'
    """
    return f"{value:,}"


def amount(value: float, beside: Iterable[float] = ()) -> str:
    """Format a number for a report: from a thousand on, whole and with thousands separated.

    beside   numbers shown next to it, such as its limit; it gets enough figures to differ from them

    >>> amount(0.35347), amount(1.5), amount(415908.4)
    ('0.3535', '1.5', '415,908')
    >>> amount(0.050004, [0.05]), amount(0.05, [0.050004]), amount(2000.04, [2000])
    ('0.050004', '0.05', '2,000.04')
    """

    def format_with(quantity: float, more: int) -> str:
        return f"{quantity:,.{more}f}" if 1000 <= abs(quantity) < 1e15 else number(quantity, REPORT + more)

    return _distinguishable(value, beside, format_with)


def _distinguishable(value: float, beside: Iterable[float], format_with: Callable[[float, int], str]) -> str:
    """Format a number with as few extra figures as distinguish it from the numbers beside it.

    Numbers that are equal within the tolerance of threshold comparisons need not be distinguished.
    """
    different = [number for number in beside if not math.isclose(number, value, rel_tol=1e-9, abs_tol=1e-12)]
    for more in range(10):
        text = format_with(value, more)
        if all(format_with(number, more) != text for number in different):
            break
    return text


def whole(value: float) -> str:
    """Format a number rounded to an integer, with thousands separated.

    >>> whole(415908.4)
    '415,908'
    """
    return f"{value:,.0f}"


def percent(share: float, sign: str = " %", beside: Iterable[float] = ()) -> str:
    """Format a share as per cent; never 0 % or 100 % for a share that is only close to it.

    beside   shares shown next to it, such as its limit; it gets enough digits to differ from them

    >>> percent(0.0554), percent(0.00002), percent(0.999996), percent(1e-9), percent(1)
    ('5.5 %', '0.002 %', '99.9996 %', '< 0.0001 %', '100 %')
    >>> percent(0.0504, beside=[0.05]), percent(0.05, beside=[0.0504]), percent(0.05000004, beside=[0.05])
    ('5.04 %', '5 %', '5.000004 %')
    """

    def format_with(fraction: float, more: int) -> str:
        for digits in range(1 + more, max(1 + more, 4) + 1):
            text = f"{100 * fraction:.{digits}f}".rstrip("0").rstrip(".")
            if text not in ("0", "100") or fraction in (0, 1):
                return text
        return "< 0.0001" if fraction < 0.5 else "> 99.9999"

    return f"{_distinguishable(share, beside, format_with)}{sign}"


def brief(value: float) -> str:
    """Format a number with three significant figures, or as an integer above 100.

    A number that is only close to 1 or 100 gets more figures.

    >>> [brief(value) for value in (1, 1.0003, 99.97, 12.3456, 48136963.0)]
    ['1', '1.0003', '99.97', '12.3', '48,136,963']
    """
    for figures in (3, 4, 5, 6, 9):
        text = whole(value) if value > 100 else number(value, figures)
        if text not in ("1", "100") or value in (1, 100):
            return text
    return f"almost {text}"


def exact(fraction: Any, longest: int = 15) -> str | None:
    """An exact fraction as text, or None if it is too long to read or a whole number.

    >>> exact("8/27"), exact(["1/2", "2/3"]), exact("3"), exact(None), exact("123456789/987654321")
    ('8/27', '1/2, 2/3', None, None, None)
    """
    if isinstance(fraction, list | tuple):
        parts = [str(part) for part in fraction]
        return ", ".join(parts) if parts and all(exact(part, longest) for part in parts) else None
    text = str(fraction)
    return text if fraction is not None and "/" in text and len(text) <= longest else None


def format_value(value: Any) -> str:
    """Format a value of a result.

    >>> format_value(None), format_value(True), format_value(1 / 3), format_value([1, 0.5]), format_value(1200)
    ('-', 'yes', '0.333333', '[1, 0.5]', '1200')
    """
    if isinstance(value, bool) or value is None:
        return {None: "-", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(format_value(item) for item in value) + "]"
    return printable(str(value))
