"""Opening a table and giving roles in a real browser: what changes shows at once, also for those who use no mouse."""

import pytest
from test_columns import people

from PETWorks.gate.policy.policy import read_policy
from PETWorks.render.language.language import message_text
from studio_browser import Visit
from studio_server import Server

AT = "/columns?policy=people_policy.yaml"


@pytest.fixture
def server(tmp_path):
    (tmp_path / "people.csv").write_text(people(), "utf-8")
    with Server(tmp_path) as started:
        started.enter()
        yield started


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1100)])
def test_a_look_before_opening_is_accessible_and_answers_at_once(browser, server, tmp_path, scheme, width):
    with Visit(browser, server, "zh-TW", scheme=scheme, width=width) as visit:
        page = visit.page
        page.get_by_role("link", name="people.csv").click()
        page.wait_for_selector("#preview")
        visit.settle()
        assert visit.violations() == []
        assert visit.hangs_over() == []
        page.get_by_text("讀取有誤嗎").click()
        page.select_option("#separator", ";")
        page.wait_for_selector("#command:has-text(\"--separator ';'\")", state="attached")
        assert page.locator("#preview dd").nth(3).inner_text() == "1"
        page.select_option("#separator", "")
        page.wait_for_selector("#command:not(:has-text('--separator'))", state="attached")
        page.get_by_label("受控").check()
        page.get_by_role("button", name="開始").click()
        page.wait_for_url("**/columns?**")
        visit.settle()
        assert visit.violations() == []
    assert read_policy(tmp_path / "people_policy.yaml").release_kind == "controlled"


def test_contradictions_show_at_once_and_roles_are_set_by_keyboard(browser, server, tmp_path):
    server.post("/open", {"table": "people.csv"})
    with Visit(browser, server, scheme="dark") as visit:
        page = visit.page
        visit.go(AT)
        role = page.get_by_role("combobox", name="role 姓名")
        role.focus()
        page.keyboard.press("i")  # the next role that begins so; what follows within a second would belong to it
        page.wait_for_selector("#contradictions .message.fail")
        assert "姓名 (insensitive attribute): identifies people" in page.inner_text("#contradictions")
        assert page.inner_text("#saving-state").startswith("1 change is not saved yet.")
        assert read_policy(tmp_path / "people_policy.yaml").roles["姓名"] == "identifier"
        assert visit.violations() == []
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # opens the field for the reason
        page.keyboard.press("Tab")
        page.keyboard.type("made up")
        page.keyboard.press("Enter")  # saves
        page.wait_for_selector("#saving-state:has-text('All changes are saved')")
        policy = read_policy(tmp_path / "people_policy.yaml")
        assert policy.roles["姓名"] == "insensitive_attribute"
        assert policy.accountability.role_reasons == {"姓名": "made up"}
        with visit.leaving("**/columns?**"):
            page.get_by_role("button", name="Take 姓名").click()
        assert page.locator("#contradictions .message.pass").count() == 1
        assert read_policy(tmp_path / "people_policy.yaml").roles["姓名"] == "identifier"
        page.get_by_role("combobox", name="role 姓名").select_option("insensitive_attribute")
        page.wait_for_selector("#saving-state:has-text('not saved')")
        visit.go("/risk?policy=people_policy.yaml")
        assert page.get_by_text(message_text("en", "studio.risk.unsaved")).is_visible()
        visit.go(AT)
        with visit.leaving("**/risk?**"):
            page.locator(".saving .main").click()
        assert page.get_by_text(message_text("en", "studio.risk.unsaved")).is_hidden(), "all of it is saved"
