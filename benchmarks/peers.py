"""Time peers on a census table, run with an interpreter that has them: peers.py TABLE.csv. Prints JSON."""

import json
import sys
from time import perf_counter

import pandas as pd
import privattacks
from pycanon import anonymity

SENSITIVE = "income_band"


def timed(call):
    start = perf_counter()
    value = call()
    return perf_counter() - start, value


def main():
    table = pd.read_csv(sys.argv[1], dtype=str)
    known = [column for column in table.columns if column != SENSITIVE]
    attack = privattacks.Attack(privattacks.Data(dataframe=table, cols=[*known, SENSITIVE]))
    attacks = [
        timed(lambda: attack.posterior_vulnerability("all", known, SENSITIVE, n_processes=1, verbose=False))
        for _ in range(3)
    ]
    seconds, found = min(attacks, key=lambda run: run[0])
    t_seconds, t = timed(lambda: anonymity.t_closeness(table, known, [SENSITIVE], True))
    print(
        json.dumps(
            {
                "privattacks": {"seconds": seconds, "reid": found["reid"], "ai": found["ai"][SENSITIVE]},
                "pycanon": {"seconds": t_seconds, "t": t},
            }
        )
    )


if __name__ == "__main__":
    main()
