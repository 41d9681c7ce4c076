"""A column at a glance: how many values it has, how many records have a unique one, and a sample of the values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.counting.codes import Column, Known
from PETWorks.counting.exact_values import are_exact
from PETWorks.tables.arrays import arrow_integers
from PETWorks.tables.cells import SUPPRESSED

SAMPLE = 2_000  # distinct values that are looked at
LONGEST = 400  # characters of a value that are looked at


@dataclass(frozen=True)
class Profile:
    """Counts of a column's values, and a sample of the distinct ones. Missing and `*` are not values."""

    records: int
    present: int  # records with a value
    distinct: int
    unique: int  # records whose value no other record has
    sample: Sequence[str]
    exact: int  # unique records whose value is a number, a date, a time, coordinates or a long text


def profile_of(column: Column | Known, records: int) -> Profile:
    """The profile of a column that has been counted."""
    # A marginal would turn every distinct value into a text and keep it: up to 3 million in one column.
    counts = column.counts.copy()
    counts[[code for code in (column.code(None), column.code(SUPPRESSED)) if code is not None]] = 0
    codes = np.flatnonzero(counts)
    # A sample from the whole column: the first values may be the oldest, or all of one kind.
    chosen = codes[np.linspace(0, len(codes) - 1, min(len(codes), SAMPLE)).astype(np.int64)]
    sample = [text[:LONGEST] for text in column.labels.take(arrow_integers(chosen)).to_pylist()]
    unique = np.flatnonzero(counts == 1)
    exact = are_exact(column.labels.take(arrow_integers(unique))).true_count
    return Profile(records, int(counts.sum()), len(codes), len(unique), sample, exact)


def profiles_of(columns: Mapping[str, Column] | Mapping[str, Known], names: Sequence[str]) -> dict[str, Profile]:
    """The profiles of some of the columns of a table."""
    return {name: profile_of(columns[name], int(columns[name].counts.sum())) for name in names}
