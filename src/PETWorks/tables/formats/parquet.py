"""Parquet files, and their content besides the columns: gaps, unknown fields, statistics that are no cells.

Readers skip that content, so the footer and the headers of pages are read here as they are: structures of Thrift's
compact protocol, whose fields have numbers.
"""

import struct
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.arrays import TEXT, is_text, unreadable_column
from PETWorks.tables.files import HeldFile
from PETWorks.tables.source import PIECE_ROWS, column_names

PIECE_BYTES = 1 << 26
FRONT_CODED = ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")
SHORT_PIECE = 1 << 9  # rows, if the file does not say how long they are


class Parquet:
    """A Parquet file, read in pieces of limited size.

    A few bytes of such a file can stand for any number of long texts. So texts are read as dictionaries, however the
    file stores them.
    """

    kind = "Parquet"
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


MAGIC, FOOTER_END, DEEPEST = 4, 8, 16
Fields = dict[int, Any]

# Fields that the format defines, without those for encryption, other files and notes.
FILE, SCHEMA, GROUP, CHUNK = range(1, 8), range(1, 11), range(1, 8), range(2, 8)
COLUMN, PAGE, STATISTICS = {*range(1, 8), *range(9, 18)}, range(1, 9), range(1, 10)
DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 = range(1, 6), range(0), range(1, 4), range(1, 9)
COLUMN_INDEX, OFFSET_INDEX, PAGE_LOCATION = range(1, 8), range(1, 3), range(1, 4)
LIMITS = (1, 2, 5, 6)  # the least and the largest value, as of old and now
CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
WIDTHS = {1: 4, 2: 8, 3: 12, 4: 4, 5: 8}
REALS, TEXTS = (4, 5), 6  # physical types
LONGEST_DICTIONARY = 1 << 28
SHORTEST_CUT, LONGEST_SIGN = 16, 4  # bytes of a text in the statistics that may be cut off, and of a sign


class _Thrift:
    """A reader of structures as mappings from the numbers of fields to values."""

    def __init__(self, content: Any, position: int) -> None:
        self.content, self.position = content, position

    def structure(self, depth: int = 0) -> Fields:
        """The next structure; a field that stands twice is an error."""
        fields: Fields = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            if number in fields or depth > DEEPEST:
                raise ValueError
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _byte(self) -> int:
        self.position += 1
        return int(self.content[self.position - 1])

    def _unsigned(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            part = self._byte()
            number |= (part & 127) << shift
            if part < 128:
                return number
        raise ValueError

    def _integer(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _bytes(self, size: int) -> bytes:
        if size > len(self.content) - self.position:
            raise ValueError
        self.position += size
        return bytes(self.content[self.position - size : self.position])

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._unsigned())
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._unsigned()
            if size > len(self.content) - self.position:
                raise ValueError
            return [self._value(head & 15, depth + 1) for _ in range(size)]
        if kind == 12:
            return self.structure(depth + 1)
        raise ValueError


class _File:
    """The bytes of a file: what is used of them, what else they have, and what must be a value of each column."""

    def __init__(self, content: Any) -> None:
        self.content = content
        self.unknown = self.outside = self.twice = 0
        self.values: dict[bytes, set[bytes]] = {}  # of columns without lists, by their names
        self.types: dict[bytes, int] = {}
        self._used: list[tuple[int, int]] = [(0, MAGIC)]
        self._columns: dict[int, Fields] = {}  # by their ends
        length = struct.unpack("<I", content[-FOOTER_END:-MAGIC])[0]
        self._end = len(content) - FOOTER_END - length
        if self._end < MAGIC:
            raise ValueError
        footer = _Thrift(content, self._end)
        self._read(self._known(footer.structure(), FILE))
        self.outside += footer.position != len(content) - FOOTER_END
        self._count_gaps()

    def _known(self, fields: Fields, known: Collection[int]) -> Fields:
        self.unknown += sum(number not in known for number in fields)
        return fields

    def _read(self, file: Fields) -> None:
        for element in file.get(2, ()):
            self._known(element, SCHEMA)
        lengths = {element[4]: element.get(2, 0) for element in file.get(2, ())}
        for group in file.get(4, ()):
            for chunk in self._known(group, GROUP)[1]:
                column = self._known(self._known(chunk, CHUNK)[3], COLUMN)
                name = b".".join(column[3])
                own = self.values.setdefault(name, set())
                self.types[name] = column[1]
                self._add_statistics(column.get(12, {}), own)
                self._read_chunk(column, own, WIDTHS.get(column[1], lengths.get(column[3][-1], 0)))
                self._read_indexes(chunk, own)

    def _add_statistics(self, statistics: Fields, own: set[bytes]) -> None:
        self._known(statistics, STATISTICS)
        own.update(statistics[number] for number in LIMITS if number in statistics)

    def _read_chunk(self, column: Fields, own: set[bytes], width: int) -> None:
        """Go through the pages of a part of a column, which leave no room."""
        position = min(column[number] for number in (9, 11) if column.get(number))
        end = position + column[7]
        self._use(position, column[7])
        self._columns[end] = column
        while position < end:
            reader = _Thrift(self.content, position)
            page = self._known(reader.structure(), PAGE)
            for number, known in ((5, DATA_PAGE), (6, INDEX_PAGE), (7, DICTIONARY_PAGE), (8, DATA_PAGE_2)):
                inner = self._known(page.get(number, {}), known)
                if number in (5, 8):
                    self._add_statistics(inner.get(5 if number == 5 else 8, {}), own)
            if page[3] < 0:
                raise ValueError
            if 7 in page:
                self._read_dictionary(column, page, reader.position, own, width)
            position = reader.position + page[3]
        self.outside += position != end
        if 14 in column:
            size = column.get(15)
            if size is None:
                reader = _Thrift(self.content, column[14])
                size = reader.structure()[1] + reader.position - column[14]
            self._use(column[14], size)

    def _read_dictionary(self, column: Fields, page: Fields, position: int, own: set[bytes], width: int) -> None:
        """Each entry of a dictionary occurs once; numbers are values of the column. (Texts are examined elsewhere.)"""
        packed = self.content[position : position + page[3]]
        if page[2] > LONGEST_DICTIONARY or column[4] not in CODECS:
            self.unknown += 1
            return
        codec = CODECS[column[4]]
        plain = pa.decompress(packed, page[2], codec, asbytes=True) if codec and page[2] else bytes(packed)[: page[2]]
        number = page[7][1]
        if width:
            entries = [plain[start : start + width] for start in range(0, number * width, width)]
            self.outside += len(plain) != number * width
            if column[1] in WIDTHS and column[1] != 3:
                own.update(entries)
        else:
            entries, start = [], 0
            for _ in range(number):
                size = int.from_bytes(plain[start : start + 4], "little")
                entries.append(plain[start + 4 : start + 4 + size])
                start += 4 + size
                if start > len(plain):
                    raise ValueError
            self.outside += start != len(plain)
        self.twice += len(entries) - len(set(entries))

    def _read_indexes(self, chunk: Fields, own: set[bytes]) -> None:
        for start, size, known in ((4, 5, OFFSET_INDEX), (6, 7, COLUMN_INDEX)):
            if start not in chunk:
                continue
            self._use(chunk[start], chunk.get(size, 0))
            reader = _Thrift(self.content, chunk[start])
            index = self._known(reader.structure(), known)
            self.outside += reader.position != chunk[start] + chunk.get(size, 0)
            if known is OFFSET_INDEX:
                for location in index.get(1, ()):
                    self._known(location, PAGE_LOCATION)
            else:
                own.update(value for number in (2, 3) for value in index.get(number, ()) if value)

    def _use(self, start: int, size: int) -> None:
        if start < MAGIC or size < 0 or start + size > self._end:
            raise ValueError
        self._used.append((start, start + size))

    def _count_gaps(self) -> None:
        """Count bytes that nothing uses; but zeros, by which Hadoop aligns, and copies of what the footer has."""
        done = 0
        for start, end in (*sorted(self._used), (self._end, self._end)):
            if start > done:
                gap = self.content[done:start]
                self.outside += any(gap) and not self._is_copy(gap, self._columns.get(done))
            done = max(done, end)

    @staticmethod
    def _is_copy(gap: bytes, column: Fields | None) -> bool:
        reader = _Thrift(gap, 0)
        try:
            fields = reader.structure()
        except (IndexError, ValueError):
            return False
        return reader.position == len(gap) and column in (fields, fields.get(3))


def bytes_besides_columns(source: Parquet) -> Mapping[str, int]:
    """The number of unknown `fields`, of gaps with bytes `outside` the columns, and of `values` that no record has."""
    with source.file.raw() as content:
        try:
            file = _File(content)
        except (ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error, pa.ArrowException):
            return {"fields": 0, "outside": 1, "values": 0}  # no program writes a file like this
    values = file.twice
    for name in source.names:
        raw = source.raw_name(name).encode()
        if listed := file.values.get(raw):
            values += sum(1 for _ in _not_values(source, name, listed, file.types[raw]))
    return {"fields": file.unknown, "outside": file.outside, "values": values}


def _not_values(source: Parquet, name: str, listed: set[bytes], kind: int) -> Iterator[bytes]:
    """The listed values that no record has; a text may be cut off, and its last character increased."""
    column = source.types[name]
    if kind == TEXTS and is_text(column):
        seen: set[bytes] = set()
        for piece in source.read((name,), in_pieces=True):
            for chunk in piece.column(0).chunks:
                cells = chunk.dictionary.take(chunk.indices.unique()) if pa.types.is_dictionary(chunk.type) else chunk
                seen.update(cells.cast(pa.large_binary()).unique().drop_null().to_pylist())
        ordered = sorted(seen)
        for value in listed - seen:
            cut = [value[: len(value) - less] for less in range(LONGEST_SIGN + 1)] if len(value) >= SHORTEST_CUT else []
            indices = ((text, bisect_left(ordered, text)) for text in cut)
            if not any(index < len(ordered) and ordered[index].startswith(text) for text, index in indices):
                yield value
    elif kind in WIDTHS and kind != 3 and _bits(column):
        width = WIDTHS[kind]
        numbers = np.zeros(0, f"i{width}")
        for piece in source.read((name,), in_pieces=True):
            own = piece.column(0).combine_chunks()
            own = own.drop_null()
            if pa.types.is_floating(own.type):
                bits = np.asarray(own).astype(f"f{width}").view(f"i{width}")
            else:
                bits = np.asarray(own.cast(_bits(column))).astype(f"i{width}")
            numbers = np.union1d(numbers, bits)
        wanted = {value: int.from_bytes(value, "little", signed=True) for value in listed if len(value) == width}
        yield from (value for value in listed if len(value) != width)
        is_value = np.isin(np.array(list(wanted.values()), f"i{width}"), numbers)
        for value, is_known in zip(wanted, is_value.tolist(), strict=True):
            if not is_known and not (kind in REALS and _is_zero_or_nan(value, width)):
                yield value


def _bits(kind: pa.DataType) -> pa.DataType | None:
    """The integers by which a file keeps values of a type; None if it is kept otherwise."""
    types = pa.types
    if types.is_float32(kind) or types.is_float64(kind) or types.is_signed_integer(kind):
        return pa.int64()
    if types.is_unsigned_integer(kind):
        return pa.uint64()
    if types.is_date32(kind) or types.is_time32(kind):
        return pa.int32()
    return pa.int64() if types.is_timestamp(kind) or types.is_time64(kind) else None


def _is_zero_or_nan(value: bytes, width: int) -> bool:
    number = np.frombuffer(value, f"f{width}")[0]
    return bool(number == 0 or np.isnan(number))
