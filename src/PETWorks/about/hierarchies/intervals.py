"""Hierarchies of numbers: intervals of equal width, between given cuts or between quantiles, and coded ends.

A label is `[30, 40)`: from 30 to below 40. Open ends are `< 18` and `>= 90`. Other ways to write the same are
declared by an example: `labels: 20–39` for whole numbers. Spreadsheets turn `5-9` into a date, but not `5–9` or `5~9`.
"""

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

from PETWorks.about.hierarchies.scheme import (
    OwnValues,
    as_list,
    as_text,
    check_steps,
    describe_given,
    exact_decimal,
    exact_fraction,
    numbers,
    one_number,
    whole_numbers,
)
from PETWorks.errors import HierarchyError, Phrase, quoted

MAX_BELOW = 100_000  # most whole numbers of an interval that are listed
BRACKETS, WHOLE, WHOLE_ASCII, BELOW, BELOW_ASCII = LABELS = ("[20, 40)", "20–39", "20~39", "20–<40", "20~<40")

Bounds = tuple[Fraction | None, Fraction | None]


class _Level(Protocol):
    def place(self, number: Decimal) -> Hashable:
        """A key that numbers in the same interval share, found quickly; None if a number stays unchanged."""

    def bounds(self, number: Fraction) -> Bounds | None:
        """The interval that contains a number: from the first to below the second; None if it stays unchanged."""


@dataclass(frozen=True)
class _Coded:
    """Intervals of equal width, if there is a width, with one group each below the bottom and above the top."""

    width: Fraction | None
    start: Fraction
    bottom: Fraction | None
    top: Fraction | None

    def place(self, number: Decimal) -> Hashable:
        low, high, times, minus, divisor = self._integers
        if low is not None and number < low:
            return "bottom"
        if high is not None and number >= high:
            return "top"
        numerator, denominator = number.as_integer_ratio()
        return (numerator * times - minus * denominator) // (divisor * denominator) if divisor else None

    @cached_property
    def _integers(self) -> tuple[Decimal | None, Decimal | None, int, int, int]:
        """The ends, and integers to compute the place of a number with, as fractions are slow."""
        low, high = (None if end is None else Decimal(as_text(end)) for end in (self.bottom, self.top))
        if self.width is None:
            return low, high, 0, 0, 0
        times, minus = self.start.denominator * self.width.denominator, self.start.numerator * self.width.denominator
        return low, high, times, minus, self.start.denominator * self.width.numerator

    def bounds(self, number: Fraction) -> Bounds | None:
        if self.bottom is not None and number < self.bottom:
            return None, self.bottom
        if self.top is not None and number >= self.top:
            return self.top, None
        if self.width is None:
            return None
        low = self.start + (number - self.start) // self.width * self.width
        high = low + self.width
        return (
            low if self.bottom is None else max(low, self.bottom),
            high if self.top is None else min(high, self.top),
        )


@dataclass(frozen=True)
class _Cut:
    """Intervals between cuts; the first and the last have an open end."""

    cuts: tuple[Fraction, ...]

    def place(self, number: Decimal) -> Hashable:
        return bisect_right(self._decimals, number)

    @cached_property
    def _decimals(self) -> list[Decimal]:
        return [Decimal(as_text(cut)) for cut in self.cuts]

    def bounds(self, number: Fraction) -> Bounds:
        place = bisect_right(self.cuts, number)
        low = self.cuts[place - 1] if place else None
        return low, self.cuts[place] if place < len(self.cuts) else None


@dataclass(frozen=True)
class Intervals(OwnValues):
    """Numbers, with the interval that contains each on every level."""

    levels: Sequence[_Level]
    style: str = BRACKETS

    @property
    def expects(self) -> str:
        """A description of valid values."""
        if self.style in (WHOLE, WHOLE_ASCII):
            return Phrase("whole numbers (for others, declare labels such as 20–<40)")
        return Phrase("numbers")

    def path(self, value: str) -> tuple[str, ...] | None:
        """The intervals that contain a number."""
        number = exact_decimal(value)
        if number is None or self._would_be_misplaced(number):
            return None
        labels = []
        for level, known in zip(self.levels, self._labels, strict=True):
            place = level.place(number)
            if place is not None and place not in known:
                known[place] = _label(level.bounds(Fraction(number)), self.style)
            labels.append(value if place is None else known[place])
        return tuple(labels)

    def _would_be_misplaced(self, number: Decimal) -> bool:
        """Whether a number with decimals would get a label such as `20–39`, which 39.5 is not in."""
        if self.style not in (WHOLE, WHOLE_ASCII) or number == number.to_integral_value():
            return False
        return any(_is_whole(level.bounds(Fraction(number))) for level in self.levels)

    def labels_of(self, values: Iterable[str]) -> list[str]:
        """The labels of numbers on the first level."""
        return [path[0] for value in values if (path := self.path(value)) is not None]

    @cached_property
    def _labels(self) -> list[dict[Hashable, str]]:
        """Cache of the labels of intervals, by level."""
        return [{} for _ in self.levels]

    def below(self, label: str) -> Iterable[str] | None:
        """The whole numbers in an interval; for one with an open end, a single number."""
        bounds = None if exact_decimal(label) is not None else _bounds(label)
        if bounds is None or _label(bounds, self.style) != label:
            return None
        inside = bounds[0] if bounds[0] is not None else bounds[1] - 1 if bounds[1] is not None else None
        if inside is None or all(level.bounds(inside) != bounds for level in self.levels):
            return None
        if bounds[0] is None or bounds[1] is None:
            return [as_text(inside)]
        whole = bounds[0].denominator == bounds[1].denominator == 1 and bounds[1] - bounds[0] <= MAX_BELOW
        return map(str, range(int(bounds[0]), int(bounds[1]))) if whole else []

    def order(self, value: str) -> Any:
        """Sort by number, then by text for equal numbers."""
        return exact_decimal(value), value


def _label(bounds: Bounds | None, style: str) -> str:
    low, high = bounds or (None, None)
    if low is None:
        return "*" if high is None else f"< {as_text(high)}"
    if high is None:
        return f"{'≥' if style in (WHOLE, BELOW) else '>='} {as_text(low)}"
    if style == BRACKETS:
        return f"[{as_text(low)}, {as_text(high)})"
    dash = "–" if style in (WHOLE, BELOW) else "~"
    if style in (BELOW, BELOW_ASCII) or not _is_whole((low, high)):
        return f"{as_text(low)}{dash}<{as_text(high)}"
    return as_text(low) if high - low == 1 else f"{as_text(low)}{dash}{as_text(high - 1)}"


def _is_whole(bounds: Bounds | None) -> bool:
    """Whether an interval has two ends, and both are whole numbers."""
    return bounds is not None and all(end is not None and end.denominator == 1 for end in bounds)


def _bounds(label: str) -> Bounds | None:
    """The interval of a label in any style: from the first number to below the second."""
    known = number_range(label)
    if known is None:
        return None
    return known.low, known.high + 1 if known.high is not None and known.includes_high else known.high


def parse_style(words: Mapping[str, Any]) -> str:
    """Parse `labels: 20–39`."""
    style = str(words.get("labels", BRACKETS)).strip()
    if style not in LABELS:
        raise HierarchyError(
            "labels: expected one of {labels}, got {given}",
            labels=quoted(LABELS),
            given=describe_given(words["labels"]),
        )
    return style


def parse_widths(words: Mapping[str, Any]) -> Intervals:
    """Parse `width: [5, 10, 20]`, optionally with `start`, `bottom` and `top`; the ends alone form one level.

    With `cuts`, levels with intervals between these follow.
    """
    bottom, top = (one_number(key, words[key]) if key in words else None for key in ("bottom", "top"))
    if bottom is not None and top is not None and bottom >= top:
        raise HierarchyError(
            "bottom: {bottom} is not below top, which is {top}", bottom=as_text(bottom), top=as_text(top)
        )
    if "width" not in words:
        if "cuts" in words:
            raise HierarchyError("cuts: cannot be combined with 'top' or 'bottom' without 'width'")
        return Intervals([_Coded(None, Fraction(0), bottom, top)], parse_style(words))
    widths = numbers("width", words["width"])
    if min(widths) <= 0:
        raise HierarchyError("width: expected numbers above 0, got {given}", given=describe_given(words["width"]))
    check_steps("width", widths, ascending=True, divisible=True)
    start = one_number("start", words["start"]) if "start" in words else Fraction(0)
    equal = [_Coded(width, start, bottom, top) for width in widths]
    if "cuts" not in words:
        return Intervals(equal, parse_style(words))
    above = parse_cuts(words).levels
    assert isinstance(above[0], _Cut)
    for cut in above[0].cuts:
        inside = (bottom is None or cut >= bottom) and (top is None or cut <= top)
        if not inside or ((cut - start) / widths[-1]).denominator != 1:
            raise HierarchyError(
                "cuts: {cut} is inside an interval of the level below, so that the levels would not nest",
                cut=as_text(cut),
            )
    return Intervals([*equal, *above], parse_style(words))


def parse_cuts(words: Mapping[str, Any]) -> Intervals:
    """Parse `cuts: [[18, 40, 65], [65]]`, a list for each level, or a single list."""
    items = as_list(words["cuts"])
    by_level = items if items and all(isinstance(level, list | tuple) for level in items) else [items]
    levels: list[_Cut] = []
    for cuts in by_level:
        level = numbers("cuts", list(cuts))
        if any(before >= after for before, after in pairwise(level)):
            raise HierarchyError("cuts: expected ascending numbers, got {given}", given=describe_given(cuts))
        if levels and not set(level) < set(levels[-1].cuts):
            raise HierarchyError(
                "cuts: the levels would not nest: each needs some, but not all, of the cuts of the level below"
            )
        levels.append(_Cut(tuple(level)))
    return Intervals(levels, parse_style(words))


def parse_parts(words: Mapping[str, Any]) -> list[int]:
    """Parse `quantiles: [8, 4, 2]`: the number of parts, with about equally many records, on each level."""
    parts = whole_numbers("quantiles", words["quantiles"], ascending=False, divisible=True)
    if parts[-1] < 2 or parts[0] > 1000:
        raise HierarchyError(
            "quantiles: expected numbers of parts from 2 to 1,000, got {given}",
            given=describe_given(words["quantiles"]),
        )
    return parts


def between_quantiles(parts: Sequence[int], counts: Mapping[str, int], style: str = BRACKETS) -> Intervals:
    """Intervals with about equally many records."""
    by_number: dict[Decimal, int] = {}  # decimals are compared much faster than fractions
    for value, count in counts.items():
        if (number := exact_decimal(value)) is not None:
            by_number[number] = by_number.get(number, 0) + count
    ordered = sorted(by_number.items())
    records = sum(by_number.values())
    levels = []
    for number_of_parts in parts:
        cuts: list[Fraction] = []
        passed, part = 0, 1
        for number, count in ordered:
            # Part k begins at the first number with k/number_of_parts of the records at or below it.
            begins_part = False
            while part < number_of_parts and (passed + count) * number_of_parts > records * part:
                begins_part = passed > 0
                part += 1
            if begins_part:
                cuts.append(Fraction(number))
            passed += count
        levels.append(_Cut(tuple(cuts)))
    return Intervals(levels, style)


def between_same_cuts(levels: Sequence[Sequence[str]], style: str = BRACKETS) -> Intervals:
    """The intervals of earlier levels, recovered from their labels: every cut is the end of one."""
    return Intervals([_Cut(tuple(sorted(_ends(set(labels))))) for labels in levels], style)


def _ends(labels: Iterable[str]) -> set[Fraction]:
    intervals = [bounds for label in labels if (bounds := _bounds(label)) is not None]
    return {end for bounds in intervals for end in bounds if end is not None}


_NUMBER = r"([+-]?\d[\d.]{0,100})"
_HALF_OPEN = re.compile(rf"\[ ?{_NUMBER} ?[,;] ?{_NUMBER} ?\)", re.ASCII)
_CLOSED = re.compile(rf"\[ ?{_NUMBER} ?[,;] ?{_NUMBER} ?\]", re.ASCII)
_RANGE = re.compile(rf"{_NUMBER} ?(?:[-–~～至到]|\.\.|to) ?(<?) ?{_NUMBER}", re.ASCII)
_BELOW = re.compile(rf"(<|≤|<=) ?{_NUMBER}", re.ASCII)
_FROM = re.compile(rf"(?:>|≥|>=) ?{_NUMBER}|{_NUMBER} ?\+", re.ASCII)


@dataclass(frozen=True)
class NumberRange:
    """The numbers that a label stands for; an end that is None is open."""

    low: Fraction | None
    high: Fraction | None
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
        begin = exact_fraction(match[1] or match[2])
        return None if begin is None else NumberRange(begin, None)
    return None


def _between(low: str, high: str, *, includes_high: bool) -> NumberRange | None:
    begin, end = exact_fraction(low), exact_fraction(high)
    if begin is None or end is None or begin >= end:
        return None
    return NumberRange(begin, end, includes_high=includes_high)
