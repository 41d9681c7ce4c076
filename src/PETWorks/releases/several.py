"""Several releases about the same people, as users pass them."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from PETWorks.about.sidecar import read_sidecar
from PETWorks.about.treatment import TREATMENTS
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engines.engine import Engine, MemoryEngine, choose, memory_limit_in_bytes
from PETWorks.counting.people import column_name
from PETWorks.counting.release import Release
from PETWorks.counting.view import Background, View
from PETWorks.displayable import Displayable
from PETWorks.errors import ParameterError, Phrase, RoleError, quoted, unknown
from PETWorks.measures.attacks.inference import check_worth
from PETWorks.measures.attacks.subsets import Sizes, Subsets, every_subset
from PETWorks.releases.composition import (
    CODED_DIFFERENTLY,
    KNOWN_ELSEWHERE,
    Caution,
    Composition,
    Contribution,
    Invariance,
    ReleaseAlone,
    check_limits,
    shapley_values,
    verdicts,
)
from PETWorks.releases.joined_people import JoinedReleases, KeyedEngine, check_key, join_releases
from PETWorks.releases.linked import (
    Exposure,
    Hits,
    HitsBySet,
    TargetAttribute,
    all_but,
    compute_exposure,
    first_releases,
    hits_by_set,
    successes_by_attack,
    value_counts,
)
from PETWorks.releases.unlinked import IntersectionCounts, count_intersections
from PETWorks.tables.frames import Frame
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source

KEY_WIDTH = 40  # a key takes as much memory as this many columns


def as_name_list(names: str | Iterable[str]) -> list[str]:
    """Column names as a list, also of a single name."""
    return [names] if isinstance(names, str) else list(names)


@dataclass(frozen=True, eq=False)
class OpenedReleases:
    """Releases by name, the key column of each, the engine, and the index of the focal release."""

    releases: dict[str, Release]
    keys: dict[str, str]
    engine: Engine
    focal_index: int

    @property
    def focal(self) -> str:
        """The name of the focal release."""
        return list(self.releases)[self.focal_index]


def open_releases(
    releases: Sequence[Any] | Mapping[str, Any],
    key: str | Mapping[str, str],
    focal: Any,
    asked: Mapping[str, Sequence[str]],
    engine: str,
    memory_limit: int | str | None,
    temp_folder: str | os.PathLike[str] | None,
) -> OpenedReleases:
    """Read all releases with one engine; those that are not a `Release` yet get the roles that were asked for."""
    listed = list(releases.values() if isinstance(releases, Mapping) else releases)
    sources = [
        item.source if isinstance(item, Release) else open_source(item, Phrase("release {number}", number=number))
        for number, item in enumerate(listed, 1)
    ]
    _check_requested_columns(asked, {name for source in sources for name in source.names})
    names = [str(name) for name in releases] if isinstance(releases, Mapping) else _names_of(sources)
    index = _focal(focal, names, listed, sources)
    keys = _keys(key, names)
    roles = [
        item.roles if isinstance(item, Release) else _roles(source, asked)
        for item, source in zip(listed, sources, strict=True)
    ]
    for name, item, source, own_roles in zip(names, listed, sources, roles, strict=True):
        check_key(
            name, source, own_roles, keys[name], item.view.background.given[1] if isinstance(item, Release) else None
        )
    columns = max(len(own_roles) for own_roles in roles) + KEY_WIDTH
    chosen = choose(_engine_name(engine, listed), sources, columns, memory_limit, temp_folder)
    made = {
        name: item
        if isinstance(item, Release)
        else Release(source, own_roles, {}, engine=KeyedEngine(chosen, keys[name]))
        for name, item, source, own_roles in zip(names, listed, sources, roles, strict=True)
    }
    return OpenedReleases(made, keys, chosen, index)


def _engine_name(engine: str, listed: Sequence[Any]) -> str:
    """The name of the engine; "auto" prefers one that a `Release` was read with, unless that is in memory."""
    used = {item.engine.name for item in listed if isinstance(item, Release)}
    return next((name for name in ("spark", "duckdb") if name in used), engine) if engine == "auto" else engine


def _check_requested_columns(asked: Mapping[str, Sequence[str]], known: Iterable[str]) -> None:
    """Raise for columns that no release has, or that have two roles."""
    twice = set(asked[QUASI_IDENTIFIER]) & set(asked[SENSITIVE_ATTRIBUTE])
    if twice:
        raise RoleError("columns with two roles: {columns}", columns=quoted(sorted(twice)))
    for names in asked.values():
        for name in names:
            if name not in known:
                raise RoleError("no release has the column {column}", column=quoted([name]))


def _roles(source: Source, asked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The roles in the YAML file beside a table; a role that was asked for replaces the one in the file."""
    beside = {} if source.path is None else read_sidecar(source.path).roles
    roles = {column: role for column, role in beside.items() if not asked.get(role)}
    for role, names in asked.items():
        for name in names:
            if name in source.names:
                roles[name] = role
    return roles


def _names_of(sources: Sequence[Source]) -> list[str]:
    """The names of releases: the file name, with its folder where several have the same; or a number."""
    short = [
        f"release {number}" if isinstance(source, Frame) and source.path is None else source.name
        for number, source in enumerate(sources, 1)
    ]
    times = Counter(short)
    names = [
        name if times[name] == 1 else str(source.path or f"release {number}")
        for number, (name, source) in enumerate(zip(short, sources, strict=True), 1)
    ]
    times = Counter(names)
    return [name if times[name] == 1 else f"{name} ({number})" for number, name in enumerate(names, 1)]


def _keys(key: str | Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """The key column of each release."""
    if isinstance(key, str):
        return dict.fromkeys(names, key.strip())
    if set(key) != set(names) or not all(isinstance(column, str) for column in key.values()):
        raise ParameterError(
            "expected a key for each of {names}, got keys for {key}", names=quoted(names), key=quoted(key), what="key"
        )
    return {name: column.strip() for name, column in key.items()}


def _focal(focal: Any, names: Sequence[str], listed: Sequence[Any], sources: Sequence[Source]) -> int:
    """The index of the focal release."""
    if focal is None:
        return len(names) - 1
    if not isinstance(focal, str | os.PathLike):
        indices = [index for index, item in enumerate(listed) if item is focal]
    elif str(focal) in names:
        indices = [names.index(str(focal))]
    else:
        paths = [source.path for source in sources]
        indices = [index for index, path in enumerate(paths) if path is not None and path == Path(focal)]
    if len(indices) != 1:
        name = str(focal) if isinstance(focal, str | os.PathLike) else type(focal).__name__
        raise unknown("release", name, names, what="focal")
    return indices[0]


def attacked_columns(release: Release, sensitive: Sequence[str], name: str) -> list[str]:
    """The sensitive attributes of the focal release to attack: all of them, or those asked for."""
    missing = [column for column in sensitive if column not in release.sensitive_attributes]
    if missing:
        raise RoleError(
            "{release}: no sensitive attribute is called {missing}", release=quoted([name]), missing=quoted(missing)
        )
    return [column for column in release.sensitive_attributes if not sensitive or column in sensitive]


class Releases(Displayable):
    """Several releases about the same people, the oldest first.

    releases            `Release` objects, paths or data frames; a dict gives them names
    key                 the column that names the person, in each table or in the original of a `Release`; a dict
                        from release to column if it is called differently in some
    focal               the release whose people are the targets, by its name or path; the last one by default
    quasi_identifiers   for tables that are not a `Release` yet, instead of the YAML file beside them; each table uses
    sensitive           the columns it has. Of the focal release, only these sensitive attributes are attacked
    worth               what it is worth to an adversary to guess a value, 1 by default: {"grade": {"A": 10}}
    engine              and memory_limit, temp_folder: where people are joined and counted; see `Release`

    >>> Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil")
    <2 releases, 10 people of 'school_2023.csv': 'school_2022.csv', 'school_2023.csv'>
    """

    def __init__(
        self,
        releases: Sequence[Any] | Mapping[str, Any],
        key: str | Mapping[str, str],
        *,
        focal: Any = None,
        quasi_identifiers: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
        worth: Mapping[str, Mapping[str | None, Any]] | None = None,
        engine: str = "auto",
        memory_limit: int | str | None = None,
        temp_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        if not isinstance(releases, list | tuple | Mapping) or len(releases) < 2:
            got = len(releases) if isinstance(releases, list | tuple | Mapping) else type(releases).__name__
            raise ParameterError(
                "expected a list or dict of at least two releases, got {given}", given=got, what="releases"
            )
        if not isinstance(key, str | Mapping):
            raise ParameterError(
                "expected the key as the name of a column, got {type}", type=type(key).__name__, what="key"
            )
        asked = {QUASI_IDENTIFIER: as_name_list(quasi_identifiers), SENSITIVE_ATTRIBUTE: as_name_list(sensitive)}
        inputs = open_releases(releases, key, focal, asked, engine, memory_limit, temp_folder)
        self.focal, self.releases, self.engine = inputs.focal, inputs.releases, inputs.engine
        self.key = inputs.keys[self.focal]
        self._memory = memory_limit_in_bytes(memory_limit)
        columns = attacked_columns(self.releases[self.focal], asked[SENSITIVE_ATTRIBUTE], self.focal)
        self.joined: JoinedReleases = join_releases(
            self.releases, inputs.keys, inputs.engine, inputs.focal_index, columns
        )
        most = max(member.people for member in self.joined.members)
        self.worth = check_worth(
            worth or {},
            self.joined.values,
            most,
            Phrase("any release"),
            Phrase("sensitive attribute of the focal release"),
            folds=self.joined.focal.release.view.folds_values,
        )
        self._attacked = [
            TargetAttribute(name, len(values), self.worth.get(name), self.joined.missing(name))
            for name, values in self.joined.values.items()
        ]

    def __repr__(self) -> str:
        people = self.joined.focal.people
        return f"<{len(self.releases)} releases, {people} people of {self.focal!r}: {quoted(self.releases)}>"

    def compose(self, limits: Mapping[str, Any] | None = None) -> Composition:
        """Measure what the releases disclose together, next to each of them alone.

        limits   the most that is allowed: re-identification and inference (posterior of the linked adversary), alone
                 and one-value (shares of people), gain, disclosed and half-sure (unlinked adversary); and the least
                 m of m-invariance. Those about a sensitive attribute can be about one: {"inference:grade": 0.8}

        >>> releases = Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil")
        >>> releases.compose({"re-identification": 1 / 2}).satisfied
        False
        """
        checked = check_limits({} if limits is None else limits, self.joined.values)
        self._count()
        members, hits = self.joined.members, self._hits
        curve = [self._compute_exposure(hits[first_releases(index + 1)]) for index in range(len(members))]
        having = {name: [member.name for member in self.joined.members_with(name)] for name in self.joined.values}
        composition = Composition(
            self.key,
            self.focal,
            self._parts,
            curve[-1],
            curve,
            self._contributions(hits),
            {
                name: self._crossed[name].intersection([member.name for member in members], with_attribute)
                for name, with_attribute in having.items()
                if len(with_attribute) > 1
            },
            {name: self._invariance(name) for name in self.joined.values},
            self._cautions(),
        )
        return replace(composition, limits=verdicts(composition, checked))

    def subsets(
        self,
        sizes: Sizes = "all",
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Subsets:
        """Attack the people of the focal release with every subset of the columns of all releases.

        A column is called by its release and its name: `2022.csv: age`. "Not in this release" is a value. The arguments
        are those of `every_subset`.

        >>> subsets = Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil").subsets("1-2")
        >>> subsets.row({"school_2022.csv: school", "school_2023.csv: age"})["classes"]
        5
        """
        people = self.joined.people
        treatment = {name: options[0] for name, options in TREATMENTS.items()} | {"privacy_unit": None}
        known = tuple(
            column_name(member.name, name)
            for member in self.joined.members
            for name in member.release.quasi_identifiers
        )
        attributes = tuple(self.joined.values)
        view = View(people.columns, known, attributes, {}, treatment, Background(), (*known, *attributes))
        return every_subset(
            view, sizes, worth=self.worth, memory=self._memory, checkpoint=checkpoint, resume=resume, progress=progress
        )

    def _count(self) -> None:
        """Count for both adversaries and for each release alone; in memory, in two threads."""
        if isinstance(self.engine, MemoryEngine):
            from concurrent.futures import ThreadPoolExecutor

            _ = self.joined.people.targets  # both adversaries need it, so compute it before the threads start
            with ThreadPoolExecutor(2) as pool:
                linked = pool.submit(lambda: self._hits)
                unlinked = pool.submit(lambda: (self._crossed, self._alone))
                for work in (linked, unlinked):
                    work.result()

    @cached_property
    def _hits(self) -> HitsBySet:
        """The hits of the linked adversary, by set of releases."""
        return hits_by_set(self.joined.people, self._attacked)

    @cached_property
    def _crossed(self) -> dict[str, IntersectionCounts]:
        """The counts of the unlinked adversary's attack, by attribute."""
        answers = {}
        for attribute in self._attacked:
            index = self.joined.members_with(attribute.name).index(self.joined.focal)
            kernel = partial(count_intersections, attribute.values, index, missing=attribute.missing)
            answers[attribute.name] = self.joined.people.offers(
                attribute.name, kernel, IntersectionCounts.add, attribute.missing
            )
        return answers

    @cached_property
    def _alone(self) -> list[tuple[Exposure, int, dict[str, int]]]:
        return [member.measure_alone(self.worth) for member in self.joined.members]

    def _compute_exposure(self, hits: Hits) -> Exposure:
        """The exposure of the people in the focal release."""
        counts = {name: self.joined.counts(name) for name in self.joined.values}
        return compute_exposure(self.joined.focal.people, hits, self._attacked, counts)

    @property
    def _parts(self) -> list[ReleaseAlone]:
        """The results of each release alone."""
        parts = []
        for member, common, (alone, *_) in zip(
            self.joined.members, self.joined.people.in_common, self._alone, strict=True
        ):
            known, sensitive = member.release.quasi_identifiers, member.release.sensitive_attributes
            parts.append(ReleaseAlone(member.name, member.people, common, known, sensitive, alone))
        return parts

    def _invariance(self, attribute: str) -> Invariance:
        """m-invariance of an attribute, over the releases that have it and everyone in them."""
        alone = [
            (member.name, smallest, repeated[attribute])
            for member, (_, smallest, repeated) in zip(self.joined.members, self._alone, strict=True)
            if attribute in member.common
        ]
        return Invariance(
            min(smallest for _, smallest, _ in alone),
            {name: repeated for name, _, repeated in alone},
            self._crossed[attribute].inconstant,
        )

    def _contributions(self, hits: HitsBySet) -> list[Contribution]:
        focal, members = self.joined.focal, self.joined.members
        number = len(members)
        left = successes_by_attack([self._compute_exposure(hits[all_but(index, number)]) for index in range(number)])
        with_all = successes_by_attack([self._compute_exposure(hits[first_releases(number)])])
        counts = [value_counts(attribute, self.joined.counts(attribute.name)) for attribute in self._attacked]
        people = [focal.people, *(max(int(having.sum()), 1) for having in counts)]
        shares = shapley_values(people, [1, *(int(having.max()) for having in counts)], hits, number)
        contributions = []
        for attack_place, attack in enumerate(left):
            for index, member in enumerate(members):
                stays = member is focal
                of = people[attack_place]
                without = None if stays else left[attack][index] / of
                saves = None if stays else (with_all[attack][0] - left[attack][index]) / of
                share = None if shares is None else shares[attack_place][index]
                contributions.append(Contribution(member.name, attack, without, saves, share))
        return contributions

    def _cautions(self) -> list[Caution]:
        """Sensitive attributes that another release seems to code differently, or treats as known to adversaries."""
        cautions = [
            Caution(KNOWN_ELSEWHERE, name, member.name, self.focal)
            for name in self.joined.values
            for member in self.joined.members
            if name in member.release.quasi_identifiers
        ]
        for name in self.joined.values:
            for member in self.joined.members_with(name):
                strange = self.joined.share_of_unknown_values(name, member)
                if strange:
                    cautions.append(Caution(CODED_DIFFERENTLY, name, member.name, self.focal, float(strange)))
        return cautions
