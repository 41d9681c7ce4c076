"""Cells as texts: suppressed ones, and numbers."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

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


def count_unusual(ways: Mapping[Any, int]) -> int:
    """How many are not as most are, from the number of each way in which a value is written."""
    return sum(ways.values()) - max(ways.values(), default=0)


def is_number(text: str) -> bool:
    """Whether a text is a number in digits.

    >>> is_number("-1.5e3"), is_number("3k"), is_number("nan")
    (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None


_NOTATION = re.compile(
    r"'?([+\-−]?)(\d{1,3}(?:([, '’])\d{3})(?:\3\d{3})*|\d+|(?=\.\d))(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?"
)
_MOST_ZEROS = 40


def plain_number(text: str) -> str | None:
    """A number in plain digits, without separators of thousands and needless zeros; None for any other text.

    Equal numbers have one text. A comma is a separator if three digits follow.

    >>> [plain_number(text) for text in ("12,485", "12485.00", "+1.2485e4", "007", "-0.50", "1,5", "3k")]
    ['12485', '12485', '12485', '7', '-0.5', None, None]
    """
    match = _NOTATION.fullmatch(text)
    if match is None:
        return None
    if not text.isascii():
        match = _NOTATION.fullmatch("".join(str(unicodedata.decimal(sign, sign)) for sign in text))
        assert match is not None
    sign, whole, separator, fraction, power = match.groups()
    whole, fraction = whole.replace(separator, "") if separator else whole, fraction or ""
    exponent = int(power or 0) - len(fraction)
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return "0"
    exponent += len(digits) - len(significant)
    point = len(significant) + exponent
    if exponent > _MOST_ZEROS or point < -_MOST_ZEROS:
        plain = f"{significant}e{exponent}"
    elif exponent >= 0:
        plain = significant + "0" * exponent
    elif point > 0:
        plain = f"{significant[:point]}.{significant[point:]}"
    else:
        plain = f"0.{'0' * -point}{significant}"
    return plain if sign in ("", "+") else f"-{plain}"


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
