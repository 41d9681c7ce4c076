"""Cells as they are judged: without what no reader sees; and those that a spreadsheet takes for formulas."""

from collections.abc import Collection, Iterator
from copy import copy
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from PETWorks.tables.arrays import (
    arrow_integers,
    arrow_reals,
    is_text,
    naming_column,
    numpy_integers,
    strings,
    take_or_null,
    texts,
    unreadable_column,
)
from PETWorks.tables.source import Source


def normalise_texts(cells: pa.Array, spaced_quotes: bool = False) -> pa.Array:
    """Texts without surrounding blanks; blank texts become missing."""
    from pyarrow import compute as pc

    trimmed = pc.utf8_trim_whitespace(cells)
    if spaced_quotes:
        # `a; "b"`: because of the blank, the reader does not recognise the quote.
        spaced = pc.match_substring_regex(cells, r'^\s+"([^"]|"")*"\s*$')
        inside = pc.replace_substring(pc.utf8_slice_codeunits(trimmed, 1, -1), '""', '"')
        trimmed = pc.if_else(spaced, pc.utf8_trim_whitespace(inside), trimmed)
    return pc.if_else(pc.equal(trimmed, strings([""])[0]), pa.nulls(1, trimmed.type)[0], trimmed)


def normalise_table(table: pa.Table, source: Source) -> pa.Table:
    """A part of a table with normalised cells; texts become dictionaries, other columns keep their types."""
    columns = [normalise_column(table[name], name, source) for name in table.column_names]
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


def normalise_column(column: pa.ChunkedArray, name: str, source: Source) -> pa.ChunkedArray:
    """A column with normalised cells."""
    kind = column.type
    if pa.types.is_dictionary(kind) and not is_text(kind):
        # The dictionary may have a null, or duplicates.
        return normalise_column(column.cast(kind.value_type), name, source)
    if pa.types.is_date64(kind):
        return column.cast(pa.date32(), safe=False).cast(kind)  # it may have a time that its text does not show
    if pa.types.is_floating(kind):
        return pa.chunked_array([_clear_values_under_nulls(_normalise_floats(piece)) for piece in column.chunks], kind)
    if not is_text(kind):
        return pa.chunked_array([_clear_values_under_nulls(piece) for piece in column.chunks], kind)
    try:
        pieces = [_normalise_dictionary(piece, spaced_quotes=source.separator is not None) for piece in column.chunks]
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable_column(source.name, name, kind) from None
    return pa.chunked_array(pieces, pa.dictionary(pa.int32(), pa.large_string(), getattr(kind, "ordered", False)))


def _normalise_floats(piece: pa.Array) -> pa.Array:
    """Floating-point numbers, of which NaN is missing and -0.0 is 0.0."""
    from pyarrow import compute as pc

    wide = piece.cast(pa.float64())
    zero, nothing = arrow_reals(np.array([0.0]))[0], pa.nulls(1, pa.float64())[0]
    return pc.if_else(pc.is_nan(wide), nothing, pc.add(wide, zero)).cast(piece.type)


def _clear_values_under_nulls(piece: pa.Array) -> pa.Array:
    """Cells without the values that stand in memory where a cell is missing: a Feather file would keep them."""
    if not piece.null_count:
        return piece
    return take_or_null(piece, np.where(np.asarray(piece.is_valid()), np.arange(len(piece)), -1))


def _normalise_dictionary(piece: pa.Array, *, spaced_quotes: bool) -> pa.DictionaryArray:
    if pa.types.is_string_view(piece.type) or pa.types.is_binary_view(piece.type):
        piece = piece.cast(pa.large_string())
    if not pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_encode()
    missing = pa.nulls(1, pa.large_string())
    meaning = normalise_texts(pa.concat_arrays([texts(piece.dictionary), missing]), spaced_quotes).dictionary_encode()
    codes = numpy_integers(meaning.indices.fill_null(arrow_integers(np.array([-1]))[0].cast(pa.int32()))).astype(
        np.int64
    )
    indices = piece.indices.cast(pa.int64()).fill_null(arrow_integers(np.array([len(codes) - 1]))[0])
    new_indices = take_or_null(arrow_integers(np.arange(len(meaning.dictionary))), codes[numpy_integers(indices)])
    return pa.DictionaryArray.from_arrays(
        new_indices.cast(pa.int32()), meaning.dictionary, ordered=getattr(piece.type, "ordered", False)
    )


# Patterns with the same meaning in RE2 (PyArrow, DuckDB) and Java (Spark). Signs alone are not a formula.
FORMULA = r"(?s)\A[=+\-@].*[\p{L}\p{N}]"
NUMBER = r"\A[+\-]?(?:\p{Nd}[\p{Nd},. ]*|[.,]\p{Nd}+)(?:[eE][+\-]?\p{Nd}+)? ?[%‰]?\z"

Opened = TypeVar("Opened", bound=Source)


def are_formulas(texts: "pa.Array") -> "pa.Array":
    """For each text, whether a spreadsheet takes it for a formula; leading blanks are ignored."""
    from pyarrow import compute as pc

    is_number = pc.match_substring_regex(texts, NUMBER)
    return pc.and_not(pc.match_substring_regex(texts, FORMULA), is_number)


def make_spreadsheet_safe(source: Opened, columns: Collection[str]) -> Opened:
    """The table with an apostrophe before each cell of these columns that a spreadsheet takes for a formula."""
    copied: Any = copy(source)  # keeps its class
    copied.read = _SafeRead(source, frozenset(columns))
    result: Opened = copied
    return result


def is_spreadsheet_safe(source: Source) -> bool:
    """Whether a table is read with an apostrophe before cells that look like formulas."""
    return isinstance(source.read, _SafeRead)


class _SafeRead:
    """The method `read` of a table whose cells must not be formulas."""

    def __init__(self, source: Source, columns: Collection[str]) -> None:
        self._source, self._columns = source, columns

    def __call__(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> "Iterator[pa.Table]":
        for read in self._source.read(columns, in_pieces=in_pieces):
            piece = read
            for index, name in enumerate(columns):
                if name in self._columns and is_text(piece.column(index).type):
                    cells = normalise_column(piece.column(index), name, self._source)
                    with naming_column(name, {name: cells.type}, self._source):
                        piece = piece.set_column(index, piece.column_names[index], _prefix_formulas(cells))
            yield piece


def _prefix_formulas(cells: "pa.ChunkedArray") -> "pa.ChunkedArray":
    import pyarrow as pa
    from pyarrow import compute as pc

    sign, nothing = strings(["'", ""])
    pieces = []
    for chunk in cells.chunks:
        labels = chunk.dictionary
        prefixed = pc.binary_join_element_wise(sign, labels, nothing)
        pieces.append(pa.DictionaryArray.from_arrays(chunk.indices, pc.if_else(are_formulas(labels), prefixed, labels)))
    return pa.chunked_array(pieces, pa.dictionary(pa.int32(), pa.large_string()))
