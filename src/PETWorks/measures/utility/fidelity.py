"""The similarity of the released columns, pairs of columns and statistics to the original ones."""

import math
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from numbers import Integral, Real
from typing import Annotated, Any

import numpy as np

from PETWorks.about.kinds import KINDS
from PETWorks.counting.counts import Integers, Marginal, PairCounts, Reals
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.errors import NeedNotMet, ParameterError, Phrase, quoted
from PETWorks.measures.catalogue import ColumnNumber, metric
from PETWorks.measures.disclosure.compared import tables_on_levels
from PETWorks.measures.parameters import AtLeast, Function, Number
from PETWorks.measures.result import Result, no_less_than, no_more_than
from PETWorks.tables.cells import SUPPRESSED, is_number

QUANTILES = {"first_quartile_bias": 0.25, "median_bias": 0.5, "third_quartile_bias": 0.75}


# Measures that compare the columns of the release with those of the original, value by value.
OF_COLUMNS: dict[str, Any] = {
    "family": "utility",
    "better": "higher",
    "needs": ("the original table",),
    "treats": {"missing": "value", "suppressed": "value", "several_sensitive": None, "privacy_unit": None},
    "unit": "ratio",
    "sees": "labels",
    "kinds": KINDS,
}


@metric(by_column=ColumnNumber("total_variation", better="lower"), **OF_COLUMNS)
def fidelity(view: View, *, at_least: AtLeast = None) -> Result:
    """One minus the mean total variation between the released and the original columns.

    Quasi-identifiers and sensitive attributes are compared as they stand, or on the levels of `compare_at`: a
    generalised value is another value than the original one. The details have, for each column, total variation and
    Jensen-Shannon distance; for numeric ones how far mean, variance and quartiles have moved, whatever the level; for
    each pair of columns how Cramér's V has changed. For these, cells that are suppressed or missing are left out.

    Lin (1991), *Divergence Measures Based on the Shannon Entropy*; Cramér (1946), *Mathematical Methods of Statistics*.

    >>> from PETWorks import Release
    >>> release = Release("data/adult_anonymized.csv", original="data/adult.csv")
    >>> sorted(fidelity(release).details["columns"]["sex"])
    ['jensen_shannon_distance', 'total_variation']
    """
    names = view.compared
    if not names:
        raise NeedNotMet("needs a column to compare: a quasi-identifier or a sensitive attribute")
    exact = view.background.original
    numbers = {
        name: bias for name in names if (bias := _numeric_bias(exact.marginal(name), view.marginal(name))) is not None
    }
    original, released, _ = tables_on_levels(view)
    columns = {name: _compare(original.marginal(name), released.marginal(name)) for name in names}
    raw = sum(_total_variation(original.marginal(name), released.marginal(name)) for name in names) / len(names)
    value = float(1 - raw)
    details: dict[str, Any] = {"raw": float(raw), "min": 0.0, "max": 1.0, "columns": columns}
    if numbers:
        details["numeric_columns"] = numbers
    if len(names) > 1:
        details["pairs"] = _pairs(released, original, names)
    return Result("fidelity", value, no_less_than(value, at_least), {"at_least": at_least}, details)


def _compare(original: Marginal, released: Marginal) -> dict[str, float]:
    """Total variation and Jensen-Shannon distance (in bits) of two marginals."""
    counts = _side_by_side(original, released)
    p, q = (side / side.sum() for side in counts)
    middle = (p + q) / 2
    divergence = (_relative_entropy(p, middle) + _relative_entropy(q, middle)) / 2
    return {
        "total_variation": float(_total_variation(original, released)),
        "jensen_shannon_distance": math.sqrt(min(max(divergence, 0.0), 1.0)),
    }


def _total_variation(original: Marginal, released: Marginal) -> Fraction:
    """Half the sum of the absolute differences of shares, in integers over a common denominator."""
    before, after = _side_by_side(original, released)
    scale = original.records * released.records
    kind = np.int64 if scale < 2**61 else object
    apart = np.abs(before.astype(kind) * released.records - after.astype(kind) * original.records)
    return Fraction(int(apart.sum()), 2 * scale)


def _side_by_side(original: Marginal, released: Marginal) -> tuple[Integers, Integers]:
    """The counts of both marginals, for the union of their values."""
    indices = {value: index for index, value in enumerate(dict.fromkeys([*original.values, *released.values]))}
    counts = np.zeros(len(indices), np.int64), np.zeros(len(indices), np.int64)
    for side, marginal in zip(counts, (original, released), strict=True):
        side[[indices[value] for value in marginal.values]] = marginal.counts
    return counts


def _relative_entropy(p: Reals, q: Reals) -> float:
    positive = p > 0
    return float(np.sum(p[positive] * np.log2(p[positive] / q[positive])))


def _numeric_bias(original: Marginal, released: Marginal) -> dict[str, float] | None:
    """The changes of mean, variance and quartiles; None unless both columns are numeric."""
    both = [_numbers(marginal) for marginal in (original, released)]
    if both[0] is None or both[1] is None:
        return None
    before, after = (_describe(*numbers) for numbers in both if numbers is not None)
    return {name: after[name] - before[name] for name in before}


def _numbers(marginal: Marginal) -> tuple[Reals, Integers] | None:
    """The numbers of a column in ascending order and their counts, without missing and suppressed cells."""
    present = [
        (value, count)
        for value, count in zip(marginal.values, marginal.counts.tolist(), strict=True)
        if value is not None and value != SUPPRESSED
    ]
    if not present or not all(is_number(value) for value, _ in present):
        return None
    numbers, counts = np.array([float(value) for value, _ in present]), np.array([count for _, count in present])
    if not np.isfinite(numbers).all() or np.abs(numbers).max() > 1e150:
        return None  # their variance would overflow
    order = np.argsort(numbers, kind="stable")
    return numbers[order], counts[order]


def _describe(numbers: Reals, counts: Integers) -> dict[str, float]:
    records = int(counts.sum())
    mean = math.fsum((numbers * counts).tolist()) / records
    variance = math.fsum(((numbers - mean) ** 2 * counts).tolist()) / records
    # A quantile is the smallest number that at least this share of the records does not exceed.
    indices = np.searchsorted(np.cumsum(counts), [math.ceil(share * records) for share in QUANTILES.values()])
    quartiles = dict(zip(QUANTILES, numbers[indices].tolist(), strict=True))
    return {"mean_bias": mean, "variance_bias": variance, **quartiles}


def _pairs(released: Table, original: Table, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Cramér's V of each pair of columns, in the original and in the release."""
    pairs = list(combinations(names, 2))
    before, after = dependence(original, pairs), dependence(released, pairs)
    return {
        quoted(pair): {"original": old, "released": new, "change": new - old}
        for pair, old, new in zip(pairs, before, after, strict=True)
    }


def dependence(table: Table, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Cramér's V of each pair of columns, over the records with a value in both."""
    return [
        cramers_v(_with_both_values(table, pair, counts))
        for pair, counts in zip(pairs, table.pair_counts(pairs), strict=True)
    ]


def _with_both_values(table: Table, pair: tuple[str, str], pairs: PairCounts) -> PairCounts:
    """The counts of pairs in which neither value is missing or suppressed."""
    present = np.ones(len(pairs.counts), np.bool_)
    for name, codes in zip(pair, (pairs.first, pairs.second), strict=True):
        for blank in (SUPPRESSED, None):
            present &= codes != (-1 if (code := table.domains[name].code(blank)) is None else code)
    return PairCounts(pairs.first[present], pairs.second[present], pairs.counts[present])


def cramers_v(pairs: PairCounts) -> float:
    """Cramér's V of two columns: 0 if they are independent or one has a single value; at most 1."""
    first, second = np.bincount(pairs.first, pairs.counts), np.bincount(pairs.second, pairs.counts)
    narrower = min(np.count_nonzero(first), np.count_nonzero(second)) - 1
    if narrower <= 0:
        return 0.0
    expected = first[pairs.first] * second[pairs.second]
    parts = pairs.counts.astype(np.float64) ** 2 / expected
    inertia = math.fsum(parts.tolist()) - 1  # the same in any order of the pairs, which engines do not share
    return math.sqrt(min(max(inertia / narrower, 0.0), 1.0))


LARGEST = sys.float_info.max


@metric(
    family="utility",
    better="lower",
    needs=("the original table",),
    treats={
        "missing": None,
        "suppressed": None,
        "several_sensitive": None,
        "sensitive_values": None,
        "privacy_unit": None,
    },
    unit="number",
    kinds=KINDS,
)
def utility_bias(
    view: View,
    *,
    function: Annotated[Callable[[Any], Any] | None, Function()] = None,
    max_bias: Annotated[float | None, Number(at_least=0, limit="at most")] = None,
) -> Result:
    """Difference between what a function of your own finds in the release and in the original.

    The function is called with each table just as it was given, and returns a number.

    >>> from PETWorks import Release
    >>> release = Release({"age": ["30", "40"]}, original={"age": ["31", "40"]})
    >>> oldest = lambda table: max(map(int, table["age"]))
    >>> utility_bias(release, function=oldest, max_bias=1).satisfied
    True
    """
    if function is None:
        raise NeedNotMet("needs a function of yours (in Python: function=...)")
    released, original = view.background.given
    return measure_bias(original, released, function, max_bias)


def measure_bias(original: Any, released: Any, function: Callable[[Any], Any], max_bias: float | None = None) -> Result:
    """The bias between two tables of any type that the function accepts."""
    before, after = _number(function(original), Phrase("original")), _number(function(released), Phrase("released"))
    bias = min(float(min(abs(after - before), Fraction(LARGEST))), LARGEST)
    return Result(
        "utility-bias",
        bias,
        no_more_than(bias, max_bias),
        {"function": str(getattr(function, "__name__", type(function).__name__)), "max_bias": max_bias},
        {"original": float(before), "released": float(after)},
    )


def _number(answer: Any, table: Phrase) -> Fraction:
    """The answer of the function as an exact number; raise if it is not a finite number."""
    wanted = isinstance(answer, Real | Decimal) and not isinstance(answer, bool)
    try:
        if not wanted:
            raise ValueError
        exact = Fraction(int(answer) if isinstance(answer, Integral) else float(answer))
        float(exact)
    except (ValueError, OverflowError):
        what = Phrase("one that is not finite") if wanted else type(answer).__name__
        raise ParameterError(
            "needs a function that returns a number; of the {table} table it returned {answer}",
            table=table,
            answer=what,
            what="function",
            measure="utility-bias",
        ) from None
    return exact
