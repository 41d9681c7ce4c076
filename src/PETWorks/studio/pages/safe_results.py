"""The result of the search: the table before and after, other levels, and reasons per record for insiders."""

import csv
from itertools import islice
from pathlib import Path

from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from PETWorks.errors import InputError, PETWorksError, quoted
from PETWorks.gate.check.may_go_out import Obstacle, find_current_obstacle, find_obstacle
from PETWorks.gate.document.check_document import CheckFile
from PETWorks.gate.release_files import ReleaseFiles, release_named
from PETWorks.render.report import making
from PETWorks.render.report.prose import notices
from PETWorks.studio.pages.make_safe import anonymize_arguments
from PETWorks.studio.pages.page import case_of, language, obstacle_text, page, petworks_command, studio
from PETWorks.studio.server.case import OpenCase
from PETWorks.studio.server.jobs import Job

MAX_COLUMNS = 100
MAX_RECORDS = 200
MAX_RULES = 50
REASON_COLUMNS = ("record", "rule", "class_size", "stands_out_by", "saved_by", "added_loss")
# A report is a separate page with its style and script inline. It may load nothing else.
REPORT_POLICY = (
    "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)


async def show_result(request: Request) -> Response:
    """The table before and after, why the release is on these levels, and the next best ones."""
    case = await case_of(request)
    return await run_in_threadpool(_result_page, request, case)


def _result_page(request: Request, case: OpenCase) -> Response:
    files, lang = _files(request, case), language(request)
    document = files.read()
    facts = document.anonymization
    if facts is None:
        raise InputError("{file}: the check does not say how the release was made", file=files.result.name)
    best = [(column.column, column.level) for column in facts.columns]
    kept = () if facts.utility is None else facts.utility.columns
    relative = studio(request).workspace.relative
    job_id = request.query_params.get("job", "")
    job = next((known for known in studio(request).jobs.about(case.file.path) if known.id == job_id), None)
    document, obstacle = _check_again(request, case, files, document)
    return page(
        request,
        "safe_result",
        case,
        nav_step="safe",
        d=document,
        notices=notices(document, lang),
        facts=facts,
        release_bar=document,
        outcome=[*making.outcome_texts(facts, lang), *making.order_text(facts, lang)],
        choice=list(
            zip(making.choice_rows(facts, lang), () if facts.choice is None else facts.choice.ways, strict=True)
        ),
        choice_heads=making.CHOICE_HEADINGS[:-1],
        choice_texts=making.choice_texts(facts, lang),
        states=making.state_rows(facts, lang),
        columns=[
            (fact, making.level_text(fact, lang), making.finer_text(fact, lang)) for fact in facts.columns[:MAX_COLUMNS]
        ],
        kept=list(zip(kept[:MAX_COLUMNS], making.kept_rows(facts, lang), strict=False)),
        kept_heads=making.KEPT_HEADINGS,
        others=[(node, making.change_text(best, node, lang)) for node in facts.next_best],
        costs=making.cost_texts(facts, lang),
        losses=making.loss_rows(facts, lang),
        most_rules=MAX_RULES,
        most_columns=MAX_COLUMNS,
        loss=making.loss_text,
        threshold=_threshold(job),
        release=files.release.name,
        released=relative(files.policy),
        reasons=files.reasons.exists(),
        report=relative(files.report) if files.report.exists() else None,
        not_out=None if obstacle is None else obstacle_text(files.release.name, obstacle, lang),
        out=[path.name for path in files.for_recipients] if obstacle is None else [],
        inside=[path.name for path in (*(files.for_recipients if obstacle else ()), *files.inside)],
        command=petworks_command(*anonymize_arguments(request, case, files)) if job is None else job.command,
        messages=[] if job is None else [line.removeprefix("petworks: ") for line in job.messages],
    )


def _check_again(
    request: Request, case: OpenCase, files: ReleaseFiles, made: CheckFile
) -> tuple[CheckFile, Obstacle | None]:
    """The check with the verdict by today's policy, plan and waivers; and the obstacle to handing out the release."""
    try:
        released = studio(request).cases.of(files.policy)
        check = released.check.content
        updated = replace(made, verdict=check.verdict, rule_verdicts=check.rule_verdicts, rules=check.rules)
        return updated, find_current_obstacle(updated, check, released.policy, [case.policy], files.release)
    except PETWorksError:  # its policy, or one of its files, is missing or invalid
        return made, find_obstacle(made, files.release) or "outdated"


def _threshold(job: Job | None) -> str:
    """The threshold that a release was made with, if it differs from that of the rules."""
    options = [] if job is None else [argument for argument in job.arguments if argument.startswith("--threshold=")]
    return options[0].partition("=")[2] if options else ""


def _files(request: Request, case: OpenCase) -> ReleaseFiles:
    return release_named(case.file.path, request.query_params.get("release", ""))


async def show_reasons(request: Request) -> Response:
    """The reasons why single records are suppressed. For insiders."""
    case = await case_of(request)
    files = _files(request, case)
    below = request.query_params.get("below", "").strip()
    if below and not (below.isdecimal() and len(below) < 10):
        raise InputError("the class size is a whole number")
    if not files.reasons.exists():
        raise InputError(
            "there is no {file}: ask for reasons when the release is made", file=quoted([files.reasons.name])
        )
    rows, more = await run_in_threadpool(_read_reasons, files.reasons, int(below) if below else None)
    return page(
        request,
        "safe_reasons",
        case,
        nav_step="safe",
        rows=rows,
        more=more,
        below=below,
        release=files.release.name,
        policy_named=studio(request).workspace.relative(case.file.path),
        file=files.reasons.name,
    )


def _read_reasons(path: Path, below: int | None) -> tuple[list[dict[str, str]], bool]:
    """The first records of the file that are in classes below a size, and whether there are more."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != REASON_COLUMNS:
            raise InputError("{file}: not a file of reasons that petworks anonymize wrote", file=path.name)
        wanted = (row for row in rows if below is None or int(row["class_size"] or 0) < below)
        first = list(islice(wanted, MAX_RECORDS + 1))
    return first[:MAX_RECORDS], len(first) > MAX_RECORDS


async def show_report(request: Request) -> Response:
    """A report below the folder; its own script and links to other pages do not work here."""
    path = studio(request).workspace.path(request.query_params.get("file", ""))
    if path.suffix != ".html" or not path.is_file() or path.name.startswith("."):
        raise InputError("{file} is no report below the folder", file=quoted([path.name]))
    return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY})


ROUTES = [
    Route("/safe/result", show_result),
    Route("/safe/reasons", show_reasons),
    Route("/report", show_report),
]
