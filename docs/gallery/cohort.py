"""Write the tables of a cohort study that is published every year: made-up people, of whom some drop out.

python docs/gallery/cohort.py FOLDER

The tables called cohort are the copies that stay inside: the column `person` says who is who. It is left out of the
tables called published.
"""

import random
import sys
from pathlib import Path

PEOPLE, SEED = 220, 277
DROP_OUT = 0.04  # every year
CORRECTED = 6  # diagnoses, every year
DISTRICTS = {"Ash": "north", "Birch": "north", "Cedar": "south", "Elm": "south"}
DIAGNOSES = [
    "arthritis",
    "asthma",
    "bronchitis",
    "cataract",
    "cirrhosis",
    "colitis",
    "depression",
    "dermatitis",
    "diabetes",
    "eczema",
    "epilepsy",
    "fracture",
    "gallstones",
    "gastritis",
    "glaucoma",
    "gout",
    "hepatitis",
    "hernia",
    "hypertension",
    "influenza",
    "lupus",
    "migraine",
    "osteoporosis",
    "pneumonia",
    "psoriasis",
    "sciatica",
    "stroke",
    "tinnitus",
    "tuberculosis",
    "ulcer",
]


def cohort(folder, seed=SEED):
    """Three years, and the third year in a second attempt."""
    chance = random.Random(seed)
    people = [
        {
            "person": f"c{chance.randrange(10**6):06d}{number:03d}",
            "age": chance.randrange(30, 70),
            "sex": chance.choice("fm"),
            "district": chance.choice(list(DISTRICTS)),
            "diagnosis": chance.choice(DIAGNOSES),
        }
        for number in range(PEOPLE)
    ]
    write(folder / "cohort_2023.csv", people, {"age": decade, "sex": same})
    people = a_year_later(chance, people)
    write(folder / "cohort_2024.csv", people, {"sex": same, "region": region})
    people = a_year_later(chance, people)
    for attempt, columns in (
        ("first", {"age": other_decade, "district": same}),
        ("second", {"age": decade, "region": region}),
    ):
        write(folder / f"cohort_2025_{attempt}.csv", people, columns)
        write(folder / f"published_2025_{attempt}.csv", people, columns, inside=())


def a_year_later(chance, people):
    """Who is still there, in another order; ages are those of the first year, a few diagnoses are corrected."""
    left = [dict(person) for person in people if chance.random() > DROP_OUT]
    for person in chance.sample(left, CORRECTED):
        person["diagnosis"] = chance.choice(DIAGNOSES)
    chance.shuffle(left)
    return left


def decade(person, _):
    """Ages as 30-39, 40-49, ..."""
    low = person["age"] // 10 * 10
    return f"{low}-{low + 9}"


def other_decade(person, _):
    """Ages as 25-34, 35-44, ..., as other offices publish them."""
    low = (person["age"] - 5) // 10 * 10 + 5
    return f"{low}-{low + 9}"


def region(person, _):
    """The region of the district."""
    return DISTRICTS[person["district"]]


def same(person, name):
    """The value as it is."""
    return person[name]


def write(path, people, columns, inside=("person",)):
    """A table with what stays inside, what is known of people, and their diagnosis; its roles in the file beside it."""
    every = dict.fromkeys(inside, same) | columns | {"diagnosis": same}
    lines = [";".join(every)]
    lines += [";".join(cell(person, name) for name, cell in every.items()) for person in people]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    roles = (
        f"  identifiers: [person]\n  quasi_identifiers: [{', '.join(columns)}]\n  sensitive_attributes: [diagnosis]\n"
    )
    path.with_suffix(".yaml").write_text(f"roles:\n{roles}", "utf-8")


if __name__ == "__main__":
    cohort(Path(sys.argv[1]))
