"""Original, release and control people stacked into one table, on the levels on which they are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from PETWorks.about.hierarchies.hierarchy import misfit
from PETWorks.counting.counts import ClassPairs, Grouping, Integers
from PETWorks.counting.stacked import column_by_table, common_column
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.errors import Hint, InputError, Phrase
from PETWorks.measures.disclosure.excess import newcombe
from PETWorks.tables.cells import SUPPRESSED

ORIGINAL, RELEASED, CONTROL = range(3)
TABLES = 3
STRIDE = 4  # codes of values by table are `value * 4 + table`: a power of 2 is split off fast
MOST_VALUES = 100
TOLERATED_OVERLAP = 0.01  # share of control people who are in the original, beyond chance
EVERYONE = "  table"  # the column with the number of the table; names are trimmed, so no other column has this name
NAMES = (Phrase("the original table"), Phrase("the release"), Phrase("the control people"))
MISFITS = (
    Phrase("values of the original table are not leaves of"),
    Phrase("values of the release are not leaves of"),
    Phrase("values of the control people are not leaves of"),
)


def by_table(column: str) -> str:
    """The name of the stacked column whose codes are `value * 4 + table`."""
    return f" {column}"


@dataclass(frozen=True, eq=False)
class ComparedTables:
    """The tables to compare, stacked.

    table     with quasi-identifiers and sensitive attributes, these also by table, and the table of each record
    records   of the original, of the release, and of the control people; 0 if there are none
    """

    table: Table
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    records: tuple[int, int, int]

    @cached_property
    def counts(self) -> dict[str, Integers]:
        """For each target, a row for each value with the number of records in each table."""
        return {name: self.table.marginal(by_table(name)).counts.reshape(-1, STRIDE) for name in self.targets}

    def modes(self, target: str) -> Integers:
        """The values of a target that are the most frequent ones in the whole release."""
        released = self.counts[target][:, RELEASED]
        return np.flatnonzero(released == released.max())

    def prior(self, target: str, of: int) -> Fraction:
        """The share of right guesses without keys about the people of the original, or about control people."""
        modes = self.modes(target)
        return Fraction(int(self.counts[target][modes, of].sum()), len(modes) * max(self.records[of], 1))


def view_of(view: View, known: tuple[str, ...], compare_at: Mapping[str, int]) -> View:
    """The view of those who know these columns, compared on these levels; made once, as rules share its counts."""
    if (known, compare_at) == (view.quasi_identifiers, view.compare_at):
        return view
    key = ("view", known, tuple(compare_at.items()))
    return view.cached(key, lambda: replace(view, quasi_identifiers=known, compare_at=compare_at))


def compared_tables(view: View) -> ComparedTables:
    """The tables that a release is compared with; raise if they are not in one coding."""
    return view.cached("compared tables", lambda: _stack(view))


def _stack(view: View) -> ComparedTables:
    keys, targets = view.quasi_identifiers, view.sensitive_attributes
    given = tables_on_levels(view)
    tables = [table for table in given if table is not None]
    for name in (*keys, *targets):
        _check_coding(view, name, tables)
    columns = {name: common_column(tables, name) for name in (*keys, *targets)}
    columns |= {by_table(name): column_by_table(tables, columns[name], STRIDE) for name in targets}
    columns[EVERYONE] = column_by_table(tables, columns[keys[0]], STRIDE, with_values=False)
    records = tuple(0 if table is None else table.rows for table in given)
    stacked = tables[0].stack(tables[1:], columns)
    return ComparedTables(stacked, keys, targets, records)  # type: ignore[arg-type]


def tables_on_levels(view: View) -> tuple[Table, Table, Table | None]:
    """Original, release and control people with the values of the levels on which columns are compared."""

    def lifted(which: int, table: Table) -> Table:
        levels = {name: _labels(view, name, table, which) for name in view.compare_at if view.compare_at[name]}
        return table.generalise(levels) if levels else table

    def lift() -> tuple[Table, Table, Table | None]:
        control = view.background.control
        original, released = lifted(ORIGINAL, view.background.original), lifted(RELEASED, view.table)
        return original, released, None if control is None else lifted(CONTROL, control)

    return view.cached("tables on the compared levels", lift)


def _labels(view: View, column: str, table: Table, which: int) -> Mapping[str | None, str | None]:
    """The label of each value on the level on which a column is compared; missing and `*` stay as they are."""
    level, hierarchy = view.compare_at[column], view.hierarchies[column]
    if column in view.sensitive_attributes and view.folds_values:
        hierarchy = hierarchy.fold()
    labels: dict[str | None, str | None] = {None: None, SUPPRESSED: SUPPRESSED}
    labels.update((label, label) for label in hierarchy.levels[level])
    labels.update(hierarchy.to_level(level))
    values = table.domains[column].values
    strange = sum(value not in labels for value in values)
    if strange:
        raise misfit(column, hierarchy, strange, len(values) - (None in values), MISFITS[which])
    return {value: labels[value] for value in values}


def _check_coding(view: View, column: str, tables: Sequence[Any]) -> None:
    """Raise if a table shares no value of a column with the original."""
    original, *others = (set(table.domains[column].values) for table in tables)
    for which, values in enumerate(others, start=RELEASED):
        if values & original:
            continue
        hierarchy = view.hierarchies.get(column)
        places = [] if hierarchy is None else [hierarchy.level(value) for value in values if value is not None]
        if which == RELEASED and hierarchy is not None and places and None not in places and 0 not in places:
            raise InputError(
                "column {column!r}: all {values} values of the release are generalised ones of its hierarchy "
                "({hierarchy}); describe the release as kind 'generalised', or compare it on their level",
                Hint.COMPARE_AT,
                column=column,
                values=len(values),
                hierarchy=hierarchy.name,
                what="kind",
            )
        raise InputError(
            "column {column!r}: none of its {values} values in {table} occurs in the original table, so it would seem "
            "safe whatever it discloses; give all tables in one coding, or compare the column on a level of a "
            "hierarchy",
            Hint.COMPARE_AT,
            column=column,
            values=len(values),
            table=NAMES[which],
            what="original" if which == RELEASED else "control",
        )


class Overlap(NamedTuple):
    """Control people who may be in the original.

    records    of the control people that are equal to one of the original in all columns
    repeated   records of the original that are equal to another one of it: others are equal by chance as often
    """

    records: int
    repeated: int

    def merge(self, other: "Overlap") -> "Overlap":
        """The overlap in classes of both."""
        return Overlap(self.records + other.records, self.repeated + other.repeated)


def control_overlap(view: View) -> Overlap:
    """The control people who may be in the original, by all columns of their tables."""

    def count() -> Overlap:
        if view.background.load_whole is None:
            return Overlap(0, 0)
        original, control = view.background.load_whole()
        columns = tuple(control.domains)
        return control.fold_pairs(Grouping(columns, columns), original, _overlap, Overlap.merge)

    return view.cached("control overlap", count)


def _overlap(pairs: ClassPairs) -> Overlap:
    control, original = pairs
    return Overlap(int(control[original > 0].sum()), int(original[original > 1].sum()))


def is_in_original(view: View) -> bool:
    """Whether too many control people seem to be in the original for them to be a control."""
    tables, overlap = compared_tables(view), control_overlap(view)
    people, controls = tables.records[ORIGINAL], tables.records[CONTROL]
    if not overlap.records:
        return False
    more, _ = newcombe(overlap.records / controls, controls, overlap.repeated / people, people)
    return more > TOLERATED_OVERLAP


def without_counterpart(view: View) -> dict[str, dict[str, float]]:
    """The share of the cells of each column in release and control people whose value the original lacks, if any do."""
    original, *others = (table for table in tables_on_levels(view) if table is not None)
    shares: dict[str, dict[str, float]] = {}
    for name in (*view.quasi_identifiers, *view.sensitive_attributes):
        known = set(original.domains[name].values)
        for which, table in zip(("release", "control"), others, strict=False):
            cells = table.marginal(name)
            lacking = sum(
                number for value, number in zip(cells.values, cells.counts.tolist(), strict=True) if value not in known
            )
            if lacking:
                shares.setdefault(name, {})[which] = lacking / table.rows
    return shares
