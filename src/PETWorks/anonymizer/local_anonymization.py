"""The release by local recoding: never worse than the best levels for all records, and far better most of the time."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PETWorks.anonymizer.best_levels import Anonymization
from PETWorks.anonymizer.column_objectives import ByColumn
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.local import Sweep, sweep
from PETWorks.anonymizer.local_reasons import reasons_for_left_over
from PETWorks.anonymizer.losses import Losses, local_losses
from PETWorks.anonymizer.objectives import LINEAR
from PETWorks.anonymizer.plan import plan_of
from PETWorks.counting.codes import Column
from PETWorks.errors import NotApplicable, ParameterError, quoted

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class LocalAnonymization(Anonymization):
    """A table of which each record is on levels of its own.

    loss          what is lost
    global_loss   what is lost on the best levels for all records; never less
    levels        for each quasi-identifier the levels that are used
    parts         the levels that are used, and how many records are on them
    """

    sweep: Sweep
    searched_all: bool

    @property
    def is_complete(self) -> bool:
        """Whether the search for the best levels was not stopped."""
        return self.searched_all

    @property
    def levels(self) -> dict[str, tuple[int, ...]]:  # type: ignore[override]
        """The levels of each quasi-identifier that are used."""
        used = zip(self.problem.lattice.columns, zip(*self.sweep.nodes, strict=True), strict=True)
        return {name: tuple(sorted(set(levels))) for name, levels in used}

    @property
    def global_loss(self) -> float:
        """What is lost on the best levels for all records."""
        best = self.search.best
        assert best is not None
        return best.loss

    @cached_property
    def suppressed(self) -> int:
        """How many records are suppressed beside those that were already."""
        return self.sweep.suppressed

    @property
    def parts(self) -> list[tuple[dict[str, int], int]]:
        """The levels that are used, and how many records are on them; in ascending order of what they lose."""
        weights = self.sweep.rows.weights
        lattice = self.problem.lattice
        return [
            (lattice.levels(node), int(weights[self.sweep.on_node == place].sum()))  # type: ignore[index]
            for place, node in enumerate(self.sweep.nodes)
        ]

    def _swept(self) -> Sweep:
        return self.sweep

    def _losses(self) -> Losses:
        return local_losses(self.problem, self.sweep)

    @property
    def plan(self) -> dict[str, Any]:
        """All that is needed to recode another table in the same way, for `apply_plan` and to be saved as JSON."""
        return plan_of(self.problem, "local", self.sweep.nodes, self.suppressed, self.loss)

    def _recoded(self) -> dict[str, Column]:
        return self.sweep.changed()

    def reasons_per_record(self, below: int | None = None) -> "pa.Table":
        """Why records are suppressed: what is left over breaks a rule even on the highest levels that are allowed.

        The rules, and the size of the class, are those of the records that are left over, on these levels. By what a
        record stands out is told on the lowest levels. No generalisation would save it, so none is named.
        """
        if self.sweep.nodes == (self.classes.node,):
            return super().reasons_per_record(below)
        return reasons_for_left_over(self.sweep, self.search.judge, self.problem.objective, below)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain dicts, lists, numbers and texts."""
        told = super().to_dict()
        told.pop("levels")
        parts = [{"levels": levels, "records": records} for levels, records in self.parts]
        return {**told, "method": "local", "global_loss": self.global_loss, "parts": parts}

    def __repr__(self) -> str:
        return (
            f"<LocalAnonymization: loss {self.loss:.6g}, {self.global_loss:.6g} on the best levels for all; "
            f"{self.suppressed} of {self.records} records suppressed; levels: {len(self.sweep.nodes)} combinations>"
        )


def recoded_locally(found: Anonymization, report: Callable[[int], None] | None = None) -> LocalAnonymization:
    """The same problem solved by local recoding; where that is no better, the best levels for all records."""
    problem = found.problem
    objective = problem.objective
    if problem.objective_name not in LINEAR or not isinstance(objective, ByColumn):
        raise ParameterError(f"local recoding takes the objectives {quoted(LINEAR)}", what="objective")
    judge = Judge(problem.ground, problem.rules, problem.ground.records, objective)
    one = Sweep.on_one_node(found.classes, found.taken_out)
    best = one
    swept = sweep(problem.ground, judge, objective.bounds(), report)
    if swept.suppressed <= problem.most and swept.loss(objective) < one.loss(objective) and _holds(found, swept):
        best = swept
    own = {field.name: getattr(found, field.name) for field in fields(found)}
    changed = {"loss": best.loss(objective), "optimal": False, "bound": 0.0}
    return LocalAnonymization(**{**own, **changed}, sweep=best, searched_all=found.optimal)


def _holds(found: Anonymization, swept: Sweep) -> bool:
    """Whether the release keeps every rule as a whole; some measures do not apply to values on several levels."""
    released = swept.view()
    try:
        return all(rule.holds(released) for rule in found.problem.rules)
    except NotApplicable:
        return False
