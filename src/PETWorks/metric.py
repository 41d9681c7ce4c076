"""`@metric`: what makes a function a measure, and the catalogue of all of them."""

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, wraps
from numbers import Integral, Real
from typing import Annotated, Any, ParamSpec, get_type_hints

import numpy as np

from PETWorks.errors import NotApplicable, ParameterError, quoted, unknown
from PETWorks.release import Release
from PETWorks.result import Result, at_most
from PETWorks.values import is_number

Arguments = ParamSpec("Arguments")

_SHARE = re.compile(r"\s*(\d{1,18})\s*/\s*(\d{1,18})\s*")


@dataclass(frozen=True)
class Number:
    """A parameter that is a number within bounds; also as text, `"0.376"` or `"2/3"`."""

    at_least: float | None = None
    at_most: float | None = None
    not_below: str | None = None
    whole: bool = False
    kind = "number"

    def check(self, measure: str, name: str, value: Any) -> int | float:
        """The number, or an error that says what would be right."""
        number = number_given(value)
        low, high = self.at_least, self.at_most
        fits = number is not None and (low is None or at_most(low, number)) and (high is None or at_most(number, high))
        if number is not None and self.whole and number != int(number):
            raise ParameterError(f"{measure} needs {name} to be a whole number, got {name}={_brief(value)}")
        if number is None or not fits:
            bounds = f"{'' if low is None else f'{low:g} <= '}{name}{'' if high is None else f' <= {high:g}'}"
            wanted = f"a number, {bounds}" if number is None else bounds
            raise ParameterError(f"{measure} needs {wanted}, got {name}={_brief(value)}")
        return int(number) if self.whole else number


@dataclass(frozen=True)
class Flag:
    """A parameter that is true or false."""

    kind = "true|false"

    def check(self, measure: str, name: str, value: Any) -> bool:
        """The flag, or an error."""
        known = {"true": True, "false": False}
        if isinstance(value, bool | np.bool_):
            return bool(value)
        if isinstance(value, str) and value.strip().lower() in known:
            return known[value.strip().lower()]
        raise ParameterError(f"{measure} needs {name} to be true or false, got {name}={_brief(value)}")


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of a few words; if so allowed, for each sensitive attribute by name."""

    options: tuple[str, ...]
    by_attribute: bool = False

    @property
    def kind(self) -> str:
        """How help texts show it."""
        return "|".join(self.options)

    def check(self, measure: str, name: str, value: Any) -> Any:
        """The word, or an error."""
        if isinstance(value, Integral):
            value = str(value)
        for word in value.values() if isinstance(value, Mapping) and self.by_attribute else [value]:
            if not isinstance(word, str) or word not in self.options:
                raise ParameterError(f"{measure} needs {name} to be one of {quoted(self.options)}; got {_brief(word)}")
        return value


@dataclass(frozen=True)
class Text:
    """A parameter that is any text."""

    kind = "text"

    def check(self, measure: str, name: str, value: Any) -> str:
        """The text, trimmed as a cell is, or an error."""
        if not isinstance(value, str) or not value.strip():
            what = "an empty one" if isinstance(value, str) else type(value).__name__
            raise ParameterError(f"{measure} needs {name} to be a text, got {what}")
        return value.strip()


@dataclass(frozen=True)
class Function:
    """A parameter that is a function; it can be given in Python only."""

    kind = "function"

    def check(self, measure: str, name: str, value: Any) -> Callable[..., Any]:
        """The function, or an error."""
        if not callable(value):
            raise ParameterError(f"{measure} needs {name} to be a function, got {type(value).__name__}")
        found: Callable[..., Any] = value
        return found


AtLeast = Annotated[float | None, Number(at_least=0, at_most=1)]  # a limit for what is better the higher it is
AtMost = Annotated[float | None, Number(at_least=0, at_most=1)]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure."""

    name: str
    default: Any
    rule: Number | Flag | Choice | Text | Function


NEEDS: Mapping[str, tuple[Callable[[Release], bool], str]] = {
    "quasi-identifiers": (lambda release: bool(release.quasi_identifiers), "--qi"),
    "a sensitive attribute": (lambda release: bool(release.sensitive_attributes), "--sensitive"),
    "the original table": (lambda release: release.has_original, "--original"),
    "a population table": (lambda release: release.has_population_table, "--population"),
    "the population or its size": (lambda release: release.population is not None, "--population"),
    "hierarchies": (lambda release: bool(release.hierarchies), "--hierarchies"),
    "records in the order of the input": (lambda release: release.keeps_order, "--engine memory"),
}


@dataclass(frozen=True)
class Metric:
    """A measure of the catalogue: call it with a release and its parameters."""

    function: Callable[..., Result]
    family: str
    better: str
    needs: tuple[str, ...]
    aliases: tuple[str, ...]
    treats: Mapping[str, str | None]
    chinese: tuple[str, str]
    of_one_class: bool

    def __repr__(self) -> str:
        return f"<{self.name} ({self.family}): {self.summary}>"

    @property
    def name(self) -> str:
        """`t-closeness` for the function `t_closeness`."""
        return self.function.__name__.replace("_", "-")

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters, by name."""
        hints = get_type_hints(self.function, include_extras=True)
        return {
            name: Parameter(name, parameter.default, hints[name].__metadata__[0])
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY
        }

    def to_dict(self) -> dict[str, Any]:
        """What the catalogue knows of it, as plain dicts, lists and texts."""
        return {
            "name": self.name,
            "family": self.family,
            "better": self.better,
            "summary": self.summary,
            "needs": list(self.needs),
            "aliases": list(self.aliases),
            "parameters": {
                parameter.name: {"kind": parameter.rule.kind, "default": parameter.default}
                for parameter in self.parameters.values()
            },
        }

    def lacks(self, release: Release) -> str | None:
        """What the measure needs and the release does not have."""
        missing = [f"{need} ({NEEDS[need][1]})" for need in self.needs if not NEEDS[need][0](release)]
        return f"needs {' and '.join(missing)}" if missing else None

    def check(self, given: Mapping[str, Any], names: Mapping[str, str] | None = None) -> dict[str, Any]:
        """All parameters, each checked; `names` says what messages call them."""
        called = {name: (names or {}).get(name, name) for name in self.parameters}
        for name in given:
            if not self.parameters:
                raise ParameterError(f"{self.name} takes no parameters, got {quoted([name])}")
            if name not in self.parameters:
                raise unknown(f"parameter of {self.name}", str(name), called.values())
        checked: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            value = given.get(name, parameter.default)
            optional = value is None and parameter.default is None
            checked[name] = None if optional else parameter.rule.check(self.name, called[name], value)
        for name, parameter in self.parameters.items():
            lower = parameter.rule.not_below if isinstance(parameter.rule, Number) else None
            if lower and None not in (checked[lower], checked[name]) and not at_most(checked[lower], checked[name]):
                raise ParameterError(
                    f"{self.name} needs {called[lower]} <= {called[name]}, "
                    f"got {called[lower]}={checked[lower]}, {called[name]}={checked[name]}"
                )
        return checked

    def __call__(self, release: Release, **parameters: Any) -> Result:
        """Measure a release."""
        if not isinstance(release, Release):
            raise ParameterError(f"{self.name} measures a Release, got {type(release).__name__}: Release(data, roles)")
        checked = self.check(parameters)
        missing = self.lacks(release)
        if missing:
            raise NotApplicable(f"{self.name} {missing}")
        try:
            found = self.function(release, **checked)
        except NotApplicable as error:
            named = str(error) if str(error).startswith(self.name) else f"{self.name}: {error}"
            raise NotApplicable(named) from None
        unused = {} if "a sensitive attribute" in self.needs else {"several_sensitive": None}
        return replace(found, treatment={**release.treatment, **unused, **self.treats})


# What measures of single cells treat in their own way, whatever the release says.
CELL_BY_CELL = {"missing": "lost", "suppressed": "lost", "privacy_unit": None}

FAMILIES = ("privacy", "risk", "attack", "utility")

catalogue: dict[str, Metric] = {}


def metric(
    family: str,
    better: str,
    needs: tuple[str, ...] = ("quasi-identifiers",),
    aliases: tuple[str, ...] = (),
    treats: Mapping[str, str | None] | None = None,
    chinese: tuple[str, str] = ("", ""),
    of_one_class: bool = False,
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Enter a function in the catalogue and check its arguments whenever it is called.

    treats         what it treats otherwise than the release would have it: see `Release.treatment`
    chinese        its name and the summary of its docstring in Traditional Chinese, for reports
    of_one_class   whether the value tells of one class, as the smallest or the worst: not for everybody to see where
                   classes are small
    """

    def enter(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        entry = Metric(function, family, better, needs, aliases, treats or {}, chinese, of_one_class)
        catalogue[entry.name] = entry

        @wraps(function)
        def measure(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            return entry(*args, **kwargs)  # type: ignore[arg-type]  # the release is the one positional argument

        return measure

    return enter


def all_measures() -> list[Metric]:
    """The catalogue, family by family."""
    return sorted(catalogue.values(), key=lambda entry: (FAMILIES.index(entry.family), entry.name))


def find(name: str) -> Metric:
    """The measure of that name, whichever way it is spelled."""
    spelled = {_folded(other): entry for entry in catalogue.values() for other in (entry.name, *entry.aliases)}
    try:
        return spelled[_folded(name)]
    except KeyError:
        raise unknown("measure", str(name), catalogue) from None


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", str(name)).casefold()


def number_given(value: Any) -> int | float | None:
    """A finite number, also from text; None when it is none."""
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


def _brief(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:
        text = f"a very long {type(value).__name__}"
    return text if len(text) <= 40 else text[:37] + "..."
