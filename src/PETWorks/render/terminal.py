"""Terminal output: colour, progress of long work, wide characters, and commands quoted for the shell."""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from PETWorks.render.language.messages import language

WINDOWS = os.name == "nt"


def command_line(arguments: Sequence[str]) -> str:
    """A command that the user may copy, quoted for the shell.

    On Windows, it is quoted for shells that do not understand single quotes or backslashes.

    >>> command_line(["petworks", "check", "my policy.yaml"])
    "petworks check 'my policy.yaml'"
    """
    if WINDOWS:
        from subprocess import list2cmdline

        return list2cmdline(arguments)
    return shlex.join(arguments)


# Pieces between which a line may break: at blanks, and around wide characters unless punctuation is attached.
PIECES = re.compile(
    r"\s+|[（「『\[]*[^\x00-\u2e7f（「『][\u3001-\u3003\u3009\u300b\u3011\u3015，。；：、！？）」』\]]*|[^\s\u2e80-\uffff]+[，。；：、！？）」』\]]*|."
)


def cells(text: str) -> int:
    """The number of terminal cells that a text takes.

    >>> cells("k-匿名性"), cells("abc")
    (8, 3)
    """
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def lines_of(text: str, width: int) -> list[str]:
    """The lines of a paragraph, each at most `width` cells wide unless a single word is wider.

    >>> lines_of("等價類中的資料列，無法以準識別符區分。", 16)
    ['等價類中的資料', '列，無法以準識別', '符區分。']
    """
    lines = [""]
    for piece in PIECES.findall(" ".join(text.split())):
        if cells(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines = [*lines[:-1], lines[-1].rstrip(), piece.lstrip()]
    return [line.rstrip() for line in lines]


PROGRESS_LINES = "PETWORKS_PROGRESS_LINES"  # environment variable: if set, progress is printed as lines of JSON


def text_style(output: Path | None = None) -> dict[str, Any]:
    """Language, colour and width for text output: those of the command and the terminal, or plain and wide."""
    if output is None and _is_terminal(sys.stdout):
        from rich.console import Console

        terminal = Console()
        return {"lang": language(), "colour": not terminal.no_color, "width": terminal.width}
    return {"lang": language(), "colour": False, "width": 120}


def _is_terminal(stream: Any) -> bool:
    return stream is not None and bool(stream.isatty())


def _line(**state: Any) -> None:
    """Print progress as JSON for the program that started this one."""
    finite = {key: value if value != float("inf") else None for key, value in state.items()}
    print(json.dumps({"progress": finite}), file=sys.stderr, flush=True)  # noqa: T201 - it is meant for standard error


def progress(doing: str, what: str = "") -> Any:
    """A context with a spinner and the elapsed time on a terminal; does nothing elsewhere.

    doing   one of the messages `progress.*`; a program that started this one gets the word itself
    what    the table or file being processed
    """
    if PROGRESS_LINES in os.environ:
        _line(doing=doing)
    if not _is_terminal(sys.stderr):
        return nullcontext()
    from PETWorks.render.language.language import message_text

    bar = _spinner()
    bar.add_task(message_text(language(), f"progress.{doing}", what=what), total=None)
    return bar


def _spinner() -> Any:
    """A bar on standard error with a spinner, the text of its task and the elapsed time."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def search_progress() -> Iterator[Callable[[Any], None]]:
    """A context whose value reports the progress of a search and its gap on a terminal; does nothing elsewhere."""
    if PROGRESS_LINES in os.environ:
        yield lambda state: _line(doing="searching", checked=state.checked, best=state.best, bound=state.bound)
        return
    if not _is_terminal(sys.stderr):
        yield lambda _state: None
        return
    from PETWorks.measures.numbers import amount
    from PETWorks.render.language.language import message_text

    lang = language()
    with _spinner() as bar:
        task = bar.add_task(message_text(lang, "progress.searching"), total=None)

        def report(state: Any) -> None:
            if state.best is None:
                text = message_text(lang, "progress.none-yet", tried=state.checked)
            else:
                best, bound = amount(state.best), amount(state.bound)
                text = message_text(lang, "progress.best", tried=state.checked, best=best, bound=bound)
            bar.update(task, description=text)

        yield report


@contextmanager
def counting_progress() -> Iterator[Callable[[int, int], None]]:
    """A context with a progress bar and the remaining time on a terminal; does nothing elsewhere."""
    if PROGRESS_LINES in os.environ:
        yield lambda finished, total: _line(doing="subsets", finished=finished, total=total)
        return
    if not _is_terminal(sys.stderr):
        yield lambda _finished, _total: None
        return
    from rich import progress as bars
    from rich.console import Console

    from PETWorks.render.language.language import message_text

    lang = language()
    columns = (
        bars.TextColumn(message_text(lang, "progress.subsets")),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn(message_text(lang, "progress.left")),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("subsets", total=None)
        yield lambda finished, total: bar.update(task, completed=finished, total=total)
