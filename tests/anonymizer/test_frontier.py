"""The frontier against separate searches: the same points, and none that another one beats."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizing_tasks import OF_SIZES, OF_TABLES, OF_VALUES, anonymized, tasks
from brute_force import is_aside
from conftest import examples
from frames import arrow
from PETWorks import Release
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.objectives import AGGREGATES
from PETWorks.anonymizer.problem import SearchSettings, make_problem
from PETWorks.anonymizer.rules import check_rules
from PETWorks.anonymizer.search import joint
from PETWorks.anonymizer.search.joint import RaiseByArrays, RaiseByLoop
from PETWorks.errors import NotApplicable, ParameterError, PETWorksError
from PETWorks.render.report import making
from searches import anonymize, frontier

THRESHOLDS = {  # of measures: a threshold, values for it, and whether larger ones are stricter
    "k-anonymity": ("k", [1, 2, 3, 4], True),
    "l-diversity": ("l", [1, 2, 3], True),
    "t-closeness": ("t", [0.1, 0.3, 0.6, 1], False),
    "entropy-l-diversity": ("l", [1, 1.5, 2], True),
    "sample-uniqueness": ("share", [0, 0.2, 0.5], False),
    "granularity": ("at_least", [0.2, 0.5, 0.8], True),
}
LIMITS = [0, 0.2, 0.5]
POOL = {name: (OF_SIZES | OF_VALUES | OF_TABLES)[name] for name in THRESHOLDS}


def separately(task, measure, parameter, thresholds):
    """What separate searches find for each threshold and limit."""
    found = {}
    for threshold in thresholds:
        rules = [(name, {**own, parameter: threshold} if name == measure else own) for name, own in task.rules]
        for limit in sorted({*LIMITS, task.limit}):
            task.limit, before = limit, task.limit
            try:
                found[threshold, limit] = anonymized(task, rules)
            except NotApplicable as error:
                if "no levels keep the rules" not in str(error):
                    raise
            finally:
                task.limit = before
    return found


def beats(one, other, found, sign):
    """Whether a point is at least as good in every respect, and better in one."""
    (mine, my_limit), (theirs, their_limit) = one, other
    both = [(sign * theirs, sign * mine), (my_limit, their_limit), (found[one].loss, found[other].loss)]
    return all(a <= b for a, b in both) and any(a < b for a, b in both)


def draw_threshold(task, data):
    """A measure of the rules, its parameter, thresholds to vary, whether larger is stricter, and its threshold."""
    measure = data.draw(st.sampled_from([name for name, _ in task.rules]))
    parameter, values, is_lower = THRESHOLDS[measure]
    return measure, parameter, values, is_lower, dict(task.rules)[measure][parameter]


def settings_of(task):
    return {
        "objective": task.objective,
        "aggregate": task.aggregate,
        "weights": task.weights,
        "levels": task.bounds,
        "suppressed_records": task.suppressed_records,
    }


def table_of(task):
    roles = dict.fromkeys(task.quasi_identifiers, "quasi_identifier")
    roles |= dict.fromkeys(task.sensitive, "sensitive_attribute")
    return arrow(task.rows), roles, task.hierarchies


@examples(40)
@given(tasks(POOL, most_columns=3, most_rows=14, most_rules=2, treatments=False), st.data())
def test_the_points_are_those_of_separate_searches_that_none_beats(task, data):
    measure, parameter, values, is_lower, own = draw_threshold(task, data)
    try:
        expected = separately(task, measure, parameter, sorted({*values, own}))
        vary = {measure: {parameter: values}, "suppression": LIMITS}
        found = frontier(*table_of(task), task.rules, vary=vary, suppression=task.limit, **settings_of(task))
    except NotApplicable:
        assume(False)
    sign = 1 if is_lower else -1
    best = {point for point in expected if not any(beats(other, point, expected, sign) for other in expected)}
    assert {(point.threshold, point.suppression) for point in found.points} == best
    for point in found.points:
        one = expected[point.threshold, point.suppression]
        assert (point.levels, point.suppressed) == (one.levels, one.suppressed)
        assert point.loss == pytest.approx(one.loss)
    if found.points:
        point = data.draw(st.sampled_from(found.points))
        assert found.anonymize(point).table.equals(expected[point.threshold, point.suppression].table)
    if (own, task.limit) in expected:
        # Stricter rules can cost less only where suppressing a record pays.
        least = pytest.approx(expected[own, task.limit].loss)
        assert found.own_point.loss == least or task.objective == "publisher-payout"


@examples(20)
@given(tasks(POOL, most_columns=3, most_rows=14, most_rules=2, treatments=False), st.data())
def test_the_losses_record_by_record_are_those_of_separate_calls(task, data):
    measure, parameter, values, is_lower, own = draw_threshold(task, data)
    table = table_of(task)
    settings = settings_of(task) | {"may_lose": data.draw(st.sampled_from([(), "all"])), "method": "local"}
    vary = {measure: {parameter: values[:2]}, "suppression": [0, 0.2]}
    try:
        found = frontier(*table, task.rules, vary=vary, suppression=task.limit, **settings)
    except NotApplicable:
        assume(False)
    separate = {}
    for threshold in sorted({*values[:2], own}):
        rules = [(name, {**given, parameter: threshold} if name == measure else given) for name, given in task.rules]
        for limit in sorted({0, 0.2, task.limit}):
            try:
                made = anonymize(*table, rules, suppression=limit, **settings)
            except NotApplicable:
                continue
            separate[threshold, limit] = (made.global_loss, made.loss)
            point = next((one for one in found.points if (one.threshold, one.suppression) == (threshold, limit)), None)
            if point is not None:
                assert point.loss == pytest.approx(made.global_loss)
                if found.facts.why_global is None:
                    assert (point.local_loss, point.local_suppressed) == (pytest.approx(made.loss), made.suppressed)
                else:
                    assert (point.local_loss, made.why_global) == (None, found.facts.why_global)
    sign = 1 if is_lower else -1
    for (threshold, limit), losses in separate.items():  # a point that is left out is beaten by one that is not
        assert any(
            sign * point.threshold >= sign * threshold
            and point.suppression <= limit
            and point.loss <= losses[0] + 1e-9
            and (point.local_loss is None or point.local_loss <= losses[1] + 1e-9)
            for point in found.points
        )
    if found.points:
        point = data.draw(st.sampled_from(found.points))
        assert found.anonymize(point).loss == pytest.approx(point.local_loss or point.loss)


TABLE = pa.table({"age": list("1122334455"), "zip": list("aabbbccccc")})
ROLES = {"age": "quasi_identifier", "zip": "quasi_identifier"}
HIERARCHIES = {
    "age": [[str(age), "young" if age < 3 else "old", "*"] for age in range(1, 6)],
    "zip": [[code, "ab" if code < "c" else "c.", "*"] for code in "abc"],
}
K2 = {"k-anonymity": {"k": 2}}


def of(**given_):
    return frontier(TABLE, ROLES, HIERARCHIES, **({"rules": K2} | given_))


def test_without_being_told_it_varies_k_and_suppression():
    found = of(suppression=0.3)
    assert (found.measure, found.parameter, found.own) == ("k-anonymity", "k", (2, 0.3))
    assert {point.threshold for point in found.points} <= {2, 3, 5, 10, 11, 20, 50}
    assert {point.suppression for point in found.points} <= {0, 0.01, 0.02, 0.05, 0.1, 0.3}


def test_what_was_not_reached_in_time_loses_at_most_what_its_levels_lose():
    whole, stopped = of(method="local"), of(method="local", seconds=1e-9)
    assert not any(point.stopped for point in whole.facts.points)
    assert all(point.stopped and point.local_loss == point.loss for point in stopped.facts.points)
    assert stopped.facts.least_loss(2, 0) >= whole.facts.least_loss(2, 0)
    assert any("Time ran out" in text for text in making.frontier_texts(stopped.facts, "en"))
    _, rows = making.frontier_grid(stopped.facts, "local", "en")
    assert rows[0][1].startswith("≤ ")
    with pytest.raises(ParameterError, match="number of seconds above 0"):
        of(method="local", seconds=0)


def test_without_k_only_suppression_varies():
    found = of(rules={"average-risk": {"average": 0.4}}, suppression=0.2)
    assert (found.measure, found.own) == (None, (None, 0.2))
    limits = [point.suppression for point in found.points]
    assert limits == sorted(limits)
    assert [point.loss for point in found.points] == sorted((point.loss for point in found.points), reverse=True)


def test_as_a_table_and_as_a_dict():
    found = of(vary={"k-anonymity": {"k": [2, 5]}})
    rows = found.table.to_pylist()
    assert [row["threshold"] for row in rows] == [point.threshold for point in found.points]
    assert set(rows[0]) == {"threshold", "suppression", "loss", "suppressed", "level of age", "level of zip"}
    assert found.to_dict()["points"][0]["levels"] == found.points[0].levels
    one = found.anonymize(found.points[-1])
    assert one.loss == anonymize(TABLE, ROLES, HIERARCHIES, {"k-anonymity": {"k": found.points[-1].threshold}}).loss


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({}, "expected vary such as"),
        (5, "expected vary such as"),
        ({"k-anonymity": {"k": []}}, "expected a list of numbers for k"),
        ({"k-anonymity": {"k": ["many"]}}, "expected a list of numbers for k"),
        ({"k-anonymity": {"k": [0]}}, "k-anonymity needs 1 <= k"),
        ({"k-anonymity": {"q": [2]}}, "k-anonymity has the thresholds 'k', not 'q'"),
        ({"k-anonymity": 5}, "one rule and one of its thresholds"),
        ({"l-diversity": {"l": [2]}}, "no rule is about l-diversity"),
        ({"k-anonimity": {"k": [2]}}, "did you mean 'k-anonymity'"),
        ({"suppression": [2]}, "shares of the records"),
        ({"suppression": "a lot"}, "list of numbers for suppression"),
        ({"k-anonymity": {"k": range(1, 300)}}, "at most 200 points"),
        ({"k-anonymity": {"k": [2]}, "t-closeness": {"t": [1]}}, "one rule and one of its thresholds"),
    ],
)
def test_mistakes(vary, words):
    with pytest.raises(PETWorksError, match=words):
        of(vary=vary)


def test_a_threshold_that_no_rule_sets_cannot_vary():
    with pytest.raises(ParameterError, match="does not set highest"):
        of(rules={"average-risk": {"average": 0.4}}, vary={"average-risk": {"highest": [0.5]}})


def release_of(task):
    """The table of a task; not one of which every record is suppressed already, for which there is no problem."""
    assume(not all(is_aside(row, task) for row in task.rows))
    return Release(arrow(task.rows), dict.fromkeys(task.quasi_identifiers, "quasi_identifier"), task.hierarchies)


def test_there_is_no_problem_if_every_record_is_suppressed_already():
    release = Release({"q": ["*"]}, {"q": "quasi_identifier"}, {"q": [("a", "*"), ("b", "*")]})
    with pytest.raises(NotApplicable, match="all of the 1 records are suppressed already"):
        make_problem(release, check_rules(K2), SearchSettings(suppression=0.5))


@examples(60)
@given(tasks(OF_SIZES, most_columns=3, most_rows=25, most_rules=1, treatments=False), st.data())
def test_several_class_sizes_are_judged_at_once_as_each_of_them_alone(task, data):
    """`SizeJudge` against the judges that it stands for, on every node, in any order."""
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    objective = data.draw(st.sampled_from(["granularity", "precision", "missings"]))
    release = release_of(task)
    rules = check_rules({"k-anonymity": {"k": 2}})
    aggregate = task.aggregate if objective == "granularity" else None
    settings = SearchSettings(0.5, task.suppressed_records, objective, aggregate, task.weights, task.bounds)
    problem = make_problem(release, rules, settings)
    lattice, cube, most = problem.lattice, problem.cube, problem.max_suppressed
    judges = [Judge(cube, check_rules({"k-anonymity": {"k": k}}), most, problem.objective, most // 2) for k in sizes]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(joint, "WORTH_COMPILING", 0)
        together = joint.SizeJudge.of(cube, judges, problem.objective)
    if together is None:
        assert cube.removes
        assert cube.has_stars_below_the_top
        return
    for place in data.draw(st.permutations(range(lattice.nodes))):
        node = lattice.node_at(place)
        which = sorted(data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1)))
        for at, outcome in zip(which, together.outcomes(node, np.array(which)), strict=True):
            alone = judges[at].outcome(node)
            assert (outcome.records, outcome.lasting) == (alone.records, alone.lasting)
            assert outcome.loss == (None if alone.loss is None else pytest.approx(alone.loss))
            assert outcome.added == (None if alone.added is None else pytest.approx(alone.added))


def test_more_than_class_sizes_is_not_judged_by_them():
    problem = make_problem(Release(TABLE, ROLES, HIERARCHIES), check_rules(K2), SearchSettings())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(joint, "WORTH_COMPILING", 0)
        for rules, is_one in (
            (K2, True),
            ({"prosecutor-risk": {"highest": 0.3}}, True),
            ({**K2, "average-risk": {"average": 0.5}}, False),
        ):
            judge = Judge(problem.cube, check_rules(rules), 0, problem.objective)
            assert (joint.SizeJudge.of(problem.cube, [judge], problem.objective) is not None) == is_one


@examples(60)
@given(tasks(OF_SIZES, most_columns=4, most_rows=12, most_rules=1, treatments=False), st.data())
def test_the_compiled_loop_raises_bounds_of_finer_nodes_as_arrays_do(task, data):
    """`RaiseByLoop` against `RaiseByArrays`, several nodes after each other; closed nodes may stay as they are."""
    release = release_of(task)
    aggregate = data.draw(st.sampled_from(sorted(AGGREGATES)))
    settings = SearchSettings(aggregate=aggregate, weights=task.weights, levels=task.bounds)
    problem = make_problem(release, check_rules(K2), settings)
    lattice, objective = problem.lattice, problem.objective
    thresholds, closed = 3, 4
    start = np.repeat(objective.bounds()[np.newaxis], thresholds, axis=0)
    ranks = st.lists(st.integers(0, closed), min_size=start.size, max_size=start.size)
    within = np.array(data.draw(ranks), np.int8).reshape(start.shape)
    by_arrays, by_loop = (start.copy(), within.copy()), (start.copy(), within.copy())
    arrays = RaiseByArrays(lattice, objective, *by_arrays)
    loop = RaiseByLoop(lattice, objective, *by_loop, closed)
    added = st.none() | st.lists(st.floats(0, 1), min_size=len(lattice.shape), max_size=len(lattice.shape))
    for place in data.draw(st.lists(st.integers(0, lattice.nodes - 1), min_size=1, max_size=4)):
        which = sorted(data.draw(st.sets(st.integers(0, thresholds - 1), min_size=1)))
        said = [(threshold, data.draw(st.integers(0, closed)), data.draw(added)) for threshold in which]
        arrays(lattice.node_at(place), said)
        loop(lattice.node_at(place), said)
        is_open = by_arrays[1] < closed
        assert (by_arrays[1] == by_loop[1]).all()
        assert by_loop[0][is_open] == pytest.approx(by_arrays[0][is_open])
