"""What a terminal shows besides the result: colour, and the progress of long work. Pipes get neither."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from PETWorks.errors import printable
from PETWorks.measures.numbers import amount, count

PROGRESS_LINES = "PETWORKS_PROGRESS_LINES"  # a variable of the environment: if it is set, progress is lines of JSON


def style(output: Path | None) -> dict[str, Any]:
    """Colour and width for text output: those of the terminal, or plain and wide."""
    if output is None and _is_terminal(sys.stdout):
        from rich.console import Console

        terminal = Console()
        return {"colour": not terminal.no_color, "width": terminal.width}
    return {"colour": False, "width": 120}


def _is_terminal(stream: Any) -> bool:
    return stream is not None and bool(stream.isatty())


def _line(**state: Any) -> None:
    """How far the work is, for a program that started this one."""
    finite = {key: value if value != float("inf") else None for key, value in state.items()}
    print(json.dumps({"progress": finite}), file=sys.stderr, flush=True)  # noqa: T201 - it is meant for standard error


def progress(doing: str) -> Any:
    """A spinner with the time on a terminal, nothing elsewhere."""
    if PROGRESS_LINES in os.environ:
        _line(doing=doing)
    if not _is_terminal(sys.stderr):
        return nullcontext()
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.add_task(printable(doing), total=None)
    return progress


@contextmanager
def searching() -> Iterator[Callable[[Any], None]]:
    """How far a search is, with the gap to what could still be better, on a terminal; nothing elsewhere."""
    if PROGRESS_LINES in os.environ:
        yield lambda state: _line(doing="searching", checked=state.checked, best=state.best, bound=state.bound)
        return
    if not _is_terminal(sys.stderr):
        yield lambda _state: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("searching", total=None)

        def report(state: Any) -> None:
            found = "nothing keeps the rules yet"
            if state.best is not None:
                found = f"best loss {amount(state.best)}, none below {amount(state.bound)} (Ctrl-C stops)"
            bar.update(task, description=f"{count(state.checked)} tried, {found}")

        yield report


@contextmanager
def counting() -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left on a terminal, nothing elsewhere."""
    if PROGRESS_LINES in os.environ:
        yield lambda finished, total: _line(doing="subsets", finished=finished, total=total)
        return
    if not _is_terminal(sys.stderr):
        yield lambda _finished, _total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("subsets"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("subsets", total=None)
        yield lambda finished, total: bar.update(task, completed=finished, total=total)
