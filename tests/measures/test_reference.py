"""Reference values, computed with an independent tool on the reference tables."""

import pytest

from PETWorks import PETValidation, Release, catalogue

CENSUS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
CENSUS += ["salary-class"]
YAML_ROLES = {
    "precision": 0.7271401100722763,
    "granularity": 0.7244956137815822,
    "non-uniform-entropy": 0.6740002378300514,
    "ambiguity": 0.72714009672634,
    "aecs": 0.9992707253704929,
    "discernibility": 0.7249885722738247,
    "missings": 0.2742979576951132,
}
NINE_QUASI_IDENTIFIERS = {
    "precision": 0.5783460670404449,
    "granularity": 0.6755489474001399,
    "non-uniform-entropy": 0.3902294244094625,
    "ambiguity": 0.9608126617364168,
    "aecs": 0.9974539996617526,
    "discernibility": 0.9415405300969218,
}


@pytest.fixture(scope="module")
def releases():
    """Each table is read once."""
    return {}


@pytest.fixture
def adult(reference, releases):
    if "adult" not in releases:
        original = Release(
            reference / "adult.csv", Release(reference / "adult_anonymized.csv").roles, population=3_016_200
        )
        released = Release(reference / "adult_anonymized.csv", original=reference / "adult.csv")
        releases["adult"] = original, released
    return releases["adult"]


@pytest.mark.parametrize("name", YAML_ROLES)
def test_utility_with_the_roles_of_the_file(name, adult):
    assert catalogue[name](adult[1]).value == pytest.approx(YAML_ROLES[name], rel=1e-12)


@pytest.mark.parametrize("name", NINE_QUASI_IDENTIFIERS)
def test_utility_with_nine_quasi_identifiers(name, reference, releases):
    if "nine" not in releases:
        roles = dict.fromkeys(CENSUS, "quasi_identifier")
        hierarchies, original = reference / "adult_hierarchy", reference / "adult.csv"
        releases["nine"] = Release(reference / "KAnonymization.csv", roles, hierarchies, original)
    assert catalogue[name](releases["nine"]).value == pytest.approx(NINE_QUASI_IDENTIFIERS[name], rel=1e-12)


def test_classes_and_risks(adult):
    original, released = adult
    assert original.class_sizes().number == 16356
    assert released.class_sizes().number == 920
    assert catalogue["k-anonymity"](released).value == 5
    before, after = (catalogue["prosecutor-risk"](release).details for release in adult)
    assert [round(before[name], 7) for name in ("lowest", "average", "highest")] == [0.0208333, 0.5422717, 1]
    assert [round(after[name], 7) for name in ("lowest", "average", "highest")] == [0.0018116, 0.0419478, 0.2]
    assert before["at_risk"] == pytest.approx(0.6727339035872952, rel=1e-12)
    assert after["at_risk"] == 0  # 1/5 is not above 0.2
    assert catalogue["sample-uniqueness"](original).details["unique_records"] == 11973


@pytest.mark.parametrize(("model", "value"), [("pitman", 0.07737217833541048), ("zayatz", 0.16395719057966668)])
def test_estimators(model, value, adult):
    assert catalogue["population-uniqueness"](adult[0], model=model).value == pytest.approx(value, rel=1e-8)
    dankar = catalogue["population-uniqueness"](adult[0])
    assert dankar.details["model_used"] == "pitman"
    assert dankar.value == pytest.approx(0.07737217833541048, rel=1e-8)


def test_published_numbers_of_the_census_table_without_roles(reference, tmp_path):
    """Without a YAML file beside it all nine columns count, as when AECS and Non-Uniform Entropy were published."""
    for name in ("adult.csv", "adult_anonymized.csv"):
        (tmp_path / name).symlink_to(reference / name)
    tables = (tmp_path / "adult.csv", tmp_path / "adult_anonymized.csv")
    assert PETValidation(*tables, "AECS") == {"AECS": 0.9992930131052006}
    found = PETValidation(*tables, "Non-Uniform Entropy", dataHierarchy=reference / "adult_hierarchy")
    assert found == {"Non-Uniform Entropy": pytest.approx(0.6691909578638351, rel=1e-12)}


def test_inpatients(reference):
    roles = dict.fromkeys(["zipcode", "age", "nationality"], "quasi_identifier") | {"condition": "sensitive_attribute"}
    assert catalogue["l-diversity"](Release(reference / "inpatient_anonymized.csv", roles)).value == 3
