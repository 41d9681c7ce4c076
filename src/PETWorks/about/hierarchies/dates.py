"""Hierarchies of dates: from days, weeks and months to 20 years; also from the calendar of Taiwan.

Labels are `2024-03-01`, `2024-W09`, `2024-03`, `2024-Q1`, `2024-H1`, `2024`, `2020-2024`, `2020-2029` and `2020-2039`.
They sort as text.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import takewhile
from typing import Any, TypedDict

from PETWorks.about.hierarchies.scheme import OwnValues, as_list, describe_given
from PETWorks.errors import HierarchyError, Phrase, quoted, unknown

ROC_YEAR = 1911  # the year before year 1 of the Republic of China
CALENDARS = ("gregorian", "roc")

_TIME = r"(?:[ T]\d.{0,30})?"
_PATTERNS = (
    r"(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})" + _TIME,
    r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})" + _TIME,
    r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)",
    r"(?P<y>\d{4}) ?年 ?(?P<m>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?日)?",
    r"(?P<y>\d{4})[-/](?P<m>\d{1,2})",
    r"(?P<y>\d{4}) ?年?",
    r"(?:中華)?(?:民國)? ?(?P<roc>\d{1,3}) ?年(?: ?(?P<m>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?日)?)?",
    r"(?:民國)? ?(?P<roc>\d{3})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})" + _TIME,
    r"(?P<roc>\d{3})(?P<m>\d\d)(?P<d>\d\d)",
)
# Years of two digits are in this calendar only if the policy declares it: 99/03/01 may also be 1999.
_ROC_PATTERNS = (
    r"(?:民國)? ?(?P<roc>\d{1,3})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})" + _TIME,
    r"(?P<roc>\d\d)(?P<m>\d\d)(?P<d>\d\d)",
    r"(?:民國)? ?(?P<roc>\d{1,3})(?:[-/.](?P<m>\d{1,2}))?",
)
_GREGORIAN = [re.compile(pattern, re.ASCII) for pattern in _PATTERNS]
_AMBIGUOUS = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d\d)" + _TIME, re.ASCII)
_ROC = [*_GREGORIAN, *(re.compile(pattern, re.ASCII) for pattern in _ROC_PATTERNS)]
# 3/4/2024 is read only if the policy declares which of the two is the day; years of two digits never, as 03/04/24 may
# be of two centuries.
_ORDERED = {
    day_first: re.compile(
        rf"(?P<{first}>\d{{1,2}})(?P<s>[-/.])(?P<{second}>\d{{1,2}})(?P=s)(?P<y>\d{{4}}){_TIME}", re.ASCII
    )
    for day_first, first, second in ((True, "d", "m"), (False, "m", "d"))
}


class Spelling(TypedDict):
    """How dates are written: the keys of a declaration other than its periods."""

    roc: bool
    day_first: bool | None


def _week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def _years(number: int) -> Callable[[date], str]:
    def label(day: date) -> str:
        first = day.year // number * number
        return f"{first:04}-{first + number - 1:04}"

    return label


# Finest first; each nests in the following ones, except weeks, which do not nest in months or years.
LABELS: Mapping[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "week": _week,
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "half-year": lambda day: f"{day.year:04}-H{(day.month + 5) // 6}",
    "year": lambda day: f"{day.year:04}",
    "5-years": _years(5),
    "decade": _years(10),
    "20-years": _years(20),
}
UNITS = list(LABELS)
MONTHS = {"month": 1, "quarter": 3, "half-year": 6}  # of periods within a year
_FIRST_DAYS = {
    "month": re.compile(r"(\d{4})-(\d\d)", re.ASCII),
    "quarter": re.compile(r"(\d{4})-Q([1-4])", re.ASCII),
    "half-year": re.compile(r"(\d{4})-H([12])", re.ASCII),
    "year": re.compile(r"(\d{4})", re.ASCII),
    "5-years": re.compile(r"(\d{4})-\d{4}", re.ASCII),
    "decade": re.compile(r"(\d{4})-\d{4}", re.ASCII),
    "20-years": re.compile(r"(\d{4})-\d{4}", re.ASCII),
}


def _in_taiwan(day: date, rest: str = "", years: int = 1) -> str:
    """A period in the calendar of Taiwan, of years 110 to 119; before its year 1 in the Gregorian calendar."""
    is_before = day.year <= ROC_YEAR
    year = day.year if is_before else day.year - ROC_YEAR
    era = "" if is_before else "民國"
    if years == 1:
        return f"{era}{year}年{rest}"
    first = year // years * years
    last = min(first + years - 1, ROC_YEAR) if is_before else first + years - 1
    return f"{era}{max(first, 1)}–{last}年"


TAIWAN = "民國113年"  # the example that declares such labels
LABELS_IN_TAIWAN: Mapping[str, Callable[[date], str]] = {
    "day": lambda day: _in_taiwan(day, f"{day.month}月{day.day}日"),
    "week": _week,
    "month": lambda day: _in_taiwan(day, f"{day.month}月"),
    "quarter": lambda day: _in_taiwan(day, f"第{(day.month + 2) // 3}季"),
    "half-year": lambda day: _in_taiwan(day, "上半年" if day.month <= 6 else "下半年"),
    "year": _in_taiwan,
    "5-years": lambda day: _in_taiwan(day, years=5),
    "decade": lambda day: _in_taiwan(day, years=10),
    "20-years": lambda day: _in_taiwan(day, years=20),
}
_PERIOD_IN_TAIWAN = re.compile(
    r"(?P<roc>民國)?(?P<y>\d{1,4})(?:–\d{1,4})?年"
    r"(?:(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?|第(?P<q>[1-4])季|(?P<h>[上下])半年)?",
    re.ASCII,
)


def _first_in_taiwan(label: str, unit: str) -> date | None:
    """As `_first_day`, for labels in the calendar of Taiwan."""
    match = _PERIOD_IN_TAIWAN.fullmatch(label)
    if match is None:
        return None
    month = int(match["m"] or 1) if not match["q"] else 3 * int(match["q"]) - 2
    month = 7 if match["h"] == "下" else month
    try:
        first = date(int(match["y"]) + (ROC_YEAR if match["roc"] else 0), month, int(match["d"] or 1))
    except ValueError:
        return None
    return first if LABELS_IN_TAIWAN[unit](first) == label else None


@dataclass(frozen=True)
class Dates(OwnValues):
    """Dates in the common formats, with the period that contains each on every level."""

    units: Sequence[str]
    roc: bool = False
    labels: Mapping[str, Callable[[date], str]] = field(default_factory=lambda: LABELS)
    day_first: bool | None = None

    @property
    def expects(self) -> str:
        """A description of the values that it accepts."""
        if self.day_first is None:
            return Phrase(
                "dates such as 2024-03-01, 2024/3/1, 01.03.2024, 20240301, 113/03/01 or 1130301; 31/12/2024 with "
                "day_first: true, 12/31/2024 with day_first: false"
            )
        return Phrase(
            "dates such as 2024-03-01 or {example}, as day_first says",
            example="31/12/2024" if self.day_first else "12/31/2024",
        )

    def path(self, value: str) -> tuple[str, ...] | None:
        """The periods that contain a date; a month or a year is a value only if all levels are longer periods."""
        found = read_date(value, roc=self.roc, day_first=self.day_first)
        if found is None:
            return None
        day, unit = found
        shortest = UNITS.index(self.units[0])
        if unit != "day" and shortest <= UNITS.index(unit):
            return None
        return tuple(self.labels[period](day) for period in self.units)

    def below(self, label: str) -> Iterable[str] | None:
        """The days of a period."""
        for unit in self.units:
            first = _first_day(label, unit) if self.labels is LABELS else _first_in_taiwan(label, unit)
            if first is not None:
                return _days(first, label, self.labels[unit])
        return None

    def order(self, value: str) -> Any:
        """Sort by date, then by text for equal dates."""
        found = read_date(value, roc=self.roc, day_first=self.day_first)
        return (date.min if found is None else found[0]), value


def _days(first: date, label: str, label_of: Callable[[date], str]) -> Iterator[str]:
    """The days that have a label, beginning with the first one."""
    days = (first + timedelta(days=number) for number in range((date.max - first).days + 1))
    return (day.isoformat() for day in takewhile(lambda day: label_of(day) == label, days))


def _first_day(label: str, unit: str) -> date | None:
    """The first day of the period that a label stands for; None if it is not a label of this unit."""
    try:
        if unit == "week" and re.fullmatch(r"\d{4}-W\d\d", label, re.ASCII):
            return date.fromisocalendar(int(label[:4]), int(label[6:]), 1)
        match = _FIRST_DAYS[unit].fullmatch(label) if unit in _FIRST_DAYS else None
        if match is None:
            return None
        months = MONTHS.get(unit, 0)
        month = months * int(match[2]) - months + 1 if months else 1
        first = date(max(int(match[1]), 1), month, 1)
    except ValueError:
        return None
    return first if LABELS[unit](first) == label else None


def _patterns(roc: bool, day_first: bool | None) -> list[re.Pattern[str]]:
    """The forms of dates, those in a declared order first: if the month comes first, so it does before a dot."""
    known = _ROC if roc else _GREGORIAN
    return known if day_first is None else [_ORDERED[day_first], *known]


def read_date(text: str, *, roc: bool = False, day_first: bool | None = None) -> tuple[date, str] | None:
    """The first day of a date, a month or a year, and which of these it is; None for any other text.

    day_first   of 3/4/2024, whether it is 3 April; if that is not known, it is no date

    >>> read_date("民國113年3月1日"), read_date("2024/3")
    ((datetime.date(2024, 3, 1), 'day'), (datetime.date(2024, 3, 1), 'month'))
    >>> read_date("03/04/2024", day_first=True)
    (datetime.date(2024, 4, 3), 'day')
    """
    if len(text) > 60:
        return None
    for pattern in _patterns(roc, day_first):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        year = int(parts["y"]) if parts.get("y") else int(parts["roc"]) + ROC_YEAR
        month, day = parts.get("m"), parts.get("d")
        try:
            first = date(year, int(month or 1), int(day or 1))
        except ValueError:
            return None
        return first, "day" if day else "month" if month else "year"
    return None


def read_period(label: str, *, roc: bool = False, day_first: bool | None = None) -> tuple[date, date] | None:
    """The first and the last day that a date or a label of a period stands for; None for any other text.

    >>> read_period("2024-Q1"), read_period("2024/3/5")[1]
    ((datetime.date(2024, 1, 1), datetime.date(2024, 3, 31)), datetime.date(2024, 3, 5))
    """
    for unit in UNITS[1:]:
        for labels, first in ((LABELS, _first_day(label, unit)), (LABELS_IN_TAIWAN, _first_in_taiwan(label, unit))):
            if first is not None:
                return first, _last_day(first, labels[unit])
    found = read_date(label, roc=roc, day_first=day_first)
    return None if found is None else (found[0], _last_day(found[0], LABELS[found[1]]))


def _last_day(first: date, label_of: Callable[[date], str]) -> date:
    """The last day with the same label as the first one."""
    label, last = label_of(first), first
    for step in (365, 28, 1):  # a period has no gaps, so steps may become smaller
        while last <= date.max - timedelta(days=step) and label_of(last + timedelta(days=step)) == label:
            last += timedelta(days=step)
    return last


_TIME_OF_DAY = re.compile(r"[ T]\d[^年月日]{0,30}$", re.ASCII)


def date_writer(texts: Sequence[str], *, roc: bool = False, day_first: bool | None = None) -> Callable[[date], str]:
    """A function that writes a day as these dates of one day are written; as 2024-03-01 if they differ.

    Dates that differ, but are all in the calendar of Taiwan, are written as most of them are.

    >>> date_writer(["113/3/1", "113/12/24"])(date(2024, 7, 8))
    '113/7/8'
    """
    widths = defaultdict(list)
    for text in texts:
        form = _date_form(text, _patterns(roc, day_first))
        if form is None:
            return date.isoformat
        widths[form[0]].append(form[1])
    if not widths or (len(widths) > 1 and not all("{roc}" in form for form in widths)):
        return date.isoformat
    usual = max(widths, key=lambda form: len(widths[form]))
    years, months, days = (min(width) for width in zip(*widths[usual], strict=True))

    def write(day: date) -> str:
        return usual.format(
            y=f"{day.year:04}",
            roc=f"{day.year - ROC_YEAR:0{years}}",
            m=f"{day.month:0{months}}",
            d=f"{day.day:0{days}}",
        )

    return write


def _date_form(text: str, patterns: Iterable[re.Pattern[str]]) -> tuple[str, tuple[int, int, int]] | None:
    """A date without its time as a template, and the widths of its year, month and day; None if it is no day."""
    for pattern in patterns:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        if not parts.get("d") or "{" in text:
            return None
        year = "y" if parts.get("y") else "roc"
        form, start = "", 0
        for name in sorted((year, "m", "d"), key=match.start):
            form += f"{text[start : match.start(name)]}{{{name}}}"
            start = match.end(name)
        form += _TIME_OF_DAY.sub("", text[start:])
        return form, (len(parts[year]), len(parts["m"]), len(parts["d"]))
    return None


def is_in_calendar_of_taiwan(text: str) -> bool:
    """Whether a date counts its years in the calendar of Taiwan."""
    return len(text) <= 60 and any(
        match["roc"] is not None
        for pattern in _ROC
        if (match := pattern.fullmatch(text)) is not None and "roc" in pattern.groupindex
    )


def is_ambiguous_date(text: str) -> bool:
    """Whether a text looks like a date in an ambiguous order: is 3/4/2024 in March or in April?

    >>> is_ambiguous_date("11/19/1990"), is_ambiguous_date("1990-11-19")
    (True, False)
    """
    return len(text) <= 60 and _AMBIGUOUS.fullmatch(text) is not None and read_date(text) is None


def day_first_in(texts: Iterable[str]) -> bool | None:
    """Which of the first two numbers of dates such as 31/12/2024 is the day, where that is proved by one above 12.

    >>> [day_first_in(["03/04/2024", *more]) for more in (["31/12/2024"], ["1/31/2024"], [])]
    [True, False, None]
    """
    matches = [_ORDERED[True].fullmatch(text) for text in texts if len(text) <= 60]
    firsts, seconds = (any(match and int(match[part]) > 12 for match in matches) for part in ("d", "m"))
    return firsts if firsts != seconds else None


def parse_dates(words: Mapping[str, Any]) -> Dates:
    """Parse `dates: [month, quarter, year]`, optionally with `calendar: roc` and `day_first: true`."""
    units = [str(unit).strip().replace(" ", "-") for unit in as_list(words["dates"])]
    for unit in units:
        if unit not in LABELS:
            raise HierarchyError("dates: {problem}", problem=unknown("period", unit, LABELS).message)
    if not units:
        raise HierarchyError("dates: expected some of {labels}, got nothing", labels=quoted(LABELS))
    lengths = [UNITS.index(unit) for unit in units]
    if lengths != sorted(set(lengths)):
        raise HierarchyError(
            "dates: expected periods from the shortest to the longest, got {given}",
            given=describe_given(words["dates"]),
        )
    if "week" in units[:-1]:
        raise HierarchyError(
            "dates: a week can be in two months, quarters and years, so that the levels would not nest; end with 'week'"
        )
    spelling = spelling_of(words)
    style = words.get("labels")
    if style not in (None, TAIWAN) or (style is not None and not spelling["roc"]):
        raise HierarchyError(
            "labels: of dates only {example}, with the calendar 'roc'; got {given}",
            example=quoted([TAIWAN]),
            given=describe_given(style),
        )
    return Dates(units, labels=LABELS if style is None else LABELS_IN_TAIWAN, **spelling)


def spelling_of(words: Mapping[str, Any]) -> Spelling:
    """Parse `calendar: roc`, Gregorian by default, and `day_first: true`, which has no default."""
    calendar = words.get("calendar", CALENDARS[0])
    if calendar not in CALENDARS:
        raise HierarchyError(
            "calendar: expected one of {calendars}, got {given}",
            calendars=quoted(CALENDARS),
            given=describe_given(calendar),
        )
    day_first = words.get("day_first")
    order = None if day_first is None else str(day_first).strip().lower()
    if order not in (None, "true", "false"):
        raise HierarchyError("day_first: expected true or false, got {given}", given=describe_given(day_first))
    return {"roc": calendar == CALENDARS[1], "day_first": None if order is None else order == "true"}
