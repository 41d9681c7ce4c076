"""Which table is to be released, and the files of a release: it, its policy and its hierarchies."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import click

from PETWorks.about.roles import ROLE_KEYS
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.cli.arguments import (
    input_files,
    population_given,
    release_given,
    request,
    say_written,
    shown_name,
    shown_path,
)
from PETWorks.counting.release import Release
from PETWorks.errors import InputError, ParameterError, printable
from PETWorks.gate.anonymising import MARK, hierarchy_files, policy_content, released_policy, search_rules
from PETWorks.gate.document import RuleResult
from PETWorks.gate.policy import Policy, read_policy
from PETWorks.gate.verdict import rule_results
from PETWorks.measures.parameters import number_given
from PETWorks.render.terminal import progress
from PETWorks.tables.output import check_writable, write_whole
from PETWorks.tables.writing import check_suffix, release_content

POLICY_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class Job:
    """A table to be released: opened, with its rules, and what the policy of the release will say."""

    release: Release
    rules: tuple[Rule, ...]
    content: Mapping[str, Any]
    policy: Policy | None
    inputs: tuple[Path, ...]


def job_given(table: str, options: dict[str, Any]) -> Job:
    """The table that a policy or options describe."""
    counted = {"engine": "memory", "memory_limit": options["memory_limit"], "temp_folder": None}
    if Path(table).suffix.lower() in POLICY_SUFFIXES:
        theirs = ("measures", "qi", "sensitive", "identifier", "privacy_unit", "hierarchies", "original", "population")
        strange = [name for name in theirs if options[name]]
        if strange:
            raise ParameterError(
                f"--{strange[0].replace('_', '-').removesuffix('s')} is for a table; the policy says it"
            )
        policy = read_policy(table, options["root"], network=options["network"])
        with progress(f"reading {shown_name(policy.data)}"):
            release = policy.release(**counted)
        inputs = (policy.path, *input_files(policy.data, policy.original, policy.population))
        return Job(release, search_rules(policy, today()), policy_content(policy), policy, inputs)
    if not options["measures"]:
        raise ParameterError(
            "name a rule with --measure, such as --measure k-anonymity:k=5; or name a policy (petworks init writes one)"
        )
    asked = [request(text) for text in options["measures"]]
    with progress(f"reading {shown_name(table)}"):
        release = release_given(table, {**options, **counted}, population_given(options))
    content: dict[str, Any] = {"petworks_policy": 1, "data": Path(table), "roles": _by_role(release)}
    for key in ("original", "population", "privacy_unit", "separator", "encoding"):
        if options[key] is not None:
            content[key] = Path(options[key]) if key == "original" else options[key]
    if isinstance(population_given(options), str):
        content["population"] = Path(options["population"])
    content["treatment"] = {name: way for name, way in release.treatment.items() if name != "privacy_unit"}
    content["rules"] = [
        {
            "measure": metric.name,
            **{name: value for name, value in checked.items() if value != metric.parameters[name].default},
        }
        for metric, checked in asked
    ]
    rules = tuple(MeasureRule(metric, checked) for metric, checked in asked)
    return Job(release, rules, content, None, input_files(table, options["original"], options["population"]))


def _by_role(release: Release) -> dict[str, list[str]]:
    return {
        key: [column for column, role in release.roles.items() if role == own]
        for key, own in ROLE_KEYS.items()
        if own in release.roles.values()
    }


def checked_target(output: Path, job: Job, reports: Any) -> Path:
    """The file of the release; an error if it, or what comes beside it, cannot be written."""
    check_suffix(output)
    target = check_writable(output, job.inputs)
    beside = target.with_name(f"{target.stem}_policy.yaml")
    if beside.exists() and not _is_ours(beside):
        raise InputError(
            f"cannot write {str(beside)!r}: it exists and was not written by petworks anonymize; name another output"
        )
    for path in reports:
        if check_writable(path, job.inputs) in (target, beside):
            raise ParameterError("two results would be written to the same file")
    return target


def _is_ours(policy: Path) -> bool:
    with policy.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()


def written(
    result: Recoded, job: Job, target: Path, options: dict[str, Any]
) -> tuple[list[Path], Policy, tuple[RuleResult, ...]]:
    """Write the release with all that comes beside it, and judge it as it was written."""
    original = job.release
    named = hierarchy_files(target, original.hierarchies, tuple(original.compared_columns))
    needs_original = any(
        "the original table" in rule.metric.needs for rule in job.rules if isinstance(rule, MeasureRule)
    )
    text, root = released_policy(job.content, target, named, needs_original=needs_original, made=result)
    order = _order(result.records, options)
    beside = target.with_name(f"{target.stem}_policy.yaml")
    contents: dict[Path, Any] = {
        target: release_content(
            target, original.source, drop=result.left_out, changed=result.changed_columns, order=order
        ),
        beside: text.encode("utf-8", "surrogateescape"),
        **{
            path: original.hierarchies[column].to_csv().encode("utf-8", "surrogateescape")
            for column, path in named.items()
        },
    }
    folder = target.parent / f"{target.stem}_hierarchies"
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        write_whole(contents)
    finally:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()
    files = [target, beside, folder]
    with named_at_the_end(files):
        policy = read_policy(beside, root, network=options["network"])
        rules = rule_results(policy.release(engine="memory"), policy, today())
    if root is not None:
        click.echo(
            f"petworks: the policy names files outside its folder: check it with --root {printable(shown_path(root))}",
            err=True,
        )
    if original.privacy_unit is not None:
        click.echo(
            f"petworks: the column {original.privacy_unit!r} has numbers instead of its values; they tell which "
            "records are of one person: remove it if nobody needs to know",
            err=True,
        )
    return files, policy, rules


@contextmanager
def named_at_the_end(files: list[Path]) -> Iterator[None]:
    """A context in which Ctrl-C does not hide that files were written before."""
    try:
        yield
    except KeyboardInterrupt:
        say_written(files)
        raise


def _order(records: int, options: dict[str, Any]) -> Any:
    """A random order, if it is wanted."""
    if not options["shuffle"]:
        if options["seed"] is not None:
            raise ParameterError("--seed is for --shuffle")
        return None
    import numpy as np

    seed = secrets.randbits(32) if options["seed"] is None else number_given(options["seed"])
    if not isinstance(seed, int) or seed < 0:
        raise ParameterError(f"--seed expects a whole number, got {options['seed'][:40]!r}")
    click.echo(f"petworks: the order of the records is random (--shuffle --seed {seed})", err=True)
    return np.random.default_rng(seed).permutation(records)


def today() -> date:
    """The day by which waivers are judged."""
    return datetime.now(UTC).date()
