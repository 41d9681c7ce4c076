"""What is open on the page: a policy with its table, counted once, and the check of it as long as nothing changes."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar

from PETWorks.counting.release import Release
from PETWorks.gate.days import today
from PETWorks.gate.inputs import files_read
from PETWorks.gate.policy import Policy, read_policy
from PETWorks.render.checks import Check, check
from PETWorks.studio.policy_file import PolicyFile

MOST_DESKS = 3
Stamp = tuple[Any, ...]
Made = TypeVar("Made")


class Desk:
    """A policy as it is now, and what was computed from it. Threads share it; each thing is computed once."""

    def __init__(self, file: PolicyFile) -> None:
        self.file = file
        self.policy: Policy = read_policy(file.path)
        self.stamp = stamp_of(self.policy)
        self._made: dict[str, Any] = {}
        self._locks: defaultdict[str, RLock] = defaultdict(RLock)
        self._lock = Lock()

    @property
    def is_current(self) -> bool:
        """Whether the day, the policy and the files that it names are as they were when this was made."""
        return self.file.digest == self.policy.file.sha256 and stamp_of(self.policy) == self.stamp

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Something that is made of this policy and its table, once; other threads that want it wait for it."""
        with self._lock:
            lock = self._locks[name]
        with lock:
            if name not in self._made:
                self._made[name] = make()
            made: Made = self._made[name]
            return made

    def is_made(self, name: str) -> bool:
        """Whether something was made already."""
        return name in self._made

    @property
    def release(self) -> Release:
        """The policy's table, opened with its roles and hierarchies."""
        return self.once("release", self.policy.release)

    @property
    def check(self) -> Check:
        """The verdict, and everything that a report says."""
        return self.once("check", lambda: check(self.policy))

    @property
    def is_checked(self) -> bool:
        """Whether the verdict is known already."""
        return self.is_made("check")

    @property
    def table_name(self) -> str:
        """What the page calls the table."""
        return getattr(self.policy.data, "name", str(self.policy.data))


class Desks:
    """The desks that were used last, by their policy; one is made anew when the policy or its table has changed."""

    def __init__(self) -> None:
        self._desks: dict[Path, Desk] = {}
        self._lock = RLock()

    def of(self, path: Path) -> Desk:
        """The desk of a policy."""
        with self._lock:
            desk = self._desks.pop(path, None)
            if desk is None or not desk.is_current:
                desk = Desk(PolicyFile(path))
            self._desks[path] = desk
            for oldest in list(self._desks)[:-MOST_DESKS]:
                del self._desks[oldest]
            return desk


def stamp_of(policy: Policy) -> Stamp:
    """By which a change of what a check depends on is noticed: the policy, the files that it reads, and the day."""
    stats = [(path, path.stat()) for path in files_read(policy) if path.exists()]
    files = ((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in stats)
    return (policy.file.sha256, today().isoformat(), *files)  # waivers are judged by the day
