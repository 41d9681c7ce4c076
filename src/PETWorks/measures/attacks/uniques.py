"""Which few attributes single a record out: minimal sample uniques, for each record in the order of the input."""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.batches import THREADS
from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers
from PETWorks.counting.engine import half_the_machine
from PETWorks.counting.keys import Field, pack
from PETWorks.counting.release import Release
from PETWorks.errors import InputError, ParameterError
from PETWorks.measures.attacks.records import table_in_memory
from PETWorks.measures.attacks.subset_sizes import feasible, known_columns

Flags = NDArray[np.uint8]  # one bit per record


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """For each record, the subsets of quasi-identifiers in which it is unique while it is in none of their subsets.

    size      of the smallest such subset; 0 if there is none up to the size that was looked for
    subset    that subset, the first one if there are several: bit i is set if the i-th quasi-identifier is in it
    number    how many there are, of any size looked for
    """

    quasi_identifiers: tuple[str, ...]
    size: NDArray[np.uint8]
    subset: Integers
    number: Integers

    def attributes(self, mask: int) -> list[str]:
        """The names in a subset."""
        return [name for place, name in enumerate(self.quasi_identifiers) if mask >> place & 1]


def minimal_uniques(release: Release, up_to: int | None = None) -> MinimalUniques:
    """Look for subsets of at most so many quasi-identifiers (None: all) in which a record is unique.

    Level by level: a record that is unique in a subset is unique in all that contain it, so that each subset is
    counted among the records which are unique in no smaller one.

    >>> roles = dict.fromkeys(["age", "sex"], "quasi_identifier")
    >>> uniques = minimal_uniques(Release({"age": [20, 30, 30], "sex": ["f", "f", "m"]}, roles))
    >>> uniques.size.tolist(), [uniques.attributes(mask) for mask in uniques.subset.tolist()]
    ([1, 2, 1], [['age'], ['age', 'sex'], ['sex']])
    """
    from concurrent.futures import ThreadPoolExecutor

    columns, table = known_columns(release), table_in_memory(release)
    if up_to is not None and (type(up_to) is not int or up_to < 1):
        raise ParameterError(
            "expected up_to as a number of attributes, 1 or more; got {up_to!r}", up_to=up_to, what="up_to"
        )
    fields = [Field(table.columns[name].codes, table.columns[name].bits) for name in columns]
    rows, deepest = release.records, min(up_to or len(columns), len(columns))
    _check_room(len(columns), deepest, rows)
    size, subset, number = np.zeros(rows, np.uint8), np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    smaller: dict[int, Flags] = {0: np.zeros(-(-rows // 8), np.uint8)}
    with ThreadPoolExecutor(THREADS) as pool:
        for level in range(1, deepest + 1):
            current: dict[int, Flags] = {}
            masks = [sum(1 << place for place in chosen) for chosen in combinations(range(len(columns)), level)]
            uniques = pool.map(lambda mask, smaller=smaller: _new_uniques(fields, mask, smaller, rows), masks)
            for mask, (before, new) in zip(masks, uniques, strict=True):
                number[new] += 1
                first = new[size[new] == 0]
                size[first], subset[first] = level, mask
                flags = np.zeros(rows, np.bool_)
                flags[new] = True
                current[mask] = before | np.packbits(flags)
            smaller = current
    return MinimalUniques(columns, size, subset, number)


def _check_room(columns: int, deepest: int, rows: int) -> None:
    """An error if there is too much to do, or no room for the flags of two levels."""
    feasible(range(1, deepest + 1), columns, rows)
    memory = half_the_machine()
    needed = [(comb(columns, level) + comb(columns, level - 1)) * rows // 8 for level in range(1, deepest + 1)]
    if max(needed) > memory:
        fits = next(level for level, size in enumerate(needed) if size > memory)
        raise InputError(
            "finding the records that are unique in up to {deepest} of {columns} attributes "
            "needs {memory:.0f} GB; ask for up to {fits}",
            deepest=deepest,
            columns=columns,
            memory=max(needed) / 1e9,
            fits=fits,
        )


def _new_uniques(fields: list[Field], mask: int, smaller: dict[int, Flags], rows: int) -> tuple[Flags, Integers]:
    """Which records are unique in a subset of this one, and those that are in none but are in this."""
    chosen = [place for place in range(len(fields)) if mask >> place & 1]
    before = np.bitwise_or.reduce([smaller[mask & ~(1 << place)] for place in chosen])
    others = np.flatnonzero(np.unpackbits(before, count=rows) == 0)
    if len(others) == 0:
        return before, others
    row_bits = (len(others) - 1).bit_length()
    keys, bits, _ = pack([Field(fields[place].codes[others], fields[place].bits) for place in chosen], room=row_bits)
    return before, np.sort(others[_unique_rows(keys, bits, row_bits)])


def _unique_rows(keys: Codes, bits: int, row_bits: int) -> Integers:
    """The rows whose key no other row has."""
    entries: Codes = keys.astype(np.uint32 if bits + row_bits <= 32 else np.uint64)
    kind = entries.dtype.type
    entries <<= kind(row_bits)
    entries |= np.arange(len(keys), dtype=entries.dtype)
    entries.sort()
    begins = np.ones(len(keys) + 1, np.bool_)
    begins[1:-1] = entries[1:] >> kind(row_bits) != entries[:-1] >> kind(row_bits)
    alone = entries[begins[1:] & begins[:-1]] & kind((1 << row_bits) - 1)
    return np.asarray(alone, np.int64)
