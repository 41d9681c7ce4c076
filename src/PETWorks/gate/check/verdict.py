"""The verdict on a release by the rules of a policy, and the facts about the whole table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

from PETWorks.about.kinds import GENERALISED
from PETWorks.anonymizer.plan import JudgedRule, Plan
from PETWorks.anonymizer.problem import allowed_suppression
from PETWorks.counting.counts import Grouping
from PETWorks.counting.questions import class_sizes_question
from PETWorks.counting.release import Release
from PETWorks.errors import NeedNotMet, NotApplicable
from PETWorks.gate.check.advice import columns_to_explain, columns_with_unfit_roles
from PETWorks.gate.check.built_in_rules import (
    RULES_ABOUT_PERSONS,
    cannot_count_people,
    class_size_for_release_kind,
    class_size_in_rules,
    excess_for_release_kind,
    excess_in_rules,
    find_file_differences,
    rules_judged_at_release,
    rules_without_people,
    uncompared_columns,
    unprotected_columns,
)
from PETWorks.gate.check.composed_releases import releases_facts
from PETWorks.gate.check.facts import regimes_without_approver
from PETWorks.gate.check.findings import personal_details
from PETWorks.gate.check.inputs import shown_table
from PETWorks.gate.check.notices import released_identifiers
from PETWorks.gate.check.unique_values import UNIQUE_SHARE, find_singling_out, from_the_original, singles_out
from PETWorks.gate.document import (
    FAIL,
    JUDGED_WHEN_MADE,
    PASS,
    WAIVED,
    ColumnFacts,
    Input,
    RuleResult,
    RuleVerdicts,
    TableFacts,
    Value,
    WaiverFacts,
    WaiverState,
)
from PETWorks.gate.policy.accountability import APPROVER_ITEM
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import (
    ALL_RELEASES,
    ALL_ROLES,
    APPROVER,
    NO_DIFFERENCES,
    NO_HIDDEN,
    NO_IDENTIFIERS,
    NO_LINKS,
    NO_UNIQUE,
    PEOPLE_COUNTED,
    RECORDS_LEFT,
    RULES_FIT,
    SUBSETS,
    VALUES_PROTECTED,
    Rule,
    Waiver,
)
from PETWorks.gate.register import find_registered
from PETWorks.json_types import MultilingualText
from PETWorks.locale import LANGUAGES
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION, SubsetAnswers, Subsets
from PETWorks.measures.catalogue import Metric, all_measures, find_measure
from PETWorks.measures.disclosure.compared import view_of
from PETWorks.measures.disclosure.lookups import why_unjudged
from PETWorks.measures.disclosure.subsets import WITHOUT_CONTROL, LookupAnswers, LookupSubsets
from PETWorks.measures.evaluation import Evaluation, evaluate_requests
from PETWorks.measures.result import Result
from PETWorks.releases.composition import Composition
from PETWorks.releases.disclosure_facts import ReleasesFacts
from PETWorks.tables.opening import is_address


def other_releases(
    release: Release, policy: Policy, composition: Composition | None, data: Any, files: Sequence[Input]
) -> ReleasesFacts | None:
    """Other releases about the same people: those of the policy and of its register."""
    measured = {file.sha256 for file in files if file.use == "release"}
    entries = find_registered(policy, release, files[0].sha256, measured)
    return releases_facts(policy, composition, policy.data if data is None else data, entries)


def title_of_check(policy: Policy, table: str | None) -> MultilingualText:
    """The title of a check of other data: the name of the data, after the policy's own title if it has one."""
    title = None if policy.title == shown_table(policy.data) else policy.title
    if table is not None and not isinstance(title, Mapping):
        return table if title is None else f"{title}: {table}"
    shown = {code: table or language.text("a table in memory") for code, language in LANGUAGES.items()}
    if title is None:
        return shown
    return {
        code: language.text("{label}: {text}").format(label=_title_in(title, code), text=shown[code])
        for code, language in LANGUAGES.items()
    }


def _title_in(title: MultilingualText, lang: str) -> str:
    """A title in a language; in the first one that it is given in, if it is not given in this one."""
    return title if isinstance(title, str) else title.get(lang, next(iter(title.values())))


def options_of_check(policy: Policy, data: Any, release: Release) -> Iterator[tuple[str, str | None]]:
    """The options needed to repeat the check; folders are left out, since they differ between machines."""
    table = shown_table(data)
    if table is not None:
        yield "data", table
    if policy.root is not None:
        yield "root", "FOLDER"
    if any(is_address(table) for table in (policy.data, policy.original, policy.population)):
        yield "network", None
    if policy.register is not None and not _is_named(policy):
        yield "register", "FOLDER"
    # Engines give the same numbers, but not all of them can compare records by their place.
    if not release.engine.keeps_order:
        yield "engine", release.engine.name


def _is_named(policy: Policy) -> bool:
    """Whether the register is the one named in the policy file."""
    register = policy.file.content.get("register")
    return register is not None and policy.register == policy.path.parent / register


def subset_answers(
    counted: Subsets | LookupSubsets | None, policy: Policy
) -> tuple[SubsetAnswers | LookupAnswers | None, list[str]]:
    """The attacks by every subset, and the quasi-identifiers by their contribution to re-identification, if known."""
    if counted is None:
        return None, []
    with policy.located("subsets"):
        answers = counted.facts(_judgeable(counted, policy.limits))
    shares = {
        driver.attribute: cast(float, driver.shapley)
        for driver in answers.drivers or ()
        if driver.attack == RE_IDENTIFICATION
    }
    return answers, sorted(shares, key=lambda attribute: -shares[attribute])


def _judgeable(counted: Subsets | LookupSubsets, limits: Mapping[str, Any]) -> Mapping[str, Any]:
    """The limits without those that need control people, if these are missing: such rules fail."""
    if isinstance(counted, Subsets) or counted.unjudged() is None:
        return limits
    return {name: value for name, value in limits.items() if name.partition(":")[0] in WITHOUT_CONTROL}


def measure_all(release: Release, policy: Policy) -> Evaluation:
    """The results of all measures that apply. Measures in money need a rule that sets the amounts."""
    overview = evaluate_requests(release, None)
    rules = {rule.measure.name: rule for rule in policy.rules if rule.measure is not None and _sets_amounts(rule)}
    results: list[Result] = []
    reasons = dict(overview.reasons)
    for result in overview.results:
        measure = find_measure(result.measure)
        if measure.unit != "money":
            results.append(result)
        elif measure.name in rules:
            parameters = rules[measure.name].parameters
            results.append(replace(measure.measure(release.view, parameters), satisfied=None))
        else:
            reasons[measure.name] = NeedNotMet("needs amounts: a rule of the policy that sets them")
    in_order = {entry.name: reasons[entry.name] for entry in all_measures() if entry.name in reasons}
    return Evaluation(overview.table, tuple(results), in_order)


def _sets_amounts(rule: Rule) -> bool:
    """Whether a rule sets a cost or a value in money."""
    parameters = {} if rule.measure is None else rule.measure.parameters
    return any(parameters[name].unit == "money" and parameters[name].limit is None for name in rule.given)


def table_facts(release: Release, overview: Evaluation, policy: Policy) -> TableFacts:
    """The number of records, people and columns, and what columns show instead of labels."""
    facts = {name: value for name, value in overview.table.items() if name != "engine"}
    counts_otherwise = policy.privacy_unit is not None or policy.sample.weight is not None
    further: dict[str, Any] = {"original_records": release.original.rows} if release.has_original else {}
    if release.has_original and release.kind == GENERALISED and release.quasi_identifiers and not counts_otherwise:
        further |= {"original_highest_risk": _highest_risk_before(release)}
    further |= {} if release.removed_records is None else {"removed_records": release.removed_records}
    sample = {"sampling_weight": release.sample.weight, "household": release.sample.household}
    further |= {use: name for use, name in sample.items() if name in release.columns}
    further |= {"shown": dict(policy.shown)} if policy.shown else {}
    return TableFacts.from_dict({**facts, **further})


def _highest_risk_before(release: Release) -> float:
    """The chance to find the person who was easiest to find in the original."""
    known = release.quasi_identifiers
    sizes = release.original.ask([class_sizes_question(release.original, Grouping(known, known))])[0]
    return 1 / sizes.smallest if sizes.smallest else 0.0


def count_verdicts(rules: Sequence[RuleResult]) -> RuleVerdicts:
    """The number of rules by verdict."""
    verdicts = [rule.verdict for rule in rules]
    return RuleVerdicts(verdicts.count(PASS), verdicts.count(WAIVED), verdicts.count(FAIL))


def judge_rules(
    release: Release,
    policy: Policy,
    subsets: SubsetAnswers | LookupAnswers | None,
    composition: Composition | None,
    columns: Sequence[ColumnFacts],
    today: date,
    lineage: Mapping[str, tuple[str, ...]] | None = None,
    *,
    plan: Plan | None,
) -> tuple[RuleResult, ...]:
    """The results of the rules, in the order of the policy.

    columns   the columns with what was found about them
    today     the day from which waivers run
    lineage   what speaks against the release because of its original's policy and other releases, by rule
    plan      the plan by which the release was made
    """
    waivers = {waiver.rule: waiver for waiver in policy.waivers}
    judged = rules_judged_at_release(policy, release, plan)
    built_in = _built_in_results(release, policy, columns, judged, today, plan)

    def fields_of(rule: Rule) -> dict[str, Any]:
        earlier, now = judged.get(rule.name), built_in.get(rule.name)
        if earlier is not None and rule.name in RULES_ABOUT_PERSONS and now is not None:
            # The values of the file may identify persons even if they did not when people could be counted.
            earlier = earlier if now["satisfied"] and not earlier.satisfied else None
        if earlier is not None:
            value = tuple(earlier.value) if isinstance(earlier.value, list) else earlier.value
            return {
                "measure": earlier.measure,
                "parameters": earlier.parameters,
                "value": value,
                "compared": earlier.compared,
                "satisfied": earlier.satisfied,
                "details": {**(earlier.details or {}), JUDGED_WHEN_MADE: True},
            }
        return _measure_rule(release, policy, rule, subsets, composition, plan) if now is None else now

    results = [_rule_result(rule, waivers.get(rule.name), today, fields_of(rule)) for rule in policy.rules]
    for name, found in (lineage or {}).items():
        rule = Rule(name, None, {}, (), None, None, ())
        results.append(_rule_result(rule, waivers.get(name), today, _list_result(name, found)))
    return tuple(results)


def _built_in_results(
    release: Release,
    policy: Policy,
    columns: Sequence[ColumnFacts],
    judged: Mapping[str, JudgedRule],
    today: date,
    plan: Plan | None,
) -> dict[str, dict[str, Any]]:
    """The fields of the results of those rules of every policy that list columns or mistakes, by rule."""
    without_role = (*columns_to_explain(release, columns), *columns_with_unfit_roles(columns, policy))
    uncounted = cannot_count_people(policy, release) and rules_without_people(policy, judged)
    differences = find_file_differences(release, plan)
    return {
        VALUES_PROTECTED: _judge_values_protected(release, policy, today),
        RULES_FIT: _judge_rules_fit(release, policy, today),
        NO_IDENTIFIERS: _list_result(NO_IDENTIFIERS, released_identifiers(release, policy.releases.key)),
        NO_HIDDEN: _judge_no_hidden(columns),
        ALL_ROLES: _list_result(ALL_ROLES, tuple(dict.fromkeys(without_role))),
        APPROVER: _list_result(APPROVER, (APPROVER_ITEM,) if regimes_without_approver(policy) else ()),
        PEOPLE_COUNTED: _list_result(PEOPLE_COUNTED, uncounted or ()),
        NO_LINKS: _list_result(NO_LINKS, linking_columns(release, policy)),
        NO_UNIQUE: _judge_no_unique(release, policy, columns),
        NO_DIFFERENCES: _list_result(NO_DIFFERENCES, differences.names, details=differences.details),
    }


def _list_result(
    rule: str,
    violations: tuple[str, ...],
    *,
    parameters: Mapping[str, Any] | None = None,
    details: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The fields of the result of a rule that holds if a list is empty."""
    fields = _without_details(rule, parameters or {}, violations, satisfied=not violations)
    return {**fields, "details": details or {}}


def _judge_values_protected(release: Release, policy: Policy, today: date) -> dict[str, Any]:
    """Whether a rule protects every sensitive attribute, or the policy gives a reason for having none."""
    unprotected = unprotected_columns(policy, release, today)
    explained = [name for name in unprotected if name in policy.no_rule]
    return _list_result(
        VALUES_PROTECTED,
        tuple(name for name in unprotected if name not in policy.no_rule),
        details={"columns_with_a_reason": explained} if explained else {},
    )


def _judge_rules_fit(release: Release, policy: Policy, today: date) -> dict[str, Any]:
    """Whether the rules demand enough of a release to these recipients, or the policy gives a reason for less."""
    uncompared: tuple[str, ...] = ()
    if release.kind == GENERALISED:
        demanded: float | None = class_size_in_rules(policy, release, today)
        required: float | None = class_size_for_release_kind(policy, release)
        too_weak = required is not None and (demanded or 0) < required
    else:
        demanded, required = excess_in_rules(policy, release, today), excess_for_release_kind(policy)
        uncompared = uncompared_columns(release, policy)
        too_weak = demanded is None or demanded > required or bool(uncompared)
    by_reason = too_weak and policy.rules_reason is not None
    limit = "records" if release.kind == GENERALISED else "excess"
    return {
        "measure": RULES_FIT,
        "parameters": {} if required is None or by_reason else {limit: required},
        "value": demanded or None,
        "compared": None,
        "satisfied": not too_weak or by_reason,
        "details": {
            **({"by_reason": True} if by_reason else {}),
            **({"columns": [{"column": name} for name in uncompared]} if uncompared else {}),
        },
    }


def _judge_no_hidden(columns: Sequence[ColumnFacts]) -> dict[str, Any]:
    """Whether no column has identifiers or personal details in its values."""
    failing = [column for column in columns if column.fails]
    inside = {column.column: dict(details) for column in failing if (details := personal_details(column))}
    return _list_result(
        NO_HIDDEN,
        tuple(column.column for column in failing),
        details={"personal_details": inside} if inside else {},
    )


def _judge_no_unique(release: Release, policy: Policy, columns: Sequence[ColumnFacts]) -> dict[str, Any]:
    """Whether no column singles out more records by exact values than the policy allows."""
    found = find_singling_out(release, columns, min(policy.unique_share, UNIQUE_SHARE), policy.releases.key)
    if release.kind != GENERALISED:
        found = from_the_original(release, found)
    beyond = [finding for finding in found if finding.share > policy.unique_share]
    allowed = dict.fromkeys(name for finding in found if finding not in beyond for name in finding.columns)
    details: dict[str, Any] = {}
    if beyond:
        details["columns"] = [{**vars(finding), "columns": list(finding.columns)} for finding in beyond]
    if allowed:
        details["columns_with_a_reason"] = list(allowed)
    return _list_result(
        NO_UNIQUE,
        tuple(dict.fromkeys(name for finding in beyond for name in finding.columns)),
        parameters={"at_most": policy.unique_share},
        details=details,
    )


def linking_columns(release: Release, policy: Policy) -> tuple[str, ...]:
    """The columns that name the person, in this table or in other releases, which must not be released.

    The privacy unit may stay only if the policy keeps it and nobody has several records: otherwise, anyone who knows
    some of a person's values finds all records with the same number, and every sensitive value in them. Judging the set
    of a person's quasi-identifiers would not be enough: the number of records and combinations of sensitive values
    single people out as well. The key of other releases must not stay: people are joined by the original's key.
    """
    unit, key = release.privacy_unit, policy.releases.key
    may_stay = unit if policy.keeps_unit and release.people == release.records else None
    return tuple(dict.fromkeys(name for name in (unit, key) if name in release.columns and name != may_stay))


def _measure_rule(
    release: Release,
    policy: Policy,
    rule: Rule,
    subsets: SubsetAnswers | LookupAnswers | None,
    composition: Composition | None,
    plan: Plan | None,
) -> dict[str, Any]:
    """The fields of a rule's result that come from the data."""
    if rule.name == RECORDS_LEFT:
        beyond, aside = _beyond_the_limit(plan), _set_aside(release, policy)
        is_left = release.suppressed_records < release.records and "suppressed" not in beyond
        is_left &= "aside" not in aside or aside["by_reason"]
        return {**_without_details(rule.name, {}, is_left, satisfied=is_left), "details": {**beyond, **aside}}
    if rule.measure is None:
        (name,) = rule.parameters
        if composition is not None and rule.about_all_releases:
            limit_facts = next(limit for limit in composition.limits if limit["limit"] == name)
            limits = {name: limit_facts.get("at_most", limit_facts.get("at_least"))}
            return _without_details(ALL_RELEASES, limits, limit_facts["value"], satisfied=limit_facts["satisfied"])
        assert subsets is not None
        limit = next((limit for limit in subsets.limits if limit.limit == name), None)
        if limit is None:
            unjudged = {"unjudged": str(why_unjudged(release.view))}
            failed = _without_details(SUBSETS, rule.parameters, None, satisfied=False)
            return {**failed, "details": unjudged}
        told = _without_details(SUBSETS, {name: limit.at_most}, limit.worst, satisfied=limit.satisfied)
        details = {name: getattr(limit, name, None) for name in ("compared_at", CONTROL_NEEDED)}
        return {**told, "details": {name: value for name, value in details.items() if value is not None}}
    with policy.located(*rule.key):
        result = _measure_for_adversaries(release, policy, rule.measure, rule.parameters)
        if result.satisfied is None:
            raise NotApplicable("has no threshold here, so there is nothing to judge", measure=rule.measure.name)
    asked = {name: value for name, value in result.parameters.items() if name in (rule.given or result.parameters)}
    return {
        "measure": result.measure,
        "parameters": asked,
        **_compared(result, asked),
        "satisfied": result.satisfied,
        "details": dict(result.details),
    }


CONTROL_NEEDED = "control_needed"
COPIES = "copies"  # compares whole records, whatever an adversary knows


def _measure_for_adversaries(
    release: Release, policy: Policy, measure: Metric, parameters: Mapping[str, Any]
) -> Result:
    """The result for all quasi-identifiers.

    Of a measure of lookups, the worst one: of any adversary, on any of the levels that are compared.
    """
    if not measure.compares:
        return measure.measure(release.view, parameters)
    everything = release.quasi_identifiers
    adversaries = dict.fromkeys([everything, *(adversary.knows for adversary in policy.adversaries)])
    levels = policy.compared_levels(release)
    results = []
    for compared_at in levels:
        for known in adversaries if measure.name != COPIES else (everything,):
            result = measure.measure(view_of(release.view, known, compared_at), parameters)
            where: dict[str, Any] = {} if known == everything else {"known": list(known)}
            where |= {"compared_at": compared_at} if len(levels) > 1 else {}
            results.append(replace(result, details={**result.details, **where}))
    worst = max(results, key=lambda result: (result.satisfied is False, _upper_end(result)))
    # More control people help only if they do so for everybody, on every level.
    needed: list[Any] = [result.details.get(CONTROL_NEEDED) for result in results if result.satisfied is False]
    details = {name: value for name, value in worst.details.items() if name != CONTROL_NEEDED}
    return replace(worst, details=details | ({CONTROL_NEEDED: max(needed)} if needed and all(needed) else {}))


def _upper_end(result: Result) -> float:
    """The number to compare with a limit on the excess: the upper end of its interval, otherwise the value."""
    return float(result.details.get("interval", (0.0, result.value))[1])


def _beyond_the_limit(plan: Plan | None) -> dict[str, Any]:
    """Suppressed records, all records, and the share allowed by the plan, if more were suppressed.

    Otherwise only the share, if the release was made by an earlier plan, which can suppress any number.
    """
    if plan is None:
        return {}
    if plan.suppressed <= allowed_suppression(plan.suppression, plan.records):
        return {"at_most": plan.suppression} if plan.made_by is None else {}
    return {"suppressed": plan.suppressed, "records": plan.records, "at_most": plan.suppression}


def _set_aside(release: Release, policy: Policy) -> dict[str, Any]:
    """The number of records that no rule about classes judges, if it is too large, and whether a reason is given."""
    aside = release.view.records_aside
    if not singles_out(aside, release.records):
        return {}
    return {"aside": aside, "by_reason": policy.rules_reason is not None}


def _without_details(measure: str, parameters: Mapping[str, Any], value: Value, *, satisfied: bool) -> dict[str, Any]:
    return {
        "measure": measure,
        "parameters": parameters,
        "value": value,
        "compared": None,
        "satisfied": satisfied,
        "details": {},
    }


def _compared(result: Result, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The number compared with the threshold, and the threshold's name if the number is not the measure's value."""
    if "excess" in asked and "at_most" not in asked and find_measure(result.measure).compares:
        interval = result.details.get("interval")
        return {"value": None if interval is None else interval[1], "compared": "excess"}
    limits = {name: limit["measured"] for name, limit in result.details.get("limits", {}).items()}
    if "at_most" not in asked:
        limits |= {name: result.details[name] for name in ("excess", "gain") if name in asked}
    if len(limits) != 1:
        return {"value": result.value, "compared": "average" if "average" in limits else None}
    ((name, value),) = limits.items()
    return {"value": value, "compared": name}


def _rule_result(rule: Rule, waiver: Waiver | None, today: date, measured: Mapping[str, Any]) -> RuleResult:
    """The result of a rule with its verdict; a waiver holds up to and including its last day."""
    facts = None if waiver is None else _waiver(waiver, today, satisfied=measured["satisfied"])
    waived = facts is not None and facts.state == "active"
    return RuleResult(
        name=rule.name,
        preset=rule.preset,
        why=rule.why,
        verdict=PASS if measured["satisfied"] else WAIVED if waived else FAIL,
        waiver=facts,
        **measured,
    )


def _waiver(waiver: Waiver, today: date, *, satisfied: bool) -> WaiverFacts:
    state: WaiverState = "not needed" if satisfied else "expired" if waiver.expires < today else "active"
    return WaiverFacts(waiver.owner, waiver.reason, waiver.expires.isoformat(), state)
