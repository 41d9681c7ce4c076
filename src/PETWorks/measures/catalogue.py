"""`@metric`: what makes a function a measure, and the catalogue of all of them."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, ParamSpec, get_type_hints

from PETWorks.counting.release import Release
from PETWorks.errors import Hint, NotApplicable, ParameterError, quoted, unknown
from PETWorks.measures.parameters import Choice, Flag, Function, Number, Text
from PETWorks.measures.result import Result, at_most

Arguments = ParamSpec("Arguments")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure."""

    name: str
    default: Any
    rule: Number | Flag | Choice | Text | Function


NEEDS: Mapping[str, tuple[Callable[[Release], bool], Hint]] = {
    "quasi-identifiers": (lambda release: bool(release.quasi_identifiers), Hint.QUASI_IDENTIFIERS),
    "a sensitive attribute": (lambda release: bool(release.sensitive_attributes), Hint.SENSITIVE_ATTRIBUTES),
    "the original table": (lambda release: release.has_original, Hint.ORIGINAL),
    "a population table": (lambda release: release.has_population_table, Hint.POPULATION),
    "the population or its size": (lambda release: release.population is not None, Hint.POPULATION),
    "hierarchies": (lambda release: bool(release.hierarchies), Hint.HIERARCHIES),
    "records in the order of the input": (lambda release: release.keeps_order, Hint.ENGINE_IN_MEMORY),
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

    def lacks(self, release: Release) -> NotApplicable | None:
        """The error that says what the measure needs and the release does not have; None if it has everything."""
        parts: list[str | Hint] = []
        for need in self.needs:
            has_it, hint = NEEDS[need]
            if not has_it(release):
                parts += [f"{' and' if parts else 'needs'} {need}", hint]
        return NotApplicable(*parts, measure=self.name) if parts else None

    def check(self, given: Mapping[str, Any], names: Mapping[str, str] | None = None) -> dict[str, Any]:
        """All parameters, each checked; `names` says what messages call them."""
        called = {name: (names or {}).get(name, name) for name in self.parameters}
        for name in given:
            if not self.parameters:
                raise ParameterError(f"{self.name} takes no parameters, got {quoted([name])}", what=name)
            if name not in self.parameters:
                raise unknown(f"parameter of {self.name}", str(name), called.values(), what=name)
        checked: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            value = given.get(name, parameter.default)
            optional = value is None and parameter.default is None
            checked[name] = None if optional else parameter.rule.check(self.name, called[name], value)
        for name, parameter in self.parameters.items():
            lower = parameter.rule.not_below if isinstance(parameter.rule, Number) else None
            if lower and None not in (checked[lower], checked[name]) and not at_most(checked[lower], checked[name]):
                given_of_both = [called[one] for one in (lower, name) if one in given]
                raise ParameterError(
                    f"{self.name} needs {called[lower]} <= {called[name]}, "
                    f"got {called[lower]}={checked[lower]}, {called[name]}={checked[name]}",
                    what=given_of_both[0] if len(given_of_both) == 1 else None,
                )
        return checked

    def __call__(self, release: Release, **parameters: Any) -> Result:
        """Measure a release."""
        if not isinstance(release, Release):
            raise ParameterError(f"{self.name} measures a Release(data, roles), got {type(release).__name__}")
        return self.measure(release, self.check(parameters))

    def measure(self, release: Release, checked: Mapping[str, Any]) -> Result:
        """Measure a release with parameters that `check` has returned."""
        missing = self.lacks(release)
        if missing:
            raise missing
        try:
            result = self.function(release, **checked)
        except NotApplicable as error:
            error.measure = self.name
            raise
        unused = {} if "a sensitive attribute" in self.needs else {"several_sensitive": None}
        return replace(result, treatment={**release.treatment, **unused, **self.treats})


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
