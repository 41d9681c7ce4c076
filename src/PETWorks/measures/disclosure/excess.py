"""Excess over control people, and its confidence interval."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

IntervalFunction = Callable[[float, int, float, int], tuple[float, float]]

Z = 1.959963984540054  # of a confidence of 95 %
MOST_CONTROLS = 1 << 40


def wilson(share: float, people: int) -> tuple[float, float]:
    """The interval of a share that was found among this number of people.

    Wilson (1927), *Probable inference, the law of succession, and statistical inference*.

    >>> [round(end, 4) for end in wilson(0.5, 100)]
    [0.4038, 0.5962]
    """
    square = Z * Z / people
    centre, spread = share + square / 2, Z * sqrt(max(share * (1 - share), 0.0) / people + square / (4 * people))
    return max((centre - spread) / (1 + square), 0.0), min((centre + spread) / (1 + square), 1.0)


def newcombe(share: float, people: int, other_share: float, other_people: int) -> tuple[float, float]:
    """The interval of the difference of two shares, each found among its number of people.

    Newcombe (1998), *Interval estimation for the difference between independent proportions*, method 10.

    >>> [round(end, 4) for end in newcombe(56 / 70, 70, 48 / 80, 80)]
    [0.0524, 0.3339]
    """
    (low, high), (other_low, other_high) = wilson(share, people), wilson(other_share, other_people)
    difference = share - other_share
    lower = difference - sqrt((share - low) ** 2 + (other_high - other_share) ** 2)
    return lower, difference + sqrt((high - share) ** 2 + (other_share - other_low) ** 2)


def excess_over(value: Fraction, baseline: Fraction) -> Fraction:
    """The share of right guesses beyond the baseline, among those that the baseline misses; 0 if it misses none.

    >>> excess_over(Fraction(2, 3), Fraction(1, 4))
    Fraction(5, 9)
    """
    return (value - baseline) / (1 - baseline) if baseline != 1 else Fraction(0)


def excess_interval(value: float, records: int, control: float, controls: int) -> tuple[float, float]:
    """The interval at 95 % of the excess over control people; (0, 0) if they are always guessed right."""
    if control >= 1:
        return 0.0, 0.0
    low, high = newcombe(value, records, control, controls)
    return low / (1 - control), high / (1 - control)


def controls_needed(
    value: float, records: int, control: float, limit: float, interval: IntervalFunction = excess_interval
) -> int | None:
    """The smallest number of control people for which the upper end of the interval is at most `limit`.

    They are assumed to be guessed right as often. None if no number suffices.

    interval   of the excess: that of `excess_interval` or `newcombe`

    >>> controls_needed(0.5, 100_000, 0.5, 0.09), controls_needed(0.9, 1_000_000, 0.9, 0.09)
    (473, 4625)
    """

    def suffices(controls: int) -> bool:
        return interval(value, records, control, controls)[1] <= limit

    if not suffices(MOST_CONTROLS):
        return None
    few, enough = 0, MOST_CONTROLS
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if suffices(middle) else (middle, enough)
    return enough
