"""Plans in files: read with strict checks, also of what they contradict."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from PETWorks.anonymizer.objectives import NOT_LOCAL
from PETWorks.anonymizer.plan import VERSION, Plan
from PETWorks.errors import Hint, InputError, Phrase, quoted
from PETWorks.gate.document import parse_document, read_json


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
    if problem := next(_contradictions(plan), None):
        raise InputError("{name}: the plan contradicts itself: {problem}", name=name, problem=problem)
    return plan


def _contradictions(plan: Plan) -> Iterator[Phrase]:
    columns = plan.columns
    if columns != plan.roles.get("quasi_identifiers", ()):
        yield Phrase("'columns' are not the quasi-identifiers of its 'roles', in this order")
    listed = [*(column for columns_of_role in plan.roles.values() for column in columns_of_role), *plan.no_role]
    if len(set(listed)) < len(listed):
        yield Phrase("a column is listed twice in 'roles' and 'no_role'")
    heights = {column: hierarchy.height for column, hierarchy in plan.hierarchies.items()}
    listed_levels = (*plan.levels, *([] if plan.divided_down_to is None else [plan.divided_down_to]))
    if any(len(node) != len(columns) for node in listed_levels):
        yield Phrase("expected {number} numbers in each list of 'levels', one for each column", number=len(columns))
    generalised = [column for index, column in enumerate(columns) if any(node[index] for node in plan.levels)]
    without = [column for column in generalised if column not in heights]
    if without:
        yield Phrase("there is no hierarchy for {columns}", columns=quoted(without))
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
