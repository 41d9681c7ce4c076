"""What is open on the page: a policy with its table, read once, and the check of it while nothing changes."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from threading import Lock, RLock
from time import monotonic
from typing import Any, TypeVar

from PETWorks.about.hierarchies.dates import read_date
from PETWorks.about.hierarchies.declaration import Declaration
from PETWorks.about.hierarchies.hierarchy import Hierarchy, read_hierarchies, read_hierarchy
from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.codes import CountedDomain
from PETWorks.counting.engines.engine import choose
from PETWorks.counting.memory.loading import load_rows
from PETWorks.counting.profiles import Profile, profiles_of
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError, Phrase
from PETWorks.gate.check.inputs import files_read
from PETWorks.gate.days import today
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.gate.suggest.suggestion import DATE, Examined, Suggestion, named_people, same_person_in, suggested_role
from PETWorks.render.checks import Check, check
from PETWorks.render.language.language import language
from PETWorks.studio.files.policy_file import PolicyFile
from PETWorks.studio.files.workspace import Workspace
from PETWorks.studio.server.jobs import Jobs
from PETWorks.tables.cells import SUPPRESSED, is_number
from PETWorks.tables.files import read_small
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.output import write_whole

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
    values: Mapping[str, CountedDomain]
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
    few = {
        name: CountedDomain(columns[name].labels, columns[name].counts) for name in names if _are_few(examined[name])
    }
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


MOST_DESKS = 3
Stamp = tuple[Any, ...]
Made = TypeVar("Made")


class Desk:
    """A policy as it is now, and what was computed from it. Threads share it; each thing is computed once."""

    def __init__(self, file: PolicyFile) -> None:
        self.file = file
        self.policy: Policy = read_policy(file.path)
        self.stamp = stamp_of(self.policy)
        self._made: dict[str, Any] = {}
        self._locks: defaultdict[str, RLock] = defaultdict(RLock)
        self._lock = Lock()

    @property
    def is_current(self) -> bool:
        """Whether the day, the policy and the files that it names are as they were when this was made."""
        return self.file.digest == self.policy.file.sha256 and stamp_of(self.policy) == self.stamp

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Something that is made of this policy and its table, once; other threads that want it wait for it."""
        with self._lock:
            lock = self._locks[name]
        with lock:
            if name not in self._made:
                self._made[name] = make()
            made: Made = self._made[name]
            return made

    def is_made(self, name: str) -> bool:
        """Whether something was made already."""
        return name in self._made

    @property
    def release(self) -> Release:
        """The policy's table, opened with its roles and hierarchies."""
        return self.once("release", self.policy.release)

    @property
    def check(self) -> Check:
        """The verdict, and everything that a report says."""
        return self.once("check", lambda: check(self.policy))

    @property
    def is_checked(self) -> bool:
        """Whether the verdict is known already."""
        return self.is_made("check")

    @property
    def table_name(self) -> str:
        """What the page calls the table."""
        return getattr(self.policy.data, "name", str(self.policy.data))


class Desks:
    """The desks that were used last, by their policy; one is made anew when the policy or its table has changed."""

    def __init__(self) -> None:
        self._desks: dict[Path, Desk] = {}
        self._lock = RLock()

    def of(self, path: Path) -> Desk:
        """The desk of a policy."""
        with self._lock:
            desk = self._desks.pop(path, None)
            if desk is None or not desk.is_current:
                desk = Desk(PolicyFile(path))
            self._desks[path] = desk
            for oldest in list(self._desks)[:-MOST_DESKS]:
                del self._desks[oldest]
            return desk


def stamp_of(policy: Policy) -> Stamp:
    """By which a change of what a check depends on is noticed: the policy, the files that it reads, and the day."""
    stats = [(path, path.stat()) for path in files_read(policy) if path.exists()]
    files = ((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in stats)
    return (policy.file.sha256, today().isoformat(), *files)  # waivers are judged by the day


NAME = "checked.json"
LARGEST = 10_000
VERDICTS = ("pass", "waived", "fail")


@dataclass(frozen=True)
class LastVerdict:
    """A policy as the list shows it.

    table     what it is about: a path below the folder, or an address
    verdict   of the last check; None if there was none
    is_current   whether it is of today and nothing has changed since
    mistake   why the policy cannot be read
    """

    path: str
    table: Path | None = None
    table_name: str = ""
    release: str | None = None
    verdict: str | None = None
    is_current: bool = False
    day: str = ""
    mistake: str | None = None


def remember(desk: Desk) -> None:
    """Keep the verdict on a policy beside its earlier versions; it is no loss if that cannot be written."""
    content = {"of": _name(desk.stamp), "verdict": desk.check.content.verdict, "day": today().isoformat()}
    with suppress(OSError, PETWorksError):
        desk.file.folder.mkdir(parents=True, exist_ok=True)
        write_whole({desk.file.folder / NAME: json.dumps(content).encode()})


def known(path: Path, shown: str) -> LastVerdict:
    """What is known about a policy without reading its table."""
    file = PolicyFile(path)
    try:
        policy: Policy = read_policy(path)
        stamp = stamp_of(policy)
    except PETWorksError as error:
        return LastVerdict(shown, mistake=error.worded())
    verdict, day, is_current = _last(file, stamp)
    table = policy.data if isinstance(policy.data, Path) else None
    name = str(policy.data).partition("://")[0] if table is None else table.name
    return LastVerdict(shown, table, name, policy.release_kind, verdict, is_current, day)


def _last(file: PolicyFile, stamp: Stamp) -> tuple[str | None, str, bool]:
    """The verdict of the last check, its day, and whether it was about the policy and the table as they are now."""
    try:
        content = json.loads(read_small(file.folder / NAME, LARGEST))
        verdict, day, of = content["verdict"], str(content["day"]), content["of"]
    except (OSError, ValueError, KeyError, TypeError, PETWorksError):
        return None, "", False
    return (verdict, day[:10], of == _name(stamp)) if verdict in VERDICTS else (None, "", False)


def _name(stamp: Stamp) -> str:
    return sha256(repr(stamp).encode("utf-8", "surrogateescape")).hexdigest()


@dataclass
class Studio:
    """A folder, what is open of it, and the commands that run.

    is_ending   whether the server is about to end, which answers that are still being sent must not delay
    lang        the language of the command that started it
    lang_chosen whether the user asked for that language, rather than the system
    """

    workspace: Workspace
    jobs: Jobs
    desks: Desks = field(default_factory=Desks)
    tables: Tables = field(default_factory=Tables)
    last_request: float = field(default_factory=monotonic)
    is_ending: Callable[[], bool] = lambda: False
    lang: str = field(default_factory=language)
    lang_chosen: bool = False
