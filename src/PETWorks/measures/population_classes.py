"""The release linked with the population it was drawn from: how many people stand behind each class."""

import numpy as np

from PETWorks.about.treatment import AS_CLASS
from PETWorks.counting.counts import ClassPairs, ClassSizes, Grouping, LinkedSizes
from PETWorks.counting.questions import class_sizes
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.errors import NotApplicable


def own_sizes(view: View) -> LinkedSizes:
    """The classes of the release by their own size."""
    own = view.class_sizes()
    return LinkedSizes(own.sizes, own.classes, own.sizes * own.classes)


def linked_sizes(view: View) -> LinkedSizes:
    """The classes of the release by the size of their class in the population; without a table of it, by their own."""
    return view.remembered("linked sizes", lambda: _counted(view))


def population_class_sizes(view: View) -> ClassSizes:
    """How many classes of how many people the population has, on the levels of the release."""
    known = view.quasi_identifiers
    return view.answer(class_sizes(_population(view), Grouping(known, known)))


def _population(view: View) -> Table:
    table = view.background.population_table
    return view.remembered("population as released", lambda: view.as_released(table, "population"))


def _counted(view: View) -> LinkedSizes:
    if not view.background.has_population_table:
        return own_sizes(view)
    linked = view.fold_with(_population(view), _linked, LinkedSizes.merged, suppressed_apart=True)
    if view.treatment["suppressed"] == AS_CLASS and view.suppressed_records:
        linked = linked.merged(_suppressed(view, int(linked.records.sum())))
    if linked.sizes.size and linked.sizes[0] == 0:
        raise NotApplicable(
            "released records whose class the population does not have: {records}; the release was not drawn from it",
            records=int(linked.records[0]),
        )
    if linked.too_many:
        raise NotApplicable(
            "released records beyond those the population has of their kind: {too_many}; the "
            "release was not drawn from it",
            too_many=linked.too_many,
        )
    return linked


def _suppressed(view: View, others: int) -> LinkedSizes:
    """The class of suppressed records: each of them may be anybody of the population."""
    people, records = view.population_size, view.class_sizes().records - others
    return LinkedSizes(np.array([people], np.int64), np.ones(1, np.int64), np.array([records], np.int64))


def _linked(classes: ClassPairs) -> LinkedSizes:
    """Released classes by their size in the population."""
    there = classes.released > 0
    released, population = classes.released[there], classes.background[there]
    sizes, place = np.unique(population, return_inverse=True)
    records = np.zeros(len(sizes), np.int64)
    np.add.at(records, place, released)
    too_many = int(np.maximum(released - population, 0)[population > 0].sum())
    return LinkedSizes(sizes, np.bincount(place, minlength=len(sizes)), records, too_many)
