"""What standards ask for: keys of the policy, checklists of regimes, the sign-off, and what outsiders see of it."""

import json
import re

import pytest
from test_policy import GOOD, refused, written

from command import petworks
from PETWorks import check
from PETWorks.gate.check.facts import ITEM_TESTS
from PETWorks.gate.policy.accountability import regimes
from policy_checks import CHECK, DAY

STATED = """\
context:
  purpose: {en: research on influenza, zh-TW: 流感研究}
  release: controlled
  recipients: two universities
  adversaries: [{who: a neighbour, knows: [age]}]
  earlier_releases: [{what: Survey 2025, date: 2025-11-30, recipients: the same universities}]
role_reasons: {age: neighbours know it, zip: neighbours know it, disease: the patient's secret}
sign_off:
  approver: Dr. Chen Mei-ling
  role: {en: data protection officer, zh-TW: 個資保護長}
  review_by: 2027-05-31
  incident_contact: privacy-team@hospital.example
regimes: [iso-27559, nist-800-188, ema-0070, hipaa-expert, cns-29100-2]
"""
UTILITY = "  - {measure: aecs, at_least: 0}\n"
PERSONAL = ("Mei-ling", "data protection officer", "個資保護長", "privacy-team", "Survey 2025", "neighbours know it")


def items(result):
    return {regime["name"]: regime["items"] for regime in result.document["sign_off"]["regimes"]}


def test_a_policy_that_states_everything_lacks_nothing(tmp_path):
    (tmp_path / "original.csv").write_text("age;zip;disease\n30;1;flu\n30;1;cold\n40;2;flu\n40;2;flu\n")
    result = check(written(tmp_path, GOOD + STATED + "original: original.csv\n"), as_of=DAY)
    assert list(items(result)) == list(regimes())
    assert all(item["given"] for listed in items(result).values() for item in listed)
    steps = {step["step"] for step in result.document["next_steps"]}
    assert not {"regime-lacks", "review-overdue"} & steps
    CHECK.validate(result.to_dict())
    CHECK.validate(result.to_dict("external"))


@pytest.mark.parametrize("name", regimes())
def test_what_is_missing_is_listed(tmp_path, name):
    result = check(written(tmp_path, GOOD + f"regimes: [{name}]\n"), as_of=DAY)
    asks = "approver" in [one.item for one in regimes()[name].items]
    assert result.verdict == ("fail" if asks else "pass"), "of a checklist, only the approver closes the gate"
    lacking = [item["item"] for item in items(result)[name] if not item["given"]]
    assert lacking == [one.item for one in regimes()[name].items if one.item != "risk_threshold"]
    (step,) = [step for step in result.document["next_steps"] if step["step"] == "regime-lacks"]
    assert (step["regime"], step["items"]) == (name, lacking)
    assert f"{name} also asks for: " in result.to_markdown().replace("\\", "")
    assert "一節" in result.to_markdown("zh-TW")
    page = result.to_html()
    assert "not a certificate" in page
    assert "並非符合性證明" in page


LACKING = {
    "purpose": ("  purpose: {en: research on influenza, zh-TW: 流感研究}\n", ""),
    "release_kind": ("  release: controlled\n", ""),
    "recipients": ("  recipients: two universities\n", ""),
    "adversaries": ("  adversaries: [{who: a neighbour, knows: [age]}]\n", ""),
    "role_reasons": ("zip: neighbours know it, ", ""),
    "earlier_releases": (re.search(r".*earlier.*\n", STATED)[0], ""),
    "risk_threshold": ("  - measure: k-anonymity\n    k: 2\n", UTILITY),
    "approver": ("  approver: Dr. Chen Mei-ling\n", ""),
    "review_by": ("  review_by: 2027-05-31\n", ""),
    "incident_contact": ("  incident_contact: privacy-team@hospital.example\n", ""),
}


@pytest.mark.parametrize("item", LACKING)
def test_each_item_is_seen(tmp_path, item):
    old, new = LACKING[item]
    text = GOOD + STATED
    assert old in text
    (tmp_path / "original.csv").write_text("age;zip;disease\n30;1;flu\n30;1;cold\n40;2;flu\n40;2;flu\n")
    result = check(written(tmp_path, text.replace(old, new) + "original: original.csv\n"), as_of=DAY)
    missing = {one["item"] for listed in items(result).values() for one in listed if not one["given"]}
    assert missing == {item}


def test_utility_is_a_threshold_or_the_original(tmp_path):
    result = check(written(tmp_path, GOOD + "regimes: [ema-0070]\n"), as_of=DAY)
    assert {"item": "utility", "where": "anonymisation process, data utility", "given": False} in items(result)[
        "ema-0070"
    ]
    assert set(LACKING) | {"utility"} == set(ITEM_TESTS)


def test_no_earlier_releases_can_be_said(tmp_path):
    result = check(written(tmp_path, GOOD + "context: {earlier_releases: []}\nregimes: [hipaa-expert]\n"), as_of=DAY)
    assert result.document["sign_off"]["earlier_releases"] == []
    assert "None, according to the policy" in result.to_html()


def test_a_review_date_in_the_past_is_a_finding(tmp_path):
    path = written(tmp_path, GOOD + STATED)
    for day, overdue in (("2027-05-31", False), ("2027-06-01", True)):
        result = check(path, as_of=day)
        assert result.document["sign_off"]["overdue"] is overdue
        assert ("review-overdue" in [step["step"] for step in result.document["next_steps"]]) is overdue
        assert ("已逾期" in result.to_html()) is overdue
        assert "review-overdue" not in json.dumps(result.to_dict("external"))


def test_the_internal_report_is_signed_and_nothing_personal_leaves(tmp_path):
    result = check(written(tmp_path, GOOD + STATED), as_of=DAY)
    page = result.to_html()
    for text in (*PERSONAL, "Signatures", "簽名欄", "research on influenza", "2027-05-31", "iso-27559"):
        assert text in page, text
    for outside in (
        result.to_html("zh-TW", "external"),
        result.to_json("external"),
        result.to_markdown("en", "external"),
    ):
        assert not [text for text in (*PERSONAL, "iso-27559", "sign-off", "sign_off") if text in outside]
    assert "research on influenza" in result.to_html("en", "external")
    outside = result.to_dict("external")
    assert (outside["policy"]["review_by"], "sign_off" in outside) == ("2027-05-31", False)


def test_an_approver_whom_a_regime_asks_for_is_a_rule_that_can_be_waived(tmp_path):
    asks = GOOD + "regimes: [iso-27559, ema-0070]\n"
    result = check(written(tmp_path, asks), as_of=DAY)
    (rule,) = [rule for rule in result.content.rules if rule.name == "approver-named"]
    assert (rule.verdict, rule.value, result.verdict) == ("fail", ("approver",), "fail")
    assert "iso-27559 asks for an approver" in result.to_junit()
    assert "iso-27559" not in result.to_json("external"), "checklists stay inside"
    CHECK.validate(result.to_dict())
    CHECK.validate(result.to_dict("external"))
    waiver = "waivers: [{rule: approver-named, owner: Lin, reason: the board meets in May, expires: 2099-05-31}]\n"
    assert check(written(tmp_path, asks + waiver), as_of=DAY).verdict == "waived"
    assert check(written(tmp_path, asks + "sign_off: {approver: Dr. Chen}\n"), as_of=DAY).verdict == "pass"
    others = check(written(tmp_path, GOOD + "regimes: [ema-0070]\n"), as_of=DAY)
    assert "approver-named" not in [rule.name for rule in others.content.rules]


def test_a_policy_that_states_nothing_still_has_lines_to_sign(tmp_path):
    page = check(written(tmp_path, GOOD), as_of=DAY).to_html()
    assert 'id="sign-off"' not in page
    assert '<table class="sign">' in page


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("regimes: [iso-27558]\n", "line 9, regimes[1]: no regime is called 'iso-27558'; did you mean 'iso-27559'?"),
        ("sign_off: {review_by: 2027-02-30}\n", "line 9, sign_off.review_by: no such day: '2027-02-30'"),
        ("sign_off: {review_by: soon}\n", "line 9, sign_off.review_by: expected"),
        ("sign_off: {boss: x}\n", "line 9, sign_off.boss: no key is called 'boss'"),
        ("role_reasons: {name: x}\n", "line 9, role_reasons.name: the column has no role"),
        ("context: {earlier_releases: [{what: x}]}\n", "the keys 'date', 'recipients' are missing"),
    ],
)
def test_mistakes_are_named(tmp_path, text, says):
    assert says in refused(tmp_path, GOOD + text)


def test_regimes_are_listed():
    shown = petworks("regimes")
    assert shown.returncode == 0
    listed = json.loads(petworks("regimes", "--format", "json").stdout)["regimes"]
    assert [one["name"] for one in listed] == list(regimes())
    for one in listed:
        assert one["name"] in shown.stdout
        assert one["source"].startswith("https://")
        assert one["note"]
        assert one["chinese"]
        assert set(one["items"]) <= set(ITEM_TESTS)
