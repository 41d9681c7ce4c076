"""Why records of a table are at risk, by the rules of a policy: for insiders, and no part of any document."""

from collections.abc import Sequence
from typing import Any

from PETWorks.anonymizer.records_at_risk import reasons_of_release
from PETWorks.anonymizer.rules import MeasureRule
from PETWorks.gate.anonymising import located
from PETWorks.gate.document import WAIVED, RuleResult
from PETWorks.gate.policy import Policy


def reasons_by(policy: Policy, data: Any, results: Sequence[RuleResult], below: int | None, **counted: Any) -> Any:
    """The records in classes that break rules of the policy which are not waived, as an Arrow table.

    What a generalisation loses is told by the objective of the policy.
    """
    waived = {result.name for result in results if result.verdict == WAIVED}
    rules = [
        MeasureRule(rule.measure, rule.parameters, rule.name)
        for rule in policy.rules
        if rule.measure is not None and rule.measure.tests is not None and rule.name not in waived
    ]
    release = policy.release(data, **counted)
    settings = {
        name: policy.anonymize[name] for name in ("objective", "aggregate", "weights") if name in policy.anonymize
    }
    with located(policy, {}):
        return reasons_of_release(release, rules, below, **settings)
