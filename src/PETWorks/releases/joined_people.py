"""Reading releases together with the key of their people, and joining them inside an engine."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import Column, Domain, encode_together
from PETWorks.counting.counts import ClassSizes, ClassValues, Grouping, Integers
from PETWorks.counting.engines.engine import Engine, MemoryEngine
from PETWorks.counting.memory.weighted_rows import WeightedRows, shuffled_order
from PETWorks.counting.people import JoinedPeople, KeyCounts, TableToJoin, column_name, key_counts
from PETWorks.counting.questions import class_sizes_question, fold_question
from PETWorks.counting.release import Release
from PETWorks.errors import Hint, InputError, ParameterError, Phrase, RoleError, quoted
from PETWorks.measures.attacks.inference import Worth
from PETWorks.measures.numbers import count
from PETWorks.releases.linked import Exposure, TargetAttribute, compute_exposure, count_hits
from PETWorks.tables.headers import columns_of
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source


@dataclass(frozen=True, eq=False)
class Member:
    """One of several releases.

    table    its records, in the engine that joins all releases
    key      the key of each record; None if the table is not in memory
    common   for each sensitive attribute that the focal release has too, the common code of each value
    """

    name: str
    release: Release
    table: Any
    key: Column | None
    common: Mapping[str, Integers]

    @property
    def people(self) -> int:
        """The number of people in the release."""
        return int(self.table.rows)

    def _missing(self, attribute: str) -> int | None:
        """The code of the missing value, or None if it counts as a value."""
        code: int | None = self.table.columns[attribute].code(None)
        return code if self.release.view.folds_values else None

    @property
    def _grouping(self) -> Grouping:
        """The classes an adversary sees, which include the class of suppressed records."""
        return Grouping(self.release.quasi_identifiers, self.release.quasi_identifiers)

    def measure_alone(self, worth: Mapping[str, Worth]) -> tuple[Exposure, int, dict[str, int]]:
        """The exposure by this release alone; the size of its smallest class; the repeating classes of each attribute.

        A class repeats if two of its people have the same value.
        """
        attributes = self.release.sensitive_attributes
        own_worth = {name: worth[name].recode(self.common[name]) for name in attributes if name in worth}
        missing = {name: self._missing(name) for name in attributes}
        questions = [
            fold_question(
                "alone", self.table, self._grouping, name, partial(_hits, own_worth.get(name), missing[name]), np.add
            )
            for name in attributes
        ]
        answers = self.table.ask([class_sizes_question(self.table, self._grouping), *questions])
        sizes: ClassSizes = answers[0]
        hits = np.array(
            [sizes.number, int(sizes.classes[sizes.sizes == 1].sum()), *(n for hit in answers[1:] for n in hit[:3])]
        )
        attacked = [
            TargetAttribute(name, len(self.table.columns[name].labels), own_worth.get(name), missing[name])
            for name in attributes
        ]
        counts = {name: self.table.marginal(name).counts for name in attributes}
        repeated = {name: int(hit[3]) for name, hit in zip(attributes, answers[1:], strict=True)}
        return compute_exposure(self.people, hits, attacked, counts), int(sizes.smallest or 0), repeated


def _hits(worth: Worth | None, missing: int | None, classes: ClassValues) -> Integers:
    """Right guesses, people in classes with one value, the gain, and the number of classes that repeat a value."""
    counted = classes if missing is None else classes.without_missing(missing)[0]
    repeated = int(np.count_nonzero(counted.cells_per_class < counted.sizes))
    hits = count_hits(classes.counts, classes.values, classes.cell_classes, worth, missing)
    return np.array([*hits, repeated], np.int64)


@dataclass(frozen=True, eq=False)
class JoinedReleases:
    """Several releases joined by person, in the order given.

    focal_index   the index of the focal release
    people    the join
    values    for each sensitive attribute of the focal release, the values in any release, by common code
    """

    members: Sequence[Member]
    focal_index: int
    people: JoinedPeople
    values: Mapping[str, list[str | None]]

    def missing(self, attribute: str) -> int | None:
        """The common code of the missing value, which is the last one; None if it counts as a value."""
        values = self.values[attribute]
        return len(values) - 1 if self.focal.release.view.folds_values and values[-1] is None else None

    @property
    def focal(self) -> Member:
        """The release whose people are the targets."""
        return self.members[self.focal_index]

    def members_with(self, attribute: str) -> list[Member]:
        """The releases that have a sensitive attribute."""
        return [member for member in self.members if attribute in member.common]

    def counts(self, attribute: str) -> Integers:
        """The number of people of the focal release with each value, by common code."""
        counts = np.zeros(len(self.values[attribute]), np.int64)
        counts[self.focal.common[attribute]] = self.focal.table.marginal(attribute).counts
        return counts

    def share_of_unknown_values(self, attribute: str, member: Member) -> float:
        """The share of the values of a release that do not occur in the focal one."""
        known: NDArray[np.bool_] = np.isin(member.common[attribute], self.focal.common[attribute])
        return float(1 - known.mean())


class KeyedEngine:
    """An engine that also reads the key column when it loads a release."""

    def __init__(self, engine: Engine, key: str) -> None:
        self._engine, self._key = engine, key
        self.name, self.note, self.keeps_order = engine.name, engine.note, engine.keeps_order
        self.key: Column | None = None

    def load(
        self,
        source: Source,
        columns: Sequence[str],
        unit: str | None = None,  # noqa: ARG002
        *,
        folded: bool = False,  # noqa: ARG002
    ) -> Any:
        """Load the named columns of a source; the key does not become a column of the table."""
        table: Any
        if isinstance(self._engine, MemoryEngine):
            table, self.key = self._engine.load_with_key(source, columns, self._key)
            return table
        table = self._engine.load(source, columns, self._key)
        table.unit = None
        return table

    def profiles(self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False) -> Any:
        """Counts and a sample of the values of each column."""
        return self._engine.profiles(source, columns, unit, folded=folded)

    def close(self) -> None:
        """Do nothing: the engine holds other tables, and its owner closes it."""

    def join_people(
        self, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
    ) -> JoinedPeople:
        """Join the people of several tables."""
        return self._engine.join_people(tables, focal, numbers_of_values)


def check_key(release: str, source: Source, roles: Mapping[str, str], key: str, original: Any = None) -> None:
    """Raise if the key of a release cannot work, before anything is read.

    original   the original table, which may have the key if the release has not
    """
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


def join_releases(
    releases: Mapping[str, Release], keys: Mapping[str, str], engine: Engine, index: int, attributes: Sequence[str]
) -> JoinedReleases:
    """Join releases by their keys inside an engine; raise if the keys do not match.

    index        the index of the focal release
    attributes   the sensitive attributes of the focal release to attack
    """
    read = {name: _read(release, keys[name], engine, name) for name, release in releases.items()}
    common: dict[str, dict[str, Integers]] = {name: {} for name in releases}
    values: dict[str, list[str | None]] = {}
    for attribute in attributes:
        having = [name for name, release in releases.items() if attribute in release.sensitive_attributes]
        labels = [read[name][0].columns[attribute].labels for name in having]
        codes, number = _move_missing_last(labels, *encode_together(labels))
        values[attribute] = _values_by_code(labels, codes, number)
        for name, own_codes in zip(having, codes, strict=True):
            common[name][attribute] = own_codes
    members = [Member(name, release, *read[name], common[name]) for name, release in releases.items()]
    numbers_of_values = {attribute: len(listed) for attribute, listed in values.items()}
    tables = [
        TableToJoin(
            member.name,
            member.table,
            member.release.quasi_identifiers,
            _codes_in_store_order(member.table, member.common),
            member.key,
        )
        for member in members
    ]
    _check_names(tables, attributes)
    together = JoinedReleases(members, index, engine.join_people(tables, index, numbers_of_values), values)
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


def _check_names(tables: Sequence[TableToJoin], attributes: Sequence[str]) -> None:
    """Raise if columns of two releases, or a column and an attribute, would get the same name."""
    times = Counter([*attributes, *(column_name(table.name, name) for table in tables for name in table.known)])
    twice = [name for name, number in times.items() if number > 1]
    if twice:
        raise ParameterError(
            "{twice} can be a column of two releases; give the releases other names",
            twice=quoted(twice),
            what="releases",
        )


def _move_missing_last(labels: Sequence[Any], codes: Sequence[Integers], number: int) -> tuple[list[Integers], int]:
    """The common codes of the labels of several tables, renumbered so that the missing value has the last code."""
    indices = [(own_codes, Domain(domain).code(None)) for domain, own_codes in zip(labels, codes, strict=True)]
    missing = {int(own_codes[index]) for own_codes, index in indices if index is not None}
    new_codes = np.arange(number)
    for code in missing:  # the same in all tables
        new_codes[code:] -= 1
        new_codes[code] = number - 1
    return [new_codes[own_codes] for own_codes in codes], number


def _codes_in_store_order(table: Any, common: Mapping[str, Integers]) -> Mapping[str, Integers]:
    """The common code of each value, in the order in which the joining engine stores the values."""
    if isinstance(table, WeightedRows):
        return common
    return {attribute: table.in_store(attribute, codes) for attribute, codes in common.items()}


def _values_by_code(labels: Sequence[Any], codes: Sequence[Integers], number: int) -> list[str | None]:
    """The values of several tables, by common code."""
    values: list[str | None] = [None] * number
    for own_labels, indices in zip(labels, codes, strict=True):
        for value, index in zip(own_labels.to_pylist(), indices.tolist(), strict=True):
            values[index] = value
    return values


def _read(release: Release, key: str, engine: Engine, name: str) -> tuple[Any, Column | None]:
    """Load a release into the engine, with the key of each record if it is in memory; raise unless keys are unique."""
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
    return release.fold_sensitive_values(table), column


def _with_key_of_original(release: Release, key: str, engine: Engine, name: str) -> tuple[Any, Column | None]:
    """Load a release whose key is only in its original table, which has the same records in a known order."""
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
        column = column.take(np.delete(np.arange(len(column.codes)), release.removed))
    if is_shuffled and release.seed is not None:
        column = Column(column.labels, column.codes[shuffled_order(release.seed, len(column.codes))])
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
    """Raise if a record has no key, or a person has several records."""
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
