"""The Python functions that judge a release by a policy: `check` and `require_release`."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from PETWorks.errors import Joined, ReleaseRefused
from PETWorks.gate.case import Case
from PETWorks.gate.check.may_go_out import is_passing
from PETWorks.gate.document import FAIL, CheckFile
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.render.check_result import Check, check_case
from PETWorks.render.language.language import (
    measure_name,
    message_text,
    policy_text,
    rule_name,
    thresholds,
    value_with_fraction,
)
from PETWorks.render.language.messages import parse_language
from PETWorks.render.report import prose


def check(
    policy: str | Path | Policy,
    *,
    data: Any = None,
    as_of: datetime | str | None = None,
    salt: str | None = None,
    previous: str | Path | None = None,
    register: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
) -> Check:
    """Judge a release by a policy file.

    data       other data to check, a path, an address or a frame; then the policy's own table need not exist
    as_of      the time to judge waivers by and to record, as 2026-11-16 or 2026-11-16T08:00:00Z; by default now
    salt       32 hexadecimal digits from the internal edition of an earlier check, to repeat its external edition
               exactly; by default random
    previous   the JSON file of an earlier check whose external edition was published: a step warns of what outsiders
               learn from the difference
    register   the folder of the register of releases, instead of the policy's: the result lists the releases that
               share a key or quasi-identifiers with this one, and their recipients
    progress   called with the number of counted subsets and of all subsets
    engine, memory_limit, temp_folder   as for `Release`; the result is the same with each engine
    """
    policy = policy if isinstance(policy, Policy) else read_policy(policy, unread=() if data is None else ("data",))
    policy = policy if register is None else replace(policy, register=Path(register))
    case = Case(policy, data, as_of, salt, progress, engine=engine, memory_limit=memory_limit, temp_folder=temp_folder)
    return check_case(case, previous)


NEW_LINE = "\n"  # between the lines of a refusal, in every language


def require_release(
    policy: str | Path | Policy,
    *,
    data: Any = None,
    lang: str = "en",
    as_of: datetime | str | None = None,
    salt: str | None = None,
    previous: str | Path | None = None,
    register: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Judge a release by a policy and return a summary; raise `ReleaseRefused`, naming the failing rules, if it fails.

    data      a path, an address or a frame; by default the table of the policy
    lang      the language of the error, such as 'en' or 'zh-TW'
    others    as for `check`

    The result is plain JSON and small enough to be passed from task to task: the verdict, the digests of policy and
    table, and each rule with its value and threshold. Neither it nor the error contains a cell.

    >>> result = require_release("data/adult_policy.yaml")
    >>> result["verdict"], result["table"], result["rules"][0]["found"]
    ('pass', 'adult_anonymized.csv', '5')
    """
    lang = parse_language(lang)
    result = check(
        policy,
        data=data,
        as_of=as_of,
        salt=salt,
        previous=previous,
        register=register,
        progress=progress,
        engine=engine,
        memory_limit=memory_limit,
        temp_folder=temp_folder,
    )
    document = result.file()
    if not is_passing(result.verdict):
        raise ReleaseRefused(Joined(NEW_LINE, _refusal_lines(document, lang)))
    return {
        "verdict": document.verdict,
        "title": policy_text(document.title, "en"),
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
                "found": value_with_fraction(rule, "en"),
                "required": thresholds(rule, "en"),
            }
            for rule in document.rules
        ],
    }


def _refusal_lines(document: CheckFile, lang: str) -> list[str]:
    """The lines of a refusal, without any cell: failing rules with value and threshold, and the next steps."""
    title = message_text(
        lang, "write.labelled", label=message_text(lang, "verdict.fail"), text=policy_text(document.title, lang)
    )
    lines = [title, prose.summary(document, lang)]
    for rule in document.rules:
        if rule.verdict != FAIL:
            continue
        measure = measure_name(rule.measure, lang)
        own_name = rule_name(rule.name, lang)
        label = (
            measure
            if rule.name == rule.measure
            else message_text(lang, "write.of-measure", rule=own_name, measure=measure)
        )
        values = {"rule": label, "found": value_with_fraction(rule, lang), "required": thresholds(rule, lang)}
        lines.append(f"* {message_text(lang, 'refusal.limit' if values['required'] else 'refusal.found', **values)}")
        lines += [f"  {prose.waiver(rule.waiver, lang)}"] if rule.waiver else []
    steps = prose.step_texts(document, lang)
    lines += [f"{message_text(lang, 'section.steps')}:"] if steps else []
    return [*lines, *(f"{number}. {step}" for number, step in enumerate(steps, 1))]
