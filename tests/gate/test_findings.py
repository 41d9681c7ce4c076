"""Roles that contradict the data: what fails, what is only worth a look, and what is neither."""

import json

import pyarrow as pa
import pytest
from test_suggestion import national_id

from command import petworks
from conftest import REFERENCE, ROOT
from PETWorks import check
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engines.engine import load_rows
from PETWorks.counting.profiles import profile_of
from PETWorks.gate.check.findings import find_contradictions
from PETWorks.gate.document import ColumnFacts
from PETWorks.gate.suggest.suggestion import ExaminedColumn, suggest_roles
from PETWorks.tables.opening import open_source
from policy_checks import CHECK, DAY

ROWS = 200
NONE, INSENSITIVE, QI, SENSITIVE = None, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
ROLES = (NONE, INSENSITIVE, QI, SENSITIVE)
ENGLISH = [f"{given} {family}" for given in ("John", "Mary", "Ann", "Zoe", "Kai") for family in ("Ng", "Smith", "Hall")]
ENGLISH += [f"{given} {family}" for given in ("Paul", "Xia", "Otto", "Susan") for family in ("Lee", "Diaz", "Wu", "Yu")]
CHINESE = [f"{one}{two}{three}" for one in "陳林黃張" for two in "小大文志" for three in "明華"]
PEOPLE = ("James", "Mary", "Robert", "Linda")
SIGNS = "怡君家豪志明俊"


def luhn(number):
    digits = [int(digit) for digit in f"{number}0"[::-1]]
    total = sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]])
    return f"{number}{-total % 10}"


def found(name, cells, role):
    return next(iter(all_found(name, cells, role)), None)


def all_found(name, cells, role):
    table = load_rows(open_source({name: pa.array(cells, pa.string())}, "t"), [name])
    return find_contradictions(name, role, ExaminedColumn.of(profile_of(table.columns[name], table.rows)))


def repeated(values):
    return [values[row % len(values)] for row in range(ROWS)]


def twice(values):
    return [value for value in values for _ in range(2)]


PEOPLE_100 = [f"{one}{two}{three}" for one in "陳林" for two in SIGNS for three in SIGNS]
FULL_WIDTH = {ord(sign): ord(sign) + 0xFEE0 for sign in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}
TWICE = {
    "national IDs in lower case": [national_id(row).lower() for row in range(100)],
    "national IDs with a dash": [f"A-{national_id(row)[1:]}" for row in range(100)],
    "national IDs in full width": [national_id(row).translate(FULL_WIDTH) for row in range(100)],
    "national IDs behind a label": [f"ID:{national_id(row)}" for row in range(100)],
    "national IDs with names": [f"{national_id(row)} {PEOPLE_100[row % 98]}" for row in range(100)],
    "names with a blank": [f"{name[0]} {name[1:]}" for name in PEOPLE_100],
    "names with a wide blank": [f"{name[0]}\u3000{name[1:]}" for name in PEOPLE_100],
    "names with a title": [f"{name}{'先生' if row % 2 else '小姐'}" for row, name in enumerate(PEOPLE_100)],
    "names with the sex": [f"{name}（男）" for name in PEOPLE_100],
    "surnames of two characters": [f"歐陽{name[1:]}" for name in PEOPLE_100]
    + [f"張簡{name[1:]}" for name in PEOPLE_100],
    "rarer surnames": [f"{one}{name[1:]}" for one in "夏程汪阮巫" for name in PEOPLE_100[:49]],
    "email addresses with names": [f"Mary <p{row}@example.org>" for row in range(100)],
    "full addresses": [f"台北市大安區信義路{row}號" for row in range(100)],
    "coordinates": [f"25.{row:05},121.{row:05}" for row in range(100)],
}
DIRECT = {
    "names in English": ("q7", repeated(ENGLISH)),
    "names in Chinese": ("q7", repeated(CHINESE)),
    "a column called name": ("name", [f"w{row}" for row in range(ROWS)]),
    "surnames": ("surname", repeated(["Ng", "Smith", "Hall", "Lee", *(f"Fam{'x' * row}" for row in range(30))])),
    "national IDs": ("q7", [national_id(row) for row in range(ROWS)]),
    "national IDs, several records of each": ("q7", [national_id(row % 40) for row in range(ROWS)]),
    "card numbers": ("q7", [luhn(453201511283036 + row) for row in range(ROWS)]),
    "phone numbers": ("q7", [f"0912-{row:03}-{row:03}" for row in range(ROWS)]),
    "email addresses": ("q7", [f"p{row}@example.org" for row in range(ROWS)]),
    "several kinds": ("contact", [f"p{row}@example.org" if row % 2 else f"0912{row:06}" for row in range(ROWS)]),
    "record numbers": ("record_no", [f"MR{row + 100000}" for row in range(ROWS)]),
    "patients with several records": ("patient_id", [str(row % 50) for row in range(ROWS)]),
    "病歷號": ("病歷號", [str(row + 10) for row in range(ROWS)]),
    "streets": ("address", [f"{row} Main Street" for row in range(ROWS)]),
    "names of relatives": ("child", [f"{given} Family{'x' * row}" for row in range(50) for given in PEOPLE]),
    "names of employers": ("employer", [f"{given} Family{'x' * row}" for row in range(50) for given in PEOPLE]),
    "配偶": ("配偶", [f"{one}{two}{three}" for one in "陳林黃張" for two in SIGNS for three in SIGNS]),
    "住院": ("住院", [f"{one}{two}{three}" for one in "陳林黃張" for two in SIGNS for three in SIGNS]),
    "a name in each record where schools are expected": (
        "school",
        [f"{one}{two}{three}" for one in "陳林黃張" for two in SIGNS for three in SIGNS],
    ),
    "names of two characters": ("q7", [f"{one}{two}" for one in "陳林黃張李王吳" for two in SIGNS]),
    **{case: ("q7", twice(values)) for case, values in TWICE.items()},
    "a few people": ("name", ["Ann", "Bob", "Carl", "Dora"]),
}
NOT_DIRECT = {
    "counties": ("縣市", repeated(["臺北市", "新北市", "高雄市", "澎湖縣"])),
    "ages": ("age", repeated([str(age) for age in range(18, 90)])),
    "a masked name": ("姓名", repeated([f"{one}○○" for one in "陳林黃張李王吳劉蔡楊許鄭謝洪郭邱曾廖賴徐周葉蘇莊"])),
    "districts": ("address", repeated([f"district {row}" for row in range(30)])),
    "whether there is a phone": ("phone", repeated(["yes", "no"])),
    "minutes on the phone": ("phone", repeated([str(row) for row in range(60)])),
    "a removed ID": ("patient_id", ["*"] * ROWS),
    "cities": ("city", repeated([f"{one} {two}" for one in ("New", "San", "Fort") for two in ("York", "Jose", "Lee")])),
    "schools": ("school_name", repeated(ENGLISH)),
    "codes of diseases": ("diagnosis", repeated([f"E{row}.{row % 10}" for row in range(10, 60)])),
    "addresses of hospitals": ("q7", repeated([f"台北市大安區信義路{row}號" for row in range(15)])),
    "the number of the visit": ("visit_no", repeated([str(row) for row in range(1, 26)])),
    "codes of events": ("event_code", repeated([f"E{row:02}" for row in range(30)])),
    "numbers of cases": ("case_number", repeated([str(row) for row in range(61)])),
    "numbers of orders": ("訂單編號", repeated([str(row) for row in range(30)])),
    "countries of passports": ("passport", repeated([f"Country{'x' * row}" for row in range(21)])),
    "places of two characters": ("q7", repeated([f"{one}{two}" for one in "石林田白方" for two in "門口中河正"])),
    "villages": ("地名", repeated([f"{one}{two}里" for one in "石林田白方" for two in "門口中河正"])),
    "versions": ("q7", [f"{row % 6}.{row % 10}.{row % 7}.{row // 20}" for row in range(ROWS)] * 2),
    "one phone number for all": ("hotline", ["02-23456789"] * ROWS),
}


@pytest.mark.parametrize("role", ROLES, ids=str)
@pytest.mark.parametrize("case", DIRECT)
def test_direct_identifiers_fail_under_every_role(case, role):
    one = found(*DIRECT[case], role)
    assert (one.kind, one.fails) == ("direct identifier", True)


@pytest.mark.parametrize("role", ROLES, ids=str)
@pytest.mark.parametrize("case", NOT_DIRECT)
def test_what_identifies_nobody_does_not_fail(case, role):
    one = found(*NOT_DIRECT[case], role)
    assert one is None or (not one.fails and one.kind != "direct identifier")


FEE = [f"f{100 + row}" for row in range(182)] + ["f99"] * 18  # 91 % of the records have a unique one


def test_nearly_unique_values_fail_where_nothing_measures_them():
    assert [(role, found("fee", FEE, role).kind, found("fee", FEE, role).fails) for role in ROLES] == [
        (NONE, "nearly unique", True),
        (INSENSITIVE, "nearly unique", True),
        (QI, "nearly unique", False),
        (SENSITIVE, "nearly unique", True),
    ]
    often = FEE[:120] + ["f99"] * 80
    assert [found("fee", often, role) is not None for role in ROLES] == [True, True, False, False]
    for cells in (often, FEE[:10]):  # among few records, uniqueness says little
        one = found("fee", cells, NONE)
        assert (one.kind, one.fails, one.points_to) == ("perhaps sensitive", False, "money")
    assert found("fee", often, SENSITIVE) is None


HEX = [f"{row * 7919 % 100003:05x}" for row in range(ROWS)]
WARNED = {
    "note": ([f"p{row}@example.org" if row % 10 == 0 else HEX[row] for row in range(ROWS)], {"e-mail addresses": 20}),
    "memo": ([f"0912-{row:06}" if row % 4 == 0 else HEX[row] for row in range(ROWS)], {"phone numbers": 50}),
}


@pytest.mark.parametrize("name", WARNED)
def test_personal_details_do_not_hide_unique_values(name):
    cells, details = WARNED[name]
    for role in ROLES:
        worst, second = all_found(name, cells, role)[:2]
        assert (worst.kind, worst.fails, worst.details) == ("personal details", True, details)
        assert (second.kind, second.fails) == ("nearly unique", role != QI)


def test_some_personal_values_do_not_silence_the_line_about_unique_values():
    cells = [f"p{row}@example.org" if row % 10 < 3 else HEX[row] for row in range(ROWS)]
    kinds = [one.kind for one in all_found("contact", cells, SENSITIVE)]
    assert "nearly unique" in kinds


def test_documents_of_earlier_versions_are_read():
    """They have the worst finding of a column only; what was written then keeps its digest."""
    old = {"column": "fee", "role": None, "released": True, "finding": {"kind": "nearly unique", "fails": True}}
    column = ColumnFacts.from_dict(old)
    assert column.fails
    assert [one.kind for one in column.found] == ["nearly unique"]
    assert column.to_dict() == old


def test_two_records_of_each_value_are_worth_a_look():
    cells = twice([f"x{text}" for text in HEX])
    assert [role for role in ROLES if found("q7", cells, role)] == [NONE, INSENSITIVE]
    one = found("q7", cells, INSENSITIVE)
    assert (one.kind, one.fails) == ("perhaps known", False)
    one = found("q7 id", cells, INSENSITIVE)
    assert (one.kind, one.fails) == ("often unique", False)


DATES = [f"2025-{1 + row % 12:02}-{1 + row % 28:02}" for row in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "cells", "points_to", "looks_like"),
    [
        ("came", DATES, None, "dates or times"),
        ("remarks", [f"came with person {row % 30}" for row in range(ROWS)], None, None),
        ("height", [str(150 + row % 40) for row in range(ROWS)], "how a person is built", None),
        ("q7", [str(row % 40) for row in range(ROWS)], None, None),
        ("town", [f"T{row % 9}" for row in range(ROWS)], "a place", None),
    ],
)
def test_what_outsiders_may_know_is_said_where_no_measure_looks(name, cells, points_to, looks_like):
    """As petworks init says it, whoever made the column insensitive."""
    for role in ROLES:
        one = found(name, cells, role)
        known_anyway = name == "q7"  # the cautious choice; a sensitive attribute is taken as secret
        assert (one is not None) == (role in (NONE, INSENSITIVE) or (role == SENSITIVE and not known_anyway))
    one = found(name, cells, INSENSITIVE)
    assert (one.kind, one.fails, one.points_to, one.looks_like) == ("perhaps known", False, points_to, looks_like)
    assert found(name, ["same"] * ROWS, INSENSITIVE) is None


def test_a_value_that_some_records_have_and_others_lack_tells_something():
    """Of `hiv: positive`, an empty cell is the other value."""
    assert found("hiv", ["positive" if row % 9 == 0 else None for row in range(ROWS)], INSENSITIVE) is not None
    assert found("hiv", ["negative"] * ROWS, INSENSITIVE) is None


@pytest.mark.parametrize("role", ROLES)
def test_a_column_may_have_five_personal_details(role):
    words = [f"word {row % 50}" for row in range(180)]
    five = all_found("remark", [f"call 0912-345-{row:03}" for row in range(5)] + words, role)
    assert [(one.fails, one.details) for one in five if one.details] == [(False, {"phone numbers": 5})]
    six = all_found("remark", [f"call 0912-345-{row:03}" for row in range(6)] + words, role)
    assert [(one.fails, one.details) for one in six if one.details] == [(True, {"phone numbers": 6})]
    shared = all_found("remark", [f"call 0912-345-{row % 3:03}" for row in range(33)] + words, role)
    assert not [one for one in shared if one.details]
    kinds = ["p1@example.org", "0912-345-678", "A123456789", "Dr. Smith", "12 Elm Street", "MRN: 1234567"]
    mixed = all_found("remark", kinds + words, role)
    assert [(one.fails, sum(one.details.values())) for one in mixed if one.details] == [(True, 6)]


def test_an_identifier_is_not_reported_twice():
    mails = [f"p{row}@example.org" for row in range(ROWS)]
    assert [one.kind for one in all_found("q7", mails, QI)] == ["direct identifier", "nearly unique"]
    both = [f"p{row}@example.org" for row in range(190)] + [f"0912-345-{row:03}" for row in range(10)]
    found_there = [(one.kind, one.details) for one in all_found("q7", both, QI) if one.fails]
    assert found_there == [("direct identifier", None), ("personal details", {"phone numbers": 10})]


def test_long_texts_are_worth_a_look():
    long = [f"{'the patient came back ' * 2}{row % 50}" for row in range(ROWS)]
    assert found("remark", long, INSENSITIVE).kind == "long texts"


@pytest.mark.parametrize("case", DIRECT)
def test_init_suggests_what_the_check_demands(case):
    name, cells = DIRECT[case]
    table = load_rows(open_source({name: pa.array(cells, pa.string())}, "t"), [name])
    (suggestion,) = suggest_roles(table, [name])
    assert suggestion.role == IDENTIFIER


POLICY = """\
petworks_policy: 1
data: t.csv
roles:
  quasi_identifiers: [sex]
  insensitive_attributes: [fee]
rules: [{measure: k-anonymity, k: 2}]
"""


def written(folder, text=POLICY):
    rows = (f"{'fm'[row % 2]};{FEE[row]};{ENGLISH[row % 31]}" for row in range(ROWS))
    (folder / "t.csv").write_text("sex;fee;who\n" + "\n".join(rows) + "\n")
    (folder / "p.yaml").write_text(text, "utf-8")
    return folder / "p.yaml"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_gate_stays_closed(tmp_path, engine):
    result = check(written(tmp_path), as_of=DAY, engine=engine)
    verdicts = {rule["name"]: (rule["verdict"], rule["value"]) for rule in result.document["rules"]}
    assert verdicts["no-hidden-identifiers"] == ("fail", ["fee", "who"])
    assert verdicts["every-column-has-a-role"] == ("fail", ["who"])
    columns = {one["column"]: one for one in result.document["columns"]}
    assert [(one["distinct"], one["unique"]) for one in columns.values()] == [(2, 0.0), (183, 0.91), (31, 0.0)]
    assert columns["fee"]["findings"] == [{"kind": "nearly unique", "fails": True}]
    assert columns["who"]["findings"][0]["looks_like"] == "English names of people"
    steps = {step["step"]: step["columns"] for step in result.document["next_steps"] if "columns" in step}
    assert (steps["unmeasured-values"], steps["hidden-identifiers"]) == (["fee"], ["who"])
    CHECK.validate(result.to_dict())
    assert petworks("check", tmp_path / "p.yaml", "--engine", engine).returncode == 1


def test_reports_say_why_in_both_languages_and_show_no_cell(tmp_path):
    result = check(written(tmp_path), as_of=DAY)
    page = result.to_html()
    for text in ("identifies people: ", "look like English names of people", "91 %", "可直接識別個人", "英文姓名"):
        assert text in page
    for written_out in (page, result.to_json(), result.to_markdown(), result.to_markdown("zh-TW"), result.to_junit()):
        assert not any(name in written_out for name in ENGLISH)


def test_the_external_edition_does_not_say_how_unique_a_column_is(tmp_path):
    outside = check(written(tmp_path), as_of=DAY).to_dict("external")
    for column in outside["columns"]:
        assert not {"distinct", "unique", "finding", "findings", "no_role"} & set(column)
    page = check(written(tmp_path), as_of=DAY).to_html("en", "external")
    assert "records with a unique value" not in page
    assert "English names" not in page


NOTES = """\
petworks_policy: 1
data: t.csv
roles:
  quasi_identifiers: [sex]
  {role}: [note]
rules: [{{measure: k-anonymity, k: 2}}]
unique_values: {{share: 1, reason: a test}}
"""


def written_notes(folder, role, more=""):
    """A table with 112 notes that have a name and a mobile number, among others that say nothing."""
    notes = [f"Mr. Xiu{'abcdefghijkl'[row % 12]} Tan{'abcdefghij'[row // 12]}, 0912-{row:03}-678" for row in range(112)]
    rows = [f"{'fm'[row % 2]};{note}" for row, note in enumerate(notes + ["no remark"] * 400)]
    (folder / "t.csv").write_text("sex;note\n" + "\n".join(rows) + "\n")
    (folder / "p.yaml").write_text(NOTES.format(role=role) + more)
    return folder / "p.yaml"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("role", ["insensitive_attributes", "sensitive_attributes"])
def test_no_role_and_no_reason_settles_personal_details(tmp_path, role, engine):
    path = written_notes(tmp_path, role, "role_reasons: {note: it was looked through}\n")
    result = check(path, as_of=DAY, engine=engine)
    rules = {rule["name"]: rule for rule in result.document["rules"]}
    assert (rules["no-hidden-identifiers"]["verdict"], result.verdict) == ("fail", "fail")
    details = {"phone numbers": 112, "names of people": 112}
    assert rules["no-hidden-identifiers"]["details"] == {"personal_details": {"note": details}}
    steps = {step["step"]: step for step in result.document["next_steps"]}
    assert (steps["personal-details"]["columns"], steps["personal-details"]["details"]) == (["note"], details)
    CHECK.validate(result.to_dict())


def test_a_waiver_lets_personal_details_pass(tmp_path):
    waiver = "waivers: [{{rule: no-hidden-identifiers, owner: a, reason: b, expires: {}}}]\n"
    path = written_notes(tmp_path, "insensitive_attributes", waiver.format("2030-01-01"))
    rules = {rule["name"]: rule["verdict"] for rule in check(path, as_of=DAY).document["rules"]}
    assert rules["no-hidden-identifiers"] == "waived"
    path = written_notes(tmp_path, "insensitive_attributes", waiver.format("2020-01-01"))
    assert check(path, as_of=DAY).verdict == "fail"


def test_reports_count_personal_details_by_kind_and_show_none(tmp_path):
    result = check(written_notes(tmp_path, "sensitive_attributes"), as_of=DAY)
    terminal = petworks("check", tmp_path / "p.yaml", "--as-of", "2026-11-16")
    english = (result.to_html(), result.to_markdown(), terminal.stdout)
    for text in english:
        assert "phone numbers: 112, names of people: 112" in " ".join(text.split())
    chinese = result.to_markdown("zh-TW")
    assert "電話號碼 112 處、姓名 112 處" in chinese
    outside = json.dumps(result.to_dict("external"))
    assert "phone numbers" not in outside
    for text in (*english, chinese, outside, result.to_json(), result.to_junit()):
        assert "0912-" not in text  # a digest may contain the digits
        assert "Xiu" not in text


def test_init_suggests_to_leave_out_what_the_check_refuses(tmp_path):
    table = load_rows(
        open_source(
            {"q7": pa.array([f"at {row % 9}" for row in range(90)] + [f"0912-{row}45-678 or 0" for row in range(9)])},
            "t",
        ),
        ["q7"],
    )
    (suggestion,) = suggest_roles(table, ["q7"])
    assert (suggestion.role, suggestion.why.kind) == (IDENTIFIER, "details")


def test_the_rules_can_be_waived(tmp_path):
    waiver = "{{rule: {}, owner: a, reason: b, expires: 2030-01-01}}"
    both = [waiver.format(rule) for rule in ("no-hidden-identifiers", "every-column-has-a-role")]
    assert check(written(tmp_path, POLICY + f"waivers: [{', '.join(both)}]\n"), as_of=DAY).verdict == "waived"
    assert check(written(tmp_path, POLICY + f"waivers: [{both[0]}]\n"), as_of=DAY).verdict == "fail"


def test_a_column_without_a_role_needs_a_reason(tmp_path):
    path = written(tmp_path, POLICY.replace("roles:", "no_role: {fee: 費用, who: test}\nroles:").replace("[fee]", "[]"))
    (tmp_path / "t.csv").write_text("sex;fee;who\n" + "f;1;x\nm;1;y\n" * 40)
    result = check(path, as_of=DAY)
    assert result.verdict == "pass"
    assert "費用" in result.to_html()
    assert "give-roles" not in [step["step"] for step in result.document["next_steps"]]
    both = check_error(written(tmp_path, POLICY + "no_role: {fee: x}\n"))
    assert both == "petworks: p.yaml, line 7, no_role.fee: the column has a role"
    unknown = check_error(written(tmp_path, POLICY + "no_role: {who: x, whom: y}\n"))
    assert unknown == "petworks: p.yaml, line 7, no_role.whom: no column is called 'whom'; did you mean 'who'?"
    empty = check_error(written(tmp_path, POLICY + "no_role: {who: ''}\n"))
    assert empty.startswith("petworks: p.yaml, line 7, no_role.who: expected")


def check_error(path):
    done = petworks("check", path)
    assert done.returncode == 2
    return done.stderr.strip()


def test_the_privacy_unit_is_not_hidden(tmp_path):
    text = POLICY.replace("roles:", "privacy_unit: who\nroles:").replace("[fee]", "[]") + "no_role: {fee: x}\n"
    path = written(tmp_path, text)
    (tmp_path / "t.csv").write_text("sex;fee;who\n" + "".join(f"f;1;{name}\n" * 2 for name in ENGLISH))
    failing = [rule.name for rule in check(path, as_of=DAY).content.rules if rule.verdict == "fail"]
    assert failing == ["no-linked-records"]  # which is what is wrong with it


@pytest.mark.parametrize(
    "table", ["adult.csv", "adult_anonymized.csv", "KAnonymization.csv", "inpatient_anonymized.csv"]
)
def test_reference_tables_have_nothing_hidden(table):
    if not (REFERENCE / table).is_file():
        pytest.skip("no reference tables here")
    source = open_source(REFERENCE / table, "t")
    rows = load_rows(source, source.names)
    profiles = {name: ExaminedColumn.of(profile_of(rows.columns[name], rows.rows)) for name in source.names}
    found = [
        finding
        for name, profile in profiles.items()
        for role in ROLES
        for finding in find_contradictions(name, role, profile)
    ]
    assert not [finding for finding in found if finding.fails]


def test_the_gallery_keeps_its_verdicts():
    verdicts = {
        "data/adult_policy.yaml": "pass",
        "docs/gallery/wards/first_policy.yaml": "fail",
        "docs/gallery/wards/second_policy.yaml": "pass",
        "docs/gallery/survey/policy.yaml": "fail",
    }
    results = {path: check(ROOT / path, as_of=DAY) for path in verdicts}
    assert {path: result.verdict for path, result in results.items()} == verdicts
    found = [
        (one.column, finding.kind)
        for result in results.values()
        for one in result.content.columns
        for finding in one.found
    ]
    assert found == [("workclass", "perhaps known")]


def test_a_wide_table_of_unique_values_is_scanned_quickly():
    import time

    cells = pa.array([f"{row:07}x" for row in range(200_000)])
    table = load_rows(open_source({"q7": cells}, "t"), ["q7"])
    begin = time.process_time()
    find_contradictions("q7", QI, ExaminedColumn.of(profile_of(table.columns["q7"], table.rows)))
    assert time.process_time() - begin < 30, "every pair of values would take hours"


@pytest.mark.parametrize("mask", ["{}*", "○{}", "{}●"])
def test_a_mask_sign_that_hides_nothing_disarms_no_rule(mask):
    numbers, names = (
        [f"P{row:05}" for row in range(ROWS // 3)] * 3,
        [f"Aiden Okafor{'x' * (row % 60)}" for row in range(ROWS)],
    )
    for role in ROLES:
        assert found("patient_id", [mask.format(cell) for cell in numbers], role).fails
        assert found("name", [mask.format(cell) for cell in names], role).fails


@pytest.mark.parametrize("cell", ["A**{:07}", "P{:07}****", "*{:05}", "08**{:08}"])
def test_a_mask_that_leaves_the_whole_number_disarms_no_rule(cell):
    """Several records share each number, so that it is not unique."""
    assert found("national_id", [cell.format(row // 3) for row in range(400)], SENSITIVE).fails


def test_a_mask_that_leaves_the_whole_name_disarms_no_rule():
    given, family = ["James", "Mary", "John", "Linda"], ["Smith", "Johnson", "Brown", "Lee", "Garcia"]
    for mask in ("{}** {}", "**{} {}", "{} {}*****", "{}** {}0", "{} {}7"):
        cells = [mask.format(given[row // 3 % 4], family[row // 12 % 5]) for row in range(400)]
        assert found("name", cells, SENSITIVE).fails, mask
    cells = [f"{one}小明***" for one in "陳林黃張李王吳劉蔡楊許鄭謝洪郭邱曾廖賴徐周葉蘇莊"]
    assert found("姓名", cells * 5, SENSITIVE).fails


@pytest.mark.parametrize("mask", ["王○", "王○明", "A12****", "0912***678", "552233******1234"])
def test_a_mask_that_hides_a_part_is_one(mask):
    cells = [
        mask.replace("王", one).replace("12", str(ord(one)))
        for one in "陳林黃張李王吳劉蔡楊許鄭謝洪郭邱曾廖賴徐周葉蘇莊"
    ]
    assert not found("姓名", [*cells * 8, "陳○○"], SENSITIVE).fails


@pytest.mark.parametrize(
    "name",
    ["diagnosis of John 0912-345-678", "score of John Smith", "seen by Mr. Smith", "陳老師的評語", "a@example.org"],
)
def test_personal_details_in_the_name_of_a_column_fail(name):
    for cells in (["yes", "no"] * 50, ["yes"] * 100):
        assert [one.kind for one in all_found(name, cells, QI) if one.fails] == ["details in its name"]
    for harmless in (
        "Dr. visit",
        "Johns Hopkins score",
        "James Bay",
        "主治醫師",
        "patient name",
        "score 2020-2021",
        "phone: home",
        "聯絡人",
        "2026-01-01",
    ):
        assert not any(one.kind == "details in its name" for one in all_found(harmless, ["yes", "no"] * 50, QI))


def test_the_step_is_to_rename_it(tmp_path):
    path = written(tmp_path, POLICY.replace("[sex]", "['seen by Mr. Smith']"))
    (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace("sex", "seen by Mr. Smith"))
    result = check(path, as_of=DAY)
    CHECK.validate(result.to_dict())
    steps = {step["step"]: step.get("columns") for step in result.document["next_steps"]}
    assert steps["rename-column"] == ["seen by Mr. Smith"]
    assert "欄位名稱含有個人資料" in result.to_format("text", "zh-TW")


SECRETS = {
    "names that no list has": [f"{one}{two}" for one in "甲乙丙丁戊己庚辛壬癸" for two in "子丑寅卯辰巳午未申酉戌亥"],
    "logins": [f"user{row}.x" for row in range(120)],
    "short hashes": [f"{row * 7919 % 100003:05x}fe" for row in range(120)],
    "odd phone numbers": [f"0912~{row:03}~678" for row in range(120)],
}


@pytest.mark.parametrize("case", SECRETS)
def test_a_value_of_ones_own_is_no_secret(case):
    """Whoever knows it finds the record, and no measure assumes that anybody does; `init` says the same."""
    assert [one.kind for one in all_found("diagnosis", SECRETS[case], SENSITIVE) if one.fails] == ["nearly unique"]
    table = load_rows(open_source({"diagnosis": pa.array(SECRETS[case])}, "t"), ["diagnosis"])
    assert suggest_roles(table, ["diagnosis"])[0].role == IDENTIFIER


@pytest.mark.parametrize(
    "cells",
    [
        [f"{row}.5" for row in range(120)],
        [f"2026-01-01 0{row // 60}:{row % 60:02}" for row in range(120)],
        ["x" * 40 + str(row) for row in range(120)],
    ],
)
def test_exact_values_and_long_texts_are_left_to_their_own_rule(cells):
    assert not any(one.fails for one in all_found("fee", cells, SENSITIVE))


def test_a_nearly_unique_sensitive_column_can_be_rounded_or_explained(tmp_path):
    """It has no levels, so that the advice for quasi-identifiers would lead nowhere."""
    text = POLICY.replace("insensitive_attributes", "sensitive_attributes")
    assert text != POLICY
    path = written(tmp_path, text + "unique_values: {share: 1, reason: a test}\n")
    table = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text(table.replace(";f", ";").replace(";ee", ";fee"))  # amounts instead of codes
    result = check(path, as_of=DAY)
    steps = {step["step"]: step.get("columns") for step in result.document["next_steps"]}
    assert steps["round-values"] == ["fee"]
    assert "nearly-unique" not in steps
    for lang, words in (("en", "in the source and run again"), ("zh-TW", "請在來源檔將值取整")):
        said = result.to_format("markdown", lang, "internal")
        assert words in said
        assert "role\\_reasons" in said or "role_reasons" in said


@pytest.mark.parametrize(
    ("column", "value", "fails"),
    [
        ("age", "{n}", True),
        ("sex", "{ab}", True),
        ("diagnosis", "d{n}", True),
        ("seen", "2020-01-{n:02}", True),
        ("colour", "c{n}", False),
    ],
)
@pytest.mark.parametrize("reason", [None, "the month of our own survey"])
def test_a_role_fits_its_column(tmp_path, column, value, fails, reason):
    rows = [f"{'xy'[n % 2]},{value.format(n=n % 7 + 1, ab='mf'[n % 2])}" for n in range(70)]
    (tmp_path / "t.csv").write_text("\n".join([f"group,{column}", *rows]) + "\n")
    roles = f"{{quasi_identifiers: [group], insensitive_attributes: [{column}]}}"
    text = f"petworks_policy: 1\ndata: t.csv\nroles: {roles}\nrules: [{{measure: k-anonymity, k: 11}}]\n"
    (tmp_path / "p.yaml").write_text(text + (f"role_reasons: {{{column}: {reason}}}\n" if reason else ""))
    document = check(tmp_path / "p.yaml").document
    rule = next(one for one in document["rules"] if one["name"] == "every-column-has-a-role")
    assert (rule["verdict"], rule["value"]) == (("fail", [column]) if fails and not reason else ("pass", []))
    told = {one["step"] for one in document["next_steps"]} & {"measure-or-explain", "secret-or-explain"}
    assert bool(told) == (not reason)
