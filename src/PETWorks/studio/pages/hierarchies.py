"""The hierarchy of a column: its levels with their groups, and a form for each kind that previews it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.about.hierarchies.declaration import Declaration, HierarchySources, hierarchy_files
from PETWorks.about.hierarchies.hierarchy import Hierarchy, read_hierarchy
from PETWorks.about.hierarchies.proposal import Proposal, in_yaml, proposed_hierarchy
from PETWorks.about.sidecar import read_sidecar
from PETWorks.counting.release import Release, build_declared_hierarchy
from PETWorks.errors import HierarchyError, InputError, PETWorksError, Phrase
from PETWorks.gate.policy.policy import Policy
from PETWorks.render.charts.charts import drawn
from PETWorks.render.terminal import command_line
from PETWorks.render.text.measures_text import hierarchy_groups
from PETWorks.studio.files.hierarchy_forms import (
    ABOVE,
    CHOICES,
    KINDS,
    fields_of,
    fields_sent,
    kind_of,
    offered,
    options_of,
    path_text,
    with_hierarchies,
    words_of,
)
from PETWorks.studio.pages.page import Form, computed, desk_of, error_text, form_of, page, part, see, studio
from PETWorks.studio.server.case import Desk
from PETWorks.tables.cells import SUPPRESSED

Counts = Mapping[str | None, int]
Words = Mapping[str, Any]


@dataclass(frozen=True)
class Fit:
    """A hierarchy, and whether the values of a column have a place in it.

    hierarchy   with the values that have a place; None if there is none at all
    strange     the values without a place, those of most records first, and how many records have each
    problem     why it cannot be used
    """

    hierarchy: Hierarchy | None
    strange: Sequence[tuple[str, int]] = ()
    problem: str | None = None

    @property
    def is_usable(self) -> bool:
        """Whether every value has a place, and the levels nest."""
        return self.hierarchy is not None and self.problem is None


@dataclass(frozen=True)
class Column:
    """A quasi-identifier.

    place    where it is in the table
    counts   the values before they were generalised, as far as these are known, and how many records have each
    given    what the policy, or the file beside the table, says: a declaration or a file
    """

    place: int
    name: str
    counts: Counts
    given: Declaration | Path | None
    fit: Fit

    @property
    def status(self) -> str:
        """Where the hierarchy comes from."""
        return "none" if self.given is None else "file" if isinstance(self.given, Path) else "declared"

    @property
    def words(self) -> Words | None:
        """What is declared."""
        return self.given.words if isinstance(self.given, Declaration) else None

    @property
    def values(self) -> int:
        """How many different values there are."""
        return sum(value is not None and value != SUPPRESSED for value in self.counts)


class ColumnLevels:
    """All quasi-identifiers of a policy's table, which is opened without hierarchies: these may be wrong."""

    def __init__(self, policy: Policy) -> None:
        self.release: Release = replace(policy, hierarchies={}).release()
        self.given = _given(policy, self.release)
        self._columns: dict[str, Column] = {}
        self._proposals: dict[str, tuple[Proposal, Hierarchy] | None] = {}
        self._lock = Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.release.quasi_identifiers

    @property
    def all(self) -> list[Column]:
        """Every one of them."""
        return [self.named(name) for name in self.names]

    def asked(self, query: Mapping[str, str]) -> Column:
        """The one that an address names, by its place in the table or by its name."""
        columns, place = self.release.columns, query.get("column", "")
        known = place.isdecimal() and len(place) < 7 and int(place) < len(columns)
        name = columns[int(place)] if known else query.get("name", "")
        if name not in self.names:
            raise InputError("there is no such quasi-identifier; look at the step Columns")
        return self.named(name)

    def named(self, name: str) -> Column:
        """The one with a name."""
        with self._lock:
            if name not in self._columns:
                self._columns[name] = self._column(name)
            return self._columns[name]

    def _column(self, name: str) -> Column:
        counts = self._counts(name)
        given = self.given.get(name)
        fit = Fit(None)
        if isinstance(given, Declaration):
            fit = self._declared(given, name, counts)
        elif given is not None:
            fit = _from_file(given, counts)
        return Column(self.release.columns.index(name), name, counts, given, fit)

    def _counts(self, name: str) -> Counts:
        view = self.release.view
        marginal = (view.background.original if self.release.has_original else view.table).marginal(name)
        return dict(zip(marginal.values, marginal.counts.tolist(), strict=True))

    def fit(self, name: str, words: Words) -> Fit:
        """What a declaration would make of a column; an error if it is not a declaration at all."""
        return self._declared(Declaration.of(words), name, self.named(name).counts)

    def _declared(self, declaration: Declaration, name: str, counts: Counts) -> Fit:
        view = self.release.view
        try:
            return Fit(build_declared_hierarchy(declaration, name, view.table, view.background))
        except PETWorksError as error:
            problem = _problem(error)
        told = {value: count for value, count in counts.items() if value is not None and value != SUPPRESSED}
        scheme = declaration.scheme(told)
        strange = {value for value in told if scheme.below(value) is None and scheme.path(value) is None}
        try:
            rest: Counts = {value: count for value, count in told.items() if value not in strange}
            hierarchy = declaration.build(rest) if rest else None
        except PETWorksError:
            hierarchy = None
        return Fit(hierarchy, _most_first(strange, told), problem)

    def proposal(self, name: str) -> tuple[Proposal, Hierarchy] | None:
        """The hierarchy that `petworks init` would write; None if the values were generalised already."""
        column = self.named(name)
        with self._lock:
            if name not in self._proposals:
                self._proposals[name] = proposed_hierarchy(name, column.counts)
            return self._proposals[name]

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies in which every value has a place."""
        return {
            column.name: column.fit.hierarchy
            for column in self.all
            if column.fit.is_usable and column.fit.hierarchy is not None
        }


def columns_of(desk: Desk) -> ColumnLevels:
    """The quasi-identifiers of what is open."""
    return desk.once("column levels", lambda: ColumnLevels(desk.policy))


def level_groups(hierarchy: Hierarchy, counts: Counts) -> list[list[dict[str, Any]]]:
    """For each level its groups: label, number of values, number of records."""
    return [level["groups"] for level in hierarchy_groups(hierarchy, counts)]


def _given(policy: Policy, release: Release) -> dict[str, Declaration | Path]:
    """The declaration or the file of each quasi-identifier that has one."""
    named: HierarchySources | None = policy.hierarchies
    if named is None and release.source.path is not None:
        named = read_sidecar(release.source.path).hierarchies
    if isinstance(named, Path):
        files = hierarchy_files(named)
        ends = {name: f"hierarchy_{name}.csv" for name in release.quasi_identifiers}
        return {name: file for name, end in ends.items() for file in files if file.name.endswith(end)}
    return {name: one for name, one in (named or {}).items() if name in release.quasi_identifiers}


def _from_file(file: Path, counts: Counts) -> Fit:
    try:
        hierarchy = read_hierarchy(file)
    except PETWorksError as error:
        return Fit(None, problem=error.message)
    told = {value: count for value, count in counts.items() if value is not None and value != SUPPRESSED}
    strange = {value for value in told if hierarchy.level(value) is None}
    problem = _not_nested(hierarchy)
    if strange:
        problem = Phrase(
            "{strange} of {values} values are not in {file}", strange=len(strange), values=len(told), file=file.name
        )
    return Fit(hierarchy, _most_first(strange, told), problem)


def _problem(error: PETWorksError) -> Phrase:
    """What is wrong with a hierarchy, without its name."""
    part = error.parts[0]
    problem = part.values.get("problem") if isinstance(part, Phrase) else None
    return problem if isinstance(problem, Phrase) else error.message


def _not_nested(hierarchy: Hierarchy) -> Phrase | None:
    for level, (lower, upper) in enumerate(zip(hierarchy.levels, hierarchy.levels[1:], strict=False)):
        if len(set(zip(lower, upper, strict=True))) > len(set(lower)):
            return Phrase(
                "the levels do not nest: values that are equal on level {level} are not on level {next_level}",
                level=level,
                next_level=level + 1,
            )
    return None


def _most_first(values: set[str], counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(((value, counts[value]) for value in values), key=lambda one: (-one[1], one[0]))


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
