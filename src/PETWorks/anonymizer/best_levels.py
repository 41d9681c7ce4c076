"""A table on the best levels: what is lost, what is proved, and why these levels."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.anonymizer.explanation import ColumnReason, Explanation, column_reasons, explained
from PETWorks.anonymizer.local import Sweep
from PETWorks.anonymizer.losses import Losses, losses
from PETWorks.anonymizer.plan import plan_of
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.record_reasons import reasons_on_node
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.searching import Searching
from PETWorks.anonymizer.unfinished import write_unfinished
from PETWorks.anonymizer.utility import Utility, utility_of
from PETWorks.errors import NotApplicable

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Anonymization(Recoded):
    """A table on the best levels.

    levels      the level of each quasi-identifier
    loss        what is lost, by the objective
    suppressed  how many records are suppressed beside those that were already
    optimal     whether it is proved that no other levels, among those that are allowed, lose less
    bound       what any other levels lose at least, as far as is known; the loss itself if it is optimal
    gap         how much more is lost than on the best levels, at most, as a share of what these lose
    checked     how many nodes were looked at, of all `nodes`

    >>> from PETWorks import anonymize
    >>> roles = {"zip": "quasi_identifier", "nationality": "quasi_identifier", "age": "identifier",
    ...          "salary-class": "identifier"}
    >>> result = anonymize("data/delta.csv", roles, "data/delta_hierarchy", {"k-anonymity": {"k": 3}}, suppression=0.1)
    >>> result.levels, result.suppressed, result.optimal
    ({'zip': 1, 'nationality': 1}, 0, True)
    """

    problem: Problem
    search: Searching
    loss: float
    optimal: bool
    bound: float
    checked: int

    @property
    def is_complete(self) -> bool:
        """Whether the search was not stopped."""
        return self.optimal

    @property
    def gap(self) -> float | None:
        """How much more is lost than on the best levels, at most, as a share of that; None if no bound is known."""
        if self.loss == self.bound:
            return 0.0
        return self.loss / self.bound - 1 if self.bound > 0 else None

    def write_unfinished(self, path: str | os.PathLike[str]) -> None:
        """Write what a search that was stopped has found, for `anonymize(..., resume=path)`."""
        write_unfinished(Path(path), self.problem, self.search.known)

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.problem.lattice.nodes

    @property
    def plan(self) -> dict[str, Any]:
        """All that is needed to recode another table in the same way, for `apply_plan` and to be saved as JSON."""
        node, seed = self.classes.node, self.order.seed
        return plan_of(self.problem, "global", (node,), self.suppressed, self.loss, seed, self.removed)

    def explain(self) -> Explanation:
        """Why these levels: what would break one level finer, the next-best levels, what each rule costs.

        After a search that was stopped, or of a lattice that is too large to search it again, only the first of these.
        """
        is_complete = self.optimal and not self.problem.lattice.is_large
        return explained(self.problem, self.search, self.classes.node, is_complete=is_complete)

    def reasons(self) -> tuple[ColumnReason, ...]:
        """The part of the explanation that needs no further search: what would break one level finer."""
        return column_reasons(self.problem, self.search, self.classes.node)

    @property
    def is_raised(self) -> bool:
        """Whether the rows were counted on higher levels than the table has, because there are too many of them."""
        return any(self.problem.ground.base.levels.values())

    def utility(self) -> Utility:
        """What the release is still worth: its columns before and after, and what is lost by every objective."""
        if self.is_raised:
            raise NotApplicable("there are too many distinct rows to compare the release with the original values")
        tasks = self.problem.tasks
        return utility_of(self._swept(), self._losses(), tasks, self._swept().view() if tasks else None)

    def _swept(self) -> Sweep:
        """On which levels each distinct row is released."""
        return Sweep.on_one_node(self.classes, self.taken_out)

    def _losses(self) -> Losses:
        return losses(self.problem, self.classes, self.taken_out)

    def reasons_per_record(self, below: int | None = None) -> "pa.Table":
        """Why records are suppressed, those aside that were already: one row per record.

        `record` is its number in the input, from 1 on; `rule` the rules that its class breaks on these levels, or those
        about the whole table for which it is suppressed; then the size of the class, the smallest set of
        quasi-identifiers by which it stands out, and the smallest generalisation that would save it, with what the
        table loses by that. It is for those who may see the original; it has no cell.

        below   the records of classes of fewer records than that, instead of those that are suppressed
        """
        problem = self.problem
        return reasons_on_node(
            self.classes,
            self.search.judge,
            problem.objective,
            problem.lattice.high,
            below=below,
            taken_out=self.taken_out,
        )

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
            "gap": self.gap,
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
