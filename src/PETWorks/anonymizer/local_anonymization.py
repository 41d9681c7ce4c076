"""The release by local recoding: never worse than the best levels for all records, and far better most of the time."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.about.treatment import APART
from PETWorks.anonymizer.best_levels import Anonymization
from PETWorks.anonymizer.column_objectives import ByColumn, Granularity
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.local import Sweep
from PETWorks.anonymizer.local_reasons import reasons_for_left_over
from PETWorks.anonymizer.losses import Losses, local_losses
from PETWorks.anonymizer.objectives import LINEAR
from PETWorks.anonymizer.plan import plan_of
from PETWorks.anonymizer.recoder import Recoder
from PETWorks.anonymizer.rules import Rule
from PETWorks.anonymizer.searching import Progress, Report, Stop, never
from PETWorks.anonymizer.sweeping import joined, smallest_size, sweep
from PETWorks.errors import NotApplicable

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
        seed, least = self.order.seed, self.sweep.least
        return plan_of(self.problem, "local", self.sweep.nodes, self.suppressed, self.loss, seed, self.removed, least)

    @cached_property
    def recoder(self) -> Recoder:
        """How the quasi-identifiers of any record become those of the release."""
        return self.sweep.recoder

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


class TimeIsUp(Exception):  # noqa: N818 - no error: it ends the sweep
    """There is no time left for local recoding."""


def recoded_locally(found: Anonymization, report: Report | None = None, stop: Stop = never) -> LocalAnonymization:
    """The same problem solved by local recoding; where that is no better, the best levels for all records.

    Ctrl-C, or `stop`, ends it with the best release so far.
    """
    best = Sweep.on_one_node(found.classes, found.taken_out)
    loss, complete = found.loss, found.optimal
    try:
        for best, loss in _releases(found, report, stop):  # noqa: B007 - the last one counts
            pass
    except NotApplicable:  # a measure, to values on several levels
        pass
    except (KeyboardInterrupt, TimeIsUp):
        complete = False
    own = {field.name: getattr(found, field.name) for field in fields(found)}
    changed = {"loss": loss, "optimal": False, "bound": 0.0}
    return LocalAnonymization(**{**own, **changed}, sweep=best, searched_all=complete)


def _releases(found: Anonymization, report: Report | None, stop: Stop) -> Iterator[tuple[Sweep, float]]:
    """Releases that keep every rule, with what they lose: each less than the best levels for all, and than the last.

    Rules about the whole table are kept, if at all, by larger classes. Half as many records again are asked of each
    class, until the rules hold; then it is tried with fewer.
    """
    problem = found.problem
    ground, view = problem.ground, problem.ground.view
    if any(test.background for rule in problem.rules for test in rule.tests(view)):
        return  # the other table would have to be on several levels, too
    judge = Judge(ground, problem.rules, ground.records, problem.objective)
    order = _order(found)
    most = problem.most if view.treatment["suppressed"] == APART else 0  # there, suppressed records are a class
    best = found.loss

    def tell(visited: int) -> None:
        if stop():
            raise TimeIsUp
        if report is not None:
            report(Progress(visited, best, 0.0))

    def made(least: int) -> tuple[Sweep, float] | None:
        swept = sweep(ground, judge, order, least, tell)
        kept = swept if swept.suppressed <= most else joined(swept, judge, order, most)
        loss = np.inf if kept is None or not kept.nodes else kept.loss(problem.objective)
        return None if kept is None or loss >= best else (kept, loss)

    least = smallest_size(judge)
    failed, growing = least - 1, True
    while growing or least - failed > 1 + failed // 8:
        size = least if growing else (least + failed) // 2
        release = made(size)
        broken = _broken(found, release[0]) if release is not None else []
        if growing and (release is None or any(rule.worse_by_suppression for rule in broken)):
            return  # larger classes would only lose more
        if release is not None and not broken:
            yield release
            best, least, growing = release[1], size, False
        else:
            failed, least = size, max(size + 1, size * 3 // 2) if growing else least


def _order(found: Anonymization) -> ByColumn:
    """By what nodes are put in order: the objective, or granularity if it does not belong to single records."""
    problem = found.problem
    if problem.objective_name in LINEAR and isinstance(problem.objective, ByColumn):
        return problem.objective
    return Granularity.of(problem.ground, [1.0] * len(problem.lattice.columns), "geometric")


def _broken(found: Anonymization, swept: Sweep) -> list[Rule]:
    """The rules that the release breaks as a whole; an error if a measure does not apply to it."""
    released = swept.view()
    broken = [rule for rule in found.problem.rules if not rule.holds(released)]
    for rule in broken:
        rule.check(released)
    return broken
