"""Quasi-identifiers with their hierarchies: where these come from, and which values have no place in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from PETWorks.about.declaration import Declaration, Named, hierarchy_files
from PETWorks.about.hierarchy import Hierarchy, read_hierarchy
from PETWorks.about.hierarchy_proposal import Proposal, proposed_hierarchy
from PETWorks.about.sidecar import read_sidecar
from PETWorks.counting.release import Release, built
from PETWorks.errors import InputError, PETWorksError, Phrase
from PETWorks.gate.policy import Policy
from PETWorks.render.hierarchy_text import hierarchy_groups
from PETWorks.studio.desk import Desk
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
            return Fit(built(declaration, name, view.table, view.background))
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
    named: Named | None = policy.hierarchies
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
