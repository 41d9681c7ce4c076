"""The rules whose verdict outsiders do not see, because it would reveal a small number of people.

That depends on the policy and on the published number of records, not on the verdicts: what is withheld reveals
nothing either.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from PETWorks.gate.document import RuleResult
from PETWorks.gate.ranges import Range, has_few, narrowest, range_of
from PETWorks.gate.releases_document import ReleasesFacts
from PETWorks.gate.remedies import values_per_class
from PETWorks.gate.rule_names import SUBSETS, TOGETHER
from PETWorks.measures.catalogue import catalogue

SizeLimit = tuple[str, int]  # the classes of what, and the size of the smallest


def rules_withheld(
    rules: Sequence[RuleResult], cell_size: int, records: Range, attacked: Range | None = None
) -> frozenset[str]:
    """The names of these rules.

    attacked   the people whose values in several releases can be intersected; None if there are no other releases
    """
    size_limits = _sizes_to_hide(rules, cell_size, records)
    share_limits = set(_shares_to_hide(rules, cell_size, records))
    return frozenset(
        rule.name
        for rule in rules
        if any(limit in size_limits for limit in _class_sizes(rule))
        or any(limit in share_limits for limit in _shares(rule))
        or _is_in_money(rule)
        or _reveals_people(rule, rules, cell_size, attacked)
        or _reveals_values(rule, rules, cell_size, records)
    )


def class_size_demanded(rule: RuleResult) -> int | None:
    """The class size that is all a rule demands of the release; None if it demands anything else."""
    limits = list(_class_sizes(rule))
    only = len(limits) == len(rule.parameters) and all(axis == RELEASE for axis, _ in limits)
    return max(size for _, size in limits) if limits and only and not is_about_values(rule) else None


def hides_guesses(rules: Sequence[RuleResult], cell_size: int) -> bool:
    """Whether no guesses of values are published, since there are verdicts about values or about small classes."""
    sizes = (size for rule in rules for _, size in _class_sizes(rule))
    return any(map(is_about_values, rules)) or any(size < cell_size for size in sizes)


# Class sizes.

RELEASE = "release"


def _sizes_to_hide(rules: Sequence[RuleResult], cell_size: int, records: Range) -> set[SizeLimit]:
    """The class sizes which, with the others that are compared, tell the size of the smallest class exactly.

    Outsiders learn between which two of the sizes the smallest class is; also whether it is below the cell size. Of a
    small table, in which the size of one class tells that of the rest, no other size is shown.
    """
    hidden: set[SizeLimit] = set()
    limits = {limit for rule in rules for limit in _class_sizes(rule)}
    if has_few(records, cell_size):
        return {(axis, size) for axis, size in limits if size != cell_size}
    implied = set(map(_size_implied, rules))
    for axis in {axis for axis, _ in limits}:
        shown = cell_size
        for size in sorted((size for one, size in limits if one == axis and size < cell_size), reverse=True):
            if shown - size < 2 or size - 1 in {1, *implied}:
                hidden.add((axis, size))
            else:
                shown = size
    return hidden


def _class_sizes(rule: RuleResult) -> Iterator[SizeLimit]:
    """The smallest classes that a rule allows, of the release or of what it is linked with."""
    if rule.measure == SUBSETS and rule.parameters.get("highest-risk"):
        yield RELEASE, _size(1 / rule.parameters["highest-risk"])
    elif rule.measure in catalogue:
        entry = catalogue[rule.measure]
        for name, value in rule.parameters.items():
            size = entry.parameters[name].class_size(value)
            if size:
                yield entry.name if entry.linked else RELEASE, _size(size)


def _size_implied(rule: RuleResult) -> int:
    """The class size below which a rule about values cannot hold."""
    alpha = rule.parameters.get("alpha") or 1
    return max(_size(values_per_class(rule)), _size(1 / alpha))


def _size(size: float) -> int:
    return math.ceil(round(size, 9))


# Shares.


class ShareLimit(NamedTuple):
    """A limit on a share of the records, or of what is kept of them."""

    measure: str  # or SUBSETS
    parameter: str
    threshold: float | None  # the risk above which records are at risk, for measures that have one
    share: float

    @property
    def statistic(self) -> Hashable:
        """What is limited: the same for limits on numbers that depend on the same count, or nearly."""
        of_set = self.measure in (SUBSETS, TOGETHER)
        named = self.parameter.partition(":")[0] if of_set or self.parameter == "average" else self.measure
        return SAME_COUNT.get(named, (self.measure, self.parameter, self.threshold))


# The count on which a number depends, by its measure, or by its parameter if that says more.
SAME_COUNT = {
    "average": "classes",
    "average-risk": "classes",
    "marketer-risk": "classes",
    "re-identification": "classes",
    "uniques": "unique records",
    "sample-uniqueness": "unique records",
    "alone": "unique records",
    "attribute-inference": "guesses",
    "inference": "guesses",
}  # with more releases there are more classes, unique records and right guesses: the limits of both lie between them


def _shares_to_hide(rules: Sequence[RuleResult], cell_size: int, records: Range) -> Iterator[ShareLimit]:
    """The limits of few records, of all but few, and those that few records lie between."""
    few = narrowest(cell_size)
    shown: dict[Hashable, list[float]] = {}
    for limit in dict.fromkeys(limit for rule in rules for limit in _shares(rule)):
        share = limit.share
        close = any(abs(share - other) * records.low < few for other in shown.get(limit.statistic, ()))
        if close or (share < 1 and (share * records.low < few or (1 - share) * records.low < few)):
            yield limit
        else:
            shown.setdefault(limit.statistic, []).append(share)


def _shares(rule: RuleResult) -> Iterator[ShareLimit]:
    """The shares that a rule limits."""
    if rule.measure == SUBSETS:
        limits = ((name, value) for name, value in rule.parameters.items() if name != "highest-risk")
        yield from (ShareLimit(SUBSETS, name, None, value) for name, value in limits)
    elif rule.measure == TOGETHER:
        limits = ((name, value) for name, value in rule.parameters.items() if _limit_of(rule) in SHARES_OF_PEOPLE)
        yield from (ShareLimit(TOGETHER, name, None, value) for name, value in limits)
    elif rule.measure in catalogue and catalogue[rule.measure].family != "privacy":
        entry = catalogue[rule.measure]
        for name, value in rule.parameters.items():
            parameter = entry.parameters[name]
            if parameter.limit is not None and not parameter.of_one_class and value is not None:
                yield ShareLimit(entry.name, name, rule.parameters.get("threshold"), value)


def _is_in_money(rule: RuleResult) -> bool:
    """Whether a rule limits an amount, which is a sum over records."""
    if rule.measure == TOGETHER:
        return _limit_of(rule) == "gain"
    return rule.measure in catalogue and catalogue[rule.measure].unit == "money"


# All releases together.

SHARES_OF_PEOPLE = ("re-identification", "alone", "inference", "one-value")
SHARES_OF_ATTACKED = ("disclosed", "half-sure")
ABOUT_VALUES = ("one-value", *SHARES_OF_ATTACKED, "m-invariance")


def fewest_attacked(releases: ReleasesFacts | None, cell_size: int) -> Range | None:
    """The people whose values can be intersected: of the sensitive attribute that has the fewest."""
    counts = [one.people for one in releases.unlinked if isinstance(one.people, int)] if releases is not None else []
    return range_of(min(counts), cell_size) if counts else None


def _limit_of(rule: RuleResult) -> str:
    """What a rule about all releases limits, without the name of an attribute."""
    return next(iter(rule.parameters)).partition(":")[0]


def _reveals_people(rule: RuleResult, rules: Sequence[RuleResult], cell_size: int, attacked: Range | None) -> bool:
    """Whether a rule about the values in all releases would tell of few people.

    The first rule of each kind is shown, if neither few people nor all but few are within its limit. The smallest class
    of other releases, which m-invariance is about, is not told.
    """
    if rule.measure != TOGETHER or _limit_of(rule) not in ABOUT_VALUES:
        return False
    kind = _limit_of(rule)
    first = next(one for one in rules if one.measure == TOGETHER and _limit_of(one) == kind)
    if kind == "m-invariance" or rule.parameters != first.parameters:
        return True
    if kind not in SHARES_OF_ATTACKED:
        return False
    (share,) = rule.parameters.values()
    few = narrowest(cell_size)
    return (
        attacked is None
        or has_few(attacked, cell_size)
        or share * attacked.low < few
        or (share < 1 and (1 - share) * attacked.low < few)
    )


# Values inside classes.


def _reveals_values(rule: RuleResult, rules: Sequence[RuleResult], cell_size: int, records: Range) -> bool:
    """Whether a rule about the values inside classes, or about guesses of them, reveals too much.

    The first rule of each measure is shown, but none of a small table, and none that tells the size of a class that is
    below the cell size. Rules about guesses are shown if guesses are.
    """
    if _is_about_guesses(rule):
        return hides_guesses(rules, cell_size)
    if not is_about_values(rule):
        return False
    if rule.measure == TOGETHER:
        return has_few(records, cell_size)
    first = next(one for one in rules if one.measure == rule.measure)
    return has_few(records, cell_size) or rule.parameters != first.parameters or _size_implied(rule) == cell_size - 1


def is_about_values(rule: RuleResult) -> bool:
    """Whether a rule limits what is inside single classes, apart from their size."""
    if rule.measure == TOGETHER:
        return _limit_of(rule) in ABOUT_VALUES
    return (
        rule.measure in catalogue
        and catalogue[rule.measure].family == "privacy"
        and catalogue[rule.measure].outside != "smallest class"
    )


def _is_about_guesses(rule: RuleResult) -> bool:
    """Whether a rule limits the chance to guess a value."""
    if rule.measure in (SUBSETS, TOGETHER):
        return any(name.startswith("inference") for name in rule.parameters)
    return rule.measure in catalogue and catalogue[rule.measure].outside == "guesses"
