"""The command `petworks`: its subcommands, and the exit codes."""

import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from types import FrameType, TracebackType
from typing import Any

import click

from PETWorks import __version__
from PETWorks.cli.arguments import BAD_INPUT, HINT_OPTIONS, INTERNAL_ERROR, INTERRUPTED
from PETWorks.cli.help import check_language_variable, command_language, localise_command, translating_click
from PETWorks.errors import PETWorksError, Phrase, of_system, printable
from PETWorks.render.language.messages import in_language, language, translated, using_language
from PETWorks.tables.interrupts import abandoned

EXTRA_ARGUMENTS = ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})")  # of click
LONGEST_LINE = 2000  # characters of a message
NO_THREAD = "can't start new thread"  # the message must be compared: Python raises a plain RuntimeError

COMMANDS = (
    "anonymize",
    "apply",
    "attack",
    "check",
    "compose",
    "demo",
    "diff",
    "evaluate",
    "hierarchy",
    "init",
    "lint",
    "measures",
    "presets",
    "regimes",
    "register",
    "schema",
    "split",
    "studio",
    "verify",
)  # each has a module of its name, which is imported only when it is called


class Commands(click.Group):
    """All commands. Errors in the input are printed to standard error, with exit code 2."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """The names of the commands, in alphabetical order."""
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """The command with this name, in the language of the user."""
        if name not in COMMANDS:
            return None
        module = import_module(f"PETWorks.cli.{name}")
        command: click.Command = getattr(module, f"{name}_command")
        return localise_command(command, language())

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; the error for an unknown one suggests the nearest."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            near = get_close_matches(args[0].casefold(), COMMANDS, n=3)
            near.sort(key=lambda name: name[0] != args[0][:1].casefold())  # "int" is as near to lint as to init
            error.__dict__["possibilities"] = near[:1]
            raise

    def main(self, args: Sequence[str] | None = None, *arguments: Any, **options: Any) -> Any:
        """Run the program, and turn errors and signals into exit codes."""
        lang = command_language(sys.argv[1:] if args is None else args)
        with using_language(lang), _ExitCodes(), translating_click(lang):
            localised = localise_command(self, lang)
            return click.Group.main(localised, args, *arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        """Run the command, and print errors in the input."""
        try:
            return super().invoke(context)
        except click.NoSuchOption as error:
            # Compare without the hyphens, which make any two options similar.
            is_near = {
                option: get_close_matches(error.option_name.strip("-"), [option.strip("-")])
                for option in error.possibilities or ()
            }
            error.__dict__["possibilities"] = [option for option in is_near if is_near[option]]
            raise
        except click.UsageError as error:
            # The message must be compared: click raises the same error for every wrong usage.
            starts = [in_language(text).partition("{")[0] for text in EXTRA_ARGUMENTS]
            if not error.message.startswith(tuple(starts)):
                raise
            hint = translated(Phrase('; put quotes around a name that has blanks: "my table.csv"'))
            raise click.UsageError(error.message + hint, error.ctx) from None
        except PETWorksError as error:
            reason, code = error.worded(HINT_OPTIONS), BAD_INPUT
        except MemoryError:
            reason, code = Phrase("not enough memory"), BAD_INPUT
        except KeyboardInterrupt:
            reason, code = Phrase("interrupted"), INTERRUPTED
        except OSError as error:
            reason, code = of_system(error), BAD_INPUT
        except RuntimeError as error:
            if str(error) != NO_THREAD:
                raise
            reason = Phrase("not enough memory, or too many processes: the system starts no further thread")
            code = BAD_INPUT
        for line in translated(reason).split("\n"):
            click.echo(f"petworks: {_shorten(printable(line))}", err=True)
        return context.exit(code)


def _shorten(line: str) -> str:
    """Cut out the middle of a line that is too long to read, such as one with a long path."""
    half = LONGEST_LINE // 2
    return line if len(line) <= LONGEST_LINE else f"{line[:half]} ... {line[-half:]}"


class _ExitCodes:
    """While open, signals and internal errors lead to their exit codes.

    An exception that a signal raises in the middle of a query may arrive here as a different one. So the signal is
    recorded, and decides.
    """

    def __init__(self) -> None:
        self._stopped_by: int | None = None

    def __enter__(self) -> None:
        for number, usual in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
            if signal.getsignal(number) is usual:
                signal.signal(number, self._stop)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        """Exit in the ordinary way, so that temporary files are removed."""
        self._stopped_by = 128 + number
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(self._stopped_by)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._stopped_by is not None:
            if any(thread.is_alive() for thread in abandoned):
                # A thread waits for a server, and its library would crash if the interpreter shut down.
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(self._stopped_by)
            raise SystemExit(self._stopped_by) from None
        if kind is not None and not issubclass(kind, SystemExit):
            # The message is left out: it might quote a cell.
            traceback.print_tb(trace)
            text = Phrase(
                "{type}: an error in the program itself; the lines above contain none of your data", type=kind.__name__
            )
            click.echo(f"petworks: {translated(text)}", err=True)
            raise SystemExit(INTERNAL_ERROR) from None  # 1 would mean that a rule does not hold


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """How safe is a table about people, and how useful is it still?

    Nothing leaves this machine. Exit code 0: everything asked for holds; 1: something does not;
    2: bad input or usage; 3: an error of the program itself; 4: the external edition does not show the verdict.
    """
    check_language_variable()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks some characters still gets the table
