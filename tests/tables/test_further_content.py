"""What a file has besides the table: all of it is counted, and nothing that programs write by themselves."""

import gzip
import json
import random
import sqlite3
import struct
import zipfile
import zlib
from contextlib import suppress

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlwt
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from pyarrow import ipc

from PETWorks.errors import InputError
from PETWorks.render.language.texts import TEXTS
from PETWorks.tables.further_content import KINDS, further_content
from PETWorks.tables.opening import open_source, open_table

ROWS = [("age", "sex"), (30, "F"), (40, "M")]
FRAME = pd.DataFrame({"age": [30, 40], "sex": ["F", "M"]})
TABLE = pa.table({"age": [30, 40], "sex": ["F", "M"]})
TEXT = "age,sex\n30,F\n40,M\n"


def found(path):
    return dict(further_content(open_source(str(path), "t")))


def book(folder, change=None):
    workbook = openpyxl.Workbook()
    for row in ROWS:
        workbook.active.append(row)
    if change is not None:
        change(workbook)
    workbook.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def test_workbooks_as_programs_write_them_have_no_more(tmp_path):
    assert found(book(tmp_path)) == {}
    assert found(book(tmp_path, lambda one: setattr(one.active.auto_filter, "ref", "A1:B3"))) == {}
    FRAME.to_excel(tmp_path / "p.xlsx", index=False)
    assert found(tmp_path / "p.xlsx") == {}


@pytest.mark.parametrize("state", ["visible", "hidden", "veryHidden"])
def test_further_sheets_count_whether_they_are_hidden_or_not(tmp_path, state):
    def add(workbook):
        for name in ("Names", "More"):
            workbook.create_sheet(name).append(["Ann"])
            workbook[name].sheet_state = state

    path = book(tmp_path, add)
    assert found(f"{path}#Sheet") == {"further sheets": 2}
    if state != "visible":
        assert found(path) == {"further sheets": 2}


def test_what_hangs_on_cells_and_workbooks_counts(tmp_path):
    def add(workbook):
        sheet = workbook.active
        sheet["A2"].comment, sheet["A3"].comment = Comment("Ann", "me"), Comment("Bob", "me")
        sheet["B2"].hyperlink = "https://example.org/patients/1"
        sheet.add_chart(BarChart(), "D1")
        workbook.defined_names["ann"] = DefinedName("ann", attr_text='"A123"')

    parts = found(book(tmp_path, add))
    assert parts.pop("pictures or charts") >= 1
    assert parts == {"comments": 2, "links": 1, "defined names": 1}


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        ("xl/vbaProject.bin", "macros"),
        ("customXml/item1.xml", "further parts"),
        ("xl/pivotCache/pivotCacheRecords1.xml", "pivot tables"),
        ("xl/externalLinks/externalLink1.xml", "links"),
        ("xl/media/image1.png", "pictures or charts"),
        ("xl/threadedComments/threadedComment1.xml", "comments"),
        ("xl/worksheets/sheet9.xml", "further sheets"),
        (".hidden", "further parts"),
        ("__MACOSX/x", "further parts"),
    ],
)
def test_every_other_part_of_a_workbook_counts(tmp_path, member, kind):
    path = book(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(member, b"<x/>")
    assert found(path) == {kind: 1}


UNSEEN = {"files of a kind that is not looked through": 1}


def test_kinds_of_files_that_are_not_looked_through(tmp_path):
    """As programs write them: nothing here can say that they have no more than the table."""
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("S")
    for place, row in enumerate(ROWS):
        for column, cell in enumerate(row):
            sheet.write(place, column, cell)
    workbook.save(str(tmp_path / "t.xls"))
    open_document(tmp_path)
    pyreadstat.write_sav(FRAME, tmp_path / "t.sav")
    pyreadstat.write_sav(FRAME, tmp_path / "t.zsav", compress=True)
    pyreadstat.write_por(FRAME, tmp_path / "t.por")
    pyreadstat.write_xport(FRAME, tmp_path / "t.xpt")
    FRAME.to_stata(tmp_path / "t.dta", write_index=False)
    for kind in ("xls", "ods", "sav", "zsav", "por", "xpt", "dta"):
        assert found(tmp_path / f"t.{kind}") == UNSEEN
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        FRAME.to_sql("people", connection, index=False)
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT 30 AS age")
        assert further_content(open_source(connection.sql("SELECT 30 AS age"), "t")) == {}
    for kind in ("sqlite", "duckdb"):
        assert found(f"{tmp_path}/t.{kind}#people") == UNSEEN


CONTENT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
    '<table:table table:name="S">{}</table:table></office:spreadsheet></office:body></office:document-content>'
)


def open_document(folder):
    written = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    rows = ["".join(map(written.format, row)) for row in ROWS]
    with zipfile.ZipFile(folder / "t.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<x/>")
        archive.writestr(
            "content.xml", CONTENT.format("".join(f"<table:table-row>{row}</table:table-row>" for row in rows))
        )


@pytest.mark.parametrize(
    ("encoding", "usual", "unusual"),
    [
        ("cp950", b"\xa4Q", b"\xa2\xcc"),
        ("utf-7", b"x", b"+AHg-"),
        ("iso2022_jp", b"x", b"x\x1b(B"),
        ("hz", b"x", b"~{~}x"),
    ],
)
def test_characters_in_other_bytes_mark_records(tmp_path, monkeypatch, encoding, usual, unusual):
    """Both decode to the same text."""
    path = tmp_path / "t.csv"
    for block in (7, 1 << 20):
        monkeypatch.setattr("PETWorks.tables.further_content.BLOCK", block)
        path.write_bytes(b"a,b\n" + b"1,%b\n" % usual * 9)
        assert further_content(open_table(path, encoding=encoding)) == {}
        path.write_bytes(b"a,b\n" + b"1,%b\n" % usual * 9 + b"1,%b\n" % unusual * 2 + b"1,%b\n" % usual)
        assert further_content(open_table(path, encoding=encoding)).keys() == {"lines with characters in unusual bytes"}
    assert further_content(open_table(path, encoding=encoding)) == {"lines with characters in unusual bytes": 2}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp950", "gb18030", "shift_jis"])
def test_text_as_programs_encode_it_is_usual(tmp_path, encoding):
    pd.DataFrame({"of": ["第十病房", "台北"] * 9, "n": range(18)}).to_csv(
        tmp_path / "t.csv", index=False, encoding=encoding
    )
    assert further_content(open_table(tmp_path / "t.csv", encoding=encoding)) == {}


def test_zip_files(tmp_path):
    path = tmp_path / "t.csv.zip"

    def written(*others, comment=b"", of_table=b""):
        with zipfile.ZipFile(path, "w") as archive:
            info = zipfile.ZipInfo("t.csv")
            info.comment = of_table
            archive.writestr(info, TEXT)
            for other in others:
                archive.writestr(other, b"Ann")
            archive.comment = comment
        return found(path)

    assert written() == {}
    assert written(".hidden", "__MACOSX/._t.csv", "Ann/") == {"further files": 3, "bytes outside the table": 1}
    assert written(comment=b"Ann", of_table=b"Bob") == {"comments": 2}
    with zipfile.ZipFile(path, "w") as archive:  # a folder with the table in it tells nothing
        archive.writestr("made/", "")
        archive.writestr("made/t.csv", TEXT)
    assert found(path) == {}


def test_zip_files_have_no_bytes_and_fields_outside_the_table(tmp_path):
    path = tmp_path / "t.csv.zip"

    def written(info="t.csv", changed=bytes):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(info, TEXT)
        path.write_bytes(changed(path.read_bytes()))
        return found(path)

    timed, noted = zipfile.ZipInfo("t.csv"), zipfile.ZipInfo("t.csv")
    timed.extra = struct.pack("<HHBI", 0x5455, 5, 1, 1700000000)
    noted.extra = struct.pack("<HH8s", 0xCAFE, 8, b"Ann Lee ")
    assert (written(), written(timed)) == ({}, {})
    assert written(noted) == {"metadata": 2}
    assert written(changed=lambda packed: packed + b"Ann Lee") == {"bytes outside the table": 1}
    FRAME.to_csv(path, index=False)
    assert found(path) == {}
    with path.open("wb") as file, zipfile.ZipFile(_Unseekable(file), "w") as archive:  # sizes behind the content
        archive.writestr("t.csv", TEXT)
    assert found(path) == {}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("names.csv", "Ann Lee")
        archive.writestr("t.csv", TEXT)
        archive.filelist.pop(0)
    assert found(path) == {"bytes outside the table": 1}


def test_packed_files_have_nothing_behind_their_content(tmp_path):
    path = tmp_path / "t.csv.zip"
    packing = zlib.compressobj(wbits=-15)
    packed = packing.compress(TEXT.encode()) + packing.flush()

    def written(packed, extra=b"", of_header=()):
        sizes = struct.pack("<3I", zlib.crc32(TEXT.encode()), len(packed), len(TEXT))
        start = struct.pack("<5H", 20, 0, 8, 0, 33)
        names = struct.pack("<2H", 5, len(extra))
        header = b"PK\3\4" + start + (struct.pack("<3I", *of_header) if of_header else sizes) + names + b"t.csv" + extra
        entry = b"PK\1\2" + struct.pack("<H", 20) + start + sizes + names + bytes(14) + b"t.csv" + extra
        before = len(header) + len(packed)
        end = b"PK\5\6" + struct.pack("<4H2IH", 0, 0, 1, 1, len(entry), before, 0)
        path.write_bytes(header + packed + entry + end)
        return found(path)

    assert written(packed) == {}
    assert written(packed + b"Ann Lee") == {"bytes outside the table": 1}
    packing = zlib.compressobj(wbits=-15)
    longer = packing.compress(TEXT.encode() + b"\n50,Ann Lee\n" * 100) + packing.flush()
    assert written(longer) == {"bytes outside the table": 1}
    assert written(packed, of_header=(0x416E6E, 0, 0)) == {"bytes outside the table": 1}
    assert written(packed, extra=struct.pack("<HH40s", 0x5455, 40, b"Ann Lee")) == {"metadata": 2}


def test_a_folder_in_a_zip_file_has_no_content(tmp_path):
    path = book(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo("xl/"), b"")
    assert found(path) == {}
    path = book(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo("xl/"), b"Ann Lee")
    assert found(path) == {"bytes outside the table": 1}


class _Unseekable:
    """A stream, as programs write zip files to a pipe."""

    def __init__(self, file):
        self.write, self.flush = file.write, file.flush


def test_gzip_files_are_one_member(tmp_path):
    path = tmp_path / "t.csv.gz"
    long = TEXT + "30,F\n" * 500_000
    path.write_bytes(gzip.compress(long.encode()))
    assert found(path) == {}
    path.write_bytes(gzip.compress(TEXT.encode()) + gzip.compress(b"50,F\n"))
    assert found(path) == {"bytes outside the table": 1}


def test_gzip_files(tmp_path):
    path = tmp_path / "t.csv.gz"
    FRAME.to_csv(path, index=False)
    assert found(path) == {}
    with gzip.open(path, "wt") as file:
        file.write(TEXT)
    assert found(path) == {}
    with path.open("wb") as file, gzip.GzipFile("Ann Lee.csv", "wb", fileobj=file) as packed:
        packed.write(TEXT.encode())
    assert found(path) == {"other file names": 1}
    plain = gzip.compress(TEXT.encode())
    path.write_bytes(plain[:3] + bytes([4 | 16]) + plain[4:10] + b"\x03\x00abcAnn\0" + plain[10:])
    assert found(path) == {"metadata": 2}


def test_zstd_files_are_one_frame(tmp_path):
    path = tmp_path / "t.csv.zst"
    packed = pa.compress(TEXT.encode(), "zstd", asbytes=True)
    long = pa.compress(b"age,sex\n" + b"".join(b"%d,F\n" % (number * 7919) for number in range(500_000)), "zstd")
    for plain in (packed, long.to_pybytes()):
        path.write_bytes(plain)
        assert found(path) == {}
    FRAME.to_csv(tmp_path / "p.csv", index=False)
    duckdb.sql(f"COPY (SELECT * FROM '{tmp_path}/p.csv') TO '{path}' (FORMAT csv, COMPRESSION zstd)")
    assert found(path) == {}
    skipped = struct.pack("<II", 0x184D2A50, 7) + b"Ann Lee"
    for more in (skipped, pa.compress(b"50,F\n", "zstd", asbytes=True)):
        path.write_bytes(packed + more)
        assert found(path) == {"bytes outside the table": 1}


def test_metadata_that_programs_write_themselves_do_not_count(tmp_path):
    path = tmp_path / "t.parquet"
    times = pd.to_datetime(["2026-01-01", "2026-01-02"]).tz_localize("Asia/Taipei")
    FRAME.assign(of=pd.Categorical(["a", "b"]), at=times).to_parquet(path)
    assert found(path) == {}
    pq.write_table(TABLE, path)
    assert found(path) == {}
    pl.DataFrame(TABLE).with_columns(pl.col("sex").cast(pl.Categorical)).write_parquet(path)
    assert found(path) == {}
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT parquet)")
    assert found(path) == {}
    pq.write_table(TABLE.replace_schema_metadata({"org.apache.spark.sql.parquet.row.metadata": "{}"}), path)
    assert found(path) == {}
    FRAME.assign(of=pd.Categorical(["a", "b"])).to_feather(tmp_path / "t.feather")
    assert found(tmp_path / "t.feather") == {}


@pytest.mark.parametrize("write", [pq.write_table, pf.write_feather])
def test_metadata_of_others_count(tmp_path, write):
    path = tmp_path / ("t.parquet" if write is pq.write_table else "t.feather")

    def written(table):
        write(table, path)
        return found(path)

    assert written(TABLE.replace_schema_metadata({"note": "Ann"})) == {"metadata": 1}
    field = pa.field("age", pa.int64(), metadata={"note": "Ann"})
    assert written(TABLE.cast(pa.schema([field, TABLE.schema.field("sex")]))) == {"metadata": 1}
    frame = FRAME.copy()
    frame.attrs["note"] = "Ann"
    made = pa.Table.from_pandas(frame)
    told = json.loads(made.schema.metadata[b"pandas"])
    assert told["attributes"] == {"note": "Ann"}
    assert written(made) == {"metadata": 1}
    for changed in ({"attributes": {}, "more": "Ann"}, {"attributes": {}, "columns": [{"name": "Ann"}]}):
        assert written(made.replace_schema_metadata({"pandas": json.dumps({**told, **changed})})) == {"metadata": 1}


def test_parquet_files_keep_categories_that_no_record_has(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"of": pd.Categorical(["a", "b", None] * 4, categories=["a", "b", "Ann", "Bob"])})
    frame.to_parquet(path)
    assert found(path) == {"values that no record has": 2}
    frame.to_parquet(path, row_group_size=1)
    assert found(path) == {"values that no record has": 2}
    pl.DataFrame(pa.table(TABLE)).write_parquet(path)
    assert found(path) == {}
    frame.to_parquet(path)
    monkeypatch.setattr("PETWorks.tables.formats.parquet.PIECE_ROWS", 2)  # so that a group is read in pieces
    assert found(path) == {"values that no record has": 2}
    kept = frame.assign(of=frame["of"].cat.remove_unused_categories())
    for size in (1, 5, 100):  # a group has all labels, and uses some
        kept.to_parquet(path, row_group_size=size)
        assert found(path) == {}
    many = pa.table({"of": [f"{number % 700:0>2000}" for number in range(2000)]})  # a dictionary that is given up
    pq.write_table(many, path, dictionary_pagesize_limit=1 << 16)
    assert found(path) == {}
    pq.write_table(many, path, use_dictionary=False, column_encoding={"of": "DELTA_BYTE_ARRAY"})
    assert found(path) == {}


def parquet_pieces(path, table=None, **options):
    """What is in front of the footer, and the footer."""
    table = TABLE if table is None else table
    pq.write_table(table, path, compression="none", store_schema=False, **options)
    content = path.read_bytes()
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    return content[:end], content[end:-8]


def with_footer(path, front, footer):
    path.write_bytes(front + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return found(path)


def test_parquet_files_have_no_bytes_that_no_column_uses(tmp_path):
    path = tmp_path / "t.parquet"
    front, footer = parquet_pieces(path)
    assert with_footer(path, front, footer) == {}
    assert with_footer(path, front + bytes(64), footer) == {}  # as Hadoop aligns
    assert with_footer(path, front + b"Ann Lee", footer) == {"bytes outside the table": 1}
    assert with_footer(path, front, footer + b"Ann Lee") == {"bytes outside the table": 1}


def test_parquet_files_have_no_fields_that_readers_skip(tmp_path):
    path = tmp_path / "t.parquet"
    front, footer = parquet_pieces(path)
    assert footer.endswith(b"\0")
    assert with_footer(path, front, footer[:-1] + b"\xd8\x07Ann Lee\0") == {"metadata": 1}


def test_statistics_of_parquet_files_are_values(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"age": [30, 40, 50], "of": ["flu", "gout", "measles"]})
    front, footer = parquet_pieces(path, table)
    assert with_footer(path, front, footer) == {}
    kind = "values that no record has"
    assert with_footer(path, front, footer.replace(b"measles", b"Ann Lee")) == {kind: 1}
    fifty = (50).to_bytes(8, "little")
    assert with_footer(path, front, footer.replace(fifty, b"Ann Lee\0")) == {kind: 1}
    long = pa.table({"of": ["b" * 100, "a" * 100]})
    pl.DataFrame(long).write_parquet(path)  # cuts the statistics off
    assert found(path) == {}


def test_dictionaries_of_parquet_files_have_each_value_once(tmp_path):
    path = tmp_path / "t.parquet"
    kind = "values that no record has"
    for dictionary in ([30, 40, 41], ["flu", "gout", "cold"]):
        front, footer = parquet_pieces(path, pa.table({"x": dictionary}), write_statistics=False)
        assert front.count(b"\x02\x03\x24\x00") == 1  # the numbers 0, 1, 2
        assert with_footer(path, front, footer) == {}
        unused = front.replace(b"\x02\x03\x24\x00", b"\x02\x03\x14\x00")  # 0, 1, 1
        assert with_footer(path, unused, footer) == {kind: 1}
        if isinstance(dictionary[0], int):
            twice = front.replace((41).to_bytes(8, "little"), (40).to_bytes(8, "little"))
            assert with_footer(path, twice, footer) == {kind: 1}
        else:
            with pytest.raises(InputError, match="cannot be read"):
                with_footer(path, front.replace(b"cold", b"gout"), footer)


def test_parquet_files_as_programs_write_them_have_no_more(tmp_path):
    path = tmp_path / "t.parquet"
    ages = [30, 40, None] * 100
    table = pa.table(
        {
            "age": ages,
            "small": pa.array(ages, pa.int8()),
            "large": pa.array([2**64 - 1, 2**63, None] * 100, pa.uint64()),
            "real": [-0.0, 1.5, None] * 100,
            "of": ["ÿ" * 90, "b" * 200, None] * 100,
            "at": pa.array([0, 1, -1] * 100, pa.timestamp("us")),
            "is": [True, False, None] * 100,
            "no": pa.nulls(300),
        }
    )
    for options in (
        {},
        {"write_page_index": True, "data_page_size": 100},
        {"data_page_version": "2.0", "compression": "zstd", "write_page_checksum": True},
        {"row_group_size": 50, "use_dictionary": False, "compression": "gzip"},
        {"use_deprecated_int96_timestamps": True},
        {"coerce_timestamps": "ms", "allow_truncated_timestamps": True, "compression": "brotli"},
    ):
        pq.write_table(table, path, **options)
        assert found(path) == {}
    pl.DataFrame(table).write_parquet(path, row_group_size=100)
    assert found(path) == {}
    duckdb.sql(f"COPY (SELECT i % 5 AS a, 'x' || (i % 3) AS b FROM range(3000) t(i)) TO '{path}' (FORMAT parquet)")
    assert found(path) == {}


@pytest.mark.parametrize("seed", range(40))
def test_damaged_parquet_files_raise_nothing_else(tmp_path, seed):
    path = tmp_path / "t.parquet"
    draw = random.Random(seed)
    front, footer = parquet_pieces(path)
    content = bytearray(front + footer)
    for _ in range(draw.randrange(1, 6)):
        content[draw.randrange(4, len(content))] = draw.randrange(256)
    with suppress(InputError):
        with_footer(path, bytes(content[: len(front)]), bytes(content[len(front) :]))


def test_feather_files_have_more_places(tmp_path):
    path = tmp_path / "t.feather"
    pf.write_feather(FRAME.assign(of=pd.Categorical(["a", "b"], categories=["a", "b", "Ann", "Bob"])), path)
    assert found(path) == {"values that no record has": 2}
    with ipc.new_file(path, TABLE.schema) as writer:
        for batch in TABLE.to_batches():
            writer.write_batch(batch, custom_metadata={"note": "Ann"})
    assert found(path) == {"metadata": 1}
    column = pa.array(["a", "b", "a", "b"]).dictionary_encode()  # each piece has the whole dictionary and uses a part
    table = pa.table({"of": column})
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    assert found(path) == {}


def test_feather_files_keep_masked_values_below_missing_cells(tmp_path):
    path = tmp_path / "t.feather"
    ages = pd.DataFrame(
        {"age": pd.array([41, 52, 63, 74], "Int64"), "of": pd.array([True, False, True, True], "boolean")}
    )
    ages.to_feather(path)
    assert found(path) == {}
    ages.where(ages["age"] > 60).to_feather(path)
    assert found(path) == {"values that no record has": 3}
    frame = pl.DataFrame({"age": [41, 52, 63]}).with_columns(old=pl.when(pl.col("age") > 60).then(pl.col("age")))
    frame.drop("age").write_ipc(path)
    assert found(path) == {"values that no record has": 2}
    present = pa.py_buffer(b"\x01")
    for kind in (pa.string(), pa.large_string()):
        texts = pa.Array.from_buffers(kind, 2, [present, *pa.array(["flu", "Ann"], kind).buffers()[1:]])
        pf.write_feather(pa.table({"of": texts}), path)
        assert found(path) == {"values that no record has": 1}


def test_feather_files_keep_texts_of_other_records(tmp_path):
    """A part of a table that was not copied: of views all texts, of others the beginning of the next."""
    path = tmp_path / "t.feather"
    notes = pa.array([f"a long note about patient {number}" for number in range(50)])
    for packing in ("uncompressed", "zstd"):
        for kind in (pa.string(), pa.large_string(), pa.string_view()):
            table = pa.table({"of": notes.cast(kind), "n": range(50)})
            pf.write_feather(table, path, compression=packing)
            assert found(path) == {}
            pf.write_feather(table.slice(0, 5), path, compression=packing)
            assert found(path) == {"values that no record has": 1}
            assert b"patient 5" in path.read_bytes() or kind != pa.string_view() or packing == "zstd"
            for copied in (pa.array(notes.to_pylist()[:5], kind), pa.nulls(5, kind), pa.array(["", None], kind)):
                pf.write_feather(pa.table({"of": copied}), path, compression=packing)
                assert found(path) == {}
            for size in (1, 7, 49):  # pieces of one table
                pf.write_feather(table, path, compression=packing, chunksize=size)
                assert found(path) == {}
        frame = pl.DataFrame({"of": notes, "n": range(50)})
        for part in (frame, frame.filter(pl.col("n") % 2 == 0), frame.head(3), pl.concat([frame, frame.head(2)])):
            part.write_ipc(path, compression=packing)
            assert found(path) == {}


@pytest.mark.parametrize("packing", ["uncompressed", "lz4"])
def test_feather_files_have_no_bytes_outside_their_cells(tmp_path, packing):
    path = tmp_path / "t.feather"
    ages = pa.array([30, 40, 50], pa.int8())
    pf.write_feather(pa.table({"age": ages, "sex": ["F", "M", None]}), path, compression=packing)
    plain = path.read_bytes()
    footer = len(plain) - 10 - struct.unpack("<i", plain[-10:-6])[0]
    assert found(path) == {}
    path.write_bytes(plain[:footer] + b"Ann Lee " + plain[footer:])
    assert found(path) == {"bytes outside the table": 1}
    if packing == "uncompressed":
        place = plain.index(bytes([30, 40, 50, 0, 0, 0])) + 3  # behind the ages, where the file is filled up
        path.write_bytes(plain[:place] + b"Ann" + plain[place + 3 :])
        assert found(path) == {"bytes outside the table": 1}


def test_missing_cells_as_programs_write_them_do_not_count(tmp_path):
    path = tmp_path / "t.feather"
    columns = {
        "whole": pd.array([1, None, 3, None], "Int64"),
        "real": [1.5, None, 2, None],
        "nullable": pd.array([1.5, None, 2, None], "Float32"),
        "text": ["a", None, "b", None],
        "flag": pd.array([True, None, False, None], "boolean"),
        "day": pd.to_datetime(["2020-01-01", None, "2021-01-01", None]),
        "kind": pd.Categorical(["a", None, "b", None]),
        "nothing": [None] * 4,
    }
    pd.DataFrame(columns).to_feather(path)
    assert found(path) == {}
    table = pa.table({name: pa.array(list(cells), from_pandas=True) for name, cells in columns.items()})
    pf.write_feather(table.append_column("cents", pa.array([1, None, 2, None], pa.decimal128(9, 2))), path)
    assert found(path) == {}
    kinds = pl.DataFrame({"kind": ["a", None, "b"], "n": [1, None, 2], "b": [True, None, False]})
    kinds.with_columns(pl.col("kind").cast(pl.Categorical).alias("c")).write_ipc(path)
    assert found(path) == {}


def test_files_together_and_tables_in_memory(tmp_path):
    for name in ("1", "2"):
        pq.write_table(TABLE.replace_schema_metadata({"note": "Ann"}), tmp_path / f"{name}.parquet")
    assert found(tmp_path / "*.parquet") == {"metadata": 2, "files with a part of the records each": 2}
    assert found(tmp_path / "1*.parquet") == {"metadata": 1}
    assert further_content(open_source(TABLE.replace_schema_metadata({"note": "Ann"}), "t")) == {}


def test_every_kind_has_a_name():
    assert [kind for kind in KINDS if f"look.{kind}" not in TEXTS] == []
