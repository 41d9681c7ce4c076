"""A column at a glance: how many values it has, how many records have a unique one, and a sample of the values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from PETWorks.about.personal_details import Search
from PETWorks.counting.codes import Column, Known
from PETWorks.counting.counts import Integers
from PETWorks.counting.exact_values import are_exact
from PETWorks.tables.arrays import arrow_integers, numpy_integers
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.spreadsheet_cells import are_formulas

SAMPLE = 2_000  # distinct values that are looked at
LONGEST = 400  # characters of a value that are looked at, but for personal details
AT_ONCE = 100_000  # values that are searched for personal details


@dataclass(frozen=True)
class Profile:
    """Counts of a column's values, a sample of the distinct ones, and the personal details that all of them have.

    Missing and `*` are not values. Where a column names the person of each record, records of one person with the same
    value count once, but for formulas: a value is unique if one person has it.
    """

    records: int
    present: int  # records with a value
    distinct: int
    unique: int  # records whose value no other record has
    sample: Sequence[str]
    exact: int  # unique records whose value has digits, or is a long text
    details: Mapping[str, int] = field(default_factory=dict)  # how many personal details of each kind all texts have
    formulas: int = 0  # records whose value a spreadsheet takes for a formula


def profile_of(column: Column | Known, records: int, name: str = "", people: Column | None = None) -> Profile:
    """The profile of a column that has been counted; by people, if it is said whose each record is."""
    # A marginal would turn every distinct value into a text and keep it: up to 3 million in one column.
    in_records = column.counts.copy()
    shared, owners = (in_records, None) if people is None or isinstance(column, Known) else sharing(column, people)
    counts = shared.copy()
    nothing = [code for code in (column.code(None), column.code(SUPPRESSED)) if code is not None]
    counts[nothing] = in_records[nothing] = 0
    codes = np.flatnonzero(counts)
    # A sample from the whole column: the first values may be the oldest, or all of one kind.
    chosen = codes[np.linspace(0, len(codes) - 1, min(len(codes), SAMPLE)).astype(np.int64)]
    sample = [text[:LONGEST] for text in column.labels.take(arrow_integers(chosen)).to_pylist()]
    unique = np.flatnonzero(counts == 1)
    exact = are_exact(column.labels.take(arrow_integers(unique))).true_count
    search, formulas = Search(name), 0
    for first in range(0, len(codes), AT_ONCE):
        some = codes[first : first + AT_ONCE]
        texts = column.labels.take(arrow_integers(some))
        search.add(texts, counts[some], None if owners is None else owners[some])
        formulas += int(numpy_integers(arrow_integers(in_records[some]).filter(are_formulas(texts))).sum())
    total = records if owners is None else int(shared.sum())
    return Profile(total, int(counts.sum()), len(codes), len(unique), sample, exact, search.details(), formulas)


def sharing(column: Column, people: Column) -> tuple[Integers, Integers]:
    """How many people have each value of a column, and who, if it is one person; -1 otherwise."""
    number = max(len(people.labels), 1)
    pairs = np.unique(column.codes.astype(np.int64) * number + people.codes)
    codes, persons = np.divmod(pairs, number)
    shared = np.bincount(codes, minlength=len(column.labels))
    owners = np.full(len(column.labels), -1, np.int64)
    owners[codes] = persons
    owners[shared != 1] = -1
    return shared, owners


def profiles_of(
    columns: Mapping[str, Column] | Mapping[str, Known], names: Sequence[str], people: Column | None = None
) -> dict[str, Profile]:
    """The profiles of some of the columns of a table."""
    return {name: profile_of(columns[name], int(columns[name].counts.sum()), name, people) for name in names}
