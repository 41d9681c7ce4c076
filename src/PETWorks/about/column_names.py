"""The words in the name of a column, and what they point to."""

import re
import unicodedata
from functools import cache, reduce

from PETWorks.about.vocabulary import (
    ALONE,
    DATES,
    DIRECT,
    HARMLESS,
    INSTITUTIONS,
    KNOWN,
    LABELLED,
    NO_LABEL,
    PLACES,
    SENSITIVE,
)
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

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
LONGEST = 400  # characters of a name that are looked at


def words_of(name: str) -> str:
    """The words of a name between blanks: lower case, singular, in Taiwanese characters, without digits and signs.

    >>> words_of("patientIDs"), words_of("ZIPCode_2"), words_of("患者ID")
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
def terms(words: str, whole: bool = False) -> list[str]:
    """Search terms for words of the vocabulary: whole words if Latin (or `whole`), several words also joined."""
    found: list[str] = []
    for entry in words.split(","):
        bare = words_of(entry).strip()
        padded = whole or "_" in entry or bare.isascii()
        found += [f" {bare} ", f" {bare.replace(' ', '')} "] if padded else [bare]
    return found


@cache
def _vocabulary() -> dict[str, tuple[str, str]]:
    """Role and subject of each term; if a term has two meanings, the last one counts."""
    harmless, dates = (INSENSITIVE_ATTRIBUTE, {"": HARMLESS}), ("date", {"a date": DATES})
    groups = [(QUASI_IDENTIFIER, KNOWN), (SENSITIVE_ATTRIBUTE, SENSITIVE), harmless, dates, (IDENTIFIER, DIRECT)]
    return {term: (role, what) for role, group in groups for what, words in group.items() for term in terms(words)}


@cache
def _labelled(people: str, labels: str) -> re.Pattern[str]:
    """One of these people with one of these labels: `patient no`, `patientno`, `id of patient`, `患者 id`."""
    one, label = ("|".join(term.strip() for term in terms(words)) for words in (people, labels))
    return re.compile(f"(?<![a-z])(({one}) ?({label})|{labels.partition(',')[0]} (of )?({one}))(?![a-z])")


def pointed_to(words: str) -> dict[str, str]:
    """The roles that a name points to, each with what the column then contains."""
    vocabulary, roles = _vocabulary(), dict[str, str]()
    found = [term for term in vocabulary if term in words]
    for term in found:
        if not any(term != other and term in other for other in found):
            roles.setdefault(*vocabulary[term])
    for people, labels, what in LABELLED:
        if _labelled(people, labels).search(words):
            roles.setdefault(IDENTIFIER, what)
    for what, names in ALONE.items():
        if words in terms(names, whole=True):
            roles[IDENTIFIER] = what
    if "date" in roles:
        # More people know when something sensitive happened than what it was.
        roles = {QUASI_IDENTIFIER: roles["date"]} | ({IDENTIFIER: roles[IDENTIFIER]} if IDENTIFIER in roles else {})
    return roles


def points_to_a_place(words: str) -> bool:
    """Whether a name says that the column has places or institutions."""
    return any(term in words for term in (*terms(PLACES), *terms(INSTITUTIONS)))
