"""Columns: what each column is, which role it has, and what contradicts that."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.about.roles import ROLES
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import InputError
from PETWorks.gate.document import ColumnFacts
from PETWorks.gate.findings import findings
from PETWorks.gate.suggestion import Suggestion
from PETWorks.render import prose
from PETWorks.studio.desk import Desk
from PETWorks.studio.page import Form, computed, desk_of, form_of, language, page, part, petworks, see, studio
from PETWorks.studio.role_changes import Said, changed_text, current_roles, current_unit, reason_of, spoken
from PETWorks.studio.table_facts import Places, TableFacts

MOST_ROWS = 80  # on one page
NONE = "none"
CODES = {NONE: None, **{role: role for role in ROLES}}  # what forms call the roles
NO_PLACES = Places("none")
LOOK_AGAIN = "attention"


@dataclass(frozen=True)
class Row:
    """A column as the page shows it; `place` names it in the form."""

    place: int
    name: str
    role: str
    kind: str
    distinct: int
    missing: float
    unique: float
    suggestion: Suggestion
    why: str
    reason: str
    places: Places
    levels: tuple[str, dict[str, str]]  # the page where its hierarchy is edited
    finding: ColumnFacts | None

    @property
    def needs_a_look(self) -> bool:
        """Whether something about the column should be decided or confirmed."""
        other = (self.suggestion.role or NONE) != self.role
        return self.finding is not None or self.role == NONE or other or self.places.strange > 0


async def show(request: Request) -> Response:
    """The columns, those that the user wants to see."""
    desk = await desk_of(request)
    shown: Response = await computed(_page, request, desk)
    return shown


def _page(request: Request, desk: Desk) -> Response:
    facts, lang = studio(request).tables.of(desk.policy), language(request)
    roles, unit = current_roles(desk.policy), current_unit(desk.policy)
    rows = _rows(desk, facts, roles, unit, lang)
    asked = request.query_params
    wanted, find = asked.get("show", ""), asked.get("find", "").strip()
    chosen = [row for row in rows if _is_wanted(row, wanted, find)]
    pages = max(1, -(-len(chosen) // MOST_ROWS))
    number = min(max(int(asked["page"][:9]), 1), pages) if asked.get("page", "")[:9].isdecimal() else 1
    workspace = studio(request).workspace
    return page(
        request,
        "columns",
        desk,
        command=petworks("check", workspace.argument(desk.file.path)),
        policy=workspace.relative(desk.file.path),
        rows=chosen[(number - 1) * MOST_ROWS : number * MOST_ROWS],
        total=len(rows),
        chosen=len(chosen),
        pages=pages,
        number=number,
        wanted=wanted,
        find=find,
        shown=[*ROLES, NONE, LOOK_AGAIN],
        roles=[*ROLES, NONE],
        removed=[name for name in roles if name not in facts.profiles],
        others=[row for row in rows if (row.suggestion.role or NONE) != row.role],
        unit=unit,
        units=_units(facts, roles, unit),
        suggested_unit=facts.suggested_unit if facts.suggested_unit != unit else None,
        has_subsets="subsets" in desk.policy.file.content,
        seen=desk.file.digest,
        worth=_contradictions(facts, roles, unit, _explained(desk), lang),
        unsaved=0,
        shown_places={row.place for row in chosen[(number - 1) * MOST_ROWS : number * MOST_ROWS]},
    )


def _is_wanted(row: Row, wanted: str, find: str) -> bool:
    if find.casefold() not in row.name.casefold():
        return False
    return row.needs_a_look if wanted == LOOK_AGAIN else wanted in ("", row.role)


def _rows(desk: Desk, facts: TableFacts, roles: Mapping[str, str], unit: str | None, lang: str) -> list[Row]:
    places = facts.places(desk.policy)
    found = {one.column: one for one in _examined(facts, roles, unit, _explained(desk))}
    return [
        Row(
            place=place,
            name=name,
            role=roles.get(name, NONE),
            kind=facts.kind(name),
            distinct=profile.distinct,
            missing=1 - profile.present / max(profile.records, 1),
            unique=profile.unique / max(profile.records, 1),
            suggestion=facts.suggestions[name],
            why=prose.suggested(facts.suggestions[name].why, lang),
            reason=spoken(reason_of(desk.policy, name, roles), lang),
            places=places.get(name, NO_PLACES),
            levels=("/levels/column", {"column": str(facts.places_in_table[name])})
            if roles.get(name) == QUASI_IDENTIFIER
            else ("/levels", {}),
            finding=found.get(name),
        )
        for place, (name, profile) in enumerate(facts.profiles.items())
    ]


def _explained(desk: Desk) -> set[str]:
    """The columns for whose role the policy has a reason."""
    return {*desk.policy.accountability.role_reasons, *desk.policy.no_role}


def _examined(
    facts: TableFacts, roles: Mapping[str, str], unit: str | None, explained: Collection[str]
) -> Iterable[ColumnFacts]:
    """The columns whose name or values contradict their role, as a check finds them."""
    for name, profile in facts.profiles.items():
        role = roles.get(name)
        found = () if role == IDENTIFIER or name == unit else findings(name, role, profile)
        column = ColumnFacts(name, role, released=True, findings=found)
        if column.fails or (found and name not in explained):
            yield column


def _contradictions(
    facts: TableFacts, roles: Mapping[str, str], unit: str | None, explained: Collection[str], lang: str
) -> list[dict[str, Any]]:
    """What contradicts the roles, the worst first."""
    places = {name: place for place, name in enumerate(facts.names)}
    found = [
        {
            "place": places[one.column],
            "column": one.column,
            "role": one.role or NONE,
            "fails": one.fails,
            "text": prose.finding(one, lang),
        }
        for one in _examined(facts, roles, unit, explained)
    ]
    return sorted(found, key=lambda one: not one["fails"])


def _units(facts: TableFacts, roles: Mapping[str, str], unit: str | None) -> list[tuple[int, str]]:
    """The columns that can name the person: with a value in every record, which some records share."""
    return [
        (place, name)
        for place, (name, profile) in enumerate(facts.profiles.items())
        if name == unit
        or (
            roles.get(name) not in (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE)
            and profile.present == profile.records
            and 1 < profile.distinct < profile.records
        )
    ]


async def look(request: Request) -> Response:
    """What would contradict the roles that are chosen on the page, before they are saved."""
    desk, form = await desk_of(request), await form_of(request)
    found: Response = await computed(_look, request, desk, form)
    return found


def _look(request: Request, desk: Desk, form: Form) -> Response:
    facts, lang = studio(request).tables.of(desk.policy), language(request)
    before, unit = current_roles(desk.policy), current_unit(desk.policy)
    said = _said(form, facts)
    roles = {name: role for name, role in {**before, **said.roles}.items() if role is not None}
    chosen_unit = unit if said.unit is None else said.unit or None
    unsaved = sum(before.get(name) != role for name, role in said.roles.items()) + (chosen_unit != unit)
    unsaved += sum(text != spoken(reason_of(desk.policy, name, before), lang) for name, text in said.reasons.items())
    without = {name for name, text in said.reasons.items() if not text}
    given = {name for name, text in said.reasons.items() if text}
    worth = _contradictions(facts, roles, chosen_unit, _explained(desk) - without | given, lang)
    places = {facts.names.index(name) for name in said.roles}
    return part(request, "contradictions.html", desk, worth=worth, unsaved=unsaved, shown_places=places)


async def save(request: Request) -> Response:
    """Save everything that the form says, at once."""
    desk, form = await desk_of(request), await form_of(request)
    await computed(_save, desk, form, studio(request).tables.of, language(request))
    if form.text("do") == "next":
        return see(request, "/risk", desk)
    back = {key: form.text(key) for key in ("show", "find", "page") if form.text(key)}
    return see(request, "/columns", desk, **back)


def _save(desk: Desk, form: Form, table_of: Any, lang: str) -> None:
    text = changed_text(desk.policy, desk.file.text, _said(form, table_of(desk.policy)), lang)
    desk.file.write(text, form.text("seen") or None)


def _said(form: Form, facts: TableFacts) -> Said:
    """What the fields say, and the button that was used: `take` a suggestion, or give several columns one role."""
    roles: dict[str, str | None] = {
        _column(place, facts.names): _role(code) for place, code in form.beginning("role-").items()
    }
    take = form.text("take")
    taken = facts.names if take == "all" else [_column(take, facts.names)] if take else []
    roles |= {name: facts.suggestions[name].role for name in taken}
    if form.text("do") == "bulk":
        roles |= {_column(place, facts.names): _role(form.text("bulk")) for place in form.texts("pick")}
    unit = form.text("unit") if "unit" in form.fields else None
    return Said(
        roles,
        {_column(place, facts.names): text.strip() for place, text in form.beginning("reason-").items()},
        _column(unit, facts.names) if unit else unit,
    )


def _column(place: str, names: Sequence[str]) -> str:
    if not place.isdecimal() or len(place) > 9 or int(place) >= len(names):
        raise InputError("the form names a column that the table does not have; look at the page again")
    return names[int(place)]


def _role(code: str) -> str | None:
    if code not in CODES:
        raise InputError("the form names a role that there is not; look at the page again")
    return CODES[code]


ROUTES = [
    Route("/columns", show),
    Route("/columns", save, methods=["POST"]),
    Route("/columns/look", look, methods=["POST"]),
]
