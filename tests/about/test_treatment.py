"""How records are counted: missing, suppressed, several sensitive attributes, several records of one person."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import definitions
import frames
from conftest import cases
from PETWorks import PETValidation, Release, catalogue, evaluate, every_subset, minimal_uniques, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import PETWorksError
from PETWorks.measures.attacks.inference import attribute_inference_per_record
from PETWorks.measures.attacks.reidentification import re_identification_per_record

ROLES = {"zip": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE}
TABLE = {"person": list("aabcd"), "zip": ["1", "1", "1", None, "*"], "s": list("xyzzz")}


def test_every_result_says_how_records_were_counted():
    release = Release(
        TABLE, ROLES, suppressed="class", missing="apart", several_sensitive="quasi-identifiers", privacy_unit="person"
    )
    wanted = {
        "missing": "apart",
        "suppressed": "class",
        "several_sensitive": "quasi-identifiers",
        "sensitive_values": "exact",
        "privacy_unit": "person",
    }
    unused = {"several_sensitive": None, "sensitive_values": None}
    found = evaluate(release)
    assert found.table["treatment"] == wanted
    assert found["l-diversity"].treatment == wanted
    assert found["k-anonymity"].treatment == wanted | unused  # which it does not look at
    seen = wanted | {"missing": "value", "suppressed": "class", "several_sensitive": "alone"}
    assert found["attribute-inference"].treatment == seen
    assert found["re-identification"].treatment == seen | unused
    lost = {"missing": "lost", "suppressed": "lost", **unused, "privacy_unit": None}
    assert found["missings"].treatment == lost
    assert json.loads(json.dumps(found.to_dict()))["results"][0]["treatment"] == wanted


def test_incomplete_records_stand_aside_if_asked_to():
    together, apart = Release(TABLE, ROLES), Release(TABLE, ROLES, missing="apart")
    assert [catalogue["k-anonymity"](release).value for release in (together, apart)] == [1, 3]
    details = catalogue["k-anonymity"](apart).details
    assert (details["incomplete_records"], details["suppressed_records"], details["records_in_classes"]) == (1, 1, 3)
    # They stay part of the overall distribution: z is 3 of 5 there, 1 of 3 in the class.
    assert catalogue["t-closeness"](apart).value == pytest.approx(2 / 3 - 2 / 5)
    # An attacker sees everybody.
    assert catalogue["re-identification"](apart).value == catalogue["re-identification"](together).value == 3 / 5


def test_five_rows_of_one_person_count_once():
    """Also for what follows from class sizes."""
    visits = {"person": list("aaaaabcd"), "zip": list("11111122"), "s": list("xxxxxyxy")}
    release = Release(visits, ROLES, original=visits, privacy_unit="person")
    found = {result.measure: result for result in evaluate(release)}
    assert found["k-anonymity"].value == 2
    assert found["prosecutor-risk"].value == 1 / 2
    assert found["average-risk"].value == found["re-identification"].value == 2 / 4
    assert found["profitability"].value == 150
    assert found["discernibility"].details["raw"] == 8
    assert found["aecs"].details["raw"] == 2
    assert found["alpha-k-anonymity"].value == [2, 1 / 2]
    assert found["t-closeness"].value == 0
    assert found["publisher-payout"].value == 4 * 1200 - 2 * 300
    assert re_identification_per_record(release).tolist() == [1 / 2] * 8


@given(case=cases())
def test_per_record_risks_count_people(case):
    release = frames.release_of(case)
    expected = definitions.re_identification_per_record(case)
    assert re_identification_per_record(release).tolist() == [float(chance) for chance in expected]
    for column in case.sensitive:
        expected = definitions.attribute_inference_per_record(definitions.fold_sensitive_values(case), column)
        assert attribute_inference_per_record(release, column).tolist() == [float(chance) for chance in expected]


def test_a_person_in_several_classes_counts_in_each():
    release = Release({"person": list("aab"), "zip": list("122")}, {"zip": QUASI_IDENTIFIER}, privacy_unit="person")
    sizes = release.class_sizes()
    assert (sizes.sizes.tolist(), sizes.classes.tolist()) == ([1, 2], [1, 1])
    assert release.people == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "drop"}, "missing is 'value' or 'apart', got 'drop'"),
        ({"suppressed": 5}, "suppressed is 'apart' or 'class', got 5"),
        ({"several_sensitive": "both"}, "several_sensitive is 'alone' or 'quasi-identifiers', got 'both'"),
        ({"privacy_unit": "name"}, "the privacy unit 'name' is not in the data; it has 'person', 'zip', 's'"),
        (
            {"privacy_unit": "zip"},
            "the privacy unit 'zip' identifies the person, so it cannot also have the role 'quasi_identifier'",
        ),
    ],
)
def test_mistakes(options, message):
    with pytest.raises(PETWorksError, match=message):
        Release(TABLE, ROLES, **options)


def test_records_of_nobody():
    with pytest.raises(PETWorksError, match=r"one record of the release without 'person' \(the first is record 2\)"):
        Release(TABLE | {"person": ["a", None, "b", "c", "d"]}, ROLES, privacy_unit="person")


def test_subsets_are_counted_in_records():
    release = Release(TABLE, ROLES, privacy_unit="person")
    for attack in (every_subset, minimal_uniques):
        with pytest.raises(PETWorksError, match="counted in records; omit the privacy unit"):
            attack(release)


@pytest.mark.parametrize("columns", [3, 30])
def test_wide_tables_against_pandas(columns):
    """Thirty columns of seven bits are packed in several steps: their codes are found again in the keys."""
    random = np.random.default_rng(columns)
    pattern = random.integers(0, 100, (300, columns))[random.integers(0, 300, 4000)].astype(str)
    pattern[random.integers(0, 4000, 300)] = "*"
    holes = random.integers(0, 4000, 500), random.integers(0, columns, 500)
    frame = pd.DataFrame(pattern, columns=[f"q{number}" for number in range(columns)])
    for row, column in zip(*holes, strict=True):
        frame.iat[row, column] = None
    known = list(frame.columns)
    frame["s"] = random.integers(0, 5, 4000).astype(str)
    frame["person"] = random.integers(0, 1500, 4000).astype(str)
    roles = dict.fromkeys(known, QUASI_IDENTIFIER) | {"s": SENSITIVE_ATTRIBUTE}
    complete = frame[frame[known].notna().all(axis=1) & ~(frame[known] == "*").all(axis=1)]
    sizes = complete.groupby(known).size()
    release = Release(frame, roles, missing="apart")
    assert catalogue["k-anonymity"](release).value == sizes.min()
    assert catalogue["average-risk"](release).value == len(sizes) / len(complete)
    largest = complete.groupby([*known, "s"]).size() / sizes
    assert catalogue["alpha-k-anonymity"](release).value[1] == pytest.approx(largest.max())
    people = complete.groupby(known)["person"].nunique()
    by_person = Release(frame, roles, missing="apart", privacy_unit="person")
    assert catalogue["k-anonymity"](by_person).value == people.min()
    assert catalogue["average-risk"](by_person).value == len(people) / people.sum()


@pytest.mark.parametrize("where", ["original", "population"])
def test_records_of_nobody_elsewhere(where):
    other = {"id": ["a", "b", None], "zip": ["1", "1", "1"]}
    release = Release(
        {"id": ["a", "b"], "zip": ["1", "1"]}, {"zip": QUASI_IDENTIFIER}, privacy_unit="id", **{where: other}
    )
    with pytest.raises(PETWorksError, match=rf"one record of the {where} without 'id' \(the first is record 3\)"):
        catalogue["aecs" if where == "original" else "k-map"](release)


def test_details_count_people_too():
    table = {"u": list("aaab"), "z": list("1112"), "s": list("xywx")}
    release = Release(table, {"z": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE}, privacy_unit="u")
    for name, limit in {
        "l-diversity": {"l": 4},
        "entropy-l-diversity": {"l": 4},
        "recursive-l-diversity": {"c": 0},
    }.items():
        found = catalogue[name](release, **limit).details["attributes"]["s"]
        assert next(number for key, number in found.items() if key.startswith("records_be")) == 2
    found = catalogue["t-closeness"](release, t=0).details["attributes"]["s"]
    assert (found["records_beyond_t"], found["worst_class_size"]) == (2, 1)


def test_incomplete_records_stand_aside_in_the_original_too():
    tables = {"z": ["1", "1", None]}, {"z": ["1", "1", "1", None]}
    apart = Release(tables[0], {"z": QUASI_IDENTIFIER}, None, tables[1], missing="apart")
    found = catalogue["delta-presence"](apart)
    assert found.value == [2 / 3, 2 / 3]
    assert found.details["original_records_absent_from_the_release"] == 0
    assert found.details["incomplete_records"] == 1
    assert catalogue["delta-presence"](Release(tables[0], {"z": QUASI_IDENTIFIER}, None, tables[1])).value == [2 / 3, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda release: evaluate(release, 5),
        lambda release: evaluate(release, [5]),
        lambda release: evaluate(release, [("k-anonymity", {})]),
        lambda release: evaluate(release, {"k-anonymity": {5: 1}}),
        lambda release: catalogue["k-anonymity"]("x", k=3),
        lambda release: evaluate(release, {"k-anonymity": {"k": 10**5000}}),
        lambda release: catalogue["t-closeness"](release, distance={5: "equal"}),
        lambda release: Release(TABLE, ROLES, {5: [("x", "*")]}),
        lambda release: Release("x" * 5000),
        lambda release: Release("a\0b"),
        lambda release: report(5),
        lambda release: PETValidation(None, TABLE, "granularity", attributeTypes=ROLES),
        lambda release: PETValidation(None, TABLE, "k-map", attributeTypes=ROLES, population=3.5),
    ],
)
def test_what_is_of_the_wrong_kind_is_told_so(call):
    release = Release(TABLE, ROLES)
    with pytest.raises(PETWorksError):
        call(release)
