"""Hierarchies that are declared in a few words."""

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks import Hierarchy, Release, build_hierarchy, evaluate
from PETWorks.about.hierarchies.declaration import read_hierarchy
from PETWorks.about.hierarchies.intervals import between_quantiles
from PETWorks.errors import HierarchyError

AGES = ["17", "18", "31", "36.5", "47", "90", "103"]


def rows(hierarchy):
    return list(zip(*hierarchy.levels, strict=True))


def path(words, value, *others):
    return next(row for row in rows(build_hierarchy([value, *others], words)) if row[0] == value)


@pytest.mark.parametrize(
    ("words", "value", "labels"),
    [
        ({"width": [5, 10, 20]}, "36", ["[35, 40)", "[30, 40)", "[20, 40)"]),
        ({"width": "0.5"}, "-1.2", ["[-1.5, -1)"]),
        ({"width": [10], "start": 5}, "36", ["[35, 45)"]),
        ({"width": [10, 20], "bottom": 18, "top": 90}, "19", ["[18, 20)", "[18, 20)"]),
        ({"width": [10, 20], "bottom": "18", "top": "90"}, "90", [">= 90", ">= 90"]),
        ({"width": [10, 20], "bottom": 18}, "3", ["< 18", "< 18"]),
        ({"top": 90}, "89", ["89"]),
        ({"bottom": 18, "top": 90}, "95", [">= 90"]),
        ({"cuts": [18, 65]}, "18", ["[18, 65)"]),
        ({"cuts": [[18, 40, 65], [40]]}, "17.9", ["< 18", "< 40"]),
        ({"dates": ["month", "quarter", "year", "5-years", "decade"]}, "2024-03-01", "2024-03 2024-Q1 2024 2020-2024 2020-2029".split()),  # noqa: E501, SIM905 - as it is read
        ({"dates": ["day", "week"]}, "2024/3/1", ["2024-03-01", "2024-W09"]),
        ({"dates": "year"}, "01.03.2024", ["2024"]),
        ({"dates": "day"}, "20240301", ["2024-03-01"]),
        ({"dates": ["day", "month"], "day_first": True}, "03/04/2024", ["2024-04-03", "2024-04"]),
        ({"dates": "day", "day_first": "false"}, "3-4-2024 10:30", ["2024-03-04"]),
        ({"dates": "day", "day_first": "false"}, "03.04.2024", ["2024-03-04"]),
        ({"dates": "day", "day_first": "true"}, "2024-03-01", ["2024-03-01"]),
        ({"dates": "day"}, "2024-03-01T10:30:00", ["2024-03-01"]),
        ({"dates": "day"}, "民國113年3月1日", ["2024-03-01"]),
        ({"dates": "day"}, "113/03/01", ["2024-03-01"]),
        ({"dates": "day"}, "1130301", ["2024-03-01"]),
        ({"dates": "day", "calendar": "roc"}, "78/5/12", ["1989-05-12"]),
        ({"dates": "day", "calendar": "roc"}, "780512", ["1989-05-12"]),
        ({"uk_postcode": ["unit", "sector", "district", "area"]}, "ls1  2ab", ["LS1 2AB", "LS1 2", "LS1", "LS"]),
        ({"uk_postcode": ["sector", "district"]}, "LS102AB", ["LS10 2", "LS10"]),
        ({"uk_postcode": ["sector", "area"]}, "EC1A 1BB", ["EC1A 1", "EC"]),
        ({"uk_postcode": ["sector", "district", "area"]}, "LS12", ["LS12", "LS12", "LS"]),
        ({"uk_postcode": ["sector", "district"]}, "LS1 2", ["LS1 2", "LS1"]),
        ({"dates": ["5 years", "decade"]}, "2024", ["2020-2024", "2020-2029"]),
        ({"dates": ["quarter"]}, "2024-05", ["2024-Q2"]),
        ({"prefix": [3, 1]}, "10048", ["100*", "1*"]),
        ({"mask": [2, 3]}, "10048", ["100**", "10***"]),
        ({"icd10": ["category", "chapter"]}, "i21.4", ["I21", "I00-I99"]),
        ({"icd10": ["category", "chapter"]}, "D50", ["D50", "D50-D89"]),
        ({"order": ["a", "b", "c", "d", "e"], "sizes": [2, 4]}, "c", ["c..d", "a..d"]),
        ({"order": ["a", "b", "c", "d", "e"], "sizes": [2, 4]}, "e", ["e", "e"]),
        ({"groups": {"North": ["a", "b"], "South": "c"}}, "c", ["South"]),
        ({"groups": {"Asia": {"East": ["tw"], "West": ["tr"]}, "Europe": ["fr"]}}, "tw", ["East", "Asia"]),
        ({"groups": {"Asia": {"East": ["tw"], "West": ["tr"]}, "Europe": ["fr"]}}, "fr", ["Europe", "Europe"]),
        ({"rare": {"fewer_than": 2}}, "a", ["other"]),
        ({"rare": {"fewer_than": [1, 2], "label": "其他"}}, "a", ["a", "其他"]),
    ],
)  # fmt: skip
def test_each_kind(words, value, labels):
    assert path(words, value) == (value, *labels, "*")


def test_quantiles_have_about_the_same_number_of_records():
    hierarchy = build_hierarchy([str(age) for age in range(100)], {"quantiles": [4, 2]})
    assert [len(set(level)) for level in hierarchy.levels] == [100, 4, 2, 1]
    assert list(dict.fromkeys(hierarchy.levels[1])) == ["< 25", "[25, 50)", "[50, 75)", ">= 75"]
    assert build_hierarchy(["5"] * 9 + ["6"], {"quantiles": [4]}).levels[1] == ["*", "*"]


@given(
    st.dictionaries(st.sampled_from(["1", "1.0", "1e0", "2.5", "3", "-2"]), st.integers(1, 9)),
    st.integers(1, 4),
)
def test_a_part_begins_at_the_first_number_with_its_share_of_the_records_at_or_below(counts, times):
    """Equal numbers are one, however they are written; no part begins at the smallest, which none is below."""
    records = [Fraction(text) for text, number in counts.items() for _ in range(number)]
    for parts in (2, 2 * times):
        shares = [
            next(n for n in sorted(records) if Fraction(sum(other <= n for other in records), len(records)) > share)
            for share in (Fraction(part, parts) for part in range(1, parts))
            if records
        ]
        (level,) = between_quantiles([parts], counts).levels
        assert list(level.cuts) == sorted(set(shares) - set(sorted(records)[:1]))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({}, "expected one of the keys 'width'"),
        ({"widht": 5}, "did you mean 'width'"),
        ({"width": 5, "prefix": 3}, "'prefix' cannot be combined with 'width'"),
        ({"start": 5}, "expected one of the keys"),
        ({"width": [5, 12]}, "12 is not a multiple of 5, so that the levels would not nest"),
        ({"width": [10, 5]}, "not ascending"),
        ({"width": 0}, "above 0"),
        ({"width": "wide"}, "expected numbers"),
        ({"width": []}, "expected numbers"),
        ({"width": 5, "bottom": 9, "top": 9}, "not below top"),
        ({"width": 5, "top": [1, 2]}, "expected one number"),
        ({"cuts": [[18, 40], [30]]}, "would not nest"),
        ({"cuts": [40, 18]}, "ascending"),
        ({"quantiles": [10, 4]}, "10 is not a multiple of 4"),
        ({"quantiles": 1}, "from 2"),
        ({"dates": ["year", "month"]}, "shortest to the longest"),
        ({"dates": ["week", "month"]}, "would not nest"),
        ({"dates": "moth"}, "did you mean 'month'"),
        ({"dates": "day", "calendar": "lunar"}, "'gregorian', 'roc'"),
        ({"dates": "day", "day_first": "perhaps"}, "day_first: expected true or false"),
        ({"day_first": True}, "expected one of the keys"),
        ({"prefix": 3, "day_first": True}, "'day_first' cannot be combined with 'prefix'"),
        ({"prefix": [1, 3]}, "not descending"),
        ({"prefix": "0"}, "whole numbers from 1"),
        ({"icd10": "block"}, "'category', 'chapter'"),
        ({"uk_postcode": ["area", "district"]}, "expected some of 'unit', 'sector', 'district', 'area' in this order"),
        ({"order": ["a", "b"]}, "'sizes' is missing"),
        ({"order": ["a", "a"], "sizes": 2}, "listed twice"),
        ({"groups": ["a"]}, "expected a mapping"),
        ({"groups": {"x": ["a"], "y": ["a"]}}, "in two groups"),
        ({"groups": {"*": ["a"]}}, "called '\\*'"),
        ({"rare": 20}, "fewer_than"),
    ],
)
def test_what_cannot_be_declared(words, error):
    with pytest.raises(HierarchyError, match=error):
        build_hierarchy(["a"], words, name="hierarchy of 'age'")


def test_a_group_in_two_groups_does_not_nest():
    with pytest.raises(HierarchyError, match="a label of level 1 has two labels on level 2"):
        build_hierarchy(["a"], {"groups": {"A": {"rest": ["a"]}, "B": {"rest": ["b"]}}})


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ({"width": 5}, ["31", "secret", "1e999999", "9" * 2000]),
        ({"dates": "month"}, ["2024-03-01", "secret", "2024-13-01", "990301"]),
        ({"uk_postcode": "district"}, ["LS1 2AB", "secret", "LS1 2ABC", "LS"]),
        ({"dates": "month"}, ["2024-03-01", "31/12/2024", "03/04/2024", "03-04-24"]),
        ({"dates": "month", "day_first": True}, ["31/12/2024", "12/31/2024", "03/04/24", "secret"]),
        ({"icd10": "chapter"}, ["I21", "secret", "21I", "x"]),
        ({"groups": {"g": ["a"]}}, ["a", "secret", "x", "y"]),
    ],
)
def test_values_without_a_place_are_counted_and_not_shown(words, values):
    with pytest.raises(HierarchyError, match="the ages: 3 of 4 values have no place") as caught:
        build_hierarchy(values, words, name="the ages")
    assert "secret" not in str(caught.value)


def test_missing_and_suppressed_cells_need_no_place():
    assert build_hierarchy(["31", None, "", "*", float("nan")], {"width": 5}).leaves == ["31"]
    assert build_hierarchy([None, "*"], {"width": 5}).levels == [["*"], ["*"]]


def test_labels_depend_on_the_words_alone():
    few, many = (build_hierarchy(map(str, range(end)), {"width": [5, 50]}) for end in (30, 200))
    assert few.levels == [level[:30] for level in many.levels]


# What a released value stands for.

BEFORE = ["31", "36", "47", "52"]


def test_labels_of_a_release_are_not_leaves():
    hierarchy = build_hierarchy(BEFORE, {"width": [5, 10]}, released=["[30, 40)", "47", "*", None, "61"])
    assert hierarchy.leaves == [*BEFORE, "61"]
    assert [hierarchy.level(value) for value in ("[30, 40)", "47", "*")] == [2, 0, 3]
    day = build_hierarchy(["2024/3/1"], {"dates": ["day", "month"]}, released=["2024-03-01"])
    assert (day.leaves, day.level("2024-03-01")) == (["2024/3/1"], 1)


@pytest.mark.parametrize("words", [{"prefix": [3]}, {"mask": [2]}, {"rare": {"fewer_than": 1}}])
def test_a_text_that_the_original_does_not_have_is_no_value_of_its_own(words):
    """Otherwise a release that was generalised in another way would count as one that was not."""
    with pytest.raises(HierarchyError, match="1 of 3 values have no place; expected values of the original, or labels"):
        build_hierarchy(["10048", "10612"], words, released=["10048", "100-106"])


def test_a_release_alone_is_enough_where_the_values_of_a_label_are_known():
    hierarchy = build_hierarchy(["[30, 40)", ">= 90"], {"width": [10], "top": 90})
    assert hierarchy.leaves == [*map(str, range(30, 40)), "90"]
    months = build_hierarchy(["2024-02", "2020-2029"], {"dates": ["month", "decade"]})
    assert (len(months.leaves), months.level("2024-02"), months.level("2020-2029")) == (3653, 1, 2)
    assert build_hierarchy(["North"], {"groups": {"North": ["a"]}}).level("North") == 1


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ({"prefix": 3}, "100*"),
        ({"mask": 2}, "100**"),
        ({"icd10": "chapter"}, "I00-I99"),
        ({"width": "0.5"}, "[0, 0.5)"),
    ],
)
def test_otherwise_the_original_is_needed(words, label):
    with pytest.raises(HierarchyError, match=r"1 of 1 values are generalised already.*\(original=...\)"):
        build_hierarchy([label], words)


def test_labels_that_stand_for_too_many_values():
    labels = [f"[{place}00000, {place + 1}00000)" for place in range(1, 5000)]
    with pytest.raises(HierarchyError, match="of 4999 values are generalised already"):
        build_hierarchy(labels, {"width": 100_000})


# Whatever the values are.

NUMBERS = st.integers(-(10**6), 10**6).map(str) | st.decimals(-1000, 1000, places=2).map(str)
WORDS_AND_VALUES = [
    ({"width": [5, 10, 100]}, NUMBERS),
    ({"width": ["0.5", 2], "bottom": -3, "top": 50, "start": "0.25"}, NUMBERS),
    ({"cuts": [[-5, 0, 7.5, 900], [0, 900], [0]]}, NUMBERS),
    ({"quantiles": [12, 4, 2]}, NUMBERS),
    ({"dates": ["day", "month", "quarter", "year", "5-years", "decade"]}, st.dates().map(date.isoformat)),
    ({"dates": ["day", "week"]}, st.dates(date(1912, 1, 1), date(2900, 1, 1)).map(lambda day: f"{day.year - 1911:03}{day:%m%d}")),  # noqa: E501 - as it is read
    ({"prefix": [4, 2, 1]}, st.text(min_size=1, max_size=6)),
    ({"mask": [1, 3, 4]}, st.text(min_size=1, max_size=6).filter(lambda text: "*" not in text)),
    ({"rare": {"fewer_than": [2, 3, 9]}}, st.text(min_size=1, max_size=2)),
    ({"icd10": ["category", "chapter"]}, st.from_regex(r"\A[A-Z][0-9][0-9A-Z](\.[0-9]{1,2})?\Z")),
    ({"order": list("abcdefg"), "sizes": [2, 4, 8]}, st.sampled_from("abcdefg")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "values"), WORDS_AND_VALUES, ids=lambda one: next(iter(one), "") if isinstance(one, dict) else ""
)
@given(data=st.data())
def test_every_value_has_a_place_and_levels_nest(words, values, data, tmp_path_factory):
    cells = data.draw(st.lists(values.filter(lambda text: not any(sign in text for sign in "\0*")), max_size=30))
    hierarchy = build_hierarchy(cells, words)
    present = {cell.strip() for cell in cells} - {""}
    assert present <= set(hierarchy.leaves) or not present
    assert set(hierarchy.levels[-1]) == {"*"}
    for lower, upper in zip(hierarchy.levels, hierarchy.levels[1:], strict=False):
        assert len(set(zip(lower, upper, strict=True))) == len(set(lower))
    shuffled = data.draw(st.permutations(cells))
    assert build_hierarchy(shuffled, words).levels == hierarchy.levels
    released = [label for level in hierarchy.levels for label in level]
    assert build_hierarchy(cells, words, released=released).levels == hierarchy.levels
    file = tmp_path_factory.getbasetemp() / "hierarchy_a.csv"
    file.write_text(hierarchy.to_csv(), "utf-8", newline="")
    assert read_hierarchy(file).levels == hierarchy.levels


# In a release.


def test_a_release_takes_words_rows_and_files(tmp_path):
    (tmp_path / "hierarchy_sex.csv").write_text("f;*\nm;*\n")
    table = {"age": ["31", "36"], "zip": ["10048", "10612"], "sex": ["f", "m"]}
    import pandas as pd

    hierarchies = {
        "age": {"width": [5, 10]},
        "zip": [["10048", "*"], ["10612", "*"]],
        "sex": tmp_path / "hierarchy_sex.csv",
    }
    release = Release(pd.DataFrame(table), dict.fromkeys(table, "quasi_identifier"), hierarchies)
    assert {name: one.height for name, one in release.hierarchies.items()} == {"age": 3, "zip": 1, "sex": 1}
    assert isinstance(release.hierarchies["age"], Hierarchy)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_values_of_the_original_and_of_the_population_are_leaves(tmp_path, engine):
    (tmp_path / "original.csv").write_text("age\n31\n36\n47\n")
    (tmp_path / "released.csv").write_text("age\n[30, 40)\n[30, 40)\n*\n".replace("[30, 40)", '"[30, 40)"'))
    (tmp_path / "people.csv").write_text("age\n31\n36\n47\n52\n31\n")
    release = Release(
        tmp_path / "released.csv",
        {"age": "quasi_identifier"},
        {"age": {"width": [10, 20]}},
        tmp_path / "original.csv",
        population=tmp_path / "people.csv",
        engine=engine,
    )
    assert release.hierarchies["age"].leaves == ["31", "36", "47", "52"]
    assert evaluate(release, "precision")["precision"].value == pytest.approx(1 - (1 + 1 + 3) / 9)


def test_an_error_names_the_column_before_anything_is_measured(tmp_path):
    (tmp_path / "t.csv").write_text("age;zip\nsecret;1\n30;2\n")
    with pytest.raises(HierarchyError, match="hierarchy of 'age': 1 of 2 values have no place; expected numbers"):
        Release(tmp_path / "t.csv", {"age": "quasi_identifier"}, {"age": {"width": 5}})
