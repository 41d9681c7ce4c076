"""petworks anonymize writes a plan; petworks apply --plan recodes other tables in the same way."""

import csv
import hashlib
import json
import re

import pytest
import yaml
from jsonschema import Draft202012Validator

from command import petworks as run
from conftest import ROOT
from PETWorks import ReleaseWarning, apply_plan
from PETWorks.gate.document import schema_text

NAMES = ["Name", "Age", "Zip", "City", "Illness", "Note"]
POLICY = """petworks_policy: 1
title: Hospital
data: raw.csv
hierarchies:
  Age: {width: [5, 10, 20]}
  Zip: zips.csv
  City: {rare: {fewer_than: 20}}
no_rule: {Illness: a test}
roles: {identifiers: [Name], quasi_identifiers: [Age, Zip, City], sensitive_attributes: [Illness]}
no_role: {Note: free of people}
role_reasons: {Age: known to neighbours}
presets: [pdpc-5]
rules:
  - {name: diverse, measure: l-diversity, l: 2, why: asked for by the committee}
  - {measure: average-risk, average: 0.1}
waivers:
  - {rule: average-risk, owner: DPO, reason: small table, expires: 9999-12-31}
subsets: {sizes: 1-2, limits: {highest-risk: 0.5}}
anonymize: {method: global, suppression: 0.1, levels: {City: 0-1}}
"""


def rows(first, last):
    for n in range(first, last):
        city = ["Taipei", "Tainan", "Ilan"][n % 3] if n % 40 else f"Village {n}"
        yield [f"Person {n}", str(20 + n * 7 % 40), str(47900 + n % 12), city, "abc"[n // 3 % 3], f' "n{n % 7}"']


def write(path, names, cells):
    path.write_text("\r\n".join(map(",".join, [names, *cells])) + "\r\n", newline="")


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "raw.csv", NAMES, rows(0, 300))
    next_rows = [
        *rows(150, 500),
        ["Z", "103", "47901", "Elsewhere", "a", "x"],
        ["Z", "SECRET", "99999", "Ilan", "b", "y"],
    ]
    write(tmp_path / "next.csv", NAMES, next_rows)
    (tmp_path / "zips.csv").write_text("".join(f"{zip_};{zip_ // 10}*;*\n" for zip_ in range(47900, 47912)))
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def made(folder, *arguments):
    done = run("anonymize", "policy.yaml", "-o", "r.csv", "--keep-order", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "petworks: wrote r_plan.json" in done.stderr
    return json.loads((folder / "r_plan.json").read_text("utf-8"))


def applied(folder, table, *arguments, code=0, plan="r_plan.json", output="n.csv"):
    done = run("apply", table, "--plan", plan, "-o", output, "--keep-order", *arguments, cwd=folder)
    assert done.returncode == code, done.stderr + done.stdout
    return done


def refused(folder, table, *arguments, **others):
    before = {path: path.is_dir() or path.read_bytes() for path in folder.rglob("*")}
    told = applied(folder, table, *arguments, code=2, **others).stderr
    assert {path: path.is_dir() or path.read_bytes() for path in folder.rglob("*")} == before
    return told


def cells(path):
    return list(csv.reader(path.read_text().splitlines()))


def column(path, name):
    names, *records = cells(path)
    return [record[names.index(name)] for record in records]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_a_plan_says(folder):
    plan = made(folder)
    assert list(Draft202012Validator(json.loads(schema_text("plan"))).iter_errors(plan)) == []
    assert plan["petworks_plan"] == 1
    assert plan["note"].startswith("Internal")
    assert plan["columns"] == ["Age", "Zip", "City"]
    assert plan["method"] == "global"
    assert len(plan["levels"]) == 1
    assert plan["suppression"] == 0.1
    assert plan["allowed_levels"] == {"City": [0, 1]}
    assert plan["records"] == 300
    assert plan["original_sha256"] == digest(folder / "raw.csv")
    assert plan["release_sha256"] == digest(folder / "r.csv")
    assert plan["release"] == "r.csv"
    hierarchies = plan["hierarchies"]
    assert hierarchies["Age"]["words"] == {"width": ["5", "10", "20"]}
    assert "file" not in hierarchies["Age"]
    assert hierarchies["Zip"]["file"] == "r_hierarchies/hierarchy_Zip.csv"
    assert "words" not in hierarchies["Zip"]
    assert hierarchies["City"]["words"] == {"rare": {"fewer_than": "20"}}
    for column, hierarchy in hierarchies.items():
        assert hierarchy["sha256"] == digest(folder / f"r_hierarchies/hierarchy_{column}.csv")
    assert [(rule["name"], rule["parameters"]) for rule in plan["rules"]] == [
        ("pdpc-5", {"k": 5}),
        ("diverse", {"l": 2}),
        ("average-risk", {"average": 0.1}),
        ("every-subset: highest-risk", {"limit": "highest-risk", "at_most": "0.5", "sizes": "1-2"}),
    ]
    assert plan["policy"]["title"] == "Hospital"


def test_no_cell_and_no_folder_is_in_a_plan(folder):
    made(folder)
    text = (folder / "r_plan.json").read_text("utf-8")
    assert str(folder) not in text
    without_digests = re.sub(r"\b[0-9a-f]{64}\b", "", text)
    assert not re.search(r"Village|Taipei|Person|47[89]\d\d", without_digests)


def test_the_same_input_gives_the_same_plan(folder):
    made(folder)
    first = (folder / "r_plan.json").read_bytes()
    made(folder)
    assert (folder / "r_plan.json").read_bytes() == first


@pytest.mark.parametrize("method", [[], ["--local"]])
@pytest.mark.parametrize("suppression", ["0", "0.1"])
def test_the_same_table_gives_the_same_bytes(folder, method, suppression):
    plan = made(folder, *method, "--suppression", suppression)
    if suppression == "0.1":
        assert (len(plan["levels"]) > 1 or "divided_down_to" in plan) == bool(method)
    applied(folder, "raw.csv")
    assert (folder / "n.csv").read_bytes() == (folder / "r.csv").read_bytes()
    for path in (folder / "r_hierarchies").iterdir():
        assert (folder / "n_hierarchies" / path.name).read_bytes() == path.read_bytes()
    told = json.loads(applied(folder, "raw.csv", "--format", "json").stdout)
    assert told["plan"] == told["now"]


@pytest.mark.parametrize("method", [[], ["--local"]])
def test_next_month(folder, method):
    plan = made(folder, *method)
    told = json.loads(applied(folder, "next.csv", "--format", "json").stdout)
    assert told["plan"] == {"records": 300, "suppressed": plan["suppressed"], "loss": plan["loss"]}
    assert (told["plan_file"], told["plan_sha256"]) == ("r_plan.json", digest(folder / "r_plan.json"))
    assert told["now"]["records"] == 352
    assert told["without_place"] == {"Age": {"values": 1, "records": 1}, "Zip": {"values": 1, "records": 1}}
    assert told["not_placed"] == 1
    assert {rule["verdict"] for rule in told["rules"]} <= {"pass", "waived"}
    assert len(column(folder / "n.csv", "Age")) == 352 - told["now"]["suppressed"]
    assert "*,*,*" not in (folder / "n.csv").read_text()
    assert "Name" not in cells(folder / "n.csv")[0]
    assert "SECRET" not in (folder / "n.csv").read_text()
    text = applied(folder, "next.csv")
    assert "SECRET" not in text.stdout + text.stderr
    assert "Elsewhere" not in text.stdout + text.stderr
    assert "values without a place" in text.stdout
    assert json.loads((folder / "n_plan.json").read_text())["removed"].endswith("352")
    checked = run("check", "n_policy.yaml", cwd=folder)
    assert checked.returncode == 0, checked.stdout
    policy = yaml.safe_load((folder / "n_policy.yaml").read_text())
    assert policy["title"] == "Hospital"
    assert policy["no_role"] == {"Note": "free of people"}
    assert [rule["measure"] for rule in policy["rules"]] == ["l-diversity", "average-risk"]
    assert policy["rules"][0]["why"] == "asked for by the committee"
    assert policy["subsets"]["limits"] == {"highest-risk": "0.5"}
    assert policy["waivers"][0]["rule"] == "average-risk"


def test_a_waiver_that_expired_since_counts(folder):
    plan = made(folder)
    plan["policy"]["waivers"][0]["expires"] = "2020-01-01"
    (folder / "r_plan.json").write_text(json.dumps(plan))
    done = run("apply", "next.csv", "--plan", "r_plan.json", "-o", "n.csv", "--format", "json", cwd=folder)
    told = json.loads(done.stdout)
    assert "average-risk" in told["failing_records"], "it is demanded now"
    verdicts = {rule["rule"]: rule["verdict"] for rule in told["rules"]}
    assert done.returncode == ("fail" in verdicts.values() or not told["within_the_limit"])
    assert verdicts["average-risk"] in ("pass", "fail")


def test_more_than_the_limit_is_suppressed(folder):
    made(folder)
    write(folder / "few.csv", NAMES, rows(0, 30))
    assert "every one of the 30 records is suppressed; nothing is left" in refused(folder, "few.csv")
    write(folder / "few.csv", NAMES, rows(0, 80))
    done = applied(folder, "few.csv", code=1)
    assert done.stdout.startswith("fail n.csv")
    assert "were suppressed, and the plan allows at most 10 %." in " ".join(done.stdout.split())
    assert done.stdout.count("fail") == 2  # the rule records-left, and so the release
    line = next(line for line in done.stdout.splitlines() if "records-left" in line)
    assert re.search("enough records are left +[0-9.]+ % suppressed +≤ 10 % +fail", line), line
    again = run("check", "n_policy.yaml", cwd=folder)
    assert again.returncode == 1, "the check of the file gives the same verdict"
    assert "make a new plan with petworks anonymize" in " ".join(again.stdout.split())
    assert "classes that break pdpc-5" in done.stdout
    told = json.loads(applied(folder, "few.csv", "--format", "json", code=1).stdout)
    assert not told["within_the_limit"]
    assert told["failing_records"]["pdpc-5"] > 3
    share = re.search(r"if that many may be suppressed, add (--suppression [0-9.]+);", done.stderr)[1].split()
    assert float(share[1]) >= told["now"]["suppressed"] / 80 > float(share[1]) - 0.001
    allowed = applied(folder, "few.csv", *share, "--html", "n.html", output="n.csv")
    assert allowed.stdout.startswith("waived n.csv")
    assert "--suppression" not in allowed.stderr
    assert json.loads((folder / "n_plan.json").read_text("utf-8"))["suppression"] == float(share[1])
    assert "pdpc-5" in (folder / "n.html").read_text("utf-8")
    printed = applied(folder, "few.csv", *share, "--markdown", "-", output="n.csv").stdout
    assert printed.startswith("#")
    assert "share of the records" in refused(folder, "few.csv", "--suppression", "5")


def test_values_without_a_place_can_be_an_error(folder):
    made(folder)
    told = refused(folder, "next.csv", "--strict")
    assert "'Age' (1 values, 1 records), 'Zip' (1 values, 1 records)" in told
    applied(folder, "raw.csv", "--strict")
    assert "--strict is for --plan" in run("apply", "policy.yaml", "--strict", "-o", "n.csv", cwd=folder).stderr


def test_columns_that_are_missing_or_new(folder):
    made(folder)
    table = cells(folder / "raw.csv")
    write(folder / "fewer.csv", NAMES[1:5], [row[1:5] for row in table[1:]])
    told = applied(folder, "fewer.csv")
    assert "Columns of the plan that the table lacks: 'Name', 'Note'." in told.stdout
    write(folder / "lacking.csv", NAMES[2:], [row[2:] for row in table[1:]])
    assert "lacks columns that the plan needs: 'Age'" in refused(folder, "lacking.csv")
    write(folder / "more.csv", [*NAMES, "Ward"], [[*row, "w"] for row in table[1:]])
    told = refused(folder, "more.csv")
    assert "nobody has said that they may be released: 'Ward'" in told
    assert "--identifier" in told
    applied(folder, "more.csv", "--identifier", "Ward")
    assert "Ward" not in (folder / "n.csv").read_text()
    applied(folder, "more.csv", "--insensitive", "Ward")
    assert "Ward" in (folder / "n.csv").read_text()
    assert "the plan says what column 'Note' is" in refused(folder, "more.csv", "--insensitive", "Note,Ward")


def test_a_hierarchy_that_changed_is_an_error(folder):
    made(folder)
    file = folder / "r_hierarchies/hierarchy_Zip.csv"
    file.write_text(file.read_text().replace("4790*", "4791*"))
    told = refused(folder, "next.csv")
    assert "column 'Zip': its hierarchy (hierarchy_Zip.csv) is not the one that the plan was made with" in told
    file.unlink()
    assert "hierarchy_Zip.csv" in refused(folder, "next.csv")


@pytest.mark.parametrize("file", ["../zips.csv", "/etc/passwd", "r_hierarchies/\0", "r_hierarchies/link.csv"])
def test_files_outside_the_folder_of_the_plan_are_not_read(folder, file):
    plan = made(folder)
    inner = folder / "inner"
    inner.mkdir()
    (folder / "r_hierarchies").rename(inner / "r_hierarchies")
    (inner / "r_hierarchies/link.csv").symlink_to(folder / "zips.csv")
    plan["hierarchies"]["Zip"]["file"] = file
    (inner / "plan.json").write_text(json.dumps(plan))
    told = refused(folder, "next.csv", plan="inner/plan.json")
    assert "column 'Zip': the file of its hierarchy is not in the folder of the plan" in told


@pytest.mark.parametrize(
    ("option", "named"),
    [
        (["--qi", "Age"], "--qi"),
        (["--measure", "k-anonymity:k=2"], "--measure"),
        (["--levels", "Age=1"], "--levels"),
        (["--suppress"], "--suppress"),
        (["--privacy-unit", "Name"], "--privacy-unit"),
        (["--hierarchies", "r_hierarchies"], "--hierarchies"),
    ],
)
def test_options_that_contradict_the_plan(folder, option, named):
    made(folder)
    assert f"{named} cannot be combined with --plan" in refused(folder, "next.csv", *option)


def test_a_policy_in_place_of_a_table(folder):
    made(folder)
    assert "name the table itself" in refused(folder, "policy.yaml")


def test_the_release_of_the_plan_is_not_replaced(folder):
    made(folder)
    assert "inputs of this run are in it" in refused(folder, "next.csv", output="r.csv")
    assert "input of this run" in refused(folder, "next.csv", output="next.csv")


def test_a_plan_of_somebody_else_is_not_replaced(folder):
    for content, told in (
        ("mine", "was not written by"),
        ('{"petworks_plan": 1, "release": "r.parquet"}', "another release"),
    ):
        (folder / "r_plan.json").write_text(content)
        done = run("anonymize", "policy.yaml", "-o", "r.csv", cwd=folder)
        assert done.returncode == 2
        assert told in done.stderr
        assert (folder / "r_plan.json").read_text() == content
        assert not (folder / "r.csv").exists()
    (folder / "r_plan.json").unlink()
    (folder / "r_plan.json").mkdir()
    assert "not a regular file" in run("anonymize", "policy.yaml", "-o", "r.csv", cwd=folder).stderr


def test_the_plan_of_a_release_that_is_replaced_by_hand_is_a_new_one(folder):
    made(folder)
    done = run("apply", "policy.yaml", "-o", "r.csv", "--levels", "Age=4,Zip=2,City=2", cwd=folder)
    assert (folder / "r.csv").exists(), done.stderr
    plan = json.loads((folder / "r_plan.json").read_text())
    assert plan["levels"] == [[4, 2, 2]]
    assert plan["release_sha256"] == digest(folder / "r.csv")


def test_presets_that_changed_are_an_error(folder):
    plan = made(folder)
    plan["rules"][0]["parameters"]["k"] = 3
    (folder / "r_plan.json").write_text(json.dumps(plan))
    assert "presets have other rules than the plan: 'pdpc-5'" in refused(folder, "next.csv")


@pytest.mark.parametrize("rule", ["k-anonymity:k=9", "l-diversity:l=3"])
def test_other_thresholds_are_those_of_the_plan(folder, rule):
    """They are not in the policy, by which a release is judged, but decide what is suppressed."""
    plan = made(folder, "--threshold", rule)
    measure, _, asked = rule.partition(":")
    name, _, value = asked.partition("=")
    (own,) = [one for one in plan["rules"] if one["measure"] == measure]
    assert own["asked"][name] == int(value) > own["parameters"][name]
    told = json.loads(applied(folder, "raw.csv", "--format", "json").stdout)
    assert (folder / "n.csv").read_bytes() == (folder / "r.csv").read_bytes()
    applied(folder, "next.csv")
    classes = {}
    for record in zip(*(column(folder / "n.csv", one) for one in ("Age", "Zip", "City", "Illness")), strict=True):
        classes.setdefault(record[:3], []).append(record[3])
    classes.pop(("*", "*", "*"), None)
    found = [len(records) if name == "k" else len(set(records)) for records in classes.values()]
    assert min(found) >= int(value)
    assert told["within_the_limit"]


def test_plans_without_a_policy(folder):
    """Roles and rules as options: the plan has all that a policy would say."""
    (folder / "levels").mkdir()
    (folder / "levels/hierarchy_Zip.csv").write_text((folder / "zips.csv").read_text())
    (folder / "levels/hierarchy_City.csv").write_text("Taipei;*\nTainan;*\nIlan;*\n")
    table = [row for row in rows(0, 300) if "Village" not in row[3]]
    write(folder / "table.csv", NAMES, table)
    roles = ["--qi", "Zip,City", "--sensitive", "Illness", "--identifier", "Name", "--insensitive", "Age,Note"]
    roles += ["--role-reason", "Age=a test", "--role-reason", "Note=a test"]
    options = [*roles, "--hierarchies", "levels", "--measure", "k-anonymity:k=3", "--measure", "l-diversity:l=2"]
    done = run("anonymize", "table.csv", *options, "-o", "r.csv", "--keep-order", cwd=folder)
    assert done.returncode == 0, done.stderr
    applied(folder, "table.csv")
    assert (folder / "n.csv").read_bytes() == (folder / "r.csv").read_bytes()
    assert run("check", "n_policy.yaml", cwd=folder).returncode == 0


def test_python_takes_the_file_too(folder):
    made(folder)
    applied(folder, "next.csv")
    with pytest.warns(ReleaseWarning, match="hold only if no outsider knows"):
        result = apply_plan(folder / "next.csv", folder / "r_plan.json", order="original")
    assert column(folder / "n.csv", "Age") == result.table["Age"].to_pylist()
    assert result.satisfied_by_rule == {"pdpc-5": True, "diverse": True, "every-subset: highest-risk": True}


def test_the_schema_is_printed():
    done = run("schema", "plan", cwd=ROOT)
    assert json.loads(done.stdout)["$id"] == "urn:petworks:plan:1"


def test_a_release_on_levels_has_a_plan_although_a_column_that_stays_has_no_hierarchy(folder):
    (folder / "policy.yaml").write_text(
        POLICY.replace("  City: {rare: {fewer_than: 20}}\n", "").replace(", levels: {City: 0-1}", "")
    )
    done = run("apply", "policy.yaml", "--levels", "Age=4,Zip=2", "--suppress", "-o", "r.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    plan = json.loads((folder / "r_plan.json").read_text("utf-8"))
    assert plan["levels"] == [[4, 2, 0]]
    assert list(plan["hierarchies"]) == ["Age", "Zip"]
    assert run("check", "r_policy.yaml", cwd=folder).returncode == 0
    assert run("check", "r_policy.yaml", "--evidence", "evidence", cwd=folder).returncode == 0
    again = run("apply", "next.csv", "--plan", "r_plan.json", "-o", "n.csv", cwd=folder)
    assert again.returncode != 2, again.stderr


def test_a_plan_has_the_two_levels_of_a_column_without_a_hierarchy(folder):
    (folder / "policy.yaml").write_text(
        POLICY.replace("  City: {rare: {fewer_than: 20}}\n", "").replace(", levels: {City: 0-1}", "")
    )
    done = run("anonymize", "policy.yaml", "-o", "r.csv", cwd=folder)
    assert (done.returncode, "stay as they are or become '*': City" in done.stderr) == (0, True)
    plan = json.loads((folder / "r_plan.json").read_text("utf-8"))
    assert plan["hierarchies"]["City"]["height"] == 1
    assert run("check", "r_policy.yaml", cwd=folder).returncode == 0
    assert run("apply", "next.csv", "--plan", "r_plan.json", "-o", "n.csv", cwd=folder).returncode != 2
    done = run("apply", "policy.yaml", "--levels", "Age=3,Zip=1,City=1", "--suppress", "-o", "s.csv", cwd=folder)
    assert done.returncode != 2, done.stderr
    with (folder / "s.csv").open(encoding="utf-8") as file:
        assert {row["City"] for row in csv.DictReader(file)} == {"*"}
    kept = run("anonymize", "policy.yaml", "--level", "City=0", "--suppression", "1", "-o", "k.csv", cwd=folder)
    assert kept.returncode != 2, kept.stderr
