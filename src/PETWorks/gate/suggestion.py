"""A role for each column of an unknown table, suggested by its name, its values and how unique they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from PETWorks.about.column_names import pointed_to, terms, words_of
from PETWorks.about.hierarchy_proposal import Proposal
from PETWorks.about.vocabulary import A_NUMBER, CALLED, LABELS, OTHERS, SUBJECTS
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.profiles import profile_of
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.gate.recognition import DATE, FEW, MIXED, MOST, NATIONAL_ID, Examined


@dataclass(frozen=True)
class Suggestion:
    """A role for a column and why; None if nothing suggests one."""

    column: str
    role: str | None
    reason: str
    hierarchy: Proposal | None = None


def suggested_roles(table: WeightedRows, columns: Sequence[str]) -> list[Suggestion]:
    """A role for each of these columns, in their order.

    A name that points to an identifier comes first, then how the values look, any other name, how unique they are.
    What remains is a quasi-identifier: a reviewer can take that back, but nobody sees a risk that was not computed.
    """
    return [Suggestion(column, *_suggested(words_of(column), _examined(table, column))) for column in columns]


def suggested_privacy_unit(table: WeightedRows, suggestions: Sequence[Suggestion]) -> str | None:
    """The first identifier that has a value in every record and the same value in some; None if there is none."""
    for suggestion in suggestions:
        words = words_of(suggestion.column)
        others = any(term in words for term in terms(OTHERS))  # the mother's number names another person
        if suggestion.role == IDENTIFIER and not others:
            profile = _examined(table, suggestion.column)
            named = pointed_to(words).get(IDENTIFIER) == A_NUMBER or words in terms(SUBJECTS, whole=True)
            if profile.distinct > 1 and profile.present == profile.records and (named or profile.look == NATIONAL_ID):
                return suggestion.column if profile.distinct < profile.present else None
    return None


def _examined(table: WeightedRows, column: str) -> Examined:
    return Examined.of(profile_of(table.columns[column], table.rows))


def _suggested(words: str, profile: Examined) -> tuple[str | None, str]:
    """Role and reason."""
    roles, facts, look, seen = pointed_to(words), profile.facts, profile.look, profile.seen
    if IDENTIFIER in roles:
        return IDENTIFIER, f"the name points to {roles[IDENTIFIER]}; {facts}"
    if look and look != DATE:
        return IDENTIFIER, f"{seen}; {facts}"
    if profile.personal_share >= MOST and profile.distinct >= FEW:
        return IDENTIFIER, f"most of the values look like {MIXED}; {facts}"
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


def _by_uniqueness(words: str, profile: Examined) -> tuple[str, str]:
    """Role and reason of a column whose name and values are not conclusive."""
    facts, labels = profile.facts, terms(f"{LABELS}, {CALLED}")
    labelled = any(label in words for label in labels) or words in terms(SUBJECTS, whole=True)
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
