"""Rules of the project, kept by a machine."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from conftest import ROOT
from PETWorks import catalogue
from source import PACKAGE, nodes, parsed_modules

# The table in CONTRIBUTING.md lists the folders; each may import only those above it.
FOLDERS = tuple(re.findall(r"^\| `(\w+)/` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE))
EVERYWHERE = {"errors", "attributetypes", "displayable", "json_types"}  # like the first folder, for all to import
DOORS = {"", "__main__", "compat", "pytest_plugin"}  # what users import; nothing else does
HEAVY = {"pandas", "polars", "duckdb", "pyspark", "scipy", "matplotlib", "rich", "yaml", "click", "numba"}


@cache
def modules():
    found = []
    for path, tree in parsed_modules().items():
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        found.append((name.removesuffix(".__init__").removesuffix("__init__"), tree))
    return found


def allowed_imports(folder):
    return set(FOLDERS[: FOLDERS.index(folder)]) if folder in FOLDERS else set()


def imported(tree):
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_folders_follow_the_data():
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(FOLDERS)
    assert {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"} == EVERYWHERE | DOORS - {""}


def test_folders_of_tests_are_those_of_the_package():
    folders = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("*/__init__.py")}
    tested = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("*/test_*.py")}
    assert {Path(name) for name in FOLDERS} <= tested <= folders


def test_imports_point_one_way():
    for module, tree in modules():
        folder = module.partition(".")[0]
        for name in imported(tree) if module not in DOORS else []:
            if name.startswith("PETWorks.") and name != "PETWorks.__version__":
                used = name.split(".")[1]
                known = EVERYWHERE | {folder, FOLDERS[0]} | allowed_imports(folder)
                assert used in known, f"{module} imports {name}"


def test_no_text_names_a_module_of_a_later_folder():
    """Imports by a text point the same way as others."""
    for module, tree in modules():
        folder = module.partition(".")[0]
        texts = (node.value for node in nodes(tree) if isinstance(node, ast.Constant))
        named = [re.fullmatch(r"PETWorks\.(\w+)[\w.]*", text) for text in texts if isinstance(text, str)]
        later = {one[1] for one in named if one} & set(FOLDERS) - {folder}
        assert module in DOORS or later <= allowed_imports(folder), module


def test_no_module_imports_itself_by_way_of_others():
    paths = dict(modules())
    uses = {
        module: {used for name in imported(tree) for used in _within(name, paths) if used != module}
        for module, tree in paths.items()
        if module
    }
    done = set()

    def visit(module, way):
        assert module not in way, " -> ".join([*way[way.index(module) :], module])
        if module not in done:
            for used in sorted(uses.get(module, ())):
                visit(used, [*way, module])
            done.add(module)

    for module in uses:
        visit(module, [])


def _within(name, paths):
    """The module of this package that an import is of, if it is one."""
    parts = name.removeprefix("PETWorks.").split(".") if name.startswith("PETWorks.") else []
    return [found for size in (len(parts), len(parts) - 1) if (found := ".".join(parts[:size])) in paths and found][:1]


def test_arrow_stays_where_tables_are_read_and_nothing_heavy_is_imported_at_the_top():
    for module, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name in imported(node):
                    root = name.partition(".")[0]
                    allowed = module.startswith(("cli.", "render.text."))
                    heavy = root in HEAVY and not allowed
                    assert not heavy, f"{module} imports {root} at the top"
                    arrow = module.startswith("tables.") or module == "counting.codes"
                    assert root != "pyarrow" or arrow, f"{module} imports pyarrow"


@pytest.mark.parametrize("first", ["import PETWorks", "import PETWorks.pytest_plugin"])
def test_import_is_light(first):
    """pytest loads the plug-in in every project of an environment, whether or not it has anything to do with tables."""
    heavy = HEAVY | {"numpy", "pyarrow", "concurrent.futures"} - (
        {"concurrent.futures"} if "pytest" in first else set()
    )
    code = f"import sys; {first}; print(sorted(set(sys.modules) & {heavy}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def imported_by(*arguments, folder=ROOT):
    """The modules that a run of the command imports."""
    code = (
        "import sys\nfrom PETWorks.cli.main import main\ntry: main()\n"
        "finally: print('imported', *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=folder)
    assert "Traceback" not in done.stderr
    return set(done.stderr.rpartition("imported ")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "--help --lang zh-TW",
        "--version",
        *(f"{command} --help" for command in ("check", "evaluate", "anonymize", "register")),
        "no-such-command",
        "check --no-such-option",
        "anonymize --engine none table.csv",
    ],
)
def test_help_and_wrong_usage_are_light(arguments):
    modules = imported_by(*arguments.split())
    assert "PETWorks.cli.main" in modules
    assert not modules & (HEAVY | {"numpy", "pyarrow", "jsonschema", "jinja2", "subprocess"}) - {"click"}
    assert not [name for name in modules if name.startswith(("PETWorks.measures", "PETWorks.gate.", "PETWorks.studio"))]


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        ("evaluate table.csv --qi age,zip", {"rich"}),
        ("evaluate table.csv --qi age,zip --format json", set()),
        ("init table.csv", {"rich", "yaml"}),
        (
            "anonymize table.csv --qi age --insensitive zip --hierarchies . --measure k-anonymity:k=2 -o out.csv",
            {"rich", "yaml", "jsonschema"},
        ),
    ],
)
def test_commands_import_only_what_they_need(arguments, needed, tmp_path):
    (tmp_path / "table.csv").write_text("age,zip\n" + "".join(f"{20 + row % 5},{row % 3}\n" for row in range(60)))
    (tmp_path / "hierarchy_age.csv").write_text("".join(f"{age};20-24\n" for age in range(20, 25)))
    modules = imported_by(*arguments.split(), folder=tmp_path)
    assert "pyarrow" in modules
    unwanted = (HEAVY | {"jsonschema", "jinja2"}) - needed - {"click"}
    assert not modules & unwanted
    assert "-o" not in arguments or (tmp_path / "out_plan.json").exists()


def test_names_are_there_without_being_imported_first():
    code = "import PETWorks\nfor name in PETWorks.__all__: getattr(PETWorks, name), dir(PETWorks).index(name)"
    code += (
        "\nfrom PETWorks import *; assert len(catalogue) == len(PETWorks.measures.catalogue.catalogue) > 20, catalogue"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module", ["measures.catalogue", "gate.policy.policy_rules", "render.language.language"])
def test_whoever_imports_a_part_finds_the_whole_catalogue(module):
    code = f"import PETWorks.{module}; print(len(PETWorks.measures.catalogue.catalogue))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(catalogue)


@pytest.mark.parametrize(
    "name", ["report", "evaluate", "check", "anonymize", "every_subset", "minimal_uniques", "read_policy"]
)
def test_published_functions_are_not_shadowed_by_a_module(name):
    assert not list(PACKAGE.glob(f"{name}.py"))
    assert not (PACKAGE / name).exists()


def test_a_module_of_a_folder_does_not_shadow_output():
    """`tables/output.py` is no attribute of the package itself."""
    import PETWorks.tables.output

    assert PETWorks.output is PETWorks.compat.output


CATCHES_ALL = {
    "studio.server.app": "the outermost door of the page",
    "tables.interrupts": "the waiting thread raises the error again",
}


def test_no_error_is_swallowed():
    for module, tree in modules():
        for node in nodes(tree):
            if isinstance(node, ast.ExceptHandler) and module not in CATCHES_ALL:
                caught = [n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)] if node.type else ["everything"]
                assert not {"Exception", "BaseException", "everything"} & set(caught), module


def test_modules_open_with_a_sentence():
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        assert text.startswith('"""'), path


@pytest.mark.parametrize("name", sorted(catalogue))
def test_every_measure_is_documented(name):
    entry = catalogue[name]
    page = (ROOT / f"docs/measures/{entry.page}.md").read_text("utf-8")
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == ["## Definition", "## Reading the number", "## Worked example", "## Pitfalls"]
    assert f"\n```{{facts}} measure {name}\n```\n" in page
    assert ">>> " in entry.function.__doc__
    assert entry.summary.endswith(".")


def test_one_function_tells_the_day():
    """By UTC: waivers expire on the same day at every door, wherever the machine is; reports show local times."""
    asking = {"gate/policy/policy_rules.py", "gate/case.py"}
    told = re.compile(r"\bdatetime\.now\(|\bdate\.today\(")
    found = {
        path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if told.search(path.read_text("utf-8"))
    }
    assert found == asking


def test_one_module_decides_how_numbers_are_written():
    for module, tree in modules():
        if module.startswith("render."):
            specs = [node.format_spec for node in nodes(tree) if isinstance(node, ast.FormattedValue)]
            written = [ast.unparse(spec) for spec in specs if spec is not None]
            assert not any("," in spec for spec in written), f"{module}: use `measures/numbers.py`"
