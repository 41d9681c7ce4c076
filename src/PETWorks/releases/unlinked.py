"""The unlinked adversary: knows a person's quasi-identifiers and in which releases they are, but cannot join records.

Ganta, Kasiviswanathan, Smith (2008), *Composition attacks and auxiliary information in data privacy*: what the person
can have is what the classes of all releases offer, the intersection of their sensitive values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers, run_starts
from PETWorks.releases.classes import Cells, cells_of
from PETWorks.releases.people import Joined, Member

CONFIDENCES = (Fraction(1, 2), Fraction(2, 3), Fraction(1))
BITS = 64  # values that are looked at together


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


class ValueSets(NamedTuple):
    """What the classes of several releases offer, for each person of all releases.

    left   with the first release, the first two, and so on: how many values are left
    same   whether the classes of the person offer the same values in every release
    kept   whether the value in the focal release is among those that are left with all releases
    """

    left: NDArray[np.int32]
    same: NDArray[np.bool_]
    kept: NDArray[np.bool_]


def intersection(joined: Joined, attribute: str, sets: ValueSets) -> Intersection | None:
    """The attack on people of the focal release who are in another one with the attribute; None if none has it."""
    members = having(joined, attribute)
    others = [member for member in members if member is not joined.focal]
    if not others:
        return None
    inside = {member.name: joined.is_in(member) for member in members}
    targets = np.logical_or.reduce([inside[other.name] for other in others]) & inside[joined.focal.name]
    own = _own_values(joined, attribute)
    changed = np.zeros(joined.people, np.bool_)
    for other in others:
        changed[other.persons] |= own[other.persons] != other.values[attribute]
    left = sets.left[:, targets]
    steps = iter(left)
    return Intersection(
        _confidence(left[-1]),
        {
            member.name: _confidence(_offered(member, attribute, joined.people)[targets & inside[member.name]])
            for member in members
        },
        [_confidence(next(steps)) if member in members else None for member in joined.members],
        int(np.count_nonzero(changed & targets)),
        int(np.count_nonzero(left[-1] == 0)),
        int(np.count_nonzero((left[-1] == 1) & ~sets.kept[targets])),
    )


def having(joined: Joined, attribute: str) -> list[Member]:
    """The releases that have a sensitive attribute."""
    return [member for member in joined.members if attribute in member.values]


def value_sets(joined: Joined, attribute: str) -> ValueSets:
    """How many values the classes of each person have in common, one release after the other.

    Sets of values are bits of words, 64 values at a time; who is not in a release loses no value there.
    """
    members = having(joined, attribute)
    number = joined.focal.number_of_values[attribute]
    classes = [member.class_of_each(joined.people) for member in members]
    cells = [_cells(member, attribute) for member in members]
    left = np.zeros((len(members), joined.people), np.int32)
    same, kept = np.ones(joined.people, np.bool_), np.zeros(joined.people, np.bool_)
    target = _own_values(joined, attribute)
    for first in range(0, number, BITS):
        everything = np.uint64((1 << min(BITS, number - first)) - 1)
        common = np.full(joined.people, everything)
        some = np.zeros(joined.people, np.uint64)
        for step, (member, own, listed) in enumerate(zip(members, classes, cells, strict=True)):
            offered = _words(listed, member.classes.number, first)
            common &= np.append(offered, everything)[own]
            some |= np.append(offered, np.uint64(0))[own]
            left[step] += np.bitwise_count(common)
        same &= common == some
        place = target - first
        here = (place >= 0) & (place < BITS)
        kept |= here & (common >> np.where(here, place, 0).astype(np.uint64) & np.uint64(1) == 1)
    return ValueSets(left, same, kept)


def _own_values(joined: Joined, attribute: str) -> Integers:
    """For each person the value in the focal release; -1 for those who are not in it."""
    values = np.full(joined.people, -1, np.int64)
    values[joined.focal.persons] = joined.focal.values[attribute]
    return values


def _words(cells: Cells, classes: int, first: int) -> NDArray[np.uint64]:
    """For each class which of 64 values it has, from the first on."""
    chosen = (cells.values >= first) & (cells.values < first + BITS)
    codes, bits = cells.classes[chosen], np.uint64(1) << (cells.values[chosen] - first).astype(np.uint64)
    words = np.zeros(classes, np.uint64)
    starts = run_starts(codes)
    if len(starts):
        words[codes[starts]] = np.bitwise_or.reduceat(bits, starts)
    return words


def _cells(member: Member, attribute: str) -> Cells:
    return cells_of(member.classes, member.values[attribute], member.number_of_values[attribute])


def _offered(member: Member, attribute: str, people: int) -> Integers:
    """For each person how many values their class in a release has; 0 for those who are not in it."""
    return np.append(_cells(member, attribute).per_class, 0)[member.class_of_each(people)]


def _confidence(left: NDArray[np.integer]) -> Confidence:
    """How many people are known with which confidence, by the number of values that are left."""
    reached = tuple(int(np.count_nonzero((left > 0) & (left <= int(1 / one)))) for one in CONFIDENCES)
    return Confidence(len(left), reached)
