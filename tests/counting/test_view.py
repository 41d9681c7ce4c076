"""The view: weighted rows answer as plain ones do, nodes as generalised tables do, and all in few passes."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frames
from conftest import SEX, TINY_PARTS, ZIP, cases, constants, examples
from PETWorks import Release, catalogue, evaluate
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Grouping
from PETWorks.counting.memory.distinct_rows import PackedRows
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.errors import HierarchyError, ParameterError
from PETWorks.measures.catalogue import find_measure

LEAVES = [path[0] for path in ZIP]
ROLES = {"zip": "quasi_identifier", "sex": "quasi_identifier", "disease": "sensitive_attribute"}
HIERARCHIES = {"zip": ZIP, "sex": SEX}
RECORDS = st.lists(
    st.tuples(
        st.sampled_from([*LEAVES, None]), st.sampled_from(["男", "女", None]), st.sampled_from(["flu", "ulcer", "cold"])
    ),
    min_size=1,
    max_size=30,
)
SUBSETS = (("zip", "sex"), ("disease",), (1, 2), 1 << 30, lambda _: False)
JUDGED = ("k-anonymity", "l-diversity", "entropy-l-diversity", "t-closeness", "granularity", "ambiguity", "precision")


def table(records):
    return pa.table({name: list(column) for name, column in zip(ROLES, zip(*records, strict=True), strict=True)})


def lifted(records, zip_level, sex_level):
    """Each record on the levels, as a person would write it."""
    zips = {path[0]: path[zip_level] for path in ZIP} | {None: None if zip_level < 3 else "*"}
    sexes = {"男": "*", "女": "*", None: "*"} if sex_level else {"男": "男", "女": "女", None: None}
    return [(zips[code], sexes[sex], disease) for code, sex, disease in records]


@given(RECORDS)
@examples(60)
def test_a_node_is_the_table_generalised(records):
    view = Release(table(records), ROLES, HIERARCHIES).view
    step = view
    for zip_level, sex_level in product(range(4), range(2)):
        written = Release(table(lifted(records, zip_level, sex_level)), ROLES, HIERARCHIES)
        levels = {"zip": zip_level, "sex": sex_level}
        step = step.at(levels)  # from the node before, which is finer or not
        for node in (view.at(levels), step):
            assert node.records == len(records)
            for name in JUDGED:
                expected = catalogue[name](written)
                assert find_measure(name).judge(node, find_measure(name).check({}))[0] == expected.value, (name, levels)
                assert dict(catalogue[name](node).details) == dict(expected.details), (name, levels)


@given(RECORDS)
@examples(40)
def test_a_node_needs_no_64_bits(records):
    plain = Release(table(records), ROLES, HIERARCHIES).view.at({"zip": 1})
    assert isinstance(plain.table, PackedRows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("PETWorks.counting.memory.distinct_rows.KEY_BITS", 0)
        wide = Release(table(records), ROLES, HIERARCHIES).view.at({"zip": 1})
        assert not isinstance(wide.table, PackedRows)
        for name in JUDGED:
            assert catalogue[name](wide).value == catalogue[name](plain).value


def test_levels_that_do_not_nest_start_over_from_the_table():
    crossing = [("a", "x", "1", "*"), ("b", "x", "2", "*"), ("c", "y", "2", "*")]
    release = Release({"q": ["a", "b", "c"]}, {"q": "quasi_identifier"}, {"q": crossing})
    node = release.view.at({"q": 1}).at({"q": 2})
    assert node.class_sizes().sizes.tolist() == [1, 2]  # a alone; b and c together
    assert dict(zip(node.marginal("q").values, node.marginal("q").counts.tolist(), strict=True)) == {"1": 1, "2": 2}


def test_records_that_are_suppressed_already_stay_so():
    columns = {"zip": ["47906", "47903", "*"], "sex": ["男", "男", "*"]}
    view = Release(columns, dict.fromkeys(columns, "quasi_identifier"), HIERARCHIES).view.at({"zip": 1})
    assert view.suppressed_records == 1
    assert view.class_sizes().summary()["smallest_class"] == 2


def test_classes_of_two_kinds_are_complete_in_every_part():
    """Classes by the quasi-identifiers alone, and with another attribute, are counted from the same cells."""
    random = np.random.default_rng(1)
    columns = {name: random.integers(0, size, 60).astype(str).tolist() for name, size in (("a", 4), ("s", 3), ("t", 3))}
    roles = {"a": "quasi_identifier", "s": "sensitive_attribute", "t": "sensitive_attribute"}
    options = {"several_sensitive": "quasi-identifiers"}
    expected = evaluate(Release(columns, roles, **options)).to_dict()["results"]
    with constants(**TINY_PARTS):
        assert evaluate(Release(columns, roles, engine="duckdb", **options)).to_dict()["results"] == expected


def test_labels_that_do_not_occur_are_left_out():
    cells = pa.DictionaryArray.from_arrays(pa.array([0, 2, 2], pa.int32()), pa.array(["x", "unused", "y"]))
    marginal = Release(pa.table({"a": cells}), {"a": "quasi_identifier"}).marginal("a")
    assert (marginal.values, marginal.counts.tolist()) == (["x", "y"], [1, 2])


@pytest.mark.parametrize(
    ("levels", "error", "text"),
    [
        ({"zpi": 1}, ParameterError, "did you mean 'zip'"),
        ({"zip": 4}, ParameterError, "the levels 0 to 3, got 4"),
        ({"zip": "1"}, ParameterError, "the levels 0 to 3, got '1'"),
        ({"sex": 1}, HierarchyError, "has no hierarchy"),
    ],
)
def test_levels_that_are_none(levels, error, text):
    release = Release(
        {"zip": ["47906"], "sex": ["男"]}, dict.fromkeys(("zip", "sex"), "quasi_identifier"), {"zip": ZIP}
    )
    with pytest.raises(error, match=text):
        release.view.at(levels)


def repeated(rows):
    """The records that weighted rows stand for, one by one."""
    columns = {name: Column(own.labels, np.repeat(own.codes, rows.weights)) for name, own in rows.columns.items()}
    return WeightedRows(columns)


@given(RECORDS, st.data())
@examples(60)
def test_weights_count(records, data):
    """Every answer of weighted rows is that of the records they stand for."""
    plain = Release(table(records), ROLES).table
    weights = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(records), max_size=len(records))), np.int64)
    weighted = WeightedRows(plain.columns, None, weights)
    same = repeated(weighted)
    known = Grouping(("zip", "sex"), ("zip", "sex"), True, True)

    def cells(classes):
        return sorted(
            zip(classes.sizes.tolist(), np.diff([*classes.starts, len(classes.counts)]).tolist(), strict=True)
        )

    def pairs(classes):
        return sorted(zip(classes.released.tolist(), classes.background.tolist(), strict=True))

    for one, other in ((weighted, same), (weighted.distinct(), same), (weighted.generalise({}), same)):
        assert one.rows == other.rows == int(weights.sum())
        assert one.rows_aside(known) == other.rows_aside(known)
        for grouping in (known, Grouping(("sex",), ("sex",))):
            assert one.class_sizes(grouping).summary() == other.class_sizes(grouping).summary()
            assert one.fold(grouping, "disease", cells, list.__add__) == other.fold(
                grouping, "disease", cells, list.__add__
            )
        assert one.fold_pairs(known, plain, pairs, list.__add__) == other.fold_pairs(known, plain, pairs, list.__add__)
        for name in ROLES:
            mine, theirs = one.marginal(name), other.marginal(name)
            assert dict(zip(mine.values, mine.counts.tolist(), strict=True)) == dict(
                zip(theirs.values, theirs.counts.tolist(), strict=True)
            )
        mine, theirs = (
            {subset: counts for family in rows.count_subsets(*SUBSETS) for subset, counts in family.items()}
            for rows in (one, other)
        )
        assert mine == theirs


def test_few_distinct_rows_are_merged_before_they_are_counted(monkeypatch):
    columns = {"a": ["x", "y"] * 200, "s": ["1", "2", "3", "4"] * 100}
    release = Release(columns, {"a": "quasi_identifier", "s": "sensitive_attribute"})
    assert len(release.table.merged_rows.weights) == 4
    merged = evaluate(release).to_dict()
    monkeypatch.setattr("PETWorks.counting.memory.weighted_rows.BINCOUNT_BITS", -1)
    plain = Release(columns, {"a": "quasi_identifier", "s": "sensitive_attribute"})
    assert plain.table.merged_rows is None
    assert evaluate(plain).to_dict() == merged


class Counting:
    """A table that counts how often it is asked."""

    def __init__(self, table):
        self.table, self.passes, self.asked = table, 0, []

    def __getattr__(self, name):
        return getattr(self.table, name)

    def ask(self, questions):
        self.passes += 1
        self.asked += [(question.key, question.limit) for question in questions]
        return self.table.ask(questions)


@given(cases())
@examples(40)
def test_measures_declare_what_they_ask(case):
    """Once the declared questions are answered, no measure asks another one; no question is asked twice."""
    release = frames.release_of(case)
    counting = Counting(release.table)
    object.__setattr__(release.view, "table", counting)
    evaluate(release)
    asked = Counter(key for key, _ in counting.asked)
    if release.privacy_unit is None:
        assert counting.passes == 1, counting.asked
        assert set(asked.values()) == {1}


def test_a_limit_is_counted_with_the_value():
    """With and without a limit, one question answers both."""
    release = Release(
        {"a": ["x", "x", "y"], "s": ["1", "2", "1"]}, {"a": "quasi_identifier", "s": "sensitive_attribute"}
    )
    counting = Counting(release.table)
    object.__setattr__(release.view, "table", counting)
    evaluate(release, {"l-diversity": {"l": 2}})
    passes = counting.passes
    assert find_measure("l-diversity")(release).value == 1
    assert counting.passes == passes


def test_people_of_a_class_stand_at_its_first_cell():
    """In a part of a larger table, each cell says how many people its whole class has."""
    known = Release({"a": ["x", "x", "y"], "s": ["1", "2", "1"]}, {"a": "quasi_identifier", "s": "sensitive_attribute"})
    part = WeightedRows(known.table.columns, None, np.array([4, 2, 3]), np.array([5, 5, 3]), whole=False)
    grouping = Grouping(("a",), ("a",))
    people = part.fold(grouping, "s", lambda classes: classes.people.tolist(), list.__add__)
    assert people == [5, 3]
