"""Several releases about the same people, as users give them."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError, RoleError, quoted, unknown
from PETWorks.measures.numbers import percent
from PETWorks.measures.parameters import Number
from PETWorks.releases.classes import Classes
from PETWorks.releases.composition import Composition, Part
from PETWorks.releases.contributions import Contribution, one_by_one, shapley_values, without_each
from PETWorks.releases.invariance import invariance
from PETWorks.releases.limits import checked_limits, verdicts
from PETWorks.releases.linked import Exposure, attacks_of, exposure
from PETWorks.releases.people import Joined, Member, joined
from PETWorks.releases.unlinked import having, intersection, value_sets
from PETWorks.tables.frames import Frame
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source


class Releases:
    """Several releases about the same people, the oldest first.

    releases            `Release` objects, paths or data frames; a dict gives them names
    key                 the column that names the person, in each table or in the original of a `Release`; a dict
                        from release to column if it is called differently in some
    focal               the release whose people are the targets, by its name or path; the last one by default
    quasi_identifiers   for tables that are no `Release` yet, instead of what the YAML file beside them says; each
    sensitive           table uses those columns that it has. Of the focal release, only these are attacked
    worth               what it is worth to an adversary to guess a value, 1 by default: {"grade": {"A": 10}}

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
    ) -> None:
        if not isinstance(releases, list | tuple | Mapping) or len(releases) < 2:
            what = f"{len(releases)}" if isinstance(releases, list | tuple | Mapping) else type(releases).__name__
            raise ParameterError(f"expected a list or dict of at least two releases, got {what}", what="releases")
        if not isinstance(key, str | Mapping):
            raise ParameterError(f"expected the key as the name of a column, got {type(key).__name__}", what="key")
        listed = list(releases.values() if isinstance(releases, Mapping) else releases)
        names = [str(name) for name in releases] if isinstance(releases, Mapping) else None
        asked = {QUASI_IDENTIFIER: _names(quasi_identifiers), SENSITIVE_ATTRIBUTE: _names(sensitive)}
        made = _made(listed, asked)
        names = names or _names_of(made)
        place = _focal(focal, names, listed, made)
        self.focal = names[place]
        keys = _keys(key, names)
        self.key = keys[self.focal]
        self.releases = dict(zip(names, made, strict=True))
        self._attacked = _attacked(made[place], asked[SENSITIVE_ATTRIBUTE], self.focal)
        self.joined: Joined = joined(self.releases, keys, place)
        self._worth = _worth_of(worth or {}, self.joined, self._attacked)

    def __repr__(self) -> str:
        people = self.joined.focal.people
        return f"<{len(self.releases)} releases, {people} people of {self.focal!r}: {quoted(self.releases)}>"

    def compose(self, limits: Mapping[str, Any] | None = None) -> Composition:
        """What the releases disclose together, next to each of them alone.

        limits   the most that is allowed: re-identification and inference (posterior of the linked adversary), alone
                 and one-value (shares of people), gain, disclosed and half-sure (unlinked adversary); and the least
                 m of m-invariance. Those about a sensitive attribute can be about one: {"inference:grade": 0.8}

        >>> releases = Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil")
        >>> releases.compose({"re-identification": 1 / 2}).satisfied
        False
        """
        checked = checked_limits(limits or {}, self._attacked)
        known = self.joined.known
        sets = {name: value_sets(self.joined, name) for name in self._attacked}
        crossed = {name: intersection(self.joined, name, sets[name]) for name in self._attacked}
        curve = [self._exposed(classes) for classes in one_by_one(known)]
        composition = Composition(
            self.key,
            self.focal,
            [self._part(member) for member in self.joined.members],
            curve[-1],
            curve,
            self._contributions(known, curve[-1]),
            {name: one for name, one in crossed.items() if one is not None},
            {name: invariance(self.joined, name, sets[name]) for name in self._attacked},
            self._warnings(),
        )
        return replace(composition, limits=verdicts(composition, checked))

    def _exposed(self, classes: Classes) -> Exposure:
        """What classes of the people in the focal release expose."""
        focal = self.joined.focal
        return exposure(
            classes, {name: focal.values[name] for name in self._attacked}, focal.number_of_values, self._worth
        )

    def _part(self, member: Member) -> Part:
        release = member.release
        alone = exposure(member.classes, member.values, member.number_of_values, self._worth)
        common = self.joined.in_common(member)
        known, sensitive = release.quasi_identifiers, release.sensitive_attributes
        return Part(member.name, member.people, common, known, sensitive, alone)

    def _contributions(self, known: Sequence[Classes], together: Exposure) -> list[Contribution]:
        focal = self.joined.focal
        left = attacks_of([self._exposed(classes) for classes in without_each(known)])
        with_all = attacks_of([together])
        values = {name: focal.values[name] for name in self._attacked}
        shares = shapley_values(known, values, focal.number_of_values)
        contributions = []
        for number, attack in enumerate(left):
            for place, member in enumerate(self.joined.members):
                stays = member is focal
                without = None if stays else left[attack][place] / focal.people
                saves = None if stays else (with_all[attack][0] - left[attack][place]) / focal.people
                share = None if shares is None else shares[number][place]
                contributions.append(Contribution(member.name, attack, without, saves, share))
        return contributions

    def _warnings(self) -> list[str]:
        """Sensitive attributes that seem to be coded differently, or that adversaries are said to know."""
        warnings = [
            f"{name!r} is sensitive in {quoted([self.focal])} but a quasi-identifier in {quoted([member.name])}: "
            "whoever joins the records knows it"
            for name in self._attacked
            for member in self.joined.members
            if name in member.release.quasi_identifiers
        ]
        for name in self._attacked:
            own = np.unique(self.joined.focal.values[name])
            for member in having(self.joined, name):
                values = np.unique(member.values[name])
                strange = int(np.count_nonzero(~np.isin(values, own)))
                if strange:
                    warnings.append(
                        f"{percent(strange / len(values))} of the values of {name!r} in {quoted([member.name])} do not "
                        f"occur in {quoted([self.focal])}; the unlinked adversary and m-invariance need the same coding"
                    )
        return warnings


def _names(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _made(listed: Sequence[Any], asked: Mapping[str, Sequence[str]]) -> list[Release]:
    """Releases, those that were no `Release` with the roles that were asked for."""
    sources = [
        one.source if isinstance(one, Release) else open_source(one, f"release {number}")
        for number, one in enumerate(listed, 1)
    ]
    known = {name for source in sources for name in source.names}
    twice = set(asked[QUASI_IDENTIFIER]) & set(asked[SENSITIVE_ATTRIBUTE])
    if twice:
        raise RoleError(f"columns with two roles: {quoted(sorted(twice))}")
    for names in asked.values():
        for name in names:
            if name not in known:
                raise RoleError(f"no release has the column {quoted([name])}")
    return [
        one if isinstance(one, Release) else Release(source, _roles(source, asked), {}, engine="memory")
        for one, source in zip(listed, sources, strict=True)
    ]


def _roles(source: Source, asked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The roles of the YAML file beside a table; those that were asked for replace what it says about them."""
    beside = {} if source.path is None else read_sidecar(source.path).roles
    roles = {column: role for column, role in beside.items() if not asked.get(role)}
    for role, names in asked.items():
        for name in names:
            if name in source.names:
                roles[name] = role
    return roles


def _names_of(releases: Sequence[Release]) -> list[str]:
    """What releases are called: their file, with its folder where several are called the same; or their number."""
    short = [
        f"release {number}" if isinstance(one.source, Frame) and one.source.path is None else one.source.name
        for number, one in enumerate(releases, 1)
    ]
    times = Counter(short)
    names = [
        name if times[name] == 1 else str(one.source.path or f"release {number}")
        for number, (name, one) in enumerate(zip(short, releases, strict=True), 1)
    ]
    times = Counter(names)
    return [name if times[name] == 1 else f"{name} ({number})" for number, name in enumerate(names, 1)]


def _keys(key: str | Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """For each release the column that names the person."""
    if isinstance(key, str):
        return dict.fromkeys(names, key.strip())
    if set(key) != set(names) or not all(isinstance(column, str) for column in key.values()):
        raise ParameterError(f"expected a key for each of {quoted(names)}, got keys for {quoted(key)}", what="key")
    return {name: column.strip() for name, column in key.items()}


def _focal(focal: Any, names: Sequence[str], listed: Sequence[Any], releases: Sequence[Release]) -> int:
    """The place of the focal release."""
    if focal is None:
        return len(names) - 1
    if not isinstance(focal, str | os.PathLike):
        places = [place for place, one in enumerate(listed) if one is focal]
    elif str(focal) in names:
        places = [names.index(str(focal))]
    else:
        paths = [one.source.path for one in releases]
        places = [place for place, path in enumerate(paths) if path is not None and path == Path(focal)]
    if len(places) != 1:
        name = str(focal) if isinstance(focal, str | os.PathLike) else type(focal).__name__
        raise unknown("release", name, names, what="focal")
    return places[0]


def _attacked(release: Release, sensitive: Sequence[str], name: str) -> list[str]:
    """The sensitive attributes of the focal release that are attacked: all, or those that were asked for."""
    missing = [column for column in sensitive if column not in release.sensitive_attributes]
    if missing:
        raise RoleError(f"{quoted([name])}: no sensitive attribute is called {quoted(missing)}")
    return [column for column in release.sensitive_attributes if not sensitive or column in sensitive]


def _worth_of(
    worth: Mapping[str, Mapping[str | None, Any]], together: Joined, attacked: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """What each value of the attributes is worth, by its code."""
    by_code = {}
    if not isinstance(worth, Mapping) or not all(isinstance(values, Mapping) for values in worth.values()):
        raise ParameterError("expected worth as a dict from attribute to a dict from value to number", what="worth")
    for column, values in worth.items():
        if column not in attacked:
            raise unknown("sensitive attribute of the focal release", column, attacked, what="worth")
        by_code[column] = np.ones(together.focal.number_of_values[column])
        found = set()
        for member in having(together, column):
            table: Any = member.release.table
            for value, number in values.items():
                code = table.columns[column].code(None if value is None else str(value).strip())
                if code is not None:
                    # A record that has it knows what it is called in all releases.
                    place = int(np.argmax(table.columns[column].codes == code))
                    by_code[column][member.values[column][place]] = Number(at_least=0).check("worth", column, number)
                    found.add(value)
        if len(found) < len(values):
            raise ParameterError(
                f"worth of {column!r}: {len(values) - len(found)} of {len(values)} values do not occur in any release",
                what="worth",
            )
    return by_code
