"""Tables as people really write them, and tables that are broken."""

import csv
import datetime
import decimal
import io
import tempfile
from encodings.aliases import aliases
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import CSV, Release
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engines.engine import load_rows
from PETWorks.errors import InputError, ParameterError, PETWorksError, RoleError
from PETWorks.tables.opening import open_source


def cells(data):
    """The table as lists of texts, in the order of the rows."""
    source = open_source(data, "the table")
    table = load_rows(source, source.names)
    return {name: [column.values[code] for code in column.codes.tolist()] for name, column in table.columns.items()}


def written(folder, content):
    path = folder / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


PLAIN = {"a": ["1", "2"], "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1;x\n2;y\n", PLAIN),
        ("a,b\n1,x\n2,y", PLAIN),
        ("a\tb\n1\tx\n2\ty\n", PLAIN),
        ("a|b\n1|x\n2|y\n", PLAIN),
        ("a;b\r\n1;x\r\n2;y\r\n", PLAIN),
        ("\ufeffa;b\n1;x\n2;y\n", PLAIN),
        (" a ; b\n1 ;  x\n 2; y \n", PLAIN),
        ('"a";"b"\n"1";"x"\n2;"y"\n', PLAIN),
        ('a; "b"\n1; "x"\n2; "y"\n', PLAIN),
        ("a;b\n1;x\n\n2;y\n\n\n", PLAIN),
        ("a;b\r1;x\r2;y\r", PLAIN),
        ('\ufeff"a";b\n\n1;x\n"2";y\n', PLAIN),
        ("a\n\n\n", {"a": [None, None]}),
        ('a;b\n1; "say ""hi"""\n2;"say ""hi"""\n', {"a": ["1", "2"], "b": ['say "hi"', 'say "hi"']}),
        ('a;b\n1; "x" and "y"\n', {"a": ["1"], "b": ['"x" and "y"']}),
        (' "a\nb"\n1\n', {'"a': ['b"', "1"]}),
        ('a;b\n"A\rB";1\n"A\rB";1\n', {"a": ["A\rB"] * 2, "b": ["1", "1"]}),
        ('a;b\n"1;5";x\n"say ""hi""";y\n', {"a": ["1;5", 'say "hi"'], "b": ["x", "y"]}),
        ('a;b\n"two\nlines";x\n2;y\n', {"a": ["two\nlines", "2"], "b": ["x", "y"]}),
        ('"a\nb";c\n1;2\n', {"a\nb": ["1"], "c": ["2"]}),
        ("a;b\n007;1.0\n7;1\n", {"a": ["007", "7"], "b": ["1.0", "1"]}),
        ("a;b\nNA;null\n;nan\n", {"a": ["NA", None], "b": ["null", "nan"]}),
        ("a;b\n;x\n  ;y\n", {"a": [None, None], "b": ["x", "y"]}),
        ("a\n1\n\n2\n", {"a": ["1", None, "2"]}),
        ("a;b\n1,5;x\n2,5;y\n", {"a": ["1,5", "2,5"], "b": ["x", "y"]}),
        ("a,b;c\n1;x\n2;y\n", {"a,b": ["1", "2"], "c": ["x", "y"]}),
        ('a;b\n5" pipe;x\n', {"a": ['5" pipe'], "b": ["x"]}),
        ("姓名;病\n王;流感\n", {"姓名": ["王"], "病": ["流感"]}),
    ],
)
def test_csv_variants(tmp_path, text, expected):
    assert cells(written(tmp_path, text)) == expected


@pytest.mark.parametrize("encoding", ["idna", "punycode", "unicode_escape", "raw-unicode-escape", "IDNA"])
def test_codecs_that_are_not_for_files_are_refused(tmp_path, encoding):
    path = written(tmp_path, b"a;b\n1;x\n")
    with pytest.raises(ParameterError, match="no text file is in the encoding"):
        CSV(path, encoding=encoding)


@pytest.mark.parametrize("encoding", sorted({*aliases.values(), "undefined", "mbcs", "oem", "palmos", "rot13"}))
def test_every_codec_reads_a_table_or_gives_an_error_of_ours(tmp_path, encoding):
    try:
        raw = "a;b\nx;1\n".encode(encoding)
    except (LookupError, UnicodeError):
        raw = b"a;b\nx;1\n"
    try:
        assert cells(CSV(written(tmp_path, raw), encoding=encoding)) == {"a": ["x"], "b": ["1"]}
    except PETWorksError as error:
        assert "encoding" in str(error) or "the bytes are not" in str(error)  # noqa: PT017


@pytest.mark.parametrize("address", ["s3://bucket/table", "FILE:///tmp/table.csv", "hdfs://host/table"])
def test_addresses_of_a_cluster_need_spark(monkeypatch, address):
    monkeypatch.setattr("PETWorks.tables.frames.find_spec", lambda name: None)
    with pytest.raises(InputError, match="addresses are read with Spark: pip install") as caught:
        open_source(address, "table")
    assert "bucket" not in str(caught.value)


def test_separator_and_encoding_can_be_named(tmp_path):
    path = written(tmp_path, "a:b\n1:é\n".encode("latin-1"))
    assert cells(CSV(path, separator=":", encoding="latin-1")) == {"a": ["1"], "b": ["é"]}
    with pytest.raises(ParameterError, match="no encoding is called 'klingon'"):
        CSV(path, encoding="klingon")
    with pytest.raises(InputError, match="line 2: the bytes are not utf-8"):
        CSV(path, encoding="utf-8")
    with pytest.raises(ParameterError, match="expected a separator of one ASCII character"):
        CSV(path, separator=";;")
    wide = written(tmp_path, "a;b\n1;x\n".encode("utf-16"))
    assert cells(CSV(wide, encoding="utf-16")) == {"a": ["1"], "b": ["x"]}


def test_big5_is_found_by_looking(tmp_path):
    text = "姓名;疾病;郵遞區號\n王小明;流感;106\n李四;胃炎;*\n"
    path = written(tmp_path, text.encode("cp950"))
    assert cells(path) == {"姓名": ["王小明", "李四"], "疾病": ["流感", "胃炎"], "郵遞區號": ["106", "*"]}
    roles = {"郵遞區號": QUASI_IDENTIFIER}
    assert Release(path, roles).encoding == "cp950"


@pytest.mark.parametrize(
    "text", ["name;b\n婕;2\n", "name;b\n茜;2\nA婕;1\n", "name;b\n" + "王小明;1\n" * 50 + "abc;1\n" * 9 + "婕;1\n"]
)
def test_rare_characters_are_big5_all_the_same(tmp_path, text):
    assert "b" in cells(written(tmp_path, text.encode("cp950")))


@pytest.mark.parametrize("text", ["name;b\nRenée;x\nZoë;y\n", "name;b\nMünchen;x\n", "name;b\nFrançois;x\nJosé;y\n"])
def test_western_text_does_not_become_chinese(tmp_path, text):
    with pytest.raises(InputError, match=r"t.csv, line 2: the bytes are neither UTF-8 nor Big5"):
        cells(written(tmp_path, text.encode("latin-1")))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv: the file is empty"),
        (b"\n\n", "t.csv: the file is empty"),
        (b"\xef\xbb\xbf", "t.csv: the file is empty"),
        (b"a;b\n", "t.csv: the file has a header but no records"),
        (b"a;b", "t.csv: the file has a header but no records"),
        (b"a;b\n1;2\nSECRET\n", "t.csv, line 3: 1 cell, but the header has 2"),
        (b"a;b\n\n1;2;SECRET\n", "t.csv, line 3: 3 cells, but the header has 2"),
        (b"a;b\n1;SECRET\xff\n", "t.csv, line 2: the bytes are neither UTF-8 nor Big5"),
        (b"a;b\n1;2\nSECRET;x\0\n", "t.csv, line 3: contains a NUL byte"),
        (b"\xff\xfea\0;\0b\0\n\0", "t.csv: the file has a header but no records"),
        (b'a;b\n1;"SECRET\n2;3\n4;5\n', "t.csv, line 2: a quote is not closed"),
        (b"a;b;a \n1;2;3\n", "t.csv: duplicate column names 'a'"),
        (b"a;b\n" + b"x" * (5 << 20) + b";1\n", "t.csv, line 2: the line is longer than 4 MiB"),
        (b"PK\x03\x04SECRET", "t.csv: the file cannot be unpacked; it may be truncated or damaged"),
        (b"\x1f\x8bSECRET", "t.csv: the file cannot be unpacked; it may be truncated or damaged"),
        (b"PAR1SECRET", "t.csv: not a readable Parquet file"),
        (b"ARROW1\0\0SECRET", "t.csv: not a readable Feather file"),
    ],
)
def test_broken_files(tmp_path, content, message):
    with pytest.raises(InputError) as error:
        cells(written(tmp_path, content))
    assert str(error.value).startswith(message)
    assert "SECRET" not in str(error.value)


@pytest.mark.slow
def test_a_quoted_cell_in_the_last_block_does_not_swallow_rows(tmp_path, monkeypatch):
    """More than one block of rows, one of them with an open quote: nothing is lost without a word."""
    monkeypatch.setattr("PETWorks.tables.formats.csv.LONGEST_LINE", 1 << 19)
    rows = "".join(f"{number};x\n" for number in range(100_000))
    assert len(rows) > 1 << 19
    with pytest.raises(InputError, match="a quote is not closed"):
        cells(written(tmp_path, "a;b\n" + rows + '"1;x\n' + rows))
    whole = cells(written(tmp_path, "a;b\n" + rows + '"1\n2";x\n' + rows))
    assert len(whole["a"]) == 200_001
    assert whole["a"][100_000] == "1\n2"


@pytest.mark.parametrize("cell", ['"1 Main St\nTown; 5"', '"A\rB"', '"A\r\nB"', '"A""\n""B"'])
@pytest.mark.parametrize("shift", range(6))
def test_line_ends_in_cells_where_blocks_end(tmp_path, monkeypatch, cell, shift):
    """Blocks of a few bytes: cells with line ends lie across every border."""
    monkeypatch.setattr("PETWorks.tables.formats.csv.LONGEST_LINE", 64)
    monkeypatch.setattr("PETWorks.tables.formats.csv.SCAN_BLOCK", 16)
    monkeypatch.setattr("PETWorks.tables.formats.csv.SLOW_ROWS", 5)
    text = "q;s\n" + "y;1\n" * shift + "yy;1\n" * shift + f"x;{cell}\n" * 7
    expected = list(csv.reader(io.StringIO(text, newline=""), delimiter=";"))[1:]
    found = cells(written(tmp_path, text))
    assert list(zip(found["q"], found["s"], strict=True)) == [tuple(row) for row in expected]


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("before", range(4, 20))
def test_one_record_with_a_line_end_is_not_read_as_two(tmp_path, monkeypatch, before, line_end):
    """Cut at the line end inside the quotes, both halves have two cells."""
    monkeypatch.setattr("PETWorks.tables.formats.csv.LONGEST_LINE", 64)
    cell = f"1 Main St{line_end}Town; 5"
    found = cells(written(tmp_path, "q;s\n" + "y;1\n" * before + f'Ann;"{cell}"\n'))
    assert found == {"q": ["y"] * before + ["Ann"], "s": ["1"] * before + [cell]}


SIGNS = st.sampled_from('ab;"\n\r é')
QUOTED = st.text(SIGNS, max_size=5).map(lambda text: '"' + text.replace('"', '""') + '"')
ROW = st.tuples(*[st.text("ab é", max_size=4) | QUOTED] * 2).map(";".join)


@examples(300)
@given(text=st.lists(ROW, min_size=1, max_size=5).map("\n".join) | st.text(SIGNS, max_size=40))
def test_no_row_and_no_cell_is_lost(text):
    """Whatever is accepted is what Python's own reader has, cell by cell."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("PETWorks.tables.formats.csv.LONGEST_LINE", 4096)
        patch.setattr("PETWorks.tables.formats.csv.SCAN_BLOCK", 8)
        path = written(Path(folder), "q;s\n" + text)
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=";") if row]
        try:
            found = cells(CSV(path, separator=";"))
        except InputError:
            assume(False)
        kept = [[cell.strip() or None for cell in row] for row in rows]
        read = [list(row) for row in zip(found["q"], found["s"], strict=True)]
        assert len(read) == len(kept)
        for one, other in zip(read, kept, strict=True):
            assert one == other or any(cell and '"' in cell for cell in other)


def cells_or_error(source, **how):
    try:
        pieces = list(source.read(source.names, **how))
        return [[cell for piece in pieces for cell in piece.column(at).to_pylist()] for at in range(len(source.names))]
    except InputError as error:
        return str(error)


@examples(1000)
@given(
    cells=st.lists(st.text(st.sampled_from('a;,|"  é'), max_size=7), min_size=2, max_size=12),
    separator=st.sampled_from(";,|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    end=st.sampled_from(["", "\n", "\r\n"]),
)
def test_fast_and_slow_readers_have_one_grammar(cells, separator, encoding, end):
    """The same cells, or the same error; at once or in pieces."""
    rows = [separator.join(pair) for pair in zip(cells[::2], cells[1::2], strict=False)]
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), ("\n".join([f"q{separator}s", *rows]) + end).encode(encoding))
        try:
            fast, slow = (CSV(path, separator, None if encoding == "utf-8-sig" else encoding) for _ in range(2))
        except InputError:
            assume(False)
        slow.is_plain = False
        expected = cells_or_error(slow)
        assert cells_or_error(fast) == expected
        assert cells_or_error(fast, in_pieces=True) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a;b\n1;"can', "line 2: a quote is not closed"),
        ('a;b\n1;"can\n', "line 2: a quote is not closed"),
        ('a;b\n1;"flu"x\n', "line 2: text follows a closing quote"),
        ('a;b\n1;"flu"x\n2;"two\nlines"\n', "line 2: text follows a closing quote"),
        ('a;b\n1;"flu" \n', "line 2: text follows a closing quote"),
        ('a;b\n1;"flu",x\n', "line 2: text follows a closing quote"),
        # Pairs of quotes that are none: each seems to begin behind a separator or a blank.
        ('a;b;c;d\n "x;";a "x; ";1\n', "line 2: text follows a closing quote"),
    ],
)
@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_cut_or_continued_quoted_cell_is_an_error(tmp_path, text, message, in_pieces):
    source = CSV(written(tmp_path, text), ";")
    assert cells_or_error(source, in_pieces=in_pieces) == f"t.csv, {message}"


def test_files_with_quotes_around_every_cell_are_read_fast(tmp_path, monkeypatch):
    """Whether there is a blank behind the separator or not."""
    monkeypatch.setattr(CSV, "_parse_slowly", None)
    for text in ('"a","b"\n"1","x ""y"" z"\n', '"a", "b"\n"1", "x"\n', '"a","b"\n"1,5",""\n', 'a,b\n"""x""",y\n'):
        assert cells(written(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        cells(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match=r"cannot read .* not a regular file"):
        cells(tmp_path)
    with pytest.raises(InputError, match=r"expected a path or an Arrow-compatible data frame .*, got int"):
        cells(5)


def test_truncated_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": ["SECRET"] * 5000}), path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match="not a readable Parquet file"):
        cells(path)


def test_every_arrow_type_becomes_text(tmp_path):
    table = pa.table(
        {
            "int": pa.array([35, None], pa.int16()),
            "float": pa.array([1.0, 2.5]),
            "bool": pa.array([True, None]),
            "date": pa.array([datetime.date(2020, 1, 31), None]),
            "decimal": pa.array([decimal.Decimal("1.50"), None]),
            "null": pa.nulls(2),
            "view": pa.array(["x", ""]).cast(pa.string_view()),
            "dictionary of int": pa.array([7, None]).dictionary_encode(),
            "blank": pa.array([" ", " x "]),
            " padded ": pa.array(["1", "2"]),
        }
    )
    expected = {
        "int": ["35", None],
        "float": ["1.0", "2.5"],
        "bool": ["true", None],
        "date": ["2020-01-31", None],
        "decimal": ["1.50", None],
        "null": [None, None],
        "view": ["x", None],
        "dictionary of int": ["7", None],
        "blank": [None, "x"],
        "padded": ["1", "2"],
    }
    assert cells(table) == expected
    pa.feather.write_feather(table.drop_columns(["view"]), str(tmp_path / "t.feather"))
    assert cells(tmp_path / "t.feather") == {name: column for name, column in expected.items() if name != "view"}
    pa.parquet.write_table(table.drop_columns(["view", "null"]), tmp_path / "t.parquet")
    assert cells(tmp_path / "t.parquet")["float"] == ["1.0", "2.5"]


def test_frames_that_have_no_text():
    with pytest.raises(InputError, match=r"column 'a' has cells of type .*list"):
        cells(pa.table({"a": [[1], [2]]}))
    with pytest.raises(InputError, match="it may mix types") as error:
        cells(pd.DataFrame({"a": ["SECRET", 1]}))
    assert "SECRET" not in str(error.value)
    with pytest.raises(InputError, match="no records"):
        cells(pl.DataFrame({"a": []}, schema={"a": pl.String}))
    with pytest.raises(InputError, match="duplicate column names 'a'"):
        cells(pa.table({"a": ["1"], "a ": ["2"]}))


@pytest.mark.parametrize("kind", ["frame", "parquet", "feather"])
def test_two_columns_of_one_name_are_an_error(tmp_path, kind):
    table = pa.Table.from_arrays([pa.array(["1"]), pa.array(["2"]), pa.array(["3"])], names=["a", "b", "b"])
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        pa.parquet.write_table(table, path)
    elif kind == "feather":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(InputError, match="duplicate column names 'b'"):
        open_source(table if kind == "frame" else path, "the table")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([b"\xff", b"SECRET"]),
        pa.array([{"field": "SECRET"}]),
        pa.array([b"\xff"], pa.binary()).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([["SECRET"]])),
    ],
    ids=["binary", "struct", "dictionary of binary", "dictionary of lists"],
)
def test_columns_that_are_no_text_are_named(column):
    with pytest.raises(InputError, match=r"column 'a' has cells (of type .*, not all|that are not valid)") as error:
        cells(pa.table({"a": column}))
    assert "SECRET" not in str(error.value)


def test_columns_of_nulls():
    assert cells(pd.DataFrame({"a": [float("nan")] * 2})) == {"a": [None, None]}
    numbers = pa.array([float("nan"), None, -0.0, 0.0])
    for column in (numbers, numbers.cast(pa.float32()), numbers.dictionary_encode()):
        assert cells(pa.table({"a": column})) == {"a": [None, None, "0.0", "0.0"]}
    assert cells(pa.table({"a": pa.chunked_array([[1.5], [None], [2.0]])})) == {"a": ["1.5", None, "2.0"]}


def test_a_frame_that_fails_as_it_is_read_does_not_show_why():
    relation = duckdb.sql("select cast(x as int) a from (values ('SECRET')) t(x)")
    with pytest.raises(InputError, match="the database cannot be read") as error:
        cells(relation)
    assert "SECRET" not in str(error.value)
    with pytest.raises(InputError, match="column 'a' cannot be converted to Arrow"):
        cells(pd.DataFrame({"b": ["x", "y"], "a": ["SECRET", 1]}))
    with pytest.raises(InputError, match="cannot be converted to Arrow"):
        cells({"a": [2**70]})


def test_damaged_feather_files_do_not_crash(tmp_path):
    """Every byte in turn: a clear error or a table, never a crash."""
    path = tmp_path / "t.feather"
    table = pa.table({"a": pa.array(["x", "y", "x"] * 3).dictionary_encode()})
    pa.feather.write_feather(table, str(path), compression="uncompressed")
    whole = path.read_bytes()
    refused = 0
    for at in range(8, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            cells(path)
        except InputError:
            refused += 1
    assert refused > 0


def test_a_sliced_frame_is_read_where_it_starts():
    table = pa.table({"a": pa.array([None, "x", None, "y", "z"]).dictionary_encode()})
    assert cells(table.slice(1, 3)) == {"a": ["x", None, "y"]}


# --- roles


def test_roles_must_fit_the_columns():
    table = {"zip": ["1"], "age": ["2"]}
    with pytest.raises(RoleError, match=r"^roles name columns that are not in the data: 'zpi'; it has 'zip', 'age'$"):
        Release(table, {"zpi": QUASI_IDENTIFIER})
    with pytest.raises(RoleError, match=r"no role is called 'quasi identifier'; did you mean 'quasi_identifier'"):
        Release(table, {"zip": "quasi identifier"})
    with pytest.raises(RoleError, match="expected roles as a dict"):
        Release(table, ["zip"])
    with pytest.raises(ParameterError, match="suppressed is 'apart' or 'class'"):
        Release(table, {}, suppressed="gone")


def test_identifiers_may_have_been_removed():
    release = Release({"zip": ["1"], "age": ["2"]}, {"zip": QUASI_IDENTIFIER, "name": IDENTIFIER})
    assert (release.identifiers, release.columns) == (("name",), ("zip", "age"))
    for role in (SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE):
        with pytest.raises(RoleError, match=r"^roles name columns that are not in the data: 'name'"):
            Release({"zip": ["1"]}, {"zip": QUASI_IDENTIFIER, "name": role})


def test_a_file_without_a_header_does_not_show_its_first_record(tmp_path):
    path = written(tmp_path, "SECRET;35;flu\nx;36;flu\n")
    shown = r"3 columns; the first line looks like data \(2 of 3 names\); add a header"
    with pytest.raises(RoleError, match=rf"'zip'; it has {shown}") as error:
        Release(path, {"zip": QUASI_IDENTIFIER})
    assert "SECRET" not in str(error.value)
    assert "2 of 3" in str(error.value), "35 is a number, and flu is a value of its own column"


@pytest.mark.parametrize(
    "record",
    [
        "SECRET;A123456789",
        "SECRET;1980-01-31",
        "SECRET;ann@example.org",
        "SECRET;47*",
        "SECRET;0912-345-678",
        "SECRET;[20, 30)",
        "SECRET;男",
        "SECRET;female",
        f"SECRET;{'text ' * 20}",
        "SECRET;",
        "SECRET;flu",
        "SECRET;王小明",
        "SECRET;歐陽怡君",
        "SECRET;Mary Smith",
        "SECRET;JONES, ROBERT",
        "SECRET;Smith",
        "SECRET;Chen",
    ],
)
def test_no_message_lists_a_record_as_columns(tmp_path, record):
    """In all errors that list columns of a table."""
    path = written(tmp_path, f"{record}\nx;flu\n")
    (tmp_path / "more").mkdir()
    other = written(tmp_path / "more", "zip;age\n1;2\n")
    twice = tmp_path / "twice.csv"
    twice.write_text(f"{record};SECRET\nx;flu;y\n")
    roles = {"zip": QUASI_IDENTIFIER}
    for make in (
        lambda: Release(path, roles),
        lambda: Release(path, {}, privacy_unit="zip"),
        lambda: Release(other, roles, original=path),
        lambda: Release(path, {}, original=other),
        lambda: Release(twice, roles),
        lambda: Release(f"{tmp_path}/**/t.csv", roles),
    ):
        with pytest.raises(PETWorksError, match=r"the first line looks like data \(\d of \d names\)") as error:
            make()
        assert "SECRET" not in str(error.value)


def test_a_pattern_counts_each_record_once(tmp_path, monkeypatch):
    (tmp_path / "sub/deep").mkdir(parents=True)
    (tmp_path / "sub/deep/a.csv").write_text("zip\n1\n2\n")
    monkeypatch.chdir(tmp_path)
    for pattern in ("**/*.csv", "**/**/*.csv", "**/**/**/*.csv", f"{tmp_path}/**/**/*.csv", "./**//**/a.csv"):
        assert Release(pattern, {"zip": QUASI_IDENTIFIER}).records == 2
    for link in (Path.symlink_to, Path.hardlink_to):
        link(tmp_path / "sub/b.csv", tmp_path / "sub/deep/a.csv")
        with pytest.raises(InputError, match=r"matches a file twice: 'b.csv', 'a.csv' are links to the same records"):
            Release("**/*.csv", {"zip": QUASI_IDENTIFIER})
        (tmp_path / "sub/b.csv").unlink()


def test_original_and_release_have_the_same_columns():
    released, original = {"a": ["1"], "b": ["2"]}, {"a": ["1"], "b": ["2"], "name": ["SECRET"]}
    roles = {"a": QUASI_IDENTIFIER}
    with pytest.raises(InputError, match=r"different columns: 'name' only in the original"):
        Release(released, roles, original=original)
    with pytest.raises(InputError, match=r"different columns: 'b' only in the release"):
        Release(released, roles, original={"a": ["1"]})
    assert Release(released, roles | {"name": IDENTIFIER}, original=original).has_original


def test_a_role_may_name_a_padded_column():
    made = Release(
        {" a ": ["1"], "s": ["2"], "n": ["3"]},
        {"a ": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE, "n": INSENSITIVE_ATTRIBUTE},
    )
    assert made.quasi_identifiers == ("a",)
    assert made.sensitive_attributes == ("s",)


def test_errors_are_value_errors():
    assert issubclass(PETWorksError, ValueError)
