"""Time bvmlib on three releases, with an interpreter that has it: release_peers.py FOLDER. Prints JSON.

FOLDER has the tables `1.csv` to `3.csv`, the last being the focal one, and `tables.json` with their known columns. One
assessment of bvmlib is about one set of releases and one set of columns. It needs the focal release first, and the
same number of quasi-identifiers with the same names in each release: shorter ones get columns of equal cells.
"""

import json
import random
import sys
import warnings
from itertools import combinations
from pathlib import Path
from time import perf_counter

import pandas as pd
from bvmlib.bvm import BVM, BVMLongitudinal

KEY, SENSITIVE = "person", "grade"
SUBSETS = 6  # of 2,047, chosen at random


def table(frame, known, width, *, focal):
    """The known columns under common names, filled up with constant columns."""
    columns = {KEY: frame[KEY]} | {f"known{place}": frame[name] for place, name in enumerate(known)}
    columns |= {f"known{place}": "-" for place in range(len(known), width)}
    return pd.DataFrame(columns | ({SENSITIVE: frame[SENSITIVE]} if focal else {}))


def assess(frames, known):
    """Seconds, and both posteriors of the focal release, which is the last one."""
    width = max(1, *map(len, known))
    order = [len(frames) - 1, *(place for place in range(len(frames) - 1) if known[place])]
    tables = [table(frames[place], known[place], width, focal=place == order[0]) for place in order]
    names = [f"known{place}" for place in range(width)]
    start = perf_counter()
    if len(tables) == 1:
        attack = BVM(tables[0])
        attack.qids(names)
    else:
        attack = BVMLongitudinal(tables, [KEY] * len(tables))
        attack.qids([names] * len(tables))
        attack.worth_assignment = None  # otherwise it fails: only the class for one table sets it
    attack.sensitive([SENSITIVE])
    found = attack.assess()
    seconds = perf_counter() - start
    return seconds, [float(found[name]["Posterior"][0]) for name in ("re_id", "att_inf")]


def main():
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1])
    known = json.loads((folder / "tables.json").read_text("utf-8"))
    frames = [pd.read_csv(folder / f"{place}.csv", dtype=str) for place in range(1, len(known) + 1)]
    places = range(len(known))
    together, values = assess(frames, known)
    sets = [chosen for size in places for chosen in combinations(places, size) if chosen]  # all but the whole
    seconds = together + sum(
        assess(frames, [known[place] if place in chosen else [] for place in places])[0] for chosen in sets
    )
    seconds += sum(assess([frames[place]], [known[place]])[0] for place in places[:-1])
    columns = [(place, name) for place in places for name in known[place]]
    subsets = {}
    for rng in [random.Random(seed) for seed in range(SUBSETS)]:
        chosen = sorted(rng.sample(columns, rng.randint(2, len(columns) - 1)))
        subset_seconds, posteriors = assess(
            frames, [[name for table_place, name in chosen if table_place == place] for place in places]
        )
        subsets[json.dumps(chosen)] = [subset_seconds, *posteriors]
    print(json.dumps({"together": together, "values": values, "all sets": seconds, "subsets": subsets}))


if __name__ == "__main__":
    main()
