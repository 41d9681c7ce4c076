"""What is known about each record, in the order of the input: for tables in memory."""

from PETWorks.counting import records
from PETWorks.counting.counts import Integers
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.errors import Hint, NotApplicable, RoleError, quoted


def table_in_memory(release: Release) -> WeightedRows:
    """The table of a release with quasi-identifiers, if its records are at hand."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    if not isinstance(release.table, WeightedRows):
        raise NotApplicable(
            "results for each record need the engine 'memory'; {engine!r} keeps counts, not records",
            Hint.ENGINE_IN_MEMORY,
            engine=release.engine.name,
        )
    return release.table


def record_class_sizes(release: Release) -> Integers:
    """The class size of each record."""
    table = table_in_memory(release)
    return records.record_class_sizes(table, release.quasi_identifiers, _people(release))


def record_class_modes(release: Release, sensitive: str) -> tuple[Integers, Integers]:
    """The class size of each record, and the count of the commonest sensitive value in its class.

    Where missing values are left out, both are of the records that have one; a class may have none.
    """
    table = table_in_memory(release)
    if sensitive not in release.sensitive_attributes:
        raise RoleError(
            "{sensitive!r} is not a sensitive attribute; expected one of {sensitive_attributes}",
            sensitive=sensitive,
            sensitive_attributes=quoted(release.sensitive_attributes),
        )
    if release.view.told(sensitive) is not None:
        people, once = (_people(release, *others, told=sensitive) for others in ((sensitive,), ()))
        return records.told_class_modes(table, release.quasi_identifiers, sensitive, people, once)
    people = _people(release, sensitive)
    modes = records.record_class_modes(table, release.quasi_identifiers, sensitive, people)
    return record_class_sizes(release), modes


def _people(release: Release, *others: str, told: str | None = None) -> WeightedRows | None:
    """The records that count, if not all do."""
    counted = release.view.counted(*release.quasi_identifiers, *others, told=told)
    return counted if isinstance(counted, WeightedRows) and counted is not release.table else None
