"""What an Excel workbook has besides a plain table: everything that is not on the list of what exports consist of.

A workbook has too many places for texts and marks to look for each: headers, prompts, scenarios, formulas, phonetic
texts, formats. So the parts, elements and values that a plain export has are listed here, and all else counts. Nothing
of it leaves this module but numbers.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any
from xml.parsers import expat

from PETWorks.tables.formats.workbooks import reading_parts

# The kinds of what is found.
COMMENTS, LINKS, NAMES, PIVOTS, PICTURES = "comments", "links", "defined names", "pivot tables", "pictures or charts"
PROPERTIES, ELEMENTS, FORMULAS, FORMATS, UNUSED = (
    "document properties",
    "further elements",
    "formulas",
    "formats of single cells or rows",
    "values that no record has",
)

BLOCK = 1 << 20
CORE, APP, BOOK, STYLES, STRINGS = (
    "docProps/core.xml",
    "docProps/app.xml",
    "xl/workbook.xml",
    "xl/styles.xml",
    "xl/sharedStrings.xml",
)
TYPES, LABELS = "[Content_Types].xml", "docMetadata/LabelInfo.xml"
RELATIONS, THEME, SHEET, TABLE = ".rels", "xl/theme/", "xl/worksheets/", "xl/tables/"
HEADERS = {"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"}
EXTENSIONS = {"AlternateContent", "Choice", "extLst", "ext"}

# The elements of each part that an export may have.
ALLOWED: Mapping[str, Collection[str]] = {
    TYPES: {"Types", "Default", "Override"},
    RELATIONS: {"Relationships", "Relationship"},
    CORE: {
        *("coreProperties", "creator", "lastModifiedBy", "created", "modified", "lastPrinted", "revision", "version"),
        *("title", "subject", "description", "keywords", "category", "language", "identifier", "contentStatus"),
    },
    APP: {
        *("Properties", "Template", "TotalTime", "Application", "DocSecurity", "ScaleCrop", "HeadingPairs", "vector"),
        *("variant", "lpstr", "i4", "TitlesOfParts", "Company", "Manager", "LinksUpToDate", "SharedDoc"),
        *("HyperlinkBase", "HyperlinksChanged", "AppVersion", "Pages", "Words", "Characters", "Lines", "Paragraphs"),
    },
    LABELS: {"labelList", "label", *EXTENSIONS},
    BOOK: {
        *("workbook", "fileVersion", "workbookPr", "bookViews", "workbookView", "sheets", "sheet", "definedNames"),
        *("definedName", "calcPr", "workbookProtection", "revisionPtr", "calcFeatures", "feature", "fileRecoveryPr"),
        *EXTENSIONS,
    },
    STYLES: {
        *("styleSheet", "numFmts", "numFmt", "fonts", "font", "b", "i", "u", "strike", "sz", "color", "name", "family"),
        *("charset", "scheme", "vertAlign", "outline", "shadow", "condense", "extend", "fills", "fill", "patternFill"),
        *("fgColor", "bgColor", "gradientFill", "stop", "borders", "border", "left", "right", "top", "bottom"),
        *("diagonal", "vertical", "horizontal", "start", "end", "cellStyleXfs", "cellXfs", "xf", "alignment"),
        *("protection", "cellStyles", "cellStyle", "dxfs", "dxf", "tableStyles", "colors", "indexedColors"),
        *("mruColors", "rgbColor", "slicerStyles", "timelineStyles", *EXTENSIONS),
    },
    STRINGS: {"sst", "si", "t", "phoneticPr"},
    SHEET: {
        *("worksheet", "sheetPr", "tabColor", "outlinePr", "pageSetUpPr", "dimension", "sheetViews", "sheetView"),
        *("pane", "selection", "sheetFormatPr", "cols", "col", "sheetData", "row", "c", "v", "is", "t", "autoFilter"),
        *("printOptions", "pageMargins", "pageSetup", "headerFooter", *HEADERS, "phoneticPr"),
        *("ignoredErrors", "ignoredError", "tableParts", "tablePart"),
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
TEXTS = {"v", "t"}  # cells, which are judged

# Values of attributes that say nothing: numbers, signs of the format, places of cells, colours, made-up identifiers.
_PLAIN = re.compile(
    r"|[+-]?\d{1,7}(\.\d{1,20})?([eE][+-]?\d{1,3})?|[a-z][A-Za-z0-9]{0,31}|TRUE|FALSE|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8}"
    r"|\$?[A-Z]{1,3}\$?\d{1,7}(:\$?[A-Z]{1,3}\$?\d{1,7})?|[A-Z]{1,3}:[A-Z]{1,3}|\d{1,5}:\d{1,5}|rId\d{1,6}|\d{1,3}%"
    r"|(x[a-z0-9]{0,6}|mv)( (x[a-z0-9]{0,6}|mv)){0,12}"
    r"|(\d{1,2}_)?(ncr:\d{1,6}_)?\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
)
_ADDRESS = re.compile(
    r"(https?://(schemas\.openxmlformats\.org|schemas\.microsoft\.com|purl\.org|purl\.oclc\.org|www\.w3\.org)/|urn:oasis:)"
    r"[A-Za-z0-9/._:#-]{0,120}"
)
_WORD = re.compile(r"[^\d@]{0,60}\d{0,4}[^\d@]{0,20}")  # a name of a font, a style, a program; no number of a person
_FORMAT = re.compile(r'(?:"[^"]{0,8}"|\[[^\]]{1,24}\]|[^"\[\]]){0,200}')
_VERSION = re.compile(r"[\w .,/+()~-]{0,90}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]{5,16}(Z|[+-]\d\d:\d\d)?|")
_MOMENT_TYPE = re.compile("dcterms:W3CDTF")
_MACRO_NAME = re.compile(r"(ThisWorkbook|Sheet|工作表|Tabelle|Feuil|Hoja)\d{0,3}|")
_HEADER_CODE = re.compile(r'&"[^"&\d]{0,40}"|&\d{1,3}|&[A-Z]|[\s:,/.-]')
_OWN_NAME = re.compile(r"_xlnm\.(_FilterDatabase|Print_Area|Print_Titles)")
_RANGE = re.compile(r"('[^'!]*'|[^'!]*)!\$?[A-Z]{0,3}\$?\d{0,7}(:\$?[A-Z]{0,3}\$?\d{0,7})?")
# A cell as exports write it: place, format, kind and value.
_ORDINARY = re.compile(
    rb'<c r="([A-Z]{1,3})(\d{1,7})"(?: s="(\d{1,5})")?(?: t="(\w{1,9})")?(?:/>| />|></c>|>'
    rb'(?:<v>([^<&]*)</v>|<is><t(?: xml:space="preserve")?>([^<&]*)</t></is>)</c>)'
)
# Attributes with words, by their element.
WORDS = {
    ("font", "name"): _WORD,
    ("name", "val"): _WORD,
    ("cellStyle", "name"): _WORD,
    ("feature", "name"): _VERSION,
    ("numFmt", "formatCode"): _FORMAT,
    ("fileVersion", "appName"): _VERSION,
    ("fileVersion", "rupBuild"): _VERSION,
    ("tableStyles", "defaultTableStyle"): _WORD,
    ("tableStyles", "defaultPivotStyle"): _WORD,
    ("slicerStyles", "defaultSlicerStyle"): _WORD,
    ("timelineStyles", "defaultTimelineStyle"): _WORD,
    ("table", "name"): _WORD,
    ("table", "displayName"): _WORD,
    ("tableStyleInfo", "name"): _WORD,
    ("workbookPr", "codeName"): _MACRO_NAME,
    ("sheetPr", "codeName"): _MACRO_NAME,
    ("sheet", "name"): re.compile(".*"),
    ("definedName", "name"): re.compile(".*"),
    ("Default", "ContentType"): _VERSION,
    ("Override", "ContentType"): _VERSION,
    ("Default", "Extension"): re.compile("[a-z]{1,8}"),
    ("Relationship", "Id"): re.compile(r"[A-Za-z]{1,8}[0-9A-Fa-f]{0,32}"),
    ("tableColumn", "name"): re.compile(".*", re.DOTALL),
    ("dxf", "uniqueName"): _WORD,
}
# Authors that are programs, which write themselves in.
_PROGRAM = re.compile(
    "openpyxl|xlsxwriter|libxlsxwriter|writexl|apache poi|excelize|sheetjs|epplus|closedxml|microsoft office user",
    re.IGNORECASE,
)
NUMBERS = {
    "TotalTime",
    "DocSecurity",
    "i4",
    "AppVersion",
    "Pages",
    "Words",
    "Characters",
    "Lines",
    "Paragraphs",
    "revision",
}
FLAGS = {"ScaleCrop", "LinksUpToDate", "SharedDoc", "HyperlinksChanged"}


def more_than_a_table(path: Path, sheet: str | None, columns: Collection[str]) -> Counter[str]:
    """What is in the usual parts of a workbook besides the cells of a sheet, by kind.

    sheet     the part that has the sheet; None if there are several, which fail by themselves
    columns   the names of its columns
    """
    found: Counter[str] = Counter()
    with reading_parts(path), zipfile.ZipFile(path) as archive:
        parts = set(archive.namelist())
        strings = _Strings()
        seen = _Cells()
        titles: set[str] = set()
        for part in sorted(parts, key=lambda name: (name != BOOK, name)):
            look = _look(part, sheet)
            if look is None:
                continue
            reader = _Look(part, look, parts, columns, titles, seen if part == sheet else strings)
            with archive.open(part) as file:
                reader.read(file)
            found += reader.found
    found[FORMATS] += seen.formats
    found[UNUSED] += strings.number - len(seen.used_strings) if sheet is not None else 0
    return +found


def is_looked_into(part: str) -> bool:
    """Whether a part of a workbook, no sheet, is one that exports have, and is looked at by its list."""
    return not part.startswith(SHEET + "sheet") and _look(part, None) is not None


def _look(part: str, sheet: str | None) -> str | None:
    """By which list a part is looked at; None if it counts as a whole, which others do."""
    if part.endswith(RELATIONS):
        return RELATIONS
    if part.startswith(THEME):
        return THEME
    if part.startswith(TABLE) and part.endswith(".xml"):
        return TABLE
    return SHEET if part == sheet else part if part in ALLOWED else None


class _Strings:
    """The texts that cells share."""

    def __init__(self) -> None:
        self.number = 0

    def start(self, tag: str, _attributes: Mapping[str, str]) -> None:
        self.number += tag == "si"

    def text(self, tag: str, text: str) -> None:
        """What the texts are does not matter here."""

    def end(self, tag: str) -> None:
        """Nor where they end."""


class _Cells:
    """The cells of a sheet: which shared texts they have, and whether formats tell records apart.

    Cells as exports write them are taken out of the XML before it is parsed: there are many.
    """

    def __init__(self) -> None:
        self.used_strings: set[str] = set()
        self._styles: Counter[tuple[str, str, str]] = Counter()  # by column and kind of value
        self._rows: dict[frozenset[tuple[str, str]], list[int]] = {}
        self._header, self._last, self._row, self._column = 0, 0, 0, 0
        self._place, self._type, self._style, self._text = "", "", "", ""

    def without_ordinary(self, block: bytes) -> bytes:
        """XML without the ordinary cells, which are counted."""
        for column, row, style, kind, value, text in _ORDINARY.findall(block):
            self._add(column.decode(), int(row), style.decode(), kind.decode(), (value or text).decode())
        return _ORDINARY.sub(b"", block)

    def _add(self, column: str, row: int, style: str, kind: str, text: str) -> None:
        if text:
            self._header, self._last = self._header or row, max(self._last, row)
            if kind == "s":
                self.used_strings.add(text)
        if row != self._header:
            what = "" if not text else "text" if kind in ("s", "str", "inlineStr") else kind or "n"
            self._styles[column, what, style or "0"] += 1

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "row":
            self._row = int(attributes.get("r", self._row + 1))
            own = {key: value for key, value in attributes.items() if key not in ("r", "spans")}
            what = frozenset((key, value) for key, value in own.items() if value not in ("0", "false"))
            self._rows.setdefault(what, []).append(self._row)
            self._column = 0
        elif tag == "c":
            self._column += 1
            self._type, self._style, self._text = attributes.get("t", "n"), attributes.get("s", "0"), ""
            self._place = attributes.get("r", "").rstrip("0123456789") or str(self._column)

    def text(self, tag: str, text: str) -> None:
        if tag in TEXTS:
            self._text += text

    def end(self, tag: str) -> None:
        if tag == "c":
            self._add(self._place, self._row, self._style, self._type, self._text.strip())

    @property
    def formats(self) -> int:
        """How many rows and cells have another format than most of their column."""
        rows = [sum(self._header < row <= self._last for row in own) for own in self._rows.values()]
        columns: dict[tuple[str, str], list[int]] = {}
        for (column, what, _), number in self._styles.items():
            columns.setdefault((column, what), []).append(number)
        return sum(sum(own) - max(own, default=0) for own in (rows, *columns.values()))


class _Look:
    """A part that is compared with the list of what it may have."""

    def __init__(
        self,
        part: str,
        look: str,
        parts: Collection[str],
        columns: Collection[str],
        titles: set[str],
        cells: "_Cells | _Strings",
    ) -> None:
        self.found: Counter[str] = Counter()
        self._part, self._look, self._parts, self._columns, self._titles = part, look, parts, columns, titles
        self._cells = cells if look in (SHEET, STRINGS) else None
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
        rest = b""
        while block := file.read(BLOCK):
            if isinstance(self._cells, _Cells):
                end = (rest + block).rfind(b"<c ")
                block, rest = ((rest + block)[:end], (rest + block)[end:]) if end > 0 else (rest + block, b"")
                block = self._cells.without_ordinary(block)
            parser.Parse(block)
        parser.Parse(rest)
        parser.Parse(b"", True)

    def _count(self, kind: str) -> None:
        self.found[kind] += 1

    def _comment(self, _text: str) -> None:
        self._count(COMMENTS)

    def _start(self, full: str, attributes: dict[str, str]) -> None:
        tag = full.rpartition(":")[2]
        self._path.append(tag)
        self._text = ""
        if self._cells is not None:
            self._cells.start(tag, attributes)
        if self._extra or not (self._look == THEME or tag in ALLOWED[self._look]):
            self._extra += 1
            if tag in KINDS and not (self._extra > 1 and tag in WITHIN):
                self._count(KINDS[tag])
            elif self._extra == 1 and tag not in WITHIN:
                self._count(ELEMENTS)
            return
        if self._look == SHEET and tag in ("c", "v", "row"):  # quickly: there are many
            if tag == "c" and not attributes.keys() <= {"r", "s", "t"}:
                self._count(ELEMENTS)
            return
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
        elif self._look == THEME:
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
        elif tag == "workbookProtection" and attributes:
            self._count(ELEMENTS)

    def _characters(self, text: str) -> None:
        if self._cells is not None and not self._extra:
            self._cells.text(self._path[-1], text)
        self._text += text

    def _end(self, _full: str) -> None:
        tag = self._path.pop()
        text, self._text = self._text, ""
        if self._cells is not None:
            self._cells.end(tag)
        if self._extra:
            self._extra -= 1
        elif text.strip() and not (self._cells is not None and tag in TEXTS):
            kind = self._kind_of_text(tag, text.strip())
            if kind is not None:
                self._count(kind)

    def _kind_of_text(self, tag: str, text: str) -> str | None:
        """What a text counts as that is no cell; None if it says nothing."""
        parent = self._path[-1] if self._path else ""
        if self._look == CORE:
            if tag in ("created", "modified", "lastPrinted"):
                return None if _MOMENT.fullmatch(text) else PROPERTIES
            if tag in ("creator", "lastModifiedBy"):
                return None if _PROGRAM.fullmatch(text) else PROPERTIES
            return None if tag == "language" and re.fullmatch("[A-Za-z]{2}(-[A-Za-z]{2,4})?", text) else PROPERTIES
        if self._look == APP:
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
