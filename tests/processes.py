"""Observe and wait for other processes, on Linux."""

import contextlib
import time
from pathlib import Path

PATIENCE = 300  # seconds: what has not happened by then never will, however busy the machine is


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


def wait_for(condition):
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
