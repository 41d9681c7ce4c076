"""Local recoding: rules hold for classes as they look, less is lost than on the best levels; equal to a slow twin."""

import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizing_tasks import (
    OF_OTHER_TABLES,
    OF_SIZES,
    OF_TABLES,
    OF_VALUES,
    anonymized,
    as_written,
    tasks,
    with_removed,
)
from brute_force import OF_CLASSES, At, failing, is_of_table
from conftest import examples
from PETWorks import Release, evaluate
from PETWorks.anonymizer import anonymization
from PETWorks.anonymizer.anonymization import recode_locally
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.local import sweep as remaining_module
from PETWorks.anonymizer.local.sweep import COMPACT_BELOW, NOT_RELEASED, RemainingRecords, merge_leftover_rows, sweep
from PETWorks.errors import NotApplicable, ParameterError
from PETWorks.measures.attacks.subsets import every_subset
from searches import anonymize, apply_plan

LEAVES = {"a": ["x1", "x2", "y1", "y2"], "b": ["1", "2", "3"]}
HIERARCHIES = {
    "a": [[leaf, leaf[0], "*"] for leaf in LEAVES["a"]],
    "b": [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]],
}
WEIGHTS = {"a": 1, "b": 1.37}  # so that few nodes lose the same
ROLES = dict.fromkeys(LEAVES, "quasi_identifier")
NODES = list(product(range(3), range(3)))
TOP = (2, 2)
ROWS = st.lists(
    st.fixed_dictionaries(
        {name: st.sampled_from(leaves) for name, leaves in LEAVES.items()} | {"ill": st.sampled_from("uvw")}
    ),
    min_size=3,
)


def labels_of(row, node):
    """The labels of a row on a node."""
    paths = [next(path for path in HIERARCHIES[column] if path[0] == row[column]) for column in LEAVES]
    return tuple(path[level] for path, level in zip(paths, node, strict=True))


def loss_of(rows, on):
    """Granularity, weighted arithmetic mean, of rows on nodes of their own; those without a node are suppressed."""
    lost = 0
    for place, column in enumerate(LEAVES):
        leaves = len(HIERARCHIES[column])
        share = 0
        for number, row in enumerate(rows):
            level = on[number][place] if number in on else 2
            label = labels_of(row, on.get(number, TOP))[place]
            share += sum(path[level] == label for path in HIERARCHIES[column]) / leaves
        lost += WEIGHTS[column] * (share / len(rows) - 1 / leaves) / (1 - 1 / leaves)
    return lost / len(LEAVES)


class SlowSweep:
    """Nodes by what is lost if all that is left is on them; on each, every class of what is left that passes goes out.

    The order is made anew once a fifth of what was left is out. `tied` says whether nodes lost the same.
    """

    def __init__(self, rows, k, values):
        self.rows, self.k, self.values = rows, k, values
        self.on, self.used, self.tied = {}, [], False
        left, visited, again = set(range(len(rows))), set(), True
        while again and len(left) >= k:
            before, again = len(left), False
            for node in self.ordered([node for node in NODES if node not in visited], left):
                visited.add(node)
                out = self.passing(left, node)
                self.on |= dict.fromkeys(out, node)
                left -= out
                if out:
                    self.used.append(node)
                if out and len(left) <= COMPACT_BELOW * before:
                    again = True
                    break
        # Where nothing is left of a record, it is suppressed.
        self.on = {place: node for place, node in self.on.items() if node != TOP}
        self.used = [node for node in self.used if node != TOP]

    def ordered(self, nodes, left):
        losses = {node: loss_of(self.rows, self.on | dict.fromkeys(left, node)) for node in nodes}
        self.tied = self.tied or len({round(loss, 9) for loss in losses.values()}) < len(nodes)
        return sorted(nodes, key=losses.get)

    def passing(self, left, node):
        classes = defaultdict(set)
        for place in left:
            classes[labels_of(self.rows[place], node)].add(place)
        return {place for own in classes.values() if self.passes(own) for place in own}

    def passes(self, places):
        return len(places) >= self.k and len({self.rows[place]["ill"] for place in places}) >= self.values

    def join(self, most):
        """What is left together with the last node that released anything, or the last two, four…"""
        last = 1
        while last < len(self.used):
            some = {place for place in range(len(self.rows)) if self.on.get(place) in (None, *self.used[-last:])}
            stays = {place: node for place, node in self.on.items() if place not in some}
            self.on, before = stays, self.on
            if any(len(some - self.passing(some, node)) <= most for node in [(1, 2), (2, 1)]):
                for node in self.ordered([node for node in NODES if node != TOP], some):
                    out = self.passing(some, node)
                    if len(some - out) <= most:
                        self.on = stays | dict.fromkeys(out, node)
                        return True
            self.on = before
            last *= 2
        return False


def swept_with(rows, k, values):
    """The sweep, and what it needs."""
    table = pa.table({name: [row[name] for row in rows] for name in [*LEAVES, "ill"]})
    rules = {"k-anonymity": {"k": k}, "l-diversity": {"l": values}} if values > 1 else {"k-anonymity": {"k": k}}
    best = anonymize(
        table,
        ROLES | {"ill": "sensitive_attribute"},
        HIERARCHIES,
        rules,
        suppression=1.0,
        suppressed_records="stars",
        aggregate="arithmetic",
        weights=WEIGHTS,
    )
    problem = best.problem
    judge = Judge(problem.cube, problem.rules, problem.cube.records, problem.objective)
    return sweep(problem.cube, judge, problem.objective), judge, problem.objective


def nodes_by_row(swept):
    """For each distinct row, the node that it is on."""
    columns = swept.rows.columns
    cells = zip(
        *([columns[name].values[code] for code in columns[name].codes] for name in [*LEAVES, "ill"]), strict=True
    )
    nodes = [None if place == NOT_RELEASED else swept.nodes[place] for place in swept.on_node.tolist()]
    return dict(zip(cells, nodes, strict=True))


@examples(100)
@given(ROWS, st.integers(1, 4), st.integers(1, 2), st.integers(0, 2))
def test_the_sweep_is_that_of_a_slow_twin(rows, k, values, most):
    k = min(k, len(rows))
    values = min(values, len({row["ill"] for row in rows}))
    swept, judge, objective = swept_with(rows, k, values)
    twin = SlowSweep(rows, k, values)
    assume(not twin.tied)  # of nodes that lose the same, either may come first
    cells = [tuple(row[name] for name in [*LEAVES, "ill"]) for row in rows]
    assert nodes_by_row(swept) == {own: twin.on.get(place) for place, own in enumerate(cells)}
    assert abs(swept.loss(objective) - loss_of(rows, twin.on)) < 1e-9
    if swept.suppressed <= most:
        return
    together = merge_leftover_rows(swept, judge, objective, most)
    assert (together is not None) == twin.join(most)
    if together is not None and not twin.tied:
        assert nodes_by_row(together) == {own: twin.on.get(place) for place, own in enumerate(cells)}


@examples(60)
@given(st.data(), tasks(OF_SIZES), st.integers(1, 8))
def test_classes_that_are_large_enough_are_found(data, task, least):
    try:
        cube = anonymized(replace(task, objective="granularity", limit=1, missing="value")).problem.cube
    except NotApplicable:
        assume(False)
    weights = cube.base.rows.weights
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(weights) - 1), min_size=1))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remaining_module, "MAX_TABLE_SUMS", data.draw(st.sampled_from([1, 20, 1 << 20])))
        patch.setattr(remaining_module, "MIN_HASHED_CLASS", data.draw(st.sampled_from([2, 16])))
        remaining = RemainingRecords(cube, least, rows)
        gone = np.array(sorted(data.draw(st.sets(st.sampled_from(rows.tolist()), max_size=3))), np.int64)
        remaining.release(gone)
        nodes = [cube.lattice.node_at(place) for place in range(cube.lattice.nodes)]
        promising = remaining.promising(np.array(nodes))
        left = np.setdiff1d(rows, gone)
        for place, node in enumerate(nodes):
            found = remaining.large(node)
            expected = classes_of(cube, place, left, least)
            assert expected == ({} if found is None else dict(zip(*map(np.ndarray.tolist, found), strict=True)))
            assert promising[place] or not expected


def classes_of(cube, place, rows, least):
    """For each row that is in a class which is large enough, the size of the class."""
    node = cube.lattice.levels(cube.lattice.node_at(place))
    columns = cube.base.rows.columns
    keys = {
        row: tuple(cube.codes_on_level(name, level)[columns[name].codes[row]] for name, level in node.items())
        for row in rows.tolist()
    }
    sizes = Counter()
    for row, key in keys.items():
        sizes[key] += int(cube.base.rows.weights[row])
    return {row: sizes[key] for row, key in keys.items() if sizes[key] >= least}


@examples(100)
@given(tasks(OF_SIZES | OF_VALUES | OF_TABLES))
def test_rules_hold_and_nothing_is_lost_beside_the_best_levels(task):
    if task.objective == "non-uniform-entropy":
        task = replace(task, objective="granularity")
    try:
        best = anonymized(task)
    except NotApplicable:
        assume(False)
    result = recode_locally(best)
    assert result.loss <= best.loss
    assert result.suppressed <= best.problem.max_suppressed
    assert result.global_loss == best.loss
    assert sum(records for _, records in result.parts) + result.suppressed == best.records - best.problem.cube.aside
    for name, parameters in task.rules:
        assert evaluate(result.release, {name: parameters}).satisfied, name
        if name in OF_CLASSES and not is_of_table(name, parameters) and task.suppressed == "apart":
            assert not failing(released(task, result), name, parameters), name
    others = [name for name in best.table.column_names if name not in (*task.quasi_identifiers, task.unit)]
    for made in (best, result):
        rows = as_written(task, task.rows)
        for row, before in zip(with_removed(task, made, rows), rows, strict=True):
            assert [row[name] for name in others] == [before[name] for name in others]


@examples(60)
@given(tasks(OF_SIZES | OF_VALUES | OF_TABLES))
def test_a_release_where_no_levels_for_all_records_keep_the_rules(task):
    """If record by record keeps them, that is the release, and the rules hold by their definitions."""
    task = replace(task, objective="granularity", limit=min(task.limit, 0.1))
    try:
        anonymized(task)
        assume(False)
    except NotApplicable as error:
        assume("no levels keep the rules" in str(error))
    try:
        result = anonymized(task, method="local")
    except NotApplicable as error:
        assume("or record by record" in str(error))
        return
    assert result.global_loss is None
    assert result.suppressed <= result.problem.max_suppressed
    for name, parameters in task.rules:
        assert evaluate(result.release, {name: parameters}).satisfied, name
        if name in OF_CLASSES and not is_of_table(name, parameters) and task.suppressed == "apart":
            assert not failing(released(task, result), name, parameters), name


def halves(ages):
    """Half of the records agree on `a`, the others on `b`, and nothing else."""
    table = {"a": ["x"] * 6 + [f"a{n}" for n in range(6)], "b": [f"b{n}" for n in range(6)] + ["y"] * 6, **ages}
    hierarchies = {name: [[value, "*"] for value in sorted(set(table[name]))] for name in "ab"}
    return {"data": table, "roles": dict.fromkeys(table, "quasi_identifier"), "hierarchies": hierarchies}


def test_rules_that_only_a_release_record_by_record_keeps():
    """With one level per column, k-anonymity makes everything `*`; a limit on the loss rules that out."""
    rules = {"k-anonymity": {"k": 5}, "precision": {"at_least": 0.4}}
    with pytest.raises(
        NotApplicable, match=r"at most 0 suppressed records, with one level per column: k-anonymity .* \*"
    ):
        anonymize(**halves({}), rules=rules)
    made = anonymize(**halves({}), rules=rules, method="local")
    assert evaluate(made.release, rules).satisfied
    assert sorted(Counter(zip(*(made.table[name].to_pylist() for name in "ab"), strict=True)).items()) == [
        (("*", "y"), 6),
        (("x", "*"), 6),
    ]
    assert (made.global_loss, [way.method for way in made.choice.ways]) == (None, ["local"])
    assert "none on the best levels" in repr(made)
    # Each rule can be kept on some levels, but no levels keep both.
    ages = {"c": ["1"] * 12}
    settings = halves(ages) | {"hierarchies": halves(ages)["hierarchies"] | {"c": [["1", "all"]]}}
    rules["precision"]["at_least"] = 0.6
    with pytest.raises(NotApplicable, match="can be kept, but not all of them together"):
        anonymize(**settings, rules=rules)
    assert evaluate(anonymize(**settings, rules=rules, method="local").release, rules).satisfied


@pytest.mark.parametrize("rules", [{"k-anonymity": {"k": 13}}, {"precision": {"at_least": 1}}])
def test_rules_that_fail_where_they_are_easiest_are_refused_without_a_search(rules, monkeypatch):
    monkeypatch.setattr(anonymization, "recode_locally", None)
    with pytest.raises(NotApplicable, match=r"no levels keep the rules .* or record by record: "):
        anonymize(**halves({}), rules=rules, method="local", levels={"a": [1, 1]})


def test_columns_to_keep_are_kept_where_no_levels_keep_the_rules():
    settings = halves({}) | {"rules": {"k-anonymity": {"k": 5}}, "method": "local"}
    assert anonymize(**settings).loss == pytest.approx(0.5)
    with pytest.raises(
        NotApplicable, match=r"no levels keep the rules with at most 0 suppressed records, .* by record"
    ):
        anonymize(**settings, keep=["a"])  # all but one of its values become *


@examples(60)
@given(tasks(OF_VALUES, treatments=False))
def test_classes_are_what_looks_equal(task):
    """Labels of several nodes may be equal, as those of a value that is also a group."""
    try:
        best = anonymized(replace(task, objective="granularity", limit=1))
    except NotApplicable:
        assume(False)
    problem = best.problem
    judge = Judge(problem.cube, problem.rules, best.records, problem.objective)
    swept = sweep(problem.cube, judge, problem.objective)
    result = replace(recode_locally(best), sweep=swept)
    if swept.nodes:
        for name, parameters in task.rules:
            assert not failing(released(task, result), name, parameters), name


def test_a_class_that_fails_as_it_looks_is_suppressed():
    """Ward A, and B1 to B4 together on level 1, pass; but there they are called A as well, and all six fail."""
    wards = ["A", "A", "B1", "B2", "B3", "B4", *["C"] * 14]
    table = pa.table({"ward": wards, "illness": list("ab" + "bbbb" + "aaaaaaabbbbbbb")})
    paths = [["A", "A", "*"], *([f"B{number}", "A", "*"] for number in range(1, 5)), ["C", "C", "*"]]
    best = anonymize(
        table,
        {"ward": "quasi_identifier", "illness": "sensitive_attribute"},
        {"ward": paths},
        {"k-anonymity": {"k": 2}, "delta-disclosure": {"delta": 0.6}},
        suppression=1,
        objective="precision",
    )
    problem = best.problem
    judge = Judge(problem.cube, problem.rules, best.records, problem.objective)
    swept = sweep(problem.cube, judge, problem.objective)
    assert swept.nodes == ((0,),)
    assert swept.suppressed == 6


def released(task, result):
    """The release as the literal definitions want it: rows as they are."""
    names = task.quasi_identifiers
    own = with_removed(task, result, task.rows)
    rows = [row | {name: new[name] for name in names} for row, new in zip(task.rows, own, strict=True)]
    return At(replace(task, rows=rows, original=task.rows), (0,) * len(names))


@examples(30)
@given(tasks(OF_OTHER_TABLES, background=True))
def test_measures_that_need_one_level_per_column_get_the_best_levels_for_all(task):
    task = replace(task, objective="granularity")
    try:
        best = anonymized(task)
    except NotApplicable:
        assume(False)
    result = recode_locally(best)
    assert result.loss <= best.loss
    assert result.suppressed <= best.problem.max_suppressed
    if any(name in ("k-map", "delta-presence") for name, _ in task.rules):
        assert result.sweep.nodes == (best.classes.node,)
        assert result.table.to_pylist() == best.table.to_pylist()


# Mostly young people of a few places.
AGES = [str(20 + number * number % 7 * (number % 11)) for number in range(300)]
PLACES = [str(1000 + number % 5 * (number % 9) * (number % 4)) for number in range(300)]
PEOPLE = pa.table({"age": AGES, "zip": PLACES})
PEOPLE_HIERARCHIES = {"age": {"width": [5, 10, 20]}, "zip": {"prefix": [3, 2]}}


PATHS = {
    name: list(zip(*scheme.levels, strict=True))
    for name, scheme in Release(PEOPLE, {}, PEOPLE_HIERARCHIES).hierarchies.items()
}


def both(rules, **others):
    """People on the best levels for all, and each on levels of their own."""
    roles = dict.fromkeys(("age", "zip"), "quasi_identifier")
    return [
        anonymize(PEOPLE, roles, PEOPLE_HIERARCHIES, rules, method=method, **others) for method in ("global", "local")
    ]


def test_far_less_is_lost():
    best, result = both({"k-anonymity": {"k": 3}}, suppression=0.05)
    assert result.loss < best.loss == result.global_loss
    assert len(result.parts) > 1
    assert len(result.levels["age"]) > 1
    assert not result.optimal
    assert result.to_dict()["parts"][0]["records"] > 0
    assert evaluate(result.release, {"k-anonymity": {"k": 3}}).satisfied


@pytest.mark.parametrize("k", [3, 4, 7])
def test_far_less_is_lost_without_suppression_too(k):
    best, result = both({"k-anonymity": {"k": k}})
    assert result.loss < 0.5 * best.loss
    assert result.suppressed == result.release.suppressed_records == 0
    assert evaluate(result.release, {"k-anonymity": {"k": k}}).satisfied


def test_rules_about_the_whole_table_are_kept_by_larger_classes():
    rules = {"k-anonymity": {"k": 2}, "average-risk": {"average": 0.1}}
    plain = both({"k-anonymity": {"k": 2}})[1]
    assert not evaluate(plain.release, rules).satisfied
    best, result = both(rules)
    assert plain.loss < result.loss < best.loss
    assert evaluate(result.release, rules).satisfied


def test_limits_on_subsets_are_kept():
    subsets = {"sizes": "1-2", "limits": {"highest-risk": 0.2}}
    best, result = both(None, subsets=subsets)
    assert result.loss < best.loss
    limits = every_subset(result.release.view, "1-2").limits({"highest-risk": 0.2})
    assert all(row["satisfied"] for row in limits)


def leaves_below(name, label):
    """How many values of the hierarchy a label may stand for."""
    paths = PATHS[name]
    return (
        len(paths)
        if label == "*"
        else max(Counter(path[level] for path in paths)[label] for level in range(len(paths[0])))
    )


def combinations(labels):
    """For how many combinations of original values a record may stand."""
    return math.prod(leaves_below(name, label) for name, label in zip(PATHS, labels, strict=True))


def bits(labels):
    """How much a record still tells, as the payout sees it: a share."""
    total = sum(math.log(len(paths)) for paths in PATHS.values())
    return (
        -sum(math.log(leaves_below(name, label) / len(PATHS[name])) for name, label in zip(PATHS, labels, strict=True))
        / total
    )


OF_COUNTS = {
    "discernibility": lambda sizes, out: sum(size**2 for size in sizes.values()) + out * len(AGES),
    "aecs": lambda sizes, out: len(AGES) / (len(sizes) + (out > 0)),
    "ambiguity": lambda sizes, out: (
        sum(size * combinations(labels) for labels, size in sizes.items()) + out * math.prod(map(len, PATHS.values()))
    ),
    "publisher-payout": lambda sizes, _out: (
        1200 * (len(AGES) - sum(size * bits(labels) for labels, size in sizes.items()))
        + 300 * sum(300 / size >= 4 for size in sizes.values())
    ),
}


@pytest.mark.parametrize("objective", OF_COUNTS)
def test_objectives_that_do_not_belong_to_records_are_counted_on_the_release(objective):
    best, result = both({"k-anonymity": {"k": 3}}, suppression=0.05, objective=objective, show="interval")
    assert result.loss < best.loss
    sizes = Counter(tuple(row.values()) for row in result.table.to_pylist())
    out = len(result.removed)
    assert out == result.suppressed > 0
    assert result.loss == pytest.approx(OF_COUNTS[objective](sizes, out), rel=1e-9)


@pytest.mark.parametrize("is_better", [True, False])
def test_what_the_release_is_compared_with_need_not_be_proved(monkeypatch, is_better):
    """Nobody stopped anything: a release record by record is complete, and so are levels that are the release."""
    rules, limit = {"k-anonymity": {"k": 3}}, {"suppression": 0.05}
    if not is_better:
        monkeypatch.setattr(anonymization, "_broken_rules", lambda found, _swept: list(found.problem.rules))
    _, whole = both(rules, **limit)
    monkeypatch.setattr(anonymization, "DEFAULT_SECONDS", 0)
    _, found = both(rules, **limit)
    assert (found.why_global is None) == is_better
    assert found.is_complete
    assert found.plan.get("unfinished") is None
    assert found.loss == whole.loss
    if is_better:
        assert not found.search.is_explored
        assert not found.choice.why_global
        assert not found._local_recoding().proved
        _, stopped = both(rules, **limit, seconds=1e-9)
        assert (stopped.is_complete, stopped.plan["unfinished"]) == (False, True)
    else:
        assert found.optimal


def test_progress_is_reported_and_ctrl_c_leaves_the_best_so_far():
    best, result = both({"k-anonymity": {"k": 3}}, suppression=0.05)
    told = []
    recode_locally(best, told.append)
    assert [state.checked for state in told] == sorted(state.checked for state in told)
    assert all(state.best == best.loss and state.bound == 0 for state in told)
    assert told[-1].checked <= best.nodes

    def stop(_state):
        raise KeyboardInterrupt

    stopped = recode_locally(best, stop)
    assert not stopped.is_complete
    assert result.is_complete
    assert stopped.loss == best.loss
    assert stopped.table.to_pylist() == best.table.to_pylist()


def test_ctrl_c_while_a_better_one_is_looked_for_leaves_what_was_found():
    rules = {"k-anonymity": {"k": 2}, "average-risk": {"average": 0.1}}
    best, result = both(rules)
    losses = []

    def stop(state):
        losses.append(state.best)
        if state.best < best.loss:
            raise KeyboardInterrupt

    stopped = recode_locally(best, stop)
    assert result.loss <= stopped.loss == losses[-1] < best.loss
    assert evaluate(stopped.release, rules).satisfied


def test_an_unknown_method_is_an_error():
    table = pa.table({"a": ["x1", "x2"] * 3})
    with pytest.raises(ParameterError, match="did you mean 'local'"):
        anonymize(
            table, {"a": "quasi_identifier"}, {"a": HIERARCHIES["a"]}, {"k-anonymity": {"k": 2}}, method="locally"
        )


def test_columns_that_stay_as_they_are_change_only_where_records_are_suppressed():
    ages = [str(20 + place % 12) for place in range(120)]
    table = pa.table({"age": [*ages, "99"], "sex": ["f", "m"] * 60 + ["f"]})
    roles = dict.fromkeys(("age", "sex"), "quasi_identifier")
    hierarchies = {"age": {"width": [2, 4, 8]}, "sex": [["f", "*"], ["m", "*"]]}
    asked = {"rules": {"k-anonymity": {"k": 10}}, "levels": {"sex": 0, "age": (0, 3)}, "method": "local"}
    some = anonymize(table, roles, hierarchies, suppression=0.01, suppressed_records="stars", **asked)
    assert some.suppressed == 1
    assert some.table.to_pylist()[-1] == {"age": "*", "sex": "*"}
    removed = anonymize(table, roles, hierarchies, suppression=0.01, **asked)
    assert removed.removed.tolist() == [120]
    assert "sex" not in removed.changed_columns
    none = anonymize(table.slice(0, 120), roles, hierarchies, **asked)
    assert none.suppressed == 0
    assert "sex" not in none.changed_columns


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"objective": "non-uniform-entropy"}, "objective"),
        (
            {"rules": {"k-map": {"k": 1}}, "population": {"a": ["x1", "y2"] * 2, "b": ["1", "3"] * 2}},
            "one level per column",
        ),
        ({"levels": {"a": 1, "b": 2}}, "fixed"),
        ({"rules": {"k-anonymity": {"k": 1}}}, "no better"),
    ],
)
def test_where_one_level_per_column_is_needed_or_as_good_it_is_used(changed, why):
    given = {"rules": {"k-anonymity": {"k": 2}}} | changed
    table = {"a": ["x1", "x1", "y2", "y2"], "b": ["1", "1", "3", "3"]}
    found = anonymize(table, ROLES, HIERARCHIES, **given, method="local")
    assert (found.why_global, found.optimal, found.choice.why_global) == (why, True, why)
    assert found.to_dict() == anonymize(table, ROLES, HIERARCHIES, **given).to_dict()
    assert found.plan_document.method == "global"


def test_values_that_only_suppressed_records_have():
    """Their codes are among those of the column, though no record that can be released has them."""
    rows = [("x1", "1"), ("x1", "1"), ("x2", "2"), ("x2", "2")]
    for first in (("*", "*"), ("y2", "*"), ("y2", "3")):
        table = pa.table(dict(zip(("a", "b"), zip(*[first, *rows], strict=True), strict=True)))
        found = anonymize(table, ROLES, HIERARCHIES, {"k-anonymity": {"k": 2}}, suppression=1, method="local")
        assert [tuple(row.values()) for row in found.table.to_pylist()] == rows


@examples(60)
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 40), bits=st.integers(1, 5), least=st.integers(1, 6))
def test_full_bins_are_the_same_with_and_without_the_compiler(seed, rows, bits, least):
    rng = np.random.default_rng(seed)
    tables = rng.integers(0, 1 << 32, (6, 9), dtype=np.uint32)
    taken, first = rng.integers(0, 6, 3), rng.integers(0, 9, rows)
    is_left, weights = rng.random(rows) < 0.7, rng.integers(1, 5, rows)
    found = []
    for find in (remaining_module.rows_in_full_bins, remaining_module.few_rows_in_full_bins):
        place, sums, bins = np.zeros(rows, np.int64), np.zeros(rows, np.uint32), np.zeros(1 << bits, np.uint32)
        number = find(tables, taken, first, is_left, weights, least, sums, bins, place)
        found.append(place[:number].tolist())
    assert found[0] == found[1]


def test_columns_that_lose_much_count_more_if_columns_are_lost():
    """What is lost is determined from the cells; a plan makes the same release again."""
    random, sizes = np.random.default_rng(3), (2, 4, 8)
    table, hierarchies = {}, {}
    for number in range(10):
        values, groups = sizes[number % 3], [2**step for step in range(1, number % 3 + 1)]
        table[f"c{number}"] = [str(value) for value in random.integers(0, values, 100)]
        hierarchies[f"c{number}"] = [
            [str(value), *(f"{value // group} of {group}" for group in groups), "*"] for value in range(values)
        ]
    roles = dict.fromkeys(table, "quasi_identifier")
    rules = {"k-anonymity": {"k": 6}}
    free, found = (
        anonymize(table, roles, hierarchies, rules, suppression=0.1, method="local", may_lose=may_lose)
        for may_lose in ("all", None)
    )

    def lost(result):
        for column in result.table.columns:
            told = Counter(column.to_pylist())
            if len(told - Counter("*" * told["*"])) < 2 or told["*"] > 0.9 * len(column):
                yield column

    assert len([*lost(free)]) == 2
    assert not [*lost(found)]
    assert free.loss < found.loss <= 1.25 * free.loss
    assert found.suppressed <= free.suppressed + 5
    assert evaluate(found.release, rules).satisfied
    plan = found.plan_document.to_dict()
    assert plan["power"] == 2
    assert apply_plan(table, plan, hierarchies).table.equals(found.table)


def test_local_recoding_helps_where_most_records_share_a_sensitive_value():
    """Each class must have two values, and four records in five have the same."""
    helped, number = 0, 25
    for seed in range(number):
        random = np.random.default_rng(seed)
        rows, columns = int(random.integers(20, 60)), int(random.integers(2, 4))
        table = {f"c{name}": random.choice(["x1", "x2", "y1", "y2"], rows).tolist() for name in range(columns)}
        hierarchies = dict.fromkeys(table, HIERARCHIES["a"])
        roles = dict.fromkeys(table, "quasi_identifier") | {"ill": "sensitive_attribute"}
        table["ill"] = np.where(random.random(rows) < 0.8, "u", random.choice(["v", "w"], rows)).tolist()
        rules = {"l-diversity": {"l": 2}}
        best, result = (
            anonymize(table, roles, hierarchies, rules, suppression=0.05, method=method)
            for method in ("global", "local")
        )
        assert result.loss <= best.loss
        assert result.suppressed <= 0.05 * rows
        classes = defaultdict(set)
        for *labels, value in zip(*(column.to_pylist() for column in result.table.columns), strict=True):
            classes[tuple(labels)].add(value)
        assert min(map(len, classes.values())) >= 2
        helped += result.loss < best.loss - 1e-12
    assert helped >= 0.8 * number, helped
