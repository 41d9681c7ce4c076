"""How files are written: all of them whole, or none at all."""

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
    """The file to write, links followed; an error if it cannot be written or is, or may be, an input."""
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
        given = any(
            other is not None and other.exists() and target.exists() and target.samefile(other) for other in inputs
        )
        side_file = target.suffix in (".yaml", ".yml") or "hierarchy_" in target.name
        if given or (side_file and target.exists()):
            raise InputError("cannot write {path!r}: it is an input of this run, or is named like one", path=str(path))
    except (OSError, RuntimeError) as error:
        raise InputError(
            "cannot write {path!r}: {reason}",
            path=str(path),
            reason=system_reason(error) if getattr(error, "strerror", None) else Phrase("a symlink loop"),
        ) from None
    return target


def check_new_folder(path: Path) -> Path:
    """The folder to write, links followed; an error if there is anything at its place, or if it cannot be written."""
    target = path.resolve()
    if not os.path.lexists(path):
        return check_writable(path)
    if os.path.lexists(target):
        named = path.name not in ("", "..")  # not so the current folder, the one above and the root
        names = (f"{path.name}_{n}" if named else f"new_{n}" for n in count(2))
        free = (path.with_name(name) if named else path / name for name in names)
        raise InputError(
            "cannot write {path!r}: it exists; name a new folder, such as {other!r}",
            path=str(path),
            other=str(next(other for other in free if not os.path.lexists(other))),
        )
    return target


@dataclass(frozen=True)
class Folder:
    """A new folder of files; `write` gets an empty one."""

    write: Callable[[Path], None]


Content = bytes | Callable[[BinaryIO], None] | Folder  # of a file, or what writes it there


def write_whole(contents: Mapping[Path, Content], like: Iterable[Path] = ()) -> None:
    """Write files so that they are there complete, all of them, or not at all; earlier ones stay if that fails.

    like   the files that they are made of: nobody may read or write the new ones who may not read or write these
    """
    with staging(f"{os.getpid()}-{time.time_ns()}", like=like) as staged:
        staged.write(contents)
        staged.publish()


@contextmanager
def staging(name: str, base: Path | None = None, like: Iterable[Path] = ()) -> "Iterator[Staging]":
    """A context in which files are written without being at their places; what is not published is gone after it.

    name   of the hidden folders; what an earlier run has left under it is removed
    base   the folder of files that belong together: they are staged in one folder, as they will stand in this one
    like   the files that they are made of: nobody may read or write the new ones who may not read or write these
    """
    staged = Staging(f".petworks-{name}.partial", base, _permissions(like))
    staged.clean()
    try:
        yield staged
    finally:
        staged.clean()


class Staging:
    """Files that are written to hidden folders beside their places, and moved to their places together."""

    def __init__(self, name: str, base: Path | None = None, permissions: int = 0o777) -> None:
        self._name, self._base, self._permissions = name, base, permissions
        self._staged: dict[Path, Path] = {}
        self._gone: list[Path] = []
        self._folders: set[Path] = set() if base is None else {base / name}

    def write(self, contents: Mapping[Path, Content]) -> None:
        """Write files, none of which is at its place yet."""
        for path, content in contents.items():
            with _errors_of(path):
                folder, inside = self._folder_of(path)
                staged = folder / inside
                staged.parent.mkdir(parents=True, exist_ok=True)
                if self._staged.get(path) == staged:
                    staged.unlink()  # it is written anew
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
        """Take permissions away that the files do not have of which this one is made; the owner keeps their own."""
        own = stat.S_IMODE(path.stat().st_mode)
        allowed = self._permissions | 0o600
        if path.is_dir():
            allowed |= 0o100 | (allowed & 0o044) >> 2  # whoever may read files may see which there are
        if own & ~allowed:
            path.chmod(own & allowed)

    def remove(self, path: Path) -> None:
        """Let a file that is of no use any more be gone when the others are published."""
        self._gone.append(path)

    def current(self, path: Path) -> Path:
        """Where a file is now: staged, or at its own place."""
        for final, staged in self._staged.items():
            if path == final or final in path.parents:
                return staged / path.relative_to(final)
        return path

    def publish(self) -> None:
        """Move all files to their places; if that fails, earlier ones are there as before.

        The file that was written first comes last, and an earlier one at its place leaves it first. So wherever the
        program is killed, it is there with all the others, or not at all. The one that was written second, by which a
        later run knows the others for its own, comes before them and leaves after them.
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
        """Remove what is staged."""
        for folder in self._folders:
            _remove(folder)

    def _folder_of(self, path: Path) -> tuple[Path, Path]:
        """The hidden folder for a file, and its place in there."""
        base = self._base if self._base is not None and path.is_relative_to(self._base) else path.parent
        folder = base / self._name
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folders.add(folder)
        return folder, path.relative_to(base)


def _permissions(files: Iterable[Path]) -> int:
    """The permissions that all of some files have."""
    permissions = 0o777
    for file in files:
        with suppress(OSError):
            permissions &= stat.S_IMODE(file.stat().st_mode)
    return permissions


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Name the file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError("cannot write {path!r}: {reason}", path=str(path), reason=system_reason(error)) from None


def _check_no_folder(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
