"""Limits on what several releases disclose together, and whether they are kept."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from PETWorks.errors import Hint, NotApplicable, ParameterError, Phrase, quoted
from PETWorks.measures.parameters import Number
from PETWorks.measures.result import no_less_than, no_more_than

if TYPE_CHECKING:
    from PETWorks.releases.composition import Composition

SHARE = Number(at_least=0, at_most=1)
OF_PEOPLE = {"re-identification": SHARE, "alone": SHARE}
OF_ATTRIBUTES = {
    "inference": SHARE,
    "one-value": SHARE,
    "gain": Number(at_least=0),
    "disclosed": SHARE,
    "half-sure": SHARE,
    "m-invariance": Number(at_least=1, whole=True),
}  # NAME for any sensitive attribute, NAME:COLUMN for one


def checked_limits(limits: Mapping[str, Any], sensitive: Iterable[str]) -> dict[str, float]:
    """Limits as numbers, or an error if there is no such limit."""
    if not isinstance(limits, Mapping):
        raise ParameterError("expected limits as a dict from name to number, got {type}", type=type(limits).__name__)
    columns = list(sensitive)
    rules = (
        OF_PEOPLE | OF_ATTRIBUTES | {f"{name}:{one}": OF_ATTRIBUTES[name] for name in OF_ATTRIBUTES for one in columns}
    )
    checked: dict[str, float] = {}
    for name, value in limits.items():
        if name not in rules:
            raise ParameterError(
                "no limit is called {limit}; known: {known}",
                limit=quoted([name]),
                known=quoted(rules, most=40),
                what=name,
            )
        if name in OF_ATTRIBUTES and not columns:
            raise NotApplicable(
                "the limit {limit!r} needs a sensitive attribute of the focal release",
                Hint.SENSITIVE_ATTRIBUTES,
                limit=name,
                what=name,
            )
        checked[name] = rules[name].check(Phrase("a limit"), name, value)
    return checked


def verdicts(composition: "Composition", limits: Mapping[str, float]) -> list[dict[str, Any]]:
    """For each limit the value, and whether it is kept."""
    answers = []
    for limit, number in limits.items():
        name, one, column = limit.partition(":")
        columns = [column] if one else list(composition.together.inference)
        if name == "m-invariance":
            found = [composition.invariance[own].m for own in columns]
            value = None if None in found else min(m for m in found if m is not None)
            satisfied = value is not None and no_less_than(value, number)
            answers.append({"limit": limit, "at_least": number, "value": value, "satisfied": satisfied})
        else:
            highest = _highest(composition, name, columns)
            answers.append(
                {"limit": limit, "at_most": number, "value": highest, "satisfied": no_more_than(highest, number)}
            )
    return answers


def _highest(composition: "Composition", name: str, columns: Iterable[str]) -> float:
    """The value that is compared with a limit: of the worst of these sensitive attributes."""
    together = composition.together
    if name == "re-identification":
        return together.posterior
    if name == "alone":
        return together.alone_share
    if name in ("inference", "one-value"):
        inferred = [together.inference[column] for column in columns]
        return max(one.posterior if name == "inference" else one.one_value_share for one in inferred)
    if name == "gain":
        gains = [together.inference[column].gain for column in columns]
        if not any(gains):
            raise NotApplicable("the limit 'gain' needs a worth of sensitive values", Hint.WORTH, what=name)
        return max(gain.posterior for gain in gains if gain is not None)
    attacked = [composition.unlinked[column] for column in columns if column in composition.unlinked]
    if not attacked:
        raise NotApplicable(
            "the limit {limit!r} needs a sensitive attribute that two releases have", limit=name, what=name
        )
    confidence = Fraction(1) if name == "disclosed" else Fraction(1, 2)
    return max(one.together.share(confidence) for one in attacked)
