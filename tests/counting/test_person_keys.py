"""Keys of people against their texts: the same person exactly where the trimmed texts are the same."""

from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks.counting import people
from PETWorks.counting.people import KeyEncoder, encode_keys_together
from PETWorks.tables.arrays import whole_numbers

ODD = ["7", "07", "0", "00", "-7", "+7", " 7", "7 ", "0x7", "7.0", "1e3", "P7", "", "٧", "9" * 18, "9" * 19, "9" * 30]
TEXTS = st.sampled_from(ODD) | st.integers(-5, 10**19).map(str)
NUMBERS = st.integers(-5, 20) | st.integers(-(2**63), 2**63 - 1)
AS_TEXT = (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()))


@st.composite
def pieces(draw):
    """A few pieces of one column, and the texts of its cells."""
    if draw(st.booleans()):
        cells = draw(st.lists(NUMBERS, min_size=1, max_size=6))
        array = pa.array(cells, pa.int64())
        if all(0 <= cell < 256 for cell in cells):
            array = array.cast(draw(st.sampled_from([pa.int64(), pa.uint8(), pa.int16()])))
    else:
        usual = st.integers(0, 30).map(str)
        cells = draw(st.lists(TEXTS | st.none(), min_size=1, max_size=6) | st.lists(usual, min_size=1, max_size=6))
        array = pa.array(cells, pa.string()).cast(draw(st.sampled_from(AS_TEXT)))
    at = draw(st.integers(0, len(cells)))
    return [piece for piece in (array[:at], array[at:]) if len(piece)], [_text(cell) for cell in cells]


def _text(cell):
    return None if cell is None else str(cell).strip() or None


@examples(300)
@given(st.lists(pieces(), min_size=1, max_size=3), st.sampled_from([0, 1 << 20]))
def test_keys_are_the_same_where_their_texts_are(several, few):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(people, "FEW", few)
        columns = []
        for given_pieces, _ in several:
            encoder = KeyEncoder()
            for piece in given_pieces:
                encoder.add(piece)
            columns.append(encoder.finish().without_unused_labels())
        codes, number = encode_keys_together([column.labels for column in columns])
    found = [own[column.codes].tolist() for own, column in zip(codes, columns, strict=True)]
    texts = [cells for _, cells in several]
    flat = dict(zip(chain(*found), chain(*texts), strict=True))
    assert [[flat[code] for code in own] for own in found] == texts
    assert len(flat) == len(set(chain(*texts))) == number


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1", "20", "0"], [1, 20, 0]),
        (["9" * 18], [int("9" * 18)]),
        (["0xFFFFFFFFF"], None),  # as long as the number that it is in hexadecimal
        (["01"], None),
        (["9" * 19], None),
        (["1", ""], None),
        (["1", None], None),
        (["١"], None),
    ],
)
def test_texts_that_are_whole_numbers(cells, numbers):
    found = whole_numbers(pa.array(cells, pa.string()))
    assert (found is None) if numbers is None else (found is not None and found.tolist() == numbers)


def test_a_key_of_numbers_has_no_texts():
    encoder = KeyEncoder()
    encoder.add(pa.array(np.arange(5)))
    encoder.add(pa.array(["7", "3"]))
    column = encoder.finish()
    assert column.labels.type == pa.int64()
    assert column.counts.tolist() == [1, 1, 1, 2, 1, 1]
