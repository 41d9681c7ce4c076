"""What may go out: decided here for the command, the page, the evidence folder, Python and pipelines alike.

A table may go out if it is the file that was judged, every rule holds or is waived, and the policy that it was made
with says what it said then. That a regime asks for an approver is a rule of the policy, too. The external edition of a
report goes out with its table, the internal never.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from PETWorks.errors import InputError
from PETWorks.gate.document import FAIL, PASS, WAIVED, WITHHELD, CheckDocument, Verdict
from PETWorks.gate.inputs import table_digest
from PETWorks.gate.made_by import changed_since_made
from PETWorks.gate.policy import Policy

# Exit codes by what a document shows: an external edition that withholds a verdict gives the same one for all data.
EXIT_CODES: dict[Verdict, int] = {PASS: 0, WAIVED: 0, FAIL: 1, WITHHELD: 4}

Obstacle = Literal["fails", "withheld", "changed", "unfinished", "outdated"]


def passes(verdict: str) -> bool:
    """Whether every rule holds or is waived, as far as a verdict shows it."""
    return verdict in (PASS, WAIVED)


def obstacle(document: CheckDocument, table: Path | None = None) -> Obstacle | None:
    """What stands against handing out a table that was checked; None if nothing does.

    table   its file as it is now; without it, the table is taken to be the one that was judged
    """
    if document.verdict == WITHHELD:
        return "withheld"
    if not passes(document.verdict):
        return "fails"
    if table is not None and not _is_judged(document, table):
        return "changed"
    made = document.anonymization
    if made is not None and made.seconds is not None and not made.optimal:  # somebody decides about it as it is
        return "unfinished"
    return None


def obstacle_now(
    made: CheckDocument | None,
    check: CheckDocument,
    released: Policy,
    origins: Sequence[Policy],
    table: Path | None,
    *,
    judged_alone: bool = False,
) -> Obstacle | None:
    """What stands against handing out a release that was made and judged some time ago; None if nothing does.

    made           the check that was written with it, if one was
    check          the check of its own policy, as things are now
    released       that policy
    origins        the policies that the release may have been made with; it is outdated if each says something else
    table          its file as it is now
    judged_alone   as for `changed_since_made`
    """
    for document in (check, *([] if made is None else [made])):
        against = obstacle(document, table)
        if against is not None:
            return against
    changes = [changed_since_made(origin, released, judged_alone=judged_alone) for origin in origins]
    return "outdated" if changes and all(changes) else None


def _is_judged(document: CheckDocument, table: Path) -> bool:
    """Whether a file is the very table that was checked."""
    judged = next((file.sha256 for file in document.inputs if file.use == "data"), None)
    try:
        return judged is not None and judged == table_digest(table)
    except InputError:  # it is gone
        return False
