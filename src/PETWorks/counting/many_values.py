"""What classes offer to people where a sensitive attribute has many values, such as an amount of money.

Words with a bit for every value would be far larger than the tables. Instead, the values are numbered anew for each
person: by their places in the class of the first table that the person is in. What a later class offers besides is one
more bit: it is in some tables, but never in all.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from PETWorks.counting import batches
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import count
from PETWorks.counting.offers import BITS, Offer, Words, number_of_words

PAIRS_PER_CELL = 64  # pairs of person and value that are looked at together, for each cell of a batch


class ClassValues(NamedTuple):
    """The values of each class: as keys in order (class times number of values plus value), and where classes begin."""

    keys: Words
    starts: Integers
    number: int

    @property
    def sizes(self) -> Integers:
        """How many values each class has."""
        return np.diff(self.starts, append=len(self.keys))

    def has(self, classes: Integers, values: Integers) -> np.ndarray:
        """Whether these classes have these values."""
        if not len(self.keys):
            return np.zeros(len(classes), np.bool_)
        wanted = classes.astype(np.uint64) * np.uint64(self.number) + values.astype(np.uint64)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        found: np.ndarray = self.keys[places] == wanted
        return found


def class_values(
    classes: Integers, size: int, values: Integers, number: int, missing: int | None = None
) -> ClassValues:
    """The values that occur in each of so many classes, but for one that does not count."""
    if missing is not None:
        classes, values = classes[values != missing], values[values != missing]
    keys = classes.astype(np.uint64) * np.uint64(number) + values.astype(np.uint64)
    keys = count(keys, (size * number - 1).bit_length()).keys.astype(np.uint64)
    starts = np.searchsorted(keys // np.uint64(number), np.arange(size, dtype=np.uint64))
    return ClassValues(keys, starts, number)


class Seen(NamedTuple):
    """One table: for each person the row, or -1; for each row the class and the value; and what the classes have."""

    rows: Integers
    classes: Integers
    values: Integers
    offered: ClassValues

    @property
    def pairs(self) -> int:
        """How many pairs of row and offered value there are."""
        return int(self.offered.sizes[self.classes].sum())


class Part(NamedTuple):
    """Some of the people: by which table the values of each are numbered, or -1, and how many these are."""

    people: slice
    first: Integers
    pairs: Integers


def parts_of(tables: Sequence[Seen]) -> Iterator[Part]:
    """All people, so many at a time that few values are looked at together."""
    people = len(tables[0].rows)
    first, pairs = np.full(people, -1, np.int64), np.zeros(people, np.int64)
    for place in reversed(range(len(tables))):
        one = tables[place]
        inside = one.rows >= 0
        first[inside] = place
        pairs[inside] = one.offered.sizes[one.classes[one.rows[inside]]]
    ends = np.cumsum(pairs)
    begin = 0
    while begin < people:
        most = (ends[begin - 1] if begin else 0) + PAIRS_PER_CELL * batches.CELLS_PER_BATCH
        end = min(max(int(np.searchsorted(ends, most, "right")), begin + 1), begin + batches.CELLS_PER_BATCH)
        yield Part(slice(begin, end), first[begin:end], pairs[begin:end])
        begin = end


def offers_of_many(tables: Sequence[Seen], part: Part) -> list[Offer]:
    """What the tables offer to these people."""
    people, first, pairs = part
    owners = np.repeat(np.arange(len(pairs)), pairs)
    places = np.arange(len(owners)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    values = np.empty(len(owners), np.int64)
    for place, one in enumerate(tables):
        mine = first[owners] == place
        starts = one.offered.starts[one.classes[one.rows[people][owners[mine]]]]
        values[mine] = (one.offered.keys[starts + places[mine]] % np.uint64(one.offered.number)).astype(np.int64)
    besides = int(pairs.max(initial=0))  # the bit of values that the first table does not offer
    return [_offer(one, people, owners, values, places, besides) for one in tables]


def _offer(one: Seen, people: slice, owners: Integers, values: Integers, places: Integers, besides: int) -> Offer:
    """What a table offers, by pairs of person and value, which has that place among the person's values."""
    rows = one.rows[people]
    inside = rows >= 0
    classes = one.classes[rows]
    found = inside[owners] & one.offered.has(classes[owners], values)
    blocks, bits = np.divmod(places, BITS)
    words = np.zeros((number_of_words(besides + 1), len(rows)), np.uint64)
    np.bitwise_or.at(words, (blocks[found], owners[found]), np.uint64(1) << bits[found].astype(np.uint64))
    sizes = np.where(inside, one.offered.sizes[classes], 0)
    more = sizes > np.bincount(owners[found], minlength=len(rows))
    words[besides // BITS] |= more.astype(np.uint64) << np.uint64(besides % BITS)
    own = one.values[rows]
    is_own = values == own[owners]
    bit_of_own = np.full(len(rows), -1, np.int64)
    bit_of_own[owners[is_own]] = places[is_own]
    return Offer(inside, own, list(words), sizes, bit_of_own)
