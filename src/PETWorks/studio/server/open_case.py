"""The open policy with its table, read once, and its check, which is kept until something changes."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any

from PETWorks.about.hierarchies.dates import read_date
from PETWorks.about.hierarchies.declaration import Declaration, hierarchy_files
from PETWorks.about.hierarchies.hierarchy import Hierarchy, read_hierarchy
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.codes import CountedDomain
from PETWorks.counting.engines.engine import choose, load_rows
from PETWorks.counting.profiles import Profile, profiles_of
from PETWorks.errors import PETWorksError, Phrase
from PETWorks.gate.case import Case
from PETWorks.gate.check.inputs import files_read
from PETWorks.gate.check.may_go_out import changed_since_made, hierarchies_of
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.gate.policy.policy_rules import today
from PETWorks.gate.suggest.privacy_unit import find_people
from PETWorks.gate.suggest.suggestion import DATE, ExaminedColumn, Suggestion, as_unit, suggest_role
from PETWorks.render.check_result import Check, check_case
from PETWorks.render.language.messages import language
from PETWorks.render.report.prose import CAVEATS, caveat_of
from PETWorks.studio.files.policy_file import PolicyFile
from PETWorks.studio.files.workspace import Workspace
from PETWorks.studio.server.jobs import Jobs
from PETWorks.tables.cells import SUPPRESSED, is_number
from PETWorks.tables.files import FilesRead, read_small
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.output import write_whole

SHORTEST_DATE = 7  # digits
MAX_VALUES = 100_000  # values of a column that are looked up in its hierarchy; with more, none is


@dataclass(frozen=True)
class Fit:
    """A hierarchy, and how well the values of a column fit into it.

    hierarchy   with the values that fit; None if there is none at all
    unplaced    the values that do not fit, with their numbers of records, the most frequent first
    problem     why it cannot be used
    """

    hierarchy: Hierarchy | None
    unplaced: Sequence[tuple[str, int]] = ()
    problem: str | None = None

    @property
    def is_usable(self) -> bool:
        """Whether every value fits, and the levels nest."""
        return self.hierarchy is not None and self.problem is None


def fit_declaration(declaration: Declaration, counts: Mapping[str, int]) -> Fit:
    """Fit the values of a column into a declared hierarchy."""
    scheme = declaration.scheme(counts)
    unplaced = {value for value in counts if scheme.below(value) is None and scheme.path(value) is None}
    fitting: dict[str | None, int] = {value: count for value, count in counts.items() if value not in unplaced}
    try:
        hierarchy = declaration.build(fitting) if fitting or not counts else None
    except PETWorksError:
        hierarchy = None
    return Fit(hierarchy, _by_frequency(unplaced, counts))


def fit_file(file: Path, counts: Mapping[str, int]) -> Fit:
    """Fit the values of a column into the hierarchy in a file."""
    try:
        hierarchy = read_hierarchy(file)
    except PETWorksError as error:
        return Fit(None, problem=error.message)
    problem = _not_nested(hierarchy)
    unplaced = {value for value in counts if hierarchy.level(value) is None}
    if unplaced:
        problem = Phrase(
            "{strange} of {values} values are not in {file}", strange=len(unplaced), values=len(counts), file=file.name
        )
    return Fit(hierarchy, _by_frequency(unplaced, counts), problem)


def _not_nested(hierarchy: Hierarchy) -> Phrase | None:
    for level, (lower, upper) in enumerate(zip(hierarchy.levels, hierarchy.levels[1:], strict=False)):
        if len(set(zip(lower, upper, strict=True))) > len(set(lower)):
            return Phrase(
                "the levels do not nest: values that are equal on level {level} are not on level {next_level}",
                level=level,
                next_level=level + 1,
            )
    return None


def present_values(counts: Mapping[str | None, int]) -> dict[str, int]:
    """The values that are neither missing nor suppressed, with their numbers of records."""
    return {value: count for value, count in counts.items() if value is not None and value != SUPPRESSED}


def _by_frequency(values: set[str], counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(((value, counts[value]) for value in values), key=lambda pair: (-pair[1], pair[0]))


def given_hierarchies(policy: Policy, columns: Sequence[str]) -> dict[str, Declaration | Path]:
    """The declaration or the file of each column that has one, from the policy or the file beside the table."""
    named = hierarchies_of(policy)
    if isinstance(named, Path):
        files = hierarchy_files(named)
        return {name: file for name in columns for file in files if file.name.endswith(f"hierarchy_{name}.csv")}
    return {name: hierarchy for name, hierarchy in (named or {}).items() if name in columns}


@dataclass(frozen=True)
class GivenHierarchy:
    """The hierarchy that a policy gives for a column.

    given   its declaration or its file; None if there is none
    fit     how well the values of the table fit into it
    """

    given: Declaration | Path | None = None
    fit: Fit = Fit(None)

    @property
    def status(self) -> str:
        """How it is given: "declared", "file" or "none"."""
        return "none" if self.given is None else "file" if isinstance(self.given, Path) else "declared"

    @property
    def words(self) -> Mapping[str, Any] | None:
        """The declaration; None if there is none."""
        return self.given.words if isinstance(self.given, Declaration) else None


@dataclass(frozen=True, eq=False)
class ExaminedTable:
    """The columns of a table. Columns without a name are left out: they can have no role.

    values           for columns with few values: the values, and the number of records of each
    indices          index of each column among all columns of the table
    suggested_unit   the column that seems to name the person
    """

    profiles: Mapping[str, ExaminedColumn]
    values: Mapping[str, CountedDomain]
    indices: Mapping[str, int]
    suggested_unit: str | None = None
    _hierarchies: dict[Any, GivenHierarchy] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the columns, in table order."""
        return list(self.profiles)

    @property
    def records(self) -> int:
        """Number of records in the table."""
        return max((profile.records for profile in self.profiles.values()), default=0)

    @cached_property
    def suggestions(self) -> dict[str, Suggestion]:
        """The suggested role of each column."""
        suggested = {name: suggest_role(name, profile) for name, profile in self.profiles.items()}
        if self.suggested_unit is not None:
            suggested[self.suggested_unit] = as_unit(suggested[self.suggested_unit])
        return suggested

    def kind(self, column: str) -> str:
        """The key of the message that names the kind of a column's values: dates, numbers, texts …"""
        profile = self.profiles[column]
        if profile.present == 0:
            return "studio.columns.empty"
        if profile.look == DATE or profile.most(_is_date):
            return "studio.columns.date"
        if profile.look is not None:
            return f"look.{profile.look}"
        return "studio.columns.number" if profile.measured else "studio.columns.text"

    def hierarchies(self, policy: Policy) -> dict[str, GivenHierarchy]:
        """The hierarchy of each column that has one."""
        given = given_hierarchies(policy, self.names)
        return {name: self._given_hierarchy(name, hierarchy) for name, hierarchy in given.items()}

    def _given_hierarchy(self, column: str, given: Declaration | Path) -> GivenHierarchy:
        """The hierarchy of a column, kept until its declaration or file changes."""
        if isinstance(given, Path):
            key: Any = (column, given, given.stat().st_mtime_ns if given.exists() else None)
        else:
            key = (column, repr(given.words))
        if key not in self._hierarchies:
            counts, fit = self._counts(column), Fit(None)
            with suppress(PETWorksError):
                fit = fit_file(given, counts) if isinstance(given, Path) else fit_declaration(given, counts)
            self._hierarchies[key] = GivenHierarchy(given, fit)
        return self._hierarchies[key]

    def _counts(self, column: str) -> dict[str, int]:
        """Number of records per value; empty for a column with very many values."""
        few = self.values.get(column)
        return {} if few is None else present_values(dict(zip(few.values, few.counts.tolist(), strict=True)))


def read_facts(policy: Policy) -> ExaminedTable:
    """Read the table of a policy once, and profile its columns."""
    source = open_source(open_table(policy.data, **policy.reading), Phrase("the table"))
    engine = choose("auto", [source], len(source.names))
    indices = {name: index for index, name in enumerate(source.names) if name}
    names = list(indices)
    if engine.name != "memory":
        profiles = engine.profiles(source, names)
        suggested_unit = _suggested_unit(profiles, partial(engine.load, source))
        engine.close()
        return ExaminedTable({name: ExaminedColumn.of(profiles[name]) for name in names}, {}, indices, suggested_unit)
    table = load_rows(source, names)
    columns = table.columns
    profiles = profiles_of(columns, names)
    examined = {name: ExaminedColumn.of(profile) for name, profile in profiles.items()}
    few = {
        name: CountedDomain(columns[name].labels, columns[name].counts)
        for name in names
        if examined[name].distinct <= MAX_VALUES
    }
    return ExaminedTable(examined, few, indices, _suggested_unit(profiles, lambda _columns: table))


def _suggested_unit(profiles: Mapping[str, Profile], load: Callable[[Sequence[str]], Any]) -> str | None:
    """The column that seems to name the person."""
    examined = {name: ExaminedColumn.of(profile) for name, profile in profiles.items()}
    identifiers = [name for name, profile in examined.items() if suggest_role(name, profile).role == IDENTIFIER]
    people = find_people(examined, identifiers, load, list(examined))
    return None if people is None else people.unit


def _is_date(text: str) -> bool:
    """Whether a text is a date, in either calendar; a few digits, or 159.4, are rather a number."""
    is_rather_number = len(text) < SHORTEST_DATE if text.isdecimal() else is_number(text)
    return not is_rather_number and any(read_date(text, roc=roc) is not None for roc in (False, True))


MAX_CASES = 3
FILES_KEPT = 2  # tables whose bytes stay in memory between two pages
Stamp = tuple[Any, ...]


class OpenCase(Case):
    """The case of an open policy file. Pages and threads share it.

    before   the case of the same file before it was changed; facts about an unchanged table are taken from it
    """

    def __init__(self, file: PolicyFile, before: "OpenCase | None" = None) -> None:
        super().__init__(read_policy(file.path))
        self.file = file
        self.stamp = stamp_of(self.policy)
        self._table = _table_stamp(self.policy)
        if before is not None and before.is_made("facts") and before._table == self._table:
            self._made["facts"] = before.facts

    @property
    def is_current(self) -> bool:
        """Whether the day, the policy and the files that it names are unchanged since this was made."""
        unchanged = not self.is_made("inputs") or self.inputs.are_current
        return unchanged and self.file.digest == self.policy.file.sha256 and stamp_of(self.policy) == self.stamp

    @property
    def facts(self) -> ExaminedTable:
        """The columns of the table; they do not depend on the rest of the policy."""
        return self.once("facts", lambda: read_facts(self.policy))

    @property
    def check(self) -> Check:
        """The check of the policy, with its verdict and everything that a report needs."""
        return self.once("check", lambda: check_case(self))

    @property
    def is_checked(self) -> bool:
        """Whether the check was already computed."""
        return self.is_made("check")

    @property
    def table_name(self) -> str:
        """The name of the table on the page."""
        return getattr(self.policy.data, "name", str(self.policy.data))


class Cases:
    """A cache of the policies that were open last; one is made anew when its policy or table has changed."""

    def __init__(self) -> None:
        self._cases: dict[Path, OpenCase] = {}
        self._lock = RLock()

    def of(self, path: Path) -> OpenCase:
        """The case of a policy."""
        with self._lock:
            case = self._cases.pop(path, None)
            if case is None or not case.is_current:
                case = OpenCase(PolicyFile(path), case)
            self._cases[path] = case
            for oldest in list(self._cases)[:-MAX_CASES]:
                del self._cases[oldest]
            return case


def _table_stamp(policy: Policy) -> Stamp:
    """A value that changes with the table and how it is read."""
    stat = policy.data.stat() if isinstance(policy.data, Path) and policy.data.exists() else None
    version = None if stat is None else (stat.st_mtime_ns, stat.st_size)
    return str(policy.data), version, *sorted(policy.reading.items())


def stamp_of(policy: Policy) -> Stamp:
    """A value that changes with everything that a check depends on: the policy, the files it reads, the day."""
    stats = [(path, path.stat()) for path in files_read(policy) if path.exists()]
    files = ((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in stats)
    return (policy.file.sha256, today().isoformat(), *files)  # waivers expire by the day


VERDICT_FILE = "checked.json"
LARGEST_VERDICT_FILE = 10_000  # bytes
VERDICTS = ("pass", "waived", "fail")


@dataclass(frozen=True)
class LastVerdict:
    """A policy in the list of policies.

    table        its table: a path below the folder; None if it is an address
    verdict      of the last check; None if there was none
    is_current   whether it is of today and nothing has changed since
    mistake      why the policy cannot be read
    records, risk   of the last check: the number of records, and the highest risk of one of them
    caveat       what a passing verdict rests on ("assumed") or leaves open ("warned")
    is_outdated  whether it is about a release, and the settings that the release was made with have changed since
    """

    path: str
    table: Path | None = None
    table_name: str = ""
    release: str | None = None
    verdict: str | None = None
    is_current: bool = False
    day: str = ""
    mistake: str | None = None
    records: int | None = None
    risk: float | None = None
    caveat: str | None = None
    is_outdated: bool = False


def remember_verdict(case: OpenCase) -> dict[str, Any]:
    """Store the verdict on a policy beside its earlier versions; if it cannot be written, nothing is lost."""
    document = case.check.content
    risks = [result.value for result in document.results if result.measure == "prosecutor-risk"]
    facts = {
        "verdict": document.verdict,
        "day": today().isoformat(),
        "records": document.table.records,
        "caveat": caveat_of(document),
        "risk": next((float(risk) for risk in risks if isinstance(risk, int | float)), None),
    }
    with suppress(OSError, PETWorksError):
        case.file.folder.mkdir(parents=True, exist_ok=True)
        stored = json.dumps({"of": _digest(case.stamp), **facts}).encode()
        write_whole({case.file.folder / VERDICT_FILE: stored})
    return facts


def last_verdict(path: Path, shown_path: str) -> LastVerdict:
    """The last verdict on a policy, found without reading its table."""
    file = PolicyFile(path)
    try:
        policy: Policy = read_policy(path)
        stamp = stamp_of(policy)
        is_outdated = bool(changed_since_made(policy))
    except PETWorksError as error:
        return LastVerdict(shown_path, mistake=error.worded())
    table = policy.data if isinstance(policy.data, Path) else None
    name = str(policy.data).partition("://")[0] if table is None else table.name
    known = _read_last(file, stamp)
    return LastVerdict(shown_path, table, name, policy.release_kind, is_outdated=is_outdated, **known)


def _read_last(file: PolicyFile, stamp: Stamp) -> dict[str, Any]:
    """What was stored of the last check, and whether policy and table are unchanged since; empty if it is invalid."""
    try:
        content = json.loads(read_small(file.folder / VERDICT_FILE, LARGEST_VERDICT_FILE))
        facts = {name: content.get(name) for name in ("verdict", "records", "risk", "caveat")}
        is_current, day = content["of"] == _digest(stamp), str(content["day"])[:10]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, PETWorksError):
        return {}
    numbers = [facts["records"], facts["risk"]]
    are_numbers = all(number is None or type(number) in (int, float) for number in numbers)
    is_valid = facts["verdict"] in VERDICTS and are_numbers and facts["caveat"] in (None, *CAVEATS.values())
    return {**facts, "day": day, "is_current": is_current} if is_valid else {}


def _digest(stamp: Stamp) -> str:
    return sha256(repr(stamp).encode("utf-8", "surrogateescape")).hexdigest()


@dataclass
class Studio:
    """The state of the server: its folder, the open policies, and the running commands.

    is_ending    whether the server is about to end, so that answers that are still being sent must stop
    lang         the language of the command that started it
    lang_chosen  whether the user asked for that language, rather than the system
    """

    workspace: Workspace
    jobs: Jobs
    cases: Cases = field(default_factory=Cases)
    files: FilesRead = field(default_factory=partial(FilesRead, FILES_KEPT))
    last_request: float = field(default_factory=monotonic)
    is_ending: Callable[[], bool] = lambda: False
    lang: str = field(default_factory=language)
    lang_chosen: bool = False
