"""Models that weigh the publisher's benefit against the adversary's gain."""

import math
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers
from PETWorks.counting.view import View
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import ClassTest, Mask, Monotone
from PETWorks.measures.parameters import Flag, Number
from PETWorks.measures.result import Result, at_most, below

Money = Annotated[float, Number(at_least=0, at_most=1e100, unit="money")]


def _attack_outcomes(sizes: Integers, cost: float, gain: float, loss: float) -> tuple[Mask, NDArray[np.float64]]:
    """Whether each class is worth an attack, and the expected loss from each of its records."""
    attacked = at_most(cost, gain / sizes)
    return attacked, np.where(attacked, loss / sizes, 0)


def _unprofitable(amounts: tuple[float, float, float, float], allow_attack: bool, sizes: Integers) -> Mask:
    cost, gain, loss, benefit = amounts
    attacked, risk = _attack_outcomes(sizes, cost, gain, loss)
    loss_making = ~below(risk, benefit)
    return loss_making if allow_attack else loss_making | attacked


def _tests(_view: View, *, allow_attack: bool, **amounts: float) -> list[ClassTest]:
    ordered = (
        amounts["adversary_cost"],
        amounts["adversary_gain"],
        amounts["publisher_loss"],
        amounts["publisher_benefit"],
    )
    fails = partial(_unprofitable, ordered, allow_attack)
    return [ClassTest(fails, Monotone.ALWAYS)]  # a larger class is a worse target, and each record costs less


@metric(
    tests=_tests,
    family="privacy",
    better="lower",
    unit="money",
    reported_in="profit",
)
def profitability(
    view: View,
    *,
    allow_attack: Annotated[bool, Flag()] = True,
    adversary_cost: Money = 4,
    adversary_gain: Money = 300,
    publisher_loss: Money = 300,
    publisher_benefit: Money = 1200,
) -> Result:
    """Highest expected loss to the publisher from one record, to be outweighed by its benefit.

    An adversary who pays for an attack on a record succeeds with probability 1/(size of its class) and attacks
    when the expected gain is not below the cost. The release is profitable when the benefit of every record
    exceeds the expected loss; the strict variant (allow_attack=False) also wants every attack to cost more than
    it brings. The defaults are the US dollars of the paper.

    Wan et al. (2015), *A Game Theoretic Framework for Analyzing Re-Identification Risk*.

    >>> from PETWorks import Release
    >>> release = Release("data/delta_anonymized.csv")
    >>> profitability(release, publisher_benefit=200).value
    150.0
    """
    classes = view.class_sizes()
    records = classes.sizes * classes.classes
    gain = adversary_gain / classes.sizes
    attacked, risk = _attack_outcomes(classes.sizes, adversary_cost, adversary_gain, publisher_loss)
    loss_making = ~below(risk, publisher_benefit)
    profitable = not loss_making.any()
    return Result(
        "profitability",
        float(risk.max(initial=0)),
        bool(profitable and (allow_attack or not attacked.any())),
        {
            "allow_attack": allow_attack,
            "adversary_cost": adversary_cost,
            "adversary_gain": adversary_gain,
            "publisher_loss": publisher_loss,
            "publisher_benefit": publisher_benefit,
        },
        {
            "highest_expected_gain": float(gain.max(initial=0)),
            "records_worth_attacking": int(records[attacked].sum()),
            "class_size_not_worth_attacking": _safe_size(adversary_gain, adversary_cost),
            "records_not_outweighed": int(records[loss_making].sum()),
            **view.class_summary(),
        },
    )


def _safe_size(gain: float, cost: float) -> int | None:
    """The smallest class size at which an attack does not pay; None if there is none."""
    if cost == 0 or gain / cost > 2**53:
        return None
    size = max(math.floor(gain / cost) - 1, 1)
    while at_most(cost, gain / size):
        size += 1
    return size
