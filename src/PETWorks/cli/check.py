"""The command `check`."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from PETWorks.cli.arguments import (
    FILE,
    STANDARD_OUTPUT,
    engine_settings,
    input_files,
    note,
    parse_reasons,
    reasons_options,
    report_written,
    require_memory_engine,
    shown_name,
    warn_for_insiders,
    with_engine_options,
)
from PETWorks.errors import ParameterError
from PETWorks.render.formats.formats import FILES
from PETWorks.render.language.messages import language, translated
from PETWorks.render.terminal import counting_progress, progress, text_style

if TYPE_CHECKING:
    from PETWorks.gate.case import Case
    from PETWorks.gate.policy.policy import Policy
    from PETWorks.render.check_result import Check
    from PETWorks.tables.output import Content

HTML_SUFFIXES = (".html", ".htm")


def with_format_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each format that a check can be written in."""
    for file_format in reversed(list(FILES.values())):
        check = _validate_html_path if file_format.name == "html" else None
        command = click.option(
            f"--{file_format.name}", type=FILE, metavar="FILE", help=file_format.help, callback=check
        )(command)
    return command


def _validate_html_path(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """The file of the report; raise if its suffix is that of another format."""
    if path is not None and path != STANDARD_OUTPUT and path.suffix.lower() not in HTML_SUFFIXES:
        raise ParameterError(
            "--html writes a page, so that the file must end with .html, got {given!r}; to get a PDF, print the page",
            given=path.name,
        )
    return path


@click.command("check")
@click.argument("policy", type=FILE)
@click.option("--data", metavar="TABLE", help="Check this table instead of the policy's.")
@click.option("--root", type=FILE, metavar="DIR", help="Files must be in here [default: the policy's folder].")
@click.option("--network", is_flag=True, help="Allow connections to servers that the policy names.")
@click.option(
    "--edition",
    type=click.Choice(["internal", "external", "both"]),
    default="internal",
    show_default=True,
    help="external: no cell, no class, no count below the cell size. both: FILE.external.html beside FILE.html.",
)
@click.option(
    "--as-of",
    metavar="TIME",
    help="The date of the check, by which waivers are judged: 2026-11-16 or 2026-11-16T08:00:00Z [default: now].",
)
@click.option("--salt", metavar="HEX", help="The salt of the internal edition, to repeat the external one exactly.")
@click.option(
    "--previous",
    type=FILE,
    metavar="JSON",
    help="An earlier check of which an external edition was published: warn of what the difference reveals.",
)
@click.option(
    "--evidence",
    type=FILE,
    metavar="FOLDER",
    help="A new folder: policy, plan, reports in both editions and digests, and none of the tables.",
)
@click.option(
    "--register",
    type=FILE,
    metavar="DIR",
    help="The register of releases: say which share a key or quasi-identifiers with this one, and who has them.",
)
@reasons_options("each record whose class breaks a rule")
@with_format_options
@with_engine_options
def check_command(policy: Path, **options: Any) -> None:
    """Judge a release by a policy.

    Exit code 0: every rule holds or is waived; 1: a rule does not hold, or its waiver has expired; 2: bad input, and
    nothing is written; 4: with --edition external, no rule that it shows fails, and a verdict is not shown.

    \b
    Examples:
      petworks check data/adult_policy.yaml
      petworks check policy.yaml --html report.html --json result.json
      petworks check policy.yaml --data march.csv --edition external --html for_recipients.html --lang zh-TW
      petworks check policy.yaml --junit rules.xml --markdown summary.md
      petworks check policy.yaml --register releases
      petworks check policy.yaml --reasons for_us_only.csv --below 11
      petworks check policy.yaml --evidence evidence_2026-11-16
    """
    from PETWorks.gate.check.may_go_out import EXIT_CODES
    from PETWorks.gate.document import WITHHELD
    from PETWorks.gate.policy.policy import read_policy
    from PETWorks.render.formats.evidence import evidence_files, write_evidence
    from PETWorks.render.formats.result_files import reasons_file
    from PETWorks.render.text.check_text import check_text
    from PETWorks.tables.output import Folder, check_new_folder, write_whole

    lang = language()
    wanted = {name: options[name] for name in FILES if options[name] is not None}
    printed = [name for name, path in wanted.items() if path == STANDARD_OUTPUT]
    if len(printed) > 1 or (printed and options["edition"] == "both"):
        raise ParameterError("only one result can be printed: give '-' once, and one edition")
    _, below = parse_reasons(options)
    require_memory_engine(options["reasons"], options, "--reasons")
    if options["reasons"] is not None and options["edition"] == "external":
        raise ParameterError("--reasons is for insiders; ask for it without --edition external")
    policy_read = read_policy(
        policy, options["root"], network=options["network"], unread=["data"] if options["data"] else ()
    )
    files, reasons = _files(wanted, options, policy_read)
    if options["register"] is not None:
        policy_read = replace(policy_read, register=options["register"])
    evidence = None if options["evidence"] is None else check_new_folder(options["evidence"])
    case, result = _check(policy_read, options)
    contents: dict[Path, Content] = {
        path: result.to_format(name, lang, edition).encode("utf-8", "replace") for name, edition, path in files
    }
    if reasons is not None:
        with progress("reasons"):
            contents[reasons] = reasons_file(case.reasons(below), reasons.suffix)
    if evidence is not None:
        evidence_content = evidence_files(result, policy_read, lang)
        contents[evidence] = Folder(lambda folder: write_evidence(folder, evidence_content))
    tables = (options["data"] or policy_read.data, policy_read.original, policy_read.population)
    write_whole(contents, like=[policy_read.path, *input_files(*tables)])
    document = result.file("external" if options["edition"] == "external" else "internal")
    if printed:
        click.echo(result.to_format(printed[0], lang, options["edition"]), nl=False)
    else:
        click.echo(check_text(document, **text_style(), policy=str(policy)), nl=False)
    report_written(contents)
    if reasons is not None:
        warn_for_insiders([reasons])
    if document.verdict == WITHHELD:
        note("cli.verdict-withheld")
    sys.exit(EXIT_CODES[document.verdict])


def _check(policy: "Policy", options: dict[str, Any]) -> "tuple[Case, Check]":
    """Check the release, showing the progress and notes."""
    from PETWorks.gate.case import Case
    from PETWorks.render.check_result import check_case

    counts_subsets = policy.subset_sizes is not None
    with counting_progress() if counts_subsets else progress("checking", shown_name(policy.data)) as advance:
        advance_subsets: Callable[[int, int], None] | None = advance if callable(advance) else None
        settings = {name: options[name] for name in ("data", "as_of", "salt")}
        case = Case(policy, **settings, progress=advance_subsets, **engine_settings(options))
        result = check_case(case, options["previous"])
    if result.note:
        click.echo(f"petworks: {translated(result.note)}", err=True)
    return case, result


def _files(
    wanted: dict[str, Path], options: dict[str, Any], policy: "Policy"
) -> tuple[list[tuple[str, str, Path]], Path | None]:
    """The format, edition and path of each output file, and the path of the reasons, checked before any work."""
    from PETWorks.tables.output import check_writable

    earlier_tables = [table for earlier in policy.releases.earlier for table in (earlier.data, earlier.original)]
    inputs = (
        policy.path,
        *input_files(policy.data, policy.original, options["data"], policy.population, *earlier_tables),
    )
    files = []
    for name, path in wanted.items():
        if path == STANDARD_OUTPUT:
            continue
        editions = {options["edition"]: path}
        if options["edition"] == "both":
            editions = {"internal": path, "external": path.with_name(f"{path.stem}.external{path.suffix}")}
        files += [(name, edition, check_writable(file, inputs)) for edition, file in editions.items()]
    reasons = None if options["reasons"] is None else check_writable(options["reasons"], inputs)
    targets = [path for path in (*(path for _, _, path in files), reasons) if path is not None]
    if len(set(targets)) < len(targets):
        raise ParameterError("two results would be written to the same file")
    return files, reasons
