"""What a file tells and no measure sees: differences between cells, and whatever it has besides the table.

Both fail the rule `no-hidden-differences`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PETWorks.counting.release import Release
from PETWorks.tables.further_content import further_content
from PETWorks.tables.hidden_differences import HiddenDifferences, hidden_differences
from PETWorks.tables.sparkframe import SparkFrame

LINE_ENDS = "CRLF/LF"  # what stands in place of a column where lines end in several ways
LAYOUT = "{...}"  # and where records of JSON lines are laid out in several ways
WHOLE_FILE = "FILE"  # what stands there if the file has more than the table


@dataclass(frozen=True)
class Unseen:
    """What was found.

    further   what the file has besides the table, by kind, and how many; None if nobody could look, because the
              files are in a cluster
    """

    found: HiddenDifferences
    further: Mapping[str, int] | None = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that tell records apart, and the line ends or the layout if they do."""
        return (*self._records, *([WHOLE_FILE] if self.further else ()))

    @property
    def details(self) -> dict[str, Any]:
        """How many records have something that is written otherwise than in most; never a cell."""
        columns = [{"column": name, "records": number} for name, number in self._records.items()]
        told: dict[str, Any] = {"columns": columns} if columns else {}
        if self.further is None:
            return {**told, "looked_at": False}
        return {**told, **({"further": dict(self.further)} if self.further else {})}

    @property
    def _records(self) -> dict[str, int]:
        beside = {LINE_ENDS: self.found.line_ends, LAYOUT: self.found.layout}
        return {**self.found.columns, **{name: number for name, number in beside.items() if number}}


def unseen_differences(release: Release) -> Unseen:
    """What the cells of a release tell besides their values, and what else is in its file."""
    source = release.source
    if not isinstance(source, SparkFrame):
        return Unseen(hidden_differences(source), further_content(source))
    in_cluster = getattr(release.engine, "hidden_differences", hidden_differences)
    return Unseen(in_cluster(source), None if source.of_files else {})
