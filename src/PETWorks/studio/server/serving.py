"""Start and stop the server, on this machine only, and admit only the browser of the user who started it.

Every other program on the machine, and every web page that the user visits, can send requests to a local port. So each
request must name the server by its local host name (against DNS rebinding), not come from another user of the machine,
have the cookie that only the user's browser gets, and, if it changes something, come from a page of the server itself.
"""

import asyncio
import os
import secrets
import shutil
import signal
import socket
import struct
import sys
import tempfile
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import ClassVar
from urllib.parse import parse_qs

import uvicorn
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from PETWorks.studio.server.app import make_app

LARGEST_BODY = 1 << 20  # bytes
LONGEST_BODY = 20.0  # seconds until the body must have arrived
SAFE_METHODS = ("GET", "HEAD")
# Seconds; the cookie should outlive a crash of the browser, and is worthless without the server.
LONGEST_VISIT = 7 * 24 * 3600
RENEW_EVERY = 10.0  # seconds
ENTRANCE = "/enter"
CLOSED = """This page is closed for this browser. Open it with the address in the terminal where petworks studio runs.
這個瀏覽器無法開啟此頁面。請使用執行 petworks studio 的終端機所顯示的網址。
"""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# A page instead of a redirect: browsers do not send the cookie with a request that another site redirected.
ENTERED = """<!doctype html>
<meta charset="utf-8"><title>PETWorks</title><link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<meta http-equiv="refresh" content="0;url=/"><a href="/">PETWorks</a>
"""


class Guard:
    """Middleware that lets in whoever has the cookie, and gives the cookie to the first browser with the token.

    token             in the address with which the browser is opened; it works once
    is_allowed_user   whether the program at a port of this machine may send requests at all
    on_new_token      called with a new token when a page is requested without the cookie, as after a crash of the
                      browser
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        is_allowed_user: Callable[[int], bool] = lambda _: True,
        on_new_token: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._app, self._is_allowed_user, self._on_new_token = app, is_allowed_user, on_new_token
        self._last_token = monotonic()
        self.token = secrets.token_urlsafe(32)
        self._secret = secrets.token_urlsafe(32)
        self.is_entered = False
        self.cookie = f"petworks-studio-{port}"
        self._hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            return
        refusal = self._answer(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        body = await _body(receive)
        if body is None:
            await PlainTextResponse("the request is too large", 413)(scope, receive, _with_headers(send))
            return
        await self._app(scope, _replay(body, receive), _with_headers(send))

    def _answer(self, scope: Scope) -> Response | None:
        """The answer to a request that is not passed on; None if it is."""
        headers = _headers(scope)
        # The host is checked first: its name is the only thing that DNS rebinding changes.
        if headers.get("host") not in self._hosts:
            return PlainTextResponse("unknown host", 421)
        if not self._is_allowed_user(scope["client"][1]):
            return PlainTextResponse("this page is another user's", 403)
        if int(length) > LARGEST_BODY if (length := headers.get("content-length", "0")).isdecimal() else True:
            return PlainTextResponse("the request is too large", 413)
        if scope["path"] == ENTRANCE and scope["method"] == "GET":
            return self._entrance(scope, headers)
        if not self._has_cookie(headers.get("cookie", "")):
            self._renew(scope["method"], headers)
            return PlainTextResponse(CLOSED, 403)
        if not self._is_own(scope["method"], headers):
            return PlainTextResponse("only pages of this server may do that", 403)
        return None

    def _entrance(self, scope: Scope, headers: dict[str, str]) -> Response:
        if self._has_cookie(headers.get("cookie", "")):
            return HTMLResponse(ENTERED)  # the same browser opened the address again
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if self.is_entered or not secrets.compare_digest(token.encode(), self.token.encode()):
            self._renew("GET", headers)
            return PlainTextResponse(CLOSED, 403)
        self.is_entered = True
        answer = HTMLResponse(ENTERED)
        answer.set_cookie(self.cookie, self._secret, LONGEST_VISIT, httponly=True, samesite="strict", path="/")
        return answer

    def _renew(self, method: str, headers: dict[str, str]) -> None:
        """Make a new token if the last one was used. Any web page can trigger this, so it is rate-limited."""
        wants_page = method == "GET" and headers.get("sec-fetch-mode", "navigate") == "navigate"
        if wants_page and self.is_entered and monotonic() - self._last_token > RENEW_EVERY:
            self._last_token = monotonic()
            self.token, self.is_entered = secrets.token_urlsafe(32), False
            self._on_new_token(self.token)

    def _has_cookie(self, text: str) -> bool:
        try:
            found = SimpleCookie(text).get(self.cookie)
        except CookieError:
            return False
        return found is not None and secrets.compare_digest(found.value.encode(), self._secret.encode())

    def _is_own(self, method: str, headers: dict[str, str]) -> bool:
        """Whether a request comes from a page of this server; the user may also type the address of a page."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if method in SAFE_METHODS:
            return site in (None, "same-origin", "none") and origin in (None, *self._origins)
        return origin in self._origins and site in (None, "same-origin")


def _headers(scope: Scope) -> dict[str, str]:
    """The headers of a request; a header that occurs twice is set to empty, as neither value can be trusted."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        headers[key] = "" if key in headers else value.decode("latin-1")
    return headers


def _with_headers(send: Send) -> Send:
    """A send function that adds the headers that a response does not have."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            wanted = ((name.lower().encode(), value.encode()) for name, value in HEADERS.items())
            message["headers"] = [*message["headers"], *(header for header in wanted if header[0] not in present)]
        await send(message)

    return sending


async def _body(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too large, whatever its headers say, or does not arrive in time."""
    body, more = b"", True
    try:
        async with asyncio.timeout(LONGEST_BODY):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > LARGEST_BODY:
                    return None
    except TimeoutError:
        return None
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive function that first returns the body that was already read."""
    is_read = False

    async def receiving() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


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
        page = f"http://127.0.0.1:{port}{ENTRANCE}?token="
        guard = Guard(
            app, port, partial(is_allowed_user, server_port=port), lambda token: show_address(f"{page}{token}")
        )
        server = _make_server(guard)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, server.handle_exit)  # the terminal was closed
        studio.is_ending = lambda: server.should_exit
        entrance = _Entrance(f"{page}{guard.token}")

        def start() -> None:
            show_address(entrance.address)
            if browser:
                entrance.open()

        def is_used() -> bool:
            if guard.is_entered:
                entrance.remove()
            if studio.jobs.are_running:
                studio.last_request = monotonic()
            return bool(monotonic() - studio.last_request <= idle)

        try:
            asyncio.run(_run(server, listening, start, is_used))
        finally:
            entrance.remove()
            studio.jobs.cancel_all()


async def _run(
    server: uvicorn.Server, listening: socket.socket, start: Callable[[], None], is_used: Callable[[], bool]
) -> None:
    """Run a server: call a function once it has started, and end it when it is no longer used."""

    async def watch() -> None:
        try:
            while not server.started:
                await asyncio.sleep(0.02)
            start()
            while is_used():
                await asyncio.sleep(POLL_SECONDS)
        finally:
            server.should_exit = True

    watching = asyncio.create_task(watch())
    await server.serve([listening])
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching


def _make_server(app: ASGIApp) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app,
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
