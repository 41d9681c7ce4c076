"""An adversary who knows the quasi-identifiers of a person and guesses a sensitive value."""

from operator import add

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.treatment import ALONE
from PETWorks.counting.counts import ClassValues
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.measures.attacks.records import record_class_modes
from PETWorks.measures.attacks.reidentification import EVERYTHING_SEEN, beyond_guessing, both, vulnerability
from PETWorks.measures.catalogue import metric
from PETWorks.measures.parameters import AtMost
from PETWorks.measures.result import Result, no_more_than


def _hits(view: View, column: str) -> Question[int]:
    """How many records have the commonest value of their class?"""
    return view.fold("commonest value", column, _most_frequent, add, attacker=True)


def _asks(view: View, **_limits: float | None) -> list[Question[int]]:
    return [_hits(view, column) for column in view.sensitive_attributes]


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
def attribute_inference(view: View, *, at_most: AtMost = None, excess: AtMost = None) -> Result:
    """Chance to guess the sensitive value of a random person whose quasi-identifiers are known.

    Before, the best guess is the commonest value of the table; after, the commonest of the person's
    equivalence class. With several sensitive attributes each is attacked alone and the value is the highest
    chance. The adversary sees suppressed records too: here they always count as a class. The excess of an attribute
    is (after - before)/(1 - before): what is gained beyond guessing, of what guessing leaves.

    >>> attribute_inference(Release("data/patient_anonymized.csv")).details["attributes"]["Disease"]["posterior"]
    0.3333333333333333
    """
    attributes = {}
    for column in view.sensitive_attributes:
        overall = view.overall(column, attacker=True)
        hits = view.answer(_hits(view, column))
        counted = (int(overall.counts.max()), hits, overall.people or overall.records)
        attributes[column] = {**vulnerability(*counted), "excess": beyond_guessing(*counted)}
    value, gained = (max(attribute[name] for attribute in attributes.values()) for name in ("posterior", "excess"))
    return Result(
        "attribute-inference",
        value,
        both(no_more_than(value, at_most), no_more_than(gained, excess)),
        {"at_most": at_most, "excess": excess},
        {"excess": gained, "attributes": attributes, "records": view.records},
    )


def attribute_inference_per_record(release: Release, sensitive: str) -> NDArray[np.float64]:
    """The chance for each record, in the order of the input: share of the commonest value in its class."""
    sizes, modes = record_class_modes(release, sensitive)
    return modes / sizes


def _most_frequent(classes: ClassValues) -> int:
    """Records that have the commonest value of their class."""
    return int(np.maximum.reduceat(classes.counts, classes.starts).sum()) if len(classes.starts) else 0
