"""By which few quasi-identifiers the records of a class stand out, on the levels of a node."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.objectives import Objective
from PETWorks.anonymizer.rules import Rule
from PETWorks.counting.counts import Integers
from PETWorks.counting.rolling import RolledUp
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.measures.attacks.smallest_sets import SmallestSets, smallest_sets
from PETWorks.measures.class_tests import ClassTest, Mask


def standing_out(
    classes: NodeClasses, which: Mask, rules: Sequence[Rule], broken: NDArray[np.bool_], objective: Objective
) -> SmallestSets:
    """For each of some classes, the smallest set by which its records are in a group that breaks a rule.

    A group are the records with the same values in these columns. The rule is one that the class itself breaks; where
    it breaks none, the group has no more records than the class.

    broken   for each rule, which of the classes break it
    """
    tests = [test for rule in rules for test in rule.tests(classes.ground.view)]
    rows = _with_what_tests_see(classes, tests)
    _, first = np.unique(rows._packed(classes.columns).keys, return_index=True)
    first, sizes = first[which], classes.sizes[which]
    breaks_none = np.asarray(~broken.any(axis=0))

    def stands_out(chosen: tuple[str, ...], items: Integers) -> Mask:
        groups = _grouped_by(classes, rows, chosen)
        judge = Judge(groups.ground, rules, 0, objective)
        known, keys = groups.rows._classes(chosen).keys, groups.rows._packed(chosen).keys
        own = np.searchsorted(known, keys[first[items]])
        hit = breaks_none[items] & (groups.sizes[own] <= sizes[items])
        for rule, breaking in zip(rules, broken[:, items], strict=True):
            if breaking.any():
                hit |= breaking & judge.failing(groups, [rule])[0][own]
        return hit

    columns = classes.columns
    if not any(test.background for test in tests):  # a column that has one value tells nothing, unless to another table
        columns = tuple(name for name in columns if len(np.unique(rows.columns[name].codes)) > 1) or columns[:1]
    return smallest_sets(columns, len(first), len(rows.columns[columns[0]].codes), stands_out)


def _with_what_tests_see(classes: NodeClasses, tests: Sequence[ClassTest]) -> WeightedRows:
    """The rows of a node with no other columns than the tests look at."""
    view, rows = classes.ground.view, classes.rows
    values = any(test.sensitive is not None for test in tests)
    names = [*classes.columns, *(view.sensitive_attributes if values else ()), *([rows.unit] if rows.unit else ())]
    columns = {name: rows.columns[name] for name in dict.fromkeys(names)}
    if len(columns) == len(rows.columns):
        return WeightedRows(columns, rows.unit, rows.weights, whole=False)
    return WeightedRows(columns, rows.unit, rows.weights, whole=False).distinct()


def _grouped_by(classes: NodeClasses, rows: WeightedRows, chosen: tuple[str, ...]) -> NodeClasses:
    """The groups that some of the columns make: the classes of a table with no other quasi-identifiers."""
    whole, levels = classes.ground, classes.ground.lattice.levels(classes.node)
    node = tuple(levels[name] for name in chosen)
    ground: Ground = replace(
        whole, view=replace(whole.view, quasi_identifiers=chosen), lattice=Lattice(chosen, node, node)
    )
    names = [*chosen, *(name for name in rows.columns if name not in classes.columns)]
    some = WeightedRows({name: rows.columns[name] for name in names}, rows.unit, rows.weights, whole=False)
    return NodeClasses(ground, node, RolledUp(whole.base.lattice, some, dict(zip(chosen, node, strict=True))))
