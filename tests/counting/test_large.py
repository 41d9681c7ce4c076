"""Large classes and large tables, of which the answers are known: nothing overflows, nothing loses its precision."""

import math
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from PETWorks import Release, catalogue
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import NotApplicable

ROLES = {"q": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE}


def coded(codes, prefix=""):
    labels = pa.array([f"{prefix}{code}" for code in range(int(codes.max()) + 1)])
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), labels)


def values(release):
    found = {}
    for name, measure in catalogue.items():
        if not measure.lacks(release.view):
            with suppress(NotApplicable):
                found[name] = measure(release).value
    return found


def test_one_class_of_200_000_records():
    """One value for 199,999 of them, another for one; and another class with a record of each."""
    size = 200_000
    sensitive = np.concatenate([np.zeros(size - 1), [1], [0, 1]]).astype(int)
    quasi = np.concatenate([np.zeros(size), np.ones(2)]).astype(int)
    table = pa.table({"q": coded(quasi), "s": coded(sensitive, "v")})
    levels = {"q": [("0", "*"), ("1", "*")]}
    release = Release(table, ROLES, levels, table, population=0.5)
    found = values(release)
    n = size + 2
    rare = Fraction(2, n)
    assert found["k-anonymity"] == 2
    assert found["alpha-k-anonymity"] == [2, (size - 1) / size]
    assert found["l-diversity"] == 2
    common = -((size - 1) / size * math.log1p(-1 / size) - math.log(size) / size)
    assert found["entropy-l-diversity"] == pytest.approx(math.exp(common), rel=1e-14)
    assert found["recursive-l-diversity"] == size - 1
    assert found["basic-beta-likeness"] == float((Fraction(1, 2) - rare) / rare)
    assert found["delta-disclosure"] == pytest.approx(math.log(Fraction(1, 2) / rare), rel=1e-14)
    assert found["t-closeness"] == float(Fraction(1, 2) - rare)
    assert found["prosecutor-risk"] == 0.5
    assert found["average-risk"] == 2 / n
    assert found["discernibility"] == 1
    assert catalogue["discernibility"](release).details["raw"] == size**2 + 4
    assert found["aecs"] == 1
    assert found["ambiguity"] == found["granularity"] == found["non-uniform-entropy"] == found["precision"] == 1
    assert found["publisher-payout"] == pytest.approx(1200 * n - 300)


@pytest.mark.slow
def test_ten_million_records():
    """Fifty classes of 200,000 with four equally common values, but for one class that has a single value."""
    n, classes = 10_000_000, 50
    rows = np.arange(n)
    quasi, sensitive = rows // (n // classes), rows % 4
    sensitive[: n // classes] = 0
    original = pa.table({"q": coded(rows // 1000), "s": coded(sensitive, "v")})
    released = pa.table({"q": coded(quasi), "s": coded(sensitive, "v")})
    release = Release(released, ROLES, original=original, population=100 * n)
    found = values(release)
    size = n // classes
    p = Fraction(size + (n - size) // 4, n)  # of the value that the one class has
    assert found["k-anonymity"] == size
    assert found["alpha-k-anonymity"] == [size, 1]
    assert found["l-diversity"] == 1
    assert found["entropy-l-diversity"] == 1
    assert found["recursive-l-diversity"] is None
    assert found["basic-beta-likeness"] == float(1 / p - 1)
    assert found["enhanced-beta-likeness"] is None  # 1/p - 1 is above -ln p whatever p is
    assert found["delta-disclosure"] == pytest.approx(-math.log(p), rel=1e-14)
    assert found["t-closeness"] == float(1 - p)
    assert found["average-risk"] == found["marketer-risk"] == classes / n
    assert found["sample-uniqueness"] == 0
    assert 0 < found["population-uniqueness"] < 1e-6
    assert found["attribute-inference"] == (size + (n - size) // 4) / n
    raw, least = classes * size**2, 1000 * n
    assert catalogue["discernibility"](release).details["raw"] == raw == 2 * 10**12
    assert found["discernibility"] == float(1 - Fraction(raw - least, n**2 - least))
    assert found["aecs"] == float(1 - Fraction(size - 1000, n - 1000))
    assert found["fidelity"] == pytest.approx(0.5 * (1 + float(Fraction(classes, n // 1000))))


def test_all_alike():
    """The same four values in every class of a table of ten million: nothing to learn, exactly."""
    n = 10_000_000
    rows = np.arange(n)
    release = Release(pa.table({"q": coded(rows // 200_000), "s": coded(rows % 4, "v")}), ROLES)
    assert catalogue["entropy-l-diversity"](release, l=4).satisfied is True
    assert catalogue["basic-beta-likeness"](release, beta=0).satisfied is True
    assert catalogue["enhanced-beta-likeness"](release, beta=0).satisfied is True
    assert catalogue["delta-disclosure"](release).value == 0
    assert catalogue["t-closeness"](release, t=0).satisfied is True
    assert catalogue["recursive-l-diversity"](release, l=4).value == 1
