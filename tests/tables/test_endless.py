"""Views that never end: signals still end the program."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

import postgres_server
from processes import PATIENCE, has_open

COUNTING = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT (n + 1) % 1000 FROM t) SELECT n AS zip FROM t"
CODES = {signal.SIGTERM: 143, signal.SIGINT: 130}


def stopped(table, number, started):
    """Exit code and standard error of a command that got a signal when it was at work; it would not end by itself."""
    script = str(Path(sys.executable).with_name("petworks"))
    command = [script, "evaluate", str(table), "--qi", "zip", "--memory-limit", "500MB"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        started(running)
        running.send_signal(number)
        _, errors = running.communicate(timeout=PATIENCE)
        return running.returncode, errors
    finally:
        running.kill()


def computing(path):
    """Wait until a process has opened a file and then computed for a third of a second."""

    def used(running):
        ticks = Path(f"/proc/{running.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def wait(running):
        opened = None
        while running.poll() is None:
            if opened is None and has_open(running, path):
                opened = used(running)
            if opened is not None and used(running) > opened + 1 / 3:
                return
            time.sleep(0.05)

    return wait


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the state of a process is read from /proc")
@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "duckdb, before the first row"])
def test_signals_end_the_reading_of_an_endless_view(tmp_path, kind, number):
    if kind == "sqlite":
        path = tmp_path / "t.sqlite"
        connection = sqlite3.connect(path)
        connection.execute(f"CREATE VIEW endless AS {COUNTING}")
    else:
        path = tmp_path / "t.duckdb"
        connection = duckdb.connect(str(path))
        never = "SELECT a.range AS zip FROM range(10000000) a, range(10000000) b WHERE a.range * 7 + b.range < 0"
        connection.execute(f"CREATE VIEW endless AS {COUNTING if kind == 'duckdb' else never}")
    connection.close()
    code, errors = stopped(f"{path}#endless", number, computing(path))
    assert code == CODES[number], errors
    assert errors == ("petworks: interrupted\n" if number == signal.SIGINT else "")


@pytest.mark.slow
@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
def test_signals_end_the_waiting_for_a_server(number):
    if postgres_server.programs() is None:
        pytest.skip("there is no PostgreSQL server on this machine (Debian: postgresql)")
    with postgres_server.server() as server:
        server.sql("CREATE VIEW endless AS SELECT (SELECT 1 FROM pg_sleep(600)) AS zip")
        others = "state = 'active' AND query LIKE '%endless%' AND pid <> pg_backend_pid()"
        busy = f"SELECT count(*) FROM pg_stat_activity WHERE {others}"

        def waiting(running):
            while server.sql(busy) == "0":
                assert running.poll() is None, running.communicate()
                time.sleep(0.1)

        code, errors = stopped(f"{server.url}#endless", number, waiting)
    assert code == CODES[number], errors
