"""A column at a glance: the same on every engine, for columns that are counted and for those that are not."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import TINY_PARTS, constants
from PETWorks import Release
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting import profiles
from spark_cluster import QUICK, needs_spark

os.environ.setdefault("JDK_JAVA_OPTIONS", QUICK)
TABLE = {
    "age": ["30", "30", "40", None, "*"],
    "name": [" a", "b", "b", "c", ""],
    "": ["0", "1", "2", "3", "4"],
    "fee": [1.5, 2.0, None, 2.0, 7.25],
    "empty": pa.nulls(5, pa.string()),
}
EXPECTED = {
    "age": (5, 3, 2, 1, {"30", "40"}),
    "name": (5, 4, 3, 2, {"a", "b", "c"}),
    "": (5, 5, 5, 5, {"0", "1", "2", "3", "4"}),
    "fee": (5, 4, 3, 2, {"1.5", "2.0", "7.25"}),
    "empty": (5, 0, 0, 0, set()),
}


def seen(release):
    return {
        name: (one.records, one.present, one.distinct, one.unique, set(one.sample))
        for name, one in release.profiles().items()
    }


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
@pytest.mark.parametrize("form", ["frame", "parquet"])
def test_every_engine_sees_the_same(tmp_path, engine, form):
    data = pa.table(TABLE)
    if form == "parquet":
        pq.write_table(data, tmp_path / "table.parquet", row_group_size=2)
        data = tmp_path / "table.parquet"
    with constants(**TINY_PARTS):
        release = Release(data, {"age": QUASI_IDENTIFIER, "name": IDENTIFIER}, engine=engine)
        assert seen(release) == EXPECTED
        release.engine.close()


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
def test_a_sample_is_bounded(engine, monkeypatch):
    data = {"age": ["1"] * 50, "text": [f"{'x' * 500}{row}" for row in range(50)]}
    for module in (
        profiles,
        *(__import__(f"PETWorks.counting.{name}", fromlist=["SAMPLE"]) for name in ("engines.duckdb", "engines.spark")),
    ):
        monkeypatch.setattr(module, "SAMPLE", 7)
    release = Release(data, {"age": QUASI_IDENTIFIER}, engine=engine)
    profile = release.profiles()["text"]
    assert (profile.distinct, profile.unique) == (50, 50)
    assert [40 <= len(text) <= profiles.LONGEST for text in profile.sample] == [True] * 7
    release.engine.close()


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
def test_personal_details_are_counted_alike(engine):
    """Also those that are in several parts of the table, where only all records together show that many share them."""
    notes = [f"{row} Mr. Smith, 0912-345-{row:03}, 411111111111111{row % 10}" for row in range(11)]
    notes += [f"{row} Dr. Chen met Dr. Jones" for row in range(9)] + [None, "*", ""]
    data = {"age": ["1"] * len(notes), "note": notes, "other": notes}
    with constants(**TINY_PARTS):
        release = Release(data, {"age": QUASI_IDENTIFIER, "other": SENSITIVE_ATTRIBUTE}, engine=engine)
        found = {name: one.details for name, one in release.profiles().items()}
        release.engine.close()
    expected = {"phone numbers": 11, "names of people": 18}
    assert found == {"age": {}, "note": expected, "other": expected}
