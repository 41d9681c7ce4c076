"""How numbers are written for people: the one place that decides how many figures are shown."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from PETWorks.errors import printable

RESULT = 6  # significant figures of a result
REPORT = 4  # and of a report


def number(value: float, figures: int = RESULT) -> str:
    """A number with so many significant figures.

    >>> number(8 / 27), number(3.0), number(8 / 27, REPORT)
    ('0.296296', '3', '0.2963')
    """
    return f"{value:.{figures}g}"


def count(value: int) -> str:
    """A number of things, its thousands separated.

    >>> count(1200)
    '1,200'
    """
    return f"{value:,}"


def amount(value: float, beside: Iterable[float] = ()) -> str:
    """A number of a report: from a thousand on, whole and with its thousands separated.

    beside   numbers that stand next to it, such as its limit; it gets as many figures as tell it from them

    >>> amount(0.35347), amount(1.5), amount(415908.4)
    ('0.3535', '1.5', '415,908')
    >>> amount(0.050004, [0.05]), amount(0.05, [0.050004]), amount(2000.04, [2000])
    ('0.050004', '0.05', '2,000.04')
    """

    def written(one: float, more: int) -> str:
        return f"{one:,.{more}f}" if 1000 <= abs(one) < 1e15 else number(one, REPORT + more)

    return _told_apart(value, beside, written)


def _told_apart(value: float, beside: Iterable[float], written: Callable[[float, int], str]) -> str:
    """A number with as few further figures as tell it from others, up to what the comparison of thresholds forgives."""
    others = [one for one in beside if not math.isclose(one, value, rel_tol=1e-9, abs_tol=1e-12)]
    for more in range(10):
        text = written(value, more)
        if all(written(one, more) != text for one in others):
            break
    return text


def whole(value: float) -> str:
    """An amount without what follows the point.

    >>> whole(415908.4)
    '415,908'
    """
    return f"{value:,.0f}"


def percent(share: float, sign: str = " %", beside: Iterable[float] = ()) -> str:
    """A share as per cent; never 0 % or 100 % for a share that is only close to it.

    beside   shares that stand next to it, such as its limit; it gets as many digits as tell it from them

    >>> percent(0.0554), percent(0.00002), percent(0.999996), percent(1e-9), percent(1)
    ('5.5 %', '0.002 %', '99.9996 %', '< 0.0001 %', '100 %')
    >>> percent(0.0504, beside=[0.05]), percent(0.05, beside=[0.0504]), percent(0.05000004, beside=[0.05])
    ('5.04 %', '5 %', '5.000004 %')
    """

    def written(one: float, more: int) -> str:
        for digits in range(1 + more, max(1 + more, 4) + 1):
            text = f"{100 * one:.{digits}f}".rstrip("0").rstrip(".")
            if text not in ("0", "100") or one in (0, 1):
                return text
        return "< 0.0001" if one < 0.5 else "> 99.9999"

    return f"{_told_apart(share, beside, written)}{sign}"


def brief(value: float) -> str:
    """Three significant figures, or all digits before the point; never 1 or 100 for what is only close to it.

    >>> [brief(value) for value in (1, 1.0003, 99.97, 12.3456, 48136963.0)]
    ['1', '1.0003', '99.97', '12.3', '48,136,963']
    """
    for figures in (3, 4, 5, 6, 9):
        text = whole(value) if value > 100 else number(value, figures)
        if text not in ("1", "100") or value in (1, 100):
            return text
    return f"almost {text}"


def exact(fraction: Any, longest: int = 15) -> str | None:
    """An exact fraction of the details, if it is short enough to read and not a whole number.

    >>> exact("8/27"), exact(["1/2", "2/3"]), exact("3"), exact(None), exact("123456789/987654321")
    ('8/27', '1/2, 2/3', None, None, None)
    """
    if isinstance(fraction, list | tuple):
        parts = [str(part) for part in fraction]
        return ", ".join(parts) if parts and all(exact(part, longest) for part in parts) else None
    text = str(fraction)
    return text if fraction is not None and "/" in text and len(text) <= longest else None


def shown(value: Any) -> str:
    """A value of a result.

    >>> shown(None), shown(True), shown(1 / 3), shown([1, 0.5]), shown(1200)
    ('-', 'yes', '0.333333', '[1, 0.5]', '1200')
    """
    if isinstance(value, bool) or value is None:
        return {None: "-", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    return printable(str(value))
