"""Content of an Excel workbook besides a plain table: everything that plain exports do not have.

A workbook has too many places for texts and marks to look for each: headers, prompts, scenarios, formulas, phonetic
texts, formats. So the parts, elements and values that a plain export has are listed here, and all else counts. The rows
of the sheet are compared byte by byte: they may differ in their numbers and values only, and cells with the same judged
value must have the same bytes. Nothing of it leaves this module but numbers.
"""

import re
import zipfile
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any
from xml.parsers import expat

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError
from PETWorks.tables.arrays import Integers, numpy_integers
from PETWorks.tables.cells import count_unusual
from PETWorks.tables.formats.text_tables import TextTable
from PETWorks.tables.formats.workbooks import column_index, reading_parts
from PETWorks.tables.normalised_cells import normalise_texts

# The kinds of content.
COMMENTS, LINKS, NAMES, PIVOTS, PICTURES = "comments", "links", "defined names", "pivot tables", "pictures or charts"
PROPERTIES, AUTHOR, ELEMENTS, FORMULAS, FORMATS, SPELLINGS, UNUSED = (
    "document properties",
    "author",
    "further elements",
    "formulas",
    "formats of single cells or rows",
    "cells that keep the same value in another way",
    "values that no record has",
)
# What the formats of single rows and cells differ in.
HEIGHTS, HIDDEN, NUMBER_FORMATS, FONTS, FILLS, BORDERS, ALIGNMENTS = OF_FORMATS = (
    *("row heights", "hidden rows", "number formats", "fonts", "fills", "borders", "alignments"),
)

BLOCK = 1 << 20
LONGEST_ROW = 1 << 26  # bytes of XML
CORE, CUSTOM, APP, BOOK, STYLES, STRINGS = (
    "docProps/core.xml",
    "docProps/custom.xml",
    "docProps/app.xml",
    "xl/workbook.xml",
    "xl/styles.xml",
    "xl/sharedStrings.xml",
)
TYPES, LABELS = "[Content_Types].xml", "docMetadata/LabelInfo.xml"
RELATIONS, THEME, SHEET, TABLE = ".rels", "xl/theme/", "xl/worksheets/", "xl/tables/"
HEADERS = {"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"}
EXTENSIONS = {"AlternateContent", "Choice", "extLst", "ext"}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The elements of each part that an export may have.
ALLOWED: Mapping[str, Collection[str]] = {
    TYPES: {"Types", "Default", "Override"},
    RELATIONS: {"Relationships", "Relationship"},
    CORE: _words(
        "coreProperties creator lastModifiedBy created modified lastPrinted revision version title subject description "
        "keywords category language identifier contentStatus"
    ),
    CUSTOM: {"Properties"},
    APP: _words(
        "Properties Template TotalTime Application DocSecurity ScaleCrop HeadingPairs vector variant lpstr i4 Company "
        "TitlesOfParts Manager LinksUpToDate SharedDoc HyperlinkBase HyperlinksChanged AppVersion Pages Words "
        "Characters Lines Paragraphs"
    ),
    LABELS: {"labelList", "label", *EXTENSIONS},
    BOOK: {
        *_words("workbook fileVersion workbookPr bookViews workbookView sheets sheet definedNames definedName calcPr"),
        *_words("workbookProtection revisionPtr calcFeatures feature fileRecoveryPr extCalcPr"),
        *EXTENSIONS,
    },
    STYLES: {
        *_words("styleSheet numFmts numFmt fonts font b i u strike sz color name family charset scheme vertAlign"),
        *_words("outline shadow condense extend fills fill patternFill fgColor bgColor gradientFill stop borders"),
        *_words("border left right top bottom diagonal vertical horizontal start end cellStyleXfs cellXfs xf"),
        *_words("alignment protection cellStyles cellStyle dxfs dxf tableStyles colors indexedColors mruColors"),
        *("rgbColor", "slicerStyles", "timelineStyles", *EXTENSIONS),
    },
    STRINGS: {"sst", "si", "t", "phoneticPr"},
    SHEET: {
        *_words("worksheet sheetPr tabColor outlinePr pageSetUpPr dimension sheetViews sheetView pane selection"),
        *_words("sheetFormatPr cols col sheetData autoFilter printOptions pageMargins pageSetup headerFooter"),
        *("phoneticPr", "ignoredErrors", "ignoredError", "tableParts", "tablePart", *HEADERS),
    },
    TABLE: {"table", "autoFilter", "tableColumns", "tableColumn", "tableStyleInfo"},
}
# Elements that are something else than a further one.
KINDS = {
    **dict.fromkeys(("f",), FORMULAS),
    **dict.fromkeys(("r", "rPr"), FORMATS),  # of single signs
    **dict.fromkeys(("hyperlink", "externalReference", "externalReferences"), LINKS),
    **dict.fromkeys(("absPath", "fileSharing"), PROPERTIES),
    **dict.fromkeys(("pivotCaches",), PIVOTS),
    **dict.fromkeys(("picture",), PICTURES),
}
# Elements that come with one of those or with a part, and count with it.
WITHIN = {"hyperlinks", "externalReferences", "rPr", "rFont", "pivotCache", "drawing", "legacyDrawing"}
WITHIN |= {"b", "i", "u", "sz", "color", "family", "charset", "scheme"}
# How often an element of a sheet may occur, if more than once; columns have one each, and few more.
OFTEN = {"selection": 4}
OF_COLUMNS, MORE_COLUMNS = {"col", "ignoredError"}, 16
# The parents of the elements of shared texts.
PARENTS = {"sst": "", "si": "sst", "t": "si", "phoneticPr": "si"}

# Values of attributes that say nothing: numbers, signs of the format, places of cells, colours, made-up identifiers.
_PLAIN = re.compile(
    r"|[+-]?\d{1,7}(\.\d{1,20})?([eE][+-]?\d{1,3})?|[a-z][A-Za-z0-9]{0,31}|TRUE|FALSE|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8}"
    r"|\$?[A-Z]{1,3}\$?\d{1,7}(:\$?[A-Z]{1,3}\$?\d{1,7})?|[A-Z]{1,3}:[A-Z]{1,3}|\d{1,5}:\d{1,5}|rId\d{1,6}|\d{1,3}%"
    r"|(x[a-z0-9]{0,6}|mv)( (x[a-z0-9]{0,6}|mv)){0,12}"
    r"|(\d{1,2}_)?(ncr:\d{1,6}_)?\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
)
# The names of parts that exports number.
_PART_NAME = re.compile(
    r"_rels/\.rels|xl/_rels/workbook\.xml\.rels|xl/worksheets/_rels/[Ss]heet\d{0,4}\.xml\.rels"
    r"|xl/tables/table\d{0,4}\.xml|xl/theme/theme\d{0,2}\.xml"
)
_ADDRESS = re.compile(
    r"(https?://(schemas\.openxmlformats\.org|schemas\.microsoft\.com|purl\.org|purl\.oclc\.org|www\.w3\.org"
    r"|schemas\.libreoffice\.org)/|urn:oasis:)"
    r"[A-Za-z0-9/._:#-]{0,120}"
)
_WORD = re.compile(r"[^\d@]{0,60}\d{0,4}[^\d@]{0,20}")  # a name of a font, a style, a program; no number of a person
_FORMAT = re.compile(r'(?:"[^"]{0,8}"|\[[^\]]{1,24}\]|[^"\[\]]){0,200}')
_VERSION = re.compile(r"[\w .,/+()~$-]{0,90}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]{5,16}(Z|[+-]\d\d:\d\d)?|")
_MOMENT_TYPE = re.compile("dcterms:W3CDTF")
_MACRO_NAME = re.compile(r"(ThisWorkbook|Sheet|工作表|Tabelle|Feuil|Hoja)\d{0,3}|")
_HEADER_CODE = re.compile(r'&"[^"&\d]{0,40}"|&\d{1,3}|&[A-Z]|[\s:,/.-]')
_OWN_NAME = re.compile(r"_xlnm\.(_FilterDatabase|Print_Area|Print_Titles)")
_RANGE = re.compile(r"('[^'!]*'|[^'!]*)!\$?[A-Z]{0,3}\$?\d{0,7}(:\$?[A-Z]{0,3}\$?\d{0,7})?")
# The XML of rows, in which @ stands for the prefix of names. Repetitions are limited, so that no file takes long.
_ATTRIBUTE = rb"""\s{1,64}+[\w:]{1,40}+\s{0,9}+=\s{0,9}+(?:"[^"<>&]*+"|'[^'<>&]*+')"""
_SPACE = rb"""\s{1,64}+xml:space\s{0,9}+=\s{0,9}+(?:"preserve"|'preserve')"""
_ROW = rb"\s{0,64}+<@row(?:%b){0,24}\s{0,64}+(/?)>" % _ATTRIBUTE
_ROW_END = rb"</@row\s{0,64}+>"
_ROWS_START = re.compile(rb"<((?:\w{1,40}:)?)sheetData\s{0,64}+(/?)>")
_CONTENT_END = rb"\s{0,64}+</@c\s{0,64}+>"
_CELL = (
    rb"(\s{0,64}+<@c(?:#){0,6}?\s{1,64}+r\s{0,9}+=\s{0,9}+[\"'])([A-Z]{1,3}+)([1-9]\d{0,6}+)(?:([\"'](?:#){0,6}+\s{0,64}+"
    rb"(?:/>|>(?:\s{0,64}+<@v\s{0,9}+/>|\s{0,64}+<@is>\s{0,64}+<@t(?:~)?\s{0,9}+/>\s{0,64}+</@is>)?!))"
    rb"|([\"'](?:#){0,6}+\s{0,64}+>\s{0,64}+(?:<@v(?:~)?>|<@is>\s{0,64}+<@t(?:~)?>))([^<]*+)"
    rb"(</@[vt]>(?:\s{0,64}+</@is>)?!))"
)
_BARE_CELL = _CELL.replace(
    rb"(?:#){0,6}?\s{1,64}+r\s{0,9}+=\s{0,9}+[\"'])([A-Z]{1,3}+)([1-9]\d{0,6}+)", b")()()"
).replace(rb"[\"'](?:#)", b"(?:#)")
_NAMED = re.compile(rb"""\s([\w:]+)\s*=\s*["']([^"']*)["']""")
_NUMBER_OF_ROW = re.compile(rb"""(\sr\s{0,9}=\s{0,9}["'])([1-9]\d{0,6})(?=["'])""")
_SPANS = re.compile(rb"""(\sspans\s{0,9}=\s{0,9}["'])([^"']*)(?=["'])""")
_SPACES = re.compile(_SPACE)
_INDEX = re.compile(rb"0|[1-9]\d{0,4}")
_SIZE = re.compile(rb"[\w.-]{0,20}")
OF_ROWS = {
    *(b"r", b"spans", b"s", b"customFormat", b"ht", b"hidden", b"customHeight", b"outlineLevel", b"collapsed"),
    *(b"thickTop", b"thickBot", b"ph", b"dyDescent"),
}
SPAN_ROWS = 16  # Excel writes the same spans for blocks of this many rows
MAX_DIGITS = 17  # of a number
# The values of cells by their type.
_TEXT = re.compile(rb"(?:[^<&]|&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)*+")
_VALUES = {
    b"s": re.compile(rb"0|[1-9]\d{0,8}"),
    b"n": re.compile(rb"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d{1,3})?"),
    b"b": re.compile(rb"[01]|true|false"),
    b"d": re.compile(rb"[\dT:.Z+-]{1,40}"),
    b"e": re.compile(rb"#[A-Z0-9/!?_]{1,30}"),
    b"str": _TEXT,
    b"inlineStr": _TEXT,
}
# Attributes with words, by their element.
WORDS = {
    **dict.fromkeys((("font", "name"), ("name", "val"), ("cellStyle", "name"), ("dxf", "uniqueName")), _WORD),
    **dict.fromkeys((("table", "name"), ("table", "displayName"), ("tableStyleInfo", "name")), _WORD),
    **dict.fromkeys((("tableStyles", "defaultTableStyle"), ("tableStyles", "defaultPivotStyle")), _WORD),
    **dict.fromkeys((("slicerStyles", "defaultSlicerStyle"), ("timelineStyles", "defaultTimelineStyle")), _WORD),
    **dict.fromkeys((("fileVersion", "appName"), ("fileVersion", "rupBuild"), ("feature", "name")), _VERSION),
    **dict.fromkeys((("Default", "ContentType"), ("Override", "ContentType")), _VERSION),
    **dict.fromkeys((("workbookPr", "codeName"), ("sheetPr", "codeName")), _MACRO_NAME),
    **dict.fromkeys((("sheet", "name"), ("definedName", "name"), ("tableColumn", "name")), re.compile("(?s).*")),
    ("numFmt", "formatCode"): _FORMAT,
    ("extCalcPr", "stringRefSyntax"): re.compile("ExcelA1|CalcA1|ExcelR1C1"),
    ("Default", "Extension"): re.compile("[a-z]{1,8}"),
    ("Relationship", "Id"): re.compile(r"[A-Za-z]{1,8}[0-9A-Fa-f]{0,32}"),
}
# Authors that are programs, which write themselves in.
_PROGRAM = re.compile(
    "openpyxl|pyexcelerate|xlsxwriter|libxlsxwriter|writexl|apache poi|excelize|sheetjs|epplus|closedxml"
    "|microsoft office user",
    re.IGNORECASE,
)
NUMBERS = _words("TotalTime DocSecurity i4 AppVersion Pages Words Characters Lines Paragraphs revision")
FLAGS = {"ScaleCrop", "LinksUpToDate", "SharedDoc", "HyperlinksChanged"}


def count_besides_table(path: Path, sheet: str | None, table: TextTable) -> Counter[str]:
    """Count the content in the usual parts of a workbook besides the judged cells of a sheet, by kind.

    sheet   the part that has the sheet; None if there are several, which fail by themselves
    table   the table that is judged
    """
    found: Counter[str] = Counter()
    with reading_parts(path), zipfile.ZipFile(path) as archive:
        parts = set(archive.namelist())
        strings, styles = _Strings(), list[Style]()
        rows = _Rows(styles)
        titles: set[str] = set()
        for part in sorted(parts, key=lambda name: (name != BOOK, name)):
            usual = _usual_content(part, sheet)
            if usual is None:
                continue
            reader = _PartReader(part, usual, parts, table.names, titles, strings, rows, styles)
            with archive.open(part) as file:
                reader.read(file)
            found += reader.found
    found += strings.found
    if sheet is not None:
        found += rows.compare(table)
        found[UNUSED] += 0 if rows.lost else strings.number - sum(text < strings.number for text in rows.used_strings)
    return +found


def is_examined(part: str) -> bool:
    """Whether a part other than a sheet is one that exports have, and is compared with the list of its content."""
    return not part.startswith(SHEET + "sheet") and _usual_content(part, None) is not None


def _usual_content(part: str, sheet: str | None) -> str | None:
    """The key in `ALLOWED` of what a part usually has; None if the whole part counts as further content."""
    if part.endswith(RELATIONS):
        return RELATIONS if _PART_NAME.fullmatch(part) else None
    if part.startswith(THEME):
        return THEME if _PART_NAME.fullmatch(part) else None
    if part.startswith(TABLE):
        return TABLE if _PART_NAME.fullmatch(part) else None
    return SHEET if part == sheet else part if part in ALLOWED else None


class _Strings:
    """The texts that cells share: each is one text, and nothing else."""

    def __init__(self) -> None:
        self.number = 0
        self.found: Counter[str] = Counter()
        self._texts = 0
        self._phonetic: Counter[frozenset[tuple[str, str]]] = Counter()

    def start(self, tag: str, parent: str, attributes: Mapping[str, str]) -> None:
        self.found[ELEMENTS] += PARENTS.get(tag, parent) != parent
        if tag == "si":
            self.number += 1
            self._texts = 0
        elif tag == "t":
            self._texts += 1
            self.found[ELEMENTS] += self._texts > 1
        elif tag == "phoneticPr":
            own = frozenset(attributes.items())
            self._phonetic[own] += 1
            self.found[ELEMENTS] += own not in list(self._phonetic)[:1]


Style = dict[str, str]  # the properties of a format, by kind
STYLE_ATTRIBUTES = {"numFmtId": NUMBER_FORMATS, "fontId": FONTS, "fillId": FILLS, "borderId": BORDERS}
ROW_ATTRIBUTES = {
    **dict.fromkeys((b"ht", b"customHeight", b"dyDescent", b"thickTop", b"thickBot"), HEIGHTS),
    **dict.fromkeys((b"hidden", b"collapsed", b"outlineLevel"), HIDDEN),
}

ABSENT = 0  # the code of a cell that is not in the file


class _Rows:
    """The rows of a sheet, byte by byte.

    A cell consists of its place, its value, and the bytes around them, its template. All cells of a column that have
    the same kind of value must have the same template, and all cells with the same judged value the same value in the
    file. The tags of all rows of records must be the same but for their numbers. Templates and tags may alternate with
    the rows, as the colours of striped tables do: that tells no more than the place of a record.

    styles   the formats of cells by their number, known when the rows are compared
    lost   whether the rows cannot be told apart, because there is something else between them
    """

    def __init__(self, styles: Sequence[Style]) -> None:
        self._styles = styles
        self._style_of_base: dict[int, int] = {ABSENT: -1}
        self.used_strings: set[int] = set()
        self.lost, self.finished, self.started = False, False, False
        self._found: Counter[str] = Counter()
        self._prefix, self._row_end_sign = b"", b""
        self._number = 0
        self._numbers, self._tags, self._spans = array("q"), array("q"), array("q")
        self._first, self._last = array("q"), array("q")
        self._tag_codes: dict[tuple[bytes, ...], int] = {}
        self._span_codes: dict[bytes, int] = {}
        self._broken: set[int] = set()
        self._places: dict[bytes, int] = {}
        self._templates: dict[tuple[bytes, ...], _Template | None] = {}
        self._bases: dict[tuple[bytes, ...], int] = {}
        self._columns: dict[int, _Column] = {}

    def start(self, prefix: bytes, *, is_empty: bool) -> None:
        """Begin with the names that have this prefix."""
        self.started, self.finished = True, is_empty

        def compiled(pattern: bytes) -> re.Pattern[bytes]:
            pattern = pattern.replace(b"!", _CONTENT_END).replace(b"~", _SPACE).replace(b"#", _ATTRIBUTE)
            return re.compile(pattern.replace(b"@", re.escape(prefix)))

        self._prefix = prefix
        self._row, self._row_end, self._cell, self._bare_cell = map(compiled, (_ROW, _ROW_END, _CELL, _BARE_CELL))
        self._end = compiled(rb"\s*+(?=</@sheetData[\s>])")
        self._formula, self._rich = compiled(rb"<@f[\s/>]"), compiled(rb"<@r[\s/>]")
        self._row_end_sign, self._end_sign = b"</" + prefix + b"row", b"</" + prefix + b"sheetData"

    def take(self, text: bytes) -> bytes:
        """Examine the rows at the start of some bytes, and return the others: those of the next row, or all behind."""
        place = 0
        while not self.lost and (tag := self._row.match(text, place)):
            if tag[1]:
                self._add(tag[0], b"", b"")
                place = tag.end()
                continue
            end = text.find(self._row_end_sign, tag.end())
            closing = self._row_end.match(text, end) if end >= 0 else None
            if closing is None:
                break
            self._add(tag[0], text[tag.end() : end], closing[0])
            place = closing.end()
        rest = text[place:]
        if not self.lost and (end_of_rows := self._end.match(rest)):
            self.finished = True
            return rest[end_of_rows.end() :]
        if not self.lost and (len(rest) > LONGEST_ROW or (b">" in rest and not self._row.match(rest))):
            self.lost = True
            self._count_others(rest)
        if self.lost:
            end = rest.find(self._end_sign)
            self.finished = end >= 0
            return rest[end if end >= 0 else max(len(rest) - len(self._end_sign), 0) :]
        return rest

    def _count_others(self, text: bytes) -> None:
        """Count everything except plain cells."""
        kinds = {
            FORMULAS: len(self._formula.findall(text)),
            COMMENTS: text.count(b"<!--"),
            FORMATS: len(self._rich.findall(text)),
        }
        self._found.update(kinds if any(kinds.values()) else {ELEMENTS: 1})

    def _add(self, tag: bytes, body: bytes, end: bytes) -> None:
        named = _NUMBER_OF_ROW.search(tag)
        number = int(named[2]) if named else self._number + 1
        if number <= self._number:  # a row that stands twice
            self._found[ELEMENTS] += 1
            self._broken.add(number)
            return
        self._number = number
        plain = body.rstrip(b" \t\r\n")
        common = tag[: named.start(2)] + tag[named.end(2) :] if named else tag
        spans = _SPANS.search(common)
        if spans:
            common = common[: spans.start(2)] + common[spans.end(2) :]
        template = (common, body[len(plain) :], end)
        if template not in self._tag_codes:
            self._tag_codes[template] = len(self._tag_codes)
            if not _is_plain_tag(tag):
                self._found[ELEMENTS] += 1
        first, last = self._add_cells(number, named[2] if named else b"%d" % number, plain)
        self._numbers.append(number)
        self._tags.append(self._tag_codes[template])
        self._spans.append(self._span_codes.setdefault(spans[2] if spans else b"", len(self._span_codes)))
        self._first.append(first)
        self._last.append(last)

    def _add_cells(self, row: int, digits: bytes, body: bytes) -> tuple[int, int]:
        """Examine the cells of a row; the first and the last place, from 0, or -1."""
        cells = self._cell.findall(body)
        if len(b"".join(chain.from_iterable(cells))) != len(body):
            cells = self._bare_cell.findall(body)
            if len(b"".join(chain.from_iterable(cells))) != len(body):
                self._broken.add(row)
                self._count_others(body)
                return -1, -1
        first = last = -1
        is_plain = True
        for start, letters, number, closed, opened, value, end in cells:
            key = (start, closed, opened, end)
            template = self._templates[key] if key in self._templates else self._add_template(key)
            place = self._places.get(letters)
            if place is None:
                place = self._places[letters] = column_index(letters) if letters else -1
            if not letters:
                place, number = last + 1, digits
            if template is None or number != digits or place <= last:
                is_plain = False
                continue
            column = self._columns.get(place)
            if column is None:
                column = self._columns[place] = _Column()
            code = column.codes.get((template, value))
            if code is None:
                code = column.add(template, value)
                if template.type == b"s" and code > 0:
                    self.used_strings.add(int(value))
            if code < 0:
                is_plain = False
                continue
            column.rows.append(row)
            column.cells.append(code)
            first, last = place if first < 0 else first, place
        if not is_plain:
            self._broken.add(row)
            self._found[ELEMENTS] += 1
        return first, last

    def _add_template(self, key: tuple[bytes, ...]) -> "_Template | None":
        """Keep the template of cells with these bytes around their place and value; None if exports have none such."""
        start, closed, opened, end = key
        attributes = _NAMED.findall(start + b"A1" + (closed or opened).partition(b">")[0])
        template = None
        if self._is_usual(key, attributes):
            own = dict(attributes)
            without_blanks = (start, _SPACES.sub(b"", closed), _SPACES.sub(b"", opened), end)
            base = self._bases.setdefault(without_blanks, len(self._bases) + 1)
            self._style_of_base[base] = int(own.get(b"s", b"0"))
            template = _Template(base, own.get(b"t", b"n"), bool(opened), without_blanks != key)
        self._templates[key] = template
        return template

    def _is_usual(self, key: tuple[bytes, ...], attributes: list[tuple[bytes, bytes]]) -> bool:
        """Whether exports have cells of this template."""
        start, closed, opened, end = key
        own = dict(attributes)
        kind = own.get(b"t", b"n")
        if not own.keys() <= {b"r", b"s", b"t"} or len(own) != len(attributes):
            return False
        if _INDEX.fullmatch(own.get(b"s", b"0")) is None or kind not in _VALUES:
            return False
        ends_in_quote = start.endswith((b'"', b"'"))  # of the attribute with its position
        if ends_in_quote != (b"r" in own):
            return False
        if ends_in_quote and not (own[b"r"] == b"A1" and (closed or opened).startswith(start[-1:])):
            return False
        is_inline = b"is>" in (opened or closed)
        if opened:
            return is_inline == (kind == b"inlineStr") == (b"is>" in end) == end.startswith(b"</" + self._prefix + b"t")
        return b"<" not in closed[:-1] or is_inline == (kind == b"inlineStr") or closed.count(b"<") == 1

    def compare(self, table: TextTable) -> Counter[str]:
        """Count the content of the rows besides the judged values, by kind."""
        found = self._found
        if self.lost:
            return found
        header, records = table.corner[0] + 1, int(table.rows or 0)
        numbers = np.frombuffer(self._numbers, np.int64)
        is_plain = np.ones(records, np.bool_)
        broken = np.fromiter(self._broken, np.int64, len(self._broken)) - header - 1
        is_plain[broken[(broken >= 0) & (broken < records)]] = False
        inside = (numbers > header) & (numbers <= header + records)
        kept = np.flatnonzero(inside)
        kept = kept[is_plain[numbers[kept] - header - 1]]
        tags = np.full(records, -1, np.int64)
        tags[numbers[kept] - header - 1] = np.frombuffer(self._tags, np.int64)[kept]
        stripes = np.arange(records)[is_plain] % 2
        found += _count_unusual_formats(stripes, tags[is_plain] + 1, [{}, *map(self._format_of_tag, self._tag_codes)])
        found[FORMATS] += self._count_unusual_spans(kept)
        outside = numbers[~inside & (numbers != header)]
        found[ELEMENTS] += _count_gaps(outside, header, header + records)
        rest: dict[int, list[tuple[int, int]]] = {}
        is_outside = set(outside.tolist())
        for number, tag in zip(self._numbers, self._tags, strict=True) if is_outside else ():
            if number in is_outside:
                rest[number] = [(-1, tag)]
        beside: list[tuple[int, int]] = []
        first, width = table.corner[1], len(table.names)
        for place, column in sorted(self._columns.items()):
            rows, cells = np.frombuffer(column.rows, np.int64), np.frombuffer(column.cells, np.int64)
            for row, cell in zip(
                *(_of_rows(rows, cells, ~((rows >= header) & (rows <= header + records)))), strict=True
            ):
                rest.setdefault(row, []).append((place, cell))
            judged = None
            if first <= place < first + width:
                judged = _judged_codes(table, table.names[place - first])
            else:
                beside += [(place, column.templates[cell]) for cell in cells[rows == header].tolist()]
            own = (rows > header) & (rows <= header + records)
            codes = np.full(records, ABSENT, np.int64)
            codes[rows[own] - header - 1] = cells[own]
            found += column.compare(codes[is_plain], None if judged is None else judged[is_plain])
            templates, kinds = column.of_cells(codes[is_plain])
            found += _count_unusual_formats(kinds * 2 + stripes, templates, self._formats_of_bases())
        found[FORMATS] += count_unusual(Counter(map(tuple, rest.values())))
        found[ELEMENTS] += len({template for _, template in beside}) > 1 or not _are_consecutive(
            [place for place, _ in beside]
        )
        return found

    def _format_of_tag(self, template: tuple[bytes, ...]) -> Style:
        """The format of a row, from the template of its tag."""
        own = {name.rpartition(b":")[2]: value for name, value in _NAMED.findall(template[0])}
        said: Style = {}
        for name, value in own.items():
            kind = ROW_ATTRIBUTES.get(name)
            if kind is not None and value not in (b"0", b"false"):
                said[kind] = f"{said.get(kind, '')} {name!r}={value!r}"
        if own.get(b"customFormat") in (b"1", b"true"):
            said |= self._style(int(own.get(b"s", b"0")) if own.get(b"s", b"0").isdigit() else -1)
        return said

    def _formats_of_bases(self) -> list[Style]:
        """The format of cells, for each number of a template."""
        return [self._style(self._style_of_base[base]) for base in range(len(self._bases) + 1)]

    def _style(self, number: int) -> Style:
        return self._styles[number] if 0 <= number < len(self._styles) else {}

    def _count_unusual_spans(self, kept: Integers) -> int:
        """The number of rows with unusual spans: neither the same in all, nor those of their cells or their block."""
        if len(self._span_codes) < 2 or not len(kept):
            return 0
        spans, numbers = np.frombuffer(self._spans, np.int64), np.frombuffer(self._numbers, np.int64)
        first, last = np.frombuffer(self._first, np.int64) + 1, np.frombuffer(self._last, np.int64) + 1
        starts = np.flatnonzero(np.diff((numbers - 1) // SPAN_ROWS, prepend=-1))
        sizes = np.diff(starts, append=len(numbers))
        least = np.repeat(np.minimum.reduceat(np.where(first > 0, first, np.iinfo(np.int64).max), starts), sizes)
        most = np.repeat(np.maximum.reduceat(last, starts), sizes)
        others = [len(kept) - int(np.bincount(spans[kept]).max())]
        for low, high in ((first, last), (least, most)):
            pairs, places = np.unique(np.stack([low[kept], high[kept]]), axis=1, return_inverse=True)
            expected = np.array([self._span_codes.get(b"%d:%d" % (a, b), -1) for a, b in pairs.T.tolist()])
            others.append(int(np.count_nonzero(spans[kept] != expected[places.ravel()])))
        return min(others)


class _Template:
    """The bytes of cells around their place and value.

    base        its number, the same whether blanks of the text are kept or not, as depends on the text
    type        the type of the cell
    has_value   whether the cell has a value
    keeps       whether it says that blanks are kept
    """

    def __init__(self, base: int, kind: bytes, has_value: bool, keeps: bool) -> None:
        self.base, self.type, self.has_value, self.keeps = base, kind, has_value, keeps
        self.kind = "" if not has_value else "text" if kind in (b"s", b"str", b"inlineStr") else kind.decode()


KINDS_OF_VALUES = ("", "text", "n", "b", "d", "e")


class _Column:
    """The cells of a column by row, as codes of template and value."""

    def __init__(self) -> None:
        self.rows, self.cells = array("q"), array("q")
        self.codes: dict[tuple[_Template, bytes], int] = {}
        self.templates, self._kinds, self._values = array("q", [0]), array("q", [0]), array("q", [0])
        self._value_codes: dict[tuple[bytes, bytes, bool], int] = {}

    def add(self, template: _Template, value: bytes) -> int:
        """The code of a new cell; negative if its value is not one that exports have."""
        if template.has_value and not _is_plain_value(template.type, value):
            self.codes[template, value] = -1
            return -1
        code = self.codes[template, value] = len(self.templates)
        own = 0
        if template.has_value:
            own = self._value_codes.setdefault((template.type, value, template.keeps), len(self._value_codes) + 1)
        self.templates.append(template.base)
        self._kinds.append(KINDS_OF_VALUES.index(template.kind))
        self._values.append(own)
        return code

    def of_cells(self, codes: Integers) -> tuple[Integers, Integers]:
        """The templates and the kinds of the values of cells."""
        return np.frombuffer(self.templates, np.int64)[codes], np.frombuffer(self._kinds, np.int64)[codes]

    def compare(self, codes: Integers, judged: Integers | None) -> Counter[str]:
        """Count differences between records besides their judged values; these are None for a column without a name."""
        values = np.frombuffer(self._values, np.int64)[codes]
        found: Counter[str] = Counter()
        if judged is None:
            found[ELEMENTS] += int(np.count_nonzero(values))
        else:
            found[ELEMENTS] += int(np.count_nonzero((judged >= 0) & (values == 0)))
            found[SPELLINGS] += _count_unusual(judged + 1, values)
        return found


def _is_plain_tag(tag: bytes) -> bool:
    """Whether the tag of a row has only what exports write."""
    attributes = _NAMED.findall(tag)
    names = [name.rpartition(b":")[2] for name, _ in attributes]
    own = dict(zip(names, (value for _, value in attributes), strict=True))
    return (
        own.keys() <= OF_ROWS
        and len(own) == len(attributes)
        and (b"r" not in own or _NUMBER_OF_ROW.search(tag) is not None)
        and all(name == b"spans" or _SIZE.fullmatch(value) for name, value in own.items())
    )


def _is_plain_value(kind: bytes, value: bytes) -> bool:
    if _VALUES[kind].fullmatch(value) is None:
        return False
    if kind == b"n":
        digits = re.split(rb"[eE]", value)[0].translate(None, b"-.").lstrip(b"0")
        return len(digits) <= MAX_DIGITS
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _judged_codes(table: TextTable, name: str) -> Integers | None:
    """A number for each judged value of a column, -1 for missing ones; None if the column cannot be read."""
    try:
        column = next(table.read((name,))).column(0).combine_chunks()
    except InputError:  # raised where the column is judged
        return None
    cells = normalise_texts(column.dictionary.cast(pa.large_string())).dictionary_encode()
    codes = np.append(numpy_integers(cells.indices.fill_null(-1)).astype(np.int64), -1)
    judged: Integers = codes[numpy_integers(column.indices.fill_null(len(codes) - 1))]
    return judged


def _count_unusual_formats(groups: Integers, ways: Integers, formats: Sequence[Style]) -> Counter[str]:
    """The number of rows or cells with another format than most of their group, by the kind of difference.

    groups    twice the kind of a value, and 1 more in every other row
    ways      the format of each, by its number
    formats   what each format says
    """

    def count(own: Integers) -> int:
        return min(_count_unusual(groups, own), _count_unusual(groups // 2, own))

    total = count(ways)
    if not total:
        return Counter()
    said: dict[str, Integers] = {}
    for kind in OF_FORMATS:
        codes = {text: place for place, text in enumerate(dict.fromkeys(one.get(kind, "") for one in formats))}
        said[kind] = np.array([codes[one.get(kind, "")] for one in formats], np.int64)[ways]
    found = Counter({kind: count(own) for kind, own in said.items()})
    return +found or Counter({FORMATS: total})


def _count_unusual(groups: Integers, ways: Integers) -> int:
    """The number that differ from most of their group."""
    if not len(groups):
        return 0
    pairs, counts = np.unique(groups * (int(ways.max()) + 1) + ways, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // (int(ways.max()) + 1), prepend=-1))
    return int(counts.sum() - np.maximum.reduceat(counts, starts).sum())


def _count_gaps(rows: Integers, header: int, last: int) -> int:
    """The number of gaps between rows outside the table, and between these and the table."""
    above, below = rows[rows < header], rows[rows > last]
    return int(np.count_nonzero(np.diff(above, append=header) > 1) if len(above) else 0) + int(
        np.count_nonzero(np.diff(below, prepend=last) > 1)
    )


def _of_rows(rows: Integers, cells: Integers, chosen: NDArray[np.bool_]) -> tuple[list[int], list[int]]:
    return rows[chosen].tolist(), cells[chosen].tolist()


def _are_consecutive(numbers: list[int]) -> bool:
    return numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True


def _blocks(file: Any) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


class _PartReader:
    """Reads a part and counts what is not among its usual content."""

    def __init__(
        self,
        part: str,
        usual: str,
        parts: Collection[str],
        columns: Collection[str],
        titles: set[str],
        strings: _Strings,
        rows: _Rows,
        styles: list[Style],
    ) -> None:
        self.found: Counter[str] = Counter()
        self._part, self._usual, self._parts, self._columns, self._titles = part, usual, parts, columns, titles
        self._strings, self._rows = strings if usual == STRINGS else None, rows if usual == SHEET else None
        self._styles = styles
        self._numbers: Counter[str] = Counter()  # of elements of a sheet
        self._path: list[str] = []
        self._text, self._is_own_name = "", True
        self._extra = 0  # how deep within what counts already

    def read(self, file: Any) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.CommentHandler = self._characters, self._comment
        parser.ProcessingInstructionHandler = lambda *_: self._count(ELEMENTS)
        parser.StartDoctypeDeclHandler = lambda *_: self._count(ELEMENTS)
        parser.StartCdataSectionHandler = lambda: self._count(ELEMENTS)
        parser.XmlDeclHandler = self._declaration
        for block in _blocks(file) if self._rows is None else self._without_rows(file, self._rows):
            parser.Parse(block)
        parser.Parse(b"", True)

    @staticmethod
    def _without_rows(file: Any, rows: _Rows) -> Iterator[bytes]:
        """The bytes of a sheet in front of its rows and behind them; the rows are examined."""
        rest = b""
        for block in _blocks(file):
            rest += block
            if not rows.started:
                start = _ROWS_START.search(rest)
                if start is not None:
                    rows.start(start[1], is_empty=bool(start[2]))
                cut = start.end() if start is not None else max(rest.rfind(b"<"), 0)
                if start is None and len(rest) > LONGEST_ROW:
                    cut = len(rest)
                yield rest[:cut]
                rest = rest[cut:]
            if rows.started and not rows.finished:
                rest = rows.take(rest)
            if rows.finished:
                yield rest
                rest = b""
        yield rest

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if (encoding or "utf-8").lower() not in ("utf-8", "us-ascii"):
            self._count(ELEMENTS)

    def _count(self, kind: str) -> None:
        self.found[kind] += 1

    def _comment(self, _text: str) -> None:
        self._count(COMMENTS)

    def _start(self, full: str, attributes: dict[str, str]) -> None:
        tag = full.rpartition(":")[2]
        if (text := self._text.strip()) and not self._extra:
            # PyExcelerate writes None in front of the margins, once.
            is_known = self._rows is not None and (text, tag) == ("None", "pageMargins") and not self._numbers[tag]
            self.found[ELEMENTS] += not is_known
        self._text = ""
        parent = self._path[-1] if self._path else ""
        self._path.append(tag)
        if self._extra or not (self._usual == THEME or tag in ALLOWED[self._usual]):
            self._extra += 1
            if tag in KINDS and not (self._extra > 1 and tag in WITHIN):
                self._count(KINDS[tag])
            elif self._extra == 1 and tag not in WITHIN:
                self._count(ELEMENTS)
            return
        if self._strings is not None:
            self._strings.start(tag, parent, attributes)
        if self._rows is not None:
            self._numbers[tag] += 1
            most = len(self._columns) + MORE_COLUMNS if tag in OF_COLUMNS else OFTEN.get(tag, 1)
            if self._numbers[tag] > most:
                self._count(ELEMENTS)
        for key, value in attributes.items():
            self._attribute(tag, key, value)
        self._element(tag, attributes)

    def _attribute(self, tag: str, key: str, value: str) -> None:
        own = key.rpartition(":")[2]
        if (tag, own) in (("Override", "PartName"), ("Relationship", "Target"), ("Relationship", "TargetMode")):
            return  # see below
        usual = [WORDS[tag, own]] if (tag, own) in WORDS else [_PLAIN]
        if key.startswith("xmlns") or own in ("Type", "uri", "schemaLocation"):
            usual.append(_ADDRESS)
        elif own == "type":
            usual.append(_MOMENT_TYPE)
        elif self._usual == THEME:
            usual.append(_WORD)
        if not own.isalnum() or not any(one.fullmatch(value) for one in usual):
            self._count(ELEMENTS)

    def _element(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Elements that need a look of their own."""
        if tag == "sheet":
            self._titles.add(attributes.get("name", ""))
        elif tag == "Override":
            if attributes.get("PartName", "").lstrip("/") not in self._parts:
                self._count(ELEMENTS)
        elif tag == "Relationship":
            kind, target = attributes.get("Type", ""), attributes.get("Target", "")
            if attributes.get("TargetMode") == "External":
                if not (kind.endswith("/hyperlink") and self._part.startswith(SHEET)):  # which counts there
                    self._count(LINKS)
                return
            folder = dirname(dirname(self._part))
            own = target.lstrip("/") if target.startswith("/") else normpath(f"{folder}/{target}").lstrip("/")
            if own not in self._parts:
                self._count(ELEMENTS)
        elif tag == "definedName":
            self._is_own_name = _OWN_NAME.fullmatch(attributes.get("name", "")) is not None
            self.found[NAMES] += not self._is_own_name
        elif tag == "tableColumn" and attributes.get("name", "").strip() not in self._columns:
            self._count(ELEMENTS)
        elif tag == "cellStyle" and "builtinId" not in attributes:
            self._count(FORMATS)
        elif tag == "xf" and self._path[-2:-1] == ["cellXfs"]:
            self._styles.append({kind: attributes.get(name, "0") for name, kind in STYLE_ATTRIBUTES.items()})
        elif tag == "alignment" and self._path[-3:-1] == ["cellXfs", "xf"]:
            self._styles[-1][ALIGNMENTS] = repr(sorted(attributes.items()))
        elif tag == "workbookProtection" and attributes:
            self._count(ELEMENTS)

    def _characters(self, text: str) -> None:
        self._text += text

    def _end(self, _full: str) -> None:
        tag = self._path.pop()
        text, self._text = self._text, ""
        if self._extra:
            self._extra -= 1
        elif text.strip() and not (self._strings is not None and tag == "t"):
            kind = self._kind_of_text(tag, text.strip())
            if kind is not None:
                self._count(kind)

    def _kind_of_text(self, tag: str, text: str) -> str | None:
        """The kind of content that a text outside cells is; None if it says nothing."""
        parent = self._path[-1] if self._path else ""
        if self._usual == CORE:
            if tag in ("created", "modified", "lastPrinted"):
                return None if _MOMENT.fullmatch(text) else PROPERTIES
            if tag in ("creator", "lastModifiedBy"):
                return None if _PROGRAM.fullmatch(text) else AUTHOR
            if tag == "revision":
                return None if _PLAIN.fullmatch(text) else PROPERTIES
            return None if tag == "language" and re.fullmatch("[A-Za-z]{2}(-[A-Za-z]{2,4})?", text) else PROPERTIES
        if self._usual == CUSTOM:
            return PROPERTIES
        if self._usual == APP:
            if tag in NUMBERS | FLAGS:
                return None if _PLAIN.fullmatch(text) else PROPERTIES
            if tag == "Application":
                return None if _VERSION.fullmatch(text) else PROPERTIES
            if tag == "lpstr" and parent == "variant":
                return None if _WORD.fullmatch(text) else PROPERTIES
            if tag == "lpstr":
                title = text.rpartition("!")[0].strip("'") or text
                return None if title in self._titles else PROPERTIES
            return PROPERTIES
        if tag == "definedName":
            return None if _RANGE.fullmatch(text) or not self._is_own_name else NAMES
        if tag in HEADERS:
            words = _HEADER_CODE.sub("", text)
            return None if (len(words) <= 8 and words.isalpha()) or not words else ELEMENTS
        return ELEMENTS
