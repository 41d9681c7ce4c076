"""The whole workflow in a real browser: from a raw hospital table with Chinese headers to a release that passes."""

import importlib.util

import pyarrow as pa
import pytest
from pyarrow import parquet

from conftest import ROOT
from PETWorks.render.language import said
from PETWorks.studio.page import STEPS
from studio_browser import Visit, chromium
from studio_server import Server

spec = importlib.util.spec_from_file_location("hospital", ROOT / "docs/gallery/hospital.py")
hospital = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hospital)

POLICY = "hospital_policy.yaml"
PHONE = 390  # pixels
OTHER = {"en": "zh-TW", "zh-TW": "en"}


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def folder(tmp_path):
    hospital.hospital(tmp_path / "hospital.csv", 400)
    return tmp_path


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    """A server whose table is open already, for tests that only look."""
    folder = tmp_path_factory.mktemp("ward")
    hospital.hospital(folder / "hospital.csv", 400)
    with Server(folder) as server:
        server.enter()
        assert server.post("/open", {"table": "hospital.csv"}).status == 303
        yield server


def address(step, policy=POLICY):
    return "/" if step == "open" else f"/{step}?policy={policy}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_every_page_is_accessible_and_in_one_language(browser, ward, lang, scheme):
    with Visit(browser, ward, lang, scheme=scheme) as visit:
        for step in STEPS:
            assert visit.go(address(step)).status == 200, step
            assert visit.violations() == [], step
            assert visit.hangs_over() == [], step
            assert visit.page.evaluate("document.documentElement.lang") == lang
            assert visit.page.locator("h1").all_inner_texts() == [said(lang, f"studio.step.{step}")]
            assert said(OTHER[lang], f"studio.step.{step}") not in visit.page.inner_text("main h1")
            assert visit.page.locator("nav [aria-current=step]").count() == 1


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_on_a_phone_nothing_hangs_over(browser, ward, lang):
    with Visit(browser, ward, lang, width=PHONE, height=800) as visit:
        for step in STEPS:
            visit.go(address(step))
            assert visit.hangs_over() == [], step


HOSTILE = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked=1">',
    "\u202egnp.exe\u202c \u200f\u2067right to left",
    "{{ 7 * 7 }} {% raw %}",
    "\x1b[31mred\x07 </style></svg><svg/onload=window.hacked=1>",
    "javascript:window.hacked=1//",
    "年齡\u0000 and more",
    "long " * 200,
]
UNSEEN = ("\u202e", "\u202c", "\u200f", "\u2067", "\x1b", "\x07", "\x00")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A server with a table whose names and cells attack the page."""
    folder = tmp_path_factory.mktemp("hostile")
    cells = {name: [f"{name[: 40 + row % 3]}{row % 4}" for row in range(60)] for name in HOSTILE}
    parquet.write_table(pa.table(cells), folder / "<b>hostile.parquet")
    with Server(folder) as server:
        server.enter()
        assert server.post("/open", {"table": "<b>hostile.parquet"}).status == 303
        yield server


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_hostile_names_and_cells_are_only_text(browser, hostile, lang):
    with Visit(browser, hostile, lang, width=PHONE) as visit:
        for step in STEPS:
            assert visit.go(address(step, "%3Cb%3Ehostile_policy.yaml")).status == 200, step
            assert visit.page.evaluate("window.hacked") is None, step
            text = visit.text()
            assert "hostile" in text
            assert not [sign for sign in UNSEEN if sign in text], step
            assert visit.hangs_over() == [], step
            assert visit.page.locator("b", has_text="hostile").count() == 0
