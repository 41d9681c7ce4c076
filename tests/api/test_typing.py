"""The type hints hold for users: their code passes mypy --strict with the installed package."""

import doctest
import subprocess
import sys

import pytest

from conftest import ROOT
from test_docs import BLOCK

PAGES = [ROOT / "README.md", *(ROOT / "docs" / page for page in ("api.md", "anonymising.md", "guides/researcher.md"))]
WRONG = """
from PETWorks import Release, anonymize

release = Release("data/delta.csv", {"quasi_identifiers": ["zip"]})
anonymize(release, {"k-anonymity": {"k": 2}}, supression=0.1)
anonymize(release, suppression="few")
reveal_type(anonymize(release).loss)
"""


def python_of(page):
    """The Python blocks of a page as a program."""
    parser = doctest.DocTestParser()
    blocks = [text for kind, text in BLOCK.findall(page.read_text("utf-8")) if kind == "python"]
    return "".join(example.source for text in blocks for example in parser.get_examples(text))


@pytest.mark.slow
def test_examples_and_pages_pass_a_strict_type_checker(tmp_path):
    programs = {path.name: path.read_text("utf-8") for path in (ROOT / "examples").glob("*.py")}
    programs |= {f"page_{page.stem}.py": python_of(page) for page in PAGES}
    assert all(programs.values())
    for name, source in {**programs, "wrong.py": WRONG}.items():
        (tmp_path / name).write_text(source, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache" / "users"), "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()[:-1]
    assert [line for line in lines if not line.startswith("wrong.py:")] == [], done.stdout + done.stderr
    errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
    assert ["supression" in errors[0], 'expected "float | None"' in errors[1]] == [True, True], done.stdout
    assert "wrong.py:7: note: Revealed type is" in done.stdout
    assert 'float"' in lines[-1]
