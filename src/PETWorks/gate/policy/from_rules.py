"""Roles and rules that were given without a policy file, as a policy would say them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.about.roles import ROLE_KEYS
from PETWorks.anonymizer.rules import MeasureRule, Rule, SubsetRule
from PETWorks.counting.release import Release
from PETWorks.gate.policy.policy import Policy, checked_policy
from PETWorks.tables.yaml_files import YAMLFile

TABLES = ("data", "original", "population")


def columns_without_role(release: Release) -> list[str]:
    """The columns without a role: they would be in the release, and nobody has said that they may be."""
    return [name for name in release.columns if name not in release.roles and name != release.privacy_unit]


def described(release: Release) -> dict[str, Any]:
    """What a policy says of a table that has no roles file: roles, the privacy unit, and how records are treated."""
    unit = {} if release.privacy_unit is None else {"privacy_unit": release.privacy_unit}
    treatment = {name: way for name, way in release.treatment.items() if name != "privacy_unit"}
    roles = {
        key: [column for column, role in release.roles.items() if role == own]
        for key, own in ROLE_KEYS.items()
        if own in release.roles.values()
    }
    return {"roles": roles, **unit, "treatment": treatment}


def rules_written(rules: Sequence[MeasureRule]) -> Iterator[dict[str, Any]]:
    """The rules as a policy has them; several of one measure get names that differ."""
    measures = Counter(rule.metric.name for rule in rules)
    names: set[str] = set()
    for place, rule in enumerate(rules, 1):
        given = {name: one for name, one in rule.parameters.items() if one != rule.metric.parameters[name].default}
        if measures[rule.metric.name] == 1:
            yield {"measure": rule.metric.name, **given}
            continue
        name = rule.name if rule.name not in names else f"{rule.name}, rule {place}"
        names.add(name)
        yield {"name": name, "measure": rule.metric.name, **given}


def policy_for(release: Release, rules: Sequence[Rule], role_reasons: Mapping[str, str] | None = None) -> Policy:
    """The policy that says the roles of a release and these rules, without functions of the user's own."""
    of_measures = [rule for rule in rules if isinstance(rule, MeasureRule) and not _has_function(rule)]
    subsets = [rule for rule in rules if isinstance(rule, SubsetRule)]
    content: dict[str, Any] = {"petworks_policy": 1, "data": "table", **described(release)}
    if role_reasons:
        content["role_reasons"] = role_reasons
    if of_measures:
        content["rules"] = list(rules_written(of_measures))
    if subsets:
        content["subsets"] = {"sizes": subsets[0].sizes, "limits": {rule.limit: rule.at_most for rule in subsets}}
    return policy_in_memory(content)


def policy_in_memory(content: Mapping[str, Any]) -> Policy:
    """The policy that says this, as if it were a file; its tables will not be read."""
    file = YAMLFile("policy", _as_texts(content), {}, "")
    return checked_policy(file, Path("policy"), unread=TABLES, needs_rule=False)


def _has_function(rule: MeasureRule) -> bool:
    return any(map(callable, rule.parameters.values()))


def _as_texts(content: Any) -> Any:
    """The content as a YAML file would have it: every scalar is a text."""
    if isinstance(content, Mapping):
        return {str(key): _as_texts(value) for key, value in content.items() if value is not None}
    if isinstance(content, list | tuple):
        return [_as_texts(value) for value in content]
    return str(content).lower() if isinstance(content, bool) else str(content)
