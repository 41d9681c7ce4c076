"""A whole table at once: all its columns and records."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.globs import Files
from PETWorks.tables.source import Source


def whole_table(
    source: Source, columns: Sequence[str] | None = None, changed: Mapping[str, pa.Array] | None = None
) -> pa.Table:
    """All columns of a table, or some, with its records in their order and its cells as they stand.

    Cells of CSV are texts, with the blanks around them; columns of texts may be dictionaries.

    changed   columns that have other cells

    >>> from PETWorks.tables.csvfile import CSV
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
    """An error for a table whose records may come in another order whenever it is read."""
    if not source.ordered:
        raise InputError(
            "{table}: the records have no order of their own; save the table as a CSV or Parquet file",
            table=source.name,
        )


def own_fields(source: Source) -> Mapping[str, Any]:
    """The type of each column, and what is said about it in the file; nothing for a table of texts."""
    first = source.parts[0] if isinstance(source, Files) else source
    fields: Mapping[str, Any] = getattr(first, "fields", {})
    return fields
