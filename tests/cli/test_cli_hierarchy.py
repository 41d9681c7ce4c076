"""`petworks hierarchy`."""

import json

import pytest

from command import petworks
from PETWorks.about.hierarchies.declaration import read_hierarchy


@pytest.fixture
def people(tmp_path):
    (tmp_path / "people.csv").write_text("age;city\n31;Taipei\n36;Taipei\n36;Tainan\n93;\n*;Hsinchu\n", "utf-8")
    return tmp_path / "people.csv"


def test_groups_with_values_and_records(people):
    done = petworks("hierarchy", people, "--column", "age", "--width", "5,10", "--top", "90", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    assert (shown["column"], shown["declaration"]) == ("age", {"width": ["5", "10"], "top": "90"})
    assert [[tuple(group.values()) for group in level["groups"]] for level in shown["levels"]] == [
        [("31", 1, 1), ("36", 1, 2), ("93", 1, 1)],
        [("[30, 35)", 1, 1), ("[35, 40)", 1, 2), (">= 90", 1, 1)],
        [("[30, 40)", 2, 3), (">= 90", 1, 1)],
        [("*", 3, 4)],
    ]
    table = petworks("hierarchy", people, "--column", "age", "--width", "5,10", "--top", "90").stdout
    assert table.startswith("In a policy, under 'hierarchies': age: {width: [5, 10], top: 90}\n")
    assert [line.split() for line in table.splitlines()][5:7] == [
        ["1", ">=", "90", "1", "1"],
        ["2", "[30,", "40)", "2", "3"],
    ]


@pytest.mark.parametrize(
    "options",
    [
        ("--column", "age", "--cuts", "18,40,65", "--cuts", "40"),
        ("--column", "age", "--bottom", "18"),
        ("--column", "age", "--quantiles", "4,2"),
        ("--column", "age", "--prefix", "1"),
        ("--column", "age", "--mask", "1"),
        ("--column", "city", "--order", "Taipei,Hsinchu,Tainan", "--sizes", "2"),
        ("--column", "city", "--group", "North=Taipei,Hsinchu", "--group", "South=Tainan"),
        ("--column", "city", "--rare", "2"),
        ("--column", "city"),
        ("--column", "age", "--engine", "duckdb"),
    ],
)
def test_every_kind_can_be_written(people, options):
    target = people.with_name("hierarchy_x.csv")
    done = petworks("hierarchy", people, *options, "-o", target)
    assert done.returncode == 0, done.stderr
    assert read_hierarchy(target).top == "*"


def test_an_existing_hierarchy_is_not_overwritten(people):
    target = people.with_name("hierarchy_age.csv")
    target.write_text("mine")
    done = petworks("hierarchy", people, "--column", "age", "-o", target)
    assert (done.returncode, target.read_text()) == (2, "mine")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--column", "agee", "--width", "5"), "no column is called 'agee'; did you mean 'age'?"),
        (("--column", "age", "--width", "5,12"), "hierarchy of 'age': width: 12 is not a multiple of 5"),
        (("--column", "age", "--width", "5", "--mask", "1"), "'mask' cannot be combined with 'width'"),
        (("--column", "city", "--width", "5"), "hierarchy of 'city': 3 of 3 values have no place; expected numbers"),
        (("--column", "city", "--group", "North"), "--group expects NAME=A,B"),
        (("--column", "city", "--group", "N=Taipei", "--group", "N=Tainan"), "names a group twice"),
    ],
)
def test_mistakes_write_nothing(people, options, error):
    target = people.with_name("hierarchy_x.csv")
    done = petworks("hierarchy", people, *options, "-o", target)
    assert (done.returncode, done.stdout, target.exists()) == (2, "", False)
    assert error in done.stderr
    assert "Taipei" not in done.stderr


def test_as_a_policy_declares_it(people):
    policy = people.with_name("policy.yaml")
    text = "petworks_policy: 1\ndata: people.csv\nroles: {quasi_identifiers: [age]}\nhierarchies: {age: {width: 50}}\n"
    policy.write_text(text + "rules: [{measure: k-anonymity, k: 1}]\n")
    done = petworks("hierarchy", people, "--column", "age", "--policy", policy)
    assert "[0, 50)" in done.stdout, done.stderr
    assert (
        "declares no hierarchy for 'city'"
        in petworks("hierarchy", people, "--column", "city", "--policy", policy).stderr
    )
