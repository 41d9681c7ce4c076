"""Several releases on every engine: the numbers of the definitions, bit for bit."""

import pyarrow as pa
import pytest
from hypothesis import given
from test_releases import GRADES, QI, R1, R2, SENSITIVE, _roles, school, several

from conftest import TINY_BATCHES, TINY_PARTS, constants, examples
from PETWorks import PETWorksError, Release, Releases
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting import people as counting_people
from PETWorks.errors import NotApplicable
from spark_cluster import needs_spark

SPARK = pytest.param("spark", marks=needs_spark)


def of_case(case, engine, **options):
    releases, known, place = case
    made = {}
    for number, (rows, own) in enumerate(zip(releases, known, strict=True)):
        roles = dict.fromkeys(own, QUASI_IDENTIFIER) | {"ill": SENSITIVE_ATTRIBUTE}
        made[f"r{number}"] = Release({name: [row[name] for row in rows] for name in ("id", "a", "b", "ill")}, roles)
    return Releases(made, "id", focal=f"r{place}", engine=engine, **options)


@pytest.mark.parametrize(
    ("engine", "tries"), [("memory", 60), ("duckdb", 25), pytest.param("spark", 2, marks=needs_spark)]
)
def test_all_numbers_are_those_in_memory(engine, tries):
    """Those in memory are compared with literal definitions; here in parts of a few people."""

    @examples(tries)
    @given(case=several())
    def compared(case):
        worth = {"ill": {case[0][0][0]["ill"]: 3.5}}
        expected = of_case(case, "memory", worth=worth).compose().to_dict()
        with constants(**TINY_PARTS, **TINY_BATCHES):
            releases = of_case(case, engine, worth=worth)
            assert releases.engine.name == engine
            assert releases.compose().to_dict() == expected
        releases.engine.close()

    compared()


@pytest.mark.parametrize("engine", ["duckdb", SPARK])
def test_tables_are_read_with_their_key(engine):
    options = {"worth": {"grade": GRADES, "disability": {"yes": 10, "no": 2}}}
    releases = school(engine=engine, **options)
    assert releases.engine.name == engine
    assert releases.compose({"gain": 5.6}).to_dict() == school(**options).compose({"gain": 5.6}).to_dict()


def test_releases_that_another_engine_has_read():
    made = [Release(R2, _roles(R2), engine="duckdb"), Release(R1, _roles(R1))]
    one, other = Releases(made, "id"), Releases(made, "id", engine="memory")
    assert (one.engine.name, other.engine.name) == ("duckdb", "memory")
    assert one.compose().to_dict() == other.compose().to_dict()


def test_the_key_of_the_original_out_of_core():
    released = {name: cells for name, cells in R2.items() if name != "id"}
    release = Release(released, _roles(R2) | {"id": "identifier"}, original=R2)
    releases = Releases([release, Release(R1, _roles(R1))], "id", engine="duckdb")
    assert releases.compose().together.classes == 6


@pytest.mark.parametrize("engine", [SPARK])
def test_spark_cannot_take_the_key_of_the_original(engine):
    released = {name: cells for name, cells in R2.items() if name != "id"}
    release = Release(released, _roles(R2) | {"id": "identifier"}, original=R2)
    with pytest.raises(PETWorksError, match="the key 'id' is in the original, but records come in no fixed order"):
        Releases([release, Release(R1, _roles(R1))], "id", engine=engine)


@pytest.mark.parametrize("engine", ["memory", "duckdb", SPARK])
def test_more_values_than_two_words_have(engine):
    people = [f"{number}" for number in range(300)]
    first = {"id": people, "zip": [f"{n // 150}" for n in range(300)], "ill": [f"{n // 2}" for n in range(300)]}
    second = first | {"zip": [f"{n % 150}" for n in range(300)]}
    options = {"quasi_identifiers": "zip", "sensitive": "ill", "engine": engine}
    ill = Releases([first, second], "id", **options).compose().unlinked["ill"]
    assert (ill.together.disclosed, ill.alone["release 1"].disclosed) == (300, 0)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_more_releases_than_shapley_values_are_made_of(engine):
    """Twelve: the first ones and all but one, as they are counted for fewer releases."""
    years = [R1 | {"age": [f"{int(age) // (1 + year % 7)}" for age in R1["age"]]} for year in range(12)]
    options = {"quasi_identifiers": ["age", "gender"], "sensitive": SENSITIVE, "engine": engine}
    found = Releases(years, "id", **options).compose()
    for number in (2, 5, 10):
        fewer = Releases(years[:number], "id", **options).compose()
        assert found.curve[:number] == fewer.curve
    for left_out in range(11) if engine == "memory" else (0, 10):
        without = next(one for one in found.contributions if one.release == f"release {left_out + 1}").without
        others = [year for place, year in enumerate(years) if place != left_out]
        assert without == Releases(others, "id", **options).compose().together.posterior


def test_a_table_of_a_database_needs_no_order(tmp_path):
    import sqlite3

    path = tmp_path / "school.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE pupils (id, school, gender, grade)")
        database.executemany("INSERT INTO pupils VALUES (?, ?, ?, ?)", zip(*R2.values(), strict=True))
    database.close()
    releases = Releases([f"{path}#pupils", R1], "id", quasi_identifiers=QI, sensitive=SENSITIVE)
    assert releases.compose().together.classes == 6


def literal_subset(case, chosen):
    """Classes, uniques, smallest class and right guesses of the focal people, by (release, column) pairs."""
    releases, _, place = case
    cells = [{row["id"]: row for row in rows} for rows in releases]
    classes = {}
    for row in releases[place]:
        own = tuple(("in", cells[one][row["id"]][name]) if row["id"] in cells[one] else "out" for one, name in chosen)
        classes.setdefault(own, []).append(row["ill"])
    sizes = [len(values) for values in classes.values()]
    guesses = sum(max(values.count(value) for value in values) for values in classes.values())
    return len(sizes), sizes.count(1), min(sizes), (guesses,), ()


@pytest.mark.parametrize(
    ("engine", "tries"), [("memory", 60), ("duckdb", 15), pytest.param("spark", 1, marks=needs_spark)]
)
def test_subsets_of_the_columns_of_all_releases(engine, tries):
    @examples(tries)
    @given(case=several())
    def compared(case):
        with constants(**TINY_PARTS):
            subsets = of_case(case, engine).subsets()
        pairs = [(place, name) for place, own in enumerate(case[1]) for name in own]
        assert subsets.quasi_identifiers == tuple(f"r{place}: {name}" for place, name in pairs)
        for mask, counts in zip(subsets.masks.tolist(), subsets.counts, strict=True):
            chosen = [pair for place, pair in enumerate(pairs) if mask >> place & 1]
            assert counts == literal_subset(case, chosen)

    compared()


def test_all_columns_together_are_the_linked_adversary():
    releases = school()
    subsets, together = releases.subsets(), releases.compose().together
    everything = subsets.row(subsets.quasi_identifiers)
    gain = school(worth={"grade": GRADES}).subsets().row(subsets.quasi_identifiers)
    assert (gain["gain_prior of grade"], gain["gain_posterior of grade"]) == (2.0, 5.6)
    assert (everything["classes"], everything["uniques"]) == (together.classes, together.alone)
    assert everything["attribute_inference_posterior of grade"] == together.inference["grade"].posterior


def test_columns_that_cannot_be_told_apart():
    tables = {"a": R1 | {"b: age": R1["age"]}, "a: b": R1}
    options = {"quasi_identifiers": ["age", "b: age"], "sensitive": "grade"}
    with pytest.raises(
        PETWorksError, match="'a: b: age' can be a column of two releases; give the releases other names"
    ):
        Releases(tables, "id", **options)


def test_too_many_sensitive_values_for_an_engine():
    rows = {"id": [str(n) for n in range(20)], "age": list("12") * 10, "bill": [str(n) for n in range(20)]}
    tables = [pa.table(rows), pa.table(rows)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(counting_people, "MAX_VALUES", 19)
        with pytest.raises(NotApplicable, match="'bill' has 20 values in all releases; out of core"):
            Releases(tables, "id", quasi_identifiers="age", sensitive="bill", engine="duckdb")
