"""The page of a command that runs: how far it is, and the buttons that end it.

The command goes on if the page is closed, and every page has a link to it as long as it runs.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from PETWorks.errors import PETWorksError
from PETWorks.measures.numbers import amount
from PETWorks.studio.pages.page import computed, form_of, job_link, page, rendered, studio
from PETWorks.studio.server.case import Desk
from PETWorks.studio.server.jobs import Job

LOOK_EVERY = 0.25  # seconds
WORDS = ("reading", "searching", "explaining", "measuring", "writing", "checking", "subsets", "reasons", "attacking")
LAST_MESSAGES = 20


def address_of(job: Job, request: Request) -> str:
    """The page of a job."""
    return job_link("/job", job, request, id=job.id)


def follow(job: Job, request: Request) -> Response:
    """Go to the page of a job that was just started."""
    return RedirectResponse(address_of(job, request), 303)


async def show(request: Request) -> Response:
    """The page of a job; of one that has done its work, the page that shows what came out."""
    job = studio(request).jobs.of(request.query_params.get("id", ""))
    if job.state == "done":
        return RedirectResponse(_target(job, request), 303)
    desk = await computed(_desk, job, request)
    back = job_link(f"/{job.purpose.step}", job, request)
    values: dict[str, Any] = {"job": job, "back": back, "nav_step": job.purpose.step}
    return page(request, "job", desk, command=job.command, messages=_messages(job), **values, **_progress(job))


async def events(request: Request) -> Response:
    """The progress of a job, part by part, until it has ended."""
    job = studio(request).jobs.of(request.query_params.get("id", ""))
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(_parts(job, request), media_type="text/event-stream", headers=headers)


async def _parts(job: Job, request: Request) -> AsyncIterator[str]:
    works, sent = studio(request), ""
    while job.is_running and not works.is_ending():
        text = rendered(request, "job_part.html", job=job, **_progress(job))
        if text != sent:
            sent = text
            yield f"data: {json.dumps(text)}\n\n"
        await anyio.sleep(LOOK_EVERY)
    if not job.is_running:
        target = _target(job, request) if job.state == "done" else address_of(job, request)
        yield f"event: end\ndata: {json.dumps(target)}\n\n"


async def stop(request: Request) -> Response:
    """End a search with the best that it has found."""
    job = studio(request).jobs.of((await form_of(request)).text("id"))
    job.stop()
    return follow(job, request)


async def cancel(request: Request) -> Response:
    """End a job without a result."""
    job = studio(request).jobs.of((await form_of(request)).text("id"))
    await computed(job.cancel)
    return follow(job, request)


def _progress(job: Job) -> dict[str, Any]:
    """What a job said last, as the page shows it."""
    said = job.progress
    doing = next((word for word in WORDS if word in str(said.get("doing", ""))), "starting")
    best, bound = said.get("best"), said.get("bound") or 0.0
    share = bound / best if best else None
    if said.get("total"):
        share = said["finished"] / said["total"]
    return {
        "doing": doing,
        "checked": said.get("checked"),
        "best": None if best is None else amount(float(best)),
        "bound": amount(float(bound)) if best is not None and bound > 0 else None,
        "gap": best / bound - 1 if best is not None and bound > 0 else None,
        "share": round(min(share, 1.0), 3) if share else None,
        "is_bound": not said.get("total"),
        "seconds": int(job.seconds),
    }


def _messages(job: Job) -> list[str]:
    """What the command said besides its result, without its own name."""
    return [line.removeprefix("petworks: ") for line in job.messages[-LAST_MESSAGES:] if line.strip()]


def _target(job: Job, request: Request) -> str:
    return job_link(job.purpose.on_end, job, request, job=job.id, **job.purpose.values)


def _desk(job: Job, request: Request) -> Desk | None:
    """What the job is about; nothing if its policy cannot be read any more, so that it can still be cancelled."""
    try:
        return None if job.purpose.policy is None else studio(request).desks.of(job.purpose.policy)
    except PETWorksError:
        return None


ROUTES = [
    Route("/job", show),
    Route("/job/events", events),
    Route("/job/stop", stop, methods=["POST"]),
    Route("/job/cancel", cancel, methods=["POST"]),
]
