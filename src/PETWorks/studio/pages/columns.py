"""Columns: what each column is, which role it has, and what contradicts that."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.about.roles import ROLE_KEYS, ROLES
from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import InputError
from PETWorks.gate.check.findings import findings
from PETWorks.gate.document.check_document import ColumnFacts, Spoken
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.suggest.starter import subset_sizes
from PETWorks.gate.suggest.suggestion import Suggestion
from PETWorks.render.report import prose
from PETWorks.studio.files.policy_file import edited
from PETWorks.studio.pages.page import Form, computed, desk_of, form_of, language, page, part, petworks, see, studio
from PETWorks.studio.server.case import Desk, Places, TableFacts

Roles = Mapping[str, str | None]


@dataclass(frozen=True)
class Said:
    """What the user says: only columns and fields that are on the page.

    roles     the role of columns, None for none
    reasons   why columns have their role, or none; empty if nobody says
    unit      the column that names the person, empty for none; None if it was not asked
    """

    roles: Roles = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None


def current_roles(policy: Policy) -> dict[str, str]:
    """The roles that count: those of the policy, or of the YAML file beside the table."""
    if policy.roles is not None or isinstance(policy.data, str):
        return dict(policy.roles or {})
    return dict(read_sidecar(policy.data).roles)


def current_unit(policy: Policy) -> str | None:
    """The column that names the person, by the policy or the YAML file beside the table."""
    if policy.privacy_unit is not None or policy.roles is not None or isinstance(policy.data, str):
        return policy.privacy_unit
    return read_sidecar(policy.data).privacy_unit


def reason_of(policy: Policy, column: str, roles: Mapping[str, str]) -> Spoken | None:
    """Why a column has its role, or none, as the policy says."""
    return (policy.accountability.role_reasons if column in roles else policy.no_role).get(column)


def spoken(text: Spoken | None, lang: str) -> str:
    """A text of the policy as a field has it."""
    if isinstance(text, Mapping):
        texts = dict[str, str](text.items())
        return texts.get(lang) or next(iter(texts.values()))
    return "" if text is None else str(text)


def changed_text(policy: Policy, text: str, said: Said, lang: str) -> str:
    """The text of the policy file after the user has said something."""
    before = current_roles(policy)
    now: dict[str, str] = {column: role for column, role in {**before, **said.roles}.items() if role is not None}
    unit = current_unit(policy) if said.unit is None else said.unit or None
    wanted: dict[str, Any] = {}
    if now != before or (policy.roles is None and said.unit is not None):
        wanted["roles"] = _lists(policy.file.content.get("roles"), now)
    wanted |= _reasons(policy, before, now, said, lang)
    if unit != current_unit(policy):
        wanted["privacy_unit"] = unit
    wanted |= _protected(policy.file.content.get("anonymize"), now)
    wanted |= _subsets(policy.file.content.get("subsets"), before, now, unit)
    content = policy.file.content
    wanted = {key: value for key, value in wanted.items() if value != content.get(key)}
    return edited(text, wanted) if wanted else text


def _lists(given: Mapping[str, list[str]] | None, now: Mapping[str, str]) -> dict[str, list[str]]:
    """The lists of columns: whoever was in one stays in its place, whoever is new comes last."""
    lists: dict[str, list[str]] = {}
    for key in dict.fromkeys((*(given or ()), *ROLE_KEYS)):
        old = [column.strip() for column in (given or {}).get(key, ()) if now.get(column.strip()) == ROLE_KEYS[key]]
        new = [column for column, role in now.items() if role == ROLE_KEYS[key] and column not in old]
        if old or new or key in (given or {}):
            lists[key] = old + new
    return lists


def _reasons(
    policy: Policy, before: Mapping[str, str], now: Mapping[str, str], said: Said, lang: str
) -> dict[str, Any]:
    """The texts about columns. One that stays while the role changes was about the role before, and goes."""
    texts: dict[str, dict[str, Any]] = {"no_role": {}, "role_reasons": {}}
    given = {key: dict(policy.file.content.get(key, {})) for key in texts}
    for key, known in given.items():
        texts[key] = {name: text for name, text in known.items() if name.strip() not in {*said.roles, *said.reasons}}
    for column in dict.fromkeys((*said.roles, *said.reasons)):
        old = reason_of(policy, column, before)
        typed = said.reasons.get(column, spoken(old, lang))
        same = typed == spoken(old, lang)
        if same and before.get(column) != now.get(column):
            continue
        if typed:
            key = "role_reasons" if column in now else "no_role"
            name = next((name for name in given[key] if name.strip() == column), column)
            texts[key][name] = old if same else {**old, lang: typed} if isinstance(old, Mapping) else typed
    ordered = {
        key: {name: texts[key][name] for name in dict.fromkeys((*given[key], *texts[key])) if name in texts[key]}
        for key in texts
    }
    return {key: ordered[key] or None for key in texts}


def _protected(given: Mapping[str, Any] | None, now: Mapping[str, str]) -> dict[str, Any]:
    """How a release is made, without protections of columns that have become quasi-identifiers."""
    protect = (given or {}).get("protect", {})
    kept = {column: words for column, words in protect.items() if now.get(column.strip()) != QUASI_IDENTIFIER}
    if given is None or kept == protect:
        return {}
    others = {key: value for key, value in given.items() if key != "protect"}
    return {"anonymize": {**others, **({"protect": kept} if kept else {})} or None}


def _subsets(
    given: Mapping[str, Any] | None, before: Mapping[str, str], now: Mapping[str, str], unit: str | None
) -> dict[str, Any]:
    """Attacks by every subset, as `petworks init` has them: counted in records, and only if that is quick."""
    if given is None or "sizes" not in given:
        return {}
    if unit is not None:
        return {"subsets": None}
    was, known = (list(roles.values()).count(QUASI_IDENTIFIER) for roles in (before, now))
    if given["sizes"] != subset_sizes(was) or not known:
        return {}
    sizes = subset_sizes(known)
    return {"subsets": None if sizes is None else {**given, "sizes": sizes}}


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
