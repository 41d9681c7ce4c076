"""Cells that a spreadsheet takes for formulas: counted on every engine, and prefixed where that is wanted."""

import pyarrow as pa
import pytest

from command import petworks
from PETWorks import Release, anonymize, apply_plan, check
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER
from PETWorks.tables.arrays import strings
from PETWorks.tables.normalised_cells import are_formulas
from spark_cluster import needs_spark

FORMULAS = [
    "=1+1",
    "=cmd|'/c calc'!A0",
    "+886 912 345 678x",
    "-x",
    "@sum(a1)",
    "-10 to -5",
    "=two\nlines",
    "+病",
    "-2+3",
]
NONE = [
    "-5",
    "+5",
    "-5.25",
    "-1,234.5",
    "-.5",
    "-1e-5",
    "-5%",
    "- 5" * 0,
    "-",
    "--",
    "+",
    "=",
    "x=1",
    "5-3",
    "a@b",
    "'=1",
]
POLICY = """petworks_policy: 1
data: table.csv
roles: {quasi_identifiers: [sex], insensitive_attributes: [note, cost]}
role_reasons: {note: x}
hierarchies: {sex: {rare: {fewer_than: 2}}}
rules: [{measure: k-anonymity, k: 2}]
"""
TABLE = "sex;note;cost\n" + "f;=1+1;-5\n" * 30 + "f;plain;-7\n" * 30


def test_numbers_are_no_formulas():
    assert are_formulas(strings(FORMULAS)).to_pylist() == [True] * len(FORMULAS)
    assert are_formulas(strings(NONE)).to_pylist() == [False] * len(NONE)


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
def test_every_engine_counts_the_same(engine):
    cells = [*FORMULAS, *FORMULAS, *NONE, " =1+1", "\t=1+1", "\r=1+1", None, "*"]
    table = pa.table({"a": ["x"] * len(cells), "note": cells})
    roles = {"a": QUASI_IDENTIFIER, "note": INSENSITIVE_ATTRIBUTE}
    profiles = Release(table, roles, engine=engine).profiles()
    assert profiles["note"].formulas == 2 * len(FORMULAS) + 3
    assert profiles["a"].formulas == 0


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("in_policy", [False, True])
def test_a_notice_and_an_apostrophe(tmp_path, engine, in_policy):
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "policy.yaml").write_text(POLICY + ("anonymize: {spreadsheet_safe: true}\n" if in_policy else ""))
    found = [one for one in check(tmp_path / "policy.yaml").content.notices if one.notice == "formulas"]
    assert [(one.columns, one.records) for one in found] == [(("note",), 30)]
    options = ["--engine", engine, "--keep-order"]
    made = petworks("anonymize", "policy.yaml", "-o", "r.csv", *options, cwd=tmp_path)
    assert ("30 cells of note begin with" in made.stdout) is not in_policy, made.stdout + made.stderr
    assert ((tmp_path / "r.csv").read_text() == TABLE) is not in_policy
    made = petworks("anonymize", "policy.yaml", "-o", "r.csv", "--spreadsheet-safe", *options, cwd=tmp_path)
    assert "begin with" not in made.stdout
    assert (tmp_path / "r.csv").read_text() == TABLE.replace("=1+1", "'=1+1")
    applied = petworks("apply", "policy.yaml", "-o", "s.csv", "--spreadsheet-safe", *options, cwd=tmp_path)
    assert (tmp_path / "s.csv").read_text() == TABLE.replace("=1+1", "'=1+1"), applied.stderr


@pytest.mark.filterwarnings("ignore")
def test_in_python():
    table = pa.table({"sex": ["f"] * 20, "note": ["=1+1", "-5"] * 10})
    roles = {"sex": QUASI_IDENTIFIER, "note": INSENSITIVE_ATTRIBUTE}
    release = Release(table, roles, {"sex": {"rare": {"fewer_than": 2}}})
    given = {"rules": {"k-anonymity": {"k": 2}}, "order": "original"}
    assert anonymize(release, **given).table["note"].to_pylist() == ["=1+1", "-5"] * 10
    assert anonymize(release, **given, spreadsheet_safe=True).table["note"].to_pylist() == ["'=1+1", "-5"] * 10


@pytest.mark.filterwarnings("ignore")
def test_a_plan_repeats_the_apostrophes_in_python():
    table = pa.table({"sex": ["f"] * 20, "note": ["=1+1", "-5"] * 10})
    roles = {"sex": QUASI_IDENTIFIER, "note": INSENSITIVE_ATTRIBUTE}
    hierarchies, rules = {"sex": [["f", "*"]]}, {"k-anonymity": {"k": 2}}
    release = Release(table, roles, hierarchies)
    made = anonymize(release, rules, order="original", spreadsheet_safe=True)
    again = apply_plan(table, made.plan, hierarchies, order="original")
    assert again.table["note"].to_pylist() == ["'=1+1", "-5"] * 10
    assert again.plan["spreadsheet_safe"] is True
    assert "spreadsheet_safe" not in anonymize(release, rules, order="original").plan


def test_the_plan_of_a_file_repeats_the_apostrophes(tmp_path):
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "policy.yaml").write_text(POLICY)
    petworks("anonymize", "policy.yaml", "-o", "r.csv", "--spreadsheet-safe", "--keep-order", cwd=tmp_path)
    for plan, release in (("r_plan.json", "s.csv"), ("s_plan.json", "t.csv")):
        applied = petworks("apply", "table.csv", "--plan", plan, "-o", release, "--keep-order", cwd=tmp_path)
        assert (tmp_path / release).read_text() == TABLE.replace("=1+1", "'=1+1"), applied.stderr
