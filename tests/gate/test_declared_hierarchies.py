"""Hierarchies that a policy, or the roles file beside a table, declares in a few words."""

import pytest

from command import petworks
from PETWorks import PETWorksError, Release, check, read_policy
from PETWorks.errors import InputError

TABLE = "age;zip;disease\n31;10048;flu\n31;10048;cold\n47;10612;flu\n47;10612;flu\n"
POLICY = """\
petworks_policy: 1
data: table.csv
no_rule: {disease: a test}
roles:
  {quasi_identifiers: [age, zip], sensitive_attributes: [disease]}
rules:
  - {measure: k-anonymity, k: 2}
  - {measure: precision, at_least: 0.5}
"""
DECLARED = """\
hierarchies:
  age: {width: [5, 10], top: 90}
  zip: levels/zips.csv
"""


@pytest.fixture
def policy(tmp_path):
    """A policy that a test writes."""
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels/zips.csv").write_text("10048;100;*\n10612;106;*\n")

    def write(text):
        (tmp_path / "policy.yaml").write_text(text, "utf-8")
        return tmp_path / "policy.yaml"

    return write


def test_a_policy_declares_some_and_names_files_for_others(policy):
    path = policy(POLICY + DECLARED)
    release = read_policy(path).release()
    assert {name: one.height for name, one in release.hierarchies.items()} == {"age": 3, "zip": 2}
    result = check(path).content
    assert (result.verdict, list(result.table.hierarchies)) == ("pass", ["age", "zip"])
    inputs = {one.use: one.file for one in result.inputs}
    assert inputs["hierarchies"] == "zips.csv"
    assert "hierarchies" not in {
        one.use for one in check(policy(POLICY + "hierarchies: {age: {width: 5}, zip: {prefix: 3}}\n")).content.inputs
    }


def test_other_commands_take_them_from_the_policy(policy):
    done = petworks("evaluate", "--policy", policy(POLICY + DECLARED), "--measure", "precision")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("declared", "error"),
    [
        ("hierarchies:\n  zip: {prefix: 3}\n  age: {width: [5, 12]}\n", "line 11, hierarchies.age: hierarchy of 'age': width: 12 is not a multiple of 5"),  # noqa: E501 - as it is read
        ("hierarchies:\n  age: {widht: 5}\n", "line 10, hierarchies.age.widht: no key is called 'widht'; did you mean 'width'?"),  # noqa: E501 - as it is read
        ("hierarchies:\n  age: {}\n", "line 10, hierarchies.age: hierarchy of 'age': expected one of the keys"),
        ("hierarchies:\n  age: [5]\n", "line 10, hierarchies.age: expected a file, or a few words"),
        ("hierarchies: [a]\n", "line 9, hierarchies: expected the folder of the hierarchy files, or"),
        ("hierarchies:\n  age: {width: {5: 10}}\n", "line 10, hierarchies.age.width: expected"),
        ("hierarchies:\n  age: {dates: day, calendar: lunar}\n", "line 10, hierarchies.age.calendar: expected one of 'gregorian'"),  # noqa: E501 - as it is read
        ("hierarchies:\n  agee: {width: 5}\n", "line 10, hierarchies.agee: no column is called 'agee'; did you mean 'age'?"),  # noqa: E501 - as it is read
        ("hierarchies:\n  age: nowhere.csv\n", "line 10, hierarchies.age: no such file"),
        ("hierarchies:\n  age: ../outside.csv\n", "line 10, hierarchies.age: the path leads out"),
        ("hierarchies:\n  age: postgresql://x/y#z\n", "line 10, hierarchies.age: expected a file, got an address"),
        ("hierarchies:\n  zip: {prefix: 1}\n  age: {dates: year}\n", "line 11, hierarchies.age: hierarchy of 'age': 2 of 2 values have no place"),  # noqa: E501 - as it is read
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_their_line(policy, declared, error):
    folder = policy("").parent
    (folder.parent / "outside.csv").write_text("1;*\n")
    with pytest.raises(PETWorksError) as caught:
        read_policy(policy(POLICY + declared)).release()
    assert f"policy.yaml, {error}" in str(caught.value)
    assert "47" not in str(caught.value).replace(str(folder), ""), "a cell"


def test_all_mistakes_at_once(policy):
    with pytest.raises(InputError) as caught:
        read_policy(policy(POLICY + "hierarchies:\n  agee: {width: 5}\n  zip: {prefix: [1, 3]}\nrulez: []\n"))
    assert [line.split(",")[1] for line in str(caught.value).splitlines()] == [" line 10", " line 11", " line 12"]


def test_the_roles_file_beside_a_table_declares_them_too(tmp_path):
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "zips.csv").write_text("10048;*\n10612;*\n")
    roles = "roles: {quasi_identifiers: [age, zip]}\nhierarchies:\n  age: {width: 5}\n"
    (tmp_path / "table.yaml").write_text(roles + "  zip: zips.csv\n")
    assert list(Release(tmp_path / "table.csv").hierarchies) == ["age", "zip"]
    (tmp_path / "table.yaml").write_text(roles + "  zip: {prefix: [1, 3]}\n")
    with pytest.raises(InputError, match=r"table.yaml, line 4, hierarchies.zip: hierarchy of 'zip': prefix"):
        Release(tmp_path / "table.csv")
    (tmp_path / "table.yaml").write_text(roles + "  zip: ../zips.csv\n")
    with pytest.raises(InputError, match="outside the file's own folder"):
        Release(tmp_path / "table.csv")


def test_init_leaves_declarations_to_the_roles_file(tmp_path):
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "table.yaml").write_text("roles: {quasi_identifiers: [age, zip]}\nhierarchies: {age: {width: 5}}\n")
    assert petworks("init", tmp_path / "table.csv").returncode == 0
    assert list(read_policy(tmp_path / "table_policy.yaml").release().hierarchies) == ["age"]
