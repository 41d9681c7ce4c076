"""A release: a table with its roles, its hierarchies, perhaps its original and its population, checked once."""

import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from PETWorks.about.hierarchy import Hierarchy, as_hierarchies
from PETWorks.about.levels import recoding, released_level
from PETWorks.about.population import Population
from PETWorks.about.roles import check_same_columns, checked_roles, checked_unit
from PETWorks.about.sidecar import read_sidecar
from PETWorks.about.treatment import ALONE, APART, AS_QUASI_IDENTIFIERS, AS_VALUE, TREATMENTS
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.counts import ClassCodes, ClassPairs, ClassSizes, ClassValues, Grouping, Marginal
from PETWorks.counting.engine import Engine, allowed, choose
from PETWorks.counting.table import Table
from PETWorks.errors import Hint, InputError, NotApplicable, ParameterError, RoleError, quoted
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.opening import open_source

Summary = TypeVar("Summary")

NO_QUASI_IDENTIFIER = (
    f"no column has the role {QUASI_IDENTIFIER!r}; "
    "name the columns that an adversary may know, here or in a YAML file beside the table",
    Hint.QUASI_IDENTIFIERS,
)


class Release:
    """A table that is to be handed out.

    data          a path (CSV, Parquet, Feather), a `CSV`, or a frame that speaks Arrow
    roles         a role for each column that has one, as in `PETWorks.attributetypes`
    hierarchies   a folder of hierarchy files, or a dict from column to its rows
    original      the table the release was made from, where a measure needs it
    population    the people the records were drawn from: a table that has the quasi-identifiers, their number, or
                  the share of them that is in the release (0.01)

    How all measures treat what can be treated in several ways:

    suppressed         "apart": records with `*` in every quasi-identifier stand aside from class-based checks;
                       "class": they are one more class
    missing            "value": a missing quasi-identifier is a value of its own; "apart": records that miss one
                       stand aside as well
    several_sensitive  "alone": each sensitive attribute is judged alone; "quasi-identifiers": the others count among
                       what the adversary knows
    privacy_unit       a column that names the person: several records of one person count once in their class

    How it is counted, without a difference in the numbers:

    engine             "memory", "duckdb" (out of core), "spark" (in a cluster); "auto": in memory while that is enough
    memory_limit       bytes, or a text like "2GB"; half of the machine's memory otherwise
    temp_folder        where DuckDB keeps what does not fit; the system's folder for such files otherwise

    Without roles or hierarchies, those of the YAML file beside the data are taken.

    >>> release = Release("data/patient_anonymized.csv")
    >>> release
    <Release of 9 records: quasi-identifiers 'ZIPCode', 'Age'; sensitive 'Disease'>
    """

    def __init__(
        self,
        data: Any,
        roles: Mapping[str, str] | None = None,
        hierarchies: Any = None,
        original: Any = None,
        *,
        population: Any = None,
        suppressed: str = APART,
        missing: str = AS_VALUE,
        several_sensitive: str = ALONE,
        privacy_unit: str | None = None,
        engine: str = "auto",
        memory_limit: int | str | None = None,
        temp_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.treatment: dict[str, str | None] = {
            "missing": missing,
            "suppressed": suppressed,
            "several_sensitive": several_sensitive,
            "privacy_unit": privacy_unit,
        }
        for name, options in TREATMENTS.items():
            if self.treatment[name] not in options:
                raise ParameterError(
                    f"{name} is {options[0]!r} or {options[1]!r}, got {self.treatment[name]!r}", what=name
                )
        self.given, self.given_original = data, original
        source = open_source(data, "the released table")
        if source.path is not None and (roles is None or hierarchies is None):
            beside_roles, beside_hierarchies = read_sidecar(source.path)
            roles = beside_roles if roles is None else roles
            hierarchies = beside_hierarchies if hierarchies is None else hierarchies
        self._source = source
        self.columns = source.names
        self.encoding, self.separator = source.encoding, source.separator
        self._original = None if original is None else open_source(original, "the original table")
        self.roles = checked_roles(roles or {}, source, self._original)
        self.quasi_identifiers = self._with_role(QUASI_IDENTIFIER)
        self.sensitive_attributes = self._with_role(SENSITIVE_ATTRIBUTE)
        self.identifiers = self._with_role(IDENTIFIER)
        if self._original is not None:
            check_same_columns(source, self._original, self.identifiers)
        self.privacy_unit = checked_unit(privacy_unit, source, self.roles)
        self.hierarchies: dict[str, Hierarchy] = as_hierarchies(hierarchies, self.columns)
        self.compared_columns = (
            [*self.quasi_identifiers, *self.sensitive_attributes] if self.roles else list(self.hierarchies)
        )
        people = None if population is None else Population.given(population, self.quasi_identifiers, self.privacy_unit)
        sources = [source, self._original, None if people is None else people.source]
        # With nothing to look at, one column still says how many records there are.
        columns = self.compared_columns or source.names[:1]
        self.memory_limit = allowed(memory_limit)
        self.engine: Engine = choose(engine, sources, len(columns), memory_limit, temp_folder)
        self.population = people
        self.table: Table = self.engine.load(source, columns, self.privacy_unit)
        check_unit_is_told(self.table, "the release")
        if self.population is not None and self.population.source is None:
            self.population.checked_size(self.people)
        self._people: dict[tuple[str, ...], Table] = {}
        self._remembered: dict[Hashable, Any] = {}

    def __repr__(self) -> str:
        parts = [f"quasi-identifiers {quoted(self.quasi_identifiers)}" if self.quasi_identifiers else ""]
        parts += [f"sensitive {quoted(self.sensitive_attributes)}" if self.sensitive_attributes else ""]
        return f"<Release of {self.records} records: {'; '.join(filter(None, parts)) or 'no roles'}>"

    @property
    def records(self) -> int:
        """Number of records, the suppressed ones among them."""
        return self.table.rows

    @property
    def people(self) -> int:
        """Number of people, one for each record unless the privacy unit says who they are."""
        return self.records if self.privacy_unit is None else self.table.people()

    @cached_property
    def suppressed_records(self) -> int:
        """Number of records with `*` in every quasi-identifier."""
        return self.table.rows_aside(Grouping(self.quasi_identifiers, self.quasi_identifiers, suppressed_apart=True))

    @cached_property
    def incomplete_records(self) -> int:
        """Number of records that miss a quasi-identifier."""
        return self.table.rows_aside(Grouping(self.quasi_identifiers, self.quasi_identifiers, incomplete_apart=True))

    @property
    def keeps_order(self) -> bool:
        """Whether records, and those of the original, can be told by their place."""
        return self.engine.keeps_order and self._source.ordered and (self._original is None or self._original.ordered)

    @property
    def has_original(self) -> bool:
        """Whether the original table was given."""
        return self._original is not None

    @cached_property
    def original(self) -> Table:
        """What can be compared of the original table."""
        if self._original is None:
            raise InputError("the original table is needed but was not given", Hint.ORIGINAL, what="original")
        table = self.engine.load(self._original, self.compared_columns, self.privacy_unit)
        check_unit_is_told(table, "the original")
        return table

    @property
    def has_population_table(self) -> bool:
        """Whether the population was given as a table."""
        return self.population is not None and self.population.source is not None

    @cached_property
    def population_table(self) -> Table:
        """The quasi-identifiers of the population."""
        assert self.population is not None
        assert self.population.source is not None
        table = self.engine.load(self.population.source, self.population.columns, self.population.unit)
        check_unit_is_told(table, "the population")
        return table

    @property
    def population_size(self) -> int | None:
        """Number of people in the population, as far as it was given."""
        if self.population is None or self.population.source is None:
            return None if self.population is None else self.population.checked_size(self.people)
        table = self.population_table
        return self.population.checked_size(self.people, table.rows if table.unit is None else table.people())

    @property
    def generalised_columns(self) -> tuple[str, ...]:
        """The columns that may have been generalised: the quasi-identifiers, or without roles all with a hierarchy."""
        if self.roles:
            self._need_quasi_identifiers()
        return self.quasi_identifiers or tuple(self.hierarchies)

    def generalised_hierarchies(self, measure: str) -> dict[str, Hierarchy]:
        """Their hierarchies; where one has none the measure does not apply."""
        without = [column for column in self.generalised_columns if column not in self.hierarchies]
        if without:
            raise NotApplicable(
                f"needs a hierarchy for every quasi-identifier; there is none for {quoted(without)}",
                what="hierarchies",
                measure=measure,
            )
        return {column: self.hierarchies[column] for column in self.generalised_columns}

    def remembered(self, key: Hashable, make: Callable[[], Summary]) -> Summary:
        """What several measures share, made once."""
        if key not in self._remembered:
            self._remembered[key] = make()
        found: Summary = self._remembered[key]
        return found

    def marginal(self, column: str) -> Marginal:
        """Values of a column and in how many records each is, suppressed records included."""
        return self.table.marginal(column)

    def overall(self, sensitive: str, *, attacker: bool = False) -> Marginal:
        """Values of a sensitive attribute in the whole table, in the same order and unit as in its classes."""
        columns = self._grouping(sensitive, attacker=attacker).columns
        return replace(self.counted(*columns, sensitive).marginal(sensitive), people=self.counted(*columns).rows)

    def counted(self, *columns: str) -> Table:
        """The records that count: all, or of each person one for each combination of these columns."""
        if self.privacy_unit is None:
            return self.table
        if columns not in self._people:
            self._people[columns] = self.table.per_person(columns)
        return self._people[columns]

    def class_sizes(self, *, attacker: bool = False) -> ClassSizes:
        """How many equivalence classes have how many records; to an attacker, none stands aside."""
        grouping = self._grouping(attacker=attacker)
        if self.sensitive_attributes and not self.privacy_unit:
            # Counted with the first sensitive attribute, so that its counts are there for the next measure.
            self.table.count_values(grouping.columns, self.sensitive_attributes[0])
        return self.counted(*grouping.columns).class_sizes(grouping)

    @cached_property
    def original_class_sizes(self) -> ClassSizes:
        """The same of the original table."""
        return self.original_people.class_sizes(self._grouping())

    @cached_property
    def original_people(self) -> Table:
        """The records of the original that count."""
        if self.privacy_unit is None:
            return self.original
        return self.original.per_person(self.quasi_identifiers)

    @property
    def counted_records(self) -> int:
        """Number of records that count, those that stand aside included."""
        return self.counted(*self.quasi_identifiers).rows

    def class_summary(self, *, attacker: bool = False) -> dict[str, Any]:
        """What class-based checks looked at, for the details of a result."""
        return {
            **self.class_sizes(attacker=attacker).summary(),
            "suppressed_records": self.suppressed_records,
            "incomplete_records": self.incomplete_records,
        }

    def fold(
        self,
        sensitive: str,
        kernel: Callable[[ClassValues], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        attacker: bool = False,
    ) -> Summary:
        """Run a kernel over batches of complete equivalence classes and merge what it returns.

        Where the privacy unit says who is who, a person counts once for each value in a class.
        """
        grouping = self._grouping(sensitive, attacker=attacker)
        counted = self.counted(*grouping.columns) if self.privacy_unit else None
        return self.counted(*grouping.columns, sensitive).fold(grouping, sensitive, kernel, merge, counted)

    def fold_codes(
        self,
        kernel: Callable[[ClassCodes], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        every_record: bool = False,
    ) -> Summary:
        """Run a kernel over batches of classes with their values, as positions in the marginals."""
        grouping = self._grouping(attacker=every_record)
        table = self.table if every_record else self.counted(*grouping.columns)
        return table.fold_codes(grouping, kernel, merge)

    def fold_with(
        self,
        background: Table,
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over the classes of the release and of a background table."""
        grouping = self._grouping()
        return self.counted(*grouping.columns).fold_pairs(grouping, background, kernel, merge)

    @cached_property
    def levels(self) -> dict[str, int | str]:
        """The level on which each quasi-identifier was released."""
        return {
            column: released_level(column, self.released_values(column), self.hierarchies.get(column))
            for column in self.quasi_identifiers
        }

    def released_values(self, column: str) -> set[str]:
        """The values of a column that say something about its level: not missing, not of suppressed records only."""
        marginal = self.marginal(column)
        counts = dict(zip(marginal.values, marginal.counts.tolist(), strict=True))
        if self.treatment["suppressed"] == APART and counts.get(SUPPRESSED) == self.suppressed_records:
            counts.pop(SUPPRESSED, None)
        return {value for value in counts if value is not None}

    def as_released(self, table: Table, whose: str) -> Table:
        """The quasi-identifiers of another table on the levels on which the release has them; people count once."""
        lifted = table.generalised(
            {
                column: recoding(
                    column,
                    table.marginal(column).values,
                    self.hierarchies.get(column),
                    level,
                    self.released_values(column) | ({None} & set(self.marginal(column).values)),
                    whose,
                )
                for column, level in self.levels.items()
            }
        )
        return lifted if lifted.unit is None else lifted.per_person(self.quasi_identifiers)

    def _grouping(self, sensitive: str | None = None, *, attacker: bool = False) -> Grouping:
        """The classes: of all records by the quasi-identifiers to an attacker, otherwise as the treatment says."""
        known = self.quasi_identifiers
        if attacker:
            return Grouping(known, known)
        others: tuple[str, ...] = ()
        if sensitive is not None and self.treatment["several_sensitive"] == AS_QUASI_IDENTIFIERS:
            others = tuple(column for column in self.sensitive_attributes if column != sensitive)
        return Grouping(
            (*known, *others), known, self.treatment["suppressed"] == APART, self.treatment["missing"] == APART
        )

    def _need_quasi_identifiers(self) -> None:
        if not self.quasi_identifiers:
            raise RoleError(*NO_QUASI_IDENTIFIER)

    def _with_role(self, role: str) -> tuple[str, ...]:
        return tuple(column for column, given in self.roles.items() if given == role)


def check_unit_is_told(table: Table, where: str) -> None:
    """Every record says whose it is."""
    if table.unit is not None and table.unit_is_missing():
        raise InputError(
            f"the privacy unit {table.unit!r} is missing in some records of {where}; every record needs one",
            what="privacy_unit",
        )
