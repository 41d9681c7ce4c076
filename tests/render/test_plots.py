"""`plot()`: every chart draws the numbers that its result has, in each library, language and theme."""

import os
import re
import sys
from collections import Counter
from itertools import combinations
from xml.etree import ElementTree

import pytest
from test_report import HOSTILE, Opened, violations

from conftest import ROOT
from PETWorks import Release, Releases, check, evaluate, every_subset
from PETWorks.errors import InputError, NotApplicable, ParameterError, RoleError
from searches import anonymize, frontier

SVG = "{http://www.w3.org/2000/svg}"
ROWS = [("a", "x", "1"), ("a", "y", "1"), ("b", "x", "2"), ("b", "x", "2"), ("b", "y", "3"), ("c", "y", "3")]
NAMES = ("one", "two", "three")
TABLE = {name: [row[place] for row in ROWS] for place, name in enumerate(NAMES)} | {"illness": list("uuvvww")}
ROLES = dict.fromkeys(NAMES, "quasi_identifier") | {"illness": "sensitive_attribute"}
DELTA = ("data/delta.csv", {"zip": "quasi_identifier", "nationality": "quasi_identifier"}, "data/delta_hierarchy")
KNOWN = ("sex", "age", "race", "marital-status", "education", "native-country", "occupation", "salary-class")
ADULT = dict.fromkeys(KNOWN, "quasi_identifier") | {"workclass": "sensitive_attribute"}
RULES = {"k-anonymity": {"k": 5}, "l-diversity": {"l": 2}}


def small():
    return Release(TABLE, ROLES)


def composition():
    return Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil").compose()


CHARTS = {
    "risk": lambda **how: every_subset(small()).plot("risk", limits={"average-risk": 0.5}, **how),
    "drivers": lambda **how: every_subset(small()).plot("drivers", **how),
    "pairs": lambda **how: every_subset(small()).plot("pairs", **how),
    "inference": lambda **how: every_subset(small()).plot("pairs", attack="attribute-inference of illness", **how),
    "classes": lambda **how: small().plot(threshold=2, **how),
    "evaluation": lambda **how: evaluate(small(), {"k-anonymity": {"k": 2}}).plot(**how),
    "result": lambda **how: evaluate(small(), "prosecutor-risk")["prosecutor-risk"].plot(**how),
    "before-after": lambda **how: anonymize(*DELTA, {"k-anonymity": {"k": 2}}).plot(**how),
    "released": lambda **how: anonymize(*DELTA, {"k-anonymity": {"k": 2}}).plot("classes", **how),
    "frontier": lambda **how: frontier(*DELTA, {"k-anonymity": {"k": 2}}).plot(**how),
    "limits": lambda **how: frontier(*DELTA, {"k-anonymity": {"k": 2}}, vary={"suppression": [0, 0.3]}).plot(**how),
    "curve": lambda **how: composition().plot(**how),
    "contributions": lambda **how: composition().plot("contributions", **how),
    "check": lambda **how: check("data/adult_policy.yaml").plot(**how),
}


def drawn(plot):
    return ElementTree.fromstring(plot.svg)


def texts(picture, css=None):
    return ["".join(one.itertext()) for one in picture.iter(f"{SVG}text") if css is None or one.get("class") == css]


def scale(picture):
    """What a height in the picture stands for, by the labels of its axis."""
    ticks = [
        (float(one.get("y")) - 4, float(one.text.removesuffix(" %").replace(",", "")))
        for one in picture.iter(f"{SVG}text")
        if one.get("class") == "tick" and one.get("text-anchor") == "end"
    ]
    (low_at, low), (high_at, high) = ticks[0], ticks[-1]
    return lambda y: low + (high - low) * (low_at - y) / (low_at - high_at)


def lines(picture):
    """The heights of each line, by its kind."""
    return {
        line.get("class").removeprefix("line "): [float(point.split(",")[1]) for point in line.get("points").split()]
        for line in picture.iter(f"{SVG}polyline")
    }


def chances(size):
    """Literally: for each subset of so many columns, the number of classes divided by that of records."""
    return {
        chosen: len({tuple(row[NAMES.index(name)] for name in chosen) for row in ROWS}) / len(ROWS)
        for chosen in combinations(NAMES, size)
    }


def test_the_risk_that_is_drawn():
    plot = CHARTS["risk"]()
    value, found = scale(drawn(plot)), lines(drawn(plot))
    by_size = [sorted(chances(size).values()) for size in (1, 2, 3)]
    wanted = {
        "highest": [each[-1] for each in by_size],
        "median": [each[(len(each) - 1) // 2] for each in by_size],
        "lowest": [each[0] for each in by_size],
    }
    assert {kind: [value(y) for y in heights] for kind, heights in found.items()} == {
        kind: pytest.approx([100 * one for one in each], abs=0.1) for kind, each in wanted.items()
    }
    assert {kind: [row["chance"] for row in plot.data.rows if row["case"] == kind] for kind in wanted} == wanted
    (limit,) = [float(one.get("y1")) for one in drawn(plot).iter(f"{SVG}line") if one.get("class") == "limit"]
    assert value(limit) == pytest.approx(50, abs=0.1)
    assert texts(drawn(plot), "limit") == ["limit: 50 %"]


def test_limits_of_the_other_kinds():
    subsets = every_subset(small())
    assert subsets.plot(limits={"highest-risk": 0.25}).data.limit.label == "limit of the highest risk: 25 %"
    inference = subsets.plot(limits={"inference": 0.9}, attack="attribute-inference of illness")
    assert inference.data.limit.at == 0.9
    assert subsets.plot(limits={"inference": 0.9}).data.limit is None
    assert subsets.plot().data.limit is None
    assert check("data/adult_policy.yaml").plot("risk").data.limit.at == 0.1


def test_the_classes_that_are_drawn():
    sizes = Counter(Counter(ROWS).values())
    for name in ("classes", "evaluation"):
        plot = CHARTS[name]()
        shares = {row["class_size"]: (row["classes"], row["records"], row["share"]) for row in plot.data.rows}
        assert shares["1"] == (sizes[1], sizes[1], pytest.approx(4 / 6))
        assert shares["2"] == (sizes[2], 2 * sizes[2], pytest.approx(2 / 6))
        picture = drawn(plot)
        value = scale(picture)
        bars = [one for one in picture.iter(f"{SVG}rect") if one.get("class") in ("small", "fill")]
        assert [one.get("class") for one in bars[:2]] == ["small", "fill"]
        assert [value(float(one.get("y"))) for one in bars[:2]] == pytest.approx([100 * 4 / 6, 100 * 2 / 6], abs=0.5)
        assert [one.get("height") for one in bars[2:]] == ["0"] * (len(bars) - 2)
        assert plot.data.limit.at == 2
    assert CHARTS["result"]().data.limit is None
    assert "limit" not in CHARTS["result"]().svg.partition("</style>")[2]


def test_the_drivers_that_are_drawn():
    plot = CHARTS["drivers"]()
    found = {row["attribute"]: row["adds"] for row in plot.data.rows}
    # Literally: the mean over all orders of what a column adds to the chance.
    chance = {(): 1 / len(ROWS)} | {chosen: one for size in (1, 2, 3) for chosen, one in chances(size).items()}
    for name in NAMES:
        others = [one for one in NAMES if one != name]
        weights = {0: 1 / 3, 1: 1 / 6, 2: 1 / 3}
        adds = sum(
            weights[size] * (chance[tuple(one for one in NAMES if one in (*chosen, name))] - chance[chosen])
            for size in (0, 1, 2)
            for chosen in combinations(others, size)
        )
        assert found[name] == pytest.approx(adds)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    widths = [float(one.get("width")) for one in drawn(plot).iter(f"{SVG}rect") if one.get("class") == "fill"]
    assert widths == pytest.approx([widths[0] * one / max(found.values()) for one in found.values()], abs=0.1)


def test_the_pairs_that_are_drawn():
    plot = CHARTS["pairs"]()
    literal = {frozenset(chosen): one for size in (1, 2) for chosen, one in chances(size).items()}
    assert {frozenset((row["attribute"], row["other"])): row["chance"] for row in plot.data.rows} == literal
    squares = [one for one in drawn(plot).iter(f"{SVG}rect") if one.get("class") == "square"]
    told = {one.find(f"{SVG}title").text: float(one.get("fill-opacity")) for one in squares}
    assert told.keys() == {
        "one: 50 %", "two: 33.3 %", "three: 50 %", "two, one: 83.3 %", "three, one: 66.7 %", "three, two: 66.7 %"
    }  # fmt: skip
    assert told["two, one: 83.3 %"] > told["three, one: 66.7 %"] > told["two: 33.3 %"]


def test_the_frontier_that_is_drawn():
    found = frontier(*DELTA, {"k-anonymity": {"k": 2}})
    plot = found.plot()
    picture = drawn(plot)
    value = scale(picture)
    for place, limit in enumerate(sorted({row["suppression"] for row in plot.data.rows})):
        losses = [row["loss"] for row in plot.data.rows if row["suppression"] == limit]
        assert [value(y) for y in lines(picture)[f"line-{place}"]] == pytest.approx(losses, abs=0.01)
        for row in plot.data.rows:
            own = anonymize(*DELTA, {"k-anonymity": {"k": row["threshold"]}}, suppression=row["suppression"])
            assert own.loss == row["loss"]
    assert plot.data.marked_row["loss"] == found.own_point.loss
    (ring,) = [one for one in picture.iter(f"{SVG}circle") if one.get("class") == "mark"]
    assert value(float(ring.get("cy"))) == pytest.approx(found.own_point.loss, abs=0.01)


def test_before_and_after_that_are_drawn():
    result = anonymize(*DELTA, {"k-anonymity": {"k": 2}}, suppression=0.6, levels={"zip": 0})
    assert result.suppressed > 0
    found = {(row["what"], row["state"]): row["share"] for row in result.plot().data.rows}
    measures = ("prosecutor-risk", "sample-uniqueness", "granularity", "precision")
    for state, release in (("before", result.original), ("after", result.release)):
        values = [evaluate(release, one)[one].value for one in measures]
        assert [found[one, state] for one in ("highest_risk", "unique", "granularity", "precision")] == values
        assert found["suppressed", state] == release.suppressed_records / release.records
    kinds = [one.get("class") for one in drawn(result.plot()).iter(f"{SVG}rect")]
    assert kinds.count("before") == kinds.count("fill") == 6  # five of each, and the legend


def test_the_releases_that_are_drawn():
    found = composition()
    plot = found.plot()
    value = scale(drawn(plot))
    assert [value(y) for y in lines(drawn(plot))["chance"]] == pytest.approx(
        [100 * exposed.posterior for exposed in found.curve], abs=0.1
    )
    assert [row["release"] for row in plot.data.rows if row["line"] == "chance"] == [one.name for one in found.releases]
    grade = found.plot(attack="attribute-inference of grade")
    crossed = [one.share() for one in found.unlinked["grade"].curve]
    assert [row["share"] for row in grade.data.rows if row["line"] == "disclosed"] == crossed
    added = {row["release"]: row["adds"] for row in found.plot("contributions").data.rows}
    assert added == {
        one.release: float(one.shapley) for one in found.contributions if one.attack == "re-identification"
    }


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_in_every_library(name, lang):
    plot = CHARTS[name](lang=lang)
    picture = drawn(plot)
    assert picture.find(f"{SVG}title").text == plot.data.title
    assert len(picture.find(f"{SVG}desc").text) > 10
    assert not [one for one in picture.iter() if one.tag in (f"{SVG}script", f"{SVG}image", f"{SVG}a")]
    assert "http" not in plot.svg.replace("http://www.w3.org/2000/svg", "")
    assert plot._repr_html_() == plot._repr_svg_() == plot.svg

    chart = CHARTS[name](lang=lang, backend="altair")
    said = chart.to_dict()  # checks it against the schema of Vega-Lite
    data = (
        [one["data"]["values"] for one in said.get("layer", [said])] if "data" not in said else [said["data"]["values"]]
    )
    assert [len(plot.data.rows)] == [len(each) for each in data if len(each) == len(plot.data.rows)][:1]

    figure = CHARTS[name](lang=lang, backend="matplotlib")
    (axes, *_) = figure.axes
    assert axes.get_title(loc="left").replace("\\$", "$") == plot.data.title
    if plot.data.mark == "lines":
        drawn_lines = [line for line in axes.get_lines() if line.get_marker() == "o" and line.get_fillstyle() == "full"]
        heights = [list(line.get_ydata()) for line in drawn_lines]
        assert heights == [[row[plot.data.y] for row in rows] for rows in plot.data.in_series().values()]
    elif plot.data.mark in ("bars", "columns"):
        sizes = [one.get_width() if plot.data.mark == "bars" else one.get_height() for one in axes.patches]
        field = plot.data.x if plot.data.mark == "bars" else plot.data.y
        groups = plot.data.in_series().values() if plot.data.mark == "bars" else [plot.data.rows]
        assert sizes == [row[field] for rows in groups for row in rows]
    else:
        grid = axes.get_images()[0].get_array()
        assert grid.ravel().tolist() == [row[plot.data.value] for row in plot.data.rows]
    figure.canvas.draw()


def test_the_language_of_the_user(monkeypatch):
    monkeypatch.setenv("PETWORKS_LANG", "zh-TW")
    assert CHARTS["classes"]().data.title == "資料列依「同組人數」的分布"
    assert CHARTS["classes"](lang="en").data.title == "Records by the size of their equivalence class"
    assert "筆資料列" in small()._repr_html_()


def test_a_file(tmp_path):
    plot = CHARTS["pairs"]()
    plot.save(tmp_path / "pairs.svg")
    assert (tmp_path / "pairs.svg").read_text("utf-8") == plot.svg
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.svg"]
    with pytest.raises(InputError, match=r"written to an \.svg file, got 'pairs\.png'"):
        plot.save(tmp_path / "pairs.png")
    with pytest.raises(InputError, match="does not exist"):
        plot.save(tmp_path / "nowhere" / "pairs.svg")
    assert repr(plot).startswith("<Plot 'pairs': Chance of success")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: every_subset(small()).plot("risks"),
            ParameterError,
            "a Subsets is called 'risks'; it has 'risk'",
        ),
        (lambda: small().plot(backend="plotly"), ParameterError, "no backend is called 'plotly'"),
        (lambda: small().plot(lang="fr"), ParameterError, "lang is one of 'en', 'zh-TW'"),
        (lambda: small().plot(k=3), TypeError, "unexpected keyword argument 'k'"),
        (
            lambda: small().plot(attack="x"),
            ParameterError,
            "no option of the chart 'classes' is called 'attack'; known",
        ),
        (lambda: small().plot(threshold=0), ParameterError, "expected a class size of 1 or more, got 0"),
        (lambda: small().plot(threshold=True), ParameterError, "expected a class size of 1 or more, got True"),
        (lambda: every_subset(small()).plot(attack="guess"), ParameterError, "no attack is called 'guess'; known"),
        (lambda: every_subset(small()).plot(attack=3), ParameterError, "expected the name of an attack, got int"),
        (lambda: every_subset(small()).plot(limits={"k": 1}), ParameterError, "no limit"),
        (lambda: every_subset(small(), 3).plot("pairs"), NotApplicable, "once subsets of one and of two"),
        (lambda: every_subset(small(), 2).plot("drivers"), NotApplicable, "once all subsets are counted"),
        (lambda: Release(TABLE, {}).plot(), RoleError, "quasi_identifier"),
        (
            lambda: evaluate(small(), "t-closeness")["t-closeness"].plot(),
            ParameterError,
            "a Result of this kind has no",
        ),
        (lambda: composition().plot(attack="gain of grade"), ParameterError, "no attack is called"),
        (lambda: check("data/adult_policy.yaml").plot("curve"), NotApplicable, "its key 'releases'"),
        (lambda: Releases(["data/school_2022.csv"] * 2, key="pupil").plot(), ParameterError, "a Releases of this kind"),
    ],
)
def test_mistakes(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("package", ["altair", "matplotlib"])
def test_a_package_that_is_not_installed(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"backend='{package}' needs the package {package}: pip install {package}"):
        small().plot(backend=package)


def hostile():
    """A table whose names are markup, formulas, very long or written from right to left."""
    names = [*HOSTILE, "W" * 300, "$x^2$ & <b>", "a.b[0]"]
    table = {name: [str(row % (place + 2)) for row in range(12)] for place, name in enumerate(names)}
    return Release(table, dict.fromkeys(names, "quasi_identifier"))


@pytest.mark.parametrize("kind", ["risk", "drivers", "pairs"])
def test_hostile_names(kind):
    subsets = every_subset(hostile(), "1-2" if kind != "drivers" else "all")
    svg = subsets.plot(kind).svg
    ElementTree.fromstring(svg)
    assert "<script" not in svg
    assert "<b>" not in svg
    assert "\x1b" not in svg
    subsets.plot(kind, backend="altair").to_dict()
    subsets.plot(kind, backend="matplotlib").canvas.draw()


INSIDE = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
      || box.bottom > frame.bottom + 1);
  }).map(text => text.textContent);
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_the_browser(browser, tmp_path, scheme):
    """Nothing is cut off, nothing is asked for or run, and colours can be read, whatever a name is."""
    adult = anonymize("data/adult.csv", ADULT, "data/adult_hierarchy", RULES, suppression=0.05)
    pictures = [CHARTS[name](lang="zh-TW" if scheme == "dark" else "en").svg for name in CHARTS]
    pictures += [adult.plot().svg, *(every_subset(hostile(), "all").plot(kind).svg for kind in ("drivers", "pairs"))]
    views = [one._repr_html_() for one in (hostile(), every_subset(hostile(), "1-2"), adult, composition())]
    head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>x</title></head><body><main><h1>x</h1>'
    (tmp_path / "charts.html").write_text(f"{head}{''.join(pictures + views)}</main></body></html>", "utf-8")
    with Opened(browser, tmp_path / "charts.html", color_scheme=scheme) as opened:
        assert opened.page.evaluate(INSIDE) == []
        assert violations(opened.page) == []
        assert opened.page.evaluate("window.hacked") is None
        assert opened.said == []
        assert len(opened.asked) == 1
        paper = "getComputedStyle(document.querySelector('svg.petworks .paper')).fill"
        assert opened.page.evaluate(paper) == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
        # A notebook with a theme of its own is believed.
        opened.page.evaluate("document.body.dataset.jpThemeLight = 'true'")
        assert opened.page.evaluate(paper) == "rgb(255, 255, 255)"
        opened.page.evaluate("document.body.dataset.jpThemeLight = 'false'")
        assert opened.page.evaluate(paper) == "rgb(13, 17, 23)"


def test_small_chances_are_drawn_where_they_are():
    columns = {"half": [str(number % 2) for number in range(100_000)], "two": ["a", *["b"] * 99_999]}
    svg = every_subset(Release(columns, dict.fromkeys(columns, "quasi_identifier")), "all").plot("risk").svg
    heights = re.findall(r'class="dot lowest" cx="[0-9.]+" cy="([0-9.]+)"', svg)
    assert heights == ["125.0", "77.5"]  # 2 and 3 of the 4 parts of 0.004 %, between 220 and 30


PICTURES = {"risk": {"limits": {"average-risk": 0.04}}, "pairs": {}}


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_of_the_page(kind):
    """`make pictures` writes them again."""
    plot = every_subset(Release("data/adult_anonymized.csv")).plot(kind, **PICTURES[kind])
    folder = ROOT / "docs/notebooks"
    if os.environ.get("PETWORKS_PICTURES"):
        plot.save(folder / f"{kind}.svg")
    assert (folder / f"{kind}.svg").read_text("utf-8") == plot.svg, "run: make pictures"
