"""Tables and views of a SQLite file, through Python's own reader: each cell as what it is, whatever its column says.

DuckDB's reader of SQLite knows a column's declared type only, writes numbers with 15 digits and leaves out views.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError, unknown
from PETWorks.tables.attending import attended, closed_after
from PETWorks.tables.column_errors import unreadable
from PETWorks.tables.csvfile import dictionary_array

ROWS = 1 << 16  # of a piece


class SQLite:
    """A table or view of a SQLite file."""

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    engine: str | None = "duckdb"
    ordered = False

    def __init__(self, path: Path, table: str) -> None:
        self.name = f"{path.name}#{table}"
        self._path = path
        with self._opened() as connection:
            known = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            listed = [name for (name,) in known]
            if table not in listed:
                raise InputError(
                    "{name}: {problem}", name=self.name, problem=unknown("table", table, sorted(set(listed))).message
                )
            self.other_tables = sum(name != table and not name.startswith("sqlite_") for name in listed)
            self._table = _identifier(table)
            description = connection.execute(f"SELECT * FROM {self._table} LIMIT 0").description
            count = f"SELECT count(*) FROM {self._table}"
            self.rows: int | None = attended(lambda: connection.execute(count).fetchall()[0][0], connection.interrupt)
        self._raw_names = [column[0] for column in description]
        self.names = tuple(name.strip() for name in self._raw_names)
        if self.rows == 0:
            raise InputError("{table}: the table has columns but no records", table=self.name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, so many rows at a time."""
        cells = ", ".join(_identifier(self._raw_names[self.names.index(name)]) for name in columns)
        rows = 0
        with self._opened() as connection:
            connection.text_factory = bytes
            query = f"SELECT {cells} FROM {self._table}"
            cursor = attended(lambda: connection.execute(query), connection.interrupt)
            while piece := attended(lambda: cursor.fetchmany(ROWS), connection.interrupt):
                rows += len(piece)
                cells_by_column = zip(columns, zip(*piece, strict=True), strict=True)
                texts = [self._texts(name, cells) for name, cells in cells_by_column]
                yield pa.Table.from_arrays([dictionary_array(column) for column in texts], list(columns))
        if rows != self.rows:
            raise InputError(
                "{table}: {rows} records were read but {expected} were expected; the table may have changed",
                table=self.name,
                rows=rows,
                expected=self.rows,
            )

    def _texts(self, column: str, cells: Sequence[Any]) -> list[str]:
        try:
            return [_text(cell) for cell in cells]
        except UnicodeDecodeError:
            raise unreadable(self.name, column, pa.string()) from None

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """The file, for reading; its errors, which may quote a cell, as ours."""
        import sqlite3

        address = f"{self._path.resolve().as_uri()}?mode=ro"
        try:
            with closed_after(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection:
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise InputError(
                "{table}: the database cannot be read ({type}); it must be undamaged, with text in UTF-8",
                table=self.name,
                type=type(error).__name__,
            ) from None


def _text(cell: Any) -> str:
    """A cell as text; nothing for a missing one."""
    if cell is None:
        return ""
    return cell.decode() if isinstance(cell, bytes) else repr(cell)


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
