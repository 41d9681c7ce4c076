"""Columns whose values single out records: amounts, dates, codes, coordinates, long texts, many short texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from PETWorks.about.column_names import words_of
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.counts import ClassCodes, ClassPairs, Grouping
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import fold_codes_question
from PETWorks.counting.release import Release
from PETWorks.gate.document import ColumnFacts
from PETWorks.tables.cells import SUPPRESSED

UNIQUE_SHARE = 0.05  # share of the records that exact values may single out, unless the policy states another
UNIQUE_TEXT_SHARE = 0.25  # the same for short texts without digits, since words usually recur
ALWAYS_ALLOWED = 5  # records that a column may always single out
# The names of columns with latitudes and longitudes.
_AXES = (
    ("latitude", "longitude"),
    ("lat", "lon"),
    ("lat", "lng"),
    ("lat", "long"),
    ("緯度", "經度"),
    ("northing", "easting"),
    ("twd y", "twd x"),
    ("coord y", "coord x"),
    ("座標 y", "座標 x"),
)


@dataclass(frozen=True)
class SinglingOut:
    """A column, or a latitude and a longitude, and the number of records that its values single out."""

    columns: tuple[str, ...]
    records: int
    share: float


def find_singling_out(
    release: Release, columns: Sequence[ColumnFacts], share: float, key: str | None
) -> tuple[SinglingOut, ...]:
    """The columns that single out too many records: more than five, and more than a share of all.

    The share applies to exact values. A larger share applies to values of any kind, including short texts. Nearly
    unique codes are not reported again: a finding rejects them.

    If people are counted, a value that only one person has singles that person out, in however many records.

    Quasi-identifiers are excluded: measures assume that they are known. So are identifiers, which other rules judge,
    and the columns that name people, which are needed to count them.
    """
    candidates = [
        column
        for column in columns
        if column.released
        and column.role not in (IDENTIFIER, QUASI_IDENTIFIER)
        and column.column not in (release.privacy_unit, key)
        and not any(finding.kind == "nearly unique" and finding.fails for finding in column.found)
    ]
    profiles = release.profiles()
    alone: dict[tuple[str, ...], tuple[int, int]] = {}
    for column in candidates:
        rows = profiles[column.column].records  # by people, if these are known
        exact, any_value = column.alone or 0, profiles[column.column].unique
        alone[column.column,] = (
            any_value if singles_out(any_value, rows, max(share, UNIQUE_TEXT_SHARE)) else exact,
            rows,
        )
    alone |= {pair: _unique_pairs(release, pair) for pair in coordinate_pairs([column.column for column in candidates])}
    return tuple(
        SinglingOut(names, records, records / rows)
        for names, (records, rows) in alone.items()
        if singles_out(records, rows, share)
    )


def from_the_original(release: Release, found: Sequence[SinglingOut]) -> tuple[SinglingOut, ...]:
    """The columns of a release that is not generalised with too many unique values that are unique in the original.

    Other unique values are nobody's. Quasi-identifiers and sensitive attributes are left to rules that compare them.
    """
    original = release.original_source
    kept = []
    for alone in found:
        if original is None or set(alone.columns) & {*release.quasi_identifiers, *release.sensitive_attributes}:
            continue
        if not set(alone.columns) <= set(original.names):
            continue
        before = release.engine.load(original, alone.columns)
        after = release.load(alone.columns, None)
        grouping = Grouping(alone.columns, alone.columns)
        records = after.fold_pairs(grouping, before, _count_unique_in_both, int.__add__)
        if singles_out(records, release.records):
            kept.append(SinglingOut(alone.columns, records, records / release.records))
    return tuple(kept)


def _count_unique_in_both(pairs: ClassPairs) -> int:
    return int(np.count_nonzero((pairs.released == 1) & (pairs.background == 1)))


def singles_out(alone: int, records: int, share: float = UNIQUE_SHARE) -> bool:
    """Whether this number of unique records is too large."""
    return alone > ALWAYS_ALLOWED and alone / records > share


def coordinate_pairs(columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of columns that are a latitude and a longitude, judged by their names."""
    words = {words_of(column): column for column in columns}
    for name, column in words.items():
        for north, east in _AXES:
            other = words.get(name.replace(f" {north} ", f" {east} ") if north.isascii() else name.replace(north, east))
            if other is not None and other != column:
                yield column, other
                break


def _unique_pairs(release: Release, pair: tuple[str, str]) -> tuple[int, int]:
    """The number of records with a unique pair of values, both present, and the number of all records."""
    table: Any = release.table
    people = release.people_of_records
    if not all(name in table.columns for name in pair):
        unit = release.privacy_unit if people is None and release.counts_people else None
        table = release.load(pair, unit)
    if people is not None:  # several records of one person at one place single that person out
        unit = str(release.privacy_unit)
        table = WeightedRows({**{name: table.columns[name] for name in pair}, unit: people}, unit)
    if table.unit is not None:
        table = table.per_person(pair)
    empty_codes = {
        name: [
            code for code in (table.columns[name].code(None), table.columns[name].code(SUPPRESSED)) if code is not None
        ]
        for name in pair
    }
    question = fold_codes_question(
        "unique pairs", table, Grouping(pair, pair), partial(_count_unique, empty_codes), int.__add__
    )
    return int(table.ask([question])[0]), table.rows


def _count_unique(empty_codes: dict[str, list[int]], classes: ClassCodes) -> int:
    present = [~np.isin(classes.codes[name], codes) for name, codes in empty_codes.items()]
    return int(np.count_nonzero(np.logical_and.reduce([classes.sizes == 1, *present])))
