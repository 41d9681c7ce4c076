"""What an explanation and an error say about the rules: nothing that is not so."""

import pytest

from PETWorks.errors import NotApplicable
from searches import anonymize

ROLES = {
    "zip": "quasi_identifier",
    "age": "quasi_identifier",
    "nationality": "quasi_identifier",
    "salary-class": "sensitive_attribute",
}


def made(rules, **options):
    return anonymize("data/delta.csv", ROLES, "data/delta_hierarchy", rules, **options)


def test_a_limit_for_the_table_is_named_only_where_it_fails():
    reasons = made(
        {"k-anonymity": {"k": 3}, "precision": {"at_least": 0.1}, "average-risk": {"average": 0.4}}
    ).reasons()
    assert {broken.rule for reason in reasons for broken in reason.broken} == {
        "k-anonymity (k=3)",
        "average-risk (average=0.4)",
    }


@pytest.mark.parametrize(("objective", "loss"), [("discernibility", 14), ("aecs", 2.0), ("granularity", 0)])
def test_without_the_only_rule_the_loss_is_that_of_the_table_itself(objective, loss):
    town, letters = {"town": list("aaabbc")}, {"town": {"order": list("abcd"), "sizes": [2, 4]}}
    rules = {"k-anonymity": {"k": 3}}
    (cost,) = anonymize(town, {"town": "quasi_identifier"}, letters, rules, objective=objective).explain().rules
    assert cost.loss_without == loss


def test_rules_that_exclude_each_other_are_not_blamed_singly():
    with pytest.raises(NotApplicable, match="each of the rules can be kept, but not all of them together"):
        made({"k-anonymity": {"k": 3}, "precision": {"at_least": 0.9}})


def test_utility_that_no_levels_have_is_named():
    told = r"precision .* fails on all levels that are allowed; allow more levels of 'zip'"
    with pytest.raises(NotApplicable, match=told):
        made({"k-anonymity": {"k": 1}, "precision": {"at_least": 0.9}}, levels={"zip": 2})
