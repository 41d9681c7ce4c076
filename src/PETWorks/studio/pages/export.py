"""What leaves the page: reports in both editions, the evidence folder; and earlier versions of the policy."""

import difflib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.errors import InputError, printable
from PETWorks.gate.check.may_go_out import Obstacle, obstacle_now
from PETWorks.gate.days import today
from PETWorks.gate.diff import read_check
from PETWorks.gate.policy.policy import Policy
from PETWorks.render.formats.evidence import INSIDE, recipients_files
from PETWorks.render.languages import ENGLISH
from PETWorks.studio.files.released_files import came_with_release, origins_of
from PETWorks.studio.pages.page import computed, desk_of, form_of, language, not_out_text, page, see, studio
from PETWorks.studio.pages.running import follow
from PETWorks.studio.server.case import Desk
from PETWorks.studio.server.jobs import GOOD, Purpose
from PETWorks.tables.files import read_small
from PETWorks.tables.yaml_files import LARGEST_FILE

MOST_NAMES = 1000
SHOWN_VERSIONS = 15
MOST_LINES = 40  # of the difference between two versions
LONGEST_LINE = 160


def is_release(policy: Policy) -> bool:
    """Whether the policy is about a release, and not about the table that releases are made of."""
    return policy.original is not None or came_with_release(policy.path)


def _stem(policy: Policy) -> str:
    return policy.data.stem if isinstance(policy.data, Path) else policy.path.stem


def evidence_name(policy: Policy) -> str:
    """A new folder beside the policy, named by the table and the day."""
    start = f"evidence_{_stem(policy)}_{today().isoformat()}"
    names = (start, *(f"{start}_{number}" for number in range(2, MOST_NAMES)))
    return next(name for name in names if not policy.path.with_name(name).exists())


async def report(request: Request) -> Response:
    """Write the report in both editions."""
    desk = await desk_of(request)
    works, policy = studio(request), desk.policy
    named = {kind: policy.path.with_name(f"{_stem(policy)}_check.{kind}") for kind in ("html", "json")}
    files = [one for kind, path in named.items() for one in (f"--{kind}", works.workspace.argument(path))]
    return _checked(request, desk, ["--edition", "both", *files], {"stem": f"{_stem(policy)}_check"})


async def evidence(request: Request) -> Response:
    """Write a new evidence folder."""
    desk = await desk_of(request)
    name = await computed(evidence_name, desk.policy)
    folder = studio(request).workspace.argument(desk.file.path.with_name(name))
    return _checked(request, desk, ["--evidence", folder], {"folder": name})


def _checked(request: Request, desk: Desk, options: list[str], values: dict[str, str]) -> Response:
    works, lang = studio(request), language(request)
    policy = works.workspace.argument(desk.file.path)
    spoken = [] if lang == ENGLISH else ["--lang", lang]
    purpose = Purpose(desk.file.path, "decide", "/decide/exported", values)
    return follow(works.jobs.start("check", policy, *options, *spoken, purpose=purpose, lang=lang), request)


async def exported(request: Request) -> Response:
    """What was written, and which of it may go out."""
    desk = await desk_of(request)
    job = studio(request).jobs.of(request.query_params.get("job", ""))
    if job.purpose.policy != desk.file.path or job.purpose.on_end != "/decide/exported" or job.code not in GOOD:
        raise InputError("this job has not exported anything of the policy that is open")
    against, out, inside = await computed(_written, desk, dict(job.purpose.values))
    reports = {name: studio(request).workspace.relative(desk.file.path.parent / name) for name in (*out, *inside)}
    return page(
        request,
        "decide_exported",
        desk,
        nav_step="decide",
        not_out=None if against is None else not_out_text(desk.table_name, against, language(request)),
        out=out,
        inside=inside,
        reports={name: path for name, path in reports.items() if name.endswith(".html")},
        folder=job.purpose.values.get("folder"),
        command=job.command,
    )


def _written(desk: Desk, values: dict[str, str]) -> tuple[Obstacle | None, list[str], list[str]]:
    """What stands against handing out the table, and the files of a job by what may go out and what stays inside."""
    policy = desk.policy
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
    against = obstacle_now(written, desk.check.content, policy, origins, release, judged_alone=True)
    if against is None and written.policy.sha256 != policy.file.sha256:
        against = "outdated"  # the reports are about another policy
    if against is not None:
        return against, [], files
    if release is not None and is_release(policy):
        outside = [release.name, *outside]
    return None, outside, [name for name in files if name not in outside]


async def versions(request: Request) -> Response:
    """The changes of the policy, the last one first, each with a button that goes back to before it."""
    desk = await desk_of(request)
    before = request.query_params.get("before", "")
    rows, older = await computed(_versions, desk, int(before) if before.isdecimal() and len(before) < 10 else None)
    return page(
        request,
        "decide_versions",
        desk,
        nav_step="decide",
        rows=rows,
        older=older,
        seen=desk.file.digest,
    )


def _versions(desk: Desk, before: int | None) -> tuple[list[dict[str, Any]], int | None]:
    """Versions with what was changed after them; and the number to go on with, if there are older ones."""
    known = desk.file.versions
    texts = [*(path for path in known), desk.file.path]
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
    """The lines that differ, with what each is: added, removed, the same, or left out."""
    before, after = (read_small(path, LARGEST_FILE).decode("utf-8-sig", "replace").splitlines() for path in (old, new))
    changes = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    kinds = {"+": "added", "-": "removed", "@": "place"}
    for line in changes[:MOST_LINES]:
        shown = printable(line)
        cut = shown if len(shown) <= LONGEST_LINE else f"{shown[:LONGEST_LINE]}…"
        yield kinds.get(line[:1], "same"), cut
    if len(changes) > MOST_LINES:
        yield "more", str(len(changes) - MOST_LINES)


async def restore(request: Request) -> Response:
    """Go back to an earlier version; this is a change, too, and can be undone."""
    desk, form = await desk_of(request), await form_of(request)
    await computed(desk.file.restore, form.text("number"), form.text("seen") or None)
    return see(request, "/decide/versions", desk)


ROUTES = [
    Route("/decide/report", report, methods=["POST"]),
    Route("/decide/evidence", evidence, methods=["POST"]),
    Route("/decide/exported", exported),
    Route("/decide/versions", versions),
    Route("/decide/restore", restore, methods=["POST"]),
]
