"""Who answers for a release, why it is made, and what has been released before, as a policy file says."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from PETWorks.errors import quoted
from PETWorks.gate.mistakes import Mistakes
from PETWorks.gate.regimes import chosen_regimes
from PETWorks.gate.sign_off_document import EarlierRelease, Regime, Spoken
from PETWorks.tables.yamlfile import Key


@dataclass(frozen=True)
class Accountability:
    """What standards ask a data holder to write down; None where the policy does not say."""

    purpose: Spoken | None
    role_reasons: Mapping[str, Spoken]
    earlier_releases: tuple[EarlierRelease, ...] | None
    approver: Spoken | None
    role: Spoken | None
    review_by: date | None
    incident_contact: Spoken | None
    regimes: tuple[Regime, ...]


def accountability_of(mistakes: Mistakes) -> Accountability:
    """What a policy file says about it."""
    content: Mapping[str, Any] = mistakes.file.content
    context, signed = content.get("context", {}), content.get("sign_off", {})
    earlier = context.get("earlier_releases")
    review = signed.get("review_by")
    return Accountability(
        purpose=context.get("purpose"),
        role_reasons={column.strip(): reason for column, reason in content.get("role_reasons", {}).items()},
        earlier_releases=None
        if earlier is None
        else tuple(_earlier(mistakes, place, one) for place, one in enumerate(earlier)),
        approver=signed.get("approver"),
        role=signed.get("role"),
        review_by=None if review is None else checked_day(mistakes, ("sign_off", "review_by"), review),
        incident_contact=signed.get("incident_contact"),
        regimes=tuple(chosen_regimes(mistakes)),
    )


def _earlier(mistakes: Mistakes, place: int, given: Mapping[str, Any]) -> EarlierRelease:
    checked_day(mistakes, ("context", "earlier_releases", place, "date"), given["date"])
    return EarlierRelease(given["what"], given["date"], given["recipients"])


def checked_day(mistakes: Mistakes, key: Key, text: str) -> date | None:
    """A day that a policy names."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        mistakes.add(key, "no such day: {day}", day=quoted([text]))
        return None
