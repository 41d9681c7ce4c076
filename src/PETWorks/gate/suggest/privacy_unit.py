"""The columns that name people who have several records, found by names, by values and by what goes along with them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import islice
from typing import Any

from PETWorks.about.column_names import (
    A_CONTACT,
    A_DEVICE,
    A_HOUSEHOLD,
    A_NAME,
    A_PERSON_NUMBER,
    A_PLACE,
    AGE,
    AN_ACCOUNT,
    FIRST_NAMES,
    GROUP_WORDS,
    LABEL_WORDS,
    LAST_NAMES,
    NOT_DEVICES,
    OFFICES,
    OTHER_PEOPLE,
    PSEUDONYMS,
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
from PETWorks.about.treatment import person_name, visible_text
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.profiles import are_quantities
from PETWorks.gate.check.unique_values import coordinate_pairs
from PETWorks.gate.suggest.same_person import (
    FEWEST,
    FEWEST_ALONE,
    REPEATED,
    SPELLING,
    Evidence,
    Key,
    Look,
    names_others,
    subjects_of,
)
from PETWorks.gate.suggest.suggestion import (
    CHINESE_NAME,
    COORDINATES,
    DATE,
    ENGLISH_NAME,
    ENOUGH_SHARE,
    FEW_RECORDS,
    GIVEN_NAME,
    KEYS,
    ExaminedColumn,
    Suggestion,
    examine,
    stands_for_people,
)
from PETWorks.tables.arrays import strings

OFTEN, SEVERAL = 1.5, 5  # records per value, and distinct values, if no other column shows it
OFTEN_NAMED = 2  # records per name, if no other column shows it: namesakes are rarer
REACHING = (A_CONTACT, AN_ACCOUNT, A_DEVICE, A_HOUSEHOLD)
LOOKED_AT = 200  # values of a sample that show whether values are codes
MAX_PAIRS, MAX_PAIRS_ELSEWHERE = 200, 10  # pairs of a group and a number that are tried: in memory, in other engines
MAX_GROUPS = 20  # groups in which people may be numbered from 1 on again
MAX_CUT = 1_000_000  # distinct values that are cut into person and visit
_WORDS = re.compile(r"[^\W\d_]+([-'’. ,]+[^\W\d_]+){1,4}\.?")  # several words of letters
_GENERALISED = re.compile(r"[*＊○〇●\[\]{}<>≤≥|…]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(18|19|20)\d\d")
_DAY = re.compile(r"\D*\d{1,4}\D+\d{1,2}\D+\d{1,4}\D*|\d{8}")
_NUMBERED = re.compile(r"(\d{3,})[-_/#:]\d{1,3}")
_DATE = r"(?:18|19|20)\d\d[\W_]?\d{1,2}(?:[\W_]?\d{1,2})?"
# Parts of an id that do not belong to the person: -2, _visit3, (2), 第2次, the b of 12b, -jan, -20240105.
_PARTS = (
    re.compile(rf"(?<=[^\W_])[\W_]+{_DATE}[\W_]*$"),
    re.compile(
        r"(?<=[^\W_])(?:[\W_]+[^\W\d_]{0,8}\d{1,5}[\W_]*|(?<=\d)[\W_]+[^\W\d_]{1,10}\d{0,3}[\W_]*|(?<=\d)[^\W\d_]|第\d+次)$"
    ),
    re.compile(rf"^{_DATE}[\W_]+(?=[^\W_])"),
    re.compile(r"^[^\W\d_]{0,8}\d{1,4}[\W_]+(?=[^\W_])"),
)


_CODE = re.compile(r"(?=.{1,30}$)([^\W\d]+[-_ ]?[^\W\d]*|[^\W\d]+-?\d+[^\W\d]*)")  # surely no quantity
_DECIMAL = re.compile(r"[+-]?\d+\.\d+")  # surely one


class IdentifierKind(IntEnum):
    """The kinds of columns that identify people, the best first."""

    NUMBER = 0  # assigned to a person
    CODE = 1  # named just `id`
    REACH = 2  # an e-mail address, a phone, a card, a device
    STEADY = 3  # anything that attributes of people go along with
    NAME = 4
    OTHER = 5


@dataclass(frozen=True)
class People:
    """People with several records, and what names them.

    columns           one column, or several that name them together
    cut               whether only a part of its values names them, as in `A17-2`
    records, number   of these people
    missing           records in which it is empty
    """

    columns: tuple[str, ...]
    records: int
    number: int
    cut: bool = False
    missing: int = 0

    @property
    def unit(self) -> str | None:
        """The column that can be the privacy unit; None if the table has no such column."""
        return self.columns[0] if len(self.columns) == 1 and not self.cut else None


def find_people(
    columns: Mapping[str, ExaminedColumn],
    identifiers: Collection[str],
    load: Callable[[Sequence[str]], Any],
    names: Iterable[str],
    explained: Collection[str] = (),
    skipped: Collection[str] = (),
) -> People | None:
    """The people who have several records; None if there are none.

    columns       the columns of the table
    identifiers   those that are direct identifiers; of others, only what goes along with their values can show it
    load, names   loads columns of the table, and the names of all of them
    explained     columns that do not name people, as the policy says; two of them together do not either
    skipped       columns that only show whether others name people
    """
    return _Search(columns, identifiers, load, names, explained, skipped).run()


class _Search:
    """The search for people, first by single columns, then by parts of them and by several together."""

    def __init__(
        self,
        columns: Mapping[str, ExaminedColumn],
        identifiers: Collection[str],
        load: Callable[[Sequence[str]], Any],
        names: Iterable[str],
        explained: Collection[str],
        skipped: Collection[str],
    ) -> None:
        self.columns, self.explained = columns, explained
        self.candidates = [name for name in columns if name not in skipped]
        self.words = {column: words_of(column) for column in columns}
        self.subjects = subjects_of(names, columns)
        self.kinds = {column: _kind(self.words[column], columns[column]) for column in columns if column in identifiers}
        self.one_each = any(
            kind == IdentifierKind.NUMBER and columns[column].distinct == columns[column].records > 1
            for column, kind in self.kinds.items()
        )
        self.repeating = [name for name in self.candidates if 0 < columns[name].distinct < columns[name].present]
        self._may_be_codes = cache(lambda column: may_be_codes(self.words[column], columns[column]))
        self.evidence = Evidence(self.subjects, load, self.candidates)

    def run(self) -> People | None:
        """The people, by the best of the columns that name them."""
        candidates: list[tuple[IdentifierKind, bool, int, str]] = []
        together: list[People] = []
        for place, column in enumerate(self.repeating):
            if column in self.explained:
                continue
            found = self._judge(column)
            if isinstance(found, People):
                together.append(found)
            elif found is not None:
                candidates.append((found, self.columns[column].present < self.columns[column].records, place, column))
        best = [column for kind, _, _, column in sorted(candidates) if kind == min(candidates)[0]]
        if not best:
            return together[0] if together else next(self._found_by_parts(), None)
        unit = best[0]
        if len(best) > 1:  # of several numbers of a person, the one with the most records per value
            confirmed = [column for column in best if self.evidence.same_person(Key((column,)), True)]
            unit = min(confirmed, key=lambda column: self.columns[column].distinct, default=unit)
        return People((unit,), self.columns[unit].present, self.columns[unit].distinct)

    def _judge(self, column: str) -> IdentifierKind | People | None:
        """The kind of identifier that a column is, if it names people with several records.

        A number that is given anew in each group names them only together with the group: these are returned then.
        """
        key, profile, words = Key((column,)), self.columns[column], self.words[column]
        if column not in self.kinds:
            enough = profile.present >= max(FEW_RECORDS, REPEATED * profile.distinct) and profile.distinct >= FEWEST
            if not enough or not self._may_be_codes(column):
                return None
            return IdentifierKind.STEADY if self._names_people(column) else None
        kind = self.kinds[column]
        if kind is None:
            return None
        by_name = kind <= IdentifierKind.CODE and not self.one_each
        if profile.distinct == 1 and not (by_name and kind == IdentifierKind.NUMBER):
            return None  # a constant column names one person only if it is a number given to people
        if by_name and profile.distinct > 1 and not self._names_people(column):
            several = self.evidence.is_of_several_people(key)
            for pair in islice((Key((group, column)) for group in self._groups() if group != column), MAX_GROUPS):
                if self._is_pair_of_people(pair):
                    return self._people(pair)
                if (several or self._is_household(pair.columns[0])) and self.evidence.is_unique_within(pair):
                    return None
            vague = kind == IdentifierKind.CODE or words in terms(PSEUDONYMS, whole=True)
            if vague and self.evidence.is_contradicted(key):
                return None
        return kind if by_name or self._repeats(column, kind) else None

    def _names_people(self, column: str) -> bool:
        profile = self.columns[column]
        look = Look(has_digits(profile), may_be_amounts(profile))
        also_named = stands_for_people(self.words[column])
        return self.evidence.names_people(Key((column,)), look, also_named=also_named, one_each=self.one_each)

    def _repeats(self, column: str, kind: IdentifierKind) -> bool:
        """Whether people clearly have several records, by a column that may repeat for other reasons."""
        key, profile, words = Key((column,)), self.columns[column], self.words[column]
        if profile.present < FEW_RECORDS or profile.present < REPEATED * profile.distinct:
            return False
        is_attribute = roles_by_name(words).get(QUASI_IDENTIFIER) in (SEX, AGE)
        if kind == IdentifierKind.OTHER and (is_attribute or any(term in words for term in terms(GROUP_WORDS))):
            return False
        decided = self.evidence.same_person(key, kind <= IdentifierKind.REACH)
        if decided is None and kind > IdentifierKind.REACH and not is_of_others(words):
            decided = True if self._names_people(column) else None
        if decided is not None or self.one_each or kind > IdentifierKind.NAME:
            return decided is True
        if kind == IdentifierKind.NAME:
            often = profile.present >= OFTEN_NAMED * profile.distinct
            return often and _are_full_names(words, profile) and not self.evidence.is_contradicted(key)
        if self._is_household(column) and any(
            self.evidence.is_unique_within(Key((column, other))) for other in self._numbers() if other != column
        ):
            return False  # the members of a household are numbered, and have one record each
        several = profile.distinct > SEVERAL or are_own_mailboxes(profile)
        return profile.present >= OFTEN * profile.distinct and several and not self.evidence.is_contradicted(key)

    def _found_by_parts(self) -> Iterator[People]:
        """People named by a part of the values of a column, or by several columns together."""
        if not self.columns or max(profile.present for profile in self.columns.values()) < FEW_RECORDS:
            return
        for first, last in self._pairs_of_names():
            if self._are_names_of_people(Key((first, last))):
                yield self._people(Key((first, last)))
        if not self.subjects:
            return
        for key, look in self._cut_columns():
            if self._is_open(key) and self.evidence.names_people(key, look):
                yield self._people(key)
        for key in self._pairs_of_group_and_number():
            if self._is_open(key) and self._is_pair_of_people(key):
                yield self._people(key)
        for key, look in self._keys_by_birth_and_home():
            if self._is_open(key) and self.evidence.names_people(key, look, one_each=self.one_each):
                yield self._people(key)

    def _is_open(self, key: Key) -> bool:
        """Whether the policy leaves open for some column that it names people."""
        return not all(column in self.explained for column in key.columns)

    def _people(self, key: Key) -> People:
        sizes = self.evidence.sizes(key)
        return People(key.columns, sizes.records, sizes.number, key.part not in (None, SPELLING))

    def _is_pair_of_people(self, key: Key) -> bool:
        """Whether a group and a number within it name people; a part of the records may show that they do not."""
        some = self.evidence.with_some_of(key.columns[0])
        if some.is_of_several_people(key):
            return False
        sizes = some.sizes(key)
        if sizes.records < REPEATED * sizes.number:
            return False
        return self.evidence.names_people(key, Look(), one_each=self.one_each)

    def _is_household(self, column: str) -> bool:
        return roles_by_name(self.words[column]).get(IDENTIFIER) == A_HOUSEHOLD

    def _groups(self) -> list[str]:
        """The columns that may have groups of people, those with a name that says so first."""
        known, unknown = [], []
        for column in self.repeating:
            profile, words = self.columns[column], self.words[column]
            if not 2 <= profile.distinct <= profile.present / 2 or names_others(words):
                continue
            if self.subjects.get(column) in (None, A_PLACE, WORK) and not _is_generalised(profile):
                if self._is_household(column) or any(term in words for term in terms(f"{OFFICES}, {GROUP_WORDS}")):
                    known.append(column)
                elif names_a_place(words) or self._may_be_codes(column):
                    unknown.append(column)
        return known + unknown

    def _pairs_of_group_and_number(self) -> Iterator[Key]:
        """Columns that may name people together: a class and a seat, a household and a person's number in it."""
        numbers = self._numbers()
        pairs = (
            Key((group, number))
            for group in (self._groups() if numbers else ())
            for number in numbers
            if group != number and self.columns[group].distinct * self.columns[number].distinct >= 2 * FEWEST_ALONE
        )
        return islice(pairs, MAX_PAIRS if numbers and self.evidence.in_memory else MAX_PAIRS_ELSEWHERE)

    def _numbers(self) -> list[str]:
        """The columns that may number people within a group, those with a name that says so first."""
        labelled: list[str] = []
        others: list[str] = []
        for column in self.repeating:
            profile, words = self.columns[column], self.words[column]
            if profile.distinct < 2 or column in self.subjects or is_of_others(words) or not has_digits(profile):
                continue
            if self.kinds.get(column, IdentifierKind.OTHER) in (IdentifierKind.NUMBER, IdentifierKind.CODE):
                labelled.append(column)
            elif self._may_be_codes(column):
                label = any(term in words for term in terms(LABEL_WORDS))
                (labelled if label else others).append(column)
        return labelled + others

    def _pairs_of_names(self) -> Iterator[tuple[str, str]]:
        """Columns with the first and the last names of the same people."""
        first, last = (
            {
                column: reduced
                for column in self.candidates
                if self.kinds.get(column) == IdentifierKind.NAME
                for reduced in [_without(self.words[column], vocabulary)]
                if reduced is not None
            }
            for vocabulary in (FIRST_NAMES, LAST_NAMES)
        )
        for column, rest in first.items():
            for other, other_rest in last.items():
                if rest == other_rest and self._is_open(Key((column, other))):
                    yield column, other
        given = [
            column for column in self.candidates if self.columns[column].look == GIVEN_NAME and column not in first
        ]
        words = [
            column
            for column in self.repeating
            if column not in self.subjects and column not in given and not has_digits(self.columns[column])
        ]
        for column in given:
            for other in words[:MAX_PAIRS_ELSEWHERE]:
                if self._is_open(Key((column, other))):
                    yield column, other

    def _are_names_of_people(self, key: Key) -> bool:
        """Whether first and last names together repeat as those of people with several records do."""
        sizes = self.evidence.sizes(key)
        if sizes.records < max(FEW_RECORDS, REPEATED * sizes.number) or any(
            _is_generalised(self.columns[column]) for column in key.columns
        ):
            return False
        decided = self.evidence.same_person(key, False)
        if decided is not None or self.one_each:
            return decided is True
        if self.evidence.names_people(key, Look(digits=False)):
            return True
        return sizes.records >= OFTEN_NAMED * sizes.number and not self.evidence.is_contradicted(key)

    def _cut_columns(self) -> Iterator[tuple[Key, Look]]:
        """Columns whose values are mostly different and have a part that may repeat: `A17-1`, `A17-2`."""
        for column in self.candidates:
            profile = self.columns[column]
            if profile.present < FEW_RECORDS or 2 * profile.unique < profile.present or profile.distinct > MAX_CUT:
                continue
            roles = roles_by_name(self.words[column])
            if (QUASI_IDENTIFIER in roles and IDENTIFIER not in roles) or names_others(self.words[column]):
                continue
            texts = _some(profile)
            if _differ_in_spelling(texts):
                yield Key((column,), SPELLING), Look()
            for pattern in _PARTS:
                matching = sum(pattern.search(visible_text(text) or "") is not None for text in texts)
                if matching < ENOUGH_SHARE * len(texts):
                    continue
                if _are_numbered(texts) or (profile.look is None and not _are_mostly_quantities(texts)):
                    yield Key((column,), pattern), Look()

    def _keys_by_birth_and_home(self) -> Iterator[tuple[Key, Look]]:
        """Exact birth dates, alone and with a place or the sex, and exact homes."""
        births = [
            column
            for column in self.repeating
            if self.subjects.get(column) == AGE
            and self.columns[column].look == DATE
            and self.columns[column].most(lambda text: _DAY.fullmatch(text.strip()) is not None)
        ]
        for column in births:
            yield Key((column,)), Look(implied=AGE)
        points = list(coordinate_pairs(self.candidates))
        for pair in points:
            if all(
                self.columns[column].distinct >= FEWEST_ALONE
                and self.columns[column].present >= ENOUGH_SHARE * self.columns[column].records
                for column in pair
            ):
                yield Key(pair), Look(implied=A_PLACE)
        for column in self.repeating:
            if self.columns[column].look == COORDINATES:
                yield Key((column,)), Look(implied=A_PLACE)
        others = [
            column
            for column in self.repeating
            if self.subjects.get(column) in (A_PLACE, SEX) and not any(column in pair for pair in points)
        ]
        for column in births:
            for other in others:
                yield Key((column, other)), Look(implied=AGE)


def _kind(words: str, profile: ExaminedColumn) -> IdentifierKind | None:
    """The kind of identifier that a column is; None if it identifies others than the people of the table."""
    if names_others(words):  # the mother's number identifies another person
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


def _without(words: str, vocabulary: str) -> str | None:
    """The words of a name without the first of the vocabulary that it has; None if it has none."""
    found = [term for term in terms(vocabulary) if term in words]
    return words.replace(max(found, key=len), " ").strip() if found else None


def _some(profile: ExaminedColumn) -> list[str]:
    """Some values of a sample, as ordinary characters."""
    return profile.plain[:: 1 + (len(profile.plain) - 1) // LOOKED_AT]


def _differ_in_spelling(texts: Sequence[str]) -> bool:
    """Whether some texts may be other spellings of the same name or number: with a quick look at each alone."""
    if any(len(text) != len(person_name(text) or "") for text in texts):
        return True
    return len({(text == text.upper(), text == text.lower(), text.isascii()) for text in texts}) > 1


def _are_numbered(texts: Sequence[str]) -> bool:
    """Whether most texts are two whole numbers, and the first one is hardly ever a year: `7004-2`."""
    numbers = [found[1] for text in texts if (found := _NUMBERED.fullmatch(text)) is not None]
    years = sum(_YEAR.fullmatch(number) is not None for number in numbers)
    return len(numbers) >= ENOUGH_SHARE * len(texts) and 2 * years < len(numbers)


def _are_mostly_quantities(texts: Sequence[str]) -> bool:
    """Whether half of the texts are numbers, dates, times or coordinates, or long."""
    # Most columns are decided by these; the whole pattern takes milliseconds to compile for each of them.
    if 2 * sum(_CODE.fullmatch(text) is not None for text in texts) > len(texts):
        return False
    if 2 * sum(_DECIMAL.fullmatch(text) is not None for text in texts) >= len(texts):
        return True
    return bool(2 * are_quantities(strings(texts)).true_count >= len(texts))


def _is_generalised(profile: ExaminedColumn) -> bool:
    texts = _some(profile)
    return 2 * sum(_GENERALISED.search(text) is not None for text in texts) > len(texts)


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
    texts = [text.removesuffix(".0") for text in _some(profile)]
    if all(text.isdecimal() for text in texts):
        return bool(texts) and not all(_YEAR.fullmatch(text) for text in texts) and profile.look != DATE
    if _is_generalised(profile) or profile.look in (DATE, COORDINATES):
        return False
    return not _are_mostly_quantities(texts)


def may_be_amounts(profile: ExaminedColumn) -> bool:
    """Whether values are whole numbers that need not be codes: not counted from 1, and of different lengths."""
    texts = [text.removesuffix(".0") for text in profile.plain]
    if not all(text.isdecimal() for text in texts) or profile.numbered:
        return False
    return len({len(text) for text in texts}) > 1 or len(texts[0]) < 4


def has_digits(profile: ExaminedColumn) -> bool:
    """Whether most values have a digit, as codes do and words do not."""
    texts = _some(profile)
    return sum(_DIGIT.search(text) is not None for text in texts) >= max(ENOUGH_SHARE * len(texts), 1)


def suggest_people(table: WeightedRows, suggestions: Sequence[Suggestion]) -> People | None:
    """The people who have several records, by a table in memory and the suggested roles; None if there are none."""
    names = [suggestion.column for suggestion in suggestions]
    identifiers = [suggestion.column for suggestion in suggestions if suggestion.role == IDENTIFIER]
    return find_people({name: examine(table, name) for name in names}, identifiers, lambda _names: table, names)
