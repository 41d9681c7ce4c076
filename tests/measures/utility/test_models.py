"""Regressions on the original and on the release, compared with statsmodels and with their literal definition."""

import math
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conftest import examples
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.counting.codes import Column
from PETWorks.errors import PETWorksError
from PETWorks.measures.utility import models as models_module
from PETWorks.measures.utility.models import (
    Model,
    ModelResult,
    area_under_curve,
    check_models,
    compare_models,
    number_of,
    parse_models,
    positions,
)
from PETWorks.tables.arrays import strings

PLACES = Hierarchy(
    [[leaf, group, "*"] for leaf, group in (("a", "a-b"), ("b", "a-b"), ("c", "c-d"), ("d", "c-d"))], "places"
)


def column(values):
    values = [None if value is None else str(value) for value in values]
    labels = list(dict.fromkeys(values))
    return Column(strings(labels), np.array([labels.index(value) for value in values], np.uint32))


def people(records=400, seed=1):
    """A table in which age, sex and place explain a wage and who is a member."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(18, 90, records), rng.choice(["f", "m"], records)
    place = rng.choice(list("abcd"), records, p=[0.4, 0.3, 0.2, 0.1])
    wage = np.round(10 + 0.3 * age + 5 * (sex == "m") + 8 * (place == "c") + rng.normal(0, 8, records)).clip(0)
    chance = 1 / (1 + np.exp(-(0.05 * (age - 50) + (sex == "m"))))
    member = np.where(rng.random(records) < chance, "yes", "no")
    return {"age": age, "sex": sex, "place": place, "wage": wage.astype(int), "member": member}


def columns(table):
    return {name: column(values) for name, values in table.items()}


def coefficients(result, which):
    return [getattr(coefficient, which) for coefficient in result.coefficients]


@pytest.mark.parametrize("outcome", ["wage", "member"])
def test_the_original_s_coefficients_are_those_of_statsmodels(outcome):
    api = pytest.importorskip("statsmodels.api")
    table = people()
    result = compare_models([Model(outcome, ("age", "sex", "place"))], columns(table), columns(table), {})[0]
    reference = max("fm", key=list(table["sex"]).count)
    assert [(one.column, one.category) for one in result.coefficients] == [
        *((None, None), ("age", None), ("sex", "m" if reference == "f" else "f")),
        *(("place", place) for place in "bcd"),
    ]
    design = np.column_stack(
        [np.ones(400), table["age"], table["sex"] != reference, *(table["place"] == place for place in "bcd")]
    ).astype(float)
    if outcome == "wage":
        theirs = api.OLS(table["wage"], design).fit()
        assert result.before == pytest.approx(theirs.rsquared, rel=1e-5)
    else:
        theirs = api.Logit((table["member"] == "yes").astype(int), design).fit(disp=0)
    assert coefficients(result, "before") == pytest.approx(list(theirs.params), rel=1e-4)
    assert coefficients(result, "error") == pytest.approx(list(theirs.bse), rel=1e-4)
    assert coefficients(result, "after") == coefficients(result, "before")
    assert result.after == result.before
    assert set(coefficients(result, "shift")) == {0.0}


def explained(outcome, predicted):
    return 1 - ((outcome - predicted) ** 2).sum() / ((outcome - outcome.mean()) ** 2).sum()


@pytest.mark.parametrize("log", [False, True])
def test_a_model_of_coarser_values_is_applied_to_the_exact_ones(log):
    table = people(seed=2)
    released = {**table, "age": [f"[{age // 20 * 20}, {age // 20 * 20 + 20})" for age in table["age"]]}
    released["place"] = ["a-b" if place in "ab" else "c-d" for place in table["place"]]
    result = compare_models(
        [Model("wage", ("age", "place"), log=log)], columns(table), columns(released), {"place": PLACES}
    )[0]
    wage = np.log1p(table["wage"]) if log else table["wage"]
    group = np.array(released["place"]) == "c-d"
    fitted = np.linalg.lstsq(np.column_stack([np.ones(400), table["age"] // 20 * 20 + 10, group]), wage, rcond=None)[0]
    predicted = np.column_stack([np.ones(400), table["age"], np.isin(table["place"], ["c", "d"])]) @ fitted
    assert result.after == pytest.approx(explained(wage, predicted), rel=1e-5)
    after = {(one.column, one.category): one.after for one in result.coefficients}
    assert after["age", None] == pytest.approx(fitted[1], rel=1e-5)
    for one in result.coefficients:
        assert one.shift == pytest.approx((one.after - one.before) / one.error, rel=1e-3, abs=1e-5)
    assert after["place", "b"] == 0  # in the same group as a, the most frequent one
    assert after["place", "c"] == after["place", "d"] == pytest.approx(fitted[2], rel=1e-5)


def test_a_value_on_several_levels_has_the_mean_of_its_labels_effects():
    """Each label counts by how many of its records are expected to have the value: records / members."""
    table = people(seed=3)
    rng = np.random.default_rng(3)
    coarse = rng.random(400)
    group = {"a": "a-b", "b": "a-b", "c": "c-d", "d": "c-d"}
    labels = np.array(
        [
            "*" if draw < 0.1 else group[place] if draw < 0.5 else place
            for draw, place in zip(coarse, table["place"], strict=True)
        ]
    )
    result = compare_models(
        [Model("wage", ("place",))], columns(table), columns({**table, "place": labels}), {"place": PLACES}
    )[0]
    mean = {label: table["wage"][labels == label].mean() for label in set(labels)}
    number = {label: (labels == label).sum() for label in set(labels)}
    effect = {
        place: (mean[place] * number[place] + mean[up] * number[up] / 2) / (number[place] + number[up] / 2)
        for place, up in group.items()
    }
    predicted = np.array([effect[place] for place in table["place"]])
    assert result.after == pytest.approx(explained(table["wage"], predicted), rel=1e-5)


def test_unknown_cells_are_a_level_of_their_own():
    table = people(seed=4)
    draws = np.random.default_rng(4).random(400)
    ages = [None if draw < 0.2 else "*" if draw < 0.3 else age for draw, age in zip(draws, table["age"], strict=True)]
    known = draws >= 0.3
    result = compare_models([Model("wage", ("age",))], columns(table), columns({**table, "age": ages}), {})[0]
    slope, intercept = np.polyfit(table["age"][known], table["wage"][known], 1)
    assert coefficients(result, "after") == pytest.approx([intercept, slope], rel=1e-4)
    assert result.after == pytest.approx(explained(table["wage"], intercept + slope * table["age"]), rel=1e-4)
    assert result.records_after == 400


def test_unknown_outcomes_leave_the_model_and_are_counted():
    table = people(seed=5)
    wages = ["*" if place == "d" else wage for place, wage in zip(table["place"], table["wage"], strict=True)]
    result = compare_models([Model("wage", ("age",))], columns(table), columns({**table, "wage": wages}), {})[0]
    assert (result.records_before, result.records_after) == (400, 400 - wages.count("*"))
    result = compare_models([Model("wage", ("age",))], columns(table), columns({**table, "wage": ["*"] * 400}), {})[0]
    assert (result.after, result.records_after, result.kept) == (None, 0, 0.0)


@pytest.mark.parametrize("lost", [["*"] * 400, ["[0, 100)"] * 400, None])
def test_a_column_that_is_lost_explains_nothing(lost):
    table = people(seed=6)
    released = {**table, "age": lost}
    if lost is None:
        del released["age"]
    result = compare_models([Model("wage", ("age", "sex"))], columns(table), columns(released), {})[0]
    only_sex = compare_models([Model("wage", ("sex",))], columns(table), columns(table), {})[0]
    assert result.lost == ("age",)
    assert result.after == pytest.approx(only_sex.before, rel=1e-5)
    assert coefficients(result, "after")[1] is None


def test_codes_are_categories_if_the_model_says_so():
    table = people(seed=7)
    table["code"] = ["abcd".index(place) for place in table["place"]]
    given = columns(table)
    as_code, as_place, as_number = (
        compare_models([model], given, given, {})[0].before
        for model in (
            Model("wage", ("code",), categories=("code",)),
            Model("wage", ("place",)),
            Model("wage", ("code",)),
        )
    )
    assert as_code == as_place > as_number


def test_dates_and_amounts_count_as_numbers_however_they_are_written():
    """Days with the day first, with a time, as medians and as periods; amounts with a currency and thousands."""
    rng = np.random.default_rng(5)
    born = [date(1930, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 30_000, 300)]
    cost = [round(9000 - day.toordinal() / 100 + rng.normal(0, 300), 2) for day in born]
    years = [f"{day.year // 20 * 20}-{day.year // 20 * 20 + 19}" for day in born]
    middles = [date(day.year // 20 * 20 + 9, 12, 31) for day in born]
    models, plain = [Model("cost", ("born",))], columns({"born": born, "cost": cost})
    written = columns({"born": [f"{day:%d/%m/%Y} 09:30" for day in born], "cost": [f"£{each:,.2f}" for each in cost]})
    check_models(models, written)
    for released in ([f"{day:%d/%m/%Y}" for day in born], years):
        of_days = born if released is not years else middles
        wanted = compare_models(models, plain, columns({"born": of_days, "cost": cost}), {})
        release = columns({"born": released, "cost": [f"£{each:.2f}" for each in cost]})
        assert compare_models(models, written, release, {}) == wanted
    assert compare_models(models, plain, columns({"born": years, "cost": cost}), {}) == wanted


def test_years_and_codes_of_courses_are_no_dates_or_amounts():
    years = columns({"year": ["1990", "1991", "1993"] * 5, "cost": range(15)})
    after = columns({"year": ["1990-1994"] * 15, "cost": range(15)})
    assert compare_models([Model("cost", ("year",))], years, after, {})[0].lost == ("year",)
    courses = columns({"cost": range(15), "course": [f"BIO {number}" for number in (101, 102, 103)] * 5})
    result = compare_models([Model("cost", ("course",))], courses, courses, {})[0]
    assert [each.category for each in result.coefficients] == [None, "BIO 102", "BIO 103"]


def test_separated_outcomes_are_found():
    ages = list(range(20, 60))
    table = columns({"age": ages, "old": ["yes" if age > 40 else "no" for age in ages]})
    result = compare_models([Model("old", ("age",))], table, table, {})[0]
    assert (result.separated, result.before) == (True, 1.0)
    assert set(coefficients(result, "error")) == {None}


def test_columns_that_follow_from_others_have_no_coefficient():
    table = people(seed=8)
    table["months"] = 12 * table["age"]
    result = compare_models([Model("wage", ("age", "months", "sex"))], columns(table), columns(table), {})[0]
    assert coefficients(result, "before")[1:3] == [None, None]
    alone = compare_models([Model("wage", ("age", "sex"))], columns(table), columns(table), {})[0]
    assert result.before == alone.before
    assert coefficients(result, "error")[-1] == coefficients(alone, "error")[-1] > 0, "as many degrees of freedom"


def test_a_model_with_as_many_coefficients_as_records_has_no_errors():
    table = columns({"age": [20, 30, 50], "school": [6, 6, 9], "wage": [1, 3, 4]})
    for on, known in (("age", "school"), False), (("age",), True):
        result = compare_models([Model("wage", on)], table, table, {})[0]
        assert [error is not None for error in coefficients(result, "error")] == [known] * (1 + len(on))
        assert coefficients(result, "shift") == [0.0 if known else None] * (1 + len(on))


def test_blocks_of_rows_are_fitted_together(monkeypatch):
    models, table = [Model("wage", ("age", "sex", "place")), Model("member", ("age",))], columns(people(50, 13))
    whole = compare_models(models, table, table, {})
    monkeypatch.setattr(models_module, "BLOCK", 7)
    for one, other in zip(whole, compare_models(models, table, table, {}), strict=True):
        assert coefficients(one, "before") == pytest.approx(coefficients(other, "before"), rel=1e-4)


def test_means_of_an_outcome_of_two_values_lie_between_them():
    """A released outcome beyond them is unknown."""
    ages = list(range(20, 60))
    table = {"age": ages, "ill": [int(age % 7 > age // 20) for age in ages]}
    means = [0.5, 1.5, -0.25, *table["ill"][3:]]
    result = compare_models([Model("ill", ("age",))], columns(table), columns({**table, "ill": means}), {})[0]
    assert (result.records_before, result.records_after) == (40, 38)


@pytest.mark.parametrize(
    ("score", "before", "after", "kept"),
    [
        ("R2", 0.4, 0.1, 0.25),
        ("R2", 0.4, 0.5, 1),
        ("R2", 0.4, -0.3, 0),
        ("AUC", 0.9, 0.6, 0.25),
        ("AUC", 0.9, 0.4, 0),
        ("AUC", 0.5, 0.6, 0),
        ("R2", 0.4, None, 0),
    ],
)
def test_the_share_of_the_explanation_that_is_left(score, before, after, kept):
    values = {"outcome": "wage", "on": ("age",), "kind": "linear", "records_before": 9, "records_after": 9}
    result = ModelResult(**values, score=score, before=before, after=after)
    assert result.kept == pytest.approx(kept)


@examples(25)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(1, 3)), min_size=2, max_size=12))
def test_the_area_under_the_curve_counts_pairs(rows):
    scores, outcome, weights = (np.array(part, float) for part in zip(*rows, strict=True))
    pairs = [
        (weight * other_weight, (score > other) + (score == other) / 2)
        for score, is_one, weight in rows
        for other, other_is_one, other_weight in rows
        if is_one and not other_is_one
    ]
    assume(pairs)
    expected = sum(weight * won for weight, won in pairs) / sum(weight for weight, _ in pairs)
    assert area_under_curve(scores, outcome, weights) == pytest.approx(expected)


@examples(15)
@given(st.integers(0, 1000), st.integers(1, 3))
def test_neither_order_nor_equal_copies_of_all_records_matter(seed, copies):
    table = people(60, seed)
    released = {**table, "age": table["age"] // 10 * 10}
    order = np.random.default_rng(seed).permutation(60 * copies)

    def repeated(some):
        return columns({name: np.repeat(values, copies)[order] for name, values in some.items()})

    models = [Model("wage", ("age", "sex", "place")), Model("member", ("age",))]
    for once, often in zip(
        compare_models(models, columns(table), columns(released), {}),
        compare_models(models, repeated(table), repeated(released), {}),
        strict=True,
    ):
        assert often.before == pytest.approx(once.before, rel=1e-4)
        assert often.after == pytest.approx(once.after, rel=1e-4, abs=1e-6)


def test_positions():
    given = ["[20, 40)", "[40, 60)", ">= 60", "< 20", "37", "*", None, "young", "old"]
    ages = Hierarchy([["10", "young", "*"], ["20", "young", "*"], ["70", "old", "*"]], "ages")
    assert positions(given, ages) == pytest.approx([30, 50, 70, 10, 37, math.nan, math.nan, 15, 70], nan_ok=True)
    assert positions(["≥ 40", "20–39"]) == pytest.approx([49.5, 29.5])
    assert positions([">= 90"]) == [90]
    assert number_of("2024-01-02") == number_of("2024-01-01") + 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("wage", "expected a list of models, got str"),
        ([{"outcome": "wage"}], "an outcome and the columns that explain it"),
        ([{"outcome": "wage", "on": []}], "1 to 50 columns, got 0"),
        ([{"outcome": "wage", "on": ["wage"]}], "cannot explain itself"),
        ([{"outcome": "wage", "on": ["age", "age"]}], "names a column twice"),
        ([{"outcome": "wage", "on": ["age"], "log": "often"}], "log is true or false"),
        ([{"outcome": "wage", "on": ["age"], "categories": ["sex"]}], "'sex' is not among"),
        ([{"outcome": "wage", "on": ["age"]}] * 2, "twice"),
        ([{"outcome": "wage", "on": ["age"]}] * 21, "at most 20"),
    ],
)
def test_models_that_are_none(words, says):
    with pytest.raises(PETWorksError, match=says):
        parse_models(words)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (Model("wage", ("one",)), "column 'one' of the model has one value only"),
        (Model("wage", ("seven",)), "column 'seven' of the model has one value only"),
        (Model("wage", ("name",)), "has 400 values that are no numbers; at most 100"),
        (Model("place", ("age",)), "neither a number nor one of two values: it has 4 values"),
        (Model("one", ("age",)), "the outcome 'one' has one value only"),
        (Model("member", ("age",), log=True), "has two values; leave out log: true"),
        (Model("loss", ("age",), log=True), "needs an outcome above -1"),
    ],
)
def test_models_that_do_not_fit_the_table(model, says):
    table = people()
    table |= {"one": ["x"] * 400, "seven": [7] * 400, "name": [f"n{place}" for place in range(400)]}
    table["loss"] = table["wage"] - 100
    with pytest.raises(PETWorksError, match=says) as error:
        check_models([model], columns(table))
    assert error.value.what == "models.0"


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        (["≥ 20", "22", "42"], [31, 22, 42]),  # as far as 42
        (["≥ 20", "10–19", "42"], [31, 14.5, 42]),
        (["≥ 60", "40–59", "20–39"], [69.5, 49.5, 29.5]),  # as wide as the one beside it
        (["< 30", "10–19", "[5, 10)"], [17.5, 14.5, 7.5]),  # down to 5
        (["< 18"], [18]),
    ],
)
def test_open_ends_reach_as_far_as_labels_beyond_them(labels, wanted):
    assert positions(labels).tolist() == wanted


def dated(records=300, seed=11):
    """A table in which the day of an admission explains a cost, with the days in numbers."""
    rng = np.random.default_rng(seed)
    day = rng.integers(date(2021, 1, 1).toordinal(), date(2024, 12, 31).toordinal(), records)
    return day, np.round(100 + 0.2 * (day - day.min()) + rng.normal(0, 60, records)).astype(int)


def middle_of(first, last):
    return (first.toordinal() + last.toordinal()) // 2


YEARS = {str(year): middle_of(date(year, 1, 1), date(year, 12, 31)) for year in range(2021, 2025)}
DATES = {"dates": ["month", "year"]}


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("%Y-%m-%d", {}),
        ("%d/%m/%Y", {}),  # a 31 among the days proves the order
        ("%d/%m/%Y", DATES | {"day_first": "true"}),
        ("%m/%d/%Y", DATES | {"day_first": "false"}),
        ("%Y%m%d", DATES),
    ],
)
@pytest.mark.parametrize("label", ["year", "median"])
def test_dates_count_by_their_days_in_every_order(form, words, label):
    day, cost = dated()
    days = [date.fromordinal(number) for number in day]
    if label == "year":
        shown, at = [str(one.year) for one in days], np.array([YEARS[str(one.year)] for one in days])
    else:
        at = np.array([int(np.median(day[[other.year == one.year for other in days]])) for one in days])
        shown = [date.fromordinal(number).strftime(form) for number in at]
    table = {"admitted": [one.strftime(form) for one in days], "cost": cost}
    result = compare_models(
        [Model("cost", ("admitted",))], columns(table), columns({**table, "admitted": shown}), {}, {"admitted": words}
    )[0]
    slope, intercept = np.polyfit(day - day.min(), cost, 1)
    assert [one.before for one in result.coefficients][1] == pytest.approx(slope, rel=1e-4)
    assert result.before == pytest.approx(explained(cost, intercept + slope * (day - day.min())), rel=1e-4)
    slope, intercept = np.polyfit(at - day.min(), cost, 1)
    assert result.coefficients[1].after == pytest.approx(slope, rel=1e-4)
    assert result.after == pytest.approx(explained(cost, intercept + slope * (day - day.min())), rel=1e-4)


def test_a_date_may_be_the_outcome():
    day, cost = dated()
    table = {"admitted": [date.fromordinal(number).strftime("%d/%m/%Y") for number in day], "cost": cost}
    years = [text[-4:] for text in table["admitted"]]
    result = compare_models(
        [Model("admitted", ("cost",))], columns(table), columns({**table, "admitted": years}), {}, {}
    )[0]
    slope, intercept = np.polyfit(cost, [YEARS[year] - day.min() for year in years], 1)
    assert result.coefficients[1].after == pytest.approx(slope, rel=1e-4)
    assert result.after == pytest.approx(explained(day - day.min(), intercept + slope * cost), rel=1e-4)


def test_dates_in_an_unknown_order_are_named():
    table = columns({"seen": ["3/4/2024", "5/6/2024", "7/8/2024"] * 2, "cost": [1, 2, 3, 4, 5, 7]})
    with pytest.raises(PETWorksError, match="column 'seen' of the model has dates whose day and month cannot") as error:
        check_models([Model("cost", ("seen",))], table)
    assert error.value.what == "models.0"
    check_models([Model("cost", ("seen",), categories=("seen",))], table)
    check_models([Model("cost", ("seen",))], table, {"seen": DATES | {"day_first": "true"}})


def test_years_and_months_are_no_days():
    """Years are numbers, and months are categories."""
    table = columns({"year": [2021, 2022, 2023, 2024], "month": ["2024-01", "2024-02"] * 2, "cost": [1, 2, 3, 5]})
    result = compare_models([Model("cost", ("year", "month"))], table, table, {}, {"year": DATES, "month": DATES})[0]
    assert [(one.column, one.category) for one in result.coefficients[1:]] == [("year", None), ("month", "2024-02")]
