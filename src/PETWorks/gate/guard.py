"""Numbers as outsiders may see them: nothing reveals a group of people below the cell size.

Two harmless numbers can reveal a small count by subtraction. So a share is given as a cell: the middle of a range that
is at least (cell size)/(the fewest people it can be a share of) wide. Every number that is shown then stands for at
least as many counts as a cell has people, and whatever is computed from several of them for even more.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from PETWorks.gate.bounds import Bound, Number
from PETWorks.gate.document import Value

SMALL_CLASS = Bound(withheld="small class")
FEW_RECORDS = Bound(withheld="few records")
TELLS_COUNTS = Bound(withheld="tells counts")
Guarded = TypeVar("Guarded")
FIGURES = 2  # significant figures of a bound
FEWEST_CELLS = 3  # below, above, and a range between them


@dataclass(frozen=True)
class Guard:
    """What may be published about `people` in cells of `cell_size`; `none` allows the shares 0 and 1 as well."""

    cell_size: int
    people: float
    none: bool = True

    def count(self, number: int | None) -> int | Bound | None:
        """A number of people, or a bound if it is small; zero is published."""
        return number if not number or number >= self.cell_size else Bound(below=self.cell_size)

    def at_least(self, number: int | None) -> int | Bound | None:
        """A class size as a round lower bound. The exact size could be subtracted from the records."""
        counted = self.count(number)
        return counted if counted is None or counted != number else Bound(at_least=self._round(number or 0))

    def highest(self, risk: float | None) -> Number:
        """One over the size of the smallest class, as a round upper bound."""
        if risk is None or risk == 0:
            return risk
        if risk * self.cell_size > 1:
            return Bound(above=figures(1 / self.cell_size))
        return Bound(at_most=figures(1 / self._round(1 / risk + 1e-9)))

    def share(self, share: float | None) -> Number:
        """A share of the people: the middle of its cell, or a bound if it is close to 0 or 1."""
        if share is None or (self.none and share in (0, 1)):
            return share
        step = self.cell_size / round_number(self.people)
        if step > 1 / FEWEST_CELLS:
            return FEW_RECORDS
        if share < step:
            return Bound(below=figures(step))
        if share > 1 - step:
            return Bound(above=figures(1 - step))
        room = 1 - 2 * step
        cells = max(math.floor(room / step), 1)
        width = room / cells
        middle = step + (min(math.floor((share - step) / width), cells - 1) + 0.5) * width
        return Bound(about=round(middle, 1 - math.floor(math.log10(step))))

    def number(self, value: Any) -> Number:
        """The value of a measure: a size or a share; any other number may reveal a count and is withheld."""
        if value is None or isinstance(value, int):
            return self.at_least(value)
        return self.share(value) if 0 <= value <= 1 else TELLS_COUNTS

    def numbers(self, value: Any) -> Value:
        """The value of a measure, which may consist of several numbers."""
        return tuple(map(self.number, value)) if isinstance(value, list | tuple) else self.number(value)

    def _round(self, number: float) -> int:
        return max(int(round_number(number)), self.cell_size)


def round_number(people: float) -> float:
    """A round number that is not larger; it keeps the visible width of a cell from revealing the exact number.

    >>> [round_number(people) for people in (9.5, 83, 1200, 836000)]
    [5.0, 50.0, 1000.0, 500000.0]
    """
    if people < 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(people))
    return max(power * figure for figure in (1, 2, 5) if power * figure <= people)


def figures(number: float) -> float:
    """A number with two significant figures.

    >>> figures(0.45125), figures(0.9909), figures(415908.4)
    (0.45, 0.99, 420000.0)
    """
    return number if number == 0 else round(number, FIGURES - 1 - math.floor(math.log10(abs(number))))


def kept_to(guarded: Guarded, value: Any, limits: Iterable[Any]) -> Guarded | Bound:
    """A guarded number, or its relation to a limit if it seems to be on the other side of that limit."""
    if not isinstance(guarded, Bound) or guarded.about is None:
        return guarded
    for limit in limits:
        number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if number and (guarded.about <= limit) != (value <= limit):
            return Bound(at_most=limit) if value <= limit else Bound(above=limit)
    return guarded
