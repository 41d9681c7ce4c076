"""`petworks register`, and `petworks check` with other releases and with a register."""

import json

import pytest

from command import petworks
from conftest import ROOT

EARLIER = """\
petworks_policy: 1
title: School 2022
data: then.csv
no_rule: {grade: a test}
roles: {identifiers: [pupil], quasi_identifiers: [school, gender], sensitive_attributes: [grade]}
context: {recipients: the ministry, rules_reason: a test}
rules: [{measure: k-anonymity, k: 1}]
waivers: [{rule: no-linked-records, owner: a test, reason: the key leaves the table, expires: 2999-01-01}]
releases: {key: pupil}
"""
NOW = """\
petworks_policy: 1
data: now.csv
no_rule: {grade: a test, disability: a test}
roles: {identifiers: [pupil], quasi_identifiers: [age, gender], sensitive_attributes: [grade, disability]}
context: {recipients: researchers, rules_reason: a test}
rules: [{measure: k-anonymity, k: 1}]
waivers: [{rule: no-linked-records, owner: a test, reason: the key leaves the table, expires: 2999-01-01}]
releases:
  key: pupil
  earlier: [{policy: then_policy.yaml}]
  limits: {disclosed: LIMIT}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "now.csv").write_bytes((ROOT / "data/school_2023.csv").read_bytes())
    (tmp_path / "then.csv").write_bytes((ROOT / "data/school_2022.csv").read_bytes())
    (tmp_path / "then_policy.yaml").write_text(EARLIER)
    (tmp_path / "policy.yaml").write_text(NOW.replace("LIMIT", "0.375"))
    return tmp_path


def test_the_exit_code_follows_limits_on_all_releases(folder):
    assert petworks("check", "policy.yaml", cwd=folder).returncode == 0
    (folder / "policy.yaml").write_text(NOW.replace("LIMIT", "0.37"))
    done = petworks("check", "policy.yaml", cwd=folder)
    assert done.returncode == 1
    assert "all-releases: disclosed" in done.stdout
    assert "School 2022" in done.stdout


def test_a_release_is_registered_and_found_again(folder):
    assert petworks("check", "then_policy.yaml", "--json", "result.json", cwd=folder).returncode == 0
    done = petworks("register", "add", "result.json", "--date", "2022-09-01", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    (file,) = (folder / "releases").iterdir()
    assert f"petworks: wrote releases/{file.name}" in done.stderr
    assert file.name.startswith("2022-09-01-")
    again = petworks("register", "add", "result.json", "--date", "2022-09-01", cwd=folder)
    assert (again.returncode, again.stdout) == (0, f"already registered: {file.name}\n")
    listed = petworks("register", "list", cwd=folder)
    assert "School 2022" in listed.stdout
    assert "the ministry" in listed.stdout
    content = json.loads(petworks("register", "list", "--format", "json", cwd=folder).stdout)
    assert [one["date"] for one in content["releases"]] == ["2022-09-01"]
    found = petworks("check", "policy.yaml", "--register", "releases", "--json", "-", cwd=folder)
    (registered,) = json.loads(found.stdout)["releases"]["registered"]
    assert (registered["recipients"], registered["measured"]) == ("the ministry", True)


def test_a_policy_is_checked_and_registered(folder):
    (folder / "policy.yaml").write_text(NOW.replace("LIMIT", "0"))
    done = petworks("register", "add", "policy.yaml", "--register", "out", "--recipients", "a newspaper", cwd=folder)
    assert done.returncode == 0
    assert "warning: the check of this release failed" in done.stderr
    (file,) = (folder / "out").iterdir()
    content = json.loads(file.read_text("utf-8"))
    assert (content["verdict"], content["recipients"], content["key"]) == ("fail", "a newspaper", "pupil")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["add", "then.csv"], "then.csv: not JSON; expected the result of a check"),
        (["add", "gone.json"], "no such file: 'gone.json'"),
        (["add", "then_policy.yaml", "--register", "now.csv"], "cannot write to 'now.csv': it is not a folder"),
        (["add", "then_policy.yaml", "--register", "a/b"], "cannot create 'a/b'"),
        (["add", "then_policy.yaml", "--date", "yesterday"], "a day is like 2026-11-16, got 'yesterday'"),
        (["list", "--register", "gone"], "no such folder: 'gone'"),
    ],
)
def test_bad_input_is_a_clear_error_and_writes_nothing(folder, arguments, says):
    before = sorted(path.name for path in folder.iterdir())
    done = petworks("register", *arguments, cwd=folder)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.startswith("petworks: ")
    assert sorted(path.name for path in folder.iterdir()) == before


def test_an_empty_register(folder):
    (folder / "releases").mkdir()
    assert petworks("register", "list", cwd=folder).stdout == "no release is registered in releases\n"


def test_a_release_that_anonymize_makes_is_measured_with_earlier_ones(folder):
    (folder / "policy.yaml").write_text(
        NOW.replace("LIMIT", "1").replace("k: 1}", "k: 2}")
        + "hierarchies: {age: {width: [20, 100]}, gender: {groups: {any: [F, M]}}}\nanonymize: {suppression: 0.2}\n"
    )
    done = petworks("anonymize", "policy.yaml", "-o", "out/released.csv", cwd=folder)
    assert done.returncode == 2, "the folder is to be made first"
    (folder / "out").mkdir()
    done = petworks("anonymize", "policy.yaml", "-o", "out/released.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    checked = petworks("check", "out/released_policy.yaml", "--root", ".", "--json", "-", cwd=folder)
    document = json.loads(checked.stdout)
    assert document["releases"]["measured"] == 1
    assert [rule["verdict"] for rule in document["rules"] if rule["measure"] == "all-releases"] == ["pass"]


YEAR = """petworks_policy: 1
data: {name}.csv
no_rule: {{ill: a test}}
roles: {{identifiers: [pid], quasi_identifiers: [age, town], sensitive_attributes: [ill]}}
hierarchies: {{age: {{width: [10, 50]}}, town: {{groups: {{any: [a, b, c]}}}}}}
rules: [{{measure: k-anonymity, k: 2}}]
anonymize: {{levels: {{age: 0, town: 0}}}}
"""


def test_people_of_shuffled_releases_are_found_by_the_seed(tmp_path):
    """Both releases are in random orders of their own; what they disclose together is what it is in any order."""
    rows = [(f"p{n}", f"{20 + n // 2 % 10}", "abc"[n // 20 % 3], f"i{n % 7}") for n in range(60)]
    for name, own in (
        ("then", rows),
        ("now", [(pid, age, "abc"[n % 3], ill) for n, (pid, age, _, ill) in enumerate(rows)]),
    ):
        cells = "\n".join(map(",".join, [("pid", "age", "town", "ill"), *own]))
        (tmp_path / f"{name}.csv").write_text(f"{cells}\n")
        (tmp_path / f"{name}.yaml").write_text(YEAR.format(name=name))
    others = "releases:\n  key: pid\n  earlier: [{policy: out_then_policy.yaml, recipients: all}]\n"
    (tmp_path / "now.yaml").write_text(YEAR.format(name="now") + others)
    found = {}
    for then in ("--keep-order", "--shuffle"):
        for now in ("--keep-order", "--shuffle"):
            made = petworks("anonymize", "then.yaml", "-o", "out_then.csv", then, cwd=tmp_path)
            assert made.returncode == 0, made.stderr
            made = petworks("anonymize", "now.yaml", "-o", "out_now.csv", now, cwd=tmp_path)
            assert made.returncode == 0, made.stderr
            document = json.loads(petworks("check", "out_now_policy.yaml", "--json", "-", cwd=tmp_path).stdout)
            found[then, now] = (document["releases"]["attacks"], document["releases"]["unlinked"])
    assert len({json.dumps(one, sort_keys=True) for one in found.values()}) == 1
    policy = tmp_path / "out_then_policy.yaml"
    policy.write_text("".join(line for line in policy.read_text().splitlines(True) if not line.startswith("seed:")))
    refused = petworks("check", "out_now_policy.yaml", cwd=tmp_path)
    assert refused.returncode == 2
    assert "the records of the release are in another order" in refused.stderr
