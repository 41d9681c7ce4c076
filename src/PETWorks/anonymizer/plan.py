"""The plan of a release: all that is needed to recode another table in the same way, without any cells."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from PETWorks.about.hierarchies.declaration import declaration_as_json, hierarchy_digest
from PETWorks.about.hierarchies.hierarchy import MAX_LEVELS
from PETWorks.about.roles import ROLE_KEYS
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local.sweep import LocalSteps
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.rules import MeasureRule, Rule, SubsetRule
from PETWorks.counting.counts import Integers
from PETWorks.counting.protected_source import protect_words
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError
from PETWorks.json_types import JSONObject, Real, described, keys
from PETWorks.tables.normalised_cells import is_spreadsheet_safe

PATTERN = r"^([0-9]{1,18}(-[0-9]{1,18})?(,[0-9]{1,18}(-[0-9]{1,18})?)*)?$"


def format_record_numbers(indices: NDArray[np.int64]) -> str:
    """Format ascending indices, from 0, as record numbers, from 1.

    >>> format_record_numbers(np.array([2, 16, 17, 18, 19]))
    '3,17-20'
    """
    if not len(indices):
        return ""
    starts = np.flatnonzero(np.diff(indices, prepend=indices[0] - 2) != 1)
    ends = np.append(starts[1:], len(indices)) - 1
    runs = zip((indices[starts] + 1).tolist(), (indices[ends] + 1).tolist(), strict=True)
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def parse_record_numbers(text: str, records: int) -> NDArray[np.int64] | None:
    """Parse such a text into indices, from 0; None if they are not ascending, or too large for this number of records.

    >>> parse_record_numbers("3,17-20", 20).tolist()
    [2, 16, 17, 18, 19]
    >>> parse_record_numbers("3,17-20", 19)
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


VERSION: Final = 1
SUBSETS = "every-subset"  # the name in plans of the measure for limits on subsets

Digest = Annotated[str, described("SHA-256", pattern="^[0-9a-f]{64}$")]
Level = Annotated[int, Meta(ge=0)]
Number = Annotated[int, Meta(ge=0)]
Share = Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)]
Method = Literal["global", "local"]
Way = Literal["missing", "suppressed", "several_sensitive", "sensitive_values"]
RoleKey = Literal["identifiers", "quasi_identifiers", "sensitive_attributes", "insensitive_attributes"]


class PlannedHierarchy(JSONObject, frozen=True, kw_only=True):
    """The source of the hierarchy of a column: words, a file beside the plan, or both."""

    height: Annotated[int, described("the highest level", ge=1, le=MAX_LEVELS)]
    sha256: Annotated[Digest, described("of the hierarchy that was used, as a CSV file")]
    words: (
        Annotated[Mapping[str, Any], described("its declaration; values that are new get their place by it")] | None
    ) = None
    file: Annotated[str, described("the CSV file, its path from the folder of the plan")] | None = None


class PlannedRule(JSONObject, frozen=True, kw_only=True):
    """A rule with its thresholds; of the measure every-subset: the limit, its value and the sizes."""

    name: str
    measure: str
    parameters: Mapping[str, Any]
    asked: Annotated[Mapping[str, Any], described("other thresholds, with which the release was made")] | None = None
    preset: str | None = None
    why: Any | None = None


class JudgedRule(JSONObject, frozen=True, kw_only=True):
    """A rule as it was judged by people when the release was made, which does not say any more who they are."""

    name: str
    measure: str
    parameters: Mapping[str, Any]
    value: Any
    compared: str | None = None
    satisfied: bool
    details: Mapping[str, Any] | None = None  # for rules about columns: which, and how many people have unique values


class PlannedNotice(JSONObject, frozen=True, kw_only=True):
    """What was known when the release was made, and does not show in its file."""

    notice: Literal["removed-alike", "minimality", "individual-risk"]
    columns: tuple[str, ...] | None = None
    records: int | None = None
    share: Real | None = None
    average: Real | None = None


class ShownCells(JSONObject, frozen=True, kw_only=True):
    """The labels that the means of a column replace."""

    leaves: Annotated[int, described("of the hierarchy", ge=1)]
    cells: Annotated[
        tuple[tuple[Number, Number, Number], ...],
        described("of the labels behind them: the level, the leaves below such a label, and the number of cells"),
    ]
    information_kept: (
        Annotated[Real, described("share of the information of the column's values that these labels tell")] | None
    ) = None


class Plan(JSONObject, frozen=True, kw_only=True):
    """The steps that made a release. It contains no cell of the table."""

    petworks_plan: Annotated[Literal[1], described("the version of the format")]
    note: Annotated[str, described("who may see it")] | None = None
    method: Method
    columns: Annotated[
        tuple[str, ...], described("the quasi-identifiers", min_length=1, extra_json_schema={"uniqueItems": True})
    ]
    levels: Annotated[
        tuple[tuple[Level, ...], ...],
        described(
            "the levels of the columns; of local recoding those on which classes are released, in this order",
            min_length=1,
        ),
    ]
    smallest_class: (
        Annotated[int, described("of local recoding: how many records each class was asked to have", ge=1)] | None
    ) = None
    divided_down_to: (
        Annotated[
            tuple[Level, ...],
            described(
                "of local recoding: the lowest levels of the columns in classes that are divided afterwards; without "
                "this key, none is"
            ),
        ]
        | None
    ) = None
    homes: (
        Annotated[
            int,
            described(
                "of local recoding: classes are released as long as those from which they are taken still keep the "
                "rules; these are divided beforehand, down to this number of records",
                ge=1,
            ),
        ]
        | None
    ) = None
    power: (
        Annotated[
            int,
            described(
                "of local recoding: the power of the losses of the columns, which were added up, so that no column is "
                "lost; without this key, they were put together as the objective says",
                ge=2,
            ),
        ]
        | None
    ) = None
    suppression: Annotated[Share, described("the share of records that may be suppressed")]
    objective: str
    aggregate: str | None = None
    weights: Mapping[str, Real] | None = None
    allowed_levels: (
        Annotated[Mapping[str, tuple[Level, ...]], described("the lowest and the highest, by column")] | None
    ) = None
    rules: Annotated[tuple[PlannedRule, ...], Meta(min_length=1)]
    roles: Annotated[Mapping[RoleKey, tuple[str, ...]], keys(RoleKey)]
    no_role: Annotated[tuple[str, ...], described("columns without a role, which are in the release as they were")]
    privacy_unit: str | None = None
    sampling_weight: str | None = None
    household: str | None = None
    treatment: Annotated[Mapping[Way, str], keys(Way)]
    population: Annotated[Real, described("a number of people, or a share of them")] | None = None
    hierarchies: Mapping[str, PlannedHierarchy]
    protect: (
        Annotated[Mapping[str, Mapping[str, Any]], described('by column, how it was protected: `{"round": "1000"}`')]
        | None
    ) = None
    show: (
        Annotated[
            Mapping[str, Literal["mean", "median"]],
            described("by column, what the records of a class show; without it, the label of their level"),
        ]
        | None
    ) = None
    shown_cells: (
        Annotated[
            Mapping[str, ShownCells],
            described("by column that shows means or medians, what these stand for, for measures of what was lost"),
        ]
        | None
    ) = None
    spreadsheet_safe: (
        Annotated[
            bool,
            described("whether cells that a spreadsheet takes for formulas got an apostrophe; not without this key"),
        ]
        | None
    ) = None
    records: Annotated[int, described("of the original", ge=1)]
    suppressed_records: (
        Annotated[
            Literal["remove", "stars"], described("whether they left the table, or stayed with *, as without this key")
        ]
        | None
    ) = None
    suppressed: Annotated[Number, described("records that were suppressed")]
    removed: (
        Annotated[
            str,
            described(
                "the records of the original that left the table, numbered from 1 on, such as 3,17-20; also those that "
                "were suppressed already",
                pattern=PATTERN,
            ),
        ]
        | None
    ) = None
    loss: Annotated[Real, described("by the objective")]
    unfinished: (
        Annotated[bool, described("whether the search ended early, so that another release may lose less")] | None
    ) = None
    seed: Annotated[str, described("of the random order of its records", pattern="^[0-9]{1,100}$")] | None = None
    policy: (
        Annotated[Mapping[str, Any], described("the rest of the policy: title, context, presets, waivers, ...")] | None
    ) = None
    made_by: (
        Annotated[Mapping[str, Digest], described("of a release by a policy: for each key the digest of its content")]
        | None
    ) = None
    release: Annotated[str, described("the name of the file")] | None = None
    original_sha256: Annotated[Digest, described("of the file of the original")] | None = None
    release_sha256: Annotated[Digest, described("of the file of the release")] | None = None
    judged: (
        Annotated[
            tuple[JudgedRule, ...], described("the rules about people, of a release without the column that names them")
        ]
        | None
    ) = None
    notices: (
        Annotated[tuple[PlannedNotice, ...], described("what a check of the release alone could not notice")] | None
    ) = None


def make_plan(
    problem: Problem,
    method: Method,
    nodes: tuple[Node, ...],
    suppressed: int,
    loss: float,
    seed: int | None,
    removed: Integers | None,
    steps: LocalSteps | None = None,
    *,
    show: Mapping[str, Any] | None = None,
    unfinished: bool = False,
) -> Plan:
    """The plan of a release.

    nodes    the levels of the columns: one node, or those of local recoding in their order
    seed     of the random order of the records; None if they keep their order
    removed  indices of the records that left the table; None if records have no order
    steps    of local recoding
    show     by column, what classes show instead of labels
    unfinished   whether the search ended early
    """
    release = problem.original
    columns = problem.lattice.columns
    known = {*release.roles, release.privacy_unit, *release.sample.columns}
    roles: dict[Any, tuple[str, ...]] = {
        key: tuple(column for column, role in release.roles.items() if role == wanted)
        for key, wanted in ROLE_KEYS.items()
    }
    treatment: dict[Any, Any] = {name: way for name, way in release.treatment.items() if name != "privacy_unit"}
    population = release.view.background.population
    people: Any = None if population is None or population.source is not None else population.given_as
    return Plan(
        petworks_plan=VERSION,
        method=method,
        columns=columns,
        levels=nodes,
        smallest_class=None if steps is None else steps.least,
        divided_down_to=None if steps is None else steps.lowest,
        homes=None if steps is None else steps.homes,
        power=None if steps is None else steps.power,
        suppression=problem.suppression,
        objective=problem.objective_name,
        aggregate=problem.aggregate,
        weights=dict(problem.weights) or None,
        allowed_levels=dict(problem.allowed_levels) or None,
        rules=tuple(_rules_in_plan(problem.rules)),
        roles=roles,
        no_role=tuple(column for column in release.columns if column not in known),
        privacy_unit=release.privacy_unit,
        sampling_weight=release.sample.weight,
        household=release.sample.household,
        treatment=treatment,
        population=people,
        hierarchies=dict(_hierarchies(release)),
        protect=protect_words(release.source) or None,
        show=dict(show) if show else None,
        spreadsheet_safe=is_spreadsheet_safe(release.source) or None,
        records=problem.cube.records,
        suppressed_records="remove" if problem.cube.removes else "stars",
        suppressed=suppressed,
        removed=format_record_numbers(removed) if removed is not None and problem.cube.removes else None,
        loss=loss,
        unfinished=unfinished or None,
        seed=None if seed is None else str(seed),  # too large for JSON numbers in some readers
    )


def _hierarchies(release: Release) -> Iterator[tuple[str, PlannedHierarchy]]:
    for column in release.compared_columns:
        if column in release.hierarchies:
            hierarchy, words = release.hierarchies[column], declaration_as_json(release.declared.get(column))
            digest = hierarchy_digest(hierarchy)
            yield column, PlannedHierarchy(height=hierarchy.height, sha256=digest, words=words)


def _rules_in_plan(rules: tuple[Rule, ...]) -> Iterator[PlannedRule]:
    """The rules with their non-default parameters, each under a unique name."""
    names: set[str] = set()
    for index, rule in enumerate(rules, 1):
        rule_name = (rule.of if isinstance(rule, MeasureRule) else None) or rule.name
        name = rule_name if rule_name not in names else f"{rule_name}, rule {index}"
        names.add(name)
        if isinstance(rule, SubsetRule):
            limit = {"limit": rule.limit, "at_most": rule.at_most, "sizes": rule.sizes}
            yield PlannedRule(name=name, measure=SUBSETS, parameters=limit)
            continue
        assert isinstance(rule, MeasureRule)
        yield PlannedRule(name=name, measure=rule.metric.name, parameters=_non_default(rule))


def _non_default(rule: MeasureRule) -> Mapping[str, Any]:
    non_default = {
        name: value for name, value in rule.parameters.items() if value != rule.metric.parameters[name].default
    }
    if any(map(callable, non_default.values())):
        raise ParameterError("{rule}: a function of your own cannot be part of a plan", rule=rule.name, what="rules")
    return non_default
