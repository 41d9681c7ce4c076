"""Tables in which people have several records, and ordinary tables that look alike: which column names the people."""

import csv
import json
import random
from functools import cache, partial, wraps
from itertools import product
from unittest import mock

import pytest

from command import petworks
from conftest import REFERENCE, ROOT
from PETWorks import Release, anonymize, apply_levels, check
from PETWorks.counting.engines.engine import load_rows
from PETWorks.errors import RoleError
from PETWorks.gate.check.built_in_rules import check_people_are_declared
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.policy.plan_files import read_plan
from PETWorks.gate.suggest.privacy_unit import suggest_people
from PETWorks.gate.suggest.suggestion import ExaminedColumn, suggest_role, suggest_roles
from PETWorks.tables.opening import open_source
from spark_cluster import needs_spark

ENGINES = ["memory", "duckdb", pytest.param("spark", marks=needs_spark)]

CITIES = ["Aalen", "Bonn", "Celle", "Dachau", "Emden", "Fulda", "Gera", "Hof"]
ILLNESSES = ["flu", "asthma", "gout", "migraine", "anaemia", "burnout"]
JOBS = ["nurse", "clerk", "cook", "tailor", "miner", "farmer", "teacher"]
GIVEN, FAMILY = ["James", "Mary", "John", "Linda", "Anna"], ["Smith", "Jones", "Miller", "Lopez", "Kim", "Reed", "Cox"]
HANDLES = [first + last for first, last in product(["blue", "red", "wild", "old", "shy"], ["fox", "owl", "elk", "cat"])]


def later(make):
    """Let a function that makes a table return a function that makes it once: a process of the tests needs few."""
    return wraps(make)(lambda *arguments, **columns: cache(partial(make, *arguments, **columns)))


def made(table):
    return table() if callable(table) else table


def people_in(data):
    source = open_source(made(data), "the table")
    table = load_rows(source, source.names)
    return suggest_people(table, suggest_roles(table, source.names))


def unit_of(data):
    found = people_in(data)
    return found and found.unit


def people(names, each=12, seed=1, **columns):
    """Records of people: attributes of a person stay the same, a diagnosis does not.

    columns   for each attribute, a function that draws it
    """
    chance = random.Random(seed)
    rows = []
    for name in names:
        person = {column: draw(chance) for column, draw in columns.items()}
        rows += [{"who": name, **person, "diagnosis": chance.choice(ILLNESSES)} for _ in range(each)]
    chance.shuffle(rows)
    return {column: [row[column] for row in rows] for column in rows[0]}


@later
def records(number=600, seed=1, **columns):
    """Records of one person each: every column is drawn for each record; a function may use earlier columns."""
    chance = random.Random(seed)
    rows = []
    for place in range(number):
        row = {"place": place}
        for column, draw in columns.items():
            row[column] = draw(chance, row)
        rows.append(row)
    chance.shuffle(rows)
    return {column: [str(row[column]) for row in rows] for column in columns}


def sex(chance, _row=None):
    return chance.choice("FM")


def age(chance, _row=None):
    return str(chance.randint(18, 90))


def city(chance, _row=None):
    return chance.choice(CITIES)


def birth_date(chance, _row=None):
    return f"{chance.randint(1930, 2005)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"


def marital(chance, _row=None):
    return chance.choice(["single", "married", "widowed", "divorced"])


def renamed(table, who):
    return {who if name == "who" else name: cells for name, cells in table.items()}


CODES = [f"R{number:03d}" for number in range(30)]
FULL_NAMES = [f"{given} {family}" for given, family in product(GIVEN, FAMILY)][:30]
PERSONAL_MAILS = [f"{name.replace(' ', '.').lower()}@example.org" for name in FULL_NAMES]
NUMBERS = [str(number) for number in random.Random(7).sample(range(1000, 9999), 30)]
LONG_NUMBERS = [f"46692{number:010d}" for number in random.Random(8).sample(range(10**9), 30)]

OF_PEOPLE = {
    **{
        f"codes called {name}": renamed(people(CODES, city=city, sex=sex), name)
        for name in ("resp_id", "login", "imsi", "handle", "x7", "ref", "payroll_no")
    },
    "handles": renamed(people(HANDLES, city=city, sex=sex), "x7"),
    "short numbers": renamed(people([str(number) for number in range(1, 31)], city=city, sex=sex), "x7"),
    "numbers of four digits": renamed(people(NUMBERS, city=city, sex=sex), "x7"),
    "numbers of fifteen digits": renamed(people(LONG_NUMBERS, city=city, sex=sex), "x7"),
    "a few people with many records": renamed(people(CODES[:6], each=60, city=city, sex=sex), "x7"),
    "two records of each person": renamed(people([f"R{n}" for n in range(300)], each=2, city=city, sex=sex), "x7"),
    "sex alone": renamed(people(CODES, sex=sex), "x7"),
    "sex under an unknown name": {
        {"who": "x7", "sex": "geschlecht"}.get(name, name): cells
        for name, cells in people(CODES, sex=sex, city=city).items()
    },
    "a birth date alone": renamed(people(CODES, birth_date=birth_date), "x7"),
    "date of birth and sex": renamed(people(HANDLES, date_of_birth=birth_date, sex=sex), "x7"),
    "marital status and city": renamed(people(CODES, marital_status=marital, city=city), "x7"),
    "names alone": renamed(people(FULL_NAMES), "name"),
    "names with a city and a sex": renamed(people(FULL_NAMES, city=city, sex=sex), "full_name"),
    "names under an unknown name": renamed(people(FULL_NAMES, city=city), "who"),
    "names that are not English": renamed(
        people([f"{first} {last}" for first in ("Jiwoo", "Zofia", "Ayşe") for last in ("Park", "Nowak")]), "full_name"
    ),
    "family names with city and sex": renamed(
        people(["Okafor", *FAMILY, "Nowak", "Sato"], city=city, sex=sex), "surname"
    ),
    "e-mail addresses of five people": renamed(people(PERSONAL_MAILS[:5], each=60), "email"),
    "e-mail addresses under an unknown name": renamed(people(PERSONAL_MAILS[:5], each=60), "x7"),
}


@pytest.mark.parametrize("table", OF_PEOPLE.values(), ids=OF_PEOPLE)
def test_people_with_several_records_are_found(table):
    column = next(name for name in table if name not in ("city", "sex", "diagnosis"))
    assert unit_of(table) == column


BLOOD, SCHOOLS, NATIONS = (
    ["A", "B", "O", "AB"],
    ["primary", "secondary", "bachelor", "master"],
    ["TW", "JP", "US", "VN"],
)
GIVEN_BY_SEX = {"F": ["Mary", "Linda", "Anna", "Ruth", "Emma"], "M": ["James", "John", "Peter", "Mark", "Paul"]}
ATTRIBUTES = {
    "sex": sex,
    "age": age,
    "city": city,
    "birth_date": birth_date,
    "marital_status": marital,
    "blood_type": lambda c: c.choice(BLOOD),
    "education": lambda c: c.choice(SCHOOLS),
    "nationality": lambda c: c.choice(NATIONS),
    "ethnicity": lambda c: c.choice(["Hoklo", "Hakka", "Amis", "Atayal"]),
    "height": lambda c: str(c.randint(150, 195)),
    "籍貫": lambda c: c.choice(["台北市", "台南市", "高雄市", "花蓮縣"]),
    "lat": lambda c: f"{c.uniform(22, 25):.5f}",
    "lon": lambda c: f"{c.uniform(120, 122):.5f}",
    "postcode": lambda c: str(c.randint(100, 180)),
}


@later
def visits(name, attributes, number=200, most=6, seed=1):
    """Records of people with 1 to `most` visits each.

    name         the columns that name a person, by the number and the attributes of the person and the visit
    attributes   the columns that stay the same
    """
    chance, rows = random.Random(seed), []
    for person in range(number):
        same = {column: draw(chance) for column, draw in ATTRIBUTES.items()}
        for visit in range(chance.randint(1, most)):
            named = {column: str(cell) for column, cell in name(person, same, visit).items()}
            row = named | {column: same[column] for column in attributes}
            rows.append(row | {"diagnosis": chance.choice(ILLNESSES), "cost": str(chance.randint(10, 900))})
    chance.shuffle(rows)
    return {column: [row[column] for row in rows] for column in rows[0]}


def names_of(person, same):
    return GIVEN_BY_SEX[same["sex"]][person % 5], FAMILY[person // 5 % 7] + "aeiou"[person // 35 % 5]


TOGETHER = {
    "first and last names": visits(
        lambda n, same, _: dict(zip(("first_name", "last_name"), names_of(n, same), strict=True)), ["sex", "age"]
    ),
    "first and last names alone": visits(
        lambda n, same, _: dict(zip(("Vorname", "Nachname"), names_of(n, same), strict=True)), [], most=9
    ),
    "a class and a seat": visits(lambda n, *_: {"class": n // 20, "seat_no": n % 20 + 1}, ["sex"]),
    "a class and a seat, with birth dates": visits(
        lambda n, *_: {"班級": f"{n // 20}班", "座號": n % 20 + 1}, ["sex", "birth_date"]
    ),
    "a household and a person": visits(
        lambda n, *_: {"household_no": f"H{n // 4}", "person_no": n % 4 + 1}, ["sex", "age"]
    ),
    "a clinic and a local number": visits(lambda n, *_: {"clinic": n // 40, "local_no": n % 40 + 1}, ["sex", "age"]),
    "a clinic and a patient's number": visits(
        lambda n, *_: {"clinic": n // 40, "patient_no": n % 40 + 1}, ["sex", "birth_date"]
    ),
    "a school and a pupil": visits(lambda n, *_: {"school": n // 40, "pupil_no": n % 40}, ["sex", "blood_type"]),
    "codes under unknown names": visits(lambda n, *_: {"x": f"U{n // 25}", "y": n % 25 + 1}, ["sex", "age"]),
    "a birth date and a postcode": visits(
        lambda _, same, __: {
            "birth_date": f"199{same['birth_date'][3]}-01-{same['birth_date'][-2:]}", "postcode": same["postcode"]
        },
        ["sex", "blood_type"],
        number=1500,
    ),
    "the coordinates of a home": visits(
        lambda _, same, __: {"lat": same["lat"], "lon": same["lon"]}, ["sex", "age"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("table", TOGETHER.values(), ids=TOGETHER)
def test_people_named_by_two_columns_are_found(table):
    table = made(table)
    found = people_in(table)
    assert found is not None
    assert (found.columns, found.unit) == (tuple(table)[:2], None)


CUT = {
    "00123_01": lambda n, _, visit: {"code": f"{n:05d}_{visit + 1:02d}"},
    "A17-2": lambda n, _, visit: {"patient_id": f"A{n}-{visit + 1}"},
    "P001/3": lambda n, _, visit: {"visit_id": f"P{n:03d}/{visit + 1}"},
    "B12a": lambda n, _, visit: {"x": f"B{n:03d}{'abcdefgh'[visit]}"},
    "7004-2": lambda n, _, visit: {"sample_no": f"{7000 + n}-{visit + 1}"},
    "2_P0017": lambda n, _, visit: {"x": f"{visit + 1}_P{n:04d}"},
}


@pytest.mark.parametrize("attributes", [["sex"], ["sex", "city"], ["blood_type", "age"]], ids="+".join)
@pytest.mark.parametrize("name", CUT.values(), ids=CUT)
def test_people_named_by_a_part_of_the_values_are_found(name, attributes):
    table = made(visits(name, attributes))
    found = people_in(table)
    assert found is not None
    assert (found.columns, found.cut, found.unit, found.number) == (tuple(table)[:1], True, None, 200)


BY_OTHER_ATTRIBUTES = {
    **{
        f"codes with {' and '.join(attributes)}": visits(lambda n, *_: {"x7": f"R{n:03d}"}, attributes)
        for attributes in (
            ["blood_type"], ["blood_type", "education"], ["nationality", "education"], ["height", "nationality"],
            ["blood_type", "籍貫"], ["education", "籍貫"], ["ethnicity", "education", "city"],
        )
    },
    "numbers with gaps": visits(lambda n, *_: {"x7": n * 7919 % 100_000}, ["height", "education"]),
    "contact_email": visits(lambda n, *_: {"contact_email": f"u{n}@example.org"}, ["sex"]),
    "contact_phone": visits(lambda n, *_: {"contact_phone": f"0912{n:06d}"}, [], most=9),
    "tel_no": visits(lambda n, *_: {"tel_no": f"0912{n:06d}"}, ["sex"]),
    "a birth date with a sex": visits(lambda _, same, __: {"dob": same["birth_date"]}, ["sex"], number=400),
    "a birth date with a blood type": visits(lambda _, same, __: {"生日": same["birth_date"]}, ["blood_type", "city"]),
    "coordinates in one column": visits(
        lambda _, same, __: {"home": f"{same['lat']}, {same['lon']}"}, ["sex", "age"]
    ),
    "a number of patients who go to several clinics": visits(
        lambda n, _, visit: {"patient_no": n, "clinic": f"C{visit}"}, ["sex", "age"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("table", BY_OTHER_ATTRIBUTES.values(), ids=BY_OTHER_ATTRIBUTES)
def test_people_are_found_by_whatever_people_keep(table):
    assert unit_of(table) == next(iter(made(table)))


def test_a_column_that_names_people_alone_is_preferred_to_two_together():
    table = made(TOGETHER["a clinic and a patient's number"])
    names = [f"R{clinic}{number}" for clinic, number in zip(table["clinic"], table["patient_no"], strict=True)]
    assert unit_of({**table, "mrn": names}) == "mrn"


def class_code(chance, row):
    return f"S{chance.randint(1, 6)}-{int(row['age']) - 5 - chance.randint(0, 1)}{chance.choice('ABC')}"


REGION = {name: f"region {place // 3}" for place, name in enumerate(CITIES)}
SITES = {f"E{number:03d}": (CITIES[number % 8], f"industry {number % 5}") for number in range(40)}
MODELS = {
    f"M{number:02d}": (str(1200 + 37 * number), str(140 + number), ["petrol", "diesel", "electric"][number % 3])
    for number in range(30)
}
STRATA = {key: f"T{place:02d}" for place, key in enumerate(product("FM", range(5), range(4)))}


def stratum(chance, row):
    return STRATA[row["sex"], int(row["age_group"][0]), int(row["region"][-1])]


def households(members=3, seed=4):
    chance = random.Random(seed)
    rows = [
        (f"H{number:03d}", CITIES[number % 8], sex(chance), age(chance), chance.choice(JOBS))
        for number in range(150)
        for _ in range(chance.randint(1, 2 * members - 1))
    ]
    return dict(zip(("hh", "city", "sex", "age", "occupation"), map(list, zip(*rows, strict=True)), strict=True))


def k_anonymous(seed=6):
    """Classes of five records with the same values, as local recoding makes them."""
    chance = random.Random(seed)
    rows = []
    for _ in range(80):
        low, first = chance.randint(18, 80), chance.randint(10, 99)
        same = (f"{low}-{low + 7}", sex(chance), f"{first}***", f"[{first * 3}, {first * 3 + 20})")
        rows += [(*same, str(first * 17), chance.choice(ILLNESSES)) for _ in range(5)]
    names = ("age", "sex", "plz", "x1", "x2", "diagnosis")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


ORDINARY = {
    "a survey": records(
        sex=sex, age=age, occupation=lambda c, _: c.choice(JOBS), region=lambda c, _: f"region {c.randint(0, 4)}",
        q1=lambda c, _: c.randint(1, 5), q2=lambda c, _: c.choice(HANDLES), income_class=lambda c, _: c.randint(1, 9),
    ),
    "a small survey": records(
        30, sex=sex, age=age, x1=lambda c, _: c.choice(CODES), x2=lambda c, _: c.choice(HANDLES), city=city,
    ),
    "sales by shop": records(
        store_key=lambda c, _: f"K{c.randint(1, 40):02d}",
        city=lambda c, row: CITIES[int(row["store_key"][1:]) % 8],
        region=lambda _, row: REGION[row["city"]],
        sex=sex,
        ean=lambda c, _: f"4{c.randint(1, 60):012d}",
        amount=lambda c, _: f"{c.random() * 90:.2f}",
    ),
    "sales without anything about people": records(
        outlet=lambda c, _: f"K{c.randint(1, 40):02d}",
        city=lambda c, row: CITIES[int(row["outlet"][1:]) % 8],
        region=lambda _, row: REGION[row["city"]],
        product_code=lambda c, _: f"P{c.randint(1, 60):03d}",
        amount=lambda c, _: f"{c.random() * 90:.2f}",
    ),
    "pupils of schools and classes": records(
        age=lambda c, _: str(c.randint(6, 17)), sex=sex, school_code=lambda c, _: f"S{c.randint(1, 6)}",
        city=lambda _, row: CITIES[int(row["school_code"][1:])], form=class_code, grade=lambda c, _: c.choice("ABCDEF"),
    ),
    "pupils without a sex": records(
        age=lambda c, _: str(c.randint(6, 17)), class_id=class_code,
        city=lambda _, row: CITIES[int(row["class_id"][1])], grade=lambda c, _: c.choice("ABCDEF"),
    ),
    "patients with ward, doctor and diagnosis": records(
        age=age, sex=sex, ward=lambda c, row: f"W{c.randint(1, 4)}{row['sex']}",
        doctor_id=lambda c, _: f"D{c.randint(1, 25)}",
        attending=lambda c, _: f"D{c.randint(1, 25):02d}", icd=lambda c, _: f"E{c.randint(10, 60)}",
        icd_chapter=lambda _, row: row["icd"][0], hospital=lambda c, row: f"hospital {row['ward'][1]}",
    ),
    "patients with the name of their doctor": records(
        age=age, sex=sex, doctor=lambda c, _: c.choice(FULL_NAMES), gp=lambda c, _: c.choice(FULL_NAMES),
    ),
    "employees with department and site": records(
        sex=sex, age=age, department_code=lambda c, _: f"D{c.randint(100, 140)}",
        employer_id=lambda c, _: c.choice(list(SITES)),
        city=lambda _, row: SITES[row["employer_id"]][0], industry=lambda _, row: SITES[row["employer_id"]][1],
        cost_centre=lambda c, row: f"{row['department_code'][1:]}{c.randint(10, 12)}",
        salary=lambda c, _: c.randint(30, 90) * 1000,
    ),
    "employees of sites, without sex and age": records(
        site_code=lambda c, _: c.choice(list(SITES)), city=lambda _, row: SITES[row["site_code"]][0],
        industry=lambda _, row: SITES[row["site_code"]][1], occupation=lambda c, _: c.choice(JOBS),
    ),
    "vehicles": records(
        model_no=lambda c, _: c.choice(list(MODELS)), weight=lambda _, row: MODELS[row["model_no"]][0],
        height=lambda _, row: MODELS[row["model_no"]][1], fuel=lambda _, row: MODELS[row["model_no"]][2],
        age=lambda c, _: c.randint(0, 20), city=city, sex=sex,
    ),
    "products": records(
        sku=lambda c, _: c.choice(list(MODELS)), weight=lambda _, row: MODELS[row["sku"]][0],
        height=lambda _, row: MODELS[row["sku"]][1], city=city,
    ),
    "households": households(),
    "strata of a survey": records(
        sex=sex, age_group=lambda c, _: f"{c.randint(0, 4)}x", region=lambda c, _: f"region {c.randint(0, 3)}",
        design=stratum, answer=lambda c, _: c.choice(ILLNESSES),
    ),
    "classes that local recoding made": k_anonymous(),
    "cities under an unknown name": records(
        ort=city, region=lambda _, row: REGION[row["ort"]], language=lambda _, row: "de" if row["ort"] < "D" else "fr",
        sex=sex, age=age,
    ),
    "codes of postal districts": records(
        plz=lambda c, _: f"{c.randint(100, 160)}00", city=lambda _, row: CITIES[int(row["plz"]) // 100 % 8], age=age,
    ),
    "people who share a name": records(
        name=lambda c, _: f"{c.choice(GIVEN)} {c.choice(FAMILY)}", sex=sex, age=age,
    ),
    "first names": records(first_name=lambda c, _: c.choice(GIVEN), city=city),
    "masked names": records(姓名=lambda c, _: f"{c.choice('陳林黃張李')}○{c.choice('明豪宏')}", city=city),
    "mailboxes of offices": records(
        email=lambda c, _: f"{c.choice(['info', 'ward3', 'sales', 'hr'])}@example.org", city=city,
    ),
    **{
        f"single-sex groups with {attribute}": records(
            x3=lambda c, _: f"T{c.randint(1, 30)}", sex=lambda _, row: "FM"[int(row["x3"][1:]) % 2],
            city=lambda _, row: CITIES[int(row["x3"][1:]) % 8], goals=lambda c, _: c.randint(0, 9),
            **{attribute: lambda c, _, draw=draw: draw(c)},
        )
        for attribute, draw in {
            **{name: ATTRIBUTES[name] for name in ("age", "height", "nationality", "education", "blood_type")},
            "occupation": lambda c: c.choice(JOBS),
            "full_name": lambda c: f"{c.choice(GIVEN)} {c.choice(FAMILY)}",
        }.items()
    },
    "single-sex groups of numbered people": records(
        person_id=lambda _, row: row["place"], x3=lambda c, _: f"T{c.randint(1, 30)}",
        sex=lambda _, row: "FM"[int(row["x3"][1:]) % 2], city=lambda _, row: CITIES[int(row["x3"][1:]) % 8],
    ),
    "products called code": records(code=lambda c, _: c.randint(1, 90), sex=sex, age=age, city=city),
    "books": records(
        isbn=lambda c, _: f"97{c.randint(1, 90):010d}", language=lambda _, row: NATIONS[int(row["isbn"]) % 4],
        education=lambda _, row: SCHOOLS[int(row["isbn"]) % 3], reader_age=age, sex=sex,
    ),
    "sensors": records(
        station=lambda c, _: f"S{c.randint(1, 40)}", lat=lambda _, row: f"{22 + int(row['station'][1:]) / 77:.4f}",
        lon=lambda _, row: f"{120 + int(row['station'][1:]) / 71:.4f}", pm25=lambda c, _: c.randint(1, 90),
    ),
    "parts of machines": records(
        part_no=lambda _, row: f"P{row['place'] // 4:03d}-{row['place'] % 4}",
        plant=lambda _, row: CITIES[row["place"] // 4 % 8], height=lambda _, row: row["place"] // 4 % 9 + 100,
    ),
    "seats of classes, one record each": records(
        class_=lambda _, row: f"C{row['place'] // 20}", seat_no=lambda _, row: row["place"] % 20, sex=sex,
        birth_date=birth_date, score=lambda c, _: c.randint(1, 99),
    ),
    "patients numbered by clinic, one record each": records(
        clinic=lambda _, row: f"C{row['place'] // 50}", patient_no=lambda _, row: row["place"] % 50, sex=sex, age=age,
    ),
    "members of households, one record each": records(
        household_no=lambda _, row: f"H{row['place'] // 3}", person_no=lambda _, row: row["place"] % 3 + 1,
        nationality=lambda _, row: NATIONS[row["place"] // 3 % 4], sex=sex, age=age,
    ),
    "members of households without attributes": records(
        household_no=lambda _, row: f"H{row['place'] // 3}", person_no=lambda _, row: row["place"] % 3 + 1,
        income=lambda c, _: c.randint(1, 99) * 1000, area=city,
    ),
    "numbers of people by household": records(
        id=lambda _, row: f"H{row['place'] // 3:03d}-{row['place'] % 3}", sex=sex, age=age,
        city=lambda _, row: CITIES[row["place"] // 3 % 8],
    ),
    "wards of women and of men": records(
        hospital=lambda c, _: f"H{c.randint(0, 4)}", ward_no=lambda c, _: c.randint(0, 7), age=age,
        sex=lambda _, row: "FM"[(int(row["hospital"][1]) + row["ward_no"]) % 2],
    ),
    "beds": records(
        station=lambda c, _: f"W{c.randint(1, 6)}", bed=lambda c, _: c.randint(1, 16), age=age,
        sex=lambda _, row: "FM"[(int(row["station"][1:]) + row["bed"] // 4) % 2],
    ),
    "pupils of a year": records(
        birth_date=lambda c, _: f"2010-{c.randint(1, 12):02d}-{c.randint(1, 28):02d}", sex=sex, city=city,
    ),
    "homes of families": records(
        lat=lambda _, row: f"{22 + row['place'] // 3 / 77:.4f}",
        lon=lambda _, row: f"{120 + row['place'] // 3 / 71:.4f}", sex=sex, age=age,
    ),
    "tariffs by sex and decade": records(
        sex=sex, age=age, tarif=lambda _, row: f"T{row['sex']}{int(row['age']) // 10}", city=city,
    ),
    "weights of a survey": records(
        900, sex=sex, age_group=lambda c, _: c.randint(2, 9), region=city,
        w=lambda _, row: (1 + (row["sex"] == "F")) * (row["age_group"] + 3) * (CITIES.index(row["region"]) + 7) * 131,
    ),
    "villages": records(
        x1=lambda c, _: f"V{c.randint(1, 40)}", ethnicity=lambda _, row: ["Amis", "Hakka"][int(row["x1"][1:]) % 2],
        county=lambda _, row: CITIES[int(row["x1"][1:]) % 8], education=lambda c, _: c.choice(SCHOOLS),
    ),
    "jobs": records(
        job_code=lambda c, _: f"J{c.randint(1, 60)}", occupation=lambda _, row: f"job {row['job_code']}",
        education=lambda _, row: SCHOOLS[int(row["job_code"][1:]) % 4], salary=lambda c, _: c.randint(20, 90) * 1000,
    ),
    "phones of wards": records(
        contact_phone=lambda c, _: f"02-2345-{1000 + c.randint(1, 30)}", sex=sex, age=age,
    ),
    "seats in aeroplanes": records(
        flight=lambda c, _: f"BR{c.randint(1, 12)}", seat=lambda c, _: f"{c.randint(1, 30)}{c.choice('ABCDEF')}",
        sex=sex, age=age,
    ),
    "people of accidents": records(
        accident_no=lambda _, row: f"A{row['place'] // 3:04d}", person_no=lambda _, row: row["place"] % 3 + 1,
        sex=sex, age=age, city=lambda _, row: CITIES[row["place"] // 3 % 8],
    ),
    "teams": records(
        team=lambda c, _: f"T{c.randint(1, 30)}", sex=lambda _, row: "FM"[int(row["team"][1:]) % 2],
        city=lambda _, row: CITIES[int(row["team"][1:]) % 8], goals=lambda c, _: c.randint(0, 9),
    ),
}  # fmt: skip


@pytest.mark.parametrize("table", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_tables_raise_no_alarm(table):
    assert unit_of(table) is None


FILES = [
    path
    for folder in (ROOT / "data", ROOT / "docs/gallery", REFERENCE)
    for path in sorted(folder.rglob("*.csv"))
    if "hierarchy" not in path.name
]


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.name}" for path in FILES])
def test_tables_of_one_record_for_each_person_raise_no_alarm(path):
    assert unit_of(path) is None


def saved(folder, table):
    table = made(table)
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    return folder / "t.csv"


@pytest.mark.slow
@pytest.mark.parametrize("table", ORDINARY.values(), ids=ORDINARY)
def test_no_command_stops_at_an_ordinary_table(tmp_path, table):
    data, policy = saved(tmp_path, table), tmp_path / "t_policy.yaml"
    assert petworks("init", data).returncode == 0
    assert "\nprivacy_unit" not in policy.read_text("utf-8")
    assert petworks("check", policy).returncode in (0, 1)
    assert "names people" not in petworks("anonymize", policy, "-o", tmp_path / "out.csv").stderr


HIDDEN = renamed(people(CODES, city=city, sex=sex), "x7")
ROLES = {"x7": "quasi_identifier", "city": "quasi_identifier", "sex": "quasi_identifier"}
ROLES["diagnosis"] = "sensitive_attribute"


def test_init_proposes_what_anonymize_and_check_ask_for(tmp_path):
    data, policy, out = saved(tmp_path, HIDDEN), tmp_path / "t_policy.yaml", tmp_path / "out.csv"
    assert petworks("init", data).returncode == 0
    text = policy.read_text("utf-8")
    assert "\nprivacy_unit: x7 " in text
    assert "- x7  # people have several records: their sex, age and the like go along with the values" in text
    as_before = text.replace("\nprivacy_unit: x7 ", "\n# ").replace("    - x7  #", "    #")
    as_before = as_before.replace("  identifiers:  #", "  identifiers: []  #")
    as_before = as_before.replace("  quasi_identifiers:", "  quasi_identifiers:\n    - x7\n    #")
    policy.write_text(as_before, "utf-8")
    for command in (["check", policy], ["anonymize", policy, "-o", out]):
        done = petworks(*command)
        assert (done.returncode, "column 'x7' names people, and 360 records are of 30" in done.stderr) == (2, True)
    assert not out.exists()
    policy.write_text(f"{as_before}\nno_privacy_unit: {{x7: numbers of beds}}\n", "utf-8")
    assert "names people" not in petworks("check", policy).stderr + petworks("anonymize", policy, "-o", out).stderr


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TOGETHER["a class and a seat"], "columns 'class' and 'seat_no' together name people, and"),
        (visits(CUT["A17-2"], ["sex"]), "a part of the values of column 'patient_id' names people, as A17 does in"),
    ],
    ids=["together", "cut"],
)
def test_people_whom_no_single_column_names_are_asked_for(tmp_path, table, said):
    table = made(table)
    data, policy, out = saved(tmp_path, table), tmp_path / "t_policy.yaml", tmp_path / "out.csv"
    done = petworks("init", data)
    assert (done.returncode, "People have several records, and" in done.stdout) == (0, True)
    text = policy.read_text("utf-8")
    assert "# privacy_unit: person_id       # add such a column to the table" in text
    done = petworks("anonymize", policy, "-o", out)
    assert (done.returncode, said in done.stderr, "are of 200 people" in done.stderr) == (2, True, True)
    assert not out.exists()
    named = list(table)[: said.count("'") // 2]
    reasons = [f"{column}: numbers of beds" for column in named]
    for told in range(len(named) + 1):
        policy.write_text(f"{text}\nno_privacy_unit: {{{', '.join(reasons[:told])}}}\n", "utf-8")
        assert (said in petworks("anonymize", policy, "-o", out).stderr) == (told < len(named))
    person = [cell.partition("-")[0] for cell in table[named[0]]] if len(named) == 1 else None
    combined = person or [f"{group}/{number}" for group, number in zip(*map(table.get, named), strict=True)]
    saved(tmp_path, {**table, "person": combined})
    policy.write_text(f"{text}\nprivacy_unit: person\n", "utf-8")
    done = petworks("anonymize", policy, "-o", tmp_path / "counted.csv")
    assert (done.returncode, "people were counted by the column 'person'" in done.stderr) == (0, True)


def test_a_release_is_not_asked_for_people_who_were_not_in_its_original(tmp_path):
    """Ages show that the groups are no people; the release has none any more."""
    data, policy = saved(tmp_path, ORDINARY["single-sex groups with age"]), tmp_path / "t_policy.yaml"
    assert petworks("init", data).returncode == 0
    assert petworks("anonymize", policy, "-o", tmp_path / "out.csv").returncode == 0
    done = petworks("check", tmp_path / "out_policy.yaml")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TOGETHER["a clinic and a patient's number"], "columns 'clinic' and 'patient_no' together name people"),
        (visits(CUT["B12a"], ["sex", "age"]), "a part of the values of column 'x' names people"),
    ],
    ids=["together", "cut"],
)
def test_every_engine_finds_people_whom_no_single_column_names(tmp_path, engine, table, said):
    release = Release(str(saved(tmp_path, table)), dict.fromkeys(made(table), "quasi_identifier"), engine=engine)
    with pytest.raises(RoleError, match=said):
        check_people_are_declared(release)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_finds_them(tmp_path, engine):
    table = {**HIDDEN, "ward": [str(row % 7) for row in range(360)]}
    release = Release(str(saved(tmp_path, table)), {**ROLES, "ward": "quasi_identifier"}, engine=engine)
    assert release.engine.name == engine
    with pytest.raises(RoleError, match="column 'x7' names people"):
        check_people_are_declared(release)
    check_people_are_declared(release, {"x7": "numbers of beds"})


def movers(region_of):
    """Records of people who are told apart by a word; their towns change, and their region is drawn by a function."""
    chance = random.Random(1)
    rows = []
    for word in HANDLES:
        person = sex(chance), chance.choice("ABCD")
        rows += [
            (word, person[0], f"{region_of(chance, person[1])}{chance.randint(10, 49)}", chance.choice(ILLNESSES))
            for _ in range(24)
        ]
    chance.shuffle(rows)
    return {name: [row[place] for row in rows] for place, name in enumerate(("x7", "sex", "town", "diagnosis"))}


MOVERS_POLICY = """petworks_policy: 1
data: t.csv
roles: {quasi_identifiers: [sex, town], sensitive_attributes: [diagnosis], insensitive_attributes: [x7]}
role_reasons: {x7: colours of pens}
hierarchies: {town: {mask: 2}}
rules: [{measure: k-anonymity, k: 11}, {measure: l-diversity, l: 2}]
"""


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")  # what the rules leave open is not the matter
def test_one_file_has_one_verdict_though_people_show_in_the_release_alone(tmp_path):
    policy, out, by_plan = tmp_path / "p.yaml", tmp_path / "out.csv", tmp_path / "by_plan.csv"
    policy.write_text(MOVERS_POLICY, "utf-8")
    roles = {"x7": "insensitive_attribute", "sex": "quasi_identifier", "town": "quasi_identifier"}
    roles["diagnosis"] = "sensitive_attribute"
    table = movers(lambda _, region: region)
    release = Release(table, roles, {"town": {"mask": 2}}, role_reasons={"x7": "colours of pens"})
    check_people_are_declared(release)  # towns change, so nothing shows here
    anonymize(release, {"k-anonymity": {"k": 11}, "l-diversity": {"l": 2}})
    path = saved(tmp_path, table)
    own = tmp_path / "out_policy.yaml"
    for command in (
        ["anonymize", policy, "-o", out],
        ["check", own],
        ["apply", "--plan", tmp_path / "out_plan.json", path, "-o", by_plan],
        ["check", tmp_path / "by_plan_policy.yaml"],
    ):
        assert petworks(*command).returncode == 0, command
    stranger = tmp_path / "stranger.yaml"  # without its plan, it is a table like any other
    stranger.write_text(own.read_text("utf-8").replace("plan: out_plan.json\n", ""), "utf-8")
    done = petworks("check", stranger)
    assert (done.returncode, "column 'x7' names people" in done.stderr) == (2, True)


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")  # what the rules leave open is not the matter
def test_a_release_in_several_files_is_known_by_its_plan(tmp_path):
    policy, own, parts = tmp_path / "p.yaml", tmp_path / "out_policy.yaml", tmp_path / "parts"
    policy.write_text(MOVERS_POLICY, "utf-8")
    saved(tmp_path, movers(lambda _, region: region))
    assert petworks("anonymize", policy, "-o", tmp_path / "out.csv").returncode == 0
    head, *lines = (tmp_path / "out.csv").read_text("utf-8").splitlines()
    parts.mkdir()
    for number in range(2):
        (parts / f"{number}.csv").write_text("\n".join([head, *lines[number::2], ""]), "utf-8")
    own.write_text(own.read_text("utf-8").replace("data: out.csv", "data: parts/*.csv"), "utf-8")
    plan = json.loads((tmp_path / "out_plan.json").read_text("utf-8"))
    plan |= {"release_sha256": table_digest(parts / "*.csv"), "suppressed": 2}
    (tmp_path / "out_plan.json").write_text(json.dumps(plan), "utf-8")
    with mock.patch("PETWorks.gate.plans.read_plan", side_effect=read_plan) as reading:
        content = check(own).content  # people show in the release alone, and are not looked for again
    assert reading.call_count == 1
    (failed,) = (rule for rule in content.rules if rule.verdict == "fail")
    assert (failed.name, failed.details) == (
        "records-left",
        {"suppressed": 2, "records": plan["records"], "at_most": 0},
    )


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")  # what the rules leave open is not the matter
@pytest.mark.parametrize("role", ["quasi_identifier", "insensitive_attribute", "sensitive_attribute", "identifier"])
def test_python_finds_them_in_every_role(role):
    roles, ways = {**ROLES, "x7": role}, {name: {"mask": 1} for name in ("x7", "city", "sex")}
    undeclared = Release(HIDDEN, roles, ways)
    explained = Release(HIDDEN, roles, ways, no_privacy_unit={"x7": "numbers of beds"})
    for make in (
        lambda release: anonymize(release, {"k-anonymity": {"k": 5}}, suppression=1.0),
        lambda release: apply_levels(release, {"city": 1}),
    ):
        with pytest.raises(RoleError, match="column 'x7' names people"):
            make(undeclared)
        assert make(explained) is not None


def test_wrong_records_and_a_code_for_nobody_do_not_hide_people():
    chance = random.Random(9)
    wrong = {**HIDDEN, "sex": [sex(chance) if chance.random() < 0.1 else cell for cell in HIDDEN["sex"]]}
    assert unit_of(wrong) == "x7"
    nobody = records(60, x7=lambda *_: "none", city=city, sex=sex, diagnosis=lambda c, _: c.choice(ILLNESSES))
    assert unit_of({name: [*cells, *made(nobody)[name]] for name, cells in HIDDEN.items()}) == "x7"


def test_people_may_become_older_and_move():
    older = people(CODES, age=age, sex=sex)
    chance = random.Random(3)
    older["age"] = [str(int(cell) + chance.randint(0, 9)) for cell in older["age"]]
    assert unit_of({**renamed(older, "x7"), "city": [city(chance) for _ in older["age"]]}) == "x7"


def numbered_people():
    """Sex, age and town of 100 people with many records each, and a random number below 100,000 for each."""
    draw = random.Random(31)
    people = [
        (draw.randint(1, 99_999), draw.choice("FM"), draw.randint(18, 85), draw.choice(("Alton", "Bree", "Calder")))
        for _ in range(100)
    ]
    rows = [person for person in people for _ in range(draw.randint(13, 30))]
    numbers, *others = ([str(cell) for cell in cells] for cells in zip(*rows, strict=True))
    return numbers, dict(zip(("sex", "age", "town"), others, strict=True))


@pytest.mark.parametrize("name", ["anon_id", "study_no", "participant", "受試者", "nummer"])
def test_whole_numbers_with_gaps_name_people_if_sex_age_and_place_go_along_with_them(name):
    numbers, others = numbered_people()
    table = {name: numbers, **others}
    with pytest.raises(RoleError, match=f"column '{name}' names people"):
        check_people_are_declared(Release(table, dict.fromkeys(table, "quasi_identifier")))


def test_amounts_that_depend_on_sex_and_age_are_no_people():
    draw = random.Random(31)
    people = [(draw.choice("FM"), draw.randint(18, 85), draw.choice(("Alton", "Bree", "Calder"))) for _ in range(2000)]
    table = {
        "x9": [str({"F": 17, "M": 23}[sex] * age) for sex, age, _ in people],
        **dict(zip(("sex", "age", "town"), map(list, zip(*people, strict=True)), strict=True)),
    }
    check_people_are_declared(Release(table, dict.fromkeys(table, "quasi_identifier")))


@pytest.mark.parametrize("name", ["victim_age", "age_at_diagnosis", "treatment_city", "income_postcode", "診斷年齡"])
def test_age_and_place_are_known_to_others_whatever_they_are_about(name):
    profile = ExaminedColumn.of(Release({name: ["31", "47"] * 40}, {name: "quasi_identifier"}).profiles()[name])
    assert suggest_role(name, profile).role == "quasi_identifier"


@pytest.mark.parametrize(
    "spell",
    [
        lambda person, visit: f"P{person:03}–{visit}",
        lambda person, visit: f"P{person:03}({visit})",
        lambda person, visit: f"P{person:03} - {visit}",
        lambda person, visit: f"P{person:03}__{visit}",
        lambda person, visit: f"P{person:03}-2024{visit:02}15",
        lambda person, visit: f"P{person:03}_2024-{visit:02}-15",
        lambda person, visit: f"P{person:03}_baseline{visit}",
        lambda person, visit: f"P{person:03}第{visit}次",
        lambda person, visit: f"2024{visit:02}15-P{person:03}",
    ],
)
def test_an_id_with_the_part_of_a_visit_in_any_spelling(tmp_path, spell):
    chance = random.Random(3)
    rows = []
    for person in range(60):
        steady = chance.randint(18, 80), sex(chance), chance.choice("ABCD")
        rows += [(spell(person, visit), *steady, chance.choice(ILLNESSES)) for visit in range(1, 11)]
    chance.shuffle(rows)
    table = {name: [row[i] for row in rows] for i, name in enumerate(("x7", "age", "sex", "city", "diagnosis"))}
    done = petworks("init", saved(tmp_path, table))
    assert done.returncode == 0
    assert petworks("anonymize", tmp_path / "t_policy.yaml", "-o", tmp_path / "out.csv").returncode == 2


@pytest.mark.parametrize(
    "spell",
    [
        lambda person, visit: f"ab{person:03}\u200b" if visit % 2 else f"AB{person:03}",
        lambda person, visit: ["{}", "0{}", "{}.0", "#{}"][visit % 4].format(1000 + person),
        lambda person, visit: "".join("\u200b\u200c"[visit >> bit & 1] for bit in range(4)) + f"P{person:03}",
    ],
)
def test_people_are_found_whatever_the_spelling_of_their_numbers(tmp_path, spell):
    chance = random.Random(4)
    rows = []
    for person in range(60):
        steady = chance.randint(18, 80), sex(chance), chance.choice("ABCD")
        rows += [(spell(person, visit), *steady, chance.choice(ILLNESSES)) for visit in range(1, 5)]
    table = {name: [row[i] for row in rows] for i, name in enumerate(("patient_id", "age", "sex", "city", "diagnosis"))}
    assert petworks("init", saved(tmp_path, table)).returncode == 0
    assert "\nprivacy_unit: patient_id" in (tmp_path / "t_policy.yaml").read_text("utf-8")
    release = Release(table, {"age": "quasi_identifier"}, privacy_unit="patient_id", sensitive_values="folded")
    assert release.people == 60


@pytest.mark.parametrize("columns", [("family", "given"), ("ln", "fn"), ("甲", "乙")])
def test_names_in_two_columns_whose_names_do_not_say_so(tmp_path, columns):
    chance = random.Random(5)
    rows = []
    for number in range(60):
        name = (
            ["Smith", "Jones", "Brown", "Lee", "Clark", "Young"][number % 6],
            ["Ann", "Bob", "Carl", "Dora", "Eve", "Fred", "Gina", "Hugo", "Iris", "Jack"][number // 6],
        )
        steady = chance.randint(18, 80), sex(chance), chance.choice(["Taipei", "Tainan", "Hualien"])
        rows += [(*name, *steady, chance.choice(ILLNESSES)) for _ in range(12)]
    chance.shuffle(rows)
    names = (*columns, "age", "sex", "city", "diagnosis")
    path = saved(tmp_path, {name: [row[i] for row in rows] for i, name in enumerate(names)})
    assert petworks("init", path).returncode == 0
    assert petworks("anonymize", tmp_path / "t_policy.yaml", "-o", tmp_path / "out.csv").returncode == 2
