"""Time ANJANA on the adult table: anjana_peer.py FOLDER OUT.csv K PERCENT COLUMN... Prints JSON."""

import json
import sys
from pathlib import Path
from time import process_time

import pandas as pd
from anjana.anonymity import k_anonymity

ROUNDS = 3


def main():
    folder, out, k, percent, *columns = sys.argv[1:]
    data = pd.read_csv(Path(folder) / "adult.csv", sep=";", dtype=str)
    hierarchies = {}
    for column in columns:
        path = Path(folder) / "adult_hierarchy" / f"adult_hierarchy_{column}.csv"
        hierarchies[column] = dict(pd.read_csv(path, sep=";", header=None, dtype=str))
    seconds = []
    for _ in range(ROUNDS):
        start = process_time()
        released = k_anonymity(data.copy(), ["race"], list(columns), int(k), float(percent), hierarchies)
        seconds.append(process_time() - start)
    released.to_csv(out, index=False)
    print(json.dumps({"seconds": min(seconds), "records": len(released)}))


if __name__ == "__main__":
    main()
