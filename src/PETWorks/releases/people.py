"""Who is in which release: the records of several tables joined by a key of the people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import Column, in_one_coding
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import pack
from PETWorks.counting.loading import load_rows
from PETWorks.counting.release import Release
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.errors import Hint, InputError, RoleError, quoted
from PETWorks.measures.numbers import count
from PETWorks.releases.classes import Classes, numbered
from PETWorks.tables.headers import columns_of
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source


@dataclass(frozen=True, eq=False)
class Member:
    """A release among several.

    persons   for each record the number of its person, the same in every release
    classes   for each record its equivalence class; to an adversary, suppressed records are a class, too
    values    for each sensitive attribute the value of each record, as a code that is the same in every release
    number_of_values   for each sensitive attribute how many values all releases have
    """

    name: str
    release: Release
    persons: Integers
    classes: Classes
    values: Mapping[str, Integers]
    number_of_values: Mapping[str, int]

    @property
    def people(self) -> int:
        """How many people are in the release."""
        return len(self.persons)

    def class_of_each(self, people: int) -> Integers:
        """For each person of all releases the class; for those who are not in this release, one that is no class."""
        classes = np.full(people, self.classes.number, np.int64)
        classes[self.persons] = self.classes.codes
        return classes


@dataclass(frozen=True, eq=False)
class Joined:
    """Several releases whose people are numbered alike, in the order given; and which of them is the focal one."""

    members: Sequence[Member]
    place: int
    people: int

    @property
    def focal(self) -> Member:
        """The release whose people are the targets."""
        return self.members[self.place]

    @cached_property
    def known(self) -> list[Classes]:
        """What each release says about the people of the focal one: their class there, or that they are not in it."""
        return [numbered(member.class_of_each(self.people)[self.focal.persons]) for member in self.members]

    def in_common(self, member: Member) -> int:
        """How many people of the focal release are in this one."""
        return int(np.count_nonzero(self.is_in(member)[self.focal.persons]))

    def is_in(self, member: Member) -> NDArray[np.bool_]:
        """Of all people, who is in a release."""
        inside = np.zeros(self.people, np.bool_)
        inside[member.persons] = True
        return inside


def joined(releases: Mapping[str, Release], named: Mapping[str, str], place: int) -> Joined:
    """The releases, by name, joined by the key that is named for each; an error if they do not say who is who."""
    for name, release in releases.items():
        _check(release, named[name], name)
    keys = [_people_of(release, named[name], name) for name, release in releases.items()]
    persons, people = in_one_coding([column.labels for column in keys])
    values, numbers = _sensitive_values(list(releases.values()))
    members = [
        Member(name, release, numbers_of[column.codes], _classes(release), own, numbers)
        for (name, release), column, numbers_of, own in zip(releases.items(), keys, persons, values, strict=True)
    ]
    together = Joined(members, place, people)
    for member in members:
        if together.in_common(member) == 0:
            raise InputError(
                f"{quoted([member.name])} has no person in common with {quoted([together.focal.name])}; use the same "
                f"{named[member.name]!r} in both, or leave that release out",
                what="key",
            )
    return together


def _check(release: Release, key: str, name: str) -> None:
    if not release.quasi_identifiers:
        raise RoleError(f"{quoted([name])}: no column has the role {QUASI_IDENTIFIER!r}", Hint.QUASI_IDENTIFIERS)
    if release.roles.get(key) in (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE):
        role = release.roles[key]
        raise RoleError(f"{quoted([name])}: the key {key!r} names the person, so it cannot have the role {role!r}")
    if not isinstance(release.table, WeightedRows) or release.table.weights is not None:
        raise InputError(f"{quoted([name])}: several releases are joined in memory", Hint.ENGINE_IN_MEMORY)


def _people_of(release: Release, key: str, name: str) -> Column:
    """The key of each record; each person has one record."""
    column = _key_column(release, key, name)
    if len(column.codes) != release.records:
        raise InputError(
            f"{quoted([name])}: {count(len(column.codes))} keys were read for {count(release.records)} records; a key "
            "in the original needs a release that has the same records in the same order"
        )
    missing = column.code(None)
    if missing is not None:
        records = f"{count(int(column.counts[missing]))} of {count(release.records)} records"
        raise InputError(f"{quoted([name])}: the key {key!r} is missing in {records}; every record needs one")
    repeated = int(np.count_nonzero(column.counts > 1))
    if repeated:
        raise InputError(
            f"{quoted([name])}: the key {key!r} is repeated: {count(repeated)} of {count(len(column.labels))} people "
            "have more than one record; keep one record of each person"
        )
    return column


def _key_column(release: Release, key: str, name: str) -> Column:
    if key == release.privacy_unit:
        return _rows(release).columns[key]
    source = _source_of_key(release, key, name)
    if not source.ordered:
        raise InputError(f"{quoted([name])}: its records come in no fixed order; write them to a file first")
    return load_rows(source, [key], memory_limit=release.memory_limit).columns[key]


def _source_of_key(release: Release, key: str, name: str) -> Source:
    """The table that has the key: the release, or the original that it was made from, record by record."""
    if key in release.source.names:
        return release.source
    original = release.view.background.given[1]
    if original is not None:
        source = open_source(original, "the original table")
        if key in source.names:
            return source
    raise RoleError(
        f"{quoted([name])}: no column {key!r}, which is to name the people; it has {columns_of(release.source)}",
        what="key",
    )


def _classes(release: Release) -> Classes:
    columns = _rows(release).columns
    return numbered(pack([columns[name] for name in release.quasi_identifiers]).keys)


def _sensitive_values(releases: Sequence[Release]) -> tuple[list[dict[str, Integers]], dict[str, int]]:
    """For each release the values of its sensitive attributes, equal ones with equal codes; and how many there are."""
    values: list[dict[str, Integers]] = [{} for _ in releases]
    numbers: dict[str, int] = {}
    for name in dict.fromkeys(name for release in releases for name in release.sensitive_attributes):
        places = [place for place, release in enumerate(releases) if name in release.sensitive_attributes]
        columns = [_rows(releases[place]).columns[name] for place in places]
        codes, numbers[name] = in_one_coding([column.labels for column in columns])
        for place, column, new_codes in zip(places, columns, codes, strict=True):
            values[place][name] = new_codes[column.codes]
    return values, numbers


def _rows(release: Release) -> WeightedRows:
    table: Any = release.table
    rows: WeightedRows = table
    return rows
