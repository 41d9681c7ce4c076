"""Remedies for failing rules, taken from the measures and parameters in the catalogue."""

import math
from collections.abc import Iterable, Mapping

from PETWorks.gate.document.check_document import CheckDocument, RuleResult
from PETWorks.gate.policy.policy_rules import ALL_RELEASES, SUBSETS
from PETWorks.measures.catalogue import Parameter, catalogue
from PETWorks.measures.result import Result

# Steps other than larger classes, in the order of the advice.
REMEDIES = ("more-values", "diversify", "hide-presence", "blur", "blur-together", "refine")


def remedy(rule: RuleResult, has_small_classes: bool) -> str | None:
    """The step that helps a failing rule besides larger classes; None if larger classes are enough."""
    if rule.measure == SUBSETS:
        return "blur"
    if rule.measure == ALL_RELEASES:
        return "blur-together"
    step = catalogue[rule.measure].if_it_fails
    return None if step == "blur" and has_small_classes else step


def sufficient_class_size(rule: RuleResult) -> float:
    """The smallest class size with which a failing rule would hold; 0 if the rule is not about class sizes."""
    if "limits" in rule.details:
        limits = rule.details["limits"].values()
        sizes = [limit["smallest_class_wanted"] for limit in limits if not limit["holds"]]
    else:
        sizes = [value for value, parameter in _thresholds(rule) if parameter.unit == "records"]
        sizes += [catalogue[rule.measure].classes_to_avoid] if rule.measure in catalogue else []
    return max((size for size in sizes if size is not None), default=0)


def class_size_wanted(document: CheckDocument) -> int:
    """The smallest class size that the rules ask for; the policy's cell size if no rule limits it."""
    return size_asked_for(document.rules) or math.ceil(document.policy.cell_size)


def size_asked_for(rules: Iterable[RuleResult | Result]) -> int | None:
    """The smallest class size that rules, or results with a threshold, ask for; None if none limits it."""
    sizes: list[float | None] = []
    for rule in rules:
        sizes += [limit["smallest_class_wanted"] for limit in rule.details.get("limits", {}).values()]
        sizes += [value for value, parameter in _thresholds(rule) if parameter.unit == "records"]
    return math.ceil(max((size for size in sizes if size), default=0)) or None


def limits_class_sizes(rule: RuleResult) -> bool:
    """Whether a rule demands several records per class, for all quasi-identifiers or for every subset."""
    if rule.measure == SUBSETS:
        return any(limit < 1 for name, limit in rule.parameters.items() if name == "highest-risk" and limit is not None)
    if (size_asked_for([rule]) or 0) > 1 or values_per_class(rule) > 1:
        return True
    return any(parameter.class_size(value) > 1 for value, parameter in _thresholds(rule))


def values_per_class(rule: RuleResult) -> float:
    """The number of sensitive values that a rule demands in every class; 0 if it demands none."""
    return max((value or 0 for value, parameter in _thresholds(rule) if parameter.unit == "values"), default=0)


def _thresholds(rule: RuleResult | Result) -> list[tuple[float | None, Parameter]]:
    """The parameters of a rule with their values; empty for rules whose measure is not in the catalogue."""
    known: Mapping[str, Parameter] = catalogue[rule.measure].parameters if rule.measure in catalogue else {}
    return [(rule.parameters[name], parameter) for name, parameter in known.items() if name in rule.parameters]
