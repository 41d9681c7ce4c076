"""People of several tables joined by a key: codes of keys, the values of their classes, and the join in memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting import questions
from PETWorks.counting.codes import Column, Encoder, add_label, encode_together, narrowest_type, placeholder_labels
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import count_keys, pack, rank_keys
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import Merge, fold_batches
from PETWorks.counting.table import Table
from PETWorks.errors import Hint, NotApplicable
from PETWorks.tables.arrays import are_integers, arrow_integers, numpy_integers, texts, whole_numbers

if TYPE_CHECKING:
    import pyarrow as pa


SPREAD = 4  # keys are dense if their range is at most this many times their number,
FEW = 1 << 20  # or at most this


class KeyEncoder:
    """Encodes the pieces of a key column; the labels are integers if all keys are.

    A text of decimal digits without leading zeros is the same key as the integer.
    """

    def __init__(self, *, spaced_quotes: bool = False) -> None:
        self._numbers: list[Integers] | None = []
        self._encoder = Encoder(spaced_quotes=spaced_quotes)
        self._number_bytes = 0

    @property
    def label_bytes(self) -> int:
        """Memory of the distinct keys, in bytes."""
        return self._number_bytes if self._numbers is not None else self._encoder.label_bytes

    def add(self, piece: "pa.Array") -> None:
        """Encode the next rows."""
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
        """Return the column of all rows added."""
        if self._numbers is None:
            return self._encoder.finish()
        numbers = np.concatenate(self._numbers)
        (codes,), labels = _encode_integers([numbers])
        return Column(arrow_integers(labels), codes.astype(narrowest_type(len(labels))))


def encode_keys_together(arrays: Sequence["pa.Array"]) -> tuple[list[Integers], int]:
    """The codes of several arrays of keys, equal for equal keys, and the number of distinct keys."""
    if not all(are_integers(keys) for keys in arrays):
        return encode_together([texts(keys) if are_integers(keys) else keys for keys in arrays])
    codes, labels = _encode_integers([numpy_integers(keys).astype(np.int64, copy=False) for keys in arrays])
    return codes, len(labels)


def _encode_integers(arrays: Sequence[Integers]) -> tuple[list[Integers], Integers]:
    """The rank of every number among the distinct numbers of all arrays, and the distinct numbers, ascending.

    Dense numbers are ranked with a lookup table instead of sorting.
    """
    low, high = (min(int(array.min()) for array in arrays), max(int(array.max()) for array in arrays))
    span = high - low + 1
    if span > max(FEW, SPREAD * sum(map(len, arrays))):
        labels, codes = np.unique(np.concatenate(arrays), return_inverse=True)
        return np.split(codes, np.cumsum([len(array) for array in arrays])[:-1]), labels
    occurs = np.zeros(span, np.bool_)
    for array in arrays:
        occurs[array - low] = True
    labels = np.flatnonzero(occurs) + low
    if len(labels) == span:
        return [array - low for array in arrays], labels
    indices = np.cumsum(occurs) - 1
    return [indices[array - low] for array in arrays], labels


Words = NDArray[np.uint64]

BITS = 60  # values per word, because engines have signed integers of 64 bits
MAX_VALUES = 100 * BITS  # of a sensitive attribute, because each word is a column of the engine's table


class Offer(NamedTuple):
    """The possible values of some people according to one table: the values in their class.

    inside   whether each person is in the table
    values   the person's own value; arbitrary for people who are not in the table
    words    the values in the person's class, as bits, `BITS` per word; none for people who are not in the table
    sizes    the number of values in the class, if it is not the number of bits
    own_bits   the bit of the person's own value, if it is not the value itself; -1 if it has no bit
    """

    inside: NDArray[np.bool_]
    values: Integers
    words: list[Words]
    sizes: Integers | None = None
    own_bits: Integers | None = None


def check_values(numbers: Mapping[str, int]) -> None:
    """Raise if a sensitive attribute has more values than an engine can represent."""
    for name, number in numbers.items():
        if number > MAX_VALUES:
            raise NotApplicable(
                "{column!r} has {number:,} values in all releases; out of core or in a cluster, at "
                "most {most:,} can be intersected; generalise it, or join the releases in "
                "memory",
                Hint.ENGINE_IN_MEMORY,
                column=name,
                number=number,
                most=MAX_VALUES,
                what="sensitive",
            )


def number_of_words(values: int) -> int:
    """The number of words in a bit set of this many values."""
    return -(-values // BITS)


PAIRS_PER_CELL = 64  # pairs of person and value handled at once, per cell of a batch


class SortedValues(NamedTuple):
    """The values of each class, as sorted keys (class * number + value), and the index where each class begins."""

    keys: Words
    starts: Integers
    number: int

    @property
    def sizes(self) -> Integers:
        """The number of values of each class."""
        return np.diff(self.starts, append=len(self.keys))

    def has(self, classes: Integers, values: Integers) -> np.ndarray:
        """Whether each class has the value at the same index."""
        if not len(self.keys):
            return np.zeros(len(classes), np.bool_)
        wanted = classes.astype(np.uint64) * np.uint64(self.number) + values.astype(np.uint64)
        indices = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        found: np.ndarray = self.keys[indices] == wanted
        return found


def class_values(
    classes: Integers, size: int, values: Integers, number: int, missing: int | None = None
) -> SortedValues:
    """The values that occur in each class.

    size      the number of classes
    number    the number of values
    missing   a value to leave out
    """
    if missing is not None:
        classes, values = classes[values != missing], values[values != missing]
    keys = classes.astype(np.uint64) * np.uint64(number) + values.astype(np.uint64)
    keys = count_keys(keys, (size * number - 1).bit_length()).keys.astype(np.uint64)
    starts = np.searchsorted(keys // np.uint64(number), np.arange(size, dtype=np.uint64))
    return SortedValues(keys, starts, number)


class KeyedTable(NamedTuple):
    """One table: the row of each person, or -1; the class and the value of each row; the values of each class."""

    rows: Integers
    classes: Integers
    values: Integers
    offered: SortedValues

    @property
    def pairs(self) -> int:
        """The number of pairs of a row and a value of its class."""
        return int(self.offered.sizes[self.classes].sum())


class PeopleSlice(NamedTuple):
    """Some of the people.

    first   the index of the first table that each person is in, which numbers the person's values; or -1
    pairs   the number of these values
    """

    people: slice
    first: Integers
    pairs: Integers


def parts_of(tables: Sequence[KeyedTable]) -> Iterator[PeopleSlice]:
    """Split all people into parts, to limit the pairs of person and value handled at once."""
    people = len(tables[0].rows)
    first, pairs = np.full(people, -1, np.int64), np.zeros(people, np.int64)
    for index in reversed(range(len(tables))):
        table = tables[index]
        inside = table.rows >= 0
        first[inside] = index
        pairs[inside] = table.offered.sizes[table.classes[table.rows[inside]]]
    ends = np.cumsum(pairs)
    begin = 0
    while begin < people:
        most = (ends[begin - 1] if begin else 0) + PAIRS_PER_CELL * questions.CELLS_PER_BATCH
        end = min(max(int(np.searchsorted(ends, most, "right")), begin + 1), begin + questions.CELLS_PER_BATCH)
        yield PeopleSlice(slice(begin, end), first[begin:end], pairs[begin:end])
        begin = end


def offers_of_many(tables: Sequence[KeyedTable], part: PeopleSlice) -> list[Offer]:
    """The offers of the tables to these people, with bits numbered per person."""
    people, first, pairs = part
    owners = np.repeat(np.arange(len(pairs)), pairs)
    indices = np.arange(len(owners)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    values = np.empty(len(owners), np.int64)
    for index, table in enumerate(tables):
        mine = first[owners] == index
        starts = table.offered.starts[table.classes[table.rows[people][owners[mine]]]]
        values[mine] = (table.offered.keys[starts + indices[mine]] % np.uint64(table.offered.number)).astype(np.int64)
    besides = int(pairs.max(initial=0))  # the bit of all values that the first table does not offer
    return [_offer(table, people, owners, values, indices, besides) for table in tables]


def _offer(
    table: KeyedTable, people: slice, owners: Integers, values: Integers, indices: Integers, besides: int
) -> Offer:
    """The offer of one table.

    owners, values, indices   of each pair: the person, the value, and its index among the person's values
    besides                  the bit of all values that are not among the pairs
    """
    rows = table.rows[people]
    inside = rows >= 0
    classes = table.classes[rows]
    found = inside[owners] & table.offered.has(classes[owners], values)
    blocks, bits = np.divmod(indices, BITS)
    words = np.zeros((number_of_words(besides + 1), len(rows)), np.uint64)
    np.bitwise_or.at(words, (blocks[found], owners[found]), np.uint64(1) << bits[found].astype(np.uint64))
    sizes = np.where(inside, table.offered.sizes[classes], 0)
    more = sizes > np.bincount(owners[found], minlength=len(rows))
    words[besides // BITS] |= more.astype(np.uint64) << np.uint64(besides % BITS)
    own_values = table.values[rows]
    is_own = values == own_values[owners]
    bit_of_own = np.full(len(rows), -1, np.int64)
    bit_of_own[owners[is_own]] = indices[is_own]
    return Offer(inside, own_values, list(words), sizes, bit_of_own)


Summary = TypeVar("Summary")

NOT_IN_RELEASE = "(not in this release)"
FEW_WORDS = 8  # beyond this, values are numbered per person if that takes less memory


class KeyCounts(NamedTuple):
    """Counts of records and people by key.

    missing    records without a key
    people     the number of people
    repeated   people who have more than one record
    """

    missing: int
    people: int
    repeated: int


class TableToJoin(NamedTuple):
    """One of the tables to join.

    name     the name of the table
    table    its rows; engines that count elsewhere keep the key of each row with them
    known    the columns that define its classes
    values   for each sensitive attribute, the code of each value that is common to all tables
    key      the key of each row, if the table is in memory
    """

    name: str
    table: Any
    known: tuple[str, ...]
    values: Mapping[str, Integers]
    key: Column | None = None


OfferKernel = Callable[[list[Offer]], Summary]


class JoinedPeople(Protocol):
    """Several tables joined by person; the targets are the people of one of them.

    targets     one row for each target: its class in each table, and its sensitive values
    groups      for each table the columns of `targets` that define its classes; one code means "not in this table"
    in_common   for each table the number of targets in it
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
        self, attribute: str, kernel: OfferKernel[Summary], merge: Merge[Summary], missing: int | None = None
    ) -> Summary:
        """Run a kernel over the offers to all people by the tables that have the attribute, in the order of the tables.

        missing   the code of a value that may be left out; where it has a bit, the kernel leaves it out
        """


def column_name(table: str, column: str) -> str:
    """The name of a column of one of several tables."""
    return f"{table}: {column}"


class PeopleInMemory:
    """Tables in memory joined by person; see `JoinedPeople`."""

    def __init__(self, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]) -> None:
        self._tables, self._focal, self._numbers_of_values = tables, focal, numbers_of_values
        keys = [table.key for table in tables if table.key is not None]
        codes, self._people = encode_keys_together([key.labels for key in keys])
        self._rows = [self._row_of(common[key.codes]) for common, key in zip(codes, keys, strict=True)]
        self._target_people = codes[focal][keys[focal].codes]
        self.groups: list[tuple[str, ...]] = [(f"{number}",) for number in range(len(tables))]
        self.in_common = [int(np.count_nonzero(rows[self._target_people] >= 0)) for rows in self._rows]

    def _row_of(self, persons: Integers) -> NDArray[np.int32]:
        """The row of each person, or -1 for people who are not in the table."""
        rows = np.full(self._people, -1, np.int32)
        rows[persons] = np.arange(len(persons), dtype=np.int32)
        return rows

    @cached_property
    def _classes(self) -> list[Column]:
        """The class of each row, one column per table."""
        return [_class_column(pack([table.table.columns[name] for name in table.known]).keys) for table in self._tables]

    @cached_property
    def targets(self) -> WeightedRows:
        """The targets by the classes that they are in."""
        columns = {
            name: self._of_targets(index, classes)
            for index, ((name,), classes) in enumerate(zip(self.groups, self._classes, strict=True))
        }
        return WeightedRows(columns | self._own_values, whole=False)

    @cached_property
    def columns(self) -> WeightedRows:
        """The targets by columns of the tables."""
        columns = {
            column_name(table.name, name): self._of_targets(index, table.table.columns[name])
            for index, table in enumerate(self._tables)
            for name in table.known
        }
        return WeightedRows(columns | self._own_values, whole=False)

    @property
    def _own_values(self) -> dict[str, Column]:
        """The sensitive values of the targets, in the order of their rows."""
        focal = self._tables[self._focal]
        return {
            name: Column(placeholder_labels(number), _common(focal, name).astype(narrowest_type(number)))
            for name, number in self._numbers_of_values.items()
        }

    def _of_targets(self, index: int, column: Column) -> Column:
        """A column of a table, for each target; targets who are not in the table get an extra value."""
        rows = self._rows[index][self._target_people]
        size = len(column.labels)
        if self.in_common[index] == len(rows):
            return Column(column.labels, column.codes[rows])
        return Column(
            add_label(column.labels, NOT_IN_RELEASE),
            np.where(rows >= 0, column.codes[rows], size).astype(narrowest_type(size + 1)),
        )

    def offers(
        self, attribute: str, kernel: OfferKernel[Summary], merge: Merge[Summary], missing: int | None = None
    ) -> Summary:
        """Run a kernel over the offers to all people by the tables that have the attribute; see `JoinedPeople`."""
        having = [index for index, table in enumerate(self._tables) if attribute in table.values]
        values = {index: _common(self._tables[index], attribute) for index in having}
        number = self._numbers_of_values[attribute]
        blocks = number_of_words(number)
        if blocks > FEW_WORDS:
            tables = [self._keyed_table(index, values[index], number, missing) for index in having]
            if sum(table.pairs for table in tables) < blocks * sum(len(table.values) for table in tables):
                return fold_batches(
                    lambda part: kernel(offers_of_many(tables, part)), merge, parts_of(tables), self._people
                )
        words = {index: values_as_bits(self._classes[index], values[index], number) for index in having}

        def offers_to(people: slice) -> list[Offer]:
            offers = []
            for index in having:
                rows = self._rows[index][people]
                inside, classes = rows >= 0, self._classes[index].codes[rows]
                offered = [np.where(inside, word[classes], np.uint64(0)) for word in words[index]]
                offers.append(Offer(inside, values[index][rows], offered))
            return offers

        step = max(1, questions.CELLS_PER_BATCH // max(1, blocks // FEW_WORDS))
        parts = (slice(first, first + step) for first in range(0, self._people, step))
        return fold_batches(lambda people: kernel(offers_to(people)), merge, parts, self._people)

    def _keyed_table(self, index: int, values: Integers, number: int, missing: int | None) -> KeyedTable:
        classes = self._classes[index]
        codes = classes.codes.astype(np.int64)
        offered = class_values(codes, len(classes.labels), values, number, missing)
        return KeyedTable(self._rows[index].astype(np.int64), codes, values, offered)


def key_counts(key: Column) -> KeyCounts:
    """Count records and people by the key of each row."""
    code = key.code(None)
    counts = key.counts if code is None else np.delete(key.counts, code)
    return KeyCounts(0 if code is None else int(key.counts[code]), len(counts), int(np.count_nonzero(counts > 1)))


def values_as_bits(classes: Column, values: Integers, number: int) -> list[Words]:
    """The values of each class as bits, in words of `BITS` values."""
    size, span = len(classes.labels), np.uint64(number)
    keys = classes.codes.astype(np.uint64) * span + values.astype(np.uint64)
    owners, offered = np.divmod(count_keys(keys, (size * number - 1).bit_length()).keys, span)
    blocks, bits = np.divmod(offered, np.uint64(BITS))
    words = []
    for block in range(number_of_words(number)):
        chosen = blocks == block
        classes_here = owners[chosen].astype(np.int64)
        word = np.zeros(size, np.uint64)
        starts = run_starts(classes_here)
        if len(starts):
            word[classes_here[starts]] = np.bitwise_or.reduceat(np.uint64(1) << bits[chosen], starts)
        words.append(word)
    return words


def _common(table: TableToJoin, attribute: str) -> Integers:
    """The common code of the value of each row."""
    codes: Integers = table.values[attribute][table.table.columns[attribute].codes]
    return codes


def _class_column(keys: NDArray[np.unsignedinteger]) -> Column:
    """A column without labels that has equal codes for equal keys."""
    codes, number = rank_keys(keys)
    return Column(placeholder_labels(number), codes.astype(narrowest_type(number)))
