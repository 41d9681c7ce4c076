"""The command `anonymize`."""

import os
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from PETWorks.about.treatment import COLUMN_KEYS, INTERVAL, SHOWN, SUPPRESSED_RECORDS
from PETWorks.cli.arguments import (
    DOES_NOT_HOLD,
    FILE,
    HOLDS,
    POLICY_SUFFIXES,
    ROLE_OPTIONS,
    STANDARD_OUTPUT,
    add_options,
    engine_options,
    engine_settings,
    format_option,
    note,
    open_release,
    parse_measure,
    parse_population,
    parse_reasons,
    reasons_options,
    report_written,
    sample_options,
    shown_name,
    shown_path,
    warn_for_insiders,
)
from PETWorks.cli.check import with_format_options
from PETWorks.errors import ParameterError, Phrase, RoleError, quoted
from PETWorks.render.formats.formats import FILES, dumps
from PETWorks.render.language.messages import language, translated
from PETWorks.render.terminal import PROGRESS_LINES, progress, search_progress, text_style

if TYPE_CHECKING:
    from PETWorks.anonymizer.anonymization import Anonymization
    from PETWorks.anonymizer.anonymization_facts import AnonymizationFacts, FrontierFacts
    from PETWorks.anonymizer.explanation import Explanation
    from PETWorks.anonymizer.frontier import Frontier
    from PETWorks.anonymizer.plan import Plan
    from PETWorks.anonymizer.released import Recoded, RecordOrder
    from PETWorks.anonymizer.rules import Rule
    from PETWorks.anonymizer.search.exact import Progress
    from PETWorks.counting.release import Release
    from PETWorks.gate.case import Case
    from PETWorks.gate.document import Notice, RuleResult
    from PETWorks.gate.release_files import ReleaseFiles
    from PETWorks.gate.staged_release import ReleaseJob, StagedRelease
    from PETWorks.measures.utility.models import ModelResult
    from PETWorks.render.check_result import Check


NOT_OF_FRONTIER = ("resume", "show")  # settings that a frontier does not have


def parse_vary(texts: tuple[str, ...]) -> dict[str, Any] | None:
    """Parse `k-anonymity:k=2,5,10` and `suppression=0,0.05` into the argument of `frontier`."""
    from PETWorks.anonymizer.frontier import SUPPRESSION

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
    from PETWorks.anonymizer.frontier import with_threshold
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
    from PETWorks.anonymizer.frontier import find_frontier
    from PETWorks.anonymizer.problem import METHODS
    from PETWorks.gate.anonymising import frontier_by_policy

    settings = {name: value for name, value in options.items() if value is not None and name not in NOT_OF_FRONTIER}
    if job.policy is not None:
        return frontier_by_policy(job.policy, job.release, job.rules, settings, vary, report)
    return find_frontier(job.release, job.rules, vary, **{"method": METHODS[0], **settings}, progress=report)


def show_frontier(table: str, frontier: "Frontier", options: Mapping[str, Any]) -> None:
    """Print the points, and the command that makes a release at one of them."""
    facts = frontier.facts
    if options["output_format"] == "json":
        click.echo(dumps({"frontier": facts.to_dict()}))
        return
    from PETWorks.render.text.anonymization_text import frontier_text

    click.echo(frontier_text(shown_name(table), facts, **text_style()), nl=False)
    if facts.points:
        note("cli.of-the-frontier", command=_release_options_of(facts))


def _release_options_of(facts: "FrontierFacts") -> str:
    """The options for a release at the rules' own thresholds, or at the strictest point if that is not possible."""
    is_possible = facts.best_point(facts.threshold, facts.suppression) is not None
    point = facts if is_possible else facts.points[-1]
    threshold = "" if facts.measure is None else f" --threshold {facts.measure}:{facts.parameter}={point.threshold}"
    return f"-o released.csv --{facts.method}{threshold} --suppression {point.suppression}"


def release_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that `anonymize` and `apply` share."""
    option = click.option
    options = [
        option("-o", "--output", type=FILE, help="The release: .csv, .xlsx, .parquet or .feather."),
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
            help="Coarser values of a sensitive or insensitive column: cost=round:1000,top:250000, day=dates:month or "
            "wage=groups_of:11.",
        ),
        option("--spreadsheet-safe", is_flag=True,
               help="Write an apostrophe before cells that a spreadsheet takes for formulas; numbers stay."),
        option("--privacy-unit", metavar="COLUMN", help="Names the person; several records of a person count once."),
        *sample_options(),
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
        format_option,
    ]  # fmt: skip
    return add_options(command, options)


TABLE_OPTIONS = (
    *COLUMN_KEYS,
    "protect",
    "hierarchies",
    "original",
    "population",
    "role_reasons",
    "no_privacy_unit",
)  # options that cannot be combined with a policy


# The key of a policy for each option of a table that is called differently there.
POLICY_KEYS = {
    "measure": "rules",
    "protect": "anonymize: protect",
    "qi": "roles: quasi_identifiers",
    "sensitive": "roles: sensitive_attributes",
    "identifier": "roles: identifiers",
    "insensitive": "roles: insensitive_attributes",
}


def record_order(job: "ReleaseJob", options: dict[str, Any]) -> "RecordOrder":
    """The order of the records by options and policy."""
    from PETWorks.anonymizer.released import parse_seed

    return job.order(options["shuffle"], None if options["seed"] is None else parse_seed(options["seed"]))


def check_seed(options: dict[str, Any]) -> None:
    """Raise if the seed is malformed, or given without shuffling."""
    from PETWorks.anonymizer.released import parse_seed

    seed = options["seed"]
    if seed is not None and options["shuffle"] is False:
        raise ParameterError("--seed is for records in random order, so it cannot be combined with --keep-order")
    if seed is not None and parse_seed(seed) is None:
        raise ParameterError("--seed expects a whole number, got {given!r}", given=seed[:40])


def open_job(table: str, options: dict[str, Any]) -> "ReleaseJob":
    """Open the table that a policy or options describe; until the command ends, each of its files is read once."""
    from PETWorks.tables.files import FilesRead

    click.get_current_context().with_resource(FilesRead().shared())
    return (_job_by_policy if Path(table).suffix.lower() in POLICY_SUFFIXES else _job_by_options)(table, options)


def _job_by_policy(table: str, options: dict[str, Any]) -> "ReleaseJob":
    from PETWorks.gate.anonymising import search_rules
    from PETWorks.gate.policy.policy import read_policy
    from PETWorks.gate.policy.policy_rules import today
    from PETWorks.gate.staged_release import ReleaseJob

    table_options = {"measures": "measure"} | {name: name for name in (*ROLE_OPTIONS, *TABLE_OPTIONS)}
    unexpected = [option for name, option in table_options.items() if options[name]]
    if unexpected:
        raise ParameterError(
            "--{option} is for a table without a policy; write it in the policy, under {key}",
            option=unexpected[0].replace("_", "-"),
            key=POLICY_KEYS.get(unexpected[0], unexpected[0]),
        )
    policy = read_policy(table, options["root"], network=options["network"])
    with progress("reading", shown_name(policy.data)):
        release = policy.release(protect=True, **engine_settings(options))
    if release.engine.note:
        click.echo(f"petworks: {translated(release.engine.note)}", err=True)
    _check_engine(release, options)
    rules = with_thresholds(search_rules(policy, today()), options.get("thresholds", ()))
    return ReleaseJob.by_policy(policy, release, rules, safe_cells=options["spreadsheet_safe"])


def _job_by_options(table: str, options: dict[str, Any]) -> "ReleaseJob":
    from PETWorks.about.treatment import CAREFUL
    from PETWorks.anonymizer.rules import MeasureRule
    from PETWorks.gate.policy.policy import describe_release, rule_entries
    from PETWorks.gate.release_files import FilesToKeep
    from PETWorks.gate.staged_release import ReleaseJob, companion_files
    from PETWorks.tables.opening import is_address

    if not options["measures"]:
        raise ParameterError(
            "name a rule with --measure, such as --measure k-anonymity:k=5; or name a policy (petworks init writes one)"
        )
    measures = [parse_measure(text) for text in options["measures"]]
    with progress("reading", shown_name(table)):
        release = open_release(table, {**CAREFUL, **options}, parse_population(options))
    _check_engine(release, options)
    _check_roles(release)
    reasons = {
        "role_reasons": _reasons("role-reason", options["role_reasons"], release.roles),
        "no_privacy_unit": _reasons("no-privacy-unit", options["no_privacy_unit"], release.roles),
    }
    content: dict[str, Any] = {
        "petworks_policy": 1,
        "data": table if is_address(table) else Path(table),
        **describe_release(release),
    }
    for key in ("original", "population", "separator", "encoding"):
        if options[key] is not None:
            is_file = key == "original" and not is_address(options[key])
            content[key] = Path(options[key]) if is_file else options[key]
    if isinstance(parse_population(options), str):
        content["population"] = Path(options["population"])
    content |= {key: given for key, given in reasons.items() if given}
    rules = tuple(MeasureRule(metric, parameters) for metric, parameters in measures)
    content["rules"] = list(rule_entries(rules))
    tables = (table, options["original"], options["population"])
    hierarchies = None if options["hierarchies"] is None else Path(options["hierarchies"])
    inputs = FilesToKeep.of(tables, companion_files(release, hierarchies))
    demanded = with_thresholds(rules, options.get("thresholds", ()))
    job = ReleaseJob(release, demanded, content, None, inputs, options["spreadsheet_safe"])
    if job.needs_original and is_address(content.get("original", table)) and not options["network"]:
        raise ParameterError("a rule compares with the original, which is on a server: allow that with --network")
    return job


def _reasons(option: str, texts: Iterable[str], columns: Collection[str]) -> dict[str, str]:
    """Parse reasons about columns, each as COLUMN=TEXT."""
    from PETWorks.about.treatment import is_legible

    reasons = {}
    for text in texts:
        column, _, reason = (part.strip() for part in text.partition("="))
        if column not in columns or not is_legible(reason):
            raise ParameterError(
                "--{option} expects COLUMN=TEXT, with a column that has a role and a "
                "text with a letter or digit that can be seen; got {given!r}",
                option=option,
                given=text[:60],
            )
        reasons[column] = reason
    return reasons


def _check_engine(release: "Release", options: dict[str, Any]) -> None:
    """Raise if the engine cannot write a file that the options ask for."""
    from PETWorks.gate.staged_release import check_engine

    check_engine(release)
    if release.engine.name != "memory" and options.get("reasons") is not None:
        raise ParameterError(
            "{option} needs the engine 'memory'; {engine!r} keeps counts, not records",
            option="--reasons",
            engine=release.engine.name,
        )


def _check_roles(release: "Release") -> None:
    """Raise if a column has no role."""
    from PETWorks.gate.policy.policy import columns_without_role

    without = columns_without_role(release)
    if without:
        raise RoleError(
            "columns without a role: {without}; name them with --identifier (they are left "
            "out), --insensitive (they stay as they are), --qi or --sensitive",
            without=quoted(without),
        )


def check_paths(output: Path, job: "ReleaseJob", reports: Collection[Path] = ()) -> "ReleaseFiles":
    """The release and all its files; raise if one of them cannot be written.

    Until the command ends, no other run can write a release with the same files.
    """
    click.get_current_context().with_resource(job.lock(output))
    return job.files(output, reports)


def tell_two_levels(release: "Release") -> None:
    """Say which columns have no hierarchy, so that their values stay or become `*`."""
    from PETWorks.render.report.making import two_levels_texts

    for text in two_levels_texts(release, language()):
        click.echo(f"petworks: {text}", err=True)


@contextmanager
def staging_with_notes(
    result: "Recoded",
    job: "ReleaseJob",
    paths: "ReleaseFiles",
    order: "RecordOrder",
    plan: "Callable[[Path, Mapping[str, Path]], Plan]",
    options: dict[str, Any],
    other_files: Mapping[Path, bytes] | None = None,
) -> "Iterator[StagedRelease]":
    """Write and judge a release, show the progress, and say afterwards what its makers have to know."""
    from PETWorks.gate.staged_release import staging_release
    from PETWorks.render.report.making import why_in_order
    from PETWorks.render.report.prose import comment_translators

    with staging_release(
        *(result, job, paths, order, plan, other_files),
        network=options["network"],
        say=comment_translators(language())["say"],
        step=lambda step: progress(step, shown_name(paths.release)),
        **engine_settings(options),
    ) as staged:
        yield staged
    if staged.root is not None:
        note("cli.outside", path=shown_path(staged.root))
    if order.shuffled:
        note("cli.shuffled", path=shown_path(paths.policy))
    elif order.why_not is not None:
        note("cli.in-order", why=why_in_order(order, language()))
    if staged.replaces:
        note("cli.replaced", path=shown_path(paths.release))
    if job.release.privacy_unit is not None:
        note("cli.unit-kept" if staged.keeps_unit else "cli.unit-dropped", column=repr(job.release.privacy_unit))


def exit_by_verdict(holds: bool, release: Path) -> NoReturn:
    """End the command; a last line warns if the release may not be handed out."""
    if not holds:
        note("cli.do-not-release", path=shown_path(release))
    sys.exit(HOLDS if holds else DOES_NOT_HOLD)


@click.command("anonymize")
@click.argument("table", metavar="POLICY|DATA")
@release_options
@click.option("--suppression", metavar="SHARE", help="The share of records that may be suppressed, from 0 to 1.")
@click.option("--objective", metavar="NAME", help="What is to be small [default: granularity].")
@click.option("--aggregate", metavar="NAME", help="Of granularity: geometric, arithmetic, sum, maximum.")
@click.option("--weight", "weights", multiple=True, metavar="COLUMN=NUMBER", help="The importance of a column.")
@click.option("--level", "levels", multiple=True, metavar="COLUMN=N|N-M", help="A level, or the lowest and highest.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column of which something must be left, at any cost.")
@click.option(
    "--may-lose",
    multiple=True,
    metavar="COLUMN|all",
    help="A column of which nothing need be left. Others are kept if that costs at most a quarter more loss.",
)
@click.option(
    "--local/--global",
    default=None,
    help="Record by record, which keeps more, or one level per column [default: --local].",
)
@click.option(
    "--show",
    multiple=True,
    metavar="[COLUMN=]WAY",
    help="What the records of a class show of a number or a date: mean, median or interval; `interval` alone is for "
    "all columns [default: with --local, the mean or median].",
)
@click.option(
    "--time", metavar="TIME", help="Stop searching after this time: 90, 10m or 2h; the best so far is written."
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
    """Make the release of a table that keeps the rules and loses least.

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
      petworks anonymize patients_policy.yaml -o released.xlsx --global --keep age --may-lose zip
      petworks anonymize wide_policy.yaml -o released.csv --time 10m
      petworks anonymize patients_policy.yaml --frontier --vary k-anonymity:k=3,5,11 --vary suppression=0,0.05
      petworks anonymize patients_policy.yaml -o released.csv --threshold k-anonymity:k=11
      petworks anonymize patients_policy.yaml -o released.csv --reasons for_us_only.csv
      petworks anonymize national_policy.yaml -o released.parquet --engine duckdb --memory-limit 2GB
      petworks anonymize patients.csv --qi age,zip,ward --sensitive diagnosis --identifier name \\
          --hierarchies levels --measure k-anonymity:k=5 --measure l-diversity:l=2 -o released.csv
    """
    from PETWorks.anonymizer.anonymization_facts import table_state
    from PETWorks.anonymizer.problem import complete_hierarchies
    from PETWorks.gate.anonymising import waived_rules
    from PETWorks.gate.check.may_go_out import is_passing
    from PETWorks.gate.document import combine_verdicts
    from PETWorks.gate.plans import complete_plan
    from PETWorks.gate.policy.policy_rules import today
    from PETWorks.render.formats.result_files import reasons_file

    reports = Reports.of(options)
    settings = _search_settings(options)
    check_seed(options)
    vary = parse_vary(options["vary"])
    reasons_files, below = parse_reasons(options)
    _check_output(output, options, has_reports=bool(reports or reasons_files))
    job = open_job(table, options)
    complete_hierarchies(job.release, job.release.quasi_identifiers)
    tell_two_levels(job.release)
    frontier = None
    if options["frontier"]:
        with search_progress() as report:
            frontier = compute_frontier(job, settings, vary, report)
    if output is None:
        assert frontier is not None
        show_frontier(table, frontier, options)
        sys.exit(HOLDS)
    other_outputs = [*reports.files.values(), *reasons_files]
    paths = check_paths(output, job, other_outputs)
    order = record_order(job, options)
    unfinished = _unfinished(paths, other_outputs, resume=options["resume"])
    settings["resume"] = unfinished if options["resume"] else None
    result = _search(job, settings, unfinished)
    explanation = _explain(result, paths) if result.optimal and (options["explain"] or reports) else None
    with progress("reasons"):
        reasons = {
            file.resolve(): reasons_file(result.reasons_per_record(below), file.suffix) for file in reasons_files
        }
    with progress("measuring", shown_name(table)):
        before = table_state(result.original)

    def plan(target: Path, hierarchies: Mapping[str, Path]) -> "Plan":
        return complete_plan(result, job.content, job.policy, target, hierarchies)

    with staging_with_notes(result, job, paths, order, plan, options, reasons) as staged:
        case, rules = staged.case, staged.case.rules
        waived = waived_rules(case.policy, today())
        points = None if frontier is None else frontier.facts
        facts = result.facts(before, case.release, explanation, waived, points, shuffled=order.shuffled)
        findings = (case.columns_to_look_at, case.notices_of_release)
        models = case.models
        checked = reports.write(staged, facts)
    if not reports.show(checked):
        _print_result(facts, models, rules, findings, paths, options)
    report_written([*paths.written, paths.plan, *reports.files.values(), *reasons])
    warn_for_insiders(reasons)
    if result.is_complete:
        unfinished.unlink(missing_ok=True)
    exit_by_verdict(is_passing(combine_verdicts([rule.verdict for rule in rules])), paths.release)


def _search(job: "ReleaseJob", settings: dict[str, Any], unfinished: Path) -> "Anonymization":
    """Search for the best release; of a search that was stopped, keep what was found in a file."""
    with search_progress() as report, _interruptible():
        result = _anonymize(job, settings, report)
    if not result.is_complete:
        result.write_unfinished(unfinished)  # first, as the search may have taken hours and the next steps may fail
        note("cli.stopped")
        note("cli.search-kept", path=repr(unfinished.name))
    return result


def _explain(result: "Anonymization", paths: "ReleaseFiles") -> "Explanation | None":
    """Explain a release; None if Ctrl-C ends that, as it takes further searches, and the release is useful without."""
    try:
        with progress("explaining", shown_name(paths.release)), _interruptible():
            return result.explain()
    except KeyboardInterrupt:
        note("cli.not-explained")
        return None


def _search_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the search, as `anonymize_release` takes them."""
    return {
        "suppression": parse_share(options["suppression"]),
        "suppressed_records": options["suppressed_records"],
        "objective": options["objective"],
        "aggregate": options["aggregate"],
        "weights": parse_by_column(options["weights"], "--weight", _weight) or None,
        "levels": parse_by_column(options["levels"], "--level", _bounds) or None,
        "keep": list(options["keep"]) or None,
        "may_lose": list(options["may_lose"]) or None,
        "method": None if options["local"] is None else "local" if options["local"] else "global",
        "show": INTERVAL
        if options["show"] == (INTERVAL,)
        else parse_by_column(options["show"], "--show", _way) or None,
        "seconds": _seconds(options["time"]),
    }


def _check_output(output: Path | None, options: Mapping[str, Any], *, has_reports: bool) -> None:
    """Raise if -o is missing where a release is made, or an option does not go with the others."""
    if options["vary"] and not options["frontier"]:
        raise ParameterError("--vary is for --frontier")
    if output is None and (has_reports or not options["frontier"]):
        raise ParameterError("-o names the file of the release; only --frontier without a report does without it")
    release_only = [name for name in ("resume", "explain", "shuffle", "seed") if options[name]]
    release_only += ["keep-order"] if options["shuffle"] is False else []
    if output is None and release_only:
        raise ParameterError("--{option} is for a release, and -o names none", option=release_only[0])


def _unfinished(paths: "ReleaseFiles", outputs: Iterable[Path], *, resume: bool) -> Path:
    """The file for the state of an interrupted search; raise if its existence contradicts --resume."""
    path = paths.unfinished
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


@dataclass(frozen=True)
class Reports:
    """The reports of a check that the options ask for.

    files     the file of each format
    printed   the format that is printed instead of a summary, if any
    """

    files: Mapping[str, Path]
    printed: str | None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Reports":
        """The reports by the options; raise if several results would be printed."""
        wanted = {name: options[name] for name in FILES if options[name] is not None}
        printed = [name for name, path in wanted.items() if path == STANDARD_OUTPUT]
        if len(printed) > 1 or (printed and options["output_format"] == "json"):
            raise ParameterError("only one result can be printed: give '-' once, without --format json")
        files = {name: path for name, path in wanted.items() if name not in printed}
        return cls(files, printed[0] if printed else None)

    def __bool__(self) -> bool:
        return bool(self.files or self.printed)

    def write(self, staged: "StagedRelease", facts: "AnonymizationFacts | None" = None) -> "Check | None":
        """Check a staged release and write the reports beside it; None if no report is wanted.

        facts   about the search, if there was one
        """
        if not self:
            return None
        example = facts is not None and "html" in self.files
        checked = check_with_facts(staged.case, facts, example=example)
        staged.files.write(
            {path: checked.to_format(name, language()).encode("utf-8", "replace") for name, path in self.files.items()}
        )
        return checked

    def show(self, checked: "Check | None") -> bool:
        """Print the check if one of its formats is to be printed; return whether it is."""
        if checked is None or self.printed is None:
            return False
        click.echo(checked.to_format(self.printed, language()), nl=False)
        return True


def check_with_facts(case: "Case", facts: "AnonymizationFacts | None" = None, *, example: bool = False) -> "Check":
    """The check of a release, with the facts of a search.

    example   with records for a file in HTML
    """
    from msgspec import structs

    from PETWorks.render.check_result import Check, check_case

    checked = check_case(case)
    content = structs.replace(checked.content, anonymization=facts)
    return Check(content, checked.note, case.example_rows if example else None)


def _anonymize(job: "ReleaseJob", options: dict[str, Any], report: "Callable[[Progress], None]") -> "Anonymization":
    from PETWorks.anonymizer.anonymization import anonymize_release
    from PETWorks.anonymizer.problem import METHODS
    from PETWorks.gate.anonymising import anonymize_by_policy

    if job.policy is not None:
        return anonymize_by_policy(job.policy, job.release, job.rules, options, report)
    settings = {"method": METHODS[0], **{name: value for name, value in options.items() if value is not None}}
    return anonymize_release(job.release, job.rules, **settings, progress=report)


def _print_result(
    facts: "AnonymizationFacts",
    models: "tuple[ModelResult, ...]",
    rules: "tuple[RuleResult, ...]",
    findings: "tuple[tuple[str, ...], tuple[Notice, ...]]",
    paths: "ReleaseFiles",
    options: dict[str, Any],
) -> None:
    if options["output_format"] == "json":
        content: dict[str, Any] = {
            "release": paths.release.name,
            "policy": paths.policy.name,
            "anonymization": facts.to_dict(),
        }
        if models:  # without coefficients: those of the original are confidential
            content["models"] = [model.without_coefficients().to_dict() for model in models]
        click.echo(dumps({**content, "rules": verdicts(rules), **findings_content(findings)}))
        return
    from PETWorks.render.text.anonymization_text import anonymization_text

    style_options = {"models": models, "detailed": options["explain"], **text_style()}
    click.echo(anonymization_text(paths.release.name, facts, rules, *findings, **style_options), nl=False)


def findings_content(findings: "tuple[tuple[str, ...], tuple[Notice, ...]]") -> dict[str, Any]:
    """The columns to look at and the notices, for JSON."""
    columns, notices = findings
    return {"columns_to_look_at": columns, "notices": [notice.to_dict() for notice in notices]}


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


def parse_share(text: str | None) -> float | None:
    """Parse a share of the records; None without a text."""
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
                "--show": Phrase("COLUMN=mean, COLUMN=median or COLUMN=interval, or once interval for all columns"),
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


def _way(text: str) -> str | None:
    return text if text in SHOWN else None


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
