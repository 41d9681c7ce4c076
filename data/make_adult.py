"""Make the bundled `adult` example: an invented census table, its hierarchies and a k-anonymous release of it.

    python data/make_adult.py

The same seed makes the same files. The people and their incomes are drawn at random; no real table was used.
"""

import random
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
ROWS, SMALLEST_CLASS, SEED = 1200, 5, 20250301

AGE_WEIGHTS = {age: max(1, 60 - abs(age - 38)) for age in range(17, 80)}
TREES = {
    "sex": {"Female": (), "Male": ()},
    "race": {"Asian": (), "Black": (), "Other": (), "White": ()},
    "marital-status": {
        "Married": ("partner",),
        "Remarried": ("partner",),
        "Divorced": ("no partner",),
        "Single": ("no partner",),
        "Widowed": ("no partner",),
    },
    "education": {
        "Primary": ("school", "basic"),
        "Secondary": ("school", "basic"),
        "Vocational": ("training", "basic"),
        "Bachelor": ("university", "higher"),
        "Master": ("university", "higher"),
        "Doctorate": ("research", "higher"),
    },
    "native-country": {
        "Canada": ("America",),
        "Mexico": ("America",),
        "United States": ("America",),
        "India": ("Asia",),
        "Japan": ("Asia",),
        "Taiwan": ("Asia",),
        "France": ("Europe",),
        "Poland": ("Europe",),
    },
    "workclass": {
        "Employee": ("private",),
        "Self-employed": ("private",),
        "City": ("public",),
        "State": ("public",),
        "Unpaid": ("none",),
    },
    "occupation": {
        "Clerk": ("office",),
        "Manager": ("office",),
        "Sales": ("office",),
        "Craft": ("manual",),
        "Driver": ("manual",),
        "Farming": ("manual",),
        "Care": ("service",),
        "Teaching": ("service",),
    },
    "salary-class": {"<=50K": (), ">50K": ()},
}
COLUMNS = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
RELEASED_LEVELS = {"age": 3, "race": 1, "marital-status": 1, "education": 2, "native-country": 1, "occupation": 1}
SENSITIVE = "workclass"


def hierarchies():
    trees = {column: [(leaf, *path, "*") for leaf, path in leaves.items()] for column, leaves in TREES.items()}
    ages = range(min(AGE_WEIGHTS), max(AGE_WEIGHTS) + 1)
    trees["age"] = [(str(age), band(age, 5), band(age, 10), band(age, 20), "*") for age in ages]
    return trees


def band(age, width):
    low = age // width * width
    return f"{low}-{low + width - 1}"


def people(rng):
    for _ in range(ROWS):
        person = {column: rng.choices(list(leaves), skewed(len(leaves)))[0] for column, leaves in TREES.items()}
        person["age"] = str(rng.choices(list(AGE_WEIGHTS), AGE_WEIGHTS.values())[0])
        earns_more = 0.1 + 0.4 * (TREES["education"][person["education"]][-1] == "higher")
        person["salary-class"] = ">50K" if rng.random() < earns_more else "<=50K"
        yield [person[column] for column in COLUMNS]


def skewed(count):
    return [1 / (rank + 1) for rank in range(count)]


def release(rows, trees):
    """Lift whole columns to a level, then suppress the records that are still in a class too small."""
    to_level = {
        column: {path[0]: path[RELEASED_LEVELS.get(column, 0)] for path in paths} for column, paths in trees.items()
    }
    lifted = [[to_level[column][cell] for column, cell in zip(COLUMNS, row, strict=True)] for row in rows]
    known = [position for position, column in enumerate(COLUMNS) if column != SENSITIVE]
    sizes = Counter(tuple(row[position] for position in known) for row in lifted)
    for row in lifted:
        if sizes[tuple(row[position] for position in known)] < SMALLEST_CLASS:
            for position in known:
                row[position] = "*"
    return lifted


def write(path, rows):
    path.write_text("".join(";".join(row) + "\n" for row in rows), "utf-8", newline="\n")


def main():
    trees = hierarchies()
    rows = list(people(random.Random(SEED)))
    write(HERE / "adult.csv", [COLUMNS, *rows])
    write(HERE / "adult10.csv", [COLUMNS, *rows[:10]])
    write(HERE / "adult_anonymized.csv", [COLUMNS, *release(rows, trees)])
    folder = HERE / "adult_hierarchy"
    folder.mkdir(exist_ok=True)
    for column, paths in trees.items():
        write(folder / f"adult_hierarchy_{column}.csv", paths)


if __name__ == "__main__":
    main()
