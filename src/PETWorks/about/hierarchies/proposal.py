"""A hierarchy proposed for a column from its name and values; it contains no cells."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from PETWorks.about.column_names import POSTCODES, SENSITIVE, terms, words_of
from PETWorks.about.hierarchies.dates import (
    CALENDARS,
    TAIWAN,
    UNITS,
    day_first_in,
    is_ambiguous_date,
    is_in_calendar_of_taiwan,
    read_date,
    spelling_of,
)
from PETWorks.about.hierarchies.declaration import Declaration
from PETWorks.about.hierarchies.groups import OTHER, label_of_rare
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.hierarchies.intervals import BELOW, BELOW_ASCII, WHOLE, WHOLE_ASCII, between_quantiles, number_range
from PETWorks.about.hierarchies.scheme import as_text, exact_fraction
from PETWorks.about.hierarchies.texts import (
    AREAS,
    COUNTY,
    DISTRICT,
    POSTCODE_LEVELS,
    UNIT,
    Diagnoses,
    read_address,
    read_british_postcode,
)
from PETWorks.errors import HierarchyError, Joined, Phrase
from PETWorks.tables.cells import SUPPRESSED, is_number

AGES = "age, 年齡, 歲數, 年紀"
ISCO, ISCED = "isco", "isced"  # digits of names are ignored
TOP_AGE = 90
FEW_NUMBERS = 5  # so few distinct numbers may be codes
INTERVALS = 20  # on the first level, at most
TAIL = Fraction(1, 50)  # share of records with the largest numbers, which are coded together if far from the rest
MAX_PARTS = 16  # of equally many records
MIN_PARTS = 4  # on the first level, below which most records have one number, and quantiles say little
ADULT, OLDER = 20, 60  # the ages from which people count as such; multiples of the widest interval
MIN_DATE_SHARE = 0.8  # of the values, from which a column is one of dates, although they cannot be read
FEW_YEARS = 5  # dates within so few years are of events, not of births
YEARS = (1850, 2100)  # of dates that are written in digits alone
STEPS = (1, 2, 5)  # the first digit of the smallest width
DOUBLED = (1, 2, 4, 8)  # the widths of the levels: about half as many intervals on each


PERIODS = {
    "month": Phrase("month"),
    "quarter": Phrase("quarter"),
    "half-year": Phrase("half-year"),
    "year": Phrase("year"),
    "5-years": Phrase("5-years"),
    "decade": Phrase("decade"),
    "20-years": Phrase("20-years"),
}

OTHER_IN_CHINESE = "其他"  # for tables in Chinese
_ISCO = re.compile(r"\d{2,4}", re.ASCII)
_ISCED = re.compile(r"[0-8]", re.ASCII)
_HAN = re.compile("[\u4e00-\u9fff]")
_OTHER_RANGE = re.compile(r"\([^()]*\d ?[,;] ?[+-]?\d[\d.]*[\])]", re.ASCII)


@dataclass(frozen=True)
class Proposal:
    """A hierarchy in a few words, and the reason; `height` is its highest level, if known."""

    words: Mapping[str, Any]
    reason: Phrase
    height: int = 0


def propose_hierarchy(
    column: str, counts: Mapping[str | None, int], encoding: str | None = None
) -> tuple[Proposal, Hierarchy] | None:
    """A hierarchy with a place for every value of the column; None if the values are already generalised.

    counts     the number of records with each value
    encoding   of the file, which must be able to represent the labels
    """
    values = [value for value in counts if value is not None and value != SUPPRESSED]
    if any(map(_is_generalised, values)):
        return None
    label = OTHER_IN_CHINESE if _HAN.search(column) or any(map(_HAN.search, values)) else OTHER
    known = {value: counts[value] for value in values}
    for proposal in _proposals(words_of(column), known, sum(counts.values()), label):
        proposal = replace(proposal, words={**proposal.words, **_labels(proposal.words, values, encoding)})
        try:
            return proposal, Declaration.of(proposal.words).build(counts)
        except HierarchyError:  # some value has no place; try the next kind
            continue
    raise AssertionError("rare values have a place for everything")


def _labels(words: Mapping[str, Any], values: Iterable[str], encoding: str | None) -> dict[str, str]:
    """The style of labels: as people write them, as far as the encoding of the file allows."""
    if words.get("calendar") == CALENDARS[1]:
        return {"labels": TAIWAN} if _can_encode(f"{TAIWAN}–季上下半月日", encoding) else {}
    if not {"width", "cuts", "quantiles"} & set(words):
        return {}
    whole = all(number is not None and number.denominator == 1 for number in map(exact_fraction, values))
    if _can_encode("–≥", encoding):
        return {"labels": WHOLE if whole else BELOW}
    return {"labels": WHOLE_ASCII if whole else BELOW_ASCII}


def _can_encode(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_generalised(value: str) -> bool:
    """Whether a value is masked, a range or an open range; `2024-03` is a month."""
    known = number_range(value)
    return (
        value.endswith(SUPPRESSED)
        or (known is not None and known.low != known.high)
        or _OTHER_RANGE.fullmatch(value) is not None
    )


def _proposals(words: str, values: Mapping[str, int], records: int, label: str) -> Iterator[Proposal]:
    if values:
        yield from _for_dates(values)
        is_named = any(term in words for term in terms(POSTCODES))
        yield from _for_british_postcodes(values, is_named=is_named)
        if is_named:
            yield from _for_codes(values)
        # Codes of wards and practices may look like categories of ICD-10: a dot or the name tells.
        is_code = any("." in value for value in values) or any(term in words for term in terms(SENSITIVE["health"]))
        if is_code and all(Diagnoses(["chapter"]).path(value) is not None for value in values):
            yield Proposal({"icd10": ["category", "chapter"]}, Phrase("codes of ICD-10: category, then chapter"))
        yield from _for_occupations(words, values)
        yield from _for_numbers(words, values)
        yield from _for_addresses(values)
    rare_limit = _limit_of_rare(list(values.values()), max(5, -(-records // 100)))
    label = label_of_rare(values, label)
    if values and sum(map(is_ambiguous_date, values)) >= MIN_DATE_SHARE * len(values):
        reason = Phrase(
            "dates whose day and month cannot be told apart: declare {{dates: [month, year, decade], day_first: true}} "
            "(false: month first); until then those in few records become {label!r}",
            label=label,
        )
    else:
        reason = Phrase(
            "values in few records become {label!r}; declare groups instead where some make sense", label=label
        )
    yield Proposal({"rare": {"fewer_than": rare_limit, **({} if label == OTHER else {"label": label})}}, reason)


def _limit_of_rare(counts: Sequence[int], limit: int) -> int:
    """The limit, raised if only one value is below it: alone, a rare value would get a new name and no protection."""
    rarest = sorted(counts)[:2]
    return rarest[1] + 1 if len(rarest) == 2 and rarest[0] < limit <= rarest[1] else limit


def _for_dates(values: Iterable[str]) -> Iterator[Proposal]:
    """Months and longer periods, if all values are dates: also decades if they are of more than a few years."""
    in_taiwan = all(map(is_in_calendar_of_taiwan, values))
    day_first = day_first_in(values)
    spellings: list[dict[str, str]] = [{"calendar": "roc"}] if in_taiwan else [{}, {"calendar": "roc"}]
    if day_first is not None:
        spellings.append({"day_first": str(day_first).lower()})
    for words in spellings:
        units, years = set(), set()
        for value in values:
            found = read_date(value, **spelling_of(words))
            # Numbers with few digits may be anything, and 159.4 is not a month of the year 159.
            may_be_a_number = value.isdecimal() and (
                len(value) < 7 or not YEARS[0] <= (found[0].year if found else 0) <= YEARS[1]
            )
            if found is None or may_be_a_number or ("." in value and is_number(value)):
                break
            units.add(found[1])
            years.add(found[0].year)
        else:
            coarsest = max(map(UNITS.index, units))
            is_short = max(years) - min(years) < FEW_YEARS
            wanted = ("month", "quarter", "half-year", "year", *(() if is_short else ("5-years", "decade", "20-years")))
            periods = [unit for unit in wanted if UNITS.index(unit) > coarsest]
            if periods:
                by_level = [
                    Phrase("{level} = {period}", level=level, period=period)
                    for level, period in enumerate([*(PERIODS[unit] for unit in periods), SUPPRESSED], start=1)
                ]
                reasons = [Phrase("dates; levels: {levels}", levels=Joined(", ", by_level))]
                if "day_first" in words:
                    reasons.append(
                        Phrase("the day comes first, as numbers above 12 show")
                        if day_first
                        else Phrase("the month comes first, as numbers above 12 show")
                    )
                yield Proposal({"dates": periods, **words}, Joined("; ", reasons))


def _for_british_postcodes(values: Iterable[str], *, is_named: bool) -> Iterator[Proposal]:
    """Sector, district and area, if all values are British postcodes: by the name of the column, or all complete."""
    found = [read_british_postcode(value) for value in values]
    finest = {
        next(level for level in reversed(POSTCODE_LEVELS) if parts[level] == parts[UNIT]) for parts in found if parts
    }
    if None in found or not (is_named or (finest == {UNIT} and any(" " in value for value in values))):
        return
    levels = POSTCODE_LEVELS[1 + min(map(POSTCODE_LEVELS.index, finest)) :]
    if levels:
        yield Proposal(
            {"uk_postcode": list(levels)}, Phrase("British postcodes: {levels}", levels=Joined(", ", levels))
        )


def _for_codes(values: Iterable[str]) -> Iterator[Proposal]:
    """Prefixes of a postcode, which stand for larger areas."""
    shortest = min(map(len, values))
    if shortest > 1:
        yield Proposal(
            {"prefix": [3, 1] if shortest > 3 else [2, 1] if shortest == 3 else [1]},
            Phrase("a postcode: its first characters are a larger area"),
        )


def _for_occupations(words: str, values: Iterable[str]) -> Iterator[Proposal]:
    """Known groupings of codes: ISCO by its digits, ISCED as low, medium and high."""
    if any(term in words for term in terms(ISCO)) and all(_ISCO.fullmatch(value) for value in values):
        digits = min(map(len, values))
        yield Proposal({"prefix": list(range(3, 0, -1))[-max(digits - 1, 1) :]}, Phrase("codes of ISCO: fewer digits"))
    if any(term in words for term in terms(ISCED)) and all(_ISCED.fullmatch(value) for value in values):
        yield Proposal({"cuts": [[3, 5]]}, Phrase("levels of ISCED: low (0 to 2), medium (3 and 4), high (from 5)"))


def _for_addresses(values: Iterable[str]) -> Iterator[Proposal]:
    """Larger areas, if all values are places in Taiwan."""
    areas = [read_address(value) for value in values]
    if None in areas:
        return
    with_districts = any(area is not None and area[DISTRICT] != area[COUNTY] for area in areas)
    levels = AREAS if with_districts else AREAS[1:]
    yield Proposal({"address": list(levels)}, Phrase("places in Taiwan: {levels}", levels=Joined(", ", levels)))


def _for_numbers(words: str, values: Mapping[str, int]) -> Iterator[Proposal]:
    """Intervals that become twice as wide on each level, if all values are numbers; quantiles if they are skewed."""
    found = [(exact_fraction(value), count) for value, count in values.items()]
    numbers = sorted((number, count) for number, count in found if number is not None)
    if len(numbers) < len(found) or len({number for number, _ in numbers}) <= FEW_NUMBERS:
        return
    whole = all(number.denominator == 1 for number, _ in numbers)
    least, most, usual = numbers[0][0], numbers[-1][0], _upper_quantile(numbers)
    if any(term in words for term in terms(AGES)) and least >= 0 and most > ADULT:
        yield _for_ages(most, whole=whole)
        return
    reasons = [Phrase("numbers: at most {n} intervals, then wider ones", n=INTERVALS)]
    if most - least > 2 * (usual - least) > 0:
        parts = [2**power for power in range(MAX_PARTS.bit_length() - 1, 0, -1) if 2 ** (power + 1) <= len(numbers)]
        if parts and len(set(between_quantiles(parts, values).labels_of(values))) >= MIN_PARTS:
            yield Proposal(
                {"quantiles": parts}, Phrase("skewed numbers: {n} intervals with equally many records", n=parts[0])
            )
            return
        widths = _widths(usual - least, whole=whole)
        top = -(-usual // widths[-1]) * widths[-1]
        reasons.append(Phrase("few records reach {number}", number=as_text(top)))
        yield Proposal(
            {"width": _as_declared_numbers(widths), "top": _as_declared_numbers([top])[0]}, Joined("; ", reasons)
        )
    else:
        yield Proposal({"width": _as_declared_numbers(_widths(most - least, whole=whole))}, Joined("; ", reasons))


def _for_ages(most: Fraction, *, whole: bool) -> Proposal:
    """Intervals of 1 (unless each age is one), 5, 10 and 20 years, then children, adults and older people."""
    coded = {"top": TOP_AGE} if most >= TOP_AGE else {}
    widths = [1, 5, 10, 20] if coded or not whole else [5, 10, 20]  # ages in years are values already
    cuts = [age for age in (ADULT, OLDER) if age <= most]
    reasons = [
        Phrase(
            "ages: intervals of {widths} years, then cut at {cuts}",
            widths=Joined(", ", map(str, widths)),
            cuts=Joined(", ", map(str, cuts)),
        )
    ]
    reasons += [Phrase("few people reach {age}", age=TOP_AGE)] if coded else []
    return Proposal({"width": widths, "cuts": cuts, **coded}, Joined("; ", reasons))


def _upper_quantile(numbers: Sequence[tuple[Fraction, int]]) -> Fraction:
    """The number that only a small share of the records exceeds; `numbers` must be sorted."""
    enough = (1 - TAIL) * sum(count for _, count in numbers)
    so_far = accumulate(count for _, count in numbers)
    return next(number for (number, _), total in zip(numbers, so_far, strict=True) if total >= enough)


def _widths(span: Fraction, *, whole: bool) -> list[Fraction]:
    """The width for each level, twice that of the one below; the smallest gives at most INTERVALS intervals."""
    if whole and span < INTERVALS:
        return [width for width in map(Fraction, DOUBLED) if 1 < width <= span] or [Fraction(2)]
    unit = Fraction(1)
    while unit * INTERVALS > span and not (whole and unit == 1):
        unit /= 10
    while unit * 10 * INTERVALS <= span:
        unit *= 10
    step = next((step for step in STEPS if unit * step * INTERVALS >= span), 10)
    widths = [unit * step * times for times in DOUBLED]
    return [width for width in widths if width <= span and not (whole and width == 1)]


def _as_declared_numbers(numbers: Iterable[Fraction]) -> list[int | str]:
    return [int(number) if number.denominator == 1 else as_text(number) for number in numbers]
