"""The web application: its pages, and what they share."""

from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from PETWorks.errors import PETWorksError
from PETWorks.render.language import said
from PETWorks.render.languages import LANGUAGES
from PETWorks.studio.attending import Attended
from PETWorks.studio.jobs import Jobs
from PETWorks.studio.last_check import remember
from PETWorks.studio.page import (
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
from PETWorks.studio.routes import ROUTES
from PETWorks.studio.state import Studio
from PETWorks.studio.workspace import Workspace

STATIC = Path(__file__).with_name("static")
SHARED = Path(__file__).parent.with_name("render") / "templates" / "report.css"  # the look of the report


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
