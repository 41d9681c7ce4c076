"""Tables and settings that leave little to release, through the command and from Python: an answer, no traceback."""

import random
import re

import pyarrow as pa
import pyarrow.csv as csv
import pytest

from command import petworks
from PETWorks import Release, anonymize
from PETWorks.errors import PETWorksError

pytestmark = pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")

DISTINCT = {"age": list(range(40)), "zip": [f"z{number:02}" for number in range(40)]}
WIDTHS = {"age": {"width": [2, 4]}}


def made(folder, columns, *options, hierarchies=WIDTHS, more=""):
    """The outcome of the command: exit code and messages."""
    csv.write_csv(pa.table(columns), folder / "t.csv")
    lines = [f"  {name}: {{width: {words['width']}}}" for name, words in hierarchies.items()]
    policy = ["petworks_policy: 1", "data: t.csv", f"roles: {{quasi_identifiers: [{', '.join(columns)}]}}"]
    policy += ["rules:", "  - {measure: k-anonymity, k: 3}", "hierarchies:", *lines, more]
    (folder / "policy.yaml").write_text("\n".join(policy) + "\n", "utf-8")
    return petworks("anonymize", "policy.yaml", "-o", "out.csv", *options, cwd=folder)


def python(columns, *, hierarchies=WIDTHS, k=3, **settings):
    release = Release(pa.table(columns), {"quasi_identifiers": list(columns)}, hierarchies)
    return anonymize(release, {"k-anonymity": {"k": k}}, **settings)


def test_a_column_that_cannot_be_kept_is_named_with_the_best_class_size(tmp_path):
    ran = made(tmp_path, DISTINCT, "--keep", "zip", "--suppression", "0.05")
    told = "keep 'zip' and 'k-anonymity.*, whatever is suppressed"
    assert (ran.returncode, bool(re.search(told, ran.stderr)), (tmp_path / "out.csv").exists()) == (2, True, False), (
        ran.stderr
    )
    with pytest.raises(PETWorksError, match=told):
        python(DISTINCT, hierarchies={**WIDTHS, "zip": [[code, "*"] for code in DISTINCT["zip"]]}, keep=["zip"])


def test_the_rule_that_a_kept_column_breaks_is_named(tmp_path):
    """All who do not work earn the same, so that no class with one of these values has two different ones."""
    columns = {"works": ["no"] * 30 + ["yes"] * 30, "town": ["a", "b"] * 30, "wage": [0] * 30 + list(range(30))}
    roles = {"quasi_identifiers": ["works", "town"], "sensitive_attributes": ["wage"]}
    hierarchies = {"works": [["no", "*"], ["yes", "*"]], "town": [["a", "*"], ["b", "*"]]}
    release = Release(pa.table(columns), roles, hierarchies)
    told = "keep 'works' and 'l-diversity[^,]*, whatever is suppressed"
    with pytest.raises(PETWorksError, match=told):
        anonymize(release, {"k-anonymity": {"k": 3}, "l-diversity": {"l": 2}}, keep=["works"])


def test_rows_that_are_all_distinct(tmp_path):
    ran = made(tmp_path, DISTINCT)
    assert ran.returncode in (0, 1), ran.stderr
    assert python(DISTINCT).release.class_sizes().smallest >= 3


def test_a_table_of_one_row(tmp_path):
    one = {"age": [30], "zip": ["z"]}
    ran = made(tmp_path, one)
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    assert "no levels keep the rules" in ran.stderr
    with pytest.raises(PETWorksError, match="no levels keep the rules"):
        python(one)


def test_sixty_quasi_identifiers_end_within_the_time_limit(tmp_path):
    draw = random.Random(1)
    columns = {f"q{number}": [draw.randrange(30) for _ in range(60)] for number in range(60)}
    widths = {name: {"width": [5, 10]} for name in columns}
    result = python(columns, hierarchies=widths, seconds=0.5)
    assert result.release.class_sizes().smallest >= 3
    ran = made(tmp_path, columns, "--time", "1", hierarchies=widths)
    assert ran.returncode in (0, 1), ran.stderr


def test_a_hierarchy_that_loses_values(tmp_path):
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "t_hierarchy_age.csv").write_text("1;low;*\n2;low;*\n", "utf-8")
    csv.write_csv(pa.table({"age": [1, 2, 3, 3]}), tmp_path / "t.csv")
    given = ("--qi", "age", "--hierarchies", "levels", "--measure", "k-anonymity:k=2", "-o", "out.csv")
    ran = petworks("anonymize", "t.csv", *given, cwd=tmp_path)
    assert ran.returncode == 2
    assert not (tmp_path / "out.csv").exists()
    assert "column 'age': 1 of 3 values of the table are not leaves of its hierarchy" in ran.stderr
    with pytest.raises(PETWorksError, match="not leaves of its hierarchy"):
        python({"age": ["1", "2", "3"]}, hierarchies={"age": [["1", "low", "*"], ["2", "low", "*"]]}, k=2)


@pytest.mark.parametrize(
    ("outcome", "on", "words"),
    [("wage", ["height"], "no column 'height'"), ("height", ["age"], "height"), ("wage", ["same"], "one value only")],
)
def test_models_with_a_missing_or_constant_column(tmp_path, outcome, on, words):
    columns = {"age": [1, 1, 2, 2] * 5, "same": ["x"] * 20, "wage": list(range(20))}
    with pytest.raises(PETWorksError, match=words):
        python(columns, models=[{"outcome": outcome, "on": on}])
    ran = made(tmp_path, columns, more=f"models: [{{outcome: {outcome}, on: [{on[0]}]}}]")
    assert (ran.returncode, words in ran.stderr) == (2, True), ran.stderr
