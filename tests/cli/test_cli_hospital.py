"""A hospital's raw table, in Chinese, becomes a release that passes: two commands, and no file written by hand."""

import csv
import json
import re

import pytest

from command import petworks
from PETWorks.anonymizer.plan import parse_record_numbers
from PETWorks.cli.demo import write_hospital


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    """The folder in which the two commands ran, and what each of them printed."""
    folder = tmp_path_factory.mktemp("ward")
    write_hospital(folder / "hospital.csv", 1_500)
    init = petworks("init", folder / "hospital.csv")
    anonymized = petworks(
        *("anonymize", folder / "hospital_policy.yaml", "-o", folder / "released.csv"),
        *("--html", folder / "report.html", "--lang", "zh-TW", "--keep-order"),
    )
    return folder, init, anonymized


def test_two_commands_lead_from_raw_to_pass(ward):
    folder, init, anonymized = ward
    assert init.returncode == 0, init.stderr
    assert anonymized.returncode == 0, anonymized.stderr
    assert petworks("check", folder / "hospital_policy.yaml").returncode == 1, "the raw table fails"
    checked = petworks("check", folder / "released_policy.yaml")
    assert checked.returncode == 0
    assert checked.stdout.startswith("pass released.csv\n"), "and not called like the raw table"


def test_init_names_the_next_commands(ward):
    folder, init, _ = ward
    check, anonymize = init.stdout.splitlines()[-2:]
    assert re.search(r"petworks check \S*hospital_policy\.yaml$", check)
    assert re.search(r"petworks anonymize \S*hospital_policy\.yaml -o \S*hospital_released\.csv --html", anonymize)
    assert folder.joinpath("hospital_policy.yaml").read_text("utf-8").count("petworks anonymize makes") == 1


def test_the_release_has_neither_names_nor_numbers_of_people(ward):
    folder, _, _ = ward
    before = list(csv.DictReader((folder / "hospital.csv").read_text("utf-8").splitlines()))
    after = list(csv.DictReader((folder / "released.csv").read_text("utf-8").splitlines()))
    assert set(before[0]) - set(after[0]) == {"姓名", "病歷號"}
    plan = json.loads((folder / "released_plan.json").read_text("utf-8"))
    removed = parse_record_numbers(plan["removed"], len(before))
    assert len(removed) == len(before) - len(after) <= 0.05 * len(before)
    assert [row["診斷碼"] for row in after] == [
        row["診斷碼"] for place, row in enumerate(before) if place not in set(removed)
    ]
    assert not any(row["性別"] == "*" == row["科別"] for row in after)


def test_the_output_and_the_report_are_in_the_language_that_was_asked_for(ward):
    folder, _, anonymized = ward
    assert anonymized.stdout.startswith("通過 released.csv")
    assert "逐列調整" in anonymized.stdout
    assert "找到某人的機率平均為" in anonymized.stdout
    assert not re.search(r"\b(loss|suppressed|found|verdict)\b", anonymized.stdout)
    assert '<html lang="zh' in (folder / "report.html").read_text("utf-8")


def test_rules_that_nothing_keeps_are_named_with_a_remedy(tmp_path):
    write_hospital(tmp_path / "few.csv", 8)
    assert petworks("init", tmp_path / "few.csv").returncode == 0
    failed = petworks("anonymize", tmp_path / "few_policy.yaml", "-o", tmp_path / "released.csv")
    assert failed.returncode == 2
    assert "8 of 8 records are in classes that fail; loosen, waive or leave out a rule" in failed.stderr
    assert "more suppression" not in failed.stderr, "it would not help"
    assert not (tmp_path / "released.csv").exists()
