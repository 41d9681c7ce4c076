"""Models that limit how much more, or less, common a sensitive value may be in a class than in the whole table."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from PETWorks.counting.questions import Question
from PETWorks.counting.view import View
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import (
    ClassTest,
    MaximalShare,
    compute_shares,
    count_failing_classes,
    failing_classes_question,
    share_test,
    shares_question,
)
from PETWorks.measures.parameters import Choice, Number
from PETWorks.measures.result import Result, at_most, below, no_more_than

BASES = {"e": math.e, "2": 2.0, "10": 10.0}
Beta = Annotated[float | None, Number(at_least=0, limit="at most")]


@dataclass(frozen=True)
class _GainAbove(MaximalShare):
    """The test that the relative gain (q - p)/p is above a limit."""

    beta: float

    def limit(self, overall: Any) -> Any:
        """The largest share that passes."""
        return (1 + self.beta) * overall


@dataclass(frozen=True)
class _GainAboveLogBound(MaximalShare):
    """The test that the relative gain (q - p)/p is above -ln p."""

    def limit(self, overall: Any) -> Any:
        """The largest share that passes."""
        return (1 - np.log(overall)) * overall


@dataclass(frozen=True)
class _LogRatioNotBelow:
    """The test that |ln(q/p)| is not below a limit; compares shares, because logarithms near 0 are mostly rounding."""

    limit: float

    def __call__(self, q: Any, p: Any) -> Any:
        return at_most(p * np.exp(self.limit), q) | at_most(q, p * np.exp(-self.limit))


_GAIN_ABOVE_LOG_BOUND = _GainAboveLogBound()


def _questions(view: View, tests: Mapping[str, Any]) -> list[Question[Any]]:
    """The questions for the shares of each sensitive attribute, and for the number of classes that fail each test."""
    columns = view.sensitive_attributes
    return [shares_question(view, column) for column in columns] + [
        failing_classes_question(view, column, test, limit) for column in columns for limit, test in tests.items()
    ]


def _basic_questions(view: View, *, beta: float | None) -> list[Question[Any]]:
    return _questions(view, {} if beta is None else {"beta": _GainAbove(beta)})


def _enhanced_questions(view: View, *, beta: float | None) -> list[Question[Any]]:
    limits = {} if beta is None else {"beta": _GainAbove(beta)}
    return _questions(view, {"the_bound": _GAIN_ABOVE_LOG_BOUND, **limits})


def _delta_questions(view: View, *, delta: float | None, base: str) -> list[Question[Any]]:
    return _questions(view, {} if delta is None else {"delta": _LogRatioNotBelow(delta * math.log(BASES[base]))})


def _tests(view: View, *tests: Any) -> list[ClassTest]:
    return [share_test(view, column, test) for column in view.sensitive_attributes for test in tests]


def _basic_tests(view: View, *, beta: float | None) -> list[ClassTest]:
    return [] if beta is None else _tests(view, _GainAbove(beta))


def _enhanced_tests(view: View, *, beta: float | None) -> list[ClassTest]:
    return [] if beta is None else _tests(view, _GainAbove(beta), _GAIN_ABOVE_LOG_BOUND)


def _delta_tests(view: View, *, delta: float | None, base: str) -> list[ClassTest]:
    return [] if delta is None else _tests(view, _LogRatioNotBelow(delta * math.log(BASES[base])))


@metric(
    asks=_basic_questions,
    tests=_basic_tests,
    family="privacy",
    better="lower",
    needs=("quasi-identifiers", "a sensitive attribute"),
    aliases=("beta-likeness", "basic-β-likeness"),
    unit="ratio",
    if_it_fails="diversify",
)
def basic_beta_likeness(view: View, *, beta: Beta = None) -> Result:
    """Largest relative gain in the share of a sensitive value, from the table to a class.

    With p the share of a value in the table and q > p its share in a class, the gain is (q - p)/p. The release is
    beta-like when no gain is above beta. Losses do not count.

    Cao and Karras (2012), *Publishing Microdata with a Robust Privacy Guarantee*.

    >>> from PETWorks import Release
    >>> basic_beta_likeness(Release("data/patient_anonymized.csv")).value
    2.0
    """
    attributes: dict[str, dict[str, Any]] = {}
    largest = Fraction(0)
    for column in view.sensitive_attributes:
        gain, size = _largest_gain(view, column)
        largest = max(largest, gain)
        attributes[column] = {
            "beta": float(gain),
            "exact": str(gain),
            "worst_class_size": size,
            **({} if beta is None else count_failing_classes(view, column, _GainAbove(beta), "beta")),
        }
    return Result(
        "basic-beta-likeness",
        float(largest),
        no_more_than(float(largest), beta),
        {"beta": beta},
        {"exact": str(largest), "attributes": attributes, **view.class_summary()},
    )


@metric(
    asks=_enhanced_questions,
    tests=_enhanced_tests,
    family="privacy",
    better="lower",
    needs=("quasi-identifiers", "a sensitive attribute"),
    aliases=("enhanced-β-likeness",),
    unit="ratio",
    if_it_fails="diversify",
)
def enhanced_beta_likeness(view: View, *, beta: Beta = None) -> Result:
    """Largest relative gain of a sensitive value, if each keeps within -ln p; none otherwise.

    As basic beta-likeness, and besides no gain may be above -ln p, p being the value's share in the table: a common
    value must not become almost certain. Where a value breaks that bound, no beta holds and there is no value.

    Cao and Karras (2012), *Publishing Microdata with a Robust Privacy Guarantee*.

    >>> from PETWorks import Release
    >>> enhanced_beta_likeness(Release("data/patient_anonymized.csv"), beta=2.5).satisfied
    True
    """
    attributes: dict[str, dict[str, Any]] = {}
    largest, bounded = Fraction(0), True
    for column in view.sensitive_attributes:
        gain, size = _largest_gain(view, column)
        over = count_failing_classes(view, column, _GAIN_ABOVE_LOG_BOUND, "the_bound")
        within = over["classes_beyond_the_bound"] == 0
        largest, bounded = max(largest, gain), bounded and within
        attributes[column] = {
            "largest_gain": float(gain),
            "exact": str(gain),
            "worst_class_size": size,
            "within_the_bound": within,
            **over,
            **({} if beta is None else count_failing_classes(view, column, _GainAbove(beta), "beta")),
        }
    return Result(
        "enhanced-beta-likeness",
        float(largest) if bounded else None,
        None if beta is None else bounded and no_more_than(float(largest), beta),
        {"beta": beta},
        {"largest_gain": float(largest), "attributes": attributes, **view.class_summary()},
    )


@metric(
    asks=_delta_questions,
    tests=_delta_tests,
    family="privacy",
    better="lower",
    needs=("quasi-identifiers", "a sensitive attribute"),
    aliases=("delta-disclosure-privacy", "δ-disclosure", "δ-disclosure-privacy"),
    unit="ratio",
    if_it_fails="diversify",
)
def delta_disclosure(
    view: View,
    *,
    delta: Annotated[float | None, Number(at_least=0, limit="at most")] = None,
    base: Annotated[str, Choice(tuple(BASES))] = "e",
) -> Result:
    """Largest |log(q/p)| of a sensitive value that a class has, q being its share there and p in the table.

    The release is delta-disclosure private when it is below delta, strictly, for every class and every value that
    the class has. The logarithm is natural unless another base is asked for.

    Brickell and Shmatikov (2008), *The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data
    Publishing*.

    >>> from PETWorks import Release
    >>> round(delta_disclosure(Release("data/patient_anonymized.csv")).value, 6)
    1.098612
    """
    unit = math.log(BASES[base])
    attributes: dict[str, dict[str, Any]] = {}
    for column in view.sensitive_attributes:
        shares = compute_shares(view, column)
        lifts = [lift for lift in (shares.highest_lift(), shares.lowest_lift()) if lift is not None]
        ratios = [(max(lift, 1 / lift), size) for lift, size in lifts]
        worst, size = max(ratios, key=lambda pair: (pair[0], -pair[1]), default=(Fraction(1), None))
        attributes[column] = {
            "delta": _log(worst) / unit,
            "exact": f"log({worst})",
            "worst_class_size": size,
            **({} if delta is None else count_failing_classes(view, column, _LogRatioNotBelow(delta * unit), "delta")),
        }
    largest = max(attribute["delta"] for attribute in attributes.values())
    has_values = any(attribute["worst_class_size"] is not None for attribute in attributes.values())
    return Result(
        "delta-disclosure",
        largest,
        None if delta is None else bool(below(largest, delta)) or not has_values,
        {"delta": delta, "base": base},
        {"attributes": attributes, **view.class_summary()},
    )


def _largest_gain(view: View, column: str) -> tuple[Fraction, int | None]:
    """The largest (q - p)/p of a value, at least 0, and the size of the class."""
    lift = compute_shares(view, column).highest_lift()
    return (Fraction(0), None) if lift is None else (max(lift[0] - 1, Fraction(0)), lift[1])


def _log(ratio: Fraction) -> float:
    """The logarithm of a fraction of any size, precise also near 1."""
    near = float(ratio - 1)
    return math.log1p(near) if near < 1 else math.log(ratio.numerator) - math.log(ratio.denominator)
