"""What a table that has been opened, but not read, looks like to the rest of the program."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pyarrow as pa

PIECE_ROWS = 1 << 20
_PANDAS_ROW_LABELS = re.compile(r"__index_level_\d+__")


class Source(Protocol):
    """A table that has been opened but not read.

    rows      how many there are, if that is known
    engine    the one that is made for such a table, if it is not for the size to decide
    ordered   whether the records come in the same order whenever it is read
    """

    name: str
    path: Path | None
    names: tuple[str, ...]
    encoding: str | None
    separator: str | None
    rows: int | None
    engine: str | None
    ordered: bool

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order; in pieces, if they must not be in memory all at once."""


def column_names(names: list[str], *, in_file: bool) -> list[tuple[str, str]]:
    """Trimmed and raw name of each column; the unnamed row labels of a frame in memory are no column.

    In a file they go out with it, like any other column.
    """
    return [(name.strip(), name) for name in names if in_file or not _PANDAS_ROW_LABELS.fullmatch(name)]
