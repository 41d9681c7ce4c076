"""The share of unique people: in the release, and as estimated in the population it was drawn from."""

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import ClassSizes, Integers, Reals
from PETWorks.counting.view import View
from PETWorks.errors import NotApplicable
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import (
    Mask,
    SuppressionTest,
    linked_sizes,
    population_class_sizes,
    remaining_after_suppression,
)
from PETWorks.measures.parameters import Choice, Number
from PETWorks.measures.result import Result, at_most, no_more_than

Share = Annotated[float | None, Number(at_least=0, at_most=1, limit="at most", unit="share")]

MODELS = ("dankar", "pitman", "zayatz")
SMALL_SAMPLE = 0.1
SUMMED_TERMS = 1 << 12  # further terms are integrated instead of summed; the difference is below rounding


def _satisfied_by_removal(limit: float, sizes: Integers) -> Mask:
    """Whether few enough records are unique after none, one, two… of the smallest classes were suppressed."""
    unique = np.maximum(np.count_nonzero(sizes == 1) - np.arange(len(sizes) + 1), 0)
    return at_most(unique / np.maximum(remaining_after_suppression(sizes)[1], 1), limit)


def _suppression_test(_view: View, *, share: float | None) -> SuppressionTest | None:
    return None if share is None else partial(_satisfied_by_removal, share)


@metric(
    suppressing=_suppression_test,
    family="risk",
    better="lower",
    unit="share",
    classes_to_avoid=2,
    outside="unique",
)
def sample_uniqueness(view: View, *, share: Share = None) -> Result:
    """Share of records that are alone in their equivalence class.

    Bethlehem, Keller and Pannekoek (1990), *Disclosure Control of Microdata*.

    >>> from PETWorks import Release
    >>> sample_uniqueness(Release("data/patient_anonymized.csv"), share=0)
    <sample-uniqueness = 0 (share=0): satisfied>
    """
    sizes = view.class_sizes()
    unique = int(sizes.classes[sizes.sizes == 1].sum())
    value = unique / sizes.records if sizes.records else 0.0
    return Result(
        "sample-uniqueness",
        value,
        no_more_than(value, share),
        {"share": share},
        {"unique_records": unique, **view.class_summary()},
    )


@metric(
    family="risk",
    better="lower",
    needs=("quasi-identifiers", "the population or its size"),
    unit="share",
)
def population_uniqueness(
    view: View,
    *,
    share: Share = None,
    model: Annotated[str, Choice(MODELS)] = "dankar",
) -> Result:
    """Estimated share of the population that is unique in its quasi-identifiers.

    Zayatz's estimator asks how often a unique record is one of several people of whom the others were not drawn;
    Pitman's fits the Ewens-Pitman sampling model to the class sizes by maximum likelihood. Dankar's rule takes
    Pitman's where at most a tenth of the population was drawn, and Zayatz's otherwise. Where no population is given,
    its size is the sum of the sampling weights.

    Zayatz (1991), *Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample*;
    Hoshino (2001), *Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment*; Dankar, El Emam,
    Neisa and Roffey (2012), *Estimating the Re-identification Risk of Clinical Data Sets*.

    >>> from PETWorks import Release
    >>> release = Release("data/adult_anonymized.csv", population=0.01)
    >>> population_uniqueness(release).details["model_used"]
    'pitman'
    """
    sizes, population = view.class_sizes(), view.known_population
    assert population is not None  # the catalogue checks that
    if view.background.population is None and view.people_have_several_weights:
        raise NotApplicable("some people have several households or sampling weights, where each person needs one")
    if view.background.has_population_table:
        linked_sizes(view)  # raises if the release was not drawn from it
    if view.privacy_unit is not None:
        # A person counts once in each of their classes, so the population does too.
        population = round(population * view.counted_records / view.people)
    fraction = sizes.records / population
    used = ("pitman" if fraction <= SMALL_SAMPLE else "zayatz") if model == "dankar" else model
    fitted: dict[str, Any] = {}
    if used == "pitman":
        value, theta, alpha = pitman(sizes, population)
        fitted = {"theta": theta, "alpha": alpha}
    else:
        value = zayatz(sizes, population)
    return Result(
        "population-uniqueness",
        value,
        no_more_than(value, share),
        {"share": share, "model": model},
        {
            "model_used": used,
            **fitted,
            "population": population,
            "sampling_fraction": fraction,
            **_share_in_population(view),
            "unique_records": int(sizes.classes[sizes.sizes == 1].sum()),
            **view.class_summary(),
        },
    )


def _share_in_population(view: View) -> dict[str, float]:
    """The share of unique people in the population on the levels of the release, if it is a table."""
    if not view.background.has_population_table:
        return {}
    known = population_class_sizes(view)
    return {"share_counted_in_the_population": int(known.classes[known.sizes == 1].sum()) / known.records}


def zayatz(sizes: ClassSizes, population: int) -> float:
    """Zayatz's estimate of the share of the population that is unique."""
    unique = int(sizes.classes[sizes.sizes == 1].sum())
    if unique == 0:
        return 0.0
    once = sizes.classes * _chance_of_one_drawn(sizes.sizes, sizes.records, population)
    likely = float(once[0] / once.sum())
    return unique * likely / sizes.records  # u1 P / f / N, with f = n / N


def _chance_of_one_drawn(sizes: NDArray[np.int64], drawn: int, population: int) -> Reals:
    """The hypergeometric chance that exactly one of i people is among those drawn, for each i.

    It is i n/N times the product of (N - n - j)/(N - 1 - j) for j from 0 to i - 2. The product falls by a factor of
    about 1 - n/N with each step, so that long ones are 0.
    """
    longest = int(min(sizes[-1], population - drawn + 1, 800 * population / drawn + 2))
    steps = np.arange(longest - 1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log1p(-(drawn - 1) / (population - 1 - steps))
    products = np.exp(np.concatenate([[0.0], np.cumsum(logs)]))
    inside = np.where(sizes <= longest, products[np.minimum(sizes, longest) - 1], 0)
    return np.asarray(sizes * (drawn / population) * inside, np.float64)


def pitman(sizes: ClassSizes, population: int) -> tuple[float, float | None, float | None]:
    """The share of the population that is unique in the Ewens-Pitman model, and its theta and alpha.

    They solve the likelihood equations: an outer search for alpha, with the best theta for each alpha.
    """
    classes, records = sizes.number, sizes.records
    if classes == records:
        return (1.0 if records else 0.0), None, None  # the likelihood has no maximum: it grows towards everybody unique
    if classes == 1:
        return 0.0, None, None  # no maximum either: it grows towards one class for all

    near = math.log(classes)  # the logarithm of the best theta + alpha, as a start for the next search

    def best_excess(alpha: float) -> float:
        """The best theta + alpha for this alpha, which is positive."""
        nonlocal near

        def slope(logarithm: float) -> float:
            return math.exp(logarithm) * _slope_of_theta(math.exp(logarithm), alpha, classes, records)

        low, high = near - 0.1, near + 0.1
        while slope(low) <= 0 and low > -40:
            low -= 4 * (near - low)
        while slope(high) > 0:
            high += 4 * (high - near)
        near = _root(slope, low, high)
        return math.exp(near)

    def slope(alpha: float) -> float:
        return _slope_of_alpha(best_excess(alpha), alpha, sizes)

    alpha = 0.0 if slope(0.0) <= 0 else _root(slope, 0.0, 1 - 1e-12)
    theta = best_excess(alpha) - alpha
    logarithm = _log_gamma_ratio(theta + alpha, 1 - alpha) + (alpha - 1) * math.log(population)
    return min(math.exp(logarithm), 1.0), theta, alpha


def _log_gamma_ratio(number: float, more: float) -> float:
    """Log Gamma(number + more) - log Gamma(number), for `more` <= 1; by its expansion if the numbers are large."""
    if number < 1e5:
        return math.lgamma(number + more) - math.lgamma(number)
    product = more * (more - 1)
    return more * math.log(number) + product / (2 * number) - product * (2 * more - 1) / (12 * number**2)


def _slope_of_theta(excess: float, alpha: float, classes: int, records: int) -> float:
    """Derivative of the log-likelihood by theta, at theta = excess - alpha.

    It is the sum of 1/(theta + i alpha) over the classes but one, minus that of 1/(theta + i) over the records but one.
    Terms with the same i are subtracted one by one, because they hardly differ if nearly all records are unique.
    """
    theta = excess - alpha

    def difference(i: Any) -> Any:
        return i * (1 - alpha) / ((excess + (i - 1) * alpha) * (excess + (i - alpha)))

    def slope_of_difference(i: Any) -> Any:
        return (1 - alpha) * (theta**2 - i**2 * alpha) / ((excess + (i - 1) * alpha) * (excess + (i - alpha))) ** 2

    first = excess + (classes - alpha)
    rest = _sum_terms(lambda i: 1 / (first + (i - 1)), lambda i: -1 / (first + (i - 1)) ** 2, records - classes)
    return _sum_terms(difference, slope_of_difference, classes - 1) - rest


def _slope_of_alpha(excess: float, alpha: float, sizes: ClassSizes) -> float:
    """Derivative of the log-likelihood by alpha, at theta = excess - alpha."""
    grown = _sum_terms(
        lambda i: i / (excess + (i - 1) * alpha),
        lambda i: (excess - alpha) / (excess + (i - 1) * alpha) ** 2,
        sizes.number - 1,
    )
    longest = int(sizes.sizes[-1])
    near = np.concatenate([[0.0], np.cumsum(1 / (np.arange(1, min(longest, SUMMED_TERMS)) - alpha))])
    sums = near[np.minimum(sizes.sizes, SUMMED_TERMS) - 1]
    if longest > SUMMED_TERMS:
        first, last = SUMMED_TERMS - alpha, np.maximum(sizes.sizes, SUMMED_TERMS + 1) - 1 - alpha
        tail = np.log(last / first) + (1 / first + 1 / last) / 2 + (1 / first**2 - 1 / last**2) / 12
        sums = sums + np.where(sizes.sizes > SUMMED_TERMS, tail, 0)
    return grown - float(sizes.classes @ sums)


def _sum_terms(term: Callable[[Any], Any], slope: Callable[[Any], Any], number: int) -> float:
    """The sum of a smooth term from 1 to `number`: the first terms one by one, the rest by Euler-Maclaurin."""
    summed = float(np.sum(term(np.arange(1, min(number, SUMMED_TERMS - 1) + 1, dtype=np.float64))))
    if number < SUMMED_TERMS:
        return summed
    first, last = float(SUMMED_TERMS), float(number)
    half = math.log(last / first) / 2
    nodes, weights = _quadrature()
    points = np.exp(half * (nodes + 1)) * first
    integral = float(half * np.sum(weights * points * term(points)))
    ends: float = (term(first) + term(last)) / 2 + (slope(last) - slope(first)) / 12
    return summed + integral + ends


@cache
def _quadrature() -> tuple[Reals, Reals]:
    """The points and weights of Gauss-Legendre quadrature."""
    return np.polynomial.legendre.leggauss(40)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """The root of a function that is positive at the low end and negative at the high end.

    Found by the Illinois algorithm: the secant method, with half the weight for an end that stays.
    """
    at_low, at_high, side = function(low), function(high), 0
    if at_low <= 0 or at_high >= 0:
        return low if at_low <= 0 else high
    middle = low
    for _ in range(200):
        before, middle = middle, (low * at_high - high * at_low) / (at_high - at_low)
        at_middle = function(middle)
        if at_middle == 0 or not low < middle < high or abs(middle - before) <= 1e-15 * abs(middle):
            break
        if at_middle > 0:
            low, at_low = middle, at_middle
            at_high = at_high / 2 if side > 0 else at_high
        else:
            high, at_high = middle, at_middle
            at_low = at_low / 2 if side < 0 else at_low
        side = 1 if at_middle > 0 else -1
    return middle
