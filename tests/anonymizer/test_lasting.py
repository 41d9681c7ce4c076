"""What tests of classes say about finer levels, against every way to split a few records."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from PETWorks import Release
from PETWorks.anonymizer.data_cube import DataCube
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.objectives import make_objective
from PETWorks.anonymizer.rules import check_rules
from PETWorks.measures.catalogue import find_measure
from PETWorks.measures.classes import Monotone
from searches import anonymize

ROLES = {"group": "quasi_identifier", "part": "quasi_identifier", "value": "sensitive_attribute"}
HIERARCHIES = {
    "group": [["a", "*"], ["b", "*"]],
    "part": [[str(part), "*"] for part in range(4)],
    "value": [[str(value), "low" if value < 3 else "high", "*"] for value in range(5)],
}
RECORDS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("0123"), st.sampled_from("01234")), min_size=2, max_size=24
)
LIMITS = st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.5, 0.7])
RULES = st.one_of(
    st.builds(
        lambda t, distance: ("t-closeness", {"t": t, "distance": distance}),
        LIMITS,
        st.sampled_from(["equal", "numeric", "hierarchical"]),
    ),
    st.builds(lambda number: ("entropy-l-diversity", {"l": number}), st.sampled_from([1, 1.5, 2, 2.7, 3, 4])),
    st.builds(
        lambda c, number: ("recursive-l-diversity", {"c": c, "l": number}),
        st.sampled_from([0.5, 1, 1.5, 2, 3]),
        st.integers(2, 4),
    ),
    st.builds(lambda alpha: ("alpha-k-anonymity", {"alpha": alpha}), LIMITS),
    st.builds(lambda alpha: ("alpha-k-anonymity", {"alpha": alpha, "value": "1"}), LIMITS),
    st.builds(lambda beta: ("basic-beta-likeness", {"beta": beta}), LIMITS),
    st.builds(lambda beta: ("enhanced-beta-likeness", {"beta": beta}), LIMITS),
)


def table(records):
    names = ("group", "part", "value")
    return pa.table({name: [record[place] for record in records] for place, name in enumerate(names)})


def cube_of(release):
    return DataCube.of(release.view, Lattice.of(("group", "part"), release.hierarchies, None))


def by_group(classes, numbers):
    """Numbers of fine classes, added up for each group."""
    everything = np.ones(len(classes.records), np.bool_)
    return np.bincount(classes.codes(everything)[0], weights=numbers)


def judged(rule, parameters, release, question):
    """For each group and test: how many records surely fail on finer levels, and how many do."""
    cube = cube_of(release)
    metric = find_measure(rule)
    fine, coarse = cube.at((0, 0)), cube.at((0, 1))
    for test in metric.tests(release.view, **metric.check(parameters)):
        if test.monotone is Monotone.UNSUPPRESSED:
            failing = np.where(test.fails(question(fine)), fine.records, 0)
            fails = test.fails(question(coarse))
            yield np.where(fails, test.lasting(question(coarse)), 0), by_group(fine, failing), fails


@given(RECORDS, RULES)
@example([("a", "0", "0"), ("a", "0", "1")], ("recursive-l-diversity", {"c": 1, "l": 2}))
def test_so_many_records_fail_on_finer_levels(records, rule):
    release = Release(table(records), ROLES, HIERARCHIES)
    for lasting, truth, fails in judged(*rule, release, lambda classes: classes.of_values("value")[0]):
        assert np.all(lasting <= truth)
        assert np.all((lasting > 0) | ~fails)  # at least one, as far as rounding tells


@given(RECORDS, st.data(), st.sampled_from([0, 0.2, 0.4]), st.sampled_from([0.4, 0.5, 0.8, 1]))
def test_so_many_records_are_present_too_likely_on_finer_levels(records, data, least, most):
    kept = data.draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records)))
    released = [record for record, keep in zip(records, kept, strict=True) if keep]
    assume(released)
    release = Release(table(released), ROLES, HIERARCHIES, table(records))
    cube = cube_of(release)
    absent = cube.at((0, 0)).beside("original")[1]
    parameters = {"delta_min": least, "delta_max": most}
    for lasting, truth, fails in judged(
        "delta-presence", parameters, release, lambda classes: classes.beside("original")[0]
    ):
        if absent and least:  # then all fails
            return
        assert np.all(lasting <= truth)
        assert np.all((lasting > 0) | ~fails)


def test_a_class_of_the_original_that_is_not_released_rules_out_all_finer_nodes():
    original = table([("a", str(number % 4), "0") for number in range(8)] + [("b", "0", "0")] * 8)
    release = Release(original.slice(0, 8), ROLES, HIERARCHIES, original)
    cube = cube_of(release)
    rules = check_rules({"delta-presence": {"delta_min": 0.2, "delta_max": 1}})
    judge = Judge(cube, rules, 4, make_objective(cube, "granularity", "geometric", [1.0, 1.0]))
    assert judge(cube.at((0, 1))).lasting == np.inf
    assert judge(cube.at((1, 1))).lasting == 0


def test_people_who_are_in_several_classes_rule_nothing_out():
    # On the fine level one of two people is released in each class; on the coarse one both of two are.
    original = pa.table({"person": ["p", "q", "p", "q"], "group": list("aaaa"), "part": list("0011")})
    released = original.take([0, 3])
    found = anonymize(
        released,
        {"group": "quasi_identifier", "part": "quasi_identifier"},
        {name: HIERARCHIES[name] for name in ("group", "part")},
        {"delta-presence": {"delta_max": 0.5}},
        original=original,
        privacy_unit="person",
    )
    assert found.levels == {"group": 0, "part": 0}


@pytest.mark.parametrize("limit", [0.0, 0.2, 0.5])
@pytest.mark.parametrize(
    "rules",
    [
        {"t-closeness": {"t": 0.25, "distance": "equal"}},
        {"entropy-l-diversity": {"l": 2}, "k-anonymity": {"k": 3}},
        {"recursive-l-diversity": {"c": 2, "l": 2}},
        {"basic-beta-likeness": {"beta": 0.7}},
    ],
)
def test_ruling_out_leaves_the_optimum(rules, limit):
    random = np.random.default_rng(7)
    records = [
        ("ab"[random.integers(2)], str(random.integers(4)), str(min(random.integers(5), random.integers(5))))
        for _ in range(60)
    ]
    found = anonymize(table(records), ROLES, HIERARCHIES, rules, suppression=limit)
    search = found.problem.search()
    judge = search.judge
    losses = []
    for place in range(found.nodes):
        classes = found.problem.cube.at(found.problem.lattice.node_at(place))
        suppressed = judge(classes).suppressed
        if suppressed is not None:
            losses.append(search.objective.loss(classes, suppressed))
    assert found.loss == pytest.approx(min(losses), rel=1e-12)
