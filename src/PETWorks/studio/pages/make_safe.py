"""Make it safe: settings of a release, the search for it, the cost of other thresholds, and its result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from msgspec import structs
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from PETWorks.about.protection import protect_as_text, protect_from_text, protections_of
from PETWorks.about.treatment import INTERVAL, SUPPRESSED_RECORDS
from PETWorks.anonymizer.anonymization_facts import AnonymizationFacts, FrontierFacts
from PETWorks.anonymizer.objectives import AGGREGATES, OBJECTIVES
from PETWorks.anonymizer.problem import ALL, METHODS
from PETWorks.counting.release import Release
from PETWorks.errors import InputError, ParameterError, PETWorksError, Phrase, printable, quoted
from PETWorks.gate.anonymising import parse_seconds
from PETWorks.gate.check.may_go_out import Obstacle, find_current_obstacle, find_obstacle
from PETWorks.gate.document import CheckFile
from PETWorks.gate.example_rows import ExampleRows
from PETWorks.gate.policy.policy import read_policy
from PETWorks.gate.release_files import (
    ReleaseFiles,
    default_name,
    lost_decisions,
    origin_of,
    release_named,
    releases_of,
)
from PETWorks.gate.suggest.protection_proposal import coarse_roundings
from PETWorks.locale import ENGLISH
from PETWorks.measures.parameters import Number, parse_number
from PETWorks.measures.utility.models import check_model_columns, parse_models
from PETWorks.render.charts import charts
from PETWorks.render.report import making, prose
from PETWorks.render.report.sections import model_texts
from PETWorks.studio.files.policy_file import Change, ConflictError, PolicyFile, number_or_text, set_in
from PETWorks.studio.files.workspace import free_name
from PETWorks.studio.pages.job import start_job
from PETWorks.studio.pages.page import (
    REPORT_POLICY,
    Fields,
    Form,
    Routes,
    flow_of,
    language,
    link,
    obstacle_text,
    page,
    page_notices,
    petworks_command,
    policy_argument,
    redirect,
    studio,
)
from PETWorks.studio.server.jobs import Job, Purpose
from PETWorks.studio.server.open_case import LastVerdict, OpenCase, last_verdict
from PETWorks.tables.cells import SUPPRESSED

ROUTES = Routes()

ORDERS = ("shuffled", "original")  # the order of the records
SHOW = ("", INTERVAL, "columns")  # means and medians record by record, intervals, or as the policy says by column
KEPT = ("", "keep", "may_lose")  # whether a column is kept: if that costs little, in any case, or it may be lost
BOUNDS = ("exactly", "at_least", "at_most")
MAX_COLUMNS = 100
SECTION = "anonymize"
# The settings that are one of several words, with the default first.
CHOICES: dict[str, Sequence[str]] = {
    "suppressed_records": SUPPRESSED_RECORDS,
    "method": METHODS,
    "objective": OBJECTIVES,
    "aggregate": tuple(AGGREGATES),
    "order": ORDERS,
    "show": SHOW,
}
# What errors call the fields of the form.
FIELD_NAMES = {
    "suppression": Phrase("suppression"),
    "minutes": Phrase("minutes"),
    "weight": Phrase("weight"),
    "low": Phrase("low"),
    "high": Phrase("high"),
    "method": Phrase("method"),
    "objective": Phrase("objective"),
    "aggregate": Phrase("aggregate"),
    "order": Phrase("order"),
    "show": Phrase("what classes show"),
    "suppressed_records": Phrase("suppressed records"),
    "kept": Phrase("whether a column is kept"),
}


@dataclass(frozen=True)
class ColumnSetting:
    """The weight of a column, the levels that it may have, and whether it is kept; empty texts where nothing is set."""

    column: str
    height: int | None
    weight: str
    low: str
    high: str
    kept: str

    @property
    def is_set(self) -> bool:
        """Whether anything is set for the column."""
        return bool(self.weight or self.low or self.high or self.kept)


def settings_of(section: Mapping[str, Any]) -> dict[str, str]:
    """The content of the fields, by the section `anonymize` of a policy."""
    share, seconds = parse_number(section.get("suppression", 0)), parse_seconds(section.get("time", ""))
    section = {**section, "show": SHOW[2]} if isinstance(section.get("show"), Mapping) else section
    return {
        "suppression": _as_text(Decimal(str(share or 0)) * 100),  # per cent
        "minutes": "" if seconds is None else _as_text(Decimal(str(seconds)) / 60),
        "protect": "; ".join(protect_as_text(section.get("protect") or {})),  # columns with coarser values
        **{field: str(section.get(field, known[0])) for field, known in CHOICES.items()},
    }


def column_settings(
    section: Mapping[str, Any], columns: Sequence[str], heights: Mapping[str, int]
) -> Iterator[ColumnSetting]:
    """The content of the fields of each column."""
    weights, levels = section.get("weights", {}), section.get("levels", {})
    keep, may_lose = section.get("keep") or [], section.get("may_lose") or []
    for column in columns:
        may_be_lost = may_lose == ALL or column in may_lose
        kept = KEPT[1] if column in keep else KEPT[2] if may_be_lost else KEPT[0]
        low, high = bounds_of(levels.get(column))
        yield ColumnSetting(column, heights.get(column), str(weights.get(column, "")), low, high, kept)


def bounds_of(bounds: Any) -> tuple[str, str]:
    """The lowest and the highest level, as texts; empty where there is no bound."""
    if bounds is None:
        return "", ""
    if isinstance(bounds, Mapping):
        return str(bounds.get("at_least", "")), str(bounds.get("at_most", ""))
    if isinstance(bounds, str) and "-" in bounds:
        low, _, high = bounds.partition("-")
        return low.strip(), high.strip()
    low, high = bounds if isinstance(bounds, list | tuple) else (bounds, bounds)
    return str(low), str(high)


def change_settings(
    form: Form, section: Mapping[str, Any], columns: Sequence[str], heights: Mapping[str, int]
) -> Change:
    """Return the change of the policy that a form asks for: only edited fields count, and defaults are left out."""
    shown = settings_of(section)
    typed = {field: form.text(field) for field in shown if field in form.fields}
    if typed.get("objective", shown["objective"]) != "granularity":
        typed["aggregate"] = CHOICES["aggregate"][0]
    changes: dict[tuple[str, ...], Any] = {
        ("time" if field == "minutes" else field,): _setting(field, text)
        for field, text in typed.items()
        if text != shown[field]
    }
    changes |= _column_changes(Fields(form, ENGLISH), list(column_settings(section, columns, heights)))

    def change(document: Any) -> None:
        for path, value in changes.items():
            set_in(document, (SECTION, *path), value)

    return change


def change_models(form: Form, columns: Sequence[str]) -> Change:
    """Return the change of the regressions that a form asks for: some are removed, and one may be new."""
    names = {str(index): name for index, name in enumerate(columns)}
    outcome, on = names.get(form.text("outcome"), ""), [names.get(index, "") for index in form.texts("on")]
    new = [{"outcome": outcome, "on": on, **({"log": True} if form.text("log") else {})}] if outcome or on else []
    if on and not outcome:
        raise InputError("choose the outcome that the columns explain")
    check_model_columns(parse_models(new), columns)

    def change(document: Any) -> None:
        old = document.get("models") or []
        kept = [model for index, model in enumerate(old) if not form.text(f"model-{index}-remove")]
        if new or len(kept) < len(old):
            set_in(document, ("models",), [*kept, *new] or None)

    return change


def _setting(field: str, text: str) -> Any:
    """The value in the policy for the content of a field; None if it is the default."""
    if field in CHOICES:
        chosen, known = _choice(field, text, CHOICES[field]), CHOICES[field]
        return None if chosen == known[0] and field != "method" else chosen  # the default method depends on the policy
    if field == "protect":
        declared = protect_from_text(filter(None, (part.strip() for part in text.split(";"))))
        protections_of(declared)  # raises if one of them cannot be understood
        return declared or None
    number = _number(field, text, 0, 100 if field == "suppression" else 60 * 24 * 365)
    if not number:
        return None
    return float(number / 100) if field == "suppression" else f"{_as_text(number)}m"


def _column_changes(fields: Fields, columns: Sequence[ColumnSetting]) -> dict[tuple[str, ...], Any]:
    """The changes of the settings of single columns, by their place in the section."""
    weights, levels, kept = dict[tuple[str, ...], Any](), dict[tuple[str, ...], Any](), dict[str, str]()
    for at, old in enumerate(columns):
        weight, low, high = (fields.text(f"{name}-{at}", getattr(old, name)) for name in ("weight", "low", "high"))
        if weight != old.weight:
            number = _number("weight", weight, 0, None)
            weights["weights", old.column] = None if number is None else number_or_text(_as_text(number))
        if (low, high) != (old.low, old.high):
            levels["levels", old.column] = _levels(low, high, old)
        kept[old.column] = _choice("kept", fields.text(f"kept-{at}", old.kept), KEPT)
    is_changed = list(kept.values()) != [old.kept for old in columns]
    lists: dict[tuple[str, ...], Any] = {
        (key,): [column for column, choice in kept.items() if choice == key] or None for key in KEPT[1:]
    }
    return {**weights, **levels, **(lists if is_changed else {})}


def _levels(low: str, high: str, column: ColumnSetting) -> Any:
    """The levels of a column as a policy declares them; None if there are no bounds."""
    first, last = (_number(field, text, 0, column.height) for field, text in (("low", low), ("high", high)))
    if first is not None and last is not None and first > last:
        name = printable(column.column)
        raise InputError("column {column!r}: the lowest level is above the highest one", column=name)
    if first is not None and first == last:
        return int(first)
    bounds = {name: int(level) for name, level in (("at_least", first), ("at_most", last)) if level is not None}
    return bounds or None


def _number(field: str, text: str, lowest: int, highest: int | None) -> Decimal | None:
    """The number in a field; None if the field is empty."""
    if not text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    is_whole = field not in ("low", "high") or (number.is_finite() and number == number.to_integral_value())
    if number.is_finite() and is_whole and lowest <= number and (highest is None or number <= highest):
        return number
    values: dict[str, Any] = {"field": FIELD_NAMES[field], "lowest": lowest, "given": printable(text)[:40]}
    if highest is None:
        raise InputError("{field}: expected a number at least {lowest}, got {given!r}", **values)
    raise InputError("{field}: expected a number from {lowest} to {highest}, got {given!r}", highest=highest, **values)


def _choice(field: str, text: str, known: Sequence[str]) -> str:
    value = text or known[0]
    if value not in known:
        raise InputError("{field} is one of {known}", field=FIELD_NAMES[field], known=", ".join(filter(None, known)))
    return value


def _as_text(number: Decimal) -> str:
    """A number without trailing zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


MAX_BELOW = 1_000_000


@ROUTES.get("/safe")
def show(request: Request, case: OpenCase, form: Form) -> Response:
    """The settings, and the releases that were made before."""
    return _page(request, case, form)


def _page(request: Request, case: OpenCase, form: Form, mistake: PETWorksError | None = None) -> Response:
    usual = default_name(case.policy)
    is_unfinished = ReleaseFiles(case.file.path.with_name(usual)).unfinished.exists()
    wanted = form.text("release") or (usual if is_unfinished else free_release(case.file.path, usual))
    files, flow = _target(case, wanted), flow_of(case.policy)
    columns, heights = _columns(case)
    section, fields = _section(case), Fields(None if mistake is None else form, language(request))
    carried = chosen_levels(form, case.release.columns, heights)
    earlier = None if flow.release is None else _of_policy(flow.release)
    return page(
        request,
        "safe",
        case,
        mistake=mistake,
        fields=fields,
        settings={field: fields.text(field, text) for field, text in settings_of(section).items()},
        columns=list(column_settings(section, columns, heights))[:MAX_COLUMNS],
        lacking=[column for column in columns if column not in heights],
        carried=[(case.release.columns.index(name), name, level) for name, level in carried.items() if level],
        bounds=BOUNDS,
        choices=CHOICES,
        kept=KEPT,
        models=case.policy.models,
        is_model_wrong=isinstance(mistake, ParameterError) and (mistake.what or "").startswith("models"),
        released=released_columns(case)[:MAX_COLUMNS],
        release=wanted,
        is_there=files.release.exists(),
        releases=[_made(request, files) for files in releases_of(case.policy)],
        lost=[] if earlier is None else lost_decisions(case.policy, earlier),
        earlier="" if earlier is None else earlier.release.name,
        is_unfinished=files.unfinished.exists(),
        varied=_thresholds(case),
        origin=origin_link(request, case),
        command=petworks_command(*anonymize_arguments(request, case, files)),
    )


def _made(request: Request, files: ReleaseFiles) -> tuple[ReleaseFiles, LastVerdict, AnonymizationFacts | None, str]:
    """A release in the list: its files, its last verdict, how it was made, and when."""
    facts = files.read().anonymization if files.result.exists() else None
    day = datetime.fromtimestamp(files.policy.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    return files, last_verdict(files.policy, studio(request).workspace.relative(files.policy)), facts, day


def chosen_levels(form: Form, columns: Sequence[str], heights: Mapping[str, int]) -> dict[str, int]:
    """The levels that were chosen in the step Levels, at most the highest ones; 0 where none was chosen."""
    texts = {name: form.text(f"level-{columns.index(name)}") for name in heights}
    levels = {name: int(text) if text.isdecimal() and len(text) < 7 else 0 for name, text in texts.items()}
    return {name: min(level, heights[name]) for name, level in levels.items()}


def form_levels(form: Form) -> dict[str, str]:
    """The fields of a form for the levels of columns, without those that say nothing."""
    return {f"level-{index}": level for index, level in form.with_prefix("level-").items() if level != "0"}


def free_release(policy: Path, name: str) -> str:
    """The name of a release that is not there yet: this one, or this one with a number."""

    def is_taken(name: str) -> bool:
        files = ReleaseFiles(policy.with_name(name))
        return files.release.exists() or files.policy.exists()

    return free_name(name, Path(name).suffix, is_taken)


def new_release(case: OpenCase, form: Form) -> ReleaseFiles:
    """The release that a form names; raise if it is there already, unless it is to be replaced."""
    files = release_named(case.file.path, form.text("release"))
    if files.release.exists() and not (form.text("replace") or form.text("unfinished")):
        raise InputError(
            "{file!r} is there already; give the release another name, or choose to replace it", file=files.release.name
        )
    return files


def _target(case: OpenCase, wanted: str) -> ReleaseFiles:
    """The release to be made; the one with the default name if the name is not valid."""
    try:
        return release_named(case.file.path, wanted)
    except PETWorksError:
        return ReleaseFiles(case.file.path.with_name(default_name(case.policy)))


def _of_policy(path: Path) -> ReleaseFiles:
    """The release that a policy judges."""
    data = read_policy(path).data
    return ReleaseFiles(data if isinstance(data, Path) else path)


def _section(case: OpenCase) -> dict[str, Any]:
    """The section `anonymize` of the policy, with its method, which is not the same for all policies by default."""
    return {"method": case.policy.method, **case.policy.anonymize}


def _columns(case: OpenCase) -> tuple[Sequence[str], dict[str, int]]:
    """The quasi-identifiers, and the highest level of those that have a hierarchy."""
    release = case.release
    return release.quasi_identifiers, {name: hierarchy.height for name, hierarchy in release.hierarchies.items()}


def released_columns(case: OpenCase) -> list[str]:
    """The columns that a release has."""
    out = (*case.release.identifiers, case.policy.privacy_unit)
    return [name for name in case.release.columns if name not in out]


def _thresholds(case: OpenCase) -> list[tuple[str, str, Any]]:
    """The thresholds of the rules that a frontier can vary: measure, parameter and value."""
    measured = [(rule.measure, rule.parameters) for rule in case.policy.rules if rule.measure is not None]
    names = [measure.name for measure, _ in measured]
    return [
        (measure.name, name, given[name])
        for measure, given in measured
        if names.count(measure.name) == 1
        for name, parameter in measure.parameters.items()
        if isinstance(parameter.rule, Number) and parameter.rule.limit and given.get(name) is not None
    ]


@ROUTES.post("/safe/run")
def run(request: Request, case: OpenCase, form: Form) -> Response:
    """Save the settings, and start the search."""
    try:
        return _run(request, case, form)
    except ConflictError:
        raise
    except PETWorksError as error:
        return _page(
            request, studio(request).cases.of(case.file.path), form, error
        )  # the settings may have been saved before


def _run(request: Request, case: OpenCase, form: Form) -> Response:
    columns, heights = _columns(case)
    change, bound = change_settings(form, _section(case), columns, heights), form.text("bound")
    change_of_models = change_models(form, released_columns(case))
    if bound and bound not in BOUNDS:
        raise InputError("expected how the levels bound the search: exactly, at least or at most")
    levels = chosen_levels(form, case.release.columns, heights) if bound else {}

    def change_both(document: Any) -> None:
        change(document)
        change_of_models(document)
        for column, level in levels.items():
            if level:
                wanted = level if bound == "exactly" else {bound: level}
                is_limit = bound != "at_most" or level < heights[column]
                set_in(document, (SECTION, "levels", column), wanted if is_limit else None)

    files = new_release(case, form) if form.text("do") not in ("save", "frontier") else None
    case.file.change(change_both, form.text("seen") or None)
    if files is None:
        is_saved = form.text("do") == "save"
        return redirect(request, "/safe", case, saved="1") if is_saved else _start_frontier(request, case, form)
    options = [
        *(["--resume"] if form.text("unfinished") == "resume" and files.unfinished.exists() else []),
        *_reasons(request, files, form),
    ]
    if form.text("unfinished") == "over":
        files.unfinished.unlink(missing_ok=True)
    return _start(request, case, files, options)


def _reasons(request: Request, files: ReleaseFiles, form: Form) -> list[str]:
    """The command options for a file of reasons, if it is wanted."""
    if not form.text("reasons"):
        return []
    below = form.text("below")
    if below and not (below.isdecimal() and 2 <= int(below[:9]) <= MAX_BELOW):
        raise InputError("the class size of the reasons is a whole number from 2 to {most:,}", most=MAX_BELOW)
    path = studio(request).workspace.argument(files.reasons)
    return ["--reasons", path, *(["--below", below] if below else [])]


def anonymize_arguments(request: Request, case: OpenCase, files: ReleaseFiles) -> list[str]:
    """The arguments of the command that makes a release."""
    named = studio(request).workspace.argument
    lang = language(request)
    return [
        *("anonymize", policy_argument(request, case), "-o", named(files.release)),
        *("--html", named(files.report), "--json", named(files.result), "--explain", "--format", "json"),
        *(() if lang == ENGLISH else ("--lang", lang)),
    ]


def origin_link(request: Request, case: OpenCase) -> str | None:
    """The path of the policy that the release was made with, relative to the folder; None if this is no release."""
    origin = origin_of(case.policy)
    return None if origin is None else studio(request).workspace.relative(origin)


def _start(request: Request, case: OpenCase, files: ReleaseFiles, options: Sequence[str]) -> Response:
    """Start the search for a release. Decisions about an earlier release of this name are kept as a version."""
    old_policy = PolicyFile(files.policy)
    if files.policy.exists() and old_policy.versions:
        old_policy.keep_version()
    purpose = Purpose(case.file.path, "safe", "/safe/result", {"release": files.release.name}, can_stop=True)
    return start_job(request, purpose, *anonymize_arguments(request, case, files), *options)


@ROUTES.post("/safe/choose")
def choose(request: Request, case: OpenCase, form: Form) -> Response:
    """Make another release beside one: on other levels, with another threshold or limit, or keeping more columns."""
    files = release_named(case.file.path, form.text("release"))
    target = release_named(case.file.path, free_release(case.file.path, files.release.name))
    target.unfinished.unlink(missing_ok=True)  # of other levels
    options = [f"--suppression={_share(form.text('suppression'))}"] if form.text("suppression") else []
    if form.text("threshold"):
        known = {f"{measure}:{parameter}" for measure, parameter, _ in _thresholds(case)}
        name, _, value = form.text("threshold").rpartition("=")
        if name not in known:
            raise InputError("no rule of the policy has such a threshold; compute the frontier again")
        options.append(f"--threshold={name}={_number_for_command(value)}")
    if form.text("method"):
        options.append(f"--{_choice('method', form.text('method'), METHODS)}")
    if form.text("levels"):
        facts = files.read().anonymization
        levels = form.text("levels").split(",")
        columns = () if facts is None else facts.columns
        if len(levels) != len(columns) or not all(level.isdecimal() for level in levels):
            raise InputError("the release was made anew meanwhile; look at its levels again")
        options.append("--global")
        options += [f"--level={fact.column}={level}" for fact, level in zip(columns, levels, strict=True)]
    known_columns = case.release.quasi_identifiers
    if not set(form.texts("keep")) <= set(known_columns):
        raise InputError("the form names a column that the table does not have; look at the page again")
    options += [f"--keep={column}" for column in form.texts("keep")]
    return _start(request, case, target, options)


def _share(text: str) -> str:
    number = _number_for_command(text)
    if not 0 <= float(number) <= 1:
        raise InputError("the suppression limit is a share of the records, from 0 to 1")
    return number


def _number_for_command(text: str) -> str:
    """Return a number from a form unchanged, for a command; raise if it is none."""
    try:
        float(text)
    except ValueError:
        raise InputError("expected a number") from None
    return text


def _start_frontier(request: Request, case: OpenCase, form: Form) -> Response:
    """Start the search for the cost of other thresholds and limits."""
    vary = []
    if form.text("limits"):
        shares = [float(_number_for_command(text.strip())) / 100 for text in form.text("limits").split(",")]
        vary.append(f"--vary=suppression={','.join(format(share, '.10g') for share in shares)}")
    values = form.text("values")
    if values:
        known = {f"{measure}:{parameter}" for measure, parameter, _ in _thresholds(case)}
        if form.text("varied") not in known:
            raise InputError("no rule of the policy has such a threshold")
        numbers = [_number_for_command(text.strip()) for text in values.split(",")]
        vary.append(f"--vary={form.text('varied')}={','.join(numbers)}")
    release = release_named(case.file.path, form.text("release")).release.name
    purpose = Purpose(case.file.path, "safe", "/safe/frontier", {"release": release})
    policy = policy_argument(request, case)
    return start_job(request, purpose, "anonymize", policy, "--frontier", *vary, "--format", "json")


@ROUTES.post("/safe/protect")
def protect(request: Request, case: OpenCase, form: Form) -> Response:
    """Make the exact values of a column coarser in the releases to come."""
    wanted = protect_from_text([form.text("protect")])
    if not set(wanted) <= set(case.release.columns):
        raise InputError("the form names a column that the table does not have; look at the page again")

    def change(document: Any) -> None:
        for column, words in wanted.items():
            set_in(document, (SECTION, "protect", column), words)

    case.file.change(change)
    return redirect(request, "/safe", case, saved="1")


@ROUTES.get("/safe/frontier")
def frontier(request: Request, case: OpenCase) -> Response:
    """The cost of other thresholds and limits; each point can be chosen."""
    job = studio(request).jobs.of(request.query_params.get("job", ""))
    found = job.result
    if not isinstance(found, dict) or "frontier" not in found:
        raise InputError("this job has not found a frontier; start it again in the step Make it safe")
    facts, lang = FrontierFacts.from_dict(found["frontier"]), language(request)
    sign = 1 if facts.larger_is_stricter else -1
    return page(
        request,
        "safe_frontier",
        case,
        nav_step="safe",
        facts=facts,
        chart=charts.frontier_chart(facts) if facts.points else None,
        texts=making.frontier_texts(facts, lang),
        heads=making.frontier_heads(facts, lang),
        rows=list(zip(facts.points, making.frontier_rows(facts, lang), strict=True)),
        is_looser=lambda point: facts.threshold is not None and sign * point.threshold < sign * facts.threshold,
        is_own=lambda point: (point.threshold, point.suppression) == (facts.threshold, facts.suppression),
        release=request.query_params.get("release") or default_name(case.policy),
        command=job.command,
    )


@ROUTES.post("/safe/adopt")
def adopt(request: Request, case: OpenCase, form: Form) -> Response:
    """Copy the decisions about a release into the policy that it is made with."""
    files = release_named(case.file.path, form.text("release"))
    keys = lost_decisions(case.policy, files)
    decided = read_policy(files.policy).file.content

    def change(document: Any) -> None:
        for key in keys:
            document[key] = decided[key]

    case.file.change(change, form.text("seen") or None)
    return redirect(request, "/safe", case, **form_levels(form))


MAX_RULES = 50


@ROUTES.get("/safe/result")
def show_result(request: Request, case: OpenCase) -> Response:
    """The table before and after, why the release is on these levels, and the next best ones."""
    files, lang = release_named(case.file.path, request.query_params.get("release", "")), language(request)
    document = files.read()
    facts = document.anonymization
    if facts is None:
        raise InputError("{file}: the check does not say how the release was made", file=files.result.name)
    best = [(column.column, column.level) for column in facts.columns]
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
        sentence=prose.verdict(document, lang),
        notices=page_notices(document, lang),
        facts=facts,
        roundings={
            name: _roundings(case, name)
            for notice in document.notices
            for name in notice.columns or ()
            if notice.notice in ("found-by-amount", "near-value")
        },
        about="release",
        outcome=[*making.outcome_texts(facts, lang), *making.order_text(facts, lang), *making.cost_texts(facts, lang)],
        models=model_texts(document.models, lang),
        choice=list(
            zip(making.choice_rows(facts, lang), () if facts.choice is None else facts.choice.ways, strict=True)
        ),
        choice_heads=making.CHOICE_HEADINGS[:-1],
        choice_texts=making.choice_texts(facts, lang),
        others=[(node, making.change_text(best, node, lang)) for node in facts.next_best],
        most_rules=MAX_RULES,
        loss=making.loss_text,
        threshold=_threshold(job),
        report=relative(files.report) if files.report.exists() else None,
        **marked_files(files, obstacle, lang),
        command=petworks_command(*anonymize_arguments(request, case, files)) if job is None else job.command,
        **before_and_after(request, case, files, facts),
    )


@dataclass(frozen=True)
class ColumnOfRelease:
    """What became of a column: "kept", "coarser" or "lost", and the share of its information that is kept.

    stars  the share of its cells that say nothing (*)
    keep   the columns to keep in a release that has this one, too; empty if it is not lost
    """

    name: str
    state: str
    kept: float | None
    stars: float
    keep: tuple[str, ...]


def before_and_after(
    request: Request, origin: OpenCase | None, files: ReleaseFiles, facts: AnonymizationFacts | None
) -> dict[str, Any]:
    """The template values for a few records before and after, and for what became of each column."""
    try:
        released = studio(request).cases.of(files.policy)
        example: ExampleRows | None = released.example_rows
        stars = {name: _share_of_stars(released.release, name) for name in released.release.quasi_identifiers}
        checked = {fact.column: fact.information_kept for fact in released.check.content.columns}
    except PETWorksError:  # the files are not those of the release any more
        example, stars, checked = None, {}, {}
    made = () if facts is None or facts.utility is None else facts.utility.columns
    kept = {fact.column: fact.information_kept for fact in made}
    for name, share in checked.items():  # the check also sees values that were made coarser before the search
        if isinstance(share, float):
            kept[name] = min(share, 1.0 if (told := kept.get(name)) is None else told)
    wanted = () if facts is None or facts.kept_columns is None else facts.kept_columns.keep
    can_keep = () if origin is None else origin.release.quasi_identifiers
    states = () if facts is None else facts.column_states
    order = ("lost", "coarser", "kept")
    return {
        "example": example,
        "gone": []
        if origin is None or not states
        else [name for name in origin.release.columns if name not in {fact.column for fact in states}],
        "made": facts,
        "became": [
            ColumnOfRelease(
                fact.column,
                fact.state,
                1.0 if fact.state == "kept" else kept.get(fact.column),
                stars.get(fact.column, 0.0),
                (*wanted, fact.column) if fact.state == "lost" and fact.column in can_keep else (),
            )
            for fact in sorted(states, key=lambda fact: order.index(fact.state))[:MAX_COLUMNS]
        ],
        "release": files.release.name,
        "release_policy": studio(request).workspace.relative(files.policy),
        "keep_address": None if origin is None else link("/safe/choose", origin, request),
    }


def _roundings(case: OpenCase, column: str) -> list[tuple[str, dict[str, str], int]]:
    """Ways to round a column of the original: the field of a form, the words, how many numbers are left."""
    counts = case.release.load((column,)).marginal(column).by_value
    return [(protect_as_text({column: words})[0], words, left) for words, left in coarse_roundings(counts)]


def _share_of_stars(release: Release, column: str) -> float:
    marginal = release.marginal(column)
    stars = (number for value, number in zip(marginal.values, marginal.counts, strict=True) if value == SUPPRESSED)
    return float(sum(stars)) / max(release.records, 1)


def marked_files(files: ReleaseFiles, obstacle: Obstacle | None, lang: str) -> dict[str, Any]:
    """The template values for the files of a release: those that may go out, and those that stay inside."""
    inside = [path.name + "/" * path.is_dir() for path in files.for_insiders]
    out = [path.name for path in files.for_recipients]
    if obstacle is None:
        return {"not_out": None, "out": out, "inside": inside}
    return {"not_out": obstacle_text(files.release.name, obstacle, lang), "out": [], "inside": [*out, *inside]}


def _check_again(
    request: Request, case: OpenCase, files: ReleaseFiles, made: CheckFile
) -> tuple[CheckFile, Obstacle | None]:
    """The check with the verdict by today's policy, plan and waivers; and the obstacle to handing out the release."""
    try:
        released = studio(request).cases.of(files.policy)
        check = released.check.content
        updated = structs.replace(made, verdict=check.verdict, rule_verdicts=check.rule_verdicts, rules=check.rules)
        return updated, find_current_obstacle(updated, check, released.policy, [case.policy], files.release)
    except PETWorksError:  # its policy, or one of its files, is missing or invalid
        return made, find_obstacle(made, files.release) or "outdated"


def _threshold(job: Job | None) -> str:
    """The threshold that a release was made with, if it differs from that of the rules."""
    options = [] if job is None else [argument for argument in job.arguments if argument.startswith("--threshold=")]
    return options[0].partition("=")[2] if options else ""


@ROUTES.get("/report")
def show_report(request: Request) -> Response:
    """A report below the folder; its own script and links to other pages do not work here."""
    path = studio(request).workspace.path(request.query_params.get("file", ""))
    if path.suffix != ".html" or not path.is_file() or path.name.startswith("."):
        raise InputError("{file} is no report below the folder", file=quoted([path.name]))
    return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY})
