"""Comparison of results."""

import pytest

# These measures are undefined if the level on which a column was released is not known.
ONE_LEVEL = ("delta-presence", "k-map", "journalist-risk", "marketer-risk", "population-uniqueness")


def close(first, second, name):
    """Whether two values are equal up to rounding of sums of logarithms, or up to the precision of an estimator."""
    if isinstance(first, list):
        return all(close(a, b, name) for a, b in zip(first, second, strict=True))
    if first is None or second is None or isinstance(first, int | str) or isinstance(second, str):
        return first == second
    return first == pytest.approx(second, rel=1e-7 if name == "population-uniqueness" else 1e-12, abs=1e-12)
