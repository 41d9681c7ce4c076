"""`docs/conformance.md` and `.csv` are what `make conformance` writes; here for the tables that take a moment."""

import csv
import runpy

import pytest

from conftest import ROOT
from PETWorks import catalogue

PAGE = (ROOT / "docs/conformance.md").read_text("utf-8")
with (ROOT / "docs/conformance.csv").open(encoding="utf-8") as file:
    HEADER, *ROWS = csv.reader(file)
MAX_RECORDS = 1000


@pytest.fixture(scope="module")
def made():
    pytest.importorskip("pycanon")
    return runpy.run_path(str(ROOT / "docs/make_conformance.py"))


def test_every_measure_is_compared():
    compared = {measure for _, measure, *_ in ROWS}
    assert [name for name in catalogue if name not in compared] == ["individual-risk", "utility-bias"]
    assert all(name in PAGE for name in ("pyCANON", "literal twin", "reference", "One number, four names"))


def test_the_numbers_of_small_tables_are_up_to_date(reference, made):
    cases = [case for case in made["reference_cases"]() if len(case[1].released) <= MAX_RECORDS]
    assert [title for title, *_ in cases] == [
        "inpatient_anonymized",
        "patient_anonymized",
        "delta_anonymized",
        "people_synthetic",
    ]
    fresh = [row for case in cases for row in made["compare"](*case)]
    assert fresh == ROWS[-len(fresh) :], "run: make conformance"


def test_the_page_and_its_table_are_complete(reference, made):
    assert [title for title, *_ in made["reference_cases"]()] == list(dict.fromkeys(title for title, *_ in ROWS))
    assert made["HEADER"] == HEADER
    assert made["HEAD"].partition("{pycanon}")[0] in PAGE
    assert made["CROSSWALK"] in PAGE
