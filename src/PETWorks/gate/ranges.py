"""Counts as ranges: what outsiders may know of a number of people.

The bounds of the ranges are the same for every count of a policy. So two counts that are published never give away
more than their ranges do, and a count keeps its range if one record is added or removed, unless it is at a bound.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from PETWorks.gate.bounds import FEW_RECORDS, Bound

FIGURES = 2  # significant figures of a share
FEWEST_RANGES = 10  # of a table for which shares are published


class Range(NamedTuple):
    """A count that is at least `low` and at most `high`."""

    low: int
    high: int

    @property
    def middle(self) -> int:
        """The number that stands for the range."""
        return (self.low + self.high + 1) // 2


def narrowest(cell_size: int) -> int:
    """The width of the narrowest range: a round number that is not smaller than a cell.

    >>> [narrowest(size) for size in (1, 3, 5, 11, 20)]
    [2, 5, 5, 20, 20]
    """
    width = round_number(cell_size)
    return max(2, width if width == cell_size else next_round_number(width))


def range_of(count: int, cell_size: int) -> Range:
    """The range of a count, about a tenth of it wide, but at least as wide as a cell.

    >>> range_of(3, 5), range_of(42, 5), range_of(45222, 5)
    (Range(low=0, high=4), Range(low=40, high=44), Range(low=44000, high=45999))
    """
    width = max(narrowest(cell_size), round_number(count // 10))
    low = count // width * width
    return Range(low, low + width - 1)


def has_few(records: Range, cell_size: int) -> bool:
    """Whether a table has too few records for shares of them to be published."""
    return records.low < FEWEST_RANGES * narrowest(cell_size)


def share_of(count: Range, records: Range, cell_size: int) -> Bound:
    """The share that a count is of the records, as far as their ranges tell."""
    if has_few(records, cell_size):
        return FEW_RECORDS
    if count.low == 0:
        return Bound(below=_rounded((count.high + 1) / records.low, math.ceil))
    if count.high >= records.low:
        return Bound(above=_rounded(count.low / (records.high + 1), math.floor))
    return Bound(about=_rounded(count.middle / records.middle, round))


def complement(share: Bound) -> Bound:
    """What is left of the whole, if this is the share that is gone."""
    if share.below is not None:
        return Bound(above=_places(1 - share.below))
    if share.above is not None:
        return Bound(below=_places(1 - share.above))
    return share if share.about is None else Bound(about=_places(1 - share.about))


def two_figures(number: float) -> float:
    """A number with two significant figures.

    >>> two_figures(1 / 11), two_figures(0.25)
    (0.091, 0.25)
    """
    return _rounded(number, round)


def _places(number: float) -> float:
    return round(number, 12)  # without the noise of a subtraction


def round_number(number: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50, ... that is not larger; 1 for what is below.

    >>> [round_number(number) for number in (0, 9.5, 83, 1200, 836000)]
    [1, 5, 50, 1000, 500000]
    """
    if number < 1:
        return 1
    power: int = 10 ** (len(str(int(number))) - 1)
    return max(power * figure for figure in (1, 2, 5) if power * figure <= number)


def next_round_number(number: int) -> int:
    """The round number after a round number."""
    return number * 5 // 2 if str(number)[0] == "2" else number * 2


def _rounded(number: float, direction: Callable[[float], float]) -> float:
    places = FIGURES - 1 - math.floor(math.log10(number))
    scale = 10.0**places
    return round(direction(number * scale) / scale, max(places, 0))
