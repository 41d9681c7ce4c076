"""Connections whose request does not come: they are closed, so that half-sent requests keep nobody from the page.

The number of files that a process may have open is limited, and each connection is one.
"""

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

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
