"""A release measured together with the earlier releases of its policy, as a part of the document."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from PETWorks.about.sidecar import read_sidecar
from PETWorks.about.treatment import CAREFUL
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError, Phrase, RoleError, quoted
from PETWorks.gate.check.inputs import shown_table, table_digest
from PETWorks.gate.policy.earlier_releases import THIS_RELEASE, EarlierTable
from PETWorks.gate.policy.mistakes import Mistakes, located_error
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.sources import read_removed_records
from PETWorks.releases.composition import Composition
from PETWorks.releases.disclosure_facts import (
    Registered,
    ReleaseOfSet,
    ReleasesFacts,
)
from PETWorks.releases.several import Releases
from PETWorks.tables.headers import columns_of
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.source import Source


def compose_releases(release: Release, policy: Policy, engine_settings: Mapping[str, Any]) -> Composition | None:
    """The disclosure by the release together with the earlier ones; None if the policy has none to measure.

    engine_settings   arguments of `Release` for the earlier ones: engine, memory_limit and temp_folder
    """
    settings = policy.releases
    if not settings.measured:
        return None
    mistakes = Mistakes(policy.file)
    tables = {earlier.label: _open_release(mistakes, earlier, engine_settings) for earlier in settings.measured}
    mistakes.report()
    keys = {earlier.label: earlier.key or "" for earlier in settings.measured} | {THIS_RELEASE: settings.key or ""}
    releases = {label: table for label, table in tables.items() if table is not None} | {THIS_RELEASE: release}
    try:
        together = Releases(releases, keys, focal=THIS_RELEASE, worth=settings.worth)
        return together.compose(settings.limits)
    except PETWorksError as error:
        if error.where is not None:
            raise
        what = error.what
        limit = next((name for name in settings.limits if what in (name, name.partition(":")[0])), None)
        within = ("limits", limit) if limit is not None else (what,) if what in ("key", "worth") else ()
        raise located_error(policy.file, ("releases", *within), error) from None


def _open_release(mistakes: Mistakes, earlier: EarlierTable, engine_settings: Mapping[str, Any]) -> Release | None:
    """An earlier release; None, with a mistake added, if it cannot be opened."""
    with mistakes.at(*earlier.key_of_policy):
        if (
            earlier.sha256 is not None
            and isinstance(earlier.data, Path)
            and table_digest(earlier.data) != earlier.sha256
        ):
            mistakes.add(
                (*earlier.key_of_policy, "sha256"),
                "{file} has another SHA-256: it is not the table that was released",
                file=quoted([earlier.data.name]),
            )
            return None
        source = _source(earlier.data, earlier, Phrase("the table of {release}", release=quoted([earlier.label])))
        original = (
            None if earlier.original is None else _source(earlier.original, earlier, Phrase("the original table"))
        )
        roles = dict(_roles(source, earlier))
        if original is not None:  # columns that were left out of the release
            roles |= {column: IDENTIFIER for column in original.names if column not in source.names}
        if earlier.key not in source.names and (original is None or earlier.key not in original.names):
            raise RoleError(
                "no column {key!r}, which is to name the people; it has {columns}",
                key=earlier.key,
                columns=columns_of(source),
            )
        removed = None if earlier.plan is None else read_removed_records(earlier.plan)
        return Release(
            source,
            roles,
            {},
            original,
            order=earlier.order,
            seed=earlier.seed,
            removed=None if removed is None else removed[0],
            **CAREFUL,
            **engine_settings,
        )
    return None


def _source(table: Any, earlier: EarlierTable, what: str) -> Source:
    return open_source(open_table(table, **earlier.reading), what)


def _roles(source: Source, earlier: EarlierTable) -> dict[str, str]:
    if earlier.roles is not None:
        return dict(earlier.roles)
    return {} if source.path is None else dict(read_sidecar(source.path).roles)


def releases_facts(
    policy: Policy, composition: Composition | None, data: Any, registered: tuple[Registered, ...] | None
) -> ReleasesFacts | None:
    """The part of the document about other releases; None if no other release is known.

    data         the table that was checked
    registered   the releases of the register that share columns with it; None without a register
    """
    settings, stated = policy.releases, policy.accountability.earlier_releases or ()
    names = [earlier.name for earlier in settings.earlier]
    unmeasured = [earlier for earlier in settings.earlier if earlier.data is None]
    digests = {earlier.sha256 for earlier in settings.earlier}
    # Tables that share only quasi-identifiers may be about other people.
    from_register = sum(
        bool(entry.shared_keys) and not entry.measured and entry.sha256 not in digests for entry in registered or ()
    )
    not_measured = len(unmeasured) + sum(statement.what not in names for statement in stated) + from_register
    if settings.key is None and not settings.earlier and not not_measured and registered is None:
        return None
    facts = ReleasesFacts(measured=0, not_measured=0) if composition is None else composition.facts()
    return replace(
        facts,
        measured=len(settings.measured),
        not_measured=not_measured,
        key=settings.key,
        releases=tuple(_list_releases(policy, composition, data)) if settings.earlier else (),
        registered=registered,
    )


def _list_releases(policy: Policy, composition: Composition | None, data: Any) -> Iterator[ReleaseOfSet]:
    """The releases: first the measured ones in the order of the composition, then the others."""
    settings = policy.releases
    in_order = [*settings.measured, None, *(earlier for earlier in settings.earlier if earlier.data is None)]
    parts = {} if composition is None else {part.name: part for part in composition.releases}
    for number, earlier in enumerate(in_order, 1):
        part = parts.get(THIS_RELEASE if earlier is None else earlier.label)
        numbers = {} if part is None else part.facts()
        if earlier is None:
            described: dict[str, Any] = {
                "name": policy.title,
                "file": shown_table(data),
                "recipients": policy.recipients,
            }
        else:
            described = {
                "name": earlier.name,
                "recipients": earlier.recipients,
                "date": earlier.date,
                "sha256": _digest(earlier),
            }
            described |= {"file": None if earlier.data is None else shown_table(earlier.data)}
        yield ReleaseOfSet(number=number, this=earlier is None, measured=part is not None, **described, **numbers)


def _digest(earlier: EarlierTable) -> str | None:
    """The digest of an earlier release: the stated one, which was verified, or that of its table."""
    if earlier.sha256 is not None or earlier.data is None or isinstance(earlier.data, str):
        return earlier.sha256
    return table_digest(earlier.data)
