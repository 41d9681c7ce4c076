from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import definitions
import frames
from conftest import cases
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import PETWorksError
from PETWorks.measures.privacy.profitability import profitability


def release(*born):
    return Release({"birth": list(born)}, {"birth": QUASI_IDENTIFIER})


DOCUMENT = ("197*", "198*", "198*")


def test_document_example():
    asked = {"adversary_cost": 4, "adversary_gain": 300, "publisher_loss": 300, "publisher_benefit": 1200}
    base = profitability(release(*DOCUMENT), allow_attack=True, **asked)
    strict = profitability(release(*DOCUMENT), allow_attack=False, **asked)
    assert (base.satisfied, strict.satisfied) == (True, False)
    assert base.value == 300
    assert base.details["highest_expected_gain"] == 300
    assert base.details["records_worth_attacking"] == 3


def test_each_record_is_judged_alone():
    # One record at 300, two at 150: the sum over the table is positive, the first record is not.
    found = profitability(release(*DOCUMENT), publisher_benefit=200, publisher_loss=300)
    assert found.satisfied is False
    assert found.details["records_not_outweighed"] == 1


@pytest.mark.parametrize(("gain", "size"), [(49, 49), (0.3, 3), (300, 3), (0.7, 7)])
def test_gain_equal_to_cost_is_an_attack(gain, size):
    """1/49 * 49 and 0.3/3 are not 1 and 0.1 in floating point; the verdict does not care."""
    cost = Fraction(str(gain)) / size
    found = profitability(
        release(*["x"] * size), allow_attack=False, adversary_cost=float(cost), adversary_gain=gain, publisher_loss=1
    )
    assert found.satisfied is False
    assert found.details["records_worth_attacking"] == size


def test_benefit_equal_to_risk_is_not_profitable():
    assert profitability(release(*["x"] * 3), publisher_loss=0.3, publisher_benefit=0.1).satisfied is False
    assert profitability(release(*["x"] * 3), publisher_loss=0.3, publisher_benefit=0.1001).satisfied is True


@pytest.mark.parametrize(
    ("cost", "gain", "size"), [(4, 300, 76), (4, 301, 76), (300, 4, 1), (0.1, 0.3, 4), (0, 5, None)]
)
def test_class_size_that_is_not_worth_attacking(cost, gain, size):
    found = profitability(release("x"), adversary_cost=cost, adversary_gain=gain)
    assert found.details["class_size_not_worth_attacking"] == size


def test_large_amounts_that_differ_by_one_are_not_equal():
    large = 10**12
    strict = {"allow_attack": False, "publisher_loss": 1, "publisher_benefit": 2}
    assert profitability(release("x"), adversary_cost=large + 1, adversary_gain=large, **strict).satisfied is True
    assert profitability(release("x"), adversary_cost=large, adversary_gain=large, **strict).satisfied is False
    free = {"adversary_cost": 0, "adversary_gain": 1}
    assert profitability(release("x"), publisher_loss=large, publisher_benefit=large + 1, **free).satisfied is True
    assert profitability(release("x"), publisher_loss=large, publisher_benefit=large, **free).satisfied is False


def test_no_attack_no_risk():
    found = profitability(release(*["x"] * 100), allow_attack=False)
    assert (found.value, found.satisfied) == (0, True)


MONEY = st.sampled_from([0, 1, 2, 3, 4, 10, 60, 100, 150, 300, 1200])


@given(case=cases(), allow=st.booleans(), cost=MONEY, gain=MONEY, loss=MONEY, benefit=MONEY)
def test_agrees_with_the_definition_record_by_record(case, allow, cost, gain, loss, benefit):
    found = profitability(
        frames.release_of(case),
        allow_attack=allow,
        adversary_cost=cost,
        adversary_gain=gain,
        publisher_loss=loss,
        publisher_benefit=benefit,
    )
    assert found.satisfied is definitions.is_profitable(case, allow, cost, gain, loss, benefit)


@pytest.mark.parametrize(
    ("name", "value"),
    [("adversary_cost", -1), ("publisher_loss", "x"), ("adversary_gain", float("nan")), ("allow_attack", 2)],
)
def test_parameters_out_of_range(name, value):
    with pytest.raises(PETWorksError, match=rf"^profitability needs .*{name}"):
        profitability(release("x"), **{name: value})
