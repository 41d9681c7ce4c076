"""apply_levels: a table on levels of one's own choice, from Python."""

import pytest

from PETWorks import PETWorksError, evaluate
from searches import apply_levels

TABLE = {
    "age": ["20", "21", "22", "23", "20", None, "*", "40"],
    "sex": ["f", "m", "f", "m", "f", "m", "*", "m"],
    "illness": list("xyxyxyxy"),
}
ROLES = {"age": "quasi_identifier", "sex": "quasi_identifier", "illness": "sensitive_attribute"}
AGES = {"age": {"width": [2, 10]}}


def test_columns_that_are_not_named_stay():
    result = apply_levels(TABLE, ROLES, AGES, {"age": 1}, suppressed_records="stars")
    assert result.levels == {"age": 1, "sex": 0}
    table = result.table.to_pydict()
    assert table["age"] == ["[20, 22)", "[20, 22)", "[22, 24)", "[22, 24)", "[20, 22)", None, "*", "[40, 42)"]
    assert {name: table[name] for name in ("sex", "illness")} == {name: TABLE[name] for name in ("sex", "illness")}
    assert result.suppressed == 0


def test_nothing_is_generalised_without_levels():
    assert apply_levels(TABLE, ROLES, suppressed_records="stars").table.to_pydict() == TABLE
    left = {name: [cell for place, cell in enumerate(cells) if place != 6] for name, cells in TABLE.items()}
    assert apply_levels(TABLE, ROLES).table.to_pydict() == left, "what was suppressed already leaves the table"
    assert apply_levels({"a": [None, "*"], "b": ["1", "2"]}, {"a": "quasi_identifier", "b": "quasi_identifier"}).levels


def test_classes_that_break_a_rule_are_suppressed():
    result = apply_levels(TABLE, ROLES, AGES, {"age": 2}, {"k-anonymity": {"k": 2}})
    assert result.suppressed == 2, "the one without an age, and the one who is 40"
    assert evaluate(result.release, {"k-anonymity": {"k": 2}}).results[0].satisfied


def test_an_original_and_a_population_with_further_values():
    others = {name: [*cells, further] for (name, cells), further in zip(TABLE.items(), ("30", "d", "z"), strict=True)}
    rules = {"delta-presence": {"delta_max": 0.9}}
    result = apply_levels(TABLE, ROLES, AGES, {"age": 1}, rules, original=others, population=others)
    assert result.suppressed


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ({"age": 4}, "levels 0 to 3"),
        ({"sex": 2}, "levels 0 to 1"),
        ({"illness": 1}, "sensitive attribute"),
        ({"agee": 1}, "did you mean 'age'"),
        ([1], "as a dict"),
    ],
)
def test_wrong_levels(levels, told):
    with pytest.raises(PETWorksError, match=told):
        apply_levels(TABLE, ROLES, AGES, levels)
