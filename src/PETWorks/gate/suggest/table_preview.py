"""A preview of a table before anything is decided about it: its format, and its first cells, masked."""

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from PETWorks.counting.codes import Encoder
from PETWorks.errors import Phrase
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.formats.csv import CSV, dictionary_array
from PETWorks.tables.headers import count_suspicious_names, has_header_line, looks_like_data
from PETWorks.tables.opening import open_one, open_source
from PETWorks.tables.source import Source

SAMPLE_ROWS = 4
MAX_COLUMNS = 150  # of the sample
LONGEST = 24  # characters shown of a cell
SHAPES = {"Lu": "X", "Lt": "X", "Ll": "x", "Nd": "9", "Nl": "9", "No": "9", "Zs": " "}
WIDE = "○"  # a common Chinese character, or a letter of another script; names are masked like this in Taiwan
RARE, ACCENTED, BROKEN = "◇", "é", "�"  # what text in a wrong encoding has: rare characters, accents, no character
SCRIPTS = {"HIRAGANA": "あ", "KATAKANA": "あ", "HANGUL": "한", "CYRILLIC": "я", "GREEK": "ω", "LATIN": ACCENTED}
COMMON = {"big5": (0xA4, 0xC6), "gb2312": (0xB0, 0xD7), "shift_jis": (0x88, 0x97)}  # first bytes of common characters
GARBLED = 0.4  # share of odd signs among the letters of a column
OTHER = "·"
KEPT_PUNCTUATION = "-/.:,@()+_%#'&$£€¥"
DATE_MARKERS = re.compile("(?<=9)[年月日]")  # kept after a digit


@dataclass(frozen=True)
class Preview:
    """The preview of a table before it is opened.

    sample        the first columns with their first cells, masked; None for a missing cell
    has_no_names  whether the first line of the file looks like data; such names are masked too
    garbled       columns whose text seems to be read in a wrong encoding
    """

    format: str
    encoding: str | None
    separator: str | None
    columns: int
    records: int | None
    sample: list[tuple[str, list[str | None]]]
    has_no_names: bool
    garbled: list[str]


def preview(path: Path, separator: str | None = None, encoding: str | None = None) -> Preview:
    """Return a preview of a table; only its beginning is read."""
    source = open_source(open_one(path, separator, encoding), Phrase("the table"))
    has_no_names = has_header_line(source) and 2 * count_suspicious_names(source) >= len(source.names)
    sample: list[tuple[str, list[str | None]]] = []
    garbled: list[str] = []
    for name, cells in _sample(source):
        shape = mask(name)
        shown = shape if has_no_names or looks_like_data(name) else name
        sample.append((shown, cells))
        if looks_garbled([shape, *filter(None, cells)]):
            garbled.append(shown)
    return Preview(
        source.kind, source.encoding, source.separator, len(source.names), source.rows, sample, has_no_names, garbled
    )


def looks_garbled(shapes: Iterable[str]) -> bool:
    """Whether masked texts have so many odd signs that they were probably read in a wrong encoding."""
    signs = "".join(shapes)
    odd = sum(signs.count(sign) for sign in (RARE, ACCENTED, BROKEN))
    letters = odd + sum(signs.count(sign) for sign in ("X", "x", WIDE))
    return odd > max(2, GARBLED * letters)


def _sample(source: Source) -> list[tuple[str, list[str | None]]]:
    sample = []
    for name, pieces in _beginning(source, tuple(source.names[:MAX_COLUMNS])).items():
        encoder = Encoder(spaced_quotes=source.separator is not None)
        for piece in pieces:
            encoder.add(piece)
        column = encoder.finish()
        cells = [column.values[code] for code in column.codes.tolist()]
        sample.append((name, [cell if cell is None else mask(cell) for cell in cells]))
    return sample


def _beginning(source: Source, names: tuple[str, ...]) -> dict[str, list[Any]]:
    """The first records of each column, as Arrow arrays; of a CSV file only its first lines are read if complete."""
    rows = source.beginning(SAMPLE_ROWS) if isinstance(source, CSV) else []
    if rows and all(len(row) == len(source.names) for row in rows):
        return {name: [dictionary_array([row[index] for row in rows])] for index, name in enumerate(names)}
    first = next(source.read(names, in_pieces=True), None)
    columns = [] if first is None else first.slice(0, SAMPLE_ROWS).columns
    return {name: cells.chunks for name, cells in zip(names, columns, strict=False) if cells.num_chunks}


def mask(cell: str) -> str:
    """Replace letters by signs for their kind and script, digits by 9; punctuation stays.

    >>> mask("Ann Lee"), mask("2024-03-31"), mask("王小明"), mask("£1,234.50"), mask("+")
    ('Xxx Xxx', '9999-99-99', '○○○', '£9,999.99', '·')
    >>> BROKEN in mask("王小明".encode().decode("latin-1"))
    True
    """
    if cell == SUPPRESSED:
        return cell
    plain = unicodedata.normalize("NFKC", cell)[: LONGEST + 1]
    stays = {found.start() for found in DATE_MARKERS.finditer(re.sub(r"\d", "9", plain))}
    shape = "".join(sign if index in stays else _shape(sign) for index, sign in enumerate(plain))
    if not any(
        sign in "Xx9" or sign == BROKEN or sign.isalpha() or sign in (WIDE, RARE) for sign in shape
    ):  # a single sign such as + or - may be the whole information
        shape = OTHER * len(shape)
    return shape if len(shape) <= LONGEST else f"{shape[:LONGEST]}…"


def _shape(sign: str) -> str:
    if sign in KEPT_PUNCTUATION:
        return sign
    kind = unicodedata.category(sign)
    if kind in ("Cc", "Co", "Cn") or sign == BROKEN:
        return BROKEN
    if sign.isascii() or not kind.startswith("L"):
        return SHAPES.get(kind, OTHER)
    script = unicodedata.name(sign, "").partition(" ")[0]
    return (WIDE if _is_common(sign) else RARE) if script == "CJK" else SCRIPTS.get(script, WIDE)


@cache
def _is_common(sign: str) -> bool:
    """Whether a Chinese character is among the common ones of a usual encoding."""
    for codec, (first, last) in COMMON.items():
        with suppress(UnicodeEncodeError):
            if first <= sign.encode(codec)[0] <= last:
                return True
    return False
