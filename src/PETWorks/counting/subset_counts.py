"""Counts for every subset of some columns: coarse partitions from finer ones that have been counted before.

The columns are taken one by one as the lead, the one that divides the records best first. Subsets with the lead are
counted on rows ordered by it, in chunks cut between two of its values: counts of chunks add up. For the subsets
without it the column is dropped and rows that have become equal are merged; so it goes on with the next lead.

A chunk is counted in families of subsets: some columns are in all of them, up to `FREE` others may be missing. The
largest subset is sorted out of the rows of the chunk; each other one out of the distinct keys of the subset with one
column more, dropping first the columns that divide best.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations, pairwise
from math import comb

import numpy as np

from PETWorks.counting.batches import THREADS
from PETWorks.counting.codes import Column, code_counts
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import KEY_BITS, Field
from PETWorks.counting.small_subsets import count_small, is_small
from PETWorks.counting.subset_families import (
    CountsBySubset,
    Family,
    Subset,
    Worths,
    in_order,
    leads,
    merged_counts,
)
from PETWorks.counting.subset_keys import Keys, Rows, keys_of

CHUNK_ROWS = 1 << 19  # what is made of them stays in the cache
PIECE_ROWS = 1 << 15  # sorting so many stays in the cache of a core


def count_family(
    rows: Rows, family: Family, sensitive: Sequence[str], sizes: Sequence[int], worths: Worths
) -> CountsBySubset:
    """The counts of a family in the rows of a chunk."""
    counted: CountsBySubset = {}

    def visit(above: Keys | None, names: tuple[str, ...], free: tuple[str, ...], value: str | None) -> None:
        if len(names) < sizes[0] or len(names) - len(free) > sizes[-1]:
            return
        keys = above
        if len(names) in sizes:
            known = [] if above is None else [name for name, _ in above.columns[:-1]]
            if above is None or known == [None]:
                keys = keys_of(rows, names, value, None if value is None else worths.get(value))
            else:
                keys = above.without([name for name in known if name is not None and name not in names])
            subset = frozenset(names)
            earlier, before = counted[subset][-2:] if subset in counted else ((), ())
            guesses = () if value is None else (*earlier, *keys.counts.right_guesses)
            gains = () if value is None else (*before, *keys.counts.gains)
            counted[subset] = keys.counts._replace(right_guesses=guesses, gains=gains)
        for place, name in enumerate(free):
            visit(keys, tuple(kept for kept in names if kept != name), free[place + 1 :], value)

    for value in sensitive or (None,):
        visit(None, (*family.fixed, *family.free), family.free, value)
    return counted


def count_subsets(
    columns: Mapping[str, Column],
    known: Sequence[str],
    sensitive: Sequence[str],
    sizes: Sequence[int],
    memory: int,
    finished: Callable[[Subset], bool] = lambda _: False,
    weights: Integers | None = None,
    worths: Worths | None = None,
) -> Iterator[CountsBySubset]:
    """The counts of all subsets of the known columns that have one of the sizes, a family at a time.

    memory     bytes to work in, beside the table
    finished   says which subsets need not be counted
    weights    how many records each row stands for; None: one each
    worths     for some sensitive attributes one or several worths of each code, in units: by rows
    """
    worths = worths or {}
    order = in_order(columns, known)
    fields = {name: Field(columns[name].codes, columns[name].bits) for name in (*order, *sensitive)}
    ones = np.ones(len(fields[order[0]].codes), np.uint32)
    rows = Rows(fields, ones if weights is None else weights.astype(np.uint32))
    if is_small(int(rows.weights.sum()), sum(comb(len(known), size) for size in sizes)):
        for size in sizes:
            subsets = map(frozenset, combinations(known, size))
            yield count_small(rows, [subset for subset in subsets if not finished(subset)], sensitive, worths)
        return
    pool = ThreadPoolExecutor(THREADS)
    try:
        ordered_rows = _OrderedRows(rows, sensitive, memory, pool)
        for lead, others, unfinished in leads(columns, known, sizes, finished):
            totals: dict[Family, CountsBySubset] = {}
            for part, is_last in ordered_rows.parts(lead, others):
                for family, counts in _counted(pool, chunks(part, lead), unfinished, sensitive, sizes, worths):
                    totals[family] = merged_counts(totals.get(family), counts)
                    if is_last:
                        yield totals.pop(family)
                del part  # before the next one is made
    finally:
        pool.shutdown(cancel_futures=True)


class _OrderedRows:
    """Rows in the order of one lead after another; rows that differ only in earlier leads are merged where possible.

    memory   bytes that a part of the rows may take
    """

    def __init__(self, rows: Rows, sensitive: Sequence[str], memory: int, pool: ThreadPoolExecutor) -> None:
        self._rows = rows
        self._sensitive, self._memory, self._pool = tuple(sensitive), memory, pool
        self._following: dict[str, Future[Rows]] = {}  # for the next lead

    def parts(self, lead: str, others: Sequence[str]) -> Iterator[tuple[Rows, bool]]:
        """The rows in the order of a lead, cut between its values, each with whether it is the last part.

        others   the columns after the lead; the following leads are taken from them
        """
        most = rows_that_fit([field.codes.itemsize for field in self._rows.fields.values()], self._memory)
        ranges = _parts(self._rows, lead, most)
        if len(ranges) > 1:
            yield from self._several(lead, others, ranges, most)
            return
        if lead in self._following:
            self._rows = self._following[lead].result()
        else:
            self._rows = _ordered(self._rows, (lead, *others, *self._sensitive), ranges[0])
        # For the subsets without this lead: made while those with it are counted.
        self._following = {others[0]: self._pool.submit(self._without_lead, self._rows, others)} if others else {}
        yield self._rows, True

    def _several(
        self, lead: str, others: Sequence[str], ranges: Sequence[tuple[int, int]], most: int
    ) -> Iterator[tuple[Rows, bool]]:
        """The rows in several parts. They are merged for the next lead as long as that needs little memory."""
        merged: list[Rows] = []
        merging = bool(others)
        for span in ranges:
            part = _ordered(self._rows, (lead, *others, *self._sensitive), span)
            yield part, span is ranges[-1]
            if merging:
                merged = [self._without_lead(_together([*merged, part]), others)]
                merging = len(merged[0]) <= most // 2
                merged = merged if merging else []
            del part
        if merging:
            self._rows = merged[0]

    def _without_lead(self, rows: Rows, others: Sequence[str]) -> Rows:
        return _merged(rows, (*others, *self._sensitive))


def _counted(
    pool: ThreadPoolExecutor,
    parts: list[Rows],
    families: list[Family],
    sensitive: Sequence[str],
    sizes: Sequence[int],
    worths: Worths,
) -> Iterator[tuple[Family, CountsBySubset]]:
    """Each family with its counts, added up over chunks."""
    tasks = deque(
        pool.submit(count_family, part, family, sensitive, sizes, worths) for family in families for part in parts
    )
    for family in families:
        total = None
        for _ in parts:
            total = merged_counts(total, tasks.popleft().result())
        yield family, total or {}


def _together(parts: Sequence[Rows]) -> Rows:
    """The rows of several parts, of the columns that all of them have."""
    fields = {
        name: replace(field, codes=np.concatenate([part.fields[name].codes for part in parts]))
        for name, field in parts[0].fields.items()
    }
    return Rows(fields, np.concatenate([part.weights for part in parts]))


def rows_that_fit(widths: Sequence[int], memory: int) -> int:
    """How many rows, with columns of so many bytes, can be ordered, merged and counted in so much memory."""
    return max(1, memory // (3 * sum(widths) + 28))


def _parts(rows: Rows, lead: str, most: int) -> list[tuple[int, int]]:
    """Ranges of lead values with at most so many rows, if that can be: all values, if they are no more."""
    field = rows.fields[lead]
    if len(rows) <= most:
        return [(0, 1 << field.bits)]
    upto = np.cumsum(code_counts(field.codes, 1 << field.bits))
    bounds = _cuts(upto, 0, len(rows), most)
    return list(pairwise([0, *(np.searchsorted(upto, bounds[1:]) + 1).tolist()]))


def _ordered(rows: Rows, names: Sequence[str], part: tuple[int, int]) -> Rows:
    """These columns of the rows with a lead value in this range, in the order of the lead, which is the first."""
    lead = rows.fields[names[0]].codes
    chosen = np.flatnonzero((lead >= part[0]) & (lead < part[1]))
    if len(chosen) == len(lead):
        return rows.taken(names, np.argsort(lead, kind="stable"))
    return rows.taken(names, chosen[np.argsort(lead[chosen], kind="stable")])


def _merged(rows: Rows, names: Sequence[str]) -> Rows:
    """These columns, in the order of the first; equal rows merged, if a key can hold them."""
    fields = {name: rows.fields[name] for name in names}
    if sum(field.bits for field in fields.values()) > KEY_BITS:
        return rows.taken(names, np.argsort(fields[names[0]].codes, kind="stable"))
    merged = keys_of(rows, names, None)
    keys, number = merged.keys, merged.keys.dtype.type
    for name, field in reversed(fields.items()):
        codes = (keys & number((1 << field.bits) - 1)).astype(field.codes.dtype)
        fields[name] = replace(field, codes=codes)
        keys >>= number(field.bits)
    return Rows(fields, merged.weights)


def chunks(rows: Rows, lead: str) -> list[Rows]:
    """The rows, which are in the order of the lead, cut where its value changes."""
    codes = rows.fields[lead].codes
    ends = np.append(run_starts(codes)[1:], len(codes))
    parts = []
    for first, last in pairwise(_cuts(ends, 0, len(codes), CHUNK_ROWS)):
        fields = {name: replace(field, codes=field.codes[first:last]) for name, field in rows.fields.items()}
        own = codes[first:last] - codes[first]
        fields[lead] = Field(own, int(own[-1]).bit_length())
        cuts = _cuts(ends, first, last, PIECE_ROWS)[1:-1]
        parts.append(Rows(fields, rows.weights[first:last], tuple(int(own[cut - first]) for cut in cuts)))
    return parts


def _cuts(ends: Integers, first: int, last: int, rows: int) -> list[int]:
    """Bounds from first to last, all of them in `ends`, as far apart as `rows` or the least that is possible."""
    bounds = [first]
    while bounds[-1] < last:
        within = np.searchsorted(ends, min(bounds[-1] + rows, last), side="right") - 1
        bounds.append(int(ends[max(within, np.searchsorted(ends, bounds[-1], side="right"))]))
    return bounds
