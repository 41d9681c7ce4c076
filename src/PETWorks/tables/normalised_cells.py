"""Cells as they are judged, without invisible characters; and those that a spreadsheet takes for formulas."""

import re
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
from PETWorks.tables.cells import INVISIBLE
from PETWorks.tables.source import Source

# Without the signs that stand for separators and line ends in quotes, where the raw fields of CSV files are compared.
_INVISIBLE_BUT_MASKS = INVISIBLE.replace("\x00-\x08", "\x00\x04-\x08")

_CONTROLS = bytes(code for code in range(128) if re.fullmatch(INVISIBLE, chr(code)))


def without_invisible(cells: pa.Array, *, masked: bool = False) -> pa.Array:
    """Texts without the characters that no reader sees.

    masked   whether the characters 1 to 3 stand for others, and so stay
    """
    from pyarrow import compute as pc

    pattern = _INVISIBLE_BUT_MASKS if masked else INVISIBLE
    if not pc.any(pc.match_substring_regex(cells, pattern)).as_py():
        return cells
    return pc.replace_substring_regex(cells, pattern, "")


def has_invisible(text: bytes) -> bool:
    """Whether a text in UTF-8, which may be cut off inside a character, has characters that no reader sees."""
    from pyarrow import compute as pc

    if text.isascii() and len(text.translate(None, _CONTROLS)) == len(text):
        return False
    ends = pa.py_buffer(np.array([0, len(text)], np.int64))
    whole = pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(text)])
    return bool(pc.match_substring_regex(whole, INVISIBLE)[0].as_py())


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


def normalise_table(table: pa.Table, source: Source, exact: Collection[str] = ()) -> pa.Table:
    """A part of a table as it is released, with normalised cells; texts become dictionaries, others keep their types.

    Invisible characters are left out, since they would tell records apart that readers and rules take for equal.

    exact   the columns that keep them: quasi-identifiers, whose values are counted as they are
    """
    columns = [
        normalise_column(table[name], name, source, only_visible=name not in exact) for name in table.column_names
    ]
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


def normalise_column(
    column: pa.ChunkedArray, name: str, source: Source, *, only_visible: bool = False
) -> pa.ChunkedArray:
    """A column with normalised cells.

    only_visible   whether invisible characters are left out
    """
    kind = column.type
    if pa.types.is_dictionary(kind) and not is_text(kind):
        # The dictionary may have a null, or duplicates.
        return normalise_column(column.cast(kind.value_type), name, source, only_visible=only_visible)
    if pa.types.is_date64(kind):
        return column.cast(pa.date32(), safe=False).cast(kind)  # it may have a time that its text does not show
    if pa.types.is_floating(kind):
        return pa.chunked_array([_clear_values_under_nulls(_normalise_floats(piece)) for piece in column.chunks], kind)
    if not is_text(kind):
        return pa.chunked_array([_clear_values_under_nulls(piece) for piece in column.chunks], kind)
    try:
        spaced_quotes = source.separator is not None
        pieces = [
            _normalise_dictionary(piece, spaced_quotes=spaced_quotes, only_visible=only_visible)
            for piece in column.chunks
        ]
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable_column(source.name, name, kind) from None
    return pa.chunked_array(pieces, pa.dictionary(pa.int32(), pa.large_string(), getattr(kind, "ordered", False)))


def _normalise_floats(piece: pa.Array) -> pa.Array:
    """Floating-point numbers with NaN as missing and -0.0 as 0.0."""
    from pyarrow import compute as pc

    wide = piece.cast(pa.float64())
    zero, nothing = arrow_reals(np.array([0.0]))[0], pa.nulls(1, pa.float64())[0]
    return pc.if_else(pc.is_nan(wide), nothing, pc.add(wide, zero)).cast(piece.type)


def _clear_values_under_nulls(piece: pa.Array) -> pa.Array:
    """Cells without the values that stand in memory where a cell is missing: a Feather file would keep them."""
    if not piece.null_count:
        return piece
    return take_or_null(piece, np.where(np.asarray(piece.is_valid()), np.arange(len(piece)), -1))


def _normalise_dictionary(piece: pa.Array, *, spaced_quotes: bool, only_visible: bool) -> pa.DictionaryArray:
    if pa.types.is_string_view(piece.type) or pa.types.is_binary_view(piece.type):
        piece = piece.cast(pa.large_string())
    if not pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_encode()
    missing = pa.nulls(1, pa.large_string())
    cells = pa.concat_arrays([texts(piece.dictionary), missing])
    meaning = normalise_texts(without_invisible(cells) if only_visible else cells, spaced_quotes).dictionary_encode()
    codes = numpy_integers(meaning.indices.fill_null(arrow_integers(np.array([-1]))[0].cast(pa.int32()))).astype(
        np.int64
    )
    indices = piece.indices.cast(pa.int64()).fill_null(arrow_integers(np.array([len(codes) - 1]))[0])
    new_indices = take_or_null(arrow_integers(np.arange(len(meaning.dictionary))), codes[numpy_integers(indices)])
    return pa.DictionaryArray.from_arrays(
        new_indices.cast(pa.int32()), meaning.dictionary, ordered=getattr(piece.type, "ordered", False)
    )


_FIRST_SIGNS = r"\A[=+\-@]"
# Patterns with the same meaning in RE2 (PyArrow, DuckDB) and Java (Spark). Signs alone are not a formula.
FORMULA = r"(?s)\A[=+\-@].*[\p{L}\p{N}]"
NUMBER = r"\A[+\-]?(?:\p{Nd}[\p{Nd},. ]*|[.,]\p{Nd}+)(?:[eE][+\-]?\p{Nd}+)? ?[%‰]?\z"

Opened = TypeVar("Opened", bound=Source)


def are_formulas(texts: "pa.Array") -> "pa.Array":
    """For each text, whether a spreadsheet takes it for a formula; leading blanks are ignored."""
    from pyarrow import compute as pc

    # Few columns have such a text, and Arrow compiles the other patterns in each call, which takes longer than this.
    may_be = pc.match_substring_regex(texts, _FIRST_SIGNS)
    candidates = texts.filter(may_be)
    if not len(candidates):
        return may_be
    is_number = pc.match_substring_regex(candidates, NUMBER)
    are = pc.and_not(pc.match_substring_regex(candidates, FORMULA), is_number)
    return pc.replace_with_mask(may_be, may_be, are)


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
                    cells = normalise_column(piece.column(index), name, self._source, only_visible=True)
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
