"""The expected payout of a publisher: the benefit of a release minus the losses by attacks."""

import math
from functools import partial
from operator import add
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import ClassCodes, ClassSizes, Reals, weighted_sum
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.errors import NotApplicable
from PETWorks.measures.catalogue import find_measure, metric, view_of
from PETWorks.measures.parameters import Choice, Number
from PETWorks.measures.result import Result, at_most, below, normalise_loss

Money = Annotated[float, Number(at_least=0, at_most=1e100, unit="money")]
BINS = 20
ROUNDING = 1e-12  # rounding error of a sum of logarithms over the columns


class _Amounts(NamedTuple):
    """The cost and gain of an attack, the publisher's loss by it, and the benefit of a record."""

    adversary_cost: float
    adversary_gain: float
    publisher_loss: float
    publisher_benefit: float

    @property
    def edges(self) -> Reals:
        """The edges of the histogram of payouts."""
        return np.linspace(-self.publisher_loss, self.publisher_benefit or 1, BINS + 1)


class _Payouts(NamedTuple):
    """Sums over records: the information kept, a histogram of payouts, and the number of negative payouts."""

    kept: float
    histogram: Reals
    negative: int


def _payouts_question(view: View, amounts: _Amounts, information_loss: str) -> Question[_Payouts]:
    """Ask for the payouts of all records."""
    kernel = partial(_sum_payouts, amounts, _weights(view, information_loss))
    return view.fold_codes_question(("paid", amounts, information_loss), kernel, _add_payouts)


def _sum_payouts(amounts: _Amounts, weights: "dict[str, Reals] | None", classes: ClassCodes) -> _Payouts:
    kept, sizes, edges = _information_kept(classes, weights), classes.sizes, amounts.edges
    attacked = _is_attacked(sizes, amounts.adversary_gain, amounts.adversary_cost)
    lost = np.where(attacked, amounts.publisher_loss / sizes, 0)
    payout = amounts.publisher_benefit * kept - lost
    return _Payouts(
        float(np.sum(kept * sizes)),
        np.histogram(np.clip(payout, edges[0], edges[-1]), edges, weights=sizes)[0],
        int(sizes[below(amounts.publisher_benefit * kept, lost)].sum()),
    )


def _add_payouts(first: _Payouts, second: _Payouts) -> _Payouts:
    return _Payouts(*map(add, first, second))


def _questions(
    view: View,
    *,
    information_loss: str,
    at_least: float | None,  # noqa: ARG001
    **amounts: float,
) -> list[Question[_Payouts]]:
    return [_payouts_question(view, _Amounts(**amounts), information_loss)]


@metric(
    asks=_questions,
    family="utility",
    better="higher",
    unit="money",
    reported_in="profit",
)
def publisher_payout(
    view: View,
    *,
    adversary_cost: Money = 4,
    adversary_gain: Money = 300,
    publisher_loss: Money = 300,
    publisher_benefit: Money = 1200,
    information_loss: Annotated[str, Choice(("auto", "shares", "none"))] = "auto",
    at_least: Annotated[float | None, Number(limit="at least", unit="money")] = None,
) -> Result:
    """Expected payout of the publisher over all records: benefit for what they still tell, less losses by attacks.

    A record brings the benefit times one minus its information loss. It is attacked where the expected gain,
    gain/(size of its class), is above the cost, and then costs loss/(size of its class). The information loss of a
    record is 1 + log(product of its values' shares of leaves)/log(product of all leaves), or none.

    Wan et al. (2015), *A Game Theoretic Framework for Analyzing Re-Identification Risk*; Prasser et al. (2017), *An
    Open Source Tool for Game Theoretic Health Data De-Identification*.

    >>> publisher_payout(Release("data/delta_anonymized.csv"), information_loss="none").value
    5400.0
    """
    amounts = _Amounts(adversary_cost, adversary_gain, publisher_loss, publisher_benefit)
    weights = _weights(view, information_loss)
    edges = amounts.edges
    paid = view.answer(_payouts_question(view, amounts, information_loss))
    sizes = view.class_sizes()
    attacked = _is_attacked(sizes.sizes, adversary_gain, adversary_cost)
    benefit, losses = publisher_benefit * paid.kept, publisher_loss * int(sizes.classes[attacked].sum())
    is_even = at_most(benefit, losses) and at_most(losses, benefit)
    value = 0.0 if is_even else benefit - losses
    most = publisher_benefit * view.counted_records
    return Result(
        "publisher-payout",
        value,
        # The sums are compared, not their difference, which may consist of rounding errors only.
        None if at_least is None else bool(at_most(at_least + losses, benefit)),
        {
            "adversary_cost": adversary_cost,
            "adversary_gain": adversary_gain,
            "publisher_loss": publisher_loss,
            "publisher_benefit": publisher_benefit,
            "information_loss": information_loss,
            "at_least": at_least,
        },
        {
            "benefit": benefit,
            "expected_loss": float(losses),
            "raw": value,
            "min": 0.0,
            "max": float(most),
            "normalised": 1 - normalise_loss(value, 0, most) if most else 0.0,
            "information_loss_used": "none" if weights is None else "shares",
            "records_attacked": int((sizes.sizes * sizes.classes)[attacked].sum()),
            "records_paying_less_than_nothing": paid.negative,
            "break_even_gain_per_cost": _break_even(sizes, benefit, publisher_loss),
            "payout_by_gain_per_cost": {
                f"{ratio:g}": {
                    "records_attacked": int((sizes.sizes * sizes.classes)[sizes.sizes < ratio].sum()),
                    "payout": benefit - publisher_loss * int(sizes.classes[sizes.sizes < ratio].sum()),
                }
                for ratio in (1, 2, 3, 5, 10, 20, 50, 75, 100, 200, 500, 1000)
            },
            "records_by_payout": {
                f"{low:g} to {high:g}": {"records": int(records)}
                for low, high, records in zip(edges[:-1], edges[1:], paid.histogram, strict=True)
            },
            **view.class_summary(),
        },
    )


def payout_curve(
    view: View | Release,
    *,
    publisher_loss: float = 300,
    publisher_benefit: float = 1200,
    information_loss: str = "auto",
) -> tuple[Reals, Reals]:
    """The payout of the publisher as a step function of (adversary's gain)/(cost): ratios, and the payout above each.

    >>> ratios, payouts = payout_curve(Release("data/delta_anonymized.csv"), information_loss="none")
    >>> ratios.tolist(), payouts.tolist()
    ([0.0, 2.0, 3.0], [6000.0, 5700.0, 5400.0])
    """
    view = view_of(view)
    amounts = {"publisher_loss": publisher_loss, "publisher_benefit": publisher_benefit}
    checked = find_measure("publisher-payout").check({**amounts, "information_loss": information_loss})
    publisher_loss, publisher_benefit = checked["publisher_loss"], checked["publisher_benefit"]
    weights = _weights(view, information_loss)
    kept = view.fold_codes_question(
        ("kept", information_loss),
        lambda classes: weighted_sum(_information_kept(classes, weights), classes.sizes),
        add,
    )
    benefit = publisher_benefit * view.answer(kept)
    sizes = view.class_sizes()
    attacked = np.concatenate([[0], np.cumsum(sizes.classes)])
    return np.concatenate([[0.0], sizes.sizes]), benefit - publisher_loss * attacked


def _is_attacked(sizes: NDArray[Any], gain: float, cost: float) -> NDArray[np.bool_]:
    """Whether the expected gain from a record of each class is above the cost."""
    return below(cost, gain / sizes)


def _weights(view: View, information_loss: str) -> dict[str, Reals] | None:
    """The contribution of each value of each column to one minus the information loss; None if nothing is lost."""
    if information_loss == "none":
        return None
    lacks_hierarchies = any(column not in view.hierarchies for column in view.quasi_identifiers)
    if lacks_hierarchies and information_loss == "auto":
        return None
    hierarchies = view.generalised_hierarchies("publisher-payout")
    all_leaves = math.fsum(math.log(len(hierarchy.leaves)) for hierarchy in hierarchies.values())
    if all_leaves == 0 and information_loss == "auto":
        return None
    if all_leaves == 0:
        raise NotApplicable("hierarchies of one leaf each have no information to lose")
    return {
        column: -np.log(hierarchy.leaf_counts(view.marginal(column).values, column) / len(hierarchy.leaves))
        / all_leaves
        for column, hierarchy in hierarchies.items()
    }


def _information_kept(classes: ClassCodes, weights: dict[str, Reals] | None) -> Reals:
    """For each class, one minus the information loss of its records."""
    if weights is None:
        return np.ones(len(classes.sizes))
    kept = np.zeros(len(classes.sizes))
    for column, codes in classes.codes.items():
        kept += weights[column][codes]
    return np.where(kept > 1 - ROUNDING, 1, kept)


def _break_even(sizes: ClassSizes, benefit: float, loss: float) -> float | None:
    """The gain per cost above which losses exceed the benefit; None if they never do."""
    attacked = np.flatnonzero(below(benefit, loss * np.cumsum(sizes.classes)))
    return float(sizes.sizes[attacked[0]]) if len(attacked) else None
