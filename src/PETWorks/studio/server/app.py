"""The web application: routes, static files, and error pages that never quote a cell."""

import sys
import traceback
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from PETWorks.errors import PETWorksError
from PETWorks.locale import LANGUAGES
from PETWorks.render.language.language import message_text
from PETWorks.studio.files.workspace import Workspace
from PETWorks.studio.pages import columns, compare, decide, hierarchies, job, levels, make_safe, risk
from PETWorks.studio.pages import open as open_page
from PETWorks.studio.pages.page import (
    LANGUAGE_COOKIE,
    Form,
    Routes,
    bar_values,
    error_page,
    language,
    part,
    redirect,
    show_error,
    studio,
)
from PETWorks.studio.server.jobs import Jobs
from PETWorks.studio.server.open_case import OpenCase, Studio

ROUTES = Routes()  # those of all pages; each page has its own
PAGES = (open_page, columns, risk, levels, hierarchies, make_safe, compare, decide, job)


class ErrorGuard:
    """Middleware that answers a request after an error in the program with a page that does not show the message."""

    def __init__(self, app: ASGIApp, studio: Studio) -> None:
        self._app, self._studio = app, studio

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note the time of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._studio.last_request = monotonic()
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            with self._studio.files.shared():
                await self._app(scope, receive, sending)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the outermost door; the message is not shown, as it might quote a cell
            traceback.print_tb(error.__traceback__)
            print(f"petworks: {type(error).__name__}: an error in the program itself", file=sys.stderr)  # noqa: T201
            if not has_begun:
                request = Request(scope, receive)
                answer = error_page(request, message_text(language(request), "studio.error.internal"), 500)
                await answer(scope, receive, send)


STATIC = Path(__file__).parents[1] / "static"
STYLE = STATIC / "studio.css"
REPORT_STYLE = Path(__file__).parents[2] / "render" / "templates" / "report.css"


@ROUTES.get("/static/{name}")
def _static(request: Request) -> Response:
    known = {path.name: path for path in (*STATIC.iterdir(), REPORT_STYLE)}
    name = request.path_params["name"]
    if name == STYLE.name:
        return Response(_style(), media_type="text/css")
    return FileResponse(known[name]) if name in known else PlainTextResponse("not found", 404)


def _style() -> str:
    """The style sheet of the page; it hides all languages except that of the page."""
    others = (f'html[lang="{code}"] [lang]:not([lang="{code}"],.always)' for code in LANGUAGES)
    return f"{STYLE.read_text('utf-8')}{','.join(others)}{{display:none}}\n"


@ROUTES.get("/bar")
def _bar(request: Request, case: OpenCase, form: Form) -> Response:
    """The verdicts on the original and on its release, which the bar at the top of every page loads."""
    return part(request, "bar.html", case, **bar_values(request, case, form.text("about"), check=True))


@ROUTES.get("/file")
def _file(request: Request) -> Response:
    """A file below the folder, to be saved elsewhere."""
    path = studio(request).workspace.written_file(request.query_params.get("path", ""))
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


@ROUTES.post("/undo")
def _undo(request: Request, case: OpenCase, form: Form) -> Response:
    case.file.undo(form.text("seen") or None)
    return redirect(request, _local_path(form.text("back")), case)


@ROUTES.post("/language")
def _language(form: Form) -> Response:
    answer = RedirectResponse(_local_address(form.text("back")), 303)
    if form.text("lang") in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, form.text("lang"), httponly=True, samesite="strict")
    return answer


async def _show_not_found(request: Request, error: Exception) -> Response:
    """The page for an unknown address, or for a form address that was opened like a page."""
    assert isinstance(error, HTTPException)
    return error_page(request, message_text(language(request), "studio.error.nowhere"), error.status_code)


def _local_address(address: str) -> str:
    """The address if it is one of this server, otherwise that of the first page."""
    is_plain = address.isprintable() and "\\" not in address  # browsers leave out tabs, and read \ as /
    is_local = address.startswith("/") and not address.startswith("//")
    return address if is_plain and is_local else "/"


def _local_path(address: str) -> str:
    return urlsplit(_local_address(address)).path


def make_app(folder: Path) -> Starlette:
    """Return the application for a folder."""
    state = Studio(Workspace(folder), Jobs(folder.resolve()))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> Any:
        yield
        state.jobs.cancel_all()

    app = Starlette(
        routes=[*(route for page in PAGES for route in page.ROUTES), *ROUTES],
        middleware=[Middleware(ErrorGuard, studio=state)],
        exception_handlers={
            PETWorksError: show_error,
            OSError: show_error,
            MemoryError: show_error,
            HTTPException: _show_not_found,
        },
        lifespan=lifespan,
    )
    app.state.studio = state
    return app
