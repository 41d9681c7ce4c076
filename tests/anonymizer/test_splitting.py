"""Top-down splitting: what it makes is checked by definition, and the same steps make the same release again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizing_tasks import OF_SIZES, OF_VALUES, anonymized, tasks
from conftest import examples
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.local import rounds
from PETWorks.anonymizer.local.rounds import local_releases, recode_again
from PETWorks.anonymizer.local.sweep import NOT_RELEASED, Sweep, smallest_size
from PETWorks.anonymizer.local.tree import Splitter
from PETWorks.errors import NotApplicable


def problem_of(task):
    try:
        return anonymized(task)
    except NotApplicable:
        assume(False)


def labels_of(splitter, partition, row):
    """What a distinct row looks like in its class."""
    rows, levels = splitter.cube.base.rows, partition.levels[partition.of_row[row]].tolist()
    labels = []
    for name, level in zip(splitter.cube.lattice.columns, levels, strict=True):
        code = splitter.cube.codes_on_level(name, level)[rows.columns[name].codes[row]]
        labels.append((level, splitter.cube.on_level(name, level).values[code]))
    return tuple(labels)


def members(partition):
    classes = {}
    for row, own in enumerate(partition.of_row.tolist()):
        if own != NOT_RELEASED:
            classes.setdefault(own, set()).add(row)
    return classes


@examples(80)
@given(tasks(OF_SIZES | OF_VALUES, treatments=False), st.data())
def test_classes_are_divided_as_long_as_all_parts_keep_the_rules(task, data):
    """Every class looks the same throughout, keeps the rules, and cannot be divided further by one column."""
    task = replace(task, objective="granularity", aggregate=None, rules=[("k-anonymity", {"k": 3})])
    problem = problem_of(task).problem
    weights = problem.cube.base.rows.weights
    judge = Judge(problem.cube, problem.rules, problem.cube.records, problem.objective)
    splitter = Splitter(problem.cube, judge, problem.objective, smallest_size(judge), lambda: None)
    start = splitter.start(np.arange(len(weights)), data.draw(st.integers(0, 3)))
    assume(start is not None)
    found = splitter.split(start)
    classes = members(found)
    assert {row for rows in members(start).values() for row in rows} == {
        row for rows in classes.values() for row in rows
    }
    for rows in classes.values():
        assert len({labels_of(splitter, found, row) for row in rows}) == 1
        assert sum(int(weights[row]) for row in rows) >= 3
        for index, column in enumerate(problem.lattice.columns):
            level = int(found.levels[found.of_row[min(rows)], index])
            if level > problem.lattice.low[index]:
                codes = problem.cube.codes_on_level(column, level - 1)
                sizes = {}
                for row in rows:
                    part = int(codes[problem.cube.base.rows.columns[column].codes[row]])
                    sizes[part] = sizes.get(part, 0) + int(weights[row])
                large = [size for size in sizes.values() if size >= 3]
                small = sum(sizes.values()) - sum(large)
                can_leave = bool(large) and (small == 0 or small >= 3 or len(large) > 1)
                gains = 0 if not can_leave else saved(problem, index, level, rows)
                assert not can_leave or gains <= 1e-12, (column, level, sizes)


def saved(problem, index, level, rows):
    """What one level less in a column saves, over all rows of a class."""
    column = problem.lattice.columns[index]
    codes, by_value = problem.cube.base.rows.columns[column].codes, problem.objective.by_value[index]
    weight = problem.objective.weights[index]
    each = [by_value[on][problem.cube.codes_on_level(column, on)] for on in (level - 1, level)]
    return weight * max((each[0] - each[1])[codes[row]] for row in rows)


@examples(100)
@given(tasks(OF_SIZES | OF_VALUES), st.booleans(), st.sampled_from([None, 2, 3]))
def test_the_same_steps_make_the_same_release_whose_classes_keep_the_rules(task, sweeps_all, power):
    """Also where a full sweep is too long, so that the tree begins."""
    if task.objective == "non-uniform-entropy":
        task = replace(task, objective="granularity")
    best = problem_of(task)
    problem = best.problem
    judge = Judge(problem.cube, problem.rules, problem.cube.records, problem.objective)
    allowed = problem.max_suppressed if problem.cube.view.treatment["suppressed"] == "apart" else 0
    least = smallest_size(judge)
    fallback = Sweep.on_one_node(best.classes, best.suppressed_classes)
    with pytest.MonkeyPatch.context() as patch:
        if not sweeps_all:
            patch.setattr(rounds, "FULL_SWEEP", 0)
            patch.setattr(rounds, "FULL_SWEEP_OF_VALUES", 0)
        releases = list(local_releases(problem, judge, least, allowed, fallback, lambda _visited: None, power))
    for swept in releases:
        assert swept.suppressed <= allowed
        again = recode_again(problem, judge, swept.steps, allowed)
        assert again.nodes == swept.nodes
        assert again.on_node.tolist() == swept.on_node.tolist()
