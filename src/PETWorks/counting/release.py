"""The class `Release`: a table with its roles, hierarchies, original and population, all checked once."""

import os
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from PETWorks.about.hierarchies.declaration import Declaration, as_hierarchies, hierarchy_name
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.kinds import GENERALISED, ONE_RECORD_EACH, check_kind
from PETWorks.about.population import Population, Sample, check_sample
from PETWorks.about.roles import Roles, check_control_columns, check_roles, check_same_columns, check_unit
from PETWorks.about.sidecar import Sidecar, read_sidecar
from PETWorks.about.treatment import APART, CAREFUL, FOLDED, check_treatment, fold_values, is_legible
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import Column, narrowest_type, suppress_cells, with_same_people
from PETWorks.counting.counts import ClassPairs, ClassSizes, Grouping, Integers, Marginal
from PETWorks.counting.engines.engine import Engine, choose, load_rows, memory_limit_in_bytes
from PETWorks.counting.engines.partitioned import PartitionedTable
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.profiles import Profile, profiles_of
from PETWorks.counting.protected_source import changes_in, check_engine, check_protected, protect_source
from PETWorks.counting.table import Table
from PETWorks.counting.view import Background, ReplacedLabels, View
from PETWorks.counting.weights import read_weights
from PETWorks.displayable import Displayable
from PETWorks.errors import (
    Counted,
    HierarchyError,
    Hint,
    InputError,
    NotApplicable,
    ParameterError,
    Phrase,
    quoted,
    unknown,
)
from PETWorks.tables.arrays import strings
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source


def restore_removed(view: View, removed: Integers | None) -> View:
    """The view with the removed records put back: they are suppressed, and in no class.

    Their other cells are those of the original, if it was given and has the same records, and missing otherwise.

    removed   the indices of the removed records in the original table; None if they are not known
    """
    table, background = view.table, view.background
    in_memory = isinstance(table, WeightedRows) and table.weights is None
    if removed is None or not (in_memory or (isinstance(table, PartitionedTable) and background.in_order)):
        raise NotApplicable(
            "suppressed records left the table, and what is lost by that is measured only where records have an order",
            Hint.ENGINE_IN_MEMORY,
        )
    treatment = {**view.treatment, "suppressed": APART}
    original: Any = background.original if background.has_original else None
    if original is not None and original.rows != table.rows + len(removed):
        original = None  # it has other records too, so the indices do not apply to it
    if isinstance(table, PartitionedTable):
        from PETWorks.counting.engines.duckdb import restore_removed_rows

        whole = restore_removed_rows(table, view.quasi_identifiers, original, removed, in_order=background.same_order)
        return replace(view, table=whole, treatment=treatment, with_removed=None)
    assert isinstance(table, WeightedRows)
    indices = np.concatenate([np.arange(table.rows), np.full(len(removed), -1)])
    if background.same_order:
        left = np.delete(np.arange(len(indices)), removed)
        indices[left], indices[removed] = np.arange(table.rows), -1
    gone = indices < 0
    columns = {}
    for name, column in table.columns.items():
        if name == table.unit:
            names = strings([f"removed {index}" for index in range(len(removed))])  # each counts as a different person
            columns[name] = _fill_in(column, indices, Column(names, np.arange(len(removed), dtype=np.uint32)))
        elif name in view.quasi_identifiers or not isinstance(original, WeightedRows) or name not in original.columns:
            missing_cells = Column(strings([None]), np.zeros(len(removed), np.uint8))
            columns[name] = _fill_in(column, indices, missing_cells)
        else:
            columns[name] = _fill_in(column, indices, original.columns[name].take(removed))
        if name in view.quasi_identifiers:
            columns[name] = suppress_cells(columns[name], gone)
    return replace(view, table=WeightedRows(columns, table.unit), treatment=treatment, with_removed=None)


def _fill_in(column: Column, indices: Integers, restored: Column) -> Column:
    """A column with its rows taken in the order of `indices`, and the cells of `restored` where that is negative."""
    codes = {value: code for code, value in enumerate(column.values)}
    new_codes = np.array([codes.setdefault(value, len(codes)) for value in restored.values], np.int64)
    merged = (
        column.codes.astype(np.int64)[np.maximum(indices, 0)] if len(column.codes) else np.zeros(len(indices), np.int64)
    )
    merged[indices < 0] = new_codes[restored.codes]
    return Column(strings(list(codes)), merged.astype(narrowest_type(len(codes))))


ORDERS = ("original", "shuffled")
Reasons = Mapping[str, str | Mapping[str, str]]  # by column; in one language, or by language


class _Description(NamedTuple):
    """The description of a table by the user; None for what was not given."""

    roles: Any
    hierarchies: Any
    privacy_unit: str | None
    sample: Sample
    treatment: Mapping[str, str | None]

    def complete(self, sidecar: Sidecar) -> "_Description":
        """The description with what was not given taken from the file beside the table."""
        given, beside = self.sample, sidecar.sample
        return _Description(
            sidecar.roles if self.roles is None else self.roles,
            sidecar.hierarchies if self.hierarchies is None else self.hierarchies,
            sidecar.privacy_unit if self.privacy_unit is None else self.privacy_unit,
            Sample(
                beside.weight if given.weight is None else given.weight,
                beside.household if given.household is None else given.household,
            ),
            {name: sidecar.treatment.get(name) if way is None else way for name, way in self.treatment.items()},
        )


class Release(Displayable):
    """A table that is to be released.

    data          a path (CSV, Parquet, Feather), a `CSV`, or a frame that supports Arrow
    roles         a role for each column that has one, as in `PETWorks.attributetypes`; or, as in a policy, a list of
                  columns for each role: `{"quasi_identifiers": ["age", "zip"], "sensitive_attributes": ["disease"]}`
    hierarchies   a folder of hierarchy files, or a dict from column to a file, its rows, or a short declaration such
                  as `{"width": [5, 10]}`
    original      the table the release was made from; some measures need it
    order         "original": the records are in the order of the original; "shuffled": in another order, so that
                  they cannot be compared one by one
    seed          of the shuffled order, if `petworks anonymize` made it; with it, people are found in other releases
    removed       the indices in the original, from 0 on, of suppressed records that were removed, if they are known
    kind          "generalised" from the original, "synthetic" (its records belong to nobody) or "perturbed" (swapped,
                  noised, randomised, sampled anew)
    control       for synthetic and perturbed releases: people like those of the original who had no part in making it
    compare_at    for these: the level of its hierarchy on which a column is compared: `{"age": 1}`
    population    the people the records were drawn from: a table that has the quasi-identifiers, their number, or
                  the share of them that is in the release (0.01)
    sampling_weight   the column with the number of people of the population that each record stands for
    household         the column that names the household of each record, whose members are found together
    protect       coarser values for columns that are not quasi-identifiers: `{"cost": {"round": 1000, "top": 250000},
                  "admitted": {"dates": "month"}, "wage": {"groups_of": 11}}`; everything is counted with the protected
                  values
    role_reasons  why columns have their role, as in a policy
    no_privacy_unit   columns that do not name the people of the table, although they repeat, each with the
                  reason: `{"phone": "that of the ward"}`

    How all measures treat cases that allow several choices:

    suppressed         "apart": records with `*` in every quasi-identifier are set aside from class-based checks;
                       "class": they are one more class
    missing            "value": a missing quasi-identifier is a value of its own; "apart": records that miss one
                       are set aside as well
    several_sensitive  "alone": each sensitive attribute is judged alone; "quasi-identifiers": the other ones count
                       among the adversary's knowledge
    sensitive_values   "exact": every text is a value, and missing is a value too; "folded": texts that differ in
                       spelling only (case, full-width forms, invisible characters, blanks) are one value, and cells
                       that are missing or `*` are not counted
    privacy_unit       a column that names the person: several records of one person count once in their class
    people             that column for each record, in memory, if the table itself does not have it
    sampled            in the same way, the columns of sampling weight and household; or, for any engine, a table of the
                       same records that has these columns too

    How it is counted, which does not change the numbers:

    engine             "memory", "duckdb" (out of core), "spark" (in a cluster); "auto": in memory if that suffices
    memory_limit       bytes, or a text like "2GB"; by default half of the machine's memory
    temp_folder        where DuckDB keeps data that does not fit; by default the system's folder for temporary files

    Functions that make a release fold sensitive values and count suppressed records as a class, unless something else
    is given.

    If roles or hierarchies are not given, whatever was not given is read from the YAML file beside the data.

    >>> release = Release("data/patient_anonymized.csv")
    >>> release
    <Release of 9 records: quasi-identifiers 'ZIPCode', 'Age'; sensitive 'Disease'>
    """

    def __init__(
        self,
        data: Any,
        roles: Roles | None = None,
        hierarchies: Any = None,
        original: Any = None,
        *,
        kind: str = GENERALISED,
        control: Any = None,
        compare_at: Mapping[str, int | str] | None = None,
        population: Any = None,
        sampling_weight: str | None = None,
        household: str | None = None,
        protect: Mapping[str, Mapping[str, Any]] | None = None,
        role_reasons: Reasons | None = None,
        no_privacy_unit: Reasons | None = None,
        order: str | None = None,
        seed: int | None = None,
        removed: Any = None,
        suppressed: str | None = None,
        missing: str | None = None,
        several_sensitive: str | None = None,
        sensitive_values: str | None = None,
        privacy_unit: str | None = None,
        people: Column | None = None,
        sampled: Mapping[str, Column] | Any = None,
        engine: str | Engine = "auto",
        memory_limit: int | str | None = None,
        temp_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        treatment = {
            "missing": missing,
            "suppressed": suppressed,
            "several_sensitive": several_sensitive,
            "sensitive_values": sensitive_values,
        }
        check_treatment(treatment)
        self._chosen = {name for name, way in treatment.items() if way is not None}
        self.order, self.seed, self.kind = _check_order(order), seed, check_kind(kind)
        self.removed = _check_removed(removed)
        self.removed_records = None if removed is None else len(self.removed)
        source = open_source(data, Phrase("the released table"))
        self.original_source = None if original is None else open_source(original, Phrase("the original table"))
        self.control_source = None if control is None else open_source(control, Phrase("the control people"))
        if self.kind == GENERALISED and (self.control_source is not None or compare_at):
            raise ParameterError(
                "a control and compare_at are for a release of the kind 'synthetic' or 'perturbed'", what="kind"
            )
        description = _Description(roles, hierarchies, privacy_unit, Sample(sampling_weight, household), treatment)
        if source.path is not None and (roles is None or hierarchies is None):
            description = description.complete(read_sidecar(source.path))
        if self.kind != GENERALISED and (description.privacy_unit is not None or people is not None):
            raise ParameterError(ONE_RECORD_EACH, what="privacy_unit")
        if protect is not None:
            data = source = protect_source(source, protect, description.privacy_unit)
        self.source, self.sample, self._given_tables = source, description.sample, (data, original)
        self.columns, self.encoding, self.separator = source.names, source.encoding, source.separator
        self.roles = check_roles(description.roles or {}, source)
        self.quasi_identifiers = self._with_role(QUASI_IDENTIFIER)
        self.sensitive_attributes = self._with_role(SENSITIVE_ATTRIBUTE)
        self.identifiers = self._with_role(IDENTIFIER)
        self._profiles: dict[str, Profile] | None = None
        self.proposed: dict[str, Mapping[str, Any]] = {}  # hierarchies that were proposed, by column
        self.on_two_levels: tuple[str, ...] = ()  # columns that got a hierarchy of their values and `*`
        sample_source = None if sampled is None or isinstance(sampled, Mapping) else open_source(sampled, source.name)
        sample_columns = {} if sampled is None or sample_source is not None else sampled
        not_in_source = tuple(sample_columns if sample_source is None else self.sample.absent_in(source))
        self._check_columns(description.privacy_unit, not_in_source, has_people=people is not None)
        self.privacy_unit = description.privacy_unit
        self.role_reasons = _check_reasons(role_reasons, "role_reasons", self.roles)
        self.no_privacy_unit = _check_reasons(no_privacy_unit, "no_privacy_unit", self.roles)
        self.treatment = {**check_treatment(description.treatment), "privacy_unit": self.privacy_unit}
        declared = as_hierarchies(description.hierarchies, self.columns)
        self.declared = {
            column: hierarchy.words for column, hierarchy in declared.items() if isinstance(hierarchy, Declaration)
        }
        self.compared_columns = [*self.quasi_identifiers, *self.sensitive_attributes] if self.roles else list(declared)
        self._population = (
            None if population is None else Population.given(population, self.quasi_identifiers, self.privacy_unit)
        )
        self.memory_limit = memory_limit_in_bytes(memory_limit)
        self.engine: Engine = self._choose_engine(engine, memory_limit, temp_folder)
        background = self._background()
        self.as_read = self._load_records(not_in_source, people, sample_columns, sample_source)
        self.weights_below_one = self._check_weights(self.as_read)
        self.hierarchies = self._build_hierarchies(declared, background)
        self.compare_at = check_levels(compare_at, self.compared_columns, self.hierarchies)
        self.view = self._view(self.fold_sensitive_values(self.as_read), background)
        self._check_population_size()

    def _check_columns(self, unit: str | None, not_in_source: Sequence[str], *, has_people: bool) -> None:
        """Raise if columns are missing, or have roles that contradict their use.

        not_in_source   columns of the sample that come from elsewhere
        has_people      whether the people come from elsewhere, so that the source need not have the unit
        """
        source = self.source
        if self.original_source is not None:
            check_same_columns(source, self.original_source, (*self.identifiers, *not_in_source))
        if self.control_source is not None:
            check_control_columns(source, self.control_source, self.identifiers)
        if not has_people:
            check_unit(unit, source, self.roles)
        check_protected(source, self.roles, unit)
        check_sample(self.sample.without(not_in_source), source, self.roles, unit)

    def _choose_engine(
        self, engine: str | Engine, memory_limit: int | str | None, temp_folder: str | os.PathLike[str] | None
    ) -> Engine:
        """The engine that was given, or the one that suits the tables."""
        if isinstance(engine, str) or not hasattr(engine, "load"):
            population = None if self._population is None else self._population.source
            sources = [self.source, self.original_source, self.control_source, population]
            engine = choose(engine, sources, max(len(self.compared_columns), 1), memory_limit, temp_folder)
        if changes_in(self.source):
            check_engine(engine.name)
        return engine

    def _load_records(
        self,
        not_in_source: Sequence[str],
        people: Column | None,
        sample_columns: Mapping[str, Column],
        sample_source: Source | None,
    ) -> Table:
        """Load the records, with people and columns of the sample that come from elsewhere."""
        unit = self.privacy_unit if people is None else None
        columns = self._columns_to_load(not_in_source)
        table = _load(self.engine, self.source, columns, unit, Phrase("the release"), self._folds)
        if people is not None:
            people_column = with_same_people(people) if self._folds else people
            table = _with_columns(table, {str(self.privacy_unit): people_column}, str(self.privacy_unit))
        if sample_columns:
            table = _with_columns(table, sample_columns, table.unit)
        if sample_source is not None:
            table = self._load_sample(table, sample_source)
        return table

    def _build_hierarchies(
        self, declared: Mapping[str, Hierarchy | Declaration], background: Background
    ) -> dict[str, Hierarchy]:
        """The hierarchies; those that were declared are built for compared columns only."""
        return {
            column: hierarchy
            if isinstance(hierarchy, Hierarchy)
            else build_declared_hierarchy(hierarchy, column, self.as_read, background)
            for column, hierarchy in declared.items()
            if isinstance(hierarchy, Hierarchy) or column in self.compared_columns
        }

    def _check_population_size(self) -> None:
        """Raise if the release has more people than the population, where this is a number or a share."""
        if self._population is not None and self._population.source is None:
            self._population.check_population_size(self.people)

    def _view(self, table: Table, background: Background) -> View:
        return View(
            table=table,
            quasi_identifiers=self.quasi_identifiers,
            sensitive_attributes=self.sensitive_attributes,
            hierarchies=self.hierarchies,
            treatment=self.treatment,
            background=background,
            compared=tuple(self.compared_columns),
            sample=self.sample,
            has_roles=bool(self.roles),
            with_removed=self._with_removed if len(self.removed) else None,
            compare_at=self.compare_at,
        )

    def _columns_to_load(self, not_in_source: Collection[str] = ()) -> list[str]:
        """The columns to load from the source; if none is needed, one anyway for the number of records."""
        columns = [*self.compared_columns, *(name for name in self.sample.columns if name not in not_in_source)]
        return columns or list(self.source.names[:1])

    def _load_sample(self, table: Table, source: Source) -> Table:
        """Load a table that also has the columns of the sample; raise unless it has the same records."""
        other = _load(self.engine, source, self._columns_to_load(), None, Phrase("the release"), self._folds)
        known = tuple(self.compared_columns)
        if other.rows != table.rows or (
            known and table.fold_pairs(Grouping(known, known), other, _count_different, add)
        ):
            raise InputError(
                "{table}: its records are not those that have the sampling weights; the table changes",
                table=self.source.name,
            )
        return other

    def _check_weights(self, table: Table) -> int:
        """Raise unless every record has a usable sampling weight; return the number of weights below 1."""
        column = self.sample.weight
        if column is None:
            return 0
        counts = table.marginal(column).counts
        numbers = read_weights(table.domains[column].labels, counts, column)
        return int(counts[numbers < 1].sum())

    def note_removed(self, records: int) -> None:
        """Note that this many suppressed records were removed, at unknown positions."""
        self.removed_records = records
        self.view = replace(self.view, with_removed=self._with_removed)

    def note_replaced_labels(self, labels: Mapping[str, ReplacedLabels]) -> None:
        """Note which labels the means of columns replace, for measures that compare labels with hierarchies."""
        self.view = replace(self.view, replaced_labels=labels)
        if self.view.with_removed is not None:
            self.view = replace(self.view, with_removed=self._with_removed)

    def _with_removed(self) -> View:
        return restore_removed(self.view, self.removed if len(self.removed) == self.removed_records else None)

    def _background(self) -> Background:
        original, control, population = self.original_source, self.control_source, self._population
        columns, folds = self.compared_columns, self._folds
        load_original, load_control, load_population, load_whole = None, None, None, None
        if original is not None:
            read = partial(_load, self.engine, original, columns, self.privacy_unit, "the original", folds)
            load_original = lambda: self.fold_sensitive_values(read())  # noqa: E731
        if control is not None:
            read_control = partial(_load, self.engine, control, columns, None, "the control people", folds)
            load_control = lambda: self.fold_sensitive_values(read_control())  # noqa: E731
        if population is not None and population.source is not None:
            load_population = partial(
                _load, self.engine, population.source, population.columns, population.unit, "the population"
            )
        if original is not None and control is not None:
            load_whole = partial(self._load_whole, original, control)
        return Background(
            load_original=load_original,
            population=population,
            load_population=load_population,
            in_order=self.engine.keeps_order and self.source.ordered and (original is None or original.ordered),
            same_order=self.order == ORDERS[0],
            given=self._given_tables,
            kind=self.kind,
            load_control=load_control,
            load_whole=load_whole,
        )

    def _load_whole(self, *sources: Source) -> tuple[Table, ...]:
        """All columns that tables have in common."""
        first, *others = sources
        names = [name for name in first.names if all(name in other.names for other in others)]
        return tuple(self.engine.load(source, names) for source in sources)

    def with_careful_treatment(self) -> "Release":
        """A copy with the treatment that a decision to release it needs, except where the user chose another.

        Sensitive values and names of people that differ only in spelling are the same, and suppressed records are a
        class.
        """
        copied = copy(self)
        copied.hierarchies, copied.declared = dict(self.hierarchies), dict(self.declared)
        copied.proposed = dict(self.proposed)
        changed = {name: way for name, way in CAREFUL.items() if name not in self._chosen}
        if all(self.treatment[name] == way for name, way in changed.items()):
            copied.view = replace(self.view, with_removed=self.view.with_removed and copied._with_removed)
            return copied
        copied.treatment = {**self.treatment, **changed}
        if copied._folds and not self._folds and self.as_read.unit is not None:
            copied.as_read = (
                self.as_read.with_same_people()
                if isinstance(self.as_read, WeightedRows)
                else copied.load(self._columns_to_load(), self.privacy_unit)
            )
        copied._profiles = None
        copied.view = copied._view(copied.fold_sensitive_values(copied.as_read), copied._background())
        copied._check_population_size()
        return copied

    @property
    def _folds(self) -> bool:
        """Whether people and sensitive values that differ only in spelling are the same."""
        return self.treatment["sensitive_values"] == FOLDED

    def fold_sensitive_values(self, table: Table) -> Table:
        """Merge sensitive values of a table that differ only in spelling, if the treatment folds them."""
        if not self._folds:
            return table
        changes = {name: fold_values(table.domains[name].values) for name in self.sensitive_attributes}
        changed = {name: mapping for name, mapping in changes.items() if mapping is not None}
        return table.generalise(changed) if changed else table

    def __repr__(self) -> str:
        parts = [f"quasi-identifiers {quoted(self.quasi_identifiers)}" if self.quasi_identifiers else ""]
        parts += [f"sensitive {quoted(self.sensitive_attributes)}" if self.sensitive_attributes else ""]
        return f"<Release of {self.records} records: {'; '.join(filter(None, parts)) or 'no roles'}>"

    @property
    def records(self) -> int:
        """The number of records, including suppressed ones."""
        return self.view.records

    @property
    def people(self) -> int:
        """The number of people: of different privacy units, or of records if there is no privacy unit."""
        return self.view.people

    @property
    def suppressed_records(self) -> int:
        """The number of records with `*` in every quasi-identifier."""
        return self.view.suppressed_records

    @property
    def keeps_order(self) -> bool:
        """Whether records, and those of the original, come in a fixed order."""
        return self.view.background.in_order

    @property
    def has_original(self) -> bool:
        """Whether the original table was given."""
        return self.view.background.has_original

    @property
    def original(self) -> Table:
        """The columns of the original table that can be compared."""
        return self.view.background.original

    @property
    def table(self) -> Table:
        """The rows, counted by the engine, with sensitive values folded if the treatment folds them."""
        return self.view.table

    @property
    def population_size(self) -> int | None:
        """The number of people in the population, if it was given."""
        return self.view.population_size

    def profiles(self) -> dict[str, Profile]:
        """A profile of every column; columns that were not loaded are read for it, once."""
        if self._profiles is None:
            self._profiles = self._read_profiles()
        return self._profiles

    def _read_profiles(self) -> dict[str, Profile]:
        table: Any = self.as_read
        loaded = [name for name in (*self.compared_columns, *self.sample.columns) if name in self.columns]
        not_loaded = [name for name in self.columns if name not in loaded]
        people = self.people_of_records
        if people is not None:
            columns = {} if not not_loaded else load_rows(self.source, not_loaded, None, 2 * self.memory_limit).columns
            profiles = profiles_of(columns, not_loaded, people)
            profiles |= profiles_of(table.columns, loaded, people)
        elif self.counts_people:
            profiles = self.engine.profiles(self.source, self.columns, self.privacy_unit, folded=self._folds)
        else:
            read = self.engine.profiles(self.source, not_loaded) if not_loaded else {}
            profiles = read | profiles_of(table.columns, loaded)
        return {name: profiles[name] for name in self.columns}

    def load(self, columns: Sequence[str], unit: str | None = None) -> Table:
        """Further columns of its source, and the one that names people."""
        return self.engine.load(self.source, columns, unit, folded=self._folds)

    @property
    def counts_people(self) -> bool:
        """Whether some people have several records, and the table says whose each is."""
        return self.view.table.unit is not None and self.people < self.records

    @property
    def people_of_records(self) -> Column | None:
        """The person of each record; None if no column names it or the records are not in memory."""
        table = self.view.table
        return table.columns[str(table.unit)] if isinstance(table, WeightedRows) and table.unit is not None else None

    def marginal(self, column: str) -> Marginal:
        """The values of a column and the number of records with each, including suppressed records."""
        return self.view.marginal(column)

    def class_sizes(self, *, attacker: bool = False) -> ClassSizes:
        """The histogram of class sizes; for an attacker, no record is set aside."""
        return self.view.class_sizes(attacker=attacker)

    def _with_role(self, role: str) -> tuple[str, ...]:
        return tuple(column for column, own_role in self.roles.items() if own_role == role)


def copy_release(release: Release) -> Release:
    """A copy of the release with its own view; nothing is read again."""
    copied = copy(release)
    if release.view.with_removed is not None:
        copied.view = replace(release.view, with_removed=copied._with_removed)
    return copied


def _check_order(order: Any) -> str:
    if order is None:
        return ORDERS[0]
    if order not in ORDERS:
        raise ParameterError(
            "expected the order {orders}, got {order!r}", orders=quoted(ORDERS), order=str(order)[:40], what="order"
        )
    return str(order)


def check_levels(compare_at: Any, columns: Sequence[str], hierarchies: Mapping[str, Hierarchy]) -> dict[str, int]:
    """Check and return the levels of their hierarchies on which columns are compared."""
    if compare_at is not None and not isinstance(compare_at, Mapping):
        raise ParameterError(
            "expected compare_at as a dict from column to level, got {type}",
            type=type(compare_at).__name__,
            what="compare_at",
        )
    levels: dict[str, int] = {}
    for column, level in (compare_at or {}).items():
        name = str(column).strip()
        if name not in columns:
            raise unknown("quasi-identifier or sensitive attribute", name, columns, what="compare_at")
        if name not in hierarchies:
            raise HierarchyError(
                "column {column!r} is to be compared on a level, but has no hierarchy",
                Hint.HIERARCHIES,
                column=name,
                what="compare_at",
            )
        height = hierarchies[name].height
        number = int(level) if isinstance(level, str) and level.strip().isdecimal() else level
        if type(number) is not int or not 0 <= number <= height:
            raise ParameterError(
                "column {column!r}: expected a level from 0 to {height}, got {level!r}",
                column=name,
                height=height,
                level=str(level)[:40],
                what="compare_at",
            )
        levels[name] = number
    return levels


def _check_reasons(given: Reasons | None, what: str, roles: Mapping[str, str]) -> dict[str, Any]:
    """Check that each column has a reason that can be read, and a role."""
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(
            "expected {thing} as a dict from column, got {type}", thing=what, type=type(given).__name__, what=what
        )
    reasons = {str(column).strip(): reason for column, reason in (given or {}).items()}
    for column, reason in reasons.items():
        if column not in roles:
            raise ParameterError("{thing}: column {column!r} has no role", thing=what, column=column, what=what)
        texts = list(reason.values()) if isinstance(reason, Mapping) else [reason]
        if not texts or not all(isinstance(text, str) and is_legible(text) for text in texts):
            raise ParameterError(
                "{thing}: expected a reason with a letter or digit that can be seen for {column!r}",
                thing=what,
                column=column,
                what=what,
            )
    return reasons


def _check_removed(removed: Any) -> Integers:
    """Check that these are ascending indices of removed records, and return them as an array."""
    indices = np.arange(0) if removed is None else np.asarray(removed)
    whole = indices.ndim == 1 and (not len(indices) or np.issubdtype(indices.dtype, np.integer))
    if not whole or (indices < 0).any() or (np.diff(indices) <= 0).any():
        raise ParameterError("expected removed as ascending places of records, from 0 on", what="removed")
    return indices.astype(np.int64)


def _load(
    engine: Engine, source: Source, columns: Sequence[str], unit: str | None, what: str, folded: bool = False
) -> Table:
    """Load the named columns of a source; raise if the unit is missing in some record."""
    table = engine.load(source, columns, unit, folded=folded)
    if table.unit is not None and table.unit_is_missing():
        raise _without_unit(table, what)
    return table


def _without_unit(table: Table, what: str) -> InputError:
    """The error for records of nobody; it names the first one if the records are in memory."""
    unit = str(table.unit)
    if not isinstance(table, WeightedRows):
        return InputError(
            "some records of {table} have no {unit!r}, so it is not known whose they are; fill it in, delete these "
            "records, or choose another privacy unit",
            unit=unit,
            table=what,
            what="privacy_unit",
        )
    column = table.columns[unit]
    places = np.flatnonzero(column.codes == column.code(None))
    return InputError(
        "{records} of {table} without {unit!r} (the first is record {first:,}), so it is not known whose they are; "
        "fill it in, delete these records, or choose another privacy unit",
        records=Counted("one record", "{n} records", n=len(places)),
        first=int(places[0]) + 1,
        unit=unit,
        table=what,
        what="privacy_unit",
    )


def _count_different(pairs: ClassPairs) -> int:
    return int(np.count_nonzero(pairs.released != pairs.background))


def _with_columns(table: Table, columns: Mapping[str, Column], unit: str | None) -> Table:
    """A table in memory with added columns, one of which may name the person of each record."""
    if not isinstance(table, WeightedRows) or any(table.rows != len(column.codes) for column in columns.values()):
        raise ParameterError(
            "people are given for records in memory, one for each of the {records:,} records",
            records=table.rows,
            what="people",
        )
    return WeightedRows({**table.columns, **columns}, unit, table.weights)


def build_declared_hierarchy(declaration: Declaration, column: str, table: Table, background: Background) -> Hierarchy:
    """Build a declared hierarchy from the values of the original if it was given, otherwise of the table itself.

    A table that is not generalised has values of its own, and so do control people.
    """
    before = background.original if background.has_original else table
    released = table.marginal(column).values if background.has_original else []
    people = background.population
    known = people is not None and people.source is not None and column in people.columns
    population = background.population_table.marginal(column).values if known else []
    counts = before.marginal(column).by_value
    if background.kind != GENERALISED:
        released = []
        for other in (table, background.control):
            if other is not None and other is not before:
                further = other.marginal(column)
                for value, count in zip(further.values, further.counts.tolist(), strict=True):
                    counts[value] = counts.get(value, 0) + count
    try:
        return declaration.build(counts, released, population, hierarchy_name(column))
    except HierarchyError as error:
        error.what = f"hierarchies.{column}"
        raise
