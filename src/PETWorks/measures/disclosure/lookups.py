"""Disclosure to an adversary who looks people up in a release as if it were the original, and control people too."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.kinds import PERTURBED, SYNTHETIC
from PETWorks.counting.counts import ClassValues, Grouping, Integers, run_starts
from PETWorks.counting.questions import Question, fold_question
from PETWorks.counting.view import View
from PETWorks.errors import Hint, InputError, Phrase
from PETWorks.measures.catalogue import metric
from PETWorks.measures.disclosure.compared import (
    CONTROL,
    EVERYONE,
    MOST_VALUES,
    ORIGINAL,
    RELEASED,
    STRIDE,
    TABLES,
    ComparedTables,
    by_table,
    compared_tables,
    is_in_original,
)
from PETWorks.measures.disclosure.excess import controls_needed, excess_interval, excess_over, newcombe
from PETWorks.measures.parameters import AtMost
from PETWorks.measures.result import Result, all_hold, no_more_than

FEWEST_CONTROLS = 100  # below, a limit on the excess is not judged
NO_CONTROL, FEW_CONTROLS = Phrase("no control people"), Phrase("few control people")
IN_ORIGINAL = Phrase("control people are in the original")
LONGEST_EXACT = 60

Sums = Mapping[int, int]  # numerators by denominator, so that a sum of many fractions stays exact


NOTHING: Mapping[int, int] = {}


@dataclass(frozen=True)
class Lookups:
    """Counts of right lookups, each for the people of the original and for control people."""

    found: tuple[int, int] = (0, 0)
    replicated: int = 0
    certain: tuple[int, int] = (0, 0)
    certain_in_both: int = 0
    proportional: tuple[Sums, Sums] = (NOTHING, NOTHING)
    best_guess: tuple[Sums, Sums] = (NOTHING, NOTHING)

    def __add__(self, other: "Lookups") -> "Lookups":
        return Lookups(
            (self.found[0] + other.found[0], self.found[1] + other.found[1]),
            self.replicated + other.replicated,
            (self.certain[0] + other.certain[0], self.certain[1] + other.certain[1]),
            self.certain_in_both + other.certain_in_both,
            _add_sums(self.proportional, other.proportional),
            _add_sums(self.best_guess, other.best_guess),
        )


def _add_sums(one: tuple[Sums, Sums], other: tuple[Sums, Sums]) -> tuple[Sums, Sums]:
    merged = dict(one[0]), dict(one[1])
    for sums, further in zip(merged, other, strict=True):
        for denominator, numerator in further.items():
            sums[denominator] = sums.get(denominator, 0) + numerator
    return merged


def total(sums: Sums) -> Fraction:
    """The sum of the fractions; those of similar size are added first, which is faster."""
    parts = [Fraction(numerator, denominator) for denominator, numerator in sorted(sums.items())]
    while len(parts) > 1:
        parts = [sum(parts[place : place + 2], Fraction(0)) for place in range(0, len(parts), 2)]
    return parts[0] if parts else Fraction(0)


def look_up(modes: Integers, kind: Any, classes: ClassValues) -> Lookups:
    """The lookups in classes whose codes are `value * 4 + table`.

    modes   the most frequent values of the whole release, which are guessed where it has nobody with these keys
    kind    of integers that products of two class sizes fit into
    """
    values, tables = np.divmod(classes.values, STRIDE)
    class_of_cell = classes.cell_classes
    first = run_starts(class_of_cell * (int(values.max(initial=0)) + 1) + values)
    group_of_cell = np.repeat(np.arange(len(first)), np.diff(first, append=len(values)))
    counts = np.zeros((TABLES, len(first)), np.int64)
    counts[tables, group_of_cell] = classes.counts
    of_class, value = class_of_cell[first], values[first]
    starts = run_starts(of_class)
    if not len(starts):
        return Lookups()
    sizes = np.add.reduceat(counts, starts, axis=1)
    original, released, control = counts
    released_size = sizes[RELEASED][of_class]
    is_found = sizes[RELEASED] > 0
    certain = (released > 0) & (released == released_size)
    in_both = certain & (original == sizes[ORIGINAL][of_class])
    highest = np.maximum.reduceat(released, starts)
    modal = np.where(released_size > 0, released == highest[of_class], np.isin(value, modes))
    ties = np.where(is_found, np.add.reduceat(modal.astype(np.int64), starts), len(modes))[of_class]
    present = released > 0
    weights, denominators = released[present].astype(kind), released_size[present]
    return Lookups(
        (int(sizes[ORIGINAL][is_found].sum()), int(sizes[CONTROL][is_found].sum())),
        int(np.count_nonzero((sizes[ORIGINAL] == 1) & (sizes[RELEASED] == 1))),
        (int(original[certain].sum()), int(control[certain].sum())),
        int(original[in_both].sum()),
        (
            _sums(denominators, original[present] * weights),
            _sums(denominators, control[present] * weights),
        ),
        (_sums(ties[modal], original[modal]), _sums(ties[modal], control[modal])),
    )


def _sums(denominators: Integers, numerators: NDArray[Any]) -> Sums:
    """The sum of the numerators of each denominator."""
    some = numerators > 0
    different, places = np.unique(denominators[some], return_inverse=True)
    sums = np.zeros(len(different), numerators.dtype)
    np.add.at(sums, places, numerators[some])
    return dict(zip(different.tolist(), map(int, sums.tolist()), strict=True))


def lookups_question(view: View, target: str | None = None) -> Question[Lookups]:
    """Ask how often lookups by all quasi-identifiers are right; without a target, only who is found."""
    tables = compared_tables(view)
    column = by_table(target) if target is not None else by_table(tables.targets[0]) if tables.targets else EVERYONE
    modes = tables.modes(target) if target is not None else np.empty(0, np.int64)
    kernel = partial(look_up, modes, kind_of_products(tables))
    grouping = Grouping(tables.keys, tables.keys)
    # Whoever is found is counted with the first target, whatever is guessed.
    name = ("lookups", modes.tobytes()) if target is not None or not tables.targets else ("found", column)
    return fold_question(name, tables.table, grouping, column, kernel, add)


def copies_question(view: View) -> Question[Lookups]:
    """Ask who is found by all compared columns together."""
    tables = compared_tables(view)
    columns = (*tables.keys, *tables.targets)
    kernel = partial(look_up, np.empty(0, np.int64), kind_of_products(tables))
    grouping = Grouping(columns, columns)
    return fold_question("copies", tables.table, grouping, EVERYONE, kernel, add)


def kind_of_products(tables: ComparedTables) -> Any:
    """A type for sums of products of two numbers of records."""
    return np.int64 if max(tables.records) ** 2 < 1 << 62 else object


class LookupShares(NamedTuple):
    """The share of right lookups about the people of the original, and about control people if there are any."""

    original: Fraction
    control: Fraction | None = None
    prior: Fraction | None = None
    control_prior: Fraction | None = None


def shares_of(name: str, tables: ComparedTables, lookups: Lookups, target: str | None) -> LookupShares:
    """The shares of a measure of this module."""
    people, controls = tables.records[ORIGINAL], tables.records[CONTROL]
    counted = getattr(lookups, COUNTED[name])
    prior = None if target is None else tables.prior(target, ORIGINAL)
    if isinstance(counted, int):
        return LookupShares(Fraction(counted, people), prior=prior)
    right, by_chance = (total(sums) if isinstance(sums, Mapping) else Fraction(sums) for sums in counted)
    control = by_chance / controls if controls else None
    if target is None:
        return LookupShares(right / people, control)
    return LookupShares(right / people, control, prior, tables.prior(target, CONTROL) if controls else None)


# The field of `Lookups` that each measure is made of.
COUNTED: Mapping[str, str] = {
    "found": "found",
    "replicated-uniques": "replicated",
    "certain": "certain",
    "certain-in-both": "certain_in_both",
    "proportional": "proportional",
    "best-guess": "best_guess",
    "copies": "found",
}


def describe_shares(shares: LookupShares, tables: ComparedTables, *, differ: bool = False) -> dict[str, Any]:
    """The numbers of a measure for the details of a result, ready for JSON.

    The excess is over control people, with its interval; without them, over the prior, if there is one.

    differ   whether the excess is the plain difference, not a share of what remains
    """
    people, controls = tables.records[ORIGINAL], tables.records[CONTROL]
    control, prior = shares.control, shares.prior
    found: dict[str, Any] = {"share": float(shares.original), **_exact("exact", shares.original)}
    if prior is not None:
        found |= {"prior": float(prior)}
    if control is not None:
        found |= {"control": float(control), **_exact("control_exact", control)}
        if shares.control_prior is not None:
            found |= {"control_prior": float(shares.control_prior)}
        excess = shares.original - control if differ else excess_over(shares.original, control)
        interval = (newcombe if differ else excess_interval)(float(shares.original), people, float(control), controls)
        found |= {"excess": float(excess), **_exact("excess_exact", excess), "interval": list(interval)}
    elif prior is not None and not controls:
        found |= {"over_prior": float(excess_over(shares.original, prior))}
    return found


def _exact(name: str, share: Fraction) -> dict[str, str]:
    """The fraction as a text, unless it is too long to be read."""
    text = str(share) if share.denominator.bit_length() < 4 * LONGEST_EXACT else ""
    return {name: text} if 0 < len(text) <= LONGEST_EXACT else {}


def check_values(tables: ComparedTables, view: View, target: str) -> None:
    """Raise if a target has too many values to be guessed, and no hierarchy to compare them on."""
    values = len(tables.counts[target])
    if values > MOST_VALUES and target not in view.hierarchies:
        raise InputError(
            "sensitive attribute {column!r} has {values:,} values, too many to be guessed exactly; give it a hierarchy "
            "and compare it on a level of that, such as income in bands",
            Hint.COMPARE_AT,
            column=target,
            values=values,
            what="compare_at",
        )


def why_unjudged(view: View) -> Phrase | None:
    """Why an excess over control people cannot be judged, if it cannot."""
    controls = compared_tables(view).records[CONTROL]
    if not controls:
        return NO_CONTROL
    if is_in_original(view):
        return IN_ORIGINAL
    return FEW_CONTROLS if controls < FEWEST_CONTROLS else None


def excess_verdict(
    view: View, limit: float | None, numbers: Mapping[str, Any], *, differ: bool = False
) -> dict[str, Any]:
    """Whether an excess keeps its limit, by the upper end of its interval, and why it does not if that is not all.

    satisfied         None without a limit; false if there are too few control people to judge
    unjudged          why it cannot be judged: "no control people", "few control people" or "control people are in the
                      original"
    control_needed    the number of control people that would suffice if they are guessed right as often
    """
    if limit is None:
        return {"satisfied": None}
    people = compared_tables(view).records[ORIGINAL]
    unjudged = why_unjudged(view)
    if unjudged is not None:
        verdict: dict[str, Any] = {"satisfied": False, "unjudged": str(unjudged)}
    else:
        verdict = {"satisfied": no_more_than(numbers["interval"][1], limit)}
    if not verdict["satisfied"] and unjudged in (None, FEW_CONTROLS) and numbers["excess"] <= limit:
        needed = controls_needed(
            numbers["share"], people, numbers["control"], limit, newcombe if differ else excess_interval
        )
        verdict |= {} if needed is None else {"control_needed": max(needed, FEWEST_CONTROLS)}
    return verdict


def _records(tables: ComparedTables) -> dict[str, int]:
    records, released, controls = tables.records
    return {"original_records": records, "released_records": released, "control_records": controls}


def _result(
    name: str,
    view: View,
    limits: Mapping[str, float | None],
    ask: Callable[[View], Question[Lookups]] = lookups_question,
    *,
    differ: bool = False,
) -> Result:
    """The result of a measure that needs no target; limits: `at_most` and, if the measure has it, `excess`."""
    tables = compared_tables(view)
    numbers = describe_shares(shares_of(name, tables, view.answer(ask(view)), None), tables, differ=differ)
    verdict = excess_verdict(view, limits.get("excess"), numbers, differ=differ)
    value = numbers.pop("share")
    satisfied = all_hold(no_more_than(value, limits["at_most"]), verdict.pop("satisfied"))
    return Result(name, value, satisfied, limits, {**numbers, **verdict, **_records(tables)})


def _result_by_target(name: str, view: View, limits: Mapping[str, float | None]) -> Result:
    """The result of a measure that is about each sensitive attribute; the worst one counts."""
    tables = compared_tables(view)
    attributes: dict[str, dict[str, Any]] = {}
    verdicts = []
    for target in tables.targets:
        check_values(tables, view, target)
        lookups = view.answer(lookups_question(view, target))
        attributes[target] = describe_shares(shares_of(name, tables, lookups, target), tables)
        verdicts.append(excess_verdict(view, limits.get("excess"), attributes[target]))
    value = max(numbers["share"] for numbers in attributes.values())
    details: dict[str, Any] = {}
    worst = max(attributes.values(), key=lambda numbers: numbers.get("interval", (0, 0))[1])
    if "excess" in worst:
        details |= {"excess": worst["excess"], "interval": worst["interval"]}
    details |= {key: verdict[key] for verdict in verdicts for key in ("unjudged",) if key in verdict}
    failed = [verdict for verdict in verdicts if verdict["satisfied"] is False]
    if failed and all("control_needed" in verdict for verdict in failed):
        details["control_needed"] = max(verdict["control_needed"] for verdict in failed)
    satisfied = all_hold(no_more_than(value, limits["at_most"]), *(verdict["satisfied"] for verdict in verdicts))
    return Result(name, value, satisfied, limits, {**details, "attributes": attributes, **_records(tables)})


def _ask_found(view: View, **_limits: float | None) -> list[Question[Any]]:
    return [lookups_question(view)]


def _ask_copies(view: View, **_limits: float | None) -> list[Question[Any]]:
    return [copies_question(view)]


def _ask_by_target(view: View, **_limits: float | None) -> list[Question[Any]]:
    return [lookups_question(view, target) for target in view.sensitive_attributes]


ABOUT_FOUND: dict[str, Any] = {
    "family": "disclosure",
    "better": "lower",
    "needs": ("quasi-identifiers", "the original table"),
    "treats": {"missing": "value", "suppressed": "value", "several_sensitive": None, "privacy_unit": None},
    "unit": "share",
    "if_it_fails": "hide-presence",
    "kinds": (SYNTHETIC, PERTURBED),
}
ABOUT_VALUES: dict[str, Any] = ABOUT_FOUND | {
    "needs": ("quasi-identifiers", "a sensitive attribute", "the original table"),
    "treats": {**ABOUT_FOUND["treats"], "several_sensitive": "alone"},
    "if_it_fails": "diversify",
}


@metric(asks=_ask_found, **ABOUT_FOUND)
def found(view: View, *, at_most: AtMost = None, excess: AtMost = None) -> Result:
    """Share of people of the original whose quasi-identifiers occur in the release.

    Elsewhere it is called iS.

    Raab, Nowok and Dibben (2024), *Practical privacy metrics for synthetic data*.

    >>> from PETWorks import Release
    >>> found(Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")).value
    0.8333333333333334
    """
    return _result("found", view, {"at_most": at_most, "excess": excess})


@metric(asks=_ask_found, **ABOUT_FOUND)
def replicated_uniques(view: View, *, at_most: AtMost = None) -> Result:
    """Share of people who are unique in the original and whose quasi-identifiers exactly one released record has.

    There is no such share of control people, because it depends on how many they are. Elsewhere it is called repU.

    Raab, Nowok and Dibben (2024), *Practical privacy metrics for synthetic data*.

    >>> from PETWorks import Release
    >>> replicated_uniques(Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")).value
    0.16666666666666666
    """
    return _result("replicated-uniques", view, {"at_most": at_most})


@metric(asks=_ask_copies, **ABOUT_FOUND)
def copies(view: View, *, at_most: AtMost = None, excess: AtMost = None) -> Result:
    """Share of people of the original whose record occurs in the release, in every compared column.

    Its excess is the difference to the share of control people: where nearly everybody has a look-alike, as on coarse
    levels, a share of the few others would be large by chance, although no record was copied.

    >>> from PETWorks import Release
    >>> copies(Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")).value
    0.6666666666666666
    """
    return _result("copies", view, {"at_most": at_most, "excess": excess}, copies_question, differ=True)


@metric(asks=_ask_by_target, **ABOUT_VALUES)
def certain(view: View, *, at_most: AtMost = None, excess: AtMost = None) -> Result:
    """Share of people whose look-alikes in the release all have one sensitive value, and it is theirs.

    Elsewhere it is called DiSCO.

    Raab, Nowok and Dibben (2024), *Practical privacy metrics for synthetic data*.

    >>> from PETWorks import Release
    >>> certain(Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")).value
    0.6666666666666666
    """
    return _result_by_target("certain", view, {"at_most": at_most, "excess": excess})


@metric(asks=_ask_by_target, **ABOUT_VALUES)
def certain_in_both(view: View, *, at_most: AtMost = None) -> Result:
    """Share of people whose look-alikes in the release and in the original all have their sensitive value.

    There is no such share of control people, because it depends on how many they are. Elsewhere it is called DiSDiO.

    Raab, Nowok and Dibben (2024), *Practical privacy metrics for synthetic data*.

    >>> from PETWorks import Release
    >>> certain_in_both(Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")).value
    0.5
    """
    return _result_by_target("certain-in-both", view, {"at_most": at_most})


@metric(asks=_ask_by_target, **ABOUT_VALUES)
def proportional(view: View, *, at_most: AtMost = None, excess: AtMost = None) -> Result:
    """Chance to take a person's sensitive value from a random one of their look-alikes in the release.

    Elsewhere it is called DCAP.

    Taub, Elliot, Pampaka and Smith (2018), *Differential Correct Attribution Probability for Synthetic Data*.

    >>> from PETWorks import Release
    >>> proportional(Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")).value
    0.6666666666666666
    """
    return _result_by_target("proportional", view, {"at_most": at_most, "excess": excess})


@metric(asks=_ask_by_target, **ABOUT_VALUES)
def best_guess(view: View, *, at_most: AtMost = None, excess: AtMost = None) -> Result:
    """Chance to guess a person's sensitive value as the most frequent one of their look-alikes in the release.

    Of several most frequent values a random one is guessed, and where nobody has the person's quasi-identifiers, the
    most frequent value of the whole release. If the release is the original, it is the posterior of
    attribute-inference.

    >>> from PETWorks import Release
    >>> best_guess(Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")).value
    0.6666666666666666
    """
    return _result_by_target("best-guess", view, {"at_most": at_most, "excess": excess})
