"""Who is in which release: tables that are read with the key of the people, and joined inside an engine."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import Column, Domain, in_one_coding
from PETWorks.counting.counts import ClassSizes, ClassValues, Grouping, Integers
from PETWorks.counting.engines.engine import Engine, MemoryEngine
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.people import Brought, JoinedPeople, KeyCounts, column_name, key_counts
from PETWorks.counting.questions import class_sizes, fold
from PETWorks.counting.records import shuffled_places
from PETWorks.counting.release import Release
from PETWorks.errors import Hint, InputError, ParameterError, Phrase, RoleError, quoted
from PETWorks.measures.attacks.inference import Worth
from PETWorks.measures.numbers import count
from PETWorks.releases.linked import Attacked, Exposure, exposure, hits_in
from PETWorks.tables.headers import columns_of
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source


@dataclass(frozen=True, eq=False)
class Member:
    """A release among several.

    table    its records, counted by the engine that joins all of them
    key      of a table in memory, the key of each record
    common   for each sensitive attribute that the focal release has, too: the common code of each value
    """

    name: str
    release: Release
    table: Any
    key: Column | None
    common: Mapping[str, Integers]

    @property
    def people(self) -> int:
        """How many people are in the release."""
        return int(self.table.rows)

    def _missing(self, attribute: str) -> int | None:
        """The code of the missing value, if that does not count."""
        code: int | None = self.table.columns[attribute].code(None)
        return code if self.release.view.folds_values else None

    @property
    def _grouping(self) -> Grouping:
        """To an adversary, suppressed records are a class, too."""
        return Grouping(self.release.quasi_identifiers, self.release.quasi_identifiers)

    def alone(self, worth: Mapping[str, Worth]) -> tuple[Exposure, int, dict[str, int]]:
        """What the release exposes alone; then the size of its smallest class, and by attribute classes that repeat.

        A class repeats if two of its people have the same value.
        """
        attributes = self.release.sensitive_attributes
        own = {name: worth[name].recoded(self.common[name]) for name in attributes if name in worth}
        missing = {name: self._missing(name) for name in attributes}
        questions = [
            fold("alone", self.table, self._grouping, name, partial(_hits, own.get(name), missing[name]), np.add)
            for name in attributes
        ]
        answers = self.table.ask([class_sizes(self.table, self._grouping), *questions])
        sizes: ClassSizes = answers[0]
        hits = np.array(
            [sizes.number, int(sizes.classes[sizes.sizes == 1].sum()), *(n for one in answers[1:] for n in one[:3])]
        )
        attacked = [
            Attacked(name, len(self.table.columns[name].labels), own.get(name), missing[name]) for name in attributes
        ]
        counts = {name: self.table.marginal(name).counts for name in attributes}
        repeated = {name: int(one[3]) for name, one in zip(attributes, answers[1:], strict=True)}
        return exposure(self.people, hits, attacked, counts), int(sizes.smallest or 0), repeated


def _hits(worth: Worth | None, missing: int | None, classes: ClassValues) -> Integers:
    """Right guesses, people in classes with one value, the gain; and classes in which a value is repeated."""
    told = classes if missing is None else classes.told(missing)[0]
    repeated = int(np.count_nonzero(told.cells_per_class < told.sizes))
    hits = hits_in(classes.counts, classes.values, classes.cell_classes, worth, missing)
    return np.array([*hits, repeated], np.int64)


@dataclass(frozen=True, eq=False)
class Joined:
    """Several releases, in the order given, and which of them is the focal one.

    people    the join
    values    for each sensitive attribute of the focal release the values that all releases have, by common code
    """

    members: Sequence[Member]
    place: int
    people: JoinedPeople
    values: Mapping[str, list[str | None]]

    def missing(self, attribute: str) -> int | None:
        """The common code of the missing value, the last one, if that does not count."""
        values = self.values[attribute]
        return len(values) - 1 if self.focal.release.view.folds_values and values[-1] is None else None

    @property
    def focal(self) -> Member:
        """The release whose people are the targets."""
        return self.members[self.place]

    def having(self, attribute: str) -> list[Member]:
        """The releases that have a sensitive attribute."""
        return [member for member in self.members if attribute in member.common]

    def counts(self, attribute: str) -> Integers:
        """How many people of the focal release have each value, by common code."""
        counts = np.zeros(len(self.values[attribute]), np.int64)
        counts[self.focal.common[attribute]] = self.focal.table.marginal(attribute).counts
        return counts

    def strange(self, attribute: str, member: Member) -> float:
        """The share of the values of a release that do not occur in the focal one."""
        known: NDArray[np.bool_] = np.isin(member.common[attribute], self.focal.common[attribute])
        return float(1 - known.mean())


class KeyedEngine:
    """An engine that reads the key of the people with the columns of a release."""

    def __init__(self, engine: Engine, key: str) -> None:
        self._engine, self._key = engine, key
        self.name, self.note, self.keeps_order = engine.name, engine.note, engine.keeps_order
        self.key: Column | None = None

    def load(self, source: Source, columns: Sequence[str], unit: str | None = None) -> Any:  # noqa: ARG002
        """The named columns of a source; the key is no column of the table."""
        table: Any
        if isinstance(self._engine, MemoryEngine):
            table, self.key = self._engine.load_with_key(source, columns, self._key)
            return table
        table = self._engine.load(source, columns, self._key)
        table.unit = None
        return table

    def profiles(self, source: Source, columns: Sequence[str]) -> Any:
        """Counts and a sample of the values of columns."""
        return self._engine.profiles(source, columns)

    def close(self) -> None:
        """The engine has further tables: whoever made it closes it."""

    def joined(self, brought: Sequence[Brought], place: int, numbers: Mapping[str, int]) -> JoinedPeople:
        """The people of several tables."""
        return self._engine.joined(brought, place, numbers)


def check_key(release: str, source: Source, roles: Mapping[str, str], key: str, original: Any = None) -> None:
    """An error if a release cannot say who is who, before anything is read."""
    if QUASI_IDENTIFIER not in roles.values():
        raise RoleError(
            "{release}: no column has the role {role!r}",
            Hint.QUASI_IDENTIFIERS,
            release=quoted([release]),
            role=QUASI_IDENTIFIER,
        )
    if roles.get(key) in (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE):
        role = roles[key]
        raise RoleError(
            "{release}: the key {key!r} names the person, so it cannot have the role {role!r}",
            release=quoted([release]),
            key=key,
            role=role,
        )
    if key not in source.names and (
        original is None or key not in open_source(original, Phrase("the original table")).names
    ):
        raise RoleError(
            "{release}: no column {key!r}, which is to name the people; it has {columns}",
            release=quoted([release]),
            key=key,
            columns=columns_of(source),
            what="key",
        )


def joined(
    releases: Mapping[str, Release], keys: Mapping[str, str], engine: Engine, place: int, attributes: Sequence[str]
) -> Joined:
    """The releases, by name, joined by their keys inside an engine; an error if the keys do not fit.

    attributes   the sensitive attributes of the focal release that are attacked
    """
    read = {name: _read(release, keys[name], engine, name) for name, release in releases.items()}
    common: dict[str, dict[str, Integers]] = {name: {} for name in releases}
    values: dict[str, list[str | None]] = {}
    for attribute in attributes:
        having = [name for name, release in releases.items() if attribute in release.sensitive_attributes]
        labels = [read[name][0].columns[attribute].labels for name in having]
        codes, number = _missing_last(labels, *in_one_coding(labels))
        values[attribute] = _in_order(labels, codes, number)
        for name, own in zip(having, codes, strict=True):
            common[name][attribute] = own
    members = [Member(name, release, *read[name], common[name]) for name, release in releases.items()]
    numbers = {attribute: len(own) for attribute, own in values.items()}
    brought = [
        Brought(one.name, one.table, one.release.quasi_identifiers, _in_store(one.table, one.common), one.key)
        for one in members
    ]
    _check_names(brought, attributes)
    together = Joined(members, place, engine.joined(brought, place, numbers), values)
    for member, people in zip(members, together.people.in_common, strict=True):
        if people == 0:
            raise InputError(
                "{member} has no person in common with {focal}; use the same {key!r} in both, "
                "or leave that release out",
                member=quoted([member.name]),
                focal=quoted([together.focal.name]),
                key=keys[member.name],
                what="key",
            )
    return together


def _check_names(brought: Sequence[Brought], attributes: Sequence[str]) -> None:
    """An error if columns of two releases, or a column and an attribute, would be called the same."""
    times = Counter([*attributes, *(column_name(one.name, name) for one in brought for name in one.known)])
    twice = [name for name, number in times.items() if number > 1]
    if twice:
        raise ParameterError(
            "{twice} can be a column of two releases; give the releases other names",
            twice=quoted(twice),
            what="releases",
        )


def _missing_last(labels: Sequence[Any], codes: Sequence[Integers], number: int) -> tuple[list[Integers], int]:
    """The common codes of the labels of several tables, that of the missing one last."""
    places = [(own, Domain(one).code(None)) for one, own in zip(labels, codes, strict=True)]
    missing = {int(own[place]) for own, place in places if place is not None}
    new_codes = np.arange(number)
    for code in missing:  # the same in all tables
        new_codes[code:] -= 1
        new_codes[code] = number - 1
    return [new_codes[own] for own in codes], number


def _in_store(table: Any, common: Mapping[str, Integers]) -> Mapping[str, Integers]:
    """The common code of each value as the engine has it that joins the tables."""
    if isinstance(table, WeightedRows):
        return common
    return {attribute: table.in_store(attribute, codes) for attribute, codes in common.items()}


def _in_order(labels: Sequence[Any], codes: Sequence[Integers], number: int) -> list[str | None]:
    """The values of several tables, by common code."""
    values: list[str | None] = [None] * number
    for own, places in zip(labels, codes, strict=True):
        for value, place in zip(own.to_pylist(), places.tolist(), strict=True):
            values[place] = value
    return values


def _read(release: Release, key: str, engine: Engine, name: str) -> tuple[Any, Column | None]:
    """The table of a release in the engine, and of one in memory the key of each record; every person has one."""
    table: Any
    if isinstance(release.engine, KeyedEngine):
        table, column = release.table, release.engine.key
    elif key not in release.source.names:
        table, column = _with_key_of_original(release, key, engine, name)
    elif isinstance(engine, MemoryEngine) and isinstance(release.table, WeightedRows) and release.source.ordered:
        table = release.table
        column = table.columns[key] if key == release.privacy_unit else engine.load_with_key(release.source, [], key)[1]
    else:
        keyed = KeyedEngine(engine, key)
        table = keyed.load(release.source, release.compared_columns)
        column = keyed.key
    _check_people(table.store.key_counts() if column is None else key_counts(column), table.rows, key, name)
    return release.judged_table(table), column


def _with_key_of_original(release: Release, key: str, engine: Engine, name: str) -> tuple[Any, Column | None]:
    """The table with the key of the original that it was made from, record by record."""
    source = open_source(release.view.background.given[1], Phrase("the original table"))
    is_shuffled = not release.view.background.same_order
    if is_shuffled and (release.seed is None or not isinstance(engine, MemoryEngine)):
        raise InputError(
            "{release}: the key {key!r} is in the original, but the records of the release are in another order; give "
            "the release the key as a column, or the seed of that order, in memory",
            Hint.ENGINE_IN_MEMORY,
            release=quoted([name]),
            key=key,
        )
    if not (engine.keeps_order and release.source.ordered and source.ordered):
        raise InputError(
            "{release}: the key {key!r} is in the original, but records come in no fixed order; "
            "give the release the key as a column, or use files and another engine",
            Hint.ENGINE_IN_MEMORY,
            release=quoted([name]),
            key=key,
        )
    table: Any = release.table
    if len(release.removed) and not isinstance(engine, MemoryEngine):
        raise InputError(
            "{release}: the key {key!r} is in the original, and suppressed records left the release; give the release "
            "the key as a column, or measure it in memory",
            Hint.ENGINE_IN_MEMORY,
            release=quoted([name]),
            key=key,
        )
    if not isinstance(engine, MemoryEngine):
        table = engine.load(release.source, release.compared_columns)
        keyed: Any = engine.load(source, [], key)
        _check_rows(keyed.rows, table.rows, name)
        table.store.take_key(keyed.store)
        return table, None
    column = engine.load_with_key(source, [], key)[1]
    _check_rows(len(column.codes) - len(release.removed), release.records, name)
    if len(release.removed):
        column = column.taken(np.delete(np.arange(len(column.codes)), release.removed))
    if is_shuffled and release.seed is not None:
        column = Column(column.labels, column.codes[shuffled_places(release.seed, len(column.codes))])
    if not isinstance(table, WeightedRows):
        table = engine.load(release.source, release.compared_columns)
    return table, column


def _check_rows(keys: int, records: int, name: str) -> None:
    if keys != records:
        raise InputError(
            "{release}: {keys} keys were read for {records} records; a key in the original "
            "needs a release that has the same records in the same order",
            release=quoted([name]),
            keys=count(keys),
            records=count(records),
        )


def _check_people(counts: KeyCounts, records: int, key: str, name: str) -> None:
    """An error if a record says not whose it is, or a person has several."""
    if counts.missing:
        raise InputError(
            "{release}: the key {key!r} is missing in {missing} of {records} records; every record needs one",
            release=quoted([name]),
            key=key,
            missing=count(counts.missing),
            records=count(records),
        )
    if counts.repeated:
        raise InputError(
            "{release}: the key {key!r} is repeated: {repeated} of {people} people have more "
            "than one record; keep one record of each person",
            release=quoted([name]),
            key=key,
            repeated=count(counts.repeated),
            people=count(counts.people),
        )
