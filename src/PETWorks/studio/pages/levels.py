"""Levels: a slider for each column, a preview of the table on these levels, its release, and bounds of a search."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from PETWorks.about.hierarchies.scheme import as_list
from PETWorks.anonymizer.chosen_levels import WhatIf
from PETWorks.errors import ParameterError, PETWorksError
from PETWorks.gate.anonymising import search_rules, waived_rules
from PETWorks.gate.policy.policy_rules import today
from PETWorks.gate.release_files import default_name
from PETWorks.render.language.language import message_text
from PETWorks.render.language.language import shorten_name as shown_name
from PETWorks.studio.pages.hierarchies import Column, columns_of, groups_by_level
from PETWorks.studio.pages.job import start_job
from PETWorks.studio.pages.make_safe import (
    bounds_of,
    chosen_levels,
    form_levels,
    free_release,
    new_release,
    origin_link,
)
from PETWorks.studio.pages.page import (
    Form,
    Routes,
    error_text,
    join_items,
    language,
    page,
    part,
    petworks_command,
    policy_argument,
    redirect,
)
from PETWorks.studio.server.jobs import Purpose
from PETWorks.studio.server.open_case import OpenCase

ROUTES = Routes()

MAX_COLUMNS = 60  # columns with a slider on the page
MAX_NAMED = 30  # a column with more levels has no descriptions
MAX_TEXT = 30_000  # characters of descriptions
WHAT_IF = "what-if"


@dataclass(frozen=True)
class Slider:
    """A column on the page: its level, and the descriptions of all its levels."""

    column: Column
    height: int
    level: int
    names: tuple[str, ...]
    bounds: str

    @property
    def shown(self) -> str:
        """The description of the chosen level."""
        return self.names[self.level] if self.names else str(self.level)

    @property
    def as_json(self) -> str:
        """All descriptions, for the script."""
        return json.dumps(self.names, ensure_ascii=False)


@ROUTES.get("/levels")
def show(request: Request, case: OpenCase, form: Form) -> Response:
    """The page; only a part of it if only the levels changed. Slow parts are loaded later."""
    if request.headers.get("x-part"):
        return part(request, "what_if.html", case, is_part=True, **_figures(request, case, form))
    command = petworks_command(*_arguments(request, case, form, {}))
    values: dict[str, Any] = {"ready": False, "query": request.url.query, "command": command}
    if case.is_made(WHAT_IF) or "wait" in request.query_params:
        values = {"ready": True, **_body(request, case, form)}
    return page(request, "levels", case, is_part=False, **values)


@ROUTES.get("/levels/body")
def body(request: Request, case: OpenCase, form: Form) -> Response:
    """The content of the page, once the distinct rows were counted."""
    return part(request, "levels_body.html", case, is_part=True, **_body(request, case, form))


def what_if_of(case: OpenCase) -> WhatIf:
    """The open table, prepared for trying other levels."""

    def count() -> WhatIf:
        columns, policy = columns_of(case), case.policy
        try:
            rules = search_rules(policy, today())
        except ParameterError:  # there are no rules, or all are waived
            rules = ()
        return WhatIf(columns.release, columns.hierarchies, rules, policy.anonymize)

    return case.once(WHAT_IF, count)


def _body(request: Request, case: OpenCase, form: Form) -> dict[str, Any]:
    columns = columns_of(case)
    listed = sorted(columns.all, key=lambda column: (not column.fit.unplaced, column.fit.problem is None))
    try:
        figures, problem = _figures(request, case, form), None
    except PETWorksError as error:
        figures, problem = {"command": None}, error_text(error, request)
    chosen = {} if problem else figures["levels"]
    budget = [MAX_TEXT]
    return {
        "sliders": [_slider(request, case, column, chosen, budget) for column in listed[:MAX_COLUMNS]],
        "more": max(len(listed) - MAX_COLUMNS, 0),
        "problem": problem,
        "origin": origin_link(request, case) if problem else None,
        "without": [column for column in listed if column.status == "none"],
        "proposed": sum(column.status == "none" and columns.proposal(column.name) is not None for column in listed),
        "mistaken": [column for column in listed if column.fit.problem is not None],
        "release": _release_name(case, form),
        "suppress": form.text("suppress"),
        **figures,
    }


def _slider(request: Request, case: OpenCase, column: Column, chosen: Mapping[str, int], budget: list[int]) -> Slider:
    usable = column.fit.hierarchy if column.fit.is_usable else None
    height = 0 if usable is None else usable.height
    names: tuple[str, ...] = ()
    if usable is not None and height < MAX_NAMED and budget[0] > 0:
        lang = language(request)
        words = column.words or {}
        periods = {} if "labels" in words else dict(enumerate(as_list(words.get("dates", "")), start=1))
        names = tuple(
            _level_name(lang, level, height, groups, periods.get(level, ""))
            for level, groups in enumerate(_groups(column))
        )
        budget[0] -= sum(map(len, names))
    low, high = bounds_of(case.policy.anonymize.get("levels", {}).get(column.name))
    bounds = low if low == high else f"{low}–{high}"
    return Slider(column, height, min(chosen.get(column.name, 0), height), names, bounds)


def _groups(column: Column) -> list[list[dict[str, Any]]]:
    assert column.fit.hierarchy is not None
    return groups_by_level(column.fit.hierarchy, column.counts)


def _level_name(lang: str, level: int, height: int, groups: list[dict[str, Any]], period: str) -> str:
    """The description of a level: its number, its number of groups, and its largest group.

    period   which one its labels stand for, if they do not say so in words
    """
    largest = shown_name(max(groups, key=lambda group: group["records"])["label"])
    if period:
        largest = message_text(
            lang, "write.exact", value=largest, exact=message_text(lang, f"studio.levels.unit.{period}")
        )
    if len(groups) == 1:
        return message_text(lang, "studio.levels.level-top", level=level, height=height, label=largest)
    message = "studio.levels.level" if level else "studio.levels.level-own"
    return message_text(lang, message, level=level, height=height, n=len(groups), example=largest)


def _levels(case: OpenCase, form: Form) -> dict[str, int]:
    """The level of each column."""
    what_if = what_if_of(case)
    heights = dict(zip(what_if.columns, what_if.heights, strict=True))
    return chosen_levels(form, columns_of(case).release.columns, heights)


def _figures(request: Request, case: OpenCase, form: Form) -> dict[str, Any]:
    """The figures of the table on these levels, and without generalisation."""
    what_if, levels, suppress = what_if_of(case), _levels(case, form), bool(form.text("suppress"))
    return {
        "levels": levels,
        "before": what_if.at({}),
        "after": what_if.at(levels, suppress=suppress),
        "ranges": _ranges(what_if),
        "unjudged": what_if.unjudged,
        "waived": waived_rules(case.policy, today()),
        "has_rules": bool(what_if.at({}).rules or what_if.unjudged),
        "is_people": case.policy.privacy_unit is not None,
        "suppress": suppress,
        "command": petworks_command(*_arguments(request, case, form, levels)),
    }


def _ranges(what_if: WhatIf) -> list[tuple[int, int | None, bool]]:
    """The ranges of class sizes that are counted together, and whether they are too small."""
    ends: list[int | None] = [start - 1 for start in what_if.starts[1:]]
    return list(zip(what_if.starts, [*ends, None], what_if.too_small, strict=True))


def _release_name(case: OpenCase, form: Form) -> str:
    return form.text("release") or free_release(case.file.path, default_name(case.policy))


def _arguments(request: Request, case: OpenCase, form: Form, levels: Mapping[str, int]) -> list[str]:
    """The arguments of the command that makes the release on these levels."""
    policy = policy_argument(request, case)
    level_texts = [f"{name}={level}" for name, level in levels.items() if level]
    return [
        *("apply", policy),
        *(("--levels", join_items(level_texts)) if level_texts else ()),
        *(("--suppress",) if form.text("suppress") else ()),
        *("-o", policy.removesuffix(case.file.path.name) + _release_name(case, form)),
    ]


@ROUTES.post("/levels/apply")
def apply(request: Request, case: OpenCase, form: Form) -> Response:
    """Make the release on these levels."""
    case.file.check_seen(form.text("seen"))
    release = new_release(case, form).release.name
    purpose = Purpose(case.file.path, "levels", "/compare", {"release": release})
    return start_job(request, purpose, *_arguments(request, case, form, _levels(case, form)), "--format", "json")


@ROUTES.post("/levels/carry")
def carry(request: Request, case: OpenCase, form: Form) -> Response:
    """Go on to the step Make it safe, with these levels."""
    return redirect(request, "/safe", case, **form_levels(form))
