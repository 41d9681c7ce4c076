"""`check` and `require_release`: a release judged by a policy, and the formats of the result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.errors import Joined, ParameterError, ReleaseRefused, unknown
from PETWorks.gate.case import Case
from PETWorks.gate.check.may_go_out import is_passing
from PETWorks.gate.check.verification import warn_of_earlier_edition
from PETWorks.gate.diff import read_check
from PETWorks.gate.document.check_document import EXTERNAL, FAIL, INTERNAL, CheckDocument, CheckFile, content_digest
from PETWorks.gate.external.edition import external_edition
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.render.formats.formats import FILES, TEXT
from PETWorks.render.language.language import (
    found_value,
    measure_name,
    message_text,
    policy_text,
    rule_name,
    thresholds,
    value_with_fraction,
)
from PETWorks.render.language.messages import parse_language
from PETWorks.render.languages import ENGLISH
from PETWorks.render.report import prose
from PETWorks.render.report.prose import step_texts
from PETWorks.showing import Displayable
from PETWorks.tables.frames import Rows

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Check(Rows, Displayable):
    """A release judged by a policy. `content` is the complete typed document.

    Methods with `edition` take 'internal' or 'external'.

    >>> result = check("data/adult_policy.yaml")
    >>> result
    <Check of adult_anonymized.csv: pass (11 rules: 11 pass)>
    >>> result.content.rules[0].verdict
    'pass'
    """

    content: CheckDocument
    note: str | None = None  # a note about the engine, unless the user chose it

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The content as plain dicts, lists, numbers and strings."""
        return self.content.to_dict()

    @property
    def verdict(self) -> str:
        """`pass`, `waived` (every failing rule is waived) or `fail`."""
        return self.content.verdict

    @property
    def passed(self) -> bool:
        """Whether the release may go out: every rule holds or is waived."""
        return is_passing(self.verdict)

    def file(self, edition: str = INTERNAL) -> CheckFile:
        """The content of an edition with its digest, as written to JSON."""
        if edition not in (INTERNAL, EXTERNAL):
            raise ParameterError(
                "edition is {internal!r} or {external!r}, got {edition!r}",
                internal=INTERNAL,
                external=EXTERNAL,
                edition=edition,
            )
        content = self.content if edition == INTERNAL else external_edition(self.content)
        return CheckFile(**vars(content), content_sha256=content_digest(content))

    def to_dict(self, edition: str = INTERNAL) -> dict[str, Any]:
        """The document, ready for JSON: everything, or the edition for outsiders."""
        return self.file(edition).to_dict()

    def to_json(self, edition: str = INTERNAL) -> str:
        """The document in canonical form: equal content gives equal text."""
        return self.to_format("json", edition=edition)

    def to_html(self, lang: str = "en", edition: str = INTERNAL) -> str:
        """The report: one page in all languages, `lang` ('en' or 'zh-TW') first."""
        return self.to_format("html", lang, edition)

    def to_markdown(self, lang: str = "en", edition: str = INTERNAL) -> str:
        """A short table, for example for a pull request."""
        return self.to_format("markdown", lang, edition)

    def to_junit(self, edition: str = INTERNAL) -> str:
        """A test case for each rule, for a pipeline."""
        return self.to_format("junit", edition=edition)

    def to_format(self, name: str, lang: str = "en", edition: str = INTERNAL) -> str:
        """The check in one of the formats: 'json', 'junit', 'markdown', 'html' or 'text'."""
        formats = {**FILES, TEXT.name: TEXT}
        if name not in formats:
            raise unknown("format", str(name), formats)
        return formats[name].write(self.file(edition), lang)

    def __repr__(self) -> str:
        verdicts = self.content.rule_verdicts.to_dict()
        counted = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items() if number)
        table = self.content.inputs[0].file or "a table in memory"
        rules = len(self.content.rules)
        return f"<Check of {table}: {self.verdict} ({rules} rule{'s' * (rules != 1)}: {counted})>"

    def to_arrow(self) -> "pa.Table":
        """A row for each rule as a PyArrow table.

        rule, measure    names
        value            the measured value; null if it is not a number
        found, required  the value and the threshold of the rule, as texts
        verdict          `pass`, `waived` or `fail`
        """
        import pyarrow as pa

        rules = self.content.rules
        numbers = [float(rule.value) if isinstance(rule.value, int | float) else None for rule in rules]
        columns = {
            "rule": pa.array([rule.name for rule in rules], pa.string()),
            "measure": pa.array([rule.measure for rule in rules], pa.string()),
            "value": pa.array(numbers, pa.float64()),
            "found": pa.array([found_value(rule, ENGLISH) for rule in rules], pa.string()),
            "required": pa.array([thresholds(rule, ENGLISH) for rule in rules], pa.string()),
            "verdict": pa.array([rule.verdict for rule in rules], pa.string()),
        }
        return pa.table(columns)


def check(
    policy: str | Path | Policy,
    *,
    data: Any = None,
    as_of: datetime | str | None = None,
    salt: str | None = None,
    previous: str | Path | None = None,
    register: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    **counted: Any,
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
    counted    engine, memory_limit and temp_folder, as in `Release`; the result is the same with each engine
    """
    policy = policy if isinstance(policy, Policy) else read_policy(policy, unread=() if data is None else ("data",))
    policy = policy if register is None else replace(policy, register=Path(register))
    return check_case(Case(policy, data, as_of, salt, progress, **counted), previous)


def check_case(case: Case, previous: str | Path | None = None) -> Check:
    """The check of a case; `previous` as for `check`."""
    earlier = None if previous is None else read_check(Path(previous))
    document, note = case.document, case.release.engine.note
    if previous is None or earlier is None:
        return Check(document, note)
    warned = warn_of_earlier_edition(document, earlier)
    return Check(replace(warned, options={**warned.options, "previous": Path(previous).name}), note)


NEW_LINE = "\n"  # the same in every language


def require_release(
    policy: str | Path | Policy, *, data: Any = None, lang: str = "en", **options: Any
) -> dict[str, Any]:
    """Judge a release by a policy and return a summary; raise `ReleaseRefused`, naming the failing rules, if it fails.

    data      a path, an address or a frame; by default the table of the policy
    lang      the language of the error: 'en' or 'zh-TW'
    options   those of `check`

    The result is plain JSON and small enough to be passed from task to task: the verdict, the digests of policy and
    table, and each rule with its value and threshold. Neither it nor the error contains a cell.

    >>> result = require_release("data/adult_policy.yaml")
    >>> result["verdict"], result["table"], result["rules"][0]["found"]
    ('pass', 'adult_anonymized.csv', '5')
    """
    lang = parse_language(lang)
    result = check(policy, data=data, **options)
    document = result.file()
    if not result.passed:
        raise ReleaseRefused(Joined(NEW_LINE, refusal(document, lang)))
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


def refusal(document: CheckFile, lang: str) -> list[str]:
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
    steps = step_texts(document, lang)
    lines += [f"{message_text(lang, 'section.steps')}:"] if steps else []
    return [*lines, *(f"{place}. {step}" for place, step in enumerate(steps, 1))]
