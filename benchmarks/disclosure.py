"""Disclosure by synthetic tables: one set of keys against peers, every set of keys, and more rows than memory.

    .venv/bin/python benchmarks/disclosure.py
    .venv/bin/python benchmarks/disclosure.py --peers .venv-peers/bin/python
    .venv/bin/python benchmarks/disclosure.py --only large

Seconds are processor time. The peers are synthgauge 2.2.0, whose TCAP score is `certain`, and sdmetrics 0.32.0, whose
zero CAP is one minus `proportional`; loading is excluded on both sides.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PARTS = ("peers", "subsets", "large")
DOMAINS = (90, 2, 5, 7, 16, 9, 12, 50)
TARGETS = (2, 6, 15)


def draw(rows, keys, targets, seed):
    """A table whose keys and targets depend on a hidden group."""
    random = np.random.default_rng(seed)
    group = random.integers(0, 4, rows)
    columns = {}
    for number, size in enumerate(DOMAINS[:keys]):
        columns[f"q{number}"] = (random.geometric(min(0.9, 3 / size), rows) - 1 + group) % size
    for number, size in enumerate(TARGETS[-targets:]):
        noise = random.integers(0, size, rows) * (random.random(rows) < 0.5)
        columns[f"t{number}"] = (group + noise) % size
    return columns


def frames(rows, keys, targets):
    """Original, release and control people."""
    import pyarrow as pa

    return [pa.table(draw(number, keys, targets, seed)) for seed, number in enumerate((rows, rows, rows // 5))]


def release_of(tables, **options):
    from PETWorks import Release

    names = tables[0].column_names
    roles = {
        "quasi_identifiers": [name for name in names if name.startswith("q")],
        "sensitive_attributes": [name for name in names if name.startswith("t")],
    }
    original, released, control = tables
    return Release(released, roles, original=original, control=control, kind="synthetic", **options)


def seconds(task):
    start = time.process_time()
    result = task()
    return time.process_time() - start, result


PEERS = """
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from sdmetrics.single_table.privacy.cap import CategoricalZeroCAP
from synthgauge.metrics.privacy import tcap_score
real, synthetic = (pd.read_csv(path, dtype=str) for path in sys.argv[1:3])
keys = [name for name in real if name.startswith("q")]
start = time.process_time()
certain = tcap_score(real, synthetic, keys, "t0")
middle = time.process_time()
zero = CategoricalZeroCAP.compute(real, synthetic, key_fields=keys, sensitive_fields=["t0"])
end = time.process_time()
print(json.dumps({"certain": [middle - start, float(certain)], "proportional": [end - middle, 1 - float(zero)]}))
"""


def peers(interpreter, rows=40_000):
    print(f"{rows:,} rows, four keys, one target")
    import pyarrow.csv

    from PETWorks.measures import certain, proportional

    tables = frames(rows, 4, 1)
    release = release_of(tables)
    release.original, release.view.background.control  # noqa: B018 - loads them
    mine = {measure.name: seconds(lambda measure=measure: measure(release)) for measure in (certain, proportional)}
    both = sum(taken for taken, _ in mine.values())
    print(f"  certain and proportional, with excess and interval: {1000 * both:.1f} ms")
    if interpreter is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("original.csv", "released.csv")]
        for path, table in zip(paths, tables, strict=False):
            pyarrow.csv.write_csv(table, path)
        done = subprocess.run([interpreter, "-c", PEERS, *paths], check=True, capture_output=True, text=True)
    for name, (taken, value) in json.loads(done.stdout.splitlines()[-1]).items():
        agrees = "agree" if abs(value - mine[name][1].value) < 1e-12 else f"DIFFER: {mine[name][1].value}, {value}"
        print(f"  {name} by the peer: {taken:.2f} s, {taken / both:.0f} x as long; the numbers {agrees}")


def subsets(rows=300_000):
    from PETWorks import attack

    print(f"all 255 subsets of eight keys, three targets, {rows:,} + {rows:,} + {rows // 5:,} rows")
    release = release_of(frames(rows, 8, 3))
    for what in ("first", "again"):
        taken, found = seconds(lambda: attack(release).facts({}))
        print(f"  {what}: {taken:.2f} s (wanted: <= 5), {found.number} subsets")


def large(rows=10_000_000):
    """In a folder, row group by row group, so that only PETWorks needs memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from PETWorks import evaluate

    print(f"{rows:,} + {rows:,} + {rows // 10:,} rows with DuckDB, --memory-limit 2GB")
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}.parquet") for name in ("original", "released", "control")]
        for path, number in zip(paths, (rows, rows, rows // 10), strict=True):
            schema = pa.table(draw(1, 6, 1, 0)).schema
            with pq.ParquetWriter(path, schema) as writer:
                for first in range(0, number, 1_000_000):
                    writer.write_table(pa.table(draw(min(number - first, 1_000_000), 6, 1, first + number)))
        names = [f"q{number}" for number in range(6)]
        from PETWorks import Release

        start = time.process_time()
        release = Release(
            paths[1],
            {"quasi_identifiers": names, "sensitive_attributes": ["t0"]},
            original=paths[0],
            control=paths[2],
            kind="synthetic",
            engine="duckdb",
            memory_limit="2GB",
        )
        evaluate(release, ["found", "certain", "proportional", "best-guess", "copies"])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"  five measures: {time.process_time() - start:.0f} s, peak {peak:.2f} GB (wanted: < 2)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="an interpreter that has benchmarks/peers.txt installed")
    parser.add_argument("--only", choices=PARTS)
    arguments = parser.parse_args()
    wanted = [arguments.only] if arguments.only else PARTS
    if "large" in wanted:  # first, since the peak of memory is that of the process
        large()
    if "subsets" in wanted:
        subsets()
    if "peers" in wanted:
        peers(arguments.peers)


if __name__ == "__main__":
    sys.exit(main())
