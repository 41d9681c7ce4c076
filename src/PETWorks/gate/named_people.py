"""The column that names the people of a table, if they have several records: a number before a phone before a name.

A number that was given to a person says it by its name. Other identifiers repeat for other reasons: a ward has one
phone, many people are called alike. There the table itself tells: if records with the same phone have the same birth
date, far more often than chance would have it, they are of one person.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import cache, partial
from typing import Any

import numpy as np

from PETWorks.about.column_names import pointed_to, terms, words_of
from PETWorks.about.personal_details import EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE
from PETWorks.about.vocabulary import (
    A_DEVICE,
    A_HOUSEHOLD,
    A_NAME,
    A_NUMBER,
    A_WAY_TO_REACH,
    AGE,
    ALONE,
    AN_ACCOUNT,
    BUILT,
    NO_DEVICES,
    OFFICES,
    ORIGIN,
    OTHERS,
    PSEUDONYMS,
    SEX,
    SUBJECTS,
)
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.counts import ClassSizes, Grouping
from PETWorks.counting.questions import class_sizes
from PETWorks.gate.recognition import FEW, KEYS, Examined

CHANGING = 0.25  # of the changes that chance would bring about; a person has fewer
TELLING = 0.2  # changes by chance for a value that repeats, at which a column tells anything
REPEATED = 1.25  # records for each value, if they are of the same person
OFTEN, SEVERAL = 1.5, 5  # records for each value, and values, if nothing says whose the records are
STEP = 5  # years, within which an age may change
STRONG, WEAK = (AGE, BUILT), (SEX, ORIGIN)  # a name goes with the weak ones, and a ward may
REACHING = (A_WAY_TO_REACH, AN_ACCOUNT, A_DEVICE, A_HOUSEHOLD)

# Whether records with the same value of a column are of one person, by a birth date or, if `weak`, by sex and the
# like; None if nothing tells.
SamePerson = Callable[[str, bool], bool | None]


class Kind(IntEnum):
    """How well a column names people, the best first."""

    NUMBER = 0  # was given to a person
    CODE = 1  # is called `id` and no more
    REACH = 2  # an e-mail address, a phone, a card, a device
    NAME = 3
    OTHER = 4


def stands_for_people(words: str) -> bool:
    """Whether a column is called like people, or like the pseudonyms of people, and nothing else."""
    return words in terms(f"{SUBJECTS}, {PSEUDONYMS}", whole=True)


def named_people(identifiers: Mapping[str, Examined], same_person: SamePerson) -> str | None:
    """The identifier that names people who have several records; None if there is none."""
    kinds = {column: _kind(words_of(column), profile) for column, profile in identifiers.items()}
    one_each = any(
        kind == Kind.NUMBER and identifiers[column].distinct == identifiers[column].records > 1
        for column, kind in kinds.items()
    )
    found = []
    for place, (column, profile) in enumerate(identifiers.items()):
        kind = kinds[column]
        if kind is None or not 1 < profile.distinct < profile.present:
            continue
        by_name = kind <= Kind.CODE and not one_each
        if by_name or _repeats(column, kind, profile, same_person, one_each=one_each):
            found.append((kind, profile.present < profile.records, place, column))
    best = [column for kind, _, _, column in sorted(found) if kind == min(found)[0]]
    if len(best) > 1:  # of numbers of one person, the one that most records share
        told = [column for column in best if same_person(column, True)]
        return min(told, key=lambda column: identifiers[column].distinct, default=best[0])
    return best[0] if best else None


def _kind(words: str, profile: Examined) -> Kind | None:
    """What kind of name of people a column is; None if it names others than those the table is about."""
    if any(term in words for term in terms(OTHERS)):  # the mother's number names another person
        return None
    subject, look = pointed_to(words).get(IDENTIFIER), profile.look
    if words in terms(ALONE[A_NUMBER], whole=True):
        return Kind.CODE
    if subject == A_NUMBER or stands_for_people(words) or look == NATIONAL_ID:
        return Kind.NUMBER
    if any(term in words for term in terms(OFFICES)):
        return Kind.OTHER
    reaches = subject in REACHING and not any(term in words for term in terms(NO_DEVICES))
    if reaches or look in (EMAIL, PHONE, PAYMENT_CARD, KEYS):
        return Kind.REACH
    return Kind.NAME if subject == A_NAME else Kind.OTHER


def _repeats(column: str, kind: Kind, profile: Examined, same_person: SamePerson, *, one_each: bool) -> bool:
    """Whether people plainly have several records, by a column that may repeat for other reasons.

    one_each   whether another number says that every record is of another person
    """
    if profile.present < FEW or profile.present < REPEATED * profile.distinct:
        return False
    told = same_person(column, kind <= Kind.REACH)
    if told is not None or one_each or kind > Kind.REACH:
        return told is True
    return profile.present >= OFTEN * profile.distinct and profile.distinct > SEVERAL


def same_person_in(load: Callable[[Sequence[str]], Any], columns: Sequence[str]) -> SamePerson:
    """Whether records are of one person, as a table tells that has these columns and can be loaded."""
    subjects = {name: pointed_to(words_of(name)) for name in columns}
    known = {name: roles.get(QUASI_IDENTIFIER) for name, roles in subjects.items() if IDENTIFIER not in roles}
    strong = [name for name, what in known.items() if what in STRONG]
    weak = [name for name, what in known.items() if what in WEAK]
    return cache(partial(_same_person, load, strong, weak))


def _same_person(
    load: Callable[[Sequence[str]], Any], strong: Sequence[str], weak: Sequence[str], column: str, also_weak: bool
) -> bool | None:
    tellers = [name for name in (*strong, *(weak if also_weak else ())) if name != column]
    table = load([column, *tellers]) if tellers else None
    told = [one for name in tellers if (one := _goes_with(table, column, name)) is not None]
    return any(told) if told else None


def _goes_with(table: Any, column: str, other: str) -> bool | None:
    """Whether records with the same value of a column have the same other value; None if chance may explain it."""
    found = _is_steady(table, column, other)
    if found is False and (years := _in_years(table.domains[other].values)):  # people become older
        return _is_steady(table.generalised({other: years}), column, other)
    return found


def _is_steady(table: Any, column: str, other: str) -> bool | None:
    groupings = [Grouping(names, (column,), True, True) for names in ((column,), (column, other))]
    alone, both = table.ask([class_sizes(table, grouping) for grouping in groupings])
    by_chance = _changes_by_chance(alone, table.marginal(other).shares)
    repeated = int(alone.classes[alone.sizes > 1].sum())
    if not repeated or by_chance < TELLING * repeated:
        return None
    return bool(both.number - alone.number <= CHANGING * by_chance)


def _in_years(values: Sequence[str | None]) -> dict[str | None, str | None] | None:
    """Ages in steps of some years; None if the values are no ages."""
    told = [value for value in values if value is not None]
    if not told or not all(value.isdecimal() and len(value) <= 3 for value in told):
        return None
    return {value: value if value is None else str(int(value) // STEP) for value in values}


def _changes_by_chance(sizes: ClassSizes, shares: Any) -> float:
    """How many further values classes of these sizes had, if the shares of the values were the same in all of them."""
    return float(
        sum(
            number * (np.sum(1 - (1 - shares) ** size) - 1)
            for size, number in zip(sizes.sizes.tolist(), sizes.classes.tolist(), strict=True)
            if size > 1
        )
    )
