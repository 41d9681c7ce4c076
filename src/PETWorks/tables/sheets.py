"""Sheets of workbooks: Excel's new and old files, and OpenDocument. A sheet is named behind a `#`: `book.xlsx#People`.

Cells are what the workbook keeps of them: formulas are the values that they had when it was saved.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError, Joined, Phrase, unknown
from PETWorks.tables.arrays import numpy_integers
from PETWorks.tables.displayed import displayed
from PETWorks.tables.old_workbooks import old_parts
from PETWorks.tables.texttable import WORKBOOK, TextTable, text_column
from PETWorks.tables.workbook_parts import Part, damaged, excel_part, letters, opendocument_parts, parts_of

OLD_EXCEL = b"\xd0\xcf\x11\xe0"
LINE_END = "\n"
MOST_LISTED = 12  # sheets of a message
OLD_SUFFIXES = (".xls", ".xla")
START = 100  # bytes that tell the kind
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def is_workbook(path: Path, start: bytes) -> bool:
    """Whether a file that begins so is a workbook that can be read: for a zip file, its parts tell."""
    if start.startswith(OLD_EXCEL):
        return True
    return start.startswith(b"PK\x03\x04") and (is_opendocument(start) or "xl/workbook.xml" in parts_of(path))


def is_opendocument(start: bytes) -> bool:
    """Whether a zip file is an OpenDocument sheet, which says so in its first bytes."""
    return start[30:].startswith(b"mimetype" + OPEN_DOCUMENT)


def open_sheet(path: Path, start: bytes, sheet: str | None = None) -> TextTable:
    """A sheet of a workbook; without a name, the only one that is visible and not empty."""
    with _Reading(path):
        book = _Book(path, start)
        chosen = book.only() if sheet is None else book.named(sheet)
        part, content = book.sheet(chosen)
        merged = part.merged or bool(content.merged_cell_ranges)
        corner, rows = content.start or (0, 0), content.to_python(skip_empty_area=True)
    name = path.name if sheet is None else f"{path.name}#{chosen}"
    if not rows:
        raise InputError("{table}: the sheet is empty", table=name)
    if merged:
        raise InputError(
            "{table}: the sheet has merged cells; split them, and fill in the values that they stand for", table=name
        )
    return _table(name, path, rows, corner, part, is_named=sheet is not None)


def sheet_names(path: Path) -> list[str]:
    """The sheets of a workbook that a user sees; none of a file that is no workbook."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        start = file.read(START)
    if not is_workbook(path, start):
        return []
    with _Reading(path):
        return _Book(path, start).visible()


class _Book:
    """A workbook whose sheets are looked at before they are read."""

    def __init__(self, path: Path, start: bytes) -> None:
        if find_spec("python_calamine") is None:
            raise InputError("{file}: a workbook needs a package: pip install 'petworks[files]'", file=path.name)
        from python_calamine import CalamineWorkbook

        self._path, self._is_old = path, start.startswith(OLD_EXCEL)
        self._parts = opendocument_parts(path) if is_opendocument(start) else {}
        old = old_parts(path) if self._is_old else []
        if (path.suffix.lower() in OLD_SUFFIXES) == self._is_old:
            self._workbook = CalamineWorkbook.from_path(str(path))
        else:  # by the name the reader would take it for the other kind; an open file it looks at
            with path.open("rb") as file:
                self._workbook = CalamineWorkbook.from_filelike(file)
        self._parts |= dict(zip(self._workbook.sheet_names, old, strict=False))

    def sheet(self, name: str) -> tuple[Part, Any]:
        """What is seen of a sheet, and its content."""
        if not self._is_old and name not in self._parts:
            self._parts[name] = excel_part(self._path, name, f"{self._path.name}#{name}")
        return self._parts.get(name, Part()), self._workbook.get_sheet_by_name(name)

    def named(self, sheet: str) -> str:
        """The sheet that is called so, hidden or not."""
        listed = list(self._worksheets())
        if sheet not in listed:
            raise InputError("{file}: {problem}", file=self._path.name, problem=unknown("sheet", sheet, listed).message)
        return sheet

    def only(self) -> str:
        """The one sheet that a user sees."""
        visible = self.visible()
        if len(visible) > 1:
            given = self._path.name if self._path.is_absolute() else str(self._path)
            more = len(visible) - MOST_LISTED
            lines = [Phrase("{name!r}", name=f"{given}#{sheet}") for sheet in visible[:MOST_LISTED]]
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
        """The sheets that a user sees; of several only those with cells."""
        seen = [name for name, is_visible in self._worksheets().items() if is_visible]
        return seen if len(seen) < 2 else [name for name in seen if self.sheet(name)[1].end is not None]

    def _worksheets(self) -> dict[str, bool]:
        """The names of the sheets, those with charts apart, and whether each is visible."""
        from python_calamine import SheetTypeEnum, SheetVisibleEnum

        return {
            one.name: one.visible == SheetVisibleEnum.Visible
            for one in self._workbook.sheets_metadata
            if one.typ == SheetTypeEnum.WorkSheet
        }


def _table(
    name: str, path: Path, rows: Sequence[Sequence[Any]], corner: tuple[int, int], part: Part, *, is_named: bool
) -> TextTable:
    """The rows of a sheet, the names of the columns first, as a table."""
    first_row, first_column = corner
    names = [text.strip() for text in displayed(rows[0]).to_pylist()]
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
    for place, column in enumerate(names):
        if part.errors & {place + first_column, -1}:
            used[place] = InputError(
                "{table}: column {column!r} has cells that are an error, such as #N/A; correct or clear them",
                table=name,
                column=column,
            )
        elif part.unfinished & {place + first_column, -1}:
            used[place] = InputError(
                "{table}: column {column!r} has formulas without their values; open the workbook in a spreadsheet "
                "program, and save it again",
                table=name,
                column=column,
            )
    only = None if is_named else path
    return TextTable(name, only, WORKBOOK, names, used, records, has_header_row=True, file=path)


def _blank(column: pa.DictionaryArray) -> NDArray[np.bool_]:
    """Which cells have no text but blanks."""
    empty = np.array([not text.strip() for text in column.dictionary.to_pylist()], np.bool_)
    blank: NDArray[np.bool_] = empty[numpy_integers(column.indices)] if len(column) else np.zeros(0, np.bool_)
    return blank


def _check_names(name: str, names: Sequence[str], blank: Sequence[NDArray[np.bool_]], corner: tuple[int, int]) -> None:
    """An error for columns without a name: the first row of the sheet is no header then, or there is a gap."""
    row, column = corner
    for place, text in enumerate(names):
        if text:
            continue
        if blank[place].all():
            raise InputError(
                "{table}: column {letters} is empty, but there are cells to the right of it; delete it",
                table=name,
                letters=letters(column + place),
            )
        raise InputError(
            "{table}: column {letters} has no name in row {row}; the first row must have the names of all columns: "
            "delete what stands above them, or name the column",
            table=name,
            letters=letters(column + place),
            row=row + 1,
        )


class _Reading:
    """The reader's errors as ours; what they say might quote a cell."""

    def __init__(self, path: Path) -> None:
        self._name = path.name

    def __enter__(self) -> None:
        """Nothing has been read yet."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if kind is None or isinstance(error, InputError):
            return
        from python_calamine import CalamineError, PasswordError

        if isinstance(error, PasswordError):
            raise InputError(
                "{file}: the workbook is protected by a password; save it without one", file=self._name
            ) from None
        # The last is what the reader raises where it meets what it did not expect; it cannot be imported.
        if isinstance(error, CalamineError | OSError | ValueError | OverflowError) or kind.__module__ == "pyo3_runtime":
            raise damaged(self._name) from None
