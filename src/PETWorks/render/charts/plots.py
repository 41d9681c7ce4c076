"""`result.plot()`: the charts of each kind of result, their records, and a chart as SVG."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from PETWorks.anonymizer.anonymization_facts import State, table_state
from PETWorks.anonymizer.frontier import Frontier
from PETWorks.anonymizer.released import Recoded
from PETWorks.counting.counts import ClassSizes
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER
from PETWorks.errors import InputError, NotApplicable, ParameterError, Phrase, RoleError, quoted, unknown
from PETWorks.gate.policy.policy_rules import class_size_wanted, size_asked_for
from PETWorks.json_types import Bound, Number
from PETWorks.locale import LANGUAGES
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION, Driver, KnownAttributes, Subsets, check_limits
from PETWorks.measures.evaluation import Evaluation
from PETWorks.measures.numbers import amount
from PETWorks.measures.result import Result
from PETWorks.measures.risk.scenarios import distribution
from PETWorks.releases.composition import Composition
from PETWorks.releases.disclosure_facts import ReleasesFacts
from PETWorks.render.charts import charts
from PETWorks.render.charts.charts import BARS, COLUMNS, LINES, SQUARES, ChartData, Limit, cut_at, width_of
from PETWorks.render.check_result import Check
from PETWorks.render.formats.html import environment
from PETWorks.render.language.language import attack_name, message_text, percent, policy_text, shorten_name
from PETWorks.render.language.messages import chosen_language
from PETWorks.render.notebooks import style
from PETWorks.render.report.making import varied_threshold
from PETWorks.tables.frames import Rows
from PETWorks.tables.output import check_writable, write_whole

if TYPE_CHECKING:
    import pyarrow as pa


CASES = ("highest", "median", "lowest")
MAX_NAMES = 15  # attributes in a map of squares
STATE_MEASURES = ("highest_risk", "unique", "suppressed", "granularity", "precision")
BACKENDS = ("svg", "altair", "matplotlib")
LONGEST_LINE = 74  # width of a line of a title, in narrow characters
MAX_DESCRIBED = 60  # records in the description of a picture

Kinds = Mapping[str, Callable[..., ChartData]]


def risk_data(
    answers: Sequence[KnownAttributes],
    lang: str,
    attack: str | None,
    limit_line: Callable[[str], tuple[float, str] | None],
) -> ChartData:
    """The chance of an attack by the number of known attributes: the riskiest subset, the median and the lowest."""
    attack = _choose_attack(attack, [answer.attack for answer in answers])
    allowed = limit_line(attack)
    known = [answer for answer in answers if answer.attack == attack]
    rows = [
        {
            "known": answer.known,
            "case": case,
            "chance": _number(getattr(answer, case).posterior),
            "attributes": list(getattr(answer, case).attributes),
        }
        for case in CASES
        for answer in known
    ]
    limit = (
        None if allowed is None else Limit(allowed[0], message_text(lang, allowed[1], share=percent(allowed[0], lang)))
    )
    return ChartData(
        "risk",
        LINES,
        message_text(lang, "drivers.chart", attack=attack_name(attack, lang)),
        lang,
        rows,
        "known",
        "chance",
        lambda: _with_samples(charts.risk_charts(known, {attack: allowed})[0]),
        series="case",
        labels=_labels(lang, known="drivers.axis", chance="head.chance", **{case: f"head.{case}" for case in CASES}),
        limit=limit,
    )


def _with_samples(chart: dict[str, Any]) -> dict[str, Any]:
    """The chart with samples of its lines in the legend."""
    return {**chart, "lines": [{**line, "sample": True} for line in chart["lines"]]}


def class_size_data(sizes: Mapping[str, Mapping[str, Any]], lang: str, wanted: int | None) -> ChartData:
    """The share of records by class size, and the required size."""
    if not sizes or not any(row["records"] for row in sizes.values()):
        raise NotApplicable("there are no equivalence classes to draw: no record is in one")
    first_sizes = [int(size.split("-")[0].rstrip("+")) for size in sizes]
    rows = [
        {
            "class_size": size,
            "classes": row["classes"],
            "records": row["records"],
            "share": float(row["share"]),
            "too_small": wanted is not None and after is not None and after <= wanted,
        }
        for (size, row), after in zip(sizes.items(), [*first_sizes[1:], None], strict=True)
    ]
    return ChartData(
        "classes",
        COLUMNS,
        message_text(lang, "identity.histogram"),
        lang,
        rows,
        "class_size",
        "share",
        lambda: charts.class_size_chart(sizes, wanted) or {},
        series=None if wanted is None else "too_small",
        labels=_labels(
            lang, class_size="head.class-size", share="head.share", True_="plot.too-small", False_="plot.large-enough"
        ),
        limit=None
        if wanted is None
        else Limit(
            wanted, message_text(lang, "identity.required", size=wanted), charts.position_of_size(wanted, first_sizes)
        ),
    )


def driver_data(all_drivers: Sequence[Driver], lang: str, attack: str | None) -> ChartData:
    """The contribution of each attribute to the chance of an attack, the largest first."""
    attack = _choose_attack(attack, [driver.attack for driver in all_drivers])
    ranked = sorted(
        (driver for driver in all_drivers if driver.attack == attack), key=lambda driver: -_number(driver.shapley)
    )
    rows = [
        {
            "attribute": driver.attribute,
            "adds": _number(driver.shapley),
            "without": _number(driver.without),
        }
        for driver in ranked[: charts.MAX_BARS]
    ]
    title = message_text(lang, "drivers.columns", attack=attack_name(attack, lang))
    return _bars_data("drivers", title, lang, rows, "attribute", "head.column")


def contribution_data(composition: Composition, lang: str, *, attack: str | None = None) -> ChartData:
    """The contribution of each release to the chance of an attack, in the order of the releases."""
    facts, names = composition.facts(), [part.name for part in composition.releases]
    attack = _choose_attack(attack, [set_attack.attack for set_attack in facts.attacks])
    shares = next(set_attack.shares for set_attack in facts.attacks if set_attack.attack == attack)
    if any(share.adds is None for share in shares):
        raise NotApplicable("what each release adds is not known: there are too many releases")
    rows = [
        {
            "release": names[share.release - 1],
            "adds": _number(share.adds),
            "without": None if share.without is None else _number(share.without),
        }
        for share in shares
    ]
    title = message_text(lang, "plot.contributions", attack=attack_name(attack, lang))
    return _bars_data("contributions", title, lang, rows, "release", "head.release")


def _bars_data(kind: str, title: str, lang: str, rows: list[dict[str, Any]], field: str, head: str) -> ChartData:
    """A bar for the contribution of each value of the field; `head` is the message for the label of the field."""
    groups = [(shorten_name(row[field]), [("fill", row["adds"])]) for row in rows]
    labels = _labels(lang, adds="head.adds", without="head.without", **{field: head})
    return ChartData(
        kind, BARS, title, lang, rows, "adds", field, partial(charts.bars_chart, groups, (), lang), labels=labels
    )


def pair_data(subsets: Subsets, lang: str, *, attack: str | None = None) -> ChartData:
    """The chance of an attack by each pair of attributes; on the diagonal, by one of them alone."""
    attack = _choose_attack(attack, list(subsets.attacks))
    if not {1, 2} <= set(subsets.sizes.tolist()) and len(subsets.quasi_identifiers) > 1:
        raise NotApplicable("pairs are drawn once subsets of one and of two attributes are counted, with sizes='1-2'")
    shown = subsets.quasi_identifiers[:MAX_NAMES]
    _, hits, total = subsets.attacks[attack]
    chances = dict(zip(subsets.masks.tolist(), (hits / total).tolist(), strict=True))
    indices = range(len(shown))
    rows = [
        {"attribute": shown[row], "other": shown[column], "chance": chances[1 << row | 1 << column]}
        for row in indices
        for column in indices
    ]
    grid = [[chances[1 << row | 1 << column] if column <= row else None for column in indices] for row in indices]
    return ChartData(
        "pairs",
        SQUARES,
        message_text(lang, "plot.pairs", attack=attack_name(attack, lang)),
        lang,
        rows,
        "attribute",
        "other",
        partial(charts.squares_chart, [shorten_name(attribute) for attribute in shown], grid, lang),
        value="chance",
        labels=_labels(lang, chance="head.chance", attribute="head.column", other="head.column"),
    )


def frontier_data(result: Frontier, lang: str) -> ChartData:
    """The least loss for each threshold, the strictest last, with a line for each limit of suppression."""
    facts = result.facts
    if not facts.points:
        raise NotApplicable("there is nothing to draw: no levels keep the rules for any threshold or limit")
    limits = charts.frontier_limits(facts)
    rows = [
        {"threshold": step, "suppression": limit, "loss": loss}
        for limit in limits
        for step in facts.thresholds
        if (loss := facts.least_loss(step, limit)) is not None
    ]
    by_limit, rules_point = facts.measure is None, (facts.threshold, facts.suppression)
    value_labels = {str(limit): percent(limit, lang) for limit in limits} | {
        str(step): amount(step) for step in facts.thresholds if step is not None
    }
    head = message_text(lang, "head.suppression-limit")
    return ChartData(
        "frontier",
        LINES,
        message_text(lang, charts.frontier_title(facts)),
        lang,
        rows,
        "suppression" if by_limit else "threshold",
        "loss",
        lambda: charts.frontier_chart(facts),
        series=None if by_limit else "suppression",
        labels={
            **value_labels,
            "threshold": head if by_limit else varied_threshold(facts, lang),
            "suppression": head,
            "loss": message_text(lang, "head.loss"),
        },
        shares=False,
        marked_row=next((row for row in rows if (row["threshold"], row["suppression"]) == rules_point), None),
    )


def before_after_data(result: Recoded, lang: str) -> ChartData:
    """Risks and utility of a table before and after, as far as both are known."""
    before, after = table_state(result.original), table_state(result.release)
    rows, groups = [], []
    for measure in STATE_MEASURES:
        shares = [_share(state, measure) for state in (before, after)]
        if None not in shares:
            rows += [
                {"what": measure, "state": state, "share": share}
                for state, share in zip(("before", "after"), shares, strict=True)
            ]
            groups.append((message_text(lang, f"plot.{measure}"), list(zip(("before", "fill"), shares, strict=True))))
    legend = [("before", message_text(lang, "head.before")), ("fill", message_text(lang, "head.after"))]
    return ChartData(
        "before-after",
        BARS,
        message_text(lang, "plot.before-after"),
        lang,
        rows,
        "share",
        "what",
        lambda: charts.bars_chart(groups, legend, lang),  # type: ignore[arg-type] # none of them is None
        series="state",
        labels={
            **_labels(lang, share="head.share", what="plot.what", before="head.before", after="head.after"),
            **{measure: message_text(lang, f"plot.{measure}") for measure in STATE_MEASURES},
        },
    )


def _share(state: State, measure: str) -> float | None:
    if measure == "suppressed":
        return state.suppressed / state.records
    value: float | None = getattr(state, measure)
    return value


def curve_data(facts: ReleasesFacts, names: Sequence[str], lang: str, attack: str | None) -> ChartData:
    """The chances of an attack as releases are added one by one."""
    attack = _choose_attack(attack, [set_attack.attack for set_attack in facts.attacks])
    chosen = next(set_attack for set_attack in facts.attacks if set_attack.attack == attack)
    lines = charts.curve_lines(facts, chosen)
    drawn = charts.release_curves(structs.replace(facts, attacks=(chosen,)))
    if not drawn:
        raise NotApplicable("the curve is not part of this edition")
    rows = [
        {"number": number, "release": names[number - 1], "line": kind, "share": _number(share)}
        for kind, points in lines.items()
        for number, share in points
    ]
    return ChartData(
        "curve",
        LINES,
        message_text(lang, "releases.curve", attack=attack_name(attack, lang)),
        lang,
        rows,
        "number",
        "share",
        lambda: drawn[0],
        series="line",
        labels=_labels(lang, number="releases.axis", share="head.share", **{kind: f"head.{kind}" for kind in lines}),
    )


def _choose_attack(wanted: str | None, known: Sequence[str]) -> str:
    """The attack to draw; by default re-identification. Gains are amounts, not chances, and cannot be drawn."""
    names = list(dict.fromkeys(attack for attack in known if not attack.startswith("gain of ")))
    if wanted is None:
        return RE_IDENTIFICATION
    if not isinstance(wanted, str):
        raise ParameterError("expected the name of an attack, got {given}", given=type(wanted).__name__, what="attack")
    if wanted not in names:
        raise unknown("attack", wanted, names, what="attack")
    return wanted


def _number(share: Number) -> float:
    """A share as a number; for a bound, the number that a report draws."""
    return charts.plotted_share(share) if share is None or isinstance(share, Bound) else float(share)


def _labels(lang: str, **messages: str) -> dict[str, str]:
    return {key.rstrip("_"): message_text(lang, message) for key, message in messages.items()}


def kinds_of(result: Any) -> Kinds:
    """The charts of a result by name."""
    if isinstance(result, Result):
        return {"classes": _classes_of_result} if "class_sizes" in result.details else {}
    return next((kinds for cls, kinds in KINDS.items() if isinstance(result, cls)), {})


def _risk_of_subsets(
    subsets: Subsets, lang: str, *, attack: str | None = None, limits: Mapping[str, Any] | None = None
) -> ChartData:
    checked = check_limits(limits or {}, subsets.priors, subsets.worths)
    answers = subsets.known_attributes()
    return risk_data(
        answers, lang, attack, lambda chosen_attack: charts.limit_line(chosen_attack, list(checked.items()))
    )


def _drivers_of_subsets(subsets: Subsets, lang: str, *, attack: str | None = None) -> ChartData:
    return driver_data(subsets.contributions(), lang, attack)


def _classes_of_release(release: Release, lang: str, *, threshold: int | None = None) -> ChartData:
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    return _class_size_data(release.class_sizes(), lang, _check_threshold(threshold))


def _classes_of_evaluation(evaluation: Evaluation, lang: str, *, threshold: int | None = None) -> ChartData:
    if evaluation.class_sizes is None:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    wanted = size_asked_for(evaluation.results) if threshold is None else _check_threshold(threshold)
    return _class_size_data(evaluation.class_sizes, lang, wanted)


def _classes_of_result(result: Result, lang: str, *, threshold: int | None = None) -> ChartData:
    wanted = size_asked_for([result]) if threshold is None else _check_threshold(threshold)
    return class_size_data(result.details["class_sizes"], lang, wanted)


def _class_size_data(sizes: ClassSizes, lang: str, wanted: int | None) -> ChartData:
    return class_size_data(distribution(sizes.sizes, sizes.classes, sizes.sizes * sizes.classes), lang, wanted)


def _check_threshold(threshold: Any) -> int | None:
    if threshold is not None and (type(threshold) is not int or threshold < 1):
        raise ParameterError("expected a class size of 1 or more, got {given!r}", given=threshold, what="threshold")
    return threshold


def _classes_after(result: Recoded, lang: str, *, threshold: int | None = None) -> ChartData:
    return _classes_of_release(result.release, lang, threshold=threshold)


def _curve_of_composition(composition: Composition, lang: str, *, attack: str | None = None) -> ChartData:
    names = [part.name for part in composition.releases]
    return curve_data(composition.facts(), names, lang, attack)


def _classes_of_check(result: Check, lang: str) -> ChartData:
    measured = {entry.measure: entry for entry in result.content.results}
    if "prosecutor-risk" not in measured:
        raise NotApplicable("the check has no classes: no column is a quasi-identifier")
    sizes = measured["prosecutor-risk"].details["class_sizes"]
    return class_size_data(sizes, lang, class_size_wanted(result.content))


def _risk_of_check(result: Check, lang: str, *, attack: str | None = None) -> ChartData:
    subsets = _require_part(result.content.subsets, "subsets")
    return risk_data(subsets.if_they_know, lang, attack, partial(charts.policy_limit, result.content))


def _drivers_of_check(result: Check, lang: str, *, attack: str | None = None) -> ChartData:
    subsets = _require_part(result.content.subsets, "subsets")
    return driver_data(_require_part(subsets.drivers, "subsets"), lang, attack)


def _curve_of_check(result: Check, lang: str, *, attack: str | None = None) -> ChartData:
    facts = _require_part(result.content.releases, "releases")
    _require_part(facts.attacks or None, "releases")
    names = [policy_text(release.name or release.file or str(release.number), lang) for release in facts.releases]
    return curve_data(facts, names, lang, attack)


def _require_part(part: Any, key: str) -> Any:
    """The part of the document; raises if the policy lacks the key that requests it."""
    if part is None:
        raise NotApplicable("there is nothing to draw: the policy does not ask for it with its key {key!r}", key=key)
    return part


KINDS: Mapping[type, Kinds] = {
    Subsets: {"risk": _risk_of_subsets, "drivers": _drivers_of_subsets, "pairs": pair_data},
    Release: {"classes": _classes_of_release},
    Evaluation: {"classes": _classes_of_evaluation},
    Recoded: {"before-after": before_after_data, "classes": _classes_after},
    Frontier: {"frontier": frontier_data},
    Composition: {"curve": _curve_of_composition, "contributions": contribution_data},
    Check: {
        "classes": _classes_of_check,
        "risk": _risk_of_check,
        "drivers": _drivers_of_check,
        "curve": _curve_of_check,
    },
}


def make_plot(result: Any, kind: str | None, backend: str, lang: str | None, options: Mapping[str, Any]) -> Any:
    """A chart of a result, drawn by one of the libraries."""
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
    data: ChartData = make(result, chosen_language(lang), **options)
    if backend == "altair":
        from PETWorks.render.charts.libraries import altair_chart

        return altair_chart(data)
    if backend == "matplotlib":
        from PETWorks.render.charts.libraries import matplotlib_figure

        return matplotlib_figure(data)
    return Plot(data)


def _check_options(kind: str, make: Callable[..., ChartData], options: Mapping[str, Any]) -> None:
    known = [
        parameter.name
        for parameter in inspect.signature(make).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
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
    """A chart as a picture for notebooks and files; its records are in `data`, `to_pandas()` and the like."""

    data: ChartData

    @cached_property
    def svg(self) -> str:
        """The picture: complete, without scripts and external requests, for light and dark pages."""
        drawing, data = self.data.drawing(), self.data
        lines = _wrap(data.title)
        description = _describe(data)
        digest = sha256(f"{data.title}{description}".encode()).hexdigest()[:12]
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
                described=description,
                id=f"petworks-{digest}",
                lang=data.lang,
                languages=[LANGUAGES[data.lang]],
                percent=lambda share: percent(share, data.lang),
                style=Markup(style("plot.css")),  # noqa: S704 - files of this package
            )
        )
        return "\n".join(line for line in text.splitlines() if line.strip()) + "\n"

    def save(self, path: Any) -> None:
        """Write the picture to a file, completely or not at all; its name ends in `.svg`."""
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


def _wrap(title: str) -> list[str]:
    """The title on lines that fit the picture, broken between words if possible."""
    lines, rest = [], title
    while width_of(rest) > LONGEST_LINE:
        line = cut_at(rest, LONGEST_LINE)
        line = line[: line.rfind(" ")] if line.rfind(" ") > len(line) // 2 else line
        lines.append(line)
        rest = rest[len(line) :].lstrip()
    return [*lines, rest]


def _describe(data: ChartData) -> str:
    """The records in words, for people who cannot see the picture."""
    fields = [field for field in (data.series, data.x, data.y, data.value) if field is not None]
    sentences = [
        ", ".join(f"{data.label(field)} {_value_text(data, row[field])}" for field in fields)
        for row in data.rows[:MAX_DESCRIBED]
    ]
    return "; ".join([*([] if data.limit is None else [data.limit.label]), *sentences])


def _value_text(data: ChartData, value: Any) -> str:
    if isinstance(value, float) and str(value) not in data.labels:
        return percent(value, data.lang) if data.shares else amount(value)
    return shorten_name(data.label(value))
