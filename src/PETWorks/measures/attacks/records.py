"""What is told of each record, in the order of the input: for tables in memory."""

from PETWorks.counting.counts import Integers
from PETWorks.counting.memory import MemoryTable
from PETWorks.counting.release import NO_QUASI_IDENTIFIER, Release
from PETWorks.errors import Hint, NotApplicable, RoleError, quoted


def table_in_memory(release: Release) -> MemoryTable:
    """The table of a release with quasi-identifiers, if its records are at hand."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    if not isinstance(release.table, MemoryTable):
        raise NotApplicable(
            f"results for each record need the engine 'memory'; {release.engine.name!r} keeps counts, not records",
            Hint.ENGINE_IN_MEMORY,
        )
    return release.table


def record_class_sizes(release: Release) -> Integers:
    """The class size of each record."""
    table = table_in_memory(release)
    return table.record_class_sizes(release.quasi_identifiers, _people(release))


def record_class_modes(release: Release, sensitive: str) -> tuple[Integers, Integers]:
    """The class size of each record, and the count of the commonest sensitive value in its class."""
    table = table_in_memory(release)
    if sensitive not in release.sensitive_attributes:
        raise RoleError(
            f"{sensitive!r} is not a sensitive attribute; expected one of {quoted(release.sensitive_attributes)}"
        )
    if release.privacy_unit is None:
        return table.record_class_modes(release.quasi_identifiers, sensitive)
    people = _people(release, sensitive)
    return record_class_sizes(release), table.record_class_modes(release.quasi_identifiers, sensitive, people)[1]


def _people(release: Release, *others: str) -> MemoryTable | None:
    """The records that count, if not all do."""
    counted = release.counted(*release.quasi_identifiers, *others)
    return counted if isinstance(counted, MemoryTable) and counted is not release.table else None
