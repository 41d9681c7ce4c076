"""A real Spark cluster on loopback: the right answer with a worker lost, nothing left running, Spark Connect."""

import contextlib
import importlib.util
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import ROOT
from PETWorks import Release, evaluate
from processes import PATIENCE
from spark_cluster import cluster, needs_spark

pytestmark = needs_spark

ROWS = 24_000
ROLES = {"a": "quasi_identifier", "b": "quasi_identifier", "s": "sensitive_attribute"}
MEASURES = ["k-anonymity", "t-closeness", "l-diversity", "re-identification", "attribute-inference"]

# Each partition takes a second; what the other side does in between is told by lines.
DRIVER = """
import json, sys, time
from pyspark.sql import SparkSession
from PETWorks import Release, evaluate

builder = SparkSession.builder.config("spark.ui.showConsoleProgress", "false").config("spark.executor.memory", "512m")
kind, address, roles, measures, rows = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:6])
spark = (builder.remote(address) if kind == "connect" else builder.master(address)).getOrCreate()

def slowly(batches):
    for batch in batches:
        time.sleep(1)
        yield batch

def told(release):
    print(json.dumps([result.to_dict() for result in evaluate(release, measures)]), flush=True)

def table(partitions):
    cells = ["string(id % 7) AS a", "string(id % 11 * (id % 2)) AS b", "if(id % 13 = 0, NULL, string(id % 5)) AS s"]
    return spark.range(0, rows, 1, partitions).selectExpr(*cells)

def slow_table():
    return table(8).mapInArrow(slowly, "a string, b string, s string")

told(Release(table(4), roles))
if kind == "cluster":
    release = Release(slow_table(), roles)
    print("loaded", flush=True)
    sys.stdin.readline()
    told(release)
try:
    print("waiting", flush=True)
    Release(slow_table(), roles)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    if kind == "cluster":
        print(json.dumps(spark.sparkContext.statusTracker().getActiveJobsIds()), flush=True)
    sys.stdin.readline()
spark.stop()
"""


@pytest.fixture(scope="module")
def expected():
    numbers = range(ROWS)
    columns = {
        "a": [str(n % 7) for n in numbers],
        "b": [str(n % 11 * (n % 2)) for n in numbers],
        "s": [None if n % 13 == 0 else str(n % 5) for n in numbers],
    }
    return [result.to_dict() for result in evaluate(Release(columns, ROLES), MEASURES)]


@pytest.fixture
def running():
    with cluster() as found:
        yield found


@pytest.fixture
def driver(running, tmp_path):
    drivers = []

    def start(kind, address):
        program = tmp_path / "driver.py"
        program.write_text(DRIVER)
        arguments = [kind, address, json.dumps(ROLES), json.dumps(MEASURES), json.dumps(ROWS)]
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


def test_a_worker_is_lost_and_a_job_is_cancelled(running, driver, expected, tmp_path):
    process = driver("cluster", running.url)
    assert json.loads(line(process, tmp_path)) == expected
    assert line(process, tmp_path) == "loaded"
    running.kill_worker(0)  # with the codes that it keeps, which are made again
    process.stdin.write("go on\n")
    process.stdin.flush()
    assert json.loads(line(process, tmp_path)) == expected
    assert running.state()["aliveworkers"] == 1
    assert line(process, tmp_path) == "waiting"
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    assert line(process, tmp_path) == "interrupted"
    assert json.loads(line(process, tmp_path)) == []
    assert_nothing_runs(running)
    process.communicate("go\n", timeout=PATIENCE)
    running.wait_for(lambda state: state["activeapps"] == [])


@pytest.mark.skipif(importlib.util.find_spec("grpc") is None, reason="Spark Connect needs grpcio")
def test_spark_connect(running, driver, expected, tmp_path):
    process = driver("connect", running.connect_server())
    assert json.loads(line(process, tmp_path)) == expected
    assert line(process, tmp_path) == "waiting"
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    assert line(process, tmp_path) == "interrupted"
    assert_nothing_runs(running)
