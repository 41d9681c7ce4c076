"""Sample uniques, and estimators of population uniques."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import definitions
from conftest import examples
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.counting.counts import ClassSizes
from PETWorks.errors import PETWorksError
from PETWorks.measures.risk import uniqueness
from PETWorks.measures.risk.uniqueness import pitman, population_uniqueness, sample_uniqueness, zayatz

ROLES = {"zip": QUASI_IDENTIFIER}


def histogram(sizes):
    return ClassSizes(*np.unique(np.array(sizes), return_counts=True))


def test_sample_uniques():
    found = sample_uniqueness(Release({"zip": list("abbccd")}, ROLES), share=1 / 3)
    assert (found.value, found.satisfied, found.details["unique_records"]) == (1 / 3, True, 2)


SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=12)


@examples(200)
@given(sizes=SIZES, more=st.integers(0, 2000))
def test_zayatz_is_a_ratio_of_binomial_coefficients(sizes, more):
    population = sum(sizes) + more
    assert zayatz(histogram(sizes), population) == pytest.approx(definitions.zayatz(sizes, population), rel=1e-10)


@examples(60)
@given(sizes=SIZES, more=st.integers(0, 2000))
def test_pitman_solves_the_likelihood_equations(sizes, more):
    population = sum(sizes) + more
    found = pitman(histogram(sizes), population)[0]
    assert found == pytest.approx(min(definitions.pitman(sizes, population), 1), rel=1e-8)


@pytest.mark.slow
def test_long_sums_are_as_good_as_singly_added_terms(monkeypatch):
    """Euler and Maclaurin's formula, from any place on."""
    random = np.random.default_rng(7)
    sizes = histogram(np.minimum(random.zipf(1.7, 20_000), 9_000))
    expected = pitman(sizes, 10**8)
    monkeypatch.setattr(uniqueness, "SUMMED_TERMS", 1 << 30)
    singly_added = pitman(sizes, 10**8)
    assert expected == pytest.approx(singly_added, rel=1e-11)
    for singly, close in ((3, 1e-2), (50, 1e-8), (1 << 12, 1e-8)):
        monkeypatch.setattr(uniqueness, "SUMMED_TERMS", singly)
        assert pitman(sizes, 10**8) == pytest.approx(singly_added, rel=close)


def test_extremes():
    everybody_unique, one_class = histogram([1] * 9), histogram([9])
    assert pitman(everybody_unique, 1000)[0] == 1
    assert pitman(one_class, 1000)[0] == 0
    assert zayatz(everybody_unique, 9) == 1
    assert zayatz(one_class, 1000) == 0
    # The whole population was drawn: what is unique is unique.
    assert zayatz(histogram([1, 1, 2, 5]), 9) == pytest.approx(2 / 9)


def test_large_classes_and_populations():
    """A class of 200,000 records in a sample of a thousandth: nothing overflows, and rare uniques stay rare."""
    sizes = histogram([1, 1, 3, 200_000])
    found = zayatz(sizes, 200_005_000)
    assert found == pytest.approx(2 * (2 / (2 + 3 * (0.999**2))) / 200_005, rel=1e-3)
    assert 0 < pitman(sizes, 200_005_000)[0] < 1e-4


def test_dankars_rule():
    table = {"zip": list("abbccd")}
    small = population_uniqueness(Release(table, ROLES, population=60))
    large = population_uniqueness(Release(table, ROLES, population=59))
    assert (small.details["model_used"], large.details["model_used"]) == ("pitman", "zayatz")
    assert population_uniqueness(Release(table, ROLES, population=60), model="zayatz").details["model_used"] == "zayatz"
    assert population_uniqueness(Release(table, ROLES, population=0.1)).details["population"] == 60


def test_a_table_of_the_population_also_says_how_many_are_unique():
    people = {"zip": ["471", "472", "481"] + ["491"] * 3}
    levels = {"zip": [(leaf, leaf[:2], "*") for leaf in ("471", "472", "481", "491")]}
    found = population_uniqueness(Release({"zip": ["47", "49"]}, ROLES, levels, population=people), share=1)
    assert found.details["share_counted_in_the_population"] == 1 / 6  # 48 alone: 47 are two
    assert found.details["sampling_fraction"] == 2 / 6


def test_population_and_privacy_unit():
    """Three visits of one person in a population of five visits by three people."""
    table = {"zip": list("aab"), "id": list("112")}
    people = {"zip": list("aaabb"), "id": list("11322")}
    release = Release(table, ROLES, population=people, privacy_unit="id")
    assert release.people == 2
    assert release.population_size == 3
    from PETWorks.measures.risk.scenarios import journalist_risk

    assert journalist_risk(release).value == 1  # b is one person, also in the population


def test_pitman_expects_what_its_formula_says():
    share, theta, alpha = pitman(histogram([1, 1, 1, 2, 4, 7]), 10_000)
    expected = math.gamma(theta + 1) / math.gamma(theta + alpha) * 10_000**alpha / 10_000
    assert share == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("unique", "pairs", "population", "share"),
    [(2 * 10**8 - 2, 1, 8 * 10**9, 1.0), (10**8 - 2, 1, 10**9, 1.0), (3 * 10**7 - 2, 1, 10**15, None)],
)
def test_where_nearly_everybody_is_unique(unique, pairs, population, share):
    """theta is near n^2/(2 pairs) and alpha is 0: then theta/N is expected, at most everybody."""
    found, theta, alpha = pitman(ClassSizes(np.array([1, 2]), np.array([unique, pairs])), population)
    assert alpha == pytest.approx(0, abs=1e-3)
    assert theta == pytest.approx((unique + 2) ** 2 / 2, rel=0.01)
    assert found == pytest.approx(share or theta / population, rel=0.05)


def test_a_population_that_is_too_small_or_another_one():
    table = {"zip": list("abb")}
    with pytest.raises(PETWorksError, match="a population of 1 is smaller than the release, 3 records"):
        population_uniqueness(Release(table, ROLES, population={"zip": ["a"]}))
    with pytest.raises(PETWorksError, match="released records whose class the population does not have: 3"):
        population_uniqueness(Release(table, ROLES, population={"zip": list("xyz")}))


def test_people_in_several_classes():
    """Two people of a thousand, each in fifty classes: two in a thousand were drawn."""
    visits = {"id": ["a"] * 50 + ["b"] * 50, "zip": [str(number) for number in range(100)]}
    found = population_uniqueness(Release(visits, ROLES, population=1000, privacy_unit="id"))
    assert found.details["sampling_fraction"] == 2 / 1000
    assert found.value == 1
