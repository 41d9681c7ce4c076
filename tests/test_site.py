"""The documentation site: it builds without a warning, links lead somewhere, nothing is loaded from elsewhere."""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from urllib.parse import unquote, urldefrag

import pytest

from conftest import ROOT
from studio_browser import Visit
from test_docs import run_examples
from test_gallery import files

CASES = ["adult", "cohort", "survey", "wards"]  # of the gallery: all but the large one
LARGEST_PAGE = 300_000  # bytes
LARGEST_PICTURE = 150_000
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "use": "href"}
# One page of each kind: its own layout, tables, code, pictures, signatures, Chinese.
KINDS = [
    "index",
    "quickstart",
    "policy",
    "studio",
    "measures/k-anonymity",
    "measures",
    "regimes",
    "engines",
    "api",
]
KINDS += ["gallery/README", "decisions/0022-studio", "changelog", "search", "genindex"]
COLOURED = [
    "index",
    "quickstart",
    "policy",
    "api",
    "search",
]  # every colour of the site: code, tables, notes, signatures


class Page(HTMLParser):
    """The links, the anchors and what a browser loads for a page."""

    def __init__(self, path):
        super().__init__()
        self.path, self.language, self.links, self.anchors, self.loaded = path, None, [], set(), []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "html":
            self.language = given.get("lang")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]):
            self.loaded.append(given[LOADED[tag]])


@cache
def page_at(path):
    return Page(path)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make site` builds it, with the reports of the small cases; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-c", "docs/_site", "docs", folder]
    command += ["-D", f"gallery_cases={' '.join(CASES)}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """What Sphinx wrote; reports of the gallery are tested where they are made."""
    return [page_at(path) for path in sorted(site.rglob("*.html")) if not path.is_relative_to(site / "reports")]


@pytest.mark.slow
def test_every_link_leads_somewhere(site, pages):
    assert len(pages) > 60
    for page in pages:
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                assert link.startswith(("https://", "http://", "mailto:")), (page.path, link)
                continue
            address, anchor = urldefrag(link)
            target = (page.path.parent / unquote(address)).resolve() if address else page.path
            assert target.is_file(), (page.path, link)
            assert target.is_relative_to(site)
            if anchor and target.suffix == ".html":
                assert unquote(anchor) in page_at(target).anchors, (page.path, link)


@pytest.mark.slow
def test_pages_are_small_and_load_nothing_from_elsewhere(site, pages):
    for page in pages:
        assert page.path.stat().st_size < LARGEST_PAGE, page.path
        for address in page.loaded:
            local = urldefrag(address)[0].partition("?")[0]
            assert not local or (page.path.parent / local).resolve().is_relative_to(site), (page.path, address)
            assert not local or (page.path.parent / local).is_file(), (page.path, address)
    for sheet in site.rglob("*.css"):
        for address in re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")]+)", sheet.read_text("utf-8")):
            assert address.startswith("data:") or (sheet.parent / address).is_file(), (sheet, address)
    for picture in [*site.rglob("*.png"), *(ROOT / "docs").rglob("*.png")]:
        assert picture.stat().st_size < LARGEST_PICTURE, picture


@pytest.mark.slow
def test_pages_say_which_language_they_are_in(pages):
    for page in pages:
        wanted = "zh-TW" if page.path.name.endswith(".zh-TW.html") else "en"
        assert page.language == wanted, page.path


@pytest.mark.slow
def test_the_next_page_is_in_the_same_language(site, pages):
    nexts = {}
    for page in pages:
        for link in re.findall(r'class="(?:next|prev)-page" href="([^"]+)"', page.path.read_text("utf-8")):
            other = (page.path.parent / link).resolve()
            assert page_at(other).language == page.language, (page.path, link)
            nexts.setdefault(page.language, set()).add(other.relative_to(site).as_posix())
    assert len(nexts["en"]) > 60
    assert {"quickstart.zh-TW.html", "guides/rules.zh-TW.html"} <= nexts["zh-TW"]


@pytest.mark.slow
def test_reports_are_the_same_in_every_run(site, gallery_reports):
    again, reports = files(site / "reports"), files(gallery_reports)
    assert again == {name: page for name, page in reports.items() if name.partition("/")[0] in CASES}
    assert len(again) < len(reports)


@pytest.mark.slow
def test_facts_of_the_program_are_on_the_site(site):
    from PETWorks.cli.main import COMMANDS
    from PETWorks.gate.policy.accountability import regimes
    from PETWorks.gate.policy.policy_rules import presets
    from PETWorks.measures.catalogue import all_measures

    commands, sources = ((site / name).read_text("utf-8") for name in ("command-line.html", "regimes.html"))
    for name in COMMANDS:
        assert f"petworks {name}<" in commands
        assert f"Usage: petworks {name} " in commands
    assert commands.index("Usage: petworks [OPTIONS]") < commands.index("Usage: petworks anonymize")
    assert (site / "command-line.zh-TW.html").read_text("utf-8").count("用法：") >= len(COMMANDS)
    listed = (site / "measures.html").read_text("utf-8")
    assert [entry.name for entry in all_measures() if f'href="measures/{entry.page}.html"' not in listed] == []
    assert listed.count("<table") == 1 + len({entry.family for entry in all_measures()})
    for one in [*presets().values(), *regimes().values()]:
        assert one.name in sources
        assert one.source in sources


def test_everything_public_is_in_the_reference():
    import PETWorks

    named = re.findall(r"auto\w+:: (\w+)", (ROOT / "docs/api.md").read_text("utf-8"))
    assert set(PETWorks.__all__) - {"catalogue"} <= set(named)


@pytest.fixture(scope="module")
def served(site):
    """The site as a static server shows it; its scripts are not run from files."""

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=site)

        def log_message(self, *_):
            pass

        def copyfile(self, *files):
            with suppress(ConnectionError):  # the test has left the page meanwhile
                super().copyfile(*files)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    Thread(target=server.serve_forever, daemon=True).start()
    own = f"http://127.0.0.1:{server.server_port}"
    yield SimpleNamespace(own=own, address=f"{own}/", cookie="site=1")
    server.shutdown()
    server.server_close()


def test_every_kind_of_page_is_accessible_and_fits_a_phone(browser, served):
    """In the dark only colours differ."""
    with Visit(browser, served, width=1300, largest=LARGEST_PAGE) as visit:
        for kind in KINDS:
            visit.go(f"/{kind}.html")
            assert visit.violations() == [], kind
            if kind in COLOURED:
                visit.page.emulate_media(color_scheme="dark")
                assert visit.violations("color-contrast") == [], kind
                visit.page.emulate_media(color_scheme="light")
            visit.page.set_viewport_size({"width": 390, "height": 800})
            assert visit.hangs_over() == [], kind
            visit.page.set_viewport_size({"width": 1300, "height": 900})


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("suppression", "anonymising.html"),
        ("Shapley values", "adversaries.html"),
        ("waivers", "policy.html"),
        ("準識別符", "guides/quasi-identifiers.zh-TW.html"),
        ("風險", "guides/reading-the-report.zh-TW.html"),
    ],
)
def test_search_finds(browser, served, query, page):
    """In both languages."""
    with Visit(browser, served, largest=1_000_000) as visit:
        visit.go("/index.html")
        visit.page.fill("input[name=q]", query)
        visit.page.press("input[name=q]", "Enter")
        visit.page.wait_for_selector(f"ul.search a[href*='{page}']")


def test_the_index_of_the_search_has_both_languages(site):
    text = (site / "searchindex.js").read_text("utf-8")
    terms = json.loads(text[text.index("(") + 1 : text.rindex(")")])["terms"]
    assert {"anonym", "正體", "體中", "中文"} <= terms.keys()
    assert len(text) < 1_000_000


PICTURES = os.environ.get("PETWORKS_PICTURES")


@pytest.mark.skipif(not PICTURES, reason="pictures for the docs are taken by `make pictures`")
@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_pictures_of_the_report(browser, tmp_path, lang):
    """The report that the quick start makes: its first screen, and what drives the risk."""
    to, suffix = ROOT / PICTURES / "quickstart", "" if lang == "en" else f".{lang}"
    run_examples(ROOT / f"docs/quickstart{suffix}.md", tmp_path)
    context = browser.new_context(viewport={"width": 1000, "height": 760}, color_scheme="light")
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.get_by_role("radio", name="English" if lang == "en" else "正體中文").check()
    page.screenshot(path=to / f"report{suffix}.png")
    page.locator("section[aria-labelledby=drivers] figure").first.screenshot(path=to / f"drivers{suffix}.png")
    context.close()
