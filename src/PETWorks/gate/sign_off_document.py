"""The part of a check's document that says who answers for a release, and what a regime still asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from PETWorks.gate.typed_json import JSONObject, keywords

Spoken = Annotated[str | Mapping[Literal["en", "zh-TW"], str], "a text of the policy, in one language or in both"]
Day = Annotated[str, keywords(format="date")]


@dataclass(frozen=True)
class EarlierRelease(JSONObject):
    """A table about the same people that has been handed out before."""

    what: Spoken
    date: Day | None
    recipients: Spoken


@dataclass(frozen=True)
class RegimeItem(JSONObject):
    """Something that a regime asks for, where it does so in our reading, and whether the policy has it."""

    item: str
    where: str
    given: bool


@dataclass(frozen=True)
class Regime(JSONObject):
    """A standard or a law, its source, and its checklist."""

    name: str
    organisation: str
    title: str
    date: str
    source: str
    note: str
    chinese: str
    items: tuple[RegimeItem, ...]


@dataclass(frozen=True)
class SignOff(JSONObject):
    """Who answers for the release, what was decided, and what is still missing."""

    approver: Spoken | None
    role: Spoken | None
    review_by: Day | None
    overdue: Annotated[bool, "whether the review date has passed"]
    incident_contact: Spoken | None
    role_reasons: Mapping[str, Spoken]
    earlier_releases: tuple[EarlierRelease, ...] | None
    regimes: tuple[Regime, ...]
