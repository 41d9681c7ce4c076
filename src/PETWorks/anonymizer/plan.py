"""The plan of a release: all that is needed to recode another table in the same way, without any cells."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.declaration import declaration_as_json, hierarchy_digest
from PETWorks.about.roles import ROLE_KEYS
from PETWorks.about.treatment import REMOVE, STARS
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.rules import MeasureRule, Rule, SubsetRule
from PETWorks.counting.counts import Integers
from PETWorks.counting.protected_source import protect_words
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError
from PETWorks.tables.normalised_cells import is_spreadsheet_safe

PATTERN = r"^([0-9]{1,18}(-[0-9]{1,18})?(,[0-9]{1,18}(-[0-9]{1,18})?)*)?$"


def numbers_text(places: NDArray[np.int64]) -> str:
    """Ascending indices, from 0, as text with numbers from 1.

    >>> numbers_text(np.array([2, 16, 17, 18, 19]))
    '3,17-20'
    """
    if not len(places):
        return ""
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 2) != 1)
    ends = np.append(starts[1:], len(places)) - 1
    runs = zip((places[starts] + 1).tolist(), (places[ends] + 1).tolist(), strict=True)
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def places_in(text: str, records: int) -> NDArray[np.int64] | None:
    """The indices in such a text; None if they are not ascending, or too large for this number of records.

    >>> places_in("3,17-20", 20).tolist()
    [2, 16, 17, 18, 19]
    >>> places_in("3,17-20", 19)
    """
    if not re.fullmatch(PATTERN, text):
        return None
    pairs = [part.partition("-") for part in text.split(",") if part]
    runs = [(int(first) - 1, int(last or first)) for first, _, last in pairs]
    ends = [0, *(last for _, last in runs)]
    ascending = all(before <= first < last for before, (first, last) in zip(ends, runs, strict=False))
    if not ascending or ends[-1] > records:
        return None
    return np.concatenate([np.arange(0), *(np.arange(first, last) for first, last in runs)]).astype(np.int64)


VERSION = 1
SUBSETS = "every-subset"  # the name in plans of the measure for limits on subsets


def plan_of(
    problem: Problem,
    method: str,
    nodes: tuple[Node, ...],
    suppressed: int,
    loss: float,
    seed: int | None,
    removed: Integers | None,
    least: int | None = None,
) -> dict[str, Any]:
    """The plan as plain dicts, lists, numbers and texts; unknown values have no key.

    nodes    the levels of the columns: one node, or those of local recoding in their order
    seed     of the random order of the records; None if they keep their order
    removed  indices of the records that left the table; None if records have no order
    least    for local recoding, the minimum number of records per class
    """
    release = problem.original
    columns = problem.lattice.columns
    known = {*release.roles, release.privacy_unit}
    population = release.view.background.population
    plan = {
        "petworks_plan": VERSION,
        "method": method,
        "columns": list(columns),
        "levels": [list(node) for node in nodes],
        "smallest_class": least,
        "suppression": problem.suppression,
        "objective": problem.objective_name,
        "aggregate": problem.aggregate,
        "weights": dict(problem.weights) or None,
        "allowed_levels": {name: list(bounds) for name, bounds in problem.allowed_levels.items()} or None,
        "rules": list(rules_in_plan(problem.rules)),
        "roles": {
            key: [column for column, role in release.roles.items() if role == wanted]
            for key, wanted in ROLE_KEYS.items()
        },
        "no_role": [column for column in release.columns if column not in known],
        "privacy_unit": release.privacy_unit,
        "treatment": {name: way for name, way in release.treatment.items() if name != "privacy_unit"},
        "population": None if population is None or population.source is not None else population.given_as,
        "hierarchies": dict(_hierarchies(release)),
        "protect": protect_words(release.source) or None,
        "spreadsheet_safe": is_spreadsheet_safe(release.source) or None,
        "records": problem.ground.records,
        "suppressed_records": REMOVE if problem.ground.removes else STARS,
        "suppressed": suppressed,
        "removed": numbers_text(removed) if removed is not None and problem.ground.removes else None,
        "loss": loss,
        "seed": None if seed is None else str(seed),  # too large for JSON numbers in some readers
    }
    return {key: value for key, value in plan.items() if value is not None}


def _hierarchies(release: Release) -> Iterator[tuple[str, dict[str, Any]]]:
    for column in release.compared_columns:
        if column in release.hierarchies:
            hierarchy, words = release.hierarchies[column], declaration_as_json(release.declared.get(column))
            declared = {} if words is None else {"words": words}
            yield column, {"height": hierarchy.height, "sha256": hierarchy_digest(hierarchy), **declared}


def rules_in_plan(rules: tuple[Rule, ...]) -> Iterator[dict[str, Any]]:
    """The rules with their non-default parameters, each under a unique name."""
    names: set[str] = set()
    for place, rule in enumerate(rules, 1):
        rule_name = (rule.of if isinstance(rule, MeasureRule) else None) or rule.name
        name = rule_name if rule_name not in names else f"{rule_name}, rule {place}"
        names.add(name)
        if isinstance(rule, SubsetRule):
            limit = {"limit": rule.limit, "at_most": rule.at_most, "sizes": rule.sizes}
            yield {"name": name, "measure": SUBSETS, "parameters": limit}
            continue
        assert isinstance(rule, MeasureRule)
        yield {"name": name, "measure": rule.metric.name, "parameters": _non_default(rule)}


def _non_default(rule: MeasureRule) -> Mapping[str, Any]:
    non_default = {
        name: value for name, value in rule.parameters.items() if value != rule.metric.parameters[name].default
    }
    if any(map(callable, non_default.values())):
        raise ParameterError("{rule}: a function of your own cannot be part of a plan", rule=rule.name, what="rules")
    return non_default
