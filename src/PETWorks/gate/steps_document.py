"""The part of a check's document that says what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from PETWorks.gate.bounds import Bound
from PETWorks.gate.sign_off_document import Spoken
from PETWorks.gate.typed_json import JSONObject, keywords


@dataclass(frozen=True)
class WithoutColumn(JSONObject):
    """The records in small classes if a column were removed."""

    column: str
    records: int | None = None


@dataclass(frozen=True)
class RaisedLevel(JSONObject):
    """The records in classes that fail if a column were on this level, and what that loses (granularity)."""

    column: str
    level: int
    records: int
    loss: float


@dataclass(frozen=True)
class Notice(JSONObject):
    """Something that the reader of the verdict should know besides."""

    notice: Literal[
        "people-counted-before",
        "people-not-counted",
        "values-of-people-unseen",
        "too-many-suppressed",
        "set-aside",
        "highest-risk",
        "certain-value",
        "identifiers-left",
        "suppressed-class",  # of earlier versions: today rules judge suppressed records
        "few-removed",
        "removed-alike",
        "minimality",
        "perhaps-known",
        "perhaps-sensitive",
        "perhaps-sensitive-coarser",
        "nearly-unique",
        "found-by-amount",
        "explained",
        "nothing-left",
        "one-value",
        "no-class-size",
        "no-rule",
        "rules-reason",
        "unique-values-reason",
        "long-waiver",
        "differences-unseen",
        "formulas",
        "rule-always-holds",
        "rule-about-one-value",
        "rule-about-nothing",
        "not-covered",
        "not-covered-columns",
        "not-covered-tables",
    ]
    columns: tuple[str, ...] | None = None
    records: int | None = None
    rules: tuple[str, ...] | None = None
    share: Annotated[float, "of the records; of 'highest-risk', the chance to find a person"] | None = None
    average: Annotated[float, "the same on average"] | None = None


@dataclass(frozen=True)
class NextStep(JSONObject):
    """A step to take next; its text is chosen by `step` and filled from the other fields."""

    step: str
    size: float | None = None
    records: Annotated[int, keywords(minimum=0)] | Bound | None = None
    share: float | Bound | None = None
    rules: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    without: tuple[WithoutColumn, ...] | None = None
    raised: tuple[RaisedLevel, ...] | None = None
    policy: Annotated[str, "a line for the policy"] | None = None
    regime: str | None = None
    items: Annotated[tuple[str, ...], "what the policy lacks"] | None = None
    releases: Annotated[tuple[Spoken, ...], "earlier releases, by name"] | None = None
    details: (
        Annotated[Mapping[str, int], "how many personal details, or things besides the table, of each kind were found"]
        | None
    ) = None
