"""How a release was made, as a document has it."""

from typing import Any

from PETWorks.about.declaration import level_named
from PETWorks.anonymizer.anonymization import Anonymization
from PETWorks.anonymizer.explanation import Explanation
from PETWorks.anonymizer.frontiers import Frontier
from PETWorks.anonymizer.local_anonymization import LocalAnonymization
from PETWorks.anonymizer.utility import Utility
from PETWorks.counting.protected_source import changes_in
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError
from PETWorks.gate.anonymization_document import (
    AnonymizationFacts,
    BrokenRule,
    ColumnKept,
    ColumnLevel,
    CostOfRule,
    FrontierFacts,
    LevelsUsed,
    LocalRecoding,
    ObjectiveLoss,
    OtherLevels,
    PointOfFrontier,
    ProtectedColumn,
    State,
    UtilityKept,
)
from PETWorks.measures.catalogue import find

MOST_USED = 10  # combinations of levels that are listed
UTILITY = ("granularity", "precision")


def anonymization_facts(
    result: Anonymization,
    before: State,
    after: Release,
    explanation: Explanation | None,
    waived: tuple[str, ...] = (),
    frontier: Frontier | None = None,
    *,
    shuffled: bool | None = None,
) -> AnonymizationFacts:
    """The facts of a result; next-best levels, the costs of rules and a frontier only where they were searched for."""
    problem, allowed = result.problem, result.problem.allowed_levels
    local = _local(result) if isinstance(result, LocalAnonymization) else None
    reasons = result.reasons() if explanation is None else explanation.columns
    return AnonymizationFacts(
        columns=tuple(
            ColumnLevel(
                one.column,
                one.level,
                one.height,
                one.finer_loss,
                one.finer_suppressed,
                tuple(BrokenRule(broken.rule, broken.records) for broken in one.broken),
                allowed.get(one.column),
                problem.weights.get(one.column),
                level_named(result.original.declared.get(one.column), one.level),
            )
            for one in reasons
        ),
        objective=problem.objective_name,
        aggregate=problem.aggregate,
        loss=result.loss,
        bound=result.bound,
        optimal=result.optimal,
        checked=result.checked,
        nodes=result.nodes,
        records=result.records,
        suppressed=result.suppressed,
        suppression_limit=problem.suppression,
        before=before,
        after=state(after),
        utility=None if result.is_raised else _utility(result.utility()),
        next_best=()
        if explanation is None
        else tuple(OtherLevels(tuple(one.levels.values()), one.loss, one.suppressed) for one in explanation.next_best),
        rules=() if explanation is None else tuple(CostOfRule(one.rule, one.loss_without) for one in explanation.rules),
        local=local,
        waived=waived,
        protected=tuple(
            ProtectedColumn(column, dict(one.protection.words), one.changed / max(one.present, 1), one.variance_kept)
            for column, one in changes_in(result.original.source).items()
        ),
        frontier=None if frontier is None else frontier_facts(frontier),
        seconds=None if result.is_complete else result.search.seconds,
        improved_after=None if result.is_complete else result.search.improved_after,
        shuffled=shuffled,
    )


def frontier_facts(found: Frontier) -> FrontierFacts:
    """The points of a frontier."""
    threshold, suppression = found.own
    points = tuple(
        PointOfFrontier(point.threshold, point.suppression, point.loss, point.suppressed, tuple(point.levels.values()))
        for point in found.points
    )
    columns = tuple(found.release.quasi_identifiers)
    return FrontierFacts(
        found.measure, found.parameter, found.larger_is_stricter, threshold, suppression, columns, points
    )


def _local(result: LocalAnonymization) -> LocalRecoding:
    parts = sorted(result.parts, key=lambda part: -part[1])
    most = tuple(LevelsUsed(tuple(levels.values()), records) for levels, records in parts[:MOST_USED])
    return LocalRecoding(result.global_loss, len(parts), most)


def _utility(told: Utility) -> UtilityKept:
    before, after = told.correlation or (None, None)
    return UtilityKept(
        told.values_kept,
        told.shift,
        before,
        after,
        told.correlation_kept,
        tuple(ColumnKept(**vars(one)) for one in told.columns),
        tuple(ObjectiveLoss(**vars(one)) for one in told.losses),
        told.undefined,
    )


def state(release: Release) -> State:
    """What changes by anonymising."""
    sizes = release.class_sizes()
    unique = int(sizes.classes[sizes.sizes == 1].sum())
    return State(
        release.records,
        release.suppressed_records,
        sizes.number,
        sizes.smallest,
        1 / sizes.smallest if sizes.smallest else 0.0,
        unique / sizes.records if sizes.records else 0.0,
        **{name: _measured(release, name) for name in UTILITY},
    )


def _measured(release: Release, name: str) -> float | None:
    """What a measure says, if it applies."""
    try:
        value: Any = find(name)(release).value
    except PETWorksError:
        return None
    return float(value)
