"""Anonymisation: the release with the least loss that satisfies the rules, on the best levels or by local recoding."""

import math
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from PETWorks.about.treatment import APART
from PETWorks.anonymizer.anonymization_facts import (
    UTILITY,
    AnonymizationFacts,
    Choice,
    ColumnLevel,
    ColumnState,
    FrontierFacts,
    KeptColumns,
    LevelsUsed,
    LocalRecoding,
    OtherColumns,
    ProtectedColumn,
    ShownColumn,
    State,
    UtilityKept,
    WayByModels,
    WayOfRecoding,
    WhyGlobal,
    measure_or_none,
    table_state,
)
from PETWorks.anonymizer.class_means import check_show
from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.explanation import Explanation, column_reasons, explain_levels
from PETWorks.anonymizer.judge import Judge, records_failing
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local.rounds import local_releases
from PETWorks.anonymizer.local.sweep import Sweep, smallest_size, visible_classes
from PETWorks.anonymizer.lost_columns import (
    ColumnsOnNodes,
    Keeping,
    lost_in_sweep,
    lost_on_node,
    unchanged_in_sweep,
)
from PETWorks.anonymizer.objectives import NOT_LOCAL
from PETWorks.anonymizer.plan import Plan, make_plan
from PETWorks.anonymizer.problem import Problem, SearchSettings, check_method, check_seconds, make_problem
from PETWorks.anonymizer.reasons import reasons_for_left_over, reasons_on_node
from PETWorks.anonymizer.recoding import NOT_RELEASED, Recoder, view_after
from PETWorks.anonymizer.released import IN_ORDER, Recoded, RecordOrder
from PETWorks.anonymizer.rules import Rule
from PETWorks.anonymizer.search.checkpoints import read_checkpoint, write_checkpoint
from PETWorks.anonymizer.search.exact import (
    NodeSearch,
    Progress,
    Report,
    Solution,
    Stop,
    best_keeping,
    never_stop,
)
from PETWorks.anonymizer.utility import Losses, Utility, local_losses, losses, utility_of
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.protected_source import changes_in
from PETWorks.counting.release import Release
from PETWorks.errors import Counted, Joined, NotApplicable, Phrase, quoted
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.measures.classes import Mask
from PETWorks.measures.utility.models import ModelResult

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Anonymization(Recoded):
    """A table on the best levels.

    levels      the level of each quasi-identifier
    loss        the loss, by the objective
    suppressed  number of suppressed records, without those that were suppressed in the input
    optimal     whether it is proved that no other allowed levels lose less; not if models chose other levels
    bound       a proved lower bound on the loss of any levels; the loss itself if it is optimal
    gap         upper bound on the excess over the least possible loss, as a share of that
    checked     number of nodes tested, of all `nodes`
    why_global  why the records could not be recoded one by one, if that was asked for; see `WhyGlobal`
    models      the named models, fitted on the original and on the release; both are judged on the original

    >>> from PETWorks import anonymize
    >>> roles = {"quasi_identifiers": ["zip", "nationality"], "identifiers": ["age", "salary-class"]}
    >>> release = Release("data/delta.csv", roles, "data/delta_hierarchy")
    >>> result = anonymize(release, {"k-anonymity": {"k": 3}}, suppression=0.1, method="global")
    >>> result.levels, result.suppressed, result.optimal
    ({'zip': 1, 'nationality': 1}, 0, True)
    """

    search: NodeSearch
    loss: float
    optimal: bool
    bound: float
    checked: int
    why_global: WhyGlobal | None = field(default=None, kw_only=True)
    models: tuple[ModelResult, ...] = field(default=(), kw_only=True)
    by_models: tuple[WayByModels, ...] = field(default=(), kw_only=True)

    @property
    def is_complete(self) -> bool:
        """Whether the search ran to its end."""
        return self.search.is_explored

    @property
    def global_loss(self) -> float:
        """The loss on the best levels for all records; with the method "local", that is more than `loss`."""
        return self.loss

    @property
    def parts(self) -> list[tuple[dict[str, int], int]]:
        """The combinations of levels in use, with the number of records on each; one, unless the method is "local"."""
        return [(self.levels, self.records - self.suppressed)]

    @property
    def gap(self) -> float | None:
        """Upper bound on the excess over the least possible loss, as a share of that; None without a bound."""
        if self.loss == self.bound:
            return 0.0
        return self.loss / self.bound - 1 if self.bound > 0 else None

    def write_unfinished(self, path: str | os.PathLike[str]) -> None:
        """Write the results of a search that was stopped, for `anonymize(..., resume=path)`."""
        write_checkpoint(Path(path), self.problem, self.search.known)

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.problem.lattice.nodes

    @property
    def plan_document(self) -> Plan:
        """All that is needed to recode another table in the same way."""
        node, seed = self.classes.node, self.order.seed
        return make_plan(
            self.problem,
            "global",
            (node,),
            self.suppressed,
            self.loss,
            seed,
            self.removed,
            show=self.show,
            unfinished=not self.is_complete,
        )

    def explain(self) -> Explanation:
        """Explain these levels: what would break one level finer, the next-best levels, the cost of each rule.

        After a search that was stopped, or if the lattice is too large to search again, only the first of these.
        """
        is_complete = self.optimal and not self.problem.lattice.has_many_nodes
        return explain_levels(self.problem, self.search, self.classes.node, is_complete=is_complete)

    def reasons(self) -> tuple[ColumnLevel, ...]:
        """The part of the explanation that needs no further search: what would break one level finer."""
        return column_reasons(self.problem, self.search, self.classes.node)

    @property
    def is_raised(self) -> bool:
        """Whether rows were counted on higher levels than those of the table, as there were too many."""
        return any(self.problem.cube.base.levels.values())

    def utility(self) -> Utility:
        """The utility of the release: its columns before and after, and the loss by every objective."""
        if self.is_raised:
            raise NotApplicable("there are too many distinct rows to compare the release with the original values")
        tasks = self.problem.tasks
        released = view_after(self.problem.cube, self.shown.recoder) if tasks else None
        return utility_of(self._released_sweep(), self._losses(), tasks, released)

    def _released_sweep(self) -> Sweep:
        """The levels on which each distinct row is released."""
        return Sweep.on_one_node(self.classes, self.suppressed_classes)

    def _losses(self) -> Losses:
        return losses(self.problem, self.classes, self.suppressed_classes)

    def facts(
        self,
        before: State,
        after: Release,
        explanation: Explanation | None = None,
        waived: tuple[str, ...] = (),
        frontier: FrontierFacts | None = None,
        *,
        shuffled: bool | None = None,
    ) -> AnonymizationFacts:
        """The facts about the making of the release, for documents.

        before        the state of the table
        after         the release as it was written
        explanation   without it, there are no next-best levels and no costs of rules
        waived        names of rules that were not demanded
        """
        problem = self.problem
        if explanation is None:
            explanation = Explanation(self.reasons())
        return AnonymizationFacts(
            columns=explanation.columns,
            objective=problem.objective_name,
            aggregate=problem.aggregate,
            loss=self.loss,
            bound=self.bound,
            optimal=self.optimal,
            checked=self.checked,
            nodes=self.nodes,
            records=self.records,
            suppressed=self.suppressed,
            suppression_limit=problem.suppression,
            before=before,
            after=self._state(after),
            utility=None if self.is_raised else self.utility().part(UtilityKept),
            next_best=explanation.other_levels,
            rules=explanation.rules,
            local=self._local_recoding(),
            choice=self.choice,
            waived=waived,
            protected=tuple(
                ProtectedColumn(
                    column, dict(change.protection.words), change.changed / max(change.present, 1), change.variance_kept
                )
                for column, change in changes_in(self.original.source).items()
            ),
            shown=tuple(ShownColumn(column, way) for column, way in self.shown.columns.items()),
            labels_kept=self.shown.kept,
            labels_kept_for=self.shown.rules,
            column_states=tuple(self._column_states()),
            by_models=self.by_models,
            frontier=frontier,
            kept_columns=self.kept_columns,
            seconds=None if self.is_complete else self.search.seconds,
            improved_after=None if self.is_complete else self.search.improved_after,
            shuffled=shuffled,
        )

    def _state(self, after: Release) -> State:
        """The state of the release; the loss of means is that of the labels that they replace."""
        state = table_state(after)
        if not self.shown.columns:
            return state
        labels = view_after(self.problem.cube, self.recoder)
        lost = {name: measure_or_none(labels, name) for name in UTILITY}
        return structs.replace(state, **lost)

    def _column_states(self) -> Iterator[ColumnState]:
        """The state of each released column, in the order of the table."""
        protected = changes_in(self.original.source)
        if self.is_raised:  # the rows have not the values of the table, and all are on one node
            lost = lost_on_node(self.classes, self.suppressed_classes)
            unchanged = tuple(
                name for name, level in zip(self.classes.columns, self.classes.node, strict=True) if not level
            )
        else:
            swept = self._released_sweep()
            lost, unchanged = lost_in_sweep(swept), unchanged_in_sweep(swept)
        for name in self.original.columns:
            if name in self.left_out:
                continue
            if name in lost:
                yield ColumnState(name, "lost")
            elif name in self.problem.lattice.columns:
                yield ColumnState(name, "kept" if name in unchanged else "coarser")
            else:
                yield ColumnState(name, "coarser" if name in protected and protected[name].changed else "kept")

    def _local_recoding(self) -> LocalRecoding | None:
        return None

    @property
    def choice(self) -> Choice:
        """The ways to recode the table that were found, with the loss, the lost columns and the risks of each."""
        return Choice("global", (self._one_level_per_column,), self.why_global)

    @cached_property
    def _one_level_per_column(self) -> WayOfRecoding:
        """The best levels for all records."""
        suppressed = int(self.classes.records[self.suppressed_classes].sum())
        lost = lost_on_node(self.classes, self.suppressed_classes)
        return WayOfRecoding(
            "global", self.global_loss, lost, suppressed, *_risks(self.classes, ~self.suppressed_classes)
        )

    @cached_property
    def kept_columns(self) -> KeptColumns | None:
        """The columns that were to be kept, those that are lost nevertheless, and what else is possible.

        None if every column may be lost. After a complete search, this may search for levels that keep the others.
        """
        problem, chosen = self.problem, self.search.best
        if problem.columns is None or chosen is None:
            return None
        names, keeping = problem.columns.names, problem.keeping
        if self.classes.node != chosen.node:
            going = lost_on_node(self.classes, self.suppressed_classes)
            return KeptColumns(
                problem.keep, problem.may_be_lost, tuple(name for name in going if name not in problem.may_be_lost)
            )
        lost = chosen.lost & keeping.wanted
        others = []
        if lost:
            others.append(self._other_columns(Keeping(keeping.demanded | lost, keeping.wanted & ~lost), keep=lost))
        free = self.search.free
        if free is not None and free.node != chosen.node:
            wanted = free.lost & keeping.wanted
            others.append(self._other_columns(Keeping(keeping.demanded, keeping.wanted & ~wanted), may_lose=wanted))
        return KeptColumns(problem.keep, problem.may_be_lost, names(lost), tuple(others))

    def _other_columns(self, keeping: Keeping, *, keep: int = 0, may_lose: int = 0) -> OtherColumns:
        """The cost of keeping other columns: these in addition, or all but these."""
        assert self.problem.columns is not None
        names, quick = self.problem.columns.names, not self.search.is_explored or self.problem.lattice.has_many_nodes
        chosen = self.search.choice(keeping) if quick else self.search.explore_beside(keeping)
        settings = (*self.problem.keep, *names(keep)), (*self.problem.may_be_lost, *names(may_lose))
        if chosen is None:
            return OtherColumns(*settings)
        return OtherColumns(*settings, names(chosen.lost), chosen.loss, chosen.suppressed)

    def reasons_per_record(self, below: int | None = None) -> "pa.Table":
        """Why records are suppressed: one row per record, without those suppressed in the input.

        `record` is its number in the input, from 1 on; `rule` the rules that its class breaks on these levels, or the
        rules about the whole table that it is suppressed for; then the size of the class, the smallest set of
        quasi-identifiers that distinguishes it, and the smallest generalisation that would save it, with the loss
        that this adds to the table. Meant for people who may see the original; it contains no cells.

        below   report records in classes with fewer records than this, instead of suppressed records
        """
        problem = self.problem
        return reasons_on_node(
            self.classes,
            self.search.judge,
            problem.objective,
            problem.lattice.high,
            below=below,
            suppressed_classes=self.suppressed_classes,
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
            "suppressed_before": self.problem.cube.aside,
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


MAX_COMBINATIONS_LISTED = 10


@dataclass(frozen=True, eq=False)
class LocalAnonymization(Anonymization):
    """A table in which each record may be on different levels.

    loss          the loss
    global_loss   the loss on the best levels for all records, never less; None if none keep the rules
    levels        for each quasi-identifier the levels in use
    parts         the combinations of levels in use, with the number of records on each
    """

    sweep: Sweep
    ended: bool

    @property
    def is_complete(self) -> bool:
        """Whether local recoding ran to its end; the best levels that it is compared with need not be proved."""
        return self.ended

    @property
    def levels(self) -> dict[str, tuple[int, ...]]:  # type: ignore[override]
        """The levels in use for each quasi-identifier."""
        used = zip(self.problem.lattice.columns, zip(*self.sweep.nodes, strict=True), strict=True)
        return {name: tuple(sorted(set(levels))) for name, levels in used}

    @property
    def global_loss(self) -> float | None:  # type: ignore[override]
        """The loss on the best levels for all records; None if none keep the rules."""
        best = self.search.best
        return None if best is None else best.loss

    @cached_property
    def suppressed(self) -> int:
        """The number of suppressed records, without those that were suppressed in the input."""
        return self.sweep.suppressed

    @property
    def parts(self) -> list[tuple[dict[str, int], int]]:
        """The combinations of levels in use, with the number of records on each; least loss first."""
        weights = self.sweep.rows.weights
        lattice = self.problem.lattice
        return [
            (lattice.levels(node), int(weights[self.sweep.on_node == index].sum()))  # type: ignore[index]
            for index, node in enumerate(self.sweep.nodes)
        ]

    def _local_recoding(self) -> LocalRecoding:
        parts = sorted(self.parts, key=lambda part: -part[1])
        listed = parts[:MAX_COMBINATIONS_LISTED]
        levels_used = tuple(LevelsUsed(tuple(levels.values()), records) for levels, records in listed)
        return LocalRecoding(self.global_loss, len(parts), levels_used, proved=self.search.is_explored)

    @property
    def choice(self) -> Choice:
        """The ways to recode the table that were found, with the loss, the lost columns and the risks of each."""
        if self.search.best is not None and len(self.sweep.nodes) == 1:
            return super().choice
        if not keeps_demanded(self):
            return Choice("local", (self._record_by_record,))
        return Choice("local", (self._one_level_per_column, self._record_by_record))

    @cached_property
    def _record_by_record(self) -> WayOfRecoding:
        rows, cube = self.sweep.recode(), self.sweep.cube
        is_kept = (self.sweep.on_node != NOT_RELEASED) & self.sweep.has_values(rows)
        if self.shown.columns:
            values = [self.sweep.rows.columns[name].codes for name in cube.lattice.columns]
            shown = self.shown.recoder.recode(values)
            rows = WeightedRows({**rows.columns, **shown}, rows.unit, rows.weights, whole=False)
        classes, of_row = visible_classes(cube, cube.lattice.low, rows)
        kept = np.zeros(len(classes.records), np.bool_)
        kept[of_row[is_kept]] = True
        return WayOfRecoding("local", self.loss, lost_in_sweep(self.sweep), self.suppressed, *_risks(classes, kept))

    @cached_property
    def kept_columns(self) -> KeptColumns | None:
        """The columns that were to be kept, and those that are lost nevertheless."""
        problem = self.problem
        if problem.columns is None or len(self.sweep.nodes) == 1:
            return super().kept_columns
        lost = tuple(name for name in lost_in_sweep(self.sweep) if name not in problem.may_be_lost)
        if not lost:
            return KeptColumns(problem.keep, problem.may_be_lost, ())
        columns, keeping = problem.columns.set_of(lost), problem.keeping
        keeping = Keeping(keeping.demanded | columns, keeping.wanted & ~columns)
        other = self._other_columns(keeping, keep=columns)
        # A search that is not complete does not prove that no levels keep them.
        others = () if other.loss is None and not self.search.is_explored else (other,)
        return KeptColumns(problem.keep, problem.may_be_lost, lost, others)

    def _released_sweep(self) -> Sweep:
        return self.sweep

    def _losses(self) -> Losses:
        return local_losses(self.problem, self.sweep)

    @property
    def plan_document(self) -> Plan:
        """All that is needed to recode another table in the same way."""
        seed, steps = self.order.seed, self.sweep.steps
        return make_plan(
            self.problem,
            "local",
            steps.nodes,
            self.suppressed,
            self.loss,
            seed,
            self.removed,
            steps,
            show=self.show,
            unfinished=not self.is_complete,
        )

    @cached_property
    def recoder(self) -> Recoder:
        """The mapping from the quasi-identifiers of any record to those of the release."""
        return self.sweep.recoder

    def reasons_per_record(self, below: int | None = None) -> "pa.Table":
        """Why records are suppressed: those left over break a rule even on the highest levels.

        The rules and the class size are those of the records left over, on the highest levels. The columns that
        distinguish a record are determined on the lowest levels. No generalisation would save it, so none is named.
        """
        if self.sweep.nodes == (self.classes.node,):
            return super().reasons_per_record(below)
        return reasons_for_left_over(self.sweep, self.search.judge, self.problem.objective, below)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain dicts, lists, numbers and texts."""
        result = super().to_dict()
        result.pop("levels")
        parts = [{"levels": levels, "records": records} for levels, records in self.parts]
        return {**result, "method": "local", "global_loss": self.global_loss, "parts": parts}

    def __repr__(self) -> str:
        best = "none" if self.global_loss is None else f"{self.global_loss:.6g}"
        return (
            f"<LocalAnonymization: loss {self.loss:.6g}, {best} on the best levels for all; "
            f"{self.suppressed} of {self.records} records suppressed; levels: {len(self.sweep.nodes)} combinations>"
        )


def _risks(classes: NodeClasses, kept: Mask) -> tuple[float, float]:
    """The highest and the average risk of re-identification in some of the classes; 0 if there are none."""
    sizes = classes.sizes[kept if classes.complete is None else kept & classes.complete]
    return (1 / int(sizes.min()), len(sizes) / int(sizes.sum())) if len(sizes) else (0.0, 0.0)


POWER = 2  # of the losses of columns, if local recoding is repeated because columns are lost


class TimeIsUp(Exception):  # noqa: N818 - not an error: it ends the sweep
    """Raised when no time is left for local recoding."""


def recode_locally(found: Anonymization, report: Report | None = None, stop: Stop = never_stop) -> LocalAnonymization:
    """Solve the same problem by local recoding; if that is no better, keep the best levels for all records.

    Ctrl-C or `stop` ends it with the best release so far.
    """
    best = Sweep.on_one_node(found.classes, found.suppressed_classes)
    loss, ended = found.loss, True
    why_global: WhyGlobal | None = why_not_local(found.problem)
    search = _LocalSearch(found, best, report, stop)
    try:
        if why_global is None:
            why_global = "not possible"
            for _ in search.run():
                chosen, why_global = search.chosen, "no better"
                if chosen is not None:
                    loss, best, why_global = chosen.loss, chosen.sweep, None
    except NotApplicable:  # a measure does not apply to values on several levels
        why_global = None if loss < found.loss else "one level per column"
    except (KeyboardInterrupt, TimeIsUp):
        ended = False
        why_global = None if loss < found.loss else "stopped"
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    changed = {"loss": loss, "optimal": False, "bound": 0.0, "why_global": why_global}
    return LocalAnonymization(**{**values, **changed}, sweep=best, ended=ended)


@dataclass(frozen=True)
class _LocalRelease(Solution):
    """A release by local recoding that satisfies every rule."""

    sweep: Sweep = field(kw_only=True)


class _LocalSearch:
    """Tries local recoding with several class sizes, and again with other weights if columns are lost."""

    def __init__(self, found: Anonymization, fallback: Sweep, report: Report | None, stop: Stop) -> None:
        problem = self._problem = found.problem
        self._found, self._report, self._stop = found, report, stop
        self._judge = Judge(problem.cube, problem.rules, problem.cube.records, problem.objective)
        # Suppressed records that are not set aside form a class, so none are allowed.
        self._allowed = problem.max_suppressed if problem.cube.view.treatment["suppressed"] == APART else 0
        self._fallback = fallback
        self._best_loss, self._visited = found.loss, 0
        self._releases: list[_LocalRelease] = []

    @property
    def chosen(self) -> _LocalRelease | None:
        """The release that loses the fewest columns among those that cost little more than the least loss.

        None if none loses less than the best levels.
        """
        better = [release for release in self._releases if release.loss < self._found.loss]
        chosen = best_keeping(better, Keeping(wanted=self._problem.keeping.wanted), self._found.records)
        assert chosen is None or isinstance(chosen, _LocalRelease)
        return chosen

    def run(self) -> Iterator[None]:
        """Look for releases; after each one that is found, the caller may stop.

        Only larger classes can help with rules about the whole table. The minimum class size is raised by half until
        the rules hold; then smaller sizes are tried. If columns are lost, the last size is tried again with columns
        that lose much counting more.
        """
        least = smallest_size(self._judge)
        failed, growing = least - 1, True
        while growing or least - failed > 1 + failed // 8:
            size = least if growing else (least + failed) // 2
            holds, broken = yield from self._of_size(size)
            if growing and not holds and (not broken or any(rule.worse_by_suppression for rule in broken)):
                break  # larger classes would only lose more
            if holds:
                least, growing = size, False
            else:
                failed, least = size, max(size + 1, size * 3 // 2) if growing else least
        chosen, keeping = self.chosen, self._problem.keeping
        if keeping.demanded if chosen is None else chosen.losing(keeping.wanted):
            yield from self._of_size(least, POWER)

    def _of_size(self, size: int, power: int | None = None) -> Generator[None, None, tuple[bool, list[Rule]]]:
        """Look for releases with classes of this size; return whether any is found, and the rules that others break."""
        problem, wanted = self._problem, self._problem.keeping.wanted
        holds, broken = False, []
        swept_releases = local_releases(
            problem, self._judge, size, self._allowed, self._fallback, self._report_nodes, power
        )
        for swept in swept_releases:
            lost = 0 if problem.columns is None else problem.columns.set_of(lost_in_sweep(swept))
            release = _LocalRelease((), swept.loss(problem.objective), swept.suppressed, lost=lost, sweep=swept)
            fewest = min((other.losing(wanted) for other in self._releases), default=len(problem.lattice.columns))
            if holds and release.loss >= self._best_loss and release.losing(wanted) >= fewest:
                continue
            broken_now = _broken_rules(self._found, swept)
            if not broken_now and loses_no_more(self._found, lost):
                self._releases.append(release)
                holds, self._best_loss = True, min(self._best_loss, release.loss)
                yield
            broken += broken_now
        return holds, broken

    def _report_nodes(self, visited: int) -> None:
        if self._stop():
            raise TimeIsUp
        self._visited = max(self._visited, min(visited, self._problem.lattice.nodes))
        if self._report is not None:
            self._report(Progress(self._visited, self._best_loss, 0.0))


def loses_no_more(found: Anonymization, lost: int) -> bool:
    """Whether a set of lost columns has none that is to be kept, and no more of the others than the found levels lose.

    Columns that may be lost do not count.
    """
    keeping, chosen = found.problem.keeping, found.search.best
    if lost & keeping.demanded:
        return False
    return chosen is None or (lost & keeping.wanted).bit_count() <= chosen.losing(keeping.wanted)


def keeps_demanded(found: Anonymization) -> bool:
    """Whether there are best levels for all records, and they lose none of the columns that are to be kept."""
    best = found.search.best
    return best is not None and not best.lost & found.problem.keeping.demanded


def _broken_rules(found: Anonymization, swept: Sweep) -> list[Rule]:
    """The rules that the release as a whole breaks; raise if a measure does not apply to it."""
    released = swept.view()
    broken = [rule for rule in found.problem.rules if not rule.holds(released)]
    for rule in broken:
        rule.check(released)
    return broken


DEFAULT_SECONDS = 60  # time limit by default for a search that may take much longer
FOR_BEST_LEVELS = 1 / 4  # share of the limit for the best levels that local recoding is compared with
FOR_BEST_OF_MANY_NODES = 1 / 12  # the same for a lattice with many nodes


def anonymize_release(
    release: Release,
    rules: tuple[Rule, ...],
    *,
    method: str = "global",
    show: Mapping[str, str] | str | None = None,
    seconds: float | None = None,
    resume: str | os.PathLike[str] | None = None,
    order: RecordOrder = IN_ORDER,
    progress: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Anonymization:
    """The release of a table with the least loss that satisfies the rules; see `anonymize` for the settings.

    method     "global" or "local"; "global" is used instead of "local" where that is not possible
    show       what classes show, by column, or `interval` for all; columns that are not named show the mean or the
               median if the table is recoded record by record, otherwise intervals
    settings   the fields of `SearchSettings`
    """
    check_method(method)
    time_limit = check_seconds(seconds)
    problem = make_problem(release, rules, SearchSettings(**settings))
    why_global = why_not_local(problem) if method == "local" else None
    is_local = method == "local" and why_global is None
    named = check_show(show, problem.original)
    search = problem.search()
    if resume is not None:
        search.known.update(read_checkpoint(Path(resume), problem))
    started = monotonic()
    limit, search_limit = _time_limits(time_limit, problem, search, is_local=is_local)
    is_interrupted = _explore_until(search, problem, progress, lambda: monotonic() - started >= search_limit)
    if search.best is None:
        is_possible = bool(search.found) or (bool(problem.keep) and problem.search().has_any())
        failing = [] if is_possible else _rules_that_fail(problem)
        local = None
        if is_local and not any(rule.fails_by_record for rule in failing):
            end = started + (limit if is_possible else min(limit, DEFAULT_SECONDS))
            local = _only_by_record(problem, progress, lambda: monotonic() >= end)
        if local is None and not is_possible:
            raise _unsatisfiable_error(problem, failing, is_local=is_local)
        if local is None:
            raise _cannot_keep_error(problem, is_local=is_local)
        usual = check_show(show, problem.original, usual=True)
        return replace(local, order=order, show=usual, ended=local.ended and not is_interrupted)
    found = replace(best_levels(problem, search, search.best), order=order, why_global=why_global, show=named)
    if not is_local:
        return found
    local = recode_locally(found, progress, lambda: monotonic() - started >= limit)
    if len(local.sweep.nodes) > 1:
        local = replace(local, show=check_show(show, problem.original, usual=True))
    if local.why_global is None or not local.is_complete:
        return replace(local, ended=False) if is_interrupted else local
    if not search.is_explored and not is_interrupted:  # these levels are the release: look for better ones, too
        _explore_until(search, problem, progress, lambda: monotonic() - started >= limit)
        found = replace(best_levels(problem, search, search.best), order=order, show=named)
    return replace(found, why_global=local.why_global)


def _only_by_record(problem: Problem, progress: Report | None, stop: Stop) -> LocalAnonymization | None:
    """A release record by record that keeps the rules and the demanded columns, where no levels for all records do.

    None if there is none.
    """
    keeping, search = problem.keeping, problem.search()
    search.explore(Keeping(wanted=keeping.demanded | keeping.wanted), progress, stop)
    highest = problem.cube.at(problem.lattice.high)
    # No release: these levels break rules, or lose columns.
    others = Anonymization(
        problem.original,
        highest,
        search.judge.failing(highest)[0],
        problem,
        search,
        math.inf,
        False,
        0.0,
        search.checked,
    )
    if search.best is not None:
        others = replace(best_levels(problem, search, search.best), loss=math.inf, optimal=False)
    local = recode_locally(others, progress, stop)
    return local if local.loss < math.inf else None


def _explore_until(search: NodeSearch, problem: Problem, progress: Report | None, stop: Stop) -> bool:
    """Search for the best levels until `stop` holds; return whether Ctrl-C ended it, with some that were found."""
    try:
        search.explore(problem.keeping, progress, stop=stop)
    except KeyboardInterrupt:
        if search.best is None:
            raise
        return True
    return False


def _time_limits(
    time_limit: float | None, problem: Problem, search: NodeSearch, *, is_local: bool
) -> tuple[float, float]:
    """The limits in seconds for the whole search, and for the search for the best levels."""
    # Without nodes that rule out others, as with rules about the whole table, a small lattice takes long as well.
    may_take_long = problem.lattice.has_many_nodes or not search.judge.may_rule_out
    if time_limit is None and may_take_long:
        time_limit = DEFAULT_SECONDS
    limit = math.inf if time_limit is None else time_limit
    if not is_local:
        return limit, limit
    # The rest is for local recoding, which needs no good levels to begin with.
    share = FOR_BEST_OF_MANY_NODES if problem.lattice.has_many_nodes else FOR_BEST_LEVELS
    return limit, share * (DEFAULT_SECONDS if time_limit is None else time_limit)


def best_levels(problem: Problem, search: NodeSearch, best: Solution) -> Anonymization:
    """The release on the best node that a search found."""
    classes = problem.cube.at(best.node)
    suppressed = search.judge(classes).suppressed
    assert suppressed is not None
    optimal = search.is_explored
    bound = best.loss if optimal else search.bound
    return Anonymization(
        problem.original, classes, suppressed, problem, search, best.loss, optimal, bound, search.checked
    )


def why_not_local(problem: Problem) -> WhyGlobal | None:
    """Why a problem needs one level for each column; None if it does not."""
    view = problem.cube.view
    if problem.lattice.nodes == 1:
        return "fixed"
    if problem.objective_name == NOT_LOCAL:
        return "objective"
    if any(test.background for rule in problem.rules for test in rule.tests(view)):
        return "one level per column"  # the other table would have to be on several levels as well
    if any(problem.cube.base.levels.values()):  # too many rows to count them on their lowest levels
        return "rows"
    return None


@dataclass(frozen=True)
class _FailingRule:
    """A rule that fails even on the levels where it is easiest to satisfy.

    records   the number of records in classes that fail there
    bounded   the columns that may not be on these levels
    is_nothing_left   whether it fails only because every quasi-identifier is `*` there
    """

    rule: Rule
    records: int
    bounded: list[str]
    is_nothing_left: bool
    fails_by_record: bool


def _rules_that_fail(problem: Problem) -> list[_FailingRule]:
    """The rules that fail even on the levels where they are easiest to satisfy."""
    failing = []
    for rule in problem.rules:
        is_about_utility = rule.worse_by_suppression
        node = problem.lattice.low if is_about_utility else problem.lattice.high
        search = problem.search((rule,))
        search.look_at(node)
        if search.has_any():
            continue
        records = records_failing(search.judge, problem.cube.at(node), rule)
        is_nothing_left = not (is_about_utility or records or _has_values(problem, node))
        is_for_all = records == problem.cube.records or not (records or is_nothing_left)
        bounded = _restricted_columns(problem, lowest=is_about_utility)
        failing.append(_FailingRule(rule, records, bounded, is_nothing_left, is_about_utility or is_for_all))
    return failing


def _unsatisfiable_error(problem: Problem, failing: Sequence[_FailingRule], *, is_local: bool) -> NotApplicable:
    """The error if no levels satisfy the rules; it names those that fail even where they are easiest to satisfy."""
    restricted = dict.fromkeys(name for each in failing for name in each.bounded)
    all_fail = any(each.records == problem.cube.records for each in failing)
    if not failing:
        restricted = dict.fromkeys(problem.allowed_levels)
    texts = [_failing_rule_text(problem, each) for each in failing]
    text = Joined("; ", texts) or Phrase("each of the rules can be kept, but not all of them together")
    remedy = Phrase("loosen, waive or leave out a rule, or allow more suppression")
    if all_fail:
        remedy = Phrase("loosen, waive or leave out a rule")
    if restricted:
        remedy = Phrase(
            "allow more levels of {columns}, if that helps; or {others}", columns=quoted(restricted), others=remedy
        )
    return NotApplicable(
        "no levels keep the rules with at most {most} suppressed records, {way}: {reason}; {remedy}",
        most=problem.max_suppressed,
        way=_way(is_local=is_local),
        reason=text,
        remedy=remedy,
        what="rules",
    )


def _failing_rule_text(problem: Problem, failing: _FailingRule) -> Phrase:
    """A text that says where a rule fails even if it is easiest to satisfy there, and how many records fail it."""
    rule, records = failing.rule, failing.records
    if failing.bounded:
        text = Phrase("{rule} fails on all levels that are allowed", rule=rule.name)
    elif failing.is_nothing_left:
        text = Phrase("{rule} is kept only where nothing is left: every quasi-identifier is *", rule=rule.name)
    elif rule.worse_by_suppression:
        text = Phrase("{rule} fails even on the lowest level of every column", rule=rule.name)
    else:
        text = Phrase("{rule} fails even on the highest level of every column", rule=rule.name)
    if not records:
        return text
    return Phrase(
        "{fails}: {records:,} of {all:,} records are in classes that fail",
        fails=text,
        records=records,
        all=problem.cube.records,
    )


def _cannot_keep_error(problem: Problem, *, is_local: bool) -> NotApplicable:
    """The error if levels satisfy the rules, but no release was found that keeps the columns that are to be kept."""
    cube, keeping = problem.cube, problem.keeping
    columns, most = quoted(problem.keep), problem.max_suppressed
    judge = Judge(cube, problem.rules, cube.records, problem.objective)
    of_rules = [(rule, _fewest_suppressed(judge, keeping.demanded, [rule])) for rule in problem.rules]
    of_all = _fewest_suppressed(judge, keeping.demanded)
    if of_all is None:
        largest = _largest_class(cube, keeping.demanded, cube.records)
        return NotApplicable(
            "no levels that are allowed keep {columns} and {rules}, whatever is suppressed: {reason}; allow other "
            "levels, loosen a rule, or leave it out of 'keep'",
            columns=columns,
            rules=quoted([rule.name for rule, records in of_rules if records is None]) or Phrase("all rules together"),
            reason=largest or Phrase("nothing is left of it on any level"),
            what="keep",
        )
    texts = [
        Phrase("{rule} needs {records:,}", rule=rule.name, records=records)
        for rule, records in of_rules
        if records is not None and records > most
    ]
    if not texts and of_all > most:
        texts = [Phrase("all rules together need {records:,}", records=of_all)]
    largest = _largest_class(cube, keeping.demanded, most)
    reason = Joined("; ", [*(texts or [Phrase("a rule about the whole table fails")]), *([largest] if largest else [])])
    return NotApplicable(
        "no levels keep {columns} and the rules with at most {most:,} suppressed records, {way}: where {columns} is "
        "kept on one level, {reason}; allow more suppression, loosen a rule, or leave it out of 'keep'",
        columns=columns,
        most=most,
        way=_way(is_local=is_local),
        reason=reason,
        what="keep",
    )


def _way(*, is_local: bool) -> Phrase:
    """The ways to recode the table that were tried."""
    return Phrase("with one level per column or record by record") if is_local else Phrase("with one level per column")


def _fewest_suppressed(judge: Judge, kept: int, rules: Sequence[Rule] | None = None) -> int | None:
    """The number of records to suppress where these columns are kept, at best; None if they are lost all the same.

    All other columns are on their highest level, and classes keep these rules, or all.
    """
    cube = judge.cube
    columns, found = ColumnsOnNodes(cube, cube.records), []
    for node in columns.coarse_nodes(cube.lattice, kept):
        classes = cube.at(node)
        failing, _ = judge.failing(classes, rules)
        if not columns.lost(classes, failing) & kept:
            found.append(int(classes.records[failing].sum()))
    return min(found, default=None)


def _largest_class(cube: DataCube, kept: int, most: int) -> Phrase | None:
    """The largest size that all classes can have, with at most `most` suppressed records, where columns are kept."""
    columns, largest = ColumnsOnNodes(cube, cube.records), 0
    for node in columns.coarse_nodes(cube.lattice, kept):
        classes = cube.at(node)
        for size in np.unique(classes.records)[::-1].tolist():
            is_smaller = classes.records < size
            if size <= largest:
                break
            if int(classes.records[is_smaller].sum()) <= most and not columns.lost(classes, is_smaller) & kept:
                largest = size
    if not largest:
        return None
    return Counted(
        "the smallest class then has at most 1 record", "the smallest class then has at most {n:,} records", n=largest
    )


def _has_values(problem: Problem, node: Node) -> bool:
    """Whether any cell of the quasi-identifiers is not `*` on a node, with nothing suppressed."""
    classes = problem.cube.at(node)
    return classes.say_something(np.ones(len(classes.records), np.bool_))


def _restricted_columns(problem: Problem, *, lowest: bool) -> list[str]:
    """The columns that may not be on their lowest, or highest, level."""
    heights = {column: problem.original.hierarchies[column].height for column in problem.lattice.columns}
    return [
        column
        for column, (low, high) in problem.allowed_levels.items()
        if (low > 0 if lowest else high < heights[column])
    ]
