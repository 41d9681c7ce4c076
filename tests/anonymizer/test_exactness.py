"""Small tables on which a search that concludes too much goes wrong."""

import numpy as np
import pytest

from anonymizing_tasks import anonymized
from brute_force import Task
from PETWorks import Release, anonymize
from PETWorks.anonymizer.anonymization import recode_locally
from PETWorks.anonymizer.explanation import _levels
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import NotApplicable

AGES = [("50", "old", "50"), ("49", "old", "50"), ("48", "young", "50")]  # the label of a leaf is also the top


def task(values, paths, rules, sensitive=None, **others):
    """One quasi-identifier, and a sensitive attribute if its values are given."""
    rows = [{"q": value, "s": own} for value, own in zip(values, sensitive or ["x"] * len(values), strict=True)]
    return Task(rows, ["q"], {"q": paths}, rules, ["s"], **others)


def test_a_class_that_fails_as_a_whole_may_hold_parts_that_do_not():
    values, paths = ["a"] * 10 + ["b"], [("a", "ab", "*"), ("b", "ab", "*")]
    sensitive = ["flu", "cough"] * 5 + ["flu"]
    found = anonymized(task(values, paths, [("entropy-l-diversity", {"l": 2})], sensitive, limit=0.1))
    assert (found.levels, found.suppressed) == ({"q": 0}, 1)


def test_nothing_can_be_suppressed_for_people_who_are_absent():
    rows = [{"q": "a", "s": "x"}]
    hidden = Task(rows, ["q"], {"q": [("a", "*"), ("b", "*")]}, [("delta-presence", {"delta_min": 0.1})], ["s"], 1)
    hidden.original, hidden.bounds = [*rows, {"q": "b", "s": "x"}], {"q": (0, 0)}
    with pytest.raises(NotApplicable, match="no levels keep the rules"):
        anonymized(hidden)


def test_people_whose_record_is_incomplete_stand_aside_in_the_original_too():
    rows = [{"q": "a", "s": "x"}]
    hidden = Task(rows, ["q"], {"q": [("a", "*")]}, [("delta-presence", {"delta_min": 0.1})], ["s"], missing="apart")
    hidden.original, hidden.bounds = [*rows, {"q": None, "s": "x"}], {"q": (0, 0)}
    assert anonymized(hidden).levels == {"q": 0}


def test_a_person_in_two_classes_counts_once_in_their_union():
    released = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]
    absent = [("a", "3"), ("a", "4"), ("b", "5"), ("b", "6")]
    rows, others = ([{"q": q, "s": "x", "person": person} for q, person in some] for some in (released, absent))
    rules = [("delta-presence", {"delta_min": 0.5, "delta_max": 1})]
    hidden = Task(rows, ["q"], {"q": [("a", "any"), ("b", "any")]}, rules, ["s"], original=rows + others, unit="person")
    assert anonymized(hidden).levels == {"q": 0}


@pytest.mark.parametrize(("limit", "suppressed"), [(1 / 3, 1), ("1/3", 1), (0.33, None)])
def test_a_third_of_three_records_is_one(limit, suppressed):
    one = task(
        ["a", "a", "b"], [("a", "*"), ("b", "*")], [("k-anonymity", {"k": 2})], limit=limit, bounds={"q": (0, 0)}
    )
    if suppressed is None:
        with pytest.raises(NotApplicable, match="at most 0 suppressed"):
            anonymized(one)
    else:
        assert anonymized(one).suppressed == suppressed


def test_a_measure_that_needs_a_class_does_not_hold_where_all_is_suppressed():
    assert anonymized(task(["a", "b"], [("a", "*"), ("b", "*")], [("aecs", {"at_least": 0})])).levels == {"q": 0}


@pytest.mark.parametrize(("objective", "losses"), [("missings", [0, 0, 1]), ("ambiguity", [4, 6, 12])])
def test_a_leaf_with_the_label_of_the_top_counts_by_the_level_of_the_node(objective, losses):
    one = task(["50", "50", "48", "48"], AGES, [("k-anonymity", {"k": 2})], objective=objective)
    found = anonymized(one)
    assert (found.levels, found.suppressed, found.loss) == ({"q": 0}, 0, losses[0])
    by_level, cube = found.problem.objective, found.problem.cube
    for level, loss in enumerate(losses):
        classes = cube.at((level,))
        assert by_level.loss(classes, np.zeros(len(classes.records), np.bool_)) == loss
        assert by_level.bounds()[level] <= loss
    assert recode_locally(found).loss == losses[0]


@pytest.mark.parametrize(("objective", "loss"), [("missings", 0.25), ("ambiguity", 6)])
def test_suppressing_a_leaf_with_the_label_of_the_top_adds_no_less_on_a_finer_level(objective, loss):
    one = task(["50", "48", "48", "48"], AGES, [("k-anonymity", {"k": 2})], limit=0.25, objective=objective)
    found = anonymized(one)
    assert (found.levels, found.suppressed, found.loss) == ({"q": 0}, 1, loss)
    by_level, classes = found.problem.objective, found.problem.cube.at((1,))
    if objective == "missings":
        assert by_level.added_below(classes, classes.records == 1) == (0.25,)
    else:
        assert by_level.coarser_bound(found.problem.cube.at((0,))) == 4


def test_a_value_may_stand_for_less_on_a_coarser_level_if_levels_do_not_nest_for_absent_ones():
    paths = [("a", "x", "p", "*"), ("b", "x", "q", "*"), ("c", "y", "q", "*")]  # b, which is absent, does not nest
    found = anonymized(task(list("aacc"), paths, [("k-anonymity", {"k": 2})], objective="ambiguity"))
    assert found.loss == 4
    assert found.problem.objective.coarser_bound(found.problem.cube.at((1,))) is None


def test_nodes_that_were_given_up_are_among_the_next_best():
    rules = [("re-identification", {"at_most": 0.5})]
    paths = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
    found = anonymized(task(list("aabbccd"), paths, rules, limit=0.5))
    assert [one.levels["q"] for one in found.explain().next_best] == sorted({0, 1, 2} - {found.levels["q"]})


def test_of_equal_losses_the_smallest_sum_of_levels_comes_first():
    rows = [{"p": p, "q": q} for p in "ab" for q in "cd"]
    hierarchies = {"p": [("a", "any"), ("b", "any")], "q": [("c", "c'", "any"), ("d", "d'", "any")]}
    rules = [("k-anonymity", {"k": 2})]
    found = anonymized(Task(rows, ["p", "q"], hierarchies, rules, weights={"p": 0, "q": 0}))
    assert (found.levels, found.loss) == ({"p": 1, "q": 0}, 0)


@pytest.mark.parametrize(
    ("objective", "loss"),
    [
        ("granularity", 1 / 3),
        ("precision", 1 / 3),
        ("missings", 1 / 3),
        ("non-uniform-entropy", 0),
        ("discernibility", 7),
        ("aecs", 3 / 2),
        ("ambiguity", 4),
        ("publisher-payout", 1500),
    ],
)
def test_records_that_are_suppressed_already_count_in_the_loss_and_not_in_the_limit(objective, loss):
    rules = [("k-anonymity", {"k": 2})]
    found = anonymized(task(["*", "a", "a"], [("a", "any"), ("b", "any")], rules, objective=objective))
    assert (found.levels, found.suppressed) == ({"q": 0}, 0)
    assert found.loss == pytest.approx(loss)
    assert found.table["q"].to_pylist() == ["*", "a", "a"]


def test_what_is_suppressed_on_a_node_is_lost_on_finer_ones_too():
    paths = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c'", "*")]
    found = anonymized(task(list("aaabbc"), paths, [("k-anonymity", {"k": 2})], limit=0.2))
    classes = found.problem.cube.at((1,))
    _, sure = found.search.judge.failing(classes)
    objective = found.problem.objective
    assert objective.finer_bounds((1,), [objective.added_below(classes, sure)])[0] == pytest.approx([1 / 6, 7 / 12])
    assert found.problem.objective.loss(classes, sure) == pytest.approx(7 / 12)


def test_a_level_that_merges_nothing_is_shown_as_the_lower_one_although_records_aside_leave_a_star():
    table = {"zip": ["471", "471", "472", "472", "*"], "age": ["21", "21", "31", "32", "*"]}
    hierarchies = {"zip": {"prefix": [2]}, "age": {"width": [10]}}
    release = Release(table, dict.fromkeys(table, QUASI_IDENTIFIER), hierarchies, suppressed="apart")
    problem = anonymize(release, {"k-anonymity": {"k": 2}}, suppression=0.5, method="global").problem
    assert [len(problem.cube.on_level("zip", level).counts) for level in (1, 2)] == [2, 1]
    assert _levels(problem, (2, 0), (0, 1)) == (1, 0)
