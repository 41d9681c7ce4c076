"""The published interface: names, keys and their order, texts for numbers, and no silent None."""

import json

import pandas as pd
import pytest

import PETWorks.compat
from PETWorks import PETAnonymization, PETValidation, Release, catalogue, output, report
from PETWorks.anonymizer.search.exact import Search
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.compat import TECHNIQUES
from PETWorks.errors import PETWorksError
from PETWorks.measures.catalogue import find_measure
from searches import anonymize

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
        assert list(found.items()) == [(key, pytest.approx(find_measure(technique)(release).value, abs=1e-15))]


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
    tables = ADULT
    if not catalogue[name].applies_to("generalised"):
        tables, limits[name] = ("data/people.csv", "data/people_synthetic.csv"), {"kind": "synthetic"}
    if name == "individual-risk":
        tables = None, {"zip": list("112"), "weight": [20, 30, 7.5]}
        limits[name] = {"attributeTypes": {"zip": QUASI_IDENTIFIER}, "sampling_weight": "weight"}
    found = PETValidation(*tables, name, **limits.get(name, {}))
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


ZIPS = [("471", "47*", "*"), ("472", "47*", "*"), ("481", "48*", "*")]
PEOPLE = {
    "name": ["ann", "bob", "cyd", "dan", "eve"],
    " zip": ["471", " 472", "472 ", "471", "481"],
    "sick": ["flu", " ulcer", "flu", "", "flu"],
    "ward": ["a ", "b", "c", None, "e"],
    "note": ["1", "2", "3", "4", "5"],
}
PEOPLE_ROLES = {
    "name": IDENTIFIER,
    "zip": QUASI_IDENTIFIER,
    "sick": SENSITIVE_ATTRIBUTE,
    "ward": INSENSITIVE_ATTRIBUTE,
}
ABOUT = {"attributeTypes": PEOPLE_ROLES, "dataHierarchy": {"zip": ZIPS}}


def test_a_frame_of_texts_with_all_columns():
    """Identifiers and columns without a role are `*`; so are the quasi-identifiers of suppressed records."""
    found = PETAnonymization(PEOPLE, "k-anonymity", 0.2, k=2, **ABOUT)
    wanted = {
        "name": ["*"] * 5,
        "zip": ["471", "472", "472", "471", "*"],
        "sick": ["flu", "ulcer", "flu", None, "flu"],
        "ward": ["a", "b", "c", None, "e"],
        "note": ["*"] * 5,
    }
    pd.testing.assert_frame_equal(found, pd.DataFrame(wanted))
    # What does not change is a text too, and has no blanks around it.
    found = PETAnonymization(PEOPLE, "k-anonymity", 0, k=1, **ABOUT)
    wanted["zip"] = ["471", "472", "472", "471", "481"]
    pd.testing.assert_frame_equal(found, pd.DataFrame(wanted))


def test_numbers_become_texts():
    table = {"age": [31, 32, 31], "pay": [1.0, 2.5, None]}
    roles = {"age": QUASI_IDENTIFIER, "pay": INSENSITIVE_ATTRIBUTE}
    levels = {"age": [("31", "*"), ("32", "*")]}
    found = PETAnonymization(table, "k-anonymity", 0, k=1, attributeTypes=roles, dataHierarchy=levels)
    pd.testing.assert_frame_equal(found, pd.DataFrame({"age": ["31", "32", "31"], "pay": ["1.0", "2.5", None]}))


def test_roles_and_hierarchies_beside_the_table_and_nothing_printed(capsys):
    limit = {"k-anonymity": {"k": 6}}
    found = PETAnonymization("data/adult.csv", "k-anonymity", maxSuppressionRate=0.6, k=6)
    native = anonymize("data/adult.csv", rules=limit, suppression=0.6, suppressed_records="stars")
    assert found.to_dict("list") == native.table.to_pydict()
    assert native.suppressed > 0
    assert capsys.readouterr() == ("", "")


def test_every_sensitive_attribute_is_diverse():
    table = {"zip": ["471", "471", "472", "472"], "sick": list("abab"), "job": list("xxyz")}
    roles = {"zip": QUASI_IDENTIFIER, "sick": SENSITIVE_ATTRIBUTE, "job": SENSITIVE_ATTRIBUTE}
    about = {"dataHierarchy": {"zip": ZIPS}}
    found = PETAnonymization(table, "l-diversity", 0, l=2, attributeTypes=roles, **about)
    assert set(found["zip"]) == {"47*"}
    found = PETAnonymization(
        table, "l-diversity", 0, l=2, attributeTypes={"zip": QUASI_IDENTIFIER, "sick": SENSITIVE_ATTRIBUTE}, **about
    )
    assert found["zip"].tolist() == table["zip"]


def test_closeness_of_numbers_is_numeric_and_of_texts_hierarchical():
    """The classes have the neighbours 1, 2 and 3, 4: closer to all than any two texts of one level are."""
    zips = {"zip": ["471", "471", "472", "472"]}
    roles = {"zip": QUASI_IDENTIFIER, "sick": SENSITIVE_ATTRIBUTE}
    levels = {"zip": ZIPS, "sick": [("1x", "*"), ("2x", "*"), ("3x", "*"), ("4x", "*")]}
    about = {"attributeTypes": roles, "dataHierarchy": levels}
    numbers = PETAnonymization(zips | {"sick": ["1", "2", "3", "4"]}, "t-closeness", 0, t=0.34, **about)
    assert numbers["zip"].tolist() == zips["zip"]
    texts = PETAnonymization(zips | {"sick": ["1x", "2x", "3x", "4x"]}, "t-closeness", 0, t=0.34, **about)
    assert set(texts["zip"]) == {"47*"}
    levels["sick"] = [("1x", "1-2", "*"), ("3x", "1-2", "*"), ("2x", "3-4", "*"), ("4x", "3-4", "*")]
    texts = PETAnonymization(zips | {"sick": ["1x", "2x", "3x", "4x"]}, "t-closeness", 0, t=0.34, **about)
    assert texts["zip"].tolist() == zips["zip"]


def test_the_sample_is_released_and_described_by_the_file_of_the_population(tmp_path):
    (tmp_path / "all.csv").write_text("zip;age\n471;1\n472;2\n472;3\n481;4\n")
    (tmp_path / "all.yaml").write_text(
        "roles: {quasi_identifiers: [zip], insensitive_attributes: [age]}\nhierarchies:\n  zip: {prefix: [2]}\n"
    )
    (tmp_path / "some.csv").write_text("zip;age\n472;3\n471;1\n")
    (tmp_path / "some.yaml").write_text("roles: {quasi_identifiers: [age]}\n")
    tables = {"originalData": tmp_path / "all.csv", "subsetData": tmp_path / "some.csv"}
    found = PETAnonymization(**tables, tech="d-presence", maxSuppressionRate=0, dMin=0, dMax="2/3")
    assert found.to_dict("list") == {"zip": ["47*", "47*"], "age": ["3", "1"]}
    roles = {"age": QUASI_IDENTIFIER, "zip": INSENSITIVE_ATTRIBUTE}
    levels = {"age": [(str(age), "*") for age in range(1, 5)]}
    about = {"attributeTypes": roles, "dataHierarchy": levels}
    found = PETAnonymization(**tables, tech="d-presence", maxSuppressionRate=0, dMin=0, dMax=0.5, **about)
    assert found.to_dict("list") == {"zip": ["472", "471"], "age": ["*", "*"]}


def test_sampling_weights_of_the_population_are_those_of_the_sample(tmp_path):
    (tmp_path / "all.csv").write_text("zip;w\n471;2\n472;2\n472;2\n")
    (tmp_path / "all.yaml").write_text(
        "roles: {quasi_identifiers: [zip]}\nsampling_weight: w\nhierarchies: {zip: {prefix: [2]}}\n"
    )
    (tmp_path / "some.csv").write_text("zip;w\n472;2\n471;many\n")
    with pytest.raises(PETWorksError, match="sampling weight 'w': it is not a number in 1 of 2 records"):
        PETAnonymization(tmp_path / "all.csv", "d-presence", 0, subsetData=tmp_path / "some.csv", dMin=0, dMax=1)


def test_anonymized_tables_as_frames_and_files_validate(tmp_path):
    frame = PETAnonymization(pd.DataFrame(PEOPLE), "k-anonymity", "1/5", k="2", **ABOUT)
    output(frame, str(tmp_path / "output.csv"))
    assert (tmp_path / "output.csv").read_bytes() == (
        b"name;zip;sick;ward;note\n*;471;flu;a;*\n*;472;ulcer;b;*\n*;472;flu;c;*\n*;471;;;*\n*;*;flu;e;*\n"
    )
    for released in (frame, tmp_path / "output.csv"):
        found = PETValidation(None, released, "k-anonymity", attributeTypes=PEOPLE_ROLES, k=2)
        assert found == {"k": 2, "fulfill k-anonymity": True}


def test_ctrl_c_ends_the_anonymization_though_something_was_found(monkeypatch):
    """A frame does not say that it may not be the best one."""
    look_at = Search.look_at

    def interrupted(self, *arguments):
        if self.best is not None:
            raise KeyboardInterrupt
        return look_at(self, *arguments)

    monkeypatch.setattr(Search, "look_at", interrupted)
    assert not anonymize("data/adult.csv", rules={"k-anonymity": {"k": 6}}, suppression=0.6).optimal
    with pytest.raises(KeyboardInterrupt):
        PETAnonymization("data/adult.csv", "k-anonymity", maxSuppressionRate=0.6, k=6)


@pytest.mark.parametrize("name", ["K-Anonymity", "k anonymity", "k_anonymity", "kanonymity"])
def test_spellings_of_a_technique_of_anonymization(name):
    assert len(PETAnonymization(PEOPLE, name, 1, k=2, **ABOUT)) == 5


def test_native_names_of_a_technique_of_anonymization():
    limits = {"dMin": 0, "dMax": 1, "subsetData": PEOPLE}
    for name in ("delta-presence", "δ-presence", "d-presence"):
        assert len(PETAnonymization(PEOPLE, name, 0, **limits, **ABOUT)) == 5


@pytest.mark.parametrize(
    ("technique", "rate", "parameters", "message"),
    [
        ("k-anonimity", 0, {"k": 2}, r"no technique of anonymization is called 'k-anonimity'; did you mean 'k-anon"),
        ("AECS", 0, {}, r"no technique of anonymization is called 'AECS'; known: 'k-anonymity', 'l-diversity', 't-cl"),
        (None, 0, {}, r"no technique of anonymization is called 'None'; known"),
        ("k-anonymity", 1.5, {"k": 2}, r"PETAnonymization needs 0 <= maxSuppressionRate <= 1, got maxSuppress\w+=1.5"),
        ("k-anonymity", -0.1, {"k": 2}, r"needs 0 <= maxSuppressionRate <= 1, got maxSuppressionRate=-0.1"),
        ("k-anonymity", None, {"k": 2}, r"needs a number, 0 <= maxSuppressionRate <= 1, got maxSuppressionRate=None"),
        ("k-anonymity", "some", {"k": 2}, r"needs a number, 0 <= maxSuppressionRate <= 1, got maxSuppress\w+='some'"),
        ("k-anonymity", 0, {}, r"^k-anonymity needs k \(how many records every class must have\)$"),
        ("k-anonymity", 0, {"k": 0}, r"k-anonymity needs 1 <= k, got k=0"),
        ("k-anonymity", 0, {"K": 2}, r"no parameter of k-anonymity is called 'K'; did you mean 'k'\?"),
        ("l-diversity", 0, {}, r"l-diversity needs l \(how many different values"),
        ("t-closeness", 0, {}, r"t-closeness needs t \(how far"),
        ("t-closeness", 0, {"tLimit": 1}, r"no parameter of t-closeness is called 'tLimit'; known: 't', 'dataHier"),
        ("d-presence", 0, {"dMin": 0}, r"d-presence needs dMax \(the largest.*\), subsetData \(the table to release"),
        ("d-presence", 0, {"dMin": 1, "dMax": 0, "subsetData": PEOPLE}, r"needs dMin <= dMax, got dMin=1, dMax=0"),
        ("k-anonymity", 0, {"k": 2, "subsetData": PEOPLE}, r"no parameter of k-anonymity is called 'subsetData'"),
        ("k-anonymity", 0, {"k": 6}, r"no levels keep the rules with at most 0 suppressed records"),
        ("k-anonymity", 0, {"k": 2, "dataHierarchy": None}, r"without a hierarchy.*\(dataHierarchy=\.\.\.\)"),
        ("k-anonymity", 0, {"k": 2, "attributeTypes": None}, r"'quasi_identifier'.*\(attributeTypes=\.\.\.\)"),
        (
            "l-diversity",
            0,
            {"l": 2, "attributeTypes": {"zip": QUASI_IDENTIFIER}},
            r"l-diversity: needs a sensitive attribute \(attributeTypes=\.\.\.\)",
        ),
    ],
)
def test_mistakes_in_anonymization(technique, rate, parameters, message):
    with pytest.raises(PETWorksError, match=message):
        PETAnonymization(PEOPLE, technique, rate, **ABOUT | parameters)


def test_the_suppression_rate_is_required():
    with pytest.raises(TypeError, match="maxSuppressionRate"):
        PETAnonymization(PEOPLE, "k-anonymity", k=2, **ABOUT)


def test_output_writes_the_whole_file_or_says_what_is_wrong(tmp_path):
    frame = pd.DataFrame({"a;b": ["1", 'say "x"', None], "姓": ["*", "甲;乙", "c\nd"]}, index=list("xyz"))
    output(frame, tmp_path / "table.csv")
    written = '"a;b";姓\n1;*\n"say ""x""";"甲;乙"\n;"c\nd"\n'
    assert (tmp_path / "table.csv").read_text("utf-8") == written
    for table, path, message in [
        ({"a": [1]}, "table.csv", "expected the frame that PETAnonymization returned, got dict"),
        (frame["姓"], "table.csv", "got Series"),
        (frame, "no/table.csv", "the folder .* does not exist"),
        (frame, ".", "it is a folder"),
        (pd.DataFrame({"a": ["\ud800"]}, dtype=object), "table.csv", "a cell has characters that no text can have"),
    ]:
        with pytest.raises(PETWorksError, match=message):
            output(table, tmp_path / path)
    with pytest.raises(PETWorksError, match="expected filePath to be the path of a file, got NoneType"):
        output(frame, None)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
    assert (tmp_path / "table.csv").read_text("utf-8") == written


def test_without_pandas_the_error_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(PETWorks.compat, "find_spec", lambda _: None)
    with pytest.raises(PETWorksError, match=r"PETAnonymization needs pandas: pip install 'petworks\[pandas\]'"):
        PETAnonymization(PEOPLE, "k-anonymity", 0, k=2, **ABOUT)
    with pytest.raises(PETWorksError, match=r"output needs pandas: pip install 'petworks\[pandas\]'"):
        output(None, tmp_path / "table.csv")
