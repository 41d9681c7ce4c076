"""The interface of a table that has been opened but not read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pyarrow as pa

PIECE_ROWS = 1 << 20
_PANDAS_ROW_LABELS = re.compile(r"__index_level_\d+__")


class Source(Protocol):
    """A table that has been opened but not read.

    kind      the kind of file it is from, in a word; empty if it is none
    rows      the number of records, if known
    engine    the engine for such a table, unless its size decides
    ordered   whether the records come in the same order each time it is read
    """

    name: str
    path: Path | None
    kind: str
    names: tuple[str, ...]
    encoding: str | None
    separator: str | None
    rows: int | None
    engine: str | None
    ordered: bool

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order; in pieces, if they must not all be in memory at once."""


def column_names(names: list[str], *, in_file: bool) -> list[tuple[str, str]]:
    """Trimmed and raw name of each column, without the unnamed row labels of a frame in memory.

    In a file, row labels are released like any other column.
    """
    return [(name.strip(), name) for name in names if in_file or not _PANDAS_ROW_LABELS.fullmatch(name)]
