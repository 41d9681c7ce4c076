"""Tables in memory."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.source import PIECE_ROWS, column_names


class Frame:
    """A table in memory: any frame that speaks Arrow, a Feather file, or a dict of lists."""

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, table: pa.Table, name: str, path: Path | None = None) -> None:
        self.name = name
        self.path = path
        self._table = table
        columns = column_names(table.schema.names, in_file=path is not None)
        self.names = tuple(name for name, _ in columns)
        self._raw_names = dict(columns)
        self.rows: int | None = table.num_rows
        own = {field.name: field for field in table.schema}  # two of one name are an error, but a later one
        self.fields = {name: own[raw].with_name(name) for name, raw in columns}
        self.types = {name: field.type for name, field in self.fields.items()}
        if table.num_rows == 0:
            raise InputError("{table}: the table has columns but no records", table=self.name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order."""
        table = self._table.select([self._raw_names[name] for name in columns])
        step = PIECE_ROWS if in_pieces else table.num_rows
        for first in range(0, table.num_rows, step):
            yield table.slice(first, step)
