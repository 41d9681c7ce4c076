"""The hierarchy of a column: its levels with their groups, and a form for each kind that shows what it would make."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.about.hierarchy import Hierarchy
from PETWorks.about.hierarchy_proposal import in_yaml
from PETWorks.errors import HierarchyError, InputError, PETWorksError
from PETWorks.render.charts import drawn
from PETWorks.render.shell_words import command_line
from PETWorks.studio.column_levels import Column, ColumnLevels, Counts, Fit, Words, columns_of, level_groups
from PETWorks.studio.declaring import (
    ABOVE,
    CHOICES,
    KINDS,
    fields_of,
    fields_sent,
    kind_of,
    offered,
    options_of,
    path_text,
    words_of,
)
from PETWorks.studio.desk import Desk
from PETWorks.studio.hierarchy_writing import with_hierarchies
from PETWorks.studio.page import Form, computed, desk_of, error_text, form_of, page, part, see, studio

MOST_GROUPS = 50  # of a level
ALL_GROUPS = 250  # of all levels on a page
FEWEST = 5
MOST_LEVELS = 30
MOST_NODES = 80  # of a hierarchy that is drawn as a tree
MOST_STRANGE = 50
SAVED, PROPOSED, TRIED = "saved", "proposed", "tried"


@dataclass(frozen=True)
class Level:
    """A level: its groups, not all of them if they are many."""

    number: int
    groups: list[dict[str, Any]]
    all: int
    smallest: int
    most: int


@dataclass(frozen=True)
class Branch:
    """A group in a tree, and what is in it."""

    label: str
    records: int
    inside: "list[Branch]"


async def show(request: Request) -> Response:
    """The page of a column."""
    desk = await desk_of(request)
    return await computed(_show, request, desk)


def _show(request: Request, desk: Desk) -> Response:
    columns = columns_of(desk)
    column = columns.asked(request.query_params)
    proposal = columns.proposal(column.name)
    proposed = None if proposal is None else proposal[0].words
    words = proposed if column.words is None else column.words
    wanted = request.query_params.get("kind", "")
    kind = wanted if wanted in KINDS else "width" if words is None else kind_of(words)
    known = next((given for given in (column.words, proposed) if given is not None and kind_of(given) == kind), {})
    state, fit = SAVED, column.fit
    if column.status == "none" and proposal is not None and kind_of(proposal[0].words) == kind:
        state, fit = PROPOSED, Fit(proposal[1])
    return _page(request, desk, columns, column, kind, fields_of(known), state, fit, words=known)


def _page(
    request: Request,
    desk: Desk,
    columns: ColumnLevels,
    column: Column,
    kind: str,
    fields: Mapping[str, Any],
    state: str,
    fit: Fit,
    *,
    words: Words,
    mistake: str | None = None,
) -> Response:
    proposal = columns.proposal(column.name)
    return page(
        request,
        "levels_column",
        desk,
        200 if mistake is None else 400,
        nav_step="levels",
        column=column,
        kinds=list(KINDS),
        kind=kind,
        singles=KINDS[kind],
        fields=offered(kind, column.counts, fields),
        choices=CHOICES,
        path_text=path_text,
        above=ABOVE,
        proposed=None if proposal is None else (kind_of(proposal[0].words), in_yaml(proposal[0].words)),
        file=column.given.name if isinstance(column.given, Path) else None,
        declared=None if column.words is None else in_yaml(column.words),
        mistake=mistake,
        seen=desk.file.digest,
        command=_command(request, desk, column, words),
        is_part=False,
        **_shown(column.counts, state, fit),
    )


def _shown(counts: Counts, state: str, fit: Fit) -> dict[str, Any]:
    """What the part of the page needs that shows levels."""
    levels = [] if fit.hierarchy is None else _levels(fit.hierarchy, counts)
    return {
        "state": state,
        "fit": fit,
        "strange": list(fit.strange[:MOST_STRANGE]),
        "levels": levels,
        "tree": None if fit.hierarchy is None else _tree(fit.hierarchy, counts),
        "more_levels": 0 if fit.hierarchy is None else fit.hierarchy.height + 1 - len(levels),
        "drawn": drawn,
    }


def _levels(hierarchy: Hierarchy, counts: Counts) -> list[Level]:
    by_level = level_groups(hierarchy, counts)[:MOST_LEVELS]
    most = max(FEWEST, min(MOST_GROUPS, ALL_GROUPS // len(by_level)))
    return [
        Level(
            number,
            groups[:most],
            len(groups),
            min(group["records"] for group in groups),
            max(group["records"] for group in groups),
        )
        for number, groups in enumerate(by_level)
    ]


def _tree(hierarchy: Hierarchy, counts: Counts) -> Branch | None:
    """The whole hierarchy, from the top; None if it is large."""
    if sum(len(set(level)) for level in hierarchy.levels) > MOST_NODES:
        return None
    records = [counts.get(leaf, 0) for leaf in hierarchy.leaves]

    def grown(level: int, leaves: list[int]) -> Branch:
        label = hierarchy.levels[level][leaves[0]]
        below: dict[str, list[int]] = {}
        for leaf in leaves if level else ():
            below.setdefault(hierarchy.levels[level - 1][leaf], []).append(leaf)
        inside = [grown(level - 1, own) for own in below.values()]
        if len(inside) == 1 and inside[0].label == label:  # the same group on a lower level
            return inside[0]
        return Branch(label, sum(records[leaf] for leaf in leaves), inside)

    return grown(hierarchy.height, list(range(len(hierarchy.leaves))))


def _command(request: Request, desk: Desk, column: Column, words: Words) -> str:
    """The command that shows the same: what is saved, by the policy; anything else by options."""
    works, policy = studio(request), desk.policy
    data = works.workspace.argument(policy.data) if isinstance(policy.data, Path) else str(policy.data)
    options = options_of(words) if words and words != column.words else None
    if options is None and column.words is not None:
        options = ["--policy", works.workspace.argument(desk.file.path)]
    reading = [part for key, value in policy.reading.items() for part in (f"--{key}", value)]
    return command_line(["petworks", "hierarchy", data, "--column", column.name, *(options or []), *reading])


def _sent(form: Form) -> tuple[str, dict[str, Any]]:
    kind = form.text("kind")
    if kind not in KINDS:
        raise InputError("expected a kind of hierarchy")
    return kind, fields_sent(kind, form)


async def preview(request: Request) -> Response:
    """What a form would make of the column, before it is saved."""
    desk, form = await desk_of(request), await form_of(request)
    return await computed(_preview, request, desk, form)


def _preview(request: Request, desk: Desk, form: Form) -> Response:
    columns = columns_of(desk)
    column = columns.asked(request.query_params)
    kind, fields = _sent(form)
    words: Words = {}
    try:
        words = words_of(kind, fields)
        fit = columns.fit(column.name, words)
    except HierarchyError as error:
        fit = Fit(None, problem=error.message)
    if request.headers.get("x-part"):
        command = _command(request, desk, column, words)
        shown = _shown(column.counts, TRIED, fit)
        return part(request, "hierarchy_levels.html", desk, column=column, is_part=True, command=command, **shown)
    return _page(request, desk, columns, column, kind, fields, TRIED, fit, words=words)


async def save(request: Request) -> Response:
    """Write the declaration into the policy."""
    desk, form = await desk_of(request), await form_of(request)
    return await computed(_save, request, desk, form)


def _save(request: Request, desk: Desk, form: Form) -> Response:
    columns = columns_of(desk)
    column = columns.asked(request.query_params)
    kind, fields = _sent(form)
    words: Words = {}
    fit = Fit(None)
    try:
        words = words_of(kind, fields)
        fit = columns.fit(column.name, words)
        if fit.problem is not None:
            raise HierarchyError(fit.problem)
        _declare(desk, columns, {column.name: words}, form)
    except PETWorksError as error:
        mistake = error_text(error, request)
        return _page(request, desk, columns, column, kind, fields, TRIED, fit, words=words, mistake=mistake)
    return see(request, "/levels/column", desk, column=str(column.place))


async def propose(request: Request) -> Response:
    """Write proposals into the policy: for one column, or for all that have no hierarchy."""
    desk, form = await desk_of(request), await form_of(request)
    await computed(_propose, desk, form)
    return see(request, "/levels", desk)


def _propose(desk: Desk, form: Form) -> None:
    columns = columns_of(desk)
    wanted = [columns.asked({"column": form.text("propose")})] if form.text("propose") != "all" else columns.all
    found = {column.name: columns.proposal(column.name) for column in wanted if column.status == "none"}
    new = {name: proposal[0].words for name, proposal in found.items() if proposal is not None}
    if not new:
        raise InputError("there is no proposal: the values are generalised already, or have a hierarchy")
    _declare(desk, columns, new, form)


async def remove(request: Request) -> Response:
    """Remove the hierarchy of a column from the policy."""
    desk, form = await desk_of(request), await form_of(request)
    columns = await computed(columns_of, desk)
    column = columns.asked(request.query_params)
    await computed(_declare, desk, columns, {column.name: None}, form)
    return see(request, "/levels/column", desk, column=str(column.place))


def _declare(desk: Desk, columns: ColumnLevels, new: Mapping[str, Words | None], form: Form) -> None:
    change = with_hierarchies(new, columns.given, desk.file.path.parent)
    desk.file.change(change, form.text("seen") or None)


ROUTES = [
    Route("/levels/column", show),
    Route("/levels/preview", preview, methods=["POST"]),
    Route("/levels/save", save, methods=["POST"]),
    Route("/levels/propose", propose, methods=["POST"]),
    Route("/levels/remove", remove, methods=["POST"]),
]
