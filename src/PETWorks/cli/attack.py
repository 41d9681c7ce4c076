"""The command `attack`."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import click

from PETWorks import __version__
from PETWorks.about.kinds import GENERALISED
from PETWorks.cli.arguments import (
    DOES_NOT_HOLD,
    FILE,
    HOLDS,
    RECORD_FILE_SUFFIXES,
    below_option,
    check_output,
    check_record_file,
    comparison_options,
    hierarchies_option,
    identifier_option,
    input_files,
    note,
    open_release,
    original_option,
    parse_below,
    parse_limits,
    parse_worth,
    require_memory_engine,
    resolve_table,
    shown_name,
    table_options,
    wants_json,
    worth_option,
    write_or_print,
)
from PETWorks.errors import Hint, NotApplicable, ParameterError, Phrase, RoleError
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import counting_progress, progress, text_style

if TYPE_CHECKING:
    from collections.abc import Callable

    from PETWorks.counting.release import Release
    from PETWorks.measures.attacks.subsets import Subsets, SubsetTable
    from PETWorks.measures.evaluation import Evaluation


SubsetsT = TypeVar("SubsetsT", bound="SubsetTable")
OTHER_TABLES = (".tsv", ".xlsx", ".feather")  # table formats that cannot be written


@click.command("attack")
@click.argument("table", required=False)
@click.option(
    "--per-record",
    type=FILE,
    metavar="OUT",
    help="Write the risk of each record, in the order of the input, to a .csv or .parquet file. It is for insiders.",
)
@below_option("--per-record")
@click.option(
    "--subsets",
    metavar="SIZES",
    help="Attack with every subset of the quasi-identifiers of these sizes: all, 2, 1-3 or 1,3.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="Highest value allowed, from 0 to 1, of highest-risk, average-risk, uniques or inference[:COLUMN]; with "
    "--worth also of gain[:COLUMN]. Exit with 1 if a subset exceeds it, and list the smallest such subsets. Repeat for "
    "more limits.",
)
@worth_option
@original_option
@identifier_option
@hierarchies_option
@comparison_options
@click.option("--resume", is_flag=True, help="Continue a run of --subsets that was interrupted.")
@table_options
def attack_command(table: str | None, **options: Any) -> None:
    """Attack a table: re-identification and inference of the sensitive attributes.

    --subsets attacks as adversaries who know only some of the quasi-identifiers. --output FILE.csv or
    FILE.parquet then gets one row per subset, and the answers are printed. During the run, finished subsets are
    kept in FILE.unfinished. With --subsets, --per-record also reports which few attributes make a record unique; with
    --below, which few it shares with too few others.

    A table that is synthetic or perturbed (--kind) is compared with its --original, and with --control people: how
    often is an adversary right who looks people up in it? Limits are then found, certain, proportional and best-guess,
    for the upper end of the excess over control people; and replicated-uniques and certain-in-both, for the share.

    \b
    Examples:
      petworks attack data/patient_anonymized.csv --qi ZIPCode,Age --sensitive Disease
      petworks attack --policy policy.yaml --subsets all
      petworks attack table.parquet --qi age,zip --sensitive disease --worth "disease:stomach cancer=10,flu=2"
      petworks attack table.parquet --qi age,zip --per-record risks.csv
      petworks attack table.parquet --qi age,zip,sex --per-record small.csv --below 11
      petworks attack table.parquet --qi age,zip,sex,job --sensitive income --subsets all -o subsets.csv
      petworks attack table.parquet --qi age,zip,sex,job --subsets 1-3 --limit uniques=0.01 --limit highest-risk=1/5
      petworks attack synthetic.csv --kind synthetic --original people.csv --control kept_aside.csv --qi age,sex \\
          --sensitive illness --subsets all --limit certain=0.09
    """
    from PETWorks.counting.view import NO_QUASI_IDENTIFIER
    from PETWorks.measures.attacks.subsets import check_limits, every_subset
    from PETWorks.measures.evaluation import evaluate_measures

    plan = Plan.from_options(resolve_table(table, options), options)
    with progress("reading", shown_name(plan.table)):
        release = open_release(plan.table, options)
        if not release.quasi_identifiers:
            raise RoleError(*NO_QUASI_IDENTIFIER)
        if release.kind != GENERALISED:
            _look_up(release, plan, options)
        limits = check_limits(plan.limits, release.sensitive_attributes, plan.worth)
    tables = {} if plan.records is None else {plan.records: _per_record_content(release, plan.records, plan)}
    subsets = None
    if plan.sizes is not None:
        subsets = _count(plan, partial(every_subset, release, worth=plan.worth), resume=options["resume"])
    answers = {} if subsets is None else subsets.answers(limits)
    with progress("attacking", shown_name(plan.table)):
        if plan.worth and not release.sensitive_attributes:
            raise NotApplicable("--worth needs a sensitive attribute", Hint.SENSITIVE_ATTRIBUTES)
        worth = {"worth": plan.worth} if plan.worth else {}
        inference = {"attribute-inference": worth} if release.sensitive_attributes else {}
        evaluation = evaluate_measures(release, {"re-identification": {}, **inference})
    output = plan.output
    if subsets is not None and output is not None and output.suffix.lower() in RECORD_FILE_SUFFIXES:
        from PETWorks.render.formats.result_files import subsets_file

        tables[output], output = subsets_file(subsets, output.suffix), None
    text = _text(evaluation, subsets, answers, output, json=wants_json(options["output_format"], output))
    write_or_print(text, output, tables, plan.unfinished)
    sys.exit(DOES_NOT_HOLD if answers and answers["subsets"]["minimal_risky"] else HOLDS)


def _look_up(release: "Release", plan: "Plan", options: dict[str, Any]) -> NoReturn:
    """Attack a table that is not generalised, print what is found, and exit."""
    from PETWorks.measures.catalogue import all_measures
    from PETWorks.measures.disclosure.subsets import look_up_subsets
    from PETWorks.measures.evaluation import evaluate_measures
    from PETWorks.render.text.measures_text import lookups_text

    for given, option in ((plan.records, "--per-record"), (plan.worth, "--worth")):
        if given:
            raise ParameterError("{option} is for generalised tables", option=option)
    measures = [entry.name for entry in all_measures() if entry.family == "disclosure"]
    if not release.sensitive_attributes:
        measures = [name for name in measures if name in ("found", "replicated-uniques", "copies")]
    evaluation = evaluate_measures(release, measures)
    answers: dict[str, Any] = {}
    tables, output = {}, plan.output
    if plan.sizes is not None:
        levels = options.get("compare_at", ())
        subsets = _count(plan, partial(look_up_subsets, release, levels=levels), resume=options["resume"])
        answers = subsets.answers(plan.limits)
        if output is not None and output.suffix.lower() in RECORD_FILE_SUFFIXES:
            from PETWorks.render.formats.result_files import subsets_file

            tables[output], output = subsets_file(subsets, output.suffix), None
    if wants_json(options["output_format"], output):
        if answers:
            answers["subsets"]["rows"] = subsets.to_dicts()
        text = dumps({"petworks": __version__, **evaluation.to_dict(), **answers}) + "\n"
    else:
        text = lookups_text(evaluation, answers.get("subsets"), **text_style(output))
    write_or_print(text, output, tables, plan.unfinished)
    sys.exit(DOES_NOT_HOLD if answers.get("satisfied") is False else HOLDS)


@dataclass(frozen=True)
class Plan:
    """The settings of an attack, checked before anything is read.

    sizes        of the subsets, as given; None: no subsets
    records      the file for the risk of each record
    below        the file contains only records in classes with fewer records than this
    unfinished   the file for finished subsets while the others are counted
    """

    table: str | Path
    sizes: str | None
    output: Path | None
    records: Path | None
    below: int | None
    unfinished: Path | None
    limits: dict[str, Any]
    worth: dict[str, Any]

    @classmethod
    def from_options(cls, table: str | Path, options: dict[str, Any]) -> Self:
        """Return the plan that the options describe; raise if they contradict each other."""
        inputs, sizes = _inputs(table, options), options["subsets"]
        output = check_output(options["output"], *inputs)
        records = check_output(options["per_record"], *inputs)
        if records and records == output:
            raise ParameterError("--per-record and --output name the same file")
        check_record_file(records, "--per-record")
        below = parse_below(options, "--per-record")
        limits = parse_limits(options["limits"])
        if sizes is None and (limits or options["resume"]):
            raise ParameterError("--limit and --resume need --subsets")
        if output and output.suffix.lower() in (*OTHER_TABLES, *(RECORD_FILE_SUFFIXES if sizes is None else ())):
            files = Phrase(".json or text") if sizes is None else Phrase(".csv, .parquet, .json or text")
            raise ParameterError("--output writes {files}, got {output!r}", files=files, output=str(options["output"]))
        if options["resume"] and output is None:
            raise ParameterError("--resume needs the --output of the run that was interrupted")
        require_memory_engine(records, options, "--per-record")
        unfinished = None if output is None or sizes is None else output.with_name(f"{output.name}.unfinished")
        if unfinished is not None and unfinished in [file.resolve() for file in inputs]:
            raise ParameterError(
                "finished subsets would be written to {unfinished!r}, which is an input of this run",
                unfinished=unfinished.name,
            )
        return cls(table, sizes, output, records, below, unfinished, limits, parse_worth(options["worths"]))


def _inputs(table: str | Path, options: dict[str, Any]) -> tuple[Path, ...]:
    """The files that are read, which must not be overwritten."""
    return input_files(table, options["policy"], options["original"], options["control"])


def _per_record_content(release: "Release", file: Path, plan: Plan) -> bytes:
    """The content of the file with the risk of each record."""
    from PETWorks.measures.attacks.subsets import parse_sizes
    from PETWorks.render.formats.result_files import per_record_file

    with progress("records", shown_name(plan.table)):
        up_to = None if plan.sizes is None else parse_sizes(plan.sizes, len(release.quasi_identifiers))[-1]
        return per_record_file(release, file.suffix, up_to, plan.below)


def _text(
    evaluation: "Evaluation", subsets: "Subsets | None", answers: dict[str, Any], output: Path | None, *, json: bool
) -> str:
    """The text to print, or to write to the output."""
    if json:
        if subsets is not None:
            answers["subsets"]["rows"] = subsets.to_dicts()
        return dumps({"petworks": __version__, **evaluation.to_dict(), **answers}) + "\n"
    from PETWorks.render.text.measures_text import attack_text

    return attack_text(evaluation.results, answers.get("subsets"), **text_style(output))


def _count(plan: Plan, count: "Callable[..., SubsetsT]", *, resume: bool) -> "SubsetsT":
    """Count the subsets and show progress; finished ones are kept in a file."""
    sizes, unfinished = str(plan.sizes), plan.unfinished
    done = [0, 0]
    with counting_progress() as advance:

        def show(finished: int, total: int) -> None:
            done[:] = finished, total
            advance(finished, total)

        try:
            return count(sizes=sizes, checkpoint=unfinished, resume=resume, progress=show)
        except KeyboardInterrupt:
            if unfinished is not None and done[1]:
                note("cli.subsets-kept", n=done[0], all=done[1], path=repr(str(unfinished)))
            raise
