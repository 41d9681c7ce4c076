"""l-diversity: distinct, entropy, recursive."""

import math

import pytest

from conftest import small_batches
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import PETWorksError
from PETWorks.measures.privacy.diversity import entropy_l_diversity, l_diversity, recursive_l_diversity

# The 3-diverse inpatient table of Machanavajjhala et al. (2006).
INPATIENTS = {
    "zip": ["1305*"] * 4 + ["1485*"] * 4 + ["1306*"] * 4,
    "age": ["<=40"] * 4 + [">40"] * 4 + ["<=40"] * 4,
    "condition": list("hvccchvvhvcc"),  # heart disease, viral infection, cancer
}
ROLES = {"zip": QUASI_IDENTIFIER, "age": QUASI_IDENTIFIER, "condition": SENSITIVE_ATTRIBUTE}


def one_class(*counts):
    values = [str(number) for number, count in enumerate(counts) for _ in range(count)]
    return Release({"zip": ["1"] * len(values), "s": values}, {"zip": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE})


def test_inpatients():
    release = Release(INPATIENTS, ROLES)
    assert (l_diversity(release, l=3).value, l_diversity(release, l=3).satisfied) == (3, True)
    assert l_diversity(release, l=4).details["attributes"]["condition"]["records_below_l"] == 12
    # Every class has counts 2, 1, 1: an entropy of 1.5 ln 2, and 2 against 1 + 1.
    assert entropy_l_diversity(release).value == pytest.approx(2**1.5, rel=1e-15)
    assert recursive_l_diversity(release).value == 1
    assert recursive_l_diversity(release, l=3).value == 2


@pytest.mark.parametrize(
    ("counts", "diversity"),
    [
        ((1, 1, 1), 3),
        ((7, 7, 7), 3),
        ((4, 1, 1, 1, 1), 4),  # not uniform, and yet 4 exactly: 8 / 4^(4/8)
        ((16, 16, 4, 4, 4, 4, 4, 4, 4, 4), None),
        ((9, 9, 9), 3),
        ((5,), 1),
        ((100003,) * 7, 7),
        ((1,) * 4099, 4099),
    ],
)
def test_entropy_on_the_limit(counts, diversity):
    found = entropy_l_diversity(one_class(*counts))
    if diversity is None:
        size = sum(counts)
        diversity = math.exp(-sum(count / size * math.log(count / size) for count in counts))
        assert found.value == pytest.approx(diversity, rel=1e-14)
    else:
        assert found.value == diversity
        assert entropy_l_diversity(one_class(*counts), l=diversity).satisfied is True
        assert entropy_l_diversity(one_class(*counts), l=diversity * (1 + 1e-14)).satisfied is False


@pytest.mark.parametrize("cells", [1, 1 << 17])
def test_of_equally_diverse_classes_the_smallest_is_told(cells):
    """Three records of one value and one record are worth one value each; so are 200,000."""
    table = {"zip": ["a"] * 3 + ["b"] + ["c"] * 200_000, "s": ["x"] * 200_004}
    roles = {"zip": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE}
    with small_batches(cells):
        found = entropy_l_diversity(Release(table, roles)).details["attributes"]["s"]
    assert (found["l"], found["worst_class_size"]) == (1, 1)


def test_recursive_is_strict():
    """3 against 2 + 1: c must be above 1."""
    release = one_class(3, 2, 1)
    assert recursive_l_diversity(release).value == 1
    assert recursive_l_diversity(release, c=1).satisfied is False
    assert recursive_l_diversity(release, c=1.001).satisfied is True
    assert recursive_l_diversity(release, l=3).value == 3
    assert recursive_l_diversity(release, c=3, l=3).details["attributes"]["s"]["classes_beyond_c"] == 1


def test_too_few_values_for_any_c():
    release = one_class(3, 2)
    found = recursive_l_diversity(release, c=100, l=3)
    assert (found.value, found.satisfied) == (None, False)
    assert found.details["attributes"]["s"]["classes_with_too_few_values"] == 1


@pytest.mark.parametrize("given", [1, 2.5, "x"])
def test_l_of_the_recursive_form_is_a_whole_number_of_at_least_2(given):
    with pytest.raises(PETWorksError, match="recursive-l-diversity needs"):
        recursive_l_diversity(one_class(1, 1), l=given)


def test_several_sensitive_attributes_alone_and_among_the_quasi_identifiers():
    table = {"zip": list("1111"), "s": list("xxyy"), "t": list("uvuv")}
    roles = {"zip": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE, "t": SENSITIVE_ATTRIBUTE}
    alone = l_diversity(Release(table, roles))
    assert (alone.value, alone.treatment["several_sensitive"]) == (2, "alone")
    correlated = table | {"t": list("uuvv")}
    others = Release(correlated, roles, several_sensitive="quasi-identifiers")
    # Whoever knows t knows s.
    found = l_diversity(others)
    assert (found.value, found.treatment["several_sensitive"]) == (1, "quasi-identifiers")
    assert found.details["attributes"]["s"]["worst_class_size"] == 2


def test_missing_is_a_value():
    release = Release({"zip": ["1", "1"], "s": ["x", None]}, {"zip": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE})
    assert l_diversity(release).value == 2
