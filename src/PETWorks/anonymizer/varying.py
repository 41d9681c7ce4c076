"""What a frontier varies: the threshold of a rule, and the limit of suppression."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.errors import ParameterError, quoted
from PETWorks.measures.catalogue import find
from PETWorks.measures.parameters import Number, number_given

CLASS_SIZES = (2, 3, 5, 10, 11, 20, 50)
LIMITS = (0, 0.01, 0.02, 0.05, 0.1)
SUPPRESSION = "suppression"
MOST_POINTS = 200

Vary = Mapping[str, Any]


def varied(
    rules: tuple[Rule, ...], vary: Vary | None, suppression: float
) -> tuple[str | None, str | None, list[Any], list[float]]:
    """The measure and the parameter that are varied, its thresholds, and the limits of suppression."""
    if vary is not None and (not isinstance(vary, Mapping) or not vary):
        raise ParameterError("expected vary such as {'k-anonymity': {'k': [2, 5, 10]}}", what="vary")
    given = dict(_usual(rules) if vary is None else vary)
    limits = _numbers(given.pop(SUPPRESSION, [suppression]), SUPPRESSION)
    limits = sorted({*map(float, limits), float(suppression)})
    if any(not 0 <= limit <= 1 for limit in limits):
        raise ParameterError(
            "expected suppression as shares of the records, 0 to 1, got {limits!r}", limits=limits, what="vary"
        )
    if len(given) > 1 or any(not isinstance(one, Mapping) or len(one) != 1 for one in given.values()):
        raise ParameterError(
            "expected one rule and one of its thresholds to vary, such as {'k-anonymity': {'k': [2, 5, 10]}}",
            what="vary",
        )
    if not given:
        return None, None, [None], limits
    ((measure, parameters),) = given.items()
    metric = find(measure)
    ((parameter, values),) = parameters.items()
    own = threshold_of(rules, metric.name, str(parameter))
    thresholds = [metric.check({parameter: value})[parameter] for value in _numbers(values, str(parameter))]
    thresholds = sorted({*thresholds, own})
    if len(thresholds) * len(limits) > MOST_POINTS:
        raise ParameterError(
            "a frontier has at most {most} points, got {thresholds} thresholds and {limits} limits",
            most=MOST_POINTS,
            thresholds=len(thresholds),
            limits=len(limits),
            what="vary",
        )
    return metric.name, str(parameter), thresholds, limits


def _usual(rules: tuple[Rule, ...]) -> dict[str, Any]:
    """What is varied if nobody says: k, if it is a rule, and suppression."""
    of_sizes = [rule for rule in rules if isinstance(rule, MeasureRule) and rule.metric.name == "k-anonymity"]
    return {SUPPRESSION: LIMITS} | ({"k-anonymity": {"k": CLASS_SIZES}} if len(of_sizes) == 1 else {})


def _numbers(values: Any, what: str) -> list[float]:
    given = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    numbers = [number_given(value) for value in given]
    if not numbers or any(number is None for number in numbers):
        raise ParameterError(
            "expected a list of numbers for {thing}, got {values!r}", thing=what, values=str(values)[:60], what="vary"
        )
    return [number for number in numbers if number is not None]


def threshold_of(rules: tuple[Rule, ...], measure: str, parameter: str) -> Any:
    """The threshold that the rules have; an error if no rule has such a one, or several have."""
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
    limits = [name for name, one in parameters.items() if isinstance(one.rule, Number) and one.rule.limit]
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
        _with_threshold(rule, parameter, value)
        if isinstance(rule, MeasureRule) and rule.metric.name == measure
        else rule
        for rule in rules
    )


def _with_threshold(rule: MeasureRule, parameter: str, value: Any) -> MeasureRule:
    """A rule with another threshold, and a name that tells it."""
    checked = rule.metric.check({**rule.parameters, parameter: value})
    if rule.called is None or checked[parameter] == rule.parameters[parameter]:
        return replace(rule, parameters=checked)
    called = f"{rule.called} ({parameter}={checked[parameter]:g})"
    return replace(rule, parameters=checked, called=called, of=rule.of or rule.called)


def is_lower_limit(measure: str | None, parameter: str | None) -> bool:
    """Whether a threshold demands at least so much, so that larger ones are stricter."""
    if measure is None or parameter is None:
        return True
    rule = find(measure).parameters[parameter].rule
    return isinstance(rule, Number) and rule.limit == "at least"
