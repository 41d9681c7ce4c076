"""Protected statistics for outsiders: counts as ranges, and withheld verdicts."""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from PETWorks.about.treatment import APART
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.gate.check.unique_values import ALWAYS_ALLOWED, UNIQUE_SHARE
from PETWorks.gate.document import FEW_RECORDS, WITHHELD, CheckDocument, ColumnFacts, RuleResult, Verdict
from PETWorks.gate.policy.policy_rules import ALL_RELEASES, NO_UNIQUE, RECORDS_LEFT, SUBSETS, values_per_class
from PETWorks.json_types import Bound
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION, Driver, KnownAttributes, SubsetCase
from PETWorks.measures.catalogue import catalogue
from PETWorks.releases.disclosure_facts import ReleasesFacts, SetAttack, SetIntersection

FIGURES = 2  # significant figures of a share
MIN_RANGES = 10  # shares are published only if the table has at least this many times the narrowest range


class Range(NamedTuple):
    """A count between `low` and `high`, both included."""

    low: int
    high: int

    @property
    def middle(self) -> int:
        """The number that represents the range."""
        return (self.low + self.high + 1) // 2


def narrowest_width(cell_size: int) -> int:
    """The width of the narrowest range: a round number that is not smaller than the cell size.

    >>> [narrowest_width(size) for size in (1, 3, 5, 11, 20)]
    [2, 5, 5, 20, 20]
    """
    width = round_number(cell_size)
    return max(2, width if width == cell_size else next_round_number(width))


def range_of(count: int, cell_size: int) -> Range:
    """The range of a count, about a tenth of it wide, but at least as wide as the cell size.

    >>> range_of(3, 5), range_of(42, 5), range_of(45222, 5)
    (Range(low=0, high=4), Range(low=40, high=44), Range(low=44000, high=45999))
    """
    width = max(narrowest_width(cell_size), round_number(count // 10))
    low = count // width * width
    return Range(low, low + width - 1)


def has_few_records(records: Range, cell_size: int) -> bool:
    """Whether a table has too few records to publish shares of them."""
    return records.low < MIN_RANGES * narrowest_width(cell_size)


def share_of(count: Range, records: Range, cell_size: int) -> Bound:
    """The share of the records, as far as it follows from the ranges."""
    if has_few_records(records, cell_size):
        return FEW_RECORDS
    if count.low == 0:
        return Bound(below=_round((count.high + 1) / records.low, math.ceil))
    if count.high >= records.low:
        return Bound(above=_round(count.low / (records.high + 1), math.floor))
    return Bound(about=_round(count.middle / records.middle, round))


def complement(share: Bound) -> Bound:
    """One minus a share."""
    if share.below is not None:
        return Bound(above=_subtract_from_one(share.below))
    if share.above is not None:
        return Bound(below=_subtract_from_one(share.above))
    return share if share.about is None else Bound(about=_subtract_from_one(share.about))


def two_figures(number: float) -> float:
    """A number with two significant figures.

    >>> two_figures(1 / 11), two_figures(0.25)
    (0.091, 0.25)
    """
    return _round(number, round)


def _subtract_from_one(number: float) -> float:
    return round(1 - number, 12)  # removes rounding noise


def round_number(number: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50, ... that does not exceed the number; at least 1.

    >>> [round_number(number) for number in (0, 9.5, 83, 1200, 836000)]
    [1, 5, 50, 1000, 500000]
    """
    if number < 1:
        return 1
    power: int = 10 ** (len(str(int(number))) - 1)
    return max(power * figure for figure in (1, 2, 5) if power * figure <= number)


def next_round_number(number: int) -> int:
    """The round number after a round number."""
    return number * 5 // 2 if str(number)[0] == "2" else number * 2


def _round(number: float, direction: Callable[[float], float]) -> float:
    places = FIGURES - 1 - math.floor(math.log10(number))
    scale = 10.0**places
    return round(direction(number * scale) / scale, max(places, 0))


SizeLimit = tuple[str, int]  # RELEASE or a measure of linked tables, and the smallest class that is allowed
RELEASE = "release"


def rules_withheld(
    rules: Sequence[RuleResult],
    cell_size: int,
    records: Range,
    columns: Sequence[ColumnFacts],
    treatment: Mapping[str, str | None],
    attacked: Range | None = None,
) -> frozenset[str]:
    """The names of the rules whose verdict is withheld from outsiders.

    attacked   number of people whose values in several releases can be intersected; None without other releases
    """
    size_limits = _sizes_to_hide(rules, cell_size, records)
    share_limits = set(_shares_to_hide(rules, cell_size, records))
    return frozenset(
        rule.name
        for rule in rules
        if any(limit in size_limits for limit in _class_sizes(rule))
        or any(limit in share_limits for limit in _shares(rule))
        or _is_in_money(rule)
        or any(_reveals_few(limit, cell_size, records) for limit in _limits_of_built_in_rule(rule, columns, treatment))
        or _reveals_people(rule, rules, cell_size, attacked)
        or _reveals_values(rule, rules, cell_size, records)
    )


def class_size_demanded(rule: RuleResult) -> int | None:
    """The class size that a rule demands, if it demands nothing else of the release; otherwise None."""
    limits = list(_class_sizes(rule))
    only_sizes = len(limits) == len(rule.parameters) and all(table == RELEASE for table, _ in limits)
    return max(size for _, size in limits) if limits and only_sizes and not is_about_values(rule) else None


def hides_guesses(rules: Sequence[RuleResult], cell_size: int) -> bool:
    """Whether guesses of values are withheld, because verdicts about values or small classes are published."""
    sizes = (size for rule in rules for _, size in _class_sizes(rule))
    return any(map(is_about_values, rules)) or any(size < cell_size for size in sizes)


# Class sizes.


def _sizes_to_hide(rules: Sequence[RuleResult], cell_size: int, records: Range) -> set[SizeLimit]:
    """The class sizes that, with the others compared, would reveal the exact size of the smallest class.

    Outsiders learn between which two sizes the smallest class lies, and whether it is below the cell size. For a small
    table, in which the size of one class reveals that of the rest, no other size is shown.
    """
    hidden: set[SizeLimit] = set()
    limits = {limit for rule in rules for limit in _class_sizes(rule)}
    if has_few_records(records, cell_size):
        return {(table, size) for table, size in limits if size != cell_size}
    implied = set(map(_size_implied, rules))
    for table in {table for table, _ in limits}:
        smaller_sizes = {size for other, size in limits if other == table and size < cell_size}
        shown = cell_size
        for size in sorted(smaller_sizes, reverse=True):
            if shown - size < 2 or size - 1 in {1, *implied}:
                hidden.add((table, size))
            else:
                shown = size
    return hidden


def _class_sizes(rule: RuleResult) -> Iterator[SizeLimit]:
    """The smallest classes that a rule allows, in the release or in the table it is linked with."""
    if rule.measure == SUBSETS and rule.parameters.get("highest-risk"):
        yield RELEASE, _size(1 / rule.parameters["highest-risk"])
    elif rule.measure in catalogue:
        entry = catalogue[rule.measure]
        for name, value in rule.parameters.items():
            size = entry.parameters[name].class_size(value)
            if size:
                yield entry.name if entry.linked else RELEASE, _size(size)


def _size_implied(rule: RuleResult) -> int:
    """The class size below which a rule about values cannot hold."""
    alpha = rule.parameters.get("alpha") or 1
    return max(_size(values_per_class(rule)), _size(1 / alpha))


def _size(size: float) -> int:
    return math.ceil(round(size, 9))


# Shares.


class ShareLimit(NamedTuple):
    """A limit on a share of the records, or of the information kept."""

    measure: str  # or SUBSETS
    parameter: str
    threshold: float | None  # the risk from which a record counts as at risk, for measures that have one
    share: float

    @property
    def statistic(self) -> Hashable:
        """The limited statistic: equal for limits on numbers that depend on (nearly) the same count."""
        is_by_parameter = self.measure in (SUBSETS, ALL_RELEASES) or self.parameter == "average"
        key = self.parameter.partition(":")[0] if is_by_parameter else self.measure
        return SAME_COUNT.get(key, (self.measure, self.parameter, self.threshold))


# The count that a number depends on, by its measure, or by its parameter if that is more specific.
SAME_COUNT = {
    "average": "classes",
    "average-risk": "classes",
    "marketer-risk": "classes",
    "re-identification": "classes",
    "uniques": "unique records",
    "sample-uniqueness": "unique records",
    "alone": "unique records",
    "attribute-inference": "guesses",
    "inference": "guesses",
}  # more releases have more classes, unique records and right guesses, so limits on one release and on all interact


def _shares_to_hide(rules: Sequence[RuleResult], cell_size: int, records: Range) -> Iterator[ShareLimit]:
    """Limits on few records, on all but few, and limits that only few records lie between."""
    few = narrowest_width(cell_size)
    shown: dict[Hashable, list[float]] = {}
    for limit in dict.fromkeys(limit for rule in rules for limit in _shares(rule)):
        share = limit.share
        close = any(abs(share - other) * records.low < few for other in shown.get(limit.statistic, ()))
        if close or (share < 1 and (share * records.low < few or (1 - share) * records.low < few)):
            yield limit
        else:
            shown.setdefault(limit.statistic, []).append(share)


def _shares(rule: RuleResult) -> Iterator[ShareLimit]:
    """The limits of a rule on shares."""
    if rule.measure == SUBSETS:
        limits = ((name, value) for name, value in rule.parameters.items() if name != "highest-risk")
        yield from (ShareLimit(SUBSETS, name, None, value) for name, value in limits)
    elif rule.measure == ALL_RELEASES:
        limits = ((name, value) for name, value in rule.parameters.items() if _limit_of(rule) in SHARES_OF_PEOPLE)
        yield from (ShareLimit(ALL_RELEASES, name, None, value) for name, value in limits)
    elif rule.measure in catalogue and catalogue[rule.measure].family != "privacy":
        entry = catalogue[rule.measure]
        for name, value in rule.parameters.items():
            parameter = entry.parameters[name]
            if parameter.limit is not None and not parameter.of_one_class and value is not None:
                yield ShareLimit(entry.name, name, rule.parameters.get("threshold"), value)


def _is_in_money(rule: RuleResult) -> bool:
    """Whether a rule limits an amount of money, which is a sum over records."""
    if rule.measure == ALL_RELEASES:
        return _limit_of(rule) == "gain"
    return rule.measure in catalogue and catalogue[rule.measure].unit == "money"


# Built-in rules that count people.


class CountLimit(NamedTuple):
    """A limit on a number of people: a share of all of them, or a number that is always allowed if that is larger."""

    share: float
    always_allowed: int


def _limits_of_built_in_rule(
    rule: RuleResult, columns: Sequence[ColumnFacts], treatment: Mapping[str, str | None]
) -> Iterator[CountLimit]:
    """The limits on people who are singled out, set aside or removed; none where there cannot be such people.

    `records-left` limits the removed records of a release that was made by an earlier plan. A search never exceeds its
    limit, so that the verdict about its release is the same whatever the data.
    """
    if rule.measure == NO_UNIQUE:
        if any(map(partial(_may_single_out, unit=treatment.get("privacy_unit")), columns)):
            yield CountLimit(rule.parameters["at_most"], ALWAYS_ALLOWED)
    elif rule.measure == RECORDS_LEFT:
        if APART in (treatment.get("missing"), treatment.get("suppressed")):
            yield CountLimit(UNIQUE_SHARE, ALWAYS_ALLOWED)
        if "at_most" in rule.details:
            yield CountLimit(rule.details["at_most"], 0)


def _may_single_out(column: ColumnFacts, unit: str | None) -> bool:
    """Whether `no-unique-values` looks at a column; this depends on its role only."""
    return column.released and column.column != unit and column.role not in (IDENTIFIER, QUASI_IDENTIFIER)


def _reveals_few(limit: CountLimit, cell_size: int, records: Range) -> bool:
    """Whether a limit distinguishes counts below the cell size, or counts of all people but fewer than that.

    The exact limit is not used, because it depends on the exact number of records, which is not published.
    """
    most = max(limit.always_allowed, math.floor(limit.share * records.low))
    if limit.share >= 1 or most >= records.high:
        return False  # the rule holds for every table
    return most < cell_size - 1 or records.low - most < cell_size


# All releases together.

SHARES_OF_PEOPLE = ("re-identification", "alone", "inference", "one-value")
SHARES_OF_ATTACKED = ("disclosed", "half-sure")
ABOUT_VALUES = ("one-value", *SHARES_OF_ATTACKED, "m-invariance")


def fewest_attacked(releases: ReleasesFacts | None, cell_size: int) -> Range | None:
    """The number of people whose values can be intersected, for the sensitive attribute with the fewest."""
    counts = (
        [intersection.people for intersection in releases.unlinked if isinstance(intersection.people, int)]
        if releases is not None
        else []
    )
    return range_of(min(counts), cell_size) if counts else None


def _limit_of(rule: RuleResult) -> str:
    """The kind of limit of a rule about all releases, without the name of an attribute."""
    return next(iter(rule.parameters)).partition(":")[0]


def _reveals_people(rule: RuleResult, rules: Sequence[RuleResult], cell_size: int, attacked: Range | None) -> bool:
    """Whether a rule about the values in all releases would reveal facts about few people.

    The first rule of each kind is shown, unless few people or all but few are within its limit. The smallest class of
    other releases, which m-invariance is about, is not revealed.
    """
    if rule.measure != ALL_RELEASES or _limit_of(rule) not in ABOUT_VALUES:
        return False
    kind = _limit_of(rule)
    first = next(other for other in rules if other.measure == ALL_RELEASES and _limit_of(other) == kind)
    if kind == "m-invariance" or rule.parameters != first.parameters:
        return True
    if kind not in SHARES_OF_ATTACKED:
        return False
    (share,) = rule.parameters.values()
    few = narrowest_width(cell_size)
    return (
        attacked is None
        or has_few_records(attacked, cell_size)
        or share * attacked.low < few
        or (share < 1 and (1 - share) * attacked.low < few)
    )


# Values inside classes.


def _reveals_values(rule: RuleResult, rules: Sequence[RuleResult], cell_size: int, records: Range) -> bool:
    """Whether a rule about the values inside classes, or about guesses of them, reveals too much.

    The first rule of each measure is shown, but none for a small table, and none that reveals the size of a class below
    the cell size. Rules about guesses are shown if guesses are.
    """
    if _is_about_guesses(rule):
        return hides_guesses(rules, cell_size)
    if not is_about_values(rule):
        return False
    if rule.measure == ALL_RELEASES:
        return has_few_records(records, cell_size)
    first = next(other for other in rules if other.measure == rule.measure)
    return (
        has_few_records(records, cell_size)
        or rule.parameters != first.parameters
        or _size_implied(rule) == cell_size - 1
    )


def is_about_values(rule: RuleResult) -> bool:
    """Whether a rule limits the content of single classes, apart from their size."""
    if rule.measure == ALL_RELEASES:
        return _limit_of(rule) in ABOUT_VALUES
    return (
        rule.measure in catalogue
        and catalogue[rule.measure].family == "privacy"
        and catalogue[rule.measure].outside != "smallest class"
    )


def _is_about_guesses(rule: RuleResult) -> bool:
    """Whether a rule limits the chance to guess a value."""
    if rule.measure in (SUBSETS, ALL_RELEASES):
        return any(name.startswith("inference") for name in rule.parameters)
    return rule.measure in catalogue and catalogue[rule.measure].outside == "guesses"


NOTICES_OF_RECORDS = ("people-counted-before", "people-not-counted")  # notices about tables that do not identify people
UNPUBLISHED = Range(0, 0)  # placeholder for a count that is not published
Steps = tuple[Range, Range]
Shares = tuple[Range | None, Range | None]


@dataclass(frozen=True)
class ProtectedStatistics:
    """All statistics that outsiders may see.

    people           the denominator of shares: records, or people if a person may have several records
    smallest_class   a round number not above the smallest class; None if that is below the cell size
    columns          missing cells, and lost information as a number of cells, of each column
    adversaries      unique records and classes for each assumed adversary
    missed           records whose sensitive value an adversary guesses wrong; None if the policy has rules about the
                     values inside classes or about small classes, whose verdicts are published instead
    subsets          for each case of the attacks by subsets: unique records, prior and posterior guesses. Counted are
                     right guesses for re-identification, and wrong guesses for inference
    releases         for each published attack by all releases: the guesses and the people who are certain, with one
                     release after the other; and for each release its contribution, and the guesses without it
    attacked         people whose values in several releases can be intersected, for each sensitive attribute
    drivers          right guesses that each driver adds, and the guesses without it
    verdicts         the verdicts of the rules
    """

    cell_size: int
    records: Range
    people: Range
    population: Range | None
    smallest_class: int | None
    classes: Range
    unique: Range
    missed: Range | None
    columns: tuple[Shares, ...]
    adversaries: tuple[tuple[Range, Range], ...]
    subsets: tuple[tuple[Range, Range, Range], ...]
    drivers: tuple[tuple[Range, Range], ...]
    releases: tuple[tuple[tuple[Steps, ...], tuple[Shares, ...]], ...]
    attacked: tuple[Range | None, ...]
    verdicts: tuple[Verdict, ...]


def _finds_class_size(rule: RuleResult) -> bool:
    """Whether the value of a rule is the number of people in the smallest class."""
    return rule.measure == "k-anonymity" or rule.compared == "cell_size"


def protect_statistics(document: CheckDocument) -> ProtectedStatistics:
    """The protected statistics of a release, from the internal edition of its check."""
    return _Counts(document).protect()


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
        self.few = has_few_records(range_of(self.people, self.cell_size), self.cell_size)

    def protect(self) -> ProtectedStatistics:
        document, people = self.document, range_of(self.people, self.cell_size)
        (unique,) = (small.records for small in document.small_classes if small.size == 2)
        population = document.table.population
        attacked = fewest_attacked(document.releases, self.cell_size)
        hidden = rules_withheld(
            document.rules, self.cell_size, people, document.columns, document.table.treatment, attacked
        )
        guesses = [result.value for result in document.results if result.measure == "attribute-inference"]
        return ProtectedStatistics(
            cell_size=self.cell_size,
            records=range_of(self.records, self.cell_size),
            people=people,
            population=None if population is None else range_of(_whole(population), self.cell_size),
            smallest_class=self._smallest_class(),
            classes=self._range(self.classes.classes),
            unique=self._range(unique),
            missed=self._count_missed(guesses[0]) if guesses and not _withholds_guesses(document) else None,
            columns=tuple((self._cells(column.missing), self._lost(column.granularity)) for column in document.columns),
            adversaries=tuple(
                (self._range(adversary.unique_records), self._range(adversary.classes))
                for adversary in document.adversaries
            ),
            subsets=tuple(
                self._case(answer.attack, case) for answer in shown_answers(document) for case in subset_cases(answer)
            ),
            drivers=tuple(map(self._driver, shown_drivers(document))),
            releases=tuple(map(self._attack, shown_attacks(document))),
            attacked=tuple(
                None if self.few else range_of(_whole(intersection.people), self.cell_size)
                for intersection in intersections(document)
            ),
            verdicts=tuple(
                WITHHELD if rule.name in hidden and not self._is_implied(rule) else rule.verdict
                for rule in document.rules
            ),
        )

    def _is_implied(self, rule: RuleResult) -> bool:
        """Whether a rule holds by the published bound of the smallest class."""
        smallest, demanded = self._smallest_class(), class_size_demanded(rule)
        return smallest is not None and demanded is not None and demanded <= smallest

    def _smallest_class(self) -> int | None:
        """The published bound of the smallest class.

        If people have several records and the table no longer identifies them, its classes are classes of records. Then
        the value that a rule found by counting people when the table was made is used; without such a rule, the class
        is assumed to be small.
        """
        smallest = self.classes.smallest_class
        if any(notice.notice in NOTICES_OF_RECORDS for notice in self.document.notices or ()):
            values = [rule.value for rule in self.document.rules if _finds_class_size(rule)]
            smallest = min((int(value) for value in values if isinstance(value, int | float)), default=None)
        return None if smallest is None or smallest < self.cell_size else max(round_number(smallest), self.cell_size)

    def _case(self, attack: str, case: SubsetCase) -> tuple[Range, Range, Range]:
        guesses = self._guesses(attack, case.prior), self._guesses(attack, case.posterior)
        return self._people(case.unique_share), *guesses

    def _driver(self, driver: Driver) -> tuple[Range, Range]:
        return self._people(driver.shapley), self._guesses(driver.attack, driver.without)

    def _attack(self, attack: SetAttack) -> tuple[tuple[Steps, ...], tuple[Shares, ...]]:
        """Steps and shares. Certain people are reported for re-identification only; for values it would reveal them."""
        is_re_identification = attack.attack == RE_IDENTIFICATION
        steps = tuple(
            (
                self._guesses(attack.attack, step.chance),
                self._people(step.certain) if is_re_identification else UNPUBLISHED,
            )
            for step in attack.curve
        )
        shares = tuple(
            (
                None if contribution.adds is None else self._people(contribution.adds),
                None if contribution.without is None else self._guesses(attack.attack, contribution.without),
            )
            for contribution in attack.shares
        )
        return steps, shares

    def _guesses(self, attack: str, share: object) -> Range:
        """The number of right guesses for re-identification, of wrong guesses for inference."""
        return self._people(share) if attack == RE_IDENTIFICATION else self._count_missed(share)

    def _lost(self, kept: object) -> Range | None:
        assert kept is None or isinstance(kept, int | float)
        return None if kept is None else self._cells(1 - kept)

    def _cells(self, share: object) -> Range | None:
        """The range of a number of cells, given as a share of a column."""
        return None if share is None else self._range(_times(share, self.records))

    def _people(self, share: object) -> Range:
        return self._range(_times(share, self.people))

    def _count_missed(self, guessed: object) -> Range:
        """The people whose value is not guessed: the few with a rare value are among them."""
        return self._range(self.people - _times(guessed, self.people))

    def _range(self, count: object) -> Range:
        """The range of a count; a placeholder for a small table."""
        return UNPUBLISHED if self.few else range_of(_whole(count), self.cell_size)


def shown_answers(document: CheckDocument) -> tuple[KnownAttributes, ...]:
    """The attacks by subsets that outsiders may see."""
    answers = () if document.subsets is None else document.subsets.if_they_know
    return tuple(answer for answer in answers if _is_shown(document, answer.attack))


def shown_attacks(document: CheckDocument) -> tuple[SetAttack, ...]:
    """The attacks by all releases that outsiders may see."""
    attacks = () if document.releases is None else document.releases.attacks
    return tuple(attack for attack in attacks if _is_shown(document, attack.attack))


def intersections(document: CheckDocument) -> tuple[SetIntersection, ...]:
    """The attacks that intersect the values of several releases."""
    return () if document.releases is None else document.releases.unlinked


def shown_drivers(document: CheckDocument) -> tuple[Driver, ...]:
    """The drivers that outsiders may see."""
    drivers = () if document.subsets is None else document.subsets.drivers or ()
    return tuple(driver for driver in drivers if _is_shown(document, driver.attack))


def subset_cases(answer: KnownAttributes) -> tuple[SubsetCase, SubsetCase, SubsetCase]:
    """The cases of an attack, in a fixed order."""
    return answer.lowest, answer.median, answer.highest


def _is_shown(document: CheckDocument, attack: str) -> bool:
    return attack == RE_IDENTIFICATION or not _withholds_guesses(document)


def _withholds_guesses(document: CheckDocument) -> bool:
    """Whether shares of guesses are withheld: by the rules, or as shares of only some people, who may be few."""
    inferred = [
        result.details.get("attributes", {}) for result in document.results if result.measure == "attribute-inference"
    ]
    are_of_some_people = any(
        "records_with_a_value" in facts for attributes in inferred for facts in attributes.values()
    )
    return are_of_some_people or hides_guesses(document.rules, document.policy.cell_size)


def _whole(count: object) -> int:
    assert isinstance(count, int)
    return count


def _times(share: object, number: int) -> int:
    assert isinstance(share, int | float)
    return round(share * number)
