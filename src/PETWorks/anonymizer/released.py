"""The released table: its columns on the levels of a node, its suppressed classes, and the order of its records."""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.anonymizer.class_means import ClassMeans, show_in_classes
from PETWorks.anonymizer.data_cube import NodeClasses
from PETWorks.anonymizer.plan import Plan
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.recoding import Recoder, view_after
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.anonymizer.utility import information_kept
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.memory.weighted_rows import shuffled_order
from PETWorks.counting.release import ORDERS, Release
from PETWorks.counting.view import ReplacedLabels
from PETWorks.displayable import Displayable
from PETWorks.errors import NotApplicable, ParameterError, quoted
from PETWorks.measures.classes import Mask
from PETWorks.tables.arrays import dictionary, strings, take_rows
from PETWorks.tables.frames import Rows
from PETWorks.tables.normalised_cells import make_spreadsheet_safe, normalise_table
from PETWorks.tables.source import PIECE_ROWS
from PETWorks.tables.writing import changed_pieces, changed_table, find_removed_records, whole_table

if TYPE_CHECKING:
    import pyarrow as pa


ORIGINAL, SHUFFLED = ORDERS
MAX_CELLS = 50_000_000  # of a table that is shuffled by default, which needs all cells in memory
MAX_DIGITS = 100  # of a seed
SEED_BITS = 128  # too many seeds to find the order by trying all of them


@dataclass(frozen=True)
class RecordOrder:
    """The order of the records of a release.

    shuffled   whether they are in random order
    seed       the seed of the random order
    why_not    why they keep their order: 'asked', 'database', 'engine', 'rule' or 'large'
    values     the values for the message about `why_not`
    """

    shuffled: bool = False
    seed: int | None = None
    why_not: str | None = None
    values: tuple[tuple[str, str], ...] = ()

    def permutation(self, records: int) -> Integers | None:
        """The permutation of the records; None if they keep their order."""
        return None if self.seed is None else shuffled_order(self.seed, records)


IN_ORDER = RecordOrder()


def choose_order(
    release: Release, rules: Sequence[Rule], shuffle: bool | None = None, seed: int | None = None
) -> RecordOrder:
    """The requested order; by default a random one where that is possible.

    shuffle   whether a random order is requested; None for the default
    seed      the seed of an earlier release, to repeat its random order
    """
    order = _original_order(release, rules, shuffle)
    if order is not None and seed is not None:
        raise ParameterError("a seed is for records in random order, and these keep theirs", what="seed")
    return order or RecordOrder(True, secrets.randbits(SEED_BITS) if seed is None else seed)


def check_order_arguments(order: Any, seed: Any) -> tuple[bool | None, int | None]:
    """Check the arguments `order` and `seed`; return whether a random order is requested, and its seed."""
    if order is not None and order not in ORDERS:
        raise ParameterError(
            "expected the order {orders}, got {order!r}", orders=quoted(ORDERS), order=str(order)[:40], what="order"
        )
    if seed is not None and (isinstance(seed, bool) or parse_seed(str(seed)) is None):
        raise ParameterError("expected a seed that is a whole number, got {seed!r}", seed=str(seed)[:40], what="seed")
    return None if order is None else order == SHUFFLED, None if seed is None else int(seed)


def parse_seed(text: str) -> int | None:
    """The seed as a number; None if the text is not a seed."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else None


def _original_order(release: Release, rules: Sequence[Rule], shuffle: bool | None) -> RecordOrder | None:
    """The original order, if it is requested or needed; raise if it is needed and a random one is requested."""
    if shuffle is False:
        return RecordOrder(why_not="asked")
    obstacle = _obstacle_to_shuffling(release, rules)
    if shuffle and obstacle is not None:
        raise obstacle[1]
    if obstacle is not None:
        return obstacle[0]
    if shuffle is None and release.records * len(release.columns) > MAX_CELLS:
        return RecordOrder(why_not="large")
    return None


def _obstacle_to_shuffling(release: Release, rules: Sequence[Rule]) -> tuple[RecordOrder, ParameterError] | None:
    """The reason why records cannot be shuffled, and the error if shuffling was requested."""
    engine = release.engine.name
    if not release.source.ordered:
        return RecordOrder(why_not="database"), ParameterError(
            "records in random order need a file; save the table as a CSV or Parquet file first, or keep the order",
            what="order",
        )
    if engine != "memory":
        return RecordOrder(why_not="engine", values=(("engine", engine),)), ParameterError(
            "a random order needs all records in memory; the engine {engine!r} writes them piece by piece: keep the "
            "order, or use the engine 'memory'",
            engine=engine,
            what="order",
        )
    comparing = [rule.name for rule in rules if isinstance(rule, MeasureRule) and _compares_records(rule)]
    if comparing:
        return RecordOrder(why_not="rule", values=(("rules", str(quoted(comparing))),)), ParameterError(
            "the records cannot be shuffled: {rules} compares them one by one with the original; keep the order, or "
            "leave out the rule",
            rules=quoted(comparing),
            what="order",
        )
    return None


def _compares_records(rule: MeasureRule) -> bool:
    return "records in the order of the original" in rule.metric.needs


@dataclass(frozen=True, eq=False)
class Recoded(Rows, Displayable):
    """A table on other levels.

    original            the original table
    classes             its equivalence classes on these levels
    suppressed_classes  mask of the suppressed classes
    problem             the task that it solves
    keeps_unit          whether the privacy unit stays, as numbers; otherwise the column is left out
    order               the order of the records in `table`, with the seed if it is random
    notices             further notices for the reader
    show                by column, what classes show instead of labels: "mean" or "median"
    """

    original: Release
    classes: NodeClasses
    suppressed_classes: Mask
    problem: Problem
    keeps_unit: bool = field(default=False, kw_only=True)
    order: RecordOrder = field(default=IN_ORDER, kw_only=True)
    notices: tuple[str, ...] = field(default=(), kw_only=True)
    show: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @property
    def plan_document(self) -> Plan:
        """All that is needed to recode another table in the same way."""
        raise NotImplementedError

    @property
    def plan(self) -> dict[str, Any]:
        """All that is needed to recode another table in the same way, for `apply_plan` or to save as JSON."""
        return self.plan_document.to_dict()

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier."""
        return self.classes.cube.lattice.levels(self.classes.node)

    @property
    def records(self) -> int:
        """The number of records of the original table."""
        return self.classes.cube.records

    @cached_property
    def suppressed(self) -> int:
        """The number of suppressed records, without those that were suppressed in the input."""
        return int(self.classes.records[self.suppressed_classes].sum())

    def __repr__(self) -> str:
        levels = ", ".join(f"{name} {level}" for name, level in self.levels.items())
        return f"<{type(self).__name__}: levels {levels}; {self.suppressed} of {self.records} records suppressed>"

    @property
    def removes(self) -> bool:
        """Whether suppressed records leave the table, including those that were suppressed in the input."""
        return self.classes.cube.removes

    @cached_property
    def removed(self) -> "Integers | None":
        """The indices of the records that left the table; None if records have no order.

        With the engine 'duckdb', this reads the table once more.
        """
        if not self.removes:
            return np.arange(0)
        if self.original.engine.name == "memory":
            table: Any = self.classes.cube.view.table
            return np.flatnonzero(self.recoder.suppressed([table.columns[name].codes for name in self.recoder.columns]))
        source = self.original.source
        if self.original.engine.name == "spark" or not source.ordered:
            return None
        return find_removed_records(source, self.recoder)

    @property
    def number_removed(self) -> int:
        """The number of records that left the table."""
        return self.suppressed + self.classes.cube.aside if self.removes else 0

    def places(self, order: RecordOrder) -> "Integers | None":
        """The indices of the records in the release, in this order; None if all records are there in their order."""
        assert self.removed is not None
        if not len(self.removed):
            return order.permutation(self.records)
        left = np.delete(np.arange(self.records), self.removed)
        if not len(left):
            raise NotApplicable(
                "every one of the {records:,} records is suppressed; nothing is left", records=self.records
            )
        permutation = order.permutation(len(left))
        return left if permutation is None else left[permutation]

    @property
    def changes(self) -> "dict[str, pa.Array] | Recoder":
        """The columns that differ from the input, or the recoder that makes them if the table is not in memory."""
        return self.changed_columns if self.original.engine.name == "memory" else self.shown.recoder

    @cached_property
    def changed_columns(self) -> "dict[str, pa.Array]":
        """The columns that differ from the input, as text in input order; for the engine 'memory'.

        These are quasi-identifiers and, if it stays, the privacy unit: people are numbered by first appearance.
        """
        table: Any = self.classes.cube.view.table
        changed = self.shown.recoder.recode([table.columns[name].codes for name in self.recoder.columns])
        if self.original.privacy_unit is not None and self.keeps_unit:
            changed[self.original.privacy_unit] = _number_values(table.columns[self.original.privacy_unit])
        # A label without records could be the value of a suppressed record.
        used = {name: column.without_unused_labels() for name, column in changed.items()}
        return {name: dictionary(column.codes, column.labels) for name, column in used.items()}

    def changes_in(self, places: Integers | None) -> "dict[str, pa.Array] | Recoder":
        """The changes with records in this order; numbers of people must not reveal the original order."""
        changes, unit = self.changes, self.original.privacy_unit
        if places is None or unit is None or not self.keeps_unit or isinstance(changes, Recoder):
            return changes
        table: Any = self.classes.cube.view.table
        numbers = _number_values(table.columns[unit], places)
        return {**changes, unit: dictionary(numbers.codes, numbers.labels)}

    @cached_property
    def recoder(self) -> Recoder:
        """The mapping from the quasi-identifiers of any record to those of the release."""
        return Recoder.on_one_node(self.classes, self.suppressed_classes)

    @cached_property
    def shown(self) -> ClassMeans:
        """The mapping to the values of the release, and the columns that show means or medians."""
        return show_in_classes(self.recoder, self.problem, self.show)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns left out: direct identifiers, the privacy unit unless it is kept, weights and households.

        A sampling weight or a household is released only if it is listed among the insensitive attributes.

        An adversary who knows which records belong to one person would find them by the privacy unit.
        """
        original = self.original
        unit = original.privacy_unit
        identifiers = (name for name in original.identifiers if name in original.columns and name != unit)
        unnamed = (name for name in original.sample.columns if name not in original.roles)
        return (*identifiers, *([] if unit is None or self.keeps_unit else [unit]), *unnamed)

    def people(self, places: Integers | None) -> Column | None:
        """The person of each record, in this order, if the release does not show it; for the engine 'memory'."""
        if self.original.privacy_unit is None or self.keeps_unit:
            return None
        table: Any = self.classes.cube.view.table
        column: Column = table.columns[self.original.privacy_unit]
        codes = column.codes if places is None else column.codes[places]
        return Column(column.labels, codes).without_unused_labels()

    @property
    def unreleased_sample(self) -> tuple[str, ...]:
        """The columns of sampling weight and household, in this order, if the release lacks them."""
        return tuple(name for name in self.original.sample.columns if name in self.left_out)

    def sampled(self, places: Integers | None) -> dict[str, Column]:
        """The columns of sampling weight and household, in this order, if the release lacks them; for 'memory'."""
        table: Any = self.classes.cube.view.table
        columns = {name: table.columns[name] for name in self.unreleased_sample}
        return columns if places is None else {name: column.take(places) for name, column in columns.items()}

    @cached_property
    def table(self) -> "pa.Table":
        """The release: all columns but the identifiers, records in the given `order`, cells as they were evaluated."""
        source = self.original.source
        if isinstance(self.changes, Recoder):
            return changed_table(source, self._kept, self.changes)
        indices = self.places(self.order)
        changes: Any = self.changes_in(indices)
        table = normalise_table(whole_table(source, self._kept, changes), source, self.recoder.columns)
        return table if indices is None else take_rows(table, indices)

    @property
    def _kept(self) -> list[str]:
        """The columns of the release."""
        return [name for name in self.original.columns if name not in self.left_out]

    def to_arrow(self) -> "pa.Table":
        """The release as a PyArrow table; this loads all of it into memory."""
        return self.table

    def pieces(self) -> "Iterator[pa.Table]":
        """The release as a sequence of PyArrow tables, for one that is too large for memory."""
        if isinstance(self.changes, Recoder):
            return changed_pieces(self.original.source, self._kept, self.changes)
        return (self.table.slice(first, PIECE_ROWS) for first in range(0, self.table.num_rows, PIECE_ROWS))

    def write_parts(self, folder: Path, also: Sequence[str] = ()) -> None:
        """Write the release to an existing folder as Parquet files, from the Spark executors.

        also   further columns of the original
        """
        from PETWorks.counting.engines.spark import write_parts

        original: Any = self.original
        write_parts(
            original.engine.jobs,
            original.source,
            [*self._kept, *also],
            self.shown.recoder,
            folder,
            self.records - self.number_removed,
        )

    @cached_property
    def release(self) -> Release:
        """The release, ready to be evaluated; the table it was made from is its original."""
        before, table = self.original, self.table
        tables, population = before.view.background.given, before.view.background.population
        treatment: dict[str, Any] = {name: way for name, way in before.treatment.items() if name != "privacy_unit"}
        roles = {name: role for name, role in before.roles.items() if name in table.column_names or role == IDENTIFIER}
        release = Release(
            table,
            roles | dict.fromkeys(self.left_out, IDENTIFIER),
            {
                name: hierarchy
                for name, hierarchy in before.hierarchies.items()
                if name in table.column_names and name not in self.shown.columns
            },
            tables[0] if tables[1] is None else tables[1],
            population=None if population is None else population.given_as,
            **self._order_of_release(has_original=tables[1] is not None),
            removed=self.removed,
            privacy_unit=before.privacy_unit,
            people=self.people(self.places(self.order)) if before.engine.name == "memory" else None,
            **self._sample_of_release,
            engine=before.engine.name,
            memory_limit=before.memory_limit,
            **treatment,
        )
        if self.removed is None and self.number_removed:
            release.note_removed(self.number_removed)
        release.note_replaced_labels(self.placed_cells)
        return release

    @property
    def placed_cells(self) -> dict[str, ReplacedLabels]:
        """For each column that shows means, the labels that they replace."""
        if not self.shown.columns:
            return {}
        labels = view_after(self.problem.cube, self.recoder)
        found = {}
        for column in self.shown.columns:
            hierarchy, marginal = self.original.hierarchies[column], labels.marginal(column)
            cells: Counter[tuple[int, int]] = Counter()
            leaves = hierarchy.leaf_counts(marginal.values, column).tolist()
            for value, below, records in zip(marginal.values, leaves, marginal.counts.tolist(), strict=True):
                level = hierarchy.level(value)
                assert level is not None
                cells[level, below] += records
            listed = tuple((level, below, records) for (level, below), records in sorted(cells.items()) if records)
            kept = information_kept(self.original.marginal(column), marginal, hierarchy)
            found[column] = ReplacedLabels(hierarchy.height, len(hierarchy.leaves), listed, kept)
        return found

    @property
    def _sample_of_release(self) -> dict[str, Any]:
        """The statements about the sample, as arguments of `Release`."""
        sample = self.original.sample
        if isinstance(self.changes, Recoder) and self.unreleased_sample:
            columns = [*self._kept, *self.unreleased_sample]
            return {**sample.words, "sampled": changed_table(self.original.source, columns, self.changes)}
        if isinstance(self.changes, Recoder):
            return sample.words
        return {**sample.words, "sampled": self.sampled(self.places(self.order))}

    def _order_of_release(self, *, has_original: bool) -> dict[str, Any]:
        """The order of the records relative to the original, as arguments of `Release`."""
        before = {"order": self.original.order, "seed": self.original.seed} if has_original else {}
        if not self.order.shuffled:
            return before
        is_shuffled_twice = before.get("order") == SHUFFLED  # no single seed gives the combined order
        return {"order": SHUFFLED, "seed": None if is_shuffled_twice else self.order.seed}


def with_safe_cells(original: Release) -> Release:
    """A table whose release has an apostrophe before cells that spreadsheets would take for formulas.

    Quasi-identifiers keep their values, which must match their hierarchies.
    """
    if original.engine.name == "spark":
        raise ParameterError("spreadsheet-safe cells need the engine 'memory' or 'duckdb': executors copy cells")
    copied = copy(original)
    other_columns = [name for name in original.columns if name not in original.quasi_identifiers]
    copied.source = make_spreadsheet_safe(original.source, other_columns)
    return copied


def _number_values(column: Column, indices: Integers | None = None) -> Column:
    """A column with its values replaced by numbers, in order of first appearance if the rows are in this order."""
    codes = column.codes if indices is None else column.codes[indices]
    distinct, first = np.unique(codes, return_index=True)
    numbers = np.argsort(np.argsort(first))
    new_codes = numbers[np.minimum(np.searchsorted(distinct, column.codes), len(distinct) - 1)]
    return Column(strings([str(number + 1) for number in range(len(first))]), new_codes.astype(np.uint32))
