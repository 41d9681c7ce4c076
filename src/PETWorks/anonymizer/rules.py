"""Rules as a search uses them: tests of single classes, and limits on the whole table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.errors import Hint, NotApplicable, ParameterError, Phrase, unknown
from PETWorks.measures.attacks.subsets import check_limits, every_subset, known_columns, parse_sizes
from PETWorks.measures.catalogue import Metric, find_measure
from PETWorks.measures.classes import ClassTest, SuppressionTest
from PETWorks.measures.result import Result
from PETWorks.tables.arrays import dictionary, take_rows
from PETWorks.tables.source import Source
from PETWorks.tables.writing import whole_table

NO_RULE = Phrase("no rule is given; name at least one, such as {{'k-anonymity': {{'k': 5}}}}")

Rules = Mapping[str, Mapping[str, Any]] | Iterable[tuple[str, Mapping[str, Any]]]


class Rule(Protocol):
    """A requirement that a release must satisfy.

    name                   its name in explanations
    is_about_the_table     whether it limits something other than single classes
    worse_by_suppression   whether suppressing more records can never help
    """

    @property
    def name(self) -> str:
        """Its name in explanations."""

    @property
    def is_about_the_table(self) -> bool:
        """Whether it limits something other than single classes."""

    @property
    def worse_by_suppression(self) -> bool:
        """Whether suppressing more records can never help."""

    def check(self, view: View) -> None:
        """Raise if the rule cannot be tested at all."""

    def tests(self, view: View) -> list[ClassTest]:
        """The tests of single classes."""

    def suppressing(self, view: View) -> SuppressionTest | None:
        """The test of limits on the whole table by the number of smallest classes suppressed, if sizes decide."""

    def holds(self, view: View) -> bool:
        """Whether a release satisfies the rule."""


@dataclass(frozen=True, eq=False)
class MeasureRule:
    """A measure with thresholds, its parameters checked."""

    metric: Metric
    parameters: Mapping[str, Any]
    called: str | None = None
    of: str | None = None  # name of the rule of the policy, if this one only has another threshold

    @property
    def name(self) -> str:
        """The name it was given, or the name of the measure with its non-default parameters."""
        if self.called is not None:
            return self.called
        non_default = [
            f"{name}={value:g}" if isinstance(value, int | float) else f"{name}={value}"
            for name, value in self.parameters.items()
            if value is not None and value != self.metric.parameters[name].default
        ]
        return f"{self.metric.name} ({', '.join(non_default)})" if non_default else self.metric.name

    @property
    def is_about_the_table(self) -> bool:
        """Whether it limits something other than single classes."""
        if self.metric.tests is None:
            return True
        return any(self.parameters[name] is not None for name in self.metric.table_limits)

    @property
    def worse_by_suppression(self) -> bool:
        """Whether suppressing more records can never help."""
        return self.metric.worse_by_suppression

    def check(self, view: View) -> None:
        """Raise if the measure lacks something that it needs, or has no threshold."""
        if self.metric.measure(view, self.parameters).satisfied is None:
            raise ParameterError(
                "{metric} has no threshold here, so there is nothing to judge",
                metric=self.metric.name,
                what=self.metric.name,
            )

    def tests(self, view: View) -> list[ClassTest]:
        """The tests of single classes."""
        return self.metric.tests(view, **self.parameters) if self.metric.tests is not None else []

    def suppressing(self, view: View) -> SuppressionTest | None:
        """The test of limits on the whole table by the number of smallest classes suppressed, if sizes decide."""
        if self.metric.suppressing is None or not self.is_about_the_table:
            return None
        return self.metric.suppressing(view, **self.parameters)

    def holds(self, view: View) -> bool:
        """Whether a release satisfies the rule; False if the measure does not apply, as if all is suppressed."""
        if not view.records:
            return False
        try:
            return self.metric.judge(view, self.parameters)[1] is True
        except NotApplicable:
            return False


@dataclass(frozen=True, eq=False)
class TaskRule(MeasureRule):
    """A limit on the result of the user's function for the release; it gets whole tables as Arrow tables.

    Without a limit the result is only reported.
    """

    source: Source | None = None

    @property
    def is_demanded(self) -> bool:
        """Whether there is a limit."""
        return self.parameters["max_bias"] is not None

    def check(self, view: View) -> None:
        """Raise if the measure has no function, or the function returns no number."""
        self.measure_release(view)

    def measure_release(self, view: View) -> Result:
        """The result of the function for a release."""
        return self.metric.measure(self._with_tables(view), self.parameters)

    def holds(self, view: View) -> bool:
        """Whether a release satisfies the rule."""
        return super().holds(self._with_tables(view))

    def _with_tables(self, view: View) -> View:
        assert self.source is not None
        rows: Any = view.table
        before = whole_table(self.source)
        after = before if rows.origin is None else take_rows(before, rows.origin)
        for name in view.quasi_identifiers:
            cells = dictionary(rows.columns[name].codes, rows.columns[name].labels)
            after = after.set_column(after.column_names.index(name), name, cells)
        return replace(view, background=replace(view.background, given=(after, before)))


def with_tables(rule: Rule, release: Release) -> Rule:
    """A rule that a search can test: the user's functions need whole tables, which are made for them."""
    if not isinstance(rule, MeasureRule) or rule.metric.name != "utility-bias":
        return rule
    if release.engine.name != "memory":
        raise NotApplicable(
            "utility-bias hands whole tables to a function, which the engine {engine!r} does "
            "not have in memory; use the engine 'memory'",
            Hint.ENGINE_IN_MEMORY,
            engine=release.engine.name,
            what="utility-bias",
        )
    return TaskRule(rule.metric, rule.parameters, rule.called, source=release.source)


@dataclass(frozen=True, eq=False)
class SubsetRule:
    """A limit on what adversaries learn who know any subset of the quasi-identifiers."""

    limit: str
    at_most: float
    sizes: Any = "all"
    is_about_the_table = True
    worse_by_suppression = False

    @property
    def name(self) -> str:
        """Its name in explanations."""
        return f"every-subset: {self.limit}"

    def check(self, view: View) -> None:
        """Raise if the limit or the sizes do not exist."""
        parse_sizes(self.sizes, len(known_columns(view)))
        check_limits({self.limit: self.at_most}, view.sensitive_attributes)

    def tests(self, _view: View) -> list[ClassTest]:
        """Nothing: the limit is not about classes of all quasi-identifiers."""
        return []

    def suppressing(self, _view: View) -> SuppressionTest | None:
        """None: class sizes do not decide."""
        return None

    def holds(self, view: View) -> bool:
        """Whether a release satisfies the rule."""
        if not view.records:
            return False
        subsets = every_subset(view, self.sizes)
        return all(row["satisfied"] for row in subsets.limits({self.limit: self.at_most}))


def check_rules(rules: Rules, subsets: Mapping[str, Any] | None = None) -> tuple[Rule, ...]:
    """Check that each rule is a known measure with valid parameters; `subsets` has sizes and limits, as in a policy."""
    pairs = rules.items() if isinstance(rules, Mapping) else rules
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise ParameterError(
            "expected rules as a dict from measure to parameters, got {type}", type=type(rules).__name__, what="rules"
        )
    checked: list[Rule] = []
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[1], Mapping):
            raise ParameterError(
                "expected for each rule the name of a measure and a dict of its parameters", what="rules"
            )
        metric = find_measure(pair[0])
        checked.append(MeasureRule(metric, metric.check(pair[1])))
    checked += _subset_rules(subsets) if subsets is not None else []
    if not checked:
        raise ParameterError(NO_RULE, what="rules")
    return tuple(checked)


def _subset_rules(subsets: Mapping[str, Any]) -> list[SubsetRule]:
    limits = subsets.get("limits") if isinstance(subsets, Mapping) else None
    if not isinstance(limits, Mapping) or not limits:
        raise ParameterError("expected subsets such as {'sizes': '1-3', 'limits': {'uniques': 0}}", what="subsets")
    for name in subsets:
        if name not in ("sizes", "limits"):
            raise unknown("part of subsets", str(name), ("sizes", "limits"), what="subsets")
    return [SubsetRule(limit, at_most, subsets.get("sizes", "all")) for limit, at_most in limits.items()]
