"""By which few attributes a record shares its values with too few others, against the literal definition."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import definitions
from conftest import cases, examples
from definitions import key
from frames import release_of
from PETWorks import Release
from PETWorks.errors import ParameterError
from PETWorks.measures.attacks import uniques
from PETWorks.measures.attacks.uniques import in_groups_below, largest_size


def people_by(case, columns):
    """For each record, how many people have the same values in some columns."""
    seen = {(key(row, columns), row[case.unit] if case.unit else place) for place, row in enumerate(case.released)}
    counts = Counter(values for values, _ in seen)
    return [counts[key(row, columns)] for row in case.released]


def literal(case, below):
    found = [None] * len(case.released)
    known = case.quasi_identifiers
    own = people_by(case, known)
    for size in range(1, len(known) + 1):
        for chosen in combinations(known, size):
            for place, people in enumerate(people_by(case, chosen)):
                if found[place] is None and own[place] < below and people < below:
                    found[place] = chosen
    return found


@examples(150)
@given(cases(), st.integers(2, 6))
def test_smallest_sets_are_the_literal_ones(case, below):
    found = in_groups_below(release_of(case), below)
    named = [found.sets[place] if place >= 0 else None for place in found.indices.tolist()]
    assert named == literal(case, below)
    risks = definitions.re_identification_per_record(case)
    assert [name is not None for name in named] == [1 / risk < below for risk in risks]


def test_no_more_sets_than_there_is_time_for(monkeypatch):
    assert largest_size(9, 20_000) == 9
    assert largest_size(40, 1_000_000_000) == 1
    monkeypatch.setattr(uniques, "MAX_WORK", (5 + comb(5, 2)) * (100 + uniques.PASS_COST))
    assert (largest_size(5, 100), largest_size(5, 101)) == (2, 1)


@pytest.mark.parametrize("below", [0, 1, 2.5, None, True])
def test_a_class_has_at_least_one_record(below):
    with pytest.raises(ParameterError, match="expected below as a number of records"):
        in_groups_below(Release({"a": [1]}, {"a": "quasi_identifier"}), below)
