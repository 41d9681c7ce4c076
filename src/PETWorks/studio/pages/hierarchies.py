"""The hierarchy of a column: its levels with their groups, and a form with a preview for each kind."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from PETWorks.about.hierarchies.declaration import Declaration
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.hierarchies.proposal import Proposal, propose_hierarchy
from PETWorks.counting.release import Release, build_declared_hierarchy
from PETWorks.errors import HierarchyError, InputError, PETWorksError, Phrase
from PETWorks.render.text.measures_text import hierarchy_groups
from PETWorks.studio.pages.hierarchy_forms import (
    ABOVE,
    CHOICES,
    KINDS,
    fields_of,
    fields_sent,
    initial_fields,
    kind_of,
    options_of,
    path_text,
    with_hierarchies,
    words_of,
)
from PETWorks.studio.pages.page import Form, Routes, page, part, petworks_command, policy_argument, redirect, studio
from PETWorks.studio.server.open_case import (
    Fit,
    GivenHierarchy,
    OpenCase,
    fit_declaration,
    fit_file,
    given_hierarchies,
    present_values,
)
from PETWorks.tables.yaml_files import in_yaml

ROUTES = Routes()

Counts = Mapping[str | None, int]
Words = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Column(GivenHierarchy):
    """A quasi-identifier with its hierarchy.

    index    its index in the table
    counts   number of records per value; values before generalisation, as far as these are known
    """

    index: int
    name: str
    counts: Counts

    @property
    def values(self) -> int:
        """Number of distinct values."""
        return len(present_values(self.counts))


class ColumnLevels:
    """The quasi-identifiers of a case, whose hierarchies may be invalid: then its table is opened without them."""

    def __init__(self, case: OpenCase) -> None:
        try:
            self.release: Release = case.release
        except PETWorksError:
            self.release = replace(case.policy, hierarchies={}).release()
        self.given = given_hierarchies(case.policy, self.names)
        self._columns: dict[str, Column] = {}
        self._proposals: dict[str, tuple[Proposal, Hierarchy] | None] = {}
        self._lock = Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return self.release.quasi_identifiers

    @property
    def all(self) -> list[Column]:
        """All quasi-identifiers."""
        return [self.named(name) for name in self.names]

    def asked(self, query: Mapping[str, str]) -> Column:
        """The column that an address names, by its index in the table or by its name."""
        columns, index = self.release.columns, query.get("column", "")
        known = index.isdecimal() and len(index) < 7 and int(index) < len(columns)
        name = columns[int(index)] if known else query.get("name", "")
        if name not in self.names:
            raise InputError("there is no such quasi-identifier; look at the step Columns")
        return self.named(name)

    def named(self, name: str) -> Column:
        """The column with a name."""
        with self._lock:
            if name not in self._columns:
                self._columns[name] = self._column(name)
            return self._columns[name]

    def _column(self, name: str) -> Column:
        counts, given, fit = self._counts(name), self.given.get(name), Fit(None)
        if isinstance(given, Declaration):
            fit = self._fit_declaration(given, name, counts)
        elif given is not None:
            fit = fit_file(given, present_values(counts))
        return Column(index=self.release.columns.index(name), name=name, counts=counts, given=given, fit=fit)

    def _counts(self, name: str) -> Counts:
        view = self.release.view
        return (view.background.original if self.release.has_original else view.table).marginal(name).by_value

    def fit(self, name: str, words: Words) -> Fit:
        """How a column would fit a declaration; raise if it is not a valid declaration."""
        return self._fit_declaration(Declaration.of(words), name, self.named(name).counts)

    def _fit_declaration(self, declaration: Declaration, name: str, counts: Counts) -> Fit:
        view = self.release.view
        try:
            return Fit(build_declared_hierarchy(declaration, name, view.table, view.background))
        except PETWorksError as error:
            problem = _problem(error)
        return replace(fit_declaration(declaration, present_values(counts)), problem=problem)

    def proposal(self, name: str) -> tuple[Proposal, Hierarchy] | None:
        """The hierarchy that `petworks init` would write; None if the values are already generalised."""
        column = self.named(name)
        with self._lock:
            if name not in self._proposals:
                self._proposals[name] = propose_hierarchy(name, column.counts)
            return self._proposals[name]

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies into which every value fits."""
        return {
            column.name: column.fit.hierarchy
            for column in self.all
            if column.fit.is_usable and column.fit.hierarchy is not None
        }


def columns_of(case: OpenCase) -> ColumnLevels:
    """The quasi-identifiers of the open policy."""
    return case.once("column levels", lambda: ColumnLevels(case))


def groups_by_level(hierarchy: Hierarchy, counts: Counts) -> list[list[dict[str, Any]]]:
    """The groups of each level: label, number of values, number of records."""
    return [level["groups"] for level in hierarchy_groups(hierarchy, counts)]


def _problem(error: PETWorksError) -> Phrase:
    """The problem of a hierarchy, without its name."""
    part = error.parts[0]
    problem = part.values.get("problem") if isinstance(part, Phrase) else None
    return problem if isinstance(problem, Phrase) else error.message


MAX_GROUPS = 50  # of a level
ALL_GROUPS = 250  # of all levels on a page
FEWEST = 5
MAX_LEVELS = 30
MAX_NODES = 80  # a larger hierarchy is not drawn as a tree
MAX_UNPLACED = 50
SAVED, PROPOSED, TRIED = "saved", "proposed", "tried"


@dataclass(frozen=True)
class Branch:
    """A group in a tree, and the groups in it."""

    label: str
    records: int
    inside: "list[Branch]"


@dataclass(frozen=True)
class Draft:
    """The content of the form of a column, with the declaration and the hierarchy that follow.

    state   whether it is saved, proposed or tried
    """

    kind: str
    fields: Mapping[str, Any]
    words: Words
    state: str
    fit: Fit


@ROUTES.get("/levels/column")
def show(request: Request, case: OpenCase) -> Response:
    """The page of a column."""
    columns = columns_of(case)
    column = columns.asked(request.query_params)
    proposal = columns.proposal(column.name)
    proposed = None if proposal is None else proposal[0].words
    words = proposed if column.words is None else column.words
    wanted = request.query_params.get("kind", "")
    kind = wanted if wanted in KINDS else "width" if words is None else kind_of(words)
    known = next(
        (declared for declared in (column.words, proposed) if declared is not None and kind_of(declared) == kind), {}
    )
    state, fit = SAVED, column.fit
    if column.status == "none" and proposal is not None and kind_of(proposal[0].words) == kind:
        state, fit = PROPOSED, Fit(proposal[1])
    draft = Draft(kind, fields_of(known), known, state, fit)
    return _page(request, case, columns, column, draft)


def _page(
    request: Request,
    case: OpenCase,
    columns: ColumnLevels,
    column: Column,
    draft: Draft,
    mistake: PETWorksError | None = None,
) -> Response:
    proposal = columns.proposal(column.name)
    return page(
        request,
        "levels_column",
        case,
        mistake=mistake,
        nav_step="levels",
        column=column,
        kinds=list(KINDS),
        kind=draft.kind,
        singles=KINDS[draft.kind],
        fields=initial_fields(draft.kind, column.counts, draft.fields),
        choices=CHOICES,
        path_text=path_text,
        above=ABOVE,
        proposed=None if proposal is None else (kind_of(proposal[0].words), in_yaml(proposal[0].words)),
        file=column.given.name if isinstance(column.given, Path) else None,
        declared=None if column.words is None else in_yaml(column.words),
        command=_command(request, case, column, draft.words),
        is_part=False,
        **_level_values(column.counts, draft),
    )


def _level_values(counts: Counts, draft: Draft) -> dict[str, Any]:
    """The template values for the levels of a hierarchy."""
    fit = draft.fit
    levels = [] if fit.hierarchy is None else groups_by_level(fit.hierarchy, counts)
    return {
        "state": draft.state,
        "fit": fit,
        "shown_unplaced": list(fit.unplaced[:MAX_UNPLACED]),
        "levels": list(enumerate(levels[:MAX_LEVELS])),
        "most_groups": max(FEWEST, min(MAX_GROUPS, ALL_GROUPS // max(len(levels[:MAX_LEVELS]), 1))),
        "tree": None if fit.hierarchy is None else _tree(fit.hierarchy, counts),
        "more_levels": max(len(levels) - MAX_LEVELS, 0),
    }


def _tree(hierarchy: Hierarchy, counts: Counts) -> Branch | None:
    """The whole hierarchy, from the top; None if it is large."""
    if sum(len(set(level)) for level in hierarchy.levels) > MAX_NODES:
        return None
    records = [counts.get(leaf, 0) for leaf in hierarchy.leaves]

    def grow(level: int, leaves: list[int]) -> Branch:
        label = hierarchy.levels[level][leaves[0]]
        below: dict[str, list[int]] = {}
        for leaf in leaves if level else ():
            below.setdefault(hierarchy.levels[level - 1][leaf], []).append(leaf)
        inside = [grow(level - 1, members) for members in below.values()]
        if len(inside) == 1 and inside[0].label == label:  # the same group on a lower level
            return inside[0]
        return Branch(label, sum(records[leaf] for leaf in leaves), inside)

    return grow(hierarchy.height, list(range(len(hierarchy.leaves))))


def _command(request: Request, case: OpenCase, column: Column, words: Words) -> str:
    """The command that shows the same: by the policy for a saved hierarchy, otherwise by options."""
    state, policy = studio(request), case.policy
    data = state.workspace.argument(policy.data) if isinstance(policy.data, Path) else str(policy.data)
    options = options_of(words) if words and words != column.words else None
    if options is None and column.words is not None:
        options = ["--policy", policy_argument(request, case)]
    reading = [part for key, value in policy.reading.items() for part in (f"--{key}", value)]
    return petworks_command("hierarchy", data, "--column", column.name, *(options or []), *reading)


def _try(columns: ColumnLevels, column: Column, form: Form) -> Draft:
    """What a form has, and the hierarchy that it describes."""
    kind, words = form.text("kind"), dict[str, Any]()
    if kind not in KINDS:
        raise InputError("expected a kind of hierarchy")
    fields = fields_sent(kind, form)
    try:
        words = words_of(kind, fields)
        fit = columns.fit(column.name, words)
    except HierarchyError as error:
        fit = Fit(None, problem=error.message)
    return Draft(kind, fields, words, TRIED, fit)


@ROUTES.post("/levels/preview")
def preview(request: Request, case: OpenCase, form: Form) -> Response:
    """The result of a form for the column, before it is saved."""
    columns = columns_of(case)
    column = columns.asked(request.query_params)
    draft = _try(columns, column, form)
    if not request.headers.get("x-part"):
        return _page(request, case, columns, column, draft)
    command = _command(request, case, column, draft.words)
    shown = _level_values(column.counts, draft)
    return part(request, "hierarchy_levels.html", case, column=column, is_part=True, command=command, **shown)


@ROUTES.post("/levels/save")
def save(request: Request, case: OpenCase, form: Form) -> Response:
    """Write the declaration into the policy."""
    columns = columns_of(case)
    column = columns.asked(request.query_params)
    draft = _try(columns, column, form)
    try:
        if draft.fit.problem is not None:
            raise HierarchyError(draft.fit.problem)
        _declare(case, columns, {column.name: draft.words}, form)
    except PETWorksError as error:
        return _page(request, case, columns, column, draft, error)
    return redirect(request, "/levels/column", case, column=str(column.index))


@ROUTES.post("/levels/propose")
def propose(request: Request, case: OpenCase, form: Form) -> Response:
    """Write proposals into the policy: for one column, or for all that have no hierarchy."""
    columns = columns_of(case)
    wanted = [columns.asked({"column": form.text("propose")})] if form.text("propose") != "all" else columns.all
    found = {column.name: columns.proposal(column.name) for column in wanted if column.status == "none"}
    new = {name: proposal[0].words for name, proposal in found.items() if proposal is not None}
    if not new:
        raise InputError("there is no proposal: the values are generalised already, or have a hierarchy")
    _declare(case, columns, new, form)
    return redirect(request, "/levels", case)


@ROUTES.post("/levels/remove")
def remove(request: Request, case: OpenCase, form: Form) -> Response:
    """Remove the hierarchy of a column from the policy."""
    columns = columns_of(case)
    column = columns.asked(request.query_params)
    _declare(case, columns, {column.name: None}, form)
    return redirect(request, "/levels/column", case, column=str(column.index))


def _declare(case: OpenCase, columns: ColumnLevels, new: Mapping[str, Words | None], form: Form) -> None:
    change = with_hierarchies(new, columns.given, case.file.path.parent)
    case.file.change(change, form.text("seen") or None)
