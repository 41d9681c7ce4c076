"""Cells as they are judged: without blanks around them, and with one missing value.

Measures see nothing else of a text; so a release has nothing else either.
"""

import numpy as np
import pyarrow as pa

from PETWorks.tables.arrays import arrow_integers, arrow_reals, numpy_integers, strings, taken, texts
from PETWorks.tables.column_errors import is_text, unreadable
from PETWorks.tables.source import Source


def normalised(cells: pa.Array, spaced_quotes: bool = False) -> pa.Array:
    """Texts without blanks around them; those that are blank are missing."""
    from pyarrow import compute as pc

    trimmed = pc.utf8_trim_whitespace(cells)
    if spaced_quotes:
        # `a; "b"`: a blank before the quote keeps the reader from seeing it as one.
        spaced = pc.match_substring_regex(cells, r'^\s+"([^"]|"")*"\s*$')
        inside = pc.replace_substring(pc.utf8_slice_codeunits(trimmed, 1, -1), '""', '"')
        trimmed = pc.if_else(spaced, pc.utf8_trim_whitespace(inside), trimmed)
    return pc.if_else(pc.equal(trimmed, strings([""])[0]), pa.nulls(1, trimmed.type)[0], trimmed)


def judged_table(table: pa.Table, source: Source) -> pa.Table:
    """A part of a table with its cells as they are judged; texts are dictionaries, other columns keep their types."""
    columns = [judged_column(table[name], name, source) for name in table.column_names]
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


def judged_column(column: pa.ChunkedArray, name: str, source: Source) -> pa.ChunkedArray:
    """A column with its cells as they are judged."""
    kind = column.type
    if pa.types.is_dictionary(kind) and not is_text(kind):
        return judged_column(column.cast(kind.value_type), name, source)  # which may have a null, or one value twice
    if pa.types.is_date64(kind):
        return column.cast(pa.date32(), safe=False).cast(kind)  # it may have a time that no text of it shows
    if pa.types.is_floating(kind):
        return pa.chunked_array([_nothing_below_nulls(_judged_numbers(piece)) for piece in column.chunks], kind)
    if not is_text(kind):
        return pa.chunked_array([_nothing_below_nulls(piece) for piece in column.chunks], kind)
    try:
        pieces = [_judged_texts(piece, spaced_quotes=source.separator is not None) for piece in column.chunks]
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable(source.name, name, kind) from None
    return pa.chunked_array(pieces, pa.dictionary(pa.int32(), pa.large_string(), getattr(kind, "ordered", False)))


def _judged_numbers(piece: pa.Array) -> pa.Array:
    """Floating-point numbers, of which NaN is missing and -0.0 is 0.0."""
    from pyarrow import compute as pc

    wide = piece.cast(pa.float64())
    zero, nothing = arrow_reals(np.array([0.0]))[0], pa.nulls(1, pa.float64())[0]
    return pc.if_else(pc.is_nan(wide), nothing, pc.add(wide, zero)).cast(piece.type)


def _nothing_below_nulls(piece: pa.Array) -> pa.Array:
    """Cells without the values that stand in memory where a cell is missing: a Feather file would keep them."""
    if not piece.null_count:
        return piece
    return taken(piece, np.where(np.asarray(piece.is_valid()), np.arange(len(piece)), -1))


def _judged_texts(piece: pa.Array, *, spaced_quotes: bool) -> pa.DictionaryArray:
    if pa.types.is_string_view(piece.type) or pa.types.is_binary_view(piece.type):
        piece = piece.cast(pa.large_string())
    if not pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_encode()
    missing = pa.nulls(1, pa.large_string())
    meaning = normalised(pa.concat_arrays([texts(piece.dictionary), missing]), spaced_quotes).dictionary_encode()
    codes = numpy_integers(meaning.indices.fill_null(arrow_integers(np.array([-1]))[0].cast(pa.int32()))).astype(
        np.int64
    )
    indices = piece.indices.cast(pa.int64()).fill_null(arrow_integers(np.array([len(codes) - 1]))[0])
    places = taken(arrow_integers(np.arange(len(meaning.dictionary))), codes[numpy_integers(indices)])
    return pa.DictionaryArray.from_arrays(
        places.cast(pa.int32()), meaning.dictionary, ordered=getattr(piece.type, "ordered", False)
    )
