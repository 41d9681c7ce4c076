"""Disclosure by several releases together: results, contribution of each release, m-invariance and limits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.displayable import Displayable
from PETWorks.errors import Counted, Hint, NotApplicable, ParameterError, Phrase, quoted
from PETWorks.measures.attacks.subsets import shapley_share
from PETWorks.measures.numbers import format_value, percent
from PETWorks.measures.parameters import Number
from PETWorks.measures.result import no_less_than, no_more_than
from PETWorks.releases.disclosure_facts import ReleasesFacts, SetAttack, SetInvariance, SetShare, SetStep
from PETWorks.releases.linked import (
    HITS_OF_PEOPLE,
    HITS_PER_ATTRIBUTE,
    MAX_RELEASES_IN_ALL_SETS,
    Exposure,
    HitsBySet,
    columns_by_attack,
)
from PETWorks.releases.unlinked import Intersection
from PETWorks.tables.frames import Rows

if TYPE_CHECKING:
    import pyarrow as pa


KNOWN_ELSEWHERE, CODED_DIFFERENTLY = "known elsewhere", "coded differently"


@dataclass(frozen=True)
class Caution:
    """A sensitive attribute of the focal release that another release treats differently.

    kind    "known elsewhere": a quasi-identifier there; "coded differently": it seems to have other values there
    share   the share of its values in the other release that the focal one does not have
    """

    kind: str
    column: str
    release: str
    focal: str
    share: float | None = None

    @property
    def text(self) -> Phrase:
        """The caution as a sentence."""
        names = {"column": self.column, "release": quoted([self.release]), "focal": quoted([self.focal])}
        if self.kind == KNOWN_ELSEWHERE:
            return Phrase(
                "{column!r} is sensitive in {focal} but a quasi-identifier in {release}: whoever joins the records "
                "knows it",
                **names,
            )
        return Phrase(
            "{share} of the values of {column!r} in {release} do not occur in {focal}; the unlinked adversary and "
            "m-invariance need the same coding",
            share=percent(self.share or 0.0),
            **names,
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Contribution:
    """The contribution of one release to one attack, as chances of success.

    without   the posterior if the release is withdrawn; None for the focal one, whose people are the targets
    saves     how much lower that is than with all releases
    shapley   its share of posterior - prior, averaged over all orders; None if there are too many releases
    """

    release: str
    attack: str
    without: float | None
    saves: float | None
    shapley: Fraction | None

    def facts(self, number: int) -> SetShare:
        """The contribution for documents; `number` is that of the release."""
        adds, exact = (None, None) if self.shapley is None else (float(self.shapley), str(self.shapley))
        return SetShare(number, adds, exact, self.without, self.saves)

    def to_dict(self) -> dict[str, Any]:
        """The fields, ready for JSON; the Shapley value as a float and as an exact fraction."""
        return {
            "release": self.release,
            "attack": self.attack,
            "without": self.without,
            "saves": self.saves,
            "shapley": None if self.shapley is None else float(self.shapley),
            "shapley_exact": None if self.shapley is None else str(self.shapley),
        }


def shapley_values(
    people: Sequence[int], priors: Sequence[int], hits: HitsBySet, releases: int
) -> list[list[Fraction]] | None:
    """Each release's share of posterior - prior, by attack: re-identification, then inference of each attribute.

    people, priors   of each attack: the number of people, and the number hit without any release
    """
    if releases > MAX_RELEASES_IN_ALL_SETS:
        return None
    sets = np.array([hits[chosen] for chosen in range(1, 1 << releases)], np.int64)
    shares = []
    for attack, prior in enumerate(priors):
        successes = np.append(prior, sets[:, 0 if attack == 0 else HITS_OF_PEOPLE + HITS_PER_ATTRIBUTE * (attack - 1)])
        shares.append([shapley_share(successes, releases, player) / people[attack] for player in range(releases)])
    return shares


@dataclass(frozen=True)
class Invariance:
    """m-invariance of a sensitive attribute: the largest m that holds, or the reasons why none does.

    smallest_class   the size of the smallest class in all releases
    repeated         by release, classes in which a value occurs more than once
    changing         people whose classes do not have the same values in every release they are in
    """

    smallest_class: int
    repeated: Mapping[str, int]
    changing: int

    @property
    def m(self) -> int | None:
        """The largest m that holds, or None."""
        return None if self.changing or any(self.repeated.values()) else self.smallest_class

    @property
    def reasons(self) -> list[Phrase]:
        """The reasons why no m holds; empty if one does."""
        reasons: list[Phrase] = [
            Counted(
                "{n:,} class of {release!r} with a value more than once",
                "{n:,} classes of {release!r} with a value more than once",
                n=classes,
                release=name,
            )
            for name, classes in self.repeated.items()
            if classes
        ]
        if self.changing:
            people = Counted("1 person", "{n:,} people", n=self.changing)
            reasons.append(Phrase("{people} with other values in another release", people=people))
        return reasons

    def facts(self, attribute: str) -> SetInvariance:
        """The invariance of an attribute, for documents."""
        return SetInvariance(attribute, self.m, self.smallest_class, sum(self.repeated.values()), self.changing)

    def to_dict(self) -> dict[str, Any]:
        """The largest m and the reasons, ready for JSON."""
        return {
            "m": self.m,
            "smallest_class": self.smallest_class,
            "classes_with_a_repeated_value": dict(self.repeated),
            "people_with_another_set_of_values": self.changing,
            "reasons": self.reasons,
        }


@dataclass(frozen=True)
class ReleaseAlone:
    """The results of one of the releases.

    in_common   people who are in the focal release as well
    alone       the exposure of its own people by its own quasi-identifiers
    """

    name: str
    people: int
    in_common: int
    quasi_identifiers: Sequence[str]
    sensitive_attributes: Sequence[str]
    alone: Exposure

    def facts(self) -> dict[str, Any]:
        """The numbers of the release, as fields of `ReleaseOfSet`."""
        return {
            "people": self.people,
            "in_common": self.in_common,
            "quasi_identifiers": tuple(self.quasi_identifiers),
            "sensitive_attributes": tuple(self.sensitive_attributes),
            "chance": self.alone.posterior,
            "alone": self.alone.alone_share,
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields, ready for JSON."""
        return {
            "name": self.name,
            "people": self.people,
            "people_in_the_focal_release": self.in_common,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive_attributes": list(self.sensitive_attributes),
            "alone": self.alone.to_dict(),
        }


@dataclass(frozen=True)
class Composition(Rows, Displayable):
    """Disclosure by several releases together about the people of the focal one.

    together        the linked adversary with all releases
    curve           the same with the first release, with the first two, and so on, in the order given
    contributions   of each release to each attack of the linked adversary
    unlinked        the intersection attack, for each sensitive attribute that another release has as well
    invariance      m-invariance, for each sensitive attribute
    limits          for each limit its value, and whether it is kept
    cautions        problems of the input that the reader should know; `warnings` has them in words
    """

    key: str
    focal: str
    releases: Sequence[ReleaseAlone]
    together: Exposure
    curve: Sequence[Exposure]
    contributions: Sequence[Contribution]
    unlinked: Mapping[str, Intersection]
    invariance: Mapping[str, Invariance]
    cautions: Sequence[Caution] = ()
    limits: Sequence[Mapping[str, Any]] = ()

    @property
    def satisfied(self) -> bool | None:
        """Whether all limits are kept; None if there are none."""
        return all(limit["satisfied"] for limit in self.limits) if self.limits else None

    @property
    def warnings(self) -> list[Phrase]:
        """The cautions as sentences."""
        return [caution.text for caution in self.cautions]

    def facts(self) -> ReleasesFacts:
        """The numbers for documents, without statements that only a policy makes about the releases."""
        numbers = {part.name: number for number, part in enumerate(self.releases, 1)}
        return ReleasesFacts(
            measured=len(self.releases) - 1,
            not_measured=0,
            key=self.key,
            people=self.together.people,
            attacks=tuple(self._attacks(numbers)),
            unlinked=tuple(attack.facts(name, numbers) for name, attack in self.unlinked.items()),
            m_invariance=tuple(invariance.facts(name) for name, invariance in self.invariance.items()),
            warnings=tuple(self.warnings),
        )

    def _attacks(self, numbers: Mapping[str, int]) -> Iterator[SetAttack]:
        """The attacks of the linked adversary: re-identification, then inference of each sensitive attribute."""
        together = self.together
        alone = next(part.alone for part in self.releases if part.name == self.focal)
        for attack, column in columns_by_attack(together).items():
            (chance_alone, certain_alone), (chance, certain) = alone.chances(column), together.chances(column)
            gains = None if column is None else (alone.inference[column].gain, together.inference[column].gain)
            yield SetAttack(
                attack=attack,
                prior=1 / together.people if column is None else together.inference[column].prior,
                alone=chance_alone,
                together=chance,
                certain_alone=certain_alone,
                certain=certain,
                curve=tuple(SetStep(number, *step.chances(column)) for number, step in enumerate(self.curve, 1)),
                shares=tuple(
                    contribution.facts(numbers[contribution.release])
                    for contribution in self.contributions
                    if contribution.attack == attack
                ),
                gain=None
                if gains is None or gains[0] is None or gains[1] is None
                else (gains[1].prior, gains[0].posterior, gains[1].posterior),
            )

    def to_dict(self) -> dict[str, Any]:
        """The results as plain dicts, lists, numbers and texts, without any cell of the tables."""
        return {
            "key": self.key,
            "focal": self.focal,
            "people": self.together.people,
            "releases": [part.to_dict() for part in self.releases],
            "linked": self.together.to_dict(),
            "curve": self._curve_as_dicts(),
            "contributions": [contribution.to_dict() for contribution in self.contributions],
            "unlinked": {name: attack.to_dict() for name, attack in self.unlinked.items()},
            "m_invariance": {name: invariance.to_dict() for name, invariance in self.invariance.items()},
            "warnings": list(self.warnings),
            "cautions": [caution.to_dict() for caution in self.cautions],
            "limits": [dict(limit) for limit in self.limits],
            "satisfied": self.satisfied,
        }

    def _curve_as_dicts(self) -> list[dict[str, Any]]:
        """The curve: the exposure after each release."""
        steps = []
        for index, (part, exposure) in enumerate(zip(self.releases, self.curve, strict=True)):
            reached = {name: attack.curve[index] for name, attack in self.unlinked.items()}
            unlinked = {name: None if sure is None else sure.to_dict() for name, sure in reached.items()}
            steps.append({"release": part.name, "linked": exposure.to_dict(), "unlinked": unlinked})
        return steps

    def to_arrow(self) -> "pa.Table":
        """The curve as a PyArrow table: a row for each release and attack.

        number, release   the last release known, in the order given
        attack            as in `to_dict()`
        prior, chance     of success: before, and with the releases up to this one
        certain           the share of people who are found, or whose value is known, for certain
        disclosed         for the unlinked adversary, the share of people with one value left; null for other attacks
        """
        import pyarrow as pa

        shares = [(name, pa.float64()) for name in ("prior", "chance", "certain", "disclosed")]
        texts = [("release", pa.string()), ("attack", pa.string())]
        return pa.Table.from_pylist(self.steps(), pa.schema([("number", pa.int64()), *texts, *shares]))

    def steps(self) -> list[dict[str, Any]]:
        """The rows of `to_arrow()` as dicts."""
        rows = []
        for number, (part, exposed) in enumerate(zip(self.releases, self.curve, strict=True), 1):
            labels = {"number": number, "release": part.name}
            rows.append(
                labels
                | {"attack": "re-identification", "prior": 1 / exposed.people, "chance": exposed.posterior}
                | {"certain": exposed.alone_share, "disclosed": None}
            )
            for name, inference in exposed.inference.items():
                crossed = self.unlinked[name].curve[number - 1] if name in self.unlinked else None
                rows.append(
                    labels
                    | {"attack": f"attribute-inference of {name}", "prior": inference.prior}
                    | {"chance": inference.posterior, "certain": inference.one_value_share}
                    | {"disclosed": None if crossed is None else crossed.share()}
                )
        return rows

    def __repr__(self) -> str:
        together = self.together
        parts = [f"re-identification {format_value(1 / together.people)} -> {format_value(together.posterior)}"]
        for name, inference in together.inference.items():
            prior, posterior = format_value(inference.prior), format_value(inference.posterior)
            parts.append(f"inference of {name!r} {prior} -> {posterior}")
        parts += [
            f"{name!r} disclosed {format_value(attack.together.share())}" for name, attack in self.unlinked.items()
        ]
        verdict = {None: "", True: "; all limits hold", False: "; a limit does not hold"}[self.satisfied]
        head = f"{len(self.releases)} releases, {together.people} people of {self.focal!r}"
        return f"<{head}: {', '.join(parts)}{verdict}>"


SHARE = Number(at_least=0, at_most=1)
LIMITS_OF_PEOPLE = {"re-identification": SHARE, "alone": SHARE}
LIMITS_OF_ATTRIBUTES = {
    "inference": SHARE,
    "one-value": SHARE,
    "gain": Number(at_least=0),
    "disclosed": SHARE,
    "half-sure": SHARE,
    "m-invariance": Number(at_least=1, whole=True),
}  # NAME for any sensitive attribute, NAME:COLUMN for one


def check_limits(limits: Mapping[str, Any], sensitive: Iterable[str]) -> dict[str, float]:
    """Check the limits and return them as numbers; raise for an unknown limit."""
    if not isinstance(limits, Mapping):
        raise ParameterError("expected limits as a dict from name to number, got {type}", type=type(limits).__name__)
    columns = list(sensitive)
    rules = (
        LIMITS_OF_PEOPLE
        | LIMITS_OF_ATTRIBUTES
        | {f"{name}:{column}": rule for name, rule in LIMITS_OF_ATTRIBUTES.items() for column in columns}
    )
    checked: dict[str, float] = {}
    for name, value in limits.items():
        if name not in rules:
            raise ParameterError(
                "no limit is called {limit}; known: {known}",
                limit=quoted([name]),
                known=quoted(rules, most=40),
                what=name,
            )
        if name in LIMITS_OF_ATTRIBUTES and not columns:
            raise NotApplicable(
                "the limit {limit!r} needs a sensitive attribute of the focal release",
                Hint.SENSITIVE_ATTRIBUTES,
                limit=name,
                what=name,
            )
        checked[name] = rules[name].check(Phrase("a limit"), name, value)
    return checked


def verdicts(composition: Composition, limits: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each limit with its value and whether it is kept."""
    answers = []
    for limit, number in limits.items():
        name, colon, column = limit.partition(":")
        columns = [column] if colon else list(composition.together.inference)
        if name == "m-invariance":
            found = [composition.invariance[attribute].m for attribute in columns]
            value = None if None in found else min(m for m in found if m is not None)
            satisfied = value is not None and no_less_than(value, number)
            answers.append({"limit": limit, "at_least": number, "value": value, "satisfied": satisfied})
        else:
            highest = _highest(composition, name, columns)
            answers.append(
                {"limit": limit, "at_most": number, "value": highest, "satisfied": no_more_than(highest, number)}
            )
    return answers


def _highest(composition: Composition, name: str, columns: Iterable[str]) -> float:
    """The value to compare with a limit: that of the worst of these sensitive attributes."""
    together = composition.together
    if name == "re-identification":
        return together.posterior
    if name == "alone":
        return together.alone_share
    if name in ("inference", "one-value"):
        inferred = [together.inference[column] for column in columns]
        return max(guess.posterior if name == "inference" else guess.one_value_share for guess in inferred)
    if name == "gain":
        gains = [together.inference[column].gain for column in columns]
        if not any(gains):
            raise NotApplicable("the limit 'gain' needs a worth of sensitive values", Hint.WORTH, what=name)
        return max(gain.posterior for gain in gains if gain is not None)
    attacked = [composition.unlinked[column] for column in columns if column in composition.unlinked]
    if not attacked:
        raise NotApplicable(
            "the limit {limit!r} needs a sensitive attribute that two releases have", limit=name, what=name
        )
    confidence = Fraction(1) if name == "disclosed" else Fraction(1, 2)
    return max(attack.together.share(confidence) for attack in attacked)
