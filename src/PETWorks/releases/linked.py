"""The linked adversary: knows a person's quasi-identifiers in every release, and can join the records.

Alvim, Fernandes, McIver, Morgan, Nunes (2022), *Flexible and scalable privacy assessment for very large datasets, with
an application to official governmental microdata*, PoPETs 2022(4): collective attacks on longitudinal collections.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from PETWorks.counting.counts import Integers
from PETWorks.measures.attacks.reidentification import vulnerability
from PETWorks.releases.hits import Attacked, Hits, of_attribute


@dataclass(frozen=True)
class Gain:
    """What an adversary gains by the best guess, on average: before and after learning the quasi-identifiers."""

    prior: float
    posterior: float

    def to_dict(self) -> dict[str, float]:
        """Both, ready for JSON."""
        return {"prior": self.prior, "posterior": self.posterior}


@dataclass(frozen=True)
class Inference:
    """How many people's sensitive value is guessed.

    people      those who have one
    commonest   people who have the commonest value of all
    right       people who have the commonest value of their class
    one_value   people in classes with one value
    gain        if values have a worth
    """

    people: int
    commonest: int
    right: int
    one_value: int
    gain: Gain | None = None

    @property
    def posterior(self) -> float:
        """The chance of a right guess."""
        return self.right / max(self.people, 1)

    @property
    def one_value_share(self) -> float:
        """The share of people in classes with one value."""
        return self.one_value / max(self.people, 1)

    def to_dict(self) -> dict[str, Any]:
        """The chances before and after, ready for JSON."""
        gain = {} if self.gain is None else {"gain": self.gain.to_dict()}
        return {
            **vulnerability(self.commonest, self.right, self.people),
            "people_in_classes_with_one_value": self.one_value,
            "share_in_classes_with_one_value": self.one_value_share,
            **gain,
        }


@dataclass(frozen=True)
class Exposure:
    """What an adversary who knows the classes of people can do: find their record, guess their sensitive values.

    alone   people who are alone in their class
    """

    people: int
    classes: int
    alone: int
    inference: Mapping[str, Inference]

    @property
    def posterior(self) -> float:
        """The chance to pick the record of a random person."""
        return self.classes / self.people

    @property
    def alone_share(self) -> float:
        """The share of people who are alone in their class."""
        return self.alone / self.people

    def to_dict(self) -> dict[str, Any]:
        """Both attacks, ready for JSON."""
        return {
            "re_identification": {
                **vulnerability(1, self.classes, self.people),
                "classes": self.classes,
                "people_alone": self.alone,
                "share_alone": self.alone_share,
            },
            "attribute_inference": {name: one.to_dict() for name, one in self.inference.items()},
        }


def exposure(people: int, hits: Hits, attacked: Sequence[Attacked], counts: Mapping[str, Integers]) -> Exposure:
    """What is exposed of so many people, as far as they are hit; counts are those of the values of each attribute."""
    inference = {}
    for place, one in enumerate(attacked):
        own, having = of_attribute(hits, place), told_counts(one, counts[one.name])
        gain, told = None, int(having.sum())
        if one.worth is not None:
            prior = one.worth.gain(one.worth.prior(having), max(told, 1))
            gain = Gain(prior, one.worth.gain(own["gain"], max(told, 1)))
        inference[one.name] = Inference(told, int(having.max()), own["right"], own["one_value"], gain)
    return Exposure(people, int(hits[0]), int(hits[1]), inference)


def told_counts(attacked: Attacked, counts: Integers) -> Integers:
    """How many people have each value, the missing one left out if it does not count."""
    return counts if attacked.missing is None else np.where(np.arange(len(counts)) == attacked.missing, 0, counts)


def attacks_of(exposures: Sequence[Exposure]) -> dict[str, list[int]]:
    """For each attack the number of successes with each exposure."""
    names = exposures[0].inference
    return {
        "re-identification": [one.classes for one in exposures],
        **{f"attribute-inference of {name}": [one.inference[name].right for one in exposures] for name in names},
    }
