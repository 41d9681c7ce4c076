"""Models of whether a person's presence in the release can be inferred."""

from fractions import Fraction
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

from PETWorks.about.treatment import AS_CLASS
from PETWorks.counting.counts import ClassPairs, Integers, largest_ratio
from PETWorks.counting.view import View
from PETWorks.errors import NotApplicable, Phrase, quoted
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import ClassTest, Mask, Monotone, round_up_count
from PETWorks.measures.parameters import Number
from PETWorks.measures.result import Result, at_most


def _delta_out_of_range(least: float, most: float, classes: ClassPairs) -> Mask:
    deltas = classes.released / np.maximum(classes.background, 1)
    return ~(at_most(least, deltas) & at_most(deltas, most))


def _min_records_failing_when_refined(least: float, most: float, classes: ClassPairs) -> Integers:
    """A lower bound of the records of each class that are in failing classes on every finer level.

    If too many are released, passing classes have at most `most` times their people. If too few are, at least one
    record is in a failing class.
    """
    too_many = round_up_count(classes.released - most * classes.background)
    return np.maximum(too_many, _delta_out_of_range(least, most, classes))


def _tests(_view: View, *, delta_min: float | None, delta_max: float | None) -> list[ClassTest]:
    if delta_min is None and delta_max is None:
        return []
    least, most = delta_min or 0, 1 if delta_max is None else delta_max
    fails = partial(_delta_out_of_range, least, most)
    all_present = not at_most(least, 0)  # delta is 0 for a class that the release lacks
    lasting = partial(_min_records_failing_when_refined, least, most)
    return [ClassTest(fails, Monotone.UNSUPPRESSED, background="original", all_present=all_present, lasting=lasting)]


@metric(
    tests=_tests,
    family="privacy",
    better="between",
    needs=("quasi-identifiers", "the original table"),
    aliases=("d-presence", "δ-presence"),
    unit="range of shares",
    if_it_fails="hide-presence",
    reported_in="presence",
)
def delta_presence(
    view: View,
    *,
    delta_min: Annotated[float | None, Number(at_least=0, at_most=1, limit="at least", unit="share")] = None,
    delta_max: Annotated[
        float | None, Number(at_least=0, at_most=1, not_below="delta_min", limit="at most", unit="share")
    ] = None,
) -> Result:
    """Range of the probability that a person of the original is in the release.

    The adversary knows everybody in the original, generalised as the release is. For each of these people,
    delta is the number of released records with the same quasi-identifiers over the number of people who
    share them. The release is (delta_min, delta_max)-present when every delta lies between the two.

    Nergiz, Atzori and Clifton (2007), *Hiding the Presence of Individuals from Shared Databases*.

    >>> from PETWorks import Release
    >>> release = Release("data/delta_anonymized.csv", original="data/delta.csv")
    >>> delta_presence(release, delta_min=1/2, delta_max=2/3).satisfied
    True
    """
    if view.treatment["suppressed"] == AS_CLASS and 0 < view.suppressed_records < view.records:
        raise NotApplicable(
            "suppressed records: {records}; each may be anybody of the original. Leave them out, or let them stand "
            "aside (suppressed: apart)",
            records=view.suppressed_records,
        )
    background = view.as_released(view.background.original, "original")
    deltas = view.fold_with(background, _summary, _merge)
    if deltas.strangers:
        foreign = [
            column for column in view.levels if view.released_values(column) - set(background.marginal(column).values)
        ]
        lacking = [column for column in foreign if column not in view.hierarchies]
        text = Phrase("released records that match no record of the original: {records}", records=deltas.strangers)
        if foreign:
            columns = quoted(foreign)
            text = Phrase("{text}; values that the original does not have are in {columns}", text=text, columns=columns)
        if lacking:  # they may stand for values of the original
            raise NotApplicable(
                "{text}, and no hierarchy says what those in {columns} stand for", text=text, columns=quoted(lacking)
            )
        raise NotApplicable("{text}; the release was not made from it", text=text)
    if deltas.too_many:
        raise NotApplicable(
            "released records beyond those the original has of their kind: {too_many}; the "
            "release was not made from it",
            too_many=deltas.too_many,
        )
    if deltas.smallest is None or deltas.largest is None:
        raise NotApplicable("every record of the original stands aside")
    smallest, largest = float(deltas.smallest), float(deltas.largest)
    limits = (delta_min, delta_max)
    satisfied = None
    if limits != (None, None):
        satisfied = bool(at_most(delta_min or 0, smallest) and at_most(largest, 1 if delta_max is None else delta_max))
    return Result(
        "delta-presence",
        [smallest, largest],
        satisfied,
        {"delta_min": delta_min, "delta_max": delta_max},
        {
            "exact": [str(deltas.smallest), str(deltas.largest)],
            "levels": view.levels,
            "original_records": background.rows,
            "original_records_absent_from_the_release": deltas.absent,
            "records": view.counted_records,
            "suppressed_records": view.suppressed_records,
            "incomplete_records": view.incomplete_records,
        },
    )


class _Deltas(NamedTuple):
    smallest: Fraction | None
    largest: Fraction | None
    absent: int
    strangers: int
    too_many: int


def _summary(classes: ClassPairs) -> _Deltas:
    known = classes.background > 0
    released, background = classes.released[known], classes.background[known]
    largest = largest_ratio(released, background)
    # The smallest delta is one minus the largest share of absent people.
    most_absent = largest_ratio(background - released, background)
    return _Deltas(
        1 - most_absent[0] if most_absent else None,
        largest[0] if largest else None,
        int(background[released == 0].sum()),
        int(classes.released[~known].sum()),
        int(np.maximum(released - background, 0).sum()),
    )


def _merge(first: _Deltas, second: _Deltas) -> _Deltas:
    smallest = [part.smallest for part in (first, second) if part.smallest is not None]
    largest = [part.largest for part in (first, second) if part.largest is not None]
    return _Deltas(
        min(smallest, default=None),
        max(largest, default=None),
        first.absent + second.absent,
        first.strangers + second.strangers,
        first.too_many + second.too_many,
    )
