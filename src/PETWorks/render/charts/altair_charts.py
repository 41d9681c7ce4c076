"""Charts as Altair objects, drawn from the same records as those of reports."""

from typing import Any

from PETWorks.render.charts.charts import BARS, COLUMNS, LINES, ChartData
from PETWorks.tables.frames import import_optional

WIDTH, HEIGHT = 480, 240
PERCENT = ".1~%"


def altair_chart(data: ChartData) -> Any:
    """An Altair chart; its records keep the field names of the data, its axes are in the chart's language."""
    alt = import_optional("altair", "backend='altair'")
    records = alt.Data(values=[_plain(data, row) for row in data.rows])
    base = alt.Chart(records, title=data.title)
    if data.mark == LINES:
        return _with_limit(alt, data, _with_ring(alt, data, _lines(alt, data, base)))
    if data.mark == COLUMNS:
        return _columns(alt, data, base)
    return (_bars if data.mark == BARS else _squares)(alt, data, base)


def _plain(data: ChartData, row: Any) -> dict[str, Any]:
    """A record with translated series and label fields; their names cannot be mistaken for nested field paths."""
    shown = {"series": data.label(row[data.series])} if data.series is not None else {}
    what = {"what": data.label(row["what"])} if "what" in row else {}
    return {**row, **what, **shown}


def _number(alt: Any, data: ChartData, channel: Any, field: str) -> Any:
    axis = alt.Axis(format=PERCENT if data.shares else "~g")
    return channel(field, type="quantitative", title=data.label(field), axis=axis)


def _order(data: ChartData, field: str) -> list[Any]:
    return list(dict.fromkeys(data.label(row[field]) if field == "what" else row[field] for row in data.rows))


def _series(alt: Any, data: ChartData) -> dict[str, Any]:
    if data.series is None:
        return {}
    return {"color": alt.Color("series", type="nominal", title=None, sort=list(data.in_series()))}


def _lines(alt: Any, data: ChartData, base: Any) -> Any:
    x = alt.X(data.x, type="ordinal", title=data.label(data.x), sort=_order(data, data.x), axis=alt.Axis(labelAngle=0))
    encoded = base.mark_line(point=True).encode(x=x, y=_number(alt, data, alt.Y, data.y), **_series(alt, data))
    return encoded.properties(width=WIDTH, height=HEIGHT)


def _with_ring(alt: Any, data: ChartData, chart: Any) -> Any:
    """The chart with a ring around the marked point."""
    if data.marked_row is None:
        return chart
    at = alt.Chart(alt.Data(values=[dict(data.marked_row)]))
    x, y = alt.X(data.x, type="ordinal"), alt.Y(data.y, type="quantitative")
    return chart + at.mark_point(size=200, color="#b3261e", strokeWidth=2).encode(x=x, y=y)


def _with_limit(alt: Any, data: ChartData, chart: Any) -> Any:
    """The chart with a line at the limit."""
    if data.limit is None:
        return chart
    at = alt.Chart(alt.Data(values=[{"limit": data.limit.at, "label": data.limit.label}]))
    line = at.mark_rule(strokeDash=[6, 4]).encode(y=alt.Y("limit", type="quantitative"))
    text = at.mark_text(align="left", dx=4, dy=-6).encode(
        y=alt.Y("limit", type="quantitative"), x=alt.value(0), text=alt.Text("label", type="nominal")
    )
    return chart + line + text


def _columns(alt: Any, data: ChartData, base: Any) -> Any:
    x = alt.X(data.x, type="ordinal", title=data.label(data.x), sort=_order(data, data.x), axis=alt.Axis(labelAngle=0))
    chart = base.mark_bar().encode(x=x, y=_number(alt, data, alt.Y, data.y), **_series(alt, data))
    title = data.title if data.limit is None else [data.title, data.limit.label]
    return chart.properties(width=WIDTH, height=HEIGHT, title=title)


def _bars(alt: Any, data: ChartData, base: Any) -> Any:
    y = alt.Y(data.y, type="nominal", title=None, sort=_order(data, data.y))
    apart = {"yOffset": alt.YOffset("series", type="nominal", sort=list(data.in_series()))} if data.series else {}
    chart = base.mark_bar().encode(x=_number(alt, data, alt.X, data.x), y=y, **apart, **_series(alt, data))
    return chart.properties(width=WIDTH)


def _squares(alt: Any, data: ChartData, base: Any) -> Any:
    assert data.value is not None
    names = _order(data, data.x)
    colour = alt.Color(data.value, type="quantitative", title=data.label(data.value), legend=alt.Legend(format=PERCENT))
    x, y = (
        channel(field, type="nominal", title=None, sort=names) for channel, field in ((alt.X, data.x), (alt.Y, data.y))
    )
    return base.mark_rect().encode(x=x, y=y, color=colour).properties(width=HEIGHT * 1.5, height=HEIGHT * 1.5)
