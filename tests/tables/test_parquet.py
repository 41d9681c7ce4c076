"""Parquet files whose few bytes stand for much, and text that is not UTF-8, in every form of a table."""

import sqlite3

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from PETWorks import Release
from PETWorks.counting.engines.engine import MemoryEngine
from PETWorks.errors import InputError
from PETWorks.measures.privacy.anonymity import k_anonymity
from PETWorks.tables.formats.parquet import PIECE_BYTES
from PETWorks.tables.opening import open_source

ROLES = {"zip": "quasi_identifier", "age": "quasi_identifier"}
ROWS, LONG = 5_000, 100_000
TEXTS = (pa.string(), pa.large_string(), pa.string_view())
BYTES = (pa.binary(), pa.large_binary(), pa.binary_view())


def array_of(cells, kind):
    """Cells of bytes as an array of any type that consists of bytes, whatever they are."""
    offsets = np.cumsum([0, *map(len, cells)]).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(cells))]
    kind, dictionary = (kind.value_type, True) if pa.types.is_dictionary(kind) else (kind, False)
    own = pa.Array.from_buffers(pa.string() if kind in TEXTS else pa.binary(), len(cells), buffers)
    if kind in (pa.string_view(), pa.large_string()):
        offsets = [None, pa.py_buffer(offsets.astype(np.int64)), buffers[2]]
        own = pa.Array.from_buffers(pa.large_string(), len(cells), offsets)
        return own if kind == pa.large_string() else own.cast(pa.string_view())
    own = own.cast(kind)
    return pa.DictionaryArray.from_arrays(pa.array(range(len(cells)), pa.int32()), own) if dictionary else own


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", [*TEXTS, *BYTES, pa.dictionary(pa.int32(), pa.string())], ids=str)
@pytest.mark.parametrize("role", ["zip", "unit"])
@pytest.mark.parametrize("form", ["arrow", "parquet", "feather"])
def test_text_that_is_not_utf8_is_named_by_its_column(tmp_path, form, role, kind, engine):
    """Also where the bytes are in the middle of a cell, which trimming does not look at."""
    table = pa.table({"zip": array_of([b"SEC\xffRET", b"b", b"c"], kind), "age": ["1", "2", "3"]})
    path = tmp_path / f"t.{form}"
    if form == "parquet":
        pa.parquet.write_table(table, path)
    if form == "feather":
        pa.feather.write_feather(table, str(path), compression="uncompressed")
    roles = ROLES if role == "zip" else {"age": "quasi_identifier"}
    unit = {"privacy_unit": "zip"} if role == "unit" else {}
    with pytest.raises(InputError, match=r": column 'zip' has cells that are not valid UTF-8") as error:
        Release(table if form == "arrow" else path, roles, engine=engine, **unit)
    assert "SEC" not in str(error.value)
    assert form == "arrow" or str(error.value).startswith(path.name)


def test_bytes_of_pandas_that_are_no_text():
    with pytest.raises(InputError, match=r"the released table: column 'zip' has cells that are not valid UTF-8"):
        Release(pd.DataFrame({"zip": [b"SEC\xffRET"], "age": ["1"]}), ROLES)


def test_text_in_sqlite_that_is_not_utf8(tmp_path):
    connection = sqlite3.connect(tmp_path / "t.sqlite")
    connection.execute("CREATE TABLE people (zip, age)")
    connection.execute("INSERT INTO people VALUES (CAST(x'53ff52' AS TEXT), '1')")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match=r"^t.sqlite#people: column 'zip' has cells that are not valid UTF-8"):
        Release(f"{tmp_path}/t.sqlite#people", ROLES)


def long_texts(folder, kind):
    """A file of 100 kB: the same long text in every record."""
    same = np.zeros(ROWS, np.int32)
    cell = pa.array([b"x" * LONG], pa.binary(LONG) if pa.types.is_fixed_size_binary(kind) else pa.binary())
    cell = cell.cast(pa.string()) if kind in TEXTS else cell
    columns = {"zip": pa.DictionaryArray.from_arrays(pa.array(same), cell)}
    columns["age"] = pa.DictionaryArray.from_arrays(pa.array(same), pa.array(["1"]))
    path = folder / "long.parquet"
    with pa.parquet.ParquetWriter(path, pa.table(columns).schema, store_schema=False, compression="none") as writer:
        writer.write_table(pa.table(columns))
        if not pa.types.is_fixed_size_binary(kind):  # the type that the one who wrote the file had
            import base64

            schema = pa.schema([("zip", kind), ("age", pa.string())])
            writer.add_key_value_metadata({b"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes())})
    assert path.stat().st_size < 110_000
    return path


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", [*TEXTS, *BYTES, pa.binary(LONG)], ids=str)
def test_a_long_text_that_is_kept_once_stays_small(tmp_path, kind, engine):
    path = long_texts(tmp_path, kind)
    pieces = open_source(path, "t").read(("zip", "age"))
    assert max(piece.nbytes for piece in pieces) <= 2.1 * PIECE_BYTES
    assert k_anonymity(Release(path, ROLES, engine=engine, memory_limit="500MB")).value == ROWS


def test_a_person_named_by_a_long_text_is_one_person(tmp_path):
    path = long_texts(tmp_path, pa.string())
    release = Release(path, {"age": "quasi_identifier"}, privacy_unit="zip", engine="duckdb", memory_limit="500MB")
    assert release.people == 1
    names = ["x" * 300, "x" * 301, "x" * 300, "y", None]
    counts = {}
    for engine in ("memory", "duckdb"):
        table = {"zip": names[:4], "age": ["1"] * 4}
        counts[engine] = Release(table, {"age": "quasi_identifier"}, privacy_unit="zip", engine=engine).people
    assert counts == {"memory": 3, "duckdb": 3}
    table = {"zip": names, "age": ["1"] * 5}
    with pytest.raises(InputError, match="so it is not known whose they are"):
        Release(table, {"age": "quasi_identifier"}, privacy_unit="zip", engine="duckdb")


def test_a_large_group_of_rows_is_read_in_pieces(tmp_path):
    rows = 5_000_000
    column = pa.array(np.full(rows, 7))
    pa.parquet.write_table(pa.table({"zip": column, "age": column}), tmp_path / "t.parquet", row_group_size=rows)
    pieces = [piece.num_rows for piece in open_source(tmp_path / "t.parquet", "t").read(("zip", "age"))]
    assert sum(pieces) == rows
    assert max(pieces) <= 1 << 20


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_texts_that_share_their_beginning_are_read_and_limited(tmp_path, encoding, engine):
    path = tmp_path / "t.parquet"
    texts = [f"{'x' * 50_000}{number}" for number in range(3_000)]
    table = pa.table({"zip": texts, "age": ["1"] * len(texts)})
    pa.parquet.write_table(table, path, use_dictionary=["age"], column_encoding={"zip": encoding}, compression="zstd")
    pieces = list(open_source(path, "t").read(("zip", "age")))
    assert sum(piece.num_rows for piece in pieces) == len(texts)
    assert max(piece.nbytes for piece in pieces) <= 1.5 * PIECE_BYTES
    message = r"t.parquet: the distinct values of its columns take 0.1 GB, too much for a memory limit of 0.3 GB"
    with pytest.raises(InputError, match=message):
        Release(path, ROLES, engine=engine, memory_limit="300MB")
    pa.parquet.write_table(
        table.slice(0, 20), path, use_dictionary=["age"], column_encoding={"zip": encoding}, compression="zstd"
    )
    assert Release(path, ROLES, engine=engine).records == 20


def test_a_file_that_does_not_fit_into_memory_is_not_called_damaged(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"zip": ["1"], "age": ["1"]}), path)
    source = open_source(path, "t")

    class NoMemory:
        def __getattr__(self, name):
            raise pa.ArrowMemoryError("malloc of size 8589934592 failed")

    class File:
        metadata = source._file.metadata
        num_row_groups = 1
        read_row_group = property(lambda self: NoMemory().anything)

    monkeypatch.setattr(source, "_file", File())
    with pytest.raises(MemoryError):
        MemoryEngine(1 << 30).load(source, ("zip",))


def test_lists_are_rejected_without_reading_them(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"zip": [["1"]], "age": ["1"]}), path)
    source = open_source(path, "t")
    source._file = None
    with pytest.raises(InputError, match=r"t.parquet: column 'zip' has cells of type list"):
        next(source.read(("zip",)))
