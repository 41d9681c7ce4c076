"""The published documents: their scripts run as they are and print what they print, digit for digit."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import forked
from conftest import REFERENCE, ROOT
from PETWorks import CSV, PETAnonymization, PETValidation
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.tables.writing import whole_table
from searches import anonymize

DOCUMENTS = sorted((REFERENCE.parent.parent / "seeds").glob("*.txt"))
SCRIPTS = [path for path in DOCUMENTS if "PETValidation(" in path.read_text("utf-8")]


def blocks(text):
    """The indented blocks behind `.. code-block::`, less their indent (one line has a blank fewer than the rest)."""
    for match in re.finditer(r"^\.\. code-block:: \w+\n\s*\n((?: {3,}.*\n|\s*\n)+)", text, re.MULTILINE):
        yield re.sub(r"^ {1,4}", "", match[1], flags=re.MULTILINE)


@pytest.mark.skipif(not SCRIPTS, reason="the published documents are not beside the reference tables")
@pytest.mark.parametrize("document", SCRIPTS, ids=lambda path: path.stem)
def test_document_prints_what_it_says(document, tmp_path):
    script, printed = list(blocks(document.read_text("utf-8")))[:2]
    (tmp_path / "data").symlink_to(REFERENCE)
    (tmp_path / "script.py").write_text(script, "utf-8")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    expected = printed[printed.index("{") : printed.rindex("}") + 1]
    assert done.stdout.strip() == expected.strip()


@pytest.mark.skipif(not DOCUMENTS, reason="the published documents are not beside the reference tables")
def test_four_documents_have_a_script():
    assert len(SCRIPTS) == 4


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_print_what_they_say(example):
    """The last comment of an example shows what it prints."""
    done = forked([example], ROOT, os.environ)
    assert done.stderr == ""
    promised = re.findall(r"^# ?(.*)$", example.read_text("utf-8").rpartition("# Prints:\n")[2], re.MULTILINE)
    assert promised
    assert [line.rstrip() for line in done.stdout.splitlines()] == [line.rstrip() for line in promised]


def test_there_is_an_example_for_every_published_technique():
    from PETWorks.compat import TECHNIQUES

    used = " ".join(path.read_text("utf-8") for path in Path(ROOT / "examples").glob("*.py"))
    assert all(f'"{technique}"' in used for technique in TECHNIQUES)


@pytest.mark.skipif(not (REFERENCE / "adult_anonymized.csv").is_file(), reason="no reference tables")
@pytest.mark.parametrize(
    ("released", "others", "ambiguity"),
    [
        ("adult_anonymized.csv", {}, 0.7271401084040343),
        ("adult_anonymized.csv", {"workclass": SENSITIVE_ATTRIBUTE}, 0.72714009672634),
        ("LAnonymization.csv", {"occupation": SENSITIVE_ATTRIBUTE}, 0.9629255604068391),
    ],
)
def test_ambiguity_of_the_reference_tables_is_that_of_the_reference_tool(released, others, ambiguity):
    """A label that is both a leaf and the top is the top."""
    columns = (REFERENCE / "adult.csv").read_text("utf-8").splitlines()[0].split(";")
    found = PETValidation(
        REFERENCE / "adult.csv",
        REFERENCE / released,
        "Ambiguity",
        dataHierarchy=REFERENCE / "adult_hierarchy",
        attributeTypes=dict.fromkeys(columns, QUASI_IDENTIFIER) | others,
    )
    assert found == {"ambiguity": ambiguity}


CENSUS = ("sex", "age", "race", "marital-status", "education", "native-country", "occupation", "salary-class")
CENSUS_ROLES = dict.fromkeys(CENSUS, QUASI_IDENTIFIER) | {"workclass": SENSITIVE_ATTRIBUTE}
CENSUS_FILE = f"""DATASET:
  ATTRIBUTE_TYPE:
    QUASI_IDENTIFIER: [{", ".join(CENSUS)}]
    SENSITIVE_ATTRIBUTE: [workclass]
  HIERARCHY: adult_hierarchy
"""
SCRIPT = """
from PETWorks import PETAnonymization, PETValidation, output, report
from PETWorks.attributetypes import *

originalData = "data/adult.csv"
result = PETAnonymization(originalData, "{technique}", maxSuppressionRate=0.6, {limits})
output(result, "output.csv")
roles = dict.fromkeys({census}, QUASI_IDENTIFIER) | {{"workclass": SENSITIVE_ATTRIBUTE}}
about = {{"dataHierarchy": "data/adult_hierarchy", "attributeTypes": roles}}
report(PETValidation(originalData, "output.csv", "{technique}", **about, {validated}), "json")
"""


@pytest.fixture
def census(reference, tmp_path, monkeypatch):
    """The reference tables in the folder `data`, with the file that describes the census table."""
    (tmp_path / "data").mkdir()
    for name in ("adult.csv", "adult10.csv"):
        (tmp_path / "data" / name).symlink_to(reference / name)
    shutil.copytree(reference / "adult_hierarchy", tmp_path / "data/adult_hierarchy")  # no links to other folders
    (tmp_path / "data/adult.yaml").write_text(CENSUS_FILE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("technique", "limits", "validated", "printed", "records"),
    [
        ("k-anonymity", "k=6", "k=6", '"k": 6,\n    "fulfill k-anonymity": true', 30162),
        ("l-diversity", "l=6", "l=6", '"l": 6,\n    "fulfill l-diversity": true', 30162),
        ("t-closeness", "t=0.2", "tLimit=0.2", '"t": 0.2,\n    "fulfill t-closeness": true', 30162),
        (
            "d-presence",
            'dMin=0.0, dMax=0.7, subsetData="data/adult10.csv"',
            "dMin=0.0, dMax=0.7",
            '"dMin": 0.0,\n    "dMax": 0.7,\n    "d-presence": true',
            10,
        ),
    ],
)
def test_published_anonymization_validates(census, technique, limits, validated, printed, records):
    script = SCRIPT.format(technique=technique, limits=limits, validated=validated, census=CENSUS)
    (census / "script.py").write_text(script, "utf-8")
    done = subprocess.run([sys.executable, "script.py"], cwd=census, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == f"{{\n    {printed}\n}}\n"
    lines = (census / "output.csv").read_text("utf-8").splitlines()
    assert lines[0] == (census / "data/adult.csv").read_text("utf-8").splitlines()[0]
    assert len(lines) == records + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "limits", "levels", "loss", "suppressed"),
    [
        ("k-anonymity", {"k": 6}, (0, 3, 0, 0, 2, 1, 1, 0), 0.193920, 2153),
        ("l-diversity", {"l": 6}, (0, 3, 0, 0, 3, 1, 2, 0), 0.350639, 3635),
        ("t-closeness", {"t": 0.2}, (0, 3, 0, 0, 2, 0, 2, 0), 0.244673, 2916),
    ],
)
def test_published_anonymization_loses_least(census, rule, limits, levels, loss, suppressed):
    native = anonymize("data/adult.csv", rules={rule: limits}, suppression=0.6, suppressed_records="stars")
    assert native.optimal
    assert native.levels == dict(zip(CENSUS, levels, strict=True))
    assert native.loss == pytest.approx(loss, abs=5e-7)
    assert native.suppressed == suppressed
    frame = PETAnonymization("data/adult.csv", rule, maxSuppressionRate=0.6, **limits)
    assert frame.to_dict("list") == native.table.to_pydict()
    assert (frame[list(CENSUS)] == "*").all(axis=1).sum() == suppressed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "limits", "sensitive", "expected"),
    [
        ("k-anonymity", {"k": 5}, None, "KAnonymization.csv"),
        ("l-diversity", {"l": 5}, "occupation", "LAnonymization.csv"),
    ],
)
def test_cells_are_those_of_the_reference(reference, rule, limits, sensitive, expected):
    """Cell by cell, in the order of the records."""
    wanted = whole_table(CSV(reference / expected))
    roles = dict.fromkeys((*CENSUS, "workclass"), QUASI_IDENTIFIER)
    roles |= {sensitive: SENSITIVE_ATTRIBUTE} if sensitive else {}
    about = (reference / "adult.csv", roles, reference / "adult_hierarchy")
    native = anonymize(*about, {rule: limits}, suppression=0.04, suppressed_records="stars").table
    assert native.column_names == wanted.column_names
    assert native.num_rows == 30162
    assert native.to_pylist() == wanted.to_pylist()
    frame = PETAnonymization(about[0], rule, 0.04, attributeTypes=about[1], dataHierarchy=about[2], **limits)
    assert frame.to_dict("list") == wanted.to_pydict()
