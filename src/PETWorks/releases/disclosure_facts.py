"""Disclosure by several releases together, as frozen types that are part of documents."""

from typing import Annotated

from msgspec import Meta

from PETWorks.json_types import Count, Day, JSONObject, MultilingualText, Names, Number, Real, Sha256, described

Place = Annotated[int, described("the number of a release in the list of releases", ge=1)]
Tables = Annotated[int, Meta(ge=0)]


class ReleaseOfSet(JSONObject, frozen=True, kw_only=True):
    """One of the releases about the same people: those that were measured in the order of the curve, then the others.

    `chance` and `alone` are about this release alone: the chance to pick the record of one of its people, and the share
    of its people who are alone in their class. `in_common`: its people who are in the checked release, too.
    """

    number: Place
    name: MultilingualText | None
    this: Annotated[bool, described("whether it is the release that is checked")]
    measured: Annotated[bool, described("whether its table was there to be measured")]
    file: str | None = None
    sha256: Sha256 | None = None
    date: Day | None = None
    recipients: MultilingualText | None = None
    people: Count = None
    in_common: Count = None
    quasi_identifiers: Names | None = None
    sensitive_attributes: Names | None = None
    chance: Number = None
    alone: Number = None


class SetStep(JSONObject, frozen=True):
    """Disclosure once a release is out, and all before it: the chance of success, and the share that is certain."""

    release: Place
    chance: Number
    certain: Number = None


class SetShare(JSONObject, frozen=True):
    """Contribution of a release to an attack.

    `adds` is its share on average over all orders (its Shapley value), `without` the chance if it is withdrawn, and
    `saves` how much lower that is.
    """

    release: Place
    adds: Number = None
    adds_exact: str | None = None
    without: Number = None
    saves: Number = None


class SetAttack(JSONObject, frozen=True):
    """An attack by an adversary who can join the records of a person in all releases."""

    attack: str
    prior: Number
    alone: Annotated[Number, described("the chance with the checked release alone")]
    together: Annotated[Number, described("the chance with all releases")]
    certain_alone: Number
    certain: Number
    curve: Annotated[tuple[SetStep, ...], described("with one release after the other")]
    shares: tuple[SetShare, ...]
    gain: Annotated[tuple[Real, ...], described("before, with the checked release alone, with all")] | None = None


class SetConfidence(JSONObject, frozen=True):
    """Of how many people one sensitive value is left, or at most two: with one release alone, or up to it."""

    release: Place
    disclosed: Number
    half_sure: Number
    people: Count = None


class SetIntersection(JSONObject, frozen=True):
    """The attack by an adversary who cannot join records, but intersects the values that the releases offer."""

    attribute: str
    people: Count
    disclosed: Number = None
    half_sure: Number = None
    alone: tuple[SetConfidence, ...] = ()
    curve: tuple[SetConfidence, ...] = ()
    changed: Annotated[int, described("people whose value is another one in another release")] | None = None
    contradictory: Annotated[int, described("people of whom no value is left")] | None = None
    mistaken: Annotated[int, described("people of whom only a wrong value is left")] | None = None


class SetInvariance(JSONObject, frozen=True):
    """The largest m for which the releases are m-invariant; null if there is none."""

    attribute: str
    m: int | None
    smallest_class: int
    repeated: Annotated[int, described("classes of any release in which a value occurs more than once")]
    changing: Annotated[int, described("people with another set of values in another release")]


class Registered(JSONObject, frozen=True):
    """A release of the register that shares something with the one that is checked."""

    title: MultilingualText
    date: Day
    sha256: Sha256 | None
    recipients: MultilingualText | None
    verdict: str
    shared_keys: Names
    shared_quasi_identifiers: Names
    shared_sensitive_attributes: Names
    measured: Annotated[bool, described("whether the policy names it, so that it was measured")]


class ReleasesFacts(JSONObject, frozen=True, kw_only=True):
    """Other releases about the same people: the number measured together with this one, and their disclosure.

    `people` are those of the release that is checked.
    """

    measured: Annotated[Tables, described("earlier releases that were measured together with this one")]
    not_measured: Annotated[Tables, described("other releases that are known, but were not measured")]
    key: Annotated[str, described("the column that names the person")] | None = None
    people: Count = None
    releases: tuple[ReleaseOfSet, ...] = ()
    attacks: tuple[SetAttack, ...] = ()
    unlinked: tuple[SetIntersection, ...] = ()
    m_invariance: tuple[SetInvariance, ...] = ()
    warnings: Names = ()
    registered: Annotated[tuple[Registered, ...], described("null without a register")] | None = None
