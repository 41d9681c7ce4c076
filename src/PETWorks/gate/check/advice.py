"""Advice on what to do next, as data that follows from verdicts and facts; renderers put it into words."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date

import numpy as np
from msgspec.structs import replace

from PETWorks.about.kinds import GENERALISED
from PETWorks.anonymizer.data_cube import DataCube
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.objectives import Granularity
from PETWorks.anonymizer.rules import MeasureRule
from PETWorks.attributetypes import SENSITIVE_ATTRIBUTE
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError
from PETWorks.gate.check.built_in_rules import SUGGESTED_LIMIT, SUGGESTED_RULE, preset_for
from PETWorks.gate.check.facts import records_below, regimes_without_approver, without_each_column
from PETWorks.gate.check.findings import UNMEASURED, personal_details
from PETWorks.gate.check.notices import is_unexplained, rejected_for_values, released_identifiers
from PETWorks.gate.document import (
    FAIL,
    WAIVED,
    ColumnFacts,
    ColumnFinding,
    NextStep,
    RaisedLevel,
    RuleResult,
    SignOff,
)
from PETWorks.gate.external.protected import fewest_attacked, range_of, rules_withheld
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import (
    ALL_RELEASES,
    BUILT_IN_RULES,
    NO_DIFFERENCES,
    NO_UNIQUE,
    NOT_ALONE,
    PEOPLE_COUNTED,
    RECORDS_LEFT,
    REMEDIES,
    RULES_FIT,
    SUBSETS,
    UP_TO_DATE,
    VALUES_PROTECTED,
    Rule,
    remedy,
    sufficient_class_size,
    values_per_class,
)
from PETWorks.gate.suggest.protection_proposal import propose_protections
from PETWorks.measures.catalogue import catalogue
from PETWorks.measures.disclosure.lookups import FEW_CONTROLS, FEWEST_CONTROLS, IN_ORIGINAL, NO_CONTROL
from PETWorks.measures.numbers import number
from PETWorks.measures.result import at_most
from PETWorks.releases.disclosure_facts import ReleasesFacts
from PETWorks.tables.further_content import UNSEEN
from PETWorks.tables.yaml_files import in_yaml, yaml_text

MAX_RECORDS = 500_000  # in larger tables, the advice would take longer than the check
MAX_RAISED = 3


def anonymize_steps(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """Steps that would help failing rules, if all quasi-identifiers have hierarchies and original values.

    Waived rules are ignored, and so are rules about utility, which further generalisation cannot help.
    """
    failing = {rule.name for rule in rules if rule.verdict == FAIL}
    helped = [
        rule
        for rule in policy.rules
        if rule.name in failing
        and not rule.about_all_releases
        and (rule.measure is None or not rule.measure.worse_by_suppression)
    ]
    known = all(column in release.hierarchies for column in release.quasi_identifiers)
    if helped and known and release.engine.name == "memory" and release.records <= MAX_RECORDS:
        with suppress(PETWorksError):  # values that are already generalised have no place on other levels
            yield _anonymize_step(release, helped)


def _anonymize_step(release: Release, rules: Sequence[Rule]) -> NextStep:
    """The step to anonymise, with details for manual changes if rules are about single classes."""
    lattice = Lattice.of(release.quasi_identifiers, release.hierarchies, None)
    cube = DataCube.of(release.view, lattice)
    step = NextStep("anonymize", rules=tuple(rule.name for rule in rules))
    about_classes = [
        MeasureRule(rule.measure, rule.parameters, rule.name)
        for rule in rules
        if rule.measure is not None and rule.measure.tests is not None
    ]
    return _with_manual_options(step, cube, about_classes) if about_classes else step


def _with_manual_options(step: NextStep, cube: DataCube, rules: Sequence[MeasureRule]) -> NextStep:
    """The step with the number of records to suppress and the levels that would help most."""
    lattice = cube.lattice
    objective = Granularity.of(cube, [1.0] * len(lattice.columns), "geometric")
    judge = Judge(cube, rules, cube.records, objective)

    def failing_and_loss(levels: dict[str, int]) -> tuple[int, float]:
        """The number of records in failing classes, and the loss if none is suppressed."""
        classes = cube.at(tuple(levels.get(column, 0) for column in lattice.columns))
        failing, _ = judge.failing(classes)
        nothing = np.zeros(len(failing), np.bool_)
        return int(classes.records[failing].sum()), objective.loss(classes, nothing)

    failing_now, _ = failing_and_loss({})
    raised = [RaisedLevel(column, 1, *failing_and_loss({column: 1})) for column in lattice.columns]
    best = sorted(
        (level for level in raised if level.records < failing_now),
        key=lambda level: (level.records, level.loss, level.column),
    )
    return replace(step, records=failing_now, share=failing_now / cube.records, raised=tuple(best[:MAX_RAISED]))


STEP_BY_OBSTACLE = {NO_CONTROL: "name-control", FEW_CONTROLS: "more-control", IN_ORIGINAL: "separate-control"}
WAIVER_WARNING_DAYS = 30  # days before the end of a waiver in which a step mentions it
MAX_SUPPRESSED = 0.05  # share of the records above which a step mentions suppression
# The step for a finding, by its kind and whether the release fails because of it.
HIDDEN_IDENTIFIERS, LOOK_AGAIN, PERSONAL_DETAILS = "hidden-identifiers", "look-again", "personal-details"
STEP_BY_FINDING = {
    ("direct identifier", True): HIDDEN_IDENTIFIERS,
    ("details in its name", True): "rename-column",
    ("nearly unique", True): "unmeasured-values",
    ("nearly unique", False): "nearly-unique",
    ("perhaps known", False): "measure-or-explain",
    ("perhaps sensitive", False): "secret-or-explain",
}
MAX_NAMED = 3  # columns listed in a step at most


def next_steps(
    release: Release,
    policy: Policy,
    rules: Sequence[RuleResult],
    columns: Sequence[ColumnFacts],
    signed: SignOff,
    today: date,
    drivers: Sequence[str],
    other_releases: ReleasesFacts | None = None,
) -> tuple[NextStep, ...]:
    """The steps, the most urgent first.

    drivers          quasi-identifiers by their contribution to the risk, if known
    other_releases   other releases about the same people
    """
    if release.kind != GENERALISED:
        return (
            *_remove_identifiers_step(release, policy.releases.key),
            *_finding_steps(columns, policy, fails=True),
            *_sufficient_rules_steps(policy, rules),
            *_rewrite_values_steps(rules),
            *_comparison_steps(rules),
            *_lineage_steps(rules),
            *_waiver_steps(rules, today),
            *_name_approver_steps(policy),
            *_review_step(signed),
            *_give_roles_step(release, columns),
            *_regime_steps(signed),
        )
    riskiest = drivers or sorted(release.quasi_identifiers, key=lambda column: -len(release.marginal(column).values))
    failing = [rule for rule in rules if rule.satisfied is False and rule.name not in BUILT_IN_RULES]
    small = _rules_with_small_classes(release, failing)
    return (
        *_nothing_left_steps(rules),
        *_remove_identifiers_step(release, policy.releases.key),
        *_finding_steps(columns, policy, fails=True),
        *_sufficient_rules_steps(policy, rules),
        *_protect_step(release, policy, rules),
        *_rewrite_values_steps(rules),
        *_unlink_step(release, policy),
        *_count_people_step(policy, rules),
        *_merge_classes_steps(release, failing, small, riskiest),
        *_cannot_hold_step(release, failing),
        *_remedy_steps(failing, small, riskiest),
        *_withdraw_step(failing, other_releases),
        *anonymize_steps(release, policy, failing),
        *_lineage_steps(rules),
        *_waiver_steps(rules, today),
        *_name_approver_steps(policy),
        *_review_step(signed),
        *_give_roles_step(release, columns),
        *_finding_steps(
            [column for column in columns if column.column not in rejected_for_values(rules)], policy, fails=False
        ),
        *_many_suppressed_step(release),
        *_measure_together_step(other_releases),
        *_try_subsets_step(release, policy),
        *_regime_steps(signed),
        *_withheld_step(release, policy.cell_size, rules, columns, other_releases),
    )


def _comparison_steps(rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """Steps for rules about lookups: more control people, or another release."""
    failing = [rule for rule in rules if rule.verdict == FAIL and rule.measure in (*catalogue, SUBSETS)]
    by_step: dict[str, list[RuleResult]] = {}
    for rule in failing:
        unjudged = rule.details.get("unjudged")
        few = unjudged is None and "control_needed" in rule.details
        step = STEP_BY_OBSTACLE[unjudged] if unjudged else "more-control" if few else "synthesise-anew"
        by_step.setdefault(step, []).append(rule)
    for step, helped in by_step.items():
        needed = max((rule.details.get("control_needed", 0) for rule in helped), default=0)
        yield NextStep(
            step,
            size=needed or (FEWEST_CONTROLS if step == "more-control" else None),
            rules=tuple(r.name for r in helped),
        )
    for rule in rules:
        if rule.verdict == FAIL and rule.name == NO_UNIQUE:
            yield NextStep("compare-columns", columns=rejected_for_values(rules), rules=(rule.name,))


def _rules_with_small_classes(release: Release, failing: Sequence[RuleResult]) -> dict[str, float]:
    """The failing rules that larger classes would help, each with a sufficient class size."""
    sufficient = {rule.name: sufficient_class_size(rule) for rule in failing}
    return {name: size for name, size in sufficient.items() if records_below(release.class_sizes(), size)}


def _remove_identifiers_step(release: Release, key: str | None) -> Iterator[NextStep]:
    identifiers = released_identifiers(release, key)
    if identifiers:
        yield NextStep("remove-identifiers", columns=identifiers)


def _protect_step(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """Columns whose exact values single out records, with the line of the policy that helps."""
    for rule in rules:
        if rule.name != NO_UNIQUE or rule.verdict != FAIL:
            continue
        if policy.unique_values > policy.unique_share:
            line_with_reason = f"unique_values: {{share: {number(policy.unique_values)}, reason: ...}}"
            yield NextStep(
                "explain-unique-values", share=policy.unique_share, rules=(rule.name,), policy=line_with_reason
            )
        columns = rejected_for_values(rules)
        shares = {name: found["share"] for found in rule.details["columns"] for name in found["columns"]}
        declared = tuple(name for name in columns if name in policy.anonymize.get("protect", {}))
        proposed = propose_protections(release, [name for name in columns if name not in declared])
        unprotected = tuple(name for name in columns if name not in declared and name not in proposed)
        lines = ", ".join(f"{yaml_text(name)}: {in_yaml(protection.words)}" for name, protection in proposed.items())
        steps = (
            ("protect-declared", declared, None),
            ("protect", tuple(proposed), f"protect: {{{lines}}}"),
            ("leave-out", unprotected, None),
        )
        for step, names, line in steps:
            if names:
                share = max(shares[name] for name in names)
                yield NextStep(step, share=share, columns=names, rules=(rule.name,), policy=line)


def _rewrite_values_steps(rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """Columns with values written in several ways, and content of the file besides the table."""
    for rule in rules:
        if rule.name == NO_DIFFERENCES and rule.verdict == FAIL and isinstance(rule.value, tuple):
            columns = rule.details.get("columns", [])
            if columns:
                worst = max(column["records"] for column in columns)
                names = tuple(column["column"] for column in columns)
                yield NextStep("write-anew", columns=names, records=worst, rules=(rule.name,))
            further = {kind: number for kind, number in rule.details.get("further", {}).items() if kind != UNSEEN}
            if further:
                yield NextStep("release-values", details=further, rules=(rule.name,))
            if UNSEEN in rule.details.get("further", {}):
                yield NextStep("export-table", rules=(rule.name,))


def _sufficient_rules_steps(policy: Policy, rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """The lines that a policy lacks if its rules are not sufficient."""
    for rule in rules:
        if rule.verdict == FAIL and rule.name == VALUES_PROTECTED and isinstance(rule.value, tuple):
            yield NextStep(
                "rule-for-values",
                columns=tuple(map(str, rule.value)),
                rules=(rule.name,),
                policy=SUGGESTED_RULE if policy.kind == GENERALISED else SUGGESTED_LIMIT,
            )
        if rule.verdict == FAIL and rule.name == RULES_FIT and policy.kind != GENERALISED:
            uncompared = tuple(column["column"] for column in rule.details.get("columns", ()))
            if uncompared:
                yield NextStep("compare-on-levels", columns=uncompared, rules=(rule.name,))
            if not isinstance(rule.value, float) or not at_most(rule.value, rule.parameters["excess"]):
                yield NextStep(
                    "limit-excess", share=rule.parameters["excess"], rules=(rule.name,), policy=preset_for(policy)
                )
        elif rule.verdict == FAIL and rule.name == RULES_FIT:
            size = rule.parameters["records"]
            unsaid = policy.release_kind is None
            yield NextStep(
                "fitting-rules-unsaid" if unsaid else "fitting-rules",
                size=size,
                rules=(rule.name,),
                policy=preset_for(policy),
            )


def _unlink_step(release: Release, policy: Policy) -> Iterator[NextStep]:
    """Columns that link records of a person, in this table or across tables."""
    key, unit = policy.releases.key, release.privacy_unit
    if unit is not None and unit in release.columns and not (policy.keeps_unit and release.people == release.records):
        yield NextStep("unlink", columns=(unit,))
    if key is not None and key in release.columns and key != unit:
        yield NextStep("remove-key", columns=(key,))


def _count_people_step(policy: Policy, rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    for rule in rules:
        if rule.measure == PEOPLE_COUNTED and not rule.satisfied and policy.privacy_unit is not None:
            yield NextStep("count-people", columns=(policy.privacy_unit,))


def _merge_classes_steps(
    release: Release, failing: Sequence[RuleResult], small: Mapping[str, float], riskiest: Sequence[str]
) -> Iterator[NextStep]:
    """Larger classes for failing rules, then for waived rules, which may demand even larger ones."""
    sizes = release.class_sizes()
    for verdict in (FAIL, WAIVED):
        rules = tuple(rule.name for rule in failing if rule.name in small and rule.verdict == verdict)
        if rules:
            size = max(small[name] for name in rules)
            yield NextStep(
                "merge-classes",
                size=size,
                records=records_below(sizes, size),
                share=records_below(sizes, size) / sizes.records,
                rules=rules,
                without=without_each_column(release, size, riskiest),
            )


def _cannot_hold_step(release: Release, failing: Sequence[RuleResult]) -> Iterator[NextStep]:
    """Rules that demand more sensitive values in every class than the whole table has."""
    distinct = {name: len(release.view.overall(name).values) for name in release.sensitive_attributes}
    too_few = {
        rule.name: [name for name, values in distinct.items() if values < values_per_class(rule)] for rule in failing
    }
    columns = {name for names in too_few.values() for name in names}
    if columns:
        rules = tuple(rule for rule, names in too_few.items() if names)
        yield NextStep("cannot-hold", rules=rules, columns=tuple(sorted(columns)))


def _remedy_steps(
    failing: Sequence[RuleResult], small: Mapping[str, float], riskiest: Sequence[str]
) -> Iterator[NextStep]:
    steps = {rule.name: remedy(rule, rule.name in small) for rule in failing}
    for step in REMEDIES:
        rules = tuple(name for name, helpful in steps.items() if helpful == step)
        if rules:
            yield NextStep(step, rules=rules, columns=tuple(riskiest[:MAX_NAMED]))


def _withdraw_step(failing: Sequence[RuleResult], other_releases: ReleasesFacts | None) -> Iterator[NextStep]:
    """The earlier release whose withdrawal would lower the chance of re-identification most, if a rule on all fails."""
    rules = tuple(rule.name for rule in failing if rule.measure == ALL_RELEASES)
    shares = [] if other_releases is None or not rules else other_releases.attacks[0].shares
    saving = [
        (contribution.saves, contribution)
        for contribution in shares
        if isinstance(contribution.saves, float) and contribution.saves > 0
    ]
    if other_releases is not None and saving:
        _, best = max(saving, key=lambda pair: pair[0])
        names = {release.number: release.name or release.file or "" for release in other_releases.releases}
        yield NextStep("withdraw", share=best.without, rules=rules, releases=(names[best.release],))


def _measure_together_step(other_releases: ReleasesFacts | None) -> Iterator[NextStep]:
    """Releases of the register that share a key with this one, but were not measured together with it."""
    known = (other_releases.registered if other_releases is not None else None) or ()
    left = [entry for entry in known if entry.shared_keys and not entry.measured]
    if left:
        yield NextStep("measure-together", releases=tuple(entry.title for entry in left))


def _waiver_steps(rules: Sequence[RuleResult], today: date) -> Iterator[NextStep]:
    """Waivers that have expired, are not needed or end soon, in the order of their first rule."""
    by_step: dict[str, list[str]] = {}
    for rule in rules:
        step = _waiver_step(rule, today)
        if step is not None:
            by_step.setdefault(step, []).append(rule.name)
    for step, names in by_step.items():
        yield NextStep(step, rules=tuple(names))


def _waiver_step(rule: RuleResult, today: date) -> str | None:
    if rule.waiver is None:
        return None
    if rule.waiver.state == "expired":
        return "waiver-expired"
    if rule.waiver.state == "not needed":
        return "waiver-not-needed"
    days_left = (date.fromisoformat(rule.waiver.expires) - today).days
    return "waiver-ends" if days_left <= WAIVER_WARNING_DAYS else None


def _withheld_step(
    release: Release,
    cell_size: int,
    rules: Sequence[RuleResult],
    columns: Sequence[ColumnFacts],
    other_releases: ReleasesFacts | None,
) -> Iterator[NextStep]:
    """Rules whose verdict is withheld from outsiders, since it would reveal a small number of people."""
    people, attacked = range_of(release.view.people, cell_size), fewest_attacked(other_releases, cell_size)
    hidden = rules_withheld(rules, cell_size, people, columns, release.treatment, attacked)
    if hidden:
        yield NextStep("withheld-outside", rules=tuple(rule.name for rule in rules if rule.name in hidden))


def columns_with_unfit_roles(columns: Sequence[ColumnFacts], policy: Policy) -> tuple[str, ...]:
    """Unmeasured columns whose name or values clearly contradict that, without a reason in the policy."""
    return tuple(
        column.column
        for column in columns
        if column.role in UNMEASURED and is_unexplained(column, policy) and any(map(_contradicts, column.found))
    )


def _contradicts(finding: ColumnFinding) -> bool:
    """Whether a finding contradicts a role with more than caution."""
    doubt = finding.kind in ("perhaps known", "perhaps sensitive")
    return doubt and (finding.points_to is not None or finding.looks_like is not None)


def columns_to_explain(release: Release, columns: Sequence[ColumnFacts]) -> tuple[str, ...]:
    """The columns that have neither a role nor a reason for having none."""
    explained = (column.column for column in columns if column.role is not None or column.no_role is not None)
    known = {release.privacy_unit, *explained}
    return tuple(name for name in release.columns if name not in known)


def _lineage_steps(rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    """Steps for a release whose settings changed, or that is not alone."""
    steps = {UP_TO_DATE: "make-again", NOT_ALONE: "declare-releases"}
    return (NextStep(steps[rule.name]) for rule in rules if rule.name in steps and not rule.satisfied)


def _give_roles_step(release: Release, columns: Sequence[ColumnFacts]) -> Iterator[NextStep]:
    names = columns_to_explain(release, columns)
    of_sample = tuple(name for name in names if name in release.sample.columns)
    if of_sample:
        yield NextStep("leave-out-sample", columns=of_sample)
    if len(names) > len(of_sample):
        yield NextStep("give-roles", columns=tuple(name for name in names if name not in of_sample))


def _finding_steps(columns: Sequence[ColumnFacts], policy: Policy, *, fails: bool) -> Iterator[NextStep]:
    """Steps about columns whose values contradict their role, or that deserve a look and are not explained."""
    by_step: dict[str, list[str]] = {}
    for column in columns:
        if is_unexplained(column, policy):
            for step in _steps_about(column, fails=fails):
                by_step.setdefault(step, []).append(column.column)
    for step, names in by_step.items():
        yield NextStep(step, columns=tuple(names))
    if fails:
        yield from _personal_details_steps(columns)


def _personal_details_steps(columns: Sequence[ColumnFacts]) -> Iterator[NextStep]:
    """Steps about texts that name people: one for each column, with the details found there."""
    for column in columns:
        details = personal_details(column)
        if details and not column.has("direct identifier"):
            yield NextStep(PERSONAL_DETAILS, columns=(column.column,), details=details)


def _steps_about(column: ColumnFacts, *, fails: bool) -> list[str]:
    """The steps for the findings of a column; a column to be removed needs no other advice."""
    if column.fails is not fails:
        return []
    findings = [finding for finding in column.found if finding.fails is fails and finding.kind != "personal details"]
    steps = [STEP_BY_FINDING.get((finding.kind, fails), LOOK_AGAIN) for finding in findings]
    if HIDDEN_IDENTIFIERS in steps:
        return [HIDDEN_IDENTIFIERS]
    if column.role == SENSITIVE_ATTRIBUTE:  # it has no levels
        steps = ["round-values" if step == "nearly-unique" else step for step in steps]
    special = [step for step in dict.fromkeys(steps) if step != LOOK_AGAIN]
    return special or steps[:1]


def _review_step(signed: SignOff) -> Iterator[NextStep]:
    if signed.overdue:
        yield NextStep("review-overdue")


def _name_approver_steps(policy: Policy) -> Iterator[NextStep]:
    for regime in regimes_without_approver(policy):
        yield NextStep("name-approver", regime=regime)


def _regime_steps(signed: SignOff) -> Iterator[NextStep]:
    """Items that regimes require and the policy lacks."""
    for regime in signed.regimes:
        items = tuple(item.item for item in regime.items if not item.given)
        if items:
            yield NextStep("regime-lacks", regime=regime.name, items=items)


def _nothing_left_steps(rules: Sequence[RuleResult]) -> Iterator[NextStep]:
    for rule in rules:
        if rule.measure == RECORDS_LEFT and not rule.satisfied:
            aside = "aside" in rule.details and not rule.details["by_reason"]
            if aside:
                yield NextStep("judge-all", records=rule.details["aside"], rules=(rule.name,))
            if "suppressed" in rule.details:
                yield NextStep("plan-anew")
            elif not aside:
                yield NextStep("nothing-left")


def _many_suppressed_step(release: Release) -> Iterator[NextStep]:
    suppressed = release.suppressed_records
    if release.records > suppressed > MAX_SUPPRESSED * release.records:
        yield NextStep("many-suppressed", records=suppressed, share=suppressed / release.records)


def _try_subsets_step(release: Release, policy: Policy) -> Iterator[NextStep]:
    if policy.subset_sizes is None and release.privacy_unit is None:
        yield NextStep("try-subsets")
