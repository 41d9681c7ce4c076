"""Records that the treatment sets aside from the rules about classes: how many, and when they are too many."""

import pytest

from command import petworks
from PETWorks import check
from policy_checks import CHECK, DAY

POLICY = """petworks_policy: 1
data: table.csv
roles: {{quasi_identifiers: [age, sex], sensitive_attributes: [ward]}}
rules: [{{measure: k-anonymity, k: 2}}, {{measure: l-diversity, l: 2}}]
treatment: {{{treatment}: apart}}
"""
CELLS = {"missing": "{row},", "suppressed": "*,*"}


def written(folder, treatment, aside, records, more=""):
    """So many records that stand aside; the others are one class."""
    rows = [CELLS[treatment].format(row=row) if row < aside else "40,F" for row in range(records)]
    lines = ["age,sex,ward", *(f"{cells},{'ab'[row % 2]}" for row, cells in enumerate(rows))]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    (folder / "policy.yaml").write_text(POLICY.format(treatment=treatment) + more)
    return folder / "policy.yaml"


def judged(path, **counted):
    result = check(path, as_of=DAY, **counted)
    CHECK.validate(result.to_dict())
    (rule,) = (rule for rule in result.content.rules if rule.name == "records-left")
    (aside,) = [one.records for one in result.content.notices if one.notice == "set-aside"] or [0]
    return rule.verdict, aside


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("treatment", ["missing", "suppressed"])
@pytest.mark.parametrize(
    ("aside", "records", "verdict"), [(0, 40, "pass"), (5, 40, "pass"), (6, 120, "pass"), (7, 120, "fail")]
)
def test_more_than_five_and_more_than_five_per_cent(tmp_path, engine, treatment, aside, records, verdict):
    assert judged(written(tmp_path, treatment, aside, records), engine=engine) == (verdict, aside)


@pytest.mark.parametrize("treatment", ["missing", "suppressed"])
def test_a_reason_settles_it_and_is_named(tmp_path, treatment):
    path = written(tmp_path, treatment, 30, 40, "context: {rules_reason: they left the country}\n")
    assert judged(path) == ("pass", 30)
    assert "rules-reason" in {one.notice for one in check(path).content.notices}
    assert "judge-all" not in {one.step for one in check(path).content.next_steps}


def test_a_reason_does_not_make_an_empty_table_one_with_records(tmp_path):
    path = written(tmp_path, "suppressed", 40, 40, "context: {rules_reason: a test}\n")
    assert judged(path) == ("fail", 40)
    assert "nothing-left" in {one.step for one in check(path).content.next_steps}


def test_records_that_count_are_not_set_aside(tmp_path):
    path = written(tmp_path, "suppressed", 30, 40)
    path.write_text(path.read_text().replace("suppressed: apart", "missing: apart"))
    assert judged(path) == ("pass", 0)


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_the_highest_chance_is_one_number_and_counts_everybody(tmp_path, lang):
    path = written(tmp_path, "missing", 30, 50)
    told = " ".join(petworks("check", path, "--lang", lang).stdout.split())
    worst, most, step = {
        "en": (
            "at worst it is 100 %, for 30 people",
            "most at risk, in 100 %",
            "30 records are judged by no",
        ),
        "zh-TW": ("最壞情況為 100%，涉及 30 人", "風險最高者為 100%", "有 30 筆資料列因政策檔"),
    }[lang]
    assert worst in told
    assert most in told
    assert step in told.replace(" ", "") or step in told


def test_outsiders_see_no_highest_chance_that_leaves_out_somebody(tmp_path):
    path = written(tmp_path, "missing", 30, 50, "context: {rules_reason: a test}\n")
    told = " ".join(check(path).to_format("text", "en", "external").split())
    assert "most at risk" not in told
    assert "At worst, the chance" not in told
