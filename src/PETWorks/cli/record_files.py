"""Files about single records, which are for insiders: their options and their content."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from PETWorks.cli.arguments import note, shown_path
from PETWorks.errors import ParameterError
from PETWorks.render.terminal import progress

if TYPE_CHECKING:
    from PETWorks.anonymizer.anonymization import Anonymization

SUFFIXES = (".csv", ".parquet")

Command = TypeVar("Command", bound=Callable[..., Any])


def below_option(of: str) -> Callable[[Command], Command]:
    """The option that restricts the records in the file of another option."""
    return click.option(
        "--below",
        metavar="NUMBER",
        help=f"In the file of {of}: the records in classes of fewer records than this, and no others.",
    )


def reasons_options(whose: str) -> Callable[[Command], Command]:
    """Add the options for reasons per record; `whose` describes the records that are listed without --below."""

    def with_options(command: Command) -> Command:
        reasons = click.option(
            "--reasons",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help=f"For insiders: {whose}, one by one, with the rule, the few attributes that make it stand out and the "
            "smallest generalisation that would save it; .csv or .parquet.",
        )
        return reasons(below_option("--reasons")(command))

    return with_options


def parse_reasons(options: dict[str, Any]) -> tuple[list[Path], int | None]:
    """The file for the reasons per record, if it is wanted, and the class size of --below."""
    below = parse_below(options, "--reasons")
    check_suffix(options["reasons"], "--reasons")
    return [] if options["reasons"] is None else [options["reasons"]], below


def parse_below(options: dict[str, Any], option: str) -> int | None:
    """Parse the class size of --below; raise if it is malformed, or given without its file."""
    from PETWorks.measures.parameters import parse_number

    text, wanted = options["below"], options[option.strip("-").replace("-", "_")]
    if text is None:
        return None
    if wanted is None:
        raise ParameterError("--below is for {option}", option=option)
    number = parse_number(text)
    if not isinstance(number, int) or number < 2:
        raise ParameterError("--below expects a number of records, 2 or more, got {given!r}", given=text[:40])
    return number


def check_suffix(file: Path | None, option: str) -> None:
    """Raise if a file about records has no table format."""
    if file is not None and file.suffix not in SUFFIXES:
        raise ParameterError("{option} writes .csv or .parquet, got {file!r}", option=option, file=str(file))


def require_memory_engine(file: Path | None, options: dict[str, Any], option: str) -> None:
    """Choose the engine 'memory' for results per record; raise if another one is asked for."""
    if file and options["engine"] == "auto":
        options["engine"] = "memory"
    if file and options["engine"] != "memory":
        raise ParameterError(
            "{option} needs the engine 'memory'; {engine!r} keeps counts, not records",
            option=option,
            engine=options["engine"],
        )


def release_reasons_files(result: "Anonymization", files: Iterable[Path], below: int | None) -> dict[Path, bytes]:
    """The files with the reasons why records are suppressed."""
    from PETWorks.render.formats.result_files import reasons_file

    with progress("reasons"):
        return {file.resolve(): reasons_file(result.reasons_per_record(below), file.suffix) for file in files}


def warn_for_insiders(files: Iterable[Path]) -> None:
    """Print that files must not be passed on."""
    for file in files:
        note("cli.for-insiders", path=shown_path(file))
