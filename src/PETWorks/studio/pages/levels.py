"""Levels: a slider for each column, what the table would be, the release on these levels, and bounds of a search."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.anonymizer.chosen_levels import WhatIf
from PETWorks.errors import InputError, ParameterError, PETWorksError
from PETWorks.gate.anonymising import search_rules, waived_rules
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.check.may_go_out import Obstacle, obstacle_now
from PETWorks.gate.days import today
from PETWorks.gate.document.check_document import Verdict, together
from PETWorks.render.charts.charts import drawn
from PETWorks.render.language.language import name as shown_name
from PETWorks.render.language.language import said
from PETWorks.render.languages import LANGUAGES
from PETWorks.render.terminal import command_line
from PETWorks.studio.files.hierarchy_forms import BOUNDS, as_items, with_bounds
from PETWorks.studio.files.released_files import ReleasedFiles, named_release, usual_name
from PETWorks.studio.pages.hierarchies import Column, ColumnLevels, columns_of, level_groups
from PETWorks.studio.pages.make_safe import origin_link
from PETWorks.studio.pages.page import (
    Form,
    computed,
    desk_of,
    error_text,
    form_of,
    language,
    not_out_text,
    page,
    part,
    see,
    studio,
)
from PETWorks.studio.pages.running import follow
from PETWorks.studio.server.case import Desk
from PETWorks.studio.server.jobs import Purpose

MOST_COLUMNS = 60  # that have a slider on the page
MOST_NAMED = 30  # levels of a column that are described
MOST_TEXT = 30_000  # characters of descriptions
MADE = "what-if"


@dataclass(frozen=True)
class Slider:
    """A column on the page: its level, and the descriptions of all its levels."""

    column: Column
    height: int
    level: int
    names: tuple[str, ...]
    bounds: str | None

    @property
    def shown(self) -> str:
        """The description of the level."""
        return self.names[self.level] if self.names else str(self.level)

    @property
    def as_json(self) -> str:
        """All descriptions, for the script."""
        return json.dumps(self.names, ensure_ascii=False)


async def show(request: Request) -> Response:
    """The page; a part of it, if only the levels have changed. What takes time comes later."""
    desk = await desk_of(request)
    if request.headers.get("x-part"):
        values = await computed(_figures, request, desk, _chosen(request.query_params))
        return part(request, "what_if.html", desk, is_part=True, **values)
    command = command_line(["petworks", *_arguments(request, desk, {}, usual_name(desk.policy), suppress=False)])
    values = {"ready": False, "query": request.url.query, "command": command}
    if desk.is_made(MADE) or "wait" in request.query_params:
        values = {"ready": True, **await computed(_body, request, desk)}
    return page(request, "levels", desk, is_part=False, **values)


async def body(request: Request) -> Response:
    """Everything that the page shows, once the distinct rows were counted."""
    desk = await desk_of(request)
    return part(request, "levels_body.html", desk, is_part=True, **await computed(_body, request, desk))


def what_if_of(desk: Desk) -> WhatIf:
    """The table that is open, ready to be put on other levels."""

    def count() -> WhatIf:
        columns, policy = columns_of(desk), desk.policy
        try:
            rules = search_rules(policy, today())
        except ParameterError:  # there is none, or all are waived
            rules = ()
        return WhatIf(columns.release, columns.hierarchies, rules, policy.anonymize)

    return desk.once(MADE, count)


def _body(request: Request, desk: Desk) -> dict[str, Any]:
    columns = columns_of(desk)
    listed = sorted(columns.all, key=lambda column: (not column.fit.strange, column.fit.problem is None))
    wanted = _chosen(request.query_params)
    try:
        figures = _figures(request, desk, wanted)
        problem = None
    except PETWorksError as error:
        figures, problem = {"command": None}, error_text(error, request)
    chosen = {} if problem else figures["levels"]
    budget = [MOST_TEXT]
    return {
        "sliders": [_slider(request, desk, column, chosen, budget) for column in listed[:MOST_COLUMNS]],
        "more": max(len(listed) - MOST_COLUMNS, 0),
        "problem": problem,
        "origin": origin_link(request, desk) if problem else None,
        "without": [column for column in listed if column.status == "none"],
        "proposed": sum(column.status == "none" and columns.proposal(column.name) is not None for column in listed),
        "mistaken": [column for column in listed if column.fit.problem is not None],
        "bounds": BOUNDS,
        "release": _release_named(request.query_params, desk),
        "seen": desk.file.digest,
        "policy_named": studio(request).workspace.relative(desk.file.path),
        "suppress": "suppress" in request.query_params,
        **figures,
    }


def _slider(request: Request, desk: Desk, column: Column, chosen: Mapping[str, int], budget: list[int]) -> Slider:
    usable = column.fit.hierarchy if column.fit.is_usable else None
    height = 0 if usable is None else usable.height
    names: tuple[str, ...] = ()
    if usable is not None and height < MOST_NAMED and budget[0] > 0:
        lang = language(request)
        names = tuple(_level_name(lang, level, height, groups) for level, groups in enumerate(_groups(column)))
        budget[0] -= sum(map(len, names))
    bounds = desk.policy.anonymize.get("levels", {})
    own = bounds.get(column.name) if isinstance(bounds, Mapping) else None
    return Slider(column, height, min(chosen.get(column.name, 0), height), names, _bounds_text(own))


def _groups(column: Column) -> list[list[dict[str, Any]]]:
    assert column.fit.hierarchy is not None
    return level_groups(column.fit.hierarchy, column.counts)


def _level_name(lang: str, level: int, height: int, groups: list[dict[str, Any]]) -> str:
    """A level by its number, its groups, and the largest one of them."""
    largest = shown_name(max(groups, key=lambda group: group["records"])["label"])
    if len(groups) == 1:
        return said(lang, "studio.levels.level-top", level=level, height=height, label=largest)
    message = "studio.levels.level" if level else "studio.levels.level-own"
    return said(lang, message, level=level, height=height, n=len(groups), example=largest)


def _bounds_text(bounds: Any) -> str | None:
    if isinstance(bounds, Mapping):
        low, high = bounds.get("at_least"), bounds.get("at_most")
        return f"{'' if low is None else low}–{'' if high is None else high}"
    if isinstance(bounds, list):
        return "–".join(map(str, bounds))
    return None if bounds is None else str(bounds)


def _chosen(fields: Mapping[str, str]) -> dict[int, int]:
    """The level of each column, by the place of the column."""
    chosen = {}
    for field, level in fields.items():
        place = field.removeprefix("level-")
        if field.startswith("level-") and place.isdecimal() and level.isdecimal() and len(place) < 7 > len(level):
            chosen[int(place)] = int(level)
    return chosen


def _levels(columns: ColumnLevels, what_if: WhatIf, chosen: Mapping[int, int]) -> dict[str, int]:
    """The level of each column; one that a hierarchy no longer has is its highest."""
    by_name = dict(zip(what_if.columns, what_if.heights, strict=True))
    places = {name: columns.release.columns.index(name) for name in what_if.columns}
    return {name: min(chosen.get(places[name], 0), height) for name, height in by_name.items()}


def _figures(request: Request, desk: Desk, chosen: Mapping[int, int]) -> dict[str, Any]:
    """What the table is on these levels, and as it stands."""
    what_if = what_if_of(desk)
    suppress = "suppress" in request.query_params
    levels = _levels(columns_of(desk), what_if, chosen)
    release = _release_named(request.query_params, desk)
    command = command_line(["petworks", *_arguments(request, desk, levels, release, suppress=suppress)])
    return {
        "levels": levels,
        "before": what_if.at({}),
        "after": what_if.at(levels, suppress=suppress),
        "ranges": _ranges(what_if),
        "unjudged": what_if.unjudged,
        "waived": waived_rules(desk.policy, today()),
        "has_rules": bool(what_if.at({}).rules or what_if.unjudged),
        "is_people": desk.policy.privacy_unit is not None,
        "suppress": suppress,
        "drawn": drawn,
        "command": command,
    }


def _ranges(what_if: WhatIf) -> list[tuple[int, int | None, bool]]:
    """From which size to which classes are counted together, and whether they are too small."""
    ends: list[int | None] = [start - 1 for start in what_if.starts[1:]]
    return list(zip(what_if.starts, [*ends, None], what_if.too_small, strict=True))


def _release_named(fields: Mapping[str, str], desk: Desk) -> str:
    return fields.get("release", "").strip() or usual_name(desk.policy)


def _arguments(request: Request, desk: Desk, levels: Mapping[str, int], release: str, *, suppress: bool) -> list[str]:
    """The command that makes the release, as anybody could type it."""
    policy = studio(request).workspace.argument(desk.file.path)
    named = [f"{name}={level}" for name, level in levels.items() if level]
    return [
        *("apply", policy),
        *(("--levels", as_items(named)) if named else ()),
        *(("--suppress",) if suppress else ()),
        *("-o", policy.removesuffix(desk.file.path.name) + release),
    ]


async def apply(request: Request) -> Response:
    """Make the release on these levels."""
    desk, form = await desk_of(request), await form_of(request)
    return await computed(_apply, request, desk, form)


def _apply(request: Request, desk: Desk, form: Form) -> Response:
    _check_seen(desk, form)
    files = named_release(desk.file.path, form.text("release"))
    levels = _levels(columns_of(desk), what_if_of(desk), _chosen(_single(form)))
    arguments = _arguments(request, desk, levels, files.release.name, suppress=bool(form.text("suppress")))
    purpose = Purpose(desk.file.path, "levels", "/levels/applied", {"release": files.release.name})
    jobs, lang = studio(request).jobs, language(request)
    return follow(jobs.start(*arguments, "--format", "json", purpose=purpose, lang=lang), request)


async def applied(request: Request) -> Response:
    """What came out: the levels, the suppressed records, and whether the release keeps the rules."""
    desk = await desk_of(request)
    job = studio(request).jobs.of(request.query_params.get("job", ""))
    found = job.result
    if not isinstance(found, dict) or "levels" not in found:
        raise InputError("this job has not made a release; start it again in the step Levels")
    if job.purpose.policy != desk.file.path or job.purpose.on_end != "/levels/applied":
        raise InputError("this job has not made a release; start it again in the step Levels")
    files = named_release(desk.file.path, job.purpose.values["release"])
    relative = studio(request).workspace.relative
    wrote = tuple(f"petworks: {said(lang, 'cli.wrote', path='')}" for lang in LANGUAGES)
    verdict, against = await computed(_judged_now, request, desk, files, found.get("release_sha256"))
    return page(
        request,
        "levels_applied",
        desk,
        nav_step="levels",
        found=found,
        release_bar=None,
        verdict=verdict or together([rule["verdict"] for rule in found["rules"]]),
        not_out=None if against is None else not_out_text(files.release.name, against, language(request)),
        release=files.release.name,
        released=relative(files.policy),
        inside=[path.name for path in files.inside],
        messages=[line.removeprefix("petworks: ") for line in job.messages if not line.startswith(wrote)],
        command=job.command,
    )


def _judged_now(
    request: Request, desk: Desk, files: ReleasedFiles, made: str | None
) -> tuple[Verdict | None, Obstacle | None]:
    """The verdict on a release by its policy as it is now, None if it cannot be checked; and what is against it.

    made   the digest of the file that the job has made: another one has a verdict of its own
    """
    try:
        if made != table_digest(files.release):
            return None, "changed"
        released = studio(request).desks.of(files.policy)
        check = released.check.content
        return check.verdict, obstacle_now(None, check, released.policy, [desk.policy], files.release)
    except PETWorksError:
        return None, "outdated"


async def bound(request: Request) -> Response:
    """Write these levels into the policy, as bounds of the search."""
    desk, form = await desk_of(request), await form_of(request)
    kept = {field: text for field, text in _single(form).items() if field.startswith("level-") or field == "suppress"}
    await computed(_bound, desk, form)
    return see(request, "/levels", desk, **kept)


def _bound(desk: Desk, form: Form) -> None:
    if form.text("bound") not in BOUNDS:
        raise InputError("expected how the levels bound the search: exactly, at least or at most")
    what_if, columns = what_if_of(desk), columns_of(desk)
    heights = {name: one.height for name, one in columns.hierarchies.items()}
    levels = _levels(columns, what_if, _chosen(_single(form)))
    own = {name: level for name, level in levels.items() if name in heights}
    desk.file.change(with_bounds(own, heights, form.text("bound")), form.text("seen") or None)


def _check_seen(desk: Desk, form: Form) -> None:
    if form.text("seen") != desk.file.digest:
        raise InputError("the policy file was changed meanwhile; look at the levels again")


def _single(form: Form) -> dict[str, str]:
    return {field: texts[-1] for field, texts in form.fields.items()}


ROUTES = [
    Route("/levels", show),
    Route("/levels/body", body),
    Route("/levels/apply", apply, methods=["POST"]),
    Route("/levels/applied", applied),
    Route("/levels/bounds", bound, methods=["POST"]),
]
