"""Differences between cells that no measure sees: found exactly, and nothing else is taken for one."""

import csv
import io
import json
import re
import tempfile
from collections import Counter, defaultdict
from itertools import permutations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conftest import examples
from PETWorks.errors import InputError
from PETWorks.tables import hidden_differences as module
from PETWorks.tables.hidden_differences import HiddenDifferences, hidden_differences
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.writing import whole_table

NONE = HiddenDifferences({}, 0)
FIELDS = [
    "",
    "a",
    "a ",
    " a",
    '"a"',
    '"a "',
    ' "a"',
    '""',
    '" "',
    "7",
    '"7"',
    '"x;y"',
    '"two\nlines"',
    '5" pipe',
    "病\u3000",
]


def found(folder, text, encoding="utf-8", **reading):
    path = folder / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return hidden_differences(open_source(open_table(path, **reading), "t"))


def by_hand(rows, names):
    """The literal definition: of each value, the cells that are not written like most of them."""
    differing = {}
    for place, name in enumerate(names):
        ways = defaultdict(Counter)
        for row in rows:
            raw = row[place]
            text = raw[1:-1].replace('""', '"') if raw.startswith('"') else raw
            value = text.strip()
            if text[:1].isspace() and re.fullmatch('"([^"]|"")*"', value):
                value = value[1:-1].replace('""', '"').strip()
            ways[value][raw] += 1
        number = sum(own.total() - max(own.values()) for own in ways.values())
        differing |= {name: number} if number else {}
    return differing


@examples(500)
@given(
    rows=st.lists(st.lists(st.sampled_from(FIELDS), min_size=2, max_size=2), min_size=1, max_size=9),
    line_ends=st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]]),
    data=st.data(),
)
def test_every_value_that_is_written_in_two_ways_is_found(rows, line_ends, data):
    ends = [data.draw(st.sampled_from(line_ends)) for _ in rows]
    text = "p;q\n" + "".join(";".join(row) + end for row, end in zip(rows, ends, strict=True))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", data.draw(st.sampled_from([5, 16, 1 << 20])))
        path = Path(folder, "t.csv")
        path.write_bytes(text.encode())
        try:
            source = open_source(open_table(path, separator=";"), "t")
            assert whole_table(source).num_rows == len(rows)
        except (InputError, AssertionError):
            assume(False)
        minority = len(ends) - max(Counter(ends).values())
        assert hidden_differences(source) == HiddenDifferences(by_hand(rows, "pq"), minority)


def test_two_exports_in_one_file(tmp_path):
    plain, quoted = "30,F,flu\n" * 48, '"30","F","flu"\n' * 12
    assert found(tmp_path, "age,sex,ill\n" + plain + quoted).columns == {"age": 12, "sex": 12, "ill": 12}
    assert found(tmp_path, "age,sex,ill\n" + plain + quoted.replace('"', "").replace("\n", "\r\n")).line_ends == 12
    assert found(tmp_path, "age,sex,ill\n" + plain + quoted.replace('"', " ")).columns["sex"] == 12


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp950", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_quotes_that_follow_from_the_value_tell_nothing(tmp_path, quoting, encoding, line_end):
    rows = [["n", "text", "mixed"], *([place, f"病,{place % 3}", place if place % 2 else "x"] for place in range(20))]
    rows += [["", "", ""], [1, 'say "hi"', "two\nlines"]]
    file = io.StringIO()
    csv.writer(file, quoting=quoting, lineterminator=line_end).writerows(rows)
    assert found(tmp_path, file.getvalue(), encoding) == NONE


def test_blanks_that_all_cells_have_tell_nothing(tmp_path):
    assert found(tmp_path, "a, b\n" + "1, x\n2, y\n" * 3) == NONE
    assert found(tmp_path, "a;b\n" + "  1;x    \n 10;yy   \n" * 3) == NONE
    assert found(tmp_path, 'a; "b"\n' + '1; "x"\n2; "y"\n' * 3) == NONE


def test_the_last_line_and_the_header_may_end_otherwise(tmp_path):
    assert found(tmp_path, "a;b\r\n1;2\n3;4") == NONE


@pytest.mark.parametrize("cell", ["x", '"x"', '"x;y"', '5" pipe', '"two\n\nlines"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("block", [4, 7, 1 << 20])
def test_empty_lines_between_records_mark_them(tmp_path, monkeypatch, cell, end, block):
    """Those at the end of a file mark nobody, and in a file with one column, an empty line is a missing cell."""
    monkeypatch.setattr(module, "BLOCK", block)
    record, rest = f"1;{cell}{end}", f"1;{cell}{end}" * 9
    for text, lines in (
        (rest, 0),
        (rest + end * 3, 0),
        (record + end + rest, 1),
        (end + rest, 1),
        (record + end * 2 + rest + end + record + end, 3),
    ):
        assert found(tmp_path, f"a;b{end}{text}") == HiddenDifferences({}, lines)
    assert found(tmp_path, f"a{end}{end}1{end}{end}1{end}") == NONE


@pytest.mark.parametrize("blank", [" ", "\t", "\u3000", "\xa0", "\u2003", "\x1f"])
@pytest.mark.parametrize("block", [4, 7, 1 << 20])
def test_no_blank_escapes_the_quick_look(tmp_path, monkeypatch, blank, block):
    monkeypatch.setattr(module, "BLOCK", block)
    for cells in (f"x{blank}", f"{blank}x"):
        assert found(tmp_path, f"a;b\nx;1\n{cells};1\n").columns == {"a": 1}
        assert found(tmp_path, f"a;b\n1;x\n1;{cells}\n").columns == {"b": 1}
        assert found(tmp_path, f"a;b\n1;x\n1;{cells}").columns == {"b": 1}


def test_a_file_without_quotes_and_blanks_is_not_parsed_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_read_pieces", None)
    assert found(tmp_path, "a;b c\n1;x y\n2;z\n") == NONE


def test_null_empty_and_blank_cells_are_three(tmp_path):
    table = pa.table(
        {"a": [None, "", " ", "x"], "n": [1, None, 2, 2], "f": [1.0, None, 2.0, 2.0], "b": ["x", "y", "x", "y"]}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    assert hidden_differences(open_source(tmp_path / "t.parquet", "t")).columns == {"a": 2}
    assert hidden_differences(open_source(table, "t")).columns == {"a": 2}
    assert found(tmp_path, 'a;b\n"";1\n;1\n;2\n').columns == {"a": 1}


def test_files_are_looked_at_together(tmp_path):
    (tmp_path / "1.csv").write_text("a;b\n1;x\n1;x\n")
    (tmp_path / "2.csv").write_text('b;a\n"x";1\n')
    assert hidden_differences(open_source(str(tmp_path / "*.csv"), "t")).columns == {"b": 1}


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_numbers_that_are_written_in_two_ways(tmp_path, kind):
    def of(*pieces):
        table = pa.table({"x": pa.chunked_array([pa.array(piece, pa.float64()).cast(kind) for piece in pieces])})
        pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
        in_file = hidden_differences(open_source(str(tmp_path / "t.parquet"), "t"))
        assert in_file == hidden_differences(open_source(table, "t"))
        return dict(in_file.columns)

    nan = float("nan")
    assert of([1.0, nan, nan], [2.0, None]) == {"x": 1}
    assert of([1.0, nan], [nan, 0.0]) == {}
    assert of([1.0, None], [None, -0.0]) == {}
    assert of([0.0, -0.0], [0.0, -0.0], [0.0]) == {"x": 2}


def in_lines(folder, *texts):
    for place, text in enumerate(texts):
        (folder / f"{place}.jsonl").write_bytes(text.encode())
    return hidden_differences(open_source(str(folder / "*.jsonl") if texts[1:] else str(folder / "0.jsonl"), "t"))


def test_lines_with_many_layouts(tmp_path, monkeypatch):
    text = "".join(f'{{"a":{" " * blanks}1}}\n' for blanks in (1, 2, 3, 1, 4, 1))
    assert in_lines(tmp_path, text) == HiddenDifferences({}, 0, 3)
    monkeypatch.setattr("PETWorks.tables.formats.json_lines.LAYOUTS", 2)
    assert in_lines(tmp_path, text) == HiddenDifferences({}, 0, 3)


USUAL = '{"a": "x", "b": 1}\n' * 5


@pytest.mark.parametrize(
    ("line", "columns", "line_ends", "layout"),
    [
        ('{"a": "x", "b": 1}\n', {}, 0, 0),
        ('{"a": "y", "b": 1.0}\n', {}, 0, 0),  # other values, which measures see
        ('{"b": 1, "a": "x"}\n', {}, 0, 1),
        ('{"a":"x", "b": 1}\n', {}, 0, 1),
        ('{"a": "x","b": 1}\n', {}, 0, 1),
        ('{"a": "x", "b": 1 }\n', {}, 0, 1),
        ('{ "a": "x", "b": 1}\n', {}, 0, 1),
        ('  {"a": "x", "b": 1}\n', {}, 0, 1),
        ('{"a": "x", "b": 1}\t\n', {}, 0, 1),
        ('{"\\u0061": "x", "b": 1}\n', {}, 0, 1),
        ('\n{"a": "x", "b": 1}\n', {}, 0, 1),
        (' \n\n{"a": "x", "b": 1}\n', {}, 0, 1),
        ('{"a": "x", "b": 1}\n\n\n', {}, 0, 0),  # behind the last record
        ('{"a": "x", "b": 1}\r\n', {}, 1, 0),
        ('{"a": "x", "b": 1}', {}, 0, 0),
        ('{"a": "x", "b": "1"}\n', {"b": 1}, 0, 0),
        ('{"a": "x ", "b": " 1"}\n', {"a": 1, "b": 1}, 0, 0),
        ('{"a": "\\u0078", "b": 1}\n', {"a": 1}, 0, 0),
        ('{"a": null, "b": 1}\n' * 3, {}, 0, 0),
        ('{"b": 1}\n' * 3, {}, 0, 0),
        ('{"a": null, "b": 1}\n{"b": 1}\n{"b": 1}\n{"a": " ", "b": 1}\n', {"a": 2}, 0, 0),
        ('{"b": 1, "a":"x"}\n' * 2, {}, 0, 2),  # each counts once
    ],
)
def test_records_of_json_lines_that_are_written_otherwise(tmp_path, line, columns, line_ends, layout):
    assert in_lines(tmp_path, USUAL + line) == HiddenDifferences(columns, line_ends, layout)
    assert in_lines(tmp_path, USUAL, USUAL.replace('"b": 1', '"b":  1')) == HiddenDifferences({}, 0, 5)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"b":true}\n{"a":2,"b":false}\n',
        '{"a": 1, "note": "two\\nlines \\"x\\" \\\\"}\n{"a": 2, "note": "two\\nlines \\"x\\" \\\\"}\n',
        '\n{"a": 1}\n\n{"a": 2}\n\n{"a": 3}\n',
        '{"a":  1, "longer": 2}\n{"a":  3, "longer": 4}\n',
        '{"a": 1, "c": 3}\n{"a": 1, "b": 2}\n{"b": 2, "c": 3}\n{}\n',
    ],
)
def test_json_lines_that_one_program_has_written(tmp_path, text):
    assert in_lines(tmp_path, text) == NONE


JSON_CELLS = ["1", '"1"', '"x"', '" x"', '"\\u0078"', "null", '""', '" "', "true", '"true"', '"a\\"b"', None]


@examples(150)
@given(
    st.lists(
        st.tuples(st.permutations("abc"), st.lists(st.sampled_from(JSON_CELLS), min_size=3, max_size=3)),
        min_size=1,
        max_size=8,
    ).filter(lambda rows: all(any(cell[place] for _, cell in rows) for place in range(3)))
)
def test_json_lines_as_defined(rows):
    records = []
    for order, cells in rows:
        given = {key: cell for key, cell in zip("abc", cells, strict=True) if cell is not None}
        records.append({key: given[key] for key in order if key in given})
    text = "".join("{" + ", ".join(f'"{key}": {cell}' for key, cell in record.items()) + "}\n" for record in records)
    with tempfile.TemporaryDirectory() as folder:
        found = in_lines(Path(folder), text)
    differing = {}
    for key in "abc":
        ways = defaultdict(Counter)
        for record in records:
            cell = json.loads(record[key]) if key in record else None
            value = {True: "true", None: ""}.get(cell) if cell is True or cell is None else str(cell).strip()
            ways[value][record.get(key)] += 1
        if number := sum(own.total() - max(own.values()) for own in ways.values()):
            differing[key] = number
    kept, out = [], 0
    for keys, number in sorted(Counter(map(tuple, records)).items(), key=lambda one: (-one[1], one[0])):
        if any(
            all([key for key in order if key in own] == list(own) for own in (*kept, keys))
            for order in permutations("abc")
        ):
            kept.append(keys)
        else:
            out += number
    assert found == HiddenDifferences(differing, 0, out)
