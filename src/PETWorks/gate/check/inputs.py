"""The files that a check reads: their digests, proof that they did not change meanwhile, and verification later on."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from PETWorks.about.hierarchies.declaration import hierarchy_files
from PETWorks.about.sidecar import read_sidecar, sidecar_of
from PETWorks.errors import Hint, InputError, PETWorksError, Phrase, system_reason
from PETWorks.gate.document import (
    INTERNAL,
    CheckDocument,
    CheckFile,
    Commitments,
    Input,
    NextStep,
    PolicyFacts,
    Use,
    combine_verdicts,
    content_digest,
)
from PETWorks.gate.external.edition import commitment, external_edition
from PETWorks.gate.policy.earlier_releases import EarlierTable
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.register import list_entry_files
from PETWorks.json_types import JSONObject
from PETWorks.tables.databases import shown_address
from PETWorks.tables.files import State, check_regular, file_digest, file_state
from PETWorks.tables.opening import files_at_path, is_address
from PETWorks.tables.yaml_files import LARGEST_FILE


def policy_facts(policy: Policy) -> PolicyFacts:
    """The facts about the policy file and the release for the document."""
    return PolicyFacts(
        file=policy.path.name,
        sha256=policy.file.sha256,
        cell_size=policy.cell_size,
        release=policy.release_kind,
        kind=policy.kind,
        recipients=policy.recipients,
        assumptions=policy.assumptions,
        subset_sizes=policy.subset_sizes,
        presets=tuple(preset.facts for preset in policy.presets),
        purpose=policy.accountability.purpose,
        review_by=None if policy.accountability.review_by is None else policy.accountability.review_by.isoformat(),
    )


def shown_table(data: Any) -> str | None:
    """The name of a table in a report, without folder, user and password; None if it is in memory."""
    if is_address(data):
        return shown_address(data)
    return data.name if isinstance(data, Path) else None


@dataclass(frozen=True)
class _Source:
    """A file or table that was read; if `listed`, its digest is that of a list of files."""

    use: Use
    name: str | None
    files: tuple[Path, ...] = ()
    listed: bool = False


class Inputs:
    """The files of a check: their state is recorded before anything is read, and they are hashed afterwards.

    A file that changed in between is an error. So the digests are those of the bytes that were evaluated.
    """

    def __init__(self, policy: Policy, data: Any) -> None:
        self._policy, self._data = policy, data
        self._sources = tuple(_sources(policy, data))
        self._states = {file: _state_now(file) for source in self._sources for file in source.files}

    def renew(self, path: Path) -> None:
        """Note the present state of a file that this program has just written."""
        self._states[path] = _state_now(path)

    @property
    def are_current(self) -> bool:
        """Whether all files are as they were."""
        try:
            return all(file_state(file) == state for file, state in self._states.items())
        except OSError:
            return False

    def facts(self) -> tuple[Input, ...]:
        """The inputs with their digests, the data first."""
        if tuple(_sources(self._policy, self._data)) != self._sources:
            raise InputError("files were added or removed while they were checked; check again")
        return tuple(map(self._input, self._sources))

    def _input(self, source: _Source) -> Input:
        if not source.files:
            return Input(source.use, source.name, None, None)
        digest = _digest_of(source, [self._digest(file) for file in source.files])
        return Input(source.use, source.name, sum(self._states[file][2] for file in source.files), digest)

    def _digest(self, path: Path) -> str:
        try:
            state, digest = file_digest(path)
            after = file_state(path)
        except OSError as error:
            raise InputError("cannot read {file}: {reason}", file=path.name, reason=system_reason(error)) from None
        if not state == after == self._states[path]:
            raise InputError("{file}: the file changed while it was checked; check again", file=path.name)
        return digest


def files_read(policy: Policy) -> list[Path]:
    """The files that a check of this policy reads, as far as they can be determined."""
    files: list[Path] = []
    with suppress(PETWorksError):  # a mistake in the YAML file beside the table; the check reports it
        for source in _sources(policy, policy.data):
            files.extend(source.files)
    return [*files, *_policies_of_original(policy)]


def _policies_of_original(policy: Policy) -> Iterator[Path]:
    """The policies beside that of a release that mention its original: it was made with one of them."""
    if policy.plan is None or not isinstance(policy.original, Path):
        return
    for path in sorted(policy.path.parent.glob("*.yaml")):
        with suppress(OSError):
            is_other = path.is_file() and path.stat().st_size <= LARGEST_FILE and path != policy.path
            if is_other and policy.original.name.encode() in path.read_bytes():
                yield path


def table_digest(table: Path) -> str:
    """The digest that a check of this table would record."""
    source = _table("data", table)
    if not source.files:
        raise InputError("no such file: {path!r}", path=table.name)
    try:
        for file in source.files:
            check_regular(file)
        return _digest_of(source, [file_digest(file)[1] for file in source.files])
    except OSError as error:
        raise InputError("cannot read {file}: {reason}", file=table.name, reason=system_reason(error)) from None


def _digest_of(source: _Source, digests: Sequence[str]) -> str:
    if not source.listed:
        return digests[0]
    # The output of `sha256sum` for the files, so that the digest can be verified without this program.
    lines = (f"{digest}  {file.name}\n" for digest, file in zip(digests, source.files, strict=True))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _sources(policy: Policy, data: Any) -> Iterator[_Source]:
    yield _table("data", data)
    sidecar = sidecar_of(data) if isinstance(data, Path) and data.is_file() else None
    if sidecar is not None and sidecar.samefile(policy.path):
        sidecar = None
    hierarchies = policy.hierarchies
    if sidecar is not None and (policy.roles is None or hierarchies is None):
        yield _Source("roles", sidecar.name, (sidecar,))
        hierarchies = read_sidecar(data).hierarchies if hierarchies is None else hierarchies
    compared: Sequence[tuple[Use, Any]] = (
        ("original", policy.original),
        ("population", policy.population),
        ("control", policy.control),
    )
    for use, table in compared:
        if isinstance(table, Path | str):
            yield _table(use, table)
    if policy.plan is not None:
        yield _Source("plan", policy.plan.name, (policy.plan,))
    for release in policy.releases.measured:
        yield from _release(release)
    if policy.register is not None:
        yield _Source("register", policy.register.name, list_entry_files(policy.register), listed=True)
    files = tuple(hierarchy_files(hierarchies))
    if isinstance(hierarchies, Path) or files:  # declared hierarchies have no file
        name = hierarchies.name if isinstance(hierarchies, Path) else ", ".join(file.name for file in files)
        yield _Source("hierarchies", name, files, listed=True)


def _release(release: EarlierTable) -> Iterator[_Source]:
    """The sources of an earlier release: table, YAML file with its roles, original with its key, and plan."""
    yield _table("release", release.data)
    sidecar = sidecar_of(release.data) if isinstance(release.data, Path) and release.data.is_file() else None
    if sidecar is not None and release.roles is None:
        yield _Source("release", sidecar.name, (sidecar,))
    if release.original is not None:
        yield _table("release", release.original)
    if release.plan is not None:
        yield _Source("release", release.plan.name, (release.plan,))


def _table(use: Use, table: Any) -> _Source:
    if not isinstance(table, Path):
        return _Source(use, shown_table(table))
    files = tuple(file for table_file in files_at_path(table) for file in _with_log(table_file))
    return _Source(use, table.name, files, listed=len(files) > 1)


def _with_log(file: Path) -> Sequence[Path]:
    """The file, and for a database also the log of changes that are not in the file yet."""
    logs = (file.parent / f"{file.name}{end}" for end in (".wal", "-wal"))
    return (file, *(log for log in logs if log.is_file()))


def _state_now(file: Path) -> State:
    """The state of a file before the check."""
    try:
        return file_state(file)
    except OSError as error:
        raise InputError("cannot read {file}: {reason}", file=file.name, reason=system_reason(error)) from None


PUBLISHED = ("verdict", "table", "columns", "rules", "adversaries", "subsets", "results")  # parts that depend on data


class VerifiedItem(JSONObject, frozen=True):
    """Something that was compared, and whether it matches."""

    what: str
    matches: bool


def verify(
    document: CheckFile, *, data: Path | None = None, policy: Path | None = None, internal: CheckFile | None = None
) -> tuple[VerifiedItem, ...]:
    """Compare a document with its own digest, and with the given files and internal edition.

    The external edition has commitments instead of digests of files. They can be verified only with the salt in the
    internal edition.
    """
    if internal is not None and internal.edition != INTERNAL:
        raise InputError("the document given as the internal edition is an external one")
    verified = [
        VerifiedItem(
            Phrase("the document and its content digest"), content_digest(document) == document.content_sha256
        ),
        VerifiedItem(
            Phrase("the verdict and the verdicts of the rules"),
            document.verdict == combine_verdicts([rule.verdict for rule in document.rules]),
        ),
    ]
    if internal is not None:
        verified.append(
            VerifiedItem(
                Phrase("the internal edition and its content digest"),
                content_digest(internal) == internal.content_sha256,
            )
        )
        expected = internal if document.edition == INTERNAL else _external_of(internal)
        same = content_digest(document) == content_digest(expected) and document.commitments == expected.commitments
        verified.append(VerifiedItem(Phrase("the document and the internal edition"), same))
        verified.append(
            VerifiedItem(Phrase("the time of the check in both editions"), document.generated == internal.generated)
        )
    salt = None if internal is None else internal.salt
    commitments = document.commitments or Commitments(None, None)
    for what, file, recorded, committed in (
        (Phrase("the table"), data, document.inputs[0].sha256, commitments.data),
        (Phrase("the policy"), policy, document.policy.sha256, commitments.policy),
    ):
        if file is not None:
            verified.append(VerifiedItem(what, _matches(what, table_digest(file), recorded, committed, salt)))
    return tuple(verified)


def warn_of_earlier_edition(document: CheckDocument, earlier: CheckDocument) -> CheckDocument:
    """The document with a step that warns of an earlier external edition about a different table."""
    digests = document.inputs[0].sha256, earlier.inputs[0].sha256
    if None not in digests and digests[0] == digests[1]:
        return document
    old, new = (dict(_leaves(_published(edition))) for edition in (earlier, document))
    differing = sum(old.get(place) != new.get(place) for place in old.keys() | new.keys())
    step = NextStep("earlier-edition", size=differing)
    return replace(document, next_steps=(step, *document.next_steps))


def _external_of(document: CheckDocument) -> CheckDocument:
    """The external edition of an internal one from a file, which may have been edited."""
    try:
        return external_edition(document)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        raise InputError("the internal edition is not complete, so no external one can be made of it") from None


def _published(document: CheckDocument) -> dict[str, Any]:
    edition = _external_of(document) if document.edition == INTERNAL else document
    content = edition.to_dict()
    return {name: content[name] for name in PUBLISHED}


def _leaves(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(content, dict | list):
        for key, item in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _leaves(item, (*place, key))
    else:
        yield place, content


def _matches(what: str, digest: str, recorded: str | None, committed: str | None, salt: str | None) -> bool:
    if recorded is not None:
        return digest == recorded
    if committed is None:
        raise InputError("the document has no digest of {file}: it was checked in memory or in a database", file=what)
    if salt is None:
        raise InputError(
            "{file} can be compared with an external edition only by the salt", Hint.INTERNAL_EDITION, file=what
        )
    return commitment(salt, digest) == committed
