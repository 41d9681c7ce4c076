"""The unlinked adversary: knows a person's quasi-identifiers and in which releases they are, but cannot join records.

Ganta, Kasiviswanathan, Smith (2008), *Composition attacks and auxiliary information in data privacy*: what the person
can have is what the classes of all releases offer, the intersection of their sensitive values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from PETWorks.counting.counts import Integers
from PETWorks.counting.people import BITS, Offer, Words

CONFIDENCES = (Fraction(1, 2), Fraction(2, 3), Fraction(1))


class Confidence(NamedTuple):
    """How sure an adversary is of the values of so many people; `reached` has those of each of `CONFIDENCES`."""

    people: int
    reached: tuple[int, ...]

    @property
    def disclosed(self) -> int:
        """People of whom one value is left."""
        return self.reached[-1]

    def share(self, confidence: Fraction = Fraction(1)) -> float:
        """The share of people whose value is known with that confidence."""
        return self.reached[CONFIDENCES.index(confidence)] / self.people if self.people else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Numbers and shares, ready for JSON."""
        return {
            "people": self.people,
            "people_disclosed": self.disclosed,
            "share_disclosed": self.share(),
            "share_by_confidence": {f"{one}": self.share(one) for one in CONFIDENCES},
        }


@dataclass(frozen=True)
class Intersection:
    """The intersection attack on one sensitive attribute that does not change.

    together        with all releases
    alone           with each release alone, of the same people as far as they are in it
    curve           with the first release, the first two, and so on; None where a release does not have the attribute
    changed         people whose value is another one in another release, so that the attack is wrong about them
    contradictory   people of whom no value is left, which an adversary would notice
    mistaken        people of whom one value is left that is not theirs in the focal release
    """

    together: Confidence
    alone: Mapping[str, Confidence]
    curve: Sequence[Confidence | None]
    changed: int
    contradictory: int
    mistaken: int

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "assumes": "the value of a person is the same in all releases",
            **self.together.to_dict(),
            "people_whose_value_changed": self.changed,
            "people_without_a_possible_value": self.contradictory,
            "people_with_one_wrong_value": self.mistaken,
            "alone": {name: one.to_dict() for name, one in self.alone.items()},
        }


class Crossed(NamedTuple):
    """What the classes of several releases offer to some people, counted; counts of other people are added.

    targets      people of the focal release who are in another one
    alone        for each release, how many targets are in it, and of how many it tells the value with which confidence
    steps        the same for the first release, the first two, and so on
    changed      and further: see `Intersection`
    inconstant   people, targets or not, whose classes do not offer the same values in every release
    """

    targets: int
    alone: Integers
    steps: Integers
    changed: int
    contradictory: int
    mistaken: int
    inconstant: int

    def added(self, other: "Crossed") -> "Crossed":
        """These people and those."""
        sums: list[Any] = [one + more for one, more in zip(_plain(self), _plain(other), strict=True)]
        return Crossed(*sums)

    def intersection(self, names: Sequence[str], having: Sequence[str]) -> Intersection:
        """The attack, by the names of all releases and of those that have the attribute."""
        steps = [Confidence(self.targets, tuple(reached)) for reached in self.steps[:, 1:].tolist()]
        by_name = dict(zip(having, steps, strict=True))
        alone = {
            name: Confidence(people, tuple(reached))
            for name, (people, *reached) in zip(having, self.alone.tolist(), strict=True)
        }
        curve = [by_name.get(name) for name in names]
        return Intersection(steps[-1], alone, curve, self.changed, self.contradictory, self.mistaken)


def _plain(one: Crossed) -> tuple[Any, ...]:
    return one


def crossed(values: int, focal: int, offers: Sequence[Offer], *, missing: int | None = None) -> Crossed:
    """What releases offer to some people; the attribute has so many values, and one of the releases is the focal one.

    Sets of values are bits of words; who is not in a release loses no value there. A missing value that does not count
    is no value: a class that offers no other says nothing, and who has none in the focal release is no target.
    """
    if missing is not None:
        offers = [_told(offer, missing, only_own=place == focal) for place, offer in enumerate(offers)]
    inside = [offer.inside for offer in offers]
    others = [offer for place, offer in enumerate(offers) if place != focal]
    nobody = np.zeros(len(inside[0]), np.bool_)
    targets = np.logical_or.reduce([nobody, *(offer.inside for offer in others)]) & inside[focal]
    own, bits = offers[focal].values, offers[focal].places
    bits = own if bits is None else bits
    changed = np.logical_or.reduce(
        [
            nobody,
            *(
                offer.inside & (offer.values != own) & (offer.values != (-1 if missing is None else missing))
                for offer in others
            ),
        ]
    )
    left, common, some = _values_left(values, offers)
    kept = np.zeros(len(own), np.bool_)
    for block, word in enumerate(common):
        place = bits - block * BITS
        here = (place >= 0) & (place < BITS)
        kept |= here & (word >> np.where(here, place, 0).astype(np.uint64) & np.uint64(1) == 1)
    same = np.logical_and.reduce([one == other for one, other in zip(common, some, strict=True)])
    offered = [_size(offer.words) if offer.sizes is None else offer.sizes for offer in offers]
    alone = [_reached(one[targets & here]) for one, here in zip(offered, inside, strict=True)]
    last = left[-1][targets]
    return Crossed(
        int(np.count_nonzero(targets)),
        np.array(alone, np.int64),
        np.array([_reached(one[targets]) for one in left], np.int64),
        int(np.count_nonzero(changed & targets)),
        int(np.count_nonzero(last == 0)),
        int(np.count_nonzero((last == 1) & ~kept[targets])),
        int(np.count_nonzero(np.logical_or.reduce(inside) & ~same)),
    )


def _told(offer: Offer, missing: int, *, only_own: bool) -> Offer:
    """What a release offers without the missing value, to those whom it says something, or who have a value."""
    words = list(offer.words)
    if offer.places is None:  # otherwise it was left out when values were numbered
        block, bit = divmod(missing, BITS)
        words[block] = words[block] & ~(np.uint64(1) << np.uint64(bit))
    offered = _size(words) if offer.sizes is None else offer.sizes
    inside = offer.inside & (offer.values != missing if only_own else offered > 0)
    return offer._replace(inside=inside, words=words)


def _values_left(values: int, offers: Sequence[Offer]) -> tuple[list[Integers], list[Words], list[Words]]:
    """How many values are left after each release; then which are in all of the releases, and which in some."""
    sizes = [min(BITS, values - first) for first in range(0, values, BITS)]
    if offers[0].places is not None:  # the values of each person are numbered anew
        sizes = [BITS] * len(offers[0].words)
    people = len(offers[0].inside)
    common = [np.full(people, (1 << size) - 1, np.uint64) for size in sizes]
    some = [np.zeros(people, np.uint64) for _ in sizes]
    left = []
    for offer in offers:
        common = [np.where(offer.inside, one & word, one) for one, word in zip(common, offer.words, strict=True)]
        some = [one | word for one, word in zip(some, offer.words, strict=True)]
        left.append(_size(common))
    return left, common, some


def _size(words: Sequence[Words]) -> Integers:
    """How many values there are."""
    sizes = np.zeros(len(words[0]), np.int64)
    for word in words:
        sizes += np.bitwise_count(word)
    return sizes


def _reached(left: Integers) -> list[int]:
    """How many people there are, and how many are known with which confidence, by the number of values left."""
    return [len(left), *(int(np.count_nonzero((left > 0) & (left <= int(1 / one)))) for one in CONFIDENCES)]
