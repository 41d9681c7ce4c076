"""Rules as a search sees them: tests of single classes, and limits for the whole table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.errors import Hint, NotApplicable, ParameterError, Phrase, unknown
from PETWorks.measures.attacks.subset_limits import checked_limits, checked_sizes, known_columns
from PETWorks.measures.attacks.subsets import every_subset
from PETWorks.measures.catalogue import Metric, find
from PETWorks.measures.classes import ClassTest, Suppressing
from PETWorks.measures.result import Result
from PETWorks.tables.arrays import dictionary, taken_rows
from PETWorks.tables.source import Source
from PETWorks.tables.writing import whole_table

NO_RULE = Phrase("no rule is given; name at least one, such as {{'k-anonymity': {{'k': 5}}}}")

Rules = Mapping[str, Mapping[str, Any]] | Iterable[tuple[str, Mapping[str, Any]]]


class Rule(Protocol):
    """Something that a release must keep.

    name                   what explanations call it
    is_about_the_table     whether some threshold is not one of single classes
    worse_by_suppression   whether suppressing more records can never help
    """

    @property
    def name(self) -> str:
        """What explanations call it."""

    @property
    def is_about_the_table(self) -> bool:
        """Whether some threshold is not one of single classes."""

    @property
    def worse_by_suppression(self) -> bool:
        """Whether suppressing more records can never help."""

    def check(self, view: View) -> None:
        """An error if the rule cannot be judged at all."""

    def tests(self, view: View) -> list[ClassTest]:
        """The tests of single classes."""

    def suppressing(self, view: View) -> Suppressing | None:
        """How the limits for the whole table are met by suppressing the smallest classes, if sizes tell it."""

    def holds(self, view: View) -> bool:
        """Whether a release keeps the rule."""


@dataclass(frozen=True, eq=False)
class MeasureRule:
    """A measure with thresholds, its parameters checked."""

    metric: Metric
    parameters: Mapping[str, Any]
    called: str | None = None
    of: str | None = None  # the rule of the policy, if this is it with another threshold

    @property
    def name(self) -> str:
        """As it was called, or the measure's name and the thresholds that were given."""
        if self.called is not None:
            return self.called
        given = [
            f"{name}={value:g}" if isinstance(value, int | float) else f"{name}={value}"
            for name, value in self.parameters.items()
            if value is not None and value != self.metric.parameters[name].default
        ]
        return f"{self.metric.name} ({', '.join(given)})" if given else self.metric.name

    @property
    def is_about_the_table(self) -> bool:
        """Whether some threshold is not one of single classes."""
        if self.metric.tests is None:
            return True
        return any(self.parameters[name] is not None for name in self.metric.table_limits)

    @property
    def worse_by_suppression(self) -> bool:
        """Whether suppressing more records can never help."""
        return self.metric.worse_by_suppression

    def check(self, view: View) -> None:
        """An error if the measure needs what is not given, or has no threshold."""
        if self.metric.measure(view, self.parameters).satisfied is None:
            raise ParameterError(
                "{metric} has no threshold here, so there is nothing to judge",
                metric=self.metric.name,
                what=self.metric.name,
            )

    def tests(self, view: View) -> list[ClassTest]:
        """The tests of single classes."""
        return self.metric.tests(view, **self.parameters) if self.metric.tests is not None else []

    def suppressing(self, view: View) -> Suppressing | None:
        """How the limits for the whole table are met by suppressing the smallest classes, if sizes tell it."""
        if self.metric.suppressing is None or not self.is_about_the_table:
            return None
        return self.metric.suppressing(view, **self.parameters)

    def holds(self, view: View) -> bool:
        """Whether a release keeps the rule; it does not if the measure does not apply, as where all is suppressed."""
        if not view.records:
            return False
        try:
            return self.metric.judge(view, self.parameters)[1] is True
        except NotApplicable:
            return False


@dataclass(frozen=True, eq=False)
class TaskRule(MeasureRule):
    """What a function of the user's finds in the release: it gets whole tables, in Arrow's form.

    Without a limit nothing is demanded; what it finds is only told.
    """

    source: Source | None = None

    @property
    def is_demanded(self) -> bool:
        """Whether there is a limit."""
        return self.parameters["max_bias"] is not None

    def check(self, view: View) -> None:
        """An error if the measure has no function, or the function finds no number."""
        self.found(view)

    def found(self, view: View) -> Result:
        """What the function finds in a release."""
        return self.metric.measure(self._with_tables(view), self.parameters)

    def holds(self, view: View) -> bool:
        """Whether a release keeps the rule."""
        return super().holds(self._with_tables(view))

    def _with_tables(self, view: View) -> View:
        assert self.source is not None
        rows: Any = view.table
        before = whole_table(self.source)
        after = before if rows.origin is None else taken_rows(before, rows.origin)
        for name in view.quasi_identifiers:
            cells = dictionary(rows.columns[name].codes, rows.columns[name].labels)
            after = after.set_column(after.column_names.index(name), name, cells)
        return replace(view, background=replace(view.background, given=(after, before)))


def with_tables(rule: Rule, release: Release) -> Rule:
    """A rule that can be judged in a search: what the user's own functions see of a release has to be made for them."""
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
    """A limit for adversaries who know any subset of the quasi-identifiers."""

    limit: str
    at_most: float
    sizes: Any = "all"
    is_about_the_table = True
    worse_by_suppression = False

    @property
    def name(self) -> str:
        """The limit."""
        return f"every-subset: {self.limit}"

    def check(self, view: View) -> None:
        """An error if there is no such limit or no such size."""
        checked_sizes(self.sizes, len(known_columns(view)))
        checked_limits({self.limit: self.at_most}, view.sensitive_attributes)

    def tests(self, _view: View) -> list[ClassTest]:
        """None: a class is one of all quasi-identifiers."""
        return []

    def suppressing(self, _view: View) -> Suppressing | None:
        """The sizes of classes do not tell it."""
        return None

    def holds(self, view: View) -> bool:
        """Whether a release keeps the rule."""
        if not view.records:
            return False
        subsets = every_subset(view, self.sizes)
        return all(row["satisfied"] for row in subsets.limits({self.limit: self.at_most}))


def checked_rules(rules: Rules, subsets: Mapping[str, Any] | None = None) -> tuple[Rule, ...]:
    """The rules, each a known measure with right parameters; `subsets` has sizes and limits, as in a policy."""
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
        metric = find(pair[0])
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
