"""Utility measures: worked examples, extremes, details."""

import ast
import math

import pytest
from hypothesis import given

import definitions
import frames
from conftest import cases
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import NotApplicable, PETWorksError
from PETWorks.measures.utility.class_size import aecs, discernibility
from PETWorks.measures.utility.fidelity import fidelity, utility_bias
from PETWorks.measures.utility.generalisation import ambiguity, granularity, missings, non_uniform_entropy
from PETWorks.measures.utility.payout import payout_curve, publisher_payout

ROLES = {"birth": QUASI_IDENTIFIER, "place": QUASI_IDENTIFIER}
LEVELS = {
    "birth": [(year, year[:3] + "*", "19**", "*") for year in ("1970", "1977", "1983", "1988")],
    "place": [("Germany", "Europe", "*"), ("France", "Europe", "*")],
}
ORIGINAL = {"birth": ["1970", "1977", "1983", "1988"], "place": ["Germany", "France", "France", "France"]}
RELEASED = {"birth": ["197*", "197*", "198*", "198*"], "place": ["Europe"] * 4}


def release(released, **options):
    return Release(released, ROLES, LEVELS, ORIGINAL, **options)


def test_a_table_of_decades_and_continents():
    table = release(RELEASED)
    # Two of four years, both countries: losses of 1/2 and 1 where 1/4 and 1/2 are the least.
    found = granularity(table)
    assert found.value == pytest.approx(1 - (3 / 4 - 3 / 8) / (1 - 3 / 8))
    assert found.details["columns"]["place"] == {"granularity": 0, "raw": 1, "min": 0.5, "max": 1}
    # Each record may be one of 2 x 2 people's.
    assert ambiguity(table).details == {"raw": 16, "min": 4, "max": 32, "records": 4}
    assert ambiguity(table).value == pytest.approx(1 - 12 / 28)
    # Two classes of two, where there were four of one.
    assert aecs(table).value == 2 / 3
    assert discernibility(table).value == 2 / 3
    # A bit for each year; of the places all: the entropy of 1:3.
    places = 4 * 2 - 3 * math.log2(3)
    assert non_uniform_entropy(table).details["raw"] == pytest.approx(4 + places)
    assert non_uniform_entropy(table).value == pytest.approx(1 - (4 + places) / (8 + places))
    assert missings(table).value == 0
    assert fidelity(table).value == 0


def test_untouched_and_wholly_suppressed():
    untouched, gone = release(ORIGINAL), release({"birth": ["*"] * 4, "place": ["*"] * 4})
    for measure in (granularity, ambiguity, aecs, discernibility, non_uniform_entropy, fidelity):
        assert measure(untouched, at_least=1).satisfied is True
    for measure in (granularity, ambiguity, discernibility, non_uniform_entropy, fidelity):
        assert measure(gone).value == 0
    assert missings(gone).value == 1
    with pytest.raises(NotApplicable, match="aecs: needs a class; every record stands aside"):
        aecs(gone)


def test_rows_that_cannot_be_aligned():
    short = {"birth": ["197*"], "place": ["Europe"]}
    with pytest.raises(NotApplicable, match="compares row by row: the release has 1 records, the original 4"):
        non_uniform_entropy(release(short))


def test_cells_that_do_not_come_from_their_original_are_told():
    swapped = {"birth": ["198*", "197*", "198*", "*"], "place": ["Europe"] * 4}
    columns = non_uniform_entropy(release(swapped)).details["columns"]
    assert columns["birth"]["cells_not_from_their_original"] == 1
    assert columns["place"]["cells_not_from_their_original"] == 0


def test_labels_on_several_levels():
    """50 is a leaf and the top: for granularity the top, for the levels of entropy and precision the leaf."""
    levels = {"age": [("49", "50"), ("50", "50"), ("51", "50")]}
    table = Release({"age": ["50", "50", "51"]}, {"age": QUASI_IDENTIFIER}, levels, {"age": ["50", "50", "51"]})
    assert granularity(table).details["raw"] == pytest.approx((1 + 1 + 1 / 3) / 3)
    assert non_uniform_entropy(table).value == 1
    assert missings(table).value == 2 / 3


def test_a_hierarchy_is_needed_for_every_quasi_identifier():
    table = Release(ORIGINAL, ROLES, {"birth": LEVELS["birth"]}, ORIGINAL)
    for measure in (granularity, ambiguity, non_uniform_entropy):
        with pytest.raises(NotApplicable, match="needs a hierarchy for every quasi-identifier; there is none for 'pl"):
            measure(table)
    assert publisher_payout(table).details["information_loss_used"] == "none"


def test_values_that_a_hierarchy_does_not_have_are_an_error():
    strange = {"birth": ["197*", "196*", "198*", "198*"], "place": ["Europe"] * 4}
    for measure in (granularity, ambiguity, non_uniform_entropy, publisher_payout):
        with pytest.raises(PETWorksError, match="'birth': 1 of 3 released values are not on any level") as caught:
            measure(release(strange))
        assert "196" not in str(caught.value)


def test_more_combinations_than_a_float_can_hold():
    columns = {f"c{number}": ["*", "1"] for number in range(120)}
    levels = {name: [(str(leaf), "*") for leaf in range(1000)] for name in columns}
    found = ambiguity(Release(columns, dict.fromkeys(columns, QUASI_IDENTIFIER), levels))
    assert found.value == pytest.approx(0.5)
    assert found.details["max"] == 2 * 1000**120


def test_fidelity_of_numbers_and_pairs():
    original = {"age": ["10", "20", "30", "40"], "sex": list("mmff")}
    released = {"age": ["10", "20", "30", "80"], "sex": list("mmff")}
    table = Release(released, {"age": QUASI_IDENTIFIER, "sex": SENSITIVE_ATTRIBUTE}, original=original)
    found = fidelity(table)
    assert found.value == 1 - 1 / 4 / 2
    assert found.details["numeric_columns"]["age"] == {
        "mean_bias": 10,
        "variance_bias": pytest.approx(725 - 125),
        "first_quartile_bias": 0,
        "median_bias": 0,
        "third_quartile_bias": 0,
    }
    assert found.details["pairs"]["'age', 'sex'"] == {"original": 1, "released": 1, "change": 0}


def test_fidelity_on_the_limit():
    table = Release({"x": ["a"] + ["b"] * 9999}, {"x": QUASI_IDENTIFIER}, original={"x": ["a"] * 10000})
    assert fidelity(table, at_least=1 / 10000).satisfied is True


@given(case=cases())
def test_distances_and_associations_as_defined(case):
    details = fidelity(frames.release_of(case)).details
    case = definitions.fold_sensitive_values(case)
    for column, found in details["columns"].items():
        assert found["jensen_shannon_distance"] == pytest.approx(definitions.jensen_shannon(case, column), abs=1e-7)
    for pair, found in details["pairs"].items():
        one, other = ast.literal_eval(pair)
        assert found["original"] == pytest.approx(definitions.cramers_v(case.original, one, other), abs=1e-7)
        assert found["released"] == pytest.approx(definitions.cramers_v(case.released, one, other), abs=1e-7)


def test_nothing_to_compare():
    for options in ({}, {"privacy_unit": "b"}):
        table = Release({"a": ["1"], "b": ["x"]}, {}, original={"a": ["1"], "b": ["x"]}, **options)
        with pytest.raises(NotApplicable, match="fidelity: needs a column to compare"):
            fidelity(table)


def test_payout_by_hand():
    """Classes of 1 and 2: attacked while 300/n > 4. Nothing was generalised."""
    table = Release({"q": ["a", "b", "b"]}, {"q": QUASI_IDENTIFIER})
    found = publisher_payout(table)
    assert found.value == 3 * 1200 - 2 * 300
    assert found.details["records_attacked"] == 3
    assert found.details["normalised"] == 3000 / 3600
    assert sum(row["records"] for row in found.details["records_by_payout"].values()) == 3
    # A gain of exactly the cost is no reason to attack.
    assert publisher_payout(table, adversary_gain=8, adversary_cost=4).details["records_attacked"] == 1
    assert publisher_payout(table, adversary_gain=4, adversary_cost=4).value == 3600


def test_payout_breaks_even():
    table = Release({"q": list("abbccc")}, {"q": QUASI_IDENTIFIER})
    found = publisher_payout(table, publisher_benefit=100, publisher_loss=300)
    assert found.details["break_even_gain_per_cost"] == 3  # two attacked classes cost as much as six records bring
    assert publisher_payout(table).details["break_even_gain_per_cost"] is None
    ratios, payouts = payout_curve(table, publisher_benefit=100, publisher_loss=300)
    assert ratios.tolist() == [0, 1, 2, 3]
    assert payouts.tolist() == [600, 300, 0, -300]


def test_payout_with_information_loss():
    table = release({"birth": ["1970", "197*", "*", "*"], "place": ["Germany", "France", "*", "*"]})
    # One minus the loss: all, then log 4 of log 8; the other two are suppressed.
    kept = 1 + math.log(4) / math.log(8)
    found = publisher_payout(table, adversary_gain=0)
    assert found.value == pytest.approx(1200 * kept)
    assert found.details["information_loss_used"] == "shares"
    assert publisher_payout(table, adversary_gain=0, information_loss="none").value == 2 * 1200


def test_payout_of_an_untouched_table_stays_in_the_histogram():
    sizes = [15, 21, 26, 26, 2, 24, 16, 10]
    columns = {f"c{place}": ["1", "1", "1"] for place in range(len(sizes))}
    levels = {f"c{place}": [(str(leaf), "*") for leaf in range(size)] for place, size in enumerate(sizes)}
    table = Release(columns, dict.fromkeys(columns, QUASI_IDENTIFIER), levels)
    for benefit, loss in ((1200, 300), (0, 0)):
        found = publisher_payout(table, adversary_gain=0, publisher_benefit=benefit, publisher_loss=loss)
        assert sum(row["records"] for row in found.details["records_by_payout"].values()) == 3


def test_bias_of_a_function():
    table = Release({"age": ["30", "40"]}, original={"age": ["31", "40"]})
    found = utility_bias(table, function=lambda rows: sum(map(int, rows["age"])) / 2, max_bias=0.5)
    assert (found.value, found.satisfied) == (0.5, True)
    assert found.details == {"original": 35.5, "released": 35}
    with pytest.raises(NotApplicable, match="utility-bias: needs a function of yours"):
        utility_bias(table)
    with pytest.raises(PETWorksError, match="needs function to be a function, got str"):
        utility_bias(table, function="len")
    assert utility_bias(table, function=lambda rows: 2**60 + int(rows["age"][0]), max_bias=0).satisfied is False


def test_payout_of_nothing_is_nothing():
    """Benefit and loss that are equal leave no rounding to judge."""
    levels = {"z": [(f"v{number}", "*") for number in range(10)]}
    even = {"adversary_cost": 0, "publisher_benefit": 300, "publisher_loss": 300, "at_least": 0}
    found = publisher_payout(Release({"z": ["v0"]}, {"z": QUASI_IDENTIFIER}, levels), **even)
    assert (found.value, found.satisfied) == (0, True)
    assert found.details["break_even_gain_per_cost"] is None
    assert found.details["records_paying_less_than_nothing"] == 0
    odd = {"adversary_cost": 0, "adversary_gain": 1, "publisher_benefit": 0.7, "publisher_loss": 2.1, "at_least": 0}
    found = publisher_payout(Release({"z": ["a"] * 3}, {"z": QUASI_IDENTIFIER}), **odd)
    assert (found.value, found.satisfied) == (0, True)


def test_payout_of_many_untouched_columns():
    columns = {f"c{number}": ["0", "1"] for number in range(70)}
    levels = {name: [("0", "*"), ("1", "*")] for name in columns}
    table = Release(columns, dict.fromkeys(columns, QUASI_IDENTIFIER), levels)
    assert publisher_payout(table, at_least=1800).satisfied is True


@pytest.mark.parametrize(
    "given", [{"information_loss": "bogus"}, {"publisher_loss": float("nan")}, {"publisher_loss": "x"}]
)
def test_the_curve_checks_what_it_is_given(given):
    with pytest.raises(PETWorksError, match="publisher-payout needs"):
        payout_curve(Release({"z": ["a"]}, {"z": QUASI_IDENTIFIER}), **given)


def test_records_left_out_of_the_release_are_lost():
    """A release of one class is not as good as the original, however few records it has."""
    table = Release({"z": ["x"] * 30}, {"z": QUASI_IDENTIFIER}, original={"z": [str(n) for n in range(1000)]})
    found = discernibility(table)
    assert found.value == pytest.approx(1 - (900 + 970 * 1000 - 1000) / (1000**2 - 1000))
    assert found.details["records_left_out"] == 970
    assert aecs(table).value == pytest.approx(1 - 29 / 999)
    more = Release({"z": ["x", "y"]}, {"z": QUASI_IDENTIFIER}, original={"z": ["x"]})
    for measure in (aecs, discernibility):
        with pytest.raises(NotApplicable, match="the release has 2 records, more than the original's 1"):
            measure(more)


def test_pairs_of_columns_with_commas_in_their_names():
    columns = {name: ["1", "2"] for name in ("a", "a, b", "b, c", "c")}
    table = Release(columns, dict.fromkeys(columns, QUASI_IDENTIFIER), original=columns)
    assert len(fidelity(table).details["pairs"]) == 6


def test_a_top_that_is_also_a_leaf_may_come_from_any_leaf():
    levels = {"q": [("a", "g", "b"), ("b", "g", "b")]}
    table = Release({"q": ["b"]}, {"q": QUASI_IDENTIFIER}, levels, {"q": ["a"]})
    assert non_uniform_entropy(table).details["columns"]["q"]["cells_not_from_their_original"] == 0


def test_missing_and_suppressed_originals_are_two_values():
    levels = {"q": [("1", "a", "*"), ("2", "a", "*"), ("3", "b", "*")]}
    table = Release({"q": ["b", "b"]}, {"q": QUASI_IDENTIFIER}, levels, {"q": [None, "*"]})
    assert non_uniform_entropy(table).details["raw"] == 0


def test_bits_are_lost_level_by_level():
    """All four years become decades: a bit each; two go on to the century, among which the decade is the same."""
    mixed = {"birth": ["197*", "197*", "19**", "19**"], "place": ORIGINAL["place"]}
    columns = non_uniform_entropy(release(mixed)).details["columns"]
    assert columns["birth"]["raw"] == 4
    assert columns["place"]["raw"] == 0


def test_quartiles_are_values_that_a_quarter_does_not_exceed():
    table = Release({"x": list("11111")}, {"x": QUASI_IDENTIFIER}, original={"x": list("12345")})
    found = fidelity(table).details["numeric_columns"]["x"]
    assert [found[f"{name}_bias"] for name in ("first_quartile", "median", "third_quartile")] == [-1, -2, -3]


def test_payout_by_gain_per_cost():
    """A class is attacked where the gain per cost is above its size."""
    table = Release({"q": list("abbccc")}, {"q": QUASI_IDENTIFIER})
    rows = publisher_payout(table).details["payout_by_gain_per_cost"]
    assert [rows[ratio]["records_attacked"] for ratio in ("1", "2", "3", "5")] == [0, 1, 3, 6]
    assert [rows[ratio]["payout"] for ratio in ("1", "2", "3", "5")] == [7200, 6900, 6600, 6300]
