"""Protection of columns that are not quasi-identifiers: rounding, coded ends, periods, intervals and groups.

`{round: 1000, top: 250000}`, `{bottom: 10}`, `{dates: month}`, `{intervals: [0, 1000, 5000]}`, `{intervals: 500}` or
`{groups_of: 11}`. Cells are protected one by one, in exact decimal arithmetic, except in groups, which depend on all
of them (`counting/microaggregation.py`); missing cells and `*` are unchanged.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from PETWorks.about.hierarchies.dates import LABELS, UNITS, Dates, read_date, spelling_of
from PETWorks.about.hierarchies.intervals import Intervals, parse_cuts, parse_widths
from PETWorks.about.hierarchies.scheme import as_text, describe_given, exact_decimal, exact_fraction, one_number
from PETWorks.errors import HierarchyError, ParameterError, Phrase, quoted, unknown

HOUR = "hour"
LARGEST_GROUP = 10_000
PERIODS = (HOUR, *UNITS)
OF_NUMBERS = ("round", "bottom", "top", "intervals")
GROUPS = "groups_of"
OF_DATES = ("calendar", "day_first")
KEYS = (*OF_NUMBERS, GROUPS, "dates", *OF_DATES)

_AMOUNT = re.compile(
    r"((?:NT|US|HK)?[$€£¥] ?|[A-Z]{3} )?"
    r"([+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)"
    r"([%‰元€kKM]| [A-Za-zµ°/]{1,8})?",
    re.ASCII,
)
_CLOCK = re.compile(r"(\d{1,2}):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?: ?([AaPp])\.?[Mm]\.?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_ENDS = re.compile(r"(?:≥|≤|<|>=) (.+)|\[(\S+), (\S+)\)")


class Protection(Protocol):
    """A mapping from the values of a column to protected ones."""

    @property
    def words(self) -> Mapping[str, Any]:
        """The declaration."""

    @property
    def expects(self) -> str:
        """A description of valid values."""

    @property
    def keeps_numbers(self) -> bool:
        """Whether numbers stay numbers."""

    def value(self, text: str) -> str | None:
        """The protected value, which is unchanged if protected again; None if the text is not a valid value."""

    def position(self, text: str) -> float | None:
        """The number that a value, or a protected one, stands for: the middle of an interval or a period."""


@dataclass(frozen=True)
class NumberProtection:
    """Numbers, rounded half to even to a multiple of a step, put into intervals, or coded at the ends.

    A number is coded if it or its rounded value reaches the end, so that labels and numbers do not overlap.
    """

    words: Mapping[str, Any]
    step: Fraction | None = None
    bottom: Fraction | None = None
    top: Fraction | None = None
    intervals: Intervals | None = None
    expects: str = field(default=Phrase("numbers"))

    @property
    def keeps_numbers(self) -> bool:
        """Whether every value stays a number."""
        return self.step is not None and self.bottom is None and self.top is None

    @property
    def is_whole(self) -> bool:
        """Whether rounded numbers are whole."""
        return self.step is not None and self.step.denominator == 1

    def value(self, text: str) -> str | None:
        """A label such as `≥ 250000`, an interval, or the rounded number with its currency or unit.

        Thousands are not separated: if some cells of a column separate them, programs take all of it for texts, and
        one number written in two ways for two values.
        """
        amount = parse_amount(text)
        if amount is None:
            return text if self._is_label(text) else None
        before, number, after = amount.before, amount.number, amount.after
        rounded, step, decimals = 0, *self._step
        if decimals is not None:
            rounded = _nearest(number, step, decimals) * step  # scaled to a whole number by 10**decimals
        ends = ((">=", "≥", self._top), ("<=", "≤", self._bottom))
        for sign, label, end in ends:
            if end is None:
                continue
            numbers = [number] if decimals is None else [number, Decimal(rounded).scaleb(-decimals)]
            if any(item >= end if sign == ">=" else item <= end for item in numbers):
                return f"{label} {before}{as_text(Fraction(end))}{after}"
        if self.intervals is not None:
            labels = self.intervals.path(as_text(Fraction(number)))
            return None if labels is None else labels[0]
        if decimals is None:
            return text.replace(",", "")
        return f"{before}{format_scaled(rounded, decimals)}{after}"

    @cached_property
    def _step(self) -> tuple[int, int | None]:
        """The step as a whole number, and its decimals; None if nothing is rounded."""
        if self.step is None:
            return 1, None
        decimals = len(as_text(self.step).partition(".")[2])
        return int(self.step * 10**decimals), decimals

    @cached_property
    def _top(self) -> Decimal | None:
        return None if self.top is None else Decimal(as_text(self.top))

    @cached_property
    def _bottom(self) -> Decimal | None:
        return None if self.bottom is None else Decimal(as_text(self.bottom))

    def _is_label(self, text: str) -> bool:
        """Whether a text is a label of this protection."""
        for sign, end in (("≥ ", self.top), ("≤ ", self.bottom)):
            if end is not None and text.startswith(sign):
                match = _AMOUNT.fullmatch(text[2:])
                return match is not None and exact_fraction(match[2]) == end
        return self.intervals is not None and self.intervals.below(text) is not None

    def position(self, text: str) -> float | None:
        """The number; the middle of an interval, or the bound of an open end."""
        ends = None if _AMOUNT.fullmatch(text) else _ENDS.fullmatch(text)
        found = [_number(part) for part in ([text] if ends is None else [end for end in ends.groups() if end])]
        numbers = [number for number in found if number is not None]
        return sum(numbers) / len(numbers) if numbers else None


@dataclass(frozen=True)
class DateProtection:
    """Dates and times, each as the period that contains it."""

    words: Mapping[str, Any]
    period: str
    roc: bool = False
    keeps_numbers: bool = False
    day_first: bool | None = None

    @property
    def expects(self) -> str:
        """A description of valid values."""
        return (
            Phrase("dates or times such as 2024-03-01 14:30 or 14:30") if self.period == HOUR else self._dates.expects
        )

    @cached_property
    def _dates(self) -> Dates:
        return Dates(("day" if self.period == HOUR else self.period,), self.roc, day_first=self.day_first)

    def value(self, text: str) -> str | None:
        """The period that contains it; longer periods are unchanged."""
        if self.period == HOUR:
            return _full_hour(text, roc=self.roc, day_first=self.day_first)
        found = read_date(text, roc=self.roc, day_first=self.day_first)
        if found is None:
            return text if self._dates.below(text) is not None else None
        day, period = found
        return text if UNITS.index(period) > UNITS.index(self.period) else LABELS[self.period](day)

    def position(self, text: str) -> float | None:
        """Days since a fixed day; for a period its middle."""
        clock = _CLOCK.search(text)
        hours = 0.0 if clock is None else (_hour(clock) or 0) / 24
        found = read_date(text, roc=self.roc, day_first=self.day_first)
        if found is not None and found[1] == "day":
            return found[0].toordinal() + hours
        for period in UNITS:
            days = Dates((period,), self.roc).below(text)
            if days is not None:
                ordinals = [date.fromisoformat(day).toordinal() for day in days]
                return sum(ordinals) / len(ordinals)
        return hours if clock is not None and found is None else None


@dataclass(frozen=True)
class GroupMeans:
    """Groups of at least `size` records with the numbers nearest to each other, each number as the mean of its group.

    The mean of a number depends on the whole column; `value` only checks the number.
    """

    words: Mapping[str, Any]
    size: int
    expects: str = field(default=Phrase("numbers, all with the same currency or unit"))
    keeps_numbers: bool = True

    def value(self, text: str) -> str | None:
        """The number itself; None if it is not one."""
        return text if parse_amount(text) else None

    def position(self, text: str) -> float | None:
        """The number."""
        return _number(text)


@dataclass(frozen=True)
class Amount:
    """A number with its currency before it or its unit after it."""

    before: str
    number: Decimal
    after: str


def parse_amount(text: str) -> Amount | None:
    """The number in a text; None if there is none.

    >>> parse_amount("NT$1,234")
    Amount(before='NT$', number=Decimal('1234'), after='')
    """
    match = _AMOUNT.fullmatch(text)
    number = None if match is None else exact_decimal(match[2].replace(",", ""))
    if match is None or number is None:
        return None
    return Amount(match[1] or "", number, match[3] or "")


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))", re.ASCII)
_BEFORE = re.compile(r"(?:(?:NT|US|HK)?[$€£¥] ?)?")
_AFTER = ("", "%", "‰", "元", "€")


def signs_of_amounts(texts: Iterable[str]) -> tuple[str, ...]:
    """What to take off the amounts of a column to get their numbers: a sign, such as `£`, separators of thousands.

    Nothing if the amounts have several signs.

    >>> signs_of_amounts(["£1,234.50", "£90"]), signs_of_amounts(["£5", "€5"])
    (('£', ','), ())
    """
    found: set[tuple[str, str]] = set()
    separated = False
    for text in texts:
        amount = parse_amount(text)
        if amount is not None:
            found.add((amount.before, amount.after))
            separated = separated or "," in text
            if len(found) > 1:
                return ()
    for before, after in found:
        if _BEFORE.fullmatch(before) is None or after not in _AFTER:
            return ()
        return (*filter(None, (before, after)), *[","] * separated)
    return ()


def bare(text: str, signs: Iterable[str]) -> str:
    """A text, perhaps an interval, without the signs of its amounts.

    >>> bare("[£1,000, £2,000)", ("£", ","))
    '[1000, 2000)'
    """
    for sign in signs:
        text = _THOUSANDS.sub("", text) if sign == "," else text.replace(sign, "")
    return text


def _full_hour(text: str, *, roc: bool, day_first: bool | None) -> str | None:
    """A time of day, or a date with one, without its minutes."""
    day, sign, clock = text.partition("T" if "T" in text else " ")
    match = _CLOCK.fullmatch(text)
    if match is not None:
        hour = _hour(match)
        return None if hour is None else f"{hour:02}:00"
    match, found = _CLOCK.fullmatch(clock.strip()), read_date(day, roc=roc, day_first=day_first)
    hour = None if match is None else _hour(match)
    return None if not sign or found is None or hour is None else f"{found[0].isoformat()} {hour:02}:00"


def _hour(clock: re.Match[str]) -> int | None:
    hour, half = int(clock[1]), (clock[2] or "").lower()
    if half:
        return hour % 12 + (12 if half == "p" else 0) if 1 <= hour <= 12 else None
    return hour if hour < 24 else None


def _number(text: str) -> float | None:
    amount = parse_amount(text)
    return None if amount is None else float(amount.number)


def _nearest(number: Decimal, step: int, decimals: int) -> int:
    """The exact number of steps nearest to a number; of two, the even one."""
    numerator, denominator = number.as_integer_ratio()
    size = step * denominator
    times, rest = divmod(numerator * 10**decimals, size)
    return int(times) + int(2 * rest > size or (2 * rest == size and times % 2 == 1))


def format_scaled(scaled: int, decimals: int) -> str:
    """A number, given as a whole number scaled by 10**decimals, as text."""
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    whole, rest = digits[: len(digits) - decimals], digits[len(digits) - decimals :]
    text = whole + (f".{rest}" if decimals else "")
    return f"-{text}" if scaled < 0 else text


def protection_of(column: str, words: Any) -> Protection:
    """The protection declared for a column; raise if the declaration is invalid."""
    try:
        return _protection(words)
    except (HierarchyError, ParameterError) as error:
        raise ParameterError(
            "protect {column!r}: {problem}", column=column, problem=error.worded(), what=f"protect.{column}"
        ) from None


def _protection(words: Any) -> Protection:
    if not isinstance(words, Mapping) or not words:
        raise HierarchyError(
            "expected a mapping such as {{round: 1000}} or {{dates: month}}, got {given}", given=describe_given(words)
        )
    for key in words:
        if key not in KEYS:
            raise unknown("key", str(key), KEYS)
    if "dates" in words:
        return _of_dates(words)
    for key in OF_DATES:
        if key in words:
            raise HierarchyError("{key!r} is for dates", key=key)
    if "round" in words and "intervals" in words:
        raise HierarchyError("'round' and 'intervals' exclude each other")
    if GROUPS in words:
        return _of_groups(words)
    step = one_number("round", words["round"]) if "round" in words else None
    if step is not None and step <= 0:
        raise HierarchyError("round: expected a number above 0, got {given}", given=describe_given(words["round"]))
    bottom, top = (one_number(key, words[key]) if key in words else None for key in ("bottom", "top"))
    if bottom is not None and top is not None and bottom >= top:
        raise HierarchyError(
            "bottom: {bottom} is not below top, which is {top}", bottom=as_text(bottom), top=as_text(top)
        )
    return NumberProtection(_plain(words), step, bottom, top, _intervals(words.get("intervals")))


def _of_groups(words: Mapping[str, Any]) -> GroupMeans:
    others = [key for key in words if key != GROUPS]
    if others:
        raise HierarchyError("'groups_of' and {others} exclude each other", others=quoted(others))
    size = one_number(GROUPS, words[GROUPS])
    if size.denominator != 1 or not 2 <= size <= LARGEST_GROUP:
        raise HierarchyError(
            "groups_of: expected a whole number from 2 to {most:,}, got {given}",
            most=LARGEST_GROUP,
            given=describe_given(words[GROUPS]),
        )
    return GroupMeans(_plain(words), int(size))


def _of_dates(words: Mapping[str, Any]) -> DateProtection:
    number_keys = [key for key in words if key in (*OF_NUMBERS, GROUPS)]
    if number_keys:
        raise HierarchyError("'dates' and {others} exclude each other", others=quoted(number_keys))
    period = str(words["dates"]).strip().replace(" ", "-")
    if period not in PERIODS:
        raise HierarchyError("dates: {problem}", problem=unknown("period", period, PERIODS).message)
    return DateProtection(_plain(words), period, **spelling_of(words))


def _intervals(words: Any) -> Intervals | None:
    """Intervals between cuts if a list is given; of equal width if it is one number."""
    if words is None:
        return None
    return parse_cuts({"cuts": words}) if isinstance(words, list | tuple) else parse_widths({"width": words})


def _plain(words: Mapping[str, Any]) -> dict[str, Any]:
    """The declaration as in JSON and YAML."""
    return {
        key: [str(item) for item in value] if isinstance(value, list | tuple) else _plain_item(value)
        for key, value in words.items()
    }


def _plain_item(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def protections_of(declared: Any) -> dict[str, Protection]:
    """The protections declared for columns, by column name."""
    if declared is None:
        return {}
    if not isinstance(declared, Mapping):
        raise ParameterError(
            "expected for each column a protection, got {given}", given=describe_given(declared), what="protect"
        )
    return {str(column).strip(): protection_of(str(column).strip(), words) for column, words in declared.items()}


def protect_from_text(texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Parse `COLUMN=round:1000,top:250000` for each protected column; cuts of intervals are 0/1000/5000."""
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        column, equals, words = (part.strip() for part in text.rpartition("="))
        parts = [part.partition(":") for part in words.split(",")]
        if not equals or not column or column in found or not all(colon and value.strip() for _, colon, value in parts):
            raise ParameterError(
                "protect: expected COLUMN=round:1000,top:250000 or COLUMN=dates:month, each column once; got {given!r}",
                given=text[:60],
            )
        values = {key.strip(): value.strip() for key, _, value in parts}
        found[column] = {key: value.split("/") if "/" in value else value for key, value in values.items()}
    return found


def protect_as_text(declared: Mapping[str, Any]) -> list[str]:
    """The texts that `protect_from_text` reads.

    >>> protect_as_text({"cost": {"round": 1000, "top": 250000}, "income": {"intervals": [0, 1000]}})
    ['cost=round:1000,top:250000', 'income=intervals:0/1000']
    """

    def value_text(value: Any) -> str:
        return "/".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

    return [
        f"{column}={','.join(f'{key}:{value_text(value)}' for key, value in words.items())}"
        for column, words in declared.items()
    ]
