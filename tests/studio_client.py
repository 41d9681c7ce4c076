"""A test client instead of a browser: it has the cookie, and sends forms as pages of the server do."""

import random
import re
import subprocess
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from command import Started
from PETWorks.studio.server import jobs
from PETWorks.studio.server.app import make_app
from PETWorks.studio.server.serving import ENTRANCE, Guard
from processes import wait_for

PORT = 4321
OWN = f"http://127.0.0.1:{PORT}"


def entered(folder):
    """A client that has entered the page of a folder; use it in a `with` statement."""
    app = make_app(folder)
    guard = Guard(app, PORT)
    client = TestClient(guard, base_url=OWN, headers={"Origin": OWN})
    client.get(ENTRANCE, params={"token": guard.token}).raise_for_status()
    client.studio = app.state.studio
    client.guard = guard
    return client


def write_long_search(folder):
    """Write a table and a policy whose search finds a solution at once but takes minutes to prove it optimal."""
    draw = random.Random(5)
    names = [f"q{place}" for place in range(14)]
    lines = [names, *([str(draw.randrange(40)) for _ in names] for _ in range(1500))]
    (folder / "wide.csv").write_text("".join(",".join(line) + "\n" for line in lines), "utf-8")
    hierarchies = "".join(f"  {name}: {{width: [2, 4, 8, 16]}}\n" for name in names)
    (folder / "wide_policy.yaml").write_text(
        f"petworks_policy: 1\ndata: wide.csv\nroles:\n  quasi_identifiers: [{', '.join(names)}]\n"
        f"hierarchies:\n{hierarchies}rules:\n  - {{measure: k-anonymity, k: 3}}\n",
        "utf-8",
    )


class _Forms(HTMLParser):
    """The forms of a page: the address of each, and the fields as a browser would send them."""

    def __init__(self, text):
        super().__init__()
        self.forms, self._field, self._options = [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.forms.append((attributes.get("action", ""), {}))
        if not self.forms:
            return
        if tag == "input" and "name" in attributes:
            if attributes.get("type") not in ("checkbox", "radio") or "checked" in attributes:
                self._send(attributes["name"], attributes.get("value", ""))
        elif tag in ("select", "textarea"):
            self._field, self._options = attributes.get("name"), []
        elif tag == "option":
            self._options.append([attributes.get("value"), "selected" in attributes, ""])

    def handle_data(self, data):
        if self._options:
            self._options[-1][2] += data
        elif self._field is not None:
            self._options.append([None, True, data])

    def handle_endtag(self, tag):
        if tag in ("select", "textarea") and self._field is not None:
            chosen = [option for option in self._options if option[1]] or self._options[:1] or [["", True, ""]]
            self._send(self._field, chosen[-1][2] if chosen[-1][0] is None else chosen[-1][0])
            self._field, self._options = None, []

    def _send(self, name, value):
        self.forms[-1][1].setdefault(name, []).append(value)


def fields_of(text, action):
    """The fields that a browser would send for the form with this address; repeated names have a list."""
    forms = [fields for address, fields in _Forms(text).forms if address.partition("?")[0] == action]
    return {name: values if len(values) > 1 else values[0] for name, values in forms[0].items()}


def ended(page, answer):
    """The job that an answer leads to, after it has ended."""
    assert answer.status_code == 303, re.findall(r'role="alert">(.*?)<', answer.text)
    job = page.studio.jobs.of(re.search(r"id=([\w-]+)", answer.headers["location"])[1])
    wait_for(lambda: not job.is_running)
    assert job.state == "done", job.messages
    return job


@pytest.fixture
def quick_jobs(monkeypatch):
    """Start the commands of jobs in processes that have already imported the program."""
    monkeypatch.setattr(jobs, "subprocess", SimpleNamespace(**vars(subprocess) | {"Popen": Started}))
