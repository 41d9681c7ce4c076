"""`petworks anonymize --frontier`, `--threshold`, `--time` and `--resume`."""

import json
import shutil

import pytest

from command import petworks
from conftest import ROOT

POLICY = "data/adult_original_policy.yaml"
FRONTIER = ("--vary", "k-anonymity:k=3,10", "--vary", "suppression=0,0.02")


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(ROOT / "data", tmp_path / "data")
    return tmp_path


def test_a_frontier_is_shown_and_every_point_can_be_made(folder):
    shown = petworks("anonymize", POLICY, "--frontier", "--global", *FRONTIER, cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "The rules (k-anonymity, k: 5; suppression limit 5 %) are at a loss of 0.4242." in shown.stdout
    assert " 5                0.5291   0.4568   0.4242 ◀" in shown.stdout
    asked = ("anonymize", POLICY, "--frontier", "--global", *FRONTIER, "--format", "json")
    found = json.loads(petworks(*asked, cwd=folder).stdout)["frontier"]
    assert (found["measure"], found["parameter"], found["threshold"]) == ("k-anonymity", "k", 5)
    for point in found["points"][::3]:
        made = petworks(
            *("anonymize", POLICY, "-o", "released.csv", "--global", "--format", "json"),
            *("--threshold", f"k-anonymity:k={point['threshold']}", "--suppression", point["suppression"]),
            cwd=folder,
        )
        facts = json.loads(made.stdout)["anonymization"]
        assert facts["loss"] == pytest.approx(point["loss"])
        assert [column["level"] for column in facts["columns"]] == point["levels"]
        assert made.returncode == (point["threshold"] < 5), "the release is judged by the policy as it is"


def test_the_command_that_a_frontier_names_makes_that_release(folder):
    shown = petworks("anonymize", POLICY, "--frontier", "--global", *FRONTIER, cwd=folder)
    named = shown.stderr.splitlines()[-1].partition("instead of --frontier: ")[2].split()
    assert named[2:] == ["--global", "--threshold", "k-anonymity:k=5", "--suppression", "0.05"], "the row of the policy"
    named[4] = "k-anonymity:k=10"  # another row
    made = petworks("anonymize", POLICY, *named, "--html", "report.html", "--format", "json", cwd=folder)
    assert made.returncode == 0
    told = json.loads(made.stdout)["anonymization"]
    assert any(broken["rule"] == "pdpc-5 (k=10)" for column in told["columns"] for broken in column.get("broken", []))
    assert "pdpc-5 (k=10)" in (folder / "report.html").read_text("utf-8")
    plan = json.loads((folder / "released_plan.json").read_text("utf-8"))
    assert plan["rules"][0]["name"] == "pdpc-5"
    assert plan["rules"][0]["asked"] == {"k": 10}


def test_each_point_has_the_loss_of_the_release_record_by_record(folder):
    asked = ("anonymize", POLICY, "--frontier", "--vary", "k-anonymity:k=10", "--vary", "suppression=0.02")
    shown = petworks(*asked, cwd=folder)
    assert " 5                0.2546   0.2546 ◀\n" in shown.stdout, "record by record"
    assert " 5                0.4568   0.4242 ◀\n" in shown.stdout, "with one level per column"
    named = shown.stderr.splitlines()[-1].partition("instead of --frontier: ")[2].split()
    assert named[2:] == ["--local", "--threshold", "k-anonymity:k=5", "--suppression", "0.05"]
    made = petworks("anonymize", POLICY, *named, "--format", "json", cwd=folder)
    point = json.loads(petworks(*asked, "--format", "json", cwd=folder).stdout)["frontier"]["points"][0]
    assert (point["threshold"], point["suppression"]) == (5, 0.02), "with a larger limit, only the levels lose less"
    assert json.loads(made.stdout)["anonymization"]["loss"] == pytest.approx(point["local_loss"])


def test_the_report_has_the_chart_in_both_languages(folder):
    made = petworks(
        "anonymize", POLICY, "-o", "released.csv", "--frontier", *FRONTIER, "--html", "report.html", cwd=folder
    )
    assert made.returncode == 0, made.stderr
    page = (folder / "report.html").read_text("utf-8")
    both = ("record by record: loss", "逐列調整：損失", "0.2546")
    for text in ("What other rules would cost", "改變規則的代價", 'class="mark"', "0.4242", *both):
        assert text in page
    assert "What other rules would cost" in made.stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--frontier", "--vary", "k=2"], "--vary expects MEASURE:parameter=VALUE"),
        (["--frontier", "--vary", "suppression:x=2"], "--vary expects MEASURE:parameter=VALUE"),
        (["--frontier", "--vary", "t-closeness:t=0.2"], "no rule is about t-closeness"),
        (["-o", "r.csv", "--vary", "suppression=0"], "--vary is for --frontier"),
        (["--frontier", "--html", "r.html"], "-o names the file of the release"),
        ([], "-o names the file of the release"),
        (["--frontier", "--resume"], "--resume is for a release, and -o names none"),
        (["--frontier", "--keep-order"], "--keep-order is for a release, and -o names none"),
        (["-o", "r.csv", *["--threshold", "k-anonymity:k=3"] * 2], "--threshold gives k-anonymity:k twice"),
        (["-o", "r.csv", "--threshold", "k=3"], "--threshold expects MEASURE:parameter=VALUE"),
        (["-o", "r.csv", "--threshold", "l-diversity:c=3"], "l-diversity has the thresholds 'l'"),
        (["-o", "r.csv", "--threshold", "k-anonymity:k=0"], "k-anonymity needs 1 <= k"),
        (["-o", "r.csv", "--time", "soon"], "--time expects a time such as 90, 10m or 2h, got 'soon'"),
        (["-o", "r.csv", "--time", "0"], "--time expects a time"),
        (["-o", "r.csv", "--resume"], "there is no"),
    ],
)
def test_mistakes(folder, given, words):
    made = petworks("anonymize", POLICY, *given, cwd=folder)
    assert made.returncode == 2
    assert words in made.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["data"]


def test_a_search_is_stopped_and_goes_on(folder):
    objective = ("--global", "--objective", "discernibility", "-o", "released.csv", "--format", "json")  # takes a while
    first = petworks("anonymize", POLICY, *objective, "--time", "0.000001s", cwd=folder)
    assert first.returncode == 0, first.stderr
    assert "the search is not finished; this is the best release so far" in first.stderr
    assert "what was found is in 'released.csv.unfinished'; go on with --resume" in first.stderr
    stopped = json.loads(first.stdout)["anonymization"]
    assert not stopped["optimal"]
    assert stopped["improved_after"] <= stopped["seconds"]
    assert (folder / "released.csv.unfinished").exists()
    again = petworks("anonymize", POLICY, *objective, cwd=folder)
    assert again.returncode == 2
    assert "go on with it by --resume, or remove it" in again.stderr
    other = petworks("anonymize", POLICY, *objective, "--resume", "--suppression", "0.01", cwd=folder)
    assert other.returncode == 2
    assert "it had other 'suppression limit'" in other.stderr
    last = petworks("anonymize", POLICY, *objective, "--resume", cwd=folder)
    assert last.returncode == 0, last.stderr
    whole = json.loads(last.stdout)["anonymization"]
    assert whole["optimal"]
    assert stopped["bound"] <= whole["loss"] <= stopped["loss"]
    assert not (folder / "released.csv.unfinished").exists()
