"""Commands as one types them, quoted for the shell of this system."""

import os
import shlex
from collections.abc import Sequence
from subprocess import list2cmdline

WINDOWS = os.name == "nt"


def command_line(arguments: Sequence[str]) -> str:
    """A command that the user may copy; on Windows for its shells, which know no single quotes or no backslashes.

    >>> command_line(["petworks", "check", "my policy.yaml"])
    "petworks check 'my policy.yaml'"
    """
    return list2cmdline(arguments) if WINDOWS else shlex.join(arguments)
