"""The generic tests for dbt find what PETWorks finds: their SQL on DuckDB, and dbt itself where it is installed."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import duckdb
import jinja2
import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT, examples
from PETWorks import Release, __version__, evaluate
from PETWorks.about.treatment import NOT_KNOWN, fold_value

PACKAGE = ROOT / "integrations/dbt"
BLANKS = [character for character in map(chr, range(sys.maxunicode + 1)) if character.isspace()]
CELLS = st.sampled_from(
    [
        "a",
        "b",
        " a ",
        "*",
        "",
        " ",
        None,
        'x"y',
        "30",
        "a\t",
        "\u3000*",
        "\xa0a\n",
        "\x1f\u2028",
        "A ",
        "B",
        "N/A",
        "??",
    ]
)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=25)
COLUMNS = ("age", 'zip "code"', "disease")
ROLES = dict(zip(COLUMNS, ("quasi_identifier", "quasi_identifier", "sensitive_attribute"), strict=True))


class CompilationError(Exception):
    """What dbt raises when a project does not compile."""


def refuse(message):
    raise CompilationError(message)


@pytest.fixture(scope="module")
def sql():
    """The SQL of a generic test. Of what dbt adds to Jinja, it needs only the tag `test` and a few functions."""
    files = sorted((PACKAGE / "macros").glob("*.sql"))
    text = "".join(file.read_text("utf-8") for file in files)
    text = re.sub(r"{% test (\w+)", r"{% macro test_\1", text).replace("{% endtest %}", "{% endmacro %}")
    # dbt escapes a quote in a name for no adapter; DuckDB wants it doubled
    known = {
        "adapter": {"quote": lambda name: '"{}"'.format(name.replace('"', '""'))},
        "dbt": {"type_string": lambda: "varchar"},
        "exceptions": {"raise_compiler_error": refuse},
        "config": lambda fail_calc: f"-- {fail_calc}",
        "petworks": SimpleNamespace(),  # the macros of the package, by its name
    }
    module = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text, globals=known).module
    for name in re.findall(r"{% macro (\w+)", text):
        if not name.startswith("test_"):
            setattr(known["petworks"], name, getattr(module, name))
    known["adapter"]["dispatch"] = lambda name, _package: getattr(module, f"default__{name}")
    return lambda name, *arguments, **named: getattr(module, f"test_{name}")("released", *arguments, **named)


@cache
def database():
    return duckdb.connect()


def failures(query, rows):
    """The rows that a test returns; dbt fails if the number that it makes of them is not 0."""
    columns = dict(zip(COLUMNS, zip(*rows, strict=True) if rows else [[]] * len(COLUMNS), strict=True))
    released = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    connection = database()
    connection.register("released", released)
    found = connection.sql(query).fetchall()
    ((number,),) = connection.sql(f"select {query.split('-- ')[1].splitlines()[0]} from ({query})").fetchall()
    assert bool(number) is bool(found)
    assert number == sum(records or 1 for _, _, records in found)
    return found, released


def is_left(rows):
    """Whether a record is not suppressed."""
    return any({(cell or "").strip() for cell in row[:2]} != {"*"} for row in rows)


@examples(60)
@given(ROWS, st.integers(1, 6), st.sampled_from(["apart", "class"]))
def test_k_anonymity_is_that_of_petworks(sql, rows, k, suppressed):
    found, released = failures(sql("k_anonymity", list(COLUMNS[:2]), k, suppressed=suppressed), rows)
    result = evaluate(Release(released, ROLES, suppressed=suppressed), {"k-anonymity": {"k": k}}).results[0]
    assert (not found) is (bool(result.satisfied) and is_left(rows))
    if found := [row for row in found if row != (0, 0, 0)]:
        assert min(size for size, _, _ in found) == result.value
        assert sum(records for _, _, records in found) == result.details["records_below_k"]


@examples(60)
@given(ROWS, st.integers(1, 5), st.sampled_from(["apart", "class"]))
def test_l_diversity_is_that_of_petworks(sql, rows, l, suppressed):  # noqa: E741 - its name
    found, released = failures(sql("l_diversity", list(COLUMNS[:2]), COLUMNS[2], l, suppressed=suppressed), rows)
    counted = Release(released, ROLES, suppressed=suppressed, sensitive_values="folded")
    result = evaluate(counted, {"l-diversity": {"l": l}}).results[0]
    assert (not found) is (bool(result.satisfied) and is_left(rows))
    if found := [row for row in found if row != (0, 0, 0)]:
        assert min(values for values, _, _ in found) == result.value


@pytest.mark.parametrize("blank", BLANKS, ids=lambda blank: f"{ord(blank):04x}")
def test_all_blanks_around_a_cell_are_ignored_as_evaluate_does(sql, blank):
    rows = [("a", "b", "x"), (f"{blank}a{blank}", f"b{blank}", f"{blank}x"), ("*", f"*{blank}", "y"), (blank, "", "z")]
    for name, arguments, rule in (
        ("k_anonymity", (2,), {"k-anonymity": {"k": 2}}),
        ("l_diversity", (COLUMNS[2], 2), {"l-diversity": {"l": 2}}),
    ):
        found, released = failures(sql(name, list(COLUMNS[:2]), *arguments, suppressed="apart"), rows)
        result = evaluate(Release(released, ROLES), rule).results[0]
        assert result.value == 1
        assert found == [(1, 1, 1)] if name == "k_anonymity" else found == [(1, 2, 3)]


def test_what_is_returned_contains_no_value(sql):
    rows = [("3917", "48109", "gout"), ("4028", "48110", "lupus")]
    assert failures(sql("k_anonymity", list(COLUMNS[:2]), 2), rows)[0] == [(1, 2, 2)]
    assert failures(sql("l_diversity", list(COLUMNS[:2]), COLUMNS[2], 2), rows)[0] == [(1, 2, 2)]


SENSITIVE = {"l_diversity": (COLUMNS[2], 2), "k_anonymity": (2,)}


@pytest.mark.parametrize("name", SENSITIVE)
@pytest.mark.parametrize("suppressed", ["apart", "class"])
@pytest.mark.parametrize("rows", [[], [("*", " *", "flu"), ("*", "*", "gout"), ("*", "*", "lupus")]])
def test_a_model_without_a_record_that_is_left_fails(sql, name, suppressed, rows):
    query = sql(name, list(COLUMNS[:2]), *SENSITIVE[name], suppressed=suppressed)
    assert failures(query, rows)[0] == [(0, 0, 0)]


@pytest.mark.parametrize("name", SENSITIVE)
def test_suppressed_records_are_a_class_unless_they_are_to_be_apart(sql, name):
    rows = [("a", "b", "flu"), ("a", "b", "gout"), ("*", "*", "flu")]
    assert failures(sql(name, list(COLUMNS[:2]), *SENSITIVE[name]), rows)[0] == [(1, 1, 1)]
    assert failures(sql(name, list(COLUMNS[:2]), *SENSITIVE[name], suppressed="apart"), rows)[0] == []


@pytest.mark.parametrize("other", ["hiv", " Hiv\u3000", "", None, "*", "\t", "Not_Known", "(n/a)"])
def test_another_spelling_and_a_missing_value_are_no_diversity(sql, other):
    rows = [("a", "b", "HIV"), ("a", "b", other)]
    assert failures(sql("l_diversity", list(COLUMNS[:2]), COLUMNS[2], 2), rows)[0] == [(1, 1, 2)]


def test_texts_that_say_nothing_are_those_of_petworks(sql):
    """Each text beside a value is diversity for the test where it is for PETWorks."""
    forms = [form.format(word) for word in NOT_KNOWN for form in ("{}", "({})", " {}.", "<{}>")]
    real = [
        "na",
        "(na)",
        "none",
        "no",
        "other",
        "-",
        "--",
        ".",
        "無",
        "1",
        "1.0",
        "hiv.",
        "unknown virus",
        "null island",
    ]
    texts = [*forms, *(form.upper() for form in forms), "?", "???", "(?)", "?!", "<NA>", "not-known", *real]
    nothing = [text for text in texts if fold_value(text) is None]
    assert {*texts} - {*nothing} == {*real, "?!"}
    query = sql("l_diversity", list(COLUMNS[:2]), COLUMNS[2], 2)
    for classes, failing in ((nothing, len(nothing)), ([*real, "?!"], 0)):
        rows = [("a", f"{place}", ill) for place, text in enumerate(classes) for ill in ("HIV", text)]
        assert sum(records for _, _, records in failures(query, rows)[0]) == 2 * failing


@pytest.mark.parametrize(("columns", "suppressed"), [([], "apart"), ("age", "apart"), (["age"], "aside")])
def test_mistakes_do_not_compile(sql, columns, suppressed):
    with pytest.raises(CompilationError, match=r"quasi_identifiers is a list|suppressed is"):
        sql("k_anonymity", columns, 2, suppressed=suppressed)


def test_the_package_has_the_version_of_petworks():
    assert yaml.safe_load((PACKAGE / "dbt_project.yml").read_text("utf-8"))["version"] == __version__


PROFILE = "try: {target: here, outputs: {here: {type: duckdb, path: here.duckdb}}}\n"
SCHEMA = """\
models:
- name: released
  data_tests:
  - petworks.k_anonymity: {name: holds, arguments: {quasi_identifiers: [age, zip], k: 2}}
  - petworks.k_anonymity: {name: fails, arguments: {quasi_identifiers: [age, zip], k: 3}}
  - petworks.l_diversity: {name: varied, arguments: {quasi_identifiers: [age, zip], sensitive_attribute: ill, l: 2}}
  - petworks.l_diversity: {name: spelt, arguments: {quasi_identifiers: [age, zip], sensitive_attribute: ill, l: 3}}
  - petworks.l_diversity: {name: uniform, arguments: {quasi_identifiers: [age], sensitive_attribute: ill, l: 5}}
"""
TABLE = """\
select * from (values ('30-39', '481**', 'flu'), (chr(9) || '30-39' || chr(160), '481**', 'gout'),
    ('30-39', chr(12288) || '481**', null), (null, '482**', 'flu'), (chr(10), '482**', 'gout' || chr(13)),
    ('*', '*', 'flu'), ('*', '*', 'gout'), ('40-49', '483**', 'HIV'), ('40-49', '483**', 'hiv'),
    ('40-49', '483**', 'flu')) as cells (age, zip, ill)
"""


@pytest.mark.slow
def test_with_dbt_itself(tmp_path):
    dbt = os.environ.get("PETWORKS_DBT") or shutil.which("dbt")
    if dbt is None:
        pytest.skip("dbt is not installed; set PETWORKS_DBT to the command of an environment that has dbt-duckdb")
    (tmp_path / "models").mkdir()
    project = "name: attempt\nversion: '1.0'\nprofile: try\nconfig-version: 2\n"
    (tmp_path / "dbt_project.yml").write_text(project)
    (tmp_path / "packages.yml").write_text(f"packages: [{{local: {PACKAGE}}}]\n")
    (tmp_path / "profiles.yml").write_text(PROFILE)
    (tmp_path / "models/released.sql").write_text(TABLE)
    (tmp_path / "models/schema.yml").write_text(SCHEMA)
    environment = {**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_PROFILES_DIR": str(tmp_path)}

    def run(*command, code):
        done = subprocess.run(
            [dbt, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr

    run("deps", code=0)
    run("build", code=1)
    results = json.loads(Path(tmp_path, "target/run_results.json").read_text("utf-8"))["results"]
    found = {one["unique_id"].split(".")[2]: (one["status"], one["failures"]) for one in results}
    found.pop("released")
    assert found == {
        "holds": ("pass", 0),
        "fails": ("fail", 4),
        "varied": ("pass", 0),
        "spelt": ("fail", 10),
        "uniform": ("fail", 10),
    }
