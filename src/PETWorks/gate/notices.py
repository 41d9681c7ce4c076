"""What the reader of a verdict should know besides: the worst case, columns that are lost, what nobody measured."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.counts import Grouping
from PETWorks.counting.profiles import profiles_of
from PETWorks.counting.questions import class_sizes
from PETWorks.counting.release import Release
from PETWorks.gate.document import WAIVED, ColumnFacts, RuleResult
from PETWorks.gate.facts import columns
from PETWorks.gate.findings import examined_columns
from PETWorks.gate.judged_people import OF_PEOPLE, judged_when_made, lacks_people
from PETWorks.gate.plan_files import plan_of_file
from PETWorks.gate.policy import Policy
from PETWorks.gate.recognition import FEW, Examined
from PETWorks.gate.remedies import limits_class_sizes
from PETWorks.gate.rule_names import (
    NO_DIFFERENCES,
    NO_IDENTIFIERS,
    NO_UNIQUE,
    PEOPLE_COUNTED,
    RECORDS_LEFT,
    RULES_FIT,
    SUBSETS,
    VALUES_PROTECTED,
)
from PETWorks.gate.steps_document import Notice
from PETWorks.gate.withheld import is_about_values
from PETWorks.gate.worst_case import worst_case
from PETWorks.measures.catalogue import catalogue
from PETWorks.measures.parameters import Number
from PETWorks.tables.cells import SUPPRESSED

# The worst case and what is taken for granted: told of every release, and no reason to warn.
OF_EVERY_RELEASE = ("highest-risk", "certain-value", "not-covered", "not-covered-columns", "not-covered-tables")
NOT_KNOWN = (
    "perhaps-known",
    "perhaps-sensitive",
    "perhaps-sensitive-coarser",
    "nearly-unique",
    "explained",
    "found-by-amount",
)
ALWAYS = {"t-closeness": {"t": 1.0}}  # limits that nothing exceeds, where a parameter may be beyond them
TWO_YEARS = timedelta(days=731)  # a leap day among them
ALONE = 0.05  # the share of records that may be found by an amount without a word


def notices(
    release: Release,
    policy: Policy,
    examined: Sequence[ColumnFacts],
    rules: Sequence[RuleResult],
    protected: Collection[str] | None = None,
    today: date | None = None,
) -> tuple[Notice, ...]:
    """The notices, the most important first.

    protected   the columns that were made coarser; if it is None, those that the plan of the release names
    today       the day of the check, from which waivers run; None where no verdict is given
    """
    in_force = [rule for rule in rules if rule.verdict != WAIVED]
    told = (
        *_people(release, policy, rules),
        *_beyond_the_limit(rules),
        *_set_aside(release),
        *([] if lacks_people(policy, release) else worst_case(release)),  # classes of records say too little
        *_identifiers(release, policy, rules),
        *_columns(
            release, policy, [one for one in examined if one.column not in rejected_for_values(rules)], protected
        ),
        *_class_sizes(release, policy, in_force),
        *_reasons(in_force),
        *([] if today is None else _long_waivers(rules, today)),
        *_rules_without_meaning(release, examined, in_force),
        *_unseen_differences(rules),
        *_formulas(release),
    )
    named = {column for notice in told if notice.notice in NOT_KNOWN for column in notice.columns or ()}
    return *told, *_not_covered(policy, [column for column in examined if column.column not in named])


def _unseen_differences(rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """Say that nobody looked at what else is in files of a cluster."""
    if any(rule.name == NO_DIFFERENCES and rule.details.get("looked_at") is False for rule in rules):
        yield Notice("differences-unseen")


def _formulas(release: Release) -> Iterator[Notice]:
    """The columns with cells that a spreadsheet takes for formulas, and how many cells there are."""
    for column, profile in release.profiles().items():
        if profile.formulas:
            yield Notice("formulas", (column,), profile.formulas)


def rejected_for_values(rules: Sequence[RuleResult]) -> tuple[str, ...]:
    """The columns that the rule about exact values rejects: nothing more has to be said about these."""
    return tuple(
        str(name) for rule in rules if rule.name == NO_UNIQUE and isinstance(rule.value, tuple) for name in rule.value
    )


def noticed(
    release: Release, policy: Policy, rules: Sequence[RuleResult], protected: Collection[str] | None = None
) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """The columns of a release that deserve a look, and the notices, without a whole check."""
    examined = examined_columns(release, columns(release, ()), policy.no_role)
    rejected = rejected_for_values(rules)
    found = tuple(one.column for one in examined if one.column not in rejected and is_unexplained(one, policy))
    return found, notices(release, policy, examined, rules, protected)


def is_unexplained(column: ColumnFacts, policy: Policy) -> bool:
    """Whether something was found about a column that the policy does not explain; a failing one, it cannot."""
    return column.fails or (bool(column.found) and not _has_reason(column, policy))


def _has_reason(column: ColumnFacts, policy: Policy) -> bool:
    return column.column in policy.accountability.role_reasons or column.column in policy.no_role


def _beyond_the_limit(rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """More records were suppressed than the plan allows."""
    for rule in rules:
        if rule.measure == RECORDS_LEFT and "suppressed" in rule.details:
            told = rule.details
            average = told["suppressed"] / told["records"]
            yield Notice("too-many-suppressed", records=told["suppressed"], share=told["at_most"], average=average)


def _set_aside(release: Release) -> Iterator[Notice]:
    """How many records no rule about classes judges, since the policy sets them aside."""
    aside = release.view.records_aside
    if aside:
        yield Notice("set-aside", records=aside, share=aside / release.records)


def _people(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """How people were counted where the table does not say who they are."""
    if policy.privacy_unit is not None and lacks_people(policy, release):
        counted = any(rule.measure == PEOPLE_COUNTED and rule.satisfied for rule in rules)
        then = counted and judged_when_made(policy, release)
        yield Notice("people-counted-before" if then else "people-not-counted", (policy.privacy_unit,))
    elif release.privacy_unit is not None and release.people_of_records is None and release.people < release.records:
        yield Notice("values-of-people-unseen", (release.privacy_unit,), rules=tuple(sorted(OF_PEOPLE)))


def _identifiers(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """Direct identifiers that are in the release although the verdict is none of a failure."""
    left = released_identifiers(release, policy.releases.key)
    if left and any(rule.measure == NO_IDENTIFIERS and rule.verdict == WAIVED for rule in rules):
        yield Notice("identifiers-left", left)


def released_identifiers(release: Release, key: str | None) -> tuple[str, ...]:
    """Direct identifiers that are in the release; privacy unit and key are needed to count and to join people."""
    needed = (release.privacy_unit, key)
    return tuple(name for name in release.identifiers if name in release.columns and name not in needed)


def _is_gone(release: Release, column: str) -> bool:
    """Whether every cell of a column is `*`."""
    return set(release.marginal(column).values) == {SUPPRESSED}


def _made_coarser(release: Release, policy: Policy) -> Collection[str]:
    """The columns that were protected when this very file was made, as its plan says."""
    path = release.source.path
    plan = plan_of_file(policy, path) if path is not None and path.is_file() else None
    return () if plan is None else plan.protect or ()


def _columns(
    release: Release, policy: Policy, examined: Sequence[ColumnFacts], protected: Collection[str] | None
) -> Iterator[Notice]:
    known = [one for one in examined if one.has("perhaps known")]
    secret = [one for one in examined if one.has("perhaps sensitive")]
    unique = [one for one in examined if one.role == SENSITIVE_ATTRIBUTE and _is_nearly_unique(one) and not one.fails]
    alone = {one.column: _alone_with(release, one.column) for one in examined if _is_amount(release, one)}
    amounts = [one for one in examined if alone.get(one.column, 0) > ALONE]
    quasi = [one for one in examined if one.released and one.role == QUASI_IDENTIFIER]
    doubtful = {one.column: one for one in (*known, *secret, *unique, *amounts)}.values()
    told = [one.column for one in secret if not _has_reason(one, policy)]
    coarser = _made_coarser(release, policy) if told and protected is None else protected or ()
    by_notice = (
        Notice("perhaps-known", tuple(one.column for one in known if not _has_reason(one, policy))),
        Notice("perhaps-sensitive", tuple(column for column in told if column not in coarser)),
        Notice("perhaps-sensitive-coarser", tuple(column for column in told if column in coarser)),
        Notice("nearly-unique", tuple(one.column for one in unique if not _has_reason(one, policy))),
        Notice("explained", tuple(one.column for one in doubtful if _has_reason(one, policy))),
        Notice("nothing-left", tuple(one.column for one in quasi if _is_gone(release, one.column))),
        Notice("one-value", tuple(one.column for one in quasi if one.distinct == 1 < (one.distinct_before or 0))),
    )
    yield from (one for one in by_notice if one.columns)
    for one in amounts:
        if not _has_reason(one, policy):
            yield Notice("found-by-amount", (one.column,), share=alone[one.column])


def _is_amount(release: Release, column: ColumnFacts) -> bool:
    """Whether a sensitive attribute has numbers, which others may know: a bill, an award."""
    if column.role != SENSITIVE_ATTRIBUTE or _is_nearly_unique(column) or (column.distinct or 0) < FEW:
        return False
    table: Any = release.table  # it has all sensitive attributes: nothing is read again
    return Examined.of(profiles_of(table.columns, [column.column])[column.column]).measured


def _alone_with(release: Release, column: str) -> float:
    """The share of the records that are alone in their class for someone who knows a further column."""
    known = (*release.quasi_identifiers, column)
    sizes = release.table.ask([class_sizes(release.table, Grouping(known, known))])[0]
    return float(sizes.classes[sizes.sizes == 1].sum() / release.records)


def _is_nearly_unique(column: ColumnFacts) -> bool:
    return column.has("nearly unique")


def _class_sizes(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """That no rule is about class sizes; where the policy says who gets the table, a rule of its own says it."""
    is_judged = any(rule.name == RULES_FIT for rule in rules) and policy.rules_reason is None
    if release.quasi_identifiers and not is_judged and not any(map(limits_class_sizes, rules)):
        yield Notice("no-class-size")


def _reasons(rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """The reasons by which some of the built-in rules hold."""
    for rule in rules:
        explained = rule.details.get("columns_with_a_reason")
        if rule.name == VALUES_PROTECTED and explained:
            yield Notice("no-rule", tuple(explained))
        if rule.name == NO_UNIQUE and explained:
            yield Notice("unique-values-reason", tuple(explained), share=rule.parameters["at_most"])
    if any(rule.name in (RULES_FIT, RECORDS_LEFT) and rule.details.get("by_reason") for rule in rules):
        yield Notice("rules-reason")


def _long_waivers(rules: Sequence[RuleResult], today: date) -> Iterator[Notice]:
    """The rules whose waiver runs for more than two years."""
    named = tuple(
        rule.name
        for rule in rules
        if rule.waiver is not None and date.fromisoformat(rule.waiver.expires) - today > TWO_YEARS
    )
    if named:
        yield Notice("long-waiver", rules=named)


def _rules_without_meaning(
    release: Release, examined: Sequence[ColumnFacts], rules: Sequence[RuleResult]
) -> Iterator[Notice]:
    """Rules that hold whatever the release is, or about columns that say nothing."""
    holding = [rule for rule in rules if rule.satisfied]
    always = tuple(rule.name for rule in holding if _always_holds(rule))
    if always:
        yield Notice("rule-always-holds", rules=always)
    about_values = tuple(rule.name for rule in holding if is_about_values(rule) and rule.name not in always)
    single = tuple(
        column
        for column in release.sensitive_attributes
        if len(set(release.view.overall(column).values) - {None, SUPPRESSED}) < 2
    )
    if about_values and single and release.records:
        yield Notice("rule-about-one-value", single, rules=about_values)
    known = [column.column for column in examined if column.released and column.role == QUASI_IDENTIFIER]
    sizes = tuple(rule.name for rule in holding if limits_class_sizes(rule) and rule.name not in always)
    if sizes and known and release.records and all(_is_gone(release, column) for column in known):
        yield Notice("rule-about-nothing", tuple(known), rules=sizes)


def _always_holds(rule: RuleResult) -> bool:
    """Whether no release could break a rule, since its limits are those of the measure."""
    if rule.measure not in catalogue:
        limits = [value for value in rule.parameters.values() if isinstance(value, int | float)]
        return bool(limits) and rule.measure == SUBSETS and min(limits) >= 1  # shares and chances
    known = catalogue[rule.measure].parameters
    limits_given = {
        name: value for name, value in rule.parameters.items() if known[name].limit is not None and value is not None
    }
    return bool(limits_given) and all(
        _is_loosest(known[name].rule, value, ALWAYS.get(rule.measure, {}).get(name))
        for name, value in limits_given.items()
    )


def _is_loosest(kind: Any, value: Any, most: float | None) -> bool:
    if not isinstance(kind, Number) or not isinstance(value, int | float):
        return False
    highest = kind.at_most if most is None else most
    if kind.limit == "at most":
        return highest is not None and value >= highest
    return kind.at_least is not None and value <= kind.at_least


def _not_covered(policy: Policy, examined: Sequence[ColumnFacts]) -> Iterator[Notice]:
    """What the verdict takes for granted: nobody knows other columns, and nobody has other tables about the people."""
    unknown = tuple(
        column.column
        for column in examined
        if column.released and column.role in (SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE)
    )
    alone = not policy.releases.earlier
    if unknown:
        yield Notice("not-covered" if alone else "not-covered-columns", unknown)
    elif alone:
        yield Notice("not-covered-tables")
