"""What helps a rule that fails, as the measures and their parameters say in the catalogue."""

import math
from collections.abc import Iterable, Mapping

from PETWorks.gate.document.check_document import CheckDocument, RuleResult
from PETWorks.gate.policy.policy_rules import SUBSETS, TOGETHER
from PETWorks.measures.catalogue import Parameter, catalogue
from PETWorks.measures.result import Result

# Steps besides larger classes, in the order in which they are advised.
REMEDIES = ("more-values", "diversify", "hide-presence", "blur", "blur-together", "refine")


def remedy(rule: RuleResult, has_small_classes: bool) -> str | None:
    """The step that helps a failing rule besides larger classes; None if larger classes are all it needs."""
    if rule.measure == SUBSETS:
        return "blur"
    if rule.measure == TOGETHER:
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
    """The smallest class size that the rules ask for; the policy's cell size if no rule is about that."""
    return size_asked_for(document.rules) or math.ceil(document.policy.cell_size)


def size_asked_for(rules: Iterable[RuleResult | Result]) -> int | None:
    """The smallest class size that rules, or results with a threshold, ask for; None if none is about that."""
    sizes: list[float | None] = []
    for rule in rules:
        sizes += [limit["smallest_class_wanted"] for limit in rule.details.get("limits", {}).values()]
        sizes += [value for value, parameter in _thresholds(rule) if parameter.unit == "records"]
    return math.ceil(max((size for size in sizes if size), default=0)) or None


def limits_class_sizes(rule: RuleResult) -> bool:
    """Whether a rule demands that every class has several records, in all of its columns or in every subset of them."""
    if rule.measure == SUBSETS:
        return any(limit < 1 for name, limit in rule.parameters.items() if name == "highest-risk" and limit is not None)
    if (size_asked_for([rule]) or 0) > 1 or values_per_class(rule) > 1:
        return True
    return any(parameter.class_size(value) > 1 for value, parameter in _thresholds(rule))


def values_per_class(rule: RuleResult) -> float:
    """How many sensitive values a rule demands in every class; 0 if it demands none."""
    return max((value or 0 for value, parameter in _thresholds(rule) if parameter.unit == "values"), default=0)


def _thresholds(rule: RuleResult | Result) -> list[tuple[float | None, Parameter]]:
    """The parameters of a rule with their values; only measures of the catalogue have such parameters."""
    known: Mapping[str, Parameter] = catalogue[rule.measure].parameters if rule.measure in catalogue else {}
    return [(rule.parameters[name], parameter) for name, parameter in known.items() if name in rule.parameters]
