"""Releases as Excel workbooks: what is written is read again, and nothing else is in the file."""

import io
import re
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from command import petworks
from conftest import examples
from PETWorks.errors import InputError
from PETWorks.tables.formats import workbooks
from PETWorks.tables.formats.plain_workbooks import count_besides_table
from PETWorks.tables.normalised_cells import normalise_texts
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import write_whole
from PETWorks.tables.writing import release_content, whole_table

PIECES = ["_x0041_", "_", "x005F", "<r>", "</r>", "=1", "&amp;", "0", "7", ".", "-", "e", "\r\n", "\v", "病", "😀", " "]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join) | st.text(max_size=4).map(
    lambda text: text.replace("\ufffe", "").replace("\uffff", "")
)
NUMBERS = st.one_of(
    st.integers(-(10**15), 10**15).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda number: format(number, ".15g")),
    st.integers(-(10**6), 10**6).map(lambda number: f"{number / 1000:.3f}"),
)
ROWS = 12
COLUMNS = st.sampled_from([TEXTS, NUMBERS, TEXTS | NUMBERS]).flatmap(
    lambda cells: st.lists(st.none() | cells, min_size=ROWS, max_size=ROWS)
)


def content_of(table, **how):
    file = io.BytesIO()
    release_content(Path("r.xlsx"), table if hasattr(table, "names") else open_source(table, "t"), **how)(file)
    return file.getvalue()


def sheet_of(content):
    return zipfile.ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml").decode()


def judged(source):
    """The cells of a table as they are judged."""
    table = whole_table(source)
    return {
        name: normalise_texts(table[name].cast(pa.large_string()).combine_chunks()).to_pylist()
        for name in table.column_names
    }


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("workbook") / "r.xlsx"


@examples(60)
@given(columns=st.lists(COLUMNS, min_size=1, max_size=3))
@example(columns=[["_x005F_x0041_", "<r>a</r>", "007", "1"] * 3, ["1", "2.5", "1e-07", "100000000000000"] * 3])
def test_a_workbook_is_read_again_as_it_was(path, columns):
    table = {"always": ["x"] * ROWS, **{f"c{place}": cells for place, cells in enumerate(columns)}}
    path.write_bytes(content_of(table, exact=tuple(table)))
    again = open_source(path, "r")
    assert judged(again) == judged(open_source(table, "t"))
    assert not count_besides_table(path, "xl/worksheets/sheet1.xml", again)


def test_texts_stay_texts_and_columns_of_numbers_are_numbers():
    table = pa.table(
        {
            "code": ["007", "12"],
            "price": ["1.50", "2.25"],
            "age": ["7", None],
            "formula": ["=1+1", "5"],
            "real": [1.0, 2.5],
            "inexact": [0.1 + 0.2, 1],
            "large": [1 << 53, 1],
            "cost": pa.array([1, 2], pa.decimal128(9, 2)),
            "day": pa.array([0, 1], pa.date32()),
            "is": [True, False],
        }
    )
    first = sheet_of(content_of(table)).partition('<row r="2">')[2].partition("</row>")[0]
    cells = [cell.partition("</c>")[0] for cell in first.split('<c r="')[1:]]
    assert [cell for cell in cells if "inlineStr" not in cell] == [
        *('C2"><v>7</v>', 'E2"><v>1</v>', 'H2"><v>1</v>'),
    ]
    texts = [cell.partition("<t>")[2].partition("</t>")[0] for cell in cells if "inlineStr" in cell]
    assert texts == ["007", "1.50", "=1+1", "0.30000000000000004", "9007199254740992", "1970-01-01", "true"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": ["x" * 32768]}, "column 'a' has texts of more than 32,767 characters"),
        ({"a": ["😀" * 16384]}, "column 'a' has texts of more than 32,767 characters"),
        ({"a": ["x\uffff"]}, "'a' has the signs U"),
        ({"a": ["x", None], "b": ["y", " "]}, "1 record is without a value in any column"),
        ({"a": ["x"] * 8}, "the table has 8 records, but a sheet has room for 7"),
        ({"": ["x"]}, "cannot have a column named ''"),
        ({name: ["x"] for name in "abcd"}, "the table has 4 columns, but a sheet has at most 3"),
    ],
)
def test_what_a_sheet_cannot_hold(table, message, tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "MAX_ROWS", 8)
    monkeypatch.setattr(workbooks, "WIDEST", 3)
    with pytest.raises(InputError, match=message):
        write_whole({tmp_path / "r.xlsx": release_content(tmp_path / "r.xlsx", open_source(table, "t"))})
    assert list(tmp_path.iterdir()) == []


def test_the_longest_text_and_the_most_records(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "MAX_ROWS", 3)
    table = {"a": ["😀" * 16383 + "x", "x" * 32767]}
    (tmp_path / "r.xlsx").write_bytes(content_of(table))
    assert judged(open_source(tmp_path / "r.xlsx", "r")) == table


def test_a_missing_package(monkeypatch):
    monkeypatch.setattr(workbooks, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"r.xlsx: a workbook needs a package: pip install 'petworks\[files\]'"):
        content_of({"a": ["x"]})


def test_records_in_another_order(monkeypatch, tmp_path):
    monkeypatch.setattr("PETWorks.tables.writing.ROWS", 2)
    monkeypatch.setattr(workbooks, "ROWS_AT_A_TIME", 1)
    table = {"a": ["p", "q", "r", "s"], "b": ["1", "2", "3", "4"]}
    (tmp_path / "r.xlsx").write_bytes(content_of(table, order=np.array([3, 0, 2])))
    assert judged(open_source(tmp_path / "r.xlsx", "r")) == {"a": ["s", "p", "r"], "b": ["4", "1", "3"]}
    with pytest.raises(InputError, match="order of the records"):
        content_of(table, order=np.array([4]))


def test_a_table_that_cannot_be_read_twice_leaves_nothing(tmp_path, monkeypatch):
    """Neither a file nor one that is still open, of which the interpreter would warn."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pieces = iter([[pa.table({"a": ["x"]})], (pa.table({"b": [1 / 0]}) for _ in "x")])
    with pytest.raises(ZeroDivisionError):
        workbooks.new_workbook(lambda: next(pieces), ["a"], "t")(io.BytesIO())
    assert list(tmp_path.iterdir()) == []


POLICY = """petworks_policy: 1
data: {data}
roles: {{quasi_identifiers: [age, sex], sensitive_attributes: [illness], insensitive_attributes: [points, code]}}
hierarchies: {{age: {{width: [10, 20]}}}}
rules: [{{measure: k-anonymity, k: 3}}, {{measure: l-diversity, l: 2}}]
{more}"""


def test_csv_to_workbook_to_csv(tmp_path):
    rows = [(20 + n % 37, "fm"[n % 2], ["flu", "cold", "=a"][n % 3], n % 11, f"{n % 10:03}") for n in range(120)]
    lines = [";".join(map(str, row)) for row in [("age", "sex", "illness", "points", "code"), *rows]]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "t_policy.yaml").write_text(POLICY.format(data="t.csv", more='separator: ";"\n'), encoding="utf-8")
    steps = [("t_policy.yaml", "a.xlsx"), ("t_policy.yaml", "b.xlsx"), ("t_policy.yaml", "c.csv")]
    for policy, output in steps:
        for options in ((), ("--engine", "duckdb")) if output == "a.xlsx" else (("--seed", "1"),):
            done = petworks("anonymize", policy, "-o", output, *options, cwd=tmp_path)
            assert done.returncode == 0, done.stderr + done.stdout
            done = petworks("check", Path(output).stem + "_policy.yaml", cwd=tmp_path)
            assert done.returncode == 0, done.stderr + done.stdout
    released = {name: judged(open_source(tmp_path / name, "r")) for name in ("b.xlsx", "c.csv")}
    assert released["b.xlsx"] == released["c.csv"]
    assert "read_excel" in (tmp_path / "b_codebook.md").read_text("utf-8")
    # A workbook again, with the plan and with a policy of its own.
    done = petworks("apply", "t.csv", "--plan", "b_plan.json", "--seed", "1", "-o", "d.xlsx", cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    assert (tmp_path / "d.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    (tmp_path / "t.xlsx").write_bytes(content_of(open_source(tmp_path / "t.csv", "t")))
    (tmp_path / "w_policy.yaml").write_text(POLICY.format(data="t.xlsx", more=""), encoding="utf-8")
    for output in ("e.xlsx", "f.csv"):
        done = petworks("anonymize", "w_policy.yaml", "--seed", "1", "-o", output, cwd=tmp_path)
        assert done.returncode == 0, done.stderr + done.stdout
        assert judged(open_source(tmp_path / output, "r")) == released["c.csv"]


def test_columns_are_as_wide_as_their_texts_and_the_sheet_has_a_name_in_the_language_of_the_table():
    content = content_of({"鄉鎮市區": ["桃園區", "x" * 90], "n": ["1", "2"]})
    assert re.findall(r'<col min="(\d)" max="\d" width="([0-9]+)', sheet_of(content)) == [("1", "40"), ("2", "8")]
    book = zipfile.ZipFile(io.BytesIO(content)).read("xl/workbook.xml").decode()
    assert 'name="釋出資料"' in book
    assert 'name="release"' in zipfile.ZipFile(io.BytesIO(content_of({"n": ["1"]}))).read("xl/workbook.xml").decode()
