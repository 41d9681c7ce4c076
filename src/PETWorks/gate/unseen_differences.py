"""Differences between the cells of a release that no measure sees: the rule `no-hidden-differences`."""

from dataclasses import dataclass
from typing import Any

from PETWorks.counting.release import Release
from PETWorks.tables.hidden_differences import HiddenDifferences, hidden_differences

CANNOT_LOOK = ("spark",)  # engines whose records do not come here
LINE_ENDS = "CRLF/LF"  # what stands in place of a column where lines end in several ways


@dataclass(frozen=True)
class Unseen:
    """What was found; None if nobody could look, because the records are in a cluster."""

    found: HiddenDifferences | None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that tell records apart, and the line ends if they do."""
        return () if self.found is None else tuple(self._records)

    @property
    def details(self) -> dict[str, Any]:
        """How many records have something that is written otherwise than in most; never a cell."""
        if self.found is None:
            return {"looked_at": False}
        columns = [{"column": name, "records": number} for name, number in self._records.items()]
        return {"columns": columns} if columns else {}

    @property
    def _records(self) -> dict[str, int]:
        assert self.found is not None
        return {**self.found.columns, **({LINE_ENDS: self.found.line_ends} if self.found.line_ends else {})}


def unseen_differences(release: Release) -> Unseen:
    """What the cells of a release tell besides their values."""
    return Unseen(None if release.engine.name in CANNOT_LOOK else hidden_differences(release.source))
