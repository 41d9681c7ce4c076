"""What may go out, decided for command, page, evidence, Python and pipelines; stale verdicts do not count."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from PETWorks.counting.release import Release
from PETWorks.errors import InputError
from PETWorks.gate.anonymising import SAID_ANEW, policy_content
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.document.check_document import FAIL, PASS, WAIVED, WITHHELD, CheckDocument, Verdict
from PETWorks.gate.document.plan_document import Plan
from PETWorks.gate.plans import read_plan
from PETWorks.gate.policy.from_rules import described
from PETWorks.gate.policy.policy import Policy
from PETWorks.tables.files import path_from

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


# Exit codes by what a document shows: an external edition that withholds a verdict gives the same one for all data.
EXIT_CODES: dict[Verdict, int] = {PASS: 0, WAIVED: 0, FAIL: 1, WITHHELD: 4}

Obstacle = Literal["fails", "withheld", "changed", "unfinished", "outdated"]


def passes(verdict: str) -> bool:
    """Whether every rule holds or is waived, as far as a verdict shows it."""
    return verdict in (PASS, WAIVED)


def obstacle(document: CheckDocument, table: Path | None = None) -> Obstacle | None:
    """What stands against handing out a table that was checked; None if nothing does.

    table   its file as it is now; without it, the table is taken to be the one that was judged
    """
    if document.verdict == WITHHELD:
        return "withheld"
    if not passes(document.verdict):
        return "fails"
    if table is not None and not _is_judged(document, table):
        return "changed"
    made = document.anonymization
    if made is not None and made.seconds is not None and not made.optimal:  # somebody decides about it as it is
        return "unfinished"
    return None


def obstacle_now(
    made: CheckDocument | None,
    check: CheckDocument,
    released: Policy,
    origins: Sequence[Policy],
    table: Path | None,
    *,
    judged_alone: bool = False,
) -> Obstacle | None:
    """What stands against handing out a release that was made and judged some time ago; None if nothing does.

    made           the check that was written with it, if one was
    check          the check of its own policy, as things are now
    released       that policy
    origins        the policies that the release may have been made with; it is outdated if each says something else
    table          its file as it is now
    judged_alone   as for `changed_since_made`
    """
    for document in (check, *([] if made is None else [made])):
        against = obstacle(document, table)
        if against is not None:
            return against
    changes = [changed_since_made(origin, released, judged_alone=judged_alone) for origin in origins]
    return "outdated" if changes and all(changes) else None


def _is_judged(document: CheckDocument, table: Path) -> bool:
    """Whether a file is the very table that was checked."""
    judged = next((file.sha256 for file in document.inputs if file.use == "data"), None)
    try:
        return judged is not None and judged == table_digest(table)
    except InputError:  # it is gone
        return False
