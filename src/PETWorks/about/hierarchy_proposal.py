"""A hierarchy for a column, proposed by its name and its values; it contains no cell."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from PETWorks.about.code_levels import Diagnoses
from PETWorks.about.column_names import terms, words_of
from PETWorks.about.dates import UNITS, read_date
from PETWorks.about.declaration import Declaration
from PETWorks.about.hierarchy import Hierarchy
from PETWorks.about.scheme import as_text, exact
from PETWorks.errors import HierarchyError
from PETWorks.tables.cells import SUPPRESSED

AGES = "age, ages, 年齡, 歲數, 年紀"
POSTCODES = "zip, zip code, zipcode, postcode, postal code, post code, postal, 郵遞區號, 郵政編碼, 郵編"
TOP_AGE = 90
FEW_NUMBERS = 5  # so few may be codes of something
INTERVALS = 20  # on the first level, at most
YEARS = (1850, 2100)  # of dates that are written in digits alone
# From the first digit of the smallest width to those of all levels; each nests in the next.
STEPS = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}


_NUMBER = r" ?([+-]?\d[\d.]{0,30}) ?"
_RANGE = re.compile(rf"[\[(]?{_NUMBER}(?:-|–|~|,|;|to|至|到|\.\.){_NUMBER}[\])]?", re.ASCII)
_OPEN = re.compile(rf"[<>≤≥]=?{_NUMBER}|{_NUMBER}\+", re.ASCII)


@dataclass(frozen=True)
class Proposal:
    """A hierarchy in a few words, and why."""

    words: Mapping[str, Any]
    reason: str


def proposed_hierarchy(column: str, counts: Mapping[str | None, int]) -> tuple[Proposal, Hierarchy] | None:
    """A hierarchy that has a place for every value of the column; None if the values were generalised in some way.

    counts   how many records have each value
    """
    values = [value for value in counts if value is not None and value != SUPPRESSED]
    if any(map(_is_generalised, values)):
        return None
    for proposal in _proposals(words_of(column), values, sum(counts.values())):
        try:
            return proposal, Declaration.of(proposal.words).build(counts)
        except HierarchyError:  # some value has no place: the next kind may have one for it
            continue
    raise AssertionError("rare values have a place for everything")


def _is_generalised(value: str) -> bool:
    """Whether a value is masked, a range or an open range; `2024-03` is a month."""
    if value.endswith(SUPPRESSED) or _OPEN.fullmatch(value):
        return True
    match = _RANGE.fullmatch(value)
    low, high = (exact(number) for number in match.groups()) if match else (None, None)
    return low is not None and high is not None and low < high


def _proposals(words: str, values: list[str], records: int) -> Iterator[Proposal]:
    if values:
        yield from _for_dates(values)
        if any(term in words for term in terms(POSTCODES)):
            yield from _for_codes(values)
        if all(Diagnoses(["chapter"]).path(value) is not None for value in values):
            yield Proposal({"icd10": ["category", "chapter"]}, "codes of ICD-10: category, then chapter")
        yield from _for_numbers(words, values)
    few = max(5, -(-records // 100))
    yield Proposal(
        {"rare": {"fewer_than": few}},
        "values in few records become 'other'; declare groups instead where some make sense",
    )


def _for_dates(values: Iterable[str]) -> Iterator[Proposal]:
    """Months, years and decades, if all values are dates."""
    for calendar in ({}, {"calendar": "roc"}):
        units = set()
        for value in values:
            found = read_date(value, roc=bool(calendar))
            # Numbers of a few digits may be anything.
            digits = value.isdecimal() and (
                len(value) < 7 or not YEARS[0] <= (found[0].year if found else 0) <= YEARS[1]
            )
            if found is None or digits:
                break
            units.add(found[1])
        else:
            coarsest = max(map(UNITS.index, units))
            periods = [unit for unit in ("month", "year", "decade") if UNITS.index(unit) > coarsest]
            if periods:
                listed = ", then ".join(periods)
                yield Proposal({"dates": periods, **calendar}, f"dates: {listed}")


def _for_codes(values: Iterable[str]) -> Iterator[Proposal]:
    """The first characters of a postcode stand for a larger area."""
    shortest = min(map(len, values))
    if shortest > 1:
        yield Proposal(
            {"prefix": [3, 1] if shortest > 3 else [1]}, "a postcode: its first characters are a larger area"
        )


def _for_numbers(words: str, values: Iterable[str]) -> Iterator[Proposal]:
    """Intervals of equal width, if all values are numbers."""
    found = [exact(value) for value in values]
    numbers = [number for number in found if number is not None]
    if len(numbers) < len(found) or len(set(numbers)) <= FEW_NUMBERS:
        return
    whole = all(number.denominator == 1 for number in numbers)
    widths = _widths(max(numbers) - min(numbers), whole=whole)
    aged = any(term in words for term in terms(AGES))
    top = {"top": TOP_AGE} if aged and max(numbers) >= TOP_AGE > min(numbers) else {}
    reason = f"numbers: at most {INTERVALS} intervals, then wider ones"
    yield Proposal({"width": widths, **top}, reason + (f"; few people reach {TOP_AGE}" if top else ""))


def _widths(span: Fraction, *, whole: bool) -> list[int | str]:
    """Widths for each level; the smallest gives at most so many intervals."""
    if whole and span < INTERVALS:
        return [2, 4, 8] if span >= 8 else [2, 4]
    unit = Fraction(1)
    while unit * INTERVALS > span and not (whole and unit == 1):
        unit /= 10
    while unit * 10 * INTERVALS <= span:
        unit *= 10
    first = next((step for step in STEPS if unit * step * INTERVALS >= span), None)
    steps = STEPS[first] if first is not None else tuple(10 * step for step in STEPS[1])
    widths = [unit * step for step in steps if not whole or unit * step > 1]
    return [int(width) if width.denominator == 1 else as_text(width) for width in widths]


def in_yaml(words: Mapping[str, Any]) -> str:
    """Words as a policy has them, on one line."""

    def put(given: Any) -> str:
        if isinstance(given, Mapping):
            return f"{{{', '.join(f'{key}: {put(one)}' for key, one in given.items())}}}"
        return f"[{', '.join(map(put, given))}]" if isinstance(given, list) else str(given)

    return put(words)
