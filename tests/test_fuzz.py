"""A short run of the fuzzer on every target, the cases that once failed, and what the fuzzer counts as a failure."""

from dataclasses import replace
from random import Random

import pytest
from fuzz.case import MARKER, Case
from fuzz.run import Fuzzer, fuzz, repeat
from fuzz.targets import SEARCHES, TARGETS
from fuzz.targets.base import Tally, Target
from fuzz.verdicts import failures
from fuzz.worker import MEMORY_BYTES, CommandResult, Outcome, Worker

from conftest import ROOT

INTERNAL = "petworks: KeyError: an error in the program itself"
TABLE = Case("csv", {"t.csv": f"zip,age\n1,{MARKER}\n".encode()}, [["evaluate", "t.csv", "--qi", "zip"]], ["t.csv"])


@pytest.fixture(scope="module")
def worker():
    worker = Worker()
    yield worker
    worker.stop()


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_short_run_finds_nothing(name, worker, tmp_path):
    summary = Fuzzer(TARGETS[name], Random(1), worker, tmp_path).run(60, most_cases=6)
    assert summary.cases == 6
    assert summary.lines
    assert not summary.failures


@pytest.mark.parametrize("path", sorted((ROOT / "fuzz/corpus").glob("*.json")), ids=lambda path: path.stem)
def test_what_once_failed_does_not_any_more(path, worker):
    case = Case.load(path)
    assert not failures(case, worker.run(case))


def kinds(case, *ended, **outcome):
    return [failure.partition("\n")[0] for failure in failures(case, Outcome(list(ended), **outcome))]


@pytest.mark.parametrize(
    ("ended", "kind"),
    [
        (CommandResult(3, "", f'File "PETWorks/a.py", line 7\n{INTERNAL}'), "exit code 3 at a.py:7 (KeyError)"),
        (CommandResult(None, "", ""), "exit code None"),
        (CommandResult(0, "", "x.py:1: RuntimeWarning: overflow"), "warning: x.py:_: RuntimeWarning: overflow"),
        (CommandResult(2, "", f"petworks: {MARKER}0 is no number"), "leak: a cell is in standard error"),
        (CommandResult(0, "{}", "", changed=["t.csv"]), "input changed"),
        (CommandResult(0, "", "", created={".petworks-1-2-0.partial": b""}), "half-written file left"),
        (CommandResult(2, "", "", created={"out.csv": b"a\n"}), "file written in spite of an error"),
        (CommandResult(0, "", "", created={"out.json": b'{"a": NaN}'}), "output is not whole: json"),
    ],
)  # fmt: skip
def test_failures_are_seen(ended, kind):
    assert kinds(TABLE, ended) == [kind]
    assert kinds(TABLE, CommandResult(0, f"{MARKER}", "", created={"out.json": b"{}"})) == []


def test_memory_counts():
    assert kinds(TABLE, CommandResult(0, "", ""), memory=MEMORY_BYTES + (1 << 20)) == ["memory"]


def test_a_marker_in_a_header_may_be_named():
    header = TABLE.with_file("t.csv", f"{MARKER},b\n1,2\n".encode())
    assert kinds(header, CommandResult(2, "", f"petworks: no column {MARKER!r}")) == []


def test_different_answers_are_seen():
    case = replace(TABLE, commands=TABLE.commands * 2, agree=True)
    memory = CommandResult(0, '{"engine": "memory", "value": [1.0, 2]}', "")
    assert kinds(case, memory, CommandResult(0, '{"engine": "duckdb", "value": [1, 2]}', "")) == []
    assert kinds(case, memory, CommandResult(0, '{"engine": "duckdb", "value": [1, 3]}', "")) == [
        "different answers at .value[]"
    ]
    assert kinds(case, memory, CommandResult(2, "", "no")) == ["different exit codes 0 and 2"]
    assert kinds(case, memory, CommandResult(2, "", "use the engine 'memory' (--engine memory)")) == []


def test_what_a_command_writes_the_next_must_accept():
    case = replace(TABLE, commands=TABLE.commands * 2, chain=True)
    assert kinds(case, CommandResult(1, "", ""), CommandResult(2, "", "no")) == ["evaluate rejects what was written"]
    assert kinds(case, CommandResult(2, "", "no"), CommandResult(2, "", "no")) == []


@pytest.mark.slow
def test_a_process_that_hangs_or_dies_is_replaced():
    worker = Worker(seconds=0.0)
    assert failures(TABLE, worker.run(TABLE))[0].startswith("hang: ")
    worker = Worker()
    assert worker.run(TABLE).ended[0].code == 0
    worker._process.kill()
    assert failures(TABLE, worker.run(TABLE))[0].startswith("died with exit code -9")
    assert worker.run(TABLE).ended[0].code == 0
    worker.stop()


@pytest.mark.slow
def test_a_failure_is_saved_and_can_be_repeated(tmp_path, capsys):
    class Wrong(Target):
        name = "wrong"

        def make(self, random):
            return replace(TABLE, commands=[["evaluate", "t.csv", "--qi", "zip"], ["evaluate", "t.csv"]], agree=True)

    worker = Worker()
    summary = Fuzzer(Wrong(), Random(1), worker, tmp_path).run(60, 1)
    worker.stop()
    (path,) = (tmp_path / "failures").iterdir()
    assert summary.failures == {"different exit codes 0 and 2": str(path)}
    assert repeat(path) == 1
    assert "FAILURE: different exit codes 0 and 2" in capsys.readouterr().out


def test_a_search_of_its_own_kind_can_be_added(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(SEARCHES, "new", lambda random, seconds: Tally(int(seconds), ["bad\nhow to repeat it"]))
    (summary,) = fuzz(["new"], 5, seed=1, cache=tmp_path)
    assert (summary.cases, list(summary.failures)) == (5, ["bad"])
    assert [path.read_text() for path in (tmp_path / "failures").iterdir()] == ["bad\nhow to repeat it"]
