"""Time k-anonymity and granularity of every node of the adult lattice through views, on one core. Prints JSON."""

import json
import os
import time
from itertools import product
from pathlib import Path

from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.measures.catalogue import find_measure

REFERENCE = Path(
    os.environ.get("PETWORKS_REFERENCE_DATA", Path(__file__).parent.parent.parent / "shared/data/petworks")
)
COLUMNS = (
    *("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"),
    "salary-class",
)


def every_node(view):
    """k and granularity of each node, rolled up from the smallest of the nodes that are one level finer."""
    k_anonymity, granularity = find_measure("k-anonymity"), find_measure("granularity")
    parameters = [(entry, entry.check({})) for entry in (k_anonymity, granularity)]
    heights = [view.hierarchies[column].height for column in view.quasi_identifiers]
    by_sum = {}
    for node in product(*(range(height + 1) for height in heights)):
        by_sum.setdefault(sum(node), []).append(node)
    values, finer = {}, {}
    for total in sorted(by_sum):
        views = {}
        for node in by_sum[total]:
            if total == 0:
                views[node] = view.at(dict.fromkeys(view.quasi_identifiers, 0))
            else:
                parents = [
                    (finer[(*node[:place], level - 1, *node[place + 1 :])], place)
                    for place, level in enumerate(node)
                    if level
                ]
                parent, place = min(parents, key=lambda pair: len(pair[0].table.weights))
                views[node] = parent.at({view.quasi_identifiers[place]: node[place]})
            values[node] = [entry.judge(views[node], checked)[0] for entry, checked in parameters]
        finer = views
    return values


def main(folder):
    roles = dict.fromkeys(COLUMNS, QUASI_IDENTIFIER)
    view = Release(folder / "adult.csv", roles, folder / "adult_hierarchy").view
    began = time.process_time()
    values = every_node(view)
    seconds = time.process_time() - began
    return {"nodes": len(values), "seconds": seconds}


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {0})
    print(json.dumps(main(REFERENCE)))
