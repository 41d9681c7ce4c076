"""Tables and views of a SQLite file, through Python's own reader: each cell as what it is, whatever its column says.

DuckDB's reader of SQLite knows a column's declared type only, writes numbers with 15 digits and leaves out views.
"""

import struct
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
FILE_HEADER, PAGE_HEADER, RECORDS_PAGE = 100, 8, 13  # lengths in bytes; the sign of a page with records of a table


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

    def deleted(self) -> int:
        """How many traces of other records the file has: pages, and hidden numbers of records if some are left out.

        Rows that were deleted or changed stay in a page until its room is needed, and pages of tables that were dropped
        stay in the file. A table that was only ever appended to has neither, and so has any after VACUUM, which also
        numbers the records anew.
        """
        with self._opened() as connection:
            pages = connection.execute("PRAGMA freelist_count").fetchall()[0][0]
            size = connection.execute("PRAGMA page_size").fetchall()[0][0]
            return int(pages) + self._pages_with_remains(size) + self._is_numbered_otherwise(connection)

    def _pages_with_remains(self, size: int) -> int:
        """How many pages of records have bytes in room that no record takes."""
        found = 0
        with self._path.open("rb") as file:
            start = FILE_HEADER
            while len(page := file.read(size)) == size:
                found += page[start] == RECORDS_PAGE and _has_remains(page, start)
                start = 0
        return found

    def _is_numbered_otherwise(self, connection: Any) -> bool:
        """Whether the hidden numbers of records are not 1, 2, 3 and so on."""
        import sqlite3

        keys = [
            kind.upper() for *_, kind, _, _, place in connection.execute(f"PRAGMA table_info({self._table})") if place
        ]
        if keys == ["INTEGER"]:
            return False  # the number is a column
        try:
            first, last = connection.execute(f"SELECT min(rowid), max(rowid) FROM {self._table}").fetchall()[0]
        except sqlite3.OperationalError:  # a view, or a table without such numbers
            return False
        return (first, last) not in ((1, self.rows), (None, None))

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


def _has_remains(page: bytes, start: int) -> bool:
    """Whether a page of records has bytes between the list of its records and the first, or in room that was freed."""
    freed, records, first = struct.unpack_from(">3H", page, start + 1)
    if any(page[start + PAGE_HEADER + 2 * records : first or len(page)]):
        return True
    while 0 < freed <= len(page) - 4:
        following, length = struct.unpack_from(">2H", page, freed)
        if any(page[freed + 4 : freed + length]):
            return True
        freed = following if following > freed else 0
    return False


def _text(cell: Any) -> str:
    """A cell as text; nothing for a missing one."""
    if cell is None:
        return ""
    return cell.decode() if isinstance(cell, bytes) else repr(cell)


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
