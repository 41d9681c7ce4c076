"""What each release adds to what the linked adversary learns: in order, if it is withdrawn, on average."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from PETWorks.measures.attacks.shapley import shapley_share
from PETWorks.releases.hits import MOST_PLAYERS, OF_ATTRIBUTE, OF_PEOPLE, BySet


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


def shapley_values(
    people: Sequence[int], priors: Sequence[int], hits: BySet, releases: int
) -> list[list[Fraction]] | None:
    """For each attack and release the share in posterior - prior; the attacks are re-identification, then inference.

    people, priors   of each attack: how many people there are, and how many are hit without any release
    """
    if releases > MOST_PLAYERS:
        return None
    sets = np.array([hits[chosen] for chosen in range(1, 1 << releases)], np.int64)
    shares = []
    for attack, prior in enumerate(priors):
        successes = np.append(prior, sets[:, 0 if attack == 0 else OF_PEOPLE + OF_ATTRIBUTE * (attack - 1)])
        shares.append([shapley_share(successes, releases, player) / people[attack] for player in range(releases)])
    return shares
