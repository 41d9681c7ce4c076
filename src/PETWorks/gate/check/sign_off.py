"""What those who approve a release put their name to, and what the regimes of the policy still ask for."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date

from PETWorks.counting.release import Release
from PETWorks.gate.document.check_document import EarlierRelease, Regime, SignOff
from PETWorks.gate.policy.accountability import APPROVER_ITEM, asking_for
from PETWorks.gate.policy.policy import Policy

# Whether a policy has an item that a regime may ask for. An empty list of earlier releases says that there are none.
ITEMS: Mapping[str, Callable[[Release, Policy], bool]] = {
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
    """Who answers for the release, and the checklist of each regime."""
    stated = policy.accountability
    review = stated.review_by
    return SignOff(
        approver=stated.approver,
        role=stated.role,
        review_by=None if review is None else review.isoformat(),
        overdue=review is not None and review < today,
        incident_contact=stated.incident_contact,
        role_reasons=stated.role_reasons,
        earlier_releases=_earlier(policy),
        regimes=tuple(_checked(regime, release, policy) for regime in stated.regimes),
    )


def regimes_without_approver(policy: Policy) -> tuple[str, ...]:
    """The regimes of the policy that ask for an approver, if it names none."""
    stated = policy.accountability
    return () if stated.approver is not None else asking_for(APPROVER_ITEM, (regime.name for regime in stated.regimes))


def _earlier(policy: Policy) -> tuple[EarlierRelease, ...] | None:
    """What was released before: as the policy lists it, and the releases that it names to be measured."""
    stated = policy.accountability.earlier_releases
    names = [one.what for one in stated or ()]
    named = tuple(
        EarlierRelease(one.name or one.label, one.date, one.recipients or "")
        for one in policy.releases.earlier
        if one.name not in names
    )
    return stated if not named else (*(stated or ()), *named)


def _checked(regime: Regime, release: Release, policy: Policy) -> Regime:
    items = (replace(one, given=ITEMS[one.item](release, policy)) for one in regime.items)
    return replace(regime, items=tuple(items))


def _has_rule(policy: Policy, *families: str) -> bool:
    """Whether a measure of one of these families has a threshold, or every subset has a limit."""
    measures = {rule.measure.family for rule in policy.rules if rule.measure is not None}
    limits = bool(policy.limits) or bool(policy.releases.limits)
    return bool(measures.intersection(families)) or ("risk" in families and limits)
