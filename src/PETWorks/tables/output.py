"""Writing files: either all of them completely, or none at all."""

import errno
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from PETWorks.errors import InputError, Phrase, system_reason


def check_writable(path: Path, inputs: tuple[Path | None, ...] = ()) -> Path:
    """The file to write, with links resolved; raise if it cannot be written, or is or may be an input."""
    try:
        target = path.resolve()
        if not target.parent.is_dir():
            raise InputError(
                "cannot write {path!r}: the folder {folder!r} does not exist", path=str(path), folder=str(path.parent)
            )
        if target.exists() and not target.is_file():
            raise InputError("cannot write {path!r}: it is a folder or a device, not a file", path=str(path))
        if not os.access(target.parent, os.W_OK):
            raise InputError("cannot write {path!r}: the folder is not writable", path=str(path))
        is_input = any(
            other is not None and other.exists() and target.exists() and target.samefile(other) for other in inputs
        )
        side_file = target.suffix in (".yaml", ".yml") or "hierarchy_" in target.name
        if is_input or (side_file and target.exists()):
            raise InputError("cannot write {path!r}: it is an input of this run, or is named like one", path=str(path))
    except (OSError, RuntimeError) as error:
        raise InputError(
            "cannot write {path!r}: {reason}",
            path=str(path),
            reason=system_reason(error) if getattr(error, "strerror", None) else Phrase("a symlink loop"),
        ) from None
    return target


def check_new_folder(path: Path) -> Path:
    """The folder to write, with links resolved; raise if it exists, or if it cannot be written."""
    target = path.resolve()
    if not os.path.lexists(path):
        return check_writable(path)
    if os.path.lexists(target):
        has_name = path.name not in ("", "..")  # unlike the current folder, its parent and the root
        names = (f"{path.name}_{n}" if has_name else f"new_{n}" for n in count(2))
        candidates = (path.with_name(name) if has_name else path / name for name in names)
        raise InputError(
            "cannot write {path!r}: it exists; name a new folder, such as {other!r}",
            path=str(path),
            other=str(next(other for other in candidates if not os.path.lexists(other))),
        )
    return target


@dataclass(frozen=True)
class Folder:
    """A new folder of files; `write` is called with an empty folder."""

    write: Callable[[Path], None]


Content = bytes | Callable[[BinaryIO], None] | Folder  # of a file, or a function that writes it


def write_whole(contents: Mapping[Path, Content], like: Iterable[Path] = ()) -> None:
    """Write files so that either all are complete or none exists; earlier files stay if that fails.

    like   the files they are made from: the new files have no permissions that these lack
    """
    with staging(f"{os.getpid()}-{time.time_ns()}", like=like) as staged:
        staged.write(contents)
        staged.publish()


@contextmanager
def staging(name: str, base: Path | None = None, like: Iterable[Path] = ()) -> "Iterator[Staging]":
    """A context in which files are written aside; files that are not published are removed at its end.

    name   of the hidden folders; leftovers of an earlier run with this name are removed
    base   a folder of files that belong together: they are staged in one hidden folder, with the same structure
    like   the files they are made from: the new files have no permissions that these lack
    """
    staged = Staging(f".petworks-{name}.partial", base, _permissions(like))
    staged.clean()
    try:
        yield staged
    finally:
        staged.clean()


class Staging:
    """Files that are written to hidden folders beside their destinations, and moved there together."""

    def __init__(self, name: str, base: Path | None = None, permissions: int = 0o777) -> None:
        self._name, self._base, self._permissions = name, base, permissions
        self._staged: dict[Path, Path] = {}
        self._gone: list[Path] = []
        self._folders: set[Path] = set() if base is None else {base / name}

    def write(self, contents: Mapping[Path, Content]) -> None:
        """Write files, without moving them to their destinations yet."""
        for path, content in contents.items():
            with _errors_of(path):
                folder, inside = self._folder_of(path)
                staged = folder / inside
                staged.parent.mkdir(parents=True, exist_ok=True)
                if self._staged.get(path) == staged:
                    staged.unlink()  # it is written again
                self._staged[path] = staged
                if isinstance(content, Folder):
                    staged.mkdir()
                    content.write(staged)
                    for written in (staged, *staged.rglob("*")):
                        self._restrict(written)
                    continue
                with staged.open("xb") as file:
                    if isinstance(content, bytes):
                        file.write(content)
                    else:
                        content(file)
                self._restrict(staged)

    def _restrict(self, path: Path) -> None:
        """Remove permissions that the files it is made from lack; the owner can always read and write."""
        mode = stat.S_IMODE(path.stat().st_mode)
        allowed = self._permissions | 0o600
        if path.is_dir():
            allowed |= 0o100 | (allowed & 0o044) >> 2  # whoever may read files may list them
        if mode & ~allowed:
            path.chmod(mode & allowed)

    def write_aside(self, path: Path, content: Content) -> Path:
        """Write a file that is never moved to its destination; return where it is until all are."""
        self.write({path: content})
        return self._staged.pop(path)

    def remove(self, path: Path) -> None:
        """Remove an obsolete file when the others are published."""
        self._gone.append(path)

    def current(self, path: Path) -> Path:
        """The present location of a file: staged, or at its destination."""
        for final, staged in self._staged.items():
            if path == final or final in path.parents:
                return staged / path.relative_to(final)
        return path

    def publish(self) -> None:
        """Move all files to their destinations; if that fails, the earlier files are restored.

        The file that was written first is moved last, and an earlier one in its place is removed first. So whenever the
        program is killed, this file exists together with all the others, or not at all. The file that was written
        second, by which a later run recognises the others as its own, is moved before them and removed after them.
        """
        first, others = list(self._staged)[:1], list(self._staged)[1:]
        # One file is replaced in one step.
        kept = [*first, *self._gone, *reversed(others)] if others or self._gone else []
        earlier: dict[Path, Path] = {}
        published: list[Path] = []
        folders: list[Path] = []
        complete = False
        try:
            for path in kept:
                with _errors_of(path):
                    _check_no_folder(path)
                    if os.path.lexists(path):
                        folder, inside = self._folder_of(path)
                        aside = folder / ".earlier" / inside
                        aside.parent.mkdir(parents=True, exist_ok=True)
                        path.replace(aside)
                        earlier[path] = aside
            for path in (*others, *first):
                with _errors_of(path):
                    _check_no_folder(path)
                    if not path.parent.exists():
                        path.parent.mkdir()
                        folders.append(path.parent)
                        self._restrict(path.parent)
                    self._staged[path].replace(path)
                    published.append(path)
            complete = True
        finally:
            for path in [] if complete else [*published, *folders]:
                _remove(path)
            for path, aside in {} if complete else earlier.items():
                aside.replace(path)
        self._staged.clear()

    def clean(self) -> None:
        """Remove the staged files."""
        for folder in self._folders:
            _remove(folder)

    def _folder_of(self, path: Path) -> tuple[Path, Path]:
        """The hidden folder for a file, and its path in there."""
        base = self._base if self._base is not None and path.is_relative_to(self._base) else path.parent
        folder = base / self._name
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folders.add(folder)
        return folder, path.relative_to(base)


def _permissions(files: Iterable[Path]) -> int:
    """The permissions that all of these files have."""
    permissions = 0o777
    for file in files:
        with suppress(OSError):
            permissions &= stat.S_IMODE(file.stat().st_mode)
    return permissions


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Convert system errors to errors that name the file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError("cannot write {path!r}: {reason}", path=str(path), reason=system_reason(error)) from None


def _check_no_folder(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
