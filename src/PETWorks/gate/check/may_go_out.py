"""Whether a release may go out: one decision for all interfaces. Outdated verdicts do not count."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from PETWorks.about.hierarchies.declaration import HierarchySources, as_hierarchies, hierarchy_digest
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.sidecar import read_sidecar
from PETWorks.anonymizer.plan import Plan
from PETWorks.counting.release import Release
from PETWorks.errors import InputError, PETWorksError
from PETWorks.gate.anonymising import RESTATED_KEYS, policy_content
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.document import FAIL, PASS, SUFFIX, WAIVED, WITHHELD, CheckDocument, Verdict
from PETWorks.gate.policy.plan_files import read_plan
from PETWorks.gate.policy.policy import Policy, describe_release
from PETWorks.gate.policy.policy_rules import UP_TO_DATE
from PETWorks.gate.register import read_register
from PETWorks.gate.release_files import origins_of
from PETWorks.tables.files import path_from

# Keys that change neither a release nor its verdict. All other keys do, also future ones.
IMMATERIAL_KEYS = ("petworks_policy", "title")
# Keys that may be changed in the policy of a release after it was made.
KEYS_EDITABLE_AFTER_RELEASE = ("context", "cell_size", "sign_off", "waivers", "releases", "register")
# Of these, keys that may legitimately differ between both policies, so they prove nothing if no record was kept.
INCONCLUSIVE_KEYS = ("cell_size", "sign_off", "register")


def complete_content(policy: Policy, release: Release | None = None) -> dict[str, Any]:
    """The content of a policy, completed by the roles file beside its table.

    release   the table, if it is already open
    """
    has_all = policy.roles is not None and policy.hierarchies is not None  # otherwise the roles file has the rest
    from_roles_file = {} if has_all else describe_release(policy.release() if release is None else release)
    return {**from_roles_file, **policy_content(policy)}


def digests_by_key(content: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """The digest of each key of a policy that matters for a verdict.

    folder   the folder of the policy, from which its paths start
    """
    unit = str(content.get("privacy_unit", "")).strip()
    plain = {key: _plain(value, folder) for key, value in content.items() if key not in IMMATERIAL_KEYS}
    plain["roles"] = {
        column.strip(): role
        for role, columns in (content.get("roles") or {}).items()
        for column in columns
        if column.strip() != unit
    }
    for key in ("no_role", "role_reasons"):  # the policy of a release does not give them for the unit
        plain[key] = {column: why for column, why in (plain.get(key) or {}).items() if column.strip() != unit}
    return {key: _digest(value) for key, value in plain.items() if value not in ({}, [], "")}


def changed_keys(origin: Policy, released: Policy, *, judged_alone: bool = False) -> tuple[str, ...]:
    """The keys of a policy that changed since a release was made with it, which makes the release outdated.

    origin         the policy that the release is made with
    released       the policy that came with the release
    judged_alone   whether the release is judged by its own policy, so that only changes of the original policy count
    """
    plan = _plan(released)
    made = None if plan is None else plan.made_by
    current = digests_by_key(complete_content(origin), origin.path.parent)
    of_release = digests_by_key(policy_content(released), released.path.parent)
    changed = []
    for key in sorted({*current, *of_release, *(made or {})}):
        unchanged = made is not None and current.get(key) == made.get(key)
        if key in RESTATED_KEYS:
            is_same = unchanged or (made is None and (key != "anonymize" or _has_same_protection(origin, plan)))
        elif current.get(key) == of_release.get(key):
            is_same = True
        elif made is None:
            is_same = judged_alone or key in INCONCLUSIVE_KEYS
        else:
            is_same = unchanged and (judged_alone or key in KEYS_EDITABLE_AFTER_RELEASE)
        if not is_same:
            changed.append(key)
    if plan is not None and "hierarchies" not in changed and _has_other_hierarchies(origin, released, plan):
        changed.append("hierarchies")
    return tuple(sorted(changed))


def changed_since_made(released: Policy) -> tuple[str, ...]:
    """The keys that changed, since a release was made, in the policy beside it that it was made with; usually none.

    If several policies are about its original, all of them must have changed.
    """
    changes = []
    for origin in origins_of(released):
        try:
            changes.append(changed_keys(origin, released, judged_alone=True))
        except PETWorksError:  # the policy, or the roles beside its table, cannot be read: nothing is known
            return ()
    return min(changes, key=len, default=())


def registered_of_same_original(policy: Policy) -> tuple[str, ...]:
    """The registered releases of the same original that `releases` of the policy does not have, by date and digest."""
    if policy.register is None or not isinstance(policy.original, Path) or not isinstance(policy.data, Path):
        return ()
    entries = [entry for entry in read_register(policy.register) if entry.original_sha256 is not None]
    if not entries:
        return ()
    original, own = table_digest(policy.original), table_digest(policy.data)
    known = {own, *(earlier.sha256 for earlier in policy.releases.earlier)}
    known |= {table_digest(table.data) for table in policy.releases.measured if isinstance(table.data, Path)}
    return tuple(
        entry.name.removesuffix(SUFFIX)
        for entry in entries
        if entry.original_sha256 == original and entry.sha256 not in known
    )


def _has_other_hierarchies(origin: Policy, released: Policy, plan: Plan) -> bool:
    """Whether a hierarchy file differs from the one that a release was made with, although the policies are the same.

    The files of the release have all of its hierarchies. Those of the original may also be declared: what they are then
    depends on the policy and the table only.
    """
    from_files = [column for column, planned in plan.hierarchies.items() if planned.words is None]
    return any(
        _differ_from_plan(policy, plan, columns)
        for policy, columns in ((origin, from_files), (released, list(plan.hierarchies)))
    )


def _differ_from_plan(policy: Policy, plan: Plan, columns: Sequence[str]) -> bool:
    """Whether the hierarchies of these columns are not those of the plan."""
    named = hierarchies_of(policy)
    try:
        by_column = as_hierarchies(named, columns if isinstance(named, Path) else named or ())
    except PETWorksError:
        return True  # a file is gone, or is no hierarchy any more
    for column in columns:
        hierarchy, planned = by_column.get(column), plan.hierarchies[column]
        if hierarchy is None and planned.height > 1:  # a column without a hierarchy has values and * only
            return True
        if isinstance(hierarchy, Hierarchy) and hierarchy_digest(hierarchy) != planned.sha256:
            return True
    return False


def hierarchies_of(policy: Policy) -> HierarchySources | None:
    """The hierarchies that a policy names, or the roles file beside its table."""
    if policy.hierarchies is not None or not isinstance(policy.data, Path) or not policy.data.is_file():
        return policy.hierarchies
    return read_sidecar(policy.data).hierarchies


def _plan(released: Policy) -> Plan | None:
    """The plan of a release; None if there is none."""
    if released.plan is None:
        return None
    with released.located("plan"):
        return read_plan(released.plan)


def _has_same_protection(origin: Policy, plan: Plan | None) -> bool:
    """Whether the policy protects columns as the plan did, for a plan without a record of its policy."""
    wanted = origin.anonymize.get("protect") or {}
    return plan is None or _digest(_plain(wanted, Path())) == _digest(_plain(plan.protect or {}, Path()))


def _plain(value: Any, folder: Path) -> Any:
    """A value for JSON, with paths relative to the policy; empty values are dropped."""
    if isinstance(value, Mapping):
        plain = {str(key): _plain(item, folder) for key, item in value.items()}
        return {key: item for key, item in plain.items() if item not in ({}, [])}
    if isinstance(value, list | tuple):
        return [_plain(item, folder) for item in value]
    if isinstance(value, Path):
        return path_from(folder.resolve(), value.resolve())
    return str(value)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


# Exit codes by the verdict in a document: if an external edition withholds it, the code reveals nothing either.
EXIT_CODES: dict[Verdict, int] = {PASS: 0, WAIVED: 0, FAIL: 1, WITHHELD: 4}

Obstacle = Literal["fails", "withheld", "changed", "outdated"]


def is_passing(verdict: str) -> bool:
    """Whether every rule holds or is waived."""
    return verdict in (PASS, WAIVED)


def find_obstacle(document: CheckDocument, table: Path | None = None) -> Obstacle | None:
    """The obstacle to handing out a checked table; None if there is none.

    table   the present file; if None, the table is assumed to be unchanged
    """
    if document.verdict == WITHHELD:
        return "withheld"
    if not is_passing(document.verdict):
        failing = {rule.name for rule in document.rules if rule.verdict == FAIL}
        return "outdated" if failing == {UP_TO_DATE} else "fails"
    if table is not None and not _is_checked_table(document, table):
        return "changed"
    return None


def find_current_obstacle(
    made: CheckDocument | None,
    check: CheckDocument,
    released: Policy,
    origins: Sequence[Policy],
    table: Path | None,
    *,
    judged_alone: bool = False,
) -> Obstacle | None:
    """The obstacle to handing out a release that was made and judged some time ago; None if there is none.

    made           the check that was written with the release, if any
    check          a current check by its own policy
    released       its own policy
    origins        the policies that it may have been made with; it is outdated if all of them have changed
    table          its present file
    judged_alone   as for `changed_keys`
    """
    for document in (check, *([] if made is None else [made])):
        against = find_obstacle(document, table)
        if against is not None:
            return against
    changes = [changed_keys(origin, released, judged_alone=judged_alone) for origin in origins]
    return "outdated" if changes and all(changes) else None


def _is_checked_table(document: CheckDocument, table: Path) -> bool:
    """Whether a file is the table that was checked."""
    judged = next((file.sha256 for file in document.inputs if file.use == "data"), None)
    try:
        return judged is not None and judged == table_digest(table)
    except InputError:  # the file is gone
        return False
