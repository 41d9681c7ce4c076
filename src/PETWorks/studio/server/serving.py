"""Start and stop the server, on this machine only; idle connections and other users are refused."""

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

LONGEST_REQUEST = 25.0  # seconds until a request must be complete; a little longer than the guard waits for a body
MAX_WAITING = 64  # connections without a complete request; a browser has six


class Connection(H11Protocol):
    """A connection that is closed if no complete request arrives in time, or if too many others wait."""

    # The waiting connections with the timers that close them, the oldest first.
    _waiting: ClassVar[dict["Connection", asyncio.TimerHandle]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._update_waiting()

    def data_received(self, data: bytes) -> None:
        """Handle a part of a request; it does not prolong the time limit."""
        super().data_received(data)
        self._update_waiting()

    def on_response_complete(self) -> None:
        """Start waiting for the next request, or for the rest of one that was answered early."""
        super().on_response_complete()
        self._update_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of a closed connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _update_waiting(self) -> None:
        is_answered = self.cycle is None or self.cycle.response_complete
        if self.transport.is_closing() or not (is_answered or self.cycle.more_body):
            self._stop_waiting()
        elif self not in self._waiting:
            self._waiting[self] = self.loop.call_later(LONGEST_REQUEST, self.transport.abort)
            if len(self._waiting) > MAX_WAITING:
                oldest = next(iter(self._waiting))
                oldest._stop_waiting()
                oldest.transport.abort()

    def _stop_waiting(self) -> None:
        timer = self._waiting.pop(self, None)
        if timer is not None:
            timer.cancel()


CONNECTIONS = Path("/proc/net/tcp")  # on Linux: addresses, state and user of each end of a connection
LOOPBACK = struct.unpack("=I", bytes((127, 0, 0, 1)))[0]
ESTABLISHED = "01"  # closed ends are listed with root as their user
ROOT = 0  # may read everything anyway


def is_allowed_user(client_port: int, server_port: int) -> bool:
    """Whether the connection from a local port belongs to the user who runs this program, or to root."""
    if sys.platform == "win32":
        return True
    try:
        lines = CONNECTIONS.read_text("ascii").splitlines()[1:]
    except OSError:
        return True  # then only the cookie protects the page
    client, server = f"{LOOPBACK:08X}:{client_port:04X}", f"{LOOPBACK:08X}:{server_port:04X}"
    ends = (line.split() for line in lines)
    users = {int(end[7]) for end in ends if end[1:4] == [client, server, ESTABLISHED]}
    return bool(users) and users <= {os.getuid(), ROOT}


POLL_SECONDS = 0.5  # seconds between looks whether the server should end
SHUTDOWN_SECONDS = 2  # for unfinished answers when the server ends


def serve(
    folder: Path, idle: float, show_address: Callable[[str], None], *, browser: bool, lang_chosen: bool = False
) -> None:
    """Serve the pages of a folder until there was no request for `idle` seconds, or until Ctrl-C.

    show_address   called with the address once the server runs, and again with another one if the browser has lost its
                   cookie
    browser        whether to open it in the user's browser
    lang_chosen    whether the user asked for the language of the command
    """
    app = make_app(folder)
    studio = app.state.studio
    studio.lang_chosen = lang_chosen
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]

        def address(token: str) -> str:
            return f"http://127.0.0.1:{port}{ENTRANCE}?token={token}"

        guard = Guard(
            app,
            port,
            is_allowed_user=lambda client: is_allowed_user(client, port),
            on_new_token=lambda token: show_address(address(token)),
        )
        server = uvicorn.Server(
            uvicorn.Config(
                guard,
                http=Connection,
                backlog=MAX_WAITING,  # connections accepted at once
                ws="none",
                loop="asyncio",
                log_config=None,
                log_level="critical",  # broken requests are not worth a log line, and the page itself shows errors
                access_log=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,  # a page that shows progress never completes
            )
        )
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, server.handle_exit)  # the terminal was closed
        entrance = _Entrance(address(guard.token))

        studio.is_ending = lambda: server.should_exit

        async def watch() -> None:
            try:
                while not server.started:
                    await asyncio.sleep(0.02)
                show_address(entrance.address)
                if browser:
                    entrance.open()
                while monotonic() - studio.last_request <= idle:
                    await asyncio.sleep(POLL_SECONDS)
                    if guard.is_entered:
                        entrance.remove()
                    if studio.jobs.are_running:
                        studio.last_request = monotonic()
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
            studio.jobs.cancel_all()


class _Entrance:
    """Opens the address through a file that only the user can read: command lines are visible to other users."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._folder: Path | None = None

    def open(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="petworks-studio-"))  # readable by the user only
        file = self._folder / "open.html"
        text = (
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={escape(self.address)}">'
        )
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(text)
        # A browser in the terminal blocks until it is closed.
        Thread(target=webbrowser.open, args=[file.as_uri()], daemon=True).start()

    def remove(self) -> None:
        """Remove the file, once the browser has followed it or when the server ends."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
