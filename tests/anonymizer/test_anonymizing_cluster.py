"""A real Spark cluster on loopback: the same plan and the same release with workers lost on the way."""

import json
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import ROOT
from processes import PATIENCE
from searches import anonymize
from spark_cluster import cluster, needs_spark

pytestmark = needs_spark

ROWS = 24_000
ROLES = {"a": "quasi_identifier", "b": "quasi_identifier", "s": "sensitive_attribute", "name": "identifier"}
LEVELS = {
    "a": [(str(n), str(n // 7), "*") for n in range(70)],
    "b": [(str(n), str(n // 5), "*") for n in range(50)],
}
RULES = {"k-anonymity": {"k": 30}, "l-diversity": {"l": 3}}
SUPPRESSION = 0.05

# Each batch takes half a second; what the other side does in between is told by lines.
DRIVER = """
import json, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
from PETWorks import Release
from PETWorks.anonymizer.anonymization import anonymize_release
from PETWorks.anonymizer.rules import check_rules

address, folder = sys.argv[1:3]
roles, levels, rules, share, rows = map(json.loads, sys.argv[3:])
builder = SparkSession.builder.config("spark.ui.showConsoleProgress", "false").config("spark.executor.memory", "512m")
spark = builder.master(address).getOrCreate()

def slowly(batches):
    for batch in batches:
        time.sleep(0.5)
        yield batch

cells = ["string(id % 70 * (id % 11) % 70) AS a", "string(id * 31 % 97 % 50) AS b"]
cells.append("if(id % 13 = 0, NULL, string(id % 5)) AS s")
table = spark.range(0, rows, 1, 12).selectExpr(*cells, "string(id) AS name", "id AS number")
schema = "a string, b string, s string, name string, number long"
release = Release(table.mapInArrow(slowly, schema), roles, levels)
print("loaded", flush=True)
sys.stdin.readline()
found = anonymize_release(release, check_rules(rules), suppression=share)
print(json.dumps(found.to_dict()), flush=True)
Path(folder).mkdir()
found.write_parts(Path(folder))
print("written", flush=True)
spark.stop()
"""


@pytest.fixture
def running():
    with cluster(3) as found:
        yield found


def line(process, tmp_path):
    found = process.stdout.readline()
    assert found, (tmp_path / "stderr").read_text()[-3000:]
    return found.strip()


def test_workers_are_lost_before_the_search_and_while_the_release_is_written(running, tmp_path):
    numbers = range(ROWS)
    columns = {
        "a": [str(n % 70 * (n % 11) % 70) for n in numbers],
        "b": [str(n * 31 % 97 % 50) for n in numbers],
        "s": [None if n % 13 == 0 else str(n % 5) for n in numbers],
        "name": [str(n) for n in numbers],
        "number": list(numbers),
    }
    expected = anonymize(columns, ROLES, LEVELS, RULES, suppression=SUPPRESSION)
    assert expected.suppressed
    program, folder = tmp_path / "driver.py", tmp_path / "released"
    program.write_text(DRIVER)
    arguments = [running.url, folder, *map(json.dumps, (ROLES, LEVELS, RULES, SUPPRESSION, ROWS))]
    with (tmp_path / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, text=True, cwd=ROOT, env=running.environment(),
        )  # fmt: skip
    try:
        assert line(process, tmp_path) == "loaded"
        running.kill_worker(0)  # with the codes that it keeps, which are made again
        process.stdin.write("go on\n")
        process.stdin.flush()
        assert json.loads(line(process, tmp_path)) == json.loads(json.dumps(expected.to_dict()))
        until = time.monotonic() + PATIENCE
        while not folder.is_dir() or not any(folder.glob("part-*")):
            assert time.monotonic() < until
            time.sleep(0.02)
        running.kill_worker(1)
        assert line(process, tmp_path) == "written"
        process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.communicate()
    assert running.state()["aliveworkers"] == 1
    parts = sorted(folder.iterdir())
    assert [part.name for part in parts] == [f"part-{n:06}.parquet" for n in range(12)]
    released = pa.concat_tables([pq.read_table(part) for part in parts])
    assert released.to_pydict() == expected.table.to_pydict()
