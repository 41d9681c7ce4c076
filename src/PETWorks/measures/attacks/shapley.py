"""Shapley values: what each of several players adds."""

from fractions import Fraction
from math import factorial

import numpy as np

from PETWorks.counting.counts import Integers


def shapley_share(values: Integers, players: int, player: int) -> Fraction:
    """What a player adds on average, over all orders in which players may come. values[mask]: of each coalition."""
    masks = np.arange(1 << players)
    before = masks[masks >> player & 1 == 0]
    gains = values[before | 1 << player] - values[before]
    sizes = np.bitwise_count(before)
    share = Fraction(0)
    for size in range(players):
        orders = factorial(size) * factorial(players - size - 1)
        share += Fraction(int(gains[sizes == size].sum()) * orders, factorial(players))
    return share
