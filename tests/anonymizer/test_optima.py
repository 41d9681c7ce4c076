"""The optimal solutions that an independent tool found."""

import json
import math
import os
from pathlib import Path

import pytest

from conftest import ROOT
from PETWorks import evaluate
from searches import anonymize

FOLDER = Path(os.environ.get("PETWORKS_REFERENCE_DATA", ROOT.parent / "shared/data/petworks"))
OPTIMA = FOLDER.parent / "optima.json"
CASES = json.loads(OPTIMA.read_text("utf-8"))["cases"] if OPTIMA.is_file() else []

pytestmark = pytest.mark.skipif(not CASES, reason="the reference optima are not there (PETWORKS_REFERENCE_DATA)")


def rules_of(case):
    """The rules in our words: the limit of the average risk has another name there."""
    return {
        name: {"average": limits["at_most"]} if name == "average-risk" else limits
        for name, limits in case["rules"].items()
    }


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_optimum_is_that_of_the_reference(case):
    roles = dict.fromkeys(case["quasi_identifiers"], "quasi_identifier")
    if "sensitive" in case:
        roles[case["sensitive"]] = "sensitive_attribute"
    found = anonymize(
        str(FOLDER / case["data"]),
        roles,
        str(FOLDER / "adult_hierarchy"),
        rules_of(case),
        suppression=case["suppression"],
        suppressed_records="stars",
        suppressed="apart",
        objective=case["objective"],
        aggregate=case.get("aggregate"),
        original=str(FOLDER / case["background"]) if "background" in case else None,
    )
    assert math.isclose(found.loss, case["loss"], rel_tol=1e-9)
    assert found.optimal
    assert found.checked <= found.nodes
    if "suppressed" in case:
        assert found.suppressed == case["suppressed"]
    levels = [found.levels[name] for name in case["quasi_identifiers"]]
    tied = case["id"] == "anonymize/dpresence(0,0.2)-adult10"
    assert levels == case["levels"] or tied
    if tied:  # the same loss, nothing suppressed, the same sum of levels: ours comes first in the order of the columns
        assert sum(levels) == sum(case["levels"])
        assert levels < case["levels"]


def test_the_least_ambiguity_of_the_reference():
    """The label 50 of the ages is a leaf on level 0 and the top on level 4."""
    case = next(case for case in CASES if len(case["quasi_identifiers"]) == 9)
    found = anonymize(
        str(FOLDER / "adult.csv"),
        dict.fromkeys(case["quasi_identifiers"], "quasi_identifier"),
        str(FOLDER / "adult_hierarchy"),
        {"k-anonymity": {"k": 5}},
        suppression=0.04,
        objective="ambiguity",
    )
    assert (found.loss, found.suppressed, found.optimal) == (139124375040, 60, True)
    columns = (FOLDER / "adult.csv").read_text("utf-8").splitlines()[0].split(";")
    assert [found.levels[name] for name in columns] == [0, 0, 1, 2, 3, 2, 2, 2, 0]


@pytest.mark.parametrize(("k", "most"), [(5, 0.052), (10, 0.075), (25, 0.111), (50, 0.144)])
def test_local_recoding_loses_no_more_than_the_best_that_is_known(k, most):
    case = next(case for case in CASES if len(case["quasi_identifiers"]) == 9)
    result = anonymize(
        str(FOLDER / "adult.csv"),
        dict.fromkeys(case["quasi_identifiers"], "quasi_identifier"),
        str(FOLDER / "adult_hierarchy"),
        {"k-anonymity": {"k": k}},
        suppression=1,
        method="local",
    )
    assert result.loss <= most
    assert evaluate(result.release, {"k-anonymity": {"k": k}}).satisfied
