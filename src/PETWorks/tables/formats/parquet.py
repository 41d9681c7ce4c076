"""Parquet files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.arrays import TEXT, unreadable_column
from PETWorks.tables.held_files import HeldFile
from PETWorks.tables.source import PIECE_ROWS, column_names

PIECE_BYTES = 1 << 26
FRONT_CODED = ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")
SHORT_PIECE = 1 << 9  # rows, if the file does not say how long they are


class Parquet:
    """A Parquet file, read in pieces of limited size.

    A few bytes of such a file can stand for any number of long texts. So texts are read as dictionaries, however the
    file stores them.
    """

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, file: HeldFile) -> None:
        from pyarrow import parquet

        self.file = file
        self.name = file.path.name
        self.path: Path | None = file.path
        try:
            self._file = parquet.ParquetFile(file.for_arrow(), memory_map=True)
            schema = self._file.schema_arrow
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError("{table}: not a readable Parquet file; it may be truncated", table=self.name) from None
        texts = [field.name for field in schema if field.type in TEXT]
        self._front_coded = _front_coded(self._file.metadata)
        dictionaries = [name for name in texts if name not in self._front_coded]
        self._dictionaries = dictionaries
        self._file = self._open(memory_map=True)
        columns = column_names(schema.names, in_file=True)
        self.names = tuple(name for name, _ in columns)
        self._raw_names = dict(columns)
        self.rows: int | None = self._file.metadata.num_rows
        self.fields = {name: field.with_name(name) for (name, _), field in zip(columns, schema, strict=True)}
        self.schema, self.metadata = schema, self._file.metadata.metadata
        self.types = {name: field.type for name, field in self.fields.items()}
        if self.rows == 0:
            raise InputError("{table}: the table has columns but no records", table=self.name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order, in pieces of limited size."""
        for name in self.nested(columns):
            raise unreadable_column(self.name, name, self.types[name])
        if in_pieces:
            self._file = self._open(memory_map=False)  # pages of a map would count as memory that is used
        for group in range(self.groups):
            yield from self.read_group(group, columns)

    def _open(self, *, memory_map: bool) -> Any:
        from pyarrow import parquet

        file, dictionaries = self.file.for_arrow(), self._dictionaries
        return parquet.ParquetFile(file, read_dictionary=dictionaries, memory_map=memory_map)

    def raw_name(self, name: str) -> str:
        """The name of a column as the file has it."""
        return self._raw_names[name]

    def nested(self, columns: Sequence[str]) -> list[str]:
        """The columns, of those given, that have lists or structures as cells."""
        return [name for name in columns if pa.types.is_nested(self.types[name])]

    @property
    def groups(self) -> int:
        """Number of groups of rows."""
        return int(self._file.num_row_groups)

    def with_dictionaries(self) -> list[str]:
        """The columns that have a dictionary in the file; PyArrow returns all of its entries, used or not."""
        groups = [self._file.metadata.row_group(group) for group in range(self.groups)]
        chunks = [group.column(index) for group in groups for index in range(group.num_columns)]
        own = {chunk.path_in_schema for chunk in chunks if any("DICTIONARY" in name for name in chunk.encodings)}
        own -= self._front_coded
        return [name for name in self.names if self._raw_names[name] in own]

    def read_group(self, group: int, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """The named columns of a group of rows; a large group in pieces."""
        raw_names = [self._raw_names[name] for name in columns]
        rows = self._piece_rows(group, columns)
        try:
            if self._file.metadata.row_group(group).num_rows > 2 * rows:
                for batches in _group_batches(self._file.iter_batches(rows, [group], raw_names)):
                    yield _check_indices(pa.Table.from_batches(batches).select(raw_names))
            else:
                yield _check_indices(self._file.read_row_group(group, raw_names).select(raw_names))
        except MemoryError:
            raise
        except (pa.ArrowException, OSError):
            raise InputError(
                "{table}: row group {group} cannot be read; the file may be damaged", table=self.name, group=group
            ) from None

    def _piece_rows(self, group: int, columns: tuple[str, ...]) -> int:
        """The number of rows of a group to read at a time: fewer if they are long."""
        metadata = self._file.metadata.row_group(group)
        wanted = {self._raw_names[name] for name in columns}
        chunks = [metadata.column(index) for index in range(metadata.num_columns)]
        chunks = [chunk for chunk in chunks if chunk.path_in_schema in wanted]
        if wanted & self._front_coded:
            return SHORT_PIECE
        row_bytes = sum(max(chunk.total_uncompressed_size, 0) for chunk in chunks) // max(metadata.num_rows, 1)
        fixed = sum(self.types[name].byte_width for name in columns if pa.types.is_fixed_size_binary(self.types[name]))
        return int(min(PIECE_ROWS, max(PIECE_BYTES // (row_bytes + fixed + 1), 1)))


def _front_coded(metadata: Any) -> set[str]:
    """Columns that store only the difference of each text from the one before; PyArrow reads no dictionary for them."""
    columns = (
        metadata.row_group(group).column(index)
        for group in range(metadata.num_row_groups)
        for index in range(metadata.num_columns)
    )
    return {column.path_in_schema for column in columns if any(name in FRONT_CODED for name in column.encodings)}


def _check_indices(table: pa.Table) -> pa.Table:
    """Return the table; raise if an index is beyond its dictionary: PyArrow drops entries that are there twice."""
    from pyarrow import compute as pc

    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            last = pc.max(chunk.indices).as_py()
            if last is not None and last >= len(chunk.dictionary):
                raise pa.ArrowIndexError
    return table


def _group_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Group batches into pieces of limited size."""
    piece: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        piece.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= PIECE_ROWS or size >= PIECE_BYTES:
            yield piece
            piece, rows, size = [], 0, 0
    if piece:
        yield piece
