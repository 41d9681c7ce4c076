"""Every adversary: all subsets of the quasi-identifiers against a literal count, and what is drawn from them."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import privattacks
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from PETWorks import Release
from PETWorks.attacks import subsets as subsets_module
from PETWorks.attacks.subsets import checked_sizes, every_subset
from PETWorks.attacks.uniques import minimal_uniques
from PETWorks.engines import lattice
from PETWorks.errors import InputError, NotApplicable, ParameterError, RoleError

DOCUMENT = {
    "age": [20, 30, 30, 30, 30, 55, 55, 55],
    "education": ["Master", "High School", "High School", "PhD", "PhD", "Bachelor", "Bachelor", "Bachelor"],
    "income": ["low", "medium", "low", "medium", "medium", "high", "high", "medium"],
}


def release_of(table, known, sensitive=()):
    roles = dict.fromkeys(known, "quasi_identifier") | dict.fromkeys(sensitive, "sensitive_attribute")
    return Release(table, roles)


def literal(table, subset, sensitive):
    """Classes, uniques, smallest class and right guesses, by loops over rows."""
    rows = [{name: column[row] for name, column in table.items()} for row in range(len(next(iter(table.values()))))]
    classes = {}
    for row in rows:
        classes.setdefault(tuple(row[name] for name in subset), []).append(row)
    sizes = [len(members) for members in classes.values()]
    hits = [sum(max(Counter(row[name] for row in rows).values()) for rows in classes.values()) for name in sensitive]
    return [len(sizes), sizes.count(1), min(sizes), *hits]


@st.composite
def tables(draw, columns=5, sensitive=2, rows=24):
    count = draw(st.integers(1, rows))
    known = [f"q{number}" for number in range(draw(st.integers(1, columns)))]
    hidden = [f"s{number}" for number in range(draw(st.integers(0, sensitive)))]
    table = {}
    for name in (*known, *hidden):
        values = draw(st.sampled_from([["a"], ["a", "b"], ["a", "b", None], [str(n) for n in range(40)]]))
        table[name] = draw(st.lists(st.sampled_from(values), min_size=count, max_size=count))
    return table, known, hidden


@pytest.fixture(params=["as it is", "small chunks", "little memory", "wide keys", "heavy rows"])
def engine(request, monkeypatch):
    """All ways through the engine, on small tables."""
    memory = None
    if request.param == "small chunks":
        monkeypatch.setattr(lattice, "CHUNK_ROWS", 4)
        monkeypatch.setattr(lattice, "PIECE_ROWS", 2)
        monkeypatch.setattr(lattice, "FREE", 2)
    elif request.param == "little memory":
        memory = 200
    elif request.param == "wide keys":
        monkeypatch.setattr(lattice, "KEY_BITS", 9)
        monkeypatch.setattr("PETWorks.engines.keys.KEY_BITS", 9)
    elif request.param == "heavy rows":
        monkeypatch.setattr(lattice, "NARROW", 4)
    return memory


@given(tables())
@settings(max_examples=60)
def check_all(memory, case):
    table, known, sensitive = case
    found = every_subset(release_of(table, known, sensitive), memory=memory)
    wanted = [subset for size in range(1, len(known) + 1) for subset in combinations(known, size)]
    assert [tuple(found.attributes(mask)) for mask in found.masks.tolist()] == wanted
    assert found.counts.tolist() == [literal(table, subset, sensitive) for subset in wanted]
    sizes = {1, len(known)}
    some = every_subset(release_of(table, known, sensitive), sizes, memory=memory)
    assert some.counts.tolist() == found.counts[np.isin(found.sizes, list(sizes))].tolist()


def test_all_subsets_are_the_literal_ones(engine):
    check_all(engine)
