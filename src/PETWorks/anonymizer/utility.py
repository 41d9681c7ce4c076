"""What a release is still worth beside its original: losses by every objective, values, distributions, dependence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from PETWorks.anonymizer.local import Sweep
from PETWorks.anonymizer.objectives import NOT_LOCAL, OBJECTIVES, Objective, make_objective
from PETWorks.anonymizer.problem import Problem, amounts
from PETWorks.anonymizer.recoding import LEFT
from PETWorks.anonymizer.rows import Ground, NodeClasses
from PETWorks.anonymizer.rules import TaskRule
from PETWorks.counting.counts import Integers
from PETWorks.counting.view import View
from PETWorks.measures.classes import Mask
from PETWorks.measures.utility.fidelity import dependence
from PETWorks.tables.cells import SUPPRESSED

ROUNDING = 1e-12  # of what can be lost
LARGEST = 1e300  # what an objective may come to, so that it is a finite number


@dataclass(frozen=True)
class Loss:
    """What is lost by an objective: of the table as it was, of the release, and if every record were suppressed."""

    objective: str
    before: float
    after: float
    most: float


class Losses(NamedTuple):
    """What is lost by each objective that applies, and the objectives that are not defined for such a release."""

    each: tuple[Loss, ...]
    undefined: tuple[str, ...] = ()


def losses(problem: Problem, classes: NodeClasses, suppressed: Mask) -> Losses:
    """What a node loses, some of its classes suppressed, by every objective that applies."""
    untouched, everything = _untouched(problem.ground), np.ones(len(suppressed), np.bool_)
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
    """The same for values on several levels, by the objectives that are defined for them.

    Records lose their own part; classes are what looks equal, and records of which every cell is `*` are in none.
    """
    ground = problem.ground
    untouched = _untouched(ground)
    nothing, everything = (np.full(len(untouched.records), is_suppressed) for is_suppressed in (False, True))
    undefined = {NOT_LOCAL, "publisher-payout"} - {problem.objective_name}
    each = [(name, objective) for name, objective in _objectives(problem) if name not in undefined]
    return Losses(
        tuple(
            _loss(name, one.loss(untouched, nothing), sweep.loss(one), one.loss(untouched, everything))
            for name, one in each
        ),
        tuple(name for name, _ in _objectives(problem) if name in undefined),
    )


def _loss(name: str, before: float, after: float, most: float) -> Loss:
    """A loss without what rounding has left of nothing."""
    nothing = ROUNDING * most
    return Loss(name, before if abs(before) > nothing else 0.0, after if abs(after) > nothing else 0.0, most)


def _untouched(ground: Ground) -> NodeClasses:
    """The table as it was."""
    return NodeClasses(ground, (0,) * len(ground.lattice.columns), ground.base)


def _objectives(problem: Problem) -> Iterator[tuple[str, Objective]]:
    """The objective that was minimised, with its weights; the others without any."""
    ground, money = problem.ground, amounts(problem.rules)
    leaves = [len(ground.view.hierarchies[column].leaves) for column in ground.lattice.columns]
    for name in OBJECTIVES:
        if name == problem.objective_name:
            yield name, problem.objective
        elif (name != "publisher-payout" or money is not None) and (
            name != "ambiguity" or math.prod(leaves) * ground.records < LARGEST
        ):
            yield name, make_objective(ground, name, "geometric", [1.0] * len(leaves), money)


Pair = tuple[str, str]


@dataclass(frozen=True)
class ColumnUtility:
    """What is left of a column.

    values_before, values_after   how many different values it has; missing and `*` are none
    kept                          share of the cells whose value is unchanged
    shift                         total variation between all records and those that still tell their value, on a level
    correlation_kept              how much of its dependence on other columns is left; None if there was none
    """

    column: str
    values_before: int
    values_after: int
    kept: float
    shift: float
    correlation_kept: float | None


@dataclass(frozen=True)
class TaskResult:
    """What a function of the user's finds in the table and in the release; a rule if it has a limit."""

    function: str
    before: float
    after: float
    max_bias: float | None


@dataclass(frozen=True)
class Utility:
    """What a release is still worth.

    columns            quasi-identifiers, and sensitive attributes: their cells stay, their dependence need not
    values_kept        share of the cells of quasi-identifiers that are unchanged
    shift              the mean over the quasi-identifiers
    correlation        the mean of Cramér's V over all pairs of columns, before and after; None without pairs
    correlation_kept   how little it has moved, pair by pair; None if there was no dependence
    losses             what is lost by each objective that applies
    undefined          objectives that are not defined for values on several levels
    tasks              what functions of the user's find
    """

    columns: tuple[ColumnUtility, ...]
    values_kept: float
    shift: float
    correlation: tuple[float, float] | None
    correlation_kept: float | None
    losses: tuple[Loss, ...]
    undefined: tuple[str, ...]
    tasks: tuple[TaskResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dicts, lists, numbers and texts."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def utility_of(sweep: Sweep, losses: Losses, tasks: Sequence[TaskRule], released: View | None) -> Utility:
    """What is left of a table; `released` is needed for tasks alone."""
    ground = sweep.ground
    names, sensitive = ground.lattice.columns, _sensitive(sweep)
    changed = [_changed(sweep, place) for place in range(len(names))]
    kept = correlations(sweep)
    still = [_unchanged(sweep, name, kept) for name in sensitive]
    own = [
        ColumnUtility(name, *numbers, _share_kept(kept, [pair for pair in kept if name in pair]))
        for name, numbers in zip(names, changed, strict=True)
    ]
    return Utility(
        (*own, *still),
        sum(one.kept for one in own) / len(own),
        sum(one.shift for one in own) / len(own),
        _mean(list(kept.values())),
        _share_kept(kept, list(kept)),
        losses.each,
        losses.undefined,
        tuple(_found(task, released) for task in tasks if released is not None),
    )


def correlations(sweep: Sweep) -> dict[Pair, tuple[float, float]]:
    """Cramér's V before and after, of the pairs of columns with a quasi-identifier."""
    ground = sweep.ground
    pairs = [
        (one, other)
        for one, other in combinations((*ground.lattice.columns, *_sensitive(sweep)), 2)
        if one in ground.lattice.columns
    ]
    both = zip(dependence(sweep.rows, pairs), dependence(sweep.recoded(), pairs), strict=True)
    return dict(zip(pairs, both, strict=True))


def _sensitive(sweep: Sweep) -> list[str]:
    """The sensitive attributes that the distinct rows have: another engine leaves them out if no rule looks at them."""
    return [name for name in sweep.ground.view.sensitive_attributes if name in sweep.rows.domains]


def _mean(both: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    return (sum(one[0] for one in both) / len(both), sum(one[1] for one in both) / len(both)) if both else None


def _share_kept(kept: Mapping[Pair, tuple[float, float]], pairs: Sequence[Pair]) -> float | None:
    """One less what the dependence of pairs has moved, up or down, as a share of what there was; at least 0."""
    there = sum(kept[pair][0] for pair in pairs)
    moved = sum(abs(kept[pair][1] - kept[pair][0]) for pair in pairs)
    return max(1 - moved / there, 0.0) if there > 0 else None


def _changed(sweep: Sweep, place: int) -> tuple[int, int, float, float]:
    """Of a quasi-identifier: values before and after, the share of cells that are unchanged, total variation."""
    ground, name = sweep.ground, sweep.ground.lattice.columns[place]
    column, records = sweep.rows.columns[name], sweep.by_level[place]
    labels = {level: _labels(sweep, name, level) for level in records}
    stays = sum(
        int(own[[label == value for label, value in zip(labels[level], column.values, strict=True)]].sum())
        for level, own in records.items()
    )
    after = {
        label for level, own in records.items() for label, some in zip(labels[level], own.tolist(), strict=True) if some
    }
    return (
        len(set(column.values) - {None, SUPPRESSED}),
        len(after - {None, SUPPRESSED}),
        (stays + ground.aside) / ground.records,
        _total_variation(sweep, name, records, labels),
    )


def _labels(sweep: Sweep, name: str, level: int) -> list[str | None]:
    """What each original value is on a level; `*` if it is suppressed."""
    if level == LEFT:
        return [SUPPRESSED] * len(sweep.rows.columns[name].labels)
    values = sweep.ground.on_level(name, level).values
    return [values[code] for code in sweep.ground.codes_on_level(name, level).tolist()]


def _total_variation(
    sweep: Sweep, name: str, records: Mapping[int, Integers], labels: Mapping[int, list[str | None]]
) -> float:
    """Between all records and those that say their label, on the level that most of them are on."""
    levels = [level for level in records if level != LEFT]
    if not levels:
        return 1.0
    common = max(levels, key=lambda level: (int(records[level].sum()), level))
    told = np.zeros(len(sweep.rows.columns[name].labels), np.int64)
    for level in levels:
        says: Mask = np.array(
            [level <= common or own == wanted for own, wanted in zip(labels[level], labels[common], strict=True)]
        )
        told += np.where(says, records[level], 0)
    codes = sweep.ground.codes_on_level(name, common)
    before, after = (np.bincount(codes, counts) for counts in (sum(records.values()), told))
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def _unchanged(sweep: Sweep, name: str, kept: Mapping[Pair, tuple[float, float]]) -> ColumnUtility:
    """A sensitive attribute: its cells stay, unless their record leaves the table; that may shift its distribution."""
    correlation = _share_kept(kept, [pair for pair in kept if name in pair])
    marginal = sweep.ground.view.marginal(name)
    values = len(set(marginal.values) - {None, SUPPRESSED})
    if not sweep.ground.removes:
        return ColumnUtility(name, values, values, 1.0, 0.0, correlation)
    column, weights, left = sweep.rows.columns[name], sweep.rows.weights, sweep.on_node != LEFT
    assert weights is not None
    counts = np.bincount(column.codes[left], weights[left], len(column.labels))
    stay = {value: count for value, count in zip(column.values, counts.tolist(), strict=True) if count}
    before = dict(zip(marginal.values, marginal.counts.tolist(), strict=True))
    total = sum(stay.values())
    shift = sum(abs(stay.get(value, 0) / total - had / marginal.records) for value, had in before.items()) / 2
    share = total / marginal.records
    return ColumnUtility(name, values, len(set(stay) - {None, SUPPRESSED}), share, shift, correlation)


def _found(task: TaskRule, released: View) -> TaskResult:
    found = task.found(released)
    before, after = found.details["original"], found.details["released"]
    return TaskResult(found.parameters["function"], before, after, found.parameters["max_bias"])
