"""Test whether a node satisfies the rules, and which of its classes must be suppressed for that."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from PETWorks.about.treatment import APART, AS_QUASI_IDENTIFIERS
from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.lost_columns import ColumnsOnNodes
from PETWorks.anonymizer.objectives import Granularity, Objective
from PETWorks.anonymizer.recoding import recoded_view
from PETWorks.anonymizer.rules import Rule
from PETWorks.counting.counts import Integers
from PETWorks.measures.classes import ClassTest, Mask, Monotone


@dataclass(frozen=True)
class Outcome:
    """The facts about a node that a search needs.

    records       number of records to suppress; None if the rules cannot be satisfied within the limit
    loss          the loss with these records suppressed
    lasting       lower bound on the records to suppress on every finer node
    added         loss added to each column of every finer node by suppressing records that fail there too
    coarser       lower bound on the loss of every coarser node
    given_up_at   lower bound on its own loss, if testing stopped early because that is too much
    lost          the set of columns that are lost with these records suppressed
    tie           what decides between nodes with the same loss
    """

    records: int | None
    loss: float | None
    lasting: float
    added: tuple[float, ...] | None
    coarser: float | None
    given_up_at: float | None = None
    lost: int = 0
    tie: float = 0.0


@dataclass(frozen=True, eq=False)
class NodeVerdict:
    """The result of testing a node.

    suppressed    the classes to suppress; None if the rules cannot be satisfied within the limit
    sure          the classes whose records must be suppressed on every finer node too
    lasting       lower bound on the records to suppress on every finer node
    given_up_at   lower bound on its loss, if testing stopped early because that is too much
    """

    classes: NodeClasses
    suppressed: Mask | None
    sure: Mask
    lasting: float
    given_up_at: float | None = None

    @cached_property
    def records(self) -> int:
        """The number of suppressed records."""
        return 0 if self.suppressed is None else int(self.classes.records[self.suppressed].sum())


class Judge:
    """Tests nodes against rules, within a limit of suppressed records.

    smallest_limit   the smallest of the limits that the outcome is used for, if there are several
    columns          tells which columns a node loses; None if that does not matter
    """

    def __init__(
        self,
        cube: DataCube,
        rules: Sequence[Rule],
        max_suppressed: int,
        objective: Objective,
        smallest_limit: int | None = None,
        columns: ColumnsOnNodes | None = None,
    ) -> None:
        self.columns = columns
        self.cube, self.rules, self.max_suppressed, self._objective = cube, rules, max_suppressed, objective
        self.smallest_limit = max_suppressed if smallest_limit is None else smallest_limit
        view = cube.view
        self._tests = [test for rule in rules for test in rule.tests(view)]
        self._per_node = view.privacy_unit is not None and any(test.sensitive for test in self._tests)
        # Where suppressed records form a class, or people are counted again, the release itself must be measured.
        at_the_end = view.treatment["suppressed"] != APART or self._per_node
        self._of_table = [rule for rule in rules if at_the_end or rule.is_about_the_table]
        # Where records leave the table, classes are compared with a different overall distribution afterwards.
        self._comparing = [rule for rule in rules if cube.removes and any(test.compares for test in rule.tests(view))]
        self._by_size = [] if at_the_end else [(rule, rule.suppressing(view)) for rule in self._of_table]
        sized = {rule for rule, test in self._by_size if test is not None}
        self._worse = [rule for rule in self._of_table if rule not in sized and rule.worse_by_suppression]
        self._others = [rule for rule in self._of_table if rule not in sized and not rule.worse_by_suppression]
        self.is_nested = self._nests(at_the_end)

    def _nests(self, at_the_end: bool) -> bool:
        """Whether failures on a node allow conclusions about finer nodes."""
        view = self.cube.view
        classes_lose_records = view.treatment["missing"] == APART and view.incomplete_records > 0
        mixed = len(view.sensitive_attributes) > 1 and view.treatment["several_sensitive"] == AS_QUASI_IDENTIFIERS
        return not (classes_lose_records or mixed or at_the_end)

    @property
    def is_monotone(self) -> bool:
        """Whether a node that fails always rules out all finer nodes."""
        if not self.is_nested or self._worse or self._others:
            return False
        people = self.cube.view.privacy_unit is not None
        if people and self._by_size:
            return False
        wanted = {Monotone.ALWAYS} if self.max_suppressed or people else {Monotone.ALWAYS, Monotone.UNSUPPRESSED}
        return all(test.monotone in wanted for test in self._tests)

    def too_small(self, sizes: Integers) -> Mask:
        """Mask of the class sizes that fail, whatever the classes contain."""
        fails = np.zeros(len(sizes), np.bool_)
        for test in self._tests:
            if test.sensitive is None and test.background is None:
                fails |= test.fails(sizes)
        return fails

    @property
    def only_sizes(self) -> bool:
        """Whether the rules depend on class sizes alone."""
        needs_contents = any(test.sensitive is not None or test.background is not None for test in self._tests)
        return self.is_nested and not needs_contents

    @property
    def needs_a_size(self) -> bool:
        """Whether the rules only demand a minimum class size."""
        return self.only_sizes and not self._of_table and all(test.monotone is Monotone.ALWAYS for test in self._tests)

    @property
    def may_rule_out(self) -> bool:
        """Whether a node that fails can rule out all finer nodes."""
        has_monotone = any(test.monotone is not Monotone.NEVER for test in self._tests)
        return self.is_monotone or (self.is_nested and has_monotone and not self._of_table)

    def outcome(self, node: Node, most: float = np.inf, *, bounds: bool = True) -> Outcome:
        """The facts about a node that a search needs; testing may stop once the loss exceeds `most`.

        bounds   whether to compute bounds on the loss of finer and coarser nodes
        """
        classes = self.cube.at(node)
        judged = self(classes, most)
        suppressed = judged.suppressed
        is_bound = bounds and judged.sure.any() and judged.lasting <= self.max_suppressed
        return Outcome(
            None if suppressed is None else judged.records,
            None if suppressed is None else self._objective.loss(classes, suppressed),
            judged.lasting,
            self._objective.added_below(classes, judged.sure) if is_bound else None,
            self._objective.coarser_bound(classes) if bounds else None,
            judged.given_up_at,
            0 if suppressed is None or self.columns is None else self.columns.lost(classes, suppressed),
            0.0 if suppressed is None else self._objective.tie(classes, suppressed),
        )

    def __call__(self, classes: NodeClasses, most: float = np.inf) -> NodeVerdict:
        """Test a node; testing may stop once the loss exceeds `most`."""
        failing, sure = self.failing(classes)
        if any(test.all_present and classes.beside(test.background)[1] for test in self._tests if test.background):
            return NodeVerdict(classes, None, sure, np.inf if self.is_nested else 0)  # whatever is suppressed
        suppressed = int(classes.records[failing].sum())
        lasting: float = self._lasting(classes, failing, sure) if suppressed > self.smallest_limit else 0
        if suppressed > self.max_suppressed:
            return NodeVerdict(classes, None, sure, lasting)
        if not self._of_table:
            return NodeVerdict(classes, self._check_release(classes, failing), sure, lasting)
        completed = self._add_smallest_classes(classes, failing, most)
        if isinstance(completed, float):
            return NodeVerdict(classes, None, sure, lasting, given_up_at=completed)
        if self.is_monotone:
            lasting = np.inf if completed is None else int(classes.records[completed].sum())
        return NodeVerdict(
            classes, None if completed is None else self._check_release(classes, completed), sure, lasting
        )

    def _check_release(self, classes: NodeClasses, suppressed: Mask) -> Mask | None:
        """The suppressed classes; None if nothing is left, or if a rule fails on the table as it is written.

        None allows no conclusions about finer nodes, where other records are left.
        """
        cube = self.cube
        if not cube.removes and cube.view.treatment["suppressed"] == APART:
            return suppressed
        if not classes.say_something(~suppressed):
            return None
        if self._comparing and (cube.aside or suppressed.any()):
            view = recoded_view(classes, suppressed)
            if not all(rule.holds(view) for rule in self._comparing):
                return None
        return suppressed

    @cached_property
    def _detail(self) -> Granularity:
        return Granularity.of(self.cube, [1.0] * len(self.cube.lattice.columns), "arithmetic")

    def _lasting(self, classes: NodeClasses, failing: Mask, sure: Mask) -> int:
        """Lower bound on the records in failing classes on every finer level."""
        if not self.is_nested:
            return 0
        certain = np.where(sure, classes.records, 0)
        if self.cube.view.privacy_unit is None and int(certain.sum()) <= self.max_suppressed:
            for test in self._tests:
                if test.monotone is Monotone.UNSUPPRESSED:
                    certain = np.maximum(certain, self._staying(test, classes, failing))
        return int(certain.sum())

    def _staying(self, test: ClassTest, classes: NodeClasses, failing: Mask) -> Integers:
        """For each class, a lower bound on its records that fail a test on every finer level."""
        assert test.lasting is not None
        lasting = np.zeros(len(failing), np.int64)
        if test.sensitive is not None:
            value_classes = classes.of_values(test.sensitive)
            is_failing = failing[value_classes.kept]
            if is_failing.any():
                lasting[failing & value_classes.kept] = test.lasting(value_classes.values.only(is_failing))
            return lasting
        assert test.background is not None
        pairs, absent = classes.beside(test.background)
        if test.all_present and absent:  # finer levels also have a class without released records
            return classes.records
        return np.where(failing, test.lasting(pairs), lasting)

    def failing(self, classes: NodeClasses, rules: Sequence[Rule] | None = None) -> tuple[Mask, Mask]:
        """Mask of the classes that fail a test, and of those that fail on every finer level whatever is suppressed."""
        failing, sure = np.zeros(len(classes.records), np.bool_), np.zeros(len(classes.records), np.bool_)
        for test in self._tests_at(classes, rules):
            fails = self._fails(test, classes)
            if classes.complete is not None:
                fails = fails & classes.complete
            failing |= fails
            if test.monotone is Monotone.ALWAYS and self.is_nested:
                sure |= fails
        return failing, sure

    def unmet(self, classes: NodeClasses, suppressed: Mask) -> list[Rule]:
        """The rules about the whole table that a release breaks; all of them if that cannot be determined."""
        view = recoded_view(classes, suppressed)
        helped_by_suppression = [rule for rule in self._of_table if rule not in self._worse]
        return [rule for rule in helped_by_suppression if not rule.holds(view)] or helped_by_suppression

    def _tests_at(self, classes: NodeClasses, rules: Sequence[Rule] | None) -> list[ClassTest]:
        if not self._per_node and rules is None:
            return self._tests
        view = self.cube.view
        if self._per_node:
            view = view.at(self.cube.lattice.levels(classes.node))
        return [test for rule in (self.rules if rules is None else rules) for test in rule.tests(view)]

    def _fails(self, test: ClassTest, classes: NodeClasses) -> Mask:
        if test.sensitive is not None:
            value_classes = classes.of_values(test.sensitive)
            if not value_classes.kept.any():
                return np.zeros(len(classes.records), np.bool_)
            fails = value_classes.of_all(test.fails(value_classes.values))
            return fails if value_classes.begins is None else np.logical_or.reduceat(fails, value_classes.begins)
        if test.background is not None:
            pairs, absent = classes.beside(test.background)
            fails = test.fails(pairs)
            return np.ones(len(fails), np.bool_) if test.all_present and absent else fails
        return test.fails(classes.sizes)

    def _add_smallest_classes(self, classes: NodeClasses, failing: Mask, most: float) -> Mask | float | None:
        """The failing classes, plus as many of the smallest other classes as the rules about the table need.

        None if no number of them is enough; the loss, as a float, if it already exceeds `most`.
        """
        is_left = ~failing if classes.complete is None else ~failing & classes.complete
        order = np.flatnonzero(is_left)
        # Among classes of equal size, the most detailed come first: they are the easiest to recognise.
        order = order[np.lexsort((-self._detail.of_each(classes, is_left), classes.sizes[order]))]
        allowed = self.max_suppressed - int(classes.records[failing].sum())
        prefixes = int(np.searchsorted(np.cumsum(classes.records[order]), allowed, side="right"))
        holds = np.ones(len(order) + 1, np.bool_)
        for _rule, test in self._by_size:
            if test is not None:
                holds &= test(classes.sizes[order])
        for number in np.flatnonzero(holds[: prefixes + 1]).tolist():
            suppressed = failing.copy()
            suppressed[order[:number]] = True
            if not self._worse and not self._others:
                return suppressed
            if self._objective.suppression_costs and (loss := self._objective.loss(classes, suppressed)) > most:
                return loss
            view = recoded_view(classes, suppressed)
            if not all(rule.holds(view) for rule in self._worse):
                return None
            if all(rule.holds(view) for rule in self._others):
                return suppressed
        return None


def records_failing(judge: Judge, classes: NodeClasses, rule: Rule) -> int:
    """The number of records in classes that fail the tests of one rule."""
    failing, _ = judge.failing(classes, [rule])
    records: Any = classes.records[failing].sum()
    return int(records)
