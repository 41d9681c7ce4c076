"""The hierarchy that is proposed for a column."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from PETWorks import build_hierarchy
from PETWorks.about.hierarchies.dates import read_period
from PETWorks.about.hierarchies.declaration import refit_hierarchy
from PETWorks.about.hierarchies.intervals import LABELS, number_range
from PETWorks.about.hierarchies.proposal import propose_hierarchy
from PETWorks.about.hierarchies.texts import read_address
from PETWorks.errors import HierarchyError
from PETWorks.tables.yaml_files import in_yaml

BIRTHS = {"dates": ["month", "quarter", "half-year", "year", "5-years", "decade", "20-years"]}
ROC = {"calendar": "roc"}
DAYS = [date(1940, 1, 1) + timedelta(days=150 * day) for day in range(200)]


def without_labels(proposed):
    return {key: value for key, value in proposed[0].words.items() if key != "labels"}


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("age", [str(age) for age in range(17, 80)], {"width": [5, 10, 20], "cuts": [20, 60]}),
        ("年齡", [str(age) for age in range(100)], {"width": [1, 5, 10, 20], "cuts": [20, 60], "top": 90}),
        ("children", [str(number) for number in range(9)], {"width": [2, 4, 8]}),
        ("income", [str(1000 * number) for number in range(100)], {"width": [5000, 10000, 20000, 40000]}),
        ("height", [f"1.{number}" for number in range(50, 99)], {"width": ["0.05", "0.1", "0.2", "0.4"]}),
        ("sex", ["1", "2"], {"rare": {"fewer_than": 5}}),
        ("birthday", [day.isoformat() for day in DAYS], BIRTHS),
        ("birthday", [f"{day:%Y%m%d}" for day in DAYS], BIRTHS),
        ("生日", [f"{day.year - 1911:03}{day:%m%d}" for day in DAYS], BIRTHS | ROC),
        ("生日", [f"{day.year - 1911}/{day.month}/{day.day}" for day in DAYS], BIRTHS | ROC),
        ("birthday", [f"{day:%d/%m/%Y}" for day in DAYS], BIRTHS | {"day_first": "true"}),
        ("birthday", [f"{day:%m-%d-%Y}" for day in DAYS], BIRTHS | {"day_first": "false"}),
        ("born", ["03/04/1950", "12/12/1999"], {"rare": {"fewer_than": 5}}),
        ("born", ["03/14/1950", "13/12/1999"], {"rare": {"fewer_than": 5}}),
        ("born", ["31/12/50", "30/12/99"], {"rare": {"fewer_than": 5}}),
        ("admitted", ["2024/03/01", "2025/11/30"], {"dates": ["month", "quarter", "half-year", "year"]}),
        ("month", ["2024-01", "2024-02"], {"dates": ["quarter", "half-year", "year"]}),
        ("zip", ["10048", "10612"], {"prefix": [3, 1]}),
        ("郵遞區號", ["100", "106"], {"prefix": [2, 1]}),
        ("zip", ["10", "11"], {"prefix": [1]}),
        ("phase", ["2-a", "3+b"], {"rare": {"fewer_than": 5}}),
        ("cause", ["I21.4", "J45"], {"icd10": ["category", "chapter"]}),
        ("ICD10", ["I214", "J45"], {"icd10": ["category", "chapter"]}),
        ("GP Practice Code", ["B81307", "B82014"], {"rare": {"fewer_than": 5}}),
        ("city", ["Taipei", "Tainan", None, "*"], {"rare": {"fewer_than": 5}}),
        ("age", ["30", "31", "32", "33", "34", "35", "unknown"], {"rare": {"fewer_than": 5}}),
        ("city", ["Other", "a"], {"rare": {"fewer_than": 5, "label": "other values"}}),
        ("city", ["other", "other values"], {"rare": {"fewer_than": 5, "label": "all other values"}}),
        ("區", ["其他", "東"], {"rare": {"fewer_than": 5, "label": "其餘"}}),
        ("place", ["台北市大安區和平東路1號", "臺北市"], {"address": ["district", "county", "region"]}),
        ("縣市", ["台北市", "臺北市"], {"address": ["county", "region"]}),
        ("Postcode", ["LS1 2AB", "ls102ab", "ZZ99 3VZ"], {"uk_postcode": ["sector", "district", "area"]}),
        ("home", ["LS1 2AB", "ls102ab"], {"uk_postcode": ["sector", "district", "area"]}),
        ("postcode", ["LS1", "W1A"], {"uk_postcode": ["area"]}),
        ("stage", ["T1", "N2"], {"rare": {"fewer_than": 5}}),
        ("postcode", ["LS1 2AB", "n/k"], {"prefix": [2, 1]}),
        ("isco_08", ["2511", "5120"], {"prefix": [3, 2, 1]}),
        ("isced", ["0", "3", "5", "8"], {"cuts": [[3, 5]]}),
        ("left", [None], {"rare": {"fewer_than": 5}}),
        ("性別", ["1", "2"], {"rare": {"fewer_than": 5, "label": "其他"}}),
        ("city", ["臺北", "Tainan"], {"rare": {"fewer_than": 5, "label": "其他"}}),
    ],
)  # fmt: skip
def test_each_kind_of_column(column, values, words):
    assert without_labels(propose_hierarchy(column, dict.fromkeys(values, 1))) == words


def test_dates_of_unknown_order_say_what_to_declare():
    proposal, _ = propose_hierarchy("born", dict.fromkeys(["03/04/1950", "12/12/1999"], 1))
    assert "day_first: true" in proposal.reason
    assert "day_first" not in propose_hierarchy("born", dict.fromkeys(["Leeds", "York"], 1))[0].reason
    assert "the month comes first" in propose_hierarchy("born", {"03/14/1950": 1, "12/12/1999": 1})[0].reason


def test_skewed_numbers_get_intervals_with_equally_many_records():
    """A few long stays must not make the intervals of all others wide."""
    stays = {str(days): 100 for days in range(1, 31)}
    assert without_labels(propose_hierarchy("days", stays)) == {"width": [2, 4, 8, 16]}
    tail = {**stays, "90": 3, "350": 1}
    words, hierarchy = propose_hierarchy("days", tail)
    assert words.words == {"quantiles": [16, 8, 4, 2], "labels": "20–39"}
    assert [len(set(level)) for level in hierarchy.levels] == [32, 16, 8, 4, 2, 1]
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


@given(st.lists(st.integers(0, 10**6), min_size=6, unique=True), st.booleans())
def test_each_level_of_numbers_has_about_half_the_groups(numbers, in_tenths):
    values = [f"{number // 10}.{number % 10}" if in_tenths else str(number) for number in numbers]
    proposal, hierarchy = propose_hierarchy("amount", dict.fromkeys(values, 1))
    groups = [len(set(level)) for level in hierarchy.levels[1:]]
    if "width" in proposal.words and "top" not in proposal.words:
        widths = [float(width) for width in proposal.words["width"]]
        assert all(after == pytest.approx(2 * before) for before, after in pairwise(widths))
    assert all(after <= before for before, after in pairwise(groups))
    assert groups[0] <= 21


@pytest.mark.parametrize(
    ("address", "areas"),
    [
        ("100台北市中正區重慶南路一段122號", "臺北市中正區 臺北市 北部"),
        ("台灣省雲林縣台西鄉", "雲林縣臺西鄉 雲林縣 中部"),
        ("高雄市前鎮區", "高雄市前鎮區 高雄市 南部"),
        ("臺南市新市區", "臺南市新市區 臺南市 南部"),
        ("高雄市那瑪夏區", "高雄市那瑪夏區 高雄市 南部"),
        ("屏東縣屏東市", "屏東縣屏東市 屏東縣 南部"),
        ("新竹市", "新竹市 新竹市 北部"),
    ],
)
def test_areas_of_an_address(address, areas):
    assert tuple(read_address(address).values()) == tuple(areas.split())


def test_what_names_no_county_is_no_address():
    assert read_address("重慶南路一段122號") is None


def test_rare_values_do_not_mix_with_a_value_that_has_their_label():
    counts = {"other": 9, "a": 9, "b": 1, "c": 1}
    built = build_hierarchy(counts, {"rare": {"fewer_than": 5}})
    assert dict(zip(built.leaves, built.levels[1], strict=True)) == {
        "a": "a",
        "other": "other",
        "b": "other values",
        "c": "other values",
    }
    again, unplaced = refit_hierarchy("x", {"other", "a", "new"}, {"rare": {"fewer_than": 5}}, built)
    assert again.to_level(1)["new"] == "other values"
    assert not unplaced


@pytest.mark.parametrize("cuts", [[18, 60], [20, 100]])
def test_levels_of_cuts_above_widths_nest(cuts):
    with pytest.raises(HierarchyError, match="would not nest"):
        build_hierarchy(["1"], {"width": [5, 10], "cuts": cuts, "top": 90})


@pytest.mark.parametrize(
    ("column", "values", "encoding", "labels"),
    [
        ("age", range(20, 80), None, "20–39"),
        ("age", range(20, 80), "cp950", "20~39"),  # it has no ≥
        ("age", range(20, 80), "latin-1", "20~39"),
        ("height", [f"1.{number}" for number in range(50, 99)], "utf-8", "20–<40"),
        ("height", [f"1.{number}" for number in range(50, 99)], "ascii", "20~<40"),
        ("生日", ["113/03/01", "078/05/12"], "cp950", "民國113年"),
        ("生日", ["113/03/01", "078/05/12"], "latin-1", None),
    ],
)
def test_labels_are_what_people_write_and_the_encoding_can(column, values, encoding, labels):
    proposal, hierarchy = propose_hierarchy(column, dict.fromkeys(map(str, values), 1), encoding)
    assert proposal.words.get("labels") == labels
    hierarchy.to_csv().encode(encoding or "utf-8")


def paths(values, words, released=()):
    built = build_hierarchy(values, words, released)
    return {path[0]: path[1:-1] for path in zip(*built.levels, strict=True)}


AGES = {"width": [1, 5, 20], "cuts": [20, 60], "top": 90}


@pytest.mark.parametrize(
    ("labels", "one", "old"),
    [
        ("[20, 40)", ("[36, 37)", "[35, 40)", "[20, 40)", "[20, 60)"), (">= 90", ">= 90", ">= 90", ">= 60")),
        ("20–39", ("36", "35–39", "20–39", "20–59"), ("≥ 90", "≥ 90", "≥ 90", "≥ 60")),
        ("20~39", ("36", "35~39", "20~39", "20~59"), (">= 90", ">= 90", ">= 90", ">= 60")),
        ("20–<40", ("36–<37", "35–<40", "20–<40", "20–<60"), ("≥ 90", "≥ 90", "≥ 90", "≥ 60")),
    ],
)
def test_ways_to_write_intervals(labels, one, old):
    built = paths(["36", "93"], {**AGES, "labels": labels})
    assert (built["36"], built["93"]) == (one, old)
    assert paths(["36"], {**AGES, "labels": labels}, released=[one[2]])["36"] == one  # labels are recognised


@given(st.lists(st.integers(-50, 150), min_size=1), st.sampled_from(LABELS), st.integers(-50, 150))
def test_labels_say_the_same_in_every_way(values, style, other):
    """The ends of each label are those of the plain intervals, and later tables get the same ones."""
    texts = list(map(str, values))
    for words in ({"width": [2, 10]}, {"cuts": [[0, 18, 65], [18]]}, {"quantiles": [4, 2]}):
        plain, styled = (build_hierarchy(texts, {**words, "labels": known}) for known in ("[20, 40)", style))
        for level, labels in zip(plain.levels[1:-1], styled.levels[1:-1], strict=True):
            assert [ends(label, style) for label in labels] == [ends(label, "[20, 40)") for label in level]
        again, unplaced = refit_hierarchy("x", {str(other)}, {**words, "labels": style}, styled)
        same, _ = refit_hierarchy("x", {str(other)}, words, plain)
        assert not unplaced
        shown, expected = again.to_level(1)[str(other)], same.to_level(1)[str(other)]
        assert ends(shown, style) == ends(expected, "[20, 40)")


def ends(label, style):
    known = number_range(label)
    if known is None:
        return label
    return known.low, known.high + 1 if "39" in style and known.high is not None and known.includes_high else known.high


def test_labels_of_whole_numbers_are_for_whole_numbers():
    """39.5 is not in 20–39, and 20.5 is not 20; open ends, and cuts with decimals, are right for every number."""
    for words in ({"width": [20]}, {"width": [1]}, {"cuts": [20, 40]}):
        with pytest.raises(HierarchyError, match="1 of 3 values have no place; expected whole numbers"):
            build_hierarchy(["21", "39.5", "39.0"], {**words, "labels": "20–39"})
        build_hierarchy(["21", "39.5", "39.0"], {**words, "labels": "20–<40"})
    built = paths(["21", "39.25", "90.5"], {"cuts": [20.5, 39.5], "labels": "20–39"})
    assert (built["39.25"], built["90.5"]) == (("20.5–<39.5",), ("≥ 39.5",))


def test_years_of_taiwan():
    words = {"dates": ["month", "quarter", "half-year", "year", "decade"], "calendar": "roc", "labels": "民國113年"}
    built = paths(["113/03/01", "78/7/12", "1905-01-01"], words)
    assert built["113/03/01"] == ("民國113年3月", "民國113年第1季", "民國113年上半年", "民國113年", "民國110–119年")
    assert built["78/7/12"] == ("民國78年7月", "民國78年第3季", "民國78年下半年", "民國78年", "民國70–79年")
    assert built["1905-01-01"] == ("1905年1月", "1905年第1季", "1905年上半年", "1905年", "1900–1909年")
    assert read_period("民國113年上半年") == (date(2024, 1, 1), date(2024, 6, 30))
    assert read_period("民國110–119年") == (date(2021, 1, 1), date(2030, 12, 31))
    assert read_period("民國1–9年") == (date(1912, 1, 1), date(1920, 12, 31))
    assert read_period("1910–1911年") == (date(1910, 1, 1), date(1911, 12, 31))
    again = build_hierarchy(
        ["民國113年第1季"], {"dates": ["quarter", "year"], "calendar": "roc", "labels": "民國113年"}
    )
    assert len(again.leaves) == 91


@pytest.mark.parametrize(
    "words",
    [{"width": [5], "labels": "20-39"}, {"dates": ["year"], "labels": "民國113年"}, {"prefix": [1], "labels": "20–39"}],
)
def test_labels_that_cannot_be_written(words):
    with pytest.raises(HierarchyError, match="labels"):
        build_hierarchy(["1"], words)


@pytest.mark.parametrize(
    ("counts", "fewer_than", "merged"),
    [
        ({"a": 500, "b": 300, "c": 190, "d": 9}, 191, {"c", "d"}),  # d alone would only get another name
        ({"a": 500, "b": 480, "c": 5, "d": 9}, 10, {"c", "d"}),
        ({"a": 500, "b": 500}, 10, set()),
    ],
)
def test_one_rare_value_is_merged_with_the_next(counts, fewer_than, merged):
    proposal, hierarchy = propose_hierarchy("city", counts)
    assert proposal.words == {"rare": {"fewer_than": fewer_than}}
    assert {value for value, label in hierarchy.to_level(1).items() if label == "other"} == merged


@pytest.mark.parametrize(
    ("ages", "reason"),
    [
        (range(17, 50), "ages: intervals of 5, 10, 20 years, then cut at 20"),
        (range(17, 80), "ages: intervals of 5, 10, 20 years, then cut at 20, 60"),
        ([18.5, *range(20, 50)], "ages: intervals of 1, 5, 10, 20 years, then cut at 20"),
        (range(100), "ages: intervals of 1, 5, 10, 20 years, then cut at 20, 60; few people reach 90"),
    ],
)
def test_the_reason_for_ages_names_the_levels_that_are_proposed(ages, reason):
    found, hierarchy = propose_hierarchy("age", {str(age): 1 for age in ages})
    assert found.reason == reason
    assert hierarchy.height == len(found.words["width"]) + 2
