"""Too many quasi-identifiers: which of them a steward should decide about first."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from PETWorks.about.column_names import A_DATE, A_PLACE, AGE, BODY, ORIGIN, SEEN, SEX, WORK
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.counting.codes import Column
from PETWorks.gate.suggest.suggestion import DATE, Suggestion

MANY = 8  # quasi-identifiers, above which hardly anything is left of each
MOST_LISTED = 12
TO_CHANGE = 3  # columns for which the lines to change are shown
Knowledge = Literal["usually", "often", "unclear"]
# What relatives, colleagues and neighbours know of a person, by the meaning of a column's name.
USUALLY = (SEX, AGE, A_PLACE, ORIGIN)
OFTEN = (WORK, BODY, A_DATE, SEEN, DATE)


def effective_values(column: Column) -> float:
    """The number of equally common values that would tell as much: the exponential of the entropy.

    A quasi-identifier multiplies the number of classes by up to this.
    """
    counts = column.counts[column.counts > 0]
    shares = counts / max(counts.sum(), 1)
    return float(np.exp(-(shares * np.log(shares)).sum())) if len(counts) else 1.0


def how_well_known(suggestion: Suggestion) -> Knowledge:
    """How likely an outsider knows a column, by the meaning of its name and the kind of its values."""
    meaning = suggestion.why.what
    if meaning in USUALLY:
        return "usually"
    return "often" if meaning in OFTEN else "unclear"


def columns_to_decide(suggested: Sequence[Suggestion]) -> list[Suggestion]:
    """The quasi-identifiers by what to decide first, if there are many: least known first, then those that cost most.

    Columns that outsiders usually know come last: there is nothing to decide about them.
    """
    known = [suggestion for suggestion in suggested if suggestion.role == QUASI_IDENTIFIER]
    if len(known) <= MANY:
        return []
    order: dict[Knowledge, int] = {"unclear": 0, "often": 1, "usually": 2}
    return sorted(known, key=lambda suggestion: (order[how_well_known(suggestion)], -suggestion.values))


def is_first_to_decide(suggestion: Suggestion) -> bool:
    """Whether it is not clear that outsiders know the column, and it takes several values."""
    return how_well_known(suggestion) == "unclear" and suggestion.values > 1
