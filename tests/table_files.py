"""Write one table as a file of every supported format."""

import gzip
import json
import zipfile
from dataclasses import dataclass
from datetime import date
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """Cells of one kind (text, whole, real, date, labelled); None for a missing one.

    labels   of a labelled column: the text for each code
    """

    kind: str
    cells: list
    labels: dict | None = None

    @property
    def texts(self):
        """The cells as texts, as users see them."""
        return ["" if cell is None else self.seen(cell) for cell in self.cells]

    def seen(self, cell):
        if self.kind == "labelled":
            return self.labels[cell]
        if self.kind == "real":
            return str(int(cell)) if cell == int(cell) else repr(cell)
        return str(cell)

    @property
    def shown(self):
        """The cells with labels instead of codes."""
        if self.kind != "labelled":
            return self.cells
        return [None if cell is None else self.labels[cell] for cell in self.cells]


def rows(columns, cells="shown"):
    return list(zip(*(getattr(column, cells) for column in columns.values()), strict=True))


def csv_bytes(columns, separator=";"):
    quoted = ([f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows(columns, "texts"))
    lines = [separator.join(columns), *map(separator.join, quoted)]
    return ("\n".join(lines) + "\n").encode()


def write_csv(path, columns):
    path.write_bytes(csv_bytes(columns))


def write_utf16(path, columns):
    path.write_bytes(csv_bytes(columns, "\t").decode().encode("utf-16"))


def write_gz(path, columns):
    path.write_bytes(gzip.compress(csv_bytes(columns, ",")))


def write_zst(path, columns):
    path.write_bytes(pa.Codec("zstd").compress(csv_bytes(columns), asbytes=True))


def write_zip(path, columns):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        archive.writestr("folder/table.csv", csv_bytes(columns))
        archive.writestr("__MACOSX/folder/._table.csv", b"\0\0")


def write_jsonl(path, columns):
    lines = []
    for number, row in enumerate(rows(columns)):
        record = {}
        for (name, column), cell in zip(columns.items(), row, strict=True):
            if cell is None and number:
                continue  # a key of the first line may be absent in others
            is_whole = column.kind == "real" and cell is not None and cell == int(cell)
            record[name] = (
                None if cell is None else int(cell) if is_whole else str(cell) if isinstance(cell, date) else cell
            )
        reordered = dict(reversed(record.items())) if number % 2 else record
        lines.append(json.dumps(reordered, ensure_ascii=bool(number % 3)))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def write_xlsx(path, columns):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(columns))
    for row in rows(columns):
        sheet.append(row)
    for line in sheet.iter_rows(min_row=2):
        for cell in line:
            if isinstance(cell.value, str):
                cell.data_type = "s"  # text, even if it looks like a formula
    book.save(path)


def write_xls(path, columns):
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("People")
    style = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for place, (name, column) in enumerate(columns.items()):
        sheet.write(0, place, name)
        for row, cell in enumerate(column.shown, 1):
            if cell is not None:
                sheet.write(row, place, cell, *([style] if isinstance(cell, date) else []))
    book.save(str(path))


def ods_cell(cell, more=""):
    if cell is None:
        return f"<table:table-cell{more}/>"
    if isinstance(cell, str):
        paragraphs = f"<text:p>{escape(cell)}</text:p>"
        return f'<table:table-cell office:value-type="string"{more}>{paragraphs}</table:table-cell>'
    kind = "date" if isinstance(cell, date) else "float"
    attribute = f'office:{"date-value" if kind == "date" else "value"}="{cell}"'
    return f'<table:table-cell office:value-type="{kind}" {attribute}{more}/>'


def ods_content(lines, sheet="People"):
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} '
        'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"><office:body>'
        f"<office:spreadsheet><table:table table:name={quoteattr(sheet)}>{''.join(lines)}</table:table>"
        "</office:spreadsheet></office:body></office:document-content>"
    )


def ods_file(path, lines):
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="/" '
        'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", ods_content(lines), zipfile.ZIP_DEFLATED)
        archive.writestr("META-INF/manifest.xml", manifest)


def write_ods(path, columns):
    lines = [list(columns), *rows(columns)]
    # As LibreOffice writes it: empty cells up to the last row and column of the sheet.
    rest = '<table:table-cell table:number-columns-repeated="16370"/>'
    ods_file(
        path,
        [
            *(f"<table:table-row>{''.join(map(ods_cell, line))}{rest}</table:table-row>" for line in lines),
            f'<table:table-row table:number-rows-repeated="1040000">{rest}</table:table-row>',
        ],
    )


def frame(columns, *, coded):
    import pandas as pd

    series = {}
    for name, column in columns.items():
        cells = column.cells if coded else column.shown
        if column.kind == "text" or (column.kind == "labelled" and not coded):
            series[name] = pd.Series(["" if cell is None else cell for cell in cells], dtype=object)
        elif column.kind == "date":
            series[name] = pd.Series(cells, dtype=object)
        else:
            series[name] = pd.Series([float("nan") if cell is None else cell for cell in cells], dtype=float)
    return pd.DataFrame(series)


def labels(columns):
    return {name: column.labels for name, column in columns.items() if column.labels}


def write_sav(path, columns):
    import pyreadstat

    pyreadstat.write_sav(frame(columns, coded=True), str(path), variable_value_labels=labels(columns))


def write_zsav(path, columns):
    import pyreadstat

    pyreadstat.write_sav(frame(columns, coded=True), str(path), variable_value_labels=labels(columns), compress=True)


def write_dta(path, columns):
    import pyreadstat

    coded = frame(columns, coded=True)
    for name in labels(columns):
        coded[name] = coded[name].astype("Int32")
    pyreadstat.write_dta(coded, str(path), variable_value_labels=labels(columns))


def write_xpt(path, columns):
    import pyreadstat

    pyreadstat.write_xport(frame(columns, coded=False), str(path), file_format_version=8)


# By file name.
WRITERS = {
    "plain.csv": write_csv,
    "windows.txt": write_utf16,
    "packed.csv.gz": write_gz,
    "packed.csv.zst": write_zst,
    "packed.zip": write_zip,
    "lines.jsonl": write_jsonl,
    "book.xlsx": write_xlsx,
    "old.xls": write_xls,
    "office.ods": write_ods,
    "survey.sav": write_sav,
    "survey.zsav": write_zsav,
    "study.dta": write_dta,
    "transport.xpt": write_xpt,
}
