"""`frontier`: the least loss for each threshold of a rule and each limit of suppression, all from one counted lattice.

Each threshold is searched for, with all limits at once, and as exactly as alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PETWorks.anonymizer.anonymization import Anonymization, anonymize_release
from PETWorks.anonymizer.joint_search import JointSearch
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.problem import REMOVE, Problem, allowed_suppression, problem_of
from PETWorks.anonymizer.rules import Rule
from PETWorks.anonymizer.searching import Progress
from PETWorks.anonymizer.varying import SUPPRESSION, Vary, is_lower_limit, threshold_of, varied, with_threshold
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError, Phrase
from PETWorks.showing import Shown
from PETWorks.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa

MOST_BOUNDS = 1 << 29  # of all searches together


@dataclass(frozen=True)
class FrontierPoint:
    """The least loss for a threshold and a limit of suppression.

    threshold     of the rule that is varied; None if none is
    suppression   the share of records that may be suppressed
    levels        the best levels
    loss          what is lost there
    suppressed    how many records are suppressed
    """

    threshold: float | None
    suppression: float
    levels: Mapping[str, int]
    loss: float
    suppressed: int


@dataclass(frozen=True, eq=False)
class Frontier(Rows, Shown):
    """Points of which none is better in every respect than another: as strict, as little suppression, as little loss.

    measure, parameter   the threshold that is varied; None if only suppression is
    points               the strictest thresholds last; of these the smallest limits of suppression first
    own                  the threshold and the limit that the rules themselves have
    checked              how many nodes were looked at, of all `nodes`

    >>> from PETWorks import frontier
    >>> roles = {"zip": "quasi_identifier", "nationality": "quasi_identifier", "age": "identifier",
    ...          "salary-class": "identifier"}
    >>> found = frontier("data/delta.csv", roles, "data/delta_hierarchy", {"k-anonymity": {"k": 2}},
    ...                  vary={"k-anonymity": {"k": [2, 3, 4]}})
    >>> [(point.threshold, point.levels, round(point.loss, 3)) for point in found.points]
    [(3, {'zip': 1, 'nationality': 1}, 0.444)]
    """

    release: Release
    rules: tuple[Rule, ...]
    settings: Mapping[str, Any]
    measure: str | None
    parameter: str | None
    points: tuple[FrontierPoint, ...]
    own: tuple[float | None, float]
    checked: int
    nodes: int
    make: Callable[..., Anonymization] = anonymize_release  # the release of a point

    @property
    def own_point(self) -> FrontierPoint | None:
        """The point of the rules themselves, or the one that is as strict and no worse; None if they cannot be kept."""
        threshold, suppression = self.own
        as_strict = [
            point
            for point in self.points
            if point.suppression <= suppression
            and (threshold is None or self._is_as_strict(point.threshold, threshold))
        ]
        return min(as_strict, key=lambda point: point.loss, default=None)

    def _is_as_strict(self, one: float | None, other: float) -> bool:
        assert one is not None
        return one >= other if self.larger_is_stricter else one <= other

    @property
    def larger_is_stricter(self) -> bool:
        """Whether larger thresholds are stricter."""
        return is_lower_limit(self.measure, self.parameter)

    @cached_property
    def table(self) -> "pa.Table":
        """The points as a table; a column for the level of each quasi-identifier."""
        import pyarrow as pa

        whole = all(isinstance(point.threshold, int) for point in self.points)
        columns = {
            "threshold": pa.array([point.threshold for point in self.points], pa.int64() if whole else pa.float64()),
            "suppression": pa.array([point.suppression for point in self.points], pa.float64()),
            "loss": pa.array([point.loss for point in self.points], pa.float64()),
            "suppressed": pa.array([point.suppressed for point in self.points], pa.int64()),
        }
        for name in self.release.quasi_identifiers:
            levels = [point.levels[name] for point in self.points]
            columns[f"level of {name}"] = pa.array(levels, pa.int64())
        return pa.table(columns)

    def to_arrow(self) -> "pa.Table":
        """A row for each point as a PyArrow table: threshold, suppression, loss, suppressed records, levels."""
        return self.table

    def anonymize(self, point: FrontierPoint) -> Anonymization:
        """The release of a point."""
        rules = self.rules
        if self.measure is not None and self.parameter is not None:
            rules = with_threshold(rules, self.measure, self.parameter, point.threshold)
        return self.make(self.release, rules, suppression=point.suppression, **self.settings, levels=dict(point.levels))

    def to_dict(self) -> dict[str, Any]:
        """The points as plain dicts, lists, numbers and texts."""
        return {
            "measure": self.measure,
            "parameter": self.parameter,
            "own": {"threshold": self.own[0], "suppression": self.own[1]},
            "points": [{**vars(point), "levels": dict(point.levels)} for point in self.points],
            "checked": self.checked,
            "nodes": self.nodes,
        }

    def __repr__(self) -> str:
        varied = SUPPRESSION if self.measure is None else f"{self.measure} {self.parameter}"
        return f"<Frontier of {varied}: {len(self.points)} points, {self.checked} of {self.nodes} nodes checked>"


def frontier_of(
    release: Release,
    rules: tuple[Rule, ...],
    vary: Vary | None = None,
    *,
    suppression: float = 0.0,
    suppressed_records: str = REMOVE,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Frontier:
    """The least loss for each threshold of a rule and each limit of suppression; see `frontier`."""
    measure, parameter, thresholds, limits = varied(rules, vary, suppression)
    settings = {
        "suppressed_records": suppressed_records,
        "objective": objective,
        "aggregate": aggregate,
        "weights": weights,
    }
    problem = problem_of(
        release,
        rules,
        max(limits),
        objective,
        aggregate,
        weights,
        levels,
        suppressed_records=suppressed_records,
    )
    problem.lattice.check_size(Phrase("for a frontier"))
    if problem.lattice.nodes * len(thresholds) > MOST_BOUNDS:
        raise ParameterError(
            "a frontier of {thresholds} thresholds on {nodes:,} nodes needs too much memory; "
            "vary less, or give bounds on levels",
            thresholds=len(thresholds),
            nodes=problem.lattice.nodes,
            what="vary",
        )
    search = _search(problem, measure, parameter, thresholds, limits)
    by_strictness = range(len(thresholds))
    search.run(by_strictness[::-1] if is_lower_limit(measure, parameter) else by_strictness, progress)
    found = [
        FrontierPoint(threshold, limit, problem.lattice.levels(best.node), best.loss, best.suppressed)
        for threshold, bests in zip(thresholds, search.bests, strict=True)
        for limit, best in zip(limits, bests, strict=True)
        if best is not None
    ]
    own = None if measure is None or parameter is None else threshold_of(rules, measure, parameter)
    best = _undominated(found, is_lower=is_lower_limit(measure, parameter))
    return Frontier(
        release,
        rules,
        settings,
        measure,
        parameter,
        best,
        (own, float(suppression)),
        search.checked,
        problem.lattice.nodes,
    )


def _search(
    problem: Problem, measure: str | None, parameter: str | None, thresholds: Sequence[Any], limits: Sequence[float]
) -> JointSearch:
    """A search for all thresholds and all limits."""
    judges = []
    allowed = [allowed_suppression(limit, problem.ground.records) for limit in limits]
    for threshold in thresholds:
        rules = problem.rules
        if measure is not None and parameter is not None:
            rules = with_threshold(rules, measure, parameter, threshold)
        judges.append(Judge(problem.ground, rules, max(allowed), problem.objective, min(allowed)))
    return JointSearch(problem.ground, problem.objective, judges, allowed)


def _undominated(points: Sequence[FrontierPoint], *, is_lower: bool) -> tuple[FrontierPoint, ...]:
    """The points that no other one beats: as strict, with as little suppression and loss, and better in one of them."""

    def rank(point: FrontierPoint) -> tuple[float, float, float]:
        strict = 0.0 if point.threshold is None else float(point.threshold)
        return (-strict if is_lower else strict, point.suppression, point.loss)

    def beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        return one != other and all(mine <= theirs for mine, theirs in zip(one, other, strict=True))

    ranks = [rank(point) for point in points]
    best = [point for point, own in zip(points, ranks, strict=True) if not any(beats(one, own) for one in ranks)]
    return tuple(sorted(best, key=lambda point: (-rank(point)[0], point.suppression)))
