"""The external edition: random policies, and a search for counts that outsiders can compute from it."""

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzz.external_search import Table, Twin, by_class_sizes, find_pinned, with_a_binary_attribute
from fuzz.targets.base import Tally
from PETWorks import read_policy

CELL_SIZE = 5
MAX_BY_SIZES, MAX_BINARY = 24, 60  # records
ROLES = "roles: {quasi_identifiers: [a], sensitive_attributes: [s]}"
HEAD = f"petworks_policy: 1\ndata: t.csv\ncell_size: {CELL_SIZE}\n{ROLES}\n"


def pinned_counts(random: Random, seconds: float) -> Tally:
    """Search all tables of a random size under random policies until the time is over."""
    tally, end = Tally(0, []), time.monotonic() + seconds
    with TemporaryDirectory() as folder:
        (Path(folder) / "t.csv").write_text("a;s\nx;y\n")
        while time.monotonic() < end:
            policy = Path(folder) / "p.yaml"
            policy.write_text(HEAD + _rules(random))
            kind, tables = _tables(random)
            number, pins = find_pinned(tables, CELL_SIZE, Twin(read_policy(policy)).protected)
            tally.cases += number
            for name, found in pins.items():
                count, table = found[0]
                tally.failures.append(f"pinned: {name}\n{count} in {table}, {kind}\n{policy.read_text()}")
    return tally


def _tables(random: Random) -> tuple[str, Iterator[Table]]:
    if random.random() < 0.5:
        records = random.randint(CELL_SIZE, MAX_BY_SIZES)
        return f"all tables of {records} records", by_class_sizes(records)
    records = random.randint(CELL_SIZE, MAX_BINARY)
    return f"all tables of {records} records in two classes", with_a_binary_attribute(records)


def _rules(random: Random) -> str:
    share = random.choice([0, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9, 0.95])
    lines = []
    for place in range(random.randint(1, 6)):
        share = random.choice([share, round(random.random(), 2)])
        rule = random.choice(
            [
                f"measure: k-anonymity, k: {random.randint(2, 8)}",
                f"measure: sample-uniqueness, share: {share}",
                f"measure: average-risk, average: {share}",
                f"measure: re-identification, at_most: {share}",
                f"measure: prosecutor-risk, threshold: {random.choice([0.2, 0.3, 0.5])}, at_risk: {share}",
                f"measure: attribute-inference, at_most: {share}",
                f"measure: l-diversity, l: {random.randint(2, 3)}",
                f"measure: t-closeness, t: {share}",
            ]
        )
        lines.append(f"  - {{name: r{place}, {rule}}}\n")
    return "rules:\n" + "".join(lines)
