"""New cells for some columns of a table, made piece by piece as the table is read again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError
from PETWorks.tables.arrays import arrow_integers, dictionary, taken_rows
from PETWorks.tables.judged_cells import judged_table
from PETWorks.tables.source import Source

Codes = NDArray[np.unsignedinteger]


class Changes(Protocol):
    """What some columns of a table become.

    columns   the columns whose cells must be known for it
    labels    for each column that changes, the texts that it may have
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose cells must be known for it."""

    @property
    def labels(self) -> Mapping[str, pa.Array]:
        """For each column that changes, the texts that it may have."""

    def kept(self, cells: Sequence[pa.ChunkedArray], *, spaced_quotes: bool = False) -> NDArray[np.bool_] | None:
        """Which rows stay in the table; None if all do. `cells` are those of the columns above."""

    def new_codes(self, cells: Sequence[pa.ChunkedArray], *, spaced_quotes: bool = False) -> Mapping[str, Codes]:
        """For each column that changes, which of its texts each row has; `cells` are those of the columns above."""


def new_codes(changes: Changes, piece: pa.Table, source: Source) -> Mapping[str, Codes]:
    """Which texts the rows of a piece have, whose columns are called by their names."""
    try:
        return changes.new_codes([piece[name] for name in changes.columns], spaced_quotes=source.separator is not None)
    except MemoryError:
        raise
    except (pa.ArrowException, UnicodeDecodeError):  # cells that were text when they were counted
        raise changed_since(source) from None


def changed_since(source: Source) -> InputError:
    """The error for a table that is not what it was."""
    return InputError("{table}: the table has changed since it was opened", table=source.name)


def changed_pieces(source: Source, columns: Sequence[str], changes: Changes) -> Iterator[pa.Table]:
    """Some columns of a table, piece by piece, with cells as they are judged; those that change have their new ones."""
    unchanged = [name for name in columns if name not in changes.labels]
    read = tuple(dict.fromkeys((*unchanged, *changes.columns)))
    for own in source.read(read, in_pieces=True):
        piece = own.rename_columns(list(read))
        kept = _kept(changes, piece, source)
        piece = piece if kept is None or kept.all() else taken_rows(piece, np.flatnonzero(kept))
        new = {
            name: used_texts(codes, changes.labels[name]) for name, codes in new_codes(changes, piece, source).items()
        }
        yield judged_table(pa.table({name: new[name] if name in new else piece[name] for name in columns}), source)


def _kept(changes: Changes, piece: pa.Table, source: Source) -> NDArray[np.bool_] | None:
    """Which rows of a piece stay in the table; None if all do."""
    try:
        return changes.kept([piece[name] for name in changes.columns], spaced_quotes=source.separator is not None)
    except MemoryError:
        raise
    except (pa.ArrowException, UnicodeDecodeError):  # cells that were text when they were counted
        raise changed_since(source) from None


def places_left_out(source: Source, changes: Changes) -> NDArray[np.int64]:
    """The places of the records that do not stay in the table; it is read piece by piece."""
    found, first = [np.arange(0)], 0
    for piece in source.read(changes.columns, in_pieces=True):
        kept = _kept(changes, piece.rename_columns(list(changes.columns)), source)
        if kept is not None:
            found.append(first + np.flatnonzero(~kept))
        first += piece.num_rows
    return np.concatenate(found)


def joined_pieces(source: Source, columns: Sequence[str], changes: Changes) -> pa.Table:
    """The same at once."""
    try:
        return pa.concat_tables(changed_pieces(source, columns, changes), promote_options="permissive")
    except pa.ArrowException:
        raise InputError("{table}: a column has cells of types that do not fit together", table=source.name) from None


def used_texts(codes: Codes, labels: pa.Array) -> pa.Array:
    """Texts that are given by their places among labels, with no text that no row has."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    places = np.zeros(len(labels), np.uint32)
    places[used] = np.arange(len(used))
    return dictionary(places[codes], labels.take(arrow_integers(used)))
