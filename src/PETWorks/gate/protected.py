"""The protected statistics of a release: everything that outsiders may know about its records.

Each count is a range (see `ranges`), the smallest class a round bound, and verdicts that would reveal a small count are
left out (see `withheld`). The external edition is made of these, of what the policy says and of nothing else. So
nothing that an outsider computes from its numbers can reveal more than these statistics do.
"""

from dataclasses import dataclass

from PETWorks.gate.document import WITHHELD, CheckDocument, RuleResult, Verdict
from PETWorks.gate.ranges import Range, has_few, range_of, round_number
from PETWorks.gate.releases_document import SetAttack, SetIntersection
from PETWorks.gate.subset_document import Driver, KnownAttributes, SubsetCase
from PETWorks.gate.withheld import class_size_demanded, fewest_attacked, hides_guesses, rules_withheld
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION

OF_RECORDS = ("people-counted-before", "people-not-counted")  # notices of tables that do not say who the people are
WHATEVER = Range(0, 0)  # in place of a count that is not published
Steps = tuple[Range, Range]
Shares = tuple[Range | None, Range | None]


@dataclass(frozen=True)
class Protected:
    """The statistics.

    people           the records, or the people where one may have several records: what shares are shares of
    smallest_class   a round number that is not larger; None if the smallest class is below the cell size
    columns          for each column the missing cells, and the information lost, as a number of cells
    adversaries      for each assumed adversary the unique records and the classes
    missed           the records whose sensitive value an adversary guesses wrong; None if the policy has rules about
                     the values inside classes or about small classes, whose verdicts are published instead
    subsets          for each case of the attacks with subsets: unique records, and guesses before and after: the right
                     ones of whose record it is, the wrong ones of what somebody has
    releases         for each attack with all releases that is published: the guesses and the people who are certain
                     with one release after the other; for each release what it adds, and the guesses without it
    attacked         for each sensitive attribute the people whose values in several releases can be intersected
    drivers          for each driver the right guesses that it adds, and the guesses without it
    verdicts         of the rules
    """

    cell_size: int
    records: Range
    people: Range
    population: Range | None
    smallest_class: int | None
    classes: Range
    unique: Range
    missed: Range | None
    columns: tuple[tuple[Range | None, Range | None], ...]
    adversaries: tuple[tuple[Range, Range], ...]
    subsets: tuple[tuple[Range, Range, Range], ...]
    drivers: tuple[tuple[Range, Range], ...]
    releases: tuple[tuple[tuple[Steps, ...], tuple[Shares, ...]], ...]
    attacked: tuple[Range | None, ...]
    verdicts: tuple[Verdict, ...]


def _finds_class_size(rule: RuleResult) -> bool:
    """Whether what a rule found is the number of people in the smallest class."""
    return rule.measure == "k-anonymity" or rule.compared == "cell_size"


def protected(document: CheckDocument) -> Protected:
    """The protected statistics of a release, from the internal edition of its check."""
    return _Counts(document).protected()


class _Counts:
    """The counts of an internal edition."""

    def __init__(self, document: CheckDocument) -> None:
        table = document.table
        assert table.classes is not None, "the document must be that of the internal edition"
        assert isinstance(table.records, int)
        self.document, self.classes = document, table.classes
        self.cell_size = document.policy.cell_size
        self.records = table.records
        self.people = table.records if table.people is None else table.people
        self.few = has_few(range_of(self.people, self.cell_size), self.cell_size)

    def protected(self) -> Protected:
        document, people = self.document, range_of(self.people, self.cell_size)
        (unique,) = (one.records for one in document.small_classes if one.size == 2)
        population = document.table.population
        attacked = fewest_attacked(document.releases, self.cell_size)
        hidden = rules_withheld(document.rules, self.cell_size, people, attacked)
        guesses = [one.value for one in document.results if one.measure == "attribute-inference"]
        return Protected(
            cell_size=self.cell_size,
            records=range_of(self.records, self.cell_size),
            people=people,
            population=None if population is None else range_of(_whole(population), self.cell_size),
            smallest_class=self._smallest_class(),
            classes=self._range(self.classes.classes),
            unique=self._range(unique),
            missed=self._missed(guesses[0]) if guesses and not _hides_guesses(document) else None,
            columns=tuple((self._cells(one.missing), self._lost(one.granularity)) for one in document.columns),
            adversaries=tuple(
                (self._range(one.unique_records), self._range(one.classes)) for one in document.adversaries
            ),
            subsets=tuple(
                self._case(answer.attack, case) for answer in answers_shown(document) for case in cases(answer)
            ),
            drivers=tuple(map(self._driver, drivers_shown(document))),
            releases=tuple(map(self._attack, attacks_shown(document))),
            attacked=tuple(
                None if self.few else range_of(_whole(one.people), self.cell_size) for one in intersections(document)
            ),
            verdicts=tuple(
                WITHHELD if rule.name in hidden and not self._is_implied(rule) else rule.verdict
                for rule in document.rules
            ),
        )

    def _is_implied(self, rule: RuleResult) -> bool:
        """Whether the published bound of the smallest class says that a rule holds."""
        smallest, demanded = self._smallest_class(), class_size_demanded(rule)
        return smallest is not None and demanded is not None and demanded <= smallest

    def _smallest_class(self) -> int | None:
        """The bound that is published.

        Where people have several records and the table does not say so any more, its classes are of records: what
        counts is what a rule found by people when the table was made; without one, the class is taken to be small.
        """
        smallest = self.classes.smallest_class
        if any(notice.notice in OF_RECORDS for notice in self.document.notices or ()):
            found = [rule.value for rule in self.document.rules if _finds_class_size(rule)]
            smallest = min((int(value) for value in found if isinstance(value, int | float)), default=None)
        return None if smallest is None or smallest < self.cell_size else max(round_number(smallest), self.cell_size)

    def _case(self, attack: str, case: SubsetCase) -> tuple[Range, Range, Range]:
        guesses = self._guesses(attack, case.prior), self._guesses(attack, case.posterior)
        return self._people(case.unique_share), *guesses

    def _driver(self, driver: Driver) -> tuple[Range, Range]:
        return self._people(driver.shapley), self._guesses(driver.attack, driver.without)

    def _attack(self, given: SetAttack) -> tuple[tuple[Steps, ...], tuple[Shares, ...]]:
        """Who is certain is told of re-identification only: they are alone. Of values it would tell what they have."""
        told = given.attack == RE_IDENTIFICATION
        steps = tuple(
            (self._guesses(given.attack, one.chance), self._people(one.certain) if told else WHATEVER)
            for one in given.curve
        )
        shares = tuple(
            (
                None if one.adds is None else self._people(one.adds),
                None if one.without is None else self._guesses(given.attack, one.without),
            )
            for one in given.shares
        )
        return steps, shares

    def _guesses(self, attack: str, share: object) -> Range:
        """The right guesses of whose record it is, or the wrong ones of what somebody has."""
        return self._people(share) if attack == RE_IDENTIFICATION else self._missed(share)

    def _lost(self, kept: object) -> Range | None:
        assert kept is None or isinstance(kept, int | float)
        return None if kept is None else self._cells(1 - kept)

    def _cells(self, share: object) -> Range | None:
        """A share of the cells of a column."""
        return None if share is None else self._range(_times(share, self.records))

    def _people(self, share: object) -> Range:
        return self._range(_times(share, self.people))

    def _missed(self, guessed: object) -> Range:
        """Those who are not guessed: the few among whom a rare value is."""
        return self._range(self.people - _times(guessed, self.people))

    def _range(self, count: object) -> Range:
        """The range of a count; of a small table, whatever it may be."""
        return WHATEVER if self.few else range_of(_whole(count), self.cell_size)


def answers_shown(document: CheckDocument) -> tuple[KnownAttributes, ...]:
    """The attacks with subsets that outsiders see."""
    answers = () if document.subsets is None else document.subsets.if_they_know
    return tuple(one for one in answers if _is_shown(document, one.attack))


def attacks_shown(document: CheckDocument) -> tuple[SetAttack, ...]:
    """The attacks with all releases that outsiders see."""
    attacks = () if document.releases is None else document.releases.attacks
    return tuple(one for one in attacks if _is_shown(document, one.attack))


def intersections(document: CheckDocument) -> tuple[SetIntersection, ...]:
    """The attacks that intersect the values of several releases."""
    return () if document.releases is None else document.releases.unlinked


def drivers_shown(document: CheckDocument) -> tuple[Driver, ...]:
    """The drivers that outsiders see."""
    drivers = () if document.subsets is None else document.subsets.drivers or ()
    return tuple(one for one in drivers if _is_shown(document, one.attack))


def cases(answer: KnownAttributes) -> tuple[SubsetCase, SubsetCase, SubsetCase]:
    """The cases of an attack, in a fixed order."""
    return answer.lowest, answer.median, answer.highest


def _is_shown(document: CheckDocument, attack: str) -> bool:
    return attack == RE_IDENTIFICATION or not _hides_guesses(document)


def _hides_guesses(document: CheckDocument) -> bool:
    """Whether shares of guesses stay inside: also where they are shares of some of the people, who may be few."""
    inferred = [one.details.get("attributes", {}) for one in document.results if one.measure == "attribute-inference"]
    some = any("records_with_a_value" in one for attributes in inferred for one in attributes.values())
    return some or hides_guesses(document.rules, document.policy.cell_size)


def _whole(count: object) -> int:
    assert isinstance(count, int)
    return count


def _times(share: object, number: int) -> int:
    assert isinstance(share, int | float)
    return round(share * number)
