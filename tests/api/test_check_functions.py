"""`require_release`: what a pipeline gets to know, and when it goes no further."""

import json
import pickle

import pytest

from command import petworks
from PETWorks import PETWorksError, ReleaseRefused, check, read_policy, require_release

POLICY = """\
petworks_policy: 1
title: {en: Stays, zh-TW: 住院紀錄}
data: not_there_yet.csv
no_rule: {disease: a test}
roles:
  quasi_identifiers: [age, zip]
  sensitive_attributes: [disease]
rules:
- {measure: k-anonymity, k: 3, name: large classes}
- {measure: l-diversity, l: 2}
waivers:
- {rule: l-diversity, owner: Lin, reason: pilot, expires: 2030-01-31}
"""
SAFE = {"age": ["30-39"] * 4, "zip": ["481**"] * 4, "disease": ["flu", "cold", "flu", "cold"]}
RAW = {"age": ["3917", "4028"], "zip": ["48109", "48110"], "disease": ["gout", "lupus"]}


@pytest.fixture
def policy(tmp_path):
    file = tmp_path / "stays.yaml"
    file.write_text(POLICY, "utf-8")
    return file


def test_a_release_that_passes_gives_plain_json(policy):
    result = require_release(policy, data=SAFE, as_of="2026-11-16", salt="0" * 32)
    assert json.loads(json.dumps(result)) == result
    document = check(policy, data=SAFE, as_of="2026-11-16", salt="0" * 32).file()
    assert (result["verdict"], result["title"], result["table"]) == ("pass", "Stays: a table in memory", None)
    assert result["content_sha256"] == document.content_sha256
    assert result["policy_sha256"] == document.policy.sha256
    assert result["generated"] == "2026-11-16T00:00:00Z"
    assert [list(rule.values()) for rule in result["rules"][:2]] == [
        ["large classes", "pass", "4", "k ≥ 3"],
        ["l-diversity", "pass", "2", "l ≥ 2"],
    ]


def test_a_waived_rule_lets_it_pass_and_is_told(policy):
    result = require_release(policy, data={**SAFE, "disease": ["flu"] * 4}, as_of="2026-11-16")
    assert [rule["verdict"] for rule in result["rules"][:2]] == ["pass", "waived"]
    assert result["verdict"] == "waived"


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        (
            "en",
            [
                "fail: Stays: a table in memory",
                "* large classes (k-anonymity): found 1, required k ≥ 3",
                "* l-diversity: found 1, required l ≥ 2",
                "  The exception expired on 2030-01-31. Reason: pilot. Answers for it: Lin.",
                "Next steps:",
            ],
        ),
        (
            "zh-TW",
            [
                "未通過：住院紀錄：記憶體中的資料表",
                "* large classes（k-匿名性）：測得 1，要求 k ≥ 3",
                "* l-多樣性：測得 1，要求 l ≥ 2",
            ],
        ),
    ],
)
def test_a_release_that_fails_is_refused_and_no_cell_is_told(policy, lang, lines):
    with pytest.raises(ReleaseRefused) as refused:
        require_release(policy, data=RAW, lang=lang, as_of="2031-01-01")
    text = str(refused.value)
    assert [line for line in lines if line not in text.splitlines()] == []
    assert not [cell for column in RAW.values() for cell in column if cell in text]
    assert str(pickle.loads(pickle.dumps(refused.value))) == text  # from a worker to its scheduler


def test_the_table_that_a_policy_names_is_needed_only_if_no_other_is_given(policy, tmp_path):
    with pytest.raises(PETWorksError, match="no such file"):
        require_release(policy)
    with pytest.raises(PETWorksError, match="no such file"):
        read_policy(policy)
    with pytest.raises(PETWorksError, match="no such file"):
        read_policy(policy, unread=["data"]).release()
    (tmp_path / "safe.csv").write_text("age,zip,disease\n" + "30-39,481**,flu\n30-39,481**,cold\n" * 2)
    done = petworks("check", policy, "--data", tmp_path / "safe.csv", "--as-of", "2026-11-16")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pass Stays: safe.csv\n")


def test_a_policy_about_a_server_is_checked_with_other_data_without_a_connection(policy):
    policy.write_text(POLICY.replace("not_there_yet.csv", "postgresql://localhost/none#stays"), "utf-8")
    assert require_release(policy, data=SAFE, as_of="2026-11-16")["verdict"] == "pass"
    with pytest.raises(PETWorksError, match="names a server"):
        require_release(policy)


def test_other_mistakes_of_the_policy_are_still_reported(policy):
    policy.write_text(POLICY.replace("k: 3", "kk: 3").replace("[age, zip]", "[age, zpi]"), "utf-8")
    with pytest.raises(PETWorksError, match="kk"):
        require_release(policy, data=SAFE)
    policy.write_text(POLICY.replace("[age, zip]", "[age, zpi]"), "utf-8")
    with pytest.raises(PETWorksError, match="zpi"):
        require_release(policy, data=SAFE)
