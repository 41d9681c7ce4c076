"""A look at an old Excel workbook (.xls) before it is read: where its cells end, and which are errors.

Such a file is a small file system: sectors, a table that chains them, a directory. The stream `Workbook` in it consists
of records: a number for their kind, their length, and their bytes.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from PETWorks.tables.workbook_parts import Part, damaged

LAST_SECTOR = 0xFFFFFFFA  # larger numbers are signs, such as the end of a chain
STREAMS = ("Workbook", "Book")
ENTRY = 128  # bytes of the directory
BOF, EOF, BOUND_SHEET, FORMULA, BOOL_OR_ERROR = 0x0809, 0x000A, 0x0085, 0x0006, 0x0205
DIMENSIONS, LONG_DIMENSIONS = 0x0200, 14
TEXTS = 0x00FC
NOTE, HYPERLINK, OBJECT, DEFINED_NAME = 0x001C, 0x01B8, 0x005D, 0x0018
OWN_NAME = 0x20  # a sign of a name that Excel defines itself, such as that of a filter
STREAM = -1  # stands for a stream that has no sheets
USUAL_STREAMS = {*STREAMS, "Root Entry", "\x05SummaryInformation", "\x05DocumentSummaryInformation", "\x01CompObj", ""}
SEVERAL = (0x00BD, 0x00BE)  # cells of one row
CELLS = {*SEVERAL, FORMULA, 0x0206, 0x0406, BOOL_OR_ERROR, 0x0201, 0x0203, 0x0204, 0x027E, 0x00D6, 0x00FD, *range(2, 6)}


def old_parts(path: Path) -> list[Part]:
    """What is seen of each sheet: where its cells end, and which columns have errors."""
    try:
        stream = _stream(path.read_bytes())
        for kind, record in _records(stream, 0):
            if kind == TEXTS and struct.unpack_from("<4xI", record)[0] > len(stream):
                raise ValueError
        offsets = [struct.unpack_from("<I", record)[0] for kind, record in _records(stream, 0) if kind == BOUND_SHEET]
        parts = [_part(stream, offset) for offset in offsets]
    except (struct.error, IndexError, ValueError, OverflowError):
        raise damaged(path.name) from None
    for part in parts:
        part.check(path.name)
    return parts


def old_content(path: Path) -> dict[int, int]:
    """What a workbook has besides the cells of one sheet, by the kind of record: sheets, comments, names; streams."""
    content = path.read_bytes()
    try:
        stream = _stream(content)
        globally = list(_records(stream, 0))
        sheets = [struct.unpack_from("<I", record)[0] for kind, record in globally if kind == BOUND_SHEET]
        records = [*globally, *(one for offset in sheets for one in _records(stream, offset))]
        found = {wanted: sum(kind == wanted for kind, _ in records) for wanted in (NOTE, HYPERLINK, OBJECT)}
        names = [record for kind, record in globally if kind == DEFINED_NAME]
        found[DEFINED_NAME] = sum(not struct.unpack_from("<H", record)[0] & OWN_NAME for record in names)
        found[OBJECT] = max(found[OBJECT] - found[NOTE], 0)  # every comment is drawn
        found[BOUND_SHEET] = len(sheets) - 1
        found[STREAM] = sum(name not in USUAL_STREAMS for name in _directory(content)[1])
    except (struct.error, IndexError, ValueError, OverflowError):
        raise damaged(path.name) from None
    return found


def _part(stream: bytes, offset: int) -> Part:
    part = Part()
    for kind, record in _records(stream, offset):
        if kind == DIMENSIONS:  # a claim, for which the reader takes room, too
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
    """The records of a part of the stream, which may have other parts in it, such as charts."""
    depth = 0
    while start < len(stream):
        kind, size = struct.unpack_from("<HH", stream, start)
        yield kind, stream[start + 4 : start + 4 + size]
        start += 4 + size
        depth += (kind == BOF) - (kind == EOF)
        if kind == EOF and depth <= 0:
            return


def _stream(content: bytes) -> bytes:
    """The stream that has the sheets."""
    size = 1 << struct.unpack_from("<H", content, 30)[0]
    cutoff, small_table = struct.unpack_from("<II", content, 56)
    chains, found = _directory(content)
    first, length = [found[name] for name in STREAMS if name in found][0]  # noqa: RUF015 - an IndexError is caught
    if length >= cutoff:
        return _chained(content[size:], first, chains, size)[:length]
    root = _chained(content[size:], next(iter(found.values()))[0], chains, size)
    small = np.frombuffer(_chained(content[size:], small_table, chains, size), "<u4").tolist()
    return _chained(root, first, small, 64)[:length]


def _directory(content: bytes) -> tuple[list[int], dict[str, tuple[int, int]]]:
    """The chains of sectors, and the first sector and the length of each stream by its name, the root first."""
    size = 1 << struct.unpack_from("<H", content, 30)[0]
    directory, _, _, more, _ = struct.unpack_from("<I4xII4xII", content, 48)
    listed = list(struct.unpack_from("<109I", content, 76))
    for _ in range(len(content) // size):
        if more >= LAST_SECTOR:
            break
        *next_listed, more = np.frombuffer(content, "<u4", size // 4, (more + 1) * size).tolist()
        listed += next_listed
    tables = [content[(one + 1) * size : (one + 2) * size] for one in listed if one < LAST_SECTOR]
    chains = np.frombuffer(b"".join(tables), "<u4").tolist()
    entries = _chained(content[size:], directory, chains, size)
    found: dict[str, tuple[int, int]] = {}
    for start in range(0, len(entries) - ENTRY + 1, ENTRY):
        entry = entries[start : start + ENTRY]
        name = entry[: max(struct.unpack_from("<H", entry, 64)[0] - 2, 0)].decode("utf-16-le")
        found.setdefault(name, struct.unpack_from("<II", entry, 116))
    return chains, found


def _chained(content: bytes, sector: int, chains: list[int], size: int) -> bytes:
    """The bytes of sectors that follow each other."""
    parts: list[bytes] = []
    while sector < LAST_SECTOR:
        if len(parts) > len(chains):
            raise ValueError  # they go round in a circle
        parts.append(content[sector * size : (sector + 1) * size])
        sector = chains[sector]
    return b"".join(parts)
