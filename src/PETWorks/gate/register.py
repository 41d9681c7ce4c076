"""The register of releases that are already out: one JSON file per release, in a folder kept in git."""

import os
import re
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.release import Release
from PETWorks.errors import Hint, InputError, ParameterError, Phrase, quoted, system_reason
from PETWorks.gate.document import (
    INTERNAL,
    SUFFIX,
    CheckFile,
    Entry,
    canonical_json,
    content_digest,
    parse_document,
    read_json,
)
from PETWorks.gate.policy.policy import Policy
from PETWorks.json_types import MultilingualText
from PETWorks.releases.disclosure_facts import Registered
from PETWorks.tables.files import check_regular

MAX_ENTRIES = 10_000
LARGEST_ENTRY = 1 << 20  # bytes


def make_entry(
    document: CheckFile, *, recipients: MultilingualText | None = None, key: str | None = None, day: str | None = None
) -> Entry:
    """The register entry of a checked release; raises if the document cannot be used.

    recipients, key   instead of those in the document
    day               the date of the release, as 2026-11-16; by default the day of the check
    """
    if document.edition != INTERNAL:
        raise InputError("the external edition has no digest of the table; register the internal one")
    if content_digest(document) != document.content_sha256:
        raise InputError("the document was changed since the check: its content digest does not match; check again")
    releases, unit = document.releases, document.table.treatment.get("privacy_unit")
    policy_key = None if releases is None else releases.key
    names = {column.column for column in document.columns}
    if key is not None and key not in names:
        raise ParameterError("the table and its original have no column {key}", key=quoted([key]), what="key")
    recipients = document.policy.recipients if recipients is None else recipients
    if recipients is None:
        raise ParameterError("the policy does not say who receives the table", Hint.RECIPIENTS, what="recipients")
    return Entry(
        schema="petworks-register/1",
        date=document.generated[:10] if day is None else _check_day(day),
        title=document.title,
        file=document.inputs[0].file,
        sha256=document.inputs[0].sha256,
        recipients=recipients,
        release=document.policy.release,
        key=key or policy_key or unit,
        columns={column.column: column.role for column in document.columns if column.released},
        removed=tuple(column.column for column in document.columns if not column.released),
        verdict=document.verdict,
        rule_verdicts=document.rule_verdicts,
        policy_sha256=document.policy.sha256,
        check_sha256=document.content_sha256,
        petworks=document.petworks,
        original_sha256=next((file.sha256 for file in document.inputs if file.use == "original"), None),
    )


def file_of_entry(folder: Path, entry: Entry) -> dict[Path, bytes]:
    """The file to write for an entry; empty if the register already has that entry."""
    content = canonical_json(entry.to_dict()).encode()
    by_earlier_version = canonical_json(replace(entry, original_sha256=None).to_dict()).encode()
    target = folder / entry.name
    if os.path.lexists(target):
        is_file = not target.is_symlink() and target.is_file()
        if is_file and target.read_bytes() in (content, by_earlier_version):
            return {}
        raise InputError(
            "the register has another entry {entry}: of the same table and day; remove that first, or name another day",
            entry=quoted([entry.name]),
        )
    return {target: content}


def list_entry_files(folder: Path) -> tuple[Path, ...]:
    """The JSON files of a register; other files in the folder are ignored."""
    if not folder.is_dir():
        raise InputError(
            "no such folder: {folder}; an empty folder is a register without releases", folder=quoted([str(folder)])
        )
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError as error:
        raise InputError("cannot read {folder!r}: {reason}", folder=str(folder), reason=system_reason(error)) from None
    if len(files) > MAX_ENTRIES:
        raise InputError(
            "{folder}: more than {most:,} files; a register has one for each release",
            folder=folder.name,
            most=MAX_ENTRIES,
        )
    for file in files:
        if file.is_symlink():
            raise InputError("{file}: a symbolic link; a register has files of its own", file=file.name)
        check_regular(file)
    return tuple(files)


def read_register(folder: Path) -> tuple[Entry, ...]:
    """All entries of a register, oldest first; raises if one of them is invalid."""
    entries = [read_entry(file) for file in list_entry_files(folder)]
    return tuple(sorted(entries, key=lambda entry: (entry.date, entry.name)))


def read_entry(path: Path) -> Entry:
    """The entry in a file; raises if it is not a valid entry."""
    content = read_json(path, Phrase("an entry of a register"), Hint.REGISTER, LARGEST_ENTRY)
    entry = parse_document(Entry, content)
    if isinstance(entry, Phrase):
        raise InputError("{file}: not an entry of a register: {problem}", file=path.name, problem=entry)
    try:
        _check_day(entry.date)
    except ParameterError as error:
        raise InputError("{file}: {problem}", file=path.name, problem=error.worded()) from None
    return entry


def _check_day(text: str) -> str:
    """The date as given; raises if it is not a valid ISO date."""
    try:
        date.fromisoformat(text if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else "")
    except ValueError:
        raise ParameterError("a day is like 2026-11-16, got {given}", given=quoted([text]), what="date") from None
    return text


def find_registered(
    policy: Policy, release: Release, digest: str | None, measured: set[str | None]
) -> tuple[Registered, ...] | None:
    """The releases in the policy's register that share a key or quasi-identifiers with this one.

    None if the policy names no register.

    digest     the digest of this table, whose own entry is left out
    measured   digests of the earlier releases that were measured together with this one
    """
    if policy.register is None:
        return None
    entries = read_register(policy.register)
    overlaps = (
        _overlap(entry, policy, release, measured) for entry in entries if entry.sha256 != digest or digest is None
    )
    return tuple(entry for entry in overlaps if entry.shared_keys or entry.shared_quasi_identifiers)


def _overlap(entry: Entry, policy: Policy, release: Release, measured: set[str | None]) -> Registered:
    """The columns that a registered release shares with this one."""
    keys = [policy.releases.key, release.privacy_unit, *release.identifiers]
    return Registered(
        title=entry.title,
        date=entry.date,
        sha256=entry.sha256,
        recipients=entry.recipients,
        verdict=entry.verdict,
        shared_keys=tuple(name for name in entry.keys if name in keys),
        shared_quasi_identifiers=tuple(
            name for name in entry.with_role(QUASI_IDENTIFIER) if name in release.quasi_identifiers
        ),
        shared_sensitive_attributes=tuple(
            name for name in entry.with_role(SENSITIVE_ATTRIBUTE) if name in release.sensitive_attributes
        ),
        measured=entry.sha256 is not None and entry.sha256 in measured,
    )
