"""Re-identification risk by scenario: the adversary, the targets, and the chance of success."""

import math
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import ClassPairs, ClassValues, Integers, LinkedSizes
from PETWorks.counting.questions import Question
from PETWorks.counting.view import View
from PETWorks.counting.weights import Weights
from PETWorks.errors import Phrase
from PETWorks.measures.catalogue import find_measure, metric
from PETWorks.measures.classes import (
    ClassTest,
    Mask,
    Monotone,
    SuppressionTest,
    estimate_people,
    linked_question,
    linked_sizes,
    own_sizes,
    remaining_after_suppression,
    view_weights,
)
from PETWorks.measures.parameters import Number
from PETWorks.measures.result import Result, at_most

Chance = Annotated[float | None, Number(at_least=0, at_most=1, limit="at most", unit="chance")]  # 1/(class size)
Share = Annotated[float | None, Number(at_least=0, at_most=1, limit="at most", unit="share")]
ClassSize = Annotated[float | None, Number(at_least=1, limit="at least", unit="records")]
Threshold = Annotated[float, Number(at_least=0, at_most=1)]
MAX_FRACTIONS = 300
BINS = (1, 2, 3, 5, 11, 20, 50, 100, 1000)


def _too_small(highest: float | None, cell_size: float | None, sizes: NDArray[Any]) -> Mask:
    """Whether each class is too small for a limit on the chance or on the cell size."""
    fails = np.zeros(len(sizes), np.bool_)
    if highest is not None:
        fails |= ~at_most(1 / np.maximum(sizes, 1), highest)
    return fails if cell_size is None else fails | ~at_most(cell_size, sizes)


def _too_few_people(highest: float | None, cell_size: float | None, classes: ClassPairs) -> Mask:
    return _too_small(highest, cell_size, classes.background)


def _too_few_estimated(highest: float | None, cell_size: float | None, weights: Weights, classes: ClassValues) -> Mask:
    return _too_small(highest, cell_size, estimate_people(weights, classes))


def _tests(
    _view: View, *, highest: float | None, cell_size: float | None, **_of_the_table: float | None
) -> list[ClassTest]:
    if highest is None and cell_size is None:
        return []
    return [ClassTest(partial(_too_small, highest, cell_size), Monotone.ALWAYS)]


def _tests_linked(
    view: View, *, highest: float | None, cell_size: float | None, **_of_the_table: float | None
) -> list[ClassTest]:
    tests = _tests(view, highest=highest, cell_size=cell_size)
    if not tests or not (view.background.has_population_table or view.links_weights):
        return tests
    if view.links_weights:
        fails = partial(_too_few_estimated, highest, cell_size, view_weights(view))
        return [ClassTest(fails, Monotone.ALWAYS, sensitive=view.sample.weight)]
    return [ClassTest(partial(_too_few_people, highest, cell_size), Monotone.ALWAYS, background="population")]


def _average_left(limit: float, sizes: Integers) -> Mask:
    classes, records = remaining_after_suppression(sizes)
    return at_most(classes / np.maximum(records, 1), limit)


def _suppressing_average(_view: View, *, average: float | None, **_others: float | None) -> SuppressionTest | None:
    return None if average is None else partial(_average_left, average)


def _suppressing_linked(view: View, *, average: float | None) -> SuppressionTest | None:
    is_linked = view.background.has_population_table or view.links_weights
    return None if is_linked else _suppressing_average(view, average=average)


@metric(
    tests=_tests,
    table_limits=("average", "at_risk"),
    family="risk",
    better="lower",
    aliases=("highest-risk", "ReidentificationRisk"),
    unit="chance",
    scenario="highest",
    outside="smallest class",
)
def prosecutor_risk(
    view: View,
    *,
    highest: Chance = None,
    cell_size: ClassSize = None,
    average: Share = None,
    threshold: Threshold = 0.2,
    at_risk: Share = None,
) -> Result:
    """Highest chance to find the record of a person who is known to be in the release: 1/(smallest class).

    The details have the lowest and the average chance, the share of records above the threshold, and how many
    classes have how many records. Limits may be given for the highest chance, as a probability or as a cell size,
    for the average, and for the share of records at risk; all that are given must hold.

    El Emam and Dankar (2008), *Protecting Privacy Using k-Anonymity*; El Emam (2013), *Guide to the De-Identification
    of Personal Health Information*.

    >>> from PETWorks import Release
    >>> prosecutor_risk(Release("data/patient_anonymized.csv"), highest=1/3, cell_size=3)
    <prosecutor-risk = 0.333333 (highest=0.3333333333333333, cell_size=3, threshold=0.2): satisfied>
    """
    linked = own_sizes(view)
    limits = {"highest": highest, "cell_size": cell_size, "average": average, "at_risk": at_risk}
    risks = _risks(linked, _average(linked), threshold)
    return _result("prosecutor-risk", risks["highest"], risks, linked, limits, {"threshold": threshold}, view)


def _asks_linked(view: View, **_limits: float | None) -> list[Question[Any]]:
    return [linked_question(view)] if view.links_weights else []


@metric(
    asks=_asks_linked,
    tests=_tests_linked,
    table_limits=("average", "at_risk"),
    family="risk",
    better="lower",
    unit="chance",
    scenario="highest",
    linked=True,
    outside="smallest class",
)
def journalist_risk(
    view: View,
    *,
    highest: Chance = None,
    cell_size: ClassSize = None,
    average: Share = None,
    threshold: Threshold = 0.2,
    at_risk: Share = None,
) -> Result:
    """Highest chance to find the record of somebody, where the adversary searches a register of the population.

    What counts is the size N of a record's class in the population: 1/(smallest N of a released class). The average
    is the larger of (classes)/(sum of N) and the mean of 1/N over the records. Without a population table, N is the sum
    of the sampling weights of a class; without these either, it is the prosecutor's risk.

    El Emam and Dankar (2008), *Protecting Privacy Using k-Anonymity*.

    >>> from PETWorks import Release
    >>> release = Release("data/delta_anonymized.csv", population="data/delta.csv")
    >>> journalist_risk(release).value
    0.3333333333333333
    """
    linked = linked_sizes(view)
    limits = {"highest": highest, "cell_size": cell_size, "average": average, "at_risk": at_risk}
    average_found = max(_average(linked), _ratio(linked.classes.sum(), (linked.sizes @ linked.classes).item()))
    risks = _risks(linked, average_found, threshold)
    return _result("journalist-risk", risks["highest"], risks, linked, limits, {"threshold": threshold}, view)


@metric(
    asks=_asks_linked,
    suppressing=_suppressing_linked,
    family="risk",
    better="lower",
    unit="share",
    scenario="average",
    linked=True,
    outside="classes",
)
def marketer_risk(view: View, *, average: Share = None) -> Result:
    """Expected share of records that an adversary finds who links all of them with the population.

    The mean over all records of 1/N, N being the size of a record's class in the population; without a population
    table, the sum of its sampling weights; without these either, in the release itself: then it is (number of
    classes)/(number of records).

    El Emam and Dankar (2008), *Protecting Privacy Using k-Anonymity*; Dankar and El Emam (2010), *A Method for
    Evaluating Marketer Re-identification Risk*.

    >>> from PETWorks import Release
    >>> marketer_risk(Release("data/patient_anonymized.csv")).value
    0.3333333333333333
    """
    linked = linked_sizes(view)
    risks = {"average": _average(linked), "expected_finds": float(_finds(linked))}
    return _result("marketer-risk", risks["average"], risks, linked, {"average": average}, {}, view)


@metric(
    tests=_tests,
    table_limits=("average",),
    suppressing=_suppressing_average,
    family="risk",
    better="lower",
    aliases=("average-re-identification-risk", "strict-average-risk", "alpha-distinction"),
    unit="share",
    outside="classes",
)
def average_risk(view: View, *, average: Share = None, highest: Chance = None, cell_size: ClassSize = None) -> Result:
    """Average chance to find a record: (number of classes)/(number of records); strict with a cap on the highest.

    The strict average wants the average to be at most a limit and no single record above a cap, which is given as a
    probability (highest) or as a cell size.

    El Emam (2013), *Guide to the De-Identification of Personal Health Information*.

    >>> from PETWorks import Release
    >>> average_risk(Release("data/patient_anonymized.csv"), average=0.5, cell_size=3).satisfied
    True
    """
    linked = own_sizes(view)
    risks = {"average": _average(linked), "highest": _highest(linked)}
    limits = {"average": average, "highest": highest, "cell_size": cell_size}
    return _result("average-risk", risks["average"], risks, linked, limits, {}, view)


def cell_size_of(risk: float) -> int | None:
    """The smallest class size at which the chance is not above a probability; None if there is none.

    >>> cell_size_of(0.09), cell_size_of(1 / 11)
    (12, 11)
    """
    if risk == 0 or 1 / risk > 2**53:
        return None
    size = max(math.floor(1 / risk), 1)
    while not at_most(1 / size, risk):
        size += 1
    return size


def _finds(linked: LinkedSizes) -> Any:
    """The expected number of records found, exact unless there are too many different class sizes."""
    if len(linked.sizes) > MAX_FRACTIONS or linked.sizes.dtype.kind == "f":
        return math.fsum((linked.records / linked.sizes).tolist())
    return sum(map(Fraction, linked.records.tolist(), linked.sizes.tolist()), Fraction(0))


def _average(linked: LinkedSizes) -> float:
    return _ratio(_finds(linked), int(linked.records.sum()))


def _ratio(part: Any, of: int) -> float:
    return float(part / of) if of else 0.0


def _highest(linked: LinkedSizes) -> float:
    return 1 / float(linked.sizes[0]) if len(linked.sizes) else 0.0


def _risks(linked: LinkedSizes, average: float, threshold: float) -> dict[str, Any]:
    """The risks of a scenario, for the details of a result."""
    exposed = ~at_most(1 / linked.sizes, threshold)
    records_at_risk = int(linked.records[exposed].sum())
    return {
        "highest": _highest(linked),
        "average": average,
        "lowest": 1 / float(linked.sizes[-1]) if len(linked.sizes) else 0.0,
        "records_at_risk": records_at_risk,
        "at_risk": _ratio(records_at_risk, int(linked.records.sum())),
    }


def _result(
    name: str,
    value: float,
    risks: dict[str, Any],
    linked: LinkedSizes,
    limits: dict[str, float | None],
    parameters: dict[str, Any],
    view: View,
) -> Result:
    """The result; every limit is compared in the form in which it was given, and the details record how."""
    smallest = linked.sizes[0].item() if len(linked.sizes) else None
    compared: dict[str, dict[str, Any]] = {}
    for limit, wanted in limits.items():
        if wanted is None:
            continue
        as_size = limit == "cell_size"
        measured: Any = smallest if as_size else risks[limit]
        holds = smallest is None or bool(at_most(wanted, smallest) if as_size else at_most(measured, wanted))
        needed = math.ceil(wanted) if as_size else cell_size_of(wanted) if limit == "highest" else None
        compared[limit] = {
            "measured": measured,
            "limit": wanted,
            "compared_as": "cell size" if as_size else "probability",
            "smallest_class_wanted": needed,
            "holds": holds,
        }
    return Result(
        name,
        value,
        all(row["holds"] for row in compared.values()) if compared else None,
        {**limits, **parameters},
        {
            **risks,
            **({"limits": compared} if compared else {}),
            "class_sizes": distribution(linked.sizes, linked.classes, linked.records),
            **({} if not find_measure(name).linked else {"linked_with": _population_table(view)}),
            **view.class_summary(),
        },
    )


def _population_table(view: View) -> str:
    if view.links_weights:
        return Phrase("a population of about {n} by sampling weights", n=view.estimated_population)
    if not view.background.has_population_table:
        return "the release itself"
    return Phrase("a population of {n}", n=view.population_size)


def distribution(sizes: NDArray[Any], classes: Integers, records: Integers) -> dict[str, dict[str, Any]]:
    """The number of classes and records by class size, in a few ranges of sizes."""
    indices = np.searchsorted(BINS, sizes, side="right") - 1
    number = int(records.sum())
    rows: dict[str, dict[str, Any]] = {}
    for index, first in enumerate(BINS):
        last = None if index + 1 == len(BINS) else BINS[index + 1] - 1
        label = f"{first}+" if last is None else str(first) if first == last else f"{first}-{last}"
        inside = indices == index
        in_bin = int(records[inside].sum())
        rows[label] = {
            "classes": int(classes[inside].sum()),
            "records": in_bin,
            "share": _ratio(in_bin, number),
        }
    return rows
