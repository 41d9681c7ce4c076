"""Personal details inside texts: what is found, what is not, and how long it takes."""

import time
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks.about.personal_details import (
    ACCOUNT,
    DETECTORS,
    EMAIL,
    KINDS,
    NAME,
    NATIONAL_ID,
    NATIONAL_IDS,
    PAYMENT_CARD,
    PHONE,
    PLATE,
    RECORD,
    SHARED,
    STREET,
    DetailSearch,
    is_from_hong_kong,
    is_singaporean,
    matches,
)
from PETWorks.tables.arrays import strings


def details(cells, records=None, column="note"):
    """The details of cells, each of which is in so many records."""
    search = DetailSearch(column)
    counts = np.ones(len(cells), np.int64) if records is None else np.array(records, np.int64)
    search.add(pa.array(cells, pa.large_string()), counts)
    return search.details()


RECALL = {
    EMAIL: [
        "write to u1 at gmail dot com",
        "U1 AT GMAIL DOT COM",
        "u1%40gmail.com",
        "u1&#64;gmail.com",
        "u1&#x40;gmail.com",
        "write to mary.jones+x@mail.example.org.",
        "信箱：abc_12@example.com.tw，謝謝",
        "ｍａｒｙ＠ｅｘａｍｐｌｅ．ｏｒｇ",
        "<p1@example.org>;",
        "mary (at) example (dot) org",
        "mary[at]example.org",
        "https://example.org/?email=p1@example.org&x=1",
    ],
    PHONE: [
        "call ٠٩١٢٣٤٥٦٧٨",
        "call 0912_345_678 now",
        "०९१२-३४५-६७८",
        "02_23456789",
        "called 0912-345-678 twice",
        "請打0912345678找家屬",
        "手機０９１２３４５６７８",
        "09\u200b12 345 678",
        "0912\u2013345\u2013678",
        "0912.345.678",
        "(0912)345678",
        "0 9 1 2 3 4 5 6 7 8",
        "09\u00a012\u00a0345\u00a0678",
        "TEL0912345678",
        "+886(0)912345678",
        "two numbers: 0912-345-678 0987-654-321",
        "0912-345-678/0987-654-321",
        "+886 912 345 678",
        "+886912345678",
        "886-912-345-678",
        "電話 02-2345-6789 分機 12",
        "(02) 2345-6789",
        "(02)23456789",
        "call 037-123-456 please",
        "+1 (415) 555-2671",
        "415-555-2671",
        "(415) 555-2671",
        "+44 20 7946 0958",
        "07700 900123",
        "020 7946 0958",
        "01 23 45 67 89",
        "+49 30 12345678",
        "138-1234-5678",
        "手机：13812345678",
        "phone: 5551234",
        "Tel. no: 22345678",
        "mobile number 415 555 2671",
        "聯絡電話0223456789",
    ],
    NATIONAL_ID: [
        "id A 12345678 9",
        "A12345 6789",
        "ID A123456789 on file",
        "身分證字號Ａ１２３４５６７８９。",
        "a123456789",
        "居留證 AB12345677",
        "A123456(3)",
        "NRIC S1234567D",
        "身份证11010519491231002X，",
        "RRN 900101-1234568",
        "SSN 123-45-6789.",
        "NI number QQ 12 34 56 C".replace("QQ", "AB"),
        "SIN 130 692 544",
        "NHS no: 943 476 5919",
        "NHS number 9434765919",
        "BSN 111222333",
        "DNI 54362315K",
        "NIE X-2482300-W",
        "PPS 6433435F",
        "NIR 2 95 10 99 126 111 93",
        "Steuer-ID 36 574 261 809",
        "PESEL 44051401359",
        "codice fiscale RCCMNL83S18D969H",
        "CURP BOXW310820HNERXN09",
        "personnummer 880320-0016",
        "HETU 131052-308T",
        "rodné číslo 710319/2745",
        "AHV 756.9217.0769.85",
        "CPF 390.533.447-05",
        "85.07.30-033.28",
        "My Number 6214 9832 0257",
        "Aadhaar 2341 2341 2346",
        "1-2345-45678-78-1",
    ],
    PAYMENT_CARD: [
        "paid with 4111 1111 1111 1111 12/27",
        "4111-1111-1111-1111",
        "4111111111111111",
        "５５５５５５５５５５５５４４４４",
        "amex 3782 822463 10005",
        "卡號4012888888881881，",
    ],
    ACCOUNT: [
        "IBAN GB82 WEST 1234 5698 7654 32",
        "DE89370400440532013000 please",
        "DE89 3704 0044 0532 0130 00 THANKS",
    ],
    RECORD: [
        "MRN: 1234567",
        "MRN#A-12345",
        "patient id 0012345",
        "Medical record number: 445566",
        "chart no. 99887",
        "病歷號：0012345",
        "病歷號碼 A1234567",
        "住院號00123",
    ],
    PLATE: [
        "車牌ABC-1234",
        "騎機車（123-ABC）自摔",
        "the car AB-1234 hit her",
        "licence plate: AB12 CDE",
        "number plate KA 123 X",
        "車號：1234-AB",
    ],
    STREET: [
        "住台北市大安區和平東路二段118巷5弄12號3樓",
        "地址:中山路100之3號",
        "新興里5鄰民生12號",
        "上海市南京西路１２３号",
        "lives at 12 Elm Street with her son",
        "moved to 221B Baker Street, London",
        "1600 Pennsylvania Ave, Washington",
        "中山路 100 號",
        "No. 12, Ln. 118, Sec. 2, Heping E. Rd., Taipei",
        "45 W 34th St, New York",
    ],
    NAME: [
        "PT NAME JOHN SMITH",
        "PATIENT NAME: MARY JONES",
        "patient name John Okafor, seen",
        "seen by Dr. Smith today",
        "Dr Xiu Tan agreed",
        "DR. O'BRIEN",
        "Mr. J. R. Tolkien",
        "Mrs Müller-Lüdenscheidt left",
        "Ms. Chen",
        "Miss Chen",
        "Prof. Nguyen",
        "name: Mary Jones",
        "Patient name: Xiu Tan, seen",
        "NAME: SMITH JOHN",
        "Name: Zhuravlev, Igor",
        '{"name": "Mary Tan", "age": 3}',
        "Patient: Mary Tan",
        "signed by: John Okafor",
        "seen by dr. smith",
        "MR SMITH",
        "my name is Robert",
        "her husband Robert called",
        "陳怡君小姐來電",
        "通知王先生",
        "林志明醫師說明",
        "歐陽娜娜女士",
        "姓名：林志明",
        "聯絡人: 陳 怡君",
        "患者：張雅婷，女",
    ],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in RECALL.items() for text in texts])
def test_details_are_found_wherever_they_stand(kind, text):
    assert details([text]).get(kind, 0) >= 1


def test_digits_of_every_script_are_read():
    """Those of the basic plane, but the full-width ones, which normalisation reads."""
    digits = [sign for sign in map(chr, range(0x80, 0xFF00)) if unicodedata.category(sign) == "Nd"]
    for sign in digits:
        cell = f"call 0912-345-67{sign}"
        (found,) = matches("", strings([cell]), np.array([1]))
        assert found.text.endswith(str(unicodedata.digit(sign))), sign


def test_every_kind_is_tried():
    assert set(RECALL) == set(KINDS) == {detector.kind for detector in DETECTORS}


PROSE = """
She looked at polka dot dresses and met the team at station dot three.
Patient name withheld; PT NAME UNKNOWN; patient name not given. PATIENT NAME CHECKED. Discount %40 of 5%40.
file_2024_001_002 and 2024_100_2000 rows, batch 12_345_678, key a_0912_345_678_b, week 2024_1234567.
Pt with Hodgkin lymphoma in remission, seen for follow up. BP 120/80, HR 72, T 36.8, SpO2 98% on RA.
Known Crohn disease on infliximab 5 mg/kg q8w; last dose 2026-03-14. CRP 4.2, Hb 12.1.
Dr. visit scheduled for next week. Dr visit went well. Dr. ordered CBC. Dr notified. Dr. Office called back.
MR angiography and MS workup: MR Angiography normal, MS Clinic referral. DR screening done. Ms Word and Ms Excel.
ICD-10 E11.9, I10, J45.909, S72.001A, Z79.4. CPT 99213-25. DRG 470. Parkinson disease, Hoehn and Yahr 2.
NDC 0002-1433-80, NDC 00378-1805-10, lot AB1234, exp 2027-05. SKU ABC-1234 replaced by XY-9988.
Tracking 1Z999AA10123456784, invoice 2026-000123, PO 123456789, batch 0123456789, order 4000123456789012.
GPS 25.0330, 121.5654; grid 51.50735,-0.12776. Altitude 1,234.5 m. Version 10.4.12.2026, build 20261116.1, IP 10.0.0.1.
Paid 1 234 567.89 EUR, 12,345,678 NTD, US$ 1,000,000, -5.00, +3.2 %, +15000000, 0912 points.
Meds given 0800 1200 1600 2000; next 0600 1400 2200. Shift 0700-1900. Ranges 250-500, 3.5-5.1 mmol/L, 4,500-11,000.
From 2026-11-16 08:30 to 2026-11-17 10:45. On 16/11/2026 at 9.30. 02-11-2026 10:30 recheck. 2026/11/16 1000 ml.
Phone visit 2026-11-16. Telephone follow up 2026-11-20 10:00. Fax sent 11/16/2026.
Mobile phase 50 ml, cell count 12345678.
Discussed with Mother and Father. Sister of patient present. Nurse Practitioner saw patient. Miss dose if nauseated.
Drug name: Metformin. Product name: Aspirin Protect. File name: Report Final. School name: Lincoln High School.
Name: unknown. {"name": "Open Sans", "size": 3}
Patient: Alert Oriented. Contact: Daily. Signed: Yes. Mother: Healthy. Nurse: Informed. dr visit, dr. ordered, ms word.
09/12/2026 08:30, 09-12-2026 10, 09.12.2026, bmi 0.9123456789, 10\u201320 mg, pages 100\u2013200.
Street drugs denied. Lives on a busy street. Walks 2 miles down Long Road daily. 20 Dec Court date. Ward St Elsewhere.
Patient number 3 of 20. Record number of visits. Medical record reviewed 2026. Case no. pending. Patient ID verified x2.
Plate 12 well A3 B4. License renewed. Vehicle damaged at 60 km/h.
ISBN 978-3-16-148410-0, EAN 4006381333931, DOI 10.1000/182, PMID 12345678, NCT01234567, UniProt P12345,
RefSeq NM_000546.6.
UUID 550e8400-e29b-41d4-a716-446655440000, SHA 9f86d081884c7d659a2feaa0c55ad015, IMEI 490154203237518,
VIN 1HGCM82633A004352.
Flight BR 189, highway 101, gate B12. Twitter @handle, 5 @ 3.50 each, icon@2x, meet @ 10. Score 85/100, 3.0e8.
Very satisfied with Mount St Helens and St Louis; stayed at a 5 Star Hotel. ZIP 02139-4307, form 1040-EZ, model WD-40.
病人回診，主訴頭痛三天，血壓120/80，給予止痛藥，衛教後返家。何杰金氏淋巴瘤追蹤，白血球 4500。
任何醫師皆可開立，許多老師與同學建議休息，高中老師來電，溫和的老師，關心的同學，任課老師，游泳老師請假。
主治醫師查房，值班醫師評估，住院醫師記錄，主任醫師會診，相關醫師說明，校方老師，感謝老師，謝謝醫師。
請洽3號窗口，5號床，12號診間，第7號公車，國道一號，2號出口，一路走到3號病房，住在台北市，喜歡九份老街和中山路。
患者：高血壓病史十年。病患：無過敏。家屬：了解病情。個案：高風險。學生：高一。導師：鼓勵參加社團。
民國115年11月16日，115/11/16 08:30，金額 NT$12,345，共 1,234,567 元。統一編號 12345675，發票 AB-12345678。
批號 ABC-1234。
電話訪談完成，電話：無人接聽。手機沒電。聯絡人：無。姓名：未填。病歷號：不詳。車禍受傷，車速60公里，開車上班。
小姐您好，先生請坐，太太陪同，護理師衛教，教授指導，該名女士自行離院，一位先生，兩位小姐，那位太太。
""".strip().splitlines()


@pytest.mark.parametrize("text", PROSE)
def test_ordinary_prose_has_no_details(text):
    # Beside other numbers of their shape, as in any column: one in ten or eleven is valid by chance.
    others = [f"{row * 7919 % 10**9:09}{row * 104729 % 10**7:07}"[:size] for row in range(20) for size in (11, 12, 13)]
    others += [f"4{row * 7919 % 10**9:09}{row * 104729 % 10**6:06}" for row in range(20)]
    others += [f"{100 + row * 37}-{row * 31 % 1000:03}-{row * 17 % 1000:03}" for row in range(20)]
    others += [f"AB{row * 7919 % 10**8:08}" for row in range(20)]
    assert details([text, *dict.fromkeys(others)]) == {}


COLUMNS = {
    "amounts": [f"{row * 37.5:,.2f}" for row in range(3000)],
    "numbers": [str(10**row + 7 * row) for row in range(25)],
    "random numbers": [str(row * 6364136223846793005 % 10**size) for size in range(6, 19) for row in range(1, 200)],
    "floats": [repr(row / 7) for row in range(1, 3000)],
    "dates": [f"{1950 + row % 70}-{1 + row % 12:02}-{1 + row % 28:02}" for row in range(3000)],
    "times": [f"2026-11-{1 + row % 28:02}T{row % 24:02}:{row % 60:02}:{row % 59:02}.{row:06}Z" for row in range(3000)],
    "American dates": [
        f"{1 + row % 12:02}/{1 + row % 28:02}/{1950 + row % 70} {row % 24:02}:00" for row in range(3000)
    ],
    "coordinates": [f"{25 + row / 7919:.6f}, {121 + row / 104729:.6f}" for row in range(3000)],
    "numbers with zeros before": [f"{row * 6364136223846793005 % 10**10:010}" for row in range(3000)],
    "numbers of twelve digits": [f"{row * 6364136223846793005 % 10**12:012}" for row in range(30000)],
    "codes with dashes": [f"{row * 6364136223846793005 % 10**9:09}" for row in range(3000)],
    "codes with more dashes": [f"{row * 6364136223846793005 % 10**10:010}" for row in range(3000)],
    "codes": [f"AB-{row:04}-{row % 7}" for row in range(3000)],
    "product codes": [f"{'ABCDE'[row % 5]}BC-{row:04}" for row in range(3000)],
    "orders": [f"2026{row:08}" for row in range(3000)],
    "hashes": [f"{row * 0x9E3779B97F4A7C15 % 2**128:032x}" for row in range(1, 3000)],
    "intervals": [f"[{row}-{row + 10}[" for row in range(3000)],
    "towns": ["林口區", "高雄市", "白河區", "石門區", "Springfield", "St Louis", "Mount Vernon", "Lake Drive"],
    "codes of diagnoses": [f"{'ABCDEFGHIJ'[row % 10]}{row % 100:02}.{row % 10}" for row in range(1000)],
}


COLUMNS["codes with dashes"] = [f"{one[:3]}-{one[3:6]}-{one[6:]}" for one in COLUMNS["codes with dashes"]]
COLUMNS["codes with more dashes"] = [f"{one[:4]}-{one[4:7]}-{one[7:]}" for one in COLUMNS["codes with more dashes"]]


@pytest.mark.parametrize("column", COLUMNS)
def test_ordinary_columns_have_no_details(column):
    assert details(list(dict.fromkeys(COLUMNS[column]))) == {}


def test_what_many_records_share_does_not_count():
    assert details(["Mr. Hodgkin"], [SHARED - 1]) == {NAME: 10}
    assert details(["Mr. Hodgkin"], [SHARED]) == {}
    different = [f"note {row}: Mr. Hodgkin" for row in range(SHARED)]
    assert details(different) == {}
    assert details(different[1:]) == {NAME: 10}
    # However it is written, with blanks or without, a number is one.
    assert details(["0912 345 678", "(0912) 345 678", "09 12 345 678", "call 0912.345.678"], [3, 3, 3, 2]) == {}
    assert details(["０９１２３４５６７８", "call 0912345678"], [6, 5]) == {}


def test_a_search_in_pieces_adds_up():
    search = DetailSearch("note")
    for row in range(SHARED):
        search.add(pa.array([f"{row} Mr. Smith"], pa.large_string()), np.array([1]))
        assert search.details() == ({NAME: row + 1} if row < SHARED - 1 else {})


def test_a_detail_counts_once_in_a_cell():
    assert details(["Mr. Smith met Mr. Smith and Mrs. Jones"]) == {NAME: 2}


@pytest.mark.parametrize(("valid", "invalid", "kind"), [("4111111111111111", "411111111111111{}", PAYMENT_CARD)])
def test_check_digits_count_where_more_than_half_are_right(valid, invalid, kind):
    wrong = [invalid.format(digit) for digit in (2, 3)]
    assert details([valid]) == {kind: 1}
    assert details([valid, wrong[0]]) == {}
    assert details([valid, "4012888888881881", wrong[0]]) == {kind: 2}
    assert details([valid, "4012888888881881", *wrong]) == {}


def test_names_need_a_cue_or_a_column_of_names():
    names = ["John Smith", "Mary Jones", "陳怡君", "林志明"]
    assert details(names) == {}
    assert details(names, column="patient_name") == {NAME: 4}
    assert details(names, column="姓名") == {NAME: 4}
    assert details(names, column="school name") == {}


def test_check_digits_without_a_library():
    assert [is_from_hong_kong(text) for text in ("G123456(A)", "AB987654(3)", "G123456(1)")] == [True, True, False]
    assert [is_singaporean(text) for text in ("S1234567D", "F1234567N", "S1234567A")] == [True, True, False]


def test_chinese_numbers_of_a_place_that_is_no_county():
    """The library for check digits ends with an error of its own for some of them."""
    numbers = [f"110003199001{day:02}{number:04}" for day in range(1, 29) for number in range(30)]
    assert details(numbers) == {}


def test_few_random_numbers_are_valid():
    """Otherwise more than half of the numbers of a shape could be so by chance."""
    rng = np.random.default_rng(5)
    for shape, size in [
        (shape, size) for shape in NATIONAL_IDS for size in (11, 12, 13) if f"{{{size}}}" in shape.pattern
    ]:
        numbers = ["".join(map(str, rng.integers(0, 10, size))) for _ in range(500)]
        assert sum(map(shape.is_valid, numbers)) < 150


@given(
    st.lists(st.text(max_size=300) | st.text("Dr.r Ms@+0912-345 ()路巷號王先生姓名：Name", max_size=200), max_size=5)
)
def test_any_text_can_be_searched(cells):
    found = details(cells, range(1, len(cells) + 1))
    assert set(found) <= set(KINDS)
    assert all(number > 0 for number in found.values())


@pytest.mark.parametrize("number", [n for n, detector in enumerate(DETECTORS) if detector.candidates])
def test_what_a_detector_finds_passes_the_quick_tests_before_it(number):
    """Short cells, plain words and what has no candidate are left out before a detector sees them."""
    detector, found = DETECTORS[number], []

    @examples(120)
    @given(st.from_regex(detector.pattern, fullmatch=True) | st.from_regex(detector.pattern))
    def search(text):
        keys = detector.find(text, "car")
        if keys and text.isascii():  # other signs are read as what they look like
            found.append(text)
            cells = pa.array([text], pa.large_string())
            searched = matches("car", cells, np.ones(1, np.int64))
            assert keys <= {match.text for match in searched if match.detector == number}

    search()
    known = (ACCOUNT, NAME, PAYMENT_CARD)  # which must be of a known country, a common name, or of a known bank
    assert found or detector.kind in known or not detector.expression.isascii()


@pytest.mark.parametrize(("text", "kind"), [("Mr Ng", NAME), ("1234567T", NATIONAL_ID)])
def test_the_shortest_details_are_found(text, kind):
    assert details([text], [1]) == {kind: 1}


ENDLESS = 60  # seconds of the processor, which hardly depend on what else runs
HOSTILE = {
    "digits": "1" * 300_000,
    "mobiles": "0912-345-678 " * 20_000,
    "zeros": "0 " * 150_000,
    "at": "a@" * 150_000,
    "domains": "a@" + "a." * 150_000,
    "letters": "A" * 300_000,
    "words": "Dr. " + "Aa " * 100_000,
    "titles": "Dr. A" * 60_000,
    "streets": "1 Aa " * 60_000 + "Street",
    "Chinese streets": "路一段1巷1弄1號" * 30_000,
    "numerals": "路" + "一" * 300_000 + "號",
    "Chinese titles": "王先生" * 100_000,
    "cues": "phone: " * 40_000 + "1",
    "brackets": "+1(" * 100_000,
    "IBAN": "GB82 WEST " * 30_000,
    "names": "name: " * 50_000 + "Aa",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_cells_take_time_in_proportion_to_their_length(case):
    """Each takes a tenth of a second of the processor; to look at every pair of characters would take hours."""
    begin = time.process_time()
    details([HOSTILE[case]])
    assert time.process_time() - begin < ENDLESS


def test_many_ordinary_notes_are_searched_quickly():
    text = "the patient came back with pain in the left knee and was given ibuprofen for five days"
    notes = [f"{text[row % 7 :]} {row} on 2026-11-{1 + row % 28:02}, BP 120/80" for row in range(100_000)]
    begin = time.process_time()
    assert details(notes) == {}
    assert time.process_time() - begin < ENDLESS  # a tenth of a second on an idle machine
