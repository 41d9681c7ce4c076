"""The individual risk of a record of a survey: its class in the population is estimated from sampling weights.

A class has f records in the sample, which stand for F people by the sum of their weights. Given f, the number N of its
people in the population is f plus a negative binomial number with f successes of probability p = f/F, and the risk is
the expectation of 1/N, which is the integral of u**(f - 1) / (1 + c u) for u from 0 to 1, with c = F/f - 1.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from PETWorks.about.population import Sample
from PETWorks.counting.counts import ClassValues, Grouping, Integers, Reals
from PETWorks.counting.keys import pack, rank_keys
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import Question
from PETWorks.counting.view import View
from PETWorks.counting.weights import Weights
from PETWorks.errors import NotApplicable
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import ClassTest, Mask, Monotone, check_one_weight, view_weights
from PETWorks.measures.parameters import Number
from PETWorks.measures.result import Result, at_most

Risk = Annotated[float | None, Number(at_least=0, at_most=1, limit="at most", unit="share")]
Expected = Annotated[float | None, Number(at_least=0, limit="at most")]
Threshold = Annotated[float, Number(at_least=0, at_most=1)]

SMALL_CLASS = 40  # up to this size, large c are computed by recurrence; for larger classes the series is short


def individual_risks(sizes: Integers, people: Reals) -> Reals:
    """The expectation of 1/N for classes of f records that stand for F people; 1/f if F is at most f.

    For c >= 1, the integral follows for f = 1, 2, ... from I(1) = log(1 + c)/c and I(f + 1) = (1/f - I(f))/c, where an
    error never grows. For c < 1 or large classes, the series below converges fast: in each step the terms shrink by
    k/(f + k) times (1 - p), and all of them are positive.

    >>> individual_risks(np.array([1, 2, 3, 1]), np.array([45.5, 100, 108, 1])).round(8)
    array([0.08579129, 0.01877883, 0.01355297, 1.        ])
    """
    excess = np.maximum(people / sizes - 1, 0)
    risks = np.empty(len(sizes))
    single = (sizes == 1) & (excess > 0)
    risks[single] = np.log1p(excess[single]) / excess[single]
    by_recurrence = (sizes > 1) & (sizes <= SMALL_CLASS) & (excess >= 1)
    if by_recurrence.any():
        risks[by_recurrence] = _by_recurrence(sizes[by_recurrence], excess[by_recurrence])
    others = ~single & ~by_recurrence
    if others.any():
        risks[others] = _by_series(sizes[others], excess[others])
    return risks


def _by_recurrence(sizes: Integers, excess: Reals) -> Reals:
    """The integrals for small classes with c >= 1, for all classes of one size at a time."""
    order = np.argsort(sizes, kind="stable")
    left, risks = excess[order], np.empty(len(sizes))
    ends = np.searchsorted(sizes[order], np.arange(SMALL_CLASS + 1), side="right")
    integrals = np.log1p(left) / left
    for size in range(2, int(sizes.max()) + 1):
        done, end = ends[size - 1], ends[size]
        integrals = (1 / (size - 1) - integrals[done - ends[size - 2] :]) / left[done:]
        risks[order[done:end]] = integrals[: end - done]
    return risks


def _by_series(sizes: Integers, excess: Reals) -> Reals:
    """The sum of (p/f) k! f!/(f + k)! (1 - p)**k over k, which is the integral by Pfaff's transformation."""
    share = excess / (1 + excess)
    terms = np.ones(len(sizes))
    sums = np.ones(len(sizes))
    number = 0
    while len(terms) and terms.max() > np.finfo(np.float64).eps / 8:
        number += 1
        terms *= share * number / (sizes + number)
        sums += terms
    return sums / ((1 + excess) * sizes)


HALF = 36  # bits of each of the two integers that `exact_sum` adds


def exact_sum(numbers: Reals) -> int:
    """The sum of numbers that are not negative, in units of 2**-72: as integers, so that order does not matter."""
    scaled = numbers * 2.0**HALF
    high = scaled.astype(np.int64)
    scaled -= high
    scaled *= 2.0**HALF
    return (int(high.sum()) << HALF) + int(scaled.astype(np.int64).sum())


def from_exact(total: int) -> float:
    """A sum of `exact_sum` as a number."""
    return total / (1 << 2 * HALF)


@dataclass(frozen=True)
class RiskSums:
    """Sums over the risks of some classes.

    highest    the highest risk, the number of records of that class and of the people they stand for
    lowest     the lowest risk
    expected   the sum of the risks of all records, in units of `exact_sum`
    exposed    the number of records with a risk above a threshold
    records    the number of records
    more       the number of records beyond one per person of a class: of people who have several weights
    """

    highest: tuple[float, int, float] = (0.0, 0, 0.0)
    lowest: float = 1.0
    expected: int = 0
    exposed: int = 0
    records: int = 0
    more: int = 0

    def merge(self, other: "RiskSums") -> "RiskSums":
        """The sums over the classes of both."""
        return RiskSums(
            max(self.highest, other.highest, key=lambda worst: (worst[0], -worst[1], -worst[2])),
            min(self.lowest, other.lowest),
            self.expected + other.expected,
            self.exposed + other.exposed,
            self.records + other.records,
            self.more + other.more,
        )


def _sum_risks(weights: Weights, threshold: float, classes: ClassValues) -> RiskSums:
    if not len(classes.sizes):
        return RiskSums()
    people, sizes = weights.sums(classes), classes.persons
    risks = individual_risks(sizes, people)
    worst = np.flatnonzero(risks == risks.max())
    worst = worst[np.lexsort((people[worst], sizes[worst]))[0]]
    return RiskSums(
        (float(risks[worst]), int(sizes[worst]), float(people[worst])),
        float(risks.min()),
        exact_sum(np.minimum(risks * sizes, 1)),
        int(sizes[~at_most(risks, threshold)].sum()),
        int(sizes.sum()),
        int((classes.sizes - sizes).sum()),
    )


def _risks_question(view: View, threshold: float) -> Question[RiskSums]:
    """Ask for the risks of all classes."""
    kernel = partial(_sum_risks, view_weights(view), threshold)
    return view.fold_question(("individual risks", threshold), str(view.sample.weight), kernel, RiskSums.merge)


@dataclass(frozen=True)
class HouseholdSums:
    """Sums over households, from some of the classes that their members are in.

    high, low   for each household the negative logarithm of the chance that none of these members is found, as
                high * 2**-30 + low * 2**-60
    members     the number of members of each household
    alone       the records without a household, each of whom lives alone
    """

    high: Integers
    low: Integers
    members: Integers
    alone: RiskSums

    def merge(self, other: "HouseholdSums") -> "HouseholdSums":
        """The sums over the classes of both."""
        return HouseholdSums(
            self.high + other.high,
            self.low + other.low,
            self.members + other.members,
            self.alone.merge(other.alone),
        )

    @property
    def risks(self) -> Reals:
        """The chance that a member of a household is found, for each household."""
        return household_risks(np.ldexp(self.high.astype(np.float64), -30) + np.ldexp(self.low.astype(np.float64), -60))


CERTAIN = 64.0  # stands for the infinite logarithm of a chance of 0: exp(-64) is nothing beside 1


def miss_logarithms(risks: Reals) -> Reals:
    """The negative logarithm of the chance that a record is not found."""
    return np.asarray(-np.log1p(-np.minimum(risks, 1 - np.exp2(-53))) + np.where(risks >= 1, CERTAIN, 0))


def household_risks(logarithms: Reals) -> Reals:
    """The chance that a member of a household is found, from the sum of `miss_logarithms` over its members."""
    return np.asarray(-np.expm1(-logarithms))


def _sum_households(
    weights: Weights,
    threshold: float,
    sample: Sample,
    grouping: Grouping,
    size: int,
    rows: WeightedRows,
    _people: WeightedRows | None,
) -> HouseholdSums:
    """Add up the risks of the members of each household; `size` is the number of values of the column."""
    by_weight = rows.values_by_class(grouping.columns, str(sample.weight))
    cells = rows.values_by_class(grouping.columns, str(sample.household))
    if (kept := rows._kept(grouping)) is not None:
        by_weight, cells = by_weight.only(kept), cells.only(kept)
    risks = individual_risks(cells.sizes, weights.sums(by_weight))[cells.cell_classes]
    sums = HouseholdSums(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64), RiskSums())
    missing = rows.domains[str(sample.household)].code(None)
    in_household = np.ones(len(risks), np.bool_) if missing is None else cells.values != missing
    households, members = cells.values[in_household], cells.counts[in_household]
    scaled = np.ldexp(miss_logarithms(risks[in_household]) * members, 30)
    high = np.floor(scaled)
    np.add.at(sums.high, households, high.astype(np.int64))
    np.add.at(sums.low, households, np.rint(np.ldexp(scaled - high, 30)).astype(np.int64))
    np.add.at(sums.members, households, members)
    alone = risks[~in_household], cells.counts[~in_household]
    return replace(sums, alone=_sum_of_members(*alone, threshold)) if len(alone[0]) else sums


def _sum_of_members(risks: Reals, members: Integers, threshold: float) -> RiskSums:
    """The sums for members with these risks, each on its own."""
    return RiskSums(
        (float(risks.max(initial=0.0)), 0, 0.0),
        float(risks.min(initial=1.0)),
        exact_sum(risks * members),
        int(members[~at_most(risks, threshold)].sum()),
        int(members.sum()),
    )


def _households_question(view: View, threshold: float) -> Question[HouseholdSums]:
    """Ask for the risks of all households."""
    sample, grouping = view.sample, view.grouping()
    weight, household = str(sample.weight), str(sample.household)
    table = view.counted(*grouping.columns, household, weight)
    size = len(table.domains[household].labels)
    of_part = partial(_sum_households, view.weights(table), threshold, sample, grouping, size)
    key = ("households", threshold, id(table), grouping)
    return Question(key, table, grouping, of_part, HouseholdSums.merge, weight, others=(household,))


def _household_details(view: View, threshold: float, records: int) -> dict[str, Any]:
    """The risks of households, for the details of a result; nothing if the table does not name them."""
    if view.sample.household is None or view.sample.household not in view.table.domains:
        return {}
    found = view.answer(_households_question(view, threshold))
    lived_in = found.members > 0
    risks, members = found.risks[lived_in], found.members[lived_in]
    if int(members.sum()) + found.alone.records != records:
        raise NotApplicable("some people have several households or sampling weights, where each person needs one")
    all_members = _sum_of_members(risks, members, threshold).merge(found.alone)
    return {
        "households": {
            "households": len(risks) + found.alone.records,
            "highest": all_members.highest[0],
            "average": from_exact(all_members.expected) / max(records, 1),
            "expected": from_exact(exact_sum(risks) + found.alone.expected),
            "records_at_risk": all_members.exposed,
            "at_risk": all_members.exposed / max(records, 1),
        }
    }


def individual_risks_per_record(view: View) -> tuple[Reals, Reals | None]:
    """The individual risk of each record in memory, and that of its household if households are named.

    As for every adversary, no record is set aside.
    """
    rows, known, weight = view.table, view.quasi_identifiers, str(view.sample.weight)
    assert isinstance(rows, WeightedRows)
    counted = view.counted(*known, weight)
    assert isinstance(counted, WeightedRows)
    classes, number = rank_keys(pack([rows.columns[name] for name in known]).keys)
    groups = classes if counted is rows else classes[counted.origin]
    sizes = np.bincount(groups, minlength=number)
    people = view.weights(counted).sums_by(groups, counted.columns[weight].codes, number)
    risks = individual_risks(sizes, people)[classes]
    household = view.sample.household
    if household is None or household not in rows.domains:
        return risks, None
    homes = rows.columns[household]
    logarithms = np.bincount(homes.codes, miss_logarithms(risks), len(homes.labels)).astype(np.float64)
    found = household_risks(logarithms)[homes.codes]
    missing = homes.code(None)
    return risks, found if missing is None else np.where(homes.codes == missing, risks, found)


def _asks(view: View, *, threshold: float, **_limits: float | None) -> list[Question[Any]]:
    has_households = view.sample.household is not None and view.sample.household in view.table.domains
    return [_risks_question(view, threshold), *([_households_question(view, threshold)] if has_households else [])]


def _too_risky(weights: Weights, highest: float, classes: ClassValues) -> Mask:
    """Whether the risk of each class is above a limit."""
    return ~at_most(individual_risks(classes.persons, weights.sums(classes)), highest)


def _tests(view: View, *, highest: float | None, **_of_the_table: float | None) -> list[ClassTest]:
    if highest is None:
        return []
    fails = partial(_too_risky, view_weights(view), highest)
    return [ClassTest(fails, Monotone.ALWAYS, sensitive=view.sample.weight)]


@metric(
    asks=_asks,
    tests=_tests,
    table_limits=("average", "expected", "at_risk"),
    family="risk",
    better="lower",
    needs=("quasi-identifiers", "sampling weights"),
    unit="share",
)
def individual_risk(
    view: View,
    *,
    highest: Risk = None,
    average: Risk = None,
    expected: Expected = None,
    threshold: Threshold = 0.05,
    at_risk: Risk = None,
) -> Result:
    """Highest chance that a record of a sample is that of the person it seems to be, by its sampling weight.

    A class of f records whose weights add up to F stands for N people of the population, of whom f were drawn: N - f is
    negative binomial with f successes of probability f/F, and the risk of each record is the expectation of 1/N. The
    details have the average, the expected number of records found, and the share of records above the threshold, all of
    which may be given limits; and, if the table names households, the chance that somebody of a household is found.

    Benedetti and Franconi (1998), *Statistical and Technological Solutions for Controlled Data Dissemination*; Franconi
    and Polettini (2004), *Individual Risk Estimation in mu-Argus: A Review*.

    >>> from PETWorks import Release
    >>> survey = {"area": ["north", "north", "south"], "weight": [18, 39, 45.5]}
    >>> release = Release(survey, {"area": "quasi_identifier"}, sampling_weight="weight")
    >>> individual_risk(release, highest=0.1)
    <individual-risk = 0.0857913 (highest=0.1, threshold=0.05): satisfied>
    """
    sums = view.answer(_risks_question(view, threshold))
    check_one_weight(sums.more)
    records = max(sums.records, 1)
    risks = {
        "highest": sums.highest[0],
        "average": from_exact(sums.expected) / records,
        "lowest": sums.lowest if sums.records else 0.0,
        "expected": from_exact(sums.expected),
        "records_at_risk": sums.exposed,
        "at_risk": sums.exposed / records,
    }
    limits = {"highest": highest, "average": average, "expected": expected, "at_risk": at_risk}
    compared = {
        limit: {
            "measured": risks[limit],
            "limit": wanted,
            "compared_as": "probability",
            "smallest_class_wanted": None,
            "holds": bool(at_most(risks[limit], wanted)),
        }
        for limit, wanted in limits.items()
        if wanted is not None
    }
    return Result(
        "individual-risk",
        risks["highest"],
        all(row["holds"] for row in compared.values()) if compared else None,
        {**limits, "threshold": threshold},
        {
            **risks,
            **({"limits": compared} if compared else {}),
            "riskiest_class": {"records": sums.highest[1], "people": sums.highest[2]} if sums.records else None,
            "estimated_population": view.estimated_population,
            **_household_details(view, threshold, sums.records),
            **view.class_summary(),
        },
    )
