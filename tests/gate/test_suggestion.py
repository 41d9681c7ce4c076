"""The roles that a table suggests: names in two languages, uniqueness, looks, and no cell in any reason."""

import hashlib
import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.about import column_names
from PETWorks.about.roles import check_unit
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engines.engine import load_rows
from PETWorks.gate.check.findings import find_contradictions
from PETWorks.gate.suggest.privacy_unit import suggest_people
from PETWorks.gate.suggest.suggestion import LOOKS, NATIONAL_ID, examine, suggest_role, suggest_roles
from PETWorks.gate.suggest.table_preview import preview
from PETWorks.tables.opening import open_source

ID, QI, SENSITIVE, INSENSITIVE = IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE

CODES = ["low", "high", "middle", "none"]  # values that say nothing
REPEATED = [CODES[row % 4] for row in range(40)]


def opened(data):
    source = open_source(data, "the table")
    return load_rows(source, source.names), source.names


def suggest(data):
    return {found.column: found for found in suggest_roles(*opened(data))}


def only(cells, name="q7"):
    (found,) = suggest({name: pa.array(cells, pa.string())}).values()
    return found


def unit_of(data):
    table, names = opened(data)
    people = suggest_people(table, suggest_roles(table, names))
    return people and people.unit


NAMES = {
    ID: """name, Name, first_name, lastName, FULLNAME, surname, patient_name, Patient's Name, name of patient,
        user name, username, doctor_name, id, ID, uuid, patient_id, PatientID, patientIDs, patient-no, id_patient,
        customerNumber, EMPLOYEE_CODE, studentid, subject id, ssn, social_security_no, nationalId, passport_number, MRN,
        medical_record_number, health_insurance_number, email, e-mail, E_MAIL, eMail, emailAddress, phone, phone_2,
        HomePhone, mobile, tel, fax, address, home_address, street, ip, IP, IPAddress, client_ip, ipv4, mac_address,
        url, account, account_no, credit_card, creditCardNumber, license_plate, policy_number, visit_id, order_no,
        row_number, ＥＭＡＩＬ, 姓名, 患者姓名, 姓, 身分證字號, 身份證號, 身份证号码, 身分証, 護照號碼, 病歷號,
        病歷號碼, 病历号, 電話, 聯絡電話, 手机号, 手機, 地址, 戶籍地址, 住址, 電子郵件, 邮箱, 統一編號, 車牌, 车牌号,
        帳號, 账号, 信用卡號, IP位址, 來源IP, 網址, 病人編號, 患者ID, 客户编号, 會員代號, 學號, 就醫序號, 健保卡號,
        編號, 序號, 客戶名稱, 訂單編號""",
    QI: """sex, Sex, gender, age, AGE, Age2, age_group, ageGroup, ages, birth_date, dateOfBirth, DOB, birthday, yob,
        zip, ZIPCode, zipcode, zip4, postal-code, PostCode, city, cities, Country, native-country, county_name, city_id,
        state, region, latitude, nationality, race, ethnicity, marital-status, maritalstatus, household_size,
        occupation, job, workclass, education, degree, school_name, hospital_name, admission_date, diagnosis_date,
        date_of_surgery, created_at, height, weight, number_of_children, patient_age, customer city, spouse_occupation,
        性別, 性别, 年齡, 年龄, 年齡層, 出生日期, 生日, 出生年月, 郵遞區號, 邮政编码, 縣市, 县市, 居住縣市, 鄉鎮,
        鄉鎮市區, 縣, 行政區, 職業, 职业, 教育程度, 學歷, 学历, 婚姻, 婚姻狀況, 國籍, 国籍, 族群, 民族, 就醫日期,
        就诊日期, 診斷日期, 手術時間, 入院日, 醫院名稱, 身高, 年份""",
    SENSITIVE: """disease, Diseases, diagnosis, diag_1, primaryDiagnosis, diagnosis_code, disease_name, icd10, ICD9Code,
        condition, medication, drug_name, treatment, hiv_status, cancer, disability, BMI, blood_pressure, smoking,
        family_history, covid19, salary, Salary, salary-class, income, monthlyIncome, annual_wages, accountBalance,
        debt, credit_score, religion, politicalView, sexual_orientation, gender_identity, criminal_record, victim, gpa,
        診斷, 诊断, 主診斷碼, 疾病, 疾病名稱, 慢性病, 職業病, 病史, 病歷, 用藥, 药品, 手術, 檢驗結果, 血壓, 薪資, 月薪,
        工资, 所得, 年所得, 收入, 家庭收入, 帳戶餘額, 貸款, 宗教, 宗教信仰, 政黨, 性傾向, 犯罪紀錄, 成績""",
}
EXPECTED = [(name.strip(), role) for role, names in NAMES.items() for name in names.split(",")]


@pytest.mark.parametrize(("name", "role"), EXPECTED, ids=[name for name, _ in EXPECTED])
def test_a_name_tells_the_role(name, role):
    found = only(REPEATED, name)
    assert found.role == role
    assert found.column == name
    assert found.reason.startswith("the name points to ")
    assert found.reason.endswith("; 4 distinct values, no record has a unique one")


UNKNOWN = """page, usage, stage, package, percentage, average, Essex, sextant, trace, racer, bracelet, zipper, capacity,
    velocity, estate, stated, holiday, daylight, mandate, skip, tip, recipe, chip, ship, telemetry, hotel, faxed,
    colorname, filename, nameless, idea, video, void, valid, placebo, replace, agent, passage, eggplant, x1, q7,
    Unnamed: 0, phone_model, email domain, account_type, num_patients, number of customers, patient no-show,
    customer_note, incoming, paid, repay, taxi, syntax, scared, payload, 手機型號, 手機品牌, 英文名稱, 名稱,
    屋齡, 備註, 項目, 特性, 可能性, 品名, 數量, 類別, 市值, 區隔, 高度"""


@pytest.mark.parametrize("name", [name.strip() for name in UNKNOWN.split(",")])
def test_near_misses_are_unknown_and_the_choice_is_cautious(name):
    found = only(REPEATED, name)
    assert found.role == QI
    assert found.reason.startswith("the cautious choice: the name is unknown and an adversary may know the value; ")


@pytest.mark.parametrize("name", ["outcome", "affairs", "default", "smoker", "篩檢", "結果"])
def test_results_are_sensitive_and_the_reason_says_what_speaks_against_it(name):
    found = only(["a", "b"] * 30, name)
    assert (found.role, found.why.kind) == (SENSITIVE, "result")
    assert "if many do, it is a quasi-identifier" in found.reason
    profile = examine(opened({name: ["a", "b"] * 30})[0], name)
    assert find_contradictions(name, SENSITIVE, profile) == ()
    assert find_contradictions(name, QI, profile) == ()
    (doubt,) = find_contradictions(name, INSENSITIVE, profile)
    assert (doubt.kind, doubt.fails, doubt.points_to) == ("perhaps known", False, None), "as before: no word decides"


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (["HIV+", "HIV-"], SENSITIVE),
        (["陽性", "陰性", "未檢測"], SENSITIVE),
        (["Positive", "NEGATIVE", "inconclusive"], SENSITIVE),
        (["not detected", "detected"], SENSITIVE),
        (["A+", "A", "B-"], QI),
        (["AB+", "0-"], QI),
        (["positive", "neutral", "negative"], QI),
        (["yes", "no"], QI),
    ],
)
def test_results_of_a_test_are_known_by_their_values(values, role):
    assert only(values * 30, "x1").role == role


def test_what_outsiders_may_know_stays_a_quasi_identifier():
    for name in (
        "insurance_company",
        "result_date",
        "date of infection",
        "participation",
        "died",
        "insurance",
        "screening_year",
    ):
        assert only(["a", "b"] * 30, name).role == QI, name
    assert only(["a", "b"] * 30, "participation").why.kind == "perhaps-result"
    columns = {"yes1": ["a", "b"] * 30, "age": [str(20 + n % 40) for n in range(60)], "yes2": ["b", "c"] * 30}
    found = suggest(columns)
    assert {name: column.why.kind for name, column in found.items()} == {
        "yes1": "perhaps-result",
        "age": "named",
        "yes2": "perhaps-result",
    }
    assert {column.role for column in found.values()} == {QI}


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("visits", [str(number % 9) for number in range(60)], SENSITIVE),
        ("doctor_visits", [str(number % 9) for number in range(60)], SENSITIVE),
        ("門診次數", [str(number % 9) for number in range(60)], SENSITIVE),
        ("visits", [f"2024-01-{1 + number % 28:02}" for number in range(60)], QI),
        ("visit", [str(number % 9) for number in range(60)], QI),
        ("hospital", [str(number % 9) for number in range(60)], QI),
    ],
)
def test_numbers_of_visits_are_sensitive(name, values, role):
    assert only(values, name).role == role


@pytest.mark.slow
def test_every_word_of_the_vocabulary_is_found_by_itself():
    table, (column,) = opened({"q7": pa.array(["x", "y"])})
    profile = examine(table, column)
    for role, subjects in (
        (QI, column_names.QUASI_IDENTIFYING),
        (SENSITIVE, column_names.SENSITIVE),
        (ID, column_names.IDENTIFYING),
    ):
        for subject, words in subjects.items():
            for word in map(str.strip, words.replace("_", "").split(",")):
                for name in {word, word.upper(), word.title(), word.replace(" ", "_"), word.replace(" ", "")}:
                    found = suggest_role(name, profile)
                    assert (found.role, found.reason.split(";")[0]) == (role, f"the name points to {subject}"), name


def test_simplified_characters_are_turned_one_by_one():
    assert all(len(chr(new)) == 1 and old != new for old, new in column_names._TAIWAN.items())


def texts(number, seed=1):
    chosen = random.Random(seed)
    return ["".join(chosen.choices("abcdefghij", k=12)) for _ in range(number)]


def test_nearly_unique_text_is_an_identifier():
    found = only(texts(1000))
    assert (found.role, found.reason) == (
        ID,
        "nearly every record has a unique text; 1,000 distinct values, 100 % of 1,000 records have a unique one",
    )
    some_twice = texts(970) + texts(30)
    assert only(some_twice).role == ID
    assert "94 % of 1,000 records" in only(some_twice).reason


def test_among_few_records_uniqueness_says_little():
    found = only(texts(19))
    assert found.role == QI
    assert found.reason.startswith("the cautious choice: the name is unknown and the records are few; 19 distinct")
    assert only(texts(20)).role == ID


def test_a_constant_is_insensitive_unless_its_name_says_more():
    found = only(["same"] * 1500)
    assert (found.role, found.reason) == (
        INSENSITIVE,
        "the same value in every record, which distinguishes nobody",
    )
    assert only(["same"] * 50, "hiv").role == SENSITIVE
    assert only(["same"] * 50, "age").role == QI
    assert only(["same"] * 50, "email").role == ID


def test_only_none_are_0_percent_and_only_all_are_100():
    assert only([*["same"] * 998, "other", None]).reason.endswith(
        "2 distinct values, 0.1 % of 1,000 records have a unique one, 0.1 % without a value"
    )
    assert "99.5 % of 400 records" in only([*texts(398), "twice", "twice"]).reason
    assert "99.98 % of 9,998 records" in only([*texts(9996), "twice", "twice"]).reason


def test_shares_are_rounded_as_everywhere():
    """12.66 % are not 12 %, which another page would call 12.7 %."""
    assert "12.7 % of 79 records" in only([*texts(10), *["same"] * 69]).reason


def test_one_value_and_blanks_set_some_apart():
    found = only(["same"] * 30 + [None] * 10)
    assert found.role == QI
    assert found.reason.endswith("1 distinct value, no record has a unique one, 25 % without a value")
    assert only(["alone"]).role == QI


def test_of_no_values_nothing_can_be_told():
    assert only([None, "", " *"]).role is None
    assert only([None, "", " *"]).reason == "no suggestion: no value in 3 records"
    assert only([None, "*"], "age").role == QI


def test_missing_and_suppressed_are_no_values():
    found = only([*texts(100), *[None] * 60, *["*"] * 40])
    assert found.role == ID
    assert found.reason.endswith("100 distinct values, 50 % of 200 records have a unique one, 50 % without a value")


def test_precise_numbers_are_quasi_identifiers():
    chosen = random.Random(2)
    cells = [f"{chosen.gauss(170, 9):.6f}" for _ in range(500)]
    assert only(cells).role == QI
    assert only(cells).reason.startswith("a precise number identifies people to anyone who knows it; 500 distinct")
    assert only([f"{cell} kg" for cell in cells]).role == QI
    assert only([f"NT${1000 * number:,}" for number in range(11, 400)]).role == QI
    assert only(cells, "salary").role == SENSITIVE


def test_numbers_given_out_are_identifiers():
    chosen = random.Random(3)
    rows = list(range(1, 3001))
    chosen.shuffle(rows)
    for cells in (
        [str(row) for row in rows],
        [f"{row}.0" for row in rows],
        [f"{row:07}" for row in rows],
        [str(chosen.randrange(10**9, 10**10)) for _ in rows],
    ):
        assert only(cells).role == ID
        assert only(cells).reason.startswith("nearly unique whole numbers that look assigned rather than measured; ")
    spread = [str(chosen.randrange(10**6)) for _ in range(200)]
    assert only(spread).role == QI


def test_many_numbers_that_repeat_are_the_cautious_choice():
    assert only([str(number % 300) for number in range(3000)]).reason.startswith("the cautious choice")


def test_a_label_is_an_identifier_when_there_are_as_many_values_as_records():
    cells = [f"K{row // 2}" for row in range(400)]
    assert only(cells, "batch_id").role == ID
    assert only(cells, "batch_id").reason.startswith("named like a label")
    assert only(cells, "batch").role == QI
    assert only(REPEATED, "batch_id").role == QI
    assert only(cells, "patient").role == ID
    assert only(REPEATED, "patient").role == QI


def test_sensitive_text_of_its_own_in_nearly_every_record_identifies():
    found = only(texts(300), "diagnosis")
    assert found.role == ID
    assert found.reason.startswith("the name points to health, but nearly every record has a unique text; 300 ")
    assert only(texts(300), "city").role == QI
    assert only([f"2020-{month}-{day}" for month in range(1, 13) for day in range(1, 29)], "illness").role == SENSITIVE


def test_long_texts_may_name_people():
    cells = [f"{text} went to the hospital because of {text}" for text in texts(60)]
    assert only(cells + cells[:30]).reason.startswith("long texts, in which people may be named; 60 distinct")
    assert only(cells + cells[:30]).role == ID
    assert only(cells[:5] * 20).role == QI


def national_id(number):
    body = f"A1{number:07}"
    return next(body + last for last in "0123456789" if LOOKS[NATIONAL_ID](body + last))


VALUES = {
    "e-mail addresses": [f"person{n}@example.com.tw" for n in range(9)],
    NATIONAL_ID: [national_id(n) for n in range(9)],
    "payment card numbers": ["4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005", "6011111111111117"],
    "phone numbers": [
        "0912345678",
        "0912-345-678",
        "(02) 2345-6789",
        "02-23456789",
        "+886 912 345 678",
        "555-123-4567",
    ],
    "network addresses": ["10.0.0.1", "192.168.1.254", "2001:db8:0:0:0:0:2:1", "fe80::1:2:3", "0A-1B-2C-3D-4E-5F"],
    "links": ["https://example.com/a?b=c", "http://example.org"],
    "generated keys": ["123e4567-e89b-12d3-a456-426614174000", "d41d8cd98f00b204e9800998ecf8427e"],
    "Chinese names of people": [f"{one}{two}明" for one in "陳林黃張李王" for two in "小大文志"] + ["王○明", "李XX"],
    "English names of people": [
        *[
            f"{given} {family}"
            for given in ("John", "MARY", "ann")
            for family in ("Smith", "O'Neil", "Chen", "Brown-Lee", "de Vries")
        ],
        *["Smith, John", "Brown, Mary A.", "John Q. Public", "Dr. Mary Miller", "Ann Marie Jones", "Taylor Thomas"],
    ],
    "given names of people": ["Ann", "John", "MARY", "Dora", "Peter", "Susan", "Kevin", "Emily"],
    "street addresses": [
        "台北市大安區信義路三段12號",
        "高雄市苓雅區四維三路2號6樓",
        "南投縣信義鄉同富村同和巷二十號",
        "12 Main Street",
        "221B Baker St, London",
        "1600 Pennsylvania Avenue NW, Washington",
    ],
    "exact coordinates": ["25.03361,121.56501", "(25.0336, 121.5650)", "-33.8688 151.2093", "25.0336° N, 121.5650° E"],
    "dates or times": [
        *[
            "2020-01-31",
            "2020/1/3",
            "2020.12.24",
            "31.12.2020",
            "12/31/2020",
            "2020-01-31T10:00:00",
            "2020-01-31 10:00",
        ],
        *["20200131", "民國109年1月31日", "109/01/31", "99年1月1日", "2020-05", "10:15", "10:15:59"],
    ],
}


@pytest.mark.parametrize("look", LOOKS)
def test_values_show_what_they_are(look):
    cells = VALUES[look] * 3
    found = only(cells)
    assert found.role == (QI if look == "dates or times" else ID)
    assert found.reason.startswith(f"100 % of the values look like {look}; ")
    assert [value for value in VALUES[look] if not LOOKS[look](value)] == []
    assert only(cells, "age").role == found.role
    assert only(cells, "disease").role == (SENSITIVE if look == "dates or times" else ID)


def test_numbers_of_the_nhs_are_no_phone_numbers():
    """Their check digit is that of one in eleven phone numbers only."""
    numbers = [f"{number:09}" for number in range(400000000, 499999999, 3333331)]
    digits = [-sum(w * int(d) for w, d in zip(range(10, 1, -1), number, strict=True)) % 11 for number in numbers]
    valid = [f"{n[:3]} {n[3:6]} {n[6:]}{digit}" for n, digit in zip(numbers, digits, strict=True) if digit < 10]
    assert "look like national identity numbers" in only(valid).reason
    phones = [f"{n[:3]} {n[3:6]} {n[6:]}{place % 10}" for place, n in enumerate(numbers)]
    assert "look like phone numbers" in only(phones).reason


@pytest.mark.parametrize("look", LOOKS)
def test_common_values_look_like_nothing(look):
    plain = [
        "A123456788",
        "4111111111111112",
        "47906",
        "12.5",
        "20-39",
        "<=50K",
        "flu",
        "高血壓性心臟病",
        "E11.9",
        "a@b",
    ]
    plain += [
        "1305*",
        "SW1A 1AA",
        "Self-emp-not-inc",
        "1985",
        "100",
        "0",
        "-3",
        "1:2",
        "12345678",
        "deadbeef",
        "台北市",
        "信義路三段",
        "Main Street",
        "12.5, 13.5",
        "3 days st",
    ]
    assert [value for value in plain if LOOKS[look](value)] == []


def test_most_values_are_enough():
    mails = [f"person{n}@example.com" for n in range(49)]
    assert only([*mails, "unknown"]).reason.startswith("98 % of the values look like e-mail addresses; 50 distinct")
    assert only([*mails[:7], "one", "two", "three"] * 20).role == QI


def test_national_ids_are_checked():
    known = ["A123456789", "F131104093", "A800000014", "123-45-6789", "11010519491231002X"]
    known += [
        "a123456789",
        "A-123456789",
        "A12345678-9",
        "ID:A123456789",
        "A123456789 王小明",
        "AC03095424",
        "BD01300667",
    ]
    assert [value for value in known if not LOOKS[NATIONAL_ID](value)] == []
    assert sum(LOOKS[NATIONAL_ID](f"B2{number:08}") for number in range(1000)) == 100
    assert [last for last in "0123456789X" if LOOKS[NATIONAL_ID](f"11010519491231002{last}")] == ["X"]


def test_a_person_in_several_records_is_the_privacy_unit():
    people = [f"p{row % 30}" for row in range(90)]
    assert unit_of({"visit_id": texts(90), "age": REPEATED * 2 + REPEATED[:10], "patient_id": people}) == "patient_id"
    for name in ("病歷號", "身分證字號", "id", "MRN", "客戶編號", "customer no"):
        assert unit_of({name: people}) == name
    assert unit_of({"patient": [f"p{row // 2}" for row in range(90)]}) == "patient"
    assert unit_of({"who": [national_id(row % 30) for row in range(90)]}) == "who"
    for name in ("person", "participant", "case", "pseudonym", "token", "ptno", "chart", "病患", "代碼", "account"):
        assert unit_of({name: people}) == name


def test_categories_that_are_called_like_people_are_no_privacy_unit():
    for name, values in (("patient", ["inpatient", "outpatient"]), ("case", ["A1", "B2", "C3"]), ("code", ["x", "y"])):
        assert unit_of({name: values * 45}) is None


def test_what_names_no_person_or_one_record_each_is_no_privacy_unit():
    people = [f"p{row % 30}" for row in range(90)]
    for name in (
        "name",
        "patient_name",
        "姓名",
        "visit_id",
        "office_phone",
        "address",
        "hospital_id",
        "age",
        "q7",
        "訂單編號",
    ):
        assert unit_of({name: people}) is None
    assert unit_of({"patient_id": texts(90)}) is None
    assert unit_of({"email": ["ward@example.org"] * 90}) is None


def test_one_person_may_have_all_records():
    assert unit_of({"patient_id": ["p1"] * 90}) == "patient_id"


def test_a_number_that_is_missing_in_some_records_names_people_all_the_same():
    """The release then says that every record needs one, instead of counting records."""
    people = [f"p{row % 30}" for row in range(90)]
    assert unit_of({"patient_id": [*people, None]}) == "patient_id"
    assert unit_of({"patient_id": [*people, "*"]}) == "patient_id"
    assert unit_of({"patient_id": [*people, None], "mrn": [*people, "p1"]}) == "mrn"


FAMILY, GIVEN = "陳林黃張李王吳劉蔡楊", [first + last for first in "志家俊怡淑美" for last in "明豪宏君芬華"]
NAMING = {
    "name": lambda number: f"{['James', 'Mary', 'John', 'Linda'][number % 4]} {'ABCDEFGHIJ'[number % 10]}. Smith",
    "姓名": lambda number: FAMILY[number % 10] + GIVEN[number],
    "email": lambda number: f"u{number}@example.org",
    "phone": lambda number: f"0912{number:06d}",
    "card_no": lambda number: f"C{number:06d}",
    "device_id": lambda number: f"D{number:06d}",
    "household_id": lambda number: f"H{number:06d}",
    "x": lambda number: hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest(),
}


def visits(people=30, each=12, seed=1):
    """Whose each record is, with an age and a sex that stay the same."""
    chance = random.Random(seed)
    persons = [(number, str(chance.randint(20, 80)), chance.choice("FM")) for number in range(people)]
    records = [person for person in persons for _ in range(each)]
    chance.shuffle(records)
    return records


@pytest.mark.parametrize("name", NAMING)
@pytest.mark.parametrize("people", [30, 4])
def test_whatever_names_people_is_the_privacy_unit_if_their_age_says_so(name, people):
    records = visits(people)
    table = {
        "id": texts(len(records)),
        name: [NAMING[name](number) for number, _, _ in records],
        "age": [age for _, age, _ in records],
        "sex": [sex for _, _, sex in records],
    }
    assert suggest(table)[name].role == ID
    assert unit_of(table) == name
    older = {**table, "age": [str(int(age) + row % 3) for row, (_, age, _) in enumerate(records)]}
    assert unit_of(older) == name


@pytest.mark.parametrize("name", NAMING)
def test_the_same_values_with_other_ages_are_of_other_people(name):
    chance = random.Random(5)
    rows = range(360)
    ages, sexes = [str(chance.randint(20, 80)) for _ in rows], [chance.choice("FM") for _ in rows]
    for people in (4, 30, 150):
        shared = [NAMING[name](chance.randrange(min(people, 36))) for _ in rows]
        assert unit_of({name: shared, "age": ages, "sex": sexes}) is None
        assert unit_of({name: shared[:1] * 360, "age": ages, "sex": sexes}) is None


def test_names_that_repeat_often_name_people_unless_their_sex_changes():
    records = visits()
    names = [NAMING["姓名"](number) for number, _, _ in records]
    assert unit_of({"姓名": names}) == "姓名"
    assert unit_of({"姓名": names, "sex": [sex for _, _, sex in records]}) == "姓名"
    chance = random.Random(4)
    assert unit_of({"姓名": names, "sex": [chance.choice("FM") for _ in records]}) is None
    namesakes = [NAMING["姓名"](row % 36) for row in range(60)]
    assert unit_of({"姓名": namesakes}) is None  # fewer than two records for a name


def test_a_phone_alone_names_people_if_it_repeats_often_and_there_are_several():
    phones = [NAMING["phone"](number) for number, _, _ in visits()]
    assert unit_of({"phone": phones}) == "phone"
    assert unit_of({"phone": [NAMING["phone"](row % 5) for row in range(90)]}) is None
    assert unit_of({"phone": [NAMING["phone"](row // 2 if row < 20 else row) for row in range(90)]}) is None
    assert unit_of({"patient_id": texts(len(phones)), "phone": phones}) is None  # one record each: phones are shared


def test_a_number_comes_before_an_address_and_an_address_before_a_name():
    records = visits()
    table = {name: [NAMING[name](number) for number, _, _ in records] for name in ("姓名", "email")}
    table["age"] = [age for _, age, _ in records]
    assert unit_of(table) == "email"
    assert unit_of({**table, "mrn": [f"M{number}" for number, _, _ in records]}) == "mrn"


def test_the_number_that_repeats_counts_where_another_is_new_in_every_record():
    records = visits()
    numbers = [f"M{number}" for number, _, _ in records]
    table = {"person_number": texts(len(records)), "mrn": numbers, "age": [age for _, age, _ in records]}
    assert unit_of(table) == "mrn"
    twice = {**table, "person_number": [table["person_number"][1], *table["person_number"][1:]]}
    assert unit_of(twice) == "mrn"
    chance = random.Random(2)
    staff = {**table, "age": [str(chance.randint(20, 80)) for _ in records]}
    assert unit_of(staff) is None  # somebody else's number, such as the nurse's


def test_the_privacy_unit_is_one_that_a_release_takes():
    data = {"病人編號": [f"p{row % 30}" for row in range(90)], "年齡": [str(row % 7) for row in range(90)]}
    table, names = opened(data)
    found = suggest_roles(table, names)
    unit = suggest_people(table, found).unit
    assert unit == "病人編號"
    assert check_unit(unit, open_source(data, "d"), {each.column: each.role for each in found}) == unit


HOSTILE = [
    *(
        "",
        " ",
        "\x00",
        "\n\r\t",
        "(((((",
        "[a-z",
        "(?P<x>a+)+$",
        "\\",
        "*",
        "%s{0}",
        "\u202eega",
        "😀" * 200,
        "é" * 3000,
    ),
    *("A" * 10_000, "a" * 10_000, "aA" * 5_000, "A1" * 5_000, "_" * 10_000, "性" * 10_000, "\ufdfa" * 10_000),
    *("id " * 4_000, "patient" * 2_000, "number of " * 1_000, "Z\u0301" * 5_000, "s" * 10_000),
]


@pytest.mark.parametrize("name", HOSTILE, ids=[repr(name[:8]) for name in HOSTILE])
def test_hostile_names(name):
    found = only(REPEATED, name)
    assert found.role in (ID, QI, SENSITIVE)
    assert len(found.reason) < 200
    assert found.reason.isprintable()


@pytest.mark.parametrize("cell", ["1" * 5000 + "x", "a@" + "." * 5000 + "@", "1:" * 3000, "-" * 5000, "1,." * 2000])
def test_hostile_cells(cell):
    assert only([f"{cell}{row}" for row in range(2000)]).role in (ID, QI)


@given(st.text(max_size=60))
def test_any_name_gets_a_role(name):
    found = only(["x", "y", None], name)
    assert found.role in (ID, QI, SENSITIVE)


# Private-use signs and long digits, which no reason has of its own.
CELLS = st.text(st.characters(categories=["Co"]), min_size=1, max_size=3) | st.integers(10**6, 10**12).map(str)
MAILS = st.integers(10**6, 10**9).map(lambda number: f"{number}@example.com")
COLUMN = st.lists(st.none() | CELLS, min_size=1, max_size=60) | st.lists(MAILS, min_size=1, max_size=30)


@given(COLUMN, st.sampled_from([name for name, _ in EXPECTED] + ["q7", "batch_id", "patient"]))
def test_no_reason_contains_a_cell(cells, name):
    found = only(cells, name)
    assert not [cell for cell in cells if cell is not None and cell in found.reason]
    assert "\n" not in found.reason


@given(COLUMN, st.randoms())
def test_the_order_of_the_records_does_not_matter(cells, chosen):
    other = list(cells)
    chosen.shuffle(other)
    assert only(cells) == only(other)


def test_the_columns_come_in_the_order_asked_for():
    table, _ = opened({"age": ["1", "2"], "name": ["x", "y"], "disease": ["u", "v"]})
    assert [found.column for found in suggest_roles(table, ["disease", "age"])] == ["disease", "age"]
    assert suggest_roles(table, []) == []


def test_the_bundled_tables():
    def roles(path):
        return {name: found.role for name, found in suggest(path).items()}

    adult = roles("data/adult.csv")
    assert adult.pop("salary-class") == SENSITIVE
    assert set(adult.values()) == {QI}
    assert roles("data/adult_anonymized.csv") == roles("data/adult.csv")
    assert roles("data/delta.csv") == {"zip": QI, "age": QI, "nationality": QI, "salary-class": SENSITIVE}
    assert roles("data/delta_anonymized.csv") == roles("data/delta.csv")
    patient = {"ZIPCode": QI, "Age": QI, "Salary": SENSITIVE, "Disease": SENSITIVE}
    assert roles("data/patient_anonymized.csv") == patient
    assert [unit_of(f"data/{name}.csv") for name in ("adult", "delta", "patient_anonymized")] == [None] * 3


def test_a_wide_table_is_not_turned_into_texts():
    cells = pa.array(texts(3000))
    table, names = opened(pa.table({f"q{column}": cells for column in range(100)}))
    assert {found.role for found in suggest_roles(table, names)} == {ID}
    assert not any("values" in vars(table.columns[name]) for name in names)  # not every value was made a text


@pytest.mark.parametrize("name", ["cost_eur", "total_charges", "price", "醫療費用"])
def test_amounts_are_money_and_no_dates(name):
    values = [f"{place}.{place % 12 + 1:02d}" for place in range(1000, 1400)]
    table = load_rows(open_source({name: values}, "t"), (name,))
    (found,) = suggest_roles(table, [name])
    assert found.role == SENSITIVE_ATTRIBUTE
    assert "dates" not in found.reason


def test_the_number_of_somebody_else_is_no_privacy_unit():
    rows = {"mrn": [f"M{place}" for place in range(60)], "mother_mrn": [f"M{place // 2}" for place in range(60)]}
    for names, unit in ((["mrn", "mother_mrn"], None), (["mother_mrn"], None)):
        table = load_rows(open_source({name: rows[name] for name in names}, "t"), tuple(names))
        assert suggest_people(table, suggest_roles(table, names)) == unit


def test_a_first_line_in_a_wrong_encoding_is_told_from_rare_characters(tmp_path):
    """Masks replace rare characters by a sign that no mask may replace again."""
    (tmp_path / "t.csv").write_text("龘靐齉齾爩,0912345678\n1,2\n3,4\n", "utf-8")
    shown = preview(tmp_path / "t.csv")
    assert [name for name, _ in shown.sample] == ["◇◇◇◇◇", "9999999999"]
    assert shown.garbled == ["◇◇◇◇◇"]
