"""The part of a check's document about other releases: what they disclose together with this one, and who has them."""

from dataclasses import dataclass
from typing import Annotated

from PETWorks.gate.bounds import Count, Number
from PETWorks.gate.sign_off_document import Day, Spoken
from PETWorks.gate.typed_json import JSONObject, keywords

Names = tuple[str, ...]
Place = Annotated[int, "the number of a release in the list of releases", keywords(minimum=1)]
Tables = Annotated[int, keywords(minimum=0)]
Sha256 = Annotated[str, keywords(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True, kw_only=True)
class ReleaseOfSet(JSONObject):
    """One of the releases about the same people: those that were measured in the order of the curve, then the others.

    `chance` and `alone` are about this release alone: the chance to pick the record of one of its people, and the share
    of its people who are alone in their class. `in_common`: its people who are in the checked release, too.
    """

    number: Place
    name: Spoken | None
    this: Annotated[bool, "whether it is the release that is checked"]
    measured: Annotated[bool, "whether its table was there to be measured"]
    file: str | None = None
    sha256: Sha256 | None = None
    date: Day | None = None
    recipients: Spoken | None = None
    people: Count = None
    in_common: Count = None
    quasi_identifiers: Names | None = None
    sensitive_attributes: Names | None = None
    chance: Number = None
    alone: Number = None


@dataclass(frozen=True)
class SetStep(JSONObject):
    """What is known once a release is out, and all before it: the chance of success, and the share that is certain."""

    release: Place
    chance: Number
    certain: Number = None


@dataclass(frozen=True)
class SetShare(JSONObject):
    """What a release adds to an attack.

    `adds` is its share on average over all orders (its Shapley value), `without` the chance if it is withdrawn, and
    `saves` how much lower that is.
    """

    release: Place
    adds: Number = None
    adds_exact: str | None = None
    without: Number = None
    saves: Number = None


@dataclass(frozen=True)
class SetAttack(JSONObject):
    """An attack by somebody who can join the records of a person in all releases."""

    attack: str
    prior: Number
    alone: Annotated[Number, "the chance with the checked release alone"]
    together: Annotated[Number, "the chance with all releases"]
    certain_alone: Number
    certain: Number
    curve: Annotated[tuple[SetStep, ...], "with one release after the other"]
    shares: tuple[SetShare, ...]
    gain: Annotated[tuple[float, ...], "before, with the checked release alone, with all"] | None = None


@dataclass(frozen=True)
class SetConfidence(JSONObject):
    """Of how many people one sensitive value is left, or at most two: with one release alone, or up to it."""

    release: Place
    disclosed: Number
    half_sure: Number
    people: Count = None


@dataclass(frozen=True)
class SetIntersection(JSONObject):
    """The attack of somebody who cannot join records, but intersects the values that the releases offer."""

    attribute: str
    people: Count
    disclosed: Number = None
    half_sure: Number = None
    alone: tuple[SetConfidence, ...] = ()
    curve: tuple[SetConfidence, ...] = ()
    changed: Annotated[int, "people whose value is another one in another release"] | None = None
    contradictory: Annotated[int, "people of whom no value is left"] | None = None
    mistaken: Annotated[int, "people of whom only a wrong value is left"] | None = None


@dataclass(frozen=True)
class SetInvariance(JSONObject):
    """The largest m for which the releases are m-invariant; null if there is none."""

    attribute: str
    m: int | None
    smallest_class: int
    repeated: Annotated[int, "classes of any release in which a value occurs more than once"]
    changing: Annotated[int, "people with another set of values in another release"]


@dataclass(frozen=True)
class Registered(JSONObject):
    """A release of the register that shares something with the one that is checked."""

    title: Spoken
    date: Day
    sha256: Sha256 | None
    recipients: Spoken | None
    verdict: str
    shared_keys: Names
    shared_quasi_identifiers: Names
    shared_sensitive_attributes: Names
    measured: Annotated[bool, "whether the policy names it, so that it was measured"]


@dataclass(frozen=True, kw_only=True)
class ReleasesFacts(JSONObject):
    """Other releases about the same people: how many were measured together with this one, and what they disclose.

    `people` are those of the release that is checked.
    """

    measured: Annotated[Tables, "earlier releases that were measured together with this one"]
    not_measured: Annotated[Tables, "other releases that are known, but were not measured"]
    key: Annotated[str, "the column that names the person"] | None = None
    people: Count = None
    releases: tuple[ReleaseOfSet, ...] = ()
    attacks: tuple[SetAttack, ...] = ()
    unlinked: tuple[SetIntersection, ...] = ()
    m_invariance: tuple[SetInvariance, ...] = ()
    warnings: Names = ()
    registered: Annotated[tuple[Registered, ...], "null without a register"] | None = None
