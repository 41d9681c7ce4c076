"""The column that names people who have several records, found by names, by values and by what goes along with them."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np

from PETWorks.about.column_names import (
    A_CONTACT,
    A_DATE,
    A_DEVICE,
    A_HOUSEHOLD,
    A_NAME,
    A_PERSON_NUMBER,
    A_PLACE,
    AGE,
    AN_ACCOUNT,
    BIRTH,
    BODY,
    GROUP_WORDS,
    LABEL_WORDS,
    MARITAL,
    MARITAL_STATUS,
    NOT_DEVICES,
    OFFICES,
    ORIGIN,
    OTHER_PEOPLE,
    SEX,
    SHARED_MAILBOXES,
    WHOLE_NAMES,
    WORK,
    names_a_place,
    roles_by_name,
    terms,
    words_of,
)
from PETWorks.about.personal_details import EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.counts import ClassSizes, Grouping
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.profiles import are_quantities
from PETWorks.counting.questions import class_sizes_question
from PETWorks.gate.suggest.suggestion import (
    CHINESE_NAME,
    COORDINATES,
    DATE,
    ENGLISH_NAME,
    ENOUGH_SHARE,
    FEW_RECORDS,
    KEYS,
    ExaminedColumn,
    Suggestion,
    examine,
    stands_for_people,
)
from PETWorks.tables.arrays import strings

CHANGING = 0.25  # share of the changes expected by chance; records of one person have fewer
CONTRADICTED = 0.5  # share of them from which records with the same value are of several people
UNCHANGED = 0.1  # share of them if a single attribute has to prove it
TELLING = 0.2  # changes expected by chance per repeated value, below which a column proves nothing
CERTAIN, LIKELY = 9, 3  # decimal digits of the chance that records agree: of all attributes together, and of each
REPEATED = 1.25  # records per value, if other columns show that they belong to the same person
OFTEN, SEVERAL = 1.5, 5  # records per value, and distinct values, if no other column shows it
OFTEN_NAMED = 2  # records per name, if no other column shows it: namesakes are rarer
FEWEST, FEWEST_ALONE = 5, 10  # distinct codes, if two attributes of people go along with them, or only one
STEP = 5  # years by which an age may differ
STRONG, WEAK = (AGE, BODY), (SEX, ORIGIN)  # the weak ones also go with a given name, or with a hospital ward
PERSONAL = (SEX, AGE, MARITAL_STATUS)  # hardly any place, institution, product or diagnosis decides these
ACCOMPANYING = (*PERSONAL, A_PLACE, ORIGIN, WORK)
REACHING = (A_CONTACT, AN_ACCOUNT, A_DEVICE, A_HOUSEHOLD)
SEXES = frozenset(terms("m, f, w, d, x, male, female, man, woman, boy, girl, diverse, 男, 女, 男性, 女性", whole=True))
_WORDS = re.compile(r"[^\W\d_]+([-'’. ,]+[^\W\d_]+){1,4}\.?")  # several words of letters
_GENERALISED = re.compile(r"[*＊○〇●\[\]{}<>≤≥|…]")
_YEAR = re.compile(r"(18|19|20)\d\d")


class IdentifierKind(IntEnum):
    """How well a column identifies people, the best kind first."""

    NUMBER = 0  # assigned to a person
    CODE = 1  # named just `id`
    REACH = 2  # an e-mail address, a phone, a card, a device
    STEADY = 3  # anything that attributes of people go along with
    NAME = 4
    OTHER = 5


@dataclass(frozen=True)
class Agreement:
    """How far records with the same value of one column agree in another one: 0 if all of them do, 1 if as by chance.

    values     further values of the other column, as a share of those expected by chance: one wrong record counts much
    pairs      pairs of records that differ, as a share of those expected by chance: one frequent value counts much
    surprise   decimal digits of the chance that all of them would agree: 9 is one in a billion
    """

    values: float
    pairs: float
    surprise: float

    @property
    def changes(self) -> float:
        """The share that is least affected by a few wrong records or by one value that stands for nobody."""
        return min(self.values, self.pairs)


class Evidence:
    """Other columns of a table that show whether records with the same value belong to one person.

    subjects   what each column is about that may show it, by the name of the column
    load       loads columns of the table
    columns    the columns in question, loaded together with the others when first needed
    """

    def __init__(
        self, subjects: Mapping[str, str], load: Callable[[Sequence[str]], Any], columns: Collection[str]
    ) -> None:
        self._subjects = subjects
        self._load = cache(lambda: load(list(dict.fromkeys((*columns, *subjects)))))
        self._agreement = cache(self._measure_agreement)

    def same_person(self, column: str, also_weak: bool) -> bool | None:
        """Whether records with the same value belong to one person, judged by age or, if `also_weak`, by sex and so on.

        None if no column can decide it.
        """
        wanted = (*STRONG, *((*WEAK, MARITAL_STATUS) if also_weak else ()))
        answers = [
            agreement.changes <= CHANGING
            for name in self._about(wanted, column)
            if (agreement := self._of(column, name, ageing=True)) is not None
        ]
        return any(answers) if answers else None

    def is_of_several_people(self, column: str) -> bool:
        """Whether sex or age change within the values of a column nearly as they would by chance."""
        agreements = [self._of(column, name, ageing=True) for name in self._about((SEX, AGE), column)]
        return any(agreement is not None and agreement.changes > CONTRADICTED for agreement in agreements)

    def names_people(self, column: str, profile: ExaminedColumn) -> bool:
        """Whether attributes of people go along with the values of a column, and nothing else explains it.

        Sex, age or marital status stay the same, and another attribute of people does; one attribute is enough if it
        never changes within many codes with digits. Amounts may depend on two attributes, as a premium does on sex and
        age: of numbers that may be amounts, three must stay the same, unless the name of the column means people. Codes
        of all combinations of these attributes are strata.
        """
        if profile.present < FEW_RECORDS or profile.present < REPEATED * profile.distinct or profile.distinct < FEWEST:
            return False
        personal = self._steady(column, PERSONAL)
        if not personal or self.is_of_several_people(column):
            return False
        steady = personal | self._steady(column, ACCOMPANYING)
        surprises: dict[str, float] = {}
        for name, agreement in steady.items():
            subject = self._subjects[name]
            surprises[subject] = max(agreement.surprise, surprises.get(subject, 0))
        if sum(surprise for surprise in surprises.values() if surprise >= LIKELY) < CERTAIN:
            return False
        likely = sum(surprise >= LIKELY for surprise in surprises.values())
        if likely < 3 and may_be_amounts(profile) and not stands_for_people(words_of(column)):
            return False
        if likely < 2:
            unchanged = min(agreement.changes for agreement in steady.values()) <= UNCHANGED
            if not unchanged or profile.distinct < FEWEST_ALONE or not has_digits(profile):
                return False
        return not self._are_strata(column, profile, list(steady))

    def _steady(self, column: str, subjects: Collection[str]) -> dict[str, Agreement]:
        """The columns about these subjects that hardly change within a value.

        Ages must agree in most pairs of records: a school class has few ages as well.
        """
        agreements = {name: self._of(column, name) for name in self._about(subjects, column)}
        return {
            name: agreement
            for name, agreement in agreements.items()
            if agreement is not None
            and (agreement.pairs if self._subjects[name] == AGE else agreement.changes) <= CHANGING
        }

    def _are_strata(self, column: str, profile: ExaminedColumn, others: Sequence[str]) -> bool:
        """Whether values number the combinations of other columns, and most possible combinations occur."""
        table = self._load()
        possible = [int(np.count_nonzero(table.marginal(name).counts)) for name in others]
        if max(possible) > profile.distinct / 2:
            return False
        groupings = [Grouping(names, names, True, True) for names in ((*others,), (*others, column))]
        alone, jointly = table.ask([class_sizes_question(table, grouping) for grouping in groupings])
        return bool(jointly.number <= 1.05 * alone.number and 2 * alone.number >= math.prod(possible))

    def _about(self, subjects: Collection[str], column: str) -> Iterable[str]:
        return (name for name, subject in self._subjects.items() if subject in subjects and name != column)

    def _of(self, column: str, other: str, *, ageing: bool = False) -> Agreement | None:
        """How far records agree in another column, in steps of years if `ageing`; None if it proves nothing."""
        agreement = self._agreement(column, other, False)
        if ageing and agreement is not None and agreement.changes > CHANGING:
            return self._agreement(column, other, True)
        return agreement

    def _measure_agreement(self, column: str, other: str, in_steps: bool) -> Agreement | None:
        table = self._load()
        if in_steps and (years := _in_years(table.domains[other].values)):  # people become older
            table = table.generalised({other: years})
        groupings = [Grouping(names, (column,), True, True) for names in ((column,), (column, other))]
        alone, jointly = table.ask([class_sizes_question(table, grouping) for grouping in groupings])
        shares = table.marginal(other).shares
        by_chance = _changes_by_chance(alone, shares)
        repeated = int(alone.classes[alone.sizes > 1].sum())
        if not repeated or by_chance < TELLING * repeated:
            return None
        differing = (_pairs(alone) - _pairs(jointly)) / _pairs(alone)
        return Agreement(
            (jointly.number - alone.number) / by_chance,
            differing / float(1 - np.sum(shares**2)),
            _surprise(alone, shares),
        )


def find_privacy_unit(
    columns: Mapping[str, ExaminedColumn],
    identifiers: Collection[str],
    load: Callable[[Sequence[str]], Any],
    names: Iterable[str],
) -> str | None:
    """The column that names people who have several records; None if there is none.

    columns       the columns that may name people
    identifiers   those that are direct identifiers; of others, only what goes along with their values can show it
    load, names   loads columns of the table, and the names of all of them
    """
    kinds = {column: _kind(words_of(column), profile) for column, profile in columns.items() if column in identifiers}
    others = [column for column in columns if column not in kinds and may_be_codes(words_of(column), columns[column])]
    one_each = any(
        kind == IdentifierKind.NUMBER and columns[column].distinct == columns[column].records > 1
        for column, kind in kinds.items()
    )
    repeating = [column for column in (*kinds, *others) if 0 < columns[column].distinct < columns[column].present]
    evidence = Evidence(_subjects(names, columns), load, repeating)
    candidates = []
    for place, column in enumerate(repeating):
        kind, profile = kinds.get(column), columns[column]
        if column in others:
            if evidence.names_people(column, profile):
                candidates.append((IdentifierKind.STEADY, profile.present < profile.records, place, column))
            continue
        if kind is None:
            continue
        by_name = kind <= IdentifierKind.CODE and not one_each
        if profile.distinct == 1 and not (by_name and kind == IdentifierKind.NUMBER):
            continue  # a constant column names one person only if it is a number given to people
        if by_name or _repeats(column, kind, profile, evidence, one_each=one_each):
            candidates.append((kind, profile.present < profile.records, place, column))
    best = [column for kind, _, _, column in sorted(candidates) if kind == min(candidates)[0]]
    if len(best) > 1:  # of several numbers of a person, the one with the most records per value
        confirmed = [column for column in best if evidence.same_person(column, True)]
        return min(confirmed, key=lambda column: columns[column].distinct, default=best[0])
    return best[0] if best else None


def _kind(words: str, profile: ExaminedColumn) -> IdentifierKind | None:
    """The kind of identifier that a column is; None if it identifies others than the people of the table."""
    if any(term in words for term in terms(OTHER_PEOPLE)):  # the mother's number identifies another person
        return None
    subject, look = roles_by_name(words).get(IDENTIFIER), profile.look
    if words in terms(WHOLE_NAMES[A_PERSON_NUMBER], whole=True):
        return IdentifierKind.CODE
    if subject == A_PERSON_NUMBER or stands_for_people(words) or look == NATIONAL_ID:
        return IdentifierKind.NUMBER
    if any(term in words for term in terms(OFFICES)):
        return IdentifierKind.OTHER
    reaches = subject in REACHING and not any(term in words for term in terms(NOT_DEVICES))
    if reaches or look in (EMAIL, PHONE, PAYMENT_CARD, KEYS):
        return IdentifierKind.REACH
    return IdentifierKind.NAME if subject == A_NAME or look == ENGLISH_NAME else IdentifierKind.OTHER


def _repeats(column: str, kind: IdentifierKind, profile: ExaminedColumn, evidence: Evidence, *, one_each: bool) -> bool:
    """Whether people clearly have several records, by a column that may repeat for other reasons.

    one_each   whether another number is different in every record
    """
    if profile.present < FEW_RECORDS or profile.present < REPEATED * profile.distinct:
        return False
    words = words_of(column)
    is_attribute = roles_by_name(words).get(QUASI_IDENTIFIER) in (SEX, AGE)
    if kind == IdentifierKind.OTHER and (is_attribute or any(term in words for term in terms(GROUP_WORDS))):
        return False
    decided = evidence.same_person(column, kind <= IdentifierKind.REACH)
    if decided is None and kind > IdentifierKind.REACH and not is_of_others(words):
        decided = True if evidence.names_people(column, profile) else None
    if decided is not None or one_each or kind > IdentifierKind.NAME:
        return decided is True
    if kind == IdentifierKind.NAME:
        often = profile.present >= OFTEN_NAMED * profile.distinct
        return often and _are_full_names(words, profile) and not evidence.is_of_several_people(column)
    several = profile.distinct > SEVERAL or are_own_mailboxes(profile)
    return profile.present >= OFTEN * profile.distinct and several


def _are_full_names(words: str, profile: ExaminedColumn) -> bool:
    """Whether values are first and last names, neither masked nor names of something else."""
    whole = [text for text in profile.plain if not _GENERALISED.search(text)]
    if len(whole) < ENOUGH_SHARE * len(profile.plain):
        return False
    if profile.look == ENGLISH_NAME or profile.share_like(CHINESE_NAME) >= ENOUGH_SHARE:
        return True
    explicit = words not in terms(WHOLE_NAMES[A_NAME], whole=True)  # just `name` may be that of a product
    return explicit and sum(_WORDS.fullmatch(text) is not None for text in whole) >= ENOUGH_SHARE * len(whole)


def are_own_mailboxes(profile: ExaminedColumn) -> bool:
    """Whether values are e-mail addresses, and hardly any of them is that of an office (`info@`, `ward3@`)."""
    local = [text.partition("@")[0] for text in profile.plain]
    shared = sum(any(term in words_of(text) for term in terms(f"{SHARED_MAILBOXES}, {OFFICES}")) for text in local)
    return profile.look == EMAIL and shared <= (1 - ENOUGH_SHARE) * len(local)


def is_of_others(words: str) -> bool:
    """Whether a name suggests places, institutions, groups, or people other than those of the table."""
    return names_a_place(words) or any(term in words for term in terms(f"{OTHER_PEOPLE}, {OFFICES}, {GROUP_WORDS}"))


def may_be_codes(words: str, profile: ExaminedColumn) -> bool:
    """Whether a column that is no identifier may have codes, handles or names that stand for people.

    Neither its name nor its values mean something else: a place, a group, an amount, a date, a generalised value. A
    name that means something may be that of codes, too (`payroll_no`).
    """
    roles = roles_by_name(words)
    labelled = any(label in words for label in terms(LABEL_WORDS))
    if is_of_others(words) or roles.get(QUASI_IDENTIFIER) in (SEX, AGE) or (roles and not labelled):
        return False
    texts = [text.removesuffix(".0") for text in profile.plain]
    if not texts or profile.look in (DATE, COORDINATES):
        return False
    if all(text.isdecimal() for text in texts):
        return not all(_YEAR.fullmatch(text) for text in texts)
    if 2 * sum(_GENERALISED.search(text) is not None for text in texts) > len(texts):
        return False
    return bool(2 * are_quantities(strings(texts)).true_count < len(texts))


def may_be_amounts(profile: ExaminedColumn) -> bool:
    """Whether values are whole numbers that need not be codes: not counted from 1, and of different lengths."""
    texts = [text.removesuffix(".0") for text in profile.plain]
    if not all(text.isdecimal() for text in texts) or profile.numbered:
        return False
    return len({len(text) for text in texts}) > 1 or len(texts[0]) < 4


def has_digits(profile: ExaminedColumn) -> bool:
    """Whether most values have a digit, as codes do and words do not."""
    return profile.most(lambda text: any(sign.isdigit() for sign in text))


def _subjects(names: Iterable[str], columns: Mapping[str, ExaminedColumn]) -> dict[str, str]:
    """What columns are about that may show whether records belong to one person."""
    subjects = {}
    for name in names:
        words = words_of(name)
        roles = roles_by_name(words)
        if IDENTIFIER in roles or any(term in words for term in terms(OTHER_PEOPLE)):
            continue
        subject = roles.get(QUASI_IDENTIFIER)
        if any(term in words for term in terms(MARITAL)):
            subject = MARITAL_STATUS
        elif subject == A_DATE and any(term in words for term in terms(BIRTH)):
            subject = AGE
        elif not roles and name in columns and _are_sexes(columns[name]):
            subject = SEX
        if subject in (*STRONG, *WEAK, *ACCOMPANYING):
            subjects[name] = subject
    return subjects


def _are_sexes(profile: ExaminedColumn) -> bool:
    values = {words_of(text) for text in profile.plain}
    return len(values & SEXES) >= 2 and len(values) <= len(values & SEXES) + 1


def _in_years(values: Sequence[str | None]) -> dict[str | None, str | None] | None:
    """Ages in steps of some years; None if the values are not ages."""
    present = [value for value in values if value is not None]
    if not present or not all(value.isdecimal() and len(value) <= 3 for value in present):
        return None
    return {value: value if value is None else str(int(value) // STEP) for value in values}


def _changes_by_chance(sizes: ClassSizes, shares: Any) -> float:
    """The expected number of further values in classes of these sizes, if values were assigned at random."""
    return float(
        sum(
            number * (np.sum(1 - (1 - shares) ** size) - 1)
            for size, number in zip(sizes.sizes.tolist(), sizes.classes.tolist(), strict=True)
            if size > 1
        )
    )


def _pairs(sizes: ClassSizes) -> int:
    """The number of pairs of records in the same class."""
    return int(
        sum(
            number * size * (size - 1) // 2
            for size, number in zip(sizes.sizes.tolist(), sizes.classes.tolist(), strict=True)
        )
    )


def _surprise(sizes: ClassSizes, shares: Any) -> float:
    """Decimal digits of the chance that all classes of these sizes agree, if values were assigned at random."""
    logarithms = np.log10(shares[shares > 0])
    most = logarithms.max(initial=-np.inf)
    # The largest share is set apart: its power alone does not become 0 for large classes.
    return -float(
        sum(
            number * (size * most + np.log10(np.sum(10 ** (size * (logarithms - most)))))
            for size, number in zip(sizes.sizes.tolist(), sizes.classes.tolist(), strict=True)
            if size > 1
        )
    )


def suggest_privacy_unit(table: WeightedRows, suggestions: Sequence[Suggestion]) -> str | None:
    """The column that names people who have several records; None if there is none."""
    names = [suggestion.column for suggestion in suggestions]
    identifiers = [suggestion.column for suggestion in suggestions if suggestion.role == IDENTIFIER]
    return find_privacy_unit({name: examine(table, name) for name in names}, identifiers, lambda _names: table, names)
