"""Models that compare the sensitive values of each equivalence class with those of the whole table."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.hierarchy import Hierarchy, misfit
from PETWorks.counting.counts import ClassValues, Integers, WorstClass, largest_ratio
from PETWorks.counting.questions import Question
from PETWorks.counting.view import View
from PETWorks.errors import InputError, NotApplicable, ParameterError, Phrase, quoted
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import ClassTest, Mask, Monotone, round_up_count
from PETWorks.measures.parameters import Choice, Number
from PETWorks.measures.result import LazyDetails, Result, at_most, no_more_than
from PETWorks.tables.cells import is_number, numeric_order

DISTANCES = ("auto", "numeric", "hierarchical", "equal")

Numbers = NDArray[Any]
Kernel = Callable[[ClassValues], Numbers]


class _Distance(NamedTuple):
    """The distance between values of a column: its kind, its kernel, and the unit of the kernel's results."""

    kind: str
    cost: Kernel
    unit: int


def _distance(view: View, column: str, forced: str) -> _Distance:
    # If people are counted, the distribution in the whole table depends on the classes, and so on the levels.
    once = view.for_all_levels if view.privacy_unit is None else view.cached
    return once(("distance", column, forced), lambda: _make_distance(view, column, forced))


def _make_distance(view: View, column: str, forced: str) -> _Distance:
    overall = view.overall(column)
    order = numeric_order(overall.values)
    kind = forced if overall.values else "equal"  # without any value, no distance is needed
    if kind == "auto":
        kind = "numeric" if order is not None else "hierarchical" if column in view.hierarchies else "equal"
    if kind == "numeric":
        if order is None:
            strange = sum(value is None or not is_number(value) for value in overall.values)
            raise InputError(
                "column {column!r}: {strange} of {values} values are not numbers; its distance cannot be numeric",
                column=column,
                strange=strange,
                values=len(overall.values),
            )
        numeric = partial(numeric_cost, overall=overall.counts[order], rank=np.argsort(order))
        return _Distance(kind, numeric, overall.records * max(len(order) - 1, 1))
    if kind == "hierarchical":
        if column not in view.hierarchies:
            raise NotApplicable(
                "column {column!r} has no hierarchy; its distance cannot be hierarchical", column=column
            )
        hierarchy = view.hierarchies[column]
        nodes = _nodes_by_level(overall.values, hierarchy.fold() if view.folds_values else hierarchy, column)
        hierarchical = partial(hierarchical_cost, overall=overall.counts, nodes=nodes)
        return _Distance(kind, hierarchical, overall.records * len(nodes))
    return _Distance(kind, partial(equal_cost, overall=overall.counts), overall.records)


def _farthest(distance: _Distance, limit: float | None, classes: ClassValues) -> WorstClass:
    """The class that is farthest from the whole table, and the number of classes and records beyond the limit."""
    cost, distances = _distances(distance, classes)
    beyond = ~at_most(distances, np.inf if limit is None else limit)
    extreme = largest_ratio(cost, classes.sizes)
    if extreme is not None and classes.people is not None:
        worst = distances >= distances.max() * (1 - 2**-50)
        extreme = extreme[0], int(classes.people[worst].min())
    return WorstClass(extreme, int(beyond.sum()), int(classes.persons[beyond].sum()))


def _distances(distance: _Distance, classes: ClassValues) -> tuple[Numbers, Numbers]:
    """The cost of moving each class to the distribution of the table, and the distance."""
    cost = distance.cost(widen_if_needed(classes, distance.unit))
    return cost, cost.astype(np.float64) / classes.sizes / distance.unit


def _too_far(distance: _Distance, limit: float, classes: ClassValues) -> Mask:
    return ~at_most(_distances(distance, classes)[1], limit)


def _lasting_far(distance: _Distance, limit: float, farthest: Numbers, classes: ClassValues) -> Integers:
    """A lower bound of the records of each class that are in classes beyond the limit on every finer level.

    Distances are convex: that of a class is at most the mean, by records, of those of the classes it is split into. If
    those of a share f of the records are beyond the limit, they are at most as far as the farthest single value of the
    class, and the others at most as far as the limit; so distance <= f * farthest + (1 - f) * limit.
    """
    beyond = _distances(distance, classes)[1] - limit
    room = np.maximum.reduceat(farthest[classes.values], classes.starts) - limit
    return round_up_count(classes.sizes * beyond / np.where(beyond > 0, room, 1))


def _single_value_distances(distance: _Distance, values: int) -> Numbers:
    """The distance of a class of one record, for each value."""
    ones = np.ones(values, np.int64)
    return _distances(distance, ClassValues(ones, np.arange(values), np.arange(values), ones))[1]


def _farthest_question(view: View, column: str, forced: str, limit: float | None) -> Question[WorstClass]:
    distance = _distance(view, column, forced)
    kernel = partial(_farthest, distance, limit)
    return view.fold_question(("distance", distance.kind), column, kernel, WorstClass.merge, limit=limit)


def _distance_kinds(view: View, distance: str | Mapping[str, str]) -> dict[str, str]:
    """The kind of distance for each sensitive attribute."""
    attributes = view.sensitive_attributes
    forced = distance if isinstance(distance, Mapping) else dict.fromkeys(attributes, distance)
    strange = [column for column in forced if column not in attributes]
    if strange:
        raise ParameterError(
            "distance names columns that are not sensitive attributes: {strange}",
            strange=quoted(strange),
            what="distance",
            measure="t-closeness",
        )
    return {column: forced.get(column, "auto") for column in attributes}


def _asks(view: View, *, t: float | None, distance: str | Mapping[str, str]) -> list[Question[WorstClass]]:
    return [_farthest_question(view, column, kind, t) for column, kind in _distance_kinds(view, distance).items()]


def _tests(view: View, *, t: float | None, distance: str | Mapping[str, str]) -> list[ClassTest]:
    if t is None:
        return []
    tests = []
    for column, kind in _distance_kinds(view, distance).items():
        column_distance = _distance(view, column, kind)
        farthest = _single_value_distances(column_distance, len(view.overall(column).values))
        tests.append(
            ClassTest(
                partial(_too_far, column_distance, t),
                Monotone.UNSUPPRESSED,
                sensitive=column,
                compares=True,
                lasting=partial(_lasting_far, column_distance, t, farthest),
            )
        )
    return tests


@metric(
    asks=_asks,
    tests=_tests,
    family="privacy",
    better="lower",
    needs=("quasi-identifiers", "a sensitive attribute"),
    unit="ratio",
    if_it_fails="diversify",
)
def t_closeness(
    view: View,
    *,
    t: Annotated[float | None, Number(at_least=0, limit="at most")] = None,
    distance: Annotated[str | Mapping[str, str], Choice(DISTANCES, by_attribute=True)] = "auto",
) -> Result:
    """Largest distance between a class's sensitive values and the whole table's.

    The distance is the Earth Mover's Distance: over the ranks of a numeric attribute, over the hierarchy of
    a categorical one, otherwise with the same distance between any two values. The release is t-close when
    no class is farther than t, for any sensitive attribute.

    Li, Li and Venkatasubramanian (2007), *t-Closeness: Privacy Beyond k-Anonymity and l-Diversity*.

    >>> from PETWorks import Release
    >>> release = Release("data/patient_anonymized.csv")
    >>> t_closeness(release, t=0.376)
    <t-closeness = 0.296296 (t=0.376): satisfied>
    >>> t_closeness(release).details["attributes"]["Disease"]["exact"]
    '8/27'
    """
    attributes: dict[str, dict[str, Any]] = {}
    largest = Fraction(0)
    for column, forced in _distance_kinds(view, distance).items():
        worst = view.answer(_farthest_question(view, column, forced, t))
        kind, _, unit = _distance(view, column, forced)
        farthest, size = (Fraction(0), None) if worst.extreme is None else (worst.extreme[0] / unit, worst.extreme[1])
        largest = max(largest, farthest)
        attributes[column] = {
            "t": float(farthest),
            "exact": str(farthest),
            "distance": kind,
            "worst_class_size": size,
            **({} if t is None else {"classes_beyond_t": worst.classes, "records_beyond_t": worst.records}),
        }
    return Result(
        "t-closeness",
        float(largest),
        no_more_than(float(largest), t),
        {"t": t, "distance": distance},
        LazyDetails(lambda: {"attributes": attributes, **view.class_summary()}),
    )


# The kernels return, per class, the distance times (records of the table) x (size of the class) x (steps): an
# integer, so that nothing is rounded before the one division at the end.


def equal_cost(classes: ClassValues, overall: Integers) -> Numbers:
    """The cost if any two values are at distance 1: the sum of the surplus of each value in the class."""
    surplus = classes.counts * overall.sum() - overall[classes.values] * classes.cell_sizes
    return classes.sum_by_class(np.maximum(surplus, 0))


def numeric_cost(classes: ClassValues, overall: Integers, rank: Integers) -> Numbers:
    """The cost over ranks: the absolute differences of the cumulative counts, added up over all ranks.

    Between two neighbouring values of a class its cumulative count is constant while that of the table grows; so each
    cell covers a range of ranks in which the table is first below and then above the class's level.
    """
    if not np.array_equal(rank, np.arange(len(rank))):
        classes = classes.relabel(rank)
    records = overall.sum()
    cumulated = np.cumsum(overall)
    area = np.concatenate([[0], np.cumsum(cumulated)])
    if classes.counts.dtype == object:
        records, area = int(records), area.astype(object)
    sizes = classes.cell_sizes
    before = np.cumsum(classes.counts)
    class_start = before[classes.starts] - classes.counts[classes.starts]
    level = before - np.repeat(class_start, classes.cells_per_class)
    start = classes.values
    end = np.append(start[1:], len(overall))
    end[classes.starts[1:] - 1] = len(overall)
    meeting = np.searchsorted(cumulated, (-(-level * records // sizes)).astype(np.int64))
    meeting = np.clip(meeting, start, end)
    under = level * records * (meeting - start) - sizes * (area[meeting] - area[start])
    over = sizes * (area[end] - area[meeting]) - level * records * (end - meeting)
    cost: Numbers = classes.sum_by_class(under + over) + classes.sizes * area[start[classes.starts]]
    return cost


def hierarchical_cost(classes: ClassValues, overall: Integers, nodes: list[Integers]) -> Numbers:
    """The cost over a hierarchy: on each level below the top, the sum of the surplus of each node in the class.

    Mass that cannot be balanced within a node moves one level up. Balancing level by level costs the sum over h of
    h (S[h-1] - S[h]), where S[h] is the surplus left on level h; that is the sum of all S[h].
    """
    cost = classes.sizes * 0
    for node in nodes:
        on_level = np.zeros(int(node.max()) + 1, np.int64)
        np.add.at(on_level, node, overall)
        cost = cost + equal_cost(classes.relabel(node), on_level)
    return cost


def _nodes_by_level(values: list[str | None], hierarchy: Hierarchy, column: str) -> list[Integers]:
    """For each level below the top, the node of each value.

    A value that is not a leaf is treated as an extra leaf below the node that it names; a missing or suppressed one as
    a leaf below the top.
    """
    places = [hierarchy.place(value) for value in values]
    strange = places.count(None)
    if strange:
        present = sum(value is not None for value in values)
        raise misfit(column, hierarchy, strange, present, Phrase("values have no place, or several, in"))
    extra_leaves = len(hierarchy.leaves) + np.arange(len(values))
    levels = np.array([level for level, _ in places])  # type: ignore[misc]
    leaves = np.array([leaf for _, leaf in places])  # type: ignore[misc]
    return [np.where(levels <= level, nodes[leaves], extra_leaves) for level, nodes in enumerate(hierarchy.tree[:-1])]


def widen_if_needed(classes: ClassValues, factor: int) -> ClassValues:
    """The classes, with Python integers if the cost of one might not fit into 64 bits."""
    if len(classes.sizes) == 0 or int(classes.sizes.max()) * factor < 2**62:
        return classes
    return replace(classes, sizes=classes.sizes.astype(object), counts=classes.counts.astype(object))
