"""The rules whose verdict outsiders do not see, because it would reveal a small number of people.

That depends on the policy and on the published number of records, not on the verdicts: what is withheld reveals
nothing either.
"""

import math
from collections.abc import Iterator, Sequence

from PETWorks.gate.document import RuleResult
from PETWorks.gate.policy_rules import SUBSETS
from PETWorks.gate.ranges import Range, has_few, narrowest
from PETWorks.gate.remedies import values_per_class
from PETWorks.measures.catalogue import catalogue

Limit = tuple[str, float]  # what is limited, and the limit as a number of records


def rules_withheld(rules: Sequence[RuleResult], cell_size: int, records: Range) -> frozenset[str]:
    """The names of these rules.

    Of the rules about the values inside classes the first of each measure is shown, but none of a small table. If
    there are such rules, those about guesses of values are not.
    """
    judges_values = any(map(is_about_values, rules))
    hidden_sizes = _sizes_to_hide(rules, cell_size)
    few = has_few(records, cell_size)
    first = {rule.measure: rule.parameters for rule in reversed(rules)}
    return frozenset(
        rule.name
        for rule in rules
        if any(limit in hidden_sizes for limit in _class_sizes(rule))
        or any(_reveals_few(share, records, cell_size) for share in _shares(rule))
        or (is_about_values(rule) and (few or rule.parameters != first[rule.measure]))
        or (judges_values and _is_about_guesses(rule))
    )


def _sizes_to_hide(rules: Sequence[RuleResult], cell_size: int) -> set[Limit]:
    """The class sizes which, with the others that are compared, tell the size of the smallest class exactly.

    Outsiders learn between which two of the sizes the smallest class is; also whether it is below the cell size.
    """
    hidden = set()
    limits = {limit for rule in rules for limit in _class_sizes(rule)}
    values = {values_per_class(rule) for rule in rules}  # a class with so many values has at least so many records
    for axis in {axis for axis, _ in limits}:
        shown = float(cell_size)
        for size in sorted((size for one, size in limits if one == axis and size < cell_size), reverse=True):
            if shown - size < 2 or size - 1 in {1, *values}:
                hidden.add((axis, size))
            else:
                shown = size
    return hidden


def _class_sizes(rule: RuleResult) -> Iterator[Limit]:
    """The smallest classes that a rule allows, of the release or of what it is linked with."""
    if rule.measure == SUBSETS and rule.parameters.get("highest-risk"):
        yield "release", _size(1 / rule.parameters["highest-risk"])
    elif rule.measure in catalogue:
        entry = catalogue[rule.measure]
        for name, value in rule.parameters.items():
            size = entry.parameters[name].class_size(value)
            if size:
                yield entry.name if entry.linked else "release", _size(size)


def _size(size: float) -> int:
    return math.ceil(round(size, 9))


def _shares(rule: RuleResult) -> Iterator[float]:
    """The shares of the records, or of what is kept of them, that a rule limits."""
    if rule.measure == SUBSETS:
        yield from (value for name, value in rule.parameters.items() if name != "highest-risk")
    elif rule.measure in catalogue and catalogue[rule.measure].family != "privacy":
        for name, value in rule.parameters.items():
            parameter = catalogue[rule.measure].parameters[name]
            if parameter.limit is not None and not parameter.of_one_class and value is not None:
                yield value


def _reveals_few(share: float, records: Range, cell_size: int) -> bool:
    """Whether a limit of this share is a limit of fewer records than the narrowest range has, or of all but so few."""
    few = narrowest(cell_size)
    return share < 1 and (share * records.low < few or (1 - share) * records.low < few)


def is_about_values(rule: RuleResult) -> bool:
    """Whether a rule limits what is inside single classes, apart from their size."""
    return (
        rule.measure in catalogue
        and catalogue[rule.measure].family == "privacy"
        and catalogue[rule.measure].outside != "smallest class"
    )


def _is_about_guesses(rule: RuleResult) -> bool:
    """Whether a rule limits the chance to guess a value."""
    if rule.measure == SUBSETS:
        return any(name.startswith("inference") for name in rule.parameters)
    return rule.measure in catalogue and catalogue[rule.measure].outside == "guesses"
