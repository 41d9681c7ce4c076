"""Three made-up synthesisers, and a table to try them on: for the guide "Is my synthetic table safe?".

    python docs/guides/synthesisers.py people patients.csv             an invented hospital's table
    python docs/guides/synthesisers.py independent|tree|near_copy IN OUT

`independent` draws every column by itself, `tree` follows the strongest relationships between pairs of columns, and
`near_copy` copies the records and replaces some cells. The same seed gives the same table.
"""

import csv
import sys
from pathlib import Path

import numpy as np

RECORDS, SEED = 8000, 2026
DISTRICTS = [f"{place}00" for place in range(1, 13)]
DIAGNOSES = {
    "children": ["asthma", "otitis", "fracture", "influenza"],
    "surgery": ["fracture", "hernia", "appendicitis", "gallstones"],
    "maternity": ["birth", "caesarean", "preterm labour"],
    "internal": ["diabetes", "heart failure", "pneumonia", "copd", "influenza"],
    "geriatrics": ["hip fracture", "stroke", "dementia", "pneumonia", "heart failure"],
}


def people(records=RECORDS, seed=SEED):
    """Patients whose ward follows age and sex, and whose diagnosis follows the ward."""
    draws = np.random.default_rng(seed)
    table = {name: [] for name in ("age", "sex", "district", "ward", "days", "diagnosis")}
    for _ in range(records):
        age = int(np.clip(draws.gamma(3.2, 14), 0, 99))
        sex = str(draws.choice(["f", "m"]))
        chances = {
            "children": 8.0 * (age < 16),
            "surgery": 2.0,
            "maternity": 4.0 * (sex == "f" and 18 <= age <= 44),
            "internal": 2.0 * (age > 15),
            "geriatrics": 5.0 * (age > 69),
        }
        weights = np.array(list(chances.values()))
        ward = str(draws.choice(list(chances), p=weights / weights.sum()))
        known = DIAGNOSES[ward]
        falling = 1 / np.arange(1, len(known) + 1)
        place = int(np.clip(draws.normal(5.5 + 2 * (ward == "geriatrics") - 2 * (ward == "children"), 2.5), 0, 11))
        days = 1 + int(draws.exponential(3 + age / 20))
        diagnosis = str(draws.choice(known, p=falling / falling.sum()))
        for name, value in zip(table, (age, sex, DISTRICTS[place], ward, days, diagnosis), strict=True):
            table[name].append(str(value))
    return table


def independent(table, seed=SEED):
    """Every column drawn by itself: right columns, no relationship between them."""
    draws = np.random.default_rng(seed)
    return {name: draws.choice(np.array(values, object), len(values)).tolist() for name, values in table.items()}


def near_copy(table, seed=SEED, changed=0.1):
    """The records of the table in another order; this share of the cells has the value of another record."""
    draws = np.random.default_rng(seed)
    copied = {}
    order = draws.permutation(len(next(iter(table.values()))))
    for name, values in table.items():
        column = np.array(values, object)[order]
        copied[name] = np.where(draws.random(len(column)) < changed, draws.permutation(column), column).tolist()
    return copied


def tree(table, seed=SEED, groups=12):
    """A tree of the strongest relationships of two columns (Chow and Liu 1968): each column follows another one.

    A column that others follow is grouped where it is a number with many values, so that groups have many records.
    """
    draws = np.random.default_rng(seed)
    names = list(table)
    grouped = {name: _grouped(values, groups) for name, values in table.items()}
    followed, drawn = {names[0]: None}, {}
    while len(followed) < len(names):
        pairs = [
            (_information(grouped[old], grouped[new]), old, new)
            for old in followed
            for new in names
            if new not in followed
        ]
        _, old, new = max(pairs)
        followed[new] = old
    for name, other in followed.items():
        column = np.array(table[name], object)
        if other is None:
            chosen = draws.integers(0, len(column), len(column))
        else:
            chosen = np.empty(len(column), np.int64)
            for group in np.unique(drawn[other][1]):
                places = np.flatnonzero(drawn[other][1] == group)
                chosen[places] = draws.choice(np.flatnonzero(grouped[other] == group), len(places))
        drawn[name] = column[chosen], grouped[name][chosen]
    return {name: drawn[name][0].tolist() for name in names}


def _grouped(values, groups):
    """The number of the group of each value: of so many equal parts for numbers, otherwise the value itself."""
    different, codes = np.unique(np.array(values, str), return_inverse=True)
    if len(different) <= groups or not all(value.replace(".", "", 1).isdigit() for value in different):
        return codes
    numbers = np.array(values, float)
    return np.searchsorted(np.unique(np.quantile(numbers, np.arange(1, groups) / groups)), numbers, side="right")


def _information(one, other):
    """The mutual information of two columns of codes."""
    together = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(together, (one, other), 1 / len(one))
    apart = together.sum(1, keepdims=True) * together.sum(0, keepdims=True)
    some = together > 0
    return float((together[some] * np.log(together[some] / apart[some])).sum())


def read(path):
    """A table as lists of texts."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def write(table, path):
    """Write a table as CSV."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


if __name__ == "__main__":
    made, *paths = sys.argv[1:]
    synthesisers = {"independent": independent, "tree": tree, "near_copy": near_copy}
    write(people() if made == "people" else synthesisers[made](read(paths[0])), paths[-1])
