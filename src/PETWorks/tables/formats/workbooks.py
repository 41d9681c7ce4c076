"""Sheets of Excel (.xlsx, .xls) and OpenDocument workbooks, and new workbooks (.xlsx) with one sheet.

A sheet is named after a `#`: `book.xlsx#People`.
"""

import re
import string
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from posixpath import normpath
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import Counted, InputError, Joined, Phrase, unknown
from PETWorks.tables.arrays import numpy_integers
from PETWorks.tables.formats.csv import labels_and_codes
from PETWorks.tables.formats.packed import DAMAGES, LARGEST_RATIO, USUAL_SIZE, check_size, members
from PETWorks.tables.formats.text_tables import WORKBOOK, TextTable, display_texts, text_column

BLOCK = 1 << 20
LONGEST_CELL = 1 << 24  # bytes of XML
LARGEST_PART = 1 << 24  # bytes of a part that lists other parts
WIDEST = 1 << 14  # columns
MAX_RANGES = 3  # of merged cells, named in an error
USUAL_CELLS, SPARSEST = 1 << 24, 20  # most cells of any bounding rectangle; or per used cell, if larger
LETTERS, DIGITS = string.ascii_letters.encode(), string.digits.encode()

# The tag of a cell with its position; other cells are counted by a parser.
_CELL = re.compile(
    rb"""<(?:\w+:)?c(?:\s+[\w:]+\s*=\s*(?:"[^"<&]*"|'[^'<&]*'))*?\s+r\s*=\s*["']([A-Za-z]{1,4}\d{1,8})["']"""
)
_ANY_CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
_VALUE = re.compile(rb"<(?:\w+:)?(?:v|is)[\s>]")
_PLACE = re.compile(r"([A-Za-z]+)(\d+)", re.ASCII)
_ERROR = re.compile(rb"""<(?:\w+:)?c\s[^>]*\bt\s*=\s*["']e["'][^>]*>""")
_FORMULA = re.compile(
    rb"""<(?:\w+:)?c\s([^>]*)>\s*<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
_OWN_NAME = re.compile(rb"""<(?:\w+:)?definedName\s[^>]*?name\s*=\s*["']_xlnm\.""")
_TEXT = re.compile(rb"""\bt\s*=\s*["']str["']""")


@dataclass
class SheetSummary:
    """A summary of a sheet.

    errors, unfinished   the columns, from 0, with cells that are an error or a formula without a value
    merged               whether cells are merged
    """

    cells: int = 0
    height: int = 0
    width: int = 0
    errors: set[int] = field(default_factory=set)
    unfinished: set[int] = field(default_factory=set)
    merged: bool = False
    _last_row: int = 0
    _in_last_row: int = 0

    def count(self, row: int, cells: int) -> None:
        """Count cells of a row; rows that were counted before or are out of order are ignored."""
        if row < self._last_row:
            return
        before = self._in_last_row if row == self._last_row else 0
        after = min(before + cells, WIDEST)
        self.cells += after - before
        self._last_row, self._in_last_row = row, after

    def check(self, name: str) -> None:
        """Raise for a sheet whose cells are too far apart."""
        if self.height * self.width > max(USUAL_CELLS, SPARSEST * self.cells):
            raise InputError(
                "{table}: the cells reach to row {row:,} and column {letters}, but most of them are empty; delete the "
                "rows and columns around the table",
                table=name,
                row=self.height,
                letters=column_letters(self.width - 1),
            )


def parts_of(path: Path) -> dict[str, zipfile.ZipInfo]:
    """The parts of a workbook that is a zip file, by name."""
    listed = members(path)
    check_size(
        path.name, sum(member.file_size for member in listed), max(USUAL_SIZE, LARGEST_RATIO * path.stat().st_size)
    )
    return {member.filename: member for member in listed}


def excel_summary(path: Path, sheet: str, name: str) -> SheetSummary:
    """The summary of a sheet of an Excel workbook.

    Spreadsheet programs write the position of each cell, which is found quickly. Cells without one follow the previous.
    """
    member = _excel_member(path, sheet)
    summary = _summarise_placed_cells(path, member) or _summarise_cells(path, member)
    summary.check(name)
    return summary


def _summarise_placed_cells(path: Path, member: str) -> SheetSummary | None:
    """The summary of a sheet in which every cell has its position; None if any has none."""
    summary = SheetSummary()
    for block in _blocks(path, member):
        cells = _CELL.findall(block)
        if b"<!" in block or len(cells) != len(_ANY_CELL.findall(block)):
            return None
        indices = b" ".join(cells)
        rows = Counter(map(int, indices.translate(None, LETTERS).split()))
        columns = {column_index(name) for name in set(indices.translate(None, DIGITS).split())}
        summary.height, summary.width = max(summary.height, *rows, 0), max(summary.width - 1, *columns, -1) + 1
        values = len(_VALUE.findall(block))
        for row, number in rows.items():
            counted = min(number, len(columns), values)
            summary.count(row, counted)
            values -= counted
        if b'"e"' in block or b"'e'" in block:
            summary.errors.update(_columns(match[0] for match in _ERROR.finditer(block)))
        if b"<f" in block or b":f" in block:
            formulas = (match[1] for match in _FORMULA.finditer(block))
            summary.unfinished.update(_columns(b"<c " + cell for cell in formulas if not _TEXT.search(cell)))
    return summary


def _columns(tags: Iterator[bytes]) -> Iterator[int]:
    for tag in tags:
        cell = _CELL.search(tag)
        yield column_index(cell[1].translate(None, DIGITS)) if cell else -1


def _summarise_cells(path: Path, member: str) -> SheetSummary:
    """The summary of any sheet: a row or a cell without a position follows the previous one."""
    summary, row, column = SheetSummary(), 0, 0
    at, is_formula, is_text, value = (0, 0), False, False, ""
    in_value = False

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, at, is_formula, is_text, value, in_value
        kind = tag.rpartition(":")[2]
        if kind == "row":
            row, column = int(attributes.get("r", row + 1)), 0
        elif kind == "c":
            at = row, column
            if "r" in attributes:
                named = _PLACE.fullmatch(attributes["r"])
                if named is None:
                    raise damaged_workbook(path.name)
                at = int(named[2]), column_index(named[1].encode())
            column = at[1] + 1
            summary.height, summary.width = max(summary.height, at[0]), max(summary.width, column)
            is_formula, is_text, value = False, attributes.get("t") == "str", ""
            if attributes.get("t") == "e":
                summary.errors.add(at[1])
        elif kind == "f":
            is_formula = True
        elif kind in ("v", "is"):
            in_value = True

    def text(content: str) -> None:
        nonlocal value
        if in_value and not value:
            value = content.strip()

    def end(tag: str) -> None:
        nonlocal in_value
        kind = tag.rpartition(":")[2]
        if kind in ("v", "is"):
            in_value = False
        elif kind == "c":
            if value:
                summary.count(at[0], 1)
            elif is_formula and not is_text:
                summary.unfinished.add(at[1])

    _parse(path, member, start, end, text)
    return summary


def _blocks(path: Path, member: str) -> Iterator[bytes]:
    """The XML of a sheet in blocks that end after a cell."""
    rest = b""
    with reading_parts(path), zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while block := file.read(BLOCK):
            rest += block
            end = rest.rfind(b"c>") + 2
            if end < 2 and len(rest) > LONGEST_CELL:
                end = rest.rfind(b">") + 1
                if not end:
                    raise damaged_workbook(path.name)
            if end >= 2:
                yield rest[:end]
                rest = rest[end:]
    yield rest


def _excel_member(path: Path, sheet: str) -> str:
    """The part of a workbook that contains a sheet."""
    with reading_parts(path), zipfile.ZipFile(path) as archive:
        relations = _elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
        targets = {element.get("Id"): element.get("Target", "") for element in relations}
        for element in _elements(archive, "xl/workbook.xml", "sheet"):
            if element.get("name") == sheet:
                relation = next(value for key, value in element.items() if key.endswith("}id"))
                target = targets[relation]
                return target.lstrip("/") if target.startswith("/") else normpath(f"xl/{target}")
        raise KeyError


def _elements(archive: zipfile.ZipFile, part: str, tag: str) -> list[Any]:
    with archive.open(part) as file:
        text = file.read(LARGEST_PART)
    # Expat limits the expansion of entities.
    return [item for item in ElementTree.fromstring(text).iter() if item.tag.rpartition("}")[2] == tag]  # noqa: S314


def count_tags(path: Path, member: str, tags: Iterable[str]) -> Counter[str]:
    """The number of elements with these names in a part of a workbook; a name matches with any prefix.

    Names that Excel defines itself, such as for a filter, are not counted.
    """
    wanted = {tag.encode(): tag for tag in tags}
    pattern = re.compile(rb"<(?:\w+:)?(%b)(?=[\s/>])" % b"|".join(map(re.escape, wanted)))
    found: Counter[str] = Counter()
    rest, built_in_names = b"", 0
    with reading_parts(path), zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while block := file.read(BLOCK):
            end = (rest + block).rfind(b"<")
            text, rest = (rest + block)[:end], (rest + block)[end:]
            found.update(wanted[tag] for tag in pattern.findall(text))
            built_in_names += len(_OWN_NAME.findall(text))
    found.update(wanted[tag] for tag in pattern.findall(rest))
    return found - Counter(definedName=built_in_names)


def opendocument_summaries(path: Path) -> dict[str, SheetSummary]:
    """The summaries of the sheets of an OpenDocument workbook."""
    sheets: dict[str, SheetSummary] = {}
    row, column, repeated = 0, 0, 1
    current = SheetSummary()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, repeated, current
        kind = tag.rpartition(":")[2]
        if kind in ("table-cell", "covered-table-cell"):
            times = int(attributes.get("table:number-columns-repeated", 1))
            current.merged |= kind == "covered-table-cell"
            if "office:value-type" in attributes:
                current.cells += 1
                current.width, current.height = max(current.width, column + times), row + repeated
                if attributes.get("calcext:value-type") == "error":
                    current.errors.update(range(column, min(column + times, column + BLOCK)))
            column += times
        elif kind == "table-row":
            row, column = row + repeated, 0
            repeated = int(attributes.get("table:number-rows-repeated", 1))
        elif tag == "table:table":
            row, column, repeated = 0, 0, 0
            current = sheets.setdefault(attributes.get("table:name", ""), SheetSummary())

    _parse(path, "content.xml", start)
    for name, summary in sheets.items():
        summary.check(f"{path.name}#{name}")
    return sheets


def _parse(
    path: Path,
    member: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    with reading_parts(path), zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while block := file.read(BLOCK):
            parser.Parse(block)
        parser.Parse(b"", True)


def column_index(column: bytes) -> int:
    """The index of a column, from 0, by its letters.

    >>> column_index(b"A"), column_index(b"AA")
    (0, 26)
    """
    number = 0
    for letter in column.upper():
        number = number * 26 + letter - 64
    return number - 1


def column_letters(index: int) -> str:
    """The letters of a column, by its index.

    >>> column_letters(0), column_letters(26)
    ('A', 'AA')
    """
    name = ""
    while index >= 0:
        name, index = chr(65 + index % 26) + name, index // 26 - 1
    return name


@contextmanager
def reading_parts(path: Path) -> Iterator[None]:
    """Convert the errors of a damaged workbook."""
    try:
        yield
    except InputError:
        raise
    except (OSError, KeyError, ValueError, StopIteration, ElementTree.ParseError, expat.ExpatError, *DAMAGES):
        raise damaged_workbook(path.name) from None


def damaged_workbook(name: str) -> InputError:
    """The error for a workbook that is damaged."""
    return InputError(
        "{file}: the workbook cannot be read; it may be damaged: open it in a spreadsheet program, and save it again",
        file=name,
    )


LAST_SECTOR = 0xFFFFFFFA  # larger numbers are markers, such as the end of a chain
STREAMS = ("Workbook", "Book")
ENTRY = 128  # bytes of the directory
LONG_STREAM = 4096  # bytes of a stream with sectors of its own, as the format and the reader of sheets fix them
BOF, EOF, BOUND_SHEET, FORMULA, BOOL_OR_ERROR = 0x0809, 0x000A, 0x0085, 0x0006, 0x0205
DIMENSIONS, LONG_DIMENSIONS = 0x0200, 14
TEXTS = 0x00FC
SEVERAL = (0x00BD, 0x00BE)  # records with several cells of a row
CELLS = {*SEVERAL, FORMULA, 0x0206, 0x0406, BOOL_OR_ERROR, 0x0201, 0x0203, 0x0204, 0x027E, 0x00D6, 0x00FD, *range(2, 6)}


def old_excel_summaries(path: Path) -> list[SheetSummary]:
    """The summary of each sheet of an old Excel workbook: its size, and the columns with errors.

    The reader of sheets returns an empty text for an error, and allocates the memory that a sheet claims to need.
    """
    try:
        stream = _stream(path.read_bytes())
        for kind, record in _records(stream, 0):
            if kind == TEXTS and struct.unpack_from("<4xI", record)[0] > len(stream):
                raise ValueError
        offsets = [struct.unpack_from("<I", record)[0] for kind, record in _records(stream, 0) if kind == BOUND_SHEET]
        parts = [_part(stream, offset) for offset in offsets]
    except (struct.error, IndexError, ValueError, OverflowError):
        raise damaged_workbook(path.name) from None
    for part in parts:
        part.check(path.name)
    return parts


def _part(stream: bytes, offset: int) -> SheetSummary:
    part = SheetSummary()
    for kind, record in _records(stream, offset):
        if kind == DIMENSIONS:  # only claimed, but the reader allocates memory for it
            wide = len(record) >= LONG_DIMENSIONS
            first_row, rows, first_column, columns = struct.unpack_from("<IIHH" if wide else "<HHHH", record)
            if first_row > rows or first_column > columns:
                raise ValueError
            part.height, part.width = max(part.height, rows), max(part.width, columns)
        if kind in CELLS:
            row, column = struct.unpack_from("<HH", record)
            last = struct.unpack_from("<H", record, len(record) - 2)[0] if kind in SEVERAL else column
            part.cells += 1
            part.height, part.width = max(part.height, row + 1), max(part.width, column + 1, last + 1)
            if _is_error(kind, record):
                part.errors.add(column)
    return part


def _is_error(kind: int, record: bytes) -> bool:
    if kind == BOOL_OR_ERROR:
        return record[7] == 1
    return kind == FORMULA and record[6] == 2 and record[12:14] == b"\xff\xff"


def _records(stream: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """The records of a substream, which may contain other substreams, such as charts."""
    depth = 0
    while start < len(stream):
        kind, size = struct.unpack_from("<HH", stream, start)
        yield kind, stream[start + 4 : start + 4 + size]
        start += 4 + size
        depth += (kind == BOF) - (kind == EOF)
        if kind == EOF and depth <= 0:
            return


def _stream(content: bytes) -> bytes:
    """The stream with the sheets."""
    size = 1 << struct.unpack_from("<H", content, 30)[0]
    small_table = struct.unpack_from("<I", content, 60)[0]
    chains, found = _directory(content)
    first, length = [found[name] for name in STREAMS if name in found][0]  # noqa: RUF015 - an IndexError is caught
    if length >= LONG_STREAM:
        return _read_chain(content[size:], first, chains, size)[:length]
    root = _read_chain(content[size:], next(iter(found.values()))[0], chains, size)
    small = np.frombuffer(_read_chain(content[size:], small_table, chains, size), "<u4").tolist()
    return _read_chain(root, first, small, 64)[:length]


def _directory(content: bytes) -> tuple[list[int], dict[str, tuple[int, int]]]:
    """The chains of sectors, and the first sector and length of each stream by name, the root first."""
    size = 1 << struct.unpack_from("<H", content, 30)[0]
    directory, _, _, more, _ = struct.unpack_from("<I4xII4xII", content, 48)
    listed = list(struct.unpack_from("<109I", content, 76))
    for _ in range(len(content) // size):
        if more >= LAST_SECTOR:
            break
        *next_listed, more = np.frombuffer(content, "<u4", size // 4, (more + 1) * size).tolist()
        listed += next_listed
    tables = [content[(sector + 1) * size : (sector + 2) * size] for sector in listed if sector < LAST_SECTOR]
    chains = np.frombuffer(b"".join(tables), "<u4").tolist()
    entries = _read_chain(content[size:], directory, chains, size)
    found: dict[str, tuple[int, int]] = {}
    for start in range(0, len(entries) - ENTRY + 1, ENTRY):
        entry = entries[start : start + ENTRY]
        name = entry[: max(struct.unpack_from("<H", entry, 64)[0] - 2, 0)].decode("utf-16-le")
        found.setdefault(name, struct.unpack_from("<II", entry, 116))
    return chains, found


def _read_chain(content: bytes, sector: int, chains: list[int], size: int) -> bytes:
    """The bytes of a chain of sectors."""
    parts: list[bytes] = []
    while sector < LAST_SECTOR:
        if len(parts) > len(chains):
            raise ValueError  # the chain is a cycle
        parts.append(content[sector * size : (sector + 1) * size])
        sector = chains[sector]
    return b"".join(parts)


OLD_EXCEL = b"\xd0\xcf\x11\xe0"
LINE_END = "\n"
MAX_LISTED = 12  # sheets in a message
OLD_SUFFIXES = (".xls", ".xla")
START = 100  # bytes that determine the kind
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def is_workbook(path: Path, start: bytes) -> bool:
    """Whether a file with this start is a readable workbook; a zip file is recognised by its parts."""
    if start.startswith(OLD_EXCEL):
        return True
    return start.startswith(b"PK\x03\x04") and (is_opendocument(start) or "xl/workbook.xml" in parts_of(path))


def is_opendocument(start: bytes) -> bool:
    """Whether a zip file is an OpenDocument sheet, by its first bytes."""
    return start[30:].startswith(b"mimetype" + OPEN_DOCUMENT)


def open_sheet(path: Path, start: bytes, sheet: str | None = None) -> TextTable:
    """Open a sheet of a workbook; without a name, the only one that is visible and not empty."""
    with _Reading(path):
        book = _Book(path, start)
        chosen = book.only() if sheet is None else book.named(sheet)
        part, content = book.sheet(chosen)
        ranges = content.merged_cell_ranges or []
        corner, rows = content.start or (0, 0), content.to_python(skip_empty_area=True)
    name = path.name if sheet is None else f"{path.name}#{chosen}"
    if not rows:
        raise InputError("{table}: the sheet is empty", table=name)
    if ranges or part.merged:
        where = [_range(first, last) for first, last in ranges[:MAX_RANGES]]
        raise InputError(
            "{table}: the sheet has merged cells{ranges}; if they are a title above the table, delete its row, so that "
            "the first row has the names of the columns; split others, and fill in the values that they stand for",
            table=name,
            ranges=f" ({', '.join(where)})" if where else "",
        )
    return _table(name, path, rows, corner, part, is_named=sheet is not None)


def _range(first: tuple[int, int], last: tuple[int, int]) -> str:
    """A range of cells as it is written in a spreadsheet, such as `A1:N1`."""
    return ":".join(f"{column_letters(column)}{row + 1}" for row, column in (first, last))


def sheet_names(path: Path) -> list[str]:
    """The visible sheets of a workbook; none for a file that is not a workbook."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        start = file.read(START)
    if not is_workbook(path, start):
        return []
    with _Reading(path):
        return _Book(path, start).visible()


class _Book:
    """A workbook whose sheets are examined before they are read."""

    def __init__(self, path: Path, start: bytes) -> None:
        if find_spec("python_calamine") is None:
            raise InputError("{file}: a workbook needs a package: pip install 'petworks[files]'", file=path.name)
        from python_calamine import CalamineWorkbook

        self._path, self._is_old = path, start.startswith(OLD_EXCEL)
        self._parts = opendocument_summaries(path) if is_opendocument(start) else {}
        old = old_excel_summaries(path) if self._is_old else []
        if (path.suffix.lower() in OLD_SUFFIXES) == self._is_old:
            self._workbook = CalamineWorkbook.from_path(str(path))
        else:  # by the suffix the reader would expect the other kind; it detects the kind of an open file
            with path.open("rb") as file:
                self._workbook = CalamineWorkbook.from_filelike(file)
        self._parts |= dict(zip(self._workbook.sheet_names, old, strict=False))

    def sheet(self, name: str) -> tuple[SheetSummary, Any]:
        """The summary of a sheet, and its content."""
        if not self._is_old and name not in self._parts:
            self._parts[name] = excel_summary(self._path, name, f"{self._path.name}#{name}")
        return self._parts.get(name, SheetSummary()), self._workbook.get_sheet_by_name(name)

    def named(self, sheet: str) -> str:
        """The name of a sheet, hidden or not; raise if it does not exist."""
        listed = list(self._worksheets())
        if sheet not in listed:
            raise InputError("{file}: {problem}", file=self._path.name, problem=unknown("sheet", sheet, listed).message)
        return sheet

    def only(self) -> str:
        """The only visible sheet; raise if there are several or none."""
        visible = self.visible()
        if len(visible) > 1:
            shown_path = self._path.name if self._path.is_absolute() else str(self._path)
            more = len(visible) - MAX_LISTED
            lines = [Phrase("{name!r}", name=f"{shown_path}#{sheet}") for sheet in visible[:MAX_LISTED]]
            lines += [Phrase("and {n} more", n=more)] if more > 0 else []
            raise InputError(
                "{file}: the workbook has several sheets; name one of them:\n{sheets}",
                file=self._path.name,
                sheets=Joined(LINE_END, lines),
            )
        if not visible:
            raise InputError(
                "{file}: no visible sheet has cells; a hidden one can be named: '{file}#SHEET'", file=self._path.name
            )
        return visible[0]

    def visible(self) -> list[str]:
        """The visible sheets; if there are several, only those with cells."""
        names = [name for name, is_visible in self._worksheets().items() if is_visible]
        return names if len(names) < 2 else [name for name in names if self.sheet(name)[1].end is not None]

    def _worksheets(self) -> dict[str, bool]:
        """The names of the sheets, without chart sheets, and whether each is visible."""
        from python_calamine import SheetTypeEnum, SheetVisibleEnum

        return {
            sheet.name: sheet.visible == SheetVisibleEnum.Visible
            for sheet in self._workbook.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        }


def _table(
    name: str, path: Path, rows: Sequence[Sequence[Any]], corner: tuple[int, int], part: SheetSummary, *, is_named: bool
) -> TextTable:
    """The rows of a sheet, with column names first, as a table."""
    first_row, first_column = corner
    names = [text.strip() for text in display_texts(rows[0]).to_pylist()]
    cells = list(zip(*rows[1:], strict=True)) or [()] * len(names)
    columns = [text_column(name, *column) for column in zip(names, cells, strict=True)]
    blank = [
        _blank(column) if isinstance(column, pa.Array) else np.zeros(len(rows) - 1, np.bool_) for column in columns
    ]
    _check_names(name, names, blank, corner)
    filled = np.flatnonzero(~np.logical_and.reduce(blank))
    records = int(filled[-1]) + 1 if len(filled) else 0
    if len(filled) < records and len(names) > 1:
        row = int(np.flatnonzero(np.diff(filled, prepend=-1) > 1)[0])
        number = first_row + 3 + (int(filled[row - 1]) if row else -1)
        raise InputError(
            "{table}, row {row}: the row is empty, but there are cells below it; delete it, or what is no part of the "
            "table",
            table=name,
            row=number,
        )
    used = [column.slice(0, records) if isinstance(column, pa.Array) else column for column in columns]
    for index, column in enumerate(names):
        if part.errors & {index + first_column, -1}:
            used[index] = InputError(
                "{table}: column {column!r} has cells that are an error, such as #N/A; correct or clear them",
                table=name,
                column=column,
            )
        elif part.unfinished & {index + first_column, -1}:
            used[index] = InputError(
                "{table}: column {column!r} has formulas without their values; open the workbook in a spreadsheet "
                "program, and save it again",
                table=name,
                column=column,
            )
    only = None if is_named else path
    return TextTable(name, only, WORKBOOK, names, used, records, has_header_row=True, file=path, corner=corner)


def _blank(column: pa.DictionaryArray) -> NDArray[np.bool_]:
    """Mask of the cells without text except blanks."""
    empty = np.array([not text.strip() for text in column.dictionary.to_pylist()], np.bool_)
    blank: NDArray[np.bool_] = empty[numpy_integers(column.indices)] if len(column) else np.zeros(0, np.bool_)
    return blank


def _check_names(name: str, names: Sequence[str], blank: Sequence[NDArray[np.bool_]], corner: tuple[int, int]) -> None:
    """Raise for columns without a name: the first row is not a header, or there is a gap."""
    row, column = corner
    for index, text in enumerate(names):
        if text:
            continue
        if blank[index].all():
            raise InputError(
                "{table}: column {letters} is empty, but there are cells to the right of it; delete it",
                table=name,
                letters=column_letters(column + index),
            )
        raise InputError(
            "{table}: column {letters} has no name in row {row}; the first row must have the names of all columns: "
            "delete what stands above them, or name the column",
            table=name,
            letters=column_letters(column + index),
            row=row + 1,
        )


class _Reading:
    """Convert the errors of the reader, whose messages may quote a cell."""

    def __init__(self, path: Path) -> None:
        self._name = path.name

    def __enter__(self) -> None:
        """Do nothing before reading."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if kind is None or isinstance(error, InputError):
            return
        from python_calamine import CalamineError, PasswordError

        if isinstance(error, PasswordError):
            raise InputError(
                "{file}: the workbook is protected by a password; save it without one", file=self._name
            ) from None
        # The last is the reader's error for unexpected content; its class cannot be imported.
        if isinstance(error, CalamineError | OSError | ValueError | OverflowError) or kind.__module__ == "pyo3_runtime":
            raise damaged_workbook(self._name) from None


MAX_ROWS = 1 << 20  # of a sheet, with the header
LONGEST_TEXT = 32_767  # of a cell, in units of UTF-16
ROWS_AT_A_TIME = 1 << 14
CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same in all files, so that equal tables are equal files
SHEET, CHINESE_SHEET = "release", "釋出資料"
NARROWEST, WIDEST_SHOWN = 8, 40  # of columns, in characters
_HAN, _WIDE = (
    re.compile("[\u4e00-\u9fff]"),
    re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]"),
)

# A number with at most 15 digits, as a spreadsheet shows it: no zeros before it, or at the end of its decimals.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?", re.ASCII)
MAX_DIGITS = 15
# What a workbook writes as _x001F_; an underscore too where such letters follow.
_ESCAPED = re.compile(r"[\x00-\x08\x0b-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")
_IMPOSSIBLE = re.compile("[\ufffe\uffff]")

Pieces = Callable[[], Iterable[pa.Table]]


def new_workbook(pieces: Pieces, names: Sequence[str], table: str) -> Callable[[BinaryIO], None]:
    """A function that writes a table that comes in pieces as an Excel workbook.

    Every cell is a text, formulas and dates too; a column of nothing but numbers that a spreadsheet holds exactly has
    numbers. So the pieces are read twice.

    table   its name in messages
    """
    check_installed(table)
    _check_sheet(names, table)

    def write(file: BinaryIO) -> None:
        _write_sheet(file, pieces(), names, *_number_columns(pieces(), names, table), table)

    return write


def check_installed(file: str) -> None:
    """Raise if the package that writes workbooks is missing."""
    if find_spec("xlsxwriter") is None:
        raise InputError("{file}: a workbook needs a package: pip install 'petworks[files]'", file=file)


def _check_sheet(names: Sequence[str], table: str) -> None:
    if len(names) > WIDEST:
        raise InputError(
            "{table}: the table has {number} columns, but a sheet has at most {most:,}; write CSV or Parquet",
            table=table,
            number=len(names),
            most=WIDEST,
        )
    for name in names:
        if not 0 < _length(name) <= LONGEST_TEXT or _IMPOSSIBLE.search(name):
            raise InputError(
                "{table}: a sheet cannot have a column named {column!r}: a name has from 1 to {most:,} "
                "characters, none of them U+FFFE or U+FFFF",
                table=table,
                column=name[:80],
                most=LONGEST_TEXT,
            )


def _number_columns(
    pieces: Iterable[pa.Table], names: Sequence[str], table: str
) -> tuple[frozenset[int], Sequence[int]]:
    """The indices of the columns that have numbers, and the width of each; raise if a sheet cannot hold the table."""
    numbers, rows = set(range(len(names))), 0
    widths = [max(NARROWEST, _width(name)) for name in names]
    for piece in pieces:
        rows += piece.num_rows
        filled = np.zeros(piece.num_rows, np.bool_)
        for index, (name, column) in enumerate(zip(names, piece.columns, strict=True)):
            labels, codes = labels_and_codes(column, name, table)
            texts = labels.to_pylist()
            is_empty = np.array([not text for text in texts], np.bool_)
            filled |= ~is_empty[codes]
            used = [texts[code] for code in np.unique(codes).tolist() if texts[code]]
            widths[index] = max(widths[index], max(map(_width, used), default=0))
            if any(_length(text) > LONGEST_TEXT for text in used):
                raise InputError(
                    "{table}: column {column!r} has texts of more than {most:,} characters, the most that a cell of a "
                    "workbook holds; write CSV or Parquet",
                    table=table,
                    column=name,
                    most=LONGEST_TEXT,
                )
            if any(map(_IMPOSSIBLE.search, used)):
                raise InputError(
                    "{table}: column {column!r} has the signs U+FFFE or U+FFFF, which a workbook cannot have; write "
                    "CSV or Parquet",
                    table=table,
                    column=name,
                )
            is_number = _is_number_type(column.type)
            if index in numbers and not all(_is_exact(text, is_text=not is_number) for text in used):
                numbers.discard(index)
        if not filled.all():
            raise InputError(
                "{table}: {records} without a value in any column, which a sheet does not keep; write CSV or Parquet",
                table=table,
                records=Counted("{n:,} record is", "{n:,} records are", n=int(np.count_nonzero(~filled))),
            )
    if rows >= MAX_ROWS:
        raise InputError(
            "{table}: the table has {rows:,} records, but a sheet has room for {most:,}; write CSV or Parquet",
            table=table,
            rows=rows,
            most=MAX_ROWS - 1,
        )
    return frozenset(numbers), widths


def _width(text: str) -> int:
    """The width of a text in a sheet, in characters; Chinese ones count twice."""
    shown = text[:WIDEST_SHOWN]
    return min(len(shown) + len(_WIDE.findall(shown)) + 1, WIDEST_SHOWN)


def _is_number_type(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_exact(text: str, *, is_text: bool) -> bool:
    """Whether a spreadsheet holds a number exactly.

    is_text   whether it is a text, which must also be read again as it is: "1.50" stays a text
    """
    if _NUMBER.fullmatch(text) is None:
        return False
    number = Decimal(text)
    if len(number.normalize().as_tuple().digits) > MAX_DIGITS or (number and not -99 < number.adjusted() < MAX_DIGITS):
        return False
    shown = str(display_texts([float(text)]).dictionary[0])
    return shown == text if is_text else Decimal(shown) == number


def _length(text: str) -> int:
    """The length of a text as Excel counts: in units of UTF-16."""
    return len(text) + sum(sign > "\uffff" for sign in text) if len(text) > LONGEST_TEXT // 2 else len(text)


def _write_sheet(
    file: BinaryIO,
    pieces: Iterable[pa.Table],
    names: Sequence[str],
    numbers: frozenset[int],
    widths: Sequence[int],
    table: str,
) -> None:
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError
    from xlsxwriter.worksheet import Worksheet

    class PlainSheet(Worksheet):  # type: ignore[misc]
        """A sheet in which texts that look like formatted texts or escapes are texts like others."""

        @staticmethod
        def _escape_control_characters(text: str) -> str:
            return _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)

        def _xml_rich_inline_string(self, string: str, attributes: Any) -> None:
            self._xml_inline_string(string, False, attributes)

    with TemporaryDirectory(prefix="petworks-") as folder:
        book = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        book.use_zip64()
        book.set_properties({"created": CREATED})
        sheet = book.add_worksheet(CHINESE_SHEET if any(map(_HAN.search, names)) else SHEET, PlainSheet)
        sheet.freeze_panes(1, 0)
        for index, width in enumerate(widths):
            sheet.set_column(index, index, width)
        with closing(sheet.row_data_fh):  # the rows, in the folder
            for index, name in enumerate(names):
                sheet.write_string(0, index, name)
            writers = [sheet.write_number if index in numbers else sheet.write_string for index in range(len(names))]
            for row, cells in enumerate(_rows(pieces, names, numbers, table), 1):
                for index, cell in enumerate(cells):
                    if cell is not None:
                        writers[index](row, index, cell)
            try:
                book.close()
            except FileCreateError as error:
                raise (error.__context__ or error) from None


def _rows(
    pieces: Iterable[pa.Table], names: Sequence[str], numbers: frozenset[int], table: str
) -> Iterator[tuple[float | str | None, ...]]:
    """The cells of each record: a number, a text, or None."""
    for piece in pieces:
        columns = []
        for index, (name, column) in enumerate(zip(names, piece.columns, strict=True)):
            labels, codes = labels_and_codes(column, name, table)
            convert = float if index in numbers else str
            columns.append(([convert(text) if text else None for text in labels.to_pylist()], codes))
        for first in range(0, piece.num_rows, ROWS_AT_A_TIME):
            yield from zip(
                *([cells[code] for code in codes[first : first + ROWS_AT_A_TIME].tolist()] for cells, codes in columns),
                strict=True,
            )
