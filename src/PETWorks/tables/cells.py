"""Cells as texts: suppressed ones, and numbers."""

import re
from collections.abc import Sequence
from decimal import Decimal

SUPPRESSED = "*"
# Characters that no reader sees: control characters other than blanks, Unicode's default-ignorable characters (soft
# hyphen, zero-width characters, direction marks, variation selectors, fillers, tags), other format characters that are
# not drawn, and the empty Braille cell. A pattern for Python and for RE2 (PyArrow).
INVISIBLE = (
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufdd0-\ufdef\ufff0-\ufffc\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)


def is_number(text: str) -> bool:
    """Whether a text is a number in digits.

    >>> is_number("-1.5e3"), is_number("3k"), is_number("nan")
    (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None


def numeric_order(values: Sequence[str | None]) -> list[int] | None:
    """Positions of the values from the smallest number to the largest; None if any is not a number.

    Equal numbers written in two ways (`1` and `1.0`) are two values, next to each other.

    >>> numeric_order(["10", "3", "2.5"])
    [2, 1, 0]
    >>> numeric_order(["10", "3k"])
    """
    numbers = []
    for position, value in enumerate(values):
        if value is None or not is_number(value):
            return None
        numbers.append((Decimal(value), value, position))
    return [position for _, _, position in sorted(numbers)]
