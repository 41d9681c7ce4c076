"""Role choices: what changes in a policy when somebody gives other roles, reasons, or columns that name people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PETWorks.about.population import ALLOWED_ROLES
from PETWorks.about.roles import ROLE_KEYS
from PETWorks.about.sidecar import Sidecar, read_sidecar
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.suggest.starter import subset_sizes
from PETWorks.json_types import MultilingualText, text_in

Roles = Mapping[str, str | None]


@dataclass(frozen=True)
class RoleChoices:
    """The user's choices: only columns and fields that are on the page.

    roles        the role of columns, None for none
    reasons      why columns have their role, or none; empty if no reason is given
    unit         the column that names the person, empty for none; None if the form did not have the field
    not_people   why columns that repeat do not name the people of the table; empty if no reason is given
    sample       the columns of sampling weight and household, by key of the policy; empty for none
    """

    roles: Roles = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    not_people: Mapping[str, str] = field(default_factory=dict)
    sample: Mapping[str, str] = field(default_factory=dict)


def _sidecar(policy: Policy) -> Sidecar:
    """The YAML file beside the table, which counts if the policy gives no roles."""
    return Sidecar() if policy.roles is not None or isinstance(policy.data, str) else read_sidecar(policy.data)


def current_roles(policy: Policy) -> dict[str, str]:
    """The roles in force, from the policy or the YAML file beside the table."""
    return dict(_sidecar(policy).roles if policy.roles is None else policy.roles)


def current_unit(policy: Policy) -> str | None:
    """The column that names the person, from the policy or the YAML file beside the table."""
    return _sidecar(policy).privacy_unit if policy.privacy_unit is None else policy.privacy_unit


def reason_of(policy: Policy, column: str, roles: Mapping[str, str]) -> MultilingualText | None:
    """The policy's reason why a column has its role, or none."""
    return (policy.accountability.role_reasons if column in roles else policy.no_role).get(column)


def current_sample(policy: Policy) -> dict[str, str]:
    """The columns of sampling weight and household, from the policy or the YAML file beside the table."""
    return policy.sample.words or _sidecar(policy).sample.words


def changes_of(policy: Policy, choices: RoleChoices, lang: str) -> dict[str, Any]:
    """The keys of the policy that change by the user's choices, with their new content; None removes one."""
    before = current_roles(policy)
    now: dict[str, str] = {column: role for column, role in {**before, **choices.roles}.items() if role is not None}
    unit = current_unit(policy) if choices.unit is None else choices.unit or None
    wanted: dict[str, Any] = {
        key: column or None for key, column in choices.sample.items() if column != current_sample(policy).get(key, "")
    }
    for key, column in choices.sample.items():
        if now.get(column, INSENSITIVE_ATTRIBUTE) not in ALLOWED_ROLES[key]:
            del now[column]
    if now != before or (policy.roles is None and choices.unit is not None):
        wanted["roles"] = _role_lists(policy.file.content.get("roles"), now)
    wanted |= _reasons(policy, before, now, choices, lang)
    if unit != current_unit(policy):
        wanted["privacy_unit"] = unit
    wanted |= _not_people(policy, choices.not_people, lang)
    wanted |= _without_protections(policy.file.content.get("anonymize"), now)
    wanted |= _subsets(policy.file.content.get("subsets"), before, now, unit)
    content = policy.file.content
    return {key: value for key, value in wanted.items() if value != content.get(key)}


def _role_lists(lists_before: Mapping[str, list[str]] | None, now: Mapping[str, str]) -> dict[str, list[str]]:
    """The lists of columns: columns that were in a list keep their place, new ones come last."""
    lists: dict[str, list[str]] = {}
    for key in dict.fromkeys((*(lists_before or ()), *ROLE_KEYS)):
        old = [
            column.strip() for column in (lists_before or {}).get(key, ()) if now.get(column.strip()) == ROLE_KEYS[key]
        ]
        new = [column for column, role in now.items() if role == ROLE_KEYS[key] and column not in old]
        if old or new or key in (lists_before or {}):
            lists[key] = old + new
    return lists


def _reasons(
    policy: Policy, before: Mapping[str, str], now: Mapping[str, str], choices: RoleChoices, lang: str
) -> dict[str, Any]:
    """The reasons for roles. An unchanged reason is dropped when the role changes: it was about the old role."""
    texts_before = {key: dict(policy.file.content.get(key, {})) for key in ("no_role", "role_reasons")}
    chosen = {*choices.roles, *choices.reasons}
    texts: dict[str, dict[str, Any]] = {
        key: {name: text for name, text in known.items() if name.strip() not in chosen}
        for key, known in texts_before.items()
    }
    for column in dict.fromkeys((*choices.roles, *choices.reasons)):
        old = reason_of(policy, column, before)
        typed = choices.reasons.get(column, text_in(old, lang))
        is_same = typed == text_in(old, lang)
        if is_same and before.get(column) != now.get(column):
            continue
        if typed:
            key = "role_reasons" if column in now else "no_role"
            name = _name_as_written(column, texts_before[key])
            texts[key][name] = old if is_same else _with_text(old, typed, lang)
    ordered = {
        key: {name: texts[key][name] for name in dict.fromkeys((*texts_before[key], *texts[key])) if name in texts[key]}
        for key in texts
    }
    return {key: ordered[key] or None for key in texts}


def _not_people(policy: Policy, typed: Mapping[str, str], lang: str) -> dict[str, Any]:
    """The reasons why columns do not name the people of the table, with those that were typed."""
    texts = dict(policy.file.content.get("no_privacy_unit", {}))
    for column, text in typed.items():
        name = _name_as_written(column, texts)
        old = texts.get(name)
        if not text:
            texts.pop(name, None)
        elif text != text_in(old, lang):
            texts[name] = _with_text(old, text, lang)
    return {"no_privacy_unit": texts or None}


def _name_as_written(column: str, names: Iterable[str]) -> str:
    """The name of a column as a section of the policy has it, where blanks around it do not matter."""
    return next((name for name in names if name.strip() == column), column)


def _with_text(old: Any, text: str, lang: str) -> Any:
    """A text that replaces an old one, or only that in this language."""
    return {**old, lang: text} if isinstance(old, Mapping) else text


def _without_protections(section: Mapping[str, Any] | None, now: Mapping[str, str]) -> dict[str, Any]:
    """The section `anonymize`, without protections of columns that have become quasi-identifiers."""
    protect = (section or {}).get("protect", {})
    kept = {column: words for column, words in protect.items() if now.get(column.strip()) != QUASI_IDENTIFIER}
    if section is None or kept == protect:
        return {}
    rest = {key: value for key, value in section.items() if key != "protect"}
    return {"anonymize": {**rest, **({"protect": kept} if kept else {})} or None}


def _subsets(
    section: Mapping[str, Any] | None, before: Mapping[str, str], now: Mapping[str, str], unit: str | None
) -> dict[str, Any]:
    """The section `subsets` as `petworks init` writes it: only if records are counted, and only if it is quick."""
    if section is None or "sizes" not in section:
        return {}
    if unit is not None:
        return {"subsets": None}
    number_before, number_now = (list(roles.values()).count(QUASI_IDENTIFIER) for roles in (before, now))
    if section["sizes"] != subset_sizes(number_before) or not number_now:
        return {}
    sizes = subset_sizes(number_now)
    return {"subsets": None if sizes is None else {**section, "sizes": sizes}}
