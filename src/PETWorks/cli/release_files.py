"""The table to release, and the files of a release: where they are written, in which order, and all or none."""

import hashlib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import click
from msgspec import structs

from PETWorks.about.hierarchies.declaration import HierarchySources, hierarchy_files
from PETWorks.about.roles import checked_unit
from PETWorks.about.sidecar import read_sidecar, sidecar_of
from PETWorks.about.treatment import CAREFUL, is_legible
from PETWorks.anonymizer.plan import Plan
from PETWorks.anonymizer.released import SHUFFLED, Recoded, RecordOrder, choose_order, seed_given, with_safe_cells
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.cli.arguments import (
    DOES_NOT_HOLD,
    HOLDS,
    ROLE_OPTIONS,
    engine_settings,
    input_files,
    note,
    open_release,
    parse_measure,
    parse_population,
    shown_name,
    shown_path,
)
from PETWorks.counting.release import Release
from PETWorks.errors import Hint, InputError, ParameterError, PETWorksError, Phrase, RoleError, quoted, system_reason
from PETWorks.gate.anonymising import MARK, policy_of_release, released_hierarchy_files, search_rules
from PETWorks.gate.check.built_in_rules import add_judged_rules, check_people_are_declared
from PETWorks.gate.check.may_go_out import complete_content, digests_by_key
from PETWorks.gate.check.verdict import rule_results
from PETWorks.gate.days import today
from PETWorks.gate.document.check_document import RuleResult
from PETWorks.gate.document.schema import read_json
from PETWorks.gate.plans import plan_text
from PETWorks.gate.policy.from_rules import columns_without_role, describe_release, rule_entries
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.render.language.messages import language, translated
from PETWorks.render.report.making import two_levels_texts, why_in_order
from PETWorks.render.report.prose import comment_translators
from PETWorks.render.terminal import progress
from PETWorks.tables.files import locked
from PETWorks.tables.globs import SIGNS, would_match
from PETWorks.tables.normalised_cells import is_spreadsheet_safe
from PETWorks.tables.opening import is_address
from PETWorks.tables.output import Folder, Staging, check_writable, staging
from PETWorks.tables.writing import PARQUET_SUFFIXES, check_ordered, check_suffix, release_content
from PETWorks.tables.yaml_files import read_yaml


def record_order(
    release: Release, rules: Sequence[Rule], policy: Policy | None, options: dict[str, Any]
) -> RecordOrder:
    """The order of the records by options and policy; by default a random one where that is possible."""
    shuffle = options["shuffle"]
    if shuffle is None and policy is not None and "order" in policy.anonymize:
        shuffle = policy.anonymize["order"] == SHUFFLED
    return choose_order(release, rules, shuffle, None if options["seed"] is None else seed_given(options["seed"]))


def check_seed(options: dict[str, Any]) -> None:
    """Raise if the seed is malformed, or given without shuffling."""
    seed = options["seed"]
    if seed is not None and options["shuffle"] is False:
        raise ParameterError("--seed is for records in random order, so it cannot be combined with --keep-order")
    if seed is not None and seed_given(seed) is None:
        raise ParameterError("--seed expects a whole number, got {given!r}", given=seed[:40])


def report_order(order: RecordOrder, policy: Path) -> None:
    """Print the order of the records to those who make the release; its policy has the seed."""
    if order.shuffled:
        note("cli.shuffled", path=shown_path(policy))
    elif order.why_not is not None:
        note("cli.in-order", why=why_in_order(order, language()))


NAME_ANOTHER = Phrase("name another output")


@dataclass(frozen=True)
class Inputs:
    """The inputs of a run: files, and patterns that no output file may match."""

    files: tuple[Path, ...]
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, files: Iterable[Path], tables: Iterable[Any]) -> "Inputs":
        """Return the inputs: the files, and those tables that are given by a pattern."""
        names = [str(table) for table in tables if isinstance(table, str | Path) and "://" not in str(table)]
        patterns = [name for name in names if any(sign in name for sign in SIGNS) and not Path(name).exists()]
        return cls(tuple(files), tuple(patterns))

    def check(self, path: Path) -> None:
        """Raise if a file to be written is an input, or would become one."""
        if path.exists() and any(file.exists() and path.samefile(file) for file in self.files):
            raise InputError(
                "cannot write {path!r}: it is an input of this run; {another}", path=str(path), another=NAME_ANOTHER
            )
        for pattern in self.patterns:
            if would_match(pattern, path):
                raise InputError(
                    "cannot write {path!r}: it would be one of the files that {pattern!r} names, "
                    "which are the input; {another}",
                    path=str(path),
                    pattern=pattern,
                    another=NAME_ANOTHER,
                )


@dataclass(frozen=True)
class ReleasePaths:
    """The paths of a release, its policy, its plan, and the folder with its hierarchies, by column."""

    release: Path
    policy: Path
    plan: Path
    folder: Path
    hierarchies: Mapping[str, Path]

    @property
    def written(self) -> list[Path]:
        """The paths to report to the user, except the plan; the folder stands for the files in it."""
        return [self.release, self.policy, *([self.folder] if self.hierarchies else [])]


def release_paths(
    output: Path, hierarchies: Mapping[str, Any], columns: tuple[str, ...], inputs: Inputs
) -> ReleasePaths:
    """The paths of all output; raise if one cannot be written, is an input, or is not ours to replace."""
    check_suffix(output)
    if "hierarchy_" in output.name:
        raise InputError(
            "cannot write {path!r}: a file with 'hierarchy_' in its name is taken for a hierarchy; {another}",
            path=str(output),
            another=NAME_ANOTHER,
        )
    release = check_writable(output, inputs.files)
    check_suffix(release)
    paths = ReleasePaths(
        release,
        release.with_name(f"{release.stem}_policy.yaml"),
        release.with_name(f"{release.stem}_plan.json"),
        release.with_name(f"{release.stem}_hierarchies"),
        released_hierarchy_files(release, hierarchies, columns),
    )
    try:
        is_ours = _is_ours(paths.policy, release)
        _check_plan(paths.plan, release)
        _check_folder(paths, inputs, is_ours=is_ours)
        for path in (release, paths.policy, paths.plan, *paths.hierarchies.values()):
            inputs.check(path)
    except OSError as error:
        raise InputError(
            "cannot write {path!r}, or what comes beside it: {reason}",
            path=str(output),
            reason=system_reason(error),
        ) from None
    return paths


def check_folder(output: Path) -> None:
    """Raise if a release cannot be written as a folder of Parquet files."""
    if output.suffix.lower() not in PARQUET_SUFFIXES:
        raise InputError(
            "cannot write {path!r}: the engine 'spark' writes a folder of Parquet files; "
            "expected a name that ends in {suffixes}",
            path=str(output),
            suffixes=quoted(PARQUET_SUFFIXES),
        )
    if output.is_dir():
        raise InputError(
            "cannot write {path!r}: the folder exists; remove it, or {another}", path=str(output), another=NAME_ANOTHER
        )
    if any(sign in output.name for sign in SIGNS):
        raise InputError(
            "cannot write {path!r}: the name of a folder of files must have none of {signs}",
            path=str(output),
            signs=SIGNS,
        )


def policy_data(release: Path, *, in_parts: bool) -> str:
    """The key `data` in the policy beside a release."""
    return f"{release.name}/*.parquet" if in_parts else release.name


def check_reports(reports: Iterable[Path], paths: ReleasePaths, inputs: Inputs) -> None:
    """Raise if a report cannot be written, or if two results would be in one file."""
    taken = {paths.release, paths.policy, paths.plan}
    for report in reports:
        path = check_writable(report, inputs.files)
        inputs.check(path)
        if path in taken:
            raise ParameterError("two results would be written to the same file, {path!r}", path=str(report))
        if path.is_relative_to(paths.folder):
            raise ParameterError(
                "cannot write {path!r}: the folder is for the hierarchies of the release", path=str(report)
            )
        taken.add(path)


def _is_ours(policy: Path, release: Path) -> bool:
    """Whether the policy of an earlier run for this release exists; raise if it is some other file."""
    if not os.path.lexists(policy):
        return False
    if policy.is_symlink() or not policy.is_file():
        raise InputError(
            "cannot write {path!r}: it exists and is not a regular file; {another}",
            path=str(policy),
            another=NAME_ANOTHER,
        )
    with policy.open("rb") as file:
        is_marked = file.read(len(MARK)) == MARK.encode()
    try:
        content = read_yaml(policy).content if is_marked else None
    except PETWorksError:  # somebody changed it
        content = None
    data = content.get("data") if isinstance(content, dict) else None
    if data is None:
        raise InputError(
            "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}",
            path=str(policy),
            another=NAME_ANOTHER,
        )
    if data not in (policy_data(release, in_parts=False), policy_data(release, in_parts=True)):
        raise InputError(
            "cannot write {path!r}: it is the policy of another release, {data!r}; {another}",
            path=str(policy),
            data=data,
            another=NAME_ANOTHER,
        )
    return True


def _check_plan(plan: Path, release: Path) -> None:
    """Raise if the file exists and is not the plan of an earlier run for this release."""
    if not os.path.lexists(plan):
        return
    if plan.is_symlink() or not plan.is_file():
        raise InputError(
            "cannot write {path!r}: it exists and is not a regular file; {another}",
            path=str(plan),
            another=NAME_ANOTHER,
        )
    try:
        content = read_json(plan, Phrase("a plan"), Hint.PLAN)
    except InputError:
        content = None
    if not isinstance(content, dict) or "petworks_plan" not in content:
        raise InputError(
            "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}",
            path=str(plan),
            another=NAME_ANOTHER,
        )
    if content.get("release") != release.name:
        raise InputError(
            "cannot write {path!r}: it is the plan of another release; {another}", path=str(plan), another=NAME_ANOTHER
        )


def _check_folder(paths: ReleasePaths, inputs: Inputs, *, is_ours: bool) -> None:
    folder = paths.folder
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(
            "cannot write {path!r}: it exists and is a symlink or not a folder; {another}",
            path=str(folder),
            another=NAME_ANOTHER,
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError("cannot write {path!r}: the folder is not writable", path=str(folder))
    if any(file.resolve().is_relative_to(folder) for file in inputs.files):
        raise InputError(
            "cannot write {path!r}: inputs of this run are in it; {another}", path=str(folder), another=NAME_ANOTHER
        )
    if not is_ours and any(folder.iterdir()):
        raise InputError(
            "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}",
            path=str(folder),
            another=NAME_ANOTHER,
        )
    for path in paths.hierarchies.values():
        if os.path.lexists(path) and not path.is_file():
            raise InputError(
                "cannot write {path!r}: it exists and is not a regular file; {another}",
                path=str(path),
                another=NAME_ANOTHER,
            )


POLICY_SUFFIXES = (".yaml", ".yml")
TABLE_OPTIONS = (
    "privacy_unit",
    "protect",
    "hierarchies",
    "original",
    "population",
    "role_reasons",
    "no_privacy_unit",
)  # options that cannot be combined with a policy


@dataclass(frozen=True)
class ReleaseJob:
    """A table to be released: opened, with its rules, and the content of the policy of the release.

    Every command that makes a release uses one, so none of them can count several records of a person by mistake.
    """

    release: Release
    rules: tuple[Rule, ...]
    content: Mapping[str, Any]
    policy: Policy | None
    inputs: Inputs

    def __post_init__(self) -> None:
        check_people_are_declared(self.release, self.content.get("no_privacy_unit"))

    @property
    def needs_original(self) -> bool:
        """Whether a rule compares the release with the original, or the original has the key of other releases."""
        if self.policy is not None and self.policy.releases.measured:
            return True
        return any("the original table" in rule.metric.needs for rule in self.rules if isinstance(rule, MeasureRule))

    def judged_how(self, options: dict[str, Any]) -> dict[str, Any]:
        """The engine and its limits for checking the release: those of the table."""
        engine = self.release.engine.name
        # In memory, two tables may exceed a limit that one stays below; the run must not fail at its very end.
        limit = None if options["engine"] == "memory" else options["memory_limit"]
        engine_options = {"engine": options["engine"] if engine == "memory" else engine, "memory_limit": limit}
        return {**engine_options, "temp_folder": options["temp_folder"]}


def open_job(table: str, options: dict[str, Any]) -> ReleaseJob:
    """Open the table that a policy or options describe."""
    if Path(table).suffix.lower() in POLICY_SUFFIXES:
        table_options = {"measures": "measure"} | {name: name for name in (*ROLE_OPTIONS, *TABLE_OPTIONS)}
        unexpected = [option for name, option in table_options.items() if options[name]]
        if unexpected:
            raise ParameterError(
                "--{option} is for a table; the policy says it", option=unexpected[0].replace("_", "-")
            )
        policy = read_policy(table, options["root"], network=options["network"])
        with progress("reading", shown_name(policy.data)):
            release = policy.release(protect=True, **engine_settings(options))
        if release.engine.note:
            click.echo(f"petworks: {translated(release.engine.note)}", err=True)
        _check_engine(release, options)
        with policy.located("privacy_unit"):
            checked_unit(policy.privacy_unit, release.source, {})
        tables = (policy.data, policy.original, policy.population)
        inputs = Inputs.of([policy.path, *input_files(*tables), *_companion_files(release, policy.hierarchies)], tables)
        return ReleaseJob(release, search_rules(policy, today()), complete_content(policy, release), policy, inputs)
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
    inputs = Inputs.of([*input_files(*tables), *_companion_files(release, hierarchies)], tables)
    job = ReleaseJob(release, rules, content, None, inputs)
    if job.needs_original and is_address(content.get("original", table)) and not options["network"]:
        raise ParameterError("a rule compares with the original, which is on a server: allow that with --network")
    return job


def _reasons(option: str, texts: Sequence[str], columns: Collection[str]) -> dict[str, str]:
    """Parse reasons about columns, each as COLUMN=TEXT."""
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


def _check_engine(release: Release, options: dict[str, Any]) -> None:
    """Raise if the engine cannot write what the options ask for."""
    if release.engine.name == "memory":
        check_ordered(release.source)
    elif release.engine.name == "spark":
        from PETWorks.counting.engines.spark_writing import check_readable

        check_readable(release.source)
    if release.engine.name != "memory" and options.get("reasons") is not None:
        raise ParameterError("--reasons are told record by record, which needs --engine memory")


def _companion_files(release: Release, hierarchies: HierarchySources | None) -> Iterator[Path]:
    """The files that are read besides tables: hierarchies, and the roles file."""
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


def check_paths(output: Path, job: ReleaseJob, options: dict[str, Any], reports: Collection[Path] = ()) -> ReleasePaths:
    """The paths of the release and all its files; raise if one of them cannot be written.

    Until the command ends, no other run can write a release with the same files.
    """
    release = job.release
    if release.engine.name == "spark":
        check_folder(output)
    if _wants_safe_cells(job, options):
        with_safe_cells(release)  # raises if the engine cannot write them
    target = check_writable(output, job.inputs.files)
    click.get_current_context().with_resource(locked(target.with_name(f"{_hidden_name(target)}.lock"), output))
    paths = release_paths(output, release.hierarchies, tuple(release.compared_columns), job.inputs)
    check_reports(reports, paths, job.inputs)
    return paths


def tell_two_levels(release: Release) -> None:
    """Say which columns have no hierarchy, so that their values stay or become `*`."""
    for text in two_levels_texts(release, language()):
        click.echo(f"petworks: {text}", err=True)


def _wants_safe_cells(job: ReleaseJob, options: dict[str, Any]) -> bool:
    """Whether cells that a spreadsheet would read as formulas get an apostrophe."""
    in_policy = job.policy is not None and job.policy.anonymize.get("spreadsheet_safe") == "true"
    return bool(options["spreadsheet_safe"]) or in_policy


def _hidden_name(release: Path) -> str:
    """The prefix of temporary files of a run; the same for releases that share a policy file."""
    return f".petworks-{hashlib.sha256(release.stem.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


@dataclass(frozen=True)
class StagedRelease:
    """A release that is written and checked, but not yet at its final place; `files` takes more files for it."""

    policy: Policy
    release: Release
    rules: tuple[RuleResult, ...]
    people: Mapping[str, Any]  # the person of each record, if the release itself does not have them
    files: Staging
    digest: str | None  # of the file of the release


@contextmanager
def staging_release(
    result: Recoded,
    job: ReleaseJob,
    paths: ReleasePaths,
    options: dict[str, Any],
    order: RecordOrder,
    plan: Callable[[Path, Mapping[str, Path]], Plan] | None = None,
    beside: Mapping[Path, bytes] | None = None,
) -> Iterator[StagedRelease]:
    """Write and check the release and all its files under temporary names.

    When the context ends without an error, they get their final names together.

    order  the order in which the records are written
    plan   makes the plan, given the paths of the release and its hierarchies; without it, the plan of an earlier
           release is removed
    """
    if job.policy is not None and job.policy.keeps_unit:
        result = replace(result, keeps_unit=True)
    if _wants_safe_cells(job, options):
        result = replace(result, original=with_safe_cells(result.original))
    original = job.release
    original.engine.close()  # its counts are no longer needed, and the engine of the release needs memory
    text, root = policy_of_release(
        job.content,
        paths.release,
        paths.hierarchies,
        data=policy_data(paths.release, in_parts=original.engine.name == "spark"),
        needs_original=job.needs_original,
        seed=order.seed,
        plan=None if plan is None else paths.plan,
        made=result,
        say=comment_translators(language())["say"],
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
    is_replaced = paths.release.exists()
    name = _hidden_name(paths.release).removeprefix(".petworks-")
    with staging(name, paths.release.parent, like=job.inputs.files) as files:
        with progress("writing", shown_name(paths.release)):
            files.write(contents)
            if plan is None:
                files.remove(paths.plan)
            else:
                hierarchies = {column: files.current(path) for column, path in paths.hierarchies.items()}
                new_plan = plan(files.current(paths.release), hierarchies)
                new_plan = structs.replace(
                    new_plan,
                    spreadsheet_safe=is_spreadsheet_safe(result.original.source) or None,
                    made_by=None if job.policy is None else digests_by_key(job.content, job.policy.path.parent),
                )
                files.write({paths.plan: plan_text(new_plan).encode("utf-8", "replace")})
        policy = read_policy(paths.policy, root, network=options["network"], find=files.current)
        with progress("checking", shown_name(paths.release)):
            people = _people(result, order)
            release = policy.release(**people, **job.judged_how(options))
            rules = rule_results(release, policy, today())
        if plan is not None:
            judged = add_judged_rules(new_plan, policy, rules)
            files.write({paths.plan: plan_text(judged).encode("utf-8", "replace")} if judged != new_plan else {})
        yield StagedRelease(policy, release, rules, people, files, None if plan is None else new_plan.release_sha256)
        release.engine.close()  # it may still have the files open
        files.publish()
    if root is not None:
        note("cli.outside", path=shown_path(root))
    report_order(order, paths.policy)
    if is_replaced:
        note("cli.replaced", path=shown_path(paths.release))
    if original.privacy_unit is not None:
        note("cli.unit-kept" if result.keeps_unit else "cli.unit-dropped", column=repr(original.privacy_unit))


def _people(result: Recoded, order: RecordOrder) -> dict[str, Any]:
    """The person of each written record, if the release itself does not have them."""
    people = result.people(result.places(order)) if result.original.engine.name == "memory" else None
    return {} if people is None else {"people": people}


def _content(result: Recoded, job: ReleaseJob, path: Path, order: RecordOrder) -> Any:
    """The content of the release file: written here, or by a cluster."""
    original = result.original
    if original.engine.name == "spark":
        return Folder(result.write_parts)
    # The policy states separator and encoding for all CSV files, so the release must have them too.
    csv_options = {
        key: job.content[key].replace(r"\t", "\t") for key in ("separator", "encoding") if key in job.content
    }
    # If the table is not in memory, the changes also leave out records.
    places = result.places(order) if original.engine.name == "memory" else None
    changes, left_out = result.changes_in(places), result.left_out
    return release_content(path, original.source, drop=left_out, changed=changes, order=places, **csv_options)


def exit_by_verdict(holds: bool, release: Path) -> NoReturn:
    """End the command; a last line warns if the release may not be handed out."""
    if not holds:
        note("cli.do-not-release", path=shown_path(release))
    sys.exit(HOLDS if holds else DOES_NOT_HOLD)
