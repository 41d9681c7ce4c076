"""Verification of a check document: its digests, and the files that it is about."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from PETWorks.errors import Hint, InputError, Phrase
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.document.check_document import (
    INTERNAL,
    CheckDocument,
    CheckFile,
    Commitments,
    NextStep,
    combine_verdicts,
    content_digest,
)
from PETWorks.gate.external.edition import commitment, external_edition
from PETWorks.json_types import JSONObject

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
