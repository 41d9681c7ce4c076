"""Errors carry fields, and each interface words them for its own users."""

import ast
import pickle
import re
from importlib import import_module

import pytest

from command import petworks
from PETWorks import (
    PETValidation,
    PETWorksError,
    Release,
    catalogue,
    check,
    errors,
    evaluate,
    every_subset,
    read_policy,
)
from PETWorks.cli.arguments import HINT_OPTIONS
from PETWorks.errors import (
    PYTHON,
    HierarchyError,
    Hint,
    InputError,
    NeedNotMet,
    NotApplicable,
    ParameterError,
    RoleError,
)
from PETWorks.gate.diff import read_check
from PETWorks.gate.policy.mistakes import KEY_HINTS
from source import PACKAGE, nodes, parsed_modules

PATIENT = "data/patient_anonymized.csv"
OPTION = re.compile(r"(^|[^\w-])--[a-z]")
POLICY = """\
petworks_policy: 1
data: table.csv
roles:
  quasi_identifiers: [age]
rules:
  - measure: k-anonymity
    k: 2
"""


@pytest.fixture
def table(tmp_path):
    """A table without a file that says its roles."""
    path = tmp_path / "table.csv"
    path.write_text("age;job\n30;a\n30;b\n40;a\n40;a\n")
    return path


def raised(function, *arguments, **options):
    with pytest.raises(PETWorksError) as caught:
        function(*arguments, **options)
    return caught.value


def policy_of(table, text):
    path = table.with_name("policy.yaml")
    path.write_text(text)
    return path


def literals(tree):
    """The texts in a module that are not docstrings."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = {
        id(node.body[0].value)
        for node in nodes(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def test_only_the_command_line_the_page_and_reports_know_options():
    for path, tree in parsed_modules().items():
        if path.relative_to(PACKAGE).parts[0] not in ("cli", "render", "studio"):  # the page runs commands
            for literal in literals(tree):
                assert not OPTION.search(literal.value), f"{path}, line {literal.lineno}: {literal.value!r}"


def reached(table):
    """Errors with hints, as users of Python reach them."""
    release = Release(PATIENT)
    without_roles = Release(table, {})
    other = table.with_name("other.csv")
    other.write_text("age;job;name\n30;a;x\n")
    (table.with_name("check.json")).write_text("no")
    yield raised(evaluate, without_roles), Hint.QUASI_IDENTIFIERS
    yield raised(every_subset, without_roles), Hint.QUASI_IDENTIFIERS
    yield raised(evaluate, release, "delta-presence"), Hint.ORIGINAL
    yield raised(evaluate, release, "k-map"), Hint.POPULATION
    yield raised(evaluate, Release(table, {"age": "quasi_identifier"}), "l-diversity"), Hint.SENSITIVE_ATTRIBUTES
    yield raised(Release, table, {"age": "quasi_identifier"}, original=other), Hint.IDENTIFIERS
    yield raised(read_check, table.with_name("check.json")), Hint.CHECK_DOCUMENT
    yield raised(read_policy, policy_of(table, POLICY.replace("table.csv", "../table.csv"))), Hint.ROOT


def test_python_reads_of_arguments_and_the_shell_of_options(table):
    for error, hint in reached(table):
        assert error.hints == (hint,)
        assert str(error).endswith(f" ({PYTHON[hint]})")
        assert not OPTION.search(str(error))
        assert error.worded(HINT_OPTIONS).endswith(f" ({HINT_OPTIONS[hint]})")
        assert "(" not in error.message.rpartition(";")[2]


def test_every_interface_words_every_hint():
    assert set(PYTHON) == set(HINT_OPTIONS) == set(Hint)
    assert set(KEY_HINTS) < set(Hint)
    assert not any(OPTION.search(words) for words in (*PYTHON.values(), *KEY_HINTS.values()))


def test_the_published_interface_names_its_own_arguments(table):
    error = raised(PETValidation, None, PATIENT, "d-presence", dMin=0, dMax=1)
    assert str(error) == "delta-presence: needs the original table (the first argument)"
    error = raised(PETValidation, None, PATIENT, "k-anonymity", attributeTypes={"Salary": "insensitive_attribute"}, k=2)
    assert str(error).endswith("(attributeTypes=...)")
    error = raised(PETValidation, table, table, "precision", attributeTypes={"age": "quasi_identifier"})
    assert not OPTION.search(str(error))


def test_the_reasons_of_measures_that_do_not_apply_name_arguments():
    evaluation = evaluate(Release(PATIENT))
    assert evaluation.not_applicable["delta-presence"] == "needs the original table (original=...)"
    assert not any(OPTION.search(reason) for reason in evaluation.not_applicable.values())
    assert "needs the original table (--original)" in petworks("evaluate", PATIENT).stdout
    assert '"needs the original table (--original)"' in petworks("evaluate", PATIENT, "--format", "json").stdout


def test_the_command_names_options(table):
    for arguments, option in (
        (("evaluate", table), "--qi"),
        (("attack", table), "--qi"),
        (("evaluate", PATIENT, "--measure", "delta-presence"), "--original"),
        (("evaluate", PATIENT, "--measure", "k-map"), "--population"),
        (("check", policy_of(table, POLICY.replace("table.csv", "../table.csv"))), "--root"),
        (("diff", table, table), "petworks check POLICY --json FILE"),
    ):
        done = petworks(*arguments)
        assert done.returncode == 2
        assert done.stderr.endswith(f"({option})\n"), done.stderr
        assert "=..." not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "text", "what"),
    [
        ("k: 2", "k: 0", "policy.yaml, line 7, rules[1].k: k-anonymity needs 1 <= k, got k='0'", "k"),
        ("[age]", "[ago]", "policy.yaml, line 4, roles.quasi_identifiers[1]: no column is called 'ago'", "roles"),
        (
            "roles:",
            "privacy_unit: age\nroles:",
            "policy.yaml, line 3, privacy_unit: the privacy unit 'age' identifies the person",
            "privacy_unit",
        ),
        ("roles:", "original: other.csv\nroles:", "policy.yaml, line 3, original: original and release", "original"),
        (
            "k-anonymity\n    k: 2",
            "delta-presence\n    delta_max: 1",
            "policy.yaml, line 6, rules[1]: delta-presence: needs the original table (original:)",
            None,
        ),
    ],
)
def test_an_error_in_a_policy_names_file_line_and_key(table, old, new, text, what):
    table.with_name("other.csv").write_text("age;job;name\n30;a;x\n")
    path = policy_of(table, POLICY.replace(old, new))
    error = raised(check, path)
    assert isinstance(error, InputError)
    assert str(error).startswith(text)
    assert error.where == text[: text.index(": ")]
    assert error.what == what
    assert not OPTION.search(str(error))
    assert text in petworks("check", path).stderr


def test_engines_are_none_of_the_policys_keys(table):
    error = raised(check, policy_of(table, POLICY), engine="polars")
    assert isinstance(error, ParameterError)
    assert (error.what, error.where) == ("engine", None)


@pytest.mark.parametrize("module", ["pickle", "pyspark.cloudpickle"])
def test_errors_survive_a_journey_between_processes(module):
    module = pytest.importorskip("pyspark.cloudpickle") if "spark" in module else import_module(module)
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, PETWorksError)]
    assert len(kinds) == 8
    for kind in kinds:
        error = kind("needs more", Hint.ORIGINAL, what="original", measure="delta-presence", where="a.yaml, line 2")
        copy = pickle.loads(module.dumps(error))
        assert type(copy) is kind
        assert str(copy) == str(error) == "a.yaml, line 2: delta-presence: needs more (original=...)"
        assert (copy.parts, copy.what, copy.measure, copy.where) == (
            error.parts,
            error.what,
            error.measure,
            error.where,
        )
        assert copy.hints == (Hint.ORIGINAL,)
        assert copy.worded(HINT_OPTIONS).endswith("(--original)")


def test_the_measure_is_a_field():
    release = Release(PATIENT)
    for name, reason in evaluate(release).reasons.items():
        assert reason.measure == name
        assert name not in reason.message
        assert str(reason) == f"{name}: {reason.reason()}"
    error = raised(catalogue["alpha-k-anonymity"], release, value="nowhere")
    assert (error.measure, error.what) == ("alpha-k-anonymity", "value")
    assert str(error) == "alpha-k-anonymity: the given value is in no sensitive attribute"


def test_a_need_that_is_not_met_is_a_kind_of_error():
    reasons = evaluate(Release(PATIENT, original=PATIENT)).reasons
    assert isinstance(reasons["k-map"], NeedNotMet)
    assert isinstance(reasons["utility-bias"], NeedNotMet)
    assert isinstance(catalogue["k-map"].lacks(Release(PATIENT).view), NeedNotMet)
    assert catalogue["k-anonymity"].lacks(Release(PATIENT).view) is None


def test_parameters_are_checked_once(monkeypatch):
    checked = []
    metric = type(catalogue["k-anonymity"])
    usual = metric.check
    monkeypatch.setattr(metric, "check", lambda self, *given: checked.append(self.name) or usual(self, *given))
    evaluate(Release(PATIENT), {"k-anonymity": {"k": 2}})
    assert checked == ["k-anonymity"]
    catalogue["t-closeness"](Release(PATIENT), t=0.5)
    assert checked == ["k-anonymity", "t-closeness"]


def test_what_an_error_is_about_unless_it_says_otherwise():
    assert RoleError("x").what == "roles"
    assert RoleError("x", what="privacy_unit").what == "privacy_unit"
    assert HierarchyError("x").what == "hierarchies"
    assert NotApplicable("x").what is None
