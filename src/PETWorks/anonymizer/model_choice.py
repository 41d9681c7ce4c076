"""The choice among the releases that a search found, by the models that the data are for."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from itertools import starmap
from math import isinf
from typing import Any

import numpy as np

from PETWorks.anonymizer.anonymization import (
    Anonymization,
    LocalAnonymization,
    anonymize_release,
    keeps_demanded,
)
from PETWorks.anonymizer.anonymization_facts import WayByModels
from PETWorks.anonymizer.class_means import usual_show
from PETWorks.anonymizer.explanation import next_best_levels
from PETWorks.anonymizer.objectives import WEIGHTED
from PETWorks.anonymizer.problem import SearchSettings
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import Rule
from PETWorks.anonymizer.search.exact import Progress
from PETWorks.counting.codes import Column
from PETWorks.counting.engines.engine import load_rows
from PETWorks.counting.release import Release
from PETWorks.measures.utility.models import (
    Model,
    ModelResult,
    check_model_columns,
    check_models,
    compare_models,
    model_columns,
)

WEIGHT = 5.0  # of the columns of models, where the user gives no weights
NEXT_BEST = 3  # next-best levels that are compared
MIN_EXTRA_KEPT = 0.001  # a release with a larger loss must keep this much more of the explanatory power of models
SIMILAR_KEPT = 0.01  # releases that explain the original alike, up to this share, are compared by their coefficients
CLEAR_SHIFT = 0.5  # standard errors by which the coefficients must then move less


def anonymize_for_models(
    release: Release,
    rules: tuple[Rule, ...],
    models: Sequence[Model],
    settings: Mapping[str, Any],
    progress: Callable[[Progress], None] | None = None,
    *,
    may_choose_method: bool,
) -> Anonymization:
    """The release with the least loss, as by `anonymize_release`, or another one that answers the models better.

    The others are those on the best levels for all records and on a few next-best levels, and each of these with
    intervals instead of means and medians, or the reverse, unless the user said what to show.
    The columns of the models weigh more, unless the user gave weights.

    may_choose_method   whether the user left it open how the table is recoded
    """
    if not models or release.engine.name == "spark":
        return anonymize_release(release, rules, **settings, progress=progress)
    check_model_columns(models, release.source.names)
    check_models(models, model_columns(models, release.source), release.declared)  # before a search that may take long
    weights = weights_for_models(models, release.quasi_identifiers, settings)
    used = {**settings, **({"weights": weights} if weights else {})}
    found = anonymize_release(release, rules, **used, progress=progress)
    return choose_by_models(
        found, models, may_choose_method=may_choose_method, may_choose_shown=settings.get("show") is None
    )


def weights_for_models(
    models: Sequence[Model], quasi_identifiers: Collection[str], settings: Mapping[str, Any]
) -> dict[str, float]:
    """The weights of the columns of models; none if the user gave weights, or if all columns would have the same."""
    named = {name for model in models for name in model.columns}
    columns = [name for name in quasi_identifiers if name in named]
    if settings.get("weights") or settings.get("objective", SearchSettings.objective) not in WEIGHTED:
        return {}
    return dict.fromkeys(columns, WEIGHT) if len(columns) < len(quasi_identifiers) else {}


def choose_by_models(
    result: Anonymization, models: Sequence[Model], *, may_choose_method: bool, may_choose_shown: bool = False
) -> Anonymization:
    """The release that answers the models best, with their results; for records in memory.

    may_choose_method   whether the user left it open how the table is recoded
    may_choose_shown    whether the user left it open what classes show
    """
    if not models or result.original.engine.name != "memory":
        return result
    original = model_columns(models, result.original.source)
    candidates = [result, *(_other_ways(result, {} if may_choose_shown else result.show) if may_choose_method else ())]
    if may_choose_shown:
        candidates += _shown_otherwise(candidates)
    results = [fit_models(candidate, models, original) for candidate in candidates]
    kept = [sum(fitted.kept for fitted in found) / len(found) for found in results]
    shifts = [max(fitted.largest_shift for fitted in found) for found in results]
    best = _best_answers(kept, shifts)
    ways = tuple(starmap(_way, zip(candidates, kept, shifts, strict=True)))
    chosen: Anonymization = candidates[best]
    return replace(chosen, models=results[best], by_models=(ways[best], *ways[:best], *ways[best + 1 :]))


def _best_answers(kept: Sequence[float], shifts: Sequence[float]) -> int:
    """The place of the release that answers the models best.

    What the models explain decides; a strong effect hides in it what becomes of a weak one, so that releases that
    explain about as much are compared by the coefficient that moves most.
    """
    best = max(range(len(kept)), key=lambda place: kept[place] - MIN_EXTRA_KEPT * (place > 0))
    alike = [place for place, share in enumerate(kept) if share >= kept[best] - SIMILAR_KEPT and share > 0]
    steadiest = min(alike, key=lambda place: shifts[place], default=best)
    return steadiest if shifts[steadiest] + CLEAR_SHIFT < shifts[best] else best


def _way(made: Anonymization, kept: float, largest_shift: float) -> WayByModels:
    best, shift = made.search.best, None if isinf(largest_shift) else largest_shift
    if isinstance(made, LocalAnonymization):
        return WayByModels("local", kept, means=bool(made.shown.columns), largest_shift=shift)
    is_next_best = best is not None and best.node != made.classes.node
    return WayByModels("global", kept, next_best=is_next_best, means=bool(made.shown.columns), largest_shift=shift)


def _shown_otherwise(candidates: Sequence[Anonymization]) -> list[Anonymization]:
    """The releases with intervals instead of means and medians, or the reverse, where that changes anything."""
    show = usual_show(candidates[0].original)
    found = [replace(candidate, show={} if candidate.shown.columns else show) for candidate in candidates]
    return [
        other
        for candidate, other in zip(candidates, found, strict=True)
        if candidate.shown.columns or other.shown.columns
    ]


def _other_ways(result: Anonymization, show: Mapping[str, str]) -> list[Anonymization]:
    """The best levels for all records, if the result is recoded record by record, and next-best levels.

    show   what their classes show
    """
    search, problem = result.search, result.problem
    best = search.best
    if best is None or not keeps_demanded(result):
        return []
    values = {field.name: getattr(result, field.name) for field in fields(Anonymization)}
    is_proved = search.is_explored
    values |= {"bound": best.loss if is_proved else search.bound, "show": show}
    others = []
    if isinstance(result, LocalAnonymization) and len(result.sweep.nodes) > 1:
        others.append(Anonymization(**{**values, "loss": best.loss, "optimal": is_proved}))
    if not is_proved or problem.lattice.has_many_nodes:
        return others
    for solution in next_best_levels(problem, search, best.node, NEXT_BEST):
        classes = problem.cube.at(solution.node)
        on_levels = {"classes": classes, "suppressed_classes": search.judge(classes).suppressed, "loss": solution.loss}
        others.append(Anonymization(**{**values, **on_levels, "optimal": False}))
    return others


def fit_models(made: Recoded, models: Sequence[Model], original: Mapping[str, Column]) -> tuple[ModelResult, ...]:
    """The models fitted on a release in memory; `original` has their columns before."""
    names = [name for name in original if name not in made.left_out]
    changed: Any = made.changed_columns
    unchanged = [name for name in names if name not in changed]
    columns: dict[str, Column] = dict(load_rows(made.original.source, unchanged).columns) if unchanged else {}
    for name in names:
        if name in changed:
            cells = changed[name]
            if not hasattr(cells, "dictionary"):  # it has missing cells
                cells = cells.dictionary_encode("encode")
            columns[name] = Column(cells.dictionary, np.asarray(cells.indices).astype(np.uint32))
    removed = made.removed
    assert removed is not None
    left = np.delete(np.arange(made.records), removed)
    released = {name: columns[name].take(left) for name in names}
    return compare_models(models, original, released, made.original.hierarchies, made.original.declared)
