"""The files of a release: which there are, what may go out, and which releases were made of a table."""

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
        """By which the release is checked."""
        return self._beside("policy.yaml")

    @property
    def plan(self) -> Path:
        """With which other tables are recoded in the same way."""
        return self._beside("plan.json")

    @property
    def hierarchies(self) -> Path:
        """The folder of its hierarchies."""
        return self._beside("hierarchies")

    @property
    def report(self) -> Path:
        """The report about how it was made."""
        return self._beside("report.html")

    @property
    def result(self) -> Path:
        """The same for programs, and for the page that shows it."""
        return self._beside("report.json")

    @property
    def reasons(self) -> Path:
        """Why records are suppressed, one by one."""
        return self._beside("reasons_internal.csv")

    @property
    def unfinished(self) -> Path:
        """What a search has found that was stopped."""
        return self.release.with_name(f"{self.release.name}.unfinished")

    @property
    def beside(self) -> tuple[Path, ...]:
        """All files that may be written with it."""
        return self.policy, self.plan, self.hierarchies, self.report, self.result, self.reasons, self.unfinished

    @property
    def inside(self) -> list[Path]:
        """What is there for those who may see the original."""
        return [path for path in self.beside if path.exists()]

    @property
    def is_ours(self) -> bool:
        """Whether the release was written by this program, so that it may be replaced."""
        try:
            return made_policy(self.policy) is not None
        except PETWorksError:
            return False

    def read(self) -> CheckFile:
        """The check of the release, with how it was made."""
        if not self.result.exists():
            raise InputError(
                "there is no {file}: make the release again to see how it was made", file=quoted([self.result.name])
            )
        return read_check(self.result)


def named_release(policy: Path, name: str) -> ReleasedFiles:
    """The release with a name, in the folder of the policy: there its own policy may name the original."""
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


def usual_name(policy: Policy) -> str:
    """What the release is called if nobody says."""
    data = policy.data if isinstance(policy.data, Path) else policy.path
    suffix = data.suffix if data.suffix.lower() in SUFFIXES else ".csv"
    return f"{unpacked_path(data).stem}_released{suffix}"


def releases_of(policy: Policy) -> list[ReleasedFiles]:
    """The releases beside a policy that were made of its table."""
    found: list[ReleasedFiles] = []
    for path in sorted(policy.path.parent.glob("*_policy.yaml")):
        if len(found) >= MOST_RELEASES or path == policy.path:
            continue
        try:
            made = made_policy(path)
        except PETWorksError:
            continue
        if made is not None and isinstance(made.data, Path) and _is_same(made.original, policy.data):
            found.append(ReleasedFiles(made.data))
    return found


def came_with_release(path: Path) -> bool:
    """Whether a policy was written by petworks anonymize, for a release."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()


def origin_of(policy: Policy) -> Path | None:
    """The policy beside that of a release with which it was made; None if it is no release, or that one is gone."""
    return next((origin.path for origin in origins_of(policy)), None)


def origins_of(policy: Policy) -> Iterator[Policy]:
    """The policies beside that of a release whose table it was made from; none if it is no release."""
    try:
        made = made_policy(policy.path)
    except PETWorksError:
        return
    for path in sorted(policy.path.parent.glob("*.yaml")) if made is not None else ():
        try:
            if path.is_symlink() or not path.is_file():
                continue
            origin = read_policy(path)
        except PETWorksError:
            continue
        if _is_same(origin.data, policy.original):
            yield origin


def made_policy(path: Path) -> Policy | None:
    """The policy of a release, if a file is one that came with a release."""
    return read_policy(path) if came_with_release(path) else None


def _is_same(one: object, other: object) -> bool:
    return isinstance(one, Path) and isinstance(other, Path) and one.resolve() == other.resolve()


def decided_otherwise(policy: Policy, released: ReleasedFiles) -> list[str]:
    """Keys that the policy of a release has otherwise than the one it was made with: they would be lost."""
    try:
        made = made_policy(released.policy)
    except PETWorksError:
        return []
    if made is None:
        return []
    return list(_different(policy.file.content, made.file.content))


def _different(old: dict[str, object], new: dict[str, object]) -> Iterator[str]:
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
