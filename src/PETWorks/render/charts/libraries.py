"""Charts drawn by Altair and Matplotlib, from the same records as those of reports."""

from typing import Any

import numpy as np

from PETWorks.render.charts.charts import BARS, COLUMNS, LINES, ChartData
from PETWorks.render.language.language import percent, shorten_name
from PETWorks.tables.frames import import_optional

WIDTH, HEIGHT = 480, 240
PERCENT = ".1~%"


def altair_chart(data: ChartData) -> Any:
    """An Altair chart; its records keep the field names of the data, its axes are in the chart's language."""
    alt = import_optional("altair", "backend='altair'")
    records = alt.Data(values=[_plain(data, row) for row in data.rows])
    base = alt.Chart(records, title=data.title)
    if data.mark == LINES:
        return _with_limit(alt, data, _with_ring(alt, data, _altair_lines(alt, data, base)))
    if data.mark == COLUMNS:
        return _altair_columns(alt, data, base)
    return (_altair_bars if data.mark == BARS else _altair_squares)(alt, data, base)


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


def _altair_lines(alt: Any, data: ChartData, base: Any) -> Any:
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


def _altair_columns(alt: Any, data: ChartData, base: Any) -> Any:
    x = alt.X(data.x, type="ordinal", title=data.label(data.x), sort=_order(data, data.x), axis=alt.Axis(labelAngle=0))
    chart = base.mark_bar().encode(x=x, y=_number(alt, data, alt.Y, data.y), **_series(alt, data))
    title = data.title if data.limit is None else [data.title, data.limit.label]
    return chart.properties(width=WIDTH, height=HEIGHT, title=title)


def _altair_bars(alt: Any, data: ChartData, base: Any) -> Any:
    y = alt.Y(data.y, type="nominal", title=None, sort=_order(data, data.y))
    apart = {"yOffset": alt.YOffset("series", type="nominal", sort=list(data.in_series()))} if data.series else {}
    chart = base.mark_bar().encode(x=_number(alt, data, alt.X, data.x), y=y, **apart, **_series(alt, data))
    return chart.properties(width=WIDTH)


def _altair_squares(alt: Any, data: ChartData, base: Any) -> Any:
    assert data.value is not None
    names = _order(data, data.x)
    colour = alt.Color(data.value, type="quantitative", title=data.label(data.value), legend=alt.Legend(format=PERCENT))
    x, y = (
        channel(field, type="nominal", title=None, sort=names) for channel, field in ((alt.X, data.x), (alt.Y, data.y))
    )
    return base.mark_rect().encode(x=x, y=y, color=colour).properties(width=HEIGHT * 1.5, height=HEIGHT * 1.5)


SMALL, FILL, BEFORE = "#b3261e", "#2f6fb3", "#9aa2ab"
FONTS = ["Noto Sans CJK TC", "Noto Sans TC", "PingFang TC", "Microsoft JhengHei", "Noto Sans CJK JP", "DejaVu Sans"]


def matplotlib_figure(data: ChartData) -> Any:
    """A figure with one pair of axes, `figure.axes[0]`, which is not attached to a window."""
    library = import_optional("matplotlib", "backend='matplotlib'")
    figures = import_optional("matplotlib.figure", "backend='matplotlib'")
    with library.rc_context({"font.family": _fonts()}):
        figure = figures.Figure(figsize=(7.5, _height(data)), layout="constrained")
        axes = figure.add_subplot()
        draw = {LINES: _draw_lines, COLUMNS: _draw_columns, BARS: _draw_bars}.get(data.mark, _draw_squares)
        draw(data, axes)
        axes.set_title(_text(data.title), loc="left", fontsize="medium", wrap=True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return figure


def _fonts() -> list[str]:
    """The installed fonts with Chinese characters; the default one last."""
    manager = import_optional("matplotlib.font_manager", "backend='matplotlib'").fontManager
    installed = {font.name for font in manager.ttflist}
    return [font for font in FONTS if font in installed] or ["sans-serif"]


def _height(data: ChartData) -> float:
    lines = len({row[data.y] for row in data.rows})
    return max(2.0, 0.9 + 0.42 * lines) if data.mark not in (LINES, COLUMNS) else 3.6


def _text(text: str) -> str:
    """The text with dollar signs escaped, which would begin a formula."""
    return text.replace("$", r"\$")


def _format_as_percent(axis: Any, data: ChartData) -> None:
    if data.shares:
        axis.set_major_formatter(lambda share, _position: percent(round(share, 6), data.lang))


def _x_positions(data: ChartData) -> dict[Any, int]:
    """The position of each value on the x axis."""
    return {value: position for position, value in enumerate(dict.fromkeys(row[data.x] for row in data.rows))}


def _draw_lines(data: ChartData, axes: Any) -> None:
    positions = _x_positions(data)
    for label, rows in data.in_series().items():
        xs, ys = [positions[row[data.x]] for row in rows], [row[data.y] for row in rows]
        axes.plot(xs, ys, marker="o", markersize=4, label=_text(label))
    if data.limit is not None:
        axes.axhline(data.limit.at, color="black", linestyle="--", linewidth=1)
        axes.annotate(data.limit.label, (0, data.limit.at), xytext=(2, 3), textcoords="offset points", fontsize="small")
    if data.marked_row is not None:
        at = positions[data.marked_row[data.x]], data.marked_row[data.y]
        axes.plot(*at, marker="o", markersize=13, fillstyle="none", color=SMALL, linestyle="")
    axes.set_ylim(bottom=0)
    axes.set_xticks(list(positions.values()), [_text(data.label(value)) for value in positions])
    axes.set_xlabel(_text(data.label(data.x)))
    axes.set_ylabel(_text(data.label(data.y)))
    _format_as_percent(axes.yaxis, data)
    if data.series is not None:
        axes.legend(frameon=False, fontsize="small")


def _draw_columns(data: ChartData, axes: Any) -> None:
    positions = _x_positions(data)
    bars = axes.bar(
        list(positions.values()),
        [row[data.y] for row in data.rows],
        color=[SMALL if row["too_small"] else FILL for row in data.rows],
    )
    axes.bar_label(
        bars, [percent(row[data.y], data.lang) if row[data.y] else "" for row in data.rows], fontsize="small"
    )
    axes.set_xticks(list(positions.values()), list(positions))
    axes.set_xlabel(_text(data.label(data.x)))
    axes.margins(y=0.2)
    _format_as_percent(axes.yaxis, data)
    if data.limit is not None:
        at = data.limit.position - 0.5
        axes.axvline(at, color="black", linestyle="--", linewidth=1)
        axes.annotate(
            data.limit.label,
            (at, 1),
            xycoords=("data", "axes fraction"),
            xytext=(4, -8),
            textcoords="offset points",
            fontsize="small",
        )


def _draw_bars(data: ChartData, axes: Any) -> None:
    names = list(dict.fromkeys(row[data.y] for row in data.rows))
    groups = data.in_series()
    height = 0.8 / len(groups)
    for index, (label, rows) in enumerate(groups.items()):
        at = [names.index(row[data.y]) + height * (index - (len(groups) - 1) / 2) for row in rows]
        colour = BEFORE if len(groups) > 1 and index == 0 else FILL
        bars = axes.barh(at, [row[data.x] for row in rows], height, label=_text(label), color=colour)
        axes.bar_label(bars, [percent(row[data.x], data.lang) for row in rows], fontsize="small", padding=3)
    axes.set_yticks(range(len(names)), [_text(shorten_name(data.label(value))) for value in names])
    axes.invert_yaxis()
    axes.set_xlabel(_text(data.label(data.x)))
    axes.margins(x=0.12)
    _format_as_percent(axes.xaxis, data)
    if data.series is not None:
        axes.legend(frameon=False, fontsize="small")


def _draw_squares(data: ChartData, axes: Any) -> None:
    assert data.value is not None
    names = list(dict.fromkeys(row[data.x] for row in data.rows))
    grid = np.array([row[data.value] for row in data.rows]).reshape(len(names), len(names))
    image = axes.imshow(grid, cmap="Blues", vmin=0, vmax=(float(grid.max()) or 1) / 0.7)
    if len(names) <= 10:
        for row in data.rows:
            at = names.index(row[data.x]), names.index(row[data.y])
            axes.text(*at, percent(row[data.value], data.lang), ha="center", va="center", fontsize="small")
    texts = [_text(shorten_name(attribute)) for attribute in names]
    axes.set_xticks(range(len(names)), texts, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), texts)
    _format_as_percent(axes.figure.colorbar(image, ax=axes, label=_text(data.label(data.value))).ax.yaxis, data)
