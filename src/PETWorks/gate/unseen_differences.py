"""What a file tells and no measure sees: differences between cells, and whatever it has besides the table.

Both fail the rule `no-hidden-differences`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PETWorks.counting.release import Release
from PETWorks.tables.further_content import further_content
from PETWorks.tables.hidden_differences import HiddenDifferences, hidden_differences

CANNOT_LOOK = ("spark",)  # engines whose records do not come here
LINE_ENDS = "CRLF/LF"  # what stands in place of a column where lines end in several ways
WHOLE_FILE = "FILE"  # what stands there if the file has more than the table


@dataclass(frozen=True)
class Unseen:
    """What was found; None if nobody could look, because the records are in a cluster.

    further   what the file has besides the table, by kind, and how many
    """

    found: HiddenDifferences | None
    further: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that tell records apart, and the line ends if they do."""
        return () if self.found is None else (*self._records, *([WHOLE_FILE] if self.further else ()))

    @property
    def details(self) -> dict[str, Any]:
        """How many records have something that is written otherwise than in most; never a cell."""
        if self.found is None:
            return {"looked_at": False}
        columns = [{"column": name, "records": number} for name, number in self._records.items()]
        return ({"columns": columns} if columns else {}) | ({"further": dict(self.further)} if self.further else {})

    @property
    def _records(self) -> dict[str, int]:
        assert self.found is not None
        return {**self.found.columns, **({LINE_ENDS: self.found.line_ends} if self.found.line_ends else {})}


def unseen_differences(release: Release) -> Unseen:
    """What the cells of a release tell besides their values, and what else is in its file."""
    if release.engine.name in CANNOT_LOOK:
        return Unseen(None)
    return Unseen(hidden_differences(release.source), further_content(release.source))
