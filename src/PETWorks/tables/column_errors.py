"""Errors of Arrow that name the column they are about, and no cell."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PETWorks.errors import InputError
from PETWorks.tables.source import Source


@contextmanager
def naming(column: str, types: Mapping[str, object], source: Source) -> Iterator[None]:
    """Name the column whose cells cannot be read as text; what Arrow says might quote one."""
    from pyarrow import ArrowException

    try:
        yield
    except MemoryError:
        raise
    except (ArrowException, UnicodeDecodeError):
        raise InputError(
            f"{source.name}: column {column!r} has cells of type {types[column]}, not all of them text"
        ) from None
