"""Files of other programs: packed CSV, JSON lines, workbooks, and files of SPSS, Stata and SAS."""

import gzip
import io
import json
import tempfile
import zipfile
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape

import pyarrow as pa

from fuzz.case import MARKER, Case
from fuzz.mutation import mutate_bytes
from fuzz.tables import OF_CLASSES, Table, csv_bytes, measure_options, random_table, roles
from fuzz.targets.base import Target

CELLS = ["1", "1.0", "01", "*", "", " ", "a b", "é", "王", "2020-01-01", "=1+1", "true", "x" * 300]


def zip_bytes(files: dict[str, bytes]) -> bytes:
    """A zip file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in files.items():
            archive.writestr(zipfile.ZipInfo(name), part)  # without the time, so that a seed always gives the same case
    return content.getvalue()


def pack(name: str, content: bytes) -> bytes:
    """The content of a packed file, by its name."""
    if name.endswith(".gz"):
        return gzip.compress(content, mtime=0)
    return zip_bytes({"t.csv": content}) if name.endswith(".zip") else _zstd(content)


def _zstd(content: bytes) -> bytes:
    compressed: bytes = pa.Codec("zstd").compress(content, asbytes=True)
    return compressed


class Packed(Target):
    """Packed CSV: it must give the same answer as unpacked, and a changed byte must do no harm."""

    name, tokens = "packed", (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd")

    def make(self, random: Random) -> Case:
        """A table, packed and not."""
        table = random_table(random, cells=CELLS)
        name = random.choice(("t.csv.gz", "t.csv.zst", "t.zip"))
        plain = csv_bytes(table, random.choice(",;"), random.choice(("utf-8", "utf-16", "utf-16-le")))
        options = [*roles(random, table), "--format", "json"]
        commands = [["evaluate", file, *options] for file in ("t.csv", name)]
        return self.complete(Case(self.name, {"t.csv": plain, name: b""}, commands, ["t.csv"], agree=True))

    def mutate(self, random: Random, case: Case) -> Case:
        """The table changed, packed and not; or the packed file alone."""
        if case.agree and random.random() < 0.5:
            return self.complete(super().mutate(random, case))
        name = case.commands[-1][1]
        content = mutate_bytes(random, case.files[name], self.tokens)
        return Case(self.name, {name: content}, case.commands[-1:], [name])

    def complete(self, case: Case) -> Case:
        """The case with its table packed."""
        name = case.commands[-1][1]
        return case.with_file(name, pack(name, case.files["t.csv"])) if case.agree else case


class JSONLines(Target):
    """JSON lines, and in some cases the same table as CSV."""

    name = "json-lines"
    tokens = (b"{", b"}", b"[", b'"', b"\\u0000", b"\\ud800", b"null", b"NaN", b"1e999", b":", b",", b'{"zip": 1}\n')

    def make(self, random: Random) -> Case:
        """A table of text."""
        table = random_table(random)
        names = list(table)
        rows = [dict(zip(names, row, strict=True)) for row in zip(*table.values(), strict=True)]
        text = "".join(json.dumps(row, ensure_ascii=random.random() < 0.5) + "\n" for row in rows)
        options = [*roles(random, table), "--format", "json", "--separator", ";"]
        files = {"t.jsonl": text.encode(), "t.csv": csv_bytes(table, ";")}
        return Case(self.name, files, [["evaluate", file, *options] for file in files], agree=True)

    def mutate(self, random: Random, case: Case) -> Case:
        """The lines alone, changed."""
        content = mutate_bytes(random, case.files["t.jsonl"], self.tokens)
        return Case(self.name, {"t.jsonl": content}, case.commands[:1], ["t.jsonl"])


SPACES = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OFFICE = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def xlsx_parts(table: Table) -> dict[str, bytes]:
    """The parts of an Excel workbook whose cells are texts and numbers."""
    rows = [list(table), *zip(*table.values(), strict=True)]
    lines = "".join(
        f'<row r="{number}">'
        + "".join(_xlsx_cell(f"{chr(65 + place)}{number}", cell, number) for place, cell in enumerate(row))
        + "</row>"
        for number, row in enumerate(rows, 1)
    )
    sheets = '<sheets><sheet name="People" sheetId="1" r:id="r1"/></sheets>'
    relation = f'<Relationship Id="r1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    package = "http://schemas.openxmlformats.org/package/2006"
    root = f'<Relationship Id="r1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/>'
    types = f'<Types xmlns="{package}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'
    parts = {
        "[Content_Types].xml": types,
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">{root}</Relationships>',
        "xl/workbook.xml": f'<workbook {SPACES} xmlns:r="{RELATIONS}">{sheets}</workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">{relation}</Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {SPACES}><sheetData>{lines}</sheetData></worksheet>",
    }
    return {name: part.encode() for name, part in parts.items()}


def _xlsx_cell(place: str, cell: str, row: int) -> str:
    if row > 1 and cell.isascii() and cell.isdigit() and cell == str(int(cell)):
        return f'<c r="{place}"><v>{cell}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>' if cell else ""


def ods_parts(table: Table) -> dict[str, bytes]:
    """The parts of an OpenDocument workbook whose cells are texts."""
    rows = [list(table), *zip(*table.values(), strict=True)]
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    lines = "".join(
        f"<table:table-row>{''.join(cell.format(escape(text)) for text in row)}</table:table-row>" for row in rows
    )
    body = f'<office:spreadsheet><table:table table:name="People">{lines}</table:table></office:spreadsheet>'
    content = f"<office:document-content {OFFICE}><office:body>{body}</office:body></office:document-content>"
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{OPEN_DOCUMENT.decode()}"/>'
    space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    return {
        "mimetype": OPEN_DOCUMENT,
        "content.xml": content.encode(),
        "META-INF/manifest.xml": f"<manifest:manifest {space}>{entry}</manifest:manifest>".encode(),
    }


class Workbook(Target):
    """A workbook with a change in one of its parts, or in any byte."""

    name = "workbook"
    tokens = (
        b'<c r="XFD1048576"><v>1</v></c>',
        b'<c r="A1" t="e"><v>#N/A</v></c>',
        b'<c t="s"><v>99999</v></c>',
        b'<c r="B2"><f>A1</f></c>',
        b"<v>1e308</v>",
        b"<v>NaN</v>",
        b' table:number-columns-repeated="99999999"',
        b' table:number-rows-repeated="1048576"',
        b' office:value-type="date" office:date-value="0000-99-99"',
        b"</row><row>",
        b'<mergeCells><mergeCell ref="A1:B2"/></mergeCells>',
        b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>",
        b"&a;",
    )

    def make(self, random: Random) -> Case:
        """A table of texts and numbers, with an empty cell here and there."""
        table = random_table(random, cells=CELLS)
        name = random.choice(("t.xlsx", "t.xlsx", "t.ods"))
        parts = xlsx_parts(table) if name == "t.xlsx" else ods_parts(table)
        command = ["evaluate", random.choice((name, f"{name}#People")), *roles(random, table), "--format", "json"]
        commands = random.choice(([command], [command, [*command, "--engine", "duckdb"]], [["init", name]]))
        return Case(self.name, {name: zip_bytes(parts)}, commands, [name], agree=len(commands) > 1)

    def mutate(self, random: Random, case: Case) -> Case:
        """The case with a changed part; or with changed bytes, which rarely pass the checksums."""
        [name] = case.mutable
        try:
            with zipfile.ZipFile(io.BytesIO(case.files[name])) as archive:
                parts = {part: archive.read(part) for part in archive.namelist()}
        except (zipfile.BadZipFile, ValueError, OSError, EOFError, RuntimeError, NotImplementedError):
            parts = {}
        if not parts or random.random() < 0.2:
            return super().mutate(random, case)
        largest = max(parts, key=lambda part: len(parts[part]))
        part = random.choice((largest, largest, *parts))
        return case.with_file(name, zip_bytes({**parts, part: mutate_bytes(random, parts[part], self.tokens)}))


class Statistics(Target):
    """A file of SPSS, Stata or SAS."""

    name = "statistics"
    tokens = (b"$FL2", b"$FL3", b"<stata_dta>", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\x07\x00\x00\x00")
    kinds = ("sav", "zsav", "dta", "xpt", "por")

    def make(self, random: Random) -> Case:
        """A table with labels, missing values and texts."""
        kind = random.choice(self.kinds)
        name = f"t.{kind}"
        known = "X,Y" if kind == "por" else "x,y"
        command = ["evaluate", name, "--qi", known, *measure_options(random, OF_CLASSES), "--format", "json"]
        commands = random.choice(([command], [["init", name]]))
        return Case(self.name, {name: statistics_bytes(random, kind)}, commands, [name])


def statistics_bytes(random: Random, kind: str) -> bytes:
    """A file with a column of numbers and one of texts."""
    import pandas as pd
    import pyreadstat

    height = random.choice((1, 3, 20))
    numbers = [random.choice((1.0, 2.0, 99.0, 0.5, float("nan"))) for _ in range(height)]
    frame = pd.DataFrame({"x": numbers, "y": [random.choice((MARKER, "a", "", "x" * 100)) for _ in range(height)]})
    labels: dict[str, dict[float, str]] = {"x": {1.0: MARKER, 2.0: "two"}}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "t"))
        if kind in ("sav", "zsav"):
            zipped = kind == "zsav"
            pyreadstat.write_sav(frame, path, compress=zipped, missing_ranges={"x": [99]}, variable_value_labels=labels)
        elif kind == "dta":
            pyreadstat.write_dta(frame, path, version=random.choice((10, 13, 15)))
        elif kind == "xpt":
            pyreadstat.write_xport(frame, path, file_format_version=random.choice((5, 8)))
        else:
            pyreadstat.write_por(frame, path)
        return Path(path).read_bytes()


TARGETS = (Packed(), JSONLines(), Workbook(), Statistics())
