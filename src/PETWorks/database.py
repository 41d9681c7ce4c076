"""Tables and views of a database that DuckDB can read: its own files, SQLite, PostgreSQL; and its relations.

A table is named behind a `#`: `census.duckdb#people`, `postgresql://host/db#schema.people`. Names that a user gives
are compared with those that the database has, and quoted where they go into SQL. Databases are opened for reading.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import pyarrow as pa

from PETWorks.errors import InputError, quoted, unknown

POSTGRES = ("postgresql", "postgres")
ROWS = 1 << 18  # of a piece


class Database:
    """A table or view. PostgreSQL and SQLite hand over every cell as the text they write for it."""

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    rows: int | None = None
    engine: str | None = "duckdb"
    ordered = False

    def __init__(self, name: str, connection: Any, catalog: str, table: str, *, postgres: bool = False) -> None:
        self.name = f"{name}#{table}"
        self._connection, self._postgres = connection, postgres
        with _reading(self.name):
            self._schema, self._table = self._found(catalog, table)
            self._catalog = catalog
            where = "database_name = $1 AND schema_name = $2 AND table_name = $3"
            listed = connection.execute(
                f"SELECT column_name FROM duckdb_columns() WHERE {where} ORDER BY column_index",  # noqa: S608 - no names in it
                [catalog, self._schema, self._table],
            ).fetchall()
        self._raw_names = [name for (name,) in listed]
        self.names = tuple(name.strip() for name in self._raw_names)

    def _found(self, catalog: str, table: str) -> tuple[str, str]:
        """Schema and name of the table that the user means."""
        listed = self._connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal UNION "
            "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal",
            [catalog],
        ).fetchall()
        meant = [(schema, name) for schema, name in sorted(listed) if table in (name, f"{schema}.{name}")]
        if len(meant) > 1:
            both = quoted([f"{schema}.{name}" for schema, name in meant])
            raise InputError(f"{self.name}: several tables have that name: {both}")
        if not meant:
            raise InputError(f"{self.name}: {unknown('table', table, sorted({name for _, name in listed}))}")
        return meant[0]

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, so many rows at a time."""
        raw_names = [self._raw_names[self.names.index(name)] for name in columns]
        if self._postgres:
            cells = ", ".join(f"{_identifier(name)}::text" for name in raw_names)
            statement = f"SELECT {cells} FROM {_identifier(self._schema)}.{_identifier(self._table)}"  # noqa: S608 - quoted
            query = f"SELECT * FROM postgres_query({_literal(self._catalog)}, {_literal(statement)})"  # noqa: S608 - quoted
        else:
            table = ".".join(map(_identifier, (self._catalog, self._schema, self._table)))
            query = f"SELECT {', '.join(map(_identifier, raw_names))} FROM {table}"  # noqa: S608 - quoted
        with _reading(self.name):
            # A cursor of its own: another statement on the same one would end the stream without a word.
            for batch in self._connection.cursor().sql(query).to_arrow_reader(ROWS):
                yield pa.Table.from_batches([batch]).rename_columns(list(columns))


class Relation:
    """A relation of DuckDB's Python library, read through the connection it belongs to."""

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    engine: str | None = "duckdb"
    ordered = True

    def __init__(self, relation: Any, name: str) -> None:
        self.name = name
        self._relation = relation
        with _reading(name):
            self.rows: int | None = relation.aggregate("count(*)").fetchall()[0][0]
        self.names = tuple(column.strip() for column in relation.columns)
        if self.rows == 0:
            raise InputError(f"{name}: columns but no records")

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, so many rows at a time."""
        raw_names = [self._relation.columns[self.names.index(name)] for name in columns]
        rows = 0
        with _reading(self.name):
            chosen = self._relation.project(", ".join(map(_identifier, raw_names)))
            for batch in chosen.to_arrow_reader(ROWS):
                rows += batch.num_rows
                yield pa.Table.from_batches([batch]).rename_columns(list(columns))
        if rows != self.rows:
            raise InputError(f"{self.name}: {rows} records were read where there were {self.rows}: has it changed?")


def is_relation(data: Any) -> bool:
    """Whether a thing is a relation of DuckDB; without importing DuckDB to find out."""
    module = sys.modules.get("duckdb")
    return module is not None and isinstance(data, module.DuckDBPyRelation)


def is_database(start: bytes) -> bool:
    """Whether a file that begins like this is a database."""
    return start[8:12] == b"DUCK" or start.startswith(b"SQLite format 3\0")


def open_file(path: Path, table: str) -> Database:
    """A table of a database file: DuckDB's own, or SQLite's."""
    duckdb = _duckdb()
    with path.open("rb") as file:
        start = file.read(16)
    if not is_database(start):
        raise InputError(f"{path.name}: not a DuckDB or SQLite database; leave '#{table}' out")
    with _reading(path.name):
        if start[8:12] == b"DUCK":
            connection = duckdb.connect(str(path), read_only=True, config=_offline())
            return Database(
                path.name, connection, connection.execute("SELECT current_database()").fetchall()[0][0], table
            )
        connection = duckdb.connect(config=_offline())
        _load(connection, "sqlite_scanner")
        connection.execute("SET GLOBAL sqlite_all_varchar = true")
        connection.execute(f"ATTACH {_literal(str(path))} AS source (TYPE sqlite, READ_ONLY)")
        return Database(path.name, connection, "source", table)


def open_server(url: str) -> Database:
    """A table of a PostgreSQL server. The password, if there is one in the URL, goes into no message."""
    duckdb = _duckdb()
    try:
        parts = urlsplit(url)
        port, table = parts.port, unquote(parts.fragment)
    except ValueError:
        raise InputError("a PostgreSQL address is postgresql://USER@HOST:PORT/DATABASE#TABLE") from None
    name = server_name(url)
    if not table or not parts.hostname:
        raise InputError(f"{name}: a table is wanted: postgresql://USER@HOST:PORT/DATABASE#TABLE")
    connection = duckdb.connect(config=_offline())
    _load(connection, "postgres_scanner")
    secret = {"HOST": parts.hostname, "PORT": port, "USER": parts.username, "PASSWORD": parts.password}
    secret["DATABASE"] = parts.path.lstrip("/")
    given = ", ".join(f"{key} {_literal(unquote(str(value)))}" for key, value in secret.items() if value)
    options = " ".join(f"{key}={value}" for key, value in parse_qsl(parts.query))
    with _reading(name):
        connection.execute(f"CREATE SECRET server (TYPE postgres, {given})")
        connection.execute(f"ATTACH {_literal(options)} AS source (TYPE postgres, READ_ONLY, SECRET server)")
        return Database(name, connection, "source", table, postgres=True)


def server_name(url: str) -> str:
    """An address without user, password and table, for messages.

    >>> server_name("postgresql://me:secret@db.example:5433/census#people")
    'postgresql://db.example:5433/census'
    """
    parts: SplitResult = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _duckdb() -> Any:
    if find_spec("duckdb") is None:
        raise InputError("a database is read with DuckDB: pip install 'petworks[duckdb]'")
    import duckdb

    return duckdb


def _offline() -> dict[str, Any]:
    """DuckDB asks the network for nothing."""
    return {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


def _load(connection: Any, extension: str) -> None:
    """Load an extension: one that is installed, or that of the package of the same name."""
    import duckdb

    package = find_spec(f"duckdb_extension_{extension}")
    folders = [] if package is None else list(package.submodule_search_locations or [])
    files = [
        str(file) for folder in folders for file in Path(folder).glob(f"extensions/*/{extension}.duckdb_extension")
    ]
    for name in (extension, *files):
        try:
            connection.execute(f"LOAD {_literal(name)}")
            return
        except duckdb.Error:
            continue
    version = duckdb.__version__
    raise InputError(
        f"DuckDB {version} needs its extension {extension!r} for this: "
        f"pip install 'duckdb-extension-{extension.replace('_', '-')}=={version}'"
    )


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """DuckDB's errors, which may quote a cell or a password, as ours."""
    import duckdb

    try:
        with interruptible():
            yield
    except (duckdb.Error, OSError) as error:
        raise InputError(
            f"{name}: the database cannot be read ({type(error).__name__}): "
            "is it there, are you allowed to, and is it whole?"
        ) from None


@contextmanager
def interruptible() -> Iterator[None]:
    """Signals within a statement, such as Ctrl-C, which DuckDB reports as an error of its own."""
    import duckdb

    try:
        yield
    except (RuntimeError, duckdb.InterruptException) as error:
        cause = error.__cause__ or error.__context__
        if cause is not None and not isinstance(cause, Exception):
            raise cause from None
        if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error):
            raise KeyboardInterrupt from None
        raise
