"""Built-in rules: sufficient rules for every sensitive column, hidden differences, people with several records."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import Any

from PETWorks.counting.release import Release
from PETWorks.errors import RoleError
from PETWorks.gate.document.check_document import RuleResult
from PETWorks.gate.document.plan_document import JudgedRule, Plan
from PETWorks.gate.plans import plan_of_file
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import IMPLICIT, NO_HIDDEN, NO_UNIQUE, Rule
from PETWorks.gate.suggest.starter import PRESET
from PETWorks.gate.suggest.suggestion import Examined, named_people, same_person_in
from PETWorks.measures.attacks.subset_limits import parse_sizes
from PETWorks.measures.parameters import parse_number
from PETWorks.measures.privacy.likeness import BASES
from PETWorks.measures.result import at_most
from PETWorks.tables.frames import SparkFrame
from PETWorks.tables.hidden_differences import HiddenDifferences, further_content, hidden_differences

# How many records must look alike: what regulators ask of public files; elsewhere, that classes have a size at all.
SMALLEST_CLASS = {"public": 11, "controlled": 2, "internal": 2}
SUGGESTED = "{measure: l-diversity, l: 2}"
# A rule about values counts if it refuses a class in which everybody shares a value that this share of the table has.
RARE = 1 / 20
ABOUT_VALUES = ("inference", "one-value")  # limits on subsets and on several releases


def unprotected_columns(policy: Policy, release: Release, today: date) -> tuple[str, ...]:
    """The released sensitive columns that no rule in force is about, those with a reason included."""
    rules = list(_in_force(policy, today))
    released = (name for name in release.sensitive_attributes if name in release.columns)
    return tuple(name for name in released if not any(_protects(rule, name, policy, release) for rule in rules))


def class_size_demanded(policy: Policy, release: Release, today: date) -> int:
    """How many records rules in force demand in every class of the release; 0 if none does.

    Of a population, classes do not count: whoever knows that a person is in the table looks at the release. Rules about
    values demand several records, but no number of them: a class may miss all values.
    """
    sizes = [0.0]
    for rule in _in_force(policy, today):
        if rule.measure is None:
            limit = parse_number(rule.parameters.get("highest-risk"))
            sizes += [1 / limit] if limit and _knows_all(policy, release) else []
        elif not rule.measure.linked:
            for name in rule.given:
                parameter, value = rule.measure.parameters[name], rule.parameters[name]
                sizes.append(parameter.class_size(value))
                sizes.append(2 if parameter.unit == "values" and value is not None and value > 1 else 0)
    return int(max(sizes) + 1e-9)


def class_size_required(policy: Policy, release: Release) -> int | None:
    """How many records must look alike for the kind of release; None if there is nothing to look alike in.

    Where the policy does not say who gets the table, that is what every kind demands.
    """
    return SMALLEST_CLASS[policy.release_kind or "controlled"] if release.quasi_identifiers else None


def preset_for(policy: Policy) -> str:
    """A preset that suits the kind of release."""
    return f"presets: [{PRESET[policy.release_kind or 'public']}]"


def _in_force(policy: Policy, today: date) -> Iterator[Rule]:
    waived = {waiver.rule for waiver in policy.waivers if waiver.expires >= today}
    return (rule for rule in policy.rules if rule.name not in IMPLICIT and rule.name not in waived)


def _knows_all(policy: Policy, release: Release) -> bool:
    """Whether the subsets that are attacked with include all quasi-identifiers."""
    known = len(release.quasi_identifiers)
    return policy.subset_sizes is not None and known in parse_sizes(policy.subset_sizes, known)


def _protects(rule: Rule, column: str, policy: Policy, release: Release) -> bool:
    """Whether a rule is about the values of a column."""
    if rule.measure is None:
        ((name, given),) = rule.parameters.items()
        limit, _, named = name.partition(":")
        number = parse_number(given)
        says = limit in ABOUT_VALUES and named in ("", column) and number is not None and number < 1
        return says and (rule.about_all_releases or _knows_all(policy, release))
    if "a sensitive attribute" not in rule.measure.needs or rule.parameters.get("value") is not None:
        return False  # one value is not all of them
    return any(_refuses_one_value(rule, name, column) for name in rule.given)


def _refuses_one_value(rule: Rule, name: str, column: str) -> bool:
    """Whether a limit refuses a class in which everybody shares a value that few others have.

    With p the share of the value in the table, t-closeness finds 1 - p (of equal distances; others are shorter), basic
    β-likeness (1 - p)/p, and δ-disclosure -log p, which it refuses if it is not below the limit. Enhanced β-likeness
    refuses the class whatever β is, since (1 - p)/p > -ln p, and so does recursive l-diversity, since l is at least 2.
    Limits on guesses are on averages; these must be below what is found if every guess is right.
    """
    assert rule.measure is not None
    limit, measure = rule.parameters[name], rule.measure.name
    if limit is None:
        return False
    if name in ("l", "c"):
        return measure == "recursive-l-diversity" or bool(limit > 1)
    if name in ("alpha", "at_most", "excess"):
        return bool(limit < 1)
    if name == "gain":
        worth = (rule.parameters.get("worth") or {}).get(column, {})
        return bool(limit < max([1, *worth.values()]))
    if name == "t":
        return not at_most(1 - RARE, limit)
    if name == "beta":
        return measure == "enhanced-beta-likeness" or not at_most((1 - RARE) / RARE, limit)
    return name == "delta" and bool(at_most(limit, -math.log(RARE, BASES[rule.parameters["base"]])))


LINE_ENDS = "CRLF/LF"  # what stands in place of a column where lines end in several ways
LAYOUT = "{...}"  # and where records of JSON lines are laid out in several ways
WHOLE_FILE = "FILE"  # what stands there if the file has more than the table


@dataclass(frozen=True)
class Unseen:
    """What was found.

    further   what the file has besides the table, by kind, and how many; None if nobody could look, because the
              files are in a cluster
    """

    found: HiddenDifferences
    further: Mapping[str, int] | None = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that tell records apart, and the line ends or the layout if they do."""
        return (*self._records, *([WHOLE_FILE] if self.further else ()))

    @property
    def details(self) -> dict[str, Any]:
        """How many records have something that is written otherwise than in most; never a cell."""
        columns = [{"column": name, "records": number} for name, number in self._records.items()]
        told: dict[str, Any] = {"columns": columns} if columns else {}
        if self.further is None:
            return {**told, "looked_at": False}
        return {**told, **({"further": dict(self.further)} if self.further else {})}

    @property
    def _records(self) -> dict[str, int]:
        beside = {LINE_ENDS: self.found.line_ends, LAYOUT: self.found.layout}
        return {**self.found.columns, **{name: number for name, number in beside.items() if number}}


def unseen_differences(release: Release) -> Unseen:
    """What the cells of a release tell besides their values, and what else is in its file."""
    source = release.source
    if not isinstance(source, SparkFrame):
        return Unseen(hidden_differences(source), further_content(source))
    in_cluster = getattr(release.engine, "hidden_differences", hidden_differences)
    return Unseen(in_cluster(source), None if source.of_files else {})


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


def check_people_are_declared(release: Release, explained: Collection[str] = ()) -> None:
    """Raise if an identifier plainly names people with several records, and no privacy unit says that people count.

    explained   columns with a reason for their role
    """
    if release.privacy_unit is not None:
        return
    settled = {name.strip() for name in explained}
    names = [name for name in release.identifiers if name in release.columns and name not in settled]
    profiles = release.engine.profiles(release.source, names) if names else {}
    examined = {name: Examined.of(profiles[name]) for name in names}
    load = partial(release.engine.load, release.source)
    unit = named_people(examined, same_person_in(load, release.columns))
    if unit is not None:
        raise RoleError(
            "column {column!r} names people, and {records:,} records are of {people:,} people: without a privacy unit, "
            "records are counted, and a class of many records may be one person; give it as 'privacy_unit', "
            "or, if it does not name the people the table is about, say so under 'role_reasons'",
            column=unit,
            records=examined[unit].present,
            people=examined[unit].distinct,
            what="privacy_unit",
        )
