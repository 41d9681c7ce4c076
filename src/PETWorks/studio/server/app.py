"""The web application: its routes, what becomes of each request, and errors that may quote cells."""

import sys
import traceback
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from PETWorks.errors import PETWorksError
from PETWorks.render.language.language import said
from PETWorks.render.languages import LANGUAGES
from PETWorks.studio.files.workspace import Workspace
from PETWorks.studio.pages import (
    columns,
    compare,
    decide,
    export,
    hierarchies,
    levels,
    make_safe,
    risk,
    running,
    safe_results,
)
from PETWorks.studio.pages import open as pages_open
from PETWorks.studio.pages.page import (
    LANGUAGE_COOKIE,
    computed,
    desk_of,
    error_page,
    form_of,
    language,
    part,
    see,
    show_error,
)
from PETWorks.studio.server.case import Studio, remember
from PETWorks.studio.server.jobs import Jobs

ROUTES: list[Route] = [
    *pages_open.ROUTES,
    *columns.ROUTES,
    *risk.ROUTES,
    *levels.ROUTES,
    *hierarchies.ROUTES,
    *make_safe.ROUTES,
    *safe_results.ROUTES,
    *compare.ROUTES,
    *decide.ROUTES,
    *export.ROUTES,
    *running.ROUTES,
]


class Attended:
    """Passes requests on; one that fails by an error of the program is answered, and its message is not shown."""

    def __init__(self, app: ASGIApp, works: Studio) -> None:
        self._app, self._works = app, works

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._works.last_request = monotonic()
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        with _Mistake() as mistake:
            await self._app(scope, receive, sending)
        if mistake.happened and not has_begun:
            request = Request(scope, receive)
            answer = error_page(request, said(language(request), "studio.error.internal"), 500)
            await answer(scope, receive, send)


class _Mistake:
    """Reports where an error happened, without the message: it might quote a cell."""

    happened = False

    def __enter__(self) -> "_Mistake":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if kind is None or not issubclass(kind, Exception):
            return False
        if not issubclass(kind, ClientDisconnect):
            self.happened = True
            traceback.print_tb(trace)
            print(f"petworks: {kind.__name__}: an error in the program itself", file=sys.stderr)  # noqa: T201
        return True


STATIC = Path(__file__).parents[1] / "static"
SHARED = Path(__file__).parents[2] / "render" / "templates" / "report.css"  # the look of the report


async def _static(request: Request) -> Response:
    known = {path.name: path for path in (*STATIC.iterdir(), SHARED)}
    name = request.path_params["name"]
    return FileResponse(known[name]) if name in known else PlainTextResponse("not found", 404)


async def _bar(request: Request) -> Response:
    """The verdict on what is open, which the bar at the top of every page shows once it is known."""
    desk = await desk_of(request)
    check = await computed(lambda: desk.check)
    await computed(remember, desk)
    return part(request, "bar.html", desk, bar_table=desk.table_name, d=check.content)


async def _undo(request: Request) -> Response:
    desk = await desk_of(request)
    form = await form_of(request)
    await computed(desk.file.undo, form.text("seen") or None)
    return see(request, _own_path(form.text("back")), desk)


async def _language(request: Request) -> Response:
    form = await form_of(request)
    answer = RedirectResponse(_own_address(form.text("back")), 303)
    if form.text("lang") in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, form.text("lang"), httponly=True, samesite="strict")
    return answer


async def _show_nothing(request: Request, error: Exception) -> Response:
    """The page for an address that is none, or for a form that was opened like a page."""
    assert isinstance(error, HTTPException)
    return error_page(request, said(language(request), "studio.error.nowhere"), error.status_code)


def _own_address(address: str) -> str:
    """An address on this server, or the first page."""
    parts = urlsplit(address)
    plain = address.isprintable() and "\\" not in address  # browsers leave out tabs, and read \ as /
    own = not parts.scheme and not parts.netloc and address.startswith("/") and not address.startswith("//")
    return address if plain and own else "/"


def _own_path(address: str) -> str:
    return urlsplit(_own_address(address)).path


def make_app(folder: Path) -> Starlette:
    """The application for a folder."""
    works = Studio(Workspace(folder), Jobs(folder.resolve()))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> Any:
        yield
        works.jobs.cancel_all()

    app = Starlette(
        routes=[
            *ROUTES,
            Route("/static/{name}", _static),
            Route("/bar", _bar),
            Route("/undo", _undo, methods=["POST"]),
            Route("/language", _language, methods=["POST"]),
        ],
        middleware=[Middleware(Attended, works=works)],
        exception_handlers={
            PETWorksError: show_error,
            OSError: show_error,
            MemoryError: show_error,
            HTTPException: _show_nothing,
        },
        lifespan=lifespan,
    )
    app.state.studio = works
    return app
