"""`docs/conformance.md` is what `make conformance` writes; here for the tables that take a moment."""

import runpy

import pytest

from conftest import ROOT
from PETWorks import catalogue

PAGE = (ROOT / "docs/conformance.md").read_text("utf-8")
MAX_RECORDS = 1000


@pytest.fixture(scope="module")
def made():
    pytest.importorskip("pycanon")
    return runpy.run_path(str(ROOT / "docs/make_conformance.py"))


def test_the_page_has_every_measure():
    assert [name for name in catalogue if f"| {name} | " not in PAGE] == ["utility-bias"]
    assert all(name in PAGE for name in ("pyCANON", "literal twin", "reference", "One number, four names"))


def test_the_numbers_of_small_tables_are_up_to_date(reference, made):
    small = {
        title: made["section"](title, case, references)
        for title, case, references in made["reference_cases"]()
        if len(case.released) <= MAX_RECORDS
    }
    assert list(small) == ["inpatient_anonymized", "patient_anonymized", "delta_anonymized"]
    assert [title for title, text in small.items() if text not in PAGE] == [], "run: make conformance"


def test_every_table_has_its_section(reference, made):
    assert [title for title, *_ in made["reference_cases"]() if f"## {title}\n" not in PAGE] == []
    assert made["HEAD"].partition("{pycanon}")[0] in PAGE
    assert made["CROSSWALK"] in PAGE
