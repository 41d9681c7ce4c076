"""When two answers are the same."""

import pytest

# These have no answer where the level on which a column was released cannot be told.
ONE_LEVEL = ("delta-presence", "k-map", "journalist-risk", "marketer-risk", "population-uniqueness")


def close(one, other, name):
    """Equal, but for the rounding of sums of logarithms, and for an estimator what its search leaves."""
    if isinstance(one, list):
        return all(close(a, b, name) for a, b in zip(one, other, strict=True))
    if one is None or other is None or isinstance(one, int | str) or isinstance(other, str):
        return one == other
    return one == pytest.approx(other, rel=1e-7 if name == "population-uniqueness" else 1e-12, abs=1e-12)
