"""Facts of a report besides the measures: columns, class sizes, adversaries, payout, and sign-off."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, cast

import numpy as np
from msgspec.structs import replace

from PETWorks.about.hierarchies.hierarchy import Hierarchy, released_level
from PETWorks.about.kinds import GENERALISED
from PETWorks.about.treatment import APART
from PETWorks.anonymizer.utility import information_kept
from PETWorks.counting.counts import ClassSizes, Grouping, Marginal
from PETWorks.counting.release import Release
from PETWorks.errors import HierarchyError, NotApplicable
from PETWorks.gate.document import (
    AdversaryFacts,
    ColumnFacts,
    EarlierRelease,
    PayoutStep,
    Regime,
    Role,
    SignOff,
    SmallClasses,
    WithoutColumn,
)
from PETWorks.gate.policy.accountability import APPROVER_ITEM, regimes_asking_for
from PETWorks.gate.policy.policy import Adversary, Policy
from PETWorks.measures.catalogue import all_measures
from PETWorks.measures.result import Result
from PETWorks.measures.utility.payout import payout_curve
from PETWorks.tables.cells import SUPPRESSED

CELL_SIZES = (2, 3, 5, 11, 20)
MAX_STEPS = 60  # steps of the payout curve
MAX_REMOVED = 12  # quasi-identifiers whose removal is tried


def column_facts(release: Release, results: Iterable[Result], shown: Collection[str] = ()) -> tuple[ColumnFacts, ...]:
    """Every column with its role and its remaining information; removed direct identifiers come last.

    shown   columns that show means or medians, from which one cannot see what they stand for
    """
    removed = [name for name in release.identifiers if name not in release.columns]
    columns = (
        ColumnFacts(
            column=name,
            role=cast(Role, release.roles.get(name)),
            released=name in release.columns,
            **(_remaining_information(release, name, name in shown) if name in release.compared_columns else {}),
        )
        for name in (*release.columns, *removed)
    )
    return add_measures(columns, results)


def add_measures(columns: Iterable[ColumnFacts], results: Iterable[Result]) -> tuple[ColumnFacts, ...]:
    """The columns with their numbers from the measures."""
    by_measure = {result.measure: result.details.get("columns", {}) for result in results}

    def numbers(column: ColumnFacts) -> dict[str, Any]:
        facts = {
            entry.by_column.name: by_measure[entry.name][column.column][entry.by_column.key]
            for entry in all_measures()
            if entry.by_column is not None and column.column in by_measure.get(entry.name, {})
        }
        if column.recoded:
            facts.pop("total_variation", None)  # the labels differ, so the distributions cannot be compared
        return facts

    return tuple(replace(column, **numbers(column)) for column in columns)


def _remaining_information(release: Release, name: str, is_shown: bool) -> dict[str, Any]:
    """The number of distinct values of a column, now and before, and its level."""
    values, hierarchy = release.marginal(name).values, release.hierarchies.get(name)
    facts: dict[str, Any] = {"distinct": _count_distinct(values)}
    if hierarchy is not None:
        facts |= _level_facts(name, values, hierarchy)
    if release.has_original and release.kind != GENERALISED:
        facts["distinct_before"] = _count_distinct(release.original.marginal(name).values)
    elif release.has_original:
        before, after = release.original.marginal(name), release.marginal(name)
        facts["distinct_before"] = _count_distinct(before.values)
        facts["recoded"] = bool(set(values) - {*before.values, None, SUPPRESSED})
        facts["changed"] = _changed_share(before, after)
        facts["stars"] = after.by_value.get(SUPPRESSED, 0)
        placed = release.view.replaced_labels.get(name)
        if placed is not None:
            facts["information_kept"] = placed.information_kept
        elif not is_shown:
            facts["information_kept"] = information_kept(before, after, hierarchy, facts.get("level"))
    return facts


def _level_facts(name: str, values: Sequence[str | None], hierarchy: Hierarchy) -> dict[str, int]:
    """The level of a column and the highest level; empty if its values are on several levels or on none."""
    present = [value for value in values if value not in (None, SUPPRESSED)]
    try:
        level = released_level(name, present or [SUPPRESSED], hierarchy)
    except (HierarchyError, NotApplicable):
        return {}
    return {"level": int(level), "height": hierarchy.height}


def _changed_share(before: Marginal, after: Marginal) -> float:
    """The share of released cells that cannot be original cells: the original has fewer of their value."""
    counts_before = before.by_value
    counts = zip(after.values, after.counts.tolist(), strict=True)
    new = sum(max(int(count) - int(counts_before.get(value, 0)), 0) for value, count in counts)
    return new / after.records


def _count_distinct(values: Sequence[str | None]) -> int:
    return len(set(values) - {None, SUPPRESSED})


def records_below(sizes: ClassSizes, size: float) -> int:
    """The number of records in classes smaller than a size."""
    return int((sizes.sizes * sizes.classes)[sizes.sizes < size].sum())


def small_classes(release: Release, cell_size: int) -> tuple[SmallClasses, ...]:
    """The number of records in classes below the usual sizes and the policy's cell size."""
    sizes = release.class_sizes()
    return tuple(
        SmallClasses(size, records_below(sizes, size), records_below(sizes, size) / max(sizes.records, 1))
        for size in sorted({*CELL_SIZES, cell_size})
    )


def adversary_facts(release: Release, adversaries: Iterable[Adversary]) -> tuple[AdversaryFacts, ...]:
    """The results for each assumed adversary; adversaries see every record."""
    return tuple(_facts_of_adversary(release, adversary) for adversary in adversaries)


def _facts_of_adversary(release: Release, adversary: Adversary) -> AdversaryFacts:
    sizes = release.view.sizes_by(Grouping(adversary.knows, adversary.knows))
    return AdversaryFacts(
        who=adversary.who,
        knows=adversary.knows,
        classes=sizes.number,
        smallest_class=int(sizes.sizes[0]),
        unique_records=records_below(sizes, 2),
        unique_share=records_below(sizes, 2) / sizes.records,
        chance=sizes.number / sizes.records,
    )


def without_each_column(release: Release, size: float, riskiest: Sequence[str]) -> tuple[WithoutColumn, ...]:
    """Records in classes below a size if a quasi-identifier were removed; the most helpful removal first.

    riskiest   the columns in the order in which they are tried
    """
    if len(release.quasi_identifiers) < 2:
        return ()
    tried = [column for column in riskiest if column in release.quasi_identifiers][:MAX_REMOVED]
    small = {column: records_below(_sizes_without(release, column), size) for column in tried}
    return tuple(WithoutColumn(column, small[column]) for column in sorted(small, key=lambda column: small[column]))


def _sizes_without(release: Release, column: str) -> ClassSizes:
    remaining = tuple(name for name in release.quasi_identifiers if name != column)
    treatment = release.treatment
    grouping = Grouping(remaining, remaining, treatment["suppressed"] == APART, treatment["missing"] == APART)
    return release.view.sizes_by(grouping)


def payout_curve_of(release: Release, results: Iterable[Result]) -> tuple[PayoutStep, ...] | None:
    """The curve of the publisher's payout, if it was measured."""
    parameters = [result.parameters for result in results if result.measure == "publisher-payout"]
    return payout_steps(release, parameters[0]) if parameters else None


def payout_steps(release: Release, parameters: Mapping[str, Any]) -> tuple[PayoutStep, ...] | None:
    """The publisher's payout by the gain per cost of an attack: at most MAX_STEPS steps, including both ends."""
    names = ("publisher_loss", "publisher_benefit", "information_loss")
    try:
        ratios, payouts = payout_curve(release, **{name: parameters[name] for name in names if name in parameters})
    except (NotApplicable, HierarchyError):
        return None
    chosen = np.unique(np.linspace(0, len(ratios) - 1, MAX_STEPS).round().astype(np.int64))
    return tuple(PayoutStep(float(ratios[index]), float(payouts[index])) for index in chosen)


# A test for each item of a regime: whether the policy has it.
# An empty list of earlier releases states that there are none.
ITEM_TESTS: Mapping[str, Callable[[Release, Policy], bool]] = {
    "purpose": lambda _, policy: policy.accountability.purpose is not None,
    "release_kind": lambda _, policy: policy.release_kind is not None,
    "recipients": lambda _, policy: policy.recipients is not None,
    "adversaries": lambda _, policy: bool(policy.adversaries),
    "role_reasons": lambda release, policy: set(release.roles) <= set(policy.accountability.role_reasons),
    "earlier_releases": lambda _, policy: (
        policy.accountability.earlier_releases is not None or bool(policy.releases.earlier)
    ),
    "risk_threshold": lambda _, policy: _has_rule(policy, "privacy", "risk", "attack"),
    "utility": lambda release, policy: release.has_original or _has_rule(policy, "utility"),
    "approver": lambda _, policy: None not in (policy.accountability.approver, policy.accountability.role),
    "review_by": lambda _, policy: policy.accountability.review_by is not None,
    "incident_contact": lambda _, policy: policy.accountability.incident_contact is not None,
}


def sign_off(release: Release, policy: Policy, today: date) -> SignOff:
    """The people responsible for the release, and the checklist of each regime."""
    stated = policy.accountability
    review = stated.review_by
    return SignOff(
        approver=stated.approver,
        role=stated.role,
        review_by=None if review is None else review.isoformat(),
        overdue=review is not None and review < today,
        incident_contact=stated.incident_contact,
        role_reasons=stated.role_reasons,
        earlier_releases=_earlier_releases(policy),
        regimes=tuple(_check_items(regime, release, policy) for regime in stated.regimes),
    )


def regimes_without_approver(policy: Policy) -> tuple[str, ...]:
    """The regimes of the policy that require an approver, if the policy names none."""
    stated = policy.accountability
    return (
        ()
        if stated.approver is not None
        else regimes_asking_for(APPROVER_ITEM, (regime.name for regime in stated.regimes))
    )


def _earlier_releases(policy: Policy) -> tuple[EarlierRelease, ...] | None:
    """Earlier releases: those listed in the policy, and those that it measures."""
    stated = policy.accountability.earlier_releases
    names = [release.what for release in stated or ()]
    measured = tuple(
        EarlierRelease(release.name or release.label, release.date, release.recipients or "")
        for release in policy.releases.earlier
        if release.name not in names
    )
    return stated if not measured else (*(stated or ()), *measured)


def _check_items(regime: Regime, release: Release, policy: Policy) -> Regime:
    """The regime with its checklist: whether the policy has each item."""
    items = (replace(item, given=ITEM_TESTS[item.item](release, policy)) for item in regime.items)
    return replace(regime, items=tuple(items))


def _has_rule(policy: Policy, *families: str) -> bool:
    """Whether a measure of one of these families has a threshold, or subsets or releases have limits."""
    measures = {rule.measure.family for rule in policy.rules if rule.measure is not None}
    limits = bool(policy.limits) or bool(policy.releases.limits)
    return bool(measures.intersection(families)) or ("risk" in families and limits)
