"""Attribute inference, where an adversary who knows a person's quasi-identifiers guesses a sensitive value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm
from operator import add
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.treatment import ALONE, fold_value
from PETWorks.counting.counts import ClassValues, Integers
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.errors import ParameterError, Phrase, unknown
from PETWorks.measures.attacks.reidentification import (
    ADVERSARY_TREATMENT,
    excess_over_guessing,
    record_class_modes,
    vulnerability,
)
from PETWorks.measures.catalogue import metric
from PETWorks.measures.parameters import AtMost, Number, WorthOfValues
from PETWorks.measures.result import Result, all_hold, no_more_than

MAX_DENOMINATOR = 10**6  # largest denominator of a worth, so that 0.3333333333333333 is read as 1/3
MAX_UNITS = 1 << 62


@dataclass(frozen=True, eq=False)
class Worth:
    """The worth of each value of an attribute to an adversary, by its code: `units[code] / scale`."""

    units: Integers
    scale: int

    def recode(self, codes: Integers) -> "Worth":
        """The same worth for a table with other codes: its code c is `codes[c]` here."""
        return Worth(self.units[codes], self.scale)

    def gain(self, units: int, records: int) -> float:
        """The average gain per record, from a number of units."""
        return float(Fraction(int(units), self.scale * records))

    def prior(self, counts: Integers) -> int:
        """The units gained by the best single guess for all records, from the number of records with each value."""
        return int((counts * self.units).max(initial=0))


WorthByValue = Mapping[str, Mapping[str | None, Any] | Worth]


IN_THE_TABLE, SENSITIVE_ATTRIBUTE = Phrase("the table"), Phrase("sensitive attribute")


def check_worth(
    worth: WorthByValue | None,
    values: Mapping[str, Sequence[str | None]],
    records: int,
    where: Phrase = IN_THE_TABLE,
    what: Phrase = SENSITIVE_ATTRIBUTE,
    *,
    folds: bool = False,
) -> dict[str, Worth]:
    """Check the worth of values and convert it to units, by attribute.

    values    the values of each attribute, in the order of their codes
    records   the number of records, which bounds the sums of worths
    where     the table in which the values should occur; with `what`, the kind of attribute, for error messages
    folds     whether values that differ in spelling only are one value, with the highest of their worths, and the
              missing value does not count
    """
    if worth is None:
        return {}
    if isinstance(worth, Mapping) and all(isinstance(by_value, Worth) for by_value in worth.values()):
        return {column: by_value for column, by_value in worth.items() if isinstance(by_value, Worth)}  # checked before
    if not isinstance(worth, Mapping) or not all(isinstance(by_value, Mapping) for by_value in worth.values()):
        raise ParameterError("expected worth as a dict from attribute to a dict from value to number", what="worth")
    checked = {}
    for column, by_value in worth.items():
        if column not in values:
            raise unknown(what, column, values, what="worth")
        assert isinstance(by_value, Mapping)
        numbers: dict[str | None, Fraction] = {}
        for value, number in by_value.items():
            cell = fold_value(_cell(value)) if folds else _cell(value)
            if cell is not None or not folds:
                numbers[cell] = max(_number(column, number), numbers.get(cell, Fraction(0)))
        missing = set(numbers) - set(values[column])
        if missing:
            raise ParameterError(
                "worth of {column!r}: {missing} of {values} values do not occur in {place}",
                column=column,
                missing=len(missing),
                values=len(numbers),
                place=where,
                what="worth",
            )
        checked[column] = _in_units([numbers.get(value, Fraction(1)) for value in values[column]], records)
    return checked


def _cell(value: Any) -> str | None:
    """A value as it would be read from a cell: trimmed, and None if empty."""
    return None if value is None else str(value).strip() or None


def _number(column: str, number: Any) -> Fraction:
    return Fraction(Number(at_least=0).check(Phrase("worth"), column, number)).limit_denominator(MAX_DENOMINATOR)


def _in_units(worth: Iterable[Fraction], records: int) -> Worth:
    """Convert worths to integers: exact if they fit into 64 bits, otherwise as precise as possible."""
    numbers = list(worth)
    most = max([*numbers, Fraction(1)])
    if most * records > MAX_UNITS:
        raise ParameterError("worth: numbers are too large to be added up for all records", what="worth")
    scale = min(lcm(*(number.denominator for number in numbers)), int(MAX_UNITS / (most * records)))
    return Worth(np.array([round(number * scale) for number in numbers], np.int64), scale)


MostGain = Annotated[float | None, Number(at_least=0, limit="at most")]
ValueWorths = Annotated[WorthByValue | None, WorthOfValues()]


def _hits_question(view: View, column: str) -> Question[int]:
    """Ask how many records have the commonest value of their class."""
    return view.fold_question("commonest value", column, _most_frequent, add, attacker=True)


def _gain_question(view: View, column: str, worth: Worth) -> Question[int]:
    """Ask how many units the best guesses gain."""
    name = ("gain", worth.units.tobytes())
    return view.fold_question(name, column, partial(_most_valuable, worth.units), add, attacker=True)


def _worths(view: View, worth: WorthByValue | None) -> dict[str, Worth]:
    """The worth of values, by the codes that the view uses."""
    if not worth:
        return {}
    values = {column: view.overall(column, attacker=True).values for column in view.sensitive_attributes}
    return check_worth(worth, values, view.records, folds=view.folds_values)


def _questions(view: View, *, worth: WorthByValue | None = None, **_limits: Any) -> list[Question[int]]:
    guesses = [_hits_question(view, column) for column in view.sensitive_attributes]
    return guesses + [_gain_question(view, column, own_worth) for column, own_worth in _worths(view, worth).items()]


@metric(
    asks=_questions,
    family="attack",
    better="lower",
    needs=("quasi-identifiers", "a sensitive attribute"),
    treats={**ADVERSARY_TREATMENT, "several_sensitive": ALONE},
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
        hits = view.answer(_hits_question(view, column))
        counted = (int(overall.counts.max(initial=0)), hits, overall.people or overall.records)
        attributes[column] = {**vulnerability(*counted), "excess": excess_over_guessing(*counted)}
        if view.required_column(column) is not None:
            attributes[column]["records_with_a_value"] = counted[2]
        if worth or gain is not None:
            attributes[column] |= {"gain": _gains(view, column, worths.get(column), counted)}
    value, gained = (max(attribute[name] for attribute in attributes.values()) for name in ("posterior", "excess"))
    most = max((found["gain"]["posterior"] for found in attributes.values() if "gain" in found), default=None)
    return Result(
        "attribute-inference",
        value,
        all_hold(no_more_than(value, at_most), no_more_than(gained, excess), no_more_than(most, gain)),
        {"at_most": at_most, "excess": excess} | ({} if most is None else {"gain": gain, "worth": worth}),
        {
            "excess": gained,
            **({} if most is None else {"gain": most}),
            "attributes": attributes,
            "records": view.records,
        },
    )


def _gains(view: View, column: str, worth: Worth | None, counted: tuple[int, int, int]) -> dict[str, float]:
    """The average gain of guessing, before and after; with a worth of 1, the chance of a right guess."""
    prior, posterior, people = counted
    if worth is None or not people:
        return {"prior": prior / max(people, 1), "posterior": posterior / max(people, 1)}
    units = view.answer(_gain_question(view, column, worth))
    before = worth.prior(view.overall(column, attacker=True).counts)
    return {"prior": worth.gain(before, people), "posterior": worth.gain(units, people)}


def attribute_inference_per_record(release: Release, sensitive: str) -> NDArray[np.float64]:
    """The chance of a right guess for each record, in input order: the share of the commonest value in its class."""
    sizes, modes = record_class_modes(release, sensitive)
    return modes / np.maximum(sizes, 1)


def _most_valuable(units: Integers, classes: ClassValues) -> int:
    """The sum over classes of the units that the best guess gains."""
    gains = classes.counts * units[classes.values]
    return int(np.maximum.reduceat(gains, classes.starts).sum()) if len(classes.starts) else 0


def _most_frequent(classes: ClassValues) -> int:
    """The number of records with the commonest value of their class."""
    return int(np.maximum.reduceat(classes.counts, classes.starts).sum()) if len(classes.starts) else 0
