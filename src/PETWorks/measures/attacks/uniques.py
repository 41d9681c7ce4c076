"""Single records at risk: the smallest sets of attributes that distinguish them, and all risks of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers
from PETWorks.counting.engines.engine import half_the_machine
from PETWorks.counting.keys import Field, pack
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import THREADS
from PETWorks.counting.release import Release
from PETWorks.errors import InputError, ParameterError
from PETWorks.measures.attacks.inference import attribute_inference_per_record
from PETWorks.measures.attacks.reidentification import re_identification_per_record, record_class_sizes, table_in_memory
from PETWorks.measures.attacks.subsets import count_feasible_subsets, known_columns
from PETWorks.measures.risk.individual import individual_risks_per_record
from PETWorks.tables.arrays import arrow_integers, arrow_reals, lists, strings, take_or_null

if TYPE_CHECKING:
    import pyarrow as pa

Mask = NDArray[np.bool_]

MAX_WORK = 1 << 27  # rows read in all passes: a minute or two
PASS_COST = 1 << 12  # the fixed cost of a pass, in rows
NO_SET = -1


@dataclass(frozen=True, eq=False)
class SmallestSets:
    """For each item an index into `sets`, which are sets of columns; NONE if no set was found."""

    sets: tuple[tuple[str, ...], ...]
    indices: Integers


def smallest_sets(
    columns: Sequence[str], items: int, rows: int, stands_out: Callable[[tuple[str, ...], Integers], Mask]
) -> SmallestSets:
    """For each item the smallest set of columns by which it stands out; of several, the first in the order of columns.

    Sets of one column are tried first, then those of two, up to a size that is affordable: each set takes a pass over
    the rows.

    stands_out   called with a set and some items: whether each of these stands out by the set
    """
    found, left = np.full(items, NO_SET, np.int64), np.arange(items)
    sets: list[tuple[str, ...]] = []
    for size in range(1, largest_size(len(columns), rows) + 1):
        for chosen in combinations(columns, size):
            if not len(left):
                break
            hit = stands_out(chosen, left)
            if hit.any():
                found[left[hit]] = len(sets)
                sets.append(chosen)
                left = left[~hit]
    return SmallestSets(tuple(sets), found)


def largest_size(columns: int, rows: int) -> int:
    """The largest size such that all sets up to that size are affordable; at least one."""
    passes = columns
    for size in range(2, columns + 1):
        passes += comb(columns, size)
        if not is_affordable(passes, rows):
            return size - 1
    return columns


def is_affordable(passes: int, rows: int) -> bool:
    """Whether this many passes over the rows are affordable."""
    return passes * (rows + PASS_COST) <= MAX_WORK


def check_below(below: int) -> int:
    """Check the class size below which records are reported, and return it."""
    if type(below) is not int or below < 2:
        raise ParameterError(
            "expected below as a number of records, 2 or more; got {below!r}", below=below, what="below"
        )
    return below


def in_groups_below(release: Release, below: int) -> SmallestSets:
    """For each record, in input order, the smallest set of columns whose values fewer than `below` records share.

    Records of classes of `below` records or more have none. As for an adversary, no record is set aside.

    >>> roles = dict.fromkeys(["age", "sex"], "quasi_identifier")
    >>> found = in_groups_below(Release({"age": [20, 30, 30, 30], "sex": ["f", "f", "m", "m"]}, roles), 2)
    >>> [found.sets[index] if index >= 0 else None for index in found.indices.tolist()]
    [('age',), ('age', 'sex'), None, None]
    """
    table, columns = table_in_memory(release), release.quasi_identifiers
    names = columns if table.unit is None else (*columns, table.unit)
    rows = WeightedRows({name: table.columns[name] for name in names}, table.unit).distinct()
    distinct, first = np.unique(rows._packed(columns).keys, return_index=True)
    class_of = np.searchsorted(distinct, pack([table.columns[name] for name in columns]).keys)
    small = np.zeros(len(distinct), np.bool_)
    small[class_of] = record_class_sizes(release) < check_below(below)
    of_small = first[small]

    def is_in_few(chosen: tuple[str, ...], items: Integers) -> Mask:
        kept = chosen if rows.unit is None else (*chosen, rows.unit)
        projected = WeightedRows({name: rows.columns[name] for name in kept}, rows.unit, rows.weights, whole=False)
        counted = projected if rows.unit is None else projected.per_person(chosen)
        keys = projected._packed(chosen).keys
        groups = np.searchsorted(np.unique(keys), keys[of_small[items]])
        return np.asarray(counted._sizes(chosen)[groups] < below)

    found = smallest_sets(columns, len(of_small), len(first), is_in_few)
    indices = np.full(len(distinct), NO_SET, np.int64)
    indices[small] = found.indices
    return SmallestSets(found.sets, indices[class_of])


Flags = NDArray[np.uint8]  # one bit per record


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """For each record, the minimal subsets of quasi-identifiers in which it is unique.

    size      of the smallest such subset; 0 if there is none up to the size searched
    subset    that subset, the first one if there are several: bit i is set if the i-th quasi-identifier is in it
    number    the number of minimal subsets, of any size searched
    """

    quasi_identifiers: tuple[str, ...]
    size: NDArray[np.uint8]
    subset: Integers
    number: Integers

    def attributes(self, mask: int) -> list[str]:
        """The names of the quasi-identifiers in a subset."""
        return [name for index, name in enumerate(self.quasi_identifiers) if mask >> index & 1]


def minimal_uniques(release: Release, up_to: int | None = None) -> MinimalUniques:
    """Find the minimal subsets of at most `up_to` quasi-identifiers (None: all) in which each record is unique.

    The search goes by size: a record that is unique in a subset is unique in all that contain it, so each subset is
    counted only among the records that are unique in none of its subsets.

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
            masks = [sum(1 << index for index in chosen) for chosen in combinations(range(len(columns)), level)]
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
    """Raise if there are too many subsets, or too little memory for the flags of two levels."""
    count_feasible_subsets(range(1, deepest + 1), columns, rows)
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
    """Flags of the records that are unique in a smaller subset, and the records that are unique in this one first."""
    chosen = [index for index in range(len(fields)) if mask >> index & 1]
    before = np.bitwise_or.reduce([smaller[mask & ~(1 << index)] for index in chosen])
    remaining = np.flatnonzero(np.unpackbits(before, count=rows) == 0)
    if len(remaining) == 0:
        return before, remaining
    row_bits = (len(remaining) - 1).bit_length()
    keys, bits, _ = pack([Field(fields[index].codes[remaining], fields[index].bits) for index in chosen], room=row_bits)
    return before, np.sort(remaining[_unique_rows(keys, bits, row_bits)])


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


def risks_per_record(release: Release, *, up_to: int | None = None, below: int | None = None) -> "pa.Table":
    """The risk of each record, in input order, as a PyArrow table; it contains no cells, but is for insiders only.

    Its columns are `record` (its number, from 1 on), `class_size` (the number of records that share its
    quasi-identifiers), `re-identification` (the chance of picking this record) and, for each sensitive attribute,
    `attribute-inference of NAME` (the chance of guessing its value). With sampling weights, there is
    `individual-risk` too, and with households `household-risk`.

    up_to   add the smallest set of at most this many attributes by which a record is unique: `unique_with` (its size,
            0 if the record is not unique), `unique_attributes`, and `minimal_uniques`, the number of minimal sets
    below   only records of classes smaller than this, with `stands_out_by`: the smallest set of attributes whose
            values a record shares with fewer records than this

    >>> risks_per_record(Release("data/patient_anonymized.csv")).to_pylist()[0]["re-identification"]
    0.3333333333333333
    """
    import pyarrow as pa

    sizes = record_class_sizes(release)
    columns = {
        "record": arrow_integers(np.arange(1, release.records + 1)),
        "class_size": arrow_integers(sizes),
        "re-identification": arrow_reals(re_identification_per_record(release)),
    }
    if release.view.has_weights:
        risks, of_household = individual_risks_per_record(release.view)
        columns["individual-risk"] = arrow_reals(risks)
        columns |= {} if of_household is None else {"household-risk": arrow_reals(of_household)}
    for column in release.sensitive_attributes:
        columns[f"attribute-inference of {column}"] = arrow_reals(attribute_inference_per_record(release, column))
    if up_to is not None:
        uniques = minimal_uniques(release, up_to)
        masks, indices = np.unique(uniques.subset, return_inverse=True)
        columns |= {
            "unique_with": arrow_integers(uniques.size.astype(np.int64)),
            "unique_attributes": _names([uniques.attributes(mask) for mask in masks.tolist()]).take(
                arrow_integers(indices.astype(np.int64))
            ),
            "minimal_uniques": arrow_integers(uniques.number),
        }
    if below is not None:
        few = in_groups_below(release, below)
        columns["stands_out_by"] = take_or_null(_names(few.sets), few.indices)
    table = pa.Table.from_arrays(list(columns.values()), list(columns))
    return table if below is None else table.take(arrow_integers(np.flatnonzero(sizes < below)))


def _names(sets: "list[list[str]] | tuple[tuple[str, ...], ...]") -> "pa.Array":
    """Sets of names as an array of lists."""
    return lists([len(names) for names in sets], strings([name for names in sets for name in names]))
