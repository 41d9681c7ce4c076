"""On which level of its hierarchy a column was released, and what the values of another table are on that level."""

from collections.abc import Collection, Iterable

from PETWorks.about.hierarchy import Hierarchy, misfit
from PETWorks.errors import Joined, NotApplicable, Phrase
from PETWorks.tables.cells import SUPPRESSED

WHOLLY_SUPPRESSED = "suppressed"


def released_level(column: str, values: Collection[str], hierarchy: Hierarchy | None) -> int | str:
    """The level on which a column was released; without a hierarchy 0 or "suppressed". Missing values say nothing."""
    if hierarchy is None:
        if SUPPRESSED not in values:
            return 0
        if set(values) == {SUPPRESSED}:
            return WHOLLY_SUPPRESSED
        raise NotApplicable(
            "column {column!r} has no hierarchy, and some but not all of its cells are suppressed", column=column
        )
    for level, labels in enumerate(hierarchy.levels):
        if set(values) <= set(labels) or (level == hierarchy.height and set(values) == {SUPPRESSED}):
            return level
    levels = [hierarchy.level(value) for value in values]
    strange = levels.count(None)
    if strange:
        raise misfit(column, hierarchy, strange, len(values), Phrase("released values are not on any level of"))
    if len(set(levels)) == 1:
        raise NotApplicable(
            "column {column!r} mixes '*' with the top value of its hierarchy ({hierarchy})",
            column=column,
            hierarchy=hierarchy.name,
        )
    raise NotApplicable(
        "column {column!r} mixes levels {levels} of its hierarchy; one level per column is needed",
        column=column,
        levels=Joined(", ", map(str, sorted(set(levels)))),  # type: ignore[type-var]
    )


def recoding(
    column: str,
    values: Iterable[str | None],
    hierarchy: Hierarchy | None,
    level: int | str,
    released: Collection[str | None],
    what: Phrase,
) -> dict[str | None, str | None]:
    """What each value of another table becomes on the level of the release; `what` they are, in errors."""
    values = list(values)
    # Missing cells were lifted with the rest, unless the release still has some.
    kept: dict[str | None, str | None] = {None: None} if None in released else {}
    if level == WHOLLY_SUPPRESSED:
        return {**dict.fromkeys(values, SUPPRESSED), **kept}
    if level == 0 or hierarchy is None:
        return {value: value for value in values}
    assert isinstance(level, int)
    if level == hierarchy.height:
        top = hierarchy.top if hierarchy.top in released else SUPPRESSED
        return {**dict.fromkeys(values, top), **kept}
    # What is on that level already stays; a missing value stays missing in between.
    lifted: dict[str | None, str | None] = {None: None}
    lifted.update((label, label) for label in hierarchy.levels[level])
    lifted.update(hierarchy.to_level(level))
    strange = sum(value not in lifted for value in values)
    if strange:
        told = len(values) - (None in values)
        raise misfit(column, hierarchy, strange, told, what)
    return {value: lifted[value] for value in values}
