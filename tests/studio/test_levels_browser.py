"""Levels in a real browser: sliders by keyboard, numbers that follow at once, forms that show what they would make."""

import pytest
from test_levels import POLICY, people

from PETWorks.gate.policy.policy import read_policy
from PETWorks.studio.pages.hierarchy_forms import KINDS
from studio_browser import Visit
from studio_server import Server

AT = "/levels?policy=policy.yaml"
AGE = "/levels/column?policy=policy.yaml&column=0"


@pytest.fixture
def server(tmp_path):
    people(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    with Server(tmp_path) as started:
        started.enter()
        yield started


def test_every_page_and_form_is_accessible_on_any_screen(browser, server):
    """In the dark only colours differ."""
    with Visit(browser, server, "zh-TW") as visit:
        for address in (AT, *(f"{AGE}&kind={kind}" for kind in KINDS)):
            visit.go(address)
            visit.page.wait_for_selector("#what-if table" if address == AT else "main")
            for scheme, rules in (("dark", ["color-contrast"]), ("light", [])):
                visit.page.emulate_media(color_scheme=scheme)
                visit.page.set_viewport_size({"width": 390 if scheme == "light" else 1100, "height": 900})
                assert visit.violations(*rules) == [], (address, scheme)
                assert visit.hangs_over() == [], (address, scheme)


def test_sliders_by_keyboard_and_the_numbers_follow(browser, server, tmp_path):
    with Visit(browser, server) as visit:
        page = visit.page
        visit.go(AT)
        slider = page.get_by_role("slider", name="age")
        slider.focus()
        before = page.inner_text("#what-if-said")
        for _ in range(2):
            page.keyboard.press("ArrowRight")
        page.wait_for_selector("#command:has-text('--levels age=2 -o')", state="attached")
        assert page.inner_text("#what-if-said") != before
        assert slider.get_attribute("aria-valuetext").startswith("Level 2 of 3: 2 groups")
        assert page.inner_text("#shown-0") == slider.get_attribute("aria-valuetext")
        page.get_by_label("Leave out the records").check()
        page.wait_for_selector("#command:has-text('--suppress')", state="attached")
        page.get_by_role("button", name="正體中文").click()
        page.wait_for_selector("html[lang=zh-TW]")
        visit.settle()
        assert page.get_by_role("slider", name="age").input_value() == "2", "sliders stay when the language changes"
        page.get_by_role("link", name="檢視與修改").first.click()
        page.wait_for_url("**/levels/column?**")
        page.get_by_role("link", name="回到所有層級").click()
        page.wait_for_url("**/levels?**")
        visit.settle()
        assert page.get_by_role("slider", name="age").input_value() == "2", "and when a column was looked at"
        page.get_by_text("產生釋出資料", exact=True).click()
        page.get_by_role("button", name="套用這些層級").click()
        page.wait_for_url("**/compare?**")
        visit.settle()
        assert visit.violations() == []
        visit.go(f"{AT}&level-0=2")
        page.locator("main .main").click()
        page.wait_for_url("**/safe?**level-0=2**")
        assert page.locator("#bound").input_value() == "at_least"
        with visit.leaving("**saved=1**"):
            page.locator(".saving button[value=save]").click()
        assert read_policy(tmp_path / "policy.yaml").anonymize["levels"] == {"age": {"at_least": "2"}}
    assert (tmp_path / "people_released.csv").exists()


def test_a_form_shows_what_it_would_make_while_it_is_filled_in(browser, server, tmp_path):
    with Visit(browser, server) as visit:
        page = visit.page
        visit.go(AGE)
        page.get_by_label("Widths").fill("7")
        page.wait_for_selector("#shown :text('[21, 28)')")
        assert "not saved yet" in page.inner_text("#shown-said")
        page.get_by_label("Widths").fill("seven")
        page.wait_for_selector("#shown .message.fail")
        assert visit.violations() == []
        page.get_by_label("Widths").fill("7, 14")
        page.wait_for_selector("#command:has-text('--width 7,14')", state="attached")
        page.get_by_role("button", name="Save in the policy").click()
        page.wait_for_selector("#shown-said:has-text('As it is saved')")
    assert read_policy(tmp_path / "policy.yaml").hierarchies["age"].words == {"width": ["7", "14"]}
