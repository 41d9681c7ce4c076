"""Starting and ending the server: on this machine alone, on a free port, with an address that works once."""

import asyncio
import os
import socket
import tempfile
import webbrowser
from collections.abc import Callable
from html import escape
from pathlib import Path
from time import monotonic

import uvicorn
from starlette.types import Receive, Scope, Send

from PETWorks.studio.app import make_app
from PETWorks.studio.security import ENTRANCE, Guard

LOOK_EVERY = 5.0  # seconds


def serve(folder: Path, idle: float, opened: Callable[[str], None], *, browser: bool) -> None:
    """Serve the pages of a folder until nobody has asked for one for so many seconds, or until Ctrl-C.

    opened   called with the address once the server runs
    browser  whether to open it in the user's browser
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = make_app(folder)
    guard = Guard(app, port)
    works = app.state.studio

    async def attended(scope: Scope, receive: Receive, send: Send) -> None:
        works.last_request = monotonic()
        await guard(scope, receive, send)

    server = uvicorn.Server(
        uvicorn.Config(attended, log_level="warning", access_log=False, server_header=False, date_header=False)
    )

    async def run() -> None:
        serving = asyncio.create_task(server.serve([listening]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.02)
        address = f"http://127.0.0.1:{port}{ENTRANCE}?token={guard.token}"
        if browser:
            _open_browser(address)
        opened(address)
        while not serving.done():
            await asyncio.wait([serving], timeout=LOOK_EVERY)
            if works.jobs.are_running:
                works.last_request = monotonic()
            if monotonic() - works.last_request > idle:
                server.should_exit = True
        await serving

    asyncio.run(run())


def _open_browser(address: str) -> None:
    """Open the address by way of a file that only the user can read: command lines can be read by others."""
    folder = Path(tempfile.mkdtemp(prefix="petworks-studio-"))  # for the user alone
    file = folder / "open.html"
    text = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={escape(address)}">'
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        opened.write(text)
    webbrowser.open(file.as_uri())
