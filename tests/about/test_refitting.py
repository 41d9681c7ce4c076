"""Hierarchies of an earlier table for the values of another one."""

import json
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import Hierarchy, build_hierarchy
from PETWorks.about.hierarchies.declaration import (
    declaration_as_json,
    hierarchy_digest,
    needs_earlier_hierarchy,
    refit_hierarchy,
)
from PETWorks.errors import HierarchyError

AGES = ["20", "21", "35", "36", "61"]


def paths(hierarchy):
    return {path[0]: path[1:] for path in zip(*hierarchy.levels, strict=True)}


def test_words_give_new_values_their_place():
    fitted, strange = refit_hierarchy("age", ["20", "103", None, "*", "old"], {"width": [5, 20]}, None)
    assert paths(fitted) == {
        "20": ("[20, 25)", "[20, 40)", "*"),
        "103": ("[100, 105)", "[100, 120)", "*"),
        "old": ("old", "old", "*"),
    }
    assert strange == {"old"}


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ({"width": [5, 20], "bottom": 18}, AGES),
        ({"cuts": [[30, 40], [40]]}, AGES),
        ({"quantiles": [4, 2]}, AGES),
        ({"dates": ["month", "year"]}, ["2024-01-03", "2024-02-01"]),
        ({"prefix": [3, 1]}, ["10048", "10051"]),
        ({"mask": [1, 3]}, ["10048", "10051"]),
        ({"icd10": ["category", "chapter"]}, ["I21.4", "J10"]),
        ({"order": ["none", "some", "all"], "sizes": [2]}, ["none", "all"]),
        ({"groups": {"North": ["Taipei"], "South": ["Tainan"]}}, ["Taipei"]),
        ({"rare": {"fewer_than": 2, "label": "others"}}, ["a", "a", "b"]),
        (None, AGES),
    ],
)
def test_the_same_values_have_the_same_hierarchy(words, values):
    own = Hierarchy([[age, f"{age[0]}0s", "any"] for age in AGES]) if words is None else build_hierarchy(values, words)
    kept = declaration_as_json(words)
    assert json.loads(json.dumps(kept)) == kept
    fitted, strange = refit_hierarchy("column", set(values), kept, own if needs_earlier_hierarchy(kept) else None)
    assert fitted.levels == own.levels
    assert hierarchy_digest(fitted) == hierarchy_digest(own)
    assert strange == set()


def test_words_that_list_values_are_not_kept():
    assert declaration_as_json({"groups": {"North": ["Taipei"]}}) is None
    assert declaration_as_json({"order": ["none", "all"], "sizes": [2]}) is None
    assert needs_earlier_hierarchy(None)
    assert not needs_earlier_hierarchy({"width": [5]})


def test_a_value_that_was_not_there_is_rare():
    words = {"rare": {"fewer_than": [2, 3]}}
    earlier = build_hierarchy(["a", "a", "b"], words)
    fitted, strange = refit_hierarchy("city", ["a", "c", "b", "other"], words, earlier)
    assert paths(fitted)["c"] == ("other", "other", "*")
    assert paths(fitted)["a"] == ("a", "other", "*")
    assert strange == set()


@examples(100)
@given(
    st.lists(st.integers(-20, 120), min_size=1, max_size=60),
    st.sampled_from([[4, 2], [8, 4, 2], [3], [2]]),
    st.lists(st.integers(-40, 160), max_size=20),
)
def test_quantiles_stay_where_they_were(ages, parts, others):
    words = {"quantiles": parts}
    earlier = build_hierarchy(map(str, ages), words)
    fitted, strange = refit_hierarchy("age", [*map(str, others), "young"], words, earlier)
    assert strange == {"young"}
    known = paths(earlier)
    for age in others:
        for level, label in enumerate(paths(fitted)[str(age)][:-1]):
            # It has the label of the nearest known number below it, or of the lowest.
            below = [other for other in ages if other <= age] or [min(ages)]
            assert label == known[str(max(below))][level]


def test_labels_in_place_of_values_have_no_place():
    fitted, strange = refit_hierarchy("age", ["31", "[30, 40)"], {"width": [5, 10]}, None)
    assert strange == {"[30, 40)"}
    assert "[30, 40)" not in fitted.leaves
    _, strange = refit_hierarchy("zip", ["47906", "47*", "4790*"], {"prefix": [4, 2]}, None)
    assert strange == {"47*", "4790*"}
    fitted, strange = refit_hierarchy("age", ["31", "[30, 40)"], {"width": [10]}, None)
    assert strange == set(), "on its only level it can stay"


def test_no_value_has_a_place():
    fitted, strange = refit_hierarchy("age", ["old", None], {"width": [5, 10]}, None, 3)
    assert fitted.height == 3
    assert strange == {"old"}


def test_a_file_knows_its_leaves_alone():
    earlier = Hierarchy([["m", "any"], ["f", "any"]])
    fitted, strange = refit_hierarchy("sex", ["m", "x", "any", None], None, earlier)
    assert strange == {"x"}
    assert fitted.levels == [["m", "f", "x"], ["any"] * 3]
    assert earlier.leaves == ["m", "f"], "what is given is not changed"


def test_numbers_of_any_kind_can_be_kept():
    kept = declaration_as_json({"width": (Fraction(5), 10), "start": 0.5})
    assert kept == {"width": ["5", 10], "start": "0.5"}
    assert build_hierarchy(AGES, kept).levels == build_hierarchy(AGES, {"width": (5, 10), "start": "0.5"}).levels


def test_words_of_no_kind_are_an_error():
    with pytest.raises(HierarchyError, match="expected one of the keys"):
        refit_hierarchy("age", Counter(AGES), {}, None)
    with pytest.raises(HierarchyError, match=r"hierarchy of 'age': .*not ascending"):
        refit_hierarchy("age", AGES, {"width": [10, 5]}, None)
