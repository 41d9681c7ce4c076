"""Cells as a CSV file has them: as text, quoted where they must be, in the encoding of the file."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError, Phrase
from PETWorks.tables.arrays import arrow_integers, byte_strings, numpy_integers, strings, texts
from PETWorks.tables.column_errors import unreadable
from PETWorks.tables.csv_fields import copied_encoding
from PETWorks.tables.encoding import UTF8

PIECE_BYTES = 1 << 26  # a few long texts may stand in many rows

Integers = NDArray[np.int64]
Column: TypeAlias = "pa.Array | pa.ChunkedArray"


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written; `alone`: it has one column; `marked`: it begins with a byte-order mark."""

    separator: str
    encoding: str = UTF8
    alone: bool = False
    marked: bool = False

    @property
    def copied(self) -> bool:
        """Whether bytes are composed in the encoding itself; otherwise in UTF-8."""
        return copied_encoding(self.encoding)

    def encoded(self, octets: bytes | memoryview) -> bytes | memoryview:
        """Composed bytes as the file has them."""
        return octets if self.copied else str(octets, UTF8).encode(self.encoding)


@dataclass(frozen=True, eq=False)
class Cells:
    """A column as it is written: record i has the bytes `labels[codes[i]]`."""

    labels: pa.Array
    codes: Integers

    @cached_property
    def longest(self) -> int:
        """Length of the longest text."""
        return longest_text(self.labels)


def rows_at_a_time(longest: Iterable[int], most: int) -> int:
    """How many rows of texts that have at most these lengths are written at a time."""
    return max(min(most, PIECE_BYTES // (sum(longest) + 1)), 1)


def longest_text(labels: pa.Array) -> int:
    """Length of the longest of some texts, in bytes."""
    from pyarrow import compute as pc

    return pc.max(pc.binary_length(labels)).as_py() or 0


def written_cells(
    column: Column, name: str, table: str, dialect: Dialect, *, before: str = "", after: str = ""
) -> Cells:
    """Cells as they are written, with what stands before and after each; an error if the encoding has no such text."""
    from pyarrow import compute as pc

    labels, codes = _labels_and_codes(column, name, table)
    if pc.any(pc.match_substring(labels, "\0")).as_py():
        raise InputError(
            "{table}: column {column!r} has new cells with a NUL character, which CSV cannot have",
            table=table,
            column=name,
        )
    written = quoted_texts(labels, dialect)
    if before or after:
        around = strings([before, after, ""])
        written = pc.binary_join_element_wise(around[0], written, around[1], around[2])
    octets = encoded_texts(written, dialect)
    if octets is None:
        raise unencodable(table, Phrase("column {column!r} has new cells", column=name), dialect)
    return Cells(octets, codes)


def _labels_and_codes(column: Column, name: str, table: str) -> tuple[pa.Array, Integers]:
    """The texts of a column, and for each row which one it has; the last text is that of null cells."""
    dictionaries: list[pa.Array] = []
    codes: list[Integers] = []
    size = 0
    try:
        for piece in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            dictionary, indices = _dictionary(piece)
            if not dictionaries or not dictionary.equals(dictionaries[-1]) or pa.types.is_floating(dictionary.type):
                size += len(dictionary)
                dictionaries.append(dictionary)
            codes.append(np.where(indices < 0, -1, indices + (size - len(dictionary))))
        labels = pa.concat_arrays([*(texts(dictionary) for dictionary in dictionaries), strings([""])])
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable(table, name, column.type) from None
    every_code = np.concatenate([np.empty(0, np.int64), *codes])
    every_code[every_code < 0] = size
    return _without_nulls(labels), every_code


def _dictionary(piece: pa.Array) -> tuple[pa.Array, Integers]:
    """The distinct cells of a piece, and for each row which one it has; -1 where it has none."""
    from pyarrow import compute as pc

    if pa.types.is_string_view(piece.type):
        piece = piece.cast(pa.large_string())
    if not pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_encode()
    indices = piece.indices.cast(pa.int64())
    return piece.dictionary, numpy_integers(pc.fill_null(indices, arrow_integers(np.array([-1]))[0])).astype(np.int64)


def _without_nulls(labels: pa.Array) -> pa.Array:
    """A null in a dictionary as an empty text."""
    from pyarrow import compute as pc

    return pc.fill_null(labels, strings([""])[0]) if labels.null_count else labels


def quoted_texts(labels: pa.Array, dialect: Dialect) -> pa.Array:
    """Texts as fields: quoted if they have a separator, a quote, a line end, or blanks around them."""
    from pyarrow import compute as pc

    blank = r"[\s\v\p{Z}]"
    special = rf'["\r\n\x{{{ord(dialect.separator):x}}}]|^{blank}|{blank}$'
    needed = pc.match_substring_regex(labels, special + ("|^$" if dialect.alone else ""))
    signs = strings(['"', ""])
    doubled = pc.replace_substring(labels, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise(signs[0], doubled, signs[0], signs[1]), labels)


def encoded_texts(written: pa.Array, dialect: Dialect) -> pa.Array | None:
    """Texts as the bytes that a file is composed of; None if its encoding lacks a character."""
    as_bytes: Any = written.cast(pa.large_binary())
    if dialect.encoding == UTF8:
        return as_bytes
    try:
        octets = [text.encode(dialect.encoding) for text in written.to_pylist()]
    except UnicodeEncodeError:
        return None
    return byte_strings(octets) if dialect.copied else as_bytes


def unencodable(table: str, what: Phrase, dialect: Dialect) -> InputError:
    """The error for texts that a file cannot have."""
    return InputError(
        "{table}: {cells} with characters that its encoding {encoding} does not have; "
        "save the table as UTF-8, or write Parquet",
        table=table,
        cells=what,
        encoding=dialect.encoding,
    )
