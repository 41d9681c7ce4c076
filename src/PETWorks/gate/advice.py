"""What to do next: steps drawn from the verdicts and the findings, as data; the renderers have the words."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from PETWorks.counting.release import Release
from PETWorks.gate.facts import below, without
from PETWorks.gate.policy import NO_IDENTIFIERS, SUBSETS, Policy
from PETWorks.measures.catalogue import find

SOON = 30  # days before a waiver's end that are worth a word
MOST_SUPPRESSED = 0.05  # share of records; above it, somebody should look
MOST_NAMED = 3


def next_steps(
    release: Release, policy: Policy, rules: Sequence[Mapping[str, Any]], today: date, drivers: Iterable[str]
) -> list[dict[str, Any]]:
    """Steps, the most pressing first; each has a name and what its text needs."""
    steps: list[dict[str, Any]] = []
    inside = released_identifiers(release)
    if inside:
        steps.append({"step": "remove-identifiers", "columns": inside})
    ordered = list(drivers) or sorted(
        release.quasi_identifiers, key=lambda column: -len(release.marginal(column).values)
    )
    if release.privacy_unit is not None:
        steps.append({"step": "unlink", "columns": [release.privacy_unit]})
    failing = [rule for rule in rules if rule["satisfied"] is False and rule["name"] != NO_IDENTIFIERS]
    small = {rule["name"]: size for rule in failing if below(release.class_sizes(), size := _size_wanted(rule))}
    if small:
        wanted = max(small.values())
        steps.append(
            {
                "step": "merge-classes",
                "size": wanted,
                "records": below(release.class_sizes(), wanted),
                "share": below(release.class_sizes(), wanted) / release.class_sizes().records,
                "rules": list(small),
                "without": without(release, wanted, ordered),
            }
        )
    by_step: dict[str, list[str]] = {}
    for rule in failing:
        step = _step(rule, rule["name"] in small)
        if step is not None:
            by_step.setdefault(step, []).append(rule["name"])
    hopeless = sorted({name for rule in failing for name in _too_few_values(rule, release)})
    if hopeless:
        rules_of = [rule["name"] for rule in failing if _too_few_values(rule, release)]
        steps.append({"step": "cannot-hold", "rules": rules_of, "columns": hopeless})
    steps += [
        {"step": step, "rules": by_step[step], "columns": ordered[:MOST_NAMED]} for step in _STEPS if step in by_step
    ]
    waivers: dict[str, list[str]] = {}
    for rule in rules:
        if rule["waiver"] is not None:
            left = (date.fromisoformat(rule["waiver"]["expires"]) - today).days
            state = {"expired": "waiver-expired", "not needed": "waiver-not-needed"}.get(rule["waiver"]["state"])
            if state is not None or left <= SOON:
                waivers.setdefault(state or "waiver-ends", []).append(rule["name"])
    steps += [{"step": step, "rules": names} for step, names in waivers.items()]
    outside = [rule["name"] for rule in rules if _size_asked(rule) and _size_asked(rule) < policy.cell_size]
    if outside:
        steps.append({"step": "tells-outside", "rules": outside})
    without_role = [name for name in release.columns if name not in release.roles and name != release.privacy_unit]
    if without_role:
        steps.append({"step": "give-roles", "columns": without_role})
    if release.suppressed_records > MOST_SUPPRESSED * release.records:
        share = release.suppressed_records / release.records
        steps.append({"step": "many-suppressed", "records": release.suppressed_records, "share": share})
    if policy.subset_sizes is None and release.privacy_unit is None:
        steps.append({"step": "try-subsets"})
    return steps


def _size_wanted(rule: Mapping[str, Any]) -> float:
    """The class size that would keep a rule, if it is about class sizes."""
    parameters = rule["parameters"]
    limits = rule["details"].get("limits", {}).values()
    sizes = [
        limit["smallest_class_wanted"] for limit in limits if limit["smallest_class_wanted"] and not limit["holds"]
    ]
    if rule["measure"] in ("k-anonymity", "alpha-k-anonymity", "k-map"):
        sizes.append(parameters.get("k"))
    if rule["measure"] == "sample-uniqueness":
        sizes.append(2)
    return max((size for size in sizes if size is not None), default=0)


def _size_asked(rule: Mapping[str, Any]) -> float:
    """The class size that a rule asks for, if it does."""
    given = rule["parameters"]
    risk = given.get("highest") or given.get("highest-risk")
    return float(given.get("k") or given.get("cell_size") or (1 / risk if risk else 0))


def released_identifiers(release: Release) -> list[str]:
    """Direct identifiers that are in the release; the privacy unit is needed to count people."""
    return [name for name in release.identifiers if name in release.columns and name != release.privacy_unit]


def _too_few_values(rule: Mapping[str, Any], release: Release) -> list[str]:
    """Sensitive attributes that have fewer values in the whole table than a rule wants in every class."""
    wanted = rule["parameters"].get("l") or 0
    return [name for name in release.sensitive_attributes if len(release.marginal(name).values) < wanted]


def _step(rule: Mapping[str, Any], has_small_classes: bool) -> str | None:
    """What helps a rule that does not hold, besides larger classes."""
    if rule["measure"] == SUBSETS:
        return "blur"
    entry = find(rule["measure"])
    if entry.family == "utility":
        return "refine"
    if "a sensitive attribute" in entry.needs:
        return "more-values" if "l" in entry.parameters else "diversify"
    if "the original table" in entry.needs:
        return "hide-presence"
    return None if has_small_classes else "blur"


_STEPS = ("more-values", "diversify", "hide-presence", "blur", "refine")
