"""Local recoding: rules hold for classes as they look, less is lost than on the best levels; equal to a slow twin."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizing_tasks import OF_SIZES, OF_VALUES, anonymized, tasks
from conftest import examples
from PETWorks import anonymize, evaluate
from PETWorks.anonymizer.local_anonymization import recoded_locally
from PETWorks.errors import NotApplicable, ParameterError

LEAVES = {"a": ["x1", "x2", "y1", "y2"], "b": ["1", "2", "3"]}
HIERARCHIES = {
    "a": [[leaf, leaf[0], "*"] for leaf in LEAVES["a"]],
    "b": [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]],
}
ROLES = dict.fromkeys(LEAVES, "quasi_identifier")


def loss_of(node, rows):
    """Granularity, arithmetic mean, with nothing suppressed."""
    lost = 0
    for column, level in zip(LEAVES, node, strict=True):
        paths = {path[0]: path for path in HIERARCHIES[column]}
        below = Counter(path[level] for path in paths.values())
        leaves = len(paths)
        share = sum(below[paths[row[column]][level]] / leaves for row in rows) / len(rows)
        lost += (share - 1 / leaves) / (1 - 1 / leaves)
    return lost / len(LEAVES)


def slow_sweep(rows, k):
    """Nodes by what they lose; on each, every class of what is left with at least k rows is released."""
    order = sorted(product(range(3), range(3)), key=lambda node: round(loss_of(node, rows), 12))
    released, left = {}, set(range(len(rows)))
    paths = {column: {path[0]: path for path in given_} for column, given_ in HIERARCHIES.items()}
    for node in order:
        classes = defaultdict(list)
        for place in left:
            labels = tuple(
                paths[column][rows[place][column]][level] for column, level in zip(LEAVES, node, strict=True)
            )
            classes[labels].append(place)
        for labels, members in classes.items():
            if len(members) >= k:
                released |= dict.fromkeys(members, labels)
                left -= set(members)
    return [released.get(place, ("*", "*")) for place in range(len(rows))]


@examples(60)
@given(
    st.lists(st.fixed_dictionaries({name: st.sampled_from(leaves) for name, leaves in LEAVES.items()}), min_size=3),
    st.integers(1, 4),
)
def test_the_sweep_is_that_of_a_slow_twin(rows, k):
    table = pa.table({name: [row[name] for row in rows] for name in LEAVES})
    best = anonymize(
        table, ROLES, HIERARCHIES, {"k-anonymity": {"k": min(k, len(rows))}}, suppression=1.0, aggregate="arithmetic"
    )
    result = recoded_locally(best)
    twin = slow_sweep(rows, min(k, len(rows)))
    assert result.loss <= best.loss + 1e-9
    if result.sweep.nodes != (best.classes.node,):
        found = [tuple(row.values()) for row in result.table.to_pylist()]
        # Of nodes that lose the same, either may come first.
        assert Counter(map(len, found)) == Counter(map(len, twin))
        assert abs(result.loss - told(found)) < 1e-9
        if len({round(loss_of(node, rows), 9) for node in product(range(3), range(3))}) == 9:
            assert found == twin


def told(released):
    """The same loss from the cells themselves; a label is on one level only here, and `*` is lost."""
    lost = 0
    for place, column in enumerate(LEAVES):
        below = Counter()
        for path in HIERARCHIES[column]:
            below.update(set(path))
        leaves = len(HIERARCHIES[column])
        share = sum(below[row[place]] / leaves for row in released) / len(released)
        lost += (share - 1 / leaves) / (1 - 1 / leaves)
    return lost / len(LEAVES)


@examples(60)
@given(tasks(OF_SIZES | OF_VALUES))
def test_rules_hold_and_nothing_is_lost_beside_the_best_levels(task):
    task = replace(task, objective="granularity", subsets=None)
    try:
        best = anonymized(task)
    except NotApplicable:
        return
    result = recoded_locally(best)
    assert result.loss <= best.loss + 1e-9
    assert result.suppressed <= best.problem.most
    assert result.global_loss == best.loss
    assert sum(records for _, records in result.parts) + result.suppressed == best.records - best.problem.ground.aside
    for name, parameters in task.rules:
        assert evaluate(result.release, {name: parameters}).satisfied, name
    others = [name for name in best.table.column_names if name not in task.quasi_identifiers]
    assert result.table.select(others).equals(best.table.select(others))


def test_far_less_is_lost():
    ages = [str(age) for age in range(20, 60) for _ in range(age % 4 + 1)]
    table = pa.table({"age": ages, "zip": [str(1000 + place % 9) for place in range(len(ages))]})
    hierarchies = {"age": {"width": [5, 10, 20]}, "zip": {"prefix": [3, 2]}}
    roles = dict.fromkeys(("age", "zip"), "quasi_identifier")
    best = anonymize(table, roles, hierarchies, {"k-anonymity": {"k": 3}}, suppression=0.05)
    result = anonymize(table, roles, hierarchies, {"k-anonymity": {"k": 3}}, suppression=0.05, method="local")
    assert result.loss < best.loss == result.global_loss
    assert len(result.parts) > 1
    assert len(result.levels["age"]) > 1
    assert not result.optimal
    assert result.to_dict()["parts"][0]["records"] > 0
    assert evaluate(result.release, {"k-anonymity": {"k": 3}}).satisfied


def test_an_unknown_method_is_an_error():
    table = pa.table({"a": ["x1", "x2"] * 3})
    with pytest.raises(ParameterError, match="did you mean 'local'"):
        anonymize(
            table, {"a": "quasi_identifier"}, {"a": HIERARCHIES["a"]}, {"k-anonymity": {"k": 2}}, method="locally"
        )


def test_objectives_that_do_not_belong_to_records_are_refused():
    table = pa.table({"a": ["x1", "x2"] * 3})
    hierarchies = {"a": HIERARCHIES["a"]}
    best = anonymize(table, {"a": "quasi_identifier"}, hierarchies, {"k-anonymity": {"k": 2}}, objective="aecs")
    with pytest.raises(ParameterError, match="local recoding takes the objectives"):
        recoded_locally(best)


def test_columns_that_stay_as_they_are_change_only_where_records_are_suppressed():
    ages = [str(20 + place % 12) for place in range(120)]
    table = pa.table({"age": [*ages, "99"], "sex": ["f", "m"] * 60 + ["f"]})
    roles = dict.fromkeys(("age", "sex"), "quasi_identifier")
    hierarchies = {"age": {"width": [2, 4, 8]}, "sex": [["f", "*"], ["m", "*"]]}
    asked = {"rules": {"k-anonymity": {"k": 10}}, "levels": {"sex": 0, "age": (0, 3)}, "method": "local"}
    some = anonymize(table, roles, hierarchies, suppression=0.01, **asked)
    assert some.suppressed == 1
    assert some.table.to_pylist()[-1] == {"age": "*", "sex": "*"}
    none = anonymize(table.slice(0, 120), roles, hierarchies, **asked)
    assert none.suppressed == 0
    assert "sex" not in none.changed_columns
