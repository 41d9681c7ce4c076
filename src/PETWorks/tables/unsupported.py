"""Files that are no table here, by their first bytes or the files in them; and what to do instead."""

import re
from collections.abc import Collection
from pathlib import Path

from PETWorks.errors import InputError, Phrase

UNPACK = Phrase("unpack it first")
AS_SHEET = Phrase("open it in a spreadsheet program, and save it as .xlsx or CSV")
COPY = Phrase("copy its table to a sheet, and save that as .xlsx or CSV")
ACCESS = Phrase("export the table in Access as CSV or Excel")
PDF = Phrase("ask for the table as CSV or Excel; what is copied from a PDF loses cells")
R = Phrase("save it in R: write.csv(x, 'x.csv', row.names = FALSE)")

# What a file that starts with these bytes is, and what to do.
SIGNS: tuple[tuple[bytes, Phrase, Phrase], ...] = (
    (rb"%PDF", Phrase("a PDF document"), PDF),
    (rb"7z\xbc\xaf'\x1c", Phrase("a 7z archive"), UNPACK),
    (rb"Rar!\x1a\x07", Phrase("a RAR archive"), UNPACK),
    (rb"\xfd7zXZ\x00", Phrase("packed with xz"), UNPACK),
    (rb"BZh[1-9]1AY", Phrase("packed with bzip2"), UNPACK),
    (rb"[\s\S]{257}ustar", Phrase("a tar archive"), UNPACK),
    (rb"\x00\x01\x00\x00Standard (Jet|ACE) DB", Phrase("an Access database"), ACCESS),
    (rb"(RD[AX][23]\n)|(X\n\x00\x00\x00[\x02\x03])|(A\n[23]\n)", Phrase("saved by R"), R),
    (rb"\x00\x00'\x0a", Phrase("a shapefile"), Phrase("open it in a GIS program, and save its attributes as CSV")),
    (rb"(\xef\xbb\xbf)?\s*(?i:<!doctype html|<html|<table|<meta|<head)", Phrase("a web page"), AS_SHEET),
    (rb"(\xef\xbb\xbf)?\s*<\?xml", Phrase("XML"), AS_SHEET),
    (rb"Obj\x01", Phrase("an Avro file"), Phrase("save it as Parquet")),
    (rb"\x89HDF\r\n\x1a\n", Phrase("an HDF5 file"), Phrase("save its table as Parquet or CSV")),
)
KNOWN = tuple((re.compile(sign), kind, instead) for sign, kind, instead in SIGNS)

# What a zip file is that has such a file in it.
PARTS = {
    "xl/workbook.bin": (Phrase("a binary Excel workbook (.xlsb)"), Phrase("save it as .xlsx")),
    "word/document.xml": (Phrase("a Word document"), COPY),
    "ppt/presentation.xml": (Phrase("a PowerPoint presentation"), COPY),
    "Index/Document.iwa": (Phrase("a document of Apple Numbers or Pages"), Phrase("export it as .xlsx or CSV")),
    "content.xml": (Phrase("an OpenDocument file without sheets"), COPY),
}


def check_supported(path: Path, start: bytes, parts: Collection[str] = ()) -> None:
    """An error for a file that is no table here; `parts` are the files in it if it is a zip file."""
    found = [(kind, instead) for sign, kind, instead in KNOWN if sign.match(start)]
    found += [PARTS[part] for part in PARTS if part in parts]
    for kind, instead in found:
        raise InputError("{file}: the file is {kind}; {instead}", file=path.name, kind=kind, instead=instead)
