"""Python refuses, shuffles and warns as the command does."""

import warnings
from types import SimpleNamespace

import pyarrow as pa
import pytest
from msgspec.structs import replace
from pyarrow import csv

from PETWorks import (
    Release,
    ReleaseWarning,
    anonymize,
    apply_levels,
    apply_plan,
    attack,
    evaluate,
    frontier,
    read_policy,
)
from PETWorks.anonymizer.anonymization_facts import table_state
from PETWorks.errors import ParameterError, RoleError
from PETWorks.gate.suggest.starter import SUPPRESSION, suggest_for_file
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
    plan = anonymize(Release(patients(), ROLES, WORDS), RULES).plan
    for door in (
        lambda: anonymize(Release(patients(), roles, WORDS), RULES),
        lambda: apply_levels(Release(patients(), roles, WORDS), {"ward": 1}, RULES),
        lambda: frontier(Release(patients(), roles, WORDS), RULES),
        lambda: apply_plan(patients().append_column("phone", pa.array(["1"] * 120)), plan),
    ):
        with pytest.raises(RoleError) as refused:
            door()
        assert ("'phone'" if "plan" in str(refused.value) else "columns without a role: 'name'") in str(refused.value)


def test_records_are_shuffled_by_a_seed_that_result_and_plan_have():
    kept = anonymize(Release(patients(), ROLES, WORDS), RULES, order="original")
    first, second = (anonymize(Release(patients(), ROLES, WORDS), RULES) for _ in range(2))
    assert kept.table.column_names == ["sex", "ward", "diagnosis"]
    assert kept.plan.get("seed") is None
    assert rows(first.table) == rows(second.table) == rows(kept.table)
    assert len({str(one.table.to_pylist()) for one in (kept, first, second)}) == 3
    assert first.plan["seed"] == str(first.order.seed)
    again = anonymize(Release(patients(), ROLES, WORDS), RULES, seed=first.order.seed)
    assert again.table.equals(first.table)
    assert first.release.order == "shuffled"


def test_every_function_shuffles():
    assert apply_levels(Release(patients(), ROLES, WORDS), {"ward": 0}, RULES).order.shuffled
    assert apply_plan(patients(), anonymize(Release(patients(), ROLES, WORDS), RULES).plan).order.shuffled
    found = frontier(Release(patients(), ROLES, WORDS), RULES, vary={"suppression": [0]})
    assert found.anonymize(found.points[0]).order.shuffled


def test_a_rule_that_compares_records_keeps_the_order_and_that_is_said():
    rules = {**RULES, "non-uniform-entropy": {"at_least": 0.001}}
    with pytest.warns(ReleaseWarning, match=r"in the order of the original table .*compares them one by one"):
        kept = anonymize(Release(patients(), ROLES, WORDS), rules)
    assert not kept.order.shuffled
    with pytest.raises(ParameterError, match="the records cannot be shuffled"):
        anonymize(Release(patients(), ROLES, WORDS), rules, order="shuffled")


@pytest.mark.parametrize("wrong", [{"order": "sorted"}, {"seed": -1}, {"seed": "x"}, {"seed": True}])
def test_orders_and_seeds_are_checked(wrong):
    with pytest.raises(ParameterError, match="expected"):
        anonymize(Release(patients(), ROLES, WORDS), RULES, **wrong)


def test_a_seed_is_for_shuffled_records():
    with pytest.raises(ParameterError, match="these keep theirs"):
        anonymize(Release(patients(), ROLES, WORDS), RULES, order="original", seed=7)


def test_notices_are_warnings_and_in_the_result():
    table = patients().append_column("mail", pa.array([f"person{place}@example.org" for place in range(120)]))
    with pytest.warns(ReleaseWarning) as warned:
        result = anonymize(Release(table, {**ROLES, "mail": "insensitive_attribute"}, WORDS), RULES)
    assert [str(one.message) for one in warned] == list(result.notices)
    assert "the release does not keep the rule no-hidden-identifiers: mail" in result.notices
    assert all(one.filename == __file__ for one in warned)


def test_a_release_that_says_nothing_to_look_at_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert anonymize(Release(patients(), ROLES, WORDS), RULES).notices == ()


def test_no_rule_about_class_sizes_is_said():
    with pytest.warns(ReleaseWarning, match="rules-fit-the-release"):
        anonymize(Release(patients(), ROLES, WORDS), {"t-closeness": {"t": 0.94}})


def test_another_engine_says_what_it_does_not_do():
    with pytest.warns(ReleaseWarning) as warned:
        result = anonymize(Release(patients(), ROLES, WORDS, engine="duckdb"), RULES)
    assert ["cannot shuffle" in str(one.message) for one in warned] == [True, False]
    assert "nobody has looked at its columns" in result.notices[1]


def test_levels_without_a_rule_are_looked_at_too():
    table = patients().append_column("mail", pa.array([f"person{place}@example.org" for place in range(120)]))
    with pytest.warns(ReleaseWarning) as warned:
        apply_levels(Release(table, {**ROLES, "mail": "insensitive_attribute"}, WORDS), {"ward": 1})
    told = [str(one.message) for one in warned]
    assert any("no-hidden-identifiers: mail" in text for text in told)
    assert any("rules-fit-the-release" in text for text in told), "nothing limits the size of classes"


@pytest.mark.parametrize("given", [{"order": "original"}, {"seed": 1}, {"removed": [0]}, {"people": None}])
def test_a_frontier_takes_nothing_that_it_would_ignore(given):
    with pytest.raises(TypeError, match="unexpected keyword"):
        frontier(Release(patients(), ROLES, WORDS), RULES, **given)


def test_an_objective_need_not_be_a_measure():
    facts = anonymization_facts_with("of-my-own")
    assert "of-my-own" in outcome_texts(facts, "zh-TW")[0]
    assert [row[0] for row in loss_rows(facts, "en")] == ["of-my-own"]
    assert "of-my-own" in undefined_objectives(facts, "zh-TW")[0]


def anonymization_facts_with(objective):
    """What is known of a release that was made with an objective of this name, as far as it is told."""
    lost = SimpleNamespace(objective=objective, before=0.0, after=0.25, most=1.0)
    utility = SimpleNamespace(losses=(lost,), undefined=(objective,))
    made = anonymize(Release(patients(), ROLES, WORDS), RULES)
    facts = made.facts(table_state(made.release), made.release)
    return replace(facts, objective=objective, aggregate=None, utility=utility)


def test_values_for_which_no_hierarchy_can_be_proposed_stay_or_become_stars():
    ranges = pa.array([f"{place % 3}0-{place % 3}9" for place in range(120)])
    release = Release(patients().set_column(2, "ward", ranges), ROLES, {"sex": {"mask": 1}})
    for make in (
        lambda: anonymize(release, {"k-anonymity": {"k": 50}, "l-diversity": {"l": 2}}),
        lambda: apply_levels(release, {"ward": 1}, RULES),
    ):
        with pytest.warns(ReleaseWarning) as warned:
            made = make()
        assert any("stay as they are or become '*': ward" in str(one.message) for one in warned)
        assert set(made.table.column("ward").to_pylist()) == {"*"}


PROPOSED = "no hierarchy is given for ward; proposed ones are used: look at them, and declare them as Release(..., "


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
def test_hierarchies_that_are_not_given_are_those_of_init_and_that_is_said(tmp_path):
    csv.write_csv(patients(), tmp_path / "t.csv")
    suggested, _ = suggest_for_file(tmp_path / "t.csv", None, None)
    words = next(dict(one.hierarchy.words) for one in suggested if one.column == "ward")
    release = Release(patients(), ROLES, {"sex": {"mask": 1}})
    declared = Release(patients(), ROLES, {"sex": {"mask": 1}, "ward": words})
    rules = {**RULES, "k-anonymity": {"k": 50}}
    with pytest.warns(ReleaseWarning) as warned:
        made = anonymize(release, rules)
    assert str(warned[0].message) == made.notices[0] == f"{PROPOSED}hierarchies={{'ward': {words!r}}})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)
        expected, points = anonymize(declared, rules), frontier(declared, rules, vary={"suppression": [0]})
    assert made.levels == expected.levels
    assert made.original.hierarchies["ward"].to_csv() == declared.hierarchies["ward"].to_csv()
    with pytest.warns(ReleaseWarning, match="proposed ones are used"):
        assert frontier(release, rules, vary={"suppression": [0]}).points == points.points
    with pytest.warns(ReleaseWarning, match="proposed ones are used"):
        applied = apply_levels(release, {"ward": 1}, order="original")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)
        assert applied.table.equals(apply_levels(declared, {"ward": 1}, order="original").table)
    assert "ward" not in release.hierarchies, "the release of the caller stays as it was"


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
def test_as_much_as_init_writes_may_be_suppressed():
    table = patients(121).set_column(2, "ward", pa.array(["alone", *(f"W{place % 3}" for place in range(120))]))
    release = Release(table, ROLES, WORDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)
        usual, given, none = (
            anonymize(release, RULES, **how) for how in ({}, {"suppression": 0.05}, {"suppression": 0})
        )
        own = frontier(release, RULES).own
    assert usual.problem.suppression == SUPPRESSION == own[1]
    assert (usual.suppressed, usual.levels) == (given.suppressed, given.levels) == (1, {"sex": 0, "ward": 0})
    assert none.suppressed == 0


def test_a_release_is_counted_carefully_unless_something_else_is_said():
    release = Release(patients(), ROLES, WORDS)
    assert release.treatment["sensitive_values"] == "exact"
    treatment = anonymize(release, RULES).plan["treatment"]
    assert (treatment["sensitive_values"], treatment["suppressed"]) == ("folded", "class")
    chosen = Release(patients(), ROLES, WORDS, suppressed="apart", sensitive_values="exact")
    treatment = anonymize(chosen, RULES).plan["treatment"]
    assert (treatment["sensitive_values"], treatment["suppressed"]) == ("exact", "apart")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_people_are_the_same_however_they_are_spelt(engine):
    names = [f"{'Pp'[place % 2]}{place // 2}" for place in range(120)]
    table = patients().set_column(0, "name", pa.array(names))
    release = Release(table, {**ROLES, "name": "insensitive_attribute"}, privacy_unit="name", engine=engine)
    assert (release.people, release.with_careful_treatment().people) == (120, 60)


POLICY = """petworks_policy: 1
data: t.csv
roles:
  identifiers: [name]
  quasi_identifiers: [sex, ward]
  sensitive_attributes: [diagnosis]
hierarchies: {sex: {mask: 1}, ward: {mask: 2}}
context: {release: internal}
rules:
  - {measure: k-anonymity, k: 50}
  - {measure: l-diversity, l: 2}
anonymize: {suppression: 0.1, order: original, objective: precision}
"""


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
def test_a_policy_takes_the_place_of_the_release(tmp_path):
    csv.write_csv(patients(), tmp_path / "t.csv")
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, "utf-8")
    rules = {"k-anonymity": {"k": 50}, "l-diversity": {"l": 2}}
    release = Release(tmp_path / "t.csv", ROLES, WORDS)
    expected = anonymize(release, rules, suppression=0.1, order="original", objective="precision")
    for given in (path, str(path), read_policy(path)):
        made = anonymize(given)
        assert (made.levels, made.loss) == (expected.levels, expected.loss)
        assert made.table.equals(expected.table)
    assert made.problem.suppression == 0.1
    assert anonymize(path, suppression=0.2, order="shuffled").problem.suppression == 0.2
    found = frontier(path)
    declared = frontier(release, rules, suppression=0.1, objective="precision")
    assert found.points == declared.points
    assert found.facts.method == declared.facts.method == "local"
    assert not found.anonymize(found.points[0]).order.shuffled
    assert apply_levels(path, {"ward": 1}).table.equals(apply_levels(release, {"ward": 1}, order="original").table)
    assert evaluate(path, "k-anonymity")["k-anonymity"].value == 20
    assert len(attack(path)) == len(attack(release)) == 3
    with pytest.raises(ParameterError, match="the policy has the rules"):
        anonymize(path, rules)
    with pytest.raises(ParameterError, match="the plan has what a policy says"):
        apply_plan(path, made.plan)


def test_a_policy_without_a_privacy_unit_for_people_is_refused(tmp_path):
    names = [f"p{place // 3}@example.org" for place in range(120)]
    table = patients().set_column(0, "name", pa.array(names)).rename_columns(["email", "sex", "ward", "diagnosis"])
    table = table.set_column(1, "sex", pa.array([("F", "M")[place // 3 % 2] for place in range(120)]))
    csv.write_csv(table, tmp_path / "t.csv")
    (tmp_path / "policy.yaml").write_text(POLICY.replace("name", "email"), "utf-8")
    for make in (anonymize, frontier, lambda path: apply_levels(path, {"ward": 1})):
        with pytest.raises(RoleError, match="column 'email' names people"):
            make(tmp_path / "policy.yaml")


def test_a_plan_is_applied_to_a_release():
    made = anonymize(Release(patients(), ROLES, WORDS), RULES, order="original")
    more = patients().append_column("phone", pa.array(["1"] * 120))
    again = apply_plan(Release(more, {**ROLES, "phone": "identifier"}), made.plan, order="original")
    assert again.table.equals(made.table)
    assert (again.satisfied, set(again.satisfied_by_rule.values())) == (True, {True})
    with pytest.warns(DeprecationWarning, match="satisfied_by_rule") as warned:
        assert again.verdicts == again.satisfied_by_rule
    assert [one.filename for one in warned] == [__file__]
    other = Release(patients(), {**ROLES, "sex": "sensitive_attribute"})
    with pytest.raises(RoleError, match="column 'sex' has two roles: 'quasi_identifier' and 'sensitive_attribute'"):
        apply_plan(other, made.plan)
    with pytest.raises(ParameterError, match=r"give roles to Release\(...\)"):
        apply_plan(Release(patients(), ROLES), made.plan, roles={"phone": "identifier"})


@pytest.mark.parametrize("function", [anonymize, frontier, apply_levels, evaluate, attack])
def test_anything_else_is_an_error_that_says_what_is_expected(function):
    with pytest.raises(ParameterError, match=r"expected a Release\(data, roles\) or the path of a policy file"):
        function(patients(), {"k-anonymity": {"k": 2}})


def test_what_belongs_to_the_table_is_an_argument_of_release():
    with pytest.raises(ParameterError, match=r"give engine to Release\(...\)"):
        anonymize(Release(patients(), ROLES), RULES, engine="duckdb")


ROLE_LISTS = {
    "identifiers": ["name"],
    "quasi_identifiers": ("sex", " ward"),
    "sensitive_attributes": ["diagnosis"],
}


def test_roles_are_lists_as_in_a_policy_or_one_for_each_column():
    assert Release(patients(), ROLE_LISTS).roles == Release(patients(), ROLES).roles
    assert Release({"identifiers": ["x"]}, {"identifiers": "quasi_identifier"}).quasi_identifiers == ("identifiers",)


@pytest.mark.parametrize(
    ("roles", "problem"),
    [
        ({"quasi_identifiers": ["sex"], "ward": "quasi_identifier"}, "not both"),
        (
            {"quasi_identifiers": ["sex"], "identifiers": ["sex"]},
            "'sex' has two roles: 'quasi_identifier' and 'identif",
        ),
        ({"qi": ["sex"]}, "no role is called 'qi'; known: 'identifiers'"),
        ({"quasi_identifiers": "sex"}, "expected a list of columns for 'quasi_identifiers', got str"),
        ({"quasi_identifiers": ["age"]}, "not in the data: 'age'"),
    ],
)
def test_mistakes_in_lists_of_roles(roles, problem):
    with pytest.raises(RoleError, match=problem):
        Release(patients(), roles)
