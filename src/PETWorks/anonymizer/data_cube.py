"""The data cube that a search works on: distinct rows, counted by any engine and rolled up to each node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.hierarchy import Hierarchy, misfit
from PETWorks.about.treatment import APART
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.rules import MeasureRule, Rule, with_tables
from PETWorks.counting.codes import Codes, Column, CountedDomain, indices_among, sorted_labels
from PETWorks.counting.counts import ClassPairs, ClassValues, Grouping, Integers, run_starts
from PETWorks.counting.engines.partitioned import PartitionedTable
from PETWorks.counting.keys import Field, count_keys, pack
from PETWorks.counting.memory.distinct_rows import RolledUpRows, labels_on, layout_fields
from PETWorks.counting.memory.weighted_rows import Classes, WeightedRows, mask_set_aside
from PETWorks.counting.release import Release
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.errors import HierarchyError, Hint, InputError, NotApplicable, Phrase
from PETWorks.measures.classes import Mask
from PETWorks.tables.cells import SUPPRESSED

KEPT_ROWS = 1 << 24  # most rows held in memory, over all nodes that coarser ones are rolled up from
MUCH_SMALLER = 0.7  # a node is kept if it has fewer than this share of the rows it was rolled up from
FAR = 6  # if a node has this many times fewer rows than its source, a node in between is counted as well


@dataclass(frozen=True, eq=False)
class DataCube:
    """The distinct rows of a view with their counts, rolled up to any node of a lattice.

    Records that are suppressed in the input stay suppressed: they are counted by `aside` and not among the rows.

    removes   whether suppressed records leave the table, including those that are suppressed in the input
    """

    view: View
    lattice: Lattice
    base: RolledUpRows
    records: int
    aside: int
    removes: bool = False

    @classmethod
    def of(
        cls,
        view: View,
        lattice: Lattice,
        columns: Sequence[str] | None = None,
        before: Mapping[str, tuple[int, CountedDomain]] | None = None,
        *,
        removes: bool = False,
    ) -> "DataCube":
        """Build the cube of a view; raise if a value is missing from its hierarchy, or if levels do not nest.

        columns  the columns to distinguish rows by, quasi-identifiers first; all columns of the view by default
        before   for columns that the view holds on a higher level than the table: that level and the table's values;
                 then no record may be suppressed in the input
        """
        rows = _only(view.table, columns or tuple(view.table.domains))
        assert rows.weights is not None
        is_aside = (
            None
            if before
            else mask_set_aside(
                Grouping(lattice.columns, lattice.columns, suppressed_apart=True),
                rows.domains,
                lambda: [rows.columns[name].codes for name in lattice.columns],
            )
        )
        records, already_suppressed = rows.rows, 0
        # The quasi-identifiers come first, so that classes are neighbours.
        names = (*lattice.columns, *(name for name in rows.domains if name not in lattice.columns))
        if is_aside is not None or names != tuple(rows.domains):
            indices = np.flatnonzero(~is_aside) if is_aside is not None else np.arange(len(rows.weights))
            taken = {name: rows.columns[name].take(indices) for name in names}
            already_suppressed = records - int(rows.weights[indices].sum())
            rows = _in_order(WeightedRows(taken, rows.unit, rows.weights[indices], whole=False))
        if already_suppressed == records:
            raise NotApplicable(
                "all of the {records} records are suppressed already; nothing is left to generalise", records=records
            )
        base = RolledUpRows.base(rows, lattice.columns, view.hierarchies, before)
        cube = cls(view, lattice, base, records, already_suppressed, removes)
        cube.check_nesting()
        return cube

    def check_nesting(self) -> None:
        """Raise if a value is missing from its hierarchy, or if equal values differ on a higher level."""
        for column in self.lattice.columns:
            hierarchy = self.view.hierarchies[column]
            values = [value for value in self.base.rows.domains[column].values if value is not None]
            not_leaves = sum(hierarchy.level(value) is None for value in values)
            if not_leaves:
                raise misfit(
                    column, hierarchy, not_leaves, len(values), Phrase("values of the table are not leaves of")
                )
            for level in range(hierarchy.height):
                if self.base.lattice.lift(column, level, level + 1) is None:
                    raise HierarchyError(
                        "column {column!r}: the levels of its hierarchy ({hierarchy}) do not nest: "
                        "values that are equal on level {level} are not on level {next_level}",
                        column=column,
                        hierarchy=hierarchy.name,
                        level=level,
                        next_level=level + 1,
                        what=f"hierarchies.{column}",
                    )

    def on_level(self, column: str, level: int) -> CountedDomain:
        """The values of a column on a level, with their counts in the rows."""
        return self.base.lattice.column(column, level)[0]

    def stars(self, node: Node) -> list[int] | None:
        """The codes of `*` on a node; None if some column has no `*` there."""
        codes = [self.on_level(*column).code(SUPPRESSED) for column in zip(self.lattice.columns, node, strict=True)]
        return None if None in codes else [code for code in codes if code is not None]

    def is_all_stars(self, node: Node) -> bool:
        """Whether every cell of the rows is `*` on a node.

        Records aside may leave a `*` among the values that no row has.
        """
        stars = self.stars(node)
        if stars is None:
            return False
        known = [self.on_level(*column) for column in zip(self.lattice.columns, node, strict=True)]
        return all(values.counts[star] == values.counts.sum() for values, star in zip(known, stars, strict=True))

    @property
    def has_stars_below_the_top(self) -> bool:
        """Whether a column has `*` on a level that is not the highest of its hierarchy."""
        for column in self.lattice.columns:
            for level in range(self.base.levels[column], self.view.hierarchies[column].height):
                known = self.on_level(column, level)
                star = known.code(SUPPRESSED)
                if star is not None and known.counts[star]:
                    return True
        return False

    def codes_on_level(self, column: str, level: int) -> Integers:
        """For each value of the table, its code on a level."""
        return self.base.lattice.column(column, level)[1].astype(np.int64)

    def values_of(self, column: str, codes: Codes) -> Codes:
        """For rows of the view, codes of values in the table; any value that the row's code stands for."""
        level = self.base.levels[column]
        if not level:
            return codes
        value_of = np.zeros(len(self.on_level(column, level).labels), np.uint32)
        on_level = self.codes_on_level(column, level)
        value_of[on_level] = np.arange(len(on_level))
        return np.asarray(value_of[codes])

    @cached_property
    def _counted(self) -> "_Nodes":
        return _Nodes(self)

    def at(self, node: Node) -> "NodeClasses":
        """The classes of a node; those of the last node are cached, because several callers need them."""
        if node not in self._last:
            classes = NodeClasses(self, node, self._counted.roll_up(node))
            self._last.clear()
            self._last[node] = classes
        return self._last[node]

    @cached_property
    def _last(self) -> "dict[Node, NodeClasses]":
        return {}

    @cached_property
    def backgrounds(self) -> Mapping[str, RolledUpRows]:
        """The tables that the release is compared with, as far as they were provided."""
        background = self.view.background
        tables: dict[str, Table] = {}
        if background.has_original:
            tables["original"] = background.original
        if background.has_population_table:
            tables["population"] = background.population_table
        return {
            name: RolledUpRows.base(_only(table, self.lattice.columns), self.lattice.columns, hierarchies)
            for hierarchies in [self.view.hierarchies]
            for name, table in tables.items()
        }


class ValueClasses(NamedTuple):
    """The classes in which a sensitive attribute is tested.

    values   the classes with known values of the attribute
    kept     mask of these classes among all classes
    begins   where each class of the quasi-identifiers begins, if the classes here are finer
    """

    values: ClassValues
    kept: Mask
    begins: Integers | None

    def of_all(self, by_class: NDArray[Any]) -> NDArray[Any]:
        """Spread a number or verdict per class with known values over all classes; 0 elsewhere."""
        spread = np.zeros(len(self.kept), by_class.dtype)
        spread[self.kept] = by_class
        return spread


class NodeClasses:
    """The equivalence classes of a node, in the order of their keys."""

    def __init__(self, cube: DataCube, node: Node, rolled: RolledUpRows) -> None:
        self.cube, self.node, self.rolled = cube, node, rolled
        self.rows = rolled.rows
        self.columns = cube.lattice.columns
        self.added: dict[tuple[object, bytes], list[float]] = {}  # by objective and mask: loss added by suppressing

    @cached_property
    def records(self) -> Integers:
        """The number of records in each class."""
        return self.rows._sizes(self.columns)

    @cached_property
    def sizes(self) -> Integers:
        """The number of records in each class, or of people if there is a privacy unit."""
        return self.records if self.rows.unit is None else self.rows.per_person(self.columns)._sizes(self.columns)

    @cached_property
    def _classes(self) -> Classes:
        return self.rows._classes(self.columns)

    def codes(self, which: Mask | Integers) -> list[Integers]:
        """For each column, the codes of some of the classes, selected by a mask or by their indices."""
        classes = self._classes
        return [codes.astype(np.int64) for codes in classes.layout.codes(classes.keys[which])]

    def say_something(self, which: Mask) -> bool:
        """Whether any record of the selected classes has a cell that is not `*`."""
        stars = self.cube.stars(self.node)
        if stars is None:
            return bool(which.any())
        return any((codes != star).any() for codes, star in zip(self.codes(which), stars, strict=True))

    @cached_property
    def complete(self) -> Mask | None:
        """Mask of the classes without missing quasi-identifiers; None if all are, or missing is a value."""
        grouping = self.cube.view.grouping()
        return self.rows._kept(Grouping(self.columns, self.columns, incomplete_apart=grouping.incomplete_apart))

    def of_values(self, sensitive: str) -> "ValueClasses":
        """The classes in which a sensitive attribute is tested."""
        columns, required = self.cube.view.grouping(sensitive).columns, self.cube.view.required_column(sensitive)
        table = self.rows if self.rows.unit is None else self.rows.per_person((*columns, sensitive))
        values, kept, begins = table.values_by_class(columns, sensitive), None, None
        number = len(values.sizes)
        if self.rows.unit is not None:
            values = replace(values, people=self._people(columns, required))
        if required is not None:
            missing = table.domains[sensitive].code(None)
            values, kept = (values, None) if missing is None else values.without_missing(missing)
        if columns != self.columns:
            finer = table._classes(columns)
            known = finer.layout.codes(finer.keys)[: len(self.columns)]
            begins = np.unique(np.concatenate([run_starts(codes) for codes in known]))
        return ValueClasses(values, np.ones(number, np.bool_) if kept is None else kept, begins)

    def _people(self, columns: tuple[str, ...], required: str | None) -> Integers:
        """The number of people in each class of these columns, among records where `required` is known."""
        counted = self.rows.per_person(columns, required)
        if required is None:
            return counted._sizes(columns)
        keys = self.rows._packed(columns).keys
        classes = np.unique(keys)
        return np.bincount(np.searchsorted(classes, keys[counted.origin]), minlength=len(classes))

    def beside(self, background: str) -> tuple[ClassPairs, int]:
        """The size of each class here and in another table, and how many classes only the other table has."""
        other = self.cube.backgrounds[background].at(self.cube.lattice.levels(self.node)).rows
        if other.unit is not None:
            other = other.per_person(self.columns)
        everything = np.ones(len(self.records), np.bool_)
        codes_here, theirs, bits = self.codes(everything), [], []
        for index, name in enumerate(self.columns):
            labels = {value: code for code, value in enumerate(self.rows.domains[name].values)}
            column: Column = other.columns[name]
            new_codes = [labels.setdefault(value, len(labels)) for value in column.values]
            theirs.append(np.array(new_codes, np.int64)[column.codes])
            bits.append((len(labels) - 1).bit_length())
            codes_here[index] = np.concatenate([codes_here[index], theirs[-1]])
        keys = pack([Field(codes.astype(np.uint64), width) for codes, width in zip(codes_here, bits, strict=True)]).keys
        released = keys[: len(self.records)]
        is_complete = np.ones(len(theirs[0]), np.bool_)
        if self.cube.view.grouping().incomplete_apart:
            for column in (other.columns[name] for name in self.columns):
                if (missing := column.code(None)) is not None:
                    is_complete &= column.codes != missing
        weights = None if other.weights is None else other.weights[is_complete]
        known = count_keys(keys[len(self.records) :][is_complete], weights=weights)
        people = known.of(released)
        return ClassPairs(self.sizes, people), len(known.keys) - int(np.count_nonzero(people))


class _Nodes:
    """Cache of counted nodes; each node is rolled up from the smallest finer one in it."""

    def __init__(self, cube: DataCube) -> None:
        self._cube = cube
        start = cube.base.at(cube.lattice.levels(cube.lattice.low))
        self._rolled = [start]
        self._levels = np.array([cube.lattice.low])
        self._rows = np.array([start.number])
        self._kept = 0

    def roll_up(self, node: Node) -> RolledUpRows:
        """The rows of a node."""
        finer = np.flatnonzero((self._levels <= np.array(node)).all(axis=1))
        nearest = int(finer[np.argmin(self._rows[finer])])
        start = self._rolled[nearest]
        rolled = start.at(self._cube.lattice.levels(node))
        if rolled.number * FAR < start.number:  # cheaper to roll nearby nodes up from here
            below = np.maximum(np.array(node) - 1, self._levels[nearest])
            self._keep(tuple(below.tolist()), start.at(self._cube.lattice.levels(tuple(below.tolist()))), start)
        self._keep(node, rolled, start)
        return rolled

    def _keep(self, node: Node, rolled: RolledUpRows, start: RolledUpRows) -> None:
        """Cache a node as a start for others, if it is clearly smaller than its source."""
        rows = rolled.number
        if self._kept + rows <= KEPT_ROWS and rows < MUCH_SMALLER * start.number:
            self._kept += rows
            self._rolled.append(rolled)
            self._levels = np.vstack([self._levels, node])
            self._rows = np.append(self._rows, rows)


def _only(table: Table, columns: Sequence[str]) -> WeightedRows:
    """Rows with some of their columns and the privacy unit, equal rows merged; codes keep their meaning."""
    rows = table if isinstance(table, WeightedRows) else table.distinct()
    names = (*columns, *([] if rows.unit is None or rows.unit in columns else [rows.unit]))
    if names == tuple(rows.domains):
        return rows.distinct()
    return WeightedRows({name: rows.columns[name] for name in names}, rows.unit, rows.weights, whole=False).distinct()


def _in_order(rows: WeightedRows) -> WeightedRows:
    """Distinct rows in ascending order of their codes; codes keep their meaning."""
    assert rows.weights is not None
    keys = pack(list(rows.columns.values())).keys
    if np.all(keys[1:] > keys[:-1]):
        return rows
    order = np.argsort(keys, kind="stable")
    columns = {name: column.take(order) for name, column in rows.columns.items()}
    return WeightedRows(columns, rows.unit, rows.weights[order], whole=False)


BYTES_PER_ROW = 64  # of a distinct row, including its copies on the nodes that the search caches
BYTES_PER_CODE = 16  # per column, if a row does not fit into an integer
SHARE = 0.4  # of the memory limit; the rest is for the engine
# The needs of rules that use no columns except the quasi-identifiers.
NEEDS_WITHOUT_COLUMNS = {"quasi-identifiers", "hierarchies", "a population table", "the population or its size"}

Before = dict[str, tuple[int, CountedDomain]]


def build_cube(
    release: Release,
    hierarchies: Mapping[str, Hierarchy],
    lattice: Lattice,
    rules: Sequence[Rule],
    *,
    all_columns: bool = True,
    removes: bool = False,
) -> tuple[DataCube, tuple[Rule, ...]]:
    """Build the cube of a search, and prepare the rules it tests; raise if a rule cannot be tested.

    release       a copy of the caller's release: its view becomes that of the search
    all_columns   whether columns that no rule needs may be used later; otherwise rows are merged if only these differ
    removes       whether suppressed records leave the table; then they are in no class during the search

    Values are sorted as text, so that results depend neither on the order of the records nor on the engine.
    Without a separate original, the table itself is the original that losses are measured against.
    """
    with_rules = tuple(with_tables(rule, release) for rule in rules)
    treatment = {**release.treatment, **({"suppressed": APART} if removes else {})}
    release.view = replace(release.view, hierarchies=hierarchies, treatment=treatment)
    needed = {need for rule in rules for need in (rule.metric.needs if isinstance(rule, MeasureRule) else [""])}
    is_in_memory = isinstance(release.table, WeightedRows)  # then all columns are available later
    other_columns = (
        release.compared_columns if (is_in_memory and all_columns) or not needed <= NEEDS_WITHOUT_COLUMNS else ()
    )
    weight = [str(release.sample.weight)] if release.view.has_weights and _use_weights(rules, release) else []
    names = tuple(dict.fromkeys((*lattice.columns, *other_columns, *weight)))
    view, before = _in_memory(release, names, lattice, can_be_raised="the original table" not in needed)
    for rule in with_rules:
        rule.check(view)
    return DataCube.of(view, lattice, names, before, removes=removes), with_rules


def _use_weights(rules: Sequence[Rule], release: Release) -> bool:
    """Whether a rule depends on sampling weights: those about the population do where none is given."""
    needs = {"sampling weights"}
    needs |= {"the population or its size"} if release.view.background.population is None else set()
    measures = [rule.metric for rule in rules if isinstance(rule, MeasureRule)]
    is_linked = any(measure.linked for measure in measures) and release.view.links_weights
    return is_linked or any(needs & set(measure.needs) for measure in measures)


def with_original(release: Release) -> None:
    """Use the table as it is now as the original, if no separate original was provided."""
    if not release.has_original:
        view = release.view
        release.view = replace(view, background=replace(view.background, load_original=lambda: view.table))


def _in_memory(release: Release, names: Sequence[str], lattice: Lattice, *, can_be_raised: bool) -> tuple[View, Before]:
    """A view of rows in memory, and the columns it holds on higher levels than the table, with their values."""
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
    """A view of another table; `original` becomes its original if none was provided."""
    before = background = view.background
    in_memory = isinstance(view.table, WeightedRows)
    has_given_original = before.given[1] is not None or (in_memory and before.has_original)
    if not has_given_original:
        background = replace(background, load_original=None if original is None else lambda: original)
    if isinstance(table, WeightedRows):
        if has_given_original:
            # Once equal rows are merged, rows of two tables cannot be matched by position.
            in_order = before.in_order and in_memory
            background = replace(background, load_original=lambda: _rows_of(before.original), in_order=in_order)
        if before.has_population_table:
            background = replace(background, load_population=lambda: _rows_of(before.population_table))
    return replace(view, table=table, background=background)


def _rows_of(table: Table) -> WeightedRows:
    """The rows of a table in memory, with values sorted as text."""
    return table.in_label_order() if isinstance(table, WeightedRows) else table.distinct()


def _bytes_per_row(table: PartitionedTable, columns: Sequence[str]) -> int:
    """The memory that a distinct row takes; more if it is not packed into an integer."""
    is_packed = layout_fields({name: table.columns[name].bits for name in columns}, table.rows.bit_length()) is not None
    return BYTES_PER_ROW if is_packed else BYTES_PER_ROW + BYTES_PER_CODE * len(columns)


def _fits(table: PartitionedTable, columns: Sequence[str], most: int) -> bool:
    """Whether there are at most this many distinct rows; they are only counted if there could be more."""
    possible = min(table.rows, prod(len(table.columns[name].labels) for name in columns))
    return possible <= most or table.number_of_distinct(columns) <= most


def _raised(
    table: PartitionedTable,
    columns: Sequence[str],
    levels: Mapping[str, int],
    hierarchies: Mapping[str, Hierarchy],
    most: int,
) -> tuple[WeightedRows, Before]:
    """The distinct rows on the lowest allowed levels, and the values that the table itself has."""
    labels = {name: sorted_labels(table.columns[name].labels)[0] for name in columns}
    values_before, mappings = {}, {}
    for name, level in levels.items():
        known = table.columns[name]
        counts = known.counts[indices_among(labels[name], known.labels)]
        values_before[name] = level, CountedDomain(labels[name], counts)
        mappings[name] = labels_on(name, level, values_before[name][1].values, hierarchies[name])
        labels[name] = values_before[name][1].recode(mappings[name])[0].labels
    coarser = table.generalise(mappings)
    if not _fits(coarser, columns, most):
        raise _too_many(coarser.number_of_distinct(columns), most, on_the_lowest=True)
    return coarser.distinct_rows(labels), values_before


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
