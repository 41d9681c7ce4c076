"""The type of an entry in the register of releases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from PETWorks.attributetypes import IDENTIFIER
from PETWorks.gate.document import ReleaseKind, Role, RuleVerdicts, Sha256, Verdict
from PETWorks.gate.sign_off_document import Day, Spoken
from PETWorks.gate.typed_json import JSONObject, keywords

SUFFIX = ".json"


@dataclass(frozen=True, kw_only=True)
class Entry(JSONObject):
    """A release that is out: which table, since when, who has it, what its columns are, and how it was judged."""

    schema: Literal["petworks-register/1"]
    date: Day
    title: Spoken
    file: str | None
    sha256: Annotated[Sha256 | None, "of the table; null if it was in memory or on a server"]
    recipients: Spoken | None
    release: ReleaseKind | None
    key: Annotated[str | None, "the column that names the person, in the table or in its original"]
    columns: Annotated[Mapping[str, Role], "each released column and its role"]
    removed: Annotated[tuple[str, ...], "direct identifiers that are not in the release"]
    verdict: Verdict
    rule_verdicts: RuleVerdicts
    policy_sha256: Sha256 | None
    check_sha256: Annotated[Sha256, "the content digest of the check"]
    petworks: Annotated[str, "version of the program", keywords(maxLength=100)]

    @property
    def name(self) -> str:
        """The name of its file: by date, then by the digest of the table."""
        return f"{self.date}-{(self.sha256 or self.check_sha256)[:12]}{SUFFIX}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns by which people may be recognised in it and in other tables."""
        identifiers = [column for column, role in self.columns.items() if role == IDENTIFIER]
        return tuple(dict.fromkeys([*([] if self.key is None else [self.key]), *identifiers, *self.removed]))

    def with_role(self, role: str) -> tuple[str, ...]:
        """The columns with a role."""
        return tuple(column for column, own in self.columns.items() if own == role)
