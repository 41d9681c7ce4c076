"""The function `split`, which keeps some people of a table aside before a synthetic table is made of the others."""

import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.released import parse_seed
from PETWorks.counting.codes import with_same_people
from PETWorks.counting.engines.engine import load_rows
from PETWorks.counting.memory.weighted_rows import shuffled_order
from PETWorks.errors import InputError, ParameterError, Phrase
from PETWorks.measures.parameters import parse_number
from PETWorks.tables.arrays import take_rows
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import Content, write_whole
from PETWorks.tables.source import Source
from PETWorks.tables.writing import check_ordered, release_content, whole_table

if TYPE_CHECKING:
    import pyarrow as pa

SEED_BITS = 64


@dataclass(frozen=True, eq=False)
class Split:
    """A table in two parts at random; the records of a person are in the same part.

    source    the table
    kept      the places of the records to make a synthetic table of
    aside     the places of the control people
    people    the number of people in both parts; that of the records if no column names people
    share     the share of the people that was kept aside
    seed      of the random choice
    person    the column that names people, if there is one
    """

    source: Source
    kept: NDArray[np.int64]
    aside: NDArray[np.int64]
    people: tuple[int, int]
    share: float
    seed: int
    person: str | None

    @property
    def original(self) -> "pa.Table":
        """The records to make a synthetic table of."""
        return take_rows(self._table, self.kept)

    @property
    def control(self) -> "pa.Table":
        """The records of the control people."""
        return take_rows(self._table, self.aside)

    @cached_property
    def _table(self) -> "pa.Table":
        return whole_table(self.source)

    def contents(self, original: Path, control: Path) -> Mapping[Path, Content]:
        """The contents of the files for both parts."""
        names = self.source.names
        return {
            path: release_content(path, self.source, exact=names, order=places)
            for path, places in ((original, self.kept), (control, self.aside))
        }

    def write(self, original: str | os.PathLike[str], control: str | os.PathLike[str]) -> None:
        """Write both parts, or none of them, in the format that each name ends in."""
        from PETWorks.tables.opening import files_of_tables

        files: Iterable[Path] = () if self.source.path is None else files_of_tables(self.source.path)
        write_whole(self.contents(Path(original), Path(control)), files)


def split(table: Any, control: float | str = 0.2, *, seed: int | None = None, person: str | None = None) -> Split:
    """Divide a table at random into people to make a synthetic table of, and control people, who are kept aside.

    table     a path, a `CSV` or a frame, as for `Release`
    control   the share of the people to keep aside
    seed      of the random choice, to repeat it; random by default, and kept in the result
    person    a column that names people: all records of a person go to the same part

    >>> parts = split("data/adult.csv", control=0.2, seed=7)
    >>> parts.original.num_rows, parts.control.num_rows
    (960, 240)
    """
    share = parse_number(control)
    if share is None or not 0 < share < 1:
        raise ParameterError(
            "expected control as a share between 0 and 1, such as 0.2, got {given!r}",
            given=str(control)[:40],
            what="control",
        )
    number = secrets.randbits(SEED_BITS) if seed is None else parse_seed(str(seed))
    if number is None or isinstance(seed, bool):
        raise ParameterError("expected a seed that is a whole number, got {seed!r}", seed=str(seed)[:40], what="seed")
    source = open_source(table, Phrase("the table"))
    check_ordered(source)
    of_record, people = _people_of_records(source, person)
    chosen = round(share * people)
    if not 0 < chosen < people:
        raise InputError(
            "{table}: of {people:,} people, {share:g} are {chosen:,}; both parts need at least one",
            table=source.name,
            people=people,
            share=float(share),
            chosen=chosen,
        )
    is_control = np.zeros(people, np.bool_)
    is_control[shuffled_order(number, people)[:chosen]] = True
    aside = is_control[of_record]
    sizes = people - chosen, chosen
    return Split(source, np.flatnonzero(~aside), np.flatnonzero(aside), sizes, float(share), number, person)


def _people_of_records(source: Source, person: str | None) -> tuple[NDArray[np.int64], int]:
    """The number of the person of each record, in the order in which they first occur, and how many there are."""
    from PETWorks.about.roles import unknown_column

    if person is None:
        records = load_rows(source, source.names[:1]).rows
        return np.arange(records), records
    if person not in source.names:
        raise unknown_column(person, source)
    rows = load_rows(source, [], person)
    if rows.unit_is_missing():
        raise InputError(
            "{table}: the column {column!r} names no person in some records; every record needs one",
            table=source.name,
            column=person,
            what="person",
        )
    codes = with_same_people(rows.columns[person]).codes
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[numbers], len(first)
