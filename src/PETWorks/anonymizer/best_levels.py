"""A table on the best levels: what is lost, what is proved, and why these levels."""

from dataclasses import dataclass
from typing import Any

from PETWorks.anonymizer.explanation import ColumnReason, Explanation, column_reasons, explained
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.searching import Search


@dataclass(frozen=True, eq=False)
class Anonymization(Recoded):
    """A table on the best levels.

    levels      the level of each quasi-identifier
    loss        what is lost, by the objective
    suppressed  how many records are suppressed beside those that were already
    optimal     whether it is proved that no other levels, among those that are allowed, lose less
    bound       what any other levels lose at least, as far as is known; the loss itself if it is optimal
    checked     how many nodes were looked at, of all `nodes`

    >>> from PETWorks import anonymize
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
    def is_complete(self) -> bool:
        """Whether the search was not stopped."""
        return self.optimal

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
