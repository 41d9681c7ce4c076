"""What a report tells beside the measures: columns, class sizes, assumed adversaries, the publisher's payout."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from PETWorks.about.treatment import APART
from PETWorks.counting.counts import ClassSizes, Grouping
from PETWorks.counting.release import Release
from PETWorks.errors import HierarchyError, NotApplicable
from PETWorks.gate.policy import Adversary
from PETWorks.measures.result import Result
from PETWorks.measures.utility.payout import payout_curve
from PETWorks.tables.cells import SUPPRESSED

CELL_SIZES = (2, 3, 5, 11, 20)
MOST_STEPS = 60  # of the payout curve
MOST_REMOVED = 12  # quasi-identifiers of which it is tried what their removal would do

# Where a measure tells something of each column: measure, its key, what the report calls it.
_BY_COLUMN = (
    ("missings", "share", "missing"),
    ("precision", "precision", "precision"),
    ("granularity", "granularity", "granularity"),
    ("non-uniform-entropy", "non_uniform_entropy", "non_uniform_entropy"),
    ("fidelity", "total_variation", "total_variation"),
)


def columns(release: Release, results: Iterable[Result]) -> list[dict[str, Any]]:
    """Every column with its role, and what is left of it."""
    by_name = {result.measure: result.details.get("columns", {}) for result in results}
    removed = [name for name in release.identifiers if name not in release.columns]
    found = []
    for name in (*release.columns, *removed):
        row: dict[str, Any] = {"column": name, "role": release.roles.get(name), "released": name in release.columns}
        if name in release.compared_columns:
            row["distinct"] = _distinct(release.marginal(name).values)
            row |= {
                called: by_name[measure][name][key]
                for measure, key, called in _BY_COLUMN
                if name in by_name.get(measure, {})
            }
            if release.has_original:
                before = release.original.marginal(name).values
                row["distinct_before"] = _distinct(before)
                if set(release.marginal(name).values) - {*before, None, SUPPRESSED}:
                    row.pop("total_variation", None)  # the labels are others: nothing to compare
        found.append(row)
    return found


def _distinct(values: Sequence[str | None]) -> int:
    return len(set(values) - {None, SUPPRESSED})


def below(sizes: ClassSizes, size: float) -> int:
    """Records in classes smaller than a size."""
    return int((sizes.sizes * sizes.classes)[sizes.sizes < size].sum())


def small_classes(release: Release, cell_size: int) -> list[dict[str, Any]]:
    """How many records are in classes below the sizes that people ask for."""
    sizes = release.class_sizes()
    wanted = sorted({*CELL_SIZES, cell_size})
    return [
        {"size": size, "records": below(sizes, size), "share": below(sizes, size) / max(sizes.records, 1)}
        for size in wanted
    ]


def assumed(release: Release, adversaries: Iterable[Adversary]) -> list[dict[str, Any]]:
    """What each assumed adversary can do, who sees every record."""
    found = []
    for adversary in adversaries:
        sizes = _sizes(release, adversary.knows, Grouping(adversary.knows, adversary.knows))
        found.append(
            {
                "who": adversary.who,
                "knows": list(adversary.knows),
                "classes": sizes.number,
                "smallest_class": int(sizes.sizes[0]),
                "unique_records": below(sizes, 2),
                "unique_share": below(sizes, 2) / sizes.records,
                "chance": sizes.number / sizes.records,
            }
        )
    return found


def without(release: Release, size: float, first: Sequence[str]) -> list[dict[str, Any]]:
    """Records in classes below a size if a quasi-identifier were removed: for the most helpful ones, best first."""
    known = [column for column in first if column in release.quasi_identifiers][:MOST_REMOVED]
    found = []
    for column in known if len(release.quasi_identifiers) > 1 else []:
        others = tuple(name for name in release.quasi_identifiers if name != column)
        treated = release.treatment
        grouping = Grouping(others, others, treated["suppressed"] == APART, treated["missing"] == APART)
        found.append({"column": column, "records": below(_sizes(release, others, grouping), size)})
    return sorted(found, key=lambda row: row["records"])


def _sizes(release: Release, known: Sequence[str], grouping: Grouping) -> ClassSizes:
    """Class sizes by some of the quasi-identifiers, in records or people."""
    return release.view.sizes_by(grouping)


def payout(release: Release, parameters: Mapping[str, Any]) -> list[dict[str, float]] | None:
    """The publisher's payout over what an attack gains for its cost: at most sixty steps, ends included."""
    names = ("publisher_loss", "publisher_benefit", "information_loss")
    try:
        ratios, payouts = payout_curve(release, **{name: parameters[name] for name in names if name in parameters})
    except (NotApplicable, HierarchyError):
        return None
    chosen = np.unique(np.linspace(0, len(ratios) - 1, MOST_STEPS).round().astype(np.int64))
    return [{"gain_per_cost": float(ratios[place]), "payout": float(payouts[place])} for place in chosen]
