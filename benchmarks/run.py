"""Compare PETWorks with the physical limit and with peers, in one run, as ratios.

    make bench                                   3 million rows
    make bench ROWS=1e7                          more
    .venv/bin/python benchmarks/run.py --only subsets --peers .venv-peers/bin/python    one part
    .venv/bin/python benchmarks/run.py --large TABLE.parquet    one evaluation of a table you have

The tables come from a generator script, `GENERATOR ROWS OUT.csv`: $PETWORKS_BENCH_GENERATOR, by default
../shared/bench/census.py.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
GENERATOR = os.environ.get("PETWORKS_BENCH_GENERATOR", "../shared/bench/census.py")
ROUNDS = 5
PARTS = ["import", "commands", "lattice", "reading", "peers", "catalogue", "report", "subsets", "engines"]
KNOWN = "age,education,marital,country,occupation,race,sex,workclass"

BASELINE = """
import json, sys, time
import pyarrow as pa, pyarrow.csv
path = sys.argv[1]
with open(path) as file:
    names = file.readline().strip().replace('"', "").split(",")
start = time.perf_counter()
types = {name: pa.dictionary(pa.int32(), pa.string()) for name in names}
table = pa.csv.read_csv(path, convert_options=pa.csv.ConvertOptions(column_types=types))
print(json.dumps({"seconds": time.perf_counter() - start, "rows": table.num_rows}))
"""
IMPORT = """
import json, time
start = time.perf_counter()
import {}
print(json.dumps({{"seconds": time.perf_counter() - start}}))
"""


def run(*command):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.run(
        [str(part) for part in command], check=True, capture_output=True, text=True, env=environment
    )
    return json.loads(process.stdout.splitlines()[-1])


def ours(wanted, path):
    return run(sys.executable, HERE / "ours.py", wanted, path)


def show(what, value, limit=None, unit="x"):
    print(f"  {what:<62} {value:>10.2f} {unit}" + (f"   (wanted: {limit})" if limit else ""), flush=True)


def import_time():
    print("import")
    modules = ("PETWorks", "numpy, pyarrow")
    rounds = [[run(sys.executable, "-c", IMPORT.format(module))["seconds"] for module in modules] for _ in range(11)]
    mine, base = map(min, zip(*rounds, strict=True))
    show("import numpy, pyarrow", base * 1000, unit="ms")
    show("import PETWorks / import numpy, pyarrow", mine / base, "<= 1.5")


def timed(*command):
    """Seconds of a whole process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def commands(folder, rows):
    """Time whole commands, including start-up."""
    small, large, columns = folder / "small.csv", folder / "large.csv", folder / "large.parquet"
    for number, path in ((30_000, small), (rows, large), (rows, columns)):
        subprocess.run([sys.executable, GENERATOR, str(number), str(path)], check=True)
    options = ("--qi", KNOWN, "--sensitive", "income_band", "--format", "json")
    print(f"whole commands: 30,000 rows, and {rows:,} rows")
    rounds = [
        (timed("-m", "PETWorks", "evaluate", large, *options), run(sys.executable, "-c", BASELINE, large)["seconds"])
        for _ in range(ROUNDS)
    ]
    mine, base = map(median, zip(*rounds, strict=True))
    show("evaluate, all measures / PyArrow reads the CSV, medians", mine / base, "<= 2.5")
    subsets = [timed("-m", "PETWorks", "attack", small, "--subsets", "all", *options) for _ in range(ROUNDS)]
    show("attack with 255 subsets of 30,000 rows, best", min(subsets), "<= 0.5", "s")
    spark = timed("-m", "PETWorks", "evaluate", columns, *options, "--engine", "spark")
    show("evaluate --engine spark, Parquet", spark, "<= 20", "s")


def lattice():
    print("k-anonymity and granularity of every node of the adult lattice, nine quasi-identifiers, one core")
    rounds = [run(sys.executable, HERE / "lattice.py") for _ in range(3)]
    show(f"{rounds[0]['nodes']:,} nodes, best", min(found["seconds"] for found in rounds), "<= 3", "s")


def reading(folder, rows):
    path = folder / "census.csv"
    subprocess.run([sys.executable, GENERATOR, str(rows), str(path)], check=True)
    print(
        f"CSV of {rows:,} rows, {path.stat().st_size / 1e6:.0f} MB: read, class sizes, t, profitability, both attacks"
    )
    rounds = [(ours("evaluate", path), run(sys.executable, "-c", BASELINE, path)) for _ in range(ROUNDS)]
    mine = [found["seconds"] for found, _ in rounds]
    base = [found["seconds"] for _, found in rounds]
    show("PyArrow alone, median", median(base), unit="s")
    show("PETWorks, median", median(mine), unit="s")
    show("  of which reading", median(found["read seconds"] for found, _ in rounds), unit="s")
    show("PETWorks / PyArrow, medians", median(mine) / median(base), "<= 3")
    show("PETWorks / PyArrow, bests", min(mine) / min(base), "<= 3")
    show("peak memory", max(found["peak bytes"] for found, _ in rounds) / 1e9, "<= 1.2", "GB")
    show("pandas imported", any(found["pandas imported"] for found, _ in rounds), "0", "")
    path.unlink()


def peers(folder, python):
    path = folder / "census_30000.csv"
    subprocess.run([sys.executable, GENERATOR, "30000", str(path)], check=True)
    print("30,000 rows, loading excluded (pyCANON takes a minute or two)")
    mine, theirs = ours("counts", path), run(python, HERE / "peers.py", path)
    t, attacks = mine["t"], mine["attacks"]
    show("t-closeness, PETWorks", t["seconds"] * 1000, unit="ms")
    show("t-closeness, pyCANON / PETWorks", theirs["pycanon"]["seconds"] / t["seconds"], ">= 500")
    show("both attacks, PETWorks", attacks["seconds"] * 1000, unit="ms")
    show("both attacks, privattacks / PETWorks", theirs["privattacks"]["seconds"] / attacks["seconds"], ">= 20")
    pairs = [
        ("t-closeness", t["values"]["t-closeness"], theirs["pycanon"]["t"]),
        ("re-identification", attacks["values"]["re-identification"], theirs["privattacks"]["reid"]),
        ("attribute inference", attacks["values"]["attribute-inference"], theirs["privattacks"]["ai"]),
    ]
    for name, our_value, their_value in pairs:
        agree = abs(our_value - their_value) <= 1e-12 * max(our_value, their_value)
        print(f"  {name}: {our_value!r} and {their_value!r} {'agree' if agree else 'DISAGREE'}")


def catalogue(folder, rows, python):
    """Time every measure that applies, for a release alone and with original and hierarchies; and pyCANON's report."""
    original, released, hierarchies = folder / "original.csv", folder / "released.csv", folder / "hierarchies"
    subprocess.run([sys.executable, GENERATOR, str(rows), str(original)], check=True)
    subprocess.run([sys.executable, HERE / "anonymise.py", original, released, hierarchies], check=True)
    alone, together, base = [], [], []
    for _ in range(ROUNDS):
        alone.append(ours("catalogue", original))
        together.append(run(sys.executable, HERE / "ours.py", "catalogue", released, original, hierarchies))
        base.append(run(sys.executable, "-c", BASELINE, original)["seconds"])
    print(f"the whole catalogue, CSV of {rows:,} rows, reading included")
    show("PyArrow's read of one file, median", median(base), unit="s")
    for name, found in (("one nearly unique table", alone), ("release, original and hierarchies: two files", together)):
        seconds = median(result["seconds"] for result in found)
        show(f"{name}: {found[0]['measures']} measures", seconds, unit="s")
        show("  of which reading the release", median(result["read seconds"] for result in found), unit="s")
        show("  against PyArrow's read of one file", seconds / median(base), "<= 6")
        show("  peak memory", max(result["peak bytes"] for result in found) / 1e9, unit="GB")
        print(f"  not applicable: {', '.join(found[0]['not applicable'])}")
    if python:
        models(folder, python)


def report(folder, rows):
    """Time a check with every subset of the quasi-identifiers, and its reports."""
    path = folder / "census.csv"
    subprocess.run([sys.executable, GENERATOR, str(rows), str(path)], check=True)
    print(f"init, check and report, CSV of {rows:,} rows, all 255 subsets")
    rounds = [(ours("report", path), run(sys.executable, "-c", BASELINE, path)["seconds"]) for _ in range(ROUNDS)]
    base = median(seconds for _, seconds in rounds)
    for name in ("init", "check", "render"):
        seconds = median(found[f"{name} seconds"] for found, _ in rounds)
        show(f"{name}, median", seconds, "<= 1" if name == "render" else None, "s")
        show("  against PyArrow's read", seconds / base)
    show("page, the larger of two editions", rounds[0][0]["page bytes"] / 1e3, "<= 300", "kB")
    show("JSON", rounds[0][0]["json bytes"] / 1e3, unit="kB")
    show("peak memory", max(found["peak bytes"] for found, _ in rounds) / 1e9, unit="GB")
    path.unlink()


def models(folder, python):
    path = folder / "census_30000.csv"
    subprocess.run([sys.executable, GENERATOR, "30000", str(path)], check=True)
    print("the models of pyCANON's report, 30,000 rows, loading excluded (takes some minutes)")
    mine, theirs = ours("models", path), run(python, HERE / "peers.py", path, "models")
    seconds = {name: found["seconds"] for name, found in theirs.items()}
    finished = seconds["t-closeness"] is not None
    their_seconds = sum(second for second in seconds.values() if second is not None)
    our_seconds = mine["seconds"] if finished else mine["without t"]
    show("PETWorks" + ("" if finished else ", t-closeness left out"), our_seconds * 1000, unit="ms")
    show("pyCANON" + ("" if finished else ", t-closeness left out: over 90 s"), their_seconds, unit="s")
    show("pyCANON / PETWorks", their_seconds / our_seconds, ">= 50")
    for name, value in mine["values"].items():
        print(f"  {name}: {value} and {theirs.get(name, theirs.get('recursive-c-l-diversity'))['value']}")


def subsets(folder, python):
    for rows, limit in ((30_000, ">= 150"), (300_000, ">= 300"), (3_000_000, "<= 20")):
        path = folder / f"census_{rows}.csv"
        subprocess.run([sys.executable, GENERATOR, str(rows), str(path)], check=True)
        print(f"both attacks with all 255 subsets, {rows:,} rows, loading excluded")
        mine = ours("subsets", path)
        show("PETWorks", mine["seconds"] * 1000, unit="ms")
        if rows > 300_000:
            show("against one pack-and-sort on one core", mine["seconds"] / mine["sort seconds"], limit)
            show("peak memory", mine["peak bytes"] / 1e9, "<= 1.5", "GB")
        elif python:
            theirs = run(python, HERE / "peers.py", path, "subsets")
            their_seconds = theirs["seconds"] * len(mine["values"]) / theirs["subsets"]
            show(f"privattacks, two processes, from {theirs['subsets']} subsets", their_seconds, unit="s")
            show("privattacks / PETWorks", their_seconds / mine["seconds"], limit)
            # privattacks prints eight digits.
            pairs = [(values, mine["values"][name]) for name, values in theirs["values"].items()]
            off = max(abs(a - b) for their_pair, our_pair in pairs for a, b in zip(their_pair, our_pair, strict=True))
            print(f"  {len(pairs)} subsets {'agree' if off <= 6e-9 else 'DISAGREE'} to eight digits")
        path.unlink()


def engines(folder, rows):
    path = folder / "census.parquet"
    subprocess.run([sys.executable, GENERATOR, str(rows), str(path)], check=True)
    print(f"Parquet of {rows:,} rows: from the file to class sizes")
    names = ("memory", "duckdb", "group-by")
    rounds = [{name: run(sys.executable, HERE / "engines.py", "sizes", name, path) for name in names} for _ in range(5)]
    seconds = {name: median(found[name]["seconds"] for found in rounds) for name in names}
    show("DuckDB's own GROUP BY of the same columns, median", seconds["group-by"], unit="s")
    show("engine memory / GROUP BY", seconds["memory"] / seconds["group-by"], "<= 1")
    show("engine duckdb / GROUP BY", seconds["duckdb"] / seconds["group-by"], "<= 3")
    sizes = [found[name]["sizes"] for found in rounds for name in names]
    print(f"  class sizes {'agree' if all(counts == sizes[0] for counts in sizes) else 'DISAGREE'}")
    print("every measure that applies, and all subsets of one and two")
    results = {
        name: run(sys.executable, HERE / "engines.py", "catalogue", name, path) for name in (*names[:2], "spark")
    }
    for name, found in results.items():
        show(f"engine {name}", found["seconds"], unit="s")
        note = " (of the driver)" if name == "spark" else ""
        show(f"  peak memory{note}", found["peak bytes"] / 1e9, unit="GB")
        exact = ("sizes", "subsets")
        print(f"  counts {'agree' if all(found[key] == results['memory'][key] for key in exact) else 'DISAGREE'}")
        pairs = [(value, results["memory"]["measures"][measure]) for measure, value in found["measures"].items()]
        print(
            f"  {len(pairs)} measures: {sum(value == expected for value, expected in pairs)} are the same bit for bit"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=3_000_000)
    parser.add_argument("--peers", help="an interpreter that has benchmarks/peers.txt installed")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--large", help="evaluate this table once and print time and memory")
    arguments = parser.parse_args()
    if arguments.large:
        print(json.dumps(ours("evaluate", arguments.large), indent=4))
        return
    if not Path(GENERATOR).is_file():
        sys.exit(f"no table generator at {GENERATOR!r}: set PETWORKS_BENCH_GENERATOR")
    wanted = [arguments.only] if arguments.only else PARTS
    if "import" in wanted:
        import_time()
    with tempfile.TemporaryDirectory() as name:
        if "commands" in wanted:
            commands(Path(name), arguments.rows)
        if "lattice" in wanted:
            lattice()
        if "reading" in wanted:
            reading(Path(name), arguments.rows)
        if "peers" in wanted and arguments.peers:
            peers(Path(name), arguments.peers)
        if "catalogue" in wanted:
            catalogue(Path(name), arguments.rows, arguments.peers)
        if "report" in wanted:
            report(Path(name), arguments.rows)
        if "subsets" in wanted:
            subsets(Path(name), arguments.peers)
        if "engines" in wanted:
            engines(Path(name), arguments.rows)


if __name__ == "__main__":
    main()
