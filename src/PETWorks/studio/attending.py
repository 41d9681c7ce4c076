"""Each request: when the last one was, and what becomes of errors of the program itself, which may quote cells."""

import sys
import traceback
from time import monotonic
from types import TracebackType

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from PETWorks.render.language import said
from PETWorks.studio.page import error_page, language
from PETWorks.studio.state import Studio


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
