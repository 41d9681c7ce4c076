"""Parquet files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.source import PIECE_ROWS, column_names


class Parquet:
    """A Parquet file, read one group of rows at a time to keep memory low."""

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, path: Path) -> None:
        from pyarrow import parquet

        self.name = path.name
        self.path: Path | None = path
        try:
            self._file = parquet.ParquetFile(path, memory_map=True)
            schema = self._file.schema_arrow
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError(f"{self.name}: not a readable Parquet file; it may be truncated") from None
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        self._file = parquet.ParquetFile(path, memory_map=True, read_dictionary=texts)
        columns = column_names(schema.names)
        self.names = tuple(name for name, _ in columns)
        self._raw_names = dict(columns)
        self.rows: int | None = self._file.metadata.num_rows
        self.types = {name: schema.field(raw).type for name, raw in columns}
        if self.rows == 0:
            raise InputError(f"{self.name}: the table has columns but no records")

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order; groups of rows that are large in pieces, if that is wanted."""
        for group in range(self.groups):
            yield from self.read_group(group, columns, in_pieces=in_pieces)

    def nested(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that have lists or structures as cells."""
        return [name for name in columns if pa.types.is_nested(self.types[name])]

    @property
    def groups(self) -> int:
        """Number of groups of rows."""
        return int(self._file.num_row_groups)

    def read_group(self, group: int, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns of a group of rows; a large group in pieces, if they must not be in memory all at once."""
        raw_names = [self._raw_names[name] for name in columns]
        large = in_pieces and self._file.metadata.row_group(group).num_rows > 2 * PIECE_ROWS
        try:
            if large:
                for batch in self._file.iter_batches(PIECE_ROWS, [group], raw_names):
                    yield pa.Table.from_batches([batch]).select(raw_names)
            else:
                yield self._file.read_row_group(group, raw_names).select(raw_names)
        except (pa.ArrowException, OSError):
            raise InputError(f"{self.name}: row group {group} cannot be read; the file may be damaged") from None
