"""People of several tables: numbers of keys, sets of values as bits, and what keys say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.counting.codes import Column, placeholder_labels
from PETWorks.counting.keys import rank_keys
from PETWorks.counting.people import BITS, key_counts, number_of_words, values_as_bits
from PETWorks.tables.arrays import strings


@given(st.lists(st.integers(0, 5) | st.integers(0, 1 << 20) | st.integers(0, (1 << 64) - 1), min_size=1))
def test_equal_keys_have_equal_numbers_in_their_order(keys):
    """Few keys are counted into bins, others sorted with their places, the largest without."""
    codes, number = rank_keys(np.array(keys, np.uint64))
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    assert (codes.tolist(), number) == ([ranks[key] for key in keys], len(ranks))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2 * BITS)), min_size=1))
def test_words_have_a_bit_for_each_value_of_a_class(rows):
    classes = Column(placeholder_labels(4), np.array([own for own, _ in rows], np.uint8))
    words = values_as_bits(classes, np.array([value for _, value in rows]), 2 * BITS + 1)
    assert len(words) == number_of_words(2 * BITS + 1) == 3
    found = {
        (own, block * BITS + bit)
        for block, word in enumerate(words)
        for own in range(4)
        for bit in range(BITS)
        if int(word[own]) >> bit & 1
    }
    assert found == set(rows)


@pytest.mark.parametrize(
    ("labels", "codes", "expected"),
    [(["a", "b"], [0, 1], (0, 2, 0)), (["a", None, "b"], [0, 1, 1, 2, 2, 2], (2, 2, 1)), ([None], [0], (1, 0, 0))],
)
def test_what_a_key_says(labels, codes, expected):
    assert key_counts(Column(strings(labels), np.array(codes, np.uint8))) == expected
