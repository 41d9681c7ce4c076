"""Whether the rules of a policy are enough: about every sensitive column, and for those who get the table.

Only rules in force count, which nobody waives today. All of this follows from the policy and the names of the columns,
never from cells: outsiders may see it.
"""

import math
from collections.abc import Iterator
from datetime import date

from PETWorks.counting.release import Release
from PETWorks.gate.policy import Policy
from PETWorks.gate.policy_rules import Rule
from PETWorks.gate.rule_names import IMPLICIT
from PETWorks.gate.starter import PRESET
from PETWorks.measures.attacks.subset_sizes import checked_sizes
from PETWorks.measures.parameters import number_given
from PETWorks.measures.privacy.likeness import BASES
from PETWorks.measures.result import at_most

# How many records must look alike: what regulators ask of public files; elsewhere, that classes have a size at all.
SMALLEST_CLASS = {"public": 11, "controlled": 2, "internal": 2}
SUGGESTED = "{measure: l-diversity, l: 2}"
# A rule about values counts if it refuses a class in which everybody shares a value that this share of the table has.
RARE = 1 / 20
ABOUT_VALUES = ("inference", "one-value")  # limits on subsets and on several releases


def unprotected_columns(policy: Policy, release: Release, today: date) -> tuple[str, ...]:
    """The released sensitive columns that no rule in force is about, those with a reason included."""
    rules = list(_in_force(policy, today))
    released = (name for name in release.sensitive_attributes if name in release.columns)
    return tuple(name for name in released if not any(_protects(rule, name, policy, release) for rule in rules))


def class_size_demanded(policy: Policy, release: Release, today: date) -> int:
    """How many records rules in force demand in every class of the release; 0 if none does.

    Of a population, classes do not count: whoever knows that a person is in the table looks at the release. Rules about
    values demand several records, but no number of them: a class may miss all values.
    """
    sizes = [0.0]
    for rule in _in_force(policy, today):
        if rule.measure is None:
            limit = number_given(rule.parameters.get("highest-risk"))
            sizes += [1 / limit] if limit and _knows_all(policy, release) else []
        elif not rule.measure.linked:
            for name in rule.given:
                parameter, value = rule.measure.parameters[name], rule.parameters[name]
                sizes.append(parameter.class_size(value))
                sizes.append(2 if parameter.unit == "values" and value is not None and value > 1 else 0)
    return int(max(sizes) + 1e-9)


def class_size_required(policy: Policy, release: Release) -> int | None:
    """How many records must look alike for the kind of release; None if there is nothing to look alike in.

    Where the policy does not say who gets the table, that is what every kind demands.
    """
    return SMALLEST_CLASS[policy.release_kind or "controlled"] if release.quasi_identifiers else None


def preset_for(policy: Policy) -> str:
    """A preset that suits the kind of release."""
    return f"presets: [{PRESET[policy.release_kind or 'public']}]"


def _in_force(policy: Policy, today: date) -> Iterator[Rule]:
    waived = {waiver.rule for waiver in policy.waivers if waiver.expires >= today}
    return (rule for rule in policy.rules if rule.name not in IMPLICIT and rule.name not in waived)


def _knows_all(policy: Policy, release: Release) -> bool:
    """Whether the subsets that are attacked with include all quasi-identifiers."""
    known = len(release.quasi_identifiers)
    return policy.subset_sizes is not None and known in checked_sizes(policy.subset_sizes, known)


def _protects(rule: Rule, column: str, policy: Policy, release: Release) -> bool:
    """Whether a rule is about the values of a column."""
    if rule.measure is None:
        ((name, given),) = rule.parameters.items()
        limit, _, named = name.partition(":")
        number = number_given(given)
        says = limit in ABOUT_VALUES and named in ("", column) and number is not None and number < 1
        return says and (rule.about_all_releases or _knows_all(policy, release))
    if "a sensitive attribute" not in rule.measure.needs or rule.parameters.get("value") is not None:
        return False  # one value is not all of them
    return any(_refuses_one_value(rule, name, column) for name in rule.given)


def _refuses_one_value(rule: Rule, name: str, column: str) -> bool:
    """Whether a limit refuses a class in which everybody shares a value that few others have.

    With p the share of the value in the table, t-closeness finds 1 - p (of equal distances; others are shorter), basic
    β-likeness (1 - p)/p, and δ-disclosure -log p, which it refuses if it is not below the limit. Enhanced β-likeness
    refuses the class whatever β is, since (1 - p)/p > -ln p, and so does recursive l-diversity, since l is at least 2.
    Limits on guesses are on averages; these must be below what is found if every guess is right.
    """
    assert rule.measure is not None
    limit, measure = rule.parameters[name], rule.measure.name
    if limit is None:
        return False
    if name in ("l", "c"):
        return measure == "recursive-l-diversity" or bool(limit > 1)
    if name in ("alpha", "at_most", "excess"):
        return bool(limit < 1)
    if name == "gain":
        worth = (rule.parameters.get("worth") or {}).get(column, {})
        return bool(limit < max([1, *worth.values()]))
    if name == "t":
        return not at_most(1 - RARE, limit)
    if name == "beta":
        return measure == "enhanced-beta-likeness" or not at_most((1 - RARE) / RARE, limit)
    return name == "delta" and bool(at_most(limit, -math.log(RARE, BASES[rule.parameters["base"]])))
