"""The rows that a search works on: those of a table in memory, or the distinct ones that another engine counted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from PETWorks.about.hierarchy import Hierarchy
from PETWorks.about.treatment import APART
from PETWorks.anonymizer.ground import Ground
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.rules import MeasureRule, Rule, with_tables
from PETWorks.counting.codes import Known, places_among, sorted_labels
from PETWorks.counting.packed_rows import fields_of
from PETWorks.counting.partitioned import PartitionedTable
from PETWorks.counting.release import Release
from PETWorks.counting.rolling import labels_on
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.errors import Hint, InputError, NotApplicable, Phrase
from PETWorks.tables.cells import SUPPRESSED

BYTES_PER_ROW = 64  # of a distinct row: it itself, and it again on the nodes that the search has at hand
BYTES_PER_CODE = 16  # of a column, if a row does not fit into an integer
SHARE = 0.4  # of the memory limit; the rest is the engine's
# What rules need that look at no column but the quasi-identifiers.
OTHERS = {"quasi-identifiers", "hierarchies", "a population table", "the population or its size"}

Before = dict[str, tuple[int, Known]]


def searched(
    release: Release,
    hierarchies: Mapping[str, Hierarchy],
    lattice: Lattice,
    rules: Sequence[Rule],
    *,
    local: bool,
    all_columns: bool = True,
    removes: bool = False,
) -> tuple[Ground, tuple[Rule, ...]]:
    """What a search stands on, and the rules as it judges them; an error if one of them cannot be judged.

    all_columns   whether columns that no rule asks for may be looked at afterwards; rows that differ in these alone
                  are one otherwise
    removes       whether suppressed records leave the table; then they are in no class while it is searched

    Values come in the order of their texts, so that neither the order of the records nor the engine decides anything.
    Where no original was given, the table itself is it: what is lost is measured against it.
    """
    with_rules = tuple(with_tables(rule, release) for rule in rules)
    treatment = {**release.treatment, **({"suppressed": APART} if removes else {})}
    release.view = replace(release.view, hierarchies=hierarchies, treatment=treatment)
    needed = {need for rule in rules for need in (rule.metric.needs if isinstance(rule, MeasureRule) else [""])}
    is_here = isinstance(release.table, WeightedRows)  # then all columns may be looked at afterwards
    others = release.compared_columns if (is_here and all_columns) or not needed <= OTHERS else ()
    names = tuple(dict.fromkeys((*lattice.columns, *others)))
    view, before = _in_memory(release, names, lattice, can_be_raised=not local and "the original table" not in needed)
    for rule in with_rules:
        rule.check(view)
    return Ground.of(view, lattice, names, before, removes=removes), with_rules


def with_original(release: Release) -> None:
    """Where no original was given, the table as it is now is it."""
    if not release.has_original:
        view = release.view
        release.view = replace(view, background=replace(view.background, load_original=lambda: view.table))


def _in_memory(release: Release, names: Sequence[str], lattice: Lattice, *, can_be_raised: bool) -> tuple[View, Before]:
    """A view of rows in memory, and of columns that it has on higher levels than the table: these, and their values."""
    view = release.view
    table = view.table
    if isinstance(table, WeightedRows):
        table = _rows_of(table)
        release.view = _with_table(view, table, table)
        return release.view, {}
    assert isinstance(table, PartitionedTable)
    if release.privacy_unit is not None:
        raise NotApplicable(
            "people are counted by {privacy_unit!r}, but the engine {engine!r} hands "
            "distinct rows to the search, which do not say whose they are; use the engine "
            "'memory'",
            privacy_unit=release.privacy_unit,
            engine=release.engine.name,
            what="privacy_unit",
        )
    release.view = _with_table(view, table, table)
    most = int(release.memory_limit * SHARE / _bytes_per_row(table, names))
    if _fits(table, names, most):
        rows = table.distinct_rows({name: sorted_labels(table.columns[name].labels)[0] for name in names})
        return _with_table(view, rows, rows), {}
    raised = {name: level for name, level in zip(lattice.columns, lattice.low, strict=True) if level}
    stars = [table.columns[name].code(SUPPRESSED) for name in lattice.columns]
    if raised and can_be_raised and None in stars:
        rows, before = _raised(table, names, raised, view.hierarchies, most)
        return _with_table(view, rows, None), before
    raise _too_many(table.number_of_distinct(names), most, on_the_lowest=False)


def _with_table(view: View, table: Table, original: Table | None) -> View:
    """A view of another table; where no original was given, of this one."""
    given = background = view.background
    in_memory = isinstance(view.table, WeightedRows)
    was_given = given.given[1] is not None or (in_memory and given.has_original)
    if not was_given:
        background = replace(background, load_original=None if original is None else lambda: original)
    if isinstance(table, WeightedRows):
        if was_given:
            # Rows of two tables cannot be matched by their places when equal ones are merged.
            in_order = given.in_order and in_memory
            background = replace(background, load_original=lambda: _rows_of(given.original), in_order=in_order)
        if given.has_population_table:
            background = replace(background, load_population=lambda: _rows_of(given.population_table))
    return replace(view, table=table, background=background)


def _rows_of(table: Table) -> WeightedRows:
    """The rows of a table in memory, its values in the order of their texts."""
    return table.in_label_order() if isinstance(table, WeightedRows) else table.distinct()


def _bytes_per_row(table: PartitionedTable, columns: Sequence[str]) -> int:
    """What a distinct row takes; more if it is not packed into an integer."""
    is_packed = fields_of({name: table.columns[name].bits for name in columns}, table.rows.bit_length()) is not None
    return BYTES_PER_ROW if is_packed else BYTES_PER_ROW + BYTES_PER_CODE * len(columns)


def _fits(table: PartitionedTable, columns: Sequence[str], most: int) -> bool:
    """Whether the distinct rows are few enough; they are not counted if there cannot be more."""
    possible = min(table.rows, prod(len(table.columns[name].labels) for name in columns))
    return possible <= most or table.number_of_distinct(columns) <= most


def _raised(
    table: PartitionedTable,
    columns: Sequence[str],
    levels: Mapping[str, int],
    hierarchies: Mapping[str, Hierarchy],
    most: int,
) -> tuple[WeightedRows, Before]:
    """The distinct rows on the lowest levels that are allowed, and the values that the table itself has."""
    labels = {name: sorted_labels(table.columns[name].labels)[0] for name in columns}
    before, mappings = {}, {}
    for name, level in levels.items():
        known = table.columns[name]
        counts = known.counts[places_among(labels[name], known.labels)]
        before[name] = level, Known(labels[name], counts)
        mappings[name] = labels_on(name, level, before[name][1].values, hierarchies[name])
        labels[name] = before[name][1].recoded(mappings[name])[0].labels
    coarser = table.generalised(mappings)
    if not _fits(coarser, columns, most):
        raise _too_many(coarser.number_of_distinct(columns), most, on_the_lowest=True)
    return coarser.distinct_rows(labels), before


def _too_many(number: int, most: int, *, on_the_lowest: bool) -> InputError:
    rows = Phrase("{number:,} distinct rows", number=number)
    if on_the_lowest:
        rows = Phrase("{number:,} distinct rows on the lowest levels that are allowed", number=number)
    return InputError(
        "the table has {rows}, and the memory limit allows "
        "{most:,}; bound the levels of columns with many values from below, such as "
        "age=1-3, or allow more memory",
        Hint.MEMORY_LIMIT,
        rows=rows,
        most=most,
        what="memory_limit",
    )
