"""Make the tables of the gallery, which git keeps, or the reports about them, which it does not.

python docs/gallery/make_gallery.py tables FOLDER     the tables, and the policy that `petworks init` proposes
python docs/gallery/make_gallery.py reports FOLDER    each report in both editions, and its summary; of all cases
                                                      or of those that are named behind the folder
"""

import random
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from cohort import cohort
from msgspec.structs import replace

from PETWorks import check, read_policy
from PETWorks.anonymizer.anonymization_facts import table_state
from PETWorks.cli.demo import write_hospital
from PETWorks.gate.anonymising import anonymize_by_policy, search_rules
from PETWorks.render.check_result import Check

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "data"
AS_OF = datetime(2026, 11, 16, tzinfo=UTC)
SALT = "0123456789abcdef" * 2  # not random, so that the pages can be made again
LANGUAGE = {"adult": "en", "wards": "en", "cohort": "en", "survey": "zh-TW", "hospital": "zh-TW"}
PETWORKS = Path(sys.executable).with_name("petworks")


def wards(folder):
    """Stays in a hospital: one release with years and postcodes, one with decades and districts."""
    rng = random.Random(7)
    diagnoses = ["fracture", "influenza", "diabetes", "asthma", "pneumonia"]
    stays = []
    for _ in range(400):
        year = rng.choice([1938, 1941, 1944, 1952, 1955, 1958, 1963, 1967, 1971, 1976, 1984, 1989])
        district = rng.choice([1, 1, 2, 2, 2, 3])
        stays.append((year, f"{district}{rng.randrange(3)}0", rng.choice("fm"), rng.choice(diagnoses)))
    fine = [f"{year};{postcode};{sex};{diagnosis}" for year, postcode, sex, diagnosis in stays]
    coarse = [
        f"{'before 1960' if year < 1960 else '1960 and later'};{postcode[0]}**;{sex};{diagnosis}"
        for year, postcode, sex, diagnosis in stays
    ]
    header = "birth_year;postcode;sex;diagnosis"
    (folder / "stays_first.csv").write_text("\n".join([header, *fine]) + "\n", "utf-8")
    (folder / "stays_second.csv").write_text("\n".join([header, *coarse]) + "\n", "utf-8")


def survey(folder):
    """一份健康問卷調查的釋出資料。"""
    rng = random.Random(11)
    rows = ["年齡層;性別;縣市;教育程度;健康狀況"]
    for _ in range(600):
        age = rng.choice(["20-39歲", "20-39歲", "40-59歲", "60歲以上"])
        county = rng.choices(["臺北市", "新北市", "臺中市", "高雄市", "澎湖縣"], [30, 35, 20, 18, 1])[0]
        schooling = rng.choice(["大學以上", "高中職", "國中以下"])
        health = rng.choice(["良好", "良好", "普通", "慢性病", "重大傷病"])
        rows.append(f"{age};{rng.choice(['男', '女'])};{county};{schooling};{health}")
    (folder / "survey.csv").write_text("\n".join(rows) + "\n", "utf-8")


def hospital_policy(folder):
    """The policy of the raw table, as `petworks init` writes it."""
    with TemporaryDirectory() as elsewhere:
        write_hospital(Path(elsewhere, "hospital.csv"))
        petworks("init", Path(elsewhere, "hospital.csv"))
        shutil.copy(Path(elsewhere, "hospital_policy.yaml"), folder)


def from_raw_to_released(folder):
    """Two commands, in a folder of their own: the tables are large and can be made again."""
    with TemporaryDirectory() as elsewhere:
        table, policy, released = (
            Path(elsewhere, name) for name in ("hospital.csv", "hospital_policy.yaml", "hospital_released.csv")
        )
        write_hospital(table)
        petworks("init", table)
        petworks("anonymize", policy, "-o", released, "--seed", "7")
        write_report(folder, policy, "raw_report")
        read, after = read_policy(policy), read_policy(released.with_name("hospital_released_policy.yaml"))
        original = read.release(protect=True, engine="memory")
        result = anonymize_by_policy(read, original, search_rules(read, AS_OF.date()), {})
        facts = result.facts(table_state(original), after.release(engine="memory"), result.explain())
        write_report(folder, after, "released_report", facts)


def petworks(*arguments):
    subprocess.run([PETWORKS, "--lang", "en", *arguments], check=True, capture_output=True)  # noqa: S603 - our own command


def write_report(folder, policy, name, anonymization=None):
    folder.mkdir(parents=True, exist_ok=True)
    lang = LANGUAGE[folder.name]
    result = check(policy, as_of=AS_OF, salt=SALT)
    if anonymization is not None:
        result = Check(replace(result.content, anonymization=anonymization), result.note)
    (folder / f"{name}.html").write_text(result.to_html(lang), "utf-8")
    (folder / f"{name}.external.html").write_text(result.to_html(lang, "external"), "utf-8")
    (folder / f"{name}.md").write_text(result.to_markdown(lang), "utf-8")


def make_tables(target):
    for case, make in {"wards": wards, "survey": survey, "cohort": cohort, "hospital": hospital_policy}.items():
        (target / case).mkdir(parents=True, exist_ok=True)
        make(target / case)


def make_reports(target, *cases):
    for case in cases or LANGUAGE:
        if case == "hospital":
            from_raw_to_released(target / case)
        elif case == "adult":
            write_report(target / case, DATA / "adult_policy.yaml", "report")
        else:
            for policy in sorted((HERE / case).glob("*policy.yaml")):
                write_report(target / case, policy, policy.stem.replace("policy", "report"))


if __name__ == "__main__":
    what, folder, *cases = sys.argv[1:]
    {"tables": make_tables, "reports": make_reports}[what](Path(folder), *cases)
