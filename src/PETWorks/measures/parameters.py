"""Parameters of measures: their kinds, and the errors for wrong values."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Annotated, Any

import numpy as np

from PETWorks.errors import ParameterError, Phrase, quoted
from PETWorks.measures.result import at_most
from PETWorks.tables.cells import is_number

_SHARE = re.compile(r"\s*(\d{1,18})\s*/\s*(\d{1,18})\s*")


@dataclass(frozen=True)
class Number:
    """A parameter that is a number within bounds; also as text, `"0.376"` or `"2/3"`.

    limit   how it limits the measured value, if it is a threshold: "at least" or "at most"
    unit    "records" (a class size), "chance" (1/class size), "values" (of a sensitive attribute), "share", "money",
            or None for a plain number
    """

    at_least: float | None = None
    at_most: float | None = None
    not_below: str | None = None
    whole: bool = False
    limit: str | None = None
    unit: str | None = None
    kind = "number"

    def check(self, measure: str, name: str, value: Any) -> int | float:
        """Return the number, or raise an error that describes the valid values."""
        number = parse_number(value)
        low, high = self.at_least, self.at_most
        fits = number is not None and (low is None or at_most(low, number)) and (high is None or at_most(number, high))
        if number is not None and self.whole and number != int(number):
            raise ParameterError(
                "{metric} needs {name} to be a whole number, got {name}={value}",
                metric=measure,
                name=name,
                value=_shortened_repr(value),
                what=name,
            )
        if number is None or not fits:
            bounds = f"{'' if low is None else f'{low:g} <= '}{name}{'' if high is None else f' <= {high:g}'}"
            values = {"metric": measure, "bounds": bounds, "name": name, "value": _shortened_repr(value)}
            if number is None:
                raise ParameterError(
                    Phrase("{metric} needs a number, {bounds}, got {name}={value}", **values), what=name
                )
            raise ParameterError(Phrase("{metric} needs {bounds}, got {name}={value}", **values), what=name)
        return int(number) if self.whole else number


@dataclass(frozen=True)
class Flag:
    """A parameter that is true or false."""

    kind = "true|false"

    def check(self, measure: str, name: str, value: Any) -> bool:
        """Return the flag as a bool, or raise."""
        known = {"true": True, "false": False}
        if isinstance(value, bool | np.bool_):
            return bool(value)
        if isinstance(value, str) and value.strip().lower() in known:
            return known[value.strip().lower()]
        raise ParameterError(
            "{metric} needs {name} to be true or false, got {name}={value}",
            metric=measure,
            name=name,
            value=_shortened_repr(value),
            what=name,
        )


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of a few words; if `by_attribute`, also a dict from sensitive attribute to word."""

    options: tuple[str, ...]
    by_attribute: bool = False

    @property
    def kind(self) -> str:
        """The options, for help texts."""
        return "|".join(self.options)

    def check(self, measure: str, name: str, value: Any) -> Any:
        """Return the word, or raise."""
        if isinstance(value, Integral):
            value = str(value)
        for word in value.values() if isinstance(value, Mapping) and self.by_attribute else [value]:
            if not isinstance(word, str) or word not in self.options:
                raise ParameterError(
                    "{metric} needs {name} to be one of {options}; got {given}",
                    metric=measure,
                    name=name,
                    options=quoted(self.options),
                    given=_shortened_repr(word),
                    what=name,
                )
        return value


@dataclass(frozen=True)
class Text:
    """A parameter that is any text."""

    kind = "text"

    def check(self, measure: str, name: str, value: Any) -> str:
        """Return the text, trimmed like a cell, or raise."""
        if not isinstance(value, str) or not value.strip():
            given = Phrase("an empty one") if isinstance(value, str) else type(value).__name__
            raise ParameterError(
                "{metric} needs {name} to be a text, got {given}", metric=measure, name=name, given=given, what=name
            )
        return value.strip()


@dataclass(frozen=True)
class Function:
    """A parameter that is a function; it can be given in Python only."""

    kind = "function"

    def check(self, measure: str, name: str, value: Any) -> Callable[..., Any]:
        """Return the function, or raise."""
        if not callable(value):
            raise ParameterError(
                "{metric} needs {name} to be a function, got {type}",
                metric=measure,
                name=name,
                type=type(value).__name__,
                what=name,
            )
        function: Callable[..., Any] = value
        return function


@dataclass(frozen=True)
class WorthOfValues:
    """A parameter with the worth of values of sensitive attributes: `{"grade": {"A": 10}}`."""

    kind = "worth of values"

    def check(self, measure: str, name: str, value: Any) -> dict[str, dict[str | None, float]]:
        """Return the numbers by attribute and value, or raise an error that quotes no value, which may be a cell."""
        if not isinstance(value, Mapping) or not all(isinstance(worths, Mapping) for worths in value.values()):
            raise ParameterError(
                "{metric} needs {name} by attribute and value, as a dict of dicts", metric=measure, name=name, what=name
            )
        number = Number(at_least=0)
        return {
            str(column): {cell: number.check(name, str(column), worth) for cell, worth in worths.items()}
            for column, worths in value.items()
        }


AtLeast = Annotated[float | None, Number(at_least=0, at_most=1, limit="at least")]
AtMost = Annotated[float | None, Number(at_least=0, at_most=1, limit="at most", unit="share")]


def parse_number(value: Any) -> int | float | None:
    """A finite number, also from text; None if the value is not one."""
    if isinstance(value, str):
        share = _SHARE.fullmatch(value)
        if share:
            return float(Fraction(int(share[1]), int(share[2]))) if int(share[2]) else None
        text = value.strip()
        if not is_number(text):
            return None
        value = int(text) if text.lstrip("+-").isdecimal() and len(text) < 19 else float(text)
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    if not math.isfinite(number):
        return None
    return int(value) if isinstance(value, Integral) else number


def _shortened_repr(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:
        return Phrase("a very long {type}", type=type(value).__name__)
    return text if len(text) <= 40 else text[:37] + "..."
