"""The command `apply`: a release on levels of one's own choice, or as the plan of an earlier release says."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from PETWorks.about.treatment import COLUMN_KEYS, REMOVE
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE
from PETWorks.cli.anonymize import (
    Reports,
    check_paths,
    check_seed,
    exit_by_verdict,
    findings_content,
    open_job,
    parse_by_column,
    parse_level,
    parse_share,
    record_order,
    release_options,
    staging_with_notes,
    tell_two_levels,
    verdicts,
)
from PETWorks.cli.arguments import (
    FILE,
    POLICY_SUFFIXES,
    note,
    parse_columns,
    parse_population,
    report_written,
    shown_name,
    split_items,
)
from PETWorks.cli.check import with_format_options
from PETWorks.errors import ParameterError
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import progress, text_style

if TYPE_CHECKING:
    from PETWorks.anonymizer.chosen_levels import OnLevels
    from PETWorks.anonymizer.plan import Plan
    from PETWorks.anonymizer.replay import Replayed
    from PETWorks.anonymizer.rules import Rule
    from PETWorks.gate.document import Notice, RuleResult
    from PETWorks.gate.plans import PreparedTable
    from PETWorks.gate.release_files import ReleaseFiles
    from PETWorks.gate.staged_release import ReleaseJob


PLAN_OPTIONS = (
    "measures",
    "qi",
    "sensitive",
    *COLUMN_KEYS,
    "protect",
    "hierarchies",
    "levels",
    "suppress",
    "root",
    "suppressed_records",
    "role_reasons",
    "no_privacy_unit",
)
NEW_COLUMNS = {"identifier": IDENTIFIER, "insensitive": INSENSITIVE_ATTRIBUTE}


@click.command("apply")
@click.argument("table", metavar="POLICY|DATA")
@release_options
@click.option("--levels", default="", metavar="COLUMN=N,...", help="The levels; columns that are not named stay.")
@click.option("--suppress", is_flag=True, help="Suppress the records of classes that break a rule.")
@click.option("--plan", type=FILE, metavar="FILE", help="Recode the table as this plan of an earlier release says.")
@click.option("--strict", is_flag=True, help="With --plan: values without a place are an error.")
@click.option("--suppression", metavar="SHARE",
              help="With --plan: the share of records that may be suppressed, instead of the plan's.")  # fmt: skip
@with_format_options
def apply_command(table: str, output: Path | None, **options: Any) -> None:
    """Make a release on levels of one's own choice, or as the plan of an earlier release says.

    With --suppress, records of classes that break a rule are suppressed, however many they are. Otherwise as
    `petworks anonymize`.

    With --plan, roles, hierarchies, levels and rules are those of the plan, which `petworks anonymize` writes beside a
    release. Records with values that have no place in a hierarchy, and those of classes that break a rule, are
    suppressed, and what changed since the plan is reported. Exit code 1: a rule fails, or more records are suppressed
    than the plan allows.

    \b
    Examples:
      petworks apply patients_policy.yaml --levels age=2,zip=1 --suppress -o released.csv
      petworks apply patients_december.xlsx --plan released_plan.json -o released_december.xlsx
    """
    from PETWorks.anonymizer.chosen_levels import recode_to_levels
    from PETWorks.anonymizer.problem import complete_hierarchies
    from PETWorks.gate.check.may_go_out import is_passing
    from PETWorks.gate.document import combine_verdicts
    from PETWorks.gate.plans import complete_plan

    if output is None:
        raise ParameterError("-o names the file of the release, such as -o released.csv")
    check_seed(options)
    if options["plan"] is not None:
        if options["engine"] not in ("auto", "memory"):
            raise ParameterError("--plan needs the engine 'memory', got {engine!r}", engine=options["engine"])
        _apply_plan(table, output, options)
    for name in ("strict", "suppression"):
        if options[name]:
            raise ParameterError("--{option} is for --plan", option=name)
    reports = Reports.of(options)
    levels = parse_by_column(split_items(options["levels"], "--levels"), "--levels", parse_level)
    job = open_job(table, options)
    complete_hierarchies(job.release, [name for name in job.release.quasi_identifiers if levels.get(name, 0) != 0])
    tell_two_levels(job.release)
    paths = check_paths(output, job, reports.files.values())
    order = record_order(job, options)
    with progress("recoding", shown_name(table)):
        result = recode_to_levels(
            job.release, levels, job.rules if options["suppress"] else (), _suppressed_records(job, options)
        )

    def plan(target: Path, hierarchies: Mapping[str, Path]) -> "Plan":
        made_by_rules = replace(result, problem=replace(result.problem, rules=job.rules))
        return complete_plan(made_by_rules, job.content, job.policy, target, hierarchies)

    with staging_with_notes(result, job, paths, order, plan, options) as staged:
        rules, digest = staged.case.rules, staged.digest
        notices = staged.case.notices_of_release
        checked = reports.write(staged)
    if not reports.show(checked):
        _print_levels(result, rules, notices, paths, digest, options)
    report_written([*paths.written, paths.plan, *reports.files.values()])
    exit_by_verdict(is_passing(combine_verdicts([rule.verdict for rule in rules])), paths.release)


def _print_levels(
    result: "OnLevels",
    rules: "tuple[RuleResult, ...]",
    notices: "tuple[Notice, ...]",
    paths: "ReleaseFiles",
    digest: str | None,
    options: dict[str, Any],
) -> None:
    if options["output_format"] == "json":
        content = {"release": paths.release.name, "release_sha256": digest}
        click.echo(
            dumps({**content, "levels": result.levels, "suppressed": result.suppressed, "rules": verdicts(rules)})
        )
        return
    from PETWorks.render.text.anonymization_text import applied_text

    arguments = (paths.release.name, result.suppressed, result.records, rules, notices)
    click.echo(applied_text(*arguments, **text_style()), nl=False)


def _suppressed_records(job: "ReleaseJob", options: dict[str, Any]) -> str:
    """Whether suppressed records are removed or kept: by the option, otherwise by the policy."""
    in_policy = {} if job.policy is None else job.policy.anonymize
    return str(options["suppressed_records"] or in_policy.get("suppressed_records", REMOVE))


def _apply_plan(table: str, output: Path, options: dict[str, Any]) -> None:
    from PETWorks.gate.check.may_go_out import is_passing
    from PETWorks.gate.document import combine_verdicts
    from PETWorks.gate.plans import check_same_rules, demanded_rules, plan_of_next_release, with_suppression
    from PETWorks.gate.policy.plan_files import read_plan
    from PETWorks.gate.policy.policy_rules import today
    from PETWorks.tables.files import FilesRead
    from PETWorks.tables.writing import check_ordered

    unexpected = [name for name in PLAN_OPTIONS if options[name]]
    if unexpected:
        option = {"measures": "measure"}.get(unexpected[0], unexpected[0]).replace("_", "-")
        raise ParameterError("--{option} cannot be combined with --plan; the plan says it", option=option)
    if Path(table).suffix.lower() in POLICY_SUFFIXES:
        raise ParameterError("with --plan, name the table itself; the plan has what a policy says")
    click.get_current_context().with_resource(FilesRead().shared())
    reports = Reports.of(options)
    plan = read_plan(options["plan"])
    if options["suppression"] is not None:
        plan = with_suppression(plan, parse_share(options["suppression"]))
    with progress("reading", shown_name(table)):
        prepared = _prepare(table, plan, options)
    check_ordered(prepared.release.source)
    job = _job(table, prepared, demanded_rules(plan, today()), options)
    paths = check_paths(output, job, reports.files.values())
    order = record_order(job, options)
    with progress("recoding", shown_name(table)):
        result = prepared.recode(job.rules, strict=options["strict"])

    def next_plan(target: Path, hierarchies: Mapping[str, Path]) -> "Plan":
        return plan_of_next_release(result, plan, job.content["data"], target, hierarchies)

    with staging_with_notes(result, job, paths, order, next_plan, options) as staged:
        rules = staged.case.rules
        check_same_rules(plan, staged.case.policy)
        findings = (staged.case.columns_to_look_at, staged.case.notices_of_release)
        checked = reports.write(staged)
    if not reports.show(checked):
        _print_replayed(result, rules, findings, paths, options)
    report_written([*paths.written, paths.plan, *reports.files.values()])
    if not result.within_the_limit:
        enough = math.ceil(1000 * result.suppressed / result.records) / 1000
        note("apply.advice", option=f"--suppression {enough:g}")
    exit_by_verdict(
        is_passing(combine_verdicts([rule.verdict for rule in rules])) and result.within_the_limit, paths.release
    )


def _prepare(table: str, plan: "Plan", options: dict[str, Any]) -> "PreparedTable":
    from PETWorks.gate.plans import earlier_hierarchies, prepare_table
    from PETWorks.tables.opening import open_table

    def open_file(table_or_frame: Any) -> Any:
        return (
            open_table(table_or_frame, options["separator"], options["encoding"])
            if isinstance(table_or_frame, str | Path)
            else table_or_frame
        )

    new_roles = {column: role for option, role in NEW_COLUMNS.items() for column in parse_columns(options[option])}
    return prepare_table(
        open_file(table),
        plan,
        earlier_hierarchies(plan, options["plan"].parent),
        original=open_file(options["original"]),
        population=open_file(parse_population(options)),
        new_roles=new_roles,
        memory_limit=options["memory_limit"],
    )


def _job(table: str, prepared: "PreparedTable", rules: "tuple[Rule, ...]", options: dict[str, Any]) -> "ReleaseJob":
    from PETWorks.gate.plans import hierarchy_paths, next_policy
    from PETWorks.gate.release_files import FilesToKeep
    from PETWorks.gate.staged_release import ReleaseJob

    content = next_policy(prepared, Path(table))
    content |= {key: options[key] for key in ("separator", "encoding") if options[key] is not None}
    if options["original"] is not None:
        content["original"] = Path(options["original"])
    population = parse_population(options)
    if population is not None:
        content["population"] = Path(population) if isinstance(population, str) else population
    tables = (table, options["original"], options["population"])
    files = [options["plan"], *hierarchy_paths(prepared.plan, options["plan"].parent)]
    safe_cells = options["spreadsheet_safe"]
    return ReleaseJob(prepared.release, rules, content, None, FilesToKeep.of(tables, files), safe_cells)


def _print_replayed(
    result: "Replayed",
    rules: "tuple[RuleResult, ...]",
    findings: "tuple[tuple[str, ...], tuple[Notice, ...]]",
    paths: "ReleaseFiles",
    options: dict[str, Any],
) -> None:
    from PETWorks.gate.check.inputs import table_digest

    if options["output_format"] == "json":
        plan = {"plan_file": options["plan"].name, "plan_sha256": table_digest(options["plan"])}
        content = {"release": paths.release.name, "policy": paths.policy.name, **plan, **result.to_dict()}
        click.echo(dumps({**content, "rules": verdicts(rules), **findings_content(findings)}))
        return
    from PETWorks.render.text.anonymization_text import replayed_text

    click.echo(replayed_text(paths.release.name, result, rules, *findings, **text_style()), nl=False)
