"""Limits on what adversaries can do who know some of the quasi-identifiers."""

from collections.abc import Iterable, Mapping
from typing import Any

from PETWorks.errors import Hint, NotApplicable, ParameterError, Phrase, quoted
from PETWorks.measures.parameters import Number

LIMITS = ("highest-risk", "average-risk", "uniques", "inference")


def checked_limits(limits: Mapping[str, Any], sensitive: Iterable[str], worth: Iterable[str] = ()) -> dict[str, float]:
    """Limits as numbers, or an error if there is no such limit: inference needs a sensitive attribute, gain a worth."""
    columns, worths = list(sensitive), list(worth)
    share, gain = Number(at_least=0, at_most=1), Number(at_least=0)
    rules = dict.fromkeys([*LIMITS, *(f"inference:{column}" for column in columns)], share)
    rules |= dict.fromkeys(["gain", *(f"gain:{column}" for column in worths)] if worths else [], gain)
    checked: dict[str, float] = {}
    for limit, value in limits.items():
        if limit.partition(":")[0] == "gain" and not worths:
            raise NotApplicable("the limit 'gain' needs a worth of sensitive values", Hint.WORTH, what=limit)
        if limit not in rules:
            raise ParameterError(
                "no limit is called {limit!r}; known: {known}", limit=limit, known=quoted(rules), what=limit
            )
        if limit == "inference" and not columns:
            raise NotApplicable(
                "the limit 'inference' needs a sensitive attribute", Hint.SENSITIVE_ATTRIBUTES, what=limit
            )
        checked[limit] = rules[limit].check(Phrase("a limit"), limit, value)
    return checked
