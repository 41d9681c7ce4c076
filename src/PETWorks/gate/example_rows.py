"""A few records before and after, for those who may see the original: on the page and in the internal report only.

They are no part of any document, so that nothing else that is written or printed can have them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.engines.engine import load_rows
from PETWorks.counting.memory.weighted_rows import shuffled_order
from PETWorks.counting.protected_source import exact_source
from PETWorks.counting.release import ORDERS, Release
from PETWorks.tables.source import Source

RECORDS = 5
MAX_COLUMNS = 30
MAX_CELLS = 50_000_000  # of a table; larger ones are not read once more
LONGEST_CELL = 40


@dataclass(frozen=True)
class ExampleRow:
    """A record before and after: the cells of each column that is in the release; None is missing."""

    before: tuple[str | None, ...]
    after: tuple[str | None, ...]

    @property
    def pairs(self) -> list[tuple[str | None, str | None]]:
        """The cells of each column before and after."""
        return list(zip(self.before, self.after, strict=True))


@dataclass(frozen=True)
class ExampleRows:
    """The same records in the original and in the release, without identifiers."""

    columns: tuple[str, ...]
    rows: tuple[ExampleRow, ...]


def example_rows(release: Release, original: Source | None) -> ExampleRows | None:
    """Records from all over the original that are in the release; None where records cannot be told.

    release   the written release, which knows the order of its records and which ones were removed
    """
    source = release.source
    if original is None or release.engine.name == "spark" or not (source.ordered and original.ordered):
        return None
    places = _places(release)
    columns = [
        name
        for name in source.names
        if name in original.names and release.roles.get(name) != IDENTIFIER and name != release.privacy_unit
    ][:MAX_COLUMNS]
    if places is None or not columns or release.records * len(source.names) > MAX_CELLS:
        return None
    before, after = (load_rows(table, columns) for table in (exact_source(original), source))
    if before.rows != release.records + (release.removed_records or 0):
        return None
    in_original, in_release = places
    cells = [
        [_cells(table.columns[name], records) for name in columns]
        for table, records in ((before, in_original), (after, in_release))
    ]
    rows = zip(*(zip(*by_column, strict=True) for by_column in cells), strict=True)
    return ExampleRows(tuple(columns), tuple(ExampleRow(*pair) for pair in rows))


def _places(release: Release) -> tuple[Sequence[int], Sequence[int]] | None:
    """The indices of a few records in the original and in the release; None if the order is not known."""
    removed = release.removed_records or 0
    if len(release.removed) != removed:
        return None
    records = release.records
    left = np.delete(np.arange(records + removed), release.removed)
    order = np.arange(records)
    if release.order != ORDERS[0]:
        if release.seed is None:
            return None
        order = shuffled_order(release.seed, records)
    number = min(RECORDS, records)
    chosen = ((np.arange(number) + 0.5) * records / number).astype(np.int64)  # evenly spread over the original
    in_release = np.argsort(order)[chosen]
    return left[chosen].tolist(), in_release.tolist()


def _cells(column: Any, records: Sequence[int]) -> list[str | None]:
    values = [column.values[code] for code in column.codes[list(records)].tolist()]
    return [value if value is None or len(value) <= LONGEST_CELL else f"{value[:LONGEST_CELL]}…" for value in values]
