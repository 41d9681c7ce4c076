"""`petworks evaluate` and `petworks attack` with what a policy says about the table."""

import json

import pytest

from command import petworks
from PETWorks import check
from policy_checks import DAY

POLICY = """\
petworks_policy: 1
data: visits.csv
original: original.csv
population: 100
hierarchies: levels
separator: ;
no_rule: {disease: a test}
roles:
  quasi_identifiers: [zip, age]
  sensitive_attributes: [disease]
privacy_unit: person
treatment: {missing: apart}
rules: [{measure: k-anonymity, k: 2}]
"""
ROWS = "person;zip;age;disease\n" + "".join(f"p{place // 2};{place % 2};{place % 3};flu\n" for place in range(12))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels/hierarchy_zip.csv").write_text("0;*\n1;*\n")
    (tmp_path / "visits.csv").write_text(ROWS)
    (tmp_path / "original.csv").write_text(ROWS)
    (tmp_path / "other.csv").write_text(ROWS + "p9;0;0;cold\n")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def evaluated(folder, *arguments):
    done = petworks("evaluate", *arguments, "--format", "json", cwd=folder)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_evaluate_takes_the_description_of_the_table_from_a_policy(folder):
    told = (
        "{missing: apart, suppressed: class, sensitive_values: folded}"  # where it is not told, check is more careful
    )
    (folder / "policy.yaml").write_text(POLICY.replace("{missing: apart}", told))
    found = evaluated(folder, "--policy", "policy.yaml")
    checked = check(folder / "policy.yaml", as_of=DAY).to_dict()
    assert (
        found["table"].items()
        >= {
            name: value for name, value in checked["table"].items() if name not in ("classes", "original_records")
        }.items()
    )
    values = {one["measure"]: one["value"] for one in found["results"]}
    for one in checked["results"]:
        assert values[one["measure"]] == one["value"]
    assert evaluated(folder, "visits.csv", "--policy", "policy.yaml")["results"] == found["results"]


def test_options_override_the_policy(folder):
    other = evaluated(folder, "other.csv", "--policy", "policy.yaml", "--missing", "value", "--population", "50")
    assert (other["table"]["records"], other["table"]["population"]) == (13, 50)
    assert (other["table"]["treatment"]["missing"], other["table"]["people"]) == ("value", 7)
    roles = evaluated(folder, "--policy", "policy.yaml", "--qi", "age")["table"]
    assert (roles["quasi_identifiers"], roles["sensitive_attributes"]) == (["age"], [])


def test_attack_takes_it_too(folder):
    flags = ("--qi", "zip,age", "--sensitive", "disease", "--privacy-unit", "person", "--separator", ";")
    by_flags = petworks("attack", "visits.csv", *flags, cwd=folder)
    by_policy = petworks("attack", "--policy", "policy.yaml", cwd=folder)
    assert (by_policy.returncode, by_policy.stdout) == (0, by_flags.stdout)
    (folder / "policy.yaml").write_text(POLICY.replace("privacy_unit: person\n", ""))
    subsets = petworks("attack", "--policy", "policy.yaml", "--subsets", "all", cwd=folder)
    assert subsets.returncode == 0, subsets.stderr
    assert "What drives the risk" in subsets.stdout


def test_a_policy_stands_for_its_table_and_a_release_has_no_column_of_people(folder):
    (folder / "visits.csv").write_text("\n".join(line.partition(";")[2] for line in ROWS.splitlines()))
    (folder / "policy.yaml").write_text(POLICY.replace("original: original.csv\n", ""))
    done = petworks("attack", "policy.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "the table has no column 'person', which its policy names" in done.stderr
    named = petworks("attack", "visits.csv", "--policy", "policy.yaml", "--privacy-unit", "person", cwd=folder)
    assert "the privacy unit 'person' is not in the data" in named.stderr


@pytest.mark.parametrize("command", ["evaluate", "attack"])
def test_what_is_wrong_with_the_policy(folder, command):
    done = petworks(command, cwd=folder)
    assert (done.returncode, "name a table, or a policy that names one with --policy" in done.stderr) == (2, True)
    (folder / "policy.yaml").write_text(POLICY.replace("zip, age", "zpi, age").replace("k: 2", "k: 0"))
    done = petworks(command, "--policy", "policy.yaml", cwd=folder)
    assert done.returncode == 2
    assert "line 9, roles.quasi_identifiers[1]: no column is called 'zpi'" in done.stderr
    assert "line 13, rules[1].k" in done.stderr
    (folder / "policy.yaml").write_text(POLICY.replace("visits.csv", "../visits.csv"))
    (folder.parent / "visits.csv").write_text(ROWS)
    assert "(--root)" in petworks(command, "--policy", "policy.yaml", cwd=folder).stderr
    assert petworks(command, "--policy", "policy.yaml", "--root", "..", cwd=folder).returncode == 0
    (folder / "policy.yaml").write_text(POLICY.replace("visits.csv", "postgresql://me:hunter2@h/db#t"))
    refused = petworks(command, "--policy", "policy.yaml", cwd=folder).stderr
    assert ("(--network)" in refused, "hunter2" in refused) == (True, False)


@pytest.mark.parametrize("command", ["evaluate", "attack"])
def test_files_of_a_policy_are_not_written(folder, command):
    (folder / "policy").write_text(POLICY)
    for name in ("visits.csv", "policy"):
        before = (folder / name).read_text()
        done = petworks(command, "--policy", "policy", "-o", name, cwd=folder)
        assert (done.returncode, "is an input of this run" in done.stderr) == (2, True)
        assert (folder / name).read_text() == before
