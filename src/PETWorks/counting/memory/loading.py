"""Reading a table into memory as codes."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from PETWorks.counting.codes import Column, Encoder
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.people import KeyEncoder
from PETWorks.counting.questions import THREADS
from PETWorks.errors import Hint, InputError
from PETWorks.tables.arrays import naming_column
from PETWorks.tables.source import Source

LABELS_SHARE = 4  # distinct values may take this fraction of the memory limit, because comparing copies them


def load_rows(
    source: Source,
    columns: Sequence[str],
    unit: str | None = None,
    memory_limit: int | None = None,
    key: str | None = None,
) -> WeightedRows:
    """Load the named columns of a source, and the unit, which names people; a key is for joining tables only."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(THREADS)
    pool.submit(import_module, "pyarrow.compute")  # while the file is read: it takes as long as a small file
    columns = [*columns, *(name for name in (unit, key) if name is not None)]
    encoders: dict[str, Encoder | KeyEncoder] = {
        name: (KeyEncoder if name == key else Encoder)(spaced_quotes=source.separator is not None) for name in columns
    }
    types: dict[str, Any] = {}
    rows = 0
    for table in source.read(tuple(columns)):
        rows += table.num_rows
        types = dict(zip(columns, table.schema.types, strict=True))
        for name, chunks in zip(columns, table.columns, strict=True):
            with naming_column(name, types, source):
                for piece in chunks.chunks:
                    encoders[name].add(piece)
        check_labels_fit(sum(encoder.label_bytes for encoder in encoders.values()), memory_limit, source)
    if rows == 0:
        raise InputError("{table}: the table has columns but no records", table=source.name)

    def finish(name: str) -> Column:
        with naming_column(name, types, source):
            return encoders.pop(name).finish().without_unused_labels()

    names = list(encoders)
    with pool:
        return WeightedRows(dict(zip(names, pool.map(finish, names), strict=True)), unit)


def check_labels_fit(size: int, memory_limit: int | None, source: Source) -> None:
    """Raise if the distinct values of columns are too large to be compared within the memory limit."""
    if memory_limit is not None and size > memory_limit // LABELS_SHARE:
        raise InputError(
            "{table}: the distinct values of its columns take {size:.1f} GB, too much for a "
            "memory limit of {memory_limit:.1f} GB; shorten the texts, leave a column "
            "without a role, or allow more memory",
            Hint.MEMORY_LIMIT,
            table=source.name,
            size=size / 1e9,
            memory_limit=memory_limit / 1e9,
        )
