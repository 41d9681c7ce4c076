"""Explanation of a choice of levels: what would break one level finer, the next-best levels, the cost of each rule."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import asdict

from PETWorks.about.hierarchies.declaration import level_description
from PETWorks.anonymizer.anonymization_facts import BrokenRule, ColumnLevel, CostOfRule, OtherLevels
from PETWorks.anonymizer.data_cube import NodeClasses
from PETWorks.anonymizer.judge import records_failing
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.recoding import recoded_view
from PETWorks.anonymizer.search.exact import NodeSearch, Required, Solution

NEXT_BEST = 10
LOOKED_AT = 8  # solutions to compare for each that is wanted; several may group the values in the same way


class NextBest(NamedTuple):
    """Other levels that satisfy the rules."""

    levels: dict[str, int]
    loss: float
    suppressed: int


@dataclass(frozen=True)
class Explanation:
    """The reasons for the chosen levels: the effect of one level finer, other levels, and the cost of each rule."""

    columns: tuple[ColumnLevel, ...]
    other_levels: tuple[OtherLevels, ...] = ()
    rules: tuple[CostOfRule, ...] = ()

    @property
    def next_best(self) -> tuple[NextBest, ...]:
        """The other levels, by column."""
        names = [column.column for column in self.columns]
        return tuple(
            NextBest(dict(zip(names, other.levels, strict=True)), other.loss, other.suppressed)
            for other in self.other_levels
        )

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain dicts, lists, numbers and texts."""
        names = ("column", "level", "height", "finer_loss", "finer_suppressed")
        return {
            "columns": [
                {name: getattr(column, name) for name in names} | {"broken": [asdict(rule) for rule in column.broken]}
                for column in self.columns
            ],
            "next_best": [solution._asdict() for solution in self.next_best],
            "rules": [asdict(cost) for cost in self.rules],
        }


def explain_levels(problem: Problem, search: NodeSearch, best: Node, *, is_complete: bool) -> Explanation:
    """The full explanation; it needs further searches, unless the first one was stopped."""
    columns = column_reasons(problem, search, best)
    if not is_complete:
        return Explanation(columns)
    alternatives = next_best_levels(problem, search, best, NEXT_BEST)
    return Explanation(
        columns,
        tuple(
            OtherLevels(_levels(problem, solution.node, best), solution.loss, solution.suppressed)
            for solution in alternatives
        ),
        tuple(rule_costs(problem, search.required)),
    )


def next_best_levels(problem: Problem, search: NodeSearch, best: Node, number: int) -> list[Solution]:
    """The levels with the least loss after the best ones that group the values in other ways."""
    alternatives: list[Solution] = []
    wanted, most = number + 1, LOOKED_AT * (number + 1)
    while len(alternatives) < number and wanted <= most:
        search.run(wanted)
        alternatives = _different(problem, search.solutions, best)
        wanted = wanted * 2 if len(search.solutions) >= wanted else most + 1
    return alternatives[:number]


def _different(problem: Problem, solutions: list[Solution], best: Node) -> list[Solution]:
    """Solutions that group the values of the table in other ways than the best one and each other."""
    first: dict[tuple[int, ...], Solution] = {}
    for solution in solutions:
        first.setdefault(_groups(problem, solution.node), solution)
    first.pop(_groups(problem, best), None)
    return list(first.values())


def _groups(problem: Problem, node: Node) -> tuple[int, ...]:
    """The number of groups of each column on a node."""
    return tuple(_number_of_groups(problem, *level) for level in zip(problem.lattice.columns, node, strict=True))


def _number_of_groups(problem: Problem, column: str, level: int) -> int:
    """The number of values that records have on a level: as levels nest, equal numbers mean equal groups."""
    return int(np.count_nonzero(problem.cube.on_level(column, level).counts))


def _levels(problem: Problem, node: Node, best: Node) -> Node:
    """The levels of a node; a level that only repeats the best one, or a lower one, is replaced by that."""
    shown = []
    for column, level, best_level, low in zip(problem.lattice.columns, node, best, problem.lattice.low, strict=True):
        groups = _number_of_groups(problem, column, level)
        same = [lower for lower in range(low, level) if _number_of_groups(problem, column, lower) == groups]
        repeats = _number_of_groups(problem, column, best_level) == groups
        shown.append(best_level if repeats else min(same, default=level))
    return tuple(shown)


def column_reasons(problem: Problem, search: NodeSearch, best: Node) -> tuple[ColumnLevel, ...]:
    """For each column, the effect of one level finer; this needs no search.

    If the rules cannot be satisfied there, it names those that fail, or all of them if each alone could be satisfied.
    """
    return tuple(
        ColumnLevel(
            column,
            level,
            problem.original.hierarchies[column].height,
            **_finer(problem, search, best, index),
            allowed_levels=problem.allowed_levels.get(column),
            weight=problem.weights.get(column),
            named=level_description(problem.original.declared.get(column), level),
        )
        for index, (column, level) in enumerate(zip(problem.lattice.columns, best, strict=True))
    )


def _finer(problem: Problem, search: NodeSearch, best: Node, index: int) -> dict[str, Any]:
    """The effect of one level finer for the column at `index`."""
    level = best[index]
    if level == problem.lattice.low[index]:
        return {}
    classes = problem.cube.at((*best[:index], level - 1, *best[index + 1 :]))
    judged = search.judge(classes)
    if judged.suppressed is None:
        return {"broken": _broken(problem, search, classes)}
    loss = problem.objective.loss(classes, judged.suppressed)
    return {"finer_loss": loss, "finer_suppressed": judged.records}


def _broken(problem: Problem, search: NodeSearch, classes: NodeClasses) -> tuple[BrokenRule, ...]:
    """The rules that fail on a node; rules about the whole table are tested after suppression for the others."""
    failing, _ = search.judge.failing(classes)
    if classes.records[failing].sum() > problem.max_suppressed:
        failing = np.zeros_like(failing)
    of_the_table = [rule for rule in problem.rules if rule.is_about_the_table]
    view = recoded_view(classes, failing) if of_the_table else problem.cube.view
    broken = []
    for rule in problem.rules:
        records = records_failing(search.judge, classes, rule)
        if records or (rule.is_about_the_table and not rule.holds(view)):
            broken.append(BrokenRule(rule.name, records or None))
    return tuple(broken) or tuple(BrokenRule(rule.name, None) for rule in of_the_table or problem.rules)


def rule_costs(problem: Problem, required: Required) -> list[CostOfRule]:
    """For each rule, the least loss without it, of nodes that are as required."""
    costs = []
    for rule in problem.rules:
        other_rules = tuple(other for other in problem.rules if other is not rule)
        search = problem.search(other_rules)
        search.require(required)
        search.run()
        costs.append(CostOfRule(rule.name, None if search.best is None else search.best.loss))
    return costs
