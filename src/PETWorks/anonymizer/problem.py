"""A problem to be solved: the table, the rules, the limit and the objective, all of them checked before any work."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from PETWorks.about.hierarchies.proposal import in_yaml, proposed_hierarchy
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice, check_levels
from PETWorks.anonymizer.objectives import BY_CLASS, NOT_LOCAL, ByColumn, Objective, checked_objective, make_objective
from PETWorks.anonymizer.rows import Ground, searched
from PETWorks.anonymizer.rules import NO_RULE, MeasureRule, Rule, TaskRule
from PETWorks.anonymizer.search.exact import Search, Searching
from PETWorks.anonymizer.search.large import BoxSearch
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER
from PETWorks.errors import (
    HierarchyError,
    Hint,
    NotApplicable,
    ParameterError,
    PETWorksError,
    Phrase,
    RoleError,
    quoted,
    unknown,
)
from PETWorks.measures.parameters import number_given
from PETWorks.measures.result import TOLERANCE

METHODS = ("global", "local")
REMOVE, STARS = SUPPRESSED_RECORDS = ("remove", "stars")  # what becomes of suppressed records


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be anonymised and how: the table, the rules, the limit and the objective."""

    original: Release
    lattice: Lattice
    ground: Ground
    rules: tuple[Rule, ...]
    most: int
    objective: Objective
    objective_name: str
    aggregate: str | None
    suppression: float
    weights: Mapping[str, float]
    tasks: tuple[TaskRule, ...] = ()

    @property
    def allowed_levels(self) -> dict[str, tuple[int, int]]:
        """The lowest and the highest level of each column that may not have all levels of its hierarchy."""
        lattice, hierarchies = self.lattice, self.ground.view.hierarchies
        bounds = zip(lattice.columns, lattice.low, lattice.high, strict=True)
        return {name: (low, high) for name, low, high in bounds if (low, high) != (0, hierarchies[name].height)}

    def search(self, rules: tuple[Rule, ...] | None = None) -> Searching:
        """A search; for other rules than all of them if these are given."""
        judge = Judge(self.ground, self.rules if rules is None else rules, self.most, self.objective)
        if self.lattice.is_large and isinstance(self.objective, ByColumn):
            return BoxSearch(self.lattice, self.objective, judge)
        return Search(self.lattice, self.objective, judge)


def problem_of(
    release: Release,
    rules: tuple[Rule, ...],
    suppression: float,
    objective: str,
    aggregate: str | None,
    weights: Mapping[str, float] | None,
    levels: Mapping[str, Any] | None,
    *,
    local: bool = False,
    suppressed_records: str = REMOVE,
) -> Problem:
    """All that is given, checked; every error comes before any work."""
    share = checked_share(suppression)
    check_suppressed_records(suppressed_records)
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    if share and suppressed_records == REMOVE and release.engine.name != "memory" and not release.keeps_order:
        _check_measured(release, rules)
    check_hierarchies(release, release.quasi_identifiers)
    check_columns(release, levels, "levels")
    check_columns(release, weights, "weights")
    name, put_together, weighed = checked_objective(objective, aggregate, weights, release.quasi_identifiers)
    lattice = Lattice.of(release.quasi_identifiers, release.hierarchies, levels)
    if name in BY_CLASS:
        lattice.check_size(Phrase("for {objective}", objective=name))
    ground, rules = searched(
        release, release.hierarchies, lattice, rules, local=local, removes=suppressed_records == REMOVE
    )
    tasks = tuple(rule for rule in rules if isinstance(rule, TaskRule))
    rules = tuple(rule for rule in rules if not isinstance(rule, TaskRule) or rule.is_demanded)
    if not rules:
        raise ParameterError(NO_RULE, what="rules")
    made = make_objective(ground, name, put_together, weighed, amounts(rules))
    most = allowed_suppression(share, ground.records)
    columns = zip(release.quasi_identifiers, weighed, strict=True)
    return Problem(
        release,
        lattice,
        ground,
        rules,
        most,
        made,
        name,
        put_together if name == "granularity" else None,
        float(share),
        {column: weight for column, weight in columns if weight != 1},
        tasks,
    )


def _check_measured(release: Release, rules: Sequence[Rule]) -> None:
    """Raise if a rule limits what is lost, which the engine cannot measure once suppressed records left the table."""
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


def checked_share(suppression: Any) -> float:
    """The share of the records that may be suppressed."""
    share = number_given(suppression)
    if share is None or not 0 <= share <= 1:
        raise ParameterError(
            "expected suppression as a share of the records, 0 to 1 (5 % is 0.05), got {suppression!r}",
            suppression=suppression,
            what="suppression",
        )
    return share


def check_method(method: str, objective: str) -> None:
    """An error for a method that there is not, or that does not take the objective."""
    if method not in METHODS:
        raise unknown("method", str(method), METHODS, what="method")
    if method == "local" and objective == NOT_LOCAL:
        raise ParameterError(
            "local recoding takes every objective but {objective}", objective=NOT_LOCAL, what="objective"
        )


def check_suppressed_records(given: Any) -> None:
    """Raise if suppressed records are neither to leave the table nor to stay with `*`."""
    if given not in SUPPRESSED_RECORDS:
        raise ParameterError(
            "expected suppressed_records {options}, got {given!r}",
            options=quoted(SUPPRESSED_RECORDS),
            given=str(given)[:40],
            what="suppressed_records",
        )


def check_settings(
    known: Sequence[str] | None,
    *,
    suppression: Any = 0,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, Any] | None = None,
    levels: Mapping[str, Any] | None = None,
    method: str = "global",
    suppressed_records: str = REMOVE,
    **_others: Any,
) -> Iterator[PETWorksError]:
    """What is wrong with settings, as far as that can be told without the table; `known`: the quasi-identifiers."""
    for check in (
        lambda: checked_share(suppression),
        lambda: check_method(method, objective),
        lambda: check_suppressed_records(suppressed_records),
        lambda: checked_objective(objective, aggregate, weights, known or list(weights or ())),
        lambda: check_levels(levels or {}, known),
    ):
        try:
            check()
        except PETWorksError as error:
            yield error


def allowed_suppression(share: float, records: int) -> int:
    """How many records may be suppressed.

    A share such as 1/3 was rounded, perhaps down; three records of which a third may go are one.
    """
    return math.floor(Fraction(str(share)) * records * (1 + Fraction(TOLERANCE)))


def check_columns(release: Release, given: Mapping[str, Any] | None, what: str) -> None:
    """An error if levels or weights are given for columns that are not generalised."""
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(
            "expected {thing} as a dict from column, got {type}", thing=what, type=type(given).__name__, what=what
        )
    for column in given or ():
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


def check_hierarchies(release: Release, generalised: Sequence[str]) -> None:
    """An error if columns that are to be generalised have no hierarchy; it proposes one."""
    without = [name for name in generalised if name not in release.hierarchies]
    if not without:
        return
    marginal = release.marginal(without[0])
    proposed = proposed_hierarchy(without[0], dict(zip(marginal.values, marginal.counts.tolist(), strict=True)))
    text = Phrase("quasi-identifiers without a hierarchy cannot be generalised: {columns}", columns=quoted(without))
    if proposed is not None:
        might_do = in_yaml(proposed[0].words)
        text = Phrase("{text}; for {column!r} this might do: {words}", text=text, column=without[0], words=might_do)
    raise HierarchyError(
        text,
        Hint.HIERARCHIES,
        what=f"hierarchies.{without[0]}",
    )


def amounts(rules: tuple[Rule, ...]) -> Mapping[str, float] | None:
    """The amounts of money that a rule sets."""
    for rule in rules:
        if isinstance(rule, MeasureRule) and rule.metric.name in ("profitability", "publisher-payout"):
            return rule.parameters
    return None
