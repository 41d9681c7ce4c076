"""Database work that signals can interrupt, although the database library ignores signals."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Generic, TypeVar

Outcome = TypeVar("Outcome")

abandoned: list[Thread] = []  # threads still running after they were interrupted
PATIENCE = 2.0  # seconds for work to end after an interrupt; it may be waiting for a server


def run_interruptibly(work: Callable[[], Outcome], interrupt: Callable[[], None] = lambda: None) -> Outcome:
    """Do work in a thread, and interrupt it if a signal ends the wait.

    >>> run_interruptibly(lambda: 1 + 1)
    2
    """
    task = _Task(work)
    thread = Thread(target=task.run, daemon=True)
    thread.start()
    try:
        task.done.wait()
    finally:
        if not task.done.is_set():
            interrupt()
            thread.join(PATIENCE)
            if thread.is_alive():
                abandoned.append(thread)
    if task.error is not None:
        raise task.error
    return task.outcome


class _Task(Generic[Outcome]):
    """Work and its result: the outcome, or the error it ended with."""

    outcome: Outcome

    def __init__(self, work: Callable[[], Outcome]) -> None:
        self._work = work
        self.done = Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.outcome = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again by the waiting thread
            self.error = error
        finally:
            self.done.set()


@contextmanager
def closing_connection(connection: Any) -> Iterator[Any]:
    """Close a connection at the end, without waiting for one that is still busy."""
    try:
        yield connection
    finally:
        thread = Thread(target=connection.close, daemon=True)
        thread.start()
        thread.join(PATIENCE)
