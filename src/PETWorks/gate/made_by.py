"""What a policy said when a release was made with it, and whether it still says the same."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PETWorks.counting.release import Release
from PETWorks.gate.anonymising import SAID_ANEW, policy_content
from PETWorks.gate.plan_document import Plan
from PETWorks.gate.plan_files import read_plan
from PETWorks.gate.policy import Policy
from PETWorks.gate.rules_as_policy import described
from PETWorks.tables.portable_paths import path_from

# What changes neither a release nor its verdict. Everything else does, a key that is new in the format included.
IMMATERIAL = ("petworks_policy", "title")
# What may be decided about a release itself, in its own policy, after it was made.
OF_THE_RELEASE = ("context", "cell_size", "sign_off", "waivers", "releases", "register")
# Of these, what nobody has to decide alike before and after, so that it tells nothing of a release without a record.
WITHOUT_RECORD = ("cell_size", "sign_off", "register")

Meaning = Mapping[str, str]


def content_said(policy: Policy, release: Release | None = None) -> dict[str, Any]:
    """What a policy says, and what the roles file beside its table says in its place.

    release   the table, if it is open already
    """
    has_all = policy.roles is not None and policy.hierarchies is not None  # otherwise the roles file has the rest
    beside = {} if has_all else described(policy.release() if release is None else release)
    return {**beside, **policy_content(policy)}


def meaning(content: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """For each key of a policy that matters the digest of what it says.

    folder   of the policy, from which its paths start
    """
    unit = str(content.get("privacy_unit", "")).strip()
    told = {key: _plain(value, folder) for key, value in content.items() if key not in IMMATERIAL}
    told["roles"] = {
        column.strip(): role
        for role, columns in (content.get("roles") or {}).items()
        for column in columns
        if column.strip() != unit
    }
    for key in ("no_role", "role_reasons"):  # the policy of a release does not give them for the unit
        told[key] = {column: why for column, why in (told.get(key) or {}).items() if column.strip() != unit}
    return {key: _digest(value) for key, value in told.items() if value not in ({}, [], "")}


def changed_since_made(origin: Policy, released: Policy, *, judged_alone: bool = False) -> tuple[str, ...]:
    """The keys by which a release is outdated: the policy that it is made with says now what it was not made by.

    origin         the policy that it is made with
    released       the policy that came with the release
    judged_alone   whether the release is judged by its own policy, whatever was decided there: then only a change of
                   the other one counts
    """
    plan = _plan(released)
    made = None if plan is None else plan.made_by
    now = meaning(content_said(origin), origin.path.parent)
    own = meaning(policy_content(released), released.path.parent)
    changed = []
    for key in sorted({*now, *own, *(made or {})}):
        was = made is not None and now.get(key) == made.get(key)
        if key in SAID_ANEW:
            is_same = was or (made is None and (key != "anonymize" or _is_protected_alike(origin, plan)))
        elif now.get(key) == own.get(key):
            is_same = True
        elif made is None:
            is_same = judged_alone or key in WITHOUT_RECORD
        else:
            is_same = was and (judged_alone or key in OF_THE_RELEASE)
        if not is_same:
            changed.append(key)
    return tuple(changed)


def _plan(released: Policy) -> Plan | None:
    """The plan of a release; None if there is none."""
    if released.plan is None:
        return None
    with released.located("plan"):
        return read_plan(released.plan)


def _is_protected_alike(origin: Policy, plan: Plan | None) -> bool:
    """Whether columns are protected as those of a release, whose plan does not say what else it was made by."""
    wanted = origin.anonymize.get("protect") or {}
    return plan is None or _digest(_plain(wanted, Path())) == _digest(_plain(plan.protect or {}, Path()))


def _plain(value: Any, folder: Path) -> Any:
    """A value as JSON has it, with paths as the policy names them; what is empty says nothing."""
    if isinstance(value, Mapping):
        plain = {str(key): _plain(one, folder) for key, one in value.items()}
        return {key: one for key, one in plain.items() if one not in ({}, [])}
    if isinstance(value, list | tuple):
        return [_plain(one, folder) for one in value]
    if isinstance(value, Path):
        return path_from(folder.resolve(), value.resolve())
    return str(value)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
