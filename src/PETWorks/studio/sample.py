"""A table before it is opened: its format, and how its first cells look, without a single letter of them."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PETWorks.counting.codes import Encoder
from PETWorks.errors import Phrase
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.csvfile import CSV, dictionary_array
from PETWorks.tables.frames import Frame
from PETWorks.tables.headers import has_header_line, looks_like_data, suspicious
from PETWorks.tables.jsonlines import JSONLines
from PETWorks.tables.opening import open_one, open_source
from PETWorks.tables.parquet import Parquet
from PETWorks.tables.source import Source
from PETWorks.tables.texttable import TextTable

ROWS = 4
MOST_COLUMNS = 150  # of the sample
LONGEST = 24  # characters of a cell
SHAPES = {"Lu": "X", "Lt": "X", "Ll": "x", "Nd": "9", "Nl": "9", "No": "9", "Zs": " "}
WIDE = "○"  # a letter of a script without small and capital ones, as names are masked in Taiwan
OTHER = "·"
SIGNS = "-/.:,@()+_%#'&"
OF_DATES = re.compile("(?<=9)[年月日]")  # they stay behind a digit


@dataclass(frozen=True)
class Preview:
    """What a user sees of a table before it is opened.

    sample        for the first columns their first cells, masked; None where one is missing
    has_no_names  whether the first line of the file looks like data; names that do are masked too
    """

    format: str
    encoding: str | None
    separator: str | None
    columns: int
    records: int | None
    sample: list[tuple[str, list[str | None]]]
    has_no_names: bool


def preview(path: Path, separator: str | None = None, encoding: str | None = None) -> Preview:
    """A look at a table, of which only the beginning is read."""
    source = open_source(open_one(path, separator, encoding), Phrase("the table"))
    strange = has_header_line(source) and 2 * suspicious(source) >= len(source.names)
    sample = [(masked(name) if strange or looks_like_data(name) else name, cells) for name, cells in _sample(source)]
    return Preview(_kind(source), source.encoding, source.separator, len(source.names), source.rows, sample, strange)


def _kind(source: Source) -> str:
    if isinstance(source, TextTable):
        return source.kind
    kinds = {CSV: "CSV", Parquet: "Parquet", Frame: "Feather", JSONLines: "JSON lines"}
    return next((name for kind, name in kinds.items() if isinstance(source, kind)), "")


def _sample(source: Source) -> list[tuple[str, list[str | None]]]:
    found = []
    for name, pieces in _beginning(source, tuple(source.names[:MOST_COLUMNS])).items():
        encoder = Encoder(spaced_quotes=source.separator is not None)
        for piece in pieces:
            encoder.add(piece)
        column = encoder.finish()
        found.append((name, [_masked(column.values[code]) for code in column.codes.tolist()]))
    return found


def _beginning(source: Source, names: tuple[str, ...]) -> dict[str, list[Any]]:
    """The first records of each column, as Arrow arrays; of a CSV file only these are read if they are whole."""
    rows = source.beginning(ROWS) if isinstance(source, CSV) else []
    if rows and all(len(row) == len(source.names) for row in rows):
        return {name: [dictionary_array([row[place] for row in rows])] for place, name in enumerate(names)}
    first = next(source.read(names, in_pieces=True), None)
    columns = [] if first is None else first.slice(0, ROWS).columns
    return {name: cells.chunks for name, cells in zip(names, columns, strict=False) if cells.num_chunks}


def _masked(cell: str | None) -> str | None:
    return cell if cell is None else masked(cell)


def masked(cell: str) -> str:
    """The shape of a cell: capital letters are X, small ones x, others ○, digits 9; signs between them stay.

    >>> masked("Ann Lee"), masked("2024-03-31"), masked("王小明"), masked("+")
    ('Xxx Xxx', '9999-99-99', '○○○', '·')
    """
    if cell == SUPPRESSED:
        return cell
    plain = unicodedata.normalize("NFKC", cell)[: LONGEST + 1]
    stays = {found.start() for found in OF_DATES.finditer(re.sub(r"\d", "9", plain))}
    shape = "".join(sign if place in stays else _shape(sign) for place, sign in enumerate(plain))
    if not any(sign in "Xx9○" for sign in shape):  # a sign alone may be all that there is to know: + or -
        shape = OTHER * len(shape)
    return shape if len(shape) <= LONGEST else f"{shape[:LONGEST]}…"


def _shape(sign: str) -> str:
    if sign in SIGNS:
        return sign
    kind = unicodedata.category(sign)
    return SHAPES.get(kind, WIDE if kind.startswith("L") else OTHER)
