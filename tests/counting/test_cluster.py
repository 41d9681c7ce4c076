"""A real Spark cluster on loopback: the right answers with workers lost, nothing left running, Spark Connect."""

import contextlib
import importlib.util
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import ROOT
from PETWorks import Release, evaluate
from processes import PATIENCE, wait_for
from searches import anonymize
from spark_cluster import cluster, needs_spark

pytestmark = needs_spark

ROWS = 24_000
ROLES = {"a": "quasi_identifier", "b": "quasi_identifier", "s": "sensitive_attribute", "name": "identifier"}
MEASURES = ["k-anonymity", "t-closeness", "l-diversity", "re-identification", "attribute-inference"]
LEVELS = {
    "a": [(str(n), str(n // 7), "*") for n in range(70)],
    "b": [(str(n), str(n // 5), "*") for n in range(50)],
}
RULES = {"k-anonymity": {"k": 30}, "l-diversity": {"l": 3}}
SUPPRESSION = 0.05
PARTS = 12

# Each batch takes half a second; what the other side does in between is told by lines.
DRIVER = """
import json, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
from PETWorks import Release, evaluate
from PETWorks.anonymizer.anonymization import anonymize_release
from PETWorks.anonymizer.rules import check_rules

kind, address, folder = sys.argv[1:4]
roles, measures, levels, rules, share, rows, parts = map(json.loads, sys.argv[4:])
builder = SparkSession.builder.config("spark.ui.showConsoleProgress", "false").config("spark.executor.memory", "512m")
spark = (builder.remote(address) if kind == "connect" else builder.master(address)).getOrCreate()

def slowly(batches):
    for batch in batches:
        time.sleep(0.5)
        yield batch

def told(release):
    print(json.dumps([result.to_dict() for result in evaluate(release, measures)]), flush=True)

cells = ["string(id % 70 * (id % 11) % 70) AS a", "string(id * 31 % 97 % 50) AS b"]
cells += ["if(id % 13 = 0, NULL, string(id % 5)) AS s", "string(id) AS name", "id AS number"]

def table(parts):
    return spark.range(0, rows, 1, parts).selectExpr(*cells)

def slow_table(parts):
    return table(parts).mapInArrow(slowly, "a string, b string, s string, name string, number long")

if kind == "connect":
    told(Release(table(parts), roles))
else:
    release = Release(slow_table(parts), roles, levels)
    print("loaded", flush=True)
    sys.stdin.readline()
    told(release)
    found = anonymize_release(release, check_rules(rules), suppression=share)
    print(json.dumps(found.to_dict()), flush=True)
    Path(folder).mkdir()
    found.write_parts(Path(folder))
    print("written", flush=True)
try:
    print("waiting", flush=True)
    Release(slow_table(100), roles)  # takes far longer than until it is interrupted
except KeyboardInterrupt:
    print("interrupted", flush=True)
    if kind == "cluster":
        print(json.dumps(spark.sparkContext.statusTracker().getActiveJobsIds()), flush=True)
    sys.stdin.readline()
spark.stop()
"""


@pytest.fixture(scope="module")
def table():
    numbers = range(ROWS)
    return {
        "a": [str(n % 70 * (n % 11) % 70) for n in numbers],
        "b": [str(n * 31 % 97 % 50) for n in numbers],
        "s": [None if n % 13 == 0 else str(n % 5) for n in numbers],
        "name": [str(n) for n in numbers],
        "number": list(numbers),
    }


def measured(release):
    return [result.to_dict() for result in evaluate(release, MEASURES)]


@pytest.fixture(scope="module")
def running():
    """The cluster of all tests here; the first of them leaves one worker of three."""
    with cluster(3) as found:
        yield found


@pytest.fixture
def driver(running, tmp_path):
    drivers = []

    def start(kind, address, folder=""):
        program = tmp_path / "driver.py"
        program.write_text(DRIVER)
        values = (ROLES, MEASURES, LEVELS, RULES, SUPPRESSION, ROWS, PARTS)
        arguments = [kind, address, folder, *map(json.dumps, values)]
        with (tmp_path / "stderr").open("w") as errors:
            started = subprocess.Popen(
                [sys.executable, "-W", "ignore", program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=errors, text=True, cwd=ROOT, env=running.environment(),
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )  # fmt: skip
        drivers.append(started)
        return started

    yield start
    for process in drivers:
        process.kill()
        process.communicate()


def line(process, tmp_path):
    found = process.stdout.readline()
    assert found, (tmp_path / "stderr").read_text()[-3000:]
    return found.strip()


def interrupt(process, tmp_path):
    """Interrupt a driver that waits for its executors."""
    assert line(process, tmp_path) == "waiting"
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    assert line(process, tmp_path) == "interrupted"


def busy(processes):
    """Processor time that they have used, in ticks; of those that are still there."""
    ticks = 0
    for one in processes:
        with contextlib.suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    return ticks


def assert_nothing_runs(running):
    """Python processes may wait for the next job, but do nothing."""
    until = time.monotonic() + PATIENCE
    while True:
        there = running.python_processes()
        before = busy(there)
        time.sleep(1.5)
        if running.python_processes() == there and busy(there) == before:
            return
        assert time.monotonic() < until


def test_workers_are_lost_and_a_job_is_cancelled(running, driver, table, tmp_path):
    """One before the search, with the codes that it keeps, which are made again; one while the release is written."""
    release = Release(table, ROLES, LEVELS)
    expected = anonymize(table, ROLES, LEVELS, RULES, suppression=SUPPRESSION)
    assert expected.suppressed
    folder = tmp_path / "released"
    process = driver("cluster", running.url, folder)
    assert line(process, tmp_path) == "loaded"
    running.kill_worker(0)
    process.stdin.write("go on\n")
    process.stdin.flush()
    assert json.loads(line(process, tmp_path)) == measured(release)
    assert json.loads(line(process, tmp_path)) == json.loads(json.dumps(expected.to_dict()))
    wait_for(lambda: folder.is_dir() and any(folder.glob("part-*")))
    running.kill_worker(1)
    assert line(process, tmp_path) == "written"
    parts = sorted(folder.iterdir())
    assert [part.name for part in parts] == [f"part-{n:06}.parquet" for n in range(PARTS)]
    released = pa.concat_tables([pq.read_table(part) for part in parts])
    assert released.to_pydict() == expected.table.to_pydict()
    running.wait_for(lambda state: state["aliveworkers"] == 1)
    interrupt(process, tmp_path)
    assert json.loads(line(process, tmp_path)) == []
    assert_nothing_runs(running)
    process.communicate("go\n", timeout=PATIENCE)
    running.wait_for(lambda state: state["activeapps"] == [])


@pytest.mark.skipif(importlib.util.find_spec("grpc") is None, reason="Spark Connect needs grpcio")
def test_spark_connect(running, driver, table, tmp_path):
    process = driver("connect", running.connect_server())
    assert json.loads(line(process, tmp_path)) == measured(Release(table, ROLES))
    interrupt(process, tmp_path)
    assert_nothing_runs(running)
