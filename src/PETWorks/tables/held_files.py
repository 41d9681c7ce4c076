"""Files that are read once: their bytes stay in memory, so that digest and results are about the same bytes."""

import hashlib
import io
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import RLock
from typing import Any, BinaryIO
from weakref import WeakValueDictionary

import pyarrow as pa

MAX_BYTES = 1 << 27  # held in all; further files stay on disk and are read whenever they are needed

State = tuple[int, ...]


def file_state(path: Path, stat: os.stat_result | None = None) -> State:
    """The file attributes that change with its content. The ctime of SQLite's log also changes when it is opened."""
    stat = path.stat() if stat is None else stat
    changed = stat.st_mtime_ns if path.name.endswith("-wal") else stat.st_ctime_ns
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, changed


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
        return self.path if self.content is None else pa.BufferReader(self.content)

    def for_zip(self) -> Any:
        """A path or a buffer that Python can read a zip file from."""
        return self.path if self.content is None else io.BytesIO(self.content)

    def mapped(self) -> Any:
        """A file of PyArrow whose arrays need no memory of their own."""
        return pa.memory_map(str(self.path)) if self.content is None else pa.BufferReader(self.content)

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
        """The file, read anew if it has changed."""
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
