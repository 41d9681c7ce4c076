"""New cells for some columns of a table, made piece by piece as the table is read again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import InputError
from PETWorks.tables.arrays import arrow_integers, dictionary
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
    """Some columns of a table, piece by piece, those that change with their new cells: dictionaries of used texts."""
    unchanged = [name for name in columns if name not in changes.labels]
    read = tuple(dict.fromkeys((*unchanged, *changes.columns)))
    for own in source.read(read, in_pieces=True):
        piece = own.rename_columns(list(read))
        new = {
            name: used_texts(codes, changes.labels[name]) for name, codes in new_codes(changes, piece, source).items()
        }
        yield pa.table({name: new[name] if name in new else piece[name] for name in columns})


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


class Feed:
    """The new codes of a table's records, as many at a time as are wanted."""

    def __init__(self, source: Source, changes: Changes) -> None:
        self._source, self._labels = source, changes.labels
        self._pieces = (
            new_codes(changes, piece.rename_columns(list(changes.columns)), source)
            for piece in source.read(changes.columns, in_pieces=True)
        )
        self._left: dict[str, Codes] = {name: np.empty(0, np.uint32) for name in changes.labels}

    def take(self, rows: int) -> dict[str, Codes]:
        """The codes of the next records."""
        while self._number < rows:
            piece = next(self._pieces, None)
            if piece is None:
                raise changed_since(self._source)
            self._left = {name: np.concatenate([own, piece[name]]) for name, own in self._left.items()}
        taken = {name: own[:rows] for name, own in self._left.items()}
        self._left = {name: own[rows:] for name, own in self._left.items()}
        return taken

    def end(self) -> None:
        """An error if there are more records than were taken."""
        if self._number or next(self._pieces, None) is not None:
            raise changed_since(self._source)

    @property
    def _number(self) -> int:
        return len(next(iter(self._left.values())))
