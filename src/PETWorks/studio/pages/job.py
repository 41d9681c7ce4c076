"""The page of a running command: its progress, and the buttons that stop or cancel it.

The command keeps running if the page is closed; every page links to it while it runs.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from PETWorks.errors import PETWorksError
from PETWorks.measures.numbers import amount
from PETWorks.studio.pages.page import Form, Routes, job_link, language, page, render, studio
from PETWorks.studio.server.jobs import Job, Purpose
from PETWorks.studio.server.open_case import OpenCase

ROUTES = Routes()

POLL_SECONDS = 0.25
PHASES = ("reading", "searching", "explaining", "measuring", "writing", "checking", "subsets", "reasons", "attacking")
MAX_MESSAGES = 20


def job_address(job: Job, request: Request) -> str:
    """The address of the page of a job."""
    return job_link("/job", job, request, id=job.id)


def start_job(request: Request, purpose: Purpose, *arguments: str) -> Response:
    """Start a command, and redirect to its page."""
    job = studio(request).jobs.start(*arguments, purpose=purpose, lang=language(request))
    return _redirect_to_job(job, request)


def _redirect_to_job(job: Job, request: Request) -> Response:
    return RedirectResponse(job_address(job, request), 303)


@ROUTES.get("/job")
def show(request: Request, form: Form) -> Response:
    """The page of a job; a redirect to its result if it is done."""
    job = studio(request).jobs.of(form.text("id"))
    if job.state == "done":
        return RedirectResponse(_result_address(job, request), 303)
    case = _case_of_job(job, request)
    back = job_link(f"/{job.purpose.step}", job, request)
    values: dict[str, Any] = {"job": job, "back": back, "nav_step": job.purpose.step}
    return page(request, "job", case, command=job.command, messages=_messages(job), **values, **_progress(job))


@ROUTES.get("/job/events")
def events(request: Request, form: Form) -> Response:
    """The progress of a job as server-sent events, until it has ended."""
    job = studio(request).jobs.of(form.text("id"))
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(_event_stream(job, request), media_type="text/event-stream", headers=headers)


async def _event_stream(job: Job, request: Request) -> AsyncIterator[str]:
    state, sent = studio(request), ""
    while job.is_running and not state.is_ending():
        text = render(request, "job_part.html", job=job, **_progress(job))
        if text != sent:
            sent = text
            yield f"data: {json.dumps(text)}\n\n"
        await anyio.sleep(POLL_SECONDS)
    if not job.is_running:
        target = _result_address(job, request) if job.state == "done" else job_address(job, request)
        yield f"event: end\ndata: {json.dumps(target)}\n\n"


@ROUTES.post("/job/stop")
def stop(request: Request, form: Form) -> Response:
    """Stop a search, which then returns the best release found so far."""
    job = studio(request).jobs.of(form.text("id"))
    job.stop()
    return _redirect_to_job(job, request)


@ROUTES.post("/job/cancel")
def cancel(request: Request, form: Form) -> Response:
    """Cancel a job; there is no result."""
    job = studio(request).jobs.of(form.text("id"))
    job.cancel()
    return _redirect_to_job(job, request)


def _progress(job: Job) -> dict[str, Any]:
    """The last progress report of a job, as the page shows it."""
    report = job.progress
    phase = next((word for word in PHASES if word in str(report.get("doing", ""))), "starting")
    best, bound = report.get("best"), report.get("bound") or 0.0
    share = bound / best if best else None
    if report.get("total"):
        share = report["finished"] / report["total"]
    return {
        "doing": phase,
        "checked": report.get("checked"),
        "best": None if best is None else amount(float(best)),
        "bound": amount(float(bound)) if best is not None and bound > 0 else None,
        "gap": best / bound - 1 if best is not None and bound > 0 else None,
        "share": round(min(share, 1.0), 3) if share else None,
        "is_bound": not report.get("total"),
        "seconds": int(job.seconds),
    }


def _messages(job: Job) -> list[str]:
    """The messages that the command printed besides its result, without the program name."""
    return [line.removeprefix("petworks: ") for line in job.messages[-MAX_MESSAGES:] if line.strip()]


def _result_address(job: Job, request: Request) -> str:
    return job_link(job.purpose.on_end, job, request, job=job.id, **job.purpose.values)


def _case_of_job(job: Job, request: Request) -> OpenCase | None:
    """The case that the job is about; None if its policy can no longer be read, so that it can still be cancelled."""
    try:
        return None if job.purpose.policy is None else studio(request).cases.of(job.purpose.policy)
    except PETWorksError:
        return None
