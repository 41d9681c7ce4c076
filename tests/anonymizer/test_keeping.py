"""Columns that a release keeps: the choice among levels, against a slow, literal twin."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_search import check_release, close

import brute_force
from anonymizing_tasks import OF_SIZES, anonymized, keeping_tasks
from brute_force import At, keeping, solve, varies
from conftest import examples
from PETWorks.anonymizer import lattice
from PETWorks.anonymizer.objectives import BY_CLASS
from PETWorks.anonymizer.search import exact, large
from PETWorks.errors import NotApplicable, ParameterError
from searches import anonymize

NO_LEVELS = "no levels keep the rules", "no levels keep '", "no levels that are allowed keep '"


def in_order(columns):
    return tuple(sorted(columns))


def check(task):
    """The result is the choice of the twin, and so are the next-best levels."""
    try:
        result = anonymized(task)
    except ParameterError:
        assert not varies(task.keep[0], At(task, (0,) * len(task.quasi_identifiers)))
        return
    except NotApplicable as error:
        text = str(error)
        assume(any(start in text for start in NO_LEVELS))
        found, choice = solve(task)
        if not choice:
            assert not keeping(task, found)
            assert bool(found) == ("no levels keep the rules" not in text)
        return
    found, choice = solve(task)
    node = tuple(result.levels.values())
    check_release(task, result, node)
    assert result.optimal
    if not choice:
        expected = keeping(task, found)
        assert (node, result.suppressed) == (expected[0].node, len(expected[0].suppressed))
        assert close(result.loss, expected[0].loss)
        if result.problem.columns is not None:
            assert set(result.problem.columns.names(result.search.best.lost)) == expected[0].lost
        if result.problem.lattice.has_many_nodes:
            return
        result.search.run(4)
        assert [one.node for one in result.search.solutions[:4]] == [one.node for one in expected[:4]]
        others = () if result.kept_columns is None else result.kept_columns.others
        for other in others:
            instead = keeping(replace(task, keep=other.keep, may_lose=other.may_lose), found)
            assert (other.loss is None) == (not instead)
            assert not instead or (close(other.loss, instead[0].loss), other.lost) == (True, in_order(instead[0].lost))


def allow_cost(patched, factor):
    """Let columns be kept at so many times the least loss, and at a fourth of the records suppressed in addition."""
    for module in (exact, brute_force):
        patched.setattr(module, "MOST_COST", factor)
        patched.setattr(module, "ONE_IN", 4)


OF_SMALL_CLASSES = {
    "k-anonymity": st.fixed_dictionaries({"k": st.integers(2, 4)}),
    "l-diversity": st.fixed_dictionaries({"l": st.integers(2, 3)}),
    "t-closeness": st.fixed_dictionaries({"t": st.sampled_from([0.3, 0.5, 0.7]), "distance": st.just("equal")}),
}


@examples(80)
@given(keeping_tasks(OF_SMALL_CLASSES))
def test_the_choice_is_that_of_the_definition(task):
    check(task)


@examples(60)
@given(keeping_tasks(OF_SMALL_CLASSES))
def test_where_keeping_columns_may_cost_more(task):
    """On small tables a quarter is rarely enough."""
    with pytest.MonkeyPatch.context() as patched:
        allow_cost(patched, 3)
        check(task)


@examples(20)
@given(keeping_tasks(OF_SMALL_CLASSES, most_columns=4))
def test_boxes_of_nodes(task):
    """Without descents, which would visit most nodes of so small a lattice."""
    assume(task.objective not in BY_CLASS)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lattice, "MANY_NODES", 0)
        patched.setattr(large, "GROUP_NODES", 6)
        patched.setattr(large, "DESCENTS", 0)
        allow_cost(patched, 2)
        check(task)


@examples(10)
@given(keeping_tasks(OF_SMALL_CLASSES, most_columns=4))
def test_four_columns(task):
    check(task)


@examples(16)
@given(keeping_tasks({"k-anonymity": OF_SIZES["k-anonymity"], "average-risk": OF_SIZES["average-risk"]}, 2, 12))
def test_rules_about_the_whole_table(task):
    check(task)


@pytest.mark.parametrize("has_boxes", [False, True], ids=["nodes", "boxes"])
def test_a_release_that_keeps_several_columns_is_found_at_once(monkeypatch, has_boxes):
    """Not only after all nodes with less loss were found to fail."""
    monkeypatch.setattr(lattice, "MANY_NODES", 0 if has_boxes else 10**9)
    chance = random.Random(3)
    columns = {name: [f"{chance.randrange(16):04b}" for _ in range(300)] for name in "abcde"}
    paths = [[f"{n:04b}"[: 4 - level] or "*" for level in range(5)] for n in range(16)]
    roles = dict.fromkeys(columns, "quasi_identifier")
    rules = {"k-anonymity": {"k": 60}}
    if not has_boxes:  # rules that are measured on the release rule out no finer levels
        columns |= {"who": [f"{n}" for n in range(300)], "ill": [f"{n % 7}" for n in range(300)]}
        roles |= {"who": "identifier", "ill": "sensitive_attribute"}
        rules |= {"l-diversity": {"l": 3}}
    settings = {"hierarchies": dict.fromkeys("abcde", paths), "privacy_unit": None if has_boxes else "who"}
    made = anonymize(columns, roles, rules=rules, keep=["b", "d"], seconds=1e-9, suppression=0, **settings)
    assert made.classes.records.min() >= 60
    assert made.levels == {"a": 4, "b": 3, "c": 4, "d": 3, "e": 4}
    assert made.search.checked <= 5


ROWS = [(a, f"b{n}") for n, a in enumerate(["a1"] * 5 + ["a2"] * 5)]
ROWS += [(f"a{n}", b) for n, b in enumerate(["b98"] * 5 + ["b99"] * 5, 50)]
COLUMNS = {"a": [a for a, _ in ROWS], "b": [b for _, b in ROWS], "c": ["f", "m"] * 10}


def two_levels(columns):
    """The settings of a table whose quasi-identifiers have two levels."""
    hierarchies = {name: [[value, "*"] for value in sorted(set(cells))] for name, cells in columns.items()}
    return {"data": columns, "roles": dict.fromkeys(columns, "quasi_identifier"), "hierarchies": hierarchies}


def test_columns_are_kept_record_by_record_where_no_levels_for_all_records_keep_them():
    made = anonymize(**two_levels(COLUMNS), rules={"k-anonymity": {"k": 5}}, method="local", keep=["a", "b"])
    classes = Counter(zip(*(made.table[name].to_pylist() for name in "abc"), strict=True))
    assert min(classes.values()) >= 5
    assert len({a for a, _, _ in classes}) == len({b for _, b, _ in classes}) == 3, "two values and *"
    assert made.kept_columns.lost == ()
    assert [way.method for way in made.choice.ways] == ["local"], "the others lose one of them"
    assert made.is_complete


@pytest.mark.parametrize(("method", "way"), [("global", "level per column:"), ("local", "or record by record:")])
def test_a_refusal_says_which_rule_needs_how_many_suppressed_records(method, way):
    settings = two_levels({"a": ["x"] * 12 + ["y"] * 8 + ["z"] * 7, "c": [*"fm" * 13, "f"]})
    rules = {"k-anonymity": {"k": 8}, "prosecutor-risk": {"cell_size": 3}}
    said = f"at most 1 suppressed .* {way} where 'a' is kept on one level, k-anonymity .* needs 7; "
    said += "the smallest class then has at most 7 records; allow"
    with pytest.raises(NotApplicable, match=said):
        anonymize(**settings, rules=rules, suppression=0.05, keep=["a"], method=method)
    assert anonymize(**settings, rules=rules, suppression=0.26, keep=["a"], method=method).suppressed == 7


@pytest.mark.parametrize(
    ("cells", "k", "says"),
    [
        (range(12), 2, "has at most 1 record; allow"),  # an identifier
        ("xxxxxyyyyzzz", 5, "has at most 4 records; allow"),  # without the five x alone, the column would be lost
        ("x" * 9 + "yzz", 3, "has at most 2 records; allow"),
    ],
)
def test_a_refusal_to_keep_a_column_says_how_large_classes_can_be(cells, k, says):
    settings = two_levels({"a": [str(cell) for cell in cells], "c": [*"fm" * 6]})
    with pytest.raises(
        NotApplicable, match="keep 'a' and 'k-anonymity .*', whatever is suppressed: the smallest .* " + says
    ):
        anonymize(**settings, rules={"k-anonymity": {"k": k}}, suppression=1, keep=["a"])
    assert anonymize(**settings, rules={"k-anonymity": {"k": k - 1}}, suppression=1, keep=["a"]).suppressed < 12
