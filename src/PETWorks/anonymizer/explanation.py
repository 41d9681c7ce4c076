"""Explanation of a choice of levels: what would break one level finer, the next-best levels, the cost of each rule."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from PETWorks.anonymizer.judging import records_failing
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.recoding import recoded_view
from PETWorks.anonymizer.rows import NodeClasses
from PETWorks.anonymizer.search.exact import NodeSearch, Solution

NEXT_BEST = 10
MOST_LOOKED_AT = 8 * (NEXT_BEST + 1)  # solutions to compare; several may group the values in the same way


@dataclass(frozen=True)
class Broken:
    """A rule that fails, and the number of records in failing classes; None if it is about the whole table."""

    rule: str
    records: int | None


@dataclass(frozen=True)
class ColumnReason:
    """A column, its level, and the effect of one level finer.

    finer_loss        the loss there; None if the rules cannot be satisfied
    finer_suppressed  the number of records suppressed there
    broken            if the rules cannot be satisfied, those that fail; all of them if each alone could be satisfied
    """

    column: str
    level: int
    height: int
    finer_loss: float | None = None
    finer_suppressed: int | None = None
    broken: tuple[Broken, ...] = ()


@dataclass(frozen=True)
class NextBest:
    """Other levels that satisfy the rules."""

    levels: dict[str, int]
    loss: float
    suppressed: int


@dataclass(frozen=True)
class RuleCost:
    """The least loss without a rule; None if the other rules cannot be satisfied either."""

    rule: str
    loss_without: float | None


@dataclass(frozen=True)
class Explanation:
    """The reasons for the chosen levels."""

    columns: tuple[ColumnReason, ...]
    next_best: tuple[NextBest, ...]
    rules: tuple[RuleCost, ...]

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain dicts, lists, numbers and texts."""
        return {
            "columns": [{**vars(column), "broken": [vars(rule) for rule in column.broken]} for column in self.columns],
            "next_best": [vars(solution) for solution in self.next_best],
            "rules": [vars(cost) for cost in self.rules],
        }


def explain_levels(problem: Problem, search: NodeSearch, best: Node, *, is_complete: bool) -> Explanation:
    """The full explanation; it needs further searches, unless the first one was stopped."""
    if not is_complete:
        return Explanation(column_reasons(problem, search, best), (), ())
    alternatives: list[Solution] = []
    wanted = NEXT_BEST + 1
    while len(alternatives) < NEXT_BEST and wanted <= MOST_LOOKED_AT:
        search.run(wanted)
        alternatives = _different(problem, search.solutions, best)
        wanted = wanted * 2 if len(search.solutions) >= wanted else MOST_LOOKED_AT + 1
    alternatives = alternatives[:NEXT_BEST]
    return Explanation(
        column_reasons(problem, search, best),
        tuple(
            NextBest(_levels(problem, solution.node, best), solution.loss, solution.suppressed)
            for solution in alternatives
        ),
        tuple(rule_costs(problem)),
    )


def _different(problem: Problem, solutions: list[Solution], best: Node) -> list[Solution]:
    """Solutions that group the values of the table in other ways than the best one and each other."""
    first: dict[tuple[int, ...], Solution] = {}
    for solution in solutions:
        first.setdefault(_groups(problem, solution.node), solution)
    first.pop(_groups(problem, best), None)
    return list(first.values())


def _groups(problem: Problem, node: Node) -> tuple[int, ...]:
    """The number of values of each column on a node: as levels nest, equal numbers mean equal groups."""
    return tuple(
        int(np.count_nonzero(problem.ground.on_level(column, level).counts))
        for column, level in zip(problem.lattice.columns, node, strict=True)
    )


def _levels(problem: Problem, node: Node, best: Node) -> dict[str, int]:
    """The levels of a node; a level that only repeats the best one, or a lower one, is replaced by that."""
    shown = {}
    for column, level, best_level, low in zip(problem.lattice.columns, node, best, problem.lattice.low, strict=True):
        groups = len(problem.ground.on_level(column, level).counts)
        same = [lower for lower in range(low, level) if len(problem.ground.on_level(column, lower).counts) == groups]
        repeats = len(problem.ground.on_level(column, best_level).counts) == groups
        shown[column] = best_level if repeats else min(same, default=level)
    return shown


def column_reasons(problem: Problem, search: NodeSearch, best: Node) -> tuple[ColumnReason, ...]:
    """For each column, the effect of one level finer; this needs no search."""
    return tuple(_reason(problem, search, best, place) for place in range(len(problem.lattice.columns)))


def _reason(problem: Problem, search: NodeSearch, best: Node, place: int) -> ColumnReason:
    column, level = problem.lattice.columns[place], best[place]
    height = problem.original.hierarchies[column].height
    if level == problem.lattice.low[place]:
        return ColumnReason(column, level, height)
    finer = (*best[:place], level - 1, *best[place + 1 :])
    classes = problem.ground.at(finer)
    judged = search.judge(classes)
    if judged.suppressed is not None:
        loss = problem.objective.loss(classes, judged.suppressed)
        return ColumnReason(column, level, height, loss, judged.records)
    return ColumnReason(column, level, height, broken=_broken(problem, search, classes))


def _broken(problem: Problem, search: NodeSearch, classes: NodeClasses) -> tuple[Broken, ...]:
    """The rules that fail on a node; rules about the whole table are tested after suppression for the others."""
    failing, _ = search.judge.failing(classes)
    if classes.records[failing].sum() > problem.most:
        failing = np.zeros_like(failing)
    of_the_table = [rule for rule in problem.rules if rule.is_about_the_table]
    view = recoded_view(classes, failing) if of_the_table else problem.ground.view
    broken = []
    for rule in problem.rules:
        records = records_failing(search.judge, classes, rule)
        if records or (rule.is_about_the_table and not rule.holds(view)):
            broken.append(Broken(rule.name, records or None))
    return tuple(broken) or tuple(Broken(rule.name, None) for rule in of_the_table or problem.rules)


def rule_costs(problem: Problem) -> list[RuleCost]:
    """For each rule, the least loss without it."""
    costs = []
    for rule in problem.rules:
        other_rules = tuple(other for other in problem.rules if other is not rule)
        search = problem.search(other_rules)
        search.run()
        costs.append(RuleCost(rule.name, None if search.best is None else search.best.loss))
    return costs
