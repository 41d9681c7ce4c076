"""JSON lines: what is written is what is counted, and what is no table is an error that names the line."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.errors import InputError
from PETWorks.tables.formats import json_lines
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.writing import whole_table


def table(path, text, name="t.jsonl", encoding="utf-8"):
    (path / name).write_bytes(text.encode(encoding))
    return whole_table(open_source(path / name, "t")).to_pydict()


def test_cells_are_what_is_written(tmp_path):
    text = (
        '{"a": 1.50, "b": "007", " c ": true}\n\n  {"b": 123456789012345678901234567890, "a": null, "d": 1E5}\r\n'
        '{"c": 1, " c ": false, "b": ""}'
    )
    with pytest.raises(InputError, match="duplicate column names 'c'"):
        table(tmp_path, text)
    assert table(tmp_path, text.replace('"c": 1, ', "")) == {
        "a": ["1.50", "", ""],
        "b": ["007", "123456789012345678901234567890", ""],
        "c": ["true", "", "false"],
        "d": ["", "1E5", ""],
    }


CELLS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(st.characters(exclude_categories=["Cs"])))


@given(st.lists(st.dictionaries(st.sampled_from("abc"), CELLS), min_size=1, max_size=6), st.booleans())
def test_any_records(tmp_path_factory, records, escaped):
    path = tmp_path_factory.mktemp("lines")
    text = "\n".join(json.dumps(record, ensure_ascii=escaped) for record in records)
    names = list(dict.fromkeys(key for record in records for key in record))
    if not names:
        with pytest.raises(InputError, match="no records with keys"):
            table(path, text)
        return

    def written(cell):
        return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)

    assert table(path, text) == {name: [written(record.get(name)) for record in records] for name in names}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path, encoding):
    assert table(tmp_path, '{"病": "流感"}\n{"病": "\\u4e0a"}\n', encoding=encoding) == {"病": ["流感", "上"]}


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.JSONL", "t.json"])
def test_names_of_files(tmp_path, name):
    assert table(tmp_path, '{"a": 1}\n{"a": 2}\n', name) == {"a": ["1", "2"]}


def test_packed_lines(tmp_path):
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n'))
    assert open_table(tmp_path / "t.jsonl.gz").names == ("a",)


def test_pieces_follow_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "ROWS", 3)
    lines = "".join(f'{{"a": {number}}}\n' for number in range(10))
    assert table(tmp_path, lines) == {"a": [str(number) for number in range(10)]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": ["SECRET"]}\n', "t.jsonl, line 2: column 'a' has a list or an object as its cell"),
        ('{"a": 1}\n{"a": {"b": "SECRET"}}\n', "t.jsonl, line 2: column 'a' has a list or an object as its cell"),
        ('{"a": 1, "a": "SECRET"}\n', "t.jsonl, line 1: an object has a key twice"),
        ('["SECRET"]\n', 't.jsonl, line 1: expected an object with the columns as keys, such as {"zip": 471}'),
        ('"SECRET"\n', "t.jsonl, line 1: expected an object"),
        ('{"a": "SECRET"},\n', "t.jsonl, line 1: not JSON: each line must be an object"),
        ('{\n"a": "SECRET"}\n', "t.jsonl, line 1: not JSON"),
        ('{"a": 1}\n{"a": "SECR', "t.jsonl, line 2: not JSON"),
        ('{"a": NaN}\n', "t.jsonl, line 1: NaN and Infinity are not JSON; write null for a missing cell"),
        ('{"a": -Infinity}\n', "t.jsonl, line 1: NaN and Infinity"),
        ('{"a": "SECRET \\ud800"}\n', "t.jsonl: column 'a' has cells that are not valid Unicode"),
        ('{"a": ' + "[" * 100_000 + "\n", "t.jsonl, line 1: not JSON"),
        ("\n \n", "t.jsonl: the file has no records with keys"),
        ("{}\n", "t.jsonl: the file has no records with keys"),
        ('{"a": "' + "x" * (1 << 22) + '"}', "t.jsonl, line 1: the line is longer than 4 MiB"),
    ],
    ids=range(15),
)
def test_lines_that_are_rejected(tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        table(tmp_path, text)
    assert str(caught.value).startswith(message)
    assert "SECR" not in str(caught.value)


def test_bytes_that_are_not_utf8(tmp_path):
    (tmp_path / "t.jsonl").write_bytes(b'{"a": "\xff"}\n')
    with pytest.raises(InputError, match="the bytes are not utf-8"):
        open_table(tmp_path / "t.jsonl")


def test_too_many_keys(tmp_path):
    with pytest.raises(InputError, match="the lines have more than 10,000 different keys"):
        table(tmp_path, "".join(f'{{"k{number}": 1}}\n' for number in range(10_001)))


def test_an_array_says_how_to_get_lines(tmp_path):
    with pytest.raises(InputError, match=r"expected JSON lines, an object per line: jq -c '\.\[\]'"):
        table(tmp_path, '[{"a": 1}]', "t.json")


def test_a_large_file_that_changes_is_noticed(tmp_path, monkeypatch):
    """The bytes of a small file are held."""
    monkeypatch.setattr("PETWorks.tables.files.MAX_BYTES", -1)
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n')
    source = open_table(tmp_path / "t.jsonl")
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    with pytest.raises(InputError, match="has changed since it was opened"):
        list(source.read(("a",)))
