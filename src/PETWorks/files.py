"""Where a table comes from (a path, a frame) and how a file is written: whole or not at all."""

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from PETWorks.csvfile import CSV, reading
from PETWorks.database import POSTGRES, Database, Relation, is_database, is_relation, open_file, open_server
from PETWorks.errors import InputError, PETWorksError, quoted
from PETWorks.manyfiles import SIGNS, Files, matching, open_files
from PETWorks.sparkframe import SCHEMES, SparkFrame, is_spark_frame, open_in_cluster
from PETWorks.sqlitefile import SQLite

PIECE_ROWS = 1 << 20
_ARROW_COLUMN = re.compile(r"Conversion failed for column (.+) with type")
_PANDAS_ROW_LABELS = re.compile(r"__index_level_\d+__")


class Source(Protocol):
    """A table that has been opened but not read.

    rows      how many there are, if that is known
    engine    the one that is made for such a table, if it is not for the size to decide
    ordered   whether the records come in the same order whenever it is read
    """

    name: str
    path: Path | None
    names: tuple[str, ...]
    encoding: str | None
    separator: str | None
    rows: int | None
    engine: str | None
    ordered: bool

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order; in pieces, if they must not be in memory all at once."""


class Parquet:
    """A Parquet file, read one group of rows at a time to keep memory low."""

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, path: Path) -> None:
        from pyarrow import parquet

        self.name = path.name
        self.path: Path | None = path
        try:
            self._file = parquet.ParquetFile(path, memory_map=True)
            schema = self._file.schema_arrow
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError(f"{self.name}: not a readable Parquet file; it may be cut off") from None
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        self._file = parquet.ParquetFile(path, memory_map=True, read_dictionary=texts)
        columns = _column_names(schema.names)
        self.names = tuple(name for name, _ in columns)
        self._raw_names = dict(columns)
        self.rows: int | None = self._file.metadata.num_rows
        self.types = {name: schema.field(raw).type for name, raw in columns}
        if self.rows == 0:
            raise InputError(f"{self.name}: columns but no records")

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order; groups of rows that are large in pieces, if that is wanted."""
        raw_names = [self._raw_names[name] for name in columns]
        for group in range(self._file.num_row_groups):
            large = in_pieces and self._file.metadata.row_group(group).num_rows > 2 * PIECE_ROWS
            try:
                if large:
                    for batch in self._file.iter_batches(PIECE_ROWS, [group], raw_names):
                        yield pa.Table.from_batches([batch]).select(raw_names)
                else:
                    yield self._file.read_row_group(group, raw_names).select(raw_names)
            except (pa.ArrowException, OSError):
                raise InputError(f"{self.name}: row group {group} cannot be read; the file may be damaged") from None


class Frame:
    """A table in memory: any frame that speaks Arrow, a Feather file, or a dict of lists."""

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, table: pa.Table, name: str, path: Path | None = None) -> None:
        self.name = name
        self.path = path
        self._table = table
        columns = _column_names(table.schema.names)
        self.names = tuple(name for name, _ in columns)
        self._raw_names = dict(columns)
        self.rows: int | None = table.num_rows
        self.types = {name: table.schema.field(raw).type for name, raw in columns if raw in set(table.schema.names)}
        if table.num_rows == 0:
            raise InputError(f"{self.name}: columns but no records")

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order."""
        table = self._table.select([self._raw_names[name] for name in columns])
        step = PIECE_ROWS if in_pieces else table.num_rows
        for first in range(0, table.num_rows, step):
            yield table.slice(first, step)


def open_source(data: Any, name: str) -> Source:
    """Whatever a user may hand over as a table, opened; `name` is what messages call a frame."""
    source = _open(data, name)
    twice = [column for column, times in Counter(source.names).items() if times > 1]
    if twice:
        raise InputError(f"{source.name}: several columns are called {quoted(twice)}")
    return source


def _open(data: Any, name: str) -> Source:
    if isinstance(data, CSV | Parquet | Frame | Files | Database | Relation | SQLite | SparkFrame):
        return data
    if is_spark_frame(data):
        return SparkFrame(data, name)
    if is_relation(data):
        return Relation(data, name)
    if isinstance(data, str | os.PathLike):
        try:
            return open_table(data if isinstance(data, str) else Path(data))
        except PETWorksError:
            raise
        except (OSError, ValueError):
            raise InputError(f"{name}: a path that the system refuses") from None
    if isinstance(data, pa.Table):
        return Frame(data, name)
    try:
        if hasattr(data, "__arrow_c_stream__"):
            table = pa.RecordBatchReader.from_stream(data).read_all()
        elif isinstance(data, Mapping):
            table = pa.table(dict(data))
        else:
            table = None
    except (pa.ArrowException, ValueError, TypeError, OSError, OverflowError, *_foreign_errors()) as error:
        # The cause may quote a cell; of its text only the name of a column is taken.
        if "Duplicate column names" in str(error):
            raise InputError(f"{name}: several columns have the same name") from None
        column = _ARROW_COLUMN.search(str(error))
        where = f"column {column[1]!r}" if column else "the table"
        raise InputError(f"{name}: {where} cannot be turned into Arrow; does it mix types, or lengths?") from None
    if table is not None:
        return Frame(table, name)
    raise InputError(
        f"{name}: a path or a frame that speaks Arrow (pandas, Polars, PyArrow, DuckDB) is wanted, "
        f"got {type(data).__name__}"
    )


def _foreign_errors() -> list[type[Exception]]:
    """What frame libraries raise when a lazy frame fails as it is read."""
    known = (("duckdb", "Error"), ("polars.exceptions", "PolarsError"))
    return [getattr(sys.modules[module], name) for module, name in known if module in sys.modules]


def open_table(table: str | Path, separator: str | None = None, encoding: str | None = None) -> Source:
    """A table by its path or address: a file, several (`*.parquet`), one of a database (`FILE#TABLE`), of a cluster."""
    address = table.strip() if isinstance(table, str) and "://" in table else ""
    scheme = address.partition("://")[0].lower()
    if scheme in POSTGRES:
        return open_server(address)
    if scheme in SCHEMES:
        return open_in_cluster(address)
    if address:  # it may have a password in it
        kinds = quoted([f"{known}://" for known in (*POSTGRES, *SCHEMES)])
        raise InputError(f"an address of this kind cannot be read; there are {kinds}")
    path = Path(table)
    if not path.exists():
        file, mark, name = str(path).rpartition("#")
        if mark and Path(file).is_file():
            return open_file(Path(file), name)
        if any(sign in str(path) for sign in SIGNS):
            return open_files(str(path), lambda path: open_path(path, separator, encoding))
    return open_path(path, separator, encoding)


def files_named(path: Path) -> list[Path]:
    """The files that a path stands for: itself, those like a pattern, or the database in front of a `#`."""
    if path.exists():
        return [path]
    file = Path(str(path).rpartition("#")[0])
    return [file] if file.is_file() else matching(str(path))


def open_path(path: Path, separator: str | None = None, encoding: str | None = None) -> Source:
    """A file, opened as what it is; separator and encoding matter if that is CSV."""
    if path.exists() and not path.is_file():
        raise InputError(f"cannot read {str(path)!r}: not a regular file")
    with reading(path), path.open("rb") as file:
        start = file.read(16)
    if is_database(start):
        raise InputError(f"{path.name}: a database; name a table of it: '{path.name}#TABLE'")
    if start.startswith(b"PAR1"):
        return Parquet(path)
    if start.startswith(b"ARROW1"):
        from pyarrow import ipc

        try:
            with pa.memory_map(str(path)) as mapped:
                table = ipc.open_file(mapped).read_all()
            # Damaged indices would crash whoever follows them.
            table.validate(full=True)
            table.schema.names  # noqa: B018 - names that are no text fail here
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError(f"{path.name}: not a readable Feather file; it may be cut off") from None
        return Frame(table, path.name, path)
    if start.startswith((b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0")):
        raise InputError(f"{path.name}: an archive or an Excel workbook; unpack it, or save it as CSV or Parquet")
    return CSV(path, separator, encoding)


def _column_names(names: list[str]) -> list[tuple[str, str]]:
    """Trimmed and raw name of each column; pandas' unnamed row labels are no column."""
    return [(name.strip(), name) for name in names if not _PANDAS_ROW_LABELS.fullmatch(name)]


def check_writable(path: Path, inputs: tuple[Path | None, ...] = ()) -> Path:
    """The file to write, links followed; an error if it cannot be written or is, or may be, an input."""
    try:
        target = path.resolve()
        if not target.parent.is_dir():
            raise InputError(f"cannot write {str(path)!r}: the folder {str(path.parent)!r} does not exist")
        if target.exists() and not target.is_file():
            raise InputError(f"cannot write {str(path)!r}: it is a folder or a device, not a file")
        if not os.access(target.parent, os.W_OK):
            raise InputError(f"cannot write {str(path)!r}: the folder is not writable")
        given = any(
            other is not None and other.exists() and target.exists() and target.samefile(other) for other in inputs
        )
        side_file = target.suffix in (".yaml", ".yml") or "hierarchy_" in target.name
        if given or (side_file and target.exists()):
            raise InputError(f"cannot write {str(path)!r}: it is an input of this run, or looks like one")
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or 'a path without an end'}"
        ) from None
    return target


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write files so that they are there complete, all of them, or not at all."""
    partial = {
        path: path.with_name(f".petworks-{os.getpid()}-{time.time_ns()}-{n}.partial") for n, path in enumerate(contents)
    }
    written = ""
    try:
        for path, content in contents.items():
            written = str(path)
            with partial[path].open("xb") as file:
                file.write(content)
        for path, file_to_be in partial.items():
            written = str(path)
            file_to_be.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {written!r}: {error.strerror}") from None
    finally:
        for file_to_be in partial.values():
            file_to_be.unlink(missing_ok=True)
