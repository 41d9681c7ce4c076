"""The utility of a release compared with its original: losses, values, distributions, dependence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import asdict

from PETWorks.anonymizer.facts import ColumnKept, ObjectiveLoss, UtilityKept
from PETWorks.anonymizer.local.sweep import Sweep
from PETWorks.anonymizer.objectives import NOT_LOCAL, OBJECTIVES, Objective, make_objective
from PETWorks.anonymizer.problem import Problem, profitability_amounts
from PETWorks.anonymizer.recoding import NOT_RELEASED
from PETWorks.anonymizer.rows import Ground, NodeClasses
from PETWorks.anonymizer.rules import TaskRule
from PETWorks.counting.counts import Integers
from PETWorks.counting.view import View
from PETWorks.measures.classes import Mask
from PETWorks.measures.utility.fidelity import dependence
from PETWorks.tables.cells import SUPPRESSED

ROUNDING = 1e-12  # relative to the largest possible loss
LARGEST = 1e300  # largest loss of an objective, so that it stays finite


class Losses(NamedTuple):
    """The losses by each objective that applies, and the objectives that are not defined for such a release."""

    each: tuple[ObjectiveLoss, ...]
    undefined: tuple[str, ...] = ()


def losses(problem: Problem, classes: NodeClasses, suppressed: Mask) -> Losses:
    """The losses of a node with some of its classes suppressed, by every objective that applies."""
    untouched, everything = _original_classes(problem.ground), np.ones(len(suppressed), np.bool_)
    nothing = np.zeros(len(untouched.records), np.bool_)
    return Losses(
        tuple(
            _loss(
                name,
                objective.loss(untouched, nothing),
                objective.loss(classes, suppressed),
                objective.loss(classes, everything),
            )
            for name, objective in _objectives(problem)
        )
    )


def local_losses(problem: Problem, sweep: Sweep) -> Losses:
    """The losses of values on several levels, by the objectives that are defined for them.

    Classes are the records that look equal in the release; records whose cells are all `*` are in none.
    """
    ground = problem.ground
    untouched = _original_classes(ground)
    nothing, everything = (np.full(len(untouched.records), is_suppressed) for is_suppressed in (False, True))
    undefined = {NOT_LOCAL, "publisher-payout"} - {problem.objective_name}
    each = [(name, objective) for name, objective in _objectives(problem) if name not in undefined]
    return Losses(
        tuple(
            _loss(
                name,
                objective.loss(untouched, nothing),
                sweep.loss(objective),
                objective.loss(untouched, everything),
            )
            for name, objective in each
        ),
        tuple(name for name, _ in _objectives(problem) if name in undefined),
    )


def _loss(name: str, before: float, after: float, most: float) -> ObjectiveLoss:
    """A loss in which rounding errors around zero are removed."""
    nothing = ROUNDING * most
    return ObjectiveLoss(name, before if abs(before) > nothing else 0.0, after if abs(after) > nothing else 0.0, most)


def _original_classes(ground: Ground) -> NodeClasses:
    """The classes of the original table."""
    return NodeClasses(ground, (0,) * len(ground.lattice.columns), ground.base)


def _objectives(problem: Problem) -> Iterator[tuple[str, Objective]]:
    """The objective that was minimised, with its weights, and the others without weights."""
    ground, payout_amounts = problem.ground, profitability_amounts(problem.rules)
    leaves = [len(ground.view.hierarchies[column].leaves) for column in ground.lattice.columns]
    for name in OBJECTIVES:
        if name == problem.objective_name:
            yield name, problem.objective
        elif (name != "publisher-payout" or payout_amounts is not None) and (
            name != "ambiguity" or math.prod(leaves) * ground.records < LARGEST
        ):
            yield name, make_objective(ground, name, "geometric", [1.0] * len(leaves), payout_amounts)


Pair = tuple[str, str]


class TaskResult(NamedTuple):
    """The result of the user's function for the table and for the release; a rule if it has a limit."""

    function: str
    before: float
    after: float
    max_bias: float | None


class Utility(UtilityKept, frozen=True):
    """The utility of a release, with the results of the user's functions, which are not part of documents."""

    tasks: tuple[TaskResult, ...] = ()

    @property
    def correlation(self) -> tuple[float, float] | None:
        """The mean of Cramér's V over all pairs of columns, before and after; None without pairs."""
        if self.correlation_before is None or self.correlation_after is None:
            return None
        return self.correlation_before, self.correlation_after

    def to_dict(self) -> dict[str, Any]:
        """The utility as plain dicts, lists, numbers and texts."""
        return {
            "columns": [asdict(column) for column in self.columns],
            "values_kept": self.values_kept,
            "shift": self.shift,
            "correlation": None if self.correlation is None else list(self.correlation),
            "correlation_kept": self.correlation_kept,
            "losses": [asdict(loss) for loss in self.losses],
            "undefined": list(self.undefined),
            "tasks": [task._asdict() for task in self.tasks],
        }


def utility_of(sweep: Sweep, losses: Losses, tasks: Sequence[TaskRule], released: View | None) -> Utility:
    """The utility of a release; `released` is needed only for tasks."""
    ground = sweep.ground
    names, sensitive = ground.lattice.columns, _sensitive(sweep)
    changed = [_column_change(sweep, index) for index in range(len(names))]
    kept = correlations(sweep)
    sensitive_columns = [_sensitive_utility(sweep, name, kept) for name in sensitive]
    generalised = [
        ColumnKept(name, *numbers, _share_kept(kept, [pair for pair in kept if name in pair]))
        for name, numbers in zip(names, changed, strict=True)
    ]
    before, after = _mean(list(kept.values())) or (None, None)
    return Utility(
        sum(column.kept for column in generalised) / len(generalised),
        sum(column.shift for column in generalised) / len(generalised),
        before,
        after,
        _share_kept(kept, list(kept)),
        (*generalised, *sensitive_columns),
        losses.each,
        losses.undefined,
        tuple(_run_task(task, released) for task in tasks if released is not None),
    )


def correlations(sweep: Sweep) -> dict[Pair, tuple[float, float]]:
    """Cramér's V before and after, for the pairs of columns with a quasi-identifier."""
    ground = sweep.ground
    pairs = [
        (column, other)
        for column, other in combinations((*ground.lattice.columns, *_sensitive(sweep)), 2)
        if column in ground.lattice.columns
    ]
    both = zip(dependence(sweep.rows, pairs), dependence(sweep.recoded(), pairs), strict=True)
    return dict(zip(pairs, both, strict=True))


def _sensitive(sweep: Sweep) -> list[str]:
    """The sensitive attributes among the distinct rows; other engines leave out those that no rule needs."""
    return [name for name in sweep.ground.view.sensitive_attributes if name in sweep.rows.domains]


def _mean(both: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    if not both:
        return None
    return sum(before for before, _ in both) / len(both), sum(after for _, after in both) / len(both)


def _share_kept(kept: Mapping[Pair, tuple[float, float]], pairs: Sequence[Pair]) -> float | None:
    """One minus the absolute change of the dependence of pairs, relative to the original; at least 0."""
    original = sum(kept[pair][0] for pair in pairs)
    change = sum(abs(kept[pair][1] - kept[pair][0]) for pair in pairs)
    return max(1 - change / original, 0.0) if original > 0 else None


def _column_change(sweep: Sweep, index: int) -> tuple[int, int, float, float]:
    """Of a quasi-identifier: number of values before and after, share of unchanged cells, total variation."""
    ground, name = sweep.ground, sweep.ground.lattice.columns[index]
    column, records = sweep.rows.columns[name], sweep.by_level[index]
    labels = {level: _labels(sweep, name, level) for level in records}
    stays = sum(
        int(counts[[label == value for label, value in zip(labels[level], column.values, strict=True)]].sum())
        for level, counts in records.items()
    )
    after = {
        label
        for level, counts in records.items()
        for label, number in zip(labels[level], counts.tolist(), strict=True)
        if number
    }
    return (
        len(set(column.values) - {None, SUPPRESSED}),
        len(after - {None, SUPPRESSED}),
        (stays + ground.aside) / ground.records,
        _total_variation(sweep, name, records, labels),
    )


def _labels(sweep: Sweep, name: str, level: int) -> list[str | None]:
    """The label of each original value on a level; `*` for suppressed records."""
    if level == NOT_RELEASED:
        return [SUPPRESSED] * len(sweep.rows.columns[name].labels)
    values = sweep.ground.on_level(name, level).values
    return [values[code] for code in sweep.ground.codes_on_level(name, level).tolist()]


def _total_variation(
    sweep: Sweep, name: str, records: Mapping[int, Integers], labels: Mapping[int, list[str | None]]
) -> float:
    """The total variation between all records and those that retain their label, on the most common level."""
    levels = [level for level in records if level != NOT_RELEASED]
    if not levels:
        return 1.0
    common = max(levels, key=lambda level: (int(records[level].sum()), level))
    retained = np.zeros(len(sweep.rows.columns[name].labels), np.int64)
    for level in levels:
        has_label: Mask = np.array(
            [level <= common or label == wanted for label, wanted in zip(labels[level], labels[common], strict=True)]
        )
        retained += np.where(has_label, records[level], 0)
    codes = sweep.ground.codes_on_level(name, common)
    before, after = (np.bincount(codes, counts) for counts in (sum(records.values()), retained))
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def _sensitive_utility(sweep: Sweep, name: str, kept: Mapping[Pair, tuple[float, float]]) -> ColumnKept:
    """The utility of a sensitive attribute: its cells stay, unless their record leaves the table."""
    correlation = _share_kept(kept, [pair for pair in kept if name in pair])
    marginal = sweep.ground.view.marginal(name)
    values = len(set(marginal.values) - {None, SUPPRESSED})
    if not sweep.ground.removes:
        return ColumnKept(name, values, values, 1.0, 0.0, correlation)
    column, weights, is_released = sweep.rows.columns[name], sweep.rows.weights, sweep.on_node != NOT_RELEASED
    assert weights is not None
    counts = np.bincount(column.codes[is_released], weights[is_released], len(column.labels))
    after = {value: count for value, count in zip(column.values, counts.tolist(), strict=True) if count}
    before = dict(zip(marginal.values, marginal.counts.tolist(), strict=True))
    total = sum(after.values())
    shift = sum(abs(after.get(value, 0) / total - number / marginal.records) for value, number in before.items()) / 2
    share = total / marginal.records
    return ColumnKept(name, values, len(set(after) - {None, SUPPRESSED}), share, shift, correlation)


def _run_task(task: TaskRule, released: View) -> TaskResult:
    """Run a task and report its results."""
    result = task.measure_release(released)
    before, after = result.details["original"], result.details["released"]
    return TaskResult(result.parameters["function"], before, after, result.parameters["max_bias"])
