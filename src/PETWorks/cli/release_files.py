"""Which table is to be released, and the files of a release: it, its policy and its hierarchies."""

import hashlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import click

from PETWorks.about.declaration import Named, hierarchy_files
from PETWorks.about.roles import checked_unit
from PETWorks.about.sidecar import read_sidecar, sidecar_of
from PETWorks.about.treatment import CAREFUL
from PETWorks.anonymizer.record_order import RecordOrder
from PETWorks.anonymizer.released import Recoded, with_safe_cells
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.cli.arguments import (
    DOES_NOT_HOLD,
    HOLDS,
    ROLE_OPTIONS,
    counted_how,
    input_files,
    note,
    population_given,
    release_given,
    request,
    shown_name,
    shown_path,
)
from PETWorks.cli.record_order import tell_order
from PETWorks.cli.release_paths import Inputs, ReleasePaths, check_folder, check_reports, data_named, release_paths
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError, RoleError, quoted
from PETWorks.gate.anonymising import released_policy, search_rules
from PETWorks.gate.days import today
from PETWorks.gate.document import RuleResult
from PETWorks.gate.judged_people import with_judged_rules
from PETWorks.gate.made_by import content_said, meaning
from PETWorks.gate.plan_document import Plan
from PETWorks.gate.plan_files import plan_text
from PETWorks.gate.policy import Policy, read_policy
from PETWorks.gate.repeated_people import check_people_are_declared
from PETWorks.gate.rules_as_policy import columns_without_role, described, rules_written
from PETWorks.gate.verdict import rule_results
from PETWorks.render.prose import spoken_comments
from PETWorks.render.spoken import language, translated
from PETWorks.render.terminal import progress
from PETWorks.tables.locking import locked
from PETWorks.tables.opening import is_address
from PETWorks.tables.output import Folder, Staging, check_writable, staging
from PETWorks.tables.spreadsheet_cells import is_spreadsheet_safe
from PETWorks.tables.whole import check_ordered
from PETWorks.tables.writing import release_content

POLICY_SUFFIXES = (".yaml", ".yml")
OF_A_TABLE = (
    "privacy_unit",
    "protect",
    "hierarchies",
    "original",
    "population",
    "role_reasons",
)  # options that a policy makes needless


@dataclass(frozen=True)
class Job:
    """A table to be released: opened, with its rules, and what the policy of the release will say.

    Every command that makes a release has one, so none of them counts several records of a person unawares.
    """

    release: Release
    rules: tuple[Rule, ...]
    content: Mapping[str, Any]
    policy: Policy | None
    inputs: Inputs

    def __post_init__(self) -> None:
        check_people_are_declared(self.release, self.content.get("role_reasons") or ())

    @property
    def needs_original(self) -> bool:
        """Whether a rule compares the release with the original, or the original has the key of other releases."""
        if self.policy is not None and self.policy.releases.measured:
            return True
        return any("the original table" in rule.metric.needs for rule in self.rules if isinstance(rule, MeasureRule))

    def judged_how(self, options: dict[str, Any]) -> dict[str, Any]:
        """The engine and its limits, with which the release is judged: those of the table."""
        engine = self.release.engine.name
        # In memory, two tables may be too much for a limit that one keeps; this must not come up at the end.
        limit = None if options["engine"] == "memory" else options["memory_limit"]
        counted = {"engine": options["engine"] if engine == "memory" else engine, "memory_limit": limit}
        return {**counted, "temp_folder": options["temp_folder"]}


def job_given(table: str, options: dict[str, Any]) -> Job:
    """The table that a policy or options describe."""
    if Path(table).suffix.lower() in POLICY_SUFFIXES:
        theirs = {"measures": "measure"} | {name: name for name in (*ROLE_OPTIONS, *OF_A_TABLE)}
        strange = [option for name, option in theirs.items() if options[name]]
        if strange:
            raise ParameterError("--{option} is for a table; the policy says it", option=strange[0].replace("_", "-"))
        policy = read_policy(table, options["root"], network=options["network"])
        with progress("reading", shown_name(policy.data)):
            release = policy.release(protect=True, **counted_how(options))
        if release.engine.note:
            click.echo(f"petworks: {translated(release.engine.note)}", err=True)
        _check_engine(release, options)
        with policy.located("privacy_unit"):
            checked_unit(policy.privacy_unit, release.source, {})
        tables = (policy.data, policy.original, policy.population)
        inputs = Inputs.of([policy.path, *input_files(*tables), *_beside(release, policy.hierarchies)], tables)
        return Job(release, search_rules(policy, today()), content_said(policy, release), policy, inputs)
    if not options["measures"]:
        raise ParameterError(
            "name a rule with --measure, such as --measure k-anonymity:k=5; or name a policy (petworks init writes one)"
        )
    asked = [request(text) for text in options["measures"]]
    with progress("reading", shown_name(table)):
        release = release_given(table, {**CAREFUL, **options}, population_given(options))
    _check_engine(release, options)
    _check_roles(release)
    reasons = _role_reasons(options["role_reasons"], release)
    content: dict[str, Any] = {
        "petworks_policy": 1,
        "data": table if is_address(table) else Path(table),
        **described(release),
    }
    for key in ("original", "population", "separator", "encoding"):
        if options[key] is not None:
            is_file = key == "original" and not is_address(options[key])
            content[key] = Path(options[key]) if is_file else options[key]
    if isinstance(population_given(options), str):
        content["population"] = Path(options["population"])
    if reasons:
        content["role_reasons"] = reasons
    rules = tuple(MeasureRule(metric, checked) for metric, checked in asked)
    content["rules"] = list(rules_written(rules))
    tables = (table, options["original"], options["population"])
    hierarchies = None if options["hierarchies"] is None else Path(options["hierarchies"])
    inputs = Inputs.of([*input_files(*tables), *_beside(release, hierarchies)], tables)
    job = Job(release, rules, content, None, inputs)
    if job.needs_original and is_address(content.get("original", table)) and not options["network"]:
        raise ParameterError("a rule compares with the original, which is on a server: allow that with --network")
    return job


def _role_reasons(texts: Sequence[str], release: Release) -> dict[str, str]:
    """Why columns have their role, each as COLUMN=TEXT."""
    reasons = {}
    for text in texts:
        column, _, reason = (part.strip() for part in text.partition("="))
        if column not in release.roles or not reason:
            raise ParameterError(
                "--role-reason expects COLUMN=TEXT, with a column that has a role; got {given!r}", given=text[:60]
            )
        reasons[column] = reason
    return reasons


def _check_engine(release: Release, options: dict[str, Any]) -> None:
    """An error if the engine cannot write what is wanted."""
    if release.engine.name == "memory":
        check_ordered(release.source)
    elif release.engine.name == "spark":
        from PETWorks.counting.spark_writing import check_readable

        check_readable(release.source)
    if release.engine.name != "memory" and options.get("reasons") is not None:
        raise ParameterError("--reasons are told record by record, which needs --engine memory")


def _beside(release: Release, hierarchies: Named | None) -> Iterator[Path]:
    """The files that are read although no table is in them: hierarchies, and the roles file."""
    yield from hierarchy_files(hierarchies)
    if release.source.path is not None:
        sidecar = sidecar_of(release.source.path)
        yield from [] if sidecar is None else [sidecar]
        if hierarchies is None:
            yield from hierarchy_files(read_sidecar(release.source.path).hierarchies)


def _check_roles(release: Release) -> None:
    """Raise if a column has no role."""
    without = columns_without_role(release)
    if without:
        raise RoleError(
            "columns without a role: {without}; name them with --identifier (they are left "
            "out), --insensitive (they stay as they are), --qi or --sensitive",
            without=quoted(without),
        )


def checked_paths(output: Path, job: Job, options: dict[str, Any], reports: Collection[Path] = ()) -> ReleasePaths:
    """Where the release and all that comes beside it are written; an error if something of it cannot be.

    Until the command ends, no other run can write a release with the same files.
    """
    release = job.release
    if release.engine.name == "spark":
        check_folder(output)
    if _wants_safe_cells(job, options):
        with_safe_cells(release)  # an error if the engine cannot write them
    target = check_writable(output, job.inputs.files)
    click.get_current_context().with_resource(locked(target.with_name(f"{_hidden_name(target)}.lock"), output))
    paths = release_paths(output, release.hierarchies, tuple(release.compared_columns), job.inputs)
    check_reports(reports, paths, job.inputs)
    return paths


def _wants_safe_cells(job: Job, options: dict[str, Any]) -> bool:
    """Whether cells that a spreadsheet takes for formulas get an apostrophe."""
    in_policy = job.policy is not None and job.policy.anonymize.get("spreadsheet_safe") == "true"
    return bool(options["spreadsheet_safe"]) or in_policy


def _hidden_name(release: Path) -> str:
    """What a run calls its own files while it writes a release; the same for releases that have a policy in common."""
    return f".petworks-{hashlib.sha256(release.stem.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


@dataclass(frozen=True)
class StagedRelease:
    """A release that is written and judged, but not at its place yet; `files` takes what is to appear with it."""

    policy: Policy
    release: Release
    rules: tuple[RuleResult, ...]
    people: Mapping[str, Any]  # whose the records are, where the release does not say it
    files: Staging
    digest: str | None  # of the file of the release


@contextmanager
def written(
    result: Recoded,
    job: Job,
    paths: ReleasePaths,
    options: dict[str, Any],
    order: RecordOrder,
    plan: Callable[[Path, Mapping[str, Path]], Plan] | None = None,
    beside: Mapping[Path, bytes] | None = None,
) -> Iterator[StagedRelease]:
    """A context in which the release with all that comes beside it is written and judged, but hidden.

    When it ends without an error, all of it appears under its final names.

    order  in which the records are written
    plan   makes the plan of the release, given where that and its hierarchies are; without it, the plan of an earlier
           release is removed
    """
    if job.policy is not None and job.policy.keeps_unit:
        result = replace(result, keeps_unit=True)
    if _wants_safe_cells(job, options):
        result = replace(result, original=with_safe_cells(result.original))
    original = job.release
    original.engine.close()  # its counts are not needed any more, and the engine of the release needs room
    text, root = released_policy(
        job.content,
        paths.release,
        paths.hierarchies,
        data=data_named(paths.release, in_parts=original.engine.name == "spark"),
        needs_original=job.needs_original,
        seed=order.seed,
        plan=None if plan is None else paths.plan,
        made=result,
        say=spoken_comments(language())["say"],
    )
    contents: dict[Path, Any] = {
        paths.release: _content(result, job, paths.release, order),
        paths.policy: text.encode("utf-8", "surrogateescape"),
        **{
            path: original.hierarchies[column].to_csv().encode("utf-8", "surrogateescape")
            for column, path in paths.hierarchies.items()
        },
        **(beside or {}),
    }
    is_again = paths.release.exists()
    name = _hidden_name(paths.release).removeprefix(".petworks-")
    with staging(name, paths.release.parent, like=job.inputs.files) as files:
        with progress("writing", shown_name(paths.release)):
            files.write(contents)
            if plan is None:
                files.remove(paths.plan)
            else:
                hierarchies = {column: files.current(path) for column, path in paths.hierarchies.items()}
                made = plan(files.current(paths.release), hierarchies)
                made = replace(
                    made,
                    spreadsheet_safe=is_spreadsheet_safe(result.original.source) or None,
                    made_by=None if job.policy is None else meaning(job.content, job.policy.path.parent),
                )
                files.write({paths.plan: plan_text(made).encode("utf-8", "replace")})
        policy = read_policy(paths.policy, root, network=options["network"], find=files.current)
        with progress("checking", shown_name(paths.release)):
            people = _people(result, order)
            release = policy.release(**people, **job.judged_how(options))
            rules = rule_results(release, policy, today())
        if plan is not None:
            judged = with_judged_rules(made, policy, rules)
            files.write({paths.plan: plan_text(judged).encode("utf-8", "replace")} if judged != made else {})
        yield StagedRelease(policy, release, rules, people, files, None if plan is None else made.release_sha256)
        release.engine.close()  # it may have the files open
        files.publish()
    if root is not None:
        note("cli.outside", path=shown_path(root))
    tell_order(order, paths.policy)
    if is_again:
        note("cli.replaced", path=shown_path(paths.release))
    if original.privacy_unit is not None:
        note("cli.unit-kept" if result.keeps_unit else "cli.unit-dropped", column=repr(original.privacy_unit))


def _people(result: Recoded, order: RecordOrder) -> dict[str, Any]:
    """Whose the written records are, where the release does not say it."""
    people = result.people(result.places(order)) if result.original.engine.name == "memory" else None
    return {} if people is None else {"people": people}


def _content(result: Recoded, job: Job, path: Path, order: RecordOrder) -> Any:
    """What writes the release: here, or in a cluster."""
    original = result.original
    if original.engine.name == "spark":
        return Folder(result.write_parts)
    # The policy of the release says it of all CSV files, so this one must be such.
    stated = {key: job.content[key].replace(r"\t", "\t") for key in ("separator", "encoding") if key in job.content}
    # Where the table is not in memory, what changes it leaves out records too.
    places = result.places(order) if original.engine.name == "memory" else None
    changes, left_out = result.changes_in(places), result.left_out
    return release_content(path, original.source, drop=left_out, changed=changes, order=places, **stated)


def exit_with(holds: bool, release: Path) -> NoReturn:
    """End the command; the last line says so if the release may not be handed out."""
    if not holds:
        note("cli.do-not-release", path=shown_path(release))
    sys.exit(HOLDS if holds else DOES_NOT_HOLD)
