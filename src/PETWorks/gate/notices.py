"""What the reader of a verdict should know besides: columns of which nothing is left, or that nobody measured."""

from collections.abc import Iterator, Sequence

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.release import Release
from PETWorks.gate.document import WAIVED, ColumnFacts, RuleResult
from PETWorks.gate.facts import columns
from PETWorks.gate.findings import examined_columns
from PETWorks.gate.policy import Policy
from PETWorks.gate.remedies import limits_class_sizes
from PETWorks.gate.steps_document import Notice


def notices(policy: Policy, examined: Sequence[ColumnFacts], rules: Sequence[RuleResult]) -> tuple[Notice, ...]:
    """The notices, the most important first."""
    return tuple(_notices(policy, examined, rules))


def noticed(
    release: Release, policy: Policy, rules: Sequence[RuleResult]
) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """The columns of a release that deserve a look, and the notices, without a whole check."""
    examined = examined_columns(release, columns(release, ()), policy.no_role)
    return tuple(one.column for one in examined if is_unexplained(one, policy)), notices(policy, examined, rules)


def is_unexplained(column: ColumnFacts, policy: Policy) -> bool:
    """Whether something was found about a column that the policy does not explain; a failing one, it cannot."""
    if column.finding is None:
        return False
    return column.finding.fails or column.column not in {*policy.accountability.role_reasons, *policy.no_role}


def _notices(policy: Policy, examined: Sequence[ColumnFacts], rules: Sequence[RuleResult]) -> Iterator[Notice]:
    looked_at = [one for one in examined if is_unexplained(one, policy)]
    known = [one.column for one in looked_at if one.finding is not None and one.finding.kind == "perhaps known"]
    if known:
        yield Notice("perhaps-known", tuple(known))
    unique = [one.column for one in looked_at if one.role == SENSITIVE_ATTRIBUTE and _is_nearly_unique(one)]
    if unique:
        yield Notice("nearly-unique", tuple(unique))
    gone = [one.column for one in examined if one.released and one.role == QUASI_IDENTIFIER and one.distinct == 0]
    if gone:
        yield Notice("nothing-left", tuple(gone))
    has_classes = any(one.role == QUASI_IDENTIFIER for one in examined)
    if has_classes and not any(limits_class_sizes(rule) for rule in rules if rule.verdict != WAIVED):
        yield Notice("no-class-size")


def _is_nearly_unique(column: ColumnFacts) -> bool:
    return column.finding is not None and column.finding.kind == "nearly unique"
