"""Files of the system: readability checks, small files read whole, files held in memory, portable paths, and locks."""

import errno
import hashlib
import io
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from difflib import get_close_matches
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from stat import S_ISREG
from threading import RLock
from typing import Any, BinaryIO
from weakref import WeakValueDictionary

import pyarrow as pa

from PETWorks.errors import InputError, system_reason

MAX_FILES, LONGEST_NAME = 1_000, 255  # files whose names are compared, and characters of a name


def check_regular(path: Path, error: type[InputError] = InputError) -> None:
    """Raise if a path exists and is not a regular file.

    Files under `/proc` have size 0 whatever their content. Reading some, such as `/proc/kmsg`, never ends.
    """
    if not path.exists():
        return
    state = path.stat()
    if not S_ISREG(state.st_mode):
        raise error("cannot read {path!r}: not a regular file", path=str(path))
    if state.st_size == 0 and _has_content(path):
        raise error(
            "cannot read {path!r}: not a regular file: its size is 0, but it is not empty; copy its content to a "
            "file, and use that",
            path=str(path),
        )


def no_such_file(path: Path) -> InputError:
    """The error for a missing file, with the file in that folder whose name is most similar."""
    near = _nearest(path)
    if near is None:
        return InputError("no such file: {path!r}", path=str(path))
    return InputError("no such file: {path!r}; did you mean {near!r}?", path=str(path), near=str(near))


def _nearest(path: Path) -> Path | None:
    """The file with the most similar name, without a sheet named after a `#`."""
    name = path.name.partition("#")[0] or path.name
    try:
        with os.scandir(path.parent) as entries:
            names = {entry.name.casefold(): entry.name for entry in islice(entries, MAX_FILES) if entry.is_file()}
    except (OSError, ValueError):
        return None
    near = get_close_matches(name.casefold()[:LONGEST_NAME], names, n=1, cutoff=0.7)
    return path.with_name(names[near[0]]) if near else None


def _has_content(path: Path) -> bool:
    """Whether there is content to read, or to wait for."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # Windows has no pipes in its file system
    try:
        return bool(os.read(file, 1))
    except BlockingIOError:
        return True
    finally:
        os.close(file)


def read_small(path: Path, most: int, error: type[InputError] = InputError) -> bytes:
    """The content of a file of at most `most` bytes, a multiple of 1 MiB."""
    try:
        check_regular(path, error)
        with path.open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        missing = no_such_file(path)
        raise error(*missing.parts, what=missing.what) from None
    except OSError as failure:
        raise error("cannot read {path!r}: {reason}", path=str(path), reason=system_reason(failure)) from None
    if len(content) > most:
        raise error("{file}: the file is larger than {most} MiB", file=path.name, most=most >> 20)
    return content


def path_from(folder: Path, path: Path) -> str:
    """The path of a file relative to a folder, in portable form.

    >>> path_from(Path("work/policies"), Path("work/exports/stays.csv"))
    '../exports/stays.csv'
    """
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        raise _other_drive(path, folder) from None


def common_folder(folder: Path, other: Path) -> Path:
    """The innermost folder that contains both."""
    try:
        return Path(os.path.commonpath([folder, other]))
    except ValueError:
        raise _other_drive(other, folder) from None


def _other_drive(path: Path, folder: Path) -> InputError:
    return InputError(
        "{path!r} is on another drive than {folder!r}; files that belong together have to be on one",
        path=str(path),
        folder=str(folder),
    )


BUSY = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL)  # a file system without locks


@contextmanager
def locked(lock: Path, output: Path) -> Iterator[None]:
    """Hold the lock of an output while it is written; raise if another process holds it.

    The system releases the lock when a process ends in any way: a lock file that is left behind locks nothing.
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
        if sys.platform == "win32":  # cannot remove an open file
            os.close(descriptor)
        with suppress(OSError):
            lock.unlink()
        if sys.platform != "win32":
            os.close(descriptor)


def _open_locked(path: Path) -> int:
    """Open and lock a file; create it again if another process removed it between opening and locking."""
    while True:
        with ExitStack() as opened:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            opened.callback(os.close, descriptor)
            _lock(descriptor)
            if sys.platform == "win32" or _is_at(descriptor, path):
                opened.pop_all()
                return descriptor


def _lock(descriptor: int) -> None:
    """Lock an open file; do nothing on a file system without locks."""
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
    """Whether a path still refers to an open file."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


MAX_BYTES = 1 << 27  # held in all; further files stay on disk and are read whenever they are needed

State = tuple[int, ...]


def file_state(path: Path, stat: os.stat_result | None = None) -> State:
    """The file attributes that change with its content. The ctime of SQLite's log also changes when it is opened."""
    stat = path.stat() if stat is None else stat
    changed = stat.st_mtime_ns if path.name.endswith("-wal") else stat.st_ctime_ns
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, changed


def arrow_reader(content: bytes | memoryview) -> Any:
    """A reader of a copy of the bytes that Arrow owns.

    Threads of Arrow may release a buffer a little after the table has been read. If it were Python's, they would wait
    for the interpreter, and a program that ends in that moment would be aborted.
    """
    copied = pa.BufferOutputStream()
    copied.write(content)
    return pa.BufferReader(copied.getvalue())


class HeldFile:
    """A file as it was when it was opened; functions that take a path also take it.

    content   its bytes; None if there are too many to hold
    """

    def __init__(self, path: Path, max_bytes: int | None = None) -> None:
        self.path = path
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())
            self.state, self.size = file_state(path, stat), stat.st_size
            self.content = file.read() if stat.st_size <= (MAX_BYTES if max_bytes is None else max_bytes) else None

    def open(self) -> BinaryIO:
        """Open the bytes for reading from the start."""
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)

    def for_arrow(self) -> Any:
        """A path or a buffer that PyArrow can read the bytes from."""
        return self.path if self.content is None else arrow_reader(self.content)

    def for_zip(self) -> Any:
        """A path or a buffer that Python can read a zip file from."""
        return self.path if self.content is None else io.BytesIO(self.content)

    def mapped(self) -> Any:
        """A file of PyArrow whose arrays need no memory of their own."""
        return pa.memory_map(str(self.path)) if self.content is None else arrow_reader(self.content)

    @contextmanager
    def raw(self) -> Iterator[bytes | mmap]:
        """The bytes, to be sliced."""
        if self.content is not None:
            yield self.content
            return
        with self.path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
            yield mapped

    def __fspath__(self) -> str:
        return str(self.path)


class FilesRead:
    """The files that were read for one purpose: each is read once as long as somebody uses it, and hashed once.

    keep   how many of the last files stay in memory even if nobody uses them
    """

    def __init__(self, keep: int = 0) -> None:
        self._kept: deque[HeldFile] = deque(maxlen=keep)
        self._held: WeakValueDictionary[State, HeldFile] = WeakValueDictionary()
        self._digests: dict[State, str] = {}
        self._lock = RLock()

    @classmethod
    def current(cls) -> "FilesRead":
        """The files that are shared here; otherwise new ones."""
        return _FILES.get() or cls()

    @contextmanager
    def shared(self) -> Iterator[None]:
        """A context in which tables are opened with these files."""
        token = _FILES.set(self)
        try:
            yield
        finally:
            _FILES.reset(token)

    def hold(self, path: Path) -> HeldFile:
        """The file, read again if it has changed."""
        with self._lock:
            held = self._held.get(file_state(path))
            if held is None:
                held = HeldFile(path, MAX_BYTES - sum(len(other.content or b"") for other in self._held.values()))
                self._held[held.state] = held
                self._kept.append(held)
                if held.content is not None:
                    self._digests[held.state] = hashlib.sha256(held.content).hexdigest()
            return held

    def digest(self, path: Path) -> tuple[State, str]:
        """The state of a file when it was read, and the digest of the bytes that were read."""
        with self._lock:
            state = file_state(path)
            if state not in self._digests:
                state, digest = _hash(path)
                self._digests[state] = digest
            return state, self._digests[state]


_FILES: ContextVar[FilesRead | None] = ContextVar("files that tables are opened with", default=None)


def hold_file(path: Path) -> HeldFile:
    """The file with its bytes: those that were read before, where files are shared."""
    files = _FILES.get()
    return HeldFile(path) if files is None else files.hold(path)


def file_digest(path: Path) -> tuple[State, str]:
    """The state of a file and the digest of its bytes: of those that were read before, where files are shared."""
    files = _FILES.get()
    return _hash(path) if files is None else files.digest(path)


def _hash(path: Path) -> tuple[State, str]:
    """Hash a file; its state is that before, so that a change meanwhile is seen by a comparison afterwards."""
    with path.open("rb") as file:
        state = file_state(path, os.fstat(file.fileno()))
        return state, hashlib.file_digest(file, "sha256").hexdigest()
