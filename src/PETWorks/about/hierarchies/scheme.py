"""What every way of declaring a hierarchy has in common: a scheme that gives each value its labels, level by level."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

from PETWorks.errors import HierarchyError, Phrase, quoted
from PETWorks.tables.cells import is_number

MOST_LEVELS_DECLARED = 50
_LONGEST_NUMBER, _LARGEST_EXPONENT = 100, 100


class Scheme(Protocol):
    """Labels for the values of a column. They depend on what was declared, and on counts only where that says so."""

    @property
    def expects(self) -> str:
        """What a value must be to have a place, in words."""

    @property
    def takes_any_text(self) -> bool:
        """Whether any text can be a value, so that only the original says which texts are."""

    @property
    def listed(self) -> Sequence[str]:
        """Values that have a place whether or not the column has them."""

    def path(self, value: str) -> tuple[str, ...] | None:
        """The labels of a value from level 1 to the last one below `*`; None if it has no place."""

    def below(self, label: str, /) -> Iterable[str] | None:
        """Values that a label stands for, made one by one; none if they are not known; None if it is not a label."""

    def order(self, value: str) -> Any:
        """What to sort the values by."""


class AnyText:
    """What the schemes have in common that take any text as a value."""

    expects = Phrase("values of the original, or labels")
    listed: Sequence[str] = ()
    takes_any_text = True

    def order(self, value: str) -> Any:
        """By text."""
        return value


def decimal(text: str) -> Decimal | None:
    """The number that a text is, exactly; None if it is none, or absurdly long or large."""
    if len(text) > _LONGEST_NUMBER or not is_number(text):
        return None
    exponent = text.lower().partition("e")[2]
    return None if exponent and abs(int(exponent)) > _LARGEST_EXPONENT else Decimal(text)


def exact(text: str) -> Fraction | None:
    """The same as a fraction, to calculate with."""
    number = decimal(text)
    return None if number is None else Fraction(number)


def listed_items(given: Any) -> list[Any]:
    """A list as it is; anything else as its only item."""
    return list(given) if isinstance(given, list | tuple) else [given]


def numbers(key: str, given: Any) -> list[Fraction]:
    """One number or several, as texts or as numbers."""
    items = listed_items(given)
    found = [None if isinstance(item, bool | dict | list | tuple) else exact(str(item).strip()) for item in items]
    if not found or len(found) > 10_000 or None in found:
        raise HierarchyError("{key}: expected numbers, got {given}", key=key, given=shown(given))
    return [number for number in found if number is not None]


def one_number(key: str, given: Any) -> Fraction:
    """A single number."""
    found = numbers(key, given)
    if len(found) != 1 or isinstance(given, list | tuple):
        raise HierarchyError("{key}: expected one number, got {given}", key=key, given=shown(given))
    return found[0]


def whole_numbers(key: str, given: Any, *, ascending: bool, divisible: bool = False) -> list[int]:
    """Whole numbers from 1, one for each level: strictly ascending or descending, perhaps each a multiple of the next.

    divisible   of two numbers that follow each other, one divides the other: otherwise the levels would not nest
    """
    found = numbers(key, given)
    if any(number.denominator != 1 or not 1 <= number < 10**9 for number in found):
        raise HierarchyError("{key}: expected whole numbers from 1, got {given}", key=key, given=shown(given))
    whole = [int(number) for number in found]
    check_steps(key, found, ascending=ascending, divisible=divisible)
    return whole


def check_steps(key: str, found: Sequence[Fraction], *, ascending: bool, divisible: bool) -> None:
    """Check that numbers, one for each level, go one way and that the levels nest."""
    if len(found) > MOST_LEVELS_DECLARED:
        raise HierarchyError(
            "{key}: {found} levels; at most {most} can be declared",
            key=key,
            found=len(found),
            most=MOST_LEVELS_DECLARED,
        )
    for before, after in pairwise(found):
        if not (before < after if ascending else before > after):
            order = Phrase("ascending") if ascending else Phrase("descending")
            raise HierarchyError(
                "{key}: the numbers are not {order}: {after} follows {before}",
                key=key,
                order=order,
                after=as_text(after),
                before=as_text(before),
            )
        larger, smaller = (after, before) if ascending else (before, after)
        if divisible and (larger / smaller).denominator != 1:
            raise HierarchyError(
                "{key}: {larger} is not a multiple of {smaller}, so that the levels would not nest",
                key=key,
                larger=as_text(larger),
                smaller=as_text(smaller),
            )


def as_text(number: Fraction) -> str:
    """A number without an exponent, with no more decimals than it has.

    >>> as_text(Fraction("30.0")), as_text(Fraction("-0.250"))
    ('30', '-0.25')
    """
    decimals, scaled = 0, abs(number)
    while scaled.denominator != 1:  # ends: the number was written in digits
        decimals, scaled = decimals + 1, scaled * 10
    digits = str(scaled.numerator).rjust(decimals + 1, "0")
    text = f"{digits[: len(digits) - decimals]}.{digits[len(digits) - decimals :]}" if decimals else digits
    return f"-{text}" if number < 0 else text


def shown(given: Any) -> str:
    """What a key was given, for a message."""
    if isinstance(given, dict):
        return Phrase("a mapping")
    return quoted(listed_items(given), most=5) or Phrase("nothing")
