"""A release made by a policy: what the policy sets applies unless something else is given."""

from datetime import date

import pytest

from PETWorks import read_policy
from PETWorks.errors import NotApplicable, PETWorksError
from PETWorks.gate.anonymising import anonymize_by_policy, search_rules

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
    return anonymize_by_policy(policy, policy.release(), search_rules(policy, date(2026, 1, 1)), given)


@pytest.mark.parametrize(("given", "limit"), [({}, 0.25), ({"suppression": None}, 0.25), ({"suppression": 0.5}, 0.5)])
def test_settings_of_a_policy(tmp_path, given, limit):
    result = made(tmp_path, AGES, **given)
    assert result.problem.suppression == limit
    assert result.suppressed == 1


@pytest.mark.parametrize(
    ("levels", "level"),
    [
        *(("2", 2), ("{at_least: 2}", 2), ("{at_least: 0, at_most: 3}", 1)),
        *(("2-3", 2), ("[2, 3]", 2), ("[0, 3]", 1), ("1-1", 1)),
    ],
)
def test_levels_in_a_policy(tmp_path, levels, level):
    result = made(tmp_path, AGES.replace("0.25", f"1, levels: {{age: {levels}}}"))
    assert result.levels == {"age": level}


@pytest.mark.parametrize(
    ("levels", "says"),
    [("{at_least: 3}", "every quasi-identifier is \\*"), ("0-0", "4 of 4 records are in classes that fail")],
)
def test_levels_on_which_nothing_is_left(tmp_path, levels, says):
    with pytest.raises(NotApplicable, match=says):
        made(tmp_path, AGES.replace("0.25", f"1, levels: {{age: {levels}}}"))


@pytest.mark.parametrize(
    "levels", ["four", "9", "-1", "{at_least: 2, at_most: 1}", "{at_least: low}", "1.5", "2-1", "1-", "1-9"]
)
def test_levels_that_are_none_are_an_error_with_its_place(tmp_path, levels):
    with pytest.raises(
        PETWorksError,
        match=r"policy.yaml, line 6, anonymize.levels: (.*has the levels 0 to 3; |expected a level).*1-2, \[1, 2\]",
    ):
        made(tmp_path, AGES.replace("0.25", f"0.25, levels: {{age: {levels}}}"))


def test_a_list_of_levels_has_two(tmp_path):
    with pytest.raises(PETWorksError, match=r"policy.yaml, line 6, anonymize.levels.age: "):
        made(tmp_path, AGES.replace("0.25", "0.25, levels: {age: [1, 2, 3]}"))


def test_a_result_as_a_dict_has_weights_and_bounds(tmp_path):
    told = made(tmp_path, AGES, levels={"age": (1, 2)}, weights={"age": 3}).to_dict()
    assert told["allowed_levels"] == {"age": [1, 2]}
    assert told["weights"] == {"age": 3.0}
    assert made(tmp_path, AGES).to_dict()["allowed_levels"] == {}
