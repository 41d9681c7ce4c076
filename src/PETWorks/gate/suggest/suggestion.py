"""A suggested role for each column of an unknown table, by its name, its values and their uniqueness.

With many quasi-identifiers, also which of them a steward should decide about first.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from PETWorks.about.column_names import (
    A_DATE,
    A_HOUSEHOLD,
    A_PLACE,
    AGE,
    BODY,
    LABEL_WORDS,
    NAME_WORDS,
    ORIGIN,
    PSEUDONYMS,
    REMARKS,
    SEEN,
    SEX,
    SUBJECTS,
    WORK,
    counts_visits,
    may_name_a_household,
    may_name_a_result,
    may_name_a_sampling_weight,
    names_a_result,
    names_a_sampling_weight,
    roles_by_name,
    terms,
    words_of,
)
from PETWorks.about.hierarchies.dates import is_ambiguous_date
from PETWorks.about.hierarchies.proposal import Proposal
from PETWorks.about.personal_details import (
    EMAIL,
    NATIONAL_ID,
    PAYMENT_CARD,
    PHONE,
    STREET,
    has_luhn_digit,
    is_taiwanese,
)
from PETWorks.about.treatment import fold_value
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import Column
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.profiles import MAX_SAMPLED_LENGTH, Profile, are_quantities, profile_of
from PETWorks.errors import Counted, Phrase
from PETWorks.gate.suggest.protection_proposal import ProposedProtection
from PETWorks.measures.numbers import percent
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED, is_number
from PETWorks.tables.headers import is_chinese_name, is_english_name, is_given_name

# Each is also translated; {what} is a subject of the vocabulary, or a kind of value.
REASONS = {
    "named": "the name points to {what}",
    "named-unique": "the name points to {what}, but nearly every record has a unique text",
    "looks": "{share} of the values look like {what}",
    "mixed": "most of the values look like {what}",
    "empty": "no suggestion",
    "same": "the same value in every record, which distinguishes nobody",
    "few": "the cautious choice: the name is unknown and the records are few",
    "labelled": "named like a label, and there are nearly as many values as records",
    "assigned": "nearly unique whole numbers that look assigned rather than measured",
    "precise": "a precise number identifies people to anyone who knows it",
    "unique": "nearly every record has a unique text",
    "not-released": "only the original has it",
    "exact": "too many records could be found by their own value, and the values cannot be rounded",
    "details": "{n} phone numbers, addresses, names or other personal details inside the texts",
    "remarks": "remarks, in which people may be described",
    "long": "long texts, in which people may be named",
    "cautious": "the cautious choice: the name is unknown and an adversary may know the value",
    "result": "the name points to a result that few outsiders know; if many do, it is a quasi-identifier",
    "results": "the values look like results of a test; if many outsiders know them, it is a quasi-identifier",
    "counts": "it counts how often a person was seen; if many outsiders know that, it is a quasi-identifier",
    "perhaps-result": "the cautious choice; if it is a result that no outsider knows, it is sensitive",
    "people": "people have several records: their sex, age and the like go along with the values",
    "weight": "the name points to sampling weights, and all values are positive numbers: give it as sampling_weight",
    "other-weight": "a further sampling weight, which identifies strata",
    "beside": "as the YAML file beside the table says",
}


@dataclass(frozen=True)
class Reason:
    """The reason for a suggestion; `part` of `whole` values look like `what`, or `whole` is a number of records."""

    kind: str
    what: str | None = None
    part: int = 0
    whole: int = 0

    def __str__(self) -> str:
        share = share_of(self.part, self.whole) if self.whole else ""
        return REASONS[self.kind].format(what=self.what, share=share, n=f"{self.whole:,}")


def share_of(part: int, whole: int) -> Phrase:
    """A share in per cent, rounded as everywhere: 100 % only if all, 0 % only if none."""
    return Phrase("{n} %", n=percent(part / whole, ""))


_AMOUNT = re.compile(r"[<>=≤≥~ ]{0,3}(NT|US)?[$€£¥]? ?[+-]?(\d[\d,.]*|\.\d+)(e[+-]?\d+)?([%元€kKM]| [A-Za-zµ°/]{1,8})?")
_TAIWANESE = re.compile(r"(?<![A-Z\d])([A-Z]) ?([1289A-D]) ?(\d{8})(?![A-Z\d])", re.ASCII)
_MAINLAND = re.compile(r"\d{6}(19|20)\d{9}[\dXx]", re.ASCII)
_AMERICAN = re.compile(r"\d{3}-\d\d-\d{4}", re.ASCII)
_OF_THE_NHS = re.compile(r"[3467]\d{2}([ -]?)\d{3}\1\d{4}", re.ASCII)
_CARD = re.compile(r"[2-6]\d{12,18}", re.ASCII)
ENOUGH_SHARE = 0.8  # share of the values that decides the kind of a column
FEW_RECORDS = 20  # among fewer records, uniqueness means little
NEARLY = 0.9  # share of records with a unique value that makes a column nearly unique


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _is_national_id(text: str) -> bool:
    """Whether a text looks like an American, mainland Chinese or Taiwanese identity number, or one of the British NHS.

    Chinese, Taiwanese and British numbers must have a valid check digit. A Taiwanese number (also of a residence
    permit, old or new) is found anywhere in the text.
    """
    if _MAINLAND.fullmatch(text):
        return "10X98765432"[sum((1 << (17 - n)) * int(text[n]) for n in range(17)) % 11] == text[17].upper()
    if _AMERICAN.fullmatch(text):
        return True
    if _OF_THE_NHS.fullmatch(text):  # one of eleven phone numbers has this digit as well, but not most of a column
        digits = [int(sign) for sign in text if sign.isdecimal()]
        return sum(weight * digit for weight, digit in zip(range(10, 0, -1), digits, strict=True)) % 11 == 0
    return any(is_taiwanese("".join(number)) for number in _TAIWANESE.findall(text.replace("-", "").upper()))


def _is_card_number(text: str) -> bool:
    """Whether a text has the length and the check digit of a payment card."""
    bare = text.replace(" ", "").replace("-", "")
    return _CARD.fullmatch(bare) is not None and has_luhn_digit(bare)


DATE = "dates or times"
CHINESE_NAME, ENGLISH_NAME = "Chinese names of people", "English names of people"
GIVEN_NAME = "given names of people"
COORDINATES, KEYS = "exact coordinates", "generated keys"
LOOKS: dict[str, Callable[[str], bool]] = {
    EMAIL: _matches(r"([^@<>]{0,64}<)?[^@\s<>]{1,64}@[^@\s<>]+\.[^@\s.<>]{2,24}>?"),
    NATIONAL_ID: _is_national_id,
    PAYMENT_CARD: _is_card_number,
    PHONE: _matches(r"\+\d[\d ()-]{7,18}\d|09\d\d[ -]?\d{3}[ -]?\d{3}|\(?0?\d{2,3}\)?[ -]\d{3,4}[ -]?\d{4}"),
    "network addresses": _matches(
        # Version numbers begin with a single digit, which addresses rarely do.
        r"[1-9]\d{1,2}(\.\d{1,3}){3}|[\da-fA-F]{0,4}(::?[\da-fA-F]{1,4}){3,7}|[\dA-F]{2}(-[\dA-F]{2}){5}"
    ),
    "links": _matches(r"https?://\S+"),
    KEYS: _matches(r"[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|[\da-fA-F]{32,128}"),
    CHINESE_NAME: is_chinese_name,
    ENGLISH_NAME: is_english_name,
    GIVEN_NAME: is_given_name,
    STREET: _matches(
        r".{0,60}[路街道段巷弄村里鄰].{0,20}[\d一二三四五六七八九十百]號.{0,40}|"
        r"\d{1,5}[A-Za-z]? [A-Z][^\d,]{1,40} (?i:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd)\b.{0,80}"
    ),
    COORDINATES: _matches(r"[(\[]?[+-]?\d?\d\.\d{4,}°? ?[NS]?[,;/ ] ?[+-]?1?\d?\d\.\d{4,}°? ?[EW]?[)\]]?"),
    DATE: _matches(
        r"\d{4}[-/]\d{1,2}|\d{4}([-/.])\d{1,2}\1\d{1,2}([ T].{0,30})?|"
        r"\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([ T].{0,30})?|\d{1,2}(:\d\d){1,2}"
        r"|(民國)? ?\d{2,4} ?[年/.-] ?\d{1,2} ?[月/.-] ?\d{1,2} ?日?|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
    ),
}


NAMES = (CHINESE_NAME, ENGLISH_NAME, GIVEN_NAME)
SPOTS = (STREET, COORDINATES)  # the home of a person, or a place where many people have been
MIXED, MOST = "numbers or addresses of people", 0.5  # several kinds together, and the share that suffices
PERSONAL = (EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE)
MAX_DETAILS = 5  # personal details that the texts of a column may contain
# Many names do not contain a common given name, but hardly any other kind of column does.
ENOUGH_BY_LOOK = {ENGLISH_NAME: 0.25, GIVEN_NAME: 0.4}
LEAST = {CHINESE_NAME: FEW_RECORDS, ENGLISH_NAME: 5, GIVEN_NAME: 5}


def _plain(text: str) -> str:
    """The text without surrounding blanks, with ordinary letters and digits instead of full-width ones."""
    return unicodedata.normalize("NFKC", text)[:MAX_SAMPLED_LENGTH].strip()


def looks_personal(text: str) -> bool:
    """Whether a text looks like a date, an address or a personal number. Names are not tested: words look alike."""
    text = _plain(text)
    return any(matches(text) for look, matches in LOOKS.items() if look not in NAMES)


_NEGATIVE = re.compile(r"(.*?)\W*(\bnegative|\bneg|[-−–]|non ?-?reactive|not detected|undetected|陰性|未檢出)\W*")
_POSITIVE = re.compile(r"(.*?)\W*(\bpositive|\bpos|\+|\breactive|\bdetected|陽性|檢出)\W*")
_UNDECIDED = ("indeterminate", "inconclusive", "equivocal", "borderline", "invalid", "不確定", "無法判定")


def are_test_results(texts: Sequence[str]) -> bool:
    """Whether the distinct values of a column say positive and negative of one thing, and nothing else.

    >>> [are_test_results(texts) for texts in (["HIV+", "HIV-"], ["陽性", "陰性", "未檢測"], ["Neg.", "Pos."])]
    [True, True, True]
    >>> [are_test_results(texts) for texts in (["A+", "B-"], ["positive"], ["positive", "negative", "blue"])]
    [False, False, False]
    """
    known = [text for text in map(fold_value, texts) if text is not None and text not in _UNDECIDED]
    found = []
    for text in known:
        negative = _NEGATIVE.fullmatch(text)
        match = negative or _POSITIVE.fullmatch(text)
        if match is None:
            return False
        found.append((match[1], negative is not None))
    return len({about for about, _ in found}) == 1 and {is_negative for _, is_negative in found} == {True, False}


MOST_LABELS = 100  # of a column of categories
LEAST_WORD = 4  # letters of a word that its initial stands for, if it is the only one
_BETWEEN = re.compile(r"(?<=\w)[\s.,'’_/-]+(?=\w)|\.$")


def are_spelled_differently(labels: Sequence[str]) -> bool:
    """Whether some labels of a few are perhaps one: they differ in case, blanks or punctuation, or are initials.

    >>> [are_spelled_differently(labels) for labels in (["F", "M", "Female"], ["I21.9", "I219"], ["North", "NORTH"])]
    [True, True, True]
    >>> [are_spelled_differently(labels) for labels in (["A", "B", "AB", "O"], ["A+", "A-"], ["1.5", "15", "1.5 mg"])]
    [False, False, False]
    """
    texts = [text for text in map(_plain, labels) if text not in ("", SUPPRESSED) and not _AMOUNT.fullmatch(text)]
    words = [text.casefold() for text in texts]
    if len({_BETWEEN.sub("", word) for word in words}) < len(words):
        return True
    begins = [[word for word in words if word[0] == letter and len(word) > 1] for letter in words if len(letter) == 1]
    named = [found[0] for found in begins if len(found) == 1 and found[0].isalpha()]
    return len(named) > 1 or any(len(word) >= LEAST_WORD for word in named)


@dataclass(frozen=True)
class ExaminedColumn(Profile):
    """A profile, and the conclusions from it."""

    @classmethod
    def of(cls, profile: Profile) -> "ExaminedColumn":
        """The profile as one that can be examined."""
        return cls(**vars(profile))

    @property
    def facts(self) -> Phrase:
        """The counts as a phrase."""
        records = Counted("{n:,} record", "{n:,} records", n=self.records)
        if self.present == 0:
            return Phrase("no value in {records}", records=records)
        values = Counted("{n:,} distinct value", "{n:,} distinct values", n=self.distinct)
        unique = Phrase("no record has a unique one")
        if self.unique:
            share = share_of(self.unique, self.records)
            unique = Phrase("{share} of {records} have a unique one", share=share, records=records)
        counts = Phrase("{values}, {unique}", values=values, unique=unique)
        if self.present == self.records:
            return counts
        share = share_of(self.records - self.present, self.records)
        return Phrase("{counts}, {share} without a value", counts=counts, share=share)

    @property
    def nearly_unique(self) -> bool:
        """Whether nearly every record with a value has a unique one."""
        return self.present >= FEW_RECORDS and self.unique >= NEARLY * self.present

    @property
    def nearly_unique_codes(self) -> bool:
        """Whether values are nearly unique, and not numbers, dates or long texts, which another rule handles."""
        return self.nearly_unique and 2 * are_quantities(strings(self.sample)).true_count < len(self.sample)

    @cached_property
    def measured(self) -> bool:
        """Whether most values are numbers, possibly with a unit."""
        return self.most(lambda text: _AMOUNT.fullmatch(text) is not None)

    @property
    def counted(self) -> bool:
        """Whether the values are a few small whole numbers."""
        return self.distinct <= MOST_COUNTS and all(text.removesuffix(".0").isdecimal() for text in self.sample)

    @property
    def numbered(self) -> bool:
        """Whether the values are whole numbers that look assigned: consecutive, or long and of equal length."""
        texts = [
            text.removesuffix(".0") for text in self.sample
        ]  # pandas turns whole numbers into floats if some are missing
        if not all(text.isdecimal() and len(text) <= 30 for text in texts):
            return False
        one_length = len({len(text) for text in texts}) == 1 and len(texts[0]) >= 6
        return one_length or max(map(int, texts)) - min(map(int, texts)) <= 1.2 * self.distinct

    @cached_property
    def look(self) -> str | None:
        """The kind of value that most values look like; None if it is no known kind."""
        some = self.plain[:: 1 + len(self.plain) // 100]
        for look, test in LOOKS.items():
            alike = self._alike(look) if any(map(test, some)) else 0
            enough = ENOUGH_BY_LOOK.get(look, ENOUGH_SHARE)
            # Other words begin like surnames too, so a handful of them proves nothing.
            if alike >= max(enough * len(self.sample), LEAST.get(look, 1)) and not self._too_short(look):
                return look
        return None

    @cached_property
    def plain(self) -> list[str]:
        """The sample with ordinary letters and digits."""
        return [_plain(text) for text in self.sample]

    def _too_short(self, look: str) -> bool:
        """Whether values are mostly repeated words of two characters, such as places: Chinese names are longer."""
        short = 2 * sum(len(text) <= 2 for text in self.sample) > len(self.sample)
        return look == CHINESE_NAME and short and self.distinct < self.present / 2

    def share_like(self, look: str) -> float:
        """The share of the values that look like this kind."""
        return self._alike(look) / max(len(self.sample), 1)

    @cached_property
    def personal_share(self) -> float:
        """The share of the values that look like a personal number or address of any kind."""
        return sum(any(LOOKS[look](text) for look in PERSONAL) for text in self.plain) / max(len(self.sample), 1)

    @property
    def seen(self) -> Reason:
        """The kind that most values look like, as a reason."""
        return Reason("looks", self.look, self._alike(self.look or DATE), len(self.sample))

    def _alike(self, look: str) -> int:
        return sum(map(LOOKS[look], self.plain))

    def most(self, test: Callable[[str], bool]) -> bool:
        """Whether most values pass a test."""
        return sum(map(test, self.sample)) >= max(ENOUGH_SHARE * len(self.sample), 1)


def stands_for_people(words: str) -> bool:
    """Whether the name of a column consists of a word for people or their pseudonyms, and nothing else."""
    return words in terms(f"{SUBJECTS}, {PSEUDONYMS}", whole=True)


MOST_RESULTS = 8  # distinct values of a test
MOST_COUNTS = 200  # distinct numbers of visits
FEWEST_CODES = 10  # distinct values, below which a column named `case` or `code` holds categories
SENTENCE = 12  # characters, from which a remark is not a code


@dataclass(frozen=True)
class Suggestion:
    """A suggested role for a column with the reason; no role if nothing suggests one."""

    column: str
    role: str | None
    why: Reason
    facts: str = ""  # the counts as a phrase
    hierarchy: Proposal | None = None
    protect: ProposedProtection | None = None
    records: int | None = None  # of the table
    values: float = 1.0  # of a quasi-identifier: the number of equally common values with the same information
    unread_dates: bool = False  # whether its values look like dates that cannot be read
    spellings: bool = False  # whether some of its labels are perhaps the same in another spelling

    @property
    def reason(self) -> str:
        """The reason in English, with the counts."""
        return f"{self.why}{':' if self.role is None else ';'} {self.facts}" if self.adds_facts else str(self.why)

    @property
    def adds_facts(self) -> bool:
        """Whether the counts add anything to the reason."""
        return self.why.kind not in ("same", "beside", "not-released")


def suggest_roles(table: WeightedRows, columns: Sequence[str], unit: str | None = None) -> list[Suggestion]:
    """A suggested role for each of these columns, in their order.

    unit   the column that names the person; with it, a value in many records may still be that of one person
    """
    suggestions = []
    is_survey = any(_names_households(column, examine(table, column)) for column in columns)
    for column in columns:
        profile = examine(table, column)
        suggestion = suggest_role(column, profile)
        if is_survey and looks_like_weights(words_of(column), profile.sample, is_survey=True):
            suggestion = Suggestion(column, None, Reason("weight"), profile.facts)
        if suggestion.why.kind == "cautious" and column in (columns[0], columns[-1]) and profile.distinct == 2:
            suggestion = replace(suggestion, why=Reason("perhaps-result"))
        if column == unit:
            suggestion = as_unit(suggestion)
        elif unit is not None and suggestion.why.kind != "weight":
            suggestion = replace(
                suggest_role(column, examine(table, column, table.columns[unit])), facts=suggestion.facts
            )
        suggestions.append(replace(suggestion, records=table.rows))
    return suggestions


def as_unit(suggestion: Suggestion) -> Suggestion:
    """The suggestion for the column that names the person, which must not stay in a release."""
    if suggestion.role == IDENTIFIER:
        return suggestion
    return replace(suggestion, role=IDENTIFIER, why=Reason("people"))


def suggest_role(column: str, profile: ExaminedColumn) -> Suggestion:
    """A suggested role for a column.

    Tried in this order: a name that means an identifier, the look of the values, any other meaning of the name,
    results of people, and uniqueness. Everything else becomes a quasi-identifier: a reviewer can undo that, but would
    not notice a risk that was not computed. What is proposed as a result has a reason that says what speaks against it.
    """
    if looks_like_weights(words_of(column), profile.sample):
        return Suggestion(column, None, Reason("weight"), profile.facts)
    role, why = _role_and_reason(words_of(column), profile)
    if _names_households(column, profile):
        role, why = IDENTIFIER, Reason("named", A_HOUSEHOLD)
    may_count = why.kind in ("cautious", "few") or (why.kind, why.what) == ("named", SEEN)
    if role == QUASI_IDENTIFIER and may_count and counts_visits(column) and profile.counted:
        role, why = SENSITIVE_ATTRIBUTE, Reason("counts", why.what)
    return Suggestion(
        column,
        role,
        why,
        profile.facts,
        unread_dates=profile.most(is_ambiguous_date),
        spellings=profile.distinct <= MOST_LABELS and are_spelled_differently(profile.sample),
    )


def _names_households(column: str, profile: ExaminedColumn) -> bool:
    """Whether a column has the numbers of households: by its name, or by a name and as many values as households."""
    words = words_of(column)
    if roles_by_name(words).get(IDENTIFIER) == A_HOUSEHOLD:
        return True
    return may_name_a_household(words) and profile.distinct >= max(FEW_RECORDS, profile.records / TEN_MEMBERS)


TEN_MEMBERS = 10  # most households are smaller
HEAVY = 1000.0  # more kilograms or pounds than a person weighs
PRECISE_DIGITS = 3  # decimals that no scale for people shows


def looks_like_weights(words: str, texts: Sequence[str], *, is_survey: bool = False) -> bool:
    """Whether a column has sampling weights: by its name, or by a name and values that no body's weight has.

    is_survey   whether the table has numbers of households
    """
    certain = names_a_sampling_weight(words)
    if not texts or not (certain or may_name_a_sampling_weight(words)) or not all(map(is_number, texts)):
        return False
    numbers = [float(text) for text in texts]
    precise = sum(len(text.partition(".")[2]) >= PRECISE_DIGITS for text in texts)
    return min(numbers) > 0 and (certain or is_survey or max(numbers) > HEAVY or precise > len(texts) / 2)


_EXAMINED: WeakKeyDictionary[WeightedRows, dict[str, ExaminedColumn]] = WeakKeyDictionary()


def examine(table: WeightedRows, column: str, people: Column | None = None) -> ExaminedColumn:
    """The profile of a column; it counts people if `people` is given, otherwise it is computed once for each table."""
    if people is not None:
        return ExaminedColumn.of(profile_of(table.columns[column], table.rows, column, people))
    known = _EXAMINED.setdefault(table, {})
    if column not in known:
        known[column] = ExaminedColumn.of(profile_of(table.columns[column], table.rows, column))
    return known[column]


def _role_and_reason(words: str, profile: ExaminedColumn) -> tuple[str | None, Reason]:
    """The role of a column and the reason."""
    roles, look = roles_by_name(words), profile.look
    if IDENTIFIER in roles:
        return IDENTIFIER, Reason("named", roles[IDENTIFIER])
    if look and look != DATE:
        return IDENTIFIER, profile.seen
    if profile.personal_share >= MOST and profile.distinct >= FEW_RECORDS:
        return IDENTIFIER, Reason("mixed", MIXED)
    if sum(profile.details.values()) > MAX_DETAILS:
        return IDENTIFIER, Reason("details", whole=sum(profile.details.values()))
    if any(term in words for term in terms(REMARKS)) and any(len(text) >= SENTENCE for text in profile.sample):
        return IDENTIFIER, Reason("remarks")
    is_text = profile.nearly_unique and not profile.measured and not look
    if SENSITIVE_ATTRIBUTE in roles and (is_text or profile.nearly_unique_codes):
        return IDENTIFIER, Reason("named-unique", roles[SENSITIVE_ATTRIBUTE])
    for role in (SENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER):
        if role in roles:
            return role, Reason("named", roles[role])
    if profile.present == 0:
        return None, Reason("empty")
    if profile.distinct == 1 < profile.present == profile.records:
        return INSENSITIVE_ATTRIBUTE, Reason("same")
    if look:
        return QUASI_IDENTIFIER, profile.seen
    if profile.distinct <= MOST_RESULTS and are_test_results(profile.sample):
        return SENSITIVE_ATTRIBUTE, Reason("results")
    role, why = _by_uniqueness(words, profile)
    if why.kind in ("cautious", "few", "precise") and names_a_result(words):
        return SENSITIVE_ATTRIBUTE, Reason("result")
    if why.kind == "cautious" and may_name_a_result(words):
        return role, Reason("perhaps-result")
    return role, why


def _are_codes(profile: ExaminedColumn) -> bool:
    """Whether values look assigned to people or records: many, and consecutive or letters with digits."""
    if profile.distinct < FEWEST_CODES:
        return False
    mixed = profile.most(lambda text: text.isalnum() and not text.isalpha() and not text.isdecimal())
    return mixed or profile.numbered


def _by_uniqueness(words: str, profile: ExaminedColumn) -> tuple[str, Reason]:
    """The role and reason for a column whose name and kind of value are not conclusive."""
    labels = terms(f"{LABEL_WORDS}, {NAME_WORDS}")
    labelled = any(label in words for label in labels) or stands_for_people(words)
    if profile.present < FEW_RECORDS:
        return QUASI_IDENTIFIER, Reason("few")
    if stands_for_people(words) and _are_codes(profile):
        return IDENTIFIER, Reason("labelled")
    if labelled and profile.distinct >= profile.present / 2:
        return IDENTIFIER, Reason("labelled")
    if profile.nearly_unique and profile.numbered:
        return IDENTIFIER, Reason("assigned")
    if profile.nearly_unique and profile.measured:
        return QUASI_IDENTIFIER, Reason("precise")
    if profile.nearly_unique:
        return IDENTIFIER, Reason("unique")
    if profile.most(lambda text: len(text) >= 40) and profile.distinct >= profile.present / 2:
        return IDENTIFIER, Reason("long")
    return QUASI_IDENTIFIER, Reason("cautious")


MANY = 8  # with more quasi-identifiers, hardly anything is left of each
MAX_LISTED = 12  # columns
TO_CHANGE = 3  # columns for which the lines to change are shown
Knowledge = Literal["usually", "often", "unclear"]
# Facts that relatives, colleagues and neighbours know about a person, by the meaning of a column's name.
USUALLY = (SEX, AGE, A_PLACE, ORIGIN)
OFTEN = (WORK, BODY, A_DATE, SEEN, DATE)


def effective_values(column: Column) -> float:
    """The number of equally common values with the same information: the exponential of the entropy.

    A quasi-identifier multiplies the number of classes by up to this.
    """
    counts = column.counts[column.counts > 0]
    shares = counts / max(counts.sum(), 1)
    return float(np.exp(-(shares * np.log(shares)).sum())) if len(counts) else 1.0


def how_well_known(suggestion: Suggestion) -> Knowledge:
    """Whether outsiders usually or often know a column, by the meaning of its name and the kind of its values."""
    meaning = suggestion.why.what
    if meaning in USUALLY:
        return "usually"
    return "often" if meaning in OFTEN else "unclear"


def columns_to_decide(suggested: Sequence[Suggestion]) -> list[Suggestion]:
    """The quasi-identifiers in the order to decide about them, if there are many: least known first, then most costly.

    Columns that outsiders usually know come last: there is nothing to decide about them.
    """
    known = [suggestion for suggestion in suggested if suggestion.role == QUASI_IDENTIFIER]
    if len(known) <= MANY:
        return []
    order: dict[Knowledge, int] = {"unclear": 0, "often": 1, "usually": 2}
    return sorted(known, key=lambda suggestion: (order[how_well_known(suggestion)], -suggestion.values))


def is_first_to_decide(suggestion: Suggestion) -> bool:
    """Whether it is not clear that outsiders know the column, and it takes several values."""
    return how_well_known(suggestion) == "unclear" and suggestion.values > 1
