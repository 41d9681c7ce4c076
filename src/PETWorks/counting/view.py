"""The view of a release that measures compute on: immutable, independent of files, with counts as answers."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from PETWorks.about.hierarchies.hierarchy import Hierarchy, recoding, released_level
from PETWorks.about.kinds import GENERALISED
from PETWorks.about.population import Population, Sample
from PETWorks.about.treatment import APART, AS_QUASI_IDENTIFIERS, FOLDED
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.counting import questions
from PETWorks.counting.counts import ClassCodes, ClassPairs, ClassSizes, ClassValues, Grouping, Marginal
from PETWorks.counting.memory.distinct_rows import RolledUpRows
from PETWorks.counting.questions import Merge, Question
from PETWorks.counting.table import Table
from PETWorks.counting.weights import Weights, read_weights
from PETWorks.errors import Hint, InputError, NeedNotMet, Phrase, RoleError, quoted
from PETWorks.tables.cells import SUPPRESSED

Summary = TypeVar("Summary")


class Answers:
    """A cache of the answers to questions of a view."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}
        self._answers: dict[Hashable, dict[Hashable, Any]] = {}  # by question, then by limit

    def cached(self, key: Hashable, make: Callable[[], Summary]) -> Summary:
        """The value for a key, made when it is first needed."""
        if key not in self._made:
            self._made[key] = make()
        made: Summary = self._made[key]
        return made

    def answer(self, question: Question[Summary]) -> Summary:
        """The answer to a question; for a question without a limit, an answer with any limit will do."""
        if not self.has(question):
            self._keep(question, question.table.ask([question])[0])
        by_limit = self._answers[question.key]
        answer: Summary = by_limit[question.limit] if question.limit in by_limit else next(iter(by_limit.values()))
        return answer

    def prepare(self, wanted: Iterable[Question[Any]]) -> None:
        """Answer the questions that are not in the cache, those about the same table together."""
        by_table: dict[int, dict[tuple[Hashable, Hashable], Question[Any]]] = {}
        for question in sorted(wanted, key=lambda question: question.limit is None):
            asked = by_table.setdefault(id(question.table), {})
            covered = question.limit is None and any(key == question.key for key, _ in asked)
            if not covered and not self.has(question):
                asked[question.key, question.limit] = question
        for asked in by_table.values():
            if asked:
                answers = next(iter(asked.values())).table.ask(list(asked.values()))
                for question, answer in zip(asked.values(), answers, strict=True):
                    self._keep(question, answer)

    def has(self, question: Question[Any]) -> bool:
        """Whether a question has been answered."""
        by_limit = self._answers.get(question.key, {})
        return question.limit in by_limit or (question.limit is None and bool(by_limit))

    def _keep(self, question: Question[Any], answer: Any) -> None:
        self._answers.setdefault(question.key, {})[question.limit] = answer


@dataclass(frozen=True, eq=False)
class Background:
    """The tables that a release is compared with.

    load_original     loads the original table, if it was given
    population        the people the records were drawn from, if they were described
    load_population   loads the table of the population, if it was given
    in_order          whether records, and those of the original, come in a fixed order
    same_order        whether each record was made from the one at the same place in the original
    given             the release and the original as the user passed them
    kind              of the release: generalised, synthetic or perturbed
    load_control      loads the control people, if they were given
    load_whole        loads all columns of the original and of the control people
    """

    load_original: Callable[[], Table] | None = None
    population: Population | None = None
    load_population: Callable[[], Table] | None = None
    in_order: bool = True
    same_order: bool = True
    given: tuple[Any, Any] = (None, None)
    kind: str = GENERALISED
    load_control: Callable[[], Table] | None = None
    load_whole: Callable[[], tuple[Table, ...]] | None = None

    @property
    def has_original(self) -> bool:
        """Whether the original table was given."""
        return self.load_original is not None

    @cached_property
    def original(self) -> Table:
        """The columns of the original table that can be compared."""
        if self.load_original is None:
            raise InputError("the original table is needed but was not given", Hint.ORIGINAL, what="original")
        return self.load_original()

    @cached_property
    def control(self) -> Table | None:
        """People like those of the original who had no part in making the release, if they were given."""
        return None if self.load_control is None else self.load_control()

    @property
    def has_population_table(self) -> bool:
        """Whether the population was given as a table."""
        return self.load_population is not None

    @cached_property
    def population_table(self) -> Table:
        """The quasi-identifiers of the population."""
        assert self.load_population is not None
        return self.load_population()

    def population_size(self, people: int) -> int | None:
        """The number of people in the population, if it was given; raise if the release has more."""
        if self.population is None:
            return None
        if not self.has_population_table:
            return self.population.check_population_size(people)
        table = self.population_table
        return self.population.check_population_size(people, table.rows if table.unit is None else table.people())


MISFITS = {
    "original": Phrase("original values are not leaves of"),
    "population": Phrase("population values are not leaves of"),
}
NO_QUASI_IDENTIFIER = (
    Phrase(
        "no column has the role {role!r}; name the columns that an adversary may know, here or in a YAML file beside "
        "the table",
        role=QUASI_IDENTIFIER,
    ),
    Hint.QUASI_IDENTIFIERS,
)


@dataclass(frozen=True)
class ReplacedLabels:
    """The labels that the means of a column replace, which the release does not show.

    height            the highest level of its hierarchy
    leaves            the number of its leaves
    cells             a level, the leaves below a label on it, and the number of cells; of one label or several alike
    information_kept  the share of the information of the column that the labels tell; None if that is not known
    """

    height: int
    leaves: int
    cells: tuple[tuple[int, int, int], ...]
    information_kept: float | None = None

    def levels_lost(self, records: int) -> int:
        """The levels of all cells, added up; records that are not among the cells are suppressed."""
        return sum(level * cells for level, _, cells in self.cells) + self.height * self._others(records)

    def leaves_below(self, records: int) -> int:
        """The leaves that all cells may stand for, added up."""
        return sum(below * cells for _, below, cells in self.cells) + self.leaves * self._others(records)

    def _others(self, records: int) -> int:
        return records - sum(cells for _, _, cells in self.cells)


@dataclass(frozen=True, eq=False)
class View:
    """The rows of a release as codes with weights, and the roles and hierarchies of their columns.

    table        the rows, counted by an engine
    hierarchies  by column
    treatment    how to count records that can be counted in several ways: see `Release`
    background   the tables that the release is compared with
    compared     the columns that can be compared with those of the original
    sample       how the records were drawn, if they are a sample
    set_levels   the level of each quasi-identifier, if the view was made with `at`
    compare_at   the level of their hierarchy on which columns are compared with other tables; 0 for all others
    with_removed makes the view that includes the suppressed records that were removed, with `*` in every
                 quasi-identifier, if there are any; the loss of information is measured there
    replaced_labels  by column, the labels that its means replace; such columns have no hierarchy
    """

    table: Table
    quasi_identifiers: tuple[str, ...]
    sensitive_attributes: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    treatment: Mapping[str, str | None]
    background: Background
    compared: tuple[str, ...]
    sample: Sample = field(default=Sample(), kw_only=True)
    has_roles: bool = True
    set_levels: Mapping[str, int] | None = None
    with_removed: Callable[[], "View"] | None = field(default=None, repr=False)
    compare_at: Mapping[str, int] = field(default_factory=dict)
    replaced_labels: Mapping[str, ReplacedLabels] = field(default_factory=dict)
    _rolled_up: RolledUpRows | None = field(default=None, repr=False)
    _people: dict[tuple[tuple[str, ...], str | None], Table] = field(default_factory=dict, init=False, repr=False)
    _answers: Answers = field(default_factory=Answers, init=False, repr=False)

    @property
    def records(self) -> int:
        """The number of records, including suppressed ones."""
        return self.table.rows

    @property
    def kind(self) -> str:
        """Generalised from the original, synthetic, or perturbed."""
        return self.background.kind

    @property
    def privacy_unit(self) -> str | None:
        """The column that names the person, if a person may have several records."""
        return self.treatment["privacy_unit"]

    @property
    def people(self) -> int:
        """The number of people: of different privacy units, or of records if there is no privacy unit."""
        return self.records if self.privacy_unit is None else self.cached("people", self.table.people)

    @property
    def population_size(self) -> int | None:
        """The number of people in the population, if it was given."""
        return self.background.population_size(self.people)

    def cached(self, key: Hashable, make: Callable[[], Summary]) -> Summary:
        """A value that several measures share, made when it is first needed."""
        return self._answers.cached(key, make)

    def answer(self, question: Question[Summary]) -> Summary:
        """The answer to a question, which is computed once."""
        return self._answers.answer(question)

    def prepare(self, wanted: Iterable[Question[Any]]) -> None:
        """Answer many questions in as few passes as possible."""
        self._answers.prepare(wanted)

    @cached_property
    def whole(self) -> "View":
        """The view that includes the removed records, if there are any."""
        return self if self.with_removed is None else self.with_removed()

    # Counts for measures.

    def marginal(self, column: str) -> Marginal:
        """The values of a column and the number of records with each, including suppressed records."""
        return self.table.marginal(column)

    def overall(self, sensitive: str, *, attacker: bool = False) -> Marginal:
        """The values of a sensitive attribute in the whole table, in the same order and unit as in its classes."""
        columns = self.grouping(sensitive, attacker=attacker).columns

        def count() -> Marginal:
            required = self.required_column(sensitive)
            marginal = self.counted(*columns, sensitive, required=required).marginal(sensitive)
            if required is not None:
                marginal = marginal.without_missing()
            people = None if self.privacy_unit is None else self.counted(*columns, required=required).rows
            return replace(marginal, people=marginal.records if people is None else people)

        return self.cached(("overall", columns, sensitive), count)

    @property
    def folds_values(self) -> bool:
        """Whether sensitive values that differ in spelling only are one value, and missing values do not count."""
        return self.treatment["sensitive_values"] == FOLDED

    def required_column(self, sensitive: str) -> str | None:
        """The sensitive attribute if it is missing in some records and these do not count, otherwise None."""
        return sensitive if self.folds_values and self.table.domains[sensitive].code(None) is not None else None

    def counted(self, *columns: str, required: str | None = None) -> Table:
        """The records that count: all, or one for each person and combination of values of these columns.

        required   when people are counted, a column; records where it is missing do not count
        """
        if self.privacy_unit is None:
            return self.table
        if (columns, required) not in self._people:
            self._people[columns, required] = self.table.per_person(columns, required)
        return self._people[columns, required]

    @property
    def counted_records(self) -> int:
        """The number of records that count, including those set aside."""
        return self.counted(*self.quasi_identifiers).rows

    def sizes_question(self, *, attacker: bool = False) -> Question[ClassSizes]:
        """Ask for the histogram of class sizes."""
        grouping = self.grouping(attacker=attacker)
        return questions.class_sizes_question(self.counted(*grouping.columns), grouping)

    @property
    def has_weights(self) -> bool:
        """Whether the records have sampling weights."""
        return self.sample.weight is not None and self.sample.weight in self.table.domains

    def weights(self, table: Table) -> Weights:
        """The sampling weights of the records of a table that counts the records of the view or its people."""
        column = str(self.sample.weight)

        def read() -> Weights:
            labels = table.domains[column].labels
            return Weights.of(read_weights(labels, np.zeros(len(labels), np.int64), column), self.records)

        return self.cached(("weights", id(table)), read)

    @property
    def estimated_population(self) -> int | None:
        """The number of people that the records stand for: the sum of the sampling weights; None without weights."""
        if not self.has_weights:
            return None
        table = self.counted(str(self.sample.weight))
        total = self.weights(table).total(table.marginal(str(self.sample.weight)).counts)
        return max(round(total), self.people)

    @property
    def people_have_several_weights(self) -> bool:
        """Whether a person has more than one sampling weight, so that their sum says nothing about the population."""
        weights = self.counted(str(self.sample.weight)).marginal(str(self.sample.weight))
        return int(weights.counts.sum()) > self.people

    @property
    def links_weights(self) -> bool:
        """Whether sampling weights say how many people a class stands for: there is no table of the population."""
        return self.has_weights and not self.background.has_population_table

    @property
    def known_population(self) -> int | None:
        """The number of people in the population: as given, otherwise estimated from sampling weights."""
        return self.estimated_population if self.background.population is None else self.population_size

    def class_sizes(self, *, attacker: bool = False) -> ClassSizes:
        """The histogram of class sizes; for an attacker, no record is set aside."""
        return self.cached(("class sizes", attacker), lambda: self.answer(self.sizes_question(attacker=attacker)))

    def smallest_class(self) -> int | None:
        """The size of the smallest class; taken from the histogram if it has been counted."""
        sizes = self.sizes_question()
        if self._answers.has(sizes):
            return self.class_sizes().smallest
        return self.answer(questions.smallest_class_question(sizes.table, sizes.grouping))

    def sizes_by(self, grouping: Grouping) -> ClassSizes:
        """The histogram of sizes of classes with any grouping, in records or people."""
        return self.answer(questions.class_sizes_question(self.counted(*grouping.columns), grouping))

    @cached_property
    def original_class_sizes(self) -> ClassSizes:
        """The histogram of class sizes of the original table."""
        return self.answer(questions.class_sizes_question(self.original_people, self.grouping()))

    @cached_property
    def original_people(self) -> Table:
        """The records of the original that count."""
        original = self.background.original
        return original if self.privacy_unit is None else original.per_person(self.quasi_identifiers)

    def _aside_question(self, *, suppressed: bool = False, incomplete: bool = False) -> Question[int] | None:
        """Ask how many records are set aside; None if the values of the columns rule out that any are."""
        known = self.quasi_identifiers
        domains = [self.table.domains[name] for name in known]
        possible = (suppressed and all(domain.code(SUPPRESSED) is not None for domain in domains)) or (
            incomplete and any(domain.code(None) is not None for domain in domains)
        )
        return (
            questions.set_aside_question(self.table, Grouping(known, known, suppressed, incomplete))
            if possible
            else None
        )

    @cached_property
    def suppressed_records(self) -> int:
        """The number of records with `*` in every quasi-identifier."""
        question = self._aside_question(suppressed=True)
        return 0 if question is None else self.answer(question)

    @cached_property
    def incomplete_records(self) -> int:
        """The number of records that miss a quasi-identifier."""
        question = self._aside_question(incomplete=True)
        return 0 if question is None else self.answer(question)

    @cached_property
    def records_aside(self) -> int:
        """Number of records that no class has, since the treatment sets them aside."""
        aside = {"suppressed": self.treatment["suppressed"] == APART, "incomplete": self.treatment["missing"] == APART}
        question = self._aside_question(**aside) if self.quasi_identifiers else None
        return 0 if question is None else self.answer(question)

    def summary_questions(self, *, attacker: bool = False) -> list[Question[Any]]:
        """The questions that `class_summary` needs answered."""
        asides = (self._aside_question(suppressed=True), self._aside_question(incomplete=True))
        return [self.sizes_question(attacker=attacker), *(question for question in asides if question is not None)]

    def class_summary(self, *, attacker: bool = False) -> dict[str, Any]:
        """A summary of the classes, suppressed and incomplete records, for the details of a result."""
        return {
            **self.class_sizes(attacker=attacker).summary(),
            "suppressed_records": self.suppressed_records,
            "incomplete_records": self.incomplete_records,
        }

    def fold_question(
        self,
        name: Hashable,
        sensitive: str,
        kernel: Callable[[ClassValues], Summary],
        merge: Merge[Summary],
        *,
        attacker: bool = False,
        limit: Hashable = None,
    ) -> Question[Summary]:
        """Ask for the answer of a kernel that runs over batches of complete equivalence classes.

        With a privacy unit, a person counts once for each value in a class. If missing values are left out, so are
        classes that have no other value.
        """
        grouping = self.grouping(sensitive, attacker=attacker)
        required = self.required_column(sensitive)
        table = self.counted(*grouping.columns, sensitive, required=required)
        missing = table.domains[sensitive].code(None)
        if required is not None and missing is not None:
            name, kernel = (name, "without missing"), partial(_run_without_missing, missing, kernel)
        people = self.counted(*grouping.columns, required=required) if self.privacy_unit else None
        return questions.fold_question(name, table, grouping, sensitive, kernel, merge, people=people, limit=limit)

    def fold_codes_question(
        self,
        name: Hashable,
        kernel: Callable[[ClassCodes], Summary],
        merge: Merge[Summary],
        *,
        every_record: bool = False,
    ) -> Question[Summary]:
        """Ask for the answer of a kernel to classes with their values, as indices into the marginals."""
        grouping = self.grouping(attacker=every_record)
        table = self.table if every_record else self.counted(*grouping.columns)
        return questions.fold_codes_question(name, table, grouping, kernel, merge)

    def fold_with(
        self,
        background: Table,
        kernel: Callable[[ClassPairs], Summary],
        merge: Merge[Summary],
        *,
        suppressed_apart: bool = False,
    ) -> Summary:
        """Run a kernel over the classes of the release and of a background table.

        suppressed_apart   leaves out suppressed records, also where they are a class
        """
        grouping = self.grouping()
        grouping = replace(grouping, suppressed_apart=grouping.suppressed_apart or suppressed_apart)
        return self.counted(*grouping.columns).fold_pairs(grouping, background, kernel, merge)

    def grouping(self, sensitive: str | None = None, *, attacker: bool = False) -> Grouping:
        """The grouping: for an attacker, all records by the quasi-identifiers; otherwise according to the treatment."""
        key = (sensitive, attacker)
        if key not in self._groupings:
            self._groupings[key] = self._grouping(sensitive, attacker)
        return self._groupings[key]

    @cached_property
    def _groupings(self) -> dict[tuple[str | None, bool], Grouping]:
        return {}

    def _grouping(self, sensitive: str | None, attacker: bool) -> Grouping:
        known = self.quasi_identifiers
        if attacker:
            return Grouping(known, known)
        other_sensitive: tuple[str, ...] = ()
        if sensitive in self.sensitive_attributes and self.treatment["several_sensitive"] == AS_QUASI_IDENTIFIERS:
            other_sensitive = tuple(column for column in self.sensitive_attributes if column != sensitive)
        aside = self.treatment["suppressed"] == APART, self.treatment["missing"] == APART
        return Grouping((*known, *other_sensitive), known, *aside)

    # Levels.

    @property
    def generalised_columns(self) -> tuple[str, ...]:
        """The columns that may be generalised: the quasi-identifiers, or without roles all columns with a hierarchy."""
        if self.has_roles and not self.quasi_identifiers:
            raise RoleError(*NO_QUASI_IDENTIFIER)
        return self.quasi_identifiers or tuple(self.hierarchies)

    def generalised_hierarchies(self, measure: str) -> dict[str, Hierarchy]:
        """The hierarchies of the generalised columns; raise that the measure does not apply if one has none."""
        self._check_places(measure, self.hierarchies)
        return {column: self.hierarchies[column] for column in self.generalised_columns}

    def generalised_places(self, measure: str) -> "dict[str, Hierarchy | ReplacedLabels]":
        """As `generalised_hierarchies`; columns that show means are placed by the labels that these replace."""
        places: dict[str, Hierarchy | ReplacedLabels] = {**self.hierarchies, **self.replaced_labels}
        self._check_places(measure, places)
        return {column: places[column] for column in self.generalised_columns}

    def _check_places(self, measure: str, known: Collection[str]) -> None:
        without = [column for column in self.generalised_columns if column not in known]
        if without:
            raise NeedNotMet(
                "needs a hierarchy for every quasi-identifier; there is none for {without}",
                without=quoted(without),
                what="hierarchies",
                measure=measure,
            )

    @cached_property
    def levels(self) -> dict[str, int | str]:
        """The hierarchy level of each released quasi-identifier."""
        if self.set_levels is not None:
            return dict(self.set_levels)
        return {
            column: released_level(column, self.released_values(column), self.hierarchies.get(column))
            for column in self.quasi_identifiers
        }

    def released_values(self, column: str) -> set[str]:
        """The values of a column that its level can be found from: not missing, not of suppressed records only."""
        counts = self.marginal(column).by_value
        values = {value for value in counts if value is not None}
        is_needless = self.treatment["suppressed"] == APART or values != {SUPPRESSED}
        if is_needless and counts.get(SUPPRESSED) == self.suppressed_records:
            values.discard(SUPPRESSED)
        return values

    def as_released(self, table: Table, whose: str) -> Table:
        """Another table with its quasi-identifiers generalised to the levels of the release; people count once."""
        lifted = self.on_released_levels(table, whose)
        return lifted if lifted.unit is None else lifted.per_person(self.quasi_identifiers)

    def on_released_levels(self, table: Table, whose: str) -> Table:
        """Another table with its quasi-identifiers generalised to the levels of the release; every record counts."""
        return table.generalise(
            {
                column: recoding(
                    column,
                    table.marginal(column).values,
                    self.hierarchies.get(column),
                    level,
                    self.released_values(column) | ({None} & set(self.marginal(column).values)),
                    MISFITS[whose],
                )
                for column, level in self.levels.items()
            }
        )

    def at(self, levels: Mapping[str, int]) -> "View":
        """The view with some quasi-identifiers generalised to other levels, by merging distinct rows.

        The table is not read again. Starting from a view that is coarser already is faster.

        >>> from PETWorks import Release
        >>> view = Release("data/delta.csv", {"zip": "quasi_identifier", "nationality": "quasi_identifier"},
        ...                "data/delta_hierarchy").view
        >>> [view.at({"zip": level, "nationality": 1}).class_sizes().number for level in (0, 1)]
        [7, 2]
        """
        coarser = self._node.at(levels)
        return View(
            coarser.rows,
            self.quasi_identifiers,
            self.sensitive_attributes,
            self.hierarchies,
            self.treatment,
            self.background,
            self.compared,
            self.has_roles,
            coarser.levels,
            sample=self.sample,
            _rolled_up=coarser,
        )

    @cached_property
    def _node(self) -> RolledUpRows:
        if self._rolled_up is not None:
            return self._rolled_up
        # Households distinguish nearly all rows, and are only reported.
        columns = [name for name in self.table.domains if name != self.sample.household]
        return RolledUpRows.base(self.table.distinct(columns), self.quasi_identifiers, self.hierarchies)

    def for_all_levels(self, key: Hashable, make: Callable[[], Summary]) -> Summary:
        """A value that is the same on all levels, made once for all views derived from the same one."""
        return self.cached(key, make) if self._rolled_up is None else self._rolled_up.cached(key, make)

    def by_level(self, key: Hashable, column: str, make: Callable[[], Summary]) -> Summary:
        """A value that depends only on the level of a column, made once for all views with that level."""
        if self._rolled_up is None:
            return self.cached((key, column), make)
        return self._rolled_up.cached((key, column, self._rolled_up.levels.get(column)), make)


def _run_without_missing(missing: int, kernel: Callable[[ClassValues], Summary], classes: ClassValues) -> Summary:
    """Run a kernel on classes without the missing value."""
    return kernel(classes.without_missing(missing)[0])
