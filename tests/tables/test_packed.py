"""Packed CSV files and JSON lines, and texts in UTF-16: the same table as unpacked, or a clear error."""

import gzip
import io
import zipfile

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks import CSV, Release
from PETWorks.about.sidecar import read_sidecar
from PETWorks.errors import InputError
from PETWorks.tables.formats import packed
from PETWorks.tables.formats.csv import decode, unicode_encoding
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.output import write_whole
from PETWorks.tables.writing import release_content, whole_table

TEXT = 'zip;disease\n"047;1";flu\n\n048;"can\ncer"\n'


def zst(content):
    return pa.Codec("zstd").compress(content, asbytes=True)


def zipped(files, **more):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def in_zip(content):
    return zipped({"../../etc/table.csv": content})


PACKINGS = {"t.csv.gz": gzip.compress, "t.csv.zst": zst, "t.zip": in_zip, "t.CSV.GZ": gzip.compress}


@pytest.mark.parametrize("name", PACKINGS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp950", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [TEXT, "zip;病\n047;流感\n048;上\n", "a,b\r\n" + "1,2\r\n" * 1000, "a\n1\n\n"])
def test_packed_files_are_the_table_in_them(name, encoding, text, tmp_path):
    plain, file = tmp_path / "plain.csv", tmp_path / name
    plain.write_bytes(text.encode(encoding))
    file.write_bytes(PACKINGS[name](text.encode(encoding)))
    ours, theirs = open_table(file), open_table(plain)
    assert (ours.names, ours.rows, ours.encoding, ours.separator) == (
        theirs.names,
        theirs.rows,
        theirs.encoding,
        theirs.separator,
    )
    assert whole_table(ours) == whole_table(theirs)
    assert list(ours.read(ours.names, in_pieces=True)) == list(theirs.read(theirs.names, in_pieces=True))
    assert ours.beginning(2) == theirs.beginning(2)
    for source, target in ((ours, "a.csv"), (theirs, "b.csv")):
        write_whole({tmp_path / target: release_content(tmp_path / target, source)})
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_gzip_files_in_a_row_are_one(tmp_path):
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(b"a;b\n1;2\n") + gzip.compress(b"3;4\n"))
    assert open_table(file).rows == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv.gz", gzip.compress(TEXT.encode() * 100)[:-12], "cannot be unpacked; it may be truncated"),
        ("t.csv.gz", gzip.compress(TEXT.encode())[:-8] + b"12345678", "cannot be unpacked"),
        ("t.csv.zst", zst(TEXT.encode() * 100)[:-5], "cannot be unpacked"),
        ("t.zip", in_zip(TEXT.encode() * 100)[:-30], "cannot be unpacked"),
        ("t.zip", in_zip(TEXT.encode()).replace(b"\x08\x00", b"\x63\x00"), "cannot be unpacked"),
        ("t.zip", zipped({"a.csv": TEXT, "b.csv": TEXT}), "expected one table in the zip file, got 2"),
        ("t.zip", zipped({"folder/": ""}), "expected one table in the zip file, got 0"),
        ("t.zip", zipped({"a.parquet": b"PAR1 SECRET"}), "expected a CSV file or JSON lines in it"),
        ("t.gz", gzip.compress(gzip.compress(TEXT.encode())), "expected a CSV file or JSON lines in it"),
        ("t.gz", gzip.compress(b"X\n\0\0\0\3SECRET"), "the file is saved by R; save it in R: write.csv"),
        ("t.csv.gz", gzip.compress(b""), "the file is empty"),
        ("t.csv.gz", gzip.compress(b"a;b\n1;2;SECRET\n"), ", line 2: 3 cells, but the header has 2"),
    ],
    ids=range(12),  # of packed bytes, some are the time
)
def test_packed_files_that_are_rejected(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        whole_table(open_table(tmp_path / name))
    assert message in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_a_zip_file_with_a_password_is_rejected(tmp_path):
    content = bytearray(in_zip(TEXT))
    for sign in (b"PK\x03\x04", b"PK\x01\x02"):
        content[content.index(sign) + (6 if sign[2] == 3 else 8)] |= 1
    (tmp_path / "t.zip").write_bytes(content)
    with pytest.raises(InputError, match="protected by a password"):
        open_table(tmp_path / "t.zip")


@pytest.mark.parametrize("name", PACKINGS)
def test_files_that_grow_out_of_proportion_are_rejected(name, tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "USUAL_SIZE", 1 << 16)
    (tmp_path / name).write_bytes(PACKINGS[name](b"a;b\n" + b"1;2\n" * 500_000))
    with pytest.raises(InputError, match="times as large when it is unpacked"):
        open_table(tmp_path / name)


def test_the_roles_file_of_a_packed_table_has_its_name(tmp_path):
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "people.yaml").write_text("roles: {quasi_identifiers: [zip]}\n")
    assert read_sidecar(tmp_path / "people.csv.gz").roles == {"zip": "quasi_identifier"}
    assert Release(tmp_path / "people.csv.gz").quasi_identifiers == ("zip",)


def test_a_csv_object_may_be_packed(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress("a|b,c\n1|2\n".encode("latin-1")))
    assert CSV(tmp_path / "t.csv.gz", separator="|", encoding="latin-1").names == ("a", "b,c")


def test_packed_files_may_be_parts_of_a_table(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.csv.gz").write_bytes(gzip.compress(f"a;b\n{number};2\n".encode()))
    assert whole_table(open_source(str(tmp_path / "*.gz"), "t"))["a"].to_pylist() == ["0", "1", "2"]


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1).filter(lambda text: "\ufeff" not in text),
    st.sampled_from(["utf-16-le", "utf-16-be"]),
)
def test_utf16_without_a_mark_is_recognised(text, encoding):
    assert unicode_encoding(f"{text};b\n1;2\n".encode(encoding)) == encoding
    assert decode(f"{text};b\n1;2\n".encode(encoding), "t") == f"{text};b\n1;2\n"


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["utf-8", "cp950", "latin-1"]))
def test_other_encodings_are_not_taken_for_utf16(text, encoding):
    raw = text.encode(encoding, "ignore").replace(b"\0", b"")
    if not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert unicode_encoding(raw) is None


def test_a_nul_byte_does_not_make_a_text_utf16():
    assert unicode_encoding(b"zip;age;disease\n\0471;35;flu\n") is None


def test_utf16_that_is_cut_off_is_rejected(tmp_path):
    (tmp_path / "t.csv").write_bytes("a;b\n1;2\n".encode("utf-16")[:-1])
    with pytest.raises(InputError, match="the bytes are not utf-16"):
        open_table(tmp_path / "t.csv")
