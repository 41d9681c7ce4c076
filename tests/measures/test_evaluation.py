"""Several measures at once, and how results show themselves."""

import pytest

from PETWorks import Release, catalogue, evaluate, report
from PETWorks.errors import PETWorksError

PATIENT = "data/patient_anonymized.csv"


def test_an_evaluation_is_a_sequence_of_results():
    found = evaluate(Release(PATIENT), ["t-closeness", "precision"])
    assert [result.measure for result in found] == ["t-closeness", "precision"]
    assert len(found) == 2
    assert found["T closeness"].value == 8 / 27
    with pytest.raises(KeyError, match="re-identification was not measured"):
        found["re-identification"]


def test_no_threshold_no_verdict():
    assert evaluate(Release(PATIENT)).satisfied is None
    assert evaluate(Release(PATIENT), "t-closeness").satisfied is None
    assert evaluate(Release(PATIENT), {"t-closeness": {"t": 0.3}, "precision": {}}).satisfied is True
    assert evaluate(Release(PATIENT), {"t-closeness": {"t": 0.2}, "profitability": {}}).satisfied is False


GENERALISED = {name: entry for name, entry in catalogue.items() if entry.applies_to("generalised")}
VALUED = [name for name, entry in GENERALISED.items() if "a sensitive attribute" in entry.needs]
COMPARED = [name for name, entry in GENERALISED.items() if "the original table" in entry.needs]
LEVELLED = ("ambiguity", "granularity", "precision")
MISFIT = "column 'q': 2 of 2 released values are not on any level of its hierarchy (hierarchy of 'q')"


def test_what_does_not_apply_is_listed_with_the_reason():
    found = evaluate(Release({"q": ["1", "2"]}, {"q": "quasi_identifier"}, {"q": [("x", "*")]}))
    assert found.not_applicable == {
        **dict.fromkeys(VALUED, "needs a sensitive attribute (roles=...)"),
        **dict.fromkeys(COMPARED, "needs the original table (original=...)"),
        **dict.fromkeys(LEVELLED, MISFIT),
        "k-map": "needs a population table (population=...)",
        "individual-risk": "needs sampling weights (sampling_weight=...)",
        "population-uniqueness": "needs the population or its size (population=...)",
    }
    with pytest.raises(PETWorksError, match="2 of 2 released values"):
        evaluate(Release({"q": ["1", "2"]}, {"q": "quasi_identifier"}, {"q": [("x", "*")]}), "precision")


def test_columns_that_play_no_part_are_told():
    table = {"name": ["a"], "zip": ["1"], "note": ["x"]}
    found = evaluate(Release(table, {"name": "identifier", "zip": "quasi_identifier"}), "re-identification").table
    assert found["identifiers_in_the_release"] == ["name"]
    assert found["columns_without_a_role"] == ["note"]


@pytest.mark.parametrize(
    ("release", "wanted", "message"),
    [
        (PATIENT, None, r"expected a Release\(data, roles\) or the path of a policy file, got str"),
        (Release, {"t-closeness": 0.2}, "expected a dict of the parameters of 't-closeness', got float"),
        (Release, "t-closness", "did you mean 't-closeness'"),
        (Release, {"precision": {"p": 1}}, "no parameter of precision is called 'p'"),
    ],
)
def test_mistakes(release, wanted, message):
    with pytest.raises(PETWorksError, match=message):
        evaluate(release if isinstance(release, str) else Release(PATIENT), wanted)


def test_results_show_themselves(capsys):
    found = evaluate(
        Release({"<b>": ["1", "2"], "s": ["x", "y"]}, {"<b>": "quasi_identifier", "s": "sensitive_attribute"})
    )
    page = found._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "<b>" not in found["t-closeness"]._repr_html_()
    report(found["t-closeness"], "json")
    assert '"measure": "t-closeness"' in capsys.readouterr().out
    assert repr(catalogue["precision"]).startswith("<precision (utility): One minus")
