"""What each chart shows: the records of results, and the report's own chart of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PETWorks.errors import NotApplicable, ParameterError, unknown
from PETWorks.gate.anonymization_document import FrontierFacts, State
from PETWorks.gate.bounds import Bound, Number
from PETWorks.gate.releases_document import ReleasesFacts
from PETWorks.gate.subset_document import Driver, KnownAttributes
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION, Subsets
from PETWorks.measures.numbers import amount
from PETWorks.render import bar_charts, charts
from PETWorks.render.anonymization import varied
from PETWorks.render.chart_data import BARS, COLUMNS, LINES, SQUARES, ChartData, Limit
from PETWorks.render.language import attack_name, name, percent, said

CASES = ("highest", "median", "lowest")
MOST_NAMES = 15  # of a map of squares
STATES = ("highest_risk", "unique", "suppressed", "granularity", "precision")


def risk(
    answers: Sequence[KnownAttributes],
    lang: str,
    attack: str | None,
    limit_line: Callable[[str], tuple[float, str] | None],
) -> ChartData:
    """The chance of an attack by the number of known attributes: of the riskiest subset, the median and the lowest."""
    attack = _attack(attack, [answer.attack for answer in answers])
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
    limit = None if allowed is None else Limit(allowed[0], said(lang, allowed[1], share=percent(allowed[0], lang)))
    return ChartData(
        "risk",
        LINES,
        said(lang, "drivers.chart", attack=attack_name(attack, lang)),
        lang,
        rows,
        "known",
        "chance",
        lambda: _with_samples(charts.risk_charts(known, {attack: allowed})[0]),
        series="case",
        labels=_called(lang, known="drivers.axis", chance="head.chance", **{case: f"head.{case}" for case in CASES}),
        limit=limit,
    )


def _with_samples(chart: dict[str, Any]) -> dict[str, Any]:
    """A chart whose legend shows what each line looks like."""
    return {**chart, "lines": [{**line, "sample": True} for line in chart["lines"]]}


def classes(sizes: Mapping[str, Mapping[str, Any]], lang: str, wanted: int | None) -> ChartData:
    """The share of records by the size of their class, and the size that is required."""
    if not sizes or not any(row["records"] for row in sizes.values()):
        raise NotApplicable("there are no equivalence classes to draw: no record is in one")
    firsts = [int(size.split("-")[0].rstrip("+")) for size in sizes]
    rows = [
        {
            "class_size": size,
            "classes": row["classes"],
            "records": row["records"],
            "share": float(row["share"]),
            "too_small": wanted is not None and after is not None and after <= wanted,
        }
        for (size, row), after in zip(sizes.items(), [*firsts[1:], None], strict=True)
    ]
    return ChartData(
        "classes",
        COLUMNS,
        said(lang, "identity.histogram"),
        lang,
        rows,
        "class_size",
        "share",
        lambda: charts.class_sizes(sizes, wanted) or {},
        series=None if wanted is None else "too_small",
        labels=_called(
            lang, class_size="head.class-size", share="head.share", True_="plot.too-small", False_="plot.large-enough"
        ),
        limit=None
        if wanted is None
        else Limit(wanted, said(lang, "identity.required", size=wanted), charts.place_of(wanted, firsts)),
    )


def drivers(found: Sequence[Driver], lang: str, attack: str | None) -> ChartData:
    """What each attribute adds to the chance of an attack, the largest first."""
    attack = _attack(attack, [driver.attack for driver in found])
    ranked = sorted((one for one in found if one.attack == attack), key=lambda one: -_number(one.shapley))
    rows = [
        {
            "attribute": one.attribute,
            "adds": _number(one.shapley),
            "without": _number(one.without),
        }
        for one in ranked[: charts.MOST_BARS]
    ]
    title = said(lang, "drivers.columns", attack=attack_name(attack, lang))
    return _ranked("drivers", title, lang, rows, "attribute", "head.column")


def contributions(facts: ReleasesFacts, names: Sequence[str], lang: str, attack: str | None) -> ChartData:
    """What each release adds to the chance of an attack, in their order."""
    attack = _attack(attack, [one.attack for one in facts.attacks])
    shares = next(one.shares for one in facts.attacks if one.attack == attack)
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
    title = said(lang, "plot.contributions", attack=attack_name(attack, lang))
    return _ranked("contributions", title, lang, rows, "release", "head.release")


def _ranked(kind: str, title: str, lang: str, rows: list[dict[str, Any]], of: str, head: str) -> ChartData:
    groups = [(name(row[of]), [("fill", row["adds"])]) for row in rows]
    labels = _called(lang, adds="head.adds", without="head.without", **{of: head})
    return ChartData(
        kind, BARS, title, lang, rows, "adds", of, partial(bar_charts.bars, groups, (), lang), labels=labels
    )


def pairs(subsets: Subsets, lang: str, attack: str | None) -> ChartData:
    """The chance of an attack with each pair of attributes; on the diagonal, with one of them alone."""
    attack = _attack(attack, attacks_of(subsets))
    if not {1, 2} <= set(subsets.sizes.tolist()) and len(subsets.quasi_identifiers) > 1:
        raise NotApplicable("pairs are drawn once subsets of one and of two attributes are counted, with sizes='1-2'")
    shown = subsets.quasi_identifiers[:MOST_NAMES]
    _, hits, of = subsets.attacks[attack]
    chances = dict(zip(subsets.masks.tolist(), (hits / of).tolist(), strict=True))
    places = range(len(shown))
    rows = [
        {"attribute": shown[one], "other": shown[other], "chance": chances[1 << one | 1 << other]}
        for one in places
        for other in places
    ]
    grid = [[chances[1 << one | 1 << other] if other <= one else None for other in places] for one in places]
    return ChartData(
        "pairs",
        SQUARES,
        said(lang, "plot.pairs", attack=attack_name(attack, lang)),
        lang,
        rows,
        "attribute",
        "other",
        partial(bar_charts.squares, [name(one) for one in shown], grid, lang),
        value="chance",
        labels=_called(lang, chance="head.chance", attribute="head.column", other="head.column"),
    )


def frontier(facts: FrontierFacts, lang: str) -> ChartData:
    """The least loss for each threshold, the strictest last, a line for each limit of suppression."""
    if not facts.points:
        raise NotApplicable("there is nothing to draw: no levels keep the rules for any threshold or limit")
    limits = charts.frontier_limits(facts)
    rows = [
        {"threshold": step, "suppression": limit, "loss": loss}
        for limit in limits
        for step in facts.thresholds
        if (loss := facts.least_loss(step, limit)) is not None
    ]
    by_limit, own = facts.measure is None, (facts.threshold, facts.suppression)
    called = {str(limit): percent(limit, lang) for limit in limits} | {
        str(step): amount(step) for step in facts.thresholds if step is not None
    }
    head = said(lang, "head.suppression-limit")
    return ChartData(
        "frontier",
        LINES,
        said(lang, "frontier.chart"),
        lang,
        rows,
        "suppression" if by_limit else "threshold",
        "loss",
        lambda: charts.frontier(facts),
        series=None if by_limit else "suppression",
        labels={
            **called,
            "threshold": head if by_limit else varied(facts, lang),
            "suppression": head,
            "loss": said(lang, "head.loss"),
        },
        shares=False,
        ringed=next((row for row in rows if (row["threshold"], row["suppression"]) == own), None),
    )


def before_after(before: State, after: State, lang: str) -> ChartData:
    """Risks and utility of a table before and after, those that are known of both."""
    rows, groups = [], []
    for measure in STATES:
        shares = [_share(state, measure) for state in (before, after)]
        if None not in shares:
            rows += [
                {"what": measure, "state": state, "share": share}
                for state, share in zip(("before", "after"), shares, strict=True)
            ]
            groups.append((said(lang, f"plot.{measure}"), list(zip(("before", "fill"), shares, strict=True))))
    legend = [("before", said(lang, "head.before")), ("fill", said(lang, "head.after"))]
    return ChartData(
        "before-after",
        BARS,
        said(lang, "plot.before-after"),
        lang,
        rows,
        "share",
        "what",
        lambda: bar_charts.bars(groups, legend, lang),  # type: ignore[arg-type] # none of them is None
        series="state",
        labels={
            **_called(lang, share="head.share", what="plot.what", before="head.before", after="head.after"),
            **{measure: said(lang, f"plot.{measure}") for measure in STATES},
        },
    )


def _share(state: State, measure: str) -> float | None:
    if measure == "suppressed":
        return state.suppressed / state.records
    value: float | None = getattr(state, measure)
    return value


def curve(facts: ReleasesFacts, names: Sequence[str], lang: str, attack: str | None) -> ChartData:
    """What is known with one release after the other."""
    attack = _attack(attack, [one.attack for one in facts.attacks])
    one = next(own for own in facts.attacks if own.attack == attack)
    lines = charts.curve_lines(facts, one)
    drawn = charts.release_curves(replace(facts, attacks=(one,)))
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
        said(lang, "releases.curve", attack=attack_name(attack, lang)),
        lang,
        rows,
        "number",
        "share",
        lambda: drawn[0],
        series="line",
        labels=_called(lang, number="releases.axis", share="head.share", **{kind: f"head.{kind}" for kind in lines}),
    )


def attacks_of(subsets: Subsets) -> list[str]:
    """The attacks whose success is a chance; gains are amounts."""
    return [attack for attack in subsets.attacks if not attack.startswith("gain of ")]


def _attack(wanted: str | None, known: Sequence[str]) -> str:
    """The attack to draw; re-identification if none was asked for."""
    names = list(dict.fromkeys(one for one in known if not one.startswith("gain of ")))
    if wanted is None:
        return RE_IDENTIFICATION
    if not isinstance(wanted, str):
        raise ParameterError("expected the name of an attack, got {given}", given=type(wanted).__name__, what="attack")
    if wanted not in names:
        raise unknown("attack", wanted, names, what="attack")
    return wanted


def _number(share: Number) -> float:
    """A share as it is; of one that is only known to be within a bound, what a report draws."""
    return charts.drawn(share) / 100 if share is None or isinstance(share, Bound) else float(share)


def _called(lang: str, **messages: str) -> dict[str, str]:
    return {key.rstrip("_"): said(lang, message) for key, message in messages.items()}
