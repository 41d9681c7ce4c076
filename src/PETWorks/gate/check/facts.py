"""Facts of a report besides the measures: columns, class sizes, adversaries, the publisher's payout, the worst case."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import add
from typing import Any

import numpy as np

from PETWorks.about.hierarchies.hierarchy import Hierarchy, released_level
from PETWorks.about.treatment import APART
from PETWorks.counting.counts import ClassSizes, ClassValues, Grouping, Marginal
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.errors import HierarchyError, NotApplicable
from PETWorks.gate.document.check_document import (
    AdversaryFacts,
    ColumnFacts,
    Notice,
    PayoutStep,
    SmallClasses,
    WithoutColumn,
)
from PETWorks.gate.policy.policy import Adversary
from PETWorks.measures.catalogue import all_measures
from PETWorks.measures.result import Result
from PETWorks.measures.utility.payout import payout_curve
from PETWorks.tables.cells import SUPPRESSED

MOST_COLUMNS = 5  # of which it is said for how many people their value is certain


def worst_case(release: Release) -> Iterator[Notice]:
    """The average and the highest chance to find a person, and for how many people which value is certain."""
    if not release.quasi_identifiers or not release.records:
        return
    view = release.view
    sizes = view.class_sizes(attacker=True)
    smallest = sizes.smallest
    if smallest:
        people = smallest * int(sizes.classes[sizes.sizes == smallest].sum())
        yield Notice("highest-risk", records=people, share=1 / smallest, average=sizes.number / sizes.records)
    certain = {column: view.answer(_certain(view, column)) for column in view.sensitive_attributes}
    most = sorted(certain, key=lambda column: -certain[column])[:MOST_COLUMNS]
    for column in most:
        if certain[column]:
            yield Notice("certain-value", (column,), certain[column])


def worst_case_questions(view: View) -> list[Question[int]]:
    """What has to be counted for it, so that it can be counted together with other questions."""
    return [_certain(view, column) for column in view.sensitive_attributes] if view.quasi_identifiers else []


def _certain(view: View, column: str) -> Question[int]:
    """How many people are in classes with a single value of a sensitive attribute, which is not a missing one?"""
    values = view.overall(column, attacker=True).values
    missing = values.index(None) if None in values else -1
    return view.fold("certain value", column, partial(_of_one_value, missing), add, attacker=True)


def _of_one_value(missing: int, classes: ClassValues) -> int:
    if not len(classes.starts):
        return 0
    alone = (classes.cells_per_class == 1) & (classes.values[classes.starts] != missing)
    return int(classes.persons[alone].sum())


CELL_SIZES = (2, 3, 5, 11, 20)
MOST_STEPS = 60  # of the payout curve
MOST_REMOVED = 12  # quasi-identifiers whose removal is tried


def columns(release: Release, results: Iterable[Result]) -> tuple[ColumnFacts, ...]:
    """Every column with its role and what is left of it; direct identifiers that were removed come last."""
    by_measure = {result.measure: result.details.get("columns", {}) for result in results}
    removed = [name for name in release.identifiers if name not in release.columns]
    return tuple(
        ColumnFacts(
            column=name,
            role=release.roles.get(name),
            released=name in release.columns,
            **(_what_is_left(release, name, by_measure) if name in release.compared_columns else {}),
        )
        for name in (*release.columns, *removed)
    )


def _what_is_left(release: Release, name: str, by_measure: Mapping[str, Any]) -> dict[str, Any]:
    """The number of distinct values of a column, now and before, and its numbers from the measures."""
    values = release.marginal(name).values
    left: dict[str, Any] = {
        entry.by_column.name: by_measure[entry.name][name][entry.by_column.key]
        for entry in all_measures()
        if entry.by_column is not None and name in by_measure.get(entry.name, {})
    }
    left["distinct"] = _distinct(values)
    if name in release.hierarchies:
        left |= _level(name, values, release.hierarchies[name])
    if release.has_original:
        before, after = release.original.marginal(name), release.marginal(name)
        left["distinct_before"] = _distinct(before.values)
        left["recoded"] = bool(set(values) - {*before.values, None, SUPPRESSED})
        left["changed"] = _changed(before, after)
        left["entropy_kept"] = _entropy_kept(before, after)
        if left["recoded"]:
            left.pop("total_variation", None)  # the labels differ, so there is nothing to compare
    return left


def _level(name: str, values: Sequence[str | None], hierarchy: Hierarchy) -> dict[str, int]:
    """The level of a column and the highest one; nothing if its values are on several levels or on none."""
    told = [value for value in values if value not in (None, SUPPRESSED)]
    try:
        level = released_level(name, told or [SUPPRESSED], hierarchy)
    except (HierarchyError, NotApplicable):
        return {}
    return {"level": int(level), "height": hierarchy.height}


def _changed(before: Marginal, after: Marginal) -> float:
    """The share of released cells that cannot be cells of the original: there are more of their value than it had."""
    had = dict(zip(before.values, before.counts.tolist(), strict=True))
    counts = zip(after.values, after.counts.tolist(), strict=True)
    new = sum(max(int(count) - int(had.get(value, 0)), 0) for value, count in counts)
    return new / after.records


def _entropy_kept(before: Marginal, after: Marginal) -> float | None:
    """What a released cell tells, in bits, as a share of what a cell of the original tells; None if that is nothing."""
    told = _bits(before)
    return min(_bits(after) / told, 1.0) if told > 0 else None


def _bits(marginal: Marginal) -> float:
    """The entropy of a column's values; a missing or suppressed cell tells nothing."""
    tells = [value is not None and value != SUPPRESSED for value in marginal.values]
    counts = marginal.counts[tells].astype(np.float64)
    told = counts.sum()
    return float(-(counts * np.log2(counts / told)).sum() / marginal.records) + 0.0 if told else 0.0


def _distinct(values: Sequence[str | None]) -> int:
    return len(set(values) - {None, SUPPRESSED})


def below(sizes: ClassSizes, size: float) -> int:
    """Records in classes smaller than a size."""
    return int((sizes.sizes * sizes.classes)[sizes.sizes < size].sum())


def small_classes(release: Release, cell_size: int) -> tuple[SmallClasses, ...]:
    """How many records are in classes below the usual sizes and the cell size of the policy."""
    sizes = release.class_sizes()
    return tuple(
        SmallClasses(size, below(sizes, size), below(sizes, size) / max(sizes.records, 1))
        for size in sorted({*CELL_SIZES, cell_size})
    )


def assumed(release: Release, adversaries: Iterable[Adversary]) -> tuple[AdversaryFacts, ...]:
    """What each assumed adversary can do; they see every record."""
    return tuple(_assumed(release, adversary) for adversary in adversaries)


def _assumed(release: Release, adversary: Adversary) -> AdversaryFacts:
    sizes = release.view.sizes_by(Grouping(adversary.knows, adversary.knows))
    return AdversaryFacts(
        who=adversary.who,
        knows=adversary.knows,
        classes=sizes.number,
        smallest_class=int(sizes.sizes[0]),
        unique_records=below(sizes, 2),
        unique_share=below(sizes, 2) / sizes.records,
        chance=sizes.number / sizes.records,
    )


def without(release: Release, size: float, first: Sequence[str]) -> tuple[WithoutColumn, ...]:
    """Records in classes below a size if a quasi-identifier were removed; the most helpful removal comes first."""
    if len(release.quasi_identifiers) < 2:
        return ()
    tried = [column for column in first if column in release.quasi_identifiers][:MOST_REMOVED]
    left = {column: below(_sizes_without(release, column), size) for column in tried}
    return tuple(WithoutColumn(column, left[column]) for column in sorted(left, key=lambda column: left[column]))


def _sizes_without(release: Release, column: str) -> ClassSizes:
    others = tuple(name for name in release.quasi_identifiers if name != column)
    treatment = release.treatment
    grouping = Grouping(others, others, treatment["suppressed"] == APART, treatment["missing"] == APART)
    return release.view.sizes_by(grouping)


def payout(release: Release, parameters: Mapping[str, Any]) -> tuple[PayoutStep, ...] | None:
    """The publisher's payout by the gain per cost of an attack: at most sixty steps, both ends included."""
    names = ("publisher_loss", "publisher_benefit", "information_loss")
    try:
        ratios, payouts = payout_curve(release, **{name: parameters[name] for name in names if name in parameters})
    except (NotApplicable, HierarchyError):
        return None
    chosen = np.unique(np.linspace(0, len(ratios) - 1, MOST_STEPS).round().astype(np.int64))
    return tuple(PayoutStep(float(ratios[place]), float(payouts[place])) for place in chosen)
