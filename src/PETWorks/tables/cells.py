"""Cells as texts: suppressed ones, and numbers."""

import re
from collections.abc import Sequence
from decimal import Decimal

SUPPRESSED = "*"

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
