"""A PostgreSQL server for tests, on loopback, in a temporary folder, stopped when they end."""

import contextlib
import ctypes
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from processes import PATIENCE


def programs():
    """The folder of the newest PostgreSQL on this machine; None if there is none."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    found += [Path(path).resolve().parent for path in [shutil.which("initdb")] if path]
    return max(found, key=lambda path: path.parent.name.zfill(3), default=None)


def _end_with_the_tests():
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG


class Server:
    """A PostgreSQL server, started by `server()`."""

    def __init__(self, folder, account):
        self.folder, self._account = folder, account
        self.data, self.password = folder / "data", secrets.token_hex(8)
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self._environment |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": str(folder)}
        word = folder / "password"
        word.write_text(self.password)
        if account:
            for path in (folder, word):
                os.chown(path, account["user"], account["group"])
        options = ["-U", "postgres", "--pwfile", word, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8"]
        self._run([programs() / "initdb", "-D", self.data, "--no-sync", *options], cwd=folder, **account)

    @property
    def url(self):
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/postgres"

    def start(self):
        """Start on a free port; try others if the port is taken meanwhile."""
        for _ in range(5):
            self._start()
            if self._is_ready():
                return self
        raise AssertionError((self.folder / "log").read_text())

    def _start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "port": self.port}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [programs() / "postgres", "-D", self.data, *options], cwd=self.data, stdout=log, stderr=log,
                env=self._environment, preexec_fn=_end_with_the_tests, start_new_session=True, **self._account,
            )  # fmt: skip

    def _is_ready(self):
        """Whether it has started; it ends at once if its port is taken."""
        ready = time.monotonic() + PATIENCE
        while "ready" not in self._state():
            if self.process.poll() is not None:
                return False
            assert time.monotonic() < ready, (self.folder / "log").read_text()
            time.sleep(0.02)
        return True

    def _state(self):
        try:
            return (self.data / "postmaster.pid").read_text().split()
        except OSError:
            return []

    def stop(self, how=signal.SIGINT):
        """Stop the server; SIGINT ends sessions in order, SIGQUIT is like a crash."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)

    def sql(self, text):
        command = [programs() / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url]
        return self._run(command, input=text)

    def _run(self, command, **options):
        process = subprocess.run(command, capture_output=True, text=True, env=self._environment, **options)
        assert process.returncode == 0, process.stderr
        return process.stdout.strip()


@contextlib.contextmanager
def server():
    account = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        name = pwd.getpwnam("postgres" if any(user.pw_name == "postgres" for user in pwd.getpwall()) else "nobody")
        account = {"user": name.pw_uid, "group": name.pw_gid, "extra_groups": []}
    folder = Path(tempfile.mkdtemp(prefix="petworks-postgres-", dir="/tmp" if account else None))
    started = None
    try:
        started = Server(folder, account).start()
        yield started
    finally:
        if started:
            started.stop()
        shutil.rmtree(folder, ignore_errors=True)
