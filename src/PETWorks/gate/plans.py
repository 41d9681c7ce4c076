"""Plan files: written beside a release, and read again with strict checks."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from PETWorks.about.hierarchies.declaration import hierarchy_digest, needs_earlier_hierarchy
from PETWorks.about.hierarchies.hierarchy import Hierarchy, read_hierarchy
from PETWorks.anonymizer.anonymization import Anonymization
from PETWorks.anonymizer.chosen_levels import OnLevels
from PETWorks.anonymizer.objectives import NOT_LOCAL
from PETWorks.anonymizer.plan import SUBSETS, VERSION, Plan, PlannedHierarchy, PlannedRule
from PETWorks.anonymizer.replaying import Replayed
from PETWorks.errors import HierarchyError, Hint, InputError, Phrase, quoted
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.document import parse_document, read_json
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, Rule

NOTE = "Internal, like the policy: for those who may see the original. Do not release it."
# Keys of a policy that are not copied into a plan: it has its own keys for them, or they name files of one table.
KEYS_STATED_ELSEWHERE = (
    *("petworks_policy", "data", "original", "population", "hierarchies", "anonymize", "separator", "encoding"),
    *("order", "seed", "plan", "roles", "privacy_unit", "treatment", "rules", "subsets", "releases", "register"),
)
_LIST_OF_NUMBERS = re.compile(r"\[\n\s+(\d+(?:,\n\s+\d+)*)\n\s+\]")


def complete_plan(
    result: Anonymization | OnLevels,
    content: Mapping[str, Any],
    policy: Policy | None,
    target: Path,
    files: Mapping[str, Path],
) -> Plan:
    """The plan of a release that has been written.

    content   the content of the original's policy
    target    the file of the release
    files     the file of the hierarchy of each column
    """
    plan = result.planned
    data = content["data"]
    further = {key: value for key, value in content.items() if key not in KEYS_STATED_ELSEWHERE}
    if further.get("title") == getattr(data, "name", None):
        further.pop("title", None)
    if policy is not None and "waivers" in further:  # the next table has no earlier releases yet
        about_all_releases = [rule.name for rule in policy.rules if rule.about_all_releases]
        further["waivers"] = [waiver for waiver in further["waivers"] if waiver["rule"] not in about_all_releases]
    if policy is not None and policy.subset_sizes is not None:
        further["subsets"] = {"sizes": policy.subset_sizes}
    rules = (
        plan.rules
        if policy is None
        else tuple(_planned_rules(policy, {rule.name: rule.parameters for rule in plan.rules}))
    )
    return _with_files(replace(plan, rules=rules, policy=further or None), data, target, files)


def plan_of_next_release(result: Replayed, earlier: Plan, data: Any, target: Path, files: Mapping[str, Path]) -> Plan:
    """The plan of a release made by an earlier plan: it has the same rules.

    data   the table that it was made from; other parameters as in `complete_plan`
    """
    plan = result.planned
    hierarchies = {
        column: replace(hierarchy, words=earlier.hierarchies[column].words)
        for column, hierarchy in plan.hierarchies.items()
    }
    copied = {name: getattr(earlier, name) for name in ("method", "levels", "allowed_levels", "rules", "policy")}
    return _with_files(replace(plan, hierarchies=hierarchies, **copied), data, target, files)


def _with_files(plan: Plan, data: Any, target: Path, files: Mapping[str, Path]) -> Plan:
    """The plan with the names and digests of its files added."""
    folder = target.parent
    hierarchies = {
        column: replace(hierarchy, file=files[column].relative_to(folder).as_posix())
        if needs_earlier_hierarchy(hierarchy.words)
        else hierarchy
        for column, hierarchy in plan.hierarchies.items()
    }
    return replace(
        plan,
        note=NOTE,
        hierarchies=hierarchies,
        release=target.name,
        original_sha256=table_digest(data) if isinstance(data, Path) else None,
        release_sha256=table_digest(target / "*.parquet" if target.is_dir() else target),
    )


def plan_text(plan: Plan) -> str:
    """A plan as JSON, with the levels of a node on one line."""
    text = json.dumps(plan.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return _LIST_OF_NUMBERS.sub(lambda numbers: f"[{', '.join(re.findall('[0-9]+', numbers[1]))}]", text)


def read_plan(path: Path) -> Plan:
    """The plan in a file; raises if it is not a valid plan."""
    return parse_plan(read_json(path, Phrase("a plan"), Hint.PLAN), path.name)


def parse_plan(content: Any, name: str) -> Plan:
    """The plan in JSON content; raises if it is invalid or contradicts itself."""
    version = content.get("petworks_plan") if isinstance(content, Mapping) else None
    if isinstance(version, int | str) and not isinstance(version, bool) and version != VERSION:
        raise InputError(
            "{name}: unknown version {version} of the format; this program reads version {known}",
            name=name,
            version=quoted([str(version)]),
            known=VERSION,
        )
    plan = parse_document(Plan, content)
    if isinstance(plan, Phrase):
        raise InputError("{name}: not a plan: {problem}", Hint.PLAN, name=name, problem=plan)
    for contradiction in _contradictions(plan):
        raise InputError("{name}: the plan contradicts itself: {problem}", name=name, problem=contradiction)
    return plan


def plan_of_file(policy: Policy, path: Path | None) -> Plan | None:
    """The plan named in a policy, if the file is the release made by it, judged by the digest."""
    if policy.plan is None or path is None:
        return None
    with policy.located("plan"):
        plan = read_plan(policy.plan)
    return plan if plan.release_sha256 == table_digest(path) else None


def _contradictions(plan: Plan) -> Iterator[Phrase]:
    columns = plan.columns
    if columns != plan.roles.get("quasi_identifiers", ()):
        yield Phrase("'columns' are not the quasi-identifiers of its 'roles', in this order")
    listed = [*(column for columns_of_role in plan.roles.values() for column in columns_of_role), *plan.no_role]
    if len(set(listed)) < len(listed):
        yield Phrase("a column is listed twice in 'roles' and 'no_role'")
    heights = {column: hierarchy.height for column, hierarchy in plan.hierarchies.items()}
    generalised = [column for index, column in enumerate(columns) if any(any(node[index:][:1]) for node in plan.levels)]
    listed_levels = (*plan.levels, *([] if plan.divided_down_to is None else [plan.divided_down_to]))
    without = [column for column in generalised if column not in heights]
    if without:
        yield Phrase("there is no hierarchy for {columns}", columns=quoted(without))
    if any(len(node) != len(columns) for node in listed_levels):
        yield Phrase("expected {number} numbers in each list of 'levels', one for each column", number=len(columns))
    for index, column in enumerate(columns):
        allowed = (plan.allowed_levels or {}).get(column, (0, heights.get(column, 0)))
        if len(allowed) != 2 or not all(allowed[0] <= node[index] <= allowed[1] for node in listed_levels):
            yield Phrase("column {column!r} has a level that is not one of those that were allowed", column=column)
    if plan.method == "global" and len(plan.levels) > 1:
        yield Phrase("the method is 'global', so there is one list of levels")
    if plan.method == "global" and plan.divided_down_to is not None:
        yield Phrase("the method is 'global', so no class is divided further")
    if plan.method == "local" and plan.objective == NOT_LOCAL:
        yield Phrase("local recoding takes every objective but {objective}", objective=NOT_LOCAL)
    names = [rule.name for rule in plan.rules]
    if len(set(names)) < len(names):
        yield Phrase("two rules have the same name")


def earlier_hierarchies(plan: Plan, folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies that a plan needs from files; raises if one has changed."""
    return {
        column: check_hierarchy(column, planned, _read_hierarchy_file(column, planned, folder))
        for column, planned in plan.hierarchies.items()
        if needs_earlier_hierarchy(planned.words)
    }


def hierarchy_paths(plan: Plan, folder: Path) -> list[Path]:
    """The files of hierarchies that a plan needs."""
    needed = [planned for planned in plan.hierarchies.values() if needs_earlier_hierarchy(planned.words)]
    return [folder / planned.file for planned in needed if planned.file is not None]


def check_hierarchy(column: str, planned: PlannedHierarchy, hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy; raises if it differs from that of the plan."""
    if hierarchy_digest(hierarchy) != planned.sha256:
        raise HierarchyError(
            "column {column!r}: its hierarchy ({hierarchy}) is not the one that the plan was "
            "made with; restore that one, or make a new plan",
            column=column,
            hierarchy=hierarchy.name,
            what=f"hierarchies.{column}",
        )
    return hierarchy


def _read_hierarchy_file(column: str, planned: PlannedHierarchy, folder: Path) -> Hierarchy:
    if planned.file is None:
        raise HierarchyError(
            "column {column!r}: the plan names no file of its hierarchy",
            Hint.HIERARCHIES,
            column=column,
            what=f"hierarchies.{column}",
        )
    try:
        file = (folder / planned.file).resolve()
        inside = file.is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        inside = False
    if not inside:
        raise HierarchyError(
            "column {column!r}: the file of its hierarchy is not in the folder of the plan", column=column
        )
    return read_hierarchy(folder / planned.file)


def _planned_rules(policy: Policy, made_with: Mapping[str, Mapping[str, Any]]) -> Iterator[PlannedRule]:
    """All rules of a policy. Waived ones are included: their waivers are in the plan too, and expire.

    made_with   for each rule that was not waived, the thresholds of the search, which may differ from the policy's
    """
    for rule in policy.rules:
        if rule.name not in BUILT_IN_RULES and not rule.about_all_releases:
            parameters = _parameters(rule, policy.subset_sizes)
            asked = made_with.get(rule.name, parameters)
            yield PlannedRule(
                name=rule.name,
                measure=SUBSETS if rule.measure is None else rule.measure.name,
                parameters=parameters,
                asked=None if asked == parameters else asked,
                preset=rule.preset,
                why=rule.why,
            )


def _parameters(rule: Rule, sizes: str | None) -> dict[str, Any]:
    if rule.measure is None:
        ((limit, at_most),) = rule.parameters.items()
        return {"limit": limit, "at_most": at_most, "sizes": sizes}
    declared = rule.measure.parameters
    return {name: value for name, value in rule.parameters.items() if value != declared[name].default}
