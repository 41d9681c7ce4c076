"""Proposed protections: the one that keeps most of a column while its values single out few records."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.dates import day_first_in
from PETWorks.about.hierarchies.scheme import as_text
from PETWorks.about.protection import GROUPS, PERIODS, GroupMeans, protection_of
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.engines.partitioned import PartitionedTable
from PETWorks.counting.microaggregation import PersonValues
from PETWorks.counting.profiles import are_exact, people_per_value, value_person_pairs
from PETWorks.counting.protected_source import Change
from PETWorks.counting.release import Release
from PETWorks.gate.check.unique_values import (
    ALWAYS_ALLOWED,
    UNIQUE_SHARE,
    UNIQUE_TEXT_SHARE,
    coordinate_pairs,
    singles_out,
)
from PETWorks.tables.arrays import arrow_codes, strings
from PETWorks.tables.cells import SUPPRESSED, is_number

MAX_VALUES = 1_000_000  # distinct values of a column for which a protection is proposed
GROUP_SIZE = 11  # regulators of health data publish nothing about fewer than 11 people
MAX_DECIMALS = 6
MAX_STEPS = 40
CODED_SHARE = Fraction(1, 20)  # share of records that top or bottom coding may affect
SAFETY_FACTOR = 2  # stay at half of what the rule allows: suppressing records makes others unique

Reals = NDArray[np.float64]
FindPeople = Callable[[Sequence[str]], PersonValues]
CountUniqueAfter = Callable[[Callable[[str], str | None]], tuple[int, int]]


@dataclass(frozen=True)
class ProposedProtection:
    """A protection as declared in a policy, and the number of records singled out before and after."""

    words: Mapping[str, Any]
    before: int
    after: int


def count_unique(counts: Mapping[str | None, int]) -> int:
    """The number of records with an exact value that no other record has."""
    unique = [value for value, times in counts.items() if times == 1 and value not in (None, SUPPRESSED)]
    return int(are_exact(strings(unique)).true_count) if unique else 0


def coarse_roundings(counts: Mapping[str | None, int]) -> list[tuple[dict[str, str], int]]:
    """Roundings to ever fewer numbers, each with how many different ones it leaves; the largest 5 % are one group."""
    numbers = sorted(
        float(str(value)) for value, times in counts.items() if is_number(str(value)) for _ in range(times)
    )
    largest = numbers[int(0.95 * len(numbers))] if 2 * len(numbers) > sum(counts.values()) else 0.0
    roundings = []
    for parts in (50, 20, 10) if largest > 0 else ():
        step = 10 ** math.floor(math.log10(largest / parts))
        step *= next((factor for factor in (1, 2, 5) if factor * step >= largest / parts), 10)
        top = step * math.floor(largest / step)
        if step >= 1:
            left = {min(round(number / step) * step, top) for number in numbers}
            roundings.append(({"round": str(step), "top": str(top)}, len(left)))
    return roundings


def is_rejected(counts: Mapping[str | None, int]) -> bool:
    """Whether the rule about unique values rejects a column; `counts` are the records by value."""
    records = sum(counts.values())
    unique = sum(times == 1 and _is_value(value) for value, times in counts.items())
    return singles_out(count_unique(counts), records) or singles_out(unique, records, UNIQUE_TEXT_SHARE)


def finder_of_people(column: Column, people: Column) -> FindPeople:
    """A function that returns who has each of some values, by their index."""

    def find_people(values: Sequence[str]) -> PersonValues:
        codes, persons, times = value_person_pairs(column, people)
        index_of = {value: index for index, value in enumerate(values)}
        index = np.array([-1 if value is None else index_of.get(value, -1) for value in column.values], np.int64)[codes]
        known = index >= 0
        return PersonValues(index[known], persons[known].astype(np.int64), times[known])

    return find_people


def unique_counter_for_people(column: Column, people: Column) -> CountUniqueAfter:
    """A function that counts, after a protection, the values held by one person only, and all values of people."""

    def count_unique_after(protection: Callable[[str], str | None]) -> tuple[int, int]:
        labels = [value if value is None or value == SUPPRESSED else protection(value) for value in column.values]
        code_of: dict[str | None, int] = {}
        codes = np.array([code_of.setdefault(label, len(code_of)) for label in labels], np.uint32)
        shared = people_per_value(Column(strings(list(code_of)), codes[column.codes]), people)[0]
        return count_unique(dict(zip(code_of, shared.tolist(), strict=True))), int(shared.sum())

    return count_unique_after


def unique_counter_for_table(table: PartitionedTable, column: str) -> CountUniqueAfter:
    """A function that counts the same in a table of an engine, with the column that names people."""

    def count_unique_after(protection: Callable[[str], str | None]) -> tuple[int, int]:
        changes = {
            value: protection(str(value)) if _is_value(value) else value for value in table.columns[column].values
        }
        shared = table.generalise({column: changes}).per_person((column,)).marginal(column)
        return count_unique(shared.by_value), int(shared.counts.sum())

    return count_unique_after


def propose_protection(
    counts: Mapping[str | None, int],
    count_unique_after: CountUniqueAfter | None = None,
    records_of: Mapping[str | None, int] | None = None,
    *,
    grouping: bool = True,
    find_people: FindPeople | None = None,
) -> ProposedProtection | None:
    """The protection that keeps most of the variance well below the limit of the rule; None if there is none.

    That is the shortest period, or the finest rounding, or groups if they keep more than rounding.

    counts        number of records, or people, by value
    count_unique_after   counts the people singled out after a protection, for tables with several records per person
    records_of    number of records by value, if `counts` are people
    grouping      whether groups may be proposed
    find_people   who has some values, if groups are of people
    """
    records, known = sum(counts.values()), {str(value): times for value, times in counts.items() if _is_value(value)}
    if not known or len(known) > MAX_VALUES:
        return None
    before, most = count_unique(counts), allowed_unique(records)

    def unique_after(protect: Callable[[str], str | None]) -> int | None:
        """The number singled out after a protection; None if too many are, or some values cannot be protected."""
        after: Counter[str | None] = Counter()
        for value, times in known.items():
            after[protect(value)] += times
        alone = count_unique(after)
        if alone > most or None in after:
            return None
        if count_unique_after is None:
            return alone
        alone, remaining = count_unique_after(protect)
        return alone if alone <= min(most, allowed_unique(remaining)) else None

    found = None
    for words in chain(_date_protections(known, most), _number_protections(known, most, records)):
        alone = unique_after(protection_of("", words).value)
        if alone is not None:
            found = ProposedProtection(words, before, alone)
            break
    if not grouping or (found is not None and "dates" in found.words):
        return found
    weights = known if records_of is None else {str(value): records_of[value] for value in counts if _is_value(value)}
    grouped = _change_by_groups(weights, None if find_people is None else find_people(list(weights)))
    if grouped is None or (found is not None and _variance_kept(found.words, weights) >= (grouped.variance_kept or 0)):
        return found
    alone = unique_after(grouped.protection.value)
    return found if alone is None else ProposedProtection({GROUPS: GROUP_SIZE}, before, alone)


def _change_by_groups(weights: Mapping[str, int], people: PersonValues | None) -> Change | None:
    """The change by groups; None if the values cannot be grouped, or would all become one."""
    if (sum(weights.values()) if people is None else people.people) < 2 * GROUP_SIZE:
        return None
    change = Change.of_groups(GroupMeans({GROUPS: GROUP_SIZE}, GROUP_SIZE), weights, "", people)
    return None if change.wrong or not change.variance_kept else change


def _variance_kept(words: Mapping[str, Any], weights: Mapping[str, int]) -> float:
    """The share of the variance that a protection of numbers keeps."""
    change = Change(protection_of("", words))
    for value, times in weights.items():
        change.add(value, times)
    return change.variance_kept or 0.0


def allowed_unique(records: int) -> int:
    """The number of records that a proposed protection may single out."""
    return max(ALWAYS_ALLOWED, int(UNIQUE_SHARE * records)) // SAFETY_FACTOR


def _is_value(value: str | None) -> bool:
    return value is not None and value != SUPPRESSED


def _date_protections(counts: Mapping[Any, int], most: int) -> Iterator[dict[str, Any]]:
    """Periods, the shortest first, if every value is a date or a time."""
    day_first = day_first_in(counts)
    order = {} if day_first is None else {"day_first": str(day_first).lower()}
    for period in PERIODS:
        protection = protection_of("", {"dates": period, **order})
        after: Counter[str | None] = Counter()
        for value, times in counts.items():
            label = protection.value(value)
            if label is None:
                break
            after[label] += times
        else:
            if sum(times == 1 for times in after.values()) <= most:
                yield {"dates": period, **order}


def _number_protections(counts: Mapping[Any, int], most: int, records: int) -> Iterator[dict[str, Any]]:
    """Roundings, the finest first, each alone or with top or bottom coding, if every value is a number."""
    identity = protection_of("", {"round": 1})
    counted = [(identity.position(value), times) for value, times in counts.items()]
    if any(number is None for number, _ in counted):
        return
    numbers = np.array([number for number, _ in counted], np.float64)
    times = np.array([number for _, number in counted], np.int64)
    for step in steps_for(counts):
        rounded = np.round(numbers / float(step))
        if _count_unique_values(rounded, times) <= most:
            yield {"round": as_text(step)}
        top, bottom = (_coding_limit(rounded, times, step, records, highest=highest) for highest in (True, False))
        for low, high in ((None, top), (bottom, None), (bottom, top)):
            ends = {key: end for key, end in (("bottom", low), ("top", high)) if end is not None}
            apart = low is None or high is None or low < high
            if ends and apart and _count_unique_between(rounded, times, step, ends) <= most:
                yield {"round": as_text(step), **{key: as_text(end) for key, end in ends.items()}}


def steps_for(values: Sequence[str] | Mapping[Any, int]) -> Iterator[Fraction]:
    """1, 2, 5, 10, ... starting at the last decimal place of the values."""
    decimals = max((len(str(value).partition(".")[2].rstrip("%元€kKM ")) for value in values), default=0)
    step = Fraction(Decimal(1).scaleb(-min(decimals, MAX_DECIMALS)))
    for index in range(MAX_STEPS):
        yield step * (1, 2, 5)[index % 3] * 10 ** (index // 3)


def _count_unique_values(values: Reals, times: Integers) -> int:
    """The number of records with a value that no other record has."""
    _, index_of = np.unique(values, return_inverse=True)
    return int(np.count_nonzero(np.bincount(index_of, weights=times) == 1))


def _count_unique_between(rounded: Reals, times: Integers, step: Fraction, ends: Mapping[str, Fraction]) -> int:
    low, high = (float(end / step) if (end := ends.get(key)) is not None else None for key in ("bottom", "top"))
    coded = rounded.copy()
    if high is not None:
        coded[rounded >= high] = high
    if low is not None:
        coded[rounded <= low] = low
    return _count_unique_values(coded, times)


def _coding_limit(rounded: Reals, times: Integers, step: Fraction, records: int, *, highest: bool) -> Fraction | None:
    """The limit for top or bottom coding: a short number with about a twentieth of the records beyond it."""
    values, index_of = np.unique(rounded, return_inverse=True)
    numbers = np.bincount(index_of, weights=times)
    if highest:
        values, numbers = values[::-1], numbers[::-1]
    beyond = np.cumsum(numbers)
    last = int(np.searchsorted(beyond, float(CODED_SHARE * records), side="right")) - 1
    if last < 0 or beyond[last] <= ALWAYS_ALLOWED:
        return None
    end = Fraction(int(values[last])) * step
    digits = len(str(int(abs(end))))
    unit = max(step, Fraction(10) ** (digits - 2))
    return (end // unit if highest else -(-end // unit)) * unit


def propose_protections(release: Release, columns: Sequence[str]) -> dict[str, ProposedProtection]:
    """A protection for each of the columns for which one can be proposed at reasonable cost."""
    if release.engine.name == "spark" or not columns:
        return {}
    protections = {}
    pairs = list(coordinate_pairs(columns))
    coordinates = {name for pair in pairs for name in pair}
    for column in columns:
        grouping = column not in coordinates
        people = release.people_of_records
        unit = release.privacy_unit if people is None and release.counts_people else None
        table: Any = release.load((column,), unit)
        if people is None:
            marginal = (table if unit is None else table.per_person((column,))).marginal(column)
            counts = marginal.by_value
            count_unique_after = None if unit is None else unique_counter_for_table(table, column)
            whole = None if unit is None else table.marginal(column)
            records_of = None if whole is None else whole.by_value
            proposed = propose_protection(
                counts,
                count_unique_after=count_unique_after,
                records_of=records_of,
                grouping=grouping and unit is None,  # groups are of people, who are known only for a table in memory
            )
        else:
            cells = table.columns[column]
            shared = dict(zip(cells.values, people_per_value(cells, people)[0].tolist(), strict=True))
            proposed = propose_protection(
                shared,
                count_unique_after=unique_counter_for_people(cells, people),
                records_of=dict(zip(cells.values, cells.counts.tolist(), strict=True)),
                grouping=grouping,
                find_people=finder_of_people(cells, people),
            )
        if proposed is not None:
            protections[column] = proposed
    if pairs and release.engine.name == "memory":
        for pair in pairs:
            rows: Any = release.engine.load(release.source, pair)
            latitudes, longitudes = (cells_of(rows.columns[name]) for name in pair)
            proposed = propose_for_coordinates(latitudes, longitudes, people=person_codes(people))
            protections |= {} if proposed is None else dict.fromkeys(pair, proposed)
    return protections


def person_codes(people: Column | None) -> list[int] | None:
    """The number of the person of each record."""
    return None if people is None else people.codes.tolist()


def cells_of(column: Column) -> list[str | None]:
    """The cells of a column that is in memory."""
    cells: list[str | None] = column.labels.take(arrow_codes(column.codes)).to_pylist()
    return cells


def propose_for_coordinates(
    latitudes: Sequence[str | None],
    longitudes: Sequence[str | None],
    people: Sequence[int] | None = None,
) -> ProposedProtection | None:
    """One rounding for a latitude and a longitude, so that few pairs single out a record, or a person.

    people   the number of the person of each record: records of one person at one place count once
    """
    owners = range(len(latitudes)) if people is None else people
    rows = set(zip(latitudes, longitudes, owners, strict=True))
    known = [(str(north), str(east), owner) for north, east, owner in rows if _is_value(north) and _is_value(east)]
    pairs = {(north, east) for north, east, _ in known}
    if not known or len(pairs) > MAX_VALUES:
        return None
    before = _count_unique_coordinates(known)
    for step in steps_for([value for pair in sorted(pairs) for value in pair]):
        protection = protection_of("", {"round": as_text(step)})
        after = {(protection.value(north), protection.value(east), owner) for north, east, owner in known}
        if any(None in row for row in after):
            return None
        alone, most = _count_unique_coordinates(after), allowed_unique(len(after) + len(rows) - len(known))
        if alone <= most:
            return ProposedProtection({"round": as_text(step)}, before, alone)
    return None


def _count_unique_coordinates(rows: Iterable[tuple[Any, Any, int]]) -> int:
    """The number of pairs of a latitude and a longitude that only one record or person has."""
    return sum(times == 1 for times in Counter((north, east) for north, east, _ in rows).values())
