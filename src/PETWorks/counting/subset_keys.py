"""Rows of a table and the keys made of them: sorted, merged, and counted for one subset of the columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import KEY_BITS, Field, pack
from PETWorks.counting.subset_families import SubsetCounts

NARROW = 32  # entries of so few bits are sorted twice as fast

NO_VALUE = Field(np.empty(0, np.uint8), 0)


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
    counts    of these columns; without a sensitive value the right guesses mean nothing
    worth     one or several of each sensitive value, in units; None: gains are not asked for
    """

    columns: tuple[tuple[str | None, int], ...]
    keys: Codes
    weights: Codes
    heaviest: int
    counts: SubsetCounts
    cuts: tuple[int, ...]
    worth: Integers | None = None

    def without(self, dropped: Sequence[str]) -> "Keys":
        """The keys without these columns."""
        bits = [bits for _, bits in self.columns]
        lows = [sum(bits[place + 1 :]) for place in range(len(bits))]
        out = [(lows[place], bits[place]) for place, (name, _) in enumerate(self.columns) if name in dropped]
        columns = tuple(column for column in self.columns if column[0] not in dropped)
        return _sorted_out(columns, self.keys, self.weights, self.heaviest, self.cuts, out, self.worth)


def keys_of(rows: Rows, names: Sequence[str], sensitive: str | None, worth: Integers | None = None) -> Keys:
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
    return _sorted_out((*columns, (None, value.bits)), keys, rows.weights, int(rows.weights.max()), cuts, (), worth)


def _sorted_out(
    columns: tuple[tuple[str | None, int], ...],
    keys: Codes,
    weights: Codes,
    heaviest: int,
    cuts: tuple[int, ...],
    dropped: Sequence[tuple[int, int]] = (),
    worth: Integers | None = None,
) -> Keys:
    """Sort keys, less the dropped bits, merge equal ones and count."""
    from PETWorks.counting import subset_kernels as kernels  # loads the compiler

    key_bits = sum(bits for _, bits in columns)
    weight_bits, entries = 0, keys
    if dropped or heaviest > 1:
        weight_bits, size, needed = _room(key_bits, weights, heaviest)
        entries = np.empty(needed, np.uint32 if size == NARROW else np.uint64)
        lows, widths = np.array(dropped, np.int64).reshape(-1, 2).T.copy()
        kernels.project(keys, weights, lows, widths, weight_bits, entries)
    # Keys are in the order of their first column, so that parts of it can be sorted apart.
    below = key_bits - columns[0][1] + weight_bits
    bounds = np.searchsorted(entries, np.array([cut << below for cut in cuts], entries.dtype)).tolist()
    for first, last in pairwise([0, *bounds, len(entries)]):
        entries[first:last].sort()
    merged = np.empty(len(entries), np.uint32)
    distinct, heaviest, classes, uniques, smallest, right_guesses = kernels.fold(
        entries, columns[-1][1], weight_bits, merged
    )
    gains: tuple[int, ...] = ()
    if worth is not None:
        gains = tuple(kernels.gained(entries[:distinct], merged[:distinct], columns[-1][1], own) for own in worth)
    counts = SubsetCounts(classes, uniques, smallest, (right_guesses,), gains)
    return Keys(columns, entries[:distinct], merged[:distinct], heaviest, counts, cuts, worth)


def _room(key_bits: int, weights: Codes, heaviest: int) -> tuple[int, int, int]:
    """Bits for the weights behind keys, bits of the entries, and how many entries it takes."""
    from PETWorks.counting.subset_kernels import entries_needed

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
