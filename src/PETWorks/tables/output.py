"""How files are written: all of them whole, or none at all."""

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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
        other = next(name for n in count(2) if not os.path.lexists(name := target.with_name(f"{target.name}_{n}")))
        raise InputError(
            "cannot write {path!r}: it exists; name a new folder, such as {other!r}",
            path=str(path),
            other=str(path.with_name(other.name)),
        )
    return target


@dataclass(frozen=True)
class Folder:
    """A new folder of files; `write` gets an empty one."""

    write: Callable[[Path], None]


Content = bytes | Callable[[BinaryIO], None] | Folder  # of a file, or what writes it there


def write_whole(contents: Mapping[Path, Content]) -> None:
    """Write files so that they are there complete, all of them, or not at all; earlier ones stay if that fails."""
    with in_place(contents, keep_earlier=len(contents) > 1):
        pass


@contextmanager
def in_place(contents: Mapping[Path, Content], *, keep_earlier: bool = True) -> Iterator[None]:
    """A context in which files are there complete, and stay; if it fails, earlier ones are there as before."""
    names = {path: f".petworks-{os.getpid()}-{time.time_ns()}-{n}" for n, path in enumerate(contents)}
    partial = {path: path.with_name(f"{name}.partial") for path, name in names.items()}
    earlier = {path: path.with_name(f"{name}.earlier") for path, name in names.items() if keep_earlier}
    replacing: list[Path] = []
    written, complete = "", False
    try:
        try:
            for path, content in contents.items():
                written = str(path)
                if isinstance(content, Folder):
                    partial[path].mkdir()
                    content.write(partial[path])
                    continue
                with partial[path].open("xb") as file:
                    if isinstance(content, bytes):
                        file.write(content)
                    else:
                        content(file)
            for path in contents:
                written = str(path)
                if path.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                replacing.append(path)
                if path in earlier and os.path.lexists(path):
                    path.replace(earlier[path])
                partial[path].replace(path)
        except OSError as error:
            raise InputError("cannot write {path!r}: {reason}", path=written, reason=system_reason(error)) from None
        yield
        complete = True
    finally:
        for path in [] if complete else replacing:
            if path in earlier and os.path.lexists(earlier[path]):
                earlier[path].replace(path)
            elif path in earlier and not partial[path].exists():
                _remove(path)
        for path in (*partial.values(), *earlier.values()):
            _remove(path)


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
