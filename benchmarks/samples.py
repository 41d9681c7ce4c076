"""Individual risk against average risk on the same table, as a ratio of processor time within one run.

    .venv/bin/python benchmarks/samples.py --rows 3000000

Each measure is evaluated by a Python of its own, from the file to the result, as `petworks evaluate` does: with
weights that repeat by stratum, as most do.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

RUN = """
import json, resource, sys
from PETWorks import Release, evaluate
path, measure = sys.argv[1:]
before = resource.getrusage(resource.RUSAGE_SELF)
release = Release(path, {"quasi_identifiers": ["age", "zip", "sex", "schooling", "work"]}, sampling_weight="weight")
loaded = resource.getrusage(resource.RUSAGE_SELF)
value = evaluate(release, measure)[measure].value
after = resource.getrusage(resource.RUSAGE_SELF)
seconds = [use.ru_utime + use.ru_stime for use in (before, loaded, after)]
print(json.dumps({"whole": seconds[2] - seconds[0], "measure": seconds[2] - seconds[1], "value": value}))
"""


def write_survey(path: Path, rows: int) -> None:
    """Write a survey with a weight for each of 3,000 strata."""
    import pyarrow as pa
    from pyarrow import csv

    draw = np.random.default_rng(1)
    strata = (draw.gamma(2, 60, 3000) + 1).round(3)
    columns = {
        "age": draw.integers(0, 100, rows),
        "zip": draw.integers(0, 3000, rows),
        "sex": draw.integers(0, 2, rows),
        "schooling": draw.integers(0, 16, rows),
        "work": draw.integers(0, 9, rows),
    }
    columns["weight"] = strata[columns["zip"]]
    csv.write_csv(pa.table(columns), path)


def main() -> None:
    """Print the processor time of both measures and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=3e6)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "survey.csv")
        write_survey(path, int(options.rows))
        best: dict[str, dict[str, float]] = {}
        for _ in range(options.runs):
            for measure in ("average-risk", "individual-risk"):
                told = json.loads(subprocess.check_output([sys.executable, "-c", RUN, str(path), measure]))
                if measure not in best or told["whole"] < best[measure]["whole"]:
                    best[measure] = told
        for measure, told in best.items():
            print(f"{measure:16} {told['whole']:6.2f} s, of which the measure {told['measure']:5.2f} s")
        ratio = best["individual-risk"]["whole"] / best["average-risk"]["whole"]
        print(f"individual-risk takes {ratio:.2f} times the time of average-risk (at most 1.3 wanted)")


if __name__ == "__main__":
    main()
