"""What labels of numbers stand for: `[30, 40)`, `30–39`, `< 18`, `≥ 65` and other usual spellings."""

import re
from dataclasses import dataclass
from fractions import Fraction

from PETWorks.about.hierarchies.scheme import exact_fraction

_NUMBER = r"([+-]?\d[\d.]{0,100})"
_HALF_OPEN = re.compile(rf"\[ ?{_NUMBER} ?[,;] ?{_NUMBER} ?\)", re.ASCII)
_CLOSED = re.compile(rf"\[ ?{_NUMBER} ?[,;] ?{_NUMBER} ?\]", re.ASCII)
_RANGE = re.compile(rf"{_NUMBER} ?(?:[-–~～至到]|\.\.|to) ?(<?) ?{_NUMBER}", re.ASCII)
_BELOW = re.compile(rf"(<|≤|<=) ?{_NUMBER}", re.ASCII)
_FROM = re.compile(rf"(>|≥|>=) ?{_NUMBER}|{_NUMBER} ?\+", re.ASCII)


@dataclass(frozen=True)
class NumberRange:
    """The numbers that a label stands for; an end that is None is open."""

    low: Fraction | None
    high: Fraction | None
    includes_low: bool = True
    includes_high: bool = True

    @property
    def middle(self) -> Fraction | None:
        """The middle of the range; None if an end is open."""
        return None if self.low is None or self.high is None else (self.low + self.high) / 2


def number_range(label: str) -> NumberRange | None:
    """The numbers that a label stands for; None if it does not look like numbers.

    >>> number_range("[30, 40)").middle, number_range("30–39").high, number_range("≥ 65").low, number_range("North")
    (Fraction(35, 1), Fraction(39, 1), Fraction(65, 1), None)
    """
    if len(label) > 250:
        return None
    single = exact_fraction(label)
    if single is not None:
        return NumberRange(single, single)
    if match := _HALF_OPEN.fullmatch(label):
        return _between(match[1], match[2], includes_high=False)
    if match := _CLOSED.fullmatch(label):
        return _between(match[1], match[2], includes_high=True)
    if match := _RANGE.fullmatch(label):
        return _between(match[1], match[3], includes_high=not match[2])
    if match := _BELOW.fullmatch(label):
        end = exact_fraction(match[2])
        return None if end is None else NumberRange(None, end, includes_high=match[1] != "<")
    if match := _FROM.fullmatch(label):
        begin = exact_fraction(match[2] or match[3])
        return None if begin is None else NumberRange(begin, None, includes_low=match[1] != ">")
    return None


def _between(low: str, high: str, *, includes_high: bool) -> NumberRange | None:
    begin, end = exact_fraction(low), exact_fraction(high)
    if begin is None or end is None or begin >= end:
        return None
    return NumberRange(begin, end, includes_high=includes_high)
