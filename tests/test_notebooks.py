"""The notebooks in `examples` run, and show what they say."""

import json

import pytest

from conftest import ROOT
from processes import PATIENCE

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
HTML, PLAIN = "text/html", "text/plain"


def read(path):
    return json.loads(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def outputs():
    """What each cell of each notebook shows; one kernel runs all of them, as a new one would take seconds each."""
    import nbformat
    from nbclient import NotebookClient

    parts = [("%reset -f", None)]
    for path in NOTEBOOKS:
        parts += [("".join(cell["source"]), path.stem) for cell in read(path)["cells"] if cell["cell_type"] == "code"]
        parts.append(("%reset -f", None))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source, _ in parts])
    NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(ROOT / "examples")}}).execute()
    shown = {path.stem: [] for path in NOTEBOOKS}
    for (_, name), cell in zip(parts, notebook.cells, strict=True):
        if name is not None:
            shown[name].append(cell.outputs)
    return shown


@pytest.mark.slow
def test_every_notebook_runs_without_a_warning_and_shows_its_results(outputs):
    assert len(outputs) == 4
    for name, cells in outputs.items():
        for place, shown in enumerate(cells):
            assert [one["output_type"] for one in shown] == ["execute_result"], f"{name}, cell {place}: {shown}"
        pictures = [shown[0]["data"] for shown in cells if "image/svg+xml" in shown[0]["data"]]
        assert len(pictures) >= 2, name
        assert all("<svg" in one["image/svg+xml"] for one in pictures)


@pytest.mark.slow
def test_the_results_are_what_the_texts_say(outputs):
    def texts(name, kind=PLAIN):
        return "\n".join(shown[0]["data"].get(kind, "") for shown in outputs[name])

    assert "<l-diversity = 2 (l=3): not satisfied>" in texts("first_steps")
    assert "pass (11 rules: 11 pass)" in texts("first_steps")
    assert "<k-anonymity = 1 (k=5): not satisfied>" in texts("anonymise")
    assert "<k-anonymity = 5 (k=5): satisfied>" in texts("anonymise")
    assert "(0.42, 0." in texts("anonymise")
    assert "255 subsets" in texts("every_adversary", HTML)
    assert "a limit does not hold" in texts("several_releases")
    assert texts("several_releases", HTML).count("<svg") == 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path):
    for cell in read(path)["cells"]:
        assert not cell.get("outputs"), "clear all outputs before you commit a notebook"
        assert cell.get("execution_count") is None
    assert path.name in (ROOT / "docs/notebooks.md").read_text("utf-8")
