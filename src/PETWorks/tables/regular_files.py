"""Files that can be read to their end: no folders, devices or pipes, and no files that the system makes up."""

import os
from pathlib import Path
from stat import S_ISREG

from PETWorks.errors import InputError


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


def _has_content(path: Path) -> bool:
    """Whether there is something to read, or to wait for."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # Windows has no pipes among its files
    try:
        return bool(os.read(file, 1))
    except BlockingIOError:
        return True
    finally:
        os.close(file)
