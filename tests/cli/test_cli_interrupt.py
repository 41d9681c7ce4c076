"""Ctrl-C while petworks anonymize searches: the best release so far, then its verdict; twice, and it just ends."""

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from conftest import ROOT
from processes import PATIENCE

QI = "sex,age,race,marital-status,education,native-country,occupation,salary-class"
SCRIPT = Path(sys.executable).with_name("petworks")


def on_a_terminal(arguments, signs, folder):
    """The exit code of a command, and what a terminal showed; SIGINT is sent whenever the next of the signs appears."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm", COLUMNS="80")
        os.execv(SCRIPT, [str(SCRIPT), *map(str, arguments)])
    shown, signs, end = b"", list(signs), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                shown += os.read(terminal, 1 << 16)
            except OSError:  # the command has ended
                break
        if signs and signs[0] in shown:
            signs.pop(0)
            os.kill(child, signal.SIGINT)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return code, shown.decode()


@pytest.fixture
def arguments():
    return [
        *("anonymize", ROOT / "data/adult.csv", "--qi", QI, "--sensitive", "workclass", "--suppression", "0.05"),
        *("--hierarchies", ROOT / "data/adult_hierarchy", "--measure", "k-anonymity:k=3"),
        *("--measure", "l-diversity:l=2"),
        *("--objective", "discernibility", "-o", "released.csv", "--html", "report.html"),
    ]


@pytest.mark.slow
def test_the_best_so_far_is_written_and_judged(arguments, tmp_path):
    code, shown = on_a_terminal(arguments, [b"best loss"], tmp_path)
    assert "the search was stopped; this is the best release so far" in shown
    assert code == 0, shown
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "released.csv",
        "released.csv.unfinished",
        "released_hierarchies",
        "released_plan.json",
        "released_policy.yaml",
        "report.html",
    ]
    assert "The search was stopped after" in (tmp_path / "report.html").read_text("utf-8")
    assert "none below" in shown, "the gap"


@pytest.mark.slow
def test_a_second_one_ends_it(arguments, tmp_path):
    code, shown = on_a_terminal(arguments, [b"best loss", b"the search was stopped"], tmp_path)
    assert code == 130, shown
    assert "petworks: interrupted" in shown
    left = {path.name for path in tmp_path.iterdir()}
    assert "released.csv.unfinished" in left, "what was found is not lost"
    left.remove("released.csv.unfinished")
    whole = {"released.csv", "released_hierarchies", "released_plan.json", "released_policy.yaml"}
    assert left in (set(), whole), "nothing is half-written"
    assert ("petworks: wrote released.csv" in shown) == (left == whole), "what was written is named"


@pytest.mark.slow
def test_without_any_release_it_just_ends(arguments, tmp_path):
    code, shown = on_a_terminal(arguments, [b"reading"], tmp_path)
    assert code == 130, shown
    assert list(tmp_path.iterdir()) == []
