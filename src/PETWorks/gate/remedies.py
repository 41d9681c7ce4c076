"""What helps a rule that fails: the one place in the gate that knows single measures and their parameters."""

from PETWorks.gate.document import RuleResult
from PETWorks.gate.policy import SUBSETS
from PETWorks.measures.catalogue import find

# Steps besides larger classes, in the order in which they are advised.
REMEDIES = ("more-values", "diversify", "hide-presence", "blur", "refine")


def remedy(rule: RuleResult, has_small_classes: bool) -> str | None:
    """The step that helps a failing rule besides larger classes; None if larger classes are all it needs."""
    if rule.measure == SUBSETS:
        return "blur"
    entry = find(rule.measure)
    if entry.family == "utility":
        return "refine"
    if "a sensitive attribute" in entry.needs:
        return "more-values" if "l" in entry.parameters else "diversify"
    if "the original table" in entry.needs:
        return "hide-presence"
    return None if has_small_classes else "blur"


def sufficient_class_size(rule: RuleResult) -> float:
    """The smallest class size with which a failing rule would hold; 0 if the rule is not about class sizes."""
    limits = rule.details.get("limits", {}).values()
    sizes = [
        limit["smallest_class_wanted"] for limit in limits if limit["smallest_class_wanted"] and not limit["holds"]
    ]
    if rule.measure in ("k-anonymity", "alpha-k-anonymity", "k-map"):
        sizes.append(rule.parameters.get("k"))
    if rule.measure == "sample-uniqueness":
        sizes.append(2)
    return max((size for size in sizes if size is not None), default=0)


def threshold_class_size(rule: RuleResult) -> float:
    """The class size that the threshold of a rule stands for; 0 if it stands for none."""
    parameters = rule.parameters
    risk = parameters.get("highest") or parameters.get("highest-risk")
    return float(parameters.get("k") or parameters.get("cell_size") or (1 / risk if risk else 0))


def values_per_class(rule: RuleResult) -> float:
    """How many sensitive values a rule demands in every class; 0 if it demands none."""
    return rule.parameters.get("l") or 0
