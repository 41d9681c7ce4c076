from fractions import Fraction

import pytest

from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import HierarchyError, NotApplicable, RoleError
from PETWorks.measures.utility.generalisation import precision

HIERARCHIES = {
    "country": [("Germany", "Europe", "*"), ("France", "Europe", "*")],
    "year": [(year, f"{year[:3]}*", "19**", "*") for year in ("1970", "1977", "1983", "1988")],
}
ADULT = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


def test_document_example():
    table = {"country": ["Europe"] * 4, "year": ["197*", "197*", "198*", "198*"]}
    found = precision(Release(table, None, HIERARCHIES))
    assert Fraction(found.details["exact"]) == Fraction(7, 12)
    assert found.value == 1 - 5 / 12
    assert found.details["columns"]["year"]["precision"] == 1 - 1 / 3


def test_reference_adult_to_the_last_digit(reference):
    found = precision(Release(reference / "adult_anonymized.csv", original=reference / "adult.csv"))
    assert found.value == 0.7271401100722763
    without_roles = precision(Release(reference / "adult_anonymized.csv", {}, reference / "adult_hierarchy"))
    assert without_roles.value == 0.7271401100722763
    assert len(without_roles.details["columns"]) == 9


@pytest.mark.parametrize(
    ("name", "sensitive", "value"),
    [("KAnonymization", [], 0.5783460670404449), ("LAnonymization", ["occupation"], 0.76255857259686)],
)
def test_reference_generalised(reference, name, sensitive, value):
    roles = dict.fromkeys(ADULT, QUASI_IDENTIFIER) | dict.fromkeys(sensitive, SENSITIVE_ATTRIBUTE)
    found = precision(Release(reference / f"{name}.csv", roles, reference / "adult_hierarchy"))
    assert found.value == pytest.approx(value, rel=1e-12)


def test_suppressed_and_missing_cells_have_lost_all():
    found = precision(Release({"country": ["*", None, "Germany", "Europe"]}, None, {"country": HIERARCHIES["country"]}))
    assert Fraction(found.details["exact"]) == Fraction(3, 8)


def test_a_label_on_several_levels_is_taken_at_the_lowest():
    found = precision(Release({"age": ["50", "50", "49"]}, None, {"age": [("49", "40s", "50"), ("50", "50s", "50")]}))
    assert found.value == 1
    assert found.details["columns"]["age"]["ambiguous_cells"] == 2


def test_values_not_in_the_hierarchy():
    with pytest.raises(
        HierarchyError, match=r"column 'country': 1 of 2 released values are not on any level of its hierarchy"
    ) as error:
        precision(Release({"country": ["SECRET", "Europe"]}, None, {"country": HIERARCHIES["country"]}))
    assert "SECRET" not in str(error.value)
    # Not a single one: the hierarchy is of another coding, and the measure does not apply.
    with pytest.raises(NotApplicable, match="1 of 1 released values"):
        precision(Release({"country": ["DE", "*"]}, None, {"country": HIERARCHIES["country"]}))


def test_quasi_identifiers_need_hierarchies():
    roles = {"country": QUASI_IDENTIFIER, "sex": QUASI_IDENTIFIER}
    with pytest.raises(NotApplicable, match="there is none for 'sex'"):
        precision(Release({"country": ["Europe"], "sex": ["m"]}, roles, {"country": HIERARCHIES["country"]}))
    with pytest.raises(RoleError, match="no column has the role 'quasi_identifier'"):
        precision(
            Release({"country": ["Europe"]}, {"country": SENSITIVE_ATTRIBUTE}, {"country": HIERARCHIES["country"]})
        )
