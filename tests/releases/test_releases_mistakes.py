"""What cannot be used as several releases: the error says what is wrong, and no cell."""

import json

import pytest

from PETWorks import PETWorksError, Release, Releases
from PETWorks.releases.composition import Caution
from PETWorks.render.language.messages import translated
from spark_cluster import needs_spark

A = {
    "id": ["key-1", "key-2", "key-3"],
    "zip": ["zip-1", "zip-1", "zip-2"],
    "ill": ["secret1", "secret2", "secret1"],
}
B = {
    "id": ["key-2", "key-3", "key-4"],
    "zip": ["zip-1", "zip-1", "zip-2"],
    "ill": ["secret2", "secret1", "secret1"],
}
ROLES = {"quasi_identifiers": ["zip"], "sensitive": ["ill"]}
CELLS = ["key-1", "key-2", "key-3", "key-4", "zip-1", "zip-2", "secret"]


ENGINES = ["memory", "duckdb", pytest.param("spark", marks=needs_spark)]


def message(releases, key="id", *, limits=None, **options):
    with pytest.raises(PETWorksError) as caught:
        Releases(releases, key, **ROLES | options).compose(limits)
    text = str(caught.value)
    assert not [cell for cell in CELLS if cell in text]
    return text


@pytest.mark.parametrize("engine", ENGINES)
def test_a_key_that_a_table_does_not_have(engine):
    text = message([A, {name: cells for name, cells in B.items() if name != "id"}], engine=engine)
    assert text == "'release 2': no column 'id', which is to name the people; it has 'zip', 'ill'"


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_keys(engine):
    text = message([A | {"id": ["key-1", None, ""]}, B], engine=engine)
    assert text == "'release 1': the key 'id' is missing in 2 of 3 records; every record needs one"


@pytest.mark.parametrize("engine", ENGINES)
def test_repeated_keys(engine):
    text = message([A, B | {"id": ["key-2", "key-2", "key-4"]}], engine=engine)
    assert text.startswith("'release 2': the key 'id' is repeated: 1 of 2 people have more than one record; keep")


@pytest.mark.parametrize("engine", ENGINES)
def test_nobody_in_common(engine):
    text = message({"2022": A, "2023": B | {"id": ["x", "y", "z"]}}, focal="2022", engine=engine)
    assert text.startswith("'2023' has no person in common with '2022'")


def test_a_focal_release_that_is_not_there():
    assert message({"2022": A, "2023": B}, focal="2024").startswith("no release is called '2024'; did you mean")
    assert message([A, B], focal=Release(A)).startswith("no release is called 'Release'")


@pytest.mark.parametrize("releases", [[], [A], A["id"][0], {"one": A}])
def test_fewer_than_two_releases(releases):
    assert message(releases).startswith("expected a list or dict of at least two releases")


def test_the_key_is_no_quasi_identifier():
    assert "cannot have the role 'quasi_identifier'" in message([A, B], quasi_identifiers=["zip", "id"])


def test_columns_that_no_release_has():
    assert message([A, B], quasi_identifiers="zap") == "no release has the column 'zap'"
    assert message([A, B], sensitive="zip").startswith("columns with two roles: 'zip'")
    assert message([A | {"job": ["a", "b", "c"]}, B], sensitive="job").startswith("'release 2': no sensitive attribute")
    assert message([A | {"job": ["a", "b", "c"]}, B], quasi_identifiers="job").startswith("'release 2': no column has")


def test_an_engine_that_does_not_exist():
    assert message([A, B], engine="mysql").startswith("expected the engine 'auto', 'memory', 'duckdb', 'spark'")
    assert message([A, B], memory_limit="little").startswith("expected a memory limit in bytes or like '2GB'")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_an_original_that_has_lost_records(engine):
    released = {name: cells for name, cells in A.items() if name != "id"}
    roles = {"zip": "quasi_identifier", "ill": "sensitive_attribute", "id": "identifier"}
    original = {name: [*cells, cells[0]] for name, cells in A.items()}
    text = message([Release(released, roles, original=original), B], engine=engine)
    assert text.startswith("'release 1': 4 keys were read for 3 records")


@pytest.mark.parametrize(
    ("worth", "start"),
    [
        ({"job": {"x": 1}}, "no sensitive attribute of the focal release is called 'job'"),
        ({"ill": {"nothing": 3, "secret1": 2}}, "worth of 'ill': 1 of 2 values do not occur"),
        ({"ill": {"secret1": -1}}, "worth needs 0 <= ill, got ill=-1"),
        ({"ill": {"secret1": "much"}}, "worth needs a number"),
        ({"ill": 3}, "expected worth as a dict from attribute to a dict"),
    ],
)
def test_worth(worth, start):
    assert message([A, B], worth=worth).startswith(start)


@pytest.mark.parametrize(
    ("limits", "start"),
    [
        ({"risk": 1}, "no limit is called 'risk'; known: 're-identification'"),
        ({"alone": 2}, "a limit needs 0 <= alone <= 1, got alone=2"),
        ({"m-invariance": 1.5}, "a limit needs m-invariance to be a whole number"),
        ({"gain": 1}, "the limit 'gain' needs a worth of sensitive values (worth=...)"),
        ({"inference:zip": 1}, "no limit is called 'inference:zip'"),
    ],
)
def test_limits(limits, start):
    assert message([A, B], limits=limits).startswith(start)


def test_arguments_of_another_type():
    assert message([A, B], 3) == "expected the key as the name of a column, got int"
    assert message({"one": A, "other": B}, {"one": "id"}) == (
        "expected a key for each of 'one', 'other', got keys for 'one'"
    )
    assert message([A, B], limits=["alone"]) == "expected limits as a dict from name to number, got list"


def test_limits_that_have_no_meaning():
    alone = {name: cells for name, cells in A.items() if name != "ill"}
    assert message([alone, B], limits={"disclosed": 1}).startswith("the limit 'disclosed' needs a sensitive attribute")
    assert message([B, alone], sensitive=[], limits={"inference": 1}).startswith("the limit 'inference' needs a sensi")


def test_another_coding_is_a_warning():
    coded = B | {"ill": ["2", "1", "secret1"]}
    composition = Releases([coded, A], "id", **ROLES).compose()
    (warning,) = composition.warnings
    assert translated(warning, "zh-TW").startswith("「release 1」中「ill」有 66.7 % 的值未出現在「release 2」；")
    (told,) = composition.to_dict()["cautions"]
    assert (told["kind"], told["column"], told["release"]) == ("coded differently", "ill", "release 1")
    assert (Caution(**json.loads(json.dumps(told))).text, told["share"]) == (warning, pytest.approx(2 / 3))
    assert warning.startswith("66.7 % of the values of 'ill' in 'release 1' do not occur in 'release 2'")
    assert not [cell for cell in CELLS if cell in warning]
    assert Releases([B, A], "id", **ROLES).compose().warnings == []


def test_what_is_sensitive_here_and_known_there_is_a_warning():
    known = Release(A, {"zip": "quasi_identifier", "ill": "quasi_identifier"})
    (warning,) = Releases({"2022": known, "2023": B}, "id", **ROLES).compose().warnings
    assert (
        warning == "'ill' is sensitive in '2023' but a quasi-identifier in '2022': whoever joins the records knows it"
    )


def test_results_have_no_cell():
    composition = Releases([A, B], "id", worth={"ill": {"secret1": 5}}, **ROLES).compose({"m-invariance": 2})
    for text in (repr(composition), str(composition.to_dict())):
        assert not [cell for cell in CELLS if cell in text]
