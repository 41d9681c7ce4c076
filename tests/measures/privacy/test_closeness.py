from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import definitions
import frames
from conftest import cases
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.counts import ClassValues
from PETWorks.errors import HierarchyError, PETWorksError
from PETWorks.measures.privacy.closeness import (
    equal_cost,
    hierarchical_cost,
    numeric_cost,
    t_closeness,
    widen_if_needed,
)

# The published five-row example, its salaries as numbers.
DOCUMENT = {
    "birth": ["197*", "197*", "198*", "198*", "198*"],
    "salary": ["3", "4", "5", "6", "8"],
    "disease": ["胃癌", "流感", "流感", "胃炎", "胃癌"],
}
DISEASES = [("流感", "呼吸感染", "疾病"), ("胃癌", "胃部疾病", "疾病"), ("胃炎", "胃部疾病", "疾病")]
PATIENT_ROLES = {"ZIPCode": QUASI_IDENTIFIER, "Age": QUASI_IDENTIFIER}


def release(table, quasi_identifiers, sensitive, hierarchies=None, **options):
    roles = dict.fromkeys(quasi_identifiers, QUASI_IDENTIFIER) | dict.fromkeys(sensitive, SENSITIVE_ATTRIBUTE)
    return Release(table, roles, hierarchies, **options)


def exact(result, column):
    return Fraction(result.details["attributes"][column]["exact"])


@pytest.mark.parametrize(
    ("born", "column", "distance"),
    [
        ("197*", "salary", Fraction(3, 8)),
        ("197*", "disease", Fraction(3, 20)),
        ("198*", "salary", Fraction(1, 4)),
        ("198*", "disease", Fraction(1, 10)),
    ],
)
def test_document_class_by_class(born, column, distance):
    # The other class is suppressed: set aside, but still part of the overall distribution.
    table = DOCUMENT | {"birth": [year if year == born else "*" for year in DOCUMENT["birth"]]}
    result = t_closeness(release(table, ["birth"], [column], {"disease": DISEASES}))
    assert exact(result, column) == distance


def test_document_table():
    result = t_closeness(release(DOCUMENT, ["birth"], ["salary", "disease"], {"disease": DISEASES}), t=4)
    assert result.satisfied is True
    assert exact(result, "salary") == Fraction(3, 8)
    assert exact(result, "disease") == Fraction(3, 20)
    assert result.value == 0.375
    assert result.details["attributes"]["salary"]["worst_class_size"] == 2


def test_patient():
    patient = Release(
        "data/patient_anonymized.csv", PATIENT_ROLES | dict.fromkeys(["Disease", "Salary"], SENSITIVE_ATTRIBUTE)
    )
    found = t_closeness(patient, t=0.376)
    assert found.satisfied is True
    assert exact(found, "Disease") == Fraction(8, 27)
    assert exact(found, "Salary") == Fraction(1, 6)
    assert found.details["attributes"]["Disease"]["distance"] == "hierarchical"
    assert found.details["attributes"]["Salary"]["distance"] == "numeric"
    assert exact(t_closeness(patient, distance={"Disease": "equal"}), "Disease") == Fraction(5, 9)
    assert t_closeness(patient, t=8 / 27).satisfied is True
    assert t_closeness(patient, t=0.2962).satisfied is False


def test_classes_beyond_the_limit_are_counted():
    patient = Release("data/patient_anonymized.csv")
    found = t_closeness(patient, t=0.2).details["attributes"]["Disease"]
    assert (found["classes_beyond_t"], found["records_beyond_t"]) == (2, 6)
    found = t_closeness(patient, t=8 / 27).details["attributes"]["Disease"]
    assert (found["classes_beyond_t"], found["records_beyond_t"]) == (0, 0)


def test_reference_disease_table(reference):
    roles = PATIENT_ROLES | dict.fromkeys(["Disease", "Salary"], SENSITIVE_ATTRIBUTE)
    disease = Release(reference / "disease.csv", roles, reference / "disease_hierarchy")
    found = t_closeness(disease, t=0.375)
    assert found.satisfied is True
    assert exact(found, "Disease") == Fraction(8, 27)
    assert exact(found, "Salary") == Fraction(3, 8)
    assert exact(t_closeness(disease, distance={"Disease": "equal"}), "Disease") == Fraction(5, 9)


def test_reference_merit(reference):
    merit = Release(reference / "merit.csv", {"Name": QUASI_IDENTIFIER, "Merit": SENSITIVE_ATTRIBUTE})
    assert exact(t_closeness(merit), "Merit") == Fraction(4, 15)


def test_numbers_are_sorted_as_numbers():
    table = {"q": ["a", "a", "b", "b"], "s": ["9", "10", "100", "11"]}
    assert exact(t_closeness(release(table, ["q"], ["s"])), "s") == Fraction(1, 3)
    as_text = {"q": table["q"], "s": [f"{salary}k" for salary in table["s"]]}
    assert t_closeness(release(as_text, ["q"], ["s"])).details["attributes"]["s"]["distance"] == "equal"


def test_one_value_is_at_no_distance():
    assert t_closeness(release({"q": ["a", "b"], "s": ["5", "5"]}, ["q"], ["s"]), t=0).satisfied is True


def test_a_column_with_a_missing_number_is_not_numeric():
    found = t_closeness(release({"q": ["a", "b"], "s": ["5", None]}, ["q"], ["s"]))
    assert found.details["attributes"]["s"]["distance"] == "equal"
    with pytest.raises(PETWorksError, match=r"column 's': 1 of 2 values are not numbers"):
        t_closeness(release({"q": ["a", "b"], "s": ["5", None]}, ["q"], ["s"]), distance="numeric")


def test_all_records_suppressed_leaves_nothing_to_check():
    found = t_closeness(release({"q": ["*", "*"], "s": ["5", "6"]}, ["q"], ["s"]), t=0)
    assert (found.value, found.satisfied, found.details["suppressed_records"]) == (0, True, 2)


def test_values_outside_the_hierarchy_are_counted_not_shown():
    with pytest.raises(HierarchyError, match=r"^column 's': 2 of 3 values have no place") as error:
        t_closeness(release({"q": ["a", "a", "b"], "s": ["SECRET", "流感", "HIDDEN"]}, ["q"], ["s"], {"s": DISEASES}))
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf"), "much", None, True, "1/0", "-1e-3"])
def test_limits_out_of_range(limit):
    table = release({"q": ["a"], "s": ["5"]}, ["q"], ["s"])
    if limit is None:
        assert t_closeness(table, t=limit).satisfied is None
    else:
        with pytest.raises(PETWorksError, match=r"^t-closeness needs (a number, )?0 <= t, got t="):
            t_closeness(table, t=limit)


@given(case=cases(missing=False), distance=st.sampled_from(["equal", "numeric", "hierarchical"]))
def test_forced_distances_agree_with_the_definition(case, distance):
    case.distance = distance
    case.sensitive = ["income"] if distance == "numeric" else ["disease"]
    table = frames.release_of(case)
    if distance == "hierarchical" and "disease" not in case.hierarchies:
        with pytest.raises(PETWorksError, match="has no hierarchy"):
            t_closeness(table, distance=distance)
        return
    assert exact(t_closeness(table, distance=distance), case.sensitive[0]) == definitions.t_of_attribute(
        definitions.fold_sensitive_values(case), case.sensitive[0]
    )


@st.composite
def counted_classes(draw):
    """Classes with counts of any size and the overall counts of at least that much."""
    scale = draw(st.sampled_from([1, 1000, 10**9, 10**12]))
    values = draw(st.integers(1, 5))
    amounts = st.lists(st.integers(0, 5).map(lambda count: count * scale), min_size=values, max_size=values).filter(any)
    inside = draw(st.lists(amounts, min_size=1, max_size=4))
    outside = draw(st.lists(st.integers(1, 5).map(lambda count: count * scale), min_size=values, max_size=values))
    return inside, [sum(column) + more for column, more in zip(zip(*inside, strict=True), outside, strict=True)]


@given(counted=counted_classes(), random=st.randoms(use_true_random=False))
def test_kernels_are_exact_at_any_size(counted, random):
    """Counts beyond 64 bits go through unlimited integers; a well-known tool overflows at 131,072 rows."""
    inside, overall = counted
    filled = [[(value, count) for value, count in enumerate(group) if count] for group in inside]
    records, values = sum(overall), len(overall)
    classes = widen_if_needed(
        ClassValues(
            np.array([sum(group) for group in inside]),
            np.cumsum([0, *(len(cells) for cells in filled)])[:-1],
            np.array([value for cells in filled for value, _ in cells], np.int64),
            np.array([count for cells in filled for _, count in cells]),
        ),
        records * max(values - 1, 2),
    )
    labels = [str(value) for value in range(values)]
    q = {label: Fraction(count, records) for label, count in zip(labels, overall, strict=True)}
    paths = [(label, random.choice("AB"), "top") for label in labels]
    nodes = [np.arange(values), np.array(["AB".index(path[1]) for path in paths])]
    found = {
        "equal": equal_cost(classes, np.array(overall)),
        "numeric": numeric_cost(classes, np.array(overall), np.arange(values)),
        "hierarchical": hierarchical_cost(classes, np.array(overall), nodes),
    }
    for position, group in enumerate(inside):
        p = {label: Fraction(count, sum(group)) for label, count in zip(labels, group, strict=True)}
        unit = records * sum(group)
        assert Fraction(found["equal"][position], unit) == definitions.emd_equal(p, q)
        assert Fraction(found["numeric"][position], unit * max(values - 1, 1)) == definitions.emd_numeric(p, q)
        assert Fraction(found["hierarchical"][position], unit * 2) == definitions.emd_hierarchical(p, q, paths)


def test_a_large_table_does_not_overflow():
    # 200,000 records in one class, as many in another, each with a value of its own: t = 1/2 for both.
    table = frames.arrow([{"q": "a", "s": "x"}, {"q": "b", "s": "y"}])
    large = table.take(np.repeat([0, 1], 200_000))
    assert exact(t_closeness(release(large, ["q"], ["s"])), "s") == Fraction(1, 2)
