"""A table on levels that the user chooses: its risks and losses without a search, and the release itself."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.treatment import APART, REMOVE
from PETWorks.anonymizer.data_cube import DataCube, NodeClasses, build_cube
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.objectives import Granularity, Objective, Precision, check_objective, make_objective
from PETWorks.anonymizer.plan import Plan, make_plan
from PETWorks.anonymizer.problem import (
    Problem,
    check_columns,
    check_suppressed_records,
    complete_hierarchies,
    profitability_amounts,
    with_hierarchies,
)
from PETWorks.anonymizer.recoding import recoded_view
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.counting.counts import Grouping, Integers
from PETWorks.counting.memory.distinct_rows import RolledUpRows, check_level
from PETWorks.counting.release import Release, copy_release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import PETWorksError, RoleError
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.measures.classes import Mask


@dataclass(frozen=True, eq=False, repr=False)
class OnLevels(Recoded):
    """A table on chosen levels; records of classes that break a rule are suppressed, if there are rules."""

    @property
    def plan_document(self) -> Plan:
        """The plan of this recoding; its loss is that of precision."""
        loss = self.problem.objective.loss(self.classes, self.suppressed_classes)
        node, seed = self.classes.node, self.order.seed
        return make_plan(self.problem, "global", (node,), self.suppressed, loss, seed, self.removed)


def recode_to_levels(
    release: Release, levels: Mapping[str, int], rules: tuple[Rule, ...] = (), suppressed_records: str = REMOVE
) -> OnLevels:
    """A table on chosen levels; see `apply_levels`."""
    check_suppressed_records(suppressed_records)
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    check_columns(release, levels, "levels")
    release = copy_release(release)  # its view is prepared
    complete_hierarchies(release, [name for name in release.quasi_identifiers if levels.get(name, 0) != 0])
    view = with_hierarchies(release.view, release.quasi_identifiers)
    lattice = Lattice.of(
        release.quasi_identifiers, view.hierarchies, dict.fromkeys(release.quasi_identifiers, 0) | dict(levels)
    )
    cube, rules = build_cube(release, view.hierarchies, lattice, rules, removes=suppressed_records == REMOVE)
    classes = cube.at(lattice.low)
    precision = Precision.of(cube, [1.0] * len(lattice.columns))
    judge = Judge(cube, rules, cube.records, precision)
    failing, _ = judge.failing(classes)
    problem = Problem(release, lattice, cube, rules, cube.records, precision, "precision", None, 1.0, {})
    suppressed_classes = failing if rules else np.zeros(len(classes.records), np.bool_)
    return OnLevels(release, classes, suppressed_classes, problem)


KEPT_NODES = 12
KEPT_SHARE = 2  # cached nodes together have at most this many times the distinct rows of the table
KEPT_ANSWERS = 500
SIZES = (1, 2, 3, 5, 11, 20, 50, 100)  # lower ends of the ranges of class sizes
LARGEST = 1_000  # larger sizes are not distinguished
ROUNDING = 1e-12  # losses up to this are 0
LOSSES = ("granularity", "precision")


@dataclass(frozen=True)
class RuleState:
    """The state of a rule for a table on some levels.

    affected   number of records in classes that break it; None if it does not test single classes
    holds      whether it is satisfied; None if only measuring the release can decide
    """

    name: str
    affected: int | None
    holds: bool | None


@dataclass(frozen=True)
class Figures:
    """Risks and losses of a table on some levels.

    records      number of all records
    suppressed   number of records in no class because they are suppressed
    counted      number of records in classes, or of people if there is a privacy unit
    smallest     the size of the smallest class; None if there is no class
    average      the average risk
    unique       number of those alone in their class
    by_size      the share of those counted in classes of each range of sizes
    losses       the loss by each objective
    rules        the state of each rule
    affected     number of records in classes that break a rule about classes
    """

    records: int
    suppressed: int
    counted: int
    classes: int
    smallest: int | None
    average: float
    unique: int
    by_size: tuple[float, ...]
    losses: Mapping[str, float]
    rules: tuple[RuleState, ...]
    affected: int

    @property
    def highest(self) -> float:
        """The highest risk."""
        return 0.0 if self.smallest is None else 1 / self.smallest

    @property
    def share_unique(self) -> float:
        """The share of those alone in their class."""
        return self.unique / self.counted if self.counted else 0.0


class WhatIf:
    """Risks and losses of a table on any levels; safe to use from several threads.

    columns    the quasi-identifiers
    heights    the highest level of each; 0 if it has no hierarchy
    starts     the lower ends of the ranges of class sizes
    unjudged   the rules that cannot be tested, each with the reason
    """

    def __init__(
        self,
        release: Release,
        hierarchies: Mapping[str, Hierarchy],
        rules: Sequence[Rule] = (),
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Count the distinct rows.

        release      the table; it is not changed
        hierarchies  the hierarchies of its quasi-identifiers, as far as they have any
        settings     objective, aggregate, weights and suppressed_records, as for `anonymize`
        """
        if not release.quasi_identifiers:
            raise RoleError(*NO_QUASI_IDENTIFIER)
        copied = copy_release(release)
        copied.view = with_hierarchies(_with(release, hierarchies), release.quasi_identifiers)
        self.columns = release.quasi_identifiers
        fixed = {name: 0 for name in self.columns if name not in hierarchies}
        lattice = Lattice.of(self.columns, copied.view.hierarchies, fixed)
        self.heights = lattice.high
        cube, tested, self.unjudged = _count_rows(
            copied,
            lattice,
            [rule for rule in rules if _is_seen_in_classes(rule)],
            removes=(settings or {}).get("suppressed_records", REMOVE) == REMOVE,
        )
        self._cube, self._nodes = cube, _Nodes(cube)
        self._objectives = _objectives(cube, rules, settings or {})
        any_objective = next(iter(self._objectives.values()))
        self._rules = [
            _RuleTester(rule, Judge(cube, [rule], cube.records, any_objective), cube.view) for rule in tested
        ]
        self._later = [RuleState(rule.name, None, None) for rule in rules if not _is_seen_in_classes(rule)]
        self.starts, self.too_small = self._ranges()
        self._answers: OrderedDict[tuple[Node, bool], Figures] = OrderedDict()
        self._lock = Lock()

    @property
    def distinct(self) -> int:
        """The number of distinct rows of the table."""
        return self._cube.base.number

    def _ranges(self) -> tuple[tuple[int, ...], tuple[bool, ...]]:
        """The lower ends of the ranges of class sizes, and which ranges are too small for a rule.

        One of the ranges begins at the smallest size that is large enough.
        """
        sizes = np.arange(1, LARGEST)
        small = np.zeros(len(sizes), np.bool_)
        for rule in self._rules:
            small |= rule.judge.too_small(sizes)
        enough = int(sizes[~small][0]) if not small.all() else LARGEST
        starts = tuple(sorted({*SIZES, enough}))
        return starts, tuple(start < enough for start in starts)

    def at(self, levels: Mapping[str, int], *, suppress: bool = False) -> Figures:
        """The table with columns on some levels; columns that are not named stay on level 0.

        suppress   whether to suppress the records of classes that break a rule, as `apply_levels` does with rules
        """
        node = self._node(levels)
        with self._lock:
            if (node, suppress) not in self._answers:
                self._answers[node, suppress] = self._figures(self._nodes.at(node), suppress=suppress)
                while len(self._answers) > KEPT_ANSWERS:
                    self._answers.popitem(last=False)
            return self._answers[node, suppress]

    def _node(self, levels: Mapping[str, int]) -> Node:
        node = []
        for name, height in zip(self.columns, self.heights, strict=True):
            level = levels.get(name, 0)
            check_level(name, level, height)
            node.append(level)
        return tuple(node)

    def _figures(self, classes: NodeClasses, *, suppress: bool) -> Figures:
        nothing = np.zeros(len(classes.records), np.bool_)
        failing = [rule.judge.failing(classes)[0] for rule in self._rules]
        broken = np.logical_or.reduce(failing) if failing else nothing
        suppressed_classes = broken if suppress else nothing
        sizes, suppressed = self._sizes(classes, suppressed_classes)
        classes_of = np.bincount(np.minimum(sizes, LARGEST), minlength=LARGEST + 1)
        counted = int(sizes.sum())
        in_sizes = classes_of[:-1] * np.arange(LARGEST)
        starts = np.add.reduceat(in_sizes, self.starts)
        starts[-1] += counted - int(in_sizes.sum())
        return Figures(
            self._cube.records,
            suppressed,
            counted,
            len(sizes),
            int(sizes.min()) if len(sizes) else None,
            len(sizes) / counted if counted else 0.0,
            int(classes_of[1]),
            tuple((starts / max(counted, 1)).tolist()),
            self._losses(classes, suppressed_classes),
            (
                *(
                    rule.state(int(classes.records[fails].sum()), sizes, suppress=suppress)
                    for rule, fails in zip(self._rules, failing, strict=True)
                ),
                *self._later,
            ),
            int(classes.records[broken].sum()),
        )

    def _losses(self, classes: NodeClasses, is_suppressed: Mask) -> dict[str, float]:
        """The loss by each objective with some classes suppressed; their values are counted once for all objectives."""
        counts = _values_of(classes, is_suppressed) if is_suppressed.any() else []
        lost = {}
        for name, objective in self._objectives.items():
            if counts and isinstance(objective, Granularity | Precision):
                by_level = zip(counts, objective.by_value, classes.node, strict=True)
                added = [float(value_counts @ by_value[level]) for value_counts, by_value, level in by_level]
                lost[name] = float(objective.losses(classes.node, [added])[0])
            else:
                lost[name] = objective.loss(classes, is_suppressed)
        return {name: value if abs(value) > ROUNDING else 0.0 for name, value in lost.items()}

    def _sizes(self, classes: NodeClasses, is_suppressed: Mask) -> tuple[Integers, int]:
        """The sizes of the classes that measures would find, and the number of suppressed records."""
        view, cube, columns = classes.cube.view, classes.cube, classes.columns
        has_values = classes.rows._kept(Grouping(columns, columns, suppressed_apart=True))
        without_class = is_suppressed if has_values is None else is_suppressed | ~has_values
        suppressed = int(classes.records[without_class].sum()) + cube.aside
        if view.treatment["suppressed"] != APART and (
            is_suppressed.any() or cube.aside
        ):  # suppressed records form one class
            sizes = recoded_view(classes, is_suppressed).class_sizes()
            return np.repeat(sizes.sizes, sizes.classes), suppressed
        kept = classes.rows._kept(view.grouping())
        if kept is None:
            return classes.sizes if not is_suppressed.any() else classes.sizes[~is_suppressed], suppressed
        return classes.sizes[kept & ~is_suppressed], suppressed


class _RuleTester:
    """Decides whether a rule holds, from the sizes and contents of classes."""

    def __init__(self, rule: Rule, judge: Judge, view: View) -> None:
        self.judge, self._rule = judge, rule
        tests = rule.tests(view)
        self._is_about_classes = bool(tests)
        self._by_size = rule.suppressing(view) if rule.is_about_the_table else None
        # Where suppressed records form a class, or people are counted again, the release itself must be measured.
        people = view.privacy_unit is not None and any(test.sensitive for test in tests)
        self._is_sure = view.treatment["suppressed"] == APART and not people

    def state(self, affected: int, sizes: Integers, *, suppress: bool) -> RuleState:
        """The state of the rule for classes of these sizes, with `affected` records in classes that break it."""
        affected_records = affected if self._is_about_classes else None
        if affected and not suppress:
            return RuleState(self._rule.name, affected_records, holds=False)
        if not self._is_sure or (self._rule.is_about_the_table and self._by_size is None):
            return RuleState(self._rule.name, affected_records, holds=None)
        return RuleState(
            self._rule.name, affected_records, holds=self._by_size is None or bool(self._by_size(sizes)[0])
        )


class _Nodes:
    """Cache of a limited number of recent nodes; each node is rolled up from the smallest finer one in it."""

    def __init__(self, cube: DataCube) -> None:
        self._cube = cube
        self._base = cube.base.at(cube.lattice.levels(cube.lattice.low))
        self._kept: OrderedDict[Node, RolledUpRows] = OrderedDict()

    def at(self, node: Node) -> NodeClasses:
        """The classes of a node."""
        finer = [kept for kept in self._kept if all(level <= wanted for level, wanted in zip(kept, node, strict=True))]
        nearest = min(finer, key=lambda kept: self._kept[kept].number, default=None)
        start = self._base if nearest is None else self._kept[nearest]
        if nearest is not None:
            self._kept.move_to_end(nearest)
        rolled = start if nearest == node else start.at(self._cube.lattice.levels(node))
        self._kept[node] = rolled
        most = KEPT_SHARE * self._base.number
        while len(self._kept) > 1 and (
            len(self._kept) > KEPT_NODES or sum(rows.number for rows in self._kept.values()) > most
        ):
            self._kept.popitem(last=False)
        return NodeClasses(self._cube, node, rolled)


def _values_of(classes: NodeClasses, selected: Mask) -> list[Integers]:
    """For each column, the number of records of some classes with each value.

    Counts the classes selected or the others, whichever are fewer.
    """
    fewer = selected if 2 * np.count_nonzero(selected) <= len(selected) else ~selected
    counts, records = [], classes.records[fewer]
    for name, level, codes in zip(classes.columns, classes.node, classes.codes(fewer), strict=True):
        all_counts = classes.cube.on_level(name, level).counts
        counted = np.bincount(codes, records, len(all_counts)).astype(np.int64)
        counts.append(counted if fewer is selected else all_counts - counted)
    return counts


def _with(release: Release, hierarchies: Mapping[str, Hierarchy]) -> View:
    known = {name: hierarchy for name, hierarchy in hierarchies.items() if name in release.quasi_identifiers}
    return replace(release.view, hierarchies={**release.view.hierarchies, **known})


def _is_seen_in_classes(rule: Rule) -> bool:
    """Whether classes decide about a rule; other rules take too long to measure for an immediate answer."""
    return isinstance(rule, MeasureRule) and (rule.metric.tests is not None or rule.metric.suppressing is not None)


def _count_rows(
    release: Release, lattice: Lattice, rules: Sequence[Rule], *, removes: bool
) -> tuple[DataCube, tuple[Rule, ...], tuple[tuple[str, str], ...]]:
    """The distinct rows, the rules that can be tested on them, and the other rules with the reason."""

    def count(tested_rules: Sequence[Rule]) -> tuple[DataCube, tuple[Rule, ...]]:
        hierarchies = release.view.hierarchies
        return build_cube(release, hierarchies, lattice, tested_rules, all_columns=False, removes=removes)

    unjudged = []
    try:
        return *count(rules), ()
    except PETWorksError:
        testable = []
        for rule in rules:
            try:
                rule.check(release.view)
                testable.append(rule)
            except PETWorksError as error:
                unjudged.append((rule.name, error.message))
        return *count(testable), tuple(unjudged)


def _objectives(cube: DataCube, rules: Sequence[Rule], settings: Mapping[str, Any]) -> dict[str, Objective]:
    """Granularity and precision, and the objective of the settings with its weights."""
    columns = cube.lattice.columns
    chosen, aggregate, weights = check_objective(
        settings.get("objective", "granularity"), settings.get("aggregate"), settings.get("weights"), columns
    )
    found = {name: make_objective(cube, name, "geometric", [1.0] * len(columns)) for name in LOSSES}
    found[chosen] = make_objective(cube, chosen, aggregate, weights, profitability_amounts(tuple(rules)))
    return found
