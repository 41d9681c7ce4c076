"""`result.plot()`: which charts each result has, and a chart as SVG."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.errors import InputError, ParameterError, Phrase, quoted, unknown
from PETWorks.measures.numbers import amount
from PETWorks.render.bar_charts import cut_at, width_of
from PETWorks.render.chart_data import ChartData
from PETWorks.render.html import environment
from PETWorks.render.language import name, percent, used_language
from PETWorks.render.languages import LANGUAGES
from PETWorks.render.notebook_style import style
from PETWorks.tables.output import check_writable, write_whole
from PETWorks.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa

BACKENDS = ("svg", "altair", "matplotlib")
LONGEST_LINE = 74  # of a title, in narrow characters
MOST_TOLD = 60  # records that the description of a picture has


def plotted(result: Any, kind: str | None, backend: str, lang: str | None, options: Mapping[str, Any]) -> Any:
    """A chart of a result, for one of the libraries."""
    from PETWorks.render.plot_kinds import kinds_of

    if backend not in BACKENDS:
        raise unknown("backend", str(backend), BACKENDS, what="backend")
    kinds = kinds_of(result)
    if not kinds:
        raise ParameterError("a {result} of this kind has no chart", result=type(result).__name__, what="kind")
    wanted = next(iter(kinds)) if kind is None else kind
    if wanted not in kinds:
        raise ParameterError(
            "no chart of a {result} is called {kind}; it has {kinds}",
            result=type(result).__name__,
            kind=quoted([str(wanted)]),
            kinds=quoted(kinds),
            what="kind",
        )
    make = kinds[wanted]
    _check_options(wanted, make, options)
    data: ChartData = make(result, used_language(lang), **options)
    if backend == "altair":
        from PETWorks.render.altair_charts import altair_chart

        return altair_chart(data)
    if backend == "matplotlib":
        from PETWorks.render.matplotlib_charts import matplotlib_figure

        return matplotlib_figure(data)
    return Plot(data)


def _check_options(kind: str, make: Callable[..., ChartData], options: Mapping[str, Any]) -> None:
    known = [one.name for one in inspect.signature(make).parameters.values() if one.kind is one.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            raise ParameterError(
                "no option of the chart {kind!r} is called {option}; known: {known}",
                kind=kind,
                option=quoted([option]),
                known=quoted(known) or Phrase("none"),
                what=option,
            )


@dataclass(frozen=True, eq=False)
class Plot(Rows):
    """A chart as a picture, for notebooks and files; `data` has its records, and so have `to_pandas()` and the like."""

    data: ChartData

    @cached_property
    def svg(self) -> str:
        """The picture: complete, without scripts and external requests, for light and dark pages."""
        drawing, data = self.data.drawing(), self.data
        lines = _wrapped(data.title)
        described = _described(data)
        digest = sha256(f"{data.title}{described}".encode()).hexdigest()[:12]
        from markupsafe import Markup

        height = drawing.get("height", 280)
        text: str = (
            environment()
            .get_template("plot.svg")
            .render(
                chart=drawing,
                mark=data.mark,
                lines_of_title=lines,
                top=14 + 20 * len(lines),
                height=14 + 20 * len(lines) + height,
                title=data.title,
                described=described,
                id=f"petworks-{digest}",
                lang=data.lang,
                languages=[LANGUAGES[data.lang]],
                percent=lambda share: percent(share, data.lang),
                style=Markup(style("plot.css")),  # noqa: S704 - files of this package
            )
        )
        return "\n".join(line for line in text.splitlines() if line.strip()) + "\n"

    def save(self, path: Any) -> None:
        """Write the picture to a file, whole or not at all; its name ends in `.svg`."""
        file = Path(path)
        if file.suffix.lower() != ".svg":
            raise InputError(
                "a chart is written to an .svg file, got {file!r}; for other formats, use backend='matplotlib'",
                file=file.name,
            )
        write_whole({check_writable(file): self.svg.encode()})

    def to_arrow(self) -> "pa.Table":
        """The records of the chart as a PyArrow table."""
        return self.data.to_arrow()

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Plot {self.data.kind!r}: {self.data.title}>"


def _wrapped(title: str) -> list[str]:
    """A title on lines that fit the picture; broken between words where there are any."""
    lines, rest = [], title
    while width_of(rest) > LONGEST_LINE:
        line = cut_at(rest, LONGEST_LINE)
        line = line[: line.rfind(" ")] if line.rfind(" ") > len(line) // 2 else line
        lines.append(line)
        rest = rest[len(line) :].lstrip()
    return [*lines, rest]


def _described(data: ChartData) -> str:
    """The records in words, for those who do not see the picture."""
    fields = [one for one in (data.series, data.x, data.y, data.value) if one is not None]
    told = [
        ", ".join(f"{data.called(one)} {_written(data, row[one])}" for one in fields) for row in data.rows[:MOST_TOLD]
    ]
    return "; ".join([*([] if data.limit is None else [data.limit.label]), *told])


def _written(data: ChartData, value: Any) -> str:
    if isinstance(value, float) and str(value) not in data.labels:
        return percent(value, data.lang) if data.shares else amount(value)
    return name(data.called(value))
