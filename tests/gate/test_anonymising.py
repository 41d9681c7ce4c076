"""A release made by a policy: what the policy sets applies unless something else is given."""

from datetime import date

import pytest

from PETWorks import read_policy
from PETWorks.errors import PETWorksError
from PETWorks.gate.anonymising import anonymize_by

AGES = """petworks_policy: 1
data: ages.csv
hierarchies: {age: {width: [5, 10]}}
roles: {quasi_identifiers: [age]}
rules: [{measure: k-anonymity, k: 2}]
anonymize: {suppression: 0.25}
"""


def made(folder, text, **given):
    (folder / "ages.csv").write_text("age\n31\n32\n33\n47\n")
    (folder / "policy.yaml").write_text(text)
    policy = read_policy(folder / "policy.yaml")
    return anonymize_by(policy, policy.release(), date(2026, 1, 1), given)


@pytest.mark.parametrize(("given", "limit"), [({}, 0.25), ({"suppression": None}, 0.25), ({"suppression": 0.5}, 0.5)])
def test_settings_of_a_policy(tmp_path, given, limit):
    result = made(tmp_path, AGES, **given)
    assert result.problem.suppression == limit
    assert result.suppressed == 1


@pytest.mark.parametrize(
    ("levels", "level"), [("2", 2), ("{at_least: 2}", 2), ("{at_least: 0, at_most: 3}", 1), ("{at_least: 3}", 3)]
)
def test_levels_in_a_policy(tmp_path, levels, level):
    result = made(tmp_path, AGES.replace("0.25", f"0.25, levels: {{age: {levels}}}"))
    assert result.levels == {"age": level}


@pytest.mark.parametrize("levels", ["four", "9", "-1", "{at_least: 2, at_most: 1}", "{at_least: low}", "1.5"])
def test_levels_that_are_none_are_an_error_with_its_place(tmp_path, levels):
    with pytest.raises(PETWorksError, match=r"policy.yaml, line 6, anonymize.levels: .*has the levels 0 to 3"):
        made(tmp_path, AGES.replace("0.25", f"0.25, levels: {{age: {levels}}}"))
