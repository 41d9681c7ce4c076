"""Tables and views in databases: DuckDB, PostgreSQL and SQLite."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError, Phrase, quoted, unknown
from PETWorks.tables.arrays import unreadable_column
from PETWorks.tables.files import check_regular
from PETWorks.tables.formats.csv import dictionary_array
from PETWorks.tables.interrupts import closing_connection, run_interruptibly

SQLITE_ROWS = 1 << 16  # per piece


class SQLite:
    """A table or view in a SQLite file."""

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    kind = ""
    engine: str | None = "duckdb"
    ordered = False

    def __init__(self, path: Path, table: str) -> None:
        self.name, self.table = f"{path.name}#{table}", table
        self._path = path
        with self._opening() as connection:
            known = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            listed = [name for (name,) in known]
            if table not in listed:
                raise InputError(
                    "{name}: {problem}", name=self.name, problem=unknown("table", table, sorted(set(listed))).message
                )
            self._table = _identifier(table)
            description = connection.execute(f"SELECT * FROM {self._table} LIMIT 0").description
            count = f"SELECT count(*) FROM {self._table}"
            self.rows: int | None = run_interruptibly(
                lambda: connection.execute(count).fetchall()[0][0], connection.interrupt
            )
        self._raw_names = [column[0] for column in description]
        self.names = tuple(name.strip() for name in self._raw_names)
        if self.rows == 0:
            raise InputError("{table}: the table has columns but no records", table=self.name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, a limited number of rows at a time."""
        cells = ", ".join(_identifier(self._raw_names[self.names.index(name)]) for name in columns)
        rows = 0
        with self._opening() as connection:
            connection.text_factory = bytes
            query = f"SELECT {cells} FROM {self._table}"
            cursor = run_interruptibly(lambda: connection.execute(query), connection.interrupt)
            while piece := run_interruptibly(lambda: cursor.fetchmany(SQLITE_ROWS), connection.interrupt):
                rows += len(piece)
                cells_by_column = zip(columns, zip(*piece, strict=True), strict=True)
                texts = [self._texts(name, cells) for name, cells in cells_by_column]
                yield pa.Table.from_arrays([dictionary_array(column) for column in texts], list(columns))
        _check_rows(self, rows)

    def _texts(self, column: str, cells: Sequence[Any]) -> list[str]:
        try:
            return [_text(cell) for cell in cells]
        except UnicodeDecodeError:
            raise unreadable_column(self.name, column, pa.string()) from None

    @contextmanager
    def _opening(self) -> Iterator[Any]:
        """The file, opened for reading; SQLite's errors, which may quote a cell, are converted."""
        import sqlite3

        address = f"{self._path.resolve().as_uri()}?mode=ro"
        try:
            with closing_connection(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection:
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise InputError(
                "{table}: the database cannot be read ({type}); it must be undamaged, with text in UTF-8",
                table=self.name,
                type=type(error).__name__,
            ) from None


def _text(cell: Any) -> str:
    """A cell as text; empty for a missing one."""
    if cell is None:
        return ""
    return cell.decode() if isinstance(cell, bytes) else repr(cell)


POSTGRES = ("postgresql", "postgres")
ADDRESS = Phrase("a PostgreSQL address is postgresql://USER@HOST:PORT/DATABASE#TABLE")
OFFLINE: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
ROWS = 1 << 18  # per piece

# Types that lose information in Arrow, and are read as text.
WRITTEN = ("HUGEINT", "UHUGEINT", "BIGNUM", "VARINT", "TIME WITH TIME ZONE", "INTERVAL", "BIT", "UUID")

Connect = Callable[[dict[str, Any]], Any]


class Database:
    """A table or view. PostgreSQL delivers every cell as text.

    connect   opens the database, with settings; it is open only while it is examined or read
    """

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    rows: int | None = None
    kind = ""
    engine: str | None = "duckdb"
    ordered = False

    def __init__(self, name: str, connect: Connect, table: str, *, postgres: bool = False) -> None:
        self.name, self.table = f"{name}#{table}", table
        self._connect, self._postgres = connect, postgres
        self._settings: dict[str, Any] = {}
        with _reading(self.name), closing_connection(run_interruptibly(lambda: connect({}))) as connection:
            listed = run_interruptibly(lambda: self._columns(connection, table), connection.interrupt)
        self._cells = {name.strip(): _cell(name, kind, postgres=postgres) for name, kind in listed}
        self.names = tuple(name.strip() for name, _ in listed)

    @property
    def on_server(self) -> bool:
        """Whether it is on a server instead of in a file, which might be handed out."""
        return self._postgres

    def _columns(self, connection: Any, table: str) -> list[tuple[str, str]]:
        """Names and types of the columns of the requested table."""
        self._catalog = connection.execute("SELECT current_database()").fetchall()[0][0]
        self._schema, self._table = self._find(connection, table)
        where = "database_name = $1 AND schema_name = $2 AND table_name = $3"
        columns: list[tuple[str, str]] = connection.execute(
            f"SELECT column_name, data_type FROM duckdb_columns() WHERE {where} ORDER BY column_index",
            [self._catalog, self._schema, self._table],
        ).fetchall()
        return columns

    def _find(self, connection: Any, table: str) -> tuple[str, str]:
        """Schema and name of the requested table."""
        listed = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal UNION "
            "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal",
            [self._catalog],
        ).fetchall()
        return find_table(self.name, table, listed)

    def limit_memory(self, memory: int, folder: Path) -> None:
        """Limit the memory of queries behind a view, and set the folder for spilling."""
        self._settings = {"memory_limit": f"{memory}B", "temp_directory": str(folder)}

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, a limited number of rows at a time."""
        cells = ", ".join(self._cells[name] for name in columns)
        if self._postgres:
            statement = f"SELECT {cells} FROM {_identifier(self._schema)}.{_identifier(self._table)}"
            query = f"SELECT * FROM postgres_query({_literal(self._catalog)}, {_literal(statement)})"
        else:
            table = ".".join(map(_identifier, (self._catalog, self._schema, self._table)))
            query = f"SELECT {cells} FROM {table}"
        with (
            _reading(self.name),
            closing_connection(run_interruptibly(lambda: self._connect(self._settings))) as connection,
        ):
            # No other statement may run on this connection: it would silently end the stream.
            reader = run_interruptibly(lambda: connection.sql(query).to_arrow_reader(ROWS), connection.interrupt)
            while (batch := run_interruptibly(lambda: next(reader, None), connection.interrupt)) is not None:
                yield pa.Table.from_batches([batch]).rename_columns(list(columns))


class Relation:
    """A relation of DuckDB's Python library, read through its connection."""

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    kind = ""
    engine: str | None = "duckdb"

    def __init__(self, relation: Any, name: str) -> None:
        self.name = name
        self._relation = relation
        with _reading(name):
            facts = relation.aggregate("count(*), any_value(current_setting('preserve_insertion_order'))")
            self.rows: int | None
            self.rows, self.ordered = facts.fetchall()[0]
        self._cells = {
            column.strip(): _cell(column, str(kind), postgres=False)
            for column, kind in zip(relation.columns, relation.types, strict=True)
        }
        self.names = tuple(column.strip() for column in relation.columns)
        if self.rows == 0:
            raise InputError("{table}: the table has columns but no records", table=name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, a limited number of rows at a time."""
        rows = 0
        with _reading(self.name):
            chosen = self._relation.project(", ".join(self._cells[name] for name in columns))
            for batch in chosen.to_arrow_reader(ROWS):
                rows += batch.num_rows
                yield pa.Table.from_batches([batch]).rename_columns(list(columns))
        _check_rows(self, rows)


def _check_rows(table: SQLite | Relation, rows: int) -> None:
    """Raise if a table had another number of records than when it was opened."""
    if rows != table.rows:
        raise InputError(
            "{table}: {rows} records were read but {expected} were expected; the table may have changed",
            table=table.name,
            rows=rows,
            expected=table.rows,
        )


def is_relation(data: Any) -> bool:
    """Whether an object is a DuckDB relation, without importing DuckDB."""
    module = sys.modules.get("duckdb")
    return module is not None and isinstance(data, module.DuckDBPyRelation)


def is_database(start: bytes) -> bool:
    """Whether a file with this start is a database."""
    return start[8:12] == b"DUCK" or start.startswith(b"SQLite format 3\0")


def open_file(path: Path, table: str) -> "Database | SQLite":
    """Open a table in a database file of DuckDB or SQLite."""
    check_regular(path)
    with path.open("rb") as file:
        start = file.read(16)
    if not is_database(start):
        raise InputError(
            "{file}: not a DuckDB or SQLite database, nor a workbook; leave '#{table}' out", file=path.name, table=table
        )
    if start[8:12] != b"DUCK":
        return SQLite(path, table)
    duckdb = _duckdb()

    def connect(limits: dict[str, Any]) -> Any:
        # Its views cannot read other files.
        settings = {**OFFLINE, "enable_external_access": "false", **limits}
        return duckdb.connect(str(path.resolve()), read_only=True, config=settings)

    return Database(path.name, connect, table)


def open_server(url: str) -> Database:
    """Open a table of a PostgreSQL server. A password in the URL appears in no message."""
    from urllib.parse import parse_qsl, unquote, urlsplit

    duckdb = _duckdb()
    name = server_name(url)
    try:
        parts = urlsplit(url.strip())
        port, table = parts.port, unquote(parts.fragment)
        if "@" not in parts.netloc and "@" in parts.path + parts.query + parts.fragment:
            raise ValueError  # a password with an unescaped sign
    except ValueError:
        raise InputError("{address}; write / # ? in a password as %2F, %23, %3F", address=ADDRESS) from None
    if not table or not parts.hostname:
        raise InputError("{name}: expected the name of a table: {address}", name=name, address=ADDRESS)
    secret = {"HOST": parts.hostname, "PORT": port, "USER": parts.username, "PASSWORD": parts.password}
    secret["DATABASE"] = parts.path.lstrip("/")
    credentials = ", ".join(f"{key} {_literal(unquote(str(value)))}" for key, value in secret.items() if value)
    options = " ".join(f"{key}={_connection_value(value)}" for key, value in parse_qsl(parts.query))

    def connect(limits: dict[str, Any]) -> Any:
        connection = duckdb.connect(config={**OFFLINE, **limits})
        _load(connection, "postgres_scanner")
        connection.execute(f"CREATE SECRET server (TYPE postgres, {credentials})")
        connection.execute(f"ATTACH {_literal(options)} AS source (TYPE postgres, READ_ONLY, SECRET server)")
        connection.execute("USE source")
        return connection

    return Database(name, connect, table, postgres=True)


def _connection_value(text: str) -> str:
    """A value in a connection string of PostgreSQL; without quotes, a blank would begin another option."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def server_name(url: str) -> str:
    """An address without user, password and table, for messages.

    >>> server_name("postgresql://me:secret@db.example:5433/census#people")
    'postgresql://db.example:5433/census'
    >>> server_name("postgresql://me:se/cret@db.example:5433/census#people")
    'postgresql://...'
    """
    scheme, _, rest = url.strip().partition("://")
    host, _, path = rest.partition("#")[0].partition("?")[0].rpartition("@")[2].partition("/")
    plain = "@" not in rest.partition("@")[2] and not set("/?#") & set(rest.partition("@")[0] if "@" in rest else "")
    return f"{scheme}://{host}/{path}" if plain else f"{scheme}://..."


def shown_address(url: str) -> str:
    """An address with its table, but without user, password and options.

    >>> shown_address("postgresql://me:secret@db.example/census?sslmode=require#public.people")
    'postgresql://db.example/census#public.people'
    """
    server, (_, mark, table) = server_name(url), url.strip().rpartition("#")
    return f"{server}{mark}{table}" if mark and not server.endswith("...") else server


def _duckdb() -> Any:
    if find_spec("duckdb") is None:
        raise InputError("a database is read with DuckDB: pip install 'petworks[duckdb]'")
    import duckdb

    return duckdb


def _load(connection: Any, extension: str) -> None:
    """Load an extension: an installed one, or that of the package with its name."""
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
        "DuckDB {version} needs its extension {extension!r} for this: pip install "
        "'duckdb-extension-{package}=={version}'",
        version=version,
        extension=extension,
        package=extension.replace("_", "-"),
    )


def find_table(name: str, table: str, listed: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Schema and name of the only table with this name."""
    matches = [(schema, known) for schema, known in sorted(listed) if table in (known, f"{schema}.{known}")]
    if len(matches) > 1:
        raise InputError(
            "{name}: several tables have this name: {matches}",
            name=name,
            matches=quoted([f"{schema_name}.{table_name}" for schema_name, table_name in matches]),
        )
    if not matches:
        raise InputError(
            "{name}: {problem}",
            name=name,
            problem=unknown("table", table, sorted({known for _, known in listed})).message,
        )
    return matches[0]


def _cell(name: str, kind: str, *, postgres: bool) -> str:
    """The SQL expression that selects a column."""
    if postgres:
        return f"{_identifier(name)}::text"
    return f"CAST({_identifier(name)} AS VARCHAR)" if kind in WRITTEN else _identifier(name)


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Convert DuckDB's errors, which may quote a cell or a password."""
    import duckdb

    try:
        with interruptible():
            yield
    except (duckdb.Error, OSError) as error:
        raise InputError(
            "{name}: the database cannot be read ({type}); it must exist, be undamaged and "
            "readable for you, and not be written to meanwhile",
            name=name,
            type=type(error).__name__,
        ) from None


@contextmanager
def interruptible() -> Iterator[None]:
    """Convert interrupts within a statement, such as Ctrl-C, which DuckDB reports as its own errors."""
    import duckdb

    try:
        yield
    except (RuntimeError, duckdb.InterruptException) as error:
        cause = error.__cause__ or error.__context__
        if cause is not None and not isinstance(cause, Exception):
            raise cause from None
        # The only way to detect this: DuckDB raises a plain RuntimeError for some interrupts.
        if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error):
            raise KeyboardInterrupt from None
        raise
