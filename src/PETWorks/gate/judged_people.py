"""Rules that count people, for a release that does not say any more who they are: judged when it was made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from PETWorks.counting.release import Release
from PETWorks.gate.document import RuleResult
from PETWorks.gate.plan_document import JudgedRule, Plan
from PETWorks.gate.plan_files import plan_of_file
from PETWorks.gate.policy import Policy
from PETWorks.gate.policy_rules import Rule
from PETWorks.gate.rule_names import IMPLICIT, NO_HIDDEN, NO_UNIQUE

OF_PEOPLE = frozenset((NO_HIDDEN, NO_UNIQUE))  # built-in rules by which a value of one person gives that person away


def with_judged_rules(plan: Plan, policy: Policy, results: Sequence[RuleResult]) -> Plan:
    """The plan with the rules as they were judged by people; without them if the release can be judged again."""
    if policy.privacy_unit is None or policy.keeps_unit:
        return plan
    counting = {rule.name for rule in policy.rules if rule.measure is not None}
    counting |= {result.name for result in results if result.name in OF_PEOPLE and not result.satisfied}
    judged = tuple(
        JudgedRule(
            name=result.name,
            measure=result.measure,
            parameters=result.parameters,
            value=list(result.value) if isinstance(result.value, tuple) else result.value,
            compared=result.compared,
            satisfied=result.satisfied is True,
            details=dict(result.details) if result.name in OF_PEOPLE and result.details else None,
        )
        for result in results
        if result.name in counting
    )
    return replace(plan, judged=judged)


def lacks_people(policy: Policy, release: Release) -> bool:
    """Whether people should be counted, and the table does not say who they are."""
    return policy.privacy_unit is not None and release.privacy_unit is None


def judged_when_made(policy: Policy, release: Release) -> Mapping[str, JudgedRule]:
    """The rules that were judged by people when this very file was made, by name; those that are the same now.

    The plan of the policy says it of one file, by its digest.
    """
    plan = plan_of_file(policy, release.source.path) if lacks_people(policy, release) else None
    if plan is None or not _is_about(plan, policy, release):
        return {}
    found = {judged.name: judged for judged in plan.judged or ()}
    return {
        rule.name: found[rule.name] for rule in policy.rules if rule.name in found and _is_same(rule, found[rule.name])
    }


def _is_about(plan: Plan, policy: Policy, release: Release) -> bool:
    """Whether people, roles and the treatment of records are those of the plan."""
    known = set(plan.columns), set(plan.roles.get("sensitive_attributes", ()))
    treatment = {name: way for name, way in release.treatment.items() if name != "privacy_unit"}
    return (
        plan.privacy_unit == policy.privacy_unit
        and known == (set(release.quasi_identifiers), set(release.sensitive_attributes))
        and dict(plan.treatment) == treatment
    )


def rules_without_people(policy: Policy, judged: Mapping[str, JudgedRule]) -> tuple[str, ...]:
    """The rules that should count people, and count records."""
    counting = [rule for rule in policy.rules if rule.name not in IMPLICIT and not rule.about_all_releases]
    return tuple(rule.name for rule in counting if rule.name not in judged)


def _is_same(rule: Rule, judged: JudgedRule) -> bool:
    """Whether a rule demands what it did then."""
    if rule.name in OF_PEOPLE:
        return True
    if rule.measure is None or rule.measure.name != judged.measure:
        return False
    then: Any = rule.measure.check(judged.parameters)
    return bool(then == rule.parameters)
