"""The hierarchy that is proposed for a column."""

from datetime import date, timedelta

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from PETWorks import build_hierarchy
from PETWorks.about.hierarchies.proposal import propose_hierarchy
from PETWorks.tables.yaml_files import in_yaml

BIRTHS = {"dates": ["month", "year", "5-years", "decade"]}
DAYS = [date(1940, 1, 1) + timedelta(days=150 * day) for day in range(200)]


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("age", [str(age) for age in range(17, 80)], {"width": [5, 10, 20]}),
        ("年齡", [str(age) for age in range(100)], {"width": [5, 10, 20], "top": 90}),
        ("children", [str(number) for number in range(9)], {"width": [2, 4, 8]}),
        ("income", [str(1000 * number) for number in range(100)], {"width": [5000, 10000, 20000]}),
        ("height", [f"1.{number}" for number in range(50, 99)], {"width": ["0.05", "0.1", "0.2"]}),
        ("sex", ["1", "2"], {"rare": {"fewer_than": 5}}),
        ("birthday", [day.isoformat() for day in DAYS], BIRTHS),
        ("birthday", [f"{day:%Y%m%d}" for day in DAYS], BIRTHS),
        ("生日", [f"{day.year - 1911:03}{day:%m%d}" for day in DAYS], BIRTHS),
        ("生日", [f"{day.year - 1911}/{day.month}/{day.day}" for day in DAYS], {**BIRTHS, "calendar": "roc"}),
        ("admitted", ["2024/03/01", "2025/11/30"], {"dates": ["month", "quarter", "year"]}),
        ("month", ["2024-01", "2024-02"], {"dates": ["quarter", "year"]}),
        ("zip", ["10048", "10612"], {"prefix": [3, 1]}),
        ("郵遞區號", ["100", "106"], {"prefix": [2, 1]}),
        ("zip", ["10", "11"], {"prefix": [1]}),
        ("phase", ["2-a", "3+b"], {"rare": {"fewer_than": 5}}),
        ("cause", ["I21.4", "J45"], {"icd10": ["category", "chapter"]}),
        ("city", ["Taipei", "Tainan", None, "*"], {"rare": {"fewer_than": 5}}),
        ("age", ["30", "31", "32", "33", "34", "35", "unknown"], {"rare": {"fewer_than": 5}}),
        ("left", [None], {"rare": {"fewer_than": 5}}),
        ("性別", ["1", "2"], {"rare": {"fewer_than": 5, "label": "其他"}}),
        ("city", ["臺北", "Tainan"], {"rare": {"fewer_than": 5, "label": "其他"}}),
    ],
)  # fmt: skip
def test_each_kind_of_column(column, values, words):
    assert propose_hierarchy(column, dict.fromkeys(values, 1))[0].words == words


def test_a_long_tail_of_numbers_is_coded_together():
    """A few long stays must not make the intervals of all others wide."""
    stays = {str(days): 100 for days in range(1, 31)}
    assert propose_hierarchy("days", stays)[0].words == {"width": [2, 10, 20]}
    tail = {**stays, "90": 3, "350": 1}
    assert propose_hierarchy("days", tail)[0].words == {"width": [2, 10, 20], "top": 40}
    assert propose_hierarchy("days", {**tail, "-1": 1, "0.5": 1})[0].words["top"] == 40
    mostly_none = {"0": 10_000, **{str(1000 * gain): 1 for gain in range(1, 20)}}
    assert "top" not in propose_hierarchy("gain", mostly_none)[0].words


@pytest.mark.parametrize("value", ["100**", "[30, 40)", "(30,40]", "30-39", "30 - 39", "20~29", ">= 90", "<18", "90+"])
def test_nothing_is_proposed_for_values_that_are_generalised(value):
    """They would count as values that were never generalised."""
    assert propose_hierarchy("age", {"31": 1, value: 1}) is None


CELLS = st.none() | st.text(max_size=4).map(str.strip) | st.integers().map(str) | st.dates().map(str)
MORE = st.decimals(allow_nan=False, allow_infinity=False).map(str) | st.from_regex(r"\A\d{2,8}\Z")


@given(
    st.sampled_from(["age", "zip", "city"]),
    st.dictionaries(CELLS.filter(lambda cell: cell != "") | MORE, st.integers(1, 99)),
)
def test_a_proposal_always_has_a_place_for_every_value_and_survives_a_policy(column, counts):
    proposed = propose_hierarchy(column, counts)
    assume(proposed is not None)
    proposal, hierarchy = proposed
    words = yaml.load(in_yaml(proposal.words), yaml.BaseLoader)
    assert build_hierarchy(counts, words).levels == hierarchy.levels
    assert not any(len(cell) > 5 and cell in in_yaml(proposal.words) for cell in counts if cell)
