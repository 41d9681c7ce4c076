"""Time peers on a census table, with an interpreter that has them: peers.py TABLE.csv [subsets|models]. Prints JSON."""

import json
import signal
import sys
from time import perf_counter

import pandas as pd
import privattacks
from pycanon import anonymity

SENSITIVE = "income_band"
MODELS = ("alpha_k_anonymity", "l_diversity", "entropy_l_diversity", "recursive_c_l_diversity")
MODELS += ("basic_beta_likeness", "enhanced_beta_likeness", "delta_disclosure", "t_closeness")
LONGEST = 90  # seconds allowed for t-closeness
ENOUGH = 120  # seconds; after that, no further size of subsets is started


def timed(call):
    start = perf_counter()
    value = call()
    return perf_counter() - start, value


def main():
    table = pd.read_csv(sys.argv[1], dtype=str)
    known = [column for column in table.columns if column != SENSITIVE]
    if sys.argv[2:] == ["models"]:
        print(json.dumps(models(table, known)))
        return
    attack = privattacks.Attack(privattacks.Data(dataframe=table, cols=[*known, SENSITIVE]))
    if sys.argv[2:] == ["subsets"]:
        print(json.dumps(subsets(attack, known)))
        return
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


def models(table, known):
    """Time the models of pyCANON's report one by one; t-closeness comes last, with a time limit."""
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError))
    found = {"k-anonymity": timed(lambda: anonymity.k_anonymity(table, known))}
    for name in MODELS:
        signal.alarm(LONGEST if name == "t_closeness" else 0)
        try:
            found[name.replace("_", "-")] = timed(lambda name=name: getattr(anonymity, name)(table, known, [SENSITIVE]))
        except TimeoutError:
            found[name.replace("_", "-")] = (None, None)
        signal.alarm(0)
    return {name: {"seconds": seconds, "value": value} for name, (seconds, value) in found.items()}


def subsets(attack, known):
    """Time both attacks with every subset on two processes, one size after the other."""
    seconds, values = 0.0, {}
    for size in range(1, len(known) + 1):
        size_seconds, rows = timed(
            lambda size=size: attack.posterior_vulnerability(
                "all", known, SENSITIVE, combinations=[size], n_processes=2, verbose=False
            )
        )
        seconds += size_seconds
        for row in rows.to_dict("records"):
            pair = [float(row["posterior_reid"]), float(row[f"posterior_{SENSITIVE}"])]
            values[",".join(sorted(row["qids"].split(",")))] = pair
        if seconds > ENOUGH:
            break
    return {"seconds": seconds, "subsets": len(values), "values": values}


if __name__ == "__main__":
    main()
