"""Counts for every subset of some columns, with coarse partitions computed from finer ones."""

import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import comb
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from PETWorks.counting.codes import Codes, Column, code_counts
from PETWorks.counting.counts import ClassValues, Integers, run_starts
from PETWorks.counting.keys import KEY_BITS, Field, pack
from PETWorks.counting.questions import THREADS

FREE = 6  # a family has up to 64 subsets

Subset = frozenset[str]


class SubsetCounts(NamedTuple):
    """The counts of one subset of the columns.

    uniques          classes with one record
    smallest_class   the size of the smallest class
    right_guesses    for each sensitive attribute, the number of records with the most frequent value of their class
    gains            for each worth of each sensitive attribute, the units that the best guesses gain; or what other
                     scores find
    """

    classes: int
    uniques: int
    smallest_class: int
    right_guesses: tuple[int, ...] = ()
    gains: tuple[Any, ...] = ()

    def merge(self, other: Self) -> "SubsetCounts":
        """Add the counts of two parts of a table that have no class in common."""
        return SubsetCounts(
            self.classes + other.classes,
            self.uniques + other.uniques,
            min(self.smallest_class, other.smallest_class),
            tuple(mine + more for mine, more in zip(self.right_guesses, other.right_guesses, strict=True)),
            tuple(mine + more for mine, more in zip(self.gains, other.gains, strict=True)),
        )


CountsBySubset = dict[Subset, SubsetCounts]


class Score(Protocol):
    """A number, or several, that complete classes have; those of different classes are added with `+`."""

    def of_keys(self, keys: Codes, weights: Codes, value_bits: int) -> Any:
        """The score of sorted, distinct keys, whose lowest bits are the sensitive value."""

    def of_classes(self, classes: ClassValues) -> Any:
        """The score of classes."""


class GainScore:
    """The units that the best guesses gain: the worth of each code, in integer units."""

    def __init__(self, units: Integers) -> None:
        self._units = units

    def of_keys(self, keys: Codes, weights: Codes, value_bits: int) -> int:
        """The units gained in classes of sorted, distinct keys."""
        from PETWorks.counting.subsets import kernels  # loads the compiler

        return int(kernels.sum_gains(keys, weights, value_bits, self._units))

    def of_classes(self, classes: ClassValues) -> int:
        """The units gained in classes."""
        return int(np.maximum.reduceat(classes.counts * self._units[classes.values], classes.starts).sum())


Scores = Sequence[Score]
Worths = Mapping[str, Scores]  # the scores of some sensitive attributes


def merge_counts(first: CountsBySubset | None, second: CountsBySubset) -> CountsBySubset:
    """Add the counts of the same subsets in two parts of a table that have no class in common."""
    if first is None:
        return second
    return {subset: first[subset].merge(counts) for subset, counts in second.items()}


@dataclass(frozen=True)
class Family:
    """The subsets with all of the fixed columns and any of the free ones."""

    fixed: tuple[str, ...]
    free: tuple[str, ...]

    def subsets(self, sizes: Sequence[int]) -> list[Subset]:
        """The subsets of the given sizes."""
        return [
            frozenset((*self.fixed, *chosen))
            for size in range(len(self.free) + 1)
            if len(self.fixed) + size in sizes
            for chosen in combinations(self.free, size)
        ]


def families(lead: str, later: Sequence[str], sizes: Sequence[int]) -> Iterator[Family]:
    """The families of all subsets of these sizes that contain the lead."""
    middle = max(0, len(later) - FREE)
    for fixed in range(1, middle + 2):
        if any(fixed <= size <= fixed + len(later) - middle for size in sizes):
            for chosen in combinations(later[:middle], fixed - 1):
                yield Family((lead, *chosen), tuple(later[middle:]))


def order_columns(columns: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """The known columns, with the one that divides the records most evenly first."""
    return sorted(known, key=lambda name: float((columns[name].counts.astype(np.float64) ** 2).sum()))


def leads(
    columns: Mapping[str, Any],
    known: Sequence[str],
    sizes: Sequence[int],
    finished: Callable[[Subset], bool],
    only: Collection[Subset] | None = None,
) -> Iterator[tuple[str, list[str], list[Family]]]:
    """Each lead that has unfinished families, with the columns after it, and these families.

    only   the subsets to count, each a family of its own; None: all of the sizes
    """
    order = order_columns(columns, known)
    named: dict[str, list[Family]] = {name: [] for name in order}
    for subset in only or ():
        first, *rest = sorted(subset, key=order.index)
        named[first].append(Family((first, *rest), ()))
    for index, lead in enumerate(order):
        later = order[index + 1 :]
        possible = families(lead, later, sizes) if only is None else named[lead]
        unfinished = [family for family in possible if not all(map(finished, family.subsets(sizes)))]
        if unfinished:
            yield lead, later, unfinished


NARROW = 32  # entries of at most this many bits are sorted twice as fast

NO_VALUE = Field(np.empty(0, np.uint8), 0)


@dataclass(frozen=True)
class CodedRows:
    """Rows as codes.

    fields    the codes of each column
    weights   the number of records each row stands for
    cuts      of a chunk, lead values at which it can be cut into pieces that are sorted separately
    """

    fields: Mapping[str, Field]
    weights: Codes
    cuts: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.weights)

    def take(self, names: Sequence[str], rows: Integers) -> "CodedRows":
        """The given columns of the given rows."""
        fields = {name: replace(self.fields[name], codes=self.fields[name].codes[rows]) for name in names}
        return CodedRows(fields, self.weights[rows])


@dataclass(frozen=True)
class Keys:
    """The distinct keys of some columns in ascending order, with the counts of their subset.

    columns   names and bits, from high to low; the last, which has no name, is the sensitive value
    counts    of these columns; without a sensitive value the right guesses mean nothing
    scores    to be found for the classes
    """

    columns: tuple[tuple[str | None, int], ...]
    keys: Codes
    weights: Codes
    heaviest: int
    counts: SubsetCounts
    cuts: tuple[int, ...]
    scores: Scores = ()

    def without(self, dropped: Sequence[str]) -> "Keys":
        """The keys without these columns."""
        bits = [bits for _, bits in self.columns]
        lows = [sum(bits[index + 1 :]) for index in range(len(bits))]
        out = [(lows[index], bits[index]) for index, (name, _) in enumerate(self.columns) if name in dropped]
        columns = tuple(column for column in self.columns if column[0] not in dropped)
        return _merge_keys(columns, self.keys, self.weights, self.heaviest, self.cuts, out, self.scores)


def keys_of(rows: CodedRows, names: Sequence[str], sensitive: str | None, scores: Scores = ()) -> Keys:
    """The keys of these columns of rows."""
    value = NO_VALUE if sensitive is None else rows.fields[sensitive]
    fields = [rows.fields[name] for name in names]
    keys, bits, _ = pack(fields, room=value.bits)
    columns: list[tuple[str | None, int]] = [(name, field.bits) for name, field in zip(names, fields, strict=True)]
    cuts = rows.cuts
    if bits < sum(field.bits for field in fields):
        # The columns do not fit into a key, so their combinations were numbered, and count as one column.
        columns, cuts = [(None, bits)], ()
    if value.bits:
        keys <<= keys.dtype.type(value.bits)
        keys |= value.codes
    return _merge_keys((*columns, (None, value.bits)), keys, rows.weights, int(rows.weights.max()), cuts, (), scores)


def _merge_keys(
    columns: tuple[tuple[str | None, int], ...],
    keys: Codes,
    weights: Codes,
    heaviest: int,
    cuts: tuple[int, ...],
    dropped: Sequence[tuple[int, int]] = (),
    scores: Scores = (),
) -> Keys:
    """Sort keys without the dropped bits, merge equal ones and count classes."""
    from PETWorks.counting.subsets import kernels  # loads the compiler

    key_bits = sum(bits for _, bits in columns)
    weight_bits, entries = 0, keys
    if dropped or heaviest > 1:
        weight_bits, size, needed = _room(key_bits, weights, heaviest)
        entries = np.empty(needed, np.uint32 if size == NARROW else np.uint64)
        lows, widths = np.array(dropped, np.int64).reshape(-1, 2).T.copy()
        kernels.project(keys, weights, lows, widths, weight_bits, entries)
    # Keys are already sorted by their first column, so that ranges of it can be sorted separately.
    below = key_bits - columns[0][1] + weight_bits
    bounds = np.searchsorted(entries, np.array([cut << below for cut in cuts], entries.dtype)).tolist()
    for first, last in pairwise([0, *bounds, len(entries)]):
        entries[first:last].sort()
    merged = np.empty(len(entries), np.uint32)
    distinct, heaviest, classes, uniques, smallest, right_guesses = kernels.fold(
        entries, columns[-1][1], weight_bits, merged
    )
    gains = tuple(score.of_keys(entries[:distinct], merged[:distinct], columns[-1][1]) for score in scores)
    counts = SubsetCounts(classes, uniques, smallest, (right_guesses,), gains)
    return Keys(columns, entries[:distinct], merged[:distinct], heaviest, counts, cuts, scores)


def _room(key_bits: int, weights: Codes, heaviest: int) -> tuple[int, int, int]:
    """The number of bits for weights in an entry, the bits of an entry, and the number of entries."""
    from PETWorks.counting.subsets.kernels import entries_needed

    wanted = heaviest.bit_length() if heaviest > 1 else 0
    if key_bits + wanted <= NARROW:
        return wanted, NARROW, len(weights)
    if key_bits <= NARROW:
        needed = entries_needed(weights, NARROW - key_bits)
        if needed <= 2 * len(weights):
            return NARROW - key_bits, NARROW, needed
    weight_bits = min(wanted, KEY_BITS - key_bits)
    return (
        weight_bits,
        KEY_BITS,
        len(weights) if weight_bits == wanted else entries_needed(weights, weight_bits),
    )


COMPILED_FROM = 1 << 25  # records times subsets


def is_small(records: int, subsets: int) -> bool:
    """Whether this much work is done faster without loading the compiler."""
    return records * subsets < COMPILED_FROM and "numba" not in sys.modules


def count_small(rows: CodedRows, subsets: Iterable[Subset], sensitive: Sequence[str], worths: Worths) -> CountsBySubset:
    """Count these subsets without the compiler."""
    records = rows
    if rows.weights.max() > 1:
        records = rows.take(tuple(rows.fields), np.repeat(np.arange(len(rows)), rows.weights))
    values = [(records.fields[name], worths.get(name, ())) for name in sensitive]
    return {subset: _counts([records.fields[name] for name in sorted(subset)], values) for subset in subsets}


def _counts(known: Sequence[Field], values: Sequence[tuple[Field, Scores]]) -> SubsetCounts:
    """The counts of the subset of these known columns."""
    keys = pack(known, room=max((value.bits for value, _ in values), default=0)).keys
    by_value = [_classes(keys, *value) for value in values or ((NO_VALUE, ()),)]
    sizes, *_ = by_value[0]
    right_guesses = tuple(int(commonest.sum()) for _, commonest, _ in by_value) if values else ()
    gains = tuple(gain for *_, own_gains in by_value for gain in own_gains)
    return SubsetCounts(len(sizes), int(np.count_nonzero(sizes == 1)), int(sizes.min()), right_guesses, gains)


def _classes(keys: Codes, value: Field, scores: Scores) -> tuple[Integers, Integers, list[Any]]:
    """The size of each class, the count of its most frequent value, and the scores of all classes."""
    bits = keys.dtype.type(value.bits)
    keys = keys << bits
    if value.bits:
        keys |= value.codes
    keys.sort()
    cells = run_starts(keys)
    if not bits:
        sizes = _lengths(cells, len(keys))
        classes = ClassValues(sizes, np.arange(len(sizes)), np.zeros(len(sizes), np.int64), sizes)
        return sizes, sizes, [score.of_classes(classes) for score in scores]
    distinct = keys[cells]
    starts, lengths = run_starts(distinct >> bits), _lengths(cells, len(keys))
    values = (distinct & keys.dtype.type((1 << value.bits) - 1)).astype(np.int64)
    sizes = _lengths(cells[starts], len(keys))
    classes = ClassValues(sizes, starts, values, lengths)
    return sizes, np.maximum.reduceat(lengths, starts), [score.of_classes(classes) for score in scores]


def _lengths(starts: Integers, end: int) -> Integers:
    """The length of each run."""
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = end - starts[-1:]
    return lengths


CHUNK_ROWS = 1 << 19  # so that the keys made from a chunk stay in the cache
PIECE_ROWS = 1 << 15  # so that sorting a piece stays in the cache of a core


def count_family(
    rows: CodedRows, family: Family, sensitive: Sequence[str], sizes: Sequence[int], worths: Worths
) -> CountsBySubset:
    """Count the subsets of a family in the rows of a chunk."""
    counted: CountsBySubset = {}

    def visit(above: Keys | None, names: tuple[str, ...], free: tuple[str, ...], value: str | None) -> None:
        if len(names) < sizes[0] or len(names) - len(free) > sizes[-1]:
            return
        keys = above
        if len(names) in sizes:
            known = [] if above is None else [name for name, _ in above.columns[:-1]]
            if above is None or known == [None]:
                keys = keys_of(rows, names, value, () if value is None else worths.get(value, ()))
            else:
                keys = above.without([name for name in known if name is not None and name not in names])
            subset = frozenset(names)
            earlier, before = counted[subset][-2:] if subset in counted else ((), ())
            guesses = () if value is None else (*earlier, *keys.counts.right_guesses)
            gains = () if value is None else (*before, *keys.counts.gains)
            counted[subset] = keys.counts._replace(right_guesses=guesses, gains=gains)
        for index, name in enumerate(free):
            visit(keys, tuple(kept for kept in names if kept != name), free[index + 1 :], value)

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
    only: Collection[Subset] | None = None,
) -> Iterator[CountsBySubset]:
    """Count all subsets of the known columns of the given sizes, a family at a time.

    memory     bytes to work in, beside the table
    finished   whether a subset need not be counted
    weights    the number of records each row stands for; None: one each
    worths     the scores of some sensitive attributes
    only       the subsets to count, of these sizes; None: all
    """
    worths = worths or {}
    order = order_columns(columns, known)
    fields = {name: Field(columns[name].codes, columns[name].bits) for name in (*order, *sensitive)}
    ones = np.ones(len(fields[order[0]].codes), np.uint32)
    rows = CodedRows(fields, ones if weights is None else weights.astype(np.uint32))
    number = sum(comb(len(known), size) for size in sizes) if only is None else len(only)
    if is_small(int(rows.weights.sum()), number):
        for size in sizes:
            subsets = map(frozenset, combinations(known, size)) if only is None else _of_size(only, size)
            yield count_small(rows, [subset for subset in subsets if not finished(subset)], sensitive, worths)
        return
    pool = ThreadPoolExecutor(THREADS)
    try:
        ordered_rows = _OrderedRows(rows, sensitive, memory, pool)
        for lead, later, unfinished in leads(columns, known, sizes, finished, only):
            totals: dict[Family, CountsBySubset] = {}
            for part, is_last in ordered_rows.parts(lead, later):
                for family, counts in _count_families(pool, chunks(part, lead), unfinished, sensitive, sizes, worths):
                    totals[family] = merge_counts(totals.get(family), counts)
                    if is_last:
                        yield totals.pop(family)
                del part  # to free its memory before the next one is made
    finally:
        pool.shutdown(cancel_futures=True)


def _of_size(subsets: Iterable[Subset], size: int) -> Iterator[Subset]:
    return (subset for subset in subsets if len(subset) == size)


class _OrderedRows:
    """Rows sorted by one lead after another; rows that differ only in earlier leads are merged if possible.

    memory   the number of bytes that a part of the rows may take
    """

    def __init__(self, rows: CodedRows, sensitive: Sequence[str], memory: int, pool: ThreadPoolExecutor) -> None:
        self._rows = rows
        self._sensitive, self._memory, self._pool = tuple(sensitive), memory, pool
        self._following: dict[str, Future[CodedRows]] = {}  # for the next lead

    def parts(self, lead: str, later: Sequence[str]) -> Iterator[tuple[CodedRows, bool]]:
        """The rows sorted by a lead, in parts cut between its values, each with whether it is the last part.

        later   the columns after the lead, which become leads later
        """
        most = rows_that_fit([field.codes.itemsize for field in self._rows.fields.values()], self._memory)
        ranges = _parts(self._rows, lead, most)
        if len(ranges) > 1:
            yield from self._several(lead, later, ranges, most)
            return
        if lead in self._following:
            self._rows = self._following[lead].result()
        else:
            self._rows = _sort_by_lead(self._rows, (lead, *later, *self._sensitive), ranges[0])
        # The rows without this lead are merged while the subsets with it are counted.
        self._following = {later[0]: self._pool.submit(self._without_lead, self._rows, later)} if later else {}
        yield self._rows, True

    def _several(
        self, lead: str, later: Sequence[str], ranges: Sequence[tuple[int, int]], most: int
    ) -> Iterator[tuple[CodedRows, bool]]:
        """The rows in several parts; they are merged for the next lead as long as that needs little memory."""
        merged: list[CodedRows] = []
        merging = bool(later)
        for span in ranges:
            part = _sort_by_lead(self._rows, (lead, *later, *self._sensitive), span)
            yield part, span is ranges[-1]
            if merging:
                merged = [self._without_lead(_concatenate([*merged, part]), later)]
                merging = len(merged[0]) <= most // 2
                merged = merged if merging else []
            del part
        if merging:
            self._rows = merged[0]

    def _without_lead(self, rows: CodedRows, later: Sequence[str]) -> CodedRows:
        return _merge_rows(rows, (*later, *self._sensitive))


def _count_families(
    pool: ThreadPoolExecutor,
    parts: list[CodedRows],
    families: list[Family],
    sensitive: Sequence[str],
    sizes: Sequence[int],
    worths: Worths,
) -> Iterator[tuple[Family, CountsBySubset]]:
    """Count each family, adding up over chunks."""
    tasks = deque(
        pool.submit(count_family, part, family, sensitive, sizes, worths) for family in families for part in parts
    )
    for family in families:
        total = None
        for _ in parts:
            total = merge_counts(total, tasks.popleft().result())
        yield family, total or {}


def _concatenate(parts: Sequence[CodedRows]) -> CodedRows:
    """Concatenate the rows of several parts with the same columns."""
    fields = {
        name: replace(field, codes=np.concatenate([part.fields[name].codes for part in parts]))
        for name, field in parts[0].fields.items()
    }
    return CodedRows(fields, np.concatenate([part.weights for part in parts]))


def rows_that_fit(widths: Sequence[int], memory: int) -> int:
    """The number of rows that can be sorted, merged and counted in this memory.

    widths   the bytes per code of each column
    """
    return max(1, memory // (3 * sum(widths) + 28))


def _parts(rows: CodedRows, lead: str, most: int) -> list[tuple[int, int]]:
    """Ranges of lead values with at most `most` rows each, unless a single value has more."""
    field = rows.fields[lead]
    if len(rows) <= most:
        return [(0, 1 << field.bits)]
    upto = np.cumsum(code_counts(field.codes, 1 << field.bits))
    bounds = _cuts(upto, 0, len(rows), most)
    return list(pairwise([0, *(np.searchsorted(upto, bounds[1:]) + 1).tolist()]))


def _sort_by_lead(rows: CodedRows, names: Sequence[str], part: tuple[int, int]) -> CodedRows:
    """The given columns of the rows with a lead value in this range, sorted by the lead, which is the first column."""
    lead = rows.fields[names[0]].codes
    chosen = np.flatnonzero((lead >= part[0]) & (lead < part[1]))
    if len(chosen) == len(lead):
        return rows.take(names, np.argsort(lead, kind="stable"))
    return rows.take(names, chosen[np.argsort(lead[chosen], kind="stable")])


def _merge_rows(rows: CodedRows, names: Sequence[str]) -> CodedRows:
    """The given columns, sorted by the first; equal rows are merged if the columns fit into a key."""
    fields = {name: rows.fields[name] for name in names}
    if sum(field.bits for field in fields.values()) > KEY_BITS:
        return rows.take(names, np.argsort(fields[names[0]].codes, kind="stable"))
    merged = keys_of(rows, names, None)
    keys, number = merged.keys, merged.keys.dtype.type
    for name, field in reversed(fields.items()):
        codes = (keys & number((1 << field.bits) - 1)).astype(field.codes.dtype)
        fields[name] = replace(field, codes=codes)
        keys >>= number(field.bits)
    return CodedRows(fields, merged.weights)


def chunks(rows: CodedRows, lead: str) -> list[CodedRows]:
    """Cut rows that are sorted by the lead into chunks where its value changes."""
    codes = rows.fields[lead].codes
    ends = np.append(run_starts(codes)[1:], len(codes))
    parts = []
    for first, last in pairwise(_cuts(ends, 0, len(codes), CHUNK_ROWS)):
        fields = {name: replace(field, codes=field.codes[first:last]) for name, field in rows.fields.items()}
        lead_codes = codes[first:last] - codes[first]
        fields[lead] = Field(lead_codes, int(lead_codes[-1]).bit_length())
        cuts = _cuts(ends, first, last, PIECE_ROWS)[1:-1]
        parts.append(CodedRows(fields, rows.weights[first:last], tuple(int(lead_codes[cut - first]) for cut in cuts)))
    return parts


def _cuts(ends: Integers, first: int, last: int, rows: int) -> list[int]:
    """Bounds from first to last, taken from `ends`, at most `rows` apart if possible."""
    bounds = [first]
    while bounds[-1] < last:
        within = np.searchsorted(ends, min(bounds[-1] + rows, last), side="right") - 1
        bounds.append(int(ends[max(within, np.searchsorted(ends, bounds[-1], side="right"))]))
    return bounds
