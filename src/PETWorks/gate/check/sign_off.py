"""The statements that approvers sign, and the items that the policy's regimes still require."""

from collections.abc import Callable, Mapping
from datetime import date

from msgspec.structs import replace

from PETWorks.counting.release import Release
from PETWorks.gate.document.check_document import EarlierRelease, Regime, SignOff
from PETWorks.gate.policy.accountability import APPROVER_ITEM, regimes_asking_for
from PETWorks.gate.policy.policy import Policy

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
