"""Time bvmlib on three releases, with an interpreter that has it: release_peers.py FOLDER. Prints JSON.

FOLDER has the tables `1.csv` to `3.csv`, the last being the focal one, and `tables.json` with the columns that are
known of each. One assessment of bvmlib is about one set of releases and one set of columns. It wants the focal release
first, and as many quasi-identifiers in each release, with the same names: shorter ones get a column of equal cells.
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
    """The columns that are known, under common names; the rest is the same for all."""
    columns = {KEY: frame[KEY]} | {f"known{place}": frame[name] for place, name in enumerate(known)}
    columns |= {f"known{place}": "-" for place in range(len(known), width)}
    return pd.DataFrame(columns | ({SENSITIVE: frame[SENSITIVE]} if focal else {}))


def assessed(frames, known):
    """Seconds, and both posteriors of the focal release, the last one."""
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
        attack.worth_assignment = None  # without it, it fails: only the class for one table has it
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
    together, values = assessed(frames, known)
    sets = [chosen for size in places for chosen in combinations(places, size) if chosen]  # all but the whole
    seconds = together + sum(
        assessed(frames, [known[place] if place in chosen else [] for place in places])[0] for chosen in sets
    )
    seconds += sum(assessed([frames[place]], [known[place]])[0] for place in places[:-1])
    columns = [(place, name) for place in places for name in known[place]]
    subsets = {}
    for chance in [random.Random(seed) for seed in range(SUBSETS)]:
        chosen = sorted(chance.sample(columns, chance.randint(2, len(columns) - 1)))
        took, posteriors = assessed(frames, [[name for one, name in chosen if one == place] for place in places])
        subsets[json.dumps(chosen)] = [took, *posteriors]
    print(json.dumps({"together": together, "values": values, "all sets": seconds, "subsets": subsets}))


if __name__ == "__main__":
    main()
