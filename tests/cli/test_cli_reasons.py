"""The reasons of each record as files: what is in them, who may see them, and that nothing is left behind."""

import csv
import json
from codecs import BOM_UTF8

import pytest
from click.testing import CliRunner
from pyarrow import parquet

from command import petworks
from PETWorks.cli.anonymize import anonymize_command
from PETWorks.gate import case

ROWS = [f"cell-{20 + n % 5};{'pq'[n % 2]}1;{'xyz'[n % 3]}" for n in range(40)]
POLICY = """petworks_policy: 1
data: raw.csv
hierarchies:
  =Age(): ages.csv
  Zip,Code: {prefix: [1]}
no_rule: {Illness: a test}
roles: {quasi_identifiers: [=Age(), "Zip,Code"], sensitive_attributes: [Illness]}
anonymize: {suppression: 0.1}
rules:
  - {measure: k-anonymity, k: 4, name: "=k of 4"}
  - {measure: l-diversity, l: 2, name: two values}
"""
NAMES = ["record", "rule", "class_size", "stands_out_by", "saved_by", "added_loss"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "raw.csv").write_text("\n".join(["=Age();Zip,Code;Illness", *ROWS, "cell-29;q2;x"]) + "\n")
    (tmp_path / "ages.csv").write_text("".join(f"cell-{age};group-{age // 5};*\n" for age in (*range(20, 25), 29)))
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows_of(file):
    assert file.read_bytes().startswith(BOM_UTF8)
    with file.open(newline="", encoding="utf-8-sig") as text:
        return list(csv.DictReader(text))


def test_suppressed_records(folder):
    command = ("anonymize", "policy.yaml", "-o", "released.csv", "--reasons", "why.csv", "--keep-order")
    done = petworks(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-2:] == [
        "petworks: wrote why.csv",
        "petworks: why.csv is for insiders: it tells which records stand out, and by what; "
        "do not pass it on with the release",
    ]
    (row,) = rows_of(folder / "why.csv")
    assert list(row) == NAMES
    assert (row["record"], row["rule"], row["class_size"]) == ("41", "'=k of 4,two values", "1")
    assert row["stands_out_by"] == "'=Age()"
    assert row["saved_by"] == '\'=Age()=2,"Zip,Code=1"'
    assert float(row["added_loss"]) > 0
    released = (folder / "released.csv").read_text().splitlines()
    assert len(released) == 1 + 40
    assert not any(line.startswith("*;*") for line in released)


def test_no_cell_is_in_it(folder):
    for option in ((), ("--below", "11")):
        petworks("anonymize", "policy.yaml", "-o", "released.csv", "--reasons", "why.csv", *option, cwd=folder)
        petworks("check", "policy.yaml", "--reasons", "risk.csv", *option, cwd=folder)
        for name in ("why.csv", "risk.csv"):
            text = (folder / name).read_text("utf-8")
            assert not any(value in text for value in ("cell-", "group-", "q1", "q2", "p1"))


def test_levels_can_be_applied_as_they_are_written(folder):
    petworks("anonymize", "policy.yaml", "-o", "released.csv", "--reasons", "why.csv", cwd=folder)
    levels = rows_of(folder / "why.csv")[0]["saved_by"].removeprefix("'")
    done = petworks("apply", "policy.yaml", "-o", "own.csv", "--levels", levels, cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "No record is suppressed" in done.stdout or "0 of 41" in done.stdout


def test_records_at_risk_and_small_classes(folder):
    done = petworks("check", "policy.yaml", "--reasons", "risk.csv", cwd=folder)
    assert done.returncode == 1
    assert "petworks: risk.csv is for insiders" in done.stderr
    assert [row["record"] for row in rows_of(folder / "risk.csv")] == ["41"]
    done = petworks("check", "policy.yaml", "--reasons", "risk.parquet", "--below", "5", cwd=folder)
    table = parquet.read_table(folder / "risk.parquet")
    assert table.column_names == NAMES
    found = table.to_pylist()
    assert [row["record"] for row in found] == list(range(1, 42))
    assert (found[0]["rule"], found[0]["class_size"]) == ([], 4)
    assert found[40]["rule"] == ["=k of 4", "two values"]
    assert found[40]["saved_by"] == [{"column": "=Age()", "level": 2}, {"column": "Zip,Code", "level": 1}]


def test_a_rule_that_is_waived_is_not_a_reason(folder):
    waiver = "waivers: [{rule: =k of 4, owner: me, reason: a pilot, expires: 2026-11-20}]\n"
    (folder / "policy.yaml").write_text(POLICY + waiver)
    petworks("check", "policy.yaml", "--reasons", "risk.csv", "--as-of", "2026-11-16", cwd=folder)
    assert [row["rule"] for row in rows_of(folder / "risk.csv")] == ["two values"]


def test_the_objective_of_the_policy_counts(folder):
    petworks("check", "policy.yaml", "--reasons", "a.csv", cwd=folder)
    (folder / "policy.yaml").write_text(POLICY.replace("suppression: 0.1", "objective: aecs"))
    petworks("check", "policy.yaml", "--reasons", "b.csv", cwd=folder)
    one, other = (rows_of(folder / name)[0] for name in ("a.csv", "b.csv"))
    assert one["saved_by"] == other["saved_by"]
    assert float(one["added_loss"]) != float(other["added_loss"]) == round(41 / 2 - 41 / 11, 6)


def test_local_recoding(folder):
    done = petworks(
        *("anonymize", "policy.yaml", "-o", "released.csv", "--local", "--level", "Zip,Code=0-1"),
        *("--level", "=Age()=0-1", "--reasons", "why.csv"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert [row["record"] for row in rows_of(folder / "why.csv")] == ["41"]


@pytest.mark.parametrize("command", ["anonymize", "check"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--reasons", "raw.csv"), "cannot write 'raw.csv': it is an input of this run"),
        (("--reasons", "nowhere/why.csv"), "the folder 'nowhere' does not exist"),
        (("--reasons", "why.txt"), "--reasons writes .csv or .parquet, got 'why.txt'"),
        (("--reasons", "-"), "--reasons writes .csv or .parquet, got '-'"),
        (("--reasons", "why.csv", "--json", "why.csv"), "two results would be written to the same file"),
        (("--below", "5"), "--below is for --reasons"),
        (("--reasons", "why.csv", "--below", "1"), "--below expects a number of records, 2 or more, got '1'"),
        (("--reasons", "why.csv", "--below", "few"), "--below expects a number of records, 2 or more, got 'few'"),
    ],
)
def test_mistakes_leave_everything_as_it_was(folder, command, arguments, message):
    before = content(folder)
    output = ("-o", "released.csv") if command == "anonymize" else ()
    done = petworks(command, "policy.yaml", *output, *arguments, cwd=folder)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert content(folder) == before


def test_a_hierarchy_is_not_overwritten(folder):
    done = petworks("anonymize", "policy.yaml", "-o", "released.csv", "--reasons", "ages.csv", cwd=folder)
    assert (done.returncode, "is an input of this run" in done.stderr) == (2, True)
    done = petworks("anonymize", "policy.yaml", "-o", "released.csv", "--reasons", "released.csv", cwd=folder)
    assert (done.returncode, "same file" in done.stderr) == (2, True)


def test_other_engines_keep_no_records(folder):
    done = petworks("check", "policy.yaml", "--reasons", "why.csv", "--engine", "duckdb", cwd=folder)
    assert (done.returncode, "--reasons needs the engine 'memory'" in done.stderr) == (2, True)


def test_release_and_reasons_are_written_together_or_not_at_all(folder, monkeypatch):
    """The release cannot be judged: neither it nor the reasons stay."""

    def fail(*_arguments, **_named):
        raise KeyboardInterrupt

    (folder / "why.csv").write_text("from before")
    before = content(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(case, "judge_rules", fail)
    done = CliRunner().invoke(anonymize_command, ["policy.yaml", "-o", "released.csv", "--reasons", "why.csv"])
    assert done.exit_code != 0
    assert content(folder) == before


def test_nothing_for_outsiders_has_it(folder):
    """Not with --edition external; with both, what outsiders get is the same, byte for byte."""
    before = content(folder)
    done = petworks(
        *("check", "policy.yaml", "--edition", "external", "--html", "a.html", "--reasons", "why.csv"), cwd=folder
    )
    assert (done.returncode, "--reasons is for insiders" in done.stderr) == (2, True)
    assert content(folder) == before
    same = ("--as-of", "2026-11-16", "--salt", "0" * 32, "--edition", "both")
    files = ("--html", "a.html", "--json", "a.json", "--markdown", "a.md", "--junit", "a.xml")
    petworks("check", "policy.yaml", *same, *files, cwd=folder)
    without = content(folder)
    petworks("check", "policy.yaml", *same, *files, "--reasons", "why.csv", cwd=folder)
    found = content(folder)
    assert set(found) - set(without) == {"why.csv"}
    assert {name: found[name] for name in without} == without
    assert sum(".external." in name for name in without) == 4


def test_records_of_an_attack(folder):
    roles = ("--qi", '=Age(),"Zip,Code"', "--sensitive", "Illness")
    done = petworks("attack", "raw.csv", *roles, "--per-record", "risks.csv", "--below", "4", cwd=folder)
    assert done.returncode == 0, done.stderr
    (row,) = rows_of(folder / "risks.csv")
    assert row == {
        "record": "41",
        "class_size": "1",
        "re-identification": "1",
        "attribute-inference of Illness": "1",
        "stands_out_by": "'=Age()",
    }
    done = petworks("attack", "raw.csv", *roles, "--per-record", "risks.csv", "--subsets", "all", cwd=folder)
    found = rows_of(folder / "risks.csv")
    assert [row["record"] for row in found] == [str(place) for place in range(1, 42)]
    assert "stands_out_by" not in found[0]
    assert found[40]["unique_attributes"] == "'=Age()"
    done = petworks("attack", "raw.csv", *roles, "--below", "4", cwd=folder)
    assert (done.returncode, "--below is for --per-record" in done.stderr) == (2, True)


def test_a_policy_without_a_rule_of_classes_still_lists_small_ones(folder):
    rules = "rules: [{measure: sample-uniqueness, share: 0}]\n"
    (folder / "policy.yaml").write_text(POLICY[: POLICY.index("rules:")] + rules)
    done = petworks("check", "policy.yaml", "--reasons", "why.csv", "--json", "-", cwd=folder)
    assert json.loads(done.stdout)["verdict"] == "fail"
    assert rows_of(folder / "why.csv") == []
    petworks("check", "policy.yaml", "--reasons", "why.csv", "--below", "4", cwd=folder)
    assert [(row["record"], row["rule"]) for row in rows_of(folder / "why.csv")] == [("41", "")]
