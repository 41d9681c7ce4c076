"""Write a release under temporary names, judge it, and give the files their final names."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from PETWorks.about.hierarchies.declaration import HierarchySources, hierarchy_files
from PETWorks.about.roles import check_unit
from PETWorks.about.sidecar import read_sidecar, sidecar_of
from PETWorks.anonymizer.plan import Plan
from PETWorks.anonymizer.released import SHUFFLED, Recoded, RecordOrder, choose_order, with_safe_cells
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.counting.protected_source import protect_words
from PETWorks.counting.release import Release
from PETWorks.errors import Phrase
from PETWorks.gate.anonymising import policy_of_release
from PETWorks.gate.case import Case
from PETWorks.gate.check.built_in_rules import add_judged_rules, check_people_are_declared
from PETWorks.gate.check.may_go_out import complete_content, digests_by_key
from PETWorks.gate.check.notices import notices_of_run
from PETWorks.gate.codebook import Codebook
from PETWorks.gate.plans import plan_text
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.gate.release_files import (
    FilesToKeep,
    ReleaseFiles,
    check_folder,
    check_reports,
    policy_data,
    release_files,
)
from PETWorks.tables.files import hold_file, locked
from PETWorks.tables.normalised_cells import is_spreadsheet_safe
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import Folder, Staging, check_writable, staging
from PETWorks.tables.writing import check_ordered, release_content


@dataclass(frozen=True)
class ReleaseJob:
    """A table to be released: opened, with its rules, and the content of the policy of the release.

    Every command that makes a release uses one, so none of them can count several records of a person by mistake.
    """

    release: Release
    rules: tuple[Rule, ...]
    content: Mapping[str, Any]
    policy: Policy | None
    inputs: FilesToKeep
    safe_cells: bool = False  # whether cells that a spreadsheet would read as formulas get an apostrophe

    def __post_init__(self) -> None:
        check_people_are_declared(self.release, self.content.get("no_privacy_unit"))

    @property
    def needs_original(self) -> bool:
        """Whether a rule compares the release with the original, or the original has the key of other releases."""
        if self.policy is not None and self.policy.releases.measured:
            return True
        return any("the original table" in rule.metric.needs for rule in self.rules if isinstance(rule, MeasureRule))

    @classmethod
    def by_policy(
        cls, policy: Policy, release: Release, rules: tuple[Rule, ...], *, safe_cells: bool = False
    ) -> "ReleaseJob":
        """A release of the policy's table, which is open, by its rules or by some with other thresholds."""
        with policy.located("privacy_unit"):
            check_unit(policy.privacy_unit, release.source, {})
        other_files = [policy.path, *companion_files(release, policy.hierarchies)]
        inputs = FilesToKeep.of((policy.data, policy.original, policy.population), other_files)
        safe_cells = safe_cells or policy.anonymize.get("spreadsheet_safe") == "true"
        return cls(release, rules, complete_content(policy, release), policy, inputs, safe_cells)

    def order(self, shuffle: bool | None, seed: int | None) -> RecordOrder:
        """The order of the records: as asked, or by the policy; by default a random one where that is possible."""
        if shuffle is None and self.policy is not None and "order" in self.policy.anonymize:
            shuffle = self.policy.anonymize["order"] == SHUFFLED
        return choose_order(self.release, self.rules, shuffle, seed)

    def lock(self, output: Path) -> AbstractContextManager[None]:
        """A context in which no other run can write a release with the same files."""
        if self.release.engine.name == "spark":
            check_folder(output)
        if self.safe_cells:
            with_safe_cells(self.release)  # raises if the engine cannot write them
        target = check_writable(output, self.inputs.files)
        return locked(target.with_name(f"{_hidden_name(target)}.lock"), output)

    def files(self, output: Path, reports: Collection[Path] = ()) -> ReleaseFiles:
        """The release and all its files; raise if one of them, or a report, cannot be written."""
        files = release_files(output, self.release.hierarchies, self.release.compared_columns, self.inputs)
        check_reports(reports, files, self.inputs)
        return files


def check_engine(release: Release) -> None:
    """Raise if the engine cannot write a release of this table."""
    if release.engine.name == "memory":
        check_ordered(release.source)
    elif release.engine.name == "spark":
        from PETWorks.counting.engines.spark import check_readable

        check_readable(release.source)


def companion_files(release: Release, hierarchies: HierarchySources | None) -> Iterator[Path]:
    """The files that are read besides tables: hierarchies, and the roles file."""
    yield from hierarchy_files(hierarchies)
    if release.source.path is not None:
        sidecar = sidecar_of(release.source.path)
        yield from [] if sidecar is None else [sidecar]
        if hierarchies is None:
            yield from hierarchy_files(read_sidecar(release.source.path).hierarchies)


def _hidden_name(release: Path) -> str:
    """The prefix of temporary files of a run; the same for releases that share a policy file."""
    return f".petworks-{hashlib.sha256(release.stem.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


@dataclass(frozen=True)
class StagedRelease:
    """A release that is written and checked, but not yet at its final place.

    case         its own policy with its table, judged
    files        its files, to which more can be added
    digest       the digest of the released file
    root         the folder that its policy needs as root, if its own is not enough
    replaces     whether an earlier release of this name is replaced
    keeps_unit   whether the column that names the person is in it
    """

    case: Case
    files: Staging
    digest: str | None
    root: Path | None
    replaces: bool
    keeps_unit: bool


@contextmanager
def staging_release(
    result: Recoded,
    job: ReleaseJob,
    paths: ReleaseFiles,
    order: RecordOrder,
    make_plan: Callable[[Path, Mapping[str, Path]], Plan],
    other_files: Mapping[Path, bytes] | None = None,
    *,
    network: bool = False,
    say: Callable[[str], str] = str,
    step: Callable[[str], AbstractContextManager[Any]] = nullcontext,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
) -> Iterator[StagedRelease]:
    """Write and check the release and all its files under temporary names.

    When the context ends without an error, they get their final names together.

    order             the order in which the records are written
    make_plan         makes the plan, given the paths of the release and its hierarchies
    other_files       more files that are written with it
    network           whether its policy may name servers to connect to
    say               translates comments in its policy, and its codebook
    step              a context for each step, "writing" and "checking", that shows the progress
    engine, memory_limit, temp_folder   those of the original
    """
    made = result
    if job.policy is not None and job.policy.keeps_unit:
        result = replace(result, keeps_unit=True)
    if job.safe_cells:
        result = replace(result, original=with_safe_cells(result.original))
    original = job.release
    original.engine.close()  # its counts are no longer needed, and the engine of the release needs memory
    contents, root = _first_files(result, job, paths, order, say)
    replaces = paths.release.exists()
    name = _hidden_name(paths.release).removeprefix(".petworks-")
    with staging(name, paths.release.parent, like=job.inputs.files) as files:
        with step("writing"):
            files.write({**contents, **(other_files or {})})
            target = files.current(paths.release)
            held = hold_file(target) if target.is_file() else None  # read once, for its digest and for the check
            plan = structs.replace(
                make_plan(target, {column: files.current(path) for column, path in paths.hierarchies.items()}),
                spreadsheet_safe=is_spreadsheet_safe(result.original.source) or None,
                made_by=None if job.policy is None else digests_by_key(job.content, job.policy.path.parent),
            )
            files.write({paths.plan: plan_text(plan).encode("utf-8", "replace")})
        policy = read_policy(paths.policy, root, network=network, find=files.current)
        case = Case(
            policy,
            people=_people(result, order),
            sampled=_sampled(result, order, files, paths.release),
            made_here=True,
            original=original.source,
            engine=engine if original.engine.name == "memory" else original.engine.name,
            # In memory, two tables may exceed a limit that one stays below; the run must not fail at its very end.
            memory_limit=None if engine == "memory" else memory_limit,
            temp_folder=temp_folder,
        )
        with step("checking"):
            rules = case.rules
        del held
        judged_plan = structs.replace(
            add_judged_rules(plan, policy, rules), notices=notices_of_run(made, case.release, policy) or None
        )
        if judged_plan != plan:
            files.write({paths.plan: plan_text(judged_plan).encode("utf-8", "replace")})
            case.renew_plan(files.current(paths.plan))
        files.write(_codebook_files(case, original, paths, say))
        yield StagedRelease(case, files, plan.release_sha256, root, replaces, result.keeps_unit)
        case.release.engine.close()  # it may still have the files open
        files.publish()


def _codebook_files(case: Case, original: Release, paths: ReleaseFiles, say: Callable[[str], str]) -> dict[Path, bytes]:
    """The codebook of a release, to be read and as a table."""
    shown, protected = case.policy.anonymize.get("show"), protect_words(original.source)
    codebook = Codebook.of(case.release, paths.release, original.declared, shown, protected)
    return {
        paths.codebook: codebook.to_markdown(paths.codebook_table.name, say),
        paths.codebook_table: codebook.to_csv(),
    }


def _first_files(
    result: Recoded, job: ReleaseJob, paths: ReleaseFiles, order: RecordOrder, say: Callable[[str], str]
) -> tuple[dict[Path, Any], Path | None]:
    """The content of the release, its policy and its hierarchies; and the root folder of the policy, if it needs one.

    The plan follows, since it has the digests of these files.
    """
    text, root = policy_of_release(
        job.content,
        paths.release,
        paths.hierarchies,
        data=policy_data(paths.release, in_parts=job.release.engine.name == "spark"),
        needs_original=job.needs_original,
        seed=order.seed,
        plan=paths.plan,
        made=result,
        say=say,
    )
    hierarchies = {
        path: job.release.hierarchies[column].to_csv().encode("utf-8", "surrogateescape")
        for column, path in paths.hierarchies.items()
    }
    release = _release_content(result, job, paths.release, order)
    return {paths.release: release, paths.policy: text.encode("utf-8", "surrogateescape"), **hierarchies}, root


def _people(result: Recoded, order: RecordOrder) -> Any:
    """The person of each written record; None if the release itself has them."""
    return result.people(result.places(order)) if result.original.engine.name == "memory" else None


def _sampled(result: Recoded, order: RecordOrder, files: Staging, release: Path) -> Any:
    """The columns of sampling weight and household of each written record; None if the release itself has them.

    If the table is not in memory, this is an unpublished table of the same records that has these columns too.
    """
    columns, original = result.unreleased_sample, result.original
    if not columns:
        return None
    if original.engine.name == "memory":
        return result.sampled(result.places(order))
    path = release.with_name(f"{release.name}.sampled.parquet")
    if original.engine.name == "spark":
        folder = files.write_aside(path, Folder(lambda empty: result.write_parts(empty, columns)))
        return open_source(str(folder / "*.parquet"), Phrase("the release"))
    left_out = [name for name in result.left_out if name not in columns]
    written = release_content(path, original.source, drop=left_out, changed=result.changes_in(None))
    return open_source(files.write_aside(path, written), Phrase("the release"))


def _release_content(result: Recoded, job: ReleaseJob, path: Path, order: RecordOrder) -> Any:
    """The content of the release file, or how a cluster writes it."""
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
    exact = result.recoder.columns
    return release_content(
        path, original.source, drop=left_out, changed=changes, exact=exact, order=places, **csv_options
    )
