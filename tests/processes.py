"""What other processes are doing, as Linux tells it."""

import contextlib
import time
from pathlib import Path


def has_open(running, path):
    """Whether a process has opened a file."""
    for link in Path(f"/proc/{running.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            if link.readlink() == path:
                return True
    return False


def wait_until_open(running, path):
    """Wait until a process has opened a file; an error if it ends before."""
    while not has_open(running, path):
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
