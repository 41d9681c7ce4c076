"""The change of a statistic computed by a function of the user."""

import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Annotated, Any

from PETWorks.counting.view import View
from PETWorks.errors import NeedNotMet, ParameterError, Phrase
from PETWorks.measures.catalogue import metric
from PETWorks.measures.parameters import Function, Number
from PETWorks.measures.result import Result, no_more_than

LARGEST = sys.float_info.max


@metric(
    family="utility",
    better="lower",
    needs=("the original table",),
    treats={
        "missing": None,
        "suppressed": None,
        "several_sensitive": None,
        "sensitive_values": None,
        "privacy_unit": None,
    },
    unit="number",
    if_it_fails="refine",
)
def utility_bias(
    view: View,
    *,
    function: Annotated[Callable[[Any], Any] | None, Function()] = None,
    max_bias: Annotated[float | None, Number(at_least=0, limit="at most")] = None,
) -> Result:
    """Difference between what a function of your own finds in the release and in the original.

    The function is called with each table just as it was given, and returns a number.

    >>> from PETWorks import Release
    >>> release = Release({"age": ["30", "40"]}, original={"age": ["31", "40"]})
    >>> oldest = lambda table: max(map(int, table["age"]))
    >>> utility_bias(release, function=oldest, max_bias=1).satisfied
    True
    """
    if function is None:
        raise NeedNotMet("needs a function of yours (in Python: function=...)")
    released, original = view.background.given
    return measure_bias(original, released, function, max_bias)


def measure_bias(original: Any, released: Any, function: Callable[[Any], Any], max_bias: float | None = None) -> Result:
    """The bias between two tables of any type that the function accepts."""
    before, after = _number(function(original), Phrase("original")), _number(function(released), Phrase("released"))
    bias = min(float(min(abs(after - before), Fraction(LARGEST))), LARGEST)
    return Result(
        "utility-bias",
        bias,
        no_more_than(bias, max_bias),
        {"function": str(getattr(function, "__name__", type(function).__name__)), "max_bias": max_bias},
        {"original": float(before), "released": float(after)},
    )


def _number(answer: Any, table: Phrase) -> Fraction:
    """The answer of the function as an exact number; raise if it is not a finite number."""
    wanted = isinstance(answer, Real | Decimal) and not isinstance(answer, bool)
    try:
        if not wanted:
            raise ValueError
        exact = Fraction(int(answer) if isinstance(answer, Integral) else float(answer))
        float(exact)
    except (ValueError, OverflowError):
        what = Phrase("one that is not finite") if wanted else type(answer).__name__
        raise ParameterError(
            "needs a function that returns a number; of the {table} table it returned {answer}",
            table=table,
            answer=what,
            what="function",
            measure="utility-bias",
        ) from None
    return exact
