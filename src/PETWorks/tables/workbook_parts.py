"""What stands in the XML of a workbook, looked at before it is read: where its cells end, and cells without a value.

The reader takes room for every cell of the rectangle around the used ones. Two cells in opposite corners of a sheet
would be 17 billion, and end the process.
"""

import re
import string
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import normpath
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from PETWorks.errors import InputError
from PETWorks.tables.packed import DAMAGES, LARGEST_RATIO, USUAL_SIZE, check_size, members

BLOCK = 1 << 20
LONGEST_CELL = 1 << 24  # bytes of XML
LARGEST_PART = 1 << 24  # bytes of a part that lists the others
WIDEST = 1 << 14  # columns
USUAL_CELLS, SPARSEST = 1 << 24, 20  # room that any sheet may take; cells of the rectangle for each used one
LETTERS, DIGITS = string.ascii_letters.encode(), string.digits.encode()

# The tag of a cell that says where it is; others are counted by a parser.
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
class Part:
    """What is seen of a sheet.

    errors, unfinished   the columns, counted from 0, with cells that are an error or a formula without its value
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
        """Count cells of a row; rows that were counted before, or come in another order, do not count."""
        if row < self._last_row:
            return
        before = self._in_last_row if row == self._last_row else 0
        now = min(before + cells, WIDEST)
        self.cells += now - before
        self._last_row, self._in_last_row = row, now

    def check(self, name: str) -> None:
        """An error for a sheet whose cells are too far apart."""
        if self.height * self.width > max(USUAL_CELLS, SPARSEST * self.cells):
            raise InputError(
                "{table}: the cells reach to row {row:,} and column {letters}, but most of them are empty; delete the "
                "rows and columns around the table",
                table=name,
                row=self.height,
                letters=letters(self.width - 1),
            )


def parts_of(path: Path) -> dict[str, zipfile.ZipInfo]:
    """The parts of a workbook that is a zip file, by name."""
    listed = members(path)
    check_size(path.name, sum(one.file_size for one in listed), max(USUAL_SIZE, LARGEST_RATIO * path.stat().st_size))
    return {one.filename: one for one in listed}


def excel_part(path: Path, sheet: str, name: str) -> Part:
    """What is seen of a sheet of an Excel workbook.

    Spreadsheet programs write where each cell is, which is found quickly. Other cells are where the one before ends.
    """
    member = _excel_member(path, sheet)
    seen = _placed_cells(path, member) or _counted_cells(path, member)
    seen.check(name)
    return seen


def _placed_cells(path: Path, member: str) -> Part | None:
    """What is seen of a sheet of which every cell says where it is; None if one does not."""
    seen = Part()
    for block in _blocks(path, member):
        cells = _CELL.findall(block)
        if b"<!" in block or len(cells) != len(_ANY_CELL.findall(block)):
            return None
        places = b" ".join(cells)
        rows = Counter(map(int, places.translate(None, LETTERS).split()))
        columns = {place(one) for one in set(places.translate(None, DIGITS).split())}
        seen.height, seen.width = max(seen.height, *rows, 0), max(seen.width - 1, *columns, -1) + 1
        values = len(_VALUE.findall(block))
        for row, number in rows.items():
            counted = min(number, len(columns), values)
            seen.count(row, counted)
            values -= counted
        if b'"e"' in block or b"'e'" in block:
            seen.errors.update(_columns(match[0] for match in _ERROR.finditer(block)))
        if b"<f" in block or b":f" in block:
            formulas = (match[1] for match in _FORMULA.finditer(block))
            seen.unfinished.update(_columns(b"<c " + cell for cell in formulas if not _TEXT.search(cell)))
    return seen


def _columns(tags: Iterator[bytes]) -> Iterator[int]:
    for tag in tags:
        cell = _CELL.search(tag)
        yield place(cell[1].translate(None, DIGITS)) if cell else -1


def _counted_cells(path: Path, member: str) -> Part:
    """What is seen of any sheet: a row or a cell that does not say where it is follows the one before."""
    seen, row, column = Part(), 0, 0
    at, is_formula, is_text, value = (0, 0), False, False, ""
    within = False  # a value

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, at, is_formula, is_text, value, within
        kind = tag.rpartition(":")[2]
        if kind == "row":
            row, column = int(attributes.get("r", row + 1)), 0
        elif kind == "c":
            at = row, column
            if "r" in attributes:
                named = _PLACE.fullmatch(attributes["r"])
                if named is None:
                    raise damaged(path.name)
                at = int(named[2]), place(named[1].encode())
            column = at[1] + 1
            seen.height, seen.width = max(seen.height, at[0]), max(seen.width, column)
            is_formula, is_text, value = False, attributes.get("t") == "str", ""
            if attributes.get("t") == "e":
                seen.errors.add(at[1])
        elif kind == "f":
            is_formula = True
        elif kind in ("v", "is"):
            within = True

    def text(content: str) -> None:
        nonlocal value
        if within and not value:
            value = content.strip()

    def end(tag: str) -> None:
        nonlocal within
        kind = tag.rpartition(":")[2]
        if kind in ("v", "is"):
            within = False
        elif kind == "c":
            if value:
                seen.count(at[0], 1)
            elif is_formula and not is_text:
                seen.unfinished.add(at[1])

    _parse(path, member, start, end, text)
    return seen


def _blocks(path: Path, member: str) -> Iterator[bytes]:
    """The XML of a sheet, cut behind cells."""
    rest = b""
    with reading_parts(path), zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while block := file.read(BLOCK):
            rest += block
            end = rest.rfind(b"c>") + 2
            if end < 2 and len(rest) > LONGEST_CELL:
                end = rest.rfind(b">") + 1
            if end >= 2:
                yield rest[:end]
                rest = rest[end:]
    yield rest


def _excel_member(path: Path, sheet: str) -> str:
    """The part of a workbook that has a sheet."""
    with reading_parts(path), zipfile.ZipFile(path) as archive:
        relations = _elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
        targets = {one.get("Id"): one.get("Target", "") for one in relations}
        for one in _elements(archive, "xl/workbook.xml", "sheet"):
            if one.get("name") == sheet:
                own = next(value for key, value in one.items() if key.endswith("}id"))
                target = targets[own]
                return target.lstrip("/") if target.startswith("/") else normpath(f"xl/{target}")
        raise KeyError


def _elements(archive: zipfile.ZipFile, part: str, tag: str) -> list[Any]:
    with archive.open(part) as file:
        text = file.read(LARGEST_PART)
    # Expat limits how far entities may grow.
    return [one for one in ElementTree.fromstring(text).iter() if one.tag.rpartition("}")[2] == tag]  # noqa: S314


def count_tags(path: Path, member: str, tags: Iterable[str]) -> Counter[str]:
    """How many elements with these names a part of a workbook has; a name without a prefix may have any.

    Names that Excel defines itself, such as that of a filter, are not counted.
    """
    wanted = {tag.encode(): tag for tag in tags}
    pattern = re.compile(rb"<(?:\w+:)?(%b)(?=[\s/>])" % b"|".join(map(re.escape, wanted)))
    found: Counter[str] = Counter()
    rest, own_names = b"", 0
    with reading_parts(path), zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while block := file.read(BLOCK):
            end = (rest + block).rfind(b"<")
            text, rest = (rest + block)[:end], (rest + block)[end:]
            found.update(wanted[tag] for tag in pattern.findall(text))
            own_names += len(_OWN_NAME.findall(text))
    found.update(wanted[tag] for tag in pattern.findall(rest))
    return found - Counter(definedName=own_names)


def opendocument_parts(path: Path) -> dict[str, Part]:
    """What is seen of the sheets of an OpenDocument workbook."""
    sheets: dict[str, Part] = {}
    row, column, repeated = 0, 0, 1
    current = Part()

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
            current = sheets.setdefault(attributes.get("table:name", ""), Part())

    _parse(path, "content.xml", start)
    for name, seen in sheets.items():
        seen.check(f"{path.name}#{name}")
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


def place(column: bytes) -> int:
    """The place of a column that has letters for a name, counted from 0.

    >>> place(b"A"), place(b"AA")
    (0, 26)
    """
    number = 0
    for letter in column.upper():
        number = number * 26 + letter - 64
    return number - 1


def letters(place: int) -> str:
    """The name of a column.

    >>> letters(0), letters(26)
    ('A', 'AA')
    """
    name = ""
    while place >= 0:
        name, place = chr(65 + place % 26) + name, place // 26 - 1
    return name


@contextmanager
def reading_parts(path: Path) -> Iterator[None]:
    """The errors of a damaged workbook as ours."""
    try:
        yield
    except InputError:
        raise
    except (OSError, KeyError, ValueError, StopIteration, ElementTree.ParseError, expat.ExpatError, *DAMAGES):
        raise damaged(path.name) from None


def damaged(name: str) -> InputError:
    """The error for a workbook that is not what it should be."""
    return InputError(
        "{file}: the workbook cannot be read; it may be damaged: open it in a spreadsheet program, and save it again",
        file=name,
    )
