"""The command `anonymize`."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from PETWorks.about.treatment import SUPPRESSED_RECORDS
from PETWorks.cli.arguments import HOLDS, STANDARD_OUTPUT, engine_options, note, report_written, shown_name
from PETWorks.cli.check import with_format_options
from PETWorks.cli.record_files import parse_reasons, reasons_options, release_reasons_files, warn_for_insiders
from PETWorks.errors import ParameterError, Phrase
from PETWorks.gate.days import today
from PETWorks.render.formats.formats import FILES, dumps
from PETWorks.render.language.messages import language
from PETWorks.render.terminal import PROGRESS_LINES, progress, search_progress, text_style

if TYPE_CHECKING:
    from PETWorks.anonymizer.anonymization import Anonymization
    from PETWorks.anonymizer.facts import AnonymizationFacts, FrontierFacts
    from PETWorks.anonymizer.frontiers import Frontier
    from PETWorks.anonymizer.plan import Plan
    from PETWorks.anonymizer.rules import Rule
    from PETWorks.anonymizer.search.exact import Progress
    from PETWorks.cli.release_files import ReleaseJob
    from PETWorks.gate.document.check_document import Notice, RuleResult
    from PETWorks.gate.policy.policy import Policy
    from PETWorks.render.check_result import Check


SEARCH_SETTINGS = ("seconds", "resume", "method")  # settings that a frontier does not have


def parse_vary(texts: tuple[str, ...]) -> dict[str, Any] | None:
    """Parse `k-anonymity:k=2,5,10` and `suppression=0,0.05` into the argument of `frontier`."""
    from PETWorks.anonymizer.frontiers import SUPPRESSION

    vary: dict[str, Any] = {}
    for text in texts:
        name, equals, values = text.rpartition("=")
        measure, colon, parameter = (part.strip() for part in name.partition(":"))
        if not equals or not measure or bool(colon) == (measure == SUPPRESSION) or measure in vary:
            raise ParameterError(
                "--vary expects MEASURE:parameter=VALUE,... or suppression=SHARE,..., each once; got {given!r}",
                given=text[:60],
            )
        value_list = [value.strip() for value in values.split(",")]
        vary[measure] = {parameter: value_list} if colon else value_list
    return vary or None


def with_thresholds(rules: "tuple[Rule, ...]", texts: tuple[str, ...]) -> "tuple[Rule, ...]":
    """The rules with other thresholds, given as `k-anonymity:k=10`."""
    from PETWorks.anonymizer.frontiers import with_threshold
    from PETWorks.measures.catalogue import find_measure

    changed = set()
    for text in texts:
        name, equals, value = text.rpartition("=")
        measure, colon, parameter = (part.strip() for part in name.partition(":"))
        if not equals or not colon or not measure or not parameter:
            raise ParameterError("--threshold expects MEASURE:parameter=VALUE, got {given!r}", given=text[:60])
        if (measure, parameter) in changed:
            raise ParameterError(
                "--threshold gives {metric}:{parameter} twice; each threshold has one value",
                metric=measure,
                parameter=parameter,
            )
        changed.add((measure, parameter))
        rules = with_threshold(rules, find_measure(measure).name, parameter, value.strip())
    return rules


def compute_frontier(
    job: "ReleaseJob", options: Mapping[str, Any], vary: Mapping[str, Any] | None, report: "Callable[[Progress], None]"
) -> "Frontier":
    """Compute the frontier of a table and its rules."""
    from PETWorks.anonymizer.frontiers import find_frontier
    from PETWorks.gate.anonymising import frontier_by_policy

    settings = {name: value for name, value in options.items() if value is not None and name not in SEARCH_SETTINGS}
    if job.policy is not None:
        return frontier_by_policy(job.policy, job.release, job.rules, settings, vary, report)
    return find_frontier(job.release, job.rules, vary, **settings, progress=report)


def show_frontier(table: str, frontier: "Frontier", options: Mapping[str, Any]) -> None:
    """Print the points, and the command that makes a release at one of them."""
    facts = frontier.facts
    if options["output_format"] == "json":
        click.echo(dumps({"frontier": facts.to_dict()}))
        return
    from PETWorks.render.text.anonymization_text import frontier_text

    click.echo(frontier_text(shown_name(table), facts, **text_style(None)), nl=False)
    if facts.points:
        note("cli.of-the-frontier", command=_release_options_of(facts))


def _release_options_of(facts: "FrontierFacts") -> str:
    """The options for a release at the rules' own thresholds, or at the strictest point if that is not possible."""
    is_possible = facts.best_point(facts.threshold, facts.suppression) is not None
    point = facts if is_possible else facts.points[-1]
    threshold = "" if facts.measure is None else f" --threshold {facts.measure}:{facts.parameter}={point.threshold}"
    return f"-o released.csv{threshold} --suppression {point.suppression}"


FILE = click.Path(path_type=Path)


def release_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that `anonymize` and `apply` share."""
    option = click.option
    options = [
        option("-o", "--output", type=FILE, help="The release: .csv, .parquet or .feather."),
        option(
            "--measure",
            "measures",
            multiple=True,
            metavar="NAME[:parameter=value,...]",
            help="A rule, for a table without a policy; repeat for more.",
        ),
        option("--qi", multiple=True, metavar="A,B", help="Quasi-identifiers: what an adversary may know."),
        option("--sensitive", multiple=True, metavar="C,D", help="Sensitive attributes: what must not be learnt."),
        option("--identifier", multiple=True, metavar="E,F", help="Direct identifiers: they are left out."),
        option("--insensitive", multiple=True, metavar="G,H", help="Columns that may stay as they are."),
        option(
            "--role-reason",
            "role_reasons",
            multiple=True,
            metavar="COLUMN=TEXT",
            help="Why a column has its role although its name or values speak against it.",
        ),
        option(
            "--protect",
            multiple=True,
            metavar="COLUMN=HOW",
            help="Coarser values of a sensitive or insensitive column: cost=round:1000,top:250000 or day=dates:month.",
        ),
        option("--spreadsheet-safe", is_flag=True,
               help="Write an apostrophe before cells that a spreadsheet takes for formulas; numbers stay."),
        option("--privacy-unit", metavar="COLUMN", help="Names the person; several records of a person count once."),
        option(
            "--no-privacy-unit",
            multiple=True,
            metavar="COLUMN=TEXT",
            help="Why a column that repeats does not name the people the table is about.",
        ),
        option("--hierarchies", metavar="DIR", help="Folder of files ...hierarchy_<column>.csv."),
        option("--original", metavar="TABLE", help="The table that measures compare with [default: the table itself]."),
        option("--population", metavar="TABLE|NUMBER|SHARE", help="The population of the records."),
        option("--separator", metavar="CHAR", help="Separator of the CSV files; detected by default."),
        option("--encoding", metavar="NAME", help="Encoding of the CSV files; detected by default."),
        option("--root", type=FILE, metavar="DIR", help="Files of the policy must be in here."),
        option("--network", is_flag=True, help="Allow connections to servers that the policy names."),
        option("--suppressed-records", type=click.Choice(SUPPRESSED_RECORDS),
               help="Whether suppressed records leave the table, or stay with * [default: remove]."),
        option("--shuffle/--keep-order", default=None,
               help="Whether the records are in random order [default: yes, if they are read into memory]."),
        option("--seed", metavar="NUMBER", help="The seed of an earlier run, for the same random order."),
        *engine_options(),
        option("--format", "output_format", type=click.Choice(["table", "json"]), default="table", show_default=True,
               help="How to print."),
    ]  # fmt: skip
    for add in reversed(options):
        command = add(command)
    return command


@click.command("anonymize")
@click.argument("table", metavar="POLICY|DATA")
@release_options
@click.option("--suppression", metavar="SHARE", help="The share of records that may be suppressed, from 0 to 1.")
@click.option("--objective", metavar="NAME", help="What is to be small [default: granularity].")
@click.option("--aggregate", metavar="NAME", help="Of granularity: geometric, arithmetic, sum, maximum.")
@click.option("--weight", "weights", multiple=True, metavar="COLUMN=NUMBER", help="The importance of a column.")
@click.option("--level", "levels", multiple=True, metavar="COLUMN=N|N-M", help="A level, or the lowest and highest.")
@click.option("--local", is_flag=True, help="Each record on levels of its own: far less is lost.")
@click.option(
    "--time", metavar="SECONDS", help="Stop searching after this time: 90, 10m or 2h; the best so far is written."
)
@click.option("--resume", is_flag=True, help="Go on with a search that was stopped.")
@click.option(
    "--frontier", is_flag=True, help="Also show what other thresholds and limits would cost; without -o only that."
)
@click.option(
    "--vary", multiple=True, metavar="WHAT=VALUES", help="With --frontier: k-anonymity:k=2,5,10 or suppression=0,0.05."
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="MEASURE:parameter=VALUE",
    help="Another threshold than that of the rules.",
)
@click.option(
    "--explain", is_flag=True, help="Also show each column before and after, next-best levels, what each rule costs."
)
@reasons_options("each suppressed record")
@with_format_options
def anonymize_command(table: str, output: Path | None, **options: Any) -> None:
    """Make the best release of a table that keeps the rules, and prove that there is no better one.

    Generalises the quasi-identifiers, suppresses records where that costs less, leaves out direct identifiers. Beside
    the release come its hierarchies, a policy for `petworks check`, and a plan with which `petworks apply` recodes
    other tables in the same way. Exit code 0: the release keeps every rule of the policy; 1: it does not; 2: bad
    input, and nothing is written.

    Ctrl-C or --time ends the search: the best release so far is written, with what it may lose more than the best
    one, and the exit code is 0 or 1. What was found is kept in OUTPUT.unfinished, for --resume.

    \b
    Examples:
      petworks anonymize patients_policy.yaml -o released.csv --html report.html
      petworks anonymize patients_policy.yaml -o released.parquet --suppression 0.02 --level age=1-2
      petworks anonymize wide_policy.yaml -o released.csv --time 10m
      petworks anonymize patients_policy.yaml --frontier --vary k-anonymity:k=3,5,11 --vary suppression=0,0.05
      petworks anonymize patients_policy.yaml -o released.csv --threshold k-anonymity:k=11
      petworks anonymize patients_policy.yaml -o released.csv --reasons for_us_only.csv
      petworks anonymize national_policy.yaml -o released.parquet --engine duckdb --memory-limit 2GB
      petworks anonymize patients.csv --qi age,zip,ward --sensitive diagnosis --identifier name \\
          --hierarchies levels --measure k-anonymity:k=5 --measure l-diversity:l=2 -o released.csv
    """
    from PETWorks.anonymizer.facts import table_state
    from PETWorks.anonymizer.problem import complete_hierarchies
    from PETWorks.cli.release_files import (
        check_paths,
        check_seed,
        exit_by_verdict,
        open_job,
        record_order,
        staging_release,
        tell_two_levels,
    )
    from PETWorks.gate.anonymising import waived_rules
    from PETWorks.gate.check.may_go_out import is_passing
    from PETWorks.gate.check.notices import find_notices, suppression_notices
    from PETWorks.gate.document.check_document import combine_verdicts
    from PETWorks.gate.plans import complete_plan

    lang = language()
    wanted = {name: options[name] for name in FILES if options[name] is not None}
    printed = [name for name, path in wanted.items() if path == STANDARD_OUTPUT]
    if len(printed) > 1 or (printed and options["output_format"] == "json"):
        raise ParameterError("only one result can be printed: give '-' once, without --format json")
    reports = {name: path for name, path in wanted.items() if name not in printed}
    settings = {
        "suppression": _share(options["suppression"]),
        "suppressed_records": options["suppressed_records"],
        "objective": options["objective"],
        "aggregate": options["aggregate"],
        "weights": parse_by_column(options["weights"], "--weight", _weight) or None,
        "levels": parse_by_column(options["levels"], "--level", _bounds) or None,
        "method": "local" if options["local"] else None,
        "seconds": _seconds(options["time"]),
    }
    check_seed(options)
    vary = parse_vary(options["vary"])
    if vary is not None and not options["frontier"]:
        raise ParameterError("--vary is for --frontier")
    reasons_files, below = parse_reasons(options)
    if output is None and (wanted or reasons_files or not options["frontier"]):
        raise ParameterError("-o names the file of the release; only --frontier without a report does without it")
    release_only = [name for name in ("time", "resume", "explain", "shuffle", "seed") if options[name]]
    if output is None and release_only:
        raise ParameterError(
            "--{option} is for a release, and -o names none; a frontier is always complete",
            option=release_only[0],
        )
    job = open_job(table, options)
    complete_hierarchies(job.release, job.release.quasi_identifiers)
    tell_two_levels(job.release)
    job = replace(job, rules=with_thresholds(job.rules, options["thresholds"]))
    frontier = None
    if options["frontier"]:
        with search_progress() as report:
            frontier = compute_frontier(job, settings, vary, report)
        in_policy = None if job.policy is None else job.policy.anonymize.get("method")
        if "local" in (settings["method"], in_policy):
            note("cli.frontier-not-local")
    if output is None:
        assert frontier is not None
        show_frontier(table, frontier, options)
        sys.exit(HOLDS)
    paths = check_paths(output, job, options, [*reports.values(), *reasons_files])
    order = record_order(job.release, job.rules, job.policy, options)
    unfinished = _unfinished(paths.release, [*reports.values(), *reasons_files], resume=options["resume"])
    settings["resume"] = unfinished if options["resume"] else None
    with search_progress() as report, _interruptible():
        result = _anonymize(job, settings, report)
    if not result.is_complete:
        result.write_unfinished(unfinished)  # first, as the search may have taken hours and the next steps may fail
        note("cli.stopped")
        note("cli.search-kept", path=repr(unfinished.name))
    explanation = None
    if result.optimal and (options["explain"] or wanted):
        try:
            with progress("explaining", shown_name(paths.release)), _interruptible():
                explanation = result.explain()
        except KeyboardInterrupt:  # explaining takes further searches; the release is useful without it
            note("cli.not-explained")
    beside = release_reasons_files(result, reasons_files, below)
    with progress("measuring", shown_name(table)):
        before = table_state(job.release)

    def plan(target: Path, hierarchies: Mapping[str, Path]) -> "Plan":
        return complete_plan(result, job.content, job.policy, target, hierarchies)

    with staging_release(result, job, paths, options, order, plan, beside) as staged:
        policy, release, rules = staged.policy, staged.release, staged.rules
        waived = waived_rules(policy, today())
        points = None if frontier is None else frontier.facts
        facts = result.facts(before, release, explanation, waived, points, shuffled=order.shuffled)
        columns, notices = find_notices(release, policy, rules)
        suppression = tuple(suppression_notices(result, rules))
        findings = (columns, (*suppression, *notices))
        checked = _check(policy, facts, suppression, {**job.judged_how(options), **staged.people}) if wanted else None
        if checked is not None:
            staged.files.write(
                {path: checked.to_format(name, lang).encode("utf-8", "replace") for name, path in reports.items()}
            )
    if checked is not None and printed:
        click.echo(checked.to_format(printed[0], lang), nl=False)
    else:
        _print_result(facts, rules, findings, paths.release, policy, options)
    report_written([*paths.written, paths.plan, *reports.values(), *beside])
    warn_for_insiders(beside)
    if result.is_complete:
        unfinished.unlink(missing_ok=True)
    exit_by_verdict(is_passing(combine_verdicts([rule.verdict for rule in rules])), paths.release)


def _unfinished(release: Path, outputs: Iterable[Path], *, resume: bool) -> Path:
    """The file for the state of an interrupted search; raise if its existence contradicts --resume."""
    path = release.with_name(f"{release.name}.unfinished")
    if path in [output.resolve() for output in outputs]:
        raise ParameterError(
            "{file!r} is the file for a search that is stopped; give the report another name", file=path.name
        )
    if resume and not path.exists():
        raise ParameterError(
            "--resume needs the file of a search that was stopped, and there is no {path!r}", path=str(path)
        )
    if not resume and path.exists():
        raise ParameterError(
            "{path!r} is the file of a search that was stopped: go on with it by --resume, or remove it to start over",
            path=str(path),
        )
    return path


@contextmanager
def _interruptible() -> Iterator[None]:
    """While open, Ctrl-C ends the search and not the program, so that the exit code is that of the verdict."""
    stop = (
        getattr(signal, "SIGBREAK", signal.SIGINT) if PROGRESS_LINES in os.environ else signal.SIGINT
    )  # sent by the page
    before = signal.getsignal(stop)
    if before != signal.SIG_IGN or PROGRESS_LINES in os.environ:  # the parent process may have ignored it
        signal.signal(stop, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(stop, before)


def _check(
    policy: "Policy", facts: "AnonymizationFacts", notices: "tuple[Notice, ...]", engine_settings: dict[str, Any]
) -> "Check":
    """The check of a release, with the facts about how it was made."""
    from msgspec import structs

    from PETWorks.gate.check.verdict import judge
    from PETWorks.render.check_result import Check

    content, engine_note = judge(policy, **engine_settings)
    content = structs.replace(content, anonymization=facts, notices=(*notices, *content.notices))
    return Check(content, engine_note)


def _anonymize(job: "ReleaseJob", options: dict[str, Any], report: "Callable[[Progress], None]") -> "Anonymization":
    from PETWorks.anonymizer.anonymization import anonymize_release
    from PETWorks.gate.anonymising import anonymize_by_policy

    if job.policy is not None:
        return anonymize_by_policy(job.policy, job.release, job.rules, options, report)
    settings = {name: value for name, value in options.items() if value is not None}
    return anonymize_release(job.release, job.rules, **settings, progress=report)


def _print_result(
    facts: "AnonymizationFacts",
    rules: "tuple[RuleResult, ...]",
    findings: "tuple[tuple[str, ...], tuple[Notice, ...]]",
    target: Path,
    policy: "Policy",
    options: dict[str, Any],
) -> None:
    if options["output_format"] == "json":
        content = {"release": target.name, "policy": policy.path.name, "anonymization": facts.to_dict()}
        extra = {"columns_to_look_at": findings[0], "notices": [notice.to_dict() for notice in findings[1]]}
        click.echo(dumps({**content, "rules": verdicts(rules), **extra}))
        return
    from PETWorks.render.text.anonymization_text import anonymization_text

    style_options = {"detailed": options["explain"], **text_style(None)}
    click.echo(anonymization_text(target.name, facts, rules, *findings, **style_options), nl=False)


def verdicts(rules: "tuple[RuleResult, ...]") -> list[dict[str, Any]]:
    """The verdict of each rule, for JSON."""
    return [{"rule": rule.name, "verdict": rule.verdict, "value": rule.value} for rule in rules]


def _seconds(text: str | None) -> float | None:
    """Parse a time such as 90, 90s, 10m or 2h; the result is in seconds."""
    from PETWorks.gate.anonymising import parse_seconds

    seconds = None if text is None else parse_seconds(text)
    if text is not None and seconds is None:
        raise ParameterError("--time expects a time such as 90, 10m or 2h, got {given!r}", given=text[:40])
    return seconds


def _share(text: str | None) -> float | None:
    from PETWorks.measures.parameters import parse_number

    number = None if text is None else parse_number(text)
    if text is not None and number is None:
        raise ParameterError(
            "--suppression expects a share of the records, 0 to 1 (5 % is 0.05), got {given!r}", given=text[:40]
        )
    return number


def parse_by_column(texts: Iterable[str], option: str, read: Callable[[str], Any]) -> dict[str, Any]:
    """Parse `COLUMN=VALUE` texts, each column once; `read` returns None for an invalid value."""
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        column, parsed = name.strip(), read(value.strip())
        if not equals or not column or parsed is None:
            expected = {
                "--weight": Phrase("COLUMN=NUMBER"),
                "--level": Phrase("COLUMN=N or COLUMN=N-M, with levels from 0 on"),
            }.get(option, Phrase("COLUMN=N, with levels from 0 on"))
            raise ParameterError(
                "{option} expects {expected}; got {given!r}", option=option, expected=expected, given=text[:60]
            )
        if column in values:
            raise ParameterError(
                "{option} gives the column {column!r} twice; once is enough", option=option, column=column
            )
        values[column] = parsed
    return values


def _weight(text: str) -> float | None:
    from PETWorks.measures.parameters import parse_number

    return parse_number(text)


def parse_level(text: str) -> int | None:
    """Parse a level; None if the text is not one."""
    return int(text) if text.isdecimal() and len(text) <= 6 else None


def _bounds(text: str) -> int | tuple[int, int] | None:
    low, dash, high = text.partition("-")
    lowest, highest = parse_level(low), parse_level(high) if dash else None
    if not dash:
        return lowest
    return None if lowest is None or highest is None else (lowest, highest)
