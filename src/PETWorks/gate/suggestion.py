"""A role for each column of an unknown table, suggested by its name, its values and how unique they are."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce

import numpy as np

from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import arrow_integers
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.gate.vocabulary import (
    A_NUMBER,
    ALONE,
    CALLED,
    DATES,
    DIRECT,
    HARMLESS,
    KNOWN,
    LABELLED,
    LABELS,
    NO_LABEL,
    OTHERS,
    SENSITIVE,
    SUBJECTS,
    SURNAMES,
)
from PETWorks.tables.cells import SUPPRESSED

# Simplified characters and variants, and below each the character that Taiwan uses.
_TAIWAN = str.maketrans(
    "电话机邮编码号证証份诊断龄县乡镇职业国种资别学历区递帐账賬车户传执驶驾护联络系网纹签处药术疗检验压烟饮产"
    "负债贷余评税赔额党倾会员顾称识标财绩试岁纪体语务间残碍过状诉肿爱忧郁杀怀脏遗单费类经纬贯讯门医师属亲订访"
    "众险当个记补瘾毕录结认嘱据数时昵况统长胆",
    "電話機郵編碼號證證分診斷齡縣鄉鎮職業國種資別學歷區遞帳帳帳車戶傳執駛駕護聯絡繫網紋簽處藥術療檢驗壓煙飲產"
    "負債貸餘評稅賠額黨傾會員顧稱識標財績試歲紀體語務間殘礙過狀訴腫愛憂鬱殺懷臟遺單費類經緯貫訊門醫師屬親訂訪"
    "眾險當個記補癮畢錄結認囑據數時暱況統長膽",
)
# A word is all capitals, or lower case with or without a first capital, or Chinese; digits and signs separate words.
_WORD = re.compile(r"[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|[\u3400-\u9fff]+")
_AMOUNT = re.compile(r"[<>=≤≥~ ]{0,3}(NT|US)?[$€£¥]? ?[+-]?(\d[\d,.]*|\.\d+)(e[+-]?\d+)?([%元€kKM]| [A-Za-zµ°/]{1,8})?")
LONGEST = 400  # characters of a name, or of a value, that are looked at
SAMPLE = 2_000  # distinct values that are looked at
ENOUGH = 0.8  # share of them that shows what the column is
FEW = 20  # among fewer records, uniqueness says little
NEARLY = 0.9  # share of records with a unique value that makes a column nearly unique


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _is_national_id(text: str) -> bool:
    """Whether a text looks like an identity number: American, mainland Chinese, or Taiwanese with its check digit."""
    if not re.fullmatch(r"[A-Z][1289]\d{8}", text, re.ASCII):
        return re.fullmatch(r"\d{3}-\d\d-\d{4}|\d{6}(19|20)\d{9}[\dX]", text, re.ASCII) is not None
    tens, ones = divmod(10 + "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(text[0]), 10)
    return (tens + 9 * ones + int(text[9]) + sum((9 - n) * int(text[n]) for n in range(1, 9))) % 10 == 0


def _is_card_number(text: str) -> bool:
    """Whether a text has the length and the check digit of a payment card."""
    bare = text.replace(" ", "").replace("-", "")
    digits = [int(digit) for digit in reversed(bare)] if re.fullmatch(r"[2-6]\d{12,18}", bare, re.ASCII) else [1]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0


DATE, NATIONAL_ID, CHINESE_NAME = "dates or times", "national identity numbers", "Chinese names of people"
LOOKS: dict[str, Callable[[str], bool]] = {
    "e-mail addresses": _matches(r"[^@\s]{1,64}@[^@\s]+\.[^@\s.]{2,24}"),
    NATIONAL_ID: _is_national_id,
    "payment card numbers": _is_card_number,
    "phone numbers": _matches(r"\+\d[\d ()-]{7,18}\d|09\d\d[ -]?\d{3}[ -]?\d{3}|\(?0?\d{2,3}\)?[ -]\d{3,4}[ -]?\d{4}"),
    "network addresses": _matches(
        r"\d{1,3}(\.\d{1,3}){3}|[\da-fA-F]{0,4}(::?[\da-fA-F]{1,4}){3,7}|[\dA-F]{2}(-[\dA-F]{2}){5}"
    ),
    "links": _matches(r"https?://\S+"),
    "generated keys": _matches(r"[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|[\da-fA-F]{32,128}"),
    CHINESE_NAME: _matches(rf"[{SURNAMES}][\u4e00-\u9fff○〇OX*＊]{{1,2}}"),
    DATE: _matches(
        r"\d{4}[-/]\d{1,2}|\d{4}([-/.])\d{1,2}\1\d{1,2}([ T].{0,30})?|"
        r"\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([ T].{0,30})?|\d{1,2}(:\d\d){1,2}"
        r"|(民國)? ?\d{2,4} ?[年/.-] ?\d{1,2} ?[月/.-] ?\d{1,2} ?日?|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
    ),
}


def looks_personal(text: str) -> bool:
    """Whether a text looks like a date, an address or a number of a person; a short Chinese one may be any word."""
    return any(matches(text) for look, matches in LOOKS.items() if look != CHINESE_NAME)


@dataclass(frozen=True)
class Suggestion:
    """A role for a column and why; None if nothing suggests one."""

    column: str
    role: str | None
    reason: str


def suggested_roles(table: WeightedRows, columns: Sequence[str]) -> list[Suggestion]:
    """A role for each of these columns, in their order.

    A name that points to an identifier comes first, then how the values look, any other name, how unique they are.
    What remains is a quasi-identifier: a reviewer can take that back, but nobody sees a risk that was not computed.
    """
    return [Suggestion(column, *_suggested(_words(column), _Profile.of(table, column))) for column in columns]


def suggested_privacy_unit(table: WeightedRows, suggestions: Sequence[Suggestion]) -> str | None:
    """The first identifier that has a value in every record and the same value in some; None if there is none."""
    for suggestion in suggestions:
        words = _words(suggestion.column)
        others = any(term in words for term in _terms(OTHERS))  # the mother's number names another person
        if suggestion.role == IDENTIFIER and not others:
            profile = _Profile.of(table, suggestion.column)
            named = _pointed_to(words).get(IDENTIFIER) == A_NUMBER or words in _terms(SUBJECTS, whole=True)
            if (
                profile.distinct > 1
                and profile.present == profile.records
                and (named or profile.look[0] == NATIONAL_ID)
            ):
                return suggestion.column if profile.distinct < profile.present else None
    return None


def _suggested(words: str, profile: "_Profile") -> tuple[str | None, str]:
    """Role and reason."""
    roles, facts, (look, seen) = _pointed_to(words), profile.facts, profile.look
    if IDENTIFIER in roles:
        return IDENTIFIER, f"the name points to {roles[IDENTIFIER]}; {facts}"
    if look and look != DATE:
        return IDENTIFIER, f"{seen}; {facts}"
    if SENSITIVE_ATTRIBUTE in roles and profile.nearly_unique and not profile.measured and not look:
        subject = roles[SENSITIVE_ATTRIBUTE]
        return IDENTIFIER, f"the name points to {subject}, but nearly every record has a unique text; {facts}"
    for role in (SENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER):
        if role in roles:
            return role, f"the name points to {roles[role]}; {facts}"
    if profile.present == 0:
        return None, f"no suggestion: {facts}"
    if profile.distinct == 1 < profile.present == profile.records:
        return INSENSITIVE_ATTRIBUTE, f"the same value in all {profile.records:,} records, which distinguishes nobody"
    if look:
        return QUASI_IDENTIFIER, f"{seen}; {facts}"
    return _by_uniqueness(words, profile)


def _by_uniqueness(words: str, profile: "_Profile") -> tuple[str, str]:
    """Role and reason of a column whose name and values are not conclusive."""
    facts, labels = profile.facts, _terms(f"{LABELS}, {CALLED}")
    labelled = any(label in words for label in labels) or words in _terms(SUBJECTS, whole=True)
    if profile.present < FEW:
        return QUASI_IDENTIFIER, f"the cautious choice: the name is unknown and the records are few; {facts}"
    if labelled and profile.distinct >= profile.present / 2:
        return IDENTIFIER, f"named like a label, and there are nearly as many values as records; {facts}"
    if profile.nearly_unique and profile.numbered:
        return IDENTIFIER, f"nearly unique whole numbers that look assigned rather than measured; {facts}"
    if profile.nearly_unique and profile.measured:
        return QUASI_IDENTIFIER, f"a precise number identifies people to anyone who knows it; {facts}"
    if profile.nearly_unique:
        return IDENTIFIER, f"nearly every record has a unique text; {facts}"
    if profile.most(lambda text: len(text) >= 40) and profile.distinct >= profile.present / 2:
        return IDENTIFIER, f"long texts, in which people may be named; {facts}"
    return QUASI_IDENTIFIER, f"the cautious choice: the name is unknown and an adversary may know the value; {facts}"


@dataclass(frozen=True)
class _Profile:
    """Counts of a column's values, and a sample of the distinct ones. Missing and `*` are not values."""

    records: int
    present: int  # records with a value
    distinct: int
    unique: int
    sample: list[str]

    @classmethod
    def of(cls, table: WeightedRows, name: str) -> "_Profile":
        # A marginal would turn every distinct value into a text and keep it: up to 3 million in one column.
        column = table.columns[name]
        counts = column.counts.copy()
        counts[[code for code in (column.code(None), column.code(SUPPRESSED)) if code is not None]] = 0
        codes = np.flatnonzero(counts)
        # A sample from the whole column: the first values may be the oldest, or all of one kind.
        chosen = codes[np.linspace(0, len(codes) - 1, min(len(codes), SAMPLE)).astype(np.int64)]
        sample = [text[:LONGEST] for text in column.labels.take(arrow_integers(chosen)).to_pylist()]
        return cls(table.rows, int(counts.sum()), len(codes), int(np.count_nonzero(counts == 1)), sample)

    @property
    def facts(self) -> str:
        records = f"{self.records:,} record{'s' * (self.records > 1)}"
        if self.present == 0:
            return f"no value in {records}"
        some = f"{_percent(self.unique, self.records)} of {records} have a unique one"
        own = some if self.unique else "no record has a unique one"
        missing = (
            f", {_percent(self.records - self.present, self.records)} without a value"
            if self.present < self.records
            else ""
        )
        return f"{self.distinct:,} distinct value{'s' * (self.distinct > 1)}, {own}{missing}"

    @property
    def nearly_unique(self) -> bool:
        return self.present >= FEW and self.unique >= NEARLY * self.present

    @cached_property
    def measured(self) -> bool:
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
    def look(self) -> tuple[str, str]:
        """What most values look like, and a sentence that says so; empty texts if they look like nothing known."""
        some = self.sample[:: 1 + len(self.sample) // 100]
        for look, test in LOOKS.items():
            alike = sum(map(test, self.sample)) if any(map(test, some)) else 0
            # Other words begin like surnames too, so that a handful of them proves nothing.
            if alike >= max(ENOUGH * len(self.sample), FEW if look == CHINESE_NAME else 1):
                return look, f"{_percent(alike, len(self.sample))} of the values look like {look}"
        return "", ""

    def most(self, test: Callable[[str], bool]) -> bool:
        return sum(map(test, self.sample)) >= max(ENOUGH * len(self.sample), 1)


def _percent(part: int, whole: int) -> str:
    """A share, rounded down: only all are 100 %, and only none are 0 %."""
    return "under 1 %" if 0 < part * 100 < whole else f"{part * 100 // whole} %"


def _words(name: str) -> str:
    """The words of a name between blanks: lower case, singular, in Taiwanese characters, without digits and signs.

    >>> _words("patientIDs"), _words("ZIPCode_2"), _words("患者ID")
    (' patient id ', ' zip code ', ' 患者 id ')
    """
    # Accents are removed, and full-width letters become plain ones.
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name[:LONGEST]) if not unicodedata.combining(sign))
    words = (_singular(word.lower()) for word in _WORD.findall(plain.translate(_TAIWAN)) if word != "s")
    return reduce(lambda text, other: text.replace(other, " "), NO_LABEL, f" {' '.join(words)} ")


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@cache
def _terms(words: str, whole: bool = False) -> list[str]:
    """Search terms for words of the vocabulary: whole words if Latin (or `whole`), several words also joined."""
    terms: list[str] = []
    for entry in words.split(","):
        bare = _words(entry).strip()
        padded = whole or "_" in entry or bare.isascii()
        terms += [f" {bare} ", f" {bare.replace(' ', '')} "] if padded else [bare]
    return terms


@cache
def _vocabulary() -> dict[str, tuple[str, str]]:
    """Role and subject of each term; if a term has two meanings, the last one counts."""
    harmless, dates = (INSENSITIVE_ATTRIBUTE, {"": HARMLESS}), ("date", {"a date": DATES})
    groups = [(QUASI_IDENTIFIER, KNOWN), (SENSITIVE_ATTRIBUTE, SENSITIVE), harmless, dates, (IDENTIFIER, DIRECT)]
    return {term: (role, what) for role, group in groups for what, words in group.items() for term in _terms(words)}


@cache
def _labelled(people: str, labels: str) -> re.Pattern[str]:
    """One of these people with one of these labels: `patient no`, `patientno`, `id of patient`, `患者 id`."""
    one, label = ("|".join(term.strip() for term in _terms(words)) for words in (people, labels))
    return re.compile(f"(?<![a-z])(({one}) ?({label})|{labels.partition(',')[0]} (of )?({one}))(?![a-z])")


def _pointed_to(words: str) -> dict[str, str]:
    """The roles that a name points to, each with what the column then contains."""
    vocabulary, roles = _vocabulary(), dict[str, str]()
    terms = [term for term in vocabulary if term in words]
    for term in terms:
        if not any(term != other and term in other for other in terms):
            roles.setdefault(*vocabulary[term])
    for people, labels, what in LABELLED:
        if _labelled(people, labels).search(words):
            roles.setdefault(IDENTIFIER, what)
    for what, names in ALONE.items():
        if words in _terms(names, whole=True):
            roles[IDENTIFIER] = what
    if "date" in roles:
        # More people know when something sensitive happened than what it was.
        roles = {QUASI_IDENTIFIER: roles["date"]} | ({IDENTIFIER: roles[IDENTIFIER]} if IDENTIFIER in roles else {})
    return roles
