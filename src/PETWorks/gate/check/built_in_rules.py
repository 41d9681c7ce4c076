"""Built-in rules: sufficient rules for sensitive columns, hidden differences, and people with several records."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from operator import add
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from PETWorks.about.hierarchies.dates import read_date
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.kinds import GENERALISED
from PETWorks.about.treatment import is_legible
from PETWorks.anonymizer.plan import JudgedRule, Plan
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.counts import ClassPairs, Grouping
from PETWorks.counting.release import Release
from PETWorks.errors import Counted, InputError, RoleError, quoted
from PETWorks.gate.check.findings import has_personal_details
from PETWorks.gate.check.unique_values import ALWAYS_ALLOWED
from PETWorks.gate.document import RuleResult
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, NO_HIDDEN, NO_UNIQUE, WHOLE_FILE, Rule
from PETWorks.gate.suggest.privacy_unit import People, find_people
from PETWorks.gate.suggest.starter import EXACT_VALUES, MEASURED, PRESET_BY_KIND, PRESET_FOR_COMPARED
from PETWorks.gate.suggest.suggestion import ExaminedColumn
from PETWorks.json_types import MultilingualText
from PETWorks.measures.attacks.subsets import parse_sizes
from PETWorks.measures.disclosure.compared import view_of, without_counterpart
from PETWorks.measures.parameters import parse_number
from PETWorks.measures.privacy.likeness import BASES
from PETWorks.measures.result import at_most
from PETWorks.tables.cells import SUPPRESSED, is_number
from PETWorks.tables.frames import SparkFrame
from PETWorks.tables.further_content import PERSONAL, SEVERAL_FILES, further_content, names_inside
from PETWorks.tables.hidden_differences import HiddenDifferences, hidden_differences

# Required class size: for public files what regulators ask; otherwise any limit on class sizes.
SMALLEST_CLASS = {"public": 11, "controlled": 2, "internal": 2}
# Largest excess over control people that rules may allow, of tables that are not generalised: what regulators ask of
# public files; otherwise that one of two people is not told more about than control people.
LARGEST_EXCESS: Mapping[str, float] = {"public": 0.09, "controlled": 0.5, "internal": 0.5}
MOST_OWN_VALUES = 0.5  # share of the cells of a column whose value the original does not have
NEW_COMBINATIONS = 0.2  # share of the records from which a table is hardly generalised
SUGGESTED_RULE = "{measure: l-diversity, l: 2}"
SUGGESTED_LIMIT = "{measure: certain, excess: 0.09}"
# A rule protects values if it rejects a class in which everybody shares a value with this share in the whole table.
RARE_SHARE = 1 / 20
VALUE_LIMITS = ("inference", "one-value")  # limits on subsets and on several releases


def unprotected_columns(policy: Policy, release: Release, today: date) -> tuple[str, ...]:
    """The released sensitive columns without a rule in force, including those with a reason."""
    rules = list(_rules_in_force(policy, today))
    released = (name for name in release.sensitive_attributes if name in release.columns)
    return tuple(name for name in released if not any(_protects(rule, name, policy, release) for rule in rules))


def class_size_in_rules(policy: Policy, release: Release, today: date) -> int:
    """The class size that the rules in force demand; 0 if none does.

    Rules about classes of the population do not count: an adversary who knows that a person is in the table only needs
    the release. Rules about values count as two records, not more: a class may have missing values only.
    """
    sizes = [0.0]
    for rule in _rules_in_force(policy, today):
        if rule.measure is None:
            limit = parse_number(rule.parameters.get("highest-risk"))
            sizes += [1 / limit] if limit and _attacks_all_columns(policy, release) else []
        elif not rule.measure.linked:
            for name in rule.given:
                parameter, value = rule.measure.parameters[name], rule.parameters[name]
                sizes.append(parameter.class_size(value))
                sizes.append(2 if parameter.unit == "values" and value is not None and value > 1 else 0)
    return int(max(sizes) + 1e-9)


def class_size_for_release_kind(policy: Policy, release: Release) -> int | None:
    """The class size required for the kind of release; None without quasi-identifiers.

    If the policy does not state the kind, this is the minimum of all kinds.
    """
    return SMALLEST_CLASS[policy.release_kind or "controlled"] if release.quasi_identifiers else None


def excess_in_rules(policy: Policy, release: Release, today: date) -> float | None:
    """The largest excess that the rules in force allow to copies, and to guesses of sensitive attributes, if any.

    None if one of them has no limit.
    """
    limits: dict[bool, list[float]] = {True: [], False: []}
    for rule in _rules_in_force(policy, today):
        limit = None if rule.measure is None or not rule.measure.compares else rule.parameters.get("excess")
        if rule.measure is not None and limit is not None:
            limits["a sensitive attribute" in rule.measure.needs].append(float(limit))
    demanded = [limits[False], *([limits[True]] if release.sensitive_attributes else [])]
    return max(map(min, demanded)) if all(demanded) else None


def excess_for_release_kind(policy: Policy) -> float:
    """The excess that the rules of a release that is not generalised may allow at most."""
    return LARGEST_EXCESS[policy.release_kind or "public"]


def uncompared_columns(release: Release, policy: Policy) -> tuple[str, ...]:
    """The columns in which a little noise would hide a copy of the original: it would pass any rule about lookups.

    Most cells of the release have a value that does not occur in the original, or they are known numbers or dates of
    which there are many. On a level of a hierarchy, the values are those of the original again; it is enough that rules
    are judged once with all columns on such levels.
    """
    measured = {name for name in release.quasi_identifiers if _is_measured(release, name)}
    uncompared = [
        {name for name, share in without_counterpart(view).items() if share.get("release", 0.0) > MOST_OWN_VALUES}
        | {name for name in measured if not levels.get(name)}
        for levels in policy.compared_levels(release)
        for view in [view_of(release.view, release.quasi_identifiers, levels)]
    ]
    fewest = min(uncompared, key=len)
    return tuple(name for name in release.compared_columns if name in fewest)


def _is_measured(release: Release, column: str) -> bool:
    """Whether a column has many numbers or dates, which are no codes by the declaration of its hierarchy."""
    words = release.declared.get(column)
    values = release.view.table.domains[column].values
    known = {value for value in values if value is not None and value != SUPPRESSED}
    are_codes = words is not None and not MEASURED & set(words)
    return len(known) > EXACT_VALUES and not are_codes and all(is_number(text) or read_date(text) for text in known)


def preset_for(policy: Policy) -> str:
    """The line of a policy with a preset that suits the kind of release."""
    if policy.kind != GENERALISED:
        return f"presets: [{PRESET_FOR_COMPARED}]"
    return f"presets: [{PRESET_BY_KIND[policy.release_kind or 'public']}]"


def _rules_in_force(policy: Policy, today: date) -> Iterator[Rule]:
    """The rules of the user that are not waived."""
    waived = {waiver.rule for waiver in policy.waivers if waiver.expires >= today}
    return (rule for rule in policy.rules if rule.name not in BUILT_IN_RULES and rule.name not in waived)


def _attacks_all_columns(policy: Policy, release: Release) -> bool:
    """Whether the attacked subsets include the set of all quasi-identifiers."""
    known = len(release.quasi_identifiers)
    return policy.subset_sizes is not None and known in parse_sizes(policy.subset_sizes, known)


def _protects(rule: Rule, column: str, policy: Policy, release: Release) -> bool:
    """Whether a rule protects the values of a column."""
    if rule.measure is None:
        ((name, threshold),) = rule.parameters.items()
        limit, _, attribute = name.partition(":")
        number = parse_number(threshold)
        is_limit = limit in VALUE_LIMITS and attribute in ("", column) and number is not None and number < 1
        return is_limit and (rule.about_all_releases or _attacks_all_columns(policy, release))
    if "a sensitive attribute" not in rule.measure.needs or rule.parameters.get("value") is not None:
        return False  # the rule protects one value only
    return any(_rejects_one_value(rule, name, column) for name in rule.given)


def _rejects_one_value(rule: Rule, name: str, column: str) -> bool:
    """Whether a limit rejects a class in which everybody shares a value that is rare in the table.

    Let p be the share of the value in the table. For this class, t-closeness gives 1 - p (for equal distances; others
    are shorter), basic β-likeness (1 - p)/p, and δ-disclosure -log p, which must be below the limit. Enhanced
    β-likeness rejects the class for any β, since (1 - p)/p > -ln p, and so does recursive l-diversity, since l is at
    least 2. Limits on guesses are about averages; they must be below the value when every guess is right.
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
        return not at_most(1 - RARE_SHARE, limit)
    if name == "beta":
        return measure == "enhanced-beta-likeness" or not at_most((1 - RARE_SHARE) / RARE_SHARE, limit)
    return name == "delta" and bool(at_most(limit, -math.log(RARE_SHARE, BASES[rule.parameters["base"]])))


# Shown in place of a column name:
LINE_ENDS = "CRLF/LF"  # for lines with different line ends
LAYOUT = "{...}"  # for records of JSON lines with different layouts


@dataclass(frozen=True)
class FileDifferences:
    """Differences between records, or content of a file, that are invisible in the values.

    further   number of items in the file besides the table, by kind; None if the files are in a cluster, where they
              cannot be examined
    """

    found: HiddenDifferences
    further: Mapping[str, int] | None = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in which records differ invisibly, and marks for line ends, layout and the whole file."""
        return (*self._records, *([WHOLE_FILE] if self.further else ()))

    @property
    def details(self) -> dict[str, Any]:
        """The number of records that are written differently from most; never a cell."""
        columns = [{"column": name, "records": number} for name, number in self._records.items()]
        details: dict[str, Any] = {"columns": columns} if columns else {}
        if self.further is None:
            return {**details, "looked_at": False}
        return {**details, **({"further": dict(self.further)} if self.further else {})}

    @property
    def _records(self) -> dict[str, int]:
        of_lines = {LINE_ENDS: self.found.line_ends, LAYOUT: self.found.layout}
        return {**self.found.columns, **{name: number for name, number in of_lines.items() if number}}


def find_file_differences(release: Release, plan: Plan | None = None) -> FileDifferences:
    """The invisible differences between the cells of a release, and other content of its file.

    plan   the plan of the release, if it has one: several files were then written together
    """
    source = release.source
    if not isinstance(source, SparkFrame):
        personal = sum(map(has_personal_details, names_inside(source)))
        further = {**further_content(source), **({PERSONAL: personal} if personal else {})}
        if plan is not None:
            further.pop(SEVERAL_FILES, None)
        return FileDifferences(hidden_differences(source, release.quasi_identifiers), further)
    in_cluster = getattr(release.engine, "hidden_differences", hidden_differences)
    return FileDifferences(in_cluster(source, release.quasi_identifiers), None if source.of_files else {})


RULES_ABOUT_PERSONS = frozenset((NO_HIDDEN, NO_UNIQUE))  # built-in rules about values that identify a single person


def add_judged_rules(plan: Plan, policy: Policy, results: Sequence[RuleResult]) -> Plan:
    """The plan with the verdicts that were reached by counting people; unchanged if the release can be judged again."""
    without_people = policy.privacy_unit is not None and not policy.keeps_unit
    without_weights = weights_are_left_out(policy)
    if not without_people and not without_weights:
        return plan
    counting = {
        rule.name
        for rule in policy.rules
        if rule.measure is not None and (without_people or _needs_weights(rule, policy))
    }
    counting |= {result.name for result in results if result.name in RULES_ABOUT_PERSONS and not result.satisfied}
    judged = tuple(
        JudgedRule(
            name=result.name,
            measure=result.measure,
            parameters=result.parameters,
            value=list(result.value) if isinstance(result.value, tuple) else result.value,
            compared=result.compared,
            satisfied=result.satisfied is True,
            details=_details_kept(result),
        )
        for result in results
        if result.name in counting
    )
    return replace(plan, judged=judged)


def _details_kept(result: RuleResult) -> dict[str, Any] | None:
    """The details that reports of the release need: people with unique values, and what each of several limits met."""
    if result.name in RULES_ABOUT_PERSONS:
        return dict(result.details) or None
    limits = result.details.get("limits", {})
    return {"limits": limits} if len(limits) > 1 else None


def cannot_count_people(policy: Policy, release: Release) -> bool:
    """Whether people should be counted but the table does not identify them."""
    return policy.privacy_unit is not None and release.privacy_unit is None


def weights_are_left_out(policy: Policy) -> bool:
    """Whether the sampling weights are not in the release: they are an identifier in its policy."""
    return policy.sample.weight is not None and (policy.roles or {}).get(policy.sample.weight) == IDENTIFIER


def _needs_weights(rule: Rule, policy: Policy) -> bool:
    """Whether a rule needs sampling weights: it uses them, or is about a population that the policy does not give."""
    if rule.measure is None:
        return False
    needs = {"sampling weights"} | ({"the population or its size"} if policy.population is None else set())
    is_linked = rule.measure.linked and not isinstance(policy.population, Path | str)
    return is_linked or bool(needs & set(rule.measure.needs))


def lacks_weights(policy: Policy, release: Release) -> bool:
    """Whether the records have sampling weights that the table does not show."""
    return policy.sample.weight is not None and release.sample.weight is None


def rules_judged_at_release(policy: Policy, release: Release, plan: Plan | None) -> Mapping[str, JudgedRule]:
    """The unchanged rules, by name, that were judged by people or weights that this file does not show.

    plan   the plan of the release, which has their results
    """
    people, weights = cannot_count_people(policy, release), lacks_weights(policy, release)
    if not (people or weights) or plan is None or not _plan_matches(plan, policy, release):
        return {}
    by_name = {judged.name: judged for judged in plan.judged or ()}
    return {
        rule.name: by_name[rule.name]
        for rule in policy.rules
        if rule.name in by_name
        and (people or _needs_weights(rule, policy))
        and _has_same_parameters(rule, by_name[rule.name])
    }


def _plan_matches(plan: Plan, policy: Policy, release: Release) -> bool:
    """Whether people, roles and treatment of records are those of the plan."""
    known = set(plan.columns), set(plan.roles.get("sensitive_attributes", ()))
    treatment = {name: way for name, way in release.treatment.items() if name != "privacy_unit"}
    return (
        plan.privacy_unit == policy.privacy_unit
        and known == (set(release.quasi_identifiers), set(release.sensitive_attributes))
        and dict(plan.treatment) == treatment
    )


def rules_without_people(policy: Policy, judged: Mapping[str, JudgedRule]) -> tuple[str, ...]:
    """The rules that should count people but count records."""
    counting = [rule for rule in policy.rules if rule.name not in BUILT_IN_RULES and not rule.about_all_releases]
    return tuple(rule.name for rule in counting if rule.name not in judged)


def _has_same_parameters(rule: Rule, judged: JudgedRule) -> bool:
    """Whether a rule still has the parameters with which it was judged."""
    if rule.name in RULES_ABOUT_PERSONS:
        return True
    if rule.measure is None or rule.measure.name != judged.measure:
        return False
    parameters: Any = rule.measure.check(judged.parameters)
    return bool(parameters == rule.parameters)


def check_is_generalised(release: Release, shown: Collection[str] = ()) -> None:
    """Raise if many records have combinations of values that no record of the original has.

    Only quasi-identifiers whose values all occur in the original, and stand for themselves only, count: no
    generalisation and no suppression can combine these anew, so the table is synthetic or perturbed, and the chance to
    pick the right record means nothing.

    shown   columns with the means of classes, which may be equal to values of the original by chance
    """
    if not release.has_original:
        return
    table, original = release.view.table, release.original
    exact = tuple(
        name
        for name in release.quasi_identifiers
        if name not in shown
        and (values := set(table.domains[name].values)) <= set(original.domains[name].values)
        and not any(_stands_for_more(value, release.hierarchies.get(name)) for value in values)
    )
    if len(exact) < 2:
        return
    new = table.fold_pairs(Grouping(exact, exact), original, _count_new, add)
    if new > ALWAYS_ALLOWED and new > NEW_COMBINATIONS * release.records:
        raise InputError(
            "{new:,} of {records:,} records combine values of {columns} as no record of the original does, so the "
            "table was not generalised from it; say what it is: context: {{kind: synthetic}} or perturbed, or "
            "generalised if you know better",
            new=new,
            records=release.records,
            columns=quoted(exact),
            what="kind",
        )


def _stands_for_more(value: str | None, hierarchy: Hierarchy | None) -> bool:
    """Whether a value is `*`, or a label of several values that the original has as a value, too."""
    is_label = hierarchy is not None and value is not None and hierarchy.leaves_below.get(value, 1) > 1
    return value == SUPPRESSED or is_label


def _count_new(pairs: ClassPairs) -> int:
    return int(pairs.released[pairs.background == 0].sum())


def check_people_are_declared(
    release: Release, explained: Mapping[str, MultilingualText] | None = None, *, also_identifiers: bool = True
) -> None:
    """Raise if a column clearly names people with several records and there is no privacy unit.

    explained          columns that do not name the people the table is about, each with the reason
    also_identifiers   whether identifiers count: in a release they fail another rule
    """
    if release.privacy_unit is not None:
        return
    excluded = [name.strip() for name, reason in (explained or {}).items() if _is_meaningful(reason)]
    examined = {name: ExaminedColumn.of(profile) for name, profile in release.profiles().items()}
    load = partial(release.engine.load, release.source)
    skipped = () if also_identifiers else release.identifiers
    people = find_people(examined, release.identifiers, load, release.columns, excluded, skipped)
    if people is not None:
        raise _undeclared(people)


def check_one_record_each(release: Release, explained: Mapping[str, MultilingualText]) -> None:
    """Raise if people of the original clearly have several records, as those of the control people then have, too.

    The records of a person are alike, so an interval that takes each for a person is too narrow.

    explained   columns that do not name the people the table is about, each with the reason
    """
    source = release.original_source
    if source is None:
        return
    examined = {
        name: ExaminedColumn.of(profile) for name, profile in release.engine.profiles(source, source.names).items()
    }
    excluded = [name.strip() for name, reason in explained.items() if _is_meaningful(reason)]
    people = find_people(examined, release.identifiers, partial(release.engine.load, source), source.names, excluded)
    if people is not None:
        raise RoleError(
            "the original names people by {columns}, and {records}, so an interval that takes each record for a person "
            "would be too narrow; keep one record of each person in the original and in the control people, or, if "
            "this does not name the people the table is about, say so under 'no_privacy_unit'",
            columns=quoted(people.columns),
            records=_records_of(people),
            what="original",
        )


def _records_of(people: People) -> Counted:
    return Counted(
        "{records:,} records are of one person",
        "{records:,} records are of {n:,} people",
        n=people.number,
        records=people.records,
    )


def _undeclared(people: People) -> RoleError:
    """The error that nothing declares these people, and what to declare."""
    records = _records_of(people)
    if people.cut:
        return RoleError(
            "a part of the values of column {column!r} names people, as A17 does in A17-1 and A17-2, and {records}: "
            "without a privacy unit, records are counted, and a class of many records may be one person; add a column "
            "with this part only and give it as 'privacy_unit', or, if it does not name the people the table is about, "
            "say so under 'no_privacy_unit'",
            column=people.columns[0],
            records=records,
            what="privacy_unit",
        )
    if people.unit is None:
        return RoleError(
            "columns {first!r} and {second!r} together name people, and {records}: without a privacy unit, records are "
            "counted, and a class of many records may be one person; add one column with the values of both (in a "
            "spreadsheet: =A2&\"/\"&B2) and give it as 'privacy_unit', or, if they do not name the people the table is "
            "about, say so of each under 'no_privacy_unit'",
            first=people.columns[0],
            second=people.columns[1],
            records=records,
            what="privacy_unit",
        )
    return RoleError(
        "column {column!r} names people, and {records}: without a privacy unit, "
        "records are counted, and a class of many records may be one person; give it as 'privacy_unit', "
        "or, if it does not name the people the table is about, say so under 'no_privacy_unit'",
        column=people.unit,
        records=records,
        what="privacy_unit",
    )


def _is_meaningful(reason: MultilingualText) -> bool:
    return any(map(is_legible, reason.values() if isinstance(reason, Mapping) else [reason]))
