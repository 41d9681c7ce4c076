"""Distinct rows on a node of the generalisation lattice, and how they become those of a coarser node."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from PETWorks.about.hierarchy import Hierarchy
from PETWorks.about.levels import recoding
from PETWorks.counting.codes import Known
from PETWorks.counting.packed_rows import Keys, Lift, PackedRows, lifted, packed
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.errors import HierarchyError, NotApplicable, ParameterError, Phrase, unknown
from PETWorks.tables.cells import SUPPRESSED

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class _Lattice:
    """What all nodes share: rows to start from, and each column on each level once it was asked for.

    known     the values of each column as they are in the table, with their counts
    start     the levels of the rows, if they are not as in the table
    """

    rows: WeightedRows
    hierarchies: Mapping[str, Hierarchy]
    known: Mapping[str, Known]
    start: Mapping[str, int]
    columns: dict[tuple[str, int], tuple[Known, Keys]] = field(default_factory=dict)
    lifts: dict[tuple[str, int, int], Lift | None] = field(default_factory=dict)
    made: dict[Hashable, Any] = field(default_factory=dict)

    def column(self, name: str, level: int) -> tuple[Known, Keys]:
        """A column on a level: its values there, and for each value of the table its code there."""
        if (name, level) not in self.columns:
            own = self.known[name]
            known, codes = own.recoded(labels_on(name, level, own.values, self.hierarchies.get(name)))
            self.columns[name, level] = known, codes.astype(np.uint64)
        return self.columns[name, level]

    def lift(self, name: str, low: int, high: int) -> Lift | None:
        """From one level to a higher one; None where values that are equal on the lower are not on the higher."""
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
    """What each value becomes. Missing stays missing up to the top; what is suppressed already stays so."""
    if level == 0 or hierarchy is None:
        return {value: value for value in values}
    known = [value for value in values if value != SUPPRESSED]
    told = {value for value in known if value is not None}
    if level < hierarchy.height and not told.issubset(hierarchy.levels[level]) and all(map(hierarchy.level, told)):
        raise NotApplicable(
            "column {column!r} is generalised already: none of its {values} values is a leaf of "
            "its hierarchy ({hierarchy}); start from the original table, with its policy",
            column=name,
            values=len(told),
            hierarchy=hierarchy.name,
            what="hierarchies",
        )
    labels = recoding(name, known, hierarchy, level, {hierarchy.top}, Phrase("values of the table are not leaves of"))
    return {**labels, SUPPRESSED: SUPPRESSED}


@dataclass(frozen=True, eq=False)
class RolledUp:
    """Distinct rows with every quasi-identifier on one level."""

    lattice: _Lattice
    rows: WeightedRows
    levels: Mapping[str, int]

    @classmethod
    def base(
        cls,
        rows: WeightedRows,
        columns: Sequence[str],
        hierarchies: Mapping[str, Hierarchy],
        before: Mapping[str, tuple[int, Known]] | None = None,
    ) -> "RolledUp":
        """Distinct rows; `before`: for columns that are on a higher level already, which one, and their own values."""
        rows = packed(rows)
        raised = before or {}
        start = {name: raised[name][0] if name in raised else 0 for name in columns}
        known = {name: raised[name][1] if name in raised else _known(rows, name) for name in rows.domains}
        return cls(_Lattice(rows, hierarchies, known, start), rows, start)

    def at(self, levels: Mapping[str, int]) -> "RolledUp":
        """The same records with some columns on other levels."""
        wanted = {**self.levels, **self._checked(levels)}
        lifts = self._lifts(self.levels, wanted)
        start: WeightedRows = self.rows
        if lifts is None:  # something is finer than here: start over
            start, lifts = self.lattice.rows, self._lifts(self.lattice.start, wanted)
            assert lifts is not None
        if isinstance(start, PackedRows):
            return RolledUp(self.lattice, start.rolled_up(lifts) if lifts else start, wanted)
        if not lifts:
            return RolledUp(self.lattice, start, wanted)
        known = {name: self.lattice.column(name, wanted.get(name, 0))[0] for name in start.columns}
        rows = lifted(start, known, lifts)
        if rows is None:
            labels = {name: self._mapping(start, name, lift) for name, lift in lifts.items()}
            return RolledUp(self.lattice, start.generalised(labels).distinct(), wanted)
        return RolledUp(self.lattice, rows, wanted)

    def _mapping(self, start: WeightedRows, name: str, lift: Lift) -> dict[str | None, str | None]:
        values = lift.known.values
        return {value: values[code] for value, code in zip(start.domains[name].values, lift.new_codes, strict=True)}

    def _lifts(self, here: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, Lift] | None:
        """What has to be done; None if it cannot be done from here."""
        lifts: dict[str, Lift] = {}
        for name, level in wanted.items():
            if level != here[name]:
                lift = self.lattice.lift(name, here[name], level) if level > here[name] else None
                if lift is None:
                    return None
                lifts[name] = lift
        return lifts

    def _checked(self, levels: Mapping[str, int]) -> Mapping[str, int]:
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
            if type(level) is not int or not 0 <= level <= height:
                raise ParameterError(
                    "column {column!r} has the levels 0 to {height}, got {level!r}",
                    column=name,
                    height=height,
                    level=level,
                )
        return levels

    def remembered(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Something that is made once for the whole lattice."""
        if key not in self.lattice.made:
            self.lattice.made[key] = make()
        made: Made = self.lattice.made[key]
        return made


def _known(rows: WeightedRows, name: str) -> Known:
    return Known(rows.domains[name].labels, rows.marginal(name).counts)
