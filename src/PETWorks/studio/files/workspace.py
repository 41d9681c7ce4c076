"""The folder that the page works in: its files, and the guard against paths that lead out of it."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PETWorks.about.sidecar import possible_sidecars
from PETWorks.errors import InputError, printable
from PETWorks.gate.document import FORMAT
from PETWorks.render.formats.evidence import INSIDE
from PETWorks.render.report.prose import file_argument
from PETWorks.tables.opening import SUFFIXES as TABLE_SUFFIXES

POLICY_SUFFIXES = (".yaml", ".yml")
MAX_FILES = 2_000
MAX_DEPTH = 4
MAX_CHECKS = 200
MAX_NUMBER = 1_000  # of files with the same name
LARGEST_CHECK = 16_000_000  # bytes


@dataclass(frozen=True)
class ListedFile:
    """A file: its path below the folder, and its size in bytes."""

    path: str
    size: int


class Workspace:
    """A folder and the files below it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder.resolve(strict=True)

    def path(self, name: str) -> Path:
        """The file with a name from a page; raise if it is not below the folder, also through a symlink."""
        path = Path(name)
        if not name or "\0" in name or path.is_absolute():
            raise InputError("expected the path of a file below the folder that the page was opened with")
        try:
            target = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of symlinks, a name that is too long
            raise InputError("{file!r} is not a valid path", file=printable(path.name)[:80]) from None
        if target == self.root or not target.is_relative_to(self.root):
            raise _outside_error(path)
        return target

    def table(self, name: str) -> Path:
        """The table with a name from a page; the YAML file beside it, which is read too, must be in the folder."""
        path = self.path(name)
        for sidecar in possible_sidecars(path):
            self.path(sidecar.relative_to(self.root).as_posix())
        return path

    def argument(self, path: Path) -> str:
        """A file below the folder as an argument of a command, never mistaken for an option."""
        return file_argument(self.relative(path))

    def relative(self, path: Path) -> str:
        """The path of a file relative to the folder, as pages show it."""
        target = path.resolve()
        if not target.is_relative_to(self.root):
            raise _outside_error(path)
        return target.relative_to(self.root).as_posix()

    def relative_folder(self, path: Path) -> str:
        """The path of a folder relative to that of the page; empty if it is that."""
        return "" if path.resolve() == self.root else self.relative(path)

    def written_file(self, name: str) -> Path:
        """A file that may be downloaded: a regular one that is not hidden, in a folder that is not hidden."""
        path = self.root / self.path(name).relative_to(self.root)
        is_hidden = any(part.startswith(".") for part in path.relative_to(self.root).parts)
        if is_hidden or (self.root / name).is_symlink() or not path.is_file():
            raise InputError("{file!r} is no file that can be downloaded", file=printable(path.name)[:80])
        return path

    def files(self) -> tuple[list[ListedFile], list[ListedFile], bool]:
        """Tables and policies below the folder, without hidden ones, and whether there are too many to list."""
        tables: list[ListedFile] = []
        policies: list[ListedFile] = []
        for path in self._visible_files():
            if len(tables) + len(policies) >= MAX_FILES:
                return tables, policies, True
            suffix = path.suffix.lower()
            if suffix in TABLE_SUFFIXES:
                self._list(path, tables)
            elif suffix in POLICY_SUFFIXES and _is_policy(path):
                self._list(path, policies)
        return tables, policies, False

    def checks(self) -> list[ListedFile]:
        """The results of `petworks check --json` below the folder."""
        checks: list[ListedFile] = []
        for path in self._visible_files():
            if path.suffix.lower() == ".json" and len(checks) < MAX_CHECKS and _is_check(path):
                self._list(path, checks)
        return checks

    def _list(self, path: Path, files: list[ListedFile]) -> None:
        """Add a file to a list, unless it was deleted meanwhile."""
        with suppress(FileNotFoundError):
            files.append(ListedFile(path.relative_to(self.root).as_posix(), path.stat().st_size))

    def _visible_files(self) -> Iterator[Path]:
        """The files below the folder, sorted; neither hidden ones nor symlinks."""
        for folder, folders, names in os.walk(self.root):
            depth = len(Path(folder).relative_to(self.root).parts)
            is_listed = partial(_is_listed, Path(folder))
            folders[:] = sorted(filter(is_listed, folders)) if depth < MAX_DEPTH else []
            for name in sorted(names):
                path = Path(folder) / name
                if not name.startswith(".") and _can_be_sent(str(path)) and not path.is_symlink() and path.is_file():
                    yield path


def free_name(name: str, suffix: str, is_taken: Callable[[str], bool]) -> str:
    """The name of a file if it is not taken, otherwise the first free one with a number before the suffix."""
    stem = re.sub(r"_\d{1,4}$", "", name.removesuffix(suffix))
    names = (name, *(f"{stem}_{number}{suffix}" for number in range(2, MAX_NUMBER)))
    return next((free for free in names if not is_taken(free)), name)


def _outside_error(path: Path) -> InputError:
    return InputError("{file!r} is not below the folder that the page was opened with", file=printable(path.name)[:80])


def _is_listed(folder: Path, name: str) -> bool:
    """Whether a folder is neither hidden nor evidence, which has copies of policies whose tables are elsewhere."""
    return not name.startswith(".") and not (name.startswith("evidence_") and (folder / name / INSIDE).is_dir())


def _can_be_sent(name: str) -> bool:
    """Whether a name can be sent to a browser and back; file systems allow any bytes."""
    return name.isprintable() or name.encode("utf-8", "ignore").decode() == name


def _is_policy(path: Path) -> bool:
    """Whether a YAML file is a policy: these have their key near the beginning."""
    try:
        with path.open("rb") as file:
            return b"petworks_policy" in file.read(4096)
    except OSError:
        return False


def _is_check(path: Path) -> bool:
    """Whether a JSON file is the result of a check: these contain the name of their format."""
    try:
        return path.stat().st_size <= LARGEST_CHECK and FORMAT.encode() in path.read_bytes()
    except OSError:
        return False
