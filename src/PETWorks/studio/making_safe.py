"""Make it safe: how a release is to be made, the search for it, and what other rules would cost."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.anonymizer.objectives import OBJECTIVES
from PETWorks.anonymizer.problem import SUPPRESSED_RECORDS
from PETWorks.errors import InputError, PETWorksError
from PETWorks.gate.anonymization_document import FrontierFacts
from PETWorks.gate.policy import read_policy
from PETWorks.measures.parameters import Number
from PETWorks.render import anonymization, charts
from PETWorks.render.language import measure_summary
from PETWorks.render.languages import ENGLISH
from PETWorks.render.shell_words import command_line
from PETWorks.studio.desk import Desk
from PETWorks.studio.job_pages import follow
from PETWorks.studio.jobs import Purpose
from PETWorks.studio.page import Form, computed, desk_of, error_text, form_of, language, page, see, studio
from PETWorks.studio.policy_file import PolicyFile
from PETWorks.studio.released_files import (
    ReleasedFiles,
    decided_otherwise,
    named_release,
    origin_of,
    releases_of,
    usual_name,
)
from PETWorks.studio.safe_settings import AGGREGATED, METHODS, WRITTEN_IN, Settings, settings_change, settings_of

MOST_BELOW = 1_000_000


async def show(request: Request) -> Response:
    """The settings, and the releases that were made before."""
    return await _page(request, await desk_of(request))


async def _page(request: Request, desk: Desk, mistake: PETWorksError | None = None) -> Response:
    form = await form_of(request) if mistake is not None else Form(b"")
    wanted = form.text("release") or usual_name(desk.policy)
    files = _target(desk, wanted)
    settings, lacking, made, lost = await computed(_state, desk, files)
    if mistake is not None:
        settings = settings.typed(form)
    return page(
        request,
        "safe",
        desk,
        200 if mistake is None else 400,
        mistake=None if mistake is None else error_text(mistake, request),
        seen=desk.file.digest,
        settings=settings,
        lacking=lacking,
        objectives=[(one, measure_summary(one, language(request))) for one in OBJECTIVES],
        aggregates=AGGREGATED,
        methods=METHODS,
        orders=WRITTEN_IN,
        suppressed_records=SUPPRESSED_RECORDS,
        release=wanted,
        target=files.release.name,
        releases=made,
        lost=lost,
        is_unfinished=files.unfinished.exists(),
        varied=_thresholds(desk),
        origin=await computed(origin_link, request, desk),
        command=command_line(["petworks", *arguments_of(request, desk, files)]),
    )


def _target(desk: Desk, wanted: str) -> ReleasedFiles:
    """The release that is to be made; the usual one if there is a mistake in its name."""
    try:
        return named_release(desk.file.path, wanted)
    except PETWorksError:
        return ReleasedFiles(desk.file.path.with_name(usual_name(desk.policy)))


def _state(desk: Desk, files: ReleasedFiles) -> tuple[Settings, list[str], list[ReleasedFiles], list[str]]:
    columns, heights = _columns(desk)
    lacking = [column for column in columns if column not in heights]
    lost = decided_otherwise(desk.policy, files)
    return settings_of(desk.policy.anonymize, columns, heights), lacking, releases_of(desk.policy), lost


def _columns(desk: Desk) -> tuple[Sequence[str], dict[str, int]]:
    """The quasi-identifiers, and the highest level of those that have a hierarchy."""
    release = desk.release
    return release.quasi_identifiers, {name: one.height for name, one in release.hierarchies.items()}


def _thresholds(desk: Desk) -> list[tuple[str, str, Any]]:
    """The thresholds of the rules that a frontier can vary: the measure, the parameter and the value."""
    rules = [rule for rule in desk.policy.rules if rule.measure is not None]
    names = [rule.measure.name for rule in rules if rule.measure is not None]
    return [
        (rule.measure.name, name, rule.parameters[name])
        for rule in rules
        if rule.measure is not None and names.count(rule.measure.name) == 1
        for name, one in rule.measure.parameters.items()
        if isinstance(one.rule, Number) and one.rule.limit and rule.parameters.get(name) is not None
    ]


async def run(request: Request) -> Response:
    """Save the settings, and start the search."""
    desk, form = await desk_of(request), await form_of(request)
    try:
        return await computed(_run, request, desk, form)
    except PETWorksError as error:
        return await _page(request, desk, error)


def _run(request: Request, desk: Desk, form: Form) -> Response:
    columns, heights = _columns(desk)
    desk.file.change(settings_change(form, columns, heights, desk.policy.anonymize), form.text("seen") or None)
    if form.text("do") == "save":
        return see(request, "/safe", desk)
    if form.text("do") == "frontier":
        return _start_frontier(request, desk, form)
    files = named_release(desk.file.path, form.text("release"))
    more = [*(["--resume"] if form.text("unfinished") == "resume" else []), *_reasons(request, files, form)]
    if form.text("unfinished") == "over":
        files.unfinished.unlink(missing_ok=True)
    return _start(request, desk, files, more)


def _reasons(request: Request, files: ReleasedFiles, form: Form) -> list[str]:
    """The options for a file of reasons, if it is wanted."""
    if not form.text("reasons"):
        return []
    below = form.text("below")
    if below and not (below.isdecimal() and 2 <= int(below[:9]) <= MOST_BELOW):
        raise InputError("the class size of the reasons is a whole number from 2 to {most:,}", most=MOST_BELOW)
    named = studio(request).workspace.argument(files.reasons)
    return ["--reasons", named, *(["--below", below] if below else [])]


def arguments_of(request: Request, desk: Desk, files: ReleasedFiles) -> list[str]:
    """The command that makes a release, as anybody could type it."""
    named = studio(request).workspace.argument
    lang = language(request)
    return [
        *("anonymize", named(desk.file.path), "-o", named(files.release)),
        *("--html", named(files.report), "--json", named(files.result), "--explain", "--format", "json"),
        *(() if lang == ENGLISH else ("--lang", lang)),
    ]


def origin_link(request: Request, desk: Desk) -> str | None:
    """The policy that the release was made with, as pages name it; None if the table is no release."""
    origin = origin_of(desk.policy)
    return None if origin is None else studio(request).workspace.relative(origin)


def _start(request: Request, desk: Desk, files: ReleasedFiles, more: Sequence[str]) -> Response:
    """Start the search for a release. What was decided about an earlier one of this name can be undone to."""
    before = PolicyFile(files.policy)
    if files.policy.exists() and before.versions:
        before.keep()
    purpose = Purpose(desk.file.path, "safe", "/safe/result", {"release": files.release.name}, can_stop=True)
    arguments = (*arguments_of(request, desk, files), *more)
    return follow(studio(request).jobs.start(*arguments, purpose=purpose, lang=language(request)), request)


async def choose(request: Request) -> Response:
    """Make a release on other levels, or with another threshold and limit, than the search chose."""
    desk, form = await desk_of(request), await form_of(request)
    return await computed(_choose, request, desk, form)


def _choose(request: Request, desk: Desk, form: Form) -> Response:
    files = named_release(desk.file.path, form.text("release"))
    files.unfinished.unlink(missing_ok=True)  # of other levels
    more = [f"--suppression={_share(form.text('suppression'))}"] if form.text("suppression") else []
    if form.text("threshold"):
        known = {f"{measure}:{parameter}" for measure, parameter, _ in _thresholds(desk)}
        name, _, value = form.text("threshold").rpartition("=")
        if name not in known:
            raise InputError("no rule of the policy has such a threshold; compute the frontier again")
        more.append(f"--threshold={name}={_number(value)}")
    if form.text("levels"):
        facts = files.read().anonymization
        levels = form.text("levels").split(",")
        columns = () if facts is None else facts.columns
        if len(levels) != len(columns) or not all(level.isdecimal() for level in levels):
            raise InputError("the release was made anew meanwhile; look at its levels again")
        more += [f"--level={one.column}={level}" for one, level in zip(columns, levels, strict=True)]
    return _start(request, desk, files, more)


def _share(text: str) -> str:
    number = _number(text)
    if not 0 <= float(number) <= 1:
        raise InputError("the suppression limit is a share of the records, from 0 to 1")
    return number


def _number(text: str) -> str:
    """A number as a form has it, for a command."""
    try:
        float(text)
    except ValueError:
        raise InputError("expected a number") from None
    return text


def _start_frontier(request: Request, desk: Desk, form: Form) -> Response:
    """Start the search for what other thresholds and limits would cost."""
    vary = []
    if form.text("limits"):
        shares = [float(_number(one.strip())) / 100 for one in form.text("limits").split(",")]
        vary.append(f"--vary=suppression={','.join(format(share, '.10g') for share in shares)}")
    values = form.text("values")
    if values:
        known = {f"{measure}:{parameter}" for measure, parameter, _ in _thresholds(desk)}
        if form.text("varied") not in known:
            raise InputError("no rule of the policy has such a threshold")
        numbers = [_number(one.strip()) for one in values.split(",")]
        vary.append(f"--vary={form.text('varied')}={','.join(numbers)}")
    release = named_release(desk.file.path, form.text("release")).release.name
    purpose = Purpose(desk.file.path, "safe", "/safe/frontier", {"release": release})
    policy = studio(request).workspace.argument(desk.file.path)
    arguments = ["anonymize", policy, "--frontier", *vary, "--format", "json"]
    return follow(studio(request).jobs.start(*arguments, purpose=purpose, lang=language(request)), request)


async def frontier(request: Request) -> Response:
    """What other thresholds and limits would cost; each point can be chosen."""
    desk = await desk_of(request)
    job = studio(request).jobs.of(request.query_params.get("job", ""))
    found = job.result
    if not isinstance(found, dict) or "frontier" not in found:
        raise InputError("this job has not found a frontier; start it again in the step Make it safe")
    facts, lang = FrontierFacts.from_dict(found["frontier"]), language(request)
    sign = 1 if facts.larger_is_stricter else -1
    return page(
        request,
        "safe_frontier",
        desk,
        nav_step="safe",
        facts=facts,
        chart=charts.frontier(facts) if facts.points else None,
        texts=anonymization.frontier_texts(facts, lang),
        heads=anonymization.frontier_heads(facts, lang),
        rows=list(zip(facts.points, anonymization.frontier_rows(facts, lang), strict=True)),
        is_looser=lambda point: facts.threshold is not None and sign * point.threshold < sign * facts.threshold,
        is_own=lambda point: (point.threshold, point.suppression) == (facts.threshold, facts.suppression),
        release=request.query_params.get("release") or usual_name(desk.policy),
        command=job.command,
    )


async def adopt(request: Request) -> Response:
    """Take over what was decided about a release into the policy that it is made with."""
    desk, form = await desk_of(request), await form_of(request)
    await computed(_adopt, desk, form)
    return see(request, "/safe", desk)


def _adopt(desk: Desk, form: Form) -> None:
    files = named_release(desk.file.path, form.text("release"))
    keys = decided_otherwise(desk.policy, files)
    decided = read_policy(files.policy).file.content

    def change(document: Any) -> None:
        for key in keys:
            document[key] = decided[key]

    desk.file.change(change, form.text("seen") or None)


ROUTES = [
    Route("/safe", show),
    Route("/safe/run", run, methods=["POST"]),
    Route("/safe/choose", choose, methods=["POST"]),
    Route("/safe/frontier", frontier),
    Route("/safe/adopt", adopt, methods=["POST"]),
]
