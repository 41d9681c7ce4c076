"""The section about other releases: its chart and tables, in a browser, in both languages and editions."""

import json
import re

import pytest
from test_report import HOSTILE, LOOKS, Opened, saved, violations

from PETWorks import check
from PETWorks.render.language.language import message_text
from policy_checks import DAY


def table(columns, rows):
    return "\n".join([";".join(columns), *(";".join(map(str, row)) for row in rows)]) + "\n"


def policy_of(folder, earlier, **names):
    """A table of 300 people, and earlier ones about most of them."""
    people = range(300)
    now = [(f"p{place}", place % 7, place % 5, f"v{place % 4}") for place in people]
    (folder / "now.csv").write_text(table(["id", "a", "b", "s"], now))
    listed = []
    for number in range(earlier):
        rows = [
            (f"p{place}", (place + number) % (3 + number % 5), f"v{place % 4}")
            for place in people
            if place % 9 != number % 9
        ]
        (folder / f"then{number}.csv").write_text(table(["id", "c", "s"], rows))
        roles = {"quasi_identifiers": ["c"], "sensitive_attributes": ["s"], "identifiers": ["id"]}
        name = names.get("name", "Table {}").format(number)
        who = names.get("who", "the archive")
        listed.append(
            {"name": name, "data": f"then{number}.csv", "recipients": who, "roles": roles, "date": "2020-01-01"}
        )
    listed.append({"sha256": "a" * 64, "recipients": "a newspaper", "name": "An old list"})
    content = {
        "petworks_policy": "1",
        "title": names.get("title", "This year"),
        "data": "now.csv",
        "cell_size": "3",
        "roles": {"quasi_identifiers": ["a", "b"], "sensitive_attributes": ["s"], "identifiers": ["id"]},
        "rules": [{"measure": "k-anonymity", "k": "2"}],
        "releases": {"key": "id", "earlier": listed, "limits": {"alone": "0.2", "disclosed": "0.3"}},
    }
    (folder / "p.yaml").write_text(json.dumps(content), "utf-8")
    return folder / "p.yaml"


@pytest.mark.parametrize(("edition", "lang", "scheme"), LOOKS)
def test_in_the_browser(browser, tmp_path, edition, lang, scheme):
    result = check(policy_of(tmp_path, 3), as_of=DAY)
    path = saved(tmp_path, result.to_html(lang, edition))
    with Opened(browser, path, color_scheme=scheme, viewport={"width": 1000, "height": 900}) as opened:
        assert message_text(lang, "section.releases") in opened.text()
        assert message_text(lang, "releases.axis") in opened.text()
        section = opened.page.locator("section[aria-labelledby=releases]")
        charts = section.locator("svg.lines")
        assert charts.count() == (2 if edition == "internal" else 1)
        points = charts.first.locator("polyline").first.get_attribute("points").split()
        assert len(points) == 4, "one for each release"
        heights = [float(point.split(",")[1]) for point in points]
        assert heights == sorted(heights, reverse=True), "the chance grows with each release"
        assert ("the archive" in opened.text()) == (edition == "internal")
        assert "An old list" in opened.text()
        assert violations(opened.page) == []
        assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert opened.said == []


def test_on_a_phone_and_on_paper(browser, tmp_path):
    result = check(policy_of(tmp_path, 3), as_of=DAY)
    with Opened(browser, saved(tmp_path, result.to_html()), viewport={"width": 375, "height": 700}) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 375
        assert violations(opened.page) == []
        assert opened.page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_hostile_names(browser, tmp_path, edition):
    names = {"name": HOSTILE[0] + " {}", "who": HOSTILE[1], "title": HOSTILE[6]}
    result = check(policy_of(tmp_path, 2, **names), as_of=DAY)
    text = result.to_html(edition=edition)
    with Opened(browser, saved(tmp_path, text)) as opened:
        assert opened.page.evaluate("window.hacked") is None
        assert HOSTILE[0] in opened.text(), "it stands there as text"
        assert not re.search("[\x1b\x07]", text)
        assert opened.said == []


def test_twenty_releases_stay_small(tmp_path):
    result = check(policy_of(tmp_path, 20), as_of=DAY)
    page = result.to_html()
    assert len(page.encode()) < 400_000
    assert page.count("Table 19") > 3
    assert all(one.adds is None for one in result.content.releases.attacks[0].shares), "too many for Shapley values"
