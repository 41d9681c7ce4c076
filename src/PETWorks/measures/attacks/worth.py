"""What guessing a sensitive value is worth to an adversary, as whole units, so that gains add up exactly.

Some values hurt more when they are guessed. The adversary makes the guess that gains most on average. With a worth of 1
for every value, the gain is the chance of a right guess (Alvim, Chatzikokolakis, McIver, Morgan, Palamidessi, Smith
(2020), *The Science of Quantitative Information Flow*: g-vulnerability with a diagonal gain function).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from PETWorks.about.spelling import folded
from PETWorks.counting.counts import Integers
from PETWorks.errors import ParameterError, Phrase, unknown
from PETWorks.measures.parameters import Number

FINEST = 10**6  # denominators of a worth: 1/3 is meant by 0.3333333333333333
MOST_UNITS = 1 << 62


@dataclass(frozen=True, eq=False)
class Worth:
    """What each value of an attribute is worth, by its code: `units[code] / scale`."""

    units: Integers
    scale: int

    def recoded(self, codes: Integers) -> "Worth":
        """The same for a table that has other codes: codes[c] is here what is code c there."""
        return Worth(self.units[codes], self.scale)

    def gain(self, units: int, records: int) -> float:
        """So many units, gained from so many records, as the gain on average."""
        return float(Fraction(int(units), self.scale * records))

    def prior(self, counts: Integers) -> int:
        """The units that are gained by one guess for all records, of which so many have each value."""
        return int((counts * self.units).max(initial=0))


Given = Mapping[str, Mapping[str | None, Any] | Worth]


IN_THE_TABLE, SENSITIVE_ATTRIBUTE = Phrase("the table"), Phrase("sensitive attribute")


def worth_of(
    worth: Given | None,
    values: Mapping[str, Sequence[str | None]],
    records: int,
    where: Phrase = IN_THE_TABLE,
    what: Phrase = SENSITIVE_ATTRIBUTE,
    *,
    folds: bool = False,
) -> dict[str, Worth]:
    """For each attribute that has one, the worth of its values, which are listed in the order of their codes.

    records   how many there are: so often a worth may be added up
    where     where a value should occur, and what the attributes are, for errors
    folds     whether values that differ in spelling only are one, which is worth the most of what they are, and
              missing ones do not count
    """
    if worth is None:
        return {}
    if isinstance(worth, Mapping) and all(isinstance(given, Worth) for given in worth.values()):
        return {column: given for column, given in worth.items() if isinstance(given, Worth)}  # checked before
    if not isinstance(worth, Mapping) or not all(isinstance(given, Mapping) for given in worth.values()):
        raise ParameterError("expected worth as a dict from attribute to a dict from value to number", what="worth")
    checked = {}
    for column, given in worth.items():
        if column not in values:
            raise unknown(what, column, values, what="worth")
        assert isinstance(given, Mapping)
        numbers: dict[str | None, Fraction] = {}
        for value, number in given.items():
            cell = folded(_cell(value)) if folds else _cell(value)
            if cell is not None or not folds:
                numbers[cell] = max(_number(column, number), numbers.get(cell, Fraction(0)))
        missing = set(numbers) - set(values[column])
        if missing:
            raise ParameterError(
                "worth of {column!r}: {missing} of {values} values do not occur in {place}",
                column=column,
                missing=len(missing),
                values=len(numbers),
                place=where,
                what="worth",
            )
        checked[column] = _in_units([numbers.get(value, Fraction(1)) for value in values[column]], records)
    return checked


def _cell(value: Any) -> str | None:
    """A value as cells are read: trimmed, an empty one missing."""
    return None if value is None else str(value).strip() or None


def _number(column: str, number: Any) -> Fraction:
    return Fraction(Number(at_least=0).check(Phrase("worth"), column, number)).limit_denominator(FINEST)


def _in_units(worth: Iterable[Fraction], records: int) -> Worth:
    """Whole numbers of units, as fine as it takes to be exact, or as they fit into 64 bits."""
    numbers = list(worth)
    most = max([*numbers, Fraction(1)])
    if most * records > MOST_UNITS:
        raise ParameterError("worth: numbers are too large to be added up for all records", what="worth")
    scale = min(lcm(*(number.denominator for number in numbers)), int(MOST_UNITS / (most * records)))
    return Worth(np.array([round(number * scale) for number in numbers], np.int64), scale)
