"""The similarity of the release to the original in single columns, and in every two and three columns together."""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random
from typing import Annotated, Any

import numpy as np

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import ClassValues, Integers, run_starts
from PETWorks.counting.engines.engine import memory_limit_in_bytes
from PETWorks.counting.stacked import column_by_table, common_column
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.errors import NeedNotMet
from PETWorks.measures.catalogue import metric
from PETWorks.measures.disclosure.compared import EVERYONE, tables_on_levels
from PETWorks.measures.parameters import AtLeast, Number
from PETWorks.measures.result import Result, no_less_than
from PETWorks.measures.utility.fidelity import OF_COLUMNS

WIDTHS = (1, 2, 3)
JUDGED = 2  # the width of the value
SCORED = 3  # the width of NIST's score
MOST_SETS = 1000


@metric(**OF_COLUMNS)
def marginals(
    view: View, *, at_least: AtLeast = None, seed: Annotated[int, Number(at_least=0, whole=True)] = 1
) -> Result:
    """One minus the mean total variation between pairs of columns in the release and in the original.

    The details have the mean distance over all sets of one, two and three columns (over 1,000 random ones, drawn by the
    seed, if there are more), the set with the largest one, and the k-marginal score of NIST.

    NIST (2023), *SDNist v2: Deidentified Data Report Tool*.

    >>> from PETWorks import Release
    >>> release = Release("data/adult_anonymized.csv", original="data/adult.csv")
    >>> [round(distance["mean"], 3) for distance in marginals(release).details["distances"].values()]
    [0.735, 0.942, 0.992]
    """
    names = sorted(view.compared)
    if len(names) < JUDGED:
        raise NeedNotMet("needs two columns to compare: quasi-identifiers or sensitive attributes")
    sets = [columns for width in WIDTHS for columns in _sets_of_columns(names, width, seed)]
    original, released, _ = tables_on_levels(view)
    found = total_variations(original, released, sets)
    means: dict[int, Fraction] = {}
    distances: dict[str, Any] = {}
    for width in WIDTHS:
        of_width = {columns: distance for columns, distance in found.items() if len(columns) == width}
        if not of_width:
            continue
        means[width] = sum(of_width.values(), Fraction(0)) / len(of_width)
        farthest = max(of_width, key=lambda columns: of_width[columns])
        distances[str(width)] = {
            "mean": float(means[width]),
            "sets": len(of_width),
            "of": comb(len(names), width),
            "largest": float(of_width[farthest]),
            "largest_of": list(farthest),
        }
    value = float(1 - means[JUDGED])
    details: dict[str, Any] = {"raw": float(means[JUDGED]), "min": 0.0, "max": 1.0, "distances": distances}
    if SCORED in means:
        details["k_marginal_score"] = float(1000 * (1 - means[SCORED]))
    return Result("marginals", value, no_less_than(value, at_least), {"at_least": at_least, "seed": seed}, details)


def _sets_of_columns(names: Sequence[str], width: int, seed: int) -> Iterable[tuple[str, ...]]:
    """All sets of columns of this width, or random ones if there are too many."""
    number = comb(len(names), width)
    if number <= MOST_SETS:
        return combinations(names, width)
    drawn = Random(f"{seed} {width}").sample(range(number), MOST_SETS)  # noqa: S311 - not for secrets
    return (tuple(names[place] for place in _combination(rank, len(names), width)) for rank in sorted(drawn))


def _combination(rank: int, number: int, width: int) -> list[int]:
    """The combination at this place of `combinations(range(number), width)`."""
    places: list[int] = []
    for place in range(number):
        after = comb(number - place - 1, width - len(places) - 1)
        if rank < after:
            places.append(place)
            if len(places) == width:
                break
        else:
            rank -= after
    return places


def total_variations(
    original: Table, released: Table, sets: Collection[tuple[str, ...]]
) -> dict[tuple[str, ...], Fraction]:
    """Half the sum of the absolute differences of shares, for the combinations of values of each set of columns."""
    names = sorted({name for columns in sets for name in columns})
    tables = [original, released]
    common = {name: common_column(tables, name) for name in names}
    whose = {EVERYONE: column_by_table(tables, common[names[0]], len(tables), with_values=False)}
    stacked = original.stack([released], common | whose)
    score = AbsoluteDifferences(original.rows, released.rows)
    sizes = sorted({len(columns) for columns in sets})
    only = [frozenset(columns) for columns in sets]
    memory = memory_limit_in_bytes(None)
    apart: dict[frozenset[str], int] = {}
    for counted in stacked.count_subsets(names, [EVERYONE], sizes, memory, lambda _: False, {EVERYONE: [score]}, only):
        apart |= {subset: counts.gains[0] for subset, counts in counted.items()}
    records = 2 * max(original.rows * released.rows, 1)
    return {columns: Fraction(apart[frozenset(columns)], records) for columns in sets}


class AbsoluteDifferences:
    """The sum of the absolute differences of shares between two stacked tables, times the records of both."""

    def __init__(self, original: int, released: int) -> None:
        exact = np.int64 if original * released < 1 << 61 else object
        self._factors = np.array([released, -original], exact)

    def of_keys(self, keys: Codes, weights: Codes, value_bits: int) -> int:
        """The sum over classes of sorted, distinct keys, the lowest bits of which tell the table."""
        starts = run_starts(keys >> keys.dtype.type(value_bits))
        return self._sum((keys & keys.dtype.type((1 << value_bits) - 1)).astype(np.int64), weights, starts)

    def of_classes(self, classes: ClassValues) -> int:
        """The sum over classes."""
        return self._sum(classes.values, classes.counts, classes.starts)

    def _sum(self, tables: Integers, counts: Integers | Codes, starts: Integers) -> int:
        factors = self._factors[tables]
        return int(np.abs(np.add.reduceat(factors * counts.astype(factors.dtype), starts)).sum())
