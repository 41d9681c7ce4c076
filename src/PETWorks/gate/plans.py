"""Plans: written beside a release, and applied to another table."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import structs

from PETWorks.about.hierarchies.declaration import (
    Declaration,
    as_hierarchies,
    hierarchy_digest,
    needs_earlier_hierarchy,
    refit_hierarchy,
)
from PETWorks.about.hierarchies.hierarchy import Hierarchy, read_hierarchy
from PETWorks.about.roles import ROLE_KEYS
from PETWorks.about.treatment import COLUMN_KEYS, EXACT, STARS
from PETWorks.anonymizer.anonymization import Anonymization
from PETWorks.anonymizer.chosen_levels import OnLevels
from PETWorks.anonymizer.local.sweep import LocalSteps
from PETWorks.anonymizer.plan import SUBSETS, Plan, PlannedHierarchy, PlannedRule, ShownCells
from PETWorks.anonymizer.problem import SearchSettings, check_share
from PETWorks.anonymizer.released import Recoded, with_safe_cells
from PETWorks.anonymizer.replay import PlannedSearch, PlanTable, Replayed, replay
from PETWorks.anonymizer.rules import MeasureRule, Rule, SubsetRule
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE
from PETWorks.counting.protected_source import protect_source
from PETWorks.counting.release import Release
from PETWorks.counting.view import ReplacedLabels
from PETWorks.errors import HierarchyError, Hint, InputError, Joined, ParameterError, Phrase, RoleError, quoted
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.policy.plan_files import read_plan
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES
from PETWorks.gate.policy.policy_rules import Rule as PolicyRule
from PETWorks.measures.catalogue import find_measure
from PETWorks.tables.headers import columns_of
from PETWorks.tables.opening import Files, open_source
from PETWorks.tables.source import Source

NOTE = "Internal, like the policy: for those who may see the original. Do not release it."
# Keys of a policy that are not copied into a plan: it has its own keys for them, or they name files of one table.
KEYS_STATED_ELSEWHERE = (
    *("petworks_policy", "data", "original", "population", "hierarchies", "anonymize", "separator", "encoding"),
    *("order", "seed", "plan", "roles", *COLUMN_KEYS, "treatment", "rules", "subsets", "releases", "register"),
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
    plan = result.plan_document
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
    made = structs.replace(plan, rules=rules, policy=further or None, shown_cells=_shown_cells(result))
    return _with_files(made, data, target, files)


def plan_of_next_release(result: Replayed, earlier: Plan, data: Any, target: Path, files: Mapping[str, Path]) -> Plan:
    """The plan of a release made by an earlier plan: it has the same rules.

    data   the table that it was made from; other parameters as in `complete_plan`
    """
    plan = result.plan_document
    hierarchies = {
        column: structs.replace(hierarchy, words=earlier.hierarchies[column].words)
        for column, hierarchy in plan.hierarchies.items()
    }
    copied = {name: getattr(earlier, name) for name in ("method", "levels", "allowed_levels", "rules", "policy")}
    made = structs.replace(plan, hierarchies=hierarchies, shown_cells=_shown_cells(result), **copied)
    return _with_files(made, data, target, files)


def _shown_cells(result: Recoded) -> dict[str, ShownCells] | None:
    """What the means of each column stand for; None if no column shows any."""
    return {
        name: ShownCells(leaves=placed.leaves, cells=placed.cells, information_kept=placed.information_kept)
        for name, placed in result.placed_cells.items()
    } or None


def note_placed_cells(release: Release, plan: Plan | None) -> None:
    """Note the labels that means replace, if the plan of the release has them."""
    if plan is not None and plan.shown_cells is not None:
        release.note_replaced_labels(
            {
                column: ReplacedLabels(
                    plan.hierarchies[column].height, shown.leaves, shown.cells, shown.information_kept
                )
                for column, shown in plan.shown_cells.items()
                if column in plan.hierarchies
            }
        )


def _with_files(plan: Plan, data: Any, target: Path, files: Mapping[str, Path]) -> Plan:
    """The plan with the names and digests of its files added."""
    folder = target.parent
    hierarchies = {
        column: structs.replace(hierarchy, file=files[column].relative_to(folder).as_posix())
        if needs_earlier_hierarchy(hierarchy.words)
        else hierarchy
        for column, hierarchy in plan.hierarchies.items()
    }
    return structs.replace(
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


def plan_of_release(policy: Policy, source: Source) -> Plan | None:
    """The plan named in a policy, if the table, in one file or several, is the release made by it, by its digest."""
    path = Path(source.name) if isinstance(source, Files) else source.path
    if policy.plan is None or path is None:
        return None
    with policy.located("plan"):
        plan = read_plan(policy.plan)
    return plan if plan.release_sha256 == table_digest(path) else None


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


def _parameters(rule: PolicyRule, sizes: str | None) -> dict[str, Any]:
    if rule.measure is None:
        ((limit, at_most),) = rule.parameters.items()
        return {"limit": limit, "at_most": at_most, "sizes": sizes}
    declared = rule.measure.parameters
    return {name: value for name, value in rule.parameters.items() if value != declared[name].default}


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Another table with the roles and hierarchies of a plan.

    unplaced   the values of each column that have no place in its hierarchy
    missing    columns of the plan that the table lacks and need not have
    """

    plan: Plan
    release: Release
    unplaced: Mapping[str, frozenset[str]]
    missing: tuple[str, ...]

    def recode(self, rules: tuple[Rule, ...], *, strict: bool = False) -> Replayed:
        """Recode the table to the levels of the plan.

        strict   raise if a value has no place in its hierarchy
        """
        plan = self.plan
        settings = SearchSettings(
            suppression=plan.suppression,
            suppressed_records=plan.suppressed_records or STARS,
            objective=plan.objective,
            aggregate=plan.aggregate,
            weights=plan.weights or {},
            levels=plan.allowed_levels or {},
        )
        steps = LocalSteps(plan.levels, plan.smallest_class or 1, plan.divided_down_to, plan.homes, plan.power)
        search = PlannedSearch(settings, steps, plan.show or {})
        plan_table = PlanTable(plan.records, plan.suppressed, plan.loss)
        result = replay(self.release, rules, search, plan_table, self.unplaced, self.missing)
        if strict and result.without_place:
            values_by_column = [
                Phrase(
                    "{column!r} ({values} values, {records} records)",
                    column=column,
                    values=found.values,
                    records=found.records,
                )
                for column, found in result.without_place.items()
            ]
            raise HierarchyError(
                "values without a place in the hierarchies of the plan: {columns}",
                columns=Joined(", ", values_by_column),
            )
        return result


def prepare_table(
    data: Any,
    plan: Plan,
    earlier: Mapping[str, Hierarchy],
    *,
    original: Any = None,
    population: Any = None,
    new_roles: Mapping[str, str] | None = None,
    memory_limit: int | str | None = None,
) -> PreparedTable:
    """Open another table with the roles and hierarchies of a plan.

    earlier     the earlier hierarchies that are needed to fit the values of this table
    new_roles   roles of columns that the plan does not have
    """
    if plan.population is not None and population is not None:
        raise ParameterError("the plan has a population already, so none can be given", what="population")
    source = protect_source(open_source(data, Phrase("the table")), plan.protect, plan.privacy_unit)
    roles = {column: ROLE_KEYS[key] for key, columns in plan.roles.items() for column in columns}
    known = {
        *roles,
        *plan.no_role,
        *(name for key in COLUMN_KEYS if (name := getattr(plan, key))),
    }
    missing = _check_columns(plan, source, known, new_roles or {})
    treatment: dict[str, Any] = {str(name): choice for name, choice in plan.treatment.items()}
    release = Release(
        source,
        {
            **{column: role for column, role in roles.items() if column not in missing or role == IDENTIFIER},
            **(new_roles or {}),
        },
        {},
        original,
        population=plan.population if population is None else population,
        privacy_unit=plan.privacy_unit,
        sampling_weight=plan.sampling_weight,
        household=plan.household,
        engine="memory",
        memory_limit=memory_limit,
        **treatment,
    )
    fitted = {}
    unplaced = {}
    for column, planned in plan.hierarchies.items():
        if column in release.compared_columns:
            fitted[column], unplaced[column] = refit_hierarchy(
                column, _values(release, column), planned.words, earlier.get(column), planned.height
            )
            if fitted[column].height != planned.height:
                raise HierarchyError(
                    "column {column!r}: its hierarchy has the levels 0 to {height}, but the plan says 0 to {planned}",
                    column=column,
                    height=fitted[column].height,
                    planned=planned.height,
                )
    release.hierarchies = fitted
    release.declared = {
        column: planned.words for column, planned in plan.hierarchies.items() if planned.words and column in fitted
    }
    release.view = replace(release.view, hierarchies=fitted)
    return PreparedTable(plan, with_safe_cells(release) if plan.spreadsheet_safe else release, unplaced, missing)


def demanded_rules(plan: Plan, today: date) -> tuple[Rule, ...]:
    """The rules of a plan that are not waived today."""
    waived = set(_waived(plan, today))
    rules_by_name = [(rule.name, _parse_rule(rule)) for rule in plan.rules]  # a waived rule must be valid, too
    rules = tuple(rule for name, rule in rules_by_name if name not in waived)
    if not rules:
        raise ParameterError("every rule of the plan is waived; nothing is demanded of the release", what="rules")
    return rules


def with_suppression(plan: Plan, share: Any) -> Plan:
    """The plan with another limit on the share of suppressed records."""
    return structs.replace(plan, suppression=check_share(share))


def next_policy(prepared: PreparedTable, data: Path) -> dict[str, Any]:
    """The content of a policy for another table's release, in the form of the original's policy."""
    plan, release = prepared.plan, prepared.release
    content = {
        key: value for key, value in (plan.policy or {}).items() if key not in KEYS_STATED_ELSEWHERE or key == "subsets"
    }
    # The reasons that the plan's policy gives for columns, without columns that this table lacks.
    known_columns: dict[str, Collection[str]] = {
        "no_role": release.columns,
        "no_rule": release.roles,
        "role_reasons": release.roles,
        "no_privacy_unit": {*release.roles, *(content.get("no_role") or ())},
    }
    for key, known in known_columns.items():
        if isinstance(content.get(key), Mapping):
            content[key] = {column: reason for column, reason in content[key].items() if column.strip() in known}
    limits = {rule.parameters["limit"]: rule.parameters["at_most"] for rule in plan.rules if rule.measure == SUBSETS}
    if limits:
        sizes = next(rule.parameters["sizes"] for rule in plan.rules if rule.measure == SUBSETS)
        content["subsets"] = {"sizes": sizes, "limits": limits}
    own_rules = [rule for rule in plan.rules if rule.preset is None and rule.measure != SUBSETS]
    settings = {
        "petworks_policy": 1,
        "data": data,
        "roles": {
            key: [column for column, role in release.roles.items() if role == key_role]
            for key, key_role in ROLE_KEYS.items()
            if key_role in release.roles.values()
        },
        "privacy_unit": plan.privacy_unit,
        "sampling_weight": plan.sampling_weight,
        "household": plan.household,
        "treatment": {"sensitive_values": EXACT, **plan.treatment},  # the default of plans without this key
        "population": plan.population,
        "rules": [_rule_entry(rule) for rule in own_rules] or None,
    }
    return {**content, **{key: value for key, value in settings.items() if value is not None}}


def check_same_rules(plan: Plan, policy: Policy) -> None:
    """Raise if presets have changed since the plan was made."""
    current = {rule.name: rule.parameters for rule in policy.rules if rule.measure is not None}
    wanted = {
        rule.name: find_measure(rule.measure).check(rule.parameters) for rule in plan.rules if rule.measure != SUBSETS
    }
    changed = [name for name in {**wanted, **current} if wanted.get(name) != current.get(name)]
    if changed:
        raise InputError("presets have other rules than the plan: {rules}; make a new plan", rules=quoted(changed))


def _check_columns(plan: Plan, source: Source, known: set[str], new_roles: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of the plan that the table lacks; raises if it needs them, or has unknown columns."""
    missing = [column for column in known if column not in source.names]
    needed = {*plan.columns, *plan.roles.get("sensitive_attributes", ()), plan.privacy_unit}
    lacking = sorted(column for column in missing if column in needed)
    if lacking:
        raise RoleError(
            "the table lacks columns that the plan needs: {missing}; it has {columns}",
            missing=quoted(lacking),
            columns=columns_of(source),
        )
    for column, role in new_roles.items():
        if column in known:
            raise RoleError(
                "the plan says what column {column!r} is; only columns that it does not know can be named",
                column=column,
            )
        if role not in (IDENTIFIER, INSENSITIVE_ATTRIBUTE):
            raise RoleError(
                "column {column!r} is new to the plan, so it can be {identifier!r} (it is left "
                "out) or {insensitive!r} (it stays as it is), got {role}",
                column=column,
                identifier=IDENTIFIER,
                insensitive=INSENSITIVE_ATTRIBUTE,
                role=quoted([role]),
            )
    new = [column for column in source.names if column not in known and column not in new_roles]
    if new:
        raise RoleError(
            "the plan does not know some columns, and nobody has said that they may be "
            "released: {columns}; remove them from the table, say what they are, or make a "
            "new plan",
            Hint.NEW_COLUMNS,
            columns=columns_of(source, new),
        )
    return tuple(sorted(missing))


def _values(release: Release, column: str) -> Iterator[str | None]:
    """The values of a column in the table and in the tables it is compared with."""
    background = release.view.background
    yield from release.as_read.marginal(column).values
    if background.has_original:
        yield from background.original.marginal(column).values
    if (
        background.has_population_table
        and background.population is not None
        and column in background.population.columns
    ):
        yield from background.population_table.marginal(column).values


def match_hierarchies(plan: Plan, hierarchies: Any) -> dict[str, Hierarchy]:
    """The hierarchies that a plan needs, out of those given; raises if one is missing or different."""
    needed = [column for column, planned in plan.hierarchies.items() if needs_earlier_hierarchy(planned.words)]
    if isinstance(hierarchies, Mapping):
        hierarchies = {column: hierarchies[column] for column in needed if column in hierarchies}
    by_column = as_hierarchies(hierarchies, needed)
    earlier = {column: hierarchy for column in needed if isinstance(hierarchy := by_column.get(column), Hierarchy)}
    declared = [column for column in needed if isinstance(by_column.get(column), Declaration)]
    if declared:
        raise HierarchyError(
            "the levels of {columns} follow from the records of the plan's table, so that their declarations are not "
            "enough; give the hierarchies of that table, anonymize(...).original.hierarchies, or the folder beside the "
            "plan",
            columns=quoted(declared),
            what="hierarchies",
        )
    without = [column for column in needed if column not in earlier]
    if without:
        raise HierarchyError(
            "the plan needs the hierarchies that it was made with, of {without}",
            Hint.HIERARCHIES,
            without=quoted(without),
        )
    return {
        column: check_hierarchy(column, plan.hierarchies[column], hierarchy) for column, hierarchy in earlier.items()
    }


def _waived(plan: Plan, today: date) -> Iterator[str]:
    waivers = (plan.policy or {}).get("waivers", ())
    try:
        yield from (waiver["rule"] for waiver in waivers if date.fromisoformat(waiver["expires"]) >= today)
    except (KeyError, TypeError, ValueError):
        raise InputError("the waivers in the plan are not those of a policy") from None


def _parse_rule(planned: PlannedRule) -> Rule:
    if planned.measure != SUBSETS:
        metric = find_measure(planned.measure)
        asked = planned.parameters if planned.asked is None else planned.asked
        return MeasureRule(metric, metric.check(asked), planned.name)
    parameters = planned.parameters
    if set(parameters) != {"limit", "at_most", "sizes"} or not isinstance(parameters["limit"], str):
        raise ParameterError(
            "{rule}: expected the parameters 'limit' (a name), 'at_most' and 'sizes'",
            rule=planned.name,
            what="rules",
        )
    return SubsetRule(parameters["limit"], parameters["at_most"], parameters["sizes"])


def _rule_entry(rule: PlannedRule) -> dict[str, Any]:
    """The rule as an entry of a policy."""
    why = {} if rule.why is None else {"why": rule.why}
    return {"name": rule.name, "measure": rule.measure, **rule.parameters, **why}
