"""Cells that a spreadsheet takes for formulas: texts that begin with =, +, - or @ and are no numbers."""

from collections.abc import Collection, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from PETWorks.tables.arrays import strings
from PETWorks.tables.column_errors import is_text, naming
from PETWorks.tables.judged_cells import judged_column
from PETWorks.tables.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

# Patterns that RE2 (PyArrow, DuckDB) and Java (Spark) read alike. Signs alone, as for a missing value, are no formula.
FORMULA = r"(?s)\A[=+\-@].*[\p{L}\p{N}]"
NUMBER = r"\A[+\-]?(?:\p{Nd}[\p{Nd},. ]*|[.,]\p{Nd}+)(?:[eE][+\-]?\p{Nd}+)? ?[%‰]?\z"

Opened = TypeVar("Opened", bound=Source)


def are_formulas(texts: "pa.Array") -> "pa.Array":
    """For each text whether a spreadsheet takes it for a formula; blanks before it are no part of it."""
    from pyarrow import compute as pc

    is_number = pc.match_substring_regex(texts, NUMBER)
    return pc.and_not(pc.match_substring_regex(texts, FORMULA), is_number)


def spreadsheet_safe(source: Opened, columns: Collection[str]) -> Opened:
    """The table with an apostrophe before each cell of these columns that a spreadsheet takes for a formula."""
    made: Any = copy(source)  # it stays the kind of table that it is
    made.read = _SafeRead(source, frozenset(columns))
    result: Opened = made
    return result


def is_spreadsheet_safe(source: Source) -> bool:
    """Whether a table is read with an apostrophe before such cells."""
    return isinstance(source.read, _SafeRead)


class _SafeRead:
    """The method `read` of a table whose cells are no formulas."""

    def __init__(self, source: Source, columns: Collection[str]) -> None:
        self._source, self._columns = source, columns

    def __call__(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> "Iterator[pa.Table]":
        for read in self._source.read(columns, in_pieces=in_pieces):
            piece = read
            for place, name in enumerate(columns):
                if name in self._columns and is_text(piece.column(place).type):
                    cells = judged_column(piece.column(place), name, self._source)
                    with naming(name, {name: cells.type}, self._source):
                        piece = piece.set_column(place, piece.column_names[place], _prefixed(cells))
            yield piece


def _prefixed(cells: "pa.ChunkedArray") -> "pa.ChunkedArray":
    import pyarrow as pa
    from pyarrow import compute as pc

    sign, nothing = strings(["'", ""])
    pieces = []
    for chunk in cells.chunks:
        labels = chunk.dictionary
        prefixed = pc.binary_join_element_wise(sign, labels, nothing)
        pieces.append(pa.DictionaryArray.from_arrays(chunk.indices, pc.if_else(are_formulas(labels), prefixed, labels)))
    return pa.chunked_array(pieces, pa.dictionary(pa.int32(), pa.large_string()))
