"""CSV files that are written: cells as they are judged, one way to write each of them."""

import io
import re
import tempfile
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import CSV
from PETWorks.errors import InputError
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import write_whole
from PETWorks.tables.writing import release_content, whole_table

FIELDS = [
    "",
    "a",
    " b ",
    "病",
    '"q"',
    '""',
    '"say ""hi"""',
    '5" pipe',
    ' "z"',
    "功|x",
    '"two\nlines"',
    '"two\r\nlines"',
]
NEW = ["", "30-39", 'a"b', "x;y,z|w\tv", " blank", "blank\u3000", "two\nlines", "\r", "臺北", None]


def fields_of(text, separator):
    """The records of a CSV file as raw fields and line end, one character after the other."""
    records, fields, at = [], [], 0
    while at < len(text):
        start = at
        if text[at] == '"':
            at += 1
            while text[at] != '"' or text[at + 1 : at + 2] == '"':
                at += 2 if text[at] == '"' else 1
            at += 1
        else:
            while at < len(text) and text[at] not in f"{separator}\r\n":
                at += 1
        fields.append(text[start:at])
        end = "\r\n" if text.startswith("\r\n", at) else text[at : at + 1]
        at += len(end)
        if end != separator:
            records.append((fields, end))
            fields = []
        elif at == len(text):
            records.append(([*fields, ""], ""))
    return records


def judged(cell):
    """What a measure sees of a cell."""
    text = (cell or "").strip()
    if cell and cell[0].isspace() and re.fullmatch(r'"([^"]|"")*"', text):  # a reader sees no quote behind a blank
        text = text[1:-1].replace('""', '"').strip()
    return text


def value(field):
    """The cell that a raw field is."""
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def written(cell, separator, *, alone, is_name=False):
    text = judged(cell)
    signs = ";,|\t" if alone or is_name else separator
    needed = any(sign in text for sign in f'{signs}{separator}"\r\n') or (alone and not text)
    return '"' + text.replace('"', '""') + '"' if needed else text


def expected(text, separator, kept, changed, order):
    """What the file should be, record by record."""
    (header, _), *lines = fields_of(text, separator)
    line_end = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    alone = len(kept) == 1
    records = [fields for fields, _ in lines if fields != [""] or len(header) == 1]
    rows = range(len(records)) if order is None else order
    cells = [
        [changed[place][row] if place in changed else value(records[row][place]) for place in kept] for row in rows
    ]
    first = [written(value(header[place]), separator, alone=alone, is_name=True) for place in kept]
    body = [[written(cell, separator, alone=alone) for cell in row] for row in cells]
    return "".join(separator.join(row) + line_end for row in [first, *body])


@st.composite
def files(draw):
    """The text of a file with columns A, B, ..., its separator and its encoding."""
    separator = draw(st.sampled_from(";,|\t"))
    width = draw(st.integers(1, 4))
    line_ends = st.sampled_from(draw(st.sampled_from([["\n"], ["\r\n"], ["\r\n", "\n", "\r"]])))
    names = [draw(st.sampled_from([name, f'"{name}"', f" {name}"])) for name in "ABCD"[:width]]
    fields = st.sampled_from([*FIELDS, f'"x{separator}y"']).filter(lambda field: separator not in field or '"' in field)
    rows = draw(st.lists(st.lists(fields, min_size=width, max_size=width), min_size=1, max_size=8))
    lines = [separator.join(row) for row in [names, *rows]]
    text = "".join(line + draw(line_ends) + draw(st.sampled_from(["", "", "", "\n", "\r\n"])) for line in lines[:-1])
    text += lines[-1] + draw(st.sampled_from(["", "\n", "\r\n", "\n\n"]))
    return text, separator, draw(st.sampled_from(["utf-8", "utf-8-sig", "cp950", "utf-16", "utf-16-be", "gb18030"]))


def rewritten(path, separator, encoding, **how):
    """The bytes of a file that is written again; None if it is none that can be read."""
    try:
        source = open_source(CSV(path, separator, None if encoding == "utf-8-sig" else encoding), "t")
        records = whole_table(source).num_rows
    except InputError:
        return None, 0
    file = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("PETWorks.tables.formats.csv.ROWS", 3)
        release_content(path, source, **{key: make(source, records) for key, make in how.items()})(file)
    return file.getvalue(), records


@examples(500)
@given(text=st.text(st.sampled_from('ab;"\n\r 病'), max_size=40))
def test_what_is_written_is_read_and_written_as_it_is(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(("q;s\n" + text).encode())
        once, records = rewritten(path, ";", "utf-8")
        if once is not None:
            path.write_bytes(once)
            assert rewritten(path, ";", "utf-8") == (once, records)


@examples(700)
@given(file=files(), data=st.data())
def test_every_cell_is_written_as_it_is_judged(file, data):
    text, separator, encoding = file
    width = len(fields_of(text, separator)[0][0])
    kept = data.draw(st.lists(st.integers(0, width - 1), min_size=1, unique=True).map(sorted))
    changing = data.draw(st.sets(st.sampled_from(kept)))
    shuffled = data.draw(st.booleans())
    random = data.draw(st.randoms(use_true_random=False))
    given_to = {}

    def changed(source, records):
        cells = {place: [random.choice(NEW) for _ in range(records)] for place in changing}
        given_to["changed"] = cells
        kinds = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
        return {source.names[place]: pa.array(new, random.choice(kinds)) for place, new in cells.items()}

    def order(_, records):
        given_to["order"] = np.array(random.sample(range(records), random.randint(1, records))) if shuffled else None
        return given_to["order"]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode(encoding))
        drop = [place for place in range(width) if place not in kept]
        found, records = rewritten(
            path,
            separator,
            encoding,
            drop=lambda source, _: [source.names[place] for place in drop],
            changed=changed,
            order=order,
        )
        assume(found is not None)
        assert found == expected(text, separator, kept, given_to["changed"], given_to["order"]).encode(encoding)
        path.write_bytes(found)
        again = whole_table(CSV(path, separator, None if encoding == "utf-8-sig" else encoding))
        assert again.num_rows == (records if given_to["order"] is None else len(given_to["order"]))
        rows = range(records) if given_to["order"] is None else given_to["order"]
        for place, cells in given_to["changed"].items():
            assert again.column(kept.index(place)).to_pylist() == [judged(cells[row]) for row in rows]


EXPORTS = "age,sex\n" + "30,F\n" * 3 + '"30","F"\r\n' * 2 + " 30,F \n" + '30, "F"\n'


@pytest.mark.parametrize("in_pieces", [False, True])
def test_how_a_cell_was_written_is_not_in_the_release(tmp_path, in_pieces):
    """Two exports in one file: quotes, blanks and line ends would tell their records apart."""
    path, release = tmp_path / "t.csv", tmp_path / "r.csv"
    path.write_bytes(EXPORTS.encode())
    changed = Unchanged() if in_pieces else None
    write_whole({release: release_content(release, CSV(path), changed=changed)})
    assert release.read_bytes() == b"age,sex\n" + b"30,F\n" * 7


class Unchanged:
    """What makes new cells of no column."""

    columns = ("age",)
    labels: ClassVar = {}

    def kept(self, _, *, spaced_quotes=False):
        return None

    def new_codes(self, _, *, spaced_quotes=False):
        return {}


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
@pytest.mark.parametrize("in_pieces", [False, True])
def test_one_missing_value_and_no_metadata(tmp_path, suffix, in_pieces):
    schema = pa.schema(
        [
            pa.field("age", pa.int16(), metadata={"by": "Dr Lin"}),
            pa.field("note", pa.large_string(), metadata={"by": "Dr Lin"}),
            pa.field("code", pa.binary()),
            pa.field("real", pa.float32()),
            pa.field("kind", pa.dictionary(pa.int8(), pa.string())),
        ],
        metadata={"ward": "7"},
    )
    nans = pa.Array.from_buffers(
        pa.float32(), 4, [None, pa.py_buffer(np.array([0x7FC00000, 0x7FC00001, 0, 0], np.uint32))]
    )
    kinds = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3], pa.int8()), pa.array(["a", "a ", " ", ""]))
    columns = [[1, 2, None, 4], [None, "", " ", " x"], [b"a", b"a ", b"", None], nans, kinds]
    arrays = [
        one if isinstance(one, pa.Array) else pa.array(one, field.type)
        for one, field in zip(columns, schema, strict=True)
    ]
    table = pa.Table.from_arrays(arrays, schema=schema)
    path, release = tmp_path / f"t{suffix}", tmp_path / f"r{suffix}"
    write_whole({path: lambda file: file.write(as_bytes(table, suffix))})
    changed = Unchanged() if in_pieces else None
    write_whole({release: release_content(release, open_source(path, "t"), changed=changed)})
    again = pq.read_table(release) if suffix == ".parquet" else pa.ipc.open_file(release).read_all()
    assert again.schema.metadata is None
    assert [field.metadata for field in again.schema] == [None] * 5
    assert again.schema.types[:4] == [pa.int16(), pa.large_string(), pa.string(), pa.float32()]
    assert again.drop_columns(["real"]).to_pydict() == {
        "age": [1, 2, None, 4],
        "note": [None, None, None, "x"],
        "code": ["a", "a", None, None],
        "kind": ["a", "a", None, None],
    }
    assert again["real"].to_pylist() == [None, None, 0.0, 0.0]
    assert not np.frombuffer(again["real"].combine_chunks().buffers()[1], np.uint32)[:4].any()


def test_no_file_keeps_what_stands_in_memory_below_a_missing_cell(tmp_path):
    present = pa.py_buffer(np.packbits([True, False, False], bitorder="little"))
    numbers = pa.Array.from_buffers(pa.int64(), 3, [present, pa.py_buffer(np.array([1, 912345678, 912345679]))])
    table = pa.table({"age": numbers, "sex": ["F", "M", "F"]})
    release = tmp_path / "r.feather"
    write_whole({release: release_content(release, open_source(table, "t"))})
    with pa.memory_map(str(release)) as mapped:
        written = pa.ipc.open_file(mapped).read_all()["age"].combine_chunks()
        assert written.to_pylist() == [1, None, None]
        assert np.frombuffer(written.buffers()[1], np.int64)[:3].tolist() == [1, 0, 0]


def as_bytes(table, suffix):
    file = io.BytesIO()
    if suffix == ".parquet":
        pq.write_table(table, file)
    else:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return file.getvalue()


def test_signs_that_an_encoding_has_twice_are_written_in_one_way(tmp_path):
    """CP950 has some signs twice: that would tell records apart."""
    text = "甲|乙\n".encode("cp950") + b"\xf9\xf9|x\n\xa2\xa4|x\n"
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    file = io.BytesIO()
    release_content(path, CSV(path, "|", "cp950"))(file)
    lines = file.getvalue().splitlines()
    assert lines[1] == lines[2]
    file = io.BytesIO()
    release_content(path, CSV(path, "|", "cp950"), drop=["乙"], changed={"甲": pa.array(["四", "x|四"])})(file)
    assert file.getvalue().decode("cp950") == '甲\n四\n"x|四"\n'


def test_a_byte_order_mark_stays_if_the_first_column_goes(tmp_path):
    path = tmp_path / "t.csv"
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_bytes('"a";b\n1;x\n'.encode(encoding))
        file = io.BytesIO()
        source = CSV(path, ";", None if encoding == "utf-8-sig" else encoding)
        release_content(path, source, drop=["a"], changed={"b": pa.array(["病"])})(file)
        assert file.getvalue() == "b\n病\n".encode(encoding)


def test_big5_that_begins_like_a_byte_order_mark_has_none(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf\x7c|b\n1|2\n")
    file = io.BytesIO()
    source = CSV(path, "|", "cp950")
    release_content(path, source, drop=source.names[:1])(file)
    assert file.getvalue() == b"b\n2\n"


def test_a_quote_behind_a_blank_does_not_keep_a_line_open(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'A\n "x\ny"\n')
    assert whole_table(CSV(path)).num_rows == 2
    file = io.BytesIO()
    release_content(path, CSV(path), changed={"A": pa.array(["p", "q"])})(file)
    assert file.getvalue() == b"A\np\nq\n"


@pytest.mark.parametrize(
    ("encoding", "cell"), [("latin-1", "臺北"), ("cp950", "é"), ("ascii", "é"), ("cp950", "\U0001f600")]
)
def test_characters_that_the_encoding_lacks_are_an_error_before_anything_is_written(tmp_path, encoding, cell):
    path = tmp_path / "t.csv"
    path.write_bytes("a;b\n1;x\n".encode(encoding))
    with pytest.raises(InputError, match=rf"t.csv: column 'b' has cells with characters .* {encoding}|iso8859-1"):
        release_content(path, CSV(path, encoding=encoding), changed={"b": pa.array([cell])})


def test_what_cannot_be_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a;b\n1;x\n2;y\n")
    source = CSV(path)
    with pytest.raises(InputError, match="column 'b' has cells with a NUL character"):
        release_content(path, source, changed={"b": pa.array(["x\0", "y"])}, exact=["b"])
    with pytest.raises(InputError, match="no such columns to drop or change: 'c', 'd'"):
        release_content(path, source, drop=["c"], changed={"d": pa.array(["x", "y"])})
    with pytest.raises(InputError, match="every column is dropped"):
        release_content(path, source, drop=["a", "b"])
    for cells, message in ((["x"], "the columns have 1 and 2 cells"), (["x"] * 3, "the columns have 2 and 3 cells")):
        with pytest.raises(InputError, match=message):
            release_content(path, source, changed={"b": pa.array(cells)})(io.BytesIO())
    for order in ([0, 0], [0, 2], [-1, 0], []):
        with pytest.raises(InputError, match="the order of the records must name each of 2 records at most once"):
            release_content(path, source, order=np.array(order, np.int64))(io.BytesIO())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a;b\n1;x\n2\n", "line 3: 1 cell, but the header has 2"),
        (b'a;b\n1;"x\n2;3\n', "line 2: a quote is not closed"),
        (b'a;b\n1;"x"y\n2;3\n', "line 2: text follows a closing quote"),
    ],
)
def test_a_broken_file_is_an_error_with_its_line(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        release_content(path, CSV(path, ";"))(io.BytesIO())


def test_a_frame_becomes_csv(tmp_path):
    frame = pa.table({"n": [1, None], "real": [1.0, 2.5], "te;xt": ["a;b", " c"], "flag": [True, None]})
    file = io.BytesIO()
    release_content(tmp_path / "t.csv", open_source(frame, "t"))(file)
    assert file.getvalue().decode() == 'n;real;"te;xt";flag\n1;1.0;"a;b";true\n;2.5;c;\n'
    file = io.BytesIO()
    release_content(tmp_path / "t.tsv", open_source(frame.select(["n"]), "t"), order=np.array([1, 0]))(file)
    assert file.getvalue() == b'n\n""\n1\n'


def test_several_files_become_one_like_the_first(tmp_path):
    for number, text in enumerate(["a,b\n1,病\n", "b,a\n疾,2\n"]):
        (tmp_path / f"{number}.csv").write_bytes(text.encode("cp950"))
    source = open_source(str(tmp_path / "*.csv"), "t")
    file = io.BytesIO()
    release_content(tmp_path / "out.csv", source, changed={"a": pa.array(["x,y", "z"])})(file)
    assert file.getvalue().decode("cp950") == 'a,b\n"x,y",病\nz,疾\n'


@pytest.mark.parametrize("separator", [";", "|"])
def test_a_name_with_another_separator_does_not_pass_for_several_columns(tmp_path, separator):
    """The separator is found by looking, also after columns are dropped."""
    path = tmp_path / "t.csv"
    path.write_text(separator.join(["a", " income, net, yearly", "b", "c"]) + "\n" + separator.join("1234") + "\n")
    assert CSV(path).separator == separator
    write_whole({path: release_content(path, CSV(path), drop=["a", "c"])})
    assert path.read_text() == f'"income, net, yearly"{separator}b\n2{separator}3\n'
    assert CSV(path).names == ("income, net, yearly", "b")


def test_long_texts_are_written_a_few_rows_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.formats.csv.WRITTEN_BYTES", 300)
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "1;x\n" * 50 + "\n\n")
    long = pa.array([" ".join(["long;"] * 10)] * 50).dictionary_encode()
    sizes = []

    class File(io.BytesIO):
        def write(self, content):
            sizes.append(len(content))
            return super().write(content)

    for content in (
        release_content(path, CSV(path), changed={"a": long}),
        release_content(path, CSV(path), changed={"a": long}, order=np.arange(50)),
        release_content(path, open_source({"a": long, "b": ["x"] * 50}, "t"), separator=";"),
    ):
        file = File()
        content(file)
        found = file.getvalue().decode().rstrip("\n")
        assert found == "a;b\n" + "\n".join(['"' + " ".join(["long;"] * 10) + '";x'] * 50)
    assert max(sizes) < 400
