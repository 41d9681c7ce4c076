"""Minimal sample uniques of each record, against the literal definition and against a peer."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from suda import suda
from test_subsets import tables

from conftest import examples
from people import release_of
from PETWorks.errors import InputError
from PETWorks.measures.attacks import uniques
from PETWorks.measures.attacks.uniques import minimal_uniques


def literal(table, known, up_to):
    """For each record the subsets in which it is unique while it is in no smaller one, in order of size."""
    records = range(len(table[known[0]]))
    keys = {}
    for size in range(1, up_to + 1):
        for subset in combinations(known, size):
            keys[subset] = [tuple(table[name][row] for name in subset) for row in records]
    found = []
    for row in records:
        unique = [subset for subset, values in keys.items() if values.count(values[row]) == 1]
        found.append([s for s in unique if not any(set(other) < set(s) for other in unique)])
    return found


@given(tables(), st.integers(1, 5))
@examples(80)
def test_minimal_uniques_are_the_literal_ones(case, up_to):
    table, known, _ = case
    found = minimal_uniques(release_of(*case), up_to)
    wanted = literal(table, known, min(up_to, len(known)))
    assert found.number.tolist() == [len(subsets) for subsets in wanted]
    assert found.size.tolist() == [len(subsets[0]) if subsets else 0 for subsets in wanted]
    first = [list(subsets[0]) if subsets else [] for subsets in wanted]
    assert [found.attributes(mask) for mask in found.subset.tolist()] == first


def test_the_smallest_size_agrees_with_the_peer():
    rng = np.random.default_rng(3)
    cards = {"a": 9, "b": 6, "c": 4, "d": 3}
    frame = pd.DataFrame({name: (rng.random(300) ** 2 * card).astype(int) for name, card in cards.items()})
    theirs = suda(frame.copy(), max_msu=3)
    ours = minimal_uniques(release_of(frame, list("abcd")), 3)
    assert theirs["msu"].tolist() == ours.size.tolist()
    # They count every subset in which a record is unique, minimal or not.
    assert (theirs["fM"].to_numpy() >= ours.number).all()


def test_columns_that_no_key_can_hold():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"q{n:02}": rng.integers(0, 2, 3000) * rng.integers(0, 900, 3000) for n in range(12)})
    found = minimal_uniques(release_of(frame, frame.columns), 2)
    alone = np.zeros(3000, bool)
    for name in frame:
        alone |= ~frame.duplicated([name], keep=False)
    pairs = np.zeros(3000, bool)
    for names in combinations(frame, 2):
        pairs |= ~frame.duplicated(list(names), keep=False)
    assert found.size.tolist() == np.where(alone, 1, np.where(pairs, 2, 0)).tolist()


@pytest.mark.parametrize("up_to", [None, 2, 99])
def test_no_more_attributes_than_there_are(up_to):
    table = {"age": [20, 30, 30], "sex": ["f", "f", "m"]}
    assert minimal_uniques(release_of(table, ["age", "sex"]), up_to).size.tolist() == [1, 2, 1]


def test_too_many_are_refused(monkeypatch):
    table = {f"q{number:02}": ["a", "b"] * 50 for number in range(30)}
    with pytest.raises(InputError, match="30 quasi-identifiers have 1,073,741,823 subsets"):
        minimal_uniques(release_of(table, list(table)))
    monkeypatch.setattr(uniques, "half_the_machine", lambda: 10_000)
    with pytest.raises(InputError, match="up to 3 of 30 attributes needs 0 GB; ask for up to 2"):
        minimal_uniques(release_of(table, list(table)), 3)
    assert minimal_uniques(release_of(table, list(table)), 2).size.max() == 0
