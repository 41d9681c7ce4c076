"""The command `petworks`: its subcommands, and the exit code for everything that can end it."""

import io
import signal
import sys
import traceback
from importlib import import_module
from types import FrameType, TracebackType
from typing import Any

import click

from PETWorks import __version__
from PETWorks.cli.arguments import BAD_INPUT, INTERNAL_ERROR, INTERRUPTED, OPTIONS
from PETWorks.errors import PETWorksError, printable

MODULES = {
    "evaluate": "measuring",
    "measures": "measuring",
    "attack": "attacking",
    "init": "policies",
    "check": "policies",
    "diff": "policies",
    "presets": "policies",
    "regimes": "policies",
    "schema": "policies",
    "verify": "policies",
}  # where each command is; only the one that is called is imported


class Commands(click.Group):
    """All commands. Errors in the input are printed to standard error, with exit code 2."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """The names of the commands, in alphabetical order."""
        return sorted(MODULES)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """The command with this name."""
        if name not in MODULES:
            return None
        module = import_module(f"PETWorks.cli.{MODULES[name]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the program; whatever ends it gives the exit code."""
        with _ExitCodes():
            return super().main(*arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except PETWorksError as error:
            reason, code = error.worded(OPTIONS), BAD_INPUT
        except MemoryError:
            reason, code = "not enough memory", BAD_INPUT
        except KeyboardInterrupt:
            reason, code = "interrupted", INTERRUPTED
        except OSError as error:
            reason, code = f"cannot write the result: {error.strerror or 'the system rejected it'}", BAD_INPUT
        for line in reason.split("\n"):
            click.echo(f"petworks: {printable(line)}", err=True)
        return context.exit(code)


class _ExitCodes:
    """While it is open, signals and errors of the program itself lead to their exit codes.

    An exception that a signal raises in the middle of a query may arrive here as another one. So the signal is
    written down, and decides.
    """

    def __init__(self) -> None:
        self._stopped_by: int | None = None

    def __enter__(self) -> None:
        for number, usual in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
            if signal.getsignal(number) is usual:
                signal.signal(number, self._stop)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        """Leave as if the work were done, so that temporary files are removed."""
        self._stopped_by = 128 + number
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(self._stopped_by)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._stopped_by is not None:
            raise SystemExit(self._stopped_by) from None
        if kind is not None and not issubclass(kind, SystemExit):
            # The message is left out: it might quote a cell.
            traceback.print_tb(trace)
            click.echo(
                f"petworks: {kind.__name__}: an error in the program itself; the lines above contain none of your data",
                err=True,
            )
            raise SystemExit(INTERNAL_ERROR) from None  # 1 would mean that something does not hold


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """How safe is a table about people, and how useful is it still?

    Nothing leaves this machine. Exit code 0: everything asked for holds; 1: something does not;
    2: bad input or usage; 3: an error of the program itself.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks some characters still gets the table
