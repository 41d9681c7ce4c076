"""A random order of records that a seed determines, whatever version of NumPy computes it."""

import numpy as np

from PETWorks.counting.counts import Integers


def shuffled_places(seed: int, records: int) -> Integers:
    """Which record comes where.

    The numbers of a bit generator are promised to stay the same; what makes permutations of them is not.

    >>> shuffled_places(7, 5).tolist()
    [3, 4, 0, 2, 1]
    """
    return np.argsort(np.random.PCG64(seed).random_raw(records), kind="stable")
