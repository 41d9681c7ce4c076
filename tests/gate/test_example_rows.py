"""Records before and after: the right ones, on the page and in the internal report, and nowhere else."""

import csv
import re

import pytest

from command import petworks
from PETWorks import read_policy
from PETWorks.gate.case import Case

POLICY = """petworks_policy: 1
data: people.csv
roles:
  {identifiers: [name], quasi_identifiers: [age, place], sensitive_attributes: [note], insensitive_attributes: [cost]}
role_reasons: {cost: made up}
hierarchies: {age: {width: [5, 10]}}
rules: [{measure: k-anonymity, k: 4}]
no_rule: {note: known}
unique_values: {share: 1, reason: known}
anonymize: {suppression: 0.3, protect: {cost: {round: 100}}, levels: {age: 1, place: 0}}
"""


def row(number):
    """A person whose note tells who it is; every tenth lives alone and will be removed."""
    place = f"far{number}" if number % 10 == 0 else "near" if number % 2 else "nigh"
    return f"name-{number},{20 + number % 20},{place},note-{number}x,{1234 + number}"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text("\n".join(["name,age,place,note,cost", *map(row, range(100))]) + "\n")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


@pytest.mark.parametrize("order", ["--shuffle", "--keep-order"])
def test_the_same_records_before_and_after(folder, order):
    ran = petworks("anonymize", folder / "policy.yaml", "-o", folder / "out.csv", order)
    assert ran.returncode == 1  # the notes are nearly unique
    found = Case(read_policy(folder / "out_policy.yaml")).example_rows
    assert found.columns == ("age", "place", "note", "cost")
    assert len(found.rows) == 5
    for line in found.rows:
        number = int(re.fullmatch(r"note-(\d+)x", line.before[2])[1])
        age, place, note, cost = row(number).split(",")[1:]
        assert line.before == (age, place, note, cost)
        assert place in ("near", "nigh")
        assert line.after[1:3] == (place, note)
        assert line.after[0] != age
        assert line.after[3] == str(round(int(cost), -2))
    assert len({line.before for line in found.rows}) == 5


def test_what_the_new_cells_are_is_said(folder):
    options = ["--show", "age=mean", "--html", folder / "out_report.html"]
    assert petworks("anonymize", folder / "policy.yaml", "-o", folder / "out.csv", *options).returncode == 1
    assert Case(read_policy(folder / "out_policy.yaml")).example_rows.shown == {"age": "mean"}
    report = (folder / "out_report.html").read_text("utf-8")
    assert '>age<div class="note">' in report
    assert "mean of those who look the same" in report


def test_cells_are_in_the_internal_report_and_nowhere_else(folder):
    reports = {name: folder / f"report.{name}" for name in ("html", "json", "markdown", "junit")}
    options = [part for name, path in reports.items() for part in (f"--{name}", path)]
    made = petworks(
        "anonymize", folder / "policy.yaml", "-o", folder / "out.csv", "--keep-order", "--explain", *options
    )
    (cell,) = {line.before[2] for line in Case(read_policy(folder / "out_policy.yaml")).example_rows.rows[:1]}
    texts = {name: path.read_text() for name, path in reports.items()}
    assert cell in texts.pop("html")
    texts["printed"] = made.stdout + made.stderr
    assert "Unchanged in every record (2): place, note." in texts["printed"]
    assert "Coarser (2): age, cost." in texts["printed"]
    for name in ("html", "json"):
        again = petworks(
            "anonymize", folder / "policy.yaml", "-o", folder / "out.csv", "--keep-order", f"--{name}", "-"
        )
        texts[f"{name} on a terminal"] = again.stdout + again.stderr
    more = ("--html", folder / "check.html", "--edition", "both", "--evidence", folder / "evidence")
    checked = petworks("check", folder / "out_policy.yaml", *more)
    texts["check"] = checked.stdout + checked.stderr
    for path in [*folder.glob("check*.html"), *(folder / "evidence").rglob("*")]:
        texts |= {str(path): path.read_text()} if path.is_file() else {}
    assert len(texts) > 10
    for name, text in texts.items():
        assert not re.search(r"note-\d+x|name-\d+", text), name
    assert "name-" not in reports["html"].read_text()


def test_without_a_known_order_there_are_none(folder):
    petworks("anonymize", folder / "policy.yaml", "-o", folder / "out.csv", "--shuffle")
    policy = folder / "out_policy.yaml"
    policy.write_text(re.sub("^seed: .*\n", "", policy.read_text(), flags=re.MULTILINE))
    assert Case(read_policy(policy)).example_rows is None


@pytest.mark.parametrize("order", ["--shuffle", "--keep-order"])
def test_how_many_people_look_the_same(folder, order):
    """Counted once more in plain Python, in the original and in the release; and as few columns as say as much."""
    petworks("anonymize", folder / "policy.yaml", "-o", folder / "out.csv", order)
    found = Case(read_policy(folder / "out_policy.yaml")).example_rows
    known = range(2)  # age and place
    original = [row(number).split(",")[1:3] for number in range(100)]
    released = [line[:2] for line in csv.reader((folder / "out.csv").read_text().splitlines()[1:])]

    def alike(rows, cells, columns):
        return sum(all(one[column] == cells[column] for column in columns) for one in rows)

    for line in found.rows:
        assert line.alike == (alike(original, line.before, known), alike(released, line.after, known))
        assert line.alike[0] <= line.alike[1]
        assert line.alike[1] >= 4
    told = found.rows[[one.alike[0] for one in found.rows].index(min(one.alike[0] for one in found.rows))]
    names = ("age", "place")
    shown = {place for place in known if f"{names[place]} {told.before[place]}" in found.story.before}
    assert found.story.before == tuple(f"{names[place]} {told.before[place]}" for place in sorted(shown))
    assert found.story.after == tuple(f"{names[place]} {told.after[place]}" for place in sorted(shown))
    assert found.story.alike == (alike(original, told.before, shown), alike(released, told.after, shown))
    assert found.story.alike[0] == told.alike[0]


def test_people_with_several_records_count_once(tmp_path):
    lines = [f"p{person},{30 + person % 2},{visit}" for person in range(20) for visit in range(1 + person % 3)]
    (tmp_path / "visits.csv").write_text("\n".join(["person,age,visit", *lines]) + "\n")
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: visits.csv\nprivacy_unit: person\n"
        "roles: {quasi_identifiers: [age], insensitive_attributes: [visit]}\nrole_reasons: {visit: a counter}\n"
        "hierarchies: {age: {width: [5]}}\nrules: [{measure: k-anonymity, k: 15}]\nanonymize: {levels: {age: 1}}\n"
    )
    petworks("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    found = Case(read_policy(tmp_path / "out_policy.yaml")).example_rows
    assert {line.alike for line in found.rows} == {(10, 20)}
