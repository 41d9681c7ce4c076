"""Locks, so that two runs of the program do not write the same files."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from PETWorks.errors import InputError, system_reason

BUSY = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL)  # a file system without locks


@contextmanager
def locked(lock: Path, output: Path) -> Iterator[None]:
    """A context that one process at a time can be in; an error for any other, which would write the same output.

    The system gives the lock up when a process ends, however that happens: a lock file that is left locks nothing.
    """
    try:
        descriptor = _open_locked(lock)
    except OSError as error:
        if error.errno in BUSY:
            raise InputError(
                "cannot write {path!r}: another run is writing it; wait for it, or name another output",
                path=str(output),
            ) from None
        raise InputError("cannot write {path!r}: {reason}", path=str(output), reason=system_reason(error)) from None
    try:
        yield
    finally:
        if sys.platform == "win32":  # which removes no file that is open
            os.close(descriptor)
        with suppress(OSError):
            lock.unlink()
        if sys.platform != "win32":
            os.close(descriptor)


def _open_locked(path: Path) -> int:
    """A locked file; made anew if another process removed it between opening and locking it."""
    while True:
        with ExitStack() as opened:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            opened.callback(os.close, descriptor)
            _lock(descriptor)
            if sys.platform == "win32" or _is_at(descriptor, path):
                opened.pop_all()
                return descriptor


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        _lock_on_windows(descriptor)
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


def _lock_on_windows(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to an open file."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
