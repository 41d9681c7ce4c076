"""Files that an earlier version wrote (tests/earlier_version) are read as before."""

import csv
import json
import shutil

import pytest
from msgspec.structs import replace

from command import petworks
from conftest import ROOT
from PETWorks import anonymize
from PETWorks.anonymizer.anonymization import Anonymization
from PETWorks.gate.diff import compare, read_check
from PETWorks.gate.document import FAIL, PASS
from PETWorks.gate.policy.policy import read_policy
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, NO_IDENTIFIERS

EARLIER = ROOT / "tests/earlier_version"
OF_THE_EARLIER_VERSION = ("no-direct-identifiers", "no-hidden-identifiers", "every-column-has-a-role")


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(EARLIER, tmp_path / "files")


def run(folder, *arguments, codes=(0,)):
    done = petworks(*arguments, cwd=folder)
    assert done.returncode in codes, (done.returncode, done.stderr, done.stdout)
    return done


def rules_of(path, built_in=False):
    """Name, value and verdict of the rules that the policy states, or also of those that every policy had."""
    rules = json.loads(path.read_text("utf-8"))["rules"]
    names = OF_THE_EARLIER_VERSION if built_in else ()
    return [
        (rule["name"], rule["value"], rule["verdict"])
        for rule in rules
        if rule["name"] in names or rule["name"] not in BUILT_IN_RULES
    ]


def kept_records(path):
    """The records of a release that are not suppressed, in no order."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    return rows[0], sorted(row for row in rows[1:] if row[:3] != ["*"] * 3)


def test_a_policy_and_its_release_are_judged_as_before(folder):
    run(folder, "check", "release_policy.yaml", "--json", "now.json", codes=(0, 1))
    assert rules_of(folder / "now.json", built_in=True) == rules_of(folder / "check.json", built_in=True)
    run(folder, "lint", "survey_policy.yaml", "release_policy.yaml")


def test_a_policy_that_leaves_the_treatment_to_the_program_is_read(folder):
    path = folder / "release_policy.yaml"
    path.write_text(path.read_text("utf-8").replace("treatment:\n  suppressed: apart\n", ""), "utf-8")
    run(folder, "check", "release_policy.yaml", "--json", "now.json", codes=(0, 1))
    names = [[name for name, _, _ in rules_of(folder / file)] for file in ("now.json", "check.json")]
    assert names[0] == names[1]


def test_a_policy_gives_the_same_release(folder):
    run(folder, "anonymize", "survey_policy.yaml", "-o", "now.csv", "--global", codes=(0, 1))
    assert kept_records(folder / "now.csv") == kept_records(folder / "release.csv")


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
def test_the_policy_of_a_release_means_one_level_per_column_and_intervals(folder):
    """The earliest ones name no plan; models do not change what they mean either."""
    path = folder / "release_policy.yaml"
    text = path.read_text("utf-8").replace("data: release.csv", "data: survey.csv")
    text += "models: [{outcome: age, on: [sex, education]}]\n"
    without_comments = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    in_order = text.replace("order: shuffled\nseed: '1'\n", "")
    for content in (without_comments, in_order):
        path.write_text(content, "utf-8")
        assert read_policy(path).method == "global"
        release = anonymize(path, suppression=0.2)
        assert (type(release), dict(release.shown.columns)) == (Anonymization, {})
        assert {way.means for way in release.by_models} <= {False}
    plain = folder / "survey_policy.yaml"
    assert read_policy(plain).method == "local"


@pytest.mark.parametrize("plan", ["release_plan.json", "local_plan.json"])
def test_a_plan_is_applied(folder, plan):
    run(folder, "apply", "survey.csv", "--plan", plan, "-o", "now.csv", codes=(0, 1))
    header, kept = kept_records(folder / "now.csv")
    assert header == ["sex", "age", "education", "workclass", "occupation"]
    assert len(kept) in ({236} if plan == "release_plan.json" else range(228, 241))
    if plan == "release_plan.json":
        assert (header, kept) == kept_records(folder / "release.csv")


def test_a_stopped_search_goes_on(folder):
    policy = folder / "survey_policy.yaml"
    exact = "treatment: {suppressed: apart, sensitive_values: exact}"
    policy.write_text(policy.read_text("utf-8").replace("treatment: {suppressed: apart}", exact), "utf-8")
    done = run(folder, "anonymize", "survey_policy.yaml", "-o", "stopped.csv", "--global", "--resume", codes=(0, 1))
    assert "Proved" in done.stdout
    assert kept_records(folder / "stopped.csv") == kept_records(folder / "release.csv")


@pytest.mark.parametrize("objective", ["ambiguity", "missings"])
def test_a_stopped_search_whose_losses_were_counted_differently_starts_over(folder, objective):
    path = folder / "stopped.csv.unfinished"
    search = json.loads(path.read_text("utf-8"))
    search["objective"] = [objective, "geometric", {}]
    path.write_text(json.dumps(search))
    arguments = ("anonymize", "survey_policy.yaml", "-o", "stopped.csv", "--objective", objective, "--resume")
    assert "'objective'" in run(folder, *arguments, codes=(2,)).stderr


@pytest.mark.parametrize("document", ["check.json", "anonymization.json"])
def test_documents_are_verified(folder, document):
    run(folder, "verify", document, "--data", "release.csv")
    if document == "check.json":
        run(folder, "verify", document, "--data", "release.csv", "--policy", "release_policy.yaml")
        run(folder, "verify", "check.external.json", "--internal", "check.json", "--data", "release.csv")


def test_the_register_is_read_and_found(folder):
    assert "Survey" in run(folder, "register", "list").stdout
    table = folder / "release.csv"
    table.write_text("".join(table.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    done = run(folder, "check", "release_policy.yaml", "--register", "releases", "--json", "now.json", codes=(0, 1))
    assert "the university" in done.stdout
    again = run(folder, "register", "add", "check.json", "--recipients", "the university", "--date", "2026-11-02")
    assert "already registered" in again.stdout
    run(folder, "register", "add", "check.json", "--register", "others")


def test_an_earlier_check_can_be_the_previous_one(folder):
    arguments = ("check", "release_policy.yaml", "--edition", "external", "--previous", "check.json")
    run(folder, *arguments, "--json", "now.json", codes=(0, 1, 4))


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_diff_names_new_built_in_rules_and_does_not_fail(folder, edition):
    old = "check.json" if edition == "internal" else "check.external.json"
    run(folder, "check", "release_policy.yaml", "--edition", edition, "--json", "now.json", codes=(0, 1, 4))
    document = json.loads((folder / "now.json").read_text("utf-8"))
    new = [rule["name"] for rule in document["rules"] if rule["name"] in BUILT_IN_RULES]
    new = [name for name in new if name not in OF_THE_EARLIER_VERSION]
    found = json.loads(run(folder, "diff", old, "now.json", "--format", "json").stdout)
    assert found["new_built_in_rules"] == new
    assert [row["change"] for row in found["rules"] if row["name"] in new] == ["new built-in rule"] * len(new)
    for lang in ("en", "zh-TW"):
        run(folder, "diff", old, "now.json", "--lang", lang)


def with_rules(document, **verdicts):
    """A check in which some rules have another verdict; None: the rule is missing."""
    rules = [
        replace(rule, verdict=verdicts.get(rule.name, rule.verdict))
        for rule in document.rules
        if verdicts.get(rule.name, "") is not None
    ]
    return replace(document, rules=tuple(rules))


@pytest.mark.parametrize("verdict", [PASS, FAIL])
def test_a_built_in_rule_that_the_old_check_lacks_is_not_worse(verdict):
    new = read_check(EARLIER / "check.json")
    for name in set(BUILT_IN_RULES) & {rule.name for rule in new.rules}:
        found = compare(with_rules(new, **{name: None}), with_rules(new, **{name: verdict}))
        is_new = name != NO_IDENTIFIERS  # which every version judges where a policy names identifiers
        assert found.new_built_in_rules == ((name,) if is_new else ())
        assert found.worse is (not is_new and verdict == FAIL)
        assert compare(with_rules(new, **{name: PASS}), with_rules(new, **{name: None})).worse, "a rule is gone"


@pytest.mark.parametrize(
    ("lang", "sentence"), [("en", "New built-in rules that the earlier check"), ("zh-TW", "新增的內建規則")]
)
def test_diff_says_which_rules_are_new_in_both_languages(folder, lang, sentence):
    old = json.loads((folder / "check.json").read_text("utf-8"))
    old["rules"] = [rule for rule in old["rules"] if rule["name"] != "no-hidden-identifiers"]
    (folder / "older.json").write_text(json.dumps(old))
    done = run(folder, "diff", "older.json", "check.json", "--lang", lang)
    assert sentence in done.stdout
