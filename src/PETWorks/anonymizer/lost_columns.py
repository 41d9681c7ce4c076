"""Lost columns: quasi-identifiers of which a release leaves next to nothing."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from PETWorks.anonymizer.local.sweep import Sweep
from PETWorks.anonymizer.recoding import NOT_RELEASED
from PETWorks.anonymizer.rows import Ground, NodeClasses
from PETWorks.counting.counts import Integers
from PETWorks.counting.release import Release
from PETWorks.measures.classes import Mask
from PETWorks.tables.cells import SUPPRESSED

MOST_ON_TOP = 0.9  # a column is lost if a larger share of the kept records has the top label of its hierarchy


def tells_a_value(labels: Iterable[str | None], top: str | None) -> Mask:
    """Mask of the labels that tell something: those that are neither missing nor `*` nor the top of the hierarchy."""
    return np.array([label not in (None, SUPPRESSED, top) for label in labels], np.bool_)


def is_lost(records: Integers, tells: Mask, on_top: int) -> bool:
    """Whether a column is lost: at most one value is left, or more than 90 % of the kept records have the top label.

    records   the number of kept records with each label; equal labels of several levels are one
    tells     mask of the labels that tell a value
    on_top    the number of kept records with the top label
    """
    values = int(np.count_nonzero(records[tells]))
    return values <= 1 or on_top > MOST_ON_TOP * int(records.sum())


def lost_columns(ground: Ground, kept: Sequence[dict[str | None, int]]) -> tuple[str, ...]:
    """The quasi-identifiers that are lost; those with a single value in the input do not count.

    kept   for each quasi-identifier its labels and the number of kept records with each
    """
    lost = []
    for name, by_label in zip(ground.lattice.columns, kept, strict=True):
        if name in varying_columns(ground) and _is_lost(by_label, ground.view.hierarchies[name].levels[-1][0]):
            lost.append(name)
    return tuple(lost)


def _is_lost(by_label: dict[str | None, int], top: str | None) -> bool:
    on_top = sum(by_label.get(label, 0) for label in {top, SUPPRESSED} - {None})
    return is_lost(np.array([*by_label.values()], np.int64), tells_a_value(by_label, top), on_top)


def varying_columns(ground: Ground) -> tuple[str, ...]:
    """The quasi-identifiers with more than one value in the input; missing and `*` are none."""
    columns = zip(ground.lattice.columns, ground.base.levels.values(), strict=True)
    return tuple(name for name, level in columns if _number_of_values(ground.on_level(name, level).values) > 1)


def _number_of_values(values: Collection[str | None]) -> int:
    return len(set(values) - {None, SUPPRESSED})


def lost_on_node(classes: NodeClasses, suppressed: Mask) -> tuple[str, ...]:
    """The columns that are lost on a node, with some classes suppressed."""
    kept = ~suppressed
    records = classes.records[kept]
    by_column: list[dict[str | None, int]] = []
    for name, level, codes in zip(classes.columns, classes.node, classes.codes(kept), strict=True):
        values = classes.ground.on_level(name, level).values
        by_column.append(_by_label(values, np.bincount(codes, records, len(values))))
    return lost_columns(classes.ground, by_column)


def lost_in_sweep(sweep: Sweep) -> tuple[str, ...]:
    """The columns that are lost if each distinct row is on a node of its own."""
    ground = sweep.ground
    by_column: list[dict[str | None, int]] = []
    for name, by_level in zip(ground.lattice.columns, sweep.by_level, strict=True):
        by_label: dict[str | None, int] = {}
        for level, records in by_level.items():
            if level != NOT_RELEASED:
                values = ground.on_level(name, level).values
                on_level = np.bincount(ground.codes_on_level(name, level), records, len(values))
                for label, number in _by_label(values, on_level).items():
                    by_label[label] = by_label.get(label, 0) + number
        by_column.append(by_label)
    return lost_columns(ground, by_column)


def unchanged_in_sweep(sweep: Sweep) -> tuple[str, ...]:
    """The columns of which every released cell is as it was."""
    ground = sweep.ground
    unchanged = []
    for name, by_level in zip(ground.lattice.columns, sweep.by_level, strict=True):
        before = sweep.rows.columns[name].values
        is_changed = False
        for level, records in by_level.items():
            if level == NOT_RELEASED or is_changed:
                continue
            values = ground.on_level(name, level).values
            codes = ground.codes_on_level(name, level).tolist()
            is_changed = any(
                number and values[code] != value
                for number, code, value in zip(records.tolist(), codes, before, strict=True)
            )
        if not is_changed:
            unchanged.append(name)
    return tuple(unchanged)


def _by_label(values: Sequence[str | None], records: Integers) -> dict[str | None, int]:
    return {label: int(number) for label, number in zip(values, records.tolist(), strict=True) if number}


def lost_in_release(release: Release, columns: Iterable[str] | None = None) -> tuple[str, ...]:
    """The quasi-identifiers, or those of `columns`, that are lost in a written release.

    Without the original, columns whose labels are all the same count only if that label tells nothing.
    """
    suppressed = release.suppressed_records
    lost = []
    for name in release.quasi_identifiers if columns is None else columns:
        marginal = release.marginal(name)
        by_label = dict(zip(marginal.values, marginal.counts.tolist(), strict=True))
        if suppressed:  # records of all `*` are not kept
            by_label[SUPPRESSED] = by_label.get(SUPPRESSED, 0) - suppressed
            by_label = {label: number for label, number in by_label.items() if number}
        top = release.hierarchies[name].levels[-1][0] if name in release.hierarchies else None
        if release.has_original:
            varies = _number_of_values(release.original.marginal(name).values) > 1
        else:
            varies = len(by_label) != 1 or not tells_a_value(by_label, top).all()
        if varies and _is_lost(by_label, top):
            lost.append(name)
    return tuple(lost)
