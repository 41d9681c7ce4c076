"""`frontier`: the least loss for each threshold of a rule and each limit on suppression."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from PETWorks.anonymizer.anonymization import (
    Anonymization,
    anonymize_release,
    best_levels,
    recode_locally,
    why_not_local,
)
from PETWorks.anonymizer.anonymization_facts import FrontierFacts, PointOfFrontier
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.problem import (
    ALL,
    Problem,
    SearchSettings,
    allowed_suppression,
    check_method,
    check_seconds,
    check_share,
    make_problem,
)
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.anonymizer.search.exact import Progress, Report
from PETWorks.anonymizer.search.joint import JointSearch
from PETWorks.counting.release import Release
from PETWorks.displayable import Displayable
from PETWorks.errors import ParameterError, Phrase, quoted
from PETWorks.measures.catalogue import find_measure
from PETWorks.measures.parameters import Number, parse_number
from PETWorks.tables.frames import Rows

if TYPE_CHECKING:
    import pyarrow as pa


CLASS_SIZES = (2, 3, 5, 10, 11, 20, 50)
SUPPRESSION_LIMITS = (0, 0.01, 0.02, 0.05, 0.1)
SUPPRESSION = "suppression"
MAX_POINTS = 200
LOCAL_SECONDS = 60  # time by default for the releases record by record, for all points together

VariedThresholds = Mapping[str, Any]


def check_vary(
    rules: tuple[Rule, ...], vary: VariedThresholds | None, suppression: float
) -> tuple[str | None, str | None, list[Any], list[float]]:
    """Check `vary`; return the measure and the parameter that vary, the thresholds, and the limits on suppression."""
    suppression = check_share(suppression)
    if vary is not None and (not isinstance(vary, Mapping) or not vary):
        raise ParameterError("expected vary such as {'k-anonymity': {'k': [2, 5, 10]}}", what="vary")
    to_vary = dict(_default_vary(rules) if vary is None else vary)
    limits = _parse_numbers(to_vary.pop(SUPPRESSION, [suppression]), SUPPRESSION)
    limits = sorted({*map(float, limits), float(suppression)})
    if any(not 0 <= limit <= 1 for limit in limits):
        raise ParameterError(
            "expected suppression as shares of the records, 0 to 1, got {limits!r}", limits=limits, what="vary"
        )
    if len(to_vary) > 1 or any(not isinstance(choice, Mapping) or len(choice) != 1 for choice in to_vary.values()):
        raise ParameterError(
            "expected one rule and one of its thresholds to vary, such as {'k-anonymity': {'k': [2, 5, 10]}}",
            what="vary",
        )
    if not to_vary:
        return None, None, [None], limits
    ((measure, parameters),) = to_vary.items()
    metric = find_measure(measure)
    ((parameter, values),) = parameters.items()
    own_threshold = threshold_of(rules, metric.name, str(parameter))
    thresholds = [metric.check({parameter: value})[parameter] for value in _parse_numbers(values, str(parameter))]
    thresholds = sorted({*thresholds, own_threshold})
    if len(thresholds) * len(limits) > MAX_POINTS:
        raise ParameterError(
            "a frontier has at most {most} points, got {thresholds} thresholds and {limits} limits",
            most=MAX_POINTS,
            thresholds=len(thresholds),
            limits=len(limits),
            what="vary",
        )
    return metric.name, str(parameter), thresholds, limits


def _default_vary(rules: tuple[Rule, ...]) -> dict[str, Any]:
    """The default for `vary`: k, if it is a rule, and suppression."""
    of_sizes = [rule for rule in rules if isinstance(rule, MeasureRule) and rule.metric.name == "k-anonymity"]
    return {SUPPRESSION: SUPPRESSION_LIMITS} | ({"k-anonymity": {"k": CLASS_SIZES}} if len(of_sizes) == 1 else {})


def _parse_numbers(values: Any, what: str) -> list[float]:
    items = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    numbers = [parse_number(value) for value in items]
    if not numbers or any(number is None for number in numbers):
        raise ParameterError(
            "expected a list of numbers for {thing}, got {values!r}", thing=what, values=str(values)[:60], what="vary"
        )
    return [number for number in numbers if number is not None]


def threshold_of(rules: tuple[Rule, ...], measure: str, parameter: str) -> Any:
    """The threshold of the rule about a measure; raise unless exactly one rule sets it."""
    measures = [rule for rule in rules if isinstance(rule, MeasureRule)]
    found = [rule for rule in measures if rule.metric.name == measure]
    if len(found) != 1:
        known = quoted(rule.name for rule in found or measures)
        if not found:
            raise ParameterError(
                "no rule is about {metric}; its threshold can be changed if exactly one is: {known}",
                metric=measure,
                known=known,
                what="vary",
            )
        raise ParameterError(
            "{number} rules are about {metric}; its threshold can be changed if exactly one is: {known}",
            number=len(found),
            metric=measure,
            known=known,
            what="vary",
        )
    parameters = found[0].metric.parameters
    limits = [name for name, item in parameters.items() if isinstance(item.rule, Number) and item.rule.limit]
    if parameter not in limits:
        raise ParameterError(
            "{metric} has the thresholds {limits}, not {parameter!r}",
            metric=measure,
            limits=quoted(limits),
            parameter=parameter,
            what="vary",
        )
    if found[0].parameters[parameter] is None:
        raise ParameterError(
            "the rule about {metric} does not set {parameter}; only what it sets can be varied",
            metric=measure,
            parameter=parameter,
            what="vary",
        )
    return found[0].parameters[parameter]


def with_threshold(rules: tuple[Rule, ...], measure: str, parameter: str, value: Any) -> tuple[Rule, ...]:
    """The rules with another threshold for one measure."""
    threshold_of(rules, measure, parameter)
    return tuple(
        _rule_with_threshold(rule, parameter, value)
        if isinstance(rule, MeasureRule) and rule.metric.name == measure
        else rule
        for rule in rules
    )


def _rule_with_threshold(rule: MeasureRule, parameter: str, value: Any) -> MeasureRule:
    """A rule with another threshold, which is part of its name."""
    checked = rule.metric.check({**rule.parameters, parameter: value})
    if rule.called is None or checked[parameter] == rule.parameters[parameter]:
        return replace(rule, parameters=checked)
    called = f"{rule.called} ({parameter}={checked[parameter]:g})"
    return replace(rule, parameters=checked, called=called, of=rule.of or rule.called)


def is_lower_limit(measure: str | None, parameter: str | None) -> bool:
    """Whether a threshold is a minimum, so that larger ones are stricter."""
    if measure is None or parameter is None:
        return True
    rule = find_measure(measure).parameters[parameter].rule
    return isinstance(rule, Number) and rule.limit == "at least"


MAX_BOUNDS = 1 << 29  # one per node and threshold


class FrontierPoint(NamedTuple):
    """The least loss for a threshold and a limit on suppression.

    threshold     of the rule that varies; None if only suppression does
    suppression   the share of records that may be suppressed
    levels        the best levels
    loss          the loss on these levels
    suppressed    the number of suppressed records
    local_loss    the loss of the release record by record that was found; None if none was looked for
    local_suppressed   its number of suppressed records
    """

    threshold: float | None
    suppression: float
    levels: Mapping[str, int]
    loss: float
    suppressed: int
    local_loss: float | None = None
    local_suppressed: int | None = None


@dataclass(frozen=True, eq=False)
class Frontier(Rows, Displayable):
    """The points that no other point beats: as strict, with as little suppression and as little loss, by each method.

    measure, parameter   the threshold that varies; None if only suppression does
    points               strictest thresholds last; for equal thresholds, smallest limits on suppression first
    own                  the threshold and the limit of the rules themselves
    facts                all this, as it is part of documents
    checked              number of nodes tested, of all `nodes`

    >>> from PETWorks import frontier
    >>> roles = {"quasi_identifiers": ["zip", "nationality"], "identifiers": ["age", "salary-class"]}
    >>> release = Release("data/delta.csv", roles, "data/delta_hierarchy")
    >>> vary = {"k-anonymity": {"k": [2, 3, 4]}}
    >>> found = frontier(release, {"k-anonymity": {"k": 2}}, vary=vary, suppression=0, method="global")
    >>> [(point.threshold, point.levels, round(point.loss, 3)) for point in found.points]
    [(3, {'zip': 1, 'nationality': 1}, 0.444)]
    """

    release: Release
    rules: tuple[Rule, ...]
    settings: Mapping[str, Any]
    facts: FrontierFacts
    checked: int
    nodes: int
    make: Callable[..., Anonymization] = anonymize_release  # makes the release of a point

    @property
    def measure(self) -> str | None:
        """The measure of the threshold that varies."""
        return self.facts.measure

    @property
    def parameter(self) -> str | None:
        """The name of the threshold that varies."""
        return self.facts.parameter

    @property
    def own(self) -> tuple[float | None, float]:
        """The threshold and the limit of the rules themselves."""
        return self.facts.threshold, self.facts.suppression

    @property
    def larger_is_stricter(self) -> bool:
        """Whether larger thresholds are stricter."""
        return self.facts.larger_is_stricter

    @cached_property
    def points(self) -> tuple[FrontierPoint, ...]:
        """The points, with levels by column."""
        return tuple(
            FrontierPoint(
                point.threshold,
                point.suppression,
                dict(zip(self.facts.columns, point.levels, strict=True)),
                point.loss,
                point.suppressed,
                point.local_loss,
                point.local_suppressed,
            )
            for point in self.facts.points
        )

    @property
    def own_point(self) -> FrontierPoint | None:
        """The point of the rules themselves, or one as strict and no worse; None if they cannot be satisfied."""
        index = self.facts.best_point(*self.own)
        return None if index is None else self.points[index]

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
        if self.facts.method == "local":
            columns["local_loss"] = pa.array([point.local_loss for point in self.points], pa.float64())
            columns["local_suppressed"] = pa.array([point.local_suppressed for point in self.points], pa.int64())
        for name in self.release.quasi_identifiers:
            levels = [point.levels[name] for point in self.points]
            columns[f"level of {name}"] = pa.array(levels, pa.int64())
        return pa.table(columns)

    def to_arrow(self) -> "pa.Table":
        """A row for each point as a PyArrow table: threshold, suppression, loss, suppressed records, levels.

        With the method "local" also the loss and the suppressed records of the release record by record.
        """
        return self.table

    def anonymize(self, point: FrontierPoint, method: str | None = None) -> Anonymization:
        """The release of a point.

        method   "global" for its levels, "local" record by record; by default that of the frontier
        """
        method = method or ("global" if point.local_loss is None else "local")
        check_method(method)
        rules = self.rules
        if self.measure is not None and self.parameter is not None:
            rules = with_threshold(rules, self.measure, self.parameter, point.threshold)
        settings = {**self.settings, "method": "local"}
        if method == "global":
            settings = {
                **{name: value for name, value in self.settings.items() if name != "keep"},
                "levels": dict(point.levels),
                "may_lose": ALL,
            }
        return self.make(self.release, rules, suppression=point.suppression, **settings)

    def to_dict(self) -> dict[str, Any]:
        """The points as plain dicts, lists, numbers and texts."""
        return {
            "measure": self.measure,
            "parameter": self.parameter,
            "own": {"threshold": self.own[0], "suppression": self.own[1]},
            "points": [point._asdict() for point in self.points],
            "checked": self.checked,
            "nodes": self.nodes,
        }

    def __repr__(self) -> str:
        subject = SUPPRESSION if self.measure is None else f"{self.measure} {self.parameter}"
        return f"<Frontier of {subject}: {len(self.points)} points, {self.checked} of {self.nodes} nodes checked>"


def find_frontier(
    release: Release,
    rules: tuple[Rule, ...],
    vary: VariedThresholds | None = None,
    *,
    suppression: float = 0.0,
    method: str = "global",
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Frontier:
    """The least loss for each threshold of a rule and each limit on suppression; see `frontier`.

    settings   the other fields of `SearchSettings`
    """
    check_method(method)
    time_limit = check_seconds(seconds) or LOCAL_SECONDS
    measure, parameter, thresholds, limits = check_vary(rules, vary, suppression)
    problem = make_problem(release, rules, SearchSettings(suppression=max(limits), **settings))
    problem.lattice.check_size(Phrase("for a frontier"))
    if problem.lattice.nodes * len(thresholds) > MAX_BOUNDS:
        raise ParameterError(
            "a frontier of {thresholds} thresholds on {nodes:,} nodes needs too much memory; "
            "vary less, or give bounds on levels",
            thresholds=len(thresholds),
            nodes=problem.lattice.nodes,
            what="vary",
        )
    search = _make_search(problem, measure, parameter, thresholds, limits)
    by_strictness = range(len(thresholds))
    search.run(by_strictness[::-1] if is_lower_limit(measure, parameter) else by_strictness, progress)
    found = [
        PointOfFrontier(threshold, limit, best.loss, best.suppressed, best.node)
        for threshold, bests in zip(thresholds, search.bests, strict=True)
        for limit, best in zip(limits, bests, strict=True)
        if best is not None
    ]
    own_threshold = None if measure is None or parameter is None else threshold_of(rules, measure, parameter)
    is_lower = is_lower_limit(measure, parameter)
    why_global = why_not_local(problem) if method == "local" else None
    if method == "local" and why_global is None:

        def problem_at(point: PointOfFrontier) -> Problem:
            return _problem_at(problem, measure, parameter, point)

        # The user's own point first: time may run out.
        found.sort(key=lambda point: (point.threshold != own_threshold) + (point.suppression != suppression))
        found = _recode_locally(found, problem_at, time_limit, progress)
    facts = FrontierFacts(
        measure,
        parameter,
        is_lower,
        own_threshold,
        float(suppression),
        problem.lattice.columns,
        _undominated(found, is_lower=is_lower),
        why_global,
    )
    return Frontier(release, rules, settings, facts, search.checked, problem.lattice.nodes)


def _recode_locally(
    points: Sequence[PointOfFrontier],
    problem_at: Callable[[PointOfFrontier], Problem],
    seconds: float,
    report: Report | None,
) -> list[PointOfFrontier]:
    """Add the loss record by record to each point; once time has run out, it is that of the point's levels."""
    end = monotonic() + seconds
    is_stopped = False
    found = []
    for point in points:
        loss, suppressed = point.loss, point.suppressed
        if not is_stopped:
            result = recode_locally(_on_levels(problem_at(point), point.levels), report, lambda: monotonic() >= end)
            loss, suppressed, is_stopped = result.loss, result.suppressed, not result.is_complete
        found.append(structs.replace(point, local_loss=loss, local_suppressed=int(suppressed), stopped=is_stopped))
    return found


def _problem_at(problem: Problem, measure: str | None, parameter: str | None, point: PointOfFrontier) -> Problem:
    """The problem with the threshold and the limit of a point."""
    rules = problem.rules
    if measure is not None and parameter is not None:
        rules = with_threshold(rules, measure, parameter, point.threshold)
    max_suppressed = allowed_suppression(point.suppression, problem.cube.records)
    return replace(problem, rules=rules, max_suppressed=max_suppressed, suppression=point.suppression)


def _on_levels(problem: Problem, node: Node) -> Anonymization:
    """The release on a node that is known to be the best."""
    search = problem.search()
    search.look_at(node)
    assert search.best is not None
    result = best_levels(problem, search, search.best)
    return replace(result, optimal=True, bound=result.loss)


def _make_search(
    problem: Problem, measure: str | None, parameter: str | None, thresholds: Sequence[Any], limits: Sequence[float]
) -> JointSearch:
    """A search for all thresholds and all limits."""
    judges = []
    allowed = [allowed_suppression(limit, problem.cube.records) for limit in limits]
    for threshold in thresholds:
        rules = problem.rules
        if measure is not None and parameter is not None:
            rules = with_threshold(rules, measure, parameter, threshold)
        judges.append(Judge(problem.cube, rules, max(allowed), problem.objective, min(allowed), problem.columns))
    return JointSearch(problem.cube, problem.objective, judges, allowed, problem.keeping)


def _undominated(points: Sequence[PointOfFrontier], *, is_lower: bool) -> tuple[PointOfFrontier, ...]:
    """The points that no other point beats: as strict, with as little suppression and losses, and better in one.

    Points for which time ran out stay, as what they lose is not known.
    """

    def rank(point: PointOfFrontier) -> tuple[float, float, float, float]:
        strict = 0.0 if point.threshold is None else float(point.threshold)
        return (-strict if is_lower else strict, point.suppression, point.loss, point.loss_by("local"))

    def beats(rank_a: tuple[float, ...], rank_b: tuple[float, ...]) -> bool:
        return rank_a != rank_b and all(a <= b for a, b in zip(rank_a, rank_b, strict=True))

    ranks = [rank(point) for point in points]
    best = [
        point
        for point, own_rank in zip(points, ranks, strict=True)
        if point.stopped or not any(beats(other, own_rank) for other in ranks)
    ]
    return tuple(sorted(best, key=lambda point: (-rank(point)[0], point.suppression)))
