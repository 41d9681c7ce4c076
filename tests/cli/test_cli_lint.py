"""`petworks lint`: mistakes in policies, without their tables."""

import pytest

from command import petworks
from PETWorks.gate.policy.policy_rules import RULES_OF_EVERY_POLICY

POLICY = """\
petworks_policy: 1
data: not_here.csv
original: postgresql://nobody@localhost/stays#raw
population: census.parquet
roles:
  quasi_identifiers: [age]
rules:
- {measure: k-anonymity, k: 11}
"""
RULES = 1 + len(RULES_OF_EVERY_POLICY)  # the built-in ones are counted, too


@pytest.fixture
def policies(tmp_path):
    (tmp_path / "right.yaml").write_text(POLICY)
    (tmp_path / "wrong.yaml").write_text(POLICY.replace("k: 11", "k: -1").replace("roles:", "rolls:"))
    (tmp_path / "other.yaml").write_text(POLICY.replace("k-anonymity", "k-anonimity"))
    return tmp_path


def test_no_table_is_needed(policies):
    done = petworks("lint", "right.yaml", cwd=policies)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"right.yaml: no mistakes (rules: {RULES})\n", "")
    done = petworks("lint", "--lang", "zh-TW", "right.yaml", cwd=policies)
    assert done.stdout == f"right.yaml：未發現錯誤（{RULES} 條規則）\n"


def test_rules_about_other_releases_may_be_waived(policies):
    """They are not read here, and neither is the register."""
    others = "releases: {key: person, earlier: [{data: then.csv}], limits: {disclosed: 0.1}}\n"
    about = "owner: me, reason: a test, expires: 2999-01-01"
    waivers = f"waivers: [{{rule: no-linked-records, {about}}}, {{rule: 'all-releases: disclosed', {about}}}]\n"
    (policies / "right.yaml").write_text(POLICY + others + waivers)
    assert petworks("lint", "right.yaml", cwd=policies).stderr == ""
    (policies / "right.yaml").write_text(POLICY + others + waivers.replace("no-linked-records", "no-links"))
    assert "no rule is called 'no-links'" in petworks("lint", "right.yaml", cwd=policies).stderr


def test_all_mistakes_of_all_policies_are_listed(policies):
    done = petworks("lint", "wrong.yaml", "right.yaml", "other.yaml", cwd=policies)
    assert (done.returncode, done.stdout) == (2, f"right.yaml: no mistakes (rules: {RULES})\n")
    lines = done.stderr.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["petworks: wrong.yaml"] * 2 + ["petworks: other.yaml"]
    assert "rolls" in lines[0]
    assert "did you mean 'k-anonymity'?" in lines[2]


def test_files_that_are_there_are_checked(policies):
    hierarchies = "hierarchies: {age: missing.csv}\n"
    (policies / "right.yaml").write_text(POLICY + hierarchies)
    done = petworks("lint", "right.yaml", cwd=policies)
    assert done.returncode == 2
    assert "missing.csv" in done.stderr


def test_a_policy_is_needed():
    assert petworks("lint").returncode == 2
    assert "no_such.yaml" in petworks("lint", "no_such.yaml").stderr


@pytest.mark.parametrize(
    ("settings", "line", "told"),
    [
        (
            "suppression: 5%",
            9,
            "anonymize.suppression: expected suppression as a share of the records, 0 to 1 (5 % is 0.05)",
        ),
        ("suppression: 1.5", 9, "anonymize.suppression: expected"),
        ("objective: granularty", 9, "anonymize.objective: no objective is called"),
        ("aggregate: mean", 9, "anonymize.aggregate: no aggregate is called"),
        ("method: locally", 9, "anonymize.method: no method is called"),
        ("levels: {agee: 1}", 9, "anonymize.levels: no quasi-identifier is called 'agee'; did you mean 'age'?"),
        ("levels: {age: 2-1}", 9, "anonymize.levels: expected a level of column 'age'"),
        ("weights: {age: heavy}", 9, "anonymize.weights: expected weights that are numbers"),
    ],
)
def test_settings_of_anonymize_are_checked_when_a_policy_is_read(policies, settings, line, told):
    (policies / "right.yaml").write_text(f"{POLICY}anonymize: {{{settings}}}\n")
    (policies / "not_here.csv").write_text("age\n1\n")
    for command in ("lint", "check"):
        done = petworks(command, "right.yaml", "--root", policies, *["--network"] * (command == "check"), cwd=policies)
        assert done.returncode == 2, command
        assert f"right.yaml, line {line}, {told}" in done.stderr, command


def test_right_settings_of_anonymize(policies):
    settings = "{suppression: 0.05, method: local, levels: {age: {at_most: 1}}, weights: {age: 2}, time: 10m}"
    (policies / "right.yaml").write_text(f"{POLICY}anonymize: {settings}\n")
    assert petworks("lint", "right.yaml", cwd=policies).returncode == 0
    (policies / "right.yaml").write_text(f"{POLICY}anonymize: {{suppression: 5%}}\n")
    assert "5% 請寫成 0.05" in petworks("lint", "--lang", "zh-TW", "right.yaml", cwd=policies).stderr


@pytest.mark.parametrize(
    ("old", "new", "line", "english", "chinese"),
    [
        (
            "  quasi_identifiers: [age]",
            '  quasi_identifiers:\n  - "age"\n  -"性別"',
            8,
            "a blank behind '-'",
            "「-」後面要有",
        ),
        ("k: 11}\n", "k: 11}\ncontext:\n  release： public\n  purpose: x\n", 10, "the colon is full-width", "為全形"),
        ("original: ", "original:", 3, "a blank behind ':'", "「:」後面要有"),
        ("  quasi", "\tquasi", 6, "not with tabs", "不可用 Tab"),
        ("[age]", "[age", 6, "brackets that are not closed", "未成對的引號或括號"),
        ("11}", '11, name: "secret}', 8, "quotes", "未成對的引號或括號"),
        ("  quasi_identifiers: [age]", "  quasi_identifiers:\n    - age\n   - sex", 8, "the indentation", "縮排"),
    ],
)
def test_a_mistake_in_yaml_is_explained_where_it_is(policies, old, new, line, english, chinese):
    """The parser says "did not find expected key", on the line below."""
    assert old in POLICY
    (policies / "right.yaml").write_text(POLICY.replace(old, new), "utf-8")
    for lang, place, told in (("en", f"line {line}: ", english), ("zh-TW", f"第 {line} 行：", chinese)):
        done = petworks("--lang", lang, "lint", "right.yaml", cwd=policies)
        assert done.returncode == 2
        assert place in done.stderr, done.stderr
        assert told in done.stderr
        assert "secret" not in done.stderr
        assert "expected" not in done.stderr
