"""The table of levels says what a level is, where the words of the hierarchy do."""

import pytest

from command import petworks

POLICY = """
petworks_policy: 1
data: t.csv
no_rule: {illness: a test}
roles: {quasi_identifiers: [birth, age, zip, town, code], sensitive_attributes: [illness]}
hierarchies:
  birth: {dates: [month, year, 5 years, decade]}
  age: {width: [5, 10], top: 90}
  zip: {prefix: [3, 1]}
  town: {groups: {south: [Tainan, Kaohsiung]}}
  code: hierarchy_code.csv
rules: [{measure: k-anonymity, k: 2}]
anonymize:
  levels: {birth: 3, age: 2, zip: 2, town: 1, code: 1}
"""
ROWS = ["1990-11-19;31;10041;Tainan;a1;x", "1991-02-03;38;10055;Kaohsiung;a2;y"] * 2
LEVELS = {
    "en": {
        "birth": "3 of 5 (5 years)",
        "age": "2 of 3 (width 10)",
        "zip": "2 of 3 (first character)",
        "town": "1 of 2",
    },
    "zh-TW": {"birth": "3（最高 5）：5 年", "age": "2（最高 3）：區間寬度 10", "zip": "2（最高 3）：保留前 1 碼"},
}


@pytest.mark.parametrize("lang", LEVELS)
def test_levels_have_their_names(tmp_path, lang):
    (tmp_path / "t.csv").write_text("\n".join(["birth;age;zip;town;code;illness", *ROWS]), "utf-8")
    (tmp_path / "hierarchy_code.csv").write_text("a1;a;*\na2;a;*\nb1;b;*\n", "utf-8")
    (tmp_path / "p.yaml").write_text(POLICY, "utf-8")
    run = petworks("anonymize", "p.yaml", "-o", "o.csv", "--html", "r.html", "--lang", lang, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "r.html").read_text("utf-8")
    lines = {line.split()[0]: line for line in run.stdout.splitlines() if line.strip()}
    for column, level in LEVELS[lang].items():
        assert f" {level}" in lines[column]
        assert level in page
    assert "(" not in lines["code"]
    assert "(" not in lines["town"]
