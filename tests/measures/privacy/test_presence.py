from fractions import Fraction

import pytest

from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import NotApplicable, PETWorksError
from PETWorks.measures.privacy.presence import delta_presence

ROLES = dict.fromkeys(["zip", "age", "nationality"], QUASI_IDENTIFIER)
ZIP = [("4712", "47**", "*"), ("4823", "48**", "*"), ("4834", "48**", "*")]
DOCUMENT = {"zip": ["4712", "4823", "4834"]}


def release(released, original=DOCUMENT, hierarchies=None, **options):
    roles = dict.fromkeys(released, QUASI_IDENTIFIER)
    return Release(released, roles, {"zip": ZIP} if hierarchies is None else hierarchies, original, **options)


def exact(result):
    return [Fraction(text) for text in result.details["exact"]]


def test_document_example():
    found = delta_presence(release({"zip": ["47**", "48**"]}), delta_min=1 / 4, delta_max=1)
    assert found.satisfied is True
    assert exact(found) == [Fraction(1, 2), 1]
    assert found.details["levels"] == {"zip": 1}


@pytest.mark.parametrize(
    ("low", "high", "holds"),
    [
        (1 / 2, 2 / 3, True),
        (1 / 2, 0.6666, False),
        (0.51, 2 / 3, False),
        (0, 1, True),
        ("1/2", "2/3", True),
        (None, 0.7, True),
    ],
)
def test_delta_table(low, high, holds):
    delta = Release("data/delta_anonymized.csv", ROLES, "data/delta_hierarchy", "data/delta.csv")
    found = delta_presence(delta, delta_min=low, delta_max=high)
    assert found.satisfied is holds
    assert exact(found) == [Fraction(1, 2), Fraction(2, 3)]


def test_reference_presence_with_padded_cells(reference):
    table = Release(
        reference / "presence_anonymized.csv", ROLES, reference / "presence_hierarchy", reference / "presence.csv"
    )
    assert exact(delta_presence(table)) == [Fraction(1, 2), Fraction(2, 3)]
    assert delta_presence(table).details["levels"] == {"zip": 3, "age": 3, "nationality": 2}


def test_absent_people_count_with_delta_zero():
    found = delta_presence(release({"zip": ["47**"]}), delta_min=0.1, delta_max=1)
    assert found.satisfied is False
    assert exact(found) == [0, 1]
    assert found.details["original_records_absent_from_the_release"] == 2


def test_suppressed_records_belong_to_no_class():
    found = delta_presence(release({"zip": ["47**", "48**", "*"]}))
    assert exact(found) == [Fraction(1, 2), 1]
    assert found.details["suppressed_records"] == 1


def test_all_suppressed():
    assert exact(delta_presence(release({"zip": ["*", "*"]}))) == [0, 0]
    assert exact(delta_presence(release({"zip": ["*", "*"]}, suppressed="class"))) == [Fraction(2, 3)] * 2


def test_mixed_levels_are_named():
    with pytest.raises(NotApplicable, match=r"column 'zip' mixes levels 0, 1 of its hierarchy"):
        delta_presence(release({"zip": ["47**", "4823"]}))


def test_values_that_are_in_no_level_are_counted():
    with pytest.raises(
        PETWorksError, match=r"column 'zip': 1 of 2 released values are not on any level of its hierarchy"
    ) as error:
        delta_presence(release({"zip": ["47**", "SECRET"]}))
    assert "SECRET" not in str(error.value)


def test_original_values_that_are_no_leaf_are_counted():
    with pytest.raises(PETWorksError, match=r"column 'zip': 1 of 2 original values are not leaves"):
        delta_presence(release({"zip": ["47**"]}, {"zip": ["4712", "SECRET"]}))


def test_a_column_without_hierarchy_is_as_it_was_or_suppressed():
    original = {"zip": ["1", "2", "2"], "sex": ["m", "f", "f"]}
    found = delta_presence(release({"zip": ["1", "2"], "sex": ["*", "*"]}, original, {}))
    assert exact(found) == [Fraction(1, 2), 1]
    assert found.details["levels"] == {"zip": 0, "sex": "suppressed"}
    with pytest.raises(NotApplicable, match=r"column 'sex' has no hierarchy, and some but not all"):
        delta_presence(release({"zip": ["1", "2"], "sex": ["*", "f"]}, original, {}))


def test_a_release_of_another_table():
    with pytest.raises(PETWorksError, match=r"match no record of the original: 2;"):
        delta_presence(release({"zip": ["9", "9", "4712"]}, hierarchies={}))
    with pytest.raises(PETWorksError, match=r"beyond those the original has of their kind: 1;"):
        delta_presence(release({"zip": ["4712", "4712", "4823"]}))
    with pytest.raises(PETWorksError, match=r"beyond those the original has of their kind: 1;"):
        delta_presence(release({"zip": ["4712", "4712"]}, {"zip": ["4712"]}))


def test_a_column_that_lacks_its_hierarchy_is_named():
    with pytest.raises(
        NotApplicable, match=r": 2; values that .* are in 'zip', and no hierarchy says what those in 'zip' stand for$"
    ):
        delta_presence(release({"zip": ["47**", "48**"]}, hierarchies={}))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"delta_min": 0.6, "delta_max": 0.5}, r"needs delta_min <= delta_max, got delta_min=0.6, delta_max=0.5"),
        ({"delta_min": -0.1}, r"needs 0 <= delta_min <= 1, got delta_min=-0.1"),
        ({"delta_max": 1.5}, r"needs 0 <= delta_max <= 1"),
        ({"delta_max": float("nan")}, r"got delta_max=nan"),
    ],
)
def test_limits_out_of_range(limits, message):
    with pytest.raises(PETWorksError, match=message):
        delta_presence(release({"zip": ["47**"]}), **limits)


def test_limits_that_differ_by_rounding_are_one_limit():
    thirds = release({"zip": ["4712", "4712"]}, {"zip": ["4712"] * 3}, {})
    assert delta_presence(thirds, delta_min=1 - 1 / 3, delta_max=2 / 3).satisfied is True
    assert delta_presence(thirds, delta_min=0, delta_max=1.1 + 2.2 - 2.3).satisfied is True


def test_needs_the_original():
    with pytest.raises(NotApplicable, match="delta-presence: needs the original table"):
        delta_presence(release({"zip": ["47**"]}, original=None))
