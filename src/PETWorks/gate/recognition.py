"""What the values of a column look like, and how unique they are."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from PETWorks.about.check_digits import has_luhn_digit, is_taiwanese
from PETWorks.about.personal_details import EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE, STREET
from PETWorks.counting.exact_values import are_measured
from PETWorks.counting.profiles import LONGEST, Profile
from PETWorks.errors import Phrase
from PETWorks.gate.reasons import Reason, share_of
from PETWorks.tables.arrays import strings
from PETWorks.tables.people import is_chinese_name, is_english_name

_AMOUNT = re.compile(r"[<>=≤≥~ ]{0,3}(NT|US)?[$€£¥]? ?[+-]?(\d[\d,.]*|\.\d+)(e[+-]?\d+)?([%元€kKM]| [A-Za-zµ°/]{1,8})?")
_TAIWANESE = re.compile(r"(?<![A-Z\d])([A-Z]) ?([1289A-D]) ?(\d{8})(?![A-Z\d])", re.ASCII)
_MAINLAND = re.compile(r"\d{6}(19|20)\d{9}[\dXx]", re.ASCII)
_AMERICAN = re.compile(r"\d{3}-\d\d-\d{4}", re.ASCII)
_CARD = re.compile(r"[2-6]\d{12,18}", re.ASCII)
ENOUGH = 0.8  # share of the values that shows what the column is
FEW = 20  # among fewer records, uniqueness says little
NEARLY = 0.9  # share of records with a unique value that makes a column nearly unique


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _is_national_id(text: str) -> bool:
    """Whether a text looks like an identity number: American, or with its check digit mainland Chinese or Taiwanese.

    A Taiwanese number (also one of a residence permit, old or new) is found in any text.
    """
    if _MAINLAND.fullmatch(text):
        return "10X98765432"[sum((1 << (17 - n)) * int(text[n]) for n in range(17)) % 11] == text[17].upper()
    if _AMERICAN.fullmatch(text):
        return True
    return any(is_taiwanese("".join(number)) for number in _TAIWANESE.findall(text.replace("-", "").upper()))


def _is_card_number(text: str) -> bool:
    """Whether a text has the length and the check digit of a payment card."""
    bare = text.replace(" ", "").replace("-", "")
    return _CARD.fullmatch(bare) is not None and has_luhn_digit(bare)


DATE = "dates or times"
CHINESE_NAME, ENGLISH_NAME = "Chinese names of people", "English names of people"
COORDINATES, KEYS = "exact coordinates", "generated keys"
LOOKS: dict[str, Callable[[str], bool]] = {
    EMAIL: _matches(r"([^@<>]{0,64}<)?[^@\s<>]{1,64}@[^@\s<>]+\.[^@\s.<>]{2,24}>?"),
    NATIONAL_ID: _is_national_id,
    PAYMENT_CARD: _is_card_number,
    PHONE: _matches(r"\+\d[\d ()-]{7,18}\d|09\d\d[ -]?\d{3}[ -]?\d{3}|\(?0?\d{2,3}\)?[ -]\d{3,4}[ -]?\d{4}"),
    "network addresses": _matches(
        # The number of a version begins with one digit, an address seldom does.
        r"[1-9]\d{1,2}(\.\d{1,3}){3}|[\da-fA-F]{0,4}(::?[\da-fA-F]{1,4}){3,7}|[\dA-F]{2}(-[\dA-F]{2}){5}"
    ),
    "links": _matches(r"https?://\S+"),
    KEYS: _matches(r"[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|[\da-fA-F]{32,128}"),
    CHINESE_NAME: is_chinese_name,
    ENGLISH_NAME: is_english_name,
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


NAMES = (CHINESE_NAME, ENGLISH_NAME)
SPOTS = (STREET, COORDINATES)  # where a person lives, or where many people have been
MIXED, MOST = "numbers or addresses of people", 0.5  # several kinds together, and the share of them that suffices
PERSONAL = (EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE)
MOST_DETAILS = 5  # personal details that the texts of a column may have
# Many names have no common given name, and hardly any other column has texts that have one.
ENOUGH_BY_LOOK = {ENGLISH_NAME: 0.25}
LEAST = {CHINESE_NAME: FEW, ENGLISH_NAME: 5}


def _plain(text: str) -> str:
    """A text with ordinary letters and digits instead of full-width ones, and no blanks around it."""
    return unicodedata.normalize("NFKC", text)[:LONGEST].strip()


def looks_personal(text: str) -> bool:
    """Whether a text looks like a date, an address or a number of a person; words that look like a name may be any."""
    text = _plain(text)
    return any(matches(text) for look, matches in LOOKS.items() if look not in NAMES)


@dataclass(frozen=True)
class Examined(Profile):
    """A profile, and what it shows."""

    @classmethod
    def of(cls, profile: Profile) -> "Examined":
        """The profile, to be examined."""
        return cls(**vars(profile))

    @property
    def facts(self) -> Phrase:
        """The counts in words."""
        records = Phrase("{n:,} records" if self.records > 1 else "{n:,} record", n=self.records)
        if self.present == 0:
            return Phrase("no value in {records}", records=records)
        values = Phrase("{n:,} distinct values" if self.distinct > 1 else "{n:,} distinct value", n=self.distinct)
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
        """Whether nearly every record that has a value has a unique one."""
        return self.present >= FEW and self.unique >= NEARLY * self.present

    @property
    def nearly_unique_codes(self) -> bool:
        """Whether the values are nearly unique, and neither numbers, dates nor long texts, for which a rule exists."""
        return self.nearly_unique and 2 * are_measured(strings(self.sample)).true_count < len(self.sample)

    @cached_property
    def measured(self) -> bool:
        """Whether most values are numbers, perhaps with a unit."""
        return self.most(lambda text: _AMOUNT.fullmatch(text) is not None)

    @property
    def numbered(self) -> bool:
        """Whether the values are whole numbers that look assigned: consecutive, or long and all of one length."""
        texts = [
            text.removesuffix(".0") for text in self.sample
        ]  # pandas turns whole numbers into floats if some are missing
        if not all(text.isdecimal() and len(text) <= 30 for text in texts):
            return False
        one_length = len({len(text) for text in texts}) == 1 and len(texts[0]) >= 6
        return one_length or max(map(int, texts)) - min(map(int, texts)) <= 1.2 * self.distinct

    @cached_property
    def look(self) -> str | None:
        """What most values look like; None if they look like nothing known."""
        some = self.plain[:: 1 + len(self.plain) // 100]
        for look, test in LOOKS.items():
            alike = self._alike(look) if any(map(test, some)) else 0
            enough = ENOUGH_BY_LOOK.get(look, ENOUGH)
            # Other words begin like surnames too, so that a handful of them proves nothing.
            if alike >= max(enough * len(self.sample), LEAST.get(look, 1)) and not self._too_short(look):
                return look
        return None

    @cached_property
    def plain(self) -> list[str]:
        """The sample in ordinary letters and digits."""
        return [_plain(text) for text in self.sample]

    def _too_short(self, look: str) -> bool:
        """Whether records share values that are shorter than most Chinese names: places, words of two characters."""
        short = 2 * sum(len(text) <= 2 for text in self.sample) > len(self.sample)
        return look == CHINESE_NAME and short and self.distinct < self.present / 2

    def share_like(self, look: str) -> float:
        """The share of the values that look like something."""
        return self._alike(look) / max(len(self.sample), 1)

    @cached_property
    def personal_share(self) -> float:
        """The share of the values that look like a number or an address of a person, of whatever kind."""
        return sum(any(LOOKS[look](text) for look in PERSONAL) for text in self.plain) / max(len(self.sample), 1)

    @property
    def seen(self) -> Reason:
        """What most values look like, if they look like something."""
        return Reason("looks", self.look, self._alike(self.look or DATE), len(self.sample))

    def _alike(self, look: str) -> int:
        return sum(map(LOOKS[look], self.plain))

    def most(self, test: Callable[[str], bool]) -> bool:
        """Whether most values pass a test."""
        return sum(map(test, self.sample)) >= max(ENOUGH * len(self.sample), 1)
