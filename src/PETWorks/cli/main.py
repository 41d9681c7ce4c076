"""The command `petworks`."""

import atexit
import io
import os
import signal
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from PETWorks import __version__
from PETWorks.about.treatment import TREATMENTS
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.cli.arguments import (
    BAD_INPUT,
    DOES_NOT_HOLD,
    HOLDS,
    INTERNAL_ERROR,
    INTERRUPTED,
    OPTIONS,
    as_json,
    columns,
    counted_how,
    input_files,
    limits_given,
    population_given,
    put_out,
    request,
    shown_name,
    table_options,
)
from PETWorks.cli.policies import COMMANDS
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError, PETWorksError, RoleError, printable
from PETWorks.measures.attacks.subset_sizes import checked_sizes
from PETWorks.measures.attacks.subsets import Subsets, checked_limits, every_subset
from PETWorks.measures.catalogue import all_measures
from PETWorks.measures.evaluation import evaluate, evaluate_all
from PETWorks.render.json import dumps
from PETWorks.render.terminal import counting, progress, style
from PETWorks.tables.opening import open_table
from PETWorks.tables.output import check_writable

SUFFIXES = (".csv", ".parquet")


class Commands(click.Group):
    """All commands: what is wrong with the input goes to standard error, with exit code 2."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except PETWorksError as error:
            reason, code = error.worded(OPTIONS), BAD_INPUT
        except MemoryError:
            reason, code = "not enough memory", BAD_INPUT
        except KeyboardInterrupt:
            reason, code = "interrupted", _stopped_by[-1]
        except OSError as error:
            reason, code = f"cannot write the result: {error.strerror or 'the system rejected it'}", BAD_INPUT
        for line in reason.split("\n"):
            click.echo(f"petworks: {printable(line)}", err=True)
        return context.exit(code)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """How safe is a table about people, and how much is it still worth?

    Nothing leaves this machine. Exit code 0: everything asked for holds; 1: something does not;
    2: bad input or usage; 3: an error of the program itself.
    """
    sys.excepthook = _internal_error
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without the signs of a table still gets the table


@main.command("evaluate")
@click.argument("released")
@click.option("--original", metavar="TABLE", help="The table the release was made from.")
@click.option("--identifier", multiple=True, metavar="E,F", help="Columns of the original that were removed.")
@click.option("--hierarchies", metavar="DIR", help="Folder of files ...hierarchy_<column>.csv.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME[:parameter=value,...]",
    help="A measure and its thresholds; repeat for more. Without it, all that apply.",
)
@click.option(
    "--population",
    metavar="TABLE|NUMBER|SHARE",
    help="The people the records were drawn from: a table, how many, or the share of them in the release (0.01).",
)
@click.option(
    "--suppressed",
    type=click.Choice(TREATMENTS["suppressed"]),
    help="Records with * in every quasi-identifier: set apart (default), or one more class.",
)
@click.option(
    "--missing",
    type=click.Choice(TREATMENTS["missing"]),
    help="Missing quasi-identifiers: a value of their own (default), or their records set apart.",
)
@click.option(
    "--several-sensitive",
    type=click.Choice(TREATMENTS["several_sensitive"]),
    help="Several sensitive attributes: each alone (default), or the others known to the adversary.",
)
@table_options
def evaluate_command(
    released: str,
    measures: tuple[str, ...],
    **options: Any,
) -> None:
    """Evaluate a released table.

    RELEASED is a CSV, Parquet or Feather file, several of them ('year/*.parquet'), a table of a database
    (census.duckdb#people, postgresql://user@host/db#people) or what a Spark cluster reads (hdfs://...).
    Without --qi and --sensitive the roles come from the YAML file beside a single file. `petworks measures` lists
    the measures.

    \b
    Examples:
      petworks evaluate data/patient_anonymized.csv
      petworks evaluate released.csv --qi zip,age --sensitive disease --measure t-closeness:t=0.2
      petworks evaluate data/delta_anonymized.csv --original data/delta.csv \\
          --measure delta-presence:delta_min=1/2,delta_max=2/3 --format json -o result.json
      petworks evaluate released.csv --qi zip,age --population 23400000 \\
          --measure prosecutor-risk:cell_size=11 --measure population-uniqueness:share=0.001
      petworks evaluate 'national/*.parquet' --qi zip,age --sensitive disease --engine duckdb --memory-limit 4GB
    """
    requests = [request(text) for text in measures]
    population = population_given(options)
    output = _output(options["output"], *input_files(released, options["original"], population))
    with progress(f"evaluating {shown_name(released)}"):
        release = _release(released, options, population)
        evaluation = evaluate_all(release, requests or None)
    reasons = {name: error.reason(OPTIONS) for name, error in evaluation.reasons.items()}
    if as_json(options["output_format"], output):
        text = dumps({"petworks": __version__, **evaluation.to_dict(), "not_applicable": reasons}) + "\n"
    else:
        from PETWorks.render.text import evaluation_text

        text = evaluation_text(evaluation, reasons, details=bool(requests), **style(output))
    put_out(text, output)
    sys.exit(DOES_NOT_HOLD if evaluation.satisfied is False else HOLDS)


@main.command("attack")
@click.argument("table")
@click.option(
    "--per-record",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the risk of each record, in the order of the input, to a .csv or .parquet file.",
)
@click.option("--subsets", metavar="SIZES", help="Attack with every subset of these sizes: all, 2, 1-3 or 1,3.")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="Exit with 1 if a subset is beyond it, and list the smallest that are: highest-risk, average-risk, "
    "uniques or inference[:COLUMN], each from 0 to 1. Repeat for more.",
)
@click.option("--resume", is_flag=True, help="Go on with a run of --subsets that was interrupted.")
@table_options
def attack_command(table: str, per_record: Path | None, subsets: str | None, **options: Any) -> None:
    """Attack a table: re-identification and inference of the sensitive attributes.

    With --subsets, by adversaries who know any of the quasi-identifiers. --output FILE.csv or FILE.parquet
    then gets a row for each subset, and the answers are printed; while it runs, finished subsets are kept in
    FILE.unfinished. --per-record also tells which few attributes make a record unique.

    \b
    Examples:
      petworks attack data/patient_anonymized.csv --qi ZIPCode,Age --sensitive Disease
      petworks attack table.parquet --qi age,zip --per-record risks.csv
      petworks attack table.parquet --qi age,zip,sex,job --sensitive income --subsets all -o subsets.csv
      petworks attack table.parquet --qi age,zip,sex,job --subsets 1-3 --limit uniques=0.01 --limit highest-risk=1/5
    """
    inputs = input_files(table)
    output = _output(options["output"], *inputs)
    records = _output(per_record, *inputs)
    if records and records == output:
        raise ParameterError("--per-record and --output name the same file")
    if records and records.suffix not in SUFFIXES:
        raise ParameterError(f"--per-record writes .csv or .parquet, got {str(records)!r}")
    limits = limits_given(options["limits"])
    if subsets is None and (limits or options["resume"]):
        raise ParameterError("--limit and --resume need --subsets")
    if output and output.suffix in (".tsv", ".xlsx", ".feather", *(SUFFIXES if subsets is None else ())):
        files = ".json or text" if subsets is None else ".csv, .parquet, .json or text"
        raise ParameterError(f"--output writes {files}, got {str(options['output'])!r}")
    if options["resume"] and output is None:
        raise ParameterError("--resume needs the --output of the run that was interrupted")
    if records and options["engine"] == "auto":
        options["engine"] = "memory"
    if records and options["engine"] != "memory":
        raise ParameterError(f"--per-record needs the engine 'memory'; {options['engine']!r} keeps counts, not records")
    with progress(f"reading {shown_name(table)}"):
        release = _release(table, options)
        limits = checked_limits(limits, release.sensitive_attributes)
    tables = {}
    if records:
        from PETWorks.render.tables import per_record_file

        with progress(f"each record of {shown_name(table)}"):
            up_to = None if subsets is None else checked_sizes(subsets, len(release.quasi_identifiers))[-1]
            tables[records] = per_record_file(release, records.suffix, up_to)
    kept = None if output is None or subsets is None else output.with_name(f"{output.name}.unfinished")
    if kept in [file.resolve() for file in inputs]:
        raise ParameterError(f"finished subsets would be written to {kept.name!r}, which is an input of this run")
    found = None if subsets is None else _every_subset(release, subsets, kept, options)
    answers = {} if found is None else found.answers(limits)
    with progress(f"attacking {shown_name(table)}"):
        wanted = ["re-identification"] + (["attribute-inference"] if release.sensitive_attributes else [])
        evaluation = evaluate(release, wanted)
    destination = output
    if found is not None and output and output.suffix in SUFFIXES:
        from PETWorks.render.tables import subsets_file

        tables[output], destination, output = subsets_file(found, output.suffix), None, None
    if as_json(options["output_format"], output):
        if found is not None:
            answers["subsets"]["rows"] = found.to_dicts()
        text = dumps({"petworks": __version__, **evaluation.to_dict(), **answers}) + "\n"
    else:
        from PETWorks.render.text import attack_text

        text = attack_text(evaluation.results, answers.get("subsets"), **style(destination))
    put_out(text, output, tables, kept)
    sys.exit(DOES_NOT_HOLD if answers and answers["subsets"]["minimal_risky"] else HOLDS)


@main.command("measures")
@click.option("--format", "output_format", type=click.Choice(["table", "json"]), default="table", show_default=True)
def measures_command(output_format: str) -> None:
    """List the measures and their parameters.

    \b
    Example:
      petworks measures --format json
    """
    if output_format == "json":
        click.echo(dumps({"measures": [entry.to_dict() for entry in all_measures()]}))
    else:
        from PETWorks.render.text import measures_text

        click.echo(measures_text(all_measures(), **style(None)), nl=False)


for _command in COMMANDS:
    main.add_command(_command)


_stopped_by = [INTERRUPTED]  # the exit code; what a signal raises in the middle of a query may come out changed


def _terminated(number: int, _frame: Any) -> None:
    """Leave as if the work were done, so that temporary files are removed."""
    _stopped_by.append(128 + number)
    sys.exit(128 + number)


def _internal_error(kind: type[BaseException], _: BaseException, trace: TracebackType | None) -> None:
    """Where the program broke, without the message: it might quote a cell."""
    if len(_stopped_by) > 1:
        atexit._run_exitfuncs()
        os._exit(_stopped_by[-1])
    traceback.print_tb(trace)
    click.echo(
        f"petworks: {kind.__name__}: an error in the program itself; the lines above contain none of your data",
        err=True,
    )
    atexit._run_exitfuncs()
    os._exit(INTERNAL_ERROR)  # an exit code of 1 would mean that something does not hold


def _release(table: str, options: dict[str, Any], population: str | int | float | None = None) -> Release:
    roles: dict[str, str] = {}
    for option, role in (("qi", QUASI_IDENTIFIER), ("sensitive", SENSITIVE_ATTRIBUTE), ("identifier", IDENTIFIER)):
        for column in columns(options.get(option, ())):
            if roles.setdefault(column, role) != role:
                raise RoleError(f"column {column!r} has two roles: {roles[column]!r} and {role!r}")
    separator = "\t" if options["separator"] == r"\t" else options["separator"]

    def opened(file: Any) -> Any:
        return open_table(file, separator, options["encoding"]) if isinstance(file, str) else file

    treatment = {name: options[name] for name in (*TREATMENTS, "privacy_unit") if options.get(name) is not None}
    release = Release(
        opened(table),
        roles or None,
        options.get("hierarchies"),
        opened(options.get("original")),
        population=opened(population),
        **treatment,
        **counted_how(options),
    )
    if release.engine.note:
        click.echo(f"petworks: {release.engine.note}", err=True)
    return release


def _output(path: Path | None, *inputs: Path | None) -> Path | None:
    return None if path is None else check_writable(path, inputs)


def _every_subset(release: Release, sizes: str, kept: Path | None, options: dict[str, Any]) -> Subsets:
    """Count with progress; what is finished is kept in a file."""
    done = [0, 0]
    with counting() as advance:

        def tell(finished: int, total: int) -> None:
            done[:] = finished, total
            advance(finished, total)

        try:
            return every_subset(release, sizes, checkpoint=kept, resume=options["resume"], progress=tell)
        except KeyboardInterrupt:
            if kept is not None and done[1]:
                click.echo(
                    f"petworks: {done[0]:,} of {done[1]:,} subsets are in {str(kept)!r}; continue with --resume",
                    err=True,
                )
            raise
