"""Where a release and all that comes beside it are written: paths that are free, or ours, and none of the inputs."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PETWorks.errors import Hint, InputError, ParameterError, PETWorksError, Phrase, quoted, system_reason
from PETWorks.gate.anonymising import MARK, hierarchy_files
from PETWorks.gate.json_files import read_json
from PETWorks.tables.globs import SIGNS, would_match
from PETWorks.tables.output import check_writable
from PETWorks.tables.writing import PARQUET_SUFFIXES, check_suffix
from PETWorks.tables.yamlfile import read_yaml

ANOTHER = Phrase("name another output")


@dataclass(frozen=True)
class Inputs:
    """What a run reads: files, and patterns that files must not begin to match."""

    files: tuple[Path, ...]
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, files: Iterable[Path], tables: Iterable[Any]) -> "Inputs":
        """Files, and whichever of the tables are named by a pattern."""
        named = [str(table) for table in tables if isinstance(table, str | Path) and "://" not in str(table)]
        patterns = [name for name in named if any(sign in name for sign in SIGNS) and not Path(name).exists()]
        return cls(tuple(files), tuple(patterns))

    def check(self, path: Path) -> None:
        """An error if a file that is to be written is an input, or would become one."""
        if path.exists() and any(file.exists() and path.samefile(file) for file in self.files):
            raise InputError(
                "cannot write {path!r}: it is an input of this run; {another}", path=str(path), another=ANOTHER
            )
        for pattern in self.patterns:
            if would_match(pattern, path):
                raise InputError(
                    "cannot write {path!r}: it would be one of the files that {pattern!r} names, "
                    "which are the input; {another}",
                    path=str(path),
                    pattern=pattern,
                    another=ANOTHER,
                )


@dataclass(frozen=True)
class ReleasePaths:
    """The file of a release, its policy, its plan, and the folder with its hierarchies, by column."""

    release: Path
    policy: Path
    plan: Path
    folder: Path
    hierarchies: Mapping[str, Path]

    @property
    def written(self) -> list[Path]:
        """What a user is told of beside the plan; the folder stands for what is in it."""
        return [self.release, self.policy, *([self.folder] if self.hierarchies else [])]


def release_paths(
    output: Path, hierarchies: Mapping[str, Any], columns: tuple[str, ...], inputs: Inputs
) -> ReleasePaths:
    """Where everything is written; an error if something of it cannot be, is an input, or belongs to somebody else."""
    check_suffix(output)
    if "hierarchy_" in output.name:
        raise InputError(
            "cannot write {path!r}: a file with 'hierarchy_' in its name is taken for a hierarchy; {another}",
            path=str(output),
            another=ANOTHER,
        )
    release = check_writable(output, inputs.files)
    check_suffix(release)
    paths = ReleasePaths(
        release,
        release.with_name(f"{release.stem}_policy.yaml"),
        release.with_name(f"{release.stem}_plan.json"),
        release.with_name(f"{release.stem}_hierarchies"),
        hierarchy_files(release, hierarchies, columns),
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
    """An error if a release cannot be written as a folder of Parquet files."""
    if output.suffix.lower() not in PARQUET_SUFFIXES:
        raise InputError(
            "cannot write {path!r}: the engine 'spark' writes a folder of Parquet files; "
            "expected a name that ends in {suffixes}",
            path=str(output),
            suffixes=quoted(PARQUET_SUFFIXES),
        )
    if output.is_dir():
        raise InputError(
            "cannot write {path!r}: the folder exists; remove it, or {another}", path=str(output), another=ANOTHER
        )
    if any(sign in output.name for sign in SIGNS):
        raise InputError(
            "cannot write {path!r}: the name of a folder of files must have none of {signs}",
            path=str(output),
            signs=SIGNS,
        )


def data_named(release: Path, *, in_parts: bool) -> str:
    """What a policy beside a release calls it."""
    return f"{release.name}/*.parquet" if in_parts else release.name


def check_reports(reports: Iterable[Path], paths: ReleasePaths, inputs: Inputs) -> None:
    """An error if a report cannot be written, or if two results would be in one file."""
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
    """Whether there is a policy of an earlier run for this very release; an error if there is another file."""
    if not os.path.lexists(policy):
        return False
    if policy.is_symlink() or not policy.is_file():
        raise InputError(
            "cannot write {path!r}: it exists and is not a regular file; {another}",
            path=str(policy),
            another=ANOTHER,
        )
    with policy.open("rb") as file:
        is_marked = file.read(len(MARK)) == MARK.encode()
    try:
        content = read_yaml(policy).content if is_marked else None
    except PETWorksError:  # somebody has changed it
        content = None
    data = content.get("data") if isinstance(content, dict) else None
    if data is None:
        raise InputError(
            "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}",
            path=str(policy),
            another=ANOTHER,
        )
    if data not in (data_named(release, in_parts=False), data_named(release, in_parts=True)):
        raise InputError(
            "cannot write {path!r}: it is the policy of another release, {data!r}; {another}",
            path=str(policy),
            data=data,
            another=ANOTHER,
        )
    return True


def _check_plan(plan: Path, release: Path) -> None:
    """An error if there is another file than the plan of an earlier run for this very release."""
    if not os.path.lexists(plan):
        return
    if plan.is_symlink() or not plan.is_file():
        raise InputError(
            "cannot write {path!r}: it exists and is not a regular file; {another}", path=str(plan), another=ANOTHER
        )
    try:
        content = read_json(plan, Phrase("a plan"), Hint.PLAN)
    except InputError:
        content = None
    if not isinstance(content, dict) or "petworks_plan" not in content:
        raise InputError(
            "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}",
            path=str(plan),
            another=ANOTHER,
        )
    if content.get("release") != release.name:
        raise InputError(
            "cannot write {path!r}: it is the plan of another release; {another}", path=str(plan), another=ANOTHER
        )


def _check_folder(paths: ReleasePaths, inputs: Inputs, *, is_ours: bool) -> None:
    folder = paths.folder
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(
            "cannot write {path!r}: it exists and is a symlink or not a folder; {another}",
            path=str(folder),
            another=ANOTHER,
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError("cannot write {path!r}: the folder is not writable", path=str(folder))
    if any(file.resolve().is_relative_to(folder) for file in inputs.files):
        raise InputError(
            "cannot write {path!r}: inputs of this run are in it; {another}", path=str(folder), another=ANOTHER
        )
    if not is_ours and any(folder.iterdir()):
        raise InputError(
            "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}",
            path=str(folder),
            another=ANOTHER,
        )
    for path in paths.hierarchies.values():
        if os.path.lexists(path) and not path.is_file():
            raise InputError(
                "cannot write {path!r}: it exists and is not a regular file; {another}", path=str(path), another=ANOTHER
            )
