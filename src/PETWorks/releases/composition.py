"""What several releases disclose together: the result of `Releases.compose`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PETWorks.errors import Phrase
from PETWorks.measures.numbers import shown
from PETWorks.releases.cautions import Caution
from PETWorks.releases.contributions import Contribution
from PETWorks.releases.invariance import Invariance
from PETWorks.releases.linked import Exposure
from PETWorks.releases.unlinked import Intersection
from PETWorks.showing import Shown
from PETWorks.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Part:
    """One of the releases.

    in_common   people who are in the focal release as well
    alone       what this release exposes of its own people, with its own quasi-identifiers
    """

    name: str
    people: int
    in_common: int
    quasi_identifiers: Sequence[str]
    sensitive_attributes: Sequence[str]
    alone: Exposure

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "name": self.name,
            "people": self.people,
            "people_in_the_focal_release": self.in_common,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive_attributes": list(self.sensitive_attributes),
            "alone": self.alone.to_dict(),
        }


@dataclass(frozen=True)
class Composition(Rows, Shown):
    """What several releases disclose together about the people of the focal one.

    together        the linked adversary with all releases
    curve           the same with the first release, with the first two, and so on, in the order given
    contributions   what each release adds to each attack of the linked adversary
    unlinked        the intersection attack, for each sensitive attribute that another release has as well
    invariance      m-invariance, for each sensitive attribute
    limits          for each limit its value, and whether it is kept
    cautions        what the reader should know about the input; `warnings` has it in words
    """

    key: str
    focal: str
    releases: Sequence[Part]
    together: Exposure
    curve: Sequence[Exposure]
    contributions: Sequence[Contribution]
    unlinked: Mapping[str, Intersection]
    invariance: Mapping[str, Invariance]
    cautions: Sequence[Caution] = ()
    limits: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    @property
    def satisfied(self) -> bool | None:
        """Whether all limits are kept; None if there are none."""
        return all(limit["satisfied"] for limit in self.limits) if self.limits else None

    @property
    def warnings(self) -> list[Phrase]:
        """What the reader should know about the input."""
        return [caution.text for caution in self.cautions]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dicts, lists, numbers and texts; no cell of the tables."""
        return {
            "key": self.key,
            "focal": self.focal,
            "people": self.together.people,
            "releases": [part.to_dict() for part in self.releases],
            "linked": self.together.to_dict(),
            "curve": self._steps(),
            "contributions": [one.to_dict() for one in self.contributions],
            "unlinked": {name: one.to_dict() for name, one in self.unlinked.items()},
            "m_invariance": {name: one.to_dict() for name, one in self.invariance.items()},
            "warnings": list(self.warnings),
            "cautions": [caution.to_dict() for caution in self.cautions],
            "limits": [dict(limit) for limit in self.limits],
            "satisfied": self.satisfied,
        }

    def _steps(self) -> list[dict[str, Any]]:
        """The curve: what is known once each release is out."""
        steps = []
        for place, (part, exposure) in enumerate(zip(self.releases, self.curve, strict=True)):
            attacked = {name: one.curve[place] for name, one in self.unlinked.items()}
            unlinked = {name: None if one is None else one.to_dict() for name, one in attacked.items()}
            steps.append({"release": part.name, "linked": exposure.to_dict(), "unlinked": unlinked})
        return steps

    def to_arrow(self) -> "pa.Table":
        """The curve as a PyArrow table: a row for each release and attack.

        number, release   up to which release, in the order given
        attack            as in `to_dict()`
        prior, chance     of success: before, and with the releases up to this one
        certain           the share of people who are found, or whose value is known, for certain
        disclosed         of the unlinked adversary: the share of people of whom one value is left; null for others
        """
        import pyarrow as pa

        shares = [(name, pa.float64()) for name in ("prior", "chance", "certain", "disclosed")]
        texts = [("release", pa.string()), ("attack", pa.string())]
        return pa.Table.from_pylist(self.steps(), pa.schema([("number", pa.int64()), *texts, *shares]))

    def steps(self) -> list[dict[str, Any]]:
        """The rows of `to_arrow()` as dicts."""
        rows = []
        for number, (part, exposed) in enumerate(zip(self.releases, self.curve, strict=True), 1):
            own = {"number": number, "release": part.name}
            people = exposed.people
            rows.append(
                own
                | {"attack": "re-identification", "prior": 1 / people, "chance": exposed.posterior}
                | {"certain": exposed.alone_share, "disclosed": None}
            )
            for name, one in exposed.inference.items():
                crossed = self.unlinked[name].curve[number - 1] if name in self.unlinked else None
                rows.append(
                    own
                    | {"attack": f"attribute-inference of {name}", "prior": one.commonest / people}
                    | {"chance": one.posterior, "certain": one.one_value_share}
                    | {"disclosed": None if crossed is None else crossed.share()}
                )
        return rows

    def __repr__(self) -> str:
        together = self.together
        parts = [f"re-identification {shown(1 / together.people)} -> {shown(together.posterior)}"]
        for name, one in together.inference.items():
            parts.append(f"inference of {name!r} {shown(one.commonest / one.people)} -> {shown(one.posterior)}")
        parts += [f"{name!r} disclosed {shown(one.together.share())}" for name, one in self.unlinked.items()]
        verdict = {None: "", True: "; all limits hold", False: "; a limit does not hold"}[self.satisfied]
        head = f"{len(self.releases)} releases, {together.people} people of {self.focal!r}"
        return f"<{head}: {', '.join(parts)}{verdict}>"
