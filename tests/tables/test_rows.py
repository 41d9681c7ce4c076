"""Rows of results as frames of Arrow, pandas and Polars: the same names, types and values."""

import sys

import pytest

from PETWorks import Release, Releases, check, evaluate, every_subset
from PETWorks.errors import InputError
from searches import anonymize, apply_levels, frontier

ROLES = {"zip": "quasi_identifier", "nationality": "quasi_identifier"}
DELTA = ("data/delta.csv", ROLES, "data/delta_hierarchy")
RULES = {"k-anonymity": {"k": 2}}
NUMBER, TEXT, SHARE, FLAG = "int64", "string", "double", "bool"

RESULTS = {
    "evaluation": lambda: evaluate(Release("data/patient_anonymized.csv")),
    "subsets": lambda: every_subset(Release("data/patient_anonymized.csv")),
    "anonymization": lambda: anonymize(*DELTA, RULES),
    "local": lambda: anonymize(*DELTA, RULES, method="local"),
    "levels": lambda: apply_levels(*DELTA, {"zip": 1}),
    "frontier": lambda: frontier(*DELTA, RULES, vary={"k-anonymity": {"k": [2, 3]}}),
    "composition": lambda: Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil").compose(),
    "check": lambda: check("data/adult_policy.yaml"),
    "chart": lambda: every_subset(Release("data/patient_anonymized.csv")).plot(),
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_same_rows_in_every_library(name):
    result = RESULTS[name]()
    table = result.to_arrow()
    pandas, polars = result.to_pandas(), result.to_polars()
    assert list(pandas.columns) == polars.columns == table.column_names
    assert len(pandas) == polars.height == table.num_rows > 0
    rows = [
        {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        for row in table.to_pylist()
    ]
    assert [
        {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        for row in polars.to_dicts()
    ] == rows
    for column in table.column_names:
        found = [None if value is None or value != value else value for value in map(_plain, pandas[column])]
        assert found == [row[column] for row in rows], column


def _plain(value):
    """A value of pandas: its lists are arrays."""
    return tuple(value) if hasattr(value, "tolist") and getattr(value, "ndim", 0) else value


@pytest.mark.parametrize(
    ("name", "types"),
    [
        (
            "evaluation",
            {
                "measure": TEXT,
                "family": TEXT,
                "value": SHARE,
                "found": TEXT,
                "satisfied": FLAG,
                "better": TEXT,
                "parameters": TEXT,
            },
        ),
        (
            "frontier",
            {
                "threshold": NUMBER,
                "suppression": SHARE,
                "loss": SHARE,
                "suppressed": NUMBER,
                "level of zip": NUMBER,
                "level of nationality": NUMBER,
            },
        ),
        (
            "composition",
            {
                "number": NUMBER,
                "release": TEXT,
                "attack": TEXT,
                "prior": SHARE,
                "chance": SHARE,
                "certain": SHARE,
                "disclosed": SHARE,
            },
        ),
        (
            "check",
            {"rule": TEXT, "measure": TEXT, "value": SHARE, "found": TEXT, "required": TEXT, "verdict": TEXT},
        ),
    ],
)
def test_names_and_types_never_change(name, types):
    schema = RESULTS[name]().to_arrow().schema
    assert {field.name: str(field.type) for field in schema} == types


def test_rows_say_what_results_say():
    evaluation = evaluate(Release("data/patient_anonymized.csv"), {"t-closeness": {"t": 0.2}, "k-anonymity": {}})
    closeness, anonymity = evaluation.to_arrow().to_pylist()
    assert closeness["value"] == evaluation["t-closeness"].value
    assert (closeness["satisfied"], anonymity["satisfied"]) == (False, None)
    assert (anonymity["value"], anonymity["better"], anonymity["parameters"]) == (3.0, "higher", "")

    composition = RESULTS["composition"]()
    told = composition.to_dict()
    for row in composition.to_arrow().to_pylist():
        step = told["curve"][row["number"] - 1]
        _, _, column = row["attack"].partition(" of ")
        attack = step["linked"]["attribute_inference"][column] if column else step["linked"]["re_identification"]
        assert (row["prior"], row["chance"]) == (attack["prior"], attack["posterior"])
        crossed = step["unlinked"].get(column)
        assert row["disclosed"] == (None if crossed is None else crossed["share_disclosed"]), told["curve"]

    result = RESULTS["check"]()
    assert [(row["rule"], row["verdict"]) for row in result.to_arrow().to_pylist()] == [
        (rule.name, rule.verdict) for rule in result.content.rules
    ]
    assert RESULTS["levels"]().to_arrow()["zip"].to_pylist()[0] == "47*"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_release_piece_by_piece(engine, monkeypatch, tmp_path):
    monkeypatch.setattr("PETWorks.anonymizer.released.PIECE_ROWS", 4)
    result = anonymize(*DELTA, RULES, engine=engine)
    pieces = list(result.pieces())
    assert len(pieces) == (3 if engine == "memory" else 1)
    assert [row for piece in pieces for row in piece.to_pylist()] == result.to_arrow().to_pylist()


def test_a_frontier_without_a_threshold():
    found = frontier(*DELTA, RULES, vary={"suppression": [0, 0.5]})
    assert found.to_arrow()["threshold"].null_count == len(found.points)
    assert str(found.to_arrow()["threshold"].type) == "double"


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_package_that_is_not_installed(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"to_{package}\(\) needs the package {package}: pip install {package}"):
        getattr(RESULTS["frontier"](), f"to_{package}")()
