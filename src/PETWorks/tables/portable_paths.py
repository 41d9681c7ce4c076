"""Paths that files of this program contain: from their own folder, with slashes, for any system to read."""

import os
from pathlib import Path

from PETWorks.errors import InputError


def path_from(folder: Path, path: Path) -> str:
    """The path of a file as another one in a folder names it.

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
