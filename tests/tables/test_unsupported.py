"""Files that are no table here say what they are and what to do."""

import zipfile

import pytest

from PETWorks.errors import InputError
from PETWorks.tables.opening import open_table

FILES = {
    "t.pdf": (b"%PDF-1.7 SECRET", "a PDF document; ask for the table as CSV or Excel"),
    "t.7z": (b"7z\xbc\xaf'\x1c\0\4SECRET", "a 7z archive; unpack it first"),
    "t.rar": (b"Rar!\x1a\x07\0SECRET", "a RAR archive; unpack it first"),
    "t.csv.xz": (b"\xfd7zXZ\0SECRET", "packed with xz; unpack it first"),
    "t.csv.bz2": (b"BZh91AY&SYSECRET", "packed with bzip2; unpack it first"),
    "t.tar": (b"SECRET".ljust(257, b"\0") + b"ustar\0", "a tar archive; unpack it first"),
    "t.mdb": (b"\0\1\0\0Standard Jet DB\0SECRET", "an Access database; export the table in Access"),
    "t.accdb": (b"\0\1\0\0Standard ACE DB\0SECRET", "an Access database; export the table in Access"),
    "t.RData": (b"RDX3\nX\nSECRET", "saved by R; save it in R: write.csv"),
    "t.rds": (b"X\n\0\0\0\3SECRET", "saved by R; save it in R: write.csv"),
    "t.shp": (b"\0\0'\nSECRET", "a shapefile; open it in a GIS program"),
    "t.xls": (b"\r\n<HTML><table><td>SECRET", "a web page; open it in a spreadsheet program"),
    "t.xml": (b"\xef\xbb\xbf<?xml version='1.0'?><SECRET/>", "XML; open it"),
    "t.avro": (b"Obj\1SECRET", "an Avro file; save it as Parquet"),
    "t.h5": (b"\x89HDF\r\n\x1a\nSECRET", "an HDF5 file; save its table"),
}
PARTS = {
    "t.docx": ("word/document.xml", "a Word document; copy its table to a sheet"),
    "t.pptx": ("ppt/presentation.xml", "a PowerPoint presentation; copy its table"),
    "t.xlsb": ("xl/workbook.bin", "a binary Excel workbook (.xlsb); save it as .xlsx"),
    "t.numbers": ("Index/Document.iwa", "a document of Apple Numbers or Pages; export it as .xlsx or CSV"),
    "t.odt": ("content.xml", "an OpenDocument file without sheets"),
}


@pytest.mark.parametrize("name", [*FILES, *PARTS])
def test_what_to_do_instead(name, tmp_path):
    if name in FILES:
        content, message = FILES[name]
        (tmp_path / name).write_bytes(content)
    else:
        part, message = PARTS[name]
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(part, "SECRET")
    with pytest.raises(InputError) as caught:
        open_table(tmp_path / name)
    assert str(caught.value).startswith(f"{name}: the file is {message}")
    assert "SECRET" not in str(caught.value)


def test_a_table_may_begin_with_letters_of_another_format(tmp_path):
    (tmp_path / "t.csv").write_text("RDX;ORC\n1;2\n")
    assert open_table(tmp_path / "t.csv").names == ("RDX", "ORC")
    (tmp_path / "t.csv").write_text("ORCHARD;BZh\n1;2\n")
    assert open_table(tmp_path / "t.csv").names == ("ORCHARD", "BZh")
