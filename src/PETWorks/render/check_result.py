"""The result of a check, `Check`, with its formats."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from PETWorks.displayable import Displayable
from PETWorks.errors import ParameterError, unknown
from PETWorks.gate.case import Case
from PETWorks.gate.check.inputs import warn_of_earlier_edition
from PETWorks.gate.check.may_go_out import is_passing
from PETWorks.gate.diff import read_check
from PETWorks.gate.document import EXTERNAL, INTERNAL, CheckDocument, CheckFile, content_digest
from PETWorks.gate.example_rows import ExampleRows
from PETWorks.gate.external.edition import external_edition
from PETWorks.locale import ENGLISH
from PETWorks.render.formats.formats import FILES, TEXT
from PETWorks.render.language.language import found_value, thresholds
from PETWorks.tables.frames import Rows

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Check(Rows, Displayable):
    """A release judged by a policy. `content` is the complete typed document.

    Methods with `edition` take 'internal' or 'external'.

    >>> from PETWorks import check
    >>> result = check("data/adult_policy.yaml")
    >>> result
    <Check of adult_anonymized.csv: pass (11 rules: 11 pass)>
    >>> result.content.rules[0].verdict
    'pass'
    """

    content: CheckDocument
    note: str | None = None  # a note about the engine, unless the user chose it
    example: ExampleRows | None = None  # records for the internal HTML report, and for nothing else

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
        """Whether the verdict is not `fail`: the earlier form of this question."""
        warnings.warn(
            "passed is dropped in the next version; ask for verdict, which is 'pass', 'waived' or 'fail'",
            DeprecationWarning,
            stacklevel=2,
        )
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
        return CheckFile(**structs.asdict(content), content_sha256=content_digest(content))

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
        if name == "html" and edition == INTERNAL and self.example is not None:
            from PETWorks.render.formats.html import page

            return page(self.file(edition), lang, self.example)
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


def check_case(case: Case, previous: str | Path | None = None) -> Check:
    """The check of a case; `previous` as for `check`."""
    earlier = None if previous is None else read_check(Path(previous))
    document, note = case.document, case.release.engine.note
    if previous is None or earlier is None:
        return Check(document, note)
    warned = warn_of_earlier_edition(document, earlier)
    return Check(structs.replace(warned, options={**warned.options, "previous": Path(previous).name}), note)
