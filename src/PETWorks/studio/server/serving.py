"""Starting and ending the server, on this machine alone; idle connections and other users are turned away."""

import asyncio
import os
import shutil
import signal
import socket
import struct
import sys
import tempfile
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from PETWorks.studio.server.app import make_app
from PETWorks.studio.server.security import ENTRANCE, Guard

LONGEST_REQUEST = 25.0  # seconds until all of it is there; a little longer than the guard waits for a body
MOST_WAITING = 64  # connections without a complete request; a browser has six


class Connection(H11Protocol):
    """A connection that may wait for a complete request for a while, and as one of few."""

    _waiting: ClassVar[dict["Connection", asyncio.TimerHandle]] = {}  # with when they are closed, the oldest first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait_or_not()

    def data_received(self, data: bytes) -> None:
        """A part of a request; it does not prolong the time."""
        super().data_received(data)
        self._wait_or_not()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of one that was answered early."""
        super().on_response_complete()
        self._wait_or_not()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        self._forget()
        super().connection_lost(exc)

    def _wait_or_not(self) -> None:
        is_answered = self.cycle is None or self.cycle.response_complete
        if self.transport.is_closing() or not (is_answered or self.cycle.more_body):
            self._forget()
        elif self not in self._waiting:
            self._waiting[self] = self.loop.call_later(LONGEST_REQUEST, self.transport.abort)
            if len(self._waiting) > MOST_WAITING:
                oldest = next(iter(self._waiting))
                oldest._forget()
                oldest.transport.abort()

    def _forget(self) -> None:
        timer = self._waiting.pop(self, None)
        if timer is not None:
            timer.cancel()


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


LOOK_EVERY = 0.5  # seconds
LAST_ANSWERS = 2  # seconds that they may take when the server ends


def serve(
    folder: Path, idle: float, opened: Callable[[str], None], *, browser: bool, lang_chosen: bool = False
) -> None:
    """Serve the pages of a folder until nobody has asked for one for so many seconds, or until Ctrl-C.

    opened       called with the address once the server runs, and again with another one if the browser has lost its
                 cookie
    browser      whether to open it in the user's browser
    lang_chosen  whether the user asked for the language of the command
    """
    app = make_app(folder)
    works = app.state.studio
    works.lang_chosen = lang_chosen
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]

        def address(token: str) -> str:
            return f"http://127.0.0.1:{port}{ENTRANCE}?token={token}"

        guard = Guard(
            app, port, may_ask=lambda client: may_ask(client, port), renewed=lambda token: opened(address(token))
        )
        server = uvicorn.Server(
            uvicorn.Config(
                guard,
                http=Connection,
                backlog=MOST_WAITING,  # so many are accepted at once
                ws="none",
                loop="asyncio",
                log_config=None,
                log_level="critical",  # a broken request is no news, and the page itself reports errors
                access_log=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=LAST_ANSWERS,  # a page that shows progress is never done
            )
        )
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, server.handle_exit)  # the terminal was closed
        entrance = _Entrance(address(guard.token))

        works.is_ending = lambda: server.should_exit

        async def watch() -> None:
            try:
                while not server.started:
                    await asyncio.sleep(0.02)
                opened(entrance.address)
                if browser:
                    entrance.open()
                while monotonic() - works.last_request <= idle:
                    await asyncio.sleep(LOOK_EVERY)
                    if guard.is_entered:
                        entrance.remove()
                    if works.jobs.are_running:
                        works.last_request = monotonic()
            finally:
                server.should_exit = True

        async def run() -> None:
            watching = asyncio.create_task(watch())
            await server.serve([listening])
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

        try:
            asyncio.run(run())
        finally:
            entrance.remove()
            works.jobs.cancel_all()


class _Entrance:
    """Opens the address by way of a file that only the user can read: command lines can be read by others."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._folder: Path | None = None

    def open(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="petworks-studio-"))  # for the user alone
        file = self._folder / "open.html"
        text = (
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={escape(self.address)}">'
        )
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
            opened.write(text)
        # A browser in the terminal returns only when it is closed.
        Thread(target=webbrowser.open, args=[file.as_uri()], daemon=True).start()

    def remove(self) -> None:
        """The file is not needed once the browser has followed it, or when the server ends."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
