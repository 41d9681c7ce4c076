"""The plug-in for pytest, in projects of its own."""

import re
import subprocess
import sys
import textwrap

import duckdb  # noqa: F401 - what is imported here is not imported anew for each project
import pandas
import polars  # noqa: F401
import pyarrow.dataset  # noqa: F401 - pytester forgets what its tests import, and this cannot be imported twice
import pytest

from conftest import ROOT
from PETWorks import require_release

pytest_plugins = ["pytester"]

POLICY = """\
petworks_policy: 1
data: export.csv
no_rule: {disease: a test}
roles:
  quasi_identifiers: [age, zip]
  sensitive_attributes: [disease]
rules:
- {measure: k-anonymity, k: 2}
"""
SAFE = 'SAFE = {"age": ["30-39"] * 4, "zip": ["481**"] * 4, "disease": ["flu", "cold", "flu", "cold"]}\n'
SECRET = (
    'SECRET = {"age": ["age-cell", "old-cell"], "zip": ["zip-cell", "far-cell"], "disease": ["ill-cell", "flu-cell"]}\n'
)
CELLS = ("age-cell", "old-cell", "zip-cell", "far-cell", "ill-cell", "flu-cell")


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """Everything that a check imports: pytest runs the projects in this process and forgets what they import."""
    folder = tmp_path_factory.mktemp("imported")
    (folder / "policy.yaml").write_text(POLICY)
    pandas.DataFrame({"age": ["1"] * 2, "zip": ["2"] * 2, "disease": ["3"] * 2}).to_csv(
        folder / "export.csv", index=False
    )
    require_release(folder / "policy.yaml")


@pytest.fixture
def project(imported, pytester, monkeypatch):
    """A project with a policy whose table is not there; the plug-in is loaded whether or not it is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (pytester.path / "policies").mkdir()
    (pytester.path / "policies/export.yaml").write_text(POLICY)
    (pytester.path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")

    def run(code, *options):
        pytester.makepyfile(f"import pytest\n{SAFE}{SECRET}{textwrap.dedent(code)}")
        return pytester.runpytest("-p", "PETWorks.pytest_plugin", "-p", "no:cacheprovider", *options)

    run.path = pytester.path
    return run


def test_a_function_that_lets_a_safe_table_pass(project):
    code = """
    from PETWorks.pytest_plugin import assert_release

    def test_export():
        result = assert_release(SAFE, "policies/export.yaml")
        assert (result["verdict"], result["table"]) == ("pass", None)
        assert result["rules"][0] == {"rule": "k-anonymity", "verdict": "pass", "found": "4", "required": "k ≥ 2"}
    """
    project(code).assert_outcomes(passed=1)


def test_what_fails_is_told_without_a_cell(project):
    """Not even by the traceback, in which pytest shows arguments and variables of the test."""
    code = """
    from PETWorks.pytest_plugin import assert_release

    @pytest.fixture
    def export():
        return SECRET

    def test_export(export):
        assert_release(export, "policies/export.yaml")
    """
    result = project(code, "--showlocals", "--tb=long")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "fail: a table in memory",
            "1 of * rules fails*",
            "[*] k-anonymity: found 1, required k ≥ 2",
            "1. 2 records (100 %) are in groups of fewer than 2*",
        ]
    )
    printed = result.stdout.str() + result.stderr.str()
    assert not [cell for cell in CELLS if cell in printed]
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    "frame",
    ["pandas.DataFrame(SECRET)", "polars.DataFrame(SECRET)", "pyarrow.table(SECRET)", "relation()", "written()"],
)
def test_frames_of_every_kind(project, frame):
    code = f"""
    import csv, duckdb, pandas, polars, pyarrow

    def relation():
        return duckdb.from_arrow(pyarrow.table(SECRET))

    def written():
        pandas.DataFrame(SECRET).to_csv("other.csv", index=False)
        return "other.csv"

    def test_export(assert_release):
        frame = {frame}
        with pytest.raises(pytest.fail.Exception, match="k-anonymity: found 1, required k ≥ 2"):
            assert_release(frame, "policies/export.yaml")
        with pytest.raises(pytest.fail.Exception, match="測得 1，要求 k ≥ 2"):
            assert_release(frame, "policies/export.yaml", lang="zh-TW")
    """
    project(code).assert_outcomes(passed=1)


def test_the_marker_gives_the_fixture_its_policy(project):
    code = """
    @pytest.mark.petworks("policies/export.yaml")
    class TestExport:
        def test_safe(self, assert_release):
            assert assert_release(SAFE)["verdict"] == "pass"

        def test_raw(self, assert_release):
            assert_release(SECRET)

        @pytest.mark.xfail(strict=True)
        def test_known_to_fail(self, assert_release):
            assert_release(SECRET)
    """
    result = project(code)
    result.assert_outcomes(passed=1, failed=1, xfailed=1)


def test_a_marked_test_checks_the_policys_own_table_unless_it_checked_another(project):
    code = """
    import csv, pathlib

    def write(table):
        with open("policies/export.csv", "w", newline="") as file:
            csv.writer(file).writerows([table, *zip(*table.values())])

    @pytest.mark.petworks("policies/export.yaml")
    def test_missing(): ...

    @pytest.mark.petworks("policies/export.yaml")
    def test_written_by_the_test():
        write(SAFE)

    @pytest.mark.petworks("policies/export.yaml")
    def test_raw():
        write(SECRET)

    @pytest.mark.petworks("policies/export.yaml")
    def test_another_one(assert_release):
        assert_release(SAFE)

    @pytest.mark.petworks("policies/export.yaml")
    def test_skipped():
        pytest.skip("not today")

    @pytest.mark.petworks("policies/export.yaml", data=SAFE)
    def test_in_the_marker(): ...
    """
    result = project(code, "-v")
    result.assert_outcomes(passed=3, failed=2, skipped=1)
    result.stdout.fnmatch_lines(
        ["*test_missing FAILED*", "*test_raw FAILED*", "*no such file*", "*k-anonymity: found 1*"]
    )


STRICT = """
    @pytest.mark.petworks("policies/export.yaml")
    @pytest.mark.petworks("policies/strict.yaml")
    def test_stacked({fixture}):
        {call}

    @pytest.mark.petworks("policies/strict.yaml")
    @pytest.mark.petworks("policies/export.yaml")
    def test_stacked_otherwise({fixture}):
        {call}

    @pytest.mark.petworks("policies/strict.yaml")
    class TestExport:
        @pytest.mark.petworks("policies/export.yaml")
        def test_method({fixture_of_method}):
            {call}
    """


@pytest.mark.parametrize("call", ["pass", "assert_release(SAFE)", "assert_release(SAFE, 'policies/export.yaml')"])
def test_the_policies_of_all_markers_are_judged(project, call):
    """A stricter one is not lost behind a nearer one, nor because the test checked by another."""
    (project.path / "policies/strict.yaml").write_text(POLICY.replace("k: 2", "k: 5"))
    pandas.DataFrame({"age": ["1"] * 4, "zip": ["2"] * 4, "disease": ["3"] * 4}).to_csv(
        project.path / "policies/export.csv", index=False
    )
    code = STRICT.format(fixture="assert_release", fixture_of_method="self, assert_release", call=call)
    result = project(code)
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*k-anonymity: found 4, required k ≥ 5*"] * 3)
    module = (
        'pytestmark = pytest.mark.petworks("policies/strict.yaml")\n@pytest.mark.petworks("policies/export.yaml")\n'
    )
    project(f"{module}def test_export(assert_release):\n    {call}\n").assert_outcomes(failed=1)
    (project.path / "policies/strict.yaml").write_text(POLICY.replace("k: 2", "k: 4"))
    project(code).assert_outcomes(passed=3)


def test_the_policy_is_found_from_wherever_pytest_is_started(project, monkeypatch):
    folder = project.path / "tests"
    folder.mkdir()
    (folder / "test_export.py").write_text(
        f"import pytest\n{SAFE}\n@pytest.mark.petworks('policies/export.yaml')\n"
        "def test_export(assert_release):\n    assert_release(SAFE)\n"
    )
    monkeypatch.chdir(folder)
    project("", "--rootdir", str(project.path), str(folder / "test_export.py")).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "call", "message"),
    [
        ("", "assert_release(SAFE)", "assert_release needs a policy: *"),
        ("@pytest.mark.petworks", "pass", "the marker petworks takes one policy: *"),
        ("@pytest.mark.petworks(None)", "pass", "the marker petworks takes one policy: *"),
        ("@pytest.mark.petworks('')", "pass", "cannot read *"),
        (
            "@pytest.mark.petworks('a.yaml', 'b.yaml')",
            "assert_release(SAFE)",
            "the marker petworks takes one policy: *",
        ),
        ("", "assert_release(SAFE, 'no.yaml')", "*no.yaml*"),
        ("", "assert_release(SAFE, 'no.yaml', lang='zh-TW')", "沒有此檔案*no.yaml*"),
        ("", "assert_release(SAFE, 'policies/export.yaml', lang='xx')", "*'xx'*"),
        ("", "assert_release({'age': ['1']}, 'policies/export.yaml')", "*'zip'*"),
        (
            "",
            "assert_release(3, 'policies/export.yaml')",
            "*expected a path or an Arrow-compatible data frame*, got int",
        ),
    ],
)
def test_mistakes_are_told_in_a_line(project, mark, call, message):
    result = project(f"{mark}\ndef test_export(assert_release):\n    {call}\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([message])
    assert "Traceback" not in result.stdout.str()


def test_the_marker_is_listed(project):
    project("", "--markers").stdout.fnmatch_lines(["@pytest.mark.petworks(policy, [*][*]options): *"])


def test_a_project_without_releases_loads_nothing_heavy(project):
    code = """
    import sys

    def test_nothing():
        assert not {"numpy", "pyarrow", "yaml", "PETWorks.errors"} & set(sys.modules)
    """
    project.path.joinpath("test_light.py").write_text(textwrap.dedent(code))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "PETWorks.pytest_plugin", "test_light.py"]
    done = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_the_page_shows_runs(project):
    page = (ROOT / "docs/pipelines.md").read_text("utf-8")
    section = page.partition("\n## pytest\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    (project.path / "policies/stays.yaml").write_text(POLICY.replace("export.csv", "stays.csv"))
    code = """
    import csv

    def build_export():
        return SAFE

    def write_export(file):
        with open(file, "w", newline="") as opened:
            csv.writer(opened).writerows([SAFE, *zip(*SAFE.values())])
    """
    project(textwrap.dedent(code) + "\n".join(blocks)).assert_outcomes(passed=3)
