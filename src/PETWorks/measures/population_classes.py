"""The release linked with the population it was drawn from: how many people stand behind each class."""

import numpy as np

from PETWorks.counting.counts import ClassPairs, ClassSizes, Grouping, LinkedSizes
from PETWorks.counting.release import Release
from PETWorks.counting.table import Table
from PETWorks.errors import NotApplicable


def own_sizes(release: Release) -> LinkedSizes:
    """The classes of the release by their own size."""
    own = release.class_sizes()
    return LinkedSizes(own.sizes, own.classes, own.sizes * own.classes)


def linked_sizes(release: Release) -> LinkedSizes:
    """The classes of the release by the size of their class in the population; without a table of it, by their own."""
    return release.remembered("linked sizes", lambda: _counted(release))


def population_class_sizes(release: Release) -> ClassSizes:
    """How many classes of how many people the population has, on the levels of the release."""
    known = release.quasi_identifiers
    return _population(release).class_sizes(Grouping(known, known))


def _population(release: Release) -> Table:
    table = release.population_table
    return release.remembered("population as released", lambda: release.as_released(table, "population"))


def _counted(release: Release) -> LinkedSizes:
    if not release.has_population_table:
        return own_sizes(release)
    found = release.fold_with(_population(release), _linked, LinkedSizes.merged)
    if found.sizes.size and found.sizes[0] == 0:
        raise NotApplicable(
            f"released records whose class the population does not have: {int(found.records[0])}; "
            "the release was not drawn from it"
        )
    if found.too_many:
        raise NotApplicable(
            f"released records beyond those the population has of their kind: {found.too_many}; "
            "the release was not drawn from it"
        )
    return found


def _linked(classes: ClassPairs) -> LinkedSizes:
    """Released classes by their size in the population."""
    there = classes.released > 0
    released, population = classes.released[there], classes.background[there]
    sizes, place = np.unique(population, return_inverse=True)
    records = np.zeros(len(sizes), np.int64)
    np.add.at(records, place, released)
    too_many = int(np.maximum(released - population, 0)[population > 0].sum())
    return LinkedSizes(sizes, np.bincount(place, minlength=len(sizes)), records, too_many)
