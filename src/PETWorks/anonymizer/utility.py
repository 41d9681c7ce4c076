"""The utility of a release compared with its original: losses, and the information left in each column."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import asdict

from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.anonymizer.anonymization_facts import ColumnKept, ObjectiveLoss, UtilityKept
from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.local.sweep import Sweep
from PETWorks.anonymizer.objectives import NOT_LOCAL, OBJECTIVES, Objective, make_objective
from PETWorks.anonymizer.problem import Problem, profitability_amounts
from PETWorks.anonymizer.recoding import NOT_RELEASED
from PETWorks.anonymizer.rules import TaskRule
from PETWorks.counting.counts import Integers, Marginal
from PETWorks.counting.view import View
from PETWorks.measures.classes import Mask
from PETWorks.tables.cells import SUPPRESSED

ROUNDING = 1e-12  # relative to the largest possible loss
LARGEST = 1e300  # largest loss of an objective, so that it stays finite


class Losses(NamedTuple):
    """The losses by each objective that applies, and the objectives that are not defined for such a release."""

    each: tuple[ObjectiveLoss, ...]
    undefined: tuple[str, ...] = ()


def losses(problem: Problem, classes: NodeClasses, suppressed: Mask) -> Losses:
    """The losses of a node with some of its classes suppressed, by every objective that applies."""
    untouched, everything = _original_classes(problem.cube), np.ones(len(suppressed), np.bool_)
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
    cube = problem.cube
    untouched = _original_classes(cube)
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


def _original_classes(cube: DataCube) -> NodeClasses:
    """The classes of the original table."""
    return NodeClasses(cube, (0,) * len(cube.lattice.columns), cube.base)


def _objectives(problem: Problem) -> Iterator[tuple[str, Objective]]:
    """The objective that was minimised, with its weights, and the others without weights."""
    cube, payout_amounts = problem.cube, profitability_amounts(problem.rules)
    leaves = [len(cube.view.hierarchies[column].leaves) for column in cube.lattice.columns]
    for name in OBJECTIVES:
        if name == problem.objective_name:
            yield name, problem.objective
        elif (name != "publisher-payout" or payout_amounts is not None) and (
            name != "ambiguity" or math.prod(leaves) * cube.records < LARGEST
        ):
            yield name, make_objective(cube, name, "geometric", [1.0] * len(leaves), payout_amounts)


class TaskResult(NamedTuple):
    """The result of the user's function for the table and for the release; a rule if it has a limit."""

    function: str
    before: float
    after: float
    max_bias: float | None


class Utility(UtilityKept, frozen=True):
    """The utility of a release, with the results of the user's functions, which are not part of documents."""

    tasks: tuple[TaskResult, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The utility as plain dicts, lists, numbers and texts."""
        return {
            "columns": [column.to_dict() for column in self.columns],
            "information_kept": self.information_kept,
            "shift": self.shift,
            "losses": [asdict(loss) for loss in self.losses],
            "undefined": list(self.undefined),
            "tasks": [task._asdict() for task in self.tasks],
        }


def utility_of(sweep: Sweep, losses: Losses, tasks: Sequence[TaskRule], released: View | None) -> Utility:
    """The utility of a release; `released` is needed only for tasks."""
    generalised = [_generalised_column(sweep, index) for index in range(len(sweep.cube.lattice.columns))]
    shares = [column.information_kept for column in generalised if column.information_kept is not None]
    return Utility(
        shift=sum(column.shift for column in generalised) / len(generalised),
        columns=(*generalised, *(_sensitive_column(sweep, name) for name in _sensitive_columns(sweep))),
        losses=losses.each,
        information_kept=sum(shares) / len(shares) if shares else None,
        undefined=losses.undefined,
        tasks=tuple(_run_task(task, released) for task in tasks if released is not None),
    )


def _sensitive_columns(sweep: Sweep) -> list[str]:
    """The sensitive attributes among the distinct rows; other engines leave out those that no rule needs."""
    return [name for name in sweep.cube.view.sensitive_attributes if name in sweep.rows.domains]


def _generalised_column(sweep: Sweep, index: int) -> ColumnKept:
    """The information left in a quasi-identifier."""
    cube, name = sweep.cube, sweep.cube.lattice.columns[index]
    column, records = sweep.rows.columns[name], sweep.by_level[index]
    parts = []
    for level, counts in records.items():
        if level != NOT_RELEASED:
            parts.append((counts, cube.codes_on_level(name, level)))
        elif not cube.removes:
            parts.append((counts, np.zeros(len(counts), np.int64)))  # `*` may be any value
    return column_kept(name, column.values, np.asarray(sum(records.values())), parts)


def _sensitive_column(sweep: Sweep, name: str) -> ColumnKept:
    """The information left in a sensitive attribute: its cells stay, unless their record leaves the table."""
    cube, column, weights = sweep.cube, sweep.rows.columns[name], sweep.rows.weights
    assert weights is not None
    marginal = cube.view.marginal(name)  # with the records that were suppressed before
    counts = marginal.by_value
    before = after = np.array([counts.get(value, 0) for value in column.values], np.int64)
    if cube.removes:
        stay = sweep.on_node != NOT_RELEASED
        after = np.bincount(column.codes[stay], weights[stay], len(before)).astype(np.int64)
    return column_kept(name, column.values, before, [(after, np.arange(len(before)))])


def column_kept(
    name: str, values: Sequence[str | None], before: Integers, parts: Sequence[tuple[Integers, Integers]]
) -> ColumnKept:
    """The information in the released cells of a column, by the values that each may stand for.

    values   the original values; cells that were missing or `*` had no information before, and are left out
    before   the number of records with each
    parts    of the released records on each level: the number with each original value, and the code of each value on
             that level; a cell may stand for all values with its code
    """
    is_known = np.array([value is not None and value != SUPPRESSED for value in values]) & (before > 0)
    known, number = before[is_known], int(is_known.sum())
    records = int(known.sum())
    if not records:
        return ColumnKept(name, 0, 0.0)
    bits, meanings, released, spread = 0.0, 0, 0, np.zeros(number)
    for counts, codes in ((counts[is_known], codes[is_known]) for counts, codes in parts):
        alike = np.bincount(codes, known)[codes]  # original records with any of the values
        possible = np.bincount(codes)[codes]
        bits += float(counts @ np.log2(records / alike))
        meanings += int(counts @ possible)
        released += int(counts.sum())
        spread += np.bincount(codes, counts)[codes] / possible
    bits_before = float(known @ np.log2(records / known))
    return ColumnKept(
        name,
        number,
        float(np.abs(known / records - spread / released).sum() / 2) if released else 1.0,
        meanings / released if released else None,
        min(bits / bits_before, 1.0) if number > 1 else None,
    )


def information_kept(
    before: Marginal, after: Marginal, hierarchy: Hierarchy | None, level: int | None = None
) -> float | None:
    """The share of the information of a column that its released cells still have; None if that is not known.

    A cell that may stand for a share p of the known original cells tells log2(1/p) bits; missing cells and `*` none.
    Without a hierarchy, a new label counts by its own share: at most, if some records were generalised further.

    level   the level of the column, if all of it is on one
    """
    original, released = _known_counts(before), _known_counts(after)
    total = sum(original.values())
    if len(original) < 2:
        return None
    alike: Mapping[str, float] = original
    if hierarchy is not None:
        levels = {label: hierarchy.level(label) if level is None else level for label in released}
        if None in levels.values():
            return None
        alike = _records_alike(original, levels, hierarchy)
    elif len(released) > len(original):
        return None  # the labels do not follow from the values
    else:
        left = sum(released.values())
        alike = {label: original.get(label, total * count / left) for label, count in released.items()}
    bits = sum(count * math.log2(total / alike[label]) for label, count in released.items() if alike[label])
    return min(bits / sum(count * math.log2(total / count) for count in original.values()), 1.0)


def _known_counts(marginal: Marginal) -> dict[str, int]:
    """The number of records with each value; missing and suppressed cells are left out."""
    counted = zip(marginal.values, marginal.counts.tolist(), strict=True)
    return {value: count for value, count in counted if value is not None and value != SUPPRESSED and count}


def _records_alike(
    original: Mapping[str, int], levels: Mapping[str, int | None], hierarchy: Hierarchy
) -> dict[str, int]:
    """For each label, given with its level, the number of original records whose value it may stand for."""
    places = {value: place for value in original if (place := hierarchy.place(value)) is not None}
    alike = dict.fromkeys(levels, 0)
    for level in set(levels.values()):
        assert level is not None
        for value, count in original.items():
            own, leaf = places.get(value, (hierarchy.height, 0))
            label = hierarchy.levels[level][leaf] if own <= level else value
            if levels.get(label) == level:
                alike[label] += count
    return alike


def _run_task(task: TaskRule, released: View) -> TaskResult:
    """Run a task and report its results."""
    result = task.measure_release(released)
    before, after = result.details["original"], result.details["released"]
    return TaskResult(result.parameters["function"], before, after, result.parameters["max_bias"])
