"""The rule about exact values: what singles out records, on every engine, against a literal count."""

import random
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import petworks
from PETWorks import Release, check
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.counting.profiles import are_exact
from PETWorks.gate.check.unique_values import coordinate_pairs
from policy_checks import CHECK, DAY
from spark_cluster import needs_spark

ENGINES = ["memory", "duckdb", pytest.param("spark", marks=needs_spark)]
POLICY = """petworks_policy: 1
data: table.csv
roles:
  quasi_identifiers: [sex]
  {role}: [{columns}]
rules: [{{measure: k-anonymity, k: 2}}]
"""
EXACT = [
    *("1", "-3", "12.50", ".5", "1e5", "1,234.5", "NT$1,234", "TWD 300", "≥ 250000", "<= 5", "12%", "3 kg", "１２３"),
    *("[20, 40)", "20–39", "20 to 39", "2024-01-05", "2024/1/5 12:30", "05.01.2024", "113/03/01", "民國113年3月1日"),
    *("2024-03", "2024-W09", "2024-Q1", "12 March 2024", "Mar 12, 2024", "14:35", "2:05 PM", "下午3時20分"),
    *("13533 元", "13'076.50", "13\u00a0076", "EUR23978", "16781NTD", "about 15492", "2萬3998", "一六七六一", "三"),
    *(
        '{"a":13939}',
        "16h 22m",
        "Mon, 24 Mar 1954",
        "三月五日",
        "١٢٣٤",
        "Ⅻ",
        "½",
        "ICD-23907",
        "E11.9",
        "120/80",
        "ward 3",
    ),
    *("25.03, 121.5", "25.03N 121.5E", "POINT (121.5 25.0)", "25°2'1\"N", "2024-01-05T12:00:00.1Z", "x" * 31),
]
NOT_EXACT = [
    "flu",
    "north",
    "A",
    "統一",
    "二尖瓣脫垂",
    "第一型糖尿病",
    "x" * 30,
    "type two",
    "yes/no",
    "c-reactive",
    "?",
]


def written(folder, columns, role="sensitive_attributes", more=""):
    """A table with the columns, and a policy that gives all of them a role."""
    records = len(next(iter(columns.values())))
    lines = [";".join(["sex", *columns])]
    lines += [";".join(["fm"[row % 2], *(cells[row] for cells in columns.values())]) for row in range(records)]
    (folder / "table.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "policy.yaml").write_text(POLICY.format(role=role, columns=", ".join(columns)) + more, "utf-8")
    return folder / "policy.yaml"


def judged(path, **counted):
    result = check(path, as_of=DAY, **counted)
    CHECK.validate(result.to_dict())
    return next(rule for rule in result.content.rules if rule.name == "no-unique-values")


def amounts(unique, records):
    """So many values of their own, and 1 in all other records."""
    return [str(1000 + 7 * row) if row < unique else "1" for row in range(records)]


@pytest.mark.parametrize("role", ["sensitive_attributes", "insensitive_attributes", None])
@pytest.mark.parametrize(
    ("unique", "records", "fails"),
    [(5, 100, False), (5, 50, False), (6, 100, True), (6, 120, False), (7, 120, True), (7, 140, False), (20, 20, True)],
)
def test_more_than_five_and_more_than_five_per_cent(tmp_path, role, unique, records, fails):
    path = written(tmp_path, {"bill": amounts(unique, records)}, role or "insensitive_attributes")
    if role is None:
        path.write_text(
            path.read_text().replace("  insensitive_attributes: [bill]\n", "") + "no_role: {bill: a test}\n"
        )
    rule = judged(path)
    assert (rule.verdict, rule.value) == (("fail", ("bill",)) if fails else ("pass", ()))
    if fails:
        assert rule.details == {"columns": [{"columns": ["bill"], "records": unique, "share": unique / records}]}


def test_the_policy_sets_the_share(tmp_path):
    cells = {"bill": amounts(30, 100)}
    for share, verdict in (("0.3", "pass"), ("0.29", "fail"), ("1", "pass")):
        more = f"unique_values: {{share: {share}, reason: nobody sees the bills}}\n"
        assert judged(written(tmp_path, cells, more=more)).verdict == verdict
    few = {"bill": amounts(6, 150)}
    assert judged(written(tmp_path, few, more="unique_values: 0.05\n")).verdict == "pass"
    assert judged(written(tmp_path, few, more="unique_values: 0.03\n")).verdict == "fail"
    assert judged(written(tmp_path, few, more="unique_values: {share: 0.03, reason: x}\n")).verdict == "fail"
    for wrong in (
        *("1.5", "-0.1", "many", "[1]", "{share: 0.3}", "{reason: x}", "{share: 2, reason: x}"),
        *("{share: 0.3, reason: '...'}", "{share: 0.3, reason: [x]}", "{share: 0.3, reason: x, more: y}"),
    ):
        told = petworks("check", written(tmp_path, cells, more=f"unique_values: {wrong}\n"))
        assert told.returncode == 2
        assert "unique_values" in told.stderr


def test_a_higher_share_needs_a_reason(tmp_path):
    """Without one the usual share applies, and a step says what to write; with one, a line beside the verdict does."""
    cells, share = {"bill": amounts(30, 100)}, "unique_values: 0.5\n"
    rule = judged(path := written(tmp_path, cells, more=share))
    assert (rule.verdict, rule.value, rule.parameters) == ("fail", ("bill",), {"at_most": 0.05})
    result = check(path, as_of=DAY)
    (step,) = [one for one in result.document["next_steps"] if one["step"] == "explain-unique-values"]
    assert (step["policy"], step["rules"]) == ("unique_values: {share: 0.5, reason: ...}", ["no-unique-values"])
    for lang, words in (("en", "gives no reason, so that 5 % applies"), ("zh-TW", "仍以 5% 為限")):
        assert words in result.to_format("text", lang, "internal").replace("\n", " ")
    assert judged(written(tmp_path, {"bill": amounts(5, 100)}, more=share)).verdict == "pass"  # nothing needs it
    result = check(written(tmp_path, cells, more="unique_values: {share: 0.5, reason: {en: x, zh-TW: y}}\n"), as_of=DAY)
    assert {"notice": "unique-values-reason", "columns": ["bill"], "share": 0.5} in result.document["notices"]
    assert "reason why exact values of bill may single out up to 50 % of the records" in result.to_format(
        "text", "en", "internal"
    )
    reason = "unique_values: {share: 0.5, reason: x}\n"
    few = check(written(tmp_path, {"bill": amounts(5, 100)}, more=reason), as_of=DAY)
    assert "unique-values-reason" not in [one["notice"] for one in few.document["notices"]]


def test_missing_and_suppressed_cells_single_out_nobody(tmp_path):
    cells = [["", "*", "1", " ", "1"][row % 5] for row in range(100)]
    assert judged(written(tmp_path, {"bill": cells})).verdict == "pass"


@pytest.mark.parametrize("text", EXACT)
def test_what_is_exact(text):
    assert are_exact(pa.array([text], pa.large_string())).to_pylist() == [True]


@pytest.mark.parametrize("text", NOT_EXACT)
def test_words_are_not_exact(text):
    assert are_exact(pa.array([text], pa.large_string())).to_pylist() == [False]


def words(unique, records):
    """So many words of their own, without digits, and `flu` in all other records."""
    letters = "abcdefghijklmnop"
    own = [f"a{letters[row // 16 % 16]}{letters[row % 16]}{letters[row // 256]}" for row in range(unique)]
    return own + ["flu"] * (records - unique)


@pytest.mark.parametrize("role", ["sensitive_attributes", "insensitive_attributes"])
@pytest.mark.parametrize(
    ("unique", "records", "fails"), [(5, 8, False), (6, 24, False), (7, 24, True), (100, 400, False), (101, 400, True)]
)
def test_any_texts_may_single_out_a_quarter(tmp_path, role, unique, records, fails):
    rule = judged(written(tmp_path, {"condition": words(unique, records)}, role))
    assert (rule.verdict, rule.value) == (("fail", ("condition",)) if fails else ("pass", ()))
    if fails:
        (told,) = rule.details["columns"]
        assert (told["records"], told["share"]) == (unique, unique / records)


CODES = {
    "icd": [f"{letter}{number}.{row % 3}" for letter in "EFI" for number in (10, 11, 32) for row in range(44)],
    "blood_pressure": [f"{110 + row % 8 * 5}/{70 + row % 4 * 5}" for row in range(396)],
    "room": [f"{floor}{room:02}" for floor in range(1, 5) for room in range(9) for _ in range(11)],
    "product": [f"SKU-{1000 + row // 4}" for row in range(396)],
}


@pytest.mark.parametrize("kind", CODES)
def test_codes_that_records_share_are_no_alarm(tmp_path, kind):
    assert judged(written(tmp_path, {kind: CODES[kind]})).verdict == "pass"
    unique = [f"{cell[:-1]}{row}x" if row < 40 else cell for row, cell in enumerate(CODES[kind])]
    assert judged(written(tmp_path, {kind: unique})).verdict == "fail"


def test_codes_of_records_are_left_to_the_other_rules(tmp_path):
    path = written(tmp_path, {"code": [f"c{row}x" for row in range(100)]})
    result = check(path, as_of=DAY)
    assert judged(path).verdict == "pass"
    assert next(one for one in result.content.rules if one.name == "no-hidden-identifiers").value == ("code",)


def test_a_column_is_said_once(tmp_path):
    result = check(written(tmp_path, {"bill": amounts(100, 100)}), as_of=DAY)
    assert result.verdict == "fail"
    about_values = {"nearly-unique", "found-by-amount", "perhaps-known", "perhaps-sensitive"}
    assert not about_values & {one.notice for one in result.content.notices}
    steps = [one.step for one in result.content.next_steps if one.columns == ("bill",)]
    assert steps == ["rule-for-values", "protect"]


def test_quasi_identifiers_and_columns_of_people_are_not_looked_at(tmp_path):
    path = written(tmp_path, {"bill": amounts(100, 100)}, "quasi_identifiers_")
    path.write_text(
        path.read_text().replace("[sex]\n  quasi_identifiers_: [bill]", "[sex, bill]").replace("k: 2", "k: 1")
    )
    assert judged(path).verdict == "pass"
    path = written(tmp_path, {"bill": amounts(100, 100)})
    path.write_text(path.read_text().replace("  sensitive_attributes: [bill]\n", "privacy_unit: bill\n"))
    assert judged(path).verdict == "pass"


def test_a_latitude_and_a_longitude_count_as_one(tmp_path):
    """Neither has a value of its own, but each pair is a place of its own."""
    north = [f"{24 + row // 10 / 10:.1f}" for row in range(100)]
    east = [f"{120 + row % 10 / 10:.1f}" for row in range(100)]
    for engine in ("memory", "duckdb"):
        for role in ("sensitive_attributes", "insensitive_attributes"):
            rule = judged(written(tmp_path, {"home_lat": north, "home_lon": east}, role), engine=engine)
            assert (rule.verdict, rule.value) == ("fail", ("home_lat", "home_lon"))
            assert rule.details["columns"][0]["records"] == 100
    assert judged(written(tmp_path, {"q1": north, "q2": east})).verdict == "pass"
    hidden = ["*" if row % 2 else cell for row, cell in enumerate(north)]
    rule = judged(written(tmp_path, {"home_lat": hidden, "home_lon": east}))
    assert rule.details["columns"][0]["records"] == 50


def test_names_of_coordinates():
    names = ["lat", "lon", "workLatitude", "workLongitude", "緯度", "經度", "TWD97_X", "TWD97_Y", "flat", "salon"]
    pairs = {("lat", "lon"), ("workLatitude", "workLongitude"), ("緯度", "經度"), ("TWD97_Y", "TWD97_X")}
    assert set(coordinate_pairs(names)) == pairs


CELLS = st.lists(
    st.sampled_from(
        [*EXACT[:8], *EXACT[13:18], *EXACT[30:40], "x" * 31, *NOT_EXACT[:6], "", "*", " 1 ", "7", "8", "9"]
    ),
    min_size=1,
)


def literal(cells):
    """Records with a value of their own that is exact: cell by cell."""
    values = [cell.strip() for cell in cells if cell.strip() not in ("", "*")]
    counts = Counter(values)
    return sum(counts[value] == 1 and value not in NOT_EXACT for value in values)


@given(CELLS)
def test_it_is_what_the_definition_says(cells):
    release = Release({"sex": ["f"] * len(cells), "x": cells}, {"sex": QUASI_IDENTIFIER})
    assert release.profiles()["x"].exact == literal(cells)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_the_same(tmp_path, engine):
    random_ = random.Random(7)
    texts = [*EXACT, *NOT_EXACT, "", "*", *(str(number) for number in range(40))]
    cells = [random_.choice(texts) for _ in range(90)]
    pq.write_table(pa.table({"sex": ["f"] * 90, "x": cells}), tmp_path / "t.parquet")
    release = Release(tmp_path / "t.parquet", {"sex": QUASI_IDENTIFIER}, engine=engine)
    assert release.profiles()["x"].exact == literal(cells)
    release.engine.close()
