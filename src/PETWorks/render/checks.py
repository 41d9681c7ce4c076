"""A release judged by a policy, and the formats in which the result can be shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.errors import ParameterError, unknown
from PETWorks.gate.canonical import content_digest
from PETWorks.gate.diff import read_check
from PETWorks.gate.document import EXTERNAL, INTERNAL, CheckDocument, CheckFile
from PETWorks.gate.external import external
from PETWorks.gate.may_go_out import passes
from PETWorks.gate.policy import Policy, read_policy
from PETWorks.gate.verdict import judged
from PETWorks.gate.verification import with_warning
from PETWorks.render.formats import FILES, TEXT
from PETWorks.render.language import found_value, thresholds
from PETWorks.render.languages import ENGLISH
from PETWorks.showing import Shown
from PETWorks.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Check(Rows, Shown):
    """A release judged by a policy. `content` has everything, typed; `edition` is 'internal' or 'external'.

    >>> result = check("data/adult_policy.yaml")
    >>> result
    <Check of adult_anonymized.csv: pass (11 rules: 11 pass)>
    >>> result.content.rules[0].verdict
    'pass'
    """

    content: CheckDocument
    note: str | None = None  # which engine counted, unless the user chose it

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The content as plain dicts, lists, numbers and texts."""
        return self.content.to_dict()

    @property
    def verdict(self) -> str:
        """`pass`, `waived` (every rule that fails is waived) or `fail`."""
        return self.content.verdict

    @property
    def passed(self) -> bool:
        """Whether the gate is open."""
        return passes(self.verdict)

    def file(self, edition: str = INTERNAL) -> CheckFile:
        """The content of an edition with its digest, as it is written to JSON."""
        if edition not in (INTERNAL, EXTERNAL):
            raise ParameterError(
                "edition is {internal!r} or {external!r}, got {edition!r}",
                internal=INTERNAL,
                external=EXTERNAL,
                edition=edition,
            )
        content = self.content if edition == INTERNAL else external(self.content)
        return CheckFile(**vars(content), content_sha256=content_digest(content))

    def to_dict(self, edition: str = INTERNAL) -> dict[str, Any]:
        """The document, ready for JSON: all of it, or what outsiders may see."""
        return self.file(edition).to_dict()

    def to_json(self, edition: str = INTERNAL) -> str:
        """The document in canonical form: the same content is the same text."""
        return self.to_format("json", edition=edition)

    def to_html(self, lang: str = "en", edition: str = INTERNAL) -> str:
        """The report: one page in all languages, `lang` ('en' or 'zh-TW') first."""
        return self.to_format("html", lang, edition)

    def to_markdown(self, lang: str = "en", edition: str = INTERNAL) -> str:
        """A short table, as for a pull request."""
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
        value            what was found, as a number; null if it is none
        found, required  the value and what the rule demands, as texts
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

    data       other data than the policy names, whose table then need not be there: a path, an address or a frame
    as_of      the moment to judge waivers by and to write down, as 2026-11-16 or 2026-11-16T08:00:00Z; now otherwise
    salt       32 hexadecimal digits, as the internal edition of an earlier check has them, to repeat its external
               edition exactly; random otherwise
    previous   the JSON file of an earlier check, of which an external edition was published: a step warns of what
               outsiders learn from the difference
    register   the folder of the register of releases, instead of the policy's: the result says which releases in it
               share a key or quasi-identifiers with this one, and who received them
    progress   told how many subsets of how many are counted
    counted    engine, memory_limit and temp_folder, as in `Release`; the result is the same with each
    """
    policy = policy if isinstance(policy, Policy) else read_policy(policy, unread=() if data is None else ("data",))
    policy = policy if register is None else replace(policy, register=Path(register))
    earlier = None if previous is None else read_check(Path(previous))
    document, note = judged(policy, data, as_of, salt, progress, **counted)
    if previous is None or earlier is None:
        return Check(document, note)
    warned = with_warning(document, earlier)
    return Check(replace(warned, options={**warned.options, "previous": Path(previous).name}), note)
