"""Records that left a table count as lost, with the same numbers in memory and out of core."""

import random

import numpy as np
import pytest

from PETWorks import Release
from PETWorks.errors import NotApplicable
from PETWorks.measures.catalogue import all_measures
from searches import anonymize

ROLES = {
    "age": "quasi_identifier",
    "zip": "quasi_identifier",
    "ill": "sensitive_attribute",
    "pay": "insensitive_attribute",
}
AGES = [[str(age), "20-23" if age < 24 else "24-27", "*"] for age in range(20, 28)]
HIERARCHIES = {"age": AGES, "zip": [["a", "*"], ["b", "*"]]}


def tables(seed):
    """An original, the places of the records that leave it, and its release."""
    drawn = random.Random(seed)
    records = drawn.randint(5, 40)
    values = {"age": [row[0] for row in AGES], "zip": "ab", "ill": ["x", "y", "Z", "z", ""], "pay": "01234"}
    original = {name: [drawn.choice(own) for _ in range(records)] for name, own in values.items()}
    removed = sorted(drawn.sample(range(records), drawn.randint(1, records - 2)))
    release = {name: [cell for place, cell in enumerate(own) if place not in removed] for name, own in original.items()}
    release["age"] = ["20-23" if age < "24" else "24-27" for age in release["age"]]
    return original, removed, release


def utility(release):
    """Every measure of utility with its details, or why it does not apply."""
    found = {}
    for metric in all_measures():
        if metric.family == "utility":
            try:
                result = metric(release)
            except NotApplicable as error:
                found[metric.name] = str(error)
            else:
                found[metric.name] = (result.value, result.details)
    return found


@pytest.mark.parametrize("options", [{}, {"sensitive_values": "folded"}, {"order": "shuffled"}, {"original": None}])
def test_utility_is_the_same_out_of_core(options):
    for seed in range(4):
        original, removed, release = tables(seed)
        given = {"original": original, "removed": np.array(removed), **options}
        one, other = (
            utility(Release(release, ROLES, HIERARCHIES, engine=engine, **given)) for engine in ("memory", "duckdb")
        )
        assert one == other
        assert one["missings"][0] == pytest.approx(len(removed) / len(original["age"]))


def test_a_rule_may_limit_what_is_lost_out_of_core():
    original = {"age": ["20"] * 9 + ["21"] * 9 + ["27"], "zip": ["a"] * 19, "ill": ["x", "y"] * 9 + ["x"]}
    roles = {name: ROLES[name] for name in original}
    rules = {"k-anonymity": {"k": 4}, "missings": {"at_most": 0.5}}
    made = [
        anonymize(original, roles, HIERARCHIES, rules, suppression=0.1, engine=engine)
        for engine in ("memory", "duckdb")
    ]
    assert made[0].suppressed
    assert made[0].levels == made[1].levels
    assert utility(made[0].release) == utility(made[1].release)


def test_what_is_lost_is_not_measured_if_places_are_not_known():
    original, removed, table = tables(1)
    release = Release(table, ROLES, HIERARCHIES, original)
    release.note_removed(len(removed))
    found = utility(release)
    assert "only where records have an order" in found.pop("granularity")
    assert all(isinstance(reason, str) for reason in found.values())
