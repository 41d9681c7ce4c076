"""The published interface: names, keys and their order, texts for numbers, and no silent None."""

import json

import pandas as pd
import pytest

from PETWorks import PETValidation, Release, catalogue, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.compat import TECHNIQUES
from PETWorks.errors import PETWorksError
from PETWorks.measures.catalogue import find

DELTA = ("data/delta.csv", "data/delta_anonymized.csv")
ADULT = ("data/adult.csv", "data/adult_anonymized.csv")
PATIENT = "data/patient_anonymized.csv"
MONEY = {"adversaryCost": 4, "adversaryGain": 300, "publisherLost": 300, "publisherBenefit": 1200}


def test_t_closeness():
    found = PETValidation(None, PATIENT, "t-closeness", tLimit=0.376)
    assert list(found.items()) == [("t", 0.376), ("fulfill t-closeness", True)]
    assert found.details["attributes"]["Disease"]["exact"] == "8/27"
    assert found.details["attributes"]["Disease"]["distance"] == "hierarchical"
    assert found.details["smallest_class"] == 3


def test_d_presence():
    found = PETValidation(*DELTA, "d-presence", dMin=1 / 2, dMax=2 / 3)
    assert list(found.items()) == [("dMin", 0.5), ("dMax", 2 / 3), ("d-presence", True)]
    assert found.details["value"] == [0.5, 2 / 3]


def test_profitability():
    found = PETValidation(*DELTA, "profitability", allowAttack=True, **MONEY)
    assert list(found.items()) == [
        ("allow attack", True),
        ("adversary's cost", 4),
        ("adversary's gain", 300),
        ("publisher's loss", 300),
        ("publisher's benefit", 1200),
        ("profitability", True),
    ]
    assert PETValidation(*DELTA, "profitability", allowAttack=False, **MONEY)["profitability"] is False


def test_precision():
    found = PETValidation(
        "data/adult.csv", "data/adult_anonymized.csv", "Precision", dataHierarchy="data/adult_hierarchy"
    )
    assert list(found) == ["precision"]
    assert set(found.details["columns"]) >= {"age", "sex"}


def test_k_anonymity_and_l_diversity():
    found = PETValidation(None, PATIENT, "k-anonymity", k=3)
    assert list(found.items()) == [("k", 3), ("fulfill k-anonymity", True)]
    assert PETValidation(None, PATIENT, "k-anonymity", k=4)["fulfill k-anonymity"] is False
    found = PETValidation(None, PATIENT, "l-diversity", l=3)
    assert list(found.items()) == [("l", 3), ("fulfill l-diversity", True)]
    assert PETValidation(None, PATIENT, "l-diversity", l=4)["fulfill l-diversity"] is False


def test_utility_of_the_census_table():
    """Their documented keys, and the numbers of the native measures."""
    keys = {"AECS": "AECS", "Ambiguity": "ambiguity", "Non-Uniform Entropy": "Non-Uniform Entropy"}
    release = Release(ADULT[1], original=ADULT[0])
    for technique, key in keys.items():
        found = PETValidation(*ADULT, technique, dataHierarchy="data/adult_hierarchy")
        parameters = {"leaf_first": True} if technique == "Ambiguity" else {}
        assert list(found.items()) == [(key, pytest.approx(find(technique)(release, **parameters).value, abs=1e-15))]


def test_re_identification_risk_takes_all_columns_where_no_roles_are_given():
    table = {"zip": ["1", "1", "1", "2"], "sex": ["m", "m", "m", "m"], "job": ["a", "a", "a", "a"]}
    found = PETValidation(None, table, "ReidentificationRisk")
    assert list(found.items()) == [("Re-identification Risk", 1.0)]
    roles = {"sex": QUASI_IDENTIFIER}
    assert PETValidation(None, table, "ReidentificationRisk", attributeTypes=roles) == {"Re-identification Risk": 1 / 4}
    # As the published script has it: the one table first, and None.
    assert PETValidation(table, None, "ReidentificationRisk") == found


def test_without_roles_columns_with_a_hierarchy_are_what_was_generalised():
    table, original = {"zip": ["47*", "47*"], "job": ["a", "b"]}, {"zip": ["471", "472"], "job": ["a", "b"]}
    levels = {"zip": [("471", "47*", "*"), ("472", "47*", "*")]}
    assert PETValidation(original, table, "AECS", dataHierarchy=levels) == {"AECS": 0.0}
    assert PETValidation(original, table, "Ambiguity", dataHierarchy=levels) == {"ambiguity": 0.0}
    assert PETValidation(original, table, "Non-Uniform Entropy", dataHierarchy=levels) == {"Non-Uniform Entropy": 0.0}


def test_without_roles_and_hierarchies_aecs_takes_all_columns():
    table, original = {"zip": ["47*", "47*"], "job": ["a", "a"]}, {"zip": ["471", "472"], "job": ["a", "a"]}
    assert PETValidation(original, table, "AECS") == {"AECS": 0.0}


def test_utility_bias_hands_over_what_was_given():
    given = []

    def answer(table):
        given.append(table)
        return len(given) * 2

    anything = (object(), 17)
    assert PETValidation(*anything, "UtilityBias", processingFunc=answer, maxBias=2) == {"UtilityBias": True}
    assert given == list(anything)
    assert PETValidation(*anything, "UtilityBias", processingFunc=answer, maxBias=1.9) == {"UtilityBias": False}


@pytest.mark.parametrize("answer", [None, "7", float("nan"), float("inf"), 10**400, True, [1]])
def test_utility_bias_wants_a_number(answer):
    with pytest.raises(
        PETWorksError, match="needs a function that returns a number; of the original table it returned"
    ):
        PETValidation(1, 2, "UtilityBias", processingFunc=lambda _: answer, maxBias=2)


def test_measures_without_a_published_name_go_by_their_own():
    assert PETValidation(*DELTA, "granularity") == {"granularity": pytest.approx(0.3731707)}
    found = PETValidation(None, PATIENT, "entropy l-diversity", l=3)
    assert list(found.items()) == [("entropy-l-diversity", 3.0), ("fulfill entropy-l-diversity", True)]
    found = PETValidation(None, DELTA[1], "k-map", population=DELTA[0], k=4)
    assert found == {"k-map": 3, "fulfill k-map": False}
    assert PETValidation(None, PATIENT, "enhanced β-likeness", beta=1)["fulfill enhanced-beta-likeness"] is False


@pytest.mark.parametrize("name", sorted(catalogue))
def test_every_measure_is_in_this_interface_too(name):
    limits = {"t-closeness": {"tLimit": 1}, "delta-presence": {"dMin": 0, "dMax": 1}, "k-anonymity": {"k": 1}}
    limits |= {"l-diversity": {"l": 1}, "profitability": {"allowAttack": True, **MONEY}}
    limits |= {"utility-bias": {"processingFunc": len, "maxBias": 100}, "k-map": {"population": ADULT[0]}}
    limits |= {"population-uniqueness": {"population": 0.5}}
    found = PETValidation(*ADULT, name, **limits.get(name, {}))
    assert json.loads(json.dumps([found, found.details])) == [found, found.details]


def test_how_records_are_counted_can_be_said_here_too():
    table = {"person": list("aab"), "zip": list("111")}
    roles = {"zip": QUASI_IDENTIFIER}
    found = PETValidation(None, table, "k-anonymity", attributeTypes=roles, k=3, privacy_unit="person")
    assert found["fulfill k-anonymity"] is False
    assert found.details["treatment"]["privacy_unit"] == "person"


def test_attacks():
    roles = {
        "ZIPCode": QUASI_IDENTIFIER,
        "Age": QUASI_IDENTIFIER,
        "Disease": SENSITIVE_ATTRIBUTE,
        "Salary": SENSITIVE_ATTRIBUTE,
    }
    found = PETValidation(None, PATIENT, "re-identification", attributeTypes=roles)
    assert list(found.items()) == [("prior", 1 / 9), ("posterior", 1 / 3)]
    found = PETValidation(None, PATIENT, "attribute-inference", attributeTypes=roles)
    assert found == {"Disease": {"prior": 2 / 9, "posterior": 1 / 3}, "Salary": {"prior": 1 / 9, "posterior": 1 / 3}}
    assert found.details["attributes"]["Disease"]["multiplicative_leakage"] == 1.5


def test_tables_as_frames():
    frame = pd.read_csv(PATIENT, sep=";", dtype=str)
    roles = {"ZIPCode": QUASI_IDENTIFIER, "Age": QUASI_IDENTIFIER, "Salary": SENSITIVE_ATTRIBUTE}
    assert PETValidation(None, frame, "t-closeness", attributeTypes=roles, tLimit=1 / 6)["fulfill t-closeness"] is True


@pytest.mark.parametrize("name", ["T-Closeness", "t closeness", "t_closeness"])
def test_spellings_of_a_technique(name):
    assert PETValidation(None, PATIENT, name, tLimit=1)["fulfill t-closeness"] is True
    assert PETValidation(None, PATIENT, metric=name, tLimit=1)["fulfill t-closeness"] is True


def test_numbers_as_text():
    found = PETValidation(None, PATIENT, "t-closeness", tLimit="0.376")
    assert found == {"t": 0.376, "fulfill t-closeness": True}
    texts = {name: str(value) for name, value in MONEY.items()}
    found = PETValidation(*DELTA, "profitability", allowAttack="True", **texts)
    assert found == PETValidation(*DELTA, "profitability", allowAttack=True, **MONEY)


@pytest.mark.parametrize(
    ("arguments", "parameters", "message"),
    [
        (("t-closness",), {"tLimit": 1}, r"no technique is called 't-closness'; did you mean 't-closeness'\?"),
        (("xyz",), {}, r"no technique is called 'xyz'; known: 't-closeness', 'd-presence'"),
        (("granulaty",), {}, r"no technique is called 'granulaty'; did you mean 'granularity'"),
        ((), {"tLimit": 1}, r"expected one technique"),
        (("t-closeness",), {"metric": "t-closeness"}, r"expected one technique"),
        (("t-closeness",), {}, r"t-closeness needs tLimit"),
        (("t-closeness",), {"tLimit": -1}, r"t-closeness needs 0 <= tLimit, got tLimit=-1"),
        (("t-closeness",), {"tlimit": 1}, r"no parameter of t-closeness is called 'tlimit'; did you mean 'tLimit'\?"),
        (("t-closeness",), {"tLimit": "x"}, r"t-closeness needs a number, 0 <= tLimit, got tLimit='x'"),
        (("d-presence",), {"dMin": 0, "dMax": 1}, r"delta-presence: needs the original table"),
        (
            ("profitability",),
            {"allowAttack": True},
            r"needs adversaryCost, adversaryGain, publisherLost, publisherBenefit",
        ),
    ],
)
def test_mistakes(arguments, parameters, message):
    with pytest.raises(PETWorksError, match=message):
        PETValidation(None, PATIENT, *arguments, **parameters)


def test_report_prints_json(capsys):
    report({"疾病": {"t": 0.5}, "fulfill": True}, "json")
    assert capsys.readouterr().out == '{\n    "疾病": {\n        "t": 0.5\n    },\n    "fulfill": true\n}\n'
    with pytest.raises(PETWorksError, match=r"no report format is called 'jsn'; did you mean 'json'\?"):
        report({}, "jsn")


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_details_are_ready_for_json(technique):
    parameters = {
        "t-closeness": {"tLimit": 1},
        "d-presence": {"dMin": 0, "dMax": 1},
        "profitability": {"allowAttack": True, **MONEY},
        "k-anonymity": {"k": 2},
        "l-diversity": {"l": 1},
        "UtilityBias": {"processingFunc": len, "maxBias": 20},
    }
    tables = ADULT if technique == "Non-Uniform Entropy" else DELTA
    found = PETValidation(*tables, technique, **parameters.get(technique, {}))
    assert json.loads(json.dumps(found.details)) == found.details


def test_no_delta_lies_in_an_empty_range():
    found = PETValidation("data/delta.csv", "data/delta_anonymized.csv", "d-presence", dMin=2 / 3, dMax=1 / 2)
    assert found == {"dMin": 2 / 3, "dMax": 1 / 2, "d-presence": False}
