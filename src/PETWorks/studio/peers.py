"""Which user of this machine has opened a connection: where the system tells it, other users are not answered.

A browser sends cookies to every port of a host. So another user who gets someone to look at a page of his own on this
machine would get that person's cookie too, and with it could ask for everything.
"""

import os
import struct
import sys
from pathlib import Path

CONNECTIONS = Path("/proc/net/tcp")  # on Linux: addresses, state and user of each end
LOOPBACK = struct.unpack("=I", bytes((127, 0, 0, 1)))[0]
ESTABLISHED = "01"  # an end that its program has closed is said to be root's
ROOT = 0  # may read everything anyway


def may_ask(port: int, server: int) -> bool:
    """Whether the connection from a port of this machine is one of the user who runs this program, or of root."""
    if sys.platform == "win32":
        return True
    try:
        lines = CONNECTIONS.read_text("ascii").splitlines()[1:]
    except OSError:
        return True  # the cookie has to do
    near, far = f"{LOOPBACK:08X}:{port:04X}", f"{LOOPBACK:08X}:{server:04X}"
    ends = (line.split() for line in lines)
    users = {int(end[7]) for end in ends if end[1:4] == [near, far, ESTABLISHED]}
    return bool(users) and users <= {os.getuid(), ROOT}
