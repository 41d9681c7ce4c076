"""Errors of Arrow that name the column they are about, and no cell."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.source import Source

TEXT = {pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()}

BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}


@contextmanager
def naming(column: str, types: Mapping[str, pa.DataType], source: Source) -> Iterator[None]:
    """Name the column whose cells cannot be read as text; what Arrow says might quote one."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable(source.name, column, types[column]) from None


def unreadable(table: str, column: str, kind: pa.DataType) -> InputError:
    """The error for a column whose cells are no text."""
    if is_text(kind):
        return InputError(
            "{table}: column {column!r} has cells that are not valid UTF-8; save the table as UTF-8",
            table=table,
            column=column,
        )
    return InputError(
        "{table}: column {column!r} has cells of type {kind}, not all of them text",
        table=table,
        column=column,
        kind=kind,
    )


def is_text(kind: pa.DataType) -> bool:
    """Whether the cells of a column are texts, or bytes that may be one; or a dictionary of such."""
    own = kind.value_type if pa.types.is_dictionary(kind) else kind
    return own in TEXT or pa.types.is_fixed_size_binary(own)


def check_cells(table: pa.Table, name: str) -> None:
    """An error of Arrow if a table from a file is damaged, or ours if it is only the text of some cell."""
    for column, chunks in zip(table.schema.names, table.columns, strict=True):
        try:
            chunks.validate(full=True)  # damaged indices would crash whoever follows them
        except pa.ArrowInvalid:
            if not is_text(chunks.type):
                raise
            for chunk in chunks.chunks:
                _as_bytes(chunk).validate(full=True)
            raise unreadable(name, column.strip(), chunks.type) from None


def _as_bytes(cells: pa.Array) -> pa.Array:
    """Texts as bytes, which need not be UTF-8: the same buffers, none of which is followed."""
    if pa.types.is_dictionary(cells.type):
        return pa.DictionaryArray.from_arrays(cells.indices, _as_bytes(cells.dictionary), safe=False)
    return cells.view(BYTES[cells.type]) if cells.type in BYTES else cells
