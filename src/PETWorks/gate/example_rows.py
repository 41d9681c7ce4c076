"""A few records before and after, for those who may see the original: on the page and in the internal report only.

They are no part of any document, so that nothing else that is written or printed can have them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.counts import Integers
from PETWorks.counting.engines.engine import load_rows
from PETWorks.counting.memory.weighted_rows import shuffled_order
from PETWorks.counting.protected_source import exact_source
from PETWorks.counting.release import ORDERS, Release
from PETWorks.measures.classes import Mask
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.source import Source

RECORDS = 5
MAX_COLUMNS = 30
MAX_CELLS = 50_000_000  # of a table; larger ones are not read once more
LONGEST_CELL = 40


@dataclass(frozen=True)
class ExampleRow:
    """A record before and after: the cells of each column that is in the release; None is missing.

    alike   how many people have the same values in the columns that outsiders may know: in the original, in the release
    """

    before: tuple[str | None, ...]
    after: tuple[str | None, ...]
    alike: tuple[int, int]

    @property
    def pairs(self) -> list[tuple[str | None, str | None]]:
        """The cells of each column before and after."""
        return list(zip(self.before, self.after, strict=True))


@dataclass(frozen=True)
class Story:
    """A few values that distinguish a record, with the names of their columns, before and after."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    alike: tuple[int, int]


@dataclass(frozen=True)
class ExampleRows:
    """The same records in the original and in the release, without identifiers.

    shown   by column, "mean" or "median" if the release shows that of the records that look the same
    """

    columns: tuple[str, ...]
    rows: tuple[ExampleRow, ...]
    story: Story | None = None
    shown: Mapping[str, str] = field(default_factory=dict)

    @property
    def by_column(self) -> list[tuple[str, list[tuple[str | None, str | None]]]]:
        """Each column with the cells of each record before and after."""
        return [(name, [row.pairs[place] for row in self.rows]) for place, name in enumerate(self.columns)]


def example_rows(
    release: Release, original: Source | None, unit: str | None, shown: Mapping[str, str]
) -> ExampleRows | None:
    """Records from all over the original that are in the release; None where records cannot be identified.

    release   the written release, which knows the order of its records and which ones were removed
    unit      the column of the original that names people, if they have several records
    shown     by column, the statistic that it shows
    """
    source = release.source
    if original is None or release.engine.name == "spark" or not (source.ordered and original.ordered):
        return None
    unit = unit if unit in original.names else None
    columns = [
        name
        for name in source.names
        if name in original.names and release.roles.get(name) != IDENTIFIER and name != unit
    ]
    known = [name for name in columns if name in release.quasi_identifiers]
    columns = columns[:MAX_COLUMNS]
    if not columns or release.records * len(source.names) > MAX_CELLS:
        return None
    original_of = _original_of(release)
    if original_of is None:
        return None
    loaded = list(dict.fromkeys((*columns, *known)))
    before, after = load_rows(exact_source(original), loaded, unit), load_rows(source, loaded)
    if before.rows != release.records + (release.removed_records or 0):
        return None
    records = _chosen(original_of)
    pairs = [_Pair(name, before.columns[name], after.columns[name], original_of[records], records) for name in loaded]
    people = None if unit is None else before.columns[unit].codes
    people_after = None if people is None else people[original_of]
    rows, stories = [], []
    for place in range(len(records)):
        alike = _Alike([pairs[loaded.index(name)] for name in known], place, people, people_after)
        cells = [pairs[loaded.index(name)].cells(place) for name in columns]
        in_original, in_release = (tuple(side) for side in zip(*cells, strict=True))
        rows.append(ExampleRow(in_original, in_release, alike.by(range(len(known)))))
        stories.append(alike)
    rarest = min(range(len(rows)), key=lambda place: (rows[place].alike[0], rows[place].after.count(SUPPRESSED)))
    return ExampleRows(tuple(columns), tuple(rows), stories[rarest].story() if known else None, shown)


def _original_of(release: Release) -> Integers | None:
    """For each record of the release its index in the original; None if the order is not known."""
    removed = release.removed_records or 0
    if len(release.removed) != removed:
        return None
    left = np.delete(np.arange(release.records + removed), release.removed)
    if release.order == ORDERS[0]:
        return left
    if release.seed is None:
        return None
    in_order: Integers = left[shuffled_order(release.seed, release.records)]
    return in_order


def _chosen(original_of: Integers) -> Integers:
    """The indices in the release of a few records, evenly spread over the original."""
    number = min(RECORDS, len(original_of))
    chosen = ((np.arange(number) + 0.5) * len(original_of) / number).astype(np.int64)
    in_release: Integers = np.argsort(original_of)[chosen]
    return in_release


class _Pair:
    """A column before and after, and the codes of the chosen records in both."""

    def __init__(self, name: str, before: Any, after: Any, in_original: Integers, in_release: Integers) -> None:
        self.name = name
        self.sides = ((before, before.codes[in_original]), (after, after.codes[in_release]))

    def cells(self, place: int) -> tuple[str | None, str | None]:
        """The cells of a chosen record before and after."""
        before, after = (column.values[codes[place]] for column, codes in self.sides)
        return _shorten(before), _shorten(after)

    def same(self, place: int) -> tuple[Mask, Mask]:
        """The records of the original, and of the release, that have the value of a chosen record."""
        before, after = (column.codes == codes[place] for column, codes in self.sides)
        return before, after


class _Alike:
    """Counts the people who share values of a chosen record that outsiders may know, before and after."""

    def __init__(self, known: list[_Pair], place: int, people: Any, people_after: Any) -> None:
        self.known, self.place, self.people = known, place, (people, people_after)
        self.same = [pair.same(place) for pair in known]

    def by(self, columns: Iterable[int]) -> tuple[int, int]:
        """The number of people who share the values of some of the columns, before and after."""
        before, after = (
            self._number([self.same[column][side] for column in columns], self.people[side]) for side in (0, 1)
        )
        return before, after

    def _number(self, masks: list[Mask], people: Any) -> int:
        if not masks:
            return 0
        same = np.logical_and.reduce(masks)
        return int(np.count_nonzero(same) if people is None else len(np.unique(people[same])))

    def story(self) -> Story:
        """A few columns that distinguish the person as well as all columns do, the most helpful first."""
        least = self.by(range(len(self.known)))[0]
        chosen: list[int] = []
        while not chosen or self.by(chosen)[0] > least:
            others = (column for column in range(len(self.known)) if column not in chosen)
            chosen.append(min(others, key=lambda column: self.by([*chosen, column])[0]))
        pairs = [self.known[column] for column in sorted(chosen)]
        before, after = (tuple(_said(pair, pair.cells(self.place)[side]) for pair in pairs) for side in (0, 1))
        return Story(before, after, self.by(chosen))


def _said(column: _Pair, cell: str | None) -> str:
    return f"{column.name} {'–' if cell is None else cell}"


def _shorten(value: str | None) -> str | None:
    return value if value is None or len(value) <= LONGEST_CELL else f"{value[:LONGEST_CELL]}…"
