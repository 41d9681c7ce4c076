"""Arrow arrays from and to Python and NumPy, and Arrow's errors reworded to name the column but no cell."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError
from PETWorks.tables.source import Source

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?$"  # as in `tables.cells`, for RE2
MAX_DIGITS = 18  # any number with this many digits fits into 64 bits

Integers = NDArray[np.int64]


def texts(values: pa.Array) -> pa.Array:
    """Values as text, with floats in Python's notation (`1.0`, not `1`); NaN is missing, and -0.0 is 0.0."""
    if pa.types.is_dictionary(values.type) and pa.types.is_floating(values.type.value_type):
        values = values.cast(values.type.value_type)
    if pa.types.is_floating(values.type):
        numbers = values.to_pylist()
        return strings([None if number is None or number != number else repr(number + 0.0) for number in numbers])
    cells = values.cast(pa.large_string())
    cells.validate(full=True)  # a cast from text does not check the bytes
    return cells


def numpy_integers(array: pa.Array) -> NDArray[np.integer]:
    """An integer array as a NumPy array, without a copy."""
    if len(array) == 0:
        return np.empty(0, np.int64)
    dtype = np.dtype(str(array.type))
    return np.frombuffer(array.buffers()[1], dtype)[array.offset : array.offset + len(array)]


def numpy_reals(array: pa.Array) -> NDArray[np.float64]:
    """The floating-point numbers of an array that are not null."""
    wide = array.drop_null().cast(pa.float64())
    if len(wide) == 0:
        return np.empty(0, np.float64)
    return np.frombuffer(wide.buffers()[1], np.float64)[wide.offset : wide.offset + len(wide)]


def numbers_of_texts(labels: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The number that each text stands for, NaN for one that is no number in digits; and a mask of missing texts."""
    from pyarrow import compute as pc

    is_number = pc.fill_null(pc.match_substring_regex(labels, NUMBER), False)
    numbers = np.full(len(labels), np.nan)
    numbers[_mask(is_number)] = numpy_reals(labels.filter(is_number).cast(pa.float64()))
    return numbers, _mask(labels.is_null())


def _mask(booleans: pa.Array) -> NDArray[np.bool_]:
    """Booleans without nulls as a NumPy array."""
    mask: NDArray[np.bool_] = booleans.to_numpy(zero_copy_only=False)
    return mask


def arrow_codes(codes: NDArray[np.unsignedinteger]) -> pa.Array:
    """An Arrow array of codes, of the same width."""
    kind = {1: pa.uint8(), 2: pa.uint16(), 4: pa.uint32()}[codes.itemsize]
    return pa.Array.from_buffers(kind, len(codes), [None, pa.py_buffer(np.ascontiguousarray(codes))])


def dictionary(codes: NDArray[np.unsignedinteger], labels: pa.Array) -> pa.Array:
    """An Arrow array of texts, given by their indices into labels."""
    indices = arrow_codes(codes)
    return (
        labels.take(indices) if labels.null_count else pa.DictionaryArray.from_arrays(indices.cast(pa.int32()), labels)
    )


def arrow_integers(numbers: NDArray[np.int64]) -> pa.Array:
    """An Arrow array of integers."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def arrow_reals(numbers: NDArray[np.float64]) -> pa.Array:
    """An Arrow array of floating-point numbers."""
    return pa.Array.from_buffers(pa.float64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def strings(values: Sequence[str | None]) -> pa.Array:
    """An Arrow array of texts."""
    present = np.packbits(np.array([value is not None for value in values], np.bool_), bitorder="little")
    _, offsets, data = byte_strings([b"" if value is None else value.encode() for value in values]).buffers()
    return pa.Array.from_buffers(pa.large_string(), len(values), [pa.py_buffer(present), offsets, data])


def byte_strings(values: Sequence[bytes]) -> pa.Array:
    """An Arrow array of bytes."""
    offsets = np.concatenate([[0], np.cumsum([len(value) for value in values], dtype=np.int64)]).astype(np.int64)
    return pa.Array.from_buffers(
        pa.large_binary(), len(values), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))]
    )


def take_or_null(values: pa.Array, indices: NDArray[np.int64]) -> pa.Array:
    """The values at these indices; null for negative indices."""
    valid, numbers = np.packbits(indices >= 0, bitorder="little"), np.ascontiguousarray(indices)
    buffers = [pa.py_buffer(valid), pa.py_buffer(numbers)]
    return values.take(pa.Array.from_buffers(pa.int64(), len(indices), buffers))


def take_rows(table: pa.Table, indices: NDArray[np.int64]) -> pa.Table:
    """Some rows of a table, in this order, with only labels that occur in the dictionaries.

    Other labels could be values of records that are not released, and their order could reveal that of the original.
    """
    rows = table.take(arrow_integers(indices))
    return pa.table({name: _drop_unused_labels(rows[name]) for name in rows.column_names})


def _drop_unused_labels(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose dictionaries have only labels that occur, by first appearance, or in order if ordered."""
    if not pa.types.is_dictionary(column.type):
        return column
    chunks = []
    for chunk in column.chunks:
        none = arrow_integers(np.array([-1]))[0]  # from a Python number PyArrow would import pandas
        codes = numpy_integers(chunk.indices.cast(pa.int64()).fill_null(none))
        used, first = np.unique(codes[codes >= 0], return_index=True)
        kept = used if column.type.ordered else used[np.argsort(first)]
        new_codes = np.full(len(chunk.dictionary) + 1, -1)
        new_codes[kept] = np.arange(len(kept))
        indices = take_or_null(arrow_integers(np.arange(len(kept))), new_codes[codes]).cast(column.type.index_type)
        labels = chunk.dictionary.take(arrow_integers(kept))
        chunks.append(pa.DictionaryArray.from_arrays(indices, labels, ordered=column.type.ordered))
    return pa.chunked_array(chunks, column.type)


def lists(lengths: Sequence[int], values: pa.Array) -> pa.Array:
    """An Arrow array of lists with these lengths, whose items are consecutive in the values."""
    return pa.LargeListArray.from_arrays(arrow_integers(np.cumsum([0, *lengths])), values)


def are_integers(values: pa.Array) -> bool:
    """Whether an array has integers."""
    return bool(pa.types.is_integer(values.type))


def whole_numbers(piece: pa.Array) -> Integers | None:
    """The cells as integers, also from text in plain notation; None if any cell is anything else."""
    from pyarrow import compute as pc

    kind = piece.type
    if piece.null_count or not len(piece):
        return None
    if pa.types.is_dictionary(kind):
        labels = whole_numbers(piece.dictionary)
        return None if labels is None else labels[numpy_integers(piece.indices)]
    try:
        if are_integers(piece):
            return numpy_integers(piece.cast(pa.int64())).astype(np.int64, copy=False)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return None
        if not pc.all(pc.ascii_is_decimal(piece)).as_py():
            return None
        lengths = numpy_integers(pc.binary_length(piece))
        if lengths.max() > MAX_DIGITS:
            return None
        numbers = numpy_integers(piece.cast(pa.int64())).astype(np.int64, copy=False)
    except pa.ArrowInvalid:  # more than 64 bits
        return None
    return numbers if (lengths == _digits(numbers)).all() else None


def _digits(numbers: Integers) -> NDArray[np.int64]:
    """The number of decimal digits of non-negative numbers."""
    return 1 + np.searchsorted(10 ** np.arange(1, MAX_DIGITS + 1, dtype=np.int64), numbers, "right")


TEXT = {pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()}

BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}


@contextmanager
def naming_column(column: str, types: Mapping[str, pa.DataType], source: Source) -> Iterator[None]:
    """Convert Arrow's errors to ones that name the column; Arrow's messages may quote a cell."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable_column(source.name, column, types[column]) from None


def unreadable_column(table: str, column: str, kind: pa.DataType) -> InputError:
    """The error for a column with cells that cannot be read as text."""
    if is_text(kind):
        return InputError(
            "{table}: column {column!r} has cells that are not valid UTF-8; save the table as UTF-8",
            table=table,
            column=column,
        )
    return InputError(
        "{table}: column {column!r} has cells of type {kind}, not all of them text",
        table=table,
        column=column,
        kind=kind,
    )


def is_text(kind: pa.DataType) -> bool:
    """Whether cells are texts, or bytes that may be text, or a dictionary of these."""
    value_type = kind.value_type if pa.types.is_dictionary(kind) else kind
    return value_type in TEXT or pa.types.is_fixed_size_binary(value_type)


def check_cells(table: pa.Table, name: str) -> None:
    """Raise Arrow's error if a table from a file is damaged, or ours if only the text of some cell is invalid."""
    for column, chunks in zip(table.schema.names, table.columns, strict=True):
        try:
            chunks.validate(full=True)  # following damaged indices would crash
        except pa.ArrowInvalid:
            if not is_text(chunks.type):
                raise
            for chunk in chunks.chunks:
                _as_bytes(chunk).validate(full=True)
            raise unreadable_column(name, column.strip(), chunks.type) from None


def _as_bytes(cells: pa.Array) -> pa.Array:
    """Texts as bytes, which need not be UTF-8, in the same buffers."""
    if pa.types.is_dictionary(cells.type):
        return pa.DictionaryArray.from_arrays(cells.indices, _as_bytes(cells.dictionary), safe=False)
    return cells.view(BYTES[cells.type]) if cells.type in BYTES else cells
