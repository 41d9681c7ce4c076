"""The files of a release, and the releases that were made from a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PETWorks.errors import InputError, PETWorksError, printable, quoted
from PETWorks.gate.anonymising import MARK
from PETWorks.gate.diff import read_check
from PETWorks.gate.document.check_document import CheckFile
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.tables.formats.packed import unpacked_path
from PETWorks.tables.writing import SUFFIXES

LONGEST_NAME = 120
MOST_RELEASES = 20


@dataclass(frozen=True)
class ReleasedFiles:
    """A release, and the files that are written beside it."""

    release: Path

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
    def hierarchies(self) -> Path:
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
    def unfinished(self) -> Path:
        """The state of a search that was interrupted."""
        return self.release.with_name(f"{self.release.name}.unfinished")

    @property
    def beside(self) -> tuple[Path, ...]:
        """All files that may be written with it."""
        return self.policy, self.plan, self.hierarchies, self.report, self.result, self.reasons, self.unfinished

    @property
    def inside(self) -> list[Path]:
        """The existing files that only people who may see the original should see."""
        return [path for path in self.beside if path.exists()]

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


def release_named(policy: Path, name: str) -> ReleasedFiles:
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
    files = ReleasedFiles(policy.with_name(name))
    if linked := [path.name for path in (files.release, *files.beside) if path.is_symlink()]:
        raise InputError("{file} is a symlink; give the release another name", file=quoted(linked))
    if files.release.exists() and not files.is_ours:
        raise InputError("{given!r} exists and was not made here; give the release another name", given=shown)
    return files


def default_name(policy: Policy) -> str:
    """The default name of a release."""
    data = policy.data if isinstance(policy.data, Path) else policy.path
    suffix = data.suffix if data.suffix.lower() in SUFFIXES else ".csv"
    return f"{unpacked_path(data).stem}_released{suffix}"


def releases_of(policy: Policy) -> list[ReleasedFiles]:
    """The releases beside a policy that were made from its table."""
    releases: list[ReleasedFiles] = []
    for path in sorted(policy.path.parent.glob("*_policy.yaml")):
        if len(releases) >= MOST_RELEASES or path == policy.path:
            continue
        try:
            release_policy = read_release_policy(path)
        except PETWorksError:
            continue
        if (
            release_policy is not None
            and isinstance(release_policy.data, Path)
            and _is_same(release_policy.original, policy.data)
        ):
            releases.append(ReleasedFiles(release_policy.data))
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


def lost_decisions(policy: Policy, released: ReleasedFiles) -> list[str]:
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
