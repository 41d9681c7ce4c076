"""A table at a glance, read once however often its policy changes: its columns, and the roles that they suggest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import Any

from PETWorks.about.dates import read_date
from PETWorks.about.declaration import Declaration
from PETWorks.about.hierarchy import Hierarchy, read_hierarchies, read_hierarchy
from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.codes import Known
from PETWorks.counting.engine import choose
from PETWorks.counting.loading import load_rows
from PETWorks.counting.profiles import Profile, profiles_of
from PETWorks.errors import PETWorksError, Phrase
from PETWorks.gate.named_people import named_people, same_person_in
from PETWorks.gate.policy import Policy
from PETWorks.gate.recognition import DATE, Examined
from PETWorks.gate.suggestion import Suggestion, suggested_role
from PETWorks.tables.cells import SUPPRESSED, is_number
from PETWorks.tables.opening import open_source, open_table

MOST_TABLES = 3
SHORTEST_DATE = 7  # digits
MOST_VALUES = 100_000  # of a column whose places in a hierarchy are looked for


@dataclass(frozen=True)
class Places:
    """The hierarchy of a column as a policy has it.

    kind      how it is given: "declared", "file" or "none"
    what      the first word of the declaration, or the name of the file
    levels    how often a value can be generalised; None if the hierarchy cannot be used
    strange   values of the table that have no place in it
    """

    kind: str
    what: str = ""
    levels: int | None = None
    strange: int = 0


@dataclass(frozen=True, eq=False)
class TableFacts:
    """The columns of a table, without those that have no name: they can have no role.

    places_in_table   where each column is among all of them
    values            of columns with few values, which they are and how many records have each
    suggested_unit    the column that seems to name the person
    """

    profiles: Mapping[str, Examined]
    values: Mapping[str, Known]
    places_in_table: Mapping[str, int]
    suggested_unit: str | None = None
    _places: dict[Any, Places] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns in their order."""
        return list(self.profiles)

    @property
    def records(self) -> int:
        """How many records the table has."""
        return max((one.records for one in self.profiles.values()), default=0)

    @cached_property
    def suggestions(self) -> dict[str, Suggestion]:
        """The role that each column suggests."""
        return {name: suggested_role(name, profile) for name, profile in self.profiles.items()}

    def kind(self, column: str) -> str:
        """What the values of a column are: the name of a message."""
        profile = self.profiles[column]
        if profile.present == 0:
            return "studio.columns.empty"
        if profile.look == DATE or profile.most(_is_date):
            return "studio.columns.date"
        if profile.look is not None:
            return f"look.{profile.look}"
        return "studio.columns.number" if profile.measured else "studio.columns.text"

    def places(self, policy: Policy) -> dict[str, Places]:
        """The hierarchy of each column that has one."""
        given: Any = policy.hierarchies
        if given is None and isinstance(policy.data, Path):
            given = read_sidecar(policy.data).hierarchies
        if isinstance(given, Path):
            try:
                given = read_hierarchies(given, self.names)
            except PETWorksError:
                return {name: Places("file", given.name) for name in policy.roles or ()}
        return {name: self._place(name, one) for name, one in (given or {}).items() if name in self.profiles}

    def _place(self, column: str, given: Declaration | Path | Hierarchy) -> Places:
        if isinstance(given, Declaration):
            key: Any = (column, repr(given.words))
        elif isinstance(given, Path):
            key = (column, given, given.stat().st_mtime_ns if given.exists() else None)
        else:
            key = None
        if key is None or key not in self._places:
            found = self._found(column, given)
            if key is None:
                return found
            self._places[key] = found
        return self._places[key]

    def _found(self, column: str, given: Declaration | Path | Hierarchy) -> Places:
        """Whether the values of a column have their place."""
        counts = self._counts(column)
        if isinstance(given, Declaration):
            kind, what = "declared", next(iter(given.words))
        else:
            kind, what = "file", given.name
        try:
            if isinstance(given, Declaration):
                scheme = given.scheme(counts)
                strange = sum(scheme.below(one) is None and scheme.path(one) is None for one in counts)
                return Places(kind, what, None if strange else given.build(counts).height, strange)
            hierarchy = read_hierarchy(given) if isinstance(given, Path) else given
        except PETWorksError:
            return Places(kind, what)
        return Places(kind, what, hierarchy.height, sum(hierarchy.level(one) is None for one in counts))

    def _counts(self, column: str) -> dict[Any, int]:
        """How many records have each value; nothing is known of a column with very many."""
        known = self.values.get(column)
        counts = {} if known is None else dict(zip(known.values, known.counts.tolist(), strict=True))
        return {value: count for value, count in counts.items() if value is not None and value != SUPPRESSED}


def look_at(policy: Policy) -> TableFacts:
    """The table of a policy, read once."""
    source = open_source(open_table(policy.data, **policy.reading), Phrase("the table"))
    engine = choose("auto", [source], len(source.names))
    places = {name: place for place, name in enumerate(source.names) if name}
    names = list(places)
    if engine.name != "memory":
        profiles = engine.profiles(source, names)
        unit = _unit(profiles, partial(engine.load, source))
        engine.close()
        return TableFacts({name: Examined.of(profiles[name]) for name in names}, {}, places, unit)
    table = load_rows(source, names)
    columns = table.columns
    profiles = profiles_of(columns, names)
    examined = {name: Examined.of(one) for name, one in profiles.items()}
    few = {name: Known(columns[name].labels, columns[name].counts) for name in names if _are_few(examined[name])}
    return TableFacts(examined, few, places, _unit(profiles, lambda _columns: table))


def _unit(profiles: Mapping[str, Profile], load: Callable[[Sequence[str]], Any]) -> str | None:
    """The column that seems to name the person, of a table that can be loaded."""
    examined = {name: Examined.of(one) for name, one in profiles.items()}
    identifiers = {name: one for name, one in examined.items() if suggested_role(name, one).role == IDENTIFIER}
    return named_people(identifiers, same_person_in(load, list(examined)))


def _is_date(text: str) -> bool:
    """Whether a text is a date, also one of the Republic of China; a few digits, or 159.4, are rather a number."""
    may_be_any = len(text) < SHORTEST_DATE if text.isdecimal() else is_number(text)
    return not may_be_any and any(read_date(text, roc=roc) is not None for roc in (False, True))


def _are_few(profile: Examined) -> bool:
    return profile.distinct <= MOST_VALUES


class Tables:
    """The tables that were looked at last."""

    def __init__(self) -> None:
        self._tables: dict[Any, TableFacts] = {}
        self._lock = Lock()

    def of(self, policy: Policy) -> TableFacts:
        """The table of a policy."""
        stat = policy.data.stat() if isinstance(policy.data, Path) and policy.data.exists() else None
        version = None if stat is None else (stat.st_mtime_ns, stat.st_size)
        key = (str(policy.data), version, *sorted(policy.reading.items()))
        with self._lock:
            if key not in self._tables:
                self._tables[key] = look_at(policy)
            self._tables[key] = self._tables.pop(key)
            for oldest in list(self._tables)[:-MOST_TABLES]:
                del self._tables[oldest]
            return self._tables[key]
