"""Apply a plan to another table: records without a place or in failing classes are suppressed."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from PETWorks.about.treatment import APART
from PETWorks.anonymizer.class_means import check_show
from PETWorks.anonymizer.data_cube import NodeClasses, with_original
from PETWorks.anonymizer.judge import Judge, records_failing
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local.rounds import recode_again
from PETWorks.anonymizer.local.sweep import LocalSteps, Sweep
from PETWorks.anonymizer.plan import Method, Plan, make_plan
from PETWorks.anonymizer.problem import SearchSettings, make_problem
from PETWorks.anonymizer.recoding import Recoder
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import Rule
from PETWorks.counting.codes import suppress_cells
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.release import Release, copy_release
from PETWorks.errors import NotApplicable
from PETWorks.measures.classes import Mask
from PETWorks.tables.cells import SUPPRESSED


@dataclass(frozen=True)
class PlannedSearch:
    """The part of a plan that says how the table is recoded: the settings of the search, and its result.

    steps   the levels of the search, and how local recoding used them
    show    by column, what classes show instead of labels
    """

    settings: SearchSettings
    steps: LocalSteps
    show: Mapping[str, str]

    @property
    def is_on_one_node(self) -> bool:
        """Whether all records are on the same levels."""
        return len(self.steps.nodes) == 1 and self.steps.lowest is None


@dataclass(frozen=True)
class PlanTable:
    """The table that the plan was made for: its records, suppressed records and loss."""

    records: int
    suppressed: int
    loss: float


@dataclass(frozen=True)
class WithoutPlace:
    """The number of values of a column that are missing from its hierarchy, and of records with such values."""

    values: int
    records: int


@dataclass(frozen=True, eq=False)
class Replayed(Recoded):
    """A table on the levels of a plan.

    then             the table that the plan was made for
    loss             the loss of this table, by the objective of the plan
    without_place    the columns with values that are missing from their hierarchy
    not_placed       number of records suppressed because of such values
    failing          for each rule, the number of records in classes that fail it; None if it does not test classes, or
                     for local recoding
    missing_columns  columns of the plan that the table lacks and does not need
    """

    sweep: Sweep | None
    then: PlanTable
    loss: float
    without_place: Mapping[str, WithoutPlace]
    not_placed: int
    failing: Mapping[str, int | None]
    missing_columns: tuple[str, ...] = ()

    @property
    def levels(self) -> dict[str, Any]:
        """The level of each quasi-identifier; the levels in use for local recoding."""
        if self.sweep is None:
            return super().levels
        used = np.array(self.sweep.nodes, np.int64).reshape(-1, len(self.classes.columns))
        return {name: tuple(np.unique(used[:, index]).tolist()) for index, name in enumerate(self.classes.columns)}

    @cached_property
    def suppressed(self) -> int:
        """The number of suppressed records, without those that were suppressed in the input."""
        by_rules = (
            int(self.classes.records[self.suppressed_classes].sum()) if self.sweep is None else self.sweep.suppressed
        )
        return by_rules + self.not_placed

    @property
    def within_the_limit(self) -> bool:
        """Whether no more records are suppressed than the plan allows."""
        return self.suppressed <= self.problem.max_suppressed

    @cached_property
    def satisfied_by_rule(self) -> dict[str, bool]:
        """Whether the release satisfies each rule, by name."""
        return {rule.name: rule.holds(self.release.view) for rule in self.problem.rules}

    @property
    def satisfied(self) -> bool:
        """Whether the release satisfies every rule."""
        return all(self.satisfied_by_rule.values())

    @property
    def verdicts(self) -> dict[str, bool]:
        """The earlier name of `satisfied_by_rule`."""
        warnings.warn(
            "verdicts is now called satisfied_by_rule; the next version drops the old name",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.satisfied_by_rule

    @property
    def plan_document(self) -> Plan:
        """The plan of this recoding."""
        nodes = (self.classes.node,) if self.sweep is None else self.sweep.steps.nodes
        method: Method = "global" if self.sweep is None else "local"
        steps = None if self.sweep is None else self.sweep.steps
        seed, show = self.order.seed, self.show
        return make_plan(self.problem, method, nodes, self.suppressed, self.loss, seed, self.removed, steps, show=show)

    @property
    def number_removed(self) -> int:
        """The number of records that left the table.

        The base class counts records without a place twice: they are suppressed before the search.
        """
        return super().number_removed - self.not_placed if self.removes else 0

    @cached_property
    def recoder(self) -> Recoder:
        """The mapping from the quasi-identifiers of any record to those of the release."""
        recoder = super().recoder if self.sweep is None else self.sweep.recoder
        return replace(recoder, changed=recoder.columns) if self.not_placed and not self.removes else recoder

    def __repr__(self) -> str:
        return (
            f"<Replayed: {self.suppressed} of {self.records} records suppressed; loss {self.loss:.6g}; plan: "
            f"{self.then.suppressed} of {self.then.records}, {self.then.loss:.6g}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain dicts, lists, numbers and texts."""
        plan_table = self.then
        return {
            "plan": {"records": plan_table.records, "suppressed": plan_table.suppressed, "loss": plan_table.loss},
            "now": {"records": self.records, "suppressed": self.suppressed, "loss": self.loss},
            "suppression_limit": self.problem.suppression,
            "within_the_limit": self.within_the_limit,
            "not_placed": self.not_placed,
            "without_place": {
                name: {"values": found.values, "records": found.records} for name, found in self.without_place.items()
            },
            "failing_records": dict(self.failing),
            "missing_columns": list(self.missing_columns),
            "levels": {name: list(used) if isinstance(used, tuple) else used for name, used in self.levels.items()},
        }


def replay(
    release: Release,
    rules: tuple[Rule, ...],
    search: PlannedSearch,
    then: PlanTable,
    unplaced: Mapping[str, frozenset[str]],
    missing_columns: tuple[str, ...] = (),
) -> Replayed:
    """Apply a plan to a table.

    unplaced   for each column the values that are missing from its hierarchy
    """
    steps, settings, is_on_one_node = search.steps, search.settings, search.is_on_one_node
    lowest = () if steps.lowest is None else (steps.lowest,)
    without_place, not_placed_mask = _without_place(release, (*steps.nodes, *lowest), unplaced)
    release = copy_release(release)
    with_original(release)  # before records are suppressed
    if not_placed_mask.any():
        _suppress(release, not_placed_mask)
    if is_on_one_node:
        settings = replace(settings, levels=dict(zip(release.quasi_identifiers, steps.nodes[0], strict=True)))
    problem = make_problem(release, rules, settings)
    release = problem.original
    not_placed = int(np.count_nonzero(not_placed_mask))
    classes = problem.cube.at(steps.nodes[0])
    suppressed_classes, sweep = np.zeros(len(classes.records), np.bool_), None
    judge = Judge(problem.cube, problem.rules, problem.max_suppressed - not_placed, problem.objective)
    if is_on_one_node:
        suppressed_classes = _classes_to_suppress(judge, classes)
        loss = problem.objective.loss(classes, suppressed_classes)
    else:
        most = max(judge.max_suppressed, 0) if problem.cube.view.treatment["suppressed"] == APART else 0
        judge = Judge(problem.cube, problem.rules, problem.cube.records, problem.objective)
        sweep = recode_again(problem, judge, steps, most)
        loss = sweep.loss(problem.objective)
    failing = {
        rule.name: records_failing(judge, classes, rule) if is_on_one_node and rule.tests(release.view) else None
        for rule in problem.rules
    }
    return Replayed(
        release,
        classes,
        suppressed_classes,
        problem,
        sweep,
        then,
        loss,
        without_place,
        not_placed,
        failing,
        missing_columns,
        show=check_show(search.show, release),
    )


def _classes_to_suppress(judge: Judge, classes: NodeClasses) -> Mask:
    """The classes to suppress for the rules; if that exceeds the limit, the classes that fail."""
    if judge.max_suppressed >= 0:
        suppressed = judge(classes).suppressed
        if suppressed is not None:
            return suppressed
    return judge.failing(classes)[0]


def _without_place(
    release: Release, nodes: tuple[Node, ...], unplaced: Mapping[str, frozenset[str]]
) -> tuple[dict[str, WithoutPlace], Mask]:
    """The columns with values missing from their hierarchy, and a mask of the records suppressed for that."""
    table: Any = release.table
    not_placed = np.zeros(table.rows, np.bool_)
    found: dict[str, WithoutPlace] = {}
    lowest = dict(zip(release.quasi_identifiers, np.array(nodes).min(axis=0).tolist(), strict=True))
    for name, values in unplaced.items():
        column = table.columns[name]
        # On the highest level everything has a place.
        if name in lowest and lowest[name] == release.hierarchies[name].height:
            continue
        unknown = np.array([value in values for value in column.values], np.bool_)
        if unknown.any():
            records = unknown[column.codes]
            found[name] = WithoutPlace(int(np.count_nonzero(unknown)), int(np.count_nonzero(records)))
            not_placed |= records if name in lowest else False
    stars = [table.columns[name].codes == table.columns[name].code(SUPPRESSED) for name in lowest]
    if not_placed.any() and (not_placed | np.logical_and.reduce(stars)).all():
        raise NotApplicable(
            "each of the {records:,} records that are not suppressed has a value without a place "
            "in the hierarchies of the plan; this is another table, or its values are "
            "written in another way",
            records=int(np.count_nonzero(not_placed)),
        )
    return found, not_placed


def _suppress(release: Release, which: Mask) -> None:
    """Suppress records before anything is counted."""
    table: Any = release.view.table
    columns = dict(table.columns)
    for name in release.quasi_identifiers:
        columns[name] = suppress_cells(columns[name], which)
    release.view = replace(release.view, table=WeightedRows(columns, table.unit, table.weights))
