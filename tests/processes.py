"""Observe other processes, on Linux."""

import contextlib
import time
from pathlib import Path


def has_open(process, path):
    """Whether a process has opened a file."""
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            if link.readlink() == path:
                return True
    return False


def wait_until_open(process, path):
    """Wait until a process has opened a file; fail if it ends before."""
    while not has_open(process, path):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
