"""Export: reports in both editions and the evidence folder; and the list of earlier versions of the policy."""

import difflib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.errors import InputError, printable
from PETWorks.gate.check.may_go_out import Obstacle, find_current_obstacle
from PETWorks.gate.days import today
from PETWorks.gate.diff import read_check
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.release_files import ReleaseFiles, came_with_release, origins_of
from PETWorks.locale import ENGLISH
from PETWorks.render.formats.evidence import INSIDE, recipients_files
from PETWorks.studio.pages.job import redirect_to_job
from PETWorks.studio.pages.page import case_of, form_of, language, obstacle_text, page, redirect, studio
from PETWorks.studio.server.case import OpenCase
from PETWorks.studio.server.jobs import GOOD, Purpose
from PETWorks.tables.files import read_small
from PETWorks.tables.yaml_files import LARGEST_FILE

MAX_NAMES = 1000
SHOWN_VERSIONS = 15
MAX_LINES = 40  # of the difference between two versions
LONGEST_LINE = 160


def is_release(policy: Policy) -> bool:
    """Whether the policy is about a release, and not about the table that releases are made from."""
    return policy.original is not None or came_with_release(policy.path)


def _stem(policy: Policy) -> str:
    return policy.data.stem if isinstance(policy.data, Path) else policy.path.stem


def evidence_name(policy: Policy) -> str:
    """The name of a new folder beside the policy, from the table and the day."""
    start = f"evidence_{_stem(policy)}_{today().isoformat()}"
    names = (start, *(f"{start}_{number}" for number in range(2, MAX_NAMES)))
    return next(name for name in names if not policy.path.with_name(name).exists())


async def report(request: Request) -> Response:
    """Write the report in both editions."""
    case = await case_of(request)
    state, policy = studio(request), case.policy
    paths = {kind: policy.path.with_name(f"{_stem(policy)}_check.{kind}") for kind in ("html", "json")}
    files = [argument for kind, path in paths.items() for argument in (f"--{kind}", state.workspace.argument(path))]
    return _start_check(request, case, ["--edition", "both", *files], {"stem": f"{_stem(policy)}_check"})


async def evidence(request: Request) -> Response:
    """Write a new evidence folder."""
    case = await case_of(request)
    name = await run_in_threadpool(evidence_name, case.policy)
    folder = studio(request).workspace.argument(case.file.path.with_name(name))
    return _start_check(request, case, ["--evidence", folder], {"folder": name})


def _start_check(request: Request, case: OpenCase, options: list[str], values: dict[str, str]) -> Response:
    state, lang = studio(request), language(request)
    policy = state.workspace.argument(case.file.path)
    lang_option = [] if lang == ENGLISH else ["--lang", lang]
    purpose = Purpose(case.file.path, "decide", "/decide/exported", values)
    return redirect_to_job(
        state.jobs.start("check", policy, *options, *lang_option, purpose=purpose, lang=lang), request
    )


async def exported(request: Request) -> Response:
    """The files that were written, and which of them may go out."""
    case = await case_of(request)
    job = studio(request).jobs.of(request.query_params.get("job", ""))
    if job.purpose.policy != case.file.path or job.purpose.on_end != "/decide/exported" or job.code not in GOOD:
        raise InputError("this job has not exported anything of the policy that is open")
    obstacle, out, inside = await run_in_threadpool(_exported_files, case, dict(job.purpose.values))
    reports = {name: studio(request).workspace.relative(case.file.path.parent / name) for name in (*out, *inside)}
    return page(
        request,
        "decide_exported",
        case,
        nav_step="decide",
        not_out=None if obstacle is None else obstacle_text(case.table_name, obstacle, language(request)),
        out=out,
        inside=inside,
        reports={name: path for name, path in reports.items() if name.endswith(".html")},
        folder=job.purpose.values.get("folder"),
        command=job.command,
    )


def _exported_files(case: OpenCase, values: dict[str, str]) -> tuple[Obstacle | None, list[str], list[str]]:
    """The obstacle to handing out the table, and the files of a job: those that may go out, those that stay inside."""
    policy = case.policy
    beside = policy.path.parent
    if "folder" in values:
        folder = beside / values["folder"]
        files = sorted(path.relative_to(beside).as_posix() for path in folder.rglob("*") if path.is_file())
        document = folder / INSIDE / "report.json"
        outside = [path.relative_to(beside).as_posix() for path in recipients_files(folder)]
    else:
        stem = values["stem"]
        files = [f"{stem}{edition}.{kind}" for edition in (".external", "") for kind in ("html", "json")]
        document, outside = beside / f"{stem}.json", files[:2]
    release = policy.data if isinstance(policy.data, Path) else None
    written = read_check(document)
    origins = list(origins_of(policy))
    obstacle = find_current_obstacle(written, case.check.content, policy, origins, release, judged_alone=True)
    if obstacle is None and written.policy.sha256 != policy.file.sha256:
        obstacle = "outdated"  # the reports are about a different policy
    if obstacle is not None:
        return obstacle, [], files
    if release is not None and is_release(policy):
        outside = [*(path.name for path in ReleaseFiles(release).for_recipients), *outside]
    return None, outside, [name for name in files if name not in outside]


async def versions(request: Request) -> Response:
    """The changes of the policy, the last one first, each with a button that reverts to the version before."""
    case = await case_of(request)
    before = request.query_params.get("before", "")
    rows, older = await run_in_threadpool(
        _versions, case, int(before) if before.isdecimal() and len(before) < 10 else None
    )
    return page(
        request,
        "decide_versions",
        case,
        nav_step="decide",
        rows=rows,
        older=older,
        seen=case.file.digest,
    )


def _versions(case: OpenCase, before: int | None) -> tuple[list[dict[str, Any]], int | None]:
    """Versions with the changes after them; and the number to continue with, if there are older ones."""
    known = case.file.versions
    texts = [*(path for path in known), case.file.path]
    places = [place for place, path in enumerate(known) if before is None or int(path.stem) < before]
    shown = places[-SHOWN_VERSIONS:]
    rows: list[dict[str, Any]] = [
        {
            "number": int(known[place].stem),
            "when": datetime.fromtimestamp(known[place].stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "lines": list(_difference(texts[place], texts[place + 1])),
        }
        for place in reversed(shown)
    ]
    return rows, rows[-1]["number"] if len(places) > len(shown) else None


def _difference(old: Path, new: Path) -> Iterator[tuple[str, str]]:
    """The lines that differ, each with its kind: added, removed, same, or place for omitted lines."""
    before, after = (read_small(path, LARGEST_FILE).decode("utf-8-sig", "replace").splitlines() for path in (old, new))
    changes = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    kinds = {"+": "added", "-": "removed", "@": "place"}
    for line in changes[:MAX_LINES]:
        shown = printable(line)
        cut = shown if len(shown) <= LONGEST_LINE else f"{shown[:LONGEST_LINE]}…"
        yield kinds.get(line[:1], "same"), cut
    if len(changes) > MAX_LINES:
        yield "more", str(len(changes) - MAX_LINES)


async def restore(request: Request) -> Response:
    """Go back to an earlier version; this is an ordinary change, which can be undone."""
    case, form = await case_of(request), await form_of(request)
    await run_in_threadpool(case.file.restore, form.text("number"), form.text("seen") or None)
    return redirect(request, "/decide/versions", case)


ROUTES = [
    Route("/decide/report", report, methods=["POST"]),
    Route("/decide/evidence", evidence, methods=["POST"]),
    Route("/decide/exported", exported),
    Route("/decide/versions", versions),
    Route("/decide/restore", restore, methods=["POST"]),
]
