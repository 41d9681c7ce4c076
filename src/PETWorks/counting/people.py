"""People of several tables, joined by a key: what an engine says about them, and the join in memory."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting import batches
from PETWorks.counting.batches import folded
from PETWorks.counting.codes import Column, labels_and, nameless, narrowest
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import count, numbered, pack
from PETWorks.counting.many_values import Seen, class_values, offers_of_many, parts_of
from PETWorks.counting.offers import BITS, Offer, Words, number_of_words
from PETWorks.counting.person_keys import keys_in_one_coding
from PETWorks.counting.questions import Merge
from PETWorks.counting.table import Table
from PETWorks.counting.weighted_rows import WeightedRows

Summary = TypeVar("Summary")

NOT_IN = "(not in this release)"
FEW_WORDS = 8  # of an attribute with more values, those of each person are numbered anew if that takes less


class KeyCounts(NamedTuple):
    """What a key says about records and people.

    missing    records that do not say whose they are
    people     how many people there are
    repeated   people who have more than one record
    """

    missing: int
    people: int
    repeated: int


class Brought(NamedTuple):
    """What one of several tables brings along.

    name     what it is called
    table    its rows; engines that count elsewhere keep the key of each row with them
    known    the columns that make its classes
    values   for each sensitive attribute the common code of each of its codes, which is the same in all tables
    key      the key of each row, if the table is in memory
    """

    name: str
    table: Any
    known: tuple[str, ...]
    values: Mapping[str, Integers]
    key: Column | None = None


OfPeople = Callable[[list[Offer]], Summary]


class JoinedPeople(Protocol):
    """Several tables whose people are known; the targets are those of one of them.

    targets     one row for each target: what each table says about them, and their sensitive values
    groups      for each table the columns of `targets` that make its classes; one code stands for "not in this table"
    in_common   for each table how many targets are in it
    """

    groups: list[tuple[str, ...]]
    in_common: list[int]

    @property
    def targets(self) -> Table:
        """The targets by the classes that they are in."""

    @property
    def columns(self) -> Table:
        """The targets by columns of the tables, called by `column_name`."""

    def offers(
        self, attribute: str, kernel: OfPeople[Summary], merge: Merge[Summary], missing: int | None = None
    ) -> Summary:
        """Run a kernel over all people: what the tables that have an attribute offer to them, in their order.

        missing   the code of a value that need not be offered: where values have bits, the kernel leaves it out
        """


def column_name(table: str, column: str) -> str:
    """What a column of one of several tables is called."""
    return f"{table}: {column}"


class PeopleInMemory:
    """See `JoinedPeople`."""

    def __init__(self, brought: Sequence[Brought], place: int, numbers: Mapping[str, int]) -> None:
        self._brought, self._place, self._numbers = brought, place, numbers
        keys = [one.key for one in brought if one.key is not None]
        codes, self._people = keys_in_one_coding([key.labels for key in keys])
        self._rows = [self._row_of(own[key.codes]) for own, key in zip(codes, keys, strict=True)]
        self._focal = codes[place][keys[place].codes]
        self.groups: list[tuple[str, ...]] = [(f"{number}",) for number in range(len(brought))]
        self.in_common = [int(np.count_nonzero(rows[self._focal] >= 0)) for rows in self._rows]

    def _row_of(self, persons: Integers) -> NDArray[np.int32]:
        """For each person the row; -1 for those who are not in the table."""
        rows = np.full(self._people, -1, np.int32)
        rows[persons] = np.arange(len(persons), dtype=np.int32)
        return rows

    @cached_property
    def _classes(self) -> list[Column]:
        """For each table the class of each row."""
        return [_class_column(pack([one.table.columns[name] for name in one.known]).keys) for one in self._brought]

    @cached_property
    def targets(self) -> WeightedRows:
        """The targets by the classes that they are in."""
        columns = {
            name: self._of_targets(place, classes)
            for place, ((name,), classes) in enumerate(zip(self.groups, self._classes, strict=True))
        }
        return WeightedRows(columns | self._own_values, whole=False)

    @cached_property
    def columns(self) -> WeightedRows:
        """The targets by columns of the tables."""
        columns = {
            column_name(one.name, name): self._of_targets(place, one.table.columns[name])
            for place, one in enumerate(self._brought)
            for name in one.known
        }
        return WeightedRows(columns | self._own_values, whole=False)

    @property
    def _own_values(self) -> dict[str, Column]:
        """The sensitive values of the targets, in the order of their rows."""
        focal = self._brought[self._place]
        return {
            name: Column(nameless(number), _common(focal, name).astype(narrowest(number)))
            for name, number in self._numbers.items()
        }

    def _of_targets(self, place: int, column: Column) -> Column:
        """A column of a table, for each target; those who are not in the table have a value of their own."""
        rows = self._rows[place][self._focal]
        size = len(column.labels)
        if self.in_common[place] == len(rows):
            return Column(column.labels, column.codes[rows])
        return Column(
            labels_and(column.labels, NOT_IN), np.where(rows >= 0, column.codes[rows], size).astype(narrowest(size + 1))
        )

    def offers(
        self, attribute: str, kernel: OfPeople[Summary], merge: Merge[Summary], missing: int | None = None
    ) -> Summary:
        """Run a kernel over all people: what the tables that have an attribute offer to them, in their order."""
        having = [place for place, one in enumerate(self._brought) if attribute in one.values]
        values = {place: _common(self._brought[place], attribute) for place in having}
        number = self._numbers[attribute]
        blocks = number_of_words(number)
        if blocks > FEW_WORDS:
            seen = [self._seen(place, values[place], number, missing) for place in having]
            if sum(one.pairs for one in seen) < blocks * sum(len(one.values) for one in seen):
                return folded(lambda part: kernel(offers_of_many(seen, part)), merge, parts_of(seen), self._people)
        words = {place: words_of(self._classes[place], values[place], number) for place in having}

        def offers_to(people: slice) -> list[Offer]:
            offers = []
            for place in having:
                rows = self._rows[place][people]
                inside, classes = rows >= 0, self._classes[place].codes[rows]
                own = [np.where(inside, word[classes], np.uint64(0)) for word in words[place]]
                offers.append(Offer(inside, values[place][rows], own))
            return offers

        step = max(1, batches.CELLS_PER_BATCH // max(1, blocks // FEW_WORDS))
        parts = (slice(first, first + step) for first in range(0, self._people, step))
        return folded(lambda people: kernel(offers_to(people)), merge, parts, self._people)

    def _seen(self, place: int, values: Integers, number: int, missing: int | None) -> Seen:
        classes = self._classes[place]
        codes = classes.codes.astype(np.int64)
        offered = class_values(codes, len(classes.labels), values, number, missing)
        return Seen(self._rows[place].astype(np.int64), codes, values, offered)


def key_counts(key: Column) -> KeyCounts:
    """What the key of each row says."""
    code = key.code(None)
    counts = key.counts if code is None else np.delete(key.counts, code)
    return KeyCounts(0 if code is None else int(key.counts[code]), len(counts), int(np.count_nonzero(counts > 1)))


def words_of(classes: Column, values: Integers, number: int) -> list[Words]:
    """For each class which values it has, as bits."""
    size, span = len(classes.labels), np.uint64(number)
    keys = classes.codes.astype(np.uint64) * span + values.astype(np.uint64)
    owners, offered = np.divmod(count(keys, (size * number - 1).bit_length()).keys, span)
    blocks, bits = np.divmod(offered, np.uint64(BITS))
    words = []
    for block in range(number_of_words(number)):
        chosen = blocks == block
        own = owners[chosen].astype(np.int64)
        word = np.zeros(size, np.uint64)
        starts = run_starts(own)
        if len(starts):
            word[own[starts]] = np.bitwise_or.reduceat(np.uint64(1) << bits[chosen], starts)
        words.append(word)
    return words


def _common(one: Brought, attribute: str) -> Integers:
    """The common code of the value of each row."""
    codes: Integers = one.values[attribute][one.table.columns[attribute].codes]
    return codes


def _class_column(keys: NDArray[np.unsignedinteger]) -> Column:
    """Equal keys as a column of equal codes, which have no labels."""
    codes, number = numbered(keys)
    return Column(nameless(number), codes.astype(narrowest(number)))
