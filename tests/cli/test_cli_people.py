"""Several records of a person: people are counted, and no release tells which records are of one person."""

import csv
import json
import random

import pytest

from command import petworks as run
from PETWorks import Release, ReleaseWarning, anonymize, apply_levels, apply_plan, check, frontier
from PETWorks.errors import ParameterError, RoleError
from spark_cluster import needs_spark

POLICY = """
petworks_policy: 1
data: visits.csv
no_rule: {diagnosis: a test}
roles:
  quasi_identifiers: [sex, ward]
  sensitive_attributes: [diagnosis]
privacy_unit: person
hierarchies:
  sex: {mask: 1}
  ward: {mask: 1}
rules:
  - {measure: k-anonymity, k: 5}
  - {measure: l-diversity, l: 2}
anonymize: {suppression: 0.05}
"""
KEPT = POLICY.replace("{suppression: 0.05}", "{suppression: 0.05, privacy_unit: keep}")
WARDS = [f"W{number}" for number in range(8)]
ILLNESSES = ("flu", "asthma", "burn", "fracture")


def visits(people=200, most=5):
    """Rows of people who visited some wards: nearly everybody is unique by the set of them."""
    chance = random.Random(3)
    rows = []
    for number in range(people):
        sex = chance.choice("FM")
        wards = chance.sample(WARDS, chance.randint(1, most))
        rows += [[f"P{number:04d}", sex, ward, chance.choice(ILLNESSES)] for ward in wards]
    chance.shuffle(rows)
    return rows


def save(path, rows, header=("person", "sex", "ward", "diagnosis")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture
def folder(tmp_path):
    save(tmp_path / "visits.csv", visits())
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


def verdicts(path, **options):
    return {rule.name: rule.verdict for rule in check(path, **options).content.rules}


def cells(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_people_are_counted_and_the_column_is_left_out(folder):
    done = run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "people were counted by the column 'person', which is left out" in done.stderr
    assert cells(folder / "out.csv")[0] == ["sex", "ward", "diagnosis"]
    plan = json.loads((folder / "out_plan.json").read_text("utf-8"))
    assert [rule["name"] for rule in plan["judged"]] == ["k-anonymity", "l-diversity"]


def test_the_rules_are_judged_by_people_on_the_written_rows(folder):
    """Ten records of two people are a class of two."""
    few = [["P9990", "X", "W0", illness] for illness in ILLNESSES * 5]
    rows = [*visits(), *few, ["P9991", "X", "W0", "flu"]]
    save(folder / "visits.csv", rows)
    text = POLICY.replace("anonymize: {suppression: 0.05}", "anonymize: {levels: {sex: 0, ward: 0}}")
    (folder / "policy.yaml").write_text(text, "utf-8")
    done = run("apply", folder / "policy.yaml", "-o", folder / "out.csv", "--levels", "sex=0")
    found = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip().startswith("k-")}
    assert found["k-anonymity"][2] == "2"
    assert done.returncode == 1


def test_the_released_file_is_accepted_by_its_digest_together_with_its_plan(folder):
    run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    result = check(folder / "out_policy.yaml")
    assert result.verdict == "pass"
    assert result.content.notices[0].notice == "people-counted-before"
    made = {rule["name"]: rule["value"] for rule in json.loads((folder / "out_plan.json").read_text("utf-8"))["judged"]}
    assert {rule.name: rule.value for rule in result.content.rules if rule.name in made} == made
    done = run("check", folder / "out_policy.yaml")
    assert "counted by people when this very file was made" in " ".join(done.stdout.split())


def test_another_file_without_the_column_fails(folder):
    run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    rows = cells(folder / "out.csv")
    save(folder / "other.csv", rows[1:-1], rows[0])
    result = check(folder / "out_policy.yaml", data=folder / "other.csv")
    assert result.verdict == "fail"
    failing = {rule.name: rule.value for rule in result.content.rules if rule.verdict == "fail"}
    assert failing == {"people-are-counted": ("k-anonymity", "l-diversity")}
    assert [one.notice for one in result.content.notices if one.notice.startswith("people")] == ["people-not-counted"]
    assert "count-people" in [step.step for step in result.content.next_steps]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k: '5'", "k: '4'"),
        (
            "  quasi_identifiers:\n  - sex\n  - ward",
            "  insensitive_attributes:\n  - sex\n  quasi_identifiers:\n  - ward",
        ),
    ],
    ids=["threshold", "roles"],
)
def test_what_was_judged_does_not_count_for_another_policy(folder, old, new):
    run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    text = (folder / "out_policy.yaml").read_text("utf-8")
    assert old in text
    (folder / "out_policy.yaml").write_text(text.replace(old, new), "utf-8")
    assert verdicts(folder / "out_policy.yaml")["people-are-counted"] == "fail"


def test_a_file_that_has_the_column_fails(folder):
    found = verdicts(folder / "policy.yaml")
    assert found["people-are-counted"] == "pass"
    assert found["no-linked-records"] == "fail"
    assert "unlink" in [step.step for step in check(folder / "policy.yaml").content.next_steps]


def test_numbers_in_its_place_fail_where_people_have_several_records(folder):
    (folder / "policy.yaml").write_text(KEPT, "utf-8")
    done = run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    assert done.returncode == 1
    assert cells(folder / "out.csv")[0][0] == "person"
    assert verdicts(folder / "out_policy.yaml")["no-linked-records"] == "fail"


def test_numbers_in_its_place_may_stay_where_nobody_has_several_records(folder):
    save(folder / "visits.csv", visits(most=1))
    (folder / "policy.yaml").write_text(KEPT, "utf-8")
    done = run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    assert done.returncode == 0, done.stdout
    assert verdicts(folder / "out_policy.yaml")["no-linked-records"] == "pass"
    assert verdicts(folder / "policy.yaml")["no-linked-records"] == "pass"


def test_a_policy_that_does_not_keep_the_column_fails_even_with_one_record_each(folder):
    save(folder / "visits.csv", visits(most=1))
    assert verdicts(folder / "policy.yaml")["no-linked-records"] == "fail"


def test_a_table_without_the_column_cannot_be_anonymised(folder):
    save(folder / "visits.csv", [row[1:] for row in visits()], ("sex", "ward", "diagnosis"))
    done = run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    assert done.returncode == 2
    assert "the privacy unit 'person' is not in the data" in done.stderr


def test_a_unit_beside_the_table_is_a_rule_too(folder):
    (folder / "visits.yaml").write_text("privacy_unit: person\nroles:\n  quasi_identifiers: [sex, ward]\n", "utf-8")
    roles = "roles:\n  quasi_identifiers: [sex, ward]\n  sensitive_attributes: [diagnosis]\nprivacy_unit: person\n"
    text = POLICY.replace(roles, "").replace("  - {measure: l-diversity, l: 2}\n", "")
    text = text.replace("no_rule: {diagnosis: a test}\n", "")
    (folder / "policy.yaml").write_text(text, "utf-8")
    assert verdicts(folder / "policy.yaml")["no-linked-records"] == "fail"


def test_python_leaves_the_column_out_and_counts_people(folder):
    roles = {"sex": "quasi_identifier", "ward": "quasi_identifier", "diagnosis": "sensitive_attribute"}
    words = {"sex": {"mask": 1}, "ward": {"mask": 1}}
    release = Release(folder / "visits.csv", roles, words, privacy_unit="person")
    result = anonymize(release, {"k-anonymity": {"k": 5}, "l-diversity": {"l": 2}})
    assert result.table.column_names == ["sex", "ward", "diagnosis"]
    assert result.release.people == 200
    assert not any("'person'" in text for text in result.notices)


@pytest.mark.parametrize("engine", ["duckdb"])
def test_other_engines_say_that_they_cannot(folder, engine):
    done = run("anonymize", folder / "policy.yaml", "-o", folder / "out.csv", "--engine", engine)
    assert done.returncode == 2
    assert "people are counted by 'person'" in done.stderr
    assert verdicts(folder / "policy.yaml", engine=engine)["no-linked-records"] == "fail"


UNDECLARED = POLICY.replace("privacy_unit: person\n", "").replace("roles:\n", "roles:\n  identifiers: [patient_id]\n")


def test_people_with_several_records_must_be_declared(tmp_path):
    rows = [row for row in visits() for _ in range(2)]
    save(tmp_path / "visits.csv", rows, ("patient_id", "sex", "ward", "diagnosis"))
    (tmp_path / "policy.yaml").write_text(UNDECLARED, "utf-8")
    done = run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    assert (done.returncode, (tmp_path / "out.csv").exists()) == (2, False)
    assert f"column 'patient_id' names people, and {len(rows):,} records are of 200 people" in done.stderr
    reason = "no_privacy_unit: {patient_id: a number of the ward's beds}\n"
    about_its_role = reason.replace("no_privacy_unit", "role_reasons")
    (tmp_path / "policy.yaml").write_text(UNDECLARED + about_its_role, "utf-8")
    assert run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv").returncode == 2
    (tmp_path / "policy.yaml").write_text(UNDECLARED + reason, "utf-8")
    assert run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv").returncode == 0
    told = {one.notice: one.columns for one in check(tmp_path / "out_policy.yaml").content.notices}
    assert told["no-privacy-unit"] == ("patient_id",)
    (tmp_path / "policy.yaml").write_text(UNDECLARED + reason.replace("patient_id", "bed"), "utf-8")
    done = run("check", tmp_path / "policy.yaml")
    assert (done.returncode, "no_privacy_unit.bed: the column has no role" in done.stderr) == (2, True)
    roles = [
        "--qi",
        "sex,ward",
        "--sensitive",
        "diagnosis",
        "--identifier",
        "patient_id",
        "--measure",
        "k-anonymity:k=5",
    ]
    done = run("anonymize", tmp_path / "visits.csv", *roles, "-o", tmp_path / "other.csv")
    assert (done.returncode, "give it as 'privacy_unit'" in done.stderr) == (2, True)
    roles += ["--no-privacy-unit", "patient_id=a bed"]
    done = run("anonymize", tmp_path / "visits.csv", *roles, "-o", tmp_path / "other.csv")
    assert "names people" not in done.stderr
    (tmp_path / "policy.yaml").write_text(UNDECLARED + "privacy_unit: patient_id\n", "utf-8")
    assert run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "third.csv").returncode == 0


def test_python_asks_for_them_as_well(tmp_path):
    save(tmp_path / "visits.csv", visits(), ("patient_id", "sex", "ward", "diagnosis"))
    roles = {"patient_id": "identifier", "sex": "quasi_identifier", "ward": "quasi_identifier"}
    with pytest.raises(RoleError, match="column 'patient_id' names people"):
        anonymize(
            Release(
                tmp_path / "visits.csv",
                {**roles, "diagnosis": "sensitive_attribute"},
                {"sex": {"mask": 1}, "ward": {"mask": 1}},
            ),
            rules={"k-anonymity": {"k": 5}},
        )


def test_a_plan_of_people_with_one_record_each_is_not_for_people_with_several(tmp_path):
    """A plan was made where nobody had to be declared; the next table may have several records of a person."""
    header = ("patient_id", "sex", "ward", "diagnosis")
    save(tmp_path / "visits.csv", visits(most=1), header)
    (tmp_path / "policy.yaml").write_text(UNDECLARED, "utf-8")
    assert run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv").returncode == 0
    save(tmp_path / "next.csv", visits(), header)
    plan = tmp_path / "out_plan.json"
    done = run("apply", tmp_path / "next.csv", "--plan", plan, "-o", tmp_path / "next_out.csv")
    assert (done.returncode, (tmp_path / "next_out.csv").exists()) == (2, False)
    assert "column 'patient_id' names people" in done.stderr
    with pytest.raises(RoleError, match="column 'patient_id' names people"):
        apply_plan(tmp_path / "next.csv", plan)
    reason = "no_privacy_unit: {patient_id: a number of the ward's beds}\n"
    (tmp_path / "policy.yaml").write_text(UNDECLARED + reason, "utf-8")
    assert run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv").returncode == 0
    assert run("apply", tmp_path / "next.csv", "--plan", plan, "-o", tmp_path / "next_out.csv").returncode == 0
    with pytest.warns(ReleaseWarning, match="Records count as people: the policy says why patient_id"):
        assert apply_plan(tmp_path / "next.csv", plan).records == len(visits())


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")  # what the rules leave open is not the matter
def test_an_address_that_names_people_must_be_declared_through_every_door(tmp_path):
    """Records with the same e-mail address are of the same sex, so they are of one person."""
    rows = [[f"u{person}@example.org", *others] for person, *others in visits()]
    save(tmp_path / "visits.csv", rows, ("email", "sex", "ward", "diagnosis"))
    (tmp_path / "policy.yaml").write_text(UNDECLARED.replace("patient_id", "email"), "utf-8")
    written = ["-o", tmp_path / "out.csv"]
    for command in (["anonymize", *written], ["apply", "--levels", "ward=1", *written], ["anonymize", "--frontier"]):
        done = run(*command, tmp_path / "policy.yaml")
        assert (done.returncode, "column 'email' names people" in done.stderr) == (2, True), command
    data, words = tmp_path / "visits.csv", {"sex": {"mask": 1}, "ward": {"mask": 1}}
    roles = {"email": "identifier", "sex": "quasi_identifier", "ward": "quasi_identifier"}
    roles["diagnosis"] = "sensitive_attribute"
    rules = {"k-anonymity": {"k": 5}}
    reasons = {"email": "the address of a ward"}
    for make in (
        lambda **how: anonymize(Release(data, roles, words, **how), rules),
        lambda **how: anonymize(Release(data, roles, words, engine="duckdb", **how), rules),
        lambda **how: apply_levels(Release(data, roles, words, **how), {"ward": 1}),
        lambda **how: frontier(Release(data, roles, words, **how), rules),
    ):
        with pytest.raises(RoleError, match="column 'email' names people"):
            make()
        with pytest.raises(RoleError, match="column 'email' names people"):
            make(role_reasons=reasons)
        with pytest.raises(ParameterError, match="a letter or digit that can be seen for 'email'"):
            make(no_privacy_unit={"email": "\u200b."})
        assert make(no_privacy_unit=reasons) is not None


def test_all_records_of_a_table_may_be_of_one_person(tmp_path):
    save(
        tmp_path / "visits.csv",
        [["P1", *others] for _, *others in visits()],
        ("patient_id", "sex", "ward", "diagnosis"),
    )
    (tmp_path / "policy.yaml").write_text(UNDECLARED, "utf-8")
    done = run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    assert (done.returncode, "column 'patient_id' names people" in done.stderr) == (2, True)
    save(
        tmp_path / "visits.csv",
        [["ward 7", *others] for _, *others in visits()],
        ("contact", "sex", "ward", "diagnosis"),
    )
    (tmp_path / "policy.yaml").write_text(UNDECLARED.replace("patient_id", "contact"), "utf-8")
    assert run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv").returncode == 0


@pytest.mark.parametrize("column", ["remarks", "doctor", "mother_id", "bed", "visit_no"])
def test_other_identifiers_may_repeat(tmp_path, column):
    chance = random.Random(8)
    rows = [[value, chance.choice("FM"), *others] for value, _, *others in visits()]
    save(tmp_path / "visits.csv", rows, (column, "sex", "ward", "diagnosis"))
    (tmp_path / "policy.yaml").write_text(UNDECLARED.replace("patient_id", column), "utf-8")
    done = run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr


def of_one_person(people=60, each=12):
    """Records with a phone, an income and a place that are the person's, in texts that are new in every record."""
    chance = random.Random(1)
    rows = []
    for number in range(people):
        ward, sex = chance.choice("ABC"), chance.choice("FM")
        phone = f"09{number:02d}{number * 7 % 1000:03d}{number * 31 % 1000:03d}"
        for visit in range(each):
            told = [f"day {visit}: call {phone}", 20_000 + 137 * number, 24 + number / 1000, 121 + number / 1000]
            rows.append([f"P{number:04d}", sex, ward, chance.choice(ILLNESSES), *told])
    chance.shuffle(rows)
    return rows


HEADER = ("patient_id", "sex", "ward", "diagnosis", "symptom", "income", "lat", "lon")
LINKING = POLICY.replace("privacy_unit: person", "privacy_unit: patient_id").replace(
    "sensitive_attributes: [diagnosis]",
    "identifiers: [patient_id]\n  sensitive_attributes: [diagnosis, symptom, income]\n"
    "  insensitive_attributes: [lat, lon]",
)
LINKING = LINKING.replace("{diagnosis: a test}", "{diagnosis: a test, symptom: a test, income: a test}")
LINKING += "role_reasons: {lat: a test, lon: a test}\n"


def test_a_value_of_one_person_gives_them_away_in_however_many_records(tmp_path):
    save(tmp_path / "visits.csv", of_one_person(), HEADER)
    (tmp_path / "policy.yaml").write_text(LINKING, "utf-8")
    done = run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    assert done.returncode == 1
    for policy in ("policy.yaml", "out_policy.yaml"):  # the release does not say whose the records are; its plan does
        rules = {rule.name: rule for rule in check(tmp_path / policy).content.rules}
        assert rules["no-hidden-identifiers"].value == ("symptom",), policy
        assert set(rules["no-unique-values"].value) >= {"income", "lat", "lon"}, policy
        assert rules["no-unique-values"].details["columns"][0]["records"] == 60, policy


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=needs_spark)])
def test_values_of_one_person_give_them_away_on_every_engine(tmp_path, engine):
    rows = [
        [person.lower() if place % 2 else person, *others] for place, (person, *others) in enumerate(of_one_person())
    ]
    save(tmp_path / "visits.csv", rows, HEADER)
    (tmp_path / "policy.yaml").write_text(LINKING, "utf-8")
    found, expected = (check(tmp_path / "policy.yaml", engine=name).content for name in (engine, "memory"))
    assert found.table.people == expected.table.people == 60
    assert found.rules == expected.rules
    proposed = [[step.policy for step in one.next_steps if step.step == "protect"] for one in (expected, found)]
    assert proposed[0] == ["protect: {income: {round: 500}, lat: {round: 0.005}, lon: {round: 0.005}}"]
    assert proposed[1] == ([] if engine == "spark" else proposed[0])


def test_values_that_people_share_give_nobody_away(tmp_path):
    rows = [
        [*row[:4], ["cough; call 0912345678", "fever"][place % 2], 20_000 + 1_000 * (place % 7), 24, 121]
        for place, row in enumerate(of_one_person())
    ]
    save(tmp_path / "visits.csv", rows, HEADER)
    (tmp_path / "policy.yaml").write_text(LINKING, "utf-8")
    run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    for policy in ("policy.yaml", "out_policy.yaml"):
        found = verdicts(tmp_path / policy)
        assert (found["no-hidden-identifiers"], found["no-unique-values"]) == ("pass", "pass")


def test_init_proposes_what_protects_people_and_not_only_records(tmp_path):
    save(tmp_path / "visits.csv", of_one_person(), HEADER)
    assert run("init", tmp_path / "visits.csv", "-o", tmp_path / "policy.yaml").returncode == 0
    text = (tmp_path / "policy.yaml").read_text("utf-8")
    assert "privacy_unit: patient_id" in text
    done = run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    assert done.returncode == 0, done.stdout
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        released = list(csv.DictReader(file))
    assert "symptom" not in released[0]
    assert len({row["income"] for row in released}) < 30


def test_people_are_the_same_however_their_numbers_are_spelt(tmp_path):
    rows = [
        [person.lower() if place % 2 else f"{person}\u200b", *others]
        for place, (person, *others) in enumerate(visits())
    ]
    save(tmp_path / "visits.csv", rows)
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    assert check(tmp_path / "policy.yaml").content.table.people == 200
    roles = {"sex": "quasi_identifier", "ward": "quasi_identifier", "diagnosis": "sensitive_attribute"}
    exact = Release(tmp_path / "visits.csv", roles, privacy_unit="person")
    assert exact.people > 300  # measures keep to what is written
    words = {"sex": {"mask": 1}, "ward": {"mask": 1}}
    rules = {"k-anonymity": {"k": 5}, "l-diversity": {"l": 2}}
    made = anonymize(Release(tmp_path / "visits.csv", roles, words, privacy_unit="person"), rules)
    assert made.release.people == 200
