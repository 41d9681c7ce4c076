"""Writing tables: the format follows from the file name; new cells replace those of the columns that changed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError, Joined, quoted
from PETWorks.tables.arrays import arrow_integers, dictionary, is_text, numpy_integers, take_or_null, take_rows
from PETWorks.tables.formats.csv import (
    CSV,
    SEPARATORS,
    UNMARKED,
    UTF8,
    Column,
    Dialect,
    check_order,
    check_separator,
    codec_name,
    longest_text,
    new_csv,
    new_csv_of_pieces,
    rows_at_a_time,
)
from PETWorks.tables.formats.text_tables import WORKBOOK
from PETWorks.tables.normalised_cells import normalise_table
from PETWorks.tables.opening import Files
from PETWorks.tables.source import Source

Codes = NDArray[np.unsignedinteger]


class Changes(Protocol):
    """A mapping of some columns of a table to new cells.

    columns   the columns whose cells it needs
    labels    for each column that changes, its possible texts
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose cells it needs."""

    @property
    def labels(self) -> Mapping[str, pa.Array]:
        """For each column that changes, its possible texts."""

    def kept(self, cells: Sequence[pa.ChunkedArray], *, spaced_quotes: bool = False) -> NDArray[np.bool_] | None:
        """Mask of the rows that stay in the table; None if all do. `cells` are those of the columns above."""

    def new_codes(self, cells: Sequence[pa.ChunkedArray], *, spaced_quotes: bool = False) -> Mapping[str, Codes]:
        """For each column that changes, the index of the text of each row; `cells` as above."""


def new_codes(changes: Changes, piece: pa.Table, source: Source) -> Mapping[str, Codes]:
    """The index of the new text of each row of a piece, which has the names of the source as column names."""
    with _reporting_changed_table(source):
        return changes.new_codes([piece[name] for name in changes.columns], spaced_quotes=source.separator is not None)


@contextmanager
def _reporting_changed_table(source: Source) -> Iterator[None]:
    """Report cells that were text when they were counted, and are not any more, as a changed table."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, UnicodeDecodeError):
        raise changed_table_error(source) from None


def changed_table_error(source: Source) -> InputError:
    """The error for a table that has changed since it was opened."""
    return InputError("{table}: the table has changed since it was opened", table=source.name)


def changed_pieces(source: Source, columns: Sequence[str], changes: Changes) -> Iterator[pa.Table]:
    """Some columns of a table, piece by piece, with normalised cells, and new ones where they change."""
    unchanged = [name for name in columns if name not in changes.labels]
    read = tuple(dict.fromkeys((*unchanged, *changes.columns)))
    for raw in source.read(read, in_pieces=True):
        piece = raw.rename_columns(list(read))
        kept = _rows_kept(changes, piece, source)
        piece = piece if kept is None or kept.all() else take_rows(piece, np.flatnonzero(kept))
        new = {
            name: used_texts(codes, changes.labels[name]) for name, codes in new_codes(changes, piece, source).items()
        }
        changed = pa.table({name: new[name] if name in new else piece[name] for name in columns})
        yield normalise_table(changed, source, changes.columns)


def _rows_kept(changes: Changes, piece: pa.Table, source: Source) -> NDArray[np.bool_] | None:
    """Mask of the rows of a piece that stay in the table; None if all do."""
    with _reporting_changed_table(source):
        return changes.kept([piece[name] for name in changes.columns], spaced_quotes=source.separator is not None)


def find_removed_records(source: Source, changes: Changes) -> NDArray[np.int64]:
    """The indices of the records that leave the table, which is read piece by piece."""
    found, first = [np.arange(0)], 0
    for piece in source.read(changes.columns, in_pieces=True):
        kept = _rows_kept(changes, piece.rename_columns(list(changes.columns)), source)
        if kept is not None:
            found.append(first + np.flatnonzero(~kept))
        first += piece.num_rows
    return np.concatenate(found)


def changed_table(source: Source, columns: Sequence[str], changes: Changes) -> pa.Table:
    """Some columns of a table with their new cells, as one table; see `changed_pieces`."""
    try:
        return pa.concat_tables(changed_pieces(source, columns, changes), promote_options="permissive")
    except pa.ArrowException:
        raise InputError("{table}: a column has cells of types that do not fit together", table=source.name) from None


def used_texts(codes: Codes, labels: pa.Array) -> pa.Array:
    """Texts given by their indices into labels, with only labels that occur."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    indices = np.zeros(len(labels), np.uint32)
    indices[used] = np.arange(len(used))
    return dictionary(indices[codes], labels.take(arrow_integers(used)))


def whole_table(
    source: Source, columns: Sequence[str] | None = None, changed: Mapping[str, pa.Array] | None = None
) -> pa.Table:
    """All columns of a table, or some, with records in their order and unchanged cells.

    Cells of CSV are texts, including surrounding blanks; columns of texts may be dictionaries.

    changed   new cells for some columns

    >>> from PETWorks.tables.formats.csv import CSV
    >>> whole_table(CSV("data/delta.csv"), ["age", "zip"]).slice(0, 2).to_pylist()
    [{'age': '35', 'zip': '47906'}, {'age': '59', 'zip': '47903'}]
    """
    check_ordered(source)
    wanted, new = tuple(source.names if columns is None else columns), changed or {}
    names = tuple(name for name in wanted if name not in new)
    if not names:
        return pa.table({name: new[name] for name in wanted})
    pieces = [piece.rename_columns(list(names)) for piece in source.read(names)]
    try:
        table = pa.concat_tables(pieces, promote_options="permissive")
        return pa.table({name: new[name] if name in new else table[name] for name in wanted})
    except pa.ArrowException:
        raise InputError("{table}: a column has cells of types that do not fit together", table=source.name) from None


def check_ordered(source: Source) -> None:
    """Raise if the records of a table may come in another order each time it is read."""
    if not source.ordered:
        raise InputError(
            "{table}: the records have no order of their own; save the table as a CSV or Parquet file",
            table=source.name,
        )


def original_fields(source: Source) -> Mapping[str, Any]:
    """The Arrow field of each column of a file, with its type and metadata; nothing for a table of texts."""
    first = source.parts[0] if isinstance(source, Files) else source
    fields: Mapping[str, Any] = getattr(first, "fields", {})
    return fields


TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet",)
FEATHER_SUFFIXES = (".feather", ".arrow")
WORKBOOK_SUFFIXES = (".xlsx",)
SUFFIXES = (*TEXT_SUFFIXES, *PARQUET_SUFFIXES, *FEATHER_SUFFIXES, *WORKBOOK_SUFFIXES)
ROWS = 1 << 17  # most rows written at a time: a row group of a Parquet file

TYPES_OF_VIEWS = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
WRITTEN_TEXT = {pa.string(), pa.large_string(), pa.string_view()}

Write = Callable[[BinaryIO], None]


def release_content(
    path: Path,
    source: Source,
    *,
    drop: Collection[str] = (),
    changed: "Mapping[str, Column] | Changes | None" = None,
    exact: Collection[str] = (),
    order: NDArray[np.int64] | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> Write:
    """A function that writes a table to a file, without some columns and with new cells in others.

    Cells are written normalised: texts without surrounding blanks and invisible characters, quoted only if necessary,
    and one missing value. A CSV file made from a CSV file keeps its separator and encoding; in Parquet or Feather,
    unchanged columns keep their types; a workbook has texts and numbers. The result is for `write_whole`.

    changed   for each column its new cells, one per record, in the order of the table; or a `Changes` object that
              makes them while the table is read again: then it is written piece by piece, never all in memory
    exact     quasi-identifiers: they keep invisible characters, with which they are counted; a `Changes` object knows
              them
    order     indices of the records to write, in this order, each at most once; None for all in their order
    separator, encoding   for a CSV file made from another kind of table
    """
    check_suffix(path)
    changes = None if changed is None or isinstance(changed, Mapping) else changed
    new_cells = changed if isinstance(changed, Mapping) else {}
    if changes is None:
        check_ordered(source)
    new = {name: column for name, column in new_cells.items() if name not in drop}
    unknown = sorted({*drop, *new} - set(source.names))
    if unknown:
        raise InputError(
            "{table}: no such columns to drop or change: {columns}", table=source.name, columns=quoted(unknown)
        )
    kept = [name for name in source.names if name not in drop]
    if not kept:
        raise InputError("{table}: every column is dropped; at least one must be left to write", table=source.name)
    if changes is not None:
        return _piecewise_writer(path, source, kept, changes, _dialect(source, path, kept, separator, encoding))
    same = [name for name in kept if name not in new]
    columns = {**new, **(dict(zip(same, whole_table(source, same).columns, strict=True)) if same else {})}
    rows = {len(column) for column in columns.values()}
    if len(rows) > 1:
        raise InputError(
            "{table}: the columns have {numbers} cells",
            table=source.name,
            numbers=Joined(" and ", map(str, sorted(rows))),
        )
    table = normalise_table(pa.table({name: columns[name] for name in kept}), source, exact)
    if path.suffix.lower() in TEXT_SUFFIXES:
        return new_csv(table, source.name, _dialect(source, path, kept, separator, encoding), order)
    if path.suffix.lower() in WORKBOOK_SUFFIXES:
        from PETWorks.tables.formats.workbooks import new_workbook

        if order is not None:
            check_order(order, table.num_rows, path.name)
        return new_workbook(lambda: _in_order(table, order), kept, path.name)
    fields_of_source = original_fields(source)
    fields = [_field(name, table[name].type, fields_of_source.get(name), is_new=name in new) for name in kept]
    return _columnar_writer(path, table, pa.schema(fields), order)


def _piecewise_writer(path: Path, source: Source, kept: list[str], changes: Changes, dialect: Dialect) -> Write:
    """A function that reads a table piece by piece, and writes each piece with its new cells."""

    def pieces() -> Iterator[pa.Table]:
        return changed_pieces(source, kept, changes)

    if path.suffix.lower() in TEXT_SUFFIXES:
        return new_csv_of_pieces(pieces, kept, source.name, dialect)
    if path.suffix.lower() in WORKBOOK_SUFFIXES:
        from PETWorks.tables.formats.workbooks import new_workbook

        return new_workbook(pieces, kept, path.name)
    fields = original_fields(source)

    def write(file: BinaryIO) -> None:
        write_pieces(path, file, pieces(), fields, changes)

    return write


def _in_order(table: pa.Table, order: NDArray[np.int64] | None) -> Iterator[pa.Table]:
    """The records of a table, in this order, many at a time."""
    for first in range(0, table.num_rows if order is None else len(order), ROWS):
        part = slice(first, first + ROWS)
        yield table.slice(first, ROWS) if order is None else take_rows(table, order[part])


def write_pieces(
    path: Path, file: BinaryIO, pieces: Iterator[pa.Table], source_fields: Mapping[str, pa.Field], changes: Changes
) -> int:
    """Write the pieces of a table as Parquet or Feather; return the number of records."""
    writer: Any = None
    rows = 0
    try:
        with ExitStack() as opened:
            for piece in pieces:
                if writer is None:
                    fields = [
                        _field(name, piece[name].type, source_fields.get(name), is_new=name in changes.labels)
                        for name in piece.column_names
                    ]
                    schema = pa.schema(
                        map(_without_dictionary, fields) if path.suffix.lower() in FEATHER_SUFFIXES else fields
                    )
                    writer = opened.enter_context(_writer(path, file, schema))
                rows += piece.num_rows
                columns = [_unify_dictionaries(column) for column in piece.columns]
                step = rows_at_a_time(map(_longest_label, columns), ROWS)
                for first in range(0, piece.num_rows, step):
                    for batch in _batches([column.slice(first, step) for column in columns], schema):
                        writer.write_batch(batch)
    except MemoryError:
        raise
    except pa.ArrowException:
        # The message of Arrow may quote a cell.
        raise InputError("cannot write {path!r}: the format cannot hold all of the types", path=str(path)) from None
    return rows


def _without_dictionary(field: pa.Field) -> pa.Field:
    """A column without a dictionary: a Feather file has one for all pieces, which is not known in advance."""
    return field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field


def check_suffix(path: Path) -> None:
    """Raise if the name of a file does not determine its format, or if the package for it is missing."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            "cannot write {path!r}: expected a name that ends in one of {suffixes}",
            path=str(path),
            suffixes=quoted(SUFFIXES),
        )
    if path.suffix.lower() in WORKBOOK_SUFFIXES:
        from PETWorks.tables.formats.workbooks import check_installed

        check_installed(path.name)


def _dialect(
    source: Source,
    path: Path,
    names: Collection[str],
    separator: str | None = None,
    encoding: str | None = None,
) -> Dialect:
    """The CSV dialect for a table that is not a CSV file; several CSV files are written like the first one.

    Tables from workbooks get a byte-order mark, without which Excel does not recognise UTF-8.
    """
    first = source.parts[0] if isinstance(source, Files) else source
    if isinstance(first, CSV) and first.separator is not None:
        return Dialect.of(first)
    check_separator(separator)
    # Readers detect the separator in the header, so names must not contain other separators.
    usual = ";" if any(sign in name for name in names for sign in SEPARATORS if sign != ",") else ","
    codec = UTF8 if encoding is None else codec_name(encoding)
    return Dialect(
        separator or ("\t" if path.suffix.lower() == ".tsv" else usual),
        UNMARKED.get(codec, codec),
        marked=codec in UNMARKED or (codec == UTF8 and getattr(first, "kind", None) == WORKBOOK),
    )


def _field(name: str, kind: pa.DataType, original: pa.Field | None, *, is_new: bool) -> pa.Field:
    """The field in the file for a column with cells of this type in memory: its type and nothing else.

    original   the field in the original file. Texts are dictionaries in memory, whatever their type in the file.
    """
    if not is_text(kind):
        return pa.field(name, kind)
    usual = pa.string() if original is None else original.type
    if pa.types.is_dictionary(usual) and not is_new:
        return pa.field(name, pa.dictionary(usual.index_type, pa.string(), usual.ordered))
    return pa.field(name, usual if usual in WRITTEN_TEXT else pa.string())


def _columnar_writer(path: Path, table: pa.Table, schema: pa.Schema, order: NDArray[np.int64] | None) -> Write:
    """A function that writes a table as Parquet or Feather, with the types of a schema."""
    if order is not None:
        check_order(order, table.num_rows, path.name)
    columns = [_drop_unused_labels(_unify_dictionaries(column), order) for column in table.columns]
    for index, field in enumerate(schema):
        if pa.types.is_dictionary(field.type):
            columns[index] = _cast_labels(columns[index], field.type.value_type)
            schema = schema.set(index, field.with_type(columns[index].type))
    step = rows_at_a_time(map(_longest_label, columns), ROWS)

    def batches() -> Iterator[pa.RecordBatch]:
        for first in range(0, table.num_rows if order is None else len(order), step):
            if order is None:
                pieces = [column.slice(first, step) for column in columns]
            else:
                wanted = arrow_integers(order[first : first + step])
                pieces = [column.take(wanted) for column in columns]
            yield from _batches(pieces, schema)

    def write(file: BinaryIO) -> None:
        try:
            with _writer(path, file, schema) as writer:
                for batch in batches():
                    writer.write_batch(batch)
        except MemoryError:
            raise
        except pa.ArrowException:
            # The message of Arrow may quote a cell.
            kinds = quoted(sorted({str(kind) for kind in schema.types}))
            raise InputError(
                "cannot write {path!r}: the format cannot hold all of the types {kinds}", path=str(path), kinds=kinds
            ) from None

    return write


def _batches(columns: list[pa.ChunkedArray], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Columns as record batches with the types of a schema."""
    cells = [_cast(column, field.type) for column, field in zip(columns, schema, strict=True)]
    yield from pa.Table.from_arrays(cells, schema=schema).combine_chunks().to_batches()


def _writer(path: Path, file: BinaryIO, schema: pa.Schema) -> Any:
    if path.suffix.lower() in PARQUET_SUFFIXES:
        from pyarrow import parquet

        return parquet.ParquetWriter(file, schema)
    from pyarrow import ipc

    return ipc.new_file(file, schema, options=ipc.IpcWriteOptions(compression="lz4"))


def _unify_dictionaries(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column with a single dictionary, if any, as in Feather files, without nulls and views in it."""
    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    index_type = column.type.index_type
    try:
        return pa.chunked_array([_make_storable(chunk, index_type) for chunk in column.chunks]).unify_dictionaries()
    except pa.ArrowInvalid:  # the indices are too narrow for the labels of all chunks
        return pa.chunked_array([_make_storable(chunk, pa.int32()) for chunk in column.chunks]).unify_dictionaries()


def _cast_labels(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """A dictionary column with labels of this type."""
    ordered = column.type.ordered
    pieces = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(kind), ordered=ordered)
        for chunk in column.chunks
    ]
    return pa.chunked_array(pieces, pa.dictionary(column.type.index_type, kind, ordered))


def _drop_unused_labels(column: pa.ChunkedArray, order: NDArray[np.int64] | None) -> pa.ChunkedArray:
    """A column whose dictionary has only labels that are written, by first appearance, or in order if ordered.

    Other labels could be values of records that are not released, and their order could reveal that of the original.
    """
    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    none = arrow_integers(np.array([-1]))[0]  # from a Python number PyArrow would import pandas
    codes = np.concatenate([numpy_integers(chunk.indices.cast(pa.int64()).fill_null(none)) for chunk in column.chunks])
    written = codes if order is None else codes[order]
    used, first = np.unique(written[written >= 0], return_index=True)
    kept = used if column.type.ordered else used[np.argsort(first)]
    new_codes = np.full(len(column.chunk(0).dictionary) + 1, -1)
    new_codes[kept] = np.arange(len(kept))
    indices = take_or_null(arrow_integers(np.arange(len(kept))), new_codes[codes]).cast(column.type.index_type)
    labels = column.chunk(0).dictionary.take(arrow_integers(kept))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, labels, ordered=column.type.ordered)])


def _make_storable(cells: pa.DictionaryArray, index_type: pa.DataType) -> pa.DictionaryArray:
    """Dictionary-encoded cells without nulls and string views in the dictionary."""
    from pyarrow import compute as pc

    indices, labels = cells.indices, cells.dictionary
    if labels.null_count:
        new_codes = np.cumsum(~np.asarray(labels.is_null())) - 1
        indices = pc.if_else(labels.is_null(), pa.nulls(1, pa.int64())[0], arrow_integers(new_codes)).take(indices)
        labels = labels.drop_null()
    return pa.DictionaryArray.from_arrays(
        indices.cast(index_type),
        labels.cast(TYPES_OF_VIEWS.get(labels.type, labels.type)),
        ordered=cells.type.ordered,
    )


def _longest_label(column: pa.ChunkedArray) -> int:
    """Length of the longest text in the dictionary of a column; 0 for other columns."""
    is_dictionary = pa.types.is_dictionary(column.type) and column.num_chunks > 0
    return longest_text(column.chunk(0).dictionary) if is_dictionary and is_text(column.type) else 0


def _cast(cells: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Cells in the type that they have in the file."""
    if cells.type == kind:
        return cells
    return cells.cast(cells.type.value_type).cast(kind) if pa.types.is_dictionary(cells.type) else cells.cast(kind)
