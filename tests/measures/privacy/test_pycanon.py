"""pyCANON says the same where it counts the same: on tables without missing values."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import Release, catalogue
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

anonymity = pytest.importorskip("pycanon.anonymity", reason="pyCANON is not installed (make test does)")

KNOWN = ["x", "y"]
CELLS = st.sampled_from("abc")
ROWS = st.lists(st.tuples(CELLS, CELLS, st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=30)


def both(rows, sensitive):
    frame = pd.DataFrame(rows, columns=["x", "y", "s", "t"])
    roles = dict.fromkeys(KNOWN, QUASI_IDENTIFIER) | dict.fromkeys(sensitive, SENSITIVE_ATTRIBUTE)
    release = Release(frame.astype(str), roles, suppressed="class")
    return frame, {name: catalogue[name](release).value for name in NAMES}


NAMES = ("k-anonymity", "alpha-k-anonymity", "l-diversity", "entropy-l-diversity", "basic-beta-likeness")
NAMES += ("enhanced-beta-likeness", "delta-disclosure", "t-closeness")


@examples(80)
@given(rows=ROWS, sensitive=st.sampled_from([["s"], ["s", "t"]]))
def test_the_same_models(rows, sensitive):
    frame, ours = both(rows, sensitive)
    assert ours["k-anonymity"] == anonymity.k_anonymity(frame, KNOWN)
    alpha, k = anonymity.alpha_k_anonymity(frame, KNOWN, sensitive)
    assert ours["alpha-k-anonymity"] == [k, pytest.approx(alpha)]
    assert ours["l-diversity"] == anonymity.l_diversity(frame, KNOWN, sensitive)
    theirs = anonymity.entropy_l_diversity(frame, KNOWN, sensitive)
    # They cut it down to a whole number, and a number of equally common values one lower by rounding.
    assert theirs in (math.floor(ours["entropy-l-diversity"]), math.ceil(ours["entropy-l-diversity"]) - 1)
    beta = anonymity.basic_beta_likeness(frame, KNOWN, sensitive)
    assert ours["basic-beta-likeness"] == pytest.approx(beta, rel=1e-12, abs=1e-12)
    delta = anonymity.delta_disclosure(frame, KNOWN, sensitive)
    assert ours["delta-disclosure"] == pytest.approx(delta, rel=1e-12, abs=1e-12)


@examples(80)
@given(rows=ROWS, sensitive=st.sampled_from([["s"], ["s", "t"]]))
def test_enhanced_likeness_is_the_same_where_a_beta_can_hold(rows, sensitive):
    frame, ours = both(rows, sensitive)
    if ours["enhanced-beta-likeness"] is not None:
        theirs = anonymity.enhanced_beta_likeness(frame, KNOWN, sensitive)
        assert ours["enhanced-beta-likeness"] == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@examples(80)
@given(rows=ROWS)
def test_numeric_t(rows):
    frame, ours = both(rows, ["s"])
    if frame["s"].nunique() > 1:  # they divide by nought otherwise
        theirs = anonymity.t_closeness(frame, KNOWN, ["s"])
        assert ours["t-closeness"] == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def test_others_among_the_quasi_identifiers():
    frame = pd.DataFrame({"x": list("aaaa"), "y": list("bbbb"), "s": list("ppqq"), "t": list("uuvv")})
    roles = dict.fromkeys(KNOWN, QUASI_IDENTIFIER) | dict.fromkeys("st", SENSITIVE_ATTRIBUTE)
    release = Release(frame, roles, several_sensitive="quasi-identifiers")
    assert catalogue["l-diversity"](release).value == 1 == anonymity.l_diversity(frame, KNOWN, ["s", "t"], gen=False)
    beta = anonymity.basic_beta_likeness(frame, KNOWN, ["s", "t"], gen=False)
    assert catalogue["basic-beta-likeness"](release).value == pytest.approx(beta)
