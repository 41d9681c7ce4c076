"""What each release adds to what the linked adversary learns: in order, if it is withdrawn, on average."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from PETWorks.counting.counts import Integers
from PETWorks.measures.attacks.shapley import shapley_share
from PETWorks.releases.classes import Classes, cells_of, everyone, refined, right_guesses

MOST_PLAYERS = 10  # Shapley values look at all 1,023 sets of ten releases


@dataclass(frozen=True)
class Contribution:
    """What one release adds to one attack; a chance each.

    without   the posterior if the release is withdrawn; None for the focal one, whose people are the targets
    saves     how much lower that is than with all releases
    shapley   its share in posterior - prior, on average over all orders; None if there are too many releases
    """

    release: str
    attack: str
    without: float | None
    saves: float | None
    shapley: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "release": self.release,
            "attack": self.attack,
            "without": self.without,
            "saves": self.saves,
            "shapley": None if self.shapley is None else float(self.shapley),
            "shapley_exact": None if self.shapley is None else str(self.shapley),
        }


def one_by_one(known: Sequence[Classes]) -> list[Classes]:
    """The classes with the first release, with the first two, and so on to all."""
    return list(accumulate(known, refined))


def without_each(known: Sequence[Classes]) -> list[Classes]:
    """The classes with all releases but the first, all but the second, and so on."""
    nothing = everyone(len(known[0].codes))
    before = [nothing, *one_by_one(known)[:-1]]
    behind = [nothing, *one_by_one(known[::-1])[:-1]][::-1]
    return [refined(one, other) for one, other in zip(before, behind, strict=True)]


def shapley_values(
    known: Sequence[Classes], values: Mapping[str, Integers], numbers: Mapping[str, int]
) -> list[list[Fraction]] | None:
    """For each attack and release the share in posterior - prior; the attacks are re-identification, then inference."""
    players = len(known)
    if players > MOST_PLAYERS:
        return None
    people = len(known[0].codes)
    successes = _successes(known, [(own, numbers[name]) for name, own in values.items()])
    return [[shapley_share(attack, players, player) / people for player in range(players)] for attack in successes]


def _successes(known: Sequence[Classes], values: Sequence[tuple[Integers, int]]) -> Integers:
    """For each attack and each set of releases, whose bits are its place, how many people are hit.

    Whoever is alone in a class stays alone when more is known: they are counted once, and left out from there on.
    """
    successes = np.zeros((1 + len(values), 1 << len(known)), np.int64)

    def visit(chosen: int, first: int, people: Integers, classes: Classes, settled: int) -> None:
        successes[0, chosen] = settled + classes.number
        for attack, (own, number) in enumerate(values, 1):
            successes[attack, chosen] = settled + right_guesses(cells_of(classes, own[people], number))
        if first == len(known):
            return
        lone = classes.sizes == 1
        stay = ~lone[classes.codes]
        people, settled = people[stay], settled + int(np.count_nonzero(lone))
        left = Classes((np.cumsum(~lone) - 1)[classes.codes[stay]], classes.number - int(np.count_nonzero(lone)))
        for place in range(first, len(known)):
            more = Classes(known[place].codes[people], known[place].number)
            visit(chosen | 1 << place, place + 1, people, refined(left, more), settled)

    everybody = np.arange(len(known[0].codes))
    visit(0, 0, everybody, everyone(len(everybody)), 0)
    return successes
