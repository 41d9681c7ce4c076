"""k-anonymity, (alpha, k)-anonymity, k-map."""

import pytest

from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import PETWorksError
from PETWorks.measures.privacy.anonymity import alpha_k_anonymity, k_anonymity, k_map

ROLES = {"zip": QUASI_IDENTIFIER, "disease": SENSITIVE_ATTRIBUTE}
# A table of our own: four people in each of two groups, HIV in one of them for half.
PATIENTS = {"zip": list("aaaabbbb"), "disease": ["hiv", "hiv", "flu", "cold", "hiv", "flu", "flu", "cold"]}


def test_the_smallest_class_counts():
    release = Release({"zip": list("aaabbbbc"), "disease": ["x"] * 8}, ROLES)
    found = k_anonymity(release, k=3)
    assert (found.value, found.satisfied) == (1, False)
    assert (found.details["classes_below_k"], found.details["records_below_k"]) == (1, 1)
    assert found.details["highest_risk"] == 1
    assert k_anonymity(release, k=1).satisfied is True


def test_k_on_the_limit():
    release = Release(PATIENTS, ROLES)
    assert k_anonymity(release, k=4).satisfied is True
    assert k_anonymity(release, k=4.5).satisfied is False
    assert k_anonymity(release, k="4").satisfied is True


def test_nobody_left_to_protect():
    release = Release({"zip": ["*", "*"], "disease": ["x", "y"]}, ROLES)
    found = k_anonymity(release, k=5)
    assert (found.value, found.satisfied) == (None, True)
    assert k_anonymity(Release({"zip": ["*", "*"]}, {"zip": QUASI_IDENTIFIER}, suppressed="class"), k=5).value == 2


def test_alpha_of_any_value_and_of_one():
    release = Release(PATIENTS, ROLES)
    found = alpha_k_anonymity(release, alpha=0.5, k=4)
    assert (found.value, found.satisfied) == ([4, 0.5], True)
    assert alpha_k_anonymity(release, alpha=0.49).satisfied is False
    assert alpha_k_anonymity(release, k=5).satisfied is False
    cold = alpha_k_anonymity(release, alpha="1/4", value="cold")
    assert (cold.value, cold.satisfied) == ([4, 0.25], True)
    beyond = alpha_k_anonymity(release, alpha=0.3, value=" hiv ").details["attributes"]["disease"]
    assert (beyond["classes_beyond_alpha"], beyond["records_beyond_alpha"]) == (1, 4)


def test_a_third_is_a_third():
    release = Release({"zip": list("aaa"), "disease": list("xyz")}, ROLES)
    assert alpha_k_anonymity(release, alpha=1 / 3).satisfied is True
    assert alpha_k_anonymity(release, alpha=0.3333).satisfied is False


def test_a_value_that_nobody_has_is_a_mistake_and_is_not_told():
    release = Release(PATIENTS, ROLES)
    with pytest.raises(PETWorksError, match="the given value is in no sensitive attribute") as caught:
        alpha_k_anonymity(release, value="H1V")
    assert "H1V" not in str(caught.value)


def test_a_value_of_suppressed_records_only_is_in_no_class():
    release = Release({"zip": ["*", "a", "a"], "disease": ["hiv", "x", "y"]}, ROLES)
    assert alpha_k_anonymity(release, alpha=0, value="hiv").satisfied is True


def test_one_person_with_two_diseases_hides_nothing():
    """Both people have the flu: whoever knows the zip code knows that."""
    table = {"person": list("aab"), "zip": list("111"), "disease": ["flu", "hiv", "flu"]}
    found = alpha_k_anonymity(Release(table, ROLES, privacy_unit="person"))
    assert found.value == [2, 1.0]


POPULATION = {"zip": ["471"] * 5 + ["472"] * 3 + ["481"] * 2}
LEVELS = {"zip": [("471", "47*", "*"), ("472", "47*", "*"), ("481", "48*", "*")]}


def test_k_map_counts_people_behind_released_classes():
    roles = {"zip": QUASI_IDENTIFIER}
    release = Release({"zip": ["47*", "47*", "48*"]}, roles, LEVELS, population=POPULATION)
    found = k_map(release, k=2)
    assert (found.value, found.satisfied) == (2, True)
    assert found.details["population"] == 10
    assert k_map(release, k=3).details["records_below_k"] == 1
    # Classes of the population that the release does not have do not count.
    assert k_map(Release({"zip": ["47*"]}, roles, LEVELS, population=POPULATION)).value == 8
    # A population that is already on the level of the release is taken as it is.
    lifted = {"zip": ["47*"] * 3 + ["48*"]}
    assert k_map(Release({"zip": ["47*"]}, roles, LEVELS, population=lifted)).value == 3


@pytest.mark.parametrize(
    ("released", "message"),
    [
        (["49*"], "1 of 1 released values are not on any level"),
        (["48*", "48*", "48*"], "released records beyond those the population has of their kind: 1"),
        (["471", "48*"], "mixes levels 0, 1"),
    ],
)
def test_k_map_of_a_release_that_was_not_drawn_from_the_population(released, message):
    release = Release({"zip": released}, {"zip": QUASI_IDENTIFIER}, LEVELS, population=POPULATION)
    with pytest.raises(PETWorksError, match=message):
        k_map(release)


def test_k_map_of_a_class_that_the_population_lacks():
    release = Release({"zip": ["a", "b"]}, {"zip": QUASI_IDENTIFIER}, population={"zip": ["a", "a"]})
    with pytest.raises(PETWorksError, match="released records whose class the population does not have: 1"):
        k_map(release)
