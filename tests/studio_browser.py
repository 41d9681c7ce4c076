"""The page in a real browser; every warning of the browser fails the test."""

import os
import shutil
from contextlib import contextmanager

import pytest

from processes import PATIENCE

# The first that is here. Without windows, the browser takes less than half the processor time.
BROWSERS = ("chromium-headless-shell", "chrome-headless-shell", "chromium", "google-chrome")
CHROMIUM = os.environ.get("PETWORKS_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
LARGEST_PAGE = 150_000
VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error("CSP: " + event.violatedDirective + " " + event.blockedURI);
});
"""


@contextmanager
def chromium():
    """Start the browser; skip the test if there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here (PETWORKS_CHROMIUM, or the package chromium-headless-shell)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A visit to a server in a browser; use it in a `with` statement.

    Errors and warnings in the console, script errors, violations of the content security policy, requests to other
    servers and pages that are too large make the test fail at the end.
    """

    def __init__(
        self, browser, server, lang="en", width=1100, height=900, scheme="light", largest=LARGEST_PAGE, **options
    ):
        self.server, self.lang, self.largest = server, lang, largest
        self.context = browser.new_context(
            locale=lang, viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        self.context.add_init_script(VIOLATIONS)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.wrong, self.allowed = [], []
        self.page.on(
            "console", lambda entry: self.wrong.append(entry.text) if entry.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._requested)
        self.page.on("response", self._answered)
        if server.cookie:
            name, value = server.cookie.split("=", 1)
            self.context.add_cookies([{"name": name, "value": value, "url": server.own}])
            self.go("/")
        else:
            self.page.goto(server.address)
            self.page.wait_for_url(f"{server.own}/")
            server.cookie = next(
                f"{cookie['name']}={cookie['value']}" for cookie in self.context.cookies() if "studio" in cookie["name"]
            )

    def _requested(self, request):
        if not request.url.startswith(self.server.own + "/"):
            self.wrong.append(f"asked for {request.url}")

    def _answered(self, answer):
        if answer.status >= 400:
            self.wrong.append(f"{answer.url}: {answer.status}")
        length = int(answer.headers.get("content-length", 0))
        if length > self.largest:
            self.wrong.append(f"{answer.url}: {length:,} bytes")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.context.close()
        wrong = [problem for problem in self.wrong if not any(allowed in problem for allowed in self.allowed)]
        assert kind is not None or wrong == [], wrong

    def go(self, address):
        """Open a page, and wait until its parts are loaded."""
        answer = self.page.goto(self.server.own + address)
        self.settle()
        return answer

    def settle(self):
        """Wait until nothing is loading."""
        self.page.wait_for_load_state()
        self.page.wait_for_selector("[data-busy]", state="detached")

    @contextmanager
    def leaving(self, address):
        """Wait until a page with this address has replaced the present one, which may have the same address."""
        with self.page.expect_navigation(url=address):
            yield
        self.settle()

    def text(self):
        return self.page.inner_text("body")

    def violations(self, *rules):
        """Accessibility violations, found by axe-core; of all rules or of the named ones."""
        from axe_playwright_python.sync_playwright import Axe

        self.page.bring_to_front()
        only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
        found = Axe().run(self.page, options={"resultTypes": ["violations"], **only}).response["violations"]
        return [(violation["id"], violation["impact"], violation["nodes"][0]["html"][:300]) for violation in found]

    def hangs_over(self):
        """The elements that are wider than the window, so that the page scrolls sideways."""
        if self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            return []
        return self.page.evaluate(
            """[...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.outerHTML.slice(0, 120)).slice(0, 5)"""
        )
