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
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from PETWorks.counting.batches import THREADS
from PETWorks.counting.codes import Codes, Column, code_counts
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.keys import KEY_BITS, Field, pack
from PETWorks.counting.subset_kernels import entries_needed, fold, project

CHUNK_ROWS = 1 << 19  # what is made of them stays in the cache
PIECE_ROWS = 1 << 15  # sorting so many stays in the cache of a core
FREE = 6  # a family is up to 64 subsets
NARROW = 32  # entries of so few bits are sorted twice as fast

NO_VALUE = Field(np.empty(0, np.uint8), 0)

Subset = frozenset[str]
Counts = tuple[int, ...]  # classes, unique ones, size of the smallest; hits for each sensitive column


@dataclass(frozen=True)
class Rows:
    """Codes of each column; how many records each row stands for; of a chunk, lead values between which to sort."""

    fields: Mapping[str, Field]
    weights: Codes
    cuts: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.weights)

    def taken(self, names: Sequence[str], rows: Integers) -> "Rows":
        """These columns of these rows."""
        fields = {name: replace(self.fields[name], codes=self.fields[name].codes[rows]) for name in names}
        return Rows(fields, self.weights[rows])


@dataclass(frozen=True)
class Keys:
    """The distinct keys of some columns in ascending order, and what was counted on the way.

    columns   names and bits, from high to low; the last, which has no name, is the sensitive value
    """

    columns: tuple[tuple[str | None, int], ...]
    keys: Codes
    weights: Codes
    heaviest: int
    counts: Counts
    cuts: tuple[int, ...]

    def without(self, dropped: Sequence[str]) -> "Keys":
        """The keys without these columns."""
        bits = [bits for _, bits in self.columns]
        lows = [sum(bits[place + 1 :]) for place in range(len(bits))]
        out = [(lows[place], bits[place]) for place, (name, _) in enumerate(self.columns) if name in dropped]
        columns = tuple(column for column in self.columns if column[0] not in dropped)
        return _sorted_out(columns, self.keys, self.weights, self.heaviest, self.cuts, out)


def _keys(rows: Rows, names: Sequence[str], sensitive: str | None) -> Keys:
    """The keys of these columns of rows."""
    value = NO_VALUE if sensitive is None else rows.fields[sensitive]
    fields = [rows.fields[name] for name in names]
    keys, bits, _ = pack(fields, room=value.bits)
    columns: list[tuple[str | None, int]] = [(name, field.bits) for name, field in zip(names, fields, strict=True)]
    cuts = rows.cuts
    if bits < sum(field.bits for field in fields):
        # More than a key can hold: their combinations are numbered, and count as one column.
        columns, cuts = [(None, bits)], ()
    if value.bits:
        keys <<= keys.dtype.type(value.bits)
        keys |= value.codes
    return _sorted_out((*columns, (None, value.bits)), keys, rows.weights, int(rows.weights.max()), cuts)


def _sorted_out(
    columns: tuple[tuple[str | None, int], ...],
    keys: Codes,
    weights: Codes,
    heaviest: int,
    cuts: tuple[int, ...],
    dropped: Sequence[tuple[int, int]] = (),
) -> Keys:
    """Sort keys, less the dropped bits, merge equal ones and count."""
    key_bits = sum(bits for _, bits in columns)
    weight_bits, entries = 0, keys
    if dropped or heaviest > 1:
        weight_bits, size, needed = _room(key_bits, weights, heaviest)
        entries = np.empty(needed, np.uint32 if size == NARROW else np.uint64)
        lows, widths = np.array(dropped, np.int64).reshape(-1, 2).T.copy()
        project(keys, weights, lows, widths, weight_bits, entries)
    # Keys are in the order of their first column, so that parts of it can be sorted apart.
    below = key_bits - columns[0][1] + weight_bits
    bounds = np.searchsorted(entries, np.array([cut << below for cut in cuts], entries.dtype)).tolist()
    for first, last in pairwise([0, *bounds, len(entries)]):
        entries[first:last].sort()
    merged = np.empty(len(entries), np.uint32)
    distinct, heaviest, *counts = fold(entries, columns[-1][1], weight_bits, merged)
    return Keys(columns, entries[:distinct], merged[:distinct], heaviest, tuple(counts), cuts)


def _room(key_bits: int, weights: Codes, heaviest: int) -> tuple[int, int, int]:
    """Bits for the weights behind keys, bits of the entries, and how many entries it takes."""
    wanted = heaviest.bit_length() if heaviest > 1 else 0
    if key_bits + wanted <= NARROW:
        return wanted, NARROW, len(weights)
    if key_bits <= NARROW:
        needed = entries_needed(weights, NARROW - key_bits)
        if needed <= 2 * len(weights):
            return NARROW - key_bits, NARROW, needed
    weight_bits = min(wanted, KEY_BITS - key_bits)
    return weight_bits, KEY_BITS, len(weights) if weight_bits == wanted else entries_needed(weights, weight_bits)


@dataclass(frozen=True)
class Family:
    """Subsets that have all of the fixed columns and any of the free ones."""

    fixed: tuple[str, ...]
    free: tuple[str, ...]

    def subsets(self, sizes: Sequence[int]) -> list[Subset]:
        """Those of the wanted sizes."""
        return [
            frozenset((*self.fixed, *chosen))
            for size in range(len(self.free) + 1)
            if len(self.fixed) + size in sizes
            for chosen in combinations(self.free, size)
        ]


def families(lead: str, others: Sequence[str], sizes: Sequence[int]) -> Iterator[Family]:
    """All subsets of these sizes that contain the lead, in families."""
    middle = max(0, len(others) - FREE)
    for fixed in range(1, middle + 2):
        if any(fixed <= size <= fixed + len(others) - middle for size in sizes):
            for chosen in combinations(others[:middle], fixed - 1):
                yield Family((lead, *chosen), tuple(others[middle:]))


def count_family(rows: Rows, family: Family, sensitive: Sequence[str], sizes: Sequence[int]) -> dict[Subset, Counts]:
    """The counts of a family in the rows of a chunk."""
    found: dict[Subset, Counts] = {}

    def visit(above: Keys | None, names: tuple[str, ...], free: tuple[str, ...], value: str | None) -> None:
        if len(names) < sizes[0] or len(names) - len(free) > sizes[-1]:
            return
        keys = above
        if len(names) in sizes:
            known = [] if above is None else [name for name, _ in above.columns[:-1]]
            if above is None or known == [None]:
                keys = _keys(rows, names, value)
            else:
                keys = above.without([name for name in known if name is not None and name not in names])
            subset = frozenset(names)
            found[subset] = (
                (*found[subset], keys.counts[-1]) if subset in found else keys.counts[: 3 + (value is not None)]
            )
        for place, name in enumerate(free):
            visit(keys, tuple(kept for kept in names if kept != name), free[place + 1 :], value)

    for value in sensitive or (None,):
        visit(None, (*family.fixed, *family.free), family.free, value)
    return found


def count_subsets(
    columns: Mapping[str, Column],
    known: Sequence[str],
    sensitive: Sequence[str],
    sizes: Sequence[int],
    memory: int,
    finished: Callable[[Subset], bool] = lambda _: False,
    weights: Integers | None = None,
) -> Iterator[dict[Subset, Counts]]:
    """The counts of all subsets of the known columns that have one of the sizes, a family at a time.

    memory     bytes to work in, beside the table
    finished   says which subsets need not be counted
    weights    how many records each row stands for; None: one each
    """
    order = in_order(columns, known)
    fields = {name: Field(columns[name].codes, columns[name].bits) for name in (*order, *sensitive)}
    ones = np.ones(len(fields[order[0]].codes), np.uint32)
    rows = Rows(fields, ones if weights is None else weights.astype(np.uint32))
    following: dict[str, Future[Rows]] = {}  # for the next lead
    pool = ThreadPoolExecutor(THREADS)
    try:
        for lead, others, wanted in leads(columns, known, sizes, finished):
            found: dict[Family, dict[Subset, Counts]] = {}
            most = rows_that_fit([field.codes.itemsize for field in rows.fields.values()], memory)
            parts = _parts(rows, lead, most)
            coarser: list[Rows] = []
            gathering = len(parts) > 1 and bool(others)
            for part in parts:
                prepared = (
                    following[lead].result() if lead in following else _ordered(rows, (lead, *others, *sensitive), part)
                )
                if len(parts) == 1:
                    # For the subsets without this lead: made while those with it are counted.
                    rows = prepared
                    following = {others[0]: pool.submit(_merged, rows, (*others, *sensitive))} if others else {}
                for family, counts in _counted(pool, chunks(prepared, lead), wanted, sensitive, sizes):
                    found[family] = added(found.get(family), counts)
                    if part is parts[-1]:
                        yield found.pop(family)
                if gathering:
                    coarser = [_merged(_together([*coarser, prepared]), (*others, *sensitive))]
                    gathering = len(coarser[0]) <= most // 2
                    coarser = coarser if gathering else []
                del prepared
            if gathering:
                rows = coarser[0]
    finally:
        pool.shutdown(cancel_futures=True)


def in_order(columns: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """The columns, the one that divides the records best first."""
    return sorted(known, key=lambda name: float((columns[name].counts.astype(np.float64) ** 2).sum()))


def leads(
    columns: Mapping[str, Any], known: Sequence[str], sizes: Sequence[int], finished: Callable[[Subset], bool]
) -> Iterator[tuple[str, list[str], list[Family]]]:
    """Each lead, the columns that come after it, and the families with it that are not finished, if there are any."""
    order = in_order(columns, known)
    for place, lead in enumerate(order):
        others = order[place + 1 :]
        wanted = [family for family in families(lead, others, sizes) if not all(map(finished, family.subsets(sizes)))]
        if wanted:
            yield lead, others, wanted


def _counted(
    pool: ThreadPoolExecutor, parts: list[Rows], wanted: list[Family], sensitive: Sequence[str], sizes: Sequence[int]
) -> Iterator[tuple[Family, dict[Subset, Counts]]]:
    """Each family with its counts, added up over chunks."""
    tasks = deque((pool.submit(count_family, part, family, sensitive, sizes)) for family in wanted for part in parts)
    for family in wanted:
        total = None
        for _ in parts:
            total = added(total, tasks.popleft().result())
        yield family, total or {}


def added(one: dict[Subset, Counts] | None, other: dict[Subset, Counts]) -> dict[Subset, Counts]:
    """The counts of two parts of a table that have no class in common."""
    if one is None:
        return other
    total: dict[Subset, Counts] = {}
    for subset, counts in other.items():
        classes, uniques, _, *hits = (mine + more for mine, more in zip(one[subset], counts, strict=True))
        total[subset] = (classes, uniques, min(one[subset][2], counts[2]), *hits)
    return total


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
    merged = _keys(rows, names, None)
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
    found = []
    for first, last in pairwise(_cuts(ends, 0, len(codes), CHUNK_ROWS)):
        fields = {name: replace(field, codes=field.codes[first:last]) for name, field in rows.fields.items()}
        own = codes[first:last] - codes[first]
        fields[lead] = Field(own, int(own[-1]).bit_length())
        cuts = _cuts(ends, first, last, PIECE_ROWS)[1:-1]
        found.append(Rows(fields, rows.weights[first:last], tuple(int(own[cut - first]) for cut in cuts)))
    return found


def _cuts(ends: Integers, first: int, last: int, rows: int) -> list[int]:
    """Bounds from first to last, all of them in `ends`, as far apart as `rows` or the least that is possible."""
    found = [first]
    while found[-1] < last:
        within = np.searchsorted(ends, min(found[-1] + rows, last), side="right") - 1
        found.append(int(ends[max(within, np.searchsorted(ends, found[-1], side="right"))]))
    return found
