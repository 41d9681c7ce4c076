"""Tables of a file that is read whole: each column as texts, or as the reason why it cannot be used."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.displayed import LARGEST_EXACT, InexactError, displayed
from PETWorks.tables.source import PIECE_ROWS

WORKBOOK = "workbook"


class TextTable:
    """A table of texts in memory.

    kind              what kind of file it comes from, in a word
    has_header_row    whether the names of its columns are cells, so that data may stand there
    file              the file that it is only a part of, if it is
    """

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(
        self,
        name: str,
        path: Path | None,
        kind: str,
        names: Sequence[str],
        columns: Sequence[pa.DictionaryArray | InputError],
        rows: int,
        *,
        has_header_row: bool = False,
        file: Path | None = None,
    ) -> None:
        self.file = file
        self.name, self.path, self.kind, self.has_header_row = name, path, kind, has_header_row
        self.names = tuple(names)
        self.rows: int | None = rows
        self._columns: Mapping[str, pa.DictionaryArray | InputError] = dict(zip(names, columns, strict=True))
        if rows == 0:
            raise InputError("{table}: the table has columns but no records", table=name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order."""
        wanted = [self._columns[column] for column in columns]
        for column in wanted:
            if isinstance(column, InputError):
                raise column
        table = pa.Table.from_arrays(wanted, list(columns))
        step = PIECE_ROWS if in_pieces else table.num_rows
        for first in range(0, table.num_rows, step):
            yield table.slice(first, step)


def text_column(
    table: str, column: str, cells: Sequence[Any], number: Callable[[float], str] | None = None
) -> pa.DictionaryArray | InputError:
    """The cells of a column as texts; or the error for whoever reads it."""
    try:
        return displayed(cells, number)
    except InexactError:
        return InputError(
            "{table}: column {column!r} has whole numbers beyond {most:,}, of which such a file does not keep all "
            "digits; store them as text",
            table=table,
            column=column,
            most=LARGEST_EXACT,
        )
    except UnicodeEncodeError:
        return InputError("{table}: column {column!r} has cells that are not valid Unicode", table=table, column=column)
