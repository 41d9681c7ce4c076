"""Rules of the project, kept by a machine."""

import ast
import subprocess
import sys

import pytest

from conftest import ROOT
from PETWorks import catalogue

PACKAGE = ROOT / "src/PETWorks"

# Each layer imports only from the layers before it (and from its own).
LAYERS = [
    {"errors", "attributetypes", "values", "vocabulary"},
    {"encoding", "counts", "result", "yamlfile"},
    {"csvfile", "hierarchy", "sidecar", "schema", "presets", "sparkframe", "database", "manyfiles", "sqlitefile"},
    {"files", "checkpoint"},
    {"engines"},
    {"population", "recoding", "roles", "suggestion"},
    {"release"},
    {"metric", "shares", "linking"},
    {"metrics", "attacks"},
    {"evaluation", "render.json", "render.terminal", "render.tables"},
    {"compat", "render.text", "policy"},
    {"findings", "edition", "comparison", "starter"},
    {"advice"},
    {"render.language", "render.chinese"},
    {"render.sections", "render.bilingual"},
    {"render.prose"},
    {"render.html", "render.charts", "render.check_text", "render.markdown", "render.junit"},
    {"gate"},
    {"cli", "cli_arguments", "cli_policy", "__main__"},
]
HEAVY = {"pandas", "polars", "duckdb", "pyspark", "scipy", "matplotlib", "rich", "yaml", "click", "numba"}


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name.removesuffix(".__init__").removesuffix("__init__"), ast.parse(path.read_text("utf-8"))


def layer(module):
    for number, names in enumerate(LAYERS):
        if module in names or module.partition(".")[0] in names:
            return number
    raise AssertionError(f"{module} is in no layer: add it to LAYERS")


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            within = node.module in ("PETWorks", "PETWorks.render")
            yield from (f"{node.module}.{alias.name}" for alias in node.names) if within else [node.module]


def test_imports_point_one_way():
    for module, tree in modules():
        for name in imported(tree) if module not in ("", "render") else []:
            if name.startswith("PETWorks."):
                used = name.removeprefix("PETWorks.")
                if used != "__version__":
                    assert layer(used) <= layer(module), f"{module} imports {used}"


def test_engines_own_arrow_and_nothing_heavy_is_imported_at_the_top():
    for module, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name in imported(node):
                    root = name.partition(".")[0]
                    allowed = (
                        "cli",
                        "cli_arguments",
                        "cli_policy",
                        "render.text",
                        "render.check_text",
                        "engines.kernels",
                    )
                    assert root not in HEAVY or module in allowed, f"{module} imports {root} at the top"
                    sources = ("files", "csvfile", "sparkframe", "database", "manyfiles", "sqlitefile")
                    assert root != "pyarrow" or module in (*sources, "engines.codes"), f"{module}: pyarrow"


def test_import_is_light():
    heavy = HEAVY | {"pyarrow.compute", "pyarrow.csv", "pyarrow.parquet", "concurrent.futures"}
    code = f"import sys, PETWorks; print(sorted(set(sys.modules) & {heavy}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["report", "evaluate"])
def test_published_functions_are_not_shadowed_by_a_module(name):
    assert not list(PACKAGE.rglob(f"{name}.py"))
    assert not (PACKAGE / name).exists()


def test_no_error_is_swallowed():
    for module, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler):
                caught = [n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)] if node.type else ["everything"]
                assert not {"Exception", "BaseException", "everything"} & set(caught), module


def test_modules_open_with_a_sentence_and_can_be_read_in_one_sitting():
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        assert text.startswith('"""'), path
        assert text.count("\n") <= 350, path


@pytest.mark.parametrize("name", sorted(catalogue))
def test_every_measure_is_documented(name):
    entry = catalogue[name]
    page = (ROOT / f"docs/measures/{name}.md").read_text("utf-8")
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    wanted = ["Definition", "Reading the number", "Worked example", "Use", "Pitfalls", "Sources"]
    assert headings == [f"## {heading}" for heading in wanted]
    assert ">>> " in entry.function.__doc__
    assert entry.summary.endswith(".")
    assert f"[{name}](docs/measures/{name}.md)" in (ROOT / "README.md").read_text("utf-8")


def test_the_table_of_measures_is_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "docs/make_measures.py", "-"], capture_output=True, text=True, check=True
    )
    assert done.stdout == (ROOT / "docs/measures.md").read_text("utf-8"), "run: make docs"


def test_the_conformance_page_has_every_measure():
    page = (ROOT / "docs/conformance.md").read_text("utf-8")
    assert [name for name in catalogue if f"| {name} | " not in page] == ["utility-bias"]
    assert all(name in page for name in ("pyCANON", "literal twin", "reference", "One number, four names"))
