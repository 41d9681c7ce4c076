"""Make up the table of the quick start: hospital stays, one for each person. Nobody in it exists.

python docs/quickstart/make_people.py    writes people.xlsx where this file is
"""

import random
from datetime import date, timedelta
from pathlib import Path

from openpyxl import Workbook

RECORDS, SEED = 2000, 5
HEADER = ("name", "patient_id", "sex", "birth_date", "postcode", "admitted", "diagnosis", "days")
FIRST = {
    "f": "Ada Alice Amy Beth Carol Clara Dora Edith Ella Emma Grace Hannah Iris Jane Kate Lucy Mary Nora Rose Ruth",
    "m": "Adam Alan Ben Carl David Eric Frank George Henry Ian Jack Karl Leo Mark Neil Owen Paul Robert Sam Tom",
}
LAST = (
    "Adams Baker Brown Clark Cook Davis Evans Foster Green Hall Hill Jones King Lee Miller Moore Reed Smith Ward Young"
)
POSTCODES = {"40120": 5, "40122": 5, "40127": 4, "40211": 4, "40215": 4, "40218": 3, "41003": 2, "41009": 2, "43750": 1}
# Diagnosis: how many stays, mean age, mean days.
DIAGNOSES = {
    "pneumonia": (20, 62, 6),
    "fracture": (18, 58, 7),
    "heart failure": (16, 71, 8),
    "appendicitis": (14, 31, 3),
    "diabetes": (12, 57, 5),
    "depression": (10, 43, 16),
    "breast cancer": (6, 55, 5),
    "HIV": (4, 38, 9),
}


def people(records=RECORDS, seed=SEED):
    """The rows of the table, the header first."""
    chance = random.Random(seed)
    yield HEADER
    for number in range(records):
        diagnosis = chance.choices(list(DIAGNOSES), [stays for stays, _, _ in DIAGNOSES.values()])[0]
        _, age, days = DIAGNOSES[diagnosis]
        sex = "f" if diagnosis == "breast cancer" else chance.choice("fm")
        name = f"{chance.choice(FIRST[sex].split())} {chance.choice(LAST.split())}"
        born = date(2025, 7, 1) - timedelta(days=int(365 * min(max(chance.gauss(age, 14), 18), 97)))
        admitted = date(2025, 1, 1) + timedelta(days=chance.randrange(365))
        postcode = chance.choices(list(POSTCODES), list(POSTCODES.values()))[0]
        stayed = 1 + int(chance.expovariate(1 / days))
        patient = f"P{chance.randrange(900) + 100}{number:04}"
        yield name, patient, sex, born, postcode, admitted, diagnosis, stayed


if __name__ == "__main__":
    book = Workbook()
    for row in people():
        book.active.append(row)
    book.save(Path(__file__).with_name("people.xlsx"))
