"""Tables that are written piece by piece, their new cells made on the way: the same as if all were there at once."""

import io
import pickle
from datetime import date
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from PETWorks.counting.engines.spark import write_groups
from PETWorks.errors import InputError
from PETWorks.tables import frames
from PETWorks.tables import writing as changing
from PETWorks.tables.arrays import dictionary, strings
from PETWorks.tables.formats import csv as csv_files
from PETWorks.tables.formats import parquet
from PETWorks.tables.formats.csv import CSV
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import Folder, staging, write_whole
from PETWorks.tables.writing import release_content

LABELS = {"a": ["*", "low; 病", None, 'say "low"'], "b": ["x", "never used"]}


class Halves:
    """New cells that depend on two columns: `a` on the last digit of both, `b` is the same for all."""

    columns = ("b", "a")
    labels = {name: strings(labels) for name, labels in LABELS.items()}  # noqa: RUF012 - of a test

    def kept(self, cells, *, spaced_quotes=False):
        """All rows stay."""

    def new_codes(self, cells, *, spaced_quotes=False):
        digits = [np.array([int(str(cell).strip()[-1]) for cell in column.to_pylist()]) for column in cells]
        return {"a": (sum(digits) % 4).astype(np.uint32), "b": np.zeros(len(digits[0]), np.uint32)}

    def at_once(self, source):
        """The same for all records."""
        cells = list(
            zip(
                *(pa.concat_tables(source.read(self.columns)).to_pydict()[name] for name in self.raw(source)),
                strict=True,
            )
        )
        codes = [(int(str(b).strip()[-1]) + int(str(a).strip()[-1])) % 4 for b, a in cells]
        return {
            "a": dictionary(np.array(codes, np.uint32), self.labels["a"]),
            "b": dictionary(np.zeros(len(codes), np.uint32), strings(["x"])),
        }

    def raw(self, source):
        return next(iter(source.read(self.columns))).column_names


@pytest.fixture(autouse=True)
def small_pieces():
    """Pieces of a few records; those of the reader and those of the writer have other sizes."""
    with (
        mock.patch.object(csv_files, "PIECE_BYTES", 128),
        mock.patch.object(csv_files, "ROWS", 5),
        mock.patch.object(changing, "ROWS", 4),
        mock.patch.object(frames, "PIECE_ROWS", 7),
        mock.patch.object(parquet, "PIECE_ROWS", 7),
    ):
        yield


def bytes_of(path, source, **how):
    file = io.BytesIO()
    release_content(path, source, **how)(file)
    return file.getvalue()


TEXTS = {
    "plain": ("a,b,c\n" + "".join(f"{n},{n * n},c{n}\n" for n in range(60)), "utf-8"),
    "quoted": ('c;a;b\r\n"x;""y";  1 ;"22"\r\n' + "".join(f'"{n}";"{n}";{n}\r\n' for n in range(40)), "utf-8"),
    "spaced": ("b\tc\ta\n" + "".join(f"{n}\t\t {n}\n\n" for n in range(40)), "utf-8"),
    "marked": ("\ufeffa,b\n" + "".join(f"{n},{n + 3}\n" for n in range(30)) + "7,8", "utf-8"),
    "big5": ("a,b,病名\n" + "".join(f"{n},{n + 3},流感\n" for n in range(30)), "big5"),
    "utf-16": ("a,b,病名\n" + "".join(f"{n},{n + 3},流感\n" for n in range(30)), "utf-16"),
}


@pytest.mark.parametrize("drop", [(), ("b",), ("c",)])
@pytest.mark.parametrize("name", TEXTS)
def test_csv_is_the_same_byte_for_byte(tmp_path, name, drop):
    text, encoding = TEXTS[name]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    source = CSV(path, encoding=None if encoding == "utf-8" else encoding)
    drop = [column for column in drop if column in source.names]
    expected = bytes_of(path, source, drop=drop, changed=Halves().at_once(source))
    assert bytes_of(path, source, drop=drop, changed=Halves()) == expected
    assert "never used".encode(encoding)[2:] not in expected


TYPED = pa.table(
    {
        "a": pa.array([str(n) for n in range(40)]),
        "n": pa.array([None if n % 7 == 0 else n for n in range(40)], pa.int16()),
        "b": pa.array(range(40), pa.int32()),
        "day": pa.array([date(2026, 1, 1 + n % 28) for n in range(40)]),
        "kind": pa.array([f"k{n // 10}" for n in range(40)]).dictionary_encode(),
        "id": pa.array(range(40)),
    }
)


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
@pytest.mark.parametrize("kind", ["parquet", "frame", "csv", "several"])
def test_other_formats_have_the_same_cells_in_the_same_types(tmp_path, kind, suffix):
    path, out = tmp_path / "t.parquet", tmp_path / f"r{suffix}"
    pq.write_table(TYPED, path, row_group_size=11)
    if kind == "several":
        pq.write_table(TYPED.slice(5), tmp_path / "u.parquet")
    if kind == "csv":
        path = tmp_path / "t.txt"
        path.write_text("a,n,b,day,kind,id\n" + "".join(f"{n},,{n},d,k,{n}\n" for n in range(40)))
    given = {"frame": TYPED, "several": str(tmp_path / "*.parquet")}.get(kind, path)
    source = open_source(given, "t")
    how = {"drop": ["id"]}
    whole = bytes_of(out, source, **how, changed=Halves().at_once(source))
    pieces = bytes_of(out, source, **how, changed=Halves())
    if suffix == ".csv":
        assert pieces == whole
        return
    assert b"never used" not in pieces
    (tmp_path / "whole").write_bytes(whole)
    (tmp_path / "pieces").write_bytes(pieces)
    one, other = (read(tmp_path / name, suffix) for name in ("whole", "pieces"))
    assert other.to_pydict() == one.to_pydict()
    types = {
        name: plain(kind) if suffix == ".feather" else kind
        for name, kind in zip(one.column_names, one.schema.types, strict=True)
    }
    assert dict(zip(other.column_names, other.schema.types, strict=True)) == types


def plain(kind):
    """A Feather file has one dictionary for a column, which is not known before all pieces are."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def read(path, suffix):
    return pq.read_table(path) if suffix == ".parquet" else pa.ipc.open_file(path).read_all()


def test_no_text_that_no_row_has():
    cells = changing.used_texts(np.array([2, 0, 2], np.uint32), strings(["a", "b", "c", "d"]))
    assert cells.to_pylist() == ["c", "a", "c"]
    assert cells.dictionary.to_pylist() == ["a", "c"]


# --- folders


def test_a_folder_is_there_whole_or_not_at_all(tmp_path):
    target, beside = tmp_path / "r.parquet", tmp_path / "r.yaml"
    beside.write_bytes(b"earlier")

    def half(folder):
        (folder / "part").write_bytes(b"x")
        raise InputError("an executor is lost")

    def whole(folder):
        (folder / "part").write_bytes(b"x")

    with pytest.raises(InputError, match="an executor is lost"):
        write_whole({beside: b"new", target: Folder(half)})
    assert [path.name for path in tmp_path.iterdir()] == ["r.yaml"]

    def fails_later():
        with staging("x", tmp_path) as files:
            files.write({beside: b"new", target: Folder(whole)})
            assert files.current(target / "part").read_bytes() == b"x"
            raise InputError("it cannot be judged")

    with pytest.raises(InputError, match="judged"):
        fails_later()
    assert [path.name for path in tmp_path.iterdir()] == ["r.yaml"]
    assert beside.read_bytes() == b"earlier"
    write_whole({beside: b"new", target: Folder(whole)})
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "r.parquet",
        "r.parquet/part",
        "r.yaml",
    ]


def test_an_executor_tells_what_went_wrong_and_leaves_nothing(tmp_path):
    path, folder = tmp_path / "t.parquet", tmp_path / "r"
    folder.mkdir()
    pq.write_table(TYPED, path, row_group_size=11)
    numbers = pa.record_batch({"id": [1, 3]})
    what = ([str(path)], [(0, group) for group in range(4)], ["a", "b", "n"])
    told = list(write_groups(*what, Halves(), {}, str(folder), iter([numbers])))
    assert [batch.to_pydict() for batch in told] == [{"n": [11], "e": [None]}, {"n": [7], "e": [None]}]
    assert sorted(part.name for part in folder.iterdir()) == ["part-000001.parquet", "part-000003.parquet"]
    expected = Halves().at_once(open_source(TYPED, "t"))["a"].to_pylist()
    assert pq.read_table(folder / "part-000003.parquet")["a"].to_pylist() == expected[33:]

    class Failing(Halves):
        def new_codes(self, cells, *, spaced_quotes=False):
            raise InputError("the table has changed")

    (told,) = write_groups(*what, Failing(), {}, str(folder), iter([pa.record_batch({"id": [0]})]))
    assert told.to_pydict()["n"] == [0]
    assert _error_in(told) == "the table has changed"
    (told,) = write_groups(*what, Halves(), {}, str(tmp_path / "nowhere"), iter([pa.record_batch({"id": [0]})]))
    assert "all must see its folder" in _error_in(told)
    assert len(list(folder.iterdir())) == 2


def _error_in(told):
    """The text that an executor sends; pickled, so that it can be translated."""
    return str(pickle.loads(bytes.fromhex(told.to_pydict()["e"][0])))
