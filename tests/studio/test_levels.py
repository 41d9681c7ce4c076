"""The step Levels: sliders, what they would make, the release on these levels, and bounds of the search."""

import csv
import json
import re

import pytest

from command import petworks
from PETWorks import Release, ReleaseWarning, apply_levels, evaluate, read_policy
from PETWorks.studio.pages.hierarchies import columns_of
from PETWorks.studio.pages.levels import what_if_of
from processes import wait_for
from studio_client import entered, fields_of

POLICY = """\
petworks_policy: 1
data: people.csv
no_rule: {illness: a test}
roles:
  quasi_identifiers: [age, town, job]
  sensitive_attributes: [illness]
hierarchies:
  age: {width: [5, 10]}  # years
  town: {groups: {north: [a, b], south: [c, d]}}
rules:
  - measure: k-anonymity
    k: 3

# the end
"""
ADDRESS = "/levels?policy=policy.yaml"


def people(folder):
    rows = [(20 + number % 17, "abcd"[number % 4], "xyz"[number % 3], "pq"[number % 2]) for number in range(200)]
    with (folder / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("age", "town", "job", "illness"), *rows])


@pytest.fixture
def folder(tmp_path):
    people(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


def seen(page):
    return re.search(r'name="seen" value="(\w+)"', page.get(f"{ADDRESS}&wait=1").text)[1]


def ended(page, answer):
    """The page that a job leads to."""
    assert answer.status_code == 303, answer.text
    job = re.search(r"id=([\w-]+)", answer.headers["location"])[1]
    wait_for(lambda: not page.studio.jobs.of(job).is_running)
    return page.get(answer.headers["location"])


def test_the_table_is_counted_after_the_page_is_there(folder):
    with entered(folder) as page:
        first = page.get(ADDRESS).text
        assert 'data-load="/levels/body?policy=policy.yaml"' in first
        assert "wait=1" in first, "without script, too"
        later = page.get("/levels/body?policy=policy.yaml").text
        assert '<input type="range" id="level-0" name="level-0" min="0" max="3"' in later
        assert 'name="level-2"' not in later, "a column without a hierarchy stays as it is"
        assert '<input type="range"' in page.get(ADDRESS).text, "once it is counted, it is there at once"


def test_the_numbers_are_those_of_the_release_on_these_levels(folder):
    release = Release(folder / "people.csv", **given(folder))
    with pytest.warns(ReleaseWarning, match="sensitive-columns-have-rules: illness"):
        made = apply_levels(release, {"age": 2, "town": 1}, {"k-anonymity": {"k": 3}})
    with entered(folder) as page:
        part = page.get(f"{ADDRESS}&level-0=2&level-1=1", headers={"X-Part": "1"}).text
    assert "<html" not in part
    k = int(evaluate(made.release, {"k-anonymity": {}})["k-anonymity"].value)
    classes = made.release.class_sizes()
    assert f"Smallest group: {k};" in part
    row = re.search(r"equivalence classes</th><td.*?>([\d,]+)</td><td.*?>([\d,]+)</td>", part)
    before = Release(folder / "people.csv", given(folder)["roles"]).class_sizes().number
    assert [int(cell.replace(",", "")) for cell in row.groups()] == [before, classes.number]
    assert "petworks apply policy.yaml --levels age=2,town=1 -o people_released.csv" in part


def given(folder):
    policy = read_policy(folder / "policy.yaml")
    return {"roles": policy.roles, "hierarchies": dict(policy.hierarchies)}


def test_without_script_the_form_gives_the_whole_page(folder):
    with entered(folder) as page:
        whole = page.get(f"{ADDRESS}&wait=1&level-0=3&suppress=1").text
    assert "<html" in whole
    assert 'name="level-0" min="0" max="3" step="1" value="3"' in whole
    assert "checked" in whole
    assert "--suppress" in whole


def test_distinct_rows_are_counted_once_as_long_as_nothing_changes(folder):
    with entered(folder) as page:
        page.get(f"{ADDRESS}&wait=1")
        case = page.studio.cases.of(folder / "policy.yaml")
        first = what_if_of(case)
        page.get(f"{ADDRESS}&level-0=1")
        assert what_if_of(page.studio.cases.of(folder / "policy.yaml")) is first
        page.post("/levels/propose?policy=policy.yaml", data={"propose": "all", "seen": seen(page)})
        assert what_if_of(page.studio.cases.of(folder / "policy.yaml")) is not first


def test_the_release_is_the_one_that_the_command_makes(folder):
    fields = {"level-0": "2", "level-1": "1", "suppress": "1", "release": "ours.csv"}
    with entered(folder) as page:
        fields["seen"] = seen(page)
        shown = ended(page, page.post("/levels/apply?policy=policy.yaml", data=fields, follow_redirects=False))
        assert shown.url.path == "/compare"
        text = page.get(str(shown.url).replace("/compare?", "/compare/body?"), headers={"X-Part": "1"}).text
        out = text.partition('class="files out"')[2].partition('class="files inside"')
        assert all(f">{name}</a>" in out[0] for name in ("ours.csv", "ours_codebook.md", "ours_codebook.csv"))
        assert ">ours_policy.yaml</a>" in out[2]
        assert re.findall(r'class="summary (\w+)"', text) == ["fail", "pass"], "from the original to the release"
    done = petworks(
        *("apply", folder / "policy.yaml", "--levels", "age=2,town=1", "--suppress", "-o", folder / "theirs.csv")
    )
    assert done.returncode == 0, done.stderr
    ours, theirs = ((folder / name).read_bytes().splitlines() for name in ("ours.csv", "theirs.csv"))
    assert ours != theirs, "each has a random order of its own"
    assert sorted(ours) == sorted(theirs)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"release": "../out.csv"}, "name of a file in the folder of the policy"),
        ({"release": "people.csv"}, "exists and was not made here"),
        ({"release": "out.exe"}, "ends in one of"),
        ({"seen": "0"}, "changed in another window"),
    ],
)
def test_no_job_is_started_with_a_wrong_name_or_an_old_page(folder, change, told):
    with entered(folder) as page:
        fields = {"level-0": "1", "release": "out.csv", "seen": seen(page), **change}
        answer = page.post("/levels/apply?policy=policy.yaml", data=fields)
        assert answer.status_code == 400
        assert told in answer.text
        assert not page.studio.jobs.are_running
    assert {path.name for path in folder.iterdir() if not path.name.startswith(".")} == {"people.csv", "policy.yaml"}


@pytest.mark.parametrize(
    ("bound", "levels", "written"),
    [
        ("exactly", {"age": 2, "town": 0}, {"age": "2"}),
        ("at_least", {"age": 2, "town": 1}, {"age": {"at_least": "2"}, "town": {"at_least": "1"}}),
        ("at_most", {"age": 3, "town": 1}, {"town": {"at_most": "1"}}),
        ("at_least", {"age": 0, "town": 0}, None),
        ("", {"age": 2, "town": 1}, None),
    ],
)
def test_levels_go_along_and_become_bounds_of_the_search(folder, bound, levels, written):
    with entered(folder) as page:
        chosen = {"level-0": levels["age"], "level-1": levels["town"]}
        answer = page.post("/levels/carry?policy=policy.yaml", data=chosen, follow_redirects=False)
        assert answer.status_code == 303
        fields = fields_of(page.get(answer.headers["location"]).text, "/safe/run")
        assert {name: int(fields[name]) for name in chosen if name in fields} == {
            name: level for name, level in chosen.items() if level
        }
        if "bound" in fields:
            assert fields["bound"] == "at_least", "unless someone chooses otherwise"
            fields["bound"] = bound
        saved = page.post("/safe/run?policy=policy.yaml", data={**fields, "do": "save"}, follow_redirects=False)
        assert saved.status_code == 303
        assert read_policy(folder / "policy.yaml").anonymize.get("levels") == written
        text = (folder / "policy.yaml").read_text("utf-8")
        assert text.endswith("# the end\n")
        assert "# years" in text


def test_values_without_a_place_come_first_and_do_not_stop_the_other_columns(folder):
    text = POLICY.replace("c, d]", "c]")
    (folder / "policy.yaml").write_text(text, "utf-8")
    with entered(folder) as page:
        shown = page.get(f"{ADDRESS}&wait=1").text
        assert "1 value has no place" in shown
        assert shown.index("1 value has no place") < shown.index("level-0")
        assert 'name="level-0"' in shown
        assert 'name="level-1"' not in shown


def test_labels_of_periods_say_which_period_they_stand_for(folder):
    """Unless they say so in words, as those in the calendar of Taiwan do."""
    head, *lines = (folder / "people.csv").read_text("utf-8").splitlines()
    lines = [f"2025-04-0{row % 9 + 1},{line.partition(',')[2]}" for row, line in enumerate(lines)]
    (folder / "people.csv").write_text("\n".join([head, *lines]) + "\n", "utf-8")
    declared = "age: {dates: [quarter, year]}"
    for words, wanted in (
        (declared, "2025-Q2"),
        (declared.replace("]}", "], calendar: roc, labels: 民國113年}"), "民國114年第2季"),
    ):
        (folder / "policy.yaml").write_text(POLICY.replace("age: {width: [5, 10]}", words), "utf-8")
        with entered(folder) as page:
            page.cookies.set("petworks-language", "zh-TW")
            text = page.get(f"{ADDRESS}&level-0=1&wait=1").text
            assert wanted in text
            assert ("2025-Q2（季）" in text, "季（季）" in text) == (wanted == "2025-Q2", False)


def test_levels_that_a_hierarchy_does_not_have_are_its_highest_and_nonsense_is_ignored(folder):
    with entered(folder) as page:
        shown = page.get(f"{ADDRESS}&wait=1&level-0=99&level-1=x&level-7=1&level-=2&level-2=1").text
        assert "--levels age=3 " in shown


def test_hostile_names_stay_text(tmp_path):
    column = '<script>alert(1)</script>,"=\u202e'
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([(column, "town"), *[("<img src=x>", "a"), ("b", "b")] * 5])
    (tmp_path / "policy.yaml").write_text(
        f"petworks_policy: 1\ndata: people.csv\nroles:\n  quasi_identifiers: [{json.dumps(column)}, town]\n"
        f"hierarchies:\n  {json.dumps(column)}: {{rare: {{fewer_than: 3}}}}\n"
        "rules:\n  - measure: k-anonymity\n    k: 2\n",
        "utf-8",
    )
    with entered(tmp_path) as page:
        shown = page.get(f"{ADDRESS}&wait=1&level-0=1").text
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert "\u202e" not in shown
        answer = page.post(
            "/levels/apply?policy=policy.yaml",
            data={"level-0": "2", "release": "out.csv", "seen": seen(page)},
            follow_redirects=False,
        )
        assert ended(page, answer).url.path == "/compare"
    assert set((tmp_path / "out.csv").read_text("utf-8").splitlines()[1:]) == {"*,a", "*,b"}


def test_a_page_of_many_columns_stays_small(tmp_path):
    names = [f"a column with a rather long name, number {number}" for number in range(200)]
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *[[str(row + place) for place in range(200)] for row in range(40)]])
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: people.csv\nroles:\n  quasi_identifiers:\n"
        + "".join(f"    - {name!r}\n" for name in names)
        + "hierarchies:\n"
        + "".join(f"  {name!r}: {{width: [2, 4, 8, 16, 32, 64, 128]}}\n" for name in names)
        + "rules:\n  - measure: k-anonymity\n    k: 2\n",
        "utf-8",
    )
    with entered(tmp_path) as page:
        shown = page.get(f"{ADDRESS}&wait=1").text
        assert "140 more columns" in shown
        assert len(shown.encode()) < 150_000
        assert len(page.get(f"{ADDRESS}&level-0=1", headers={"X-Part": "1"}).text.encode()) < 30_000


def test_chinese(folder):
    with entered(folder) as page:
        page.cookies.set("petworks-language", "zh-TW")
        assert "第 0 層（最高第 3 層）" in page.get(f"{ADDRESS}&wait=1").text


def test_a_table_whose_levels_cannot_be_changed_says_why(folder):
    (folder / "people.csv").write_text("age,town,job,illness\n*,*,*,p\n*,*,*,q\n", "utf-8")
    with entered(folder) as page:
        shown = page.get(f"{ADDRESS}&wait=1")
        assert shown.status_code == 200
        assert "suppressed already" in shown.text
        assert columns_of(page.studio.cases.of(folder / "policy.yaml")).names == ("age", "town", "job")
