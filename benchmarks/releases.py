"""Time several releases about the same people, next to bvmlib in one run.

    .venv/bin/python benchmarks/releases.py --peers .venv-peers/bin/python     three releases, as in `make bench`
    .venv/bin/python benchmarks/releases.py --large [--people 5e6] [--years 10] [--engine duckdb --memory-limit 2GB]

Every year a tenth of the people leave and as many join. Three releases have eleven quasi-identifiers in total and a
sensitive attribute; each of the large ones has four and the sensitive attribute.
"""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

HERE = Path(__file__).parent
KEY, SENSITIVE = "person", "grade"
ROUNDS = 5
# Number of values of each column; columns of the same name describe the same attribute in every year.
THREE = [
    {"age": 74, "sex": 2, "education": 16, "district": 300},
    {"age": 74, "occupation": 15, "marital": 7, "country": 42},
    {"workclass": 9, "race": 5, "school": 4},
]
LARGE = {"age": 74, "sex": 2, "education": 16, "district": 300}


def year(place, people, columns, folder, suffix):
    """Write one release; later ones have different people and, for some of them, different values."""
    chance = np.random.default_rng(place)
    persons = chance.permutation(np.arange(people, dtype=np.int64) + place * people // 10)
    data = {KEY: pa.array(persons)}
    for number, (name, values) in enumerate(columns.items()):
        uniform = np.random.default_rng(1000 + number).random(2 * people + people // 10 * (place + 1))[persons]
        moved = chance.random(people) < 0.05
        uniform = np.where(moved, chance.random(people), uniform)
        data[name] = pa.array((values * uniform**2).astype(np.int32))
    grades = np.random.default_rng(999).integers(0, 20, 2 * people + people // 10 * (place + 1))
    data[SENSITIVE] = pa.array(grades[persons].astype(np.int32))
    path = folder / f"{place + 1}.{suffix}"
    (pa.csv.write_csv if suffix == "csv" else pa.parquet.write_table)(pa.table(data), path)
    return path


def show(what, value, limit=None, unit="x"):
    print(f"  {what:<62} {value:>10.2f} {unit}" + (f"   (wanted: {limit})" if limit else ""), flush=True)


def read(path):
    """A table of texts in memory, as bvmlib gets it."""
    names = path.read_text("utf-8").partition("\n")[0].replace('"', "").split(",")
    types = dict.fromkeys(names, pa.string())
    return pa.csv.read_csv(path, convert_options=pa.csv.ConvertOptions(column_types=types))


def released(table, names):
    from PETWorks import Release
    from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

    return Release(table, dict.fromkeys(names, QUASI_IDENTIFIER) | {SENSITIVE: SENSITIVE_ATTRIBUTE})


def three(folder, people, python):
    """Time everything that `compose` reports, and bvmlib for the part that it has."""
    from PETWorks import Releases

    paths = [year(place, people, columns, folder, "csv") for place, columns in enumerate(THREE)]
    (folder / "tables.json").write_text(json.dumps([list(columns) for columns in THREE]), "utf-8")
    print(f"three releases of {people:,} people, eleven quasi-identifiers in total, loading excluded")
    tables, rounds = [read(path) for path in paths], []
    for _ in range(ROUNDS):
        releases = [released(table, columns) for table, columns in zip(tables, THREE, strict=True)]
        for release in releases:
            release.class_sizes()
        start = perf_counter()
        composition = Releases(releases, KEY).compose()
        rounds.append(perf_counter() - start)
    ours = median(rounds)
    show("PETWorks: everything, the join included", ours, unit="s")
    if not python:
        return
    found = subprocess.run(
        [python, str(HERE / "release_peers.py"), str(folder)], check=True, capture_output=True, text=True
    )
    theirs = json.loads(found.stdout.splitlines()[-1])
    show("bvmlib: the linked adversary with all releases", theirs["together"], unit="s")
    show("  bvmlib / everything of PETWorks", theirs["together"] / ours)
    show("bvmlib: with each set of releases, and each release alone", theirs["all sets"], unit="s")
    show("  bvmlib / everything of PETWorks", theirs["all sets"] / ours, ">= 50")
    posteriors = [composition.together.posterior, composition.together.inference[SENSITIVE].posterior]
    agree = all(abs(a - b) <= 1e-12 * b for a, b in zip(posteriors, theirs["values"], strict=True))
    print(f"  posteriors {posteriors} {'agree' if agree else 'DISAGREE'}")
    every_adversary(releases, theirs["subsets"])


def every_adversary(releases, sampled):
    """Time all subsets of the eleven columns; bvmlib assesses a sample, and its time is extrapolated."""
    from PETWorks import Releases

    start = perf_counter()
    subsets = Releases(releases, KEY).subsets("all")
    ours = perf_counter() - start
    theirs = sum(seconds for seconds, *_ in sampled.values()) / len(sampled)
    show(f"PETWorks: all {len(subsets):,} subsets of the columns, the join included", ours, unit="s")
    show(f"bvmlib: one subset, mean of {len(sampled)}", theirs, unit="s")
    show("  bvmlib, for as many / PETWorks", theirs * len(subsets) / ours, ">= 50")
    agree = True
    for chosen, (_, picked, guessed) in sampled.items():
        row = subsets.row({f"release {place + 1}: {name}" for place, name in json.loads(chosen)})
        posteriors = (row["re_identification_posterior"], row[f"attribute_inference_posterior of {SENSITIVE}"])
        agree = agree and all(abs(a - b) <= 1e-12 * b for a, b in zip(posteriors, (picked, guessed), strict=True))
    print(f"  posteriors of these {'agree' if agree else 'DISAGREE'}")


def large(paths, columns, engine, memory_limit):
    """Run the work of the whole command once, in this process."""
    from PETWorks import Releases

    options = {} if engine is None else {"engine": engine, "memory_limit": memory_limit}
    start = perf_counter()
    composition = Releases(paths, KEY, quasi_identifiers=list(columns), sensitive=SENSITIVE, **options).compose()
    seconds = perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    core_seconds = used.ru_utime + used.ru_stime
    return {
        "seconds": seconds,
        "core seconds": core_seconds,
        "peak bytes": used.ru_maxrss * 1024,
        "composition": repr(composition),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=lambda text: int(float(text)))
    parser.add_argument("--peers", help="an interpreter that has benchmarks/peers.txt installed")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--years", type=int, default=10)
    parser.add_argument("--engine")
    parser.add_argument("--memory-limit")
    parser.add_argument("--tables", type=Path, help="a folder for the large tables, which are kept and used again")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if not arguments.large:
            three(Path(name), arguments.people or 300_000, arguments.peers)
            return
        people, folder = arguments.people or 5_000_000, arguments.tables or Path(name)
        folder.mkdir(exist_ok=True)
        paths = [folder / f"{place + 1}.parquet" for place in range(arguments.years)]
        for place, path in enumerate(paths):
            if not path.exists():
                year(place, people, LARGE, folder, "parquet")
        print(f"{arguments.years} releases of {people:,} people, {len(LARGE)} quasi-identifiers each, from Parquet")
        found = large(paths, LARGE, arguments.engine, arguments.memory_limit)
        show(f"engine {arguments.engine or 'memory'}", found["seconds"], unit="s")
        show("processor time", found["core seconds"], unit="s")
        show("peak memory", found["peak bytes"] / 1e9, unit="GB")
        print(f"  {found['composition']}")


if __name__ == "__main__":
    main()
