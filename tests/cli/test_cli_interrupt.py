"""Ctrl-C while petworks anonymize searches: the best release so far, then its verdict; twice, and it just ends."""

import os
import pty
import select
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from processes import PATIENCE
from studio_client import write_long_search

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
def arguments(tmp_path):
    """Of a search that finds a release at once and would go on for minutes."""
    write_long_search(tmp_path)
    return ["anonymize", "wide_policy.yaml", "-o", "released.csv", "--html", "report.html"]


@pytest.mark.slow
def test_the_best_so_far_is_written_and_judged(arguments, tmp_path):
    code, shown = on_a_terminal(arguments, [b"best loss"], tmp_path)
    assert "the search is not finished; this is the best release so far" in shown
    assert code == 0, shown
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "released.csv",
        "released.csv.unfinished",
        "released_codebook.csv",
        "released_codebook.md",
        "released_hierarchies",
        "released_plan.json",
        "released_policy.yaml",
        "report.html",
        "wide.csv",
        "wide_policy.yaml",
    ]
    assert "The search was not finished: another release may lose less" in (tmp_path / "report.html").read_text("utf-8")
    assert "none below" in shown, "the gap"


@pytest.mark.slow
def test_a_second_one_ends_it(arguments, tmp_path):
    code, shown = on_a_terminal(arguments, [b"best loss", b"the search is not finished"], tmp_path)
    assert code == 130, shown
    assert "petworks: interrupted" in shown
    left = {path.name for path in tmp_path.iterdir()} - {"wide.csv", "wide_policy.yaml"}
    assert "released.csv.unfinished" in left, "what was found is not lost"
    left.remove("released.csv.unfinished")
    whole = {"released.csv", "released_hierarchies", "released_plan.json", "released_policy.yaml"}
    whole |= {"released_codebook.csv", "released_codebook.md"}
    assert left in (set(), whole), "nothing is half-written"
    assert ("petworks: wrote released.csv" in shown) == (left == whole), "what was written is named"


@pytest.mark.slow
def test_without_any_release_it_just_ends(tmp_path):
    """While it reads a view that never ends."""
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        database.execute(
            "CREATE VIEW endless AS "
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT (n + 1) % 1000 FROM t) SELECT n AS zip FROM t"
        )
    database.close()
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: t.sqlite#endless\nroles: {quasi_identifiers: [zip]}\n"
        "hierarchies: {zip: {width: [10]}}\nrules: [{measure: k-anonymity, k: 2}]\n",
        "utf-8",
    )
    code, shown = on_a_terminal(["anonymize", "policy.yaml", "-o", "released.csv"], [b"reading"], tmp_path)
    assert code == 130, shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.yaml", "t.sqlite"]
