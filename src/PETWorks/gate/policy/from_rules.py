"""A policy made of roles and rules that were given without a policy file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.about.roles import ROLE_KEYS
from PETWorks.anonymizer.rules import MeasureRule, Rule, SubsetRule
from PETWorks.counting.release import Release
from PETWorks.gate.policy.policy import Policy, parse_policy
from PETWorks.tables.yaml_files import YAMLFile

TABLES = ("data", "original", "population")


def columns_without_role(release: Release) -> list[str]:
    """The columns that have no role: they would be released without anyone having allowed it."""
    return [name for name in release.columns if name not in release.roles and name != release.privacy_unit]


def describe_release(release: Release) -> dict[str, Any]:
    """The keys of a policy that describe a table: roles, privacy unit and treatment of records."""
    unit = {} if release.privacy_unit is None else {"privacy_unit": release.privacy_unit}
    treatment = {name: choice for name, choice in release.treatment.items() if name != "privacy_unit"}
    roles = {
        key: [column for column, role in release.roles.items() if role == wanted]
        for key, wanted in ROLE_KEYS.items()
        if wanted in release.roles.values()
    }
    return {"roles": roles, **unit, "treatment": treatment}


def rule_entries(rules: Sequence[MeasureRule]) -> Iterator[dict[str, Any]]:
    """The rules as entries of a policy; several rules with one measure get different names."""
    measures = Counter(rule.metric.name for rule in rules)
    names: set[str] = set()
    for number, rule in enumerate(rules, 1):
        parameters = {
            name: value for name, value in rule.parameters.items() if value != rule.metric.parameters[name].default
        }
        if measures[rule.metric.name] == 1:
            yield {"measure": rule.metric.name, **parameters}
            continue
        name = rule.name if rule.name not in names else f"{rule.name}, rule {number}"
        names.add(name)
        yield {"name": name, "measure": rule.metric.name, **parameters}


def policy_for(release: Release, rules: Sequence[Rule]) -> Policy:
    """A policy with the roles of a release, their reasons, and these rules, without rules that call user functions."""
    measure_rules = [rule for rule in rules if isinstance(rule, MeasureRule) and not _has_function(rule)]
    subset_rules = [rule for rule in rules if isinstance(rule, SubsetRule)]
    content: dict[str, Any] = {"petworks_policy": 1, "data": "table", **describe_release(release)}
    if release.role_reasons:
        content["role_reasons"] = release.role_reasons
    if release.no_privacy_unit:
        content["no_privacy_unit"] = release.no_privacy_unit
    if measure_rules:
        content["rules"] = list(rule_entries(measure_rules))
    if subset_rules:
        limits = {rule.limit: rule.at_most for rule in subset_rules}
        content["subsets"] = {"sizes": subset_rules[0].sizes, "limits": limits}
    return policy_in_memory(content)


def policy_in_memory(content: Mapping[str, Any]) -> Policy:
    """The policy with this content, as if read from a file; its tables are not read."""
    file = YAMLFile("policy", _as_texts(content), {}, "")
    return parse_policy(file, Path("policy"), unread=TABLES, needs_rule=False)


def _has_function(rule: MeasureRule) -> bool:
    return any(map(callable, rule.parameters.values()))


def _as_texts(content: Any) -> Any:
    """The content as read from a YAML file: every scalar is a text."""
    if isinstance(content, Mapping):
        return {str(key): _as_texts(value) for key, value in content.items() if value is not None}
    if isinstance(content, list | tuple):
        return [_as_texts(value) for value in content]
    return str(content).lower() if isinstance(content, bool) else str(content)
