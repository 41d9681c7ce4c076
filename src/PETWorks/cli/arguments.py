"""Options that several commands share, and the parsing of their values."""

import csv
import io
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from PETWorks.about.kinds import GENERALISED, KINDS
from PETWorks.about.treatment import COLUMN_KEYS, TREATMENTS
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engines import ENGINES
from PETWorks.errors import Hint, ParameterError, Phrase
from PETWorks.render.language.messages import language, translated
from PETWorks.tables.cells import is_number

if TYPE_CHECKING:
    from PETWorks.counting.release import Release
    from PETWorks.measures.catalogue import Metric


HOLDS, DOES_NOT_HOLD, BAD_INPUT, INTERNAL_ERROR, INTERRUPTED = 0, 1, 2, 3, 130  # exit codes

# The command line options for the hints in error messages.
HINT_OPTIONS = {
    Hint.IDENTIFIERS: "--identifier",
    Hint.QUASI_IDENTIFIERS: "--qi",
    Hint.SENSITIVE_ATTRIBUTES: "--sensitive",
    Hint.ORIGINAL: "--original",
    Hint.POPULATION: "--population",
    Hint.SAMPLING_WEIGHT: "--sampling-weight",
    Hint.HIERARCHIES: "--hierarchies",
    Hint.ENGINE_IN_MEMORY: "--engine memory",
    Hint.ORDER: "order: original",
    Hint.MEMORY_LIMIT: "--memory-limit",
    Hint.TEMP_FOLDER: "--temp-folder",
    Hint.ALL_SUBSETS: "--subsets all",
    Hint.RESUME: "--resume",
    Hint.ROOT: "--root",
    Hint.NETWORK: "--network",
    Hint.CHECK_DOCUMENT: "petworks check POLICY --json FILE",
    Hint.INTERNAL_EDITION: "--internal",
    Hint.PLAN: Phrase("petworks anonymize POLICY -o RELEASED.csv writes RELEASED_plan.json"),
    Hint.NEW_COLUMNS: Phrase("--identifier: they are left out; --insensitive: they stay as they are"),
    Hint.WORTH: "--worth",
    Hint.RECIPIENTS: "--recipients",
    Hint.REGISTER: "petworks register add CHECK.json",
    Hint.CONTROL: "--control",
    Hint.COMPARE_AT: "--level",
}

# The options that assign roles to columns; not every command has all of them.
ROLE_OPTIONS = {
    "qi": QUASI_IDENTIFIER,
    "sensitive": SENSITIVE_ATTRIBUTE,
    "identifier": IDENTIFIER,
    "insensitive": INSENSITIVE_ATTRIBUTE,
}

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
POLICY_SUFFIXES = (".yaml", ".yml")
STANDARD_OUTPUT = Path("-")
RECORD_FILE_SUFFIXES = (".csv", ".parquet")


def add_options(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    """Add options to a command; its help lists them in this order."""
    for add in reversed(options):
        command = add(command)
    return command


def table_options(command: Command) -> Command:
    """Add the options that describe the table, and the output format."""
    option = click.option
    formats = click.Choice(["table", "json"])
    options = [
        option(
            "--policy",
            type=FILE,
            metavar="FILE",
            help="A policy that describes the table: roles, hierarchies, original, ... Other options override it.",
        ),
        option("--root", type=FILE, metavar="DIR", help="Files of the policy must be in here."),
        option("--network", is_flag=True, help="Allow connections to servers that the policy names."),
        option("--qi", multiple=True, metavar="A,B", help="Quasi-identifiers: what an adversary may know."),
        option("--sensitive", multiple=True, metavar="C,D", help="Sensitive attributes: what must not be learnt."),
        option("--privacy-unit", metavar="COLUMN", help="Names the person; several records of a person count once."),
        *sample_options(),
        option("--separator", metavar="CHAR", help="Separator of the CSV files; detected by default."),
        option("--encoding", metavar="NAME", help="Encoding of the CSV files; UTF-8 or Big5, detected, by default."),
        *engine_options(),
        option("--format", "output_format", type=formats, help="Output format; json is the default for a FILE.json."),
        option("-o", "--output", type=FILE, metavar="FILE", help="Write to this file."),
    ]  # fmt: skip
    return add_options(command, options)


original_option = click.option("--original", metavar="TABLE", help="The table the release was made from.")
identifier_option = click.option(
    "--identifier", multiple=True, metavar="E,F", help="Columns of the original that are not in the release."
)
hierarchies_option = click.option("--hierarchies", metavar="DIR", help="Folder of files ...hierarchy_<column>.csv.")


def comparison_options(command: Command) -> Command:
    """Add the options for a table that is not generalised, and for the tables it is compared with."""
    option = click.option
    options = [
        option(
            "--kind",
            type=click.Choice(KINDS),
            help="How the table was made from the original: generalised (default), synthetic, or perturbed: swapped, "
            "noised, randomised, sampled anew.",
        ),
        option("--control", metavar="TABLE", help="People like those of the original who had no part in the release."),
        option("--level", "levels", multiple=True, metavar="COLUMN=LEVEL", help="Compare on a level of its hierarchy."),
    ]
    return add_options(command, options)


def sample_options() -> list[Callable[[Any], Any]]:
    """The options that say how the records were drawn from a population."""
    option = click.option
    return [
        option("--sampling-weight", metavar="COLUMN", help="The number of people that each record stands for."),
        option("--household", metavar="COLUMN", help="Names the household, whose members are found together."),
    ]


def engine_options() -> list[Callable[[Any], Any]]:
    """The options that choose the engine."""
    option = click.option
    return [
        option(
            "--engine",
            type=click.Choice(ENGINES),
            default="auto",
            show_default=True,
            help="Where to count: in memory, out of core, in a cluster. The numbers are the same.",
        ),
        option("--memory-limit", metavar="SIZE", help="Memory to use, such as 2GB; by default half of the machine's."),
        option(
            "--temp-folder", metavar="DIR", help="Folder for data of the engine duckdb that does not fit into memory."
        ),
    ]


def with_engine_options(command: Command) -> Command:
    """Add the options that choose the engine."""
    return add_options(command, engine_options())


def resolve_table(table: str | None, options: dict[str, Any]) -> str | Path:
    """The table to read. Options that are not given take their values from the policy, which may stand in its place."""
    if options["policy"] is None and table is not None and Path(table).suffix.lower() in POLICY_SUFFIXES:
        options["policy"], table = Path(table), None
    if options["policy"] is not None:
        from PETWorks.gate.policy.policy import read_policy

        policy = read_policy(options["policy"], options["root"], network=options["network"])
        names = ("roles", "original", "order", "hierarchies", "population", "privacy_unit", "kind", "control")
        described = (
            {name: getattr(policy, name) for name in names}
            | {"compare_at": policy.levels_compared}
            | policy.sample.words
            | dict(policy.reading)
            | dict(policy.treatment)
        )
        options["from_policy"] = [name for name in described if options.get(name) is None]
        options.update({name: described[name] for name in options["from_policy"]})
        return policy.data if table is None else table
    if table is None:
        raise ParameterError("name a table, or a policy that names one with --policy")
    return table


def open_release(
    table: str | Path, options: dict[str, Any], population: str | Path | int | float | None = None
) -> "Release":
    """Open the table that the options describe."""
    from PETWorks.about.protection import protect_from_text
    from PETWorks.about.roles import two_roles
    from PETWorks.counting.protected_source import protect_source
    from PETWorks.counting.release import Release
    from PETWorks.tables.opening import open_table

    roles: dict[str, str] = {}
    for option, role in ROLE_OPTIONS.items():
        for column in parse_columns(options.get(option, ())):
            if roles.setdefault(column, role) != role:
                raise two_roles(column, roles[column], role)

    def open_file(file: Any) -> Any:
        return open_table(file, options["separator"], options["encoding"]) if isinstance(file, str | Path) else file

    if options.get("levels"):
        options["compare_at"] = [parse_compared_levels(options["levels"])]
    opened = open_file(table)
    for key in COLUMN_KEYS:  # a release may lack the columns that its policy names
        if options.get(key) is not None and key in options.get("from_policy", ()) and options[key] not in opened.names:
            note("cli.column-left-out", column=repr(options.pop(key)))
    treatment = {name: options[name] for name in (*TREATMENTS, *COLUMN_KEYS) if options.get(name) is not None}
    release = Release(
        protect_source(opened, protect_from_text(options.get("protect", ())), options.get("privacy_unit")),
        roles or options.get("roles"),
        options.get("hierarchies"),
        open_file(options.get("original")),
        kind=options.get("kind") or GENERALISED,
        control=open_file(options.get("control")),
        compare_at=next(iter(options.get("compare_at") or [None])),
        population=open_file(population),
        order=options.get("order"),
        **treatment,
        **engine_settings(options),
    )
    if release.engine.note:
        click.echo(f"petworks: {translated(release.engine.note)}", err=True)
    if release.weights_below_one:
        note("cli.weights-below-one", n=release.weights_below_one, column=repr(release.sample.weight))
    return release


def check_output(path: Path | None, *inputs: Path | None) -> Path | None:
    """The output file, if one is named; raise if it cannot be written, or is an input."""
    from PETWorks.tables.output import check_writable

    return None if path is None else check_writable(path, inputs)


def engine_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The engine and its limits, as arguments of a release."""
    return {name: options[name] for name in ("engine", "memory_limit", "temp_folder")}


def input_files(*tables: str | Path | int | float | None) -> tuple[Path, ...]:
    """The files that tables are read from, which must not be overwritten."""
    from PETWorks.tables.opening import files_of_tables

    return files_of_tables(*tables)


def shown_name(table: str | Path) -> str:
    """The name of a table in progress messages: no folder, no password."""
    if "://" not in str(table):
        return Path(table).name
    from PETWorks.tables.databases import server_name

    return server_name(str(table))


def parse_population(options: dict[str, Any]) -> str | Path | int | float | None:
    """Parse the population: a number of people, a share of them, or a table."""
    from PETWorks.measures.parameters import parse_number

    population: str | Path | int | float | None = options["population"]
    if not isinstance(population, str):
        return population
    number = parse_number(population)
    if number is None and (is_number(population.strip()) or not population.strip()):
        raise ParameterError(
            "--population expects a file, a number of people or a share of them, got {given!r}", given=population[:40]
        )
    return population if number is None else number


def parse_columns(texts: tuple[str, ...]) -> list[str]:
    """Parse column names such as `a,b`; a name that contains a comma is in double quotes."""
    names = []
    for text in texts:
        listed = split_items(text, Phrase("column names"))
        if not listed:
            raise ParameterError("an option names no column; omit it, or name one")
        names += listed
    return names


def split_items(text: str, what: str) -> list[str]:
    """Split a text at commas; an item that contains a comma is in double quotes."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True))
    except csv.Error:
        raise ParameterError(
            "{items} are separated by commas, those that contain a comma in double quotes; got {given!r}",
            items=what,
            given=text,
        ) from None
    return [item.strip() for row in rows for item in row if item.strip()]


def parse_measure(text: str) -> "tuple[Metric, dict[str, Any]]":
    """Parse `t-closeness:t=0.2` into the measure and its checked parameters."""
    from PETWorks.measures.catalogue import find_measure

    name, _, listed = text.partition(":")
    entry = find_measure(name)
    parameters: dict[str, Any] = {}
    for item in split_items(listed, Phrase("--measure {metric}: parameters", metric=name)):
        parameter, equals, value = item.partition("=")
        if not equals:
            raise ParameterError("--measure {metric}: expected parameter=value, got {given!r}", metric=name, given=item)
        if parameter.strip() in parameters:
            raise ParameterError(
                "--measure {metric}: {parameter!r} is given twice", metric=name, parameter=parameter.strip()
            )
        parameters[parameter.strip()] = value.strip()
    return entry, entry.check(parameters)


def wants_json(wanted: str | None, output: Path | None) -> bool:
    """Whether the output is JSON: by the option, or by the name of the file."""
    return wanted == "json" or (wanted is None and output is not None and output.suffix.lower() == ".json")


def write_or_print(
    text: str, output: Path | None, other_files: dict[Path, bytes] | None = None, resume_file: Path | None = None
) -> None:
    """Write all files, or none; without `output`, print the text.

    resume_file   has the subsets counted so far; it is removed, as all are counted now
    """
    from PETWorks.tables.output import write_whole

    files = {**(other_files or {}), **({} if output is None else {output: text.encode("utf-8", "surrogateescape")})}
    write_whole(files)
    if resume_file is not None:
        resume_file.unlink(missing_ok=True)
    if output is None:
        click.echo(text, nl=False)
    report_written(files)


def note(message: str, **values: Any) -> None:
    """Print a message to standard error, in the language of the command."""
    from PETWorks.render.language.language import message_text

    click.echo(f"petworks: {message_text(language(), message, **values)}", err=True)


def report_written(files: Iterable[Path]) -> None:
    """Print which files were written."""
    for file in files:
        note("cli.wrote", path=shown_path(file))


def shown_path(file: Path) -> str:
    """A path for a message: relative if it is below the current folder."""
    return os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)


def parse_compared_levels(texts: tuple[str, ...]) -> dict[str, str]:
    """Parse `age=2` into columns and levels."""
    levels: dict[str, str] = {}
    for text in texts:
        column, equals, level = text.rpartition("=")
        if not equals or column.strip() in levels:
            raise ParameterError("--level expects COLUMN=LEVEL, each column once; got {given!r}", given=text)
        levels[column.strip()] = level
    return levels


def parse_limits(texts: tuple[str, ...]) -> dict[str, Any]:
    """Parse `highest-risk=1/5` into names and values."""
    limits: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals or name in limits:
            raise ParameterError("--limit expects NAME=VALUE, each name once; got {given!r}", given=text)
        limits[name] = value
    return limits


format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print.",
)


def worth_option(command: Command) -> Command:
    """Add the option for the worth of values."""
    return click.option(
        "--worth",
        "worths",
        multiple=True,
        metavar="COLUMN:VALUE=NUMBER,...",
        help="What an adversary gains by guessing these values; 1 for all others. Repeat for more attributes.",
    )(command)


def parse_worth(texts: tuple[str, ...]) -> dict[str, dict[str | None, str]]:
    """Parse `grade:A=10,E=8`, by attribute and value. Errors do not quote the text: it may contain cells."""
    worth: dict[str, dict[str | None, str]] = {}
    for text in texts:
        column, _, listed = text.partition(":")
        pairs = [item.rpartition("=") for item in _split_values(listed)]
        values: dict[str | None, str] = {value.strip(): number.strip() for value, _, number in pairs}
        if not pairs or not all(equals for _, equals, _ in pairs) or len(values) < len(pairs) or column in worth:
            raise ParameterError("--worth expects COLUMN:VALUE=NUMBER,VALUE=NUMBER, each column and each value once")
        worth[column] = values
    return worth


def _split_values(text: str) -> list[str]:
    try:
        return split_items(text, Phrase("values"))
    except ParameterError:
        raise ParameterError(
            "--worth: values are separated by commas, those that contain a comma in double quotes with their number"
        ) from None


# Files about single records, which are for insiders


def below_option(option: str) -> Callable[[Command], Command]:
    """Add --below, which restricts the records in the file of another option, such as --reasons."""
    return click.option(
        "--below",
        metavar="NUMBER",
        help=f"In the file of {option}: the records in classes of fewer records than this, and no others.",
    )


def reasons_options(whose: str) -> Callable[[Command], Command]:
    """Add the options for reasons per record; `whose` describes the records that are listed without --below."""

    def with_options(command: Command) -> Command:
        reasons = click.option(
            "--reasons",
            type=FILE,
            metavar="FILE",
            help=f"For insiders: {whose}, one by one, with the rule, the few attributes that make it stand out and the "
            "smallest generalisation that would save it; .csv or .parquet.",
        )
        return reasons(below_option("--reasons")(command))

    return with_options


def parse_reasons(options: dict[str, Any]) -> tuple[list[Path], int | None]:
    """The file for the reasons per record, if it is wanted, and the class size of --below."""
    below = parse_below(options, "--reasons")
    check_record_file(options["reasons"], "--reasons")
    return [] if options["reasons"] is None else [options["reasons"]], below


def parse_below(options: dict[str, Any], option: str) -> int | None:
    """Parse the class size of --below; raise if it is malformed, or given without its file."""
    from PETWorks.measures.parameters import parse_number

    text, file = options["below"], options[option.strip("-").replace("-", "_")]
    if text is None:
        return None
    if file is None:
        raise ParameterError("--below is for {option}", option=option)
    number = parse_number(text)
    if not isinstance(number, int) or number < 2:
        raise ParameterError("--below expects a number of records, 2 or more, got {given!r}", given=text[:40])
    return number


def check_record_file(file: Path | None, option: str) -> None:
    """Raise if a file about records has no table format."""
    if file is not None and file.suffix.lower() not in RECORD_FILE_SUFFIXES:
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


def warn_for_insiders(files: Iterable[Path]) -> None:
    """Print that files must not be passed on."""
    for file in files:
        note("cli.for-insiders", path=shown_path(file))
