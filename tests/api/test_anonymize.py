"""Python refuses, shuffles and warns as the command does."""

import warnings
from dataclasses import replace
from types import SimpleNamespace

import pyarrow as pa
import pytest

from PETWorks import ReleaseWarning, anonymize, apply_levels, apply_plan, frontier
from PETWorks.errors import ParameterError, RoleError
from PETWorks.gate.document.anonymization_document import anonymization_facts, table_state
from PETWorks.render.report.making import loss_rows, outcome_texts, undefined_objectives

ROLES = {
    "name": "identifier",
    "sex": "quasi_identifier",
    "ward": "quasi_identifier",
    "diagnosis": "sensitive_attribute",
}
WORDS = {"sex": {"mask": 1}, "ward": {"mask": 2}}
RULES = {"k-anonymity": {"k": 5}, "l-diversity": {"l": 2}}


def patients(records=120):
    return pa.table(
        {
            "name": [f"Wang {chr(65 + place % 26)}{chr(97 + place // 26)}" for place in range(records)],
            "sex": ["F" if place % 2 else "M" for place in range(records)],
            "ward": [f"W{place % 3}" for place in range(records)],
            "diagnosis": [("flu", "asthma", "burn", "gout")[place * 7 % 11 % 4] for place in range(records)],
        }
    )


def rows(table):
    return sorted(map(str, table.to_pylist()))


def test_a_column_without_a_role_is_refused_by_every_function():
    roles = {column: role for column, role in ROLES.items() if column != "name"}
    plan = anonymize(patients(), ROLES, WORDS, RULES).plan
    for door in (
        lambda: anonymize(patients(), roles, WORDS, RULES),
        lambda: apply_levels(patients(), roles, WORDS, {"ward": 1}, RULES),
        lambda: frontier(patients(), roles, WORDS, RULES),
        lambda: apply_plan(patients().append_column("phone", pa.array(["1"] * 120)), plan),
    ):
        with pytest.raises(RoleError) as refused:
            door()
        assert ("'phone'" if "plan" in str(refused.value) else "columns without a role: 'name'") in str(refused.value)


def test_records_are_shuffled_by_a_seed_that_result_and_plan_have():
    kept = anonymize(patients(), ROLES, WORDS, RULES, order="original")
    first, second = (anonymize(patients(), ROLES, WORDS, RULES) for _ in range(2))
    assert kept.table.column_names == ["sex", "ward", "diagnosis"]
    assert kept.plan.get("seed") is None
    assert rows(first.table) == rows(second.table) == rows(kept.table)
    assert len({str(one.table.to_pylist()) for one in (kept, first, second)}) == 3
    assert first.plan["seed"] == str(first.order.seed)
    again = anonymize(patients(), ROLES, WORDS, RULES, seed=first.order.seed)
    assert again.table.equals(first.table)
    assert first.release.order == "shuffled"


def test_every_function_shuffles():
    assert apply_levels(patients(), ROLES, WORDS, {"ward": 0}, RULES).order.shuffled
    assert apply_plan(patients(), anonymize(patients(), ROLES, WORDS, RULES).plan).order.shuffled
    found = frontier(patients(), ROLES, WORDS, RULES, vary={"suppression": [0]})
    assert found.anonymize(found.points[0]).order.shuffled


def test_a_rule_that_compares_records_keeps_the_order_and_that_is_said():
    rules = {**RULES, "non-uniform-entropy": {"at_least": 0.001}}
    with pytest.warns(ReleaseWarning, match=r"in the order of the original table .*compares them one by one"):
        kept = anonymize(patients(), ROLES, WORDS, rules)
    assert not kept.order.shuffled
    with pytest.raises(ParameterError, match="the records cannot be shuffled"):
        anonymize(patients(), ROLES, WORDS, rules, order="shuffled")


@pytest.mark.parametrize("wrong", [{"order": "sorted"}, {"seed": -1}, {"seed": "x"}, {"seed": True}])
def test_orders_and_seeds_are_checked(wrong):
    with pytest.raises(ParameterError, match="expected"):
        anonymize(patients(), ROLES, WORDS, RULES, **wrong)


def test_a_seed_is_for_shuffled_records():
    with pytest.raises(ParameterError, match="these keep theirs"):
        anonymize(patients(), ROLES, WORDS, RULES, order="original", seed=7)


def test_notices_are_warnings_and_in_the_result():
    table = patients().append_column("mail", pa.array([f"person{place}@example.org" for place in range(120)]))
    with pytest.warns(ReleaseWarning) as warned:
        result = anonymize(table, {**ROLES, "mail": "insensitive_attribute"}, WORDS, RULES)
    assert [str(one.message) for one in warned] == list(result.notices)
    assert "the release does not keep the rule no-hidden-identifiers: mail" in result.notices
    assert all(one.filename == __file__ for one in warned)


def test_a_release_that_says_nothing_to_look_at_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert anonymize(patients(), ROLES, WORDS, RULES).notices == ()


def test_no_rule_about_class_sizes_is_said():
    with pytest.warns(ReleaseWarning, match="rules-fit-the-release"):
        anonymize(patients(), ROLES, WORDS, {"t-closeness": {"t": 0.94}})


def test_another_engine_says_what_it_does_not_do():
    with pytest.warns(ReleaseWarning) as warned:
        result = anonymize(patients(), ROLES, WORDS, RULES, engine="duckdb")
    assert ["cannot shuffle" in str(one.message) for one in warned] == [True, False]
    assert "nobody has looked at its columns" in result.notices[1]


def test_levels_without_a_rule_are_looked_at_too():
    table = patients().append_column("mail", pa.array([f"person{place}@example.org" for place in range(120)]))
    with pytest.warns(ReleaseWarning) as warned:
        apply_levels(table, {**ROLES, "mail": "insensitive_attribute"}, WORDS, {"ward": 1})
    told = [str(one.message) for one in warned]
    assert any("no-hidden-identifiers: mail" in text for text in told)
    assert any("rules-fit-the-release" in text for text in told), "nothing limits the size of classes"


@pytest.mark.parametrize("given", [{"order": "original"}, {"seed": 1}, {"removed": [0]}, {"people": None}])
def test_a_frontier_takes_nothing_that_it_would_ignore(given):
    with pytest.raises(TypeError, match="unexpected keyword"):
        frontier(patients(), ROLES, WORDS, RULES, **given)


def test_an_objective_need_not_be_a_measure():
    facts = anonymization_facts_with("of-my-own")
    assert "of-my-own" in outcome_texts(facts, "zh-TW")[0]
    assert [row[0] for row in loss_rows(facts, "en")] == ["of-my-own"]
    assert "of-my-own" in undefined_objectives(facts, "zh-TW")[0]


def anonymization_facts_with(objective):
    """What is known of a release that was made with an objective of this name, as far as it is told."""
    lost = SimpleNamespace(objective=objective, before=0.0, after=0.25, most=1.0)
    utility = SimpleNamespace(losses=(lost,), undefined=(objective,))
    made = anonymize(patients(), ROLES, WORDS, RULES)
    facts = anonymization_facts(made, table_state(made.release), made.release, None)
    return replace(facts, objective=objective, aggregate=None, utility=utility)


def test_values_of_a_column_without_a_hierarchy_stay_or_become_stars():
    for make in (
        lambda: anonymize(patients(), ROLES, {"sex": {"mask": 1}}, {"k-anonymity": {"k": 50}, "l-diversity": {"l": 2}}),
        lambda: apply_levels(patients(), ROLES, {"sex": {"mask": 1}}, {"ward": 1}, RULES),
    ):
        with pytest.warns(ReleaseWarning) as warned:
            made = make()
        assert any("stay as they are or become '*': ward" in str(one.message) for one in warned)
        assert set(made.table.column("ward").to_pylist()) == {"*"}
