"""Content of a file besides its table: other sheets, comments, metadata, values that no record has, unused bytes."""

import base64
import binascii
import codecs
import json
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.tables.arrays import Integers, arrow_integers, is_text, numpy_integers
from PETWorks.tables.databases import Database, SQLite
from PETWorks.tables.files import HeldFile, hold_file
from PETWorks.tables.formats.csv import CSV, UTF8, converting_os_errors
from PETWorks.tables.formats.json_lines import JSONLines
from PETWorks.tables.formats.packed import DAMAGES, GZIP, ZIP, ZSTD, Content, unpacked_path
from PETWorks.tables.formats.parquet import Parquet, bytes_besides_columns
from PETWorks.tables.formats.plain_workbooks import (
    AUTHOR,
    COMMENTS,
    ELEMENTS,
    FORMATS,
    FORMULAS,
    LINKS,
    NAMES,
    OF_FORMATS,
    PICTURES,
    PIVOTS,
    PROPERTIES,
    RELATIONS,
    SHEET,
    SPELLINGS,
    UNUSED,
    count_besides_table,
    is_examined,
)
from PETWorks.tables.formats.text_tables import WORKBOOK, TextTable
from PETWorks.tables.formats.workbooks import OLD_EXCEL, count_tags, damaged_workbook, is_opendocument, sheet_names
from PETWorks.tables.frames import Frame
from PETWorks.tables.hidden_differences import BLOCK
from PETWorks.tables.opening import Files
from PETWorks.tables.source import Source

# The kinds of further content.
SHEETS, MACROS, PARTS, FILES, FILE_NAMES, METADATA, OUTSIDE, PERSONAL, UNSEEN, SEVERAL_FILES, UNUSUAL_BYTES = (
    "further sheets",
    "macros",
    "further parts",
    "further files",
    "other file names",
    "metadata",
    "bytes outside the table",
    "names with personal details",  # found by the check, which can recognise them
    "files of a kind that is not looked through",
    "files with a part of the records each",  # the file of a record is information about it
    "lines with characters in unusual bytes",
)
KINDS = (
    *(SHEETS, COMMENTS, PICTURES, LINKS, PIVOTS, NAMES, MACROS, PARTS),
    *(PROPERTIES, AUTHOR, ELEMENTS, FORMULAS, FORMATS, *OF_FORMATS, SPELLINGS),
    *(FILES, FILE_NAMES, METADATA, UNUSED, OUTSIDE, PERSONAL, UNSEEN, SEVERAL_FILES, UNUSUAL_BYTES),
)

READ_BLOCK = 1 << 20
START = 100  # bytes that determine the kind of a file
# The parts of an Excel workbook by the beginning of their names; the first that fits counts.
EXCEL_PARTS = {
    "xl/worksheets/": SHEETS,
    "xl/chartsheets/": SHEETS,
    "xl/dialogsheets/": SHEETS,
    "xl/macrosheets/": MACROS,
    "xl/vba": MACROS,
    "xl/comments": COMMENTS,
    "xl/threadedComments/": COMMENTS,
    "xl/persons/": COMMENTS,
    "xl/drawings/": PICTURES,
    "xl/media/": PICTURES,
    "xl/charts/": PICTURES,
    "docProps/thumbnail": PICTURES,
    "xl/pivot": PIVOTS,
    "xl/externalLinks/": LINKS,
    "xl/calcChain.xml": FORMULAS,
}
COMMENT_ELEMENTS = ("comment", "threadedComment")
# Keys of metadata that Arrow, pandas and Spark write themselves.
ARROW_SCHEMA, PANDAS, SPARK = b"ARROW:schema", b"pandas", b"org.apache.spark."
FIELD_ID, POLARS, SHORT = b"PARQUET:field_id", b"_PL_CATEGORICAL", 16  # bytes of a value without a name in it
OF_PANDAS = {
    "index_columns",
    "column_indexes",
    "columns",
    "attributes",
    "creator",
    "pandas_version",
    "partition_columns",
}
OF_PANDAS_COLUMNS = {"encoding", "num_categories", "ordered", "timezone", "precision", "scale"}
# The type of the offsets of texts in an array, and the size of a view in bytes.
OFFSETS = {
    **dict.fromkeys((pa.string(), pa.binary()), np.int32),
    **dict.fromkeys((pa.large_string(), pa.large_binary()), np.int64),
}
VIEWS, VIEW = (pa.string_view(), pa.binary_view()), 16
FILLED = 64  # buffers are padded to a multiple of this many bytes
LONGEST_INSIDE = 12  # bytes of the longest text that a view contains itself
MESSAGE, ARROW_START, ARROW_END = b"\xff" * 4, 8, 10  # of Feather files: a mark, and the bytes around the messages
# Of zip files: sizes of headers and of the end record (22 bytes, or 98 in large files), flags, and known extra fields.
LOCAL_HEADER, DIRECTORY_ENTRY, DIRECTORY_ENDS = 30, 46, (22, 98)
SIZES_FOLLOW, UTF8_NAME = 8, 0x800
USUAL_FIELDS = {0x0001: 28, 0x000A: 32, 0x5455: 13, 0x5855: 12, 0x7855: 4, 0x7875: 15}  # with their largest sizes
ROOM = 0xA220
GZIP_HEADER, GZIP_EXTRA, GZIP_NAME, GZIP_COMMENT = 10, 4, 8, 16


def further_content(source: Source) -> Mapping[str, int]:
    """The number of things in the files of a table besides its cells, by kind; empty if it is not in a file."""
    parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
    found: Counter[str] = Counter()
    for part in parts:
        found.update(_further_content_of_part(part))
    found[SEVERAL_FILES] = len(parts) if len(parts) > 1 else 0
    return {kind: int(found[kind]) for kind in KINDS if found[kind] > 0}


def names_inside(source: Source) -> tuple[str, ...]:
    """The names inside the files of a table: those of sheets and of packed files."""
    parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
    return tuple(text for part in parts for text in _names_inside_part(part))


def _names_inside_part(source: Any) -> Iterator[str]:
    if isinstance(source, TextTable) and source.kind == WORKBOOK and source.file is not None:
        yield from sheet_names(source.file)
    elif isinstance(source, CSV | JSONLines) and source.content.member is not None:
        yield source.content.member


def _further_content_of_part(source: Any) -> Mapping[str, int]:
    if isinstance(source, TextTable) and source.kind == WORKBOOK and source.file is not None:
        return _content_of_workbook(source.file, source)
    if isinstance(source, CSV):
        return Counter(_content_of_packed_file(source.content)) + Counter({UNUSUAL_BYTES: _count_unusual_lines(source)})
    if isinstance(source, JSONLines):
        return _content_of_packed_file(source.content)
    if isinstance(source, Parquet):
        return _content_of_parquet(source)
    if isinstance(source, Frame) and source.file is not None:
        return _content_of_feather(source.file)
    # Files of statistics programs keep labels, notes and deleted records. Databases keep deleted records, comments and
    # other tables, and each cell of SQLite has its own type. A table on a server is not in a file.
    if isinstance(source, TextTable | SQLite) or (isinstance(source, Database) and not source.on_server):
        return {UNSEEN: 1}
    return {}


def _content_of_workbook(path: Path, table: TextTable) -> Mapping[str, int]:
    with path.open("rb") as file:
        start = file.read(START)
    if start.startswith(OLD_EXCEL) or is_opendocument(start):
        return {UNSEEN: 1}
    packed = hold_file(path)
    found = _content_of_archive(packed)
    names = _member_names(packed)
    has_comments = any(name.startswith("xl/comments") for name in names)
    for name in names:
        found.update(_content_of_excel_part(path, name, has_comments=has_comments))
    sheets = [name for name in names if name.startswith(SHEET) and not name.endswith(RELATIONS)]
    found.update(count_besides_table(path, sheets[0] if len(sheets) == 1 else None, table))
    found[SHEETS] -= 1
    return found


def _content_of_excel_part(path: Path, name: str, *, has_comments: bool) -> Mapping[str, int]:
    """The further content that a part of an Excel workbook is."""
    if is_examined(name) or (name.endswith(".vml") and has_comments):
        return {}
    kind = next((kind for start, kind in EXCEL_PARTS.items() if name.startswith(start)), PARTS)
    found = Counter({kind: 1})
    if kind == COMMENTS:
        found = Counter({kind: count_tags(path, name, COMMENT_ELEMENTS).total() or 1})
    return found


def _count_unusual_lines(source: CSV) -> int:
    """The number of lines with other bytes than encoding their text again would give.

    Big5 has two codes for some characters, and UTF-7 and ISO 2022 can write any character in several ways.
    """
    encoding = source.encoding or UTF8
    if encoding.startswith("utf") and encoding != "utf-7":
        return 0
    decoder, encoder = codecs.getincrementaldecoder(encoding)(), codecs.getincrementalencoder(encoding)()
    rest = b""
    with converting_os_errors(source.content.path), source.content.open() as file:
        while block := file.read(BLOCK):
            raw, encoded = rest + block, encoder.encode(decoder.decode(block))
            if not raw.startswith(encoded):
                pairs = zip(raw.split(b"\n"), encoded.split(b"\n"), strict=False)
                return max(sum(line != usual for line, usual in pairs), 1)
            rest = raw[len(encoded) :]
    return int(rest != encoder.encode(decoder.decode(b"", final=True), final=True))


def _content_of_packed_file(content: Content) -> Mapping[str, int]:
    with content.file.open() as file:
        start = file.read(1 << 16)
    if start.startswith(ZIP):
        found = _content_of_archive(content.file)
        found[FILES] += sum(name != content.member for name in _member_names(content.file))
        return found
    if start.startswith(ZSTD):
        return {OUTSIDE: _has_more_frames(content.file)}
    if not start.startswith(GZIP):
        return {}
    flags, place = start[3], GZIP_HEADER
    found = Counter({METADATA: bool(flags & GZIP_EXTRA) + bool(flags & GZIP_COMMENT)})
    if flags & GZIP_EXTRA:
        place += 2 + int.from_bytes(start[place : place + 2], "little")
    if flags & GZIP_NAME:
        name = start[place:].partition(b"\0")[0]
        own = (unpacked_path(content.path).name, content.path.name)
        found[FILE_NAMES] += name not in {text.encode(code, "replace") for text in own for code in ("utf-8", "latin-1")}
    found[OUTSIDE] += _has_more_members(content.file)
    return found


def _has_more_members(packed: HeldFile) -> bool:
    """Whether anything follows the first member of a gzip file, such as another member."""
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    with _errors_as_damage(packed.path), packed.open() as file:
        while not unpacking.eof and (block := unpacking.unconsumed_tail or file.read(READ_BLOCK)):
            unpacking.decompress(block, READ_BLOCK)
        return bool(unpacking.unused_data.strip(b"\0") or file.read().strip(b"\0"))


def _has_more_frames(packed: HeldFile) -> bool:
    """Whether anything follows the first frame of a zstd file, such as a skippable frame."""
    with _errors_as_damage(packed.path), packed.open() as file:
        flags = file.read(5)[4]
        is_single = bool(flags & 0x20)
        size_bytes = (1 if is_single else 0, 2, 4, 8)[flags >> 6]
        file.seek((not is_single) + (0, 1, 2, 4)[flags & 3] + size_bytes, 1)
        is_last = False
        while not is_last:
            header = int.from_bytes(_read_exactly(file, 3), "little")
            is_last, is_repeated, size = bool(header & 1), header >> 1 & 3 == 1, header >> 3
            file.seek(1 if is_repeated else size, 1)
        file.seek(4 if flags & 4 else 0, 1)
        return bool(file.read(1))


def _read_exactly(file: BinaryIO, size: int) -> bytes:
    block = file.read(size)
    if len(block) < size:
        raise EOFError
    return block


def _content_of_archive(packed: HeldFile) -> Counter[str]:
    """Comments, extra fields and bytes in a zip file that are not part of the files in it."""
    with _errors_as_damage(packed.path), zipfile.ZipFile(packed.for_zip()) as archive, packed.open() as file:
        listed = sorted(archive.infolist(), key=lambda member: member.header_offset)
        comments = bool(archive.comment) + sum(bool(member.comment) for member in listed)
        twice = len(archive.namelist()) - len(set(archive.namelist()))
        place = outside = fields = 0
        for member in listed:
            outside += member.header_offset != place
            file.seek(member.header_offset)
            header = file.read(LOCAL_HEADER)
            name, extra = struct.unpack_from("<2H", header, LOCAL_HEADER - 4)
            outside += file.read(name) != _name_bytes(member) or not _header_agrees(member, header)
            fields += _count_unusual_fields(file.read(extra)) + _count_unusual_fields(member.extra)
            place = file.tell() + member.compress_size
            outside += _has_bytes_behind(file, member)
            if member.flag_bits & SIZES_FOLLOW:
                file.seek(place)
                place += _descriptor_size(file.read(24), member)
        directory = sum(
            DIRECTORY_ENTRY + len(_name_bytes(member)) + len(member.extra) + len(member.comment) for member in listed
        )
        outside += archive.start_dir != place
        end = packed.size - archive.start_dir - directory - len(archive.comment)
    return Counter({COMMENTS: comments, FILES: twice, METADATA: fields, OUTSIDE: outside + (end not in DIRECTORY_ENDS)})


def _header_agrees(member: zipfile.ZipInfo, header: bytes) -> bool:
    """Whether the header of a packed file agrees with the directory, or leaves its fields to the directory."""
    method, *_, checksum, packed, size = struct.unpack_from("<3H3I", header, 8)
    told = ((checksum, member.CRC), (packed, member.compress_size), (size, member.file_size))
    return method == member.compress_type and all(own in (0, 0xFFFFFFFF, right) for own, right in told)


def _has_bytes_behind(file: BinaryIO, member: zipfile.ZipInfo) -> bool:
    """Whether a packed file, which starts here, has bytes behind its content, which readers ignore."""
    if member.is_dir() or member.compress_type == zipfile.ZIP_STORED:
        return member.compress_size != member.file_size or (member.is_dir() and member.file_size > 0)
    if member.compress_type != zipfile.ZIP_DEFLATED:
        return member.compress_type != zipfile.ZIP_BZIP2  # workbooks and exports never have another method
    unpacking = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    left, size = member.compress_size, 0
    while not unpacking.eof and size <= member.file_size:
        block = unpacking.unconsumed_tail
        if not block:
            block = file.read(min(READ_BLOCK, left))
            left -= len(block)
        if not block:
            break
        size += len(unpacking.decompress(block, READ_BLOCK))
    return bool(left or unpacking.unused_data or unpacking.unconsumed_tail) or size != member.file_size


def _name_bytes(member: zipfile.ZipInfo) -> bytes:
    return member.orig_filename.encode("utf-8" if member.flag_bits & UTF8_NAME else "cp437")


def _descriptor_size(behind: bytes, member: zipfile.ZipInfo) -> int:
    """The size of the data descriptor behind a packed file; 0 if there is none."""
    for sign in (b"PK\x07\x08", b""):
        for form in ("<3I", "<I2Q"):
            try:
                told = sign + struct.pack(form, member.CRC, member.compress_size, member.file_size)
            except struct.error:
                continue
            if behind.startswith(told):
                return len(told)
    return 0


def _count_unusual_fields(extra: bytes) -> int:
    """The number of extra fields other than times, owners, sizes and the empty padding of Excel."""
    found, place = 0, 0
    while place + 4 <= len(extra):
        kind, size = struct.unpack_from("<2H", extra, place)
        content = extra[place + 4 : place + 4 + size]
        found += size > USUAL_FIELDS.get(kind, -1) and not (kind == ROOM and not any(content[4:]))
        place += 4 + size
    return found + any(extra[place:])


def _member_names(packed: HeldFile) -> list[str]:
    """The names in a zip file, including hidden files and empty folders."""
    with _errors_as_damage(packed.path), zipfile.ZipFile(packed.for_zip()) as archive:
        listed = sorted(set(archive.namelist()))
    return [
        name
        for name in listed
        if not (name.endswith("/") and any(other.startswith(name) for other in listed if other != name))
    ]


def _count_metadata(schema: pa.Schema, file: Mapping[bytes, bytes] | None) -> Mapping[str, int]:
    """Count the metadata of a schema, its fields and the file, without what Arrow, pandas and Spark always write."""
    own = {**(file or {}), **(schema.metadata or {})}
    found = sum(not _is_written_by_software(key, value, schema) for key, value in own.items())
    found += sum(_count_field_metadata(field) for field in schema)
    if ARROW_SCHEMA in own:
        inner = _read_arrow_schema(own[ARROW_SCHEMA])
        if inner is None:
            found += 1
        else:
            others = {key: value for key, value in (inner.metadata or {}).items() if own.get(key) != value}
            found += sum(not _is_written_by_software(key, value, schema) for key, value in others.items())
            found += sum(_count_field_metadata(field) for field in inner if field.name not in schema.names)
    return {METADATA: found}


def _read_arrow_schema(value: bytes) -> pa.Schema | None:
    from pyarrow import ipc

    try:
        return ipc.read_schema(pa.py_buffer(base64.b64decode(value)))
    except (pa.ArrowException, OSError, ValueError, binascii.Error):
        return None


def _count_field_metadata(field: pa.Field) -> int:
    """Count the metadata of a column, except its number and the notes of Polars about categories."""
    own = {key: value for key, value in (field.metadata or {}).items() if key != FIELD_ID}
    return sum(not key.startswith(POLARS) or len(value) > SHORT for key, value in own.items())


def _is_written_by_software(key: bytes, value: bytes, schema: pa.Schema) -> bool:
    if key == PANDAS:
        return _is_written_by_pandas(value, schema)
    return key == ARROW_SCHEMA or key.startswith(SPARK)


def _is_written_by_pandas(value: bytes, schema: pa.Schema) -> bool:
    """Whether the metadata of pandas describe only the columns of the file, without attributes set by the user."""
    try:
        told = json.loads(value)
        columns = told.get("columns", [])
        axes = told.get("column_indexes", [])
        labels = [label for label in told.get("index_columns", []) if isinstance(label, dict)]
        names = {None, *schema.names}
        return (
            set(told) <= OF_PANDAS
            and not told.get("attributes")
            and not told.get("partition_columns")
            and all({column.get("name"), column.get("field_name")} <= names for column in columns)
            and all(set(entry.get("metadata") or {}) <= OF_PANDAS_COLUMNS for entry in (*columns, *axes))
            and all(entry.get("name") is None for entry in (*axes, *labels))
        )
    except (ValueError, TypeError, AttributeError):
        return False


def _content_of_feather(file: HeldFile) -> Mapping[str, int]:
    """Metadata of a Feather file and of its pieces, and stored values that no record has."""
    from pyarrow import ipc

    with _errors_as_damage(file.path), file.mapped() as mapped:
        reader = ipc.open_file(mapped)
        found = Counter(_count_metadata(reader.schema, getattr(reader, "metadata", None)))
        for place in range(reader.num_record_batches):
            found[METADATA] += len(reader.get_batch_with_custom_metadata(place).custom_metadata or {})
        table = reader.read_all()
        found[UNUSED] = sum(
            _count_unused_categories(column) for column in table.columns if pa.types.is_dictionary(column.type)
        )
        found[UNUSED] += sum(_count_values_below_nulls(column) for column in table.columns)
        found[UNUSED] += sum(_has_unused_texts(column.chunks) for column in table.columns)
        mapped.seek(0)
        found[OUTSIDE] = _has_bytes_outside(mapped.read_buffer(), reader.num_record_batches, table)
    return found


def _has_bytes_outside(file: pa.Buffer, batches: int, table: pa.Table) -> bool:
    """Whether a Feather file has bytes outside its messages and its footer, or messages that readers ignore.

    In pieces that are not packed, each byte must belong to a cell, or be zero.
    """
    from pyarrow import ipc

    content = np.frombuffer(file, np.uint8)
    footer = len(content) - ARROW_END - int.from_bytes(content[-ARROW_END:][:4].tobytes(), "little")
    place = ARROW_START
    if content[place : place + 4].tobytes() != MESSAGE:  # Polars writes the schema without a marker
        place += next(at for at in range(0, footer, 8) if content[place + at : place + at + 4].tobytes() == MESSAGE)
        if place - ARROW_START > len(content) - footer:  # the footer repeats the schema
            return True
    bodies: list[tuple[int, int]] = []
    while size := int.from_bytes(content[place + 4 : place + 8].tobytes(), "little"):
        message = ipc.read_message(file.slice(place))
        body = place + 8 + size
        place = body + (0 if message.body is None else message.body.size)
        bodies += [(body, place)] * (message.type != "schema")
        batches -= message.type == "record batch"
    if batches or place + 8 != footer:
        return True
    used = sorted(
        (buffer.address - file.address, buffer.address - file.address + buffer.size)
        for chunk in (chunk for column in table.columns for chunk in column.chunks)
        for buffer in _buffers(chunk)
        if 0 <= buffer.address - file.address < len(content)
    )
    for start, end in bodies:
        own = [(low, high) for low, high in used if start <= low < end]
        if own:
            edges = [start, *(place for low_high in own for place in low_high), end]
            gaps = zip(edges[::2], edges[1::2], strict=True)
            if any(content[low:high].any() for low, high in gaps if low < high):
                return True
    return False


def _buffers(cells: pa.Array) -> Iterator[pa.Buffer]:
    yield from (buffer for buffer in cells.buffers() if buffer is not None)
    if pa.types.is_dictionary(cells.type):
        yield from _buffers(cells.dictionary)


def _has_unused_texts(chunks: Sequence[pa.Array]) -> bool:
    """Whether a column stores texts that no record has, as a slice of a larger table does."""
    kind = chunks[0].type if chunks else pa.null()
    if pa.types.is_dictionary(kind):
        return any(_has_unused_texts([chunk.dictionary]) for chunk in chunks)
    if kind in VIEWS:
        return _has_unused_in_views(chunks)
    return kind in OFFSETS and _has_unused_around_texts([chunk for chunk in chunks if len(chunk)])


def _has_unused_around_texts(chunks: Sequence[pa.Array]) -> bool:
    """Whether there are bytes before or behind the texts of a piece, other than the first ones of the next piece.

    When Arrow cuts a table into pieces, it pads each with the beginning of the next.
    """
    following = b""
    for chunk in reversed(chunks):
        _, offsets, stored = chunk.buffers()
        ends = np.frombuffer(offsets, OFFSETS[chunk.type])[chunk.offset : chunk.offset + len(chunk) + 1]
        if stored is None:
            continue
        behind = stored.slice(int(ends[-1])).to_pybytes()
        if ends[0] or (any(behind) and not following.startswith(behind.rstrip(b"\0"))):
            return True
        first = stored.slice(0, min(int(ends[-1]), FILLED)).to_pybytes()
        following = (first + following)[:FILLED]
    return False


def _has_unused_in_views(chunks: Sequence[pa.Array]) -> bool:
    """Whether texts are stored that no view refers to; pieces of one table share the stored texts."""
    seen: dict[bytes, list[Integers]] = {}
    for chunk in chunks:
        _, views, *stored = chunk.buffers()
        fields = np.frombuffer(views, "<i4").reshape(-1, 4)[chunk.offset : chunk.offset + len(chunk)]
        fields = fields[np.asarray(chunk.is_valid()) & (fields[:, 0] > LONGEST_INSIDE)]
        for place, buffer in enumerate(stored):
            seen.setdefault(buffer.to_pybytes(), []).append(fields[fields[:, 2] == place][:, [3, 0]])
    return any(len(texts) > np.unique(np.concatenate(own), axis=0)[:, 1].sum() for texts, own in seen.items())


def _content_of_parquet(source: Parquet) -> Counter[str]:
    found = Counter(_count_metadata(source.schema, source.metadata))
    found[UNUSED] += _count_unused_in_parquet(source)
    with converting_os_errors(source.file.path):
        besides = bytes_besides_columns(source)
    found.update({METADATA: besides["fields"], OUTSIDE: besides["outside"], UNUSED: besides["values"]})
    return found


def _count_unused_in_parquet(source: Parquet) -> int:
    """The number of texts in the dictionaries of a Parquet file that no record has, such as unused categories.

    Each row group has its own dictionaries; a text counts if no record of any group has it. Dictionaries of numbers
    are not examined: no program writes unused numbers into them.
    """
    from pyarrow import compute as pc

    unused = 0
    for name in (name for name in source.with_dictionaries() if is_text(source.types[name])):
        listed: pa.Array | None = None
        for _, others in _split_dictionaries(source, name):
            if len(others):
                listed = others if listed is None else pc.unique(pa.concat_arrays([listed, others]))
        if listed is None:
            continue
        for used, _ in _split_dictionaries(source, name):
            listed = listed.filter(pc.invert(pc.is_in(listed, value_set=used)))
            if not len(listed):
                break
        unused += len(listed)
    return unused


def _split_dictionaries(source: Parquet, name: str) -> Iterator[tuple[pa.Array, pa.Array]]:
    """For each dictionary of a column, the texts that records have, and the unused ones."""
    for piece in source.read((name,), in_pieces=True):
        for chunk in piece.column(0).chunks:
            if not pa.types.is_dictionary(chunk.type):
                continue
            codes = numpy_integers(chunk.indices.drop_null())
            is_used = np.bincount(codes, minlength=len(chunk.dictionary)) > 0
            labels = chunk.dictionary.cast(pa.large_binary())
            yield (
                labels.take(arrow_integers(np.flatnonzero(is_used))),
                labels.take(arrow_integers(np.flatnonzero(~is_used))),
            )


def _count_unused_categories(column: pa.ChunkedArray) -> int:
    """The number of values in the dictionaries of a column that no record has."""
    from pyarrow import compute as pc

    kind = pa.large_string() if is_text(column.type) else column.type.value_type
    pieces = [(chunk.dictionary.cast(kind), chunk.indices) for chunk in column.chunks]
    listed = pa.chunked_array([labels for labels, _ in pieces], kind)
    used = pa.chunked_array([labels.take(indices.unique()) for labels, indices in pieces], kind).combine_chunks()
    return int(pc.sum(pc.invert(pc.is_in(pc.unique(listed), value_set=used))).as_py() or 0)


def _count_values_below_nulls(column: pa.ChunkedArray) -> int:
    """The number of missing cells for which the file stores a value, such as one that was masked in pandas or Polars.

    Programs usually store the same meaningless bytes for every missing number, and nothing for a missing text.
    """
    below: Counter[bytes] = Counter()
    for piece in column.chunks:
        cells = piece.indices if pa.types.is_dictionary(piece.type) else piece
        if cells.null_count and any(cells.buffers()[1:]):
            values, counts = np.unique(_bytes_below_nulls(cells), return_counts=True)
            below.update(dict(zip((value.tobytes() for value in values), counts.tolist(), strict=True)))
    return below.total() - max((number for value, number in below.items() if _is_neutral(value)), default=0)


def _bytes_below_nulls(cells: pa.Array) -> NDArray[Any]:
    """The bytes that a file stores for missing cells; for texts, their lengths."""
    kind, stored = cells.type, cells.buffers()[1]
    rows = np.flatnonzero(~np.asarray(cells.is_valid())) + cells.offset
    if kind in OFFSETS:
        ends = np.frombuffer(stored, OFFSETS[kind])
        lengths: NDArray[Any] = ends[rows + 1] - ends[rows]
        return lengths
    if pa.types.is_boolean(kind):
        bits: NDArray[Any] = np.unpackbits(np.frombuffer(stored, np.uint8), bitorder="little")[rows]
        return bits
    width = VIEW if kind in VIEWS else 0 if pa.types.is_nested(kind) or pa.types.is_null(kind) else kind.byte_width
    return np.frombuffer(stored, f"V{width}")[rows] if width else np.empty(0, np.uint8)


def _is_neutral(value: bytes) -> bool:
    """Whether bytes are a filler that programs write for missing numbers: 0, 1, -1, the smallest number, or NaN."""
    nothing = bytes(len(value) - 1)
    return value in (
        *(nothing + b"\0", b"\1" + nothing, b"\xff" * len(value), nothing + b"\x80"),
        *(np.array(sign * np.nan, kind).tobytes() for kind in ("f2", "f4", "f8") for sign in (1, -1)),
    )


@contextmanager
def _errors_as_damage(path: Path) -> Iterator[None]:
    """Convert the errors of a file that was changed since it was opened to one that names it."""
    try:
        yield
    except (OSError, KeyError, pa.ArrowException, *DAMAGES):
        raise damaged_workbook(path.name) from None
