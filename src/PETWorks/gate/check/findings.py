"""Columns whose name or values contradict their role: direct identifiers and nearly unique values."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np
from msgspec.structs import replace

from PETWorks.about.column_names import (
    A_NAME,
    A_PERSON_NUMBER,
    A_RECORD_NUMBER,
    AN_ADDRESS,
    names_a_place,
    roles_by_name,
    words_of,
)
from PETWorks.about.personal_details import EMAIL, KINDS, NAME, NATIONAL_ID, PAYMENT_CARD, PHONE, DetailSearch
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.profiles import Profile
from PETWorks.counting.release import Release
from PETWorks.gate.document import ColumnFacts, ColumnFinding, FindingKind
from PETWorks.gate.suggest.suggestion import (
    CHINESE_NAME,
    DATE,
    ENGLISH_NAME,
    FEW_RECORDS,
    GIVEN_NAME,
    MAX_DETAILS,
    MIXED,
    MOST,
    NAMES,
    SPOTS,
    ExaminedColumn,
    suggest_role,
)
from PETWorks.json_types import MultilingualText
from PETWorks.tables.arrays import strings
from PETWorks.tables.headers import FAMILY_NAMES, GIVEN_NAMES, is_chinese_name, is_english_name, name_set

UNMEASURED = (None, INSENSITIVE_ATTRIBUTE)
CLEAR_REASONS = ("named", "looks", "remarks")  # reasons for a role that are more than caution
NOTICEABLE_SHARE = 0.05  # share of personal values that deserves a look
RECORDS_PER_PLACE = 5  # average number of records with the same town or school
# The kinds of details that every cell contains in a column with this look.
LOOKS_OF_DETAILS = {
    **{look: (look,) for look in KINDS},
    CHINESE_NAME: (NAME,),
    ENGLISH_NAME: (NAME,),
    GIVEN_NAME: (NAME,),
    MIXED: (EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE),
}
MASKS = "*＊○〇●"
MASKED_SHARE = 0.3  # share of the letters and digits that are masked: 0912***678, 王○明
LONGEST_NUMBER = 6  # consecutive digits without a mask: the beginning of a card number
LONG_TEXT = 40  # characters from which a text may name people
SHORT_NUMBER = 6  # digits up to which a number identifies nobody


def examined_columns(
    release: Release, facts: Iterable[ColumnFacts], no_role: Mapping[str, MultilingualText]
) -> tuple[ColumnFacts, ...]:
    """The facts about columns, completed by distinct values, uniqueness and findings of released columns."""
    profiles = release.profiles()
    return tuple(
        _examine(release, column, profiles, no_role) if column.column in profiles else column for column in facts
    )


def _examine(
    release: Release, facts: ColumnFacts, profiles: Mapping[str, Profile], no_role: Mapping[str, MultilingualText]
) -> ColumnFacts:
    profile = ExaminedColumn.of(profiles[facts.column])
    declared = facts.role == IDENTIFIER or facts.column in (release.privacy_unit, *release.sample.columns)
    return replace(
        facts,
        distinct=profile.distinct if facts.distinct is None else facts.distinct,
        unique=profile.unique / max(profile.records, 1),
        alone=profile.exact,
        findings=() if declared else find_contradictions(facts.column, facts.role, profile),
        no_role=no_role.get(facts.column) if facts.role is None else None,
    )


def find_contradictions(column: str, role: str | None, profile: ExaminedColumn) -> tuple[ColumnFinding, ...]:
    """The findings about a column that contradict its role, the worst first.

    A direct identifier, or personal details inside texts, fail in every role. A column in which nearly every record has
    a unique value fails, unless the rule about exact values covers it; risk is measured for quasi-identifiers only.
    """
    # A single value is information too, if some records lack it.
    if profile.distinct < (2 if profile.present == profile.records else 1):
        return _merge([_details_in_name(column), _details(profile, None)])
    words = words_of(column)
    direct = _direct_identifier(words, profile)
    details = _details(profile, direct)
    if details is not None and direct is not None and direct.looks_like == MIXED and not direct.fails:
        direct = None  # the details are more specific
    certain = _merge(
        (
            _details_in_name(column),
            direct,
            _named_like_identifier(roles_by_name(words), profile),
            details,
            _nearly_unique(role, profile),
        )
    )
    if any(finding.fails for finding in certain):
        return certain
    further = (_perhaps_known(column, role, profile), None if profile.nearly_unique else _often_unique(role, profile))
    return (*certain, *(finding for finding in further if finding is not None))


def _merge(findings: Iterable[ColumnFinding | None]) -> tuple[ColumnFinding, ...]:
    """The findings, failing ones first; those of one kind are merged."""
    by_kind: dict[str, ColumnFinding] = {}
    for finding in findings:
        if finding is not None:
            earlier = by_kind.get(finding.kind, finding)
            by_kind[finding.kind] = replace(earlier, points_to=finding.points_to or earlier.points_to)
    return tuple(sorted(by_kind.values(), key=lambda finding: not finding.fails))


def personal_details(column: ColumnFacts) -> Mapping[str, int]:
    """The number of personal details of each kind inside the texts of a column."""
    return {kind: number for finding in column.found for kind, number in (finding.details or {}).items()}


def _direct_identifier(words: str, profile: ExaminedColumn) -> ColumnFinding | None:
    """A finding if values look like those of a direct identifier."""
    look = None if profile.look == DATE else profile.look
    share = profile.personal_share if look is None else profile.share_like(look)
    if look is None and share < NOTICEABLE_SHARE:
        return None
    many = profile.distinct >= (profile.present / 2 if look in SPOTS else min(FEW_RECORDS, profile.present / 2))
    are_places = look in NAMES and _are_names_of_places(words, profile)
    fails = many and (share >= MOST or look is not None) and not are_places and not _is_masked(profile)
    kind: FindingKind = "direct identifier" if fails else "some personal values"
    return ColumnFinding(kind, fails, looks_like=look or MIXED, share=share)


@lru_cache(10_000)
def _details_in_name(column: str) -> ColumnFinding | None:
    """A finding if the name of a column, which is released too, contains personal details."""
    return ColumnFinding("details in its name", True) if has_personal_details(column) else None


def has_personal_details(text: str) -> bool:
    """Whether a name or a label contains personal details, such as a phone number or a person's name.

    >>> [has_personal_details(text) for text in ("score of John Smith", "call 0912-345-678", "length of stay")]
    [True, True, False]
    >>> [has_personal_details(text) for text in ("visits_0912345678_hiv.csv", "survey_20260101_v2.csv")]
    [True, False]
    """
    search = DetailSearch("")
    search.add(strings([text.replace("_", " ")]), np.array([1]))
    return bool(search.details()) or _names_somebody(text)


def _names_somebody(column: str) -> bool:
    """Whether the name of a column contains a common given name followed by a common family name.

    >>> [_names_somebody(text) for text in ("score of John Smith", "Johns Hopkins score", "St. John score")]
    [True, False, False]
    """
    given_names, family_names = name_set(GIVEN_NAMES), name_set(FAMILY_NAMES)
    pairs = re.findall(r"(?=(?<![A-Za-z])([A-Z][a-z]+)[ _]([A-Z][a-z]+)(?![A-Za-z]))", column)
    return any(first.lower() in given_names and last.lower() in family_names for first, last in pairs)


def _are_names_of_places(words: str, profile: ExaminedColumn) -> bool:
    """Whether a column has towns or schools, which are named after people: many records share each of them."""
    is_place = names_a_place(words) and IDENTIFIER not in roles_by_name(words)
    return is_place and profile.distinct * RECORDS_PER_PLACE <= profile.present


def _details(profile: ExaminedColumn, direct: ColumnFinding | None) -> ColumnFinding | None:
    """Personal details inside texts, except kinds for which the whole column is an identifier."""
    covered = LOOKS_OF_DETAILS.get(str(direct.looks_like), ()) if direct is not None and direct.fails else ()
    details = {kind: number for kind, number in profile.details.items() if kind not in covered}
    if not details:
        return None
    return ColumnFinding("personal details", sum(details.values()) > MAX_DETAILS, details=details)


def _named_like_identifier(points_to: Mapping[str, str], profile: ExaminedColumn) -> ColumnFinding | None:
    """A finding if the name means a direct identifier and the values may be one."""
    subject = points_to.get(IDENTIFIER)
    if subject is None or profile.distinct < min(FEW_RECORDS, profile.present / 2):
        return None
    mostly_distinct = profile.distinct >= profile.present / 2
    if subject == AN_ADDRESS:
        fails = mostly_distinct  # a district is not the address of one person
    elif subject == A_NAME:
        letters = profile.most(lambda text: not any(sign.isdigit() for sign in text) or _contains_a_name(text))
        fails = mostly_distinct or (letters and not _is_masked(profile))
    elif _is_masked(profile):
        fails = False
    elif subject == A_RECORD_NUMBER:
        fails = mostly_distinct  # e.g. the number of a visit is the same for many people
    elif subject == A_PERSON_NUMBER:
        fails = mostly_distinct or profile.most(lambda text: any(sign.isdigit() for sign in text))
    else:
        fails = not (profile.measured and all(len(text) <= SHORT_NUMBER for text in profile.sample))
    return ColumnFinding("direct identifier" if fails else "named like an identifier", fails, points_to=subject)


def _contains_a_name(text: str) -> bool:
    """Whether a text is a name once masks and digits are removed: `James** Smith0`."""
    words = re.sub(rf"[\d{re.escape(MASKS)}]+", "", text).strip()
    return is_chinese_name(words) or (" " in words and is_english_name(words))


def _is_masked(profile: ExaminedColumn) -> bool:
    """Whether most values are masked, and enough records share each value to hide the person."""
    return profile.distinct < profile.present / 2 and profile.most(_hides_a_part)


def _hides_a_part(text: str) -> bool:
    """Whether masks replace a good part of a text and leave neither a complete number nor a complete name.

    >>> [_hides_a_part(text) for text in ("王○", "王○明", "A12****", "0912***678")]
    [True, True, True, True]
    >>> [_hides_a_part(text) for text in ("Aiden Okafor*", "A**0000012", "James** Smith0", "王小明***", "P1234567****")]
    [False, False, False, False, False]
    """
    masks = sum(sign in MASKS for sign in text)
    if masks < MASKED_SHARE * sum(sign.isalnum() or sign in MASKS for sign in text):
        return False
    visible_parts = re.split(f"[{re.escape(MASKS)}]+", text)
    return not any(_identifies(part.strip()) for part in visible_parts)


def _identifies(text: str) -> bool:
    """Whether the unmasked part is a complete number or name."""
    digits = sum(sign.isdigit() for sign in text)
    return digits > LONGEST_NUMBER or is_chinese_name(text) or (" " in text and is_english_name(text))


def _perhaps_known(column: str, role: str | None, profile: ExaminedColumn) -> ColumnFinding | None:
    """A finding if an outsider may know a column that measures do not treat as known, as in `petworks init`.

    A sensitive attribute is assumed to be secret; the reason to doubt that must be more than caution.
    """
    suggested = suggest_role(column, profile)
    why = suggested.why
    if role in UNMEASURED and why.kind in ("result", "results") and suggested.role == SENSITIVE_ATTRIBUTE:
        return ColumnFinding("perhaps known", False)
    if role in UNMEASURED and suggested.role == SENSITIVE_ATTRIBUTE:
        return ColumnFinding("perhaps sensitive", False, points_to=why.what)
    may_be_known = suggested.role == QUASI_IDENTIFIER or why.kind == "remarks"
    if not may_be_known or not (role in UNMEASURED or (role == SENSITIVE_ATTRIBUTE and why.kind in CLEAR_REASONS)):
        return None
    if why.kind == "named":
        return ColumnFinding("perhaps known", False, points_to=why.what)
    if why.kind == "looks":
        return ColumnFinding("perhaps known", False, looks_like=why.what, share=why.part / why.whole)
    return ColumnFinding("perhaps known", False)


def _nearly_unique(role: str | None, profile: ExaminedColumn) -> ColumnFinding | None:
    if profile.nearly_unique:
        return ColumnFinding("nearly unique", role != QUASI_IDENTIFIER and profile.nearly_unique_codes)
    if role in UNMEASURED and profile.distinct >= FEW_RECORDS and profile.most(lambda text: len(text) >= LONG_TEXT):
        return ColumnFinding("long texts", False)
    return None


def _often_unique(role: str | None, profile: ExaminedColumn) -> ColumnFinding | None:
    if role in UNMEASURED and profile.present >= FEW_RECORDS and profile.distinct >= profile.present / 2:
        return ColumnFinding("often unique", False)
    return None
