"""What came out of the search: the release before and after, other levels, and reasons per record for insiders."""

import csv
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from PETWorks.errors import InputError, PETWorksError, quoted
from PETWorks.gate.check.may_go_out import Obstacle, obstacle, obstacle_now
from PETWorks.gate.document.check_document import CheckFile
from PETWorks.render.charts import charts
from PETWorks.render.report import making
from PETWorks.render.report.prose import notices
from PETWorks.studio.files.released_files import ReleasedFiles, named_release
from PETWorks.studio.pages.make_safe import arguments_of
from PETWorks.studio.pages.page import computed, desk_of, language, not_out_text, page, petworks, studio
from PETWorks.studio.server.case import Desk

MOST_COLUMNS = 100
MOST_RECORDS = 200
MOST_RULES = 50
REASONS = ("record", "rule", "class_size", "stands_out_by", "saved_by", "added_loss")
# A report is a page of its own, whose style and script stand in it. It may show itself, and nothing else.
OF_A_REPORT = (
    "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)


async def result(request: Request) -> Response:
    """A release before and after, why it is on these levels, and which others are next best."""
    desk = await desk_of(request)
    return await computed(_result, request, desk)


def _result(request: Request, desk: Desk) -> Response:
    files, lang = _files(request, desk), language(request)
    document = files.read()
    facts = document.anonymization
    if facts is None:
        raise InputError("{file}: the check does not say how the release was made", file=files.result.name)
    best = [(column.column, column.level) for column in facts.columns]
    kept = () if facts.utility is None else facts.utility.columns
    relative = studio(request).workspace.relative
    job = request.query_params.get("job", "")
    found = next((one for one in studio(request).jobs.about(desk.file.path) if one.id == job), None)
    document, against = _judged_now(request, desk, files, document)
    return page(
        request,
        "safe_result",
        desk,
        nav_step="safe",
        d=document,
        notices=notices(document, lang),
        facts=facts,
        release_bar=document,
        outcome=[*making.outcome(facts, lang), *making.order(facts, lang)],
        states=making.states(facts, lang),
        columns=[(one, making.level(one, lang), making.finer(one, lang)) for one in facts.columns[:MOST_COLUMNS]],
        kept=list(zip(kept[:MOST_COLUMNS], making.columns_kept(facts, lang), strict=False)),
        kept_heads=making.KEPT,
        others=[(one, making.change(best, one, lang)) for one in facts.next_best],
        costs=making.costs(facts, lang),
        losses=making.losses(facts, lang),
        most_rules=MOST_RULES,
        most_columns=MOST_COLUMNS,
        loss=making.loss,
        drawn=charts.drawn,
        threshold=_threshold(found),
        release=files.release.name,
        released=relative(files.policy),
        reasons=files.reasons.exists(),
        report=relative(files.report) if files.report.exists() else None,
        not_out=None if against is None else not_out_text(files.release.name, against, lang),
        out=[files.release.name] if against is None else [],
        inside=[path.name for path in (*([files.release] if against else []), *files.inside) if path.exists()],
        command=petworks(*arguments_of(request, desk, files)) if found is None else found.command,
        messages=[] if found is None else [line.removeprefix("petworks: ") for line in found.messages],
    )


def _judged_now(
    request: Request, desk: Desk, files: ReleasedFiles, made: CheckFile
) -> tuple[CheckFile, Obstacle | None]:
    """A check with the verdict by policy, plan, waivers and day as they are now; and what is against the release."""
    try:
        released = studio(request).desks.of(files.policy)
        check = released.check.content
        now = replace(made, verdict=check.verdict, rule_verdicts=check.rule_verdicts, rules=check.rules)
        return now, obstacle_now(now, check, released.policy, [desk.policy], files.release)
    except PETWorksError:  # its policy, or a file that belongs to it, is gone or has a mistake
        return made, obstacle(made, files.release) or "outdated"


def _threshold(job: Any) -> str:
    """The threshold that a release was made with, if another one than that of the rules was asked for."""
    given = [] if job is None else [one for one in job.arguments if one.startswith("--threshold=")]
    return given[0].partition("=")[2] if given else ""


def _files(request: Request, desk: Desk) -> ReleasedFiles:
    return named_release(desk.file.path, request.query_params.get("release", ""))


async def reasons(request: Request) -> Response:
    """Why records are suppressed, one by one. For insiders."""
    desk = await desk_of(request)
    files = _files(request, desk)
    below = request.query_params.get("below", "").strip()
    if below and not (below.isdecimal() and len(below) < 10):
        raise InputError("the class size is a whole number")
    if not files.reasons.exists():
        raise InputError(
            "there is no {file}: ask for reasons when the release is made", file=quoted([files.reasons.name])
        )
    rows, more = await computed(_reasons, files.reasons, int(below) if below else None)
    return page(
        request,
        "safe_reasons",
        desk,
        nav_step="safe",
        rows=rows,
        more=more,
        below=below,
        release=files.release.name,
        policy_named=studio(request).workspace.relative(desk.file.path),
        file=files.reasons.name,
    )


def _reasons(path: Path, below: int | None) -> tuple[list[dict[str, str]], bool]:
    """The first records of the file that are in classes of fewer records, and whether there are more."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != REASONS:
            raise InputError("{file}: not a file of reasons that petworks anonymize wrote", file=path.name)
        wanted = (row for row in rows if below is None or int(row["class_size"] or 0) < below)
        first = list(islice(wanted, MOST_RECORDS + 1))
    return first[:MOST_RECORDS], len(first) > MOST_RECORDS


async def report(request: Request) -> Response:
    """A report that was written below the folder; its own script and links to other pages do not work here."""
    path = studio(request).workspace.path(request.query_params.get("file", ""))
    if path.suffix != ".html" or not path.is_file() or path.name.startswith("."):
        raise InputError("{file} is no report below the folder", file=quoted([path.name]))
    return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": OF_A_REPORT})


ROUTES = [
    Route("/safe/result", result),
    Route("/safe/reasons", reasons),
    Route("/report", report),
]
