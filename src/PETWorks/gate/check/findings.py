"""Columns whose name or values contradict their role: direct identifiers, and nearly unique values."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from PETWorks.about.column_names import A_LABEL, A_NAME, A_NUMBER, AN_ADDRESS, names_a_place, roles_by_name, words_of
from PETWorks.about.personal_details import EMAIL, KINDS, NAME, NATIONAL_ID, PAYMENT_CARD, PHONE, Search
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.profiles import Profile
from PETWorks.counting.release import Release
from PETWorks.gate.document.check_document import ColumnFacts, ColumnFinding, FindingKind, Spoken
from PETWorks.gate.suggest.suggestion import (
    CHINESE_NAME,
    DATE,
    ENGLISH_NAME,
    FEW,
    MIXED,
    MOST,
    MOST_DETAILS,
    NAMES,
    SPOTS,
    Examined,
    suggested_role,
)
from PETWorks.tables.arrays import strings
from PETWorks.tables.headers import FAMILY_NAMES, GIVEN_NAMES, is_chinese_name, is_english_name

UNMEASURED = (None, INSENSITIVE_ATTRIBUTE)
TELLING = ("named", "looks", "remarks")  # reasons for a role that are more than caution
SOME = 0.05  # share of personal values that is worth a look
SHARED = 5  # records that have the same town or school, on average
# The kinds of details that are in every cell of a column that looks so.
LOOKS_OF_DETAILS = {
    **{look: (look,) for look in KINDS},
    CHINESE_NAME: (NAME,),
    ENGLISH_NAME: (NAME,),
    MIXED: (EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE),
}
MASKS = "*＊○〇●"
HIDDEN = 0.3  # share of the letters and digits that masks stand for: 0912***678, 王○明
LONGEST_NUMBER = 6  # digits without a mask between them: the beginning of a card number
LONG, SHORT = 40, 6  # characters: of texts in which people may be named, and of numbers that address nobody


def examined_columns(
    release: Release, facts: Iterable[ColumnFacts], no_role: Mapping[str, Spoken]
) -> tuple[ColumnFacts, ...]:
    """The facts with the number of values of every released column, how unique they are, and what was found."""
    profiles = release.profiles()
    return tuple(_examined(release, one, profiles, no_role) if one.column in profiles else one for one in facts)


def _examined(
    release: Release, facts: ColumnFacts, profiles: Mapping[str, Profile], no_role: Mapping[str, Spoken]
) -> ColumnFacts:
    profile = Examined.of(profiles[facts.column])
    declared = facts.role == IDENTIFIER or facts.column == release.privacy_unit
    return replace(
        facts,
        distinct=profile.distinct,
        unique=profile.unique / max(profile.records, 1),
        alone=profile.exact,
        findings=() if declared else findings(facts.column, facts.role, profile),
        no_role=no_role.get(facts.column) if facts.role is None else None,
    )


def findings(column: str, role: str | None, profile: Examined) -> tuple[ColumnFinding, ...]:
    """What a column reveals that its role does not say, the worst first.

    A direct identifier, or personal details inside texts, fail under every role. A column in which nearly every record
    has a value of its own fails, unless the rule about exact values looks at it; only the risk of a quasi-identifier is
    measured.
    """
    if profile.distinct < (2 if profile.present == profile.records else 1):  # a value here and none there tells, too
        return _merge([_in_name(column), _details(profile, None)])
    words = words_of(column)
    direct = _direct(words, profile)
    details = _details(profile, direct)
    if details is not None and direct is not None and direct.looks_like == MIXED and not direct.fails:
        direct = None  # the details say it better
    certain = _merge((_in_name(column), direct, _named(roles_by_name(words), profile), details, _unique(role, profile)))
    if any(finding.fails for finding in certain):
        return certain
    further = (_known(column, role, profile), None if profile.nearly_unique else _often_unique(role, profile))
    return (*certain, *(finding for finding in further if finding is not None))


def _merge(findings: Iterable[ColumnFinding | None]) -> tuple[ColumnFinding, ...]:
    """The findings, those that fail first; of one kind there is one, with what name and values say."""
    by_kind: dict[str, ColumnFinding] = {}
    for finding in findings:
        if finding is not None:
            before = by_kind.get(finding.kind, finding)
            by_kind[finding.kind] = replace(before, points_to=finding.points_to or before.points_to)
    return tuple(sorted(by_kind.values(), key=lambda finding: not finding.fails))


def personal_details(column: ColumnFacts) -> Mapping[str, int]:
    """How many personal details of each kind were found inside the texts of a column."""
    return {kind: number for finding in column.found for kind, number in (finding.details or {}).items()}


def _direct(words: str, profile: Examined) -> ColumnFinding | None:
    """Values that look like those of a direct identifier."""
    look = None if profile.look == DATE else profile.look
    share = profile.personal_share if look is None else profile.share_like(look)
    if look is None and share < SOME:
        return None
    many = profile.distinct >= (profile.present / 2 if look in SPOTS else min(FEW, profile.present / 2))
    other_names = look in NAMES and _names_of_places(words, profile)
    fails = many and (share >= MOST or look is not None) and not other_names and not _masked(profile)
    kind: FindingKind = "direct identifier" if fails else "some personal values"
    return ColumnFinding(kind, fails, looks_like=look or MIXED, share=share)


def _in_name(column: str) -> ColumnFinding | None:
    """Personal details in the name of a column, which goes out with the release."""
    search = Search("")
    search.add(strings([column]), np.array([1]))
    return ColumnFinding("details in its name", True) if search.details() or _names_somebody(column) else None


def _names_somebody(column: str) -> bool:
    """Whether the name of a column has a common given name and a common family name, one behind the other.

    >>> [_names_somebody(text) for text in ("score of John Smith", "Johns Hopkins score", "St. John score")]
    [True, False, False]
    """
    given, family = set(GIVEN_NAMES.split()), set(FAMILY_NAMES.split())
    pairs = re.findall(r"(?=(?<![A-Za-z])([A-Z][a-z]+)[ _]([A-Z][a-z]+)(?![A-Za-z]))", column)
    return any(one.lower() in given and other.lower() in family for one, other in pairs)


def _names_of_places(words: str, profile: Examined) -> bool:
    """Whether a column has towns or schools, which are called after people: many records share each of them."""
    called = names_a_place(words) and IDENTIFIER not in roles_by_name(words)
    return called and profile.distinct * SHARED <= profile.present


def _details(profile: Examined, direct: ColumnFinding | None) -> ColumnFinding | None:
    """Personal details inside texts, without those for which the whole column is an identifier."""
    said = LOOKS_OF_DETAILS.get(str(direct.looks_like), ()) if direct is not None and direct.fails else ()
    details = {kind: number for kind, number in profile.details.items() if kind not in said}
    if not details:
        return None
    return ColumnFinding("personal details", sum(details.values()) > MOST_DETAILS, details=details)


def _named(points_to: Mapping[str, str], profile: Examined) -> ColumnFinding | None:
    """A name that points to a direct identifier, with values that can be one."""
    subject = points_to.get(IDENTIFIER)
    if subject is None or profile.distinct < min(FEW, profile.present / 2):
        return None
    own_values = profile.distinct >= profile.present / 2
    if subject == AN_ADDRESS:
        fails = own_values  # a district is no address of one person
    elif subject == A_NAME:
        letters = profile.most(lambda text: not any(sign.isdigit() for sign in text) or _names_somebody_inside(text))
        fails = own_values or (letters and not _masked(profile))
    elif _masked(profile):
        fails = False
    elif subject == A_LABEL:
        fails = own_values  # the third visit of many people has the same number
    elif subject == A_NUMBER:
        fails = own_values or profile.most(lambda text: any(sign.isdigit() for sign in text))
    else:
        fails = not (profile.measured and all(len(text) <= SHORT for text in profile.sample))
    return ColumnFinding("direct identifier" if fails else "named like an identifier", fails, points_to=subject)


def _names_somebody_inside(text: str) -> bool:
    """Whether a text is a name, but for masks and digits: `James** Smith0`."""
    words = re.sub(rf"[\d{re.escape(MASKS)}]+", "", text).strip()
    return is_chinese_name(words) or (" " in words and is_english_name(words))


def _masked(profile: Examined) -> bool:
    """Whether signs of most values are masked, and so many records share a value that this hides who it is."""
    return profile.distinct < profile.present / 2 and profile.most(_hides_a_part)


def _hides_a_part(text: str) -> bool:
    """Whether mask signs stand for a good part of a text, and leave neither a whole number nor a whole name.

    >>> [_hides_a_part(text) for text in ("王○", "王○明", "A12****", "0912***678")]
    [True, True, True, True]
    >>> [_hides_a_part(text) for text in ("Aiden Okafor*", "A**0000012", "James** Smith0", "王小明***", "P1234567****")]
    [False, False, False, False, False]
    """
    masks = sum(sign in MASKS for sign in text)
    if masks < HIDDEN * sum(sign.isalnum() or sign in MASKS for sign in text):
        return False
    seen = re.split(f"[{re.escape(MASKS)}]+", text)
    return not any(_is_whole(part.strip()) for part in seen)


def _is_whole(text: str) -> bool:
    """Whether what a mask leaves is a number or a name by itself."""
    digits = sum(sign.isdigit() for sign in text)
    return digits > LONGEST_NUMBER or is_chinese_name(text) or (" " in text and is_english_name(text))


def _known(column: str, role: str | None, profile: Examined) -> ColumnFinding | None:
    """A column that no measure takes as known, although an outsider may know it: `petworks init` would say the same.

    A sensitive attribute is taken as secret; what speaks against that must be more than caution.
    """
    suggested = suggested_role(column, profile)
    why = suggested.why
    if role in UNMEASURED and suggested.role == SENSITIVE_ATTRIBUTE:
        return ColumnFinding("perhaps sensitive", False, points_to=why.what)
    told = suggested.role == QUASI_IDENTIFIER or why.kind == "remarks"
    if not told or not (role in UNMEASURED or (role == SENSITIVE_ATTRIBUTE and why.kind in TELLING)):
        return None
    if why.kind == "named":
        return ColumnFinding("perhaps known", False, points_to=why.what)
    if why.kind == "looks":
        return ColumnFinding("perhaps known", False, looks_like=why.what, share=why.part / why.whole)
    return ColumnFinding("perhaps known", False)


def _unique(role: str | None, profile: Examined) -> ColumnFinding | None:
    if profile.nearly_unique:
        return ColumnFinding("nearly unique", role != QUASI_IDENTIFIER and profile.nearly_unique_codes)
    if role in UNMEASURED and profile.distinct >= FEW and profile.most(lambda text: len(text) >= LONG):
        return ColumnFinding("long texts", False)
    return None


def _often_unique(role: str | None, profile: Examined) -> ColumnFinding | None:
    if role in UNMEASURED and profile.present >= FEW and profile.distinct >= profile.present / 2:
        return ColumnFinding("often unique", False)
    return None
