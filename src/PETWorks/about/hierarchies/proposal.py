"""A hierarchy proposed for a column from its name and values; it contains no cells."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from PETWorks.about.column_names import terms, words_of
from PETWorks.about.hierarchies.code_levels import Diagnoses
from PETWorks.about.hierarchies.dates import UNITS, read_date
from PETWorks.about.hierarchies.declaration import Declaration
from PETWorks.about.hierarchies.groups import OTHER
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.hierarchies.scheme import as_text, exact_fraction
from PETWorks.errors import HierarchyError, Joined, Phrase
from PETWorks.tables.cells import SUPPRESSED, is_number

AGES = "age, ages, 年齡, 歲數, 年紀"
POSTCODES = "zip, zip code, zipcode, postcode, postal code, post code, postal, 郵遞區號, 郵政編碼, 郵編"
TOP_AGE = 90
FEW_NUMBERS = 5  # so few distinct numbers may be codes
INTERVALS = 20  # on the first level, at most
TAIL = Fraction(1, 50)  # share of records with the largest numbers, which are coded together if far from the rest
FEW_YEARS = 5  # dates within so few years are of events, not of births
YEARS = (1850, 2100)  # of dates that are written in digits alone
# From the first digit of the smallest width to the widths of all levels; each divides the next.
STEPS = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}


PERIODS = {
    "month": Phrase("month"),
    "quarter": Phrase("quarter"),
    "year": Phrase("year"),
    "5-years": Phrase("5-years"),
    "decade": Phrase("decade"),
}

OTHER_IN_CHINESE = "其他"  # for tables in Chinese
_HAN = re.compile("[\u4e00-\u9fff]")
_NUMBER = r" ?([+-]?\d[\d.]{0,30}) ?"
_RANGE = re.compile(rf"[\[(]?{_NUMBER}(?:-|–|~|,|;|to|至|到|\.\.){_NUMBER}[\])]?", re.ASCII)
_OPEN = re.compile(rf"[<>≤≥]=?{_NUMBER}|{_NUMBER}\+", re.ASCII)


@dataclass(frozen=True)
class Proposal:
    """A hierarchy in a few words, and the reason; `height` is its highest level, if known."""

    words: Mapping[str, Any]
    reason: Phrase
    height: int = 0


def propose_hierarchy(column: str, counts: Mapping[str | None, int]) -> tuple[Proposal, Hierarchy] | None:
    """A hierarchy with a place for every value of the column; None if the values are already generalised.

    counts   the number of records with each value
    """
    values = [value for value in counts if value is not None and value != SUPPRESSED]
    if any(map(_is_generalised, values)):
        return None
    label = OTHER_IN_CHINESE if _HAN.search(column) or any(map(_HAN.search, values)) else OTHER
    known = {value: counts[value] for value in values}
    for proposal in _proposals(words_of(column), known, sum(counts.values()), label):
        try:
            return proposal, Declaration.of(proposal.words).build(counts)
        except HierarchyError:  # some value has no place; try the next kind
            continue
    raise AssertionError("rare values have a place for everything")


def _is_generalised(value: str) -> bool:
    """Whether a value is masked, a range or an open range; `2024-03` is a month."""
    if value.endswith(SUPPRESSED) or _OPEN.fullmatch(value):
        return True
    match = _RANGE.fullmatch(value)
    low, high = (exact_fraction(number) for number in match.groups()) if match else (None, None)
    return low is not None and high is not None and low < high


def _proposals(words: str, values: Mapping[str, int], records: int, label: str) -> Iterator[Proposal]:
    if values:
        yield from _for_dates(values)
        if any(term in words for term in terms(POSTCODES)):
            yield from _for_codes(values)
        if all(Diagnoses(["chapter"]).path(value) is not None for value in values):
            yield Proposal({"icd10": ["category", "chapter"]}, Phrase("codes of ICD-10: category, then chapter"))
        yield from _for_numbers(words, values)
    rare_limit = max(5, -(-records // 100))
    yield Proposal(
        {"rare": {"fewer_than": rare_limit, **({} if label == OTHER else {"label": label})}},
        Phrase("values in few records become {label!r}; declare groups instead where some make sense", label=label),
    )


def _for_dates(values: Iterable[str]) -> Iterator[Proposal]:
    """Months and longer periods, if all values are dates: quarters for a few years, otherwise decades."""
    for calendar in ({}, {"calendar": "roc"}):
        units, years = set(), set()
        for value in values:
            found = read_date(value, roc=bool(calendar))
            # Numbers with few digits may be anything, and 159.4 is not a month of the year 159.
            digits = value.isdecimal() and (
                len(value) < 7 or not YEARS[0] <= (found[0].year if found else 0) <= YEARS[1]
            )
            if found is None or digits or ("." in value and is_number(value)):
                break
            units.add(found[1])
            years.add(found[0].year)
        else:
            coarsest = max(map(UNITS.index, units))
            is_short = max(years) - min(years) < FEW_YEARS
            wanted = ("month", "quarter", "year") if is_short else ("month", "year", "5-years", "decade")
            periods = [unit for unit in wanted if UNITS.index(unit) > coarsest]
            if periods:
                by_level = [
                    Phrase("{level} = {period}", level=level, period=period)
                    for level, period in enumerate([*(PERIODS[unit] for unit in periods), SUPPRESSED], start=1)
                ]
                yield Proposal(
                    {"dates": periods, **calendar}, Phrase("dates; levels: {levels}", levels=Joined(", ", by_level))
                )


def _for_codes(values: Iterable[str]) -> Iterator[Proposal]:
    """Prefixes of a postcode, which stand for larger areas."""
    shortest = min(map(len, values))
    if shortest > 1:
        yield Proposal(
            {"prefix": [3, 1] if shortest > 3 else [2, 1] if shortest == 3 else [1]},
            Phrase("a postcode: its first characters are a larger area"),
        )


def _for_numbers(words: str, values: Mapping[str, int]) -> Iterator[Proposal]:
    """Intervals of equal width, if all values are numbers; a long tail of large ones is coded together."""
    found = [(exact_fraction(value), count) for value, count in values.items()]
    numbers = sorted((number, count) for number, count in found if number is not None)
    if len(numbers) < len(found) or len({number for number, _ in numbers}) <= FEW_NUMBERS:
        return
    whole = all(number.denominator == 1 for number, _ in numbers)
    least, most, usual = numbers[0][0], numbers[-1][0], _upper_quantile(numbers)
    reasons = [Phrase("numbers: at most {n} intervals, then wider ones", n=INTERVALS)]
    if any(term in words for term in terms(AGES)):
        coded = {"top": TOP_AGE} if most >= TOP_AGE > least else {}
        reasons += [Phrase("few people reach {age}", age=TOP_AGE)] if coded else []
        yield Proposal(
            {"width": _as_declared_numbers(_widths(most - least, whole=whole)), **coded}, Joined("; ", reasons)
        )
    elif most - least > 2 * (usual - least) > 0:
        widths = _widths(usual - least, whole=whole)
        top = -(-usual // widths[-1]) * widths[-1]
        reasons.append(Phrase("few records reach {number}", number=as_text(top)))
        yield Proposal(
            {"width": _as_declared_numbers(widths), "top": _as_declared_numbers([top])[0]}, Joined("; ", reasons)
        )
    else:
        yield Proposal({"width": _as_declared_numbers(_widths(most - least, whole=whole))}, Joined("; ", reasons))


def _upper_quantile(numbers: Sequence[tuple[Fraction, int]]) -> Fraction:
    """The number that only a small share of the records exceeds; `numbers` must be sorted."""
    enough = (1 - TAIL) * sum(count for _, count in numbers)
    so_far = accumulate(count for _, count in numbers)
    return next(number for (number, _), total in zip(numbers, so_far, strict=True) if total >= enough)


def _widths(span: Fraction, *, whole: bool) -> list[Fraction]:
    """The width for each level; the smallest gives at most INTERVALS intervals."""
    if whole and span < INTERVALS:
        return [Fraction(2), Fraction(4), *([Fraction(8)] if span >= 8 else [])]
    unit = Fraction(1)
    while unit * INTERVALS > span and not (whole and unit == 1):
        unit /= 10
    while unit * 10 * INTERVALS <= span:
        unit *= 10
    first = next((step for step in STEPS if unit * step * INTERVALS >= span), None)
    steps = STEPS[first] if first is not None else tuple(10 * step for step in STEPS[1])
    return [unit * step for step in steps if not whole or unit * step > 1]


def _as_declared_numbers(numbers: Iterable[Fraction]) -> list[int | str]:
    return [int(number) if number.denominator == 1 else as_text(number) for number in numbers]
