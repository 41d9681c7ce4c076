"""Columns: the kind and the role of each column, and findings that contradict the role."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from PETWorks.about.population import ALLOWED_ROLES
from PETWorks.about.roles import ROLES
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import InputError
from PETWorks.gate.check.findings import find_contradictions
from PETWorks.gate.document import ColumnFacts, Role
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.role_choices import (
    RoleChoices,
    changes_of,
    current_roles,
    current_sample,
    current_unit,
    reason_of,
)
from PETWorks.gate.suggest.suggestion import MANY, ExaminedColumn, Suggestion, how_well_known
from PETWorks.json_types import text_in
from PETWorks.render.language.language import message_text
from PETWorks.render.report import prose
from PETWorks.studio.files.policy_file import edit_policy
from PETWorks.studio.pages.page import (
    Form,
    Routes,
    language,
    page,
    part,
    petworks_command,
    policy_argument,
    redirect,
)
from PETWorks.studio.server.open_case import ExaminedTable, GivenHierarchy, OpenCase
from PETWorks.tables.cells import is_number

ROUTES = Routes()


def policy_with_choices(policy: Policy, text: str, choices: RoleChoices, lang: str) -> str:
    """The text of the policy file with the user's choices."""
    wanted = changes_of(policy, choices, lang)
    return edit_policy(text, wanted) if wanted else text


MAX_ROWS = 70  # columns on one page
NONE = "none"
ROLE_BY_FORM_VALUE = {NONE: None, **{role: role for role in ROLES}}  # the roles as forms name them
NO_HIERARCHY = GivenHierarchy()
NEEDS_ATTENTION = "attention"


@dataclass(frozen=True)
class Row:
    """A column as the page shows it; `index` names it in the form."""

    index: int
    name: str
    role: str
    kind: str
    distinct: int
    missing: float
    unique: float
    suggestion: Suggestion
    why: str
    notes: Sequence[str]
    reason: str
    hierarchy: GivenHierarchy
    place: str  # among all columns of the table
    finding: ColumnFacts | None

    @property
    def question(self) -> str:
        """The question that a reason answers: why no outsider knows the column, why it has no role, or why this one."""
        if self.suggestion.role == QUASI_IDENTIFIER or (self.finding and self.finding.has("perhaps known")):
            return "known"
        return "none" if self.role == NONE else "role"

    @property
    def needs_a_look(self) -> bool:
        """Whether something about the column should be decided or confirmed."""
        differs = (self.suggestion.role or NONE) != self.role
        return (
            self.finding is not None or self.role == NONE or differs or bool(self.notes or self.hierarchy.fit.unplaced)
        )


@ROUTES.get("/columns")
def show(request: Request, case: OpenCase) -> Response:
    """The columns that match the filter of the user."""
    facts, lang = case.facts, language(request)
    roles, unit = current_roles(case.policy), current_unit(case.policy)
    contradictions = _contradictions(facts, roles, unit, _explained_columns(case))
    rows = _rows(case, facts, roles, {column.column: column for column in contradictions}, lang)
    query = request.query_params
    wanted, find = query.get("show", ""), query.get("find", "").strip()
    chosen = [row for row in rows if _is_wanted(row, wanted, find)]
    pages = max(1, -(-len(chosen) // MAX_ROWS))
    number = min(max(int(query["page"][:9]), 1), pages) if query.get("page", "")[:9].isdecimal() else 1
    shown = chosen[(number - 1) * MAX_ROWS : number * MAX_ROWS]
    return page(
        request,
        "columns",
        case,
        command=petworks_command("check", policy_argument(request, case)),
        rows=shown,
        total=len(rows),
        chosen=len(chosen),
        pages=pages,
        number=number,
        wanted=wanted,
        find=find,
        options=[*ROLES, NONE, NEEDS_ATTENTION],
        roles=[*ROLES, NONE],
        removed=[name for name in roles if name not in facts.profiles],
        others=[row for row in rows if (row.suggestion.role or NONE) != row.role],
        unit=unit,
        units=_possible_units(facts, roles, unit),
        suggested_unit=_suggested_unit(case.policy, facts, unit),
        samples=_possible_samples(case.policy, facts, unit),
        repeating=_repeating_columns(facts, case.policy),
        not_people=_columns_with_reasons(case.policy, facts, lang),
        has_subsets="subsets" in case.policy.file.content,
        contradictions=contradictions,
        known=(known := [row for row in rows if row.role == QUASI_IDENTIFIER]),
        decide_first=[row.name for row in known if len(known) > MANY and how_well_known(row.suggestion) == "unclear"],
        unsaved=0,
        places={row.name: row.index for row in shown},
    )


def _is_wanted(row: Row, wanted: str, find: str) -> bool:
    if find.casefold() not in row.name.casefold():
        return False
    return row.needs_a_look if wanted == NEEDS_ATTENTION else wanted in ("", row.role)


def _rows(
    case: OpenCase, facts: ExaminedTable, roles: Mapping[str, str], found: Mapping[str, ColumnFacts], lang: str
) -> list[Row]:
    hierarchies = facts.hierarchies(case.policy)
    return [
        Row(
            index=index,
            name=name,
            role=roles.get(name, NONE),
            kind=facts.kind(name),
            distinct=profile.distinct,
            missing=1 - profile.present / max(profile.records, 1),
            unique=profile.unique / max(profile.records, 1),
            suggestion=facts.suggestions[name],
            why=prose.reason_text(facts.suggestions[name].why, lang),
            notes=_notes(facts.suggestions[name], roles.get(name), hierarchies.get(name, NO_HIERARCHY), lang),
            reason=text_in(reason_of(case.policy, name, roles), lang),
            hierarchy=hierarchies.get(name, NO_HIERARCHY),
            place=str(facts.indices[name]),
            finding=found.get(name),
        )
        for index, (name, profile) in enumerate(facts.profiles.items())
    ]


def _notes(suggestion: Suggestion, role: str | None, hierarchy: GivenHierarchy, lang: str) -> list[str]:
    """What is to be said about the values of a column that may be released."""
    said = {
        "unread-dates": suggestion.unread_dates and "dates" not in (hierarchy.words or ()),
        "spellings": suggestion.spellings,
    }
    return [
        message_text(lang, f"studio.columns.{what}") for what, holds in said.items() if holds and role != IDENTIFIER
    ]


def _explained_columns(case: OpenCase) -> set[str]:
    """The columns for whose role the policy has a reason."""
    return {*case.policy.accountability.role_reasons, *case.policy.no_role}


def _contradictions(
    facts: ExaminedTable, roles: Mapping[str, str], unit: str | None, explained: Collection[str]
) -> list[ColumnFacts]:
    """The columns whose name or values contradict their role, as a check finds them, the most serious first."""
    contradicting = []
    for name, profile in facts.profiles.items():
        role = roles.get(name)
        found = () if role == IDENTIFIER or name == unit else find_contradictions(name, role, profile)
        column = ColumnFacts(name, cast(Role, role), released=True, findings=found)
        if column.fails or (found and name not in explained):
            contradicting.append(column)
    return sorted(contradicting, key=lambda column: not column.fails)


def _suggested_unit(policy: Policy, facts: ExaminedTable, unit: str | None) -> str | None:
    """The column that seems to name the person, unless the policy counts by it or says why it does not."""
    return None if facts.suggested_unit in (unit, *policy.no_privacy_unit) else facts.suggested_unit


def _columns(facts: ExaminedTable, is_possible: Callable[[str, ExaminedColumn], bool]) -> list[tuple[int, str]]:
    """The columns for which a function is true, each with its index."""
    return [(index, name) for index, (name, column) in enumerate(facts.profiles.items()) if is_possible(name, column)]


def _repeating_columns(facts: ExaminedTable, policy: Policy) -> list[tuple[int, str]]:
    """The columns with values that several records share, and no reason yet why they do not name people."""
    reasons = policy.no_privacy_unit
    return _columns(facts, lambda name, column: 0 < column.distinct < column.present and name not in reasons)


def _columns_with_reasons(policy: Policy, facts: ExaminedTable, lang: str) -> list[tuple[int, str, str]]:
    """The columns that do not name the people of the table, with their index and the reason."""
    return [
        (facts.names.index(name), name, text_in(reason, lang))
        for name, reason in policy.no_privacy_unit.items()
        if name in facts.profiles
    ]


def _possible_units(facts: ExaminedTable, roles: Mapping[str, str], unit: str | None) -> list[tuple[int, str]]:
    """The columns that can name the person: with a value in every record, shared by some records."""

    def is_possible(name: str, column: ExaminedColumn) -> bool:
        is_free = roles.get(name) not in (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE)
        return name == unit or (is_free and column.present == column.records and 1 < column.distinct < column.records)

    return _columns(facts, is_possible)


def _possible_samples(
    policy: Policy, facts: ExaminedTable, unit: str | None
) -> list[tuple[str, str | None, list[tuple[int, str]]]]:
    """For sampling weight and household: the key of the policy, the column in force, and possible columns."""
    current = current_sample(policy)
    columns = _columns(facts, lambda name, column: name != unit and column.distinct > 1)
    weights = [(index, name) for index, name in columns if all(map(is_number, facts.profiles[name].sample))]
    return [
        ("sampling_weight", current.get("sampling_weight"), weights),
        ("household", current.get("household"), columns),
    ]


@ROUTES.post("/columns/look")
def preview_contradictions(request: Request, case: OpenCase, form: Form) -> Response:
    """The contradictions to the roles that are chosen on the page, before they are saved."""
    facts, lang = case.facts, language(request)
    before, unit = current_roles(case.policy), current_unit(case.policy)
    choices = _choices_sent(form, facts)
    roles = {name: role for name, role in {**before, **choices.roles}.items() if role is not None}
    chosen_unit = unit if choices.unit is None else choices.unit or None
    policy, sample = case.policy, current_sample(case.policy)
    changes = [
        (unit, chosen_unit),
        *((before.get(name), role) for name, role in choices.roles.items()),
        *((text_in(reason_of(policy, name, before), lang), text) for name, text in choices.reasons.items()),
        *((text_in(policy.no_privacy_unit.get(name), lang), text) for name, text in choices.not_people.items()),
        *((sample.get(key, ""), column) for key, column in choices.sample.items()),
    ]
    without_reason = {name for name, text in choices.reasons.items() if not text}
    with_reason = {name for name, text in choices.reasons.items() if text}
    contradictions = _contradictions(facts, roles, chosen_unit, _explained_columns(case) - without_reason | with_reason)
    return part(
        request,
        "contradictions.html",
        case,
        contradictions=contradictions,
        unsaved=sum(old != new for old, new in changes),
        places={name: facts.names.index(name) for name in choices.roles},
    )


@ROUTES.post("/columns")
def save(request: Request, case: OpenCase, form: Form) -> Response:
    """Save all fields of the form at once."""
    text = policy_with_choices(case.policy, case.file.text, _choices_sent(form, case.facts), language(request))
    case.file.write(text, form.text("seen") or None)
    if form.text("do") == "next":
        return redirect(request, "/risk", case)
    back = {key: form.text(key) for key in ("show", "find", "page") if form.text(key)}
    return redirect(request, "/columns", case, **back, saved="1")


def _choices_sent(form: Form, facts: ExaminedTable) -> RoleChoices:
    """The choices in the fields, and by the button used: `take` a suggestion, or give several columns one role."""
    named = partial(_column, names=facts.names)
    roles: dict[str, str | None] = {named(index): _role(code) for index, code in form.with_prefix("role-").items()}
    take = form.text("take")
    taken = facts.names if take == "all" else [named(take)] if take else []
    roles |= {name: facts.suggestions[name].role for name in taken}
    if form.text("do") == "bulk":
        roles |= {named(index): _role(form.text("bulk")) for index in form.texts("pick")}
    reasons = {named(index): text.strip() for index, text in form.with_prefix("reason-").items()}
    unit = form.text("unit") if "unit" in form.fields else None
    not_people = {named(index): text.strip() for index, text in form.with_prefix("not-people-").items()}
    if form.text("other-column") and form.text("other-reason"):
        not_people[named(form.text("other-column"))] = form.text("other-reason")
    sample = {key: form.text(key) and named(form.text(key)) for key in ALLOWED_ROLES if key in form.fields}
    return RoleChoices(roles, reasons, unit and named(unit), not_people, sample)


def _column(index: str, names: Sequence[str]) -> str:
    if not index.isdecimal() or len(index) > 9 or int(index) >= len(names):
        raise InputError("the form names a column that the table does not have; look at the page again")
    return names[int(index)]


def _role(code: str) -> str | None:
    if code not in ROLE_BY_FORM_VALUE:
        raise InputError("the form names a role that there is not; look at the page again")
    return ROLE_BY_FORM_VALUE[code]
