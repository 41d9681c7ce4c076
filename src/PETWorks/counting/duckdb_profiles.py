"""Columns at a glance with DuckDB: the values of each piece are counted in memory, and added up on disk."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from PETWorks.about.personal_details import Search
from PETWorks.counting.codes import Encoder
from PETWorks.counting.counts import Integers
from PETWorks.counting.exact_values import EXACT, LONG_TEXT
from PETWorks.counting.profiles import AT_ONCE, LONGEST, SAMPLE, Profile
from PETWorks.tables.arrays import arrow_integers, strings
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.column_errors import naming
from PETWorks.tables.source import Source
from PETWorks.tables.spreadsheet_cells import FORMULA, NUMBER


class Working(Protocol):
    """The part of the engine that is used here."""

    def new(self, kind: str) -> str:
        """A name that no table has."""

    def execute(self, statement: str) -> None:
        """Run a statement."""

    def fetch(self, query: str) -> list[Integers]:
        """The columns of a result."""

    def insert(self, table: str, columns: Sequence[Any]) -> None:
        """Add rows, given as Arrow arrays."""


def duckdb_profiles(engine: Working, source: Source, columns: Sequence[str]) -> dict[str, Profile]:
    """Counts and a sample of the values of columns; the values themselves stay on disk."""
    counted, values = engine.new("counted"), engine.new("values")
    engine.execute(f"CREATE TABLE {counted} (c BIGINT, v VARCHAR, n BIGINT)")
    rows = 0
    for piece in source.read(tuple(columns), in_pieces=True):
        rows += piece.num_rows
        for place, (name, chunks) in enumerate(zip(columns, piece.columns, strict=True)):
            with naming(name, {name: chunks.type}, source):
                encoder = Encoder(spaced_quotes=source.separator is not None)
                for chunk in chunks.chunks:
                    encoder.add(chunk)
                column = encoder.finish().without_unused_labels()
            places = arrow_integers(np.full(len(column.counts), place))
            engine.insert(counted, [places, column.labels, arrow_integers(column.counts)])
    engine.execute(
        f"CREATE TABLE {values} AS SELECT c, v, CAST(sum(n) AS BIGINT) AS n FROM {counted} "
        f"WHERE v IS NOT NULL AND v <> '{SUPPRESSED}' GROUP BY c, v"
    )
    engine.execute(f"DROP TABLE {counted}")
    profiles = {name: _profile(engine, values, place, rows, name) for place, name in enumerate(columns)}
    engine.execute(f"DROP TABLE {values}")
    return profiles


def _profile(engine: Working, values: str, place: int, rows: int, name: str) -> Profile:
    of_column = f"FROM {values} WHERE c = {place}"
    # Sums of no rows are missing.
    is_exact = f"n = 1 AND (regexp_matches(v, '{EXACT}') OR length(v) > {LONG_TEXT})"
    counts = ("coalesce(CAST(sum(n) AS BIGINT), 0)", "count(*)", "count(*) FILTER (n = 1)")
    is_formula = f"regexp_matches(v, '{FORMULA}') AND NOT regexp_matches(v, '{NUMBER}')"
    formulas = f"coalesce(CAST(sum(n) FILTER ({is_formula}) AS BIGINT), 0)"
    numbers = f"SELECT {', '.join(counts)}, count(*) FILTER ({is_exact}), {formulas} {of_column}"
    present, distinct, unique, exact, formula_cells = (int(column[0]) for column in engine.fetch(numbers))
    (sample,) = engine.fetch(f"SELECT v[:{LONGEST}] {of_column} ORDER BY hash(v), v LIMIT {SAMPLE}")
    details = _details(engine, values, place, name)
    return Profile(rows, present, distinct, unique, [str(text) for text in sample], exact, details, formula_cells)


def _details(engine: Working, values: str, place: int, name: str) -> dict[str, int]:
    """How many personal details of each kind the values of a column have."""
    search = Search(name)
    (total,) = engine.fetch(f"SELECT count(*) FROM {values}")
    for first in range(0, int(total[0]), AT_ONCE):
        piece = f"c = {place} AND rowid >= {first} AND rowid < {first + AT_ONCE}"
        texts, records = engine.fetch(f"SELECT v, n FROM {values} WHERE {piece}")
        search.add(strings([str(text) for text in texts]), records)
    return search.details()
