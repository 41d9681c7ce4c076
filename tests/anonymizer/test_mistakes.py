"""What is wrong is said before any work, without a cell of the data."""

import pytest

from PETWorks import evaluate
from PETWorks.anonymizer import lattice
from PETWorks.errors import HierarchyError, NotApplicable, ParameterError, PETWorksError, RoleError
from searches import anonymize, frontier

TABLE = {
    "age": ["31", "32", "41", "42", "41", "42"],
    "zip": ["10", "10", "11", "11", "20", "20"],
    "disease": ["flu", "flu", "flu", "cough", "cough", "flu"],
    "note": ["a", "b", "c", "d", "e", "f"],
}
AGES = [("31", "30s", "*"), ("32", "30s", "*"), ("41", "40s", "*"), ("42", "40s", "*")]
ZIPS = [("10", "1*", "*"), ("11", "1*", "*"), ("20", "2*", "*")]
HIERARCHIES = {"age": AGES, "zip": ZIPS}
ROLES = {"age": "quasi_identifier", "zip": "quasi_identifier", "disease": "sensitive_attribute"}
K2 = {"k-anonymity": {"k": 2}}


def mistake(kind, *parts, **changed):
    """The error that a call with something wrong in it raises; it contains some words."""
    given = {"data": TABLE, "roles": ROLES, "hierarchies": HIERARCHIES, "rules": K2} | changed
    with pytest.raises(kind) as caught:
        anonymize(**given)
    for part in parts:
        assert part in str(caught.value)
    return caught.value


def test_values_of_a_column_without_a_hierarchy_stay_or_become_stars():
    made = anonymize(TABLE, ROLES, {"zip": ZIPS}, K2)
    assert (made.original.hierarchies["age"].height, made.original.on_two_levels) == (1, ("age",))
    assert made.levels["age"] == 1
    assert set(made.table.column("age").to_pylist()) == {"*"}
    kept = anonymize(TABLE, ROLES, {"zip": ZIPS}, K2, levels={"age": 0}, suppression=1)
    assert kept.levels["age"] == 0


def test_values_outside_the_hierarchy_are_counted_and_not_told():
    table = TABLE | {"age": ["31", "32", "41", "4711", "41", "4712"]}
    error = mistake(HierarchyError, "'age'", "2 of 5", data=table)
    assert "47" not in str(error)


def test_values_of_another_coding_are_counted_and_not_told():
    error = mistake(NotApplicable, "'age'", "2 of 2", data=TABLE | {"age": ["secret", "secret2"] * 3})
    assert "secret" not in str(error)


def test_levels_that_do_not_nest():
    ages = [("31", "30s", "odd", "*"), ("32", "30s", "even", "*"), ("41", "40s", "odd", "*"), ("42", "40s", "odd", "*")]
    mistake(HierarchyError, "'age'", "do not nest", "level 1", "level 2", hierarchies={"age": ages, "zip": ZIPS})


@pytest.mark.parametrize("wrong", [-0.1, 1.5, "much", None, True, float("nan"), [0.1]])
def test_the_limit_is_a_share(wrong):
    assert mistake(ParameterError, "suppression", "0 to 1", suppression=wrong).what == "suppression"


def test_the_rule_that_fails_even_at_the_top_is_named():
    error = mistake(
        NotApplicable,
        "no levels keep the rules with at most 1 suppressed records",
        "k-anonymity (k=7) fails even on the highest level of every column: 6 of 6 records",
        rules={"l-diversity": {"l": 2}, "k-anonymity": {"k": 7}},
        suppression=0.2,
    )
    assert "l-diversity" not in str(error)


def test_rules_that_only_together_cannot_be_kept():
    """A limit for utility fails on the highest levels, as it should; it can be kept on others."""
    rules = {"k-anonymity": {"k": 6}, "precision": {"at_least": 0.9}}
    together = "each of the rules can be kept, but not all of them together"
    mistake(NotApplicable, together, rules=rules, suppressed_records="stars")
    mistake(NotApplicable, "k-anonymity (k=6) is kept only where nothing is left", rules=rules)


def test_a_utility_that_no_levels_have_is_named():
    levels = {"age": (1, 2), "zip": (1, 2)}
    error = mistake(NotApplicable, "precision", rules=K2 | {"precision": {"at_least": 0.9}}, levels=levels)
    assert "k-anonymity" not in str(error)


@pytest.mark.parametrize("rules", [{"k-anonymity": {}}, {"fidelity": {}}, {"prosecutor-risk": {"threshold": 0.5}}])
def test_a_rule_needs_a_threshold(rules):
    mistake(ParameterError, "no threshold", rules=rules)


@pytest.mark.parametrize("rules", [None, {}, [], {"subsets": None}.get("subsets")])
def test_some_rule_is_needed(rules):
    mistake(ParameterError, "no rule is given", rules=rules)


@pytest.mark.parametrize("rules", ["k-anonymity", 5, {"k-anonymity": 5}, [("k-anonymity",)], ["k-anonymity"]])
def test_rules_have_parameters(rules):
    mistake(ParameterError, "expected", rules=rules)


def test_unknown_measures_and_parameters():
    mistake(ParameterError, "did you mean 'k-anonymity'", rules={"k-anonimity": {"k": 2}})
    mistake(ParameterError, "'kk'", rules={"k-anonymity": {"kk": 2}})
    mistake(
        NotApplicable,
        "needs a sensitive attribute",
        rules={"l-diversity": {"l": 2}},
        roles=dict(list(ROLES.items())[:2]),
    )


@pytest.mark.parametrize("weights", [{"age": -1}, {"age": "heavy"}, {"age": None}, {"age": float("inf")}])
def test_weights_are_numbers(weights):
    mistake(ParameterError, "weights that are numbers, 0 to 1,000,000", weights=weights)


@pytest.mark.parametrize("what", ["weights", "levels"])
@pytest.mark.parametrize("wrong", [5, "age", ["age"], [("age", 1, 2)]])
def test_weights_and_levels_are_by_column(what, wrong):
    assert mistake(ParameterError, f"expected {what}", **{what: wrong}).what == what


@pytest.mark.parametrize("what", ["weights", "levels"])
def test_only_quasi_identifiers_have_weights_and_levels(what):
    mistake(ParameterError, "did you mean 'age'", **{what: {"agee": 1}})
    mistake(ParameterError, "'disease' is a sensitive attribute", **{what: {"disease": 1}})
    mistake(ParameterError, "'note' is no quasi-identifier", **{what: {"note": 1}})
    mistake(ParameterError, "'5'", **{what: {5: 1}})


def test_weights_need_an_objective_that_takes_them():
    mistake(ParameterError, "weights are for", weights={"age": 1}, objective="aecs")


@pytest.mark.parametrize(
    "wrong",
    [3, -1, (2, 1), (0, 3), "3", "one", "1-", "2-1", 1.0, True, (0,), (0, 1, 2), {"at_least": 3}, {"at_least": None}],
)
def test_levels_are_within_the_hierarchy(wrong):
    assert mistake(ParameterError, "'age' has the levels 0 to 2", levels={"age": wrong}).what == "levels"


def test_bounds_of_levels_have_names():
    mistake(ParameterError, "at_leest", "did you mean 'at_least'", levels={"age": {"at_leest": 1}})


def test_a_lattice_that_is_too_large(monkeypatch):
    monkeypatch.setattr(lattice, "MAX_NODES", 8)
    mistake(ParameterError, "the lattice has 9 nodes, at most 8", "at least 1", objective="aecs")
    assert anonymize(TABLE, ROLES, HIERARCHIES, K2, levels={"age": (1, 2)}, objective="aecs").nodes == 6


@pytest.mark.parametrize("seconds", [0, -1, "soon", float("inf"), float("nan")])
def test_a_search_takes_some_time(seconds):
    assert mistake(ParameterError, "expected a number of seconds above 0", seconds=seconds).what == "seconds"


def test_objectives_and_aggregates():
    mistake(ParameterError, "did you mean 'granularity'", objective="granulariti")
    mistake(ParameterError, "did you mean 'arithmetic'", aggregate="arithmetik")
    mistake(ParameterError, "only granularity takes an aggregate", objective="precision", aggregate="sum")
    mistake(PETWorksError, objective=5)
    mistake(PETWorksError, objective=["granularity"])


@pytest.mark.parametrize(
    "subsets",
    [
        5,
        {"limits": 5},
        {"limits": {"unikes": 0}},
        {"limits": {"uniques": 2}},
        {"limits": {"uniques": 0}, "sizes": 9},
        {},
    ],
)
def test_subsets_are_checked(subsets):
    mistake(ParameterError, rules=None, subsets=subsets)


def test_subsets_without_limits_are_no_rule():
    mistake(ParameterError, "limits", subsets={"sizes": "1"})
    mistake(ParameterError, "limit", subsets={"limit": {"uniques": 0}})


def test_subsets_are_counted_in_records():
    mistake(ParameterError, "omit the privacy unit", subsets={"limits": {"uniques": 0}}, privacy_unit="note")


def test_no_quasi_identifier():
    mistake(RoleError, "quasi_identifier", roles={"disease": "sensitive_attribute"})


def test_all_records_are_suppressed_already():
    table = TABLE | {"age": ["*"] * 6, "zip": ["*"] * 6}
    mistake(NotApplicable, "all of the 6 records are suppressed already", data=table)


def test_everything_may_be_suppressed():
    mistake(NotApplicable, "k-anonymity (k=7) fails", rules={"k-anonymity": {"k": 7}}, suppression=1)
    as_class = {"suppressed_records": "stars", "suppressed": "class"}
    mistake(NotApplicable, "k-anonymity (k=7) fails", rules={"k-anonymity": {"k": 7}}, suppression=1, **as_class)
    seven = {"k-anonymity": {"k": 7}}
    result = anonymize(TABLE, ROLES, HIERARCHIES, seven, suppression=1, suppressed_records="stars")
    assert (result.levels, result.suppressed, result.loss) == ({"age": 0, "zip": 0}, 6, 1)
    assert result.table["age"].to_pylist() == result.table["zip"].to_pylist() == ["*"] * 6
    assert result.table["disease"].to_pylist() == TABLE["disease"]
    assert evaluate(result.release, {"k-anonymity": {"k": 7}}).satisfied


def test_one_record():
    table = {name: cells[:1] for name, cells in TABLE.items()}
    result = anonymize(table, ROLES, HIERARCHIES, {"k-anonymity": {"k": 1}})
    assert (result.levels, result.suppressed, result.loss) == ({"age": 0, "zip": 0}, 0, 0)
    error = mistake(NotApplicable, "1 of 1 records", data=table)
    assert "31" not in str(error)


def test_more_columns_than_an_array_has_axes():
    names = [f"q{number}" for number in range(70)]
    wide = {"data": {name: [*"aaabbb"] for name in names}, "roles": dict.fromkeys(names, "quasi_identifier")}
    for settings in ({"method": "global"}, {"method": "local"}, {"method": "local", "levels": dict.fromkeys(names, 0)}):
        made = anonymize(**wide, rules={"k-anonymity": {"k": 3}}, seconds=5, **settings)
        assert made.loss == 0
    with pytest.raises(ParameterError, match="70 quasi-identifiers; at most 60 can be searched for discernibility"):
        anonymize(**wide, rules=K2, objective="discernibility", levels=dict.fromkeys(names, 0))
    with pytest.raises(ParameterError, match="70 quasi-identifiers; at most 60 can be searched for a frontier"):
        frontier(**wide, rules=K2)


def test_a_frontier_needs_one_limit():
    with pytest.raises(ParameterError, match=r"a share of the records, 0 to 1 .*, got \[0, 0.1\]") as error:
        frontier(TABLE, ROLES, HIERARCHIES, K2, suppression=[0, 0.1])
    assert error.value.what == "suppression"
