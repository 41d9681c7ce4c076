"""What the last check of a policy on this page said, so that the list of policies can say it too."""

import json
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from PETWorks.errors import PETWorksError
from PETWorks.gate.days import today
from PETWorks.gate.policy import Policy, read_policy
from PETWorks.studio.desk import Desk, Stamp, stamp_of
from PETWorks.studio.policy_file import PolicyFile
from PETWorks.tables.output import write_whole
from PETWorks.tables.small_files import read_small

NAME = "checked.json"
LARGEST = 10_000
VERDICTS = ("pass", "waived", "fail")


@dataclass(frozen=True)
class Known:
    """A policy as the list shows it.

    table     what it is about: a path below the folder, or an address
    verdict   of the last check; None if there was none
    is_current   whether it is of today and nothing has changed since
    mistake   why the policy cannot be read
    """

    path: str
    table: Path | None = None
    table_name: str = ""
    release: str | None = None
    verdict: str | None = None
    is_current: bool = False
    day: str = ""
    mistake: str | None = None


def remember(desk: Desk) -> None:
    """Keep the verdict on a policy beside its earlier versions; it is no loss if that cannot be written."""
    content = {"of": _name(desk.stamp), "verdict": desk.check.content.verdict, "day": today().isoformat()}
    with suppress(OSError, PETWorksError):
        desk.file.folder.mkdir(parents=True, exist_ok=True)
        write_whole({desk.file.folder / NAME: json.dumps(content).encode()})


def known(path: Path, shown: str) -> Known:
    """What is known about a policy without reading its table."""
    file = PolicyFile(path)
    try:
        policy: Policy = read_policy(path)
        stamp = stamp_of(policy)
    except PETWorksError as error:
        return Known(shown, mistake=error.worded())
    verdict, day, is_current = _last(file, stamp)
    table = policy.data if isinstance(policy.data, Path) else None
    name = str(policy.data).partition("://")[0] if table is None else table.name
    return Known(shown, table, name, policy.release_kind, verdict, is_current, day)


def _last(file: PolicyFile, stamp: Stamp) -> tuple[str | None, str, bool]:
    """The verdict of the last check, its day, and whether it was about the policy and the table as they are now."""
    try:
        content = json.loads(read_small(file.folder / NAME, LARGEST))
        verdict, day, of = content["verdict"], str(content["day"]), content["of"]
    except (OSError, ValueError, KeyError, TypeError, PETWorksError):
        return None, "", False
    return (verdict, day[:10], of == _name(stamp)) if verdict in VERDICTS else (None, "", False)


def _name(stamp: Stamp) -> str:
    return sha256(repr(stamp).encode("utf-8", "surrogateescape")).hexdigest()
