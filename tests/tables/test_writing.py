"""Files that are written: each format, and all of them or none."""

import errno
import io
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from conftest import ROOT
from PETWorks import CSV
from PETWorks.errors import InputError
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import staging, write_whole
from PETWorks.tables.writing import release_content, whole_table

TYPED = pa.table(
    {
        "id": pa.array([1, 2, None], pa.int16()),
        "name": pa.array(["a", None, ""], pa.string()),
        "long": pa.array(["a", "b", "b"], pa.large_string()),
        "view": pa.array(["a", "b", None], pa.string_view()),
        "bytes": pa.array([b"a", b"b", None], pa.binary()),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "price": pa.array([None, 1, 2], pa.decimal128(9, 2)),
        "day": pa.array([0, 1, None], pa.date32()),
        "at": pa.array([0, 1, None], pa.timestamp("us", "Asia/Taipei")),
        "real": pa.array([0.5, -0.0, float("nan")]),
    }
)
TYPED = TYPED.cast(
    pa.schema(
        [field.with_metadata({"unit": "cm"}) if field.name == "name" else field for field in TYPED.schema],
        {"pandas": '{"columns": ["secret"]}'},
    )
)


def put(path, table):
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    else:
        pa.feather.write_feather(table, path)
    return path


def got(path):
    return pa.parquet.read_table(path) if path.suffix == ".parquet" else pa.feather.read_table(path)


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
@pytest.mark.parametrize("becoming", [".parquet", ".feather", ".ARROW"])
def test_columns_that_do_not_change_keep_their_types_and_values(tmp_path, suffix, becoming):
    source = open_source(put(tmp_path / f"t{suffix}", TYPED), "t")
    release = tmp_path / f"release{becoming}"
    new = {"id": pa.array(["1-2", "1-2", None]).dictionary_encode(), "long": pa.array(["*", "*", "b"])}
    write_whole({release: release_content(release, source, drop=["day"], changed=new)})
    kept = got(tmp_path / f"t{suffix}").drop_columns(["day", "id", "long"])
    table = got(release) if becoming != ".ARROW" else pa.ipc.open_file(release).read_all()
    assert table.column_names == [name for name in TYPED.column_names if name != "day"]
    same = table.drop_columns(["id", "long"])
    bytes_at, name_at = kept.column_names.index("bytes"), kept.column_names.index("name")
    schema = pa.schema([field.remove_metadata() for field in kept.schema])
    assert same.schema.equals(schema.set(bytes_at, pa.field("bytes", pa.string())), check_metadata=True)
    judged = kept.set_column(name_at, "name", pa.array(["a", None, None]))
    judged = judged.set_column(bytes_at, "bytes", judged["bytes"].cast(pa.string()))
    judged = judged.set_column(kept.column_names.index("real"), "real", pa.array([0.5, 0.0, None]))
    assert [str(row) for row in same.to_pylist()] == [str(row) for row in judged.to_pylist()]
    assert table.schema.metadata is None
    assert table.column("id").to_pylist() == ["1-2", "1-2", None]
    assert table.schema.field("id").type == pa.string()
    assert table.schema.field("long").type == pa.large_string()


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
def test_records_in_another_order(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.writing.ROWS", 2)
    source = open_source({"a": ["x", "y", "z", "x"], "b": [1, 2, 3, 4]}, "t")
    release = tmp_path / f"release{suffix}"
    order = np.array([3, 0, 2])
    write_whole({release: release_content(release, source, changed={"a": pa.array(["p", "q", "r", "s"])}, order=order)})
    again = whole_table(open_source(release, "t"))
    assert again.column("a").to_pylist() == ["s", "p", "r"]
    assert [str(cell) for cell in again.column("b").to_pylist()] == ["4", "1", "3"]


@pytest.mark.parametrize(
    ("names", "header"),
    [(("a", "b,c"), b'a,"b,c"\n'), (("a;x", "b;y"), b'"a;x";"b;y"\n'), (("a|b", "c"), b'"a|b";c\n')],
)
def test_a_new_csv_file_has_commas_unless_its_header_could_be_misread(tmp_path, names, header):
    source = open_source({names[0]: ["1;2", "3|4"], names[1]: ["5;6", "7|8"]}, "t")
    release = tmp_path / "release.csv"
    write_whole({release: release_content(release, source)})
    assert release.read_bytes().startswith(header)
    again = whole_table(open_source(release, "t"))
    assert again.column_names == list(names)
    assert again.column(0).to_pylist() == ["1;2", "3|4"]


def test_cells_of_csv_stand_in_parquet_as_they_are_judged(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'a;b\n" 1 ";\n007;NA\n')
    release = tmp_path / "t.parquet"
    write_whole({release: release_content(release, CSV(path))})
    assert got(release).to_pydict() == {"a": ["1", "007"], "b": [None, "NA"]}
    assert got(release).schema.types == [pa.string()] * 2


def test_a_whole_table_is_the_table(tmp_path):
    for suffix in (".parquet", ".feather"):
        source = open_source(put(tmp_path / f"t{suffix}", TYPED), "t")
        table = whole_table(source)
        assert table.column_names == list(source.names)
        assert [str(row) for row in table.to_pylist()] == [str(row) for row in TYPED.to_pylist()]


def test_a_whole_table_of_several_files_with_types_that_fit(tmp_path):
    put(tmp_path / "1.parquet", pa.table({"a": pa.array([1], pa.int16()), "b": ["x"]}))
    put(tmp_path / "2.parquet", pa.table({"b": ["y"], "a": pa.array([1 << 40], pa.int64())}))
    source = open_source(str(tmp_path / "*.parquet"), "t")
    release = tmp_path / "all.feather"
    write_whole({release: release_content(release, source)})
    assert got(release).to_pydict() == {"a": [1, 1 << 40], "b": ["x", "y"]}
    assert got(release).schema.field("b").type == pa.string()


def test_a_table_without_an_order_is_not_written(tmp_path):
    import sqlite3

    connection = sqlite3.connect(tmp_path / "t.db")
    connection.executescript("CREATE TABLE p (a); INSERT INTO p VALUES (1);")
    connection.close()
    source = open_source(f"{tmp_path / 't.db'}#p", "t")
    with pytest.raises(InputError, match="the records have no order of their own; save the table as a CSV or Parquet"):
        whole_table(source)
    with pytest.raises(InputError, match="the records have no order"):
        release_content(tmp_path / "t.csv", source)


@pytest.mark.parametrize("name", ["t.xls", "t", "t.csv.gz", "csv"])
def test_a_name_without_a_known_format_is_an_error(tmp_path, name):
    with pytest.raises(InputError, match=r"expected a name that ends in one of '.csv', '.tsv', '.txt', '.parquet'"):
        release_content(tmp_path / name, open_source({"a": [1]}, "t"))


def test_cells_that_are_no_text_are_no_csv(tmp_path):
    with pytest.raises(InputError, match="t: column 'a' has cells of type list"):
        release_content(tmp_path / "t.csv", open_source(pa.table({"a": [[1]]}), "t"))


class FullDisk:
    """A file that has no room for more than so many bytes."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, content):
        self.room -= len(content)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(content)

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather"])
@pytest.mark.parametrize("room", [0, 10, 400])
def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch, suffix, room):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "".join(f"{number};x\n" for number in range(1000)))
    source = CSV(path)
    release, policy = tmp_path / f"release{suffix}", tmp_path / "policy.yaml"
    policy.write_text("earlier")
    usual = Path.open

    def opened(self, mode="r", *args, **kwargs):
        file = usual(self, mode, *args, **kwargs)
        return FullDisk(file, room) if mode == "xb" else file

    monkeypatch.setattr(Path, "open", opened)
    contents = {policy: b"", release: release_content(release, source, drop=["b"])}
    with pytest.raises(InputError, match=rf"cannot write '.*release{suffix}': No space left on device"):
        write_whole(contents)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.yaml", "t.csv"]
    assert policy.read_text() == "earlier"


def test_files_are_replaced_together_or_not_at_all(tmp_path, monkeypatch):
    earlier, fresh, last = (tmp_path / name for name in ("earlier", "fresh", "last"))
    earlier.write_bytes(b"1")
    last.write_bytes(b"1")
    usual = Path.replace

    def replaced(self, target):
        if Path(target) == last and self.parent.suffix == ".partial":
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return usual(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    with pytest.raises(InputError, match=r"cannot write '.*last': Operation not permitted"):
        write_whole({earlier: b"2", fresh: b"2", last: b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"earlier": b"1", "last": b"1"}
    monkeypatch.undo()
    write_whole({earlier: b"2", fresh: lambda file: file.write(b"2"), last: b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "earlier": b"2",
        "fresh": b"2",
        "last": b"2",
    }


def test_files_that_were_there_stay_if_a_later_content_fails(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_bytes(b"1")

    def fails(_):
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        write_whole({paths[0]: b"2", paths[1]: fails, paths[2]: b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"1", "b": b"1", "c": b"1"}


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").mkdir()
    with pytest.raises(InputError, match=r"cannot write '.*b': Is a directory"):
        write_whole({tmp_path / "a": b"2", tmp_path / "b": b"2"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert (tmp_path / "a").read_bytes() == b"1"


def test_files_are_as_before_if_what_follows_fails(tmp_path):
    earlier, fresh = tmp_path / "earlier", tmp_path / "fresh"
    earlier.write_bytes(b"1")

    def fails():
        with staging("x", tmp_path) as files:
            files.write({earlier: b"2", fresh: b"2"})
            assert (earlier.read_bytes(), fresh.exists()) == (b"1", False)
            assert files.current(earlier).read_bytes() + files.current(fresh).read_bytes() == b"22"
            (tmp_path / "nowhere" / "file").write_bytes(b"")

    with pytest.raises(OSError, match=r"nowhere"):
        fails()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"earlier": b"1"}
    with staging("x", tmp_path) as files:
        files.write({earlier: b"2"})
        files.publish()
        assert files.current(earlier) == earlier
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"earlier": b"2"}


def test_what_an_earlier_run_left_is_removed_and_what_is_of_no_use_is_gone(tmp_path):
    left = tmp_path / ".petworks-x.partial"
    left.mkdir()
    (left / "release").write_bytes(b"never judged")
    (tmp_path / "plan").write_bytes(b"1")
    with staging("x", tmp_path) as files:
        assert not left.exists()
        files.write({tmp_path / "release": b"2", tmp_path / "folder" / "hierarchy": b"2"})
        files.remove(tmp_path / "plan")
        files.publish()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "release"]


def test_the_first_file_comes_last(tmp_path, monkeypatch):
    """Whenever the program is killed, a release is there with all its files, or not at all."""
    release, policy = tmp_path / "release", tmp_path / "policy"
    release.write_bytes(b"1")
    policy.write_bytes(b"1")
    usual, seen = Path.replace, []

    def replaced(self, target):
        usual(self, target)
        seen.append([path.read_bytes() if path.exists() else b"" for path in (release, policy)])

    monkeypatch.setattr(Path, "replace", replaced)
    write_whole({release: b"2", policy: b"2"})
    assert seen == [[b"", b"1"], [b"", b""], [b"", b"2"], [b"2", b"2"]]


def test_the_second_file_is_there_as_long_as_one_of_those_after_it(tmp_path, monkeypatch):
    """By the policy a later run knows the hierarchies for its own, and may replace them."""
    release, policy, hierarchy = tmp_path / "release", tmp_path / "policy", tmp_path / "folder" / "hierarchy"
    usual, seen = Path.replace, []

    def replaced(self, target):
        usual(self, target)
        seen.append([path.exists() for path in (release, policy, hierarchy)])

    monkeypatch.setattr(Path, "replace", replaced)
    for content in (b"1", b"2"):
        with staging("x", tmp_path) as files:
            files.write({release: content, policy: content, hierarchy: content})
            files.publish()
    assert len(seen) == 9
    assert not [one for one in seen if one in ([False, False, True], [True, False, True], [True, True, False])]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_leaves_nothing_behind(tmp_path, suffix, number):
    """The signal arrives while the file is written; the program handles it as the command does."""
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "".join(f"{row};x\n" for row in range(5000)))
    code = f"""
        import os, sys
        from pathlib import Path
        from PETWorks import CSV
        from PETWorks.cli.main import _ExitCodes
        from PETWorks.tables.formats import csv as csv_files
        from PETWorks.tables import writing
        from PETWorks.tables.output import write_whole
        csv_files.ROWS = writing.ROWS = 100
        release = Path({str(tmp_path / ("release" + suffix))!r})
        write = writing.release_content(release, CSV({str(path)!r}), drop=["b"])
        class Slow:
            def __init__(self, file):
                self.file, self.times = file, 0
            def write(self, content):
                self.times += 1
                if self.times == 3:
                    assert any(name.startswith(".petworks") for name in os.listdir(release.parent))
                    os.kill(os.getpid(), {int(number)})
                return self.file.write(content)
            def __getattr__(self, name):
                return getattr(self.file, name)
        with _ExitCodes():
            write_whole({{release: lambda file: write(Slow(file))}})
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (128 + number, "")
    assert list(tmp_path.iterdir()) == [path]


def test_an_input_is_not_changed_by_a_release_that_replaces_another_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a;b\n1;x\n")
    release = tmp_path / "release.csv"
    release.write_bytes(b"earlier")
    write_whole({release: release_content(release, CSV(path), drop=["a"])})
    assert (path.read_bytes(), release.read_bytes()) == (b"a;b\n1;x\n", b"b\nx\n")


def test_writing_does_not_import_pandas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a;b\n1;x\n")
    code = f"""
        import sys
        from pathlib import Path
        import numpy as np
        from PETWorks import CSV
        from PETWorks.tables.arrays import strings
        from PETWorks.tables.output import write_whole
        from PETWorks.tables.writing import release_content
        for suffix in (".csv", ".parquet", ".feather"):
            release = Path({str(tmp_path)!r}) / ("release" + suffix)
            content = release_content(release, CSV({str(path)!r}), changed={{"a": strings(["y"])}}, order=np.array([0]))
            write_whole({{release: content}})
        print("pandas" in sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_few_bytes_that_stand_for_long_texts_do_not_fill_the_memory(tmp_path, monkeypatch):
    """Texts of a dictionary are copied a few rows at a time."""
    monkeypatch.setattr("PETWorks.tables.formats.csv.WRITTEN_BYTES", 1000)
    source = open_source(put(tmp_path / "t.parquet", pa.table({"a": ["long" * 100] * 20, "b": range(20)})), "t")
    sizes = []
    usual = pa.parquet.ParquetWriter.write_batch

    def written(self, batch):
        sizes.append(batch.num_rows)
        usual(self, batch)

    monkeypatch.setattr(pa.parquet.ParquetWriter, "write_batch", written)
    release = tmp_path / "release.parquet"
    write_whole({release: release_content(release, source)})
    assert sizes == [2] * 10
    assert got(release).to_pydict() == {"a": ["long" * 100] * 20, "b": list(range(20))}


def dictionaries(*chunks):
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), labels) for codes, labels in chunks]
    )


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
@pytest.mark.parametrize("order", [None, np.array([3, 0])])
@pytest.mark.parametrize(
    "column",
    [
        dictionaries(([0, 1], pa.array(["x", "y"])), ([0, None], pa.array(["z"]))),
        dictionaries(([0, 1], pa.array(["x", None])), ([1, 0], pa.array([None, "z"]))),
        dictionaries(([0, 1, 1, 0], pa.array(["x", "y"], pa.string_view()))),
        dictionaries(*((range(100), pa.array([f"{name}{number}" for number in range(100)])) for name in "ab")),
    ],
)
def test_dictionaries_of_every_sort_are_written(tmp_path, suffix, order, column):
    source = open_source(pa.table({"a": column, "b": range(len(column))}), "t")
    release = tmp_path / f"release{suffix}"
    write_whole({release: release_content(release, source, order=order)})
    cells = column.to_pylist()
    expected = cells if order is None else [cells[row] for row in order]
    written = whole_table(open_source(release, "t")).column("a").to_pylist()
    assert [cell or None for cell in written] == expected
    if suffix != ".csv":
        assert pa.types.is_dictionary(got(release).schema.field("a").type)


def test_a_type_that_a_format_does_not_know_is_an_error(tmp_path):
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["secret", "y"])
    with pytest.raises(InputError, match=r"the format cannot hold all of the types 'run_end_encoded<.*'") as error:
        release_content(tmp_path / "t.parquet", open_source(pa.table({"a": runs}), "t"))(io.BytesIO())
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
@pytest.mark.parametrize("ordered", [False, True])
def test_dictionaries_do_not_tell_what_is_not_written(tmp_path, suffix, ordered):
    """Neither the order of the original nor labels that no record has."""
    labels = pa.array(["gone", "first", "second", "third"])
    cells = pa.DictionaryArray.from_arrays(pa.array([1, 2, None, 3, 2]), labels, ordered=ordered)
    source = tmp_path / "table.feather"
    pa.feather.write_feather(pa.table({"a": cells}), source)
    release = tmp_path / f"release.{suffix}"
    write_whole({release: release_content(release, open_source(source, "t"), order=np.array([4, 3, 2, 1, 0]))})
    written = got(release)["a"]
    assert written.to_pylist() == ["second", "third", None, "second", "first"]
    if pa.types.is_dictionary(written.type):
        (dictionary,) = {tuple(chunk.dictionary.to_pylist()) for chunk in written.chunks}
        assert dictionary == (("first", "second", "third") if ordered else ("second", "third", "first"))
    assert b"gone" not in release.read_bytes()
