"""The cheapest fixes for rules that fail, with numbers: suppress records, raise one level, or search for the best."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from PETWorks.anonymizer.column_objectives import Granularity
from PETWorks.anonymizer.ground import Ground
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.rules import MeasureRule
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError
from PETWorks.gate.document import NextStep, RaisedLevel, RuleResult
from PETWorks.gate.policy import Policy

MOST_RECORDS = 500_000  # of tables that are looked at: the advice must not take longer than the check
MOST_RAISED = 3


def fixes(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """What would help the rules that fail, if all quasi-identifiers have hierarchies and original values."""
    failing = {rule.name for rule in rules if rule.satisfied is False}
    ours = [
        MeasureRule(rule.measure, rule.parameters, rule.name)
        for rule in policy.rules
        if rule.measure is not None and rule.name in failing and rule.measure.tests is not None
    ]
    known = all(column in release.hierarchies for column in release.quasi_identifiers)
    if ours and known and release.engine.name == "memory" and release.records <= MOST_RECORDS:
        with suppress(PETWorksError):  # values that are generalised already have no place on other levels
            yield _fix(release, ours)


def _fix(release: Release, rules: Sequence[MeasureRule]) -> NextStep:
    lattice = Lattice.of(release.quasi_identifiers, release.hierarchies, None)
    ground = Ground.of(release.view, lattice)
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
    return NextStep(
        "anonymize",
        records=now,
        share=now / ground.records,
        rules=tuple(rule.name for rule in rules),
        raised=tuple(best[:MOST_RAISED]),
    )
