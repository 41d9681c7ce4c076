"""Opening anything that a user passes as a table: a path, an address, a pattern, a data frame."""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError, PETWorksError, Phrase, quoted
from PETWorks.tables.arrays import check_cells
from PETWorks.tables.databases import (
    POSTGRES,
    Database,
    Relation,
    SQLite,
    is_database,
    is_relation,
    open_file,
    open_server,
)
from PETWorks.tables.files import check_regular, hold_file
from PETWorks.tables.formats.csv import CSV, converting_os_errors
from PETWorks.tables.formats.json_lines import SUFFIXES as JSON_LINES
from PETWorks.tables.formats.json_lines import JSONLines
from PETWorks.tables.formats.packed import STREAMS, ZIP, Content, members
from PETWorks.tables.formats.parquet import Parquet
from PETWorks.tables.formats.statistics_files import HEADER_SIZE, open_statistics, statistics_kind
from PETWorks.tables.formats.text_tables import TextTable
from PETWorks.tables.formats.workbooks import OLD_EXCEL, is_workbook, open_sheet
from PETWorks.tables.frames import SCHEMES, Frame, SparkFrame, is_spark_frame, open_in_cluster
from PETWorks.tables.headers import columns_of, count_suspicious_names
from PETWorks.tables.source import Source

SIGNS = "*?["


class Files:
    """The records of several files with the same columns, one file after another in the order of their names."""

    path: Path | None = None
    kind = ""
    engine: str | None = None
    ordered = True

    def __init__(self, name: str, parts: Sequence[Any]) -> None:
        self.name, self.parts = name, parts
        first = parts[0]
        self.names, self.encoding, self.separator = first.names, first.encoding, first.separator
        self.rows: int | None = sum(part.rows for part in parts)
        for part in parts[1:]:
            if type(part) is not type(first):
                raise InputError("{file} and {first} are not files of the same kind", file=part.name, first=first.name)
            if sorted(part.names) != sorted(first.names):
                differing = sorted(set(part.names) ^ set(first.names))
                other = columns_of(part if count_suspicious_names(part) else first, differing)
                raise InputError(
                    "{file} and {first} have different columns: {columns} only in one of them",
                    file=part.name,
                    first=first.name,
                    columns=other,
                )
            for column, kind in getattr(part, "types", {}).items():
                if _kind(kind) != _kind(first.types[column]):
                    raise InputError(
                        "{file}: column {column!r} is {kind}, but {other} in {first}",
                        file=part.name,
                        column=column,
                        kind=kind,
                        other=first.types[column],
                        first=first.name,
                    )

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order, file by file."""
        for part in self.parts:
            yield from part.read(columns, in_pieces=in_pieces)


def open_files(pattern: str, opened: Callable[[Path], Any]) -> Files:
    """Open all files that match a pattern with `*`, `?` or `[...]`; `**` stands for any folders."""
    not_files = [path for path in _matching_paths(pattern) if not Path(path).is_file()]
    if not_files and not pattern.endswith("**"):
        raise InputError(
            "{name}: matches {pattern!r}, but is not a readable file", name=Path(not_files[0]).name, pattern=pattern
        )
    paths = matching_files(pattern)
    if not paths:
        raise InputError("no file matches {pattern!r}", pattern=pattern)
    by_inode: dict[tuple[int, int], Path] = {}
    for path in paths:
        state = path.stat()
        if by_inode.setdefault((state.st_dev, state.st_ino), path) is not path:
            same = quoted([by_inode[state.st_dev, state.st_ino].name, path.name])
            raise InputError(
                "{pattern!r} matches a file twice: {files} are links to the same records", pattern=pattern, files=same
            )
    return Files(pattern, [opened(path) for path in paths])


def matching_files(pattern: str) -> list[Path]:
    """The files that match a pattern, in the order of their names; none if it is not a pattern."""
    return [Path(path) for path in _matching_paths(pattern) if Path(path).is_file()]


def would_match(pattern: str, path: Path) -> bool:
    """Whether a file at this path, with links resolved, would match a pattern."""
    parts = Path(pattern).parts
    fixed = list(takewhile(lambda part: not any(sign in part for sign in SIGNS), parts))
    folder = Path(*fixed).resolve()
    return path.is_relative_to(folder) and _fits(parts[len(fixed) :], path.relative_to(folder).parts)


def _fits(patterns: Sequence[str], parts: Sequence[str]) -> bool:
    if not patterns or not parts:
        return not parts and all(pattern == "**" for pattern in patterns)
    if patterns[0] == "**":
        return _fits(patterns[1:], parts) or _fits(patterns, parts[1:])
    return fnmatch(parts[0], patterns[0]) and _fits(patterns[1:], parts[1:])


def _matching_paths(pattern: str) -> list[str]:
    """The paths that a pattern matches, each once; `**/**/` would match a path in several ways."""
    once = re.sub(r"(?<![^/])(\*\*/+)+", "**/", pattern)
    return sorted(set(glob(once, recursive=True)))  # noqa: PTH207 - the pattern may be absolute


def _kind(column_type: pa.DataType) -> str:
    """A name for types whose cells are written alike."""
    if pa.types.is_dictionary(column_type):
        column_type = column_type.value_type
    if pa.types.is_string(column_type) or pa.types.is_large_string(column_type) or pa.types.is_string_view(column_type):
        return "text"
    if pa.types.is_integer(column_type):
        return "integer"
    return str(column_type)


UNPACK = Phrase("unpack it first")
AS_SHEET = Phrase("open it in a spreadsheet program, and save it as .xlsx or CSV")
COPY = Phrase("copy its table to a sheet, and save that as .xlsx or CSV")
ACCESS = Phrase("export the table in Access as CSV or Excel")
PDF = Phrase("ask for the table as CSV or Excel; what is copied from a PDF loses cells")
R = Phrase("save it in R: write.csv(x, 'x.csv', row.names = FALSE)")

# The kind of file that starts with these bytes, and what to do with it.
SIGNATURES: tuple[tuple[bytes, Phrase, Phrase], ...] = (
    (rb"%PDF", Phrase("a PDF document"), PDF),
    (rb"7z\xbc\xaf'\x1c", Phrase("a 7z archive"), UNPACK),
    (rb"Rar!\x1a\x07", Phrase("a RAR archive"), UNPACK),
    (rb"\xfd7zXZ\x00", Phrase("packed with xz"), UNPACK),
    (rb"BZh[1-9]1AY", Phrase("packed with bzip2"), UNPACK),
    (rb"[\s\S]{257}ustar", Phrase("a tar archive"), UNPACK),
    (rb"\x00\x01\x00\x00Standard (Jet|ACE) DB", Phrase("an Access database"), ACCESS),
    (rb"(RD[AX][23]\n)|(X\n\x00\x00\x00[\x02\x03])|(A\n[23]\n)", Phrase("saved by R"), R),
    (rb"\x00\x00'\x0a", Phrase("a shapefile"), Phrase("open it in a GIS program, and save its attributes as CSV")),
    (rb"(\xef\xbb\xbf)?\s*(?i:<!doctype html|<html|<table|<meta|<head)", Phrase("a web page"), AS_SHEET),
    (rb"(\xef\xbb\xbf)?\s*<\?xml", Phrase("XML"), AS_SHEET),
    (rb"Obj\x01", Phrase("an Avro file"), Phrase("save it as Parquet")),
    (rb"\x89HDF\r\n\x1a\n", Phrase("an HDF5 file"), Phrase("save its table as Parquet or CSV")),
)
KNOWN = tuple((re.compile(sign), kind, instead) for sign, kind, instead in SIGNATURES)

# The kind of zip file that contains such a file.
PARTS = {
    "xl/workbook.bin": (Phrase("a binary Excel workbook (.xlsb)"), Phrase("save it as .xlsx")),
    "word/document.xml": (Phrase("a Word document"), COPY),
    "ppt/presentation.xml": (Phrase("a PowerPoint presentation"), COPY),
    "Index/Document.iwa": (Phrase("a document of Apple Numbers or Pages"), Phrase("export it as .xlsx or CSV")),
    "content.xml": (Phrase("an OpenDocument file without sheets"), COPY),
}


def check_supported(path: Path, start: bytes, parts: Collection[str] = ()) -> None:
    """Raise for a file that cannot be read as a table; `parts` are the files in it if it is a zip file."""
    found = [(kind, instead) for sign, kind, instead in KNOWN if sign.match(start)]
    found += [PARTS[part] for part in PARTS if part in parts]
    for kind, instead in found:
        raise InputError("{file}: the file is {kind}; {instead}", file=path.name, kind=kind, instead=instead)


SOURCES = (CSV, Parquet, Frame, TextTable, JSONLines, Files, Database, Relation, SQLite, SparkFrame)
SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".parquet", ".feather", ".arrow", ".gz", ".zst", ".zip", ".jsonl", ".ndjson"),
    *(".xlsx", ".xlsm", ".xls", ".ods", ".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"),
)  # usual suffixes of files with tables
BINARY = (b"PAR1", b"ARROW1", OLD_EXCEL, *STREAMS)

_ARROW_COLUMN = re.compile(r"Conversion failed for column (.+) with type")


def open_source(data: Any, name: str) -> Source:
    """Open anything that a user may pass as a table; `name` is the name of a frame in messages."""
    source = _open(data, name)
    twice = [column for column, times in Counter(source.names).items() if times > 1]
    if twice:
        raise InputError(
            "{table}: duplicate column names {columns}", table=source.name, columns=columns_of(source, twice)
        )
    return source


def _open(data: Any, name: str) -> Source:
    if isinstance(data, SOURCES):
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
            raise InputError("{name}: the system rejects this path", name=name) from None
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
        # The message may quote a cell; only the name of a column is taken from it.
        # It is the only way to detect this: pandas raises a plain ValueError for duplicate names.
        if "Duplicate column names" in str(error):
            raise InputError("{name}: duplicate column names", name=name) from None
        column = _ARROW_COLUMN.search(str(error))
        where = Phrase("column {column!r}", column=column[1]) if column else Phrase("the table")
        raise InputError(
            "{name}: {cells} cannot be converted to Arrow; it may mix types or lengths", name=name, cells=where
        ) from None
    if table is not None:
        return Frame(table, name)
    raise InputError(
        "{name}: expected a path or an Arrow-compatible data frame (pandas, Polars, PyArrow, DuckDB), got {type}",
        name=name,
        type=type(data).__name__,
    )


def _foreign_errors() -> list[type[Exception]]:
    """The errors that frame libraries raise if a lazy frame fails while it is read."""
    known = (("duckdb", "Error"), ("polars.exceptions", "PolarsError"))
    return [getattr(sys.modules[module], name) for module, name in known if module in sys.modules]


def open_table(table: str | Path, separator: str | None = None, encoding: str | None = None) -> Source:
    """Open a table by path or address: a file, several (`*.parquet`), one in a file (`FILE#NAME`), or in a cluster."""
    address = table.strip() if isinstance(table, str) and "://" in table else ""
    scheme = address.partition("://")[0].lower()
    if scheme in POSTGRES:
        return open_server(address)
    if scheme in SCHEMES:
        return open_in_cluster(address)
    if address:  # not shown: it may contain a password
        kinds = quoted([f"{known}://" for known in (*POSTGRES, *SCHEMES)])
        raise InputError("unknown kind of address; expected one of {kinds}", kinds=kinds)
    path = Path(table)
    if not path.exists():
        named = _split_name(path)
        if named is not None:
            return _open_part(*named)
        if any(sign in str(path) for sign in SIGNS):
            return open_files(str(path), lambda path: open_path(path, separator, encoding))
    return open_path(path, separator, encoding)


def open_one(path: Path, separator: str | None = None, encoding: str | None = None) -> Source:
    """Open a file, or the part of it named after a `#`; patterns are not supported."""
    named = None if path.exists() else _split_name(path)
    return open_path(path, separator, encoding) if named is None else _open_part(*named)


def is_address(table: Any) -> bool:
    """Whether a table is named by the address of a server or a cluster instead of a path."""
    return isinstance(table, str) and "://" in table


def files_at_path(path: Path) -> list[Path]:
    """The files that a path stands for: itself, those that match a pattern, or the one before a `#`."""
    if path.exists():
        return [path]
    named = _split_name(path)
    return matching_files(str(path)) if named is None else [named[0]]


def files_of_tables(*tables: Any) -> tuple[Path, ...]:
    """The files of those tables that are paths; a path that stands for no file is listed itself."""
    paths = [Path(table) for table in tables if isinstance(table, str | Path) and "://" not in str(table)]
    return tuple(file for path in paths for file in (files_at_path(path) or [path]))


def _split_name(path: Path) -> tuple[Path, str] | None:
    """The file, and the name after a `#`, which may itself contain a `#`."""
    text = str(path)
    marks = (index for index, sign in enumerate(text) if sign == "#")
    return next(((Path(text[:mark]), text[mark + 1 :]) for mark in marks if Path(text[:mark]).is_file()), None)


def _open_part(path: Path, name: str) -> Source:
    """Open a sheet of a workbook, or a table of a database."""
    with converting_os_errors(path):
        check_regular(path)
        with path.open("rb") as file:
            start = file.read(HEADER_SIZE)
    if is_workbook(path, start):
        return open_sheet(path, start, name)
    return open_file(path, name)


def open_path(path: Path, separator: str | None = None, encoding: str | None = None) -> Source:
    """Open a file as the kind that it is; separator (a tab may be written `\\t`) and encoding matter only for CSV."""
    with converting_os_errors(path):
        check_regular(path)
        with path.open("rb") as file:
            start = file.read(HEADER_SIZE)
    if is_database(start):
        raise InputError("{file}: the file is a database; name one of its tables: '{file}#TABLE'", file=path.name)
    if start.startswith(b"PAR1"):
        return Parquet(hold_file(path))
    if start.startswith(b"ARROW1"):
        from pyarrow import ipc

        try:
            held = hold_file(path)
            with held.mapped() as mapped:
                table = ipc.open_file(mapped).read_all()
            table.schema.names  # noqa: B018 - names that are not text fail here
            check_cells(table, path.name)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError("{file}: not a readable Feather file; it may be truncated", file=path.name) from None
        return Frame(table, path.name, path, held)
    if is_workbook(path, start):
        return open_sheet(path, start)
    kind = statistics_kind(start)
    if kind is not None:
        return open_statistics(path, kind, encoding)
    with converting_os_errors(path):
        held = hold_file(path)
        check_supported(path, start, [member.filename for member in members(held)] if start.startswith(ZIP) else ())
        return _open_text(Content(held), separator, encoding)


def _open_text(content: Content, separator: str | None, encoding: str | None) -> Source:
    """Open JSON lines or CSV, packed or not."""
    with content.open() as file:
        start = file.read(HEADER_SIZE)
    if content.packed:
        check_supported(content.path, start)
        if start.startswith((b"PK\x03\x04", *BINARY)) or statistics_kind(start) or is_database(start):
            raise InputError("{file}: expected a CSV file or JSON lines in it; unpack it first", file=content.path.name)
    suffix = Path(content.name).suffix.lower()
    if suffix in JSON_LINES or (suffix == ".json" and start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")):
        return JSONLines(content)
    if suffix == ".json":
        raise InputError(
            "{file}: expected JSON lines, an object per line: jq -c '.[]' FILE.json > TABLE.jsonl",
            file=content.path.name,
        )
    return CSV(content.file, "\t" if separator == r"\t" else separator, encoding)
