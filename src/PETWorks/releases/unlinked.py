"""The unlinked adversary, who knows a person's quasi-identifiers and releases but cannot join records.

Ganta, Kasiviswanathan, Smith (2008), *Composition attacks and auxiliary information in data privacy*: the possible
values of a person are the intersection of the sensitive values in their classes of all releases.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from PETWorks.counting.counts import Integers
from PETWorks.counting.people import BITS, Offer, Words
from PETWorks.releases.disclosure_facts import SetConfidence, SetIntersection

CONFIDENCES = (Fraction(1, 2), Fraction(2, 3), Fraction(1))


class Confidence(NamedTuple):
    """The confidence of an adversary in people's values: the number of people at each of `CONFIDENCES`."""

    people: int
    reached: tuple[int, ...]

    @property
    def disclosed(self) -> int:
        """Number of people with one possible value left."""
        return self.reached[-1]

    def share(self, confidence: Fraction = Fraction(1)) -> float:
        """The share of people whose value is known with that confidence."""
        return self.reached[CONFIDENCES.index(confidence)] / self.people if self.people else 0.0

    def facts(self, number: int) -> SetConfidence:
        """The shares for documents; `number` is that of the release."""
        return SetConfidence(number, self.share(), self.share(CONFIDENCES[0]), self.people)

    def to_dict(self) -> dict[str, Any]:
        """Numbers and shares, ready for JSON."""
        return {
            "people": self.people,
            "people_disclosed": self.disclosed,
            "share_disclosed": self.share(),
            "share_by_confidence": {f"{confidence}": self.share(confidence) for confidence in CONFIDENCES},
        }


@dataclass(frozen=True)
class Intersection:
    """The intersection attack on one sensitive attribute that does not change.

    together        with all releases
    alone           with each release alone, for those of the same people who are in it
    curve           with the first release, the first two, and so on; None where a release does not have the attribute
    changed         people whose value differs between releases, so that the attack is wrong about them
    contradictory   people with no possible value left, which an adversary would notice
    mistaken        people with one value left that is not theirs in the focal release
    """

    together: Confidence
    alone: Mapping[str, Confidence]
    curve: Sequence[Confidence | None]
    changed: int
    contradictory: int
    mistaken: int

    def facts(self, attribute: str, numbers: Mapping[str, int]) -> SetIntersection:
        """The attack on an attribute, for documents; `numbers` are those of the releases."""
        return SetIntersection(
            attribute=attribute,
            people=self.together.people,
            disclosed=self.together.share(),
            half_sure=self.together.share(CONFIDENCES[0]),
            alone=tuple(confidence.facts(numbers[name]) for name, confidence in self.alone.items()),
            curve=tuple(sure.facts(number) for number, sure in enumerate(self.curve, 1) if sure is not None),
            changed=self.changed,
            contradictory=self.contradictory,
            mistaken=self.mistaken,
        )

    def to_dict(self) -> dict[str, Any]:
        """The counts and shares, ready for JSON."""
        return {
            "assumes": "the value of a person is the same in all releases",
            **self.together.to_dict(),
            "people_whose_value_changed": self.changed,
            "people_without_a_possible_value": self.contradictory,
            "people_with_one_wrong_value": self.mistaken,
            "alone": {name: confidence.to_dict() for name, confidence in self.alone.items()},
        }


class IntersectionCounts(NamedTuple):
    """Counts of the intersection attack on some people; the counts of other people can be added.

    targets      people of the focal release who are in another one
    alone        for each release, the number of targets in it, and those it discloses with each of `CONFIDENCES`
    steps        the same for the first release, the first two, and so on
    changed      this and the next two: see `Intersection`
    inconstant   people, targets or not, whose classes do not have the same values in every release
    """

    targets: int
    alone: Integers
    steps: Integers
    changed: int
    contradictory: int
    mistaken: int
    inconstant: int

    def add(self, other: "IntersectionCounts") -> "IntersectionCounts":
        """The counts of both groups of people together."""
        sums: list[Any] = [mine + theirs for mine, theirs in zip(_plain(self), _plain(other), strict=True)]
        return IntersectionCounts(*sums)

    def intersection(self, names: Sequence[str], having: Sequence[str]) -> Intersection:
        """The result of the attack.

        names    of all releases
        having   names of the releases that have the attribute
        """
        steps = [Confidence(self.targets, tuple(reached)) for reached in self.steps[:, 1:].tolist()]
        by_name = dict(zip(having, steps, strict=True))
        alone = {
            name: Confidence(people, tuple(reached))
            for name, (people, *reached) in zip(having, self.alone.tolist(), strict=True)
        }
        curve = [by_name.get(name) for name in names]
        return Intersection(steps[-1], alone, curve, self.changed, self.contradictory, self.mistaken)


def _plain(counts: IntersectionCounts) -> tuple[Any, ...]:
    return counts  # for the type checker: fields of a plain tuple can be added


def count_intersections(
    values: int, focal: int, offers: Sequence[Offer], *, missing: int | None = None
) -> IntersectionCounts:
    """Count the intersection attack on some people.

    values   the number of values of the attribute
    focal    the index of the focal release
    missing  the code of the missing value, if it does not count as a value

    Sets of values are bits of words; a release that a person is not in excludes no value. If the missing value does not
    count, a class with no other value excludes nothing, and a person without a value in the focal release is no target.
    """
    if missing is not None:
        offers = [_without_missing(offer, missing, only_own=index == focal) for index, offer in enumerate(offers)]
    inside = [offer.inside for offer in offers]
    other_releases = [offer for index, offer in enumerate(offers) if index != focal]
    nobody = np.zeros(len(inside[0]), np.bool_)
    targets = np.logical_or.reduce([nobody, *(offer.inside for offer in other_releases)]) & inside[focal]
    focal_values, bits = offers[focal].values, offers[focal].own_bits
    bits = focal_values if bits is None else bits
    changed = np.logical_or.reduce(
        [
            nobody,
            *(
                offer.inside & (offer.values != focal_values) & (offer.values != (-1 if missing is None else missing))
                for offer in other_releases
            ),
        ]
    )
    left, common, in_any = _values_left(values, offers)
    kept = np.zeros(len(focal_values), np.bool_)
    for block, word in enumerate(common):
        index = bits - block * BITS
        here = (index >= 0) & (index < BITS)
        kept |= here & (word >> np.where(here, index, 0).astype(np.uint64) & np.uint64(1) == 1)
    same = np.logical_and.reduce([word == other for word, other in zip(common, in_any, strict=True)])
    offered = [_size(offer.words) if offer.sizes is None else offer.sizes for offer in offers]
    alone = [_count_disclosed(sizes[targets & here]) for sizes, here in zip(offered, inside, strict=True)]
    last = left[-1][targets]
    return IntersectionCounts(
        int(np.count_nonzero(targets)),
        np.array(alone, np.int64),
        np.array([_count_disclosed(sizes[targets]) for sizes in left], np.int64),
        int(np.count_nonzero(changed & targets)),
        int(np.count_nonzero(last == 0)),
        int(np.count_nonzero((last == 1) & ~kept[targets])),
        int(np.count_nonzero(np.logical_or.reduce(inside) & ~same)),
    )


def _without_missing(offer: Offer, missing: int, *, only_own: bool) -> Offer:
    """The offer of a release without the missing value.

    only_own   keep people who have a value themselves, instead of people whose class has any
    """
    words = list(offer.words)
    if offer.own_bits is None:  # otherwise it was left out when values were numbered
        block, bit = divmod(missing, BITS)
        words[block] = words[block] & ~(np.uint64(1) << np.uint64(bit))
    offered = _size(words) if offer.sizes is None else offer.sizes
    inside = offer.inside & (offer.values != missing if only_own else offered > 0)
    return offer._replace(inside=inside, words=words)


def _values_left(values: int, offers: Sequence[Offer]) -> tuple[list[Integers], list[Words], list[Words]]:
    """The number of values left after each release; the values in all of the releases; the values in any of them."""
    sizes = [min(BITS, values - first) for first in range(0, values, BITS)]
    if offers[0].own_bits is not None:  # the values of each person have their own numbers
        sizes = [BITS] * len(offers[0].words)
    people = len(offers[0].inside)
    common = [np.full(people, (1 << size) - 1, np.uint64) for size in sizes]
    in_any = [np.zeros(people, np.uint64) for _ in sizes]
    left = []
    for offer in offers:
        common = [np.where(offer.inside, kept & word, kept) for kept, word in zip(common, offer.words, strict=True)]
        in_any = [found | word for found, word in zip(in_any, offer.words, strict=True)]
        left.append(_size(common))
    return left, common, in_any


def _size(words: Sequence[Words]) -> Integers:
    """The number of values in each person's set."""
    sizes = np.zeros(len(words[0]), np.int64)
    for word in words:
        sizes += np.bitwise_count(word)
    return sizes


def _count_disclosed(left: Integers) -> list[int]:
    """The number of people, then the number disclosed with each confidence, by the number of values left."""
    return [len(left), *(int(np.count_nonzero((left > 0) & (left <= int(1 / least)))) for least in CONFIDENCES)]
