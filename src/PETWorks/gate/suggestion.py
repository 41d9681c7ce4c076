"""A role for each column of an unknown table, suggested by its name, its values and how unique they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PETWorks.about.column_names import pointed_to, terms, words_of
from PETWorks.about.dates import is_unread_date
from PETWorks.about.hierarchy_proposal import Proposal
from PETWorks.about.vocabulary import CALLED, LABELS, REMARKS
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import Column
from PETWorks.counting.profiles import profile_of
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.gate.named_people import named_people, same_person_in, stands_for_people
from PETWorks.gate.protection_proposal import Protect
from PETWorks.gate.reasons import Reason
from PETWorks.gate.recognition import DATE, FEW, MIXED, MOST, MOST_DETAILS, Examined

FEWEST_CODES = 10  # different values, below which a column called `case` or `code` is one of categories
SENTENCE = 12  # characters; a remark that is longer is no code


@dataclass(frozen=True)
class Suggestion:
    """A role for a column and why; None if nothing suggests one."""

    column: str
    role: str | None
    why: Reason
    facts: str = ""  # counts in words; a phrase
    hierarchy: Proposal | None = None
    protect: Protect | None = None
    records: int | None = None  # of the table
    unread_dates: bool = False  # whether its values look like dates that cannot be read

    @property
    def reason(self) -> str:
        """Why, in English, with the counts."""
        return f"{self.why}{':' if self.role is None else ';'} {self.facts}" if self.adds_facts else str(self.why)

    @property
    def adds_facts(self) -> bool:
        """Whether the counts say more than the reason."""
        return self.why.kind not in ("same", "beside")


def suggested_roles(table: WeightedRows, columns: Sequence[str], unit: str | None = None) -> list[Suggestion]:
    """A role for each of these columns, in their order.

    unit   the column that names the person, by which a value in many records may be that of one person
    """
    found = []
    for column in columns:
        profile = _examined(table, column)
        one = suggested_role(column, profile)
        if unit is not None and column != unit:
            one = replace(suggested_role(column, _examined(table, column, table.columns[unit])), facts=one.facts)
        found.append(replace(one, records=table.rows, unread_dates=profile.most(is_unread_date)))
    return found


def suggested_role(column: str, profile: Examined) -> Suggestion:
    """A role for a column.

    A name that points to an identifier comes first, then how the values look, any other name, how unique they are.
    What remains is a quasi-identifier: a reviewer can take that back, but nobody sees a risk that was not computed.
    """
    return Suggestion(column, *_suggested(words_of(column), profile), profile.facts)


def suggested_privacy_unit(table: WeightedRows, suggestions: Sequence[Suggestion]) -> str | None:
    """The identifier that names people who have several records; None if there is none."""
    names = [one.column for one in suggestions if one.role == IDENTIFIER]
    same_person = same_person_in(lambda _columns: table, [one.column for one in suggestions])
    return named_people({name: _examined(table, name) for name in names}, same_person)


def _examined(table: WeightedRows, column: str, people: Column | None = None) -> Examined:
    return Examined.of(profile_of(table.columns[column], table.rows, column, people))


def _suggested(words: str, profile: Examined) -> tuple[str | None, Reason]:
    """Role and reason."""
    roles, look = pointed_to(words), profile.look
    if IDENTIFIER in roles:
        return IDENTIFIER, Reason("named", roles[IDENTIFIER])
    if look and look != DATE:
        return IDENTIFIER, profile.seen
    if profile.personal_share >= MOST and profile.distinct >= FEW:
        return IDENTIFIER, Reason("mixed", MIXED)
    if sum(profile.details.values()) > MOST_DETAILS:
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
        return INSENSITIVE_ATTRIBUTE, Reason("same", whole=profile.records)
    if look:
        return QUASI_IDENTIFIER, profile.seen
    return _by_uniqueness(words, profile)


def _are_codes(profile: Examined) -> bool:
    """Whether values look assigned to people or records: many of them, consecutive numbers or letters with digits."""
    if profile.distinct < FEWEST_CODES:
        return False
    mixed = profile.most(lambda text: text.isalnum() and not text.isalpha() and not text.isdecimal())
    return mixed or profile.numbered


def _by_uniqueness(words: str, profile: Examined) -> tuple[str, Reason]:
    """Role and reason of a column whose name and values are not conclusive."""
    labels = terms(f"{LABELS}, {CALLED}")
    labelled = any(label in words for label in labels) or stands_for_people(words)
    if profile.present < FEW:
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
