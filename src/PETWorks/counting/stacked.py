"""Several tables stacked into one, so that their classes are counted together in one pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from PETWorks.counting.codes import CountedDomain, encode_together, placeholder_labels
from PETWorks.counting.counts import Integers
from PETWorks.tables.arrays import arrow_integers


@dataclass(frozen=True, eq=False)
class StackedColumn:
    """A column of stacked tables.

    source      the column of the tables that it is made from
    known       its values and the number of records with each, in all tables
    new_codes   for each table the code here of each of its codes
    """

    source: str
    known: CountedDomain
    new_codes: tuple[Integers, ...]


def common_column(tables: Sequence[Any], name: str) -> StackedColumn:
    """A column with one code for each value, whichever table has it."""
    import pyarrow as pa

    labels = [table.domains[name].labels for table in tables]
    codes, number = encode_together(labels)
    every, first = np.unique(np.concatenate(codes), return_index=True)
    assert len(every) == number
    merged = pa.concat_arrays([own.cast(pa.large_string()) for own in labels]).take(arrow_integers(first))
    return StackedColumn(name, CountedDomain(merged, _counts(tables, name, codes, number)), tuple(codes))


def column_by_table(
    tables: Sequence[Any], common: StackedColumn, number: int, *, with_values: bool = True
) -> StackedColumn:
    """A column that distinguishes tables: its code is `value * number + table`.

    number        of tables, at least; the last ones may be missing
    with_values   whether it has the values of the common column; otherwise the code is the table alone
    """
    values = len(common.known.labels) if with_values else 1
    codes = tuple((own if with_values else own * 0) * number + table for table, own in enumerate(common.new_codes))
    counts = _counts(tables, common.source, codes, values * number)
    return StackedColumn(common.source, CountedDomain(placeholder_labels(values * number), counts), codes)


def _counts(tables: Sequence[Any], name: str, codes: Sequence[Integers], number: int) -> Integers:
    counts = np.zeros(number, np.int64)
    for table, new_codes in zip(tables, codes, strict=True):
        np.add.at(counts, new_codes, table.marginal(name).counts)
    return counts


Columns = Mapping[str, StackedColumn]
