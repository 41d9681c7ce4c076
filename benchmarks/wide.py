"""Show how the gap shrinks over time for a table with 30 quasi-identifiers, whose lattice has 1.5e14 nodes.

    .venv/bin/python benchmarks/wide.py [--seconds 60] [--rows 30000] [--skew 1]

Ten columns have 2 values, ten have 6, six have 12, four have 60. Values are skewed; every second column depends on a
hidden one with four values, so that columns are mildly correlated.
"""

import argparse
import time

import numpy as np
import pyarrow as pa

SIZES = [2] * 10 + [6] * 10 + [12] * 6 + [60] * 4
GROUPS = {2: (), 6: (2,), 12: (3, 6), 60: (5, 10, 30)}  # number of neighbouring values in a group, for each level


def table(rows, skew, seed=1):
    """The table, and the hierarchy of each column."""
    random = np.random.default_rng(seed)
    hidden = random.integers(0, 4, rows)
    columns, hierarchies = {}, {}
    for place, size in enumerate(SIZES):
        shares = 1 / np.arange(1, size + 1) ** (skew + 0.3 * (place % 3))
        step = size // 2 if size > 2 and place % 2 else 0
        cumulative = np.cumsum(np.stack([np.roll(shares / shares.sum(), step * value) for value in range(4)]), axis=1)
        codes = (random.random(rows)[:, np.newaxis] > cumulative[hidden]).sum(1).clip(0, size - 1)
        name = f"q{place:02}"
        columns[name] = np.array([f"v{code:02}" for code in range(size)])[codes]
        hierarchies[name] = [
            [f"v{code:02}", *(f"{number} from {code // number * number}" for number in GROUPS[size]), "*"]
            for code in range(size)
        ]
    return pa.table(columns), hierarchies


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--skew", type=float, default=1)
    arguments = parser.parse_args()
    from PETWorks import Release
    from PETWorks.anonymizer.anonymization import anonymize_release
    from PETWorks.anonymizer.rules import check_rules

    data, hierarchies = table(arguments.rows, arguments.skew)
    began, shown = time.monotonic(), [0.0]

    def show(state):
        passed = time.monotonic() - began
        if passed - shown[0] >= arguments.seconds / 12:
            shown[0] = passed
            gap = f"{100 * (state.best / state.bound - 1):.0f} %" if state.best and state.bound > 0 else "unknown"
            print(
                f"{passed:5.0f} s  {state.checked:7,} nodes  loss {state.best:.4f}  bound {state.bound:.4f}  gap {gap}"
            )

    roles = dict.fromkeys(data.column_names, "quasi_identifier")
    rules = check_rules({"k-anonymity": {"k": 5}})
    release = Release(data, roles, hierarchies)
    result = anonymize_release(release, rules, suppression=0.05, seconds=arguments.seconds, progress=show)
    print(f"{result.nodes:,} nodes in all; {result}")


if __name__ == "__main__":
    main()
