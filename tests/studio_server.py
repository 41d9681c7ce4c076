"""A real server of the page as a process, and requests to it byte by byte, as an attacker would send them."""

import http.client
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import urlencode, urlsplit

SECONDS = 60  # until a server has started, or ended


class Server:
    """`petworks studio FOLDER --no-browser`; use it in a `with` statement. Whatever it prints later is an error."""

    def __init__(self, folder, *arguments, **environment):
        command = [sys.executable, "-P", "-m", "PETWorks", "studio", str(folder)]
        self.process = subprocess.Popen(
            [*command, *(arguments or ["--no-browser"])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # As if nobody had chosen a language.
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
        if not select.select([stream], [], [], SECONDS)[0]:
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
        """Exit code and all that was printed after the first lines."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        output, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, output, errors

    def ask(self, path, method="GET", form=None, *, seconds=SECONDS, **headers):
        """Status, headers and text of an answer; `Some_Name=` gives or, if None, leaves out a header."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        sent = {"Host": self.host, "Cookie": self.cookie, "Origin": self.own if method == "POST" else None}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if form is None else urlencode(form).encode()
        if body is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
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

    def raw(self, data, seconds=10.0):
        """What comes back for some bytes, until the server closes the connection or says nothing for a while."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.sendall(data)
            got = b""
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                if not select.select([connection], [], [], 0.5 if got else seconds)[0]:
                    break
                try:
                    part = connection.recv(1 << 16)
                except ConnectionResetError:
                    break
                if not part:
                    break
                got += part
        return got


class Answer:
    def __init__(self, status, headers, text):
        self.status, self.headers, self.text = status, headers, text

    def __repr__(self):
        return f"{self.status} {self.text[:300]}"
