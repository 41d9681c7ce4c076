"""Columns as integer codes, made from Arrow arrays of any type.

PyArrow's conversions from Python objects and to NumPy import pandas when it is installed, which costs a
second: arrays are made from and read through their buffers here, and scalars are taken out of arrays.
`pyarrow.compute` takes as long to import as the rest of PyArrow: it is, where it is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.counts import Integers
from PETWorks.errors import InputError

Codes = NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class Column:
    """A column as codes: row i has the value `labels[codes[i]]`; each label occurs `counts` times."""

    labels: pa.Array
    codes: Codes
    counts: Integers

    @cached_property
    def values(self) -> list[str | None]:
        """The distinct values."""
        values: list[str | None] = self.labels.to_pylist()
        return values

    @property
    def bits(self) -> int:
        """Bits that a code needs."""
        return (len(self.labels) - 1).bit_length()

    def code(self, value: str) -> int | None:
        """The code of a value, if it occurs."""
        from pyarrow import compute as pc

        position = pc.index(self.labels, strings([value])[0]).as_py()
        return position if position >= 0 else None

    def recoded(self, labels: pa.Array, new_codes: Integers) -> "Column":
        """The column with code c turned into new_codes[c], which names one of the new labels."""
        counts = np.zeros(len(labels), np.int64)
        np.add.at(counts, new_codes, self.counts)
        return Column(labels, new_codes.astype(_narrowest(len(labels)))[self.codes], counts)


def encode(chunks: pa.ChunkedArray, name: str, source: str) -> Column:
    """A column of any Arrow type as codes of its trimmed text; blank and null are the one missing value."""
    from pyarrow import compute as pc

    try:
        if pa.types.is_string_view(chunks.type):
            chunks = chunks.cast(pa.large_string())
        if not pa.types.is_dictionary(chunks.type):
            chunks = chunks.dictionary_encode()
        chunks = chunks.unify_dictionaries()
        texts = _texts(chunks.chunk(0).dictionary)
    except (pa.ArrowException, UnicodeDecodeError):
        raise InputError(f"{source}: column {name!r} has cells of type {chunks.type}, which have no text") from None
    meaning = _trimmed(texts).dictionary_encode(null_encoding="encode")
    labels = meaning.dictionary
    if labels.null_count == 0 and chunks.null_count:
        labels = pa.concat_arrays([labels, pa.nulls(1, labels.type)])
    missing = pc.index_in(pa.nulls(1, labels.type), value_set=labels)[0].as_py() or 0
    # One more code than the dictionary has, for null cells.
    new_codes = np.append(_numpy(meaning.indices), missing).astype(_narrowest(len(labels)))
    codes: Codes = np.empty(len(chunks), _narrowest(len(labels)))
    counts = np.zeros(len(labels), np.int64)
    start = 0
    for chunk in chunks.chunks:
        part = codes[start : start + len(chunk)]
        indices = _numpy(chunk.indices)
        if chunk.null_count:
            indices = np.where(_valid(chunk.indices), indices, len(new_codes) - 1)
        np.take(new_codes, indices, out=part, mode="clip")
        counts += np.bincount(part, minlength=len(labels))
        start += len(chunk)
    column = Column(labels, codes, counts)
    if not counts.all():
        used = np.flatnonzero(counts)
        compact = np.zeros(len(labels), np.int64)
        compact[used] = np.arange(len(used))
        column = Column(labels.take(arrow_integers(used)), compact.astype(_narrowest(len(used)))[codes], counts[used])
    return column


def _texts(values: pa.Array) -> pa.Array:
    """The distinct values of a column as text, floats as Python writes them (`1.0`, not `1`)."""
    if pa.types.is_floating(values.type):
        return strings([None if value is None else repr(value) for value in values.to_pylist()])
    return values.cast(pa.large_string())


def _trimmed(texts: pa.Array) -> pa.Array:
    from pyarrow import compute as pc

    # `a; "b"`: a blank before the quote keeps readers from seeing it as one.
    spaced_quote = pc.match_substring_regex(texts, r'^\s+".*"\s*$')
    texts = pc.utf8_trim_whitespace(texts)
    if pc.any(spaced_quote).as_py():
        texts = pc.if_else(spaced_quote, pc.utf8_slice_codeunits(texts, 1, -1), texts)
    return pc.if_else(pc.equal(texts, strings([""])[0]), pa.nulls(1, texts.type)[0], texts)


def _narrowest(values: int) -> type[np.unsignedinteger]:
    """The smallest unsigned type for this many different codes."""
    return np.uint8 if values <= 1 << 8 else np.uint16 if values <= 1 << 16 else np.uint32


def _numpy(array: pa.Array) -> NDArray[np.integer]:
    """An integer array without a copy."""
    if len(array) == 0:
        return np.empty(0, np.int64)
    dtype = np.dtype(str(array.type))
    return np.frombuffer(array.buffers()[1], dtype)[array.offset : array.offset + len(array)]


def _valid(array: pa.Array) -> NDArray[np.bool_]:
    bits = np.frombuffer(array.buffers()[0], np.uint8)
    return np.unpackbits(bits, bitorder="little")[array.offset : array.offset + len(array)].astype(np.bool_)


def arrow_integers(numbers: Integers) -> pa.Array:
    """An Arrow array of integers."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def strings(values: Sequence[str | None]) -> pa.Array:
    """An Arrow array of texts."""
    encoded = [b"" if value is None else value.encode() for value in values]
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in encoded], dtype=np.int64)]).astype(np.int64)
    present = np.packbits([value is not None for value in values], bitorder="little")
    buffers = [pa.py_buffer(present), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(values), buffers)
