"""Commands that run while pages are looked at: progress, stopping, cancelling, and coming back."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from PETWorks.studio.server.jobs import Purpose
from processes import PATIENCE
from studio_client import entered, write_long_search

LONG = ("anonymize", "wide_policy.yaml", "-o", "released.csv", "--format", "json")


@pytest.fixture
def folder(tmp_path):
    write_long_search(tmp_path)
    return tmp_path


def waited(job, until):
    end = time.monotonic() + PATIENCE
    while not until(job) and time.monotonic() < end:
        time.sleep(0.05)
    assert until(job), (job.state, job.messages, job.progress)


def has_found(job):
    return not job.is_running or (job.progress.get("doing") == "searching" and job.progress.get("best") is not None)


def processes_of(group):
    listed = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return [
        line for line in listed.splitlines() if line.split()[0] == str(group) and not line.split()[1].startswith("Z")
    ]


def test_the_page_of_a_job_that_works(folder):
    with entered(folder) as page:
        job = page.studio.jobs.start(*LONG, purpose=Purpose(step="safe", on_end="/", can_stop=True))
        waited(job, has_found)
        shown = page.get("/job", params={"id": job.id}).text
        assert "<progress" in shown
        assert 'action="/job/stop"' in shown
        assert 'action="/job/cancel"' in shown
        assert f'data-events="/job/events?id={job.id}"' in shown
        assert f'href="/job?id={job.id}"' in page.get("/").text, "every page leads back to it"
        answer = page.post("/job/cancel", data={"id": job.id}, follow_redirects=False)
        assert answer.headers["location"] == f"/job?id={job.id}"
        shown = page.get("/job", params={"id": job.id}).text
        assert "Nothing was written" in shown
        assert "/job/cancel" not in shown
        assert f"/job?id={job.id}" not in page.get("/").text


def test_cancelling_leaves_no_process_and_nothing_half_written(folder):
    before = sorted(path.name for path in folder.rglob("*"))
    with entered(folder) as page:
        job = page.studio.jobs.start(*LONG)
        group = job._process.pid
        waited(job, has_found)
        assert processes_of(group)
        page.post("/job/cancel", data={"id": job.id})
        waited(job, lambda _job: not processes_of(group))  # the system needs a moment to bury them
        assert job.state == "cancelled"
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_what_does_not_listen_is_killed_with_what_it_started(folder, monkeypatch):
    monkeypatch.setattr("PETWorks.studio.server.jobs.GRACE", 0.3)
    deaf = f"import signal,time;signal.signal(signal.SIGTERM,signal.SIG_IGN);time.sleep(2 * {PATIENCE})"
    deaf = f"import subprocess,sys;subprocess.Popen([sys.executable,'-c',{deaf!r}]);{deaf}"
    started = subprocess.Popen
    monkeypatch.setattr(
        "PETWorks.studio.server.jobs.subprocess.Popen",
        lambda _command, **how: started([sys.executable, "-c", deaf], **how),
    )
    with entered(folder) as page:
        job = page.studio.jobs.start("check")
        monkeypatch.setattr("PETWorks.studio.server.jobs.subprocess.Popen", started)
        waited(job, lambda job: len(processes_of(job._process.pid)) == 2)
        before = time.monotonic()
        job.cancel()
        assert time.monotonic() - before < PATIENCE, "it does not wait for the end of their sleep"
        waited(job, lambda job: not processes_of(job._process.pid))


def test_the_server_ends_what_it_started(folder):
    with entered(folder) as page:
        job = page.studio.jobs.start(*LONG)
        assert processes_of(job._process.pid)
    waited(job, lambda job: not processes_of(job._process.pid))


def test_stopping_keeps_the_best_and_the_events_lead_to_it(folder):
    with entered(folder) as page:
        purpose = Purpose(step="safe", on_end="/safe/result", values={"release": "released.csv"}, can_stop=True)
        job = page.studio.jobs.start(*LONG, purpose=purpose)
        page.post("/job/stop", data={"id": job.id})  # before it has found anything: as soon as it has
        assert job.is_to_stop
        said = page.get("/job/events", params={"id": job.id}).text
        assert job.state == "done", job.messages
        parts = [json.loads(part) for part in re.findall(r"^data: (.*)$", said, re.M)]
        assert all("<progress" in part for part in parts[:-1])
        assert said.endswith(f"event: end\ndata: {json.dumps(parts[-1])}\n\n")
        assert parts[-1] == f"/safe/result?job={job.id}&release=released.csv"
        assert job.result["anonymization"]["optimal"] is False
        assert (folder / "released.csv").exists()
        assert page.get("/job", params={"id": job.id}, follow_redirects=False).headers["location"] == parts[-1]


def test_a_command_that_fails_says_why(folder):
    with entered(folder) as page:
        job = page.studio.jobs.start("check", "<b>nothing.yaml")
        waited(job, lambda job: not job.is_running)
        assert "event: end" in page.get("/job/events", params={"id": job.id}).text
        shown = page.get("/job", params={"id": job.id}).text
        assert "&lt;b&gt;nothing.yaml" in shown
        assert "<b>nothing" not in shown
        assert page.get("/job", params={"id": "other"}).status_code == 400


def test_only_searches_are_stopped(folder):
    with entered(folder) as page:
        job = page.studio.jobs.start(*LONG)
        waited(job, has_found)
        page.post("/job/stop", data={"id": job.id})
        assert "/job/stop" not in page.get("/job", params={"id": job.id}).text
        assert job.is_running
        os.kill(job._process.pid, signal.SIGTERM)
        waited(job, lambda job: not job.is_running)
        assert job.state == "failed", "someone else ended it"
