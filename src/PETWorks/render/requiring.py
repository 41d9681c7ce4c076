"""A release that has to pass its policy, for pipelines: an error if it does not."""

from pathlib import Path
from typing import Any

from PETWorks.errors import Joined, ReleaseRefused
from PETWorks.gate.document import FAIL, CheckFile
from PETWorks.gate.policy import Policy
from PETWorks.render import prose
from PETWorks.render.checks import check
from PETWorks.render.language import (
    checked_language,
    measure_name,
    measured,
    own,
    rule_name,
    said,
    thresholds,
)
from PETWorks.render.steps import step_texts

NEW_LINE = "\n"  # the same in every language


def require_release(
    policy: str | Path | Policy, *, data: Any = None, lang: str = "en", **options: Any
) -> dict[str, Any]:
    """Judge a release by a policy, and go on only if it passes: otherwise `ReleaseRefused` says which rules fail.

    data      a path, an address or a frame; otherwise the table that the policy names
    lang      the language of the error: 'en' or 'zh-TW'
    options   those of `check`

    The result is plain JSON and small enough to be handed from task to task: the verdict, the digests of policy and
    table, and each rule with what was found and what is required. Neither it nor the error contains a cell.

    >>> result = require_release("data/adult_policy.yaml")
    >>> result["verdict"], result["table"], result["rules"][0]["found"]
    ('pass', 'adult_anonymized.csv', '5')
    """
    lang = checked_language(lang)
    result = check(policy, data=data, **options)
    document = result.file()
    if not result.passed:
        raise ReleaseRefused(Joined(NEW_LINE, refusal(document, lang)))
    return {
        "verdict": document.verdict,
        "title": own(document.title, "en"),
        "table": document.inputs[0].file,
        "table_sha256": document.inputs[0].sha256,
        "policy": document.policy.file,
        "policy_sha256": document.policy.sha256,
        "content_sha256": document.content_sha256,
        "generated": document.generated,
        "petworks": document.petworks,
        "rules": [
            {
                "rule": rule.name,
                "verdict": rule.verdict,
                "found": measured(rule, "en"),
                "required": thresholds(rule, "en"),
            }
            for rule in document.rules
        ],
    }


def refusal(document: CheckFile, lang: str) -> list[str]:
    """Which rules fail, what was found and what is required, and what to do next: a text for each line, no cell."""
    title = said(lang, "write.labelled", label=said(lang, "verdict.fail"), text=own(document.title, lang))
    lines = [title, prose.summary(document, lang)]
    for rule in document.rules:
        if rule.verdict != FAIL:
            continue
        measure = measure_name(rule.measure, lang)
        own_name = rule_name(rule.name, lang)
        called = (
            measure if rule.name == rule.measure else said(lang, "write.of-measure", rule=own_name, measure=measure)
        )
        values = {"rule": called, "found": measured(rule, lang), "required": thresholds(rule, lang)}
        lines.append(f"* {said(lang, 'refusal.limit' if values['required'] else 'refusal.found', **values)}")
        lines += [f"  {prose.waiver(rule.waiver, lang)}"] if rule.waiver else []
    steps = step_texts(document, lang)
    lines += [f"{said(lang, 'section.steps')}:"] if steps else []
    return [*lines, *(f"{place}. {step}" for place, step in enumerate(steps, 1))]
