"""Tables whose columns are protected while they are read, and counts of the changed cells."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from PETWorks.about.protection import GroupMeans, NumberProtection, Protection, protections_of
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.counting.codes import person_texts, trimmed_texts
from PETWorks.counting.microaggregation import FittedGroups, PersonValues, fit_groups
from PETWorks.errors import InputError, ParameterError, quoted
from PETWorks.tables.arrays import naming_column, strings
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

OpenedSource = TypeVar("OpenedSource", bound=Source)


@dataclass
class Change:
    """The changes that a protection makes to a column.

    changed   cells with another value than before
    wrong     cells that cannot be protected
    """

    protection: Protection
    present: int = 0
    changed: int = 0
    wrong: int = 0
    # Sums over the cells that have a position, relative to the position of the first.
    number: int = 0
    first: float = 0.0
    total: float = 0.0
    squares: float = 0.0
    errors: float = 0.0
    positions: dict[str, float | None] = field(default_factory=dict)  # of protected values

    def add(self, text: str, times: int) -> None:
        """Count a value that occurs in this many cells."""
        self.present += times
        new = self.protection.value(text)
        if new is None:
            self.wrong += times
            return
        self.changed += times if new != text else 0
        if new not in self.positions:
            self.positions[new] = self.protection.position(new)
        before, after = self.protection.position(text), self.positions[new]
        if before is None or after is None:
            return
        if self.number == 0:
            self.first = before
        self.number += times
        self.total += times * (before - self.first)
        self.squares += times * (before - self.first) ** 2
        self.errors += times * (before - after) ** 2

    @classmethod
    def of_groups(
        cls, protection: GroupMeans, counts: Mapping[str, int], column: str, people: PersonValues | None = None
    ) -> "Change":
        """The changes by groups that are fitted to the values of a column, and to those of people if they are given."""
        fitted = fit_groups(protection, counts, column, people) if counts else None
        if fitted is None:
            wrong = sum(times for text, times in counts.items() if protection.value(text) is None)
            return cls(protection, sum(counts.values()), wrong=wrong or sum(counts.values()))
        change = cls(fitted, sum(counts.values()), number=int(fitted.times.sum()), first=float(fitted.numbers[0]))
        change.changed = sum(times for text, times in counts.items() if fitted.labels[text] != text)
        change.total, change.squares, change.errors = fitted.sums
        return change

    @property
    def variance_kept(self) -> float | None:
        """The share of the variance of numbers or days that the protected values explain; None without variance."""
        spread = self.squares - self.total**2 / self.number if self.number else 0.0
        return max(0.0, 1 - self.errors / spread) if spread > 0 else None


def protect_source(source: OpenedSource, declared: Any, unit: str | None = None) -> OpenedSource:
    """The table with columns protected as declared; raise if some cells cannot be protected.

    unit   the column that names the person, if people have several records: groups are then of people
    """
    protections = protections_of(declared)
    if not protections:
        return source
    check_engine(source.engine)
    missing = [column for column in protections if column not in source.names]
    if missing:
        raise ParameterError(
            "protect: there is no column {columns}", columns=quoted(missing), what=f"protect.{missing[0]}"
        )
    unit = unit if unit in source.names and unit not in protections else None
    changes, grouped_by = _find_changes(source, protections, unit)
    for name, change in changes.items():
        if change.wrong:
            raise InputError(
                "column {column!r} cannot be protected: {wrong:,} of its {present:,} values are not {expected}; "
                "correct them, or leave the column out",
                column=name,
                wrong=change.wrong,
                present=change.present,
                expected=change.protection.expects,
                what=f"protect.{name}",
            )
    protected: Any = copy(source)  # so that the class of the table stays the same

    def read(columns: tuple[str, ...], *, in_pieces: bool = False) -> "Iterator[pa.Table]":
        for piece in source.read(columns, in_pieces=in_pieces):
            yield protect_piece(piece, columns, protected)

    protected.changes, protected.grouped_by, protected.read = changes, grouped_by, read
    result: OpenedSource = protected
    return result


def _find_changes(
    source: Source, protections: Mapping[str, Protection], unit: str | None
) -> tuple[dict[str, Change], str | None]:
    """Read the protected columns once; return their changes, and the unit if groups are of people."""
    changes = {column: Change(protection) for column, protection in protections.items()}
    counts_of_grouped: dict[str, Counter[str]] = {
        column: Counter() for column, protection in protections.items() if isinstance(protection, GroupMeans)
    }
    columns = tuple(protections)
    unit = unit if counts_of_grouped else None
    pairs: dict[str, list[pa.Table]] = {name: [] for name in counts_of_grouped if unit is not None}
    for piece in source.read(columns if unit is None else (*columns, unit), in_pieces=True):
        texts = _texts(piece.select(range(len(columns))), columns, source)
        if pairs:
            people = person_texts(piece.column(len(columns)), source.separator is not None, folded=True)
            for name, pairs_of_column in pairs.items():
                pairs_of_column.append(_count_pairs(texts[columns.index(name)], people))
        for name, text in zip(columns, texts, strict=True):
            counted: Any = text.value_counts()
            for value, times in zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True):
                if value is None or value == SUPPRESSED:
                    continue
                if name in counts_of_grouped:
                    counts_of_grouped[name][value] += times
                else:
                    changes[name].add(value, times)
    for name, counts in counts_of_grouped.items():
        of_people = _person_values(pairs[name], list(counts)) if name in pairs else None
        changes[name] = Change.of_groups(protections[name], counts, name, of_people)  # type: ignore[arg-type]
    return changes, unit


def _count_pairs(texts: "pa.ChunkedArray", people: "pa.ChunkedArray") -> "pa.Table":
    """The number of records of each pair of value and person in a piece."""
    import pyarrow as pa

    columns = [texts.cast(pa.large_string()), people.cast(pa.large_string())]
    pairs = pa.Table.from_arrays(columns, ["value", "person"])
    counted: pa.Table = pairs.group_by(["value", "person"]).aggregate([([], "count_all")])
    return counted


def _person_values(counted: "Sequence[pa.Table]", values: Sequence[str]) -> PersonValues:
    """The records of each person with each of these values; all records without a name count as one person."""
    import pyarrow as pa
    from pyarrow import compute as pc

    pairs = pa.concat_tables(counted)
    index = pc.index_in(pairs.column("value"), value_set=pa.array(values, pa.large_string()))
    pairs = pairs.set_column(0, "value", index).filter(pc.is_valid(index))
    persons = pairs.column("person").combine_chunks().dictionary_encode("encode").indices
    keys = pa.Table.from_arrays(
        [pairs.column("value"), pa.chunked_array([persons]), pairs.column("count_all")], ["value", "person", "times"]
    )
    summed = keys.group_by(["value", "person"]).aggregate([("times", "sum")]).sort_by([("value", "ascending")])
    value, person, times = (
        np.asarray(summed.column(name)).astype(np.int64) for name in ("value", "person", "times_sum")
    )
    return PersonValues(value, person, times)


def exact_source(source: OpenedSource) -> OpenedSource:
    """The table with its exact values, if it is protected while it is read."""
    if not changes_in(source):
        return source
    exact: Any = copy(source)
    del exact.changes, exact.grouped_by, exact.read
    result: OpenedSource = exact
    return result


def check_engine(engine: str | None) -> None:
    """Raise for an engine whose executors would read the table themselves, unprotected."""
    if engine == "spark":
        raise ParameterError(
            "protect is not possible with the engine 'spark'; round the columns before, or use another engine",
            what="protect",
        )


def changes_in(source: Source) -> Mapping[str, Change]:
    """The changes to each column of a table that is protected while it is read."""
    changes: Mapping[str, Change] = getattr(source, "changes", {})
    return changes


def protect_words(source: Source) -> dict[str, Any]:
    """The declared protection of each protected column of a table."""
    return {column: dict(change.protection.words) for column, change in changes_in(source).items()}


def protect_piece(piece: "pa.Table", columns: Sequence[str], source: Any) -> "pa.Table":
    """A piece of a table with its columns protected."""
    for index, name in enumerate(columns):
        if name in source.changes:
            protection = source.changes[name].protection
            (text,) = _texts(piece.select([index]), (name,), source)
            piece = piece.set_column(
                index, piece.column_names[index], _protect_cells(text, piece.column(index), protection, name)
            )
    return piece


def _texts(piece: "pa.Table", columns: Sequence[str], source: Source) -> "list[pa.ChunkedArray]":
    texts = []
    for name, chunks in zip(columns, piece.columns, strict=True):
        with naming_column(name, {name: chunks.type}, source):
            texts.append(trimmed_texts(chunks, source.separator is not None))
    return texts


def _protect_cells(
    text: "pa.ChunkedArray", cells: "pa.ChunkedArray", protection: Protection, column: str
) -> "pa.ChunkedArray":
    """The protected cells, as numbers of their previous type if that can represent them, otherwise as texts."""
    import pyarrow as pa

    encoded = text.combine_chunks().dictionary_encode()
    new = [
        value if value in (None, SUPPRESSED) else protection.value(value) for value in encoded.dictionary.to_pylist()
    ]
    if None in new:
        raise InputError("column {column!r} has changed since it was looked at", column=column)
    taken = strings(new).take(encoded.indices)
    if not _keeps_type(cells.type, protection):
        return pa.chunked_array([taken])
    try:
        return pa.chunked_array([taken.cast(cells.type)])
    except pa.ArrowInvalid:  # its message quotes a cell
        raise InputError(
            "column {column!r} cannot be protected: rounded values are too large for its type {kind}, or are no "
            "numbers; store the column as text or with a wider type",
            column=column,
            kind=cells.type,
            what=f"protect.{column}",
        ) from None


def _keeps_type(kind: "pa.DataType", protection: Protection) -> bool:
    import pyarrow as pa

    if not isinstance(protection, NumberProtection | FittedGroups) or not protection.keeps_numbers:
        return False
    return pa.types.is_floating(kind) or (pa.types.is_integer(kind) and protection.is_whole)


def check_protected(source: Source, roles: Mapping[str, str], unit: str | None) -> None:
    """Raise if a protected column is a quasi-identifier or names people, or if groups are not of people."""
    grouped = [name for name, change in changes_in(source).items() if isinstance(change.protection, FittedGroups)]
    if grouped and unit is not None and unit in source.names and getattr(source, "grouped_by", None) != unit:
        raise ParameterError(
            "protect: the groups of column {column!r} are of records, and people have several; protect the table "
            "together with its privacy unit",
            column=grouped[0],
            what=f"protect.{grouped[0]}",
        )
    for column in changes_in(source):
        if roles.get(column) == QUASI_IDENTIFIER:
            raise ParameterError(
                "protect: column {column!r} is a quasi-identifier; its hierarchy says how it becomes coarser",
                column=column,
                what=f"protect.{column}",
            )
        if column == unit:
            raise ParameterError(
                "protect: column {column!r} names people; coarser values would mix them up",
                column=column,
                what=f"protect.{column}",
            )
