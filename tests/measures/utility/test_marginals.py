"""The distance of two and three columns together from the original."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given

import definitions
import frames
from conftest import cases
from PETWorks import Release
from PETWorks.errors import NotApplicable, PETWorksError
from PETWorks.measures.utility.marginals import _combination, marginals, total_variations


@given(case=cases())
def test_distances_of_every_width_as_defined(case):
    release = frames.release_of(case)
    try:
        details = marginals(release).details
    except NotApplicable:
        assert len(case.quasi_identifiers) + len(case.sensitive) < 2
        return
    case = definitions.fold_sensitive_values(case)
    for width in (1, 2, 3):
        expected = definitions.marginal_distance(case, width)
        if expected is None:
            assert str(width) not in details["distances"]
            continue
        assert details["distances"][str(width)]["mean"] == float(expected)
        if width == 3:
            assert details["k_marginal_score"] == float(1000 * (1 - expected))


@pytest.mark.parametrize("engine", ["memory", "duckdb", "spark"])
def test_engines_agree(engine):
    draws = np.random.default_rng(5)
    tables = [{name: draws.integers(0, 6, 300).astype(str).tolist() for name in "abcd"} for _ in range(2)]
    release = Release(tables[0], dict.fromkeys("abcd", "quasi_identifier"), original=tables[1], engine=engine)
    found = marginals(release)
    rows = [[dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)] for table in tables]
    case = definitions.Case(rows[0], list("abcd"), [], original=rows[1])
    assert [distance["mean"] for distance in found.details["distances"].values()] == [
        float(definitions.marginal_distance(case, width)) for width in (1, 2, 3)
    ]


def test_independent_draws_keep_columns_and_lose_pairs():
    draws = np.random.default_rng(1)
    age = draws.integers(20, 60, 2000)
    original = {"age": age.astype(str), "income": (age * 100).astype(str)}
    independent = {name: draws.permutation(column) for name, column in original.items()}
    release = Release(independent, dict.fromkeys(original, "quasi_identifier"), original=original)
    distances = marginals(release).details["distances"]
    assert distances["1"]["mean"] == 0
    assert distances["2"]["mean"] > 0.9


def test_many_sets_are_sampled_by_the_seed():
    draws = np.random.default_rng(2)
    names = [f"c{number:02}" for number in range(20)]
    tables = [{name: draws.integers(0, 3, 12).astype(str) for name in names} for _ in range(2)]
    release = Release(tables[0], dict.fromkeys(names, "quasi_identifier"), original=tables[1])
    found = marginals(release)
    of_three = found.details["distances"]["3"]
    assert (of_three["sets"], of_three["of"]) == (1000, 1140)
    assert found.details["distances"]["2"]["sets"] == 190
    assert marginals(release).details == found.details
    other = marginals(release, seed=2)
    assert other.value == found.value
    assert other.details["distances"]["3"]["mean"] != of_three["mean"]
    # The sets are different ones, and their mean is what is reported.
    every = total_variations(release.original, release.table, list(combinations(names, 3)))
    assert of_three["mean"] == pytest.approx(float(sum(every.values()) / len(every)), abs=0.005)


def test_the_limit_and_one_column():
    table = Release(
        {"a": ["1", "2"], "b": ["x", "y"]},
        {"a": "quasi_identifier", "b": "sensitive_attribute"},
        original={"a": ["1", "2"], "b": ["y", "x"]},
    )
    assert marginals(table, at_least=0).satisfied is True
    assert marginals(table, at_least=0.1).satisfied is False
    alone = Release({"a": ["1"]}, {"a": "quasi_identifier"}, original={"a": ["1"]})
    with pytest.raises(NotApplicable, match="marginals: needs two columns to compare"):
        marginals(alone)
    with pytest.raises(PETWorksError, match="needs seed to be a whole number"):
        marginals(table, seed=1.5)


def test_combinations_are_found_by_their_place():
    for number, width in ((7, 3), (5, 1), (6, 2), (4, 4)):
        found = [tuple(_combination(rank, number, width)) for rank in range(comb(number, width))]
        assert found == list(combinations(range(number), width))
