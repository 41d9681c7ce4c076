"""The result of a measure, and the comparison of numbers with thresholds, which happens only here."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from PETWorks.displayable import Displayable
from PETWorks.measures.numbers import format_value as format_value  # its readers import it from here

TOLERANCE = 2.0**-49  # eight units in the last place: the effect of a few roundings, and no more


def at_most(values: ArrayLike, limit: ArrayLike) -> NDArray[np.bool_]:
    """Whether values <= limit; numbers that differ only by rounding count as equal.

    >>> bool(at_most(2 / 3, 0.6666666666666666)), bool(at_most(2 / 3, 0.6666))
    (True, False)
    """
    left, right = np.asarray(values, np.float64), np.asarray(limit, np.float64)
    larger = np.minimum(np.maximum(np.abs(left), np.abs(right)), np.finfo(np.float64).max)
    with np.errstate(over="ignore"):
        return left <= right + TOLERANCE * larger


def below(values: ArrayLike, limit: ArrayLike) -> NDArray[np.bool_]:
    """Whether values < limit by more than rounding."""
    return ~at_most(limit, values)


def no_more_than(value: float | None, limit: float | None) -> bool | None:
    """Whether a value keeps an upper limit; None if there is no limit, true if there is no value."""
    return None if limit is None else value is None or bool(at_most(value, limit))


def no_less_than(value: float | None, limit: float | None) -> bool | None:
    """Whether a value keeps a lower limit; None if there is no limit, true if there is no value."""
    return None if limit is None else value is None or bool(at_most(limit, value))


def all_hold(*verdicts: bool | None) -> bool | None:
    """Whether all given limits hold; None if none was given."""
    limited = [verdict for verdict in verdicts if verdict is not None]
    return all(limited) if limited else None


def normalise_loss(raw: Any, least: Any, most: Any) -> float:
    """A loss rescaled between its extremes and inverted: 1 if nothing is lost, 0 if everything is; clipped.

    >>> normalise_loss(2, 1, 5), normalise_loss(3, 3, 3)
    (0.75, 1.0)
    """
    if most <= least:
        return 1.0 if raw <= least else 0.0
    return min(max(float(1 - (raw - least) / (most - least)), 0.0), 1.0)


class LazyDetails(Mapping[str, Any]):
    """Details that are computed on first access, because a search needs values and verdicts only."""

    def __init__(self, make: Callable[[], Mapping[str, Any]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, Any]:
        return self._make()

    def __getitem__(self, name: str) -> Any:
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __repr__(self) -> str:
        return repr(self._made)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


@dataclass(frozen=True)
class Result(Displayable):
    """The result of one measure of one release.

    `value` is the tightest threshold the release satisfies, or the measured number itself; `satisfied` is whether the
    given threshold is met (None if none was given); `details` are ready for JSON; `treatment` is how missing values,
    suppressed records, several sensitive attributes and several records of a person were treated.
    """

    measure: str
    value: Any
    satisfied: bool | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    treatment: Mapping[str, str | None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain dicts, lists, numbers and texts."""
        return {
            "measure": self.measure,
            "value": self.value,
            "satisfied": self.satisfied,
            "parameters": dict(self.parameters),
            "treatment": dict(self.treatment),
            "details": dict(self.details),
        }

    def __repr__(self) -> str:
        asked = ", ".join(f"{name}={value!r}" for name, value in self.asked().items())
        verdict = {None: "", True: ": satisfied", False: ": not satisfied"}[self.satisfied]
        return f"<{self.measure} = {format_value(self.value)}{f' ({asked})' if asked else ''}{verdict}>"

    def summary_cells(self) -> tuple[str, str, str, str]:
        """Measure, value, parameters and verdict, as a row of a table."""
        verdict = {None: "", True: "holds", False: "does not hold"}[self.satisfied]
        parameters = ", ".join(f"{name}={format_value(value)}" for name, value in self.asked().items())
        return self.measure, "none" if self.value is None else format_value(self.value), parameters, verdict

    def asked(self) -> dict[str, Any]:
        """The parameters that were given, or that have a default."""
        return {name: value for name, value in self.parameters.items() if value is not None and value != "auto"}


def flatten(details: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten nested details by joining the names: `{"Disease": {"t": 1}}` becomes `{"Disease: t": 1}`."""
    flattened: dict[str, Any] = {}
    for name, value in details.items():
        if isinstance(value, Mapping):
            flattened |= flatten(value, f"{prefix}{name}: ")
        else:
            flattened[prefix + name] = value
    return flattened
