"""The files of a release: their names, whether they may be written, and the releases that were made from a table."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PETWorks.errors import Hint, InputError, ParameterError, PETWorksError, Phrase, printable, quoted, system_reason
from PETWorks.gate.codebook import CSV_MARK, MARKDOWN_MARK
from PETWorks.gate.diff import read_check
from PETWorks.gate.document import CheckFile, read_json
from PETWorks.gate.policy.policy import MARK, Policy, read_policy
from PETWorks.tables.formats.packed import unpacked_path
from PETWorks.tables.opening import SIGNS, files_of_tables, would_match
from PETWorks.tables.output import check_writable
from PETWorks.tables.writing import PARQUET_SUFFIXES, SUFFIXES, check_suffix
from PETWorks.tables.yaml_files import read_yaml

LONGEST_NAME = 120
MAX_RELEASES = 20
NAME_ANOTHER = Phrase("name another output")
# Keys of a policy that people decide on after a release was made.
DECIDED = (
    "context",
    "cell_size",
    "presets",
    "rules",
    "subsets",
    "regimes",
    "sign_off",
    "waivers",
    "releases",
    "register",
)


@dataclass(frozen=True)
class FilesToKeep:
    """The inputs of a run, which must not be overwritten: files, and patterns that no output file may match."""

    files: tuple[Path, ...]
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, tables: Iterable[Any], files: Iterable[Path]) -> "FilesToKeep":
        """Return the files of tables, patterns that name tables, and other files."""
        tables = tuple(tables)
        names = [str(table) for table in tables if isinstance(table, str | Path) and "://" not in str(table)]
        patterns = [name for name in names if any(sign in name for sign in SIGNS) and not Path(name).exists()]
        return cls((*files_of_tables(*tables), *files), tuple(patterns))

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
class ReleaseFiles:
    """A release, and the files that are written beside it.

    hierarchies   the file of each column's hierarchy, if the release is being made
    """

    release: Path
    hierarchies: Mapping[str, Path] = field(default_factory=dict)

    def _beside(self, ending: str) -> Path:
        return self.release.with_name(f"{self.release.stem}_{ending}")

    @property
    def policy(self) -> Path:
        """The policy by which the release is checked."""
        return self._beside("policy.yaml")

    @property
    def plan(self) -> Path:
        """The plan, with which other tables are recoded in the same way."""
        return self._beside("plan.json")

    @property
    def folder(self) -> Path:
        """The folder of its hierarchies."""
        return self._beside("hierarchies")

    @property
    def report(self) -> Path:
        """The report on how it was made."""
        return self._beside("report.html")

    @property
    def result(self) -> Path:
        """The same report as JSON, for programs and for the page."""
        return self._beside("report.json")

    @property
    def reasons(self) -> Path:
        """The reasons why single records are suppressed."""
        return self._beside("reasons_internal.csv")

    @property
    def codebook(self) -> Path:
        """The codebook for those who receive the release, to be read."""
        return self._beside("codebook.md")

    @property
    def codebook_table(self) -> Path:
        """The same codebook as a table, for programs."""
        return self._beside("codebook.csv")

    @property
    def for_recipients(self) -> tuple[Path, ...]:
        """The existing files that go out: the release and its codebook."""
        return tuple(path for path in (self.release, self.codebook, self.codebook_table) if path.exists())

    @property
    def unfinished(self) -> Path:
        """The state of a search that was interrupted."""
        return self.release.with_name(f"{self.release.name}.unfinished")

    @property
    def beside(self) -> tuple[Path, ...]:
        """All files that may be written with it."""
        return (*self._internal, self.codebook, self.codebook_table)

    @property
    def _internal(self) -> tuple[Path, ...]:
        return self.policy, self.plan, self.folder, self.report, self.result, self.reasons, self.unfinished

    @property
    def written(self) -> list[Path]:
        """The paths to report to the user, except the plan; the folder stands for the files in it."""
        codebook = [self.codebook, self.codebook_table]
        return [self.release, *codebook, self.policy, *([self.folder] if self.hierarchies else [])]

    @property
    def for_insiders(self) -> list[Path]:
        """The existing files that only people who may see the original should see."""
        return [path for path in self._internal if path.exists()]

    @property
    def is_ours(self) -> bool:
        """Whether the release was written by this program, so that it may be replaced."""
        try:
            return read_release_policy(self.policy) is not None
        except PETWorksError:
            return False

    def read(self) -> CheckFile:
        """Read the check of the release, with how it was made."""
        if not self.result.exists():
            raise InputError(
                "there is no {file}: make the release again to see how it was made", file=quoted([self.result.name])
            )
        return read_check(self.result)


def release_files(
    output: Path, hierarchies: Mapping[str, Any], columns: Iterable[str], inputs: FilesToKeep
) -> ReleaseFiles:
    """The paths of all output; raise if one cannot be written, is an input, or is not ours to replace."""
    check_suffix(output)
    if "hierarchy_" in output.name:
        raise InputError(
            "cannot write {path!r}: a file with 'hierarchy_' in its name is taken for a hierarchy; {another}",
            path=str(output),
            another=NAME_ANOTHER,
        )
    if output.is_symlink():  # policy and hierarchies would be written beside the file that it leads to
        raise _not_a_file(output)
    release = check_writable(output, inputs.files)
    paths = ReleaseFiles(release, _hierarchy_files(ReleaseFiles(release).folder, hierarchies, columns))
    try:
        is_ours = _is_ours(paths.policy, release)
        _check_plan(paths.plan, release)
        _check_folder(paths, inputs, is_ours=is_ours)
        _check_codebook(paths.codebook, MARKDOWN_MARK)
        _check_codebook(paths.codebook_table, CSV_MARK)
        for path in (
            release,
            paths.codebook,
            paths.codebook_table,
            paths.policy,
            paths.plan,
            *paths.hierarchies.values(),
        ):
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


def check_reports(reports: Iterable[Path], paths: ReleaseFiles, inputs: FilesToKeep) -> None:
    """Raise if a report cannot be written, or if two results would be in one file."""
    taken = {paths.release, paths.codebook, paths.codebook_table, paths.policy, paths.plan}
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


def _hierarchy_files(folder: Path, hierarchies: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Path]:
    """The file of each column's hierarchy, in the folder beside the release."""
    files: dict[str, Path] = {}
    for column in columns:
        safe = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in column)[:60] or "column"
        while folder / f"hierarchy_{safe}.csv" in files.values():
            safe += "_"
        files[column] = folder / f"hierarchy_{safe}.csv"
    return {column: path for column, path in files.items() if column in hierarchies}


def _not_a_file(path: Path) -> InputError:
    return InputError(
        "cannot write {path!r}: it exists and is not a regular file; {another}", path=str(path), another=NAME_ANOTHER
    )


def _not_ours(path: Path) -> InputError:
    return InputError(
        "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}",
        path=str(path),
        another=NAME_ANOTHER,
    )


def _is_ours(policy: Path, release: Path) -> bool:
    """Whether the policy of an earlier run for this release exists; raise if it is some other file."""
    if not os.path.lexists(policy):
        return False
    if policy.is_symlink() or not policy.is_file():
        raise _not_a_file(policy)
    try:
        content = read_yaml(policy).content if came_with_release(policy) else None
    except PETWorksError:  # somebody changed it
        content = None
    data = content.get("data") if isinstance(content, dict) else None
    if data is None:
        raise _not_ours(policy)
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
        raise _not_a_file(plan)
    try:
        content = read_json(plan, Phrase("a plan"), Hint.PLAN)
    except InputError:
        content = None
    if not isinstance(content, dict) or "petworks_plan" not in content:
        raise _not_ours(plan)
    if content.get("release") != release.name:
        raise InputError(
            "cannot write {path!r}: it is the plan of another release; {another}", path=str(plan), another=NAME_ANOTHER
        )


def _check_codebook(codebook: Path, mark: bytes) -> None:
    """Raise if the file exists and is not the codebook of an earlier run."""
    if not os.path.lexists(codebook):
        return
    if codebook.is_symlink() or not codebook.is_file():
        raise _not_a_file(codebook)
    with codebook.open("rb") as file:
        if file.read(len(mark)) != mark:
            raise _not_ours(codebook)


def _check_folder(paths: ReleaseFiles, inputs: FilesToKeep, *, is_ours: bool) -> None:
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
        raise _not_ours(folder)
    for path in paths.hierarchies.values():
        if os.path.lexists(path) and not path.is_file():
            raise _not_a_file(path)


def release_named(policy: Path, name: str) -> ReleaseFiles:
    """The release with a name, in the folder of the policy: from there its own policy can refer to the original."""
    path = Path(name)
    shown = printable(name)[:80]
    if not name or path.name != name or name.startswith(".") or len(name) > LONGEST_NAME:
        raise InputError(
            "the name of the release is the name of a file in the folder of the policy, got {given!r}", given=shown
        )
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            "the name of the release ends in one of {suffixes}, got {given!r}", suffixes=quoted(SUFFIXES), given=shown
        )
    files = ReleaseFiles(policy.with_name(name))
    if linked := [path.name for path in (files.release, *files.beside) if path.is_symlink()]:
        raise InputError("{file} is a symlink; give the release another name", file=quoted(linked))
    if files.release.exists() and not files.is_ours:
        raise InputError("{given!r} exists and was not made here; give the release another name", given=shown)
    return files


def default_name(policy: Policy) -> str:
    """The default name of a release."""
    data = policy.data if isinstance(policy.data, Path) else policy.path
    return f"{unpacked_path(data).stem}_released{default_suffix(data)}"


def default_suffix(data: Path) -> str:
    """The default suffix of a release of a table: its own, also that of a workbook with the name of a sheet."""
    own = (data.suffix, Path(data.name.partition("#")[0]).suffix)
    return next((suffix for suffix in own if suffix.lower() in SUFFIXES), ".csv")


def releases_of(policy: Policy) -> list[ReleaseFiles]:
    """The releases beside a policy that were made from its table."""
    return _made_from(policy.data, policy)


def existing_releases_of(policy: Policy) -> list[ReleaseFiles]:
    """The releases beside a policy that were made from its table, as far as their files are still there."""
    return _keep_existing(releases_of(policy))


def other_releases_of(policy: Policy) -> list[ReleaseFiles]:
    """The releases beside that of a policy that were made from the same original, and are not among its `releases`."""
    if policy.original is None or (policy.plan is None and not came_with_release(policy.path)):
        return []
    judged = [policy.data, *(earlier.data for earlier in policy.releases.earlier)]
    known = [table.resolve() for table in judged if isinstance(table, Path)]
    others = _keep_existing(_made_from(policy.original, policy))
    return [files for files in others if files.release.resolve() not in known]


def _keep_existing(releases: Iterable[ReleaseFiles]) -> list[ReleaseFiles]:
    return [files for files in releases if files.release.exists()]


def _made_from(original: object, policy: Policy) -> list[ReleaseFiles]:
    """The releases beside a policy, other than its own, that were made from a table."""
    releases: list[ReleaseFiles] = []
    for path in sorted(policy.path.parent.glob("*_policy.yaml")):
        if len(releases) >= MAX_RELEASES or path == policy.path:
            continue
        try:
            release_policy = read_release_policy(path)
        except PETWorksError:
            continue
        if (
            release_policy is not None
            and isinstance(release_policy.data, Path)
            and _is_same(release_policy.original, original)
        ):
            releases.append(ReleaseFiles(release_policy.data))
    return releases


def came_with_release(path: Path) -> bool:
    """Whether a policy was written by petworks anonymize, for a release."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()


def origin_of(policy: Policy) -> Path | None:
    """The policy with which a release was made, found beside its own; None if this is no release, or it is gone."""
    return next((origin.path for origin in origins_of(policy)), None)


def origins_of(policy: Policy) -> Iterator[Policy]:
    """The policies beside that of a release whose table it was made from; none if this is no release."""
    try:
        release_policy = read_release_policy(policy.path)
    except PETWorksError:
        return
    for path in sorted(policy.path.parent.glob("*.yaml")) if release_policy is not None else ():
        try:
            if path.is_symlink() or not path.is_file():
                continue
            origin = read_policy(path)
        except PETWorksError:
            continue
        if _is_same(origin.data, policy.original):
            yield origin


def read_release_policy(path: Path) -> Policy | None:
    """Read a policy if the file came with a release, otherwise return None."""
    return read_policy(path) if came_with_release(path) else None


def _is_same(first: object, second: object) -> bool:
    return isinstance(first, Path) and isinstance(second, Path) and first.resolve() == second.resolve()


def lost_decisions(policy: Policy, released: ReleaseFiles) -> list[str]:
    """Keys that differ between the policy of a release and the one it was made with: remaking it would lose them."""
    try:
        release_policy = read_release_policy(released.policy)
    except PETWorksError:
        return []
    if release_policy is None:
        return []
    return list(_changed_keys(policy.file.content, release_policy.file.content))


def _changed_keys(old: dict[str, object], new: dict[str, object]) -> Iterator[str]:
    for key in DECIDED:
        if new.get(key) != old.get(key) and key in new:
            yield key
