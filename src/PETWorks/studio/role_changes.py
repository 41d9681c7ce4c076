"""What a user says about columns on the page, as changes of the policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PETWorks.about.roles import ROLE_KEYS
from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.gate.document import Spoken
from PETWorks.gate.policy import Policy
from PETWorks.gate.starter import subset_sizes
from PETWorks.studio.policy_lines import edited

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
