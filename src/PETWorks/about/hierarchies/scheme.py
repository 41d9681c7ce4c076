"""The parts common to all declared hierarchies: a scheme that gives each value its labels, level by level."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

from PETWorks.errors import HierarchyError, Phrase, quoted
from PETWorks.tables.cells import is_number

MAX_LEVELS_DECLARED = 50
_LONGEST_NUMBER, _LARGEST_EXPONENT = 100, 100


class Scheme(Protocol):
    """Labels for the values of a column. They depend on the declaration, and on counts only for some kinds."""

    @property
    def expects(self) -> str:
        """A description of the values that it accepts."""

    @property
    def takes_any_text(self) -> bool:
        """Whether any text can be a value, so that only the original shows which texts are values."""

    @property
    def listed(self) -> Sequence[str]:
        """Values that belong to the hierarchy even if the column does not have them."""

    def path(self, value: str) -> tuple[str, ...] | None:
        """The labels of a value from level 1 to the last one below `*`; None if it is not accepted."""

    def below(self, label: str, /) -> Iterable[str] | None:
        """The values that a label stands for, made lazily; empty if they are unknown; None if it is not a label."""

    def order(self, value: str) -> Any:
        """The sort key of a value."""


class OwnValues:
    """Base class of the schemes that accept texts of one form only, such as dates."""

    listed: Sequence[str] = ()
    takes_any_text = False


class AnyText:
    """Base class of the schemes that take any text as a value."""

    expects = Phrase("values of the original, or labels")
    listed: Sequence[str] = ()
    takes_any_text = True

    def order(self, value: str) -> Any:
        """Sort by text."""
        return value


def exact_decimal(text: str) -> Decimal | None:
    """The exact number in a text; None if it is not a number, or absurdly long or large."""
    if len(text) > _LONGEST_NUMBER or not is_number(text):
        return None
    exponent = text.lower().partition("e")[2]
    return None if exponent and abs(int(exponent)) > _LARGEST_EXPONENT else Decimal(text)


def exact_fraction(text: str) -> Fraction | None:
    """The exact number in a text as a fraction, for calculations; None if it is not a number."""
    number = exact_decimal(text)
    return None if number is None else Fraction(number)


def as_list(value: Any) -> list[Any]:
    """The items of a list; anything else as a list of one item."""
    return list(value) if isinstance(value, list | tuple) else [value]


def numbers(key: str, value: Any) -> list[Fraction]:
    """Parse one or more numbers, given as texts or numbers."""
    items = as_list(value)
    found = [
        None if isinstance(item, bool | dict | list | tuple) else exact_fraction(str(item).strip()) for item in items
    ]
    if not found or len(found) > 10_000 or None in found:
        raise HierarchyError("{key}: expected numbers, got {given}", key=key, given=describe_given(value))
    return [number for number in found if number is not None]


def one_number(key: str, value: Any) -> Fraction:
    """Parse a single number."""
    found = numbers(key, value)
    if len(found) != 1 or isinstance(value, list | tuple):
        raise HierarchyError("{key}: expected one number, got {given}", key=key, given=describe_given(value))
    return found[0]


def whole_numbers(key: str, value: Any, *, ascending: bool, divisible: bool = False) -> list[int]:
    """Parse whole numbers from 1, one per level: strictly ascending or descending, optionally multiples.

    divisible   whether of two consecutive numbers one must divide the other, so that the levels nest
    """
    found = numbers(key, value)
    if any(number.denominator != 1 or not 1 <= number < 10**9 for number in found):
        raise HierarchyError("{key}: expected whole numbers from 1, got {given}", key=key, given=describe_given(value))
    whole = [int(number) for number in found]
    check_steps(key, found, ascending=ascending, divisible=divisible)
    return whole


def check_steps(key: str, found: Sequence[Fraction], *, ascending: bool, divisible: bool) -> None:
    """Raise unless the numbers, one for each level, are ordered and the levels nest."""
    if len(found) > MAX_LEVELS_DECLARED:
        raise HierarchyError(
            "{key}: {found} levels; at most {most} can be declared",
            key=key,
            found=len(found),
            most=MAX_LEVELS_DECLARED,
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
    """A number without an exponent and without trailing zeros.

    >>> as_text(Fraction("30.0")), as_text(Fraction("-0.250"))
    ('30', '-0.25')
    """
    decimals, scaled = 0, abs(number)
    while scaled.denominator != 1:  # terminates: the number was parsed from decimal digits
        decimals, scaled = decimals + 1, scaled * 10
    digits = str(scaled.numerator).rjust(decimals + 1, "0")
    text = f"{digits[: len(digits) - decimals]}.{digits[len(digits) - decimals :]}" if decimals else digits
    return f"-{text}" if number < 0 else text


def describe_given(value: Any) -> str:
    """The given value of a key, for an error message."""
    if isinstance(value, dict):
        return Phrase("a mapping")
    return quoted(as_list(value), most=5) or Phrase("nothing")
