"""Columns by whose value records are found: amounts, dates, codes, coordinates, long texts; many of any texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from PETWorks.about.column_names import words_of
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.counts import ClassCodes, Grouping
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import fold_codes
from PETWorks.counting.release import Release
from PETWorks.gate.document.check_document import ColumnFacts
from PETWorks.tables.cells import SUPPRESSED

SHARE = 0.05  # of the records that a column may single out, where the policy states no other
OF_ANY_TEXT = 0.25  # of the records that a column of short texts without digits may single out: words recur by nature
FEW = 5  # records that a column may always single out
# What a column of latitudes and one of longitudes are called.
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
    """One column, or a latitude and a longitude, and how many records their value singles out."""

    columns: tuple[str, ...]
    records: int
    share: float


def singling_out(
    release: Release, columns: Sequence[ColumnFacts], share: float, key: str | None
) -> tuple[SinglingOut, ...]:
    """What singles out too many records: more than five, and more than a share of all.

    The share is of exact values. Of any values, also short texts, a column may single out a larger share. Nearly unique
    codes, which a finding rejects, are not said twice.

    Where people are counted, a value that one person has singles that person out, in however many records.

    Measures assume that quasi-identifiers are known, so these are left to the rules. Identifiers are a matter of other
    rules, and the columns that name people are needed to count them.
    """
    looked_at = [
        one
        for one in columns
        if one.released
        and one.role not in (IDENTIFIER, QUASI_IDENTIFIER)
        and one.column not in (release.privacy_unit, key)
        and not any(finding.kind == "nearly unique" and finding.fails for finding in one.found)
    ]
    profiles = release.profiles()
    alone: dict[tuple[str, ...], tuple[int, int]] = {}
    for one in looked_at:
        rows = profiles[one.column].records  # by people, if these are known
        exact, any_value = one.alone or 0, profiles[one.column].unique
        alone[one.column,] = (any_value if singles_out(any_value, rows, max(share, OF_ANY_TEXT)) else exact, rows)
    alone |= {pair: _unique_pairs(release, pair) for pair in coordinates([one.column for one in looked_at])}
    return tuple(
        SinglingOut(names, records, records / rows)
        for names, (records, rows) in alone.items()
        if singles_out(records, rows, share)
    )


def singles_out(alone: int, records: int, share: float = SHARE) -> bool:
    """Whether so many records with a value of their own are too many."""
    return alone > FEW and alone / records > share


def coordinates(columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The columns that are a latitude and a longitude, by their names."""
    words = {words_of(column): column for column in columns}
    for name, column in words.items():
        for north, east in _AXES:
            other = words.get(name.replace(f" {north} ", f" {east} ") if north.isascii() else name.replace(north, east))
            if other is not None and other != column:
                yield column, other
                break


def _unique_pairs(release: Release, pair: tuple[str, str]) -> tuple[int, int]:
    """How many records have both values, and no other record has the same two; and how many records there are."""
    table: Any = release.table
    people = release.people_of_records
    if not all(name in table.columns for name in pair):
        table = release.engine.load(release.source, pair)
    if people is not None:  # records of one person at one place single out that person
        unit = str(release.privacy_unit)
        table = WeightedRows({**{name: table.columns[name] for name in pair}, unit: people}, unit).per_person(pair)
    nothing = {
        name: [
            code for code in (table.columns[name].code(None), table.columns[name].code(SUPPRESSED)) if code is not None
        ]
        for name in pair
    }
    question = fold_codes("unique pairs", table, Grouping(pair, pair), partial(_count_unique, nothing), int.__add__)
    return int(table.ask([question])[0]), table.rows


def _count_unique(nothing: dict[str, list[int]], classes: ClassCodes) -> int:
    present = [~np.isin(classes.codes[name], codes) for name, codes in nothing.items()]
    return int(np.count_nonzero(np.logical_and.reduce([classes.sizes == 1, *present])))
