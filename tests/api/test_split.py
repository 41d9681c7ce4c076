"""`split` and `petworks split`: control people are kept aside."""

import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet
import pytest

from command import petworks
from PETWorks import split
from PETWorks.errors import PETWorksError

VISITS = {
    "patient": ["p1", "p2", "P1", "p3", "p4", "p2", "p5", "p1"],
    "ward": list("abcdefgh"),
}


def test_parts_are_the_table():
    table = {"n": [str(number) for number in range(50)]}
    parts = split(table, control="1/5", seed=3)
    kept, aside = (part["n"].to_pylist() for part in (parts.original, parts.control))
    assert (len(kept), len(aside), parts.people) == (40, 10, (40, 10))
    assert sorted([*kept, *aside], key=int) == table["n"]
    assert kept == sorted(kept, key=int)
    assert split(table, control=0.2, seed=3).control == parts.control
    assert split(table, control=0.2, seed=4).control != parts.control
    drawn = split(table)
    assert split(table, seed=drawn.seed).control == drawn.control


def test_every_record_has_the_same_chance():
    seen = Counter()
    for seed in range(200):
        seen.update(split({"n": list("abcde")}, control=0.4, seed=seed).control["n"].to_pylist())
    assert sum(seen.values()) == 400
    assert min(seen.values()) > 55  # 80 are expected


def test_records_of_a_person_stay_together_however_they_are_spelt():
    for seed in range(20):
        parts = split(VISITS, control=0.4, seed=seed, person="patient")
        people = [{name.lower() for name in part["patient"].to_pylist()} for part in (parts.original, parts.control)]
        assert not people[0] & people[1]
        assert (len(people[0]), len(people[1])) == parts.people == (3, 2)
        assert parts.original.num_rows + parts.control.num_rows == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"control": 0}, "expected control as a share between 0 and 1, such as 0.2, got '0'"),
        ({"control": "1"}, "expected control as a share between 0 and 1"),
        ({"control": "many"}, "expected control as a share between 0 and 1"),
        ({"control": 0.01}, "of 8 people, 0.01 are 0; both parts need at least one"),
        ({"seed": -1}, "expected a seed that is a whole number"),
        ({"seed": True}, "expected a seed that is a whole number"),
        ({"person": "patients"}, "patients"),
    ],
)
def test_mistakes(options, message):
    with pytest.raises(PETWorksError, match=message):
        split(VISITS, **options)
    with pytest.raises(PETWorksError, match="the column 'patient' names no person in some records"):
        split({"patient": ["a", None, "b"]}, person="patient")


def test_files_are_written_together_in_the_format_of_the_input(tmp_path):
    table = tmp_path / "visits.csv"
    table.write_text("patient;ward\n" + "".join(f"p{n % 40};{n}\n" for n in range(120)), "utf-8")
    done = petworks("split", table, "--person", "patient", "--control", "0.25", "--seed", "7")
    assert done.returncode == 0, done.stderr
    assert "90 records to make a synthetic table of; 30 records of 10 control people" in done.stderr
    assert "fewer than 100 control people are too few for a verdict" in done.stderr
    original, control = (
        (tmp_path / f"visits_{part}.csv").read_text("utf-8").splitlines() for part in ("original", "control")
    )
    assert original[0] == control[0] == "patient;ward"
    assert sorted(original[1:] + control[1:]) == sorted(table.read_text("utf-8").splitlines()[1:])
    record = json.loads((tmp_path / "visits_control_split.json").read_text("utf-8"))
    assert (record["seed"], record["person"], record["people"], record["records"]) == (
        "7",
        "patient",
        [30, 10],
        [90, 30],
    )
    # Nobody who was kept aside is mixed up with the others by a second split.
    again = petworks("split", table, "--seed", "8")
    assert (again.returncode, (tmp_path / "visits_control.csv").read_text("utf-8").splitlines()) == (2, control)
    assert "it exists, and people who were kept aside must stay so" in again.stderr


def test_a_folder_is_no_table(tmp_path):
    done = petworks("split", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_other_formats_and_names(tmp_path):
    pa.parquet.write_table(pa.table({"n": list(range(500))}), tmp_path / "t.parquet")
    done = petworks(
        "split", tmp_path / "t.parquet", "-o", tmp_path / "a.parquet", "--control-output", tmp_path / "b.csv"
    )
    assert done.returncode == 0, done.stderr
    assert pa.parquet.read_table(tmp_path / "a.parquet").schema == pa.schema({"n": pa.int64()})
    assert len((tmp_path / "b.csv").read_text().splitlines()) == 101
    same = petworks("split", tmp_path / "t.parquet", "-o", tmp_path / "c.csv", "--control-output", tmp_path / "c.csv")
    assert (same.returncode, (tmp_path / "c.csv").exists()) == (2, False)
    unknown = petworks("split", tmp_path / "t.parquet", "-o", tmp_path / "c.ods")
    assert (unknown.returncode, (tmp_path / "t_control.parquet").exists()) == (2, False)
