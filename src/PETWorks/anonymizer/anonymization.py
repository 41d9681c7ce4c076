"""`anonymize`: the release with the least loss that keeps the rules, and the proof that there is no better one."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PETWorks.anonymizer.explanation import ColumnReason, Explanation, column_reasons, explained
from PETWorks.anonymizer.judging import records_failing
from PETWorks.anonymizer.problem import Problem, problem_of
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import Rule, Rules, checked_rules
from PETWorks.anonymizer.searching import Progress, Search
from PETWorks.counting.release import Release
from PETWorks.errors import NotApplicable, ParameterError
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue


@dataclass(frozen=True, eq=False)
class Anonymization(Recoded):
    """A table on the best levels.

    levels      the level of each quasi-identifier
    loss        what is lost, by the objective
    suppressed  how many records are suppressed beside those that were already
    optimal     whether it is proved that no other levels, among those that are allowed, lose less
    bound       what any other levels lose at least, as far as is known; the loss itself if it is optimal
    checked     how many nodes were looked at, of all `nodes`

    >>> result = anonymize("data/delta.csv", {"zip": "quasi_identifier", "nationality": "quasi_identifier"},
    ...                    "data/delta_hierarchy", {"k-anonymity": {"k": 3}}, suppression=0.1)
    >>> result.levels, result.suppressed, result.optimal
    ({'zip': 1, 'nationality': 1}, 0, True)
    """

    problem: Problem
    search: Search
    loss: float
    optimal: bool
    bound: float
    checked: int

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.problem.lattice.nodes

    def explain(self) -> Explanation:
        """Why these levels: what would break one level finer, the next-best levels, what each rule costs.

        After a search that was stopped, only the first of these: the others would take the rest of the search.
        """
        return explained(self.problem, self.search, self.classes.node, is_complete=self.optimal)

    def reasons(self) -> tuple[ColumnReason, ...]:
        """The part of the explanation that needs no further search: what would break one level finer."""
        return column_reasons(self.problem, self.search, self.classes.node)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain dicts, lists, numbers and texts."""
        return {
            "levels": self.levels,
            "heights": {name: self.original.hierarchies[name].height for name in self.levels},
            "objective": self.problem.objective_name,
            "aggregate": self.problem.aggregate,
            "weights": dict(self.problem.weights),
            "allowed_levels": {name: list(bounds) for name, bounds in self.problem.allowed_levels.items()},
            "loss": self.loss,
            "bound": self.bound,
            "optimal": self.optimal,
            "records": self.records,
            "suppressed": self.suppressed,
            "suppressed_before": self.problem.ground.aside,
            "suppression_limit": self.problem.suppression,
            "checked": self.checked,
            "nodes": self.nodes,
            "rules": [rule.name for rule in self.problem.rules],
        }

    def __repr__(self) -> str:
        levels = ", ".join(f"{name} {level}" for name, level in self.levels.items())
        proof = "optimal" if self.optimal else f"at least {self.bound:.6g} is lost by any other"
        return (
            f"<Anonymization: levels {levels}; loss {self.loss:.6g}; {self.suppressed} of "
            f"{self.records} records suppressed; {proof}, {self.checked} of {self.nodes} nodes checked>"
        )


def anonymize(
    data: Any,
    roles: Mapping[str, str] | None = None,
    hierarchies: Any = None,
    rules: Rules | None = None,
    *,
    suppression: float = 0.0,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    subsets: Mapping[str, Any] | None = None,
    original: Any = None,
    population: Any = None,
    suppressed: str | None = None,
    missing: str | None = None,
    several_sensitive: str | None = None,
    privacy_unit: str | None = None,
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Anonymization:
    """The release of a table with the least loss that keeps the rules.

    Every quasi-identifier is generalised to one level of its hierarchy, and records of classes that break a rule are
    suppressed, as far as the limit allows. See `Release` for data, roles, hierarchies, population and the treatment of
    records.

    rules         as for `evaluate`: `{"k-anonymity": {"k": 5}}`
    suppression   the share of records that may be suppressed
    objective     what is to be small: "granularity", "precision", "non-uniform-entropy", "discernibility", "aecs",
                  "ambiguity", "missings" or "publisher-payout"
    aggregate     how the granularity of columns is put together: "geometric" (mean), "arithmetic", "sum", "maximum"
    weights       the importance of columns, 1 otherwise
    levels        a level that is fixed, `{"age": 2}`, or the lowest and the highest, `{"age": (1, 3)}`
    subsets       limits for adversaries who know some quasi-identifiers: `{"sizes": "1-3", "limits": {"uniques": 0}}`
    original      the table that measures compare with, if it is not the data themselves
    progress      told how far the search is, now and then
    """
    if rules is None and subsets is None:
        raise ParameterError("no rule is given; name at least one, such as {'k-anonymity': {'k': 5}}", what="rules")
    checked = checked_rules(rules or {}, subsets)
    release = Release(
        data,
        roles,
        hierarchies,
        original,
        population=population,
        suppressed=suppressed,
        missing=missing,
        several_sensitive=several_sensitive,
        privacy_unit=privacy_unit,
        engine="memory",
        memory_limit=memory_limit,
        temp_folder=temp_folder,
    )
    return anonymize_release(
        release,
        checked,
        suppression=suppression,
        objective=objective,
        aggregate=aggregate,
        weights=weights,
        levels=levels,
        progress=progress,
    )


def anonymize_release(
    release: Release,
    rules: tuple[Rule, ...],
    *,
    suppression: float = 0.0,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Anonymization:
    """The same for a table that was opened before, and rules that were checked."""
    problem = problem_of(release, rules, suppression, objective, aggregate, weights, levels)
    search = problem.search()
    optimal = True
    try:
        search.run(report=progress)
    except KeyboardInterrupt:  # the best so far will do, if there is one
        if search.best is None:
            raise
        optimal = False
    best = search.best
    if best is None:
        raise _unsatisfiable(problem)
    classes = problem.ground.at(best.node)
    suppressed = search.judge(classes).suppressed
    assert suppressed is not None
    bound = best.loss if optimal else search.bound
    return Anonymization(release, classes, suppressed, problem, search, best.loss, optimal, bound, search.checked)


def _unsatisfiable(problem: Problem) -> NotApplicable:
    """The error for rules that nothing keeps: which of them fails even where it is kept most easily."""
    failing, hopeless = [], False
    for rule in problem.rules:
        lowest = rule.worse_by_suppression  # a rule about utility
        extreme, node = ("lowest", problem.lattice.low) if lowest else ("highest", problem.lattice.high)
        classes = problem.ground.at(node)
        search = problem.search((rule,))
        search.look_at(node)
        if not search.has_any():
            records = records_failing(search.judge, classes, rule)
            told = f": {records} of {problem.ground.records} records are in classes that fail" if records else ""
            hopeless = hopeless or records == problem.ground.records
            failing.append(f"{rule.name} fails even on the {extreme} level of every column{told}")
    text = "; ".join(failing) or "each of the rules can be kept, but not all of them together"
    remedy = "loosen, waive or leave out a rule" + ("" if hopeless else ", or allow more suppression")
    return NotApplicable(
        f"no levels keep the rules with at most {problem.most} suppressed records: {text}; {remedy}", what="rules"
    )
