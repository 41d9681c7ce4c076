"""Make it safe and Decide in a real browser: the pages that only appear after something was done."""

import re
import shutil
from pathlib import Path

import pytest

from conftest import ROOT
from PETWorks.gate.policy.policy import read_policy
from PETWorks.render.language.language import message_text
from policy_checks import ADULT_POLICY
from processes import wait_for
from studio_browser import Visit
from studio_client import write_long_search
from studio_server import Server

RELEASED = "policy=again_policy.yaml"
PHONE = 390  # pixels
pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path):
    shutil.copy(ROOT / "data/adult.csv", tmp_path)
    (tmp_path / "policy.yaml").write_text(ADULT_POLICY, "utf-8")
    with Server(tmp_path) as started:
        started.enter()
        yield started


def looks_right(visit):
    """It is accessible in light and dark, where only colours differ, and fits a phone."""
    visit.settle()
    for scheme, rules in (("dark", ["color-contrast"]), ("light", [])):
        visit.page.emulate_media(color_scheme=scheme)
        assert visit.violations(*rules) == [], (visit.page.url, scheme)
    size = visit.page.viewport_size
    visit.page.set_viewport_size({"width": PHONE, "height": 800})
    assert visit.hangs_over() == [], visit.page.url
    visit.page.set_viewport_size(size)


def test_from_the_frontier_to_an_evidence_folder(browser, server):
    with Visit(browser, server) as visit:
        page = visit.page
        visit.go("/safe?policy=policy.yaml")
        page.locator("details", has=page.locator("button[value=frontier]")).locator("summary").last.click()
        page.fill("#limits", "0, 5, 10")
        page.click("button[value=frontier]")
        page.wait_for_url("**/safe/frontier**")
        looks_right(visit)
        assert page.locator("tbody tr").count() == page.locator("button[id^=point-]").count() >= 2
        page.locator("svg [data-press]").last.click()  # a point of the chart
        page.wait_for_url("**/safe/result**")
        assert "--suppression=" in page.locator("#command").text_content()
        looks_right(visit)
        visit.go("/safe?policy=policy.yaml")
        page.fill("#suppression", "10")
        page.fill("#release", "adult_released.csv")
        visit.allowed = ["400"]
        page.locator("#release").press("Enter")  # the first button: make it safe
        page.wait_for_selector("main .message.fail")
        assert "is there already" in page.inner_text("main .message.fail"), "no release is replaced silently"
        assert page.input_value("#suppression") == "10"
        page.fill("#release", "again.csv")
        page.check("input[name=reasons]")
        page.locator("main .main").click()
        page.wait_for_url("**/safe/result**")
        looks_right(visit)
        page.get_by_role("link", name="again_reasons_internal.csv").wait_for()
        visit.go(f"/decide?{RELEASED}")
        page.wait_for_selector("#verdict ~ div .verdict")
        page.fill("#approver", "Ms Lin")
        page.locator("#approver").press("Enter")
        page.wait_for_url("**saved=1**")
        assert read_policy(server.folder / "again_policy.yaml").accountability.approver == "Ms Lin"
        page.locator("#rules").click()
        page.select_option("#add", "l-diversity")
        page.click("button[value=add]")
        page.fill("#new-p-l", "1")
        looks_right(visit)
        page.locator(".saving button[value=save]").click()
        page.wait_for_url("**saved=1**")
        page.click("text=Versions of the policy")
        page.wait_for_url("**/decide/versions**")
        assert page.locator("pre.diff").count() == 2
        looks_right(visit)
        visit.go(f"/decide?{RELEASED}")
        page.click("main .main")
        page.wait_for_url("**/decide/exported**")
        looks_right(visit)
        with page.context.expect_page() as opened:
            page.get_by_role("link", name=re.compile("Open .*for_recipients")).first.click()
        opened.value.wait_for_selector("h1")
        assert "Ms Lin" not in opened.value.inner_text("body"), "outsiders do not learn who signed"


def children(process):
    """The processes that any thread of a server has started and that still run, on Linux."""
    lists = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [child for listed in lists for child in listed.read_text("ascii").split()]


def test_a_search_goes_on_without_the_browser_and_is_cancelled(browser, server):
    write_long_search(server.folder)
    before = sorted(path.name for path in server.folder.glob("[!.]*"))
    with Visit(browser, server) as visit:
        visit.go("/safe?policy=wide_policy.yaml")
        visit.page.click("main .main")
        visit.page.wait_for_selector("progress")
        visit.page.wait_for_selector("text=best loss so far")
        assert children(server.process) or not Path("/proc").exists()
        looks_right(visit)
    with Visit(browser, server) as visit:  # the browser was closed meanwhile
        visit.page.click(".running a")
        visit.page.wait_for_selector("progress")
        visit.page.click("text=Cancel")
        visit.page.wait_for_selector("[role=alert]")
        assert message_text("en", "studio.job.ended.cancelled") in visit.page.inner_text("main")
        looks_right(visit)
    wait_for(lambda: children(server.process) == [])
    assert sorted(path.name for path in server.folder.glob("[!.]*")) == before
    assert not list(server.folder.glob(".petworks-*"))
