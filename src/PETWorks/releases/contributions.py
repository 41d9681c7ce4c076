"""What each release adds to what the linked adversary learns: in order, if it is withdrawn, on average."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from PETWorks.counting.codes import Column, narrowest
from PETWorks.counting.counts import Integers
from PETWorks.counting.engine import allowed
from PETWorks.counting.subset_counts import count_subsets
from PETWorks.counting.subset_families import CountsBySubset
from PETWorks.measures.attacks.shapley import shapley_share
from PETWorks.releases.classes import Classes, everyone, refined
from PETWorks.tables.arrays import arrow_integers

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
    """For each attack and release the share in posterior - prior; the attacks are re-identification, then inference.

    A release is a column here, whose values are its classes: every set of releases is a subset of these columns.
    """
    players = len(known)
    if players > MOST_PLAYERS:
        return None
    people = len(known[0].codes)
    columns = {f"{place}": _column(own.codes, own.number) for place, own in enumerate(known)}
    guessed = {f"value of {name}": _column(own, numbers[name]) for name, own in values.items()}
    names, sizes = list(columns), range(1, players + 1)
    counted: CountsBySubset = {}
    for family in count_subsets(columns | guessed, names, list(guessed), list(sizes), allowed(None)):
        counted |= family
    subsets = [frozenset(name for name in names if mask >> int(name) & 1) for mask in range(1, 1 << players)]
    priors = [int(np.bincount(own).max()) for own in values.values()]
    successes = [[1, *(counted[subset].classes for subset in subsets)]]
    for place, prior in enumerate(priors):
        successes.append([prior, *(counted[subset].right_guesses[place] for subset in subsets)])
    return [
        [shapley_share(np.array(attack, np.int64), players, player) / people for player in range(players)]
        for attack in successes
    ]


def _column(codes: Integers, number: int) -> Column:
    """Codes as a column; only their number matters, so they are their own labels."""
    return Column(arrow_integers(np.arange(number)), codes.astype(narrowest(number))).without_unused_labels()
