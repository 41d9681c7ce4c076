"""`petworks check --evidence`: a folder that shows how a release was judged, without the tables."""

import hashlib
import json
import shutil

import pytest
from click.testing import CliRunner

from conftest import ROOT
from PETWorks import check
from PETWorks.cli.main import main
from PETWorks.gate.check.may_go_out import find_obstacle
from PETWorks.gate.diff import read_check
from policy_checks import ADULT_POLICY


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copy(ROOT / "data/adult.csv", tmp_path)
    (tmp_path / "policy.yaml").write_text(ADULT_POLICY, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize(
    ("given", "told"), [("/", "'/new_2'"), (".", "'new_2'"), ("", "'new_2'"), ("..", "'../new_2'"), ("old", "'old_2'")]
)
def test_a_folder_that_exists_is_not_taken(folder, given, told):
    (folder / "old").mkdir()
    done = run("check", "policy.yaml", "--evidence", given)
    assert (done.exit_code, "it exists; name a new folder, such as" in done.output) == (2, True)
    assert told in done.output


def test_everything_but_the_tables_with_digests_that_match(folder):
    assert run("anonymize", "policy.yaml", "-o", "out.csv").exit_code == 0
    done = run("check", "out_policy.yaml", "--evidence", "evidence")
    assert done.exit_code == 0, done.output
    files = {path.relative_to(folder / "evidence").as_posix() for path in (folder / "evidence").rglob("*.*")} | {
        "SHA256SUMS"
    }
    assert files == {
        *("README.txt", "SHA256SUMS", "for_recipients/report.html", "for_recipients/report.json"),
        *("internal/out_plan.json", "internal/out_policy.yaml", "internal/report.html", "internal/report.json"),
    }
    lines = (folder / "evidence/SHA256SUMS").read_text("utf-8").splitlines()
    named = dict(reversed(line.split("  ", 1)) for line in lines)
    assert set(named) == files - {"SHA256SUMS"}
    for name, digest in named.items():
        assert hashlib.sha256((folder / "evidence" / name).read_bytes()).hexdigest() == digest
    readme = (folder / "evidence/README.txt").read_text("utf-8")
    for table in ("adult.csv", "out.csv"):
        assert f"{hashlib.sha256((folder / table).read_bytes()).hexdigest()}  {table}" in readme
    assert "不在此資料夾" in readme
    assert json.loads((folder / "evidence/for_recipients/report.json").read_text("utf-8"))["edition"] == "external"
    verified = run(
        *("verify", "evidence/for_recipients/report.json", "--internal", "evidence/internal/report.json"),
        *("--data", "out.csv", "--policy", "evidence/internal/out_policy.yaml"),
    )
    assert verified.exit_code == 0, verified.output


def test_no_cell_of_the_original_leaves_in_it(folder):
    text = (folder / "adult.csv").read_text("utf-8").replace("Sales", "Secretive")
    (folder / "adult.csv").write_text(text, "utf-8")
    assert run("check", "policy.yaml", "--evidence", "evidence").exit_code == 1
    written = [path.read_bytes() for path in (folder / "evidence").rglob("*") if path.is_file()]
    assert written
    assert not (folder / "evidence/for_recipients").exists(), "what fails may not go out"
    assert (folder / "evidence/internal/report.external.html").exists()
    readme = (folder / "evidence/README.txt").read_text("utf-8")
    assert "Nothing here may go to the recipients: a rule does not hold." in readme
    assert "此處沒有可提供給接收者的內容：有規則不符合。" in readme
    assert all(b"Secretive" not in content for content in written)


def test_a_plan_of_another_file_is_left_out(folder):
    run("anonymize", "policy.yaml", "-o", "out.csv")
    lines = (folder / "out.csv").read_text("utf-8").splitlines()
    (folder / "out.csv").write_text("\n".join([*lines[:-1], lines[1]]) + "\n", "utf-8")
    run("check", "out_policy.yaml", "--evidence", "evidence")
    assert (folder / "evidence/internal/out_policy.yaml").exists()
    assert not (folder / "evidence/internal/out_plan.json").exists()


@pytest.mark.parametrize("at", ["adult.csv", "there", "no/evidence"])
def test_it_is_a_new_folder_or_nothing(folder, at):
    (folder / "there").mkdir()
    before = sorted(path.name for path in folder.rglob("*"))
    done = run("check", "policy.yaml", "--evidence", at, "--html", "report.html")
    assert done.exit_code == 2
    assert "cannot write" in done.output
    assert sorted(path.name for path in folder.rglob("*")) == before


WITHHELD = """\
petworks_policy: 1
data: {name}.csv
no_rule: {{illness: a test}}
roles:
  quasi_identifiers: [age]
  sensitive_attributes: [illness]
cell_size: 11
rules:
- {{measure: k-anonymity, k: 10}}
"""


def test_a_verdict_that_the_external_edition_withholds_is_not_told_by_the_folder(folder):
    found = {}
    for name, size in (("keeps", 10), ("falls", 9)):
        lines = [f"{age},flu" for age in ("20-29", "30-39", "40-49") for _ in range(40)]
        lines += ["50-59,gout"] * size + ["60-69,flu"] * (50 - size)
        (folder / f"{name}.csv").write_text("\n".join(["age,illness", *lines]) + "\n")
        (folder / f"{name}.yaml").write_text(WITHHELD.format(name=name))
        found[name] = run("check", f"{name}.yaml", "--evidence", f"of_{name}").exit_code
    assert found == {"keeps": 0, "falls": 1}, "the verdicts differ"
    files = {
        name: {path.relative_to(folder / f"of_{name}").as_posix().replace(name, "x") for path in all_files}
        for name in found
        for all_files in [list((folder / f"of_{name}").rglob("*"))]
    }
    assert files["keeps"] == files["falls"]
    assert "internal/report.external.html" in files["keeps"]
    readmes = [(folder / f"of_{name}/README.txt").read_text("utf-8") for name in found]
    told = [text.partition("The tables")[0] for text in readmes]
    assert told[0] == told[1]
    assert "Verdict: not shown" in told[0]
    assert "internal/report.external goes out with it" in " ".join(told[0].split())


def test_a_release_whose_settings_changed_is_not_signed(folder):
    """In every door: the verdict, both reports, the register."""
    assert run("anonymize", "policy.yaml", "-o", "out.csv").exit_code == 0
    (folder / "policy.yaml").write_text(ADULT_POLICY.replace("k: 5", "k: 25"), "utf-8")
    done = run("check", "out_policy.yaml", "--evidence", "evidence", "--json", "out.json")
    assert done.exit_code == 1, done.output
    assert "Make the release again: the settings that it was made with have changed." in " ".join(done.output.split())
    assert not (folder / "evidence/for_recipients").exists()
    page = (folder / "evidence/internal/report.html").read_text("utf-8")
    assert "settings-unchanged" in page
    assert "Approved by" not in page
    assert "fail" in (folder / "evidence/internal/report.external.html").read_text("utf-8").lower()
    assert run("register", "add", "out.json", "--recipients", "us").exit_code == 0
    assert json.loads(next((folder / "releases").glob("*.json")).read_text("utf-8"))["verdict"] == "fail"
    assert read_check(folder / "out.json").rules[-1].value == ("rules",)
    assert find_obstacle(read_check(folder / "out.json")) == "outdated"
    assert run("anonymize", "policy.yaml", "-o", "out.csv").exit_code == 0
    assert run("check", "out_policy.yaml").exit_code == 0


def test_two_releases_of_one_original_are_told_of_each_other(folder):
    assert run("anonymize", "policy.yaml", "-o", "out.csv").exit_code == 0
    again = run("anonymize", "policy.yaml", "-o", "out.csv")  # the same release, made again
    assert "Other releases were made" not in again.output
    second = run("anonymize", "policy.yaml", "-o", "second.csv", "--suppression", "0")
    for done in (second, run("check", "out_policy.yaml")):
        assert done.exit_code == 0, done.output
        assert "Other releases were made of the same original" in " ".join(done.output.split())
    assert "second.csv" in run("check", "out_policy.yaml").output
    assert "second.csv" in check("out_policy.yaml").to_html("en")
    assert "second.csv" not in check("out_policy.yaml").to_html("en", "external")
    assert not [one for one in check("policy.yaml").content.notices if one.notice == "other-releases"]
    (folder / "second.csv").unlink()
    assert "Other releases were made" not in run("check", "out_policy.yaml").output
    shutil.copy("out_policy.yaml", "with_a_waiver.yaml")  # another policy of the same file is no other release
    assert "Other releases were made" not in run("check", "with_a_waiver.yaml").output


def test_an_undeclared_release_of_the_same_original_in_the_register_fails(folder):
    assert run("anonymize", "policy.yaml", "-o", "first.csv").exit_code == 0
    assert run("check", "first_policy.yaml", "--json", "first.json").exit_code == 0
    assert run("register", "add", "first.json", "--recipients", "us").exit_code == 0
    assert run("check", "first_policy.yaml", "--register", "releases").exit_code == 0  # its own entry
    assert run("anonymize", "policy.yaml", "-o", "second.csv", "--suppression", "0").exit_code == 0
    done = run("check", "second_policy.yaml", "--register", "releases", "--json", "second.json")
    assert done.exit_code == 1, done.output
    assert "name it under 'releases: earlier'" in " ".join(done.output.split())
    digest = hashlib.sha256((folder / "first.csv").read_bytes()).hexdigest()
    outside = run("check", "second_policy.yaml", "--register", "releases", "--edition", "external")
    assert digest[:12] not in outside.output
    with (folder / "second_policy.yaml").open("a", encoding="utf-8") as file:
        file.write(f"releases: {{earlier: [{{sha256: {digest}, recipients: us}}]}}\n")
    assert run("check", "second_policy.yaml", "--register", "releases").exit_code == 0
