"""The problem to solve: the table, the rules, the limit and the objective, all checked before the search."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from PETWorks.about.hierarchies.declaration import hierarchy_name
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.hierarchies.proposal import propose_hierarchy
from PETWorks.about.treatment import INTERVAL, REMOVE, SHOWN, SUPPRESSED_RECORDS
from PETWorks.anonymizer.data_cube import DataCube, build_cube
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Lattice, check_levels
from PETWorks.anonymizer.lost_columns import ColumnsOnNodes, Keeping
from PETWorks.anonymizer.objectives import BY_CLASS, ByColumn, Objective, check_objective, make_objective
from PETWorks.anonymizer.rules import NO_RULE, MeasureRule, Rule, TaskRule
from PETWorks.anonymizer.search.exact import NodeSearch, Search
from PETWorks.anonymizer.search.large import BoxSearch
from PETWorks.counting.release import Release, copy_release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import (
    Hint,
    NotApplicable,
    ParameterError,
    PETWorksError,
    Phrase,
    RoleError,
    quoted,
    unknown,
)
from PETWorks.measures.parameters import parse_number
from PETWorks.measures.result import TOLERANCE
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.yaml_files import in_yaml

METHODS = ("local", "global")  # the first is the default of the command, the page and Python
ALL = "all"  # every column may be lost


@dataclass(frozen=True, eq=False)
class Problem:
    """The table to anonymise, the rules, the limit and the objective."""

    original: Release
    lattice: Lattice
    cube: DataCube
    rules: tuple[Rule, ...]
    max_suppressed: int
    objective: Objective
    objective_name: str
    aggregate: str | None
    suppression: float
    weights: Mapping[str, float]
    tasks: tuple[TaskRule, ...] = ()
    columns: ColumnsOnNodes | None = None
    keep: tuple[str, ...] = ()
    may_lose: tuple[str, ...] | str = ALL

    @cached_property
    def keeping(self) -> Keeping:
        """The columns that the release keeps, or loses only if they cost much."""
        if self.columns is None:
            return Keeping()
        demanded = self.columns.set_of(self.keep)
        return Keeping(demanded, self.columns.all & ~self.columns.set_of(self.may_be_lost) & ~demanded)

    @property
    def may_be_lost(self) -> tuple[str, ...]:
        """The columns that may be lost, whatever that costs."""
        if not isinstance(self.may_lose, str):
            return self.may_lose
        return tuple(name for name in self.lattice.columns if name not in self.keep)

    @property
    def allowed_levels(self) -> dict[str, tuple[int, int]]:
        """The lowest and highest level of each column that is restricted to some levels of its hierarchy."""
        lattice, hierarchies = self.lattice, self.cube.view.hierarchies
        bounds = zip(lattice.columns, lattice.low, lattice.high, strict=True)
        return {name: (low, high) for name, low, high in bounds if (low, high) != (0, hierarchies[name].height)}

    def search(self, rules: tuple[Rule, ...] | None = None) -> NodeSearch:
        """A search for the best node, for some of the rules or by default all of them."""
        wanted = self.rules if rules is None else rules
        judge = Judge(self.cube, wanted, self.max_suppressed, self.objective, columns=self.columns)
        if self.lattice.has_many_nodes and isinstance(self.objective, ByColumn):
            return BoxSearch(self.lattice, self.objective, judge)
        return Search(self.lattice, self.objective, judge)


@dataclass(frozen=True)
class SearchSettings:
    """The settings that define the best release; see `anonymize`."""

    suppression: float = 0.0
    suppressed_records: str = REMOVE
    objective: str = "granularity"
    aggregate: str | None = None
    weights: Mapping[str, float] | None = None
    levels: Mapping[str, Any] | None = None
    keep: Sequence[str] | None = None
    may_lose: Sequence[str] | str | None = None


SEARCH_SETTINGS = tuple(field.name for field in fields(SearchSettings))


def make_problem(release: Release, rules: tuple[Rule, ...], settings: SearchSettings) -> Problem:
    """Check all settings and build the problem; all errors are raised before the search."""
    share = check_share(settings.suppression)
    check_suppressed_records(settings.suppressed_records)
    removes = settings.suppressed_records == REMOVE
    keep, may_lose = check_keep(settings.keep, settings.may_lose, release.quasi_identifiers)
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    if share and removes and release.engine.name != "memory" and not release.keeps_order:
        _check_utility_is_measurable(release, rules)
    release = copy_release(release)  # its view is prepared for the search
    complete_hierarchies(release, release.quasi_identifiers)
    check_columns(release, settings.levels, "levels")
    check_columns(release, settings.weights, "weights")
    name, aggregate, column_weights = check_objective(
        settings.objective, settings.aggregate, settings.weights, release.quasi_identifiers
    )
    lattice = Lattice.of(release.quasi_identifiers, release.hierarchies, settings.levels)
    if name in BY_CLASS:
        lattice.check_size(Phrase("for {objective}", objective=name))
    cube, rules = build_cube(release, release.hierarchies, lattice, rules, removes=removes)
    tasks = tuple(rule for rule in rules if isinstance(rule, TaskRule))
    rules = tuple(rule for rule in rules if not isinstance(rule, TaskRule) or rule.is_demanded)
    if not rules:
        raise ParameterError(NO_RULE, what="rules")
    loss_function = make_objective(cube, name, aggregate, column_weights, profitability_amounts(rules))
    max_suppressed = allowed_suppression(share, cube.records)
    columns = None if may_lose == ALL and not keep else ColumnsOnNodes(cube, max_suppressed)
    if columns is not None and (without := [name for name in keep if not columns.all & columns.set_of([name])]):
        raise ParameterError(
            "{columns} cannot be kept: the table has at most one value of it",
            columns=quoted(without),
            what="keep",
        )
    weights = zip(release.quasi_identifiers, column_weights, strict=True)
    return Problem(
        original=release,
        lattice=lattice,
        cube=cube,
        rules=rules,
        max_suppressed=max_suppressed,
        objective=loss_function,
        objective_name=name,
        aggregate=aggregate if name == "granularity" else None,
        suppression=float(share),
        weights={column: weight for column, weight in weights if weight != 1},
        tasks=tasks,
        columns=columns,
        keep=keep,
        may_lose=may_lose,
    )


def _check_utility_is_measurable(release: Release, rules: Sequence[Rule]) -> None:
    """Raise if a rule limits utility that the engine cannot measure once suppressed records left the table."""
    of_utility = [rule.name for rule in rules if isinstance(rule, MeasureRule) and rule.metric.family == "utility"]
    if of_utility:
        raise NotApplicable(
            "{rules} limits what is lost; with the engine {engine!r} that is not measured once suppressed records left "
            "the table: use the engine 'memory', or keep them (suppressed_records: stars)",
            Hint.ENGINE_IN_MEMORY,
            rules=quoted(of_utility),
            engine=release.engine.name,
            what="suppressed_records",
        )


def check_share(suppression: Any) -> float:
    """Check and return the share of the records that may be suppressed."""
    share = parse_number(suppression)
    if share is None or not 0 <= share <= 1:
        raise ParameterError(
            "expected suppression as a share of the records, 0 to 1 (5 % is 0.05), got {suppression!r}",
            suppression=suppression,
            what="suppression",
        )
    return share


def check_method(method: str) -> None:
    """Raise if the method does not exist."""
    if method not in METHODS:
        raise unknown("method", str(method), METHODS, what="method")


def check_seconds(seconds: Any) -> float | None:
    """Check and return a time limit; None if there is none."""
    limit = None if seconds is None else parse_number(seconds)
    if seconds is not None and (limit is None or not 0 < limit < math.inf):
        raise ParameterError("expected a number of seconds above 0, got {seconds!r}", seconds=seconds, what="seconds")
    return limit


def check_suppressed_records(choice: Any) -> None:
    """Raise if suppressed records are neither to leave the table nor to stay with `*`."""
    if choice not in SUPPRESSED_RECORDS:
        raise ParameterError(
            "expected suppressed_records {options}, got {given!r}",
            options=quoted(SUPPRESSED_RECORDS),
            given=str(choice)[:40],
            what="suppressed_records",
        )


def check_keep(
    keep: Any, may_lose: Any, quasi_identifiers: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...] | str]:
    """Check the columns to keep and those that may be lost, and return them."""
    may_be_lost: tuple[str, ...] | str = (
        ALL if may_lose in (ALL, [ALL], (ALL,)) else _names(may_lose, quasi_identifiers, "may_lose")
    )
    kept = _names(keep, quasi_identifiers, "keep")
    both = [name for name in kept if not isinstance(may_be_lost, str) and name in may_be_lost]
    if both:
        raise ParameterError(
            "{columns} cannot be both kept and lost; leave it out of 'keep' or of 'may_lose'",
            columns=quoted(both),
            what="keep",
        )
    return kept, may_be_lost


def _names(given: Any, quasi_identifiers: Sequence[str] | None, what: str) -> tuple[str, ...]:
    """Check and return the names of quasi-identifiers."""
    if given is None:
        return ()
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ParameterError("expected {thing} as a list of columns, such as ['age']", thing=what, what=what)
    names = tuple(dict.fromkeys(str(name).strip() for name in given))
    for name in names:
        if quasi_identifiers is not None and name not in quasi_identifiers:
            raise unknown("quasi-identifier", name, quasi_identifiers, what=what)
    return names


def check_show_words(show: Any, quasi_identifiers: Sequence[str] | None = None) -> None:
    """Raise unless this is a valid setting `show`."""
    if show is None or show == INTERVAL:
        return
    if not isinstance(show, Mapping):
        raise ParameterError(
            "show: expected for each column one of {ways}, or 'interval' for all", ways=quoted(SHOWN), what="show"
        )
    for column, way in show.items():
        if way not in SHOWN:
            raise ParameterError(
                "show {column!r}: expected one of {ways}, got {given!r}",
                column=str(column),
                ways=quoted(SHOWN),
                given=str(way)[:40],
                what=f"show.{column}",
            )
        if quasi_identifiers is not None and column not in quasi_identifiers and way != INTERVAL:
            raise ParameterError(
                "show {column!r}: the column is no quasi-identifier", column=str(column), what=f"show.{column}"
            )


def check_settings(
    quasi_identifiers: Sequence[str] | None,
    *,
    method: str = METHODS[0],
    show: Mapping[str, str] | str | None = None,
    **settings: Any,
) -> Iterator[PETWorksError]:
    """The errors in settings that can be found without the table."""
    search = SearchSettings(**{name: value for name, value in settings.items() if name in SEARCH_SETTINGS})
    columns = quasi_identifiers or list(search.weights or ())
    for check in (
        lambda: check_share(search.suppression),
        lambda: check_method(method),
        lambda: check_suppressed_records(search.suppressed_records),
        lambda: check_show_words(show, quasi_identifiers),
        lambda: check_objective(search.objective, search.aggregate, search.weights, columns),
        lambda: check_levels(search.levels or {}, quasi_identifiers),
        lambda: check_keep(search.keep, search.may_lose, quasi_identifiers),
    ):
        try:
            check()
        except PETWorksError as error:
            yield error


def allowed_suppression(share: float, records: int) -> int:
    """The number of records that may be suppressed.

    A share such as 1/3 may have been rounded down; a third of three records is still one.
    """
    return math.floor(Fraction(str(share)) * records * (1 + Fraction(TOLERANCE)))


def check_columns(release: Release, by_column: Mapping[str, Any] | None, what: str) -> None:
    """Raise if levels or weights are given for columns that are not generalised."""
    if by_column is not None and not isinstance(by_column, Mapping):
        raise ParameterError(
            "expected {thing} as a dict from column, got {type}", thing=what, type=type(by_column).__name__, what=what
        )
    for column in by_column or ():
        if column in release.columns and column not in release.quasi_identifiers:
            if column in release.sensitive_attributes:
                raise ParameterError(
                    "column {column!r} is a sensitive attribute; only quasi-identifiers are generalised",
                    column=column,
                    what=what,
                )
            raise ParameterError(
                "column {column!r} is no quasi-identifier; only quasi-identifiers are generalised",
                column=column,
                what=what,
            )


def complete_hierarchies(release: Release, columns: Sequence[str]) -> None:
    """Give each of these columns that has no hierarchy one with two levels: its values, and `*`."""
    without = [name for name in columns if name not in release.hierarchies]
    if without:
        release.view = with_hierarchies(release.view, without)
        release.hierarchies = dict(release.view.hierarchies)
        release.on_two_levels = (*release.on_two_levels, *without)


def with_hierarchies(view: View, columns: Sequence[str]) -> View:
    """A view in which each of these columns without a hierarchy has one with two levels: its values, and `*`."""
    tables = [view.table, *([view.background.original] if view.background.has_original else [])]
    tables += [view.background.population_table] if view.background.has_population_table else []
    new_hierarchies = {}
    for name in columns:
        if name not in view.hierarchies:
            values = {value for table in tables for value in table.marginal(name).values}
            rows = [[value] for value in sorted(str(value) for value in values if value not in (None, SUPPRESSED))]
            new_hierarchies[name] = Hierarchy(rows or [[SUPPRESSED, SUPPRESSED]], hierarchy_name(name))
    return replace(view, hierarchies={**view.hierarchies, **new_hierarchies}) if new_hierarchies else view


def proposal_for(release: Release, column: str) -> str | None:
    """A hierarchy that might suit a column, as a policy declares it."""
    proposed = propose_hierarchy(column, release.marginal(column).by_value, release.encoding)
    return None if proposed is None else in_yaml(proposed[0].words)


def profitability_amounts(rules: tuple[Rule, ...]) -> Mapping[str, float] | None:
    """The amounts of money set by a rule about profitability."""
    for rule in rules:
        if isinstance(rule, MeasureRule) and rule.metric.name in ("profitability", "publisher-payout"):
            return rule.parameters
    return None
