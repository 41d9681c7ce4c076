"""Whether records with the same values belong to one person, judged by the other columns of a table."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from PETWorks.about.column_names import (
    A_CONTACT,
    A_DATE,
    A_NAME,
    A_PLACE,
    AGE,
    BIRTH,
    BLOOD_AND_COLOUR,
    BODY,
    DESCENT,
    GROUP_WORDS,
    MARITAL,
    MARITAL_STATUS,
    OCCUPATION,
    OFFICES,
    ORIGIN,
    OTHER_PEOPLE,
    SCHOOLING,
    SEX,
    WHOLE_NAMES,
    WORK,
    roles_by_name,
    terms,
    words_of,
)
from PETWorks.about.treatment import person_name
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.counts import ClassSizes, Grouping
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import class_sizes_question
from PETWorks.gate.suggest.suggestion import NAMES, ExaminedColumn

CHANGING = 0.25  # share of the changes expected by chance; records of one person have fewer
CONTRADICTED = 0.5  # share of them from which records with the same value are of several people
SHARED = 0.7  # share of the differing pairs of records from which a name is that of several people
UNCHANGED = 0.1  # share of them if a single attribute has to prove it
TELLING = 0.2  # changes expected by chance per repeated value, below which a column proves nothing
DECIDED = 1.2  # values for each combination of attributes, up to which these decide them
CERTAIN, LIKELY = 9, 3  # decimal digits of the chance that records agree: of all attributes together, and of each
REPEATED = 1.25  # records per value, if other columns show that they belong to the same person
FEWEST, FEWEST_ALONE = 5, 10  # distinct codes, if two attributes of people go along with them, or only one
FEW_MISSING = 0.1  # share of records without an attribute, which then seem to differ from others of the person
STEP = 5  # years by which an age may differ
ENOUGH_ROWS = 20_000  # records that are enough to see that a key does not name people

DESCENDED, SCHOOLED, EMPLOYED, NAMED = "descent", "schooling", "occupation", "name"  # attributes beside those by name
STRONG = (AGE, BLOOD_AND_COLOUR, BODY)
WEAK = (SEX, ORIGIN, DESCENDED)  # a given name or a ward may decide one of these
# Hardly any place, institution, product or diagnosis decides these.
PERSONAL = (SEX, AGE, MARITAL_STATUS, BLOOD_AND_COLOUR)
LASTING = (DESCENDED, SCHOOLED, BODY)  # a place, a job or a product may decide one of these
ACCOMPANYING = (*PERSONAL, *LASTING, A_PLACE, ORIGIN, WORK, EMPLOYED)
DECISIVE = (SEX, AGE)
# These rule people out where little speaks for them.
CONTRADICTING = (BLOOD_AND_COLOUR, *LASTING, MARITAL_STATUS, EMPLOYED, NAMED)
SEXES = frozenset(terms("m, f, w, d, x, male, female, man, woman, boy, girl, diverse, 男, 女, 男性, 女性", whole=True))
MAX_SEXES = 6  # spellings of them in a column


SPELLING = re.compile("(?!)")  # nothing: only what is spelling is left out of values


@dataclass(frozen=True)
class Key:
    """Columns whose values together may name people.

    part   a pattern of what does not belong to the person, at the end or beginning of the values of one column, which
           are compared without what is only spelling
    """

    columns: tuple[str, ...]
    part: re.Pattern[str] | None = None


@dataclass(frozen=True)
class Look:
    """Properties of the values of a key.

    digits, amounts   whether most have digits, and whether they may be amounts
    implied           a subject that the key decides, which proves nothing: a birth date decides the age
    """

    digits: bool = True
    amounts: bool = False
    implied: str | None = None


@dataclass(frozen=True)
class Agreement:
    """Disagreement in one column of records with the same value of another: 0 if all agree, 1 if as by chance.

    values     further values of the other column, as a share of those expected by chance: one wrong record counts much
    pairs      pairs of records that differ, as a share of those expected by chance: one frequent value counts much
    surprise   decimal digits of the chance that all of them would agree: 9 is one in a billion
    """

    values: float
    pairs: float
    surprise: float

    @property
    def changes(self) -> float:
        """The share that is least affected by a few wrong records, or by one value such as "unknown"."""
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
        self.subjects = subjects
        self._load = cache(lambda: load(list(dict.fromkeys((*columns, *subjects)))))
        self._table = cache(self._make_table)
        self.sizes = cache(self._count_sizes)
        self._agreement = cache(self._measure_agreement)
        self._shares = cache(self._count_shares)
        self._steps = cache(lambda column: _in_steps(self._load().domains[column].values))
        self.with_some_of = cache(self._take_some_of)

    @property
    def in_memory(self) -> bool:
        """Whether the table is in memory, so that many questions are cheap."""
        return isinstance(self._load(), WeightedRows)

    def _take_some_of(self, column: str) -> "Evidence":
        """The evidence of some values of a column, with all their records: enough to reject columns."""
        table = self._load()
        if not isinstance(table, WeightedRows) or table.rows <= 2 * ENOUGH_ROWS or table.weights is not None:
            return self
        column_codes, counts = table.columns[column].codes, table.columns[column].counts
        order = np.random.default_rng(0).permutation(len(counts))
        chosen = np.zeros(len(counts), np.bool_)
        chosen[order[: int(np.searchsorted(np.cumsum(counts[order]), ENOUGH_ROWS)) + 1]] = True
        some = table.take(np.flatnonzero(chosen[column_codes]))
        return Evidence(self.subjects, lambda _columns: some, ())

    def same_person(self, key: Key, also_weak: bool) -> bool | None:
        """Whether records with the same value belong to one person, judged by age or, if `also_weak`, by sex and so on.

        None if no column can decide it.
        """
        answers = []
        for name in self._about((*STRONG, *((*WEAK, MARITAL_STATUS) if also_weak else ())), key):
            agreement = self._of(key, name, ageing=True)
            if agreement is not None:
                # A name that several people share has few ages as well, if each of them has many records.
                differing = 0.0 if also_weak else self._differing_pairs(key, name)
                answers.append(agreement.changes <= CHANGING and differing <= SHARED)
        return any(answers) and not self.is_of_several_people(key) if answers else None

    def is_of_several_people(self, key: Key) -> bool:
        """Whether sex or age change within the values of a key nearly as they would by chance."""
        return self._changes(key, DECISIVE)

    def is_contradicted(self, key: Key) -> bool:
        """Whether anything that people keep changes within the values of a key nearly as it would by chance."""
        return self._changes(key, (*DECISIVE, *CONTRADICTING))

    def _changes(self, key: Key, subjects: Collection[str]) -> bool:
        agreements = (self._of(key, name, ageing=True) for name in self._about(subjects, key))
        return any(agreement is not None and agreement.changes > CONTRADICTED for agreement in agreements)

    def names_people(self, key: Key, look: Look, *, also_named: bool = False, one_each: bool = False) -> bool:
        """Whether attributes of people go along with the values of a key, and nothing else explains it.

        Sex, age, marital status or blood type stay the same, or two of descent, schooling and height, and another
        attribute of people does; one attribute is enough if it never changes within many codes with digits. Amounts
        may depend on two attributes, as a premium does on sex and age: numbers that may be amounts must not be decided
        by them. If only one of sex, age, marital status and blood type does, nothing else that people keep may change.
        Codes of all combinations of these attributes are strata. What a single column of several decides proves nothing
        about them.

        also_named   whether the name of the column means people, who have no amounts
        one_each     whether a number of people is different in every record
        """
        if self.is_of_several_people(key):
            return False
        sizes = self.sizes(key)
        if sizes.records < REPEATED * sizes.number or sizes.number < FEWEST:
            return False
        steady = self._steady(key, look)
        surprises: dict[str, float] = {}
        for name, agreement in steady.items():
            subject = self.subjects[name]
            surprises[subject] = max(agreement.surprise, surprises.get(subject, 0))
        likely = {subject: surprise for subject, surprise in surprises.items() if surprise >= LIKELY}
        personal = sum(subject in PERSONAL for subject in likely)
        if not personal and sum(subject in LASTING for subject in likely) < 2:
            return False
        if sum(likely.values()) < CERTAIN:
            return False
        if len(likely) < 3 and look.amounts and not also_named and self._are_decided_by(key, list(steady)):
            return False
        if len(likely) < 2:
            unchanged = min(agreement.changes for agreement in steady.values()) <= UNCHANGED
            if not unchanged or sizes.number < FEWEST_ALONE or not look.digits:
                return False
        if personal < 2 and (one_each or self.is_contradicted(key)):
            return False
        return not self._are_strata(key, list(steady))

    def _steady(self, key: Key, look: Look) -> dict[str, Agreement]:
        """The columns about people that hardly change within a value, and are not decided by a part of the key.

        Ages must agree in most pairs of records: a school class has few ages as well. So must everything within the
        values of several columns.
        """
        found = {}
        for name in self._about(ACCOMPANYING, key):
            subject, several = self.subjects[name], len(key.columns) > 1
            agreement = self._of(key, name) if subject != look.implied else None
            if agreement is None:
                continue
            differing = agreement.pairs if subject == AGE else agreement.changes
            if (self._differing_pairs(key, name) if several else differing) > CHANGING:
                continue
            if several and look.implied != A_PLACE and self._is_decided_by_part(key, name):
                continue
            found[name] = agreement
        return found

    def _is_decided_by_part(self, key: Key, name: str) -> bool:
        parts = (self._of(Key((column,)), name, ageing=True) for column in key.columns)
        return any(part is not None and part.pairs <= CONTRADICTED for part in parts)

    def is_unique_within(self, key: Key) -> bool:
        """Whether hardly any records share the values of two columns, although many would by chance."""
        sizes = self.sizes(key)
        by_chance = math.prod(float(np.sum(self._shares(column) ** 2)) for column in key.columns)
        expected = by_chance * sizes.records * (sizes.records - 1) / 2
        return expected >= FEWEST_ALONE and _pairs(sizes) <= 0.05 * expected

    def _are_strata(self, key: Key, steady: Sequence[str]) -> bool:
        """Whether values number the combinations of other columns, and most possible combinations occur.

        Such numbers may also depend on ages that vary within each of them: a tariff depends on the decade.
        """
        sizes = self.sizes(key)
        if max(self._count_values(name) for name in steady) > sizes.number / 2:
            return False
        varying = [name for name in self._about(DECISIVE, key) if name not in steady]
        for others in ((*steady,), (*steady, *varying))[: 1 + bool(varying)]:
            named = (*others, *key.columns[:-1])  # within a group, its number may depend on these
            possible = math.prod(map(self._count_values, named))
            if possible > sizes.records:
                continue
            alone, jointly = self._count_with(key, named)
            if jointly <= 1.05 * alone and 2 * alone >= possible:
                return True
        return False

    def _are_decided_by(self, key: Key, others: Sequence[str]) -> bool:
        """Whether hardly any combination of values of other columns goes with several values of a key."""
        alone, jointly = self._count_with(key, others)
        return jointly <= DECIDED * alone

    def _count_with(self, key: Key, others: Sequence[str]) -> tuple[int, int]:
        """The number of combinations of values of other columns, and of these with the values of a key."""
        table = self._table(key)
        groupings = [
            Grouping(names, names, True, True) for names in ((*others,), tuple(dict.fromkeys((*others, *key.columns))))
        ]
        alone, jointly = table.ask([class_sizes_question(table, grouping) for grouping in groupings])
        return alone.number, jointly.number

    def _count_values(self, column: str) -> int:
        return int(np.count_nonzero(self._shares(column)))

    def _about(self, subjects: Collection[str], key: Key) -> Iterable[str]:
        return (name for name, subject in self.subjects.items() if subject in subjects and name not in key.columns)

    def _of(self, key: Key, other: str, *, ageing: bool = False) -> Agreement | None:
        """The agreement of records in another column, in steps of years if `ageing`; None if it proves nothing."""
        agreement = self._agreement(key, other, False)
        if ageing and agreement is not None and agreement.changes > CHANGING and self.subjects[other] in (AGE, BODY):
            return self._agreement(key, other, True)
        return agreement

    def _differing_pairs(self, key: Key, other: str) -> float:
        """The share of pairs of records that differ in another column, also in steps of years."""
        steps = (False, True) if self.subjects[other] in (AGE, BODY) else (False,)
        return min(agreement.pairs for step in steps if (agreement := self._agreement(key, other, step)) is not None)

    def _make_table(self, key: Key) -> Any:
        table = self._load()
        if key.part is None:
            return table
        (column,) = key.columns
        pattern = key.part
        values = table.domains[column].values
        return table.generalise({column: {text: pattern.sub("", person_name(text) or "") or text for text in values}})

    def _count_sizes(self, key: Key) -> ClassSizes:
        """The histogram of the number of records per value of a key."""
        table = self._table(key)
        sizes: ClassSizes = table.ask([class_sizes_question(table, Grouping(key.columns, key.columns, True, True))])[0]
        return sizes

    def _count_shares(self, column: str) -> Any:
        table = self._load()
        if isinstance(table, WeightedRows) and table.weights is None:
            return table.columns[column].counts / max(table.rows, 1)  # a marginal would make a list of all values
        return table.marginal(column).shares

    def _missing_share(self, column: str) -> float:
        code = self._load().domains[column].code(None)
        return 0.0 if code is None else float(self._shares(column)[code])

    def _measure_agreement(self, key: Key, other: str, in_steps: bool) -> Agreement | None:
        steps = self._steps(other) if in_steps else None  # people become older
        if in_steps and steps is None:
            return self._agreement(key, other, False)
        alone, table, shares = self.sizes(key), self._table(key), self._shares(other)
        repeated = int(alone.classes[alone.sizes > 1].sum())
        if not repeated:
            return None
        if steps is not None:
            table = table.generalise({other: steps})
            shares = table.marginal(other).shares
        by_chance = _changes_by_chance(alone, shares)
        if by_chance < TELLING * repeated:
            return None
        grouping = Grouping((*key.columns, other), key.columns, True, True)
        jointly: ClassSizes = table.ask([class_sizes_question(table, grouping)])[0]
        differing = (_pairs(alone) - _pairs(jointly)) / _pairs(alone)
        missing = self._missing_share(other)
        if 0 < missing <= FEW_MISSING:  # an attribute that is missing here and there does not change
            differing = max((differing - 2 * missing * (1 - missing)) / (1 - missing) ** 2, 0.0)
        return Agreement(
            (jointly.number - alone.number) / by_chance,
            differing / float(1 - np.sum(shares**2)),
            _surprise(alone, shares),
        )


def subjects_of(names: Iterable[str], columns: Mapping[str, ExaminedColumn]) -> dict[str, str]:
    """The subjects of those columns that may show whether records belong to one person."""
    subjects = {}
    for name in names:
        words = words_of(name)
        if any(term in words for term in terms(OTHER_PEOPLE)):
            continue
        subject = _subject(words, columns.get(name))
        if subject in (*STRONG, *WEAK, *ACCOMPANYING, NAMED):
            subjects[name] = subject
    return subjects


def _subject(words: str, profile: ExaminedColumn | None) -> str | None:
    roles = roles_by_name(words)
    if IDENTIFIER in roles or (profile is not None and not roles and profile.look in NAMES):
        own = roles.get(IDENTIFIER, A_NAME) == A_NAME and words not in terms(WHOLE_NAMES[A_NAME], whole=True)
        return NAMED if own and not any(term in words for term in terms(f"{OFFICES}, {GROUP_WORDS}")) else None
    for subject, vocabulary in {
        MARITAL_STATUS: MARITAL,
        BLOOD_AND_COLOUR: BLOOD_AND_COLOUR,
        DESCENDED: DESCENT,
        SCHOOLED: SCHOOLING,
        EMPLOYED: OCCUPATION,
    }.items():
        if any(term in words for term in terms(vocabulary)):
            return subject
    if roles.get(QUASI_IDENTIFIER) == A_DATE and any(term in words for term in terms(BIRTH)):
        return AGE
    return SEX if not roles and profile is not None and _are_sexes(profile) else roles.get(QUASI_IDENTIFIER)


def names_others(words: str) -> bool:
    """Whether a name means people other than those of the table, as `contact` does without an address or number."""
    others = [term for term in terms(OTHER_PEOPLE) if term in words]
    return bool(others) and (others != [" contact "] * len(others) or not _is_way_to_reach(words))


def _is_way_to_reach(words: str) -> bool:
    return roles_by_name(words).get(IDENTIFIER) == A_CONTACT


def _are_sexes(profile: ExaminedColumn) -> bool:
    if profile.distinct > MAX_SEXES:
        return False
    values = {words_of(text) for text in profile.plain}
    return len(values & SEXES) >= 2 and len(values) <= len(values & SEXES) + 1


_MEASURED = re.compile(r"\d{1,3}(\.\d{1,2})?")


def _in_steps(values: Sequence[str | None]) -> dict[str | None, str | None] | None:
    """Ages in steps of some years, or heights in steps of some centimetres; None if the values are neither."""
    present = [value for value in values if value is not None]
    if not present or not all(_MEASURED.fullmatch(value) for value in present):
        return None
    return {value: value if value is None else str(int(float(value)) // STEP) for value in values}


def _changes_by_chance(sizes: ClassSizes, shares: Any) -> float:
    """The expected number of further values in classes of these sizes, if values were assigned at random."""
    distinct, times = np.unique(shares, return_counts=True)  # many values of a column are equally frequent
    repeated = sizes.sizes > 1
    missing = (1 - distinct)[:, None] ** sizes.sizes[repeated]
    return float(sizes.classes[repeated] @ (times @ (1 - missing) - 1))


def _pairs(sizes: ClassSizes) -> int:
    """The number of pairs of records in the same class."""
    return int(sizes.classes @ (sizes.sizes * (sizes.sizes - 1) // 2))


def _surprise(sizes: ClassSizes, shares: Any) -> float:
    """Decimal digits of the chance that all classes of these sizes agree, if values were assigned at random."""
    distinct, times = np.unique(shares[shares > 0], return_counts=True)
    logarithms, repeated = np.log10(distinct), sizes.sizes > 1
    most = logarithms.max(initial=-np.inf)
    large = sizes.sizes[repeated]
    # The largest share is handled separately: its power alone does not become 0 for large classes.
    rest = np.log10(times @ 10 ** ((logarithms - most)[:, None] * large))
    return -float(sizes.classes[repeated] @ (large * most + rest))
