"""A column at a glance: the same on every engine, for columns that are counted and for those that are not."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import TINY_PARTS, constants
from PETWorks import Release
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting import profiles
from spark_cluster import needs_spark

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
    for module in ("profiles", "engines.duckdb", "engines.spark"):
        monkeypatch.setattr(f"PETWorks.counting.{module}.SAMPLE_SIZE", 7)
    release = Release(data, {"age": QUASI_IDENTIFIER}, engine=engine)
    profile = release.profiles()["text"]
    assert (profile.distinct, profile.unique) == (50, 50)
    assert [40 <= len(text) <= profiles.MAX_SAMPLED_LENGTH for text in profile.sample] == [True] * 7
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


def _people_by_hand(rows, names):
    """What one column says of people: each value of a person counts once, and formulas in every record."""
    told = {}
    for place, name in enumerate(names):
        pairs = {(row[place], row[-1].lower()) for row in rows}
        there = [value for value, _ in pairs if value is not None and value != "*"]
        unique = [value for value in set(there) if there.count(value) == 1]
        exact = [value for value in unique if any(sign.isdigit() for sign in value) or len(value) > 30]
        formulas = sum(row[place] is not None and row[place].startswith("=") for row in rows)
        told[name] = (len(pairs), len(there), len(set(there)), len(unique), len(exact), formulas)
    return told


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
def test_people_are_counted_alike(engine):
    """Values of people with several records whose numbers are spelt in several ways, against a count by hand."""
    names = ("age", "income", "note")
    for seed in range(8 if engine != "spark" else 1):
        chance = random.Random(seed)
        texts = ["*", None, "=A1", "cough", "fever 3", "a text that is longer than thirty signs", "7", "8"]
        rows = []
        for _ in range(chance.randint(8, 40)):
            person = f"{chance.choice('pPqQ')}{chance.randint(1, 4)}"
            rows.append([*(chance.choice(texts[chance.randint(0, 3) :]) for _ in names), person])
        rows.append([None, "9", "10", "P1"])
        data = dict(zip((*names, "person"), zip(*rows, strict=True), strict=True))
        roles = {"age": QUASI_IDENTIFIER, "income": SENSITIVE_ATTRIBUTE}
        with constants(**TINY_PARTS):
            release = Release(data, roles, engine=engine, privacy_unit="person", sensitive_values="folded")
            assert release.people == len({row[-1].lower() for row in rows})
            found = {
                name: (one.records, one.present, one.distinct, one.unique, one.exact, one.formulas)
                for name, one in release.profiles().items()
                if name in names
            }
            release.engine.close()
        assert found == _people_by_hand(rows, names), seed


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
def test_details_of_one_person_count_once_on_every_engine(engine):
    rows = [(f"day {visit}: call 09{person:02d}345678", f"P{person}") for person in range(12) for visit in range(12)]
    rows += [(f"ward {visit}: call 0912345999", f"P{visit}") for visit in range(12)]
    data = {"note": [note for note, _ in rows], "age": ["1"] * len(rows), "person": [person for _, person in rows]}
    with constants(**TINY_PARTS):
        release = Release(data, {"age": QUASI_IDENTIFIER}, engine=engine, privacy_unit="person")
        found = release.profiles()["note"].details
        release.engine.close()
    assert found == {"phone numbers": 12}
