"""The search against a slow, literal twin: every rule, every objective, on random small tables."""

import math
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizing_tasks import (
    OF_OTHER_TABLES,
    OF_SAMPLES,
    OF_SIZES,
    OF_TABLES,
    OF_VALUES,
    SUBSETS,
    anonymized,
    as_written,
    tasks,
    with_removed,
)
from brute_force import (
    OF_CLASSES,
    At,
    Task,
    allowed,
    failing,
    generalised,
    holds,
    is_of_table,
    loss_of,
    nodes,
    satisfying,
    solve,
)
from conftest import WEIGHTS, examples
from frames import release_of
from PETWorks import evaluate
from PETWorks.anonymizer.judge import Judge
from PETWorks.errors import NotApplicable
from PETWorks.measures.attacks.subsets import every_subset

SMALL = {"most_columns": 2, "most_rows": 9}
LINKED = {"plain": True, "background": True}
K_AND_L = {"k-anonymity": OF_SIZES["k-anonymity"], "l-diversity": OF_VALUES["l-diversity"]}


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def outcome(task):
    """The result, or None if no levels keep the rules; an error only where the table itself cannot be measured."""
    try:
        return anonymized(task)
    except NotApplicable as error:
        if "no levels keep the rules" in str(error):
            return None
        table = At(task, (0,) * len(task.quasi_identifiers))
        if len(table.aside) < len(task.rows):
            with pytest.raises(NotApplicable):
                evaluate(release_of(table.case_of(task.rows)), dict(task.rules))
        return "not applicable"


def check(task):
    """The result is the best one of the twin, and its release is what it should be."""
    result = outcome(task)
    assume(result != "not applicable")
    found, choice = solve(task)
    if result is None:
        assert not found or choice
        return
    node = tuple(result.levels.values())
    if not choice:
        best = found[0]
        assert close(result.loss, best.loss)
        assert (node, result.suppressed) == (best.node, len(best.suppressed))
    else:  # of classes that nothing tells apart others may have been suppressed
        assert all(one.tied for one in found if one.loss < result.loss - 1e-9)
    assert result.optimal
    assert result.bound == result.loss
    assert result.checked <= result.nodes == len(list(nodes(task)))
    check_release(task, result, node)


def check_release(task, result, node):
    """Rows in order, other columns untouched, whole classes suppressed, the loss as told, every rule kept."""
    at, rows = At(task, node), generalised(task.rows, node, task)
    rows = as_written(task, rows)  # without the columns that are left out
    rows = [{name: cell for name, cell in row.items() if name not in (task.unit, task.weight)} for row in rows]
    table = with_removed(task, result, rows)
    stars = dict.fromkeys(task.quasi_identifiers, "*")
    gone = {
        place
        for place, row in enumerate(table)
        if place not in at.aside and all(row[name] == "*" for name in stars) and row != rows[place]
    }
    for place, (row, before) in enumerate(zip(table, rows, strict=True)):
        assert row == (before | stars if place in gone else before)
    # A class that is `*` in every column already cannot be told from a suppressed one.
    same = {place for place, row in enumerate(rows) if place not in at.aside and row == row | stars}
    assert len(gone) <= result.suppressed <= len(gone | same)
    whole = gone if len(gone) == result.suppressed else gone | same
    assert all(whole.issuperset(members) or whole.isdisjoint(members) for members in at.members.values())
    sets = [failing(at, name, given_) for name, given_ in task.rules if name in OF_CLASSES]
    bad = {place for known in set().union(*sets) for place in at.members[known]}
    assert bad <= whole
    if all(not is_of_table(name, given_) for name, given_ in task.rules) and (
        task.suppressed == "apart" or task.suppressed_records == "remove"
    ):
        assert bad == whole or task.unit or task.subsets
    assert close(result.loss, loss_of(at, whole)[1])
    for name, given_ in task.rules:
        # Whoever is suppressed, or cannot be told from that, is absent.
        if not (name == "delta-presence" and given_.get("delta_min") and (whole or same)):
            assert evaluate(result.release, {name: given_}).satisfied, name
    if task.subsets is not None:
        counts = every_subset(result.release, task.subsets.get("sizes", "all"))
        assert all(row["satisfied"] for row in counts.limits(task.subsets["limits"]))


@examples(40)
@given(tasks(OF_SIZES))
def test_rules_about_class_sizes(task):
    check(task)


@examples(10)
@given(tasks(OF_SIZES, most_columns=4))
def test_four_columns(task):
    check(task)


@examples(32)
@given(tasks(OF_VALUES | OF_SIZES))
def test_rules_about_sensitive_values(task):
    check(task)


@examples(80)
@given(tasks(OF_SAMPLES, most_rows=20))
def test_rules_about_sampling_weights(task):
    check(task)


@examples(16)
@given(st.sampled_from([0.05, 0.1, 0.2, 0.3]))
def test_sampling_weights_in_tables_with_many_classes(highest):
    chance = Random(7)
    paths = [(f"v{leaf}", f"half {leaf // 3}", "*") for leaf in range(6)]
    row = {"q0": paths, "q1": paths, "disease": [["flu"], ["cough"]], "weight": [[weight] for weight in WEIGHTS]}
    rows = [{name: chance.choice(cells)[0] for name, cells in row.items()} for _ in range(40)]
    rules = [("individual-risk", {"highest": highest})]
    check(Task(rows, ["q0", "q1"], {"q0": paths, "q1": paths}, rules, ["disease"], limit=0.25, weight="weight"))


@examples(24)
@given(tasks(OF_TABLES | K_AND_L, **SMALL))
def test_rules_about_the_whole_table(task):
    check(task)


@examples(32)
@given(tasks(OF_OTHER_TABLES | K_AND_L, **SMALL, **LINKED))
def test_rules_about_another_table(task):
    check(task)


@examples(12)
@given(tasks(K_AND_L, **SMALL, most_rules=1), SUBSETS)
def test_limits_for_every_subset(task, subsets):
    task.subsets, task.unit = subsets, None  # subsets are counted in records
    check(task)


@pytest.mark.slow
@examples(200)
@given(tasks(OF_VALUES | OF_SIZES, most_columns=4))
def test_many_tables(task):
    check(task)


@pytest.mark.slow
@examples(100)
@given(tasks(OF_TABLES | OF_SIZES | OF_VALUES, **SMALL))
def test_many_rules_about_the_whole_table(task):
    check(task)


@pytest.mark.slow
@examples(100)
@given(tasks(OF_OTHER_TABLES | OF_SIZES, **SMALL, **LINKED))
def test_many_other_tables(task):
    check(task)


@examples(8)
@given(tasks(OF_VALUES | OF_SIZES))
def test_the_same_input_gives_the_same_result(task):
    one, other = outcome(task), outcome(task)
    if one not in (None, "not applicable"):
        assert one.to_dict() == other.to_dict()
        assert one.table.equals(other.table)
        assert one.explain() == other.explain()


@examples(16)
@given(tasks(OF_SIZES | OF_VALUES, most_columns=2, most_rows=15))
def test_bounds_are_below_what_is_lost(task):
    """The bounds of a node on itself, on coarser and on finer ones, each against the loss with what fails there."""
    result = outcome(task)
    assume(result not in (None, "not applicable"))
    problem, judge = result.problem, result.search.judge
    objective, lattice = problem.objective, problem.lattice
    bounds = objective.bounds()
    fails = {node: judge.failing(problem.cube.at(node)) for node in nodes(task)}
    losses = {node: objective.loss(problem.cube.at(node), failing_) for node, (failing_, _) in fails.items()}
    for node, (_, sure) in fails.items():
        classes = problem.cube.at(node)
        added = objective.added_below(classes, sure) if sure.any() else None
        finer = None if added is None else objective.finer_bounds(node, [added])[0]
        coarser = objective.coarser_bound(classes)
        for other, loss in losses.items():
            below = tuple(level - low for level, low in zip(other, lattice.low, strict=True))
            slack = loss + 1e-9 * max(abs(loss), 1)
            assert bounds[below] <= slack
            if finer is not None and all(one <= level for one, level in zip(other, node, strict=True)):
                assert finer[below] <= slack
            if coarser is not None and all(one >= level for one, level in zip(other, node, strict=True)):
                assert coarser <= slack


# --- explanations


def check_explanation(task):
    result = outcome(task)
    assume(result not in (None, "not applicable"))
    found, choice = solve(task)
    explanation = result.explain()
    if not choice:
        expected = different(task, found)[:10]
        others = [(one.levels, one.suppressed) for one in explanation.next_best]
        assert others == [
            (dict(zip(task.quasi_identifiers, one.node, strict=True)), len(one.suppressed)) for one in expected
        ]
        assert all(close(one.loss, twin.loss) for one, twin in zip(explanation.next_best, expected, strict=True))
    for number, cost in enumerate(explanation.rules):
        rules = [rule for place, rule in enumerate(task.rules) if place != number]
        without, open_choice = solve(task, rules)
        if not open_choice:
            assert (cost.loss_without is None) == (not without)
            assert not without or close(cost.loss_without, without[0].loss)
    for place, reason in enumerate(explanation.columns):
        check_reason(task, found, choice, place, reason)


def different(task, found):
    """Solutions that group the values of a column in other ways than the best one and each other."""
    ways = {}
    for one in found:
        at = At(task, one.node)
        rows = [row for place, row in enumerate(at.rows) if place not in at.aside]
        groups = tuple(len({row[column] for row in rows}) for column in task.quasi_identifiers)
        ways.setdefault(groups, one)
    return list(ways.values())[1:]


def check_reason(task, found, choice, place, reason):
    column = task.quasi_identifiers[place]
    assert (reason.column, reason.height) == (column, len(task.hierarchies[column][0]) - 1)
    low = task.bounds.get(column, (0,))[0]
    if reason.level == low:
        assert (reason.finer_loss, reason.finer_suppressed, reason.broken) == (None, None, ())
    elif not choice:
        node = found[0].node
        finer = At(task, (*node[:place], node[place] - 1, *node[place + 1 :]))
        solution = satisfying(finer, task.rules, task.subsets)
        if solution is not None:
            assert close(reason.finer_loss, loss_of(finer, solution[0])[1])
            assert (reason.finer_suppressed, reason.broken) == (len(solution[0]), ())
            return
        assert reason.finer_loss is None
        sets = [failing(finer, name, given_) if name in OF_CLASSES else set() for name, given_ in task.rules]
        everything = set(finer.members)
        known = [everything if own is None else own for own in sets]
        gone = {place for one in set().union(*known) for place in finer.members[one]}
        gone = gone if len(gone) <= allowed(task) else set()
        expected = []
        for number, (rule, own) in enumerate(zip(task.rules, known, strict=True)):
            records = sum(len(finer.members[one]) for one in own)
            if records or (is_of_table(*rule) and not holds(finer, gone, [rule], None)):
                expected.append((number, records or None))
        of_table = [number for number, rule in enumerate(task.rules) if is_of_table(*rule)]
        numbers = expected or [(number, None) for number in of_table or range(len(task.rules))]
        assert [broken.records for broken in reason.broken] == [records for _, records in numbers]
        names = [broken.rule.split(" (")[0] for broken in reason.broken]
        assert names == [task.rules[number][0] for number, _ in numbers]


@examples(16)
@given(tasks(OF_VALUES | OF_SIZES, most_rows=15, most_columns=2))
def test_explanations(task):
    check_explanation(task)


@examples(10)
@given(tasks(OF_TABLES | K_AND_L, **SMALL, treatments=False))
def test_explanations_of_rules_about_the_whole_table(task):
    check_explanation(task)


# --- Ctrl-C


@examples(12)
@given(tasks(OF_VALUES | OF_SIZES, most_rows=15), st.integers(0, 12))
def test_an_interrupted_search_has_a_release_and_a_true_bound(task, judged):
    assume(outcome(task) not in (None, "not applicable"))
    found, choice = solve(task)
    whole, looked_at = Judge.__call__, 0

    def interrupted(self, *args):
        nonlocal looked_at
        looked_at += 1
        if looked_at == judged + 1:
            raise KeyboardInterrupt
        return whole(self, *args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Judge, "__call__", interrupted)
        try:
            result = anonymized(task)
        except KeyboardInterrupt:
            return  # nothing was found yet
    node = tuple(result.levels.values())
    check_release(task, result, node)
    if not choice:
        assert any(one.node == node and close(one.loss, result.loss) for one in found)
        assert result.bound <= found[0].loss + 1e-9
    assert result.bound <= result.loss
    assert not result.optimal or close(result.loss, found[0].loss) or choice


def test_progress_can_interrupt():
    rows = [
        {**{f"q{place}": f"v{(number * number + place) % (place + 2)}" for place in range(4)}, "s": f"{number % 3}"}
        for number in range(40)
    ]
    columns = [name for name in rows[0] if name != "s"]
    paths = [(f"v{number}", f"w{number // 2}", "*") for number in range(5)]
    rules = [("t-closeness", {"t": 0.3})]
    task = Task(rows, columns, dict.fromkeys(columns, paths), rules, ["s"], limit=0.9)
    told = []

    def stop(progress):
        told.append(progress)
        raise KeyboardInterrupt

    best = anonymized(task)
    result = anonymized(task, progress=stop)
    assert best.optimal
    assert best.checked > told[0].checked == 16
    assert told[0].bound <= best.loss <= result.loss
    assert not result.optimal
    assert result.bound <= best.loss
    assert "at least" in repr(result)
    assert result.suppressed <= 36
