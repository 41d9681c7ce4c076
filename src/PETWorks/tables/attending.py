"""Work of a database that signals can end: the library that does it does not look at them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

Outcome = TypeVar("Outcome")

PATIENCE = 2.0  # seconds that work has to end after it was interrupted; it may wait for a server


def attended(work: Callable[[], Outcome], interrupt: Callable[[], None] = lambda: None) -> Outcome:
    """Do the work in a thread; if a signal ends the waiting for it, interrupt it.

    >>> attended(lambda: 1 + 1)
    2
    """
    outcome: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((work(), None))
        except BaseException as error:  # noqa: BLE001 - it is raised below
            outcome.put((None, error))

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        result, error = outcome.get()
    except BaseException:
        interrupt()
        thread.join(PATIENCE)
        raise
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


@contextmanager
def closed_after(connection: Any) -> Iterator[Any]:
    """Close a connection in the end; do not wait for one that is still at work."""
    try:
        yield connection
    finally:
        thread = Thread(target=connection.close, daemon=True)
        thread.start()
        thread.join(PATIENCE)
