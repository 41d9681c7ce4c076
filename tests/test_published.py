"""The published documents: their scripts run as they are and print what they print, digit for digit."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import REFERENCE, ROOT
from PETWorks import PETValidation

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
    done = subprocess.run([sys.executable, example], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    promised = re.findall(r"^# ?(.*)$", example.read_text("utf-8").rpartition("# Prints:\n")[2], re.MULTILINE)
    assert promised
    assert [line.rstrip() for line in done.stdout.splitlines()] == [line.rstrip() for line in promised]


def test_there_is_an_example_for_every_published_technique():
    from PETWorks.compat import TECHNIQUES

    used = " ".join(path.read_text("utf-8") for path in Path(ROOT / "examples").glob("*.py"))
    assert all(f'"{technique}"' in used for technique in TECHNIQUES)


@pytest.mark.skipif(not (REFERENCE / "adult_anonymized.csv").is_file(), reason="no reference tables")
def test_ambiguity_of_the_reference_table_as_published():
    """Natively a label that is both a leaf and the top is the top; see `docs/compatibility.md`."""
    tables = REFERENCE / "adult.csv", REFERENCE / "adult_anonymized.csv"
    found = PETValidation(*tables, "Ambiguity", dataHierarchy=REFERENCE / "adult_hierarchy")
    assert found == {"ambiguity": 0.7271401100722763}
