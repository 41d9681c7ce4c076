"""Distinct rows packed into integers, and their generalisation to coarser levels."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from PETWorks.about.hierarchies.hierarchy import Hierarchy, recoding
from PETWorks.counting.codes import Column, CountedDomain, narrowest_type
from PETWorks.counting.counts import ClassValues, Integers, Marginal, run_starts
from PETWorks.counting.keys import KEY_BITS, CountedKeys, Layout, count_keys
from PETWorks.counting.memory.weighted_rows import Classes, WeightedRows
from PETWorks.errors import HierarchyError, NotApplicable, ParameterError, Phrase, unknown
from PETWorks.tables.cells import SUPPRESSED

Keys = np.ndarray[tuple[int], np.dtype[np.uint64]]
LOOK_UP_BITS = 13  # bits of neighbouring columns recoded by one look-up, so that its table stays in the cache


@dataclass(frozen=True)
class BitField:
    """The position of a column's code in a key: its lowest bit, and the number of bits."""

    shift: int
    bits: int

    @property
    def mask(self) -> int:
        """A mask of all bits of a code."""
        return (1 << self.bits) - 1


@dataclass(frozen=True, eq=False)
class Lift:
    """The generalisation of a column: its coarser values with their counts, and the new code of each old one."""

    known: CountedDomain
    new_codes: Keys

    @cached_property
    def steps(self) -> Keys:
        """The difference to add to each old code; a negative one wraps around in 64 bits."""
        return np.asarray(self.new_codes - np.arange(len(self.new_codes), dtype=np.uint64), np.uint64)


class PackedRows(WeightedRows):
    """Distinct rows in ascending order of their keys, each with its weight.

    A column keeps its position in the key when it is generalised: rolling up is a table look-up, a sort of integers
    that carry their weight in the lowest bits, and a sum over equal neighbours.
    The lowest bits of a key are free for the weight.
    """

    def __init__(
        self,
        known: Mapping[str, CountedDomain],
        fields: Mapping[str, BitField],
        keys: Keys,
        weights: Integers,
        unit: str | None,
        weight_bits: int,
    ) -> None:
        self.known, self._fields, self._keys = known, fields, keys
        self.unit, self.weights, self.origin, self.whole = unit, weights, None, False
        self._weight_bits = weight_bits
        self._persons = None
        self._by_columns, self._values, self._kept_classes = {}, {}, {}

    @cached_property
    def columns(self) -> Mapping[str, Column]:  # type: ignore[override]
        """The columns as codes, unpacked when they are first used."""
        return {name: self._column(name) for name in self._fields}

    @property
    def domains(self) -> Mapping[str, CountedDomain]:
        """The values of each column."""
        return self.known

    @property
    def packed_keys(self) -> Keys:
        """The keys of the rows."""
        return self._keys

    def field(self, name: str) -> BitField:
        """The position of a column in a key."""
        return self._fields[name]

    def _column(self, name: str) -> Column:
        field, labels = self._fields[name], self.known[name].labels
        codes = self._keys >> np.uint64(field.shift) & np.uint64(field.mask)
        return Column(labels, codes.astype(narrowest_type(len(labels))))

    def take(self, rows: Integers) -> "PackedRows":
        """Some of the rows."""
        assert self.weights is not None
        return PackedRows(self.known, self._fields, self._keys[rows], self.weights[rows], self.unit, self._weight_bits)

    def marginal(self, column: str) -> Marginal:
        """The values of a column and their counts."""
        return Marginal(self.known[column].values, self.known[column].counts)

    def roll_up(self, lifts: Mapping[str, Lift]) -> "PackedRows":
        """The rows with some columns generalised, and equal rows merged."""
        assert self.weights is not None
        # Keys carry their weights through the sort, which is faster than sorting indices and fetching both. Newly
        # allocated memory is slow, so buffers are reused.
        carried = self._keys | self.weights.view(np.uint64)
        part = np.empty_like(carried)
        for bits, steps in self._steps(lifts):
            np.right_shift(self._keys, np.uint64(bits.shift), out=part)
            part &= np.uint64(bits.mask)
            carried += steps.take(part.view(np.int64))
        keys, weights = merge_keys(carried, part, self._weight_bits)
        known = {**self.known, **{name: lift.known for name, lift in lifts.items()}}
        return PackedRows(known, self._fields, keys, weights, self.unit, self._weight_bits)

    def distinct(self, columns: Sequence[str] | None = None) -> WeightedRows:
        """The rows themselves, which are distinct, or those of some columns."""
        return self if columns is None or set(columns) == set(self._fields) else super().distinct(columns)

    def _steps(self, lifts: Mapping[str, Lift]) -> Iterator[tuple[BitField, Keys]]:
        """Differences to add to keys, each with the part of the key it depends on; neighbouring columns share one."""
        room = min(
            LOOK_UP_BITS, len(self._keys).bit_length() - 2
        )  # bits, so that making the table costs less than the look-ups
        lifted = [(self._fields[name], lifts[name].steps) for name in reversed(list(self._fields)) if name in lifts]
        while lifted:
            low = lifted[0][0].shift
            near = [(field, steps) for field, steps in lifted if field.shift + field.bits - low <= room] or lifted[:1]
            lifted = lifted[len(near) :]
            if len(near) == 1:
                field, steps = near[0]
                yield field, steps << np.uint64(field.shift)
                continue
            whole = BitField(low, near[-1][0].shift + near[-1][0].bits - low)
            table = np.zeros(1 << whole.bits, np.uint64)
            for field, steps in near:
                by_code = table.reshape(-1, 1 << field.bits, 1 << field.shift - low)
                by_code[:, : len(steps)] += (steps << np.uint64(field.shift))[:, np.newaxis]
            yield whole, table

    def _sizes(self, columns: tuple[str, ...]) -> Integers:
        """The sizes of all classes in key order; if the classes are the rows themselves, nothing is counted."""
        return self._first(columns).counts if self._begin_with(columns) else super()._sizes(columns)

    def _classes(self, columns: tuple[str, ...]) -> Classes:
        """All classes in key order."""
        if not self._begin_with(columns):
            return super()._classes(columns)
        if columns not in self._by_columns:
            counted = self._first(columns)
            layout = Layout(tuple(self._fields[name].bits for name in columns))
            self._by_columns[columns] = Classes(counted.counts, counted.keys, layout)
        return self._by_columns[columns]

    def values_by_class(self, columns: tuple[str, ...], sensitive: str) -> ClassValues:
        """All classes in key order, with the counts of a sensitive attribute; without sorting if rows are in order."""
        if not self._begin_with((*columns, sensitive)):
            return super().values_by_class(columns, sensitive)
        if (columns, sensitive) not in self._values:
            cells = self._first((*columns, sensitive))
            field = self._fields[sensitive]
            starts = run_starts(cells.keys >> np.uint64(field.bits))
            values = (cells.keys & np.uint64(field.mask)).view(np.int64)
            sizes = np.add.reduceat(cells.counts, starts) if len(starts) else cells.counts
            self._values[columns, sensitive] = ClassValues(sizes, starts, values, cells.counts)
        return self._values[columns, sensitive]

    def _begin_with(self, columns: tuple[str, ...]) -> bool:
        return columns == tuple(self._fields)[: len(columns)]

    def _first(self, columns: tuple[str, ...]) -> CountedKeys:
        """The sorted keys of the first columns, and their weights."""
        assert self.weights is not None
        keys = self._keys >> np.uint64(self._fields[columns[-1]].shift)
        return (
            count_keys(keys, weights=self.weights)
            if len(columns) < len(self._fields)
            else CountedKeys(keys, self.weights)
        )


def pack_rows(rows: WeightedRows) -> WeightedRows:
    """Pack distinct, sorted rows into integers; return them unchanged if they do not fit into 64 bits."""
    assert rows.weights is not None
    weight_bits = rows.rows.bit_length()
    fields = layout_fields({name: column.bits for name, column in rows.domains.items()}, weight_bits)
    if fields is None or isinstance(rows, PackedRows):
        return rows
    keys = np.zeros(len(rows.weights), np.uint64)
    for name, column in rows.columns.items():
        keys |= column.codes.astype(np.uint64) << np.uint64(fields[name].shift)
    known = {name: CountedDomain(rows.columns[name].labels, rows.marginal(name).counts) for name in rows.columns}
    return PackedRows(known, fields, keys, rows.weights, rows.unit, weight_bits)


def lift_rows(rows: WeightedRows, known: Mapping[str, CountedDomain], lifts: Mapping[str, Lift]) -> PackedRows | None:
    """Generalise and pack rows that did not fit into 64 bits; None if they still do not.

    known   the generalised values of each column, with their counts
    """
    assert rows.weights is not None
    weight_bits = rows.rows.bit_length()
    fields = layout_fields({name: known[name].bits for name in rows.columns}, weight_bits)
    if fields is None:
        return None
    carried = rows.weights.astype(np.uint64)
    for name, column in rows.columns.items():
        if not fields[name].bits:
            continue  # all rows have the same value
        shift = np.uint64(fields[name].shift)
        if name in lifts:
            carried |= (lifts[name].new_codes << shift).take(column.codes)
        else:
            carried |= column.codes.astype(np.uint64) << shift
    keys, weights = merge_keys(carried, np.empty_like(carried), weight_bits)
    return PackedRows(known, fields, keys, weights, rows.unit, weight_bits)


def layout_fields(bits: Mapping[str, int], weight_bits: int) -> dict[str, BitField] | None:
    """The position of each column in a key, the first one highest; None if they and the weight exceed 64 bits."""
    shift = sum(bits.values()) + weight_bits  # the weight has the lowest bits
    if shift > KEY_BITS:
        return None
    fields: dict[str, BitField] = {}
    for name, width in bits.items():
        shift -= width
        fields[name] = BitField(shift, width)
    return fields


def merge_keys(carried: Keys, spare: Keys, weight_bits: int) -> tuple[Keys, Integers]:
    """Sort keys that carry their weights and merge equal ones; return the keys without weights, and the weights."""
    carried.sort()
    low = np.uint64((1 << weight_bits) - 1)
    keys = np.bitwise_and(carried, ~low, out=spare)
    last = np.ones(len(keys), np.bool_)  # of equal neighbours
    np.not_equal(keys[1:], keys[:-1], out=last[:-1])
    ends = np.flatnonzero(last)
    carried &= low
    weights = np.cumsum(carried, out=carried).view(np.int64)[ends]
    weights[1:] -= weights[:-1].copy()
    return keys[ends], weights


Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class _Lattice:
    """Data shared by all nodes: the rows to start from, and a cache of each column on each level.

    known     the values of each column in the table, with their counts
    start     the level of each column in the rows
    """

    rows: WeightedRows
    hierarchies: Mapping[str, Hierarchy]
    known: Mapping[str, CountedDomain]
    start: Mapping[str, int]
    columns: dict[tuple[str, int], tuple[CountedDomain, Keys]] = field(default_factory=dict)
    lifts: dict[tuple[str, int, int], Lift | None] = field(default_factory=dict)
    made: dict[Hashable, Any] = field(default_factory=dict)

    def column(self, name: str, level: int) -> tuple[CountedDomain, Keys]:
        """A column on a level: its values, and the code of each value of the table."""
        if (name, level) not in self.columns:
            original = self.known[name]
            known, codes = original.recode(labels_on(name, level, original.values, self.hierarchies.get(name)))
            self.columns[name, level] = known, codes.astype(np.uint64)
        return self.columns[name, level]

    def lift(self, name: str, low: int, high: int) -> Lift | None:
        """The lift from one level to a higher one; None if values that are equal on the lower differ on the higher."""
        if (name, low, high) not in self.lifts:
            known, old = self.column(name, low)
            coarser, new = self.column(name, high)
            new_codes = np.zeros(len(known.labels), np.uint64)
            new_codes[old] = new
            nested = bool(np.array_equal(new_codes[old], new))
            self.lifts[name, low, high] = Lift(coarser, new_codes) if nested else None
        return self.lifts[name, low, high]


def labels_on(
    name: str, level: int, values: Sequence[str | None], hierarchy: Hierarchy | None
) -> dict[str | None, str | None]:
    """The label of each value on a level; missing stays missing below the top, and `*` stays `*`."""
    if level == 0 or hierarchy is None:
        return {value: value for value in values}
    known = [value for value in values if value != SUPPRESSED]
    present = {value for value in known if value is not None}
    if (
        level < hierarchy.height
        and not present.issubset(hierarchy.levels[level])
        and all(map(hierarchy.level, present))
    ):
        raise NotApplicable(
            "column {column!r} is generalised already: none of its {values} values is a leaf of "
            "its hierarchy ({hierarchy}); start from the original table, with its policy",
            column=name,
            values=len(present),
            hierarchy=hierarchy.name,
            what="hierarchies",
        )
    labels = recoding(name, known, hierarchy, level, {hierarchy.top}, Phrase("values of the table are not leaves of"))
    return {**labels, SUPPRESSED: SUPPRESSED}


@dataclass(frozen=True, eq=False)
class RolledUpRows:
    """A node of the lattice: distinct rows with every quasi-identifier on one level."""

    lattice: _Lattice
    rows: WeightedRows
    levels: Mapping[str, int]

    @classmethod
    def base(
        cls,
        rows: WeightedRows,
        columns: Sequence[str],
        hierarchies: Mapping[str, Hierarchy],
        before: Mapping[str, tuple[int, CountedDomain]] | None = None,
    ) -> "RolledUpRows":
        """The node of the given distinct rows.

        before   for columns that are on a higher level already: that level, and their original values
        """
        rows = pack_rows(rows)
        raised = before or {}
        start = {name: raised[name][0] if name in raised else 0 for name in columns}
        known = {name: raised[name][1] if name in raised else _known(rows, name) for name in rows.domains}
        return cls(_Lattice(rows, hierarchies, known, start), rows, start)

    @property
    def number(self) -> int:
        """The number of distinct rows."""
        assert self.rows.weights is not None
        return len(self.rows.weights)

    def at(self, levels: Mapping[str, int]) -> "RolledUpRows":
        """The node with some columns on other levels."""
        wanted = {**self.levels, **self._check_levels(levels)}
        lifts = self._lifts(self.levels, wanted)
        start: WeightedRows = self.rows
        if lifts is None:  # some column must become finer, so start from the base
            start, lifts = self.lattice.rows, self._lifts(self.lattice.start, wanted)
            assert lifts is not None
        if isinstance(start, PackedRows):
            return RolledUpRows(self.lattice, start.roll_up(lifts) if lifts else start, wanted)
        if not lifts:
            return RolledUpRows(self.lattice, start, wanted)
        known = {name: self.lattice.column(name, wanted.get(name, 0))[0] for name in start.columns}
        rows = lift_rows(start, known, lifts)
        if rows is None:
            labels = {name: self._mapping(start, name, lift) for name, lift in lifts.items()}
            return RolledUpRows(self.lattice, start.generalise(labels).distinct(), wanted)
        return RolledUpRows(self.lattice, rows, wanted)

    def _mapping(self, start: WeightedRows, name: str, lift: Lift) -> dict[str | None, str | None]:
        values = lift.known.values
        return {value: values[code] for value, code in zip(start.domains[name].values, lift.new_codes, strict=True)}

    def _lifts(self, here: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, Lift] | None:
        """The lifts from these levels to the wanted ones; None if they cannot be reached from here."""
        lifts: dict[str, Lift] = {}
        for name, level in wanted.items():
            if level != here[name]:
                lift = self.lattice.lift(name, here[name], level) if level > here[name] else None
                if lift is None:
                    return None
                lifts[name] = lift
        return lifts

    def _check_levels(self, levels: Mapping[str, int]) -> Mapping[str, int]:
        for name, level in levels.items():
            if name not in self.levels:
                raise unknown("quasi-identifier", name, self.levels)
            hierarchy = self.lattice.hierarchies.get(name)
            if hierarchy is None and level:
                raise HierarchyError(
                    "column {column!r} has no hierarchy, so it has only level 0; got level {level}",
                    column=name,
                    level=level,
                )
            height = 0 if hierarchy is None else hierarchy.height
            check_level(name, level, height)
        return levels

    def cached(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The value for a key, made once for the whole lattice."""
        if key not in self.lattice.made:
            self.lattice.made[key] = make()
        made: Made = self.lattice.made[key]
        return made


def check_level(column: str, level: Any, height: int) -> None:
    """Raise if a column has no such level."""
    if type(level) is not int or not 0 <= level <= height:
        raise ParameterError(
            "column {column!r} has the levels 0 to {height}, got {level!r}",
            column=column,
            height=height,
            level=level,
            what="levels",
        )


def _known(rows: WeightedRows, name: str) -> CountedDomain:
    return CountedDomain(rows.domains[name].labels, rows.marginal(name).counts)
