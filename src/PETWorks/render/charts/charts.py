"""The charts of reports and pages: records, and the coordinates of lines, bars and squares."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from PETWorks.anonymizer.anonymization_facts import FrontierFacts
from PETWorks.gate.document import CheckDocument, PayoutStep
from PETWorks.gate.policy.policy_rules import class_size_wanted
from PETWorks.json_types import Bound, Number
from PETWorks.locale import LANGUAGES
from PETWorks.measures.attacks.subsets import Driver, KnownAttributes
from PETWorks.measures.numbers import amount, number, whole
from PETWorks.releases.disclosure_facts import ReleasesFacts, SetAttack
from PETWorks.render.language.language import attack_name, in_spans, message_text, percent
from PETWorks.render.report.making import varied_threshold
from PETWorks.render.report.other_releases import intersection_of
from PETWorks.tables.frames import Rows

if TYPE_CHECKING:
    import pyarrow as pa


LINES, COLUMNS, BARS, SQUARES = "lines", "columns", "bars", "squares"


@dataclass(frozen=True)
class Limit:
    """A line at a limit.

    at         the share, or the class size
    position   among columns: 1.5 is the middle of the second one
    """

    at: float
    label: str
    position: float = 0.0


@dataclass(frozen=True, eq=False)
class ChartData(Rows):
    """The records of a chart.

    kind         the kind of chart: "risk", "classes" and so on
    mark         how records are drawn: lines, columns (upright bars), bars (from left to right) or squares
    rows         the records; their field names are stable, and they contain no cell of a table
    x, y         the fields on the axes; for squares, `value` is the field shown by colour
    series       the field that distinguishes lines or bars
    labels       the names of axes, and of values of the series, in the language of the chart
    shares       whether numbers are shares, written in per cent
    marked_row   the record with a ring around it
    drawing      computes the coordinates of the report's own chart
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
    marked_row: Mapping[str, Any] | None = None

    def label(self, name: Any) -> str:
        """The label of a field, or of a value of the series."""
        return self.labels.get(str(name), str(name))

    def in_series(self) -> dict[str, list[Mapping[str, Any]]]:
        """The records of each line or kind of bar, by its label."""
        groups: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault("" if self.series is None else self.label(row[self.series]), []).append(row)
        return groups

    @cached_property
    def _table(self) -> "pa.Table":
        import pyarrow as pa

        return pa.Table.from_pylist([dict(row) for row in self.rows])

    def to_arrow(self) -> "pa.Table":
        """The records as a PyArrow table."""
        return self._table


WIDTH = 640
LABEL_WIDTH = 180  # width of the names at the left
BAR, GAP = 18, 10
PAIRED_BAR_HEIGHT = 13  # height of each bar in a group of two
STRONGEST, WEAKEST = 0.6, 0.06  # opacity of squares; text stays readable on both
WIDE_LETTERS = "MW@%"  # letters that are nearly as wide as Chinese characters
MAX_NAME_WIDTH = 22  # characters of a name, wide ones counting twice


def bars_chart(
    groups: Sequence[tuple[str, Sequence[tuple[str, float]]]], legend: Sequence[tuple[str, str]], lang: str
) -> dict[str, Any]:
    """Groups of horizontal bars, one below the other.

    groups   a name, and for each bar its kind (the style) and its share
    legend   kinds and their labels, if there are several
    """
    most = max((share for _, shares in groups for _, share in shares), default=0.0) or 1.0
    room = WIDTH - LABEL_WIDTH - 80
    top = 26 if legend else 6
    drawn = []
    for name, shares in groups:
        height = BAR if len(shares) == 1 else PAIRED_BAR_HEIGHT
        drawn.append({"name": shorten(name), "full": name, "middle": round(top + height * len(shares) / 2 + 4, 1)})
        drawn[-1]["bars"] = [
            {
                "kind": kind,
                "y": top + height * index,
                "height": height - (2 if len(shares) > 1 else 0),
                "width": round(max(room * share / most, 1.0), 1) if share > 0 else 0,
                "text_y": round(top + height * index + height / 2 + 3.5, 1),
                "label": percent(share, lang),
            }
            for index, (kind, share) in enumerate(shares)
        ]
        top += height * len(shares) + GAP
    return {"rows": drawn, "left": LABEL_WIDTH, "height": top, "legend": list(legend)}


def squares_chart(names: Sequence[str], shares: Sequence[Sequence[float | None]], lang: str) -> dict[str, Any]:
    """A square for each pair of names, stronger for a higher share; none where there is no share."""
    most = max((share for row in shares for share in row if share is not None), default=0.0) or 1.0
    side = min((WIDTH - LABEL_WIDTH) / max(len(names), 1), 70)
    height = min(side, 34)
    cells = [
        {
            "x": round(LABEL_WIDTH + side * x, 1),
            "y": round(height * y, 1),
            "opacity": round(WEAKEST + (STRONGEST - WEAKEST) * share / most, 3),
            "label": percent(share, lang) if side >= 44 else "",
            "full": f"{', '.join(dict.fromkeys((names[y], names[x])))}: {percent(share, lang)}",
        }
        for y, row in enumerate(shares)
        for x, share in enumerate(row)
        if share is not None
    ]
    below = round(height * len(names), 1)
    return {
        "left": LABEL_WIDTH,
        "side": round(side, 1),
        "row": round(height, 1),
        "cells": cells,
        "names": [
            {
                "name": shorten(name),
                "y": round(height * (index + 0.5) + 4, 1),
                "x": round(LABEL_WIDTH + side * (index + 0.5), 1),
            }
            for index, name in enumerate(names)
        ],
        "below": below,
        "height": round(below + 24 + 4.4 * max((width_of(shorten(name)) for name in names), default=0)),
    }


def shorten(text: str, longest: int = MAX_NAME_WIDTH) -> str:
    """The text, cut to the width of a name; wide characters count twice.

    >>> shorten("marital-status"), shorten("x" * 40)
    ('marital-status', 'xxxxxxxxxxxxxxxxxxxxx…')
    """
    return text if width_of(text) <= longest else cut_at(text, longest - 1) + "…"


def cut_at(text: str, longest: int) -> str:
    """The longest beginning of a text that is not wider than `longest` characters."""
    for end in range(len(text), 0, -1):
        if width_of(text[:end]) <= longest:
            return text[:end]
    return ""


def width_of(text: str) -> int:
    """The width of a text, in narrow characters."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" or character in WIDE_LETTERS else 1 for character in text)


LEFT, RIGHT, TOP, BOTTOM = 70, 620, 30, 220
MAX_CHARTS = 4
MAX_BARS = 40
MAX_ROWS = 12
MAX_LINES = 5
LABELS_AT = 420  # where labels beside the ends of lines begin
LABEL_HEIGHT = 15
MAX_LABEL_WIDTH = 30  # characters of a label beside a line, wide ones counting twice


def plotted_share(share: Number) -> float:
    """A share for a chart, from 0 to 1; 0 for a share that is only known to be below a bound."""
    if isinstance(share, Bound):
        share = share.about if share.above is None else share.above
    return min(max(float(share or 0), 0), 1)


def bar_length(share: Number) -> float:
    """A share in per cent of a bar."""
    return round(100 * plotted_share(share), 2)


def report_charts(document: CheckDocument) -> dict[str, Any]:
    """The charts of a report."""
    subsets = document.subsets
    curve = document.payout_curve
    return {
        "risk_chart": None if subsets is None else attacks_chart(subsets.if_they_know),
        "drivers": [] if subsets is None or subsets.drivers is None else _drivers(subsets.drivers),
        "payout_chart": _payout(curve) if curve and len(curve) > 1 else None,
        "payout_rows": [] if not curve else _spread(curve, MAX_ROWS),
    }


def risk(document: CheckDocument) -> list[dict[str, Any]]:
    """The chance of success by the number of known attributes, with a line at the limit of the policy."""
    if document.subsets is None:
        return []
    attacks = dict.fromkeys(answer.attack for answer in document.subsets.if_they_know)
    return risk_charts(document.subsets.if_they_know, {attack: policy_limit(document, attack) for attack in attacks})


def policy_limit(document: CheckDocument, attack: str) -> tuple[float, str] | None:
    """The highest chance that the policy allows for an attack, and the message for its line."""
    kind = attack.partition(" of ")[0]
    subsets = () if document.subsets is None else document.subsets.limits
    rules = [rule.parameters.get("at_most") for rule in document.rules if rule.measure == kind]
    return limit_line(
        attack,
        [(subset_limit.limit, subset_limit.at_most) for subset_limit in subsets]
        + [("highest-risk", 1 / class_size_wanted(document))],
        [limit for limit in rules if limit is not None],
    )


def limit_line(
    attack: str, limits: Sequence[tuple[str, float]], average_limits: Sequence[float] = ()
) -> tuple[float, str] | None:
    """The lowest limit on the chance of an attack, and the message for its line.

    If no limit is about the average chance, a limit on the highest chance of any record is used, which the average must
    not exceed either.

    limits           limits on subsets, by name
    average_limits   limits on the average chance of this attack
    """
    kind, _, column = attack.partition(" of ")
    names = ("average-risk",) if kind == "re-identification" else ("inference", f"inference:{column}")
    average = [*average_limits, *(limit for name, limit in limits if name in names)]
    if average:
        return min(average), "drivers.limit"
    highest = [limit for name, limit in limits if name == "highest-risk" and kind == "re-identification"]
    return (min(highest), "drivers.limit-highest") if highest else None


def risk_charts(
    answers: Sequence[KnownAttributes], allowed: Mapping[str, tuple[float, str] | None] | None = None
) -> list[dict[str, Any]]:
    """A chart for each attack: its chance of success by the number of known attributes."""
    charts = []
    for attack in list(dict.fromkeys(answer.attack for answer in answers))[:MAX_CHARTS]:
        rows = [answer for answer in answers if answer.attack == attack]
        sizes = [row.known for row in rows]
        limit, label = (allowed or {}).get(attack) or (None, "")
        most = max([limit or 0.0, *(plotted_share(row.highest.posterior) for row in rows)])
        chart = _axes(min(sizes), max(sizes), min(_round_up(most), 1.0), percent)
        for kind in ("highest", "median", "lowest"):
            shares = [plotted_share(getattr(row, kind).posterior) for row in rows]
            _add_line(chart, kind, sizes, shares, dots=True)
        _label_x(chart, sizes, "drivers.axis")
        chart["title"] = _attack_title(attack, "drivers.chart")
        chart["rows"] = rows
        if limit is not None:
            shown = {lang: message_text(lang, label, share=percent(limit, lang)) for lang in LANGUAGES}
            chart["limit"] = {"at": chart["y"](limit), "label": shown}
        charts.append(chart)
    return charts


def attacks_chart(answers: Sequence[KnownAttributes]) -> dict[str, Any] | None:
    """One chart of all attacks: the chance with the riskiest set of each number of attributes, a line for each attack.

    `rows` has the chances by number of known attributes, and the riskiest set of the first attack.
    """
    attacks = list(dict.fromkeys(answer.attack for answer in answers))[:MAX_LINES]
    if not attacks:
        return None
    riskiest = {(answer.attack, answer.known): answer.highest for answer in answers}
    sizes = sorted({known for _, known in riskiest})
    most = max(plotted_share(riskiest[key].posterior) for key in riskiest if key[0] in attacks)
    chart = _axes(sizes[0], sizes[-1], min(_round_up(most), 1.0), percent, right=LABELS_AT)
    for index, attack in enumerate(attacks):
        known = [size for size in sizes if (attack, size) in riskiest]
        shares = [plotted_share(riskiest[attack, size].posterior) for size in known]
        _add_line(chart, f"line-{index}", known, shares, dots=True)
    ends = [line["dots"][-1][1] for line in chart["lines"]]
    chart["end_labels"] = [
        {
            "kind": f"line-{index}",
            "y": y + 4,
            "text": {lang: _cut_label(attack_name(attack, lang)) for lang in LANGUAGES},
        }
        for (index, attack), y in zip(enumerate(attacks), spread_apart(ends, LABEL_HEIGHT), strict=True)
    ]
    _label_x(chart, sizes, "drivers.axis")
    chart["titles"] = [in_spans(partial(attack_name, attack)) for attack in attacks]
    chart["rows"] = [
        {
            "known": size,
            "shares": [found.posterior if (found := riskiest.get((attack, size))) else None for attack in attacks],
            "attributes": riskiest[attacks[0], size].attributes if (attacks[0], size) in riskiest else (),
        }
        for size in sizes
    ]
    return chart


def _cut_label(text: str) -> str:
    return shorten(text, MAX_LABEL_WIDTH)


def spread_apart(positions: Sequence[float], distance: float) -> list[float]:
    """The positions in the same order, pushed apart so that they keep this distance within the chart.

    >>> spread_apart([30, 100, 32], 14), spread_apart([220, 220], 14)
    ([30, 100, 44], [206, 220])
    """
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    placed: dict[int, float] = {}
    lowest = float("-inf")
    for index in order:
        lowest = placed[index] = max(positions[index], lowest + distance)
    highest = BOTTOM + distance
    for index in reversed(order):
        highest = placed[index] = min(placed[index], highest - distance)
    return [placed[index] for index in range(len(positions))]


def _payout(curve: Sequence[PayoutStep]) -> dict[str, Any]:
    """The publisher's payout as a step function of the adversary's gain per cost."""
    ratios, payouts = [row.gain_per_cost for row in curve], [row.payout for row in curve]
    low, high = min(0.0, *payouts), max(0.0, *payouts)
    chart = _axes(0, ratios[-1] * 1.05, _round_up(high), whole, -_round_up(-low) if low else 0)
    xs: list[float] = []
    ys: list[float] = []
    for index, (ratio, payout) in enumerate(zip(ratios, payouts, strict=True)):
        end = ratios[index + 1] if index + 1 < len(ratios) else ratios[-1] * 1.05
        xs += [ratio, end]
        ys += [payout, payout]
    _add_line(chart, "payout", xs, ys, dots=False)
    ticks = [ratios[-1] * part / 4 for part in range(5)]
    chart["x_ticks"] = [{"at": chart["x"](tick), "label": number(tick, 3)} for tick in ticks]
    chart["x_label"] = _texts("profit.axis")
    chart["title"] = in_spans(lambda lang: message_text(lang, "profit.chart"))
    return chart


def release_curves(facts: ReleasesFacts) -> list[dict[str, Any]]:
    """A chart for each attack by all releases: the chances with one release after the other."""
    charts = []
    for attack in facts.attacks[:MAX_CHARTS]:
        lines = curve_lines(facts, attack)
        shares = [share for points in lines.values() for _, share in points]
        if any(isinstance(share, Bound) and share.withheld is not None for share in shares):
            continue
        most = max(plotted_share(share) for share in shares)
        chart = _axes(1, len(attack.curve), min(_round_up(most), 1.0), percent)
        for kind, points in lines.items():
            numbers, known = [number for number, _ in points], [plotted_share(share) for _, share in points]
            _add_line(chart, kind, numbers, known, dots=True)
            chart["lines"][-1]["sample"] = True
        _label_x(chart, [step.release for step in attack.curve], "releases.axis")
        chart["attack"] = attack.attack
        charts.append(chart)
    return charts


def curve_lines(facts: ReleasesFacts, attack: SetAttack) -> dict[str, list[tuple[int, Number]]]:
    """The points of each line, by the number of the release: chance, certain and disclosed."""
    intersection = intersection_of(facts, attack)
    lines: dict[str, list[tuple[int, Number]]] = {
        "chance": [(step.release, step.chance) for step in attack.curve],
        "certain": [(step.release, step.certain) for step in attack.curve if step.certain is not None],
        "disclosed": [] if intersection is None else [(step.release, step.disclosed) for step in intersection.curve],
    }
    return {kind: points for kind, points in lines.items() if points}


def frontier_limits(facts: FrontierFacts) -> list[float]:
    """The suppression limits shown in a chart of a frontier."""
    return _spread(sorted({point.suppression for point in facts.points} | {facts.suppression}), MAX_LINES)


def frontier_title(facts: FrontierFacts) -> str:
    """The id of the title of the chart."""
    return "frontier.chart" if facts.method == "global" else "frontier.chart-local"


def frontier_chart(facts: FrontierFacts) -> dict[str, Any]:
    """The least loss by threshold, the strictest last, with a line for each limit; by limit, if only that varies.

    `choices` has the position of each dot, and the index of its point of the frontier.
    """
    limits = frontier_limits(facts)
    steps = facts.thresholds
    by_limit = facts.measure is None
    losses = {
        (step, limit): facts.least_loss(step, limit) for step in steps for limit in ({*limits, facts.suppression})
    }
    most = max((loss for loss in losses.values() if loss is not None), default=0.0)
    chart = _axes(0, max((len(limits) if by_limit else len(steps)) - 1, 1), _round_up(most), amount)
    if by_limit:
        _add_frontier_line(chart, 0, [(x, losses[None, limit]) for x, limit in enumerate(limits)])
        labels, rules_x = [percent(limit) for limit in limits], limits.index(facts.suppression)
    else:
        for index, limit in enumerate(limits):
            _add_frontier_line(chart, index, [(x, losses[step, limit]) for x, step in enumerate(steps)])
            chart["lines"][-1] |= {"label": {lang: percent(limit, lang) for lang in LANGUAGES}, "sample": True}
        labels, rules_x = [amount(step or 0) for step in steps], steps.index(facts.threshold)
    chart["x_ticks"] = [{"at": chart["x"](x), "label": label} for x, label in enumerate(labels)]
    chart["x_label"] = {
        lang: message_text(lang, "head.suppression-limit") if by_limit else varied_threshold(facts, lang)
        for lang in LANGUAGES
    }
    chart["title"] = in_spans(lambda lang: message_text(lang, frontier_title(facts)))
    dots: list[tuple[int, float | None, float]] = [(x, None, limit) for x, limit in enumerate(limits)]
    if not by_limit:
        dots = [(x, step, limit) for limit in limits for x, step in enumerate(steps)]
    choices = [(x, facts.best_point(step, limit)) for x, step, limit in dots]
    chart["choices"] = [
        {"x": chart["x"](x), "y": chart["y"](facts.points[point].loss_by(facts.method)), "point": point}
        for x, point in choices
        if point is not None
    ]
    loss = losses.get((facts.threshold, facts.suppression))
    if loss is not None:
        chart["mark"] = {"x": chart["x"](rules_x), "y": chart["y"](loss), "label": _texts("frontier.mark")}
    return chart


def _add_frontier_line(chart: dict[str, Any], index: int, points: Sequence[tuple[int, float | None]]) -> None:
    """Add a line through the points at which the rules can be kept."""
    known = [(x, loss) for x, loss in points if loss is not None]
    _add_line(chart, f"line-{index}", [x for x, _ in known], [loss for _, loss in known], dots=True)


def _drivers(drivers: Sequence[Driver]) -> list[dict[str, Any]]:
    """For each attack, the contribution of each column to the risk, in descending order; bars on one scale for all."""
    groups = []
    most = max((bar_length(driver.shapley) for driver in drivers), default=0) or 1
    for attack in list(dict.fromkeys(driver.attack for driver in drivers))[:MAX_CHARTS]:
        drivers_of_attack = (driver for driver in drivers if driver.attack == attack)
        shown = sorted(drivers_of_attack, key=lambda driver: -bar_length(driver.shapley))[:MAX_BARS]
        title = _attack_title(attack, "drivers.columns")
        rows = [{"driver": driver, "width": bar_length(driver.shapley) / most} for driver in shown]
        groups.append({"title": title, "rows": rows})
    return groups


def compare_drivers(groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The contribution of each column to the chance of each attack: a row per column, ordered by the first attack."""
    by_attack = [{row["driver"].attribute: row for row in group["rows"]} for group in groups]
    names = list(dict.fromkeys(name for rows in by_attack for name in rows))
    attacks = [next(iter(rows.values()))["driver"].attack for rows in by_attack]
    return {
        "heads": [in_spans(partial(attack_name, attack)) for attack in attacks],
        "rows": [{"name": name, "cells": [rows.get(name) for rows in by_attack]} for name in names[:MAX_BARS]],
    }


def shares_chart(lines: Mapping[str, tuple[Mapping[str, str], Mapping[int, float]]], axis: str) -> dict[str, Any]:
    """A line chart of shares by whole numbers, such as the number of a release.

    lines   by kind (highest, median, lowest): the label in each language, and the points
    axis    the message for the label of the axis
    """
    numbers = sorted({number for _, points in lines.values() for number in points})
    most = max(share for _, points in lines.values() for share in points.values())
    chart = _axes(numbers[0], numbers[-1], min(_round_up(most), 1.0), percent)
    for kind, (label, points) in lines.items():
        _add_line(chart, kind, list(points), list(points.values()), dots=True)
        chart["lines"][-1] |= {"label": label, "sample": True, "label_x": LEFT + 40 + 150 * (len(chart["lines"]) - 1)}
    _label_x(chart, numbers, axis)
    return chart


def class_size_chart(rows: Mapping[str, Mapping[str, Any]], wanted: int | None) -> dict[str, Any] | None:
    """The share of records by class size, as bars, with a line at the required size, if any.

    rows   by group of sizes ("5-10", "1000+"): classes, records, share; as in the details of `prosecutor-risk`
    """
    if not rows:
        return None
    chart = _axes(0, 1, min(_round_up(max(float(row["share"]) for row in rows.values())), 1.0), percent)
    first_sizes = [int(size.split("-")[0].rstrip("+")) for size in rows]
    step = (RIGHT - LEFT) / len(rows)
    chart["bars"] = [
        {
            "x": round(LEFT + step * index + step / 8, 1),
            "width": round(step * 0.75, 1),
            "middle": round(LEFT + step * (index + 0.5), 1),
            "y": (top := min(chart["y"](row["share"]), BOTTOM - 1) if row["records"] else BOTTOM),
            "height": round(BOTTOM - top, 1),
            "size": size.replace("-", "–"),
            "is_struck": False,
            "small": wanted is not None and after is not None and after <= wanted,
            **{name: row[name] for name in ("classes", "records", "share")},
        }
        for index, ((size, row), after) in enumerate(zip(rows.items(), [*first_sizes[1:], None], strict=True))
    ]
    if wanted is not None:
        at = round(LEFT + step * position_of_size(wanted, first_sizes), 1)
        for bar in chart["bars"]:  # labels crossed by the line are moved
            bar["is_struck"] = abs(at - bar["middle"]) < 24
        chart["limit"] = {
            "at": at,
            "label": {lang: message_text(lang, "identity.required", size=wanted) for lang in LANGUAGES},
        }
    chart["title"] = in_spans(lambda lang: message_text(lang, "identity.histogram"))
    chart["x_label"] = _texts("head.class-size")
    return chart


def position_of_size(size: int, first_sizes: Sequence[int]) -> float:
    """The position of a class size among groups that begin at these sizes: 1.5 is the middle of the second."""
    group = max(index for index, first in enumerate(first_sizes) if first <= max(size, 1))
    if group + 1 == len(first_sizes):
        return group + (0.0 if size == first_sizes[group] else 0.5)
    return group + (size - first_sizes[group]) / (first_sizes[group + 1] - first_sizes[group])


def _axes(
    x_low: float, x_high: float, y_high: float, label: Any, y_low: float = 0.0, right: int = RIGHT
) -> dict[str, Any]:
    def x(value: float) -> float:
        return round(LEFT + 15 + (right - LEFT - 30) * (value - x_low) / ((x_high - x_low) or 1), 1)

    def y(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - y_low) / ((y_high - y_low) or 1), 1)

    ticks = [y_low + (y_high - y_low) * part / 4 for part in range(5)]
    return {
        "x": x,
        "y": y,
        "right": right,
        "lines": [],
        "end_labels": [],
        "mark": None,
        "limit": None,
        "y_ticks": [{"at": y(tick), "label": label(tick)} for tick in ticks],
    }


def _add_line(chart: dict[str, Any], kind: str, xs: Sequence[float], ys: Sequence[float], *, dots: bool) -> None:
    points = [(chart["x"](x), chart["y"](y)) for x, y in zip(xs, ys, strict=True)]
    chart["lines"].append(
        {
            "kind": kind,
            "points": " ".join(f"{x},{y}" for x, y in points),
            "dots": points if dots else [],
            "label": _texts(f"head.{kind}") if dots and not kind.startswith("line-") else None,
            "sample": False,
            "label_x": LEFT + 40 + 110 * len(chart["lines"]),
        }
    )


def _label_x(chart: dict[str, Any], numbers: Sequence[int], message: str) -> None:
    """Add ticks at whole numbers, and the label of the axis."""
    chart["x_ticks"] = [{"at": chart["x"](at), "label": str(at)} for at in _spread(numbers, MAX_ROWS)]
    chart["x_label"] = _texts(message)


def _round_up(share: float) -> float:
    """The top of an axis: 1, 2, 4, 6 or 8 times a power of ten."""
    if share <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(share))
    return next(power * step for step in (1, 2, 4, 6, 8, 10) if power * step >= share * 0.999)


def _spread(rows: Sequence[Any], most: int) -> list[Any]:
    """At most `most` rows, evenly spread, including both ends."""
    if len(rows) <= most:
        return list(rows)
    return [rows[round(index * (len(rows) - 1) / (most - 1))] for index in range(most)]


def _texts(message: str) -> dict[str, str]:
    return {lang: message_text(lang, message) for lang in LANGUAGES}


def _attack_title(attack: str, message: str) -> Any:
    return in_spans(lambda lang: message_text(lang, message, attack=attack_name(attack, lang)))
