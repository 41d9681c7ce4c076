"""Which rules of a check have a row of their own where space is short, and how the others are summed up."""

from collections.abc import Sequence

from PETWorks.gate.document import PASS, RuleResult
from PETWorks.gate.rule_names import IMPLICIT
from PETWorks.render.language import said


def rule_rows(rules: Sequence[RuleResult], lang: str) -> tuple[list[RuleResult], tuple[str, str] | None]:
    """The rules to list, and a label and a text for the built-in ones that hold, if there are several."""
    built_in = [rule for rule in rules if rule.name in IMPLICIT]
    holding = [rule.name for rule in built_in if rule.verdict == PASS and rule.waiver is None]
    if len(holding) < 2:
        return list(rules), None
    text = "rules.all-hold" if len(holding) == len(built_in) else "rules.others-hold"
    listed = [rule for rule in rules if rule.name not in holding]
    return listed, (said(lang, "rules.built-in"), said(lang, text, n=len(holding)))
