"""An adversary who knows the quasi-identifiers of a person and guesses a sensitive value."""

from functools import partial
from operator import add
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.treatment import ALONE
from PETWorks.counting.counts import ClassValues, Integers
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.measures.attacks.records import record_class_modes
from PETWorks.measures.attacks.reidentification import EVERYTHING_SEEN, beyond_guessing, both, vulnerability
from PETWorks.measures.attacks.worth import Given, Worth, worth_of
from PETWorks.measures.catalogue import metric
from PETWorks.measures.parameters import AtMost, Number, Worths
from PETWorks.measures.result import Result, no_more_than

MostGain = Annotated[float | None, Number(at_least=0, limit="at most")]
ValueWorths = Annotated[Given | None, Worths()]


def _hits(view: View, column: str) -> Question[int]:
    """How many records have the commonest value of their class?"""
    return view.fold("commonest value", column, _most_frequent, add, attacker=True)


def _gain(view: View, column: str, worth: Worth) -> Question[int]:
    """How many units do the best guesses gain?"""
    name = ("gain", worth.units.tobytes())
    return view.fold(name, column, partial(_most_valuable, worth.units), add, attacker=True)


def _worths(view: View, worth: Given | None) -> dict[str, Worth]:
    """The worth of values, by their codes in the classes."""
    if not worth:
        return {}
    values = {column: view.overall(column, attacker=True).values for column in view.sensitive_attributes}
    return worth_of(worth, values, view.records, folds=view.folds_values)


def _asks(view: View, *, worth: Given | None = None, **_limits: Any) -> list[Question[int]]:
    guesses = [_hits(view, column) for column in view.sensitive_attributes]
    return guesses + [_gain(view, column, one) for column, one in _worths(view, worth).items()]


@metric(
    asks=_asks,
    family="attack",
    better="lower",
    needs=("quasi-identifiers", "a sensitive attribute"),
    treats={**EVERYTHING_SEEN, "several_sensitive": ALONE},
    unit="share",
    if_it_fails="diversify",
    outside="guesses",
)
def attribute_inference(
    view: View, *, at_most: AtMost = None, excess: AtMost = None, gain: MostGain = None, worth: ValueWorths = None
) -> Result:
    """Chance to guess the sensitive value of a random person whose quasi-identifiers are known.

    Before, the best guess is the commonest value of the table; after, the commonest of the person's
    equivalence class. With several sensitive attributes each is attacked alone and the value is the highest
    chance. The adversary sees suppressed records too: here they always count as a class. The excess of an attribute
    is (after - before)/(1 - before): what is gained beyond guessing, of what guessing leaves.

    Some values hurt more when guessed: with a worth for each, 1 by default, the details have what the adversary gains
    by the best guess, on average, before and after; the highest of the latter may have a limit, gain.

    >>> attribute_inference(Release("data/patient_anonymized.csv")).details["attributes"]["Disease"]["posterior"]
    0.3333333333333333
    """
    attributes: dict[str, dict[str, Any]] = {}
    worths = _worths(view, worth)
    for column in view.sensitive_attributes:
        overall = view.overall(column, attacker=True)
        hits = view.answer(_hits(view, column))
        counted = (int(overall.counts.max(initial=0)), hits, overall.people or overall.records)
        attributes[column] = {**vulnerability(*counted), "excess": beyond_guessing(*counted)}
        if view.told(column) is not None:
            attributes[column]["records_with_a_value"] = counted[2]
        if worth or gain is not None:
            attributes[column] |= {"gain": _gains(view, column, worths.get(column), counted)}
    value, gained = (max(attribute[name] for attribute in attributes.values()) for name in ("posterior", "excess"))
    most = max((one["gain"]["posterior"] for one in attributes.values() if "gain" in one), default=None)
    return Result(
        "attribute-inference",
        value,
        both(no_more_than(value, at_most), no_more_than(gained, excess), no_more_than(most, gain)),
        {"at_most": at_most, "excess": excess} | ({} if most is None else {"gain": gain, "worth": worth}),
        {
            "excess": gained,
            **({} if most is None else {"gain": most}),
            "attributes": attributes,
            "records": view.records,
        },
    )


def _gains(view: View, column: str, worth: Worth | None, counted: tuple[int, int, int]) -> dict[str, float]:
    """What guessing gains on average: before and after; with a worth of 1 it is the chance of a right guess."""
    prior, posterior, people = counted
    if worth is None or not people:
        return {"prior": prior / max(people, 1), "posterior": posterior / max(people, 1)}
    units = view.answer(_gain(view, column, worth))
    before = worth.prior(view.overall(column, attacker=True).counts)
    return {"prior": worth.gain(before, people), "posterior": worth.gain(units, people)}


def attribute_inference_per_record(release: Release, sensitive: str) -> NDArray[np.float64]:
    """The chance for each record, in the order of the input: share of the commonest value in its class."""
    sizes, modes = record_class_modes(release, sensitive)
    return modes / np.maximum(sizes, 1)


def _most_valuable(units: Integers, classes: ClassValues) -> int:
    """The units that the best guess gains in each class, added up."""
    gains = classes.counts * units[classes.values]
    return int(np.maximum.reduceat(gains, classes.starts).sum()) if len(classes.starts) else 0


def _most_frequent(classes: ClassValues) -> int:
    """Records that have the commonest value of their class."""
    return int(np.maximum.reduceat(classes.counts, classes.starts).sum()) if len(classes.starts) else 0
