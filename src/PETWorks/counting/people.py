"""People of several tables, joined by a key: their codes, the values their classes offer, and the join in memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting import questions
from PETWorks.counting.codes import Column, Encoder, in_one_coding, labels_and, nameless, narrowest
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import count, numbered, pack
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import Merge, folded
from PETWorks.counting.table import Table
from PETWorks.errors import Hint, NotApplicable
from PETWorks.tables.arrays import Numbers, are_integers, arrow_integers, numpy_integers, texts, whole_numbers

if TYPE_CHECKING:
    import pyarrow as pa


SPREAD = 4  # so many times as many numbers as keys between the smallest and the largest key are few
FEW = 1 << 20


class KeyEncoder:
    """A column of codes from pieces of a key; its labels are integers if all keys are.

    A text of decimal digits without zeros in front is the same key as the integer.
    """

    def __init__(self, *, spaced_quotes: bool = False) -> None:
        self._numbers: list[Numbers] | None = []
        self._encoder = Encoder(spaced_quotes=spaced_quotes)
        self._number_bytes = 0

    @property
    def label_bytes(self) -> int:
        """What the distinct keys take."""
        return self._number_bytes if self._numbers is not None else self._encoder.label_bytes

    def add(self, piece: "pa.Array") -> None:
        """Take the next rows."""
        if self._numbers is not None:
            numbers = whole_numbers(piece)
            if numbers is not None:
                self._numbers.append(numbers)
                self._number_bytes += numbers.nbytes
                return
            for earlier in self._numbers:
                self._encoder.add(arrow_integers(earlier))
            self._numbers = None
        self._encoder.add(piece)

    def finish(self) -> Column:
        """The column."""
        if self._numbers is None:
            return self._encoder.finish()
        numbers = np.concatenate(self._numbers)
        (codes,), labels = _coded([numbers])
        return Column(arrow_integers(labels), codes.astype(narrowest(len(labels))))


def keys_in_one_coding(several: Sequence["pa.Array"]) -> tuple[list[Integers], int]:
    """For each of several arrays of keys the code of every key, the same for equal ones; and how many there are."""
    if not all(are_integers(keys) for keys in several):
        return in_one_coding([texts(keys) if are_integers(keys) else keys for keys in several])
    codes, labels = _coded([numpy_integers(keys).astype(np.int64, copy=False) for keys in several])
    return codes, len(labels)


def _coded(several: Sequence[Numbers]) -> tuple[list[Integers], Numbers]:
    """For each of several arrays of numbers the place of every number among the different ones; and these, ascending.

    If few numbers lie between the smallest and the largest one, nothing is sorted.
    """
    low, high = (min(int(own.min()) for own in several), max(int(own.max()) for own in several))
    span = high - low + 1
    if span > max(FEW, SPREAD * sum(map(len, several))):
        labels, codes = np.unique(np.concatenate(several), return_inverse=True)
        return np.split(codes, np.cumsum([len(own) for own in several])[:-1]), labels
    occurs = np.zeros(span, np.bool_)
    for own in several:
        occurs[own - low] = True
    labels = np.flatnonzero(occurs) + low
    if len(labels) == span:
        return [own - low for own in several], labels
    places = np.cumsum(occurs) - 1
    return [places[own - low] for own in several], labels


Words = NDArray[np.uint64]

BITS = 60  # values in a word: engines have signed integers of 64 bits
MOST_VALUES = 100 * BITS  # of a sensitive attribute, where each word is a column of an engine


class Offer(NamedTuple):
    """What one table offers to some people.

    inside   whether they are in it
    values   the value that they have; of those who are not in it, any
    words    the values that their class has, as bits, `BITS` in a word; of those who are not in it, none
    sizes    how many values their class has, if the bits do not say so
    places   the bit of their own value, if it is not the value; -1 if it has none
    """

    inside: NDArray[np.bool_]
    values: Integers
    words: list[Words]
    sizes: Integers | None = None
    places: Integers | None = None


def check_values(numbers: Mapping[str, int]) -> None:
    """An error if sensitive attributes have more values than an engine can have words for."""
    for name, number in numbers.items():
        if number > MOST_VALUES:
            raise NotApplicable(
                "{column!r} has {number:,} values in all releases; out of core or in a cluster, at "
                "most {most:,} can be intersected; generalise it, or join the releases in "
                "memory",
                Hint.ENGINE_IN_MEMORY,
                column=name,
                number=number,
                most=MOST_VALUES,
                what="sensitive",
            )


def number_of_words(values: int) -> int:
    """How many words it takes to say which of so many values there are."""
    return -(-values // BITS)


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
        most = (ends[begin - 1] if begin else 0) + PAIRS_PER_CELL * questions.CELLS_PER_BATCH
        end = min(max(int(np.searchsorted(ends, most, "right")), begin + 1), begin + questions.CELLS_PER_BATCH)
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

        step = max(1, questions.CELLS_PER_BATCH // max(1, blocks // FEW_WORDS))
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
