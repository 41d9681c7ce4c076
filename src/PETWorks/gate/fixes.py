"""What would fix rules that fail: a search for the best levels; with numbers, to suppress records or raise a level."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from PETWorks.anonymizer.column_objectives import Granularity
from PETWorks.anonymizer.ground import Ground
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.rules import MeasureRule
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError
from PETWorks.gate.document import FAIL, RuleResult
from PETWorks.gate.policy import Policy
from PETWorks.gate.policy_rules import Rule
from PETWorks.gate.steps_document import NextStep, RaisedLevel

MOST_RECORDS = 500_000  # of tables that are looked at: the advice must not take longer than the check
MOST_RAISED = 3


def fixes(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """What would help the rules that fail, if all quasi-identifiers have hierarchies and original values.

    Rules that are waived are not asked for, and those about utility are not helped by losing more.
    """
    failing = {rule.name for rule in rules if rule.verdict == FAIL}
    helped = [
        rule
        for rule in policy.rules
        if rule.name in failing
        and not rule.about_all_releases
        and (rule.measure is None or not rule.measure.worse_by_suppression)
    ]
    known = all(column in release.hierarchies for column in release.quasi_identifiers)
    if helped and known and release.engine.name == "memory" and release.records <= MOST_RECORDS:
        with suppress(PETWorksError):  # values that are generalised already have no place on other levels
            yield _fix(release, helped)


def _fix(release: Release, rules: Sequence[Rule]) -> NextStep:
    """The step, with what can be done by hand if rules are about single classes."""
    lattice = Lattice.of(release.quasi_identifiers, release.hierarchies, None)
    ground = Ground.of(release.view, lattice)
    step = NextStep("anonymize", rules=tuple(rule.name for rule in rules))
    about_classes = [
        MeasureRule(rule.measure, rule.parameters, rule.name)
        for rule in rules
        if rule.measure is not None and rule.measure.tests is not None
    ]
    return _by_hand(step, ground, about_classes) if about_classes else step


def _by_hand(step: NextStep, ground: Ground, rules: Sequence[MeasureRule]) -> NextStep:
    """The step, with the records to suppress and the levels that would help most."""
    lattice = ground.lattice
    objective = Granularity.of(ground, [1.0] * len(lattice.columns), "geometric")
    judge = Judge(ground, rules, ground.records, objective)

    def look_at(levels: dict[str, int]) -> tuple[int, float]:
        """How many records are in classes that fail, and what is lost if none is suppressed."""
        classes = ground.at(tuple(levels.get(column, 0) for column in lattice.columns))
        failing, _ = judge.failing(classes)
        nothing = np.zeros(len(failing), np.bool_)
        return int(classes.records[failing].sum()), objective.loss(classes, nothing)

    now, _ = look_at({})
    raised = [RaisedLevel(column, 1, *look_at({column: 1})) for column in lattice.columns]
    best = sorted((one for one in raised if one.records < now), key=lambda one: (one.records, one.loss, one.column))
    return replace(step, records=now, share=now / ground.records, raised=tuple(best[:MOST_RAISED]))
