"""Files that can be read to their end: no folders, devices or pipes, and no files that the system makes up."""

import os
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from stat import S_ISREG

from PETWorks.errors import InputError

MOST_FILES, LONGEST_NAME = 1_000, 255  # that a name is compared with, and characters of one


def check_regular(path: Path, error: type[InputError] = InputError) -> None:
    """Raise an error unless a path is a regular file, or nothing at all.

    Files under `/proc` have the size 0, whatever is in them. Reading some, such as `/proc/kmsg`, never ends.
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
    """The error for a file that is not there, with the file in that folder whose name is nearest."""
    near = _nearest(path)
    if near is None:
        return InputError("no such file: {path!r}", path=str(path))
    return InputError("no such file: {path!r}; did you mean {near!r}?", path=str(path), near=str(near))


def _nearest(path: Path) -> Path | None:
    """The file whose name is most like this one, without a sheet that is named behind a `#`."""
    name = path.name.partition("#")[0] or path.name
    try:
        with os.scandir(path.parent) as entries:
            names = {entry.name.casefold(): entry.name for entry in islice(entries, MOST_FILES) if entry.is_file()}
    except (OSError, ValueError):
        return None
    near = get_close_matches(name.casefold()[:LONGEST_NAME], names, n=1, cutoff=0.7)
    return path.with_name(names[near[0]]) if near else None


def _has_content(path: Path) -> bool:
    """Whether there is something to read, or to wait for."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # Windows has no pipes among its files
    try:
        return bool(os.read(file, 1))
    except BlockingIOError:
        return True
    finally:
        os.close(file)
