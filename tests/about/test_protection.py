"""Protection of amounts, dates and times: against decimal arithmetic, cell by cell, on every kind of table."""

from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks import PETWorksError, Release, anonymize, apply_plan
from PETWorks.about.protection import PERIODS, protection_of
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.protected_source import changes_in, protect_source
from PETWorks.errors import ParameterError
from PETWorks.tables.opening import open_source

STEPS = ["0.001", "0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10", "1000"]
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9)


@given(NUMBERS, st.sampled_from(STEPS))
def test_rounding_is_that_of_decimals(number, step):
    with localcontext() as context:
        context.prec = 60
        times = (number / Decimal(step)).quantize(Decimal(1), ROUND_HALF_EVEN)
        wanted = times * Decimal(step)
    found = protection_of("x", {"round": step}).value(str(number))
    assert Decimal(found) == wanted
    assert "e" not in found.lower()
    assert not found.startswith("-0") or Decimal(found) != 0
    assert len(found.partition(".")[2]) == len(step.partition(".")[2])


@given(NUMBERS, st.sampled_from(STEPS), st.integers(-50, 0), st.integers(1, 50))
def test_protecting_twice_changes_nothing_more(number, step, bottom, top):
    for words in (
        {"round": step},
        {"round": step, "top": top, "bottom": bottom},
        {"intervals": [bottom, top]},
        {"intervals": step},
    ):
        one = protection_of("x", words)
        once = one.value(str(number))
        assert one.value(once) == once
        assert one.position(once) is not None


@pytest.mark.parametrize(
    ("words", "text", "wanted"),
    [
        ({"round": 1000}, "500", "0"),
        ({"round": 1000}, "1500", "2000"),
        ({"round": 1000}, "2500", "2000"),
        ({"round": 1000}, "-1", "0"),
        ({"round": 1000}, "1.5e3", "2000"),
        ({"round": 1000}, "NT$1,234,567", "NT$1235000"),
        ({"top": 9000}, "7,891.50", "7891.50"),
        ({"round": 10}, "37 kg", "40 kg"),
        ({"round": "0.1"}, "25.0339", "25.0"),
        ({"round": 0.25}, "1.3", "1.25"),
        ({"top": 250}, "250", "≥ 250"),
        ({"top": 250}, "249.99", "249.99"),
        ({"bottom": 10}, "10", "≤ 10"),
        ({"bottom": 10}, "10.01", "10.01"),
        ({"round": 100, "top": 250}, "249", "200"),
        ({"round": 100, "top": 250}, "250", "≥ 250"),
        ({"round": 100, "top": 300}, "270", "≥ 300"),
        ({"intervals": [0, 1000]}, "-1", "< 0"),
        ({"intervals": [0, 1000]}, "0", "[0, 1000)"),
        ({"intervals": [0, 1000]}, "1000", ">= 1000"),
        ({"intervals": 500}, "999", "[500, 1000)"),
        ({"dates": "hour"}, "2024-03-01T14:59:59", "2024-03-01 14:00"),
        ({"dates": "hour"}, "14:59", "14:00"),
        ({"dates": "hour", "day_first": True}, "03/04/2024 14:59", "2024-04-03 14:00"),
        ({"dates": "month", "day_first": "false"}, "03/04/2024", "2024-03"),
        ({"dates": "hour"}, "12:10 AM", "00:00"),
        ({"dates": "day"}, "2024-03-01 14:59", "2024-03-01"),
        ({"dates": "week"}, "2024-03-01", "2024-W09"),
        ({"dates": "month"}, "113/03/01", "2024-03"),
        ({"dates": "quarter"}, "2024-03-01", "2024-Q1"),
        ({"dates": "year"}, "2024-03-01", "2024"),
        ({"dates": "month"}, "2024", "2024"),
        ({"dates": "year", "calendar": "roc"}, "99/03/01", "2010"),
        ({"round": 10}, "many", None),
        ({"round": 10}, "≥ 50", None),
        ({"dates": "month"}, "14:30", None),
        ({"dates": "month"}, "11/19/1990", None),
        ({"dates": "hour"}, "2024-03-01", None),
        ({"dates": "hour"}, "25:00", None),
    ],
)
def test_values(words, text, wanted):
    one = protection_of("x", words)
    assert one.value(text) == wanted
    assert wanted is None or one.value(wanted) == wanted


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.sampled_from(PERIODS[1:]))
def test_a_day_is_in_its_period(day, period):
    one = protection_of("x", {"dates": period})
    label = one.value(day.isoformat())
    assert one.value(label) == label
    assert abs(one.position(label) - day.toordinal()) <= 10 * 366
    neighbours = [day + timedelta(days=days) for days in (-1, 1) if (day + timedelta(days=days)).year == day.year]
    if period in ("year", "5-years", "decade"):
        assert {one.value(other.isoformat()) for other in neighbours} <= {label}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"round": 0}, "round: expected a number above 0"),
        ({"round": "many"}, "round: expected numbers"),
        ({"rond": 1}, "did you mean 'round'"),
        ({}, "expected a mapping"),
        (1000, "expected a mapping"),
        ({"dates": "moon"}, "no period is called 'moon'"),
        ({"dates": "month", "top": 1}, "'dates' and 'top' exclude each other"),
        ({"round": 1, "intervals": 2}, "'round' and 'intervals' exclude each other"),
        ({"top": 1, "bottom": 2}, "bottom: 2 is not below top"),
        ({"calendar": "roc"}, "'calendar' is for dates"),
        ({"round": 1, "day_first": "true"}, "'day_first' is for dates"),
        ({"intervals": [3, 1]}, "expected ascending numbers"),
    ],
)
def test_mistakes(words, problem):
    with pytest.raises(ParameterError, match=problem):
        protection_of("x", words)


TABLE = {
    "sex": ["f", "m"] * 10,
    "fee": [100 + 7 * row for row in range(20)],
    "paid": [1.25 * row for row in range(20)],
    "day": [f"2024-{1 + row % 12:02}-{1 + row:02}" for row in range(20)],
    "left": [None, "*", *(str(row) for row in range(18))],
}
ROLES = {"sex": QUASI_IDENTIFIER, "fee": SENSITIVE_ATTRIBUTE, "paid": INSENSITIVE_ATTRIBUTE}
ROLES |= {"day": INSENSITIVE_ATTRIBUTE, "left": INSENSITIVE_ATTRIBUTE}
PROTECT = {
    "fee": {"round": 50},
    "paid": {"round": 10, "top": 20},
    "day": {"dates": "quarter"},
    "left": {"intervals": [5, 10]},
}
RULES = {"k-anonymity": {"k": 2}}
LEVELS = {"sex": [["f", "*"], ["m", "*"]]}


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_a_release_is_protected_cell_by_cell(tmp_path, engine, form):
    data = pa.table(TABLE)
    if form == "csv":
        from pyarrow import csv

        csv.write_csv(data, tmp_path / "t.csv")
        data = tmp_path / "t.csv"
    elif form == "parquet":
        pq.write_table(data, tmp_path / "t.parquet", row_group_size=7)
        data = tmp_path / "t.parquet"
    result = anonymize(Release(data, ROLES, LEVELS, protect=PROTECT, engine=engine), RULES)
    rows = sorted(tuple("" if cell is None else str(cell) for cell in row.values()) for row in result.table.to_pylist())
    protections = {name: protection_of(name, words) for name, words in PROTECT.items()}

    def cell(name, value):
        if value in (None, "*") or name == "sex":
            return value or ""
        return protections[name].value(str(value))

    assert rows == sorted(tuple(cell(*one) for one in row.items()) for row in pa.table(TABLE).to_pylist())
    if form != "csv":
        assert result.table.schema.field("fee").type == pa.int64()
        assert not pa.types.is_floating(result.table.schema.field("paid").type)
    plan = result.plan
    assert plan["protect"]["fee"] == {"round": "50"}
    again = apply_plan(data, plan, LEVELS)
    assert sorted(map(str, again.table.to_pylist())) == sorted(map(str, result.table.to_pylist()))


def test_what_is_lost():
    """The share of the variance that is kept, with exact sums."""
    cells = ["1", "2", "3", "4", "11", "12", "50"]
    change = changes_in(protect_source(open_source({"x": cells}, "t"), {"x": {"round": 10}}))["x"]
    after = [0, 0, 0, 0, 10, 10, 50]
    mean = sum(map(int, cells)) / 7
    error = sum((int(one) - other) ** 2 for one, other in zip(cells, after, strict=True))
    spread = sum((int(one) - mean) ** 2 for one in cells)
    assert change.variance_kept == pytest.approx(1 - error / spread)
    assert (change.present, change.changed, change.wrong) == (7, 6, 0)
    days = {"x": ["2024-01-01", "2024-01-31", "2024-12-31"]}
    kept = changes_in(protect_source(open_source(days, "t"), {"x": {"dates": "month"}}))["x"].variance_kept
    assert 0.99 < kept < 1
    same = changes_in(protect_source(open_source({"x": ["5", "5"]}, "t"), {"x": {"round": 1}}))["x"]
    assert same.variance_kept is None


def test_what_cannot_be_protected_is_counted_and_not_shown():
    cells = ["1", "secret", "secret", None, "*"]
    with pytest.raises(PETWorksError) as error:
        protect_source(open_source({"cost": cells}, "t"), {"cost": {"round": 10}})
    assert "column 'cost' cannot be protected: 2 of its 3 values are not numbers" in str(error.value)
    assert "secret" not in str(error.value)
    with pytest.raises(ParameterError, match="there is no column 'bill'"):
        protect_source(open_source({"cost": cells}, "t"), {"bill": {"round": 10}})
    for protect, problem in (({"sex": {"round": 1}}, "is a quasi-identifier"),):
        numbers = {**TABLE, "sex": ["1", "2"] * 10}
        with pytest.raises(ParameterError, match=problem):
            Release(numbers, ROLES, {"sex": [["1", "*"], ["2", "*"]]}, protect=protect)


def test_rounded_numbers_that_their_type_cannot_hold_are_not_shown():
    import pyarrow as pa

    source = protect_source(open_source(pa.table({"cost": pa.array([2**63 - 1, 5])}), "t"), {"cost": {"round": 1000}})
    with pytest.raises(PETWorksError, match="too large for its type int64") as error:
        list(source.read(("cost",)))
    assert "92233720368547" not in str(error.value)


def test_spark_says_that_it_cannot(monkeypatch):
    source = open_source(TABLE, "t")
    monkeypatch.setattr(source, "engine", "spark")
    with pytest.raises(ParameterError, match="protect is not possible with the engine 'spark'"):
        protect_source(source, PROTECT)
