"""What a table would be on other levels, next to the release that is really made on them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks import Release, evaluate
from PETWorks.anonymizer import chosen_levels
from PETWorks.anonymizer.chosen_levels import WhatIf
from PETWorks.anonymizer.rules import check_rules
from PETWorks.errors import PETWorksError
from searches import anonymize, apply_levels

ROLES = {"age": "quasi_identifier", "town": "quasi_identifier", "illness": "sensitive_attribute"}
HIERARCHIES = {"age": {"width": [2, 10]}, "town": {"groups": {"north": ["a", "b"], "south": ["c", "d"]}}}
RULES = {"k-anonymity": {"k": 2}, "l-diversity": {"l": 2}, "average-risk": {"average": 0.4}}
LEVELS = st.fixed_dictionaries({"age": st.integers(0, 3), "town": st.integers(0, 2)})
ROWS = st.lists(
    st.tuples(st.sampled_from(["20", "21", "23", "31", None]), st.sampled_from("abcd"), st.sampled_from("xyz")),
    max_size=30,
).map(lambda rows: [("20", "a", "x"), *rows])  # a column without any value has no levels


def table_of(rows, stars=0):
    rows = [*rows, *[("*", "*", "x")] * stars]
    return {name: [row[place] for row in rows] for place, name in enumerate(ROLES)}


STARS = {"suppressed_records": "stars"}


def what_if_of(table, rules=RULES, settings=STARS, **treatment):
    release = Release(table, ROLES, HIERARCHIES, **treatment)
    return WhatIf(release, release.hierarchies, check_rules(rules), settings)


def literal(released, suppressed="apart", missing="value"):
    """The sizes of classes, straight from the cells."""
    classes = Counter(zip(released["age"], released["town"], strict=True))
    if suppressed == "apart":
        classes.pop(("*", "*"), None)
    if missing == "apart":
        classes = Counter({cells: size for cells, size in classes.items() if None not in cells})
    return sorted(classes.values())


@given(
    rows=ROWS,
    stars=st.integers(0, 2),
    levels=LEVELS,
    suppress=st.booleans(),
    suppressed=st.sampled_from(["apart", "class"]),
    missing=st.sampled_from(["value", "apart"]),
)
def test_figures_are_those_of_the_release_that_is_made(rows, stars, levels, suppress, suppressed, missing):
    table, treatment = table_of(rows, stars), {"suppressed": suppressed, "missing": missing}
    asked = what_if_of(table, **treatment)
    found = asked.at(levels, suppress=suppress)
    made = apply_levels(table, ROLES, HIERARCHIES, levels, RULES if suppress else None, **STARS, **treatment)
    cells = made.table.to_pydict()
    sizes = literal(cells, **treatment)
    assert (found.records, found.classes, found.counted) == (len(rows) + stars, len(sizes), sum(sizes))
    assert found.smallest == (sizes[0] if sizes else None)
    assert found.average == pytest.approx(len(sizes) / sum(sizes) if sizes else 0)
    assert found.unique == sizes.count(1)
    assert found.suppressed == list(zip(cells["age"], cells["town"], strict=True)).count(("*", "*"))
    bounds = [*asked.starts, 1 << 40]
    for place, share in enumerate(found.by_size):
        inside = [size for size in sizes if bounds[place] <= size < bounds[place + 1]]
        assert share == pytest.approx(sum(inside) / max(sum(sizes), 1))
    judged = {name: evaluate(made.release, {name: RULES[name]})[name] for name in RULES}
    assert found.highest == pytest.approx(1 / judged["k-anonymity"].value if sizes else 0)
    for state, name in zip(found.rules, RULES, strict=True):
        if state.holds is not None and sizes:
            assert state.holds == judged[name].satisfied, name
    if suppressed == "apart":
        assert all(state.holds is not None for state in found.rules)


@given(rows=ROWS, levels=LEVELS)
def test_losses_and_suppressed_records_are_those_of_anonymize(rows, levels):
    rules = {name: RULES[name] for name in ("k-anonymity", "l-diversity")}
    asked = what_if_of(table_of(rows), rules)
    found = asked.at(levels, suppress=True)
    for objective in ("granularity", "precision"):
        best = anonymize(
            table_of(rows), ROLES, HIERARCHIES, rules, suppression=1, levels=levels, objective=objective, **STARS
        )
        assert found.losses[objective] == pytest.approx(best.loss, abs=1e-9)
    assert found.affected == best.suppressed
    assert found.affected <= sum(state.affected for state in found.rules) <= 2 * found.affected
    assert asked.at(levels).affected == found.affected, "what breaks rules does not depend on what is done about it"


@given(rows=ROWS, walk=st.lists(LEVELS, min_size=1, max_size=12))
def test_the_order_of_questions_means_nothing(rows, walk):
    asked = what_if_of(table_of(rows))
    kept = chosen_levels.KEPT_NODES
    try:
        chosen_levels.KEPT_NODES = 2
        answers = [asked.at(levels) for levels in walk]
    finally:
        chosen_levels.KEPT_NODES = kept
    assert len(asked._nodes._kept) <= 2
    assert answers == [what_if_of(table_of(rows)).at(levels) for levels in walk]


def test_records_that_leave_the_table_are_in_no_class():
    table = table_of([("20", "a", "x"), ("20", "a", "y"), ("21", "b", "x"), ("22", "b", "x")])
    found = what_if_of(table, {"k-anonymity": {"k": 2}}, {}, suppressed="class").at({"age": 0}, suppress=True)
    assert (found.suppressed, found.classes, found.smallest) == (2, 1, 2)
    stars = what_if_of(table, {"k-anonymity": {"k": 2}}, suppressed="class").at({"age": 0}, suppress=True)
    assert (stars.suppressed, stars.classes) == (2, 2)


def test_rules_that_classes_tell_nothing_about_stay_open_and_others_are_named():
    table = table_of([("20", "a", "x"), ("21", "b", "y")])
    rules = check_rules({"k-anonymity": {"k": 2}, "precision": {"at_least": 0.5}, "l-diversity": {"l": 2}})
    release = Release(table, {name: role for name, role in ROLES.items() if name != "illness"}, HIERARCHIES)
    asked = WhatIf(release, release.hierarchies, rules)
    assert [name for name, _ in asked.unjudged] == ["l-diversity (l=2)"]
    states = {state.name: state for state in asked.at({"age": 3, "town": 1}).rules}
    assert states["k-anonymity (k=2)"].holds is True
    assert states["precision (at_least=0.5)"].holds is None


def test_a_column_without_a_hierarchy_stays_as_it_is_and_wrong_levels_are_errors():
    release = Release(table_of([("20", "a", "x")]), ROLES, {"age": {"width": [5]}})
    asked = WhatIf(release, release.hierarchies)
    assert asked.heights == (2, 0)
    assert release.view.hierarchies.keys() == {"age"}, "the table that was given is not changed"
    for levels in ({"town": 1}, {"age": 3}, {"age": -1}, {"age": "1"}):
        with pytest.raises(PETWorksError, match="has the levels 0 to"):
            asked.at(levels)


def test_a_range_of_class_sizes_begins_at_the_threshold():
    asked = what_if_of(table_of([("20", "a", "x")] * 9), {"k-anonymity": {"k": 7}})
    assert 7 in asked.starts
    assert [start for start, small in zip(asked.starts, asked.too_small, strict=True) if small] == [1, 2, 3, 5]


def test_people_are_counted_where_the_privacy_unit_says_who_they_are():
    table = {**table_of([("20", "a", "x"), ("20", "a", "x"), ("21", "a", "x")]), "person": ["1", "1", "2"]}
    release = Release(table, ROLES, HIERARCHIES, privacy_unit="person")
    found = WhatIf(release, release.hierarchies, check_rules({"k-anonymity": {"k": 2}})).at({})
    assert (found.smallest, found.counted, found.affected) == (1, 2, 3)


def test_large_classes_are_in_the_last_range():
    found = what_if_of(table_of([("20", "a", "x")] * 1500 + [("21", "a", "x")] * 500)).at({})
    assert (found.by_size[-1], sum(found.by_size)) == (1.0, 1.0)
    assert (found.smallest, found.classes) == (500, 2)
