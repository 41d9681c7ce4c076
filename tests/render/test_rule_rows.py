"""Built-in rules that hold are one row on a terminal and in Markdown; others, and whole documents, list every rule."""

import pytest

from command import petworks
from PETWorks import check
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, NO_DIFFERENCES, RULES_FIT
from policy_checks import DAY

POLICY = """petworks_policy: 1
data: t.csv
roles: {quasi_identifiers: [age], sensitive_attributes: [disease]}
rules: [{measure: k-anonymity, k: K}, {measure: l-diversity, l: 2}]
"""
WAIVER = "waivers: [{rule: RULE, owner: us, reason: a pilot, expires: 2026-12-31}]\n"
ROWS = [f"{30 + row // 12}-x,{'ab'[row % 2]}" for row in range(48)]


def checked(folder, policy, rows=ROWS):
    (folder / "t.csv").write_text("\n".join(["age,disease", *rows]) + "\n")
    (folder / "p.yaml").write_text(policy)
    return check(folder / "p.yaml", as_of=DAY)


def row_of(result, name, format_, lang):
    lines = [line for line in result.to_format(format_, lang, "internal").splitlines() if name in line]
    return [" ".join(line.replace("|", " ").split()) for line in lines]


@pytest.mark.parametrize("k", [2, 20])
@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_built_in_rules_that_hold_are_one_row(tmp_path, k, format_):
    result = checked(tmp_path, POLICY.replace("K", f"{k}"))
    built_in = [rule.name for rule in result.content.rules if rule.name in BUILT_IN_RULES]
    assert len(built_in) == 7
    (line,) = row_of(result, "built-in rules", format_, "en")
    assert line.replace("✅ ", "") == "built-in rules all 7 met pass"
    (line,) = row_of(result, "內建規則", format_, "zh-TW")
    assert line.replace("✅ ", "") == "內建規則 全部 7 條均通過 通過"
    told = result.to_format(format_, "en", "internal")
    rows = [line.strip(" |") for line in told.splitlines()]
    assert not [name for name in built_in if any(row.startswith(name) for row in rows)]
    assert all(name in told for name in ("k-anonymity", "l-diversity"))


@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_those_that_fail_or_have_a_waiver_keep_their_row(tmp_path, format_):
    public = POLICY.replace("K", "2") + "context: {release: public}\n"
    for policy, kept, verdict in (
        (public, RULES_FIT, "fail"),
        (public + WAIVER.replace("RULE", RULES_FIT), RULES_FIT, "waived"),
        (POLICY.replace("K", "2") + WAIVER.replace("RULE", NO_DIFFERENCES), NO_DIFFERENCES, "pass"),
    ):
        result = checked(tmp_path, policy)
        assert any(f" {verdict}" in line for line in row_of(result, kept, format_, "en"))
        (line,) = row_of(result, "built-in rules", format_, "en")
        assert "the other 6 met" in line
        (line,) = row_of(result, "內建規則", format_, "zh-TW")
        assert "其餘 6 條均通過" in line


def test_documents_list_every_rule(tmp_path):
    result = checked(tmp_path, POLICY.replace("K", "2"))
    page, suite = (result.to_format(name, "en", "internal") for name in ("html", "junit"))
    for name in [rule.name for rule in result.content.rules]:
        assert name in [rule["name"] for rule in result.to_dict()["rules"]]
        assert all(name in text for text in (page, suite))


def test_anonymize_shows_the_same_row(tmp_path):
    checked(tmp_path, POLICY.replace("K", "2") + "hierarchies: {age: {rare: {fewer_than: 5}}}\n")
    done = petworks("anonymize", tmp_path / "p.yaml", "-o", tmp_path / "out.csv")
    assert (done.returncode, "built-in rules   all 7 met" in done.stdout) == (0, True), done.stderr
