"""The records of each chart, and what is drawn of them: the same for SVG, Altair and Matplotlib."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PETWorks.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa

LINES, COLUMNS, BARS, SQUARES = "lines", "columns", "bars", "squares"


@dataclass(frozen=True)
class Limit:
    """A line at a limit.

    at      the share, or the class size
    place   where it is among columns: 1.5 is amid the second one
    """

    at: float
    label: str
    place: float = 0.0


@dataclass(frozen=True, eq=False)
class ChartData(Rows):
    """The records of a chart.

    kind      which chart it is: "risk", "classes" and so on
    mark      how records are drawn: lines, columns (upright bars), bars (from left to right) or squares
    rows      the records; names of their fields never change, and have no cell of a table
    x, y      the fields on the axes; of squares, `value` is the field that decides on the colour
    series    the field that tells lines or bars apart
    labels    what axes, and the values of the series, are called in the language of the chart
    shares    whether numbers are shares, to be written as per cent
    ringed    the record with a ring around it
    drawing   what makes the coordinates of the report's own chart
    """

    kind: str
    mark: str
    title: str
    lang: str
    rows: Sequence[Mapping[str, Any]]
    x: str
    y: str
    drawing: Callable[[], Mapping[str, Any]]
    series: str | None = None
    value: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    shares: bool = True
    limit: Limit | None = None
    ringed: Mapping[str, Any] | None = None

    def called(self, name: Any) -> str:
        """What a field, or a value of the series, is called."""
        return self.labels.get(str(name), str(name))

    def in_series(self) -> dict[str, list[Mapping[str, Any]]]:
        """The records of each line or kind of bar, by what it is called."""
        groups: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault("" if self.series is None else self.called(row[self.series]), []).append(row)
        return groups

    @cached_property
    def _table(self) -> "pa.Table":
        import pyarrow as pa

        return pa.Table.from_pylist([dict(row) for row in self.rows])

    def to_arrow(self) -> "pa.Table":
        """The records as a PyArrow table."""
        return self._table
