"""Columns as integer codes, made from Arrow arrays of any type.

Scalars are taken from arrays, because PyArrow's conversion from Python objects imports pandas when it is installed.
`pyarrow.compute` takes as long to import as the rest of PyArrow, so it is imported only where it is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.about.treatment import person_name
from PETWorks.counting.counts import Integers
from PETWorks.errors import Hint, InputError
from PETWorks.tables.arrays import arrow_codes, arrow_integers, numpy_integers, strings, texts
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.normalised_cells import normalise_texts
from PETWorks.tables.source import Source

LABELS_SHARE = 4  # distinct values may take this fraction of the memory limit, because comparing copies them

Codes = NDArray[np.unsignedinteger]

STEP = 1 << 15
LONGEST_NAME = 256  # characters; a longer name or number of a person is replaced by its hash


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of a column: code c stands for `labels[c]`."""

    labels: pa.Array

    @cached_property
    def values(self) -> list[str | None]:
        """The distinct values."""
        values: list[str | None] = self.labels.to_pylist()
        return values

    @property
    def bits(self) -> int:
        """The number of bits that a code needs."""
        return (len(self.labels) - 1).bit_length()

    @cached_property
    def _codes(self) -> dict[str | None, int | None]:
        return {}

    def code(self, value: str | None) -> int | None:
        """The code of a value (None is the missing one), or None if it does not occur."""
        if value not in self._codes:
            self._codes[value] = self._search(value)
        return self._codes[value]

    def _search(self, value: str | None) -> int | None:
        if value is None:
            return int(np.argmin(_valid(self.labels))) if self.labels.null_count else None
        from pyarrow import compute as pc

        position = pc.index(self.labels, strings([value])[0]).as_py()
        return position if position >= 0 else None


@dataclass(frozen=True, eq=False)
class CountedDomain(Domain):
    """The values of a column and the number of records with each."""

    counts: Integers

    def recode(self, mapping: Mapping[str | None, str | None]) -> tuple["CountedDomain", Integers]:
        """The values after applying a mapping, and the new code of each old one."""
        labels, new_codes = recode_labels(self.values, mapping)
        counts = np.zeros(len(labels), np.int64)
        np.add.at(counts, new_codes, self.counts)
        return CountedDomain(labels, counts), new_codes


@dataclass(frozen=True, eq=False)
class Column(Domain):
    """A column as codes: row i has the value `labels[codes[i]]`."""

    codes: Codes

    @cached_property
    def counts(self) -> Integers:
        """The number of rows with each label."""
        return code_counts(self.codes, len(self.labels))

    def take(self, rows: Integers) -> "Column":
        """The column restricted to these rows."""
        return Column(self.labels, self.codes[rows])

    def recode(self, labels: pa.Array, new_codes: Integers) -> "Column":
        """The column with code c replaced by `new_codes[c]`, an index into the new labels."""
        return Column(labels, _look_up(new_codes.astype(narrowest_type(len(labels))), self.codes))

    def in_label_order(self) -> "Column":
        """The column with its labels in ascending order, the missing one last; the order of rows does not change."""
        labels, order = sorted_labels(self.labels)
        return self if (np.diff(order) > 0).all() else self.recode(labels, np.argsort(order))

    def without_unused_labels(self) -> "Column":
        """The column without labels that no row has."""
        used = np.flatnonzero(self.counts)
        if len(used) in (0, len(self.labels)):  # without rows, all labels may stay
            return self
        if len(used) and used[-1] == len(used) - 1:  # unused labels come last, so no code changes
            # Not a slice, because files would then contain the bytes of all labels.
            column = Column(self.labels.take(arrow_integers(used)), self.codes)
        else:
            new_codes = np.zeros(len(self.labels), np.int64)
            new_codes[used] = np.arange(len(used))
            column = self.recode(self.labels.take(arrow_integers(used)), new_codes)
        column.__dict__["counts"] = self.counts[used]  # need not be counted again
        return column


def recode_labels(values: Sequence[str | None], mapping: Mapping[str | None, str | None]) -> tuple[pa.Array, Integers]:
    """The labels that a mapping assigns to values, and the code of each value's label."""
    new_values = [mapping[value] for value in values]
    codes = {label: code for code, label in enumerate(dict.fromkeys(new_values))}
    return strings(list(codes)), np.array([codes[value] for value in new_values], np.int64)


def suppress_cells(column: Column, out: NDArray[np.bool_]) -> Column:
    """The column with `*` in the rows selected by a mask."""
    star = column.code(SUPPRESSED)
    labels = column.labels if star is not None else add_label(column.labels, SUPPRESSED)
    code = len(labels) - 1 if star is None else star
    return Column(labels, np.where(out, code, column.codes).astype(narrowest_type(len(labels))))


def common_coding(first: Column, second: Column) -> Column:
    """Two columns, the second below the first, with common codes."""
    values = list(dict.fromkeys([*first.values, *second.values]))
    codes = {value: code for code, value in enumerate(values)}
    labels = strings(values)
    parts = [
        part.recode(labels, np.array([codes[value] for value in part.values], np.int64)) for part in (first, second)
    ]
    return Column(labels, np.concatenate([part.codes for part in parts]))


def encode_together(arrays: Sequence[pa.Array]) -> tuple[list[Integers], int]:
    """The codes of several arrays of labels, equal for equal labels, and the number of distinct labels.

    Codes are assigned in the order in which labels first occur.
    """
    meaning = pa.concat_arrays([labels.cast(pa.large_string()) for labels in arrays]).dictionary_encode("encode")
    codes = numpy_integers(meaning.indices).astype(np.int64)
    return np.split(codes, np.cumsum([len(labels) for labels in arrays])[:-1]), len(meaning.dictionary)


def placeholder_labels(number: int) -> pa.Array:
    """Placeholder labels, `number` of them, which take no memory."""
    return pa.nulls(number)


def add_label(labels: pa.Array, further: str, *, first: bool = False) -> pa.Array:
    """The labels and a further one after or before them."""
    if pa.types.is_null(labels.type):
        return placeholder_labels(len(labels) + 1)
    both = [labels.cast(pa.large_string()), strings([further])]
    return pa.concat_arrays(both[::-1] if first else both)


class Encoder:
    """Encodes the pieces of an Arrow column; of each piece it keeps narrow indices and the distinct cells only.

    A cell is its trimmed text; blank and null cells are the missing value.
    """

    def __init__(self, *, spaced_quotes: bool = False) -> None:
        self._spaced_quotes = spaced_quotes
        self._dictionaries: list[pa.Array] = []
        self._parts: list[tuple[int, Codes]] = []
        self.label_bytes = 0

    def add(self, piece: pa.Array) -> None:
        """Encode the next rows."""
        dictionary, indices = _dictionary(piece)
        # Dictionaries of floats are not compared, because 0.0 and -0.0 would count as equal.
        floating = pa.types.is_floating(dictionary.type)
        if floating or not self._dictionaries or not dictionary.equals(self._dictionaries[-1]):
            self._dictionaries.append(dictionary)
            self.label_bytes += dictionary.nbytes
        self._parts.append((len(self._dictionaries) - 1, indices))

    def finish(self) -> Column:
        """Return the column of all rows added."""
        dictionaries = [texts(dictionary) for dictionary in self._dictionaries]
        cells = pa.concat_arrays([*dictionaries, pa.nulls(1, pa.large_string())])
        meaning = normalise_texts(cells, self._spaced_quotes).dictionary_encode("encode")
        labels, new_codes = (
            meaning.dictionary,
            numpy_integers(meaning.indices).astype(narrowest_type(len(meaning.dictionary))),
        )
        # The codes of each dictionary, followed by the code of null cells, which is the last of `new_codes`.
        ends = np.cumsum([len(dictionary) for dictionary in self._dictionaries])
        tables = [np.append(codes, new_codes[-1:]) for codes in np.split(new_codes[:-1], ends[:-1])]
        parts = [_look_up(tables[dictionary], indices) for dictionary, indices in self._parts]
        return Column(labels, np.concatenate(parts))


class GrowingEncoder:
    """Encodes the pieces of a column one by one; only the labels and their counts are kept.

    All labels are looked up again for each piece, which is slow if there are millions; `Encoder` is for columns that
    are kept.
    """

    def __init__(self, *, spaced_quotes: bool = False, labels: pa.Array | None = None) -> None:
        self._spaced_quotes = spaced_quotes
        self.labels = strings([]) if labels is None else labels
        self.counts = np.zeros(len(self.labels), np.int64)

    def codes(self, piece: pa.Array) -> Codes:
        """Encode the next rows."""
        from pyarrow import compute as pc

        dictionary, indices = _dictionary(piece)
        counts = code_counts(indices, len(dictionary) + 1)
        cells = normalise_texts(
            pa.concat_arrays([texts(dictionary), pa.nulls(1, pa.large_string())]), self._spaced_quotes
        )
        occurring = cells.take(arrow_integers(np.flatnonzero(counts)))
        fresh = pc.unique(occurring.filter(pc.invert(pc.is_in(occurring, self.labels))))
        if len(fresh):
            self.labels = pa.concat_arrays([self.labels, fresh])
            self.counts = np.append(self.counts, np.zeros(len(fresh), np.int64))
        codes = pc.index_in(cells, self.labels)
        table = numpy_integers(pc.fill_null(codes, 0)).astype(narrowest_type(len(self.labels)))
        np.add.at(self.counts, table, counts)
        return _look_up(table, indices)


def encode_with_labels(chunks: pa.ChunkedArray, labels: pa.Array, spaced_quotes: bool = False) -> Codes | None:
    """The codes of cells as indices into given labels; None if a cell is not among them."""
    from pyarrow import compute as pc

    codes = [np.empty(0, narrowest_type(len(labels)))]
    for piece in chunks.chunks if isinstance(chunks, pa.ChunkedArray) else [chunks]:
        dictionary, indices = _dictionary(piece)
        cells = normalise_texts(pa.concat_arrays([texts(dictionary), pa.nulls(1, pa.large_string())]), spaced_quotes)
        found = pc.index_in(cells, labels)
        if found.null_count and code_counts(indices, len(cells))[~_valid(found)].any():
            return None
        codes.append(_look_up(numpy_integers(pc.fill_null(found, 0)).astype(narrowest_type(len(labels))), indices))
    return np.concatenate(codes)


def _dictionary(piece: pa.Array) -> tuple[pa.Array, Codes]:
    """The distinct cells of a piece, and the index of each row's cell; null cells get the first index past the end."""
    if pa.types.is_string_view(piece.type):
        piece = piece.cast(pa.large_string())
    if not pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_encode()
    size = len(piece.dictionary)
    indices = numpy_integers(piece.indices).astype(narrowest_type(size + 1))
    if piece.null_count:
        indices[~_valid(piece.indices)] = size
    return piece.dictionary, indices


def trimmed_texts(chunks: pa.ChunkedArray, spaced_quotes: bool) -> pa.ChunkedArray:
    """A column as trimmed text, with blank cells missing."""
    return pa.chunked_array(
        [normalise_texts(texts(piece), spaced_quotes) for piece in chunks.chunks], pa.large_string()
    )


def same_people(labels: pa.Array) -> pa.Array:
    """For each name or number of a person the one that stands for all that differ only in spelling."""
    values = labels.to_pylist()
    names = [person_name(value) or value for value in values]
    return labels if names == values else strings(names)


def with_same_people(column: Column) -> Column:
    """A column that names people with one name or number for each of them, however it is spelt."""
    labels = same_people(column.labels)
    if labels is column.labels:
        return column
    return column.recode(*recode_labels(labels.to_pylist(), {value: value for value in labels.to_pylist()}))


def person_texts(chunks: pa.ChunkedArray, spaced_quotes: bool, *, folded: bool = False) -> pa.ChunkedArray:
    """A column that names people as texts, each stored once per piece; a long text is replaced by its SHA-256.

    folded   whether texts that differ only in spelling name one person
    """
    from pyarrow import compute as pc

    pieces = []
    for piece in chunks.chunks:
        dictionary, indices = _dictionary(piece)
        cells = normalise_texts(pa.concat_arrays([texts(dictionary), pa.nulls(1, pa.large_string())]), spaced_quotes)
        cells = same_people(cells) if folded else cells
        if (pc.max(pc.binary_length(cells)).as_py() or 0) > LONGEST_NAME:
            cells = strings([_shorten(text) for text in cells.to_pylist()])
        pieces.append(pa.DictionaryArray.from_arrays(arrow_codes(indices).cast(pa.int32()), cells))
    return pa.chunked_array(pieces, pa.dictionary(pa.int32(), pa.large_string()))


def _shorten(text: str | None) -> str | None:
    from hashlib import sha256

    # The blank at the end makes it different from all other texts, which are trimmed.
    return text if text is None or len(text) <= LONGEST_NAME else f"{sha256(text.encode()).hexdigest()} "


def arrow_table(pieces: Sequence[Sequence[pa.ChunkedArray]], names: Sequence[str]) -> pa.Table:
    """An Arrow table of all pieces, one below the other."""
    return pa.concat_tables([pa.Table.from_arrays(list(columns), list(names)) for columns in pieces])


def code_counts(codes: Codes, size: int) -> Integers:
    """The count of each code; in small steps, because NumPy widens codes to 64 bits."""
    counts = np.zeros(size, np.int64)
    for first in range(0, len(codes), STEP):
        counts += np.bincount(codes[first : first + STEP], minlength=size)
    return counts


def _look_up(table: Codes, indices: Codes) -> Codes:
    """`table[indices]`; in small steps that stay in the cache, because NumPy widens the indices to 64 bits."""
    codes = np.empty_like(indices, table.dtype)
    for first in range(0, len(indices), STEP):
        np.take(table, indices[first : first + STEP], out=codes[first : first + STEP], mode="clip")
    return codes


def narrowest_type(values: int) -> type[np.unsignedinteger]:
    """The smallest unsigned type for this many different codes."""
    return np.uint8 if values <= 1 << 8 else np.uint16 if values <= 1 << 16 else np.uint32


def _valid(array: pa.Array) -> NDArray[np.bool_]:
    bits = np.frombuffer(array.buffers()[0], np.uint8)
    return np.unpackbits(bits, bitorder="little")[array.offset : array.offset + len(array)].astype(np.bool_)


def sorted_labels(labels: pa.Array) -> tuple[pa.Array, Integers]:
    """The labels in ascending order, the missing one last, and the old index of each."""
    from pyarrow import compute as pc

    order = pc.sort_indices(labels)
    return labels.take(order).cast(pa.large_string()), numpy_integers(order).astype(np.int64)


def indices_among(labels: pa.Array, among: pa.Array) -> Integers:
    """The index of each label in another array, which contains all of them."""
    from pyarrow import compute as pc

    return numpy_integers(pc.index_in(labels, among)).astype(np.int64)


def fingerprint_of(columns: Mapping[str, Domain], names: Sequence[str], *codes: NDArray[np.integer]) -> str:
    """A fingerprint of the values and codes of columns."""
    from hashlib import blake2b
    from json import dumps

    digest = blake2b(digest_size=16)
    digest.update(dumps([[name, columns[name].values] for name in names]).encode())
    for array in codes:
        digest.update(f"{array.itemsize}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def check_labels_fit(size: int, memory_limit: int | None, source: Source) -> None:
    """Raise if the distinct values of columns are too large to be compared within the memory limit."""
    if memory_limit is not None and size > memory_limit // LABELS_SHARE:
        raise InputError(
            "{table}: the distinct values of its columns take {size:.1f} GB, too much for a "
            "memory limit of {memory_limit:.1f} GB; shorten the texts, leave a column "
            "without a role, or allow more memory",
            Hint.MEMORY_LIMIT,
            table=source.name,
            size=size / 1e9,
            memory_limit=memory_limit / 1e9,
        )
