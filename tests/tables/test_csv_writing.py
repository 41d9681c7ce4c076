"""CSV files that are written again: what does not change keeps its bytes, everything else reads as it should."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import CSV
from PETWorks.errors import InputError
from PETWorks.tables.csv_fields import _fields_at_once
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import write_whole
from PETWorks.tables.whole import whole_table
from PETWorks.tables.writing import release_content, table_content

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


def quoted(cell, separator, alone):
    text = cell or ""
    needed = any(sign in text for sign in f'{separator}"\r\n') or text.strip() != text or (alone and not text)
    return '"' + text.replace('"', '""') + '"' if needed else text


def expected(text, separator, kept, changed, order):
    """What the file should be, record by record."""
    (header, header_end), *lines = fields_of(text, separator)
    width = len(header)
    alone, became_alone = len(kept) == 1, len(kept) == 1 < width
    records = [fields for fields, _ in lines if fields != [""] or width == 1]
    ends = [end for fields, end in lines if fields != [""] or width == 1]
    written = []
    for number, fields in enumerate(records):
        new = {place: quoted(cells[number], separator, alone) for place, cells in changed.items()}
        cells = [new[place] if place in new else fields[place] for place in kept]
        written.append(
            '""' if (became_alone or (alone and order is not None)) and cells == [""] else separator.join(cells)
        )
    first = separator.join(header[place] for place in kept) + header_end
    if order is not None:
        ends = [*ends[: len(order) - 1], ends[-1]]
        return first + "".join(written[row] + end for row, end in zip(order, ends, strict=True))
    rest, number = "", 0
    for fields, end in lines:
        if fields == [""] and width > 1:
            rest += "" if became_alone else end
        else:
            rest += written[number] + end
            number += 1
    return first + rest


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


def rewritten(path, separator, encoding, block, **how):
    """The bytes of a file that is written again; None if it is none that can be read."""
    try:
        source = open_source(CSV(path, separator, None if encoding == "utf-8-sig" else encoding), "t")
        records = whole_table(source).num_rows
    except InputError:
        return None, 0
    file = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("PETWorks.tables.csv_fields.BLOCK", block)
        patch.setattr("PETWorks.tables.csv_writing.ROWS", 3)
        release_content(path, source, **{key: make(source, records) for key, make in how.items()})(file)
    return file.getvalue(), records


@examples(500)
@given(file=files(), block=st.sampled_from([4, 7, 16, 1 << 20]))
def test_a_file_that_does_not_change_keeps_its_bytes(file, block):
    text, separator, encoding = file
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode(encoding))
        written, _ = rewritten(path, separator, encoding, block)
        assert written is None or written == path.read_bytes()


@examples(500)
@given(text=st.text(st.sampled_from('ab;"\n\r 病'), max_size=40), block=st.sampled_from([4, 7, 1 << 20]))
def test_whatever_can_be_read_can_be_written_again(text, block):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(("q;s\n" + text).encode())
        written, _ = rewritten(path, ";", "utf-8", block)
        assert written is None or written == path.read_bytes()


@examples(700)
@given(file=files(), block=st.sampled_from([4, 16, 1 << 20]), data=st.data())
def test_columns_are_dropped_and_changed_and_all_others_keep_their_bytes(file, block, data):
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
        written, records = rewritten(
            path,
            separator,
            encoding,
            block,
            drop=lambda source, _: [source.names[place] for place in drop],
            changed=changed,
            order=order,
        )
        if written is None:
            return
        assert written == expected(text, separator, kept, given_to["changed"], given_to["order"]).encode(encoding)
        path.write_bytes(written)
        again = whole_table(CSV(path, separator, None if encoding == "utf-8-sig" else encoding))
        assert again.num_rows == (records if given_to["order"] is None else len(given_to["order"]))
        rows = range(records) if given_to["order"] is None else given_to["order"]
        for place, cells in given_to["changed"].items():
            assert again.column(kept.index(place)).to_pylist() == [cells[row] or "" for row in rows]


def test_bytes_that_an_encoding_has_in_two_ways_stay(tmp_path):
    """CP950 has some signs twice; decoded and encoded again, one of the two would become the other."""
    text = "甲|乙\n".encode("cp950") + b"\xf9\xf9|\xa2\xa4\n\xa5\x7c|\xf9\xf9\xa5\x7c\n"
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    assert text.decode("cp950").encode("cp950") != text
    file = io.BytesIO()
    release_content(path, CSV(path, "|", "cp950"))(file)
    assert file.getvalue() == text
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


def test_quotes_around_every_cell_and_line_ends_in_cells_are_looked_at_at_once():
    for text in (b'"a";"b"\n"x;\ny";"1"\n', b'a;b\n"say ""hi""";2\n', b'a; "b"\n1; "x"\n', b'"a";b\r\n"x\r\ny";"z\n'):
        ends, _ = _fields_at_once(text, b";")
        assert len(ends) == 4 - 2 * text.endswith(b"z\n")
    assert _fields_at_once(b'a;b\n5" pipe;6" pipe\n', b";") is None


@pytest.mark.parametrize(
    ("encoding", "cell"), [("latin-1", "臺北"), ("cp950", "é"), ("ascii", "é"), ("cp950", "\U0001f600")]
)
def test_characters_that_the_encoding_lacks_are_an_error_before_anything_is_written(tmp_path, encoding, cell):
    path = tmp_path / "t.csv"
    path.write_bytes("a;b\n1;x\n".encode(encoding))
    with pytest.raises(InputError, match=rf"t.csv: column 'b' has new cells with characters .* {encoding}|iso8859-1"):
        release_content(path, CSV(path, encoding=encoding), changed={"b": pa.array([cell])})


def test_what_cannot_be_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a;b\n1;x\n2;y\n")
    source = CSV(path)
    with pytest.raises(InputError, match="column 'b' has new cells with a NUL character"):
        release_content(path, source, changed={"b": pa.array(["x\0", "y"])})
    with pytest.raises(InputError, match="no such columns to drop or change: 'c', 'd'"):
        release_content(path, source, drop=["c"], changed={"d": pa.array(["x", "y"])})
    with pytest.raises(InputError, match="every column is dropped"):
        release_content(path, source, drop=["a", "b"])
    for cells, message in ((["x"], "1 new cells, but the file has at least 2"), (["x"] * 3, "3 new cells, but")):
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


def test_a_file_that_changes_meanwhile_is_an_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a;b\n1;x\n")
    write = release_content(path, CSV(path), drop=["a"])
    path.write_bytes(b"a\n1\n")
    with pytest.raises(InputError, match=r"t\.csv"):
        write(io.BytesIO())
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        write(io.BytesIO())


def test_a_frame_becomes_csv(tmp_path):
    frame = pa.table({"n": [1, None], "real": [1.0, 2.5], "te;xt": ["a;b", " c"], "flag": [True, None]})
    file = io.BytesIO()
    table_content(tmp_path / "t.csv", frame)(file)
    assert file.getvalue().decode() == 'n;real;"te;xt";flag\n1;1.0;"a;b";true\n;2.5;" c";\n'
    file = io.BytesIO()
    table_content(tmp_path / "t.tsv", frame.select(["n"]), np.array([1, 0]))(file)
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
    monkeypatch.setattr("PETWorks.tables.csv_cells.PIECE_BYTES", 300)
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "1;x\n" * 50 + "\n\n")
    long = pa.array(["long " * 10] * 50).dictionary_encode()
    sizes = []

    class File(io.BytesIO):
        def write(self, content):
            sizes.append(len(content))
            return super().write(content)

    for content in (
        release_content(path, CSV(path), changed={"a": long}),
        release_content(path, CSV(path), changed={"a": long}, order=np.arange(50)),
        table_content(path, pa.table({"a": long, "b": ["x"] * 50})),
    ):
        file = File()
        content(file)
        written = file.getvalue().decode().rstrip("\n").replace(",", ";")  # a new file has commas
        assert written == "a;b\n" + "\n".join(['"' + "long " * 10 + '";x'] * 50)
    assert max(sizes) < 400
