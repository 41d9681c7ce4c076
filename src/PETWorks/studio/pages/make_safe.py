"""Make it safe: how a release is to be made, the search for it, and what other rules would cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.about.protection import protect_as_text, protect_from_text, protections_of
from PETWorks.anonymizer.objectives import AGGREGATES, OBJECTIVES
from PETWorks.anonymizer.problem import SUPPRESSED_RECORDS
from PETWorks.errors import InputError, PETWorksError, Phrase, printable
from PETWorks.gate.anonymising import seconds_given
from PETWorks.gate.document.anonymization_document import FrontierFacts
from PETWorks.gate.policy.policy import read_policy
from PETWorks.measures.parameters import Number, parse_number
from PETWorks.render.charts import charts
from PETWorks.render.languages import ENGLISH
from PETWorks.render.report import making
from PETWorks.render.terminal import command_line
from PETWorks.studio.files.policy_file import Change, PolicyFile
from PETWorks.studio.files.released_files import (
    ReleasedFiles,
    decided_otherwise,
    named_release,
    origin_of,
    releases_of,
    usual_name,
)
from PETWorks.studio.pages.page import Form, computed, desk_of, error_text, form_of, language, page, see, studio
from PETWorks.studio.pages.running import follow
from PETWorks.studio.server.case import Desk
from PETWorks.studio.server.jobs import Purpose

METHODS = ("global", "local")
AGGREGATED = tuple(AGGREGATES)
WRITTEN_IN = ("shuffled", "original")  # the order of the records
MOST_COLUMNS = 100
SECTION = "anonymize"
FIELDS = {
    "suppression": Phrase("suppression"),
    "minutes": Phrase("minutes"),
    "weight": Phrase("weight"),
    "low": Phrase("low"),
    "high": Phrase("high"),
    "method": Phrase("method"),
    "objective": Phrase("objective"),
    "aggregate": Phrase("aggregate"),
    "order": Phrase("order"),
    "suppressed_records": Phrase("suppressed records"),
}  # what errors call the fields of the form


TYPED = ("suppression", "suppressed_records", "method", "objective", "aggregate", "order", "minutes", "protect")


@dataclass(frozen=True)
class ColumnSetting:
    """The importance of a column, and the levels that it may have; empty texts where nothing is said."""

    column: str
    height: int | None
    weight: str
    low: str
    high: str


@dataclass(frozen=True)
class Settings:
    """What the form shows."""

    suppression: str  # per cent
    suppressed_records: str
    method: str
    objective: str
    aggregate: str
    order: str
    minutes: str
    protect: str  # columns with coarser values, separated by semicolons
    columns: tuple[ColumnSetting, ...]

    def typed(self, form: Form) -> "Settings":
        """The same with what the user has typed, which has a mistake."""
        columns = (
            replace(one, weight=form.text(f"weight-{at}"), low=form.text(f"low-{at}"), high=form.text(f"high-{at}"))
            for at, one in enumerate(self.columns)
        )
        given = {name: form.text(name) for name in TYPED}
        return Settings(**given, columns=tuple(columns))

    @property
    def is_bounded(self) -> bool:
        """Whether anything is said about single columns."""
        return any(one.weight or one.low or one.high for one in self.columns)


def settings_of(section: Mapping[str, Any], columns: Sequence[str], heights: Mapping[str, int]) -> Settings:
    """The settings that a policy has."""
    share, seconds = parse_number(section.get("suppression", 0)), seconds_given(section.get("time", ""))
    weights, levels = section.get("weights", {}), section.get("levels", {})
    return Settings(
        suppression=_written(Decimal(str(share or 0)) * 100),
        suppressed_records=str(section.get("suppressed_records", SUPPRESSED_RECORDS[0])),
        method=str(section.get("method", METHODS[0])),
        objective=str(section.get("objective", OBJECTIVES[0])),
        aggregate=str(section.get("aggregate", AGGREGATED[0])),
        order=str(section.get("order", WRITTEN_IN[0])),
        minutes="" if seconds is None else _written(Decimal(str(seconds)) / 60),
        protect="; ".join(protect_as_text(section.get("protect") or {})),
        columns=tuple(
            ColumnSetting(column, heights.get(column), str(weights.get(column, "")), *_bounds(levels.get(column)))
            for column in columns[:MOST_COLUMNS]
        ),
    )


def _bounds(given: Any) -> tuple[str, str]:
    """The lowest and the highest level, as the policy says them."""
    if given is None:
        return "", ""
    if isinstance(given, Mapping):
        return str(given.get("at_least", "")), str(given.get("at_most", ""))
    if isinstance(given, str) and "-" in given:
        low, _, high = given.partition("-")
        return low.strip(), high.strip()
    low, high = given if isinstance(given, list | tuple) else (given, given)
    return str(low), str(high)


def settings_change(form: Form, columns: Sequence[str], heights: Mapping[str, int], seen: Mapping[str, Any]) -> Change:
    """What a form changes in a policy: only what is not said there already; what is usual is left out."""
    old = settings_of(seen, columns, heights)
    shown = {one.column: one for one in old.columns}
    share, minutes = _number(form, "suppression", 0, 100), _number(form, "minutes", 0, 60 * 24 * 365)
    method, objective = _choice(form, "method", METHODS), _choice(form, "objective", OBJECTIVES)
    aggregate = _choice(form, "aggregate", AGGREGATED) if objective == "granularity" else AGGREGATED[0]
    order, kept = _choice(form, "order", WRITTEN_IN), _choice(form, "suppressed_records", SUPPRESSED_RECORDS)
    values: dict[str, Any] = {
        "suppression": None if not share else float(share / 100),
        "suppressed_records": None if kept == SUPPRESSED_RECORDS[0] else kept,
        "method": None if method == METHODS[0] else method,
        "objective": None if objective == OBJECTIVES[0] else objective,
        "aggregate": None if aggregate == AGGREGATED[0] else aggregate,
        "order": None if order == WRITTEN_IN[0] else order,
        "time": f"{_written(minutes)}m" if minutes else None,
        "protect": _protect(form.text("protect")) or None,
    }
    same = {
        "suppression": _written(share or Decimal(0)) == old.suppression,
        "suppressed_records": kept == old.suppressed_records,
        "method": method == old.method,
        "objective": objective == old.objective,
        "aggregate": aggregate == old.aggregate,
        "order": order == old.order,
        "time": _written(minutes or Decimal(0)) == (old.minutes or "0"),
        "protect": "protect" not in form.fields or form.text("protect") == old.protect,
    }
    weights, levels = dict[str, Any](), dict[str, Any]()
    for place, (column, one) in enumerate(shown.items()):
        weight = _number(form, f"weight-{place}", 0, None)
        low, high = (_number(form, f"{end}-{place}", 0, one.height) for end in ("low", "high"))
        if low is not None and high is not None and low > high:
            raise InputError("column {column!r}: the lowest level is above the highest one", column=printable(column))
        if ("" if weight is None else _written(weight)) != one.weight:
            weights[column] = None if weight is None else _plain(weight)
        if ("" if low is None else _written(low), "" if high is None else _written(high)) != (one.low, one.high):
            levels[column] = _level(low, high)

    def change(document: Any) -> None:
        section = document.get(SECTION)
        if not isinstance(section, dict):
            section = {}
        for key, value in values.items():
            if not same[key]:
                _set(section, key, value)
        for key, changed in (("weights", weights), ("levels", levels)):
            inner = section.get(key)
            inner = inner if isinstance(inner, dict) else {}
            for column, value in changed.items():
                _set(inner, column, value)
            _set(section, key, inner or None)
        if section and document.get(SECTION) is not section:
            document[SECTION] = section
        elif not section:
            document.pop(SECTION, None)

    return change


def _protect(text: str) -> dict[str, Any]:
    """Columns with coarser values; an error if one of them cannot be understood."""
    declared = protect_from_text(filter(None, (part.strip() for part in text.split(";"))))
    protections_of(declared)
    return declared


def _level(low: Decimal | None, high: Decimal | None) -> Any:
    """Levels as a policy says them."""
    if low is not None and low == high:
        return int(low)
    bounds = {"at_least": None if low is None else int(low), "at_most": None if high is None else int(high)}
    return {name: level for name, level in bounds.items() if level is not None} or None


def _set(section: Any, key: str, value: Any) -> None:
    """Set a key, or remove it; one that stays as it is keeps its comment."""
    if value is None:
        section.pop(key, None)
    elif section.get(key) is not value:
        section[key] = value


def _number(form: Form, field: str, lowest: int, highest: int | None) -> Decimal | None:
    """A number of a field; None if it is empty."""
    text = form.text(field)
    if not text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    whole = not field.startswith(("low", "high")) or (number.is_finite() and number == number.to_integral_value())
    if not number.is_finite() or not whole or number < lowest or (highest is not None and number > highest):
        kind, given = FIELDS[field.partition("-")[0]], printable(text)[:40]
        if highest is None:
            raise InputError(
                "{field}: expected a number at least {lowest}, got {given!r}", field=kind, lowest=lowest, given=given
            )
        raise InputError(
            "{field}: expected a number from {lowest} to {highest}, got {given!r}",
            field=kind,
            lowest=lowest,
            highest=highest,
            given=given,
        )
    return number


def _choice(form: Form, field: str, known: Sequence[str]) -> str:
    value = form.text(field) or known[0]
    if value not in known:
        raise InputError("{field} is one of {known}", field=FIELDS[field], known=", ".join(known))
    return value


def _written(number: Decimal) -> str:
    """A number without needless zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


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
        objectives=OBJECTIVES,
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
        more.append(f"--threshold={name}={_number_for_command(value)}")
    if form.text("levels"):
        facts = files.read().anonymization
        levels = form.text("levels").split(",")
        columns = () if facts is None else facts.columns
        if len(levels) != len(columns) or not all(level.isdecimal() for level in levels):
            raise InputError("the release was made anew meanwhile; look at its levels again")
        more += [f"--level={one.column}={level}" for one, level in zip(columns, levels, strict=True)]
    return _start(request, desk, files, more)


def _share(text: str) -> str:
    number = _number_for_command(text)
    if not 0 <= float(number) <= 1:
        raise InputError("the suppression limit is a share of the records, from 0 to 1")
    return number


def _number_for_command(text: str) -> str:
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
        shares = [float(_number_for_command(one.strip())) / 100 for one in form.text("limits").split(",")]
        vary.append(f"--vary=suppression={','.join(format(share, '.10g') for share in shares)}")
    values = form.text("values")
    if values:
        known = {f"{measure}:{parameter}" for measure, parameter, _ in _thresholds(desk)}
        if form.text("varied") not in known:
            raise InputError("no rule of the policy has such a threshold")
        numbers = [_number_for_command(one.strip()) for one in values.split(",")]
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
        texts=making.frontier_texts(facts, lang),
        heads=making.frontier_heads(facts, lang),
        rows=list(zip(facts.points, making.frontier_rows(facts, lang), strict=True)),
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
