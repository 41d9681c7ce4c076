"""A real server of the page in its own process, and raw requests to it, as an attacker would send them."""

import http.client
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from command import Started
from processes import PATIENCE


class Server:
    """`petworks studio FOLDER --no-browser`; use it in a `with` statement. Later output of the server is an error.

    `new`, variables of the environment, or statements that come `first` start a new Python; otherwise one is forked
    that has imported the program already.
    """

    def __init__(self, folder, *arguments, new=False, first=None, **environment):
        self.folder = folder
        program = ["-c", f"{first}\nfrom PETWorks.cli.main import main\nmain()"] if first else ["-m", "PETWorks"]
        command = [sys.executable, "-P", *program, "studio", str(folder)]
        start = subprocess.Popen if new or first or environment else Started
        self.process = start(
            [*command, *(arguments or ["--no-browser"])],
            cwd=Path.cwd(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # As if no language was chosen.
            env={**os.environ, "PETWORKS_LANG": "", "LC_ALL": "C.UTF-8", **environment},
        )
        self.address = self._line(self.process.stdout).removeprefix("petworks studio: ").strip()
        self.note = self._line(self.process.stderr)
        parts = urlsplit(self.address)
        self.port, self.token = parts.port, parts.query.removeprefix("token=")
        self.host = f"127.0.0.1:{self.port}"
        self.own = f"http://{self.host}"
        self.cookie = ""

    def _line(self, stream):
        if not select.select([stream], [], [], PATIENCE)[0]:
            raise TimeoutError("the server does not start")
        line = stream.readline()
        if not line:
            raise RuntimeError(f"the server has ended: {self.process.stderr.read()}")
        return line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            code, _, errors = self.end()
            assert (code, errors) == (130, "petworks: interrupted\n")

    def end(self, number=signal.SIGINT):
        """End the server; return its exit code and everything printed after the first lines."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        output, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output, errors

    def ask(self, path, method="GET", form=None, *, seconds=PATIENCE, **headers):
        """Send a request; `Some_Name=` sets a header or, if None, leaves it out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        all_headers = {"Host": self.host, "Cookie": self.cookie, "Origin": self.own if method == "POST" else None}
        all_headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if form is None else urlencode(form).encode()
        if body is not None:
            all_headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in all_headers.items():
            if value:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return Answer(answer.status, answer.headers, text)

    def post(self, path, form=None, **headers):
        return self.ask(path, "POST", form or {}, **headers)

    def enter(self):
        """Use the token, and keep the cookie."""
        answer = self.ask(f"/enter?token={self.token}")
        assert answer.status == 200
        self.cookie = re.match(r"[^;]+", answer.headers["set-cookie"])[0]
        return answer

    def raw(self, data, seconds=PATIENCE):
        """The response to some bytes, until the server closes the connection or is silent for a while."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.sendall(data)
            received = b""
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                if not select.select([connection], [], [], 0.5 if received else seconds)[0]:
                    break
                try:
                    part = connection.recv(1 << 16)
                except ConnectionResetError:
                    break
                if not part:
                    break
                received += part
        return received


class Answer:
    def __init__(self, status, headers, text):
        self.status, self.headers, self.text = status, headers, text

    def __repr__(self):
        return f"{self.status} {self.text[:300]}"
