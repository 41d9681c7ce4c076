"""Beta-likeness and delta-disclosure."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conftest import examples, small_batches
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import PETWorksError
from PETWorks.measures.classes import compute_shares
from PETWorks.measures.privacy.closeness import t_closeness
from PETWorks.measures.privacy.likeness import basic_beta_likeness, delta_disclosure, enhanced_beta_likeness

ROLES = {"zip": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE}


def release(classes):
    """From counts of values by class."""
    rows = [(zip_code, value) for zip_code, counts in classes.items() for value, n in counts.items() for _ in range(n)]
    return Release({"zip": [row[0] for row in rows], "s": [row[1] for row in rows]}, ROLES)


# x: p = 1/2, in class 1 q = 3/4, in class 2 q = 1/4.
HALVES = {"1": {"x": 3, "y": 1}, "2": {"x": 1, "y": 3}}


def test_gain_of_a_half():
    found = basic_beta_likeness(release(HALVES), beta=0.5)
    assert (found.value, found.satisfied, found.details["exact"]) == (0.5, True, "1/2")
    assert basic_beta_likeness(release(HALVES), beta=0.4999).details["attributes"]["s"]["records_beyond_beta"] == 8


def test_losses_do_not_count_for_beta_but_for_delta():
    # y is everywhere but rare in class 1: p = 5/12, q = 1/6 there.
    table = release({"1": {"x": 5, "y": 1}, "2": {"x": 2, "y": 4}})
    assert basic_beta_likeness(table).value == pytest.approx((4 / 6 - 5 / 12) / (5 / 12))
    assert delta_disclosure(table).value == pytest.approx(math.log(5 / 12 / (1 / 6)))


def test_equal_distributions():
    table = release({"1": {"x": 1, "y": 2}, "2": {"x": 2, "y": 4}})
    assert basic_beta_likeness(table, beta=0).satisfied is True
    assert enhanced_beta_likeness(table, beta=0).satisfied is True
    assert delta_disclosure(table).value == 0
    assert delta_disclosure(table, delta=0).satisfied is False  # below, strictly


def test_the_bound_of_enhanced_likeness():
    """x: p = 9/10, q = 1 gains 1/9 = 0.111, above -ln 0.9 = 0.105: no beta will do."""
    table = release({"1": {"x": 8}, "2": {"x": 1, "y": 1}})
    found = enhanced_beta_likeness(table, beta=100)
    assert (found.value, found.satisfied) == (None, False)
    assert found.details["attributes"]["s"]["classes_beyond_the_bound"] == 2
    assert found.details["largest_gain"] == 4
    assert basic_beta_likeness(table, beta=100).satisfied is True
    within = enhanced_beta_likeness(release(HALVES), beta=0.5)
    assert (within.value, within.satisfied) == (0.5, True)  # 0.5 is below ln 2


def test_delta_on_the_limit_and_its_base():
    table = release(HALVES)
    assert delta_disclosure(table).value == pytest.approx(math.log(2), rel=1e-15)  # a half becomes a quarter
    assert delta_disclosure(table, delta=math.log(2)).satisfied is False
    assert delta_disclosure(table, delta=0.6932).satisfied is True
    for base in ("2", 2):
        found = delta_disclosure(table, base=base, delta=1)
        assert (found.value, found.satisfied, found.parameters["base"]) == (1, False, "2")
    assert found.details["attributes"]["s"] == {
        "delta": 1,
        "exact": "log(2)",
        "worst_class_size": 4,
        "classes_beyond_delta": 2,
        "records_beyond_delta": 8,
    }


def test_of_equally_bad_classes_the_smallest_is_told():
    table = release({"1": {"x": 2}, "2": {"x": 1, "y": 3}})
    assert delta_disclosure(table).details["attributes"]["s"]["worst_class_size"] == 2


@pytest.mark.parametrize("base", [3, "x", None, {"s": "2"}])
def test_bases(base):
    with pytest.raises(PETWorksError, match="delta-disclosure needs base to be one of 'e', '2', '10'"):
        delta_disclosure(release(HALVES), base=base)


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=3))
def test_what_is_beyond_agrees_with_the_verdict(pairs):
    """Also exactly on the limit."""
    classes = {str(number): {"x": x, "y": y} for number, (x, y) in enumerate(pairs) if x + y}
    assume(classes)
    table = release(classes)
    beta, delta = basic_beta_likeness(table).value, delta_disclosure(table).value
    for found in (basic_beta_likeness(table, beta=beta), enhanced_beta_likeness(table, beta=beta)):
        assert found.details["attributes"]["s"]["classes_beyond_beta"] == 0
    assert basic_beta_likeness(table, beta=beta).satisfied is True
    assert delta_disclosure(table, delta=delta * 1.001 + 1e-9).details["attributes"]["s"]["classes_beyond_delta"] == 0
    assert delta_disclosure(table, delta=delta).details["attributes"]["s"]["classes_beyond_delta"] > 0


COUNTS = st.dictionaries(st.sampled_from("xyz"), st.integers(1, 8), min_size=1)


@examples(200)
@given(classes=st.dictionaries(st.sampled_from("12345"), COUNTS, min_size=1), cells=st.sampled_from([2, 3, 1 << 17]))
def test_extreme_shares_over_several_batches(classes, cells):
    """For each value the largest and smallest share in a class, and of equal ones the smallest class."""
    table = release(classes)
    with small_batches(cells):
        found = compute_shares(table.view, "s")
    for place, value in enumerate(found.overall.values):
        sizes = [(counts[value], sum(counts.values())) for counts in classes.values() if value in counts]
        most = max(sizes, key=lambda pair: (Fraction(*pair), -pair[1]))
        least = min(sizes, key=lambda pair: (Fraction(*pair), pair[1]))
        assert (found.most.counts[place], found.most.sizes[place]) == most
        assert (found.least.counts[place], found.least.sizes[place]) == least


def of_people(records):
    """A release from (class, value, person)."""
    columns = dict(zip(("zip", "s", "who"), map(list, zip(*records, strict=True)), strict=True))
    return Release(columns, ROLES, privacy_unit="who")


def test_of_people_the_share_in_the_table_is_the_mean_of_those_in_classes():
    """Ten people are in five classes and have x in the first only: of people, all have it, which would hide it."""
    people = [f"{number}" for number in range(10)]
    found = of_people([(zip_code, "x" if zip_code == "1" else "y", who) for zip_code in "12345" for who in people])
    assert compute_shares(found.view, "s").overall.shares.tolist() == [0.2, 0.8]
    assert basic_beta_likeness(found).value == 4
    assert t_closeness(found).value == 0.8
    assert delta_disclosure(found).value == pytest.approx(math.log(5))


def test_of_people_alike_classes_are_alike_however_many_records_somebody_has():
    once = [(zip_code, value, f"{zip_code}{place}") for zip_code in "123" for place, value in enumerate("xyyy")]
    often = once + [("1", "x", "10")] * 90
    for records in (once, often):
        found = of_people(records)
        assert [measure(found).value for measure in (basic_beta_likeness, t_closeness, delta_disclosure)] == [0, 0, 0]
