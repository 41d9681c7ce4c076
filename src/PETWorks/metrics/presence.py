"""Models that ask whether a person's presence in the release can be told."""

from collections import Counter
from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np

from PETWorks.counts import ClassPairs, largest_ratio
from PETWorks.errors import NotApplicable, quoted
from PETWorks.hierarchy import Hierarchy, misfit
from PETWorks.metric import Number, metric
from PETWorks.release import Release
from PETWorks.result import Result, at_most
from PETWorks.values import SUPPRESSED


@metric(
    family="privacy",
    better="between",
    needs=("quasi-identifiers", "the original table"),
    aliases=("d-presence", "δ-presence"),
)
def delta_presence(
    release: Release,
    *,
    delta_min: Annotated[float | None, Number(at_least=0, at_most=1)] = None,
    delta_max: Annotated[float | None, Number(at_least=0, at_most=1, not_below="delta_min")] = None,
) -> Result:
    """Range of the probability that a person of the original is in the release.

    The adversary knows everybody in the original, generalised as the release is. For each of these people,
    delta is the number of released records with the same quasi-identifiers over the number of people who
    share them. The release is (delta_min, delta_max)-present when every delta lies between the two.

    Nergiz, Atzori and Clifton (2007), *Hiding the Presence of Individuals from Shared Databases*.

    >>> release = Release("data/delta_anonymized.csv", original="data/delta.csv")
    >>> delta_presence(release, delta_min=1/2, delta_max=2/3).satisfied
    True
    """
    levels = {column: _level(release, column) for column in release.quasi_identifiers}
    background = release.original.generalised(
        {column: _generalisation(release, column, level) for column, level in levels.items()}
    )
    found = release.fold_with(background, _summary, _merge)
    if found.strangers:
        foreign = [
            column for column in levels if _released_values(release, column) - set(background.marginal(column).values)
        ]
        why = f"; values that the original does not have are in {quoted(foreign)}" if foreign else ""
        lacking = [column for column in foreign if column not in release.hierarchies]
        hint = f" (no hierarchy is given for {quoted(lacking)})" if lacking else ""
        raise NotApplicable(
            f"released records that match no record of the original: {found.strangers}{why}{hint}; "
            "the release was not made from it"
        )
    if found.too_many:
        raise NotApplicable(
            f"released records beyond those the original has of their kind: {found.too_many}; "
            "the release was not made from it"
        )
    assert found.smallest is not None  # the original has records
    assert found.largest is not None
    smallest, largest = float(found.smallest), float(found.largest)
    limits = (delta_min, delta_max)
    satisfied = None
    if limits != (None, None):
        satisfied = bool(at_most(delta_min or 0, smallest) and at_most(largest, 1 if delta_max is None else delta_max))
    return Result(
        "delta-presence",
        [smallest, largest],
        satisfied,
        {"delta_min": delta_min, "delta_max": delta_max},
        {
            "exact": [str(found.smallest), str(found.largest)],
            "levels": levels,
            "original_records": background.rows,
            "original_records_absent_from_the_release": found.absent,
            "records": release.records,
            "suppressed_records": release.suppressed_records,
            "suppressed_records_are": release.suppressed,
        },
    )


class _Deltas(NamedTuple):
    smallest: Fraction | None
    largest: Fraction | None
    absent: int
    strangers: int
    too_many: int


def _summary(classes: ClassPairs) -> _Deltas:
    known = classes.background > 0
    released, background = classes.released[known], classes.background[known]
    largest = largest_ratio(released, background)
    # The smallest delta is one minus the largest share of absent people.
    most_absent = largest_ratio(background - released, background)
    return _Deltas(
        1 - most_absent[0] if most_absent else None,
        largest[0] if largest else None,
        int(background[released == 0].sum()),
        int(classes.released[~known].sum()),
        int(np.maximum(released - background, 0).sum()),
    )


def _merge(one: _Deltas, other: _Deltas) -> _Deltas:
    smallest = [found.smallest for found in (one, other) if found.smallest is not None]
    largest = [found.largest for found in (one, other) if found.largest is not None]
    return _Deltas(
        min(smallest, default=None),
        max(largest, default=None),
        one.absent + other.absent,
        one.strangers + other.strangers,
        one.too_many + other.too_many,
    )


def _released_values(release: Release, column: str) -> set[str]:
    """The values of a column that say something about its level: not missing, not of suppressed records only."""
    return {value for value, count in _released_counts(release, column).items() if value is not None and count > 0}


def _released_counts(release: Release, column: str) -> Counter[str | None]:
    """How often each value occurs in records that count."""
    marginal = release.marginal(column)
    counts = Counter(dict(zip(marginal.values, marginal.counts.tolist(), strict=True)))
    if release.suppressed == "apart":
        counts[SUPPRESSED] -= release.suppressed_records
    return counts


def _level(release: Release, column: str) -> int | str:
    """The level on which a column was released; without a hierarchy 0 or "suppressed"."""
    values = _released_values(release, column)
    hierarchy = release.hierarchies.get(column)
    if hierarchy is None:
        if SUPPRESSED not in values:
            return 0
        if values == {SUPPRESSED}:
            return "suppressed"
        suppressed = _released_counts(release, column)[SUPPRESSED]
        raise NotApplicable(
            f"column {column!r} has no hierarchy, and some but not all of its cells are suppressed: {suppressed}"
        )
    for level, labels in enumerate(hierarchy.levels):
        if values <= set(labels) or (level == hierarchy.height and values == {SUPPRESSED}):
            return level
    found = [hierarchy.level(value) for value in values]
    strange = found.count(None)
    if strange:
        raise misfit(column, hierarchy, strange, len(values), "released values are not on any level of")
    if len(set(found)) == 1:
        raise NotApplicable(f"column {column!r} mixes '*' with the top value of its hierarchy ({hierarchy.name})")
    raise NotApplicable(
        f"column {column!r} mixes levels {', '.join(map(str, sorted(set(found))))} of its hierarchy; "  # type: ignore[type-var]
        "delta-presence needs one level per column"
    )


def _generalisation(release: Release, column: str, level: int | str) -> dict[str | None, str | None]:
    """What each value of the original becomes."""
    values = release.original.marginal(column).values
    hierarchy = release.hierarchies.get(column)
    # Missing cells were lifted with the rest, unless the release still has some.
    kept: dict[str | None, str | None] = {None: None} if None in release.marginal(column).values else {}
    if level == "suppressed":
        return {**dict.fromkeys(values, SUPPRESSED), **kept}
    if level == 0 or hierarchy is None:
        return {value: value for value in values}
    assert isinstance(level, int)
    if level == hierarchy.height:
        top = hierarchy.top if hierarchy.top in _released_values(release, column) else SUPPRESSED
        return {**dict.fromkeys(values, top), **kept}
    return _lifted(values, hierarchy, level, column)


def _lifted(values: list[str | None], hierarchy: Hierarchy, level: int, column: str) -> dict[str | None, str | None]:
    """Leaves on a level in between; a missing value stays missing there."""
    lifted: dict[str | None, str | None] = {None: None}
    lifted.update(hierarchy.to_level(level))
    strange = sum(value not in lifted for value in values)
    if strange:
        told = len(values) - (None in values)
        raise misfit(column, hierarchy, strange, told, "original values are not leaves of")
    return {value: lifted[value] for value in values}
